/* test_sum.c - a sum of bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/sum.h"

enum { BYTES = 100 };

static void fill(uint8_t *bytes)
{
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(i * 7 + 3);
}

static uint64_t sum_of(const uint8_t *bytes, size_t n)
{
    struct ggki_sum s;

    ggki_sum_start(&s);
    ggki_sum_add(&s, bytes, n);
    return ggki_sum_end(&s);
}

/* As tests/gen/journal.py computes them. */
static void known_bytes_have_known_sums(void **state)
{
    uint8_t bytes[BYTES] = {0};

    (void)state;
    assert_true(sum_of(bytes, 0) == UINT64_C(0xd694f53c11d605f8));
    assert_true(sum_of(bytes, BYTES) == UINT64_C(0x3605550152125764));
    fill(bytes);
    assert_true(sum_of(bytes, BYTES) == UINT64_C(0xf298df267d0e4b90));
}

static void pieces_do_not_show(void **state)
{
    uint8_t bytes[BYTES];
    struct ggki_sum s;

    (void)state;
    fill(bytes);
    for (size_t a = 0; a <= BYTES; a++)
        for (size_t b = a; b <= BYTES; b++) {
            ggki_sum_start(&s);
            ggki_sum_add(&s, bytes, a);
            ggki_sum_add(&s, bytes + a, b - a);
            ggki_sum_add(&s, bytes + b, BYTES - b);
            assert_true(ggki_sum_end(&s) == sum_of(bytes, BYTES));
        }
}

static void every_bit_counts(void **state)
{
    uint8_t bytes[BYTES];

    (void)state;
    fill(bytes);
    for (size_t n = 1; n <= BYTES; n++) {
        uint64_t sum = sum_of(bytes, n);

        for (size_t bit = 0; bit < 8 * n; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            assert_true(sum_of(bytes, n) != sum);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_bytes_have_known_sums),
        cmocka_unit_test(pieces_do_not_show),
        cmocka_unit_test(every_bit_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
