/* builder.c - makes a value, element by element. */
#include "model/builder.h"

#include <math.h>
#include <string.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/store.h"
#include "format/gguf_layout.h"
#include "format/types.h"

struct level {
    uint32_t elem_type;
    size_t count_at; /* where the number of elements is stored */
    uint64_t n;
};

struct ggk_builder {
    ggk_allocator mem;
    uint8_t *bytes;
    size_t n, capacity;
    uint32_t type; /* of the value, once it is begun */
    bool begun;
    uint32_t depth; /* arrays that are open */
    struct level levels[GGK_MAX_DEPTH];
};

ggk_status ggk_builder_new(const ggk_allocator *alloc, ggk_builder **out,
                           ggk_error *err)
{
    ggk_allocator mem = ggki_mem_of(alloc);

    *out = ggki_mem_zero(&mem, sizeof **out);
    if (*out == NULL)
        return ggki_fail_memory(err);
    (*out)->mem = mem;
    return GGK_OK;
}

void ggk_builder_free(ggk_builder *builder)
{
    ggk_allocator mem;

    if (builder == NULL)
        return;
    mem = builder->mem;
    if (builder->bytes != NULL)
        ggki_mem_release(&mem, builder->bytes, builder->capacity);
    ggki_mem_release(&mem, builder, sizeof *builder);
}

bool ggki_builder_value(const ggk_builder *builder, uint32_t *type,
                        ggk_str *out)
{
    *type = builder->type;
    *out = (ggk_str){(const char *)builder->bytes, builder->n};
    return builder->begun && builder->depth == 0;
}

/* ------------------------------------------------------------------ scalars */

static ggk_status fail_range(ggk_error *err, uint32_t type)
{
    return ggki_fail(err, GGK_E_RANGE, "%s cannot hold the number",
                     ggk_value_type_name(type));
}

static ggk_status integer_bits(const ggk_value *v, uint64_t *bits,
                               ggk_error *err)
{
    size_t width = 8 * ggk_value_type_bytes(v->type);

    *bits = v->as.u;
    if (width == 64)
        return GGK_OK;
    if (ggki_value_is_signed(v->type)) {
        int64_t limit = INT64_C(1) << (width - 1);
        if (v->as.i < -limit || v->as.i >= limit)
            return fail_range(err, v->type);
    } else if (v->as.u >> width != 0) {
        return fail_range(err, v->type);
    }
    return GGK_OK;
}

static ggk_status float_bits(double number, uint64_t *bits, ggk_error *err)
{
    float f = (float)number;
    uint32_t half;

    if (isinf(f) && !isinf(number))
        return fail_range(err, GGK_VALUE_FLOAT32);
    memcpy(&half, &f, sizeof half);
    *bits = half;
    return GGK_OK;
}

static ggk_status scalar_bits(const ggk_value *v, uint32_t version,
                              uint64_t *bits, ggk_error *err)
{
    switch ((ggk_value_type)v->type) {
    case GGK_VALUE_UINT8:
    case GGK_VALUE_INT8:
    case GGK_VALUE_UINT16:
    case GGK_VALUE_INT16:
    case GGK_VALUE_UINT32:
    case GGK_VALUE_INT32:
    case GGK_VALUE_UINT64:
    case GGK_VALUE_INT64:
    case GGK_VALUE_BOOL: return integer_bits(v, bits, err);
    case GGK_VALUE_FLOAT32: return float_bits(v->as.f, bits, err);
    case GGK_VALUE_FLOAT64: memcpy(bits, &v->as.f, sizeof *bits); return GGK_OK;
    case GGK_VALUE_STRING:
        *bits = v->as.s.len;
        return version == 1 && *bits > UINT32_MAX ? fail_range(err, v->type)
                                                  : GGK_OK;
    case GGK_VALUE_ARRAY: break;
    }
    return ggki_fail(err, GGK_E_TYPE, "%lu is no type of a scalar",
                     (unsigned long)v->type);
}

ggk_status ggki_encode_scalar(const ggk_value *value, uint32_t version,
                              bool big, uint8_t out[8], size_t *bytes,
                              ggk_error *err)
{
    uint64_t bits = 0;
    ggk_status status = scalar_bits(value, version, &bits, err);

    if (status != GGK_OK)
        return status;
    *bytes = value->type == GGK_VALUE_STRING
                 ? gguf_count_bytes(version)
                 : ggk_value_type_bytes(value->type);
    switch (*bytes) {
    case 1: out[0] = (uint8_t)bits; break;
    case 2: store_u16(out, (uint16_t)bits, big); break;
    case 4: store_u32(out, (uint32_t)bits, big); break;
    default: store_u64(out, bits, big); break;
    }
    return GGK_OK;
}

