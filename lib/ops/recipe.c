/* recipe.c - recipes: which type each tensor of a model gets, in which order
 * they are written, and what keeps them from it. */
#include "ops/recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/finite.h"
#include "base/mem.h"
#include "base/str.h"
#include "format/types.h"
#include "model/fallback.h"
#include "model/model.h"
#include "model/params.h"

/* A tensor, and where it stands. */
struct recipe_item {
    ggk_recipe_tensor plan;
    ggk_str name; /* that it will have, without a NUL at its end */
    ggk_str was;  /* and that it has */
    enum ggki_role role;
    uint64_t rank; /* its layer + 1; 0: it is in none */
    uint32_t file; /* and where in the model it is */
    uint64_t off;
    uint64_t ne[GGK_MAX_DIMS];
    uint32_t n_dims;
};

struct ggk_recipe {
    const ggk_model *model;
    struct ggki_recipe_options options;
    struct recipe_item *items;
    uint64_t n_items, n_room;
    ggk_recipe_type *types; /* has room for one for each item */
    size_t n_types;
    ggk_recipe_total total;
};

/* ------------------------------------------------------------------ tensors */

/* Fill the place of a tensor in the model into an error. */
static ggk_status blame_tensor(const ggk_recipe *recipe, ggk_error *err,
                               ggk_status status, uint64_t tensor,
                               const char *field)
{
    ggk_tensor t;

    if (err == NULL ||
        ggk_model_tensor(recipe->model, tensor, &t, NULL) != GGK_OK)
        return status;
    err->offset = t.info_off;
    snprintf(err->where, sizeof err->where, "tensor[%llu]%s",
             (unsigned long long)(tensor -
                                  recipe->model->files[t.file].first_tensor),
             field);
    if (recipe->model->n_files > 1)
        ggki_err_set_file(err, recipe->model->files[t.file].path);
    return status;
}

static ggk_status take_tensor(ggk_recipe *recipe, uint64_t i, ggk_error *err)
{
    struct recipe_item *item = &recipe->items[i];
    ggk_tensor t;
    ggk_status status = ggk_model_tensor(recipe->model, i, &t, err);
    uint64_t layer;

    if (status != GGK_OK)
        return status;
    if (t.bytes == GGK_SIZE_UNKNOWN) {
        ggki_fail(err, GGK_E_UNSUPPORTED,
                  "where the file ends is not known, nor how long its last "
                  "tensor is");
        return blame_tensor(recipe, err, GGK_E_UNSUPPORTED, i, "");
    }
    item->was = t.name;
    if (t.name.len > 0 && t.name.ptr[t.name.len - 1] == '\0')
        item->was.len--;
    item->name = item->was;
    item->role = ggki_role_of(item->name);
    item->rank = ggki_layer_of(item->name, &layer) ? sat_add64(layer, 1) : 0;
    memcpy(item->ne, t.ne, sizeof item->ne);
    item->n_dims = t.n_dims;
    item->file = t.file;
    item->off = t.data_off;
    item->plan.tensor = i;
    item->plan.name = t.name;
    item->plan.from = t.type;
    item->plan.n_elements = t.n_elements;
    item->plan.from_bytes = t.bytes;
    item->plan.override = GGK_NONE;
    item->plan.importances = GGK_NONE;
    return GGK_OK;
}

static int compare_names(const void *a, const void *b)
{
    const struct recipe_item *x = a, *y = b;
    size_t n = x->name.len < y->name.len ? x->name.len : y->name.len;
    int order;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    order = n > 0 ? memcmp(x->name.ptr, y->name.ptr, n) : 0;
    if (order != 0)
        return order;
    return (x->name.len > y->name.len) - (x->name.len < y->name.len);
}

static int compare_places(const void *a, const void *b)
{
    const struct recipe_item *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->off != y->off)
        return x->off < y->off ? -1 : 1;
    return (x->plan.tensor > y->plan.tensor) -
           (x->plan.tensor < y->plan.tensor);
}

/* Do two tensors share a name? They are sorted by that. */
static ggk_status find_repeated(const ggk_recipe *recipe, ggk_error *err)
{
    for (uint64_t i = 1; i < recipe->n_items; i++) {
        const struct recipe_item *item = &recipe->items[i];
        uint64_t a = item[-1].plan.tensor, b = item->plan.tensor;

        if (compare_names(item - 1, item) != 0)
            continue;
        ggki_fail(err, GGK_E_DUPLICATE,
                  "another tensor has the same name, and only one of them "
                  "would be found by it");
        return blame_tensor(recipe, err, GGK_E_DUPLICATE, a > b ? a : b,
                            ".name");
    }
    return GGK_OK;
}

