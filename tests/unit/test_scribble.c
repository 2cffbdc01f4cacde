/* test_scribble.c - a model whose bytes are written over while it is open, as
 * another process may do with a mapped file: whatever it then says is GGK_E_
 * CHANGED or could have been so, and nothing outside its bytes is touched
 * (which the address sanitizer sees). */
#include "kinds.h"

#include "ledger.h"
#include "sample.h"

enum { SCRIBBLES = 100000 };

/* A model over bytes of exactly their own size, and an index of each array that
 * can have one, made before anything was written over. */
struct victim {
    struct bytes b;
    uint8_t *fresh; /* the bytes as they were */
    size_t head_end;
    ggk_model *model;
    ggk_index *strings, *ints;
};

static void victim_make(struct victim *v, uint32_t version, bool big)
{
    struct bytes b = bytes_features(version, big);
    ggk_file file;

    v->b = b;
    v->b.at = malloc(b.n);
    v->fresh = malloc(b.n);
    assert_non_null(v->b.at);
    assert_non_null(v->fresh);
    memcpy(v->b.at, b.at, b.n);
    memcpy(v->fresh, b.at, b.n);
    bytes_free(&b);
    v->model = open_bytes(&v->b);
    assert_int_equal(ggk_model_file(v->model, 0, &file, NULL), GGK_OK);
    v->head_end = (size_t)file.head_end;
    assert_int_equal(ggk_index_new(v->model, 2, &v->strings, NULL), GGK_OK);
    assert_int_equal(ggk_index_new(v->model, 3, &v->ints, NULL), GGK_OK);
}

static void victim_free(struct victim *v)
{
    ggk_index_free(v->strings);
    ggk_index_free(v->ints);
    ggk_model_close(v->model);
    bytes_free(&v->b);
    free(v->fresh);
}

/* Write over 1 to 4 fields of the header with bytes likely to do harm. */
static void victim_scribble(struct victim *v, uint64_t *seed)
{
    uint64_t n = bytes_random(seed) % 4 + 1;

    memcpy(v->b.at, v->fresh, v->b.n);
    for (; n > 0; n--) {
        static const uint64_t harmful[] = {0,
                                           1,
                                           2,
                                           8,
                                           9,
                                           12,
                                           255,
                                           UINT32_MAX,
                                           0x7fffffff,
                                           0x80000000,
                                           0x7fffffffffffffff,
                                           0x8000000000000000,
                                           UINT64_MAX,
                                           UINT64_MAX - 7};
        uint64_t r = bytes_random(seed);
        size_t width = (size_t)1 << (r & 3);
        size_t pos = (size_t)(r >> 8) % (v->head_end - width);
        uint64_t value = r >> 40;

        if ((r & 4) != 0)
            value = harmful[value % (sizeof harmful / sizeof harmful[0])];
        bytes_patch(&v->b, pos, value, width);
    }
}

static bool is_inside(const struct victim *v, ggk_str s)
{
    const char *base = (const char *)v->b.at;

    return s.len == 0 || (s.ptr >= base && s.len <= v->b.n &&
                          (size_t)(s.ptr - base) <= v->b.n - s.len);
}

static void expect_plausible_value(const struct victim *v, const ggk_value *out)
{
    assert_true(out->type < GGK_VALUE_TYPE_COUNT && out->type != V_ARR);
    if (out->type == V_STR)
        assert_true(is_inside(v, out->as.s));
}

/* A walk ends: each event but CLOSE uses up an element, which takes a byte. */
static void walk_through(const struct victim *v, uint64_t i, uint64_t skip)
{
    ggk_walk walk;
    ggk_value out;
    ggk_event event;
    ggk_status status = ggk_walk_start(v->model, i, &walk, NULL);
    size_t events = 0;

    assert_true(status == GGK_OK || status == GGK_E_CHANGED);
    do {
        if (skip != 0 && events % 3 == 2)
            ggk_walk_skip(&walk, skip);
        event = ggk_walk_next(&walk, &out);
        if (event == GGK_WALK_VALUE)
            expect_plausible_value(v, &out);
        assert_true(events++ <= 2 * v->b.n);
    } while (event != GGK_WALK_END && event != GGK_WALK_BROKEN);
}

static void look_at_kv(const struct victim *v, uint64_t i)
{
    ggk_kv kv;
    ggk_str s;
    ggk_status status = ggk_model_kv(v->model, i, &kv, NULL);

    assert_true(status == GGK_OK || status == GGK_E_CHANGED);
    if (status == GGK_OK) {
        assert_true(is_inside(v, kv.key));
        assert_true(kv.type < GGK_VALUE_TYPE_COUNT);
        assert_true(kv.elem_type < GGK_VALUE_TYPE_COUNT);
        assert_true(kv.value_off <= kv.end_off && kv.end_off <= v->head_end);
    }
    status = ggk_model_kv_bytes(v->model, i, &s, NULL);
    assert_true(status == GGK_OK || status == GGK_E_CHANGED);
    assert_true(is_inside(v, s));
    walk_through(v, i, 0);
    walk_through(v, i, 2);
}

