/* copy.c - the bytes of tensors, from where they are to where they will be.
 *
 * The data of a file is cut into jobs of about JOB_BYTES: some whole tensors,
 * or a piece of one. What is stored as it will be is copied in the kernel where
 * that can be done, in pieces that let a file system share blocks; holes are
 * passed over, since the new file has nothing but a hole there already. What is
 * converted goes another way (convert.c).
 */
#include "ops/copy.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/pool.h"
#include "format/block_swap.h"
#include "io/os.h"
#include "io/source.h"
#include "ops/convert.h"

#define JOB_BYTES   ((uint64_t)16 << 20)
#define BLOCK_BYTES 4096                /* what file systems share */
#define EARLY_BYTES ((uint64_t)1 << 20) /* worth to be written early */

struct job {
    size_t first, n; /* tensors */
    uint64_t off;    /* where in the first to begin, if n is 1, */
    uint64_t bytes;  /* and how many: both as its source has it */
};

struct work {
    struct ggki_copying *copying;
    const struct ggki_plan_file *file;
    const struct ggki_new_file *out;
    struct job *jobs;
    size_t n_jobs, capacity;
    bool computes; /* some job does, rather than have the system copy */
};

/* ------------------------------------------------------------------- pieces */

/* From `from` at `off` to `to` in the new file. */
struct piece {
    const struct ggki_plan_tensor *tensor;
    uint64_t from, to, bytes;
};

static void advance(struct piece *p, uint64_t bytes)
{
    p->from += bytes;
    p->to += bytes;
    p->bytes -= bytes;
}

/* Through memory; `swap` may be NULL. */
static ggk_status copy_through(const struct work *w, struct piece p,
                               uint8_t *buffer, const ggk_type_info *swap,
                               ggk_error *err)
{
    size_t most = GGKI_COPY_BYTES;
    ggk_status status = GGK_OK;

    if (swap != NULL)
        most -= most % swap->bytes;
    while (p.bytes > 0 && status == GGK_OK) {
        size_t part = p.bytes < most ? (size_t)p.bytes : most;

        status = ggki_plan_read(p.tensor, p.from, buffer, part, err);
        if (status == GGK_OK && swap != NULL)
            ggki_swap_blocks(swap, buffer, part / swap->bytes);
        if (status == GGK_OK)
            status = ggki_new_file_write(w->out, p.to, buffer, part, err);
        advance(&p, part);
    }
    return status;
}

/* Bytes of the next piece to copy in the kernel, such that whole blocks are in
 * pieces of their own. */
static uint64_t next_part(const struct piece *p)
{
    uint64_t head = -p->to % BLOCK_BYTES, whole;

    if ((p->from - p->to) % BLOCK_BYTES != 0 || p->bytes / 2 < BLOCK_BYTES)
        return p->bytes;
    whole = p->bytes - p->bytes % BLOCK_BYTES;
    return head > 0 ? head : whole;
}

/* Data as it is; in the kernel, if that can be done. */
static ggk_status copy_data(const struct work *w, struct piece p,
                            uint8_t *buffer, ggk_error *err)
{
    int in = p.tensor->source->fd;

    while (in >= 0 && p.bytes > 0) {
        uint64_t done;
        int failed = ggki_os_copy_range(in, p.from, w->out->fd, p.to,
                                        next_part(&p), &done);

        if (failed == EOPNOTSUPP)
            break;
        if (failed == 0 && done == 0)
            return ggki_plan_blame(p.tensor, ggki_fail_changed(err), err);
        if (failed != 0) {
            ggki_fail_io(err, failed, "copy to");
            ggki_err_set_file(err, w->out->path);
            return GGK_E_IO;
        }
        advance(&p, done);
    }
    return copy_through(w, p, buffer, NULL, err);
}

static ggk_status copy_around_holes(const struct work *w, struct piece p,
                                    uint8_t *buffer, ggk_error *err)
{
    uint64_t end = p.from + p.bytes;
    ggk_status status = GGK_OK;

    while (p.from < end && status == GGK_OK) {
        uint64_t from, to;

        ggki_os_next_data(p.tensor->source->fd, p.from, end, &from, &to);
        advance(&p, from - p.from);
        p.bytes = to - from;
        status = copy_data(w, p, buffer, err);
        advance(&p, to - from);
    }
    return status;
}

static bool has_holes(const ggk_source *source)
{
    return source->fd >= 0 && source->may_have_holes;
}

static const ggk_type_info *swap_of(const struct work *w,
                                    const struct ggki_plan_tensor *t)
{
    return t->big != w->file->big && ggki_swap_matters(t->info) ? t->info
                                                                : NULL;
}

