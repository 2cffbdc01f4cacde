/* hash_in_order.c - digests of a model as a whole, and of its tensors beside
 * them.
 *
 * The data of all tensors, one after the other, is cut into pieces; a ring of
 * slots holds some of them. Each digest of the whole is a chain, which takes
 * the pieces in their order; so is each kind of digest of the tensors, which
 * ends at the end of each tensor and begins anew. Every thread does what there
 * is to do: the next piece of the chain that is furthest behind, else it reads
 * a piece into a free slot. Thus each byte is read once, however many digests
 * are made of it, and while it is still in the processor's cache.
 */
#include <pthread.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/pool.h"
#include "ops/hash.h"

enum { MAX_CHAINS = 2 * GGK_ALGO_COUNT, MAX_SLOTS = 32 };

/* Where in the data a piece begins. */
struct place {
    uint64_t tensor, off;
};

struct slot {
    uint8_t *data;
    size_t bytes;
    bool loaded;
};

struct chain {
    struct ggki_hasher hasher;
    bool of_tensors;
    bool busy;
    uint64_t next;      /* piece */
    struct place place; /* of a chain of tensors */
};

struct line {
    const struct ggki_hash *hash;
    size_t piece_bytes;
    uint64_t n_pieces;
    unsigned n_threads, n_slots, n_chains;
    uint8_t *memory; /* of all slots */
    struct slot slots[MAX_SLOTS];
    struct chain chains[MAX_CHAINS];
    pthread_mutex_t lock; /* of what is below, and of slots and chains */
    pthread_cond_t moved;
    uint64_t begun; /* pieces that were read, or are being read */
    struct place place;
    uint64_t failed_piece; /* GGK_NONE: nothing has failed */
    ggk_error failure;
};

/* ---------------------------------------------------------------- the pieces
 */

static uint64_t bytes_of(const struct line *l, uint64_t piece)
{
    uint64_t left = l->hash->total - piece * l->piece_bytes;

    return left < l->piece_bytes ? left : l->piece_bytes;
}

static struct slot *slot_of(struct line *l, uint64_t piece)
{
    return &l->slots[piece % l->n_slots];
}

/* Pass over `bytes` bytes, which are there. */
static void pass(const struct ggki_hash *hash, struct place *place,
                 uint64_t bytes)
{
    while (bytes > 0) {
        uint64_t left = hash->sizes[place->tensor] - place->off;
        if (bytes < left) {
            place->off += bytes;
            return;
        }
        bytes -= left;
        *place = (struct place){place->tensor + 1, 0};
    }
}

static ggk_status read_piece(const struct ggki_hash *hash, struct place from,
                             uint8_t *data, size_t bytes, ggk_error *err)
{
    while (bytes > 0) {
        uint64_t left = hash->sizes[from.tensor] - from.off;
        size_t n = left < bytes ? (size_t)left : bytes;
        ggk_status status = GGK_OK;
        if (n > 0)
            status = ggk_model_read_tensor(hash->model, from.tensor, from.off,
                                           data, n, err);
        if (status != GGK_OK)
            return status;
        data += n;
        bytes -= n;
        from = n < left ? (struct place){from.tensor, from.off + n}
                        : (struct place){from.tensor + 1, 0};
    }
    return GGK_OK;
}

/* ---------------------------------------------------------------- the chains
 */

/* End each tensor that is over, those without bytes among them. */
static bool end_tensors(const struct ggki_hash *hash, struct chain *c)
{
    while (c->place.tensor < hash->out->n_tensors &&
           c->place.off == hash->sizes[c->place.tensor]) {
        if (!ggki_hasher_end(&c->hasher,
                             ggki_tensor_digest(hash->out, c->place.tensor,
                                                c->hasher.algo)) ||
            !ggki_hasher_begin(&c->hasher))
            return false;
        c->place = (struct place){c->place.tensor + 1, 0};
    }
    return true;
}

static bool take_piece(const struct ggki_hash *hash, struct chain *c,
                       const uint8_t *data, size_t bytes)
{
    if (!c->of_tensors)
        return ggki_hasher_update(&c->hasher, data, bytes);
    while (bytes > 0) {
        uint64_t left = hash->sizes[c->place.tensor] - c->place.off;
        size_t n = left < bytes ? (size_t)left : bytes;
        if (!ggki_hasher_update(&c->hasher, data, n))
            return false;
        c->place.off += n;
        data += n;
        bytes -= n;
        if (!end_tensors(hash, c))
            return false;
    }
    return true;
}

