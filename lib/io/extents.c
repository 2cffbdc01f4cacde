/* extents.c - what of a file a half-done insertion has moved. */
#include "io/extents.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

#define READ_AT_ONCE 64

static bool reserve(struct ggki_extents *list, size_t n,
                    const ggk_allocator *mem)
{
    size_t capacity = list->capacity * 2 + READ_AT_ONCE;
    struct ggki_extent *at;

    if (list->capacity - list->n >= n)
        return true;
    at = ggki_mem_resize(mem, list->at, list->capacity * sizeof *at,
                         capacity * sizeof *at);
    if (at == NULL)
        return false;
    list->at = at;
    list->capacity = capacity;
    return true;
}

/* Room that was reserved beyond the end of the file is not kept for good. */
static size_t clip(struct ggki_extent *at, size_t n, uint64_t size)
{
    while (n > 0 && at[n - 1].at >= size)
        n--;
    if (n > 0 && at[n - 1].bytes > size - at[n - 1].at)
        at[n - 1].bytes = size - at[n - 1].at;
    return n;
}

ggk_status ggki_extents_read(struct ggki_extents *list, int fd, uint64_t size,
                             bool shared, const ggk_allocator *mem,
                             ggk_error *err)
{
    bool last = false;

    *list = (struct ggki_extents){NULL, 0, 0};
    for (uint64_t from = 0; !last && from < size;) {
        size_t got;
        int failed;

        if (!reserve(list, READ_AT_ONCE, mem))
            return ggki_fail_memory(err);
        failed = ggki_os_extents(fd, from, shared, list->at + list->n,
                                 READ_AT_ONCE, &got, &last);
        if (failed == EOPNOTSUPP)
            return ggki_fail(err, GGK_E_UNSUPPORTED,
                             "the file system does not tell where on the disk "
                             "each part of the file is");
        if (failed != 0)
            return ggki_fail_io(err, failed, "look at");
        list->n += got;
        if (got == 0)
            break;
        from = list->at[list->n - 1].at + list->at[list->n - 1].bytes;
    }
    list->n = clip(list->at, list->n, size);
    return GGK_OK;
}

void ggki_extents_free(struct ggki_extents *list, const ggk_allocator *mem)
{
    ggki_mem_release(mem, list->at, list->capacity * sizeof *list->at);
    *list = (struct ggki_extents){NULL, 0, 0};
}

static int compare_places(const void *a, const void *b)
{
    uint64_t x = ((const struct ggki_extent *)a)->disk,
             y = ((const struct ggki_extent *)b)->disk;

    return (x > y) - (x < y);
}

/* The extent that has this place on the disk; NULL: none. */
static const struct ggki_extent *find_place(const struct ggki_extents *now,
                                            uint64_t disk)
{
    size_t low = 0, high = now->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (now->at[mid].disk <= disk)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == 0 || disk - now->at[low - 1].disk >= now->at[low - 1].bytes)
        return NULL;
    return &now->at[low - 1];
}

/* What is known of the boundary so far: all before `stayed` has not moved, all
 * from `moved` on has. */
struct search {
    uint64_t shift, head, stayed, moved;
    bool has_moved;
};

/* Take the run of `bytes` bytes at `at` into account, which is now at `now_at`.
 */
static bool take_run(struct search *s, uint64_t at, uint64_t bytes,
                     uint64_t now_at)
{
    if (now_at == at && !s->has_moved) {
        s->stayed = at + bytes;
        return true;
    }
    if (now_at != at + s->shift)
        return false;
    if (!s->has_moved)
        s->moved = at;
    s->has_moved = true;
    return true;
}

/* Take an old extent into account, which may be several now. */
static bool take_extent(struct search *s, const struct ggki_extents *now,
                        struct ggki_extent e)
{
    while (e.bytes > 0) {
        const struct ggki_extent *is = find_place(now, e.disk);
        uint64_t into, part;

        if (is == NULL) { /* what was written anew had moved before */
            part = e.at < s->head ? s->head - e.at : 0;
            part = part < e.bytes ? part : e.bytes;
            if (part == 0 || !take_run(s, e.at, part, e.at + s->shift))
                return false;
        } else {
            into = e.disk - is->disk;
            part = is->bytes - into < e.bytes ? is->bytes - into : e.bytes;
            if (!take_run(s, e.at, part, is->at + into))
                return false;
        }
        e.at += part;
        e.disk += part;
        e.bytes -= part;
    }
    return true;
}

/* Of the numbers from `low` to `high` the one that is a multiple of the largest
 * power of two: if any is one of the file system's unit, this is. */
static uint64_t roundest(uint64_t low, uint64_t high)
{
    while (high != 0 && (high & (high - 1)) >= low)
        high &= high - 1;
    return high;
}

bool ggki_extents_boundary(const struct ggki_extents *was,
                           struct ggki_extents *now, uint64_t size,
                           uint64_t shift, uint64_t head, uint64_t *boundary)
{
    struct search s = {shift, head, 0, 0, false};

    if (now->n > 1)
        qsort(now->at, now->n, sizeof *now->at, compare_places);
    for (size_t i = 0; i < was->n; i++)
        if (!take_extent(&s, now, was->at[i]))
            return false;
    *boundary = s.stayed == 0 ? 0
                : s.has_moved ? roundest(s.stayed, s.moved)
                              : size;
    return true;
}
