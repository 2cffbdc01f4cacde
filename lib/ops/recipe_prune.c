/* recipe_prune.c - layers that are left out: the names of the other tensors,
 * and the keys that have something of each layer.
 *
 * Numbers are as llama.cpp v0.5.0 has them (llama-quant.cpp): layers before the
 * first that is left out keep theirs, those after it follow without gaps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/mem.h"
#include "model/builder.h"
#include "model/model.h"
#include "ops/recipe.h"

#define WHERE "pruned"

static ggk_status blame(ggk_error *err)
{
    if (err != NULL)
        snprintf(err->where, sizeof err->where, WHERE);
    return GGK_E_ARG;
}

/* ------------------------------------------------------------- what is asked
 */

static int compare_layers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

ggk_status ggki_pruning_take(const ggk_allocator *mem, const uint64_t *layers,
                             size_t n, struct ggki_pruning *out, ggk_error *err)
{
    *out = (struct ggki_pruning){.layers = NULL};
    if (n == 0)
        return GGK_OK;
    if (layers == NULL || n > SIZE_MAX / sizeof *layers) {
        ggki_fail(err, GGK_E_ARG, "no layers");
        return blame(err);
    }
    out->layers = ggki_mem_zero(mem, n * sizeof *layers);
    if (out->layers == NULL)
        return ggki_fail_memory(err);
    out->n = n;
    memcpy(out->layers, layers, n * sizeof *layers);
    qsort(out->layers, n, sizeof *layers, compare_layers);
    for (size_t i = 1; i < n; i++)
        if (out->layers[i] == out->layers[i - 1]) {
            ggki_fail(err, GGK_E_ARG, "layer %llu is there twice",
                      (unsigned long long)out->layers[i]);
            return blame(err);
        }
    return GGK_OK;
}

void ggki_pruning_free(const ggk_allocator *mem, struct ggki_pruning *p)
{
    ggki_mem_release(mem, p->layers, p->n * sizeof *p->layers);
    ggki_mem_release(mem, p->names, p->name_bytes);
    *p = (struct ggki_pruning){.layers = NULL};
}

/* ---------------------------------------------------------------- the names */

/* Where in a name the number of its layer is. */
struct digits {
    size_t at, n;
    uint64_t layer;
};

static bool find_layer(ggk_str name, struct digits *out)
{
    for (size_t i = 0; i + 4 < name.len; i++) {
        size_t end = i + 4;
        uint64_t layer = 0;

        if (memcmp(name.ptr + i, "blk.", 4) != 0)
            continue;
        for (; end < name.len && name.ptr[end] >= '0' && name.ptr[end] <= '9';
             end++)
            layer = sat_add64(sat_mul64(layer, 10),
                              (uint64_t)(name.ptr[end] - '0'));
        *out = (struct digits){i + 4, end - i - 4, layer};
        if (out->n > 0 && end < name.len && name.ptr[end] == '.')
            return true;
    }
    return false;
}

static bool is_pruned(const struct ggki_pruning *p, uint64_t layer)
{
    return bsearch(&layer, p->layers, p->n, sizeof layer, compare_layers) !=
           NULL;
}

/* A layer is seen for the first time. */
static void begin_layer(struct ggki_pruning *p, uint64_t layer)
{
    p->n_seen++;
    p->last = layer;
    if (p->n_met < p->n && p->layers[p->n_met] == layer)
        p->n_met++;
    if (!is_pruned(p, layer))
        p->n_stay = layer < p->layers[0] ? layer + 1 : p->n_stay + 1;
}

/* The name with the number `layer` in place of its own, which is not less: so
 * it gets no longer. */
static ggk_str renumber(struct ggki_pruning *p, ggk_str name,
                        const struct digits *old, uint64_t layer)
{
    char *to = p->names + p->names_end, digits[24];
    size_t n = (size_t)snprintf(digits, sizeof digits, "%llu",
                                (unsigned long long)layer);
    size_t rest = old->at + old->n;

    memcpy(to, name.ptr, old->at);
    memcpy(to + old->at, digits, n);
    memcpy(to + old->at + n, name.ptr + rest, name.len - rest);
    n += name.len - old->n;
    p->names_end += n;
    return (ggk_str){to, n};
}

ggk_status ggki_pruning_next(const ggk_allocator *mem, struct ggki_pruning *p,
                             ggk_str name, ggk_str *out, bool *stays,
                             ggk_error *err)
{
    struct digits old;

    *out = name;
    *stays = true;
    if (!find_layer(name, &old))
        return GGK_OK;
    if (old.at > 4 || (old.n > 1 && name.ptr[old.at] == '0') ||
        old.layer > INT32_MAX)
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "layers can be left out where the names of their "
                         "tensors begin with them, as \"blk.0.\", and they "
                         "are below 2^31");
    if (p->n_seen == 0 || old.layer != p->last)
        begin_layer(p, old.layer);
    *stays = !is_pruned(p, old.layer);
    if (!*stays || p->n_stay - 1 == old.layer)
        return GGK_OK;
    if (p->names == NULL)
        p->names = ggki_mem_resize(mem, NULL, 0, p->name_bytes);
    if (p->names == NULL)
        return ggki_fail_memory(err);
    *out = renumber(p, name, &old, p->n_stay - 1);
    return GGK_OK;
}

