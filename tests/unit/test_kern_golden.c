/* test_kern_golden.c - blocks, and the numbers of blocks, have the digests that
 * those of ggml have: with every instruction set, on machines of either byte
 * order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/store.h"
#include "format/types.h"
#include "kern/kern.h"
#include "kern_golden.h"
#include "ops/digest.h"
#include "splitmix.h"

enum { N_GOLDEN = sizeof golden / sizeof *golden, N_MAX = 32 * 1024 };

/* The kinds of numbers in the order of the table; the seed of each is 1000 and
 * its place. */
static double number_normal(uint64_t *random, uint32_t i)
{
    (void)i;
    return random_normal(random) * 0x1p-5;
}

static double number_uniform(uint64_t *random, uint32_t i)
{
    (void)i;
    return random_unit(random) * 2 - 1;
}

static double number_heavy(uint64_t *random, uint32_t i)
{
    double x = random_normal(random);

    (void)i;
    return x * x * x * 0x1p-8;
}

static double number_grid(uint64_t *random, uint32_t i)
{
    (void)i;
    return ((double)(random_bits(random) >> 59) - 16) * 0x1p-6;
}

static double number_zeros(uint64_t *random, uint32_t i)
{
    double x = random_normal(random);

    if (i / 32 % 3 == 1 || i / 256 % 5 == 2 || random_bits(random) >> 61 == 0)
        return 0;
    return x * 0x1p-5;
}

static double number_constant(uint64_t *random, uint32_t i)
{
    uint64_t begin = *random;
    double x = random_normal(random) * 0x1p-4;

    if (i % 32 != 31)
        *random = begin;
    return x;
}

static double number_tiny(uint64_t *random, uint32_t i)
{
    (void)i;
    return random_normal(random) * 0x1p-30;
}

static double number_offset(uint64_t *random, uint32_t i)
{
    (void)i;
    return random_normal(random) * 0x1p-6 + 0.5;
}

static double (*const numbers[GOLDEN_KINDS])(uint64_t *, uint32_t) = {
    number_normal, number_uniform,  number_heavy, number_grid,
    number_zeros,  number_constant, number_tiny,  number_offset,
};

struct input {
    uint32_t n;
    uint32_t row_n;
    float x[N_MAX];
    float importance[1024]; /* of the columns */
};

/* Unless it is as it was last. */
static void make_input(struct input *in, int kind, const struct golden *g)
{
    uint64_t random = 1000 + (uint64_t)kind;

    if (in->row_n == g->row_n && in->n == g->n_rows * g->row_n)
        return;
    in->n = g->n_rows * g->row_n;
    in->row_n = g->row_n;
    for (uint32_t i = 0; i < in->n; i++)
        in->x[i] = (float)numbers[kind](&random, i);
    for (uint32_t i = 0; i < in->row_n; i++) {
        double r = random_unit(&random);
        r += random_unit(&random);
        in->importance[i] = (float)(r * r + 0x1p-6);
    }
}

static struct ggki_sha sha;
static struct ggki_hasher hasher;
static bool no_digests;

static void assert_digest(const void *data, size_t bytes, const char *wanted)
{
    uint8_t digest[32] = {0};
    char hex[sizeof digest * 2 + 1];

    assert_true(ggki_hasher_begin(&hasher) &&
                ggki_hasher_update(&hasher, data, bytes) &&
                ggki_hasher_end(&hasher, digest));
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(hex, wanted);
}

/* Of the numbers as the table's digest is of them. */
static void assert_numbers(float *x, uint32_t n, const char *wanted)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bits;

        memcpy(&bits, &x[i], sizeof bits);
        store_u32((uint8_t *)&x[i], bits, false);
    }
    assert_digest(x, n * sizeof *x, wanted);
}

/* Of the first kind the digest is known; of the others, what the portable
 * kernel makes. */
