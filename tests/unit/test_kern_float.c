/* test_kern_float.c - how kernels round and convert, against what it means:
 * single numbers, and the scales of MXFP4 and NVFP4.
 *
 * With the argument "all" every float is tried, without it some of them. What a
 * float becomes is told from the values of the small format as doubles: no
 * float that is tried is below the last one, so a step or two finds it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "kern/fp4.h"
#include "kern/kern.h"
#include "kern/round.h"

enum {
    F32 = 0,
    F16 = 1,
    Q8_1 = 9,
    Q8_K = 15,
    I8 = 24,
    I16 = 25,
    I32 = 26,
    I64 = 27,
    F64 = 28,
    BF16 = 30,
};

static uint32_t stride = 9973; /* of the floats that are tried */

/* A format of 16 bits: a sign, `exponent` bits, the rest a fraction. */
struct format {
    uint32_t type;
    int fraction; /* bits */
    int least;    /* all are multiples of 2^least */
    uint16_t infinity;
};

static const struct format f16 = {F16, 10, -24, 0x7c00};
static const struct format bf16 = {BF16, 7, -133, 0x7f80};

/* Of bits without a sign, as if the exponent of infinity were one as others. */
static double value_of(const struct format *f, uint32_t bits)
{
    uint32_t one = 1u << f->fraction;
    uint32_t exponent = bits / one;

    if (exponent == 0)
        return ldexp(bits, f->least);
    return ldexp(bits % one + one, (int)exponent - 1 + f->least);
}

/* Up to here, what follows is not nearer; here, the even one is taken. */
static double midpoint_of(const struct format *f, uint32_t bits)
{
    return (value_of(f, bits) + value_of(f, bits + 1)) / 2;
}

static uint16_t expected_nan(const struct format *f, uint32_t bits)
{
    uint32_t payload = f->type == F16 ? 0x200 : (bits >> 16 & 0x7f) | 0x40;
    return (uint16_t)(f->infinity | payload);
}

/* Floats, and what they are to become. */
struct batch {
    const struct format *f;
    size_t n;
    float x[4096];
    uint16_t wanted[4096];
};

/* With the kernels of each instruction set. */
static void check_batch(struct batch *b)
{
    uint8_t blocks[sizeof b->wanted];

    for (int isa = 0; isa <= (int)ggki_isa_best(); isa++) {
        ggki_kern_of(b->f->type, (enum ggki_isa)isa)
            .quantize(b->x, blocks, 1, b->n, NULL);
        for (size_t i = 0; i < b->n; i++)
            if (load_le16(blocks + 2 * i) != b->wanted[i])
                fail_msg("type %u: %08x becomes %04x, not %04x", b->f->type,
                         f32_bits(b->x[i]), load_le16(blocks + 2 * i),
                         b->wanted[i]);
    }
    b->n = 0;
}

/* With both signs. */
static void add_to_batch(struct batch *b, uint32_t bits, uint32_t wanted)
{
    if (b->n == sizeof b->x / sizeof *b->x)
        check_batch(b);
    b->x[b->n] = f32_of_bits(bits);
    b->x[b->n + 1] = f32_of_bits(bits | 0x80000000);
    b->wanted[b->n] = (uint16_t)wanted;
    b->wanted[b->n + 1] = (uint16_t)(wanted | 0x8000);
    b->n += 2;
}

static void check_format(const struct format *f)
{
    static struct batch b;
    uint32_t half = 0;
    double midpoint = midpoint_of(f, 0);

    b.f = f;
    for (uint32_t bits = 0; bits < 0x80000000; bits += stride) {
        double x = (double)f32_of_bits(bits);

        if (bits > 0x7f800000) {
            add_to_batch(&b, bits, expected_nan(f, bits));
            continue;
        }
        while (half < f->infinity &&
               (x > midpoint || (x == midpoint && half % 2 == 1)))
            midpoint = midpoint_of(f, ++half);
        add_to_batch(&b, bits, half);
    }
    check_batch(&b);
}

static void floats_become_the_nearest_f16(void **state)
{
    (void)state;
    check_format(&f16);
}

