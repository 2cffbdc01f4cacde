/* os.h - what the system offers beyond POSIX, where it does; else what does as
 * well. Everything that is Linux's own stands in os.c.
 *
 * Functions return 0 or an errno unless they say otherwise.
 */
#ifndef GGKI_OS_H
#define GGKI_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* May files in the file system of `fd` share blocks? */
bool ggki_os_shares_blocks(int fd);

/* Bytes that this user may still write to the file system of `fd`. */
int ggki_os_free_bytes(int fd, uint64_t *out);

/* Ask for these bytes to be written to the disk by and by. */
void ggki_os_start_writing(int fd, uint64_t off, uint64_t bytes);

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

#endif
