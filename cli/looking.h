/* looking.h - what commands that look at the numbers of tensors have in common:
 * threads, and how far they have got. */
#ifndef CLI_LOOKING_H
#define CLI_LOOKING_H

#include "command.h"
#include "ui/progress.h"

struct looking {
    struct progress progress;
    ggk_values_opts opts;
};

/* looking_start - options for the library, and a line of progress that begins
 * with `verb`; looking_end must follow. */
void looking_start(struct looking *l, const struct cli *cli, const char *verb);
void looking_end(struct looking *l);

/* looking_threads - what --threads says, for the library. */
uint32_t looking_threads(const struct cli *cli);

#endif
