/* similar.c - what a name that a model does not have was probably meant to be.
 */
#include "similar.h"

#include <stdio.h>
#include <string.h>

#include "same.h"
#include "show.h"
#include "ui/opt.h"

#define COMPARED_MOST 8192 /* names, letter by letter */

static uint64_t count(const ggk_model *model, enum similar_what what)
{
    return what == SIMILAR_TENSOR ? ggk_model_n_tensors(model)
                                  : ggk_model_n_kv(model);
}

static bool name_of(const ggk_model *model, enum similar_what what, uint64_t i,
                    ggk_str *out)
{
    ggk_kv kv;
    ggk_tensor t;

    if (what == SIMILAR_TENSOR) {
        if (ggk_model_tensor(model, i, &t, NULL) != GGK_OK)
            return false;
        *out = t.name;
    } else {
        if (ggk_model_kv(model, i, &kv, NULL) != GGK_OK)
            return false;
        *out = kv.key;
    }
    return true;
}

/* "context_length" is the end of "llama.context_length". */
static bool is_end_of(ggk_str word, ggk_str name)
{
    return word.len > 0 && name.len > word.len &&
           name.ptr[name.len - word.len - 1] == '.' &&
           memcmp(name.ptr + name.len - word.len, word.ptr, word.len) == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "blk.1.attn_q" and "blk.2.attn_k": a slip of letters leaves digits alone. */
static bool same_digits(ggk_str a, ggk_str b)
{
    size_t i = 0, k = 0;

    for (;;) {
        while (i < a.len && !is_digit(a.ptr[i]))
            i++;
        while (k < b.len && !is_digit(b.ptr[k]))
            k++;
        if (i == a.len || k == b.len)
            return i == a.len && k == b.len;
        if (a.ptr[i++] != b.ptr[k++])
            return false;
    }
}

void similar_start(struct similar *s, ggk_str word)
{
    *s = (struct similar){.word = word, .best = 2 + word.len / 8};
}

bool similar_try(struct similar *s, ggk_str name)
{
    ggk_str word = s->word;
    size_t distance;

    if (word.len < 3 || s->compared == COMPARED_MOST)
        return false;
    if (name.len + s->best <= word.len || word.len + s->best <= name.len ||
        !same_digits(word, name))
        return true;
    s->compared++;
    distance = opt_distance(word.ptr, word.len, name.ptr, name.len);
    if (distance < s->best) {
        s->best = distance;
        s->name = name;
    }
    return true;
}

bool similar_find(const ggk_model *model, enum similar_what what, ggk_str word,
                  ggk_str *out)
{
    uint64_t n = count(model, what);
    struct similar s;
    ggk_str name;

    similar_start(&s, word);
    for (uint64_t i = 0; i < n && name_of(model, what, i, &name); i++) {
        if (word.len >= 3 && is_end_of(word, name)) {
            s.name = name;
            break;
        }
        if (!similar_try(&s, name))
            break;
    }
    *out = s.name;
    return s.name.ptr != NULL;
}

const char *similar_hint(const ggk_model *model, enum similar_what what,
                         ggk_str word, char text[SIMILAR_BYTES])
{
    ggk_str name;

    text[0] = '\0';
    if (similar_find(model, what, word, &name))
        snprintf(text, SIMILAR_BYTES, " (did you mean \"%.*s\"?)",
                 show_most(name, 200), name.ptr);
    return text;
}

bool similar_is_other(const ggk_model *model, enum similar_what what,
                      ggk_str word)
{
    enum similar_what other =
        what == SIMILAR_TENSOR ? SIMILAR_KEY : SIMILAR_TENSOR;
    uint64_t n = count(model, other);
    char pattern[SIMILAR_BYTES];
    ggk_str name;

    /* Whoever means all means no certain one. */
    if (word.len == 0 || word.len >= sizeof pattern || str_is(word, "*"))
        return false;
    memcpy(pattern, word.ptr, word.len);
    pattern[word.len] = '\0';
    for (uint64_t i = 0; i < n && name_of(model, other, i, &name); i++)
        if (str_same(name, word) || show_matches(pattern, name))
            return true;
    return false;
}

const char *similar_edit_hint(const ggk_model *model, enum similar_what what,
                              ggk_str word, char text[SIMILAR_BYTES])
{
    if (!similar_is_other(model, what, word))
        return similar_hint(model, what, word, text);
    snprintf(text, SIMILAR_BYTES, " (%s)",
             what == SIMILAR_KEY ? "a tensor has it: give --tensor"
                                 : "a key has it: leave --tensor out");
    return text;
}

ggk_str similar_architecture(const ggk_model *model)
{
    ggk_str name;

    return ggk_model_get_str(model, ggk_cstr("general.architecture"), &name,
                             NULL) == GGK_OK
               ? name
               : (ggk_str){NULL, 0};
}
