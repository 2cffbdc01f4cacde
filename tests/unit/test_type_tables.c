/* test_type_tables.c - the tables of share/types, which come with the program.
 *
 * The numbers expected here are worked out by hand from the layouts of the
 * types, so that a slip in a table is seen.
 */
#include "kinds.h"

/* TYPE_TABLES, the folder with the tables, is defined by the build. */

enum { TABLE_TEXT_MAX = 65536 };

static ggk_type_table *shipped_table(const char *name)
{
    static char text[TABLE_TEXT_MAX];
    char path[512];
    ggk_type_table *table;
    ggk_error err;
    FILE *file;
    size_t n;

    snprintf(path, sizeof path, "%s/%s", TYPE_TABLES, name);
    file = fopen(path, "rb");
    assert_non_null(file);
    n = fread(text, 1, sizeof text, file);
    assert_int_equal(ferror(file), 0);
    assert_true(n < sizeof text);
    fclose(file);
    if (ggk_type_table_parse(text, n, NULL, &table, &err) != GGK_OK) {
        print_error("%s, %s: %s\n", path, err.where, err.what);
        fail();
    }
    return table;
}

static const ggk_type_info *shipped_type(const ggk_type_table *table,
                                         const char *name)
{
    const ggk_type_info *found = NULL;

    for (size_t i = 0; i < ggk_type_table_count(table); i++) {
        const ggk_type_info *type = ggk_type_table_at(table, i);
        if (strcmp(type->name, name) != 0)
            continue;
        assert_null(found); /* one name, one type */
        found = type;
    }
    return found;
}

static void all_shipped_tables_are_read(void **state)
{
    DIR *dir = opendir(TYPE_TABLES);
    const struct dirent *entry;
    size_t n_tables = 0;

    (void)state;
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        ggk_type_table *table;
        if (entry->d_name[0] == '.')
            continue;
        table = shipped_table(entry->d_name);
        assert_true(ggk_type_table_count(table) > 0);
        for (size_t i = 0; i < ggk_type_table_count(table); i++) {
            const ggk_type_info *type = ggk_type_table_at(table, i);
            assert_ptr_equal(shipped_type(table, type->name), type);
        }
        ggk_type_table_free(table);
        n_tables++;
    }
    closedir(dir);
    assert_true(n_tables >= 2);
}

/* A type, and the bytes of a row of 4096 elements. */
struct shipped {
    uint32_t id;
    const char *name;
    uint64_t row_bytes;
};

static void expect_types(const ggk_type_table *table,
                         const struct shipped *expected, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const ggk_type_info *type = shipped_type(table, expected[i].name);
        uint64_t bytes;

        assert_non_null(type);
        assert_int_equal(type->id, expected[i].id);
        assert_int_equal(ggk_type_row_bytes(type, 4096, &bytes, NULL), GGK_OK);
        assert_int_equal(bytes, expected[i].row_bytes);
    }
}

