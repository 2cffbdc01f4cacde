/* test_cli_json_in.c - JSON that is given to us: what is read, and as what;
 * what is refused, and where. */
#include "json_in.h"
#include "json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* In a block of just its size, so that reading on is noticed. */
static enum json_in_parsed parse(const char *text, size_t n,
                                 struct json_in **out, char *why)
{
    char *copy = malloc(n > 0 ? n : 1);
    enum json_in_parsed parsed;

    assert_non_null(copy);
    memcpy(copy, text, n);
    parsed = json_in_parse(copy, n, out, why);
    free(copy);
    return parsed;
}

static struct json_in *read_text(const char *text)
{
    struct json_in *doc;
    char why[JSON_IN_WHY] = "";
    enum json_in_parsed parsed = parse(text, strlen(text), &doc, why);

    if (parsed == JSON_IN_UNSUPPORTED)
        skip();
    assert_string_equal(why, "");
    assert_int_equal(parsed, JSON_IN_PARSED);
    return doc;
}

static void expect_refused(const char *text, size_t n, const char *expected)
{
    struct json_in *doc;
    char why[JSON_IN_WHY] = "";

    assert_int_equal(parse(text, n, &doc, why), JSON_IN_BAD);
    assert_null(doc);
    assert_string_equal(why, expected);
}

static void integers(void **state)
{
    struct json_in *doc = read_text("[0, 18446744073709551615, -1,"
                                    " -9223372036854775808, -0]");
    json_in_value v = json_in_root(doc);
    static const uint64_t numbers[] = {0, UINT64_MAX, (uint64_t)-1,
                                       (uint64_t)INT64_MIN, 0};

    (void)state;
    assert_int_equal(json_in_kind(v), JSON_IN_ARRAY);
    assert_int_equal(json_in_count(v), 5);
    for (size_t i = 0; i < 5; i++) {
        struct json_in_integer n = json_in_integer(json_in_at(v, i));

        assert_int_equal(json_in_kind(json_in_at(v, i)), JSON_IN_INTEGER);
        assert_int_equal(n.negative, i == 2 || i == 3);
        assert_int_equal(n.negative ? (uint64_t)n.i : n.u, numbers[i]);
    }
    json_in_free(doc);
}

/* The sign of a zero counts where it becomes a float. */
static void minus_zeros(void **state)
{
    struct json_in *doc =
        read_text("{\"-0\": [0, -0, -1, 0.5, -0, -0.0, -0e1, 10, \"-0\", -0 ],"
                  " \"b\": -0}");
    static const bool is_one[] = {false, true,  false, false, true,
                                  false, false, false, false, true};
    json_in_value list, v;

    (void)state;
    assert_true(json_in_find(json_in_root(doc), "-0", &list));
    assert_int_equal(json_in_count(list), 10);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(json_in_minus_zero(json_in_at(list, i)), is_one[i]);
    assert_true(json_in_find(json_in_root(doc), "b", &v));
    assert_true(json_in_minus_zero(v));
    json_in_free(doc);
    doc = read_text("-0");
    assert_true(json_in_minus_zero(json_in_root(doc)));
    json_in_free(doc);
}

static void other_values(void **state)
{
    struct json_in *doc =
        read_text("{\"f\": 1e-05, \"s\": \"a\\u0000\\ud83d\\ude00\", "
                  "\"t\": true, \"n\": null, \"o\": {}, \"\": [] }\n");
    json_in_value root = json_in_root(doc), v;
    struct json_in_member m = json_in_first(root);
    static const char *const names[] = {"f", "s", "t", "n", "o", ""};
    static const enum json_in_kind kinds[] = {JSON_IN_FLOAT,  JSON_IN_STRING,
                                              JSON_IN_BOOL,   JSON_IN_NULL,
                                              JSON_IN_OBJECT, JSON_IN_ARRAY};
    size_t n;

    (void)state;
    for (int i = 0; i < 6; i++) {
        assert_string_equal(m.name, names[i]);
        assert_int_equal(json_in_kind(m.value), kinds[i]);
        m = json_in_next(&m);
    }
    assert_null(m.name);
    assert_true(json_in_find(root, "f", &v));
    assert_string_equal(json_in_float(v), "1e-05");
    assert_true(json_in_find(root, "s", &v));
    assert_memory_equal(json_in_string(v, &n), "a\0\xf0\x9f\x98\x80", 6);
    assert_int_equal(n, 6);
    assert_true(json_in_find(root, "t", &v));
    assert_true(json_in_bool(v));
    assert_true(json_in_find(root, "n", &v));
    assert_null(v);
    assert_false(json_in_find(root, "x", &v));
    json_in_free(doc);
}

