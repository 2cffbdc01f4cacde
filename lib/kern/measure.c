/* measure.c - what runs of numbers are like, and how far two of them are from
 * each other. */
#include "kern/measure.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kern/measure_loops.h"
#include "kern/x86/x86.h"

const struct ggki_loops *ggki_loops_of(enum ggki_isa isa)
{
    const struct ggki_loops *avx2 = ggki_loops_avx2();

    return isa >= GGKI_ISA_AVX2 && avx2 != NULL ? avx2 : &loops;
}

static double sum_of(const double lanes[GGKI_LANES])
{
    double sum = 0;

    for (int k = 0; k < GGKI_LANES; k++)
        sum += lanes[k];
    return sum;
}

static size_t whole_lanes(size_t n)
{
    return n - n % GGKI_LANES;
}

/* ------------------------------------------------------------------ doubles */

/* Their squares have no room in a double: so they are taken in parts of a power
 * of two that is larger than all of them. That of nothing is below all. */
enum { NO_SIZE = -1100 };

static int64_t exponent_of(const double *x, size_t n)
{
    double most = 0;
    int exponent;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    if (most == 0)
        return NO_SIZE;
    (void)frexp(fmin(most, DBL_MAX), &exponent);
    return exponent;
}

static double scaled(double x, int64_t exponent)
{
    return ldexp(x, (int)-exponent);
}

/* ------------------------------------------------------------------ moments */

/* Summed is what lies between the numbers and the first of them, which is as
 * good as the mean to keep the sum of squares from cancelling, and needs no
 * pass of its own. */
void ggki_moments_add(struct ggki_moments *m, const struct ggki_loops *l,
                      const float *x, size_t n)
{
    struct ggki_moments part = {.n = n};
    struct ggki_range range;
    struct ggki_sums sums;
    double first, sum;

    if (n == 0)
        return;
    first = (double)x[0];
    l->find_range(x, n, &range);
    l->add_up(x, whole_lanes(n), first, &sums);
    for (size_t i = whole_lanes(n), k = 0; i < n; i++, k++) {
        double d = (double)x[i] - first;

        sums.sums[k] += d;
        sums.squares[k] += d * d;
    }
    sum = sum_of(sums.sums);
    part.n_zero = range.n_zero;
    part.min = (double)range.min;
    part.max = (double)range.max;
    part.mean = first + sum / (double)n;
    part.squares = fmax(sum_of(sums.squares) - sum * (sum / (double)n), 0);
    ggki_moments_merge(m, &part);
}

void ggki_moments_add_doubles(struct ggki_moments *m, const double *x, size_t n)
{
    struct ggki_moments part = {.n = n, .exponent = exponent_of(x, n)};
    double first, sum = 0, squares = 0;

    if (n == 0)
        return;
    part.min = part.max = x[0];
    first = scaled(x[0], part.exponent);
    for (size_t i = 0; i < n; i++) {
        double d = scaled(x[i], part.exponent) - first;

        part.min = x[i] < part.min ? x[i] : part.min;
        part.max = x[i] > part.max ? x[i] : part.max;
        part.n_zero += x[i] == 0;
        sum += d;
        squares += d * d;
    }
    part.mean = first + sum / (double)n;
    part.squares = fmax(squares - sum * (sum / (double)n), 0);
    ggki_moments_merge(m, &part);
}

static struct ggki_moments moments_at(const struct ggki_moments *m,
                                      int64_t exponent)
{
    struct ggki_moments out = *m;

    out.mean = scaled(m->mean, exponent - m->exponent);
    out.squares = scaled(m->squares, 2 * (exponent - m->exponent));
    out.exponent = exponent;
    return out;
}

void ggki_moments_merge(struct ggki_moments *m, const struct ggki_moments *b)
{
    int64_t exponent = m->exponent > b->exponent ? m->exponent : b->exponent;
    struct ggki_moments other;
    double n = (double)m->n + (double)b->n, apart;

    if (b->n == 0)
        return;
    if (m->n == 0) {
        *m = *b;
        return;
    }
    *m = moments_at(m, exponent);
    other = moments_at(b, exponent);
    apart = other.mean - m->mean;
    m->min = b->min < m->min ? b->min : m->min;
    m->max = b->max > m->max ? b->max : m->max;
    m->mean += apart * ((double)b->n / n);
    m->squares +=
        other.squares + apart * apart * ((double)m->n / n) * (double)b->n;
    m->n += b->n;
    m->n_zero += b->n_zero;
}