/* Leave out the layers that are to go, and number the others anew. Tensors are
 * sorted by layer. */
static ggk_status prune(ggk_recipe *recipe, ggk_error *err)
{
    struct ggki_pruning *p = &recipe->options.pruning;
    uint64_t n = 0;

    if (p->n == 0)
        return GGK_OK;
    if (ggki_is_part(recipe->model))
        return ggki_pruning_refuse_part(err);
    for (uint64_t i = 0; i < recipe->n_items; i++)
        p->name_bytes += recipe->items[i].was.len;
    for (uint64_t i = 0; i < recipe->n_items; i++) {
        struct recipe_item *item = &recipe->items[i];
        bool stays;
        ggk_status status = ggki_pruning_next(&recipe->model->mem, p, item->was,
                                              &item->name, &stays, err);

        if (status != GGK_OK)
            return blame_tensor(recipe, err, status, item->plan.tensor,
                                ".name");
        if (item->name.ptr != item->was.ptr)
            item->plan.name = item->name;
        if (stays)
            recipe->items[n++] = *item;
    }
    recipe->total.n_pruned = recipe->n_items - n;
    recipe->n_items = n;
    return ggki_pruning_check(p, err);
}

static ggk_status take_tensors(ggk_recipe *recipe, ggk_error *err)
{
    const ggk_model *model = recipe->model;
    uint64_t n = model->n_tensors;
    ggk_status status = GGK_OK;

    if (n == 0)
        return ggki_pruning_check(&recipe->options.pruning, err);
    if (n > SIZE_MAX / sizeof *recipe->items)
        return ggki_fail_memory(err);
    recipe->items =
        ggki_mem_zero(&model->mem, (size_t)n * sizeof *recipe->items);
    recipe->types =
        ggki_mem_zero(&model->mem, (size_t)n * sizeof *recipe->types);
    recipe->n_items = recipe->n_room = n;
    if (recipe->items == NULL || recipe->types == NULL)
        return ggki_fail_memory(err);
    for (uint64_t i = 0; i < n && status == GGK_OK; i++)
        status = take_tensor(recipe, i, err);
    if (status != GGK_OK)
        return status;
    qsort(recipe->items, (size_t)n, sizeof *recipe->items, compare_names);
    status = find_repeated(recipe, err);
    if (status == GGK_OK)
        status = prune(recipe, err);
    if (status == GGK_OK &&
        (recipe->options.flags & GGK_RECIPE_KEEP_ORDER) != 0)
        qsort(recipe->items, (size_t)recipe->n_items, sizeof *recipe->items,
              compare_places);
    return status;
}

/* ---------------------------------------------------------------- the model */

/* The number that a key is to have; false: none was given for it. */
static bool is_asked_for(const ggk_recipe *recipe, const char *arch,
                         uint32_t param, uint64_t *out)
{
    char key[128];
    const ggk_value *value;

    snprintf(key, sizeof key, "%s.%s", arch, ggk_param_key(param));
    value = ggki_recipe_key(&recipe->options, key);
    if (value == NULL || !ggki_value_is_integer(value->type))
        return false;
    *out = value->as.u;
    return true;
}

/* The number that a key of the model has, for layer 0. */
static ggk_status read_stored(const ggk_recipe *recipe, const char *arch,
                              uint32_t param, uint64_t missing, uint64_t *out,
                              bool *is_scalar, ggk_error *err)
{
    const ggk_model *model = recipe->model;
    ggk_param_value value;
    ggk_status status = ggki_param_read(model, arch, param, 0, &value, err);

    *out = missing;
    *is_scalar = false;
    if (status != GGK_OK || !ggki_param_is_set(&value))
        return status;
    *is_scalar = value.value.type != GGK_VALUE_ARRAY;
    return ggki_param_of_layer(model, &value, 0, out, err);
}

/* The number that llama.cpp goes by: what is asked for; where there may be one
 * for each layer, only if the model has the key, and no array. */
