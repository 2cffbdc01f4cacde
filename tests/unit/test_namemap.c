/* test_namemap.c - entries by name, repeated names, hostile names. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <setjmp.h>
#include <time.h>

#include <cmocka.h>

#include "base/namemap.h"
#include "bytes.h"
#include "ledger.h"

static const uint64_t zero_seed[2] = {0, 0};

/* An owner of names, which counts how often it is asked. */
struct name_list {
    const ggk_str *names;
    uint64_t n;
    uint64_t broken; /* the entry whose name cannot be had */
    uint64_t asked;
};

static bool name_in_list(const void *owner, uint64_t i, ggk_str *out)
{
    /* The map takes its owner as const; this one counts. */
    struct name_list *list = *(struct name_list *const *)owner;

    list->asked++;
    assert_true(i < list->n);
    if (i == list->broken)
        return false;
    *out = list->names[i];
    return true;
}

/* A map of names under a seed, and what it got its memory from. */
struct map_fixture {
    struct name_list list;
    struct name_list *owner;
    struct ggki_namemap map;
    struct ledger ledger;
    ggk_allocator mem;
};

static ggk_status map_build(struct map_fixture *f, const ggk_str *names,
                            uint64_t n, const uint64_t seed[2])
{
    memset(f, 0, sizeof *f);
    f->list = (struct name_list){names, n, GGK_NONE, 0};
    f->owner = &f->list;
    f->mem = ledger_allocator(&f->ledger);
    return ggki_namemap_build(&f->map, &f->mem, seed, n, name_in_list,
                              &f->owner);
}

static void map_free(struct map_fixture *f)
{
    ggki_namemap_free(&f->map, &f->mem);
    assert_true(ledger_is_even(&f->ledger));
}

static void expect_find(const struct map_fixture *f, ggk_str name,
                        uint64_t entry, bool repeats)
{
    bool got_repeats = !repeats;

    assert_int_equal(ggki_namemap_find(&f->map, &f->owner, name, &got_repeats),
                     entry);
    assert_int_equal(got_repeats, repeats);
}

static void empty_map_finds_nothing(void **state)
{
    struct map_fixture f;
    bool repeats = true;

    (void)state;
    assert_int_equal(map_build(&f, NULL, 0, zero_seed), GGK_OK);
    expect_find(&f, ggk_cstr(""), GGK_NONE, false);
    expect_find(&f, ggk_cstr("a"), GGK_NONE, false);
    map_free(&f);
    /* Nor does one that was freed. */
    assert_int_equal(
        ggki_namemap_find(&f.map, &f.owner, ggk_cstr("a"), &repeats), GGK_NONE);
    assert_false(repeats);
}

/* Names of every length up to past a block of the hash, all different. */
static void names_of_every_length_are_found(void **state)
{
    enum { N = 40 };
    char text[N + 1];
    ggk_str names[N];
    struct map_fixture f;

    (void)state;
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < N; i++)
        names[i] = (ggk_str){text, i};
    assert_int_equal(map_build(&f, names, N, zero_seed), GGK_OK);
    for (size_t i = 0; i < N; i++)
        expect_find(&f, names[i], i, false);
    expect_find(&f, (ggk_str){text, N}, GGK_NONE, false);
    assert_int_equal(f.map.n_repeats, 0);
    map_free(&f);
}

static void repeats_are_counted_and_the_first_is_found(void **state)
{
    const ggk_str names[] = {ggk_cstr("a"), ggk_cstr("b"), ggk_cstr("a"),
                             ggk_cstr("c"), ggk_cstr("a"), ggk_cstr("b")};
    struct map_fixture f;

    (void)state;
    assert_int_equal(map_build(&f, names, 6, zero_seed), GGK_OK);
    expect_find(&f, ggk_cstr("a"), 0, true);
    expect_find(&f, ggk_cstr("b"), 1, true);
    expect_find(&f, ggk_cstr("c"), 3, false);
    expect_find(&f, ggk_cstr("d"), GGK_NONE, false);
    assert_int_equal(f.map.n_repeats, 3);
    map_free(&f);
}

