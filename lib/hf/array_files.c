/* array_files.c - the headers of safetensors and .npy files. */
#include "hf/array_files.h"

#include <stdio.h>
#include <string.h>

#include "base/store.h"
#include "base/str.h"
#include "base/utf8.h"

/* ------------------------------------------------------------------- arrays */

static const struct {
    const char *name, *dtype, *descr;
    uint32_t width;
} plain_types[] = {
    {"F32", "F32", "<f4", 4}, {"F16", "F16", "<f2", 2},
    {"F64", "F64", "<f8", 8}, {"BF16", "BF16", "<u2", 2}, /* NumPy has none */
    {"I8", "I8", "|i1", 1},   {"I16", "I16", "<i2", 2},
    {"I32", "I32", "<i4", 4}, {"I64", "I64", "<i8", 8},
};

/* A type that a user has named must be one of single numbers, too. */
static bool is_plain(const ggk_type_info *info, size_t i)
{
    return strcmp(info->name, plain_types[i].name) == 0 && info->block == 1 &&
           info->bytes == plain_types[i].width && info->row_extra == 0;
}

static bool find_plain(const ggk_type_info *info, struct ggki_array *out)
{
    for (size_t i = 0; i < sizeof plain_types / sizeof plain_types[0]; i++) {
        if (!is_plain(info, i))
            continue;
        out->dtype = plain_types[i].dtype;
        out->descr = plain_types[i].descr;
        out->width = plain_types[i].width;
        return true;
    }
    return false;
}

/* Rows of bytes; or, where there are no rows, bytes. */
static void shape_bytes(const ggk_type_info *info, uint64_t bytes,
                        struct ggki_array *out)
{
    uint64_t row;

    if (info == NULL || out->n_dims == 0 || bytes == 0 ||
        ggk_type_row_bytes(info, out->shape[0], &row, NULL) != GGK_OK) {
        out->n_dims = 1;
        row = bytes;
    }
    out->shape[0] = row;
}

void ggki_array_of(ggk_str name, uint32_t type, const ggk_type_info *info,
                   uint32_t n_dims, const uint64_t *ne, uint64_t bytes,
                   struct ggki_array *out)
{
    *out = (struct ggki_array){.name = name,
                               .dtype = "U8",
                               .descr = "|u1",
                               .width = 1,
                               .n_dims = n_dims};
    memcpy(out->shape, ne, n_dims * sizeof *ne);
    if (info != NULL && find_plain(info, out))
        return;
    shape_bytes(info, bytes, out);
    if (info != NULL)
        snprintf(out->type, sizeof out->type, "%s", info->name);
    else
        snprintf(out->type, sizeof out->type, "type%lu", (unsigned long)type);
}

/* ------------------------------------------------------------------ writing */

void ggki_array_start(struct ggki_array_writer *w, ggki_array_put *put,
                      void *ctx, ggk_error *err)
{
    w->put = put;
    w->ctx = ctx;
    w->err = err;
    w->status = GGK_OK;
    w->pos = w->n_types = w->n_tensors = 0;
    w->n = 0;
}

static void flush(struct ggki_array_writer *w)
{
    if (w->put != NULL && w->n > 0 && w->status == GGK_OK)
        w->status = w->put(w->ctx, w->buffer, w->n, w->err);
    w->n = 0;
}

ggk_status ggki_array_finish(struct ggki_array_writer *w)
{
    flush(w);
    return w->status;
}

static void put_bytes(struct ggki_array_writer *w, const void *data,
                      size_t bytes)
{
    const char *from = data;

    w->pos += bytes;
    while (bytes > 0) {
        size_t room = sizeof w->buffer - w->n;
        size_t part = bytes < room ? bytes : room;

        memcpy(w->buffer + w->n, from, part);
        w->n += part;
        from += part;
        bytes -= part;
        if (w->n == sizeof w->buffer)
            flush(w);
    }
}

static void put_text(struct ggki_array_writer *w, const char *s)
{
    put_bytes(w, s, strlen(s));
}

static void put_number(struct ggki_array_writer *w, uint64_t n)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    put_text(w, digits);
}

