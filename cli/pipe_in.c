/* pipe_in.c - inputs that can be read from their beginning to their end only.
 */
#include "pipe_in.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"
#include "small_file.h"

/* What was read. */
struct read_whole {
    char *bytes;
    size_t n;
};

static int read_part(void *ctx, uint64_t off, void *buf, size_t bytes,
                     size_t *got)
{
    const struct read_whole *whole = ctx;
    size_t left = off < whole->n ? whole->n - (size_t)off : 0;

    *got = bytes < left ? bytes : left;
    if (*got > 0)
        memcpy(buf, whole->bytes + (size_t)off, *got);
    return 0;
}

static void release(void *ctx)
{
    struct read_whole *whole = ctx;

    free(whole->bytes);
    free(whole);
}

bool pipe_in_is(const char *file)
{
    bool is_stdin = input_is_stdin(file);
    struct stat st;

    if ((is_stdin ? fstat(STDIN_FILENO, &st) : stat(file, &st)) != 0)
        return false;
    if (S_ISREG(st.st_mode))
        return is_stdin && lseek(STDIN_FILENO, 0, SEEK_CUR) != 0;
    return !S_ISDIR(st.st_mode);
}

static ggk_status fail_read(ggk_error *err, int failed)
{
    *err = (ggk_error){.status = failed == ENOMEM  ? GGK_E_NOMEM
                                 : failed == EFBIG ? GGK_E_UNSUPPORTED
                                                   : GGK_E_IO,
                       .sys_errno = failed,
                       .offset = GGK_NO_OFFSET};
    if (failed == EFBIG)
        snprintf(err->what, sizeof err->what,
                 "more than %zu MiB: so much is read from a file only",
                 PIPE_IN_MOST >> 20);
    else
        snprintf(err->what, sizeof err->what, "cannot read: %s",
                 strerror(failed));
    return err->status;
}

ggk_status pipe_in_open(const char *file, ggk_source **out, ggk_error *err)
{
    struct read_whole *whole = calloc(1, sizeof *whole);
    ggk_callbacks callbacks = {read_part, release, whole, 0};
    int failed = whole == NULL ? ENOMEM
                               : small_file_read(file, PIPE_IN_MOST,
                                                 &whole->bytes, &whole->n);
    ggk_status status;

    *out = NULL;
    if (failed == 0) {
        callbacks.size = whole->n;
        status = ggk_source_from_callbacks(&callbacks, NULL, out, err);
    } else {
        status = fail_read(err, failed);
    }
    if (status != GGK_OK && whole != NULL)
        release(whole);
    return status;
}
