/* new_file_backup.c - what a new file replaces is kept under another name. */
#include "io/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "io/journal.h"
#include "io/os.h"
#include "io/source.h"

static int copy_all(int in, int out)
{
    char buffer[65536];
    struct stat st;
    uint64_t size, at = 0;
    int failed = fstat(in, &st) == 0 ? 0 : errno;

    size = failed == 0 ? (uint64_t)st.st_size : 0;
    while (failed == 0 && at < size) {
        size_t part =
            size - at < sizeof buffer ? (size_t)(size - at) : sizeof buffer;

        failed = ggki_os_read(in, at, buffer, part);
        if (failed == 0)
            failed = ggki_os_write(out, at, buffer, part);
        at += part;
    }
    return failed;
}

/* Copy the target to a new file of this name. */
static int copy_target(const struct ggki_new_file *f, const char *name)
{
    int in = ggki_os_open(f->folder, f->name, O_RDONLY | O_NONBLOCK, 0);
    int out, failed;

    if (in < 0)
        return errno;
    out = ggki_os_open(f->folder, name,
                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    failed = out < 0 ? errno : copy_all(in, out);
    if (failed == 0 && fchmod(out, f->mode & 0777) != 0)
        failed = errno;
    if (failed == 0)
        failed = ggki_os_sync(out);
    if (out >= 0)
        close(out);
    close(in);
    return failed;
}

/* Give the target a second name, that of the backup; where files have but one,
 * copy it. */
static int make_backup(const struct ggki_new_file *f)
{
    int failed = ggki_os_link(f->folder, f->name, f->backup);

    if (failed != EOPNOTSUPP)
        return failed;
    /* Under a temporary's name until it is whole. */
    if (unlinkat(f->folder, f->old, 0) != 0 && errno != ENOENT)
        return errno;
    failed = copy_target(f, f->old);
    if (failed == 0 && renameat(f->folder, f->old, f->folder, f->backup) != 0)
        failed = errno;
    if (failed != 0)
        (void)unlinkat(f->folder, f->old, 0);
    return failed;
}

/* What is half edited is no backup: without the journal nobody would know. */
static ggk_status check_is_whole(const struct ggki_new_file *f, ggk_error *err)
{
    ggk_error why = {.status = GGK_OK};
    struct stat st;
    ggk_status status;
    int fd;

    if (!f->has_file)
        return GGK_OK;
    status = ggki_open_regular(f->path, O_RDONLY, &fd, &st, &why);
    if (status == GGK_OK) {
        close(fd);
        return GGK_OK;
    }
    if (why.sys_errno == EACCES && !ggki_journal_is_there(f->path))
        return GGK_OK;
    ggki_fail_copy(err, &why);
    ggki_err_set_file(err, f->path);
    return status;
}

ggk_status ggki_new_file_check_backup(const struct ggki_new_file *f,
                                      bool replace, bool *there, ggk_error *err)
{
    ggk_status status = check_is_whole(f, err);
    struct stat st;

    *there = false;
    if (status != GGK_OK)
        return status;
    *there = fstatat(f->folder, f->backup, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*there)
        return errno == ENOENT
                   ? GGK_OK
                   : ggki_fail_io_at(err, f->path, errno, "look at");
    if (S_ISDIR(st.st_mode))
        return ggki_fail_at(err, GGK_E_IO, f->path,
                            "\"%.200s\", which is to be the backup, is a "
                            "folder: move it away",
                            f->backup);
    return replace ? GGK_OK
                   : ggki_fail_at(err, GGK_E_EXISTS, f->path,
                                  "a backup exists, \"%.200s\"", f->backup);
}

/* An earlier backup waits under another name until all is done. */
static ggk_status put_earlier_aside(struct ggki_new_file *f, bool replace,
                                    ggk_error *err)
{
    bool there;
    ggk_status status = ggki_new_file_check_backup(f, replace, &there, err);

    if (status != GGK_OK || !there)
        return status;
    if (renameat(f->folder, f->backup, f->folder, f->earlier) != 0)
        return ggki_fail_io_at(err, f->path, errno, "put aside the backup of");
    f->replaced_backup = true;
    return GGK_OK;
}

ggk_status ggki_new_file_backup(struct ggki_new_file *f, bool replace,
                                ggk_error *err)
{
    ggk_status status = put_earlier_aside(f, replace, err);
    int failed;

    if (status != GGK_OK)
        return status;
    failed = make_backup(f);
    f->made_backup = failed == 0;
    return failed == 0
               ? GGK_OK
               : ggki_fail_io_at(err, f->path, failed, "keep a backup of");
}

void ggki_new_file_undo_backup(struct ggki_new_file *f)
{
    if (f->made_backup)
        (void)unlinkat(f->folder, f->backup, 0);
    if (f->replaced_backup)
        (void)renameat(f->folder, f->earlier, f->folder, f->backup);
    f->made_backup = f->replaced_backup = false;
}
