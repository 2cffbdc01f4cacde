/* dump_compat.c - the lines that gguf-dump prints (Python package gguf 0.19).
 *
 * For scripts that read its output. Values are written as Python's repr() has
 * them, floats of 32 bits after widening. Its view of metadata is kept too:
 * three fields of the header come first as if they were keys, nested arrays
 * are one flat list, an array without elements has no element type, and only
 * the one file that was named is read, even if it is a shard.
 */
#include "cmd/dump.h"
#include "out/fmt.h"
#include "out/text.h"
#include "show.h"

#include <inttypes.h>
#include <string.h>

enum {
    COMPAT_ELEMENTS = 6,
    COMPAT_CHARACTERS = 60, /* of a string, else 57 of them and "..." */
    COMPAT_DIMS = 4
};

static bool host_is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;

    memcpy(&first, &one, 1);
    return first == 0;
}

static void put_compat_head(FILE *out, uint64_t n, const char *type,
                            uint64_t count, ggk_str key)
{
    fprintf(out, "  %5" PRIu64 ": %-10s | %8" PRIu64 " | ", n, type, count);
    text_write(out, key.ptr, key.len, TEXT_VERBATIM, TEXT_WHOLE);
    fputs(" = ", out);
}

static void put_compat_field(FILE *out, uint64_t n, const char *type,
                             const char *key, uint64_t value)
{
    put_compat_head(out, n, type, 1, ggk_cstr(key));
    fprintf(out, "%" PRIu64 "\n", value);
}

/* ------------------------------------------------------------------ values */

static void put_compat_scalar(FILE *out, const ggk_value *value)
{
    char number[FMT_BYTES];

    if (value->type == GGK_VALUE_STRING)
        text_repr(out, value->as.s.ptr, value->as.s.len);
    else if (value->type == GGK_VALUE_BOOL)
        fputs(value->as.u != 0 ? "True" : "False", out);
    else if (value->type == GGK_VALUE_FLOAT32) {
        fmt_f64(number, value->as.f);
        fputs(number, out);
    } else
        show_scalar(out, value, TEXT_WHOLE);
}

static void put_compat_string(FILE *out, ggk_str s)
{
    char cut[4 * COMPAT_CHARACTERS];
    size_t n;

    if (text_prefix(s.ptr, s.len, COMPAT_CHARACTERS) == s.len) {
        text_repr(out, s.ptr, s.len);
        return;
    }
    n = text_prefix(s.ptr, s.len, COMPAT_CHARACTERS - 3);
    memcpy(cut, s.ptr, n);
    memcpy(cut + n, "...", 3);
    text_repr(out, cut, n + 3);
}

/* An element of an array whose first element is no string: a string there
 * counts as its bytes. */
static void put_compat_bytes(FILE *out, ggk_str s, const char **separator)
{
    for (size_t i = 0; i < s.len; i++) {
        fprintf(out, "%s%u", *separator, (unsigned)(unsigned char)s.ptr[i]);
        *separator = ", ";
    }
}

static ggk_status put_compat_elements(FILE *out, ggk_walk *walk, bool strings,
                                      ggk_error *err)
{
    const char *separator = "";
    unsigned left = COMPAT_ELEMENTS;
    ggk_value value;

    while (left > 0) {
        switch (ggk_walk_next(walk, &value)) {
        case GGK_WALK_OPEN:
        case GGK_WALK_CLOSE: continue;
        case GGK_WALK_END: return GGK_OK;
        case GGK_WALK_BROKEN: return show_broken(err);
        case GGK_WALK_VALUE: break;
        }
        if (value.type == GGK_VALUE_STRING && !strings) {
            put_compat_bytes(out, value.as.s, &separator);
        } else {
            fputs(separator, out);
            put_compat_scalar(out, &value);
            separator = ", ";
        }
        left--;
    }
    return GGK_OK;
}

/* How many scalars there are in all levels of an array. */
static ggk_status count_scalars(const ggk_model *model, uint64_t i,
                                uint64_t *out, ggk_error *err)
{
    ggk_walk walk;
    ggk_value value;
    ggk_event event;
    ggk_status status = ggk_walk_start(model, i, &walk, err);

    *out = 0;
    if (status != GGK_OK)
        return status;
    while ((event = ggk_walk_next(&walk, &value)) != GGK_WALK_END) {
        if (event == GGK_WALK_BROKEN)
            return show_broken(err);
        *out += event == GGK_WALK_VALUE;
        if (event == GGK_WALK_OPEN && value.type != GGK_VALUE_ARRAY)
            *out += ggk_walk_skip(&walk, SHOW_ALL);
    }
    return GGK_OK;
}

