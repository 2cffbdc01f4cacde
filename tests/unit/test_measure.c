/* test_measure.c - what runs of numbers are like, against what it means, and
 * the same with every instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>

#include "kern/measure.h"
#include "splitmix.h"

enum { N = 3000 };

static const enum ggki_isa sets[] = {GGKI_ISA_GENERIC, GGKI_ISA_AVX2};

/* Is it this processor's? */
static bool has(enum ggki_isa isa)
{
    return isa <= ggki_isa_best();
}

/* Of many sizes, either sign, some zeros. */
static void fill(float *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = random_bits(&seed);

        x[i] = bits % 16 == 0
                   ? 0
                   : ldexpf((float)((int64_t)(bits >> 20) % 100000 - 50000),
                            (int)(bits >> 8 & 31) - 40);
    }
}

/* ---------------------------------------------------------------- histogram */

/* Where a number is, as measure.h says. */
static int bin_of(float x, int exponent)
{
    double widths = ldexp(fabs((double)x), -exponent);

    return x < 0 ? GGKI_BINS / 2 - 1 - (int)floor(widths)
                 : GGKI_BINS / 2 + (int)floor(widths);
}

static void expect_histogram(const struct ggki_histogram *h, const float *x,
                             size_t n)
{
    uint64_t bins[GGKI_BINS] = {0};
    double most = 0;
    int exponent = GGKI_LEAST_EXPONENT;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs((double)x[i]));
    while (most >= ldexp(GGKI_BINS / 2, exponent))
        exponent++;
    assert_int_equal(h->steps, exponent - GGKI_LEAST_EXPONENT);
    for (size_t i = 0; i < n; i++)
        bins[bin_of(x[i], exponent)]++;
    assert_memory_equal(h->bins, bins, sizeof bins);
}

static float most_of(const float *x, size_t n)
{
    float most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmaxf(most, fabsf(x[i]));
    return most;
}

static void test_histogram(void **state)
{
    static float x[N];
    (void)state;

    for (size_t s = 0; s < 2 && has(sets[s]); s++)
        for (size_t step = 1; step < 1200; step = 3 * step + 1) {
            const struct ggki_loops *loops = ggki_loops_of(sets[s]);
            struct ggki_histogram h = {0};

            fill(x, N, step);
            for (size_t i = 0, n; i < N; i += n) {
                n = N - i < step ? N - i : step;
                ggki_histogram_add(&h, loops, x + i, n, most_of(x + i, n));
            }
            expect_histogram(&h, x, N);
        }
}

/* All in one interval, in two, and in all of them. */
static void test_histogram_of_few(void **state)
{
    static float x[N];
    (void)state;

    for (size_t s = 0; s < 2 && has(sets[s]); s++)
        for (int few = 1; few <= 64; few++) {
            struct ggki_histogram h = {0};

            for (int i = 0; i < N; i++)
                x[i] = (float)(i % few - 32) + 0.5f;
            ggki_histogram_add(&h, ggki_loops_of(sets[s]), x, N, most_of(x, N));
            expect_histogram(&h, x, N);
        }
}

static void test_histogram_of_extremes(void **state)
{
    static const float all[] = {
        0,          -0.0f, FLT_MAX, -FLT_MAX,  FLT_MIN, -FLT_MIN,    0x1p-149f,
        -0x1p-149f, 1,     -1,      0x1p-126f, 31,      -0x1.fp-122f};
    (void)state;

    for (size_t n = 0; n <= sizeof all / sizeof *all; n++)
        for (size_t from = 0; from < n; from++) {
            struct ggki_histogram h = {0}, front = {0};

            ggki_histogram_add(&h, ggki_loops_of(ggki_isa_best()), all + from,
                               n - from, most_of(all + from, n - from));
            expect_histogram(&h, all + from, n - from);
            ggki_histogram_add(&front, ggki_loops_of(GGKI_ISA_GENERIC), all,
                               from, most_of(all, from));
            ggki_histogram_merge(&front, &h);
            expect_histogram(&front, all, n);
        }
}

