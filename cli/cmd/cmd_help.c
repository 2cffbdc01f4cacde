/* cmd_help.c - `gguf help`: all commands, or one; for people, for the manual
 * and for shells. All of it comes from the tables of commands and options. */
#include <string.h>

#include "cmd/completion.h"
#include "command.h"
#include "show.h"

enum help_format { HELP_TEXT, HELP_SCD, HELP_BASH, HELP_ZSH, HELP_FISH };

struct help_options {
    int format; /* enum help_format */
};

static const char *const formats[] = {"scd", "bash", "zsh", "fish", NULL};

static const struct opt help_option_table[] = {
    {"format", 0, OPT_CHOICE, NULL,
     "for scdoc, or as the completions of a shell",
     offsetof(struct help_options, format), formats},
    {0},
};

/* What an exit status says, of one command or, if `c` is NULL, of any; NULL if
 * it is never used. */
static const char *exit_meaning(const struct command *c, int status)
{
    bool answers = c == NULL || c->no_means != NULL;
    bool reads = c == NULL || (c->flags & (CLI_READS_MODEL | CLI_WRITES)) != 0;

    switch (status) {
    case CLI_DONE: return answers ? "done; the answer is yes" : "done";
    case CLI_NO:
        return c != NULL ? c->no_means
                         : "the answer is no: a finding, a difference, no such "
                           "key";
    case CLI_USAGE: return "wrong usage";
    case CLI_IO: return "reading or writing failed, or memory was short";
    case CLI_UNREADABLE:
        return reads ? "a file cannot be read as what it should be" : NULL;
    case CLI_UNSUPPORTED:
        return reads ? "a file is valid, but not supported" : NULL;
    case CLI_BUG: return "a bug in gguf";
    default: return NULL;
    }
}

static const char *group_title(enum command_group group)
{
    switch (group) {
    case GROUP_LOOK: return "Look";
    case GROUP_JUDGE: return "Judge";
    case GROUP_CHANGE: return "Change";
    case GROUP_OTHER: return "Other";
    case GROUP_COUNT: break;
    }
    return "";
}

/* Whether entry `i` is the first of its group. */
static bool starts_group(size_t i)
{
    return i == 0 || cli_commands[i].group != cli_commands[i - 1].group;
}

/* -------------------------------------------------------------------- text */

void help_print_all(const struct cli *cli)
{
    const char *bold = term_style(&cli->term, TERM_BOLD);
    const char *plain = term_style(&cli->term, TERM_PLAIN);
    FILE *out = cli->out;
    size_t i;

    fputs("gguf - look into, check and change GGUF model files\n\n"
          "usage: gguf COMMAND [OPTION]... [OPERAND]...\n",
          out);
    for (i = 0; i < cli_n_commands; i++) {
        const struct command *c = cli_commands[i].command;

        if (starts_group(i))
            fprintf(out, "\n%s%s%s\n", bold, group_title(cli_commands[i].group),
                    plain);
        fprintf(out, "  %-12s%s\n", c->name, c->summary);
    }
    fprintf(out, "\n%sOptions of every command%s\n", bold, plain);
    opt_print_help(out, cli_global_options);
    fputs("\n'gguf help COMMAND' explains one command, with examples.\n", out);
}

static void print_exit_text(FILE *out, const struct command *c)
{
    int status;

    for (status = CLI_DONE; status <= CLI_BUG; status++) {
        const char *meaning = exit_meaning(c, status);

        if (meaning != NULL)
            fprintf(out, "  %-4d%s\n", status, meaning);
    }
}

void help_print_command(const struct cli *cli, const struct command *c)
{
    const char *bold = term_style(&cli->term, TERM_BOLD);
    const char *plain = term_style(&cli->term, TERM_PLAIN);
    const struct cli_example *e;
    FILE *out = cli->out;

    fprintf(out, "gguf %s - %s\n\nusage: gguf %s [OPTION]...%s%s\n\n%s\n",
            c->name, c->summary, c->name, c->operands[0] != '\0' ? " " : "",
            c->operands, c->about);
    fprintf(out, "\n%sExamples%s\n", bold, plain);
    for (e = c->examples; e->line != NULL; e++)
        fprintf(out, "  %s\n      %s\n", e->line, e->shows);
    fprintf(out, "\n%sOptions%s\n", bold, plain);
    for (int i = 0; i < CLI_OPTION_TABLES; i++)
        opt_print_help(out, command_options(c, i));
    fprintf(out, "\n%sExit status%s\n", bold, plain);
    print_exit_text(out, c);
}

