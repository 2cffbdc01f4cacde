/* loader.c - foretells what llama.cpp's loader does with a file.
 *
 * A model of gguf_init_from_file in ggml's gguf.cpp (v0.5.0 of llama.cpp, ggml
 * 0.25.1): its checks in its order and with its arithmetic, which wraps around
 * where ours does not. It takes files that should not be taken, and that is
 * what users need to know.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/gguf_layout.h"
#include "format/types.h"
#include "model/check.h"

#define LOADER_MAX_STRING_BYTES (UINT64_C(1) << 30)
#define LOADER_MAX_ELEMENTS     (UINT64_C(1) << 30)
#define LOADER_MAX_NAME_BYTES   63
#define LOADER_MAX_DIMS         4

struct loader {
    const struct ggki_gguf *g;
    bool names_unique; /* of all tensors, as our map counts them */
    bool no_memory;
    uint64_t align_i; /* the first key that C takes for general.alignment */
    struct ggki_kv align_kv;
    uint64_t alignment;
    char *reason;
    size_t reason_bytes;
};

static bool refuse(const struct loader *l, const char *why, ...)
    GGKI_FORMAT(2, 3);

static bool refuse(const struct loader *l, const char *why, ...)
{
    va_list args;

    va_start(args, why);
    vsnprintf(l->reason, l->reason_bytes, why, args);
    va_end(args);
    return false;
}

/* As C takes it: up to the first NUL. */
static ggk_str cut_at_nul(ggk_str s)
{
    const char *nul = memchr(s.ptr, 0, s.len);

    if (nul != NULL)
        s.len = (size_t)(nul - s.ptr);
    return s;
}

static bool key_at(const struct ggki_gguf *g, uint64_t i, struct ggki_kv *kv,
                   ggk_str *key)
{
    if (!ggki_gguf_kv(g, i, kv))
        return false;
    *key = ggki_gguf_bytes(g, kv->key_pos, kv->key_len);
    return true;
}

/* -------------------------------------------------------------- key-values */

/* Has key `i` just the bytes of an earlier one? Our map takes names that differ
 * in a final NUL as equal; the loader does not. So a name has two spellings:
 * that of the first key, and another, which is noted in `seen`. */
static bool key_repeats(const struct ggki_gguf *g, uint64_t i, ggk_str key,
                        bool *seen)
{
    bool repeats;
    uint64_t first = ggki_gguf_find(g, key, &repeats);
    struct ggki_kv kv;
    ggk_str other;

    if (first >= i || !key_at(g, first, &kv, &other))
        return false;
    if (ggki_str_same(key, other) || seen[first])
        return true;
    seen[first] = true;
    return false;
}

/* The first key that an earlier one equals, or GGK_NONE. */
static uint64_t first_key_repeat(struct loader *l)
{
    const struct ggki_gguf *g = l->g;
    uint64_t found = GGK_NONE;
    bool *seen;

    if (g->keys.n_repeats == 0)
        return GGK_NONE;
    seen = ggki_mem_zero(&g->mem, (size_t)g->n_kv * sizeof *seen);
    if (seen == NULL) {
        l->no_memory = true;
        return GGK_NONE;
    }
    for (uint64_t i = 0; i < g->n_kv && found == GGK_NONE; i++) {
        struct ggki_kv kv;
        ggk_str key;
        if (key_at(g, i, &kv, &key) && key_repeats(g, i, key, seen))
            found = i;
    }
    ggki_mem_release(&g->mem, seen, (size_t)g->n_kv * sizeof *seen);
    return found;
}

/* Are strings all shorter than the loader's limit? Only a file of over 1 GiB
 * can hold a longer one. */
static bool strings_fit(const struct ggki_gguf *g, const struct ggki_kv *kv,
                        uint64_t end)
{
    uint64_t pos = kv->value_pos;
    ggk_value v;

    if (kv->elem_type != GGK_VALUE_STRING ||
        end - pos <= LOADER_MAX_STRING_BYTES)
        return true;
    while (ggki_gguf_scalar(g, GGK_VALUE_STRING, pos, end, &v, &pos))
        if (v.as.s.len > LOADER_MAX_STRING_BYTES)
            return false;
    return true;
}

