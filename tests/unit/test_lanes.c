/* test_lanes.c - what lanes do to a float is what C does, whatever it is: the
 * lanes of this processor, or else the portable ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>

#include "kern/arm/arm.h"
#include "kern/kern.h"
#include "kern/round.h"

#if defined(__x86_64__)
#    include "kern/x86/lanes_avx2.h"
#elif GGKI_HAS_NEON
#    include "kern/arm/lanes_neon.h"
#else
#    include "kern/lanes/lanes_portable.h"
#endif

enum { N = 2 * LANES };

static const float numbers[N] = {
    0.0f,
    -0.0f,
    0x1p-149f,
    -0x1p-149f,
    FLT_MIN,
    0x1.fffffep-2f, /* the last one below 1/2 */
    0.5f,
    -0.5f,
    1.5f,
    -1.5f,
    2.5f,
    -2.5f,
    1.0f,
    -1.0f,
    254.99998f,
    65520.0f,
    0x1.fffffep21f,
    0x1.fffffep22f, /* the last one with a fraction */
    -0x1.fffffep22f,
    0x1p24f,
    0x1.fffffep30f,
    -0x1.fffffep30f,
    0x1p31f,
    -0x1p31f, /* which fits */
    -0x1.000002p31f,
    0x1p32f,
    FLT_MAX,
    -FLT_MAX,
    INFINITY,
    -INFINITY,
    NAN,
    -NAN,
};

static bool bit_of(unsigned bits, int i)
{
    return (bits >> i & 1) != 0;
}

/* One with 16 of them. */
static void compare_lanes(float a, const float *b)
{
    vfloat one = vf_set(a);
    vfloat others = vf_load(b);
    unsigned less = vm_bits(vf_less(one, others));
    unsigned not_less = vm_bits(vf_not_less(one, others));
    unsigned at_most = vm_bits(vf_at_most(one, others));
    unsigned equal = vm_bits(vf_equal(one, others));
    float least[LANES];
    float most[LANES];

    vf_store(least, vf_min(one, others));
    vf_store(most, vf_max(one, others));
    for (int i = 0; i < LANES; i++) {
        assert_int_equal(bit_of(less, i), a < b[i]);
        assert_int_equal(bit_of(not_less, i), !(a < b[i]));
        assert_int_equal(bit_of(at_most, i), a <= b[i]);
        assert_int_equal(bit_of(equal, i), a == b[i]);
        assert_int_equal(f32_bits(least[i]), f32_bits(a < b[i] ? a : b[i]));
        assert_int_equal(f32_bits(most[i]), f32_bits(a > b[i] ? a : b[i]));
    }
}

static void convert_lanes(const float *x)
{
    vfloat all = vf_load(x);
    vint truncated = vf_truncate(all);
    int32_t whole[LANES];
    float rounded[LANES];
    float size[LANES];
    float negative[LANES];

    memcpy(whole, &truncated, sizeof whole);
    vf_store(rounded, vf_round(all));
    vf_store(size, vf_abs(all));
    vf_store(negative, vf_negate(all));
    for (int i = 0; i < LANES; i++) {
        assert_int_equal(whole[i], truncate_int(x[i]));
        assert_int_equal(f32_bits(size[i]), f32_bits(x[i]) & 0x7fffffff);
        assert_int_equal(f32_bits(negative[i]), f32_bits(x[i]) ^ 0x80000000);
        if (isnan(x[i]))
            assert_true(isnan(rounded[i]));
        else
            assert_int_equal(f32_bits(rounded[i]), f32_bits(rintf(x[i])));
    }
}

/* Floats of every size, each 4093rd. */
static void convert_many_lanes(void)
{
    float x[LANES];

    for (uint32_t i = 0; i < 1 << 16; i++) {
        for (uint32_t k = 0; k < LANES; k++)
            x[k] = f32_of_bits((i * LANES + k) * 4093);
        convert_lanes(x);
    }
}

#if defined(__x86_64__)
#    include "kern/x86/target_end.h"
#endif

/* That of the lanes. */
static void need_instructions(void)
{
#if defined(__x86_64__)
    if (ggki_isa_best() < GGKI_ISA_AVX2)
        skip();
#endif
}

static void comparisons_are_those_of_c(void **state)
{
    (void)state;
    need_instructions();
    for (int i = 0; i < N; i++) {
        compare_lanes(numbers[i], numbers);
        compare_lanes(numbers[i], numbers + LANES);
    }
}

static void conversions_are_those_of_c(void **state)
{
    (void)state;
    need_instructions();
    convert_lanes(numbers);
    convert_lanes(numbers + LANES);
    convert_many_lanes();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_are_those_of_c),
        cmocka_unit_test(conversions_are_those_of_c),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
