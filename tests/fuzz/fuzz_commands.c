/* fuzz_commands.c - any bytes, given to the commands that show a model, as
 * `gguf COMMAND -` reads them.
 *
 * Whatever a command writes holds nothing that a terminal obeys; what --json
 * writes is JSON; and no run is a wrong usage or ends as a bug. The dump is
 * made of every input, as text and as JSON; what begins like JSON is taken for
 * a description of a new model, too; which command comes after it, the input
 * decides.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "well_formed.h"

/* A command line, as it is typed and as it is run. */
struct command_line {
    char words[48]; /* cut at the blanks by the first run, into: */
    char *argv[8];
    bool tabs; /* it may write tabs: text in lines as they are meant */
    struct cli cli;
    struct opt_result operands;
};

static struct command_line lines[] = {
    {.words = "dump -"},
    {.words = "dump --json --full -"},
    {.words = "new --dry-run none.gguf --spec -"},
    {.words = "new --dry-run --json none.gguf --spec -"},
    {.words = "check -"},
    {.words = "check --data --json --threads 1 -"},
    {.words = "check --data --threads 1 -"},
    {.words = "check --json --max 3 -"},
    {.words = "config -"},
    {.words = "config --json --ctx 4096 -"},
    {.words = "dump --compat -"},
    {.words = "dump --full --no-tensors -"},
    {.words = "dump --json -"},
    {.words = "dump --markdown --full -"},
    {.words = "dump --markdown -"},
    {.words = "get --index 1:3 - tokenizer.ggml.tokens"},
    {.words = "get --json - general.alignment"},
    {.words = "imatrix check --json -"},
    {.words = "imatrix check -"},
    {.words = "imatrix convert --dry-run --json - none"},
    {.words = "imatrix show --json -"},
    {.words = "imatrix show --sort mean -r -"},
    {.words = "info -"},
    {.words = "info --json -"},
    {.words = "keys -"},
    {.words = "keys --json - *t*"},
    {.words = "keys --names -"},
    {.words = "map --entries -"},
    {.words = "map --json --entries -"},
    {.words = "map -"},
    {.words = "name -"},
    {.words = "name --json -"},
    {.words = "stats --json --threads 1 -"},
    {.words = "stats --sort outliers -r --threads 1 -"},
    {.words = "stats --threads 1 -"},
    {.words = "template --json -"},
    {.words = "template --list -"},
    {.words = "template -", .tabs = true},
    {.words = "tensors --json --sort offset -"},
    {.words = "tensors --sort name -"},
    {.words = "vocab --find a* -"},
    {.words = "vocab --json --special -"},
    {.words = "vocab --merges -"},
    {.words = "vocab -"},
};

#define N_LINES (sizeof lines / sizeof lines[0])

_Noreturn static void fail(const struct command_line *l, const char *what,
                           const char *bytes, size_t n)
{
    fprintf(stderr, "gguf %s%s: %s:\n", l->cli.command->name,
            l->cli.global.json ? " --json" : "", what);
    fwrite(bytes, 1, n, stderr);
    abort();
}

/* --------------------------------------------------------------- beginning */

/* Cut at the blanks; returns how many words there are. */
static int cut_words(char *s, char **words)
{
    int n = 0;

    for (char *blank; (blank = strchr(s, ' ')) != NULL; s = blank + 1) {
        *blank = '\0';
        words[n++] = s;
    }
    words[n++] = s;
    return n;
}

static void prepare_line(struct command_line *l)
{
    int n = cut_words(l->words, l->argv);
    struct cli *cli = &l->cli;
    struct opt_set sets[CLI_OPTION_TABLES];
    void *options;

    cli->msg = (struct msg){stderr, l->argv[0], false, false};
    cli->command = command_find(&cli->msg, l->argv[0]);
    if (cli->command == NULL)
        abort();
    options = calloc(1, cli->command->options_bytes + 1);
    cli->options = options;
    for (int i = 0; i < CLI_OPTION_TABLES; i++) {
        sets[i].options = command_options(cli->command, i);
        sets[i].values = i == 0 ? options : &cli->global;
        sets[i].aliases = i == 0 ? cli->command->aliases : NULL;
    }
    if (!opt_parse(sets, CLI_OPTION_TABLES, OPT_MIXED, n - 1, l->argv + 1,
                   &l->operands))
        fail(l, "not understood", l->operands.error, strlen(l->operands.error));
}

/* The bytes become standard input, a file that can be read from any place. */
static void put_stdin(const uint8_t *data, size_t size)
{
    static FILE *scratch;

    if (scratch == NULL) {
        scratch = tmpfile();
        if (scratch == NULL || dup2(fileno(scratch), STDIN_FILENO) < 0)
            abort();
        for (size_t i = 0; i < N_LINES; i++)
            prepare_line(&lines[i]);
    }
    if (ftruncate(STDIN_FILENO, 0) != 0 ||
        pwrite(STDIN_FILENO, data, size, 0) != (ssize_t)size ||
        lseek(STDIN_FILENO, 0, SEEK_SET) != 0)
        abort();
}

/* ----------------------------------------------------------------- running */

static void run_line(const struct command_line *l, bool pretty)
{
    struct cli cli = l->cli;
    char *out = NULL, *said = NULL;
    size_t n_out, n_said;
    int status;

    cli.out = open_memstream(&out, &n_out);
    cli.msg.out = open_memstream(&said, &n_said);
    if (cli.out == NULL || cli.msg.out == NULL)
        abort();
    if (pretty)
        cli.term = (struct term){.tty = true, .width = 80};
    status = cli.command->run(&cli, l->operands.n, l->operands.operands);
    fclose(cli.out);
    fclose(cli.msg.out);
    if (status == CLI_USAGE || status == CLI_BUG)
        fail(l, "exit status", said, n_said);
    if (!is_plain_text(out, n_out, l->tabs))
        fail(l, "no plain text", out, n_out);
    if (!is_plain_text(said, n_said, false))
        fail(l, "no plain message", said, n_said);
    if (cli.global.json && n_out > 0 && !is_json(out, n_out))
        fail(l, "no JSON", out, n_out);
    free(out);
    free(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t sum = size;

    put_stdin(data, size);
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ data[i]) * UINT64_C(0x100000001b3);
    sum ^= sum >> 29;
    run_line(&lines[0], (sum & 1) != 0);
    run_line(&lines[1], (sum & 1) == 0);
    if (size > 0 && data[0] == '{') { /* it may be a description */
        run_line(&lines[2], (sum & 1) != 0);
        run_line(&lines[3], false);
    }
    run_line(&lines[2 + (sum >> 1) % (N_LINES - 2)], (sum >> 32 & 1) != 0);
    return 0;
}
