/* msg.c - messages to the user, on standard error. */
#include "ui/msg.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "out/text.h"

enum { MAX_SENTENCE = 1024 };

static void put_safely(FILE *out, const char *s)
{
    text_write(out, s, strlen(s), TEXT_VERBATIM, TEXT_WHOLE);
}

static void put_sentence(FILE *out, const char *format, va_list args)
    MSG_PRINTF(2, 0);

static void put_sentence(FILE *out, const char *format, va_list args)
{
    char sentence[MAX_SENTENCE];

    vsnprintf(sentence, sizeof sentence, format, args);
    put_safely(out, sentence);
}

static void put_program(const struct msg *m)
{
    fputs(m->color ? "\033[1mgguf" : "gguf", m->out);
    if (m->command != NULL) {
        putc(' ', m->out);
        put_safely(m->out, m->command);
    }
    fputs(m->color ? ":\033[0m " : ": ", m->out);
}

static void put_level(const struct msg *m, enum msg_level level)
{
    switch (level) {
    case MSG_ERROR: break;
    case MSG_WARNING:
        fputs(m->color ? "\033[33mwarning:\033[0m " : "warning: ", m->out);
        break;
    case MSG_NOTE: fputs("note: ", m->out); break;
    }
}

static void put_place(FILE *out, const struct msg_place *place)
{
    bool has_byte = place->at != MSG_NOWHERE;
    bool has_field = place->field != NULL && place->field[0] != '\0';

    if (!has_byte && !has_field)
        return;
    fputs(" (", out);
    if (has_byte)
        fprintf(out, "at byte %" PRIu64, place->at);
    if (has_byte && has_field)
        fputs(", ", out);
    if (has_field) {
        fputs("field ", out);
        put_safely(out, place->field);
    }
    putc(')', out);
}

static void put_message(const struct msg *m, enum msg_level level,
                        const char *file, const struct msg_place *place,
                        const char *format, va_list args) MSG_PRINTF(5, 0);

static void put_message(const struct msg *m, enum msg_level level,
                        const char *file, const struct msg_place *place,
                        const char *format, va_list args)
{
    if (m->quiet && level != MSG_ERROR)
        return;
    flockfile(m->out);
    put_program(m);
    if (file != NULL) {
        put_safely(m->out, file);
        fputs(": ", m->out);
    }
    put_level(m, level);
    put_sentence(m->out, format, args);
    if (place != NULL)
        put_place(m->out, place);
    putc('\n', m->out);
    fflush(m->out);
    funlockfile(m->out);
}

void msg_error(const struct msg *m, const char *file, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_message(m, MSG_ERROR, file, NULL, format, args);
    va_end(args);
}

void msg_warning(const struct msg *m, const char *file, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_message(m, MSG_WARNING, file, NULL, format, args);
    va_end(args);
}

void msg_note(const struct msg *m, const char *file, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_message(m, MSG_NOTE, file, NULL, format, args);
    va_end(args);
}

void msg_at(const struct msg *m, enum msg_level level, const char *file,
            const struct msg_place *place, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_message(m, level, file, place, format, args);
    va_end(args);
}

void msg_usage(const struct msg *m, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_message(m, MSG_ERROR, NULL, NULL, format, args);
    va_end(args);
    fputs("try 'gguf ", m->out);
    if (m->command != NULL) {
        put_safely(m->out, m->command);
        putc(' ', m->out);
    }
    fputs("--help'\n", m->out);
    fflush(m->out);
}
