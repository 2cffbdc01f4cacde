/* reader.c - one pass over the header of a GGUF, every byte distrusted.
 *
 * The same functions read an entry for the first time (ggki_gguf_open, which
 * reports what is wrong) and later when it is asked for (ggki_gguf_kv and
 * _info, over the bytes it had then).
 */
#include "format/reader.h"

#include <stdio.h>
#include <string.h>

#include "base/ckd.h"
#include "format/gguf_layout.h"
#include "format/types.h"

#define SNIFF_BYTES 65536 /* as many as the cursor's first read */

/* ------------------------------------------------------------------ header */

static ggk_status fail_stranger(const struct ggki_cursor *c, uint64_t have,
                                const char *path)
{
    char what[sizeof c->err->what];

    ggki_sniff(c->image.base, have < SNIFF_BYTES ? (size_t)have : SNIFF_BYTES,
               c->base_off, path, what, sizeof what);
    return ggki_cursor_fail(c, GGK_E_MAGIC, 0, "magic", 4, have < 4 ? have : 4,
                            "%s", what);
}

static const uint8_t magic[4] = {'G', 'G', 'U', 'F'};
static const uint8_t swapped[4] = {'F', 'U', 'G', 'G'};

ggk_status ggk_source_byte_order(const ggk_source *source, bool *big_endian,
                                 ggk_error *err)
{
    uint8_t head[8];
    uint64_t size = ggk_source_size(source);
    ggk_error why;
    ggk_status status;

    *big_endian = false;
    if (size < sizeof head)
        return GGK_OK;
    status = ggk_source_read(source, 0, head, sizeof head, &why);
    if (status == GGK_E_TRUNCATED) /* a stream of fewer bytes */
        return GGK_OK;
    if (status != GGK_OK)
        return ggki_fail_copy(err, &why);
    if (memcmp(head, magic, sizeof magic) == 0 ||
        memcmp(head, swapped, sizeof swapped) == 0)
        *big_endian = load_be32(head + 4) == GGUF_VERSION_MAX;
    return GGK_OK;
}

static ggk_status check_magic(struct ggki_cursor *c, struct ggki_gguf *g,
                              const char *path)
{
    uint64_t most = c->max_bytes < SNIFF_BYTES ? c->max_bytes : SNIFF_BYTES;
    uint64_t have = ggki_cursor_left(c);
    ggk_error *err = c->err;
    ggk_error failure;
    ggk_status status;

    /* What a stranger is, is told from as much of it as there is. */
    c->err = &failure;
    status = ggki_cursor_want(c, have < most ? have : most, "magic");
    c->err = err;
    if (status != GGK_OK && status != GGK_E_TRUNCATED)
        return ggki_fail_copy(err, &failure);
    have = ggki_cursor_ready(c);
    if (have == 0)
        return ggki_cursor_fail(
            c, GGK_E_TRUNCATED, 0, "magic", gguf_header_bytes(3), 0, "%s",
            c->base_off == 0 ? "the file is empty"
                             : "the file ends before this offset");
    if (memcmp(c->image.base, magic, have < 4 ? (size_t)have : 4) != 0 &&
        memcmp(c->image.base, swapped, have < 4 ? (size_t)have : 4) != 0)
        return fail_stranger(c, have, path);
    status = ggki_cursor_skip(c, 4, "magic");
    g->swapped_magic = status == GGK_OK && c->image.base[0] == 'F';
    return status;
}

static ggk_status check_version(struct ggki_cursor *c, struct ggki_gguf *g)
{
    uint64_t pos = c->pos;
    uint32_t version, other;
    ggk_status status = ggki_cursor_u32(c, "version", &version);

    if (status != GGK_OK)
        return status;
    other = load_be32(c->image.base + pos);
    if (g->swapped_magic && version >= 1 && version <= GGUF_VERSION_MAX)
        return ggki_cursor_fail(
            c, GGK_E_MAGIC, 0, "magic", version, other,
            "the magic FUGG says big-endian, the version little-endian");
    if (other == GGUF_VERSION_MAX) {
        /* Only version 3 was ever written in big-endian order. */
        c->big = true;
        version = other;
    } else if (version == 0) {
        return ggki_cursor_fail(c, GGK_E_VERSION, pos, "version", 0,
                                GGUF_VERSION_MAX,
                                "version 0 never existed; versions 1, 2 and 3 "
                                "are known");
    } else if (g->swapped_magic || version > GGUF_VERSION_MAX) {
        if (g->swapped_magic || (version & 0xffff) == 0)
            return ggki_cursor_fail(
                c, GGK_E_VERSION_NEW, pos, "version",
                g->swapped_magic ? other : version, GGUF_VERSION_MAX,
                "version %lu in big-endian order (%lu in little-endian); of "
                "big-endian files only version 3 is known",
                (unsigned long)other, (unsigned long)version);
        return ggki_cursor_fail(c, GGK_E_VERSION_NEW, pos, "version", version,
                                GGUF_VERSION_MAX,
                                "version %lu is not known; versions 1, 2 and "
                                "3 are",
                                (unsigned long)version);
    }
    c->version = version;
    g->version = version;
    g->big = c->big;
    return GGK_OK;
}

