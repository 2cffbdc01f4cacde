/* test_cli_fmt.c - numbers to text and back. */
#include "cli_capture.h"

#include <float.h>
#include <math.h>

#include "out/fmt.h"

enum { RANDOM_FLOATS = 100000 };

static double double_of(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

static float float_of(uint32_t bits)
{
    float v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint64_t bits_of_double(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static uint32_t bits_of_float(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static void expect_f64(double v, const char *expected)
{
    char buf[FMT_BYTES];

    assert_int_equal(fmt_f64(buf, v), strlen(expected));
    assert_string_equal(buf, expected);
}

static void expect_f32(float v, const char *expected)
{
    char buf[FMT_BYTES];

    assert_int_equal(fmt_f32(buf, v), strlen(expected));
    assert_string_equal(buf, expected);
}

/* What Python 3.11 prints for repr(). */
static void f64_is_as_python_writes_it(void **state)
{
    static const struct {
        double v;
        const char *text;
    } known[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1.0, "1.0"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {2.0 / 3, "0.6666666666666666"},
        {100.0, "100.0"},
        {10000.0, "10000.0"},
        {123456789012345.0, "123456789012345.0"},
        {0.001, "0.001"},
        {0.0001, "0.0001"},
        {0.00012, "0.00012"},
        {0.00001, "1e-05"},
        {1.2e-5, "1.2e-05"},
        {(double)1e-5f, "9.999999747378752e-06"},
        {1e15, "1000000000000000.0"},
        {1e16, "1e+16"},
        {9999999999999998.0, "9999999999999998.0"},
        {1.2345678901234567e16, "1.2345678901234568e+16"},
        {9007199254740993.0, "9007199254740992.0"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        {2e23, "2e+23"},
        {9.5e-322, "9.5e-322"},
        {5e-324, "5e-324"},
        {1e-323, "1e-323"},
        {1.5e-323, "1.5e-323"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {2.225073858507201e-308, "2.225073858507201e-308"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {DBL_EPSILON, "2.220446049250313e-16"},
        {5.684341886080802e-14, "5.684341886080802e-14"},
        {4.35, "4.35"},
        {2.9802322387695312e-08, "2.9802322387695312e-08"},
        {1.7800590868057611e-307, "1.7800590868057611e-307"},
        {9.0608011534336e15, "9060801153433600.0"},
        {4.708356024711512e18, "4.708356024711512e+18"},
        {9.409340012568248e18, "9.409340012568248e+18"},
        {5e-320, "5e-320"},
        {(double)500000.0f, "500000.0"},
        {8.41e21, "8.41e+21"},
        {9223372036854775808.0, "9.223372036854776e+18"},
        {(double)INFINITY, "inf"},
        {(double)-INFINITY, "-inf"},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof known / sizeof known[0]; i++)
        expect_f64(known[i].v, known[i].text);
    expect_f64(double_of(0x7ff8000000000000), "nan");
    expect_f64(double_of(0xfff0000000000001), "nan");
}

static void f32_has_the_digits_of_a_float(void **state)
{
    static const struct {
        float v;
        const char *text;
    } known[] = {
        {0.0f, "0.0"},
        {-0.0f, "-0.0"},
        {1.0f, "1.0"},
        {0.1f, "0.1"},
        {1e-5f, "1e-05"},
        {1e-6f, "1e-06"},
        {0.0001f, "0.0001"},
        {500000.0f, "500000.0"},
        {1e16f, "1e+16"},
        {16777216.0f, "16777216.0"},
        {33554432.0f, "33554432.0"},
        {3.1415927f, "3.1415927"},
        {0.3f, "0.3"},
        {0.33333334f, "0.33333334"},
        {1.17549435e-38f, "1.1754944e-38"},
        {1.17549421e-38f, "1.1754942e-38"},
        {FLT_MAX, "3.4028235e+38"},
        {1e-45f, "1e-45"},
        {7e-45f, "7e-45"},
        {8388608.0f, "8388608.0"},
        {9.5367431640625e-7f, "9.536743e-07"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof known / sizeof known[0]; i++)
        expect_f32(known[i].v, known[i].text);
    expect_f32(float_of(0x7fc00000), "nan");
    expect_f32(float_of(0xff800001), "nan");
}

/* The significant digits of a number, and the power of ten of the first:
 * "0.00120" gives "12" and -3, "1.2e+05" gives "12" and 5. */
static int pick_digits(const char *text, char *digits)
{
    const char *e = strchr(text, 'e');
    int exponent = e != NULL ? (int)strtol(e + 1, NULL, 10) : 0;
    int whole = -1, n = 0, zeros;
    const char *p;

    for (p = text; *p != '\0' && p != e; p++) {
        if (*p == '.')
            whole = n;
        else if (*p != '-')
            digits[n++] = *p;
    }
    if (whole == -1)
        whole = n;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    digits[n] = '\0';
    zeros = (int)strspn(digits, "0");
    memmove(digits, digits + zeros, (size_t)(n - zeros) + 1);
    return exponent + whole - 1 - zeros;
}

/* Among all decimals that read back as v there is none with fewer digits, and
 * of those with as many none is nearer: printf gives the nearest of each
 * length. (Powers of two are lopsided, so that the nearest shorter one may
 * read back as the neighbour although another reads back as v.) */
static void expect_shortest(const char *text, double v, int is_float)
{
    char digits[64], nearest[64], other[64];
    int exponent = pick_digits(text, digits);
    int n = (int)strlen(digits);

    snprintf(nearest, sizeof nearest, "%.*e", n - 1, v);
    assert_int_equal(pick_digits(nearest, other), exponent);
    assert_string_equal(digits, other);
    if (n == 1)
        return;
    snprintf(nearest, sizeof nearest, "%.*e", n - 2, v);
    if (is_float)
        assert_true(bits_of_float(strtof(nearest, NULL)) !=
                    bits_of_float((float)v));
    else
        assert_true(bits_of_double(strtod(nearest, NULL)) != bits_of_double(v));
}

static void random_f64_are_shortest(void **state)
{
    uint64_t seed = 88172645463325252u;
    int i;

    (void)state;
    for (i = 0; i < RANDOM_FLOATS; i++) {
        uint64_t bits = capture_random(&seed);
        char buf[FMT_BYTES];
        double v;

        if ((i & 3) == 0) /* as often near 1, where most numbers are */
            bits = (bits & ~(UINT64_C(0x7f0) << 52)) | UINT64_C(0x3f0) << 52;
        v = double_of(bits);
        if (!isfinite(v) || (bits << 12) == 0)
            continue;
        fmt_f64(buf, v);
        assert_true(bits_of_double(strtod(buf, NULL)) == bits);
        expect_shortest(buf, v, 0);
    }
}

static void random_f32_are_shortest(void **state)
{
    uint64_t seed = 2463534242u;
    int i;

    (void)state;
    for (i = 0; i < RANDOM_FLOATS; i++) {
        uint32_t bits = (uint32_t)(capture_random(&seed) >> 16);
        char buf[FMT_BYTES];
        float v = float_of(bits);

        if (!isfinite(v) || (bits << 9) == 0)
            continue;
        fmt_f32(buf, v);
        assert_true(bits_of_float(strtof(buf, NULL)) == bits);
        expect_shortest(buf, (double)v, 1);
    }
}

static void powers_of_two_read_back(void **state)
{
    uint64_t exponent, around;
    char buf[FMT_BYTES];

    (void)state;
    for (exponent = 0; exponent < 2047; exponent++) {
        for (around = 0; around < 5; around++) {
            uint64_t bits = (exponent << 52) + around - 2;

            if (exponent == 0 && around < 2)
                continue;
            fmt_f64(buf, double_of(bits));
            assert_true(bits_of_double(strtod(buf, NULL)) == bits);
            assert_true(strlen(buf) < 26);
        }
    }
    for (exponent = 0; exponent < 255; exponent++) {
        for (around = 0; around < 5; around++) {
            uint32_t bits = (uint32_t)((exponent << 23) + around - 2);

            if (exponent == 0 && around < 2)
                continue;
            fmt_f32(buf, float_of(bits));
            assert_true(bits_of_float(strtof(buf, NULL)) == bits);
        }
    }
}

static void integers_are_exact(void **state)
{
    char buf[FMT_BYTES];

    (void)state;
    assert_int_equal(fmt_u64(buf, 0), 1);
    assert_string_equal(buf, "0");
    assert_int_equal(fmt_u64(buf, UINT64_MAX), 20);
    assert_string_equal(buf, "18446744073709551615");
    assert_int_equal(fmt_i64(buf, INT64_MIN), 20);
    assert_string_equal(buf, "-9223372036854775808");
    assert_int_equal(fmt_i64(buf, -1), 2);
    assert_string_equal(buf, "-1");
    fmt_i64(buf, INT64_MAX);
    assert_string_equal(buf, "9223372036854775807");
}

static void sizes_have_binary_units(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } known[] = {
        {0, "0 bytes"},
        {1, "1 byte"},
        {896, "896 bytes"},
        {1023, "1023 bytes"},
        {1024, "1.00 KiB"},
        {1536, "1.50 KiB"},
        {1048570, "1023.99 KiB"},
        {1048575, "1.00 MiB"},
        {1048576, "1.00 MiB"},
        {31908168, "30.43 MiB"},
        {4683073184, "4.36 GiB"},
        {UINT64_C(1) << 40, "1.00 TiB"},
        {UINT64_C(1) << 50, "1.00 PiB"},
        {UINT64_MAX, "16.00 EiB"},
    };
    char buf[FMT_BYTES];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(fmt_size(buf, known[i].bytes), strlen(known[i].text));
        assert_string_equal(buf, known[i].text);
    }
}

static void percents_have_one_decimal(void **state)
{
    char buf[FMT_BYTES];

    (void)state;
    assert_int_equal(fmt_percent(buf, 1, 8), 5);
    assert_string_equal(buf, "12.5%");
    fmt_percent(buf, 0, 0);
    assert_string_equal(buf, "0.0%");
    fmt_percent(buf, 3, 3);
    assert_string_equal(buf, "100.0%");
    fmt_percent(buf, UINT64_MAX, 1);
    assert_true(strlen(buf) < FMT_BYTES && buf[strlen(buf) - 1] == '%');
}

static void durations_have_two_units(void **state)
{
    static const struct {
        double seconds;
        const char *text;
    } known[] = {{0, "0.0 s"},           {1.25, "1.2 s"},
                 {59.9, "59.9 s"},       {60, "1 min 0 s"},
                 {725, "12 min 5 s"},    {3600, "1 h 0 min"},
                 {86399, "23 h 59 min"}, {1e300, "277777 h 46 min"}};
    char buf[FMT_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(fmt_duration(buf, known[i].seconds),
                         strlen(known[i].text));
        assert_string_equal(buf, known[i].text);
    }
}

static void fixed_has_the_decimals_asked_for(void **state)
{
    static const struct {
        double v;
        unsigned decimals;
        const char *text;
    } known[] = {
        {4.8456, 2, "4.85"},
        {-0.5, 1, "-0.5"},
        {0.0, 3, "0.000"},
        {2.5, 0, "2"},
        {0.125, 2, "0.12"},
        {0.375, 2, "0.38"},
        {1e14, 1, "100000000000000.0"},
        {999999999999999.0, 6, "999999999999999.000000"},
        {1e15, 2, "1000000000000000.0"},
        {1e300, 2, "1e+300"},
        {1.005, 2, "1.00"},
    };
    char buf[FMT_BYTES];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t n = fmt_fixed(buf, known[i].v, known[i].decimals);

        assert_string_equal(buf, known[i].text);
        assert_int_equal(n, strlen(known[i].text));
    }
    fmt_fixed(buf, (double)-INFINITY, 2);
    assert_string_equal(buf, "-inf");
    fmt_fixed(buf, (double)NAN, 2);
    assert_string_equal(buf, "nan");
}

static void random_fixed_are_as_printf_rounds(void **state)
{
    uint64_t seed = 521288629;
    int i;

    (void)state;
    for (i = 0; i < RANDOM_FLOATS; i++) {
        uint64_t r = capture_random(&seed);
        unsigned decimals = (unsigned)(r >> 40) % 7;
        /* Many of these end in a half of the last digit. */
        double v = (double)(r % 2000000) / (double)(1u << (r >> 60)) - 5e4;
        char buf[FMT_BYTES], expected[64];

        snprintf(expected, sizeof expected, "%.*f", (int)decimals, v);
        assert_int_equal(fmt_fixed(buf, v, decimals), strlen(expected));
        assert_string_equal(buf, expected);
    }
}

static void u64_are_parsed_whole(void **state)
{
    static const char *const junk[] = {
        "",    " 1", "1 ",  "+1", "-1",  "0x10",     "1e3",
        "1.0", "1K", "abc", "1,", "1\n", "\xc2\xb2", "99999999999999999999x",
    };
    uint64_t v = 7;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof junk / sizeof junk[0]; i++)
        assert_int_equal(fmt_parse_u64(junk[i], &v), FMT_JUNK);
    assert_int_equal(fmt_parse_u64("18446744073709551616", &v), FMT_TOO_BIG);
    assert_int_equal(fmt_parse_u64("99999999999999999999", &v), FMT_TOO_BIG);
    assert_int_equal(v, 7);
    assert_int_equal(fmt_parse_u64("0", &v), FMT_PARSED);
    assert_int_equal(v, 0);
    assert_int_equal(fmt_parse_u64("007", &v), FMT_PARSED);
    assert_int_equal(v, 7);
    assert_int_equal(fmt_parse_u64("18446744073709551615", &v), FMT_PARSED);
    assert_true(v == UINT64_MAX);
}

static void sizes_are_parsed_with_units(void **state)
{
    static const struct {
        const char *text;
        uint64_t v;
    } known[] = {
        {"0", 0},
        {"4096", 4096},
        {"1K", 1000},
        {"1Ki", 1024},
        {"1KiB", 1024},
        {"3TiB", UINT64_C(3) << 40},
        {"5M", 5000000},
        {"8k", 8000},
        {"8ki", 8192},
        {"512Mi", 536870912},
        {"2G", 2000000000},
        {"2Gi", UINT64_C(2) << 30},
        {"3T", 3000000000000},
        {"3Ti", UINT64_C(3) << 40},
        {"16777215Ti", UINT64_C(16777215) << 40},
        {"18446744T", UINT64_C(18446744000000000000)},
    };
    static const char *const junk[] = {
        "",    "K",  "1m", "1kB",  "1KB", "1KiBB",
        "1 K", "1P", "1i", "1.5G", "-1K", "1Kii",
    };
    static const char *const too_big[] = {
        "16777216Ti",
        "18446745T",
        "18446744073709551616",
        "99999999999999999999K",
    };
    uint64_t v = 0;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(fmt_parse_size(known[i].text, &v), FMT_PARSED);
        assert_true(v == known[i].v);
    }
    v = 7;
    for (i = 0; i < sizeof junk / sizeof junk[0]; i++)
        assert_int_equal(fmt_parse_size(junk[i], &v), FMT_JUNK);
    for (i = 0; i < sizeof too_big / sizeof too_big[0]; i++)
        assert_int_equal(fmt_parse_size(too_big[i], &v), FMT_TOO_BIG);
    assert_int_equal(v, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f64_is_as_python_writes_it),
        cmocka_unit_test(f32_has_the_digits_of_a_float),
        cmocka_unit_test(random_f64_are_shortest),
        cmocka_unit_test(random_f32_are_shortest),
        cmocka_unit_test(powers_of_two_read_back),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(sizes_have_binary_units),
        cmocka_unit_test(percents_have_one_decimal),
        cmocka_unit_test(durations_have_two_units),
        cmocka_unit_test(fixed_has_the_decimals_asked_for),
        cmocka_unit_test(random_fixed_are_as_printf_rounds),
        cmocka_unit_test(u64_are_parsed_whole),
        cmocka_unit_test(sizes_are_parsed_with_units),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
