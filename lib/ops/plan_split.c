/* plan_split.c - one file becomes the shards of a set, as llama-gguf-split
 * makes them, but by the sizes of whole files (llama.cpp tools/gguf-split). */
#include <stdio.h>
#include <string.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/opts.h"
#include "format/gguf_layout.h"
#include "model/model.h"
#include "ops/plan.h"

#define MAX_SHARDS  65535      /* split.count is a UINT16, */
#define MAX_TENSORS 0x7fffffff /* split.tensors.count an INT32 */

/* ---------------------------------------------------------------- their keys
 */

/* Some writers qualify the keys of a set by the architecture's name. */
ggk_str ggki_plan_architecture(const struct ggki_plan_file *file)
{
    size_t i = 0, count;
    const struct ggki_stored_value *value;

    if (!ggki_plan_find_kv(file, ggk_cstr("general.architecture"), &i) ||
        file->kvs[i].value.type != GGK_VALUE_STRING)
        return (ggk_str){NULL, 0};
    value = &file->kvs[i].value;
    count = gguf_count_bytes(value->encoding.version);
    if (value->n_bytes < count)
        return (ggk_str){NULL, 0};
    return (ggk_str){(const char *)value->bytes + count,
                     (size_t)value->n_bytes - count};
}

static bool is_any_split_key(const void *ctx, ggk_str key)
{
    return ggk_is_split_key(key, *(const ggk_str *)ctx);
}

static bool is_other_split_key(const void *ctx, ggk_str key)
{
    bool standard = key.len > 6 && memcmp(key.ptr, "split.", 6) == 0;

    return !standard && is_any_split_key(ctx, key);
}

static ggk_status number_shard(ggk_plan *plan, uint32_t no, uint64_t n_tensors,
                               ggk_error *err)
{
    struct ggki_plan_file *f = &plan->files[no];
    ggk_str architecture = ggki_plan_architecture(f);
    ggk_status status;

    /* The standard ones get their new values in their places; new ones come in
     * the order of llama-gguf-split. */
    ggki_plan_drop_kvs(plan, f, is_other_split_key, &architecture);
    status =
        ggki_plan_set_integer(plan, f, "split.no", GGK_VALUE_UINT16, no, err);
    if (status == GGK_OK)
        status = ggki_plan_set_integer(plan, f, "split.tensors.count",
                                       GGK_VALUE_INT32, n_tensors, err);
    if (status == GGK_OK)
        status = ggki_plan_set_integer(plan, f, "split.count", GGK_VALUE_UINT16,
                                       plan->n_files, err);
    return status;
}

static void remove_split_keys(ggk_plan *plan, struct ggki_plan_file *f)
{
    ggk_str architecture = ggki_plan_architecture(f);

    ggki_plan_drop_kvs(plan, f, is_any_split_key, &architecture);
}

static ggk_status number_all(ggk_plan *plan, ggk_error *err)
{
    uint64_t n_tensors = 0;
    ggk_status status = GGK_OK;

    for (uint32_t i = 0; i < plan->n_files; i++)
        n_tensors += plan->files[i].n_tensors;
    if (plan->n_files > MAX_SHARDS || n_tensors > MAX_TENSORS)
        return ggki_fail(err, GGK_E_LIMIT,
                         "%lu shards of %llu tensors are more than the keys of "
                         "a set can say",
                         (unsigned long)plan->n_files,
                         (unsigned long long)n_tensors);
    for (uint32_t i = 0; i < plan->n_files && status == GGK_OK; i++)
        status = number_shard(plan, i, n_tensors, err);
    return status;
}

ggk_status ggk_plan_number_shards(ggk_plan *plan, ggk_error *err)
{
    ggk_status status = ggki_plan_is_gguf(plan, err);

    if (status != GGK_OK)
        return status;
    if (plan->n_files != 1)
        return ggki_plan_filled(plan, number_all(plan, err));
    remove_split_keys(plan, &plan->files[0]);
    return GGK_OK;
}

/* --------------------------------------------------------------- distribution
 */

/* Where to cut: the shards that there are so far, and the last one's size. */
struct cutting {
    ggk_plan *plan;
    const ggk_split_opts *opts;
    uint64_t alignment;
    uint64_t first_head;     /* of the first shard, without its tensor infos */
    uint64_t other_head;     /* of each other */
    struct ggki_u64s firsts; /* first tensor of each shard */
    uint64_t n;              /* in the last shard: tensors, */
    uint64_t head, data;     /* bytes of its header and data */
};