/* ------------------------------------------------------------------ moments */

static void expect_near(double is, double wanted, double size)
{
    if (fabs(is - wanted) > 1e-13 * size)
        fail_msg("%.17g, not %.17g", is, wanted);
}

static void test_moments(void **state)
{
    static float x[N];
    (void)state;

    for (size_t n = 1; n < N; n = n < 40 ? n + 1 : n * 2) {
        struct ggki_moments parts = {0}, m[2] = {{0}, {0}};
        double sum = 0, squares = 0, sizes = 0;
        float min, max;
        uint64_t zeros = 0;

        fill(x, n, n);
        min = max = x[0];
        for (size_t i = 0; i < n; i++) {
            min = fminf(min, x[i]);
            max = fmaxf(max, x[i]);
            sum += (double)x[i];
            sizes += fabs((double)x[i]);
            zeros += x[i] == 0;
        }
        for (size_t i = 0; i < n; i++)
            squares += pow((double)x[i] - sum / (double)n, 2);
        for (size_t s = 0; s < 2; s++)
            (void)ggki_moments_add(
                &m[s], ggki_loops_of(has(sets[s]) ? sets[s] : 0), x, n);
        assert_memory_equal(&m[0], &m[1], sizeof m[0]);
        assert_int_equal(m[0].n, n);
        assert_int_equal(m[0].n_zero, zeros);
        assert_true(m[0].min == (double)min && m[0].max == (double)max);
        expect_near(m[0].mean, sum / (double)n, sizes / (double)n);
        expect_near(m[0].squares, squares, squares);
        (void)ggki_moments_add(&parts, ggki_loops_of(0), x, n / 3);
        (void)ggki_moments_add(&parts, ggki_loops_of(0), x + n / 3, n - n / 3);
        assert_int_equal(parts.n, n);
        assert_true(parts.min == (double)min && parts.max == (double)max);
        expect_near(parts.mean, m[0].mean, sizes / (double)n);
        expect_near(parts.squares, squares, squares);
    }
}

/* A mean that is large beside the deviation takes nothing from it. */
static void test_moments_far_off(void **state)
{
    float x[] = {1000000, 1000001, 1000002, 1000001}, same[100];
    struct ggki_moments m = {0}, none = {0};
    (void)state;

    (void)ggki_moments_add(&m, ggki_loops_of(ggki_isa_best()), x, 4);
    assert_true(m.mean == 1000001 && m.squares == 2);
    for (int i = 0; i < 100; i++)
        same[i] = 0.1f;
    (void)ggki_moments_add(&none, ggki_loops_of(ggki_isa_best()), same, 100);
    assert_true(none.squares == 0 && none.mean == (double)0.1f);
}

/* So that squares, and n times their sum, are exact as integers. */
static double squares_of(const float *x, uint64_t n)
{
    int64_t sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++) {
        sum += (int64_t)x[i];
        squares += (int64_t)x[i] * (int64_t)x[i];
    }
    return (double)((int64_t)n * squares - sum * sum) / (double)n;
}

/* Nor does one number that is far from all others, wherever it is. */
static void test_moments_with_one_far_off(void **state)
{
    enum { SPAN = 4096 };
    static const size_t places[] = {0, 1, SPAN - 1};
    static float x[SPAN];
    (void)state;

    for (size_t s = 0; s < 2 && has(sets[s]); s++)
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            for (int64_t middle = 0; middle < 600000; middle += 99999) {
                struct ggki_moments m = {0};
                uint64_t seed = 1;
                int64_t sum = 0;

                for (size_t k = 0; k < SPAN; k++)
                    x[k] = (float)(middle + (int64_t)(random_bits(&seed) % 99));
                x[places[i]] = -0x1p24f;
                for (size_t k = 0; k < SPAN; k++)
                    sum += (int64_t)x[k];
                assert_true(
                    ggki_moments_add(&m, ggki_loops_of(sets[s]), x, SPAN));
                assert_true(m.min == -0x1p24);
                assert_true(m.mean == (double)sum / SPAN);
                if (fabs(m.squares / squares_of(x, SPAN) - 1) > 1e-14)
                    fail_msg("%.17g, not %.17g", m.squares,
                             squares_of(x, SPAN));
            }
}

