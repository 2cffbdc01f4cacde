/* imatrix_image.c - the bytes of importances as a file has them, made when they
 * are read.
 *
 * A .dat has its integers in 32 bits with a sign, and of each entry the means
 * times the calls (model/imatrix_legacy.c). What of it is not a value is made
 * as a whole and cut; values are made one by one.
 */
#include "ops/imatrix_image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/store.h"
#include "base/str.h"
#include "model/imatrix.h"

#define HEAD_BYTES 12u /* of an entry of a .dat, but for its name */

/* An entry, and where it ends in the image. */
struct piece {
    const ggk_importances *e;
    uint64_t end;
};

struct ggki_imatrix_image {
    ggk_allocator mem;
    const ggk_imatrix *imatrix;
    bool legacy;
    struct piece *pieces; /* sorted by the names of their entries */
    size_t n, room;
};

/* A part of the image that is asked for: bytes [off, end). */
struct window {
    uint8_t *to;
    uint64_t off, end;
    uint64_t pos; /* of what is put next */
};

/* ------------------------------------------------------------------- pieces */

static void put_bytes(struct window *w, const void *bytes, uint64_t n)
{
    uint64_t from = w->pos > w->off ? w->pos : w->off;
    uint64_t to = w->pos + n < w->end ? w->pos + n : w->end;

    if (from < to)
        memcpy(w->to + (from - w->off),
               (const uint8_t *)bytes + (from - w->pos), (size_t)(to - from));
    w->pos += n;
}

static void put_u32(struct window *w, uint32_t n)
{
    uint8_t bytes[4];

    store_u32(bytes, n, false);
    put_bytes(w, bytes, sizeof bytes);
}

static void put_f32(struct window *w, float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    put_u32(w, bits);
}

/* Of `n` numbers of 4 bytes those that the window does not begin behind: the
 * first of them, to which it is moved. */
static uint64_t skip_numbers(struct window *w, uint64_t n)
{
    uint64_t skip = w->off > w->pos ? (w->off - w->pos) / 4 : 0;

    skip = skip < n ? skip : n;
    w->pos += skip * 4;
    return skip;
}

static void put_sums(struct window *w, const ggk_importances *e)
{
    uint64_t i = skip_numbers(w, e->n_values);

    for (; i < e->n_values && w->pos < w->end; i++)
        put_f32(w, e->values[i]);
}

static void put_counts(struct window *w, const ggk_importances *e)
{
    uint64_t i = skip_numbers(w, e->n_slices);

    for (; i < e->n_slices && w->pos < w->end; i++)
        put_f32(w, (float)e->counts[i]);
}

/* As many chunks as the largest count needs. */
static int64_t calls_of(const struct ggki_imatrix_image *image,
                        const ggk_importances *e)
{
    int64_t size = (int64_t)image->imatrix->info.chunk_size;
    int64_t most = e->counts[0];

    for (uint64_t s = 1; s < e->n_slices; s++)
        most = e->counts[s] > most ? e->counts[s] : most;
    return most > INT64_MAX - size ? INT64_MAX : (most + (size - 1)) / size;
}

/* Value `i` in a .dat. */
static float mean_of(const ggk_importances *e, uint64_t i, float calls)
{
    uint64_t slice = i / (e->n_values / e->n_slices);
    float count = (float)e->counts[slice];
    float mean = count == 0.0F ? 1.0F : e->values[i] / count;

    return mean * calls;
}

static void put_means(struct window *w, const ggk_importances *e, float calls)
{
    uint64_t i = skip_numbers(w, e->n_values);

    for (; i < e->n_values && w->pos < w->end; i++)
        put_f32(w, mean_of(e, i, calls));
}

static void put_legacy(struct window *w, const struct ggki_imatrix_image *image,
                       const ggk_importances *e)
{
    int64_t calls = calls_of(image, e);

    put_u32(w, (uint32_t)e->name.len);
    put_bytes(w, e->name.ptr, e->name.len);
    put_u32(w, (uint32_t)calls);
    put_u32(w, (uint32_t)e->n_values);
    put_means(w, e, (float)calls);
}

