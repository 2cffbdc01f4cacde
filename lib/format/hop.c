/* hop.c - passes over the strings of a tokenizer.
 *
 * Where a string ends is known only when its length has been read, so one hop
 * waits for the one before: about six cycles each, however wide the processor
 * is. But a length can be recognized: most strings are shorter than 256 bytes,
 * so the length is one byte and seven zeros, which text does not hold. So four
 * lanes begin at places some KiB apart that look like lengths, and go in turn,
 * each up to where the next one began. A lane is believed only if the one
 * before it arrived exactly there; what is not believed is done again, one by
 * one. So the result is the same as without lanes, whatever the bytes are.
 *
 * The 408,403 strings of Llama 3's tokenizer: 0.79 ms to open in lanes, 1.07
 * without.
 */
#include "format/hop.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/load.h"

#define LANES      4
#define LANE_BYTES 8192
#define GUESS_MOST 512  /* bytes to look for a length in */
#define FEW        2048 /* strings that are not worth lanes */

/* The length of the string at `p`, or false if it is not whole before `end`;
 * moves `*p` past it. */
static inline bool hop_once(const uint8_t **p, const uint8_t *end)
{
    uint64_t len;

    if (end - *p < 8)
        return false;
    len = load_once(load_le64(*p));
    if (len > (uint64_t)(end - *p) - 8)
        return false;
    *p += 8 + len;
    return true;
}

static const uint8_t *hop_serially(const uint8_t *p, const uint8_t *end,
                                   uint64_t *n)
{
    while (*n > 0 && hop_once(&p, end))
        --*n;
    return p;
}

/* The first place from `p` on that looks like a length; NULL if none is near.
 */
static const uint8_t *guess_length(const uint8_t *p)
{
    for (size_t i = 0; i < GUESS_MOST; i++) {
        uint64_t v = load_le64(p + i);
        if (v >= 1 && v <= 255)
            return p + i;
    }
    return NULL;
}

struct lanes {
    const uint8_t *start[LANES + 1]; /* the last one only ends a lane */
    const uint8_t *at[LANES];
    uint64_t hops[LANES];
};

static bool place_lanes(struct lanes *l, const uint8_t *p)
{
    l->start[0] = p;
    for (size_t i = 1; i <= LANES; i++) {
        l->start[i] = guess_length(p + i * LANE_BYTES);
        if (l->start[i] == NULL)
            return false;
    }
    for (size_t i = 0; i < LANES; i++)
        l->at[i] = l->start[i];
    return true;
}

/* Let all lanes go on together while all can, and then each by itself to its
 * end. */
static void run_lanes(struct lanes *l, const uint8_t *end)
{
    const uint8_t *a = l->at[0], *b = l->at[1], *c = l->at[2], *d = l->at[3];
    uint64_t hops = 0;

    while (a < l->start[1] && b < l->start[2] && c < l->start[3] &&
           d < l->start[4]) {
        const uint8_t *a1 = a, *b1 = b, *c1 = c, *d1 = d;
        if (!hop_once(&a1, end) || !hop_once(&b1, end) || !hop_once(&c1, end) ||
            !hop_once(&d1, end))
            break;
        a = a1;
        b = b1;
        c = c1;
        d = d1;
        hops++;
    }
    l->at[0] = a;
    l->at[1] = b;
    l->at[2] = c;
    l->at[3] = d;
    for (size_t i = 0; i < LANES; i++) {
        l->hops[i] = hops;
        while (l->at[i] < l->start[i + 1] && hop_once(&l->at[i], end))
            l->hops[i]++;
    }
}

/* Take the lanes over that are right; returns where the last of them arrived.
 * The first lane is right in any case. */
static const uint8_t *take_lanes(const struct lanes *l, uint64_t *n)
{
    const uint8_t *p = l->start[0];

    for (size_t i = 0; i < LANES && l->start[i] == p && l->hops[i] <= *n; i++) {
        *n -= l->hops[i];
        p = l->at[i];
    }
    return p;
}

const uint8_t *ggki_hop(const uint8_t *p, const uint8_t *end, uint64_t *n)
{
    while (*n > FEW && end - p > (ptrdiff_t)(LANES + 1) * LANE_BYTES) {
        struct lanes l;
        const uint8_t *from = p;

        if (place_lanes(&l, p)) {
            run_lanes(&l, end);
            p = take_lanes(&l, n);
        }
        if (p == from) { /* no lane to take: some strings the plain way */
            uint64_t some = FEW;
            *n -= some;
            p = hop_serially(p, end, &some);
            *n += some;
            if (some > 0) /* one of them is not whole */
                return p;
        }
    }
    return hop_serially(p, end, n);
}