static ggk_status read_number(const ggk_recipe *recipe, const char *arch,
                              uint32_t param, uint64_t missing, uint64_t *out,
                              ggk_error *err)
{
    bool layered, is_scalar;
    ggk_status status;

    (void)ggki_param_is_count(param, &layered);
    if (!layered && is_asked_for(recipe, arch, param, out))
        return GGK_OK;
    status = read_stored(recipe, arch, param, missing, out, &is_scalar, err);
    if (status == GGK_OK && is_scalar)
        (void)is_asked_for(recipe, arch, param, out);
    return status;
}

#define ARCH_BYTES 64

static ggk_status read_architecture(const ggk_recipe *recipe, ggk_str *out,
                                    char arch[ARCH_BYTES], ggk_error *err)
{
    const ggk_value *asked =
        ggki_recipe_key(&recipe->options, "general.architecture");

    *out = asked != NULL && asked->type == GGK_VALUE_STRING
               ? asked->as.s
               : ggki_architecture_of(&recipe->model->files[0].gguf);
    if (out->len == 0)
        return ggki_fail(err, GGK_E_NOT_FOUND,
                         "there is no key general.architecture");
    if (out->len >= ARCH_BYTES)
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "the name of the architecture is %llu bytes long",
                         (unsigned long long)out->len);
    snprintf(arch, ARCH_BYTES, "%.*s", (int)out->len, out->ptr);
    return GGK_OK;
}

/* What the keys that change with the layers need to be known. */
static ggk_status read_layers(ggk_recipe *recipe, ggk_error *err)
{
    struct ggki_pruning *p = &recipe->options.pruning;
    char arch[ARCH_BYTES];
    bool is_scalar;
    ggk_status status = GGK_OK;

    if (p->n > 0)
        status = read_architecture(recipe, &p->architecture, arch, err);
    return p->n > 0 && status == GGK_OK
               ? read_stored(recipe, arch, GGK_PARAM_BLOCK_COUNT, 0,
                             &p->n_layers, &is_scalar, err)
               : status;
}

static ggk_status fail_layers(const ggk_recipe *recipe, const char *arch,
                              ggk_error *err)
{
    uint64_t n;

    return ggki_fail(err, GGK_E_NOT_FOUND,
                     is_asked_for(recipe, arch, GGK_PARAM_BLOCK_COUNT, &n)
                         ? "%s.block_count is to be 0, and by it rules tell "
                           "the first layers from the last"
                         : "there is no key %s.block_count, by which rules "
                           "tell the first layers from the last",
                     arch);
}

static ggk_status read_numbers(const ggk_recipe *recipe,
                               struct ggki_mix_numbers *out, ggk_error *err)
{
    char arch[ARCH_BYTES];
    ggk_status status =
        read_architecture(recipe, &out->architecture, arch, err);

    if (status != GGK_OK ||
        ggki_str_is(out->architecture, "clip")) /* its numbers do not count */
        return status;
    status = read_number(recipe, arch, GGK_PARAM_BLOCK_COUNT, 0, &out->n_layers,
                         err);
    if (status == GGK_OK && out->n_layers == 0)
        return fail_layers(recipe, arch, err);
    if (status == GGK_OK)
        status = read_number(recipe, arch, GGK_PARAM_HEAD_COUNT, 0,
                             &out->n_heads, err);
    if (status == GGK_OK)
        status = read_number(recipe, arch, GGK_PARAM_HEAD_COUNT_KV,
                             out->n_heads, &out->n_heads_kv, err);
    if (status == GGK_OK)
        status = read_number(recipe, arch, GGK_PARAM_EXPERT_COUNT, 0,
                             &out->n_experts, err);
    return status;
}

static bool is_quantized(uint32_t type)
{
    const ggk_type_info *info = ggk_type_by_id(type);

    return info != NULL && (info->flags & GGK_TYPE_QUANTIZED) != 0;
}

/* Will rules be asked for a type? */
static bool needs_rules(const ggk_recipe *recipe)
{
    return is_quantized(recipe->options.target->type) &&
           (recipe->options.flags & GGK_RECIPE_PURE) == 0;
}

