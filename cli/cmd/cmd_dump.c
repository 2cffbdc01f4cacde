/* cmd_dump.c - gguf dump: all keys and tensors of a model. */
#include "cmd/dump.h"
#include "command.h"
#include "input.h"
#include "out/fmt.h"
#include "out/table.h"
#include "out/text.h"
#include "show.h"

#include <inttypes.h>
#include <string.h>

static const struct opt dump_options[] = {
    {"no-tensors", 0, OPT_FLAG, NULL, "the keys only",
     offsetof(struct dump_options, no_tensors), NULL},
    {"full", 'f', OPT_FLAG, NULL, "shorten nothing",
     offsetof(struct dump_options, full), NULL},
    {"markdown", 0, OPT_FLAG, NULL, "print tables for GitHub",
     offsetof(struct dump_options, markdown), NULL},
    {"compat", 0, OPT_FLAG, NULL, "print what gguf-dump prints",
     offsetof(struct dump_options, compat), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* ------------------------------------------------------------------- types */

ggk_status dump_find_type(const ggk_model *model, uint64_t i,
                          struct dump_type *out, ggk_error *err)
{
    ggk_walk walk;
    ggk_value value;
    ggk_status status = ggk_walk_start(model, i, &walk, err);

    *out = (struct dump_type){0, GGK_VALUE_ARRAY, false};
    while (status == GGK_OK) {
        ggk_event event = ggk_walk_next(&walk, &value);
        if (event != GGK_WALK_VALUE && event != GGK_WALK_OPEN)
            return show_broken(err);
        out->last = value.type;
        if (event == GGK_WALK_VALUE)
            break;
        out->levels++;
        out->empty = value.as.u == 0;
        if (out->empty || value.type != GGK_VALUE_ARRAY)
            break;
    }
    return status;
}

void dump_name_type(char *out, uint32_t type, unsigned levels)
{
    static const char open[] = "[[[[[[[[[[[[[[[[";
    static const char close[] = "]]]]]]]]]]]]]]]]";
    int n = (int)(levels < GGK_MAX_DEPTH ? levels : GGK_MAX_DEPTH);

    snprintf(out, SHOW_TYPE_BYTES, "%.*s%s%.*s", n, open,
             ggk_value_type_name(type), n, close);
}

/* -------------------------------------------------------------------- keys */

/* Columns that the parts of a line take. */
struct dump_widths {
    size_t number;
    size_t type;
    size_t count;
};

static size_t wider(size_t a, size_t b)
{
    return a > b ? a : b;
}

static ggk_status name_key_type(const struct dump *d, uint64_t i, char *out,
                                ggk_error *err)
{
    struct dump_type type;
    ggk_status status = dump_find_type(d->model, i, &type, err);

    if (status == GGK_OK)
        dump_name_type(out, type.last, type.levels);
    return status;
}

static ggk_status measure_keys(const struct dump *d, struct dump_widths *out,
                               ggk_error *err)
{
    char text[FMT_BYTES], type[SHOW_TYPE_BYTES];
    uint64_t n = ggk_model_n_kv(d->model);

    *out = (struct dump_widths){fmt_u64(text, n), 0, 0};
    for (uint64_t i = 0; i < n; i++) {
        ggk_kv kv;
        ggk_status status = ggk_model_kv(d->model, i, &kv, err);
        if (status == GGK_OK)
            status = name_key_type(d, i, type, err);
        if (status != GGK_OK)
            return status;
        out->type = wider(out->type, strlen(type));
        out->count = wider(out->count, fmt_u64(text, kv.n));
    }
    return GGK_OK;
}

/* The value in what is left of the line after `used` columns. */
static ggk_status put_dump_value(const struct dump *d, uint64_t i, size_t used,
                                 ggk_error *err)
{
    enum { LEAST_COLUMNS = 16 };
    size_t width = d->cli->term.width;
    struct show_line line;
    ggk_status status;

    if (width == 0 || d->options->full)
        return show_value(d->cli->out, d->model, i,
                          d->options->full ? SHOW_ALL : SHOW_FEW, TEXT_WHOLE,
                          err);
    status = show_value_line(&line, d->model, i, err);
    if (status == GGK_OK)
        text_write(d->cli->out, line.text, strlen(line.text), TEXT_VERBATIM,
                   width > used + LEAST_COLUMNS ? width - used : LEAST_COLUMNS);
    return status;
}

static ggk_status put_dump_key(const struct dump *d, uint64_t i,
                               const struct dump_widths *w, ggk_error *err)
{
    FILE *out = d->cli->out;
    size_t width = d->cli->term.width;
    size_t used = w->number + w->type + w->count + 6;
    char type[SHOW_TYPE_BYTES];
    ggk_kv kv;
    ggk_status status = ggk_model_kv(d->model, i, &kv, err);

    if (status == GGK_OK)
        status = name_key_type(d, i, type, err);
    if (status != GGK_OK)
        return status;
    fprintf(out, "%*" PRIu64 "  %-*s  %*" PRIu64 "  ", (int)w->number, i + 1,
            (int)w->type, type, (int)w->count, kv.n);
    used += text_write(out, kv.key.ptr, kv.key.len, TEXT_PLAIN,
                       width == 0 ? TEXT_WHOLE : width);
    fputs(" = ", out);
    status = put_dump_value(d, i, used + 3, err);
    putc('\n', out);
    return status;
}

static ggk_status print_dump_keys(const struct dump *d, ggk_error *err)
{
    uint64_t n = ggk_model_n_kv(d->model);
    struct dump_widths widths;
    ggk_status status = measure_keys(d, &widths, err);

    for (uint64_t i = 0; i < n && status == GGK_OK; i++)
        status = put_dump_key(d, i, &widths, err);
    return status;
}

/* ----------------------------------------------------------------- tensors */

/* How many digits each dimension has at most. */
static ggk_status measure_dims(const struct dump *d, size_t *widths,
                               ggk_error *err)
{
    char text[FMT_BYTES];

    memset(widths, 0, GGK_MAX_DIMS * sizeof *widths);
    for (uint64_t i = 0; i < ggk_model_n_tensors(d->model); i++) {
        ggk_tensor t;
        ggk_status status = ggk_model_tensor(d->model, i, &t, err);
        if (status != GGK_OK)
            return status;
        for (uint32_t dim = 0; dim < t.n_dims; dim++)
            widths[dim] = wider(widths[dim], fmt_u64(text, t.ne[dim]));
    }
    return GGK_OK;
}

/* "[ 64,    3]": each dimension below its like. */
static void align_shape(char *out, const ggk_tensor *t, const size_t *widths)
{
    size_t len = (size_t)snprintf(out, SHOW_SHAPE_BYTES, "[");

    for (uint32_t dim = 0; dim < t->n_dims; dim++)
        len +=
            (size_t)snprintf(out + len, SHOW_SHAPE_BYTES - len, "%s%*" PRIu64,
                             dim > 0 ? ", " : "", (int)widths[dim], t->ne[dim]);
    snprintf(out + len, SHOW_SHAPE_BYTES - len, "]");
}

static ggk_status put_dump_tensor(struct table *t, const struct dump *d,
                                  uint64_t i, const size_t *widths,
                                  ggk_error *err)
{
    char type[SHOW_TYPE_BYTES], shape[SHOW_SHAPE_BYTES];
    ggk_tensor tensor;
    ggk_status status = ggk_model_tensor(d->model, i, &tensor, err);

    if (status != GGK_OK)
        return status;
    show_tensor_type(type, d->model, tensor.type);
    align_shape(shape, &tensor, widths);
    table_u64(t, i + 1);
    table_cstring(t, type);
    table_cstring(t, shape);
    table_text(t, tensor.name.ptr, tensor.name.len);
    return GGK_OK;
}

static ggk_status print_dump_tensors(const struct dump *d, ggk_error *err)
{
    static const struct table_column columns[] = {
        {NULL, TABLE_RIGHT, false},
        {NULL, TABLE_LEFT, false},
        {NULL, TABLE_LEFT, false},
        {NULL, TABLE_LEFT, true},
    };
    uint64_t n = ggk_model_n_tensors(d->model);
    size_t widths[GGK_MAX_DIMS];
    ggk_status status = measure_dims(d, widths, err);
    struct table t;

    table_start(&t, d->cli->out, columns, 4, d->cli->term.width, "", "");
    do {
        for (uint64_t i = 0; i < n && status == GGK_OK; i++)
            status = put_dump_tensor(&t, d, i, widths, err);
    } while (status == GGK_OK && table_again(&t));
    return status;
}

/* -------------------------------------------------------------------- text */

static void print_dump_title(const struct dump *d)
{
    FILE *out = d->cli->out;
    uint32_t n_shards = ggk_model_n_files(d->model);

    text_write(out, d->name, strlen(d->name), TEXT_PLAIN, TEXT_WHOLE);
    fprintf(out,
            "\nGGUF version %" PRIu32 ", %s-endian, alignment %" PRIu64
            ", data at byte %" PRIu64,
            d->file.version, d->file.big_endian ? "big" : "little",
            d->file.alignment, d->file.data_off);
    if (n_shards > 1)
        fprintf(out, ", %" PRIu32 " shards", n_shards);
    putc('\n', out);
}

static void print_dump_heading(const struct dump *d, const char *noun,
                               uint64_t n)
{
    fprintf(d->cli->out, "\n%s%" PRIu64 " %s%s%s\n",
            term_style(&d->cli->term, TERM_BOLD), n, noun, n == 1 ? "" : "s",
            term_style(&d->cli->term, TERM_PLAIN));
}

static ggk_status print_dump_text(const struct dump *d, ggk_error *err)
{
    ggk_status status;

    print_dump_title(d);
    print_dump_heading(d, "key", ggk_model_n_kv(d->model));
    status = print_dump_keys(d, err);
    if (status != GGK_OK || d->options->no_tensors)
        return status;
    print_dump_heading(d, "tensor", ggk_model_n_tensors(d->model));
    return print_dump_tensors(d, err);
}

/* -------------------------------------------------------------------- JSON */

static ggk_status put_dump_keys_json(struct json *j, const struct dump *d,
                                     ggk_error *err)
{
    uint64_t most = d->options->full ? SHOW_ALL : SHOW_FEW;
    ggk_status status = GGK_OK;

    json_key(j, "keys");
    json_open_array(j);
    for (uint64_t i = 0; i < ggk_model_n_kv(d->model); i++) {
        ggk_kv kv;
        status = ggk_model_kv(d->model, i, &kv, err);
        if (status != GGK_OK)
            return status;
        json_open_object(j);
        json_put_string(j, "key", kv.key.ptr, kv.key.len);
        status = show_json_value(j, d->model, i, most, err);
        if (status != GGK_OK)
            return status;
        json_close_object(j);
    }
    json_close_array(j);
    return GGK_OK;
}

static ggk_status put_dump_tensors_json(struct json *j, const struct dump *d,
                                        ggk_error *err)
{
    json_key(j, "tensors");
    json_open_array(j);
    for (uint64_t i = 0; i < ggk_model_n_tensors(d->model); i++) {
        ggk_tensor t;
        ggk_status status = ggk_model_tensor(d->model, i, &t, err);
        if (status != GGK_OK)
            return status;
        show_json_tensor(j, d->model, &t);
    }
    json_close_array(j);
    return GGK_OK;
}

static ggk_status print_dump_json(const struct dump *d, ggk_error *err)
{
    struct json j;
    ggk_status status;

    show_json_start(&j, d->cli);
    json_put_cstring(&j, "file", d->name);
    json_put_u64(&j, "version", d->file.version);
    json_put_cstring(&j, "byte_order", d->file.big_endian ? "big" : "little");
    json_put_u64(&j, "alignment", d->file.alignment);
    json_put_u64(&j, "data_offset", d->file.data_off);
    json_put_u64(&j, "n_keys", ggk_model_n_kv(d->model));
    json_put_u64(&j, "n_tensors", ggk_model_n_tensors(d->model));
    json_put_u64(&j, "n_shards", ggk_model_n_files(d->model));
    status = put_dump_keys_json(&j, d, err);
    if (status == GGK_OK && !d->options->no_tensors)
        status = put_dump_tensors_json(&j, d, err);
    if (status == GGK_OK)
        show_json_end(&j);
    return status;
}

/* --------------------------------------------------------------------- run */

/* NULL, or what is wrong with the options taken together. */
static const char *contradiction(const struct cli *cli,
                                 const struct dump_options *o)
{
    if (o->compat + o->markdown + cli->global.json > 1)
        return "--compat, --markdown and --json exclude each other";
    if (o->compat && o->full)
        return "--compat and --full exclude each other: gguf-dump shortens "
               "arrays";
    return NULL;
}

static ggk_status print_dump(const struct dump *d, ggk_error *err)
{
    if (d->cli->global.json)
        return print_dump_json(d, err);
    if (d->options->markdown)
        return dump_print_markdown(d, err);
    if (d->options->compat)
        return dump_print_compat(d, err);
    return print_dump_text(d, err);
}

static int run_dump(struct cli *cli, int argc, char **argv)
{
    struct dump d = {.cli = cli, .options = cli->options, .name = argv[0]};
    const char *wrong = contradiction(cli, d.options);
    struct input in;
    ggk_error err;
    int status;

    (void)argc;
    if (wrong != NULL) {
        msg_usage(&cli->msg, "%s", wrong);
        return CLI_USAGE;
    }
    /* gguf-dump knows no sets: a shard is a file like any other. */
    cli->global.single = cli->global.single || d.options->compat;
    status = input_open(cli, argv[0], &in);
    if (status != CLI_DONE)
        return status;
    d.model = in.model;
    if (ggk_model_file(in.model, 0, &d.file, &err) != GGK_OK ||
        print_dump(&d, &err) != GGK_OK)
        status = input_fail(&in, &err);
    return input_finish(&in, status);
}

static const struct cli_example dump_examples[] = {
    {"gguf dump model.gguf", "everything but the weights"},
    {"gguf dump --no-tensors --full model.gguf", "the keys, arrays whole"},
    {"gguf dump --markdown model.gguf >> README.md", "for a model card"},
    {"gguf dump --compat model.gguf", "for scripts that read gguf-dump"},
    {NULL, NULL},
};

const struct command cmd_dump = {
    .name = "dump",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .flags = CLI_READS_MODEL,
    .summary = "print all keys and tensors",
    .about = "Prints every key with type, count and value, and every tensor "
             "with type,\nshape and name. Of arrays the first 6 elements, "
             "unless --full is given.",
    .examples = dump_examples,
    .options = dump_options,
    .options_bytes = sizeof(struct dump_options),
    .run = run_dump,
};
