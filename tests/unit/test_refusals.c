/* test_refusals.c - what does not open: for every way to fail the status, the
 * place, and what was wanted and there, alike by every kind of source. The
 * order is that of docs/format.md, section 10. */
#include "kinds.h"
#include "sample.h"

#include <errno.h>

/* The bytes must be refused so; they are freed. */
static void refuse(const char *name, struct bytes *b, ggk_status status,
                   uint64_t offset, const char *where, uint64_t need,
                   uint64_t have)
{
    const struct failure wanted = {status, offset, where, need, have};

    expect_refused(name, b, NULL, &wanted);
    bytes_free(b);
}

static void expect_opens(const struct bytes *b)
{
    ggk_model_close(open_bytes(b));
}

/* ------------------------------------------------------------------ header */

static void empty_files_are_truncated(void **state)
{
    struct bytes b = bytes_of(3, false);
    const struct failure wanted = {GGK_E_TRUNCATED, 100, "header.magic", 24, 0};
    ggk_open_opts opts = no_opts();

    (void)state;
    refuse("empty", &b, GGK_E_TRUNCATED, 0, "header.magic", 24, 0);
    put_fill(&b, 0, 100);
    opts.base_off = 100;
    expect_refused("begins at the end", &b, &opts, &wanted);
    bytes_free(&b);
}

static void headers_are_cut_at_every_byte(void **state)
{
    (void)state;
    for (uint32_t version = 1; version <= 3; version++) {
        struct bytes whole = bytes_of(version, false);
        size_t count = bytes_of_count(&whole);
        size_t kv = 8 + count;

        put_header(&whole, 0, 0);
        for (size_t n = 1; n < whole.n; n++) {
            struct bytes b = bytes_of(version, false);
            put_raw(&b, whole.at, n);
            if (n < 4)
                refuse("cut magic", &b, GGK_E_TRUNCATED, 0, "header.magic", 4,
                       n);
            else if (n < 8)
                refuse("cut version", &b, GGK_E_TRUNCATED, 4, "header.version",
                       4, n - 4);
            else if (n < kv)
                refuse("cut n_tensors", &b, GGK_E_TRUNCATED, 8,
                       "header.n_tensors", count, n - 8);
            else
                refuse("cut n_kv", &b, GGK_E_TRUNCATED, kv, "header.n_kv",
                       count, n - kv);
        }
        bytes_free(&whole);
    }
}

static void strangers_have_another_magic(void **state)
{
    static const char *const strangers[] = {"X",     "GX",        "GGX",
                                            "FUGX",  "GGUX-----", "gguf....",
                                            "FUGF!", "\0GGU....."};

    (void)state;
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++) {
        struct bytes b = bytes_of(3, false);
        size_t n = i == 7 ? 9 : strlen(strangers[i]);
        put_raw(&b, strangers[i], n);
        refuse(strangers[i], &b, GGK_E_MAGIC, 0, "header.magic", 4,
               n < 4 ? n : 4);
    }
}

/* However much of the stranger there is. */
static void long_strangers_are_refused_alike(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_fill(&b, 'x', 200000);
    refuse("long stranger", &b, GGK_E_MAGIC, 0, "header.magic", 4, 4);
}

static void swapped_magic_with_little_version_is_refused(void **state)
{
    (void)state;
    for (uint8_t version = 1; version <= 3; version++) {
        struct bytes b = bytes_of(3, false);
        put_header(&b, 0, 0);
        memcpy(b.at, "FUGG", 4);
        b.at[4] = version;
        refuse("FUGG", &b, GGK_E_MAGIC, 0, "header.magic", version,
               (uint64_t)version << 24);
    }
}

