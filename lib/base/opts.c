/* opts.c - the options of a caller, who may know of fewer than there are here,
 * or of more. */
#include "base/opts.h"

#include <string.h>

#include "base/err.h"

static ggk_status fail_unknown(ggk_error *err)
{
    return ggki_fail(err, GGK_E_ARG, "options that this version lacks");
}

ggk_status ggki_opts_take(void *out, size_t out_bytes, const void *opts,
                          ggk_error *err)
{
    const unsigned char *from = opts;
    size_t bytes;

    memset(out, 0, out_bytes);
    if (opts == NULL)
        return GGK_OK;
    memcpy(&bytes, opts, sizeof bytes);
    if (bytes < sizeof bytes)
        return fail_unknown(err);
    for (size_t i = out_bytes; i < bytes; i++)
        if (from[i] != 0)
            return fail_unknown(err);
    memcpy(out, opts, bytes < out_bytes ? bytes : out_bytes);
    return GGK_OK;
}

ggk_status ggki_opts_check_flags(uint32_t flags, uint32_t known, ggk_error *err)
{
    return (flags & ~known) == 0 ? GGK_OK : fail_unknown(err);
}
