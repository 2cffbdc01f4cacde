/* quantize_doubts.c - what gguf quantize is asked for, but will not do; and
 * what is probably a mistake. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "cmd/quantizing.h"
#include "known_keys.h"
#include "out/fmt.h"
#include "same.h"
#include "show.h"
#include "similar.h"

int quantize_in_vain(const struct cli *cli, const struct quantize_options *o,
                     const char *file, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (o->strict)
        msg_error(&cli->msg, file, "%s", text);
    else
        msg_warning(&cli->msg, file, "%s", text);
    return o->strict ? CLI_USAGE : CLI_DONE;
}

static int worse_of(int a, int b)
{
    return a > b ? a : b;
}

/* ----------------------------------------------------------------- patterns */

/* Tensors in whose names a pattern is found. */
struct finds {
    uint64_t n, n_kept; /* the last keep their types whatever is asked */
};

static ggk_status count_finds(const struct quantizing *q, size_t pattern,
                              struct finds *out, ggk_error *err)
{
    ggk_recipe_tensor r;
    ggk_status status = GGK_OK;

    *out = (struct finds){0, 0};
    for (uint64_t i = 0; status == GGK_OK &&
                         ggk_recipe_tensor_at(q->recipe, i, &r, NULL) == GGK_OK;
         i++) {
        bool fits;

        status = ggk_recipe_override_fits(q->recipe, pattern, i, &fits, err);
        out->n += fits;
        out->n_kept += fits && strncmp(r.reason->id, "keep.", 5) == 0;
    }
    return status;
}

/* Why a pattern decides nothing. */
static void put_why(char *out, size_t bytes, const struct finds *f)
{
    const char *have = f->n == 1 ? "has" : "have";
    const char *keep = f->n_kept == 1 ? "keeps its type" : "keep their types";
    int n;

    if (f->n == 0) {
        snprintf(out, bytes,
                 "it is found in no tensor's name (gguf tensors lists them)");
        return;
    }
    n = snprintf(out, bytes, "%" PRIu64 " tensor%s %s it in the name", f->n,
                 fmt_plural(f->n), have);
    if (n < 0 || (size_t)n >= bytes)
        return;
    out += n;
    bytes -= (size_t)n;
    if (f->n_kept == f->n)
        snprintf(out, bytes,
                 ", but %s, as norms and other small ones always "
                 "do",
                 keep);
    else if (f->n_kept > 0)
        snprintf(out, bytes,
                 ": %" PRIu64 " %s, as norms and other small ones always do, "
                 "and options before it decide the rest",
                 f->n_kept, keep);
    else
        snprintf(out, bytes, ", but options before it decide");
}

static int doubt_pattern(const struct quantizing *q, size_t i,
                         const ggk_target *target)
{
    const ggk_type_info *type = ggk_type_by_id(target->type);
    const char *pattern = q->types.items[i];
    char why[192];
    struct finds finds;
    ggk_error err;

    if (ggk_recipe_override_count(q->recipe, i) > 0)
        return CLI_DONE;
    if ((type->flags & GGK_TYPE_QUANTIZED) == 0) {
        snprintf(why, sizeof why, "none does where TYPE is F32, F16 or BF16");
    } else {
        if (count_finds(q, i, &finds, &err) != GGK_OK)
            return quantize_fail(q->cli, q->in->name, &err);
        put_why(why, sizeof why, &finds);
    }
    return quantize_in_vain(q->cli, q->options, q->in->name,
                            "--tensor-type '%.400s' decides no tensor's type: "
                            "%s",
                            pattern, why);
}

/* -------------------------------------------------- embeddings and the output
 */

/* How many tensors a rule decides. */
static uint64_t count_decided(const struct quantizing *q, const char *rule)
{
    uint64_t n = 0;
    ggk_recipe_tensor r;

    for (uint64_t i = 0; ggk_recipe_tensor_at(q->recipe, i, &r, NULL) == GGK_OK;
         i++)
        n += strcmp(r.reason->id, rule) == 0;
    return n;
}

static bool find_tensor(const struct quantizing *q, const char *name,
                        ggk_recipe_tensor *out)
{
    for (uint64_t i = 0;
         ggk_recipe_tensor_at(q->recipe, i, out, NULL) == GGK_OK; i++)
        if (str_is_name(out->name, name))
            return true;
    return false;
}

/* What to ask for where there is no output.weight; "" if that is nothing. */
static void put_instead(const struct quantizing *q,
                        const ggk_recipe_tensor *embedding, char *out,
                        size_t bytes)
{
    char type[SHOW_TYPE_BYTES];

    out[0] = '\0';
    if (embedding == NULL)
        return;
    show_tensor_type(type, q->in->model, embedding->from);
    if (q->options->leave_output)
        snprintf(out, bytes,
                 "; token_embd.weight is the output then, and "
                 "--embedding-type %s leaves it as it is",
                 type);
    else
        snprintf(out, bytes,
                 "; token_embd.weight is the output then, and "
                 "--embedding-type is for it");
}

