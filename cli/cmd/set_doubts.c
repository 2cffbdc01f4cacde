/* set_doubts.c - what gguf set is asked for and is surely a mistake. */
#include "cmd/set_doubts.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "known_keys.h"
#include "out/fmt.h"

/* ------------------------------------------------------------------- tokens */

/* The task of the token that the key names: "eos"; NULL if it names none. */
static const char *task_of(ggk_str key)
{
    const char *name;

    for (size_t i = 0; (name = known_token_name(i)) != NULL; i++) {
        const char *other = known_token_key(name);

        if (strlen(other) == key.len && memcmp(other, key.ptr, key.len) == 0)
            return name;
    }
    return NULL;
}

static bool number_of(const struct set_request *r, uint64_t *out)
{
    struct json_in_integer n;

    if (r->from == SET_TEXT)
        return fmt_parse_u64(r->text, out) == FMT_PARSED;
    if (r->from != SET_JSON || json_in_kind(r->json) != JSON_IN_INTEGER)
        return false;
    n = json_in_integer(r->json);
    *out = n.u;
    return !n.negative;
}

/* How many tokens there are; false if that is not known, as where they are to
 * change as well. */
static bool count_tokens(const struct edit *e, const struct set_requests *all,
                         uint64_t *out)
{
    static const char tokens[] = "tokenizer.ggml.tokens";
    uint64_t i;
    ggk_kv kv;

    for (size_t k = 0; k < all->n; k++)
        if (all->at[k].key.len == sizeof tokens - 1 &&
            memcmp(all->at[k].key.ptr, tokens, sizeof tokens - 1) == 0 &&
            all->at[k].what != SET_ELEMENT)
            return false;
    if (ggk_model_find_kv(e->in.model, ggk_cstr(tokens), &i, NULL) != GGK_OK ||
        ggk_model_kv(e->in.model, i, &kv, NULL) != GGK_OK ||
        kv.type != GGK_VALUE_ARRAY)
        return false;
    *out = kv.n;
    return true;
}

static bool is_past_tokens(const struct edit *e, const struct set_requests *all,
                           const struct set_request *r)
{
    const char *task = task_of(r->key);
    uint64_t id, n;

    if (task == NULL || r->what != SET_WHOLE || !number_of(r, &id) ||
        !count_tokens(e, all, &n) || id < n)
        return false;
    edit_refuse(e, r->key,
                "there is no token %" PRIu64 ": the vocabulary has %" PRIu64
                ", counted from 0; --token %s=TEXT finds one by its text "
                "(--force sets the number)",
                id, n, task);
    return true;
}

/* ---------------------------------------------------------------- templates */

static bool begins(ggk_str s, const char *with)
{
    size_t n = strlen(with);

    return s.len >= n && memcmp(s.ptr, with, n) == 0;
}

/* A file that is there, or would be of a template if it was. */
static bool names_file(const char *text)
{
    static const char ending[] = ".jinja";
    size_t n = strlen(text), end = sizeof ending - 1;
    struct stat st;

    return (stat(text, &st) == 0 && S_ISREG(st.st_mode)) ||
           (n > end && strcmp(text + n - end, ending) == 0 &&
            strpbrk(text, "{}\n") == NULL);
}

/* "template.jinja", and "@template.jinja" as other programs take it. */
static bool is_file_for_template(const struct edit *e,
                                 const struct set_request *r)
{
    const char *path = r->text;
    char key[64];

    if (r->from != SET_TEXT || !begins(r->key, "tokenizer.chat_template") ||
        r->what != SET_WHOLE)
        return false;
    path += *path == '@' && names_file(path + 1);
    if (!names_file(path))
        return false;
    snprintf(key, sizeof key, "%.*s", (int)r->key.len, r->key.ptr);
    edit_refuse(e, r->key,
                "\"%.100s\" is the name of a file and no template; --file "
                "%s=%.100s takes its text (--force sets the name)",
                r->text, key, path);
    return true;
}

bool set_doubts(const struct edit *e, const struct set_requests *all,
                const struct set_request *r)
{
    return !e->cli->global.force &&
           (is_past_tokens(e, all, r) || is_file_for_template(e, r));
}
