/* test_kern_grids.c - which points of a grid are near others, found out by
 * several threads at once; and blocks of the types that have a grid where the
 * numbers are odd.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/load.h"
#include "base/type_ids.h"
#include "ggk.h"
#include "kern/grids.h"
#include "kern/iq1.h"
#include "kern/kern.h"
#include "kern/round.h"

enum { SUPER = 256, THREADS = 4 };

static const uint32_t types[] = {
    GGKI_IQ2_XXS, GGKI_IQ2_XS, GGKI_IQ3_XXS, GGKI_IQ1_S,
    GGKI_IQ3_S,   GGKI_IQ2_S,  GGKI_IQ1_M,
};

enum { TYPES = sizeof types / sizeof *types };

/* ------------------------------------------------------------------- lists */

static void *ask_for_all(void *unused)
{
    for (int id = 0; id < GGKI_GRIDS; id++)
        ggki_grid_of((enum ggki_grid_id)id);
    return unused;
}

static void threads_ask_at_once(void **state)
{
    pthread_t threads[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_for_all, NULL),
                         0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static unsigned codes_of(const struct ggki_grid *g)
{
    unsigned n = 1;

    for (unsigned i = 0; i < g->dims; i++)
        n *= g->radix;
    return n;
}

static unsigned apart(const struct ggki_grid *g, unsigned point, unsigned code)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < g->dims; i++, code /= g->radix) {
        int diff = (int)grid_level(g, point, i) - (int)(code % g->radix);
        sum += (unsigned)(diff * diff);
    }
    return sum;
}

/* The list is all points of the least distances, in order: none that is left
 * out is as near as the last, and distances change as often as they may. */
static void check_list(const struct ggki_grid *g, unsigned code,
                       const uint16_t *list)
{
    size_t n = list[0];
    unsigned shells = 1;
    size_t as_near = 0;

    assert_in_range(n, 1, GGKI_NEAR_MAX);
    for (size_t i = 2; i <= n; i++) {
        unsigned last = apart(g, list[i - 1], code);
        unsigned now = apart(g, list[i], code);
        assert_true(last < now || (last == now && list[i - 1] < list[i]));
        shells += last < now;
    }
    assert_int_equal(shells, g->shells);
    for (size_t i = 0; i < g->n; i++)
        as_near += apart(g, g->points[i], code) <= apart(g, list[n], code);
    assert_int_equal(as_near, n);
}

static void lists_are_the_nearest(void **state)
{
    size_t longest = 0;

    (void)state;
    for (int id = 0; id < GGKI_GRIDS; id++) {
        const struct ggki_grid *g = ggki_grid_of((enum ggki_grid_id)id);
        size_t n_points = 0;

        for (unsigned code = 0; code < codes_of(g); code++) {
            int32_t place = g->places[code];

            if (place >= 0) {
                assert_int_equal(grid_code(g, g->points[place]), code);
                n_points++;
            } else {
                const uint16_t *list = g->lists + ~place;
                longest = list[0] > longest ? list[0] : longest;
                if (code % 7 == 0)
                    check_list(g, code, list);
            }
        }
        assert_int_equal(n_points, g->n);
    }
    assert_int_equal(longest, GGKI_NEAR_MAX);
}

/* They fill their memory, so that none is in another's. */
static void lists_end_where_others_begin(void **state)
{
    const uint16_t *end = ggki_grid_of(GGKI_GRID_IQ1)->lists;

    (void)state;
    for (int id = 0; id < GGKI_GRIDS; id++) {
        const struct ggki_grid *g = ggki_grid_of((enum ggki_grid_id)id);

        assert_ptr_equal(g->lists, end);
        for (unsigned code = 0; code < codes_of(g); code++)
            if (g->places[code] < 0) {
                const uint16_t *list = g->lists + ~g->places[code];
                assert_ptr_equal(list, end);
                end = list + 1 + list[0];
            }
    }
}

/* ------------------------------------------------------------------ blocks */

