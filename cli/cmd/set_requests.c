/* set_requests.c - what gguf set is asked for: which keys, and what they are to
 * be. */
#include "cmd/set_requests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "find.h"
#include "known_keys.h"
#include "out/fmt.h"
#include "same.h"
#include "show.h"
#include "similar.h"
#include "small_file.h"
#include "writing.h"

#define MOST_BYTES ((size_t)1 << 30) /* of a file whose bytes are a value */

/* -------------------------------------------------------------------- lists */

static void *grow_list(void *items, size_t n, size_t *capacity, size_t bytes)
{
    size_t wanted = *capacity * 2 + 16;
    void *grown;

    if (n < *capacity)
        return items;
    grown = realloc(items, wanted * bytes);
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}

static int tell_no_memory(const struct edit *e)
{
    ggk_error err;

    show_no_memory(&err);
    return input_fail(&e->in, &err);
}

static int add_request(const struct edit *e, struct set_requests *r,
                       const struct set_request *request)
{
    struct set_request *at =
        grow_list(r->at, r->n, &r->capacity, sizeof *r->at);

    if (at == NULL)
        return tell_no_memory(e);
    r->at = at;
    at[r->n++] = *request;
    return CLI_DONE;
}

bool set_keep_doc(struct set_requests *r, struct json_in *doc)
{
    struct json_in **docs =
        grow_list(r->docs, r->n_docs, &r->doc_capacity, sizeof(void *));

    if (docs == NULL) {
        json_in_free(doc);
        return false;
    }
    r->docs = docs;
    docs[r->n_docs++] = doc;
    return true;
}

/* The same for a block of memory; NULL is kept easily. */
static bool keep_block(struct set_requests *r, char *block)
{
    char **blocks;

    if (block == NULL)
        return true;
    blocks =
        grow_list(r->blocks, r->n_blocks, &r->block_capacity, sizeof *blocks);
    if (blocks == NULL) {
        free(block);
        return false;
    }
    r->blocks = blocks;
    blocks[r->n_blocks++] = block;
    return true;
}

void set_requests_free(struct set_requests *r)
{
    for (size_t i = 0; i < r->n_docs; i++)
        json_in_free(r->docs[i]);
    for (size_t i = 0; i < r->n_blocks; i++)
        free(r->blocks[i]);
    free(r->docs);
    free(r->blocks);
    free(r->at);
    *r = (struct set_requests){0};
}

/* -------------------------------------------------------------------- files */

/* All of a file, or of standard input. */
static int read_file(const struct edit *e, const char *path, ggk_str *out,
                     struct set_requests *r)
{
    bool piped = input_is_stdin(path);
    char *block;
    int failed;
    ggk_error err;

    if (piped && (r->piped || input_is_stdin(e->in.name))) {
        msg_usage(&e->cli->msg, "standard input can only be one of the files "
                                "that are read");
        return CLI_USAGE;
    }
    r->piped = r->piped || piped;
    failed = small_file_read(path, MOST_BYTES, &block, &out->len);
    if (failed == 0 && writing_guard(e->plan, path, &err) != GGK_OK) {
        free(block);
        failed = ENOMEM;
    }
    if (failed != 0) {
        msg_error(&e->cli->msg, path, "cannot read: %s", strerror(failed));
        return CLI_IO;
    }
    if (!keep_block(r, block)) {
        (void)tell_no_memory(e);
        return CLI_IO;
    }
    out->ptr = block;
    return CLI_DONE;
}

/* --------------------------------------------------------------- KEY=VALUE */

/* Find the key of a request; CLI_DONE also if there is none. */
static int find_key(const struct edit *e, struct set_request *request)
{
    ggk_error err;
    ggk_status status =
        ggk_model_find_kv(e->in.model, request->key, &request->kv, &err);

    if (status == GGK_OK || status == GGK_E_NOT_FOUND)
        return CLI_DONE;
    return edit_fail(e, request->key, &err);
}

static bool is_there(const struct edit *e, ggk_str key)
{
    uint64_t i;
    ggk_status status = ggk_model_find_kv(e->in.model, key, &i, NULL);

    return status == GGK_OK || status == GGK_E_DUPLICATE;
}

/* "KEY[7]" and "KEY[+]": what is in front of the bracket, and which element;
 * `*good` if it is one. */