static bool begin_chain(const struct ggki_hash *hash, struct chain *c)
{
    return ggki_hasher_begin(&c->hasher) &&
           (!c->of_tensors || end_tensors(hash, c));
}

static bool end_chain(const struct ggki_hash *hash, struct chain *c)
{
    return c->of_tensors ||
           ggki_hasher_end(&c->hasher, hash->out->model[c->hasher.algo]);
}

/* ----------------------------------------------------- one thing to do; with
 * the lock held, which is let go for the work itself */

static void note_failure(struct line *l, uint64_t piece,
                         const ggk_error *failure)
{
    if (piece < l->failed_piece) {
        l->failed_piece = piece;
        l->failure = *failure;
    }
    pthread_cond_broadcast(&l->moved);
}

/* Pieces that all chains are done with. */
static uint64_t n_done(const struct line *l)
{
    uint64_t n = l->begun;

    for (unsigned k = 0; k < l->n_chains; k++)
        if (l->chains[k].next < n)
            n = l->chains[k].next;
    return n;
}

/* The chain that is furthest behind, of those that can go on; or NULL. */
static struct chain *find_chain(struct line *l)
{
    struct chain *found = NULL;

    for (unsigned k = 0; k < l->n_chains; k++) {
        struct chain *c = &l->chains[k];
        if (!c->busy && c->next < l->begun && slot_of(l, c->next)->loaded &&
            (found == NULL || c->next < found->next))
            found = c;
    }
    return found;
}

static void advance(struct line *l, struct chain *c)
{
    const struct slot *slot = slot_of(l, c->next);
    ggk_error failure = {0};
    bool good;

    c->busy = true;
    pthread_mutex_unlock(&l->lock);
    good = take_piece(l->hash, c, slot->data, slot->bytes);
    if (!good)
        ggki_hasher_fail(&c->hasher, &failure);
    pthread_mutex_lock(&l->lock);
    c->busy = false;
    if (!good)
        note_failure(l, c->next, &failure);
    c->next++;
    pthread_cond_broadcast(&l->moved);
}

static void load(struct line *l)
{
    uint64_t piece = l->begun++;
    struct slot *slot = slot_of(l, piece);
    struct place from = l->place;
    ggk_error failure = {0};
    ggk_status status;

    slot->loaded = false;
    slot->bytes = (size_t)bytes_of(l, piece);
    pass(l->hash, &l->place, slot->bytes);
    pthread_mutex_unlock(&l->lock);
    status = read_piece(l->hash, from, slot->data, slot->bytes, &failure);
    pthread_mutex_lock(&l->lock);
    slot->loaded = status == GGK_OK;
    if (status != GGK_OK)
        note_failure(l, piece, &failure);
    pthread_cond_broadcast(&l->moved);
}

/* Tell how far it is; only the calling thread does. */
static void tell(struct line *l)
{
    const struct ggki_hash *hash = l->hash;
    uint64_t done = n_done(l);
    uint64_t bytes = done < l->n_pieces ? done * l->piece_bytes : hash->total;
    ggk_error failure;
    bool good;

    if (hash->on_progress == NULL)
        return;
    pthread_mutex_unlock(&l->lock);
    good = hash->on_progress(hash->progress_ctx, bytes, hash->total);
    pthread_mutex_lock(&l->lock);
    if (good)
        return;
    ggki_fail(&failure, GGK_E_CANCELLED, "it was cancelled");
    note_failure(l, 0, &failure);
}

/* One for each thread, from the beginning to the end. */
static ggk_status work(void *ctx, unsigned thread, uint64_t i, ggk_error *err)
{
    struct line *l = ctx;

    (void)i;
    (void)err; /* see note_failure */
    pthread_mutex_lock(&l->lock);
    while (l->failed_piece == GGK_NONE) {
        struct chain *c;
        if (thread == 0)
            tell(l); /* the lock was let go: look at everything after it */
        if (n_done(l) == l->n_pieces || l->failed_piece != GGK_NONE)
            break;
        c = find_chain(l);
        if (c != NULL)
            advance(l, c);
        else if (l->begun < l->n_pieces && l->begun - n_done(l) < l->n_slots)
            load(l);
        else
            pthread_cond_wait(&l->moved, &l->lock);
    }
    pthread_mutex_unlock(&l->lock);
    return GGK_OK;
}