/* Refuse a count whose entries, at their smallest, are more than the file. */
static ggk_status check_count(const struct ggki_cursor *c, uint64_t pos,
                              const char *field, uint64_t count,
                              uint32_t min_bytes, const char *noun,
                              uint64_t most)
{
    uint64_t left = ggki_cursor_left(c);

    if (count > left / min_bytes && c->end == GGK_SIZE_UNKNOWN)
        return ggki_cursor_fail(
            c, GGK_E_COUNT, pos, field, count, left / min_bytes,
            "the number of %s is %llu, more than any file can hold (%lu bytes "
            "each at least): damaged",
            noun, (unsigned long long)count, (unsigned long)min_bytes);
    if (count > left / min_bytes)
        return ggki_cursor_fail(
            c, GGK_E_COUNT, pos, field, count, left,
            "the number of %s is %llu, but the %llu bytes left can hold no "
            "more than %llu (%lu bytes each at least): cut short, or damaged",
            noun, (unsigned long long)count, (unsigned long long)left,
            (unsigned long long)(left / min_bytes), (unsigned long)min_bytes);
    if (count > most)
        return ggki_cursor_fail(c, GGK_E_LIMIT, pos, field, count, most,
                                "the number of %s, %llu, is over the limit of "
                                "%llu",
                                noun, (unsigned long long)count,
                                (unsigned long long)most);
    return GGK_OK;
}

static ggk_status read_header(struct ggki_cursor *c, struct ggki_gguf *g,
                              const char *path)
{
    uint64_t tensors_pos, kv_pos;
    ggk_status status = check_magic(c, g, path);

    if (status == GGK_OK)
        status = check_version(c, g);
    if (status != GGK_OK)
        return status;
    tensors_pos = c->pos;
    status = ggki_cursor_count(c, "n_tensors", &g->n_tensors);
    if (status != GGK_OK)
        return status;
    kv_pos = c->pos;
    status = ggki_cursor_count(c, "n_kv", &g->n_kv);
    if (status == GGK_OK)
        status = check_count(c, tensors_pos, "n_tensors", g->n_tensors,
                             gguf_min_info_bytes(g->version), "tensors",
                             GGKI_NAMEMAP_MAX);
    if (status == GGK_OK)
        status = check_count(c, kv_pos, "n_kv", g->n_kv,
                             gguf_min_kv_bytes(g->version), "key-values",
                             GGKI_NAMEMAP_MAX);
    return status;
}

/* -------------------------------------------------------------- key-values */

/* Bytes of the smallest element of that type. */
static uint32_t min_elem_bytes(uint32_t version, uint32_t type)
{
    if (type == GGK_VALUE_STRING)
        return gguf_count_bytes(version);
    if (type == GGK_VALUE_ARRAY)
        return gguf_min_array_bytes(version);
    return (uint32_t)ggk_value_type_bytes(type);
}

static ggk_status push_position(struct ggki_gguf *g, struct ggki_u64s *list,
                                const struct ggki_cursor *c)
{
    return ggki_u64s_push(list, &g->mem, c->pos) ? GGK_OK
                                                 : ggki_fail_memory(c->err);
}

/* The arrays that are open while one is passed over. */
struct array_level {
    uint32_t elem_type;
    uint64_t n;    /* elements in all */
    uint64_t left; /* not passed yet */
};

struct array_stack {
    struct array_level at[GGK_MAX_DEPTH];
    int depth;
};

/* Of "value", an index of 20 digits for each level, and the longest field. */
#define ELEMENT_PATH_BYTES (16 + GGK_MAX_DEPTH * 22)

/* "value[3][1].len": the element at which the stack stands. */
static const char *element_path(const struct array_stack *stack,
                                const char *field, char out[ELEMENT_PATH_BYTES])
{
    int len = snprintf(out, ELEMENT_PATH_BYTES, "value");

    for (int d = 0; d < stack->depth; d++)
        len +=
            snprintf(out + len, (size_t)(ELEMENT_PATH_BYTES - len), "[%llu]",
                     (unsigned long long)(stack->at[d].n - stack->at[d].left));
    snprintf(out + len, (size_t)(ELEMENT_PATH_BYTES - len), ".%s", field);
    return out;
}

/* Rename the place of an error that happened in an element. */
static ggk_status fail_in_element(const struct ggki_cursor *c,
                                  ggk_status status,
                                  const struct array_stack *stack,
                                  const char *field)
{
    char path[ELEMENT_PATH_BYTES];

    if (c->err != NULL && c->err->where[0] != '\0')
        snprintf(c->err->where, sizeof c->err->where, "%s[%llu].%.100s",
                 c->section, (unsigned long long)c->index,
                 element_path(stack, field, path));
    return status;
}

