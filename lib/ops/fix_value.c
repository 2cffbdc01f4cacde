/* fix_value.c - values of a file, one scalar after the other: written anew, or
 * only looked at. */
#include <string.h>

#include "base/err.h"
#include "format/types.h"
#include "ops/fix.h"

/* A way through a value. Level 0 is the value, an "array" of one element. */
struct value_walk {
    const struct ggki_gguf *g;
    uint64_t pos, end;
    uint32_t type[GGK_MAX_DEPTH + 1];
    uint64_t left[GGK_MAX_DEPTH + 1];
    int depth;
};

static bool begin_walk(struct value_walk *w, const struct ggki_gguf *g,
                       uint64_t i)
{
    struct ggki_kv kv;

    if (!ggki_gguf_kv(g, i, &kv))
        return false;
    w->g = g;
    w->pos = kv.type_pos + 4;
    w->end = g->kv_pos.at[i + 1];
    w->type[0] = kv.type;
    w->left[0] = 1;
    w->depth = 0;
    return true;
}

/* As ggk_walk_next. */
static ggk_event next_event(struct value_walk *w, ggk_value *out)
{
    uint32_t type = w->type[w->depth];

    if (w->left[w->depth] == 0)
        return w->depth-- == 0 ? GGK_WALK_END : GGK_WALK_CLOSE;
    w->left[w->depth]--;
    if (type != GGK_VALUE_ARRAY)
        return ggki_gguf_scalar(w->g, type, w->pos, w->end, out, &w->pos)
                   ? GGK_WALK_VALUE
                   : GGK_WALK_BROKEN;
    if (w->depth == GGK_MAX_DEPTH ||
        !ggki_gguf_array(w->g, w->pos, w->end, &out->type, &out->as.u, &w->pos))
        return GGK_WALK_BROKEN;
    w->depth++;
    w->type[w->depth] = out->type;
    w->left[w->depth] = out->as.u;
    return GGK_WALK_OPEN;
}

/* -------------------------------------------------------------------- anew */

/* Is it a type whose numbers may become such of `to`? */
static bool is_convertible(uint32_t from, uint32_t to)
{
    bool is_float = from == GGK_VALUE_FLOAT32 || from == GGK_VALUE_FLOAT64;

    return to == GGK_VALUE_FLOAT32 ? from == GGK_VALUE_FLOAT64
                                   : is_float || ggki_value_is_integer(from);
}

/* A number of FLOAT32 or FLOAT64 as an INT64, if it is whole. */
static bool take_whole(ggk_value *v)
{
    const double limit = 9223372036854775808.0; /* 2^63 */
    double f = v->as.f;

    if (!(f >= -limit && f < limit) || (double)(int64_t)f != f)
        return false;
    v->as.i = (int64_t)f;
    v->type = GGK_VALUE_INT64;
    return true;
}

/* The same number as another type, if that can hold it. */
static bool convert_number(ggk_value *v, uint32_t to)
{
    bool fits;

    if (to != GGK_VALUE_FLOAT32 && !ggki_value_is_integer(v->type) &&
        !take_whole(v))
        return false;
    if (to == GGK_VALUE_FLOAT32)
        fits = (double)(float)v->as.f == v->as.f;
    else if (ggki_value_is_signed(v->type))
        fits = ggki_value_is_signed(to) || v->as.i >= 0;
    else
        fits = !ggki_value_is_signed(to) || v->as.u <= INT64_MAX;
    v->type = to;
    return fits;
}

static ggk_status put_scalar(ggk_value *v, struct ggki_anew *how,
                             ggk_builder *out, ggk_error *err)
{
    ggk_status status;

    if (v->type == GGK_VALUE_BOOL && v->as.u > 1) {
        v->as.u = 1;
        how->n_bools++;
    } else if (v->type == GGK_VALUE_STRING && how->strip && v->as.s.len > 0) {
        v->as.s.len--;
        how->n_strings++;
    } else if (how->type != GGKI_KEEP_TYPE &&
               is_convertible(v->type, how->type) &&
               !convert_number(v, how->type)) {
        return GGK_E_RANGE;
    }
    status = ggk_builder_put(out, v, NULL); /* of its own type, so that only
                                               its size can be wrong */
    return status == GGK_E_NOMEM ? ggki_fail_memory(err) : status;
}