/* The model has no output.weight; its embeddings, or NULL. */
static int doubt_tied(const struct quantizing *q,
                      const ggk_recipe_tensor *embedding)
{
    static const char none[] = "there is no output.weight";
    const struct quantize_options *o = q->options;
    char instead[160];

    put_instead(q, embedding, instead, sizeof instead);
    if (o->leave_output)
        return quantize_in_vain(q->cli, o, q->in->name,
                                "--leave-output does nothing: %s%s", none,
                                instead);
    if (o->output_type != NULL && count_decided(q, "option.output-type") == 0)
        return quantize_in_vain(q->cli, o, q->in->name,
                                "--output-type decides no tensor's type: %s%s",
                                none, instead);
    if (embedding != NULL &&
        (o->output_type != NULL || o->embedding_type != NULL))
        msg_note(&q->cli->msg, q->in->name,
                 "%s: token_embd.weight is the output, too, and both get the "
                 "type of %s",
                 none,
                 o->embedding_type != NULL ? "--embedding-type"
                                           : "--output-type");
    return CLI_DONE;
}

static int doubt_ends(const struct quantizing *q)
{
    const struct quantize_options *o = q->options;
    ggk_recipe_tensor output, embedding;
    bool has_embedding = find_tensor(q, "token_embd.weight", &embedding);
    int status = CLI_DONE;

    if (!find_tensor(q, "output.weight", &output))
        status = doubt_tied(q, has_embedding ? &embedding : NULL);
    else if (o->leave_output && o->output_type != NULL)
        status = quantize_in_vain(q->cli, o, q->in->name,
                                  "--output-type decides no tensor's type: "
                                  "--leave-output leaves output.weight as it "
                                  "is");
    if (o->embedding_type != NULL &&
        count_decided(q, "option.embedding-type") == 0)
        status = worse_of(
            status, quantize_in_vain(q->cli, o, q->in->name,
                                     "--embedding-type decides no tensor's "
                                     "type: there is no token_embd.weight"));
    return status;
}

/* --------------------------------------------------------------------- keys */

/* Kinds of values: programs take one of the same kind. */
static int kind_of(uint32_t type)
{
    switch (type) {
    case GGK_VALUE_FLOAT32:
    case GGK_VALUE_FLOAT64: return GGK_VALUE_FLOAT32;
    case GGK_VALUE_BOOL:
    case GGK_VALUE_STRING:
    case GGK_VALUE_ARRAY: return (int)type;
    default: return GGK_VALUE_UINT32;
    }
}

/* Of a key that the model has. */
static void doubt_type(const struct quantizing *q, uint64_t i, uint32_t type)
{
    char name[SHOW_TYPE_BYTES];
    ggk_kv kv;

    if (ggk_model_kv(q->in->model, i, &kv, NULL) != GGK_OK ||
        kind_of(kv.type) == kind_of(type))
        return;
    show_type_name(name, &kv);
    msg_warning(
        &q->cli->msg, q->in->name, "--override-kv: %.*s is %s, and becomes %s",
        show_most(kv.key, 200), kv.key.ptr, name, ggk_value_type_name(type));
}

/* Do two keys differ in no more than the architecture before the dot? */
static bool same_leaf(ggk_str a, ggk_str b)
{
    const char *x = memchr(a.ptr, '.', a.len), *y = memchr(b.ptr, '.', b.len);

    return x != NULL && y != NULL &&
           str_same((ggk_str){x, a.len - (size_t)(x - a.ptr)},
                    (ggk_str){y, b.len - (size_t)(y - b.ptr)});
}

/* Of one that it has not. */
static void doubt_name(const struct quantizing *q, ggk_str key, uint32_t type)
{
    char known[KNOWN_KEY_BYTES], name[VALUE_TYPE_BYTES];
    struct value_type usual;
    ggk_str near = {NULL, 0};
    bool is_known = known_key_type(key, &usual);
    bool is_near = similar_find(q->in->model, SIMILAR_KEY, key, &near);

    if (is_near && is_known && !same_leaf(key, near))
        is_near = false;
    if (!is_near && !is_known &&
        known_key_near(key, similar_architecture(q->in->model), known)) {
        near = ggk_cstr(known);
        is_near = true;
    }
    if (is_near) {
        msg_warning(&q->cli->msg, q->in->name,
                    "--override-kv adds %.*s: there is no such key (did you "
                    "mean %.*s?)",
                    show_most(key, 200), key.ptr, show_most(near, 200),
                    near.ptr);
    } else if (is_known &&
               kind_of(usual.depth > 0 ? GGK_VALUE_ARRAY : usual.leaf) !=
                   kind_of(type)) {
        value_type_name(name, usual);
        msg_warning(&q->cli->msg, q->in->name,
                    "--override-kv adds %.*s as %s, but programs expect %s",
                    show_most(key, 200), key.ptr, ggk_value_type_name(type),
                    name);
    }
}

static void doubt_keys(const struct quantizing *q)
{
    for (size_t i = 0; i < q->keys.n; i++) {
        const ggk_key_value *k = &q->keys.items[i];
        uint64_t at;

        if (ggk_model_find_kv(q->in->model, k->key, &at, NULL) == GGK_OK)
            doubt_type(q, at, k->value.type);
        else
            doubt_name(q, k->key, k->value.type);
    }
}

int quantize_doubts(const struct quantizing *q)
{
    const struct quantize_options *o = q->options;
    int status = CLI_DONE;
    ggk_recipe_total sum;

    ggk_recipe_sum(q->recipe, &sum);
    doubt_keys(q);
    for (size_t i = 0; i < q->types.n; i++)
        status = worse_of(status, doubt_pattern(q, i, sum.target));
    status = worse_of(status, doubt_ends(q));
    if (o->recipe_from != NULL && count_decided(q, "option.recipe-from") == 0)
        status = worse_of(
            status, quantize_in_vain(q->cli, o, o->recipe_from,
                                     "no type of its tensors is taken: are "
                                     "they those of another model?"));
    return status;
}
