/* progress.h - how far long work has got, for whoever waits at a terminal. */
#ifndef CLI_UI_PROGRESS_H
#define CLI_UI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "ui/msg.h"

struct progress {
    const struct msg *msg;
    const char *verb; /* "copying"; what is done to the bytes */
    bool terminal;
    bool shown;
    struct timespec begun, last;
};

/* progress_start - from now on SIGINT, SIGTERM and SIGHUP end the work in
 * order: progress_tick returns false. */
void progress_start(struct progress *p, const struct msg *m, const char *verb);

/* progress_tick - as often as one likes: shows the line "copying: 1.2 of 2.0
 * GiB, 1.1 GiB/s, 1 s left" after a second, at most six times a second, on
 * standard error if that is a terminal and messages are not suppressed. False
 * if the work is to end. Suits ggk_on_progress: `ctx` is the struct. */
bool progress_tick(void *ctx, uint64_t done, uint64_t total);

/* progress_end - remove the line. */
void progress_end(struct progress *p);

#endif
