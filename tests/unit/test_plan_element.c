/* test_plan_element.c - one element of an array changed, all others as they
 * were; planned values looked at. */
#include "ggk.h"

#include "kinds.h"
#include "ledger.h"

/* A model of these bytes, and a plan that has its keys. */
struct planned {
    ggk_model *model;
    ggk_plan *plan;
};

static struct planned plan_keys(const struct bytes *b,
                                const ggk_allocator *alloc)
{
    struct planned p = {NULL, NULL};
    ggk_source *source;
    uint32_t file;

    assert_int_equal(ggk_source_from_memory(b->at, b->n, NULL, &source, NULL),
                     GGK_OK);
    assert_int_equal(ggk_model_open_source(source, NULL, &p.model, NULL),
                     GGK_OK);
    assert_int_equal(ggk_plan_new(alloc, &p.plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_file(p.plan, "no/file", &file, NULL), GGK_OK);
    assert_int_equal(ggk_plan_copy_keys(p.plan, 0, p.model, 0, NULL), GGK_OK);
    return p;
}

static void planned_free(struct planned *p)
{
    ggk_plan_free(p->plan);
    ggk_model_close(p->model);
}

/* The array that `key` is planned to have: its stored bytes, head included,
 * where the elements begin 12 bytes later. */
static void expect_planned(ggk_plan *plan, const char *key,
                           const struct bytes *expected)
{
    ggk_model *view;
    ggk_kv kv;
    ggk_str is;

    assert_int_equal(ggk_plan_view_kv(plan, 0, ggk_cstr(key), &view, NULL),
                     GGK_OK);
    assert_int_equal(ggk_model_n_kv(view), 1);
    assert_int_equal(ggk_model_kv(view, 0, &kv, NULL), GGK_OK);
    assert_int_equal(kv.key.len, strlen(key));
    assert_memory_equal(kv.key.ptr, key, kv.key.len);
    assert_int_equal(ggk_model_kv_bytes(view, 0, &is, NULL), GGK_OK);
    assert_int_equal(is.len + 12, expected->n);
    assert_memory_equal(is.ptr - 12, expected->at, expected->n);
    ggk_model_close(view);
}

static ggk_builder *build(const ggk_value *value)
{
    ggk_builder *b;

    assert_int_equal(ggk_builder_new(NULL, &b, NULL), GGK_OK);
    assert_int_equal(ggk_builder_put(b, value, NULL), GGK_OK);
    return b;
}

static ggk_status set_scalar(ggk_plan *plan, const char *key, uint64_t i,
                             const ggk_value *value)
{
    ggk_builder *b = build(value);
    ggk_status status =
        ggk_plan_set_element(plan, 0, ggk_cstr(key), i, b, NULL);

    ggk_builder_free(b);
    return status;
}

static ggk_value string_value(const char *s, size_t n)
{
    return (ggk_value){.type = GGK_VALUE_STRING, .as.s = {s, n}};
}

/* Floats, among them NaNs with a payload, quiet and not. */
static const uint32_t odd_floats[] = {0x7f800001, 0xffc12345, 0x80000000,
                                      0x00000001, 0x7f812345};
static const char *const odd_strings[] = {"", "\xff\xfe", "a\0b",
                                          "\xf0\x9f\x98\x80"};
static const size_t odd_lengths[] = {0, 2, 3, 4};

static void put_floats(struct bytes *b, uint64_t n)
{
    put_array(b, V_F32, n);
    for (uint64_t i = 0; i < 5; i++)
        put_u32(b, odd_floats[i]);
}

/* Three keys: floats, strings, arrays of arrays. */
static struct bytes arrays_of(uint32_t version, bool big)
{
    struct bytes b = bytes_of(version, big);

    put_header(&b, 0, 3);
    put_key(&b, "f", V_ARR);
    put_floats(&b, 5);
    put_key(&b, "s", V_ARR);
    put_array(&b, V_STR, 4);
    for (int i = 0; i < 4; i++)
        put_str_n(&b, odd_strings[i], odd_lengths[i]);
    put_key(&b, "n", V_ARR);
    put_array(&b, V_ARR, 3);
    put_array(&b, V_U16, 2);
    put_u16(&b, 1);
    put_u16(&b, 2);
    put_array(&b, V_ARR, 1);
    put_array(&b, V_STR, 1);
    put_str(&b, "deep");
    put_array(&b, V_I64, 0);
    return b;
}

/* Everything that follows is done for each version and byte order. */
static void each_encoding(void (*test)(struct planned *p, bool big))
{
    for (uint32_t version = 1; version <= 3; version++)
        for (int big = 0; big < 2 && (version > 2 || big == 0); big++) {
            struct bytes b = arrays_of(version, big != 0);
            struct planned p = plan_keys(&b, NULL);

            test(&p, big != 0);
            planned_free(&p);
            bytes_free(&b);
        }
}

static void check_floats(struct planned *p, bool big)
{
    ggk_value v = {.type = GGK_VALUE_FLOAT32, .as.f = 1.5};
    struct bytes expected = bytes_of(3, big);

    put_floats(&expected, 6);
    put_f32(&expected, 1.5F);
    assert_int_equal(set_scalar(p->plan, "f", 5, &v), GGK_OK);
    expect_planned(p->plan, "f", &expected);
    expected.n = 0;
    put_floats(&expected, 6);
    put_f32(&expected, 1.5F);
    expected.n = 12 + 4 * 2;
    put_f32(&expected, 2.5F);
    put_u32(&expected, odd_floats[3]);
    put_u32(&expected, odd_floats[4]);
    put_f32(&expected, 1.5F);
    v.as.f = 2.5;
    assert_int_equal(set_scalar(p->plan, "f", 2, &v), GGK_OK);
    expect_planned(p->plan, "f", &expected);
    bytes_free(&expected);
}

static void floats(void **state)
{
    (void)state;
    each_encoding(check_floats);
}

static void check_strings(struct planned *p, bool big)
{
    static const struct {
        uint64_t i;
        const char *s;
        size_t n;
    } changes[] = {{1, "longer", 6}, {1, "x", 1}, {0, "\0", 1},
                   {4, "new", 3},    {4, "", 0},  {3, "abcd", 4}};
    const char *now[5];
    size_t lengths[5];
    uint64_t n = 4;

    memcpy(now, odd_strings, sizeof odd_strings);
    memcpy(lengths, odd_lengths, sizeof odd_lengths);
    for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++) {
        struct bytes expected = bytes_of(3, big);
        ggk_value v = string_value(changes[k].s, changes[k].n);

        assert_int_equal(set_scalar(p->plan, "s", changes[k].i, &v), GGK_OK);
        now[changes[k].i] = changes[k].s;
        lengths[changes[k].i] = changes[k].n;
        n = changes[k].i == n ? n + 1 : n;
        put_array(&expected, V_STR, n);
        for (uint64_t i = 0; i < n; i++)
            put_str_n(&expected, now[i], lengths[i]);
        expect_planned(p->plan, "s", &expected);
        bytes_free(&expected);
    }
}

