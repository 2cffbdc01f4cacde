/* cmd_map.c - gguf map: what each byte of a file is for.
 *
 * The rows are made in file order, each from where the one before ended, so
 * that together they hold every byte of the file exactly once: but for bytes
 * of tensors that overlap, which have rows of their own to be subtracted, and
 * for those past the end of the file, which are counted as missing.
 */
#include "command.h"
#include "input.h"
#include "order.h"
#include "out/fmt.h"
#include "out/table.h"
#include "out/text.h"
#include "show.h"

#include <stdlib.h>
#include <string.h>

struct map_options {
    bool entries;
};

static const struct opt map_options[] = {
    {"entries", 'e', OPT_FLAG, NULL, "a row for every key and tensor info",
     offsetof(struct map_options, entries), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* What bytes are for; also what has a row without any (a tensor may). */
enum map_part {
    MAP_BEFORE, /* in front of the GGUF, with --offset */
    MAP_HEADER,
    MAP_KEY_VALUES,
    MAP_KEY_VALUE,
    MAP_FREE_SPACE, /* the key-value of general.padding */
    MAP_TENSOR_INFOS,
    MAP_TENSOR_INFO,
    MAP_PADDING,
    MAP_TENSOR,
    MAP_OVERLAP, /* of the tensor above with the named one */
    MAP_GAP,
    MAP_TRAILING
};

static const char *const map_part_names[] = {
    [MAP_BEFORE] = "before",
    [MAP_HEADER] = "header",
    [MAP_KEY_VALUES] = "key-values",
    [MAP_KEY_VALUE] = "key-value",
    [MAP_FREE_SPACE] = "free-space",
    [MAP_TENSOR_INFOS] = "tensor-infos",
    [MAP_TENSOR_INFO] = "tensor-info",
    [MAP_PADDING] = "padding",
    [MAP_TENSOR] = "tensor",
    [MAP_OVERLAP] = "overlap",
    [MAP_GAP] = "gap",
    [MAP_TRAILING] = "trailing",
};

struct map_row {
    enum map_part part;
    uint64_t at;
    uint64_t bytes;   /* or GGK_SIZE_UNKNOWN */
    uint64_t padding; /* after a tensor */
    uint64_t missing; /* of its bytes, past the end of the file */
    uint64_t count;   /* of MAP_KEY_VALUES and MAP_TENSOR_INFOS */
    ggk_str name;
};

/* One file, and what becomes of its rows. */
struct map {
    const struct map_options *options;
    const ggk_model *model; /* of this file alone */
    ggk_file file;
    struct order order; /* of the tensors, by offset */
    uint64_t at;        /* everything before has its row */
    ggk_str furthest;   /* the tensor that reaches there */
    struct table *table;
    struct json *json; /* one of the two */
};

/* ------------------------------------------------------------------ output */

static void put_map_row_text(struct table *t, const struct map_row *row,
                             bool has_missing)
{
    char padding[FMT_BYTES] = "", missing[FMT_BYTES] = "", count[48] = "";

    table_u64(t, row->at);
    if (row->bytes == GGK_SIZE_UNKNOWN)
        table_cstring(t, "?");
    else
        table_u64(t, row->bytes);
    if (row->part == MAP_TENSOR)
        fmt_u64(padding, row->padding);
    table_cstring(t, padding);
    if (has_missing) {
        if (row->missing > 0)
            fmt_u64(missing, row->missing);
        table_cstring(t, missing);
    }
    table_cstring(t, row->part == MAP_OVERLAP ? "overlap with"
                                              : map_part_names[row->part]);
    if (row->count > 0) {
        snprintf(count, sizeof count, "%llu %s%s",
                 (unsigned long long)row->count,
                 row->part == MAP_KEY_VALUES ? "key" : "tensor",
                 row->count == 1 ? "" : "s");
        table_cstring(t, count);
    } else {
        table_text(t, row->name.ptr, row->name.len);
    }
}

static void put_map_row_json(struct json *j, const struct map_row *row)
{
    json_open_object(j);
    json_put_cstring(j, "part", map_part_names[row->part]);
    if (row->part == MAP_KEY_VALUE || row->part == MAP_FREE_SPACE ||
        row->part == MAP_TENSOR_INFO || row->part == MAP_TENSOR)
        json_put_string(j, "name", row->name.ptr, row->name.len);
    if (row->part == MAP_OVERLAP)
        json_put_string(j, "with", row->name.ptr, row->name.len);
    if (row->count > 0)
        json_put_u64(j, "count", row->count);
    json_put_u64(j, "offset", row->at);
    show_json_bytes(j, "bytes", row->bytes);
    if (row->part == MAP_TENSOR)
        json_put_u64(j, "padding", row->padding);
    if (row->missing > 0)
        json_put_u64(j, "missing", row->missing);
    json_close_object(j);
}

static void put_map_row(struct map *m, const struct map_row *row)
{
    if (m->json != NULL)
        put_map_row_json(m->json, row);
    else
        put_map_row_text(m->table, row, m->file.first_missing != GGK_NONE);
}

/* -------------------------------------------------------------- arithmetic */

/* a + b; a file that was changed since it was opened may hold any numbers. */
static uint64_t add_saturated(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Where the alignment, which counts from the start of the GGUF, has the next
 * part begin. */
static uint64_t aligned_up(const struct map *m, uint64_t at)
{
    uint64_t excess = (at - m->file.base_off) % m->file.alignment;

    return excess == 0 ? at : add_saturated(at, m->file.alignment - excess);
}

static uint64_t tensor_end(const ggk_tensor *t)
{
    return t->bytes == GGK_SIZE_UNKNOWN ? t->data_off
                                        : add_saturated(t->data_off, t->bytes);
}

/* How many of the bytes up to `end` lie past the end of the file. */
static uint64_t missing_of(const struct map *m, uint64_t bytes, uint64_t end)
{
    return end > m->file.size ? least_of(bytes, end - m->file.size) : 0;
}

/* -------------------------------------------------------------------- rows */

/* A row from where the last one ended, unless it would be empty. */
static void put_map_part(struct map *m, enum map_part part, uint64_t end,
                         uint64_t count)
{
    struct map_row row = {
        .part = part, .at = m->at, .bytes = end - m->at, .count = count};

    if (end <= m->at)
        return;
    put_map_row(m, &row);
    m->at = end;
}

/* What is between the parts, up to `end`: padding as far as it is one. */
static void put_map_filling(struct map *m, uint64_t end, enum map_part rest)
{
    put_map_part(m, MAP_PADDING, least_of(aligned_up(m, m->at), end), 0);
    put_map_part(m, rest, end, 0);
}

static ggk_status put_map_keys(struct map *m, ggk_error *err)
{
    for (uint64_t i = 0; i < ggk_model_n_kv(m->model); i++) {
        ggk_kv kv;
        ggk_status status = ggk_model_kv(m->model, i, &kv, err);
        struct map_row row = {.part = MAP_KEY_VALUE,
                              .at = kv.off,
                              .bytes = kv.end_off - kv.off,
                              .name = kv.key};
        if (status != GGK_OK)
            return status;
        if (ggk_model_kv_is_space(m->model, i))
            row.part = MAP_FREE_SPACE;
        put_map_row(m, &row);
    }
    m->at = m->file.info_off;
    return GGK_OK;
}

static ggk_status put_map_infos(struct map *m, ggk_error *err)
{
    for (uint64_t i = 0; i < ggk_model_n_tensors(m->model); i++) {
        ggk_tensor t;
        ggk_status status = ggk_model_tensor(m->model, i, &t, err);
        struct map_row row = {.part = MAP_TENSOR_INFO,
                              .at = t.info_off,
                              .bytes = t.info_end - t.info_off,
                              .name = t.name};
        if (status != GGK_OK)
            return status;
        put_map_row(m, &row);
    }
    m->at = m->file.head_end;
    return GGK_OK;
}

static ggk_status put_map_head(struct map *m, ggk_error *err)
{
    ggk_status status;

    m->at = 0;
    put_map_part(m, MAP_BEFORE, m->file.base_off, 0);
    put_map_part(m, MAP_HEADER, m->file.kv_off, 0);
    if (m->options->entries) {
        status = put_map_keys(m, err);
        return status == GGK_OK ? put_map_infos(m, err) : status;
    }
    put_map_part(m, MAP_KEY_VALUES, m->file.info_off, m->file.n_kv);
    put_map_part(m, MAP_TENSOR_INFOS, m->file.head_end, m->file.n_tensors);
    return GGK_OK;
}

/* What a tensor shares with those before it. */
static void put_map_overlap(struct map *m, const ggk_tensor *t)
{
    uint64_t end = least_of(tensor_end(t), m->at);
    struct map_row row = {.part = MAP_OVERLAP,
                          .at = t->data_off,
                          .bytes = end - t->data_off,
                          .name = m->furthest};

    if (end <= t->data_off)
        return;
    row.missing = missing_of(m, row.bytes, end);
    put_map_row(m, &row);
}

/* A tensor, with the padding behind it. `next` is where the next one begins, or
 * the file ends. */
static void put_map_tensor(struct map *m, const ggk_tensor *t, uint64_t next)
{
    uint64_t end = tensor_end(t);
    struct map_row row = {.part = MAP_TENSOR,
                          .at = t->data_off,
                          .bytes = t->bytes,
                          .missing = missing_of(m, t->bytes, end),
                          .name = t->name};

    if (end >= m->at && end < next)
        row.padding = least_of(aligned_up(m, end), next) - end;
    put_map_row(m, &row);
    put_map_overlap(m, t);
    if (end >= m->at) {
        m->at = end + row.padding;
        m->furthest = t->name;
    }
}

/* Where tensor `i` of the order begins, no further than the file goes; past
 * the last one, where the file ends. */
static ggk_status next_start(const struct map *m, size_t i, uint64_t *out,
                             ggk_error *err)
{
    ggk_tensor t;
    ggk_status status = GGK_OK;

    *out = m->file.size;
    if (i < m->order.n) {
        status = order_at(&m->order, m->model, i, &t, err);
        *out = least_of(t.data_off, m->file.size);
    } else if (m->file.size == GGK_SIZE_UNKNOWN) {
        *out = 0; /* nobody knows what a stream still holds */
    }
    return status;
}

static ggk_status put_map_file(struct map *m, ggk_error *err)
{
    ggk_status status = put_map_head(m, err);
    uint64_t next = 0;

    if (status == GGK_OK)
        status = next_start(m, 0, &next, err);
    for (size_t i = 0; i < m->order.n && status == GGK_OK; i++) {
        ggk_tensor t;
        put_map_filling(m, next, MAP_GAP);
        status = order_at(&m->order, m->model, i, &t, err);
        if (status == GGK_OK)
            status = next_start(m, i + 1, &next, err);
        if (status == GGK_OK)
            put_map_tensor(m, &t, next);
    }
    if (status == GGK_OK)
        put_map_filling(m, next, MAP_TRAILING);
    return status;
}

/* ------------------------------------------------------------------- files */

static ggk_status print_map_table(struct map *m, const struct cli *cli,
                                  ggk_error *err)
{
    static const struct table_column all[] = {
        {"OFFSET", TABLE_RIGHT, false},  {"BYTES", TABLE_RIGHT, false},
        {"PADDING", TABLE_RIGHT, false}, {"MISSING", TABLE_RIGHT, false},
        {"PART", TABLE_LEFT, false},     {"NAME", TABLE_LEFT, true},
    };
    struct table_column columns[6];
    size_t n_columns = 0;
    ggk_status status = GGK_OK;
    struct table t;

    for (size_t i = 0; i < 6; i++)
        if (i != 3 || m->file.first_missing != GGK_NONE)
            columns[n_columns++] = all[i];
    m->table = &t;
    table_start(&t, cli->out, columns, n_columns, cli->term.width,
                term_style(&cli->term, TERM_BOLD),
                term_style(&cli->term, TERM_PLAIN));
    do {
        status = put_map_file(m, err);
    } while (status == GGK_OK && table_again(&t));
    m->table = NULL;
    return status;
}

static ggk_status print_map_json(struct map *m, struct json *j,
                                 const char *file, ggk_error *err)
{
    ggk_status status;

    m->json = j;
    json_open_object(j);
    json_put_cstring(j, "file", file);
    show_json_bytes(j, "size", m->file.size);
    json_key(j, "parts");
    json_open_array(j);
    status = put_map_file(m, err);
    if (status != GGK_OK)
        return status;
    json_close_array(j);
    json_close_object(j);
    return GGK_OK;
}

/* Everything that can fail before the first row is written. */
static int start_map(struct map *m, const struct input *in)
{
    ggk_error err;

    m->options = in->cli->options;
    m->model = in->model;
    if (ggk_model_file(in->model, 0, &m->file, &err) != GGK_OK ||
        order_tensors(in->model, NULL, ORDER_OFFSET, false, &m->order, &err) !=
            GGK_OK)
        return input_fail(in, &err);
    return CLI_DONE;
}

/* The shards of a set, each opened alone: as a whole it shows only the keys of
 * the first. */
struct map_shards {
    struct cli cli; /* as we were called, but with --single */
    struct input *inputs;
    struct map *maps;
    uint32_t n;
};

static int open_map_shard(struct map_shards *shards, const ggk_model *set)
{
    struct input *in = &shards->inputs[shards->n];
    ggk_file file;
    ggk_error err;
    int status;

    if (ggk_model_file(set, shards->n, &file, &err) != GGK_OK)
        return cli_fail(&shards->cli, "", &err);
    status = input_open(&shards->cli, file.path, in);
    if (status != CLI_DONE)
        return status;
    status = start_map(&shards->maps[shards->n], in);
    shards->n++;
    return status;
}

static int open_map_shards(struct map_shards *shards, const struct input *set)
{
    uint32_t n = ggk_model_n_files(set->model);
    int status = CLI_DONE;

    shards->cli = *set->cli;
    shards->cli.global.single = true;
    shards->inputs = calloc(n, sizeof *shards->inputs);
    shards->maps = calloc(n, sizeof *shards->maps);
    if (shards->inputs == NULL || shards->maps == NULL) {
        msg_error(&set->cli->msg, set->name, "out of memory");
        return CLI_IO;
    }
    while (shards->n < n && status == CLI_DONE)
        status = open_map_shard(shards, set->model);
    return status;
}

static void close_map_shards(struct map_shards *shards)
{
    for (uint32_t i = 0; i < shards->n; i++) {
        order_free(&shards->maps[i].order);
        input_close(&shards->inputs[i]);
    }
    free(shards->inputs);
    free(shards->maps);
}

/* --------------------------------------------------------------------- run */

static const char *map_file_name(const struct map *m, const struct input *in)
{
    return m->file.path != NULL ? m->file.path : in->name;
}

static int print_maps_text(const struct cli *cli, struct map *maps,
                           const struct input *inputs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const char *name = map_file_name(&maps[i], &inputs[i]);
        ggk_error err;

        if (n > 1) {
            fputs(i > 0 ? "\n" : "", cli->out);
            text_write(cli->out, name, strlen(name), TEXT_PLAIN, TEXT_WHOLE);
            putc('\n', cli->out);
        }
        if (print_map_table(&maps[i], cli, &err) != GGK_OK)
            return input_fail(&inputs[i], &err);
    }
    return CLI_DONE;
}

static int print_maps_json(const struct cli *cli, const char *file,
                           struct map *maps, const struct input *inputs,
                           uint32_t n)
{
    struct json j;

    show_json_start(&j, cli);
    json_put_cstring(&j, "file", file);
    json_key(&j, "files");
    json_open_array(&j);
    for (uint32_t i = 0; i < n; i++) {
        const char *name = map_file_name(&maps[i], &inputs[i]);
        ggk_error err;

        if (print_map_json(&maps[i], &j, name, &err) != GGK_OK)
            return input_fail(&inputs[i], &err);
    }
    json_close_array(&j);
    show_json_end(&j);
    return CLI_DONE;
}

static int print_maps(const struct cli *cli, const char *file, struct map *maps,
                      const struct input *inputs, uint32_t n)
{
    return cli->global.json ? print_maps_json(cli, file, maps, inputs, n)
                            : print_maps_text(cli, maps, inputs, n);
}

static int map_one_file(const struct input *in)
{
    struct map m = {0};
    int status = start_map(&m, in);

    if (status == CLI_DONE)
        status = print_maps(in->cli, in->name, &m, in, 1);
    order_free(&m.order);
    return status;
}

static int map_set(const struct input *set)
{
    struct map_shards shards = {0};
    int status = open_map_shards(&shards, set);

    if (status == CLI_DONE)
        status = print_maps(set->cli, set->name, shards.maps, shards.inputs,
                            shards.n);
    close_map_shards(&shards);
    return status;
}

static int run_map(struct cli *cli, int argc, char **argv)
{
    struct input in;
    int status = input_open(cli, argv[0], &in);

    (void)argc;
    if (status != CLI_DONE)
        return status;
    status = ggk_model_n_files(in.model) > 1 ? map_set(&in) : map_one_file(&in);
    return input_finish(&in, status);
}

static const struct cli_example map_examples[] = {
    {"gguf map model.gguf", "which bytes are what"},
    {"gguf map --entries model.gguf", "the header key by key"},
    {"gguf map --json model.gguf | jq '.files[].parts[] | "
     "select(.part==\"gap\")'",
     "bytes that belong to nothing"},
    {NULL, NULL},
};

const struct command cmd_map = {
    .name = "map",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .flags = CLI_READS_MODEL,
    .summary = "show what each byte of a file is for",
    .about = "Shows the layout of the file, in file order: header, key-values, "
             "tensor\ninfos, data of each tensor, padding, gaps, overlaps and "
             "trailing bytes.",
    .examples = map_examples,
    .options = map_options,
    .options_bytes = sizeof(struct map_options),
    .run = run_map,
};
