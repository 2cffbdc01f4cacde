/* cmd_set.c - gguf set: keys are changed or added. */
#include "cmd/set_doubts.h"
#include "cmd/set_requests.h"
#include "known_keys.h"
#include "out/fmt.h"
#include "out/unicode.h"
#include "show.h"
#include "similar.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct opt set_options[] = {
    {"type", 0, OPT_STRING, "T",
     "type of new keys; of others too, which is warned of",
     offsetof(struct set_options, type), NULL},
    {"file", 0, OPT_LIST, "KEY=PATH",
     "take the value from the file PATH, as is",
     offsetof(struct set_options, files), NULL},
    {"from-json", 0, OPT_LIST, "J", "take keys and values from the JSON file J",
     offsetof(struct set_options, from_json), NULL},
    {"token", 0, OPT_LIST, "NAME=TOKEN",
     "the token for bos, eos..., by its number or its text",
     offsetof(struct set_options, tokens), NULL},
    EDIT_OPTIONS(set_options),
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

struct setting {
    struct edit *edit;
    struct set_requests requests;
    uint64_t *appended; /* elements so far, for each of the model's keys */
};

/* One value in the making. */
struct set_making {
    const struct set_request *request;
    struct value_type type;
    bool has_old;          /* there is a value already, */
    ggk_walk old;          /* which this stands before, */
    struct value_type was; /* of this type */
    ggk_builder *builder;
    bool same;
};

static int tell_unfit(const struct setting *s, const struct set_request *r,
                      enum value_made made, const char *why)
{
    const char *task = set_doubts_task(r->key);
    ggk_error err;

    if (made == VALUE_NO_MEMORY) {
        show_no_memory(&err);
        return input_fail(&s->edit->in, &err);
    }
    if (task != NULL && r->from == SET_TEXT)
        edit_refuse(s->edit, r->key,
                    "%s; --token %s=TEXT finds one by its text", why, task);
    else
        edit_refuse(s->edit, r->key, "%s", why);
    return CLI_USAGE;
}

/* -------------------------------------------------------------- the old value
 */

/* Stand before the element that is to be changed; of one that is appended,
 * before the first. */
static int start_element(const struct setting *s, struct set_making *m,
                         const ggk_kv *kv)
{
    const struct set_request *r = m->request;
    ggk_value head;
    ggk_error err;

    if (kv->type != GGK_VALUE_ARRAY) {
        edit_refuse(s->edit, r->key,
                    "the value is no array: it has no "
                    "elements");
        return CLI_USAGE;
    }
    if (r->what == SET_ELEMENT && r->index >= kv->n) {
        edit_refuse(s->edit, r->key,
                    "the array has %" PRIu64 " element%s, counted from 0; [+] "
                    "appends one",
                    kv->n, fmt_plural(kv->n));
        return CLI_NO;
    }
    m->has_old = r->what == SET_ELEMENT;
    m->was = (struct value_type){kv->elem_type, 0, NULL};
    if (ggk_walk_next(&m->old, &head) != GGK_WALK_OPEN ||
        (m->has_old && ggk_walk_skip(&m->old, r->index) != r->index)) {
        (void)show_broken(&err);
        return edit_fail(s->edit, r->key, &err);
    }
    return CLI_DONE;
}

/* Of what type is it? What is appended to an empty array may be anything. */
static int look_at_old_type(const struct setting *s, struct set_making *m,
                            const ggk_kv *kv)
{
    const struct set_request *r = m->request;
    ggk_error err;

    if (r->what != SET_WHOLE && kv->elem_type != GGK_VALUE_ARRAY)
        return CLI_DONE; /* which the array has said */
    if (r->what == SET_APPEND && kv->n == 0)
        m->was = (struct value_type){VALUE_ANY, 1, NULL};
    else if (value_type_at(&m->old, &m->was, &err) != GGK_OK)
        return edit_fail(s->edit, r->key, &err);
    return CLI_DONE;
}

static int look_at_old(const struct setting *s, struct set_making *m)
{
    const struct set_request *r = m->request;
    const ggk_model *model = s->edit->in.model;
    int status = CLI_DONE;
    ggk_error err;
    ggk_kv kv;

    if (r->kv == GGK_NONE)
        return CLI_DONE;
    if (ggk_model_kv(model, r->kv, &kv, &err) != GGK_OK ||
        ggk_walk_start(model, r->kv, &m->old, &err) != GGK_OK)
        return edit_fail(s->edit, r->key, &err);
    m->has_old = true;
    if (r->what != SET_WHOLE)
        status = start_element(s, m, &kv);
    return status == CLI_DONE ? look_at_old_type(s, m, &kv) : status;
}

