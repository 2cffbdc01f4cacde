/* test_types.c - the types of values and tensors, their names and sizes. */
#include "kinds.h"

#include <inttypes.h>

#include "format/types.h"

__extension__ typedef unsigned __int128 wide;

#define QUANT GGK_TYPE_QUANTIZED
#define IMTRX (GGK_TYPE_QUANTIZED | GGK_TYPE_NEEDS_IMATRIX)
#define GONE  GGK_TYPE_REMOVED
#define WHOLE GGK_TYPE_INTEGER

/* ggml_type of llama.cpp v0.5.0, measured from the program itself. */
static const ggk_type_info expected_types[] = {
    {0, 1, 4, 0, 0, "F32"},
    {1, 1, 2, 0, 0, "F16"},
    {2, 32, 18, 0, QUANT, "Q4_0"},
    {3, 32, 20, 0, QUANT, "Q4_1"},
    {4, 0, 0, 0, GONE, "Q4_2"},
    {5, 0, 0, 0, GONE, "Q4_3"},
    {6, 32, 22, 0, QUANT, "Q5_0"},
    {7, 32, 24, 0, QUANT, "Q5_1"},
    {8, 32, 34, 0, QUANT, "Q8_0"},
    {9, 32, 36, 0, QUANT, "Q8_1"},
    {10, 256, 84, 0, QUANT, "Q2_K"},
    {11, 256, 110, 0, QUANT, "Q3_K"},
    {12, 256, 144, 0, QUANT, "Q4_K"},
    {13, 256, 176, 0, QUANT, "Q5_K"},
    {14, 256, 210, 0, QUANT, "Q6_K"},
    {15, 256, 292, 0, QUANT, "Q8_K"},
    {16, 256, 66, 0, IMTRX, "IQ2_XXS"},
    {17, 256, 74, 0, IMTRX, "IQ2_XS"},
    {18, 256, 98, 0, IMTRX, "IQ3_XXS"},
    {19, 256, 50, 0, IMTRX, "IQ1_S"},
    {20, 32, 18, 0, QUANT, "IQ4_NL"},
    {21, 256, 110, 0, QUANT, "IQ3_S"},
    {22, 256, 82, 0, IMTRX, "IQ2_S"},
    {23, 256, 136, 0, QUANT, "IQ4_XS"},
    {24, 1, 1, 0, WHOLE, "I8"},
    {25, 1, 2, 0, WHOLE, "I16"},
    {26, 1, 4, 0, WHOLE, "I32"},
    {27, 1, 8, 0, WHOLE, "I64"},
    {28, 1, 8, 0, 0, "F64"},
    {29, 256, 56, 0, IMTRX, "IQ1_M"},
    {30, 1, 2, 0, 0, "BF16"},
    {31, 0, 0, 0, GONE, "Q4_0_4_4"},
    {32, 0, 0, 0, GONE, "Q4_0_4_8"},
    {33, 0, 0, 0, GONE, "Q4_0_8_8"},
    {34, 256, 54, 0, QUANT, "TQ1_0"},
    {35, 256, 66, 0, QUANT, "TQ2_0"},
    {36, 0, 0, 0, GONE, "IQ4_NL_4_4"},
    {37, 0, 0, 0, GONE, "IQ4_NL_4_8"},
    {38, 0, 0, 0, GONE, "IQ4_NL_8_8"},
    {39, 32, 17, 0, QUANT, "MXFP4"},
    {40, 64, 36, 0, QUANT, "NVFP4"},
    {41, 128, 18, 0, QUANT, "Q1_0"},
    {42, 64, 18, 0, QUANT, "Q2_0"},
};

#undef QUANT
#undef IMTRX
#undef GONE

enum { N_TYPES = sizeof expected_types / sizeof expected_types[0] };

static void expect_type(const ggk_type_info *got, const ggk_type_info *wanted)
{
    assert_non_null(got);
    assert_string_equal(got->name, wanted->name);
    assert_int_equal(got->id, wanted->id);
    assert_int_equal(got->block, wanted->block);
    assert_int_equal(got->bytes, wanted->bytes);
    assert_int_equal(got->row_extra, wanted->row_extra);
    assert_int_equal(got->flags, wanted->flags);
}

/* ------------------------------------------------------------------- names */

