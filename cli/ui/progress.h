/* progress.h - how far long work has got, for whoever waits at a terminal. */
#ifndef CLI_UI_PROGRESS_H
#define CLI_UI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "ui/msg.h"

struct progress {
    const struct msg *msg;
    const char *verb; /* "copying"; what is done to the bytes */
    bool terminal;    /* somebody may look */
    bool shown;
    size_t columns; /* of the line, at most; of the last one */
    size_t used;
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

/* progress_seconds - that have passed since then, on CLOCK_MONOTONIC. */
double progress_seconds(const struct timespec *begun);

/* progress_line - the text after so much time, in at most `room` - 1 bytes, all
 * of them printable; returns its length. */
size_t progress_line(char *buf, size_t room, const char *verb, uint64_t done,
                     uint64_t total, double seconds);

#endif
