/* cmd_get.c - gguf get: one value, whole or a slice of it. */
#include "command.h"
#include "input.h"
#include "out/fmt.h"
#include "out/text.h"
#include "show.h"
#include "similar.h"
#include "slice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GET_JSON_ELEMENTS 100 /* without --full or --index */

struct get_options {
    const char *index;
    bool raw;
    bool full;
};

static const struct opt get_options[] = {
    {"index", 'i', OPT_STRING, "I[:J]",
     "element I of an array, or I up to, but not with, J",
     offsetof(struct get_options, index), NULL},
    {"raw", 'r', OPT_FLAG, NULL, "the bytes as stored; of a string its text",
     offsetof(struct get_options, raw), NULL},
    {"full", 'f', OPT_FLAG, NULL, "with --json: long arrays whole",
     offsetof(struct get_options, full), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

struct get {
    const struct cli *cli;
    const struct get_options *options;
    const ggk_model *model;
    uint64_t i;
    ggk_kv kv;
    struct slice slice;
};

/* Cut the slice to the array; exit status CLI_NO if it lies outside. */
static int fit_slice(struct get *get, const char *file)
{
    struct slice *s = &get->slice;

    if (!s->given)
        return CLI_DONE;
    if (get->kv.type != GGK_VALUE_ARRAY) {
        msg_error(&get->cli->msg, file,
                  "the value is no array: it has no "
                  "elements for --index");
        return CLI_NO;
    }
    if (!slice_fit(s, get->kv.n)) {
        msg_error(&get->cli->msg, file,
                  "the array has %" PRIu64 " element%s, counted from 0",
                  get->kv.n, fmt_plural(get->kv.n));
        return CLI_NO;
    }
    return CLI_DONE;
}

/* A walk that stands before the first wanted element; `*n` are wanted. */
static ggk_status start_elements(const struct get *get, ggk_walk *walk,
                                 uint64_t *n, ggk_error *err)
{
    ggk_value head;
    ggk_status status = ggk_walk_start(get->model, get->i, walk, err);

    if (status != GGK_OK)
        return status;
    if (ggk_walk_next(walk, &head) != GGK_WALK_OPEN)
        return show_broken(err);
    *n = get->kv.n;
    if (get->slice.given) {
        *n = get->slice.to - get->slice.from;
        if (ggk_walk_skip(walk, get->slice.from) != get->slice.from)
            return show_broken(err);
    }
    return GGK_OK;
}

/* -------------------------------------------------------------------- text */

static void print_scalar(FILE *out, const ggk_value *value)
{
    if (value->type == GGK_VALUE_STRING) {
        text_write(out, value->as.s.ptr, value->as.s.len, TEXT_PLAIN,
                   TEXT_WHOLE);
    } else {
        show_scalar(out, value, TEXT_WHOLE);
    }
    putc('\n', out);
}

/* One element a line; nested arrays in brackets. */
static ggk_status print_elements(const struct get *get, ggk_error *err)
{
    FILE *out = get->cli->out;
    ggk_walk walk;
    ggk_value value;
    uint64_t n = 0;
    ggk_status status = start_elements(get, &walk, &n, err);

    while (status == GGK_OK && n > 0) {
        if (get->kv.elem_type == GGK_VALUE_ARRAY) {
            status = show_element(out, &walk, SHOW_ALL, TEXT_WHOLE, err);
            putc('\n', out);
        } else if (ggk_walk_next(&walk, &value) == GGK_WALK_VALUE) {
            print_scalar(out, &value);
        } else {
            status = show_broken(err);
        }
        n--;
    }
    return status;
}

static ggk_status print_text(const struct get *get, ggk_error *err)
{
    ggk_walk walk;
    ggk_value value;
    ggk_status status;

    if (get->kv.type == GGK_VALUE_ARRAY)
        return print_elements(get, err);
    if (show_space(get->cli->out, get->model, get->i)) {
        putc('\n', get->cli->out);
        return GGK_OK;
    }
    status = ggk_walk_start(get->model, get->i, &walk, err);
    if (status != GGK_OK)
        return status;
    if (ggk_walk_next(&walk, &value) != GGK_WALK_VALUE)
        return show_broken(err);
    if (value.type == GGK_VALUE_STRING)
        show_lines(get->cli->out, value.as.s);
    else
        print_scalar(get->cli->out, &value);
    return GGK_OK;
}

/* --------------------------------------------------------------- raw bytes */

/* The text of the string that the walk stands before. */
static ggk_status write_raw_string(const struct get *get, ggk_walk *walk,
                                   ggk_error *err)
{
    ggk_value value;

    if (ggk_walk_next(walk, &value) != GGK_WALK_VALUE ||
        value.type != GGK_VALUE_STRING)
        return show_broken(err);
    fwrite(value.as.s.ptr, 1, value.as.s.len, get->cli->out);
    return GGK_OK;
}

/* The stored bytes of the next `n` elements. */
static ggk_status write_raw_bytes(const struct get *get, ggk_walk *walk,
                                  uint64_t n, ggk_error *err)
{
    ggk_walk from = *walk;
    ggk_str bytes;
    ggk_status status;

    if (ggk_walk_skip(walk, n) != n)
        return show_broken(err);
    status = ggk_walk_bytes(&from, walk, &bytes, err);
    if (status == GGK_OK)
        fwrite(bytes.ptr, 1, bytes.len, get->cli->out);
    return status;
}

/* The stored bytes of what is wanted; of one string its text alone. */
static ggk_status write_raw(const struct get *get, ggk_error *err)
{
    bool is_array = get->kv.type == GGK_VALUE_ARRAY;
    bool one_string = get->kv.elem_type == GGK_VALUE_STRING &&
                      (!is_array || get->slice.single);
    uint64_t n = 1;
    ggk_walk walk;
    ggk_status status = is_array
                            ? start_elements(get, &walk, &n, err)
                            : ggk_walk_start(get->model, get->i, &walk, err);

    if (status != GGK_OK)
        return status;
    return one_string ? write_raw_string(get, &walk, err)
                      : write_raw_bytes(get, &walk, n, err);
}

/* -------------------------------------------------------------------- JSON */

/* The wanted elements as an array, or the single one as itself. */
static ggk_status put_slice(struct json *j, const struct get *get,
                            ggk_error *err)
{
    bool shortened;
    ggk_walk walk;
    uint64_t n = 0;
    ggk_status status = start_elements(get, &walk, &n, err);

    json_put_cstring(j, "type", ggk_value_type_name(get->kv.type));
    json_put_cstring(j, "elem_type", ggk_value_type_name(get->kv.elem_type));
    json_put_u64(j, "n", get->kv.n);
    json_put_u64(j, "from", get->slice.from);
    json_put_u64(j, "to", get->slice.to);
    json_key(j, "value");
    if (!get->slice.single)
        json_open_array(j);
    for (; status == GGK_OK && n > 0; n--)
        status = show_json_element(j, &walk, SHOW_ALL, &shortened, err);
    if (status == GGK_OK && !get->slice.single)
        json_close_array(j);
    return status;
}

static ggk_status print_json(const struct get *get, const char *file,
                             ggk_error *err)
{
    ggk_status status;
    struct json j;

    show_json_start(&j, get->cli);
    json_put_cstring(&j, "file", file);
    json_put_string(&j, "key", get->kv.key.ptr, get->kv.key.len);
    if (get->slice.given)
        status = put_slice(&j, get, err);
    else
        status = show_json_value(
            &j, get->model, get->i,
            get->options->full ? SHOW_ALL : GET_JSON_ELEMENTS, err);
    if (status == GGK_OK)
        show_json_end(&j);
    return status;
}

/* --------------------------------------------------------------------- run */

/* "KEY[4]", of an array that is there: not how it is asked for. */
static bool tell_index(const struct get *get, const struct input *in,
                       const char *key)
{
    const char *bracket = strrchr(key, '[');
    size_t digits = bracket != NULL ? strspn(bracket + 1, "0123456789:") : 0;
    uint64_t i;

    if (digits == 0 || strcmp(bracket + 1 + digits, "]") != 0 ||
        ggk_model_find_kv(get->model, (ggk_str){key, (size_t)(bracket - key)},
                          &i, NULL) != GGK_OK)
        return false;
    msg_error(&get->cli->msg, in->name,
              "no key \"%s\"; of \"%.*s\", --index %.*s prints that", key,
              (int)(bracket - key), key, (int)digits, bracket + 1);
    return true;
}

static int tell_absent(const struct get *get, const struct input *in,
                       const char *key)
{
    char hint[SIMILAR_BYTES];

    if (similar_is_other(get->model, SIMILAR_KEY, ggk_cstr(key)))
        msg_error(&get->cli->msg, in->name,
                  "no key \"%s\" (a tensor has the name: gguf tensors, gguf "
                  "stats and gguf export are for these)",
                  key);
    else if (!tell_index(get, in, key))
        msg_error(&get->cli->msg, in->name, "no key \"%s\"%s", key,
                  similar_hint(get->model, SIMILAR_KEY, ggk_cstr(key), hint));
    return CLI_NO;
}

/* Find the key; its absence is an answer, its repetition a failure. */
static int find_key(struct get *get, const struct input *in, const char *key)
{
    ggk_error err;
    ggk_status status =
        ggk_model_find_kv(get->model, ggk_cstr(key), &get->i, &err);

    if (status == GGK_OK)
        status = ggk_model_kv(get->model, get->i, &get->kv, &err);
    if (status == GGK_OK)
        return CLI_DONE;
    return status == GGK_E_NOT_FOUND ? tell_absent(get, in, key)
                                     : input_fail(in, &err);
}

static int print_value(const struct get *get, const struct input *in)
{
    ggk_error err;
    ggk_status status;

    if (get->options->raw)
        status = write_raw(get, &err);
    else if (get->cli->global.json)
        status = print_json(get, in->name, &err);
    else
        status = print_text(get, &err);
    return status == GGK_OK ? CLI_DONE : input_fail(in, &err);
}

static int run_get(struct cli *cli, int argc, char **argv)
{
    struct get get = {.cli = cli, .options = cli->options};
    struct input in;
    int status;

    (void)argc;
    if (get.options->index != NULL &&
        !slice_parse(get.options->index, &get.slice)) {
        msg_usage(&cli->msg, "--index: \"%s\" is not I or I:J",
                  get.options->index);
        return CLI_USAGE;
    }
    if (get.options->raw && (cli->global.json || cli->term.tty)) {
        msg_usage(&cli->msg, cli->global.json
                                 ? "--raw and --json exclude each other"
                                 : "--raw: will not write a file's bytes to a "
                                   "terminal; redirect the output");
        return CLI_USAGE;
    }
    status = input_open(cli, argv[0], &in);
    if (status != CLI_DONE)
        return status;
    get.model = in.model;
    status = find_key(&get, &in, argv[1]);
    if (status == CLI_DONE)
        status = fit_slice(&get, in.name);
    if (status == CLI_DONE)
        status = print_value(&get, &in);
    return input_finish(&in, status);
}

static const struct cli_example get_examples[] = {
    {"gguf get model.gguf general.name", "the value alone"},
    {"gguf get model.gguf tokenizer.chat_template --raw > template.jinja",
     "the chat template, byte for byte"},
    {"gguf get model.gguf tokenizer.ggml.tokens --index 0:10",
     "the first ten tokens"},
    {NULL, NULL},
};

const struct command cmd_get = {
    .name = "get",
    .operands = "FILE KEY",
    .min_operands = 2,
    .max_operands = 2,
    .flags = CLI_READS_MODEL,
    .summary = "print one value",
    .about = "Prints the value of one key: a string as its text, an array one "
             "element\na line. Characters that a terminal might obey are "
             "escaped, except with --raw.",
    .examples = get_examples,
    .options = get_options,
    .options_bytes = sizeof(struct get_options),
    .no_means = "the model has no such key, or the array no such element",
    .run = run_get,
};
