/* vocabulary.c - the tokens of a model, and what is told about each. */
#include "vocabulary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "out/fmt.h"
#include "same.h"
#include "show.h"

/* ------------------------------------------------------------------ arrays */

static bool is_signed(uint32_t type)
{
    return type == GGK_VALUE_INT8 || type == GGK_VALUE_INT16 ||
           type == GGK_VALUE_INT32 || type == GGK_VALUE_INT64;
}

static bool is_integer(uint32_t type)
{
    return is_signed(type) || type == GGK_VALUE_UINT8 ||
           type == GGK_VALUE_UINT16 || type == GGK_VALUE_UINT32 ||
           type == GGK_VALUE_UINT64;
}

static bool is_number(uint32_t type)
{
    return is_integer(type) || type == GGK_VALUE_FLOAT32 ||
           type == GGK_VALUE_FLOAT64;
}

static bool is_string(uint32_t type)
{
    return type == GGK_VALUE_STRING;
}

/* Index the array of that key, if its elements are of the right kind: else
 * GGK_E_TYPE. */
static ggk_status index_array(const ggk_model *model, const char *key,
                              bool (*is_right)(uint32_t type), ggk_index **out,
                              ggk_error *err)
{
    uint64_t i;
    ggk_kv kv;
    ggk_status status = ggk_model_find_kv(model, ggk_cstr(key), &i, err);

    *out = NULL;
    if (status == GGK_OK)
        status = ggk_model_kv(model, i, &kv, err);
    if (status != GGK_OK)
        return status;
    if (kv.type != GGK_VALUE_ARRAY || !is_right(kv.elem_type))
        return GGK_E_TYPE;
    return ggk_index_new(model, i, out, err);
}

/* The tokens, or the merges: the model may have none. */
static ggk_status take_strings(const ggk_model *model, const char *key,
                               ggk_index **out, ggk_error *err)
{
    ggk_status status = index_array(model, key, is_string, out, err);

    return status == GGK_E_NOT_FOUND || status == GGK_E_TYPE ? GGK_OK : status;
}

/* What an array is that should have an element for each token. */
struct beside {
    const char *key;
    const char *kind;
    bool (*is_right)(uint32_t type);
    const char *bad_type, *bad_length; /* names of notes */
};

static const struct beside vocab_scores = {"tokenizer.ggml.scores", "numbers",
                                           is_number, "scores-type",
                                           "scores-length"};
static const struct beside vocab_types = {"tokenizer.ggml.token_type",
                                          "integers", is_integer, "types-type",
                                          "types-length"};

static ggk_status take_beside(const ggk_model *model, struct vocabulary *v,
                              const struct beside *what, ggk_index **out,
                              ggk_error *err)
{
    struct vocab_note *note = &v->notes[v->n_notes];
    ggk_status status = index_array(model, what->key, what->is_right, out, err);

    if (status == GGK_E_NOT_FOUND)
        return GGK_OK;
    if (status == GGK_E_TYPE || status == GGK_E_DUPLICATE) {
        note->name = what->bad_type;
        snprintf(note->text, sizeof note->text,
                 status == GGK_E_TYPE
                     ? "%s is no array of %s, and is not shown"
                     : "there are several keys %s, none of which is shown",
                 what->key, what->kind);
        v->n_notes++;
        return GGK_OK;
    }
    if (status == GGK_OK && ggk_index_count(*out) != vocabulary_count(v)) {
        note->name = what->bad_length;
        snprintf(note->text, sizeof note->text,
                 "%s has %" PRIu64 " element%s, but there are %" PRIu64
                 " tokens",
                 what->key, ggk_index_count(*out),
                 fmt_plural(ggk_index_count(*out)), vocabulary_count(v));
        v->n_notes++;
    }
    return status;
}

/* ------------------------------------------------------------------- tasks */

/* "bos" of tokenizer.ggml.bos_token_id; empty if it is another key. */
static ggk_str task_of_key(ggk_str key)
{
    static const char before[] = "tokenizer.ggml.", after[] = "_token_id";
    static const char misspelt[] = "seperator_token_id"; /* by ggml itself */
    const size_t n_before = sizeof before - 1, n_after = sizeof after - 1;

    if (key.len > 0 && key.ptr[key.len - 1] == '\0') /* see ggk_model_find_kv */
        key.len--;
    if (key.len <= n_before + n_after ||
        memcmp(key.ptr, before, n_before) != 0 ||
        memcmp(key.ptr + key.len - n_after, after, n_after) != 0)
        return (ggk_str){NULL, 0};
    key = (ggk_str){key.ptr + n_before, key.len - n_before};
    if (str_is(key, misspelt))
        return ggk_cstr("separator");
    key.len -= n_after;
    return key;
}

/* The task that key-value `i` gives to a token; false if it gives none: a
 * negative id means that no token has the task. */
static bool take_task(const ggk_model *model, uint64_t i,
                      struct vocab_task *out)
{
    ggk_kv kv;
    ggk_walk walk;
    ggk_value value;

