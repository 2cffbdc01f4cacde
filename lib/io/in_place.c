/* in_place.c - a file whose beginning is changed where it lies. */
#include "io/in_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "io/hidden.h"
#include "io/new_file.h"
#include "io/os.h"
#include "io/source.h"

#define NEAR_BYTES  64 /* so few that stay the same do not end a run */
#define BLOCK_BYTES 4096
#define READ_BYTES  65536

/* ---------------------------------------------------------------- obstacles */

static const char *reason(int failed)
{
    switch (failed) {
    case 0: return NULL;
    case EBADF: return "it was not opened to be edited";
    case EWOULDBLOCK: return "another process has the file open, or mapped";
    case EACCES:
    case EPERM:
        return "only the owner of the file who may write to it can do that";
    case EROFS: return "the file system is read-only";
    case ETXTBSY: return "the file is in use";
    default: return "the file system cannot tell whether others have it open";
    }
}

const char *ggki_in_place_obstacle(const ggk_source *source, const char *path,
                                   bool despite_links)
{
    const char *why = reason(source->edit_failed);
    struct stat st;

    if (why != NULL)
        return why;
    if (fstat(source->fd, &st) != 0)
        return "the file cannot be looked at";
    if (!despite_links && st.st_nlink != 1)
        return "the file has other names (hard links), which would see it too";
    if (!despite_links && (lstat(path, &st) != 0 || !S_ISREG(st.st_mode)))
        return "the file is reached through a symbolic link";
    if (ggki_journal_is_there(path)) /* of its own it would not have opened */
        return "the journal of an edit of another file lies beside it";
    return NULL;
}

const char *ggki_in_place_begin(const ggk_source *source)
{
    return reason(ggki_os_keep_alone(source->fd));
}

void ggki_in_place_end(const ggk_source *source)
{
    ggki_os_share_again(source->fd);
}

uint64_t ggki_in_place_unit(const ggk_source *source, unsigned attempt)
{
    /* Clusters, of which file systems do not tell the size. */
    static const uint64_t larger[] = {65536, 1048576};
    struct statvfs fs;

    if (attempt > 0)
        return attempt <= sizeof larger / sizeof *larger ? larger[attempt - 1]
                                                         : 0;
    if (!ggki_os_may_insert(source->fd) || fstatvfs(source->fd, &fs) != 0)
        return 0;
    return fs.f_bsize > 0 ? (uint64_t)fs.f_bsize : 4096;
}

/* ------------------------------------------------------------------ journal */

/* An edit while it is done. */
struct editing {
    struct ggki_in_place *e;
    struct ggki_new_file out; /* the journal, before it has its name */
    struct ggki_journal journal;
    char name[GGKI_HIDDEN_BYTES];
    uint64_t pos;
};

/* It cannot be done like this, but if it is written anew. */
static ggk_status fail_here(struct ggki_in_place *e, ggk_status status,
                            const char *why_not, ggk_error *err)
{
    e->why_not = why_not;
    return ggki_fail(err, status, "%s", why_not);
}

/* From `i` on, the first of `n` bytes that differs, or `n`. */
static uint64_t next_difference(const uint8_t *a, const uint8_t *b, uint64_t i,
                                uint64_t n)
{
    while (n - i >= BLOCK_BYTES && memcmp(a + i, b + i, BLOCK_BYTES) == 0)
        i += BLOCK_BYTES;
    while (i < n && a[i] == b[i])
        i++;
    return i;
}

/* The runs of bytes that differ, in a piece of as many as before, at `at`. */
static bool note_differences(struct editing *x, struct ggki_piece was,
                             uint64_t at)
{
    const uint8_t *now = x->e->now + at;
    uint64_t i = next_difference(was.data, now, 0, was.bytes);

    while (i < was.bytes) {
        uint64_t from = i, end = i + 1;
        struct ggki_run run;

        for (i = end; i < was.bytes && i - end < NEAR_BYTES; i++)
            if (was.data[i] != now[i])
                end = i + 1;
        run = (struct ggki_run){at + from, end - from, was.data + from,
                                now + from};
        if (!ggki_journal_add(&x->journal, x->e->mem, &run))
            return false;
        i = next_difference(was.data, now, i, was.bytes);
    }
    return true;
}

