/* in_place.h - a file whose beginning is changed where it lies.
 *
 * What is overwritten stands in a journal first (journal.h), so that after any
 * interruption the file can be made what it was. The file must have been opened
 * by ggk_source_open_edit, and be ours alone (ggki_in_place_begin).
 */
#ifndef GGKI_IN_PLACE_H
#define GGKI_IN_PLACE_H

#include "ggk.h"
#include "io/journal.h"

/* Bytes that follow each other in a file. */
struct ggki_piece {
    const uint8_t *data;
    uint64_t bytes;
};

#define GGKI_PIECES 2

/* The first bytes of a file, in pieces, and what is to be there instead. If
 * there are to be more, all that follows moves; fewer there cannot be. */
struct ggki_in_place {
    const ggk_source *source;
    const char *path;
    const ggk_allocator *mem;
    struct ggki_piece was[GGKI_PIECES];
    const uint8_t *now;
    uint64_t now_bytes;
    bool dry;            /* do nothing but find out whether it can be done */
    uint64_t written;    /* bytes of the file that are */
    bool untouched;      /* after a failure: the file is as it was, */
    const char *why_not; /* and what cannot be done, if another way may do;
                            static */
    bool done;           /* after a failure: it was edited nevertheless */
};

/* Why can it not be edited in place? NULL: nothing known keeps it from that. */
const char *ggki_in_place_obstacle(const ggk_source *source, const char *path,
                                   bool despite_links);

/* Have the file alone for as long as it is edited; why that cannot be, or NULL.
 * Others may have it again after the end. */
const char *ggki_in_place_begin(const ggk_source *source);
void ggki_in_place_end(const ggk_source *source);

/* Bytes that can be inserted in this file: multiples of this number. `attempt`
 * is 0 at first; if the last answer was not right (EINVAL), 1, 2, ...; 0: there
 * are no others. */
uint64_t ggki_in_place_unit(const ggk_source *source, unsigned attempt);

/* Do it; unless `dry`. On success all is on the disk, and was read again. After
 * a failure the file is as it was, unless `untouched` is false: then the
 * journal is there; or, with `done`, it is gone, but the folder may not be on
 * the disk: after a loss of power the journal may be back. Errors:
 * GGK_E_LOCKED: another process has asked for the file; GGK_E_CHANGED: it is
 * not what it was, or what was written is not there when it is read;
 * GGK_E_UNSUPPORTED: the file system cannot do it; GGK_E_LIMIT: the journal
 * would be too long; GGK_E_IO with sys_errno EINVAL: it cannot insert that many
 * bytes; GGK_E_IO, GGK_E_NOMEM. */
ggk_status ggki_in_place_write(struct ggki_in_place *e, ggk_error *err);

/* Make the file that is open as `fd` what it was; if `dry`, only tell whether
 * that could be done. GGK_E_INTERRUPTED: it is not what the edit can have left,
 * and nothing was done. */
ggk_status ggki_in_place_undo(const struct ggki_journal *j, int fd, bool dry,
                              const ggk_allocator *mem, ggk_error *err);

#endif