static void built_in_types_are_those_of_ggml(void **state)
{
    (void)state;
    assert_int_equal(ggk_type_count(), N_TYPES);
    for (uint32_t i = 0; i < N_TYPES; i++) {
        expect_type(ggk_type_at(i), &expected_types[i]);
        assert_ptr_equal(ggk_type_by_id(i), ggk_type_at(i));
    }
    assert_null(ggk_type_at(N_TYPES));
    assert_null(ggk_type_at(SIZE_MAX));
    assert_null(ggk_type_by_id(N_TYPES));
    assert_null(ggk_type_by_id(UINT32_MAX));
}

static void types_are_found_by_name_in_any_case(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_TYPES; i++) {
        char lower[16] = "";

        assert_ptr_equal(ggk_type_by_name(expected_types[i].name),
                         ggk_type_at(i));
        for (size_t j = 0; expected_types[i].name[j] != '\0'; j++) {
            char c = expected_types[i].name[j];
            lower[j] = c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
        }
        assert_ptr_equal(ggk_type_by_name(lower), ggk_type_at(i));
    }
    assert_int_equal(ggk_type_by_name("q4_K")->id, T_Q4_K);
    assert_null(ggk_type_by_name(""));
    assert_null(ggk_type_by_name("Q4"));
    assert_null(ggk_type_by_name("Q4_K_M"));
    assert_null(ggk_type_by_name(" F32"));
    assert_null(ggk_type_by_name("Q4\x7fK"));
}

static void value_types_have_names_and_sizes(void **state)
{
    static const struct {
        const char *name;
        size_t bytes;
    } expected[] = {
        {"UINT8", 1},   {"INT8", 1},  {"UINT16", 2},  {"INT16", 2},
        {"UINT32", 4},  {"INT32", 4}, {"FLOAT32", 4}, {"BOOL", 1},
        {"STRING", 0},  {"ARRAY", 0}, {"UINT64", 8},  {"INT64", 8},
        {"FLOAT64", 8},
    };

    (void)state;
    assert_int_equal(sizeof expected / sizeof expected[0],
                     GGK_VALUE_TYPE_COUNT);
    for (uint32_t i = 0; i < GGK_VALUE_TYPE_COUNT; i++) {
        assert_string_equal(ggk_value_type_name(i), expected[i].name);
        assert_int_equal(ggk_value_type_bytes(i), expected[i].bytes);
        assert_int_equal(ggki_value_is_integer(i),
                         strstr(expected[i].name, "INT") != NULL);
        assert_int_equal(ggki_value_is_signed(i),
                         strncmp(expected[i].name, "INT", 3) == 0);
    }
    assert_null(ggk_value_type_name(GGK_VALUE_TYPE_COUNT));
    assert_null(ggk_value_type_name(UINT32_MAX));
    assert_int_equal(ggk_value_type_bytes(GGK_VALUE_TYPE_COUNT), 0);
    assert_int_equal(ggk_value_type_bytes(UINT32_MAX), 0);
}

static void file_types_have_names(void **state)
{
    (void)state;
    assert_string_equal(ggk_file_type_name(0), "ALL_F32");
    assert_string_equal(ggk_file_type_name(7), "MOSTLY_Q8_0");
    assert_string_equal(ggk_file_type_name(15), "MOSTLY_Q4_K_M");
    assert_string_equal(ggk_file_type_name(32), "MOSTLY_BF16");
    assert_string_equal(ggk_file_type_name(38), "MOSTLY_MXFP4_MOE");
    assert_string_equal(ggk_file_type_name(1024), "GUESSED");
    assert_null(ggk_file_type_name(1023));
    assert_null(ggk_file_type_name(1025));
    assert_null(ggk_file_type_name(UINT64_MAX));
}

/* ------------------------------------------------------------------- sizes */

static uint64_t bytes_of_tensor(const char *type, uint32_t n_dims,
                                const uint64_t *ne)
{
    ggk_error err = error_canary();
    uint64_t out;

    assert_int_equal(
        ggk_type_tensor_bytes(ggk_type_by_name(type), ne, n_dims, &out, &err),
        GGK_OK);
    expect_untouched(&err);
    return out;
}

