/* journal.c - what a file was before an edit in place. */
#include "io/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/store.h"
#include "base/sum.h"
#include "io/hidden.h"
#include "io/os.h"
#include "io/path.h"

#define MAGIC        "GGKJRNL1"
#define HEAD_BYTES   88
#define EXTENT_BYTES 24
#define RUN_BYTES    16
#define SUM_BYTES    8
/* Read and written. All of it is in memory when it is read, old bytes and new:
 * headers of up to 1 GiB nearly, of which few are so long. */
#define MOST_BYTES   INT32_MAX
#define UNKNOWN_NSEC UINT64_MAX

/* ------------------------------------------------------------------- making */

bool ggki_journal_add(struct ggki_journal *j, const ggk_allocator *mem,
                      const struct ggki_run *run)
{
    if (j->n_runs == j->run_capacity) {
        size_t capacity = j->run_capacity * 2 + 16;
        struct ggki_run *runs =
            ggki_mem_resize(mem, j->runs, j->run_capacity * sizeof *runs,
                            capacity * sizeof *runs);

        if (runs == NULL)
            return false;
        j->runs = runs;
        j->run_capacity = capacity;
    }
    j->runs[j->n_runs++] = *run;
    return true;
}

void ggki_journal_free(struct ggki_journal *j, const ggk_allocator *mem)
{
    ggki_extents_free(&j->extents, mem);
    ggki_mem_release(mem, j->runs, j->run_capacity * sizeof *j->runs);
    ggki_mem_release(mem, j->image, j->image_bytes);
    *j = (struct ggki_journal){0};
}

struct encoder {
    ggki_journal_put *put;
    void *ctx;
    struct ggki_sum sum;
    ggk_status status;
    ggk_error *err;
};

static void encode_bytes(struct encoder *e, const void *data, uint64_t bytes)
{
    if (e->status != GGK_OK)
        return;
    ggki_sum_add(&e->sum, data, (size_t)bytes);
    e->status = e->put(e->ctx, data, (size_t)bytes, e->err);
}

static void encode_numbers(struct encoder *e, const uint64_t *numbers, size_t n)
{
    uint8_t bytes[HEAD_BYTES];

    for (size_t i = 0; i < n; i++)
        store_u64(bytes + 8 * i, numbers[i], false);
    encode_bytes(e, bytes, 8 * n);
}

static uint64_t encoded_bytes(const struct ggki_journal *j)
{
    uint64_t sum = HEAD_BYTES + (uint64_t)j->extents.n * EXTENT_BYTES +
                   (uint64_t)j->n_runs * RUN_BYTES + SUM_BYTES;

    for (size_t i = 0; i < j->n_runs; i++)
        sum += 2 * j->runs[i].bytes;
    return sum;
}

ggk_status ggki_journal_encode(const struct ggki_journal *j,
                               ggki_journal_put *put, void *ctx, ggk_error *err)
{
    struct encoder e = {.put = put, .ctx = ctx, .err = err};
    bool born = j->file.birth.tv_nsec >= 0;
    const uint64_t bytes = encoded_bytes(j);
    const uint64_t head[] = {
        bytes,
        j->file.ino,
        born ? (uint64_t)j->file.birth.tv_sec : 0,
        born ? (uint64_t)j->file.birth.tv_nsec : UNKNOWN_NSEC,
        j->size,
        j->inserted,
        j->extents.n,
        j->n_runs,
        j->rest_bytes,
        j->rest,
    };

    if (bytes > MOST_BYTES)
        return ggki_fail(err, GGK_E_LIMIT,
                         "the journal would have %llu bytes, over 2 GiB",
                         (unsigned long long)bytes);
    ggki_sum_start(&e.sum);
    encode_bytes(&e, MAGIC, 8);
    encode_numbers(&e, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < j->extents.n; i++) {
        const struct ggki_extent *x = &j->extents.at[i];

        encode_numbers(&e, (uint64_t[]){x->at, x->disk, x->bytes}, 3);
    }
    for (size_t i = 0; i < j->n_runs; i++)
        encode_numbers(&e, (uint64_t[]){j->runs[i].at, j->runs[i].bytes}, 2);
    for (size_t i = 0; i < j->n_runs; i++)
        encode_bytes(&e, j->runs[i].was, j->runs[i].bytes);
    for (size_t i = 0; i < j->n_runs; i++)
        encode_bytes(&e, j->runs[i].now, j->runs[i].bytes);
    encode_numbers(&e, (uint64_t[]){ggki_sum_end(&e.sum)}, 1);
    return e.status;
}

