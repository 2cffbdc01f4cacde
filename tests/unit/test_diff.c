/* test_diff.c - what two models differ in. */
#include "kinds.h"
#include "sample.h"

#include "ledger.h"

/* ------------------------------------------------------------- comparisons */

static const char *const letters[GGK_DIFF_KIND_COUNT] = {
    "version", "order",   "align",  "-key", "+key",    "~key", "-tensor",
    "+tensor", "~tensor", "shards", "keys", "tensors", "moved"};

static void put_number(FILE *out, uint64_t v)
{
    if (v == GGK_NONE)
        fputs(" -", out);
    else
        fprintf(out, " %" PRIu64, v);
}

/* One difference as a line: its kind, its numbers, what changed and where. */
static bool write_down(void *ctx, const ggk_difference *d)
{
    FILE *out = ctx;

    fputs(letters[d->kind], out);
    if (d->a != GGK_NONE || d->b != GGK_NONE) {
        put_number(out, d->a);
        put_number(out, d->b);
    }
    if ((d->what & GGK_DIFF_TYPE) != 0)
        fputs(" type", out);
    if ((d->what & GGK_DIFF_SHAPE) != 0)
        fputs(" shape", out);
    if ((d->what & (GGK_DIFF_VALUE | GGK_DIFF_DATA)) != 0)
        fprintf(out, " %s %" PRIu64 ":%" PRIu64 ":%" PRIu64,
                (d->what & GGK_DIFF_DATA) != 0 ? "data" : "value", d->first,
                d->n_differ, d->n_blocks);
    fputs("\n", out);
    return true;
}

struct said {
    ggk_status status;
    ggk_error err;
    ggk_diff_result result;
    char *text;
};

static struct said compare(const ggk_model *a, const ggk_model *b,
                           uint32_t flags, uint32_t n_threads)
{
    const ggk_diff_opts opts = {
        .struct_bytes = sizeof opts, .flags = flags, .n_threads = n_threads};
    struct said said = {.err = error_canary()};
    size_t n;
    FILE *out = open_memstream(&said.text, &n);

    assert_non_null(out);
    said.status =
        ggk_diff(a, b, &opts, write_down, out, &said.result, &said.err);
    assert_int_equal(fclose(out), 0);
    return said;
}

/* Bytes of two files and what they differ in; both are freed. */
static void expect_flags(struct bytes *x, struct bytes *y, uint32_t flags,
                         const char *text)
{
    ggk_model *a = open_bytes(x), *b = open_bytes(y);

    for (uint32_t n = 1; n <= 3; n += 2) {
        struct said said = compare(a, b, flags, n);
        uint64_t lines = 0, counted = 0;

        assert_int_equal(said.status, GGK_OK);
        assert_string_equal(said.text, text);
        for (const char *s = text; *s != '\0'; s++)
            lines += *s == '\n';
        for (int k = 0; k < GGK_DIFF_KIND_COUNT; k++)
            counted += said.result.n[k];
        assert_int_equal(counted, lines);
        free(said.text);
    }
    ggk_model_close(a);
    ggk_model_close(b);
    bytes_free(x);
    bytes_free(y);
}

static void expect(struct bytes *x, struct bytes *y, const char *text)
{
    expect_flags(x, y, 0, text);
}

/* -------------------------------------------------------------------- keys */

static void equal_whatever_the_form(void **state)
{
    (void)state;
    for (uint32_t version = 1; version <= 3; version++) {
        struct bytes a = bytes_features(3, false);
        struct bytes b = bytes_features(version, false);

        expect_flags(&a, &b, GGK_DIFF_NO_DATA, version == 3 ? "" : "version\n");
    }
    {
        struct bytes a = bytes_features(1, false);
        struct bytes b = bytes_features(3, true);

        expect_flags(&a, &b, GGK_DIFF_NO_DATA, "version\norder\n");
    }
}

static void keys_come_and_go(void **state)
{
    struct bytes a = bytes_of(3, false), b = bytes_of(3, false);

    (void)state;
    put_header(&a, 0, 4);
    put_kv_u32(&a, "gone", 1);
    put_kv_u32(&a, "same", 2);
    put_kv_str(&a, "name", "abcdef");
    put_kv_str(&a, "general.padding", "  ");
    put_header(&b, 0, 5);
    put_kv_str(&b, "name", "abcxyz");
    put_kv_u32(&b, "same", 2);
    put_kv_u32(&b, "new", 1);
    put_kv_u32(&b, "split.count", 1);
    put_kv_str(&b, "split.countless", "");
    expect_flags(&a, &b, GGK_DIFF_LAYOUT,
                 "-key 0 -\n"
                 "~key 2 0 value 3:0:0\n"
                 "+key - 2\n"
                 "+key - 4\n"
                 "keys\n");
}

