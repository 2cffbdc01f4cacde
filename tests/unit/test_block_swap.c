/* test_block_swap.c - which bytes of a block swap: against the fields of
 * docs/format.md 7.4 written another way, against blocks that ggml made in
 * either order, and by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bytes.h"
#include "format/block_swap.h"
#include "ggml_blocks.h"

/* The fields of a block in their order, as Python's struct writes them: b, h,
 * i, q are words of 1, 2, 4, 8 bytes, a number before one repeats it. */
struct fields {
    const char *type;
    const char *format;
};

static const struct fields all_fields[] = {
    {"F32", "i"},
    {"F16", "h"},
    {"Q4_0", "h16b"},
    {"Q4_1", "2h16b"},
    {"Q5_0", "hi16b"},
    {"Q5_1", "2hi16b"},
    {"Q8_0", "h32b"},
    {"Q8_1", "2h32b"},
    {"Q2_K", "16b64b2h"},
    {"Q3_K", "32b64b12bh"},
    {"Q4_K", "2h12b128b"},
    {"Q5_K", "2h12b32b128b"},
    {"Q6_K", "128b64b16bh"},
    {"Q8_K", "i256b16h"},
    {"IQ2_XS", "h32h8b"},
    {"IQ3_XXS", "h64b8i"},
    {"IQ1_S", "h32b8h"},
    {"IQ4_NL", "h16b"},
    {"IQ3_S", "h64b8b32b4b"},
    {"IQ2_S", "h64b8b8b"},
    {"IQ4_XS", "2h4b128b"},
    {"I8", "b"},
    {"I16", "h"},
    {"I32", "i"},
    {"I64", "q"},
    {"F64", "q"},
    {"IQ1_M", "32b16b4h"},
    {"BF16", "h"},
    {"TQ1_0", "48b4bh"},
    {"TQ2_0", "64bh"},
    {"MXFP4", "b16b"},
    {"NVFP4", "4b32b"},
    {"Q1_0", "h16b"},
    {"Q2_0", "h16b"},
};

enum { N_FIELDS = sizeof all_fields / sizeof all_fields[0] };

static size_t width_of(char letter)
{
    switch (letter) {
    case 'b': return 1;
    case 'h': return 2;
    case 'i': return 4;
    case 'q': return 8;
    }
    fail_msg("no field %c", letter);
    return 0;
}

/* Turn every word of the format round; returns the bytes of the block. */
static size_t swap_by_format(const char *format, uint8_t *block)
{
    size_t pos = 0;

    while (*format != '\0') {
        char *letter;
        unsigned long n = strtoul(format, &letter, 10);
        size_t width = width_of(*letter);

        if (letter == format)
            n = 1;
        for (; n > 0; n--, pos += width)
            for (size_t i = 0; i < width / 2; i++) {
                uint8_t byte = block[pos + i];
                block[pos + i] = block[pos + width - 1 - i];
                block[pos + width - 1 - i] = byte;
            }
        format = letter + 1;
    }
    return pos;
}

static size_t from_hex(const char *hex, uint8_t *out)
{
    size_t n = strlen(hex) / 2;

    for (size_t i = 0; i < n; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return n;
}

static const ggk_type_info *type_named(const char *name)
{
    const ggk_type_info *type = ggk_type_by_name(name);

    assert_non_null(type);
    return type;
}

static const struct fields *fields_of(const ggk_type_info *type)
{
    for (size_t i = 0; i < N_FIELDS; i++)
        if (strcmp(all_fields[i].type, type->name) == 0)
            return &all_fields[i];
    return NULL;
}

static void types_that_swap_are_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < ggk_type_count(); i++) {
        const ggk_type_info *type = ggk_type_at(i);
        const struct fields *fields = fields_of(type);
        bool words = fields != NULL && strpbrk(fields->format, "hiq") != NULL;

        assert_int_equal(ggki_can_swap(type), fields != NULL);
        assert_int_equal(ggki_swap_matters(type), words);
        if (fields == NULL && type->block != 0)
            assert_string_equal(type->name, "IQ2_XXS");
    }
    assert_false(ggki_can_swap(NULL));
    assert_false(ggki_swap_matters(NULL));
}

/* Its Q8_0 need not be that of ggml, even if it looks like it. */
static void types_of_tables_do_not_swap(void **state)
{
    static const char text[] = "8 Q8_0 32 34\n135 IQ4_KS 32 18 4\n";
    ggk_type_table *table;
    uint8_t block[34], same[34];

    (void)state;
    assert_int_equal(
        ggk_type_table_parse(text, sizeof text - 1, NULL, &table, NULL),
        GGK_OK);
    for (size_t i = 0; i < sizeof block; i++)
        same[i] = block[i] = (uint8_t)i;
    for (size_t i = 0; i < ggk_type_table_count(table); i++) {
        assert_false(ggki_can_swap(ggk_type_table_at(table, i)));
        assert_false(ggki_swap_matters(ggk_type_table_at(table, i)));
        ggki_swap_blocks(ggk_type_table_at(table, i), block, 1);
        assert_memory_equal(block, same, sizeof block);
    }
    ggki_swap_blocks(type_named("IQ2_XXS"), block, 1);
    ggki_swap_blocks(type_named("Q4_2"), block, 1);
    assert_memory_equal(block, same, sizeof block);
    ggk_type_table_free(table);
}

