/* test_ckd.c - checked arithmetic, against 128-bit integers. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/ckd.h"
#include "bytes.h"

__extension__ typedef unsigned __int128 wide;

enum { RANDOM_PAIRS = 200000, CANARY = 7 };

/* Every power of two, and its neighbours. */
enum { N_EDGES = 3 * 64 };

static void make_edges(uint64_t edges[N_EDGES])
{
    for (unsigned i = 0; i < 64; i++) {
        uint64_t power = UINT64_C(1) << i;
        edges[3 * i] = power - 1;
        edges[3 * i + 1] = power;
        edges[3 * i + 2] = i == 63 ? UINT64_MAX : power + 1;
    }
}

/* `right` is the exact result. */
static void expect_result(bool done, uint64_t out, wide right)
{
    if (right <= UINT64_MAX) {
        assert_true(done);
        assert_true(out == (uint64_t)right);
    } else {
        assert_false(done);
        assert_true(out == CANARY);
    }
}

/* The same result, or the largest number. */
static void expect_saturated(uint64_t out, wide right)
{
    assert_true(out == (right <= UINT64_MAX ? (uint64_t)right : UINT64_MAX));
}

static void expect_add(uint64_t a, uint64_t b)
{
    uint64_t out = CANARY;
    bool done = ckd_add64(a, b, &out);
    expect_result(done, out, (wide)a + b);
    expect_saturated(sat_add64(a, b), (wide)a + b);
}

static void expect_mul(uint64_t a, uint64_t b)
{
    uint64_t out = CANARY;
    bool done = ckd_mul64(a, b, &out);
    expect_result(done, out, (wide)a * b);
    expect_saturated(sat_mul64(a, b), (wide)a * b);
}

static void expect_align(uint64_t a, uint64_t to)
{
    uint64_t out = CANARY;
    bool done = ckd_align64(a, to, &out);
    wide right = to == 0 ? a : ((wide)a + to - 1) / to * to;

    expect_result(done, out, right);
    expect_saturated(sat_align64(a, to), right);
    /* `base` is only to have room: with none the result is the same. */
    for (int i = 0; i < 2; i++) {
        uint64_t base = i == 0 ? 0 : UINT64_MAX - a;
        out = CANARY;
        done = ckd_align_after64(base, a, to, &out);
        expect_result(done, out,
                      base + right <= UINT64_MAX ? right : (wide)1 << 64);
    }
}

static void expect_all(uint64_t a, uint64_t b)
{
    expect_add(a, b);
    expect_mul(a, b);
    expect_align(a, b);
}

static void edges_are_exact(void **state)
{
    uint64_t edges[N_EDGES];

    (void)state;
    make_edges(edges);
    for (size_t i = 0; i < N_EDGES; i++)
        for (size_t j = 0; j < N_EDGES; j++)
            expect_all(edges[i], edges[j]);
}

/* Products that just fit, and just do not. */
static void products_near_the_limit_are_exact(void **state)
{
    uint64_t edges[N_EDGES];

    (void)state;
    make_edges(edges);
    for (size_t i = 0; i < N_EDGES; i++) {
        uint64_t most = edges[i] == 0 ? 1 : UINT64_MAX / edges[i];
        expect_mul(edges[i], most);
        expect_mul(most, edges[i]);
        if (most < UINT64_MAX)
            expect_mul(edges[i], most + 1);
    }
}

static void random_pairs_are_exact(void **state)
{
    uint64_t seed = 0x9e3779b97f4a7c15u;

    (void)state;
    for (int i = 0; i < RANDOM_PAIRS; i++) {
        uint64_t a = bytes_random(&seed);
        uint64_t b = bytes_random(&seed);
        expect_all(a >> bytes_random(&seed) % 64,
                   b >> bytes_random(&seed) % 64);
    }
}

/* Alignments that are no power of two are legal. */
static void odd_alignments_round_up(void **state)
{
    static const struct {
        uint64_t a, to, right;
    } cases[] = {
        {470, 32, 480}, {470, 64, 512}, {480, 32, 480}, {0, 32, 0},
        {1, 48, 48},    {49, 48, 96},   {7, 1, 7},      {7, 0, 7},
        {1, 24, 24},    {24, 24, 24},   {25, 24, 48},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t out;
        assert_true(ckd_align64(cases[i].a, cases[i].to, &out));
        assert_int_equal(out, cases[i].right);
    }
}

/* `out` may be one of the operands. */
static void result_may_replace_an_operand(void **state)
{
    uint64_t a = 40;

    (void)state;
    assert_true(ckd_add64(a, 2, &a));
    assert_true(ckd_mul64(a, 3, &a));
    assert_true(ckd_align64(a, 100, &a));
    assert_int_equal(a, 200);
    assert_false(ckd_add64(a, UINT64_MAX, &a));
    assert_int_equal(a, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_exact),
        cmocka_unit_test(products_near_the_limit_are_exact),
        cmocka_unit_test(random_pairs_are_exact),
        cmocka_unit_test(odd_alignments_round_up),
        cmocka_unit_test(result_may_replace_an_operand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
