/* transcode.c - one walk over a value, which counts the bytes of its new
 * encoding or writes them, through a small buffer and without recursion.
 */
#include "format/transcode.h"

#include "base/ckd.h"
#include "format/block_swap.h"
#include "format/cursor.h"
#include "format/gguf_layout.h"

#define BUFFER_BYTES 4096

/* An array of which some elements are still to come. */
struct open_array {
    uint32_t elem_type;
    uint64_t left;
};

struct recoder {
    struct ggki_cursor in;
    struct ggki_encoding to;
    uint64_t n_bytes;  /* counted or written so far, */
    uint64_t promised; /* of so many */
    ggki_put *put;     /* NULL: count only */
    void *ctx;
    ggk_error *err;
    struct open_array at[GGK_MAX_DEPTH];
    int depth;
    size_t n_held;
    uint8_t held[BUFFER_BYTES];
};

static ggk_status flush_held(struct recoder *r)
{
    size_t n = r->n_held;

    r->n_held = 0;
    return n > 0 ? r->put(r->ctx, r->held, n) : GGK_OK;
}

/* Before `bytes` more are written: may they be? */
static ggk_status count_bytes(struct recoder *r, uint64_t bytes)
{
    uint64_t sum;

    if (!ckd_add64(r->n_bytes, bytes, &sum))
        return ggki_fail(r->err, GGK_E_OVERFLOW,
                         "the value would take more than 2^64 bytes");
    if (sum > r->promised)
        return ggki_fail_changed(r->err);
    r->n_bytes = sum;
    return GGK_OK;
}

static ggk_status emit_bytes(struct recoder *r, const uint8_t *bytes,
                             uint64_t n)
{
    ggk_status status = count_bytes(r, n);

    if (status != GGK_OK || r->put == NULL || n == 0)
        return status;
    if (n > BUFFER_BYTES - r->n_held)
        status = flush_held(r);
    if (status != GGK_OK)
        return status;
    if (n > BUFFER_BYTES)
        return r->put(r->ctx, bytes, (size_t)n);
    memcpy(r->held + r->n_held, bytes, (size_t)n);
    r->n_held += (size_t)n;
    return GGK_OK;
}

/* The same for `n` words of `width` bytes, which are swapped. */
static ggk_status emit_swapped(struct recoder *r, const uint8_t *bytes,
                               uint64_t n, size_t width)
{
    ggk_status status = count_bytes(r, n * width);

    if (r->put == NULL)
        return status;
    while (n > 0 && status == GGK_OK) {
        size_t room = (BUFFER_BYTES - r->n_held) / width;
        size_t some = n < room ? (size_t)n : room;

        if (some == 0) {
            status = flush_held(r);
            continue;
        }
        memcpy(r->held + r->n_held, bytes, some * width);
        ggki_swap_words(r->held + r->n_held, some, width);
        r->n_held += some * width;
        bytes += some * width;
        n -= some;
    }
    return status;
}

static ggk_status emit_number(struct recoder *r, uint64_t v, size_t width)
{
    uint8_t bytes[8];

    for (size_t i = 0; i < width; i++)
        bytes[r->to.big ? width - 1 - i : i] = (uint8_t)(v >> 8 * i);
    return emit_bytes(r, bytes, width);
}

static ggk_status emit_count(struct recoder *r, uint64_t v)
{
    return emit_number(r, v, gguf_count_bytes(r->to.version));
}

/* `n` elements of fixed size. */
static ggk_status recode_words(struct recoder *r, uint64_t n, size_t width)
{
    const uint8_t *from = r->in.image.base + r->in.pos;

    if (n > ggki_cursor_left(&r->in) / width)
        return ggki_fail_changed(r->err);
    r->in.pos += n * width;
    return r->in.big == r->to.big || width == 1
               ? emit_bytes(r, from, n * width)
               : emit_swapped(r, from, n, width);
}

static ggk_status recode_string(struct recoder *r)
{
    uint64_t pos, len;
    ggk_status status;

    if (ggki_cursor_string(&r->in, "", &pos, &len) != GGK_OK)
        return ggki_fail_changed(r->err);
    status = emit_count(r, len);
    if (status == GGK_OK)
        status = emit_bytes(r, r->in.image.base + pos, len);
    return status;
}

