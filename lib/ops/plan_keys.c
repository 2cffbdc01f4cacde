/* plan_keys.c - fills plans: the key-values of their files. */
#include <string.h>

#include "base/err.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/store.h"
#include "format/gguf_layout.h"
#include "format/space.h"
#include "model/builder.h"
#include "model/model.h"
#include "ops/plan.h"
#include "ops/plan_fill.h"

static void release_value(ggk_plan *plan, const struct ggki_plan_kv *kv)
{
    if (kv->owns_value)
        ggki_mem_release(&plan->mem, ggki_mem_own(kv->value.bytes),
                         kv->value_room);
}

void ggki_plan_release_kv(ggk_plan *plan, const struct ggki_plan_kv *kv)
{
    ggki_plan_release_str(&plan->mem, kv->owns_key, kv->key);
    release_value(plan, kv);
}

struct ggki_plan_kv *ggki_plan_add_kv(ggk_plan *plan,
                                      struct ggki_plan_file *file)
{
    struct ggki_plan_kv *kvs = ggki_plan_grow(&plan->mem, file->kvs, file->n_kv,
                                              &file->kv_capacity, sizeof *kvs);

    if (kvs == NULL)
        return NULL;
    file->kvs = kvs;
    file->laid_out = false;
    kvs += file->n_kv++;
    memset(kvs, 0, sizeof *kvs);
    return kvs;
}

size_t ggki_plan_drop_kvs(ggk_plan *plan, struct ggki_plan_file *file,
                          bool (*drop)(const void *ctx, ggk_str key),
                          const void *ctx)
{
    size_t kept = 0, n = file->n_kv;

    for (size_t i = 0; i < n; i++) {
        if (drop(ctx, file->kvs[i].key))
            ggki_plan_release_kv(plan, &file->kvs[i]);
        else
            file->kvs[kept++] = file->kvs[i];
    }
    file->n_kv = kept;
    file->laid_out = false;
    if (kept < n)
        ggki_plan_forget(plan, &file->keys);
    return n - kept;
}

bool ggki_plan_find_kv(const struct ggki_plan_file *file, ggk_str key,
                       size_t *i)
{
    while (*i < file->n_kv && !ggki_names_equal(file->kvs[*i].key, key))
        ++*i;
    return *i < file->n_kv;
}

static ggk_status fail_no_key(ggk_error *err)
{
    return ggki_fail(err, GGK_E_NOT_FOUND, "there is no such key");
}

static ggk_status fail_repeats(ggk_error *err)
{
    return ggki_fail(err, GGK_E_DUPLICATE, "the key is there more than once");
}

/* The one key-value with that key; GGK_NONE if there is none. */
static ggk_status find_any_kv(ggk_plan *plan, struct ggki_plan_file *file,
                              ggk_str key, uint64_t *i, ggk_error *err)
{
    bool repeats = false;
    ggk_status status;

    *i = GGK_NONE;
    status = ggki_plan_find_name(plan, file, false, key, i, &repeats, err);
    return status == GGK_OK && repeats ? fail_repeats(err) : status;
}

/* The same where there must be one. */
static ggk_status find_one_kv(ggk_plan *plan, struct ggki_plan_file *file,
                              ggk_str key, size_t *i, ggk_error *err)
{
    uint64_t found;
    ggk_status status = find_any_kv(plan, file, key, &found, err);

    if (status == GGK_OK && found == GGK_NONE)
        status = fail_no_key(err);
    if (status == GGK_OK)
        *i = (size_t)found;
    return status;
}

ggk_status ggki_plan_kv_of(ggk_plan *plan, uint32_t file, ggk_str key,
                           struct ggki_plan_file **f, struct ggki_plan_kv **out,
                           ggk_error *err)
{
    size_t i = 0;
    ggk_status status;

    *f = ggki_plan_file_at(plan, file, err);
    if (*f == NULL)
        return GGK_E_RANGE;
    status = find_one_kv(plan, *f, key, &i, err);
    if (status == GGK_OK)
        *out = &(*f)->kvs[i];
    return status;
}

void ggki_plan_take_value(ggk_plan *plan, struct ggki_plan_kv *kv,
                          const char *bytes, size_t n)
{
    release_value(plan, kv);
    kv->value.bytes = bytes;
    kv->value.n_bytes = n;
    kv->value_room = n + 1;
    kv->value.encoding = (struct ggki_encoding){GGUF_VERSION_MAX, false};
    kv->owns_value = true;
}

