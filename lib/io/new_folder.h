/* new_folder.h - a folder that is made for new files, if it is not there, and
 * goes again if they do not come. */
#ifndef GGKI_NEW_FOLDER_H
#define GGKI_NEW_FOLDER_H

#include "ggk.h"

struct ggki_new_folder {
    ggk_allocator mem;
    char *path;       /* NULL: never aimed */
    const char *name; /* its last part */
    int parent;       /* that it is in */
    bool missing;     /* nothing has its name */
    bool made;
};

/* Look whether the folder is there that the file `path` is to be in. Errors:
 * GGK_E_IO (nor is the one that it would be in), GGK_E_NOMEM. */
ggk_status ggki_new_folder_aim(struct ggki_new_folder *f, const char *path,
                               const ggk_allocator *mem, ggk_error *err);

/* Make it, if it is missing. */
ggk_status ggki_new_folder_make(struct ggki_new_folder *f, ggk_error *err);

/* Keep it, if it was made; wait until that is on the disk. */
ggk_status ggki_new_folder_keep(struct ggki_new_folder *f, ggk_error *err);

/* Release all; a folder that was made and not kept is removed, if it is empty.
 */
void ggki_new_folder_free(struct ggki_new_folder *f);

#endif