/* What will be overwritten: all, or only what differs. */
static bool note_old(struct editing *x)
{
    uint64_t at = 0;
    bool good = true;

    for (int i = 0; i < GGKI_PIECES && good; i++) {
        const struct ggki_piece *was = &x->e->was[i];

        if (x->journal.inserted == 0)
            good = note_differences(x, *was, at);
        else if (was->bytes > 0)
            good = ggki_journal_add(
                &x->journal, x->e->mem,
                &(struct ggki_run){at, was->bytes, was->data,
                                   x->e->now + x->journal.inserted + at});
        at += was->bytes;
    }
    return good;
}

/* The old bytes, from memory. */
static ggk_status get_old(void *ctx, uint64_t at, uint8_t *out, size_t bytes,
                          ggk_error *err)
{
    const struct ggki_piece *was = ((const struct ggki_in_place *)ctx)->was;

    (void)err;
    for (int i = 0; i < GGKI_PIECES && bytes > 0; i++) {
        uint64_t left = at < was[i].bytes ? was[i].bytes - at : 0;
        size_t n = left < bytes ? (size_t)left : bytes;

        if (n > 0)
            memcpy(out, was[i].data + at, n);
        out += n;
        bytes -= n;
        at = n > 0 ? 0 : at - was[i].bytes;
    }
    return GGK_OK;
}

static ggk_status fill_journal(struct editing *x, ggk_error *err)
{
    struct ggki_in_place *e = x->e;
    struct ggki_journal *j = &x->journal;
    struct stat st;
    ggk_status status;

    if (fstat(e->source->fd, &st) != 0)
        return ggki_fail_io_at(err, e->path, errno, "look at");
    j->file = ggki_identity_of(e->source->fd, &st);
    j->size = e->source->size;
    j->inserted = e->now_bytes;
    for (int i = 0; i < GGKI_PIECES; i++)
        j->inserted -= e->was[i].bytes;
    if (!note_old(x))
        return ggki_fail_memory(err);
    if (j->inserted == 0) {
        j->rest_bytes = e->now_bytes;
        return ggki_journal_rest(j, get_old, x->e, &j->rest, err);
    }
    status = ggki_extents_read(&j->extents, e->source->fd, j->size, false,
                               e->mem, err);
    if (status == GGK_E_UNSUPPORTED)
        return fail_here(e, status,
                         "room cannot be made: parts of the file have no "
                         "place of their own on the disk",
                         err);
    return status;
}

static ggk_status put_journal(void *ctx, const void *data, size_t bytes,
                              ggk_error *err)
{
    struct editing *x = ctx;
    ggk_status status = GGK_OK;

    if (!x->e->dry)
        status = ggki_new_file_write(&x->out, x->pos, data, bytes, err);
    x->pos += bytes;
    return status;
}

static ggk_status make_journal(struct editing *x, ggk_error *err)
{
    ggk_status status = fill_journal(x, err);

    if (status == GGK_OK)
        status = ggki_journal_encode(&x->journal, put_journal, x, err);
    if (status == GGK_E_LIMIT)
        x->e->why_not = "so much changes that the journal would be too long";
    return status;
}

/* From here on the file may be touched. */
static ggk_status write_journal(struct editing *x, ggk_error *err)
{
    ggk_status status = make_journal(x, err);

    if (status == GGK_OK)
        status = ggki_new_file_sync(&x->out, err);
    if (status == GGK_OK) {
        status = ggki_new_file_become(&x->out, x->name, err);
        if (status == GGK_E_IO && err->sys_errno == EEXIST)
            x->e->why_not = "the journal of another edit lies beside it";
    }
    return status == GGK_OK ? ggki_new_file_sync_folder(&x->out, err) : status;
}

/* What has taken its name meanwhile is left alone. GGK_E_INTERRUPTED: it is
 * still there. */
static ggk_status remove_journal(const struct editing *x, ggk_error *err)
{
    const struct ggki_new_file *out = &x->out;

    if (ggki_new_file_has_gone(out, x->name, out->temp_dev, out->temp_ino) ||
        unlinkat(out->folder, x->name, 0) == 0 || errno == ENOENT)
        return ggki_new_file_sync_folder(&x->out, err);
    ggki_fail_io_at(err, x->e->path, errno, "remove the journal of");
    if (err != NULL)
        err->status = GGK_E_INTERRUPTED;
    return GGK_E_INTERRUPTED;
}

