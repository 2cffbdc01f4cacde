/* diff_value.c - do two metadata values differ, and where? */
#include <string.h>

#include "base/str.h"
#include "ops/diff.h"

/* Number of the first byte that differs, or of bytes that both have. */
static uint64_t first_byte(ggk_str a, ggk_str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    size_t i = 0;

    while (i < n && a.ptr[i] == b.ptr[i])
        i++;
    return i;
}

/* The bits of the float of `bytes` bytes that the walk has just passed: as a
 * number, a NaN would not be what is stored. */
static bool float_bits(const ggk_walk *walk, uint64_t bytes, uint64_t *out)
{
    ggk_value bits;
    uint64_t next;

    if (walk->model == NULL || walk->pos < bytes ||
        !ggki_gguf_scalar(&walk->model->files[0].gguf,
                          bytes == 4 ? GGK_VALUE_UINT32 : GGK_VALUE_UINT64,
                          walk->pos - bytes, walk->end, &bits, &next))
        return false;
    *out = bits.as.u;
    return true;
}

static bool floats_equal(const ggk_walk *a, const ggk_walk *b, uint64_t bytes)
{
    uint64_t x, y;

    return float_bits(a, bytes, &x) && float_bits(b, bytes, &y) && x == y;
}

/* Two scalars of one type, which the walks have just passed. */
static bool scalars_equal(const ggk_walk *a, const ggk_value *x,
                          const ggk_walk *b, const ggk_value *y)
{
    switch ((ggk_value_type)x->type) {
    case GGK_VALUE_BOOL: return (x->as.u != 0) == (y->as.u != 0);
    case GGK_VALUE_STRING: return ggki_str_same(x->as.s, y->as.s);
    case GGK_VALUE_FLOAT32: return floats_equal(a, b, 4);
    case GGK_VALUE_FLOAT64: return floats_equal(a, b, 8);
    case GGK_VALUE_UINT8:
    case GGK_VALUE_INT8:
    case GGK_VALUE_UINT16:
    case GGK_VALUE_INT16:
    case GGK_VALUE_UINT32:
    case GGK_VALUE_INT32:
    case GGK_VALUE_UINT64:
    case GGK_VALUE_INT64: return x->as.u == y->as.u;
    case GGK_VALUE_ARRAY: break; /* no scalar */
    }
    return false;
}

/* Leave the arrays that are deeper than `depth`; false if that breaks off. */
static bool climb(ggk_walk *walk, uint32_t depth)
{
    ggk_value value;

    while (ggk_walk_depth(walk) > depth) {
        ggk_walk_skip(walk, UINT64_MAX);
        if (ggk_walk_next(walk, &value) != GGK_WALK_CLOSE)
            return false;
    }
    return true;
}

/* Compare the elements that both walks stand before, and pass them. */
static ggk_status compare_element(ggk_walk *a, ggk_walk *b, bool *equal,
                                  ggk_error *err)
{
    uint32_t outside = ggk_walk_depth(a);

    *equal = true;
    do {
        ggk_value x, y;
        ggk_event event = ggk_walk_next(a, &x);
        ggk_event other = ggk_walk_next(b, &y);

        if (event == GGK_WALK_BROKEN || other == GGK_WALK_BROKEN)
            return ggki_fail_changed(err);
        if (event != other)
            *equal = false;
        else if (event == GGK_WALK_VALUE)
            *equal = x.type == y.type && scalars_equal(a, &x, b, &y);
        else if (event == GGK_WALK_OPEN)
            *equal = x.type == y.type && x.as.u == y.as.u;
    } while (*equal && ggk_walk_depth(a) > outside);
    return climb(a, outside) && climb(b, outside) ? GGK_OK
                                                  : ggki_fail_changed(err);
}

/* Into an array, to its first element. */
static ggk_status enter(const ggk_model *model, uint64_t i, ggk_walk *walk,
                        uint64_t *n, ggk_error *err)
{
    ggk_value head;
    ggk_status status = ggk_walk_start(model, i, walk, err);

    if (status != GGK_OK)
        return status;
    if (ggk_walk_next(walk, &head) != GGK_WALK_OPEN)
        return ggki_fail_changed(err);
    *n = head.as.u;
    return GGK_OK;
}

static ggk_status compare_arrays(const ggk_model *model_a,
                                 const ggk_model *model_b, ggk_difference *out,
                                 ggk_error *err)
{
    ggk_walk a, b;
    uint64_t n_a = 0, n_b = 0, n;
    ggk_status status = enter(model_a, out->a, &a, &n_a, err);

    if (status == GGK_OK)
        status = enter(model_b, out->b, &b, &n_b, err);
    if (status != GGK_OK)
        return status;
    n = n_a < n_b ? n_a : n_b;
    out->first = n;
    for (uint64_t k = 0; k < n; k++) {
        bool equal;

        status = compare_element(&a, &b, &equal, err);
        if (status != GGK_OK)
            return status;
        if (!equal && out->n_differ++ == 0)
            out->first = k;
    }
    if (out->n_differ > 0 || n_a != n_b)
        out->what = GGK_DIFF_VALUE;
    return GGK_OK;
}

static ggk_status compare_scalars(const ggk_model *model_a,
                                  const ggk_model *model_b, ggk_difference *out,
                                  ggk_error *err)
{
    ggk_walk a, b;
    ggk_value x, y;
    ggk_status status = ggk_walk_start(model_a, out->a, &a, err);

    if (status == GGK_OK)
        status = ggk_walk_start(model_b, out->b, &b, err);
    if (status != GGK_OK)
        return status;
    if (ggk_walk_next(&a, &x) != GGK_WALK_VALUE ||
        ggk_walk_next(&b, &y) != GGK_WALK_VALUE || x.type != y.type)
        return ggki_fail_changed(err);
    if (scalars_equal(&a, &x, &b, &y))
        return GGK_OK;
    out->what = GGK_DIFF_VALUE;
    if (x.type == GGK_VALUE_STRING)
        out->first = first_byte(x.as.s, y.as.s);
    return GGK_OK;
}

/* Are they stored in the same bytes? If not, they may still be equal. */
static bool bytes_equal(const ggk_model *model_a, const ggk_model *model_b,
                        const ggk_difference *d)
{
    const struct ggki_gguf *a = &model_a->files[0].gguf;
    const struct ggki_gguf *b = &model_b->files[0].gguf;
    ggk_str x, y;

    return a->big == b->big && (a->version == 1) == (b->version == 1) &&
           ggk_model_kv_bytes(model_a, d->a, &x, NULL) == GGK_OK &&
           ggk_model_kv_bytes(model_b, d->b, &y, NULL) == GGK_OK &&
           ggki_str_same(x, y);
}

ggk_status ggki_diff_values(const ggk_model *model_a, const ggk_model *model_b,
                            ggk_difference *out, ggk_error *err)
{
    ggk_kv a, b;
    ggk_status status = ggk_model_kv(model_a, out->a, &a, err);

    if (status == GGK_OK)
        status = ggk_model_kv(model_b, out->b, &b, err);
    if (status != GGK_OK)
        return status;
    if (a.type != b.type || a.elem_type != b.elem_type) {
        out->what = GGK_DIFF_TYPE;
        return GGK_OK;
    }
    if (a.n == b.n && bytes_equal(model_a, model_b, out))
        return GGK_OK;
    return a.type == GGK_VALUE_ARRAY
               ? compare_arrays(model_a, model_b, out, err)
               : compare_scalars(model_a, model_b, out, err);
}
