/* test_array_files.c - the headers of safetensors and .npy files, byte by byte.
 */
#include "hf/array_files.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

/* What was written, in how many pieces; the piece `fail_at` is refused. */
struct written {
    char at[1 << 16];
    size_t n;
    size_t pieces, fail_at;
};

static ggk_status take(void *ctx, const void *data, size_t bytes,
                       ggk_error *err)
{
    struct written *w = ctx;

    (void)err;
    if (++w->pieces == w->fail_at)
        return GGK_E_IO;
    assert_in_range(bytes, 1, sizeof w->at - w->n);
    memcpy(w->at + w->n, data, bytes);
    w->n += bytes;
    return GGK_OK;
}

static struct ggki_array array_of(const char *name, const char *type,
                                  uint32_t n_dims, const uint64_t *ne)
{
    const ggk_type_info *info = ggk_type_by_name(type);
    struct ggki_array a;
    uint64_t bytes;

    assert_non_null(info);
    assert_int_equal(ggk_type_tensor_bytes(info, ne, n_dims, &bytes, NULL),
                     GGK_OK);
    ggki_array_of(ggk_cstr(name), info->id, info, n_dims, ne, bytes, &a);
    return a;
}

/* ------------------------------------------------------------------- arrays */

static void numbers_keep_their_type(void **state)
{
    static const struct {
        const char *type, *dtype, *descr;
        uint32_t width;
    } plain[] = {
        {"F32", "F32", "<f4", 4},  {"F16", "F16", "<f2", 2},
        {"F64", "F64", "<f8", 8},  {"I8", "I8", "|i1", 1},
        {"I16", "I16", "<i2", 2},  {"I32", "I32", "<i4", 4},
        {"I64", "I64", "<i8", 8},  {"BF16", "BF16", "<u2", 2},
        {"Q8_0", "U8", "|u1", 1},  {"Q4_K", "U8", "|u1", 1},
        {"IQ1_M", "U8", "|u1", 1}, {"MXFP4", "U8", "|u1", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        struct ggki_array a =
            array_of("t", plain[i].type, 2, (uint64_t[]){256, 3});
        bool bytes = strcmp(plain[i].dtype, "U8") == 0;

        assert_string_equal(a.dtype, plain[i].dtype);
        assert_string_equal(a.descr, plain[i].descr);
        assert_int_equal(a.width, plain[i].width);
        assert_string_equal(a.type, bytes ? plain[i].type : "");
        assert_int_equal(a.n_dims, 2);
        assert_int_equal(a.shape[1], 3);
        assert_true((a.shape[0] == 256) == !bytes);
    }
}

static void blocks_are_rows_of_bytes(void **state)
{
    struct ggki_array a = array_of("t", "Q8_0", 3, (uint64_t[]){64, 5, 2});

    (void)state;
    assert_int_equal(a.n_dims, 3);
    assert_int_equal(a.shape[0], 68);
    assert_int_equal(a.shape[1], 5);
    assert_int_equal(a.shape[2], 2);
    a = array_of("t", "Q8_0", 2, (uint64_t[]){64, 0}); /* no bytes, no rows */
    assert_int_equal(a.n_dims, 1);
    assert_int_equal(a.shape[0], 0);
}

static void unknown_layouts_are_bytes(void **state)
{
    /* A user's type with bytes that belong to a row, as well as to blocks. */
    const ggk_type_info rows = {200, 32, 16, 4, 0, "Q_ROW"};
    const ggk_type_info other = {0, 1, 2, 0, 0, "F32"};
    struct ggki_array a;

    (void)state;
    ggki_array_of(ggk_cstr("t"), 139, NULL, 2, (uint64_t[]){64, 3}, 77, &a);
    assert_string_equal(a.type, "type139");
    assert_int_equal(a.n_dims, 1);
    assert_int_equal(a.shape[0], 77);
    ggki_array_of(ggk_cstr("t"), 200, &rows, 2, (uint64_t[]){64, 3}, 108, &a);
    assert_int_equal(a.shape[0], 36);
    ggki_array_of(ggk_cstr("t"), 200, &rows, 2, (uint64_t[]){0, 3}, 0, &a);
    assert_int_equal(a.n_dims, 1);
    assert_int_equal(a.shape[0], 0);
    ggki_array_of(ggk_cstr("t"), 0, &other, 1, (uint64_t[]){3}, 6, &a);
    assert_string_equal(a.dtype, "U8"); /* no F32 but by name */
    assert_int_equal(a.shape[0], 6);
}

/* -------------------------------------------------------------- safetensors */

static void expect_header(const struct written *w, const char *json)
{
    size_t padded = (strlen(json) + 7) / 8 * 8;

    assert_int_equal(w->n, 8 + padded);
    assert_memory_equal(w->at + 8, json, strlen(json));
    for (size_t i = 8 + strlen(json); i < w->n; i++)
        assert_int_equal(w->at[i], ' ');
}

static void safetensors_to_the_byte(void **state)
{
    struct ggki_array plain =
        array_of("a\"\\\n\x7f\xc3\xa9", "F32", 2, (uint64_t[]){3, 2});
    struct ggki_array bytes = array_of("b", "Q4_0", 1, (uint64_t[]){32});
    struct ggki_array_writer w;
    struct written to = {.n = 0};

    (void)state;
    ggki_array_start(&w, take, &to, NULL);
    ggki_safetensors_begin(&w, 0x0102);
    ggki_safetensors_type(&w, &bytes);
    ggki_safetensors_tensor(&w, &plain, 0, 24);
    ggki_safetensors_tensor(&w, &bytes, 24, 42);
    ggki_safetensors_end(&w);
    assert_int_equal(ggki_array_finish(&w), GGK_OK);
    assert_int_equal(w.pos, to.n);
    assert_memory_equal(to.at, "\2\1\0\0\0\0\0\0", 8);
    expect_header(&to, "{\"__metadata__\":{\"gguf.type.b\":\"Q4_0\"},"
                       "\"a\\u0022\\u005c\\u000a\x7f\xc3\xa9\":{"
                       "\"dtype\":\"F32\",\"shape\":[2,3],"
                       "\"data_offsets\":[0,24]},"
                       "\"b\":{\"dtype\":\"U8\",\"shape\":[18],"
                       "\"data_offsets\":[24,42]}}");
}

static void safetensors_without_bytes(void **state)
{
    struct ggki_array scalar = array_of("s", "F16", 0, (uint64_t[]){1});
    struct ggki_array_writer w;
    struct written to = {.n = 0};

    (void)state;
    ggki_array_start(&w, take, &to, NULL);
    ggki_safetensors_begin(&w, 0);
    ggki_safetensors_tensor(&w, &scalar, 0, 2);
    ggki_safetensors_end(&w);
    assert_int_equal(ggki_array_finish(&w), GGK_OK);
    expect_header(&to, "{\"s\":{\"dtype\":\"F16\",\"shape\":[],"
                       "\"data_offsets\":[0,2]}}");
    to.n = 0;
    ggki_array_start(&w, take, &to, NULL);
    ggki_safetensors_begin(&w, 8);
    ggki_safetensors_end(&w);
    assert_int_equal(ggki_array_finish(&w), GGK_OK);
    expect_header(&to, "{}");
}

static void names_that_safetensors_has_not(void **state)
{
    (void)state;
    assert_true(ggki_safetensors_name_ok(ggk_cstr("")));
    assert_true(ggki_safetensors_name_ok(ggk_cstr("__metadata__ ")));
    assert_true(ggki_safetensors_name_ok(ggk_cstr("\xf0\x9f\x98\x80")));
    assert_true(ggki_safetensors_name_ok((ggk_str){"a\0b", 3}));
    assert_false(ggki_safetensors_name_ok(ggk_cstr("__metadata__")));
    assert_false(ggki_safetensors_name_ok(ggk_cstr("a\xff")));
    assert_false(ggki_safetensors_name_ok(ggk_cstr("\xed\xa0\x80")));
}

/* Names longer than the buffer, and the first error of several. */
static void long_headers_and_errors(void **state)
{
    char name[10001];
    struct ggki_array a;
    struct ggki_array_writer w;

    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    a = array_of(name, "I8", 1, (uint64_t[]){1});
    for (size_t fail_at = 0; fail_at < 4; fail_at++) {
        struct written to = {.fail_at = fail_at};

        ggki_array_start(&w, take, &to, NULL);
        ggki_safetensors_begin(&w, 0);
        ggki_safetensors_tensor(&w, &a, 0, 1);
        ggki_safetensors_end(&w);
        assert_int_equal(ggki_array_finish(&w),
                         fail_at == 0 ? GGK_OK : GGK_E_IO);
        assert_int_equal(to.pieces, fail_at == 0 ? 3 : fail_at);
        assert_true(w.pos > sizeof name && w.pos % 8 == 0);
        if (fail_at == 0)
            assert_memory_equal(to.at + 8 + 2, name, sizeof name - 1);
    }
}

/* --------------------------------------------------------------------- .npy */

static void expect_npy(const char *type, uint32_t n_dims, const uint64_t *ne,
                       const char *text)
{
    struct ggki_array a = array_of("t", type, n_dims, ne);
    struct ggki_array_writer w;
    struct written to = {.n = 0};
    unsigned length;

    ggki_array_start(&w, take, &to, NULL);
    ggki_npy_header(&w, &a);
    assert_int_equal(ggki_array_finish(&w), GGK_OK);
    assert_int_equal(to.n % 64, 0);
    assert_int_equal(w.pos, to.n);
    assert_memory_equal(to.at, "\x93NUMPY\1\0", 8);
    length = (unsigned char)to.at[8] + 256u * (unsigned char)to.at[9];
    assert_int_equal(length, to.n - 10);
    assert_memory_equal(to.at + 10, text, strlen(text));
    for (size_t i = 10 + strlen(text); i < to.n - 1; i++)
        assert_int_equal(to.at[i], ' ');
    assert_int_equal(to.at[to.n - 1], '\n');
}

static void npy_to_the_byte(void **state)
{
    uint64_t most[GGK_MAX_DIMS];

    (void)state;
    for (int d = 0; d < GGK_MAX_DIMS; d++)
        most[d] = 1;
    most[0] = UINT64_C(1) << 60;
    expect_npy("F32", 0, (uint64_t[]){1},
               "{'descr': '<f4', 'fortran_order': False, 'shape': (), }");
    expect_npy("BF16", 1, (uint64_t[]){7},
               "{'descr': '<u2', 'fortran_order': False, 'shape': (7,), }");
    expect_npy("Q8_0", 2, (uint64_t[]){32, 5},
               "{'descr': '|u1', 'fortran_order': False, 'shape': (5, 34), }");
    expect_npy("I8", GGK_MAX_DIMS, most,
               "{'descr': '|i1', 'fortran_order': False, 'shape': "
               "(1, 1, 1, 1, 1, 1, 1, 1152921504606846976), }");
    expect_npy("F64", 2, (uint64_t[]){0, 3},
               "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 0), }");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_keep_their_type),
        cmocka_unit_test(blocks_are_rows_of_bytes),
        cmocka_unit_test(unknown_layouts_are_bytes),
        cmocka_unit_test(safetensors_to_the_byte),
        cmocka_unit_test(safetensors_without_bytes),
        cmocka_unit_test(names_that_safetensors_has_not),
        cmocka_unit_test(long_headers_and_errors),
        cmocka_unit_test(npy_to_the_byte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
