/* hash_content.c - one digest of what a model is made of, whatever the order of
 * its tensors, their files and its metadata (format 12.1). */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "ops/hash.h"

/* With its NUL: what else is hashed by SHA-256 does not begin so. */
static const char domain[] = "ggufkit content 1";

struct named {
    ggk_str name; /* without the NUL that early writers put at its end */
    uint64_t i;
};

/* ------------------------------------------------------------------ sorting */

static bool is_before(const struct named *a, const struct named *b)
{
    size_t n = a->name.len < b->name.len ? a->name.len : b->name.len;
    int order = n > 0 ? memcmp(a->name.ptr, b->name.ptr, n) : 0;

    return order < 0 || (order == 0 && a->name.len < b->name.len);
}

static void sift(struct named *at, size_t root, size_t n)
{
    struct named value = at[root];

    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && is_before(&at[child], &at[child + 1]))
            child++;
        if (!is_before(&value, &at[child]))
            break;
        at[root] = at[child];
    }
    at[root] = value;
}

/* A heap sort: no order makes it slow. */
static void sort_by_name(struct named *at, size_t n)
{
    for (size_t i = n / 2; i > 0; i--)
        sift(at, i - 1, n);
    for (; n > 1; n--) {
        struct named last = at[0];
        at[0] = at[n - 1];
        at[n - 1] = last;
        sift(at, 0, n - 1);
    }
}

/* ------------------------------------------------------------------ hashing */

static void put_u64(uint8_t *out, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(v >> (8 * i));
}

static void put_u32(uint8_t *out, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(v >> (8 * i));
}

/* All but the name and the digest of a tensor; the length. */
static size_t describe(uint8_t *out, const ggk_tensor *t)
{
    uint32_t n_dims = t->n_dims;
    size_t n = 8;

    /* As ggml does: a row is a matrix of one row. */
    while (n_dims > 0 && t->ne[n_dims - 1] == 1)
        n_dims--;
    put_u32(out, t->type);
    put_u32(out + 4, n_dims);
    for (uint32_t d = 0; d < n_dims; d++, n += 8)
        put_u64(out + n, t->ne[d]);
    put_u64(out + n, t->bytes);
    return n + 8;
}

static bool add_tensor(struct ggki_hasher *hasher, const struct named *named,
                       const ggk_tensor *t, const uint8_t *digest)
{
    uint8_t buf[8 + GGK_MAX_DIMS * 8 + 8], len[8];
    size_t n = describe(buf, t);

    put_u64(len, named->name.len);
    return ggki_hasher_update(hasher, len, sizeof len) &&
           ggki_hasher_update(hasher, named->name.ptr, named->name.len) &&
           ggki_hasher_update(hasher, buf, n) &&
           ggki_hasher_update(hasher, digest, ggk_algo_bytes(GGK_ALGO_SHA256));
}

static bool add_head(struct ggki_hasher *hasher, uint64_t n_tensors)
{
    uint8_t n[8];

    put_u64(n, n_tensors);
    return ggki_hasher_begin(hasher) &&
           ggki_hasher_update(hasher, domain, sizeof domain) &&
           ggki_hasher_update(hasher, n, sizeof n);
}

static ggk_status add_all(const struct ggki_hash *hash,
                          struct ggki_hasher *hasher, const struct named *list,
                          ggk_error *err)
{
    struct ggk_digests *out = hash->out;
    bool good = add_head(hasher, out->n_tensors);

    for (uint64_t i = 0; i < out->n_tensors && good; i++) {
        ggk_tensor t;
        ggk_status status = ggk_model_tensor(hash->model, list[i].i, &t, err);
        if (status != GGK_OK)
            return status;
        good = add_tensor(hasher, &list[i], &t,
                          ggki_tensor_digest(out, list[i].i, GGK_ALGO_SHA256));
    }
    if (!good || !ggki_hasher_end(hasher, out->model[GGK_ALGO_CONTENT]))
        return ggki_hasher_fail(hasher, err);
    return GGK_OK;
}

static ggk_status list_names(const struct ggki_hash *hash, struct named *list,
                             ggk_error *err)
{
    for (uint64_t i = 0; i < hash->out->n_tensors; i++) {
        ggk_tensor t;
        ggk_status status = ggk_model_tensor(hash->model, i, &t, err);
        if (status != GGK_OK)
            return status;
        if (t.name.len > 0 && t.name.ptr[t.name.len - 1] == '\0')
            t.name.len--;
        list[i] = (struct named){t.name, i};
    }
    return GGK_OK;
}

static ggk_status hash_sorted(const struct ggki_hash *hash, struct named *list,
                              ggk_error *err)
{
    const ggk_allocator *mem = &hash->out->mem;
    struct ggki_hasher hasher;
    ggk_status status = list_names(hash, list, err);

    if (status != GGK_OK)
        return status;
    sort_by_name(list, (size_t)hash->out->n_tensors);
    status = ggki_hasher_init(&hasher, GGK_ALGO_SHA256, &hash->sha, mem, err);
    if (status != GGK_OK)
        return status;
    status = add_all(hash, &hasher, list, err);
    ggki_hasher_free(&hasher, mem);
    return status;
}

ggk_status ggki_hash_content(const struct ggki_hash *hash, ggk_error *err)
{
    const ggk_allocator *mem = &hash->out->mem;
    size_t bytes;
    struct named *list;
    ggk_status status;

    if (hash->out->n_tensors > SIZE_MAX / sizeof *list - 1)
        return ggki_fail_memory(err);
    bytes = ((size_t)hash->out->n_tensors + 1) * sizeof *list;
    list = ggki_mem_resize(mem, NULL, 0, bytes);
    if (list == NULL)
        return ggki_fail_memory(err);
    status = hash_sorted(hash, list, err);
    ggki_mem_release(mem, list, bytes);
    return status;
}
