/* fmt.c - numbers to text and back, the same in every locale.
 *
 * Floats are written by Raffaello Giulietti's method (The Schubfach way to
 * render doubles, 2020). With v = c * 2^q, the decimals that read back as v
 * fill an interval half a unit in the last place to either side. k is chosen
 * such that the interval holds a multiple of 10^k, and at most one of 10^(k+1):
 * so the shortest decimal is that one, or else the multiple of 10^k nearest to
 * v. Each is found by one multiplication with a 128-bit power of ten, exact
 * enough to decide every case. Floats and doubles differ only in c and q.
 */
#include "out/fmt.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "out/pow10_table.h"

/* digits * 10^exponent */
struct decimal {
    uint64_t digits;
    int exponent;
};

/* What the bits of a float or double say: c * 2^q, or no such number. */
struct binary {
    uint64_t c;
    int q;
    bool negative;
    bool infinite;
    bool nan;
    bool lopsided; /* a power of two: its lower neighbour is twice as near */
};

static struct binary split_bits(uint64_t bits, int fraction_bits,
                                int exponent_bits)
{
    uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    int max = (1 << exponent_bits) - 1;
    int exponent = (int)(bits >> fraction_bits) & max;
    struct binary b = {0};

    b.negative = (bits >> (fraction_bits + exponent_bits)) != 0;
    b.infinite = exponent == max && fraction == 0;
    b.nan = exponent == max && fraction != 0;
    b.c = fraction;
    if (exponent > 0)
        b.c |= UINT64_C(1) << fraction_bits;
    b.q = (exponent > 0 ? exponent : 1) - max / 2 - fraction_bits;
    b.lopsided = fraction == 0 && exponent > 1;
    return b;
}

/* Logarithms of powers, rounded down; right for all exponents of a double
 * (tools/gen-pow10.py tries each). Compilers shift negative numbers as
 * division by a power of two, rounding down. */
static int log10_pow2(int q)
{
    return (q * 1262611) >> 22;
}

static int log10_three_quarters_pow2(int q)
{
    return (q * 1262611 - 524031) >> 22;
}

static int log2_pow10(int k)
{
    return (k * 1741647) >> 19;
}

static uint64_t multiply_high(uint64_t a, uint64_t b, uint64_t *low)
{
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32;
    uint64_t b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t mid = a1 * b0 + (a0 * b0 >> 32);
    uint64_t mid2 = a0 * b1 + (mid & UINT32_MAX);

    *low = a * b;
    return a1 * b1 + (mid >> 32) + (mid2 >> 32);
}

/* g * n / 2^128, its last bit set also if anything below it was lost. */
static uint64_t scale_to_odd(struct pow10 g, uint64_t n)
{
    uint64_t ignored, low;
    uint64_t carry = multiply_high(g.low, n, &ignored);
    uint64_t high = multiply_high(g.high, n, &low);

    low += carry;
    high += low < carry;
    return high | (low > 1);
}

/* The shortest decimal of a finite number that is not zero. */
static struct decimal shortest_decimal(const struct binary *b)
{
    unsigned odd = b->c & 1; /* halfway decimals read back as even numbers */
    int k = b->lopsided ? log10_three_quarters_pow2(b->q) : log10_pow2(b->q);
    int h = b->q + log2_pow10(-k) + 1;
    struct pow10 g = pow10_table[-k - POW10_FIRST];
    /* All times 4, so that the middle between two numbers is one, too. */
    uint64_t value = scale_to_odd(g, 4 * b->c << h);
    uint64_t lower = scale_to_odd(g, (4 * b->c - 2 + b->lopsided) << h) + odd;
    uint64_t upper = scale_to_odd(g, (4 * b->c + 2) << h) - odd;
    uint64_t s = value / 4;
    uint64_t t = s / 10;
    bool below, above;

    below = t > 0 && lower <= 40 * t;
    above = t > 0 && 40 * t + 40 <= upper;
    if (below != above)
        return (struct decimal){t + above, k + 1};
    below = lower <= 4 * s;
    above = 4 * s + 4 <= upper;
    if (below == above)
        above = value > 4 * s + 2 || (value == 4 * s + 2 && (s & 1) != 0);
    return (struct decimal){s + above, k};
}