static void look_at_index(const struct victim *v, const ggk_index *index)
{
    for (uint64_t i = 0; i < ggk_index_count(index); i++) {
        ggk_value out;
        ggk_status status = ggk_index_get(index, i, &out, NULL);

        assert_true(status == GGK_OK || status == GGK_E_CHANGED);
        if (status == GGK_OK)
            expect_plausible_value(v, &out);
    }
}

/* An index made of what is there now. */
static void look_at_new_index(const struct victim *v, uint64_t i)
{
    ggk_index *index;
    ggk_status status = ggk_index_new(v->model, i, &index, NULL);

    assert_true(status == GGK_OK || status == GGK_E_CHANGED ||
                status == GGK_E_TYPE);
    if (status == GGK_OK) {
        assert_true(ggk_index_count(index) <= v->b.n);
        look_at_index(v, index);
        ggk_index_free(index);
    }
}

static void look_at_tensor(const struct victim *v, uint64_t i)
{
    uint8_t buf[16];
    ggk_tensor t;
    ggk_status status = ggk_model_tensor(v->model, i, &t, NULL);

    assert_true(status == GGK_OK || status == GGK_E_CHANGED);
    if (status == GGK_OK) {
        assert_true(is_inside(v, t.name));
        assert_true(t.n_dims <= GGK_MAX_DIMS);
        assert_true(t.info_off < t.info_end && t.info_end <= v->head_end);
    }
    for (uint64_t off = 0; off <= 1024; off += 256) {
        uint64_t from = off < 1024 || t.bytes == 0 ? off : t.bytes - 1;
        status = ggk_model_read_tensor(v->model, i, from, buf,
                                       off < 1024 ? sizeof buf : 1, NULL);
        assert_true(status == GGK_OK || status == GGK_E_CHANGED ||
                    status == GGK_E_RANGE || status == GGK_E_DATA_MISSING);
    }
}

static void look_up_names(const struct victim *v)
{
    static const char *const names[] = {
        "general.architecture", "u64", "f64", "bool", "super", "gone"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ggk_str name = ggk_cstr(names[i]);
        uint64_t u;
        int64_t n;
        double f;
        bool yes;
        ggk_str s;

        (void)!ggk_model_find_tensor(v->model, name, &u, NULL);
        assert_true(u == GGK_NONE || u < FEATURE_TENSORS);
        (void)!ggk_model_find_kv(v->model, name, &u, NULL);
        assert_true(u == GGK_NONE || u < FEATURE_KVS);
        (void)!ggk_model_get_u64(v->model, name, &u, NULL);
        (void)!ggk_model_get_i64(v->model, name, &n, NULL);
        (void)!ggk_model_get_f64(v->model, name, &f, NULL);
        (void)!ggk_model_get_bool(v->model, name, &yes, NULL);
        (void)!ggk_model_get_str(v->model, name, &s, NULL);
        assert_true(is_inside(v, s));
    }
}

static void scribble_over(uint32_t version, bool big, int n)
{
    struct victim v;
    ggk_file before, after;
    uint64_t seed = 0x5eed + version + big;
    char *text, *expected;

    victim_make(&v, version, big);
    expected = describe(v.model);
    assert_int_equal(ggk_model_file(v.model, 0, &before, NULL), GGK_OK);
    for (int round = 0; round < n; round++) {
        victim_scribble(&v, &seed);
        for (uint64_t i = 0; i < FEATURE_KVS; i++)
            look_at_kv(&v, i);
        for (uint64_t i = 0; i < FEATURE_TENSORS; i++)
            look_at_tensor(&v, i);
        look_at_index(&v, v.strings);
        look_at_index(&v, v.ints);
        look_at_new_index(&v, bytes_random(&seed) % FEATURE_KVS);
        look_up_names(&v);
    }
    /* What was found out at first is kept; and nothing else was. */
    assert_int_equal(ggk_model_file(v.model, 0, &after, NULL), GGK_OK);
    assert_int_equal(after.alignment, before.alignment);
    assert_int_equal(after.head_end, before.head_end);
    assert_int_equal(after.data_off, before.data_off);
    assert_int_equal(after.data_end, before.data_end);
    memcpy(v.b.at, v.fresh, v.b.n);
    text = describe(v.model);
    assert_string_equal(text, expected);
    free(text);
    free(expected);
    victim_free(&v);
}

static void scribbles_over_version_3(void **state)
{
    (void)state;
    scribble_over(3, false, SCRIBBLES / 2);
}

static void scribbles_over_version_1(void **state)
{
    (void)state;
    scribble_over(1, false, SCRIBBLES / 4);
}

static void scribbles_over_big_endian(void **state)
{
    (void)state;
    scribble_over(3, true, SCRIBBLES / 4);
}

