/* new_tensors.c - the tensors of a description. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/new_number.h"
#include "cmd/new_source.h"
#include "cmd/new_spec.h"
#include "show.h"

/* A tensor in the making. */
struct new_making {
    struct new_spec *spec;
    struct new_entry entry;
    ggk_new_tensor tensor;
    char *memory;              /* of its name; NULL: it is the document's */
    const ggk_type_info *type; /* NULL: not said yet */
    bool has_shape;
    uint64_t bytes; /* once type and shape are known */
    size_t source;
};

/* ----------------------------------------------------------- what it is said
 * to be */

static int take_tensor_name(struct new_making *m, struct new_names *names)
{
    json_in_value name;
    char why[VALUE_WHY] = "";
    enum value_made made;

    if (!json_in_find(m->entry.object, "name", &name))
        return new_refuse(&m->entry, NULL, "it has no name");
    made = value_bytes_json(name, &m->tensor.name, &m->memory, why);
    if (made == VALUE_UNFIT)
        return new_refuse(&m->entry, "name", "%s", why);
    if (made == VALUE_NO_MEMORY || !new_names_add(names, m->tensor.name))
        return new_fail_memory(&m->entry);
    return m->tensor.name.len > 0
               ? CLI_DONE
               : new_refuse(&m->entry, "name", "a name cannot be empty");
}

static int take_type(struct new_making *m)
{
    const char *name;
    int status = new_word(&m->entry, "type", &name);

    if (status != CLI_DONE || name == NULL)
        return status;
    m->type = ggk_type_by_name(name);
    if (m->type == NULL || (m->type->flags & GGK_TYPE_REMOVED) != 0)
        return new_refuse(&m->entry, "type",
                          "\"%.40s\" is no type: gguf types lists them", name);
    return CLI_DONE;
}

static int take_shape(struct new_making *m)
{
    json_in_value shape;
    size_t n;

    m->has_shape = json_in_find(m->entry.object, "shape", &shape);
    if (!m->has_shape)
        return CLI_DONE;
    if (json_in_kind(shape) != JSON_IN_ARRAY)
        return new_refuse(&m->entry, "shape", "it wants an array, not %s",
                          json_in_kind_name(shape));
    n = json_in_count(shape);
    if (n > GGK_MAX_DIMS)
        return new_refuse(&m->entry, "shape", "%zu dimensions are more than %d",
                          n, GGK_MAX_DIMS);
    for (size_t i = 0; i < n; i++) {
        json_in_value dim = json_in_at(shape, i);
        struct json_in_integer number = {true, 0, 0};

        if (json_in_kind(dim) == JSON_IN_INTEGER)
            number = json_in_integer(dim);
        if (number.negative)
            return new_refuse(&m->entry, "shape", "a dimension is no count");
        m->tensor.ne[i] = number.u;
    }
    m->tensor.n_dims = (uint32_t)n;
    return CLI_DONE;
}

/* Of what it needs nothing may be missing. */
static int need_type_and_shape(const struct new_making *m)
{
    if (m->type == NULL)
        return new_refuse(&m->entry, NULL, "its type must be said");
    if (!m->has_shape)
        return new_refuse(&m->entry, NULL, "its shape must be said");
    return CLI_DONE;
}

static int measure_tensor(struct new_making *m)
{
    ggk_error err;

    if (ggk_type_tensor_bytes(m->type, m->tensor.ne, m->tensor.n_dims,
                              &m->bytes, &err) != GGK_OK)
        return new_fail(&m->entry, "shape", &err);
    return CLI_DONE;
}

/* ------------------------------------------------------------------- arrays */

static void put_dims(char *out, size_t bytes, const uint64_t *ne, uint32_t n)
{
    size_t at = (size_t)snprintf(out, bytes, "[");

    for (uint32_t i = 0; i < n && at < bytes; i++)
        at += (size_t)snprintf(out + at, bytes - at, "%s%" PRIu64,
                               i > 0 ? ", " : "", ne[i]);
    if (at < bytes)
        snprintf(out + at, bytes - at, "]");
}

