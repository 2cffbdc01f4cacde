/* show_recipe.c - what the library says of quantizing a model, for comparisons.
 *
 * usage: show_recipe MODEL recipe FLAGS [output=T] [embedding=T]
 *                    [override=PATTERN=T]... TARGET...
 *        show_recipe MODEL keys TARGET OUT [FILE DATASET ENTRIES CHUNKS]
 *
 * recipe: for each target its name and what the recipe fails with or 0, then a
 * line for each tensor: name, type, new type, reason, obstacle. FLAGS is a
 * number. keys: a file OUT with the keys of a quantized one and no tensors.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/recipe.h"

#define MOST_OVERRIDES 8

static void need(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "show_recipe: %s\n", what);
    exit(EXIT_FAILURE);
}

static const char *type_name(const ggk_model *model, uint32_t id)
{
    const ggk_type_info *type = ggk_model_type(model, id);

    return type != NULL ? type->name : "?";
}

static void show_tensors(const ggk_model *model, const ggk_recipe *recipe)
{
    for (uint64_t i = 0; i < ggk_recipe_n_tensors(recipe); i++) {
        ggk_recipe_tensor t;
        ggk_tensor from;

        need(ggk_recipe_tensor_at(recipe, i, &t, NULL) == GGK_OK &&
                 ggk_model_tensor(model, t.tensor, &from, NULL) == GGK_OK,
             "no tensor");
        printf("%.*s\t%s\t%s\t%s\t%d\n", (int)from.name.len, from.name.ptr,
               type_name(model, t.from), type_name(model, t.to), t.reason->id,
               (int)t.obstacle);
    }
}

static void show(const ggk_model *model, const ggk_recipe_opts *opts)
{
    ggk_recipe *recipe;
    ggk_status status = ggk_recipe_new(model, opts, &recipe, NULL);

    printf("%s\t%d\n", opts->target, (int)status);
    if (status == GGK_OK)
        show_tensors(model, recipe);
    ggk_recipe_free(recipe);
}

/* The value of "NAME=VALUE", or NULL. */
static const char *value_of(const char *word, const char *name)
{
    size_t n = strlen(name);

    return strncmp(word, name, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

/* "KEY=VALUE"; a value that is no number is a text. */
static ggk_key_value key_of(const char *word)
{
    const char *value = strchr(word, '=') + 1;
    ggk_key_value kv = {{word, (size_t)(value - word) - 1},
                        {GGK_VALUE_STRING, {.s = ggk_cstr(value)}}};
    char *end;
    uint64_t number = strtoul(value, &end, 10);

    if (*end == '\0') {
        kv.value.type = GGK_VALUE_UINT32;
        kv.value.as.u = number;
    }
    return kv;
}

static void show_recipes(const ggk_model *model, int argc, char **argv)
{
    const char *overrides[MOST_OVERRIDES];
    ggk_key_value keys[MOST_OVERRIDES];
    ggk_recipe_opts opts = {.struct_bytes = sizeof opts, .keys = keys};

    opts.flags = (uint32_t)strtoul(argv[0], NULL, 10);
    opts.overrides = overrides;
    for (int i = 1; i < argc; i++) {
        const char *value;

        if ((value = value_of(argv[i], "output")) != NULL)
            opts.output_type = value;
        else if ((value = value_of(argv[i], "embedding")) != NULL)
            opts.embedding_type = value;
        else if ((value = value_of(argv[i], "key")) != NULL) {
            need(opts.n_keys < MOST_OVERRIDES, "too many keys");
            keys[opts.n_keys++] = key_of(value);
        } else if ((value = value_of(argv[i], "override")) != NULL) {
            need(opts.n_overrides < MOST_OVERRIDES, "too many overrides");
            overrides[opts.n_overrides++] = value;
        } else {
            opts.target = argv[i];
            show(model, &opts);
        }
    }
}

static void write_keys(const ggk_model *model, int argc, char **argv)
{
    struct ggki_imatrix_keys imatrix = {NULL, NULL, 0, 0};
    struct ggki_quantized_keys keys = {ggk_target_by_name(argv[0]), NULL, 0,
                                       argc == 6 ? &imatrix : NULL, false};
    ggk_run_opts run = {.struct_bytes = sizeof run};
    ggk_plan *plan = NULL;
    uint32_t file = 0;

    if (argc == 6) {
        imatrix.file = argv[2];
        imatrix.dataset = argv[3];
        imatrix.n_entries = strtoul(argv[4], NULL, 10);
        imatrix.n_chunks = strtoul(argv[5], NULL, 10);
    }
    need(keys.target != NULL && ggk_plan_new(NULL, &plan, NULL) == GGK_OK,
         "no plan");
    need(ggk_plan_add_file(plan, argv[1], &file, NULL) == GGK_OK &&
             ggk_plan_copy_keys(plan, file, model, 0, NULL) == GGK_OK &&
             ggki_plan_quantized_keys(plan, file, &keys, NULL) == GGK_OK &&
             ggk_plan_run(plan, &run, NULL) == GGK_OK,
         "cannot write");
    ggk_plan_free(plan);
}

int main(int argc, char **argv)
{
    ggk_model *model;

    need(argc > 4, "usage: show_recipe MODEL recipe|keys ARGUMENT...");
    need(ggk_model_open(argv[1], NULL, &model, NULL) == GGK_OK, "no model");
    if (strcmp(argv[2], "recipe") == 0)
        show_recipes(model, argc - 3, argv + 3);
    else
        write_keys(model, argc - 3, argv + 3);
    ggk_model_close(model);
    return 0;
}