/* Every byte of the header, with every bit of it flipped in turn. */
static void every_bit_may_flip(void **state)
{
    struct victim v;

    (void)state;
    victim_make(&v, 3, false);
    for (size_t bit = 0; bit < 8 * v.head_end; bit++) {
        v.b.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        for (uint64_t i = 0; i < FEATURE_KVS; i++)
            look_at_kv(&v, i);
        for (uint64_t i = 0; i < FEATURE_TENSORS; i++)
            look_at_tensor(&v, i);
        look_at_index(&v, v.strings);
        look_up_names(&v);
        v.b.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    victim_free(&v);
}

/* ----------------------------------------------------- while it is opened */

/* An allocator that writes over the file when it is called for the n-th time,
 * between two looks at the same byte. */
struct meddler {
    struct ledger ledger;
    struct bytes *b;
    size_t at_call;
    size_t pos, n;
    uint8_t byte;
};

static void *meddle_resize(void *ctx, void *ptr, size_t old_bytes,
                           size_t new_bytes)
{
    struct meddler *m = ctx;

    if (m->ledger.calls + 1 == m->at_call)
        memset(m->b->at + m->pos, m->byte, m->n);
    return ledger_resize(&m->ledger, ptr, old_bytes, new_bytes);
}

static void meddle_release(void *ctx, void *ptr, size_t bytes)
{
    struct meddler *m = ctx;
    ledger_release(&m->ledger, ptr, bytes);
}

/* Open while `n` bytes at `pos` become `byte` at allocation `at_call`; false if
 * there was no such allocation. */
static bool open_meddled(const struct bytes *fresh, size_t at_call, size_t pos,
                         size_t n, uint8_t byte, ggk_status *status)
{
    struct bytes b = *fresh;
    struct meddler m = {.at_call = at_call, .pos = pos, .n = n, .byte = byte};
    const ggk_allocator alloc = {meddle_resize, meddle_release, &m};
    ggk_open_opts opts = no_opts();
    ggk_model *model;
    ggk_error err;

    b.at = malloc(b.n);
    assert_non_null(b.at);
    memcpy(b.at, fresh->at, b.n);
    m.b = &b;
    opts.allocator = &alloc;
    opts.hash_seed[0] = 1; /* alike in every run */
    *status = kind_open(KIND_MEMORY, &b, &opts, &model, &err);
    assert_true((*status == GGK_OK) == (model != NULL));
    if (*status == GGK_OK)
        free(describe(model));
    else
        assert_int_equal(err.status, *status);
    ggk_model_close(model);
    assert_true(ledger_is_even(&m.ledger));
    free(b.at);
    return m.ledger.calls >= at_call;
}

static void files_may_change_while_they_are_opened(void **state)
{
    static const uint8_t bytes[] = {0, 1, 9, 255};
    struct bytes b = bytes_features(3, false);
    size_t head = b.n - FEATURE_DATA_BYTES;
    ggk_status status;

    (void)state;
    for (size_t call = 1; open_meddled(&b, call, 0, 0, 0, &status); call++)
        for (size_t pos = 0; pos + 8 <= head; pos++)
            for (size_t i = 0; i < 2 * sizeof bytes; i++)
                open_meddled(&b, call, pos, i % 2 ? 8 : 1, bytes[i / 2],
                             &status);
    bytes_free(&b);
}

/* Where each part is looked at again, the change is told. */
static void changes_while_opening_are_told(void **state)
{
    struct bytes b = bytes_of(3, false);
    size_t info, changed = 0;
    ggk_status status;

    (void)state;
    put_header(&b, 2, 1);
    put_kv_u32(&b, "general.alignment", 32);
    info = b.n;
    put_info(&b, "a", 1, (uint64_t[]){8}, T_UNKNOWN, 0);
    put_info(&b, "b", 1, (uint64_t[]){8}, T_UNKNOWN, 32);
    put_padding(&b, 32);
    put_fill(&b, 0, 64);
    /* The names of keys, a type, offsets, and names of tensors. */
    for (size_t call = 1; open_meddled(&b, call, 24, info - 24, 255, &status);
         call++)
        changed += status == GGK_E_CHANGED;
    assert_true(changed >= 1);
    changed = 0;
    for (size_t call = 1; open_meddled(&b, call, 24 + 25, 1, V_U64, &status);
         call++)
        changed += status == GGK_E_CHANGED;
    assert_true(changed >= 1);
    changed = 0;
    for (size_t call = 1; open_meddled(&b, call, info, 8, 255, &status); call++)
        changed += status == GGK_E_CHANGED;
    assert_true(changed >= 2);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scribbles_over_version_3),
        cmocka_unit_test(scribbles_over_version_1),
        cmocka_unit_test(scribbles_over_big_endian),
        cmocka_unit_test(every_bit_may_flip),
        cmocka_unit_test(files_may_change_while_they_are_opened),
        cmocka_unit_test(changes_while_opening_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