static ggk_status read_array_head(struct ggki_cursor *c,
                                  const struct array_stack *stack,
                                  uint32_t *elem_type, uint64_t *n)
{
    uint64_t pos = c->pos;
    ggk_status status = ggki_cursor_u32(c, "elem_type", elem_type);

    if (status == GGK_OK && *elem_type >= GGK_VALUE_TYPE_COUNT)
        status = ggki_cursor_fail(c, GGK_E_ELEM_TYPE, pos, "elem_type",
                                  *elem_type, GGK_VALUE_TYPE_COUNT - 1,
                                  "%lu is not a value type; the last one is %d",
                                  (unsigned long)*elem_type,
                                  GGK_VALUE_TYPE_COUNT - 1);
    if (status != GGK_OK)
        return fail_in_element(c, status, stack, "elem_type");
    pos = c->pos;
    status = ggki_cursor_count(c, "count", n);
    if (status == GGK_OK)
        status = check_count(c, pos, "count", *n,
                             min_elem_bytes(c->version, *elem_type), "elements",
                             UINT64_MAX);
    return status == GGK_OK ? GGK_OK
                            : fail_in_element(c, status, stack, "count");
}

/* Pass over all strings of a level; in an outermost array, with marks. */
static ggk_status skip_strings(struct ggki_cursor *c, struct ggki_gguf *g,
                               struct array_stack *stack)
{
    struct array_level *level = &stack->at[stack->depth - 1];

    for (;;) {
        uint64_t step = level->left;
        ggk_status status;

        if (stack->depth == 1 && step > GGKI_MARK_STEP)
            step = GGKI_MARK_STEP;
        level->left -= step;
        status = ggki_cursor_hop(c, &step);
        level->left += step; /* what could not be passed */
        if (status != GGK_OK)
            return fail_in_element(c, status, stack, "len");
        if (level->left == 0)
            return GGK_OK;
        status = push_position(g, &g->marks, c);
        if (status != GGK_OK)
            return status;
    }
}

/* Pass over all elements of a level that are not arrays. */
static ggk_status skip_scalars(struct ggki_cursor *c, struct ggki_gguf *g,
                               struct array_stack *stack)
{
    struct array_level *level = &stack->at[stack->depth - 1];
    ggk_status status;

    if (level->elem_type == GGK_VALUE_STRING)
        return skip_strings(c, g, stack);
    /* It cannot overflow: the count was compared with the bytes left. */
    status = ggki_cursor_skip(
        c, sat_mul64(level->left, ggk_value_type_bytes(level->elem_type)),
        "value");
    if (status == GGK_OK)
        level->left = 0;
    return status;
}

/* Open the array at the cursor as a new level. */
static ggk_status push_array(struct ggki_cursor *c, struct array_stack *stack)
{
    uint32_t elem_type;
    uint64_t n;
    ggk_status status;

    if (stack->depth == GGK_MAX_DEPTH) {
        status = ggki_cursor_fail(c, GGK_E_DEPTH, c->pos, "elem_type",
                                  GGK_MAX_DEPTH + 1, GGK_MAX_DEPTH,
                                  "arrays are nested more than %d deep",
                                  GGK_MAX_DEPTH);
        return fail_in_element(c, status, stack, "elem_type");
    }
    status = read_array_head(c, stack, &elem_type, &n);
    if (status == GGK_OK)
        stack->at[stack->depth++] = (struct array_level){elem_type, n, n};
    return status;
}

/* Pass over an array whose head has been read; without recursion. */
static ggk_status skip_array(struct ggki_cursor *c, struct ggki_gguf *g,
                             uint32_t elem_type, uint64_t n)
{
    struct array_stack stack;
    ggk_status status = GGK_OK;

    stack.depth = 1;
    stack.at[0] = (struct array_level){elem_type, n, n};
    while (stack.depth > 0 && status == GGK_OK) {
        struct array_level *level = &stack.at[stack.depth - 1];

        if (level->left == 0) {
            stack.depth--;
            if (stack.depth > 0)
                stack.at[stack.depth - 1].left--;
        } else if (level->elem_type == GGK_VALUE_ARRAY) {
            status = push_array(c, &stack);
        } else {
            status = skip_scalars(c, g, &stack);
        }
    }
    return status;
}

/* Key, type and, for an array, its head. The cursor ends at the value. */
static ggk_status read_kv_head(struct ggki_cursor *c, struct ggki_kv *kv)
{
    static const struct array_stack outside = {.depth = 0};
    ggk_status status =
        ggki_cursor_string(c, "key.len", &kv->key_pos, &kv->key_len);

    if (status != GGK_OK)
        return status;
    kv->type_pos = c->pos;
    status = ggki_cursor_u32(c, "type", &kv->type);
    if (status != GGK_OK)
        return status;
    if (kv->type >= GGK_VALUE_TYPE_COUNT)
        return ggki_cursor_fail(c, GGK_E_KV_TYPE, kv->type_pos, "type",
                                kv->type, GGK_VALUE_TYPE_COUNT - 1,
                                "%lu is not a value type; the last one is %d",
                                (unsigned long)kv->type,
                                GGK_VALUE_TYPE_COUNT - 1);
    kv->elem_type = kv->type;
    kv->n = 1;
    if (kv->type == GGK_VALUE_ARRAY)
        status = read_array_head(c, &outside, &kv->elem_type, &kv->n);
    kv->value_pos = c->pos;
    return status;
}

