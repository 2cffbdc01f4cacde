/* writing.c - what all commands that write models have in common. */
#include "writing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gap_bytes.h"
#include "out/fmt.h"
#include "out/table.h"
#include "show.h"
#include "ui/progress.h"

const char *writing_target(const struct cli *cli, const char *operand,
                           const char *input)
{
    const char *option = cli->global.output;

    if (operand != NULL && option != NULL) {
        msg_usage(&cli->msg, "both '%s' and -o '%s' are given to write to",
                  operand, option);
        return NULL;
    }
    if (operand == NULL)
        operand = option;
    if (operand != NULL && *operand == '\0') {
        msg_usage(&cli->msg, "the name to write to is empty");
        return NULL;
    }
    if (operand != NULL && strcmp(operand, "-") == 0) {
        msg_usage(&cli->msg, "models are not written to standard output: name "
                             "a file, ./- for one that is called so");
        return NULL;
    }
    if (operand != NULL)
        return operand;
    if (input == NULL)
        msg_usage(&cli->msg, "no OUT given");
    else if (cli->global.offset > 0)
        msg_usage(&cli->msg,
                  "with --offset an OUT is needed (-o): the bytes before the "
                  "GGUF would be lost");
    else if (strcmp(input, "-") == 0)
        msg_usage(&cli->msg,
                  "standard input cannot be written to: name -o OUT");
    else
        return input;
    return NULL;
}

ggk_status writing_plan_all(ggk_plan *plan, const struct input *in,
                            const char *path, ggk_error *err)
{
    uint64_t n = ggk_model_n_tensors(in->model);
    uint32_t file;
    ggk_status status = ggk_plan_add_file(plan, path, &file, err);

    if (status == GGK_OK)
        status = ggk_plan_copy_keys(plan, file, in->model, 0, err);
    for (uint64_t i = 0; i < n && status == GGK_OK; i++)
        status = ggk_plan_copy_tensor(plan, file, in->model, i, err);
    return status;
}

char *writing_path(const char *out, uint32_t i, uint32_t n)
{
    size_t len = strlen(out), bytes = len + 32;
    char *path = malloc(bytes);

    if (path == NULL)
        return NULL;
    if (n > 1 && len > 5 && strcmp(out + len - 5, ".gguf") == 0)
        len -= 5;
    if (n > 1)
        snprintf(path, bytes, "%.*s-%05" PRIu32 "-of-%05" PRIu32 ".gguf",
                 (int)len, out, i + 1, n);
    else
        memcpy(path, out, len + 1);
    return path;
}

char *writing_path_of(const struct input *in, const char *out, bool in_place,
                      uint32_t i)
{
    ggk_file f;

    if (in_place && ggk_model_file(in->model, i, &f, NULL) == GGK_OK &&
        f.path != NULL)
        return strdup(f.path);
    return writing_path(out, i, ggk_model_n_files(in->model));
}

int writing_fail(const struct writing *w, const ggk_error *err)
{
    ggk_error told = *err;
    size_t n = strlen(told.what);

    if (err->status == GGK_E_EXISTS)
        snprintf(told.what + n, sizeof told.what - n, "; --force replaces it");
    return cli_fail(w->cli, w->in->name, &told);
}

/* ------------------------------------------------------------------- output */

static ggk_status put_rows(struct table *t, const struct writing *w,
                           ggk_error *err)
{
    for (uint32_t i = 0; i < ggk_plan_n_files(w->plan); i++) {
        ggk_planned_file f;
        ggk_status status = ggk_plan_file(w->plan, i, &f, err);

        if (status != GGK_OK)
            return status;
        table_text(t, f.path, strlen(f.path));
        table_u64(t, f.n_kv);
        table_u64(t, f.n_tensors);
        table_u64(t, f.alignment);
        table_u64(t, f.data_off);
        table_u64(t, f.size);
    }
    return GGK_OK;
}

static ggk_status print_table(const struct writing *w, ggk_error *err)
{
    static const struct table_column columns[] = {
        {"FILE", TABLE_LEFT, true},      {"KEYS", TABLE_RIGHT, false},
        {"TENSORS", TABLE_RIGHT, false}, {"ALIGNED", TABLE_RIGHT, false},
        {"DATA AT", TABLE_RIGHT, false}, {"BYTES", TABLE_RIGHT, false},
    };
    const struct term *term = &w->cli->term;
    ggk_status status = GGK_OK;
    struct table t;

    table_start(&t, w->cli->out, columns, 6, term->width,
                term_style(term, TERM_BOLD), term_style(term, TERM_PLAIN));
    do
        status = put_rows(&t, w, err);
    while (status == GGK_OK && table_again(&t));
    return status;
}

/* Bytes of all files. */
static ggk_status total_bytes(const struct writing *w, uint64_t *out,
                              ggk_error *err)
{
    *out = 0;
    for (uint32_t i = 0; i < ggk_plan_n_files(w->plan); i++) {
        ggk_planned_file f;
        ggk_status status = ggk_plan_file(w->plan, i, &f, err);

        if (status != GGK_OK)
            return status;
        *out += f.size;
    }
    return GGK_OK;
}

