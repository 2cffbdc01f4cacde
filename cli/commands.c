/* commands.c - the commands of gguf and the options that they share. */
#include <string.h>

#include "command.h"

#define COMMAND(group, name) extern const struct command cmd_##name;
#include "commands.def"
#undef COMMAND

#define COMMAND(group, name) {group, &cmd_##name},
const struct command_entry cli_commands[] = {
#include "commands.def"
};
#undef COMMAND

const size_t cli_n_commands = sizeof cli_commands / sizeof cli_commands[0];

#define GLOBAL(field) offsetof(struct cli_globals, field)

const struct opt cli_global_options[] = {
    {"json", 0, OPT_FLAG, NULL, "print one JSON document", GLOBAL(json), NULL},
    {"color", 0, OPT_CHOICE, NULL, "use colours; auto: on a terminal",
     GLOBAL(color), term_color_choices},
    {"threads", 0, OPT_U64, "N", "work with N threads; else one for each core",
     GLOBAL(threads), NULL},
    {"quiet", 'q', OPT_FLAG, NULL, "no warnings and notes", GLOBAL(quiet),
     NULL},
    {"verbose", 'v', OPT_FLAG, NULL, "tell more", GLOBAL(verbose), NULL},
    {"help", 'h', OPT_FLAG, NULL, "print this help", GLOBAL(help), NULL},
    {0},
};

static const struct opt reading_options[] = {
    {"type-table", 0, OPT_STRING, "FILE", "read further tensor types from FILE",
     GLOBAL(type_table), NULL},
    {"offset", 0, OPT_U64, "N", "the GGUF starts at byte N of the file",
     GLOBAL(offset), NULL},
    {"single", 0, OPT_FLAG, NULL, "read this file alone, even if it is a shard",
     GLOBAL(single), NULL},
    {0},
};

static const struct opt writing_options[] = {
    {"output", 'o', OPT_STRING, "OUT", "write to OUT", GLOBAL(output), NULL},
    {"force", 0, OPT_FLAG, NULL, "replace what is there", GLOBAL(force), NULL},
    {"dry-run", 0, OPT_FLAG, NULL, "print what would be written, and stop",
     GLOBAL(dry_run), NULL},
    {0},
};

const struct opt *command_options(const struct command *c, int table)
{
    switch (table) {
    case 0: return c->options;
    case 1: return c->flags & CLI_WRITES ? writing_options : NULL;
    case 2: return c->flags & CLI_READS_MODEL ? reading_options : NULL;
    default: return cli_global_options;
    }
}

static const struct command *find_exactly(const char *name)
{
    size_t i;

    for (i = 0; i < cli_n_commands; i++) {
        if (strcmp(cli_commands[i].command->name, name) == 0)
            return cli_commands[i].command;
    }
    return NULL;
}

static const char *nearest_command(const char *name)
{
    const char *names[64];
    size_t i;

    for (i = 0; i < cli_n_commands && i < 64; i++)
        names[i] = cli_commands[i].command->name;
    return opt_nearest(name, names, i);
}

static bool looks_like_model(const char *name)
{
    size_t n = strlen(name);

    return n > 5 && strcmp(name + n - 5, ".gguf") == 0;
}

const struct command *command_find(const struct msg *m, const char *name)
{
    const struct command *c = find_exactly(name);
    const char *nearest;

    if (c != NULL)
        return c;
    nearest = nearest_command(name);
    if (strcmp(name, "undo") == 0)
        msg_usage(m,
                  "unknown command 'undo': FILE.bak of --backup, moved back, "
                  "undoes a change; 'gguf recover' one that was "
                  "interrupted");
    else if (looks_like_model(name) && find_exactly("info") != NULL)
        msg_usage(m, "unknown command '%s' (did you mean 'gguf info %s'?)",
                  name, name);
    else if (nearest != NULL)
        msg_usage(m, "unknown command '%s' (did you mean '%s'?)", name,
                  nearest);
    else
        msg_usage(m, "unknown command '%s'", name);
    return NULL;
}

size_t command_operand(const struct command *c, unsigned i, const char **name)
{
    static const char marks[] = " [].";
    const char *word = c->operands + strspn(c->operands, marks);

    while (*word != '\0') {
        size_t n = strcspn(word, marks);
        const char *next = word + n + strspn(word + n, marks);

        if (i == 0 || (*next == '\0' && strstr(word + n, "...") != NULL)) {
            *name = word;
            return n;
        }
        word = next;
        i--;
    }
    return 0;
}
