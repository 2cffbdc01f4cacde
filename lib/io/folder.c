/* folder.c - finds a file in a folder. */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "io/source.h"

char *ggki_folder_join(const ggk_allocator *mem, const char *folder,
                       const char *name)
{
    size_t folder_len = strlen(folder), name_len = strlen(name);
    char *path;

    if (folder_len > 0 && folder[folder_len - 1] == '/')
        folder_len--;
    path = ggki_mem_resize(mem, NULL, 0, folder_len + name_len + 2);
    if (path != NULL) {
        memcpy(path, folder, folder_len);
        path[folder_len] = '/';
        memcpy(path + folder_len + 1, name, name_len + 1);
    }
    return path;
}

ggk_status ggki_folder_each(const char *path, ggki_on_name *each, void *ctx,
                            ggk_error *err)
{
    DIR *dir;
    ggk_status status = GGK_OK;

    do {
        dir = opendir(path);
    } while (dir == NULL && errno == EINTR);
    if (dir == NULL)
        return ggki_fail_io(err, errno, "open");
    while (status == GGK_OK) {
        const struct dirent *entry;

        errno = 0;
        /* NOLINTNEXTLINE(concurrency-mt-unsafe): nobody else has `dir` */
        entry = readdir(dir);
        if (entry != NULL)
            status = each(ctx, entry->d_name, err);
        else if (errno != 0)
            status = ggki_fail_io(err, errno, "read");
        else
            break;
    }
    closedir(dir);
    return status;
}

struct finding {
    const char *path;
    const ggk_allocator *mem;
    bool (*accept)(const char *name);
    char **out;
    uint64_t *n;
};

static ggk_status note_accepted(void *ctx, const char *name, ggk_error *err)
{
    const struct finding *f = ctx;

    if (!f->accept(name) || ++*f->n > 1)
        return GGK_OK;
    *f->out = ggki_folder_join(f->mem, f->path, name);
    return *f->out != NULL ? GGK_OK : ggki_fail_memory(err);
}

ggk_status ggki_folder_find(const char *path, const ggk_allocator *mem,
                            bool (*accept)(const char *name), char **out,
                            uint64_t *n, ggk_error *err)
{
    struct finding f = {path, mem, accept, out, n};
    ggk_status status;

    *out = NULL;
    *n = 0;
    status = ggki_folder_each(path, note_accepted, &f, err);
    if (status != GGK_OK && *out != NULL) {
        ggki_mem_release_string(mem, *out);
        *out = NULL;
    }
    return status;
}
