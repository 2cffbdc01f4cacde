/* cmd_rm.c - gguf rm: keys or tensors are removed. */
#include "edit.h"
#include "find.h"
#include "show.h"
#include "similar.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct rm_options {
    bool tensor;
    struct edit_options how;
};

static const struct opt rm_options[] = {
    {"tensor", 0, OPT_FLAG, NULL, "the names are those of tensors",
     offsetof(struct rm_options, tensor), NULL},
    EDIT_OPTIONS(rm_options),
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* What is to be removed, of the keys or of the tensors. */
struct removing {
    struct edit *edit;
    bool tensors;
    bool *marked; /* by number */
    uint64_t n;
    bool repeats; /* a name that is marked occurs several times */
};

/* -------------------------------------------------------------------- names */

static ggk_status name_at(const struct removing *r, uint64_t i, ggk_str *out,
                          ggk_error *err)
{
    ggk_kv kv;
    ggk_tensor t;
    ggk_status status;

    *out = (ggk_str){NULL, 0};
    if (r->tensors) {
        status = ggk_model_tensor(r->edit->in.model, i, &t, err);
        if (status == GGK_OK)
            *out = t.name;
    } else {
        status = ggk_model_kv(r->edit->in.model, i, &kv, err);
        if (status == GGK_OK)
            *out = kv.key;
    }
    return status;
}

/* Is there something of just that name? Its number, of several the first's. */
static bool find_exactly(const struct removing *r, ggk_str name, uint64_t *i,
                         bool *repeats)
{
    const ggk_model *model = r->edit->in.model;
    ggk_status status = r->tensors ? ggk_model_find_tensor(model, name, i, NULL)
                                   : ggk_model_find_kv(model, name, i, NULL);

    *repeats = status == GGK_E_DUPLICATE;
    return status == GGK_OK || *repeats;
}

/* Mark all of the name that number `i` is the first of; several only later, all
 * at once. */
static void mark_name(struct removing *r, uint64_t i, bool repeats)
{
    r->marked[i] = true;
    r->repeats = r->repeats || repeats;
}

/* Of names that occur several times the first is marked: mark the others. */
static ggk_status mark_repeats(struct removing *r, ggk_error *err)
{
    ggk_status status = GGK_OK;

    for (uint64_t i = 0; i < r->n && status == GGK_OK; i++) {
        uint64_t first;
        bool repeats;
        ggk_str name;

        status = name_at(r, i, &name, err);
        /* Stored names may end in a NUL that does not count. */
        if (name.len > 0 && name.ptr[name.len - 1] == '\0')
            name.len--;
        if (status == GGK_OK && find_exactly(r, name, &first, &repeats) &&
            r->marked[first])
            r->marked[i] = true;
    }
    return status;
}

/* Mark all that match, free space aside; how many they were. */
static ggk_status mark_pattern(struct removing *r, const struct find *find,
                               uint64_t *n, ggk_error *err)
{
    ggk_status status = GGK_OK;
    ggk_str name;

    *n = 0;
    for (uint64_t i = 0; i < r->n && status == GGK_OK; i++) {
        status = name_at(r, i, &name, err);
        if (status == GGK_OK && find_matches(find, name) &&
            (r->tensors || !ggk_model_kv_is_space(r->edit->in.model, i))) {
            r->marked[i] = true;
            ++*n;
        }
    }
    return status;
}

/* A word that is no name: with its escapes resolved it may be one, or it is a
 * pattern. */
static ggk_status mark_other(struct removing *r, const char *word, uint64_t *n,
                             ggk_error *err)
{
    struct find find;
    const char *bad;
    ggk_status status = GGK_OK;
    bool repeats;
    uint64_t i;

    *n = 0;
    switch (find_parse(word, &find, &bad)) {
    case FIND_PARSED: break;
    case FIND_BAD_ESCAPE: return GGK_OK;
    case FIND_NO_MEMORY: return show_no_memory(err);
    }
    if (find_exactly(r, find.exact, &i, &repeats)) {
        *n = 1;
        mark_name(r, i, repeats);
    } else {
        status = mark_pattern(r, &find, n, err);
    }
    find_free(&find);
    return status;
}

static int mark_word(struct removing *r, const char *word)
{
    const char *noun = r->tensors ? "tensor" : "key";
    char hint[SIMILAR_BYTES];
    uint64_t i, n = 1;
    ggk_error err;
    ggk_status status = GGK_OK;
    bool repeats;

    if (find_exactly(r, ggk_cstr(word), &i, &repeats))
        mark_name(r, i, repeats);
    else
        status = mark_other(r, word, &n, &err);
    if (status != GGK_OK)
        return input_fail(&r->edit->in, &err);
    if (n > 0)
        return CLI_DONE;
    msg_error(&r->edit->cli->msg, r->edit->in.name,
              "no %s has the name \"%.200s\", or matches it%s; nothing was "
              "removed",
              noun, word,
              similar_edit_hint(r->edit->in.model,
                                r->tensors ? SIMILAR_TENSOR : SIMILAR_KEY,
                                ggk_cstr(word), hint));
    return CLI_NO;
}

/* --------------------------------------------------------------------- plan */

static int note_marked(struct removing *r)
{
    for (uint64_t i = 0; i < r->n; i++) {
        struct edit_change change = {.kind = EDIT_REMOVED,
                                     .tensor = r->tensors,
                                     .kv = r->tensors ? GGK_NONE : i,
                                     .index = GGK_NONE};
        ggk_error err;

        if (!r->marked[i])
            continue;
        if (name_at(r, i, &change.name, &err) != GGK_OK)
            return input_fail(&r->edit->in, &err);
        if (!r->tensors &&
            !edit_may_touch(r->edit, change.name, EDIT_USE_REMOVE))
            return CLI_USAGE;
        if (!edit_note(r->edit, &change)) {
            show_no_memory(&err);
            return input_fail(&r->edit->in, &err);
        }
    }
    return CLI_DONE;
}

/* The number of tensors stands in every shard of a set, so that all change. */
static ggk_status plan_all_files(struct removing *r, ggk_error *err)
{
    const struct edit_gaps gaps = {NULL, r->marked};
    uint32_t n = ggk_model_n_files(r->edit->in.model);
    ggk_status status = GGK_OK;

    for (uint32_t i = 0; i < n && status == GGK_OK; i++)
        status = edit_plan_file(r->edit, i, &gaps, err);
    if (status == GGK_OK && n > 1)
        status = ggk_plan_number_shards(r->edit->plan, err);
    return status;
}

static ggk_status plan_without(struct removing *r, ggk_error *err)
{
    const struct edit_gaps gaps = {r->marked, NULL};

    return r->tensors ? plan_all_files(r, err)
                      : edit_plan_keys(r->edit, &gaps, err);
}

static int remove_words(struct removing *r, int argc, char **argv)
{
    int status = CLI_DONE;
    ggk_error err;

    for (int i = 0; i < argc && status == CLI_DONE; i++)
        status = mark_word(r, argv[i]);
    if (status == CLI_DONE && r->repeats && mark_repeats(r, &err) != GGK_OK)
        status = input_fail(&r->edit->in, &err);
    if (status == CLI_DONE)
        status = note_marked(r);
    if (status == CLI_DONE && plan_without(r, &err) != GGK_OK)
        status = input_fail(&r->edit->in, &err);
    return status == CLI_DONE ? edit_run(r->edit) : status;
}

static int run_rm(struct cli *cli, int argc, char **argv)
{
    const struct rm_options *o = cli->options;
    struct edit edit;
    struct removing r = {.edit = &edit, .tensors = o->tensor};
    ggk_error err;
    int status = edit_open(cli, argv[0], &o->how, &edit);

    if (status != CLI_DONE)
        return status;
    r.n = o->tensor ? ggk_model_n_tensors(edit.in.model)
                    : ggk_model_n_kv(edit.in.model);
    r.marked = calloc(r.n > 0 ? (size_t)r.n : 1, sizeof *r.marked);
    if (r.marked == NULL) {
        show_no_memory(&err);
        status = input_fail(&edit.in, &err);
    } else {
        status = remove_words(&r, argc - 1, argv + 1);
    }
    free(r.marked);
    return edit_close(&edit, status);
}

static const struct cli_example rm_examples[] = {
    {"gguf rm model.gguf general.url general.source.url", "two keys"},
    {"gguf rm model.gguf 'tokenizer.chat_template*'",
     "all keys that begin like this"},
    {"gguf rm --tensor model.gguf 'mtp.*' -o slim.gguf",
     "tensors, into another file"},
    {NULL, NULL},
};

const struct command cmd_rm = {
    .name = "rm",
    .operands = "FILE KEY...",
    .min_operands = 2,
    .max_operands = CLI_ANY_OPERANDS,
    .flags = CLI_READS_MODEL | CLI_READS_DATA | CLI_WRITES,
    .summary = "remove metadata keys, or tensors",
    .about =
        "Removes keys, or with --tensor tensors, by name or pattern; "
        "nothing if one of\nthem is not there. FILE is edited in place, or "
        "replaced once a new one is\nwhole; or -o writes elsewhere.",
    .examples = rm_examples,
    .options = rm_options,
    .options_bytes = sizeof(struct rm_options),
    .no_means = "the model has no such key or tensor",
    .run = run_rm,
};
