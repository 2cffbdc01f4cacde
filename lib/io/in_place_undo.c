/* in_place_undo.c - makes a file what it was before an edit in place. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "io/in_place.h"
#include "io/os.h"

#define READ_BYTES 65536

static ggk_status fail_foreign(ggk_error *err)
{
    return ggki_fail(err, GGK_E_INTERRUPTED,
                     "the file is not in a state that the interrupted edit "
                     "can have left");
}

/* The bytes that are there now. */
static ggk_status get_now(void *ctx, uint64_t at, uint8_t *out, size_t bytes,
                          ggk_error *err)
{
    int failed = ggki_os_read(*(const int *)ctx, at, out, bytes);

    if (failed == ENODATA)
        return ggki_fail_changed(err);
    return failed == 0 ? GGK_OK : ggki_fail_io(err, failed, "read");
}

/* Has somebody written another content into the file since? */
static ggk_status check_rest(const struct ggki_journal *j, int fd,
                             ggk_error *err)
{
    uint64_t rest;
    ggk_status status;

    if (j->rest_bytes == 0)
        return GGK_OK;
    status = ggki_journal_rest(j, get_now, &fd, &rest, err);
    return status == GGK_OK && rest != j->rest ? fail_foreign(err) : status;
}

/* From which of its bytes on the old file has moved: what was put in lies
 * before it. Only extents tell. */
static ggk_status find_gap(const struct ggki_journal *j, int fd,
                           const ggk_allocator *mem, uint64_t *boundary,
                           ggk_error *err)
{
    struct ggki_extents now = {NULL, 0, 0};
    uint64_t head = 0, size = j->size + j->inserted;
    ggk_status status;

    for (size_t i = 0; i < j->n_runs; i++)
        if (j->runs[i].at + j->runs[i].bytes > head)
            head = j->runs[i].at + j->runs[i].bytes;
    status = ggki_extents_read(&now, fd, size, true, mem, err);
    if (status == GGK_OK && !ggki_extents_boundary(&j->extents, &now, j->size,
                                                   j->inserted, head, boundary))
        status = fail_foreign(err);
    ggki_extents_free(&now, mem);
    return status;
}

/* Take out what was put in, or the part of it that was. */
static ggk_status close_gap(const struct ggki_journal *j, int fd,
                            uint64_t boundary, ggk_error *err)
{
    int failed;

    if (boundary < j->size)
        failed = ggki_os_collapse(fd, boundary, j->inserted);
    else /* the size came first, and nothing had moved */
        failed = ftruncate(fd, (off_t)j->size) == 0 ? 0 : errno;
    if (failed == 0)
        failed = ggki_os_sync(fd);
    return failed == 0 ? GGK_OK : ggki_fail_io(err, failed, "take room out of");
}

/* How many bytes of a piece, up to the last one, are not what they were? False:
 * one is neither old nor new, as writing that was interrupted leaves them. */
static bool look_at_piece(const uint8_t *is, const uint8_t *was,
                          const uint8_t *now, size_t n, size_t *changed)
{
    *changed = 0;
    if (memcmp(is, was, n) == 0)
        return true;
    if (memcmp(is, now, n) != 0)
        for (size_t i = 0; i < n; i++)
            if (is[i] != was[i] && is[i] != now[i])
                return false;
    *changed = n;
    while (is[*changed - 1] == was[*changed - 1])
        --*changed;
    return true;
}

/* Where the bytes of the old file are: from `boundary` on, so many further. */
struct moved {
    uint64_t boundary, by;
};

static const struct moved not_moved = {UINT64_MAX, 0};

