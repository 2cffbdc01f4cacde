/* pool.c - one piece of work, cut into jobs, done by several threads. */
#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/err.h"

struct pool {
    uint64_t n_jobs;
    ggki_job *job;
    void *ctx;
    atomic_uint_fast64_t next;
    atomic_bool stop;
    pthread_mutex_t lock; /* of what follows */
    uint64_t failed_job;
    ggk_error failure;
};

struct worker {
    struct pool *pool;
    unsigned thread;
    pthread_t id;
};

unsigned ggki_pool_threads(unsigned wanted)
{
    long cores = wanted != 0 ? (long)wanted : sysconf(_SC_NPROCESSORS_ONLN);

    if (cores < 1)
        return 1;
    return cores > GGKI_POOL_MAX_THREADS ? GGKI_POOL_MAX_THREADS
                                         : (unsigned)cores;
}

static void note_failure(struct pool *pool, uint64_t job,
                         const ggk_error *failure)
{
    atomic_store(&pool->stop, true);
    pthread_mutex_lock(&pool->lock);
    if (job < pool->failed_job) {
        pool->failed_job = job;
        pool->failure = *failure;
    }
    pthread_mutex_unlock(&pool->lock);
}

/* Do the next job that nobody has begun; false: there is none. */
static bool do_next(struct pool *pool, unsigned thread)
{
    ggk_error failure = {0};
    uint64_t i;

    if (atomic_load(&pool->stop))
        return false;
    i = atomic_fetch_add(&pool->next, 1);
    if (i >= pool->n_jobs)
        return false;
    failure.status = pool->job(pool->ctx, thread, i, &failure);
    if (failure.status != GGK_OK)
        note_failure(pool, i, &failure);
    return failure.status == GGK_OK;
}

static void *work(void *arg)
{
    struct worker *self = arg;

    while (do_next(self->pool, self->thread))
        ;
    return NULL;
}

/* The calling thread's share. */
static void work_and_tick(struct pool *pool, ggki_tick *tick)
{
    ggk_error failure = {0};

    do {
        if (tick == NULL || tick(pool->ctx))
            continue;
        ggki_fail(&failure, GGK_E_CANCELLED, "it was cancelled");
        note_failure(pool, 0, &failure);
        return;
    } while (do_next(pool, 0));
}

ggk_status ggki_pool_run(unsigned n_threads, uint64_t n_jobs, ggki_job *job,
                         ggki_tick *tick, void *ctx, ggk_error *err)
{
    struct pool pool = {.n_jobs = n_jobs,
                        .job = job,
                        .ctx = ctx,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .failed_job = UINT64_MAX};
    struct worker workers[GGKI_POOL_MAX_THREADS] = {{NULL, 0, 0}};
    unsigned n = 1;

    if (n_threads > GGKI_POOL_MAX_THREADS)
        n_threads = GGKI_POOL_MAX_THREADS;
    for (; n < n_threads && n < n_jobs; n++) {
        workers[n] = (struct worker){.pool = &pool, .thread = n};
        if (pthread_create(&workers[n].id, NULL, work, &workers[n]) != 0)
            break;
    }
    work_and_tick(&pool, tick);
    while (--n > 0)
        pthread_join(workers[n].id, NULL);
    pthread_mutex_destroy(&pool.lock);
    if (pool.failed_job == UINT64_MAX)
        return GGK_OK;
    return ggki_fail_copy(err, &pool.failure);
}