static ggk_status start_mix(const ggk_recipe *recipe, struct ggki_mix *mix,
                            ggk_error *err)
{
    const struct ggki_recipe_options *o = &recipe->options;
    struct ggki_mix_numbers numbers = {.n_layers = 0};
    ggk_status status =
        needs_rules(recipe) ? read_numbers(recipe, &numbers, err) : GGK_OK;

    if (status != GGK_OK)
        return status;
    ggki_mix_start(mix, o->target, &numbers,
                   (o->flags & GGK_RECIPE_IMATRIX) != 0);
    mix->tied = true;
    for (uint64_t i = 0; i < recipe->n_items; i++) {
        mix->n_v += recipe->items[i].role == GGKI_ROLE_ATTN_V;
        if (recipe->items[i].role == GGKI_ROLE_OUTPUT)
            mix->tied = false;
    }
    return GGK_OK;
}

/* ----------------------------------------------------------------- deciding */

/* A decision: a type, who made it, and whether another will do. */
struct choice {
    uint32_t type;
    enum ggki_reason reason;
    bool is_final;
};

/* The type of the tensor of that name in the other model. */
static ggk_status take_from(const ggk_recipe *recipe,
                            const struct recipe_item *item,
                            struct choice *choice, bool *found, ggk_error *err)
{
    const ggk_model *from = recipe->options.from;
    uint64_t i;
    ggk_tensor t;
    ggk_status status;

    *found = false;
    if (from == NULL)
        return GGK_OK;
    status = ggk_model_find_tensor(from, item->was, &i, NULL);
    if (status == GGK_E_NOT_FOUND)
        return GGK_OK;
    if (status == GGK_E_DUPLICATE)
        return ggki_fail(err, status,
                         "the recipe's model has the tensor more than once");
    status = ggk_model_tensor(from, i, &t, err);
    if (status != GGK_OK)
        return status;
    if (t.type != item->plan.from && !ggki_is_target_type(t.type))
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "in the recipe's model the tensor has type %lu, which "
                         "cannot be made",
                         (unsigned long)t.type);
    *choice = (struct choice){t.type, GGKI_OPTION_FROM, false};
    *found = true;
    return GGK_OK;
}

/* The type that the target, and what modifies it, give a tensor. */
static ggk_status choose_by_target(ggk_recipe *recipe, struct ggki_mix *mix,
                                   struct recipe_item *item,
                                   struct choice *choice, ggk_error *err)
{
    const struct ggki_recipe_options *o = &recipe->options;
    struct ggki_mix_tensor t = {item->name, item->role, item->ne[0],
                                item->ne[2]};
    bool found = false;
    ggk_status status = GGK_OK;

    *choice = (struct choice){o->target->type, GGKI_DEFAULT, false};
    if (is_quantized(o->target->type))
        status =
            ggki_recipe_override_of(o, item->name, &item->plan.override, err);
    if (status != GGK_OK)
        return status; /* it is the override's fault */
    if (item->plan.override != GGK_NONE) {
        struct ggki_override *override = &o->overrides[item->plan.override];

        override->n_decided++;
        *choice = (struct choice){override->type, GGKI_OPTION_OVERRIDE, false};
        return GGK_OK;
    }
    status = take_from(recipe, item, choice, &found, err);
    if (status != GGK_OK)
        return blame_tensor(recipe, err, status, item->plan.tensor, "");
    if (found)
        return GGK_OK;
    if ((o->flags & GGK_RECIPE_PURE) != 0)
        choice->reason = GGKI_PURE;
    if (!needs_rules(recipe))
        return GGK_OK;
    if (mix->tied && item->role == GGKI_ROLE_EMBEDDING &&
        o->output_type != GGKI_NO_TYPE) {
        *choice = (struct choice){o->output_type, GGKI_OPTION_OUTPUT, false};
        return GGK_OK;
    }
    status = ggki_mix_next(mix, &t, &choice->type, &choice->reason, err);
    return status == GGK_OK
               ? status
               : blame_tensor(recipe, err, status, item->plan.tensor, "");
}

