/* term.h - what stands at the other end of a stream. */
#ifndef CLI_UI_TERM_H
#define CLI_UI_TERM_H

#include <stdbool.h>
#include <stddef.h>

/* The values of --color; zero, not given, is as auto. */
enum term_color {
    TERM_COLOR_UNSAID,
    TERM_COLOR_AUTO,
    TERM_COLOR_ALWAYS,
    TERM_COLOR_NEVER
};

extern const char *const term_color_choices[];

struct term {
    bool tty;
    bool color;
    size_t width; /* columns; 0 if no terminal */
};

/* term_look - see what `fd` is. Colours: as the option says; else on a
 * terminal, unless NO_COLOR is set and not empty or TERM is "dumb". */
void term_look(struct term *t, int fd, enum term_color color);

enum term_style {
    TERM_PLAIN, /* ends any other */
    TERM_BOLD,
    TERM_DIM,
    TERM_RED,
    TERM_YELLOW,
    TERM_GREEN
};

/* term_style - the bytes that turn a style on; "" where there is no colour. */
const char *term_style(const struct term *t, enum term_style style);

#endif
