/* corpus_exercise.c - asks a model all that the digest does not. */
#include "corpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool same_str(ggk_str a, ggk_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static bool is_float(uint32_t type)
{
    return type == GGK_VALUE_FLOAT32 || type == GGK_VALUE_FLOAT64;
}

static bool is_signed(uint32_t type)
{
    return type == GGK_VALUE_INT8 || type == GGK_VALUE_INT16 ||
           type == GGK_VALUE_INT32 || type == GGK_VALUE_INT64;
}

static bool is_integer(uint32_t type)
{
    return type != GGK_VALUE_BOOL && type != GGK_VALUE_STRING &&
           type != GGK_VALUE_ARRAY && !is_float(type);
}

static bool same_value(const ggk_value *a, const ggk_value *b)
{
    if (a->type != b->type)
        return false;
    if (a->type == GGK_VALUE_STRING)
        return same_str(a->as.s, b->as.s);
    if (is_float(a->type))
        return memcmp(&a->as.f, &b->as.f, sizeof(a->as.f)) == 0;
    return a->as.u == b->as.u;
}

/* The model under test, and one entry of it. */
struct exercise {
    const char *what;
    const ggk_model *model;
    const struct corpus_bytes *bytes;
    uint64_t i;
    ggk_kv kv;
};

static void expect(const struct exercise *x, bool good, const char *which)
{
    if (!good)
        corpus_fail("%s: entry %" PRIu64 ": %s", x->what, x->i, which);
}

/* Early writers ended names with a NUL: then the name without it finds the
 * entry too. */
static bool nul_ended(ggk_str name)
{
    return name.len > 0 && name.ptr[name.len - 1] == '\0';
}

static ggk_str without_nul(ggk_str name)
{
    if (nul_ended(name))
        name.len--;
    return name;
}

typedef ggk_status exercise_find(const ggk_model *model, ggk_str name,
                                 uint64_t *out, ggk_error *err);

/* Look for the entry by its name; whether it is the only one of it. */
static bool found_alone(const struct exercise *x, exercise_find *find,
                        ggk_str name)
{
    uint64_t found = 0;
    ggk_status status = find(x->model, name, &found, NULL);

    if (status == GGK_OK)
        expect(x, found == x->i, "is not what its name finds");
    else
        expect(x, status == GGK_E_DUPLICATE && found <= x->i,
               "is not found by its name");
    return status == GGK_OK;
}

/* ------------------------------------------------------------------ getters */

static ggk_status wanted_u64(const ggk_value *v)
{
    if (!is_integer(v->type))
        return GGK_E_TYPE;
    return is_signed(v->type) && v->as.i < 0 ? GGK_E_RANGE : GGK_OK;
}

static ggk_status wanted_i64(const ggk_value *v)
{
    if (!is_integer(v->type))
        return GGK_E_TYPE;
    return !is_signed(v->type) && v->as.u > INT64_MAX ? GGK_E_RANGE : GGK_OK;
}

static ggk_status wanted_f64(const ggk_value *v)
{
    const int64_t limit = INT64_C(1) << 53;

    if (is_float(v->type))
        return GGK_OK;
    if (!is_integer(v->type))
        return GGK_E_TYPE;
    if (is_signed(v->type))
        return v->as.i > limit || v->as.i < -limit ? GGK_E_RANGE : GGK_OK;
    return v->as.u > (uint64_t)limit ? GGK_E_RANGE : GGK_OK;
}

static void exercise_integers(const struct exercise *x, ggk_str key,
                              const ggk_value *v)
{
    uint64_t u = 0;
    int64_t i = 0;
    ggk_status status = ggk_model_get_u64(x->model, key, &u, NULL);

    expect(x, status == wanted_u64(v), "get_u64 errs");
    expect(x, status != GGK_OK || u == v->as.u, "get_u64 gives another");
    status = ggk_model_get_i64(x->model, key, &i, NULL);
    expect(x, status == wanted_i64(v), "get_i64 errs");
    expect(x, status != GGK_OK || i == v->as.i, "get_i64 gives another");
}

static void exercise_others(const struct exercise *x, ggk_str key,
                            const ggk_value *v)
{
    double f = 0;
    bool b = false;
    ggk_str s = {NULL, 0};
    ggk_status status = ggk_model_get_f64(x->model, key, &f, NULL);

    expect(x, status == wanted_f64(v), "get_f64 errs");
    if (status == GGK_OK && is_float(v->type))
        expect(x, memcmp(&f, &v->as.f, sizeof(f)) == 0, "get_f64 differs");
    status = ggk_model_get_bool(x->model, key, &b, NULL);
    expect(x, (status == GGK_OK) == (v->type == GGK_VALUE_BOOL),
           "get_bool errs");
    expect(x, status != GGK_OK || b == (v->as.u != 0), "get_bool differs");
    status = ggk_model_get_str(x->model, key, &s, NULL);
    expect(x, (status == GGK_OK) == (v->type == GGK_VALUE_STRING),
           "get_str errs");
    expect(x, status != GGK_OK || same_str(s, v->as.s), "get_str differs");
}

