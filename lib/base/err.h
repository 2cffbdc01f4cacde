/* err.h - filling a caller's ggk_error. */
#ifndef GGKI_ERR_H
#define GGKI_ERR_H

#include "ggk.h"

#if defined(__GNUC__)
#    define GGKI_FORMAT(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#    define GGKI_FORMAT(fmt, args)
#endif

/* Fill `*err` (if there is one) with a failure at no particular byte; the
 * sentence is formatted as by printf. Returns `status`. */
ggk_status ggki_fail(ggk_error *err, ggk_status status, const char *what, ...)
    GGKI_FORMAT(3, 4);

/* The same, in the file of that path. */
ggk_status ggki_fail_at(ggk_error *err, ggk_status status, const char *path,
                        const char *what, ...) GGKI_FORMAT(4, 5);

/* The same for a system call that left `sys_errno`: "cannot open: No such file
 * or directory". */
ggk_status ggki_fail_io(ggk_error *err, int sys_errno, const char *verb);

/* The same, in the file of that path. */
ggk_status ggki_fail_io_at(ggk_error *err, const char *path, int sys_errno,
                           const char *verb);

ggk_status ggki_fail_memory(ggk_error *err);

/* The file is not what it was before. */
ggk_status ggki_fail_changed(ggk_error *err);

/* There is no `noun` number `i`, since there are only `n`. */
ggk_status ggki_fail_index(ggk_error *err, const char *noun, uint64_t i,
                           uint64_t n);

/* What was wanted and what there was, or the value and its limit. */
void ggki_err_set_need(ggk_error *err, uint64_t need, uint64_t have);

/* Name the shard in which it happened. */
void ggki_err_set_file(ggk_error *err, const char *path);

/* The end of a word that counts `n`: "byte" or "bytes". */
static inline const char *ggki_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Pass an error on: `*err = *from`. */
ggk_status ggki_fail_copy(ggk_error *err, const ggk_error *from);

#endif
