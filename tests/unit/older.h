/* older.h - for tests: options as an older caller has them, whose struct is
 * shorter and ends where memory does.
 */
#ifndef TESTS_OLDER_H
#define TESTS_OLDER_H

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct older {
    void *map;
    size_t page;
};

/* The first `bytes` bytes of a struct that begins with its size, which becomes
 * that; what stands after them cannot be touched. */
static inline const void *older_make(struct older *o, const void *opts,
                                     size_t bytes)
{
    int fd = open("/dev/zero", O_RDWR);
    unsigned char *at;

    o->page = (size_t)sysconf(_SC_PAGESIZE);
    o->map =
        mmap(NULL, 2 * o->page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    close(fd);
    assert_ptr_not_equal(o->map, MAP_FAILED);
    at = (unsigned char *)o->map + o->page - bytes;
    memcpy(at, opts, bytes);
    memcpy(at, &bytes, sizeof bytes);
    assert_int_equal(mprotect((char *)o->map + o->page, o->page, PROT_NONE), 0);
    return at;
}

static inline void older_free(struct older *o)
{
    munmap(o->map, 2 * o->page);
}

#endif
