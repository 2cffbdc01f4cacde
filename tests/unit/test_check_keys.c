/* test_check_keys.c - what check finds in the header, keys and values. */
#include "judge.h"
#include "scratch.h"

/* ------------------------------------------------------------------ header */

static void nothing_is_found_in_a_sound_file(void **state)
{
    struct bytes b = bytes_sound(0, 1);

    (void)state;
    put_kv_u32(&b, "t.block_count", 4);
    expect_none(&b);
}

static void a_stranger_is_no_gguf(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_raw(&b, "PK\3\4 and so on", 14);
    expect_one(&b, "not-gguf", 0, "header.magic", NULL);
}

static void versions_are_told(void **state)
{
    static const struct expected of_1[] = {
        {"version-1", 4, "header.version", "the file is of version 1"},
        {NULL, 0, NULL, NULL}};
    static const struct expected of_2[] = {
        {"version-2", 4, "header.version", "the file is of version 2"},
        {NULL, 0, NULL, NULL}};
    struct judged j;

    (void)state;
    for (uint32_t version = 1; version <= 2; version++) {
        struct bytes b = bytes_of(version, false);
        put_header(&b, 0, 1);
        put_kv_str(&b, "general.architecture", "t");
        judge(&j, &b);
        expect_told(&j, version == 1 ? of_1 : of_2);
        assert_int_equal(j.verdict.spec[GGK_SEVERITY_ERROR], 1);
        assert_int_equal(j.verdict.llama_cpp[GGK_SEVERITY_ERROR], version == 1);
        assert_int_equal(j.verdict.loads,
                         version == 1 ? GGK_LOADS_NOT : GGK_LOADS_ALL);
    }
}

static void versions_that_nobody_knows_are_told(void **state)
{
    struct bytes b = bytes_of(0, false);

    (void)state;
    put_header(&b, 0, 0);
    expect_one(&b, "version-unknown", 4, "header.version", NULL);
    b = bytes_of(4, false);
    put_header(&b, 0, 0);
    expect_one(&b, "version-unknown", 4, "header.version", NULL);
}