static ggk_status skip_value(struct ggki_cursor *c, struct ggki_gguf *g,
                             const struct ggki_kv *kv)
{
    uint64_t pos, len;

    if (kv->type == GGK_VALUE_ARRAY)
        return skip_array(c, g, kv->elem_type, kv->n);
    if (kv->type == GGK_VALUE_STRING)
        return ggki_cursor_string(c, "value.len", &pos, &len);
    return ggki_cursor_skip(c, ggk_value_type_bytes(kv->type), "value");
}

static ggk_status read_kvs(struct ggki_cursor *c, struct ggki_gguf *g)
{
    ggk_status status;

    c->section = "kv";
    for (c->index = 0; c->index < g->n_kv; c->index++) {
        struct ggki_kv kv;

        status = push_position(g, &g->kv_pos, c);
        if (status == GGK_OK)
            status = read_kv_head(c, &kv);
        if (status == GGK_OK)
            status = skip_value(c, g, &kv);
        if (status != GGK_OK)
            return status;
    }
    return push_position(g, &g->kv_pos, c);
}

/* --------------------------------------------------------------- alignment */

/* The value of one general.alignment. */
static ggk_status read_alignment(struct ggki_cursor *c,
                                 const struct ggki_gguf *g,
                                 const struct ggki_kv *kv, uint64_t *out)
{
    ggk_value value;
    uint64_t next;

    if (!ggki_value_is_integer(kv->type))
        return ggki_cursor_fail(c, GGK_E_ALIGN_TYPE, kv->type_pos, "type",
                                kv->type, GGK_VALUE_UINT32,
                                "general.alignment is of type %s, not an "
                                "integer",
                                ggk_value_type_name(kv->type));
    if (!ggki_gguf_scalar(g, kv->type, kv->value_pos, c->pos, &value, &next))
        return ggki_fail_changed(c->err);
    if (value.as.u == 0 || (ggki_value_is_signed(kv->type) && value.as.i < 0))
        return ggki_cursor_fail(c, GGK_E_ALIGN, kv->value_pos, "value",
                                value.as.u, 1, "general.alignment is %lld",
                                (long long)value.as.i);
    *out = value.as.u;
    return GGK_OK;
}

/* The alignment from the keys; all keys of that name must agree. */
static ggk_status find_alignment(struct ggki_cursor *c, struct ggki_gguf *g)
{
    static const char name[] = GGUF_ALIGNMENT_KEY;
    bool found = false;
    bool repeats;
    uint64_t first = ggki_gguf_find(g, ggk_cstr(name), &repeats);

    g->alignment = GGUF_DEFAULT_ALIGNMENT;
    g->align_kv = GGK_NONE;
    if (first == GGK_NONE)
        return GGK_OK;
    for (c->index = first; c->index < g->n_kv; c->index++) {
        struct ggki_kv kv;
        uint64_t alignment = 0;
        size_t len = sizeof name; /* its final NUL may be there, or not */
        ggk_status status;

        if (!ggki_gguf_kv(g, c->index, &kv))
            return ggki_fail_changed(c->err);
        if ((kv.key_len != len && kv.key_len != len - 1) ||
            memcmp(name, c->image.base + kv.key_pos, (size_t)kv.key_len) != 0)
            continue;
        status = read_alignment(c, g, &kv, &alignment);
        if (status == GGK_OK && found && alignment != g->alignment)
            status = ggki_cursor_fail(
                c, GGK_E_ALIGN_DUP, kv.value_pos, "value", alignment,
                g->alignment,
                "general.alignment is %llu here but %llu in an earlier key",
                (unsigned long long)alignment,
                (unsigned long long)g->alignment);
        if (status == GGK_OK) {
            g->alignment = alignment;
            g->align_kv = c->index;
            g->align_pos = kv.value_pos;
            found = true;
        }
        status = ggki_cursor_tolerate(c, status);
        if (status != GGK_OK)
            return status;
        if (!repeats)
            break;
    }
    return GGK_OK;
}

/* ------------------------------------------------------------ tensor infos */

