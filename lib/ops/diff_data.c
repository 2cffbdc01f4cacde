/* diff_data.c - compares the data of tensors, chunk by chunk, in several
 * threads, and reports what was found in the order of the tensors.
 */
#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "format/block_swap.h"
#include "ops/diff.h"

enum { MAX_ROWS = 1024, BUFFER_BYTES = 1 << 20 };

/* ---------------------------------------------------------------- counting */

/* Numbers of `width` bytes that differ. Written so that compilers make vectors
 * of it. */
static uint64_t count_bytes(const uint8_t *a, const uint8_t *b, size_t n)
{
    uint64_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += a[i] != b[i];
    return count;
}

static uint64_t count_blocks_of_2(const uint8_t *a, const uint8_t *b, size_t n)
{
    uint64_t count = 0;

    for (size_t i = 0; i + 2 <= n; i += 2) {
        uint16_t x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        count += x != y;
    }
    return count;
}

static uint64_t count_blocks_of_4(const uint8_t *a, const uint8_t *b, size_t n)
{
    uint64_t count = 0;

    for (size_t i = 0; i + 4 <= n; i += 4) {
        uint32_t x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        count += x != y;
    }
    return count;
}

/* Blocks of `unit` bytes that differ. */
static uint64_t count_blocks(const uint8_t *a, const uint8_t *b, size_t n,
                             uint32_t unit)
{
    uint64_t count = 0;

    switch (unit) {
    case 0: return 0;
    case 1: return count_bytes(a, b, n);
    case 2: return count_blocks_of_2(a, b, n);
    case 4: return count_blocks_of_4(a, b, n);
    default: break;
    }
    for (size_t i = 0; i < n; i += unit)
        count += memcmp(a + i, b + i, n - i < unit ? n - i : unit) != 0;
    return count;
}

static size_t first_byte(const uint8_t *a, const uint8_t *b, size_t n)
{
    size_t i = 0;

    while (i < n && a[i] == b[i])
        i++;
    return i;
}

/* ----------------------------------------------------------------- reading */

/* Name the file of a tensor in an error about it. */
static ggk_status name_file(const ggk_model *model, uint64_t i,
                            ggk_status status, ggk_error *err)
{
    const char *path = ggki_model_file_of(model, i)->path;

    if (path != NULL)
        ggki_err_set_file(err, path);
    return status;
}

/* `bytes` bytes of a tensor that has only `have`: what lies past them is zero,
 * as padding is. */
static ggk_status read_part(const ggk_model *model, uint64_t i, uint64_t have,
                            uint64_t off, uint8_t *buf, size_t bytes,
                            ggk_error *err)
{
    size_t n = off >= have          ? 0
               : bytes > have - off ? (size_t)(have - off)
                                    : bytes;
    ggk_status status =
        ggk_model_read_tensor(model, i, off < have ? off : 0, buf, n, err);

    memset(buf + n, 0, bytes - n);
    return status == GGK_OK ? GGK_OK : name_file(model, i, status, err);
}

static bool orders_differ(const ggk_model *model_a, const ggk_tensor *a,
                          const ggk_model *model_b, const ggk_tensor *b)
{
    return model_a->files[a->file].gguf.big != model_b->files[b->file].gguf.big;
}

bool ggki_diff_comparable(const ggk_model *model_a, const ggk_tensor *a,
                          const ggk_model *model_b, const ggk_tensor *b)
{
    return !orders_differ(model_a, a, model_b, b) ||
           ggki_can_swap(ggk_model_type(model_a, a->type));
}

/* -------------------------------------------------------------------- jobs */

/* The row that job `i` belongs to: the first that reaches past it. */
static struct ggki_diff_row *row_of(const struct ggki_diff_queue *q, uint64_t i)
{
    size_t low = 0, high = q->n - 1;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (q->rows[mid].n_jobs > i)
            high = mid;
        else
            low = mid + 1;
    }
    return &q->rows[low];
}

static void lower(atomic_uint_fast64_t *least, uint64_t value)
{
    uint_fast64_t seen = atomic_load(least);

    while (value < seen && !atomic_compare_exchange_weak(least, &seen, value))
        ;
}