static ggk_status choose(ggk_recipe *recipe, struct ggki_mix *mix,
                         struct recipe_item *item, struct choice *choice,
                         ggk_error *err)
{
    const struct ggki_recipe_options *o = &recipe->options;
    enum ggki_reason keep = ggki_keep_reason(
        item->name, item->ne, (o->flags & GGK_RECIPE_LEAVE_OUTPUT) != 0);

    if (keep != GGKI_REASONS)
        *choice = (struct choice){item->plan.from, keep, true};
    else if (item->role == GGKI_ROLE_EMBEDDING &&
             o->embedding_type != GGKI_NO_TYPE)
        *choice =
            (struct choice){o->embedding_type, GGKI_OPTION_EMBEDDING, true};
    else if (item->role == GGKI_ROLE_OUTPUT && o->output_type != GGKI_NO_TYPE)
        *choice = (struct choice){o->output_type, GGKI_OPTION_OUTPUT, true};
    else
        return choose_by_target(recipe, mix, item, choice, err);
    return GGK_OK;
}

/* Where rows are no whole blocks, another type takes its place. */
static ggk_obstacle fit(const ggk_recipe *recipe, struct recipe_item *item,
                        bool is_final)
{
    ggk_recipe_tensor *plan = &item->plan;

    plan->to = plan->wanted;
    if (plan->to == plan->from ||
        item->ne[0] % ggk_type_by_id(plan->to)->block == 0)
        return GGK_OBSTACLE_NONE;
    if (is_final || !ggki_fallback_of(plan->wanted, item->ne[0], &plan->to)) {
        plan->to = plan->wanted;
        return GGK_OBSTACLE_WIDTH;
    }
    plan->fallback = true;
    return (recipe->options.flags & GGK_RECIPE_NO_FALLBACK) != 0
               ? GGK_OBSTACLE_FALLBACK
               : GGK_OBSTACLE_NONE;
}

/* Find the importances of a tensor whose values will be quantized. Those of
 * token embeddings may be of any shape: then they are passed over. */
static ggk_obstacle find_importances(const ggk_recipe *recipe,
                                     struct recipe_item *item)
{
    const ggk_imatrix *imatrix = recipe->options.imatrix;
    uint64_t i, n;
    ggk_importances e;

    if (imatrix == NULL || !is_quantized(item->plan.to))
        return GGK_OBSTACLE_NONE;
    i = ggk_imatrix_find(imatrix, item->was);
    if (ggk_imatrix_entry(imatrix, i, &e, NULL) != GGK_OK)
        return item->plan.needs_imatrix ? GGK_OBSTACLE_IMATRIX
                                        : GGK_OBSTACLE_NONE;
    if (ckd_mul64(item->ne[0], item->ne[2], &n) && n == e.n_values) {
        item->plan.importances = i;
        return GGK_OBSTACLE_NONE;
    }
    return item->role == GGKI_ROLE_EMBEDDING ? GGK_OBSTACLE_NONE
                                             : GGK_OBSTACLE_SHAPE;
}

/* What else keeps a tensor from becoming another type. */
static ggk_obstacle find_obstacle(const ggk_recipe *recipe,
                                  struct recipe_item *item)
{
    const ggk_recipe_tensor *plan = &item->plan;
    uint32_t flags = recipe->options.flags;

    if (plan->to == plan->from)
        return GGK_OBSTACLE_NONE;
    if (!ggki_is_target_type(plan->from)) /* which can be read, too */
        return GGK_OBSTACLE_SOURCE;
    if (is_quantized(plan->from) && (flags & GGK_RECIPE_REQUANTIZE) == 0)
        return GGK_OBSTACLE_QUANTIZED;
    if (plan->needs_imatrix && (flags & GGK_RECIPE_IMATRIX) == 0)
        return GGK_OBSTACLE_IMATRIX;
    return find_importances(recipe, item);
}

/* A table of types may have another type for a number that is built in: blocks
 * of both in one file could not be told apart. */
static ggk_status check_not_hidden(const ggk_recipe *recipe, uint32_t type,
                                   ggk_error *err)
{
    const ggk_type_info *built_in = ggk_type_by_id(type);

    if (ggk_model_type(recipe->model, type) == built_in)
        return GGK_OK;
    return ggki_fail(err, GGK_E_UNSUPPORTED,
                     "the table of types has another type for number %lu, "
                     "which is that of %s",
                     (unsigned long)type, built_in->name);
}

static ggk_status decide(ggk_recipe *recipe, struct ggki_mix *mix,
                         struct recipe_item *item, ggk_error *err)
{
    ggk_recipe_tensor *plan = &item->plan;
    struct choice choice;
    ggk_status status = choose(recipe, mix, item, &choice, err);

