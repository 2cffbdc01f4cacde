/* test_cli_array_in.c - headers of .npy and safetensors files: what they say,
 * and what is refused, and where. */
#include "array_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* ---------------------------------------------------------------------- npy */

/* A file of that version with that dictionary; its length. */
static size_t make_npy(char *out, unsigned version, const char *dictionary)
{
    size_t n = strlen(dictionary), at = 8;

    memcpy(out, "\x93NUMPY", 6);
    out[6] = (char)version;
    out[7] = 0;
    for (size_t i = 0; i < (version == 1 ? 2u : 4u); i++)
        out[at++] = (char)(n >> 8 * i & 0xff);
    memcpy(out + at, dictionary, n);
    return at + n;
}

/* In a block of just its size, so that reading on is noticed. */
static enum array_read parse_npy(const char *bytes, size_t n, uint64_t file,
                                 struct array_in *out, struct array_error *err)
{
    char *copy = malloc(n > 0 ? n : 1);
    enum array_read read;

    assert_non_null(copy);
    memcpy(copy, bytes, n);
    *err = (struct array_error){.what = ""};
    read = npy_in_parse(copy, n, file, out, err);
    free(copy);
    return read;
}

static void expect_npy(unsigned version, const char *dictionary,
                       const char *type, uint32_t n_dims, uint64_t bytes)
{
    char file[512];
    size_t n = make_npy(file, version, dictionary);
    struct array_in a;
    struct array_error err;
    enum array_read read = parse_npy(file, n, n + bytes, &a, &err);

    assert_string_equal(err.what, "");
    assert_int_equal(read, ARRAY_READ);
    if (type == NULL)
        assert_null(a.type);
    else
        assert_string_equal(a.type, type);
    assert_int_equal(a.n_dims, n_dims);
    assert_int_equal(a.bytes, bytes);
    assert_int_equal(a.off, n);
}

static void npy_headers(void **state)
{
    (void)state;
    expect_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }",
               "F32", 2, 48);
    expect_npy(2, "{\"shape\":(5,),\"descr\":\">f2\",\"fortran_order\":False}",
               "F16", 1, 10);
    expect_npy(3, " { 'fortran_order' : False , 'descr':'|u1','shape':()} \n",
               NULL, 0, 1);
    expect_npy(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (2L,), }",
               "I64", 1, 16);
    expect_npy(1, "{'descr': '|V2', 'fortran_order': False, 'shape': (0, 9)}",
               NULL, 2, 0);
    expect_npy(1,
               "{'descr': '<f8', 'fortran_order': False, "
               "'shape': (1, 1, 1, 1, 1, 1, 1, 2)}",
               "F64", 8, 16);
}

static void npy_facts(void **state)
{
    char file[512];
    size_t n = make_npy(file, 1,
                        "{'descr': '>i2', 'fortran_order': False, "
                        "'shape': (3, 4), }");
    struct array_in a;
    struct array_error err;

    (void)state;
    assert_int_equal(parse_npy(file, n, n + 24, &a, &err), ARRAY_READ);
    assert_true(a.big_endian);
    assert_int_equal(a.width, 2);
    assert_int_equal(a.dims[0], 3);
    assert_int_equal(a.dims[1], 4);
    assert_string_equal(a.dtype, ">i2");
}

static void refuse_npy(const char *dictionary, enum array_read expected,
                       const char *what, const char *field, uint64_t at)
{
    char file[512];
    size_t n = make_npy(file, 1, dictionary);
    struct array_in a;
    struct array_error err;

    assert_int_equal(parse_npy(file, n, n + 48, &a, &err), expected);
    assert_string_equal(err.what, what);
    assert_string_equal(err.field, field);
    assert_int_equal(err.at, at);
}

