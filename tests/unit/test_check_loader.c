/* test_check_loader.c - what check foretells of llama.cpp's loader: that it
 * takes shapes whose sizes wrap around, refuses others, and why. */
#include "judge.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kinds.h"
#include "model/check.h"

#define GIB ((uint64_t)1 << 30)

/* What is foretold of the bytes, which are then freed. */
static void expect_loads(struct bytes *b, ggk_loads loads, const char *reason)
{
    struct judged j;

    judge(&j, b);
    if (j.verdict.loads != loads || strcmp(j.verdict.reason, reason) != 0)
        fail_msg("%d, \"%s\", not %d, \"%s\"", (int)j.verdict.loads,
                 j.verdict.reason, (int)loads, reason);
}

/* ------------------------------------------------------------------ shapes */

/* A tensor of 64 bytes may stand before that of this shape; 64 bytes of data.
 */
static struct bytes bytes_wrapping(bool second, const uint64_t *ne,
                                   uint32_t type)
{
    struct bytes b = bytes_sound(second ? 2 : 1, 0);

    if (second)
        put_info(&b, "first", 1, (uint64_t[]){16}, T_F32, 0);
    put_info(&b, "t", 4, ne, type, second ? 64 : 0);
    put_padding(&b, 32);
    put_fill(&b, 0, 64);
    return b;
}

/* Shapes of up to 2^64 bytes and more that the loader takes for small ones. */
static void shapes_that_wrap_are_taken(void **state)
{
    static const struct {
        uint64_t ne[4];
        uint32_t type;
        bool second;
        const char *rule;
    } cases[] = {
        {{UINT64_C(1) << 32, UINT64_C(1) << 32, 1, 1},
         T_I8,
         false,
         "size-overflow"},
        {{INT64_MAX, 2, 1, 1}, T_I8, false, "size-overflow"},
        {{(UINT64_C(1) << 62) - 1, 1, 1, 1}, T_F32, false, "size-overflow"},
        {{(UINT64_C(1) << 61) - 1, 1, 1, 1}, T_F64, false, "size-overflow"},
        {{4, (1u << 30) - 1, (1u << 30) + 1, 1}, T_F32, true, "size-overflow"},
        {{0, UINT64_C(1) << 62, UINT64_C(1) << 62, UINT64_C(1) << 62},
         T_F32,
         false,
         "size-overflow"},
        {{UINT64_C(1024819115206086208), 1, 1, 1},
         T_Q4_0,
         false,
         "data-missing"},
        {{UINT64_C(542551296285575072), 1, 1, 1},
         T_Q8_0,
         false,
         "data-missing"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b =
            bytes_wrapping(cases[i].second, cases[i].ne, cases[i].type);
        struct judged j;
        judge(&j, &b);
        assert_int_equal(j.verdict.loads, GGK_LOADS_ALL);
        assert_string_equal(j.verdict.reason, "");
        assert_string_equal(j.at[0].id, cases[i].rule);
        assert_true(j.verdict.spec[GGK_SEVERITY_ERROR] > 0);
        assert_true(j.verdict.llama_cpp[GGK_SEVERITY_ERROR] > 0);
    }
}

/* Its guard works where the product of the dimensions wraps to a positive
 * number: by the first two, three or all of them. */
static void shapes_are_refused_where_the_guard_works(void **state)
{
    static const uint64_t shapes[][4] = {
        {(UINT64_C(1) << 62) + 1, 8, 1, 1},
        {UINT64_C(1) << 31, UINT64_C(1) << 31, 5, 1},
        {UINT64_C(1) << 31, UINT64_C(1) << 31, 1, 5},
    };
    struct bytes b;

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        b = bytes_wrapping(false, shapes[i], T_I8);
        expect_loads(&b, GGK_LOADS_NOT, "the elements of tensor 0 overflow");
    }
    b = bytes_wrapping(false, (uint64_t[]){INT64_MAX - 1, 1, 1, 1}, T_F32);
    expect_loads(&b, GGK_LOADS_NOT, "the bytes of tensor 0 overflow");
    b = bytes_wrapping(false, (uint64_t[]){UINT64_MAX, 1, 1, 1}, T_F32);
    expect_loads(&b, GGK_LOADS_NOT, "a dimension of tensor 0 is negative");
    b = bytes_wrapping(false, (uint64_t[]){31, 1, 1, 1}, T_Q8_0);
    expect_loads(&b, GGK_LOADS_NOT, "the rows of tensor 0 are no whole blocks");
}