ggk_status ggki_plan_copy_kv(ggk_plan *plan, struct ggki_plan_file *file,
                             const struct ggki_gguf *g, uint64_t i,
                             ggk_error *err)
{
    struct ggki_kv from;
    struct ggki_plan_kv *kv;

    if (!ggki_gguf_kv(g, i, &from))
        return ggki_fail_changed(err);
    if (ggki_gguf_is_space(g, i))
        return GGK_OK;
    kv = ggki_plan_add_kv(plan, file);
    if (kv == NULL)
        return ggki_fail_memory(err);
    kv->key = ggki_gguf_bytes(g, from.key_pos, from.key_len);
    kv->value.type = from.type;
    kv->value.bytes = g->image.base + from.type_pos + 4;
    kv->value.n_bytes = g->kv_pos.at[i + 1] - (from.type_pos + 4);
    kv->value.encoding = (struct ggki_encoding){g->version, g->big};
    return GGK_OK;
}

/* A file of a model, of which bytes are to be copied; NULL is GGK_E_RANGE. */
static const struct ggki_gguf *model_file_at(const ggk_model *model, uint32_t i,
                                             ggk_error *err)
{
    if (i < model->n_files)
        return &model->files[i].gguf;
    ggki_fail_index(err, "file", i, model->n_files);
    return NULL;
}

ggk_status ggk_plan_add_input(ggk_plan *plan, const ggk_model *model,
                              uint32_t from, ggk_error *err)
{
    const struct ggki_gguf *g = model_file_at(model, from, err);

    return g == NULL ? GGK_E_RANGE
                     : ggki_plan_note_source(plan, g->source, g, err);
}

/* Before key-values of file `from` of a model are copied. */
static ggk_status start_keys(ggk_plan *plan, uint32_t file,
                             const ggk_model *model, uint32_t from,
                             struct ggki_plan_file **f,
                             const struct ggki_gguf **g, ggk_error *err)
{
    *f = ggki_plan_file_at(plan, file, err);
    if (*f == NULL)
        return GGK_E_RANGE;
    if ((*f)->format != GGK_FORMAT_GGUF) {
        (void)ggki_plan_fail_not_gguf(err);
        return GGK_E_ARG;
    }
    *g = model_file_at(model, from, err);
    if (*g == NULL)
        return GGK_E_RANGE;
    if (!(*f)->has_encoding && (*f)->n_kv == 0 && (*f)->n_tensors == 0)
        (*f)->big = (*g)->big;
    return ggki_plan_note_source(plan, (*g)->source, *g, err);
}

ggk_status ggk_plan_copy_kv(ggk_plan *plan, uint32_t file,
                            const ggk_model *model, uint64_t i, ggk_error *err)
{
    struct ggki_plan_file *f;
    const struct ggki_gguf *g = NULL;
    ggk_status status = start_keys(plan, file, model, 0, &f, &g, err);

    if (status == GGK_OK && i >= g->n_kv)
        return ggki_fail_index(err, "key-value", i, g->n_kv);
    return status == GGK_OK ? ggki_plan_copy_kv(plan, f, g, i, err) : status;
}

ggk_status ggk_plan_copy_keys(ggk_plan *plan, uint32_t file,
                              const ggk_model *model, uint32_t from,
                              ggk_error *err)
{
    struct ggki_plan_file *f;
    const struct ggki_gguf *g = NULL;
    ggk_status status = start_keys(plan, file, model, from, &f, &g, err);

    if (status != GGK_OK)
        return status;
    for (uint64_t i = 0; status == GGK_OK && i < g->n_kv; i++)
        status = ggki_plan_copy_kv(plan, f, g, i, err);
    return ggki_plan_filled(plan, status);
}

ggk_status ggki_plan_put_value(ggk_plan *plan, struct ggki_plan_kv *kv,
                               uint32_t type, ggk_str value, ggk_error *err)
{
    ggk_str copy;

    if (!ggki_plan_copy_str(&plan->mem, value, &copy))
        return ggki_fail_memory(err);
    release_value(plan, kv);
    kv->value = (struct ggki_stored_value){
        copy.ptr, copy.len, type, {GGUF_VERSION_MAX, false}};
    kv->value_room = copy.len + 1;
    kv->owns_value = true;
    return GGK_OK;
}

/* Append a key without a value. */
static ggk_status add_key(ggk_plan *plan, struct ggki_plan_file *file,
                          ggk_str key, ggk_error *err)
{
    ggk_str copy;
    struct ggki_plan_kv *kv;

    if (!ggki_plan_copy_str(&plan->mem, key, &copy))
        return ggki_fail_memory(err);
    kv = ggki_plan_add_kv(plan, file);
    if (kv == NULL) {
        ggki_plan_release_str(&plan->mem, true, copy);
        return ggki_fail_memory(err);
    }
    kv->key = copy;
    kv->owns_key = true;
    return GGK_OK;
}

