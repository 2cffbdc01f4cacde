/* test_check_tensors.c - what check finds in tensor infos and the layout. */
#include "judge.h"

enum {
    INFO = 65,                     /* of the first tensor, after the one key */
    NAME = INFO + 8,               /* its name */
    INFO_BYTES = 8 + 4 + 8 + 4 + 8 /* of one dimension, without the name */
};

/* A file of tensors whose data follows, each a run of `n` F32. */
static struct bytes bytes_named(const char *name, size_t len, uint64_t n)
{
    struct bytes b = bytes_sound(1, 0);

    put_str_n(&b, name, len);
    put_u32(&b, 1);
    put_u64(&b, n);
    put_u32(&b, T_F32);
    put_u64(&b, 0);
    put_padding(&b, 32);
    put_fill(&b, 0, n * 4);
    put_padding(&b, 32);
    return b;
}

/* ------------------------------------------------------------------- names */

static void names_are_judged(void **state)
{
    struct bytes b = bytes_named("", 0, 8);

    (void)state;
    expect_one(&b, "name-empty", INFO, "tensor[0].name.len",
               "tensor 0 has no name");
    b = bytes_named("a\0b", 3, 8);
    expect_one(&b, "name-nul", NAME + 1, "tensor[0].name",
               "the name of tensor 0 has a NUL byte, its byte 1");
    b = bytes_named("ab\xff", 3, 8);
    expect_one(&b, "name-utf8", NAME + 2, "tensor[0].name",
               "the name is not UTF-8 from its byte 2 on");
    b = bytes_named("a\x1b[2J", 5, 8);
    expect_one(&b, "name-control", NAME + 1, "tensor[0].name",
               "the name has a control character, at its byte 1");
    b = bytes_named("../x", 4, 8);
    expect_one(&b, "name-path", NAME, "tensor[0].name",
               "the name \"../x\" is a path out of its folder");
    b = bytes_named("direction.536870912", 19, 8);
    expect_one(&b, "name-number", NAME + 10, "tensor[0].name",
               "the name \"direction.536870912\" has a number over 1000000");
}

static void lengths_of_names_are_judged(void **state)
{
    char name[65];
    char what[128];
    struct bytes b;

    (void)state;
    memset(name, 'n', sizeof name);
    b = bytes_named(name, 63, 8);
    expect_none(&b);
    snprintf(what, sizeof what, "the name \"%.64s\" has 64 bytes", name);
    b = bytes_named(name, 64, 8);
    expect_one(&b, "name-64", INFO, "tensor[0].name.len", what);
    snprintf(what, sizeof what, "the name \"%.65s\" has 65 bytes", name);
    b = bytes_named(name, 65, 8);
    expect_one(&b, "name-long", INFO, "tensor[0].name.len", what);
}