    if (status != GGK_OK)
        return status;
    plan->wanted = choice.type;
    plan->reason = ggk_reason_at(choice.reason);
    plan->obstacle = fit(recipe, item, choice.is_final);
    plan->needs_imatrix = plan->to != plan->from &&
                          item->role != GGKI_ROLE_OUTPUT &&
                          item->role != GGKI_ROLE_EMBEDDING &&
                          ggki_needs_imatrix(plan->to, recipe->options.target);
    if (plan->obstacle == GGK_OBSTACLE_NONE)
        plan->obstacle = find_obstacle(recipe, item);
    if (plan->to != plan->from)
        status = check_not_hidden(recipe, plan->to, err);
    if (status != GGK_OK)
        return status;
    if (plan->to == plan->from)
        plan->to_bytes = plan->from_bytes;
    else if (plan->obstacle != GGK_OBSTACLE_WIDTH)
        status = ggk_type_tensor_bytes(ggk_type_by_id(plan->to), item->ne,
                                       item->n_dims, &plan->to_bytes, err);
    return status == GGK_OK
               ? status
               : blame_tensor(recipe, err, status, plan->tensor, "");
}

/* --------------------------------------------------------------------- sums */

static int compare_types(const void *a, const void *b)
{
    const ggk_recipe_type *x = a, *y = b;

    return (x->type > y->type) - (x->type < y->type);
}

/* Of a sum for each tensor make one for each type. */
static void join_types(ggk_recipe *recipe)
{
    ggk_recipe_type *types = recipe->types;
    size_t n = 0;

    if (recipe->n_items == 0)
        return;
    qsort(types, (size_t)recipe->n_items, sizeof *types, compare_types);
    for (uint64_t i = 1; i < recipe->n_items; i++) {
        if (types[i].type != types[n].type) {
            types[++n] = types[i];
            continue;
        }
        types[n].n_tensors += types[i].n_tensors;
        types[n].n_elements += types[i].n_elements;
        types[n].bytes += types[i].bytes;
    }
    recipe->n_types = n + 1;
}

static ggk_status add_up(ggk_recipe *recipe, ggk_error *err)
{
    ggk_recipe_total *total = &recipe->total;

    total->target = recipe->options.target;
    total->n_tensors = recipe->n_items;
    for (uint64_t i = 0; i < recipe->n_items; i++) {
        const ggk_recipe_tensor *plan = &recipe->items[i].plan;

        if (!ckd_add64(total->n_elements, plan->n_elements,
                       &total->n_elements) ||
            !ckd_add64(total->from_bytes, plan->from_bytes,
                       &total->from_bytes) ||
            !ckd_add64(total->to_bytes, plan->to_bytes, &total->to_bytes))
            return ggki_fail(err, GGK_E_OVERFLOW,
                             "the tensors have more than 2^64-1 bytes");
        recipe->types[i] = (ggk_recipe_type){.type = plan->to,
                                             .n_tensors = 1,
                                             .n_elements = plan->n_elements,
                                             .bytes = plan->to_bytes};
        total->n_changed += plan->to != plan->from;
        total->n_fallbacks += plan->fallback;
        total->n_need_imatrix += plan->needs_imatrix;
        total->n_importances += plan->importances != GGK_NONE;
        total->n_obstacles[plan->obstacle]++;
    }
    join_types(recipe); /* none of these sums is more than the total */
    if (total->n_elements > 0)
        total->bits_per_weight =
            (double)total->to_bytes * 8 / (double)total->n_elements;
    return GGK_OK;
}

/* ------------------------------------------------------------------- public */

static ggk_status make(ggk_recipe *recipe, ggk_error *err)
{
    struct ggki_mix mix;
    ggk_status status = take_tensors(recipe, err);

    if (status == GGK_OK)
        status = read_layers(recipe, err);
    if (status == GGK_OK)
        status = start_mix(recipe, &mix, err);
    for (uint64_t i = 0; status == GGK_OK && i < recipe->n_items; i++)
        status = decide(recipe, &mix, &recipe->items[i], err);
    return status == GGK_OK ? add_up(recipe, err) : status;
}

