/* selection.h - the tensors whose names match what was asked for. */
#ifndef CLI_SELECTION_H
#define CLI_SELECTION_H

#include <stdbool.h>

#include "ggk.h"

/* Patterns are those of show_matches, NULL at the end; if there is none, all
 * names match.
 * selection_has - does one of them match the name?
 * selection_lost - the first that no tensor's name matches into `*lost`, or
 * NULL. Errors: GGK_E_CHANGED. */
bool selection_has(char *const *patterns, ggk_str name);
ggk_status selection_lost(const ggk_model *model, char *const *patterns,
                          const char **lost, ggk_error *err);

#endif
