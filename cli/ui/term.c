/* term.c - what stands at the other end of a stream. */

/* For TIOCGWINSZ, which is in no standard. */
#define _DEFAULT_SOURCE /* NOLINT(*-reserved-identifier,cert-dcl*) */
#include "ui/term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *const term_color_choices[] = {"auto", "always", "never", NULL};

static size_t find_width(int fd)
{
    struct winsize size;
    const char *columns;
    long width;

    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    columns = getenv("COLUMNS");
    width = columns == NULL ? 0 : strtol(columns, NULL, 10);
    return width > 0 && width <= 10000 ? (size_t)width : 80;
}

static bool wants_color(bool tty, enum term_color color)
{
    const char *no_color, *kind;

    if (color == TERM_COLOR_ALWAYS || color == TERM_COLOR_NEVER)
        return color == TERM_COLOR_ALWAYS;
    no_color = getenv("NO_COLOR");
    kind = getenv("TERM");
    return tty && (no_color == NULL || *no_color == '\0') && kind != NULL &&
           strcmp(kind, "dumb") != 0;
}

void term_look(struct term *t, int fd, enum term_color color)
{
    t->tty = isatty(fd) == 1;
    t->width = t->tty ? find_width(fd) : 0;
    t->color = wants_color(t->tty, color);
}

const char *term_style(const struct term *t, enum term_style style)
{
    if (!t->color)
        return "";
    switch (style) {
    case TERM_PLAIN: return "\033[0m";
    case TERM_BOLD: return "\033[1m";
    case TERM_DIM: return "\033[2m";
    case TERM_RED: return "\033[31m";
    case TERM_YELLOW: return "\033[33m";
    case TERM_GREEN: return "\033[32m";
    }
    return "";
}
