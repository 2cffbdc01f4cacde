/* cmd_template.c - gguf template: the chat templates of a model. */
#include "chat_template.h"
#include "command.h"
#include "input.h"
#include "out/table.h"
#include "out/text.h"
#include "show.h"
#include "vocabulary.h"

#include <inttypes.h>
#include <stdlib.h>

struct template_options {
    const char *name;
    bool list;
    bool raw;
};

static const struct opt template_options[] = {
    {"name", 'n', OPT_STRING, "NAME", "the template of this name",
     offsetof(struct template_options, name), NULL},
    {"list", 'l', OPT_FLAG, NULL, "list all templates, and what they name",
     offsetof(struct template_options, list), NULL},
    {"raw", 'r', OPT_FLAG, NULL, "the template as it is, byte for byte",
     offsetof(struct template_options, raw), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

struct template_job {
    const struct cli *cli;
    const struct template_options *options;
    const char *file;
    struct chat_templates all;
    const struct chat_template *chosen; /* NULL: --list */
    struct chat_tokens tokens;          /* special ones of the vocabulary */
};

/* Each token that a template names, once, in the order of appearance. */
struct named_tokens {
    const struct chat_token **items;
    size_t n;
};

/* Room for as many as the vocabulary has, and marks of those seen. */
static ggk_status find_named(const struct template_job *job, ggk_str text,
                             struct named_tokens *out, ggk_error *err)
{
    size_t n = job->tokens.n, at = 0;
    bool *seen = calloc(n + 1, sizeof *seen);
    const struct chat_token *token;

    /* NOLINTNEXTLINE(bugprone-sizeof-expression): they are pointers */
    *out = (struct named_tokens){calloc(n + 1, sizeof *out->items), 0};
    if (seen == NULL || out->items == NULL) {
        free(seen);
        free(out->items);
        return show_no_memory(err);
    }
    while ((token = chat_tokens_next(&job->tokens, text, &at)) != NULL) {
        bool *mark = &seen[token - job->tokens.items];
        if (!*mark)
            out->items[out->n++] = token;
        *mark = true;
    }
    free(seen);
    return GGK_OK;
}

/* -------------------------------------------------------------------- text */

/* "bos_token, <|im_end|>" as the cell of a table. */
static ggk_status put_names_cell(struct table *t,
                                 const struct chat_names *names,
                                 const struct named_tokens *tokens,
                                 ggk_error *err)
{
    char *cell = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&cell, &bytes);
    const char *comma = "";
    bool failed;

    if (out == NULL)
        return show_no_memory(err);
    for (size_t i = 0; i < names->n_variables; i++, comma = ", ")
        fprintf(out, "%s%s", comma, names->variables[i]);
    for (size_t i = 0; i < tokens->n; i++, comma = ", ") {
        fputs(comma, out);
        fwrite(tokens->items[i]->text.ptr, 1, tokens->items[i]->text.len, out);
    }
    /* Where the last of its memory was short, fclose does not tell. */
    failed = ferror(out) != 0;
    if (fclose(out) != 0 || cell == NULL || failed) {
        free(cell);
        return show_no_memory(err);
    }
    table_text(t, cell, bytes);
    free(cell);
    return GGK_OK;
}

static ggk_status put_template_row(struct table *t,
                                   const struct template_job *job,
                                   const struct chat_template *template,
                                   ggk_error *err)
{
    struct named_tokens tokens;
    struct chat_names names;
    ggk_status status = find_named(job, template->text, &tokens, err);

    if (status != GGK_OK)
        return status;
    chat_template_names(template->text, &names);
    table_text(t, template->name.ptr, template->name.len);
    table_u64(t, template->text.len);
    table_u64(t, chat_template_lines(template->text));
    status = put_names_cell(t, &names, &tokens, err);
    free(tokens.items);
    return status;
}

static ggk_status print_template_list(const struct template_job *job,
                                      ggk_error *err)
{
    static const struct table_column columns[] = {
        {"NAME", TABLE_LEFT, false},
        {"BYTES", TABLE_RIGHT, false},
        {"LINES", TABLE_RIGHT, false},
        {"SPECIAL TOKENS", TABLE_LEFT, true},
    };
    const struct term *term = &job->cli->term;
    ggk_status status = GGK_OK;
    struct table t;

    table_start(&t, job->cli->out, columns, 4, term->width,
                term_style(term, TERM_BOLD), term_style(term, TERM_PLAIN));
    do {
        for (size_t i = 0; i < job->all.n && status == GGK_OK; i++)
            status = put_template_row(&t, job, &job->all.items[i], err);
    } while (status == GGK_OK && table_again(&t));
    return status;
}

/* A template's marks of danger, as warnings. */
static void warn_marks(const struct template_job *job,
                       const struct chat_template *template)
{
    struct chat_names names;
    char name[64];

    chat_template_names(template->text, &names);
    text_copy(name, sizeof name, template->name.ptr, template->name.len);
    for (size_t i = 0; i < names.n_marks; i++) {
        const struct chat_mark *mark = &names.marks[i];
        int len = show_most(mark->text, 64);
        msg_warning(&job->cli->msg, job->file,
                    "template \"%s\", line %" PRIu64 ": \"%.*s\" %s", name,
                    mark->line, len, mark->text.ptr, mark->means);
    }
}

static void warn_oddity(const struct template_job *job,
                        const struct chat_oddity *odd, const char *what)
{
    char name[128];

    if (odd->n == 0)
        return;
    text_copy(name, sizeof name, odd->first.ptr, odd->first.len);
    if (odd->n == 1)
        msg_warning(&job->cli->msg, job->file, "%s: \"%s\"", what, name);
    else
        msg_warning(&job->cli->msg, job->file,
                    "%s: \"%s\", and %" PRIu64 " more", what, name, odd->n - 1);
}

static void warn_templates(const struct template_job *job)
{
    warn_oddity(job, &job->all.no_string,
                "a key that should be a string is not");
    warn_oddity(job, &job->all.missing,
                "tokenizer.chat_templates names what there is no key for");
    if (job->chosen != NULL)
        warn_marks(job, job->chosen);
    for (size_t i = 0; i < job->all.n && job->chosen == NULL; i++)
        warn_marks(job, &job->all.items[i]);
}

/* -------------------------------------------------------------------- JSON */

static void put_marks(struct json *j, const struct chat_names *names)
{
    json_key(j, "marks");
    json_open_array(j);
    for (size_t i = 0; i < names->n_marks; i++) {
        const struct chat_mark *mark = &names->marks[i];
        json_open_object(j);
        json_put_string(j, "mark", mark->text.ptr, mark->text.len);
        json_put_cstring(j, "means", mark->means);
        json_put_u64(j, "line", mark->line);
        json_put_u64(j, "n", mark->n);
        json_close_object(j);
    }
    json_close_array(j);
}

static void put_named(struct json *j, const struct chat_names *names,
                      const struct named_tokens *tokens)
{
    json_key(j, "variables");
    json_open_row(j);
    for (size_t i = 0; i < names->n_variables; i++)
        json_cstring(j, names->variables[i]);
    json_close_array(j);
    json_key(j, "tokens");
    json_open_array(j);
    for (size_t i = 0; i < tokens->n; i++) {
        json_open_object(j);
        json_put_u64(j, "id", tokens->items[i]->id);
        json_put_string(j, "text", tokens->items[i]->text.ptr,
                        tokens->items[i]->text.len);
        json_close_object(j);
    }
    json_close_array(j);
}

static ggk_status put_template(struct json *j, const struct template_job *job,
                               const struct chat_template *template,
                               ggk_error *err)
{
    struct named_tokens tokens;
    struct chat_names names;
    ggk_status status = find_named(job, template->text, &tokens, err);

    if (status != GGK_OK)
        return status;
    chat_template_names(template->text, &names);
    json_open_object(j);
    json_put_string(j, "name", template->name.ptr, template->name.len);
    json_put_string(j, "key", template->key.ptr, template->key.len);
    json_put_u64(j, "bytes", template->text.len);
    json_put_u64(j, "lines", chat_template_lines(template->text));
    put_named(j, &names, &tokens);
    put_marks(j, &names);
    if (job->chosen != NULL)
        json_put_string(j, "text", template->text.ptr, template->text.len);
    json_close_object(j);
    free(tokens.items);
    return GGK_OK;
}

static ggk_status print_template_json(const struct template_job *job,
                                      ggk_error *err)
{
    ggk_status status = GGK_OK;
    struct json j;

    show_json_start(&j, job->cli);
    json_put_cstring(&j, "file", job->file);
    json_key(&j, "templates");
    json_open_array(&j);
    if (job->chosen != NULL)
        status = put_template(&j, job, job->chosen, err);
    for (size_t i = 0;
         i < job->all.n && job->chosen == NULL && status == GGK_OK; i++)
        status = put_template(&j, job, &job->all.items[i], err);
    if (status != GGK_OK)
        return status;
    json_close_array(&j);
    show_json_end(&j);
    return GGK_OK;
}

/* --------------------------------------------------------------------- run */

/* The names that there are, in a sentence. */
static void tell_names(const struct template_job *job, char *out, size_t room)
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; i < job->all.n && used + 4 < room; i++) {
        ggk_str name = job->all.items[i].name;
        if (i > 0)
            used += (size_t)snprintf(out + used, room - used, ", ");
        used += text_copy(out + used, room - used, name.ptr, name.len);
    }
}