/* The value that the walk stands before; `count` scalars are in it. */
static ggk_status put_compat_value(FILE *out, ggk_walk *walk, uint64_t count,
                                   bool strings, ggk_error *err)
{
    ggk_value value;
    ggk_status status;

    switch (ggk_walk_next(walk, &value)) {
    case GGK_WALK_OPEN:
        putc('[', out);
        status = put_compat_elements(out, walk, strings, err);
        fputs(count > COMPAT_ELEMENTS ? ", ...]" : "]", out);
        return status;
    case GGK_WALK_VALUE:
        if (value.type == GGK_VALUE_STRING)
            put_compat_string(out, value.as.s);
        else
            put_compat_scalar(out, &value);
        return GGK_OK;
    case GGK_WALK_CLOSE:
    case GGK_WALK_END:
    case GGK_WALK_BROKEN: break;
    }
    return show_broken(err);
}

static ggk_status put_compat_key(const struct dump *d, uint64_t i,
                                 ggk_error *err)
{
    FILE *out = d->cli->out;
    char name[SHOW_TYPE_BYTES];
    struct dump_type type;
    uint64_t count = 0;
    ggk_walk walk;
    ggk_kv kv;
    ggk_status status = ggk_model_kv(d->model, i, &kv, err);

    if (status == GGK_OK)
        status = dump_find_type(d->model, i, &type, err);
    if (status == GGK_OK)
        status = count_scalars(d->model, i, &count, err);
    if (status == GGK_OK)
        status = ggk_walk_start(d->model, i, &walk, err);
    if (status != GGK_OK)
        return status;
    if (type.empty)
        dump_name_type(name, GGK_VALUE_ARRAY, type.levels - 1);
    else
        dump_name_type(name, type.last, type.levels);
    put_compat_head(out, i + 4, name, count, kv.key);
    status = put_compat_value(
        out, &walk, count, !type.empty && type.last == GGK_VALUE_STRING, err);
    putc('\n', out);
    return status;
}

/* ----------------------------------------------------------------- tensors */

static ggk_status put_compat_tensor(const struct dump *d, uint64_t i,
                                    ggk_error *err)
{
    FILE *out = d->cli->out;
    char type[SHOW_TYPE_BYTES];
    ggk_tensor t;
    ggk_status status = ggk_model_tensor(d->model, i, &t, err);

    if (status != GGK_OK)
        return status;
    show_tensor_type(type, d->model, t.type);
    fprintf(out, "  %5" PRIu64 ": %10" PRIu64 " | ", i + 1, t.n_elements);
    for (uint32_t dim = 0; dim < t.n_dims || dim < COMPAT_DIMS; dim++)
        fprintf(out, "%s%5" PRIu64, dim > 0 ? ", " : "", t.ne[dim]);
    fprintf(out, " | %-7s | ", type);
    text_write(out, t.name.ptr, t.name.len, TEXT_VERBATIM, TEXT_WHOLE);
    putc('\n', out);
    return GGK_OK;
}

ggk_status dump_print_compat(const struct dump *d, ggk_error *err)
{
    FILE *out = d->cli->out;
    ggk_status status = GGK_OK;

    fprintf(out,
            "* File is %s endian, script is running on a %s endian host.\n"
            "* Dumping %" PRIu64 " key/value pair(s)\n",
            d->file.big_endian ? "BIG" : "LITTLE",
            host_is_big_endian() ? "BIG" : "LITTLE", d->file.n_kv + 3);
    put_compat_field(out, 1, "UINT32", "GGUF.version", d->file.version);
    put_compat_field(out, 2, "UINT64", "GGUF.tensor_count", d->file.n_tensors);
    put_compat_field(out, 3, "UINT64", "GGUF.kv_count", d->file.n_kv);
    for (uint64_t i = 0; i < d->file.n_kv && status == GGK_OK; i++)
        status = put_compat_key(d, i, err);
    if (status != GGK_OK || d->options->no_tensors)
        return status;
    fprintf(out, "* Dumping %" PRIu64 " tensor(s)\n", d->file.n_tensors);
    for (uint64_t i = 0; i < d->file.n_tensors && status == GGK_OK; i++)
        status = put_compat_tensor(d, i, err);
    return status;
}