static bool take_index(ggk_str word, struct set_request *out, bool *good)
{
    char digits[24];
    size_t at = word.len, n;

    if (word.len < 4 || word.ptr[word.len - 1] != ']')
        return false;
    while (at > 0 && word.ptr[at - 1] != '[')
        at--;
    n = word.len - 1 - at;
    if (at < 2 || n >= sizeof digits)
        return false;
    memcpy(digits, word.ptr + at, n);
    digits[n] = '\0';
    out->what = strcmp(digits, "+") == 0 ? SET_APPEND : SET_ELEMENT;
    *good = out->what == SET_APPEND ||
            fmt_parse_u64(digits, &out->index) == FMT_PARSED;
    out->key = (ggk_str){word.ptr, at - 1};
    return true;
}

/* An element of an array that is not there. */
static int refuse_element(const struct edit *e, const struct set_request *r)
{
    char hint[SIMILAR_BYTES];

    similar_hint(e->in.model, SIMILAR_KEY, r->key, hint);
    edit_refuse(
        e, r->key,
        "there is no such key%s; --type 'STRING[]' '%.*s=[\"a\"]' makes "
        "a new array, of strings",
        hint, show_most(r->key, 100), r->key.ptr);
    return CLI_NO;
}

/* The part before a '=' that names a key, or an element of one. The first that
 * does so wins; if none does, the first of all is a new key. */
static int split_word(const struct edit *e, const char *word,
                      struct set_request *out, const char **value)
{
    const char *equals = strchr(word, '=');
    struct set_request element = {.kv = GGK_NONE};
    bool good = false;

    if (equals == NULL || equals == word) {
        msg_usage(&e->cli->msg, "'%s' is not KEY=VALUE", word);
        return CLI_USAGE;
    }
    *out = element;
    for (const char *at = equals; at != NULL; at = strchr(at + 1, '=')) {
        out->key = (ggk_str){word, (size_t)(at - word)};
        *value = at + 1;
        if (is_there(e, out->key))
            return find_key(e, out);
        if (take_index(out->key, &element, &good) && is_there(e, element.key)) {
            *out = element;
            if (good)
                return find_key(e, out);
            edit_refuse(e, element.key, "an element is [I], from 0, or [+]");
            return CLI_USAGE;
        }
    }
    out->key = (ggk_str){word, (size_t)(equals - word)};
    *value = equals + 1;
    if (!take_index(out->key, &element, &good) || !good)
        return CLI_DONE;
    return refuse_element(e, &element);
}

static int take_operand(const struct edit *e, const struct value_type *type,
                        const char *word, struct set_requests *r)
{
    struct set_request request;
    const char *value;
    int status = split_word(e, word, &request, &value);

    if (status != CLI_DONE)
        return status;
    request.from = SET_TEXT;
    request.text = value;
    request.typed = type != NULL;
    if (type != NULL)
        request.type = *type;
    return add_request(e, r, &request);
}

static int take_file(const struct edit *e, const struct value_type *type,
                     const char *word, struct set_requests *r)
{
    struct set_request request;
    const char *path;
    int status = split_word(e, word, &request, &path);

    if (status == CLI_DONE)
        status = read_file(e, path, &request.bytes, r);
    if (status != CLI_DONE)
        return status;
    request.from = SET_BYTES;
    request.typed = type != NULL;
    if (type != NULL)
        request.type = *type;
    return add_request(e, r, &request);
}

/* --------------------------------------------------------------- --from-json
 */

static int refuse_json(const struct edit *e, const char *path, const char *key,
                       const char *what)
{
    if (key != NULL)
        msg_error(&e->cli->msg, path, "\"%.200s\": %s", key, what);
    else
        msg_error(&e->cli->msg, path, "%s", what);
    return CLI_UNREADABLE;
}