static void unknown_versions_are_refused_by_number(void **state)
{
    static const struct {
        const char *magic;
        uint32_t version; /* as read in little-endian order */
        ggk_status status;
        uint32_t need;
    } cases[] = {
        {"GGUF", 0, GGK_E_VERSION, 0},
        {"FUGG", 0, GGK_E_VERSION, 0},
        {"GGUF", 4, GGK_E_VERSION_NEW, 4},
        {"GGUF", 0x10003, GGK_E_VERSION_NEW, 0x10003},
        {"GGUF", UINT32_MAX, GGK_E_VERSION_NEW, UINT32_MAX},
        /* In swapped bytes, 3 excepted. */
        {"GGUF", 0x01000000, GGK_E_VERSION_NEW, 0x01000000},
        {"GGUF", 0x02000000, GGK_E_VERSION_NEW, 0x02000000},
        {"GGUF", 0x04000000, GGK_E_VERSION_NEW, 0x04000000},
        {"FUGG", 0x01000000, GGK_E_VERSION_NEW, 1},
        {"FUGG", 0x02000000, GGK_E_VERSION_NEW, 2},
        {"FUGG", 0x04000000, GGK_E_VERSION_NEW, 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_of(cases[i].version, false);
        put_header(&b, 0, 0);
        memcpy(b.at, cases[i].magic, 4);
        refuse(cases[i].magic, &b, cases[i].status, 4, "header.version",
               cases[i].need, 3);
    }
}

/* A version that is refused is named in the sentence. */
static void version_4_is_named(void **state)
{
    struct bytes b = bytes_of(4, false);
    ggk_error err;
    ggk_model *model;

    (void)state;
    put_header(&b, 0, 0);
    assert_int_equal(kind_open(KIND_MEMORY, &b, NULL, &model, &err),
                     GGK_E_VERSION_NEW);
    assert_non_null(strstr(err.what, "version 4"));
    bytes_free(&b);
}

/* Each count against `left` bytes: as many as fit, and one more. */
static void expect_count_limit(uint32_t version, uint64_t least, bool tensors,
                               uint64_t left)
{
    struct bytes b = bytes_of(version, false);
    uint64_t too_many = left / least + 1;
    size_t pos = tensors ? 8 : 8 + bytes_of_count(&b);

    put_header(&b, tensors ? too_many : 0, tensors ? 0 : too_many);
    put_fill(&b, 0xff, left);
    refuse("too many", &b, GGK_E_COUNT, pos,
           tensors ? "header.n_tensors" : "header.n_kv", too_many, left);
}

static void counts_are_held_against_what_is_left(void **state)
{
    (void)state;
    for (uint64_t left = 0; left < 80; left++) {
        expect_count_limit(1, 20, true, left);
        expect_count_limit(2, 24, true, left);
        expect_count_limit(3, 24, true, left);
        expect_count_limit(1, 9, false, left);
        expect_count_limit(2, 13, false, left);
        expect_count_limit(3, 13, false, left);
    }
}

/* Entries at their smallest do fit. */
static void smallest_entries_open(void **state)
{
    (void)state;
    for (uint32_t version = 1; version <= 3; version++) {
        struct bytes b = bytes_of(version, false);
        put_header(&b, 3, 5);
        put_fill(&b, 0, 5 * (bytes_of_count(&b) + 4 + 1));
        put_fill(&b, 0, 3 * (bytes_of_count(&b) + 4 + 4 + 8));
        expect_opens(&b);
        bytes_free(&b);
    }
}

static void huge_counts_are_refused(void **state)
{
    static const uint64_t counts[] = {UINT64_C(1) << 31, UINT64_C(1) << 40,
                                      (UINT64_C(1) << 55) - 1,
                                      UINT64_C(1) << 63, UINT64_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct bytes b = bytes_of(3, false);
        put_header(&b, counts[i], 0);
        put_fill(&b, 0, 100);
        refuse("n_tensors", &b, GGK_E_COUNT, 8, "header.n_tensors", counts[i],
               100);
        b = bytes_of(3, false);
        put_header(&b, 0, counts[i]);
        put_fill(&b, 0, 100);
        refuse("n_kv", &b, GGK_E_COUNT, 16, "header.n_kv", counts[i], 100);
        b = bytes_of(3, false);
        put_header(&b, counts[i], counts[i]);
        refuse("both", &b, GGK_E_COUNT, 8, "header.n_tensors", counts[i], 0);
    }
}

/* In a stream whose end is not known yet the number alone is judged. */
static void counts_past_the_library_are_refused(void **state)
{
    const uint64_t most = (UINT64_C(1) << 31) - 2;

    (void)state;
    for (int tensors = 0; tensors < 2; tensors++) {
        const struct failure wanted = {
            GGK_E_LIMIT, tensors ? 8 : 16,
            tensors ? "header.n_tensors" : "header.n_kv", most + 1, most};
        struct bytes b = bytes_of(3, false);
        ggk_model *model;
        ggk_error err;

        put_header(&b, tensors ? most + 1 : 0, tensors ? 0 : most + 1);
        put_fill(&b, 0, 70000);
        expect_failure("stream", kind_open(KIND_STREAM, &b, NULL, &model, &err),
                       &err, &wanted);
        bytes_free(&b);
    }
}

/* -------------------------------------------------------------- key-values */

/* A file of one key-value, of which `put_*` follow; it begins at 24. */
static struct bytes one_kv(void)
{
    struct bytes b = bytes_of(3, false);
    put_header(&b, 0, 1);
    return b;
}

static void keys_are_refused_by_length(void **state)
{
    static const struct {
        uint64_t len;
        ggk_status status;
    } cases[] = {
        {4, GGK_E_TRUNCATED},
        {5, GGK_E_TRUNCATED},
        {6, GGK_E_TRUNCATED},
        {65535, GGK_E_TRUNCATED},
        {UINT64_C(1) << 30, GGK_E_TRUNCATED},
        {(UINT64_C(1) << 30) + 1, GGK_E_STRLEN},
        {UINT64_C(1) << 63, GGK_E_STRLEN},
        {UINT64_MAX, GGK_E_STRLEN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = one_kv();
        put_u64(&b, cases[i].len);
        put_fill(&b, 'k', 5);
        if (cases[i].len <= 5) /* then it is the type that is cut */
            refuse("key", &b, cases[i].status, 32 + cases[i].len, "kv[0].type",
                   4, 5 - cases[i].len);
        else
            refuse("key", &b, cases[i].status, 24, "kv[0].key.len",
                   cases[i].len, 5);
    }
}

/* The second key's length is cut: the first was large enough for both. */
static void key_lengths_are_cut(void **state)
{
    (void)state;
    for (size_t have = 0; have < 8; have++) {
        struct bytes b = bytes_of(3, false);
        put_header(&b, 0, 2);
        put_kv_str(&b, "some key", "some value");
        put_fill(&b, 0, have);
        refuse("key.len", &b, GGK_E_TRUNCATED, b.n - have, "kv[1].key.len", 8,
               have);
    }
}

static void types_are_cut_or_unknown(void **state)
{
    static const uint32_t types[] = {13, 14, 255, 256, 0x80000000, UINT32_MAX};

    (void)state;
    for (size_t have = 0; have < 4; have++) {
        struct bytes b = one_kv();
        put_str(&b, "12345");
        put_fill(&b, 0, have);
        refuse("type", &b, GGK_E_TRUNCATED, 37, "kv[0].type", 4, have);
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct bytes b = one_kv();
        put_key(&b, "key", types[i]);
        put_u8(&b, 0);
        refuse("type", &b, GGK_E_KV_TYPE, 35, "kv[0].type", types[i], 12);
    }
}

static void scalars_are_cut(void **state)
{
    static const size_t widths[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

    (void)state;
    for (uint32_t type = 0; type < 13; type++)
        for (size_t have = 0; have < widths[type]; have++) {
            struct bytes b = one_kv();
            put_key(&b, "key", type);
            put_fill(&b, 0, have);
            refuse("value", &b, GGK_E_TRUNCATED, 39, "kv[0].value",
                   widths[type], have);
        }
}

static void string_values_are_refused_by_length(void **state)
{
    (void)state;
    for (size_t have = 0; have < 8; have++) {
        struct bytes b = one_kv();
        put_key(&b, "key", V_STR);
        put_fill(&b, 0, have);
        refuse("value.len", &b, GGK_E_TRUNCATED, 39, "kv[0].value.len", 8,
               have);
    }
    for (unsigned bit = 1; bit < 64; bit++) {
        uint64_t len = UINT64_C(1) << bit;
        struct bytes b = one_kv();
        put_key(&b, "key", V_STR);
        put_u64(&b, len);
        put_u8(&b, 'x');
        refuse("value.len", &b, len > 1 << 30 ? GGK_E_STRLEN : GGK_E_TRUNCATED,
               39, "kv[0].value.len", len, 1);
    }
}

/* ------------------------------------------------------------------- arrays */

static void array_heads_are_cut(void **state)
{
    (void)state;
    for (uint32_t version = 1; version <= 3; version++) {
        struct bytes whole = bytes_of(version, false);
        size_t start, count = bytes_of_count(&whole);

        put_header(&whole, 0, 1);
        put_key(&whole, "a key", V_ARR);
        start = whole.n;
        put_array(&whole, V_U8, 0);
        for (size_t n = start; n < whole.n; n++) {
            struct bytes b = bytes_of(version, false);
            put_raw(&b, whole.at, n);
            if (n < start + 4)
                refuse("elem_type", &b, GGK_E_TRUNCATED, start,
                       "kv[0].value.elem_type", 4, n - start);
            else
                refuse("count", &b, GGK_E_TRUNCATED, start + 4,
                       "kv[0].value.count", count, n - start - 4);
        }
        expect_opens(&whole);
        bytes_free(&whole);
    }
}

static void element_types_are_known(void **state)
{
    static const uint32_t types[] = {13, 99, UINT32_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct bytes b = one_kv();
        put_key(&b, "key", V_ARR);
        put_array(&b, types[i], 0);
        refuse("elem_type", &b, GGK_E_ELEM_TYPE, 39, "kv[0].value.elem_type",
               types[i], 12);
    }
}

/* Elements at their smallest, in version 1 and in the others. */
static void array_counts_are_held_against_what_is_left(void **state)
{
    static const uint32_t least[2][13] = {
        {1, 1, 2, 2, 4, 4, 4, 1, 4, 8, 8, 8, 8},
        {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8},
    };

    (void)state;
    for (uint32_t i = 0; i < 2 * 13; i++) {
        uint32_t version = i / 13 + 1, type = i % 13;
        for (uint64_t left = 0; left < 40; left++) {
            struct bytes b = bytes_of(version, false);
            uint64_t fit = left / least[i / 13][type];
            size_t pos;

            put_header(&b, 0, 1);
            put_key(&b, "key", V_ARR);
            pos = b.n + 4;
            put_array(&b, type, fit + 1);
            put_fill(&b, 0, left);
            refuse("count", &b, GGK_E_COUNT, pos, "kv[0].value.count", fit + 1,
                   left);
        }
    }
}

static void huge_array_counts_are_refused(void **state)
{
    static const uint64_t counts[] = {UINT64_C(1) << 27, UINT64_C(1) << 30,
                                      UINT64_C(1) << 61, UINT64_C(1) << 63,
                                      UINT64_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (uint32_t type = 0; type < 13; type++) {
            struct bytes b = one_kv();
            put_key(&b, "key", V_ARR);
            put_array(&b, type, counts[i]);
            put_fill(&b, 0, 64);
            refuse("count", &b, GGK_E_COUNT, 43, "kv[0].value.count", counts[i],
                   64);
        }
}

static void strings_in_arrays_are_numbered(void **state)
{
    struct bytes b = one_kv();

    (void)state;
    put_key(&b, "key", V_ARR);
    put_array(&b, V_STR, 4);
    put_str(&b, "abc");
    put_str(&b, "");
    put_u64(&b, 13); /* of which 12 are there */
    put_fill(&b, 0, 12);
    refuse("element", &b, GGK_E_TRUNCATED, 39 + 12 + 11 + 8,
           "kv[0].value[2].len", 13, 12);
    for (size_t have = 0; have < 8; have++) {
        b = one_kv();
        put_key(&b, "key", V_ARR);
        put_array(&b, V_STR, 2);
        put_str(&b, "12345678");
        put_fill(&b, 0, have);
        refuse("element", &b, GGK_E_TRUNCATED, 39 + 12 + 16,
               "kv[0].value[1].len", 8, have);
    }
    b = one_kv();
    put_key(&b, "key", V_ARR);
    put_array(&b, V_STR, 1);
    put_u64(&b, UINT64_MAX);
    refuse("element", &b, GGK_E_STRLEN, 39 + 12, "kv[0].value[0].len",
           UINT64_MAX, 0);
}

/* value is [[], ["a", ...]] from key 1 on, at 37. */
static struct bytes nested_kv(uint64_t n_strings)
{
    struct bytes b = bytes_of(3, false);

    put_header(&b, 0, 2);
    put_key(&b, "", V_U8);
    put_u8(&b, 0);
    put_key(&b, "key", V_ARR);
    put_array(&b, V_ARR, 3);
    put_array(&b, V_U64, 0);
    put_array(&b, V_STR, n_strings);
    put_str(&b, "a");
    return b;
}

static void nested_elements_are_numbered(void **state)
{
    const size_t start = 24 + 13 + 15; /* of the outer array */
    struct bytes b = nested_kv(2);

    (void)state;
    put_u64(&b, 9);
    refuse("[1][1]", &b, GGK_E_TRUNCATED, start + 36 + 9,
           "kv[1].value[1][1].len", 9, 0);
    b = nested_kv(3);
    put_fill(&b, 0, 3);
    refuse("[1]", &b, GGK_E_COUNT, start + 28, "kv[1].value[1].count", 3, 12);
    b = nested_kv(1);
    put_u32(&b, 13);
    put_u64(&b, 0);
    refuse("[2]", &b, GGK_E_ELEM_TYPE, start + 45, "kv[1].value[2].elem_type",
           13, 12);
    for (size_t have = 3; have < 12; have++) { /* 36 bytes are left at first */
        b = nested_kv(1);
        put_fill(&b, 0, have);
        if (have < 4)
            refuse("[2]", &b, GGK_E_TRUNCATED, start + 45,
                   "kv[1].value[2].elem_type", 4, have);
        else
            refuse("[2]", &b, GGK_E_TRUNCATED, start + 49,
                   "kv[1].value[2].count", 8, have - 4);
    }
}

static void arrays_nest_at_most_16_deep(void **state)
{
    static const uint32_t depths[] = {17, 18, 100000};

    (void)state;
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        struct bytes b = one_kv();
        put_key(&b, "key", V_ARR);
        put_array(&b, V_ARR, 2); /* at its second element it goes deep */
        put_array(&b, V_U8, 0);
        for (uint32_t d = 2; d < depths[i]; d++)
            put_array(&b, V_ARR, 1);
        put_array(&b, V_U8, 0);
        refuse("depth", &b, GGK_E_DEPTH, 39 + 17 * 12,
               "kv[0].value[1][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]"
               ".elem_type",
               17, 16);
    }
}

/* A path too long for its room is cut: at each of 16 levels all goes well up to
 * element 100000. */
static void long_paths_are_cut(void **state)
{
    enum { N = 100000 };
    struct bytes b = bytes_of(1, false);
    ggk_model *model;
    ggk_error err;

    (void)state;
    put_header(&b, 0, 1);
    put_key(&b, "key", V_ARR);
    for (int d = 0; d < 15; d++) {
        put_array(&b, V_ARR, N + 1);
        for (int i = 0; i < N; i++)
            put_array(&b, V_U8, 0);
    }
    put_array(&b, V_STR, N + 1);
    put_fill(&b, 0, 4 * N);
    put_u32(&b, 1);
    assert_int_equal(kind_open(KIND_MEMORY, &b, NULL, &model, &err),
                     GGK_E_TRUNCATED);
    assert_int_equal(err.offset, b.n - 4);
    assert_true(strlen(err.where) < sizeof err.where);
    assert_true(strncmp(err.where, "kv[0].value[100000][100000]", 27) == 0);
    bytes_free(&b);
}

/* What is left counts to the end of the file also in a long header, of which
 * only a part has been read. */
static void long_headers_are_refused_alike(void **state)
{
    struct bytes b = bytes_of(3, false);
    size_t start;

    (void)state;
    put_header(&b, 0, 2);
    put_key(&b, "long", V_STR);
    put_count(&b, 100000);
    put_fill(&b, 'x', 100000);
    start = b.n;
    put_u64(&b, UINT64_C(1) << 40);
    put_fill(&b, 'x', 150000);
    refuse("long", &b, GGK_E_STRLEN, start, "kv[1].key.len", UINT64_C(1) << 40,
           150000);
}

/* --------------------------------------------------------------- alignment */

/* One key general.alignment at 24; its type at 49, its value at 53. */
static struct bytes alignment_kv(uint32_t type, uint64_t value, size_t width)
{
    struct bytes b = one_kv();

    put_key(&b, "general.alignment", type);
    if (type == V_ARR) {
        put_array(&b, V_U32, 1);
        put_u32(&b, 32);
    }
    put_uint(&b, value, width);
    return b;
}

static void alignment_is_an_integer(void **state)
{
    static const struct {
        uint32_t type;
        size_t width;
    } types[] = {{V_F32, 4}, {V_BOOL, 1}, {V_STR, 8}, {V_ARR, 0}, {V_F64, 8}};

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct bytes b = alignment_kv(types[i].type, 0, types[i].width);
        refuse("type", &b, GGK_E_ALIGN_TYPE, 49, "kv[0].type", types[i].type,
               V_U32);
    }
}

static void alignment_is_positive(void **state)
{
    static const struct {
        uint32_t type;
        size_t width;
        uint64_t value;
    } cases[] = {
        {V_U8, 1, 0},           {V_I8, 1, 0},
        {V_U16, 2, 0},          {V_I16, 2, 0},
        {V_U32, 4, 0},          {V_I32, 4, 0},
        {V_U64, 8, 0},          {V_I64, 8, 0},
        {V_I8, 1, UINT64_MAX},  {V_I16, 2, UINT64_MAX},
        {V_I32, 4, UINT64_MAX}, {V_I64, 8, UINT64_C(1) << 63},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b =
            alignment_kv(cases[i].type, cases[i].value, cases[i].width);
        refuse("value", &b, GGK_E_ALIGN, 53, "kv[0].value", cases[i].value, 1);
    }
}

static void alignments_agree(void **state)
{
    struct bytes b = bytes_of(3, false);
    size_t start;

    (void)state;
    put_header(&b, 0, 6);
    put_kv_u32(&b, "general.alignment", 64);
    put_key(&b, "general.alignment", V_U8);
    put_u8(&b, 64);
    put_kv_str(&b, "x", "of another length");
    put_kv_str(&b, "general.basename.", "of the same length");
    put_kv_str(&b, "general.alignment2", "and of that with a NUL");
    start = b.n;
    put_str_n(&b, "general.alignment\0", 18);
    put_u32(&b, V_U64);
    put_u64(&b, 32);
    refuse("differs", &b, GGK_E_ALIGN_DUP, start + 8 + 18 + 4, "kv[5].value",
           32, 64);
    /* The second one of a pair is judged too. */
    b = bytes_of(3, false);
    put_header(&b, 0, 2);
    put_kv_u32(&b, "general.alignment", 64);
    start = b.n;
    put_kv_str(&b, "general.alignment", "64");
    refuse("type", &b, GGK_E_ALIGN_TYPE, start + 8 + 17, "kv[1].type", V_STR,
           V_U32);
}

/* ------------------------------------------------------------ tensor infos */

static void tensor_infos_are_cut_at_every_byte(void **state)
{
    (void)state;
    for (uint32_t version = 1; version <= 3; version++) {
        struct bytes whole = bytes_of(version, false);
        size_t count = bytes_of_count(&whole), start;

        put_header(&whole, 1, 0);
        start = whole.n;
        put_info(&whole, "0123456789012345", 2, (uint64_t[]){4, 3}, T_F32, 0);
        for (size_t n = start + 24; n < whole.n; n++) {
            struct bytes b = bytes_of(version, false);
            size_t at = n - start - count - 16; /* past the name */

            put_raw(&b, whole.at, n);
            if (n < start + count + 16)
                refuse("name", &b, GGK_E_TRUNCATED, start, "tensor[0].name.len",
                       16, n - start - count);
            else if (at < 4)
                refuse("n_dims", &b, GGK_E_TRUNCATED, n - at,
                       "tensor[0].n_dims", 4, at);
            else if (at < 4 + count)
                refuse("ne[0]", &b, GGK_E_TRUNCATED, n - at + 4,
                       "tensor[0].ne[0]", count, at - 4);
            else if (at < 4 + 2 * count)
                refuse("ne[1]", &b, GGK_E_TRUNCATED, n - at + 4 + count,
                       "tensor[0].ne[1]", count, at - 4 - count);
            else if (at < 8 + 2 * count)
                refuse("type", &b, GGK_E_TRUNCATED, n - at + 4 + 2 * count,
                       "tensor[0].type", 4, at - 4 - 2 * count);
            else
                refuse("offset", &b, GGK_E_TRUNCATED, n - at + 8 + 2 * count,
                       "tensor[0].offset", 8, at - 8 - 2 * count);
        }
        bytes_free(&whole);
    }
}

static void names_are_refused_by_length(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_header(&b, 1, 0);
    put_u64(&b, UINT64_C(1) << 63);
    put_fill(&b, 'n', 16);
    refuse("name", &b, GGK_E_STRLEN, 24, "tensor[0].name.len",
           UINT64_C(1) << 63, 16);
}

/* One tensor "a" at 24: n_dims at 33, ne at 37. */
static struct bytes one_tensor(uint32_t n_dims, const uint64_t *ne,
                               uint32_t type, uint64_t offset)
{
    struct bytes b = bytes_of(3, false);

    put_header(&b, 1, 0);
    put_info(&b, "a", n_dims, ne, type, offset);
    return b;
}

static void dimensions_are_at_most_8(void **state)
{
    static const uint32_t counts[] = {9, 10, 0x80000000, UINT32_MAX};
    struct bytes b;

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        b = bytes_of(3, false);
        put_header(&b, 1, 0);
        put_str(&b, "a");
        put_u32(&b, counts[i]);
        put_fill(&b, 0, 100);
        refuse("n_dims", &b, GGK_E_NDIMS, 33, "tensor[0].n_dims", counts[i], 8);
    }
    b = one_tensor(8, (uint64_t[]){1, 1, 1, 1, 1, 1, 1, 2}, T_I8, 0);
    expect_opens(&b);
    bytes_free(&b);
}

static void dimensions_are_below_2_63(void **state)
{
    const uint64_t two63 = UINT64_C(1) << 63;
    struct bytes b = one_tensor(1, &two63, T_I8, 0);

    (void)state;
    refuse("2^63", &b, GGK_E_DIM, 37, "tensor[0].ne[0]", two63, INT64_MAX);
    b = one_tensor(3, (uint64_t[]){2, 0, UINT64_MAX}, T_I8, 0);
    refuse("2^64-1", &b, GGK_E_DIM, 53, "tensor[0].ne[2]", UINT64_MAX,
           INT64_MAX);
}

static void elements_are_below_2_63(void **state)
{
    const uint64_t two62 = UINT64_C(1) << 62;
    struct bytes b = one_tensor(2, (uint64_t[]){1, INT64_MAX}, T_I8, 0);

    (void)state;
    expect_opens(&b);
    bytes_free(&b);
    b = one_tensor(2, (uint64_t[]){UINT64_C(1) << 32, UINT64_C(1) << 32}, T_I8,
                   0);
    refuse("2^64", &b, GGK_E_OVERFLOW, 45, "tensor[0].ne[1]", UINT64_C(1) << 32,
           INT64_MAX >> 32);
    b = one_tensor(2, (uint64_t[]){INT64_MAX, 2}, T_I8, 0);
    refuse("2^64-2", &b, GGK_E_OVERFLOW, 45, "tensor[0].ne[1]", 2, 1);
    b = one_tensor(2, (uint64_t[]){two62, 2}, T_I8, 0);
    refuse("2^63", &b, GGK_E_OVERFLOW, 45, "tensor[0].ne[1]", 2, 1);
    /* Zeros count as ones; so a tensor of no elements hides nothing. */
    b = one_tensor(4, (uint64_t[]){0, two62, two62, two62}, T_I8, 0);
    refuse("0", &b, GGK_E_OVERFLOW, 53, "tensor[0].ne[2]", two62, 1);
    /* Also of types of which nothing else is known. */
    b = one_tensor(2, (uint64_t[]){two62, 2}, T_UNKNOWN, 0);
    refuse("unknown", &b, GGK_E_OVERFLOW, 45, "tensor[0].ne[1]", 2, 1);
    b = one_tensor(4, (uint64_t[]){1024, 1024, (UINT64_C(1) << 42) + 1, 1},
                   T_F32, 0);
    refuse("CVE-2026-33298", &b, GGK_E_OVERFLOW, 37, "tensor[0].ne",
           (UINT64_C(1) << 62) + (1 << 20), UINT64_MAX);
}

static void bytes_and_padding_are_below_2_64(void **state)
{
    static const struct {
        uint32_t type, n_dims;
        uint64_t ne[4], elements;
    } cases[] = {
        {T_F32, 1, {(UINT64_C(1) << 62) - 1}, (UINT64_C(1) << 62) - 1},
        {T_F64, 1, {(UINT64_C(1) << 61) - 1}, (UINT64_C(1) << 61) - 1},
        {T_F64, 1, {UINT64_C(1) << 61}, UINT64_C(1) << 61},
        {T_F32,
         3,
         {4, (UINT64_C(1) << 30) - 1, (UINT64_C(1) << 30) + 1},
         (UINT64_C(1) << 62) - 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b =
            one_tensor(cases[i].n_dims, cases[i].ne, cases[i].type, 0);
        refuse("bytes", &b, GGK_E_OVERFLOW, 37, "tensor[0].ne",
               cases[i].elements, UINT64_MAX);
    }
}

static void rows_are_whole_blocks(void **state)
{
    struct bytes b = one_tensor(1, (uint64_t[]){31}, T_Q4_0, 0);

    (void)state;
    refuse("Q4_0", &b, GGK_E_BLOCK, 37, "tensor[0].ne[0]", 31, 32);
    b = one_tensor(2, (uint64_t[]){704, 256}, T_Q4_K, 0);
    refuse("Q4_K", &b, GGK_E_BLOCK, 37, "tensor[0].ne[0]", 704, 256);
    b = one_tensor(2, (uint64_t[]){31, 0}, T_Q4_0, 0);
    refuse("no rows", &b, GGK_E_BLOCK, 37, "tensor[0].ne[0]", 31, 32);
    b = one_tensor(0, NULL, T_Q8_0, 0);
    refuse("scalar", &b, GGK_E_BLOCK, 33, "tensor[0].n_dims", 1, 32);
    b = one_tensor(2, (uint64_t[]){0, 7}, T_Q4_0, 0);
    expect_opens(&b);
    bytes_free(&b);
}

/* ------------------------------------------------------------- data layout */

/* The data begins at 64; offsets are at 49. */
static void tensors_lie_below_2_64(void **state)
{
    const uint64_t most = UINT64_MAX - 64;
    struct bytes b = one_tensor(1, (uint64_t[]){0}, T_I8, most - 31);

    (void)state;
    expect_opens(&b); /* it takes no bytes */
    bytes_free(&b);
    b = one_tensor(1, (uint64_t[]){32}, T_I8, most - 63);
    expect_opens(&b);
    bytes_free(&b);
    b = one_tensor(1, (uint64_t[]){8}, T_I8, most + 1);
    refuse("2^64", &b, GGK_E_OFFSET, 49, "tensor[0].offset", most + 1, most);
    b = one_tensor(1, (uint64_t[]){8}, T_I8, UINT64_MAX);
    refuse("2^64-1", &b, GGK_E_OFFSET, 49, "tensor[0].offset", UINT64_MAX,
           most);
    b = one_tensor(1, (uint64_t[]){8}, T_I8, most - 7);
    refuse("end", &b, GGK_E_OVERFLOW, 49, "tensor[0].offset", 8, 7);
    b = one_tensor(1, (uint64_t[]){4}, T_I8, most - 7);
    refuse("padding", &b, GGK_E_OVERFLOW, 49, "tensor[0].offset", 4, 7);
    b = one_tensor(1, (uint64_t[]){8}, T_UNKNOWN, UINT64_MAX);
    refuse("unknown", &b, GGK_E_OFFSET, 49, "tensor[0].offset", UINT64_MAX,
           most);
}

static void two_halves_of_all_bytes_are_too_much(void **state)
{
    const uint64_t half = 0x7fffffffffffffc0;
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_header(&b, 2, 0);
    put_info(&b, "a", 1, &half, T_I8, 0);
    put_info(&b, "b", 1, &half, T_I8, half);
    put_padding(&b, 32);
    put_fill(&b, 0, 32);
    /* The data is at 96: the second one ends at 2^64 - 32. */
    expect_opens(&b);
    bytes_patch(&b, b.n - 32 - 6 - 8, half + 32, 8);
    refuse("CVE-2026-27940", &b, GGK_E_OVERFLOW, 82, "tensor[1].offset", half,
           UINT64_MAX - 96 - half - 32);
}

/* Positions count from the start of the file, also when a GGUF begins late. */
static void positions_of_late_files_are_below_2_64(void **state)
{
    const uint64_t start = 1000, most = UINT64_MAX - 64 - start;
    struct failure wanted = {GGK_E_OFFSET, start + 49, "tensor[0].offset",
                             most + 1, most};
    ggk_open_opts opts = no_opts();
    struct bytes b = bytes_of(3, false);

    (void)state;
    opts.base_off = start;
    put_fill(&b, 0, start);
    put_header(&b, 1, 0);
    put_info(&b, "a", 1, (uint64_t[]){8}, T_I8, most + 1);
    expect_refused("offset", &b, &opts, &wanted);
    bytes_patch(&b, b.n - 8, most - 7, 8);
    wanted =
        (struct failure){GGK_E_OVERFLOW, start + 49, "tensor[0].offset", 8, 7};
    expect_refused("end", &b, &opts, &wanted);
    bytes_free(&b);

    put_fill(&b, 0, start);
    put_header(&b, 0, 1);
    put_key(&b, "general.alignment", V_U64);
    put_u64(&b, UINT64_MAX - 5);
    wanted = (struct failure){GGK_E_OVERFLOW, start + 53, "kv[0].value",
                              UINT64_MAX - 5, UINT64_MAX - start};
    expect_refused("alignment", &b, &opts, &wanted);
    bytes_free(&b);
}

/* ------------------------------------------------------------- at any time */

/* Reads that fail, from every call on. */
struct broken {
    const struct bytes *bytes;
    uint64_t from;
    int sys_errno; /* 0: an early end */
};

static int broken_read(void *ctx, uint64_t off, void *buf, size_t bytes,
                       size_t *got)
{
    const struct broken *broken = ctx;
    size_t left = off < broken->from ? (size_t)(broken->from - off) : 0;

    *got = bytes < left ? bytes : left;
    if (*got == 0)
        return broken->sys_errno;
    memcpy(buf, broken->bytes->at + off, *got);
    return 0;
}

static void failing_reads_are_told(void **state)
{
    struct bytes b = bytes_features(3, false);

    (void)state;
    for (uint64_t from = 0; from < b.n; from += 97)
        for (int fails = 0; fails < 2; fails++) {
            const struct failure wanted = {fails ? GGK_E_IO : GGK_E_CHANGED,
                                           fails ? from : GGK_NO_OFFSET, "", 0,
                                           0};
            struct broken broken = {&b, from, fails ? EIO : 0};
            const ggk_callbacks callbacks = {broken_read, NULL, &broken, b.n};
            ggk_source *source;
            ggk_model *model;
            ggk_error err;

            assert_int_equal(
                ggk_source_from_callbacks(&callbacks, NULL, &source, NULL),
                GGK_OK);
            expect_failure("broken",
                           ggk_model_open_source(source, NULL, &model, &err),
                           &err, &wanted);
            assert_int_equal(err.sys_errno, fails ? EIO : 0);
        }
    bytes_free(&b);
}

/* In an element of an array; its place is not the field's. */
static void failing_reads_in_arrays_are_told(void **state)
{
    static const struct failure wanted = {GGK_E_IO, 70000, "", 0, 0};
    struct bytes b = bytes_of(3, false);
    struct broken broken = {&b, 70000, EIO};
    const ggk_callbacks callbacks = {broken_read, NULL, &broken,
                                     GGK_SIZE_UNKNOWN};
    ggk_source *source;
    ggk_model *model;
    ggk_error err;

    (void)state;
    put_header(&b, 0, 1);
    put_key(&b, "key", V_ARR);
    put_array(&b, V_STR, 20000);
    put_fill(&b, 0, 160000);
    assert_int_equal(ggk_source_from_callbacks(&callbacks, NULL, &source, NULL),
                     GGK_OK);
    expect_failure("EIO", ggk_model_open_source(source, NULL, &model, &err),
                   &err, &wanted);
    assert_int_equal(err.sys_errno, EIO);
    bytes_free(&b);
}

/* Each field that does not fit the limit is named. */
static void long_headers_break_the_limit(void **state)
{
    struct bytes b = bytes_features(3, false);
    ggk_open_opts opts = no_opts();

    (void)state;
    for (uint64_t most = 1; most < b.n; most++) {
        const enum kind kind = most % 3 == 0   ? KIND_FILE
                               : most % 3 == 1 ? KIND_SIZED
                                               : KIND_STREAM;
        ggk_model *model;
        ggk_error err;
        ggk_status status;

        opts.max_header_bytes = most;
        status = kind_open(kind, &b, &opts, &model, &err);
        if (status == GGK_OK) {
            ggk_file file;
            assert_int_equal(ggk_model_file(model, 0, &file, NULL), GGK_OK);
            assert_true(file.head_end <= most);
            ggk_model_close(model);
            continue;
        }
        assert_int_equal(status, GGK_E_LIMIT);
        assert_true(err.offset <= most);
        assert_true(err.need > err.have);
        assert_true(err.where[0] != '\0');
    }
    bytes_free(&b);
}

/* A stream whose bytes begin at position `from`. */
struct far_bytes {
    const struct bytes *b;
    uint64_t from;
};

static int far_read(void *ctx, uint64_t off, void *buf, size_t bytes,
                    size_t *got)
{
    const struct far_bytes *far = ctx;
    size_t done = (size_t)(off - far->from);

    *got = done < far->b->n ? far->b->n - done : 0;
    if (*got > bytes)
        *got = bytes;
    memcpy(buf, far->b->at + done, *got);
    return 0;
}

static ggk_source *far_source(const struct bytes *b, uint64_t from)
{
    static struct far_bytes far;
    ggk_callbacks callbacks = {far_read, NULL, &far, GGK_SIZE_UNKNOWN};
    ggk_source *source;

    far = (struct far_bytes){b, from};
    assert_int_equal(ggk_source_from_callbacks(&callbacks, NULL, &source, NULL),
                     GGK_OK);
    return source;
}

/* Options with `more` bytes of a later version behind them, all of `fill`. */
static ggk_status open_with_longer_opts(const struct bytes *b, size_t more,
                                        int fill)
{
    unsigned char longer[sizeof(ggk_open_opts) + 16];
    ggk_open_opts opts = no_opts();
    ggk_model *model;
    ggk_status status;

    opts.struct_bytes = sizeof opts + more;
    memset(longer, fill, sizeof longer);
    memcpy(longer, &opts, sizeof opts);
    status = ggk_model_open_source(kind_source(KIND_MEMORY, b, NULL),
                                   (const ggk_open_opts *)(const void *)longer,
                                   &model, NULL);
    ggk_model_close(model);
    return status;
}

/* An older caller's struct is shorter, a newer one's longer: what is not there
 * counts as zero, and what is not known must be zero. */
static void options_of_other_versions_are_taken_where_they_ask_nothing(
    void **state)
{
    struct bytes b = bytes_features(3, false);
    ggk_open_opts opts = no_opts();
    ggk_model *model;

    (void)state;
    opts.struct_bytes = offsetof(ggk_open_opts, open_source);
    assert_int_equal(ggk_model_open_source(kind_source(KIND_MEMORY, &b, NULL),
                                           &opts, &model, NULL),
                     GGK_OK);
    ggk_model_close(model);
    assert_int_equal(open_with_longer_opts(&b, 16, 0), GGK_OK);
    assert_int_equal(open_with_longer_opts(&b, 16, 1), GGK_E_ARG);
    bytes_free(&b);
}

/* A stream may claim to go on for ever; where its data would start may still
 * not be past 2^64-1, and no key is there to blame. */
static void data_start_past_everything_is_refused_without_a_key(void **state)
{
    static const struct failure wanted = {GGK_E_OVERFLOW, UINT64_MAX - 25,
                                          "header.magic", 32, 25};
    struct bytes b = bytes_of(3, false);
    ggk_open_opts opts = no_opts();
    ggk_model *model;
    ggk_error err;

    (void)state;
    put_header(&b, 0, 0);
    opts.base_off = UINT64_MAX - 25;
    expect_failure("far away",
                   ggk_model_open_source(far_source(&b, opts.base_off), &opts,
                                         &model, &err),
                   &err, &wanted);
    assert_null(model);
    bytes_free(&b);
}

static void options_of_another_version_are_refused(void **state)
{
    static const struct failure wanted = {GGK_E_ARG, GGK_NO_OFFSET, "", 0, 0};
    struct bytes b = bytes_features(3, false);
    ggk_open_opts opts = no_opts();
    ggk_model *model;
    ggk_error err;

    (void)state;
    opts.struct_bytes = 0;
    expect_refused("struct_bytes", &b, &opts, &wanted);
    opts = no_opts();
    opts.reserved = 1;
    expect_refused("reserved", &b, &opts, &wanted);
    opts = no_opts();
    opts.flags = GGK_OPEN_SINGLE << 1;
    expect_refused("flags", &b, &opts, &wanted);
    expect_failure("no source", ggk_model_open_source(NULL, NULL, &model, &err),
                   &err, &wanted);
    assert_null(model);
    expect_failure("no path", ggk_model_open(NULL, NULL, &model, &err), &err,
                   &wanted);
    assert_null(model);
    bytes_free(&b);
}

/* The options of this version, and room for those of a later one. */
struct later_opts {
    ggk_open_opts now;
    unsigned char later[16];
};

static ggk_status open_later(const struct bytes *b, struct later_opts *opts,
                             size_t struct_bytes)
{
    ggk_model *model;
    ggk_status status;

    opts->now.struct_bytes = struct_bytes;
    status = kind_open(KIND_MEMORY, b, &opts->now, &model, NULL);
    assert_true((status == GGK_OK) == (model != NULL));
    ggk_model_close(model);
    return status;
}

/* What an older caller lacks is 0, what a newer one has must be. */
static void options_grow_with_versions(void **state)
{
    const size_t now = sizeof(ggk_open_opts), later = sizeof(struct later_opts);
    struct later_opts opts;
    struct bytes b = bytes_of(3, false);

    (void)state;
    memset(&opts, 0, sizeof opts);
    put_fill(&b, 7, 8);
    put_header(&b, 0, 0);
    assert_int_equal(open_later(&b, &opts, now), GGK_E_MAGIC);
    opts.now.base_off = 8;
    assert_int_equal(open_later(&b, &opts, now), GGK_OK);
    assert_int_equal(open_later(&b, &opts, later), GGK_OK);
    opts.later[15] = 1;
    assert_int_equal(open_later(&b, &opts, now), GGK_OK);
    assert_int_equal(open_later(&b, &opts, later - 1), GGK_OK);
    assert_int_equal(open_later(&b, &opts, later), GGK_E_ARG);
    /* Cut before base_off, the GGUF is looked for at 0. */
    assert_int_equal(
        open_later(&b, &opts, offsetof(ggk_open_opts, base_off) + 8), GGK_OK);
    assert_int_equal(open_later(&b, &opts, offsetof(ggk_open_opts, base_off)),
                     GGK_E_MAGIC);
    bytes_free(&b);
}

/* The model takes the source over, and closes it when opening fails. */
static void sources_are_closed_after_failures(void **state)
{
    (void)state;
    for (int step = 0; step < 3; step++) {
        struct bytes b = bytes_features(3, false);
        ggk_open_opts opts = no_opts();
        int closed = 0;
        struct feed *feed = calloc(1, sizeof *feed);
        const ggk_callbacks callbacks = {feed_read, feed_close, feed, b.n};
        ggk_source *source;
        ggk_model *model;

        assert_non_null(feed);
        feed->bytes = &b;
        feed->chunk = 1;
        feed->closed = &closed;
        assert_int_equal(
            ggk_source_from_callbacks(&callbacks, NULL, &source, NULL), GGK_OK);
        opts.reserved = step == 0;
        b.at[0] = step == 1 ? 'X' : 'G';
        assert_int_equal(ggk_model_open_source(source, &opts, &model, NULL),
                         step == 0   ? GGK_E_ARG
                         : step == 1 ? GGK_E_MAGIC
                                     : GGK_OK);
        assert_int_equal(closed, step < 2);
        ggk_model_close(model);
        assert_int_equal(closed, 1);
        bytes_free(&b);
    }
}

/* A file with everything in it, cut at every byte: in the header it is refused
 * at a place before the cut; in the data it opens, and says what is missing. */
static void features_are_cut_at_every_byte(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3 * 2; i++) {
        struct bytes b = bytes_features(i / 2 % 3 + 1, i / 2 % 3 == 2 && i % 2);
        enum kind kind = i % 2 ? KIND_STREAM : KIND_MEMORY;
        size_t whole = b.n;
        ggk_model *model = open_bytes(&b);
        ggk_file file;

        assert_int_equal(ggk_model_file(model, 0, &file, NULL), GGK_OK);
        ggk_model_close(model);
        for (b.n = 0; b.n < whole; b.n++) {
            ggk_error err;
            ggk_status status = kind_open(kind, &b, NULL, &model, &err);

            if (b.n < file.head_end) {
                assert_true(status == GGK_E_TRUNCATED || status == GGK_E_COUNT);
                assert_true(err.offset <= b.n);
                assert_true(err.need > 0 && err.where[0] != '\0');
                continue;
            }
            assert_int_equal(status, GGK_OK);
            assert_int_equal(ggk_model_file(model, 0, &file, NULL), GGK_OK);
            assert_true(file.first_missing != GGK_NONE);
            ggk_model_close(model);
        }
        bytes_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_files_are_truncated),
        cmocka_unit_test(headers_are_cut_at_every_byte),
        cmocka_unit_test(strangers_have_another_magic),
        cmocka_unit_test(long_strangers_are_refused_alike),
        cmocka_unit_test(swapped_magic_with_little_version_is_refused),
        cmocka_unit_test(unknown_versions_are_refused_by_number),
        cmocka_unit_test(version_4_is_named),
        cmocka_unit_test(counts_are_held_against_what_is_left),
        cmocka_unit_test(smallest_entries_open),
        cmocka_unit_test(huge_counts_are_refused),
        cmocka_unit_test(counts_past_the_library_are_refused),
        cmocka_unit_test(keys_are_refused_by_length),
        cmocka_unit_test(key_lengths_are_cut),
        cmocka_unit_test(types_are_cut_or_unknown),
        cmocka_unit_test(scalars_are_cut),
        cmocka_unit_test(string_values_are_refused_by_length),
        cmocka_unit_test(array_heads_are_cut),
        cmocka_unit_test(element_types_are_known),
        cmocka_unit_test(array_counts_are_held_against_what_is_left),
        cmocka_unit_test(huge_array_counts_are_refused),
        cmocka_unit_test(strings_in_arrays_are_numbered),
        cmocka_unit_test(nested_elements_are_numbered),
        cmocka_unit_test(arrays_nest_at_most_16_deep),
        cmocka_unit_test(long_paths_are_cut),
        cmocka_unit_test(long_headers_are_refused_alike),
        cmocka_unit_test(alignment_is_an_integer),
        cmocka_unit_test(alignment_is_positive),
        cmocka_unit_test(alignments_agree),
        cmocka_unit_test(tensor_infos_are_cut_at_every_byte),
        cmocka_unit_test(names_are_refused_by_length),
        cmocka_unit_test(dimensions_are_at_most_8),
        cmocka_unit_test(dimensions_are_below_2_63),
        cmocka_unit_test(elements_are_below_2_63),
        cmocka_unit_test(bytes_and_padding_are_below_2_64),
        cmocka_unit_test(rows_are_whole_blocks),
        cmocka_unit_test(tensors_lie_below_2_64),
        cmocka_unit_test(two_halves_of_all_bytes_are_too_much),
        cmocka_unit_test(positions_of_late_files_are_below_2_64),
        cmocka_unit_test(failing_reads_are_told),
        cmocka_unit_test(failing_reads_in_arrays_are_told),
        cmocka_unit_test(long_headers_break_the_limit),
        cmocka_unit_test(options_of_another_version_are_refused),
        cmocka_unit_test(
            options_of_other_versions_are_taken_where_they_ask_nothing),
        cmocka_unit_test(data_start_past_everything_is_refused_without_a_key),
        cmocka_unit_test(options_grow_with_versions),
        cmocka_unit_test(sources_are_closed_after_failures),
        cmocka_unit_test(features_are_cut_at_every_byte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
