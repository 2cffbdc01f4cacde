/* suspects.c - what the bytes of a tensor tell of downloads that broke off, and
 * of bits that flipped.
 *
 * All of it is to keep up with reading: of zero bytes only one word in each
 * STRIDE is looked at, as long as it is not zero; of numbers only exponents.
 */
#include "ops/suspects.h"

#include <string.h>

#include "base/load.h"
#include "base/str.h"
#include "base/type_ids.h"
#include "ops/numbers.h"

/* ------------------------------------------------------------------ tensors */

static bool contains(ggk_str name, const char *part)
{
    size_t n = strlen(part);

    for (size_t i = 0; n <= name.len && i <= name.len - n; i++)
        if (memcmp(name.ptr + i, part, n) == 0)
            return true;
    return false;
}

/* What is for the kinds of tokens is zeros where there is one kind. */
bool ggki_is_weight(const ggk_tensor *t, const ggk_type_info *type)
{
    static const char ending[] = ".weight";
    const size_t n = sizeof ending - 1;
    ggk_str name = t->name;

    return (type->flags & GGK_TYPE_INTEGER) == 0 && t->ne[0] > 1 &&
           t->n_elements / t->ne[0] > 1 && name.len > n &&
           memcmp(name.ptr + name.len - n, ending, n) == 0 &&
           !contains(name, "norm") && !contains(name, "token_types");
}

bool ggki_is_of_tokens(ggk_str name)
{
    return contains(name, "embd") || ggki_str_is(name, "output.weight");
}

/* -------------------------------------------------------------------- zeros */

/* A run of GGKI_ZEROS_LEAST has one of these in it, wherever it begins. */
#define STRIDE (GGKI_ZEROS_LEAST / 2)

static bool is_zero_word(const uint8_t *p)
{
    return load_le64(p) == 0;
}

static size_t zeros_from(const uint8_t *p, size_t n)
{
    size_t i = 0;

    while (n - i >= 8 && is_zero_word(p + i))
        i += 8;
    while (i < n && p[i] == 0)
        i++;
    return i;
}

static size_t zeros_before(const uint8_t *p, size_t n)
{
    size_t i = 0;

    while (n - i >= 8 && is_zero_word(p + n - i - 8))
        i += 8;
    while (i < n && p[n - i - 1] == 0)
        i++;
    return i;
}

static void note_run(struct ggki_zeros *z, uint64_t at, uint64_t n)
{
    if (n < GGKI_ZEROS_LEAST || n <= z->longest)
        return;
    z->at = at;
    z->longest = n;
}

void ggki_zeros_find(struct ggki_zeros *z, const uint8_t *bytes, size_t n)
{
    z->n = n;
    z->lead = zeros_from(bytes, n);
    z->trail = zeros_before(bytes, n);
    note_run(z, 0, z->lead);
    for (size_t i = (size_t)z->lead; i + STRIDE <= n; i += STRIDE) {
        size_t before, from;

        if (!is_zero_word(bytes + i))
            continue;
        before = zeros_before(bytes, i);
        from = i - before;
        i += zeros_from(bytes + i, n - i);
        note_run(z, from, i - from);
    }
    note_run(z, n - z->trail, z->trail);
}

void ggki_zeros_merge(struct ggki_zeros *z, const struct ggki_zeros *part)
{
    note_run(z, z->n - z->trail, z->trail + part->lead);
    note_run(z, z->n + part->at, part->longest);
    if (z->lead == z->n)
        z->lead += part->lead;
    z->trail = part->trail + (part->trail == part->n ? z->trail : 0);
    z->n += part->n;
}

/* -------------------------------------------------------------------- sizes */

#define F16_BITS 10 /* of the fraction */
#define F16_SIZE 0x7fff
#define F32_BITS 23
#define F32_SIZE 0x7fffffff

/* The bits of the largest, without the sign: they are in the order of the
 * numbers. As signed integers, of which every processor has the larger. */
static uint32_t largest_16(const uint8_t *p, size_t n)
{
    int16_t most = 0;

    for (size_t i = 0; i < n; i++) {
        int16_t bits = (int16_t)(load_le16(p + 2 * i) & F16_SIZE);

        most = bits > most ? bits : most;
    }
    return (uint32_t)most;
}