static void put_entry(struct window *w, const struct ggki_imatrix_image *image,
                      const ggk_importances *e)
{
    if (image->legacy) {
        put_legacy(w, image, e);
        return;
    }
    put_sums(w, e);
    put_counts(w, e);
}

/* ------------------------------------------------------------------ reading */

static uint64_t start_of(const struct ggki_imatrix_image *image, size_t i)
{
    return i > 0 ? image->pieces[i - 1].end : image->legacy ? 4 : 0;
}

/* The first entry that ends behind `off`. */
static size_t find_entry(const struct ggki_imatrix_image *image, uint64_t off)
{
    size_t low = 0, high = image->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (image->pieces[mid].end <= off)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The dataset that a .dat names. */
static ggk_str last_dataset(const struct ggki_imatrix_image *image)
{
    uint64_t n = image->imatrix->info.n_datasets;

    return ggk_imatrix_dataset(image->imatrix, n > 0 ? n - 1 : 0);
}

static void put_end(struct window *w, const struct ggki_imatrix_image *image)
{
    ggk_str dataset = last_dataset(image);

    w->pos = image->pieces[image->n - 1].end;
    put_u32(w, (uint32_t)image->imatrix->info.n_chunks);
    put_u32(w, (uint32_t)dataset.len);
    put_bytes(w, dataset.ptr, dataset.len);
}

static int read_image(void *ctx, uint64_t off, void *buf, size_t bytes,
                      size_t *got)
{
    const struct ggki_imatrix_image *image = ctx;
    struct window w = {buf, off, sat_add64(off, bytes), 0};

    if (image->legacy)
        put_u32(&w, (uint32_t)image->n);
    for (size_t i = find_entry(image, off);
         i < image->n && start_of(image, i) < w.end; i++) {
        w.pos = start_of(image, i);
        put_entry(&w, image, image->pieces[i].e);
    }
    if (image->legacy)
        put_end(&w, image);
    *got = bytes;
    return 0;
}

/* ------------------------------------------------------------------- making */

static void release(struct ggki_imatrix_image *image)
{
    ggk_allocator mem = image->mem;

    ggki_mem_release(&mem, image->pieces, image->room * sizeof *image->pieces);
    ggki_mem_release(&mem, image, sizeof *image);
}

static void close_image(void *ctx)
{
    release(ctx);
}

static int compare_names(const void *a, const void *b)
{
    ggk_str x = ((const struct piece *)a)->e->name;
    ggk_str y = ((const struct piece *)b)->e->name;
    size_t n = x.len < y.len ? x.len : y.len;
    int order = n > 0 ? memcmp(x.ptr, y.ptr, n) : 0;

    return order != 0 ? order : (x.len > y.len) - (x.len < y.len);
}

static bool was_in_use(const ggk_importances *e)
{
    for (uint64_t s = 0; s < e->n_slices; s++)
        if (e->counts[s] != 0)
            return true;
    return false;
}

/* Those that the file gets: of a .dat none that was never in use. */
static ggk_status collect(struct ggki_imatrix_image *image, ggk_error *err)
{
    const ggk_imatrix *imatrix = image->imatrix;

    image->room = (size_t)imatrix->info.n_entries + 1;
    image->pieces =
        ggki_mem_zero(&image->mem, image->room * sizeof *image->pieces);
    if (image->pieces == NULL)
        return ggki_fail_memory(err);
    for (uint64_t i = 0; i < imatrix->info.n_entries; i++)
        if (!image->legacy || was_in_use(&imatrix->entries[i]))
            image->pieces[image->n++].e = &imatrix->entries[i];
    if (image->n == 0)
        return ggki_fail(err, GGK_E_NOT_FOUND,
                         "there are no importances to write");
    qsort(image->pieces, image->n, sizeof *image->pieces, compare_names);
    return GGK_OK;
}

/* Values that were summed up of less than nothing have no mean. */
static ggk_status check_counts(const ggk_importances *e, ggk_error *err)
{
    for (uint64_t s = 0; s < e->n_slices; s++)
        if (e->counts[s] < 0)
            return ggki_fail(err, GGK_E_VALUE,
                             "\"%.*s\": count %llu is %lld, of which a .dat "
                             "cannot have the means",
                             ggki_shown(e->name), e->name.ptr,
                             (unsigned long long)s, (long long)e->counts[s]);
    return GGK_OK;
}

static ggk_status check_means(const ggk_importances *e, float calls,
                              ggk_error *err)
{
    for (uint64_t i = 0; i < e->n_values; i++)
        if (!isfinite(mean_of(e, i, calls)))
            return ggki_fail(err, GGK_E_VALUE,
                             "\"%.*s\": value %llu, a sum of %g, is too large "
                             "for a .dat",
                             ggki_shown(e->name), e->name.ptr,
                             (unsigned long long)i, (double)e->values[i]);
    return GGK_OK;
}

/* Can the entry be told with the integers of a .dat? */
static ggk_status check_limits(const struct ggki_imatrix_image *image,
                               const ggk_importances *e, ggk_error *err)
{
    int64_t calls = calls_of(image, e);
    ggk_status status = check_counts(e, err);

    if (status != GGK_OK)
        return status;
    if (e->n_values <= INT32_MAX && e->name.len <= INT32_MAX &&
        calls <= INT32_MAX)
        return check_means(e, (float)calls, err);
    return ggki_fail(err, GGK_E_LIMIT,
                     "\"%.*s\" has %llu values and %lld calls, and a .dat "
                     "cannot say more than 2^31-1",
                     ggki_shown(e->name), e->name.ptr,
                     (unsigned long long)e->n_values, (long long)calls);
}

static ggk_status lay_out(struct ggki_imatrix_image *image, ggk_error *err)
{
    ggk_status status = GGK_OK;

    for (size_t i = 0; i < image->n && status == GGK_OK; i++) {
        const ggk_importances *e = image->pieces[i].e;
        uint64_t bytes = image->legacy ? HEAD_BYTES + (uint64_t)e->name.len
                                       : e->n_slices * 4;

        if (image->legacy)
            status = check_limits(image, e, err);
        image->pieces[i].end = start_of(image, i) + bytes + e->n_values * 4;
    }
    return status;
}

static ggk_status check_end(const struct ggki_imatrix_image *image,
                            ggk_error *err)
{
    if (image->imatrix->info.n_chunks <= INT32_MAX &&
        last_dataset(image).len <= INT32_MAX && image->n <= INT32_MAX)
        return GGK_OK;
    return ggki_fail(err, GGK_E_LIMIT,
                     "there are %llu chunks, which the file cannot say",
                     (unsigned long long)image->imatrix->info.n_chunks);
}

static ggk_status fill(struct ggki_imatrix_image *image, ggk_error *err)
{
    ggk_status status = collect(image, err);

    if (status == GGK_OK)
        status = check_end(image, err);
    return status == GGK_OK ? lay_out(image, err) : status;
}

ggk_status ggki_imatrix_image_new(const ggk_imatrix *imatrix, bool legacy,
                                  const ggk_allocator *alloc,
                                  const struct ggki_imatrix_image **out_image,
                                  ggk_source **out, ggk_error *err)
{
    ggk_callbacks callbacks = {.read = read_image, .close = close_image};
    ggk_allocator mem = ggki_mem_of(alloc);
    struct ggki_imatrix_image *image = ggki_mem_zero(&mem, sizeof *image);
    ggk_status status;

    *out = NULL;
    *out_image = image;
    if (image == NULL)
        return ggki_fail_memory(err);
    image->mem = mem;
    image->imatrix = imatrix;
    image->legacy = legacy;
    status = fill(image, err);
    if (status == GGK_OK) {
        callbacks.ctx = image;
        callbacks.size = image->pieces[image->n - 1].end;
        if (legacy)
            callbacks.size += 8 + (uint64_t)last_dataset(image).len;
        status = ggk_source_from_callbacks(&callbacks, alloc, out, err);
    }
    if (status != GGK_OK)
        release(image);
    return status;
}

uint64_t ggki_imatrix_image_count(const struct ggki_imatrix_image *image)
{
    return image->n;
}

void ggki_imatrix_image_at(const struct ggki_imatrix_image *image, uint64_t i,
                           struct ggki_imatrix_piece *out)
{
    out->e = *image->pieces[i].e;
    out->off = start_of(image, (size_t)i);
    out->values_off = out->off;
    out->counts_off = out->off + out->e.n_values * 4;
}
