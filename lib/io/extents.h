/* extents.h - where the parts of a file are on the disk, and what of them a
 * half-done insertion has moved.
 *
 * Bytes are put in at the front of a file by moving all that follows, run by
 * run, the last one first; taking them out again moves the first one first. If
 * the power is lost meanwhile, there is a gap at some boundary: what lies
 * before it is where it was in the file, what lies after has moved. Each run
 * stays where it is on the disk, so the boundary can be found.
 */
#ifndef GGKI_EXTENTS_H
#define GGKI_EXTENTS_H

#include "ggk.h"
#include "io/os.h"

struct ggki_extents {
    struct ggki_extent *at; /* in the order of the file */
    size_t n, capacity;
};

/* All of a file of `size` bytes, which must be on the disk. `shared`: even if
 * it has places in common with a copy (cp --reflink), which were its own once:
 * that moves nothing. Errors: GGK_E_UNSUPPORTED: the file system does not tell,
 * or has such places; GGK_E_IO, GGK_E_NOMEM. */
ggk_status ggki_extents_read(struct ggki_extents *list, int fd, uint64_t size,
                             bool shared, const ggk_allocator *mem,
                             ggk_error *err);
void ggki_extents_free(struct ggki_extents *list, const ggk_allocator *mem);

/* Between a file `was` and the same `now`, with `shift` bytes put in at its
 * front in part: the position in the old file from which on all has moved; 0 if
 * all has, `size`, that of the old file, if nothing has; in a hole, the
 * roundest. Of the first `head` bytes some may be in another place on the disk,
 * if they were written once all had moved. False: it is not so. `now` is put
 * into another order. */
bool ggki_extents_boundary(const struct ggki_extents *was,
                           struct ggki_extents *now, uint64_t size,
                           uint64_t shift, uint64_t head, uint64_t *boundary);

#endif