static bool begin_shard(struct cutting *c, uint64_t first)
{
    c->head = c->firsts.n == 0 ? c->first_head : c->other_head;
    c->data = 0;
    c->n = 0;
    return ggki_u64s_push(&c->firsts, &c->plan->mem, first);
}

/* The size that the last shard would have with a tensor of these `bytes` and
 * `info` bytes. */
static uint64_t size_with(const struct cutting *c, uint64_t bytes,
                          uint64_t info)
{
    uint64_t size = 0, padded = 0;

    if (!ckd_align64(bytes, c->alignment, &padded) ||
        !ckd_align64(c->head + info, c->alignment, &size) ||
        !ckd_add64(size, c->data, &size) || !ckd_add64(size, padded, &size))
        return UINT64_MAX;
    return size;
}

/* Does such a tensor begin a new shard? */
static bool cuts(const struct cutting *c, uint64_t bytes, uint64_t info)
{
    const ggk_split_opts *opts = c->opts;

    if (opts->max_tensors > 0 && c->n == opts->max_tensors)
        return true;
    /* The first may stay without tensors, if that gains anything. */
    return opts->max_bytes > 0 && size_with(c, bytes, info) > opts->max_bytes &&
           (c->n > 0 || (c->firsts.n == 1 && c->first_head > c->other_head));
}

static ggk_status cut(struct cutting *c, ggk_error *err)
{
    const struct ggki_plan_file *f = &c->plan->files[0];
    bool room = begin_shard(c, 0);

    for (size_t i = 0; i < f->n_tensors && room; i++) {
        struct ggki_plan_tensor t;
        uint64_t info, padded = 0;

        if (!ggki_plan_tensor_at(f, i, &t))
            return ggki_fail_changed(err);
        info = ggki_plan_info_bytes(&t);
        if (cuts(c, t.bytes, info) || (i == 0 && c->opts->no_tensor_first))
            room = begin_shard(c, i);
        c->n++;
        c->head += info;
        if (ckd_align64(t.bytes, c->alignment, &padded))
            (void)ckd_add64(c->data, padded, &c->data);
        if (c->firsts.n > MAX_SHARDS)
            return ggki_fail(err, GGK_E_LIMIT,
                             "these limits make more than %d shards",
                             MAX_SHARDS);
    }
    return room ? GGK_OK : ggki_fail_memory(err);
}

/* The bytes of a key-value of fixed size. */
static uint64_t fixed_kv_bytes(const char *key, uint32_t type)
{
    return 8 + strlen(key) + 4 + ggk_value_type_bytes(type);
}

static ggk_status measure_heads(struct cutting *c, ggk_error *err)
{
    struct ggki_plan_file *f = &c->plan->files[0];
    uint64_t keys = fixed_kv_bytes("split.no", GGK_VALUE_UINT16) +
                    fixed_kv_bytes("split.count", GGK_VALUE_UINT16) +
                    fixed_kv_bytes("split.tensors.count", GGK_VALUE_INT32);
    ggk_status status;

    remove_split_keys(c->plan, f);
    status = ggki_plan_lay_out(&c->plan->mem, f, err);
    if (status != GGK_OK)
        return status;
    c->alignment = f->alignment;
    c->first_head = f->info_off + keys;
    c->other_head = GGKI_PLAN_HEAD_BYTES + keys;
    if (c->alignment != GGUF_DEFAULT_ALIGNMENT)
        c->other_head += fixed_kv_bytes(GGUF_ALIGNMENT_KEY, GGK_VALUE_UINT32);
    return GGK_OK;
}

/* ------------------------------------------------------------------- shards */

/* The name of shard `no`, a string of the plan's; NULL: no memory. */
static char *shard_path(const ggk_allocator *mem, const char *prefix,
                        uint32_t no, uint32_t count)
{
    struct ggki_shard_name name = {strlen(prefix), no + 1, count};
    size_t room = name.prefix_len + GGKI_SHARD_SUFFIX_BYTES;
    char *buffer = ggki_mem_resize(mem, NULL, 0, room), *path;

    if (buffer == NULL)
        return NULL;
    ggki_shard_name_format(buffer, prefix, &name);
    path = ggki_mem_string(mem, buffer, strlen(buffer));
    ggki_mem_release(mem, buffer, room);
    return path;
}

static void release_path(const ggk_allocator *mem, char *path)
{
    if (path != NULL)
        ggki_mem_release(mem, path, strlen(path) + 1);
}