static float d_of(uint32_t type, const uint8_t *block)
{
    return type == GGKI_IQ1_M ? ggki_iq1_m_d(block) : load_f16(block);
}

/* Numbers that no distance from can be computed, in one block of three. */
static void hopeless_blocks_are_infinite(void **state)
{
    float x[3 * SUPER];
    float importance[3 * SUPER];
    uint8_t blocks[3 * 128];

    (void)state;
    for (size_t i = 0; i < 3 * SUPER; i++) {
        x[i] = (float)(i % 13) * 0.25f - 1.3f;
        importance[i] = 1 + (float)(i % 3);
    }
    for (size_t i = SUPER; i < 2 * SUPER; i++)
        x[i] = fabsf(x[i]) * 1e18f;
    for (int isa = 0; isa <= (int)ggki_isa_best(); isa++)
        for (size_t i = 0; i < TYPES; i++) {
            size_t bytes = ggk_type_by_id(types[i])->bytes;
            struct ggki_kern kern = ggki_kern_of(types[i], (enum ggki_isa)isa);

            kern.quantize(x, blocks, 1, 3 * SUPER, importance);
            assert_true(isfinite(d_of(types[i], blocks)));
            assert_true(d_of(types[i], blocks + bytes) == INFINITY);
            assert_true(isfinite(d_of(types[i], blocks + 2 * bytes)));
            for (size_t k = 0; k < bytes; k++) /* all but d is 0 */
                assert_true(blocks[bytes + k] == 0 ||
                            blocks[bytes + k] == (k == 1    ? 0x7c
                                                  : k == 53 ? 0xc0
                                                            : 0x70));
        }
}

/* Without importance even types that the reference refuses then are near. */
static void importance_may_be_missing(void **state)
{
    float x[SUPER];
    float back[SUPER];
    uint8_t block[128];

    (void)state;
    for (size_t i = 0; i < SUPER; i++)
        x[i] = (i % 3 == 0 ? -1.0f : 1.0f) * (1 + (float)(i % 5) * 0.25f);
    for (size_t i = 0; i < TYPES; i++) {
        struct ggki_kern kern = ggki_kern_of(types[i], ggki_isa_best());
        float error = 0;
        float all = 0;

        kern.quantize(x, block, 1, SUPER, NULL);
        kern.dequantize(block, back, SUPER);
        for (size_t k = 0; k < SUPER; k++) {
            error += (x[k] - back[k]) * (x[k] - back[k]);
            all += x[k] * x[k];
        }
        assert_true(error < 0.25f * all);
    }
}

/* 32 numbers that are 0 are passed over by what follows: the flaw of IQ3_S. */
static void zeros_of_iq3_s_move_the_rest(void **state)
{
    struct ggki_kern kern = ggki_kern_of(GGKI_IQ3_S, ggki_isa_best());
    float x[SUPER];
    uint8_t whole[110];
    uint8_t holed[110];

    (void)state;
    for (size_t i = 0; i < SUPER; i++)
        x[i] = sinf((float)(i % 32) + 1);
    kern.quantize(x, whole, 1, SUPER, NULL);
    memset(x + 32, 0, 32 * sizeof *x);
    kern.quantize(x, holed, 1, SUPER, NULL);
    assert_memory_equal(holed + 2, whole + 2, 7 * 8);
    assert_int_equal(holed[2 + 7 * 8], 0);
    assert_int_equal(holed[66 + 1], 0); /* high bits stay where they belong */
    assert_memory_equal(holed + 66 + 2, whole + 66 + 2, 6);
    assert_memory_equal(holed + 74, whole + 74, 7 * 4);
    assert_int_equal(holed[74 + 7 * 4], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_ask_at_once),
        cmocka_unit_test(lists_are_the_nearest),
        cmocka_unit_test(lists_end_where_others_begin),
        cmocka_unit_test(hopeless_blocks_are_infinite),
        cmocka_unit_test(importance_may_be_missing),
        cmocka_unit_test(zeros_of_iq3_s_move_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