/* A model of keys general.padding: 's' is free space, 'u' is not. */
static struct bytes bytes_padded(const char *keys)
{
    struct bytes b = bytes_of(3, false);

    put_header(&b, 0, strlen(keys));
    for (; *keys != '\0'; keys++) {
        if (*keys == 's')
            put_kv_str(&b, "general.padding", "  ");
        else
            put_kv_u32(&b, "general.padding", 2);
    }
    return b;
}

/* Free space does not count, nor is it what has its name and is none. */
static void free_space_is_passed_over(void **state)
{
    static const struct {
        const char *a, *b, *text;
    } cases[] = {
        {"", "s", ""},
        {"s", "", ""},
        {"", "u", "+key - 0\n"},
        {"u", "", "-key 0 -\n"},
        {"s", "u", "+key - 0\n"},
        {"u", "s", "-key 0 -\n"},
        {"u", "su", ""},
        {"su", "u", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes a = bytes_padded(cases[i].a), b = bytes_padded(cases[i].b);

        expect(&a, &b, cases[i].text);
    }
}

static void put_floats(struct bytes *b, uint32_t f32, uint64_t f64, uint8_t yes)
{
    *b = bytes_of(3, b->big);
    put_header(b, 0, 3);
    put_key(b, "f32", V_F32);
    put_u32(b, f32);
    put_key(b, "f64", V_F64);
    put_u64(b, f64);
    put_key(b, "yes", V_BOOL);
    put_u8(b, yes);
}

/* Floats by their bits, also NaNs; a BOOL is true or false. */
static void scalars_by_value(void **state)
{
    struct bytes a = {.big = false}, b = {.big = true};

    (void)state;
    put_floats(&a, 0x7fa00001, 0x7ff0000000000001, 1);
    put_floats(&b, 0x7fa00001, 0x7ff0000000000001, 2);
    expect(&a, &b, "order\n");
    put_floats(&a, 0x7fa00001, 0x8000000000000000, 1);
    b.big = false;
    put_floats(&b, 0x7fe00001, 0, 0);
    expect(&a, &b,
           "~key 0 0 value 0:0:0\n"
           "~key 1 1 value 0:0:0\n"
           "~key 2 2 value 0:0:0\n");
}

static void types_before_values(void **state)
{
    struct bytes a = bytes_of(3, false), b = bytes_of(3, false);

    (void)state;
    put_header(&a, 0, 2);
    put_kv_u32(&a, "k", 1);
    put_key(&a, "l", V_ARR);
    put_array(&a, V_U8, 0);
    put_header(&b, 0, 2);
    put_key(&b, "k", V_I32);
    put_u32(&b, 1);
    put_key(&b, "l", V_ARR);
    put_array(&b, V_I8, 0);
    expect(&a, &b, "~key 0 0 type\n~key 1 1 type\n");
}

static void put_u8s(struct bytes *b, const char *key, const char *elements)
{
    put_key(b, key, V_ARR);
    put_array(b, V_U8, strlen(elements));
    put_raw(b, elements, strlen(elements));
}

static void arrays_by_element(void **state)
{
    struct bytes a = bytes_of(3, false), b = bytes_of(3, false);

    (void)state;
    put_header(&a, 0, 4);
    put_u8s(&a, "one", "abcdef");
    put_u8s(&a, "shorter", "abcdef");
    put_u8s(&a, "longer", "abc");
    put_u8s(&a, "empty", "");
    put_header(&b, 0, 4);
    put_u8s(&b, "one", "abXdeY");
    put_u8s(&b, "shorter", "Xbc");
    put_u8s(&b, "longer", "abcd");
    put_u8s(&b, "empty", "x");
    expect(&a, &b,
           "~key 0 0 value 2:2:0\n"
           "~key 1 1 value 0:1:0\n"
           "~key 2 2 value 3:0:0\n"
           "~key 3 3 value 0:0:0\n");
}

/* [["a", x], [], [y]], of strings. */
static void put_nested(struct bytes *b, const char *x, const char *y)
{
    put_header(b, 0, 1);
    put_key(b, "k", V_ARR);
    put_array(b, V_ARR, 3);
    put_array(b, V_STR, 2);
    put_str(b, "a");
    put_str(b, x);
    put_array(b, V_U32, 0);
    put_array(b, V_STR, 1);
    put_str(b, y);
}

static void nested_arrays_count_as_elements(void **state)
{
    struct bytes a = bytes_of(1, false), b = bytes_of(3, true);

    (void)state;
    put_nested(&a, "x", "y");
    put_nested(&b, "x", "y");
    expect(&a, &b, "version\norder\n");
    a = bytes_of(3, false);
    b = bytes_of(3, false);
    put_nested(&a, "x", "y");
    put_nested(&b, "longer", "y");
    expect(&a, &b, "~key 0 0 value 0:1:0\n");
    a = bytes_of(3, false);
    b = bytes_of(3, false);
    put_nested(&a, "x", "y");
    put_nested(&b, "x", "z");
    expect(&a, &b, "~key 0 0 value 2:1:0\n");
}

static void repeated_keys_in_turn(void **state)
{
    struct bytes a = bytes_of(3, false), b = bytes_of(3, false);

    (void)state;
    put_header(&a, 0, 4);
    put_kv_u32(&a, "k", 1);
    put_kv_u32(&a, "l", 1);
    put_kv_u32(&a, "k", 2);
    put_kv_u32(&a, "l", 2);
    put_header(&b, 0, 4);
    put_kv_u32(&b, "k", 1);
    put_kv_u32(&b, "k", 3);
    put_kv_u32(&b, "k", 4);
    put_kv_u32(&b, "l", 1);
    expect(&a, &b,
           "~key 2 1 value 0:0:0\n"
           "-key 3 -\n"
           "+key - 2\n");
}

/* ----------------------------------------------------------------- tensors */

enum { T_PER = 40 }; /* bytes of one tensor below */

/* Tensors of ten floats, named by the letters of `names`, all bytes as their
 * letter; `other` is the byte of the one that differs. */
static struct bytes letter_tensors(bool big, const char *names, char who,
                                   size_t at, uint8_t other)
{
    struct bytes b = bytes_of(3, big);
    size_t n = strlen(names);

    put_header(&b, n, 1);
    put_kv_u32(&b, "general.alignment", 8);
    for (size_t i = 0; i < n; i++)
        put_info(&b, (const char[]){names[i], '\0'}, 1, (uint64_t[]){10}, T_F32,
                 i * T_PER);
    put_padding(&b, 8);
    for (size_t i = 0; i < n; i++) {
        put_fill(&b, (uint8_t)names[i], T_PER);
        if (names[i] == who)
            b.at[b.n - T_PER + at] = other;
    }
    return b;
}

static void tensors_come_and_go(void **state)
{
    struct bytes a = letter_tensors(false, "abcd", ' ', 0, 0);
    struct bytes b = letter_tensors(false, "dbxc", 'b', 39, 0);

    (void)state;
    expect_flags(&a, &b, GGK_DIFF_LAYOUT,
                 "-tensor 0 -\n"
                 "~tensor 1 1 data 39:1:1\n"
                 "moved 2 3\n"
                 "moved 3 0\n"
                 "+tensor - 2\n"
                 "tensors\n");
}

static void repeated_tensors_in_turn(void **state)
{
    struct bytes a = letter_tensors(false, "aab", ' ', 0, 0);
    struct bytes b = letter_tensors(false, "baaa", ' ', 0, 0);

    (void)state;
    b.at[b.n - 1] = 0;         /* of the third */
    b.at[b.n - T_PER - 1] = 0; /* of the second */
    expect(&a, &b,
           "~tensor 1 2 data 39:1:1\n"
           "+tensor - 3\n");
}

static void numbers_in_either_order(void **state)
{
    struct bytes a = letter_tensors(false, "ab", 'a', 4, 1);
    struct bytes b = letter_tensors(true, "ab", 'a', 7, 1);

    (void)state;
    expect(&a, &b, "order\n");
    a = letter_tensors(false, "ab", 'a', 4, 1);
    b = letter_tensors(true, "ab", 'a', 4, 1);
    expect(&a, &b, "order\n~tensor 0 0 data 4:2:1\n");
}

/* The scale of a Q8_0 block is a word of two bytes; the rest are bytes. */
static void blocks_in_either_order(void **state)
{
    struct bytes file[2];

    (void)state;
    for (int big = 0; big < 2; big++) {
        file[big] = bytes_of(3, big != 0);
        put_header(&file[big], 1, 0);
        put_info(&file[big], "t", 1, (uint64_t[]){64}, T_Q8_0, 0);
        put_padding(&file[big], 32);
        for (unsigned i = 0; i < 2; i++) {
            put_u16(&file[big], (uint16_t)(0x1234 + i));
            put_raw(&file[big], "abcdefghijklmnopqrstuvwxyzABCDEF", 32);
        }
    }
    file[0].at[file[0].n - 1] ^= 1;
    expect(&file[0], &file[1], "order\n~tensor 0 0 data 67:1:1\n");
}

static void some_types_need_one_order(void **state)
{
    struct bytes x = bytes_features(3, false), y = bytes_features(3, true);
    ggk_model *a = open_bytes(&x), *b = open_bytes(&y);
    struct said said = compare(a, b, 0, 1);

    (void)state;
    assert_int_equal(said.status, GGK_E_UNSUPPORTED);
    assert_string_equal(said.err.what,
                        "tensor \"unknown\" is of type 1000, which cannot be "
                        "compared in different byte orders");
    assert_string_equal(said.text, "");
    assert_false(said.result.equal);
    free(said.text);
    ggk_model_close(a);
    ggk_model_close(b);
    bytes_free(&x);
    bytes_free(&y);
}

/* One tensor "t"; 1 MiB and more of data. */
static struct bytes large_tensor(uint32_t type, uint64_t ne0, uint64_t ne1,
                                 size_t bytes)
{
    struct bytes b = bytes_of(3, false);

    put_header(&b, 1, 0);
    put_info(&b, "t", 2, (uint64_t[]){ne0, ne1}, type, 0);
    put_padding(&b, 32);
    put_fill(&b, 7, bytes);
    return b;
}

/* A block that lies over the end of a MiB counts once. */
static void blocks_are_counted_once(void **state)
{
    const size_t bytes = (size_t)34 * 32 * 4000;

    (void)state;
    for (size_t at = (1 << 20) - 40; at < (1 << 20) + 40; at++) {
        struct bytes x = large_tensor(T_Q8_0, 1024, 4000, bytes);
        struct bytes y = large_tensor(T_Q8_0, 1024, 4000, bytes);
        char text[64];

        y.at[y.n - bytes + at] ^= 1;
        y.at[y.n - bytes + at + 1] ^= 3;
        y.at[y.n - 1] ^= 1;
        snprintf(text, sizeof text, "~tensor 0 0 data %zu:3:%d\n", at,
                 at / 34 == (at + 1) / 34 ? 2 : 3);
        expect(&x, &y, text);
    }
}

static void each_width_of_numbers(void **state)
{
    static const struct {
        uint32_t type;
        size_t bytes;
    } types[] = {{T_I8, 1}, {T_F16, 2}, {T_F32, 4}, {T_F64, 8}};

    (void)state;
    for (int i = 0; i < 4; i++) {
        size_t bytes = 64 * types[i].bytes;
        struct bytes x = large_tensor(types[i].type, 8, 8, bytes);
        struct bytes y = large_tensor(types[i].type, 8, 8, bytes);
        char text[64];

        memset(y.at + y.n - 9 * types[i].bytes, 0, 9 * types[i].bytes);
        snprintf(text, sizeof text, "~tensor 0 0 data %zu:%zu:9\n",
                 55 * types[i].bytes, 9 * types[i].bytes);
        expect(&x, &y, text);
    }
}

static void type_and_shape_before_data(void **state)
{
    struct bytes a = large_tensor(T_F32, 8, 8, 256);
    struct bytes b = large_tensor(T_I8, 8, 8, 64);

    (void)state;
    expect(&a, &b, "~tensor 0 0 type\n");
    a = large_tensor(T_F32, 8, 8, 256);
    b = large_tensor(T_F32, 64, 1, 256);
    expect(&a, &b, "~tensor 0 0 shape\n");
    a = large_tensor(T_I8, 64, 2, 128);
    b = large_tensor(T_F32, 64, 1, 256);
    expect(&a, &b, "~tensor 0 0 type shape\n");
}

/* Where the data of an unknown type ends is not known. */
static void opaque_padding_is_no_difference(void **state)
{
    struct bytes a = large_tensor(T_UNKNOWN, 8, 8, 100);
    struct bytes b = large_tensor(T_UNKNOWN, 8, 8, 100);

    (void)state;
    put_fill(&b, 0, 28);
    expect(&a, &b, "");
    a = large_tensor(T_UNKNOWN, 8, 8, 100);
    b = large_tensor(T_UNKNOWN, 8, 8, 100);
    put_fill(&b, 0, 27);
    put_fill(&b, 1, 1);
    expect(&a, &b, "~tensor 0 0 data 127:1:0\n");
    a = large_tensor(T_UNKNOWN, 8, 8, 100);
    b = large_tensor(T_UNKNOWN, 8, 8, 100);
    put_fill(&a, 0, 32);
    expect(&a, &b, "~tensor 0 0 data 100:32:0\n");
}

/* ---------------------------------------------------------------- refusals */

static void expect_refusal(struct bytes *x, struct bytes *y, uint32_t flags,
                           const struct failure *wanted)
{
    ggk_model *a = open_bytes(x), *b = open_bytes(y);
    struct said said = compare(a, b, flags, 1);

    expect_failure("diff", said.status, &said.err, wanted);
    assert_string_equal(said.text, "");
    free(said.text);
    ggk_model_close(a);
    ggk_model_close(b);
    bytes_free(x);
    bytes_free(y);
}

static void data_must_be_there(void **state)
{
    static const struct failure missing = {GGK_E_DATA_MISSING, GGK_NO_OFFSET,
                                           "", 0, 0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct bytes a = large_tensor(T_F32, 8, 8, 256 - (size_t)i);
        struct bytes b = large_tensor(T_F32, 8, 8, 255 + (size_t)i);
        expect_refusal(&a, &b, 0, &missing);
        a = large_tensor(T_F32, 8, 8, 256 - (size_t)i);
        b = large_tensor(T_F32, 8, 8, 255 + (size_t)i);
        expect_flags(&a, &b, GGK_DIFF_NO_DATA, "");
    }
}

static void overlaps_have_a_limit(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        struct bytes one = bytes_of(3, false), many = bytes_of(3, false);
        struct failure overlap = {GGK_E_OVERLAP, GGK_NO_OFFSET, "", 65 << 22,
                                  0};

        put_header(&one, 0, 0);
        put_header(&many, 100, 0);
        for (int k = 0; k < 100; k++) {
            char name[16];
            snprintf(name, sizeof name, "t%d", k);
            put_info(&many, name, 1, (uint64_t[]){4 << 20}, T_I8, 0);
        }
        put_padding(&many, 32);
        put_fill(&many, 7, 4 << 20);
        overlap.have = many.n * 64 + (1 << 20);
        expect_refusal(side == 0 ? &many : &one, side == 0 ? &one : &many, 0,
                       &overlap);
    }
}