/* Names are compared byte by byte; one NUL at the end does not count. */
static void one_final_nul_does_not_count(void **state)
{
    const ggk_str names[] = {
        {"a\0", 2}, {"b", 1}, {"c\0\0", 3}, {"\0", 1}, {"d\0x", 3}};
    struct map_fixture f;

    (void)state;
    assert_int_equal(map_build(&f, names, 5, zero_seed), GGK_OK);
    expect_find(&f, ggk_cstr("a"), 0, false);
    expect_find(&f, ggk_cstr("b"), 1, false);
    expect_find(&f, ggk_cstr("c"), GGK_NONE, false);
    expect_find(&f, (ggk_str){"c\0\0", 3}, 2, false);
    expect_find(&f, ggk_cstr(""), 3, false);
    expect_find(&f, (ggk_str){NULL, 0}, 3, false);
    expect_find(&f, ggk_cstr("d"), GGK_NONE, false);
    expect_find(&f, (ggk_str){"d\0x", 3}, 4, false);
    map_free(&f);
}

static void name_and_name_with_nul_repeat(void **state)
{
    const ggk_str names[] = {{"a", 1}, {"a\0", 2}};
    struct map_fixture f;

    (void)state;
    assert_int_equal(map_build(&f, names, 2, zero_seed), GGK_OK);
    expect_find(&f, ggk_cstr("a"), 0, true);
    assert_int_equal(f.map.n_repeats, 1);
    map_free(&f);
}

enum { MANY = 100000 };

/* "name.<number>" MANY times; both results are to be freed. */
static ggk_str *make_names(char **text)
{
    ggk_str *names = calloc(MANY, sizeof *names);
    char *p = malloc((size_t)MANY * 16);

    assert_non_null(names);
    assert_non_null(p);
    *text = p;
    for (size_t i = 0; i < MANY; i++, p += 16)
        names[i] = (ggk_str){p, (size_t)snprintf(p, 16, "name.%zu", i)};
    return names;
}

static void many_names_are_found_with_few_questions(void **state)
{
    char *text;
    ggk_str *names = make_names(&text);
    struct map_fixture f;
    uint64_t seed[2];

    (void)state;
    ggki_namemap_random_seed(seed);
    assert_int_equal(map_build(&f, names, MANY, seed), GGK_OK);
    /* Once for each entry, and next to never for another's name. */
    assert_in_range(f.list.asked, MANY, MANY + MANY / 100);
    f.list.asked = 0;
    for (size_t i = 0; i < MANY; i++)
        expect_find(&f, names[i], i, false);
    assert_in_range(f.list.asked, MANY, MANY + MANY / 100);
    assert_int_equal(f.map.n_repeats, 0);
    /* At most 24 bytes of memory an entry. */
    assert_true(f.ledger.peak <= 24 * (size_t)MANY + 64);
    map_free(&f);
    free(names);
    free(text);
}

