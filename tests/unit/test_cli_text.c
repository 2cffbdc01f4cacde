/* test_cli_text.c - UTF-8, and bytes made safe to show. */
#include "cli_capture.h"

#include "out/text.h"

/* --------------------------------------------------------------- unicode.h */

static void every_character_decodes(void **state)
{
    unsigned char s[4];
    uint32_t cp, back;

    (void)state;
    for (cp = 0; cp < 0x110000; cp++) {
        size_t n = capture_encode(cp, s), cut;

        if (cp >= 0xd800 && cp <= 0xdfff) {
            assert_int_equal(unicode_decode(s, n, &back), 0);
            continue;
        }
        assert_int_equal(unicode_decode(s, n, &back), n);
        assert_int_equal(back, cp);
        for (cut = 0; cut < n; cut++)
            assert_int_equal(unicode_decode(s, cut, &back), 0);
    }
}

/* As many sequences of each length are valid as there are characters of it, so
 * none is valid in two forms. */
static void nothing_else_decodes(void **state)
{
    unsigned n2 = 0, n3 = 0, n4 = 0, other = 0, v;
    uint32_t cp;

    (void)state;
    for (v = 0x80; v < 0x100; v++) {
        unsigned second, third;

        for (second = 0; second < 0x100; second++) {
            for (third = 0; third < 0x100; third++) {
                unsigned char s[4] = {(unsigned char)v, (unsigned char)second,
                                      (unsigned char)third, 0x80};

                switch (unicode_decode(s, 4, &cp)) {
                case 0: break;
                case 2: n2++; break;
                case 3: n3++; break;
                case 4: n4++; break;
                default: other++; break;
                }
            }
        }
    }
    assert_int_equal(n2, (0x800 - 0x80) * 256);
    assert_int_equal(n3, 0x10000 - 0x800 - 0x800);
    assert_int_equal(n4, (0x110000 - 0x10000) / 64);
    assert_int_equal(other, 0);
}

static void validity_is_of_the_whole(void **state)
{
    static const char text[] = "0123456789abcdef\xc3\xa9gh\xe4\xb8\xad";
    size_t n = sizeof text - 1;

    (void)state;
    assert_true(unicode_valid(NULL, 0));
    assert_true(unicode_valid(text, n));
    assert_false(unicode_valid(text, n - 1));
    assert_false(unicode_valid(text, 17));
    assert_true(unicode_valid(text, 16));
    assert_false(unicode_valid("01234567\xff", 9));
}

static void characters_have_a_class(void **state)
{
    static const uint32_t hidden[] = {
        0,      0x1b,   0x7f,   0x80,   0x9f,    0xa0,     0xad,
        0x61c,  0x200b, 0x200e, 0x2028, 0x202e,  0x2066,   0x2069,
        0x3000, 0xe000, 0xfeff, 0xfffe, 0xe0001, 0x10ffff,
    };
    static const struct {
        uint32_t cp;
        unsigned width;
    } shown[] = {
        {' ', 1},    {'~', 1},    {0xe9, 1},   {0x300, 0},   {0x20dd, 0},
        {0x3b1, 1},  {0x4e2d, 2}, {0xac00, 2}, {0x1161, 0},  {0xff21, 2},
        {0x2581, 1}, {0xfffd, 1}, {0x120, 1},  {0x1f600, 2}, {0x20000, 2},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        assert_false(unicode_printable(hidden[i]));
        assert_int_equal(unicode_width(hidden[i]), 0);
    }
    for (i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        assert_true(unicode_printable(shown[i].cp));
        assert_int_equal(unicode_width(shown[i].cp), shown[i].width);
    }
}

/* ------------------------------------------------------------------ text.h */

static void expect_text(const char *bytes, size_t n, enum text_form form,
                        size_t columns, const char *expected, size_t width)
{
    struct capture c;

    capture_start(&c);
    assert_int_equal(text_write(c.out, bytes, n, form, columns), width);
    assert_int_equal(text_width(bytes, n, form, columns), width);
    capture_expect(&c, expected);
}