static void wrong_options(void **state)
{
    static const struct failure wrong = {GGK_E_ARG, GGK_NO_OFFSET, "", 0, 0};
    struct bytes a = bytes_llama(0), b = bytes_llama(0);

    (void)state;
    expect_refusal(&a, &b, 4, &wrong);
}

static bool stop_at_second(void *ctx, const ggk_difference *d)
{
    int *n = ctx;

    (void)d;
    return ++*n < 2;
}

static bool stop_progress(void *ctx, uint64_t done, uint64_t total)
{
    uint64_t *seen = ctx;

    assert_true(done <= total);
    seen[0] = done;
    seen[1] = total;
    return ++seen[2] < seen[3];
}

static void both_can_stop_it(void **state)
{
    struct bytes x = letter_tensors(false, "abc", ' ', 0, 0);
    struct bytes y = letter_tensors(false, "xyz", ' ', 0, 0);
    ggk_model *a = open_bytes(&x), *b = open_bytes(&y);
    ggk_diff_result result;
    uint64_t seen[4] = {0, 0, 0, 3};
    ggk_diff_opts opts = {.struct_bytes = sizeof opts,
                          .n_threads = 1,
                          .on_progress = stop_progress,
                          .progress_ctx = seen};
    int n = 0;

    (void)state;
    assert_int_equal(ggk_diff(a, b, NULL, stop_at_second, &n, &result, NULL),
                     GGK_E_CANCELLED);
    assert_int_equal(n, 2);
    assert_int_equal(ggk_diff(a, a, &opts, NULL, NULL, &result, NULL),
                     GGK_E_CANCELLED);
    assert_int_equal(seen[0], 2 * T_PER);
    assert_int_equal(seen[1], 3 * T_PER);
    seen[3] = 100;
    assert_int_equal(ggk_diff(a, a, &opts, NULL, NULL, &result, NULL), GGK_OK);
    assert_true(result.equal);
    assert_int_equal(result.n_tensors, 3);
    assert_int_equal(result.bytes, 3 * T_PER);
    assert_int_equal(ggk_diff(a, b, NULL, NULL, NULL, &result, NULL), GGK_OK);
    assert_false(result.equal);
    ggk_model_close(a);
    ggk_model_close(b);
    bytes_free(&x);
    bytes_free(&y);
}