/* Read dimension `d`; `*nonzero` is the product of those so far. */
static ggk_status read_dim(struct ggki_cursor *c, uint32_t d, uint64_t *nonzero,
                           uint64_t *out)
{
    static const char *const fields[GGK_MAX_DIMS] = {
        "ne[0]", "ne[1]", "ne[2]", "ne[3]", "ne[4]", "ne[5]", "ne[6]", "ne[7]"};
    uint64_t pos = c->pos;
    ggk_status status = ggki_cursor_count(c, fields[d], out);

    if (status != GGK_OK)
        return status;
    status = ggki_count_dim(*out, nonzero);
    if (status == GGK_E_DIM)
        return ggki_cursor_fail(c, status, pos, fields[d], *out, INT64_MAX,
                                "dimension %llu is 2^63 or more",
                                (unsigned long long)*out);
    if (status == GGK_E_OVERFLOW)
        return ggki_cursor_fail(c, status, pos, fields[d], *out,
                                INT64_MAX / *nonzero,
                                "with this dimension of %llu the tensor has "
                                "more than 2^63-1 elements",
                                (unsigned long long)*out);
    return status;
}

static ggk_status read_dims(struct ggki_cursor *c, struct ggki_info *info)
{
    uint64_t nonzero = 1;
    bool empty = false;

    info->ne_pos = c->pos;
    info->opaque = false;
    for (uint32_t d = 0; d < GGK_MAX_DIMS; d++)
        info->ne[d] = 1;
    for (uint32_t d = 0; d < info->n_dims; d++) {
        ggk_status status = read_dim(c, d, &nonzero, &info->ne[d]);
        if (status == GGK_E_DIM || status == GGK_E_OVERFLOW) {
            info->opaque = true;
            status = ggki_cursor_tolerate(c, status);
        }
        if (status != GGK_OK)
            return status;
        empty = empty || info->ne[d] == 0;
    }
    info->n_elements = empty || info->opaque ? 0 : nonzero;
    return GGK_OK;
}

/* The size by the type, with its padding. */
static ggk_status size_info(struct ggki_cursor *c, const struct ggki_gguf *g,
                            struct ggki_info *info)
{
    const ggk_type_info *type = ggki_type_find(g->types, info->type);
    uint64_t padded;
    ggk_status status;

    info->opaque = info->opaque || ggki_type_is_opaque(type);
    info->bytes = 0;
    if (info->opaque)
        return GGK_OK;
    status = ggki_tensor_bytes(type, info->ne, info->n_dims, &info->bytes);
    if (status == GGK_OK && !ckd_align64(info->bytes, g->alignment, &padded))
        status = GGK_E_OVERFLOW;
    if (status != GGK_OK) {
        info->bytes = 0;
        info->opaque = true;
    }
    if (status == GGK_E_BLOCK)
        status = ggki_cursor_fail(
            c, status, info->n_dims > 0 ? info->ne_pos : info->ne_pos - 4,
            info->n_dims > 0 ? "ne[0]" : "n_dims", info->ne[0], type->block,
            "a row of %llu elements is not a whole number of %s blocks of %lu",
            (unsigned long long)info->ne[0], type->name,
            (unsigned long)type->block);
    else if (status == GGK_E_OVERFLOW)
        status = ggki_cursor_fail(
            c, status, info->ne_pos, "ne", info->n_elements, UINT64_MAX,
            "%llu elements of %s do not fit 64-bit sizes",
            (unsigned long long)info->n_elements, type->name);
    return ggki_cursor_tolerate(c, status);
}

static ggk_status read_info(struct ggki_cursor *c, const struct ggki_gguf *g,
                            struct ggki_info *info)
{
    uint64_t pos;
    ggk_status status =
        ggki_cursor_string(c, "name.len", &info->name_pos, &info->name_len);

    if (status != GGK_OK)
        return status;
    pos = c->pos;
    status = ggki_cursor_u32(c, "n_dims", &info->n_dims);
    if (status == GGK_OK && info->n_dims > GGK_MAX_DIMS)
        status = ggki_cursor_fail(c, GGK_E_NDIMS, pos, "n_dims", info->n_dims,
                                  GGK_MAX_DIMS,
                                  "%lu dimensions; at most %d can be read",
                                  (unsigned long)info->n_dims, GGK_MAX_DIMS);
    if (status == GGK_OK)
        status = read_dims(c, info);
    if (status == GGK_OK)
        status = ggki_cursor_u32(c, "type", &info->type);
    info->offset_pos = c->pos;
    if (status == GGK_OK)
        status = ggki_cursor_u64(c, "offset", &info->offset);
    return status == GGK_OK ? size_info(c, g, info) : status;
}

static ggk_status read_infos(struct ggki_cursor *c, struct ggki_gguf *g)
{
    ggk_status status;

    c->section = "tensor";
    for (c->index = 0; c->index < g->n_tensors; c->index++) {
        struct ggki_info info;

        status = push_position(g, &g->info_pos, c);
        if (status == GGK_OK)
            status = read_info(c, g, &info);
        if (status != GGK_OK)
            return status;
        g->n_opaque += info.opaque;
    }
    return push_position(g, &g->info_pos, c);
}

/* ------------------------------------------------------------- data layout */

/* Where the tensor's data ends, from the start of the GGUF; padding must have
 * room after it too. */
