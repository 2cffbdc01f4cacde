/* finish.c - the standard streams: sound at the start, checked at the end. */
#include "ui/finish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_OUTPUT_LOST = 3, STDOUT_BYTES = 1 << 16, STDERR_BYTES = 1 << 12 };

/* Open for the other direction, so that what cannot work says so (EBADF)
 * instead of reading or writing nothing. Descriptors are given out from the
 * lowest, so each of these gets the number that is missing. */
static void fill_descriptor(int fd)
{
    if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
        return;
    if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
        _exit(EXIT_OUTPUT_LOST);
}

void finish_prepare(void)
{
    static char out_buffer[STDOUT_BYTES];
    static char err_buffer[STDERR_BYTES];
    int fd;

    for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        fill_descriptor(fd);
    setvbuf(stdout, out_buffer, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF,
            sizeof out_buffer);
    /* A message is one write, so that those of two programs do not mix. */
    setvbuf(stderr, err_buffer, _IOLBF, sizeof err_buffer);
}

/* Some file systems tell only on close that there was no room; a copy of the
 * descriptor is closed, because the stream is still needed. */
static bool close_copy(int fd)
{
    int copy = dup(fd);

    return copy == -1 || close(copy) == 0;
}

/* Whether all that was written to `f` got where it should; if not, *why is the
 * errno, or 0 if it is no longer known. */
static bool flush_stream(FILE *f, int *why)
{
    bool was_good = !ferror(f);

    errno = 0;
    if (fflush(f) == 0 && was_good && close_copy(fileno(f)))
        return true;
    *why = errno;
    return false;
}

int finish(const struct msg *m, int status)
{
    int why = 0;

    if (!flush_stream(stdout, &why)) {
        if (why == 0)
            msg_error(m, NULL, "cannot write to standard output");
        else if (why != EPIPE)
            msg_error(m, NULL, "cannot write to standard output: %s",
                      strerror(why));
        status = EXIT_OUTPUT_LOST;
    }
    if (!flush_stream(stderr, &why) && status == 0)
        status = EXIT_OUTPUT_LOST;
    return status;
}