static void npy_refused(void **state)
{
    (void)state;
#define NPY_A "{'descr': '<f4', 'fortran_order': False, 'shape': "
    refuse_npy(NPY_A "(3, 4)", ARRAY_BAD, "the header is no dictionary", "",
               66);
    refuse_npy(NPY_A "(3, 4)} x", ARRAY_BAD, "something follows the dictionary",
               "", 68);
    refuse_npy(NPY_A "(3 4)}", ARRAY_BAD, "the shape is no tuple", "shape", 63);
    refuse_npy(NPY_A "(12)}", ARRAY_BAD, "the shape is no tuple", "shape", 64);
    refuse_npy(NPY_A "[12]}", ARRAY_BAD, "the shape is no tuple", "shape", 60);
    refuse_npy(NPY_A "(-1,)}", ARRAY_BAD, "a dimension is no number", "shape",
               61);
    refuse_npy(NPY_A "(18446744073709551616,)}", ARRAY_BAD,
               "a dimension is past 2^64", "shape", 80);
    refuse_npy(NPY_A "(4294967296, 4294967296)}", ARRAY_BAD,
               "the array is larger than 2^64 bytes", "shape", 85);
    refuse_npy(NPY_A "(1,1,1,1,1,1,1,1,1)}", ARRAY_UNSUPPORTED,
               "the array has more than 8 dimensions", "shape", 77);
    refuse_npy(NPY_A "(13,)}", ARRAY_BAD,
               "the array takes 52 bytes, and the file has 48", "data", 66);
    refuse_npy(NPY_A "(11,)}", ARRAY_BAD,
               "the array takes 44 bytes, but 48 follow the header", "data",
               66);
    refuse_npy(NPY_A "(3, 4), 'shape': (3, 4)}", ARRAY_BAD, "it is there twice",
               "shape", 76);
    refuse_npy(NPY_A "(3, 4), 'more': 1}", ARRAY_BAD,
               "the header has an entry that none has", "", 75);
#undef NPY_A
    refuse_npy("{}", ARRAY_BAD,
               "the header lacks descr, fortran_order or shape", "", 12);
    refuse_npy("{'descr", ARRAY_BAD, "the header is no dictionary", "", 11);
    refuse_npy("{'descr': '<f4' 'shape': 1}", ARRAY_BAD,
               "the header is no dictionary", "", 26);
    refuse_npy("{'fortran_order': True}", ARRAY_UNSUPPORTED,
               "the array is stored column by column: save it as "
               "numpy.ascontiguousarray() gives it",
               "fortran_order", 28);
    refuse_npy("{'fortran_order': 0}", ARRAY_BAD,
               "it is neither True nor False", "fortran_order", 28);
    refuse_npy("{'descr': [('a', '<f4')]}", ARRAY_UNSUPPORTED,
               "the elements are structures, not numbers", "descr", 20);
    refuse_npy("{'descr': 'f4'}", ARRAY_BAD, "the type of the elements is none",
               "descr", 20);
    refuse_npy("{'descr': '|O'}", ARRAY_UNSUPPORTED,
               "elements of the type '|O' cannot be used: convert them with "
               "astype()",
               "descr", 20);
    refuse_npy("{'descr': '<c16'}", ARRAY_UNSUPPORTED,
               "elements of the type '<c16' cannot be used: convert them with "
               "astype()",
               "descr", 20);
    refuse_npy("{'descr': '<f1'}", ARRAY_UNSUPPORTED,
               "elements of the type '<f1' cannot be used: convert them with "
               "astype()",
               "descr", 20);
    refuse_npy("{'descr': '|f4'}", ARRAY_BAD,
               "the byte order of the elements is missing", "descr", 20);
}

static void npy_cut(void **state)
{
    char file[512];
    size_t n = make_npy(file, 1,
                        "{'descr': '<f4', 'fortran_order': False, "
                        "'shape': (), }");
    struct array_in a;
    struct array_error err;

    (void)state;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(parse_npy(file, i, i, &a, &err), ARRAY_BAD);
        assert_true(err.at <= i);
    }
    assert_int_equal(parse_npy(file, n, n + 4, &a, &err), ARRAY_READ);
    file[0] = 'x';
    assert_int_equal(parse_npy(file, n, n + 4, &a, &err), ARRAY_BAD);
    assert_string_equal(err.what, "this is no .npy file");
    file[0] = '\x93';
    file[6] = 4;
    assert_int_equal(parse_npy(file, n, n + 4, &a, &err), ARRAY_UNSUPPORTED);
    assert_string_equal(err.what, "version 4.0 of .npy is not known");
    assert_int_equal(err.at, 6);
    file[6] = 2;
    assert_int_equal(parse_npy(file, n, n + 4, &a, &err), ARRAY_UNSUPPORTED);
    assert_string_equal(err.field, "header_len");
}

/* -------------------------------------------------------------- safetensors */

static enum array_read parse_safetensors(const char *json, uint64_t data,
                                         struct safetensors_in **out,
                                         struct array_error *err)
{
    size_t n = strlen(json);
    char *copy = malloc(n > 0 ? n : 1);
    enum array_read read;

    assert_non_null(copy);
    memcpy(copy, json, n);
    *err = (struct array_error){.what = ""};
    read = safetensors_in_parse(copy, n, 8 + n + data, out, err);
    free(copy);
    if (read == ARRAY_UNSUPPORTED && strstr(err->what, "json-c") != NULL)
        skip();
    return read;
}