/* ------------------------------------------------------------------ its type
 */

static bool same_type(struct value_type a, struct value_type b)
{
    return a.leaf == b.leaf && a.depth == b.depth;
}

/* The type without regard to the value; false if only that tells. */
static bool type_by_key(struct set_making *m)
{
    const struct set_request *r = m->request;

    if (r->typed && (r->type.leaf != VALUE_ANY || r->type.inner != NULL)) {
        m->type = r->type;
        return true;
    }
    if (r->kv != GGK_NONE && (!r->typed || m->was.depth >= r->type.depth)) {
        m->type = m->was;
        return m->was.leaf != VALUE_ANY;
    }
    return !r->typed && known_key_type(r->key, &m->type);
}

static enum value_made type_by_text(struct set_making *m, const char *text,
                                    json_in_value json, char *why)
{
    if (json != NULL)
        return value_infer_json(json, &m->type, why);
    m->type = (struct value_type){value_infer_text(text), 0, NULL};
    return VALUE_MADE;
}

/* An element keeps the type of its array. */
static bool check_element_type(const struct set_making *m, char *why)
{
    const struct set_request *r = m->request;
    char is[VALUE_TYPE_BYTES], asked[VALUE_TYPE_BYTES];

    if (r->what == SET_WHOLE || !r->typed || m->was.leaf == VALUE_ANY ||
        same_type(r->type, m->was))
        return true;
    value_type_name(is, m->was);
    value_type_name(asked, r->type);
    snprintf(why, VALUE_WHY,
             "the array holds elements of type %s, so none can be of type %s",
             is, asked);
    return false;
}

/* ---------------------------------------------------------------- its value */

static enum value_made put_scalar(struct set_making *m, const ggk_value *value,
                                  char *why)
{
    ggk_walk old = m->old;
    ggk_value was;
    ggk_error err;
    ggk_status status = ggk_builder_put(m->builder, value, &err);

    m->same = m->has_old && ggk_walk_next(&old, &was) == GGK_WALK_VALUE &&
              value_same(value, &was);
    if (status != GGK_OK)
        snprintf(why, VALUE_WHY, "%.200s", err.what);
    return status == GGK_OK        ? VALUE_MADE
           : status == GGK_E_NOMEM ? VALUE_NO_MEMORY
                                   : VALUE_UNFIT;
}

/* A word that stands for a number, where the key has such. */
static bool word_as_number(const struct set_making *m, json_in_value json,
                           ggk_value *out)
{
    size_t n;

    return json_in_kind(json) == JSON_IN_STRING && m->type.depth == 0 &&
           m->type.leaf == GGK_VALUE_UINT32 &&
           known_key_word(m->request->key, json_in_string(json, &n), out);
}

static enum value_made make_json(struct set_making *m, json_in_value json,
                                 char *why)
{
    bool like_old =
        m->has_old && (same_type(m->type, m->was) || m->was.leaf == VALUE_ANY);
    ggk_value number;

    if (word_as_number(m, json, &number))
        return put_scalar(m, &number, why);
    return value_from_json(json, m->type, like_old ? &m->old : NULL, m->builder,
                           &m->same, why);
}

static enum value_made make_scalar_text(struct set_making *m, const char *text,
                                        char *why)
{
    ggk_value value;
    enum value_made made = value_from_text(text, m->type.leaf, &value, why);

    if (made != VALUE_MADE && m->type.leaf == GGK_VALUE_UINT32 &&
        known_key_word(m->request->key, text, &value))
        made = VALUE_MADE;
    return made == VALUE_MADE ? put_scalar(m, &value, why) : made;
}

/* An array as it is typed: JSON. */
static enum value_made parse_array(struct setting *s, const char *text,
                                   json_in_value *out, char *why)
{
    struct json_in *doc;
    char what[JSON_IN_WHY];

    *out = NULL;
    switch (json_in_parse(text, strlen(text), &doc, what)) {
    case JSON_IN_PARSED: break;
    case JSON_IN_NO_MEMORY: return VALUE_NO_MEMORY;
    case JSON_IN_BAD:
    case JSON_IN_UNSUPPORTED:
        snprintf(why, VALUE_WHY, "an array is given as JSON: %s", what);
        return VALUE_UNFIT;
    }
    if (!set_keep_doc(&s->requests, doc))
        return VALUE_NO_MEMORY;
    *out = json_in_root(doc);
    return VALUE_MADE;
}

