/* values.c - tensors whose numbers are looked at, chunk by chunk, in several
 * threads.
 *
 * A chunk has as many numbers whatever is done with it, and what was found in
 * chunks is merged one after the other: so sums are the same with any number
 * of threads.
 */
#include "ops/values.h"

#include <stdatomic.h>
#include <string.h>

#include "base/ckd.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/type_ids.h"
#include "format/block_swap.h"
#include "format/types.h"

enum {
    SPAN_NUMBERS = 4 << 10,    /* 16 KiB, which stay in the L1 cache */
    CHUNK_NUMBERS = 256 << 10, /* that are read at once */
    MOST_PARTS = 512           /* chunks, before they are merged */
};

/* Buffers of a thread, one behind the other. */
struct room {
    size_t blocks[2], numbers, doubles, spare, all;
};

struct part {
    size_t item; /* of those at hand */
    uint64_t at;
    size_t n;
    bool last; /* of its item */
};

struct run {
    const struct ggki_values_work *work;
    enum ggki_isa isa; /* asked for once: that takes longer than a kernel */
    const struct ggki_loops *loops;
    struct room room;
    unsigned n_threads;
    uint8_t *buffers;
    struct ggki_values_item *items; /* that the parts are of */
    size_t n_items;
    struct part *parts;
    size_t n_parts;
    uint8_t *found; /* by each part; and behind these, of the item so far */
    uint64_t next_item, next_number;
    uint64_t total;     /* bytes, for on_progress */
    uint64_t n_numbers; /* for the threads */
    atomic_uint_fast64_t done;
};

/* ------------------------------------------------------------------ tensors */

static ggk_status fail_type(const ggk_tensor *t, const char *name,
                            ggk_error *err)
{
    return ggki_fail(err, GGK_E_UNSUPPORTED,
                     "the numbers of tensor \"%.*s\" cannot be had: it is of "
                     "type %s",
                     t->name.len < 200 ? (int)t->name.len : 200, t->name.ptr,
                     name);
}

bool ggk_model_has_values(const ggk_model *model, const ggk_tensor *t)
{
    const ggk_type_info *type = ggk_model_type(model, t->type);

    return !t->opaque && type != NULL && type->row_extra == 0 &&
           ggk_type_can_dequantize(type) &&
           (!model->files[t->file].gguf.big || ggki_can_swap(type));
}

bool ggki_values_are_there(const ggk_model *model, const ggk_tensor *t)
{
    const struct ggki_gguf *g = &model->files[t->file].gguf;
    uint64_t end;

    return ckd_add64(t->data_off - g->base_off, t->bytes, &end) &&
           (g->size == GGK_SIZE_UNKNOWN || end <= g->size);
}

ggk_status ggki_values_of(const ggk_model *model, uint64_t tensor,
                          struct ggki_values *out, ggk_error *err)
{
    ggk_status status = ggk_model_tensor(model, tensor, &out->info, err);

    if (status != GGK_OK)
        return status;
    out->type = ggk_model_type(model, out->info.type);
    if (!ggk_model_has_values(model, &out->info))
        return fail_type(&out->info,
                         out->type != NULL ? out->type->name : "unknown", err);
    out->model = model;
    out->tensor = tensor;
    out->wide = out->type->id == GGKI_I32 || out->type->id == GGKI_I64 ||
                out->type->id == GGKI_F64;
    out->swap = model->files[out->info.file].gguf.big;
    return GGK_OK;
}

/* -------------------------------------------------------------------- items */

static size_t whole_units(size_t n, size_t unit)
{
    return n > unit ? n / unit * unit : unit;
}

static ggk_status item_at(const struct run *run, uint64_t i,
                          struct ggki_values_item *out, ggk_error *err)
{
    ggk_status status;

