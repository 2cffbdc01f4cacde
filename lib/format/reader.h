/* reader.h - from the bytes of one GGUF to a checked table of its entries.
 *
 * Only the position of each entry is kept, 8 bytes for a key or tensor: the
 * entry is decoded again when it is asked for, and checked again too, since
 * the file may be a map that another process writes to.
 */
#ifndef GGKI_READER_H
#define GGKI_READER_H

#include "base/mem.h"
#include "base/namemap.h"
#include "format/cursor.h"

struct ggki_gguf {
    ggk_source *source; /* owned */
    ggk_allocator mem;
    const ggk_type_table *types;
    struct ggki_image image; /* header, key-values, tensor infos */
    uint64_t base_off;
    uint64_t size; /* of the GGUF: to the end of the file, or unknown */
    uint32_t version;
    bool big;
    bool swapped_magic;
    uint64_t alignment;
    uint64_t align_kv;  /* the key it is from, GGK_NONE if it is the default; */
    uint64_t align_pos; /* where its value is */
    uint64_t n_kv;
    uint64_t n_tensors;

    /* Positions from the start of the GGUF. */
    struct ggki_u64s kv_pos;   /* n_kv + 1, the last one the end */
    struct ggki_u64s info_pos; /* n_tensors + 1, likewise */
    struct ggki_u64s marks;    /* every GGKI_MARK_STEP-th string of an array */
    uint64_t data_pos;
    uint64_t data_end;

    struct ggki_namemap keys;
    bool judging; /* errors were gone past, and kept: */
    struct ggki_problems problems;
    bool cut;          /* no entry could be read after the last problem */
    bool keys_cut;     /* which was in the key-values */
    uint64_t n_opaque; /* tensors of unknown layout */
    struct ggki_u64s offsets; /* of all tensors, sorted, if n_opaque > 0 */
    uint64_t first_missing;   /* GGK_NONE if none */
};

/* A string of an array is found from the mark before it, in as many hops at
 * most. */
#define GGKI_MARK_STEP 16384

/* A key-value's head, positions as above. */
struct ggki_kv {
    uint64_t key_pos, key_len;
    uint64_t type_pos;
    uint64_t value_pos; /* of an array: of its first element */
    uint32_t type;
    uint32_t elem_type;
    uint64_t n;
};

/* A tensor info. */
struct ggki_info {
    uint64_t name_pos, name_len;
    uint64_t ne_pos, offset_pos;
    uint32_t n_dims;
    uint32_t type;
    uint64_t ne[GGK_MAX_DIMS];
    uint64_t n_elements;
    uint64_t offset;
    uint64_t bytes; /* 0 if the type is opaque */
    bool opaque; /* the size is not known: the type is not, or it is broken */
};

/* Read the header of `source`, which the result owns from now on, also after a
 * failure: ggki_gguf_close frees both. `path` may be NULL; it only helps to
 * say what a file is that is no GGUF. `opts` must be complete (no field 0 that
 * stands for a default). */
ggk_status ggki_gguf_open(struct ggki_gguf *gguf, ggk_source *source,
                          const char *path, const ggk_open_opts *opts,
                          ggk_error *err);
void ggki_gguf_close(struct ggki_gguf *gguf);

/* The same for a judge, who wants to see all that is wrong: errors are kept in
 * `problems`, and as much is read as can be. A tensor whose size makes no sense
 * becomes opaque, an alignment that is none becomes the default, and after an
 * error that hides where the next entry begins there are no more entries. Fails
 * only where the fixed header cannot be read. */
ggk_status ggki_gguf_judge(struct ggki_gguf *gguf, ggk_source *source,
                           const char *path, const ggk_open_opts *opts,
                           ggk_error *err);

/* Decode entry `i` once more; false if it no longer is what it was. */
bool ggki_gguf_kv(const struct ggki_gguf *gguf, uint64_t i,
                  struct ggki_kv *out);
bool ggki_gguf_info(const struct ggki_gguf *gguf, uint64_t i,
                    struct ggki_info *out);

/* The name of tensor `i` alone. */
bool ggki_gguf_tensor_name(const struct ggki_gguf *gguf, uint64_t i,
                           ggk_str *out);

/* A string at or before number `i` of the array of strings that starts at `pos`
 * and ends at `end`: its number, and its position into `*pos`. */
uint64_t ggki_gguf_mark(const struct ggki_gguf *gguf, uint64_t i, uint64_t *pos,
                        uint64_t end);

/* Bytes of an opaque tensor: up to the next tensor's offset, or the end of the
 * file. */
uint64_t ggki_gguf_opaque_bytes(const struct ggki_gguf *gguf, uint64_t offset);

/* Key-value with that key, or GGK_NONE. */
uint64_t ggki_gguf_find(const struct ggki_gguf *gguf, ggk_str key,
                        bool *repeats);

/* Bytes [pos, pos + len) of the image. */
static inline ggk_str ggki_gguf_bytes(const struct ggki_gguf *gguf,
                                      uint64_t pos, uint64_t len)
{
    return (ggk_str){(const char *)gguf->image.base + pos, (size_t)len};
}

/* One scalar of `type` at `pos`, which may take bytes up to `end`; false if it
 * does not fit. `*next` is the position after it. */
bool ggki_gguf_scalar(const struct ggki_gguf *gguf, uint32_t type, uint64_t pos,
                      uint64_t end, ggk_value *out, uint64_t *next);

/* The head of an array at `pos`. */
bool ggki_gguf_array(const struct ggki_gguf *gguf, uint64_t pos, uint64_t end,
                     uint32_t *elem_type, uint64_t *n, uint64_t *next);

/* What a file is that does not begin as a GGUF, by its bytes from `base_off` on
 * (at least one) and its name (may be NULL): a sentence of ASCII into `out`. */
void ggki_sniff(const uint8_t *head, size_t bytes, uint64_t base_off,
                const char *path, char *out, size_t out_bytes);

/* Is this the name of a piece of a file that was cut up: x.gguf.part1of2,
 * x-split-a, x.gguf.aa? */
bool ggki_is_cut_name(const char *path);

#endif
