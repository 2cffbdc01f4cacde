/* chat_template.c - the chat templates of a model, and what can be told of one
 * without running it. */
#include "chat_template.h"

#include <stdlib.h>
#include <string.h>

#include "same.h"
#include "show.h"

static const char default_key[] = "tokenizer.chat_template";
static const char named_keys[] = "tokenizer.chat_template.";
static const char list_key[] = "tokenizer.chat_templates";

static void add_oddity(struct chat_oddity *odd, ggk_str name)
{
    if (odd->n++ == 0)
        odd->first = name;
}

/* --------------------------------------------------------------- templates */

/* Is it the key of a template? Then its name. */
static bool name_of_key(ggk_str key, struct chat_template *out)
{
    const size_t n_named = sizeof named_keys - 1;

    if (key.len > 0 && key.ptr[key.len - 1] == '\0') /* see ggk_model_find_kv */
        key.len--;
    if (str_is(key, default_key)) {
        out->name = ggk_cstr("default");
        out->is_default = true;
        return true;
    }
    if (key.len < n_named || memcmp(key.ptr, named_keys, n_named) != 0)
        return false;
    out->name = (ggk_str){key.ptr + n_named, key.len - n_named};
    return true;
}

static ggk_status take_template(const ggk_model *model, uint64_t i,
                                struct chat_template *out, ggk_error *err)
{
    ggk_walk walk;
    ggk_value value;
    uint64_t first;
    ggk_status status = ggk_walk_start(model, i, &walk, err);

    if (status != GGK_OK)
        return status;
    if (ggk_walk_next(&walk, &value) != GGK_WALK_VALUE)
        return show_broken(err);
    out->text = value.as.s;
    out->repeated =
        ggk_model_find_kv(model, out->key, &first, NULL) == GGK_E_DUPLICATE;
    return GGK_OK;
}

/* Room for one more. */
static ggk_status grow_templates(struct chat_templates *t, ggk_error *err)
{
    struct chat_template *items;

    if ((t->n & (t->n - 1)) != 0) /* the room is a power of two */
        return GGK_OK;
    items = realloc(t->items, (t->n > 0 ? 2 * t->n : 1) * sizeof *items);
    if (items == NULL)
        return show_no_memory(err);
    t->items = items;
    return GGK_OK;
}

static ggk_status take_templates(const ggk_model *model,
                                 struct chat_templates *t, ggk_error *err)
{
    for (uint64_t i = 0; i < ggk_model_n_kv(model); i++) {
        struct chat_template found = {0};
        ggk_kv kv;
        ggk_status status = ggk_model_kv(model, i, &kv, err);
        if (status != GGK_OK)
            return status;
        if (!name_of_key(kv.key, &found))
            continue;
        found.key = kv.key;
        if (kv.type != GGK_VALUE_STRING) {
            add_oddity(&t->no_string, kv.key);
            continue;
        }
        status = take_template(model, i, &found, err);
        if (status == GGK_OK)
            status = grow_templates(t, err);
        if (status != GGK_OK)
            return status;
        t->items[t->n++] = found;
    }
    return GGK_OK;
}

/* Move the default in front of the others, which keep their order. */
static void put_default_first(struct chat_templates *t)
{
    size_t i = 0;
    struct chat_template found;

    while (i < t->n && !t->items[i].is_default)
        i++;
    if (i == 0 || i == t->n)
        return;
    found = t->items[i];
    memmove(t->items + 1, t->items, i * sizeof *t->items);
    t->items[0] = found;
}

static bool has_default(const struct chat_templates *t)
{
    return t->n > 0 && t->items[0].is_default;
}

/* Has the model a template under that name? */
static ggk_status is_there(const ggk_model *model, ggk_str name, bool *there,
                           ggk_error *err)
{
    const size_t n_named = sizeof named_keys - 1;
    char *key = malloc(n_named + name.len);
    uint64_t i;
    ggk_status status;

    if (key == NULL)
        return show_no_memory(err);
    memcpy(key, named_keys, n_named);
    if (name.len > 0)
        memcpy(key + n_named, name.ptr, name.len);
    status =
        ggk_model_find_kv(model, (ggk_str){key, n_named + name.len}, &i, NULL);
    *there = status != GGK_E_NOT_FOUND;
    free(key);
    return GGK_OK;
}