/* The head of an array, which is one more level then. */
static ggk_status recode_head(struct recoder *r)
{
    uint32_t elem_type;
    uint64_t n;
    ggk_status status;

    if (r->depth == GGK_MAX_DEPTH ||
        ggki_cursor_u32(&r->in, "", &elem_type) != GGK_OK ||
        elem_type >= GGK_VALUE_TYPE_COUNT ||
        ggki_cursor_count(&r->in, "", &n) != GGK_OK ||
        n > ggki_cursor_left(&r->in))
        return ggki_fail_changed(r->err);
    r->at[r->depth++] = (struct open_array){elem_type, n};
    status = emit_number(r, elem_type, 4);
    return status == GGK_OK ? emit_count(r, n) : status;
}

/* Some of the elements of the innermost array: one that is a string or an
 * array, or all of them. */
static ggk_status recode_elements(struct recoder *r)
{
    struct open_array *array = &r->at[r->depth - 1];
    uint64_t n = array->left;

    if (array->elem_type == GGK_VALUE_ARRAY ||
        array->elem_type == GGK_VALUE_STRING) {
        array->left--;
        return array->elem_type == GGK_VALUE_ARRAY ? recode_head(r)
                                                   : recode_string(r);
    }
    array->left = 0;
    return recode_words(r, n, ggk_value_type_bytes(array->elem_type));
}

static ggk_status recode_array(struct recoder *r)
{
    ggk_status status = recode_head(r);

    while (status == GGK_OK && r->depth > 0) {
        if (r->at[r->depth - 1].left == 0)
            r->depth--;
        else
            status = recode_elements(r);
    }
    return status;
}

static ggk_status recode_value(struct recoder *r, uint32_t type)
{
    if (type >= GGK_VALUE_TYPE_COUNT)
        return ggki_fail_changed(r->err);
    if (type == GGK_VALUE_ARRAY)
        return recode_array(r);
    if (type == GGK_VALUE_STRING)
        return recode_string(r);
    return recode_words(r, 1, ggk_value_type_bytes(type));
}

static void recoder_init(struct recoder *r,
                         const struct ggki_stored_value *value,
                         struct ggki_encoding to, ggk_error *err)
{
    struct ggki_image image = {value->bytes, value->n_bytes, NULL, 0};

    r->in = ggki_cursor_over(&image, 0, value->n_bytes, value->encoding.version,
                             value->encoding.big);
    r->to = to;
    r->n_bytes = 0;
    r->promised = UINT64_MAX;
    r->put = NULL;
    r->ctx = NULL;
    r->err = err;
    r->depth = 0;
    r->n_held = 0;
}

/* The whole value, and nothing after it. */
static ggk_status recode_all(struct recoder *r, uint32_t type)
{
    ggk_status status = recode_value(r, type);

    if (status == GGK_OK && ggki_cursor_left(&r->in) > 0)
        return ggki_fail_changed(r->err);
    return status;
}

static ggk_status check_encoding(struct ggki_encoding to, ggk_error *err)
{
    if (to.version < 2 || to.version > GGUF_VERSION_MAX)
        return ggki_fail(err, GGK_E_ARG, "version %lu is not written",
                         (unsigned long)to.version);
    return GGK_OK;
}

static bool is_as_wide(struct ggki_encoding a, struct ggki_encoding b)
{
    return gguf_count_bytes(a.version) == gguf_count_bytes(b.version);
}

ggk_status ggki_value_recoded_bytes(const struct ggki_stored_value *value,
                                    struct ggki_encoding to, uint64_t *out,
                                    ggk_error *err)
{
    struct recoder r;
    ggk_status status = check_encoding(to, err);

    *out = 0;
    if (status != GGK_OK)
        return status;
    if (is_as_wide(value->encoding, to)) {
        *out = value->n_bytes;
        return GGK_OK;
    }
    recoder_init(&r, value, to, err);
    status = recode_all(&r, value->type);
    if (status == GGK_OK)
        *out = r.n_bytes;
    return status;
}

ggk_status ggki_value_recode(const struct ggki_stored_value *value,
                             struct ggki_encoding to, uint64_t promised,
                             ggki_put *put, void *ctx, ggk_error *err)
{
    struct recoder r;
    ggk_status status = check_encoding(to, err);

    if (status != GGK_OK)
        return status;
    recoder_init(&r, value, to, err);
    r.promised = promised;
    r.put = put;
    r.ctx = ctx;
    if (is_as_wide(value->encoding, to) && value->encoding.big == to.big)
        status = emit_bytes(&r, value->bytes, value->n_bytes);
    else
        status = recode_all(&r, value->type);
    if (status == GGK_OK && r.n_bytes != promised)
        status = ggki_fail_changed(err);
    if (status == GGK_OK)
        status = flush_held(&r);
    return status;
}
