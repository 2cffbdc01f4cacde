/* set_doubts.h - what gguf set is asked for and is surely a mistake. */
#ifndef CLI_SET_DOUBTS_H
#define CLI_SET_DOUBTS_H

#include "cmd/set_requests.h"

/* set_doubts - whether request `r` of them all is refused, with the reason: the
 * number of a token that there is none of, or the name of a file where its text
 * was meant. Nothing is with --force. Of a token that is ordinary text it is
 * warned. */
bool set_doubts(const struct edit *e, const struct set_requests *all,
                const struct set_request *r);

/* set_doubts_task - the task of the token whose number the key holds: "eos";
 * NULL if there is none.
 * set_doubts_lengths - warn if the requests give the arrays of the tokenizer
 * another length than the tokens have, once the plan has all values. */
const char *set_doubts_task(ggk_str key);
void set_doubts_lengths(const struct edit *e, const struct set_requests *all);

#endif