/* ------------------------------------------------------------------ editing */

/* Room in front, which is there for good before anything is written to it. */
static ggk_status insert(const struct editing *x, ggk_error *err)
{
    int fd = x->e->source->fd;
    int failed = ggki_os_insert(fd, 0, x->journal.inserted);

    if (failed == EOPNOTSUPP || failed == ENOSYS)
        return fail_here(x->e, GGK_E_UNSUPPORTED,
                         "the file system cannot make room in a file", err);
    if (failed == EINVAL)
        x->e->why_not = "the file system cannot make room in this file";
    if (failed == 0)
        failed = ggki_os_sync(fd);
    if (failed == 0)
        failed = ggki_os_allocate(fd, x->journal.inserted);
    return failed == 0
               ? GGK_OK
               : ggki_fail_io_at(err, x->e->path, failed, "make room in");
}

static ggk_status write_bytes(struct editing *x, ggk_error *err)
{
    struct ggki_in_place *e = x->e;
    const struct ggki_journal *j = &x->journal;
    int fd = e->source->fd, failed = 0;

    if (j->inserted > 0)
        failed = ggki_os_write(fd, 0, e->now, (size_t)e->now_bytes);
    for (size_t i = 0; i < j->n_runs && j->inserted == 0 && failed == 0; i++) {
        const struct ggki_run *run = &j->runs[i];

        failed =
            ggki_os_write(fd, run->at, e->now + run->at, (size_t)run->bytes);
    }
    if (failed != 0)
        return ggki_fail_io_at(err, e->path, failed, "write");
    failed = ggki_os_sync(fd);
    return failed == 0
               ? GGK_OK
               : ggki_fail_io_at(err, e->path, failed, "write to the disk");
}

/* What was written is read again: what another process did to it shows now,
 * while it can be undone. */
static ggk_status compare(const struct ggki_in_place *e, uint64_t at,
                          uint64_t bytes, ggk_error *err)
{
    uint8_t is[READ_BYTES];

    for (size_t n; bytes > 0; at += n, bytes -= n) {
        int failed;

        n = bytes < sizeof is ? (size_t)bytes : sizeof is;
        failed = ggki_os_read(e->source->fd, at, is, n);
        if (failed != 0 && failed != ENODATA)
            return ggki_fail_io_at(err, e->path, failed, "read");
        if (failed != 0 || memcmp(is, e->now + at, n) != 0)
            return ggki_fail(err, GGK_E_CHANGED,
                             "what was written is not there when it is read");
    }
    return GGK_OK;
}

static ggk_status verify(const struct editing *x, ggk_error *err)
{
    const struct ggki_journal *j = &x->journal;
    ggk_status status = GGK_OK;
    struct stat st;

    if (fstat(x->e->source->fd, &st) != 0)
        return ggki_fail_io_at(err, x->e->path, errno, "look at");
    if ((uint64_t)st.st_size != j->size + j->inserted)
        return ggki_fail(err, GGK_E_CHANGED, "the file has another size");
    if (j->inserted > 0)
        return compare(x->e, 0, x->e->now_bytes, err);
    for (size_t i = 0; i < j->n_runs && status == GGK_OK; i++)
        status = compare(x->e, j->runs[i].at, j->runs[i].bytes, err);
    return status;
}

static ggk_status change(struct editing *x, ggk_error *err)
{
    ggk_status status = GGK_OK;

    if (x->journal.inserted > 0)
        status = insert(x, err);
    if (status == GGK_OK)
        status = write_bytes(x, err);
    return status == GGK_OK ? verify(x, err) : status;
}

/* Has somebody asked for the file since it was opened, written to it, or put
 * another in its place? */
static ggk_status check_alone(const struct editing *x, ggk_error *err)
{
    const struct ggki_in_place *e = x->e;

    if (ggki_source_changed(e->source))
        return ggki_fail_changed(err);
    if (!ggki_os_is_alone(e->source->fd))
        return fail_here(x->e, GGK_E_LOCKED,
                         "another process is waiting to open the file; try "
                         "again when it is done",
                         err);
    return ggki_new_file_check_target(&x->out, err);
}

