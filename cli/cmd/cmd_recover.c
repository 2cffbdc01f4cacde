/* cmd_recover.c - gguf recover: an edit in place that was interrupted is
 * undone.
 */
#include "command.h"
#include "out/text.h"
#include "show.h"
#include "ui/signals.h"

#include <string.h>

struct recover_options {
    bool dry_run;
};

static const struct opt recover_options[] = {
    {"dry-run", 0, OPT_FLAG, NULL, "tell whether there is need, and stop",
     offsetof(struct recover_options, dry_run), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

static const char *sentence(ggk_recovery recovery, bool dry)
{
    switch (recovery) {
    case GGK_RECOVERY_NONE: return "no edit of it was interrupted";
    case GGK_RECOVERY_UNDONE:
        return dry ? "an interrupted edit would be undone"
                   : "an interrupted edit was undone: the file is what it was "
                     "before";
    case GGK_RECOVERY_FOREIGN: break;
    }
    return "the journal beside it is not this file's, or not its owner's: it "
           "was left alone";
}

static const char *word(ggk_recovery recovery)
{
    switch (recovery) {
    case GGK_RECOVERY_NONE: return "none";
    case GGK_RECOVERY_UNDONE: return "undone";
    case GGK_RECOVERY_FOREIGN: break;
    }
    return "foreign";
}

static void print_json(const struct cli *cli, const char *file,
                       ggk_recovery recovery, bool dry)
{
    struct json j;

    show_json_start(&j, cli);
    json_put_string(&j, "file", file, strlen(file));
    json_put_cstring(&j, "recovery", word(recovery));
    json_put_bool(&j, "written", recovery == GGK_RECOVERY_UNDONE && !dry);
    show_json_end(&j);
}

static int run_recover(struct cli *cli, int argc, char **argv)
{
    const struct recover_options *options = cli->options;
    const bool dry = options->dry_run;
    ggk_recovery recovery;
    ggk_error err;

    (void)argc;
    signals_catch(); /* the first one does not end it halfway */
    if (ggk_recover(argv[0], dry ? GGK_RECOVER_DRY : 0, NULL, &recovery,
                    &err) != GGK_OK)
        return cli_fail(cli, argv[0], &err);
    if (cli->global.json) {
        print_json(cli, argv[0], recovery, dry);
    } else if (!cli->global.quiet) {
        text_write(cli->out, argv[0], strlen(argv[0]), TEXT_PLAIN, TEXT_WHOLE);
        fprintf(cli->out, ": %s\n", sentence(recovery, dry));
    }
    return recovery == GGK_RECOVERY_FOREIGN ? CLI_NO : CLI_DONE;
}

static const struct cli_example recover_examples[] = {
    {"gguf recover model.gguf", "after a crash or a loss of power"},
    {"gguf recover --dry-run model.gguf", "only tell whether there is need"},
    {NULL, NULL},
};

const struct command cmd_recover = {
    .name = "recover",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "undo an edit in place that was interrupted",
    .about =
        "If gguf set, rm or rename was interrupted while it edited FILE in "
        "place, makes\nFILE what it was before, byte for byte. The other "
        "commands do not read it until\nthen; those that would change it "
        "do this first.",
    .examples = recover_examples,
    .options = recover_options,
    .options_bytes = sizeof(struct recover_options),
    .no_means = "a journal lies beside FILE that is not its own",
    .run = run_recover,
};