/* The names that tokenizer.chat_templates promises. */
static ggk_status check_list(const ggk_model *model, struct chat_templates *t,
                             ggk_error *err)
{
    ggk_status status = GGK_OK;
    ggk_walk walk;
    ggk_value value;
    uint64_t i;
    bool there = false;

    if (ggk_model_find_kv(model, ggk_cstr(list_key), &i, NULL) != GGK_OK ||
        ggk_walk_start(model, i, &walk, NULL) != GGK_OK ||
        ggk_walk_next(&walk, &value) != GGK_WALK_OPEN ||
        value.type != GGK_VALUE_STRING)
        return GGK_OK;
    while (status == GGK_OK && ggk_walk_next(&walk, &value) == GGK_WALK_VALUE) {
        if (has_default(t) && str_is(value.as.s, "default"))
            continue;
        status = is_there(model, value.as.s, &there, err);
        if (status == GGK_OK && !there)
            add_oddity(&t->missing, value.as.s);
    }
    return status;
}

ggk_status chat_templates_open(const ggk_model *model,
                               struct chat_templates *out, ggk_error *err)
{
    ggk_status status;

    *out = (struct chat_templates){0};
    status = take_templates(model, out, err);
    if (status == GGK_OK) {
        put_default_first(out);
        status = check_list(model, out, err);
    }
    if (status != GGK_OK)
        chat_templates_close(out);
    return status;
}

void chat_templates_close(struct chat_templates *t)
{
    free(t->items);
    *t = (struct chat_templates){0};
}

const struct chat_template *chat_templates_find(const struct chat_templates *t,
                                                const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (str_is(t->items[i].name, name))
            return &t->items[i];
    return NULL;
}

uint64_t chat_template_lines(ggk_str text)
{
    uint64_t n = text.len > 0 && text.ptr[text.len - 1] != '\n';

    for (size_t i = 0; i < text.len; i++)
        n += text.ptr[i] == '\n';
    return n;
}

/* -------------------------------------------------------------------- code */

/* Where a reader of Jinja stands. */
struct jinja {
    ggk_str text;
    size_t at;
    uint64_t line;
    char closes; /* what ends the code, before '}': '}' or '%'; 0: no code */
    char quote;  /* of the string in the code; 0: none */
    char before; /* the last byte of code that was no blank */
    bool first;  /* no word yet in this {% ... %} */
};

static char byte_at(const struct jinja *j, size_t at)
{
    return at < j->text.len ? j->text.ptr[at] : '\0';
}

static void step(struct jinja *j, size_t n)
{
    for (; n > 0 && j->at < j->text.len; n--)
        j->line += j->text.ptr[j->at++] == '\n';
}

/* Between code: to the next code, over comments. */
static void read_plain(struct jinja *j)
{
    char next = byte_at(j, j->at + 1);

    if (byte_at(j, j->at) != '{' ||
        (next != '{' && next != '%' && next != '#')) {
        step(j, 1);
        return;
    }
    step(j, 2);
    if (next == '#') {
        while (j->at < j->text.len &&
               (byte_at(j, j->at) != '#' || byte_at(j, j->at + 1) != '}'))
            step(j, 1);
        step(j, 2);
        return;
    }
    j->closes = next == '{' ? '}' : '%';
    j->first = next == '%';
    j->before = next;
}

/* A byte of code that is part of no word. */
static void read_sign(struct jinja *j)
{
    char c = byte_at(j, j->at), next = byte_at(j, j->at + 1);

    if (j->quote == 0 && c == j->closes && next == '}') {
        j->closes = 0;
        step(j, 2);
        return;
    }
    if (j->quote == 0 && (c == '"' || c == '\''))
        j->quote = c;
    else if (c == j->quote)
        j->quote = 0;
    else if (j->quote != 0 && c == '\\' && (next == j->quote || next == c))
        step(j, 1);
    if (c != ' ' && c != '\n' && c != '\t')
        j->before = c;
    step(j, 1);
}

