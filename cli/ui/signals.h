/* signals.h - SIGPIPE, SIGBUS in mapped files, and those that ask for an end.
 */
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

/* signals_catch - from now on the first SIGINT, SIGTERM or SIGHUP is noted, so
 * that work can end in order; the second kills, as all do otherwise. One that
 * our parent had ignored stays ignored. To be called again does nothing. */
void signals_catch(void);

/* signals_caught - the signal that was noted, or 0. */
int signals_caught(void);

/* signals_die - end by the signal that was noted, as if it had not been caught,
 * so that whoever started us can tell. Returns if there was none. */
void signals_die(void);

#endif
