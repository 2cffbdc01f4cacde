/* grid_lists.c - which points of a grid are near a combination of levels that
 * is none of them.
 *
 * There are hundreds of thousands, which follow from the points in some
 * milliseconds: they are made when a grid is used first, and never change. This
 * is the only memory of the library that is not constant.
 */
#include "kern/grids.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum {
    CODES_8 = 6561, /* 3^8 */
    CODES_4 = 4096, /* 8^4 */
    HALF_8 = 81,    /* 3^4: codes of half of the numbers */
    HALF_4 = 64,
    POINTS_MAX = 2048,
    TOO_FAR = 63,   /* all points that are near are nearer */
    READ_PAST = 16, /* entries are read 16 at once */
    PLACES_IQ2_XXS = CODES_8,
    PLACES_IQ2_XS = 2 * CODES_8,
    PLACES_IQ2_S = 3 * CODES_8,
    PLACES_IQ3_XXS = 4 * CODES_8,
    PLACES_IQ3_S = 4 * CODES_8 + CODES_4,
    PLACES = 4 * CODES_8 + 2 * CODES_4,
    /* Combinations that are no points, and points near them. */
    LISTS_IQ1 = 4513 + 327721,
    LISTS_IQ2_XXS = 6305 + 113157,
    LISTS_IQ2_XS = 6049 + 181721,
    LISTS_IQ2_S = 5537 + 44716,
    LISTS_IQ3_XXS = 3840 + 18985,
    LISTS_IQ3_S = 3584 + 24733,
    AT_IQ2_XXS = LISTS_IQ1,
    AT_IQ2_XS = AT_IQ2_XXS + LISTS_IQ2_XXS,
    AT_IQ2_S = AT_IQ2_XS + LISTS_IQ2_XS,
    AT_IQ3_XXS = AT_IQ2_S + LISTS_IQ2_S,
    AT_IQ3_S = AT_IQ3_XXS + LISTS_IQ3_XXS,
};

static int32_t places[PLACES];
static uint16_t lists[AT_IQ3_S + LISTS_IQ3_S + READ_PAST];
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool made[GGKI_GRIDS];

static const struct ggki_grid grids[GGKI_GRIDS] = {
    [GGKI_GRID_IQ1] = {ggki_points_iq1, 2048, 8, 2, 3, 3, places, lists},
    [GGKI_GRID_IQ2_XXS] = {ggki_points_iq2_xxs, 256, 8, 2, 3, 2,
                           places + PLACES_IQ2_XXS, lists + AT_IQ2_XXS},
    [GGKI_GRID_IQ2_XS] = {ggki_points_iq2_xs, 512, 8, 2, 3, 2,
                          places + PLACES_IQ2_XS, lists + AT_IQ2_XS},
    [GGKI_GRID_IQ2_S] = {ggki_points_iq2_s, 1024, 8, 2, 3, 1,
                         places + PLACES_IQ2_S, lists + AT_IQ2_S},
    [GGKI_GRID_IQ3_XXS] = {ggki_points_iq3_xxs, 256, 4, 3, 8, 2,
                           places + PLACES_IQ3_XXS, lists + AT_IQ3_XXS},
    [GGKI_GRID_IQ3_S] = {ggki_points_iq3_s, 512, 4, 3, 8, 3,
                         places + PLACES_IQ3_S, lists + AT_IQ3_S},
};

/* A grid in the making. Distances are squares. A code is two halves, of which
 * each has its own; the points are in the order of their codes, so those with
 * the same high half are side by side. */
struct maker {
    const struct ggki_grid *grid;
    unsigned half;                 /* codes of half of the numbers */
    uint8_t apart[HALF_8][HALF_8]; /* between halves */
    uint8_t low[POINTS_MAX];       /* halves of the points' codes */
    uint16_t first[HALF_8 + 1];    /* point with that high half, or a higher */
    /* By a low half, then by the high half of points: bit i is set if one of
     * these has a low half that is i apart. */
    uint64_t reach[HALF_8][HALF_8];
};