static ggk_status put_event(ggk_event event, ggk_value *v,
                            struct ggki_anew *how, ggk_builder *out,
                            ggk_error *err)
{
    switch (event) {
    case GGK_WALK_VALUE: return put_scalar(v, how, out, err);
    case GGK_WALK_OPEN:
        if (how->type != GGKI_KEEP_TYPE && is_convertible(v->type, how->type))
            v->type = how->type;
        return ggk_builder_open(out, v->type, err);
    case GGK_WALK_CLOSE: return ggk_builder_close(out, err);
    case GGK_WALK_END: return GGK_OK;
    case GGK_WALK_BROKEN: break;
    }
    return ggki_fail_changed(err);
}

ggk_status ggki_fix_value(const struct ggki_gguf *g, uint64_t i,
                          struct ggki_anew *how, ggk_builder *out,
                          ggk_error *err)
{
    struct value_walk walk;
    ggk_event event = GGK_WALK_VALUE;
    ggk_status status = GGK_OK;

    how->n_bools = how->n_strings = 0;
    if (!begin_walk(&walk, g, i))
        return ggki_fail_changed(err);
    while (event != GGK_WALK_END && status == GGK_OK) {
        ggk_value v;

        event = next_event(&walk, &v);
        status = put_event(event, &v, how, out, err);
    }
    return status;
}

/* -------------------------------------------------------------- NUL at the end
 */

static bool ends_in_nul(ggk_str s)
{
    return s.len > 0 && memchr(s.ptr, 0, s.len) == s.ptr + s.len - 1;
}

static bool strings_end_in_nul(const struct ggki_gguf *g, uint64_t i)
{
    struct value_walk walk;
    ggk_event event;
    ggk_value v;

    if (!begin_walk(&walk, g, i))
        return false;
    do {
        event = next_event(&walk, &v);
        if (event == GGK_WALK_BROKEN ||
            (event == GGK_WALK_VALUE && v.type == GGK_VALUE_STRING &&
             !ends_in_nul(v.as.s)))
            return false;
    } while (event != GGK_WALK_END);
    return true;
}

bool ggki_fix_all_end_in_nul(const struct ggki_gguf *g)
{
    for (uint64_t i = 0; i < g->n_kv; i++) {
        struct ggki_kv kv;

        if (!ggki_gguf_kv(g, i, &kv) ||
            !ends_in_nul(ggki_gguf_bytes(g, kv.key_pos, kv.key_len)) ||
            !strings_end_in_nul(g, i))
            return false;
    }
    for (uint64_t i = 0; i < g->n_tensors; i++) {
        ggk_str name;

        if (!ggki_gguf_tensor_name(g, i, &name) || !ends_in_nul(name))
            return false;
    }
    return g->n_kv > 0;
}

ggk_str ggki_fix_name(ggk_str name)
{
    if (name.len > 1 && ends_in_nul(name))
        name.len--;
    return name;
}

ggk_str ggki_fix_architecture(const struct ggki_gguf *g)
{
    const ggk_str none = {NULL, 0};
    bool repeats;
    uint64_t i = ggki_gguf_find(g, ggk_cstr("general.architecture"), &repeats);
    struct ggki_kv kv;
    ggk_value v;
    uint64_t next;

    if (i == GGK_NONE || !ggki_gguf_kv(g, i, &kv) ||
        kv.type != GGK_VALUE_STRING ||
        !ggki_gguf_scalar(g, kv.type, kv.value_pos, g->kv_pos.at[i + 1], &v,
                          &next))
        return none;
    return v.as.s;
}