static ggk_status copy_piece(const struct work *w, const struct piece *p,
                             uint8_t *buffer, ggk_error *err)
{
    const ggk_type_info *swap = swap_of(w, p->tensor);

    if (swap != NULL)
        return copy_through(w, *p, buffer, swap, err);
    if (has_holes(p->tensor->source))
        return copy_around_holes(w, *p, buffer, err);
    return copy_data(w, *p, buffer, err);
}

/* --------------------------------------------------------------------- jobs */

/* Two threads that have the system copy into one file wait for each other. */
static unsigned threads_for(const struct work *w)
{
    return w->computes ? w->copying->n_threads : 1;
}

/* Let the disk begin with what a job has written, so that less is left to wait
 * for at the end. Not with the last block: it would be written twice, as the
 * next job goes on in it. */
static void start_writing(const struct work *w, const struct job *job)
{
    uint64_t off = ggki_plan_data_off(w->file, job->first), to = job->off;
    uint64_t bytes = job->bytes, end;
    struct ggki_plan_tensor t;

    if (job->n == 1 && ggki_plan_tensor_at(w->file, job->first, &t) &&
        t.from != NULL) {
        to = ggki_converted_bytes(&t, job->off);
        bytes = ggki_converted_bytes(&t, job->bytes);
    }
    if (bytes < EARLY_BYTES)
        return;
    end = (off + to + bytes) / BLOCK_BYTES * BLOCK_BYTES;
    off = (off + to) / BLOCK_BYTES * BLOCK_BYTES;
    ggki_os_start_writing(w->out->fd, off, end - off);
}

/* Let the disk begin with what this thread's next job may read, so that it has
 * more to do than what is waited for. */
static void start_reading(const struct work *w, uint64_t i)
{
    unsigned threads = threads_for(w);
    const struct job *next = &w->jobs[i];
    struct ggki_plan_tensor t;

    if (w->n_jobs - i <= threads)
        return;
    next += threads;
    if (next->bytes >= EARLY_BYTES &&
        ggki_plan_tensor_at(w->file, next->first, &t) && t.source != NULL &&
        t.source->fd >= 0)
        ggki_os_start_reading(t.source->fd, t.off + next->off, next->bytes);
}

/* A tensor of a job. */
static ggk_status write_tensor(const struct work *w, const struct job *job,
                               size_t i, uint8_t *buffer, ggk_error *err)
{
    uint64_t to = ggki_plan_data_off(w->file, i);
    struct ggki_plan_tensor t;
    struct piece p;

    if (!ggki_plan_tensor_at(w->file, i, &t))
        return ggki_fail_changed(err);
    if (t.from != NULL)
        return ggki_convert(&t, job->off, job->bytes,
                            &(struct ggki_converted){w->out, to, w->file->big},
                            buffer, err);
    p = (struct piece){&t, t.off + job->off, to + job->off,
                       job->n == 1 ? job->bytes : t.bytes};
    return copy_piece(w, &p, buffer, err);
}

static ggk_status do_job(void *ctx, unsigned thread, uint64_t i, ggk_error *err)
{
    const struct work *w = ctx;
    struct ggki_copying *c = w->copying;
    const struct job *job = &w->jobs[i];
    ggk_status status = GGK_OK;

    start_reading(w, i);
    for (size_t k = job->first; k < job->first + job->n && status == GGK_OK;
         k++)
        status = write_tensor(w, job, k, c->buffers[thread], err);
    if (status == GGK_OK)
        start_writing(w, job);
    atomic_fetch_add(&c->done, job->bytes);
    return status;
}

ggk_status ggki_copying_tell(struct ggki_copying *c, ggk_error *err)
{
    if (c->on_progress == NULL ||
        c->on_progress(c->progress_ctx, atomic_load(&c->done), c->total))
        return GGK_OK;
    return ggki_fail(err, GGK_E_CANCELLED, "it was cancelled");
}

static bool tick(void *ctx)
{
    const struct work *w = ctx;

    return ggki_copying_tell(w->copying, NULL) == GGK_OK;
}

static ggk_status add_job(struct work *w, const struct job *job, ggk_error *err)
{
    if (w->n_jobs == w->capacity) {
        size_t capacity = w->capacity * 2 + 64;
        struct job *jobs = ggki_mem_resize(w->copying->mem, w->jobs,
                                           w->capacity * sizeof *jobs,
                                           capacity * sizeof *jobs);
        if (jobs == NULL)
            return ggki_fail_memory(err);
        w->jobs = jobs;
        w->capacity = capacity;
    }
    w->jobs[w->n_jobs++] = *job;
    return GGK_OK;
}

