/* opt.c - options, declared once in a table.
 *
 * Libpopt sorts out the words. It hands back copies of them; here every string
 * is traced to the argument it came from, so that nothing has to be freed, and
 * so that its one surprise does not pass silently: popt replaces "!#:+" in a
 * value by the next operand, and then there is no such argument.
 *
 * Where memory is short, popt leaves a word out, or ends the process with exit
 * status 1, which would be an answer: so missing words are noticed, and its
 * exit is turned into the right one.
 */
#include "ui/opt.h"

#include <assert.h>
#include <popt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "out/fmt.h"

enum { MAX_OPTIONS = 64, HELP_COLUMN = 28, EXIT_NO_MEMORY = 3 };

/* One option in force, by one of its names. */
struct slot {
    const char *name;
    const struct opt *opt;
    char *values; /* the struct it sets a field of */
};

struct parser {
    size_t n;
    struct slot slots[MAX_OPTIONS];
    struct poptOption table[MAX_OPTIONS + 1];
    int argc;
    char **argv;
    size_t n_values; /* that options were given */
    struct opt_result *result;
};

static bool refuse(struct parser *p, const char *format, ...)
    __attribute__((__format__(__printf__, 2, 3)));

static bool refuse(struct parser *p, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(p->result->error, sizeof p->result->error, format, args);
    va_end(args);
    return false;
}

static bool refuse_memory(struct parser *p)
{
    p->result->no_memory = true;
    return refuse(p, "not enough memory");
}

static void add_slot(struct parser *p, const struct opt_set *set,
                     const struct opt *o, const char *name)
{
    assert(p->n < MAX_OPTIONS);
    p->slots[p->n] = (struct slot){name, o, set->values};
    p->table[p->n] = (struct poptOption){
        .longName = name,
        .shortName = name == o->name ? o->letter : 0,
        .argInfo = o->kind == OPT_FLAG ? POPT_ARG_NONE : POPT_ARG_STRING,
        .val = (int)p->n + 1,
    };
    p->n++;
}

static void collect(struct parser *p, const struct opt_set *sets, size_t n_sets)
{
    const struct opt *o;
    const struct opt_alias *a;
    size_t i;

    for (i = 0; i < n_sets; i++) {
        for (o = sets[i].options; o != NULL && o->name != NULL; o++) {
            add_slot(p, &sets[i], o, o->name);
            for (a = sets[i].aliases; a != NULL && a->name != NULL; a++)
                if (strcmp(a->of, o->name) == 0)
                    add_slot(p, &sets[i], o, a->name);
        }
    }
}