/* The range of numbers of one sign, and of zeros of either, which have none. */
static void test_range(void **state)
{
    static const float signs[][2] = {{1, 2},         {-2, -1},   {0, 0},
                                     {-0.0f, -0.0f}, {0, 3},     {-3, 0},
                                     {-0.0f, 3},     {-3, -0.0f}};
    float x[24];
    (void)state;

    for (size_t s = 0; s < 2 && has(sets[s]); s++)
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
            for (size_t n = 1; n <= 24; n++) {
                struct ggki_moments m = {0};

                for (size_t k = 0; k < n; k++)
                    x[k] = signs[i][k % 2];
                assert_true(ggki_moments_add(&m, ggki_loops_of(sets[s]), x, n));
                assert_true(m.min == (double)signs[i][0]);
                assert_true(m.max == (double)signs[i][n > 1]);
                assert_false(signbit(m.min) && m.min == 0);
                assert_false(signbit(m.max) && m.max == 0);
            }
}

/* They are told, wherever they are, and add nothing. */
static void test_not_finite(void **state)
{
    static const float all[] = {NAN, -NAN, INFINITY, -INFINITY};
    float x[21];
    (void)state;

    for (size_t s = 0; s < 2 && has(sets[s]); s++)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            for (size_t k = 0; k < 21; k++) {
                struct ggki_moments m = {0}, none = {0};

                fill(x, 21, k);
                x[k] = all[i];
                assert_false(
                    ggki_moments_add(&m, ggki_loops_of(sets[s]), x, 21));
                assert_memory_equal(&m, &none, sizeof m);
                x[k] = k % 2 == 0 ? FLT_MAX : -FLT_MAX;
                assert_true(
                    ggki_moments_add(&m, ggki_loops_of(sets[s]), x, 21));
            }
}

/* ----------------------------------------------------------------- distance */

static double apart(const float *a, const float *b, size_t i)
{
    return fabs((double)a[i] - (double)b[i]);
}

static void test_distance(void **state)
{
    static float a[N], b[N];
    size_t farthest = 0;
    (void)state;

    fill(a, N, 1);
    memcpy(b, a, sizeof b);
    for (size_t i = 0; i < N; i += 7)
        b[i] += 0.5f;
    b[1001] = a[1001] + 3;
    b[2001] = a[2001] + 3;
    b[2501] = b[2001];
    a[2501] = a[2001]; /* as far: the first counts */
    for (size_t i = 1; i < N; i++)
        if (apart(a, b, i) > apart(a, b, farthest))
            farthest = i;
    for (size_t s = 0; s < 2 && has(sets[s]); s++)
        for (size_t step = 1; step < N; step = 3 * step + 1) {
            struct ggki_distance d = {0}, part = {0};
            double squares = 0, ab = 0, aa = 0, bb = 0;
            uint64_t differ = 0;

            for (size_t i = 0; i < N; i++) {
                double x = (double)a[i], y = (double)b[i];

                differ += a[i] != b[i];
                squares += (x - y) * (x - y);
                aa += x * x;
                bb += y * y;
                ab += x * y;
            }
            for (size_t i = 0, n; i < N; i += n) {
                n = N - i < step ? N - i : step;
                memset(&part, 0, sizeof part);
                ggki_distance_add(&part, ggki_loops_of(sets[s]), a + i, b + i,
                                  n, i);
                ggki_distance_merge(&d, &part);
            }
            assert_int_equal(d.n_differ, differ);
            expect_near(d.squares, squares, squares);
            expect_near(d.squares_a, aa, aa);
            expect_near(d.squares_b, bb, bb);
            expect_near(d.products, ab, aa + bb);
            assert_true(d.max > 2.9 && d.max < 3.1);
            assert_true(d.max == apart(a, b, farthest));
            assert_int_equal(d.max_at, farthest);
        }
}

