/* pool.h - one piece of work, cut into jobs, done by several threads. */
#ifndef GGKI_POOL_H
#define GGKI_POOL_H

#include "ggk.h"

/* Job number `i`, on thread number `thread` (from 0; for what each thread has
 * of its own). */
typedef ggk_status ggki_job(void *ctx, unsigned thread, uint64_t i,
                            ggk_error *err);

/* Between two jobs of the calling thread: false ends all with GGK_E_CANCELLED.
 */
typedef bool ggki_tick(void *ctx);

/* Threads to use for `wanted`; 0 stands for as many as there are cores. */
unsigned ggki_pool_threads(unsigned wanted);

#define GGKI_POOL_MAX_THREADS 256

/* Do jobs 0 to n_jobs - 1, begun in that order, on up to `n_threads` threads,
 * the calling one among them: where no thread can be started, it does all.
 * After a failure no job is begun; of several failures that of the lowest job
 * counts, so that the error does not depend on luck. `tick` may be NULL. */
ggk_status ggki_pool_run(unsigned n_threads, uint64_t n_jobs, ggki_job *job,
                         ggki_tick *tick, void *ctx, ggk_error *err);

#endif
