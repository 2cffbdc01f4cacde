/* test_round_trip.c - random models, written by plans and read in five ways;
 * key-values copied from one to another.
 *
 * What must be there is kept beside the plan, as bytes: keys as they are set,
 * some of them several times, and tensors. */
#include "kinds.h"

enum { SEEDS = 200, SETS = 256, KEYS = 1024, TENSORS = 256, ALIGN = 32 };

/* ------------------------------------------------------------ what must be */

struct key {
    bool there;
    uint32_t type, elem_type;
    uint64_t n; /* elements */
    struct bytes value;
};

struct tensor {
    uint32_t type, n_dims;
    uint64_t ne[GGK_MAX_DIMS];
    uint64_t off, bytes; /* in `data` and in the file alike */
};

struct context {
    struct key keys[KEYS];
    uint64_t n_keys;
    struct tensor tensors[TENSORS];
    struct bytes data;
    ggk_source *source; /* of it */
    ggk_plan *plan;
};

static uint64_t below(uint64_t *random, uint64_t n)
{
    return bytes_random(random) % n;
}

static const char *key_name(size_t i)
{
    static char name[32];

    snprintf(name, sizeof name, "my_key_%zu", i);
    return name;
}

static const char *tensor_name(size_t i)
{
    static char name[32];

    snprintf(name, sizeof name, "my_tensor_%zu", i);
    return name;
}

/* A random value of a type, into the builder and as bytes. */
static void put_scalar(uint64_t *random, uint32_t type, ggk_builder *builder,
                       struct bytes *out)
{
    size_t width = ggk_value_type_bytes(type);
    uint64_t bits = bytes_random(random);
    ggk_value v = {.type = type};
    char text[24];

    if (width > 0 && width < 8)
        bits &= (UINT64_C(1) << width * 8) - 1;
    if (type == V_STR) {
        v.as.s.ptr = text;
        v.as.s.len = (size_t)snprintf(text, sizeof text, "%" PRIu64, bits);
        put_str(out, text);
    } else if (type == V_F32 || type == V_F64) {
        v.as.f = (double)(int32_t)(uint32_t)bits;
        if (type == V_F32)
            put_f32(out, (float)v.as.f);
        else
            put_f64(out, v.as.f);
        v.as.f = type == V_F32 ? (double)(float)v.as.f : v.as.f;
    } else {
        bits = type == V_BOOL ? bits & 1 : bits;
        put_uint(out, bits, width);
        v.as.u = bits;
        if (type == V_I8 || type == V_I16 || type == V_I32)
            v.as.i = (int64_t)(bits << (64 - 8 * width)) >> (64 - 8 * width);
    }
    assert_int_equal(ggk_builder_put(builder, &v, NULL), GGK_OK);
}

static void set_random_key(struct context *c, uint64_t *random)
{
    size_t i = (size_t)below(random, KEYS);
    struct key *key = &c->keys[i];
    uint32_t type = (uint32_t)below(random, GGK_VALUE_TYPE_COUNT);
    ggk_builder *builder;

    c->n_keys += !key->there;
    bytes_free(&key->value);
    *key = (struct key){.there = true, .type = type, .value = bytes_of(3, 0)};
    assert_int_equal(ggk_builder_new(NULL, &builder, NULL), GGK_OK);
    if (type == V_ARR) {
        key->elem_type = (uint32_t)below(random, GGK_VALUE_TYPE_COUNT - 1);
        key->elem_type += key->elem_type >= V_ARR;
        key->n = below(random, 1024);
        assert_int_equal(ggk_builder_open(builder, key->elem_type, NULL),
                         GGK_OK);
        for (uint64_t k = 0; k < key->n; k++)
            put_scalar(random, key->elem_type, builder, &key->value);
        assert_int_equal(ggk_builder_close(builder, NULL), GGK_OK);
    } else {
        put_scalar(random, type, builder, &key->value);
    }
    assert_int_equal(
        ggk_plan_set_kv(c->plan, 0, ggk_cstr(key_name(i)), builder, NULL),
        GGK_OK);
    ggk_builder_free(builder);
}

static const ggk_type_info *random_type(uint64_t *random)
{
    const ggk_type_info *info;

    do
        info = ggk_type_by_id((uint32_t)below(random, 64));
    while (info == NULL || (info->flags & GGK_TYPE_REMOVED) != 0);
    return info;
}

