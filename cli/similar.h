/* similar.h - what a name that a model does not have was probably meant to be.
 */
#ifndef CLI_SIMILAR_H
#define CLI_SIMILAR_H

#include <stdbool.h>

#include "ggk.h"

enum similar_what { SIMILAR_KEY, SIMILAR_TENSOR };

/* Text to put behind a message: " (did you mean \"general.name\"?)". */
#define SIMILAR_BYTES 256

/* A search for the name that is nearest to `word`, of those that are tried. */
struct similar {
    ggk_str word;
    ggk_str name; /* its `ptr` is NULL if there is none yet */
    size_t best;  /* a distance nearer than this is near */
    size_t compared;
};

/* similar_start - begin; similar_try - look at one name; false: no other needs
 * to be looked at. */
void similar_start(struct similar *s, ggk_str word);
bool similar_try(struct similar *s, ggk_str name);

/* similar_find - the name of a key or a tensor that differs from `word` by a
 * slip of the finger, or that `word` is the end of, behind a dot. Digits must
 * be the same; of very many names, not all are looked at.
 * similar_hint - the same as text, "" if there is none. */
bool similar_find(const ggk_model *model, enum similar_what what, ggk_str word,
                  ggk_str *out);
const char *similar_hint(const ggk_model *model, enum similar_what what,
                         ggk_str word, char text[SIMILAR_BYTES]);

/* similar_is_other - is it the name of a tensor where that of a key is wanted,
 * or of a key where that of a tensor is; or a pattern of such? */
bool similar_is_other(const ggk_model *model, enum similar_what what,
                      ggk_str word);

/* similar_edit_hint - text like that of similar_hint, but of such a name that
 * --tensor is missing, or too much. */
const char *similar_edit_hint(const ggk_model *model, enum similar_what what,
                              ggk_str word, char text[SIMILAR_BYTES]);

/* similar_architecture - the model's, empty if it has none. */
ggk_str similar_architecture(const ggk_model *model);

#endif
