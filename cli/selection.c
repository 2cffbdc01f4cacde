/* selection.c - the tensors whose names match what was asked for. */
#include "selection.h"

#include "show.h"

bool selection_has(char *const *patterns, ggk_str name)
{
    size_t i = 0;

    while (patterns[i] != NULL && !show_matches(patterns[i], name))
        i++;
    return patterns[i] != NULL || i == 0;
}

static ggk_status has_match(const ggk_model *model, const char *pattern,
                            bool *found, ggk_error *err)
{
    *found = false;
    for (uint64_t i = 0; i < ggk_model_n_tensors(model) && !*found; i++) {
        ggk_tensor t;
        ggk_status status = ggk_model_tensor(model, i, &t, err);

        if (status != GGK_OK)
            return status;
        *found = show_matches(pattern, t.name);
    }
    return GGK_OK;
}

ggk_status selection_lost(const ggk_model *model, char *const *patterns,
                          const char **lost, ggk_error *err)
{
    *lost = NULL;
    for (size_t i = 0; patterns[i] != NULL && *lost == NULL; i++) {
        bool found;
        ggk_status status = has_match(model, patterns[i], &found, err);

        if (status != GGK_OK)
            return status;
        *lost = found ? NULL : patterns[i];
    }
    return GGK_OK;
}
