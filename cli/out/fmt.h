/* fmt.h - numbers to text and back, the same in every locale. */
#ifndef CLI_OUT_FMT_H
#define CLI_OUT_FMT_H

#include <stddef.h>
#include <stdint.h>

/* Every fmt_ function writes at most this many bytes, its NUL included, and
 * returns the length without it. */
#define FMT_BYTES 32

/* fmt_f64 - as Python's repr(float): the shortest digits that read back as the
 * same double, the nearest of them to it; scientific below 1e-4 and from 1e16
 * on: "0.1", "1.0", "1e-05", "9.999999747378752e-06", "1e+16", "nan", "-inf".
 * fmt_f32 - so, but with the shortest digits that read back as that float. */
size_t fmt_f64(char *buf, double v);
size_t fmt_f32(char *buf, float v);

size_t fmt_u64(char *buf, uint64_t v);
size_t fmt_i64(char *buf, int64_t v);

/* fmt_plural - the end of a word that counts `n`: "byte" or "bytes". */
static inline const char *fmt_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* fmt_size - binary units: "896 bytes", "30.43 MiB". */
size_t fmt_size(char *buf, uint64_t bytes);

/* fmt_duration - how long something took: "1.3 s", "3 min 5 s", "2 h 5 min". */
size_t fmt_duration(char *buf, double seconds);

/* fmt_percent - "12.3%" for part of whole; "0.0%" of nothing. */
size_t fmt_percent(char *buf, uint64_t part, uint64_t whole);

/* fmt_short - v with four digits that count, for people: "0.01234", "1.2e-05",
 * "12", "nan". */
size_t fmt_short(char *buf, double v);

/* fmt_fixed - v with `decimals` (up to 6) digits after the point, halves to
 * even; numbers of 1e15 and more, nan and inf as by fmt_f64. */
size_t fmt_fixed(char *buf, double v, unsigned decimals);

enum fmt_parsed {
    FMT_PARSED,
    FMT_JUNK,   /* not a number of that form */
    FMT_TOO_BIG /* one, but past 2^64-1 */
};

/* fmt_parse_u64 - the whole of `s` as decimal digits.
 * fmt_parse_size - so, with K M G T (powers of 1000) or Ki Mi Gi Ti (of 1024;
 *   KiB is Ki)
 * behind; k is K. Both set *out only when they return FMT_PARSED. */
enum fmt_parsed fmt_parse_u64(const char *s, uint64_t *out);
enum fmt_parsed fmt_parse_size(const char *s, uint64_t *out);

#endif