static void escapes_are_as_documented(void **state)
{
    static const char all[] = "a\n\t\r\\\"'\x1b\0\x7f\xff\xc2\x85\xe2\x80\xae"
                              "\xf3\xa0\x80\x81\xf4\x8f\xbf\xbf\xe4\xb8\xad";

    (void)state;
    expect_text(all, sizeof all - 1, TEXT_PLAIN, TEXT_WHOLE,
                "a\\n\\t\\r\\\\\"'\\x1b\\x00\\x7f\\xff\\u{0085}\\u{202e}"
                "\\u{e0001}\\u{10ffff}\xe4\xb8\xad",
                64);
    expect_text("say \"hi\"", 8, TEXT_QUOTED, TEXT_WHOLE, "\"say \\\"hi\\\"\"",
                12);
    expect_text("\xed\xa0\x80\xc0\xaf", 5, TEXT_PLAIN, TEXT_WHOLE,
                "\\xed\\xa0\\x80\\xc0\\xaf", 20);
    expect_text(NULL, 0, TEXT_PLAIN, TEXT_WHOLE, "", 0);
    expect_text(NULL, 0, TEXT_QUOTED, TEXT_WHOLE, "\"\"", 2);
}

static void long_text_ends_in_an_ellipsis(void **state)
{
    (void)state;
    expect_text("abcdef", 6, TEXT_PLAIN, 6, "abcdef", 6);
    expect_text("abcdef", 6, TEXT_PLAIN, 5, "abcd\xe2\x80\xa6", 5);
    expect_text("abcdef", 6, TEXT_PLAIN, 1, "\xe2\x80\xa6", 1);
    expect_text("abcdef", 6, TEXT_PLAIN, 0, "", 0);
    expect_text("abcdef", 6, TEXT_QUOTED, 6, "\"abc\xe2\x80\xa6\"", 6);
    expect_text("abcdef", 6, TEXT_QUOTED, 8, "\"abcdef\"", 8);
    expect_text("abcdef", 6, TEXT_QUOTED, 2, "\"\"", 2);
    expect_text("abcdef", 6, TEXT_QUOTED, 1, "", 0);
    /* No half of an escape or of a wide character. */
    expect_text("ab\nc", 4, TEXT_PLAIN, 4, "ab\xe2\x80\xa6", 3);
    expect_text("a\xe4\xb8\xad\xe4\xb8\xad", 7, TEXT_PLAIN, 3, "a\xe2\x80\xa6",
                2);
    expect_text("a\xe4\xb8\xad\xe4\xb8\xad", 7, TEXT_PLAIN, 4,
                "a\xe4\xb8\xad\xe2\x80\xa6", 4);
    /* What combines takes no column. */
    expect_text("e\xcc\x81", 3, TEXT_PLAIN, 1, "e\xcc\x81", 1);
}

/* The reverse of text_write, so that two texts never look the same. */
static size_t unescape(const char *s, size_t n, unsigned char *out)
{
    size_t made = 0, i = 0;

    while (i < n) {
        char *end;

        if (s[i] != '\\') {
            out[made++] = (unsigned char)s[i++];
            continue;
        }
        switch (s[i + 1]) {
        case 'n': out[made++] = '\n'; break;
        case 't': out[made++] = '\t'; break;
        case 'r': out[made++] = '\r'; break;
        case '\\':
        case '"': out[made++] = (unsigned char)s[i + 1]; break;
        case 'x': {
            char hex[3] = {s[i + 2], s[i + 3], '\0'};

            out[made++] = (unsigned char)strtoul(hex, NULL, 16);
            i += 2;
            break;
        }
        case 'u':
            made += capture_encode((uint32_t)strtoul(s + i + 3, &end, 16),
                                   out + made);
            assert_int_equal(*end, '}');
            i = (size_t)(end - s) - 1;
            break;
        default: fail();
        }
        i += 2;
    }
    return made;
}

static void expect_safe(const unsigned char *bytes, size_t n)
{
    unsigned char back[2048];
    struct capture c;
    size_t width, columns;

    capture_start(&c);
    width = text_write(c.out, bytes, n, TEXT_PLAIN, TEXT_WHOLE);
    capture_stop(&c);
    assert_true(capture_is_safe(c.text, c.n));
    assert_int_equal(text_width(bytes, n, TEXT_PLAIN, TEXT_WHOLE), width);
    assert_int_equal(unescape(c.text, c.n, back), n);
    assert_memory_equal(back, bytes, n);
    capture_free(&c);

    for (columns = 0; columns < 20; columns++) {
        capture_start(&c);
        width = text_write(c.out, bytes, n, TEXT_QUOTED, columns);
        capture_stop(&c);
        assert_true(width <= columns);
        assert_int_equal(text_width(bytes, n, TEXT_QUOTED, columns), width);
        assert_true(capture_is_safe(c.text, c.n));
        capture_free(&c);
    }
}