static void make_tensor(struct context *c, uint64_t *random, size_t i)
{
    const ggk_type_info *info = random_type(random);
    struct tensor *t = &c->tensors[i];

    *t = (struct tensor){.type = info->id, .off = c->data.n};
    t->n_dims = 1 + (uint32_t)below(random, 4);
    for (uint32_t d = 0; d < t->n_dims; d++)
        t->ne[d] = (1 + below(random, 4)) * (d == 0 ? info->block : 1);
    assert_int_equal(
        ggk_type_tensor_bytes(info, t->ne, t->n_dims, &t->bytes, NULL), GGK_OK);
    for (uint64_t k = 0; k < t->bytes; k++)
        put_u8(&c->data, (uint8_t)bytes_random(random));
    put_padding(&c->data, ALIGN);
}

static void add_tensor(struct context *c, size_t i)
{
    const struct tensor *t = &c->tensors[i];
    ggk_new_tensor new = {.name = ggk_cstr(tensor_name(i)),
                          .type = t->type,
                          .n_dims = t->n_dims,
                          .source = c->source,
                          .off = t->off};

    memcpy(new.ne, t->ne, sizeof new.ne);
    assert_int_equal(ggk_plan_add_tensor(c->plan, 0, &new, NULL), GGK_OK);
}

static void run(ggk_plan *plan)
{
    const ggk_run_opts opts = {
        .struct_bytes = sizeof opts, .flags = GGK_RUN_FORCE, .n_threads = 1};

    assert_int_equal(ggk_plan_run(plan, &opts, NULL), GGK_OK);
}

