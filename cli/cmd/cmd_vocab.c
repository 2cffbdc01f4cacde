/* cmd_vocab.c - gguf vocab: the tokens of a model, or its merges. */
#include "command.h"
#include "find.h"
#include "input.h"
#include "out/fmt.h"
#include "out/table.h"
#include "show.h"
#include "slice.h"
#include "vocabulary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct vocab_options {
    struct opt_list id;
    const char *find;
    bool special;
    bool merges;
};

static const struct opt vocab_options[] = {
    {"id", 'i', OPT_LIST, "I[:J]",
     "token I, or I up to, not with, J; may be repeated",
     offsetof(struct vocab_options, id), NULL},
    {"find", 'f', OPT_STRING, "TEXT",
     "tokens of this text; if none, those it matches",
     offsetof(struct vocab_options, find), NULL},
    {"special", 's', OPT_FLAG, NULL,
     "tokens with a task, such as bos, and control tokens",
     offsetof(struct vocab_options, special), NULL},
    {"merges", 'm', OPT_FLAG, NULL, "list the merges, not the tokens",
     offsetof(struct vocab_options, merges), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* The tokens or merges that are asked for. */
struct vocab_list {
    const struct cli *cli;
    const struct vocab_options *options;
    const char *file;
    struct vocabulary vocabulary;
    struct slice *slices; /* the ids, in the order of the command line */
    size_t n_slices;
    struct find find;
    bool by_pattern;
};

/* What is done with each of them. */
typedef void vocab_put(void *to, const struct vocab_list *list,
                       const struct vocab_token *token);

static uint64_t count_all(const struct vocab_list *list)
{
    if (!list->options->merges)
        return vocabulary_count(&list->vocabulary);
    return ggk_index_count(list->vocabulary.merges);
}

/* A token; a merge is one that has a text alone. */
static ggk_status fetch(const struct vocab_list *list, uint64_t id,
                        struct vocab_token *out, ggk_error *err)
{
    ggk_value value;
    ggk_status status;

    if (!list->options->merges)
        return vocabulary_token(&list->vocabulary, id, out, err);
    status = ggk_index_get(list->vocabulary.merges, id, &value, err);
    *out = (struct vocab_token){.id = id, .has_text = true, .text = value.as.s};
    return status;
}

static bool is_wanted(const struct vocab_list *list,
                      const struct vocab_token *token)
{
    if (list->options->special && !vocabulary_is_special(token))
        return false;
    if (list->options->find == NULL)
        return true;
    return token->has_text &&
           (list->by_pattern ? find_matches(&list->find, token->text)
                             : find_equal(&list->find, token->text));
}

static ggk_status each_of_slice(const struct vocab_list *list,
                                const struct slice *slice, vocab_put *put,
                                void *to, ggk_error *err)
{
    for (uint64_t id = slice->from; id < slice->to; id++) {
        struct vocab_token token;
        ggk_status status = fetch(list, id, &token, err);
        if (status != GGK_OK)
            return status;
        if (is_wanted(list, &token))
            put(to, list, &token);
    }
    return GGK_OK;
}

/* Tasks that were given to tokens which do not exist. */
static ggk_status each_past_the_end(const struct vocab_list *list,
                                    vocab_put *put, void *to, ggk_error *err)
{
    const struct vocabulary *v = &list->vocabulary;
    size_t i = 0;

    while (i < v->n_tasks && v->tasks[i].id < count_all(list))
        i++;
    while (i < v->n_tasks) {
        struct vocab_token token;
        ggk_status status = vocabulary_token(v, v->tasks[i].id, &token, err);
        if (status != GGK_OK)
            return status;
        if (is_wanted(list, &token))
            put(to, list, &token);
        i += token.n_tasks;
    }
    return GGK_OK;
}

static ggk_status each_wanted(const struct vocab_list *list, vocab_put *put,
                              void *to, ggk_error *err)
{
    ggk_status status = GGK_OK;

    for (size_t i = 0; i < list->n_slices && status == GGK_OK; i++)
        status = each_of_slice(list, &list->slices[i], put, to, err);
    if (status == GGK_OK && list->options->special && list->options->id.n == 0)
        status = each_past_the_end(list, put, to, err);
    return status;
}

/* -------------------------------------------------------------------- text */

/* Which columns there are, and the table. */
struct vocab_table {
    struct table table;
    bool type, score, task;
    uint64_t n; /* rows */
};

static void put_type_cell(struct table *t, const struct vocab_token *token)
{
    const char *name = vocabulary_type_name(token->type);
    char number[FMT_BYTES];

    if (!token->has_type)
        table_cstring(t, "-");
    else if (name != NULL)
        table_cstring(t, name);
    else
        table_text(t, number, fmt_i64(number, token->type));
}

static void put_score_cell(struct table *t, const struct vocab_token *token)
{
    char number[FMT_BYTES];

    if (!token->has_score)
        table_cstring(t, "-");
    else
        table_text(t, number, show_number(number, &token->score));
}

static void put_task_cell(struct table *t, const struct vocab_token *token)
{
    char names[160];
    size_t used = 0;

    names[0] = '\0';
    for (size_t i = 0; i < token->n_tasks && used < sizeof names; i++) {
        ggk_str name = token->tasks[i].name;
        used +=
            (size_t)snprintf(names + used, sizeof names - used, "%s%.*s",
                             i > 0 ? ", " : "", show_most(name, 64), name.ptr);
    }
    table_text(t, names, strlen(names));
}

static void put_token_row(void *to, const struct vocab_list *list,
                          const struct vocab_token *token)
{
    struct vocab_table *t = to;

    (void)list;
    table_u64(&t->table, token->id);
    if (t->type)
        put_type_cell(&t->table, token);
    if (t->score)
        put_score_cell(&t->table, token);
    if (t->task)
        put_task_cell(&t->table, token);
    if (token->has_text)
        table_quoted(&t->table, token->text.ptr, token->text.len);
    else
        table_cstring(&t->table, "(not in the vocabulary)");
    t->n++;
}

static ggk_status print_vocab_table(const struct vocab_list *list, uint64_t *n,
                                    ggk_error *err)
{
    const struct vocab_options *o = list->options;
    const struct term *term = &list->cli->term;
    bool all = o->id.n == 0 && o->find == NULL && !o->special;
    struct vocab_table t = {
        .type = !o->merges && list->vocabulary.types != NULL,
        .score = !o->merges && list->vocabulary.scores != NULL,
        .task = !o->merges && !all && list->vocabulary.n_tasks > 0,
    };
    struct table_column columns[5];
    size_t n_columns = 0;
    ggk_status status = GGK_OK;

    columns[n_columns++] =
        (struct table_column){o->merges ? "RANK" : "ID", TABLE_RIGHT, false};
    if (t.type)
        columns[n_columns++] = (struct table_column){"TYPE", TABLE_LEFT, false};
    if (t.score)
        columns[n_columns++] =
            (struct table_column){"SCORE", TABLE_RIGHT, false};
    if (t.task)
        columns[n_columns++] = (struct table_column){"TASK", TABLE_LEFT, false};
    columns[n_columns++] =
        (struct table_column){o->merges ? "MERGE" : "TOKEN", TABLE_LEFT, true};
    table_start(&t.table, list->cli->out, columns, n_columns, term->width,
                term_style(term, TERM_BOLD), term_style(term, TERM_PLAIN));
    do {
        t.n = 0;
        status = each_wanted(list, put_token_row, &t, err);
    } while (status == GGK_OK && t.n > 0 && table_again(&t.table));
    *n = t.n;
    return status;
}

/* -------------------------------------------------------------------- JSON */

struct vocab_json {
    struct json json;
    uint64_t n;
};

static void put_tasks(struct json *j, const struct vocab_token *token)
{
    json_key(j, "tasks");
    json_open_row(j);
    for (size_t i = 0; i < token->n_tasks; i++)
        json_string(j, token->tasks[i].name.ptr, token->tasks[i].name.len);
    json_close_array(j);
}

static void put_token_object(void *to, const struct vocab_list *list,
                             const struct vocab_token *token)
{
    struct vocab_json *v = to;
    struct json *j = &v->json;
    const char *type = vocabulary_type_name(token->type);

    json_open_object(j);
    json_put_u64(j, list->options->merges ? "rank" : "id", token->id);
    if (token->has_text)
        json_put_string(j, "text", token->text.ptr, token->text.len);
    if (token->has_type && type != NULL)
        json_put_cstring(j, "type", type);
    else if (token->has_type)
        json_put_i64(j, "type", token->type);
    if (token->has_score) {
        json_key(j, "score");
        show_json_scalar(j, &token->score);
    }
    if (token->n_tasks > 0)
        put_tasks(j, token);
    json_close_object(j);
    v->n++;
}

static void put_vocab_notes(struct json *j, const struct vocabulary *v)
{
    json_key(j, "notes");
    json_open_array(j);
    for (size_t i = 0; i < v->n_notes; i++) {
        json_open_object(j);
        json_put_cstring(j, "note", v->notes[i].name);
        json_put_cstring(j, "text", v->notes[i].text);
        json_close_object(j);
    }
    json_close_array(j);
}

static ggk_status print_vocab_json(const struct vocab_list *list, uint64_t *n,
                                   ggk_error *err)
{
    const struct vocabulary *v = &list->vocabulary;
    struct vocab_json v_json = {.n = 0};
    struct json *j = &v_json.json;
    ggk_status status;

    show_json_start(j, list->cli);
    json_put_cstring(j, "file", list->file);
    json_put_u64(j, "n_tokens", vocabulary_count(v));
    json_put_u64(j, "n_merges", v->merges ? ggk_index_count(v->merges) : 0);
    put_vocab_notes(j, v);
    json_key(j, list->options->merges ? "merges" : "tokens");
    json_open_array(j);
    status = each_wanted(list, put_token_object, &v_json, err);
    if (status == GGK_OK) {
        json_close_array(j);
        show_json_end(j);
    }
    *n = v_json.n;
    return status;
}

/* --------------------------------------------------------------------- run */

static int parse_vocab_options(struct vocab_list *list)
{
    const struct vocab_options *o = list->options;
    const struct msg *m = &list->cli->msg;
    const char *bad;

    if (o->special && o->merges) {
        msg_usage(m, "--special and --merges exclude each other");
        return CLI_USAGE;
    }
    list->n_slices = o->id.n > 0 ? o->id.n : 1;
    list->slices = calloc(list->n_slices, sizeof *list->slices);
    if (list->slices == NULL) {
        msg_error(m, NULL, "out of memory");
        return CLI_IO;
    }
    for (size_t i = 0; i < o->id.n; i++) {
        if (!slice_parse(o->id.items[i], &list->slices[i])) {
            msg_usage(m, "--id: \"%s\" is not I or I:J", o->id.items[i]);
            return CLI_USAGE;
        }
    }
    if (o->find == NULL)
        return CLI_DONE;
    switch (find_parse(o->find, &list->find, &bad)) {
    case FIND_PARSED: break;
    case FIND_BAD_ESCAPE:
        msg_usage(m, "--find: \"%.4s\" begins no escape; a backslash is \\\\",
                  bad);
        return CLI_USAGE;
    case FIND_NO_MEMORY: msg_error(m, NULL, "out of memory"); return CLI_IO;
    }
    return CLI_DONE;
}

/* Is there what is to be listed, and has it all the ids? */
static int fit_vocab_list(struct vocab_list *list)
{
    const struct vocabulary *v = &list->vocabulary;
    const struct msg *m = &list->cli->msg;
    bool merges = list->options->merges;

    if (!merges && v->tokens == NULL) {
        msg_error(m, list->file,
                  "no vocabulary: no key tokenizer.ggml.tokens with an array "
                  "of strings");
        return CLI_NO;
    }
    if (merges && v->merges == NULL) {
        msg_error(m, list->file,
                  "no merges: no key tokenizer.ggml.merges with an array of "
                  "strings");
        return CLI_NO;
    }
    for (size_t i = 0; i < list->n_slices; i++) {
        if (slice_fit(&list->slices[i], count_all(list)))
            continue;
        msg_error(m, list->file, "there are %" PRIu64 " %s, counted from 0",
                  count_all(list), merges ? "merges" : "tokens");
        return CLI_NO;
    }
    return CLI_DONE;
}

static void put_nothing(void *to, const struct vocab_list *list,
                        const struct vocab_token *token)
{
    uint64_t *n = to;

    (void)list;
    (void)token;
    ++*n;
}

/* A text that may be a pattern is one only where nothing equals it. */
static ggk_status choose_pattern(struct vocab_list *list, ggk_error *err)
{
    uint64_t n = 0;
    ggk_status status = GGK_OK;

    if (list->find.pattern != NULL)
        status = each_wanted(list, put_nothing, &n, err);
    list->by_pattern = list->find.pattern != NULL && n == 0;
    return status;
}

static int list_vocabulary(struct vocab_list *list, const struct input *in)
{
    int status = fit_vocab_list(list);
    ggk_status result;
    ggk_error err;
    uint64_t n = 0;

    if (status != CLI_DONE)
        return status;
    result = choose_pattern(list, &err);
    if (result == GGK_OK && list->cli->global.json)
        result = print_vocab_json(list, &n, &err);
    else if (result == GGK_OK)
        result = print_vocab_table(list, &n, &err);
    if (result != GGK_OK)
        return input_fail(in, &err);
    for (size_t i = 0; i < list->vocabulary.n_notes; i++)
        msg_warning(&list->cli->msg, in->name, "%s",
                    list->vocabulary.notes[i].text);
    return n > 0 ? CLI_DONE : CLI_NO;
}

static int open_vocabulary(struct vocab_list *list)
{
    struct input in;
    ggk_error err;
    int status = input_open(list->cli, list->file, &in);

    if (status != CLI_DONE)
        return status;
    if (vocabulary_open(in.model, &list->vocabulary, &err) != GGK_OK) {
        status = input_fail(&in, &err);
    } else {
        status = list_vocabulary(list, &in);
        vocabulary_close(&list->vocabulary);
    }
    return input_finish(&in, status);
}

static int run_vocab(struct cli *cli, int argc, char **argv)
{
    struct vocab_list list = {
        .cli = cli, .options = cli->options, .file = argv[0]};
    int status = parse_vocab_options(&list);

    (void)argc;
    if (status == CLI_DONE)
        status = open_vocabulary(&list);
    find_free(&list.find);
    free(list.slices);
    return status;
}

static const struct cli_example vocab_examples[] = {
    {"gguf vocab model.gguf", "all tokens"},
    {"gguf vocab --special model.gguf", "bos, eos and the like"},
    {"gguf vocab --id 13 --id 1000:1010 model.gguf", "token 13, and ten more"},
    {"gguf vocab --find '\\n' model.gguf", "which token is a line end"},
    {"gguf vocab --find '<|*|>' model.gguf", "all that look like a tag"},
    {NULL, NULL},
};

const struct command cmd_vocab = {
    .name = "vocab",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .flags = CLI_READS_MODEL,
    .summary = "list the tokens of the vocabulary",
    .about = "Lists the tokens with id, type, score and text, or those that "
             "all options ask\nfor. TEXT takes the escapes that are printed, "
             "and as a pattern * ? and [...].",
    .examples = vocab_examples,
    .options = vocab_options,
    .options_bytes = sizeof(struct vocab_options),
    .no_means = "there is no vocabulary, or nothing in it that was asked for",
    .run = run_vocab,
};
