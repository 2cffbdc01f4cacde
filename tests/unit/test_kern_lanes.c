/* test_kern_lanes.c - vector kernels and scalar ones give the same bytes: those
 * of every instruction set that this processor runs, and the same source with
 * lanes in plain C.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ggk.h"
#include "kern/kern.h"
#include "kern/lanes/lanes_portable.h"
#include "kern/lanes/table_lanes.h"
#include "splitmix.h"

enum {
    ROW = 256 * 5, /* lanes are left over: 5 super-blocks, 40 blocks */
    ROWS = 4,
    N = ROW * ROWS,
    BYTES_MAX = 8 * N,
    TYPES = 43,
};

static uint64_t random_state;

static float normal(void)
{
    return (float)random_normal(&random_state);
}

static unsigned below(unsigned n)
{
    return (unsigned)(random_bits(&random_state) >> 32) % n;
}

static float number_normal(void)
{
    return normal() * 0.02f;
}

static float number_heavy(void)
{
    return normal() / normal();
}

static float number_uniform(void)
{
    return (float)random_unit(&random_state) * 2 - 1;
}

static float number_zeros(void)
{
    return below(3) == 0 ? normal() : below(2) == 0 ? 0.0f : -0.0f;
}

static float number_tiny(void)
{
    return normal() * 1e-9f * exp2f(normal() * 6);
}

static float number_subnormal(void)
{
    return normal() * 1e-40f;
}

static float number_large(void)
{
    return normal() * 1e7f;
}

static float number_huge(void)
{
    return normal() * 1e37f;
}

static float number_three(void)
{
    return ((float)below(3) - 1) * 0.01f;
}

static float number_negative(void)
{
    return -fabsf(normal());
}

static float number_offset(void)
{
    return normal() * 0.02f + 0.5f;
}

/* Halves: what is rounded is a tie. */
static float number_grid(void)
{
    return ((float)below(511) - 255) * 0.5f;
}

static float number_power(void)
{
    return ldexpf(below(2) == 0 ? 1 : -1, (int)below(20) - 10);
}

/* Where rounding takes a logarithm to the whole number above. */
static float number_below_power(void)
{
    uint32_t power = (1 + below(254)) << 23;
    return f32_of_bits(power - below(256));
}

/* Not finite, now and then. */
static float number_infinite(void)
{
    switch (below(400)) {
    case 0: return INFINITY;
    case 1: return -INFINITY;
    case 2: return NAN;
    default: return normal();
    }
}

static float (*const numbers[])(void) = {
    number_normal, number_heavy,     number_uniform,     number_zeros,
    number_tiny,   number_subnormal, number_large,       number_huge,
    number_three,  number_negative,  number_offset,      number_grid,
    number_power,  number_infinite,  number_below_power,
};

enum { KINDS = sizeof numbers / sizeof *numbers };

static float x[N];
static float importance[ROW];
static float back[2][N];
static uint8_t blocks[2][BYTES_MAX];

/* Numbers of that kind; of every fourth run of 16, all are the same. */
static void fill(int kind)
{
    for (size_t i = 0; i < N; i++)
        x[i] = i % 16 != 0 && i / 16 % 4 == 3 ? x[i - 1] : numbers[kind]();
    for (size_t i = 0; i < ROW; i++)
        importance[i] = i / 32 % 5 == 4 ? 0 : normal() * normal() + 0x1p-6f;
}

/* What a kernel for the type makes of `x` is what the scalar one does. */
static void assert_same(const ggk_type_info *type, struct ggki_kern kern,
                        const float *weights)
{
    struct ggki_kern scalar = ggki_kern_of(type->id, GGKI_ISA_GENERIC);
    size_t bytes = N / type->block * type->bytes;

    assert_true(bytes <= BYTES_MAX);
    memset(blocks, 0xa5, sizeof blocks);
    scalar.quantize(x, blocks[0], ROWS, ROW, weights);
    kern.quantize(x, blocks[1], ROWS, ROW, weights);
    if (memcmp(blocks[0], blocks[1], bytes) != 0)
        fail_msg("blocks of %s differ", type->name);

    scalar.dequantize(blocks[0], back[0], N);
    kern.dequantize(blocks[0], back[1], N);
    for (size_t i = 0; i < N; i++)
        if (isnan(back[0][i])) /* its bits are not fixed */
            assert_true(isnan(back[1][i]));
        else
            assert_int_equal(f32_bits(back[0][i]), f32_bits(back[1][i]));
}

static void check_kernels(uint32_t id, struct ggki_kern kern)
{
    const ggk_type_info *type = ggk_type_by_id(id);

    if (kern.quantize == NULL ||
        kern.quantize == ggki_kern_of(id, GGKI_ISA_GENERIC).quantize)
        return;
    assert_non_null(type);
    random_state = id;
    for (int kind = 0; kind < KINDS; kind++) {
        fill(kind);
        assert_same(type, kern, NULL);
        assert_same(type, kern, importance);
    }
}

static void instruction_sets(void **unused)
{
    (void)unused;
    for (int isa = GGKI_ISA_AVX2; isa <= (int)ggki_isa_best(); isa++)
        for (uint32_t id = 0; id < TYPES; id++)
            check_kernels(id, ggki_kern_of(id, (enum ggki_isa)isa));
}

static void lanes_in_plain_c(void **unused)
{
    (void)unused;
    for (uint32_t id = 0; id < TYPES; id++)
        check_kernels(id, lanes_kern(id));
}

/* Rows of one block, where most lanes are left over. */
static void short_rows(void **unused)
{
    (void)unused;
    fill(0);
    for (uint32_t id = 0; id < TYPES; id++) {
        struct ggki_kern scalar = ggki_kern_of(id, GGKI_ISA_GENERIC);
        struct ggki_kern best = ggki_kern_of(id, ggki_isa_best());

        if (scalar.quantize == NULL)
            continue;
        for (size_t rows = 1; rows < N / 256; rows += 8) {
            memset(blocks, 0xa5, sizeof blocks);
            scalar.quantize(x, blocks[0], rows, 256, importance);
            best.quantize(x, blocks[1], rows, 256, importance);
            assert_memory_equal(blocks[0], blocks[1], sizeof blocks[0]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets),
        cmocka_unit_test(lanes_in_plain_c),
        cmocka_unit_test(short_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
