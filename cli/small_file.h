/* small_file.h - what is read whole: values, lists, tables. */
#ifndef CLI_SMALL_FILE_H
#define CLI_SMALL_FILE_H

#include <stddef.h>

/* small_file_read - all bytes of `path`, or of standard input if that is "-",
 * into `*out`, to be freed, and a NUL after them; `*n` of them. Returns 0 or an
 * errno: EFBIG if there are more than `most`. */
int small_file_read(const char *path, size_t most, char **out, size_t *n);

#endif