/* ---------------------------------------------------------------- histogram */

enum { HALF = GGKI_BINS / 2, HALF_BITS = 5, BIN_BITS = 6 };

/* Of the intervals in which a number of that size has room. */
static int steps_for(double most)
{
    int exponent;

    if (most == 0)
        return 0;
    (void)frexp(most, &exponent); /* most < 2^exponent */
    exponent -= HALF_BITS + GGKI_LEAST_EXPONENT;
    return exponent > 0 ? exponent : 0;
}

/* Make intervals that are not narrower: of neighbours on either side of zero
 * two become one, from the middle on. */
static void widen(struct ggki_histogram *h, int steps)
{
    if (!h->begun)
        h->steps = steps;
    h->begun = true;
    for (; h->steps < steps; h->steps++)
        for (int i = 0; i < HALF; i++) {
            uint64_t *low = &h->bins[HALF - 1 - i], *high = &h->bins[HALF + i];
            bool some = 2 * i < HALF;

            *low = some ? low[-i] + low[-i - 1] : 0;
            *high = some ? high[i] + high[i + 1] : 0;
        }
}

/* Which of a pair is the first does not matter, nor in which order bytes are.
 */
static void count_pairs(struct ggki_counter *c, size_t n)
{
    for (size_t i = 0; i < n; i += 2)
        c->pairs[c->bins[i] << BIN_BITS | c->bins[i + 1]]++;
    c->some = true;
}

static void count_each(struct ggki_histogram *h, const uint8_t *bins, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h->bins[bins[i]]++;
}

void ggki_histogram_empty(struct ggki_histogram *h,
                          struct ggki_counter *counter)
{
    const uint32_t *pair = counter->pairs;

    if (!counter->some)
        return;
    counter->some = false;
    for (int i = 0; i < GGKI_BINS; i++)
        for (int k = 0; k < GGKI_BINS; k++, pair++) {
            h->bins[i] += *pair;
            h->bins[k] += *pair;
        }
    memset(counter->pairs, 0, sizeof counter->pairs);
}

void ggki_histogram_add(struct ggki_histogram *h, struct ggki_counter *counter,
                        const struct ggki_loops *l, const float *x, size_t n,
                        float most)
{
    int steps = steps_for((double)most);
    float scale;

    if (n == 0)
        return;
    if (steps > h->steps)
        ggki_histogram_empty(h, counter);
    widen(h, steps);
    scale = ldexpf(1, -(GGKI_LEAST_EXPONENT + h->steps));
    for (size_t i = 0, part; i < n; i += part) {
        part = n - i < GGKI_COUNTED_AT_ONCE ? n - i : GGKI_COUNTED_AT_ONCE;
        l->find_bins(x + i, part, scale, counter->bins);
        if (part == GGKI_COUNTED_AT_ONCE)
            count_pairs(counter, part);
        else
            count_each(h, counter->bins, part);
    }
}

void ggki_histogram_add_doubles(struct ggki_histogram *h, const double *x,
                                size_t n, double most)
{
    double scale;

    if (n == 0)
        return;
    widen(h, steps_for(most));
    scale = ldexp(1, -(GGKI_LEAST_EXPONENT + h->steps));
    for (size_t i = 0; i < n; i++)
        h->bins[HALF + (int)(x[i] * scale) - (x[i] < 0)]++;
}

void ggki_histogram_merge(struct ggki_histogram *h,
                          const struct ggki_histogram *b)
{
    struct ggki_histogram other = *b;

    if (!b->begun)
        return;
    widen(h, b->steps);
    widen(&other, h->steps);
    for (int i = 0; i < GGKI_BINS; i++)
        h->bins[i] += other.bins[i];
}

/* ----------------------------------------------------------------- distance */

static double distance(float a, float b)
{
    return fabs((double)a - (double)b);
}