/* -------------------------------------------------------------------- sizes */

/* `n` tensors of no bytes. If `same`, all have one name; else those of `order`
 * 1 come the other way round. */
static struct bytes many_tensors(uint64_t n, bool same, bool reverse)
{
    struct bytes b = bytes_of(3, false);

    put_header(&b, n, 0);
    for (uint64_t i = 0; i < n; i++) {
        char name[24];
        snprintf(name, sizeof name, "tensor.%" PRIu64,
                 same      ? 0
                 : reverse ? n - 1 - i
                           : i);
        put_info(&b, name, 1, (uint64_t[]){0}, T_F32, 0);
    }
    return b;
}

/* 10^5 against 10^5: were it quadratic, this would take minutes. */
static void many_are_linear(void **state)
{
    struct bytes a = many_tensors(100000, false, false);
    struct bytes b = many_tensors(100000, false, true);

    (void)state;
    expect_flags(&a, &b, GGK_DIFF_LAYOUT, "tensors\n");
    a = many_tensors(100000, true, false);
    b = many_tensors(100000, true, false);
    expect(&a, &b, "");
}

static void every_allocation_may_fail(void **state)
{
    struct bytes x = letter_tensors(false, "aab", ' ', 0, 0);
    struct bytes y = letter_tensors(false, "aab", ' ', 0, 0);
    ggk_model *b = open_bytes(&y);
    size_t n = 0;
    ggk_status status;

    (void)state;
    do {
        struct ledger ledger = {.fail_at = 0};
        ggk_allocator alloc = ledger_allocator(&ledger);
        ggk_open_opts opts = {.struct_bytes = sizeof opts, .allocator = &alloc};
        ggk_diff_result result;
        ggk_source *source;
        ggk_model *a;

        assert_int_equal(ggk_source_from_memory(x.at, x.n, NULL, &source, NULL),
                         GGK_OK);
        assert_int_equal(ggk_model_open_source(source, &opts, &a, NULL),
                         GGK_OK);
        ledger.fail_at = ledger.calls + ++n;
        status = ggk_diff(a, b, NULL, NULL, NULL, &result, NULL);
        assert_true(status == GGK_OK || status == GGK_E_NOMEM);
        ledger.fail_at = 0;
        ggk_model_close(a);
        assert_true(ledger_is_even(&ledger));
    } while (status != GGK_OK);
    assert_in_range(n, 6, 20);
    ggk_model_close(b);
    bytes_free(&x);
    bytes_free(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_whatever_the_form),
        cmocka_unit_test(keys_come_and_go),
        cmocka_unit_test(free_space_is_passed_over),
        cmocka_unit_test(scalars_by_value),
        cmocka_unit_test(types_before_values),
        cmocka_unit_test(arrays_by_element),
        cmocka_unit_test(nested_arrays_count_as_elements),
        cmocka_unit_test(repeated_keys_in_turn),
        cmocka_unit_test(tensors_come_and_go),
        cmocka_unit_test(repeated_tensors_in_turn),
        cmocka_unit_test(numbers_in_either_order),
        cmocka_unit_test(blocks_in_either_order),
        cmocka_unit_test(some_types_need_one_order),
        cmocka_unit_test(blocks_are_counted_once),
        cmocka_unit_test(each_width_of_numbers),
        cmocka_unit_test(type_and_shape_before_data),
        cmocka_unit_test(opaque_padding_is_no_difference),
        cmocka_unit_test(data_must_be_there),
        cmocka_unit_test(overlaps_have_a_limit),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(both_can_stop_it),
        cmocka_unit_test(many_are_linear),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