/* The shape of an array, ne[0] first; one that is said must be the same. */
static int agree_on_shape(struct new_making *m, const uint64_t *ne, uint32_t n)
{
    ggk_new_tensor *t = &m->tensor;
    char is[SHOW_SHAPE_BYTES], said[SHOW_SHAPE_BYTES];

    if (!m->has_shape) {
        memcpy(t->ne, ne, n * sizeof *ne);
        t->n_dims = n;
        m->has_shape = true;
    }
    if (t->n_dims == n && memcmp(t->ne, ne, n * sizeof *ne) == 0)
        return measure_tensor(m);
    put_dims(is, sizeof is, ne, n);
    put_dims(said, sizeof said, t->ne, t->n_dims);
    return new_refuse(&m->entry, "shape",
                      "the array's is %s (row length first), not %s", is, said);
}

/* Bytes, in rows of which each holds the blocks of a row. */
static int agree_on_bytes(struct new_making *m, const struct array_in *a,
                          uint64_t *ne)
{
    char name[16];
    int status;

    snprintf(name, sizeof name, "%s", m->type->name);
    if (!m->has_shape) {
        if (a->n_dims == 0 || ne[0] % m->type->bytes != 0 ||
            ne[0] / m->type->bytes > UINT64_MAX / m->type->block)
            return new_refuse(&m->entry, "type",
                              "rows of %" PRIu64 " bytes are no blocks of %s, "
                              "which take %" PRIu32,
                              a->n_dims > 0 ? ne[0] : 0, name, m->type->bytes);
        ne[0] = ne[0] / m->type->bytes * m->type->block;
        return agree_on_shape(m, ne, a->n_dims);
    }
    status = measure_tensor(m);
    if (status != CLI_DONE || m->bytes == a->bytes)
        return status;
    return new_refuse(&m->entry, "shape",
                      "%s of that shape takes %" PRIu64 " bytes, and the array "
                      "has %" PRIu64,
                      name, m->bytes, a->bytes);
}

/* What elements of that size may be, as an example. */
static const char *type_for_bits(uint32_t width)
{
    switch (width) {
    case 1: return "Q8_0"; /* blocks, in bytes */
    case 2: return "BF16";
    case 4: return "I32";
    }
    return "I64";
}

/* The type and shape of an array and those that are said. */
static int agree_with_array(struct new_making *m, const struct array_in *a)
{
    uint64_t ne[ARRAY_IN_DIMS] = {0};
    const ggk_type_info *type =
        a->type != NULL ? ggk_type_by_name(a->type) : m->type;

    for (uint32_t i = 0; i < a->n_dims; i++)
        ne[i] = a->dims[a->n_dims - 1 - i];
    if (type == NULL)
        return new_refuse(&m->entry, "type",
                          "it must be said, such as \"type\": \"%s\": the "
                          "array holds elements of the type %s",
                          type_for_bits(a->width), a->dtype);
    if (m->type != NULL && m->type != type)
        return new_refuse(&m->entry, "type", "the array holds %s, not %s",
                          type->name, m->type->name);
    m->type = type;
    if (type->block == 1 && type->bytes == a->width)
        return agree_on_shape(m, ne, a->n_dims);
    if (a->width == 1)
        return agree_on_bytes(m, a, ne);
    return new_refuse(&m->entry, "type",
                      "elements of the type %s, of %" PRIu32 " bytes, cannot "
                      "be %s",
                      a->dtype, a->width, type->name);
}

static int take_found_array(struct new_making *m, const struct array_in *a)
{
    m->tensor.off = a->off;
    m->tensor.big_endian = a->big_endian;
    return agree_with_array(m, a);
}

static int take_npy(struct new_making *m)
{
    const char *path;
    struct array_in a;
    int status = new_word(&m->entry, "npy", &path);

    if (status == CLI_DONE)
        status = new_source_file(m->spec, &m->entry, path, &m->source);
    if (status == CLI_DONE)
        status = new_source_npy(m->spec, &m->entry, m->source, &a);
    return status == CLI_DONE ? take_found_array(m, &a) : status;
}