static enum value_made make_text(struct setting *s, struct set_making *m,
                                 char *why)
{
    const char *text = m->request->text;
    bool known = type_by_key(m), array = *text == '[';
    enum value_made made = VALUE_MADE;
    json_in_value json = NULL;

    /* Of a number that there may be one of for each layer, too. */
    if (known && m->request->kv == GGK_NONE && !m->request->typed && array &&
        m->type.depth == 0 && m->type.leaf != GGK_VALUE_STRING)
        m->type.depth = 1;
    if (known && m->type.depth == 0)
        return make_scalar_text(m, text, why);
    if (known || array || m->was.depth > 0)
        made = parse_array(s, text, &json, why);
    if (made == VALUE_MADE && !known)
        made = type_by_text(m, text, json, why);
    if (made != VALUE_MADE)
        return made;
    return json != NULL ? make_json(m, json, why)
                        : make_scalar_text(m, text, why);
}

static enum value_made make_from_json(struct set_making *m, char *why)
{
    json_in_value json = m->request->json;
    enum value_made made = VALUE_MADE;

    if (!type_by_key(m))
        made = value_infer_json(json, &m->type, why);
    else if (m->request->kv == GGK_NONE && !m->request->typed &&
             m->type.depth == 0 && json_in_kind(json) == JSON_IN_ARRAY)
        m->type.depth = 1;
    return made == VALUE_MADE ? make_json(m, json, why) : made;
}

/* The bytes of a file, as an array of them. */
static enum value_made put_byte_array(struct set_making *m, ggk_str bytes,
                                      char *why)
{
    ggk_walk old = m->old;
    ggk_value value = {.type = m->type.leaf}, was;
    ggk_error err;
    ggk_status status = ggk_builder_open(m->builder, m->type.leaf, &err);

    m->same = m->has_old && same_type(m->type, m->was) &&
              ggk_walk_next(&old, &was) == GGK_WALK_OPEN &&
              was.as.u == bytes.len;
    for (size_t i = 0; i < bytes.len && status == GGK_OK; i++) {
        value.as.u = (unsigned char)bytes.ptr[i];
        if (m->type.leaf == GGK_VALUE_INT8)
            value.as.i = (int8_t)(unsigned char)bytes.ptr[i];
        status = ggk_builder_put(m->builder, &value, &err);
        m->same = m->same && ggk_walk_next(&old, &was) == GGK_WALK_VALUE &&
                  value_same(&value, &was);
    }
    if (status == GGK_OK)
        status = ggk_builder_close(m->builder, &err);
    if (status != GGK_OK)
        snprintf(why, VALUE_WHY, "%.200s", err.what);
    return status == GGK_OK ? VALUE_MADE : VALUE_NO_MEMORY;
}

static enum value_made make_bytes(struct set_making *m, char *why)
{
    char name[VALUE_TYPE_BYTES];
    ggk_value value = {.type = GGK_VALUE_STRING, .as.s = m->request->bytes};

    if (!type_by_key(m))
        m->type = (struct value_type){GGK_VALUE_STRING, 0, NULL};
    if (m->type.depth == 0 && m->type.leaf == GGK_VALUE_STRING)
        return put_scalar(m, &value, why);
    if (m->type.depth == 1 &&
        (m->type.leaf == GGK_VALUE_UINT8 || m->type.leaf == GGK_VALUE_INT8))
        return put_byte_array(m, m->request->bytes, why);
    value_type_name(name, m->type);
    snprintf(why, VALUE_WHY,
             "the bytes of a file can be a STRING or UINT8[], not %s", name);
    return VALUE_UNFIT;
}

static enum value_made make_value(struct setting *s, struct set_making *m,
                                  char *why)
{
    if (!check_element_type(m, why))
        return VALUE_UNFIT;
    switch (m->request->from) {
    case SET_TEXT: return make_text(s, m, why);
    case SET_BYTES: return make_bytes(m, why);
    case SET_JSON: return make_from_json(m, why);
    }
    return VALUE_UNFIT;
}

/* ----------------------------------------------------------- into the plan */

static void warn_of_type(const struct setting *s, const struct set_making *m)
{
    char was[VALUE_TYPE_BYTES], is[VALUE_TYPE_BYTES];
    const struct set_request *r = m->request;

    if (!m->has_old || r->what != SET_WHOLE || same_type(m->was, m->type))
        return;
    value_type_name(was, m->was);
    value_type_name(is, m->type);
    msg_warning(&s->edit->cli->msg, s->edit->in.name,
                "%.*s: the type changes from %s to %s", show_most(r->key, 200),
                r->key.ptr, was, is);
}

