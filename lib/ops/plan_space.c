/* plan_space.c - free space at the end of a planned file's key-values. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/store.h"
#include "format/gguf_layout.h"
#include "format/space.h"
#include "ops/plan.h"

static bool is_space(const struct ggki_plan_kv *kv)
{
    const struct ggki_stored_value *v = &kv->value;

    return ggki_is_space(kv->key, v->type,
                         (ggk_str){v->bytes, (size_t)v->n_bytes},
                         v->encoding.version);
}

struct ggki_plan_kv *ggki_plan_padding(const struct ggki_plan_file *file)
{
    struct ggki_plan_kv *last =
        file->n_kv > 0 ? &file->kvs[file->n_kv - 1] : NULL;

    return last != NULL && is_space(last) ? last : NULL;
}

bool ggki_plan_padding_is_used(const struct ggki_plan_file *file)
{
    size_t i = 0;

    while (ggki_plan_find_kv(file, ggk_cstr(GGUF_PADDING_KEY), &i) &&
           is_space(&file->kvs[i]))
        i++;
    return i < file->n_kv;
}

/* Is it just this one, not another of its name? */
static bool is_that(const void *ctx, ggk_str key)
{
    return key.ptr == ctx;
}

void ggki_plan_unpad(ggk_plan *plan, struct ggki_plan_file *file)
{
    const struct ggki_plan_kv *padding = ggki_plan_padding(file);

    if (padding != NULL)
        (void)ggki_plan_drop_kvs(plan, file, is_that, padding->key.ptr);
}

ggk_status ggki_plan_pad(ggk_plan *plan, struct ggki_plan_file *file,
                         uint64_t bytes, ggk_error *err)
{
    struct ggki_plan_kv *kv;
    char *value;

    ggki_plan_unpad(plan, file);
    /* Of a block of one byte more, as all values are. */
    value = ggki_mem_resize(&plan->mem, NULL, 0, 8 + (size_t)bytes + 1);
    if (value == NULL)
        return ggki_fail_memory(err);
    kv = ggki_plan_add_kv(plan, file);
    if (kv == NULL) {
        ggki_mem_release(&plan->mem, value, 8 + (size_t)bytes + 1);
        return ggki_fail_memory(err);
    }
    store_u64((uint8_t *)value, bytes, false);
    memset(value + 8, ' ', (size_t)bytes + 1);
    kv->key = ggk_cstr(GGUF_PADDING_KEY);
    kv->value.type = GGK_VALUE_STRING;
    ggki_plan_take_value(plan, kv, value, 8 + (size_t)bytes);
    return GGK_OK;
}

ggk_status ggk_plan_reserve(ggk_plan *plan, uint32_t file, uint64_t bytes,
                            ggk_error *err)
{
    if (file >= plan->n_files)
        return ggki_fail_index(err, "file", file, plan->n_files);
    if (plan->files[file].format != GGK_FORMAT_GGUF)
        return ggki_fail(err, GGK_E_ARG,
                         "a file of arrays has nothing but tensors");
    if (bytes > GGK_RESERVE_MOST)
        return ggki_fail(err, GGK_E_LIMIT,
                         "at most %llu bytes can be kept free",
                         (unsigned long long)GGK_RESERVE_MOST);
    if (ggki_plan_padding_is_used(&plan->files[file]))
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "no bytes can be kept free: general.padding is there, "
                         "and holds other than free space");
    return ggki_plan_pad(plan, &plan->files[file], bytes, err);
}
