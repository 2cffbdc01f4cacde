/* library.h - functions of a library that is opened at run time. */
#ifndef GGKI_LIBRARY_H
#define GGKI_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* Put the function of that name behind `function`, which points to a pointer to
 * it; false: the library lacks it. ISO C knows no way from a pointer to a
 * function; POSIX says it is one. */
static inline bool ggki_library_find(void *library, const char *name,
                                     void *function)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

#endif
