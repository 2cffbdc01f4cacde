/* fix.c - repairs a model: fills a plan with what its files should have been.
 *
 * What is wrong with the layout is gone once the plan is written, so a judge's
 * findings of it are told as repairs; keys and tensors are looked at one by
 * one.
 */
#include "ops/fix.h"

#include <string.h>

#include "base/err.h"
#include "base/load.h"
#include "base/mem.h"
#include "format/gguf_layout.h"
#include "format/types.h"
#include "model/model.h"

/* A judge's finding of the model as it is. */
static bool look_at_finding(void *ctx, const ggk_finding *finding)
{
    struct ggki_fixing *f = ctx;
    enum ggki_rule rule = (enum ggki_rule)(finding->rule - ggk_rule_at(0));

    if (rule == RULE_QUANT_VERSION)
        f->lacks_version = true;
    if (!ggki_fix_by_layout(rule))
        return true;
    f->n_layout += finding->more > 0 ? finding->more : 1;
    if (f->on_repair != NULL && !f->told.stopped)
        f->told.stopped = !f->on_repair(f->ctx, finding);
    return true;
}

static ggk_status add_version(struct ggki_fixing *f)
{
    if (!f->lacks_version)
        return GGK_OK;
    ggki_report(&f->told, RULE_QUANT_VERSION, ggki_nowhere(),
                "general.quantization_version was missing: 2 now");
    return ggki_plan_set_integer(f->plan, &f->plan->files[0],
                                 "general.quantization_version",
                                 GGK_VALUE_UINT32, 2, f->err);
}

/* ------------------------------------------------------------------- shards */

/* Is the key there, once, as that type and number? Where it need not be, it may
 * be missing. */
static bool says(const struct ggki_plan_file *file, const char *key,
                 uint32_t type, uint64_t number, bool needed)
{
    const struct ggki_stored_value *v;
    size_t i = 0;

    if (!ggki_plan_find_kv(file, ggk_cstr(key), &i))
        return !needed;
    v = &file->kvs[i].value;
    if (v->type != type || v->n_bytes != ggk_value_type_bytes(type))
        return false;
    return number == (v->n_bytes == 2 ? load_u16(v->bytes, v->encoding.big)
                                      : load_u32(v->bytes, v->encoding.big));
}

/* Do the files of the plan say that they are the shards they are? */
static bool are_numbered(const ggk_plan *plan, bool *miscounted)
{
    uint64_t n_tensors = 0;
    bool numbered = true;

    *miscounted = false;
    for (uint32_t i = 0; i < plan->n_files; i++)
        n_tensors += plan->files[i].n_tensors;
    for (uint32_t i = 0; i < plan->n_files; i++) {
        const struct ggki_plan_file *file = &plan->files[i];

        numbered =
            numbered && says(file, "split.no", GGK_VALUE_UINT16, i, true) &&
            says(file, "split.count", GGK_VALUE_UINT16, plan->n_files, i == 0);
        if (!says(file, "split.tensors.count", GGK_VALUE_INT32, n_tensors,
                  i == 0))
            *miscounted = true;
    }
    return numbered;
}

/* A set of one shard. Where the key is there twice, and differs, it stays. */
static ggk_status count_tensors(struct ggki_fixing *f)
{
    static const char key[] = "split.tensors.count";
    struct ggki_plan_file *file = &f->plan->files[0];
    ggk_status status;

    if (f->unsplit || ggki_split_of(f->told.gguf).count != 1 ||
        file->n_tensors > INT32_MAX ||
        says(file, key, GGK_VALUE_INT32, file->n_tensors, false))
        return GGK_OK;
    status = ggki_plan_set_integer(f->plan, file, key, GGK_VALUE_INT32,
                                   file->n_tensors, f->err);
    if (status == GGK_E_DUPLICATE)
        return GGK_OK;
    if (status == GGK_OK)
        ggki_report(&f->told, RULE_SPLIT_TENSORS, ggki_nowhere(),
                    "split.tensors.count was not the number of tensors: %llu "
                    "now",
                    (unsigned long long)file->n_tensors);
    return status;
}

static ggk_status number_shards(struct ggki_fixing *f)
{
    ggk_plan *plan = f->plan;
    bool miscounted, numbered = are_numbered(plan, &miscounted);
    ggk_status status;

    if (plan->n_files == 1)
        return count_tensors(f);
    if (numbered && !miscounted && !f->other_split_keys)
        return GGK_OK;
    status = ggk_plan_number_shards(plan, f->err);
    if (status != GGK_OK)
        return status;
    if (numbered && !f->other_split_keys)
        ggki_report(&f->told, RULE_SPLIT_TENSORS, ggki_nowhere(),
                    "split.tensors.count was not the number of tensors in the "
                    "set, or of another type: set anew in all shards");
    else
        ggki_report(&f->told, RULE_SPLIT_KEYS, ggki_nowhere(),
                    "split.no, split.count or split.tensors.count was missing, "
                    "or of another name or type: set anew in all shards");
    return GGK_OK;
}

