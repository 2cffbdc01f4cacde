/* err.c - filling a caller's ggk_error; the names of the statuses. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static GGKI_FORMAT(3, 0) void fill(ggk_error *err, ggk_status status,
                                   const char *what, va_list args)
{
    if (err == NULL)
        return;
    memset(err, 0, sizeof *err);
    err->status = status;
    err->offset = GGK_NO_OFFSET;
    vsnprintf(err->what, sizeof err->what, what, args);
}

ggk_status ggki_fail(ggk_error *err, ggk_status status, const char *what, ...)
{
    va_list args;

    va_start(args, what);
    fill(err, status, what, args);
    va_end(args);
    return status;
}

ggk_status ggki_fail_at(ggk_error *err, ggk_status status, const char *path,
                        const char *what, ...)
{
    va_list args;

    va_start(args, what);
    fill(err, status, what, args);
    va_end(args);
    ggki_err_set_file(err, path);
    return status;
}

ggk_status ggki_fail_io(ggk_error *err, int sys_errno, const char *verb)
{
    char reason[128];

    if (strerror_r(sys_errno, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", sys_errno);
    ggki_fail(err, GGK_E_IO, "cannot %s: %s", verb, reason);
    if (err != NULL)
        err->sys_errno = sys_errno;
    return GGK_E_IO;
}

ggk_status ggki_fail_io_at(ggk_error *err, const char *path, int sys_errno,
                           const char *verb)
{
    ggki_fail_io(err, sys_errno, verb);
    ggki_err_set_file(err, path);
    return GGK_E_IO;
}

ggk_status ggki_fail_memory(ggk_error *err)
{
    return ggki_fail(err, GGK_E_NOMEM, "out of memory");
}

ggk_status ggki_fail_changed(ggk_error *err)
{
    return ggki_fail(err, GGK_E_CHANGED,
                     "the file changed while it was being read");
}

ggk_status ggki_fail_index(ggk_error *err, const char *noun, uint64_t i,
                           uint64_t n)
{
    ggki_fail(err, GGK_E_RANGE, "there is no %s number %llu (of %llu, from 0)",
              noun, (unsigned long long)i, (unsigned long long)n);
    ggki_err_set_need(err, i, n);
    return GGK_E_RANGE;
}

ggk_status ggki_fail_copy(ggk_error *err, const ggk_error *from)
{
    if (err != NULL)
        *err = *from;
    return from->status;
}

void ggki_err_set_need(ggk_error *err, uint64_t need, uint64_t have)
{
    if (err != NULL) {
        err->need = need;
        err->have = have;
    }
}

void ggki_err_set_file(ggk_error *err, const char *path)
{
    if (err != NULL)
        snprintf(err->file, sizeof err->file, "%s", path);
}

const char *ggk_version(void)
{
    return GGK_VERSION_STRING;
}

const char *ggk_status_name(ggk_status status)
{
    switch (status) {
    case GGK_OK: return "GGK_OK";
    case GGK_E_ARG: return "GGK_E_ARG";
    case GGK_E_TYPE: return "GGK_E_TYPE";
    case GGK_E_RANGE: return "GGK_E_RANGE";
    case GGK_E_NOT_FOUND: return "GGK_E_NOT_FOUND";
    case GGK_E_DUPLICATE: return "GGK_E_DUPLICATE";
    case GGK_E_IO: return "GGK_E_IO";
    case GGK_E_NOMEM: return "GGK_E_NOMEM";
    case GGK_E_CHANGED: return "GGK_E_CHANGED";
    case GGK_E_LIMIT: return "GGK_E_LIMIT";
    case GGK_E_EXISTS: return "GGK_E_EXISTS";
    case GGK_E_SAME_FILE: return "GGK_E_SAME_FILE";
    case GGK_E_LOCKED: return "GGK_E_LOCKED";
    case GGK_E_CANCELLED: return "GGK_E_CANCELLED";
    case GGK_E_INTERRUPTED: return "GGK_E_INTERRUPTED";
    case GGK_E_MAGIC: return "GGK_E_MAGIC";
    case GGK_E_VERSION: return "GGK_E_VERSION";
    case GGK_E_VERSION_NEW: return "GGK_E_VERSION_NEW";
    case GGK_E_TRUNCATED: return "GGK_E_TRUNCATED";
    case GGK_E_COUNT: return "GGK_E_COUNT";
    case GGK_E_STRLEN: return "GGK_E_STRLEN";
    case GGK_E_KV_TYPE: return "GGK_E_KV_TYPE";
    case GGK_E_ELEM_TYPE: return "GGK_E_ELEM_TYPE";
    case GGK_E_DEPTH: return "GGK_E_DEPTH";
    case GGK_E_ALIGN: return "GGK_E_ALIGN";
    case GGK_E_ALIGN_TYPE: return "GGK_E_ALIGN_TYPE";
    case GGK_E_ALIGN_DUP: return "GGK_E_ALIGN_DUP";
    case GGK_E_NDIMS: return "GGK_E_NDIMS";
    case GGK_E_DIM: return "GGK_E_DIM";
    case GGK_E_OVERFLOW: return "GGK_E_OVERFLOW";
    case GGK_E_BLOCK: return "GGK_E_BLOCK";
    case GGK_E_OFFSET: return "GGK_E_OFFSET";
    case GGK_E_DATA_MISSING: return "GGK_E_DATA_MISSING";
    case GGK_E_VALUE: return "GGK_E_VALUE";
    case GGK_E_OVERLAP: return "GGK_E_OVERLAP";
    case GGK_E_SPLIT: return "GGK_E_SPLIT";
    case GGK_E_SPLIT_MISSING: return "GGK_E_SPLIT_MISSING";
    case GGK_E_TYPE_TABLE: return "GGK_E_TYPE_TABLE";
    case GGK_E_UNSUPPORTED: return "GGK_E_UNSUPPORTED";
    case GGK_E_BUG: return "GGK_E_BUG";
    }
    return "GGK_E_UNKNOWN";
}
