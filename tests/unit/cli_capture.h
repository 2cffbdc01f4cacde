/* cli_capture.h - for tests: a stream into memory, and what may be in it. */
#ifndef TESTS_CLI_CAPTURE_H
#define TESTS_CLI_CAPTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "out/unicode.h"

struct capture {
    FILE *out;
    char *text;
    size_t n;
};

static inline void capture_start(struct capture *c)
{
    c->out = open_memstream(&c->text, &c->n);
    assert_non_null(c->out);
}

/* After this `text` is what was written, until capture_free. */
static inline void capture_stop(struct capture *c)
{
    assert_int_equal(fclose(c->out), 0);
}

static inline void capture_free(struct capture *c)
{
    free(c->text);
}

/* Stop, compare and free. */
static inline void capture_expect(struct capture *c, const char *expected)
{
    capture_stop(c);
    assert_string_equal(c->text, expected);
    capture_free(c);
}

/* Whether text is UTF-8 of printable characters only. */
static inline int capture_is_safe(const char *text, size_t n)
{
    while (n > 0) {
        uint32_t cp;
        size_t len = unicode_decode(text, n, &cp);

        if (len == 0 || !unicode_printable(cp))
            return 0;
        text += len;
        n -= len;
    }
    return 1;
}

/* The same sequence in every run. */
static inline uint64_t capture_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Bytes of which many are parts of UTF-8, and some whole characters. */
static inline size_t capture_random_bytes(uint64_t *state, unsigned char *buf,
                                          size_t max)
{
    static const char *const parts[] = {
        "abc",          "\xc3\xa9",     "\xe2\x80\xae", "\xe2\x80\xa8",
        "\xef\xbb\xbf", "\xed\xa0\x80", "\xc0\xaf",     "\xf0\x9f\x98\x80",
        "\x1b[31m",     "\xc2\x9b",     "\"",           "\\",
        "\xcc\x81",     "\xe4\xb8\xad", "\xf4\x90\x80", "\n",
    };
    size_t want = capture_random(state) % (max + 1), n = 0;

    while (n < want) {
        uint64_t r = capture_random(state);
        const char *part = parts[r >> 8 & 15];
        size_t length = strlen(part);

        if ((r & 1) != 0 && n + length <= max) {
            memcpy(buf + n, part, length);
            n += length;
        } else if (n < max) {
            buf[n++] = (unsigned char)(r >> 16);
        }
    }
    return n;
}

/* The UTF-8 of a code point; its length. */
static inline size_t capture_encode(uint32_t cp, unsigned char *s)
{
    if (cp < 0x80) {
        s[0] = (unsigned char)cp;
        return 1;
    }
    if (cp < 0x800) {
        s[0] = (unsigned char)(0xc0 | cp >> 6);
        s[1] = (unsigned char)(0x80 | (cp & 63));
        return 2;
    }
    if (cp < 0x10000) {
        s[0] = (unsigned char)(0xe0 | cp >> 12);
        s[1] = (unsigned char)(0x80 | (cp >> 6 & 63));
        s[2] = (unsigned char)(0x80 | (cp & 63));
        return 3;
    }
    s[0] = (unsigned char)(0xf0 | cp >> 18);
    s[1] = (unsigned char)(0x80 | (cp >> 12 & 63));
    s[2] = (unsigned char)(0x80 | (cp >> 6 & 63));
    s[3] = (unsigned char)(0x80 | (cp & 63));
    return 4;
}

#endif
