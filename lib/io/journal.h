/* journal.h - what a file was before an edit in place, so that the edit can be
 * undone if it is interrupted.
 *
 * It lies beside the file, as ".NAME.ggk-journal", from before the first byte
 * is changed until the last one is on the disk; it appears there whole. All
 * numbers in it are little-endian, of 64 bits:
 *
 *     0  "GGKJRNL1"
 *     8  bytes of the journal
 *    16  inode of the file
 *    24  when that was made: seconds, nanoseconds; 0, 2^64-1: not known
 *    40  bytes of the file before
 *    48  bytes that are put in at its front
 *    56  extents that follow, each: position, place on the disk, bytes
 *    64  runs of old bytes that follow, each: position, bytes; in order, none
 *        of them empty
 *    72  how much of the file's beginning is looked at before it is undone, and
 * a sum of that without the runs; 0, 0: nothing 88  the extents, the runs, the
 * bytes of all runs, a checksum
 */
#ifndef GGKI_JOURNAL_H
#define GGKI_JOURNAL_H

#include <sys/stat.h>
#include <time.h>

#include "ggk.h"
#include "io/extents.h"

/* Bytes of a file, from `at` on: what they were, and what they become; what was
 * put in before them not counted. */
struct ggki_run {
    uint64_t at, bytes;
    const uint8_t *was, *now;
};

/* Which file it is, as far as that can be told. */
struct ggki_identity {
    uint64_t ino;
    struct timespec birth; /* tv_nsec is -1 if it is not known */
};

struct ggki_journal {
    struct ggki_identity file;
    uint64_t size;             /* of the file before */
    uint64_t inserted;         /* bytes put in at its front */
    uint64_t rest_bytes, rest; /* of its beginning: see ggki_journal_rest */
    struct ggki_extents extents;
    struct ggki_run *runs;
    size_t n_runs, run_capacity;
    uint8_t *image; /* that it was read from, or NULL */
    size_t image_bytes;
};

/* Note that bytes will be overwritten by others, all of which must stay: some,
 * behind those noted before. False: no memory. */
bool ggki_journal_add(struct ggki_journal *j, const ggk_allocator *mem,
                      const struct ggki_run *run);
void ggki_journal_free(struct ggki_journal *j, const ggk_allocator *mem);

/* Give the journal to `put`, in order. Errors: GGK_E_LIMIT: it is longer than
 * ggki_journal_read reads, and nothing was given; those of `put`. */
typedef ggk_status ggki_journal_put(void *ctx, const void *data, size_t bytes,
                                    ggk_error *err);
ggk_status ggki_journal_encode(const struct ggki_journal *j,
                               ggki_journal_put *put, void *ctx,
                               ggk_error *err);

/* Read the journal that is open as `fd`. Errors: GGK_E_INTERRUPTED: it is
 * damaged; GGK_E_IO, GGK_E_NOMEM. */
ggk_status ggki_journal_read(struct ggki_journal *j, int fd,
                             const ggk_allocator *mem, ggk_error *err);

/* Which file is open as `fd`? */
struct ggki_identity ggki_identity_of(int fd, const struct stat *st);

/* Is the journal of this file, whatever has become of it? Where it is not known
 * when files were made, an inode may be another file's by now: then that size
 * must fit, too. */
bool ggki_journal_is_of(const struct ggki_journal *j,
                        const struct ggki_identity *file, uint64_t size);

/* Can the edit have left a file of that size? */
bool ggki_journal_fits(const struct ggki_journal *j, uint64_t size);

/* A sum of the first `rest_bytes` bytes of the file, which `get` fetches in
 * order, with the runs left out: of what an edit does not change. */
typedef ggk_status ggki_journal_get(void *ctx, uint64_t at, uint8_t *out,
                                    size_t bytes, ggk_error *err);
ggk_status ggki_journal_rest(const struct ggki_journal *j,
                             ggki_journal_get *get, void *ctx, uint64_t *out,
                             ggk_error *err);

/* Read no more of the journal that is open as `fd` than which file it is of,
 * and its sizes; false: it is none. */
bool ggki_journal_head(struct ggki_journal *j, int fd);

/* Is it the journal of the file of that name in an open folder? If that cannot
 * be told, it may be. */
bool ggki_journal_is_of_name(const struct ggki_journal *j, int folder,
                             const char *name);

/* May this be applied, as a journal that an edit of a user's file has left? */
bool ggki_journal_may_be(const struct stat *journal, uid_t owner);

/* Why a file's own journal may not be applied, and what to do about that. */
#define GGKI_HINDRANCE_BYTES 160
void ggki_journal_hindrance(const struct stat *journal, uid_t owner, char *out,
                            size_t bytes);

/* Does anything lie where the journal of the file at `path` would? */
bool ggki_journal_is_there(const char *path);

/* May the file be read that is open as `fd` by that path? GGK_E_INTERRUPTED:
 * no, since an edit of it was interrupted; whether the journal may be applied,
 * or not. */
ggk_status ggki_journal_check(const char *path, int fd, const struct stat *st,
                              ggk_error *err);

#endif
