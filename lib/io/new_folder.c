/* new_folder.c - a folder that is made for new files. */
#include "io/new_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "io/os.h"
#include "io/path.h"

static ggk_status fail_folder(const struct ggki_new_folder *f, ggk_error *err,
                              int failed, const char *verb)
{
    ggki_fail_io(err, failed, verb);
    ggki_err_set_file(err, f->path);
    return GGK_E_IO;
}

static ggk_status open_parent(struct ggki_new_folder *f, ggk_error *err)
{
    char *parent = ggki_folder_name(&f->mem, f->path);
    int failed;

    if (parent == NULL)
        return ggki_fail_memory(err);
    f->parent = ggki_os_open(AT_FDCWD, parent, O_RDONLY | O_DIRECTORY, 0);
    failed = f->parent < 0 ? errno : 0;
    ggki_mem_release_string(&f->mem, parent);
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
    f->path = ggki_folder_name(mem, path);
    if (f->path == NULL)
        return ggki_fail_memory(err);
    f->name = ggki_base_name(f->path);
    if (*f->name == '\0' || strcmp(f->path, ".") == 0)
        return GGK_OK; /* the root and the working folder are there */
    status = open_parent(f, err);
    if (status != GGK_OK || fstatat(f->parent, f->name, &st, 0) == 0)
        return status;
    if (errno != ENOENT)
        return fail_folder(f, err, errno, "look at");
    if (fstatat(f->parent, f->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return fail_folder(f, err, ENOENT, "follow the link");
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
    failed = ggki_os_sync(f->parent);
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
    ggki_mem_release_string(&f->mem, f->path);
    memset(f, 0, sizeof *f);
}
