/* safetensors_in.c - the header of a safetensors file.
 *
 * Source: github.com/huggingface/safetensors, README.md, "Format": eight bytes,
 * the length of the header, little-endian; the header, a JSON object,
 *
 *     {"NAME": {"dtype": "F16", "shape": [1, 16], "data_offsets": [0, 32]},
 *      "__metadata__": {...}}
 *
 * with offsets from its end; the data.
 */
#include "array_in.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_in.h"

#define MOST_HEADER 100000000u /* the format's own limit */

struct safetensors_in {
    struct json_in *doc;
    uint64_t data_off;
    uint64_t data_bytes;
};

/* -------------------------------------------------------------------- types */

/* Those whose elements GGUF has not as numbers: bits. */
static const struct {
    const char *name;
    uint32_t width;
} bit_dtypes[] = {
    {"U64", 8},  {"U32", 4},     {"U16", 2},     {"U8", 1},
    {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"F8_E8M0", 1},
};

/* Of a type that is not known the width stays 0. */
static bool take_dtype(json_in_value v, struct array_in *out)
{
    const struct array_plain *plain;
    size_t n;
    const char *name;

    if (json_in_kind(v) != JSON_IN_STRING)
        return false;
    name = json_in_string(v, &n);
    snprintf(out->dtype, sizeof out->dtype, "%s", name);
    if (strlen(name) != n)
        return true;
    plain = array_plain_named(name);
    if (plain != NULL) {
        out->type = plain->name;
        out->width = plain->width;
    }
    for (size_t i = 0; i < sizeof bit_dtypes / sizeof bit_dtypes[0]; i++)
        if (strcmp(bit_dtypes[i].name, name) == 0)
            out->width = bit_dtypes[i].width;
    return true;
}

/* ---------------------------------------------------------------- one array */

static enum array_read bad_array(struct array_error *err, const char *name,
                                 const char *what)
{
    return array_fail(err, ARRAY_BAD, ARRAY_NOWHERE, "", "\"%.80s\": %s", name,
                      what);
}

static bool take_natural(json_in_value v, uint64_t *out)
{
    struct json_in_integer n;

    if (json_in_kind(v) != JSON_IN_INTEGER)
        return false;
    n = json_in_integer(v);
    *out = n.u;
    return !n.negative;
}

static enum array_read take_dims(json_in_value shape, const char *name,
                                 struct array_in *out, struct array_error *err)
{
    size_t n;

    if (json_in_kind(shape) != JSON_IN_ARRAY)
        return bad_array(err, name, "its shape is no array");
    n = json_in_count(shape);
    if (n > ARRAY_IN_DIMS)
        return array_fail(err, ARRAY_UNSUPPORTED, ARRAY_NOWHERE, "",
                          "\"%.80s\" has more than %d dimensions", name,
                          ARRAY_IN_DIMS);
    for (size_t i = 0; i < n; i++)
        if (!take_natural(json_in_at(shape, i), &out->dims[i]))
            return bad_array(err, name, "a dimension is no count");
    out->n_dims = (uint32_t)n;
    return ARRAY_READ;
}

/* Where it lies, of `data_bytes` bytes. */
static enum array_read take_offsets(json_in_value offsets, uint64_t data_bytes,
                                    const char *name, struct array_in *out,
                                    struct array_error *err)
{
    uint64_t end = 0;

    if (json_in_kind(offsets) != JSON_IN_ARRAY || json_in_count(offsets) != 2 ||
        !take_natural(json_in_at(offsets, 0), &out->off) ||
        !take_natural(json_in_at(offsets, 1), &end))
        return bad_array(err, name, "its data_offsets are not two positions");
    if (out->off > end)
        return bad_array(err, name, "its data ends before it begins");
    if (end > data_bytes)
        return array_fail(err, ARRAY_BAD, ARRAY_NOWHERE, "",
                          "\"%.80s\": its data ends at byte %" PRIu64
                          " of %" PRIu64,
                          name, end, data_bytes);
    out->bytes = end - out->off;
    return ARRAY_READ;
}

/* An array as the header describes it; `off` from the end of the header. */
static enum array_read take_array_entry(json_in_value v, uint64_t data_bytes,
                                        const char *name, struct array_in *out,
                                        struct array_error *err)
{
    json_in_value dtype, shape, offsets;
    enum array_read read;
    uint64_t bytes;

    *out = (struct array_in){.type = NULL};
    if (json_in_kind(v) != JSON_IN_OBJECT ||
        !json_in_find(v, "dtype", &dtype) ||
        !json_in_find(v, "shape", &shape) ||
        !json_in_find(v, "data_offsets", &offsets))
        return bad_array(err, name, "it lacks dtype, shape or data_offsets");
    if (!take_dtype(dtype, out))
        return bad_array(err, name, "its dtype is no name");
    read = take_dims(shape, name, out, err);
    if (read == ARRAY_READ)
        read = take_offsets(offsets, data_bytes, name, out, err);
    if (read != ARRAY_READ || out->width == 0)
        return read;
    if (!array_measure(out->dims, out->n_dims, out->width, &bytes))
        return bad_array(err, name, "it is larger than 2^64 bytes");
    if (bytes == out->bytes)
        return ARRAY_READ;
    return array_fail(err, ARRAY_BAD, ARRAY_NOWHERE, "",
                      "\"%.80s\": %s of its shape take %" PRIu64
                      " bytes, but it has %" PRIu64,
                      name, out->dtype, bytes, out->bytes);
}

/* --------------------------------------------------------------- all arrays */

