/* signals.h - SIGPIPE, and SIGBUS in mapped files. */
#ifndef CLI_UI_SIGNALS_H
#define CLI_UI_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>

/* signals_start - before anything is written: a reader that goes away ends the
 * program quietly, by SIGPIPE, whatever our parent set. */
void signals_start(void);

/* signals_guard_range - from now on a SIGBUS inside these bytes says
 * "gguf COMMAND: NAME: the file shrank while it was being read" and ends the
 * program with status 3. False if too many ranges are guarded already: read
 * the file without a map then. Any thread may fault; one thread guards.
 * `owner` is whoever will unguard it. */
bool signals_guard_range(const void *owner, const void *start, size_t bytes,
                         const char *command, const char *name);

/* signals_unguard - all ranges of that owner, once they are unmapped. */
void signals_unguard(const void *owner);

#endif
