/* opt.h - options, declared once in a table.
 *
 * One table parses the command line, prints the help, the manual's OPTIONS and
 * the completions of three shells, so that these cannot disagree. Parsing is
 * libpopt's: exact names only; --name=V, --name V, -nV, -n V and bundles; "--"
 * ends the options; options and operands may be mixed.
 */
#ifndef CLI_UI_OPT_H
#define CLI_UI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What an option sets, in a struct that starts as all zeros: so zero means
 * "not given" for every kind. Of several numbers or choices the last holds. */
enum opt_kind {
    OPT_FLAG,   /* bool */
    OPT_STRING, /* const char *; a second one is refused */
    OPT_U64,    /* uint64_t */
    OPT_COUNT,  /* uint64_t, not 0 */
    OPT_SIZE,   /* uint64_t, not 0, with K M G T Ki Mi Gi Ti */
    OPT_ROOM,   /* struct opt_room: the same, or 0 */
    OPT_ALIGN,  /* uint64_t, a power of two; K and M are Ki and Mi */
    OPT_CHOICE, /* int: 1 for the first choice, 2 for the second... */
    OPT_LIST    /* struct opt_list: every value given, in order */
};

struct opt_list {
    const char **items;
    size_t n;
};

struct opt_room {
    uint64_t bytes;
    bool given;
};

struct opt {
    const char *name; /* without dashes; NULL ends a table */
    char letter;      /* 0: none */
    enum opt_kind kind;
    const char *arg;            /* "N", "FILE"; NULL for flags and choices */
    const char *help;           /* one line, lower case, no full stop */
    size_t offset;              /* offsetof() into the option struct */
    const char *const *choices; /* of OPT_CHOICE, NULL at the end: in capitals
                                   or not; "f32=float32" is f32, and the other
                                   word is taken for it, but not told */
};

/* Another name that an option is understood by, though it is not listed. */
struct opt_alias {
    const char *name; /* NULL ends a table */
    const char *of;
};

/* opt_choice_bytes - of a choice, without the other word. */
int opt_choice_bytes(const char *choice);

/* Tables that are in force together, each with the struct it fills. */
struct opt_set {
    const struct opt *options;
    void *values;
    const struct opt_alias *aliases; /* NULL: none */
};

#define OPT_MAX_SETS 4

/* What a command line was: its operands, or why it is wrong. All strings point
 * into argv. */
struct opt_result {
    int n;           /* operands */
    char **operands; /* NULL at the end */
    bool no_memory;  /* nothing is wrong with it but this */
    char error[256]; /* a sentence, in which words of the user are not yet made
                        printable; "" if all is well */
};

enum opt_order {
    OPT_MIXED,  /* options anywhere */
    OPT_LEADING /* the first operand ends them */
};

/* opt_parse - sort `argv` (which starts with the first argument, and outlives
 * the result) into options and operands. False if it is wrong: then
 * result->error says why. Whatever it returns, opt_free has to follow; it
 * empties the lists. */
bool opt_parse(const struct opt_set *sets, size_t n_sets, enum opt_order order,
               int argc, char **argv, struct opt_result *result);
void opt_free(const struct opt_set *sets, size_t n_sets,
              struct opt_result *result);

/* opt_distance - how many letters to add, drop, replace or swap with a
 * neighbour to make one word of the other; SIZE_MAX if one is very long. */
#define OPT_MAX_WORD 64
size_t opt_distance(const char *a, size_t na, const char *b, size_t nb);

/* opt_nearest - that of `n` words that `word` was probably meant to be, or
 * NULL if none is near. Of several that are as near it is the one that begins
 * most like it, and then the first. */
const char *opt_nearest(const char *word, const char *const *words, size_t n);

/* opt_print_help - one option a line, aligned.
 * opt_print_scdoc - the same for scdoc(1).
 * opt_put_scdoc - text, such that scdoc sees no markup in it. */
void opt_print_help(FILE *out, const struct opt *options);
void opt_print_scdoc(FILE *out, const struct opt *options);
void opt_put_scdoc(FILE *out, const char *text);

#endif