static void floats_become_the_nearest_bf16(void **state)
{
    (void)state;
    check_format(&bf16);
}

/* Where it is decided: the midpoints, and the floats beside them. */
static void check_midpoints(const struct format *f)
{
    static struct batch b;

    b.f = f;
    for (uint32_t half = 0; half < f->infinity; half++) {
        uint32_t bits = f32_bits((float)midpoint_of(f, half));

        add_to_batch(&b, bits - 1, half);
        add_to_batch(&b, bits, half + half % 2);
        add_to_batch(&b, bits + 1, half + 1);
    }
    check_batch(&b);
}

static void ties_go_to_even(void **state)
{
    (void)state;
    check_midpoints(&f16);
    check_midpoints(&bf16);
}

/* All of the format, by the kernels of each instruction set. */
static void check_dequantize(const struct format *f, enum ggki_isa isa)
{
    static uint8_t blocks[2 * 65536];
    static float x[65536];

    for (uint32_t i = 0; i < 65536; i++)
        store_u16(blocks + (size_t)2 * i, (uint16_t)i, false);
    ggki_kern_of(f->type, isa).dequantize(blocks, x, 65536);
    for (uint32_t i = 0; i < 65536; i++) {
        uint32_t half = i & 0x7fff;
        uint32_t sign = (i & 0x8000) << 16;

        if (half > f->infinity) /* only ggml's F16 becomes quiet */
            assert_int_equal(f32_bits(x[i]),
                             sign | 0x7f800000 |
                                 (half - f->infinity) << (23 - f->fraction) |
                                 (f->type == F16 ? 0x400000 : 0));
        else if (half == f->infinity)
            assert_int_equal(f32_bits(x[i]), sign | 0x7f800000);
        else
            assert_int_equal(f32_bits(x[i]),
                             sign | f32_bits((float)value_of(f, half)));
    }
}

static void small_formats_become_their_values(void **state)
{
    (void)state;
    for (int isa = 0; isa <= (int)ggki_isa_best(); isa++) {
        check_dequantize(&f16, (enum ggki_isa)isa);
        check_dequantize(&bf16, (enum ggki_isa)isa);
    }
}

static void f32_and_f64_keep_the_value(void **state)
{
    struct ggki_kern f32 = ggki_kern_of(F32, GGKI_ISA_GENERIC);
    struct ggki_kern f64 = ggki_kern_of(F64, GGKI_ISA_GENERIC);

    (void)state;
    for (uint32_t i = 0; i < 0x7f800000; i += 65537) {
        float x[2] = {f32_of_bits(i), -f32_of_bits(i)};
        float back[2];
        uint8_t blocks[16];

        f32.quantize(x, blocks, 1, 2, NULL);
        assert_int_equal(load_le32(blocks), i);
        assert_int_equal(load_le32(blocks + 4), i | 0x80000000);
        f32.dequantize(blocks, back, 2);
        assert_memory_equal(back, x, sizeof x);
        f64.quantize(x, blocks, 1, 2, NULL);
        assert_true(load_f64(blocks, false) == (double)x[0]);
        assert_true(load_f64(blocks + 8, false) == (double)x[1]);
        f64.dequantize(blocks, back, 2);
        assert_memory_equal(back, x, sizeof x);
    }
}

/* Doubles that no float is. */
static void f64_becomes_the_nearest_float(void **state)
{
    static const struct {
        uint64_t bits;
        uint32_t wanted;
    } cases[] = {
        {0x3ff0000010000000, 0x3f800000}, /* 1 + 2^-24: to even */
        {0x3ff0000010000001, 0x3f800001},
        {0x3ff0000030000000, 0x3f800002},
        {0x3690000000000000, 0x00000000}, /* 2^-150: to even */
        {0x3690000000000001, 0x00000001},
        {0x47efffffefffffff, 0x7f7fffff}, /* below FLT_MAX and a half ulp */
        {0x47effffff0000000, 0x7f800000},
        {0xffefffffffffffff, 0xff800000},
        {0x7ff0000000000000, 0x7f800000},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t block[8];
        float x;

        store_u64(block, cases[i].bits, false);
        ggki_kern_of(F64, GGKI_ISA_GENERIC).dequantize(block, &x, 1);
        assert_int_equal(f32_bits(x), cases[i].wanted);
    }
}

