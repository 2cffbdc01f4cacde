/* cmd_rename.c - gguf rename: a key or a tensor gets another name. */
#include "edit.h"
#include "find.h"
#include "same.h"
#include "show.h"
#include "similar.h"

#include <stdlib.h>
#include <string.h>

#define GGML_NAME_BYTES \
    64 /* of a tensor, with a NUL, in ggml (GGML_MAX_NAME) */

struct rename_options {
    bool tensor;
    struct edit_options how;
};

static const struct opt rename_options[] = {
    {"tensor", 0, OPT_FLAG, NULL, "the names are those of tensors",
     offsetof(struct rename_options, tensor), NULL},
    EDIT_OPTIONS(rename_options),
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* Both names; the old one as it is stored. */
struct renaming {
    struct edit *edit;
    ggk_str from, to;
    uint64_t kv; /* of a key */
};

/* What OLD names cannot be had. */
static int fail_old(const struct edit *e, const char *word,
                    enum similar_what what, const ggk_error *err)
{
    ggk_error told = *err;
    char hint[SIMILAR_BYTES];
    size_t n = strlen(told.what);

    if (err->status == GGK_E_NOT_FOUND)
        snprintf(told.what + n, sizeof told.what - n, "%s",
                 similar_edit_hint(e->in.model, what, ggk_cstr(word), hint));
    return edit_fail(e, ggk_cstr(word), &told);
}

static int note_renamed(struct renaming *r, bool tensor)
{
    struct edit_change change = {.kind = EDIT_RENAMED,
                                 .tensor = tensor,
                                 .name = r->from,
                                 .new_name = r->to,
                                 .kv = GGK_NONE,
                                 .index = GGK_NONE};
    ggk_error err;

    if (str_same(r->from, r->to) || edit_note(r->edit, &change))
        return CLI_DONE;
    show_no_memory(&err);
    return input_fail(&r->edit->in, &err);
}

/* --------------------------------------------------------------------- keys */

static int rename_key(struct renaming *r, const char *word)
{
    const struct edit_gaps none = {NULL, NULL};
    struct edit *e = r->edit;
    ggk_error err;
    ggk_kv kv;
    ggk_status status = edit_find_kv(e, word, &r->kv, &err);

    if (status == GGK_OK)
        status = ggk_model_kv(e->in.model, r->kv, &kv, &err);
    if (status != GGK_OK)
        return fail_old(e, word, SIMILAR_KEY, &err);
    r->from = kv.key;
    if (!str_same(r->from, r->to) &&
        (!edit_may_touch(e, r->from, EDIT_USE_REMOVE) ||
         !edit_may_touch(e, r->to, EDIT_USE_SET) || !edit_may_add(e, r->to)))
        return CLI_USAGE;
    status = edit_plan_keys(e, &none, &err);
    if (status != GGK_OK)
        return input_fail(&e->in, &err);
    if (!str_same(r->from, r->to))
        status = ggk_plan_rename_kv(e->plan, 0, r->from, r->to, &err);
    if (status != GGK_OK)
        return edit_fail(e, status == GGK_E_EXISTS ? r->to : r->from, &err);
    return note_renamed(r, false);
}

/* ------------------------------------------------------------------ tensors */

static ggk_status find_tensor(const struct edit *e, const char *word,
                              uint64_t *out, ggk_error *err)
{
    const ggk_model *model = e->in.model;
    ggk_status status = ggk_model_find_tensor(model, ggk_cstr(word), out, err);
    struct find find;
    const char *bad;

    if (status != GGK_E_NOT_FOUND || strchr(word, '\\') == NULL ||
        find_parse(word, &find, &bad) != FIND_PARSED)
        return status;
    status = ggk_model_find_tensor(model, find.exact, out, err);
    find_free(&find);
    return status;
}

/* Its shard alone; elsewhere, all of them. */
static ggk_status plan_shard(struct edit *e, uint32_t shard, ggk_error *err)
{
    const struct edit_gaps none = {NULL, NULL};
    uint32_t n = ggk_model_n_files(e->in.model);
    ggk_status status = GGK_OK;

    if (e->out == NULL)
        return edit_plan_file(e, shard, &none, err);
    for (uint32_t i = 0; i < n && status == GGK_OK; i++)
        status = edit_plan_file(e, i, &none, err);
    return status;
}

/* The plan may hold one shard only, but no other may have the name either. */
static ggk_status check_free(const struct renaming *r, ggk_error *err)
{
    uint64_t i;
    ggk_status status =
        ggk_model_find_tensor(r->edit->in.model, r->to, &i, err);

    if (status == GGK_E_NOT_FOUND)
        return GGK_OK;
    *err = (ggk_error){.status = GGK_E_EXISTS,
                       .offset = GGK_NO_OFFSET,
                       .what = "the new name is there already"};
    return GGK_E_EXISTS;
}

static int rename_tensor(struct renaming *r, const char *word)
{
    struct edit *e = r->edit;
    uint64_t i;
    uint32_t file;
    ggk_error err;
    ggk_tensor t;
    ggk_status status = find_tensor(e, word, &i, &err);

    if (status == GGK_OK)
        status = ggk_model_tensor(e->in.model, i, &t, &err);
    if (status != GGK_OK)
        return fail_old(e, word, SIMILAR_TENSOR, &err);
    r->from = t.name;
    if (!str_same(r->from, r->to)) {
        status = check_free(r, &err);
        if (status != GGK_OK)
            return edit_fail(e, r->to, &err);
    }
    status = plan_shard(e, t.file, &err);
    if (status != GGK_OK)
        return input_fail(&e->in, &err);
    if (!str_same(r->from, r->to))
        status = ggk_plan_rename_tensor(e->plan, r->from, r->to, &file, &err);
    if (status != GGK_OK)
        return edit_fail(e, r->from, &err);
    if (r->to.len >= GGML_NAME_BYTES)
        msg_warning(&e->cli->msg, e->in.name,
                    "llama.cpp takes names of up to %d bytes; this one has %zu",
                    GGML_NAME_BYTES - 1, r->to.len);
    return note_renamed(r, true);
}

static int run_rename(struct cli *cli, int argc, char **argv)
{
    const struct rename_options *o = cli->options;
    struct edit edit;
    struct renaming r = {.edit = &edit, .to = ggk_cstr(argv[2])};
    int status;

    (void)argc;
    if (*argv[2] == '\0') {
        msg_usage(&cli->msg, "the new name cannot be empty");
        return CLI_USAGE;
    }
    status = edit_open(cli, argv[0], &o->how, &edit);
    if (status != CLI_DONE)
        return status;
    status = o->tensor ? rename_tensor(&r, argv[1]) : rename_key(&r, argv[1]);
    if (status == CLI_DONE)
        status = edit_run(&edit);
    return edit_close(&edit, status);
}

static const struct cli_example rename_examples[] = {
    {"gguf rename model.gguf general.url general.source.url",
     "a key: its value and place stay"},
    {"gguf rename --tensor model.gguf lm_head.weight output.weight",
     "a tensor"},
    {NULL, NULL},
};

const struct command cmd_rename = {
    .name = "rename",
    .operands = "FILE OLD NEW",
    .min_operands = 3,
    .max_operands = 3,
    .flags = CLI_READS_MODEL | CLI_READS_DATA | CLI_WRITES,
    .summary = "rename a metadata key, or a tensor",
    .about =
        "Gives a key, or with --tensor a tensor, another name; it keeps "
        "its place.\nFILE is edited in place, or replaced once a new one is "
        "whole; or -o writes\nelsewhere.",
    .examples = rename_examples,
    .options = rename_options,
    .options_bytes = sizeof(struct rename_options),
    .no_means = "the model has nothing called OLD, or something called NEW",
    .run = run_rename,
};