static bool is_identifier(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

/* The next word in the code; empty at the end of the text. */
static ggk_str next_word(struct jinja *j)
{
    size_t start;

    while (j->at < j->text.len &&
           (j->closes == 0 || !is_identifier(byte_at(j, j->at)))) {
        if (j->closes == 0)
            read_plain(j);
        else
            read_sign(j);
    }
    start = j->at;
    while (is_identifier(byte_at(j, j->at)))
        j->at++;
    return (ggk_str){j->text.ptr + start, j->at - start};
}

/* ------------------------------------------------------------------- marks */

static bool has_prefix(ggk_str word, const char *prefix)
{
    size_t n = strlen(prefix);

    return word.len >= n && memcmp(word.ptr, prefix, n) == 0;
}

/* Words that no chat needs, and where they are one. */
struct suspect {
    const char *word;
    enum {
        SUSPECT_ANYWHERE,
        SUSPECT_STATEMENT, /* {% import */
        SUSPECT_FILTER,    /* |attr */
        SUSPECT_MODULE,    /* os.popen */
        SUSPECT_ESCAPE     /* "\x5f" */
    } where;
    const char *means;
};

static const struct suspect suspects[] = {
    {"import", SUSPECT_STATEMENT, "loads another template"},
    {"from", SUSPECT_STATEMENT, "loads another template"},
    {"include", SUSPECT_STATEMENT, "loads another template"},
    {"extends", SUSPECT_STATEMENT, "loads another template"},
    {"attr", SUSPECT_FILTER, "reads an attribute under a name it makes up"},
    {"os", SUSPECT_MODULE, "reaches for the system"},
    {"sys", SUSPECT_MODULE, "reaches for the system"},
    {"popen", SUSPECT_ANYWHERE, "reaches for the system"},
    {"subprocess", SUSPECT_ANYWHERE, "reaches for the system"},
    {"eval", SUSPECT_ANYWHERE, "runs code"},
    {"exec", SUSPECT_ANYWHERE, "runs code"},
    {"getattr", SUSPECT_ANYWHERE,
     "reads an attribute under a name it makes up"},
    {"lipsum", SUSPECT_ANYWHERE, "is a way into Python's objects"},
    {"cycler", SUSPECT_ANYWHERE, "is a way into Python's objects"},
    {"joiner", SUSPECT_ANYWHERE, "is a way into Python's objects"},
    {"x5f", SUSPECT_ESCAPE, "hides an underscore"},
    {"x5F", SUSPECT_ESCAPE, "hides an underscore"},
    {"u005f", SUSPECT_ESCAPE, "hides an underscore"},
    {"u005F", SUSPECT_ESCAPE, "hides an underscore"},
};

/* Is `word`, behind which `j` stands, this one? */
static bool is_suspect(const struct jinja *j, ggk_str word,
                       const struct suspect *s)
{
    if (s->where == SUSPECT_ESCAPE)
        return j->quote != 0 && j->before == '\\' && has_prefix(word, s->word);
    if (!str_is(word, s->word))
        return false;
    switch (s->where) {
    case SUSPECT_ANYWHERE:
    case SUSPECT_ESCAPE: break;
    case SUSPECT_STATEMENT: return j->first;
    case SUSPECT_FILTER: return j->before == '|';
    case SUSPECT_MODULE:
        return byte_at(j, j->at) == '.' && is_identifier(byte_at(j, j->at + 1));
    }
    return true;
}

/* What `word` is suspected to be; NULL: nothing. */
static const struct suspect *suspect_of(const struct jinja *j, ggk_str word)
{
    static const struct suspect underscores = {"__", SUSPECT_ANYWHERE,
                                               "reaches into Python's objects"};

    if (word.len > 2 && (memcmp(word.ptr, "__", 2) == 0 ||
                         memcmp(word.ptr + word.len - 2, "__", 2) == 0))
        return &underscores;
    for (size_t i = 0; i < sizeof suspects / sizeof suspects[0]; i++)
        if (is_suspect(j, word, &suspects[i]))
            return &suspects[i];
    return NULL;
}

static void add_mark(struct chat_names *names, ggk_str word,
                     const struct suspect *suspect, uint64_t line)
{
    if (suspect->where == SUSPECT_ESCAPE) /* it alone, with its backslash */
        word = (ggk_str){word.ptr - 1, strlen(suspect->word) + 1};
    for (size_t i = 0; i < names->n_marks; i++) {
        struct chat_mark *mark = &names->marks[i];
        if (!str_same(mark->text, word))
            continue;
        mark->n++;
        return;
    }
    if (names->n_marks < CHAT_MAX_MARKS)
        names->marks[names->n_marks++] =
            (struct chat_mark){word, suspect->means, line, 1};
}

static void add_variable(struct chat_names *names, ggk_str word)
{
    static const char *const variables[CHAT_MAX_VARIABLES] = {
        "bos_token", "eos_token", "pad_token",  "unk_token",
        "sep_token", "cls_token", "mask_token", "eot_token",
    };

    for (size_t i = 0; i < CHAT_MAX_VARIABLES; i++) {
        size_t k = 0;
        if (!str_is(word, variables[i]))
            continue;
        while (k < names->n_variables && names->variables[k] != variables[i])
            k++;
        if (k == names->n_variables)
            names->variables[names->n_variables++] = variables[i];
    }
}

void chat_template_names(ggk_str text, struct chat_names *out)
{
    struct jinja j = {.text = text, .line = 1};
    ggk_str word;

    *out = (struct chat_names){0};
    while ((word = next_word(&j)).len > 0) {
        const struct suspect *suspect = suspect_of(&j, word);
        if (suspect != NULL)
            add_mark(out, word, suspect, j.line);
        if (j.quote == 0)
            add_variable(out, word);
        j.first = false;
        j.before = word.ptr[word.len - 1];
    }
}

/* ------------------------------------------------------------------ tokens */

enum { MIN_TOKEN = 3, MAX_TOKEN = 64 };

/* By text; a text comes before all that continue it. */
static int compare_chat_tokens(const void *a, const void *b)
{
    const struct chat_token *x = a, *y = b;
    size_t n = x->text.len < y->text.len ? x->text.len : y->text.len;
    int order = memcmp(x->text.ptr, y->text.ptr, n);

    if (order != 0)
        return order;
    if (x->text.len != y->text.len)
        return x->text.len < y->text.len ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Those tokens, into `items`, or only counted if it is NULL. */
static ggk_status collect_tokens(const struct vocabulary *v,
                                 struct chat_token *items, size_t *n,
                                 ggk_error *err)
{
    *n = 0;
    for (uint64_t id = 0; id < vocabulary_count(v); id++) {
        struct vocab_token token;
        ggk_status status = vocabulary_token(v, id, &token, err);
        if (status != GGK_OK)
            return status;
        if (!vocabulary_is_special(&token) || token.text.len < MIN_TOKEN ||
            token.text.len > MAX_TOKEN)
            continue;
        if (items != NULL)
            items[*n] = (struct chat_token){token.text, id};
        ++*n;
    }
    return GGK_OK;
}

ggk_status chat_tokens_open(const struct vocabulary *v, struct chat_tokens *out,
                            ggk_error *err)
{
    size_t n;
    ggk_status status = collect_tokens(v, NULL, &n, err);

    *out = (struct chat_tokens){0};
    if (status != GGK_OK || n == 0)
        return status;
    out->items = malloc(n * sizeof *out->items);
    if (out->items == NULL)
        return show_no_memory(err);
    status = collect_tokens(v, out->items, &out->n, err);
    if (status != GGK_OK)
        chat_tokens_close(out);
    else
        qsort(out->items, out->n, sizeof *out->items, compare_chat_tokens);
    return status;
}

void chat_tokens_close(struct chat_tokens *t)
{
    free(t->items);
    *t = (struct chat_tokens){0};
}

/* Among the tokens from `low` to `high`, whose first `depth` bytes are alike,
 * the first whose next byte is not below `byte`. */
static size_t narrow(const struct chat_tokens *t, size_t low, size_t high,
                     size_t depth, unsigned byte)
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        ggk_str text = t->items[middle].text;
        if (text.len <= depth || (unsigned char)text.ptr[depth] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The longest token that `text` begins with. */
static const struct chat_token *token_at(const struct chat_tokens *t,
                                         ggk_str text)
{
    const struct chat_token *longest = NULL;
    size_t low = 0, high = t->n;

    for (size_t depth = 0; low < high && depth < text.len; depth++) {
        unsigned byte = (unsigned char)text.ptr[depth];
        low = narrow(t, low, high, depth, byte);
        high = narrow(t, low, high, depth, byte + 1);
        if (low < high && t->items[low].text.len == depth + 1)
            longest = &t->items[low];
    }
    return longest;
}

const struct chat_token *chat_tokens_next(const struct chat_tokens *t,
                                          ggk_str text, size_t *at)
{
    for (; *at < text.len; ++*at) {
        ggk_str rest = {text.ptr + *at, text.len - *at};
        const struct chat_token *token = token_at(t, rest);
        if (token == NULL)
            continue;
        *at += token->text.len;
        return token;
    }
    return NULL;
}