static uint8_t distance(const struct ggki_grid *g, unsigned a, unsigned b)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < g->dims / 2; i++) {
        unsigned first = a % g->radix;
        unsigned second = b % g->radix;

        sum += (first - second) * (first - second);
        a /= g->radix;
        b /= g->radix;
    }
    return (uint8_t)(sum < TOO_FAR ? sum : TOO_FAR);
}

static void reach_point(struct maker *m, unsigned low, unsigned high)
{
    for (unsigned from = 0; from < m->half; from++)
        if (m->apart[from][low] < TOO_FAR)
            m->reach[from][high] |= (uint64_t)1 << m->apart[from][low];
}

static void begin(struct maker *m, const struct ggki_grid *g, int32_t *place)
{
    memset(m, 0, sizeof *m);
    m->grid = g;
    m->half = g->dims == 8 ? HALF_8 : HALF_4;
    for (unsigned a = 0; a < m->half; a++)
        for (unsigned b = 0; b < m->half; b++)
            m->apart[a][b] = distance(g, a, b);
    for (unsigned code = 0; code < m->half * m->half; code++)
        place[code] = -1;
    for (size_t i = 0; i < g->n; i++) {
        unsigned code = grid_code(g, g->points[i]);
        unsigned high = code / m->half;

        place[code] = (int32_t)i;
        m->low[i] = (uint8_t)(code % m->half);
        m->first[high + 1] = (uint16_t)(i + 1);
        reach_point(m, m->low[i], high);
    }
    for (unsigned high = 0; high < m->half; high++)
        if (m->first[high + 1] < m->first[high])
            m->first[high + 1] = m->first[high];
}

/* Bit i is set if a point is i apart from a code, for i < TOO_FAR. */
static uint64_t distances_from(const struct maker *m, unsigned low,
                               unsigned high)
{
    uint64_t all = 0;

    for (unsigned h = 0; h < m->half; h++)
        all |= m->reach[low][h] << m->apart[high][h];
    return all;
}

/* The points that are so far from a code; returns how many. */
static size_t put_shell(const struct maker *m, unsigned low, unsigned high,
                        unsigned shell, uint16_t *list)
{
    size_t n = 0;

    for (unsigned h = 0; h < m->half; h++) {
        unsigned left = shell - m->apart[high][h];

        if (left > shell || (m->reach[low][h] >> left & 1) == 0)
            continue;
        for (unsigned i = m->first[h]; i < m->first[h + 1]; i++)
            if (m->apart[low][m->low[i]] == left)
                list[n++] = m->grid->points[i];
    }
    return n;
}

/* The number of points near a code that is none, and these; returns how many
 * entries that are. */
static size_t put_list(const struct maker *m, unsigned low, unsigned high,
                       uint16_t *list)
{
    uint64_t distances = distances_from(m, low, high);
    unsigned shell = 0; /* at no distance there is no point */
    size_t n = 1;

    for (unsigned k = 0; k < m->grid->shells; k++) {
        do
            shell++;
        while ((distances >> shell & 1) == 0);
        n += put_shell(m, low, high, shell, list + n);
    }
    list[0] = (uint16_t)(n - 1);
    return n;
}

static void make(const struct ggki_grid *g)
{
    int32_t *place = places + (g->places - places);
    uint16_t *list = lists + (g->lists - lists);
    struct maker m;
    size_t at = 0;

    begin(&m, g, place);
    for (unsigned high = 0; high < m.half; high++)
        for (unsigned low = 0; low < m.half; low++, place++)
            if (*place < 0) {
                *place = ~(int32_t)at;
                at += put_list(&m, low, high, list + at);
            }
}

const struct ggki_grid *ggki_grid_of(enum ggki_grid_id id)
{
    if (!atomic_load_explicit(&made[id], memory_order_acquire)) {
        pthread_mutex_lock(&making);
        if (!atomic_load_explicit(&made[id], memory_order_relaxed)) {
            make(&grids[id]);
            atomic_store_explicit(&made[id], true, memory_order_release);
        }
        pthread_mutex_unlock(&making);
    }
    return &grids[id];
}

const struct ggki_grid *ggki_grid_points(enum ggki_grid_id id)
{
    return &grids[id];
}
