/* test_cli_json.c - the JSON writer: its punctuation, and that no byte of a
 * file can break out of a string. */
#include "cli_capture.h"

#include <math.h>

#include "out/json.h"

/* ------------------------------------------------- a reader of strings only */

static uint32_t hex_unit(const char *s)
{
    char digits[5] = {0};

    memcpy(digits, s, 4);
    return (uint32_t)strtoul(digits, NULL, 16);
}

/* The character of the escape behind a backslash; *s moves behind it. */
static uint32_t read_escape(const char **s)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    const char *letter = strchr(letters, **s);
    uint32_t unit;

    if (**s != 'u') {
        assert_non_null(letter);
        (*s)++;
        return (unsigned char)meanings[letter - letters];
    }
    unit = hex_unit(*s + 1);
    *s += 5;
    assert_false(unit >= 0xdc00 && unit <= 0xdfff);
    if (unit >= 0xd800 && unit <= 0xdbff) {
        assert_memory_equal(*s, "\\ud", 3);
        unit = 0x10000 + ((unit - 0xd800) << 10) + (hex_unit(*s + 2) - 0xdc00);
        *s += 6;
    }
    return unit;
}

/* The bytes of a JSON string, from its opening to its closing quote. */
static size_t read_string(const char **s, unsigned char *out)
{
    size_t n = 0;

    assert_int_equal(*(*s)++, '"');
    while (**s != '"') {
        if (**s == '\\') {
            (*s)++;
            n += capture_encode(read_escape(s), out + n);
        } else {
            out[n++] = (unsigned char)*(*s)++;
        }
    }
    (*s)++;
    return n;
}

static size_t read_base64(const char *s, size_t n, unsigned char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t made = 0, i;

    assert_int_equal(n % 4, 0);
    for (i = 0; i < n; i += 4) {
        uint32_t v = 0;
        size_t pad = (size_t)(s[i + 2] == '=') + (size_t)(s[i + 3] == '=');
        size_t k;

        for (k = 0; k < 4; k++) {
            const char *digit = strchr(digits, s[i + k]);

            assert_true(digit != NULL || (s[i + k] == '=' && i + 4 == n));
            v = v << 6 | (digit != NULL ? (uint32_t)(digit - digits) : 0);
        }
        for (k = 0; k < 3 - pad; k++)
            out[made++] = (unsigned char)(v >> (16 - 8 * k));
    }
    return made;
}

/* Write the bytes as a document, read them back, compare. */
static void expect_round_trip(const unsigned char *bytes, size_t n)
{
    static const char head[] = "{\"base64\":";
    unsigned char back[4096], text[4096];
    struct capture c;
    struct json j;
    const char *s;
    size_t made;

    capture_start(&c);
    json_start(&j, c.out, false);
    json_string(&j, bytes, n);
    json_end(&j);
    capture_stop(&c);
    assert_int_equal(c.text[c.n - 1], '\n');
    assert_true(capture_is_safe(c.text, c.n - 1));
    s = c.text;
    if (unicode_valid(bytes, n)) {
        made = read_string(&s, back);
    } else {
        assert_memory_equal(s, head, sizeof head - 1);
        s += sizeof head - 1;
        made = read_string(&s, text);
        made = read_base64((const char *)text, made, back);
        assert_int_equal(*s++, '}');
    }
    assert_string_equal(s, "\n");
    assert_int_equal(made, n);
    assert_memory_equal(back, bytes, n);
    capture_free(&c);
}

/* ------------------------------------------------------------------- tests */

static void write_sample(struct json *j)
{
    json_open_object(j);
    json_put_u64(j, "schema", 1);
    json_key(j, "empty");
    json_open_object(j);
    json_close_object(j);
    json_key(j, "list");
    json_open_array(j);
    json_i64(j, -1);
    json_open_array(j);
    json_close_array(j);
    json_null(j);
    json_close_array(j);
    json_key(j, "row");
    json_open_row(j);
    json_bool(j, true);
    json_open_object(j);
    json_put_bool(j, "a", false);
    json_put_null(j, "b");
    json_close_object(j);
    json_close_array(j);
    json_put_string(j, "bytes", "\xff", 1);
    json_put_i64(j, "low", INT64_MIN);
    json_put_f64(j, "f", 0.5);
    json_put_cstring(j, "s", "x");
    json_close_object(j);
}

static void compact_has_no_blanks(void **state)
{
    struct capture c;
    struct json j;

    (void)state;
    capture_start(&c);
    json_start(&j, c.out, false);
    write_sample(&j);
    json_end(&j);
    capture_expect(&c, "{\"schema\":1,\"empty\":{},\"list\":[-1,[],null],"
                       "\"row\":[true,{\"a\":false,\"b\":null}],"
                       "\"bytes\":{\"base64\":\"/w==\"},"
                       "\"low\":-9223372036854775808,\"f\":0.5,\"s\":\"x\"}\n");
}

