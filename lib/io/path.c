/* path.c - the two parts of a path. */
#include "io/path.h"

#include <string.h>

#include "base/mem.h"

const char *ggki_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

char *ggki_folder_name(const ggk_allocator *mem, const char *path)
{
    size_t len = (size_t)(ggki_base_name(path) - path);

    if (len == 0)
        return ggki_mem_string(mem, ".", 1);
    while (len > 1 && path[len - 1] == '/')
        len--;
    return ggki_mem_string(mem, path, len);
}
