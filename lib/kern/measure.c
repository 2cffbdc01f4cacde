/* measure.c - what runs of numbers are like, and how far two of them are from
 * each other. */
#include "kern/measure.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kern/measure_loops.h"
#include "kern/x86/x86.h"

/* -------------------------------------------------------------------- loops */

static int32_t bits_of(float x)
{
    int32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* As integers, floats are in order but for those that are negative. */
static int32_t ordered(float x)
{
    int32_t bits = bits_of(x);

    return bits < 0 ? bits ^ INT32_MAX : bits;
}

static float float_of(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static float unordered(int32_t bits)
{
    return float_of((uint32_t)(bits < 0 ? bits ^ INT32_MAX : bits));
}

static void find_range(const float *x, size_t n, double *min, double *max)
{
    int32_t low = INT32_MAX, high = INT32_MIN;

    for (size_t i = 0; i < n; i++) {
        int32_t bits = ordered(x[i]);

        low = bits < low ? bits : low;
        high = bits > high ? bits : high;
    }
    *min = (double)unordered(low);
    *max = (double)unordered(high);
}

/* Of the differences from `from`. */
static void add_up(const float *x, size_t n, double from,
                   struct ggki_sight *out)
{
    double sums[GGKI_LANES] = {0}, squares[GGKI_LANES] = {0};

    for (size_t i = 0; i < n / GGKI_LANES; i++) {
        const float *at = x + i * GGKI_LANES;

        for (int k = 0; k < GGKI_LANES; k++) {
            double d = (double)at[k] - from;

            sums[k] += d;
            squares[k] += d * d;
        }
    }
    memcpy(out->sums, sums, sizeof sums);
    memcpy(out->squares, squares, sizeof squares);
}

/* What has no order needs no lanes. */
static void look(const float *x, size_t n, struct ggki_sight *out)
{
    uint32_t lowest = 0, zeros = 0;
    int32_t highest = INT32_MIN;

    for (size_t i = 0; i < n; i++) {
        int32_t bits = bits_of(x[i]);

        lowest = (uint32_t)bits > lowest ? (uint32_t)bits : lowest;
        highest = bits > highest ? bits : highest;
        zeros += x[i] == 0;
    }
    for (int k = 0; k < GGKI_LANES; k++) {
        out->lowest[k] = lowest;
        out->highest[k] = highest;
        out->zeros[k] = k == 0 ? zeros : 0;
    }
    add_up(x, n, 0, out);
}

static uint8_t bin_of(float x, float scale)
{
    return (uint8_t)(GGKI_BINS / 2 + (int32_t)(x * scale) - (x < 0));
}

/* Of fewer than 256, so that compilers count in bytes. */
static uint8_t count_equal(const uint8_t *bins, size_t n, uint8_t bin)
{
    uint8_t equal = 0;

    for (size_t i = 0; i < n; i++)
        equal = (uint8_t)(equal + (bins[i] == bin));
    return equal;
}

static void count(const float *x, float scale, uint8_t *bins, uint64_t *counts)
{
    enum { PART = 128, PARTS = GGKI_COUNTED_AT_ONCE / PART };
    uint8_t low = UINT8_MAX, high = 0;

    for (size_t i = 0; i < GGKI_COUNTED_AT_ONCE; i++)
        bins[i] = bin_of(x[i], scale);
    for (size_t i = 0; i < GGKI_COUNTED_AT_ONCE; i++) {
        low = bins[i] < low ? bins[i] : low;
        high = bins[i] > high ? bins[i] : high;
    }
    for (unsigned bin = low; bin <= high; bin++)
        for (size_t i = 0; i < PARTS; i++)
            counts[bin] += count_equal(bins + i * PART, PART, (uint8_t)bin);
}

static const struct ggki_loops loops = {look, count, compare};

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

/* Those that do not fill the lanes. */
static void look_at_rest(struct ggki_sight *s, const float *x, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        int32_t bits = bits_of(x[k]);
        double d = (double)x[k];

        s->highest[k] = bits > s->highest[k] ? bits : s->highest[k];
        s->lowest[k] =
            (uint32_t)bits > s->lowest[k] ? (uint32_t)bits : s->lowest[k];
        s->zeros[k] += x[k] == 0;
        s->sums[k] += d;
        s->squares[k] += d * d;
    }
}

/* Numbers of one sign alone need a second pass. A zero has no sign. */
static void set_range(struct ggki_moments *m, const struct ggki_sight *s,
                      const float *x, size_t n)
{
    uint32_t lowest = s->lowest[0];
    int32_t highest = s->highest[0];

    for (int k = 1; k < GGKI_LANES; k++) {
        lowest = s->lowest[k] > lowest ? s->lowest[k] : lowest;
        highest = s->highest[k] > highest ? s->highest[k] : highest;
    }
    if (lowest > INT32_MAX && highest >= 0) {
        m->min = (double)float_of(lowest);
        m->max = (double)float_of((uint32_t)highest);
    } else {
        find_range(x, n, &m->min, &m->max);
    }
    m->min += 0.0;
    m->max += 0.0;
}

/* Once more, of what lies between the numbers and their mean. */
static void add_from_mean(struct ggki_moments *m, const float *x, size_t n)
{
    struct ggki_sight s;
    double sum;

    add_up(x, whole_lanes(n), m->mean, &s);
    for (size_t i = whole_lanes(n), k = 0; i < n; i++, k++) {
        double d = (double)x[i] - m->mean;

        s.sums[k] += d;
        s.squares[k] += d * d;
    }
    sum = sum_of(s.sums);
    m->mean += sum / (double)n;
    m->squares = fmax(sum_of(s.squares) - sum * (sum / (double)n), 0);
}

/* Squares of floats are exact in double precision. What is lost where their sum
 * cancels is little as long as half of it is left; only numbers that are far
 * from zero, beside their deviation, need a second pass. */
bool ggki_moments_add(struct ggki_moments *m, const struct ggki_loops *l,
                      const float *x, size_t n)
{
    struct ggki_moments part = {.n = n};
    struct ggki_sight s;
    double sum, squares;

    if (n == 0)
        return true;
    l->look(x, whole_lanes(n), &s);
    look_at_rest(&s, x + whole_lanes(n), n - whole_lanes(n));
    sum = sum_of(s.sums);
    squares = sum_of(s.squares);
    if (!isfinite(squares))
        return false;
    for (int k = 0; k < GGKI_LANES; k++)
        part.n_zero += s.zeros[k];
    set_range(&part, &s, x, n);
    part.mean = sum / (double)n;
    part.squares = squares - sum * part.mean;
    if (part.squares < squares / 2)
        add_from_mean(&part, x, n);
    ggki_moments_merge(m, &part);
    return true;
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

enum { HALF = GGKI_BINS / 2, HALF_BITS = 5 };

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

/* What is next to each other is alike: it is counted how many numbers are in an
 * interval, for each from that of the least to that of the largest, which are
 * few. To increase a count for each number takes longer, most of all if they
 * are few: then it has to wait for the one before. */
void ggki_histogram_add(struct ggki_histogram *h, const struct ggki_loops *l,
                        const float *x, size_t n, float most)
{
    uint8_t bins[GGKI_COUNTED_AT_ONCE];
    size_t i = 0;
    float scale;

    if (n == 0)
        return;
    widen(h, steps_for((double)most));
    scale = ldexpf(1, -(GGKI_LEAST_EXPONENT + h->steps));
    for (; n - i >= GGKI_COUNTED_AT_ONCE; i += GGKI_COUNTED_AT_ONCE)
        l->count(x + i, scale, bins, h->bins);
    for (; i < n; i++)
        h->bins[bin_of(x[i], scale)]++;
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
