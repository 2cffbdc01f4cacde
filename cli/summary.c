/* summary.c - gathers what `gguf info` tells. */
#include "summary.h"

#include <stdlib.h>
#include <string.h>

/* Sums that a hostile header would wrap stay at the largest number. */
static void add_up(uint64_t *sum, uint64_t n)
{
    *sum = n > UINT64_MAX - *sum ? UINT64_MAX : *sum + n;
}

/* ------------------------------------------------------------------- files */

static ggk_status take_files(const struct input *in, struct summary *s,
                             ggk_error *err)
{
    s->n_files = ggk_model_n_files(in->model);
    s->n_kv = ggk_model_n_kv(in->model);
    s->n_tensors = ggk_model_n_tensors(in->model);
    for (uint32_t i = 0; i < s->n_files; i++) {
        ggk_file f;
        ggk_status status = ggk_model_file(in->model, i, &f, err);
        if (status != GGK_OK)
            return status;
        if (i == 0)
            s->file = f;
        if (f.size == GGK_SIZE_UNKNOWN || s->size == GGK_SIZE_UNKNOWN)
            s->size = GGK_SIZE_UNKNOWN;
        else
            add_up(&s->size, f.size);
    }
    return GGK_OK;
}

/* -------------------------------------------------------------- key-values */

static void take_space(const struct input *in, struct summary *s)
{
    uint64_t n = ggk_model_n_kv(in->model);

    s->has_space = n > 0 && ggk_model_kv_is_space(in->model, n - 1);
    s->space_bytes = ggk_model_space(in->model, 0);
}

static void take_architecture(const struct input *in, struct summary *s)
{
    if (ggk_model_get_str(in->model, ggk_cstr("general.architecture"), &s->arch,
                          NULL) == GGK_OK &&
        s->arch.len > 0)
        s->prefix_len = s->arch.len + 1;
    s->has_file_type =
        ggk_model_get_u64(in->model, ggk_cstr("general.file_type"),
                          &s->file_type, NULL) == GGK_OK;
}

bool summary_is_parameter(const struct summary *s, ggk_str key)
{
    return s->prefix_len > 0 && key.len > s->prefix_len &&
           key.ptr[s->prefix_len - 1] == '.' &&
           memcmp(key.ptr, s->arch.ptr, s->arch.len) == 0;
}

/* The array key of that name; its length is 0 if there is none. */
static uint64_t find_array(const struct input *in, const char *name,
                           uint64_t *n)
{
    uint64_t i;
    ggk_kv kv;

    *n = 0;
    if (ggk_model_find_kv(in->model, ggk_cstr(name), &i, NULL) != GGK_OK ||
        ggk_model_kv(in->model, i, &kv, NULL) != GGK_OK ||
        kv.type != GGK_VALUE_ARRAY)
        return GGK_NONE;
    *n = kv.n;
    return i;
}

/* The text of a token, if the vocabulary has it. */
static void take_token_text(const struct input *in, uint64_t tokens_kv,
                            struct summary_token *t)
{
    ggk_value value;
    ggk_walk walk;

    if (tokens_kv == GGK_NONE ||
        ggk_walk_start(in->model, tokens_kv, &walk, NULL) != GGK_OK ||
        ggk_walk_next(&walk, &value) != GGK_WALK_OPEN ||
        ggk_walk_skip(&walk, t->id) != t->id ||
        ggk_walk_next(&walk, &value) != GGK_WALK_VALUE ||
        value.type != GGK_VALUE_STRING)
        return;
    t->has_text = true;
    t->text = value.as.s;
}

static void take_special(const struct input *in, struct summary *s,
                         uint64_t tokens_kv)
{
    static const struct {
        const char *name, *key;
    } specials[] = {
        {"bos", "tokenizer.ggml.bos_token_id"},
        {"eos", "tokenizer.ggml.eos_token_id"},
        {"eot", "tokenizer.ggml.eot_token_id"},
        {"eom", "tokenizer.ggml.eom_token_id"},
        {"unknown", "tokenizer.ggml.unknown_token_id"},
        {"separator", "tokenizer.ggml.seperator_token_id"}, /* sic, in ggml */
        {"padding", "tokenizer.ggml.padding_token_id"},
        {"cls", "tokenizer.ggml.cls_token_id"},
        {"mask", "tokenizer.ggml.mask_token_id"},
    };

    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++) {
        struct summary_token *t = &s->special[s->n_special];
        *t = (struct summary_token){.name = specials[i].name};
        if (ggk_model_get_u64(in->model, ggk_cstr(specials[i].key), &t->id,
                              NULL) != GGK_OK)
            continue;
        take_token_text(in, tokens_kv, t);
        s->n_special++;
    }
}