ggk_status ggk_recipe_new(const ggk_model *model, const ggk_recipe_opts *opts,
                          ggk_recipe **out, ggk_error *err)
{
    ggk_recipe *recipe = ggki_mem_zero(&model->mem, sizeof *recipe);
    ggk_status status;

    *out = NULL;
    if (recipe == NULL)
        return ggki_fail_memory(err);
    recipe->model = model;
    status = ggki_recipe_options_take(&model->mem, opts, &recipe->options, err);
    if (status == GGK_OK)
        status = make(recipe, err);
    if (status != GGK_OK) {
        ggk_recipe_free(recipe);
        return status;
    }
    recipe->options.from = NULL; /* it may go now */
    *out = recipe;
    return GGK_OK;
}

void ggk_recipe_free(ggk_recipe *recipe)
{
    const ggk_allocator *mem;

    if (recipe == NULL)
        return;
    mem = &recipe->model->mem;
    ggki_recipe_options_free(mem, &recipe->options);
    ggki_mem_release(mem, recipe->items,
                     (size_t)recipe->n_room * sizeof *recipe->items);
    ggki_mem_release(mem, recipe->types,
                     (size_t)recipe->n_room * sizeof *recipe->types);
    ggki_mem_release(mem, recipe, sizeof *recipe);
}

const ggk_model *ggki_recipe_model(const ggk_recipe *recipe)
{
    return recipe->model;
}

const struct ggki_recipe_options *ggki_recipe_options(const ggk_recipe *recipe)
{
    return &recipe->options;
}

uint64_t ggk_recipe_n_tensors(const ggk_recipe *recipe)
{
    return recipe->n_items;
}

ggk_status ggk_recipe_tensor_at(const ggk_recipe *recipe, uint64_t i,
                                ggk_recipe_tensor *out, ggk_error *err)
{
    memset(out, 0, sizeof *out);
    if (i >= recipe->n_items)
        return ggki_fail_index(err, "tensor", i, recipe->n_items);
    *out = recipe->items[i].plan;
    return GGK_OK;
}

void ggk_recipe_sum(const ggk_recipe *recipe, ggk_recipe_total *out)
{
    *out = recipe->total;
}

size_t ggk_recipe_n_types(const ggk_recipe *recipe)
{
    return recipe->n_types;
}

ggk_status ggk_recipe_type_at(const ggk_recipe *recipe, size_t i,
                              ggk_recipe_type *out, ggk_error *err)
{
    memset(out, 0, sizeof *out);
    if (i >= recipe->n_types)
        return ggki_fail_index(err, "type", i, recipe->n_types);
    *out = recipe->types[i];
    return GGK_OK;
}

uint64_t ggk_recipe_override_count(const ggk_recipe *recipe, size_t i)
{
    return i < recipe->options.n_overrides
               ? recipe->options.overrides[i].n_decided
               : 0;
}

ggk_status ggk_recipe_override_fits(const ggk_recipe *recipe, size_t i,
                                    uint64_t tensor, bool *out, ggk_error *err)
{
    const struct ggki_recipe_options *o = &recipe->options;

    *out = false;
    if (i >= o->n_overrides)
        return ggki_fail_index(err, "override", i, o->n_overrides);
    if (tensor >= recipe->n_items)
        return ggki_fail_index(err, "tensor", tensor, recipe->n_items);
    return ggki_pattern_find(&o->pcre2, &o->overrides[i].pattern,
                             recipe->items[tensor].name, out, err);
}

const char *ggk_obstacle_text(uint32_t obstacle)
{
    static const char *const texts[GGK_OBSTACLE_COUNT] = {
        [GGK_OBSTACLE_QUANTIZED] = "quantized already, and quantizing them "
                                   "again was not allowed",
        [GGK_OBSTACLE_SOURCE] = "of a type whose values cannot be read",
        [GGK_OBSTACLE_IMATRIX] = "to get a type that needs importances, "
                                 "without having any",
        [GGK_OBSTACLE_WIDTH] = "to get a type of which their rows are no whole "
                               "number of blocks",
        [GGK_OBSTACLE_FALLBACK] = "to get a type of which their rows are no "
                                  "whole number of blocks, and falling back to "
                                  "another was not allowed",
        [GGK_OBSTACLE_SHAPE] = "of another shape than those that the "
                               "importance matrix is of",
    };

    return obstacle < GGK_OBSTACLE_COUNT ? texts[obstacle] : NULL;
}