/* Compare one chunk. */
static ggk_status compare_chunk(void *ctx, unsigned thread, uint64_t i,
                                ggk_error *err)
{
    struct ggki_diff_queue *q = ctx;
    struct ggki_diff_row *row = row_of(q, i);
    uint64_t before = row == q->rows ? 0 : row[-1].n_jobs;
    uint64_t off = (i - before) * row->chunk;
    uint64_t left = row->compared - off;
    size_t n = left < row->chunk ? (size_t)left : (size_t)row->chunk;
    uint8_t *a = q->buffers + 2 * (size_t)thread * BUFFER_BYTES;
    uint8_t *b = a + BUFFER_BYTES;
    ggk_status status =
        read_part(q->diff->a, row->d.a, row->bytes[0], off, a, n, err);

    if (status == GGK_OK)
        status = read_part(q->diff->b, row->d.b, row->bytes[1], off, b, n, err);
    if (status != GGK_OK)
        return status;
    if (row->swap != NULL)
        ggki_swap_blocks(row->swap, b, n / row->unit);
    if (memcmp(a, b, n) != 0) {
        lower(&row->first, off + first_byte(a, b, n));
        atomic_fetch_add(&row->n_differ, count_bytes(a, b, n));
        atomic_fetch_add(&row->n_blocks, count_blocks(a, b, n, row->unit));
    }
    atomic_fetch_add(&q->compared, n);
    return GGK_OK;
}

static bool tick(void *ctx)
{
    struct ggki_diff_queue *q = ctx;
    const struct ggki_diff *diff = q->diff;
    uint64_t done = diff->done + atomic_load(&q->compared);

    return diff->opts.on_progress == NULL ||
           diff->opts.on_progress(diff->opts.progress_ctx,
                                  done < diff->total ? done : diff->total,
                                  diff->total);
}

/* ------------------------------------------------------------------- queue */

ggk_status ggki_diff_queue_start(struct ggki_diff_queue *q,
                                 struct ggki_diff *diff, ggk_error *err)
{
    bool no_data = (diff->opts.flags & GGK_DIFF_NO_DATA) != 0;

    memset(q, 0, sizeof *q);
    q->diff = diff;
    q->n_threads = ggki_pool_threads(diff->opts.n_threads);
    q->buffer_bytes = no_data ? 0 : 2 * (size_t)q->n_threads * BUFFER_BYTES;
    q->rows = ggki_mem_zero(&diff->a->mem, MAX_ROWS * sizeof *q->rows);
    if (q->buffer_bytes > 0)
        q->buffers = ggki_mem_resize(&diff->a->mem, NULL, 0, q->buffer_bytes);
    if (q->rows == NULL || (q->buffer_bytes > 0 && q->buffers == NULL)) {
        ggki_diff_queue_free(q);
        return ggki_fail_memory(err);
    }
    return GGK_OK;
}

void ggki_diff_queue_free(struct ggki_diff_queue *q)
{
    const ggk_allocator *mem = &q->diff->a->mem;

    ggki_mem_release(mem, q->rows, MAX_ROWS * sizeof *q->rows);
    ggki_mem_release(mem, q->buffers, q->buffer_bytes);
    q->rows = NULL;
    q->buffers = NULL;
}

/* What the comparison of a pair found; false if it found nothing. */
static bool conclude(struct ggki_diff_row *row)
{
    uint64_t longer = row->bytes[row->bytes[1] > row->bytes[0]];

    row->d.first = atomic_load(&row->first);
    row->d.n_differ = atomic_load(&row->n_differ);
    row->d.n_blocks = atomic_load(&row->n_blocks);
    if (longer > row->compared) { /* bytes that only one of them has */
        if (row->d.n_differ == 0)
            row->d.first = row->compared;
        row->d.n_differ += longer - row->compared;
    }
    return row->d.n_differ > 0;
}

