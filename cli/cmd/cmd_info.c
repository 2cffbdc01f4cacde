/* cmd_info.c - gguf info: what a model is, on one screen. */
#include "command.h"
#include "demo.h"
#include "input.h"
#include "out/fmt.h"
#include "out/table.h"
#include "out/text.h"
#include "show.h"
#include "summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct info_options {
    bool demo;
};

static const struct opt info_options[] = {
    {"demo", 0, OPT_FLAG, NULL, "show a model that is built into the program",
     offsetof(struct info_options, demo), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* ------------------------------------------------------------------- lines */

#define LABEL_WIDTH 15

/* A page of "  label          text" lines under headings. */
struct page {
    const struct cli *cli;
    FILE *out;
};

static void heading(const struct page *p, const char *title)
{
    fprintf(p->out, "\n%s%s%s\n", term_style(&p->cli->term, TERM_BOLD), title,
            term_style(&p->cli->term, TERM_PLAIN));
}

/* Columns left for a text that begins after `used`. */
static size_t room(const struct page *p, size_t used)
{
    size_t width = p->cli->term.width;

    if (width == 0)
        return TEXT_WHOLE;
    return width > used + 20 ? width - used : 20;
}

static void label(const struct page *p, const char *name)
{
    fprintf(p->out, "  %-*s", LABEL_WIDTH, name);
}

/* A label from a file. */
static void text_label(const struct page *p, ggk_str name, size_t width)
{
    size_t used;

    fputs("  ", p->out);
    used = text_write(p->out, name.ptr, name.len, TEXT_PLAIN, room(p, 24));
    fprintf(p->out, "%*s", used < width ? (int)(width - used) : 1, "");
}

/* ---------------------------------------------------------------- sections */

static void print_file(const struct page *p, const struct input *in,
                       const struct summary *s)
{
    text_write(p->out, in->name, strlen(in->name), TEXT_PLAIN, TEXT_WHOLE);
    putc('\n', p->out);
    label(p, "format");
    fprintf(p->out, "GGUF version %" PRIu32 ", %s-endian%s\n", s->file.version,
            s->file.big_endian ? "big" : "little",
            s->file.swapped_magic ? " (magic FUGG)" : "");
    if (input_is_imatrix(in)) {
        label(p, "kind");
        fputs("importance matrix, which gguf imatrix shows\n", p->out);
    }
    label(p, "contents");
    fprintf(p->out, "%" PRIu64 " key%s, %" PRIu64 " tensor%s\n", s->n_kv,
            s->n_kv == 1 ? "" : "s", s->n_tensors,
            s->n_tensors == 1 ? "" : "s");
    label(p, "data");
    fprintf(p->out, "at byte %" PRIu64 ", alignment %" PRIu64 "\n",
            s->file.data_off, s->file.alignment);
    if (s->n_files > 1) {
        label(p, "shards");
        fprintf(p->out, "%" PRIu32 "\n", s->n_files);
    }
    if (s->size != GGK_SIZE_UNKNOWN) {
        label(p, "size");
        show_size(p->out, s->size);
        putc('\n', p->out);
    }
    if (s->has_space) {
        label(p, "free space");
        show_size(p->out, s->space_bytes);
        fputs(", for edits in place\n", p->out);
    }
}

/* One line if the model has that key as a string. */
static void print_string_key(const struct page *p, const struct input *in,
                             const char *name, const char *key)
{
    ggk_str value;

    if (ggk_model_get_str(in->model, ggk_cstr(key), &value, NULL) != GGK_OK)
        return;
    label(p, name);
    text_write(p->out, value.ptr, value.len, TEXT_PLAIN,
               room(p, LABEL_WIDTH + 2));
    putc('\n', p->out);
}

/* The types by their share of the bytes, largest first: five, or as many as the
 * line holds. */
static void print_mix(const struct page *p, const struct summary *s)
{
    static const char whole[] = " by bytes", cut[] = ", ... by bytes";
    size_t left = room(p, LABEL_WIDTH + 2), i;

    if (s->tensor_bytes == 0)
        return;
    label(p, "real mix");
    for (i = 0; i < s->n_types && i < 5; i++) {
        char share[FMT_BYTES], type[128];
        size_t n, ending = i + 1 < s->n_types ? sizeof cut : sizeof whole;

        fmt_percent(share, s->types[i].bytes, s->tensor_bytes);
        snprintf(type, sizeof type, "%s%s %s", i > 0 ? ", " : "",
                 s->types[i].name, share);
        n = strlen(type);
        if (i > 0 && n + ending - 1 > left)
            break;
        fputs(type, p->out);
        left -= n < left ? n : left;
    }
    fprintf(p->out, "%s\n", s->n_types > i ? cut : whole);
}

static void print_model(const struct page *p, const struct input *in,
                        const struct summary *s)
{
    heading(p, "Model");
    print_string_key(p, in, "architecture", "general.architecture");
    print_string_key(p, in, "name", "general.name");
    print_string_key(p, in, "size label", "general.size_label");
    print_string_key(p, in, "finetune", "general.finetune");
    print_string_key(p, in, "licence", "general.license");
    if (s->has_file_type) {
        const char *name = ggk_file_type_name(s->file_type);
        label(p, "file type");
        fprintf(p->out, "%s (%" PRIu64 ")\n", name != NULL ? name : "not known",
                s->file_type);
    }
    print_mix(p, s);
}

static size_t widest_parameter(const struct input *in, const struct summary *s)
{
    size_t widest = LABEL_WIDTH - 2;

    for (uint64_t i = 0; i < s->n_kv; i++) {
        ggk_kv kv;
        size_t width;
        if (ggk_model_kv(in->model, i, &kv, NULL) != GGK_OK ||
            !summary_is_parameter(s, kv.key))
            continue;
        width = text_width(kv.key.ptr + s->prefix_len,
                           kv.key.len - s->prefix_len, TEXT_PLAIN, 40);
        widest = width > widest && width <= 40 ? width : widest;
    }
    return widest;
}

static ggk_status print_parameter(const struct page *p, const struct input *in,
                                  uint64_t i, ggk_str name, size_t width,
                                  ggk_error *err)
{
    struct show_line line;
    ggk_status status = show_value_line(&line, in->model, i, err);

    if (status != GGK_OK)
        return status;
    text_label(p, name, width);
    text_write(p->out, line.text, strlen(line.text), TEXT_VERBATIM,
               room(p, width + 2));
    putc('\n', p->out);
    return GGK_OK;
}

/* All keys of the architecture, without its name in front. */
static ggk_status print_parameters(const struct page *p, const struct input *in,
                                   const struct summary *s, ggk_error *err)
{
    size_t width = widest_parameter(in, s) + 2;
    bool any = false;
    ggk_status status = GGK_OK;

    for (uint64_t i = 0; i < s->n_kv && status == GGK_OK; i++) {
        ggk_kv kv;
        ggk_str name;

        status = ggk_model_kv(in->model, i, &kv, err);
        if (status != GGK_OK || !summary_is_parameter(s, kv.key))
            continue;
        if (!any)
            heading(p, "Hyperparameters");
        any = true;
        name =
            (ggk_str){kv.key.ptr + s->prefix_len, kv.key.len - s->prefix_len};
        status = print_parameter(p, in, i, name, width, err);
    }
    return status;
}

static void print_special_tokens(const struct page *p, const struct summary *s)
{
    for (size_t i = 0; i < s->n_special; i++) {
        const struct summary_token *token = &s->special[i];
        label(p, token->name);
        fprintf(p->out, "%" PRIu64 " ", token->id);
        if (token->has_text)
            text_write(p->out, token->text.ptr, token->text.len, TEXT_QUOTED,
                       room(p, LABEL_WIDTH + 14));
        else
            fputs("(not in the vocabulary)", p->out);
        putc('\n', p->out);
    }
}

static void print_template(const struct page *p, const struct summary *s)
{
    char size[FMT_BYTES];

    label(p, "chat template");
    if (!s->has_template) {
        if (s->n_templates > 0)
            fprintf(p->out, "%" PRIu64 ", but not one default\n",
                    s->n_templates);
        else
            fputs("none\n", p->out);
        return;
    }
    fmt_size(size, s->template.len);
    fprintf(p->out, "%s", size);
    if (s->n_templates > 1)
        fprintf(p->out, ", and %" PRIu64 " more", s->n_templates - 1);
    putc('\n', p->out);
}

static void print_tokenizer(const struct page *p, const struct input *in,
                            const struct summary *s)
{
    if (!s->has_tokenizer)
        return;
    heading(p, "Tokenizer");
    print_string_key(p, in, "model", "tokenizer.ggml.model");
    print_string_key(p, in, "pre-tokenizer", "tokenizer.ggml.pre");
    label(p, "tokens");
    fprintf(p->out, "%" PRIu64, s->n_tokens);
    if (s->n_merges > 0)
        fprintf(p->out, ", %" PRIu64 " merges", s->n_merges);
    putc('\n', p->out);
    print_special_tokens(p, s);
    print_template(p, s);
}

static void print_types(const struct page *p, const struct summary *s)
{
    static const struct table_column columns[] = {
        {"  TYPE", TABLE_LEFT, false},      {"TENSORS", TABLE_RIGHT, false},
        {"PARAMETERS", TABLE_RIGHT, false}, {"BYTES", TABLE_RIGHT, false},
        {"SHARE", TABLE_RIGHT, false},
    };
    const struct term *term = &p->cli->term;
    struct table t;

    table_start(&t, p->out, columns, 5, 0, term_style(term, TERM_DIM),
                term_style(term, TERM_PLAIN));
    do {
        char name[SHOW_TYPE_BYTES + 2];
        for (size_t i = 0; i < s->n_types; i++) {
            const struct summary_type *type = &s->types[i];
            snprintf(name, sizeof name, "  %s", type->name);
            show_type_row(&t, name, type->tensors, type->parameters,
                          type->bytes, s->tensor_bytes);
        }
        if (s->n_types > 1)
            show_type_row(&t, "  total", s->n_tensors, s->parameters,
                          s->tensor_bytes, s->tensor_bytes);
    } while (table_again(&t));
}

static void print_tensors(const struct page *p, const struct summary *s)
{
    char bits[FMT_BYTES], size[FMT_BYTES];

    if (s->n_tensors == 0)
        return;
    heading(p, "Tensors");
    print_types(p, s);
    fmt_size(size, s->tensor_bytes);
    fprintf(p->out, "\n  %" PRIu64 " parameter%s in %s", s->parameters,
            fmt_plural(s->parameters), size);
    if (s->sized_parameters > 0) {
        fmt_fixed(bits, summary_bits_per_weight(s), 3);
        fprintf(p->out, ", %s bits per weight", bits);
    }
    putc('\n', p->out);
}

static ggk_status print_info(const struct cli *cli, const struct input *in,
                             const struct summary *s, ggk_error *err)
{
    struct page p = {cli, cli->out};
    ggk_status status;

    print_file(&p, in, s);
    print_model(&p, in, s);
    status = print_parameters(&p, in, s, err);
    if (status != GGK_OK)
        return status;
    print_tokenizer(&p, in, s);
    print_tensors(&p, s);
    return GGK_OK;
}

/* -------------------------------------------------------------------- JSON */

static ggk_status put_parameters(struct json *j, const struct input *in,
                                 const struct summary *s, ggk_error *err)
{
    ggk_status status = GGK_OK;

    json_key(j, "hyperparameters");
    json_open_array(j);
    for (uint64_t i = 0; i < s->n_kv && status == GGK_OK; i++) {
        ggk_kv kv;
        status = ggk_model_kv(in->model, i, &kv, err);
        if (status != GGK_OK || !summary_is_parameter(s, kv.key))
            continue;
        json_open_object(j);
        json_put_string(j, "key", kv.key.ptr, kv.key.len);
        status = show_json_value(j, in->model, i, SHOW_FEW, err);
        if (status == GGK_OK)
            json_close_object(j);
    }
    if (status == GGK_OK)
        json_close_array(j);
    return status;
}

static void put_string_key(struct json *j, const struct input *in,
                           const char *name, const char *key)
{
    ggk_str value;

    if (ggk_model_get_str(in->model, ggk_cstr(key), &value, NULL) == GGK_OK)
        json_put_string(j, name, value.ptr, value.len);
}

static void put_tokenizer(struct json *j, const struct input *in,
                          const struct summary *s)
{
    if (!s->has_tokenizer)
        return;
    json_key(j, "tokenizer");
    json_open_object(j);
    put_string_key(j, in, "model", "tokenizer.ggml.model");
    put_string_key(j, in, "pre", "tokenizer.ggml.pre");
    json_put_u64(j, "n_tokens", s->n_tokens);
    json_put_u64(j, "n_merges", s->n_merges);
    json_key(j, "special");
    json_open_array(j);
    for (size_t i = 0; i < s->n_special; i++) {
        const struct summary_token *token = &s->special[i];
        json_open_object(j);
        json_put_cstring(j, "name", token->name);
        json_put_u64(j, "id", token->id);
        if (token->has_text)
            json_put_string(j, "text", token->text.ptr, token->text.len);
        json_close_object(j);
    }
    json_close_array(j);
    json_put_u64(j, "n_chat_templates", s->n_templates);
    if (s->has_template)
        json_put_u64(j, "chat_template_bytes", s->template.len);
    json_close_object(j);
}

static void put_types(struct json *j, const struct summary *s)
{
    json_key(j, "types");
    json_open_array(j);
    for (size_t i = 0; i < s->n_types; i++) {
        const struct summary_type *type = &s->types[i];
        json_open_object(j);
        json_put_string(j, "type", type->name, strlen(type->name));
        json_put_u64(j, "tensors", type->tensors);
        json_put_u64(j, "parameters", type->parameters);
        json_put_u64(j, "bytes", type->bytes);
        json_close_object(j);
    }
    json_close_array(j);
    json_put_u64(j, "parameters", s->parameters);
    json_put_u64(j, "tensor_bytes", s->tensor_bytes);
    if (s->sized_parameters > 0)
        json_put_f64(j, "bits_per_weight", summary_bits_per_weight(s));
}

static void put_notes(struct json *j, const struct input *in)
{
    json_key(j, "notes");
    json_open_array(j);
    for (uint32_t i = 0; i < ggk_model_n_files(in->model); i++) {
        for (int odd = 0; odd < ODD_COUNT; odd++) {
            char sentence[INPUT_ODDITY_BYTES];
            if (!input_oddity(in, i, (enum input_oddity)odd, sentence))
                continue;
            json_open_object(j);
            json_put_cstring(j, "note",
                             input_oddity_name((enum input_oddity)odd));
            json_put_u64(j, "shard", i);
            json_put_cstring(j, "text", sentence);
            json_close_object(j);
        }
    }
    json_close_array(j);
}

static ggk_status put_info(struct json *j, const struct input *in,
                           const struct summary *s, ggk_error *err)
{
    ggk_status status;

    json_open_object(j);
    json_put_cstring(j, "file", in->name);
    json_put_u64(j, "version", s->file.version);
    json_put_cstring(j, "byte_order", s->file.big_endian ? "big" : "little");
    json_put_u64(j, "alignment", s->file.alignment);
    json_put_u64(j, "data_offset", s->file.data_off);
    json_put_u64(j, "n_keys", s->n_kv);
    json_put_u64(j, "n_tensors", s->n_tensors);
    json_put_u64(j, "n_shards", s->n_files);
    if (s->size != GGK_SIZE_UNKNOWN)
        json_put_u64(j, "size", s->size);
    if (s->has_space)
        json_put_u64(j, "free_bytes", s->space_bytes);
    put_string_key(j, in, "architecture", "general.architecture");
    put_string_key(j, in, "name", "general.name");
    if (s->has_file_type) {
        const char *name = ggk_file_type_name(s->file_type);
        json_put_u64(j, "file_type", s->file_type);
        if (name != NULL)
            json_put_cstring(j, "file_type_name", name);
    }
    status = put_parameters(j, in, s, err);
    if (status != GGK_OK)
        return status; /* what is written already cannot be mended */
    put_tokenizer(j, in, s);
    put_types(j, s);
    put_notes(j, in);
    json_close_object(j);
    return GGK_OK;
}

/* --------------------------------------------------------------------- run */

/* The output of several files: one document, or pages with a line between. */
struct report {
    const struct cli *cli;
    struct json json;
    bool begun;
    bool broken; /* off in the middle: nothing more can follow */
};

static ggk_status report_model(struct report *r, const struct input *in,
                               const struct summary *s, ggk_error *err)
{
    ggk_status status;

    if (!r->cli->global.json) {
        if (r->begun)
            putc('\n', r->cli->out);
        status = print_info(r->cli, in, s, err);
    } else {
        if (!r->begun) {
            show_json_start(&r->json, r->cli);
            json_key(&r->json, "files");
            json_open_array(&r->json);
        }
        status = put_info(&r->json, in, s, err);
    }
    r->begun = true;
    return status;
}

static void end_report(struct report *r)
{
    if (!r->begun || r->broken || !r->cli->global.json)
        return;
    json_close_array(&r->json);
    show_json_end(&r->json);
}

static int report_input(struct report *r, struct input *in)
{
    struct summary s;
    ggk_error err;
    ggk_status status = summary_make(in, &s, &err);

    if (status == GGK_OK) {
        status = report_model(r, in, &s, &err);
        summary_free(&s);
        r->broken = status != GGK_OK;
    }
    return input_finish(in, status == GGK_OK ? CLI_DONE : input_fail(in, &err));
}

static int report_file(struct report *r, const char *file)
{
    struct input in;
    int status = input_open(r->cli, file, &in);

    if (status != CLI_DONE)
        return status;
    return report_input(r, &in);
}

static int report_demo(struct report *r)
{
    struct input in = {.cli = r->cli, .name = "(built-in model)"};
    ggk_error err;

    if (demo_open(&in.model, &err) != GGK_OK)
        return input_fail(&in, &err);
    return report_input(r, &in);
}

static int run_info(struct cli *cli, int argc, char **argv)
{
    const struct info_options *options = cli->options;
    struct report report = {.cli = cli};
    int status = CLI_DONE;

    if (options->demo == (argc > 0)) {
        msg_usage(&cli->msg,
                  options->demo ? "--demo takes no FILE" : "which file?");
        return CLI_USAGE;
    }
    if (options->demo)
        status = report_demo(&report);
    for (int i = 0; i < argc && !report.broken; i++) {
        int result = report_file(&report, argv[i]);
        status = result > status ? result : status;
    }
    end_report(&report);
    return status;
}

static const struct cli_example info_examples[] = {
    {"gguf info model.gguf", "what this model is"},
    {"gguf info model-00001-of-00003.gguf", "a split set, as one model"},
    {"gguf info --json *.gguf", "the same of many, for programs"},
    {"gguf info --demo", "what it looks like, without a file"},
    {NULL, NULL},
};

const struct command cmd_info = {
    .name = "info",
    .operands = "FILE...",
    .min_operands = 0,
    .max_operands = CLI_ANY_OPERANDS,
    .flags = CLI_READS_MODEL,
    .summary = "show what a model is",
    .about = "Shows the summary of each model: its format, hyperparameters and "
             "tokenizer,\nand the types of its tensors with their sizes. Reads "
             "only the header.",
    .examples = info_examples,
    .options = info_options,
    .options_bytes = sizeof(struct info_options),
    .no_means = NULL,
    .run = run_info,
};