/* Make one, and write it. */
static void context_make(struct context *c, uint64_t *random, const char *path)
{
    uint32_t file;

    memset(c, 0, sizeof *c);
    c->data = bytes_of(3, false);
    assert_int_equal(ggk_plan_new(NULL, &c->plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_file(c->plan, path, &file, NULL), GGK_OK);
    for (int i = 0; i < SETS; i++)
        set_random_key(c, random);
    for (size_t i = 0; i < TENSORS; i++)
        make_tensor(c, random, i);
    assert_int_equal(
        ggk_source_from_memory(c->data.at, c->data.n, NULL, &c->source, NULL),
        GGK_OK);
    for (size_t i = 0; i < TENSORS; i++)
        add_tensor(c, i);
    run(c->plan);
}

static void context_free(struct context *c)
{
    ggk_plan_free(c->plan);
    ggk_source_close(c->source);
    for (size_t i = 0; i < KEYS; i++)
        bytes_free(&c->keys[i].value);
    bytes_free(&c->data);
}

/* ------------------------------------------------------------------ reading */

static void expect_keys(const ggk_model *model, const struct context *c)
{
    assert_int_equal(ggk_model_n_kv(model), c->n_keys);
    for (size_t i = 0; i < KEYS; i++) {
        const struct key *key = &c->keys[i];
        ggk_status status;
        ggk_str value;
        uint64_t at;
        ggk_kv kv;

        status = ggk_model_find_kv(model, ggk_cstr(key_name(i)), &at, NULL);
        assert_int_equal(status, key->there ? GGK_OK : GGK_E_NOT_FOUND);
        if (!key->there)
            continue;
        assert_int_equal(ggk_model_kv(model, at, &kv, NULL), GGK_OK);
        assert_int_equal(kv.type, key->type);
        if (key->type == V_ARR) {
            assert_int_equal(kv.elem_type, key->elem_type);
            assert_int_equal(kv.n, key->n);
        }
        assert_int_equal(ggk_model_kv_bytes(model, at, &value, NULL), GGK_OK);
        assert_int_equal(value.len, key->value.n);
        if (value.len > 0)
            assert_memory_equal(value.ptr, key->value.at, value.len);
    }
}

static void expect_tensors(const ggk_model *model, const struct context *c)
{
    assert_int_equal(ggk_model_n_tensors(model), TENSORS);
    for (size_t i = 0; i < TENSORS; i++) {
        const struct tensor *wanted = &c->tensors[i];
        ggk_tensor t;
        uint64_t at;

        assert_int_equal(
            ggk_model_find_tensor(model, ggk_cstr(tensor_name(i)), &at, NULL),
            GGK_OK);
        assert_int_equal(at, i);
        assert_int_equal(ggk_model_tensor(model, i, &t, NULL), GGK_OK);
        assert_int_equal(t.type, wanted->type);
        assert_int_equal(t.rel_off, wanted->off);
        assert_int_equal(t.bytes, wanted->bytes);
        assert_int_equal(t.n_dims, wanted->n_dims);
        for (uint32_t d = 0; d < t.n_dims; d++)
            assert_int_equal(t.ne[d], wanted->ne[d]);
    }
}

static void expect_data(const ggk_model *model, const struct context *c)
{
    uint8_t *buf = malloc(c->data.n);

    assert_non_null(buf);
    for (uint64_t i = 0; i < TENSORS; i++) {
        const struct tensor *t = &c->tensors[i];

        assert_int_equal(
            ggk_model_read_tensor(model, i, 0, buf, (size_t)t->bytes, NULL),
            GGK_OK);
        assert_memory_equal(buf, c->data.at + t->off, t->bytes);
    }
    free(buf);
}

/* As much at once as the reference program's callbacks give. */
static int read_by_4096(void *ctx, uint64_t off, void *buf, size_t bytes,
                        size_t *got)
{
    const struct bytes *b = ctx;
    size_t left = off < b->n ? b->n - (size_t)off : 0;

    *got = bytes < left ? bytes : left;
    *got = *got < 4096 ? *got : 4096;
    if (*got > 0)
        memcpy(buf, b->at + off, *got);
    return 0;
}

enum mode { MODE_HEADER, MODE_FILE, MODE_PREFIX, MODE_MEMORY, MODE_CALLS };

static ggk_model *open_mode(enum mode mode, const char *path, struct bytes *b,
                            const struct bytes *prefixed)
{
    ggk_callbacks calls = {read_by_4096, NULL, b, b->n};
    ggk_open_opts opts = no_opts();
    ggk_source *source;
    ggk_model *model;

    switch (mode) {
    case MODE_HEADER:
    case MODE_FILE:
        assert_int_equal(ggk_model_open(path, NULL, &model, NULL), GGK_OK);
        return model;
    case MODE_PREFIX:
        opts.base_off = 7;
        assert_int_equal(kind_open(KIND_FILE, prefixed, &opts, &model, NULL),
                         GGK_OK);
        return model;
    case MODE_MEMORY: return open_bytes(b);
    case MODE_CALLS: break;
    }
    assert_int_equal(ggk_source_from_callbacks(&calls, NULL, &source, NULL),
                     GGK_OK);
    assert_int_equal(ggk_model_open_source(source, NULL, &model, NULL), GGK_OK);
    return model;
}

static void expect_context(const char *path, const struct context *c)
{
    struct bytes b = bytes_of(3, false), prefixed = bytes_of(3, false);
    FILE *f = fopen(path, "rb");
    struct stat st;

    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &st), 0);
    assert_int_equal(
        fread(bytes_extend(&b, (size_t)st.st_size), 1, (size_t)st.st_size, f),
        st.st_size);
    fclose(f);
    put_fill(&prefixed, 0xab, 7);
    put_raw(&prefixed, b.at, b.n);
    for (enum mode mode = MODE_HEADER; mode <= MODE_CALLS; mode++) {
        ggk_model *model = open_mode(mode, path, &b, &prefixed);
        ggk_file file;

        assert_int_equal(ggk_model_file(model, 0, &file, NULL), GGK_OK);
        assert_int_equal(file.version, 3);
        assert_int_equal(file.alignment, ALIGN);
        expect_keys(model, c);
        expect_tensors(model, c);
        if (mode != MODE_HEADER)
            expect_data(model, c);
        ggk_model_close(model);
    }
    bytes_free(&b);
    bytes_free(&prefixed);
}

/* ------------------------------------------------------- copying key-values */

static ggk_builder *value_of(const ggk_model *model, uint64_t i)
{
    ggk_event event = GGK_WALK_VALUE;
    ggk_builder *builder;
    ggk_walk walk;

    assert_int_equal(ggk_builder_new(NULL, &builder, NULL), GGK_OK);
    assert_int_equal(ggk_walk_start(model, i, &walk, NULL), GGK_OK);
    for (;;) {
        ggk_status status = GGK_OK;
        ggk_value v;

        event = ggk_walk_next(&walk, &v);
        if (event == GGK_WALK_VALUE)
            status = ggk_builder_put(builder, &v, NULL);
        else if (event == GGK_WALK_OPEN)
            status = ggk_builder_open(builder, v.type, NULL);
        else if (event == GGK_WALK_CLOSE)
            status = ggk_builder_close(builder, NULL);
        else
            break;
        assert_int_equal(status, GGK_OK);
    }
    assert_int_equal(event, GGK_WALK_END);
    return builder;
}