static ggk_status report_rows(struct ggki_diff_queue *q, ggk_error *err)
{
    ggk_status status = GGK_OK;

    for (size_t i = 0; i < q->n && status == GGK_OK; i++) {
        struct ggki_diff_row *row = &q->rows[i];
        if (row->pair) {
            q->diff->result->n_tensors++;
            q->diff->result->bytes += row->bytes[0];
        }
        if (!row->pair || conclude(row))
            status = ggki_diff_report(q->diff, &row->d, err);
    }
    return status;
}

ggk_status ggki_diff_queue_flush(struct ggki_diff_queue *q, ggk_error *err)
{
    uint64_t n_jobs = q->n == 0 ? 0 : q->rows[q->n - 1].n_jobs;
    ggk_status status = GGK_OK;

    atomic_store(&q->compared, 0);
    if (n_jobs > 0)
        status =
            ggki_pool_run(q->n_threads, n_jobs, compare_chunk, tick, q, err);
    if (status == GGK_OK)
        status = report_rows(q, err);
    q->n = 0;
    q->diff->done = q->passed;
    return status;
}

/* A place for one more row, after those before were worked off if need be. */
static ggk_status next_row(struct ggki_diff_queue *q, const ggk_difference *d,
                           struct ggki_diff_row **out, ggk_error *err)
{
    if (q->n == MAX_ROWS) {
        ggk_status status = ggki_diff_queue_flush(q, err);
        if (status != GGK_OK)
            return status;
    }
    *out = &q->rows[q->n];
    (*out)->d = *d;
    (*out)->pair = false;
    (*out)->n_jobs = q->n == 0 ? 0 : q->rows[q->n - 1].n_jobs;
    q->n++;
    return GGK_OK;
}

ggk_status ggki_diff_queue_put(struct ggki_diff_queue *q,
                               const ggk_difference *d, ggk_error *err)
{
    struct ggki_diff_row *row;

    return next_row(q, d, &row, err);
}

/* Bytes of a block, if the data is whole blocks and one fits a buffer. */
static uint32_t unit_of(const ggk_model *model, const ggk_tensor *t)
{
    const ggk_type_info *type = ggk_model_type(model, t->type);

    return t->opaque || type == NULL || type->row_extra != 0 ||
                   type->bytes > BUFFER_BYTES
               ? 0
               : type->bytes;
}

/* How much of the data is to be compared. Of an opaque tensor nobody knows
 * where the data ends and the padding begins: what only one has is compared
 * with zeros, if it may be padding. */
static uint64_t compared_bytes(const struct ggki_diff *diff,
                               const ggk_tensor *a, const ggk_tensor *b)
{
    uint64_t least = a->bytes < b->bytes ? a->bytes : b->bytes;
    uint64_t most = a->bytes < b->bytes ? b->bytes : a->bytes;
    uint64_t align = a->bytes < b->bytes
                         ? diff->b->files[b->file].gguf.alignment
                         : diff->a->files[a->file].gguf.alignment;

    return most - least < align ? most : least;
}

ggk_status ggki_diff_queue_pair(struct ggki_diff_queue *q, uint64_t i,
                                uint64_t j, const ggk_tensor *a,
                                const ggk_tensor *b, ggk_error *err)
{
    const ggk_difference d = {
        .kind = GGK_DIFF_TENSOR_CHANGED, .what = GGK_DIFF_DATA, .a = i, .b = j};
    const struct ggki_diff *diff = q->diff;
    struct ggki_diff_row *row;
    ggk_status status = next_row(q, &d, &row, err);

    if (status != GGK_OK)
        return status;
    row->pair = true;
    row->bytes[0] = a->bytes;
    row->bytes[1] = b->bytes;
    row->compared = compared_bytes(diff, a, b);
    row->unit = unit_of(diff->a, a);
    row->chunk =
        row->unit == 0 ? BUFFER_BYTES : BUFFER_BYTES / row->unit * row->unit;
    row->n_jobs +=
        row->compared / row->chunk + (row->compared % row->chunk != 0);
    row->swap = orders_differ(diff->a, a, diff->b, b)
                    ? ggk_model_type(diff->a, a->type)
                    : NULL;
    atomic_store(&row->first, UINT64_MAX);
    atomic_store(&row->n_differ, 0);
    atomic_store(&row->n_blocks, 0);
    return GGK_OK;
}
