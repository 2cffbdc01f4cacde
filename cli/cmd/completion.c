/* completion.c - what shells need to complete a gguf command line.
 *
 * Scripts in three languages with one content: the commands, their options,
 * the values these take, and what each operand is. Keys are asked for by
 * `gguf keys --names FILE`. They come from a file that anybody may have made,
 * so bash, which would put them on the command line as they are, is given only
 * those without characters that mean something to it.
 */
#include "cmd/completion.h"

#include <string.h>

#include "cmd/importances.h"
#include "command.h"

/* What can be completed. */
enum subject {
    NOTHING,
    WORDS,
    FILES,
    FOLDERS,
    MODELS,
    KEYS,
    COMMANDS,
    TARGETS, /* what can be quantized to */
    ACTIONS  /* of gguf imatrix */
};

static bool is_word(const char *s, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(s, word, n) == 0;
}

static enum subject operand_subject(const char *name, size_t n)
{
    static const struct {
        const char *name;
        enum subject subject;
    } known[] = {
        {"FILE", MODELS},      {"IN", MODELS},     {"A", MODELS},
        {"B", MODELS},         {"SHARD", MODELS},  {"KEY", KEYS},
        {"COMMAND", COMMANDS}, {"OUT", FILES},     {"DIR", FOLDERS},
        {"TYPE", TARGETS},     {"IMATRIX", FILES}, {"ACTION", ACTIONS},
    };
    size_t i;

    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (is_word(name, n, known[i].name))
            return known[i].subject;
    }
    return NOTHING;
}

static enum subject option_subject(const struct opt *o)
{
    if (o->kind == OPT_CHOICE)
        return WORDS;
    if (o->arg == NULL)
        return NOTHING;
    if (strcmp(o->arg, "FILE") == 0 || strcmp(o->arg, "OUT") == 0)
        return FILES;
    return strcmp(o->arg, "DIR") == 0 ? FOLDERS : NOTHING;
}

/* Operand `i`, once: one that stands for all that follow ends the list. */
static bool next_operand(const struct command *c, unsigned i, const char **name,
                         size_t *n, bool *repeats)
{
    const char *next, *before;

    *n = command_operand(c, i, name);
    if (*n == 0 ||
        (i > 0 && command_operand(c, i - 1, &before) > 0 && before == *name))
        return false;
    *repeats = command_operand(c, i + 1, &next) > 0 && next == *name;
    return true;
}

/* The words an option takes; an operand, o is NULL, takes none. */
static void put_choices(FILE *out, const struct opt *o)
{
    int i;

    for (i = 0; o != NULL && o->choices[i] != NULL; i++)
        fprintf(out, "%s%.*s", i > 0 ? " " : "",
                opt_choice_bytes(o->choices[i]), o->choices[i]);
}

static void put_targets(FILE *out)
{
    const ggk_target *target;

    for (size_t i = 0; (target = ggk_target_at(i)) != NULL; i++)
        if (ggk_type_can_quantize(ggk_type_by_id(target->type)))
            fprintf(out, " %s", target->name);
}

static void put_actions(FILE *out)
{
    for (size_t i = 0; imatrix_action_names[i] != NULL; i++)
        fprintf(out, " %s", imatrix_action_names[i]);
}

/* -------------------------------------------------------------------- bash */

