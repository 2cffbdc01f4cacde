/* cmd_types.c - gguf types: the types of values and of tensors. */
#include "command.h"
#include "input.h"
#include "out/fmt.h"
#include "out/json.h"
#include "out/table.h"
#include "show.h"

struct types_options {
    const char *type_table;
};

/* That of the commands that read models, without its companions. */
static const struct opt types_options[] = {
    {"type-table", 0, OPT_STRING, "FILE", "add the tensor types of FILE",
     offsetof(struct types_options, type_table), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* A tensor type of the merged table. */
struct listed_type {
    const ggk_type_info *info;
    const ggk_type_info *hidden; /* built-in type of the same id, or NULL */
    bool own;                    /* from the user's table */
};

/* ------------------------------------------------------------------- types */

/* Of the types in `own` (may be NULL) and those built in, that of the least id
 * from `id` on; false if there is none. Both lists ascend. */
static bool next_listed_type(const ggk_type_table *own, uint64_t id,
                             struct listed_type *out)
{
    const ggk_type_info *info = NULL;
    size_t i = 0;

    while ((info = ggk_type_at(i)) != NULL && info->id < id)
        i++;
    *out = (struct listed_type){info, NULL, false};
    if (own == NULL)
        return info != NULL;
    for (i = 0; (info = ggk_type_table_at(own, i)) != NULL && info->id < id;)
        i++;
    if (info != NULL && (out->info == NULL || info->id <= out->info->id))
        *out = (struct listed_type){info, ggk_type_by_id(info->id), true};
    return out->info != NULL;
}

static bool is_removed_type(const ggk_type_info *info)
{
    return (info->flags & GGK_TYPE_REMOVED) != 0;
}

static double bits_per_weight(const ggk_type_info *info)
{
    return 8.0 * info->bytes / info->block;
}

/* -------------------------------------------------------------------- text */

static void print_value_types(const struct cli *cli)
{
    static const struct table_column columns[] = {
        {"ID", TABLE_RIGHT, false},
        {"VALUE TYPE", TABLE_LEFT, false},
        {"BYTES", TABLE_RIGHT, false},
    };
    struct table t;

    table_start(&t, cli->out, columns, 3, 0, term_style(&cli->term, TERM_BOLD),
                term_style(&cli->term, TERM_PLAIN));
    do {
        for (uint32_t id = 0; id < GGK_VALUE_TYPE_COUNT; id++) {
            size_t bytes = ggk_value_type_bytes(id);
            table_u64(&t, id);
            table_cstring(&t, ggk_value_type_name(id));
            if (bytes > 0)
                table_u64(&t, bytes);
            else
                table_cstring(&t, "any");
        }
    } while (table_again(&t));
}

#define TYPE_NOTES_BYTES 160

static void write_type_notes(char *out, const struct listed_type *type)
{
    const ggk_type_info *info = type->info;
    const char *sort = is_removed_type(info) ? "removed"
                       : (info->flags & GGK_TYPE_NEEDS_IMATRIX) != 0
                           ? "quantized, needs imatrix"
                       : (info->flags & GGK_TYPE_QUANTIZED) != 0 ? "quantized"
                                                                 : "";
    char extra[48] = "";

    if (info->row_extra > 0)
        snprintf(extra, sizeof extra, ", +%lu bytes a row",
                 (unsigned long)info->row_extra);
    if (!type->own)
        snprintf(out, TYPE_NOTES_BYTES, "%s", sort);
    else
        snprintf(out, TYPE_NOTES_BYTES, "own%s%s%s%s%s",
                 type->hidden != NULL ? ", hides " : "",
                 type->hidden != NULL ? type->hidden->name : "",
                 *sort != '\0' ? ", " : "", sort, extra);
}

static void put_tensor_type(struct table *t, const struct listed_type *type)
{
    const ggk_type_info *info = type->info;
    char bits[FMT_BYTES], notes[TYPE_NOTES_BYTES];

    write_type_notes(notes, type);
    table_u64(t, info->id);
    table_cstring(t, info->name);
    if (is_removed_type(info)) {
        table_cstring(t, "");
        table_cstring(t, "");
        table_cstring(t, "");
    } else {
        fmt_fixed(bits, bits_per_weight(info), 4);
        table_u64(t, info->block);
        table_u64(t, info->bytes);
        table_cstring(t, bits);
    }
    table_cstring(t, notes);
}

static void print_tensor_types(const struct cli *cli, const ggk_type_table *own)
{
    static const struct table_column columns[] = {
        {"ID", TABLE_RIGHT, false},    {"TENSOR TYPE", TABLE_LEFT, false},
        {"BLOCK", TABLE_RIGHT, false}, {"BYTES", TABLE_RIGHT, false},
        {"BITS", TABLE_RIGHT, false},  {"NOTES", TABLE_LEFT, false},
    };
    struct listed_type type;
    struct table t;

    table_start(&t, cli->out, columns, 6, 0, term_style(&cli->term, TERM_BOLD),
                term_style(&cli->term, TERM_PLAIN));
    do {
        for (uint64_t id = 0; next_listed_type(own, id, &type);
             id = (uint64_t)type.info->id + 1)
            put_tensor_type(&t, &type);
    } while (table_again(&t));
}

/* -------------------------------------------------------------------- JSON */

static void put_value_types_json(struct json *j)
{
    json_key(j, "value_types");
    json_open_array(j);
    for (uint32_t id = 0; id < GGK_VALUE_TYPE_COUNT; id++) {
        size_t bytes = ggk_value_type_bytes(id);
        json_open_object(j);
        json_put_u64(j, "id", id);
        json_put_cstring(j, "name", ggk_value_type_name(id));
        if (bytes > 0)
            json_put_u64(j, "bytes", bytes);
        else
            json_put_null(j, "bytes");
        json_close_object(j);
    }
    json_close_array(j);
}

static void put_tensor_type_json(struct json *j, const struct listed_type *type)
{
    const ggk_type_info *info = type->info;

    json_open_object(j);
    json_put_u64(j, "id", info->id);
    json_put_cstring(j, "name", info->name);
    if (!is_removed_type(info)) {
        json_put_u64(j, "block", info->block);
        json_put_u64(j, "bytes", info->bytes);
        if (info->row_extra > 0)
            json_put_u64(j, "row_extra", info->row_extra);
        json_put_f64(j, "bits_per_weight", bits_per_weight(info));
    }
    json_put_bool(j, "quantized", (info->flags & GGK_TYPE_QUANTIZED) != 0);
    json_put_bool(j, "needs_imatrix",
                  (info->flags & GGK_TYPE_NEEDS_IMATRIX) != 0);
    json_put_bool(j, "removed", is_removed_type(info));
    json_put_bool(j, "own", type->own);
    if (type->hidden != NULL)
        json_put_cstring(j, "hides", type->hidden->name);
    json_close_object(j);
}

static void print_types_json(const struct cli *cli, const ggk_type_table *own)
{
    struct listed_type type;
    struct json j;

    show_json_start(&j, cli);
    put_value_types_json(&j);
    json_key(&j, "tensor_types");
    json_open_array(&j);
    for (uint64_t id = 0; next_listed_type(own, id, &type);
         id = (uint64_t)type.info->id + 1)
        put_tensor_type_json(&j, &type);
    json_close_array(&j);
    show_json_end(&j);
}

/* --------------------------------------------------------------------- run */

static int run_types(struct cli *cli, int argc, char **argv)
{
    const struct types_options *o = cli->options;
    ggk_type_table *own;
    int status;

    (void)argc;
    (void)argv;
    cli->global.type_table = o->type_table;
    status = input_types(cli, &own);
    if (status != CLI_DONE)
        return status;
    if (cli->global.json) {
        print_types_json(cli, own);
    } else {
        print_value_types(cli);
        putc('\n', cli->out);
        print_tensor_types(cli, own);
    }
    ggk_type_table_free(own);
    return CLI_DONE;
}

static const struct cli_example types_examples[] = {
    {"gguf types", "all types that are built in"},
    {"gguf types --type-table fork.tsv", "with those of a fork of llama.cpp"},
    {"gguf types --json | jq '.tensor_types[] | select(.bits_per_weight < 3)'",
     "the tensor types below 3 bits"},
    {NULL, NULL},
};

const struct command cmd_types = {
    .name = "types",
    .operands = "",
    .max_operands = 0,
    .summary = "list the types of values and tensors",
    .about = "Lists the types that metadata values and tensors can have: id, "
             "name, elements\nand bytes of a block, and bits per weight.",
    .examples = types_examples,
    .options = types_options,
    .options_bytes = sizeof(struct types_options),
    .run = run_types,
};