static void check_numbers(const struct golden *g, int kind,
                          const uint8_t *blocks, uint32_t n,
                          struct ggki_kern kern)
{
    static float x[N_MAX];
    static float portable[N_MAX];

    kern.dequantize(blocks, x, n);
    ggki_kern_of(g->type, GGKI_ISA_GENERIC).dequantize(blocks, portable, n);
    assert_memory_equal(x, portable, n * sizeof *x);
    if (kind == 0)
        assert_numbers(x, n, g->numbers);
}

static void check_kern(const struct golden *g, int kind, const struct input *in,
                       struct ggki_kern kern)
{
    static uint8_t blocks[N_MAX * sizeof(float)];
    const ggk_type_info *type = ggki_type_find(NULL, g->type);
    size_t bytes = (size_t)(in->n / type->block) * type->bytes;

    assert_string_equal(type->name, g->name);
    memset(blocks, 0xa5, sizeof blocks);
    kern.quantize(in->x, blocks, g->n_rows, g->row_n,
                  g->importance ? in->importance : NULL);
    assert_int_equal(blocks[bytes], 0xa5);
    assert_digest(blocks, bytes, g->sha256[kind]);
    check_numbers(g, kind, blocks, in->n, kern);
}

static bool same(struct ggki_kern a, struct ggki_kern b)
{
    return a.quantize == b.quantize && a.dequantize == b.dequantize;
}

/* Each kernel once, with the lowest instruction set that has it: counted by
 * that. */
static void check_golden(const struct golden *g, int kind, struct input *in,
                         int *compared)
{
    struct ggki_kern tried = {NULL, NULL};

    for (int isa = 0; isa <= (int)ggki_isa_best(); isa++) {
        struct ggki_kern kern = ggki_kern_of(g->type, (enum ggki_isa)isa);

        if (same(kern, tried))
            continue;
        make_input(in, kind, g);
        check_kern(g, kind, in, kern);
        tried = kern;
        compared[isa]++;
    }
}

static void blocks_have_the_digests_of_ggml(void **state)
{
    static struct input in;
    int compared[GGKI_ISA_AVX512 + 1] = {0};

    (void)state;
    if (no_digests)
        skip();
    for (int kind = 0; kind < GOLDEN_KINDS; kind++) {
        in.n = 0;
        for (int i = 0; i < N_GOLDEN; i++)
            check_golden(&golden[i], kind, &in, compared);
    }
    for (int isa = 0; isa <= (int)ggki_isa_best(); isa++)
        if (isa != GGKI_ISA_NEON || ggki_isa_best() == GGKI_ISA_NEON)
            assert_true(compared[isa] > 0);
}

static void every_type_has_kernels(void **state)
{
    (void)state;
    for (int i = 0; i < N_GOLDEN; i++) {
        struct ggki_kern kern = ggki_kern_of(golden[i].type, GGKI_ISA_GENERIC);

        assert_true(kern.quantize != NULL && kern.dequantize != NULL);
    }
}

static int open_digests(void **state)
{
    ggk_allocator mem = ggki_mem_of(NULL);

    (void)state;
    no_digests = ggki_sha_open(&sha, NULL) != GGK_OK;
    if (no_digests)
        return 0; /* the test that needs them is skipped */
    return ggki_hasher_init(&hasher, GGK_ALGO_SHA256, &sha, &mem, NULL) !=
           GGK_OK;
}

static int close_digests(void **state)
{
    ggk_allocator mem = ggki_mem_of(NULL);

    (void)state;
    ggki_hasher_free(&hasher, &mem);
    ggki_sha_close(&sha);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_have_the_digests_of_ggml),
        cmocka_unit_test(every_type_has_kernels),
    };

    int failed = cmocka_run_group_tests(tests, open_digests, close_digests);

    if (failed == 0 && no_digests) {
        puts("no libcrypto: the blocks have no digests");
        return 77;
    }
    return failed;
}