static void exercise_array_getters(const struct exercise *x, ggk_str key)
{
    uint64_t u;
    int64_t i;
    double f;
    bool b;
    ggk_str s;
    const ggk_model *m = x->model;

    expect(x,
           ggk_model_get_u64(m, key, &u, NULL) == GGK_E_TYPE &&
               ggk_model_get_i64(m, key, &i, NULL) == GGK_E_TYPE &&
               ggk_model_get_f64(m, key, &f, NULL) == GGK_E_TYPE &&
               ggk_model_get_bool(m, key, &b, NULL) == GGK_E_TYPE &&
               ggk_model_get_str(m, key, &s, NULL) == GGK_E_TYPE,
           "a getter takes an array");
}

/* ------------------------------------------------------------------- arrays */

static void exercise_index(const struct exercise *x)
{
    ggk_index *index = NULL;
    ggk_walk walk;
    ggk_value v;
    ggk_value w;
    ggk_status status = ggk_index_new(x->model, x->i, &index, NULL);

    if (x->kv.elem_type == GGK_VALUE_ARRAY) {
        expect(x, status == GGK_E_TYPE && index == NULL, "is indexed");
        return;
    }
    expect(x, status == GGK_OK, "is not indexed");
    if (status != GGK_OK || ggk_walk_start(x->model, x->i, &walk, NULL) != 0)
        return;
    expect(x, ggk_index_count(index) == x->kv.n, "its index miscounts");
    expect(x, ggk_walk_next(&walk, &v) == GGK_WALK_OPEN, "does not open");
    for (uint64_t j = 0; j < x->kv.n; j++) {
        if (ggk_walk_next(&walk, &v) != GGK_WALK_VALUE ||
            ggk_index_get(index, j, &w, NULL) != GGK_OK ||
            !same_value(&v, &w)) {
            expect(x, false, "its index and the walk disagree");
            break;
        }
    }
    status = ggk_index_get(index, x->kv.n, &w, NULL);
    expect(x, status == GGK_E_RANGE, "its index has one more");
    ggk_index_free(index);
}

static void exercise_skip(const struct exercise *x)
{
    ggk_walk walk;
    ggk_value v;
    const uint64_t n = x->kv.n;
    const uint64_t some = n / 2;

    if (ggk_walk_start(x->model, x->i, &walk, NULL) != GGK_OK)
        return;
    expect(x,
           ggk_walk_next(&walk, &v) == GGK_WALK_OPEN && v.as.u == n &&
               v.type == x->kv.elem_type,
           "opens as something else");
    expect(x, ggk_walk_skip(&walk, some) == some, "skips too little");
    expect(x, ggk_walk_skip(&walk, UINT64_MAX) == n - some, "skips too far");
    expect(x, ggk_walk_skip(&walk, 1) == 0, "skips what is not there");
    expect(x,
           ggk_walk_next(&walk, &v) == GGK_WALK_CLOSE &&
               ggk_walk_next(&walk, &v) == GGK_WALK_END &&
               ggk_walk_next(&walk, &v) == GGK_WALK_END,
           "does not end after its elements");
}

/* --------------------------------------------------------------- key-values */

static void exercise_scalar(const struct exercise *x, ggk_str key, bool alone)
{
    ggk_walk walk;
    ggk_value v;
    ggk_index *index;

    expect(x, x->kv.n == 1 && x->kv.elem_type == x->kv.type,
           "a scalar with elements");
    expect(x, ggk_index_new(x->model, x->i, &index, NULL) == GGK_E_TYPE,
           "a scalar is indexed");
    if (ggk_walk_start(x->model, x->i, &walk, NULL) != GGK_OK ||
        ggk_walk_next(&walk, &v) != GGK_WALK_VALUE) {
        expect(x, false, "a scalar without a value");
        return;
    }
    if (alone) {
        exercise_integers(x, key, &v);
        exercise_others(x, key, &v);
    }
}

/* The value as it lies in the file. */
static ggk_str file_bytes(const struct exercise *x)
{
    const void *at = x->bytes->data + x->kv.value_off;

    return (ggk_str){at, (size_t)(x->kv.end_off - x->kv.value_off)};
}

