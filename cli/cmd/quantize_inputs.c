/* quantize_inputs.c - what gguf quantize is given besides the model: types of
 * tensors, importances, keys. */
#include <stdlib.h>
#include <string.h>

#include "cmd/importances.h"
#include "cmd/quantizing.h"
#include "key_form.h"
#include "new_value.h"
#include "out/unicode.h"
#include "same.h"
#include "show.h"
#include "small_file.h"

static int fail_memory(const struct cli *cli)
{
    ggk_error err;

    show_no_memory(&err);
    return cli_fail(cli, NULL, &err);
}

/* --------------------------------------------------------- types of tensors */

#define TYPES_MOST ((size_t)1 << 24) /* bytes of the file */

static const char blanks[] = " \t\r\n\v\f";

/* The words of a text, which NULs end then; `items` is NULL: count them. */
static size_t split_words(char *text, const char **items)
{
    size_t n = 0;

    for (text += strspn(text, blanks); *text != '\0';
         text += strspn(text, blanks)) {
        size_t length = strcspn(text, blanks);
        bool last = text[length] == '\0';

        if (items != NULL) {
            items[n] = text;
            text[length] = '\0';
        }
        n++;
        text += last ? length : length + 1;
    }
    return n;
}

static int read_types(const struct cli *cli, const char *path, char **out)
{
    size_t n;
    int failed = small_file_read(path, TYPES_MOST, out, &n);

    if (failed != 0) {
        msg_error(&cli->msg, path, "cannot read: %s", strerror(failed));
        return CLI_IO;
    }
    if (strlen(*out) == n)
        return CLI_DONE;
    msg_error(&cli->msg, path, "it is no list of PATTERN=TYPE: it has a NUL");
    return CLI_UNREADABLE;
}

int quantize_take_types(const struct cli *cli, const struct quantize_options *o,
                        struct tensor_types *out)
{
    int status = CLI_DONE;
    size_t n = o->tensor_types.n;

    *out = (struct tensor_types){NULL, n, NULL};
    if (o->tensor_type_file != NULL)
        status = read_types(cli, o->tensor_type_file, &out->text);
    if (status != CLI_DONE)
        return status;
    if (out->text != NULL)
        out->n += split_words(out->text, NULL);
    if (out->n == 0)
        return CLI_DONE;
    out->items = malloc(out->n * sizeof *out->items);
    if (out->items == NULL)
        return fail_memory(cli);
    for (size_t i = 0; i < n; i++)
        out->items[i] = o->tensor_types.items[i];
    if (out->text != NULL)
        split_words(out->text, out->items + n);
    return CLI_DONE;
}

void quantize_free_types(struct tensor_types *types)
{
    free(types->items);
    free(types->text);
}

/* -------------------------------------------------------------- importances */

static bool any_is_in(const struct opt_list *patterns, ggk_str name)
{
    for (size_t i = 0; i < patterns->n; i++)
        if (show_matches_part(patterns->items[i], name))
            return true;
    return false;
}

static bool is_wanted_entry(void *ctx, ggk_str name)
{
    const struct quantize_options *o = ctx;

    return (o->include.n == 0 || any_is_in(&o->include, name)) &&
           !any_is_in(&o->exclude, name);
}

/* Patterns of an option that are in no entry's name. */
static int judge_entries(const struct cli *cli,
                         const struct quantize_options *o,
                         const ggk_imatrix *imatrix, const char *option,
                         const struct opt_list *patterns)
{
    int status = CLI_DONE;

    for (size_t i = 0; i < patterns->n; i++) {
        struct opt_list one = {patterns->items + i, 1};
        bool found = false;
        ggk_importances e;

        for (uint64_t k = 0;
             !found && ggk_imatrix_entry(imatrix, k, &e, NULL) == GGK_OK; k++)
            found = any_is_in(&one, e.name);
        if (!found)
            status = quantize_in_vain(cli, o, o->imatrix,
                                      "--%s '%.400s' is in no entry's name: "
                                      "gguf imatrix show lists them",
                                      option, patterns->items[i]);
    }
    return status;
}

/* Leave out the entries that are not wanted. */
static int choose_entries(const struct cli *cli,
                          const struct quantize_options *o,
                          ggk_imatrix *imatrix)
{
    struct quantize_options wanted = *o;
    int include =
        judge_entries(cli, o, imatrix, "include-weights", &o->include);
    int exclude =
        judge_entries(cli, o, imatrix, "exclude-weights", &o->exclude);
    ggk_error err;

    if (include != CLI_DONE || exclude != CLI_DONE)
        return CLI_USAGE;
    if (o->include.n + o->exclude.n > 0 &&
        ggk_imatrix_keep(imatrix, is_wanted_entry, &wanted, &err) != GGK_OK)
        return cli_fail(cli, o->imatrix, &err);
    return CLI_DONE;
}

int quantize_open_importances(const struct cli *cli,
                              const struct quantize_options *o,
                              struct importances *out)
{
    uint64_t n;
    int status;

    *out = (struct importances){.imatrix = NULL};
    if (o->imatrix == NULL && o->include.n + o->exclude.n > 0) {
        msg_usage(&cli->msg, "--include-weights and --exclude-weights choose "
                             "among the entries of --imatrix: there is none");
        return CLI_USAGE;
    }
    if (o->imatrix == NULL)
        return CLI_DONE;
    status = imatrix_open(cli, o->imatrix, 0, &out->imatrix);
    if (status != CLI_DONE)
        return status;
    ggk_imatrix_about(out->imatrix, &out->info);
    n = out->info.n_entries;
    status = choose_entries(cli, o, out->imatrix);
    ggk_imatrix_about(out->imatrix, &out->info);
    out->n_dropped = n - out->info.n_entries;
    if (status != CLI_DONE || out->info.n_entries > 0)
        return status;
    status = quantize_in_vain(cli, o, o->imatrix,
                              "no entry is left of it: there are no "
                              "importances");
    ggk_imatrix_close(out->imatrix);
    out->imatrix = NULL;
    return status;
}

