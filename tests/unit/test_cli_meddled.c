/* test_cli_meddled.c - bytes that another writes to while they are written out,
 * as those of a mapped file may be: nothing passes that was not looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>

#include <cmocka.h>

#include "out/json.h"
#include "out/text.h"

#define MEDDLED_BYTES 65536
#define ROUNDS        60

static char meddled[MEDDLED_BYTES];
static atomic_bool enough;

/* Turn letters into what no terminal and no JSON may see, and back. In place of
 * another process, so the sanitizer of threads need not know. */
__attribute__((no_sanitize("thread"))) static void *meddle(void *unused)
{
    static const char bad[] = {'\x1b', '"', '\\', '\n', '\x7f', '\xff', '\0'};
    volatile char *bytes = meddled;
    size_t n = 0;

    (void)unused;
    while (!atomic_load(&enough)) {
        char c = n % 2 == 0 ? bad[n / 2 % sizeof bad] : 'a';
        for (size_t i = n % 61; i < MEDDLED_BYTES; i += 61)
            bytes[i] = c;
        n++;
    }
    return NULL;
}

/* What `write_out` writes while it is meddled with must be as `expect` does. */
static void expect_fit(void (*write_out)(FILE *out),
                       void (*expect)(const char *text, size_t n))
{
    pthread_t thread;

    memset(meddled, 'a', sizeof meddled);
    atomic_store(&enough, false);
    assert_int_equal(pthread_create(&thread, NULL, meddle, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        char *text;
        size_t n;
        FILE *out = open_memstream(&text, &n);

        assert_non_null(out);
        write_out(out);
        assert_int_equal(fclose(out), 0);
        expect(text, n);
        free(text);
    }
    atomic_store(&enough, true);
    pthread_join(thread, NULL);
}

static void write_as_text(FILE *out)
{
    text_write(out, meddled, sizeof meddled, TEXT_VERBATIM, TEXT_WHOLE);
}

static void write_as_repr(FILE *out)
{
    text_repr(out, meddled, sizeof meddled);
}

static void write_as_json(FILE *out)
{
    struct json j;

    json_start(&j, out, false);
    json_string(&j, meddled, sizeof meddled);
    json_end(&j);
}

static void expect_printable(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_in_range((unsigned char)text[i], 0x20, 0x7e);
}

/* One string, or an object with base64: no quote ends it early. */
static void expect_json(const char *text, size_t n)
{
    assert_true(n > 2 && text[n - 1] == '\n');
    expect_printable(text, n - 1);
    if (text[0] != '"')
        return;
    for (size_t i = 1; i < n - 2; i++) {
        assert_int_not_equal(text[i], '"');
        i += text[i] == '\\';
    }
    assert_int_equal(text[n - 2], '"');
}

static void text_is_what_was_looked_at(void **state)
{
    (void)state;
    expect_fit(write_as_text, expect_printable);
    expect_fit(write_as_repr, expect_printable);
}

static void json_is_what_was_looked_at(void **state)
{
    (void)state;
    expect_fit(write_as_json, expect_json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_what_was_looked_at),
        cmocka_unit_test(json_is_what_was_looked_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
