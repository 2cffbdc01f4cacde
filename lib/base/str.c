/* str.c - a string among others. */
#include "base/str.h"

/* `name` is not empty. */
static int compare_name(ggk_str name, const char *with)
{
    size_t len = strlen(with);
    int order = memcmp(name.ptr, with, name.len < len ? name.len : len);

    return order != 0 ? order : (name.len > len) - (name.len < len);
}

bool ggki_str_in(ggk_str s, const char *const *sorted, size_t n)
{
    size_t low = 0, high = n;

    while (s.len > 0 && low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_name(s, sorted[middle]);
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}