/* Write `to` (NULL: nothing) with all keys of `from` to `path`, and read it. */
static ggk_model *set_all(const ggk_model *to, const ggk_model *from,
                          const char *path)
{
    ggk_plan *plan;
    ggk_model *model;
    uint32_t file;

    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_file(plan, path, &file, NULL), GGK_OK);
    if (to != NULL)
        assert_int_equal(ggk_plan_copy_file(plan, file, to, 0, NULL), GGK_OK);
    for (uint64_t i = 0; i < ggk_model_n_kv(from); i++) {
        ggk_builder *value = value_of(from, i);
        ggk_kv kv;

        assert_int_equal(ggk_model_kv(from, i, &kv, NULL), GGK_OK);
        assert_int_equal(ggk_plan_set_kv(plan, file, kv.key, value, NULL),
                         GGK_OK);
        ggk_builder_free(value);
    }
    run(plan);
    ggk_plan_free(plan);
    assert_int_equal(ggk_model_open(path, NULL, &model, NULL), GGK_OK);
    return model;
}

/* Does `b` have all keys of `a`, with their types and values? */
static void expect_all_of(const ggk_model *a, const ggk_model *b)
{
    for (uint64_t i = 0; i < ggk_model_n_kv(a); i++) {
        ggk_kv x, y;
        ggk_str is, wanted;
        uint64_t j;

        assert_int_equal(ggk_model_kv(a, i, &x, NULL), GGK_OK);
        assert_int_equal(ggk_model_find_kv(b, x.key, &j, NULL), GGK_OK);
        assert_int_equal(ggk_model_kv(b, j, &y, NULL), GGK_OK);
        assert_int_equal(y.type, x.type);
        assert_int_equal(y.elem_type, x.elem_type);
        assert_int_equal(y.n, x.n);
        assert_int_equal(ggk_model_kv_bytes(a, i, &wanted, NULL), GGK_OK);
        assert_int_equal(ggk_model_kv_bytes(b, j, &is, NULL), GGK_OK);
        assert_int_equal(is.len, wanted.len);
        if (is.len > 0)
            assert_memory_equal(is.ptr, wanted.ptr, is.len);
    }
}

static void expect_copies(struct scratch *scratch, const char *const paths[2])
{
    ggk_model *m[2], *into[2], *back;
    char path[2][600];

    for (int i = 0; i < 2; i++) {
        assert_int_equal(ggk_model_open(paths[i], NULL, &m[i], NULL), GGK_OK);
        snprintf(path[i], sizeof path[i], "%s",
                 scratch_path(scratch, i == 0 ? "into.gguf" : "empty.gguf"));
    }
    into[0] = set_all(m[1], m[0], path[0]);
    into[1] = set_all(NULL, m[0], path[1]);
    assert_int_equal(ggk_model_n_kv(into[1]), ggk_model_n_kv(m[0]));
    expect_all_of(m[0], into[0]);
    expect_all_of(m[0], into[1]);
    back = set_all(m[0], into[0], scratch_path(scratch, "back.gguf"));
    assert_int_equal(ggk_model_n_kv(back), ggk_model_n_kv(into[0]));
    expect_all_of(into[0], back);
    assert_int_equal(ggk_model_n_tensors(into[1]), 0);
    assert_int_equal(ggk_model_n_tensors(back), TENSORS);
    ggk_model_close(back);
    for (int i = 0; i < 2; i++) {
        ggk_model_close(m[i]);
        ggk_model_close(into[i]);
    }
}

/* -------------------------------------------------------------------- tests */

static void written_is_read(void **state)
{
    uint64_t seeds = getenv("GGK_EMULATED") != NULL ? SEEDS / 10 : SEEDS;
    struct context *c = malloc(sizeof *c);
    struct scratch scratch;
    char paths[2][600];

    (void)state;
    assert_non_null(c);
    scratch_make(&scratch);
    for (int i = 0; i < 2; i++)
        snprintf(paths[i], sizeof paths[i], "%s",
                 scratch_path(&scratch, i == 0 ? "0.gguf" : "1.gguf"));
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);

        for (int i = 0; i < 2; i++) {
            context_make(c, &random, paths[i]);
            expect_context(paths[i], c);
            context_free(c);
        }
        expect_copies(&scratch, (const char *const[]){paths[0], paths[1]});
    }
    scratch_remove(&scratch);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