static void byte_order_is_told(void **state)
{
    static const struct expected swapped[] = {
        {"magic-swapped", 0, "header.magic", "the magic is FUGG"},
        {"big-endian", 4, "header.version", "the file is big-endian"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_of(3, true);
    struct judged j;

    (void)state;
    put_header(&b, 0, 1);
    put_kv_str(&b, "general.architecture", "t");
    expect_one(&b, "big-endian", 4, "header.version", "the file is big-endian");
    b = bytes_of(3, true);
    put_header(&b, 0, 1);
    put_kv_str(&b, "general.architecture", "t");
    memcpy(b.at, "FUGG", 4);
    judge(&j, &b);
    expect_told(&j, swapped);
}

static void counts_and_ends_are_told(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_header(&b, 7, 0);
    expect_one(&b, "count-impossible", 8, "header.n_tensors", NULL);
    b = bytes_sound(0, 1);
    put_count(&b, 5);
    put_raw(&b, "key", 3);
    put_fill(&b, 0, 2); /* a key of 5 bytes, and nothing more */
    expect_one(&b, "header-truncated", 78, "kv[1].type", NULL);
    b = bytes_sound(0, 1);
    put_count(&b, UINT64_MAX);
    put_fill(&b, 'k', 16);
    expect_one(&b, "string-length", 65, "kv[1].key.len", NULL);
}

/* -------------------------------------------------------------------- keys */

static void keys_are_judged(void **state)
{
    struct bytes b = bytes_sound(0, 1);

    (void)state;
    put_kv_u32(&b, "", 1);
    expect_one(&b, "key-empty", 65, "kv[1].key.len", "the key is empty");

    b = bytes_sound(0, 1);
    put_count(&b, 6);
    put_raw(&b, "ab\0cde", 6);
    put_u32(&b, V_U8);
    put_u8(&b, 0);
    expect_one(&b, "key-nul", 65 + 8 + 2, "kv[1].key",
               "the key has a NUL byte, its byte 2");

    b = bytes_sound(0, 1);
    put_kv_u32(&b, "two words", 1);
    expect_one(&b, "key-chars", 65 + 8 + 3, "kv[1].key",
               "the key \"two words\" is not made of lower-case words");
}

static void words_of_keys_are_judged(void **state)
{
    static const struct {
        const char *key;
        size_t odd; /* byte that is not in place; SIZE_MAX: none */
    } keys[] = {
        {"a", SIZE_MAX},  {"a.b_9.c", SIZE_MAX},
        {"9", SIZE_MAX},  {"_", SIZE_MAX},
        {".a", 0},        {"a.", 1},
        {"a..b", 2},      {".", 0},
        {"a.B", 2},       {"a-b", 1},
        {"a/b", 1},       {"\xc3\xa9", 0},
        {"a.b\x1b[m", 3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        struct bytes b = bytes_sound(0, 1);
        struct judged j;
        put_kv_u32(&b, keys[i].key, 1);
        judge(&j, &b);
        assert_int_equal(j.n, keys[i].odd != SIZE_MAX);
        if (j.n == 1) {
            assert_string_equal(j.at[0].id, "key-chars");
            assert_int_equal(j.at[0].offset, 65 + 8 + keys[i].odd);
        }
    }
}

/* What is shown of a long key ends where a character does, unless its bytes are
 * none: the sentence stays text. */
static void long_keys_are_cut_between_characters(void **state)
{
    static const struct {
        const char *start, *more;
        size_t shown;
    } keys[] = {{"", "\xc3\xa9", 100},         {"x", "\xc3\xa9", 99},
                {"xx", "\xe2\x82\xac", 98},    {"", "\xf0\x9f\x98\x80", 100},
                {"x", "\xf0\x9f\x98\x80", 97}, {"", "\x80", 100}};

    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        struct bytes b = bytes_sound(0, 1);
        struct judged j;
        char key[160], what[256];

        snprintf(key, sizeof key, "%s", keys[i].start);
        while (strlen(key) < 120)
            snprintf(key + strlen(key), sizeof key - strlen(key), "%s",
                     keys[i].more);
        put_kv_u32(&b, key, 1);
        judge(&j, &b);
        assert_int_equal(j.n, 1);
        snprintf(what, sizeof what,
                 "the key \"%.*s\" is not made of lower-case words",
                 (int)keys[i].shown, key);
        assert_string_equal(j.at[0].what, what);
    }
}

static void long_keys_are_judged(void **state)
{
    char key[65537];
    struct bytes b = bytes_sound(0, 1);

    (void)state;
    memset(key, 'k', sizeof key);
    put_str_n(&b, key, 65535);
    put_u32(&b, V_U8);
    put_u8(&b, 0);
    expect_none(&b);
    b = bytes_sound(0, 1);
    put_str_n(&b, key, 65536);
    put_u32(&b, V_U8);
    put_u8(&b, 0);
    expect_one(&b, "key-long", 65, "kv[1].key.len", "the key has 65536 bytes");
}

/* Only the first of three is right; a NUL at the end makes no other key. */
static void repeated_keys_are_judged(void **state)
{
    static const struct expected all[] = {
        {"key-duplicate", 65 + 17 + 8, "kv[2].key",
         "kv[2] has the key of kv[1] at byte 65, \"same\""},
        {"key-nul", 65 + 34 + 8 + 4, "kv[3].key",
         "the key has a NUL byte, its byte 4"},
        {"key-duplicate", 65 + 34 + 8, "kv[3].key",
         "kv[3] has the key of kv[1] at byte 65, \"same\""},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(0, 3);
    struct judged j;

    (void)state;
    for (int i = 0; i < 3; i++) {
        put_str_n(&b, "same\0", i < 2 ? 4 : 5);
        put_u32(&b, V_U8);
        put_u8(&b, 0);
    }
    judge(&j, &b);
    expect_told(&j, all);
}

static void a_long_key_is_shown_in_part(void **state)
{
    struct bytes b = bytes_sound(0, 1);
    struct judged j;
    char key[301];
    char wanted[200];

    (void)state;
    memset(key, 'K', 300);
    key[300] = '\0';
    put_kv_u32(&b, key, 1);
    judge(&j, &b);
    snprintf(wanted, sizeof wanted,
             "the key \"%.100s\" is not made of lower-case words", key);
    assert_string_equal(j.at[0].what, wanted);
}

/* ------------------------------------------------------------------ values */

/* The value of kv[1] named "k" begins at 65 + 8 + 1 + 4. */
enum { VALUE = 78 };

static void types_of_values_are_judged(void **state)
{
    struct bytes b = bytes_sound(0, 1);

    (void)state;
    put_key(&b, "k", 13);
    put_u8(&b, 0);
    expect_one(&b, "value-type", VALUE - 4, "kv[1].type", NULL);
    b = bytes_sound(0, 1);
    put_key(&b, "k", V_ARR);
    put_array(&b, 99, 0);
    expect_one(&b, "array-type", VALUE, "kv[1].value.elem_type", NULL);
}

static void nested_arrays_are_judged(void **state)
{
    struct bytes b = bytes_sound(0, 1);

    (void)state;
    put_key(&b, "k", V_ARR);
    put_array(&b, V_ARR, 1);
    put_array(&b, V_U8, 0);
    expect_one(&b, "array-nested", VALUE + 12, "kv[1].value",
               "the value is an array of arrays");
    b = bytes_sound(0, 1);
    put_key(&b, "k", V_ARR);
    for (int i = 0; i < 17; i++)
        put_array(&b, V_ARR, 1);
    put_fill(&b, 0, 12);
    expect_one(&b, "array-depth", VALUE + 16 * 12,
               "kv[1].value[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]"
               ".elem_type",
               NULL);
}

static void booleans_are_judged(void **state)
{
    static const struct expected two[] = {
        {"bool-value", VALUE + 12, "kv[1].value[0]", "a BOOL is stored as 255"},
        {"bool-value", VALUE + 14, "kv[1].value[2]", "a BOOL is stored as 2"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(0, 1);
    struct judged j;

    (void)state;
    put_key(&b, "k", V_BOOL);
    put_u8(&b, 2);
    expect_one(&b, "bool-value", VALUE, "kv[1].value", "a BOOL is stored as 2");
    b = bytes_sound(0, 1);
    put_key(&b, "k", V_ARR);
    put_array(&b, V_BOOL, 4);
    put_raw(&b, "\xff\1\2\0", 4);
    judge(&j, &b);
    expect_told(&j, two);
}

static void strings_are_judged(void **state)
{
    struct bytes b = bytes_sound(0, 1);

    (void)state;
    put_kv_str(&b, "k", "ok\xff\xfe");
    expect_one(&b, "string-utf8", VALUE + 8 + 2, "kv[1].value",
               "the string is not UTF-8 from its byte 2 on");
    b = bytes_sound(0, 1);
    put_key(&b, "k", V_STR);
    put_str_n(&b, "a\0b", 3);
    expect_one(&b, "string-nul", VALUE + 8 + 1, "kv[1].value",
               "the string has a NUL byte, its byte 1");
    b = bytes_sound(0, 1);
    put_kv_str(&b, "k", "red \x1b[31m");
    expect_one(&b, "string-control", VALUE + 8 + 4, "kv[1].value",
               "the string has a control character, at its byte 4");
    b = bytes_sound(0, 1);
    put_kv_str(&b, "k", "lines\n\ttabs\r\n");
    expect_none(&b);
}

/* Tokens may hold what no other string may, but for a NUL, which tools cut. */
static void tokens_are_judged(void **state)
{
    static const struct expected two[] = {
        {"token-nul", VALUE + 12 + 10 + 8 + 1, "kv[1].value[1]",
         "the string has a NUL byte, its byte 1"},
        {"string-utf8", VALUE + 12 + 10 + 10 + 8, "kv[1].value[2]",
         "the string is not UTF-8 from its byte 0 on"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(0, 1);
    struct judged j;

    (void)state;
    put_key(&b, "k", V_ARR);
    put_array(&b, V_STR, 4);
    put_str(&b, "\x1b["); /* 10 bytes */
    put_str_n(&b, "a\0", 2);
    put_str(&b, "\xff");
    put_str(&b, "");
    judge(&j, &b);
    expect_told(&j, two);
}

/* [[9], [[true, 7]], ["x", FF]], the place named by the outermost element. */
static void nested_values_are_judged(void **state)
{
    static const uint64_t inner = VALUE + 12;
    const struct expected all[] = {
        {"array-nested", inner, "kv[1].value",
         "the value is an array of arrays"},
        {"bool-value", inner + 14 + 12 + 12 + 1, "kv[1].value[1]",
         "a BOOL is stored as 7"},
        {"string-utf8", inner + 14 + 26 + 12 + 9 + 8, "kv[1].value[2]",
         "the string is not UTF-8 from its byte 0 on"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(0, 1);
    struct judged j;

    (void)state;
    put_key(&b, "k", V_ARR);
    put_array(&b, V_ARR, 3);
    put_array(&b, V_U16, 1);
    put_u16(&b, 9);
    put_array(&b, V_ARR, 1);
    put_array(&b, V_BOOL, 2);
    put_raw(&b, "\1\7", 2);
    put_array(&b, V_STR, 2);
    put_str(&b, "x");
    put_str(&b, "\xff");
    judge(&j, &b);
    expect_told(&j, all);
}

static void put_f32_bits(struct bytes *b, uint32_t bits)
{
    put_key(b, "k", V_F32);
    put_u32(b, bits);
}

static void floats_are_judged(void **state)
{
    struct bytes b = bytes_sound(0, 1);

    (void)state;
    put_f32_bits(&b, 0x7fc00000);
    expect_one(&b, "float-not-finite", VALUE, "kv[1].value",
               "the value is NaN");
    b = bytes_sound(0, 1);
    put_f32_bits(&b, 0xff800000);
    expect_one(&b, "float-not-finite", VALUE, "kv[1].value",
               "the value is infinite");
    b = bytes_sound(0, 1);
    put_f32_bits(&b, 0x7f7fffff); /* the largest of them */
    expect_none(&b);
    b = bytes_sound(0, 1);
    put_key(&b, "k", V_F64);
    put_u64(&b, UINT64_C(0x7ff0000000000000));
    expect_one(&b, "float-not-finite", VALUE, "kv[1].value",
               "the value is infinite");
}

/* The elements are a hole of 1 GiB that nobody reads. */
static void arrays_over_the_loaders_limit_are_judged(void **state)
{
    static const uint64_t n = (UINT64_C(1) << 30) + 1;
    static const struct expected one[] = {{"over-1-gib", VALUE + 12,
                                           "kv[1].value",
                                           "the array has 1073741825 elements"},
                                          {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(0, 1);
    struct scratch s;
    struct judged j = {.n = 0};
    ggk_source *source;
    const char *path;

    (void)state;
    scratch_make(&s);
    put_key(&b, "k", V_ARR);
    put_array(&b, V_U8, n);
    path = scratch_write(&s, "long.gguf", &b);
    assert_int_equal(truncate(path, (off_t)(b.n + n)), 0);
    assert_int_equal(ggk_source_open_map(path, NULL, &source, NULL), GGK_OK);
    assert_int_equal(
        ggk_check_source(source, NULL, judged_add, &j, &j.verdict, NULL),
        GGK_OK);
    expect_told(&j, one);
    assert_int_equal(j.verdict.loads, GGK_LOADS_NOT);
    assert_string_equal(j.verdict.reason, "key 1 has over 2^30 elements");
    bytes_free(&b);
    scratch_remove(&s);
}

/* --------------------------------------------------------------- alignment */

/* A file whose second key is the alignment: 65 + 8 + 17 + 4 = 94. */
static struct bytes bytes_aligned(uint32_t type, uint64_t alignment)
{
    static const size_t width[] = {
        [V_U32] = 4, [V_U64] = 8, [V_I8] = 1, [V_BOOL] = 1};
    struct bytes b = bytes_sound(0, 1);

    put_key(&b, "general.alignment", type);
    put_uint(&b, alignment, width[type]);
    return b;
}

static void alignments_are_judged(void **state)
{
    static const struct {
        uint64_t alignment;
        const char *rules; /* that are broken, each ended by a space */
    } cases[] = {
        {1, "alignment-not-of-8 "},
        {4, "alignment-not-of-8 "},
        {8, ""},
        {13, "alignment-not-of-8 alignment-not-power-of-2 "},
        {24, "alignment-not-power-of-2 "},
        {32, ""},
        {4096, ""},
        {65536, ""},
        {131072, "alignment-large "},
        {1048576, "alignment-large "},
        {2097152, "alignment-huge "},
        {UINT32_MAX,
         "alignment-not-of-8 alignment-not-power-of-2 alignment-huge "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_aligned(V_U32, cases[i].alignment);
        struct judged j;
        char rules[200] = "";
        judge(&j, &b);
        for (size_t k = 0; k < j.n; k++) {
            judged_add_word(rules, sizeof rules, j.at[k].id);
            assert_int_equal(j.at[k].offset, 94);
            assert_string_equal(j.at[k].where, "kv[1].value");
        }
        assert_string_equal(rules, cases[i].rules);
    }
}

/* Tensors that llama.cpp does not map: from the first on that has bytes, or may
 * have, and is at no multiple of 32. */
static void tensors_are_mapped_from_multiples_of_32(void **state)
{
    static const struct {
        uint32_t alignment;
        size_t more; /* bytes of a key, which move the data */
        uint64_t elements;
        uint32_t type;
        bool cut, told;
    } cases[] = {
        {8, 9, 8, T_F32, false, true},   {16, 9, 8, T_F32, false, true},
        {32, 9, 8, T_F32, false, false}, {8, 3, 8, T_F32, false, false},
        {8, 9, 0, T_F32, false, false},  {8, 9, 8, 999, false, true},
        {8, 9, 8, T_F32, true, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_sound(1, 2);
        struct judged j;
        bool told = false;
        put_kv_u32(&b, "general.alignment", cases[i].alignment);
        put_kv_str(&b, "s", &"sixteen letters."[16 - cases[i].more]);
        put_info(&b, "a", 1, (uint64_t[]){cases[i].elements}, cases[i].type, 0);
        put_padding(&b, cases[i].alignment);
        put_fill(&b, 0, 32);
        if (cases[i].cut)
            b.n -= 32 + 20;
        judge(&j, &b);
        for (size_t k = 0; k < j.n; k++) {
            if (strcmp(j.at[k].id, "alignment-under-32") != 0)
                continue;
            assert_int_equal(j.at[k].offset, 94);
            assert_string_equal(j.at[k].where, "kv[1].value");
            told = true;
        }
        assert_int_equal(told, cases[i].told);
    }
}

static void sentences_on_alignments_name_them(void **state)
{
    static const struct expected odd[] = {
        {"alignment-not-of-8", 94, "kv[1].value",
         "general.alignment 2097153 is not a multiple of 8"},
        {"alignment-not-power-of-2", 94, "kv[1].value",
         "general.alignment 2097153 is not a power of two"},
        {"alignment-huge", 94, "kv[1].value",
         "general.alignment 2097153 is over 1 MiB"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_aligned(V_U32, 2097153);
    struct judged j;

    (void)state;
    judge(&j, &b);
    expect_told(&j, odd);
    b = bytes_aligned(V_U32, 131072);
    expect_one(&b, "alignment-large", 94, "kv[1].value",
               "general.alignment 131072 is over 64 KiB");
}

static void alignments_that_are_none_are_judged(void **state)
{
    static const struct expected minus[] = {
        {"alignment-zero", 94, "kv[1].value", NULL},
        {"alignment-type", 90, "kv[1].type",
         "general.alignment is of type INT8, not UINT32"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_aligned(V_U32, 0);
    struct judged j;

    (void)state;
    expect_one(&b, "alignment-zero", 94, "kv[1].value", NULL);
    b = bytes_aligned(V_I8, (uint8_t)-32);
    judge(&j, &b);
    expect_told(&j, minus);
    b = bytes_aligned(V_U64, 64);
    expect_one(&b, "alignment-type", 90, "kv[1].type",
               "general.alignment is of type UINT64, not UINT32");
    b = bytes_aligned(V_BOOL, 1);
    expect_one(&b, "alignment-type", 90, "kv[1].type", NULL);
}

static void alignments_that_differ_are_judged(void **state)
{
    static const struct expected all[] = {
        {"alignment-differs", 127, "kv[2].value", NULL},
        {"key-duplicate", 106, "kv[2].key",
         "kv[2] has the key of kv[1] at byte 65, \"general.alignment\""},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(0, 2);
    struct judged j;

    (void)state;
    put_kv_u32(&b, "general.alignment", 64);
    put_kv_u32(&b, "general.alignment", 32);
    judge(&j, &b);
    expect_told(&j, all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_found_in_a_sound_file),
        cmocka_unit_test(a_stranger_is_no_gguf),
        cmocka_unit_test(versions_are_told),
        cmocka_unit_test(versions_that_nobody_knows_are_told),
        cmocka_unit_test(byte_order_is_told),
        cmocka_unit_test(counts_and_ends_are_told),
        cmocka_unit_test(keys_are_judged),
        cmocka_unit_test(words_of_keys_are_judged),
        cmocka_unit_test(long_keys_are_judged),
        cmocka_unit_test(long_keys_are_cut_between_characters),
        cmocka_unit_test(repeated_keys_are_judged),
        cmocka_unit_test(a_long_key_is_shown_in_part),
        cmocka_unit_test(types_of_values_are_judged),
        cmocka_unit_test(nested_arrays_are_judged),
        cmocka_unit_test(booleans_are_judged),
        cmocka_unit_test(strings_are_judged),
        cmocka_unit_test(tokens_are_judged),
        cmocka_unit_test(nested_values_are_judged),
        cmocka_unit_test(floats_are_judged),
        cmocka_unit_test(arrays_over_the_loaders_limit_are_judged),
        cmocka_unit_test(alignments_are_judged),
        cmocka_unit_test(tensors_are_mapped_from_multiples_of_32),
        cmocka_unit_test(sentences_on_alignments_name_them),
        cmocka_unit_test(alignments_that_are_none_are_judged),
        cmocka_unit_test(alignments_that_differ_are_judged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