/* Any number of blocks, beginning at any address; and back again. */
static void blocks_swap_by_their_fields(void **state)
{
    enum { MOST = 70, ROOM = 8 + MOST * 292 + 8 };
    static uint8_t data[ROOM], start[ROOM], wanted[ROOM];
    uint64_t seed = 7;

    (void)state;
    for (size_t i = 0; i < ROOM; i++)
        start[i] = (uint8_t)(bytes_random(&seed) >> 32);
    for (size_t i = 0; i < N_FIELDS * (MOST + 1); i++) {
        const struct fields *fields = &all_fields[i / (MOST + 1)];
        const ggk_type_info *type = type_named(fields->type);
        size_t n = i % (MOST + 1);
        size_t at = i % 8;

        memcpy(data, start, ROOM);
        memcpy(wanted, start, ROOM);
        for (size_t b = 0; b < n; b++)
            assert_int_equal(
                swap_by_format(fields->format, wanted + at + b * type->bytes),
                type->bytes);
        ggki_swap_blocks(type, data + at, n);
        assert_memory_equal(data, wanted, ROOM);
        ggki_swap_blocks(type, data + at, n);
        assert_memory_equal(data, start, ROOM);
    }
}

static void blocks_of_ggml_swap_into_each_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ggml_blocks / sizeof ggml_blocks[0]; i++) {
        const struct ggml_block *made = &ggml_blocks[i];
        const ggk_type_info *type = type_named(made->type);
        uint8_t little[292], big[292];

        assert_int_equal(from_hex(made->little, little), type->bytes);
        assert_int_equal(from_hex(made->big, big), type->bytes);
        if (!ggki_can_swap(type))
            continue;
        ggki_swap_blocks(type, little, 1);
        assert_memory_equal(little, big, type->bytes);
    }
}

static void expect_swapped(const char *type, const char *from, const char *to)
{
    uint8_t data[600], wanted[600];
    size_t n = from_hex(from, data);

    assert_int_equal(from_hex(to, wanted), n);
    assert_int_equal(n % type_named(type)->bytes, 0);
    ggki_swap_blocks(type_named(type), data, n / type_named(type)->bytes);
    assert_memory_equal(data, wanted, n);
}

static void blocks_swap_as_by_hand(void **state)
{
    (void)state;
    expect_swapped("F32",
                   "0000803f"
                   "000000c0"
                   "db0f4940",
                   "3f800000"
                   "c0000000"
                   "40490fdb");
    expect_swapped("F64", "182d4454fb210940", "400921fb54442d18");
    /* d = 1.0, qh, nibbles; d = -2.0 */
    expect_swapped("Q5_0",
                   "003c"
                   "01020304"
                   "101112131415161718191a1b1c1d1e1f"
                   "00c0"
                   "a1b2c3d4"
                   "101112131415161718191a1b1c1d1e1f",
                   "3c00"
                   "04030201"
                   "101112131415161718191a1b1c1d1e1f"
                   "c000"
                   "d4c3b2a1"
                   "101112131415161718191a1b1c1d1e1f");
    expect_swapped("Q4_1",
                   "003c"
                   "0080"
                   "101112131415161718191a1b1c1d1e1f",
                   "3c00"
                   "8000"
                   "101112131415161718191a1b1c1d1e1f");
    expect_swapped("MXFP4", "7f101112131415161718191a1b1c1d1e1f",
                   "7f101112131415161718191a1b1c1d1e1f");
    /* qs, qh, then four words of scales */
    expect_swapped("IQ1_M",
                   "000102030405060708090a0b0c0d0e0f"
                   "101112131415161718191a1b1c1d1e1f"
                   "202122232425262728292a2b2c2d2e2f"
                   "3031"
                   "3233"
                   "3435"
                   "3637",
                   "000102030405060708090a0b0c0d0e0f"
                   "101112131415161718191a1b1c1d1e1f"
                   "202122232425262728292a2b2c2d2e2f"
                   "3130"
                   "3332"
                   "3534"
                   "3736");
}

static void words_swap_in_any_number(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4 * 8 * 40; i++) {
        const size_t width = (size_t)1 << i % 4;
        const size_t at = i / 4 % 8, n = i / 32;
        uint8_t data[8 + 40 * 8 + 8];

        for (size_t k = 0; k < sizeof data; k++)
            data[k] = (uint8_t)k;
        ggki_swap_words(data + at, n, width);
        for (size_t k = 0; k < sizeof data; k++) {
            size_t j = k;
            if (k >= at && k < at + n * width)
                j = k - (k - at) % width + width - 1 - (k - at) % width;
            assert_int_equal(data[k], (uint8_t)j);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_that_swap_are_known),
        cmocka_unit_test(types_of_tables_do_not_swap),
        cmocka_unit_test(blocks_swap_by_their_fields),
        cmocka_unit_test(blocks_of_ggml_swap_into_each_other),
        cmocka_unit_test(blocks_swap_as_by_hand),
        cmocka_unit_test(words_swap_in_any_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