static size_t put_digits(char *buf, uint64_t v)
{
    char reversed[20];
    size_t n = 0, i;

    do {
        reversed[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v != 0);
    for (i = 0; i < n; i++)
        buf[i] = reversed[n - 1 - i];
    return n;
}

static char *put_zeros(char *p, int n)
{
    memset(p, '0', (size_t)n);
    return p + n;
}

/* n digits, the first of them standing for 10^exponent: 12.0, 0.0012 */
static char *put_plain(char *p, const char *digits, int n, int exponent)
{
    int whole = exponent + 1; /* digits before the point */

    if (whole <= 0) {
        p = put_zeros(p, 1);
        *p++ = '.';
        p = put_zeros(p, -whole);
        memcpy(p, digits, (size_t)n);
        return p + n;
    }
    if (whole >= n) {
        memcpy(p, digits, (size_t)n);
        p = put_zeros(p + n, whole - n);
        *p++ = '.';
        return put_zeros(p, 1);
    }
    memcpy(p, digits, (size_t)whole);
    p += whole;
    *p++ = '.';
    memcpy(p, digits + whole, (size_t)(n - whole));
    return p + (n - whole);
}

/* So, but 1.2e-05 */
static char *put_scientific(char *p, const char *digits, int n, int exponent)
{
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);

    *p++ = digits[0];
    if (n > 1) {
        *p++ = '.';
        memcpy(p, digits + 1, (size_t)(n - 1));
        p += n - 1;
    }
    *p++ = 'e';
    *p++ = exponent < 0 ? '-' : '+';
    if (size < 10)
        *p++ = '0';
    return p + put_digits(p, size);
}

static size_t put_word(char *buf, const char *word)
{
    size_t n = strlen(word);

    memcpy(buf, word, n + 1);
    return n;
}

static size_t put_float(char *buf, const struct binary *b)
{
    struct decimal d = {0, 0};
    char digits[20];
    char *p = buf;
    int n, exponent;

    if (b->nan)
        return put_word(buf, "nan");
    if (b->negative)
        *p++ = '-';
    if (b->infinite)
        return (size_t)(p - buf) + put_word(p, "inf");
    if (b->c != 0)
        d = shortest_decimal(b);
    n = (int)put_digits(digits, d.digits);
    exponent = b->c != 0 ? d.exponent + n - 1 : 0;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    if (exponent < -4 || exponent >= 16)
        p = put_scientific(p, digits, n, exponent);
    else
        p = put_plain(p, digits, n, exponent);
    *p = '\0';
    assert(p - buf < FMT_BYTES);
    return (size_t)(p - buf);
}

size_t fmt_f64(char *buf, double v)
{
    struct binary b;
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    b = split_bits(bits, 52, 11);
    return put_float(buf, &b);
}

size_t fmt_f32(char *buf, float v)
{
    struct binary b;
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    b = split_bits(bits, 23, 8);
    return put_float(buf, &b);
}

size_t fmt_u64(char *buf, uint64_t v)
{
    size_t n = put_digits(buf, v);

    buf[n] = '\0';
    return n;
}

size_t fmt_i64(char *buf, int64_t v)
{
    if (v >= 0)
        return fmt_u64(buf, (uint64_t)v);
    buf[0] = '-';
    return 1 + fmt_u64(buf + 1, 0 - (uint64_t)v);
}

/* `n` digits of `v`, zeros in front. */
static char *put_padded(char *p, uint64_t v, unsigned n)
{
    unsigned i;

    for (i = n; i-- > 0; v /= 10)
        p[i] = (char)('0' + v % 10);
    return p + n;
}

size_t fmt_short(char *buf, double v)
{
    if (!isfinite(v))
        return fmt_f64(buf, v);
    /* Nobody sets a locale, so that the point is one. */
    return (size_t)snprintf(buf, FMT_BYTES, "%.4g", v);
}

size_t fmt_fixed(char *buf, double v, unsigned decimals)
{
    static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    const double two_64 = 18446744073709551616.0;
    const uint64_t half = UINT64_C(1) << 63;
    uint64_t whole, digits, left;
    char *p = buf;

    assert(decimals <= 6);
    if (!(v > -1e15 && v < 1e15))
        return fmt_f64(buf, v);
    if (v < 0) {
        *p++ = '-';
        v = -v;
    }
    /* The fraction in units of 2^-64: exact, unless v is tiny. */
    whole = (uint64_t)v;
    left = (uint64_t)((v - (double)whole) * two_64);
    digits = multiply_high(left, powers[decimals], &left);
    if (left > half || (left == half && ((decimals > 0 ? digits : whole) & 1)))
        digits++;
    if (digits == powers[decimals]) {
        digits = 0;
        whole++;
    }
    p += put_digits(p, whole);
    if (decimals > 0) {
        *p++ = '.';
        p = put_padded(p, digits, decimals);
    }
    *p = '\0';
    return (size_t)(p - buf);
}

