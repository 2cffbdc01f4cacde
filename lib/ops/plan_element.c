/* plan_element.c - one element of a planned array, changed in its bytes; and a
 * planned value, to be looked at.
 *
 * The array is first copied in the encoding of version 3, little-endian, which
 * changes no bit of any element, and then only ever changed in that copy.
 */
#include <string.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/store.h"
#include "format/cursor.h"
#include "format/gguf_layout.h"
#include "format/writer.h"
#include "io/source.h"
#include "model/builder.h"
#include "ops/plan.h"

static const struct ggki_encoding plain = {GGUF_VERSION_MAX, false};

#define COUNT_AT 4 /* in an array: where its number of elements is stored */

/* A block of memory that is being filled. */
struct filling {
    char *bytes;
    size_t n;
};

static ggk_status put_bytes(void *ctx, const void *bytes, size_t n)
{
    struct filling *to = ctx;

    if (n > 0) /* `bytes` may be NULL for nothing */
        memcpy(to->bytes + to->n, bytes, n);
    to->n += n;
    return GGK_OK;
}

/* -------------------------------------------------------------- our own copy
 */

static ggk_status own_value(ggk_plan *plan, struct ggki_plan_kv *kv,
                            ggk_error *err)
{
    struct filling to = {NULL, 0};
    uint64_t bytes;
    ggk_status status;

    if (kv->owns_value && !kv->value.encoding.big &&
        kv->value.encoding.version == plain.version)
        return GGK_OK;
    status = ggki_value_recoded_bytes(&kv->value, plain, &bytes, err);
    if (status != GGK_OK)
        return status;
    if (bytes < SIZE_MAX)
        to.bytes = ggki_mem_resize(&plan->mem, NULL, 0, (size_t)bytes + 1);
    if (to.bytes == NULL)
        return ggki_fail_memory(err);
    status = ggki_value_recode(&kv->value, plain, bytes, put_bytes, &to, err);
    if (status == GGK_OK)
        ggki_plan_take_value(plan, kv, to.bytes, to.n);
    else
        ggki_mem_release(&plan->mem, to.bytes, (size_t)bytes + 1);
    return status;
}

/* ------------------------------------------------------------ its elements */

struct array_head {
    uint32_t elem_type;
    uint64_t n;
};

static bool take_head(struct ggki_cursor *c, struct array_head *out)
{
    return ggki_cursor_u32(c, "", &out->elem_type) == GGK_OK &&
           out->elem_type < GGK_VALUE_TYPE_COUNT &&
           ggki_cursor_count(c, "", &out->n) == GGK_OK;
}

/* Pass over `n` elements that are no arrays. */
static bool skip_flat(struct ggki_cursor *c, uint32_t type, uint64_t n)
{
    uint64_t bytes;

    if (type == GGK_VALUE_STRING)
        return ggki_cursor_hop(c, &n) == GGK_OK;
    return ckd_mul64(n, ggk_value_type_bytes(type), &bytes) &&
           bytes <= ggki_cursor_left(c) &&
           ggki_cursor_skip(c, bytes, "") == GGK_OK;
}

/* Pass over `n` elements of any type, in which arrays are nested at most
 * `depth` deep. */
static bool skip_elements(struct ggki_cursor *c, uint32_t type, uint64_t n,
                          int depth)
{
    struct array_head at[GGK_MAX_DEPTH + 1];
    int top = 0;

    at[0] = (struct array_head){type, n};
    while (top >= 0) {
        struct array_head *level = &at[top];

        if (level->elem_type != GGK_VALUE_ARRAY) {
            if (!skip_flat(c, level->elem_type, level->n))
                return false;
            top--;
        } else if (level->n == 0) {
            top--;
        } else {
            level->n--;
            if (top == depth || !take_head(c, &at[++top]))
                return false;
        }
    }
    return true;
}

static struct ggki_cursor cursor_over(const void *bytes, uint64_t n)
{
    struct ggki_image image = {bytes, n, NULL, 0};

    return ggki_cursor_over(&image, 0, n, plain.version, plain.big);
}

/* ------------------------------------------------------------- one of them */

/* Bytes [from, to) of the stored array are to become others. */
struct splice {
    size_t from, to;
    uint64_t n; /* elements, before */
};