static void refusals(void **state)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"", "unexpected end of data, at line 1, column 1 of the JSON"},
        {"[1,]", "unexpected character, at line 1, column 4 of the JSON"},
        {"[1] x", "unexpected character, at line 1, column 5 of the JSON"},
        {"[1", "unexpected end of data, at line 1, column 3 of the JSON"},
        {"18446744073709551616", "the integer does not fit into 64 bits, at "
                                 "line 1, column 21 of the JSON"},
        {"[-9223372036854775809]", "the integer does not fit into 64 bits, at "
                                   "line 1, column 22 of the JSON"},
        {"01",
         "no number is written like this, at line 1, column 3 of the JSON"},
        {"1.",
         "no number is written like this, at line 1, column 3 of the JSON"},
        {"-",
         "no number is written like this, at line 1, column 2 of the JSON"},
        {"NaN", "this is no JSON, at line 1, column 1 of the JSON"},
        {"-Infinity",
         "no number is written like this, at line 1, column 2 of the JSON"},
        {"'a'",
         "names and strings stand in double quotes, at line 1, column 1 of the "
         "JSON"},
        {"{'a': 1}",
         "names and strings stand in double quotes, at line 1, column 2 of "
         "the JSON"},
        {"\xef\xbb\xbf{}", "a byte order mark is no part of JSON, at line 1, "
                           "column 1 of the JSON"},
        {"\"\\ud800\"", "half of a surrogate pair stands alone, at line 1, "
                        "column 8 of the JSON"},
        {"\"\\udc00\\ud800\"", "half of a surrogate pair stands alone, at line "
                               "1, column 8 of the JSON"},
        {"\"\\u12\"",
         "\\u wants four hexadecimal digits, at line 1, column 4 of the "
         "JSON"},
        {"{\"a\\u0000\": 1}",
         "the name of a member holds a NUL, at line 1, column 2 of the JSON"},
        {"{\"a\": 1, \"\\u0061\": 2}", "a member occurs more than once in its "
                                       "object, at line 1, column 10 of "
                                       "the JSON"},
        {"[{\"a\": {\"b\": 1, \"b\": 2}}]",
         "a member occurs more than once in its object, at line 1, column 17 "
         "of "
         "the JSON"},
        {"\"a\nb\"", "a control character must be escaped, at line 1, column 3 "
                     "of the JSON"},
        {"\"abc", "the string does not end, at line 1, column 1 of the JSON"},
        {"\"\xff\"", "invalid utf-8 string, at line 1, column 2 of the JSON"},
        {"/*x*/ 1", "unexpected character, at line 1, column 1 of the JSON"},
    };

    (void)state;
    json_in_free(read_text("1"));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_refused(bad[i].text, strlen(bad[i].text), bad[i].why);
    expect_refused("[1]\0[", 5,
                   "this is no JSON, at line 1, column 4 of the JSON");
}

static void depth(void **state)
{
    char text[2 * JSON_IN_DEPTH + 3] = "";

    (void)state;
    memset(text, '[', JSON_IN_DEPTH);
    memset(text + JSON_IN_DEPTH, ']', JSON_IN_DEPTH);
    json_in_free(read_text(text));
    memset(text, '[', JSON_IN_DEPTH + 1);
    memset(text + JSON_IN_DEPTH + 1, ']', JSON_IN_DEPTH + 1);
    expect_refused(text, 2 * JSON_IN_DEPTH + 2,
                   "nesting too deep, at line 1, column 33 of the JSON");
}

/* Of members, also of many, and of names with escapes. */
static void twice(void **state)
{
    (void)state;
    json_in_free(read_text("[{\"a\": {\"a\": [{\"a\": 1}, {\"a\": 2}]}, "
                           "\"A\": 1, \"\": 2, \"a \": \"a\"}]"));
    expect_refused("{\n  \"\xc3\xa4\": 1, \"b\": [2,\n{}],\n"
                   "  \"c\": 3, \"\\u00e4\": 4}",
                   strlen("{\n  \"\xc3\xa4\": 1, \"b\": [2,\n{}],\n"
                          "  \"c\": 3, \"\\u00e4\": 4}"),
                   "a member occurs more than once in its object, at line 4, "
                   "column 11 of the JSON");
    expect_refused("{\"a\\q\": 1}", strlen("{\"a\\q\": 1}"),
                   "invalid string sequence, at line 1, column 5 of the JSON");
}

static void expect_place(const char *text, const char *path,
                         const char *expected)
{
    char place[JSON_TEXT_PLACE];
    size_t at;

    if (!json_text_find(text, strlen(text), path, &at))
        assert_null(expected);
    else
        assert_string_equal(json_text_place(text, at, place), expected);
}

static void places(void **state)
{
    static const char text[] =
        " {\"a\": [1, \"x]\\\"\", {\"b\": [[], {}, 3]}],\n"
        "  \"\xc3\xa4\": null, \"keys\": {\"one\": 1,\n"
        "\t\"two\": {\"type\": \"UINT8\", \"value\": -2.5e3} } }\n";

    (void)state;
    expect_place(text, "", "line 1, column 2");
    expect_place(text, "a", "line 1, column 8");
    expect_place(text, "a[0]", "line 1, column 9");
    expect_place(text, "a[1]", "line 1, column 12");
    expect_place(text, "a[2].b", "line 1, column 26");
    expect_place(text, "a[2].b[2]", "line 1, column 35");
    expect_place(text, "a[3]", NULL);
    expect_place(text, "a[2].b[0][0]", NULL);
    expect_place(text, "a.b", NULL);
    expect_place(text, "\xc3\xa4", "line 2, column 8");
    expect_place(text, "keys", "line 2, column 22");
    expect_place(text, "keys[0]", "line 2, column 23");
    expect_place(text, "keys[1]", "line 3, column 2");
    expect_place(text, "keys[1].value", "line 3, column 36");
    expect_place(text, "keys[1].none", NULL);
    expect_place(text, "keys[2]", NULL);
    expect_place(text, "none", NULL);
}

/* A text that ends anywhere is not read past its end. */
static void places_in_pieces(void **state)
{
    static const char text[] = "{\"a\": [{\"b\\\"\": 1}, {\"c\": [2, 3]}]}";

    (void)state;
    for (size_t n = 0; n < sizeof text; n++) {
        char *piece = malloc(n + 1);
        size_t at;

        assert_non_null(piece);
        memcpy(piece, text, n);
        piece = realloc(piece, n > 0 ? n : 1);
        (void)json_text_find(piece, n, "a[1].c[1]", &at);
        assert_true(at <= n);
        free(piece);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),     cmocka_unit_test(minus_zeros),
        cmocka_unit_test(other_values), cmocka_unit_test(refusals),
        cmocka_unit_test(depth),        cmocka_unit_test(twice),
        cmocka_unit_test(places),       cmocka_unit_test(places_in_pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
