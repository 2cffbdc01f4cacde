/* test_builder.c - values made element by element, to the byte. */
#include "model/builder.h"

#include <math.h>

#include "kinds.h"
#include "ledger.h"

static ggk_value unsigned_of(uint32_t type, uint64_t u)
{
    return (ggk_value){.type = type, .as.u = u};
}

static ggk_value signed_of(uint32_t type, int64_t i)
{
    return (ggk_value){.type = type, .as.i = i};
}

static ggk_value float_of(uint32_t type, double f)
{
    return (ggk_value){.type = type, .as.f = f};
}

static ggk_value string_of(const char *s)
{
    return (ggk_value){.type = GGK_VALUE_STRING, .as.s = ggk_cstr(s)};
}

static void expect_built(const ggk_builder *b, uint32_t type,
                         const struct bytes *expected)
{
    uint32_t is_type;
    ggk_str is;

    assert_true(ggki_builder_value(b, &is_type, &is));
    assert_int_equal(is_type, type);
    assert_int_equal(is.len, expected->n);
    assert_memory_equal(is.ptr, expected->at, expected->n);
}

/* Each scalar type at its limits, and past them. */
static void scalars(void **state)
{
    static const struct {
        uint32_t type;
        int64_t least, most;
    } small[] = {
        {GGK_VALUE_UINT8, 0, 255},
        {GGK_VALUE_BOOL, 0, 255},
        {GGK_VALUE_INT8, -128, 127},
        {GGK_VALUE_UINT16, 0, 65535},
        {GGK_VALUE_INT16, -32768, 32767},
        {GGK_VALUE_UINT32, 0, 4294967295},
        {GGK_VALUE_INT32, INT32_MIN, INT32_MAX},
    };

    (void)state;
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        const int64_t tries[] = {small[i].least, small[i].most,
                                 small[i].least - 1, small[i].most + 1};
        size_t width = ggk_value_type_bytes(small[i].type);

        for (int k = 0; k < 4; k++) {
            struct bytes expected = bytes_of(3, false);
            ggk_value v = signed_of(small[i].type, tries[k]);
            ggk_builder *b;
            uint32_t type;
            ggk_str value;

            assert_int_equal(ggk_builder_new(NULL, &b, NULL), GGK_OK);
            put_uint(&expected, (uint64_t)tries[k], width);
            if (k < 2) {
                assert_int_equal(ggk_builder_put(b, &v, NULL), GGK_OK);
                expect_built(b, small[i].type, &expected);
            } else {
                assert_int_equal(ggk_builder_put(b, &v, NULL), GGK_E_RANGE);
                assert_false(ggki_builder_value(b, &type, &value));
            }
            ggk_builder_free(b);
            bytes_free(&expected);
        }
    }
}

static void floats_and_wide(void **state)
{
    const ggk_value values[] = {
        unsigned_of(GGK_VALUE_UINT64, UINT64_MAX),
        signed_of(GGK_VALUE_INT64, INT64_MIN),
        float_of(GGK_VALUE_FLOAT64, 0.1),
        float_of(GGK_VALUE_FLOAT32, 0.1),
        float_of(GGK_VALUE_FLOAT32, (double)-INFINITY),
    };
    struct bytes expected[5];
    ggk_value huge = float_of(GGK_VALUE_FLOAT32, 1e39);
    ggk_builder *b;

    (void)state;
    for (int i = 0; i < 5; i++)
        expected[i] = bytes_of(3, false);
    put_u64(&expected[0], UINT64_MAX);
    put_u64(&expected[1], UINT64_C(1) << 63);
    put_f64(&expected[2], 0.1);
    put_f32(&expected[3], 0.1f);
    put_f32(&expected[4], -INFINITY);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(ggk_builder_new(NULL, &b, NULL), GGK_OK);
        assert_int_equal(ggk_builder_put(b, &values[i], NULL), GGK_OK);
        expect_built(b, values[i].type, &expected[i]);
        assert_int_equal(ggk_builder_put(b, &values[i], NULL), GGK_E_TYPE);
        expect_built(b, values[i].type, &expected[i]);
        ggk_builder_free(b);
        bytes_free(&expected[i]);
    }
    assert_int_equal(ggk_builder_new(NULL, &b, NULL), GGK_OK);
    assert_int_equal(ggk_builder_put(b, &huge, NULL), GGK_E_RANGE);
    ggk_builder_free(b);
}

