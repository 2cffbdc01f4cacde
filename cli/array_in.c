/* array_in.c - what all files with arrays have in common. */
#include "array_in.h"

#include <stdarg.h>
#include <stdio.h>

bool array_measure(const uint64_t *dims, uint32_t n_dims, uint32_t width,
                   uint64_t *out)
{
    uint64_t bytes = width;

    *out = 0;
    for (uint32_t i = 0; i < n_dims; i++)
        if (dims[i] == 0)
            return true;
    for (uint32_t i = 0; i < n_dims; i++) {
        if (bytes > UINT64_MAX / dims[i])
            return false;
        bytes *= dims[i];
    }
    *out = bytes;
    return true;
}

enum array_read array_fail(struct array_error *err, enum array_read read,
                           uint64_t at, const char *field, const char *format,
                           ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(err->what, sizeof err->what, format, args);
    va_end(args);
    snprintf(err->field, sizeof err->field, "%s", field);
    err->at = at;
    return read;
}
