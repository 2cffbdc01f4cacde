/* recipe_keys.c - the keys of a quantized file: what it was quantized to, and
 * by which importances. */
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "ops/recipe.h"

#define QUANTIZATION_VERSION 2   /* GGML_QNT_VERSION of llama.cpp v0.5.0 */
#define TEXT_BYTES           127 /* at most, as llama-quantize keeps of texts */

#define KEY_VERSION   "general.quantization_version"
#define KEY_FILE_TYPE "general.file_type"
#define KEY_FILE      "quantize.imatrix.file"
#define KEY_DATASET   "quantize.imatrix.dataset"
#define KEY_ENTRIES   "quantize.imatrix.entries_count"
#define KEY_CHUNKS    "quantize.imatrix.chunks_count"

/* What is to be dropped. */
struct drop {
    ggk_str architecture;
    const struct ggki_imatrix_keys *imatrix;
};

/* The keys that are set come last, wherever they were. Of the others those of
 * an earlier imatrix stay, unless there is a new one. */
static bool is_dropped(const void *ctx, ggk_str key)
{
    const struct drop *drop = ctx;
    const struct ggki_imatrix_keys *im = drop->imatrix;

    if (key.len > 0 && key.ptr[key.len - 1] == '\0')
        key.len--;
    if (ggki_str_is(key, KEY_VERSION) || ggki_str_is(key, KEY_FILE_TYPE))
        return true;
    if (im != NULL && ((im->file != NULL && ggki_str_is(key, KEY_FILE)) ||
                       (im->dataset != NULL && ggki_str_is(key, KEY_DATASET)) ||
                       ggki_str_is(key, KEY_ENTRIES) ||
                       (im->n_chunks > 0 && ggki_str_is(key, KEY_CHUNKS))))
        return true;
    return ggk_is_split_key(key, drop->architecture);
}

static ggk_status set_text(ggk_plan *plan, uint32_t file, const char *key,
                           const char *text, ggk_error *err)
{
    ggk_builder *builder;
    ggk_value value = {GGK_VALUE_STRING, {.s = {text, 0}}};
    ggk_status status;

    if (text == NULL)
        return GGK_OK;
    value.as.s = ggk_cstr(text);
    if (value.as.s.len > TEXT_BYTES)
        value.as.s.len = TEXT_BYTES;
    status = ggk_builder_new(&plan->mem, &builder, err);
    if (status == GGK_OK)
        status = ggk_builder_put(builder, &value, err);
    if (status == GGK_OK)
        status = ggk_plan_set_kv(plan, file, ggk_cstr(key), builder, err);
    ggk_builder_free(builder);
    return status;
}

static ggk_status set_number(ggk_plan *plan, uint32_t file, const char *key,
                             uint64_t number, ggk_error *err)
{
    if (number > UINT32_MAX)
        return ggki_fail(err, GGK_E_RANGE,
                         "%s would be %llu, which a UINT32 cannot hold", key,
                         (unsigned long long)number);
    return ggki_plan_set_integer(plan, &plan->files[file], key,
                                 GGK_VALUE_UINT32, number, err);
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
                                    const ggk_target *target,
                                    const struct ggki_imatrix_keys *imatrix,
                                    ggk_error *err)
{
    struct drop drop = {{NULL, 0}, imatrix};
    ggk_status status;

    if (file >= plan->n_files)
        return ggki_fail_index(err, "file", file, plan->n_files);
    drop.architecture = ggki_plan_architecture(&plan->files[file]);
    ggki_plan_drop_kvs(plan, &plan->files[file], is_dropped, &drop);
    status = set_number(plan, file, KEY_VERSION, QUANTIZATION_VERSION, err);
    if (status == GGK_OK)
        status = set_number(plan, file, KEY_FILE_TYPE, target->file_type, err);
    return status == GGK_OK && imatrix != NULL
               ? set_imatrix(plan, file, imatrix, err)
               : status;
}