/* What floats hold is as far apart, and spread, as doubles as it is as floats.
 */
static void test_doubles(void **state)
{
    static float x[N], y[N];
    static double a[N], b[N], between[N];
    struct ggki_histogram h[2] = {{0}, {0}};
    struct ggki_moments m[2] = {{0}, {0}};
    struct ggki_distance d[2] = {{0}, {0}};
    const struct ggki_loops *l = ggki_loops_of(GGKI_ISA_GENERIC);
    (void)state;

    fill(x, N, 1);
    fill(y, N, 2);
    for (size_t i = 0; i < N; i++) {
        a[i] = (double)x[i];
        b[i] = (double)y[i];
        between[i] = fabs(a[i] - b[i]);
    }
    (void)ggki_moments_add(&m[0], l, x, N);
    ggki_moments_add_doubles(&m[1], a, N);
    assert_true(m[0].n_zero == m[1].n_zero && m[0].min == m[1].min &&
                m[0].max == m[1].max);
    expect_near(ldexp(m[1].mean, (int)m[1].exponent), m[0].mean,
                m[0].max - m[0].min);
    expect_near(ldexp(m[1].squares, 2 * (int)m[1].exponent), m[0].squares,
                m[0].squares);
    ggki_histogram_add(&h[0], l, x, N, most_of(x, N));
    ggki_histogram_add_doubles(&h[1], a, N, (double)most_of(x, N));
    assert_memory_equal(&h[0], &h[1], sizeof h[0]);
    ggki_distance_add(&d[0], l, x, y, N, 5);
    ggki_distance_add_doubles(&d[1], a, b, between, N, 5);
    assert_true(d[0].n_differ == d[1].n_differ && d[0].max == d[1].max &&
                d[0].max_at == d[1].max_at);
    expect_near(ldexp(d[1].squares, 2 * (int)d[1].exponent), d[0].squares,
                d[0].squares);
    expect_near(ldexp(d[1].products, (int)(d[1].exponent_a + d[1].exponent_b)),
                d[0].products, d[0].squares_a + d[0].squares_b);
}

/* Of numbers that have no room beside each other. */
static void test_apart(void **state)
{
    static double a[64], b[64], between[64];
    struct ggki_distance d = {.n_differ = 0};
    (void)state;

    for (int i = 0; i < 64; i++) {
        a[i] = ldexp(i + 1, 700);
        b[i] = ldexp(i + 1, i < 32 ? -900 : -700);
        between[i] = a[i] - b[i];
    }
    ggki_distance_add_doubles(&d, a, b, between, 32, 0);
    assert_true(d.products / sqrt(d.squares_a * d.squares_b) == 1);
    ggki_distance_add_doubles(&d, a + 32, b + 32, between + 32, 32, 32);
    assert_true(d.squares == d.squares_a && d.exponent == d.exponent_a);
    assert_true(d.max == a[63] && d.max_at == 63);
    /* The first half of b is nothing beside the second, but not so that of a.
     */
    expect_near(d.products / sqrt(d.squares_a * d.squares_b),
                sqrt(78000.0 / 89440.0), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_histogram_of_few),
        cmocka_unit_test(test_histogram_of_extremes),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_moments_far_off),
        cmocka_unit_test(test_moments_with_one_far_off),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_doubles),
    };

    if (!has(GGKI_ISA_AVX2))
        print_message("this processor has no AVX2: the portable loops alone\n");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
