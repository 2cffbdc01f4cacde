/* fuzz_journal.c - any bytes, as the journal of an edit in place.
 *
 * They are read as they are, and once more with the length and the sum that
 * they should have. What is read lies within the file that it is of, and is the
 * same when it is written and read again. Its extents, half of them as those of
 * before, are searched for a boundary.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/store.h"
#include "base/sum.h"
#include "io/extents.h"
#include "io/journal.h"

enum { MOST_BYTES = 4096, LEAST_BYTES = 80 };

/* ------------------------------------------------------------------ writing */

struct image {
    uint8_t at[MOST_BYTES];
    size_t n;
};

static ggk_status put(void *ctx, const void *data, size_t bytes, ggk_error *err)
{
    struct image *image = ctx;

    (void)err;
    if (bytes > sizeof image->at - image->n)
        abort();
    if (bytes > 0)
        memcpy(image->at + image->n, data, bytes);
    image->n += bytes;
    return GGK_OK;
}

static void mend(struct image *image)
{
    size_t body = image->n - 8;
    struct ggki_sum sum;

    memcpy(image->at, "GGKJRNL1", 8);
    store_u64(image->at + 8, image->n, false);
    ggki_sum_start(&sum);
    ggki_sum_add(&sum, image->at, body);
    store_u64(image->at + body, ggki_sum_end(&sum), false);
}

/* ------------------------------------------------------------------ reading */

static ggk_status read_image(const struct image *image, struct ggki_journal *j,
                             const ggk_allocator *mem)
{
    static FILE *file;
    ggk_error err;
    ggk_status status;

    if (file == NULL)
        file = tmpfile();
    if (file == NULL || ftruncate(fileno(file), 0) != 0 ||
        pwrite(fileno(file), image->at, image->n, 0) != (ssize_t)image->n)
        abort();
    status = ggki_journal_read(j, fileno(file), mem, &err);
    if (status != GGK_OK && status != GGK_E_INTERRUPTED)
        abort();
    return status;
}

static void expect_same(const struct ggki_journal *a,
                        const struct ggki_journal *b)
{
    if (a->file.ino != b->file.ino || a->size != b->size ||
        a->inserted != b->inserted || a->n_runs != b->n_runs ||
        a->extents.n != b->extents.n)
        abort();
    for (size_t i = 0; i < a->extents.n; i++)
        if (memcmp(&a->extents.at[i], &b->extents.at[i],
                   sizeof a->extents.at[i]) != 0)
            abort();
    for (size_t i = 0; i < a->n_runs; i++)
        if (a->runs[i].at != b->runs[i].at ||
            a->runs[i].bytes != b->runs[i].bytes ||
            a->runs[i].at + a->runs[i].bytes > a->size ||
            memcmp(a->runs[i].was, b->runs[i].was, (size_t)a->runs[i].bytes) !=
                0)
            abort();
}

static void search(struct ggki_journal *j)
{
    size_t half = j->extents.n / 2;
    struct ggki_extents was = {j->extents.at, half, half};
    struct ggki_extents now = {j->extents.at + half, j->extents.n - half, 0};
    uint64_t boundary, head = j->n_runs > 0 ? j->runs[0].bytes : 0;

    if (j->extents.n > 0)
        (void)ggki_extents_boundary(&was, &now, j->size, j->inserted, head,
                                    &boundary);
}

static void use(const struct image *image)
{
    const ggk_allocator mem = ggki_mem_of(NULL);
    struct ggki_journal j, again;
    struct image written = {.n = 0};

    if (read_image(image, &j, &mem) == GGK_OK) {
        if (ggki_journal_encode(&j, put, &written, NULL) != GGK_OK ||
            written.n != image->n ||
            read_image(&written, &again, &mem) != GGK_OK)
            abort();
        expect_same(&j, &again);
        ggki_journal_free(&again, &mem);
        search(&j);
    }
    ggki_journal_free(&j, &mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct image image;

    if (size < LEAST_BYTES || size > sizeof image.at)
        return 0;
    memcpy(image.at, data, size);
    image.n = size;
    use(&image);
    mend(&image);
    use(&image);
    return 0;
}