size_t fmt_size(char *buf, uint64_t bytes)
{
    static const char units[] = "KMGTPE";
    double shown = (double)bytes / 1024;
    size_t unit = 0, n;

    if (bytes < 1024) {
        n = fmt_u64(buf, bytes);
        return n + put_word(buf + n, bytes == 1 ? " byte" : " bytes");
    }
    while (shown >= 1023.995) { /* it would be written as 1024.00 */
        shown /= 1024;
        unit++;
    }
    n = fmt_fixed(buf, shown, 2);
    buf[n++] = ' ';
    buf[n++] = units[unit];
    return n + put_word(buf + n, "iB");
}

size_t fmt_percent(char *buf, uint64_t part, uint64_t whole)
{
    double share = whole == 0 ? 0 : 100 * ((double)part / (double)whole);
    size_t n = fmt_fixed(buf, share, 1);

    return n + put_word(buf + n, "%");
}

static size_t put_parts(char *buf, uint64_t a, const char *unit_a, uint64_t b,
                        const char *unit_b)
{
    size_t n = fmt_u64(buf, a);

    n += put_word(buf + n, unit_a);
    n += fmt_u64(buf + n, b);
    return n + put_word(buf + n, unit_b);
}

size_t fmt_duration(char *buf, double seconds)
{
    uint64_t s = seconds < 1e9 ? (uint64_t)seconds : 1000000000;
    size_t n;

    if (s >= 3600)
        return put_parts(buf, s / 3600, " h ", s % 3600 / 60, " min");
    if (s >= 60)
        return put_parts(buf, s / 60, " min ", s % 60, " s");
    n = fmt_fixed(buf, seconds, 1);
    return n + put_word(buf + n, " s");
}

/* The digits at *s, which moves behind them. */
static enum fmt_parsed take_digits(const char **s, uint64_t *out)
{
    enum fmt_parsed result = FMT_PARSED;
    const char *p = *s;
    uint64_t v = 0;

    for (; *p >= '0' && *p <= '9'; p++) {
        unsigned digit = (unsigned)(*p - '0');

        if (v > (UINT64_MAX - digit) / 10)
            result = FMT_TOO_BIG;
        v = 10 * v + digit;
    }
    if (p == *s)
        return FMT_JUNK;
    *s = p;
    *out = v;
    return result;
}

enum fmt_parsed fmt_parse_u64(const char *s, uint64_t *out)
{
    uint64_t v = 0;
    enum fmt_parsed result = take_digits(&s, &v);

    if (*s != '\0')
        return FMT_JUNK;
    if (result == FMT_PARSED)
        *out = v;
    return result;
}

/* What a suffix multiplies by, or 0. */
static uint64_t unit_factor(const char *suffix)
{
    static const char letters[] = "KMGT";
    const char *letter;
    uint64_t step, factor = 1;
    int i;

    if (suffix[0] == '\0')
        return 1;
    letter = strchr(letters, suffix[0] == 'k' ? 'K' : suffix[0]);
    if (letter == NULL)
        return 0;
    if (suffix[1] == '\0')
        step = 1000;
    else if (strcmp(suffix + 1, "i") == 0 || strcmp(suffix + 1, "iB") == 0)
        step = 1024;
    else
        return 0;
    for (i = 0; i <= letter - letters; i++)
        factor *= step;
    return factor;
}

enum fmt_parsed fmt_parse_size(const char *s, uint64_t *out)
{
    uint64_t v = 0, factor;
    enum fmt_parsed result = take_digits(&s, &v);

    factor = unit_factor(s);
    if (result == FMT_JUNK || factor == 0)
        return FMT_JUNK;
    if (result == FMT_TOO_BIG || v > UINT64_MAX / factor)
        return FMT_TOO_BIG;
    *out = v * factor;
    return FMT_PARSED;
}
