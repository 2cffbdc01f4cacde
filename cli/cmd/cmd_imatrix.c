/* cmd_imatrix.c - gguf imatrix: importance matrices, without a model. */
#include <string.h>

#include "cmd/importances.h"
#include "command.h"
#include "input.h"
#include "pipe_in.h"

/* In the order of enum entry_order, after ENTRY_FILE. */
static const char *const imatrix_orders[] = {"name",  "columns", "count", "sum",
                                             "zeros", "mean",    "max",   NULL};
static const char *const imatrix_formats[] = {"gguf", "dat", NULL};

#define OPTION(field) offsetof(struct imatrix_options, field)

static const struct opt imatrix_options[] = {
    {"sort", 0, OPT_CHOICE, NULL,
     "show: sort by this, least first; else file order", OPTION(sort),
     imatrix_orders},
    {"reverse", 'r', OPT_FLAG, NULL, "show: with --sort, greatest first",
     OPTION(reverse), NULL},
    {"max", 'm', OPT_COUNT, "N", "check: findings told of each rule; else 10",
     OPTION(most), NULL},
    {"rules", 0, OPT_FLAG, NULL, "check: list the rules, and check nothing",
     OPTION(rules), NULL},
    {"to", 0, OPT_CHOICE, NULL,
     "merge, convert: what OUT is; else as its name says", OPTION(to),
     imatrix_formats},
    {"chunk-size", 0, OPT_COUNT, "N",
     "merge, convert: tokens in a chunk; else as IN says", OPTION(chunk_size),
     NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* ------------------------------------------------------------------- inputs */

int imatrix_fail(const struct cli *cli, const char *file, const ggk_error *err)
{
    int status = cli_fail(cli, file, err);

    return status == CLI_NO ? CLI_UNREADABLE : status;
}

ggk_source *imatrix_source(const struct cli *cli, const char *file, int *status)
{
    const char *path = input_is_stdin(file) ? "/dev/stdin" : file;
    ggk_source *source;
    ggk_error err;
    ggk_status result = pipe_in_is(file)
                            ? pipe_in_open(file, &source, &err)
                            : ggk_source_open_file(path, NULL, &source, &err);

    *status = result == GGK_OK ? CLI_DONE : imatrix_fail(cli, file, &err);
    return source;
}

int imatrix_open(const struct cli *cli, const char *file, uint32_t flags,
                 ggk_imatrix **out)
{
    int status;
    ggk_source *source = imatrix_source(cli, file, &status);
    ggk_error err;

    *out = NULL;
    if (source == NULL ||
        ggk_imatrix_open_source(source, flags, NULL, out, &err) == GGK_OK)
        return status;
    return imatrix_fail(cli, file, &err);
}

/* ------------------------------------------------------------------ actions */

const char *const imatrix_action_names[] = {"show", "check", "merge", "convert",
                                            NULL};

/* Likewise. */
static int (*const imatrix_actions[])(const struct cli *cli, int argc,
                                      char **argv) = {
    imatrix_show, imatrix_check, imatrix_merge, imatrix_convert};

#define N_ACTIONS (sizeof imatrix_actions / sizeof imatrix_actions[0])

/* The number of an action; N_ACTIONS if there is none, which was told. */
static size_t find_action(const struct cli *cli, const char *name)
{
    const char *nearest;

    for (size_t i = 0; i < N_ACTIONS; i++)
        if (strcmp(name, imatrix_action_names[i]) == 0)
            return i;
    nearest = opt_nearest(name, imatrix_action_names, N_ACTIONS);
    if (nearest != NULL)
        msg_usage(&cli->msg, "unknown action '%s' (did you mean '%s'?)", name,
                  nearest);
    else
        msg_usage(&cli->msg,
                  "unknown action '%s': show, check, merge and convert are "
                  "known",
                  name);
    return N_ACTIONS;
}

/* An option that was given and is none of the action's; NULL: none is. */
static const char *stray_option(const struct cli *cli, const char *action)
{
    const struct imatrix_options *o = cli->options;
    const struct cli_globals *g = &cli->global;
    const struct {
        const char *name;
        bool given;
        const char *of; /* the actions that have it */
    } known[] = {{"--sort", o->sort != 0, "show"},
                 {"--reverse", o->reverse, "show"},
                 {"--max", o->most != 0, "check"},
                 {"--rules", o->rules, "check"},
                 {"--to", o->to != 0, "merge convert"},
                 {"--chunk-size", o->chunk_size != 0, "merge convert"},
                 {"--output", g->output != NULL, "merge convert"},
                 {"--force", g->force, "merge convert"},
                 {"--dry-run", g->dry_run, "merge convert"}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].given && strstr(known[i].of, action) == NULL)
            return known[i].name;
    return NULL;
}

static int run_imatrix(struct cli *cli, int argc, char **argv)
{
    size_t action = find_action(cli, argv[0]);
    const char *stray;

    if (action == N_ACTIONS)
        return CLI_USAGE;
    stray = stray_option(cli, argv[0]);
    if (stray != NULL) {
        msg_usage(&cli->msg, "%s is not for 'gguf imatrix %s'", stray, argv[0]);
        return CLI_USAGE;
    }
    return imatrix_actions[action](cli, argc - 1, argv + 1);
}

static const struct cli_example imatrix_examples[] = {
    {"gguf imatrix show imatrix.gguf", "what it is from, and its entries"},
    {"gguf imatrix show --sort mean -r imatrix.gguf '*ffn_down*'",
     "where the inputs are largest"},
    {"gguf imatrix check imatrix.gguf model.gguf",
     "what is wrong with it, and which weights of the model it lacks"},
    {"gguf imatrix merge all.gguf code.gguf prose.gguf",
     "the sum of both, as llama-imatrix --in-file makes it"},
    {"gguf imatrix convert old.dat imatrix.gguf", "a .dat as a GGUF"},
    {NULL, NULL},
};

const struct command cmd_imatrix = {
    .name = "imatrix",
    .operands = "ACTION IMATRIX...",
    .min_operands = 1,
    .max_operands = CLI_ANY_OPERANDS,
    .flags = CLI_WRITES,
    .summary = "show, check, merge and convert importance matrices",
    .about =
        "ACTION is one of: show IMATRIX [PATTERN], check IMATRIX [MODEL],\n"
        "merge OUT IN..., convert IN OUT. GGUF and .dat are read and "
        "written.",
    .examples = imatrix_examples,
    .options = imatrix_options,
    .options_bytes = sizeof(struct imatrix_options),
    .no_means = "check: something is wrong; show: no entry matches PATTERN",
    .run = run_imatrix,
};
