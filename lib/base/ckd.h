/* ckd.h - checked arithmetic on values that come from files.
 *
 * Each ckd_ function returns true and stores the result, or returns false and
 * stores nothing. Each sat_ function returns the result, or else UINT64_MAX:
 * for values that were checked before, or where so much is never there. Every
 * sum, product and padding of file values goes through here.
 */
#ifndef GGKI_CKD_H
#define GGKI_CKD_H

#include <stdbool.h>
#include <stdint.h>

static inline bool ckd_add64(uint64_t a, uint64_t b, uint64_t *out)
{
    if (b > UINT64_MAX - a)
        return false;
    *out = a + b;
    return true;
}

static inline bool ckd_mul64(uint64_t a, uint64_t b, uint64_t *out)
{
    if (a != 0 && b > UINT64_MAX / a)
        return false;
    *out = a * b;
    return true;
}

/* Round `a` up to a multiple of `to`, which need not be a power of two. */
static inline bool ckd_align64(uint64_t a, uint64_t to, uint64_t *out)
{
    uint64_t rest = to == 0 ? 0 : a % to;
    return ckd_add64(a, rest == 0 ? 0 : to - rest, out);
}

/* The same, where `base` must have room before it. */
static inline bool ckd_align_after64(uint64_t base, uint64_t a, uint64_t to,
                                     uint64_t *out)
{
    uint64_t aligned, sum;

    if (!ckd_align64(a, to, &aligned) || !ckd_add64(base, aligned, &sum))
        return false;
    *out = aligned;
    return true;
}

static inline uint64_t sat_add64(uint64_t a, uint64_t b)
{
    uint64_t out;
    return ckd_add64(a, b, &out) ? out : UINT64_MAX;
}

static inline uint64_t sat_mul64(uint64_t a, uint64_t b)
{
    uint64_t out;
    return ckd_mul64(a, b, &out) ? out : UINT64_MAX;
}

static inline uint64_t sat_align64(uint64_t a, uint64_t to)
{
    uint64_t out;
    return ckd_align64(a, to, &out) ? out : UINT64_MAX;
}

#endif
