/* key_form.h - what a key may look like, by the format's description. */
#ifndef CLI_KEY_FORM_H
#define CLI_KEY_FORM_H

#include "ggk.h"

/* key_form_fault - NULL if a new key may be called so; else what is wrong with
 * it, and that --force does it, into `text`. */
#define KEY_FORM_BYTES 128
const char *key_form_fault(ggk_str key, char *text);

#endif