static ggk_status find_element(const struct ggki_plan_kv *kv, uint64_t i,
                               uint32_t type, struct splice *out,
                               ggk_error *err)
{
    struct ggki_cursor c = cursor_over(kv->value.bytes, kv->value.n_bytes);
    struct array_head head;

    if (!take_head(&c, &head))
        return ggki_fail_changed(err);
    if (head.elem_type != type)
        return ggki_fail(
            err, GGK_E_TYPE, "the array holds elements of type %s, not %s",
            ggk_value_type_name(head.elem_type), ggk_value_type_name(type));
    if (i > head.n)
        return ggki_fail_index(err, "element", i, head.n);
    out->n = head.n;
    out->from = out->to = (size_t)kv->value.n_bytes;
    if (i == head.n)
        return GGK_OK; /* behind all of them, however many there are */
    if (!skip_elements(&c, type, i, GGK_MAX_DEPTH - 1))
        return ggki_fail_changed(err);
    out->from = (size_t)c.pos;
    if (!skip_elements(&c, type, 1, GGK_MAX_DEPTH - 1))
        return ggki_fail_changed(err);
    out->to = (size_t)c.pos;
    return GGK_OK;
}

/* Would the array, with this element, be nested too deep? */
static ggk_status check_depth(uint32_t type, ggk_str value, ggk_error *err)
{
    struct ggki_cursor c = cursor_over(value.ptr, value.len);

    if (type != GGK_VALUE_ARRAY ||
        skip_elements(&c, type, 1, GGK_MAX_DEPTH - 1))
        return GGK_OK;
    return ggki_fail(err, GGK_E_DEPTH, "arrays are nested more than %d deep",
                     GGK_MAX_DEPTH);
}

/* The value once more, with other bytes in the place of some. */
static ggk_status splice_value(ggk_plan *plan, struct ggki_plan_kv *kv,
                               const struct splice *s, ggk_str value,
                               ggk_error *err)
{
    const char *old = kv->value.bytes;
    size_t rest = (size_t)kv->value.n_bytes - s->to;
    struct filling to = {NULL, 0};

    if (value.len <= SIZE_MAX / 2 - (size_t)kv->value.n_bytes)
        to.bytes = ggki_mem_resize(&plan->mem, NULL, 0,
                                   s->from + value.len + rest + 1);
    if (to.bytes == NULL)
        return ggki_fail_memory(err);
    (void)put_bytes(&to, old, s->from);
    (void)put_bytes(&to, value.ptr, value.len);
    (void)put_bytes(&to, old + s->to, rest);
    ggki_plan_take_value(plan, kv, to.bytes, to.n);
    return GGK_OK;
}

/* Put bytes behind the value. Room for as many again as half of it is made, so
 * that many elements, one by one, are not copied each time. */
static ggk_status append_bytes(ggk_plan *plan, struct ggki_plan_kv *kv,
                               ggk_str value, ggk_error *err)
{
    size_t n = (size_t)kv->value.n_bytes, room;
    char *bytes = ggki_mem_own(kv->value.bytes);

    if (value.len >= SIZE_MAX / 2 - n)
        return ggki_fail_memory(err);
    if (n + value.len >= kv->value_room) {
        room = n + value.len + 1;
        room += room / 2;
        bytes = ggki_mem_resize(&plan->mem, bytes, kv->value_room, room);
        if (bytes == NULL)
            return ggki_fail_memory(err);
        kv->value.bytes = bytes;
        kv->value_room = room;
    }
    if (value.len > 0)
        memcpy(bytes + n, value.ptr, value.len);
    kv->value.n_bytes += value.len;
    return GGK_OK;
}

/* Put an element of the same size into its place. */
static void overwrite(struct ggki_plan_kv *kv, const struct splice *s,
                      ggk_str value)
{
    memcpy((char *)ggki_mem_own(kv->value.bytes) + s->from, value.ptr,
           value.len);
}

ggk_status ggk_plan_set_element(ggk_plan *plan, uint32_t file, ggk_str key,
                                uint64_t i, const ggk_builder *value,
                                ggk_error *err)
{
    struct ggki_plan_file *f;
    struct ggki_plan_kv *kv;
    struct splice splice = {0, 0, 0};
    uint32_t type;
    ggk_str bytes;
    ggk_status status = ggki_plan_kv_of(plan, file, key, &f, &kv, err);

    if (status != GGK_OK)
        return status;
    if (!ggki_builder_value(value, &type, &bytes))
        return ggki_fail(err, GGK_E_ARG, "the builder holds no whole value");
    if (kv->value.type != GGK_VALUE_ARRAY)
        return ggki_fail(err, GGK_E_TYPE,
                         "the value is no array: it has no elements");
    status = check_depth(type, bytes, err);
    if (status == GGK_OK)
        status = own_value(plan, kv, err);
    if (status == GGK_OK)
        status = find_element(kv, i, type, &splice, err);
    if (status != GGK_OK)
        return status;
    if (i == splice.n)
        status = append_bytes(plan, kv, bytes, err);
    else if (bytes.len == splice.to - splice.from)
        overwrite(kv, &splice, bytes);
    else
        status = splice_value(plan, kv, &splice, bytes, err);
    if (status == GGK_OK && i == splice.n)
        store_u64((uint8_t *)ggki_mem_own(kv->value.bytes) + COUNT_AT,
                  splice.n + 1, plain.big);
    return status;
}

