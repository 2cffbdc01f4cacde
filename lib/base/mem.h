/* mem.h - memory through the caller's allocator. */
#ifndef GGKI_MEM_H
#define GGKI_MEM_H

#include "ggk.h"

/* The allocator to use for `alloc`: a copy of it, or of malloc's if NULL. */
ggk_allocator ggki_mem_of(const ggk_allocator *alloc);

/* All of these return NULL when there is no memory (or `bytes` does not fit a
 * size_t); nothing is lost then. ggki_mem_zero clears what it returns. */
void *ggki_mem_zero(const ggk_allocator *mem, size_t bytes);
void *ggki_mem_resize(const ggk_allocator *mem, void *ptr, size_t old_bytes,
                      size_t new_bytes);
char *ggki_mem_string(const ggk_allocator *mem, const char *s, size_t len);
void ggki_mem_release(const ggk_allocator *mem, void *ptr, size_t bytes);

/* A string that has just the memory it needs, or NULL. */
void ggki_mem_release_string(const ggk_allocator *mem, char *s);

/* What is behind a pointer to const, which the caller has from this allocator
 * and may therefore write and release. */
static inline void *ggki_mem_own(const void *ptr)
{
    union {
        const void *shown;
        void *owned;
    } p = {ptr};

    return p.owned;
}

/* A growing list of 64-bit numbers. */
struct ggki_u64s {
    uint64_t *at;
    size_t n;
    size_t capacity;
};

/* Make room for `n` in all; false when there is no memory. */
bool ggki_u64s_reserve(struct ggki_u64s *list, const ggk_allocator *mem,
                       uint64_t n);
void ggki_u64s_sort(struct ggki_u64s *list);
void ggki_u64s_free(struct ggki_u64s *list, const ggk_allocator *mem);

static inline bool ggki_u64s_push(struct ggki_u64s *list,
                                  const ggk_allocator *mem, uint64_t value)
{
    if (list->n == list->capacity &&
        !ggki_u64s_reserve(list, mem, (uint64_t)list->n * 3 / 2 + 8))
        return false;
    list->at[list->n++] = value;
    return true;
}

#endif