/* Away from zero and towards it: what libm says, where that is an int32_t. */
static void floats_become_integers(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < UINT64_C(1) << 32; i += stride) {
        float x = f32_of_bits((uint32_t)i);
        bool fits = fabsf(x) < 0x1p31f;
        int32_t away = fits ? (int32_t)lround((double)x) : INT32_MIN;
        int32_t toward = fits ? (int32_t)trunc((double)x) : INT32_MIN;

        if (round_int(x) != away || truncate_int(x) != toward)
            fail_msg("%08x becomes %d and %d", (unsigned)i, round_int(x),
                     truncate_int(x));
    }
}

static void nearest_integers_are_even_ones(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < UINT64_C(1) << 32; i += stride) {
        float x = f32_of_bits((uint32_t)i);

        if (fabsf(x) <= 4194303 && nearest_int(x) != lrint((double)x))
            fail_msg("%08x becomes %d", (unsigned)i, nearest_int(x));
    }
}

/* What the bits of x + 1.5 * 2^23 are, and the payload of a NaN. */
static void far_numbers_have_an_integer_too(void **state)
{
    (void)state;
    assert_int_equal(nearest_int(4194303.5f), -4194304);
    assert_int_equal(nearest_int(-4194304.0f), -4194304);
    assert_int_equal(nearest_int(0x1p23f), -2097152);
    assert_int_equal(nearest_int(1e30f), 0x49f2ca - 0x400000);
    assert_int_equal(nearest_int(INFINITY), -4194304);
    assert_int_equal(nearest_int(f32_of_bits(0xffc00000)), 0);
    assert_int_equal(nearest_int(f32_of_bits(0x7fc12345)), 0x12345);
    assert_int_equal(nearest_int(f32_of_bits(0x7f812345)), 0x12345);
}

/* Of I8 to I64, as blocks have them. */
static float float_of(uint32_t type, int64_t integer)
{
    struct ggki_kern kern = ggki_kern_of(type, ggki_isa_best());
    uint8_t block[8];
    float x;

    assert_true(kern.quantize == NULL);
    store_u64(block, (uint64_t)integer, false);
    kern.dequantize(block, &x, 1);
    return x;
}

static void integers_become_the_nearest_float(void **state)
{
    (void)state;
    for (int i = -128; i < 128; i++)
        assert_true(float_of(I8, i) == (float)i);
    for (int i = -32768; i < 32768; i++)
        assert_true(float_of(I16, i) == (float)i);
    assert_true(float_of(I32, -5) == -5);
    assert_true(float_of(I32, INT32_MIN) == -0x1p31f);
    assert_true(float_of(I32, INT32_MAX) == 0x1p31f);
    assert_true(float_of(I32, 16777217) == 16777216); /* to even */
    assert_true(float_of(I32, 16777219) == 16777220);
    assert_true(float_of(I64, -5) == -5);
    assert_true(float_of(I64, INT64_MIN) == -0x1p63f);
    assert_true(float_of(I64, INT64_MAX) == 0x1p63f);
    assert_true(float_of(I64, INT64_C(0x4000004000000000)) == 0x1p62f);
    assert_true(float_of(I64, INT64_C(0x4000004000000001)) == 0x1.000002p62f);
}

/* A scale, and levels after it. */
static void check_signed_bytes(uint32_t type, size_t n, const uint8_t *block)
{
    struct ggki_kern kern = ggki_kern_of(type, ggki_isa_best());
    float x[256];

    assert_true(kern.quantize == NULL);
    kern.dequantize(block, x, n);
    for (size_t i = 0; i < n; i++)
        assert_true(x[i] == (float)(int8_t)block[4 + i] * -1.5f);
}

static void blocks_of_computations_become_numbers(void **state)
{
    uint8_t block[292];

    (void)state;
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (uint8_t)(i * 7);
    store_f16(block, -1.5f);
    check_signed_bytes(Q8_1, 32, block);
    store_u32(block, f32_bits(-1.5f), false);
    check_signed_bytes(Q8_K, 256, block);
}