/* The same of a run. */
static ggk_status look_at_run(const struct ggki_run *run, struct moved moved,
                              int fd, uint64_t *changed, ggk_error *err)
{
    uint8_t is[READ_BYTES];
    size_t n, part;

    *changed = 0;
    for (uint64_t done = 0; done < run->bytes; done += n) {
        uint64_t left = run->bytes - done, at = run->at + done;
        ggk_status status;

        if (at < moved.boundary && left > moved.boundary - at)
            left = moved.boundary - at;
        n = left < sizeof is ? (size_t)left : sizeof is;
        status =
            get_now(&fd, at < moved.boundary ? at : at + moved.by, is, n, err);
        if (status != GGK_OK)
            return status;
        if (!look_at_piece(is, run->was + done, run->now + done, n, &part))
            return fail_foreign(err);
        if (part > 0)
            *changed = done + part;
    }
    return GGK_OK;
}

/* Is each run what the edit can have left? */
static ggk_status check_runs(const struct ggki_journal *j, struct moved moved,
                             int fd, ggk_error *err)
{
    ggk_status status = GGK_OK;
    uint64_t changed;

    for (size_t i = 0; i < j->n_runs && status == GGK_OK; i++)
        status = look_at_run(&j->runs[i], moved, fd, &changed, err);
    return status;
}

static ggk_status fail_write_old(const struct ggki_journal *j, int failed,
                                 ggk_error *err)
{
    ggki_fail_io(err, failed, "write to");
    if (failed == EFBIG && err != NULL) /* within the file, it is no other */
        snprintf(err->what, sizeof err->what,
                 "cannot write to it: the limit on the size of files (ulimit "
                 "-f) is less than its %llu bytes; once it is lifted, try "
                 "again",
                 (unsigned long long)j->size);
    return GGK_E_IO;
}

/* No more than what is not there already: where blocks are written elsewhere
 * each time, there may be no room for that; nor may all be within a limit that
 * stopped the edit. */
static ggk_status write_old(const struct ggki_journal *j, int fd,
                            ggk_error *err)
{
    int failed = 0;

    for (size_t i = 0; i < j->n_runs && failed == 0; i++) {
        const struct ggki_run *run = &j->runs[i];
        uint64_t changed;
        ggk_status status = look_at_run(run, not_moved, fd, &changed, err);

        if (status != GGK_OK)
            return status;
        failed = ggki_os_write(fd, run->at, run->was, (size_t)changed);
    }
    if (failed == 0)
        failed = ggki_os_sync(fd);
    return failed == 0 ? GGK_OK : fail_write_old(j, failed, err);
}

/* What an edit that made no room can have left. */
static ggk_status check_contents(const struct ggki_journal *j, int fd,
                                 ggk_error *err)
{
    ggk_status status = check_rest(j, fd, err);

    return status == GGK_OK ? check_runs(j, not_moved, fd, err) : status;
}

/* Where extents fit by chance, or since another content was written into the
 * same blocks, the runs do not. */
static ggk_status check_gap(const struct ggki_journal *j, int fd,
                            const ggk_allocator *mem, uint64_t *boundary,
                            ggk_error *err)
{
    ggk_status status = find_gap(j, fd, mem, boundary, err);
    struct moved moved = {*boundary, j->inserted};

    return status == GGK_OK ? check_runs(j, moved, fd, err) : status;
}

ggk_status ggki_in_place_undo(const struct ggki_journal *j, int fd, bool dry,
                              const ggk_allocator *mem, ggk_error *err)
{
    struct stat st;
    ggk_status status;
    uint64_t size, boundary = 0;
    bool gap;

    if (fstat(fd, &st) != 0)
        return ggki_fail_io(err, errno, "look at");
    size = (uint64_t)st.st_size;
    if (!ggki_journal_fits(j, size))
        return fail_foreign(err);
    gap = size != j->size;
    status = gap ? check_gap(j, fd, mem, &boundary, err)
                 : check_contents(j, fd, err);
    if (status != GGK_OK || dry)
        return status;
    if (gap)
        status = close_gap(j, fd, boundary, err);
    return status == GGK_OK ? write_old(j, fd, err) : status;
}