/* The type that programs expect the value to be of, other than the one that it
 * has and keeps; false if there is no saying. */
static bool wants_other_type(const struct set_making *m, struct value_type *out)
{
    const struct set_request *r = m->request;

    if (known_key_type(r->key, out)) {
        bool layers = m->was.depth > 0 && m->was.leaf == GGK_VALUE_INT32;

        out->depth = m->was.depth;
        return out->leaf != m->was.leaf && !layers;
    }
    /* "4096", where there is a text already, may have been meant as a number.
     */
    if (!m->same || r->from != SET_TEXT || m->was.depth > 0 ||
        m->was.leaf != GGK_VALUE_STRING)
        return false;
    *out = (struct value_type){value_infer_text(r->text), 0, NULL};
    return out->leaf != GGK_VALUE_STRING;
}

/* That a key keeps its type is of no help where the type is what is wrong. */
static void warn_of_kept_type(const struct setting *s,
                              const struct set_making *m)
{
    const struct set_request *r = m->request;
    char was[VALUE_TYPE_BYTES], wanted[VALUE_TYPE_BYTES];
    struct value_type type;

    if (r->kv == GGK_NONE || r->typed || r->what != SET_WHOLE ||
        !wants_other_type(m, &type))
        return;
    value_type_name(was, m->was);
    value_type_name(wanted, type);
    msg_warning(&s->edit->cli->msg, s->edit->in.name,
                "%.*s: the type stays %s; --type %s makes it %s",
                show_most(r->key, 200), r->key.ptr, was, wanted, wanted);
}

/* A new key may be an old one, misspelt. */
static void warn_of_new_key(const struct setting *s, const struct set_making *m)
{
    const struct set_request *r = m->request;
    char known[KNOWN_KEY_BYTES];
    struct value_type type;
    ggk_str name;

    if (r->kv != GGK_NONE || r->from == SET_JSON ||
        known_key_type(r->key, &type))
        return;
    if (!similar_find(s->edit->in.model, SIMILAR_KEY, r->key, &name)) {
        if (!known_key_near(r->key, similar_architecture(s->edit->in.model),
                            known))
            return;
        name = ggk_cstr(known);
    }
    msg_warning(&s->edit->cli->msg, s->edit->in.name,
                "%.*s: the key is new; did you mean \"%.*s\"?",
                show_most(r->key, 200), r->key.ptr, show_most(name, 200),
                name.ptr);
}

static void warn_of_text(const struct setting *s, const struct set_making *m)
{
    const struct set_request *r = m->request;
    const char *bytes = r->from == SET_BYTES ? r->bytes.ptr : r->text;
    size_t n = r->from == SET_BYTES ? r->bytes.len : 0;

    if (r->from == SET_JSON || m->type.leaf != GGK_VALUE_STRING ||
        m->type.depth > 0)
        return;
    if (r->from == SET_TEXT)
        n = strlen(bytes);
    if (!unicode_valid(bytes, n))
        msg_warning(&s->edit->cli->msg, s->edit->in.name,
                    "%.*s: the text is not UTF-8", show_most(r->key, 200),
                    r->key.ptr);
}

static ggk_status put_value(struct setting *s, const struct set_making *m,
                            uint64_t index, ggk_error *err)
{
    const struct set_request *r = m->request;

    return r->what == SET_WHOLE
               ? ggk_plan_set_kv(s->edit->plan, 0, r->key, m->builder, err)
               : ggk_plan_set_element(s->edit->plan, 0, r->key, index,
                                      m->builder, err);
}

static int change_key(struct setting *s, const struct set_making *m)
{
    const struct set_request *r = m->request;
    struct edit_change change = {.kind = EDIT_SET,
                                 .name = r->key,
                                 .kv = r->kv,
                                 .index = GGK_NONE,
                                 .appended = r->what == SET_APPEND};
    ggk_error err;
    ggk_kv kv;

    if (r->what == SET_ELEMENT)
        change.index = r->index;
    if (r->what == SET_APPEND) {
        if (ggk_model_kv(s->edit->in.model, r->kv, &kv, &err) != GGK_OK)
            return edit_fail(s->edit, r->key, &err);
        change.index = kv.n + s->appended[r->kv]++;
    }
    if (put_value(s, m, change.index, &err) != GGK_OK)
        return edit_fail(s->edit, r->key, &err);
    return edit_note(s->edit, &change)
               ? CLI_DONE
               : tell_unfit(s, r, VALUE_NO_MEMORY, NULL);
}