static void paths_are_told_from_names(void **state)
{
    static const struct {
        const char *name;
        bool path;
    } names[] = {
        {"blk.0.attn_q.weight", false},
        {"a/b", false},
        {"..a", false},
        {"a..", false},
        {"a/..b/c", false},
        {"...", false},
        {".", false},
        {".a", false},
        {"a/.b", false},
        {"a/.", false},
        {"v:0", true}, /* drive v on some systems */
        {"..", true},
        {"../../etc/passwd", true},
        {"a/..", true},
        {"a/../b", true},
        {"..\\x", true},
        {"a\\..\\b", true},
        {"C:\\x", true},
        {"/abs", true},
        {"\\\\server\\x", true},
        {"~/x", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct bytes b = bytes_named(names[i].name, strlen(names[i].name), 8);
        struct judged j;
        judge(&j, &b);
        assert_int_equal(j.n, names[i].path);
        if (j.n > 0)
            assert_string_equal(j.at[0].id, "name-path");
    }
}

static void numbers_in_names_are_weighed(void **state)
{
    static const struct {
        const char *name;
        size_t number; /* where the one that is too large begins; 0: none */
    } names[] = {
        {"blk.0.ffn_gate.255.weight", 0},
        {"blk.1000000.w", 0},
        {"blk.1000001.w", 4},
        {"blk.00001000001.w", 4},
        {"blk.99999999999999999999999.w", 4},
        {"a.4294967296", 2}, /* 0 in 32 bits */
        {"a.18446744073709551617.b", 2},
        {"w20230101", 0},
        {"a.20230101x.b", 0},
        {"a..20230101", 3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct bytes b = bytes_named(names[i].name, strlen(names[i].name), 8);
        struct judged j;
        judge(&j, &b);
        assert_int_equal(j.n, names[i].number > 0);
        if (j.n > 0) {
            assert_string_equal(j.at[0].id, "name-number");
            assert_int_equal(j.at[0].offset, NAME + names[i].number);
        }
    }
}

/* Names that end in a NUL are no others, here as in lookups. */
static void repeated_names_are_judged(void **state)
{
    static const struct expected all[] = {
        {"name-duplicate", NAME + 33, "tensor[1].name",
         "tensor[1] has the name of tensor[0] at byte 65, \"a\""},
        {"name-nul", NAME + 66 + 1, "tensor[2].name",
         "the name of tensor 2 has a NUL byte, its byte 1"},
        {"name-duplicate", NAME + 66, "tensor[2].name",
         "tensor[2] has the name of tensor[0] at byte 65, \"a\""},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(3, 0);
    struct judged j;

    (void)state;
    for (uint64_t i = 0; i < 3; i++) {
        put_str_n(&b, "a\0", i < 2 ? 1 : 2);
        put_u32(&b, 1);
        put_u64(&b, 8);
        put_u32(&b, T_F32);
        put_u64(&b, 32 * i);
    }
    put_padding(&b, 32);
    put_fill(&b, 0, 96);
    judge(&j, &b);
    expect_told(&j, all);
}

/* ----------------------------------------------------- dimensions and types */

/* One tensor "t", whose info comes first; then `data` bytes. */
static struct bytes bytes_shaped(uint32_t n_dims, const uint64_t *ne,
                                 uint32_t type, uint64_t offset, size_t data)
{
    struct bytes b = bytes_sound(1, 0);

    put_info(&b, "t", n_dims, ne, type, offset);
    put_padding(&b, 32);
    put_fill(&b, 0, data);
    return b;
}

enum {
    N_DIMS = INFO + 8 + 1,
    NE = N_DIMS + 4,
    TYPE = NE + 8, /* after one dimension */
    OFFSET = TYPE + 4,
    DATA = 128 /* after one dimension, padded */
};

static void dimensions_are_judged(void **state)
{
    struct bytes b = bytes_shaped(5, (uint64_t[]){1, 2, 1, 2, 2}, T_F32, 0, 32);

    (void)state;
    expect_one(&b, "dimensions", N_DIMS, "tensor[0].n_dims",
               "tensor \"t\" has 5 dimensions");
    b = bytes_shaped(4, (uint64_t[]){1, 2, 2, 2}, T_F32, 0, 32);
    expect_none(&b);
    b = bytes_shaped(0, NULL, T_F32, 0, 32);
    expect_none(&b);
    b = bytes_shaped(8, (uint64_t[]){1, 2, 1, 2, 2, 1, 1, 1}, T_F32, 0, 32);
    bytes_patch(&b, N_DIMS, 9, 4);
    expect_one(&b, "dimensions", N_DIMS, "tensor[0].n_dims", NULL);
}

static void impossible_sizes_are_judged(void **state)
{
    struct bytes b = bytes_shaped(1, (uint64_t[]){UINT64_MAX}, T_I8, 0, 32);
    static const struct {
        uint64_t ne[4];
        uint32_t type;
        int at; /* dimension at fault; -1: all of them */
    } cases[] = {
        {{UINT64_C(1) << 32, UINT64_C(1) << 32, 1, 1}, T_I8, 1},
        {{INT64_MAX, 2, 1, 1}, T_I8, 1},
        {{(UINT64_C(1) << 62) - 1, 1, 1, 1}, T_F32, -1},
        {{(UINT64_C(1) << 61) - 1, 1, 1, 1}, T_F64, -1},
        {{4, (1u << 30) - 1, (1u << 30) + 1, 1}, T_F32, -1},
        {{1024, 1024, (UINT64_C(1) << 42) + 1, 1}, T_F32, -1},
        {{0, UINT64_C(1) << 62, UINT64_C(1) << 62, UINT64_C(1) << 62},
         T_F32,
         2},
    };

    (void)state;
    expect_one(&b, "dimension-size", NE, "tensor[0].ne[0]", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int at = cases[i].at;
        char where[32] = "tensor[0].ne";
        struct judged j;
        if (at >= 0)
            snprintf(where, sizeof where, "tensor[0].ne[%d]", at);
        b = bytes_shaped(4, cases[i].ne, cases[i].type, 0, 32);
        judge(&j, &b);
        assert_string_equal(j.at[0].id, "size-overflow");
        assert_string_equal(j.at[0].where, where);
        assert_int_equal(j.at[0].offset, NE + 8 * (at < 0 ? 0 : at));
        assert_true(j.verdict.spec[GGK_SEVERITY_ERROR] > 0);
    }
}

static void types_of_tensors_are_judged(void **state)
{
    struct bytes b = bytes_shaped(1, (uint64_t[]){8}, 43, 0, 32);

    (void)state;
    expect_one(&b, "type-unknown", TYPE, "tensor[0].type",
               "type 43 of tensor \"t\" is not known");
    b = bytes_shaped(1, (uint64_t[]){8}, UINT32_MAX, 0, 32);
    expect_one(&b, "type-unknown", TYPE, "tensor[0].type",
               "type 4294967295 of tensor \"t\" is not known");
    b = bytes_shaped(1, (uint64_t[]){8}, T_Q4_2, 0, 32);
    expect_one(&b, "type-removed", TYPE, "tensor[0].type",
               "type Q4_2 of tensor \"t\" was removed from ggml");
}

/* The description's list of types ends where llama.cpp's does not. */
static void types_that_are_not_described_are_told(void **state)
{
    (void)state;
    for (uint32_t id = 38; id < 43; id++) {
        const ggk_type_info *type = ggk_type_by_id(id);
        struct bytes b = bytes_sound(1, 1);
        struct judged j;
        uint64_t bytes, at;
        put_kv_u32(&b, "general.quantization_version", 2);
        at = b.n + 8 + 1 + 4 + 8;
        put_info(&b, "t", 1, (uint64_t[]){256}, id, 0);
        put_padding(&b, 32);
        if ((type->flags & GGK_TYPE_REMOVED) != 0) {
            bytes_free(&b);
            continue;
        }
        assert_int_equal(
            ggk_type_tensor_bytes(type, (uint64_t[]){256}, 1, &bytes, NULL),
            GGK_OK);
        put_fill(&b, 0, bytes);
        put_padding(&b, 32);
        judge(&j, &b);
        assert_int_equal(j.n, id > 39);
        assert_int_equal(j.verdict.spec[GGK_SEVERITY_NOTE], id > 39);
        assert_int_equal(j.verdict.llama_cpp[GGK_SEVERITY_NONE], id > 39);
        if (id == 40)
            assert_string_equal(j.at[0].what,
                                "type NVFP4 (40) of tensor \"t\" is not "
                                "described");
        if (j.n > 0) {
            assert_string_equal(j.at[0].id, "type-not-described");
            assert_int_equal(j.at[0].offset, at);
            assert_string_equal(j.at[0].where, "tensor[0].type");
        }
    }
}

/* A type that a table knows is no finding, only nothing for the loader; also
 * where a label is compared with it. */
static void types_of_a_table_are_known(void **state)
{
    static const char text[] = "43\tMINE\t32\t4\n41\tOURS\t1\t1\n";
    ggk_open_opts open = {.struct_bytes = sizeof open};
    ggk_check_opts opts = {.struct_bytes = sizeof opts, .open = &open};
    struct bytes b = bytes_sound(2, 2);
    ggk_type_table *table;
    struct judged j = {.n = 0};

    (void)state;
    assert_int_equal(
        ggk_type_table_parse(text, sizeof text - 1, NULL, &table, NULL),
        GGK_OK);
    open.types = table;
    put_kv_u32(&b, "general.file_type", 1);
    put_kv_u32(&b, "general.quantization_version", 2);
    put_info(&b, "t", 2, (uint64_t[]){32, 8}, 43, 0);
    put_info(&b, "u", 1, (uint64_t[]){32}, 41, 32);
    put_padding(&b, 32);
    put_fill(&b, 0, 64);
    assert_int_equal(judge_with(&j, &b, &opts, NULL), GGK_OK);
    assert_int_equal(j.n, 1);
    assert_string_equal(j.at[0].id, "file-type-label");
    assert_string_equal(j.at[0].what,
                        "general.file_type says MOSTLY_F16, but most weights "
                        "of the layers (256 of 256) are MINE");
    assert_int_equal(j.verdict.loads, GGK_LOADS_NOT);
    ggk_type_table_free(table);
    bytes_free(&b);
}

static void rows_of_no_whole_blocks_are_judged(void **state)
{
    struct bytes b = bytes_shaped(1, (uint64_t[]){31}, T_Q4_0, 0, 32);

    (void)state;
    expect_one(&b, "row-not-blocks", NE, "tensor[0].ne[0]", NULL);
    b = bytes_shaped(0, NULL, T_Q4_0, 0, 32);
    expect_one(&b, "row-not-blocks", N_DIMS, "tensor[0].n_dims", NULL);
}

/* ------------------------------------------------------------------ layout */

static void impossible_offsets_are_judged(void **state)
{
    struct bytes b =
        bytes_shaped(1, (uint64_t[]){8}, T_F32, UINT64_MAX - 31, 32);

    (void)state;
    expect_one(&b, "offset-range", OFFSET, "tensor[0].offset", NULL);
    b = bytes_shaped(1, (uint64_t[]){8}, T_F32, UINT64_MAX - 159, 32);
    expect_one(&b, "size-overflow", OFFSET, "tensor[0].offset", NULL);
}

/* Two tensors of 64 bytes at these offsets; data of `n` bytes. */
static struct bytes bytes_pair(uint64_t first, uint64_t second, size_t n)
{
    struct bytes b = bytes_sound(2, 0);

    put_info(&b, "a", 1, (uint64_t[]){16}, T_F32, first);
    put_info(&b, "b", 1, (uint64_t[]){16}, T_F32, second);
    put_padding(&b, 32);
    put_fill(&b, 0, n);
    return b;
}

enum { SECOND_OFFSET = INFO + 33 + 1 + 8 + 4 + 8 + 4, PAIR_DATA = 160 };

static void places_of_tensors_are_judged(void **state)
{
    static const struct expected unaligned[] = {
        {"offset-unaligned", SECOND_OFFSET, "tensor[1].offset",
         "offset 72 is not a multiple of the alignment 32"},
        {"gap", SECOND_OFFSET, "tensor[1].offset",
         "8 bytes between the tensors before and offset 72 belong to none"},
        {"padding-missing", PAIR_DATA + 136, "",
         "the padding at the end lacks 24 bytes"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_pair(0, 64, 128);
    struct judged j;

    (void)state;
    expect_none(&b);
    b = bytes_pair(0, 96, 160);
    expect_one(&b, "gap", SECOND_OFFSET, "tensor[1].offset",
               "32 bytes between the tensors before and offset 96 belong to "
               "none");
    b = bytes_pair(0, 32, 96);
    expect_one(&b, "overlap", SECOND_OFFSET, "tensor[1].offset",
               "the tensor starts at offset 32, before tensor[0] ends at 64");
    b = bytes_pair(64, 0, 128);
    expect_one(&b, "order", SECOND_OFFSET - 33, "tensor[0].offset",
               "the data of tensor[0] comes after that of tensor[1]");
    b = bytes_pair(0, 72, 136);
    judge(&j, &b);
    expect_told(&j, unaligned);
    b = bytes_pair(0, 65, 160);
    judge(&j, &b);
    assert_string_equal(j.at[1].id, "gap");
    assert_string_equal(j.at[1].what, "1 byte between the tensors before and "
                                      "offset 65 belongs to none");
    b = bytes_pair(32, 96, 160);
    expect_one(&b, "gap", SECOND_OFFSET - 33, "tensor[0].offset",
               "32 bytes between the tensors before and offset 32 belong to "
               "none");
}

/* A small one inside a large one, which a third follows. */
static void overlaps_are_found_past_neighbours(void **state)
{
    static const struct expected two[] = {
        {"overlap", INFO + 2 * 33 - 8, "tensor[1].offset",
         "the tensor starts at offset 32, before tensor[0] ends at 256"},
        {"overlap", INFO + 3 * 33 - 8, "tensor[2].offset",
         "the tensor starts at offset 128, before tensor[0] ends at 256"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(3, 0);
    struct judged j;

    (void)state;
    put_info(&b, "a", 1, (uint64_t[]){64}, T_F32, 0);
    put_info(&b, "b", 1, (uint64_t[]){8}, T_F32, 32);
    put_info(&b, "c", 1, (uint64_t[]){8}, T_F32, 128);
    put_padding(&b, 32);
    put_fill(&b, 0, 256);
    judge(&j, &b);
    expect_told(&j, two);
    assert_int_equal(j.verdict.loads, GGK_LOADS_NOT);
}

/* An empty tensor shares no bytes with anyone, wherever it is; but the loader
 * wants it where the one before ends. */
static void empty_tensors_have_their_place(void **state)
{
    static const struct {
        uint64_t offset;
        const char *rule; /* "" for none */
    } cases[] = {{64, ""}, {32, "gap"}, {0, "order"}, {96, "gap"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_sound(2, 0);
        struct judged j;
        put_info(&b, "a", 1, (uint64_t[]){16}, T_F32, 0);
        put_info(&b, "b", 1, (uint64_t[]){0}, T_F32, cases[i].offset);
        put_padding(&b, 32);
        put_fill(&b, 0, cases[i].offset > 64 ? 96 : 64);
        judge(&j, &b);
        assert_int_equal(j.verdict.spec[GGK_SEVERITY_ERROR], 0);
        assert_string_equal(j.n > 0 ? j.at[0].id : "", cases[i].rule);
        assert_int_equal(j.verdict.loads == GGK_LOADS_ALL, j.n == 0);
    }
}

static void missing_data_is_judged(void **state)
{
    static const struct expected reversed[] = {
        {"order", SECOND_OFFSET - 33, "tensor[0].offset",
         "the data of tensor[0] comes after that of tensor[1]"},
        {"data-missing", SECOND_OFFSET - 33, "tensor[0].offset",
         "the data ends at byte 288, the file at 260; the first tensor hit is "
         "\"a\""},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_pair(0, 64, 127);
    struct judged j;

    (void)state;
    expect_one(&b, "data-missing", SECOND_OFFSET, "tensor[1].offset",
               "the data ends at byte 288, the file at 287; the first tensor "
               "hit is \"b\"");
    b = bytes_pair(64, 0, 100);
    judge(&j, &b);
    expect_told(&j, reversed);
    assert_int_equal(j.verdict.loads, GGK_LOADS_NOT);
    b = bytes_pair(0, 64, 127);
    judge(&j, &b);
    assert_int_equal(j.verdict.loads, GGK_LOADS_METADATA);
    b = bytes_shaped(1, (uint64_t[]){8}, 99, 0, 0); /* of unknown size */
    judge(&j, &b);
    assert_int_equal(j.n, 2);
    assert_string_equal(j.at[1].id, "data-missing");
    assert_string_equal(j.at[1].what, "the file ends at byte 128, where the "
                                      "data of \"t\" should begin");
}

/* Five numbers of 20 bytes: 12 bytes of padding. */
static void the_end_of_the_file_is_judged(void **state)
{
    struct bytes b = bytes_shaped(1, (uint64_t[]){5}, T_F32, 0, 20);
    struct judged j;

    (void)state;
    expect_one(&b, "padding-missing", DATA + 20, "",
               "the padding at the end lacks 12 bytes");
    b = bytes_shaped(1, (uint64_t[]){5}, T_F32, 0, 31);
    judge(&j, &b);
    assert_string_equal(j.at[0].what, "the padding at the end lacks 1 byte");
    assert_int_equal(j.verdict.loads, GGK_LOADS_METADATA);
    b = bytes_shaped(1, (uint64_t[]){5}, T_F32, 0, 32);
    expect_none(&b);
    b = bytes_shaped(1, (uint64_t[]){5}, T_F32, 0, 32 + 3000);
    expect_one(&b, "trailing-bytes", DATA + 32, "",
               "3000 bytes after the last tensor");
    b = bytes_shaped(1, (uint64_t[]){5}, T_F32, 0, 32 + 1);
    expect_one(&b, "trailing-bytes", DATA + 32, "",
               "1 byte after the last tensor");
}

static void a_header_without_padding_is_judged(void **state)
{
    struct bytes b = bytes_sound(1, 0);
    struct judged j;

    (void)state;
    put_info(&b, "t", 1, (uint64_t[]){0}, T_F32, 0);
    assert_int_equal(b.n, 98);
    expect_one(&b, "data-start-missing", 98, "",
               "the file ends at byte 98, before the place where its data "
               "starts, byte 128");
    b = bytes_shaped(1, (uint64_t[]){0}, T_F32, 0, 0);
    judge(&j, &b);
    assert_int_equal(j.n, 0);
    assert_int_equal(j.verdict.loads, GGK_LOADS_ALL);
    b = bytes_sound(0, 0); /* no tensors, so no padding either */
    judge(&j, &b);
    assert_int_equal(j.n, 0);
    assert_int_equal(j.verdict.loads, GGK_LOADS_ALL);
}

static void padding_is_judged(void **state)
{
    struct bytes b = bytes_shaped(1, (uint64_t[]){5}, T_F32, 0, 32);
    static const struct expected two[] = {
        {"padding-not-zero", 131, "", "a padding byte is 0xaa, not 0"},
        {"padding-not-zero", 160 + 20, "tensor[0].padding",
         "a padding byte is 0x01, not 0"},
        {"padding-not-zero", 160 + 32 + 31, "",
         "a padding byte is 0x02, not 0"},
        {NULL, 0, NULL, NULL}};
    struct judged j;

    (void)state;
    b.at[DATA + 20] = 0x7f;
    expect_one(&b, "padding-not-zero", DATA + 20, "",
               "a padding byte is 0x7f, not 0");
    b = bytes_sound(2, 0); /* infos up to 131 */
    put_info(&b, "a", 1, (uint64_t[]){5}, T_F32, 0);
    put_info(&b, "b", 1, (uint64_t[]){5}, T_F32, 32);
    put_padding(&b, 32);
    put_fill(&b, 0, 64);
    b.at[131] = 0xaa;
    b.at[160 + 20] = 1;
    b.at[160 + 32 + 31] = 2;
    judge(&j, &b);
    expect_told(&j, two);
}

/* What is no padding need not be zero: the room of an opaque tensor, and gaps
 * that another tensor might fill. */
static void only_padding_is_looked_at(void **state)
{
    struct bytes b = bytes_sound(2, 0);

    (void)state;
    put_info(&b, "a", 1, (uint64_t[]){8}, 43, 0);
    put_info(&b, "b", 1, (uint64_t[]){8}, T_F32, 64);
    put_padding(&b, 32);
    put_fill(&b, 0xff, 96);
    expect_one(&b, "type-unknown", INFO + 8 + 1 + 4 + 8, "tensor[0].type",
               "type 43 of tensor \"a\" is not known");
}

/* Where two begin at one place, the shorter comes first. */
static void tensors_at_one_place_are_sorted(void **state)
{
    static const struct expected all[] = {
        {"order", INFO + 33 - 8, "tensor[0].offset",
         "the data of tensor[0] comes after that of tensor[1]"},
        {"overlap", INFO + 33 - 8, "tensor[0].offset",
         "the tensor starts at offset 0, before tensor[1] ends at 32"},
        {"overlap", INFO + 3 * 33 - 8, "tensor[2].offset",
         "the tensor starts at offset 0, before tensor[0] ends at 64"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(3, 0);
    struct judged j;

    (void)state;
    put_info(&b, "a", 1, (uint64_t[]){16}, T_F32, 0);
    put_info(&b, "b", 1, (uint64_t[]){8}, T_F32, 0);
    put_info(&b, "c", 1, (uint64_t[]){16}, T_F32, 0);
    put_padding(&b, 32);
    put_fill(&b, 0, 64);
    judge(&j, &b);
    expect_told(&j, all);
}

/* A tensor that ends at the last byte there can be, or some before it, so that
 * its padding would end past it. */
static void ends_whose_padding_overflows_have_no_place(void **state)
{
    const uint64_t offset = (UINT64_MAX - DATA) / 32 * 32 - 64;

    (void)state;
    for (uint64_t before = 0; before < 31; before += 30) {
        uint64_t n = UINT64_MAX - DATA - offset - before;
        struct bytes b = bytes_shaped(1, &n, T_I8, offset, 32);
        expect_one(&b, "size-overflow", OFFSET, "tensor[0].offset", NULL);
    }
}

/* Of padding of more than 1 MiB, only that much is looked at. */
static void long_padding_is_looked_at_in_part(void **state)
{
    enum { HEAD = 98, ALIGN = 1 << 22, SEEN = 1 << 20 };

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct bytes b = bytes_sound(1, 1);
        uint64_t align_at = b.n + 8 + 17 + 4, head;
        const struct expected all[] = {
            {"alignment-huge", align_at, "kv[1].value",
             "general.alignment 4194304 is over 1 MiB"},
            {"padding-not-zero", HEAD + 33 + SEEN - 1, "",
             "a padding byte is 0x01, not 0"},
            {NULL, 0, NULL, NULL}};
        struct judged j;
        put_kv_u32(&b, "general.alignment", ALIGN);
        put_info(&b, "t", 1, (uint64_t[]){ALIGN / 4}, T_F32, 0);
        head = b.n;
        assert_int_equal(head, HEAD + 33);
        put_padding(&b, ALIGN);
        put_fill(&b, 0, ALIGN);
        b.at[head + SEEN - (i == 0)] = 1;
        judge(&j, &b);
        if (i == 1)
            j.n++; /* one less was told */
        assert_int_equal(j.n, 2);
        assert_string_equal(j.at[0].id, all[0].id);
        if (i == 0)
            expect_told(&j, all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_judged),
        cmocka_unit_test(lengths_of_names_are_judged),
        cmocka_unit_test(paths_are_told_from_names),
        cmocka_unit_test(numbers_in_names_are_weighed),
        cmocka_unit_test(repeated_names_are_judged),
        cmocka_unit_test(dimensions_are_judged),
        cmocka_unit_test(impossible_sizes_are_judged),
        cmocka_unit_test(types_of_tensors_are_judged),
        cmocka_unit_test(types_that_are_not_described_are_told),
        cmocka_unit_test(types_of_a_table_are_known),
        cmocka_unit_test(rows_of_no_whole_blocks_are_judged),
        cmocka_unit_test(impossible_offsets_are_judged),
        cmocka_unit_test(places_of_tensors_are_judged),
        cmocka_unit_test(overlaps_are_found_past_neighbours),
        cmocka_unit_test(empty_tensors_have_their_place),
        cmocka_unit_test(missing_data_is_judged),
        cmocka_unit_test(the_end_of_the_file_is_judged),
        cmocka_unit_test(a_header_without_padding_is_judged),
        cmocka_unit_test(padding_is_judged),
        cmocka_unit_test(only_padding_is_looked_at),
        cmocka_unit_test(tensors_at_one_place_are_sorted),
        cmocka_unit_test(ends_whose_padding_overflows_have_no_place),
        cmocka_unit_test(long_padding_is_looked_at_in_part),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