/* Two halves of all bytes there can be fit, and nothing after them. */
static void sums_are_refused_that_overflow(void **state)
{
    const uint64_t half = UINT64_C(0x7fffffffffffffc0);

    (void)state;
    for (uint64_t n = 2; n <= 3; n++) {
        struct bytes b = bytes_sound(n, 0);
        for (uint64_t i = 0; i < n; i++)
            put_info(&b,
                     i == 0   ? "a"
                     : i == 1 ? "b"
                              : "c",
                     1, (uint64_t[]){i < 2 ? half : 256}, T_I8, i * half);
        put_padding(&b, 32);
        put_fill(&b, 0, 32);
        if (n == 2)
            expect_loads(&b, GGK_LOADS_METADATA,
                         "the file is too short for the data and its padding");
        else
            expect_loads(&b, GGK_LOADS_NOT,
                         "the data up to tensor 2 overflows");
    }
}

/* It looks at places when it has all infos: an info that is refused is the
 * reason, also where one before it is misplaced. */
static void infos_are_looked_at_before_places(void **state)
{
    (void)state;
    for (int broken = 0; broken < 2; broken++) {
        struct bytes b = bytes_sound(3, 0);
        put_info(&b, "a", 1, (uint64_t[]){8}, T_F32, 32);
        put_info(&b, "b", 1, (uint64_t[]){8}, T_F32, 64);
        put_info(&b, "c", 1, (uint64_t[]){8}, broken ? 99 : T_F32, 96);
        put_padding(&b, 32);
        put_fill(&b, 0, 128);
        expect_loads(&b, GGK_LOADS_NOT,
                     broken ? "the type of tensor 2 is not known"
                            : "tensor 0 does not start where the one before "
                              "ends");
    }
}

/* ------------------------------------------------------------------- names */

/* A file of keys of so many bytes of "k\0k"... each. */
static struct bytes bytes_keyed(const size_t *lens, size_t n)
{
    struct bytes b = bytes_sound(0, n);

    for (size_t i = 0; i < n; i++) {
        put_str_n(&b, "k\0", lens[i]);
        put_u32(&b, V_U8);
        put_u8(&b, 0);
    }
    return b;
}

/* Only the same bytes are the same key: we also take "k" and "k\0" for one. */
static void keys_are_compared_to_the_last_byte(void **state)
{
    struct bytes b = bytes_keyed((size_t[]){1, 2}, 2);

    (void)state;
    expect_loads(&b, GGK_LOADS_ALL, "");
    b = bytes_keyed((size_t[]){2, 1, 2}, 3);
    expect_loads(&b, GGK_LOADS_NOT, "key 3 is a duplicate");
    b = bytes_keyed((size_t[]){1, 2, 2}, 3);
    expect_loads(&b, GGK_LOADS_NOT, "key 3 is a duplicate");
    b = bytes_keyed((size_t[]){1, 1}, 2);
    expect_loads(&b, GGK_LOADS_NOT, "key 2 is a duplicate");
    b = bytes_keyed((size_t[]){0, 0}, 2);
    expect_loads(&b, GGK_LOADS_NOT, "key 1 is empty");
}

static struct bytes bytes_two_names(const char *a, size_t a_len, const char *c,
                                    size_t c_len)
{
    struct bytes b = bytes_sound(2, 0);

    for (uint64_t i = 0; i < 2; i++) {
        put_str_n(&b, i == 0 ? a : c, i == 0 ? a_len : c_len);
        put_u32(&b, 1);
        put_u64(&b, 8);
        put_u32(&b, T_F32);
        put_u64(&b, 32 * i);
    }
    put_padding(&b, 32);
    put_fill(&b, 0, 64);
    return b;
}

static void names_end_at_a_nul(void **state)
{
    struct bytes b = bytes_two_names("a\0b", 3, "a\0c", 3);

    (void)state;
    expect_loads(&b, GGK_LOADS_NOT, "the name of tensor 1 is a duplicate");
    b = bytes_two_names("a\0b", 3, "b", 1);
    expect_loads(&b, GGK_LOADS_ALL, "");
    b = bytes_two_names("", 0, "\0", 1);
    expect_loads(&b, GGK_LOADS_NOT, "the name of tensor 1 is a duplicate");
    b = bytes_two_names("", 0, "", 0);
    expect_loads(&b, GGK_LOADS_NOT, "the name of tensor 1 is a duplicate");
    b = bytes_two_names("a", 1, "a", 1);
    expect_loads(&b, GGK_LOADS_NOT, "the name of tensor 1 is a duplicate");
}