/* ------------------------------------------------------------ nearest name */

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t opt_distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t rows[3][OPT_MAX_WORD + 1];
    size_t i, j;

    if (na > OPT_MAX_WORD || nb > OPT_MAX_WORD)
        return SIZE_MAX;
    for (j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (i = 1; i <= na; i++) {
        size_t *now = rows[i % 3];
        const size_t *last = rows[(i - 1) % 3];
        const size_t *before = rows[(i + 1) % 3];

        now[0] = i;
        for (j = 1; j <= nb; j++) {
            now[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = min_size(now[j], 1 + min_size(last[j], now[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = min_size(now[j], before[j - 2] + 1);
        }
    }
    return rows[na % 3][nb];
}

/* How many letters two words begin with alike. */
static size_t alike(const char *a, const char *b)
{
    size_t n = 0;

    while (a[n] != '\0' && a[n] == b[n])
        n++;
    return n;
}

const char *opt_nearest(const char *word, const char *const *words, size_t n)
{
    size_t length = strlen(word), i;
    size_t best = length / 3 + 2; /* nearer than this is near */
    const char *nearest = NULL;

    for (i = 0; i < n; i++) {
        size_t distance =
            opt_distance(word, length, words[i], strlen(words[i]));

        /* The beginning of a word is as good as a slip. */
        if (length >= 2 && strncmp(word, words[i], length) == 0)
            distance = min_size(distance, 1);
        if (distance >= length || distance > best)
            continue;
        if (distance < best ||
            (nearest != NULL && alike(word, words[i]) > alike(word, nearest))) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

static bool refuse_unknown(struct parser *p, const char *word)
{
    const char *names[MAX_OPTIONS];
    const char *dashless = word + strspn(word, "-");
    size_t length = strcspn(dashless, "=");
    const char *nearest = NULL;
    char name[OPT_MAX_WORD];
    size_t i;

    for (i = 0; i < p->n; i++)
        names[i] = p->slots[i].name;
    if (length < sizeof name) {
        memcpy(name, dashless, length);
        name[length] = '\0';
        nearest = opt_nearest(name, names, p->n);
    }
    for (i = 0; nearest != NULL && nearest != names[i]; i++)
        ;
    length += (size_t)(dashless - word);
    if (nearest == NULL)
        return refuse(p, "unknown option '%.*s'", (int)min_size(length, 100),
                      word);
    return refuse(p, "unknown option '%.*s' (did you mean '--%s'?)",
                  (int)min_size(length, 100), word, p->slots[i].opt->name);
}

/* ------------------------------------------------------------------ values */

/* The end of an argument that reads `value`, or NULL. */
static const char *trace_value(const struct parser *p, const char *value)
{
    size_t n = strlen(value);
    int i;

    for (i = 0; i < p->argc; i++) {
        size_t length = strlen(p->argv[i]);

        if (length >= n && strcmp(p->argv[i] + length - n, value) == 0)
            return p->argv[i] + length - n;
    }
    return NULL;
}

static bool append(struct parser *p, struct opt_list *list, const char *value)
{
    if ((list->n & (list->n - 1)) == 0) { /* full: 0, 1, 2, 4, 8... */
        size_t room = list->n == 0 ? 1 : 2 * list->n;
        const char **items = realloc(list->items, room * sizeof *items);

        if (items == NULL)
            return refuse_memory(p);
        list->items = items;
    }
    list->items[list->n++] = value;
    return true;
}

static bool set_list(struct parser *p, void *field, const char *value)
{
    struct opt_list list;
    bool ok;

    memcpy(&list, field, sizeof list);
    ok = append(p, &list, value);
    memcpy(field, &list, sizeof list);
    return ok;
}

/* Which of two was meant nobody can tell, and each may have taken effort. */
static bool set_string(struct parser *p, const struct opt *o, void *field,
                       const char *value)
{
    const char *before;

    memcpy(&before, field, sizeof before);
    if (before != NULL)
        return refuse(p, "--%s is given twice: '%.80s' and '%.80s'", o->name,
                      before, value);
    memcpy(field, &value, sizeof value);
    return true;
}

static bool set_number(struct parser *p, const struct opt *o, void *field,
                       const char *value)
{
    bool is_size = o->kind == OPT_SIZE || o->kind == OPT_ROOM;
    struct opt_room room = {0, true};
    uint64_t v = 0;

    switch (is_size ? fmt_parse_size(value, &v) : fmt_parse_u64(value, &v)) {
    case FMT_PARSED:
        if (v == 0 && o->kind != OPT_U64 && o->kind != OPT_ROOM)
            return refuse(p, "--%s: 0 is too small", o->name);
        room.bytes = v;
        if (o->kind == OPT_ROOM)
            memcpy(field, &room, sizeof room);
        else
            memcpy(field, &v, sizeof v);
        return true;
    case FMT_TOO_BIG:
        return refuse(p, "--%s: '%.100s' is too large", o->name, value);
    case FMT_JUNK: break;
    }
    return refuse(p, "--%s: '%.100s' is not %s", o->name, value,
                  is_size ? "a size, such as 4096, 2G or 512Mi"
                          : "a whole number");
}

/* No power of two is a multiple of 1000: "4K" can only be 4096. */
static enum fmt_parsed parse_alignment(const char *value, uint64_t *out)
{
    char binary[32];
    size_t n = strlen(value);

    if (n == 0 || n > 28 || strchr("kKMGT", value[n - 1]) == NULL)
        return fmt_parse_size(value, out);
    snprintf(binary, sizeof binary, "%si", value);
    return fmt_parse_size(binary, out);
}

static bool set_alignment(struct parser *p, const struct opt *o, void *field,
                          const char *value)
{
    uint64_t v = 0;

    if (parse_alignment(value, &v) != FMT_PARSED || v == 0 ||
        (v & (v - 1)) != 0)
        return refuse(p,
                      "--%s: '%.100s' is not a power of two, such as 32, 4096 "
                      "or 4K",
                      o->name, value);
    memcpy(field, &v, sizeof v);
    return true;
}

int opt_choice_bytes(const char *choice)
{
    return (int)strcspn(choice, "=");
}

static void append_text(char *text, size_t room, const char *more)
{
    size_t n = strlen(text);

    snprintf(text + n, room - n, "%s", more);
}

static void append_choice(char *text, size_t room, const char *choice)
{
    size_t n = strlen(text);

    snprintf(text + n, room - n, "%.*s", opt_choice_bytes(choice), choice);
}

static bool is_choice(const char *choice, const char *value)
{
    size_t n = (size_t)opt_choice_bytes(choice);

    if (strlen(value) == n && strncasecmp(choice, value, n) == 0)
        return true;
    return choice[n] == '=' && strcasecmp(choice + n + 1, value) == 0;
}

static bool set_choice(struct parser *p, const struct opt *o, void *field,
                       const char *value)
{
    char all[128] = "";
    int i;

    for (i = 0; o->choices[i] != NULL; i++) {
        int number = i + 1;

        if (is_choice(o->choices[i], value)) {
            memcpy(field, &number, sizeof number);
            return true;
        }
        if (i > 0)
            append_text(all, sizeof all, ", ");
        append_choice(all, sizeof all, o->choices[i]);
    }
    return refuse(p, "--%s: '%.60s' is none of %s", o->name, value, all);
}

static bool set_value(struct parser *p, const struct slot *slot,
                      const char *value)
{
    const struct opt *o = slot->opt;
    void *field = slot->values + o->offset;

    switch (o->kind) {
    case OPT_FLAG: break; /* has no value */
    case OPT_STRING: return set_string(p, o, field, value);
    case OPT_U64:
    case OPT_COUNT:
    case OPT_SIZE:
    case OPT_ROOM: return set_number(p, o, field, value);
    case OPT_ALIGN: return set_alignment(p, o, field, value);
    case OPT_CHOICE: return set_choice(p, o, field, value);
    case OPT_LIST: return set_list(p, field, value);
    }
    return false;
}

/* ----------------------------------------------------------------- parsing */

static bool take_option(struct parser *p, poptContext popt, int number)
{
    const struct slot *slot = &p->slots[number - 1];
    const bool on = true;
    const char *value;
    char *copy;

    assert((size_t)number <= p->n && slot->opt != NULL);
    if (slot->opt->kind == OPT_FLAG) {
        memcpy(slot->values + slot->opt->offset, &on, sizeof on);
        return true;
    }
    copy = poptGetOptArg(popt);
    if (copy == NULL)
        return refuse_memory(p);
    p->n_values++;
    value = trace_value(p, copy);
    free(copy);
    if (value == NULL)
        return refuse(p, "--%s: its value cannot be read", slot->opt->name);
    return set_value(p, slot, value);
}

static bool take_options(struct parser *p, poptContext popt)
{
    const char *word;
    int number;

    while ((number = poptGetNextOpt(popt)) > 0) {
        if (!take_option(p, popt, number))
            return false;
    }
    if (number == -1)
        return true;
    word = poptBadOption(popt, POPT_BADOPTION_NOALIAS);
    switch (number) {
    case POPT_ERROR_BADOPT: return refuse_unknown(p, word);
    case POPT_ERROR_NOARG:
        return refuse(p, "option '%.100s' needs a value", word);
    case POPT_ERROR_UNWANTEDARG:
        return refuse(p, "option '%.*s' takes no value",
                      (int)min_size(strcspn(word, "="), 100), word);
    default: return refuse(p, "'%.100s': %.100s", word, poptStrerror(number));
    }
}

/* Did popt lose the operands? It has none, but there are words that are neither
 * options nor their values. */
static bool lost_operands(const struct parser *p)
{
    size_t words = 0, values = p->n_values;
    int i;

    for (i = 0; i < p->argc; i++) {
        const char *word = p->argv[i];

        if (word[0] != '-' || word[1] == '\0')
            words++;
        else if (strchr(word, '=') != NULL && values > 0)
            values--; /* --name=value, or a value that looks like that */
    }
    return p->result->n == 0 && words > values;
}

/* Operands stand in argv in their order, so each is found behind the last. */
static bool take_operands(struct parser *p, poptContext popt)
{
    struct opt_result *r = p->result;
    const char *operand;
    int i = 0;

    r->operands = calloc((size_t)p->argc + 1, sizeof *r->operands);
    if (r->operands == NULL)
        return refuse_memory(p);
    while (poptGetArgs(popt) != NULL) {
        operand = poptGetArg(popt);
        if (operand == NULL)
            return refuse_memory(p);
        while (i < p->argc && strcmp(p->argv[i], operand) != 0)
            i++;
        assert(i < p->argc);
        r->operands[r->n++] = p->argv[i++];
    }
    return lost_operands(p) ? refuse_memory(p) : true;
}

static bool popt_works;

static void end_rightly(void)
{
    if (popt_works)
        _exit(EXIT_NO_MEMORY);
}

/* Popt may end the process from here on, or no longer. */
static void enter_popt(bool enters)
{
    static bool registered;

    popt_works = enters;
    if (!registered)
        registered = atexit(end_rightly) == 0;
}

bool opt_parse(const struct opt_set *sets, size_t n_sets, enum opt_order order,
               int argc, char **argv, struct opt_result *result)
{
    struct parser p = {.argc = argc, .argv = argv, .result = result};
    unsigned flags = POPT_CONTEXT_KEEP_FIRST | POPT_CONTEXT_NO_EXEC;
    const char **words;
    poptContext popt = NULL;
    bool ok;

    memset(result, 0, sizeof *result);
    collect(&p, sets, n_sets);
    if (order == OPT_LEADING)
        flags |= POPT_CONTEXT_POSIXMEHARDER;
    words = calloc((size_t)argc + 1, sizeof *words);
    enter_popt(true);
    if (words != NULL) {
        memcpy(words, argv, (size_t)argc * sizeof *words);
        popt = poptGetContext(NULL, argc, words, p.table, flags);
    }
    if (popt == NULL)
        ok = refuse_memory(&p);
    else
        ok = take_options(&p, popt) && take_operands(&p, popt);
    poptFreeContext(popt);
    enter_popt(false);
    free(words);
    return ok;
}

void opt_free(const struct opt_set *sets, size_t n_sets,
              struct opt_result *result)
{
    const struct opt *o;
    size_t i;

    for (i = 0; i < n_sets; i++) {
        for (o = sets[i].options; o != NULL && o->name != NULL; o++) {
            struct opt_list list;
            char *field = (char *)sets[i].values + o->offset;

            if (o->kind != OPT_LIST)
                continue;
            memcpy(&list, field, sizeof list);
            free(list.items);
            memset(field, 0, sizeof list);
        }
    }
    free(result->operands);
    result->operands = NULL;
    result->n = 0;
}

/* ---------------------------------------------------------------- printing */

/* "N", "auto|always|never", or "" for a flag. */
static void describe_value(const struct opt *o, char *text, size_t room)
{
    int i;

    text[0] = '\0';
    if (o->arg != NULL)
        append_text(text, room, o->arg);
    for (i = 0; o->kind == OPT_CHOICE && o->choices[i] != NULL; i++) {
        if (i > 0)
            append_text(text, room, "|");
        append_choice(text, room, o->choices[i]);
    }
}

void opt_print_help(FILE *out, const struct opt *options)
{
    const struct opt *o;

    for (o = options; o != NULL && o->name != NULL; o++) {
        char value[128], left[256];
        int n;

        describe_value(o, value, sizeof value);
        n = snprintf(
            left, sizeof left, "  %c%c%c --%s%s%s", o->letter != 0 ? '-' : ' ',
            o->letter != 0 ? o->letter : ' ', o->letter != 0 ? ',' : ' ',
            o->name, value[0] != '\0' ? " " : "", value);
        if (n > HELP_COLUMN - 2)
            fprintf(out, "%s\n%*s%s\n", left, HELP_COLUMN, "", o->help);
        else
            fprintf(out, "%-*s%s\n", HELP_COLUMN, left, o->help);
    }
}

void opt_put_scdoc(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\*_", *text) != NULL)
            putc('\\', out);
        putc(*text, out);
    }
}

void opt_print_scdoc(FILE *out, const struct opt *options)
{
    const struct opt *o;

    for (o = options; o != NULL && o->name != NULL; o++) {
        char value[128];

        describe_value(o, value, sizeof value);
        if (o->letter != 0)
            fprintf(out, "*-%c*, ", o->letter);
        fprintf(out, "*--%s*", o->name);
        if (value[0] != '\0') {
            fputs(" _", out);
            opt_put_scdoc(out, value);
            putc('_', out);
        }
        fputs("\n\t", out);
        opt_put_scdoc(out, o->help);
        fputs("\n\n", out);
    }
}