static ggk_status print_text(const struct writing *w, ggk_error *err)
{
    FILE *out = w->cli->out;
    uint32_t n = ggk_plan_n_files(w->plan);
    char size[FMT_BYTES];
    uint64_t bytes;
    ggk_status status = total_bytes(w, &bytes, err);

    if (status != GGK_OK || w->cli->global.quiet)
        return status;
    if (w->put_text != NULL)
        w->put_text(out, w->ctx);
    status = print_table(w, err);
    fmt_size(size, bytes);
    fprintf(out, "%s: %" PRIu32 " file%s, %s",
            w->cli->global.dry_run ? "would be written" : "written", n,
            n == 1 ? "" : "s", size);
    if (bytes >= 1024)
        fprintf(out, " (%" PRIu64 " bytes)", bytes);
    putc('\n', out);
    return status;
}

static void put_file(struct json *j, const ggk_planned_file *f)
{
    json_open_object(j);
    json_put_string(j, "file", f->path, strlen(f->path));
    json_put_u64(j, "version", f->version);
    json_put_cstring(j, "byte_order", f->big_endian ? "big" : "little");
    json_put_u64(j, "alignment", f->alignment);
    json_put_u64(j, "keys", f->n_kv);
    json_put_u64(j, "tensors", f->n_tensors);
    json_put_u64(j, "data_offset", f->data_off);
    json_put_u64(j, "bytes", f->size);
    json_close_object(j);
}

static ggk_status print_json(const struct writing *w, ggk_error *err)
{
    uint64_t bytes;
    struct json j;
    ggk_status status = total_bytes(w, &bytes, err);

    if (status != GGK_OK)
        return status;
    show_json_start(&j, w->cli);
    json_put_bool(&j, "written", !w->cli->global.dry_run);
    if (w->put_json != NULL)
        w->put_json(&j, w->ctx);
    json_key(&j, "files");
    json_open_array(&j);
    for (uint32_t i = 0; i < ggk_plan_n_files(w->plan); i++) {
        ggk_planned_file f;

        if (ggk_plan_file(w->plan, i, &f, NULL) == GGK_OK)
            put_file(&j, &f);
    }
    json_close_array(&j);
    json_put_u64(&j, "bytes", bytes);
    show_json_end(&j);
    return GGK_OK;
}

/* --------------------------------------------------------------------- work */

static ggk_status run_plan(const struct writing *w, ggk_error *err)
{
    struct progress progress;
    ggk_run_opts opts = {.struct_bytes = sizeof opts};
    ggk_status status;

    opts.flags = w->run_flags;
    if (w->cli->global.force)
        opts.flags |= GGK_RUN_FORCE;
    if (w->cli->global.dry_run)
        opts.flags |= GGK_RUN_DRY;
    opts.n_threads =
        w->cli->global.threads > 256 ? 256 : (uint32_t)w->cli->global.threads;
    opts.backup = w->backup;
    opts.on_progress = progress_tick;
    opts.progress_ctx = &progress;
    progress_start(&progress, &w->cli->msg, w->verb);
    status = ggk_plan_run(w->plan, &opts, err);
    progress_end(&progress);
    return status;
}

static bool is_replaced(const struct writing *w, const char *path)
{
    ggk_planned_file f;

    for (uint32_t i = 0; path != NULL && i < ggk_plan_n_files(w->plan); i++)
        if (ggk_plan_file(w->plan, i, &f, NULL) == GGK_OK &&
            strcmp(f.path, path) == 0)
            return true;
    return false;
}

/* Would it lose bytes that stand where there should be zeros? */
static int check_gaps(const struct writing *w)
{
    ggk_status status = GGK_OK;
    ggk_error err;

    for (uint32_t i = 0; i < ggk_model_n_files(w->in->model); i++) {
        uint64_t at;
        ggk_file f;

        if (ggk_model_file(w->in->model, i, &f, NULL) != GGK_OK ||
            !is_replaced(w, f.path))
            continue;
        status = gap_bytes_find(w->in, i, &at, &err);
        if (status != GGK_OK)
            return input_fail(w->in, &err);
        if (at == GGK_NO_OFFSET)
            continue;
        msg_error(&w->cli->msg, f.path,
                  "bytes between the tensors or in padding that are not zero, "
                  "the first at byte %" PRIu64 ", would be lost: give --force, "
                  "or write to another file (-o)",
                  at);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* Would replacing the input lose what is no part of the model? */
static int check_rest(const struct writing *w)
{
    bool replaces = (w->run_flags & GGK_RUN_REPLACE) != 0 && !w->shows;
    const ggk_model *model = w->in->model;
    ggk_file f;

    if (!replaces || w->backup != NULL || w->cli->global.force)
        return CLI_DONE;
    for (uint32_t i = 0; i < ggk_model_n_files(model); i++) {
        if (ggk_model_file(model, i, &f, NULL) != GGK_OK || f.trailing == 0)
            continue;
        msg_error(&w->cli->msg, f.path != NULL ? f.path : w->in->name,
                  "%" PRIu64 " bytes after the last tensor would be lost: "
                  "give --force, or write to another file (-o)",
                  f.trailing);
        return CLI_USAGE;
    }
    return check_gaps(w);
}

int writing_run(const struct writing *w)
{
    ggk_error err;
    int exit_status = check_rest(w);
    ggk_status status;

    if (exit_status != CLI_DONE)
        return exit_status;
    status = run_plan(w, &err);
    if (status == GGK_OK)
        status =
            w->cli->global.json ? print_json(w, &err) : print_text(w, &err);
    return status == GGK_OK ? CLI_DONE : writing_fail(w, &err);
}