static void real_tensors_have_their_known_sizes(void **state)
{
    static const uint64_t ffn[] = {4096, 14336};
    static const uint64_t embedding[] = {256, 151936};
    static const uint64_t experts[] = {4096, 14336, 8};
    static const uint64_t bias[] = {4096};
    uint64_t bytes;

    (void)state;
    assert_int_equal(bytes_of_tensor("F32", 2, ffn), 234881024);
    assert_int_equal(bytes_of_tensor("F16", 2, ffn), 117440512);
    assert_int_equal(bytes_of_tensor("BF16", 2, ffn), 117440512);
    assert_int_equal(bytes_of_tensor("Q8_0", 2, ffn), 62390272);
    assert_int_equal(bytes_of_tensor("Q4_0", 2, ffn), 33030144);
    assert_int_equal(bytes_of_tensor("Q4_K", 2, ffn), 33030144);
    assert_int_equal(bytes_of_tensor("Q6_K", 2, ffn), 48168960);
    assert_int_equal(bytes_of_tensor("IQ4_XS", 2, ffn), 31195136);
    assert_int_equal(bytes_of_tensor("F16", 3, experts), 8 * 117440512);
    assert_int_equal(bytes_of_tensor("F32", 1, bias), 16384);
    bytes = bytes_of_tensor("Q6_K", 2, embedding);
    assert_int_equal(bytes, 31906560);
    assert_int_equal((bytes * 100 + (1 << 19)) >> 20, 3043); /* 30.43 MiB */
}

static void empty_and_scalar_tensors_have_sizes(void **state)
{
    (void)state;
    assert_int_equal(bytes_of_tensor("F32", 0, NULL), 4);
    assert_int_equal(bytes_of_tensor("F32", 1, (uint64_t[]){0}), 0);
    assert_int_equal(bytes_of_tensor("F32", 2, (uint64_t[]){8, 0}), 0);
    assert_int_equal(bytes_of_tensor("F32", 2, (uint64_t[]){0, 8}), 0);
    assert_int_equal(bytes_of_tensor("Q4_K", 2, (uint64_t[]){0, 8}), 0);
    assert_int_equal(
        bytes_of_tensor("Q8_0", 8, (uint64_t[]){32, 1, 1, 1, 1, 1, 1, 3}), 102);
}

static void expect_no_size(const char *type, uint32_t n_dims,
                           const uint64_t *ne, ggk_status status, uint64_t need,
                           uint64_t have)
{
    const struct failure wanted = {status, GGK_NO_OFFSET, "", need, have};
    const ggk_type_info *info = ggk_type_by_name(type);
    uint64_t out = 1;
    ggk_error err;
    ggk_status got = ggk_type_tensor_bytes(info, ne, n_dims, &out, &err);

    expect_failure(type, got, &err, &wanted);
    assert_int_equal(out, 0);
    out = 1;
    assert_int_equal(ggk_type_tensor_bytes(info, ne, n_dims, &out, NULL),
                     status);
    assert_int_equal(out, 0);
    if (n_dims != 1)
        return;
    got = ggk_type_row_bytes(info, ne[0], &out, &err);
    if (status == GGK_E_BLOCK || status == GGK_E_UNSUPPORTED)
        expect_failure(type, got, &err, &wanted);
}

static void impossible_tensors_have_no_size(void **state)
{
    const uint64_t two32 = UINT64_C(1) << 32, two62 = UINT64_C(1) << 62;

    (void)state;
    expect_no_size("Q4_K", 1, (uint64_t[]){704}, GGK_E_BLOCK, 704, 256);
    expect_no_size("Q4_K", 2, (uint64_t[]){704, 256}, GGK_E_BLOCK, 704, 256);
    expect_no_size("Q4_0", 1, (uint64_t[]){31}, GGK_E_BLOCK, 31, 32);
    expect_no_size("Q4_0", 0, NULL, GGK_E_BLOCK, 1, 32);
    expect_no_size("Q4_0", 2, (uint64_t[]){31, 0}, GGK_E_BLOCK, 31, 32);
    expect_no_size("Q4_2", 1, (uint64_t[]){32}, GGK_E_UNSUPPORTED, 0, 0);
    expect_no_size("no such type", 1, (uint64_t[]){32}, GGK_E_ARG, 0, 0);
    expect_no_size("F32", 9, (uint64_t[9]){1}, GGK_E_NDIMS, 9, GGK_MAX_DIMS);
    expect_no_size("F32", 1, (uint64_t[]){two62 * 2}, GGK_E_DIM, two62 * 2,
                   INT64_MAX);
    expect_no_size("I8", 2, (uint64_t[]){1, UINT64_MAX}, GGK_E_DIM, UINT64_MAX,
                   INT64_MAX);
    /* Elements past 2^63-1, bytes past 2^64-1. */
    expect_no_size("I8", 2, (uint64_t[]){two32, two32}, GGK_E_OVERFLOW, 0, 0);
    expect_no_size("I8", 2, (uint64_t[]){INT64_MAX, 2}, GGK_E_OVERFLOW, 0, 0);
    expect_no_size("I8", 4, (uint64_t[]){0, two62, two62, two62},
                   GGK_E_OVERFLOW, 0, 0);
    expect_no_size("F32", 1, (uint64_t[]){two62}, GGK_E_OVERFLOW, 0, 0);
    expect_no_size("F64", 2, (uint64_t[]){1, two62 / 2}, GGK_E_OVERFLOW, 0, 0);
}

