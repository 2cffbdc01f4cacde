/* os.h - what the system offers beyond POSIX, where it does; else what does as
 * well. Everything that is Linux's own stands in os.c.
 *
 * Functions return 0 or an errno unless they say otherwise.
 */
#ifndef GGKI_OS_H
#define GGKI_OS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Copy up to `bytes` bytes between two files in the kernel, which may share
 * blocks instead; their number into `*done`, 0 at the end of the input.
 * EOPNOTSUPP: it cannot be done for these files. */
int ggki_os_copy_range(int in, uint64_t in_off, int out, uint64_t out_off,
                       uint64_t bytes, uint64_t *done);

/* The first run of data of `fd` in [off, end): its start into `*from`, its end
 * into `*to`. Both are `end` if there is none. Where holes cannot be told, all
 * is data. */
void ggki_os_next_data(int fd, uint64_t off, uint64_t end, uint64_t *from,
                       uint64_t *to);

/* openat, without letting the descriptor go to other programs; and it goes on
 * after a signal. -1 and errno: it failed. */
int ggki_os_open(int folder, const char *path, int flags, mode_t mode);

/* Read all of it (ENODATA: the file ends before), write all of it, wait until a
 * file is on the disk: they go on after a signal. */
int ggki_os_read(int fd, uint64_t off, void *data, size_t bytes);
int ggki_os_write(int fd, uint64_t off, const void *data, size_t bytes);
int ggki_os_sync(int fd);

/* Memory that will be filled, all of it, from one end to the other: the system
 * may give it in large pages, which it does many times faster. */
void ggki_os_will_fill(void *at, size_t bytes);

/* May files in the file system of `fd` share blocks? */
bool ggki_os_shares_blocks(int fd);

/* Give the file `fd` the access control list of the one at `path`, or none if
 * that has none or is NULL; before its mode. Has `fd` one, so that its group's
 * rights are not the mode's?
 */
int ggki_os_copy_acl(const char *path, int fd);
bool ggki_os_has_acl(int fd);

/* Bytes that this user may still write to the file system of `fd`. */
int ggki_os_free_bytes(int fd, uint64_t *out);

/* Ask for these bytes to be read from the disk, or written to it, by and by. */
void ggki_os_start_reading(int fd, uint64_t off, uint64_t bytes);
void ggki_os_start_writing(int fd, uint64_t off, uint64_t bytes);

/* The path of the file itself if `path` is a symbolic link, else `path`. Where
 * the link leads cannot be told: `path`, too. `room` holds it. */
const char *ggki_os_file_path(const char *path, char room[PATH_MAX]);

/* Within a folder: rename, but fail with EEXIST if `to` is there. */
int ggki_os_rename_new(int folder, const char *from, const char *to);

/* Within a folder: let two names change places. EOPNOTSUPP: it cannot be done
 * here. */
int ggki_os_exchange(int folder, const char *a, const char *b);

/* Within a folder: give a file a second name; EEXIST if `to` is there.
 * EOPNOTSUPP: it can have but one, or has as many as it can. */
int ggki_os_link(int folder, const char *from, const char *to);

/* Lock a file against other processes that do this, without waiting;
 * EWOULDBLOCK: one has. Ends when `fd` is closed. */
int ggki_os_lock(int fd);

/* Keep others from having the file alone, until `fd` is closed; EWOULDBLOCK:
 * one has. */
int ggki_os_lock_shared(int fd);

/* Have it alone, until it is shared again or `fd` is closed: no other process
 * can open it, but waits, or is refused if it does not wait. EWOULDBLOCK: one
 * has it open, or mapped.
 */
int ggki_os_keep_alone(int fd);
void ggki_os_share_again(int fd);

/* Is it still so, and has nobody asked for the file? */
bool ggki_os_is_alone(int fd);

/* Make room for `bytes` bytes at `off`, or take them out; what follows moves.
 * Both must be multiples of the file system's unit, or it is EINVAL;
 * EOPNOTSUPP: it cannot be done in this file system. Not atomic if the power is
 * lost: see ggki_extents_boundary. */
int ggki_os_insert(int fd, uint64_t off, uint64_t bytes);
int ggki_os_collapse(int fd, uint64_t off, uint64_t bytes);

/* May insertion work there? As far as can be told without trying. */
bool ggki_os_may_insert(int fd);

/* Have blocks for the first `bytes` bytes, where that can be asked for. */
int ggki_os_allocate(int fd, uint64_t bytes);

/* When the file was made; EOPNOTSUPP: it is not known. */
int ggki_os_birth(int fd, struct timespec *out);

/* One run of a file's bytes, and where it is on the disk. */
struct ggki_extent {
    uint64_t at, disk, bytes;
};

/* Up to `n` runs from position `from` on, in order, of what is on the disk;
 * their number into `*got`, and whether that was the last into `*last`.
 * EOPNOTSUPP: not all of them are in a place, or, unless `shared`, in one that
 * no other file has too. */
int ggki_os_extents(int fd, uint64_t from, bool shared, struct ggki_extent *out,
                    size_t n, size_t *got, bool *last);

#endif