static int tell_no_template(const struct template_job *job, const char *name)
{
    const struct msg *m = &job->cli->msg;
    char names[256];

    tell_names(job, names, sizeof names);
    if (name != NULL)
        msg_error(m, job->file, "no chat template \"%s\"; there are: %s", name,
                  names);
    else
        msg_error(m, job->file,
                  "no default chat template; --name chooses one of: %s", names);
    return CLI_NO;
}

/* Which template is meant? CLI_NO if there is none. */
static int choose_template(struct template_job *job)
{
    const struct template_options *o = job->options;
    const struct msg *m = &job->cli->msg;

    if (job->all.n == 0) {
        msg_error(m, job->file, "no chat template");
        return CLI_NO;
    }
    if (o->list)
        return CLI_DONE;
    if (o->name != NULL)
        job->chosen = chat_templates_find(&job->all, o->name);
    else if (job->all.items[0].is_default)
        job->chosen = &job->all.items[0];
    if (job->chosen == NULL)
        return tell_no_template(job, o->name);
    if (job->chosen->repeated) {
        msg_error(m, job->file,
                  "several chat templates have this name, so none is the one; "
                  "--list shows them");
        return CLI_UNREADABLE;
    }
    return CLI_DONE;
}

/* The tokens that templates may name, where they are told. */
static ggk_status open_tokens(struct template_job *job, const struct input *in,
                              ggk_error *err)
{
    struct vocabulary v;
    ggk_status status;

    if (!job->options->list && !job->cli->global.json)
        return GGK_OK;
    status = vocabulary_open(in->model, &v, err);
    if (status == GGK_E_DUPLICATE) /* then nobody knows which tokens hold */
        return GGK_OK;
    if (status != GGK_OK)
        return status;
    status = chat_tokens_open(&v, &job->tokens, err);
    vocabulary_close(&v);
    return status;
}