/* Where readers that multiply first wrap round. */
static void sizes_near_the_limit_are_exact(void **state)
{
    (void)state;
    assert_int_equal(
        bytes_of_tensor("Q4_0", 1, (uint64_t[]){1024819115206086208u}),
        576460752303423492u);
    assert_int_equal(
        bytes_of_tensor("Q8_0", 1, (uint64_t[]){542551296285575072u}),
        576460752303423514u);
    assert_int_equal(
        bytes_of_tensor("F32", 1, (uint64_t[]){(UINT64_C(1) << 62) - 1}),
        UINT64_MAX - 3);
    assert_int_equal(
        bytes_of_tensor("F64", 1, (uint64_t[]){(UINT64_C(1) << 61) - 1}),
        UINT64_MAX - 7);
    assert_int_equal(bytes_of_tensor("I8", 1, (uint64_t[]){INT64_MAX}),
                     INT64_MAX);
}

/* The status and size that 128-bit sums give. */
static ggk_status exact_size(const ggk_type_info *type, const uint64_t *ne,
                             uint32_t n_dims, uint64_t *out)
{
    wide elements = 1, bytes;
    bool empty = false;

    for (uint32_t d = 0; d < n_dims; d++) {
        if (ne[d] > INT64_MAX)
            return GGK_E_DIM;
        empty = empty || ne[d] == 0;
        elements *= ne[d] == 0 ? 1 : ne[d];
        if (elements > INT64_MAX)
            return GGK_E_OVERFLOW;
    }
    if (ne[0] % type->block != 0)
        return GGK_E_BLOCK;
    bytes = elements / type->block * type->bytes;
    if (!empty && bytes > UINT64_MAX)
        return GGK_E_OVERFLOW;
    *out = empty ? 0 : (uint64_t)bytes;
    return GGK_OK;
}

static void sizes_are_exact_or_refused(void **state)
{
    static const uint64_t dims[] = {
        0,
        1,
        2,
        3,
        31,
        32,
        256,
        65536,
        (UINT64_C(1) << 31) + 1,
        UINT64_C(1) << 32,
        UINT64_C(1) << 40,
        (UINT64_C(1) << 62) - 1,
        INT64_MAX,
        UINT64_C(1) << 63,
        UINT64_MAX,
    };
    enum { N = sizeof dims / sizeof dims[0] };

    (void)state;
    for (size_t i = 0; i < (size_t)N * N * N * N_TYPES; i++) {
        const ggk_type_info *type = ggk_type_at(i % N_TYPES);
        uint64_t ne[3] = {dims[i / N_TYPES % N], dims[i / N_TYPES / N % N],
                          dims[i / N_TYPES / N / N]};
        uint64_t right = 0, got;

        if (type->block == 0)
            continue;
        assert_int_equal(ggk_type_tensor_bytes(type, ne, 3, &got, NULL),
                         exact_size(type, ne, 3, &right));
        assert_int_equal(got, right);
    }
}

static void rows_have_sizes(void **state)
{
    ggk_error err = error_canary();
    uint64_t out;

    (void)state;
    assert_int_equal(
        ggk_type_row_bytes(ggk_type_by_name("Q4_K"), 4096, &out, &err), GGK_OK);
    assert_int_equal(out, 2304);
    assert_int_equal(ggk_type_row_bytes(ggk_type_by_name("F16"), 0, &out, &err),
                     GGK_OK);
    assert_int_equal(out, 0);
    expect_untouched(&err);
    assert_int_equal(ggk_type_row_bytes(ggk_type_by_name("F64"),
                                        UINT64_C(1) << 61, &out, &err),
                     GGK_E_OVERFLOW);
    assert_int_equal(err.status, GGK_E_OVERFLOW);
    assert_int_equal(ggk_type_row_bytes(NULL, 1, &out, NULL), GGK_E_ARG);
    assert_int_equal(out, 0);
}