/* What a row has besides, and its blocks. */
static void types_of_ik_llama_have_their_sizes(void **state)
{
    static const struct shipped expected[] = {
        {31, "Q4_0_4_4", 128 * (2 + 16)},
        {32, "Q4_0_4_8", 128 * (2 + 16)},
        {33, "Q4_0_8_8", 128 * (2 + 16)},
        {41, "Q1_0_G128", 32 * (2 + 16)},
        {97, "Q8_0_X4", 128 * (2 + 32)},
        {98, "Q8_1_X4", 128 * (2 + 2 + 32)},
        {99, "Q8_2_X4", 128 * (2 + 2 + 32)},
        {133, "Q6_0", 128 * (2 + 8 + 16)},
        {134, "IQ1_BN", 2 + 64 * (12 + 1)},
        {135, "IQ2_BN", 4 + 64 * 16},
        {136, "Q8_K64", 64 * (4 + 64)},
        {137, "IQ2_K", 16 * (2 + 2 + 8 + 64)},
        {138, "IQ3_K", 16 * (2 + 2 + 2 + 8 + 64 + 32)},
        {139, "IQ4_K", 16 * (2 + 2 + 4 + 8 + 128)},
        {140, "IQ5_K", 16 * (2 + 2 + 4 + 8 + 128 + 32)},
        {141, "IQ6_K", 16 * (2 + 2 + 16 + 128 + 64)},
        {144, "IQ4_KS", 4 + 16 * (8 + 128)},
        {145, "IQ2_KS", 2 + 16 * (2 + 4 + 64)},
        {146, "IQ4_KSS", 4 + 16 * 128},
        {147, "Q8_K16", 20 + 4096},
        {148, "Q8_K32", 16 * (4 + 4 + 256 + 32)},
        {149, "Q8_KR8", 16 * (4 + 4 + 256 + 32)},
        {150, "Q8_K128", 32 * (4 + 8 + 128)},
        {151, "Q8_KV", 8 + 4096},
        {152, "IQ5_KS", 4 + 16 * (8 + 128 + 32)},
        {153, "IQ2_KT", 4 + 16 * (4 + 64)},
        {154, "IQ3_KT", 4 + 16 * (4 + 64 + 32)},
        {155, "IQ4_KT", 4 + 16 * 128},
        {156, "IQ3_KS", 2 + 16 * (2 + 4 + 64 + 32)},
        {157, "IQ2_KL", 2 + 16 * (2 + 4 + 64 + 16)},
        {158, "IQ1_KT", 4 + 16 * (8 + 32 + 16)},
        {219, "IQ1_S_R4", 2 + 128 * (4 + 2)},
        {229, "IQ1_M_R4", 2 + 128 * (4 + 2 + 1)},
        {397, "Q8_K_R16", 16 * (2 + 256)},
        {398, "Q8_KV_R8", 4 + 4096},
        {399, "Q8_K_R8", 16 * (2 + 256)},
    };
    ggk_type_table *table = shipped_table("ik_llama.tsv");

    (void)state;
    expect_types(table, expected, sizeof expected / sizeof expected[0]);
    ggk_type_table_free(table);
}

static void types_of_turboquant_have_their_sizes(void **state)
{
    static const struct shipped expected[] = {
        {45, "TQ3_1S", 128 * (2 + 2 + 12)},
        {46, "TQ4_1S", 128 * (2 + 2 + 16)},
        {48, "Q8_CR", 16 * 8 * (2 + 32)},
        {49, "Q5_CR", 16 * 8 * (2 + 4 + 16)},
        {50, "Q6_CR", 16 * (128 + 64 + 16 + 2)},
    };
    ggk_type_table *table = shipped_table("turboquant.tsv");

    (void)state;
    assert_int_equal(ggk_type_table_count(table),
                     sizeof expected / sizeof expected[0]);
    expect_types(table, expected, sizeof expected / sizeof expected[0]);
    ggk_type_table_free(table);
}

/* Interleaving changes where the bytes of a row lie, not how many there are.
 * Five types lay out their blocks anew, and are among those above. */
static void interleaved_types_are_as_large_as_plain_ones(void **state)
{
    static const struct shipped expected[] = {
        {202, "Q4_0_R8", 0},   {206, "Q5_0_R4", 0},    {208, "Q8_0_R8", 0},
        {210, "Q2_K_R4", 0},   {211, "Q3_K_R4", 0},    {212, "Q4_K_R4", 0},
        {213, "Q5_K_R4", 0},   {214, "Q6_K_R4", 0},    {216, "IQ2_XXS_R4", 0},
        {217, "IQ2_XS_R4", 0}, {218, "IQ3_XXS_R4", 0}, {220, "IQ4_NL_R4", 0},
        {221, "IQ3_S_R4", 0},  {222, "IQ2_S_R4", 0},   {223, "IQ4_XS_R8", 0},
        {230, "BF16_R16", 0},  {233, "Q6_0_R4", 0},    {335, "IQ2_BN_R4", 0},
        {337, "IQ2_K_R4", 0},  {338, "IQ3_K_R4", 0},   {339, "IQ4_K_R4", 0},
        {340, "IQ5_K_R4", 0},  {344, "IQ4_KS_R4", 0},  {352, "IQ5_KS_R4", 0},
        {353, "MXFP4_R8", 0},
    };
    ggk_type_table *table = shipped_table("ik_llama.tsv");

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const ggk_type_info *type = shipped_type(table, expected[i].name);
        const ggk_type_info *plain;
        char name[32] = "";

        assert_non_null(type);
        assert_int_equal(type->id, expected[i].id);
        memcpy(name, type->name,
               (size_t)(strstr(type->name, "_R") - type->name));
        plain = shipped_type(table, name);
        if (plain == NULL)
            plain = ggk_type_by_name(name);
        assert_non_null(plain);
        assert_int_equal(type->block, plain->block);
        assert_int_equal(type->bytes, plain->bytes);
        assert_int_equal(type->row_extra, plain->row_extra);
    }
    ggk_type_table_free(table);
}

