/* hash_tensors.c - digests of tensors alone, one tensor a job. */
#include <stdatomic.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/pool.h"
#include "ops/hash.h"

/* Each has a piece of memory. */
#define MAX_THREADS 32

/* What a thread has of its own. */
struct own {
    uint8_t *piece;
    struct ggki_hasher hashers[GGK_ALGO_COUNT];
    unsigned n_hashers;
};

struct work {
    const struct ggki_hash *hash;
    struct own *own;
    atomic_uint_fast64_t done;
    atomic_bool cancelled;
};

static ggk_status fail_cancelled(ggk_error *err)
{
    return ggki_fail(err, GGK_E_CANCELLED, "it was cancelled");
}

/* Only the calling thread tells. */
static bool go_on(struct work *w, unsigned thread)
{
    const struct ggki_hash *hash = w->hash;

    if (thread == 0 && hash->on_progress != NULL &&
        !hash->on_progress(hash->progress_ctx, atomic_load(&w->done),
                           hash->total))
        atomic_store(&w->cancelled, true);
    return !atomic_load(&w->cancelled);
}

static ggk_status begin_all(struct own *own, ggk_error *err)
{
    for (unsigned k = 0; k < own->n_hashers; k++)
        if (!ggki_hasher_begin(&own->hashers[k]))
            return ggki_hasher_fail(&own->hashers[k], err);
    return GGK_OK;
}

static ggk_status update_all(struct own *own, size_t bytes, ggk_error *err)
{
    for (unsigned k = 0; k < own->n_hashers; k++)
        if (!ggki_hasher_update(&own->hashers[k], own->piece, bytes))
            return ggki_hasher_fail(&own->hashers[k], err);
    return GGK_OK;
}

static ggk_status end_all(const struct ggki_hash *hash, struct own *own,
                          uint64_t i, ggk_error *err)
{
    for (unsigned k = 0; k < own->n_hashers; k++)
        if (!ggki_hasher_end(
                &own->hashers[k],
                ggki_tensor_digest(hash->out, i, own->hashers[k].algo)))
            return ggki_hasher_fail(&own->hashers[k], err);
    return GGK_OK;
}

static ggk_status hash_one(void *ctx, unsigned thread, uint64_t i,
                           ggk_error *err)
{
    struct work *w = ctx;
    const struct ggki_hash *hash = w->hash;
    struct own *own = &w->own[thread];
    ggk_status status = begin_all(own, err);
    uint64_t off = 0;

    while (off < hash->sizes[i] && status == GGK_OK) {
        uint64_t left = hash->sizes[i] - off;
        size_t n = left < GGKI_HASH_PIECE ? (size_t)left : GGKI_HASH_PIECE;
        if (!go_on(w, thread))
            return fail_cancelled(err);
        status = ggk_model_read_tensor(hash->model, i, off, own->piece, n, err);
        if (status == GGK_OK)
            status = update_all(own, n, err);
        off += n;
        atomic_fetch_add(&w->done, n);
    }
    return status == GGK_OK ? end_all(hash, own, i, err) : status;
}

static ggk_status equip(const struct ggki_hash *hash, struct own *own,
                        ggk_error *err)
{
    const ggk_allocator *mem = &hash->out->mem;

    own->piece = ggki_mem_resize(mem, NULL, 0, GGKI_HASH_PIECE);
    if (own->piece == NULL)
        return ggki_fail_memory(err);
    for (uint32_t algo = 0; algo < GGK_ALGO_COUNT; algo++) {
        ggk_status status;
        if (!ggki_has_algo(hash->out->kept_set, algo))
            continue;
        status = ggki_hasher_init(&own->hashers[own->n_hashers], algo,
                                  &hash->sha, mem, err);
        if (status != GGK_OK)
            return status;
        own->n_hashers++;
    }
    return GGK_OK;
}

static void dismiss(const struct ggki_hash *hash, struct own *own)
{
    const ggk_allocator *mem = &hash->out->mem;

    while (own->n_hashers > 0)
        ggki_hasher_free(&own->hashers[--own->n_hashers], mem);
    ggki_mem_release(mem, own->piece, GGKI_HASH_PIECE);
}

/* No more threads than there are pieces of work. */
static unsigned threads_for(const struct ggki_hash *hash)
{
    uint64_t pieces = hash->total / GGKI_HASH_PIECE + 1;
    unsigned n = hash->n_threads < MAX_THREADS ? hash->n_threads : MAX_THREADS;

    return pieces < n ? (unsigned)pieces : n;
}

ggk_status ggki_hash_tensors(const struct ggki_hash *hash, ggk_error *err)
{
    const ggk_allocator *mem = &hash->out->mem;
    unsigned n = threads_for(hash);
    struct work work = {.hash = hash};
    ggk_status status = GGK_OK;

    work.own = ggki_mem_zero(mem, n * sizeof *work.own);
    if (work.own == NULL)
        return ggki_fail_memory(err);
    for (unsigned i = 0; i < n && status == GGK_OK; i++)
        status = equip(hash, &work.own[i], err);
    if (status == GGK_OK)
        status =
            ggki_pool_run(n, hash->out->n_tensors, hash_one, NULL, &work, err);
    for (unsigned i = 0; i < n; i++)
        dismiss(hash, &work.own[i]);
    ggki_mem_release(mem, work.own, n * sizeof *work.own);
    if (status == GGK_OK && !go_on(&work, 0))
        status = fail_cancelled(err);
    return status;
}