/* --------------------------------------------------------------------- keys */

/* KEY=TYPE:VALUE, taken apart. */
struct new_key {
    ggk_str key;
    uint32_t type;
    const char *text;
};

/* NULL, or what is wrong. */
static const char *parse_key(const char *word, struct new_key *out)
{
    static const struct {
        const char *name;
        uint32_t type;
    } types[] = {{"int:", GGK_VALUE_UINT32},
                 {"float:", GGK_VALUE_FLOAT32},
                 {"bool:", GGK_VALUE_BOOL},
                 {"str:", GGK_VALUE_STRING}};
    const char *equals = strchr(word, '=');

    if (equals == NULL || equals == word)
        return "it is not KEY=TYPE:VALUE";
    out->key = (ggk_str){word, (size_t)(equals - word)};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        size_t n = strlen(types[i].name);

        if (strncmp(equals + 1, types[i].name, n) != 0)
            continue;
        out->type = types[i].type;
        out->text = equals + 1 + n;
        return NULL;
    }
    return "after the = comes a type, int: float: bool: or str:";
}

/* NULL, or why a key is not to be set here. */
static const char *forbidden_key(const struct quantizing *q, ggk_str key,
                                 char *text)
{
    ggk_str architecture;
    uint64_t i;

    if (ggk_model_get_str(q->in->model, ggk_cstr("general.architecture"),
                          &architecture, NULL) != GGK_OK)
        architecture = (ggk_str){NULL, 0};
    if (ggk_is_split_key(key, architecture))
        return "it says which file of a set this is; gguf split and gguf merge "
               "change it";
    if (str_is(key, "general.alignment"))
        return "gguf copy --align changes it, and where the tensors are";
    if (q->cli->global.force ||
        ggk_model_find_kv(q->in->model, key, &i, NULL) != GGK_E_NOT_FOUND)
        return NULL;
    return key_form_fault(key, text);
}

static void warn_of_text(const struct cli *cli, const char *file, ggk_str key,
                         ggk_str text)
{
    if (!unicode_valid(text.ptr, text.len))
        msg_warning(&cli->msg, file, "%.*s: the text is not UTF-8",
                    show_most(key, 200), key.ptr);
}

/* The keys that tell which imatrix it was. */
static void warn_of_origin(const struct quantizing *q)
{
    const char *file = q->options->imatrix;

    warn_of_text(q->cli, file, ggk_cstr("quantize.imatrix.file"),
                 ggk_cstr(file));
    warn_of_text(q->cli, file, ggk_cstr("quantize.imatrix.dataset"),
                 q->importances.info.dataset);
}

/* NULL, or what is wrong. */
static const char *take_key(const struct quantizing *q, const char *word,
                            ggk_key_value *out, char why[VALUE_WHY])
{
    struct new_key k = {{NULL, 0}, 0, ""};
    char text[KEY_FORM_BYTES];
    const char *wrong = parse_key(word, &k);

    if (wrong == NULL && (wrong = forbidden_key(q, k.key, text)) != NULL) {
        snprintf(why, VALUE_WHY, "%s", wrong);
        wrong = why;
    }
    if (wrong == NULL &&
        value_from_text(k.text, k.type, &out->value, why) != VALUE_MADE)
        wrong = why;
    out->key = k.key;
    return wrong;
}

int quantize_take_keys(const struct quantizing *q, struct asked_keys *out)
{
    const struct opt_list *words = &q->options->override_kv;

    if (q->importances.imatrix != NULL)
        warn_of_origin(q);
    if (words->n == 0)
        return CLI_DONE;
    out->items = calloc(words->n, sizeof *out->items);
    if (out->items == NULL)
        return fail_memory(q->cli);
    for (; out->n < words->n; out->n++) {
        char why[VALUE_WHY];
        const char *word = words->items[out->n];
        const char *wrong = take_key(q, word, &out->items[out->n], why);

        if (wrong == NULL && out->items[out->n].value.type == GGK_VALUE_STRING)
            warn_of_text(q->cli, q->in->name, out->items[out->n].key,
                         out->items[out->n].value.as.s);
        if (wrong == NULL)
            continue;
        msg_usage(&q->cli->msg, "--override-kv '%s': %s", word, wrong);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* ------------------------------------------------------------------- layers */

int quantize_take_layers(const struct cli *cli, const char *text,
                         struct asked_layers *out)
{
    const char *at = text;

    if (text == NULL)
        return CLI_DONE;
    out->items = calloc(strlen(text) + 1, sizeof *out->items);
    if (out->items == NULL)
        return fail_memory(cli);
    for (;; at++) {
        size_t n = strspn(at, "0123456789");

        if (n == 0 || n > 9 || (at[n] != ',' && at[n] != '\0')) {
            msg_usage(&cli->msg,
                      "--prune-layers '%s': '%.*s' is no number of a layer; "
                      "they are given as 4,5,6",
                      text, (int)strcspn(at, ","), at);
            return CLI_USAGE;
        }
        out->items[out->n++] = strtoul(at, NULL, 10);
        at += n;
        if (*at == '\0')
            return CLI_DONE;
    }
}