    *out = (struct ggki_values_item){.i = i, .n_sides = 1, .unit = 1};
    status = run->work->item(run->work->ctx, i, out, err);
    if (status != GGK_OK)
        return status;
    for (unsigned k = 0; k < out->n_sides; k++) {
        struct ggki_values *v = &out->sides[k];

        v->dequantize = ggki_kern_of(v->type->id, run->isa).dequantize;
        if (v->type->block > out->unit)
            out->unit = v->type->block;
        out->wide = out->wide || v->wide;
    }
    out->span = whole_units(SPAN_NUMBERS, out->unit);
    out->chunk = whole_units(CHUNK_NUMBERS, out->span);
    if (out->to.type != NULL)
        out->extra = (size_t)ggki_values_bytes(out->to.type, out->span);
    return GGK_OK;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Rows that are kept whole are in memory once already, as importances. */
static void make_room_for(struct room *room, const struct ggki_values_item *it)
{
    uint64_t n = it->sides[0].info.n_elements;
    size_t chunk = n < it->chunk ? (size_t)n : it->chunk;

    for (unsigned k = 0; k < it->n_sides; k++)
        room->blocks[k] =
            larger(room->blocks[k],
                   (size_t)ggki_values_bytes(it->sides[k].type, chunk));
    room->numbers = larger(room->numbers, it->span * sizeof(float));
    if (it->wide)
        room->doubles = larger(room->doubles, it->span * sizeof(double));
    room->spare = larger(room->spare, it->extra);
}

/* Name the file of a tensor in an error about it. */
static ggk_status name_file(const struct ggki_values *v, ggk_status status,
                            ggk_error *err)
{
    const char *path = ggki_model_file_of(v->model, v->tensor)->path;

    if (path != NULL)
        ggki_err_set_file(err, path);
    return status;
}

static ggk_status check_data(const struct ggki_values_item *it, ggk_error *err)
{
    for (unsigned k = 0; k < it->n_sides; k++) {
        const struct ggki_values *v = &it->sides[k];

        if (v->info.bytes > 0 && !ggki_values_are_there(v->model, &v->info))
            return name_file(v, ggki_fail_missing(v->model, &v->info, err),
                             err);
    }
    return GGK_OK;
}

/* The models are the same for all items. */
static ggk_status check_overlap(const struct run *run, ggk_error *err)
{
    struct ggki_values_item it;
    ggk_status status;

    if (run->work->n_items == 0)
        return GGK_OK;
    status = item_at(run, 0, &it, err);
    for (unsigned k = 0; k < it.n_sides && status == GGK_OK; k++)
        status = ggki_refuse_overlap(it.sides[k].model, err);
    return status;
}

/* Whole lines of a cache, that no two buffers share. */
static size_t whole_lines(size_t bytes)
{
    const size_t line = 64;

    return (bytes / line + 1) * line;
}

static void add_up_room(struct room *room)
{
    room->blocks[0] = whole_lines(room->blocks[0]);
    room->blocks[1] = whole_lines(room->blocks[1]);
    room->numbers = whole_lines(room->numbers);
    room->doubles = whole_lines(room->doubles);
    room->spare = whole_lines(room->spare);
    room->all = room->blocks[0] + room->blocks[1] + 2 * room->numbers +
                3 * room->doubles + room->spare;
}

/* Look at all items once: what is needed for them, and how much there is. */
static ggk_status measure(struct run *run, ggk_error *err)
{

    for (uint64_t i = 0; i < run->work->n_items; i++) {
        struct ggki_values_item it;
        ggk_status status = item_at(run, i, &it, err);

        if (status == GGK_OK)
            status = check_data(&it, err);
        if (status != GGK_OK)
            return status;
        make_room_for(&run->room, &it);
        if (!ckd_add64(run->total, it.sides[0].info.bytes, &run->total))
            run->total = UINT64_MAX;
        if (!ckd_add64(run->n_numbers, it.sides[0].info.n_elements,
                       &run->n_numbers))
            run->n_numbers = UINT64_MAX;
    }
    add_up_room(&run->room);
    return GGK_OK;
}

/* -------------------------------------------------------------------- parts */

/* Cut the items into parts, up to MOST_PARTS; of one that was begun what is
 * left of it. An item without numbers is one part, too. */
static ggk_status fill_parts(struct run *run, ggk_error *err)
{
    run->n_parts = run->n_items = 0;
    while (run->n_parts < MOST_PARTS && run->next_item < run->work->n_items) {
        struct ggki_values_item *it = &run->items[run->n_items];
        ggk_status status = item_at(run, run->next_item, it, err);
        uint64_t n, at = run->next_number;
        bool last = false;

        if (status != GGK_OK)
            return status;
        n = it->sides[0].info.n_elements;
        while (!last && run->n_parts < MOST_PARTS) {
            uint64_t left = n - at;
            size_t part = left < it->chunk ? (size_t)left : it->chunk;

            last = part == left;
            run->parts[run->n_parts++] =
                (struct part){run->n_items, at, part, last};
            at += part;
        }
        run->n_items++;
        run->next_item += last;
        run->next_number = last ? 0 : at;
    }
    return GGK_OK;
}

static ggk_status read_blocks(const struct ggki_values *v,
                              const struct part *part, uint8_t *out,
                              ggk_error *err)
{
    size_t bytes = (size_t)ggki_values_bytes(v->type, part->n);
    ggk_status status = ggk_model_read_tensor(
        v->model, v->tensor, ggki_values_bytes(v->type, part->at), out, bytes,
        err);

    if (status != GGK_OK)
        return name_file(v, status, err);
    if (v->swap)
        ggki_swap_blocks(v->type, out, part->n / v->type->block);
    return GGK_OK;
}

static ggk_status look_at_part(void *ctx, unsigned thread, uint64_t i,
                               ggk_error *err)
{
    struct run *run = ctx;
    const struct ggki_values_work *work = run->work;
    const struct part *part = &run->parts[i];
    const struct ggki_values_item *it = &run->items[part->item];
    uint8_t *room = run->buffers + thread * run->room.all;
    struct ggki_chunk chunk = {
        .item = it, .loops = run->loops, .at = part->at, .n = part->n};
    ggk_status status = GGK_OK;

    for (unsigned k = 0; k < 2; k++) {
        if (k < it->n_sides && status == GGK_OK)
            status = read_blocks(&it->sides[k], part, room, err);
        chunk.blocks[k] = room;
        room += run->room.blocks[k];
    }
    for (unsigned k = 0; k < 2; k++, room += run->room.numbers)
        chunk.numbers[k] = (float *)(void *)room;
    for (unsigned k = 0; k < 3; k++, room += run->room.doubles)
        chunk.doubles[k] = (double *)(void *)room;
    chunk.spare = room;
    if (status == GGK_OK)
        status = work->look(&chunk, run->found + i * work->part_bytes, err);
    atomic_fetch_add(&run->done, ggki_values_bytes(it->sides[0].type, part->n));
    return status;
}

const float *ggki_chunk_numbers(const struct ggki_chunk *chunk, unsigned side,
                                size_t i, size_t n)
{
    const struct ggki_values *v = &chunk->item->sides[side];

    v->dequantize(chunk->blocks[side] + ggki_values_bytes(v->type, i),
                  chunk->numbers[side], n);
    return chunk->numbers[side];
}

static double double_at(uint32_t type, const uint8_t *p)
{
    switch (type) {
    case GGKI_I32: return (int32_t)load_le32(p);
    case GGKI_I64: return (double)(int64_t)load_le64(p);
    default: return load_f64(p, false);
    }
}

const double *ggki_chunk_doubles(const struct ggki_chunk *chunk, unsigned side,
                                 size_t i, size_t n)
{
    const struct ggki_values *v = &chunk->item->sides[side];
    const uint8_t *p = chunk->blocks[side] + ggki_values_bytes(v->type, i);
    const float *x = v->wide ? NULL : ggki_chunk_numbers(chunk, side, i, n);
    double *out = chunk->doubles[side];

    for (size_t k = 0; k < n; k++)
        out[k] = x != NULL ? (double)x[k]
                           : double_at(v->type->id, p + k * v->type->bytes);
    return out;
}

static ggk_status merge_parts(const struct run *run, ggk_error *err)
{
    const struct ggki_values_work *work = run->work;
    uint8_t *whole = run->found + MOST_PARTS * work->part_bytes;

    for (size_t i = 0; i < run->n_parts; i++) {
        const struct part *part = &run->parts[i];

        if (part->at == 0)
            memset(whole, 0, work->part_bytes);
        work->merge(whole, run->found + i * work->part_bytes);
        if (part->last &&
            !work->done(work->ctx, &run->items[part->item], whole))
            return ggki_fail(err, GGK_E_CANCELLED, "it was cancelled");
    }
    return GGK_OK;
}

/* --------------------------------------------------------------------- work */

static bool tick(void *ctx)
{
    const struct run *run = ctx;
    const ggk_values_opts *opts = &run->work->opts;

    return opts->on_progress == NULL ||
           opts->on_progress(opts->progress_ctx, atomic_load(&run->done),
                             run->total);
}

static ggk_status work_off(struct run *run, ggk_error *err)
{
    ggk_status status = fill_parts(run, err);

    while (status == GGK_OK && run->n_parts > 0) {
        memset(run->found, 0, run->n_parts * run->work->part_bytes);
        status = ggki_pool_run(run->n_threads, run->n_parts, look_at_part, tick,
                               run, err);
        if (status == GGK_OK)
            status = merge_parts(run, err);
        if (status == GGK_OK)
            status = fill_parts(run, err);
    }
    return status;
}

static ggk_status run_in_room(struct run *run, ggk_error *err)
{
    const ggk_allocator *mem = run->work->mem;
    size_t buffers = run->n_threads * run->room.all;
    size_t found = (MOST_PARTS + 1) * run->work->part_bytes;
    ggk_status status;

    run->buffers = ggki_mem_zero(mem, buffers);
    run->found = ggki_mem_resize(mem, NULL, 0, found);
    run->items = ggki_mem_zero(mem, MOST_PARTS * sizeof *run->items);
    run->parts = ggki_mem_zero(mem, MOST_PARTS * sizeof *run->parts);
    if (run->buffers == NULL || run->found == NULL || run->items == NULL ||
        run->parts == NULL)
        status = ggki_fail_memory(err);
    else
        status = work_off(run, err);
    ggki_mem_release(mem, run->parts, MOST_PARTS * sizeof *run->parts);
    ggki_mem_release(mem, run->items, MOST_PARTS * sizeof *run->items);
    ggki_mem_release(mem, run->found, found);
    ggki_mem_release(mem, run->buffers, buffers);
    return status;
}

/* No more threads than there are parts, more or less. */
static unsigned threads_for(const struct run *run)
{
    unsigned n = ggki_pool_threads(run->work->opts.n_threads);
    uint64_t parts = run->n_numbers / CHUNK_NUMBERS;

    if (!ckd_add64(parts, run->work->n_items, &parts) || parts > n)
        return n;
    return parts > 0 ? (unsigned)parts : 1;
}

ggk_status ggki_values_run(const struct ggki_values_work *work, ggk_error *err)
{
    struct run run = {.work = work, .isa = ggki_isa_best()};
    ggk_status status = measure(&run, err);

    if (status == GGK_OK)
        status = check_overlap(&run, err);
    if (status != GGK_OK)
        return status;
    run.n_threads = threads_for(&run);
    run.loops = ggki_loops_of(run.isa);
    return run_in_room(&run, err);
}
