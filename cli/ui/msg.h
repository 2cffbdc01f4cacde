/* msg.h - messages to the user, on standard error.
 *
 *     gguf info: model.gguf: the file ends inside the key (at byte 96, field
 *     kv[2].key)
 *
 * Always one line. File names and sentences are made printable here, so they
 * may hold anything.
 */
#ifndef CLI_UI_MSG_H
#define CLI_UI_MSG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#    define MSG_PRINTF(format, args) \
        __attribute__((__format__(__printf__, format, args)))
#else
#    define MSG_PRINTF(format, args)
#endif

enum msg_level { MSG_ERROR, MSG_WARNING, MSG_NOTE };

struct msg {
    FILE *out;
    const char *command; /* NULL: none yet */
    bool quiet;          /* errors only */
    bool color;
};

/* Where in a file. */
struct msg_place {
    uint64_t at;       /* byte, or MSG_NOWHERE */
    const char *field; /* NULL or "": none */
};

#define MSG_NOWHERE UINT64_MAX

/* msg_error / _warning / _note - a sentence about a file; NULL: about none. */
void msg_error(const struct msg *m, const char *file, const char *format, ...)
    MSG_PRINTF(3, 4);
void msg_warning(const struct msg *m, const char *file, const char *format, ...)
    MSG_PRINTF(3, 4);
void msg_note(const struct msg *m, const char *file, const char *format, ...)
    MSG_PRINTF(3, 4);

/* msg_at - the same, with the place. */
void msg_at(const struct msg *m, enum msg_level level, const char *file,
            const struct msg_place *place, const char *format, ...)
    MSG_PRINTF(5, 6);

/* msg_usage - what is wrong with the command line, and how to learn better. */
void msg_usage(const struct msg *m, const char *format, ...) MSG_PRINTF(2, 3);

#endif
