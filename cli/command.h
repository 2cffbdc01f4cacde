/* command.h - what a command is, and what it is given.
 *
 * Each command is one file, cmd/cmd_<name>.c, that defines one constant
 * `const struct command cmd_<name>`; a line in commands.def puts it into the
 * program. A command file reads top to bottom: option struct, option table,
 * the work, its text and its JSON, run function, the constant.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ggk.h"
#include "ui/msg.h"
#include "ui/opt.h"
#include "ui/term.h"

/* Exit status, of every command. */
enum cli_exit {
    CLI_DONE = 0,        /* done; the answer is yes */
    CLI_NO = 1,          /* the answer is no */
    CLI_USAGE = 2,       /* wrong usage */
    CLI_IO = 3,          /* input, output or memory failed */
    CLI_UNREADABLE = 4,  /* an input is not what it should be */
    CLI_UNSUPPORTED = 5, /* valid, but not something gguf does */
    CLI_BUG = 70         /* a bug in gguf */
};

/* The options that all commands have, those of commands that read models
 * (CLI_READS_MODEL), and those of commands that write them (CLI_WRITES). */
struct cli_globals {
    bool json;
    bool quiet;
    bool verbose;
    bool help;
    bool version;           /* only before the command */
    int color;              /* enum term_color */
    uint64_t threads;       /* 0: as many as there are cores */
    const char *type_table; /* NULL: none */
    uint64_t offset;
    bool single;
    const char *output; /* of -o; NULL: none */
    bool force;
    bool dry_run;
};

struct command;

/* One run of the program. */
struct cli {
    const struct command *command;
    const void *options; /* the command's own option struct, filled in */
    struct cli_globals global;
    FILE *out;        /* results; nothing else goes there */
    struct term term; /* what `out` is */
    struct msg msg;   /* everything else goes there */
};

struct cli_example {
    const char *line;  /* "gguf info model.gguf" */
    const char *shows; /* what for, in a few words, lower case, no full stop */
};

#define CLI_READS_MODEL  1u /* has --type-table, --offset, --single */
#define CLI_READS_DATA   2u /* reads tensors, so its inputs are not mapped */
#define CLI_WRITES       4u /* has --force, --dry-run */
#define CLI_TAKES_PIPES  8u /* reads tensors, but not always */
#define CLI_ANY_OPERANDS UINT_MAX

struct command {
    const char *name;
    const char *operands;  /* "FILE [PATTERN]"; "" if none. A word FILE is
                              completed with the names of models */
    unsigned min_operands; /* checked before `run` */
    unsigned max_operands;
    unsigned flags;
    const char *summary; /* one line, lower case, no full stop */
    const char *about;   /* two lines of up to 76 columns, newline between */
    const struct cli_example *examples; /* {NULL, NULL} at the end */
    const struct opt *options;          /* NULL: no own options */
    const struct opt_alias *aliases;    /* of these; NULL: none */
    size_t options_bytes;               /* sizeof the struct they fill */
    const char *no_means; /* exit status 1 means this; NULL: never used */
    int (*run)(struct cli *cli, int argc, char **argv); /* argv: operands only;
                                                           returns cli_exit */
};

/* cli_fail - tell what is wrong with `file`; returns the exit status for it. */
int cli_fail(const struct cli *cli, const char *file, const ggk_error *err);

/* cli_has_journal - is there a journal of an edit where that of the file lies?
 */
bool cli_has_journal(const char *path);

/* The groups and the commands in them, in the order of `gguf help`. */
enum command_group {
    GROUP_LOOK,
    GROUP_JUDGE,
    GROUP_CHANGE,
    GROUP_OTHER,
    GROUP_COUNT
};

struct command_entry {
    enum command_group group;
    const struct command *command;
};

extern const struct command_entry cli_commands[];
extern const size_t cli_n_commands;
extern const struct opt cli_global_options[];

/* command_options - the tables of a command's options, as help lists them: its
 * own, those of its kind, those of all. An empty one is NULL. */
#define CLI_OPTION_TABLES 4
const struct opt *command_options(const struct command *c, int table);

/* command_find - the command of exactly that name; if there is none NULL, after
 * a message about wrong usage. */
const struct command *command_find(const struct msg *m, const char *name);

/* command_operand - the name of operand `i` of a command, "FILE" for the first
 * of "FILE [KEY]..."; the last, if it ends in "...", stands for all that
 * follow. Returns its length; 0 if there is no such operand. */
size_t command_operand(const struct command *c, unsigned i, const char **name);

/* help_print_all / _command - what `gguf help` and `gguf help COMMAND` print.
 */
void help_print_all(const struct cli *cli);
void help_print_command(const struct cli *cli, const struct command *c);

#endif
