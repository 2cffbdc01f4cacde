/* cmd_tensors.c - gguf tensors: the tensors of a model, those that match. */
#include "command.h"
#include "input.h"
#include "order.h"
#include "out/table.h"
#include "show.h"

struct tensors_options {
    int sort; /* enum order_by */
    bool reverse;
};

static const struct opt tensors_options[] = {
    {"sort", 0, OPT_CHOICE, NULL, "sort by this, least first; else file order",
     offsetof(struct tensors_options, sort), order_choices},
    {"reverse", 'r', OPT_FLAG, NULL, "with --sort: greatest first",
     offsetof(struct tensors_options, reverse), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

static void put_tensor_row(struct table *t, const ggk_model *model,
                           const ggk_tensor *tensor)
{
    char shape[SHOW_SHAPE_BYTES], type[SHOW_TYPE_BYTES];

    show_shape(shape, tensor);
    show_tensor_type(type, model, tensor->type);
    table_text(t, tensor->name.ptr, tensor->name.len);
    table_cstring(t, shape);
    table_cstring(t, type);
    table_u64(t, tensor->data_off);
    if (tensor->bytes == GGK_SIZE_UNKNOWN)
        table_cstring(t, "?");
    else
        table_u64(t, tensor->bytes);
    if (ggk_model_n_files(model) > 1)
        table_u64(t, (uint64_t)tensor->file + 1);
}

static ggk_status print_tensor_table(const struct cli *cli,
                                     const ggk_model *model,
                                     const struct order *order, ggk_error *err)
{
    static const struct table_column columns[] = {
        {"NAME", TABLE_LEFT, true},    {"SHAPE", TABLE_LEFT, false},
        {"TYPE", TABLE_LEFT, false},   {"OFFSET", TABLE_RIGHT, false},
        {"BYTES", TABLE_RIGHT, false}, {"SHARD", TABLE_RIGHT, false},
    };
    size_t n_columns = ggk_model_n_files(model) > 1 ? 6 : 5;
    struct table t;

    table_start(&t, cli->out, columns, n_columns, cli->term.width,
                term_style(&cli->term, TERM_BOLD),
                term_style(&cli->term, TERM_PLAIN));
    do {
        for (size_t i = 0; i < order->n; i++) {
            ggk_tensor tensor;
            ggk_status status = order_at(order, model, i, &tensor, err);
            if (status != GGK_OK)
                return status;
            put_tensor_row(&t, model, &tensor);
        }
    } while (table_again(&t));
    return GGK_OK;
}

static ggk_status print_tensor_json(const struct cli *cli, const char *file,
                                    const ggk_model *model,
                                    const struct order *order, ggk_error *err)
{
    struct json j;

    show_json_start(&j, cli);
    json_put_cstring(&j, "file", file);
    json_key(&j, "tensors");
    json_open_array(&j);
    for (size_t i = 0; i < order->n; i++) {
        ggk_tensor tensor;
        ggk_status status = order_at(order, model, i, &tensor, err);
        if (status != GGK_OK)
            return status;
        show_json_tensor(&j, model, &tensor);
    }
    json_close_array(&j);
    show_json_end(&j);
    return GGK_OK;
}

/* The tensors of an open model, as asked for. */
static int list_tensors(const struct cli *cli, const struct input *in,
                        char *const *patterns)
{
    const struct tensors_options *o = cli->options;
    int status = CLI_DONE;
    struct order order;
    ggk_error err;
    ggk_status result = order_tensors(
        in->model, patterns, (enum order_by)o->sort, o->reverse, &order, &err);

    if (result != GGK_OK)
        return input_fail(in, &err);
    if (cli->global.json)
        result = print_tensor_json(cli, in->name, in->model, &order, &err);
    else if (order.n > 0)
        result = print_tensor_table(cli, in->model, &order, &err);
    if (result != GGK_OK)
        status = input_fail(in, &err);
    order_free(&order);
    return status;
}

static int run_tensors(struct cli *cli, int argc, char **argv)
{
    const struct tensors_options *o = cli->options;

    (void)argc;
    return order_run(cli, argv, o->sort, o->reverse, list_tensors);
}

static const struct cli_example tensors_examples[] = {
    {"gguf tensors model.gguf", "all tensors, in file order"},
    {"gguf tensors model.gguf 'blk.0.*'", "those of the first layer"},
    {"gguf tensors --sort size -r model.gguf | head", "the largest"},
    {"gguf tensors --json model.gguf | jq '[.tensors[].elements] | add'",
     "how many parameters there are"},
    {NULL, NULL},
};

const struct command cmd_tensors = {
    .name = "tensors",
    .operands = "FILE [PATTERN]...",
    .min_operands = 1,
    .max_operands = CLI_ANY_OPERANDS,
    .flags = CLI_READS_MODEL,
    .summary = "list the tensors",
    .about = "Lists the tensors with shape (row length first), type, position "
             "in the file\nand size in bytes. PATTERN takes * ? and [...], "
             "which match any byte.",
    .examples = tensors_examples,
    .options = tensors_options,
    .options_bytes = sizeof(struct tensors_options),
    .no_means = "no tensor matches a PATTERN",
    .run = run_tensors,
};