/* Two tensors, the second where the first, padded, ends: its bytes are 0xbb,
 * those of the first 0xaa. */
static struct bytes two_tensors(uint32_t type, size_t first_bytes)
{
    struct bytes b = bytes_llama(2);
    size_t padded = (first_bytes + 31) / 32 * 32;

    put_info(&b, "a", 2, (uint64_t[]){256, 4}, type, 0);
    put_info(&b, "b", 1, (uint64_t[]){8}, T_F32, padded);
    put_padding(&b, 32);
    put_fill(&b, 0xaa, first_bytes);
    put_fill(&b, 0, padded - first_bytes);
    put_fill(&b, 0xbb, 32);
    return b;
}

/* The first tensor has `bytes` bytes: `n` of 0xaa, and then padding. */
static void expect_first(const struct bytes *b, const ggk_type_table *table,
                         uint64_t bytes, size_t n, bool opaque)
{
    ggk_open_opts opts = no_opts();
    uint8_t data[1024];
    ggk_model *model;
    ggk_tensor t;

    opts.types = table;
    assert_int_equal(kind_open(KIND_MEMORY, b, &opts, &model, NULL), GGK_OK);
    assert_int_equal(ggk_model_tensor(model, 0, &t, NULL), GGK_OK);
    assert_int_equal(t.bytes, bytes);
    assert_int_equal(t.opaque, opaque);
    assert_int_equal(
        ggk_model_read_tensor(model, 0, 0, data, (size_t)bytes, NULL), GGK_OK);
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(data[i], i < n ? 0xaa : 0);
    assert_int_equal(ggk_model_read_tensor(model, 0, bytes, data, 1, NULL),
                     GGK_E_RANGE);
    assert_int_equal(ggk_model_read_tensor(model, 1, 0, data, 32, NULL),
                     GGK_OK);
    for (size_t i = 0; i < 32; i++)
        assert_int_equal(data[i], 0xbb);
    ggk_model_close(model);
}

/* Four rows of IQ4_KS, 4 bytes and a block of 136 each. Without a table, the
 * tensor reaches up to the next one, and nothing of it is lost. */
static void rows_of_a_fork_are_sized_exactly(void **state)
{
    ggk_type_table *table = shipped_table("ik_llama.tsv");
    struct bytes b = two_tensors(144, 560);

    (void)state;
    expect_first(&b, table, 560, 560, false);
    expect_first(&b, NULL, 576, 560, true);
    bytes_free(&b);
    ggk_type_table_free(table);
}

/* I2_S, 2 bits per element and 32 bytes at the end: no table can say so, and
 * with this one, too, the tensor reaches up to the next. */
static void tensors_with_a_tail_are_kept_whole(void **state)
{
    ggk_type_table *table = shipped_table("ik_llama.tsv");
    struct bytes b = two_tensors(36, 256 + 32);

    (void)state;
    expect_first(&b, table, 288, 288, true);
    expect_first(&b, NULL, 288, 288, true);
    bytes_free(&b);
    ggk_type_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_shipped_tables_are_read),
        cmocka_unit_test(types_of_ik_llama_have_their_sizes),
        cmocka_unit_test(types_of_turboquant_have_their_sizes),
        cmocka_unit_test(interleaved_types_are_as_large_as_plain_ones),
        cmocka_unit_test(rows_of_a_fork_are_sized_exactly),
        cmocka_unit_test(tensors_with_a_tail_are_kept_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