static ggk_status place_tensor(struct ggki_cursor *c, const struct ggki_gguf *g,
                               const struct ggki_info *info, uint64_t *end)
{
    uint64_t start, padded;

    if (!ckd_add64(g->data_pos, info->offset, &start) ||
        !ckd_add64(g->base_off, start, &padded))
        return ggki_cursor_fail(c, GGK_E_OFFSET, info->offset_pos, "offset",
                                info->offset,
                                UINT64_MAX - g->base_off - g->data_pos,
                                "offset %llu from the start of the data is "
                                "past 2^64-1",
                                (unsigned long long)info->offset);
    if (!ckd_add64(start, info->bytes, end) ||
        !ckd_align_after64(g->base_off, *end, g->alignment, &padded))
        return ggki_cursor_fail(c, GGK_E_OVERFLOW, info->offset_pos, "offset",
                                info->bytes, UINT64_MAX - g->base_off - start,
                                "the tensor's %llu bytes from offset %llu and "
                                "their padding end past 2^64-1",
                                (unsigned long long)info->bytes,
                                (unsigned long long)info->offset);
    return GGK_OK;
}

/* Keep all offsets, sorted: they tell how long opaque tensors are. */
static ggk_status sort_offsets(struct ggki_cursor *c, struct ggki_gguf *g)
{
    if (!ggki_u64s_reserve(&g->offsets, &g->mem, g->n_tensors))
        return ggki_fail_memory(c->err);
    for (uint64_t i = 0; i < g->n_tensors; i++) {
        struct ggki_info info;
        if (!ggki_gguf_info(g, i, &info))
            return ggki_fail_changed(c->err);
        g->offsets.at[g->offsets.n++] = info.offset;
    }
    ggki_u64s_sort(&g->offsets);
    return GGK_OK;
}

/* Does the file end before the tensor's data does? */
static bool is_missing(const struct ggki_gguf *g, const struct ggki_info *info,
                       uint64_t end)
{
    if (g->size == GGK_SIZE_UNKNOWN)
        return false;
    if (info->bytes == 0)
        return info->opaque && info->n_elements > 0;
    return end > g->size;
}

/* Place every tensor; find the end of the data and what is missing of it. */
static ggk_status lay_out(struct ggki_cursor *c, struct ggki_gguf *g)
{
    uint64_t missing_offset = UINT64_MAX;

    c->section = "tensor";
    g->data_end = c->pos;
    for (c->index = 0; c->index < g->n_tensors; c->index++) {
        struct ggki_info info;
        uint64_t end = 0;
        ggk_status status;

        if (!ggki_gguf_info(g, c->index, &info))
            return ggki_fail_changed(c->err);
        if (info.opaque && g->size != GGK_SIZE_UNKNOWN)
            info.bytes = ggki_gguf_opaque_bytes(g, info.offset);
        status = place_tensor(c, g, &info, &end);
        if (status != GGK_OK) {
            status = ggki_cursor_tolerate(c, status);
            if (status != GGK_OK)
                return status;
            continue;
        }
        if (is_missing(g, &info, end) && info.offset < missing_offset) {
            missing_offset = info.offset;
            g->first_missing = c->index;
        }
        if (end > g->data_end &&
            (info.bytes > 0 || g->first_missing == c->index))
            g->data_end = end;
    }
    return GGK_OK;
}

/* The data would start past 2^64-1: because of the alignment, or because the
 * GGUF itself starts so far on. */
static ggk_status fail_data_start(struct ggki_cursor *c, struct ggki_gguf *g)
{
    bool aligned = g->align_kv != GGK_NONE;
    ggk_status status;

    c->section = aligned ? "kv" : "header";
    c->index = g->align_kv;
    status = ggki_cursor_fail(c, GGK_E_OVERFLOW, aligned ? g->align_pos : 0,
                              aligned ? "value" : "magic", g->alignment,
                              UINT64_MAX - g->base_off,
                              "aligned to %llu the data starts past 2^64-1",
                              (unsigned long long)g->alignment);
    g->data_pos = c->pos;
    g->data_end = c->pos;
    g->cut = true;
    return ggki_cursor_tolerate(c, status);
}

static ggk_status find_data(struct ggki_cursor *c, struct ggki_gguf *g)
{
    if (!ckd_align_after64(g->base_off, c->pos, g->alignment, &g->data_pos))
        return fail_data_start(c, g);
    if (g->n_opaque > 0) {
        ggk_status status = sort_offsets(c, g);
        if (status != GGK_OK)
            return status;
    }
    return lay_out(c, g);
}

/* ----------------------------------------------------------------- opening */

/* A cursor over entry `i` alone; over nothing if there is no such entry. */
static struct ggki_cursor entry_cursor(const struct ggki_gguf *g,
                                       const struct ggki_u64s *list, uint64_t i)
{
    bool is_there = list->n > 1 && i < list->n - 1;

    return ggki_cursor_over(&g->image, is_there ? list->at[i] : 0,
                            is_there ? list->at[i + 1] : 0, g->version, g->big);
}

