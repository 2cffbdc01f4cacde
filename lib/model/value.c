/* value.c - metadata values: typed getters, walks, random access.
 *
 * Values are decoded from the file's bytes when they are asked for, each time
 * within bounds: what was checked when the model was opened may have been
 * written over since.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "format/types.h"
#include "model/model.h"

/* ----------------------------------------------------------------- getters */

static ggk_status fail_type(ggk_error *err, const char *wanted, uint32_t type)
{
    return ggki_fail(err, GGK_E_TYPE, "the value is of type %s, not %s",
                     ggk_value_type_name(type), wanted);
}

/* The value of key-value `i`, which must be a scalar. */
static ggk_status scalar_of(const ggk_model *model, ggk_str key,
                            const char *wanted, ggk_value *out, ggk_error *err)
{
    const struct ggki_gguf *g = &model->files[0].gguf;
    struct ggki_kv kv;
    uint64_t i, next;
    ggk_status status = ggk_model_find_kv(model, key, &i, err);

    if (status != GGK_OK)
        return status;
    if (!ggki_gguf_kv(g, i, &kv))
        return ggki_fail_changed(err);
    if (kv.type == GGK_VALUE_ARRAY)
        return fail_type(err, wanted, kv.type);
    if (!ggki_gguf_scalar(g, kv.type, kv.value_pos, g->kv_pos.at[i + 1], out,
                          &next))
        return ggki_fail_changed(err);
    return GGK_OK;
}

static ggk_status integer_of(const ggk_model *model, ggk_str key,
                             ggk_value *out, ggk_error *err)
{
    ggk_status status = scalar_of(model, key, "an integer", out, err);

    if (status == GGK_OK && !ggki_value_is_integer(out->type))
        status = fail_type(err, "an integer", out->type);
    return status;
}

ggk_status ggk_model_get_u64(const ggk_model *model, ggk_str key, uint64_t *out,
                             ggk_error *err)
{
    ggk_value value = {0};
    ggk_status status = integer_of(model, key, &value, err);

    *out = 0;
    if (status != GGK_OK)
        return status;
    if (ggki_value_is_signed(value.type) && value.as.i < 0)
        return ggki_fail(err, GGK_E_RANGE, "the value is negative: %lld",
                         (long long)value.as.i);
    *out = value.as.u;
    return GGK_OK;
}

ggk_status ggk_model_get_i64(const ggk_model *model, ggk_str key, int64_t *out,
                             ggk_error *err)
{
    ggk_value value = {0};
    ggk_status status = integer_of(model, key, &value, err);

    *out = 0;
    if (status != GGK_OK)
        return status;
    if (!ggki_value_is_signed(value.type) && value.as.u > INT64_MAX)
        return ggki_fail(err, GGK_E_RANGE, "the value %llu is 2^63 or more",
                         (unsigned long long)value.as.u);
    *out = value.as.i;
    return GGK_OK;
}

ggk_status ggk_model_get_f64(const ggk_model *model, ggk_str key, double *out,
                             ggk_error *err)
{
    const int64_t exact = INT64_C(1) << 53; /* doubles hold all up to here */
    ggk_value value = {0};
    ggk_status status = scalar_of(model, key, "a float", &value, err);

    *out = 0;
    if (status != GGK_OK)
        return status;
    if (value.type == GGK_VALUE_FLOAT32 || value.type == GGK_VALUE_FLOAT64) {
        *out = value.as.f;
        return GGK_OK;
    }
    if (!ggki_value_is_integer(value.type))
        return fail_type(err, "a float", value.type);
    /* A large UINT64 reads as negative here, and is out of range too. */
    if (value.as.i > exact || value.as.i < -exact ||
        (value.as.i < 0 && !ggki_value_is_signed(value.type)))
        return ggki_fail(err, GGK_E_RANGE,
                         "the integer is past 2^53, so a float cannot hold it");
    *out = (double)value.as.i;
    return GGK_OK;
}

ggk_status ggk_model_get_bool(const ggk_model *model, ggk_str key, bool *out,
                              ggk_error *err)
{
    ggk_value value = {0};
    ggk_status status = scalar_of(model, key, "BOOL", &value, err);

    *out = false;
    if (status != GGK_OK)
        return status;
    if (value.type != GGK_VALUE_BOOL)
        return fail_type(err, "BOOL", value.type);
    *out = value.as.u != 0;
    return GGK_OK;
}

ggk_status ggk_model_get_str(const ggk_model *model, ggk_str key, ggk_str *out,
                             ggk_error *err)
{
    ggk_value value = {0};
    ggk_status status = scalar_of(model, key, "STRING", &value, err);

    *out = (ggk_str){0};
    if (status != GGK_OK)
        return status;
    if (value.type != GGK_VALUE_STRING)
        return fail_type(err, "STRING", value.type);
    *out = value.as.s;
    return GGK_OK;
}

