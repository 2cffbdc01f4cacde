/* recipe_keys.c - the keys of a quantized file: what it was quantized to, and
 * by which importances. */
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "ops/recipe.h"

#define QUANTIZATION_VERSION 2   /* GGML_QNT_VERSION of llama.cpp v0.5.0 */
#define TEXT_BYTES           127 /* at most, as llama-quantize keeps of texts */

#define KEY_VERSION   "general.quantization_version"
#define KEY_FILE_TYPE "general.file_type"
#define KEY_FILE      "quantize.imatrix.file"
#define KEY_DATASET   "quantize.imatrix.dataset"
#define KEY_ENTRIES   "quantize.imatrix.entries_count"
#define KEY_CHUNKS    "quantize.imatrix.chunks_count"

/* Of which set a file is, and which of its files, it is no more. */
static bool is_of_set(const void *ctx, ggk_str key)
{
    return ggk_is_split_key(key, *(const ggk_str *)ctx);
}

ggk_status ggki_plan_append_kv(ggk_plan *plan, uint32_t file,
                               const ggk_key_value *kv, ggk_error *err)
{
    ggk_builder *builder;
    ggk_status status = ggk_builder_new(&plan->mem, &builder, err);

    if (status == GGK_OK)
        status = ggk_builder_put(builder, &kv->value, err);
    if (status == GGK_OK)
        status = ggk_plan_remove_kv(plan, file, kv->key, NULL);
    if (status == GGK_OK || status == GGK_E_NOT_FOUND)
        status = ggk_plan_set_kv(plan, file, kv->key, builder, err);
    ggk_builder_free(builder);
    return status;
}

/* Bytes of a text that are kept: of UTF-8, whole characters. */
static size_t kept_bytes(ggk_str text)
{
    ggk_str cut = {text.ptr, TEXT_BYTES};
    size_t end;

    if (text.len <= TEXT_BYTES)
        return text.len;
    end = ggki_utf8_invalid(cut);
    return ggki_utf8_invalid(text) > end ? end : TEXT_BYTES;
}

static ggk_status set_text(ggk_plan *plan, uint32_t file, const char *key,
                           const char *text, ggk_error *err)
{
    ggk_key_value kv = {ggk_cstr(key), {GGK_VALUE_STRING, {.s = {text, 0}}}};

    if (text == NULL)
        return GGK_OK;
    kv.value.as.s = ggk_cstr(text);
    kv.value.as.s.len = kept_bytes(kv.value.as.s);
    return ggki_plan_append_kv(plan, file, &kv, err);
}

static ggk_status set_number(ggk_plan *plan, uint32_t file, const char *key,
                             uint64_t number, ggk_error *err)
{
    if (number > UINT32_MAX)
        return ggki_fail(err, GGK_E_RANGE,
                         "%s would be %llu, which a UINT32 cannot hold", key,
                         (unsigned long long)number);
    return ggki_plan_append_kv(
        plan, file,
        &(ggk_key_value){ggk_cstr(key), {GGK_VALUE_UINT32, {.u = number}}},
        err);
}

static ggk_status set_imatrix(ggk_plan *plan, uint32_t file,
                              const struct ggki_imatrix_keys *imatrix,
                              ggk_error *err)
{
    ggk_status status = set_text(plan, file, KEY_FILE, imatrix->file, err);

    if (status == GGK_OK)
        status = set_text(plan, file, KEY_DATASET, imatrix->dataset, err);
    if (status == GGK_OK)
        status = set_number(plan, file, KEY_ENTRIES, imatrix->n_entries, err);
    if (status == GGK_OK && imatrix->n_chunks > 0)
        status = set_number(plan, file, KEY_CHUNKS, imatrix->n_chunks, err);
    return status;
}

ggk_status ggki_plan_quantized_keys(ggk_plan *plan, uint32_t file,
                                    const struct ggki_quantized_keys *keys,
                                    ggk_error *err)
{
    ggk_str architecture;
    ggk_status status;

    if (file >= plan->n_files)
        return ggki_fail_index(err, "file", file, plan->n_files);
    architecture = ggki_plan_architecture(&plan->files[file]);
    if (!keys->is_shard)
        ggki_plan_drop_kvs(plan, &plan->files[file], is_of_set, &architecture);
    status = set_number(plan, file, KEY_VERSION, QUANTIZATION_VERSION, err);
    if (status == GGK_OK)
        status =
            set_number(plan, file, KEY_FILE_TYPE, keys->target->file_type, err);
    for (size_t i = 0; i < keys->n_others && status == GGK_OK; i++)
        status = ggki_plan_append_kv(plan, file, &keys->others[i], err);
    return status == GGK_OK && keys->imatrix != NULL
               ? set_imatrix(plan, file, keys->imatrix, err)
               : status;
}
