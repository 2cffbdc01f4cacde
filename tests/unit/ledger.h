/* ledger.h - for tests: an allocator that counts, checks and fails.
 *
 * Every block remembers its size, so that a wrong size given back is seen; and
 * a block that grows always moves, so that a pointer kept from before is.
 */
#ifndef TESTS_LEDGER_H
#define TESTS_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ggk.h"

struct ledger {
    size_t calls;    /* of resize */
    size_t fail_at;  /* the call that fails, counted from 1; 0: none */
    bool fail_after; /* and all that follow it */
    size_t blocks;   /* now */
    size_t bytes;    /* now */
    size_t peak;     /* bytes at most, between two calls */
    size_t biggest;  /* bytes of the largest block ever asked for */
    bool mismatch;   /* a size given back was wrong */
};

union ledger_head {
    size_t bytes;
    max_align_t align;
};

static inline void ledger_release(void *ctx, void *ptr, size_t bytes)
{
    struct ledger *l = ctx;
    union ledger_head *head = (union ledger_head *)ptr - 1;

    l->mismatch = l->mismatch || ptr == NULL || head->bytes != bytes;
    l->blocks--;
    l->bytes -= head->bytes;
    memset(ptr, 0xdd, head->bytes);
    free(head);
}

static inline void *ledger_resize(void *ctx, void *ptr, size_t old_bytes,
                                  size_t new_bytes)
{
    struct ledger *l = ctx;
    union ledger_head *head;

    l->calls++;
    if (new_bytes > l->biggest)
        l->biggest = new_bytes;
    if (l->fail_at != 0 &&
        (l->calls == l->fail_at || (l->fail_after && l->calls > l->fail_at)))
        return NULL;
    if (new_bytes > SIZE_MAX / 2 ||
        (head = malloc(sizeof *head + new_bytes)) == NULL)
        return NULL;
    head->bytes = new_bytes;
    memset(head + 1, 0xaa, new_bytes);
    l->blocks++;
    l->bytes += new_bytes;
    if (ptr != NULL) {
        memcpy(head + 1, ptr, old_bytes < new_bytes ? old_bytes : new_bytes);
        ledger_release(l, ptr, old_bytes);
    } else {
        l->mismatch = l->mismatch || old_bytes != 0;
    }
    if (l->bytes > l->peak)
        l->peak = l->bytes;
    return head + 1;
}

static inline ggk_allocator ledger_allocator(struct ledger *l)
{
    return (ggk_allocator){ledger_resize, ledger_release, l};
}

/* All given back, each with its size. */
static inline bool ledger_is_even(const struct ledger *l)
{
    return l->blocks == 0 && l->bytes == 0 && !l->mismatch;
}

#endif
