/* old_name.h - a file that was renamed without its journal, which lies beside
 * it under the old name. */
#ifndef CLI_OLD_NAME_H
#define CLI_OLD_NAME_H

#include <limits.h>
#include <stdbool.h>

/* Names in the folder of the file. */
struct old_name {
    char journal[NAME_MAX + 1]; /* that is there, */
    char wanted[NAME_MAX + 1];  /* and what has to be its name */
    bool no_journals;           /* there is none in the folder */
};

/* old_name_find - was an edit of a file interrupted when it had another name,
 * and is its journal in the same folder? Only names are read, and no more than
 * those if none is that of a journal. A folder that cannot be read has none. */
bool old_name_find(const char *file, struct old_name *out);

#endif