static ggk_status set_value(ggk_plan *plan, struct ggki_plan_file *file,
                            ggk_str key, uint32_t type, ggk_str value,
                            ggk_error *err)
{
    uint64_t i;
    ggk_status status = find_any_kv(plan, file, key, &i, err);
    bool is_new = status == GGK_OK && i == GGK_NONE;

    if (is_new) {
        i = file->n_kv;
        status = add_key(plan, file, key, err);
    }
    if (status == GGK_OK)
        status = ggki_plan_put_value(plan, &file->kvs[i], type, value, err);
    if (status != GGK_OK && is_new && i < file->n_kv) {
        ggki_plan_release_kv(plan, &file->kvs[i]); /* it is the last one */
        file->n_kv--;
    }
    file->laid_out = false;
    return status;
}

/* An alignment that is written anew must be one for everybody. */
static ggk_status check_new_alignment(const struct ggki_stored_value *value,
                                      ggk_error *err)
{
    uint32_t alignment;

    if (value->type != GGK_VALUE_UINT32 || value->n_bytes != 4)
        return ggki_fail(err, GGK_E_ALIGN_TYPE,
                         "general.alignment is written as UINT32 only");
    alignment = load_u32(value->bytes, value->encoding.big);
    if (alignment != 0 && (alignment & (alignment - 1)) == 0)
        return GGK_OK;
    return ggki_fail(err, GGK_E_ALIGN,
                     "an alignment of %lu is no power of two, which llama.cpp "
                     "needs",
                     (unsigned long)alignment);
}

ggk_status ggk_plan_set_kv(ggk_plan *plan, uint32_t file, ggk_str key,
                           const ggk_builder *value, ggk_error *err)
{
    struct ggki_plan_file *f = ggki_plan_file_at(plan, file, err);
    ggk_status status = GGK_OK;
    uint32_t type;
    ggk_str bytes;

    if (f == NULL)
        return GGK_E_RANGE;
    if (f->format != GGK_FORMAT_GGUF)
        return ggki_plan_fail_not_gguf(err);
    if (!ggki_builder_value(value, &type, &bytes))
        return ggki_fail(err, GGK_E_ARG, "the builder holds no whole value");
    if (key.len == 0)
        return ggki_fail(err, GGK_E_ARG, "a key cannot be empty");
    if (ggki_names_equal(key, ggk_cstr(GGUF_ALIGNMENT_KEY)))
        status = check_new_alignment(
            &(struct ggki_stored_value){
                bytes.ptr, bytes.len, type, {GGUF_VERSION_MAX, false}},
            err);
    return status == GGK_OK ? set_value(plan, f, key, type, bytes, err)
                            : status;
}

ggk_status ggki_plan_set_integer(ggk_plan *plan, struct ggki_plan_file *file,
                                 const char *key, uint32_t type, uint64_t value,
                                 ggk_error *err)
{
    uint8_t bytes[8];

    store_u64(bytes, value, false);
    return set_value(plan, file, ggk_cstr(key), type,
                     (ggk_str){(const char *)bytes, ggk_value_type_bytes(type)},
                     err);
}

static bool is_named(const void *name, ggk_str key)
{
    return ggki_names_equal(key, *(const ggk_str *)name);
}

ggk_status ggk_plan_remove_kv(ggk_plan *plan, uint32_t file, ggk_str key,
                              ggk_error *err)
{
    struct ggki_plan_file *f = ggki_plan_file_at(plan, file, err);

    if (f == NULL)
        return GGK_E_RANGE;
    return ggki_plan_drop_kvs(plan, f, is_named, &key) > 0 ? GGK_OK
                                                           : fail_no_key(err);
}

ggk_status ggk_plan_rename_kv(ggk_plan *plan, uint32_t file, ggk_str from,
                              ggk_str to, ggk_error *err)
{
    struct ggki_plan_file *f = ggki_plan_file_at(plan, file, err);
    size_t i = 0;
    uint64_t other;
    ggk_str copy;
    ggk_status status;

    if (f == NULL)
        return GGK_E_RANGE;
    status = find_one_kv(plan, f, from, &i, err);
    if (status != GGK_OK)
        return status;
    if (to.len == 0)
        return ggki_fail(err, GGK_E_ARG, "a key cannot be empty");
    status = find_any_kv(plan, f, to, &other, err);
    if (other != GGK_NONE)
        return ggki_fail(err, GGK_E_EXISTS, "the new key is there already");
    if (status != GGK_OK)
        return status;
    if (ggki_names_equal(to, ggk_cstr(GGUF_ALIGNMENT_KEY)))
        status = check_new_alignment(&f->kvs[i].value, err);
    if (status != GGK_OK)
        return status;
    if (!ggki_plan_copy_str(&plan->mem, to, &copy))
        return ggki_fail_memory(err);
    ggki_plan_release_str(&plan->mem, f->kvs[i].owns_key, f->kvs[i].key);
    f->kvs[i].key = copy;
    f->kvs[i].owns_key = true;
    ggki_plan_note_renamed(plan, &f->keys, i, f);
    return GGK_OK;
}