static const char bash_functions[] =
    "_gguf_models()\n"
    "{\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -f -X '!*.gguf' -- \"$cur\"\n"
    "        compgen -d -- \"$cur\")\n"
    "}\n"
    "\n"
    "_gguf_keys()\n"
    "{\n"
    "    local key\n"
    "\n"
    "    while IFS= read -r key; do\n"
    "        [[ $key == \"$cur\"* && $key != *[!A-Za-z0-9._-]* ]] &&\n"
    "            COMPREPLY+=(\"$key\")\n"
    "    done < <(gguf keys --names \"$file\" 2>/dev/null)\n"
    "}\n"
    "\n"
    "_gguf_complete()\n"
    "{\n"
    "    case $1 in\n"
    "    words) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") "
    ";;\n"
    "    files) compopt -o default 2>/dev/null ;;\n"
    "    folders)\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n"
    "        ;;\n"
    "    models) _gguf_models ;;\n"
    "    keys) _gguf_keys ;;\n"
    "    commands)\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$cur\")\n"
    "        ;;\n"
    "    targets)\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$targets\" -- \"$cur\")\n"
    "        ;;\n"
    "    actions)\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$actions\" -- \"$cur\")\n"
    "        ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "_gguf()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local command='' options='' valued='' operands='' words='' "
    "subject=''\n"
    "    local file='' n=0 i word\n"
    "\n"
    "    COMPREPLY=()\n"
    "    # Bash makes three words of --name=value.\n"
    "    if [[ $cur == '=' ]]; then\n"
    "        cur=''\n"
    "    elif [[ $prev == '=' ]]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n"
    "    _gguf_command ''\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ $word == '=' ]]; then\n"
    "            ((i++))\n"
    "        elif [[ $word == -* ]]; then\n"
    "            [[ \" $valued \" == *\" $word \"* &&\n"
    "                ${COMP_WORDS[i+1]} != '=' ]] && ((i++))\n"
    "        elif [[ -z $command ]]; then\n"
    "            command=$word\n"
    "            _gguf_command \"$command\"\n"
    "        else\n"
    "            [[ -z $file ]] && file=$word\n"
    "            ((n++))\n"
    "        fi\n"
    "    done\n"
    "    if [[ \" $valued \" == *\" $prev \"* ]]; then\n"
    "        _gguf_value \"$command$prev\"\n"
    "        _gguf_complete \"$subject\"\n"
    "    elif [[ $cur == -* ]]; then\n"
    "        words=$options\n"
    "        _gguf_complete words\n"
    "    else\n"
    "        for subject in $operands; do\n"
    "            [[ $subject == *+ ]] && break\n"
    "            ((n-- == 0)) && break\n"
    "            subject=''\n"
    "        done\n"
    "        _gguf_complete \"${subject%+}\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "complete -F _gguf gguf\n";

static const char *bash_subject(enum subject subject)
{
    switch (subject) {
    case NOTHING: return "nothing";
    case WORDS: return "words";
    case FILES: return "files";
    case FOLDERS: return "folders";
    case MODELS: return "models";
    case KEYS: return "keys";
    case COMMANDS: return "commands";
    case TARGETS: return "targets";
    case ACTIONS: return "actions";
    }
    return "";
}

static void bash_options(FILE *out, const struct opt *options, bool valued)
{
    const struct opt *o;

    for (o = options; o != NULL && o->name != NULL; o++) {
        if (valued && o->kind == OPT_FLAG)
            continue;
        fprintf(out, " --%s", o->name);
        if (o->letter != 0)
            fprintf(out, " -%c", o->letter);
    }
}

static void bash_command(FILE *out, const struct command *c)
{
    const char *name;
    size_t n;
    bool repeats;
    unsigned i;
    int table;

    fprintf(out, "    %s)\n        options='", c->name);
    for (table = 0; table < CLI_OPTION_TABLES; table++)
        bash_options(out, command_options(c, table), false);
    fputs("'\n        valued='", out);
    for (table = 0; table < CLI_OPTION_TABLES; table++)
        bash_options(out, command_options(c, table), true);
    fputs("'\n        operands='", out);
    for (i = 0; next_operand(c, i, &name, &n, &repeats); i++)
        fprintf(out, " %s%s", bash_subject(operand_subject(name, n)),
                repeats ? "+" : "");
    fputs("'\n        ;;\n", out);
}

/* What the options of one table take; `command` "*" for those of all. */
static void bash_values(FILE *out, const char *command,
                        const struct opt *options)
{
    const struct opt *o;

    for (o = options; o != NULL && o->name != NULL; o++) {
        enum subject subject = option_subject(o);

        if (subject == NOTHING)
            continue;
        fprintf(out, "    %s--%s", command, o->name);
        if (o->letter != 0)
            fprintf(out, " | %s-%c", command, o->letter);
        fprintf(out, ") subject=%s", bash_subject(subject));
        if (subject == WORDS) {
            fputs(" words='", out);
            put_choices(out, o);
            fputs("'", out);
        }
        fputs(" ;;\n", out);
    }
}

void completion_bash(FILE *out)
{
    size_t i;

    fputs("# Completion of gguf for bash, by `gguf help --format=bash`.\n\n"
          "# What command $1 takes.\n"
          "_gguf_command()\n{\n"
          "    commands='",
          out);
    for (i = 0; i < cli_n_commands; i++)
        fprintf(out, " %s", cli_commands[i].command->name);
    fputs("'\n    targets='", out);
    put_targets(out);
    fputs("'\n    actions='", out);
    put_actions(out);
    fputs("'\n    case $1 in\n    '')\n        options='", out);
    bash_options(out, cli_global_options, false);
    fputs(" --version'\n        valued='", out);
    bash_options(out, cli_global_options, true);
    fputs("'\n        operands=commands\n        ;;\n", out);
    for (i = 0; i < cli_n_commands; i++)
        bash_command(out, cli_commands[i].command);
    fputs("    *) options='' valued='' operands='' ;;\n    esac\n}\n\n"
          "# What the option of $1, a command and an option, takes.\n"
          "_gguf_value()\n{\n    case $1 in\n",
          out);
    for (i = 0; i < cli_n_commands; i++) {
        const struct command *c = cli_commands[i].command;

        for (int table = 0; table < CLI_OPTION_TABLES - 1; table++)
            bash_values(out, c->name, command_options(c, table));
    }
    bash_values(out, "*", cli_global_options);
    fputs("    esac\n}\n\n", out);
    fputs(bash_functions, out);
}