static int take_safetensors(struct new_making *m)
{
    const char *path, *name = NULL;
    struct array_in a;
    int status = new_word(&m->entry, "safetensors", &path);

    if (status == CLI_DONE)
        status = new_word(&m->entry, "tensor", &name);
    if (status == CLI_DONE && name == NULL)
        status = new_refuse(&m->entry, NULL,
                            "\"tensor\" must say which one of the file");
    if (status == CLI_DONE)
        status = new_source_file(m->spec, &m->entry, path, &m->source);
    if (status == CLI_DONE)
        status =
            new_source_safetensors(m->spec, &m->entry, m->source, name, &a);
    return status == CLI_DONE ? take_found_array(m, &a) : status;
}

/* ---------------------------------------------------------------- raw bytes */

/* A file without an offset must be the tensor and no more. */
static int check_raw(const struct new_making *m, bool has_offset)
{
    uint64_t size = ggk_source_size(new_source_at(m->spec, m->source));
    uint64_t left = m->tensor.off < size ? size - m->tensor.off : 0;

    if (left < m->bytes)
        return new_refuse(&m->entry, "raw",
                          "the tensor takes %" PRIu64 " bytes, and the file "
                          "has %" PRIu64 "%s",
                          m->bytes, left, has_offset ? " from there" : "");
    if (left > m->bytes && !has_offset)
        return new_refuse(&m->entry, "raw",
                          "the tensor takes %" PRIu64 " bytes of the file's "
                          "%" PRIu64 ": \"offset\" must say which",
                          m->bytes, left);
    return CLI_DONE;
}

/* The order of the bytes: as it is said; that of a GGUF, if it is one; else
 * little-endian. */
static int take_raw_order(struct new_making *m)
{
    ggk_error err;

    if (ggk_source_byte_order(new_source_at(m->spec, m->source),
                              &m->tensor.big_endian, &err) != GGK_OK)
        return new_fail(&m->entry, "raw", &err);
    return new_order(&m->entry, &m->tensor.big_endian);
}

static int take_bytes_of(struct new_making *m, const char *path)
{
    bool has_offset;
    int status = new_count(&m->entry, "offset", &has_offset, &m->tensor.off);

    if (status == CLI_DONE)
        status = need_type_and_shape(m);
    if (status == CLI_DONE)
        status = measure_tensor(m);
    if (status == CLI_DONE)
        status = new_source_file(m->spec, &m->entry, path, &m->source);
    if (status == CLI_DONE)
        status = take_raw_order(m);
    return status == CLI_DONE ? check_raw(m, has_offset) : status;
}

static int take_raw(struct new_making *m)
{
    const char *path;
    int status = new_word(&m->entry, "raw", &path);

    return status == CLI_DONE ? take_bytes_of(m, path) : status;
}

/* Of the file that the whole description was printed of. */
static int take_from_file(struct new_making *m)
{
    struct new_entry whole = {
        .spec = m->spec, .list = "", .object = m->spec->root};
    uint64_t n = 1;
    bool has = false;
    const char *path;
    int status = new_word(&whole, "file", &path);

    if (status == CLI_DONE)
        status = new_count(&whole, "n_shards", &has, &n);
    if (status == CLI_DONE && has && n != 1)
        status = new_refuse(&whole, "file",
                            "it is a split set: say \"raw\" of each tensor");
    return status == CLI_DONE ? take_bytes_of(m, path) : status;
}

/* ------------------------------------------------------------------ numbers */

static json_in_value find_member(const struct new_making *m, const char *name)
{
    json_in_value v;

    (void)json_in_find(m->entry.object, name, &v); /* NULL if it is not there */
    return v;
}

static int take_number(const struct new_making *m, const char *member,
                       json_in_value v, uint8_t *out)
{
    char why[VALUE_WHY] = "";

    switch (new_number(v, m->type, out, why)) {
    case VALUE_MADE: return CLI_DONE;
    case VALUE_UNFIT: return new_refuse(&m->entry, member, "%s", why);
    case VALUE_NO_MEMORY: break;
    }
    return new_fail_memory(&m->entry);
}

