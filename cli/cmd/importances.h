/* importances.h - what gguf imatrix is made of: one function for each action.
 */
#ifndef CLI_IMPORTANCES_H
#define CLI_IMPORTANCES_H

#include "command.h"

enum imatrix_to { TO_BY_NAME, TO_GGUF, TO_DAT }; /* by the name of OUT */

struct imatrix_options {
    int sort; /* enum entry_order */
    bool reverse;
    uint64_t most;
    bool rules;
    int to; /* enum imatrix_to */
    uint64_t chunk_size;
};

/* What entries are sorted by. */
enum entry_order {
    ENTRY_FILE,
    ENTRY_NAME,
    ENTRY_COLUMNS,
    ENTRY_COUNT,
    ENTRY_SUM,
    ENTRY_ZEROS,
    ENTRY_MEAN,
    ENTRY_MAX
};

/* The names of the actions, NULL at the end. */
extern const char *const imatrix_action_names[];

/* The actions, each with what follows its name. They return the exit status. */
int imatrix_show(const struct cli *cli, int argc, char **argv);
int imatrix_check(const struct cli *cli, int argc, char **argv);
int imatrix_merge(const struct cli *cli, int argc, char **argv);
int imatrix_convert(const struct cli *cli, int argc, char **argv);

/* imatrix_source - a file, or standard input, or a pipe, which is read whole;
 * NULL if it cannot be opened, which was told, and the exit status.
 * imatrix_open - read a file, as ggk_imatrix_open_source does; a failure was
 * told.
 */
ggk_source *imatrix_source(const struct cli *cli, const char *file,
                           int *status);
int imatrix_open(const struct cli *cli, const char *file, uint32_t flags,
                 ggk_imatrix **out);

/* imatrix_fail - tell an error of such a file; returns the exit status. */
int imatrix_fail(const struct cli *cli, const char *file, const ggk_error *err);

#endif