/* Dimensions the way others have them, the row length last. */
static void put_shape(struct ggki_array_writer *w, const struct ggki_array *a,
                      const char *between)
{
    for (uint32_t d = a->n_dims; d-- > 0;) {
        put_number(w, a->shape[d]);
        if (d > 0)
            put_text(w, between);
    }
}

/* Fill up with spaces to a multiple of `to`, after `more` bytes. */
static void put_spaces(struct ggki_array_writer *w, uint64_t more, uint64_t to)
{
    for (uint64_t n = -(w->pos + more) % to; n > 0; n--)
        put_text(w, " ");
}

/* -------------------------------------------------------------- safetensors */

bool ggki_safetensors_name_ok(ggk_str name)
{
    return ggki_utf8_invalid(name) == name.len &&
           !ggki_str_is(name, "__metadata__");
}

/* UTF-8 within the quotes of a JSON string. */
static void put_escaped(struct ggki_array_writer *w, ggk_str s)
{
    size_t from = 0;

    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        char escape[8];

        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        put_bytes(w, s.ptr + from, i - from);
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
        put_text(w, escape);
        from = i + 1;
    }
    if (s.len > from)
        put_bytes(w, s.ptr + from, s.len - from);
}

void ggki_safetensors_begin(struct ggki_array_writer *w, uint64_t json_bytes)
{
    uint8_t length[GGKI_SAFETENSORS_LENGTH_BYTES];

    store_u64(length, json_bytes, false);
    put_bytes(w, length, sizeof length);
    put_text(w, "{");
}

void ggki_safetensors_type(struct ggki_array_writer *w,
                           const struct ggki_array *a)
{
    put_text(w, w->n_types++ == 0 ? "\"__metadata__\":{" : ",");
    put_text(w, "\"gguf.type.");
    put_escaped(w, a->name);
    put_text(w, "\":\"");
    put_escaped(w, ggk_cstr(a->type));
    put_text(w, "\"");
}

void ggki_safetensors_tensor(struct ggki_array_writer *w,
                             const struct ggki_array *a, uint64_t begin,
                             uint64_t end)
{
    if (w->n_tensors++ > 0)
        put_text(w, ",");
    else if (w->n_types > 0)
        put_text(w, "},");
    put_text(w, "\"");
    put_escaped(w, a->name);
    put_text(w, "\":{\"dtype\":\"");
    put_text(w, a->dtype);
    put_text(w, "\",\"shape\":[");
    put_shape(w, a, ",");
    put_text(w, "],\"data_offsets\":[");
    put_number(w, begin);
    put_text(w, ",");
    put_number(w, end);
    put_text(w, "]}");
}

void ggki_safetensors_end(struct ggki_array_writer *w)
{
    put_text(w, "}");
    put_spaces(w, 0, 8);
}

/* --------------------------------------------------------------------- .npy */

#define NPY_PREFIX_BYTES 10 /* magic, version, bytes of text */
#define NPY_ALIGN        64
#define NPY_GROWTH       21 /* room for the first dimension to get longer */

static size_t digits_of(uint64_t n)
{
    size_t digits = 1;

    for (; n > 9; n /= 10)
        digits++;
    return digits;
}

/* The text alone, of which the length is to be known before. */
static void put_npy_text(struct ggki_array_writer *w,
                         const struct ggki_array *a)
{
    put_text(w, "{'descr': '");
    put_text(w, a->descr);
    put_text(w, "', 'fortran_order': False, 'shape': (");
    put_shape(w, a, ", ");
    put_text(w, a->n_dims == 1 ? ",), }" : "), }");
    if (a->n_dims > 0)
        for (size_t n = digits_of(a->shape[a->n_dims - 1]); n < NPY_GROWTH; n++)
            put_text(w, " ");
    put_spaces(w, 1, NPY_ALIGN);
    put_text(w, "\n");
}

void ggki_npy_header(struct ggki_array_writer *w, const struct ggki_array *a)
{
    uint8_t prefix[NPY_PREFIX_BYTES] = "\x93NUMPY\x01";
    struct ggki_array_writer measure;

    ggki_array_start(&measure, NULL, NULL, NULL);
    measure.pos = sizeof prefix;
    put_npy_text(&measure, a);
    store_u16(prefix + 8, (uint16_t)(measure.pos - sizeof prefix), false);
    put_bytes(w, prefix, sizeof prefix);
    put_npy_text(w, a);
}