static int need_plain(const struct new_making *m)
{
    int status = need_type_and_shape(m);

    if (status != CLI_DONE)
        return status;
    return new_number_plain(m->type)
               ? CLI_DONE
               : new_refuse(&m->entry, "type",
                            "%s is made of blocks: only F32, F16, BF16, F64 "
                            "and I8 to I64 are made of numbers",
                            m->type->name);
}

static int take_fill(struct new_making *m)
{
    uint8_t number[NEW_NUMBER_BYTES];
    json_in_value v = find_member(m, "fill");
    int status = need_plain(m);

    if (status == CLI_DONE)
        status = measure_tensor(m);
    if (status == CLI_DONE)
        status = take_number(m, "fill", v, number);
    return status == CLI_DONE
               ? new_source_fill(m->spec, &m->entry, number, m->type->bytes,
                                 m->bytes, &m->source)
               : status;
}

static int put_values(const struct new_making *m, json_in_value v, uint8_t *out)
{
    int status = CLI_DONE;

    for (size_t i = 0; i < json_in_count(v) && status == CLI_DONE; i++) {
        char member[32];

        snprintf(member, sizeof member, "values[%zu]", i);
        status =
            take_number(m, member, json_in_at(v, i), out + i * m->type->bytes);
    }
    return status;
}

/* As many as the shape has; without one they are a vector. */
static int take_values(struct new_making *m)
{
    json_in_value v = find_member(m, "values");
    size_t n = json_in_kind(v) == JSON_IN_ARRAY ? json_in_count(v) : 0;
    uint8_t *block;
    int status;

    if (json_in_kind(v) != JSON_IN_ARRAY)
        return new_refuse(&m->entry, "values", "it wants an array, not %s",
                          json_in_kind_name(v));
    if (!m->has_shape) {
        m->tensor.ne[0] = n;
        m->tensor.n_dims = 1;
        m->has_shape = true;
    }
    status = need_plain(m);
    if (status == CLI_DONE)
        status = measure_tensor(m);
    if (status != CLI_DONE)
        return status;
    if (m->bytes / m->type->bytes != n)
        return new_refuse(&m->entry, "values",
                          "they are %zu, and the shape has %" PRIu64, n,
                          m->bytes / m->type->bytes);
    block = malloc(n * m->type->bytes + 1);
    if (block == NULL)
        return new_fail_memory(&m->entry);
    status = put_values(m, v, block);
    if (status == CLI_DONE)
        return new_source_memory(m->spec, &m->entry, block, n * m->type->bytes,
                                 &m->source);
    free(block);
    return status;
}

/* -------------------------------------------------------------------- whole */

/* Of these a tensor has one; or none, if the description has a "file". */
static const struct {
    const char *member;
    int (*take)(struct new_making *m);
    const char *own[3]; /* members that only belong to it */
} origins[] = {
    {"npy", take_npy, {NULL}},
    {"safetensors", take_safetensors, {"tensor", NULL}},
    {"raw", take_raw, {"offset", "byte_order", NULL}},
    {"fill", take_fill, {NULL}},
    {"values", take_values, {NULL}},
    {"file", take_from_file, {NULL}},
};
#define N_ORIGINS    (sizeof origins / sizeof origins[0])
#define ORIGIN_RAW   2
#define ORIGIN_WHOLE (N_ORIGINS - 1)

static const char *const tensor_members[] = {
    "name", "type", "shape", "npy", "safetensors", "tensor", "raw", "offset",
    "byte_order", "fill", "values",
    /* what gguf dump prints besides: */
    "type_id", "elements", "bytes", "shard", "opaque", NULL};

/* Which of `origins` an entry has; N_ORIGINS after a message. */
static size_t find_origin(const struct new_making *m)
{
    size_t found = N_ORIGINS;
    json_in_value v;

    for (size_t i = 0; i < ORIGIN_WHOLE; i++) {
        if (!json_in_find(m->entry.object, origins[i].member, &v))
            continue;
        if (found < N_ORIGINS) {
            (void)new_refuse(&m->entry, NULL,
                             "\"%s\" and \"%s\" exclude each other",
                             origins[found].member, origins[i].member);
            return N_ORIGINS;
        }
        found = i;
    }
    if (found == N_ORIGINS &&
        json_in_find(m->spec->root, origins[ORIGIN_WHOLE].member, &v))
        found = ORIGIN_WHOLE;
    if (found == N_ORIGINS)
        (void)new_refuse(&m->entry, NULL,
                         "its data is missing: \"npy\", \"safetensors\", "
                         "\"raw\", \"fill\" or \"values\"");
    return found;
}