/* Name the tensors that have an obstacle, as many as fit into the sentence. */
static void list_tensors(const ggk_recipe *recipe, ggk_obstacle obstacle,
                         ggk_error *err)
{
    uint64_t left = recipe->total.n_obstacles[obstacle];
    const size_t room = sizeof err->what - 32; /* for how many are left */
    size_t n = strlen(err->what);
    const char *before = ": ";

    for (uint64_t i = 0; i < recipe->n_items && left > 0; i++) {
        const struct recipe_item *item = &recipe->items[i];

        if (item->plan.obstacle != obstacle)
            continue;
        if (item->name.len + 2 > room - n)
            break;
        n += (size_t)snprintf(err->what + n, sizeof err->what - n, "%s%.*s",
                              before, (int)item->name.len, item->name.ptr);
        before = ", ";
        left--;
    }
    if (left > 0)
        snprintf(err->what + n, sizeof err->what - n, ", %llu more",
                 (unsigned long long)left);
}

static ggk_status fail_obstacle(const ggk_recipe *recipe, ggk_obstacle obstacle,
                                ggk_error *err)
{
    uint64_t n = recipe->total.n_obstacles[obstacle], i = 0;
    ggk_status status =
        obstacle == GGK_OBSTACLE_WIDTH || obstacle == GGK_OBSTACLE_FALLBACK
            ? GGK_E_BLOCK
            : GGK_E_UNSUPPORTED;

    ggki_fail(err, status, "%llu tensor%s %s %s", (unsigned long long)n,
              ggki_plural(n), n == 1 ? "is" : "are",
              ggk_obstacle_text(obstacle));
    if (err == NULL)
        return status;
    list_tensors(recipe, obstacle, err);
    while (recipe->items[i].plan.obstacle != obstacle)
        i++;
    return blame_tensor(recipe, err, status, recipe->items[i].plan.tensor, "");
}

ggk_status ggki_recipe_importances(const ggk_recipe *recipe,
                                   const ggk_recipe_tensor *r,
                                   const ggk_tensor *t, const float **out,
                                   ggk_error *err)
{
    ggk_imatrix_info info;
    ggk_importances e;
    uint64_t n;

    *out = NULL;
    if (r->importances == GGK_NONE)
        return !r->needs_imatrix
                   ? GGK_OK
                   : ggki_fail(err, GGK_E_UNSUPPORTED,
                               "%.*s: its new type needs importances, and the "
                               "recipe was made without them",
                               ggki_shown(t->name), t->name.ptr);
    if (ggk_imatrix_entry(recipe->options.imatrix, r->importances, &e, NULL) !=
            GGK_OK ||
        !ggki_names_equal(e.name, t->name) ||
        !ckd_mul64(t->ne[0], t->ne[2], &n) || n != e.n_values)
        return ggki_fail(err, GGK_E_CHANGED,
                         "the imatrix is not what it was when the recipe was "
                         "made");
    ggk_imatrix_about(recipe->options.imatrix, &info);
    if (info.sums)
        return ggki_fail(err, GGK_E_ARG,
                         "the imatrix was opened with sums as values");
    if (ggki_find_not_finite(e.values, (size_t)n) < n)
        return ggki_fail(err, GGK_E_ARG,
                         "%.*s: an importance that is NaN or infinite",
                         ggki_shown(t->name), t->name.ptr);
    *out = e.values;
    return GGK_OK;
}

ggk_status ggk_recipe_check(const ggk_recipe *recipe, ggk_error *err)
{
    static const ggk_obstacle kinds[] = {
        GGK_OBSTACLE_QUANTIZED, GGK_OBSTACLE_SOURCE, GGK_OBSTACLE_IMATRIX,
        GGK_OBSTACLE_SHAPE,     GGK_OBSTACLE_WIDTH,  GGK_OBSTACLE_FALLBACK};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (recipe->total.n_obstacles[kinds[i]] > 0)
            return fail_obstacle(recipe, kinds[i], err);
    if ((recipe->options.flags & GGK_RECIPE_STRICT) == 0)
        return GGK_OK;
    for (size_t i = 0; i < recipe->options.n_overrides; i++) {
        if (recipe->options.overrides[i].n_decided > 0)
            continue;
        ggki_fail(err, GGK_E_NOT_FOUND, "the pattern decided no tensor's type");
        if (err != NULL)
            snprintf(err->where, sizeof err->where, "overrides[%llu]",
                     (unsigned long long)i);
        return GGK_E_NOT_FOUND;
    }
    return GGK_OK;
}