static void pretty_has_a_line_for_each_element(void **state)
{
    struct capture c;
    struct json j;

    (void)state;
    capture_start(&c);
    json_start(&j, c.out, true);
    write_sample(&j);
    json_end(&j);
    capture_expect(&c, "{\n"
                       "  \"schema\": 1,\n"
                       "  \"empty\": {},\n"
                       "  \"list\": [\n"
                       "    -1,\n"
                       "    [],\n"
                       "    null\n"
                       "  ],\n"
                       "  \"row\": [true, {\"a\": false, \"b\": null}],\n"
                       "  \"bytes\": {\"base64\": \"/w==\"},\n"
                       "  \"low\": -9223372036854775808,\n"
                       "  \"f\": 0.5,\n"
                       "  \"s\": \"x\"\n"
                       "}\n");
}

static void numbers_are_exact(void **state)
{
    struct capture c;
    struct json j;

    (void)state;
    capture_start(&c);
    json_start(&j, c.out, false);
    json_open_array(&j);
    json_u64(&j, UINT64_MAX);
    json_u64(&j, 9007199254740993);
    json_i64(&j, INT64_MAX);
    json_f64(&j, (double)1e-5f);
    json_f32(&j, 1e-5f);
    json_f64(&j, 1e16);
    json_f64(&j, -0.0);
    json_f64(&j, (double)NAN);
    json_f64(&j, (double)INFINITY);
    json_f64(&j, (double)-INFINITY);
    json_f32(&j, NAN);
    json_f32(&j, -INFINITY);
    json_close_array(&j);
    json_end(&j);
    capture_expect(&c, "[18446744073709551615,9007199254740993,"
                       "9223372036854775807,9.999999747378752e-06,1e-05,1e+16,"
                       "-0.0,\"nan\",\"inf\",\"-inf\",\"nan\",\"-inf\"]\n");
}

static void levels_nest_to_the_limit(void **state)
{
    struct capture c;
    struct json j;
    int i;

    (void)state;
    capture_start(&c);
    json_start(&j, c.out, false);
    for (i = 0; i < JSON_MAX_DEPTH; i++)
        json_open_array(&j);
    json_null(&j);
    for (i = 0; i < JSON_MAX_DEPTH; i++)
        json_close_array(&j);
    json_end(&j);
    capture_stop(&c);
    assert_int_equal(c.n, 2 * JSON_MAX_DEPTH + 5);
    assert_memory_equal(c.text + JSON_MAX_DEPTH, "null", 4);
    capture_free(&c);
}

static void characters_are_escaped_as_json_knows(void **state)
{
    static const char text[] = "\"\\/\b\f\n\r\t\x01\x7f\xc2\x85\xc2\xad"
                               "\xe2\x80\xa8\xe2\x80\xae\xef\xbb\xbf"
                               "\xf0\x9f\x98\x80\xf3\xa0\x80\x81\xc3\xa9";
    struct capture c;
    struct json j;

    (void)state;
    capture_start(&c);
    json_start(&j, c.out, false);
    json_string(&j, text, sizeof text - 1);
    json_end(&j);
    capture_expect(&c, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u007f\\u0085\\u00ad"
                       "\\u2028\\u202e\\ufeff"
                       "\xf0\x9f\x98\x80\\udb40\\udc01\xc3\xa9\"\n");
}

static void every_byte_comes_back(void **state)
{
    unsigned char byte, pair[2];
    int i, k;

    (void)state;
    expect_round_trip(NULL, 0);
    for (i = 0; i < 256; i++) {
        byte = (unsigned char)i;
        expect_round_trip(&byte, 1);
        for (k = 0; k < 256; k += 5) {
            pair[0] = (unsigned char)i;
            pair[1] = (unsigned char)k;
            expect_round_trip(pair, 2);
        }
    }
}

static void every_character_comes_back(void **state)
{
    unsigned char text[4 * 256];
    uint32_t cp = 0;

    (void)state;
    while (cp < 0x110000) {
        size_t n = 0;

        do {
            if (cp < 0xd800 || cp > 0xdfff)
                n += capture_encode(cp, text + n);
        } while (++cp % 128 != 0);
        expect_round_trip(text, n);
    }
}

static void random_bytes_come_back(void **state)
{
    unsigned char bytes[64];
    uint64_t seed = 1234567;
    int i;

    (void)state;
    for (i = 0; i < 20000; i++)
        expect_round_trip(bytes,
                          capture_random_bytes(&seed, bytes, sizeof bytes));
}

static void long_arrays_stream(void **state)
{
    struct capture c;
    struct json j;
    int i;

    (void)state;
    capture_start(&c);
    json_start(&j, c.out, true);
    json_open_row(&j);
    for (i = 0; i < 100000; i++)
        json_u64(&j, 7);
    json_close_array(&j);
    json_end(&j);
    capture_stop(&c);
    assert_int_equal(c.n, 3 * 100000 + 1);
    assert_memory_equal(c.text + c.n - 5, ", 7]\n", 5);
    capture_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compact_has_no_blanks),
        cmocka_unit_test(pretty_has_a_line_for_each_element),
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(levels_nest_to_the_limit),
        cmocka_unit_test(characters_are_escaped_as_json_knows),
        cmocka_unit_test(every_byte_comes_back),
        cmocka_unit_test(every_character_comes_back),
        cmocka_unit_test(random_bytes_come_back),
        cmocka_unit_test(long_arrays_stream),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