static uint32_t largest_32(const uint8_t *p, size_t n)
{
    int32_t most = 0;

    for (size_t i = 0; i < n; i++) {
        int32_t bits = (int32_t)(load_le32(p + 4 * i) & F32_SIZE);

        most = bits > most ? bits : most;
    }
    return (uint32_t)most;
}

/* Of single numbers, like ggki_numbers_block_sizes. */
static uint16_t size_of_run(uint32_t type, const uint8_t *p, size_t n)
{
    uint32_t bits = type == GGKI_F32 ? largest_32(p, n) : largest_16(p, n);
    unsigned fraction = type == GGKI_F32   ? F32_BITS
                        : type == GGKI_F16 ? F16_BITS
                                           : F32_BITS - 16;
    uint32_t exponent = bits >> fraction;

    if (exponent == (type == GGKI_F16 ? 31 : 255))
        return GGKI_NOT_FINITE;
    return (uint16_t)(bits == 0 ? 0 : 1 + exponent);
}

/* Which number of a run gives it its size; of a block the first. */
static size_t place_in(const ggk_type_info *type, const uint8_t *p, size_t n,
                       uint32_t size)
{
    size_t i = 0;

    while (type->block == 1 && i + 1 < n &&
           size_of_run(type->id, p + i * type->bytes, 1) != size)
        i++;
    return i;
}

bool ggki_has_sizes(const ggk_type_info *type)
{
    return type->id == GGKI_F32 || ggki_numbers_have_scales(type);
}

static size_t run_of(const ggk_type_info *type)
{
    return type->block > 1 ? type->block : GGKI_SIZES_RUN;
}

/* Of runs that are `n` numbers together; the last may be shorter. */
static void find_sizes(const ggk_type_info *type, const uint8_t *p, size_t n,
                       uint16_t *sizes)
{
    if (type->block > 1) {
        ggki_numbers_block_sizes(type, p, n / type->block, sizes);
        return;
    }
    for (size_t i = 0; i < n; i += GGKI_SIZES_RUN)
        *sizes++ = size_of_run(type->id, p + i * type->bytes,
                               n - i < GGKI_SIZES_RUN ? n - i : GGKI_SIZES_RUN);
}

bool ggki_sizes_add(struct ggki_sizes *s, const ggk_type_info *type,
                    const uint8_t *blocks, size_t n, uint64_t at)
{
    enum { RUNS = 128 }; /* at once */
    uint16_t sizes[RUNS];
    const size_t run = run_of(type);
    bool finite = true;

    for (size_t i = 0, part; i < n; i += part) {
        const uint8_t *p = blocks + i / type->block * type->bytes;

        part = n - i < RUNS * run ? n - i : RUNS * run;
        find_sizes(type, p, part, sizes);
        for (size_t k = 0; k * run < part; k++) {
            uint16_t size = sizes[k];

            finite = finite && size != GGKI_NOT_FINITE;
            if (size == 0 || size == GGKI_NOT_FINITE)
                continue;
            s->counts[size - 1]++;
            if (size <= s->largest)
                continue;
            s->largest = size;
            s->at = at + i + k * run +
                    place_in(type, p + k * run / type->block * type->bytes,
                             part - k * run, size);
        }
    }
    return finite;
}

void ggki_sizes_merge(struct ggki_sizes *s, const struct ggki_sizes *part)
{
    for (size_t i = 0; i < 256; i++)
        s->counts[i] += part->counts[i];
    if (part->largest > s->largest) {
        s->largest = part->largest;
        s->at = part->at;
    }
}

#define GAP        11 /* exponents: at least 2^10 between the numbers */
#define MOST_ALONE 8
#define LEAST_REST 64 /* for each that is alone */

uint64_t ggki_sizes_outliers(const struct ggki_sizes *s)
{
    uint64_t alone = 0, rest = 0;
    uint32_t e = s->largest, last = e;

    for (; e > 0 && last - e < GAP; e--)
        if (s->counts[e - 1] > 0) {
            alone += s->counts[e - 1];
            last = e;
        }
    for (; e > 0; e--)
        rest += s->counts[e - 1];
    return alone <= MOST_ALONE && rest >= LEAST_REST * alone ? alone : 0;
}