static ggk_status print_templates(const struct template_job *job,
                                  ggk_error *err)
{
    if (job->cli->global.json)
        return print_template_json(job, err);
    if (job->options->list)
        return print_template_list(job, err);
    if (job->options->raw)
        fwrite(job->chosen->text.ptr, 1, job->chosen->text.len, job->cli->out);
    else
        show_lines(job->cli->out, job->chosen->text);
    return GGK_OK;
}

static int show_templates(struct template_job *job, const struct input *in)
{
    ggk_error err;
    ggk_status result = chat_templates_open(in->model, &job->all, &err);
    int status = CLI_DONE;

    if (result != GGK_OK)
        return input_fail(in, &err);
    status = choose_template(job);
    if (status == CLI_DONE) {
        result = open_tokens(job, in, &err);
        if (result == GGK_OK)
            result = print_templates(job, &err);
        if (result != GGK_OK)
            status = input_fail(in, &err);
    }
    warn_templates(job);
    chat_tokens_close(&job->tokens);
    chat_templates_close(&job->all);
    return status;
}

static int run_template(struct cli *cli, int argc, char **argv)
{
    const struct template_options *o = cli->options;
    struct template_job job = {.cli = cli, .options = o, .file = argv[0]};
    struct input in;
    int status;

    (void)argc;
    if (o->list && (o->raw || o->name != NULL)) {
        msg_usage(&cli->msg, "--list takes neither --raw nor --name");
        return CLI_USAGE;
    }
    if (o->raw && (cli->global.json || cli->term.tty)) {
        msg_usage(&cli->msg, cli->global.json
                                 ? "--raw and --json exclude each other"
                                 : "--raw: will not write a file's bytes to a "
                                   "terminal; redirect the output");
        return CLI_USAGE;
    }
    status = input_open(cli, argv[0], &in);
    if (status != CLI_DONE)
        return status;
    status = show_templates(&job, &in);
    return input_finish(&in, status);
}

static const struct cli_example template_examples[] = {
    {"gguf template model.gguf", "the default chat template"},
    {"gguf template --list model.gguf", "which ones there are"},
    {"gguf template --name tool_use model.gguf", "another one"},
    {"gguf template --raw model.gguf > template.jinja",
     "into a file, byte for byte"},
    {NULL, NULL},
};

const struct command cmd_template = {
    .name = "template",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .flags = CLI_READS_MODEL,
    .summary = "print a chat template",
    .about = "Prints the default chat template or that of --name, safe for a "
             "terminal. Warns\nof code in it that no chat needs. Templates "
             "are never run.",
    .examples = template_examples,
    .options = template_options,
    .options_bytes = sizeof(struct template_options),
    .no_means = "there is no chat template, or none of that name",
    .run = run_template,
};
