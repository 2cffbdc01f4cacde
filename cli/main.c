/* main.c - from the words of the command line to the command, and back with its
 * exit status. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "ui/finish.h"
#include "ui/signals.h"

static const struct opt version_options[] = {
    {"version", 0, OPT_FLAG, NULL, "print the version",
     offsetof(struct cli_globals, version), NULL},
    {0},
};

/* ------------------------------------------------------------------ errors */

static int exit_for(ggk_status status)
{
    switch (status) {
    case GGK_OK: return CLI_DONE;
    case GGK_E_TYPE:
    case GGK_E_RANGE:
    case GGK_E_NOT_FOUND: return CLI_NO;
    case GGK_E_IO:
    case GGK_E_NOMEM:
    case GGK_E_CHANGED:
    case GGK_E_EXISTS:
    case GGK_E_LOCKED:
    case GGK_E_INTERRUPTED:
    case GGK_E_CANCELLED: return CLI_IO;
    case GGK_E_SAME_FILE: return CLI_USAGE;
    case GGK_E_DUPLICATE:
    case GGK_E_MAGIC:
    case GGK_E_VERSION:
    case GGK_E_TRUNCATED:
    case GGK_E_COUNT:
    case GGK_E_STRLEN:
    case GGK_E_KV_TYPE:
    case GGK_E_ELEM_TYPE:
    case GGK_E_DEPTH:
    case GGK_E_ALIGN:
    case GGK_E_ALIGN_TYPE:
    case GGK_E_ALIGN_DUP:
    case GGK_E_NDIMS:
    case GGK_E_DIM:
    case GGK_E_OVERFLOW:
    case GGK_E_BLOCK:
    case GGK_E_OFFSET:
    case GGK_E_DATA_MISSING:
    case GGK_E_VALUE:
    case GGK_E_OVERLAP:
    case GGK_E_SPLIT:
    case GGK_E_SPLIT_MISSING:
    case GGK_E_TYPE_TABLE: return CLI_UNREADABLE;
    case GGK_E_VERSION_NEW:
    case GGK_E_LIMIT:
    case GGK_E_UNSUPPORTED: return CLI_UNSUPPORTED;
    case GGK_E_ARG:
    case GGK_E_BUG: return CLI_BUG;
    }
    return CLI_BUG;
}

#define WAY_BACK_BYTES 480

/* A name as a shell takes it; "FILE" for what does not fit, or is no text. */
static void put_shell_word(char *out, size_t bytes, const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ_./,+=:@%-";
    bool quotes = name[strspn(name, plain)] != '\0' || *name == '\0';
    size_t n = 0;

    if (*name == '-')
        n = (size_t)snprintf(out, bytes, "./");
    if (quotes)
        out[n++] = '\'';
    for (; *name != '\0' && n + 6 < bytes && (unsigned char)*name >= ' ';
         name++)
        n += (size_t)snprintf(out + n, bytes - n, "%s%c",
                              *name == '\'' ? "'\\'" : "", *name);
    snprintf(out + n, bytes - n, quotes ? "'" : "");
    if (*name != '\0')
        snprintf(out, bytes, "FILE");
}

bool cli_has_journal(const char *path)
{
    ggk_recovery recovery;
    ggk_error err;

    return ggk_recover(path, GGK_RECOVER_DRY, NULL, &recovery, &err) == GGK_OK
               ? recovery != GGK_RECOVERY_NONE
               : err.sys_errno != ENOENT;
}

/* What to do about a file whose edit was interrupted. Of a shard errors have
 * the name alone: that of its set will do, which was opened. Of a long name
 * they have the beginning. */
static void put_way_back(const struct cli *cli, const ggk_error *err,
                         const char *operand, char out[WAY_BACK_BYTES])
{
    const char *file = err->file[0] != '\0' ? err->file : operand;
    char word[WAY_BACK_BYTES - 80];

    if (file == err->file && strlen(file) + 1 == sizeof err->file)
        file = "FILE";
    else if (strchr(file, '/') == NULL && !cli_has_journal(file))
        file = operand;
    put_shell_word(word, sizeof word, file);
    snprintf(out, WAY_BACK_BYTES,
             strcmp(cli->command->name, "recover") == 0
                 ? "; nothing was done: gguf-recover(1) tells what can be"
                 : "; gguf recover %s makes it what it was, or says why not",
             word);
}