static int do_request(struct setting *s, const struct set_request *r)
{
    struct set_making m = {.request = r};
    enum value_made made = VALUE_NO_MEMORY;
    char why[VALUE_WHY] = "";
    int status = look_at_old(s, &m);

    if (status != CLI_DONE)
        return status;
    if (ggk_builder_new(NULL, &m.builder, NULL) == GGK_OK)
        made = make_value(s, &m, why);
    if (made == VALUE_MADE)
        warn_of_kept_type(s, &m);
    if (made != VALUE_MADE)
        status = tell_unfit(s, r, made, why);
    else if (!m.same &&
             (!edit_may_touch(s->edit, r->key, EDIT_USE_SET) ||
              (r->kv == GGK_NONE && !edit_may_add(s->edit, r->key)) ||
              set_doubts(s->edit, &s->requests, r)))
        status = CLI_USAGE;
    else if (!m.same) {
        warn_of_type(s, &m);
        warn_of_new_key(s, &m);
        warn_of_text(s, &m);
        status = change_key(s, &m);
    }
    ggk_builder_free(m.builder);
    return status;
}

static int do_requests(struct setting *s)
{
    const struct edit_gaps none = {NULL, NULL};
    ggk_error err;
    int status = CLI_DONE;

    s->appended = calloc((size_t)ggk_model_n_kv(s->edit->in.model) + 1,
                         sizeof *s->appended);
    if (s->appended == NULL) {
        (void)show_no_memory(&err);
        return input_fail(&s->edit->in, &err);
    }
    if (edit_plan_keys(s->edit, &none, &err) != GGK_OK)
        return input_fail(&s->edit->in, &err);
    for (size_t i = 0; i < s->requests.n && status == CLI_DONE; i++)
        status = do_request(s, &s->requests.at[i]);
    if (status == CLI_DONE)
        set_doubts_lengths(s->edit, &s->requests);
    return status == CLI_DONE ? edit_run(s->edit) : status;
}

static int run_set(struct cli *cli, int argc, char **argv)
{
    const struct set_options *o = cli->options;
    struct edit edit;
    struct setting s = {.edit = &edit};
    int status;

    if (argc == 1 && o->files.n + o->from_json.n + o->tokens.n == 0 &&
        !o->how.rewrite && !o->how.reserve.given) {
        msg_usage(&cli->msg, "nothing to set: no KEY=VALUE given");
        return CLI_USAGE;
    }
    status = edit_open(cli, argv[0], &o->how, &edit);
    if (status != CLI_DONE)
        return status;
    status = set_requests_take(&edit, o, argc - 1, argv + 1, &s.requests);
    if (status == CLI_DONE)
        status = do_requests(&s);
    status = edit_close(&edit, status);
    set_requests_free(&s.requests);
    free(s.appended);
    return status;
}

static const struct cli_example set_examples[] = {
    {"gguf set model.gguf general.name='My model'", "change or add a key"},
    {"gguf set model.gguf --file tokenizer.chat_template=template.jinja",
     "a chat template, byte for byte"},
    {"gguf set model.gguf --token 'eos=<|im_end|>'",
     "the token that ends an answer, by its text"},
    {"gguf set model.gguf 'tokenizer.ggml.token_type[7]=3'",
     "one element of an array"},
    {"gguf set model.gguf --type FLOAT32 my.scale=2 -o new.gguf",
     "a new key of that type, into another file"},
    {"gguf set model.gguf --reserve 64Ki", "no key, but room for later edits"},
    {NULL, NULL},
};

const struct command cmd_set = {
    .name = "set",
    .operands = "FILE [KEY=VALUE]...",
    .min_operands = 1,
    .max_operands = CLI_ANY_OPERANDS,
    .flags = CLI_READS_MODEL | CLI_READS_DATA | CLI_WRITES,
    .summary = "change metadata, or add to it",
    .about =
        "Gives keys new values; all of them, or none if one fails. A key "
        "keeps its type.\nFILE is edited in place, or replaced once a new one "
        "is whole; or -o writes\nelsewhere.",
    .examples = set_examples,
    .options = set_options,
    .options_bytes = sizeof(struct set_options),
    .no_means = "the model has no such key, element or token",
    .run = run_set,
};