/* So does the key of the alignment, of which the first counts. */
static void the_first_alignment_counts(void **state)
{
    static const struct {
        size_t len; /* of "general.alignment\0x" */
        uint32_t type, value;
        const char *reason;
    } cases[] = {
        {17, V_U32, 64, ""},
        {19, V_U32, 64, ""},
        {18, V_U32, 13, "general.alignment 13 is no power of two"},
        {19, V_U32, 0, "general.alignment 0 is no power of two"},
        {19, V_I32, 64, "general.alignment (key 1) is no UINT32"},
        {16, V_I32, 13, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_sound(0, 2);
        put_str_n(&b, "general.alignment\0x", cases[i].len);
        put_u32(&b, cases[i].type);
        put_u32(&b, cases[i].value);
        put_str_n(&b, "general.alignment\0yz", 20);
        put_u32(&b, V_U32);
        put_u32(&b, cases[i].len == 16 ? 32 : 7);
        expect_loads(&b,
                     cases[i].reason[0] == '\0' ? GGK_LOADS_ALL : GGK_LOADS_NOT,
                     cases[i].reason);
    }
}

/* ------------------------------------------------------------------- sizes */

/* Zeros that take no memory while they are only read, behind a file's bytes. */
static uint8_t *map_zeros(uint64_t n, const struct bytes *head)
{
    int fd = open("/dev/zero", O_RDWR);
    void *at;

    assert_true(fd >= 0);
    at = mmap(NULL, (size_t)n, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    assert_true(at != MAP_FAILED);
    assert_int_equal(close(fd), 0);
    memcpy(at, head->at, head->n);
    return at;
}

/* A key of so many NULs, and no value but what follows. */
static void a_key_of_over_a_gib_is_refused(void **state)
{
    static const struct expected all[] = {
        {"key-long", 65, "kv[1].key.len", "the key has 1073741825 bytes"},
        {"over-1-gib", 65, "kv[1].key.len", "the key has 1073741825 bytes"},
        {"key-nul", 73, "kv[1].key", "the key has a NUL byte, its byte 0"},
        {NULL, 0, NULL, NULL}};
    struct bytes head = bytes_sound(0, 1), whole = {.n = 0};
    struct judged j = {.n = 0};

    (void)state;
    put_count(&head, GIB + 1);
    whole.n = head.n + GIB + 1 + 4 + 1;
    whole.at = map_zeros(whole.n, &head);
    assert_int_equal(judge_with(&j, &whole, NULL, NULL), GGK_OK);
    expect_told(&j, all);
    assert_int_equal(j.verdict.loads, GGK_LOADS_NOT);
    assert_string_equal(j.verdict.reason, "key 1 is over 1 GiB");
    assert_int_equal(munmap(whole.at, whole.n), 0);
    bytes_free(&head);
}

/* What the loader does with an array of two strings of these lengths. */
static void expect_strings(uint64_t first, uint64_t second, ggk_loads wanted,
                           const char *wanted_reason)
{
    struct bytes head = bytes_sound(0, 1), whole = {.n = 0};
    ggk_model *model;
    ggk_loads loads;
    char reason[256];

    put_key(&head, "s", V_ARR);
    put_array(&head, V_STR, 2);
    put_count(&head, first);
    whole.n = head.n + first + 8 + second;
    whole.at = map_zeros(whole.n, &head);
    bytes_patch(&whole, head.n + first, second, 8);
    model = open_bytes(&whole);
    assert_true(ggki_loader_verdict(model, &model->files[0].gguf, &loads,
                                    reason, sizeof reason));
    assert_int_equal(loads, wanted);
    assert_string_equal(reason, wanted_reason);
    ggk_model_close(model);
    assert_int_equal(munmap(whole.at, whole.n), 0);
    bytes_free(&head);
}

static void strings_of_over_a_gib_are_refused(void **state)
{
    (void)state;
    expect_strings(1, GIB - 17, GGK_LOADS_ALL, "");
    expect_strings(GIB / 2, GIB, GGK_LOADS_ALL, "");
    expect_strings(GIB, GIB / 2, GGK_LOADS_ALL, "");
    expect_strings(GIB + 1, 1, GGK_LOADS_NOT,
                   "key 1 has a string of over 1 GiB");
    expect_strings(1, GIB + 1, GGK_LOADS_NOT,
                   "key 1 has a string of over 1 GiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_that_wrap_are_taken),
        cmocka_unit_test(shapes_are_refused_where_the_guard_works),
        cmocka_unit_test(sums_are_refused_that_overflow),
        cmocka_unit_test(infos_are_looked_at_before_places),
        cmocka_unit_test(keys_are_compared_to_the_last_byte),
        cmocka_unit_test(names_end_at_a_nul),
        cmocka_unit_test(the_first_alignment_counts),
        cmocka_unit_test(a_key_of_over_a_gib_is_refused),
        cmocka_unit_test(strings_of_over_a_gib_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
