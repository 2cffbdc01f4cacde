/* json_text.c - places in a text of JSON, for messages. */
#include "json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ messages
 */

const char *json_text_place(const char *text, size_t at, char *out)
{
    size_t line = 1, column = 1;

    for (size_t i = 0; i < at; i++) {
        if (text[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
            column++; /* no byte that continues a character */
        }
    }
    snprintf(out, JSON_TEXT_PLACE, "line %zu, column %zu", line, column);
    return out;
}

/* --------------------------------------------------------------------- a walk
 */

/* What is left of the text. It is JSON, so a token ends where it should; still
 * nothing is read past the end. */
struct walk {
    const char *at, *end;
};

static bool stands_at(const struct walk *w, const char *chars)
{
    return w->at < w->end && *w->at != '\0' && strchr(chars, *w->at) != NULL;
}

static void pass_any(struct walk *w, const char *chars)
{
    while (stands_at(w, chars))
        w->at++;
}

#define BLANKS " \t\r\n"

static void pass_string(struct walk *w)
{
    w->at++;
    while (w->at < w->end && *w->at != '"')
        w->at += *w->at == '\\' && w->end - w->at > 1 ? 2 : 1;
    if (w->at < w->end)
        w->at++;
}

static void pass_value(struct walk *w)
{
    size_t depth = 0;

    do {
        pass_any(w, BLANKS ",:");
        if (stands_at(w, "\"")) {
            pass_string(w);
        } else if (stands_at(w, "[{")) {
            depth++;
            w->at++;
        } else if (stands_at(w, "]}")) {
            if (depth > 0)
                depth--;
            w->at++;
        } else {
            while (w->at < w->end && !stands_at(w, BLANKS ",:]}"))
                w->at++;
        }
    } while (depth > 0 && w->at < w->end);
}

/* From an object or array into it. False if it is none, or empty. */
static bool enter(struct walk *w, const char *open)
{
    if (!stands_at(w, open))
        return false;
    w->at++;
    pass_any(w, BLANKS);
    return w->at < w->end && !stands_at(w, "]}");
}

/* From an element to the next; false after the last. */
static bool go_on(struct walk *w)
{
    pass_any(w, BLANKS);
    if (!stands_at(w, ","))
        return false;
    pass_any(w, BLANKS ",");
    return w->at < w->end;
}

static bool find_member(struct walk *w, const char *name, size_t n)
{
    if (!enter(w, "{"))
        return false;
    do {
        const char *start = w->at + 1;
        size_t bytes;

        pass_string(w);
        bytes = (size_t)(w->at - start) - 1;
        pass_any(w, BLANKS ":");
        if (bytes == n && memcmp(start, name, n) == 0)
            return true;
        pass_value(w);
    } while (go_on(w));
    return false;
}

static bool find_index(struct walk *w, size_t i)
{
    bool object = stands_at(w, "{");

    if (!enter(w, "[{"))
        return false;
    for (; i > 0; i--) {
        if (object)
            pass_string(w);
        pass_any(w, BLANKS ":");
        pass_value(w);
        if (!go_on(w))
            return false;
    }
    return true;
}

bool json_text_find(const char *text, size_t bytes, const char *path,
                    size_t *at)
{
    struct walk w = {text, text + bytes};
    bool found = true;

    pass_any(&w, BLANKS);
    while (*path != '\0' && found) {
        size_t n = strcspn(path, ".[");

        /* An element of an object is its name: go on from what that names. */
        if (stands_at(&w, "\"")) {
            pass_string(&w);
            pass_any(&w, BLANKS ":");
        }
        if (*path == '[') {
            char *end;

            found = find_index(&w, strtoul(path + 1, &end, 10));
            path = end + (*end == ']');
        } else {
            found = find_member(&w, path, n);
            path += n;
        }
        path += *path == '.';
    }
    *at = (size_t)(w.at - text);
    return found;
}