/* ------------------------------------------------------------------- scdoc */

/* What the manual pages take over: the list of commands, without a heading. */
static void print_all_scdoc(FILE *out)
{
    size_t i;

    for (i = 0; i < cli_n_commands; i++) {
        const struct command *c = cli_commands[i].command;

        if (starts_group(i))
            fprintf(out, "## %s\n\n", group_title(cli_commands[i].group));
        fprintf(out, "*gguf-%s*(1)\n\t", c->name);
        opt_put_scdoc(out, c->summary);
        fputs("\n\n", out);
    }
    fputs("## Options of every command\n\n", out);
    opt_print_scdoc(out, cli_global_options);
}

/* And the options of one of them. */
static void print_command_scdoc(FILE *out, const struct command *c)
{
    for (int i = 0; i < CLI_OPTION_TABLES; i++)
        opt_print_scdoc(out, command_options(c, i));
}

/* -------------------------------------------------------------------- JSON */

static void put_option_names(struct json *j, const struct opt *options)
{
    const struct opt *o;

    for (o = options; o != NULL && o->name != NULL; o++)
        json_cstring(j, o->name);
}

static void put_command(struct json *j, size_t i)
{
    const struct command *c = cli_commands[i].command;

    json_open_object(j);
    json_put_cstring(j, "name", c->name);
    json_put_cstring(j, "group", group_title(cli_commands[i].group));
    json_put_cstring(j, "operands", c->operands);
    json_put_cstring(j, "summary", c->summary);
    json_key(j, "options");
    json_open_row(j);
    for (int table = 0; table < CLI_OPTION_TABLES; table++)
        put_option_names(j, command_options(c, table));
    json_close_array(j);
    json_close_object(j);
}

/* One command, or all if `only` is NULL. */
static void print_help_json(const struct cli *cli, const struct command *only)
{
    struct json j;
    size_t i;

    show_json_start(&j, cli);
    json_key(&j, "commands");
    json_open_array(&j);
    for (i = 0; i < cli_n_commands; i++) {
        if (only == NULL || only == cli_commands[i].command)
            put_command(&j, i);
    }
    json_close_array(&j);
    show_json_end(&j);
}

/* --------------------------------------------------------------------- run */

static int print_completion(struct cli *cli, const struct command *c,
                            enum help_format format)
{
    if (c != NULL) {
        msg_usage(&cli->msg, "completions are for all commands together");
        return CLI_USAGE;
    }
    if (format == HELP_BASH)
        completion_bash(cli->out);
    else if (format == HELP_ZSH)
        completion_zsh(cli->out);
    else
        completion_fish(cli->out);
    return CLI_DONE;
}

static void print_help_text(const struct cli *cli, const struct command *c)
{
    if (cli->global.json)
        print_help_json(cli, c);
    else if (c != NULL)
        help_print_command(cli, c);
    else
        help_print_all(cli);
}

static int run_help(struct cli *cli, int argc, char **argv)
{
    const struct help_options *o = cli->options;
    enum help_format format = (enum help_format)o->format;
    const struct command *c = NULL;

    if (argc > 0) {
        c = command_find(&cli->msg, argv[0]);
        if (c == NULL)
            return CLI_USAGE;
    }
    switch (format) {
    case HELP_TEXT: print_help_text(cli, c); break;
    case HELP_SCD:
        if (c != NULL)
            print_command_scdoc(cli->out, c);
        else
            print_all_scdoc(cli->out);
        break;
    case HELP_BASH:
    case HELP_ZSH:
    case HELP_FISH: return print_completion(cli, c, format);
    }
    return CLI_DONE;
}

static const struct cli_example help_examples[] = {
    {"gguf help", "all commands"},
    {"gguf help info", "how to use one of them; also gguf info --help"},
    {"gguf help --format=bash > /etc/bash_completion.d/gguf",
     "let the shell complete commands, options and keys"},
    {NULL, NULL},
};

const struct command cmd_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .min_operands = 0,
    .max_operands = 1,
    .summary = "list the commands, or explain one",
    .about = "Prints the list of commands, or how one of them is used.\n"
             "Also writes the completions for shells and parts of the manual.",
    .examples = help_examples,
    .options = help_option_table,
    .options_bytes = sizeof(struct help_options),
    .run = run_help,
};