/* ------------------------------------------------------------------- order */

/* PyTorch's [3, 4] is ne {4, 3}, and its element [2][1] is number 9. */
static void dimensions_are_row_length_first(void **state)
{
    struct bytes b = bytes_llama(1);
    ggk_model *model;
    ggk_tensor t;
    uint8_t value[4];

    (void)state;
    put_info(&b, "W", 2, (uint64_t[]){4, 3}, T_F32, 0);
    put_padding(&b, 32);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            put_f32(&b, (float)(10 * r + c));
    model = open_bytes(&b);
    assert_int_equal(ggk_model_tensor(model, 0, &t, NULL), GGK_OK);
    assert_int_equal(t.ne[0], 4);
    assert_int_equal(t.ne[1], 3);
    assert_int_equal(t.n_elements, 12);
    assert_int_equal(2 * t.ne[0] + 1, 9);
    assert_int_equal(
        ggk_model_read_tensor(model, 0, 9 * sizeof value, value, 4, NULL),
        GGK_OK);
    assert_memory_equal(value, "\0\0\xa8\x41", 4); /* 21, as stored */
    ggk_model_close(model);
    bytes_free(&b);
}

/* PyTorch's experts [8, 14336, 4096], and a bias [4096]. */
static void dimensions_after_the_last_are_one(void **state)
{
    struct bytes b = bytes_llama(2);
    ggk_model *model;
    ggk_tensor t;

    (void)state;
    put_info(&b, "ffn_gate_exps", 3, (uint64_t[]){4096, 14336, 8}, T_Q4_K, 0);
    put_info(&b, "bias", 1, (uint64_t[]){4096}, T_F32, 264241152);
    model = open_bytes(&b);
    assert_int_equal(ggk_model_tensor(model, 0, &t, NULL), GGK_OK);
    assert_int_equal(t.n_dims, 3);
    assert_int_equal(t.n_elements, 469762048);
    assert_int_equal(t.bytes, 264241152);
    for (uint32_t d = 3; d < GGK_MAX_DIMS; d++)
        assert_int_equal(t.ne[d], 1);
    assert_int_equal(ggk_model_tensor(model, 1, &t, NULL), GGK_OK);
    assert_int_equal(t.n_dims, 1);
    assert_int_equal(t.ne[0], 4096);
    for (uint32_t d = 1; d < GGK_MAX_DIMS; d++)
        assert_int_equal(t.ne[d], 1);
    ggk_model_close(model);
    bytes_free(&b);
}

/* ------------------------------------------------------------- type tables */

static ggk_type_table *parse_table(const char *text)
{
    ggk_error err = error_canary();
    ggk_type_table *table;
    ggk_status status =
        ggk_type_table_parse(text, strlen(text), NULL, &table, &err);

    if (status != GGK_OK)
        print_error("%s: %s\n", err.where, err.what);
    assert_int_equal(status, GGK_OK);
    expect_untouched(&err);
    return table;
}

static void tables_are_read(void **state)
{
    static const ggk_type_info expected[] = {
        {2, 64, 40, 0, GGK_TYPE_QUANTIZED, "MY_Q4"},
        {97, 1, 4, 0, 0, "plain"},
        {135, 32, 18, 4, GGK_TYPE_QUANTIZED, "IQ4_KS"},
        {UINT32_MAX, 1, 1, 0, 0, "0123456789012345678901234567890"},
    };
    ggk_type_table *table =
        parse_table("id\tname\tblock\tbytes\trow_extra\n"
                    "# types of a fork\n"
                    "135\tIQ4_KS\t32\t18\t4\r\n"
                    "\n"
                    "  97   plain 1 4 # four bytes\n"
                    "4294967295 0123456789012345678901234567890 1 1\n"
                    "2 MY_Q4 64 40 0#hides Q4_0");

    (void)state;
    assert_int_equal(ggk_type_table_count(table), 4);
    for (size_t i = 0; i < 4; i++)
        expect_type(ggk_type_table_at(table, i), &expected[i]);
    assert_null(ggk_type_table_at(table, 4));
    assert_ptr_equal(ggki_type_find(table, 2), ggk_type_table_at(table, 0));
    assert_ptr_equal(ggki_type_find(table, 3), ggk_type_by_id(3));
    assert_ptr_equal(ggki_type_find(NULL, 2), ggk_type_by_id(2));
    assert_null(ggki_type_find(table, 98));
    assert_null(ggki_type_find(NULL, 97));
    ggk_type_table_free(table);
}