/* ------------------------------------------------------------------ reading */

static ggk_status fail_damaged(ggk_error *err)
{
    return ggki_fail(err, GGK_E_INTERRUPTED,
                     "the journal of an interrupted edit is damaged");
}

static ggk_status read_image(struct ggki_journal *j, int fd,
                             const ggk_allocator *mem, ggk_error *err)
{
    struct stat st;
    int failed;

    if (fstat(fd, &st) != 0)
        return ggki_fail_io(err, errno, "look at the journal of");
    if (st.st_size < HEAD_BYTES + SUM_BYTES || st.st_size > MOST_BYTES)
        return fail_damaged(err);
    j->image = ggki_mem_resize(mem, NULL, 0, (size_t)st.st_size);
    if (j->image == NULL)
        return ggki_fail_memory(err);
    j->image_bytes = (size_t)st.st_size;
    failed = ggki_os_read(fd, 0, j->image, j->image_bytes);
    if (failed == ENODATA)
        return fail_damaged(err);
    return failed == 0 ? GGK_OK
                       : ggki_fail_io(err, failed, "read the journal of");
}

static void decode_head(const uint8_t *at, struct ggki_journal *j)
{
    uint64_t nsec = load_le64(at + 32);

    j->file.ino = load_le64(at + 16);
    j->file.birth.tv_sec = (time_t)load_le64(at + 24);
    j->file.birth.tv_nsec = nsec < 1000000000 ? (long)nsec : -1;
    j->size = load_le64(at + 40);
    j->inserted = load_le64(at + 48);
    j->rest_bytes = load_le64(at + 72);
    j->rest = load_le64(at + 80);
}

static bool is_whole(const struct ggki_journal *j)
{
    size_t body = j->image_bytes - SUM_BYTES;
    struct ggki_sum sum;

    ggki_sum_start(&sum);
    ggki_sum_add(&sum, j->image, body);
    return memcmp(j->image, MAGIC, 8) == 0 &&
           load_le64(j->image + 8) == j->image_bytes &&
           load_le64(j->image + body) == ggki_sum_end(&sum);
}

static bool decode_extents(struct ggki_journal *j, uint64_t n,
                           const ggk_allocator *mem, size_t *at)
{
    const struct ggki_journal *c = j;

    j->extents.at =
        ggki_mem_resize(mem, NULL, 0, (size_t)n * sizeof *j->extents.at);
    if (n > 0 && j->extents.at == NULL)
        return false;
    j->extents.n = j->extents.capacity = (size_t)n;
    for (uint64_t i = 0; i < n; i++, *at += EXTENT_BYTES)
        j->extents.at[i] = (struct ggki_extent){load_le64(c->image + *at),
                                                load_le64(c->image + *at + 8),
                                                load_le64(c->image + *at + 16)};
    return true;
}

/* Is it of bytes that are in the file, behind those of the run before? */
static bool is_next_run(const struct ggki_journal *j,
                        const struct ggki_run *run)
{
    const struct ggki_run *last =
        j->n_runs > 0 ? &j->runs[j->n_runs - 1] : NULL;

    return run->bytes > 0 && run->at <= j->size &&
           run->bytes <= j->size - run->at &&
           (last == NULL || run->at >= last->at + last->bytes);
}

/* The runs, whose bytes follow them; they must fill the image up to the sum. */
static ggk_status decode_runs(struct ggki_journal *j, uint64_t n,
                              const ggk_allocator *mem, size_t at,
                              ggk_error *err)
{
    size_t was = at + (size_t)n * RUN_BYTES;
    size_t each = (j->image_bytes - SUM_BYTES - was) / 2, end = was + each;

    if (end + each != j->image_bytes - SUM_BYTES)
        return fail_damaged(err);
    for (uint64_t i = 0; i < n; i++, at += RUN_BYTES) {
        struct ggki_run run = {load_le64(j->image + at),
                               load_le64(j->image + at + 8), j->image + was,
                               j->image + was + each};

        if (run.bytes > end - was || !is_next_run(j, &run))
            return fail_damaged(err);
        if (!ggki_journal_add(j, mem, &run))
            return ggki_fail_memory(err);
        was += (size_t)run.bytes;
    }
    return was == end ? GGK_OK : fail_damaged(err);
}

