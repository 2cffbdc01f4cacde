/* values.h - tensors whose numbers are looked at: read chunk by chunk, in
 * several threads, and what was found of the chunks put together in their
 * order, so that it does not depend on the threads.
 */
#ifndef GGKI_VALUES_H
#define GGKI_VALUES_H

#include "kern/measure.h"
#include "model/model.h"
#include "ops/convert.h"

/* A tensor whose numbers can be had. */
struct ggki_values {
    const ggk_model *model;
    uint64_t tensor;
    ggk_tensor info;
    const ggk_type_info *type;
    ggki_dequantize *dequantize; /* set in the run */
    bool wide;                   /* floats do not hold its numbers */
    bool swap;                   /* its blocks, once they are read */
};

/* What is looked at together: one tensor, or two of one shape. */
struct ggki_values_item {
    uint64_t i; /* of the work's items */
    unsigned n_sides;
    struct ggki_values sides[2];
    size_t unit; /* numbers that are not to be parted: whole blocks, or rows */
    size_t span, chunk; /* numbers, whole units; both are set in the run */
    bool wide; /* a side is: its numbers are looked at as doubles; likewise */
    size_t extra;              /* bytes that the look needs in `spare`... */
    struct ggki_numbers_to to; /* ...for a span of this; its type may be NULL */
};

/* A piece of an item, in memory. */
struct ggki_chunk {
    const struct ggki_values_item *item;
    const struct ggki_loops *loops;
    uint64_t at; /* its first number */
    size_t n;
    const uint8_t *blocks[2]; /* of each side, little-endian */
    float *numbers[2];        /* room for a span */
    double *doubles[3];       /* likewise, if the item is wide */
    void *spare;              /* zeros at first, then as it was left */
};

struct ggki_values_work {
    const ggk_allocator *mem;
    ggk_values_opts opts;
    uint64_t n_items;
    void *ctx;
    /* Fill in item `i`, which stays in its place; done more than once. */
    ggk_status (*item)(const void *ctx, uint64_t i,
                       struct ggki_values_item *out, ggk_error *err);
    size_t part_bytes; /* of what is found in a chunk; it begins as zeros */
    ggk_status (*look)(const struct ggki_chunk *chunk, void *part,
                       ggk_error *err);
    void (*merge)(void *into, const void *part);
    /* What was found in the whole item; false ends all. By the calling thread.
     */
    bool (*done)(void *ctx, const struct ggki_values_item *item,
                 const void *whole);
};

/* Errors, before anything is looked at: GGK_E_DATA_MISSING; GGK_E_OVERLAP
 * (tensors that overlap), those of reading, of `item` and `look`,
 * GGK_E_CANCELLED, GGK_E_NOMEM. `file` of the error is the path of the
 * tensor's. */
ggk_status ggki_values_run(const struct ggki_values_work *work, ggk_error *err);

/* Is all of its data there? Of a stream nobody knows. */
bool ggki_values_are_there(const ggk_model *model, const ggk_tensor *t);

/* Fill in a side: GGK_E_UNSUPPORTED if its numbers cannot be had. */
ggk_status ggki_values_of(const ggk_model *model, uint64_t tensor,
                          struct ggki_values *out, ggk_error *err);

/* `n` numbers of a side, from number `i` of the chunk on, at most a span, into
 * chunk->numbers[side]. */
const float *ggki_chunk_numbers(const struct ggki_chunk *chunk, unsigned side,
                                size_t i, size_t n);

/* The same as doubles, of an item that is wide, into chunk->doubles[side]. */
const double *ggki_chunk_doubles(const struct ggki_chunk *chunk, unsigned side,
                                 size_t i, size_t n);

/* The bytes of so many numbers, whole blocks. */
static inline uint64_t ggki_values_bytes(const ggk_type_info *type, uint64_t n)
{
    return n / type->block * type->bytes;
}

#endif
