/* array_in.c - what all files with arrays have in common. */
#include "array_in.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct array_plain plain_numbers[] = {
    {"F32", 'f', 4}, {"F16", 'f', 2}, {"F64", 'f', 8}, {"BF16", 'b', 2},
    {"I8", 'i', 1},  {"I16", 'i', 2}, {"I32", 'i', 4}, {"I64", 'i', 8},
};
#define N_PLAIN (sizeof plain_numbers / sizeof plain_numbers[0])

const struct array_plain *array_plain_named(const char *name)
{
    for (size_t i = 0; i < N_PLAIN; i++)
        if (strcmp(plain_numbers[i].name, name) == 0)
            return &plain_numbers[i];
    return NULL;
}

const struct array_plain *array_plain_of(char kind, uint32_t width)
{
    for (size_t i = 0; i < N_PLAIN; i++)
        if (plain_numbers[i].kind == kind && plain_numbers[i].width == width)
            return &plain_numbers[i];
    return NULL;
}

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