static void exercise_kv(struct exercise *x, uint64_t i)
{
    ggk_str stored;
    ggk_str key;
    bool alone;

    x->i = i;
    if (ggk_model_kv(x->model, i, &x->kv, NULL) != GGK_OK) {
        expect(x, false, "cannot be read");
        return;
    }
    key = x->kv.key;
    alone = found_alone(x, ggk_model_find_kv, key);
    key = without_nul(key);
    if (!nul_ended(key))
        alone = found_alone(x, ggk_model_find_kv, key);
    else
        key = x->kv.key;
    expect(x,
           ggk_model_kv_bytes(x->model, i, &stored, NULL) == GGK_OK &&
               same_str(stored, file_bytes(x)),
           "kv_bytes are not the file's");
    if (x->kv.type != GGK_VALUE_ARRAY) {
        exercise_scalar(x, key, alone);
        return;
    }
    if (alone)
        exercise_array_getters(x, key);
    exercise_index(x);
    exercise_skip(x);
}

/* ------------------------------------------------------------------ tensors */

/* Its last byte, if the file has it, else the refusal to read it. */
static void exercise_data(const struct exercise *x, const ggk_tensor *t)
{
    uint8_t byte = 0;
    ggk_status status;
    const struct corpus_bytes *all = x->bytes;

    if (t->bytes == GGK_SIZE_UNKNOWN)
        return;
    status = ggk_model_read_tensor(x->model, x->i, t->bytes, &byte, 1, NULL);
    expect(x, status == GGK_E_RANGE, "a byte past its end is read");
    if (t->bytes == 0)
        return;
    status =
        ggk_model_read_tensor(x->model, x->i, t->bytes - 1, &byte, 1, NULL);
    if (t->data_off > all->n || t->bytes > all->n - t->data_off)
        expect(x, status == GGK_E_DATA_MISSING, "its missing data is read");
    else
        expect(x,
               status == GGK_OK &&
                   byte == all->data[t->data_off + t->bytes - 1],
               "its last byte is another");
}

static void exercise_tensor(struct exercise *x, uint64_t i, bool data)
{
    ggk_tensor t;
    const ggk_type_info *type;

    x->i = i;
    if (ggk_model_tensor(x->model, i, &t, NULL) != GGK_OK) {
        expect(x, false, "no tensor can be read");
        return;
    }
    found_alone(x, ggk_model_find_tensor, t.name);
    if (!nul_ended(without_nul(t.name)))
        found_alone(x, ggk_model_find_tensor, without_nul(t.name));
    type = ggk_model_type(x->model, t.type);
    expect(x,
           t.opaque == (type == NULL || (type->flags & GGK_TYPE_REMOVED) != 0),
           "is opaque, or not, against its type");
    if (!t.opaque && type != NULL) {
        uint64_t bytes = 0;

        expect(x,
               ggk_type_tensor_bytes(type, t.ne, t.n_dims, &bytes, NULL) ==
                       GGK_OK &&
                   bytes == t.bytes,
               "has another size by its type");
    }
    if (data)
        exercise_data(x, &t);
}

/* What is not there must not be found. */
static void exercise_ends(const struct exercise *x)
{
    ggk_kv kv;
    ggk_tensor t;
    ggk_file file;
    ggk_walk walk;
    uint64_t found = 0;
    const ggk_model *m = x->model;
    const ggk_str absent = ggk_cstr("no.such.name");

    expect(x,
           ggk_model_kv(m, ggk_model_n_kv(m), &kv, NULL) == GGK_E_RANGE &&
               ggk_walk_start(m, ggk_model_n_kv(m), &walk, NULL) == GGK_E_RANGE,
           "a key past the last");
    expect(x,
           ggk_model_tensor(m, ggk_model_n_tensors(m), &t, NULL) == GGK_E_RANGE,
           "a tensor past the last");
    expect(x,
           ggk_model_file(m, ggk_model_n_files(m), &file, NULL) == GGK_E_RANGE,
           "a file past the last");
    expect(x,
           ggk_model_find_kv(m, absent, &found, NULL) == GGK_E_NOT_FOUND &&
               found == GGK_NONE &&
               ggk_model_find_tensor(m, absent, &found, NULL) ==
                   GGK_E_NOT_FOUND &&
               found == GGK_NONE,
           "finds what is not there");
}

void corpus_exercise(const char *what, const ggk_model *model,
                     const struct corpus_bytes *bytes, bool data)
{
    struct exercise x = {.what = what, .model = model, .bytes = bytes};

    exercise_ends(&x);
    for (uint64_t i = 0; i < ggk_model_n_kv(model); i++)
        exercise_kv(&x, i);
    for (uint64_t i = 0; i < ggk_model_n_tensors(model); i++)
        exercise_tensor(&x, i, data);
}