/* --------------------------------------------------------------------- zsh */

static const char zsh_functions[] =
    "_gguf_models() {\n"
    "    _files -g '*.gguf(-.)'\n"
    "}\n"
    "\n"
    "_gguf_keys() {\n"
    "    local word\n"
    "    local -a keys\n"
    "\n"
    "    for word in \"${(@Q)words[2,-1]}\"; do\n"
    "        [[ -f $word ]] || continue\n"
    "        keys=(${(f)\"$(gguf keys --names $word 2>/dev/null)\"})\n"
    "        compadd -a keys\n"
    "        return\n"
    "    done\n"
    "}\n"
    "\n";

/* Inside single quotes, where zsh's _arguments gives meaning to brackets and
 * _describe to colons. */
static void zsh_text(FILE *out, const char *s)
{
    for (; *s != '\0'; s++) {
        if (*s == '\'') {
            fputs("'\\''", out);
        } else {
            if (strchr("[]:\\", *s) != NULL)
                putc('\\', out);
            putc(*s, out);
        }
    }
}

static void zsh_action(FILE *out, enum subject subject, const struct opt *o)
{
    switch (subject) {
    case NOTHING: putc(' ', out); break;
    case WORDS:
        putc('(', out);
        put_choices(out, o);
        putc(')', out);
        break;
    case FILES: fputs("_files", out); break;
    case FOLDERS: fputs("_files -/", out); break;
    case MODELS: fputs("_gguf_models", out); break;
    case KEYS: fputs("_gguf_keys", out); break;
    case COMMANDS: fputs("_gguf_commands", out); break;
    case TARGETS:
        putc('(', out);
        put_targets(out);
        putc(')', out);
        break;
    case ACTIONS:
        putc('(', out);
        put_actions(out);
        putc(')', out);
        break;
    }
}

static void zsh_option(FILE *out, const struct opt *o, const char *dashes,
                       const char *name, int name_bytes)
{
    bool takes_value = o->kind != OPT_FLAG;

    fprintf(out, " \\\n            '%s%s%.*s%s[",
            o->kind == OPT_LIST ? "*" : "", dashes, name_bytes, name,
            !takes_value         ? ""
            : strlen(dashes) > 1 ? "="
                                 : "+");
    zsh_text(out, o->help);
    putc(']', out);
    if (takes_value) {
        putc(':', out);
        zsh_text(out, o->arg != NULL ? o->arg : "value");
        putc(':', out);
        zsh_action(out, option_subject(o), o);
    }
    putc('\'', out);
}

static void zsh_options(FILE *out, const struct opt *options)
{
    const struct opt *o;

    for (o = options; o != NULL && o->name != NULL; o++) {
        zsh_option(out, o, "--", o->name, (int)strlen(o->name));
        if (o->letter != 0)
            zsh_option(out, o, "-", &o->letter, 1);
    }
}

static void zsh_command(FILE *out, const struct command *c)
{
    const char *name;
    size_t n;
    bool repeats;
    unsigned i;
    int table;

    fprintf(out, "        %s)\n            _arguments -s -S", c->name);
    for (table = 0; table < CLI_OPTION_TABLES; table++)
        zsh_options(out, command_options(c, table));
    for (i = 0; next_operand(c, i, &name, &n, &repeats); i++) {
        if (repeats)
            fprintf(out, " \\\n            '*:%.*s:", (int)n, name);
        else
            fprintf(out, " \\\n            '%u:%.*s:", i + 1, (int)n, name);
        zsh_action(out, operand_subject(name, n), NULL);
        putc('\'', out);
    }
    fputs("\n            ;;\n", out);
}