/* ---------------------------------------------------------------------- all */

static ggk_status fix_file(struct ggki_fixing *f, uint32_t i)
{
    ggk_status status;

    f->told.file = i;
    f->told.gguf = &f->model->files[i].gguf;
    f->plan->files[i].big = f->told.gguf->big;
    status = ggki_plan_note_source(f->plan, f->told.gguf->source, f->told.gguf,
                                   f->err);
    if (status == GGK_OK)
        status = ggki_fix_keys(f, i);
    if (status == GGK_OK)
        status = ggki_fix_tensors(f, i);
    if (status != GGK_OK && f->model->n_files > 1 &&
        f->model->files[i].path != NULL)
        ggki_err_set_file(f->err, f->model->files[i].path);
    return status;
}

/* Does llama.cpp not map a tensor of the file, as it will be? */
static bool lies_between(struct ggki_plan_file *file, const ggk_allocator *mem)
{
    if (ggki_plan_lay_out(mem, file, NULL) != GGK_OK)
        return false; /* whoever runs the plan is told why */
    for (size_t i = 0; i < file->n_tensors; i++) {
        struct ggki_plan_tensor t;

        if (ggki_plan_tensor_at(file, i, &t) && t.bytes > 0 &&
            ggki_plan_data_off(file, i) % GGKI_LOADER_ALIGNMENT != 0)
            return true;
    }
    return false;
}

/* With an alignment under 32 tensors may have lain well by chance, and do so no
 * more since there are other keys. */
static ggk_status widen_alignment(struct ggki_fixing *f, uint32_t i)
{
    struct ggki_plan_file *file = &f->plan->files[i];
    uint64_t alignment;

    if (ggki_plan_alignment(file, &alignment, NULL) != GGK_OK ||
        alignment % GGKI_LOADER_ALIGNMENT == 0 ||
        !lies_between(file, &f->plan->mem))
        return GGK_OK;
    f->told.file = i;
    ggki_report(&f->told, RULE_ALIGN_UNDER, ggki_nowhere(),
                "general.alignment was %llu, less than 32: the data is laid "
                "out by 32 now",
                (unsigned long long)alignment);
    return ggk_plan_remove_kv(f->plan, i, ggk_cstr(GGUF_ALIGNMENT_KEY), f->err);
}

static ggk_status fix_model(struct ggki_fixing *f)
{
    ggk_status status = ggki_fix_compare_tensors(f);

    for (uint32_t i = 0; i < f->model->n_files && status == GGK_OK; i++)
        status = fix_file(f, i);
    if (status == GGK_OK)
        status = ggki_check_model(f->model, look_at_finding, f, f->err);
    f->told.file = 0;
    f->told.gguf = &f->model->files[0].gguf;
    if (status == GGK_OK)
        status = add_version(f);
    if (status == GGK_OK)
        status = number_shards(f);
    for (uint32_t i = 0; i < f->model->n_files && status == GGK_OK; i++)
        status = widen_alignment(f, i);
    return status;
}

static bool is_empty(const ggk_plan *plan, uint32_t n_files)
{
    for (uint32_t i = 0; i < plan->n_files; i++)
        if (plan->files[i].n_kv > 0 || plan->files[i].n_tensors > 0)
            return false;
    return plan->n_files == n_files;
}

ggk_status ggk_plan_fix(ggk_plan *plan, const ggk_model *model,
                        ggk_on_finding *on_repair, void *ctx, ggk_fixed *out,
                        ggk_error *err)
{
    ggk_verdict counts;
    ggk_error failure = {0};
    struct ggki_fixing f = {.plan = plan,
                            .model = model,
                            .on_repair = on_repair,
                            .ctx = ctx,
                            .err = &failure};
    ggk_status status;

    *out = (ggk_fixed){0};
    if (!is_empty(plan, model->n_files))
        return ggki_fail(err, GGK_E_ARG,
                         "the plan needs as many empty files as the model has");
    ggki_check_begin(&f.told, model, on_repair, ctx, &counts);
    status = fix_model(&f);
    ggki_mem_release(&plan->mem, f.differ, (size_t)model->n_tensors);
    if (ggki_plan_filled(plan, status) != GGK_OK)
        return ggki_fail_copy(err, &failure);
    ggki_report_rest(&f.told);
    out->unsplit = f.unsplit;
    out->n_repairs = f.n_layout;
    for (int s = GGK_SEVERITY_NONE; s <= GGK_SEVERITY_ERROR; s++)
        out->n_repairs += counts.spec[s];
    return GGK_OK;
}
