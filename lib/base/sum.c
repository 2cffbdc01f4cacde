/* sum.c - a sum of bytes, in lanes. */
#include "base/sum.h"

#include <string.h>

#include "base/load.h"

/* One to one, so that no difference gets lost. */
static uint64_t stir(uint64_t x)
{
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 32;
}

static void take_blocks(struct ggki_sum *s, const uint8_t *at, size_t n)
{
    uint64_t lanes[GGKI_SUM_LANES];

    memcpy(lanes, s->lanes, sizeof lanes);
    for (; n > 0; n--, at += GGKI_SUM_BLOCK)
        for (size_t lane = 0; lane < GGKI_SUM_LANES; lane++)
            lanes[lane] = stir(lanes[lane] ^ load_le64(at + 8 * lane));
    memcpy(s->lanes, lanes, sizeof lanes);
}

/* Each lane from another number than zero, which zeros would not stir. */
void ggki_sum_start(struct ggki_sum *s)
{
    for (size_t lane = 0; lane < GGKI_SUM_LANES; lane++)
        s->lanes[lane] = stir(lane + 1);
    s->n = 0;
}

void ggki_sum_add(struct ggki_sum *s, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    size_t room = GGKI_SUM_BLOCK - s->n, blocks;

    if (s->n > 0) {
        size_t n = bytes < room ? bytes : room;

        memcpy(s->part + s->n, at, n);
        s->n += n;
        at += n;
        bytes -= n;
        if (s->n < GGKI_SUM_BLOCK)
            return;
        take_blocks(s, s->part, 1);
    }
    blocks = bytes / GGKI_SUM_BLOCK;
    take_blocks(s, at, blocks);
    s->n = bytes % GGKI_SUM_BLOCK;
    if (s->n > 0)
        memcpy(s->part, at + blocks * GGKI_SUM_BLOCK, s->n);
}

uint64_t ggki_sum_end(struct ggki_sum *s)
{
    uint64_t sum = 0;

    if (s->n > 0) {
        memset(s->part + s->n, 0, GGKI_SUM_BLOCK - s->n);
        take_blocks(s, s->part, 1);
    }
    for (size_t lane = 0; lane < GGKI_SUM_LANES; lane++)
        sum = stir(sum ^ s->lanes[lane]);
    return sum;
}