/* -------------------------------------------------------------------- views */

/* A GGUF that holds one key-value, in memory of its own. */
struct view_source {
    ggk_source source;
    struct filling file;
    size_t capacity;
};

static void close_view(ggk_source *source)
{
    struct view_source *self = (struct view_source *)source;

    ggki_mem_release(&source->mem, self->file.bytes, self->capacity);
    ggki_source_delete(source, sizeof *self);
}

static ggk_status put_written(void *ctx, const void *data, size_t bytes,
                              ggk_error *err)
{
    struct view_source *self = ctx;

    if (bytes > self->capacity - self->file.n)
        return ggki_fail_changed(err);
    return put_bytes(&self->file, data, bytes);
}

static ggk_status put_value(void *ctx, const void *data, size_t bytes)
{
    struct ggki_writer *w = ctx;

    ggki_writer_bytes(w, data, bytes);
    return w->status;
}

static ggk_status write_view(const struct ggki_plan_file *f,
                             const struct ggki_plan_kv *kv,
                             struct view_source *self, ggk_error *err)
{
    struct ggki_encoding to = {f->version, f->big};
    struct ggki_writer *w = ggki_mem_zero(&self->source.mem, sizeof *w);
    ggk_status status;

    if (w == NULL)
        return ggki_fail_memory(err);
    ggki_writer_start(w, put_written, self, f->version, f->big, err);
    ggki_writer_head(w, 0, 1);
    ggki_writer_string(w, kv->key);
    ggki_writer_u32(w, kv->value.type);
    status =
        ggki_value_recode(&kv->value, to, kv->value_bytes, put_value, w, err);
    if (status == GGK_OK)
        status = ggki_writer_finish(w);
    ggki_mem_release(&self->source.mem, w, sizeof *w);
    self->source.view = (const uint8_t *)self->file.bytes;
    self->source.view_bytes = self->file.n;
    self->source.size = self->file.n;
    return status;
}

static ggk_status make_view(ggk_plan *plan, struct ggki_plan_file *f,
                            struct ggki_plan_kv *kv, ggk_source **out,
                            ggk_error *err)
{
    static const struct ggki_source_ops ops = {NULL, close_view};
    struct view_source *self;
    uint64_t bytes;
    ggk_status status = ggki_plan_kv_bytes(f, kv, &bytes, err);

    *out = NULL;
    if (status != GGK_OK)
        return status;
    if (bytes > SIZE_MAX / 2)
        return ggki_fail_memory(err);
    *out = ggki_source_new(sizeof *self, &ops, &plan->mem);
    self = (struct view_source *)*out;
    if (self == NULL)
        return ggki_fail_memory(err);
    self->file.bytes = ggki_mem_resize(&plan->mem, NULL, 0,
                                       GGKI_PLAN_HEAD_BYTES + (size_t)bytes);
    if (self->file.bytes == NULL)
        return ggki_fail_memory(err);
    self->capacity = GGKI_PLAN_HEAD_BYTES + (size_t)bytes;
    return write_view(f, kv, self, err);
}

ggk_status ggk_plan_view_kv(ggk_plan *plan, uint32_t file, ggk_str key,
                            ggk_model **out, ggk_error *err)
{
    ggk_open_opts opts = {.struct_bytes = sizeof opts,
                          .flags = GGK_OPEN_SINGLE,
                          .allocator = &plan->mem};
    struct ggki_plan_file *f;
    struct ggki_plan_kv *kv;
    ggk_source *source;
    ggk_status status = ggki_plan_kv_of(plan, file, key, &f, &kv, err);

    *out = NULL;
    if (status != GGK_OK)
        return status;
    status = make_view(plan, f, kv, &source, err);
    if (status == GGK_OK)
        return ggk_model_open_source(source, &opts, out, err);
    ggk_source_close(source);
    return status;
}
