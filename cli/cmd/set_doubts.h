/* set_doubts.h - what gguf set is asked for and is surely a mistake. */
#ifndef CLI_SET_DOUBTS_H
#define CLI_SET_DOUBTS_H

#include "cmd/set_requests.h"

/* set_doubts - whether request `r` of them all is refused, with the reason: the
 * number of a token that there is none of, or the name of a file where its text
 * was meant. Nothing is with --force. */
bool set_doubts(const struct edit *e, const struct set_requests *all,
                const struct set_request *r);

#endif