/* SipHash-1-3 once more, to choose names with. */
static uint64_t rotated(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static void oracle_round(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d)
{
    *a += *b;
    *b = rotated(*b, 13) ^ *a;
    *a = rotated(*a, 32);
    *c += *d;
    *d = rotated(*d, 16) ^ *c;
    *a += *d;
    *d = rotated(*d, 21) ^ *a;
    *c += *b;
    *b = rotated(*b, 17) ^ *c;
    *c = rotated(*c, 32);
}

static uint64_t oracle_hash(const uint64_t key[2], ggk_str s)
{
    uint64_t a = key[0] ^ UINT64_C(0x736f6d6570736575);
    uint64_t b = key[1] ^ UINT64_C(0x646f72616e646f6d);
    uint64_t c = key[0] ^ UINT64_C(0x6c7967656e657261);
    uint64_t d = key[1] ^ UINT64_C(0x7465646279746573);

    for (size_t i = 0; i <= s.len; i += 8) {
        uint64_t word = i + 8 <= s.len ? 0 : (uint64_t)s.len << 56;
        for (size_t j = 0; j < 8 && i + j < s.len; j++)
            word |= (uint64_t)(uint8_t)s.ptr[i + j] << 8 * j;
        d ^= word;
        oracle_round(&a, &b, &c, &d);
        a ^= word;
    }
    c ^= 0xff;
    for (int i = 0; i < 3; i++)
        oracle_round(&a, &b, &c, &d);
    return a ^ b ^ c ^ d;
}

/* What another implementation, Python's hash() of bytes, makes of names under
 * the key 0. */
static void hash_is_siphash_1_3(void **state)
{
    static const struct {
        const char *name;
        uint64_t hash;
    } known[] = {
        {"a", UINT64_C(0x407448d2b89b1813)},
        {"12345678", UINT64_C(0x3489982430560a87)},
        {"general.alignment", UINT64_C(0xfa9898965a74d31c)},
        {"blk.0.attn_q.weight", UINT64_C(0x3c25d18d28a94307)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        ggk_str name = ggk_cstr(known[i].name);
        struct map_fixture f;
        const uint32_t *slots; /* pairs: upper half of the hash, entry + 1 */
        size_t slot;

        assert_int_equal(oracle_hash(zero_seed, name), known[i].hash);
        assert_int_equal(map_build(&f, &name, 1, zero_seed), GGK_OK);
        slots = (const void *)f.map.slots;
        slot = (size_t)((known[i].hash & UINT32_MAX) * f.map.n_slots >> 32);
        assert_int_equal(slots[2 * slot], known[i].hash >> 32);
        assert_int_equal(slots[2 * slot + 1], 1);
        map_free(&f);
    }
}

/* Under a known seed names can be chosen that all want the same slot, the last
 * of the table. */
static void names_that_collide_are_told_apart(void **state)
{
    enum { N = 500, SLOTS = 499 + 249 + 2 };
    static const uint64_t seed[2] = {1, 2};
    static char text[N][16];
    ggk_str names[N];
    struct map_fixture f;
    size_t n = 0;

    (void)state;
    for (int i = 0; n < N; i++) {
        int len = snprintf(text[n], sizeof text[n], "k%d", i);
        names[n] = (ggk_str){text[n], (size_t)len};
        if ((oracle_hash(seed, names[n]) & UINT32_MAX) * SLOTS >> 32 ==
            SLOTS - 1)
            n++;
    }
    assert_int_equal(map_build(&f, names, N - 1, seed), GGK_OK);
    assert_int_equal(f.map.n_slots, SLOTS);
    for (size_t i = 0; i + 1 < N; i++)
        expect_find(&f, names[i], i, false);
    expect_find(&f, names[N - 1], GGK_NONE, false);
    map_free(&f);
}

static void seeds_differ_from_one_another(void **state)
{
    uint64_t a[2], b[2];

    (void)state;
    ggki_namemap_random_seed(a);
    for (int i = 0; i < 100; i++) {
        struct timespec pause = {0, 1000};
        nanosleep(&pause, NULL);
        ggki_namemap_random_seed(b);
        assert_true(a[0] != b[0] && a[1] != b[1]);
        memcpy(a, b, sizeof a);
    }
}

static void no_memory_leaves_an_empty_map(void **state)
{
    const ggk_str name = ggk_cstr("a");
    struct map_fixture f = {.ledger = {.fail_at = 1}};
    bool repeats;

    (void)state;
    f.list = (struct name_list){&name, 1, GGK_NONE, 0};
    f.owner = &f.list;
    f.mem = ledger_allocator(&f.ledger);
    assert_int_equal(ggki_namemap_build(&f.map, &f.mem, zero_seed, 1,
                                        name_in_list, &f.owner),
                     GGK_E_NOMEM);
    assert_int_equal(ggki_namemap_find(&f.map, &f.owner, name, &repeats),
                     GGK_NONE);
    assert_int_equal(f.list.asked, 0);
    map_free(&f);
}

/* A name that cannot be had: while the map is built, and later. */
static void broken_name_is_a_change(void **state)
{
    const ggk_str names[] = {ggk_cstr("a"), ggk_cstr("b"), ggk_cstr("c")};
    struct map_fixture f;

    (void)state;
    assert_int_equal(map_build(&f, names, 3, zero_seed), GGK_OK);
    f.list.broken = 1;
    expect_find(&f, names[0], 0, false);
    expect_find(&f, names[1], GGK_NONE, false);
    expect_find(&f, names[2], 2, false);
    map_free(&f);

    memset(&f, 0, sizeof f);
    f.list = (struct name_list){names, 3, 2, 0};
    f.owner = &f.list;
    f.mem = ledger_allocator(&f.ledger);
    assert_int_equal(ggki_namemap_build(&f.map, &f.mem, zero_seed, 3,
                                        name_in_list, &f.owner),
                     GGK_E_CHANGED);
    assert_true(ledger_is_even(&f.ledger));
    expect_find(&f, names[0], GGK_NONE, false);
}

static void names_are_added_one_by_one(void **state)
{
    enum { N = 1000 };
    static char text[N][8];
    static ggk_str names[N];
    struct map_fixture f;
    bool repeats;

    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(text[i], sizeof text[i], "k%d", i % (N - 1));
        names[i] = ggk_cstr(text[i]);
    }
    assert_int_equal(map_build(&f, names, 0, zero_seed), GGK_OK);
    f.list.n = N;
    for (uint64_t i = 0; i < N; i++) {
        assert_int_equal(
            ggki_namemap_find(&f.map, &f.owner, names[i], &repeats),
            i < N - 1 ? GGK_NONE : 0);
        assert_int_equal(ggki_namemap_add(&f.map, &f.mem, i, &f.owner), GGK_OK);
    }
    for (uint64_t i = 0; i < N; i++) {
        assert_int_equal(
            ggki_namemap_find(&f.map, &f.owner, names[i], &repeats),
            i % (N - 1));
        assert_int_equal(repeats, i % (N - 1) == 0);
    }
    assert_int_equal(f.map.n_repeats, 1);
    map_free(&f);
}

/* Neither no memory nor a name that cannot be had spoils what is in. */
static void map_that_cannot_grow_stays(void **state)
{
    enum { N = 100 };
    char text[N][8];
    ggk_str names[N];
    struct map_fixture f;
    bool repeats;
    unsigned refused = 0;

    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(text[i], sizeof text[i], "k%d", i);
        names[i] = ggk_cstr(text[i]);
    }
    assert_int_equal(map_build(&f, names, 0, zero_seed), GGK_OK);
    f.list.n = N;
    for (uint64_t i = 0; i < N; i++) {
        f.ledger.fail_at = f.ledger.calls + 1;
        if (ggki_namemap_add(&f.map, &f.mem, i, &f.owner) == GGK_OK)
            continue; /* there was room */
        refused++;
        f.list.broken = i / 2;
        f.ledger.fail_at = 0;
        assert_int_equal(ggki_namemap_add(&f.map, &f.mem, i, &f.owner),
                         GGK_E_CHANGED);
        f.list.broken = GGK_NONE;
        for (uint64_t k = 0; k < i; k++)
            assert_int_equal(
                ggki_namemap_find(&f.map, &f.owner, names[k], &repeats), k);
        assert_int_equal(ggki_namemap_add(&f.map, &f.mem, i, &f.owner), GGK_OK);
    }
    assert_in_range(refused, 3, 10);
    map_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_map_finds_nothing),
        cmocka_unit_test(names_of_every_length_are_found),
        cmocka_unit_test(repeats_are_counted_and_the_first_is_found),
        cmocka_unit_test(one_final_nul_does_not_count),
        cmocka_unit_test(name_and_name_with_nul_repeat),
        cmocka_unit_test(many_names_are_found_with_few_questions),
        cmocka_unit_test(hash_is_siphash_1_3),
        cmocka_unit_test(names_that_collide_are_told_apart),
        cmocka_unit_test(seeds_differ_from_one_another),
        cmocka_unit_test(no_memory_leaves_an_empty_map),
        cmocka_unit_test(names_are_added_one_by_one),
        cmocka_unit_test(map_that_cannot_grow_stays),
        cmocka_unit_test(broken_name_is_a_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
