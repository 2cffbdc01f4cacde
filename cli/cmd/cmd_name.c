/* cmd_name.c - gguf name: does a file's name say what is in it? */
#include "command.h"
#include "input.h"
#include "naming.h"
#include "out/table.h"
#include "out/text.h"
#include "show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct name_options {
    const char *parse;
    bool build;
};

static const struct opt name_options[] = {
    {"build", 'b', OPT_FLAG, NULL, "print only the name that it should have",
     offsetof(struct name_options, build), NULL},
    {"parse", 'p', OPT_STRING, "NAME", "take NAME apart; there need be no file",
     offsetof(struct name_options, parse), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* -------------------------------------------------------------------- text */

static const char *verdict_text(enum naming_verdict verdict)
{
    switch (verdict) {
    case NAMING_SILENT: return "";
    case NAMING_AGREES: return "yes";
    case NAMING_DIFFERS: return "no";
    }
    return "";
}

static void print_convention(const struct cli *cli, const ggk_file_name *name)
{
    if (name->breaks == NULL)
        fputs("keeps the convention\n", cli->out);
    else
        fprintf(cli->out, "breaks the convention: %s\n", name->breaks);
}

/* A part that one of them does not have is a dash. */
static void put_part_cell(struct table *t, ggk_str text)
{
    if (text.len == 0)
        table_cstring(t, "-");
    else
        table_text(t, text.ptr, text.len);
}

static void print_comparison(const struct cli *cli, const struct naming *n)
{
    static const struct table_column columns[] = {
        {"PART", TABLE_LEFT, false},    {"NAME", TABLE_LEFT, false},
        {"CONTENT", TABLE_LEFT, false}, {"AGREE", TABLE_LEFT, false},
        {"REMARK", TABLE_LEFT, true},
    };
    const struct term *term = &cli->term;
    struct table t;

    table_start(&t, cli->out, columns, 5, term->width,
                term_style(term, TERM_BOLD), term_style(term, TERM_PLAIN));
    do {
        for (int i = 0; i < NAMING_PARTS; i++) {
            const struct naming_row *row = &n->rows[i];
            if (row->in_name.len == 0 && row->in_content.len == 0)
                continue;
            table_cstring(&t, naming_part_name((enum naming_part)i));
            put_part_cell(&t, row->in_name);
            put_part_cell(&t, row->in_content);
            table_cstring(&t, verdict_text(row->verdict));
            table_cstring(&t, row->remark);
        }
    } while (table_again(&t));
}

static void print_naming(const struct cli *cli, const struct naming *n)
{
    if (n->file_name.len > 0) {
        text_write(cli->out, n->file_name.ptr, n->file_name.len, TEXT_PLAIN,
                   TEXT_WHOLE);
        fputs(": ", cli->out);
        print_convention(cli, &n->parts);
        putc('\n', cli->out);
    }
    print_comparison(cli, n);
    if (n->proposed[0] != '\0')
        fprintf(cli->out, "\nproposed: %s\n", n->proposed);
}

static void print_parts(const struct cli *cli, const ggk_file_name *name)
{
    static const struct table_column columns[] = {
        {NULL, TABLE_LEFT, false},
        {NULL, TABLE_LEFT, true},
    };
    struct table t;

    print_convention(cli, name);
    table_start(&t, cli->out, columns, 2, cli->term.width, "", "");
    do {
        for (int i = 0; i < NAMING_PARTS; i++) {
            char shard[48];
            ggk_str text = naming_part_text(name, (enum naming_part)i, shard);
            if (text.len == 0)
                continue;
            table_cstring(&t, naming_part_name((enum naming_part)i));
            table_text(&t, text.ptr, text.len);
        }
    } while (table_again(&t));
}

/* -------------------------------------------------------------------- JSON */

/* The parts of a name, as members. */
static void put_name(struct json *j, ggk_str text, const ggk_file_name *name)
{
    json_key(j, "name");
    json_open_object(j);
    json_put_string(j, "text", text.ptr, text.len);
    json_put_bool(j, "conventional", name->breaks == NULL);
    if (name->breaks != NULL)
        json_put_cstring(j, "breaks", name->breaks);
    for (int i = 0; i < NAMING_SHARD; i++) {
        ggk_str part = naming_part_text(name, (enum naming_part)i, NULL);
        if (part.len > 0)
            json_put_string(j, naming_part_key((enum naming_part)i), part.ptr,
                            part.len);
    }
    if (name->shards > 0) {
        json_put_u64(j, "shard", name->shard);
        json_put_u64(j, "shards", name->shards);
    }
    json_close_object(j);
}

static void put_naming_row(struct json *j, enum naming_part part,
                           const struct naming_row *row)
{
    json_open_object(j);
    json_put_cstring(j, "part", naming_part_key(part));
    if (row->in_name.len > 0)
        json_put_string(j, "name", row->in_name.ptr, row->in_name.len);
    if (row->in_content.len > 0)
        json_put_string(j, "content", row->in_content.ptr, row->in_content.len);
    if (row->verdict != NAMING_SILENT)
        json_put_bool(j, "agree", row->verdict == NAMING_AGREES);
    if (row->remark[0] != '\0')
        json_put_cstring(j, "remark", row->remark);
    json_close_object(j);
}

static void print_naming_json(const struct cli *cli, const char *file,
                              const struct naming *n)
{
    struct json j;

    show_json_start(&j, cli);
    json_put_cstring(&j, "file", file);
    if (n->file_name.len > 0)
        put_name(&j, n->file_name, &n->parts);
    json_key(&j, "parts");
    json_open_array(&j);
    for (int i = 0; i < NAMING_PARTS; i++) {
        const struct naming_row *row = &n->rows[i];
        if (row->in_name.len > 0 || row->in_content.len > 0)
            put_naming_row(&j, (enum naming_part)i, row);
    }
    json_close_array(&j);
    if (n->proposed[0] != '\0')
        json_put_cstring(&j, "proposed", n->proposed);
    show_json_end(&j);
}

/* --------------------------------------------------------------------- run */

static int parse_name(const struct cli *cli, const char *text)
{
    ggk_file_name name;
    bool keeps = ggk_file_name_parse(ggk_cstr(text), &name);
    struct json j;

    if (cli->global.json) {
        show_json_start(&j, cli);
        put_name(&j, ggk_cstr(text), &name);
        show_json_end(&j);
    } else {
        print_parts(cli, &name);
    }
    return keeps ? CLI_DONE : CLI_NO;
}

/* The whole set of a shard; but where its name does not say what its keys do,
 * the file alone, since as a set it would not open. Then --build has no name to
 * give that would not part it from the others: that of the set is told. */
static int open_named(const struct cli *cli, struct cli *alone,
                      const char *file, struct input *in)
{
    const struct name_options *o = cli->options;
    int status;

    *alone = *cli;
    alone->global.single = true;
    status = input_open(alone, file, in);
    if (status != CLI_DONE || cli->global.single || !naming_is_part(in) ||
        (!o->build && !naming_is_shard(in)))
        return status;
    input_close(in);
    return input_open(cli, file, in);
}

/* One shard under another name is lost to the others. */
static void note_set(const struct cli *cli, const struct input *in,
                     const struct naming *n)
{
    uint32_t shards = ggk_model_n_files(in->model);

    if (shards > 1 &&
        (n->file_name.len != strlen(n->proposed) ||
         memcmp(n->file_name.ptr, n->proposed, n->file_name.len) != 0))
        msg_note(&cli->msg, in->name,
                 "a shard is found by its name: rename all %" PRIu32
                 " of the set, or none",
                 shards);
}

static int report_naming(const struct cli *cli, const struct input *in)
{
    const struct name_options *o = cli->options;
    struct naming n;
    ggk_error err;
    bool differs = false;

    if (naming_make(in, &n, &err) != GGK_OK)
        return input_fail(in, &err);
    for (int i = 0; i < NAMING_PARTS; i++)
        differs = differs || n.rows[i].verdict == NAMING_DIFFERS;
    if (cli->global.json) {
        print_naming_json(cli, in->name, &n);
    } else if (!o->build) {
        print_naming(cli, &n);
    } else if (n.proposed[0] != '\0') {
        fprintf(cli->out, "%s\n", n.proposed);
        note_set(cli, in, &n);
        return CLI_DONE;
    }
    if (n.proposed[0] == '\0')
        msg_warning(&cli->msg, in->name,
                    "the name that it should have would be longer than %d "
                    "bytes",
                    NAMING_MAX_NAME);
    return differs || (o->build && n.proposed[0] == '\0') ? CLI_NO : CLI_DONE;
}

static int run_name(struct cli *cli, int argc, char **argv)
{
    const struct name_options *o = cli->options;
    struct cli alone;
    struct input in;
    int status;

    if ((o->parse != NULL) == (argc > 0)) {
        msg_usage(&cli->msg,
                  argc > 0 ? "--parse takes no FILE" : "which file?");
        return CLI_USAGE;
    }
    if (o->build && (o->parse != NULL || cli->global.json)) {
        msg_usage(&cli->msg, "--build takes neither --parse nor --json");
        return CLI_USAGE;
    }
    if (o->parse != NULL)
        return parse_name(cli, o->parse);
    status = open_named(cli, &alone, argv[0], &in);
    if (status != CLI_DONE)
        return status;
    status = report_naming(cli, &in);
    return input_finish(&in, status);
}

static const struct cli_example name_examples[] = {
    {"gguf name Mistral-7B-Instruct-v0.3-Q4_K_M.gguf",
     "whether it is what it says"},
    {"mv model.gguf \"$(gguf name --build model.gguf)\"", "call it what it is"},
    {"gguf name --parse Mixtral-8x7B-v0.1-KQ2.gguf", "what a name says"},
    {NULL, NULL},
};

const struct command cmd_name = {
    .name = "name",
    .operands = "[FILE]",
    .min_operands = 0,
    .max_operands = 1,
    .flags = CLI_READS_MODEL,
    .summary = "compare a file's name with its content",
    .about = "Takes the name of a file apart by the GGUF naming convention, "
             "compares it\nwith the content, and proposes the name that fits.",
    .examples = name_examples,
    .options = name_options,
    .options_bytes = sizeof(struct name_options),
    .no_means = "name and content differ; with --parse: it breaks the "
                "convention",
    .run = run_name,
};
