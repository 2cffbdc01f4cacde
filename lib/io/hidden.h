/* hidden.h - the names of what is kept beside a file for a while. */
#ifndef GGKI_HIDDEN_H
#define GGKI_HIDDEN_H

#include <stdbool.h>

#define GGKI_HIDDEN_BYTES 256 /* of a file name and its NUL */

#define GGKI_TEMPORARY ".ggk-tmp"     /* what is being written */
#define GGKI_OLD       ".ggk-old"     /* what was replaced, to bring it back */
#define GGKI_JOURNAL   ".ggk-journal" /* what an edit in place has to undo */

/* Is it such a name? */
bool ggki_is_hidden_name(const char *name);

/* ".NAME" and a suffix of the above; of a long name its beginning and a hash.
 * `name` is the last part of a path. */
void ggki_hidden_name(char out[GGKI_HIDDEN_BYTES], const char *name,
                      const char *suffix);

#endif