/* [[1, 2], [], [["x", "yz"]]] */
static ggk_status build_nested(ggk_builder *b, ggk_error *err)
{
    ggk_value one = unsigned_of(GGK_VALUE_UINT16, 1);
    ggk_value two = unsigned_of(GGK_VALUE_UINT16, 2);
    ggk_value x = string_of("x"), yz = string_of("yz");

#define TRY(call)                   \
    do {                            \
        ggk_status status = (call); \
        if (status != GGK_OK)       \
            return status;          \
    } while (0)
    TRY(ggk_builder_open(b, GGK_VALUE_ARRAY, err));
    TRY(ggk_builder_open(b, GGK_VALUE_UINT16, err));
    TRY(ggk_builder_put(b, &one, err));
    TRY(ggk_builder_put(b, &two, err));
    TRY(ggk_builder_close(b, err));
    TRY(ggk_builder_open(b, GGK_VALUE_FLOAT64, err));
    TRY(ggk_builder_close(b, err));
    TRY(ggk_builder_open(b, GGK_VALUE_ARRAY, err));
    TRY(ggk_builder_open(b, GGK_VALUE_STRING, err));
    TRY(ggk_builder_put(b, &x, err));
    TRY(ggk_builder_put(b, &yz, err));
    TRY(ggk_builder_close(b, err));
    TRY(ggk_builder_close(b, err));
#undef TRY
    return ggk_builder_close(b, err);
}

static void put_nested(struct bytes *b)
{
    put_array(b, V_ARR, 3);
    put_array(b, V_U16, 2);
    put_u16(b, 1);
    put_u16(b, 2);
    put_array(b, V_F64, 0);
    put_array(b, V_ARR, 1);
    put_array(b, V_STR, 2);
    put_str(b, "x");
    put_str(b, "yz");
}

static void nested_arrays(void **state)
{
    struct bytes expected = bytes_of(3, false);
    ggk_builder *b;

    (void)state;
    put_nested(&expected);
    assert_int_equal(ggk_builder_new(NULL, &b, NULL), GGK_OK);
    assert_int_equal(build_nested(b, NULL), GGK_OK);
    expect_built(b, GGK_VALUE_ARRAY, &expected);
    assert_int_equal(ggk_builder_close(b, NULL), GGK_E_ARG);
    ggk_builder_free(b);
    bytes_free(&expected);
}

static void wrong_turns(void **state)
{
    ggk_value u8 = unsigned_of(GGK_VALUE_UINT8, 1);
    ggk_value array = unsigned_of(GGK_VALUE_ARRAY, 1);
    ggk_value none = unsigned_of(77, 1);
    ggk_builder *b;
    uint32_t type;
    ggk_str value;

    (void)state;
    assert_int_equal(ggk_builder_new(NULL, &b, NULL), GGK_OK);
    assert_false(ggki_builder_value(b, &type, &value));
    assert_int_equal(ggk_builder_put(b, &array, NULL), GGK_E_TYPE);
    assert_int_equal(ggk_builder_put(b, &none, NULL), GGK_E_TYPE);
    assert_int_equal(ggk_builder_open(b, 13, NULL), GGK_E_ELEM_TYPE);
    assert_int_equal(ggk_builder_open(b, GGK_VALUE_UINT16, NULL), GGK_OK);
    assert_false(ggki_builder_value(b, &type, &value));
    assert_int_equal(ggk_builder_put(b, &u8, NULL), GGK_E_TYPE);
    assert_int_equal(ggk_builder_open(b, GGK_VALUE_UINT8, NULL), GGK_E_TYPE);
    ggk_builder_free(b);
    ggk_builder_free(NULL);
}

static void depth_is_bounded(void **state)
{
    ggk_builder *b;

    (void)state;
    assert_int_equal(ggk_builder_new(NULL, &b, NULL), GGK_OK);
    for (int i = 0; i < GGK_MAX_DEPTH; i++)
        assert_int_equal(ggk_builder_open(b, GGK_VALUE_ARRAY, NULL), GGK_OK);
    assert_int_equal(ggk_builder_open(b, GGK_VALUE_ARRAY, NULL), GGK_E_DEPTH);
    ggk_builder_free(b);
}

/* Every allocation fails once: what is left is whole, and nothing leaks. */
static void no_memory(void **state)
{
    size_t n = 1;
    bool reached = true;

    (void)state;
    for (; reached; n++) {
        struct ledger ledger = {.fail_at = n};
        ggk_allocator alloc = ledger_allocator(&ledger);
        ggk_builder *b;
        ggk_status status = ggk_builder_new(&alloc, &b, NULL);

        if (status == GGK_OK)
            status = build_nested(b, NULL);
        ggk_builder_free(b);
        reached = ledger.calls >= n;
        assert_int_equal(status, reached ? GGK_E_NOMEM : GGK_OK);
        assert_true(ledger_is_even(&ledger));
    }
    assert_true(n > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars),       cmocka_unit_test(floats_and_wide),
        cmocka_unit_test(nested_arrays), cmocka_unit_test(wrong_turns),
        cmocka_unit_test(no_memory),     cmocka_unit_test(depth_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
