/* mem.c - the only place in the library that calls malloc (but for what libc
 * and the libraries that are opened take by themselves: to list a folder, to
 * sort, to hash, to match patterns). */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static void *libc_resize(void *ctx, void *ptr, size_t old_bytes,
                         size_t new_bytes)
{
    (void)ctx;
    (void)old_bytes;
    return realloc(ptr, new_bytes);
}

static void libc_release(void *ctx, void *ptr, size_t bytes)
{
    (void)ctx;
    (void)bytes;
    free(ptr);
}

ggk_allocator ggki_mem_of(const ggk_allocator *alloc)
{
    static const ggk_allocator libc = {libc_resize, libc_release, NULL};
    return alloc != NULL ? *alloc : libc;
}

void *ggki_mem_resize(const ggk_allocator *mem, void *ptr, size_t old_bytes,
                      size_t new_bytes)
{
    return mem->resize(mem->ctx, ptr, old_bytes, new_bytes);
}

void *ggki_mem_zero(const ggk_allocator *mem, size_t bytes)
{
    void *ptr = ggki_mem_resize(mem, NULL, 0, bytes);
    if (ptr != NULL)
        memset(ptr, 0, bytes);
    return ptr;
}

char *ggki_mem_string(const ggk_allocator *mem, const char *s, size_t len)
{
    char *copy = ggki_mem_resize(mem, NULL, 0, len + 1);
    if (copy != NULL) {
        memcpy(copy, s, len);
        copy[len] = '\0';
    }
    return copy;
}

void ggki_mem_release(const ggk_allocator *mem, void *ptr, size_t bytes)
{
    if (ptr != NULL)
        mem->release(mem->ctx, ptr, bytes);
}

void ggki_mem_release_string(const ggk_allocator *mem, char *s)
{
    if (s != NULL)
        ggki_mem_release(mem, s, strlen(s) + 1);
}

bool ggki_u64s_reserve(struct ggki_u64s *list, const ggk_allocator *mem,
                       uint64_t n)
{
    uint64_t *at;

    if (n <= list->capacity)
        return true;
    if (n > SIZE_MAX / sizeof *at)
        return false;
    at = ggki_mem_resize(mem, list->at, list->capacity * sizeof *at,
                         (size_t)n * sizeof *at);
    if (at == NULL)
        return false;
    list->at = at;
    list->capacity = (size_t)n;
    return true;
}

/* Let at[root] sink to its place in the heap of `n` numbers. */
static void sift_down(uint64_t *at, size_t root, size_t n)
{
    uint64_t value = at[root];

    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && at[child + 1] > at[child])
            child++;
        if (at[child] <= value)
            break;
        at[root] = at[child];
    }
    at[root] = value;
}

/* A heap sort: unlike qsort it takes no memory, and no order makes it slow. */
void ggki_u64s_sort(struct ggki_u64s *list)
{
    uint64_t *at = list->at;

    for (size_t n = list->n / 2; n > 0; n--)
        sift_down(at, n - 1, list->n);
    for (size_t n = list->n; n > 1; n--) {
        uint64_t largest = at[0];
        at[0] = at[n - 1];
        at[n - 1] = largest;
        sift_down(at, 0, n - 1);
    }
}

void ggki_u64s_free(struct ggki_u64s *list, const ggk_allocator *mem)
{
    ggki_mem_release(mem, list->at, list->capacity * sizeof *list->at);
    *list = (struct ggki_u64s){NULL, 0, 0};
}
