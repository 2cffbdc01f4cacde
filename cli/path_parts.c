/* path_parts.c - the two parts of a path. */
#include "path_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MOST 40   /* one behind the other, as Linux follows them */
#define LINK_BYTES 4096 /* of what a link says, and its NUL */

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

/* What a link says, as a path. NULL: it is none, or that cannot be told. */
static char *follow(const char *path)
{
    char to[LINK_BYTES];
    ssize_t n = readlink(path, to, sizeof to - 1);

    if (n < 0)
        return NULL;
    to[n] = '\0';
    return path_beside(path, to);
}

/* The end of all links that begin with `path`, which need not be there. To be
 * freed; NULL: no memory. */
static char *last_of_links(const char *path)
{
    char *last = strdup(path);

    for (int i = 0; last != NULL && i < LINKS_MOST; i++) {
        char *next = follow(last);

        if (next == NULL)
            break;
        free(last);
        last = next;
    }
    return last;
}

static bool is_one_file(const char *a, const char *b)
{
    struct stat first, second;

    return stat(a, &first) == 0 && stat(b, &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* Are they one name in one folder? */
static bool is_one_place(const char *a, const char *b)
{
    char *folder_a = path_beside(a, "."), *folder_b = path_beside(b, ".");
    bool is_one = strcmp(path_name(a), path_name(b)) == 0 && folder_a != NULL &&
                  folder_b != NULL && is_one_file(folder_a, folder_b);

    free(folder_a);
    free(folder_b);
    return is_one;
}

bool path_same(const char *a, const char *b)
{
    char *last_a, *last_b;
    bool same;

    if (is_one_file(a, b))
        return true;
    last_a = last_of_links(a);
    last_b = last_of_links(b);
    same = last_a != NULL && last_b != NULL && is_one_place(last_a, last_b);
    free(last_a);
    free(last_b);
    return same;
}