static void strings(void **state)
{
    (void)state;
    each_encoding(check_strings);
}

/* One by one, in few and not much larger blocks. */
static void many(void **state)
{
    enum { MANY = 20000 };
    struct ledger l = {0};
    ggk_allocator alloc = ledger_allocator(&l);
    struct bytes b = arrays_of(3, false), expected = bytes_of(3, false);
    struct planned p = plan_keys(&b, &alloc);
    ggk_value v = string_value("word", 4);
    size_t calls;

    (void)state;
    put_array(&expected, V_STR, 4 + MANY);
    for (int i = 0; i < 4; i++)
        put_str_n(&expected, odd_strings[i], odd_lengths[i]);
    assert_int_equal(set_scalar(p.plan, "s", 0, &v), GGK_OK);
    v = string_value("", 0);
    assert_int_equal(set_scalar(p.plan, "s", 0, &v), GGK_OK);
    calls = l.calls;
    v = string_value("word", 4);
    for (uint64_t i = 0; i < MANY; i++) {
        put_str_n(&expected, "word", 4);
        assert_int_equal(set_scalar(p.plan, "s", 4 + i, &v), GGK_OK);
    }
    assert_in_range(l.calls - calls, 1, 64);
    assert_in_range(l.bytes, MANY * 12, MANY * 12 * 2);
    expect_planned(p.plan, "s", &expected);
    v.as.s.len = 3;
    assert_int_equal(set_scalar(p.plan, "s", 3 + MANY, &v), GGK_OK);
    expected.n -= 12;
    put_str_n(&expected, "wor", 3);
    expect_planned(p.plan, "s", &expected);
    planned_free(&p);
    assert_int_equal(l.blocks, 0);
    assert_false(l.mismatch);
    bytes_free(&expected);
    bytes_free(&b);
}

