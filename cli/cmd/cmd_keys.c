/* cmd_keys.c - gguf keys: the keys of a model, those that match. */
#include "command.h"
#include "input.h"
#include "out/table.h"
#include "out/text.h"
#include "show.h"

#include <stdlib.h>
#include <string.h>

struct keys_options {
    bool names;
    bool full;
};

static const struct opt keys_options[] = {
    {"names", 'n', OPT_FLAG, NULL, "only the names, one a line",
     offsetof(struct keys_options, names), NULL},
    {"full", 'f', OPT_FLAG, NULL, "with --json: arrays whole",
     offsetof(struct keys_options, full), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* The keys that are asked for, and how they are to be told. */
struct key_list {
    const struct cli *cli;
    const ggk_model *model;
    const char *pattern;
    const struct keys_options *options;
};

static ggk_status count_matches(const struct key_list *list, uint64_t *out,
                                ggk_error *err)
{
    *out = 0;
    for (uint64_t i = 0; i < ggk_model_n_kv(list->model); i++) {
        ggk_kv kv;
        ggk_status status = ggk_model_kv(list->model, i, &kv, err);
        if (status != GGK_OK)
            return status;
        *out += show_matches(list->pattern, kv.key);
    }
    return GGK_OK;
}

static ggk_status print_names(const struct key_list *list, ggk_error *err)
{
    ggk_status status = GGK_OK;

    for (uint64_t i = 0; i < ggk_model_n_kv(list->model); i++) {
        ggk_kv kv;
        status = ggk_model_kv(list->model, i, &kv, err);
        if (status != GGK_OK)
            break;
        if (!show_matches(list->pattern, kv.key))
            continue;
        text_write(list->cli->out, kv.key.ptr, kv.key.len, TEXT_PLAIN,
                   TEXT_WHOLE);
        putc('\n', list->cli->out);
    }
    return status;
}

static ggk_status put_row(struct table *t, const struct key_list *list,
                          uint64_t i, ggk_error *err)
{
    char type[SHOW_TYPE_BYTES];
    struct show_line value;
    ggk_kv kv;
    ggk_status status = ggk_model_kv(list->model, i, &kv, err);

    if (status != GGK_OK || !show_matches(list->pattern, kv.key))
        return status;
    status = show_value_line(&value, list->model, i, err);
    if (status != GGK_OK)
        return status;
    show_type_name(type, &kv);
    table_text(t, kv.key.ptr, kv.key.len);
    table_cstring(t, type);
    table_cstring(t, value.text);
    return GGK_OK;
}

static ggk_status print_table(const struct key_list *list, ggk_error *err)
{
    static const struct table_column columns[] = {
        {"KEY", TABLE_LEFT, false},
        {"TYPE", TABLE_LEFT, false},
        {"VALUE", TABLE_LEFT, true},
    };
    const struct term *term = &list->cli->term;
    ggk_status status = GGK_OK;
    struct table t;

    table_start(&t, list->cli->out, columns, 3, term->width,
                term_style(term, TERM_BOLD), term_style(term, TERM_PLAIN));
    do {
        for (uint64_t i = 0;
             i < ggk_model_n_kv(list->model) && status == GGK_OK; i++)
            status = put_row(&t, list, i, err);
    } while (status == GGK_OK && table_again(&t));
    return status;
}

static ggk_status print_json(const struct key_list *list, const char *file,
                             ggk_error *err)
{
    ggk_status status = GGK_OK;
    struct json j;

    show_json_start(&j, list->cli);
    json_put_cstring(&j, "file", file);
    json_key(&j, "keys");
    json_open_array(&j);
    for (uint64_t i = 0; i < ggk_model_n_kv(list->model); i++) {
        ggk_kv kv;
        status = ggk_model_kv(list->model, i, &kv, err);
        if (status != GGK_OK)
            return status;
        if (!show_matches(list->pattern, kv.key))
            continue;
        json_open_object(&j);
        json_put_string(&j, "key", kv.key.ptr, kv.key.len);
        status = show_json_value(
            &j, list->model, i, list->options->full ? SHOW_ALL : SHOW_FEW, err);
        if (status != GGK_OK)
            return status;
        json_close_object(&j);
    }
    json_close_array(&j);
    show_json_end(&j);
    return GGK_OK;
}

static int run_keys(struct cli *cli, int argc, char **argv)
{
    struct input in;
    struct key_list list = {cli, NULL, argc > 1 ? argv[1] : NULL, cli->options};
    ggk_error err;
    uint64_t n;
    int status = input_open(cli, argv[0], &in);
    ggk_status result;

    if (status != CLI_DONE)
        return status;
    list.model = in.model;
    result = count_matches(&list, &n, &err);
    if (result == GGK_OK) {
        if (cli->global.json)
            result = print_json(&list, argv[0], &err);
        else if (list.options->names)
            result = print_names(&list, &err);
        else if (n > 0)
            result = print_table(&list, &err);
    }
    if (result != GGK_OK)
        status = input_fail(&in, &err);
    else if (n == 0 && list.pattern != NULL)
        status = input_no_match(&in, "key", list.pattern);
    return input_finish(&in, status);
}

static const struct cli_example keys_examples[] = {
    {"gguf keys model.gguf", "all keys, with type and value"},
    {"gguf keys model.gguf 'tokenizer.*'", "those of the tokenizer"},
    {"gguf keys --names model.gguf", "the names alone, for scripts"},
    {NULL, NULL},
};

const struct command cmd_keys = {
    .name = "keys",
    .operands = "FILE [PATTERN]",
    .min_operands = 1,
    .max_operands = 2,
    .flags = CLI_READS_MODEL,
    .summary = "list the metadata keys",
    .about = "Lists the keys of a model in file order, with their types and "
             "values.\nPATTERN takes * ? and [...], which match any byte of "
             "the name.",
    .examples = keys_examples,
    .options = keys_options,
    .options_bytes = sizeof(struct keys_options),
    .no_means = "no key matches PATTERN",
    .run = run_keys,
};