static bool is_word(const char *word, const char *const *words)
{
    while (*words != NULL && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

/* An object that has no other members than these. */
static bool has_only(json_in_value object, const char *const *names)
{
    struct json_in_member m = json_in_first(object);

    while (m.name != NULL && is_word(m.name, names))
        m = json_in_next(&m);
    return m.name == NULL;
}

static bool find_text(json_in_value object, const char *name, const char **out)
{
    json_in_value v;
    size_t bytes;

    *out = NULL;
    if (!json_in_find(object, name, &v))
        return true;
    if (json_in_kind(v) != JSON_IN_STRING)
        return false;
    *out = json_in_string(v, &bytes);
    return true;
}

/* "type", "elem_type" and "inner_types", as our own JSON has them. */
static bool take_json_type(json_in_value object, struct set_request *out)
{
    const char *type, *elem;
    json_in_value inner;
    bool has_inner = json_in_find(object, "inner_types", &inner);

    if (!find_text(object, "type", &type) ||
        !find_text(object, "elem_type", &elem))
        return false;
    out->typed = type != NULL;
    if (type == NULL)
        return elem == NULL && !has_inner;
    if (strcmp(type, "ARRAY") != 0)
        return elem == NULL && !has_inner && value_type_parse(type, &out->type);
    if (elem == NULL) {
        out->typed = false; /* an array, of whatever the value holds */
        return !has_inner;
    }
    out->type = (struct value_type){VALUE_ANY, 2, NULL};
    if (strcmp(elem, "ARRAY") == 0)
        return !has_inner || value_take_inner(out->json, inner, &out->type);
    if (has_inner || !value_type_parse(elem, &out->type) || out->type.depth > 0)
        return false;
    out->type.depth = 1;
    return true;
}

/* A value with its type: {"type": ..., "value": ...}. */
static int take_typed(const struct edit *e, const char *path, const char *key,
                      json_in_value object, struct set_request *out)
{
    static const char *const members[] = {"key",         "type", "elem_type",
                                          "inner_types", "n",    "value",
                                          "shortened",   NULL};
    json_in_value shortened;

    if (!json_in_find(object, "value", &out->json))
        return refuse_json(e, path, key, "there is no value");
    if (!has_only(object, members))
        return refuse_json(e, path, key,
                           "beside \"value\" stands what is not known");
    if (json_in_find(object, "shortened", &shortened))
        return refuse_json(e, path, key,
                           "the value was shortened: print it with --full");
    if (!take_json_type(object, out))
        return refuse_json(e, path, key, "its type is none");
    return CLI_DONE;
}

static int add_json(const struct edit *e, struct set_requests *r,
                    struct set_request *request)
{
    int status = find_key(e, request);

    return status == CLI_DONE ? add_request(e, r, request) : status;
}

/* {"KEY": VALUE, ...} */
static int take_members(const struct edit *e, const char *path,
                        json_in_value object, struct set_requests *r)
{
    struct json_in_member m = json_in_first(object);
    int status = CLI_DONE;

    for (; m.name != NULL && status == CLI_DONE; m = json_in_next(&m)) {
        struct set_request request = {.key = ggk_cstr(m.name),
                                      .kv = GGK_NONE,
                                      .from = SET_JSON,
                                      .json = m.value};
        json_in_value base64;

        if (*m.name == '\0')
            return refuse_json(e, path, NULL, "a key cannot be empty");
        if (json_in_kind(m.value) == JSON_IN_OBJECT &&
            !json_in_find(m.value, "base64", &base64))
            status = take_typed(e, path, m.name, m.value, &request);
        if (status == CLI_DONE)
            status = add_json(e, r, &request);
    }
    return status;
}

/* Is it an entry of free space, which is no part of the model? */
static bool is_space(ggk_str key, json_in_value object)
{
    json_in_value value;
    ggk_str string;

    if (!json_in_find(object, "value", &value) ||
        json_in_kind(value) != JSON_IN_STRING)
        return false;
    string.ptr = json_in_string(value, &string.len);
    return ggk_is_space(key, string);
}

/* {"key": KEY, "type": ..., "value": ...} */
static int take_entry(const struct edit *e, const char *path,
                      json_in_value object, struct set_requests *r)
{
    struct set_request request = {.kv = GGK_NONE, .from = SET_JSON};
    json_in_value key;
    char why[VALUE_WHY], *memory = NULL;
    enum value_made made;
    int status;

    if (json_in_kind(object) != JSON_IN_OBJECT ||
        !json_in_find(object, "key", &key))
        return refuse_json(e, path, NULL, "an entry has no key");
    made = value_bytes_json(key, &request.key, &memory, why);
    if (!keep_block(r, memory) || made == VALUE_NO_MEMORY)
        return tell_no_memory(e);
    if (made != VALUE_MADE || request.key.len == 0)
        return refuse_json(e, path, NULL, "a key is none");
    if (is_space(request.key, object))
        return CLI_DONE;
    status = take_typed(e, path, memory == NULL ? request.key.ptr : NULL,
                        object, &request);
    return status == CLI_DONE ? add_json(e, r, &request) : status;
}

static int take_entries(const struct edit *e, const char *path,
                        json_in_value keys, struct set_requests *r)
{
    int status = CLI_DONE;

    if (json_in_kind(keys) != JSON_IN_ARRAY)
        return refuse_json(e, path, NULL, "\"keys\" is no array");
    for (size_t i = 0; i < json_in_count(keys) && status == CLI_DONE; i++)
        status = take_entry(e, path, json_in_at(keys, i), r);
    return status;
}

/* What gguf dump, keys or get printed. */
static int take_printed(const struct edit *e, const char *path,
                        json_in_value root, struct set_requests *r)
{
    static const char *const members[] = {
        "schema",      "command", "file",  "key",       "type", "elem_type",
        "inner_types", "n",       "value", "shortened", NULL};
    struct set_request request = {.kv = GGK_NONE, .from = SET_JSON};
    json_in_value keys;
    const char *key;
    int status;

    if (json_in_find(root, "keys", &keys))
        return take_entries(e, path, keys, r);
    if (!find_text(root, "key", &key) || key == NULL ||
        !has_only(root, members))
        return refuse_json(e, path, NULL,
                           "this was not printed by gguf dump, keys or get "
                           "(without --index)");
    request.key = ggk_cstr(key);
    if (!json_in_find(root, "value", &request.json) ||
        !take_json_type(root, &request))
        return refuse_json(e, path, key, "there is no value");
    status = json_in_find(root, "shortened", &keys)
                 ? refuse_json(e, path, key,
                               "the value was shortened: print it with --full")
                 : CLI_DONE;
    return status == CLI_DONE ? add_json(e, r, &request) : status;
}

static int take_json(const struct edit *e, const char *path,
                     struct set_requests *r)
{
    ggk_str text = {NULL, 0};
    struct json_in *doc;
    char why[JSON_IN_WHY];
    json_in_value root, schema, command;
    int status = read_file(e, path, &text, r);

    if (status != CLI_DONE)
        return status;
    switch (json_in_parse(text.ptr, text.len, &doc, why)) {
    case JSON_IN_PARSED: break;
    case JSON_IN_NO_MEMORY: return tell_no_memory(e);
    case JSON_IN_BAD: return refuse_json(e, path, NULL, why);
    case JSON_IN_UNSUPPORTED:
        (void)refuse_json(e, path, NULL, why);
        return CLI_UNSUPPORTED;
    }
    if (!set_keep_doc(r, doc))
        return tell_no_memory(e);
    root = json_in_root(doc);
    if (json_in_kind(root) != JSON_IN_OBJECT)
        return refuse_json(e, path, NULL, "it is no object of keys");
    return json_in_find(root, "schema", &schema) &&
                   json_in_find(root, "command", &command)
               ? take_printed(e, path, root, r)
               : take_members(e, path, root, r);
}

/* ------------------------------------------------------------------- --token
 */

/* The tokens, before the first of which the walk stands then. */
static int start_tokens(const struct edit *e, ggk_walk *walk, uint64_t *n)
{
    const char *name = "tokenizer.ggml.tokens";
    const ggk_model *model = e->in.model;
    ggk_value head;
    uint64_t kv;
    ggk_error err;
    ggk_status status = ggk_model_find_kv(model, ggk_cstr(name), &kv, &err);

    if (status == GGK_OK)
        status = ggk_walk_start(model, kv, walk, &err);
    if (status != GGK_OK)
        return edit_fail(e, ggk_cstr(name), &err);
    if (ggk_walk_next(walk, &head) != GGK_WALK_OPEN ||
        head.type != GGK_VALUE_STRING) {
        edit_refuse(e, ggk_cstr(name), "it is no array of strings");
        return CLI_UNREADABLE;
    }
    *n = head.as.u;
    return CLI_DONE;
}

/* How many tokens have that text, and the first two of them. */
static uint64_t count_tokens(const ggk_walk *start, ggk_str text, uint64_t *ids)
{
    ggk_walk walk = *start;
    ggk_value v;
    uint64_t found = 0;

    for (uint64_t i = 0; ggk_walk_next(&walk, &v) == GGK_WALK_VALUE; i++)
        if (str_same(v.as.s, text)) {
            if (found < 2)
                ids[found] = i;
            found++;
        }
    return found;
}

static int find_token(const struct edit *e, const char *name, const char *text,
                      uint64_t *id)
{
    ggk_walk walk;
    uint64_t n = 0, found, ids[2] = {0, 0};
    struct find find;
    const char *bad;
    int status = start_tokens(e, &walk, &n);

    if (status != CLI_DONE)
        return status;
    if (fmt_parse_u64(text, id) != FMT_JUNK) {
        if (fmt_parse_u64(text, id) == FMT_PARSED &&
            (*id < n || e->cli->global.force))
            return CLI_DONE;
        edit_refuse(e, ggk_cstr(name),
                    "there is no token %s: the vocabulary has %" PRIu64
                    ", counted from 0; --token %s=TEXT finds one by its text",
                    text, n, name);
        return CLI_NO;
    }
    found = count_tokens(&walk, ggk_cstr(text), ids);
    if (found == 0 && strchr(text, '\\') != NULL &&
        find_parse(text, &find, &bad) == FIND_PARSED) {
        found = count_tokens(&walk, find.exact, ids);
        find_free(&find);
    }
    *id = ids[0];
    if (found == 0)
        edit_refuse(e, ggk_cstr(name), "there is no token \"%.100s\"", text);
    if (found > 1)
        edit_refuse(e, ggk_cstr(name),
                    "%" PRIu64 " tokens have the text \"%.100s\", %" PRIu64
                    " and %" PRIu64 " among them: give the number",
                    found, text, ids[0], ids[1]);
    return found == 1 ? CLI_DONE : CLI_NO;
}

static int refuse_task(const struct edit *e, const char *name)
{
    char all[256] = "";
    size_t n = 0;

    for (size_t i = 0; known_token_name(i) != NULL && n < sizeof all; i++)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s",
                              i > 0 ? ", " : "", known_token_name(i));
    msg_usage(&e->cli->msg, "--token: '%.60s' is none of %s", name, all);
    return CLI_USAGE;
}

static int take_token(const struct edit *e, const char *word,
                      struct set_requests *r)
{
    const char *equals = strchr(word, '=');
    struct set_request request = {.kv = GGK_NONE, .from = SET_TEXT};
    char name[32] = "", *number;
    const char *key;
    uint64_t id = 0;
    int status;

    if (equals == NULL || (size_t)(equals - word) >= sizeof name)
        return refuse_task(e, word);
    memcpy(name, word, (size_t)(equals - word));
    key = known_token_key(name);
    if (key == NULL)
        return refuse_task(e, name);
    status = find_token(e, name, equals + 1, &id);
    if (status != CLI_DONE)
        return status;
    number = malloc(FMT_BYTES);
    if (!keep_block(r, number) || number == NULL)
        return tell_no_memory(e);
    fmt_u64(number, id);
    request.key = ggk_cstr(key);
    request.text = number;
    return add_json(e, r, &request);
}

/* ---------------------------------------------------------------------- all */

static int compare_requests(const void *a, const void *b)
{
    const struct set_request *x = a, *y = b;
    size_t n = x->key.len < y->key.len ? x->key.len : y->key.len;
    int order = memcmp(x->key.ptr, y->key.ptr, n);

    if (order == 0)
        order = (x->key.len > y->key.len) - (x->key.len < y->key.len);
    if (order == 0)
        order = (x->what > y->what) - (x->what < y->what);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

/* Is anything to be set twice? */
static int check_twice(const struct edit *e, const struct set_requests *r)
{
    struct set_request *sorted = malloc(r->n * sizeof *sorted + 1);
    int status = CLI_DONE;

    if (sorted == NULL)
        return tell_no_memory(e);
    if (r->n > 0)
        memcpy(sorted, r->at, r->n * sizeof *sorted);
    qsort(sorted, r->n, sizeof *sorted, compare_requests);
    for (size_t i = 1; i < r->n && status == CLI_DONE; i++) {
        const struct set_request *a = &sorted[i - 1], *b = &sorted[i];

        if (!str_same(a->key, b->key) ||
            (a->what != SET_WHOLE &&
             (b->what == SET_APPEND || a->index != b->index)))
            continue;
        edit_refuse(e, b->key, "it is to be set twice");
        status = CLI_USAGE;
    }
    free(sorted);
    return status;
}

int set_requests_take(const struct edit *e, const struct set_options *o,
                      int argc, char **argv, struct set_requests *out)
{
    struct value_type type, *typed = NULL;
    int status = CLI_DONE;

    *out = (struct set_requests){0};
    if (o->type != NULL) {
        typed = &type;
        if (!value_type_parse(o->type, typed)) {
            msg_usage(&e->cli->msg,
                      "--type: '%.60s' is no type, such as UINT32 or STRING[]",
                      o->type);
            return CLI_USAGE;
        }
    }
    for (int i = 0; i < argc && status == CLI_DONE; i++)
        status = take_operand(e, typed, argv[i], out);
    for (size_t i = 0; i < o->files.n && status == CLI_DONE; i++)
        status = take_file(e, typed, o->files.items[i], out);
    for (size_t i = 0; i < o->from_json.n && status == CLI_DONE; i++)
        status = take_json(e, o->from_json.items[i], out);
    for (size_t i = 0; i < o->tokens.n && status == CLI_DONE; i++)
        status = take_token(e, o->tokens.items[i], out);
    return status == CLI_DONE ? check_twice(e, out) : status;
}