/* The string at the start of entry `i`. */
static bool entry_name(const struct ggki_gguf *g, const struct ggki_u64s *list,
                       uint64_t i, ggk_str *out)
{
    struct ggki_cursor c = entry_cursor(g, list, i);
    uint64_t pos, len;

    if (ggki_cursor_string(&c, "", &pos, &len) != GGK_OK)
        return false;
    *out = ggki_gguf_bytes(g, pos, len);
    return true;
}

static bool key_name(const void *owner, uint64_t i, ggk_str *out)
{
    const struct ggki_gguf *g = owner;
    return entry_name(g, &g->kv_pos, i, out);
}

bool ggki_gguf_tensor_name(const struct ggki_gguf *gguf, uint64_t i,
                           ggk_str *out)
{
    return entry_name(gguf, &gguf->info_pos, i, out);
}

static ggk_status index_keys(struct ggki_cursor *c, struct ggki_gguf *g,
                             const uint64_t seed[2])
{
    ggk_status status;

    status = ggki_namemap_build(&g->keys, &g->mem, seed, g->n_kv, key_name, g);
    if (status == GGK_E_NOMEM)
        return ggki_fail_memory(c->err);
    return status == GGK_OK ? GGK_OK : ggki_fail_changed(c->err);
}

/* After `status` in entry c->index a judge goes on with what was read before
 * it: `n` entries, whose positions `list` holds. */
static ggk_status stop_before(struct ggki_cursor *c, struct ggki_gguf *g,
                              ggk_status status, uint64_t *n,
                              const struct ggki_u64s *list)
{
    if (status == GGK_OK)
        return GGK_OK;
    status = ggki_cursor_tolerate(c, status);
    if (status == GGK_OK) {
        g->cut = true;
        *n = c->index;
        c->pos = list->at[c->index];
    }
    return status;
}

static ggk_status read_all(struct ggki_cursor *c, struct ggki_gguf *g,
                           const ggk_open_opts *opts, const char *path)
{
    ggk_status status = read_header(c, g, path);

    if (status != GGK_OK)
        return status;
    c->tolerant = g->judging;
    c->problems = &g->problems;
    status = stop_before(c, g, read_kvs(c, g), &g->n_kv, &g->kv_pos);
    if (status != GGK_OK)
        return status;
    g->keys_cut = g->cut;
    if (g->cut)
        g->n_tensors = 0;
    /* The buffer may still move, but is not read behind the cursor's back. */
    g->image = c->image;
    status = index_keys(c, g, opts->hash_seed);
    if (status == GGK_OK)
        status = find_alignment(c, g);
    if (status == GGK_OK)
        status =
            stop_before(c, g, read_infos(c, g), &g->n_tensors, &g->info_pos);
    g->image = c->image;
    g->size = c->end;
    return status == GGK_OK ? find_data(c, g) : status;
}

static ggk_status open_gguf(struct ggki_gguf *gguf, ggk_source *source,
                            const char *path, const ggk_open_opts *opts,
                            bool judging, ggk_error *err)
{
    struct ggki_cursor c;
    ggk_error failure;
    ggk_status status;

    memset(gguf, 0, sizeof *gguf);
    gguf->source = source;
    gguf->mem = ggki_mem_of(opts->allocator);
    gguf->types = opts->types;
    gguf->base_off = opts->base_off;
    gguf->first_missing = GGK_NONE;
    gguf->judging = judging;
    ggki_cursor_open(&c, source, &gguf->mem, opts->base_off,
                     opts->max_header_bytes, &failure);
    status = read_all(&c, gguf, opts, path);
    gguf->image = ggki_cursor_finish(&c);
    return status == GGK_OK ? GGK_OK : ggki_fail_copy(err, &failure);
}

ggk_status ggki_gguf_open(struct ggki_gguf *gguf, ggk_source *source,
                          const char *path, const ggk_open_opts *opts,
                          ggk_error *err)
{
    return open_gguf(gguf, source, path, opts, false, err);
}

ggk_status ggki_gguf_judge(struct ggki_gguf *gguf, ggk_source *source,
                           const char *path, const ggk_open_opts *opts,
                           ggk_error *err)
{
    return open_gguf(gguf, source, path, opts, true, err);
}

void ggki_gguf_close(struct ggki_gguf *gguf)
{
    ggki_namemap_free(&gguf->keys, &gguf->mem);
    ggki_u64s_free(&gguf->kv_pos, &gguf->mem);
    ggki_u64s_free(&gguf->info_pos, &gguf->mem);
    ggki_u64s_free(&gguf->marks, &gguf->mem);
    ggki_u64s_free(&gguf->offsets, &gguf->mem);
    ggki_problems_free(&gguf->problems, &gguf->mem);
    ggki_image_free(&gguf->image, &gguf->mem);
    ggk_source_close(gguf->source);
    gguf->source = NULL;
}

/* ---------------------------------------------------------------- decoding */