ggk_status ggki_journal_read(struct ggki_journal *j, int fd,
                             const ggk_allocator *mem, ggk_error *err)
{
    size_t at = HEAD_BYTES, left;
    uint64_t extents, runs;
    ggk_status status;

    *j = (struct ggki_journal){0};
    status = read_image(j, fd, mem, err);
    if (status != GGK_OK)
        return status;
    if (!is_whole(j))
        return fail_damaged(err);
    decode_head(j->image, j);
    extents = load_le64(j->image + 56);
    runs = load_le64(j->image + 64);
    left = j->image_bytes - HEAD_BYTES - SUM_BYTES;
    if (j->size > INT64_MAX || j->rest_bytes > j->size ||
        (j->inserted > 0 && extents == 0) ||
        j->inserted > INT64_MAX - j->size || extents > left / EXTENT_BYTES ||
        runs > (left - extents * EXTENT_BYTES) / RUN_BYTES)
        return fail_damaged(err);
    if (!decode_extents(j, extents, mem, &at))
        return ggki_fail_memory(err);
    return decode_runs(j, runs, mem, at, err);
}

bool ggki_journal_head(struct ggki_journal *j, int fd)
{
    uint8_t head[HEAD_BYTES];

    *j = (struct ggki_journal){0};
    if (ggki_os_read(fd, 0, head, sizeof head) != 0 ||
        memcmp(head, MAGIC, 8) != 0)
        return false;
    decode_head(head, j);
    return true;
}

/* ----------------------------------------------------------------- identity */

struct ggki_identity ggki_identity_of(int fd, const struct stat *st)
{
    struct ggki_identity id = {(uint64_t)st->st_ino, {0, -1}};

    if (ggki_os_birth(fd, &id.birth) != 0)
        id.birth = (struct timespec){.tv_nsec = -1};
    return id;
}

bool ggki_journal_fits(const struct ggki_journal *j, uint64_t size)
{
    return size == j->size || size == j->size + j->inserted;
}

bool ggki_journal_is_of(const struct ggki_journal *j,
                        const struct ggki_identity *file, uint64_t size)
{
    const struct timespec *a = &j->file.birth, *b = &file->birth;

    if (j->file.ino != file->ino)
        return false;
    if (a->tv_nsec < 0 || b->tv_nsec < 0)
        return ggki_journal_fits(j, size);
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* --------------------------------------------------------------------- rest */

#define CHUNK_BYTES 65536

/* Put zeros where a run lies in the bytes from `at` on. */
static void leave_out(const struct ggki_run *run, uint64_t at, uint8_t *bytes,
                      size_t n)
{
    uint64_t from = run->at > at ? run->at : at;
    uint64_t end = run->at + run->bytes;

    if (end > at + n)
        end = at + n;
    if (from < end)
        memset(bytes + (from - at), 0, (size_t)(end - from));
}

ggk_status ggki_journal_rest(const struct ggki_journal *j,
                             ggki_journal_get *get, void *ctx, uint64_t *out,
                             ggk_error *err)
{
    uint8_t chunk[CHUNK_BYTES];
    struct ggki_sum sum;
    size_t run = 0;

    ggki_sum_start(&sum);
    for (uint64_t at = 0; at < j->rest_bytes; at += sizeof chunk) {
        uint64_t left = j->rest_bytes - at;
        size_t n = left < sizeof chunk ? (size_t)left : sizeof chunk;
        ggk_status status = get(ctx, at, chunk, n, err);

        if (status != GGK_OK)
            return status;
        while (run < j->n_runs && j->runs[run].at + j->runs[run].bytes <= at)
            run++;
        for (size_t i = run; i < j->n_runs && j->runs[i].at < at + n; i++)
            leave_out(&j->runs[i], at, chunk, n);
        ggki_sum_add(&sum, chunk, n);
    }
    *out = ggki_sum_end(&sum);
    return GGK_OK;
}
