/* new_file.h - a file that appears under its name whole, or not at all.
 *
 * It is written as a temporary in its target's folder, and takes the target's
 * place by a rename, after all of it is on the disk. The temporary has a name
 * that follows from the target's, and is locked while it is written: so a
 * second writer of the same target is refused, and what a killed one left
 * behind is found and removed by the next.
 */
#ifndef GGKI_NEW_FILE_H
#define GGKI_NEW_FILE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "ggk.h"

#define GGKI_NEW_FILE_TRIES 16 /* others may come first so often */

struct ggki_new_file {
    ggk_allocator mem;
    char *path;    /* of the target, as given: for messages */
    char *name;    /* its last part */
    char *temp;    /* name of the temporary */
    int folder;    /* that both are in */
    bool borrowed; /* the folder is that of another new file */
    int fd;        /* of the temporary; -1 once it is sealed */
    bool made;     /* the temporary is there */
    bool alone;    /* set by who has the target for itself (os.h) */
    bool exists;   /* something has the target's name: */
    dev_t name_dev;
    ino_t name_ino;
    bool has_file; /* it is a file, or a link to one: */
    dev_t dev;
    ino_t ino;
    mode_t mode;   /* of that, or what a new one gets, less the umask */
    bool unlisted; /* set by who wants no access control list of it */
    /* Set by who makes a new file of others: its group gets no more rights than
     * everybody, unless it is theirs, and its folder gives it no access control
     * list with more. */
    bool of_inputs;
    gid_t input_gid;
    uid_t uid;
    gid_t gid;
    dev_t temp_dev;
    ino_t temp_ino;
    uid_t temp_uid;
    gid_t temp_gid;
    char *old;    /* a name for what is replaced, while it may be wanted back */
    bool kept;    /* it has that name */
    char *backup; /* the name of a backup; NULL: none is wanted */
    char *earlier; /* that of one which was there, until the end */
    bool made_backup, replaced_backup;
    bool committed;
};

/* Prepare to write `path`; of a symbolic link the name itself will be replaced.
 * Makes nothing yet. `backup`: the suffix of a backup's name, or NULL. `mode`
 * is for a file that replaces none. `beside` may be another new file, settled
 * and freed after this one: if both are in one folder, it is opened once.
 * Errors: GGK_E_IO, GGK_E_NOMEM. */
ggk_status ggki_new_file_aim(struct ggki_new_file *f, const char *path,
                             const char *backup, mode_t mode,
                             const struct ggki_new_file *beside,
                             const ggk_allocator *mem, ggk_error *err);

/* Look once more at what is there under the target's name. */
ggk_status ggki_new_file_look(struct ggki_new_file *f, ggk_error *err);

/* A mode by which the group has no more rights than others. */
mode_t ggki_new_file_cut_group(mode_t mode);

/* Which file has a name in the folder, links followed? None: its st_ino is 0.
 * Errors: GGK_E_IO. */
ggk_status ggki_new_file_beside(const struct ggki_new_file *f, const char *name,
                                struct stat *st, ggk_error *err);

/* Has this file that name in the folder? Has another file it by now, or none?
 * Neither is so if it cannot be told. */
bool ggki_new_file_has_name(const struct ggki_new_file *f, const char *name,
                            dev_t dev, ino_t ino);
bool ggki_new_file_has_gone(const struct ggki_new_file *f, const char *name,
                            dev_t dev, ino_t ino);

/* Make the temporary, and with it the lock; of `bytes` bytes that read as zero.
 * Errors: GGK_E_LOCKED (another process writes to the target, or edits it),
 * GGK_E_IO, GGK_E_NOMEM. */
ggk_status ggki_new_file_lock(struct ggki_new_file *f, ggk_error *err);
ggk_status ggki_new_file_make(struct ggki_new_file *f, uint64_t bytes,
                              ggk_error *err);

/* Write at a position; from any thread. */
ggk_status ggki_new_file_write(const struct ggki_new_file *f, uint64_t off,
                               const void *data, size_t bytes, ggk_error *err);

/* Give it the target's mode and owner, and wait until it is on the disk. */
ggk_status ggki_new_file_sync(struct ggki_new_file *f, ggk_error *err);

/* Is the temporary still the one that was written? */
bool ggki_new_file_is_ours(const struct ggki_new_file *f);

/* Close it, when there are many: the lock ends, until the commit. */
void ggki_new_file_seal(struct ggki_new_file *f);

/* Can that be kept which the target is now? As ggki_new_file_backup, before
 * there is anything to write; `*there`: an earlier backup is. Also
 * GGK_E_INTERRUPTED: the target is half edited; GGK_E_LOCKED: it is edited. */
ggk_status ggki_new_file_check_backup(const struct ggki_new_file *f,
                                      bool replace, bool *there,
                                      ggk_error *err);

/* Keep what the target is now, under the backup's name too: for good once there
 * is a commit. `replace`: even if there is such a file, which is otherwise
 * GGK_E_EXISTS. */
ggk_status ggki_new_file_backup(struct ggki_new_file *f, bool replace,
                                ggk_error *err);

/* Nothing was committed: the backups are what they were. */
void ggki_new_file_undo_backup(struct ggki_new_file *f);

/* Is there under the target's name what was there at first? Errors:
 * GGK_E_CHANGED, GGK_E_IO. */
ggk_status ggki_new_file_check_target(const struct ggki_new_file *f,
                                      ggk_error *err);
ggk_status ggki_new_file_fail_changed(const struct ggki_new_file *f,
                                      ggk_error *err);

/* Take what has the target's name away, under another name, until the file is
 * committed and settled, or all is undone. Nothing, if there is none. Errors:
 * GGK_E_CHANGED (it is not what was there at first), GGK_E_IO. */
ggk_status ggki_new_file_set_aside(struct ggki_new_file *f, ggk_error *err);

/* Let it take the target's place. `replace`: of what was there at first; where
 * the system can exchange names, of nothing else, which is GGK_E_CHANGED. If
 * nothing was there at first, or without `replace`, what is there now is
 * GGK_E_EXISTS. `keep_old`: what was replaced can be brought back by
 * ggki_new_file_undo, until ggki_new_file_settle. */
ggk_status ggki_new_file_commit(struct ggki_new_file *f, bool replace,
                                bool keep_old, ggk_error *err);
void ggki_new_file_undo(struct ggki_new_file *f);

/* Let it take another name in the folder instead, which must be free. It stays
 * open, and with that locked. Errors: GGK_E_LOCKED, GGK_E_IO. */
ggk_status ggki_new_file_become(struct ggki_new_file *f, const char *name,
                                ggk_error *err);

/* Was there a run that set the target aside, and was ended before it put
 * anything in its place? */
ggk_status ggki_new_file_is_aside(const struct ggki_new_file *f, bool *aside,
                                  ggk_error *err);

/* Bring back what such a run kept, if it kept anything of this file. */
ggk_status ggki_new_file_recover(struct ggki_new_file *f, ggk_error *err);

/* Wait until the names in its folder are on the disk. */
ggk_status ggki_new_file_sync_folder(const struct ggki_new_file *f,
                                     ggk_error *err);

/* Remove what a commit kept, or one before it left behind, and wait until the
 * folder is on the disk. */
ggk_status ggki_new_file_settle(struct ggki_new_file *f, ggk_error *err);

/* Release all; a temporary that was not committed is removed. */
void ggki_new_file_free(struct ggki_new_file *f);

#endif
