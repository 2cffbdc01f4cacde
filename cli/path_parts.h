/* path_parts.h - the two parts of a path: the folder, and the name in it. */
#ifndef CLI_PATH_PARTS_H
#define CLI_PATH_PARTS_H

#include <stdbool.h>

/* path_name - what follows the last slash, or all of it. */
const char *path_name(const char *path);

/* path_ends - does the path end so, with something before it? */
bool path_ends(const char *path, const char *ending);

/* path_beside - the path of `name` in the folder that `path` is in; `name`
 * itself if it begins with a slash. To be freed; NULL: no memory. */
char *path_beside(const char *path, const char *name);

/* path_same - do both lead to one file, by whatever names, or would they if it
 * were there? false, too, if that cannot be told. */
bool path_same(const char *a, const char *b);

#endif
