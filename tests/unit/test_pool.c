/* test_pool.c - every job once, the first failure, the caller's ticks. */
#include "base/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <cmocka.h>

#include "base/err.h"

#define N_JOBS 1000

struct count {
    atomic_uint times[N_JOBS];
    atomic_uint begun;
    unsigned n_threads;
    uint64_t fails_from; /* jobs from here on fail */
    unsigned ticks_left;
};

static ggk_status job(void *ctx, unsigned thread, uint64_t i, ggk_error *err)
{
    struct count *c = ctx;

    assert_true(thread < c->n_threads);
    atomic_fetch_add(&c->begun, 1);
    atomic_fetch_add(&c->times[i], 1);
    return i >= c->fails_from
               ? ggki_fail(err, GGK_E_IO, "job %llu", (unsigned long long)i)
               : GGK_OK;
}

static bool tick(void *ctx)
{
    struct count *c = ctx;

    return c->ticks_left-- > 0;
}

static void each_job_once(void **state)
{
    static const unsigned threads[] = {0, 1, 2, 7, GGKI_POOL_MAX_THREADS + 9};

    (void)state;
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        struct count c = {.n_threads = threads[t] > 0 ? threads[t] : 1,
                          .fails_from = UINT64_MAX};
        ggk_error err;

        assert_int_equal(ggki_pool_run(threads[t], N_JOBS, job, NULL, &c, &err),
                         GGK_OK);
        for (int i = 0; i < N_JOBS; i++)
            assert_int_equal(atomic_load(&c.times[i]), 1);
    }
}

static void no_jobs(void **state)
{
    struct count c = {.n_threads = 2, .fails_from = 0};
    ggk_error err;

    (void)state;
    assert_int_equal(ggki_pool_run(2, 0, job, NULL, &c, &err), GGK_OK);
    assert_int_equal(atomic_load(&c.begun), 0);
}

static void lowest_failure_counts(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 8; n++) {
        struct count c = {.n_threads = n, .fails_from = 100};
        ggk_error err;

        assert_int_equal(ggki_pool_run(n, N_JOBS, job, NULL, &c, &err),
                         GGK_E_IO);
        assert_string_equal(err.what, "job 100");
        assert_in_range(atomic_load(&c.begun), 101, 100 + n);
    }
}

static void tick_cancels(void **state)
{
    struct count c = {
        .n_threads = 1, .fails_from = UINT64_MAX, .ticks_left = 5};
    ggk_error err;

    (void)state;
    assert_int_equal(ggki_pool_run(1, N_JOBS, job, tick, &c, &err),
                     GGK_E_CANCELLED);
    assert_int_equal(err.status, GGK_E_CANCELLED);
    assert_int_equal(atomic_load(&c.begun), 5);
}

static void threads_are_bounded(void **state)
{
    (void)state;
    assert_in_range(ggki_pool_threads(0), 1, GGKI_POOL_MAX_THREADS);
    assert_int_equal(ggki_pool_threads(3), 3);
    assert_int_equal(ggki_pool_threads(100000), GGKI_POOL_MAX_THREADS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_job_once),         cmocka_unit_test(no_jobs),
        cmocka_unit_test(lowest_failure_counts), cmocka_unit_test(tick_cancels),
        cmocka_unit_test(threads_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