ggk_status ggki_pruning_refuse_part(ggk_error *err)
{
    ggki_fail(err, GGK_E_ARG,
              "layers can be left out of a whole set, and not of one of its "
              "shards: the keys are those of all");
    return blame(err);
}

ggk_status ggki_pruning_check(const struct ggki_pruning *p, ggk_error *err)
{
    if (p->n == 0 || (p->n_met == p->n && p->n < p->n_seen))
        return GGK_OK;
    if (p->n_seen == 0)
        ggki_fail(err, GGK_E_ARG, "no tensor's name begins with a layer");
    else if (p->n_met == p->n)
        ggki_fail(err, GGK_E_ARG, "no layer would be left");
    else
        ggki_fail(err, GGK_E_ARG,
                  "there is no layer %llu in the model, whose last is %llu",
                  (unsigned long long)p->layers[p->n_met],
                  (unsigned long long)p->last);
    return blame(err);
}

/* ----------------------------------------------------------------- the keys */

/* Is it the architecture's, and may have a number for each layer? */
static bool may_be_layered(ggk_str key, ggk_str architecture)
{
    static const char rope[] = "rope.";
    size_t n = architecture.len + 1;

    return key.len > n && key.ptr[n - 1] == '.' &&
           memcmp(key.ptr, architecture.ptr, n - 1) == 0 &&
           (key.len < n + 5 || memcmp(key.ptr + n, rope, 5) != 0);
}

static bool is_flat(uint32_t type)
{
    return type != GGK_VALUE_STRING && type != GGK_VALUE_ARRAY;
}

/* The elements of layers that stay, of an array that the walk is in. */
static ggk_status take_elements(const struct ggki_pruning *p, ggk_walk *walk,
                                uint32_t type, ggk_builder *builder,
                                ggk_error *err)
{
    ggk_status status = ggk_builder_open(builder, type, err);

    for (uint64_t i = 0; i < p->n_layers && status == GGK_OK; i++) {
        ggk_value value;

        if (ggk_walk_next(walk, &value) != GGK_WALK_VALUE)
            return ggki_fail_changed(err);
        if (!is_pruned(p, i))
            status = ggk_builder_put(builder, &value, err);
    }
    return status == GGK_OK ? ggk_builder_close(builder, err) : status;
}

static ggk_status cut_array(ggk_plan *plan, uint32_t file,
                            const ggk_model *model, uint64_t i,
                            const struct ggki_pruning *p, ggk_error *err)
{
    ggk_builder *builder;
    ggk_value head;
    ggk_walk walk;
    ggk_kv kv;
    ggk_status status = ggk_model_kv(model, i, &kv, err);

    if (status != GGK_OK || !may_be_layered(kv.key, p->architecture))
        return status;
    status = ggk_walk_start(model, i, &walk, err);
    if (status != GGK_OK || ggk_walk_next(&walk, &head) != GGK_WALK_OPEN ||
        !is_flat(head.type) || head.as.u != p->n_layers)
        return status;
    if (p->n_seen != p->n_layers || p->last + 1 != p->n_layers)
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "%.*s has a value for each layer, but there are "
                         "layers without tensors: it cannot be told which "
                         "values go",
                         kv.key.len < 200 ? (int)kv.key.len : 200, kv.key.ptr);
    status = ggk_builder_new(&plan->mem, &builder, err);
    if (status == GGK_OK)
        status = take_elements(p, &walk, head.type, builder, err);
    if (status == GGK_OK)
        status = ggk_plan_set_kv(plan, file, kv.key, builder, err);
    ggk_builder_free(builder);
    return status;
}

ggk_status ggki_plan_cut_keys(ggk_plan *plan, uint32_t file,
                              const ggk_model *model,
                              const struct ggki_pruning *p, ggk_error *err)
{
    ggk_status status = GGK_OK;

    for (uint64_t i = 0; i < ggk_model_n_kv(model) && status == GGK_OK; i++)
        status = cut_array(plan, file, model, i, p, err);
    return status;
}

ggk_status ggki_plan_count_layers(ggk_plan *plan, uint32_t file,
                                  const struct ggki_pruning *p, ggk_error *err)
{
    char key[128];
    ggk_key_value kv = {{key, 0}, {GGK_VALUE_UINT32, {.u = p->n_stay}}};

    snprintf(key, sizeof key, "%.*s.block_count", (int)p->architecture.len,
             p->architecture.ptr);
    kv.key = ggk_cstr(key);
    return ggki_plan_append_kv(plan, file, &kv, err);
}