    if (ggk_model_kv(model, i, &kv, NULL) != GGK_OK || !is_integer(kv.type))
        return false;
    out->name = task_of_key(kv.key);
    if (out->name.len == 0 || ggk_walk_start(model, i, &walk, NULL) != GGK_OK ||
        ggk_walk_next(&walk, &value) != GGK_WALK_VALUE ||
        (is_signed(kv.type) && value.as.i < 0))
        return false;
    out->id = is_signed(kv.type) ? (uint64_t)value.as.i : value.as.u;
    out->kv = i;
    return true;
}

/* By id, then in file order. */
static int compare_tasks(const void *a, const void *b)
{
    const struct vocab_task *x = a, *y = b;

    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->kv > y->kv) - (x->kv < y->kv);
}

static ggk_status take_tasks(const ggk_model *model, struct vocabulary *v,
                             ggk_error *err)
{
    uint64_t n_kv = ggk_model_n_kv(model);
    size_t n = 0;
    struct vocab_task task;

    for (uint64_t i = 0; i < n_kv; i++)
        n += take_task(model, i, &task);
    if (n == 0)
        return GGK_OK;
    v->tasks = calloc(n, sizeof *v->tasks);
    if (v->tasks == NULL)
        return show_no_memory(err);
    for (uint64_t i = 0; i < n_kv && v->n_tasks < n; i++)
        v->n_tasks += take_task(model, i, &v->tasks[v->n_tasks]);
    qsort(v->tasks, v->n_tasks, sizeof *v->tasks, compare_tasks);
    return GGK_OK;
}

/* The first of the tasks whose token is not before `id`. */
static size_t first_task(const struct vocabulary *v, uint64_t id)
{
    size_t low = 0, high = v->n_tasks;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (v->tasks[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* -------------------------------------------------------------- vocabulary */

ggk_status vocabulary_open(const ggk_model *model, struct vocabulary *out,
                           ggk_error *err)
{
    ggk_status status;

    *out = (struct vocabulary){0};
    status = take_strings(model, "tokenizer.ggml.tokens", &out->tokens, err);
    if (status == GGK_OK)
        status =
            take_strings(model, "tokenizer.ggml.merges", &out->merges, err);
    if (status == GGK_OK)
        status = take_beside(model, out, &vocab_scores, &out->scores, err);
    if (status == GGK_OK)
        status = take_beside(model, out, &vocab_types, &out->types, err);
    if (status == GGK_OK)
        status = take_tasks(model, out, err);
    if (status != GGK_OK)
        vocabulary_close(out);
    return status;
}

void vocabulary_close(struct vocabulary *v)
{
    ggk_index_free(v->tokens);
    ggk_index_free(v->scores);
    ggk_index_free(v->types);
    ggk_index_free(v->merges);
    free(v->tasks);
    *v = (struct vocabulary){0};
}

uint64_t vocabulary_count(const struct vocabulary *v)
{
    return v->tokens != NULL ? ggk_index_count(v->tokens) : 0;
}

/* Element `id` of an array, if it has one. */
static ggk_status take_element(const ggk_index *index, uint64_t id,
                               ggk_value *out, bool *has, ggk_error *err)
{
    *has = index != NULL && id < ggk_index_count(index);
    return *has ? ggk_index_get(index, id, out, err) : GGK_OK;
}

ggk_status vocabulary_token(const struct vocabulary *v, uint64_t id,
                            struct vocab_token *out, ggk_error *err)
{
    ggk_value text = {0}, type = {0};
    ggk_status status;
    size_t task = first_task(v, id);

    *out = (struct vocab_token){.id = id};
    if (v->n_tasks > 0)
        out->tasks = v->tasks + task;
    while (task + out->n_tasks < v->n_tasks &&
           v->tasks[task + out->n_tasks].id == id)
        out->n_tasks++;
    status = take_element(v->tokens, id, &text, &out->has_text, err);
    if (status == GGK_OK && out->has_text)
        status = take_element(v->scores, id, &out->score, &out->has_score, err);
    if (status == GGK_OK && out->has_text)
        status = take_element(v->types, id, &type, &out->has_type, err);
    if (out->has_text)
        out->text = text.as.s;
    if (out->has_type)
        out->type = is_signed(type.type) ? type.as.i : (int64_t)type.as.u;
    return status;
}

bool vocabulary_is_special(const struct vocab_token *token)
{
    return token->n_tasks > 0 ||
           (token->has_type && token->type == VOCAB_CONTROL);
}

const char *vocabulary_type_name(int64_t type)
{
    static const char *const names[] = {
        [VOCAB_NORMAL] = "normal",   [VOCAB_UNKNOWN] = "unknown",
        [VOCAB_CONTROL] = "control", [VOCAB_USER_DEFINED] = "user-defined",
        [VOCAB_UNUSED] = "unused",   [VOCAB_BYTE] = "byte",
    };

    return type >= VOCAB_NORMAL && type <= VOCAB_BYTE ? names[type] : NULL;
}