static void note_farthest(struct ggki_distance *d, const float *a,
                          const float *b, size_t n, uint64_t at, double max)
{
    size_t i = 0;

    if (!(max > d->max))
        return;
    while (i < n && distance(a[i], b[i]) < max)
        i++;
    d->max = max;
    d->max_at = at + i;
}

/* The pairs that do not fill the lanes. */
static void add_rest(struct ggki_products *p, const float *a, const float *b,
                     size_t n)
{
    for (size_t k = 0; k < n; k++) {
        double x = (double)a[k], y = (double)b[k], apart = fabs(x - y);

        p->aa[k] += x * x;
        p->bb[k] += y * y;
        p->ab[k] += x * y;
        p->squares[k] += apart * apart;
        p->most[k] = apart > p->most[k] ? apart : p->most[k];
    }
}

void ggki_distance_add(struct ggki_distance *d, const struct ggki_loops *l,
                       const float *a, const float *b, size_t n, uint64_t at)
{
    size_t whole = whole_lanes(n);
    struct ggki_products p;
    double most = 0;
    uint64_t differ = 0;

    for (size_t i = 0; i < n; i++)
        differ += a[i] != b[i];
    l->compare(a, b, whole, &p);
    add_rest(&p, a + whole, b + whole, n - whole);
    for (int k = 0; k < GGKI_LANES; k++)
        most = p.most[k] > most ? p.most[k] : most;
    d->n_differ += differ;
    d->squares += sum_of(p.squares);
    d->squares_a += sum_of(p.aa);
    d->squares_b += sum_of(p.bb);
    d->products += sum_of(p.ab);
    note_farthest(d, a, b, n, at, most);
}

void ggki_distance_add_doubles(struct ggki_distance *d, const double *a,
                               const double *b, const double *apart, size_t n,
                               uint64_t at)
{
    struct ggki_distance part = {.exponent = exponent_of(apart, n),
                                 .exponent_a = exponent_of(a, n),
                                 .exponent_b = exponent_of(b, n)};

    for (size_t i = 0; i < n; i++) {
        double x = scaled(a[i], part.exponent_a),
               y = scaled(b[i], part.exponent_b),
               z = scaled(apart[i], part.exponent);

        part.n_differ += apart[i] != 0;
        part.squares += z * z;
        part.squares_a += x * x;
        part.squares_b += y * y;
        part.products += x * y;
        if (apart[i] > part.max) {
            part.max = apart[i];
            part.max_at = at + i;
        }
    }
    ggki_distance_merge(d, &part);
}

/* In parts of what both have room for: a sum of nothing has it anywhere. */
static int64_t common(int64_t a, double sum_a, int64_t b, double sum_b)
{
    if (sum_a == 0)
        return b;
    return sum_b == 0 || a > b ? a : b;
}

/* The same, in parts of the powers that `like` has. */
static struct ggki_distance distance_like(const struct ggki_distance *d,
                                          const struct ggki_distance *like)
{
    int64_t apart = like->exponent - d->exponent,
            of_a = like->exponent_a - d->exponent_a,
            of_b = like->exponent_b - d->exponent_b;
    struct ggki_distance out = *d;

    out.exponent = like->exponent;
    out.exponent_a = like->exponent_a;
    out.exponent_b = like->exponent_b;
    out.squares = scaled(d->squares, 2 * apart);
    out.squares_a = scaled(d->squares_a, 2 * of_a);
    out.squares_b = scaled(d->squares_b, 2 * of_b);
    out.products = scaled(d->products, of_a + of_b);
    return out;
}

void ggki_distance_merge(struct ggki_distance *d, const struct ggki_distance *b)
{
    const struct ggki_distance both = {
        .exponent = common(d->exponent, d->squares, b->exponent, b->squares),
        .exponent_a =
            common(d->exponent_a, d->squares_a, b->exponent_a, b->squares_a),
        .exponent_b =
            common(d->exponent_b, d->squares_b, b->exponent_b, b->squares_b)};
    struct ggki_distance other = distance_like(b, &both);

    *d = distance_like(d, &both);
    d->n_differ += b->n_differ;
    d->squares += other.squares;
    d->squares_a += other.squares_a;
    d->squares_b += other.squares_b;
    d->products += other.products;
    if (b->max > d->max) {
        d->max = b->max;
        d->max_at = b->max_at;
    }
}