/* ------------------------------------------------------------------ building
 */

static bool make_room(ggk_builder *b, size_t bytes)
{
    size_t capacity = b->capacity;
    uint8_t *grown;

    if (bytes <= capacity - b->n)
        return true;
    if (bytes > SIZE_MAX / 2 - b->n)
        return false;
    capacity = b->n + bytes > 2 * capacity ? b->n + bytes + 64 : 2 * capacity;
    grown = ggki_mem_resize(&b->mem, b->bytes, b->capacity, capacity);
    if (grown == NULL)
        return false;
    b->bytes = grown;
    b->capacity = capacity;
    return true;
}

static void append(ggk_builder *b, const void *data, size_t bytes)
{
    if (bytes > 0) /* `data` may be NULL for nothing */
        memcpy(b->bytes + b->n, data, bytes);
    b->n += bytes;
}

/* May a value of `type` come next? */
static ggk_status check_turn(const ggk_builder *b, uint32_t type,
                             ggk_error *err)
{
    uint32_t wanted;

    if (b->depth == 0)
        return !b->begun
                   ? GGK_OK
                   : ggki_fail(err, GGK_E_TYPE, "the value is whole already");
    wanted = b->levels[b->depth - 1].elem_type;
    if (type == wanted)
        return GGK_OK;
    return ggki_fail(err, GGK_E_TYPE,
                     "the array holds elements of type %s, not %s",
                     ggk_value_type_name(wanted),
                     type < GGK_VALUE_TYPE_COUNT ? ggk_value_type_name(type)
                                                 : "an unknown one");
}

/* A value of `type` was put. */
static void count_value(ggk_builder *b, uint32_t type)
{
    if (b->depth > 0)
        b->levels[b->depth - 1].n++;
    else
        b->type = type;
    b->begun = true;
}

ggk_status ggk_builder_put(ggk_builder *b, const ggk_value *value,
                           ggk_error *err)
{
    uint8_t head[8];
    size_t head_bytes = 0, text_bytes = 0;
    ggk_status status = check_turn(b, value->type, err);

    if (status == GGK_OK)
        status = ggki_encode_scalar(value, GGUF_VERSION_MAX, false, head,
                                    &head_bytes, err);
    if (status != GGK_OK)
        return status;
    if (value->type == GGK_VALUE_STRING)
        text_bytes = value->as.s.len;
    if (text_bytes > SIZE_MAX / 2 || !make_room(b, head_bytes + text_bytes))
        return ggki_fail_memory(err);
    append(b, head, head_bytes);
    if (value->type == GGK_VALUE_STRING)
        append(b, value->as.s.ptr, text_bytes);
    count_value(b, value->type);
    return GGK_OK;
}

ggk_status ggk_builder_open(ggk_builder *b, uint32_t elem_type, ggk_error *err)
{
    uint8_t head[12] = {0};
    ggk_status status = check_turn(b, GGK_VALUE_ARRAY, err);

    if (status != GGK_OK)
        return status;
    if (elem_type >= GGK_VALUE_TYPE_COUNT)
        return ggki_fail(err, GGK_E_ELEM_TYPE, "%lu is no value type",
                         (unsigned long)elem_type);
    if (b->depth == GGK_MAX_DEPTH)
        return ggki_fail(err, GGK_E_DEPTH,
                         "arrays are nested more than %d deep", GGK_MAX_DEPTH);
    if (!make_room(b, sizeof head))
        return ggki_fail_memory(err);
    store_u32(head, elem_type, false);
    append(b, head, sizeof head);
    count_value(b, GGK_VALUE_ARRAY);
    b->levels[b->depth++] = (struct level){elem_type, b->n - 8, 0};
    return GGK_OK;
}

ggk_status ggk_builder_close(ggk_builder *b, ggk_error *err)
{
    const struct level *level;

    if (b->depth == 0)
        return ggki_fail(err, GGK_E_ARG, "no array is open");
    level = &b->levels[--b->depth];
    store_u64(b->bytes + level->count_at, level->n, false);
    return GGK_OK;
}
