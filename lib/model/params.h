/* params.h - hyperparameters as they are stored. */
#ifndef GGKI_PARAMS_H
#define GGKI_PARAMS_H

#include "base/err.h"

/* Read parameter `param` of architecture `arch`; origin NONE if it is not
 * stored. An array must have `n_layers` values, if that is not 0. */
ggk_status ggki_param_read(const ggk_model *model, const char *arch,
                           uint32_t param, uint64_t n_layers,
                           ggk_param_value *out, ggk_error *err);

/* The parameter with that key, in either spelling; GGK_PARAM_COUNT if none. */
uint32_t ggki_param_find(const char *key);

/* Is the parameter a count, a UINT32 to llama.cpp? `*layered`: or an array of
 * one for each layer. */
bool ggki_param_is_count(uint32_t param, bool *layered);

/* The value of a count for layer `i`; 0 if there is none. */
ggk_status ggki_param_of_layer(const ggk_model *model,
                               const ggk_param_value *param, uint64_t i,
                               uint64_t *out, ggk_error *err);

/* Is there a value: stored, or by default? */
static inline bool ggki_param_is_set(const ggk_param_value *param)
{
    return param->origin == GGK_ORIGIN_STORED ||
           param->origin == GGK_ORIGIN_DEFAULT;
}

/* Fill `*err` with a failure in key-value `kv` (of which element `element` is
 * at fault, or GGK_NONE); the sentence begins with its key. */
ggk_status ggki_param_fail(ggk_error *err, ggk_status status,
                           const ggk_model *model, uint64_t kv,
                           uint64_t element, const char *what, ...)
    GGKI_FORMAT(6, 7);

#endif