void completion_zsh(FILE *out)
{
    size_t i;

    fputs("#compdef gguf\n"
          "# Completion of gguf for zsh, by `gguf help --format=zsh`.\n\n"
          "_gguf_commands() {\n    local -a commands=(\n",
          out);
    for (i = 0; i < cli_n_commands; i++) {
        fprintf(out, "        '%s:", cli_commands[i].command->name);
        zsh_text(out, cli_commands[i].command->summary);
        fputs("'\n", out);
    }
    fputs("    )\n    _describe command commands\n}\n\n", out);
    fputs(zsh_functions, out);
    fputs("_gguf() {\n"
          "    local context state state_descr line\n"
          "    typeset -A opt_args\n\n"
          "    _arguments -C -s -S",
          out);
    zsh_options(out, cli_global_options);
    fputs(" \\\n            '--version[print the version]'"
          " \\\n            '1:command:_gguf_commands'"
          " \\\n            '*::operand:->operands'\n"
          "    [[ $state == operands ]] || return\n"
          "    case $words[1] in\n",
          out);
    for (i = 0; i < cli_n_commands; i++)
        zsh_command(out, cli_commands[i].command);
    fputs("    esac\n}\n\n_gguf \"$@\"\n", out);
}

/* -------------------------------------------------------------------- fish */

static const char fish_functions[] =
    "function __gguf_keys\n"
    "    for word in (commandline -opc)[3..-1]\n"
    "        if test -f $word\n"
    "            gguf keys --names $word 2>/dev/null\n"
    "            return\n"
    "        end\n"
    "    end\n"
    "end\n"
    "\n"
    "complete -c gguf -f\n";

static void fish_text(FILE *out, const char *s)
{
    for (; *s != '\0'; s++) {
        if (*s == '\'' || *s == '\\')
            putc('\\', out);
        putc(*s, out);
    }
}

static void fish_subject(FILE *out, enum subject subject, const struct opt *o)
{
    size_t i;

    switch (subject) {
    case NOTHING: break;
    case WORDS:
        fputs(" -a '", out);
        put_choices(out, o);
        putc('\'', out);
        break;
    case FILES: fputs(" -F", out); break;
    case FOLDERS: fputs(" -a '(__fish_complete_directories)'", out); break;
    case MODELS: fputs(" -k -a '(__fish_complete_suffix .gguf)'", out); break;
    case KEYS: fputs(" -a '(__gguf_keys)'", out); break;
    case COMMANDS:
        fputs(" -a '", out);
        for (i = 0; i < cli_n_commands; i++)
            fprintf(out, " %s", cli_commands[i].command->name);
        putc('\'', out);
        break;
    case TARGETS:
        fputs(" -a '", out);
        put_targets(out);
        putc('\'', out);
        break;
    case ACTIONS:
        fputs(" -a '", out);
        put_actions(out);
        putc('\'', out);
        break;
    }
}

/* "-n CONDITION" for options and operands of one command, or of all. */
static void fish_complete(FILE *out, const struct command *c)
{
    fputs("complete -c gguf", out);
    if (c != NULL)
        fprintf(out, " -n '__fish_seen_subcommand_from %s'", c->name);
}

static void fish_options(FILE *out, const struct command *c,
                         const struct opt *options)
{
    const struct opt *o;

    for (o = options; o != NULL && o->name != NULL; o++) {
        fish_complete(out, c);
        fprintf(out, " -l %s", o->name);
        if (o->letter != 0)
            fprintf(out, " -s %c", o->letter);
        if (o->kind != OPT_FLAG)
            fputs(option_subject(o) == FILES ? " -r" : " -x", out);
        fish_subject(out, option_subject(o), o);
        fputs(" -d '", out);
        fish_text(out, o->help);
        fputs("'\n", out);
    }
}

static void fish_command(FILE *out, const struct command *c)
{
    const char *name;
    size_t n;
    bool repeats;
    unsigned i;

    fprintf(out, "complete -c gguf -n __fish_use_subcommand -a %s -d '",
            c->name);
    fish_text(out, c->summary);
    fputs("'\n", out);
    for (int table = 0; table < CLI_OPTION_TABLES - 1; table++)
        fish_options(out, c, command_options(c, table));
    for (i = 0; next_operand(c, i, &name, &n, &repeats); i++) {
        if (operand_subject(name, n) == NOTHING)
            continue;
        fish_complete(out, c);
        fish_subject(out, operand_subject(name, n), NULL);
        putc('\n', out);
    }
}

void completion_fish(FILE *out)
{
    size_t i;

    fputs("# Completion of gguf for fish, by `gguf help --format=fish`.\n\n",
          out);
    fputs(fish_functions, out);
    fish_options(out, NULL, cli_global_options);
    fputs("complete -c gguf -n __fish_use_subcommand -l version"
          " -d 'print the version'\n",
          out);
    for (i = 0; i < cli_n_commands; i++)
        fish_command(out, cli_commands[i].command);
}
