/* report_file.c - the report of gguf quantize as a file, which appears whole
 * or not at all, like a model. */
#include <string.h>

#include "cmd/quantizing.h"
#include "path_parts.h"
#include "writing.h"

#define TYPE_I8 24 /* of bytes that stand for nothing else */

ggk_status quantize_guard(const struct quantizing *q, ggk_plan *plan,
                          ggk_error *err)
{
    const char *const files[] = {q->options->imatrix, q->options->recipe_from,
                                 q->options->tensor_type_file,
                                 q->cli->global.type_table};
    ggk_status status = GGK_OK;

    for (size_t i = 0; i < sizeof files / sizeof files[0] && status == GGK_OK;
         i++)
        if (files[i] != NULL)
            status = writing_guard(plan, files[i], err);
    for (uint32_t i = 0;
         i < ggk_model_n_files(q->in->model) && status == GGK_OK; i++) {
        ggk_file f;

        status = ggk_model_file(q->in->model, i, &f, err);
        if (status == GGK_OK && f.path != NULL)
            status = writing_guard(plan, f.path, err);
    }
    return status;
}

/* The model that was written is not replaced by its report. */
static ggk_status guard_outputs(const struct quantizing *q, ggk_plan *plan,
                                ggk_error *err)
{
    ggk_status status = GGK_OK;

    for (uint32_t i = 0; i < ggk_plan_n_files(q->plan) && status == GGK_OK;
         i++) {
        ggk_planned_file f;

        status = ggk_plan_file(q->plan, i, &f, err);
        if (status == GGK_OK)
            status = writing_guard(plan, f.path, err);
    }
    return status;
}

/* A plan of one file, of these bytes, and to run it. */
static ggk_status run_report(const struct quantizing *q, ggk_plan *plan,
                             const ggk_source *source, uint32_t flags,
                             ggk_error *err)
{
    ggk_new_tensor t = {.name = ggk_cstr("report"),
                        .type = TYPE_I8,
                        .n_dims = 1,
                        .ne = {ggk_source_size(source)},
                        .source = source};
    ggk_run_opts opts = {
        .struct_bytes = sizeof opts, .flags = flags, .n_threads = 1};
    uint32_t file;
    ggk_status status = ggk_plan_add_array_file(plan, q->options->report,
                                                GGK_FORMAT_RAW, &file, err);

    if (status == GGK_OK)
        status = ggk_plan_add_tensor(plan, file, &t, err);
    if (status == GGK_OK)
        status = quantize_guard(q, plan, err);
    if (status == GGK_OK)
        status = guard_outputs(q, plan, err);
    return status == GGK_OK ? ggk_plan_run(plan, &opts, err) : status;
}

static int put_report(const struct quantizing *q, const char *text,
                      size_t bytes, uint32_t flags)
{
    ggk_plan *plan;
    ggk_source *source = NULL;
    ggk_error err;
    ggk_status status = ggk_plan_new(NULL, &plan, &err);

    if (q->cli->global.force)
        flags |= GGK_RUN_FORCE;
    if (status == GGK_OK)
        status = ggk_source_from_memory(text, bytes, NULL, &source, &err);
    if (status == GGK_OK)
        status = run_report(q, plan, source, flags, &err);
    ggk_plan_free(plan);
    ggk_source_close(source);
    if (status == GGK_OK)
        return CLI_DONE;
    if (status == GGK_E_EXISTS)
        snprintf(err.what + strlen(err.what),
                 sizeof err.what - strlen(err.what), "; --force replaces it");
    return cli_fail(q->cli, q->options->report, &err);
}

int quantize_try_report(const struct quantizing *q)
{
    const char *report = q->options->report;
    ggk_planned_file f;

    if (*report == '\0' || strcmp(report, "-") == 0) {
        msg_usage(&q->cli->msg,
                  *report == '\0'
                      ? "--report: the name to write to is empty"
                      : "--report wants a file, ./- for one that is called so; "
                        "--json prints the same on standard output");
        return CLI_USAGE;
    }
    for (uint32_t i = 0; i < ggk_plan_n_files(q->plan); i++)
        if (ggk_plan_file(q->plan, i, &f, NULL) == GGK_OK &&
            path_same(f.path, report)) {
            msg_usage(&q->cli->msg, "--report and OUT are one file: '%s'",
                      f.path);
            return CLI_USAGE;
        }
    return put_report(q, " ", 1, GGK_RUN_DRY);
}

int quantize_write_report(const struct quantizing *q, const char *text,
                          size_t bytes)
{
    return put_report(q, text, bytes, 0);
}
