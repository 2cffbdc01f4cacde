/* set_doubts.c - what gguf set is asked for and is surely a mistake. */
#include "cmd/set_doubts.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "known_keys.h"
#include "out/fmt.h"
#include "same.h"

/* ------------------------------------------------------------------- tokens */

#define TOKENS "tokenizer.ggml.tokens"
#define TYPES  "tokenizer.ggml.token_type"

const char *set_doubts_task(ggk_str key)
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

/* Is the array to get other elements, in another number? */
static bool is_resized(const struct set_requests *all, const char *key)
{
    for (size_t i = 0; i < all->n; i++)
        if (str_is_name(all->at[i].key, key) && all->at[i].what != SET_ELEMENT)
            return true;
    return false;
}

/* How many tokens there are; false if that is not known, as where they are to
 * change as well. */
static bool count_tokens(const struct edit *e, const struct set_requests *all,
                         uint64_t *out)
{
    uint64_t i;
    ggk_kv kv;

    if (is_resized(all, TOKENS) ||
        ggk_model_find_kv(e->in.model, ggk_cstr(TOKENS), &i, NULL) != GGK_OK ||
        ggk_model_kv(e->in.model, i, &kv, NULL) != GGK_OK ||
        kv.type != GGK_VALUE_ARRAY)
        return false;
    *out = kv.n;
    return true;
}

#define TYPE_NORMAL 1 /* of a token: ordinary text */

/* Is the token typed as ordinary text? */
static bool is_ordinary(const struct edit *e, uint64_t id)
{
    uint64_t i;
    ggk_walk walk;
    ggk_value v;

    return ggk_model_find_kv(e->in.model, ggk_cstr(TYPES), &i, NULL) ==
               GGK_OK &&
           ggk_walk_start(e->in.model, i, &walk, NULL) == GGK_OK &&
           ggk_walk_next(&walk, &v) == GGK_WALK_OPEN &&
           v.type == GGK_VALUE_INT32 && ggk_walk_skip(&walk, id) == id &&
           ggk_walk_next(&walk, &v) == GGK_WALK_VALUE && v.as.i == TYPE_NORMAL;
}

static void warn_of_ordinary(const struct edit *e,
                             const struct set_requests *all,
                             const struct set_request *r)
{
    const char *task = set_doubts_task(r->key);
    uint64_t id;

    for (size_t i = 0; i < all->n; i++)
        if (str_is_name(all->at[i].key, TYPES))
            return;
    if (task != NULL && r->what == SET_WHOLE && number_of(r, &id) &&
        is_ordinary(e, id))
        msg_warning(&e->cli->msg, e->in.name,
                    "%.*s: token %" PRIu64
                    " is ordinary text to the tokenizer, not a special token",
                    (int)r->key.len, r->key.ptr, id);
}

/* The elements that an array has in the end; false if there is none. */
static bool count_planned(const struct edit *e, const char *key, uint64_t *out)
{
    ggk_model *view;
    ggk_kv kv;
    bool counted;

    if (ggk_plan_view_kv(e->plan, 0, ggk_cstr(key), &view, NULL) != GGK_OK)
        return false;
    counted = ggk_model_kv(view, 0, &kv, NULL) == GGK_OK &&
              kv.type == GGK_VALUE_ARRAY;
    *out = counted ? kv.n : 0;
    ggk_model_close(view);
    return counted;
}

void set_doubts_lengths(const struct edit *e, const struct set_requests *all)
{
    static const char *const others[] = {TYPES, "tokenizer.ggml.scores"};
    bool tokens = is_resized(all, TOKENS);
    uint64_t n, n_tokens;

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if ((tokens || is_resized(all, others[i])) &&
            count_planned(e, TOKENS, &n_tokens) &&
            count_planned(e, others[i], &n) && n != n_tokens)
            msg_warning(&e->cli->msg, e->in.name,
                        "%s: it has %" PRIu64 " element%s, for %" PRIu64
                        " tokens",
                        others[i], n, fmt_plural(n), n_tokens);
}

static bool is_past_tokens(const struct edit *e, const struct set_requests *all,
                           const struct set_request *r)
{
    const char *task = set_doubts_task(r->key);
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
    if (!e->cli->global.force &&
        (is_past_tokens(e, all, r) || is_file_for_template(e, r)))
        return true;
    warn_of_ordinary(e, all, r);
    return false;
}