/* ------------------------------------------------------- set up, take down */

static ggk_status add_chain(struct line *l, uint32_t algo, bool of_tensors,
                            ggk_error *err)
{
    struct chain *c = &l->chains[l->n_chains];
    ggk_status status = ggki_hasher_init(&c->hasher, algo, &l->hash->sha,
                                         &l->hash->out->mem, err);

    if (status != GGK_OK)
        return status;
    l->n_chains++;
    c->of_tensors = of_tensors;
    return begin_chain(l->hash, c) ? GGK_OK : ggki_hasher_fail(&c->hasher, err);
}

static ggk_status add_chains(struct line *l, ggk_error *err)
{
    const struct ggk_digests *out = l->hash->out;
    ggk_status status = GGK_OK;

    for (uint32_t algo = 0; algo < GGK_ALGO_COUNT; algo++) {
        if (status == GGK_OK && algo != GGK_ALGO_CONTENT &&
            ggki_has_algo(out->model_set, algo))
            status = add_chain(l, algo, false, err);
        if (status == GGK_OK && ggki_has_algo(out->kept_set, algo))
            status = add_chain(l, algo, true, err);
    }
    return status;
}

/* As many threads as can be busy: one for each chain, and one that reads. A few
 * pieces each, so that nobody waits for another. */
static bool make_slots(struct line *l)
{
    const struct ggki_hash *hash = l->hash;
    unsigned slots;

    l->piece_bytes =
        hash->total < GGKI_HASH_PIECE ? (size_t)hash->total : GGKI_HASH_PIECE;
    if (l->piece_bytes == 0)
        return true;
    l->n_pieces = hash->total / l->piece_bytes +
                  (hash->total % l->piece_bytes > 0 ? 1 : 0);
    l->n_threads =
        hash->n_threads < l->n_chains + 1 ? hash->n_threads : l->n_chains + 1;
    slots = l->n_threads == 1 ? 1 : 2 * l->n_threads + 2;
    if (slots > MAX_SLOTS)
        slots = MAX_SLOTS;
    l->n_slots = l->n_pieces < slots ? (unsigned)l->n_pieces : slots;
    if (l->n_slots < l->n_threads)
        l->n_threads = l->n_slots;
    l->memory =
        ggki_mem_resize(&hash->out->mem, NULL, 0, l->n_slots * l->piece_bytes);
    for (unsigned i = 0; i < l->n_slots && l->memory != NULL; i++)
        l->slots[i].data = l->memory + i * l->piece_bytes;
    return l->memory != NULL;
}

static ggk_status run_line(struct line *l, ggk_error *err)
{
    ggk_status status = GGK_OK;

    if (l->n_pieces > 0)
        status = ggki_pool_run(l->n_threads, l->n_threads, work, NULL, l, err);
    if (status != GGK_OK)
        return status;
    if (l->failed_piece == GGK_NONE) { /* the others may have done it all */
        pthread_mutex_lock(&l->lock);
        tell(l);
        pthread_mutex_unlock(&l->lock);
    }
    if (l->failed_piece != GGK_NONE)
        return ggki_fail_copy(err, &l->failure);
    for (unsigned k = 0; k < l->n_chains; k++)
        if (!end_chain(l->hash, &l->chains[k]))
            return ggki_hasher_fail(&l->chains[k].hasher, err);
    return GGK_OK;
}

ggk_status ggki_hash_in_order(const struct ggki_hash *hash, ggk_error *err)
{
    struct line l = {.hash = hash,
                     .failed_piece = GGK_NONE,
                     .lock = PTHREAD_MUTEX_INITIALIZER,
                     .moved = PTHREAD_COND_INITIALIZER};
    const ggk_allocator *mem = &hash->out->mem;
    ggk_status status = add_chains(&l, err);

    if (status == GGK_OK)
        status = make_slots(&l) ? run_line(&l, err) : ggki_fail_memory(err);
    while (l.n_chains > 0)
        ggki_hasher_free(&l.chains[--l.n_chains].hasher, mem);
    ggki_mem_release(mem, l.memory, l.n_slots * l.piece_bytes);
    pthread_cond_destroy(&l.moved);
    pthread_mutex_destroy(&l.lock);
    return status;
}
