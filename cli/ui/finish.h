/* finish.h - the standard streams: sound at the start, checked at the end. */
#ifndef CLI_UI_FINISH_H
#define CLI_UI_FINISH_H

#include "ui/msg.h"

/* finish_prepare - before any file is opened: gives descriptors 0, 1 and 2
 * that were closed a target on which every use fails, so that no data file can
 * get their number; and buffers: output a large one, errors a line. */
void finish_prepare(void);

/* finish - write out what is still buffered. Returns `status`, or 3 after a
 * message if output was lost; no message when its reader went away. */
int finish(const struct msg *m, int status);

#endif
