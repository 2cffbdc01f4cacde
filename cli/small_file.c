/* small_file.c - what is read whole: values, lists, tables. Not by stdio, which
 * hides its calls from the tests that make them fail. */
#include "small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_ROOM ((size_t)1 << 16)

/* Make room for more than the `room` bytes that there are, up to `most` and one
 * to see that there are more. */
static int grow_block(char **block, size_t *room, size_t most)
{
    size_t wanted = *room < most / 2 ? *room * 2 : most + 1;
    char *grown;

    if (*room == 0)
        wanted = FIRST_ROOM < most ? FIRST_ROOM : most + 1;
    grown = realloc(*block, wanted + 1); /* and the NUL */
    if (grown == NULL)
        return ENOMEM;
    *block = grown;
    *room = wanted;
    return 0;
}

static int read_all(int fd, size_t most, char **block, size_t *n)
{
    size_t room = 0;

    for (;;) {
        int failed = *n == room ? grow_block(block, &room, most) : 0;
        ssize_t got;

        if (failed != 0)
            return failed;
        got = read(fd, *block + *n, room - *n);
        if (got == 0)
            return 0;
        if (got < 0 && errno != EINTR)
            return errno;
        if (got > 0)
            *n += (size_t)got;
        if (*n > most)
            return EFBIG;
    }
}

int small_file_read(const char *path, size_t most, char **out, size_t *n)
{
    int fd = STDIN_FILENO, failed;
    char *block = NULL;

    *out = NULL;
    *n = 0;
    if (strcmp(path, "-") != 0)
        do {
            fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        } while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return errno;
    failed = read_all(fd, most, &block, n);
    if (fd != STDIN_FILENO)
        close(fd);
    if (failed != 0) {
        free(block);
        return failed;
    }
    block[*n] = '\0';
    *out = block;
    return 0;
}