/* Where one lies. */
struct array_extent {
    uint64_t off, end;
    const char *name;
};

static int compare_array_extents(const void *a, const void *b)
{
    const struct array_extent *x = a, *y = b;

    if (x->off != y->off)
        return x->off < y->off ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* Of those that have bytes, none has any of another's. */
static enum array_read check_apart(struct array_extent *at, size_t n,
                                   struct array_error *err)
{
    const struct array_extent *last = NULL;

    qsort(at, n, sizeof *at, compare_array_extents);
    for (size_t i = 0; i < n; i++) {
        if (at[i].off == at[i].end)
            continue;
        if (last != NULL && at[i].off < last->end)
            return array_fail(err, ARRAY_BAD, ARRAY_NOWHERE, "",
                              "\"%.60s\" and \"%.60s\" overlap", last->name,
                              at[i].name);
        last = &at[i];
    }
    return ARRAY_READ;
}

static size_t count_members_of(json_in_value object)
{
    size_t n = 0;

    for (struct json_in_member m = json_in_first(object); m.name != NULL;
         m = json_in_next(&m))
        n++;
    return n;
}

static enum array_read check_all_arrays(const struct safetensors_in *file,
                                        struct array_error *err)
{
    json_in_value root = json_in_root(file->doc);
    struct array_extent *at;
    size_t n = 0;
    enum array_read read = ARRAY_READ;

    if (json_in_kind(root) != JSON_IN_OBJECT)
        return array_fail(err, ARRAY_BAD, SAFETENSORS_PREFIX, "header",
                          "the header is no object");
    at = malloc((count_members_of(root) + 1) * sizeof *at);
    if (at == NULL)
        return ARRAY_NO_MEMORY;
    for (struct json_in_member m = json_in_first(root);
         m.name != NULL && read == ARRAY_READ; m = json_in_next(&m)) {
        struct array_in a;

        if (strcmp(m.name, "__metadata__") == 0)
            continue;
        read = take_array_entry(m.value, file->data_bytes, m.name, &a, err);
        at[n++] = (struct array_extent){a.off, a.off + a.bytes, m.name};
    }
    if (read == ARRAY_READ)
        read = check_apart(at, n, err);
    free(at);
    return read;
}

/* ---------------------------------------------------------------- the whole */

enum array_read safetensors_in_measure(const char *prefix, size_t n,
                                       uint64_t file_bytes, size_t *json_bytes,
                                       struct array_error *err)
{
    uint64_t length = 0;

    *json_bytes = 0;
    if (n < SAFETENSORS_PREFIX)
        return array_fail(err, ARRAY_BAD, 0, "header_len",
                          "this is no safetensors file: it has no header");
    for (size_t i = SAFETENSORS_PREFIX; i-- > 0;)
        length = length << 8 | (unsigned char)prefix[i];
    if (length > MOST_HEADER)
        return array_fail(err, ARRAY_BAD, 0, "header_len",
                          "this is no safetensors file: a header of %" PRIu64
                          " bytes is more than any has",
                          length);
    if (length > file_bytes - SAFETENSORS_PREFIX)
        return array_fail(err, ARRAY_BAD, 0, "header_len",
                          "the header takes %" PRIu64 " bytes, and the file "
                          "has %" PRIu64,
                          length, file_bytes - SAFETENSORS_PREFIX);
    *json_bytes = (size_t)length;
    return ARRAY_READ;
}

enum array_read safetensors_in_parse(const char *json, size_t n,
                                     uint64_t file_bytes,
                                     struct safetensors_in **out,
                                     struct array_error *err)
{
    struct safetensors_in *file = calloc(1, sizeof *file);
    char why[JSON_IN_WHY];
    enum array_read read = ARRAY_NO_MEMORY;

    *out = NULL;
    if (file == NULL)
        return ARRAY_NO_MEMORY;
    file->data_off = SAFETENSORS_PREFIX + n;
    file->data_bytes = file_bytes - file->data_off;
    switch (json_in_parse(json, n, &file->doc, why)) {
    case JSON_IN_PARSED: read = check_all_arrays(file, err); break;
    case JSON_IN_NO_MEMORY: break;
    case JSON_IN_BAD:
        read = array_fail(err, ARRAY_BAD, SAFETENSORS_PREFIX, "header",
                          "the header is no JSON: %s", why);
        break;
    case JSON_IN_UNSUPPORTED:
        read = array_fail(err, ARRAY_UNSUPPORTED, ARRAY_NOWHERE, "", "%s", why);
        break;
    }
    if (read == ARRAY_READ)
        *out = file;
    else
        safetensors_in_free(file);
    return read;
}

void safetensors_in_free(struct safetensors_in *file)
{
    if (file == NULL)
        return;
    json_in_free(file->doc);
    free(file);
}

enum array_read safetensors_in_find(const struct safetensors_in *file,
                                    const char *name, struct array_in *out,
                                    struct array_error *err)
{
    json_in_value v;
    enum array_read read;

    if (!json_in_find(json_in_root(file->doc), name, &v) ||
        strcmp(name, "__metadata__") == 0)
        return array_fail(err, ARRAY_NOT_FOUND, ARRAY_NOWHERE, "",
                          "there is no tensor \"%.80s\"", name);
    read = take_array_entry(v, file->data_bytes, name, out, err);
    if (read != ARRAY_READ)
        return read;
    if (out->width == 0)
        return array_fail(err, ARRAY_UNSUPPORTED, ARRAY_NOWHERE, "",
                          "\"%.80s\": the type %s is not known", name,
                          out->dtype);
    out->off += file->data_off;
    return ARRAY_READ;
}
