/* fuzz_config.c - configurations and recipes of whatever opens: no crash, no
 * overflow, no loop that does not end. Seeds: the group config of the corpus.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "ggk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void use_config(const ggk_model *model, const ggk_config *config)
{
    const ggk_type_info *type = ggk_type_by_name("Q8_0");
    uint64_t n = config->n_layers < 64 ? config->n_layers : 64;
    ggk_kv_bytes size;
    ggk_layer layer;
    ggk_error err;

    for (uint64_t i = 0; i <= n; i++) {
        if (ggk_config_layer(config, model, i, &layer, &err) != GGK_OK)
            break;
    }
    if (ggk_config_kv_bytes(config, model, type, type, 4096, &size, &err) ==
            GGK_OK &&
        size.total < size.state)
        abort();
}

/* Its types add up to what it says of all. */
static void use_recipe(const ggk_model *model, const char *target)
{
    ggk_recipe_opts opts = {.struct_bytes = sizeof opts, .target = target};
    ggk_recipe *recipe;
    ggk_recipe_total total;
    uint64_t bytes = 0;
    ggk_error err;

    if (ggk_recipe_new(model, &opts, &recipe, &err) != GGK_OK)
        return;
    ggk_recipe_sum(recipe, &total);
    for (size_t i = 0; i < ggk_recipe_n_types(recipe); i++) {
        ggk_recipe_type type;

        if (ggk_recipe_type_at(recipe, i, &type, &err) != GGK_OK)
            abort();
        bytes += type.bytes;
    }
    if (bytes != total.to_bytes ||
        total.n_tensors != ggk_model_n_tensors(model) ||
        (ggk_recipe_check(recipe, &err) == GGK_OK) !=
            (total.n_obstacles[GGK_OBSTACLE_NONE] == total.n_tensors))
        abort();
    ggk_recipe_free(recipe);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    ggk_source *source;
    ggk_model *model;
    ggk_config config;
    ggk_error err;

    if (ggk_source_from_memory(data, bytes, NULL, &source, &err) != GGK_OK ||
        ggk_model_open_source(source, NULL, &model, &err) != GGK_OK)
        return 0;
    if (ggk_model_config(model, &config, &err) == GGK_OK)
        use_config(model, &config);
    use_recipe(model, "Q4_K_M");
    use_recipe(model, "IQ2_M");
    use_recipe(model, "MXFP4_MOE");
    ggk_model_close(model);
    return 0;
}