int cli_fail(const struct cli *cli, const char *file, const ggk_error *err)
{
    struct msg_place place = {err->offset, err->where};
    char way_back[WAY_BACK_BYTES] = "";

    if (err->status == GGK_E_CANCELLED && signals_caught() != 0)
        return CLI_IO; /* who sent the signal knows */
    if (err->status == GGK_E_INTERRUPTED)
        put_way_back(cli, err, file, way_back);
    if (err->file[0] != '\0')
        file = err->file;
    msg_at(&cli->msg, MSG_ERROR, file, &place, "%s%s", err->what, way_back);
    return exit_for(err->status);
}

/* ----------------------------------------------------------------- running */

static int refuse_words(const struct cli *cli, const struct opt_result *words)
{
    if (words->no_memory) {
        msg_error(&cli->msg, NULL, "%s", words->error);
        return CLI_IO;
    }
    msg_usage(&cli->msg, "%s", words->error);
    return CLI_USAGE;
}

/* What the global options ask of the streams. */
static void apply_globals(struct cli *cli)
{
    struct term err_term;

    cli->msg.quiet = cli->global.quiet;
    term_look(&cli->term, STDOUT_FILENO, (enum term_color)cli->global.color);
    term_look(&err_term, STDERR_FILENO, (enum term_color)cli->global.color);
    cli->msg.color = err_term.color;
}

static bool count_operands(const struct cli *cli,
                           const struct opt_result *words)
{
    const struct command *c = cli->command;
    unsigned n = (unsigned)words->n;
    const char *name;

    if (n < c->min_operands) {
        size_t length = command_operand(c, n, &name);

        msg_usage(&cli->msg, "no %.*s given", (int)length, name);
        return false;
    }
    if (n > c->max_operands) {
        msg_usage(&cli->msg, "'%s' is one operand too many",
                  words->operands[c->max_operands]);
        return false;
    }
    return true;
}

static int run_with(struct cli *cli, const struct opt_result *words)
{
    apply_globals(cli);
    if (cli->global.help) {
        help_print_command(cli, cli->command);
        return CLI_DONE;
    }
    if (!count_operands(cli, words))
        return CLI_USAGE;
    return cli->command->run(cli, words->n, words->operands);
}

static int run_command(struct cli *cli, int argc, char **argv)
{
    const struct command *c = cli->command;
    size_t bytes = c->options_bytes;
    void *options = calloc(1, bytes > 0 ? bytes : 1);
    struct opt_set sets[CLI_OPTION_TABLES];
    struct opt_result words;
    int status;

    if (options == NULL) {
        msg_error(&cli->msg, NULL, "not enough memory");
        return CLI_IO;
    }
    cli->options = options;
    for (int i = 0; i < CLI_OPTION_TABLES; i++) {
        sets[i].options = command_options(c, i);
        sets[i].values = i == 0 ? options : &cli->global;
        sets[i].aliases = i == 0 ? c->aliases : NULL;
    }
    if (opt_parse(sets, CLI_OPTION_TABLES, OPT_MIXED, argc, argv, &words))
        status = run_with(cli, &words);
    else
        status = refuse_words(cli, &words);
    opt_free(sets, CLI_OPTION_TABLES, &words);
    free(options);
    return status;
}

/* What stands in front of the command's name, and that. */
static int run_leading(struct cli *cli, const struct opt_result *words)
{
    if (cli->global.version) {
        fprintf(cli->out, "gguf %s\n", GGK_VERSION_STRING);
        return CLI_DONE;
    }
    if (words->n == 0) {
        apply_globals(cli);
        help_print_all(cli);
        return CLI_DONE;
    }
    cli->command = command_find(&cli->msg, words->operands[0]);
    if (cli->command == NULL)
        return CLI_USAGE;
    cli->msg.command = cli->command->name;
    return run_command(cli, words->n - 1, words->operands + 1);
}

static int run_program(struct cli *cli, int argc, char **argv)
{
    struct opt_set sets[] = {
        {cli_global_options, &cli->global, NULL},
        {version_options, &cli->global, NULL},
    };
    struct opt_result words;
    int status;

    if (opt_parse(sets, 2, OPT_LEADING, argc, argv, &words))
        status = run_leading(cli, &words);
    else
        status = refuse_words(cli, &words);
    opt_free(sets, 2, &words);
    return status;
}

int main(int argc, char **argv)
{
    struct cli cli = {.out = stdout, .msg = {.out = stderr}};
    int skip = argc > 0;
    int status;

    finish_prepare();
    signals_start();
    status = finish(&cli.msg, run_program(&cli, argc - skip, argv + skip));
    if (status == CLI_IO) /* as of what was cancelled */
        signals_die();
    return status;
}