/* Has it what belongs to another origin? */
static int refuse_foreign(const struct new_making *m, size_t origin)
{
    size_t as = origin == ORIGIN_WHOLE ? ORIGIN_RAW : origin;
    json_in_value v;

    for (size_t i = 0; i < N_ORIGINS; i++)
        for (size_t k = 0; i != as && origins[i].own[k] != NULL; k++)
            if (json_in_find(m->entry.object, origins[i].own[k], &v))
                return new_refuse(&m->entry, origins[i].own[k],
                                  "it belongs to \"%s\", not to \"%s\"",
                                  origins[i].member, origins[origin].member);
    return CLI_DONE;
}

/* "bytes", as dump prints it, is a check. */
static int check_said_bytes(const struct new_making *m)
{
    uint64_t said;
    bool has;
    int status = new_count(&m->entry, "bytes", &has, &said);

    if (status != CLI_DONE || !has || said == m->bytes)
        return status;
    return new_refuse(&m->entry, "bytes",
                      "the tensor takes %" PRIu64 ", not %" PRIu64, m->bytes,
                      said);
}

static int plan_tensor(struct new_making *m)
{
    ggk_error err;

    m->tensor.type = m->type->id;
    m->tensor.source = new_source_at(m->spec, m->source);
    if (ggk_plan_add_tensor(m->spec->plan, 0, &m->tensor, &err) == GGK_OK)
        return CLI_DONE;
    return new_fail(&m->entry, NULL, &err);
}

static int make_tensor(struct new_making *m, struct new_names *names)
{
    size_t origin;
    int status;

    if (json_in_kind(m->entry.object) != JSON_IN_OBJECT)
        return new_refuse(&m->entry, NULL, "a tensor is an object, not %s",
                          json_in_kind_name(m->entry.object));
    status = new_refuse_unknown(&m->entry, tensor_members);
    if (status == CLI_DONE)
        status = take_tensor_name(m, names);
    if (status == CLI_DONE)
        status = take_type(m);
    if (status == CLI_DONE)
        status = take_shape(m);
    if (status != CLI_DONE)
        return status;
    origin = find_origin(m);
    if (origin == N_ORIGINS)
        return CLI_UNREADABLE;
    status = refuse_foreign(m, origin);
    if (status == CLI_DONE)
        status = origins[origin].take(m);
    if (status == CLI_DONE)
        status = check_said_bytes(m);
    return status == CLI_DONE ? plan_tensor(m) : status;
}

static int refuse_same_name(const struct new_spec *s,
                            const struct new_names *names)
{
    struct new_entry e = {.spec = s, .list = "tensors"};
    ggk_str name = {NULL, 0};
    bool no_memory;

    if (new_names_twice(names, &e.i, &name, &no_memory))
        return new_refuse(&e, "name", "a tensor before it has the same name");
    return no_memory ? new_fail_memory(&e) : CLI_DONE;
}

int new_tensors_plan(struct new_spec *s)
{
    struct new_entry whole = {.spec = s, .list = ""};
    struct new_names names = {NULL, 0, 0};
    json_in_value tensors;
    int status = CLI_DONE;

    if (!json_in_find(s->root, "tensors", &tensors))
        return CLI_DONE;
    if (json_in_kind(tensors) != JSON_IN_ARRAY)
        return new_refuse(&whole, "tensors", "they are an array, not %s",
                          json_in_kind_name(tensors));
    for (size_t i = 0; i < json_in_count(tensors) && status == CLI_DONE; i++) {
        struct new_making m = {
            .spec = s, .entry = {s, "tensors", i, json_in_at(tensors, i)}};

        status = make_tensor(&m, &names);
        free(m.memory);
    }
    if (status == CLI_DONE)
        status = refuse_same_name(s, &names);
    new_names_free(&names);
    return status;
}
