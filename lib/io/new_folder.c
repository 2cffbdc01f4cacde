/* new_folder.c - a folder that is made for new files. */
#include "io/new_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

static ggk_status fail_folder(const struct ggki_new_folder *f, ggk_error *err,
                              int failed, const char *verb)
{
    ggki_fail_io(err, failed, verb);
    ggki_err_set_file(err, f->path);
    return GGK_E_IO;
}

/* Bytes of a path up to its last part, slashes included. */
static size_t parent_bytes(const char *path, size_t len)
{
    while (len > 0 && path[len - 1] != '/')
        len--;
    return len;
}

/* The path of the folder that holds `path`, without slashes at its end; empty
 * for "/" and for the working folder. NULL: no memory. */
static char *folder_of(const ggk_allocator *mem, const char *path)
{
    size_t len = parent_bytes(path, strlen(path));

    while (len > 0 && path[len - 1] == '/')
        len--;
    return ggki_mem_string(mem, path, len);
}

static ggk_status open_parent(struct ggki_new_folder *f, ggk_error *err)
{
    size_t len = (size_t)(f->name - f->path);
    char *parent = len == 0 ? ggki_mem_string(&f->mem, ".", 1)
                            : ggki_mem_string(&f->mem, f->path, len);
    int failed = 0;

    if (parent == NULL)
        return ggki_fail_memory(err);
    do {
        f->parent = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        failed = f->parent < 0 ? errno : 0;
    } while (failed == EINTR);
    ggki_mem_release(&f->mem, parent, strlen(parent) + 1);
    return failed == 0 ? GGK_OK
                       : fail_folder(f, err, failed, "make the folder");
}

ggk_status ggki_new_folder_aim(struct ggki_new_folder *f, const char *path,
                               const ggk_allocator *mem, ggk_error *err)
{
    struct stat st;
    ggk_status status;

    memset(f, 0, sizeof *f);
    f->parent = -1;
    f->mem = *mem;
    f->path = folder_of(mem, path);
    if (f->path == NULL)
        return ggki_fail_memory(err);
    f->name = f->path + parent_bytes(f->path, strlen(f->path));
    if (*f->name == '\0')
        return GGK_OK;
    status = open_parent(f, err);
    if (status != GGK_OK || fstatat(f->parent, f->name, &st, 0) == 0)
        return status;
    f->missing = errno == ENOENT;
    return f->missing ? GGK_OK : fail_folder(f, err, errno, "look at");
}

ggk_status ggki_new_folder_make(struct ggki_new_folder *f, ggk_error *err)
{
    if (!f->missing)
        return GGK_OK;
    f->made = mkdirat(f->parent, f->name, 0777) == 0;
    if (f->made || errno == EEXIST)
        return GGK_OK;
    return fail_folder(f, err, errno, "make the folder");
}

ggk_status ggki_new_folder_keep(struct ggki_new_folder *f, ggk_error *err)
{
    int failed;

    if (!f->made)
        return GGK_OK;
    f->made = false;
    do {
        failed = fsync(f->parent) == 0 ? 0 : errno;
    } while (failed == EINTR);
    /* Some file systems do not synchronize folders; there it is done. */
    return failed == 0 || failed == EINVAL
               ? GGK_OK
               : fail_folder(f, err, failed, "write the folder to the disk");
}

void ggki_new_folder_free(struct ggki_new_folder *f)
{
    if (f->path == NULL)
        return;
    if (f->made)
        (void)unlinkat(f->parent, f->name, AT_REMOVEDIR);
    if (f->parent >= 0)
        close(f->parent);
    ggki_mem_release(&f->mem, f->path, strlen(f->path) + 1);
    memset(f, 0, sizeof *f);
}
