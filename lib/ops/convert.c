/* convert.c - tensors that get another type: read, made numbers, looked at,
 * made blocks, written, piece by piece.
 *
 * A chunk is read and written at once. In between it goes, span by span,
 * through numbers that stay in the cache.
 */
#include "ops/convert.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/finite.h"
#include "base/load.h"
#include "base/str.h"
#include "format/block_swap.h"
#include "ops/copy.h"
#include "ops/numbers.h"
#include "ops/recipe.h"

#define JOB_NUMBERS  ((uint64_t)2 << 20)
#define SPAN_NUMBERS ((uint64_t)16 << 10)

/* How a tensor is cut, in numbers. All of them fit into memory: a unit is a
 * block, or a row of which the importances are in memory. */
struct cut {
    size_t unit; /* that can be converted by itself */
    size_t span; /* whole units */
    size_t chunk;
};

/* A piece of a tensor on its way. */
struct conversion {
    const struct ggki_plan_tensor *tensor;
    struct cut cut;
    bool blocks_stay;            /* only their scales are looked at */
    ggki_dequantize *dequantize; /* NULL: what is read is numbers */
    struct ggki_numbers_to to;   /* no kernel: the type stays */
    float *numbers;
    uint8_t *in, *blocks; /* the same if the type stays */
};