static void check_nested(struct planned *p, bool big)
{
    ggk_value v = {.type = GGK_VALUE_UINT8, .as.u = 7};
    struct bytes expected = bytes_of(3, big);
    ggk_builder *b;

    assert_int_equal(ggk_builder_new(NULL, &b, NULL), GGK_OK);
    assert_int_equal(ggk_builder_open(b, GGK_VALUE_UINT8, NULL), GGK_OK);
    assert_int_equal(ggk_builder_put(b, &v, NULL), GGK_OK);
    assert_int_equal(ggk_builder_close(b, NULL), GGK_OK);
    assert_int_equal(
        ggk_plan_set_element(p->plan, 0, ggk_cstr("n"), 0, b, NULL), GGK_OK);
    assert_int_equal(
        ggk_plan_set_element(p->plan, 0, ggk_cstr("n"), 3, b, NULL), GGK_OK);
    ggk_builder_free(b);
    put_array(&expected, V_ARR, 4);
    put_array(&expected, V_U8, 1);
    put_u8(&expected, 7);
    put_array(&expected, V_ARR, 1);
    put_array(&expected, V_STR, 1);
    put_str(&expected, "deep");
    put_array(&expected, V_I64, 0);
    put_array(&expected, V_U8, 1);
    put_u8(&expected, 7);
    expect_planned(p->plan, "n", &expected);
    bytes_free(&expected);
}

static void nested(void **state)
{
    (void)state;
    each_encoding(check_nested);
}

static void refusals(void **state)
{
    struct bytes b = arrays_of(3, false);
    struct bytes expected = bytes_of(3, false);
    struct planned p = plan_keys(&b, NULL);
    ggk_value u = {.type = GGK_VALUE_UINT32, .as.u = 7};
    ggk_value f = {.type = GGK_VALUE_FLOAT32, .as.f = 7};
    ggk_builder *builder = build(&u), *empty;
    ggk_model *view;

    (void)state;
    assert_int_equal(ggk_builder_new(NULL, &empty, NULL), GGK_OK);
    assert_int_equal(set_scalar(p.plan, "f", 0, &u), GGK_E_TYPE);
    assert_int_equal(set_scalar(p.plan, "n", 0, &u), GGK_E_TYPE);
    assert_int_equal(set_scalar(p.plan, "f", 6, &f), GGK_E_RANGE);
    assert_int_equal(set_scalar(p.plan, "f", UINT64_MAX, &f), GGK_E_RANGE);
    assert_int_equal(set_scalar(p.plan, "x", 0, &f), GGK_E_NOT_FOUND);
    assert_int_equal(
        ggk_plan_set_element(p.plan, 0, ggk_cstr("f"), 0, empty, NULL),
        GGK_E_ARG);
    assert_int_equal(
        ggk_plan_set_element(p.plan, 1, ggk_cstr("f"), 0, builder, NULL),
        GGK_E_RANGE);
    assert_int_equal(ggk_plan_set_kv(p.plan, 0, ggk_cstr("u"), builder, NULL),
                     GGK_OK);
    assert_int_equal(set_scalar(p.plan, "u", 0, &u), GGK_E_TYPE);
    assert_int_equal(ggk_plan_view_kv(p.plan, 0, ggk_cstr("x"), &view, NULL),
                     GGK_E_NOT_FOUND);
    assert_null(view);
    put_floats(&expected, 5);
    expect_planned(p.plan, "f", &expected);
    ggk_builder_free(empty);
    ggk_builder_free(builder);
    planned_free(&p);
    bytes_free(&expected);
    bytes_free(&b);
}