static bool take_keys(struct loader *l)
{
    const ggk_str alignment = ggk_cstr("general.alignment");
    const struct ggki_gguf *g = l->g;
    uint64_t repeat = first_key_repeat(l);

    for (uint64_t i = 0; i < g->n_kv; i++) {
        struct ggki_kv kv;
        ggk_str key;

        if (!key_at(g, i, &kv, &key))
            return refuse(l, "key %llu changed", (unsigned long long)i);
        if (key.len == 0)
            return refuse(l, "key %llu is empty", (unsigned long long)i);
        if (key.len > LOADER_MAX_STRING_BYTES)
            return refuse(l, "key %llu is over 1 GiB", (unsigned long long)i);
        if (i == repeat)
            return refuse(l, "key %llu is a duplicate", (unsigned long long)i);
        if (kv.type == GGK_VALUE_ARRAY && kv.elem_type == GGK_VALUE_ARRAY)
            return refuse(l, "key %llu has an array of arrays",
                          (unsigned long long)i);
        if (kv.n > LOADER_MAX_ELEMENTS)
            return refuse(l, "key %llu has over 2^30 elements",
                          (unsigned long long)i);
        if (!strings_fit(g, &kv, g->kv_pos.at[i + 1]))
            return refuse(l, "key %llu has a string of over 1 GiB",
                          (unsigned long long)i);
        if (l->align_i == GGK_NONE &&
            ggki_str_same(cut_at_nul(key), alignment)) {
            l->align_i = i;
            l->align_kv = kv;
        }
    }
    return true;
}

/* Of the first key that C takes for general.alignment. */
static bool take_alignment(struct loader *l)
{
    const struct ggki_gguf *g = l->g;
    struct ggki_kv *kv = &l->align_kv;
    ggk_value v;
    uint64_t next;

    l->alignment = GGUF_DEFAULT_ALIGNMENT;
    if (l->align_i == GGK_NONE)
        return true;
    if (kv->type != GGK_VALUE_UINT32)
        return refuse(l, "general.alignment (key %llu) is no UINT32",
                      (unsigned long long)l->align_i);
    if (!ggki_gguf_scalar(g, kv->type, kv->value_pos,
                          g->kv_pos.at[l->align_i + 1], &v, &next))
        return refuse(l, "key %llu changed", (unsigned long long)l->align_i);
    if (v.as.u == 0 || (v.as.u & (v.as.u - 1)) != 0)
        return refuse(l, "general.alignment %llu is no power of two",
                      (unsigned long long)v.as.u);
    l->alignment = v.as.u;
    return true;
}

/* ------------------------------------------------------------ tensor infos */

static bool loader_name(const void *owner, uint64_t i, ggk_str *out)
{
    ggk_str name;

    if (!ggki_gguf_tensor_name(owner, i, &name))
        return false;
    *out = cut_at_nul(name);
    return true;
}

static bool has_nul_name(const struct ggki_gguf *g)
{
    for (uint64_t i = 0; i < g->n_tensors; i++) {
        ggk_str name;
        if (ggki_gguf_tensor_name(g, i, &name) &&
            cut_at_nul(name).len < name.len)
            return true;
    }
    return false;
}

/* The first tensor whose name, up to a NUL, an earlier one has; GGK_NONE. */
static uint64_t first_name_repeat(struct loader *l)
{
    const struct ggki_gguf *g = l->g;
    uint64_t seed[2];
    struct ggki_namemap names;
    uint64_t found = GGK_NONE;
    ggk_status status;

    if (l->names_unique && !has_nul_name(g))
        return GGK_NONE;
    ggki_namemap_random_seed(seed);
    status =
        ggki_namemap_build(&names, &g->mem, seed, g->n_tensors, loader_name, g);
    if (status == GGK_E_NOMEM)
        l->no_memory = true;
    for (uint64_t i = 0; i < g->n_tensors && found == GGK_NONE; i++) {
        bool repeats;
        ggk_str name;
        if (loader_name(g, i, &name) &&
            ggki_namemap_find(&names, g, name, &repeats) < i)
            found = i;
    }
    ggki_namemap_free(&names, &g->mem);
    return found;
}

/* The guard against overflow, which a product that wraps to 0 or below skips.
 */
static bool elements_fit(const uint64_t *ne)
{
    uint64_t product = ne[0] * ne[1] * ne[2] * ne[3];

    if (product == 0 || product > INT64_MAX)
        return true;
    return INT64_MAX / ne[1] > ne[0] && INT64_MAX / ne[2] > ne[0] * ne[1] &&
           INT64_MAX / ne[3] > ne[0] * ne[1] * ne[2];
}

/* The elements divided by the block, as signed numbers are. */
static uint64_t blocks_of(const struct ggki_info *info, uint64_t block)
{
    uint64_t product = info->ne[0] * info->ne[1] * info->ne[2] * info->ne[3];

    return product <= INT64_MAX ? product / block : 0 - (0 - product) / block;
}

static bool take_info(const struct loader *l, uint64_t i,
                      const struct ggki_info *info)
{
    const ggk_type_info *type = ggk_type_by_id(info->type);

    if (info->name_len > LOADER_MAX_NAME_BYTES)
        return refuse(l, "the name of tensor %llu has over 63 bytes",
                      (unsigned long long)i);
    if (info->n_dims > LOADER_MAX_DIMS)
        return refuse(l, "tensor %llu has over 4 dimensions",
                      (unsigned long long)i);
    for (uint32_t d = 0; d < info->n_dims; d++)
        if (info->ne[d] > INT64_MAX)
            return refuse(l, "a dimension of tensor %llu is negative",
                          (unsigned long long)i);
    if (!elements_fit(info->ne))
        return refuse(l, "the elements of tensor %llu overflow",
                      (unsigned long long)i);
    if (ggki_type_is_opaque(type))
        return refuse(l, "the type of tensor %llu is not known",
                      (unsigned long long)i);
    if (info->ne[0] % type->block != 0)
        return refuse(l, "the rows of tensor %llu are no whole blocks",
                      (unsigned long long)i);
    if (blocks_of(info, type->block) > UINT64_MAX / type->bytes)
        return refuse(l, "the bytes of tensor %llu overflow",
                      (unsigned long long)i);
    return true;
}