static void no_bytes_are_dangerous(void **state)
{
    unsigned char bytes[48];
    uint64_t seed = 987654321;
    int i;

    (void)state;
    for (i = 0; i < 256; i++) {
        bytes[0] = (unsigned char)i;
        expect_safe(bytes, 1);
    }
    for (i = 0; i < 5000; i++)
        expect_safe(bytes, capture_random_bytes(&seed, bytes, sizeof bytes));
}

static void no_character_is_dangerous(void **state)
{
    unsigned char s[4 * 128];
    uint32_t cp = 0;

    (void)state;
    while (cp < 0x110000) {
        size_t n = 0;

        do {
            n += capture_encode(cp, s + n);
        } while (++cp % 64 != 0);
        expect_safe(s, n);
    }
}

static void copies_end_between_escapes(void **state)
{
    char buf[8];

    (void)state;
    assert_int_equal(text_copy(buf, sizeof buf, "abcdefgh", 8), 7);
    assert_string_equal(buf, "abcdefg");
    assert_int_equal(text_copy(buf, sizeof buf,
                               "abcd\x1b"
                               "e",
                               6),
                     4);
    assert_string_equal(buf, "abcd");
    assert_int_equal(text_copy(buf, sizeof buf, "abc\x1b", 4), 7);
    assert_string_equal(buf, "abc\\x1b");
    assert_int_equal(text_copy(buf, sizeof buf, NULL, 0), 0);
    assert_string_equal(buf, "");
    assert_int_equal(text_copy(buf, 1, "a", 1), 0);
    assert_string_equal(buf, "");
}

static void expect_repr(const char *bytes, size_t n, const char *expected)
{
    struct capture c;

    capture_start(&c);
    text_repr(c.out, bytes, n);
    capture_expect(&c, expected);
}

/* What Python 3.11 prints for repr(). */
static void repr_is_as_python_writes_it(void **state)
{
    (void)state;
    expect_repr("", 0, "''");
    expect_repr("abc", 3, "'abc'");
    expect_repr("it's", 4, "\"it's\"");
    expect_repr("say \"x\"", 7, "'say \"x\"'");
    expect_repr("it's \"x\"", 8, "'it\\'s \"x\"'");
    expect_repr("a\\b\n\r\t\x0b\0\x7f", 9, "'a\\\\b\\n\\r\\t\\x0b\\x00\\x7f'");
    expect_repr("\xc2\x85\xc2\xa0\xc2\xad\xc3\xa9", 8,
                "'\\x85\\xa0\\xad\xc3\xa9'");
    expect_repr("\xe2\x80\xae\xe3\x80\x80\xe4\xb8\xad", 9,
                "'\\u202e\\u3000\xe4\xb8\xad'");
    expect_repr("\xf3\xa0\x80\x81\xf0\x9f\x98\x80", 8,
                "'\\U000e0001\xf0\x9f\x98\x80'");
    /* bytes.decode("utf-8", "surrogateescape") */
    expect_repr("a\xff\xe2\x80", 4, "'a\\udcff\\udce2\\udc80'");
}

static void prefix_counts_characters(void **state)
{
    static const char text[] = "a\xc3\xa9\xe4\xb8\xad\xff\xf0\x9f\x98\x80";
    static const size_t ends[] = {0, 1, 3, 6, 7, 11, 11};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof ends / sizeof ends[0]; i++)
        assert_int_equal(text_prefix(text, sizeof text - 1, i), ends[i]);
    assert_int_equal(text_prefix(NULL, 0, 5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_decodes),
        cmocka_unit_test(nothing_else_decodes),
        cmocka_unit_test(validity_is_of_the_whole),
        cmocka_unit_test(characters_have_a_class),
        cmocka_unit_test(escapes_are_as_documented),
        cmocka_unit_test(long_text_ends_in_an_ellipsis),
        cmocka_unit_test(no_bytes_are_dangerous),
        cmocka_unit_test(no_character_is_dangerous),
        cmocka_unit_test(copies_end_between_escapes),
        cmocka_unit_test(repr_is_as_python_writes_it),
        cmocka_unit_test(prefix_counts_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
