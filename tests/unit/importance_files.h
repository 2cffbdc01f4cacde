/* importance_files.h - for tests: importance matrices, as files of both kinds.
 */
#ifndef TESTS_IMPORTANCE_FILES_H
#define TESTS_IMPORTANCE_FILES_H

#include "bytes.h"

static inline void put_name(struct bytes *b, const char *name)
{
    put_u32(b, (uint32_t)strlen(name));
    put_raw(b, name, strlen(name));
}

/* Two entries, 16 chunks, a dataset: as llama-imatrix wrote them. */
static inline struct bytes importance_dat(void)
{
    struct bytes b = bytes_of(3, false);

    put_u32(&b, 2);
    put_name(&b, "blk.0.attn_q.weight"); /* at 4 */
    put_u32(&b, 4);
    put_u32(&b, 3); /* at 31 */
    put_f32(&b, 1);
    put_f32(&b, 2);
    put_f32(&b, 0.5f);
    put_name(&b, "x"); /* at 47 */
    put_u32(&b, 0);
    put_u32(&b, 1); /* at 56 */
    put_f32(&b, 7);
    put_u32(&b, 16); /* at 64 */
    put_name(&b, "wiki.txt");
    return b; /* 80 bytes */
}

/* One tensor, twice: "x" with a single value. */
static inline struct bytes importance_twice(void)
{
    struct bytes b = bytes_of(3, false);

    put_u32(&b, 2);
    for (int i = 0; i < 2; i++) {
        put_name(&b, "x");
        put_u32(&b, 1);
        put_u32(&b, 1);
        put_f32(&b, 1); /* the second at 34 */
    }
    return b;
}

/* A model of parts, whose data follows. */
struct importances {
    struct bytes b;
    uint64_t n;
    size_t info[8];
    uint64_t off;
};

static inline struct importances importance_draft(uint32_t version, bool big)
{
    struct importances d = {.b = bytes_of(version, big)};

    put_header(&d.b, 0, 4);
    put_kv_str(&d.b, "general.type", "imatrix");
    put_key(&d.b, "imatrix.datasets", V_ARR);
    put_array(&d.b, V_STR, 2);
    put_str(&d.b, "one.txt");
    put_str(&d.b, "two.txt");
    put_kv_u32(&d.b, "imatrix.chunk_count", 16);
    put_kv_u32(&d.b, "imatrix.chunk_size", 512);
    return d;
}

static inline void importance_add(struct importances *d, const char *name,
                                  uint64_t ne0, uint64_t ne1, uint32_t type)
{
    uint64_t ne[] = {ne0, ne1};

    d->info[d->n++] = d->b.n;
    put_info(&d->b, name, 2, ne, type, d->off);
    d->off += (ne0 * ne1 * 4 + 31) / 32 * 32;
}

static inline void importance_end(struct importances *d)
{
    bytes_patch(&d->b, 8, d->n, 8);
    put_padding(&d->b, 32);
}

/* One tensor of two experts, the second never in use, and one of no experts. */
static inline struct importances importance_gguf(uint32_t version, bool big)
{
    struct importances d = importance_draft(version, big);
    const float values[][8] = {{2, 4, 6, 8, 10, 12}, {2, 0}, {9, 3}, {3}};

    importance_add(&d, "a.in_sum2", 3, 2, T_F32);
    importance_add(&d, "a.counts", 1, 2, T_F32);
    importance_add(&d, "b.in_sum2", 2, 1, T_F32);
    importance_add(&d, "b.counts", 1, 1, T_F32);
    importance_end(&d);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 8; j++)
            put_f32(&d.b, values[i][j]);
    return d;
}

#endif
