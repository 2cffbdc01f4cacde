/* fuzz_fix.c - any bytes, repaired.
 *
 * Of what can be repaired, the result is what it was foretold to be, nothing is
 * found in it to repair, and repaired it is the same, byte for byte.
 */
#include "written.h"

/* Repair a model to `path`, in a plan; NULL if it cannot be. */
static ggk_plan *plan_fixed(const ggk_model *model, const char *path,
                            ggk_fixed *fixed)
{
    ggk_plan *plan;
    ggk_error err;
    uint32_t file;
    ggk_status status;

    must(ggk_plan_new(NULL, &plan, &err), &err);
    must(ggk_plan_add_file(plan, path, &file, &err), &err);
    status = ggk_plan_fix(plan, model, NULL, NULL, fixed, &err);
    if (status == GGK_OK && is_small(plan))
        return plan;
    if (status != GGK_E_DATA_MISSING && status != GGK_E_UNSUPPORTED &&
        status != GGK_E_ALIGN && status != GGK_E_OFFSET)
        must(status, &err);
    ggk_plan_free(plan);
    return NULL;
}

/* The findings that were foretold are those of the file. */
static void judge(ggk_plan *plan, const char *path)
{
    ggk_open_opts open = {.struct_bytes = sizeof open,
                          .flags = GGK_OPEN_SINGLE};
    ggk_check_opts opts = {.struct_bytes = sizeof opts, .open = &open};
    ggk_verdict foretold, found;
    ggk_error err;

    must(ggk_plan_check(plan, &opts, NULL, NULL, &foretold, &err), &err);
    run(plan);
    must(ggk_check(path, &opts, NULL, NULL, &found, &err), &err);
    for (int s = 0; s < 4; s++)
        if (foretold.spec[s] != found.spec[s] ||
            foretold.llama_cpp[s] != found.llama_cpp[s])
            abort();
    if (foretold.loads != found.loads)
        abort();
}

static void fix_again(const char *from, const char *to)
{
    ggk_model *model = open_file(from, GGK_OPEN_SINGLE);
    ggk_fixed fixed;
    ggk_plan *plan = plan_fixed(model, to, &fixed);

    if (plan == NULL || fixed.n_repairs > 0)
        abort();
    run(plan);
    expect_same_bytes(from, to);
    ggk_plan_free(plan);
    ggk_model_close(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ggk_open_opts opts = {.struct_bytes = sizeof opts,
                          .flags = GGK_OPEN_SINGLE};
    ggk_source *source;
    ggk_model *model;
    ggk_plan *plan;
    ggk_fixed fixed;

    if (folder[0] == '\0')
        make_folder();
    if (ggk_source_from_memory(data, size, NULL, &source, NULL) != GGK_OK ||
        ggk_model_open_source(source, &opts, &model, NULL) != GGK_OK)
        return 0;
    plan = plan_fixed(model, path_of("fixed.gguf"), &fixed);
    if (plan != NULL) {
        judge(plan, path_of("fixed.gguf"));
        fix_again(path_of("fixed.gguf"), path_of("again.gguf"));
    }
    ggk_plan_free(plan);
    ggk_model_close(model);
    return 0;
}
