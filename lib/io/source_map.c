/* source_map.c - a source that maps a regular file. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "io/source.h"

static void map_close(ggk_source *source)
{
    /* mmap gave it as void *; it is const for everybody but munmap. */
    union {
        const uint8_t *view;
        void *map;
    } u = {source->view};

    if (source->size != 0)
        munmap(u.map, (size_t)source->size);
    close(source->fd);
    ggki_source_delete(source, sizeof *source);
}

/* Map `size` bytes of `fd`; an empty file cannot be mapped, and need not be. */
static ggk_status map_file(int fd, uint64_t size, const uint8_t **view,
                           ggk_error *err)
{
    void *map;

    *view = (const uint8_t *)"";
    if (size == 0)
        return GGK_OK;
    if (size > SIZE_MAX)
        return ggki_fail_io(err, EFBIG, "map");
    map = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return ggki_fail_io(err, errno, "map");
    *view = map;
    return GGK_OK;
}

ggk_status ggk_source_open_map(const char *path, const ggk_allocator *alloc,
                               ggk_source **out, ggk_error *err)
{
    static const struct ggki_source_ops ops = {NULL, map_close};
    ggk_source *source;
    const uint8_t *view = NULL;
    struct stat st;
    ggk_status status;
    int fd;

    *out = NULL;
    if (path == NULL)
        return ggki_fail(err, GGK_E_ARG, "no path");
    status = ggki_open_regular(path, O_RDONLY, &fd, &st, err);
    if (status != GGK_OK)
        return status;
    source = ggki_source_new(sizeof *source, &ops, alloc);
    if (source == NULL) {
        close(fd);
        return ggki_fail_memory(err);
    }
    status = map_file(fd, (uint64_t)st.st_size, &view, err);
    if (status != GGK_OK) {
        close(fd);
        ggki_source_delete(source, sizeof *source);
        return status;
    }
    source->view = view;
    source->view_bytes = (uint64_t)st.st_size;
    ggki_source_set_file(source, fd, &st);
    *out = source;
    return GGK_OK;
}
