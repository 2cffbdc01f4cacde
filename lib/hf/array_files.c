/* array_files.c - the headers of safetensors and .npy files. */
#include "hf/array_files.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* ------------------------------------------------------------------- arrays */

static const struct {
    const char *type, *dtype, *descr;
} plain_types[] = {
    {"F32", "F32", "<f4"}, {"F16", "F16", "<f2"},   {"F64", "F64", "<f8"},
    {"I8", "I8", "|i1"},   {"I16", "I16", "<i2"},   {"I32", "I32", "<i4"},
    {"I64", "I64", "<i8"}, {"BF16", "BF16", "<u2"}, /* numpy has none */
};

void ggki_array_of(const ggk_type_info *info, uint32_t n_dims,
                   const uint64_t *ne, uint64_t bytes, struct ggki_array *out)
{
    memset(out, 0, sizeof *out);
    out->dtype = "U8";
    out->descr = "|u1";
    out->n_dims = n_dims;
    memcpy(out->shape, ne, n_dims * sizeof *ne);
    for (size_t i = 0; i < sizeof plain_types / sizeof plain_types[0]; i++) {
        if (info == NULL || strcmp(info->name, plain_types[i].type) != 0)
            continue;
        out->dtype = plain_types[i].dtype;
        out->descr = plain_types[i].descr;
        return;
    }
    out->type = info != NULL ? info->name : "?";
    if (info == NULL || n_dims == 0 ||
        ggk_type_row_bytes(info, ne[0], &out->shape[0], NULL) != GGK_OK) {
        out->n_dims = 1;
        out->shape[0] = bytes;
    }
}

/* --------------------------------------------------------------------- text */

struct out {
    ggki_array_put *put;
    void *ctx;
};

static void put_text(const struct out *o, const char *s)
{
    o->put(o->ctx, s, strlen(s));
}

static void put_number(const struct out *o, uint64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);

    o->put(o->ctx, digits, (size_t)len);
}

/* UTF-8 within the quotes of a JSON string. */
static void put_escaped(const struct out *o, ggk_str s)
{
    size_t from = 0;

    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        char escape[8];

        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        o->put(o->ctx, s.ptr + from, i - from);
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
        put_text(o, escape);
        from = i + 1;
    }
    if (s.len > from)
        o->put(o->ctx, s.ptr + from, s.len - from);
}

/* Dimensions the way others have them, the row length last. */
static void put_shape(const struct out *o, const uint64_t *ne, uint32_t n,
                      const char *between)
{
    for (uint32_t d = n; d-- > 0;) {
        put_number(o, ne[d]);
        if (d > 0)
            put_text(o, between);
    }
}

/* -------------------------------------------------------------- safetensors */

bool ggki_safetensors_name_ok(ggk_str name)
{
    static const char metadata[] = "__metadata__";

    return ggki_utf8_invalid(name) == name.len &&
           !(name.len == sizeof metadata - 1 &&
             memcmp(name.ptr, metadata, name.len) == 0);
}

/* In the metadata, of a tensor that is bytes. */
static void put_type(const struct out *o, const struct ggki_array *a)
{
    put_text(o, ",\"gguf.type.");
    put_escaped(o, a->name);
    put_text(o, "\":\"");
    put_text(o, a->type);
    put_text(o, "\"");
}

static void put_tensor(const struct out *o, const struct ggki_array *a)
{
    put_text(o, ",\"");
    put_escaped(o, a->name);
    put_text(o, "\":{\"dtype\":\"");
    put_text(o, a->dtype);
    put_text(o, "\",\"shape\":[");
    put_shape(o, a->shape, a->n_dims, ",");
    put_text(o, "],\"data_offsets\":[");
    put_number(o, a->begin);
    put_text(o, ",");
    put_number(o, a->end);
    put_text(o, "]}");
}

void ggki_safetensors_header(ggki_array_put *put, void *ctx, uint64_t n,
                             ggki_array_at *at, const void *at_ctx)
{
    const struct out o = {put, ctx};
    struct ggki_array a;

    put_text(&o, "{\"__metadata__\":{\"format\":\"gguf\"");
    for (uint64_t i = 0; i < n; i++) {
        at(at_ctx, i, &a);
        if (a.type != NULL)
            put_type(&o, &a);
    }
    put_text(&o, "}");
    for (uint64_t i = 0; i < n; i++) {
        at(at_ctx, i, &a);
        put_tensor(&o, &a);
    }
    put_text(&o, "}");
}

/* --------------------------------------------------------------------- .npy */

#define NPY_ALIGN 64
#define NPY_MOST  512 /* eight dimensions of 20 digits, and all else */

void ggki_npy_header(ggki_array_put *put, void *ctx, const struct ggki_array *a)
{
    char head[NPY_MOST] = "\x93NUMPY\x01";
    size_t n = 10; /* magic, version, length */
    size_t end;

    n += (size_t)snprintf(head + n, sizeof head - n,
                          "{'descr': '%s', 'fortran_order': False, "
                          "'shape': (",
                          a->descr);
    for (uint32_t d = a->n_dims; d-- > 0;)
        n +=
            (size_t)snprintf(head + n, sizeof head - n, "%llu,%s",
                             (unsigned long long)a->shape[d], d > 0 ? " " : "");
    n += (size_t)snprintf(head + n, sizeof head - n, "), }");
    end = n + NPY_ALIGN - n % NPY_ALIGN; /* at least the newline */
    memset(head + n, ' ', end - n);
    head[end - 1] = '\n';
    head[8] = (char)((end - 10) & 0xff);
    head[9] = (char)((end - 10) >> 8);
    put(ctx, head, end);
}