/* A tensor that is large, or converted: pieces of it, of whole blocks. */
static ggk_status add_pieces(struct work *w, size_t i,
                             const struct ggki_plan_tensor *t, ggk_error *err)
{
    const ggk_type_info *swap = swap_of(w, t);
    uint64_t most = JOB_BYTES, bytes = ggki_plan_read_bytes(t);
    ggk_status status = GGK_OK;

    if (t->from != NULL)
        most = ggki_convert_job_bytes(t);
    else if (swap != NULL)
        most -= most % swap->bytes;
    for (uint64_t off = 0; off < bytes && status == GGK_OK; off += most) {
        uint64_t left = bytes - off;
        struct job job = {i, 1, off, left < most ? left : most};

        status = add_job(w, &job, err);
    }
    return status;
}

static ggk_status cut_into_jobs(struct work *w, ggk_error *err)
{
    struct job group = {0, 0, 0, 0};
    const struct ggki_plan_file *f = w->file;
    ggk_status status = GGK_OK;

    for (size_t i = 0; i < f->n_tensors && status == GGK_OK; i++) {
        struct ggki_plan_tensor t;
        bool large;

        if (!ggki_plan_tensor_at(f, i, &t))
            return ggki_fail_changed(err);
        large = t.bytes > JOB_BYTES || t.from != NULL;
        w->computes |= t.from != NULL || swap_of(w, &t) != NULL;
        if (group.n > 0 && (large || group.bytes >= JOB_BYTES)) {
            status = add_job(w, &group, err);
            group.n = 0;
        }
        if (large && status == GGK_OK)
            status = add_pieces(w, i, &t, err);
        if (large)
            continue;
        if (group.n == 0)
            group = (struct job){i, 0, 0, 0};
        group.n++;
        group.bytes += t.bytes;
    }
    return group.n > 0 && status == GGK_OK ? add_job(w, &group, err) : status;
}

ggk_status ggki_copy_tensors(struct ggki_copying *c,
                             const struct ggki_plan_file *file,
                             const struct ggki_new_file *out, ggk_error *err)
{
    struct work w = {c, file, out, NULL, 0, 0, false};
    ggk_status status = cut_into_jobs(&w, err);

    if (status == GGK_OK)
        status =
            ggki_pool_run(threads_for(&w), w.n_jobs, do_job, tick, &w, err);
    ggki_mem_release(c->mem, w.jobs, w.capacity * sizeof *w.jobs);
    return status;
}

/* What a thread needs for any tensor of a plan. */
static size_t buffer_bytes(const ggk_plan *plan)
{
    size_t most = GGKI_COPY_BYTES;

    for (size_t i = 0; i < plan->n_own; i++) {
        const struct ggki_plan_tensor *t = &plan->own[i];
        size_t bytes = t->from != NULL ? ggki_convert_buffer_bytes(t) : 0;

        if (bytes > most)
            most = bytes;
    }
    return most;
}

ggk_status ggki_copying_start(struct ggki_copying *c, const ggk_plan *plan,
                              ggk_error *err)
{
    c->buffers = ggki_mem_zero(c->mem, c->n_threads * sizeof *c->buffers);
    if (c->buffers == NULL)
        return ggki_fail_memory(err);
    c->buffer_bytes = buffer_bytes(plan);
    for (unsigned i = 0; i < c->n_threads; i++) {
        c->buffers[i] = ggki_mem_resize(c->mem, NULL, 0, c->buffer_bytes);
        if (c->buffers[i] == NULL)
            return ggki_fail_memory(err);
    }
    return GGK_OK;
}

void ggki_copying_end(struct ggki_copying *c)
{
    for (unsigned i = 0; c->buffers != NULL && i < c->n_threads; i++)
        ggki_mem_release(c->mem, c->buffers[i], c->buffer_bytes);
    ggki_mem_release(c->mem, c->buffers, c->n_threads * sizeof *c->buffers);
}

uint64_t ggki_copy_data_bytes(const struct ggki_plan_file *file)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < file->n_tensors; i++) {
        struct ggki_plan_tensor t;
        uint64_t end, to;

        if (!ggki_plan_tensor_at(file, i, &t))
            continue; /* which copying it will tell */
        if (!has_holes(t.source) || t.big != file->big || t.from != NULL) {
            sum += t.bytes;
            continue;
        }
        end = t.off + t.bytes;
        for (uint64_t at = t.off, from; at < end; at = to) {
            ggki_os_next_data(t.source->fd, at, end, &from, &to);
            sum += to - from;
        }
    }
    return sum;
}