/* ------------------------------------------------------------------- walks */

/* In a walk, level 0 is the value itself, an "array" of one element. */

ggk_status ggk_walk_start(const ggk_model *model, uint64_t i, ggk_walk *out,
                          ggk_error *err)
{
    const struct ggki_gguf *g = &model->files[0].gguf;
    struct ggki_kv kv;

    memset(out, 0, sizeof *out);
    if (i >= g->n_kv)
        return ggki_fail_index(err, "key-value", i, g->n_kv);
    if (!ggki_gguf_kv(g, i, &kv))
        return ggki_fail_changed(err);
    out->model = model;
    out->pos = kv.type_pos + 4;
    out->end = g->kv_pos.at[i + 1];
    out->left[0] = 1;
    out->type[0] = kv.type;
    return GGK_OK;
}

static ggk_event break_off(ggk_walk *walk)
{
    walk->model = NULL;
    return GGK_WALK_BROKEN;
}

static ggk_event open_array(ggk_walk *walk, const struct ggki_gguf *g,
                            ggk_value *out)
{
    uint32_t elem_type;
    uint64_t n;

    if (walk->depth == GGK_MAX_DEPTH ||
        !ggki_gguf_array(g, walk->pos, walk->end, &elem_type, &n, &walk->pos))
        return break_off(walk);
    walk->depth++;
    walk->left[walk->depth] = n;
    walk->type[walk->depth] = elem_type;
    if (walk->depth == 1) {
        walk->first = walk->pos;
        walk->count = n;
    }
    out->type = elem_type;
    out->as.u = n;
    return GGK_WALK_OPEN;
}

ggk_event ggk_walk_next(ggk_walk *walk, ggk_value *out)
{
    const struct ggki_gguf *g;

    if (walk->model == NULL)
        return GGK_WALK_BROKEN;
    g = &walk->model->files[0].gguf;
    if (walk->left[walk->depth] == 0) {
        if (walk->depth == 0)
            return GGK_WALK_END;
        walk->depth--;
        return GGK_WALK_CLOSE;
    }
    walk->left[walk->depth]--;
    if (walk->type[walk->depth] == GGK_VALUE_ARRAY)
        return open_array(walk, g, out);
    return ggki_gguf_scalar(g, walk->type[walk->depth], walk->pos, walk->end,
                            out, &walk->pos)
               ? GGK_WALK_VALUE
               : break_off(walk);
}

/* Jump to the last marked string among the next `n`; returns how many were
 * passed so. */
static uint64_t jump_strings(ggk_walk *walk, uint64_t n)
{
    uint64_t here = walk->count - walk->left[1];
    uint64_t pos = walk->first;
    uint64_t there =
        ggki_gguf_mark(&walk->model->files[0].gguf, here + n, &pos, walk->end);

    if (there <= here)
        return 0;
    walk->pos = pos;
    walk->left[1] -= there - here;
    return there - here;
}

static uint64_t skip_strings(ggk_walk *walk, uint64_t n)
{
    const struct ggki_gguf *g = &walk->model->files[0].gguf;
    uint64_t jumped = walk->depth == 1 ? jump_strings(walk, n) : 0;
    uint64_t left = n - jumped;
    uint64_t hops = left;
    struct ggki_cursor c =
        ggki_cursor_over(&g->image, walk->pos, walk->end, g->version, g->big);

    if (walk->pos > c.end || ggki_cursor_hop(&c, &left) != GGK_OK) {
        break_off(walk);
        return n - left;
    }
    walk->pos = c.pos;
    walk->left[walk->depth] -= hops;
    return n;
}

static uint64_t skip_flat(ggk_walk *walk, uint64_t n)
{
    uint32_t type = walk->type[walk->depth];

    if (type == GGK_VALUE_STRING)
        return skip_strings(walk, n);
    /* The array's count was held against its bytes, so this cannot wrap. */
    walk->pos += n * ggk_value_type_bytes(type);
    walk->left[walk->depth] -= n;
    return n;
}

/* The same of elements that are arrays. */
static uint64_t skip_nested(ggk_walk *walk, uint64_t n)
{
    uint32_t depth = walk->depth;
    ggk_value value;

    for (uint64_t done = 0; done < n; done++) {
        ggk_event event = ggk_walk_next(walk, &value);
        while (event != GGK_WALK_BROKEN &&
               !(event == GGK_WALK_CLOSE && walk->depth == depth)) {
            if (walk->type[walk->depth] != GGK_VALUE_ARRAY)
                skip_flat(walk, walk->left[walk->depth]);
            event = ggk_walk_next(walk, &value);
        }
        if (event == GGK_WALK_BROKEN)
            return done;
    }
    return n;
}