/* Arrays in arrays: 16 levels are the most, with the one they are put into. */
static void depth(void **state)
{
    struct bytes b = arrays_of(3, false);
    struct planned p = plan_keys(&b, NULL);

    (void)state;
    for (int levels = 15; levels <= 16; levels++) {
        ggk_builder *builder;

        assert_int_equal(ggk_builder_new(NULL, &builder, NULL), GGK_OK);
        for (int i = 1; i < levels; i++)
            assert_int_equal(ggk_builder_open(builder, GGK_VALUE_ARRAY, NULL),
                             GGK_OK);
        assert_int_equal(ggk_builder_open(builder, GGK_VALUE_BOOL, NULL),
                         GGK_OK);
        for (int i = 0; i < levels; i++)
            assert_int_equal(ggk_builder_close(builder, NULL), GGK_OK);
        assert_int_equal(
            ggk_plan_set_element(p.plan, 0, ggk_cstr("n"), 1, builder, NULL),
            levels == 15 ? GGK_OK : GGK_E_DEPTH);
        ggk_builder_free(builder);
    }
    planned_free(&p);
    bytes_free(&b);
}

/* Whichever allocation fails, the value stays as it was, or is the new one. */
static void no_memory(void **state)
{
    struct bytes b = arrays_of(1, false);
    ggk_value v = string_value("longer", 6);
    bool done = false;

    (void)state;
    for (size_t fail_at = 1; !done; fail_at++) {
        struct ledger ledger = {0};
        ggk_allocator alloc = ledger_allocator(&ledger);
        struct planned p = plan_keys(&b, &alloc);
        struct bytes expected = bytes_of(3, false);
        ggk_model *view;

        ledger.fail_at = ledger.calls + fail_at;
        done = set_scalar(p.plan, "s", 1, &v) == GGK_OK;
        if (done) {
            done = ggk_plan_view_kv(p.plan, 0, ggk_cstr("s"), &view, NULL) ==
                   GGK_OK;
            ggk_model_close(view);
        } else {
            ledger.fail_at = 0;
            put_array(&expected, V_STR, 4);
            for (int i = 0; i < 4; i++)
                put_str_n(&expected, odd_strings[i], odd_lengths[i]);
            expect_planned(p.plan, "s", &expected);
        }
        planned_free(&p);
        assert_true(ledger_is_even(&ledger));
        bytes_free(&expected);
        assert_true(fail_at < 100);
    }
    bytes_free(&b);
}

/* Single keys, in the order in which they are copied; a key that becomes
 * general.alignment must be one. */
static void keys_one_by_one(void **state)
{
    struct bytes b = bytes_of(3, true);
    ggk_planned_file f;
    struct planned p;
    uint32_t file;

    (void)state;
    put_header(&b, 0, 3);
    put_kv_u32(&b, "a", 64);
    put_kv_u32(&b, "b", 24);
    put_kv_str(&b, "c", "text");
    p = plan_keys(&b, NULL);
    assert_int_equal(ggk_plan_add_file(p.plan, "other", &file, NULL), GGK_OK);
    assert_int_equal(ggk_plan_copy_kv(p.plan, file, p.model, 2, NULL), GGK_OK);
    assert_int_equal(ggk_plan_copy_kv(p.plan, file, p.model, 0, NULL), GGK_OK);
    assert_int_equal(ggk_plan_copy_kv(p.plan, file, p.model, 3, NULL),
                     GGK_E_RANGE);
    assert_int_equal(ggk_plan_file(p.plan, file, &f, NULL), GGK_OK);
    assert_int_equal(f.n_kv, 2);
    assert_true(f.big_endian);
    assert_int_equal(ggk_plan_rename_kv(p.plan, 0, ggk_cstr("b"),
                                        ggk_cstr("general.alignment"), NULL),
                     GGK_E_ALIGN);
    assert_int_equal(ggk_plan_rename_kv(p.plan, 0, ggk_cstr("c"),
                                        ggk_cstr("general.alignment"), NULL),
                     GGK_E_ALIGN_TYPE);
    assert_int_equal(ggk_plan_rename_kv(p.plan, 0, ggk_cstr("a"),
                                        ggk_cstr("general.alignment"), NULL),
                     GGK_OK);
    assert_int_equal(ggk_plan_file(p.plan, 0, &f, NULL), GGK_OK);
    assert_int_equal(f.alignment, 64);
    planned_free(&p);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats),          cmocka_unit_test(strings),
        cmocka_unit_test(nested),          cmocka_unit_test(refusals),
        cmocka_unit_test(depth),           cmocka_unit_test(no_memory),
        cmocka_unit_test(keys_one_by_one), cmocka_unit_test(many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