/* ggml_nbytes, wrapping as it does. */
static uint64_t loader_bytes(const struct ggki_info *info)
{
    const ggk_type_info *type = ggk_type_by_id(info->type);
    uint64_t stride = type->bytes;
    uint64_t bytes;

    for (uint32_t d = 0; d < LOADER_MAX_DIMS; d++)
        if (info->ne[d] == 0)
            return 0;
    if (type->block == 1)
        bytes = type->bytes + (info->ne[0] - 1) * stride;
    else
        bytes = info->ne[0] * stride / type->block;
    stride *= info->ne[0] / type->block;
    for (uint32_t d = 1; d < LOADER_MAX_DIMS; d++) {
        bytes += (info->ne[d] - 1) * stride;
        stride *= info->ne[d];
    }
    return bytes;
}

/* Put tensor `i` after the data so far, which is `*data_bytes`. */
static bool place_info(const struct loader *l, uint64_t i,
                       const struct ggki_info *info, uint64_t *data_bytes)
{
    uint64_t padded =
        (loader_bytes(info) + l->alignment - 1) & ~(l->alignment - 1);

    if (info->offset != *data_bytes)
        return refuse(l, "tensor %llu does not start where the one before ends",
                      (unsigned long long)i);
    if (padded > UINT64_MAX - *data_bytes)
        return refuse(l, "the data up to tensor %llu overflows",
                      (unsigned long long)i);
    *data_bytes += padded;
    return true;
}

/* The infos; `*data_bytes` is what the loader thinks the data takes. It looks
 * at places only when all infos are taken, so an info that is refused is the
 * reason, also after one that is misplaced. */
static bool take_infos(struct loader *l, uint64_t *data_bytes)
{
    const struct ggki_gguf *g = l->g;
    uint64_t repeat = first_name_repeat(l);
    bool placed = true;

    *data_bytes = 0;
    for (uint64_t i = 0; i < g->n_tensors; i++) {
        struct ggki_info info;
        if (!ggki_gguf_info(g, i, &info))
            return refuse(l, "tensor %llu changed", (unsigned long long)i);
        if (i == repeat)
            return refuse(l, "the name of tensor %llu is a duplicate",
                          (unsigned long long)i);
        if (!take_info(l, i, &info))
            return false;
        placed = placed && place_info(l, i, &info, data_bytes);
    }
    return placed;
}

/* ----------------------------------------------------------------- verdict */

static bool take_header(const struct loader *l)
{
    const struct ggki_gguf *g = l->g;

    if (g->swapped_magic)
        return refuse(l, "the magic is FUGG");
    if (g->big)
        return refuse(l, "the file is big-endian");
    if (g->version == 1)
        return refuse(l, "version 1 is no longer supported");
    return true;
}

static ggk_loads loader_verdict(struct loader *l)
{
    const struct ggki_gguf *g = l->g;
    uint64_t start, data_bytes;

    if (!take_header(l) || !take_keys(l) || !take_alignment(l) ||
        !take_infos(l, &data_bytes))
        return GGK_LOADS_NOT;
    if (g->cut) {
        refuse(l, "the header cannot be read to its end");
        return GGK_LOADS_NOT;
    }
    start =
        (g->info_pos.at[g->n_tensors] + l->alignment - 1) & ~(l->alignment - 1);
    if (g->n_tensors == 0)
        return GGK_LOADS_ALL;
    if (g->size == GGK_SIZE_UNKNOWN) {
        refuse(l, "if its data is whole, which a stream does not tell");
        return GGK_LOADS_ALL;
    }
    if (start > g->size) {
        refuse(l, "the data would start past the end of the file");
        return GGK_LOADS_NOT;
    }
    if (data_bytes > g->size - start) {
        refuse(l, "the file is too short for the data and its padding");
        return GGK_LOADS_METADATA;
    }
    return GGK_LOADS_ALL;
}

bool ggki_loader_verdict(const ggk_model *model, const struct ggki_gguf *gguf,
                         ggk_loads *out, char *reason, size_t reason_bytes)
{
    struct loader l = {
        .g = gguf,
        .names_unique = model->tensors.n_repeats == 0,
        .align_i = GGK_NONE,
        .reason = reason,
        .reason_bytes = reason_bytes,
    };

    reason[0] = '\0';
    *out = loader_verdict(&l);
    return !l.no_memory;
}