uint64_t ggk_walk_skip(ggk_walk *walk, uint64_t n)
{
    if (walk->model == NULL)
        return 0;
    if (n > walk->left[walk->depth])
        n = walk->left[walk->depth];
    return walk->type[walk->depth] == GGK_VALUE_ARRAY ? skip_nested(walk, n)
                                                      : skip_flat(walk, n);
}

uint32_t ggk_walk_depth(const ggk_walk *walk)
{
    return walk->depth;
}

uint64_t ggk_walk_position(const ggk_walk *walk)
{
    return walk->model == NULL
               ? GGK_NO_OFFSET
               : walk->model->files[0].gguf.base_off + walk->pos;
}

ggk_status ggk_walk_bytes(const ggk_walk *from, const ggk_walk *to,
                          ggk_str *out, ggk_error *err)
{
    const struct ggki_gguf *g;

    *out = (ggk_str){0};
    if (from->model == NULL || to->model != from->model)
        return ggki_fail_changed(err);
    g = &from->model->files[0].gguf;
    if (from->pos > to->pos || to->pos > g->image.bytes)
        return ggki_fail_changed(err);
    *out = ggki_gguf_bytes(g, from->pos, to->pos - from->pos);
    return GGK_OK;
}

/* ------------------------------------------------------------------- index */

#define INDEX_STEP 32 /* strings from one kept position to the next */

struct ggk_index {
    const ggk_model *model;
    uint64_t n;
    uint64_t pos; /* of the first element */
    uint64_t end;
    uint32_t type;
    struct ggki_u64s marks; /* of every INDEX_STEP-th string */
};

static ggk_status mark_strings(ggk_index *index, ggk_walk *walk, ggk_error *err)
{
    /* The count was held against the bytes, 4 or 8 for each string. */
    if (!ggki_u64s_reserve(&index->marks, &index->model->mem,
                           (index->n + INDEX_STEP - 1) / INDEX_STEP))
        return ggki_fail_memory(err);
    for (uint64_t i = 0; i < index->n; i += INDEX_STEP) {
        uint64_t left = index->n - i;
        uint64_t step = left < INDEX_STEP ? left : INDEX_STEP;
        index->marks.at[index->marks.n++] = walk->pos;
        if (ggk_walk_skip(walk, step) != step)
            return ggki_fail_changed(err);
    }
    return GGK_OK;
}

ggk_status ggk_index_new(const ggk_model *model, uint64_t i, ggk_index **out,
                         ggk_error *err)
{
    ggk_walk walk;
    ggk_value head;
    ggk_index *index;
    ggk_status status = ggk_walk_start(model, i, &walk, err);

    *out = NULL;
    if (status != GGK_OK)
        return status;
    if (walk.type[0] != GGK_VALUE_ARRAY)
        return fail_type(err, "an array", walk.type[0]);
    if (ggk_walk_next(&walk, &head) != GGK_WALK_OPEN)
        return ggki_fail_changed(err);
    if (head.type == GGK_VALUE_ARRAY)
        return ggki_fail(err, GGK_E_TYPE, "the value is an array of arrays");
    index = ggki_mem_zero(&model->mem, sizeof *index);
    if (index == NULL)
        return ggki_fail_memory(err);
    index->model = model;
    index->n = head.as.u;
    index->pos = walk.pos;
    index->end = walk.end;
    index->type = head.type;
    if (head.type == GGK_VALUE_STRING)
        status = mark_strings(index, &walk, err);
    if (status != GGK_OK) {
        ggk_index_free(index);
        return status;
    }
    *out = index;
    return GGK_OK;
}

uint64_t ggk_index_count(const ggk_index *index)
{
    return index->n;
}

ggk_status ggk_index_get(const ggk_index *index, uint64_t i, ggk_value *out,
                         ggk_error *err)
{
    const struct ggki_gguf *g = &index->model->files[0].gguf;
    uint64_t pos = index->pos;
    uint64_t hops = 0, next;
    struct ggki_cursor c;

    *out = (ggk_value){0};
    if (i >= index->n)
        return ggki_fail_index(err, "element", i, index->n);
    if (index->type == GGK_VALUE_STRING) {
        pos = index->marks.at[i / INDEX_STEP];
        hops = i % INDEX_STEP;
    } else {
        pos += i * ggk_value_type_bytes(index->type);
    }
    c = ggki_cursor_over(&g->image, pos, index->end, g->version, g->big);
    if (pos > c.end || ggki_cursor_hop(&c, &hops) != GGK_OK ||
        !ggki_gguf_scalar(g, index->type, c.pos, index->end, out, &next)) {
        *out = (ggk_value){0};
        return ggki_fail_changed(err);
    }
    return GGK_OK;
}

void ggk_index_free(ggk_index *index)
{
    ggk_allocator mem;

    if (index == NULL)
        return;
    mem = index->model->mem;
    ggki_u64s_free(&index->marks, &mem);
    ggki_mem_release(&mem, index, sizeof *index);
}
