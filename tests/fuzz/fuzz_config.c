/* fuzz_config.c - configurations of whatever opens: no crash, no overflow, no
 * loop that does not end. Seeds: the group config of the corpus. */
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
    ggk_model_close(model);
    return 0;
}