static void tables_may_be_empty(void **state)
{
    static const char *const texts[] = {
        "", "\n", "\n\n", "# nothing", "id name block bytes", "id", " \t\r\n"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ggk_type_table *table = parse_table(texts[i]);
        assert_int_equal(ggk_type_table_count(table), 0);
        assert_null(ggk_type_table_at(table, 0));
        ggk_type_table_free(table);
    }
    ggk_type_table_free(NULL);
}

static void wrong_lines_are_named(void **state)
{
    static const struct {
        const char *text;
        unsigned line, off;
    } cases[] = {
        {"1 A 32", 1, 0},
        {"1", 1, 0},
        {"1 A 32 18 0 0", 1, 0},
        {"1 A 32 18 0 0 0 0", 1, 0},
        {"x A 32 18", 1, 0},
        {"-1 A 32 18", 1, 0},
        {"+1 A 32 18", 1, 0},
        {"1.0 A 32 18", 1, 0},
        {"0x1 A 32 18", 1, 0},
        {"4294967296 A 32 18", 1, 0},
        {"99999999999999999999 A 32 18", 1, 0},
        {"1 01234567890123456789012345678901 32 18", 1, 0},
        {"1 \xc3\xa9 32 18", 1, 0},
        {"1 A\x7f 32 18", 1, 0},
        {"1 A\x01 32 18", 1, 0},
        {"1 A\v 32 18", 1, 0},
        {"1 A 0 18", 1, 0},
        {"1 A x 18", 1, 0},
        {"1 A 32 0", 1, 0},
        {"1 A 32 x", 1, 0},
        {"1 A 32 18 x", 1, 0},
        {"1 A 32 18 -1", 1, 0},
        {"1 A 1 1\n2 B 1 1\n1 C 1 1\n", 3, 16},
        {"# two\n\nid name block bytes\n", 3, 7},
        {"id name\r\n7 A 1 1\r\n\r\n8 B 1\r\n9 C 1\r\n", 4, 20},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *text = cases[i].text;
        char where[16];
        const struct failure wanted = {GGK_E_TYPE_TABLE, cases[i].off, where, 0,
                                       0};
        ggk_type_table *table = (ggk_type_table *)where;
        ggk_error err;
        ggk_status status;

        snprintf(where, sizeof where, "line %u", cases[i].line);
        status = ggk_type_table_parse(text, strlen(text), NULL, &table, &err);
        expect_failure(text, status, &err, &wanted);
        assert_null(table);
        assert_int_equal(
            ggk_type_table_parse(text, strlen(text), NULL, &table, NULL),
            GGK_E_TYPE_TABLE);
    }
}

/* A NUL is a byte like any other, not the end. */
static void text_may_hold_a_nul(void **state)
{
    static const char text[] = "1 A 1 1\n2 B\0 1 1\n";
    ggk_type_table *table;
    ggk_error err;
    const struct failure wanted = {GGK_E_TYPE_TABLE, 8, "line 2", 0, 0};

    (void)state;
    expect_failure(
        "NUL", ggk_type_table_parse(text, sizeof text - 1, NULL, &table, &err),
        &err, &wanted);
}

static void tables_hold_1024_types(void **state)
{
    struct bytes text = bytes_of(3, false);
    size_t last = 0;
    const struct failure wanted = {GGK_E_TYPE_TABLE, 0, "line 1025", 0, 0};
    struct failure placed = wanted;
    ggk_type_table *table;
    ggk_error err;

    (void)state;
    for (int id = 1024; id >= 0; id--) { /* from the last to the first */
        char line[32];
        int len = snprintf(line, sizeof line, "%d T%d 1 1\n", id, id);
        last = text.n;
        put_raw(&text, line, (size_t)len);
    }
    placed.offset = last;
    expect_failure(
        "1025 types",
        ggk_type_table_parse((const char *)text.at, text.n, NULL, &table, &err),
        &err, &placed);
    assert_int_equal(
        ggk_type_table_parse((const char *)text.at, last, NULL, &table, &err),
        GGK_OK);
    assert_int_equal(ggk_type_table_count(table), 1024);
    for (uint32_t i = 0; i < 1024; i++) {
        assert_int_equal(ggk_type_table_at(table, i)->id, i + 1);
        assert_ptr_equal(ggki_type_find(table, i + 1),
                         ggk_type_table_at(table, i));
    }
    ggk_type_table_free(table);
    bytes_free(&text);
}

