/* path_parts.c - the two parts of a path. */
#include "path_parts.h"

#include <stdlib.h>
#include <string.h>

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

bool path_ends(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);

    return n > m && strcmp(path + n - m, ending) == 0;
}

char *path_beside(const char *path, const char *name)
{
    size_t folder = *name == '/' ? 0 : (size_t)(path_name(path) - path);
    size_t bytes = strlen(name) + 1;
    char *beside = malloc(folder + bytes);

    if (beside == NULL)
        return NULL;
    memcpy(beside, path, folder);
    memcpy(beside + folder, name, bytes);
    return beside;
}
