/* test_load.c - numbers from bytes, in both orders, at any address. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <float.h>
#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

#include "base/load.h"
#include "bytes.h"

__extension__ typedef unsigned __int128 wide;

/* The number in `width` bytes, by the definition of the two orders. */
static uint64_t number_of(const uint8_t *p, size_t width, bool big)
{
    wide value = 0;

    for (size_t i = 0; i < width; i++)
        value = value * 256 + p[big ? i : width - 1 - i];
    return (uint64_t)value;
}

static void known_bytes_are_known_numbers(void **state)
{
    static const uint8_t p[] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
    static const uint8_t three[] = {0, 0, 0, 3};

    (void)state;
    assert_int_equal(load_le16(p), 0x2301);
    assert_int_equal(load_be16(p), 0x0123);
    assert_int_equal(load_le32(p), 0x67452301);
    assert_int_equal(load_be32(p), 0x01234567);
    assert_int_equal(load_le64(p), 0xefcdab8967452301);
    assert_int_equal(load_be64(p), 0x0123456789abcdef);
    /* Version 3 of a big-endian file, read in the other order. */
    assert_int_equal(load_be32(three), 3);
    assert_int_equal(load_le32(three), 50331648);
}

static void all_16_bit_numbers_load(void **state)
{
    (void)state;
    for (uint32_t v = 0; v <= UINT16_MAX; v++) {
        uint8_t p[2] = {(uint8_t)v, (uint8_t)(v >> 8)};
        assert_int_equal(load_le16(p), v);
        assert_int_equal(load_u16(p, false), v);
        assert_int_equal(load_be16(p), number_of(p, 2, true));
        assert_int_equal(load_u16(p, true), number_of(p, 2, true));
    }
}

/* Each bit alone, the top one above all, and random ones, at odd addresses. */
static void wide_numbers_load_at_any_address(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (unsigned i = 0; i < 10000; i++) {
        uint8_t buffer[16];
        const uint8_t *p = buffer + i % 8;
        uint64_t bits = i < 64 ? UINT64_C(1) << i : bytes_random(&seed);

        memset(buffer, 0, sizeof buffer);
        memcpy(buffer + i % 8, &bits, sizeof bits);
        assert_int_equal(load_u32(p, false), number_of(p, 4, false));
        assert_int_equal(load_u32(p, true), number_of(p, 4, true));
        assert_int_equal(load_u64(p, false), number_of(p, 8, false));
        assert_int_equal(load_u64(p, true), number_of(p, 8, true));
    }
}

static void expect_f32(float value)
{
    for (int big = 0; big < 2; big++) {
        struct bytes b = bytes_of(3, big != 0);
        float out;
        put_f32(&b, value);
        out = load_f32(b.at, b.big);
        assert_memory_equal(&out, &value, sizeof out);
        bytes_free(&b);
    }
}

static void expect_f64(double value)
{
    for (int big = 0; big < 2; big++) {
        struct bytes b = bytes_of(3, big != 0);
        double out;
        put_f64(&b, value);
        out = load_f64(b.at, b.big);
        assert_memory_equal(&out, &value, sizeof out);
        bytes_free(&b);
    }
}

static void floats_keep_every_bit(void **state)
{
    (void)state;
    expect_f32(1e-5f);
    expect_f32(-0.0f);
    expect_f32(FLT_MAX);
    expect_f32(FLT_TRUE_MIN);
    expect_f32(-INFINITY);
    expect_f32(NAN);
    expect_f64(0.1);
    expect_f64(-0.0);
    expect_f64(DBL_MAX);
    expect_f64(DBL_TRUE_MIN);
    expect_f64((double)INFINITY);
    expect_f64((double)NAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_bytes_are_known_numbers),
        cmocka_unit_test(all_16_bit_numbers_load),
        cmocka_unit_test(wide_numbers_load_at_any_address),
        cmocka_unit_test(floats_keep_every_bit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