static uint64_t bytes_of(const ggk_type_info *type, uint64_t n)
{
    return n / type->block * type->bytes;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static struct cut cut_of(const struct ggki_plan_tensor *t)
{
    struct cut c;
    size_t room;

    /* Blocks have powers of two of numbers. */
    c.unit = t->importances != NULL ? (size_t)t->ne[0]
                                    : larger(t->from->block, t->info->block);
    c.span = larger(SPAN_NUMBERS / c.unit, 1) * c.unit;
    room = GGKI_COPY_BYTES - SPAN_NUMBERS * sizeof(float);
    room /= bytes_of(t->from, c.unit) + bytes_of(t->info, c.unit);
    c.chunk = larger(room * c.unit, c.span);
    return c;
}

uint64_t ggki_convert_job_bytes(const struct ggki_plan_tensor *t)
{
    struct cut c = cut_of(t);

    return bytes_of(t->from, larger(JOB_NUMBERS / c.chunk, 1) * c.chunk);
}

size_t ggki_convert_buffer_bytes(const struct ggki_plan_tensor *t)
{
    struct cut c = cut_of(t);

    return c.span * sizeof(float) +
           (size_t)(bytes_of(t->from, c.chunk) + bytes_of(t->info, c.chunk));
}

/* ----------------------------------------------------------------- failures */

/* Number `i` of the tensor, or the block that begins with it, is `what`. */
static ggk_status fail_value(const struct ggki_plan_tensor *t, uint64_t i,
                             const char *what, ggk_error *err)
{
    char where[GGKI_NUMBER_PLACE_BYTES];

    ggki_number_place(where, t->ne, t->n_dims, i);
    ggki_fail(err, GGK_E_VALUE, "%.*s: %s at %s", ggki_shown(t->name),
              t->name.ptr, what, where);
    if (err != NULL)
        err->offset = t->off + i / t->from->block * t->from->bytes;
    return ggki_plan_blame(t, GGK_E_VALUE, err);
}

/* `fault`: "too large"; `blame` may be "". */
static ggk_status fail_block(const struct ggki_plan_tensor *t, uint64_t i,
                             const char *fault, const char *blame,
                             ggk_error *err)
{
    char what[128];

    snprintf(what, sizeof what, "%s %s for %s%s",
             t->info->block > 1 ? "a block" : "a number", fault, t->info->name,
             blame);
    return fail_value(t, i, what, err);
}

/* -------------------------------------------------------------------- spans */

/* Rows of one slice go together, since they have the same importances. */
void ggki_convert_numbers(const struct ggki_numbers_to *to, const float *x,
                          uint64_t at, size_t n, uint8_t *out)
{
    const uint64_t *ne = to->ne;
    size_t ne0 = (size_t)ne[0];

    if (to->importances == NULL) {
        to->quantize(x, out, 1, n, NULL);
        return;
    }
    while (n > 0) {
        uint64_t row = at / ne0, left = ne[1] - row % ne[1];
        size_t slice = (size_t)(row / ne[1] % ne[2]), rows = n / ne0;

        if (rows > left)
            rows = (size_t)left;
        to->quantize(x, out, rows, ne0, to->importances + slice * ne0);
        out += bytes_of(to->type, rows * ne0);
        x += rows * ne0;
        n -= rows * ne0;
        at += rows * ne0;
    }
}

/* Of this machine: are its numbers those of a file? */
static bool is_little_endian(void)
{
    uint8_t bytes[4];

    memcpy(bytes, &(uint32_t){1}, sizeof bytes);
    return bytes[0] == 1;
}

/* What became infinite must have been so, where that may be. */
static ggk_status check_odd(const struct ggki_plan_tensor *t, uint64_t at,
                            const float *x, size_t n, const uint8_t *numbers,
                            ggk_error *err)
{
    for (size_t i = 0; i < n; i++) {
        i += ggki_numbers_find_bad_block(t->info,
                                         numbers + bytes_of(t->info, i), n - i);
        if (i < n && isfinite(x[i]))
            return fail_block(t, at + i, ggki_numbers_fault(t->info), "", err);
    }
    return GGK_OK;
}

/* The same of what was read, where `x` is what it is as floats: a number of F64
 * may be too large for these. That is none to be refused if it stays F64. */
static ggk_status check_numbers(const struct conversion *c, uint64_t at,
                                const uint8_t *in, const float *x, size_t n,
                                ggk_error *err)
{
    const struct ggki_plan_tensor *t = c->tensor;
    bool doubles = t->from->id == GGKI_F64;

    for (size_t i = ggki_find_not_finite(x, n); i < n;
         i += ggki_find_not_finite(x + i, n - i)) {
        bool finite = doubles && isfinite(load_f64(in + 8 * i, false));

        if (finite && c->to.quantize != NULL)
            return fail_block(t, at + i, "too large", "", err);
        if (!finite && !t->keeps_odd)
            return fail_value(t, at + i,
                              isnan(x[i]) ? "NaN" : "an infinite number", err);
        i++;
    }
    return GGK_OK;
}

/* Is there no bad block in a row, of which the chunk has all, without its
 * importances? They may be to blame for one then. */
static bool fits_without(const struct conversion *c, size_t row)
{
    const struct ggki_plan_tensor *t = c->tensor;
    size_t n = (size_t)t->ne[0], n_blocks = n / t->info->block;
    const void *in = c->in + bytes_of(t->from, row * n);
    uint8_t *blocks = c->blocks + bytes_of(t->info, row * n);

    if (c->dequantize != NULL)
        c->dequantize(in, c->numbers, n);
    c->to.quantize(c->dequantize != NULL ? c->numbers : in, blocks, 1, n, NULL);
    return ggki_numbers_find_bad_block(t->info, blocks, n_blocks) == n_blocks;
}

/* `n` numbers from place `i` of the chunk on, which begins with number `at`. */
static ggk_status convert_span(const struct conversion *c, uint64_t at,
                               size_t i, size_t n, ggk_error *err)
{
    const struct ggki_plan_tensor *t = c->tensor;
    const void *in = c->in + bytes_of(t->from, i);
    const float *x = c->dequantize != NULL ? c->numbers : in;
    ggk_status status;

    if (c->dequantize != NULL)
        c->dequantize(in, c->numbers, n);
    status = check_numbers(c, at + i, in, x, n, err);
    if (status != GGK_OK)
        return status;
    if (c->to.quantize != NULL)
        ggki_convert_numbers(&c->to, x, at + i, n,
                             c->blocks + bytes_of(t->info, i));
    return t->keeps_odd ? check_odd(t, at + i, x, n,
                                    c->blocks + bytes_of(t->info, i), err)
                        : GGK_OK;
}

/* ------------------------------------------------------------------- chunks */

static ggk_status read_chunk(const struct conversion *c, uint64_t at, size_t n,
                             ggk_error *err)
{
    const struct ggki_plan_tensor *t = c->tensor;
    ggk_status status = ggki_plan_read(t, t->off + bytes_of(t->from, at), c->in,
                                       (size_t)bytes_of(t->from, n), err);

    if (status == GGK_OK && t->big)
        ggki_swap_blocks(t->from, c->in, n / t->from->block);
    return status;
}

static ggk_status write_chunk(const struct conversion *c, uint64_t at, size_t n,
                              const struct ggki_converted *to, ggk_error *err)
{
    const ggk_type_info *type = c->tensor->info;

    if (to->big)
        ggki_swap_blocks(type, c->blocks, n / type->block);
    return ggki_new_file_write(to->out, to->off + bytes_of(type, at), c->blocks,
                               (size_t)bytes_of(type, n), err);
}

/* Are the scales of a chunk any? Those of blocks that were made are not where
 * numbers were too large. */
static ggk_status check_scales(const struct conversion *c, uint64_t at,
                               size_t n, ggk_error *err)
{
    const struct ggki_plan_tensor *t = c->tensor;
    size_t n_blocks = n / t->info->block;
    size_t bad = ggki_numbers_find_bad_block(t->info, c->blocks, n_blocks);
    uint64_t i = at + (uint64_t)bad * t->info->block;

    if (bad == n_blocks)
        return GGK_OK;
    if (c->blocks_stay)
        return fail_value(t, i, "a scale that is NaN or infinite", err);
    return fail_block(t, i, ggki_numbers_fault(t->info),
                      t->importances != NULL &&
                              fits_without(c, (size_t)((i - at) / t->ne[0]))
                          ? " by its importances, without which it fits,"
                          : "",
                      err);
}

static ggk_status convert_chunk(const struct conversion *c, uint64_t at,
                                size_t n, const struct ggki_converted *to,
                                ggk_error *err)
{
    size_t numbers = c->blocks_stay ? 0 : n;
    ggk_status status = read_chunk(c, at, n, err);

    for (size_t i = 0; i < numbers && status == GGK_OK; i += c->cut.span) {
        size_t part = n - i < c->cut.span ? n - i : c->cut.span;

        status = convert_span(c, at, i, part, err);
    }
    if (status == GGK_OK && !c->tensor->keeps_odd &&
        (c->blocks_stay || c->to.quantize != NULL))
        status = check_scales(c, at, n, err);
    return status == GGK_OK ? write_chunk(c, at, n, to, err) : status;
}

ggk_status ggki_convert(const struct ggki_plan_tensor *t, uint64_t off,
                        uint64_t bytes, const struct ggki_converted *to,
                        uint8_t *buffer, ggk_error *err)
{
    struct conversion c = {.tensor = t, .cut = cut_of(t)};
    uint64_t at = off / t->from->bytes * t->from->block;
    uint64_t end = at + bytes / t->from->bytes * t->from->block;
    ggk_status status = GGK_OK;
    bool stays = t->from == t->info;

    c.blocks_stay = stays && (t->from->flags & GGK_TYPE_QUANTIZED) != 0;
    if (t->from->id != GGKI_F32 || !is_little_endian())
        c.dequantize = ggki_numbers_kern(t->from).dequantize;
    c.to = (struct ggki_numbers_to){
        t->info, stays ? NULL : ggki_numbers_kern(t->info).quantize, t->ne,
        t->importances};
    c.numbers = (float *)(void *)buffer;
    c.in = buffer + c.cut.span * sizeof(float);
    c.blocks = stays ? c.in : c.in + bytes_of(t->from, c.cut.chunk);
    while (at < end && status == GGK_OK) {
        size_t n = end - at < c.cut.chunk ? (size_t)(end - at) : c.cut.chunk;

        status = convert_chunk(&c, at, n, to, err);
        at += n;
    }
    return status;
}