/* Once all is as it was, the time of change is too. */
static void restore_time(const ggk_source *source)
{
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, source->written};

    (void)futimens(source->fd, times);
}

static ggk_status fail_interrupted(ggk_error *err, const ggk_error *why,
                                   const ggk_error *undoing)
{
    ggki_fail(err, GGK_E_INTERRUPTED, "%.200s; and undoing it: %.200s",
              why->what, undoing->what);
    return GGK_E_INTERRUPTED;
}

/* Nothing was changed, or all was undone: without the journal it is over. */
static ggk_status give_up(struct editing *x, bool undone, const ggk_error *why,
                          ggk_error *err)
{
    ggk_error undoing;

    x->e->untouched = remove_journal(x, &undoing) != GGK_E_INTERRUPTED;
    if (!x->e->untouched)
        return fail_interrupted(err, why, &undoing);
    if (undone)
        restore_time(x->e->source);
    return ggki_fail_copy(err, why);
}

/* The edit is on the disk. That the journal is gone may not be. */
static ggk_status finish(const struct editing *x, ggk_error *err)
{
    ggk_error why;
    ggk_status status = remove_journal(x, &why);

    if (status == GGK_OK)
        return GGK_OK;
    x->e->done = status != GGK_E_INTERRUPTED;
    ggki_fail_copy(err, &why);
    if (x->e->done && err != NULL)
        snprintf(err->what, sizeof err->what,
                 "it was edited, but after a loss of power the edit may be "
                 "found interrupted: %.200s",
                 why.what);
    return status;
}

static ggk_status edit(struct editing *x, ggk_error *err)
{
    struct ggki_in_place *e = x->e;
    ggk_error why, undoing;
    ggk_status status = write_journal(x, &why);

    if (status != GGK_OK && x->out.made) /* it has no journal's name yet */
        return ggki_fail_copy(err, &why);
    if (status == GGK_OK)
        status = check_alone(x, &why);
    if (status != GGK_OK)
        return give_up(x, false, &why, err);
    e->untouched = false;
    status = change(x, &why);
    if (status == GGK_OK) /* has it its name still? */
        status = ggki_new_file_check_target(&x->out, &why);
    if (status == GGK_OK)
        return finish(x, err);
    return ggki_in_place_undo(&x->journal, e->source->fd, false, e->mem,
                              &undoing) == GGK_OK
               ? give_up(x, true, &why, err)
               : fail_interrupted(err, &why, &undoing);
}

/* All on the disk, and nobody else who writes it. */
static ggk_status prepare(struct editing *x, ggk_error *err)
{
    int failed = ggki_os_sync(x->e->source->fd);

    if (failed != 0)
        return ggki_fail_io_at(err, x->e->path, failed, "write to the disk");
    return ggki_new_file_lock(&x->out, err);
}

/* Bytes of the file that are written. */
static uint64_t count_written(const struct editing *x)
{
    const struct ggki_journal *j = &x->journal;
    uint64_t sum = 0;

    if (j->inserted > 0)
        return x->e->now_bytes;
    for (size_t i = 0; i < j->n_runs; i++)
        sum += j->runs[i].bytes;
    return sum;
}

ggk_status ggki_in_place_write(struct ggki_in_place *e, ggk_error *err)
{
    struct editing x = {.e = e};
    char room[PATH_MAX]; /* the journal lies beside the file, not a link */
    ggk_status status =
        ggki_new_file_aim(&x.out, ggki_os_file_path(e->path, room), NULL, 0600,
                          NULL, e->mem, err);

    e->untouched = true;
    e->done = false;
    e->why_not = NULL;
    if (status == GGK_OK && (!x.out.has_file || x.out.dev != e->source->dev ||
                             x.out.ino != e->source->ino))
        status = ggki_fail_changed(err);
    x.out.alone = true;
    x.out.mode = 0600; /* nobody else needs the journal */
    x.out.unlisted = true;
    if (status == GGK_OK && !e->dry)
        status = prepare(&x, err);
    if (status == GGK_OK) {
        ggki_hidden_name(x.name, x.out.name, GGKI_JOURNAL);
        status = e->dry ? make_journal(&x, err) : edit(&x, err);
    }
    e->written = count_written(&x);
    ggki_journal_free(&x.journal, e->mem);
    ggki_new_file_free(&x.out);
    return status;
}