/* floor(log2f(x)) - 2 + 127 modulo 256, where log2f is what is nearest. */
static void check_power_of_two(uint32_t bits)
{
    float x = f32_of_bits(bits);
    float log = (float)log2((double)x);
    uint8_t wanted = (uint8_t)((int)floor((double)log) + 125);

    if (ggki_mxfp4_code(x) != wanted)
        fail_msg("%08x has scale %02x, not %02x", bits, ggki_mxfp4_code(x),
                 wanted);
}

static void mxfp4_scales_are_powers_of_two(void **state)
{
    (void)state;
    for (uint32_t bits = 1; bits < 0x7f800000; bits += stride)
        check_power_of_two(bits);
    for (uint32_t exponent = 1; exponent < 256; exponent++)
        for (uint32_t k = 0; k < 100; k++)
            check_power_of_two((exponent << 23) - 1 - k);
    for (int bit = 1; bit < 23; bit++)
        for (int k = -1; k <= 1; k++)
            check_power_of_two((1u << bit) + (uint32_t)k);
    assert_int_equal(ggki_mxfp4_code(0), 0);
    assert_int_equal(ggki_mxfp4_code(INFINITY), 0);
    for (int code = 0; code < 256; code++)
        assert_true((double)ggki_mxfp4_scale((uint8_t)code) ==
                    ldexp(1, code - 128));
}

/* Ties go up, but for the numbers just below the least: their sum is 1. */
static void nvfp4_scales_have_eight_bits(void **state)
{
    static const struct {
        float sixth; /* of the largest number */
        uint8_t code;
    } cases[] = {
        {0, 0},
        {0x1.fffffcp-11f, 0},
        {0x1.fffffep-11f, 1},
        {0x1p-10f, 1},
        {0x1.7ffffep-9f, 1},
        {0x1.8p-9f, 2},
        {0x1.fffffep-7f, 7},
        {0x1p-6f, 8},
        {0x1.0ffffep-6f, 8},
        {0x1.1p-6f, 9},
        {1, 56},
        {0x1.efffp7f, 0x77},
        {0x1.fp7f, 0x7e},
        {448, 0x7e},
        {INFINITY, 0x7e},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(ggki_nvfp4_code(cases[i].sixth * 6), cases[i].code);
    for (int code = 0; code < 256; code++) {
        int exponent = code >> 3 & 15;
        int fraction = exponent > 0 ? 8 | (code & 7) : code & 7;
        double value = ldexp(fraction, (exponent > 0 ? exponent : 1) - 11);

        assert_true((double)ggki_nvfp4_scale((uint8_t)code) ==
                    (code == 127 ? 0 : value));
    }
}

static void others_have_no_kernels(void **state)
{
    static const uint32_t types[] = {4, 5, 33, 36, 43, 1000, UINT32_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct ggki_kern kern = ggki_kern_of(types[i], ggki_isa_best());

        assert_true(kern.quantize == NULL && kern.dequantize == NULL);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_become_the_nearest_f16),
        cmocka_unit_test(floats_become_the_nearest_bf16),
        cmocka_unit_test(ties_go_to_even),
        cmocka_unit_test(small_formats_become_their_values),
        cmocka_unit_test(f32_and_f64_keep_the_value),
        cmocka_unit_test(f64_becomes_the_nearest_float),
        cmocka_unit_test(floats_become_integers),
        cmocka_unit_test(nearest_integers_are_even_ones),
        cmocka_unit_test(far_numbers_have_an_integer_too),
        cmocka_unit_test(integers_become_the_nearest_float),
        cmocka_unit_test(blocks_of_computations_become_numbers),
        cmocka_unit_test(mxfp4_scales_are_powers_of_two),
        cmocka_unit_test(nvfp4_scales_have_eight_bits),
        cmocka_unit_test(others_have_no_kernels),
    };

    if (argc == 2 && strcmp(argv[1], "all") == 0)
        stride = 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
