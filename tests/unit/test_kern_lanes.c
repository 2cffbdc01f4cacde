/* test_kern_lanes.c - vector kernels and scalar ones give the same bytes: those
 * of every instruction set that this processor runs, and the same source with
 * lanes in plain C: the portable ones or, with TEST_SIMDE, those of AVX-512.
 *
 * usage: test_kern_lanes [TEST]
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ggk.h"
#include "kern/kern.h"
#if defined(TEST_SIMDE)
#    include "simde_avx512.h"

#    include "kern/x86/lanes_avx512.h"
#else
#    include "kern/lanes/lanes_portable.h"
#endif
#include "kern/lanes/table_lanes.h"
#include "splitmix.h"

enum {
    ROW = 256 * 5, /* lanes are left over: 5 super-blocks, 40 blocks */
    ROWS = 4,
    N = ROW * ROWS,
    BYTES_MAX = 8 * N,
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

/* Numbers of that kind; of every fourth run of 16, all are the same. Half of
 * the importances are negative, of every other kind none. */
static void fill(int kind)
{
    for (size_t i = 0; i < N; i++)
        x[i] = i % 16 != 0 && i / 16 % 4 == 3 ? x[i - 1] : numbers[kind]();
    for (size_t i = 0; i < ROW; i++) {
        float product = normal() * normal();

        if (kind % 2 != 0)
            product = fabsf(product);
        importance[i] = i / 32 % 5 == 4 ? 0 : product + 0x1p-6f;
    }
}

static size_t blocks_bytes(const ggk_type_info *type)
{
    size_t bytes = N / type->block * type->bytes;

    assert_true(bytes <= BYTES_MAX);
    return bytes;
}

/* What a kernel for the type makes of `x` is what the scalar one does. */
static void assert_same_blocks(const ggk_type_info *type, struct ggki_kern kern,
                               const float *weights)
{
    struct ggki_kern scalar = ggki_kern_of(type->id, GGKI_ISA_GENERIC);

    memset(blocks, 0xa5, sizeof blocks);
    scalar.quantize(x, blocks[0], ROWS, ROW, weights);
    kern.quantize(x, blocks[1], ROWS, ROW, weights);
    if (memcmp(blocks[0], blocks[1], blocks_bytes(type)) != 0)
        fail_msg("blocks of %s differ", type->name);
}

/* The same of the numbers of blocks. */
static void assert_same_numbers(const ggk_type_info *type,
                                struct ggki_kern kern)
{
    ggki_kern_of(type->id, GGKI_ISA_GENERIC).dequantize(blocks[0], back[0], N);
    kern.dequantize(blocks[0], back[1], N);
    for (size_t i = 0; i < N; i++)
        if (isnan(back[0][i])) /* its bits are not fixed */
            assert_true(isnan(back[1][i]));
        else
            assert_int_equal(f32_bits(back[0][i]), f32_bits(back[1][i]));
}

static void assert_same(const ggk_type_info *type, struct ggki_kern kern)
{
    for (int kind = 0; kind < KINDS && kern.quantize != NULL; kind++) {
        fill(kind);
        assert_same_blocks(type, kern, NULL);
        assert_same_numbers(type, kern);
        assert_same_blocks(type, kern, importance);
        assert_same_numbers(type, kern);
    }
    for (size_t i = 0; i < blocks_bytes(type); i++) /* any bytes are blocks */
        blocks[0][i] = (uint8_t)below(256);
    assert_same_numbers(type, kern);
}

/* Unless it is that of less than its instruction set. Returns how many were
 * compared: 1 or 0. */
static size_t check_kernels(const ggk_type_info *type, struct ggki_kern kern,
                            struct ggki_kern lower)
{
    if (kern.quantize == lower.quantize && kern.dequantize == lower.dequantize)
        return 0;
    random_state = type->id;
    assert_same(type, kern);
    return 1;
}

/* Of these no type may be left out. */
static size_t n_written_with_lanes(void)
{
    size_t n = 0;

    for (size_t i = 0; i < sizeof lanes_kernels / sizeof *lanes_kernels; i++)
        n += lanes_kernels[i].quantize != NULL ||
             lanes_kernels[i].dequantize != NULL;
    return n;
}

static void instruction_sets(void **unused)
{
    static const char *const names[] = {"", "NEON", "AVX2", "AVX-512"};
    bool arm = ggki_isa_best() == GGKI_ISA_NEON;

    (void)unused;
    for (int isa = arm ? GGKI_ISA_NEON : GGKI_ISA_AVX2;
         isa <= (int)ggki_isa_best(); isa++) {
        size_t compared = 0;

        for (size_t i = 0; i < ggk_type_count(); i++) {
            uint32_t id = ggk_type_at(i)->id;

            compared += check_kernels(
                ggk_type_at(i), ggki_kern_of(id, (enum ggki_isa)isa),
                ggki_kern_of(id, (enum ggki_isa)(isa - 1)));
        }
        assert_int_equal(compared, n_written_with_lanes());
        print_message("%s: %zu types, %d kinds of numbers\n", names[isa],
                      compared, KINDS);
    }
}

static void lanes_in_plain_c(void **unused)
{
    const struct ggki_kern none = {NULL, NULL};
    size_t compared = 0;

    (void)unused;
    for (size_t i = 0; i < ggk_type_count(); i++)
        compared +=
            check_kernels(ggk_type_at(i), lanes_kern(ggk_type_at(i)->id), none);
    assert_int_equal(compared, n_written_with_lanes());
}

/* Rows of one block, where most lanes are left over. */
static void short_rows(void **unused)
{
    (void)unused;
    fill(0);
    for (size_t i = 0; i < ggk_type_count(); i++) {
        uint32_t id = ggk_type_at(i)->id;
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

/* What Linux says of this processor is what dispatch.c finds out; of others the
 * compiler knows it. */
static void this_processor_is_known(void **unused)
{
#if defined(__x86_64__)
    FILE *file = fopen("/proc/cpuinfo", "r");
    static char line[8192];

    (void)unused;
    if (file == NULL)
        skip();
    while (fgets(line, sizeof line, file) != NULL &&
           strncmp(line, "flags", 5) != 0)
        continue;
    fclose(file);
    if (strstr(line, " avx2 ") != NULL && strstr(line, " f16c ") != NULL)
        assert_int_not_equal(ggki_isa_best(), GGKI_ISA_GENERIC);
#elif defined(__aarch64__) && !defined(__ARM_BIG_ENDIAN)
    (void)unused;
    assert_int_equal(ggki_isa_best(), GGKI_ISA_NEON);
#else
    (void)unused;
    assert_int_equal(ggki_isa_best(), GGKI_ISA_GENERIC);
#endif
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_processor_is_known),
        cmocka_unit_test(instruction_sets),
        cmocka_unit_test(lanes_in_plain_c),
        cmocka_unit_test(short_rows),
    };

    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