/* Types of a table size the tensors of a file; one hides a built-in type. */
static void tables_size_tensors(void **state)
{
    ggk_type_table *table = parse_table("135 IQ4_KS 32 18 4\n2 MINE 1 3\n");
    struct bytes b = bytes_llama(2);
    ggk_open_opts opts = no_opts();
    ggk_model *model;
    ggk_tensor t;
    uint64_t bytes;

    (void)state;
    opts.types = table;
    put_info(&b, "a", 2, (uint64_t[]){64, 3}, 135, 0);
    put_info(&b, "b", 1, (uint64_t[]){7}, 2, 128);
    assert_int_equal(kind_open(KIND_MEMORY, &b, &opts, &model, NULL), GGK_OK);
    assert_int_equal(ggk_model_tensor(model, 0, &t, NULL), GGK_OK);
    assert_int_equal(t.bytes, 3 * (2 * 18 + 4));
    assert_false(t.opaque);
    assert_int_equal(ggk_type_tensor_bytes(ggk_model_type(model, t.type), t.ne,
                                           t.n_dims, &bytes, NULL),
                     GGK_OK);
    assert_int_equal(bytes, t.bytes);
    assert_int_equal(ggk_model_tensor(model, 1, &t, NULL), GGK_OK);
    assert_int_equal(t.bytes, 21);
    assert_string_equal(ggk_model_type(model, 2)->name, "MINE");
    assert_string_equal(ggk_model_type(model, 8)->name, "Q8_0");
    assert_null(ggk_model_type(model, 136));
    ggk_model_close(model);
    ggk_type_table_free(table);
    bytes_free(&b);
}

/* The bytes in front of each row count in the overflow too. */
static void row_extra_overflows(void **state)
{
    ggk_type_table *table = parse_table("99 E 1 4294967295 4294967295\n");
    const ggk_type_info *type = ggk_type_table_at(table, 0);
    uint64_t most = UINT64_MAX / UINT32_MAX; /* and nothing left over */
    uint64_t out;

    (void)state;
    assert_int_equal(ggk_type_row_bytes(type, most - 1, &out, NULL), GGK_OK);
    assert_int_equal(out, UINT64_MAX);
    assert_int_equal(ggk_type_row_bytes(type, most, &out, NULL),
                     GGK_E_OVERFLOW);
    assert_int_equal(ggk_type_row_bytes(type, 0, &out, NULL), GGK_OK);
    assert_int_equal(out, UINT32_MAX);
    assert_int_equal(
        ggk_type_tensor_bytes(type, (uint64_t[]){0, 3}, 2, &out, NULL), GGK_OK);
    assert_int_equal(out, 0);
    ggk_type_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_types_are_those_of_ggml),
        cmocka_unit_test(types_are_found_by_name_in_any_case),
        cmocka_unit_test(value_types_have_names_and_sizes),
        cmocka_unit_test(file_types_have_names),
        cmocka_unit_test(real_tensors_have_their_known_sizes),
        cmocka_unit_test(empty_and_scalar_tensors_have_sizes),
        cmocka_unit_test(impossible_tensors_have_no_size),
        cmocka_unit_test(sizes_near_the_limit_are_exact),
        cmocka_unit_test(sizes_are_exact_or_refused),
        cmocka_unit_test(rows_have_sizes),
        cmocka_unit_test(dimensions_are_row_length_first),
        cmocka_unit_test(dimensions_after_the_last_are_one),
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(tables_may_be_empty),
        cmocka_unit_test(wrong_lines_are_named),
        cmocka_unit_test(text_may_hold_a_nul),
        cmocka_unit_test(tables_hold_1024_types),
        cmocka_unit_test(tables_size_tensors),
        cmocka_unit_test(row_extra_overflows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
