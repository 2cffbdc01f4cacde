/* test_hop.c - lanes pass over what a plain loop passes over, whatever the
 * bytes are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/hop.h"

#define MOST_BYTES (1u << 20)

static uint64_t random_state;

static uint64_t random_u64(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void put_length(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static uint64_t length_at(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

/* One hop after the other. */
static const uint8_t *oracle_hop(const uint8_t *p, const uint8_t *end,
                                 uint64_t *n)
{
    while (*n > 0 && end - p >= 8 && length_at(p) <= (uint64_t)(end - p) - 8) {
        p += 8 + length_at(p);
        --*n;
    }
    return p;
}

/* How long strings are, and what is in them. */
struct mixture {
    uint64_t modulus; /* lengths are below it */
    int zeros;        /* of ten bytes, how many are 0 */
};

/* Fill `bytes` bytes with strings; returns how many there are. */
static uint64_t fill_strings(uint8_t *at, size_t bytes,
                             const struct mixture *mix)
{
    uint64_t n = 0;
    size_t pos = 0;

    for (;;) {
        uint64_t len = random_u64() % mix->modulus;
        if (bytes - pos < 8 + len)
            break;
        put_length(at + pos, len);
        for (size_t i = 0; i < len; i++)
            at[pos + 8 + i] = random_u64() % 10 < (uint64_t)mix->zeros
                                  ? 0
                                  : (uint8_t)random_u64();
        pos += 8 + (size_t)len;
        n++;
    }
    memset(at + pos, 0xff, bytes - pos);
    return n;
}

static void expect_same(const uint8_t *p, const uint8_t *end, uint64_t n)
{
    uint64_t left = n, wanted_left = n;
    const uint8_t *got = ggki_hop(p, end, &left);
    const uint8_t *wanted = oracle_hop(p, end, &wanted_left);

    assert_int_equal(left, wanted_left);
    assert_ptr_equal(got, wanted);
}

/* All strings, one more than there are, fewer, and with the end cut. */
static void expect_all_same(const uint8_t *at, size_t bytes, uint64_t n)
{
    expect_same(at, at + bytes, n);
    expect_same(at, at + bytes, n + 1);
    expect_same(at, at + bytes, UINT64_MAX);
    for (int i = 0; i < 20; i++) {
        expect_same(at, at + bytes, random_u64() % (n + 1));
        expect_same(at, at + random_u64() % bytes, n);
    }
}

static void lanes_pass_what_a_loop_passes(void **state)
{
    static const struct mixture mixtures[] = {
        {1, 0},    {2, 0},     {16, 0},  {24, 3},   {24, 9},
        {24, 10},  {64, 5},    {300, 0}, {300, 10}, {2000, 9},
        {9000, 0}, {9000, 10}, {8, 10},  {257, 9},  {40000, 9},
    };
    uint8_t *at = malloc(MOST_BYTES);

    (void)state;
    assert_non_null(at);
    random_state = 1;
    for (size_t i = 0; i < sizeof mixtures / sizeof mixtures[0]; i++) {
        for (int round = 0; round < 4; round++) {
            size_t bytes = MOST_BYTES >> round * 2;
            uint64_t n = fill_strings(at, bytes, &mixtures[i]);
            expect_all_same(at, bytes, n);
        }
    }
    free(at);
}

/* A length in the middle that leads nowhere, or somewhere else. */
static void broken_lengths_stop_lanes_where_they_stop_a_loop(void **state)
{
    static const struct mixture mix = {24, 1};
    static const uint64_t lengths[] = {
        0, 1, 255, 256, 8192, 65536, MOST_BYTES, UINT64_MAX, UINT64_MAX - 8};
    uint8_t *at = malloc(MOST_BYTES);

    (void)state;
    assert_non_null(at);
    random_state = 2;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (int round = 0; round < 20; round++) {
            uint64_t n = fill_strings(at, MOST_BYTES / 4, &mix);
            uint64_t hops = random_u64() % n;
            const uint8_t *victim = oracle_hop(at, at + MOST_BYTES / 4, &hops);
            put_length(at + (victim - at), lengths[i]);
            expect_same(at, at + MOST_BYTES / 4, n);
        }
    }
    free(at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_pass_what_a_loop_passes),
        cmocka_unit_test(broken_lengths_stop_lanes_where_they_stop_a_loop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
