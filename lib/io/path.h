/* path.h - the two parts of a path: the folder, and the name in it. */
#ifndef GGKI_PATH_H
#define GGKI_PATH_H

#include "ggk.h"

/* What follows the last slash of a path, or all of it. */
const char *ggki_base_name(const char *path);

/* The folder that a path is in, as one that can be opened: without slashes at
 * its end, "/" for the root, "." for a name alone. NULL: no memory. */
char *ggki_folder_name(const ggk_allocator *mem, const char *path);

#endif