/* The default chat template, any that repeats it, and those with names. */
static bool is_template(ggk_str key)
{
    static const char name[] = "tokenizer.chat_template";
    const size_t len = sizeof name - 1;

    return key.len >= len && memcmp(key.ptr, name, len) == 0 &&
           (key.len == len || key.ptr[len] == '.' ||
            (key.len == len + 1 && key.ptr[len] == '\0'));
}

static uint64_t count_templates(const struct input *in, uint64_t n_kv)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < n_kv; i++) {
        ggk_kv kv;
        n += ggk_model_kv(in->model, i, &kv, NULL) == GGK_OK &&
             is_template(kv.key);
    }
    return n;
}

static void take_tokenizer(const struct input *in, struct summary *s)
{
    uint64_t tokens_kv = find_array(in, "tokenizer.ggml.tokens", &s->n_tokens);
    ggk_str model;

    find_array(in, "tokenizer.ggml.merges", &s->n_merges);
    s->has_tokenizer =
        tokens_kv != GGK_NONE ||
        ggk_model_get_str(in->model, ggk_cstr("tokenizer.ggml.model"), &model,
                          NULL) == GGK_OK;
    s->has_template =
        ggk_model_get_str(in->model, ggk_cstr("tokenizer.chat_template"),
                          &s->template, NULL) == GGK_OK;
    s->n_templates = count_templates(in, s->n_kv);
    s->has_tokenizer = s->has_tokenizer || s->n_templates > 0;
    take_special(in, s, tokens_kv);
}

/* ----------------------------------------------------------------- tensors */

static struct summary_type *type_of(const struct input *in, struct summary *s,
                                    uint32_t id)
{
    struct summary_type *types;

    for (size_t i = 0; i < s->n_types; i++)
        if (s->types[i].id == id)
            return &s->types[i];
    if (s->n_types == SUMMARY_MAX_TYPES) /* the rest counts as one */
        return &s->types[SUMMARY_MAX_TYPES - 1];
    types = realloc(s->types, (s->n_types + 1) * sizeof *types);
    if (types == NULL)
        return NULL;
    s->types = types;
    types += s->n_types++;
    *types = (struct summary_type){.id = id};
    if (s->n_types == SUMMARY_MAX_TYPES)
        snprintf(types->name, sizeof types->name, "others");
    else
        show_tensor_type(types->name, in->model, id);
    return types;
}

static ggk_status fail_memory(ggk_error *err)
{
    *err = (ggk_error){.status = GGK_E_NOMEM,
                       .offset = GGK_NO_OFFSET,
                       .what = "out of memory"};
    return GGK_E_NOMEM;
}

static ggk_status take_tensors(const struct input *in, struct summary *s,
                               ggk_error *err)
{
    for (uint64_t i = 0; i < s->n_tensors; i++) {
        struct summary_type *type;
        ggk_tensor t;
        ggk_status status = ggk_model_tensor(in->model, i, &t, err);

        if (status != GGK_OK)
            return status;
        type = type_of(in, s, t.type);
        if (type == NULL)
            return fail_memory(err);
        if (t.bytes == GGK_SIZE_UNKNOWN)
            t.bytes = 0;
        type->tensors++;
        add_up(&type->parameters, t.n_elements);
        add_up(&type->bytes, t.bytes);
        add_up(&s->parameters, t.n_elements);
        add_up(&s->tensor_bytes, t.bytes);
        if (!t.opaque) {
            add_up(&s->sized_parameters, t.n_elements);
            add_up(&s->sized_bytes, t.bytes);
        }
    }
    return GGK_OK;
}

/* The most bytes first; then by id. */
static int compare_types(const void *a, const void *b)
{
    const struct summary_type *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

double summary_bits_per_weight(const struct summary *s)
{
    return 8.0 * (double)s->sized_bytes / (double)s->sized_parameters;
}

ggk_status summary_make(const struct input *in, struct summary *out,
                        ggk_error *err)
{
    ggk_status status;

    *out = (struct summary){0};
    status = take_files(in, out, err);
    if (status == GGK_OK) {
        take_space(in, out);
        take_architecture(in, out);
        take_tokenizer(in, out);
        status = take_tensors(in, out, err);
    }
    if (status != GGK_OK) {
        summary_free(out);
        return status;
    }
    if (out->n_types > 1)
        qsort(out->types, out->n_types, sizeof *out->types, compare_types);
    return GGK_OK;
}

void summary_free(struct summary *s)
{
    free(s->types);
    s->types = NULL;
}