static void safetensors_header(void **state)
{
    const char *json =
        "{\"b\":{\"dtype\":\"I16\",\"shape\":[2,3],\"data_offsets\":[4,16]},"
        "\"__metadata__\":{\"a\":\"b\"},"
        "\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[4],\"data_offsets\":[0,4]},"
        "\"none\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[2,2]}}";
    struct safetensors_in *file;
    struct array_error err;
    struct array_in a;

    (void)state;
    assert_int_equal(parse_safetensors(json, 16, &file, &err), ARRAY_READ);
    assert_int_equal(safetensors_in_find(file, "b", &a, &err), ARRAY_READ);
    assert_string_equal(a.type, "I16");
    assert_int_equal(a.n_dims, 2);
    assert_int_equal(a.dims[1], 3);
    assert_int_equal(a.bytes, 12);
    assert_int_equal(a.off, 8 + strlen(json) + 4);
    assert_false(a.big_endian);
    assert_int_equal(safetensors_in_find(file, "a", &a, &err), ARRAY_READ);
    assert_null(a.type);
    assert_int_equal(a.width, 1);
    assert_int_equal(safetensors_in_find(file, "none", &a, &err), ARRAY_READ);
    assert_int_equal(a.bytes, 0);
    assert_int_equal(safetensors_in_find(file, "c", &a, &err), ARRAY_NOT_FOUND);
    assert_int_equal(safetensors_in_find(file, "__metadata__", &a, &err),
                     ARRAY_NOT_FOUND);
    safetensors_in_free(file);
}

static void refuse_safetensors(const char *json, const char *what)
{
    struct safetensors_in *file;
    struct array_error err;

    assert_int_not_equal(parse_safetensors(json, 16, &file, &err), ARRAY_READ);
    assert_null(file);
    assert_string_equal(err.what, what);
}

static void safetensors_refused(void **state)
{
    (void)state;
    refuse_safetensors("", "the header is no JSON: unexpected end of data, at "
                           "line 1, column 1 of the JSON");
    refuse_safetensors("[]", "the header is no object");
    refuse_safetensors("{\"a\":{},\"a\":{}}",
                       "the header is no JSON: a member occurs more than once "
                       "in its object, at line 1, column 9 of the JSON");
    refuse_safetensors("{\"a\":1}",
                       "\"a\": it lacks dtype, shape or data_offsets");
    refuse_safetensors(
        "{\"a\":{\"dtype\":1,\"shape\":[],\"data_offsets\":[0,4]}}",
        "\"a\": its dtype is no name");
    refuse_safetensors(
        "{\"a\":{\"dtype\":\"F32\",\"shape\":4,\"data_offsets\":[0,4]}}",
        "\"a\": its shape is no array");
    refuse_safetensors(
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}",
        "\"a\": a dimension is no count");
    refuse_safetensors("{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1]"
                       ",\"data_offsets\":[0,4]}}",
                       "\"a\" has more than 8 dimensions");
    refuse_safetensors(
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4]}}",
        "\"a\": its data_offsets are not two positions");
    refuse_safetensors(
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4,0]}}",
        "\"a\": its data ends before it begins");
    refuse_safetensors(
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[16,20]}}",
        "\"a\": its data ends at byte 20 of 16");
    refuse_safetensors(
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":"
        "[16,18446744073709551615]}}",
        "\"a\": its data ends at byte 18446744073709551615 of "
        "16");
    refuse_safetensors(
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}",
        "\"a\": F32 of its shape take 8 bytes, but it has 4");
    refuse_safetensors("{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,"
                       "4294967296],\"data_offsets\":[0,4]}}",
                       "\"a\": it is larger than 2^64 bytes");
    refuse_safetensors(
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
        "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}}",
        "\"a\" and \"b\" overlap");
    refuse_safetensors(
        "{\"b\":{\"dtype\":\"NEW\",\"shape\":[2],\"data_offsets\":[3,5]},"
        "\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}",
        "\"a\" and \"b\" overlap");
}

static void safetensors_lengths(void **state)
{
    struct array_error err;
    size_t n;

    (void)state;
    assert_int_equal(
        safetensors_in_measure("\2\0\0\0\0\0\0\0", 8, 10, &n, &err),
        ARRAY_READ);
    assert_int_equal(n, 2);
    assert_int_equal(
        safetensors_in_measure("\3\0\0\0\0\0\0\0", 8, 10, &n, &err), ARRAY_BAD);
    assert_string_equal(err.what,
                        "the header takes 3 bytes, and the file has 2");
    assert_int_equal(err.at, 0);
    assert_int_equal(safetensors_in_measure("\2\0\0\0\0\0\0", 7, 7, &n, &err),
                     ARRAY_BAD);
    assert_int_equal(
        safetensors_in_measure("\0\0\0\0\0\0\0\x80", 8, UINT64_MAX, &n, &err),
        ARRAY_BAD);
    assert_string_equal(err.what,
                        "this is no safetensors file: a header of "
                        "9223372036854775808 bytes is more than any has");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_headers),
        cmocka_unit_test(npy_facts),
        cmocka_unit_test(npy_refused),
        cmocka_unit_test(npy_cut),
        cmocka_unit_test(safetensors_header),
        cmocka_unit_test(safetensors_refused),
        cmocka_unit_test(safetensors_lengths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