bool ggki_gguf_kv(const struct ggki_gguf *gguf, uint64_t i, struct ggki_kv *out)
{
    struct ggki_cursor c = entry_cursor(gguf, &gguf->kv_pos, i);

    return read_kv_head(&c, out) == GGK_OK;
}

bool ggki_gguf_info(const struct ggki_gguf *gguf, uint64_t i,
                    struct ggki_info *out)
{
    struct ggki_cursor c = entry_cursor(gguf, &gguf->info_pos, i);

    c.tolerant = gguf->judging;
    return read_info(&c, gguf, out) == GGK_OK;
}

/* How many of the ascending numbers are not greater than `x`. */
static size_t count_up_to(const struct ggki_u64s *list, uint64_t x)
{
    size_t low = 0, high = list->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (list->at[mid] > x)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

uint64_t ggki_gguf_mark(const struct ggki_gguf *gguf, uint64_t i, uint64_t *pos,
                        uint64_t end)
{
    /* Marks have positions after the first element's, and ascend. */
    size_t before = count_up_to(&gguf->marks, *pos);
    uint64_t step = i / GGKI_MARK_STEP;

    if (step == 0 || step > gguf->marks.n - before ||
        gguf->marks.at[before + step - 1] >= end)
        return 0;
    *pos = gguf->marks.at[before + step - 1];
    return step * GGKI_MARK_STEP;
}

uint64_t ggki_gguf_opaque_bytes(const struct ggki_gguf *gguf, uint64_t offset)
{
    size_t next = count_up_to(&gguf->offsets, offset);
    uint64_t start;

    if (next < gguf->offsets.n)
        return gguf->offsets.at[next] - offset;
    if (gguf->size == GGK_SIZE_UNKNOWN)
        return GGK_SIZE_UNKNOWN;
    if (!ckd_add64(gguf->data_pos, offset, &start) || start > gguf->size)
        return 0;
    return gguf->size - start;
}

uint64_t ggki_gguf_find(const struct ggki_gguf *gguf, ggk_str key,
                        bool *repeats)
{
    return ggki_namemap_find(&gguf->keys, gguf, key, repeats);
}

bool ggki_gguf_array(const struct ggki_gguf *gguf, uint64_t pos, uint64_t end,
                     uint32_t *elem_type, uint64_t *n, uint64_t *next)
{
    static const struct array_stack outside = {.depth = 0};
    struct ggki_cursor c =
        ggki_cursor_over(&gguf->image, pos, end, gguf->version, gguf->big);

    if (pos > c.end || read_array_head(&c, &outside, elem_type, n) != GGK_OK)
        return false;
    *next = c.pos;
    return true;
}

/* A string at `pos`. */
static bool scalar_string(const struct ggki_gguf *g, uint64_t pos, uint64_t end,
                          ggk_str *out, uint64_t *next)
{
    struct ggki_cursor c =
        ggki_cursor_over(&g->image, pos, end, g->version, g->big);
    uint64_t at, len;

    if (pos > c.end || ggki_cursor_string(&c, "", &at, &len) != GGK_OK)
        return false;
    *out = ggki_gguf_bytes(g, at, len);
    *next = c.pos;
    return true;
}

bool ggki_gguf_scalar(const struct ggki_gguf *gguf, uint32_t type, uint64_t pos,
                      uint64_t end, ggk_value *out, uint64_t *next)
{
    const uint8_t *p;
    bool big = gguf->big;

    out->type = type;
    if (type == GGK_VALUE_STRING)
        return scalar_string(gguf, pos, end, &out->as.s, next);
    if (end > gguf->image.bytes)
        end = gguf->image.bytes;
    if (pos > end || end - pos < ggk_value_type_bytes(type))
        return false;
    p = gguf->image.base + pos;
    *next = pos + ggk_value_type_bytes(type);
    switch ((ggk_value_type)type) {
    case GGK_VALUE_UINT8:
    case GGK_VALUE_BOOL: out->as.u = *p; return true;
    case GGK_VALUE_INT8: out->as.i = (int8_t)*p; return true;
    case GGK_VALUE_UINT16: out->as.u = load_u16(p, big); return true;
    case GGK_VALUE_INT16: out->as.i = (int16_t)load_u16(p, big); return true;
    case GGK_VALUE_UINT32: out->as.u = load_u32(p, big); return true;
    case GGK_VALUE_INT32: out->as.i = (int32_t)load_u32(p, big); return true;
    case GGK_VALUE_UINT64: out->as.u = load_u64(p, big); return true;
    case GGK_VALUE_INT64: out->as.i = (int64_t)load_u64(p, big); return true;
    case GGK_VALUE_FLOAT32: out->as.f = (double)load_f32(p, big); return true;
    case GGK_VALUE_FLOAT64: out->as.f = load_f64(p, big); return true;
    case GGK_VALUE_STRING:
    case GGK_VALUE_ARRAY: break;
    }
    return false; /* an array, or no type */
}