ggk_status ggki_plan_add_shard(ggk_plan *plan, const char *prefix, uint32_t no,
                               uint32_t count, uint64_t alignment,
                               ggk_error *err)
{
    char *path = shard_path(&plan->mem, prefix, no, count);
    struct ggki_plan_file *f =
        path != NULL ? ggki_plan_add_file(plan, path) : NULL;

    release_path(&plan->mem, path);
    if (f == NULL)
        return ggki_fail_memory(err);
    f->version = plan->files[0].version;
    f->big = plan->files[0].big;
    if (alignment == GGUF_DEFAULT_ALIGNMENT)
        return GGK_OK;
    if (alignment > UINT32_MAX)
        return ggki_fail(err, GGK_E_ALIGN, "an alignment of %llu is too large",
                         (unsigned long long)alignment);
    return ggki_plan_set_integer(plan, f, GGUF_ALIGNMENT_KEY, GGK_VALUE_UINT32,
                                 alignment, err);
}

/* Move tensors [first, end) of file 0 to the last file. */
static ggk_status move_tensors(ggk_plan *plan, uint64_t first, uint64_t end,
                               ggk_error *err)
{
    struct ggki_plan_file *from = &plan->files[0];
    struct ggki_plan_file *to = &plan->files[plan->n_files - 1];
    ggk_status status = GGK_OK;

    for (uint64_t i = first; i < end && status == GGK_OK; i++)
        status = ggki_plan_add_item(plan, to, &from->tensors[i], err);
    return status;
}

/* Only `n` tensors stay in the first file, from which the others have theirs.
 */
static ggk_status keep_first(ggk_plan *plan, size_t n, ggk_error *err)
{
    struct ggki_plan_file *f = &plan->files[0];
    size_t bytes = f->tensor_capacity * sizeof *f->tensors;
    struct ggki_plan_item *kept =
        ggki_mem_resize(&plan->mem, f->tensors, bytes, (n + 1) * sizeof *kept);

    if (kept == NULL)
        return ggki_fail_memory(err);
    f->tensors = kept;
    f->tensor_capacity = n + 1;
    f->n_tensors = n;
    f->laid_out = false;
    ggki_plan_forget(plan, &f->names);
    return GGK_OK;
}

ggk_status ggki_plan_name_first(ggk_plan *plan, const char *prefix,
                                uint32_t count, ggk_error *err)
{
    char *path = shard_path(&plan->mem, prefix, 0, count);

    if (path == NULL)
        return ggki_fail_memory(err);
    release_path(&plan->mem, plan->files[0].path);
    plan->files[0].path = path;
    return GGK_OK;
}

static ggk_status make_shard(struct cutting *c, const char *prefix, uint32_t no,
                             ggk_error *err)
{
    ggk_plan *plan = c->plan;
    uint32_t count = (uint32_t)c->firsts.n;
    ggk_status status = no == 0 ? ggki_plan_name_first(plan, prefix, count, err)
                                : ggki_plan_add_shard(plan, prefix, no, count,
                                                      c->alignment, err);

    if (status != GGK_OK || no == 0)
        return status;
    return move_tensors(
        plan, c->firsts.at[no],
        no + 1 < count ? c->firsts.at[no + 1] : plan->files[0].n_tensors, err);
}

ggk_status ggk_plan_split(ggk_plan *plan, const char *prefix,
                          const ggk_split_opts *opts, ggk_error *err)
{
    ggk_split_opts taken;
    struct cutting c = {.plan = plan, .opts = &taken};
    ggk_status status = ggki_opts_take(&taken, sizeof taken, opts, err);

    if (status != GGK_OK)
        return status;
    if (plan->n_files != 1 || prefix == NULL ||
        (taken.max_bytes == 0 && taken.max_tensors == 0))
        return ggki_fail(err, GGK_E_ARG,
                         "one file, a prefix and a limit are needed");
    status = ggki_plan_is_gguf(plan, err);
    if (status != GGK_OK)
        return status;
    status = measure_heads(&c, err);
    if (status == GGK_OK)
        status = cut(&c, err);
    for (uint32_t i = 0; i < c.firsts.n && status == GGK_OK; i++)
        status = make_shard(&c, prefix, i, err);
    if (status == GGK_OK && c.firsts.n > 1)
        status = keep_first(plan, (size_t)c.firsts.at[1], err);
    ggki_u64s_free(&c.firsts, &plan->mem);
    if (status == GGK_OK)
        status = number_all(plan, err);
    return ggki_plan_filled(plan, status);
}
