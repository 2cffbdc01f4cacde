/* test_value.c - metadata values: typed getters, walks, indexes. */
#include "kinds.h"
#include "sample.h"

#include <float.h>
#include <math.h>

#include "ledger.h"

__extension__ typedef __int128 wide;

/* ----------------------------------------------------------------- getters */

/* A file of one key "k" with a scalar of `width` bytes. */
static ggk_model *open_scalar(struct bytes *b, bool big, uint32_t type,
                              uint64_t raw, size_t width)
{
    *b = bytes_of(3, big);
    put_header(b, 0, 1);
    put_key(b, "k", type);
    put_uint(b, raw, width);
    return open_bytes(b);
}

/* What the five getters are to say of "k". */
struct answers {
    ggk_status as_u64, as_i64, as_f64, as_bool, as_str;
    uint64_t u;
    int64_t i;
    double f;
    bool b;
    ggk_str s;
};

static void expect_status(ggk_status got, ggk_status wanted,
                          const ggk_error *err)
{
    const struct failure failure = {wanted, GGK_NO_OFFSET, "", 0, 0};

    if (wanted == GGK_OK) {
        assert_int_equal(got, GGK_OK);
        expect_untouched(err);
    } else {
        expect_failure("getter", got, err, &failure);
    }
}

static void expect_answers(const ggk_model *model, const struct answers *a)
{
    const ggk_str key = ggk_cstr("k");
    ggk_error err = error_canary();
    uint64_t u = 1;
    int64_t i = 1;
    double f = 1;
    bool b = true;
    ggk_str s = {"x", 1};

    expect_status(ggk_model_get_u64(model, key, &u, &err), a->as_u64, &err);
    assert_int_equal(u, a->u);
    err = error_canary();
    expect_status(ggk_model_get_i64(model, key, &i, &err), a->as_i64, &err);
    assert_int_equal(i, a->i);
    err = error_canary();
    expect_status(ggk_model_get_f64(model, key, &f, &err), a->as_f64, &err);
    assert_memory_equal(&f, &a->f, sizeof f);
    err = error_canary();
    expect_status(ggk_model_get_bool(model, key, &b, &err), a->as_bool, &err);
    assert_int_equal(b, a->b);
    err = error_canary();
    expect_status(ggk_model_get_str(model, key, &s, &err), a->as_str, &err);
    assert_int_equal(s.len, a->s.len);
    if (s.len > 0)
        assert_memory_equal(s.ptr, a->s.ptr, s.len);
    else if (a->as_str != GGK_OK)
        assert_null(s.ptr);
    assert_int_equal(ggk_model_get_u64(model, key, &u, NULL), a->as_u64);
    assert_int_equal(ggk_model_get_i64(model, key, &i, NULL), a->as_i64);
    assert_int_equal(ggk_model_get_f64(model, key, &f, NULL), a->as_f64);
    assert_int_equal(ggk_model_get_bool(model, key, &b, NULL), a->as_bool);
    assert_int_equal(ggk_model_get_str(model, key, &s, NULL), a->as_str);
}

static const struct answers no_answer = {
    GGK_E_TYPE, GGK_E_TYPE, GGK_E_TYPE, GGK_E_TYPE, GGK_E_TYPE,
    0,          0,          0,          false,      {NULL, 0}};

/* What an integer answers, by its value. */
static struct answers integer_answers(wide value)
{
    const wide exact = (wide)1 << 53;
    struct answers a = no_answer;

    a.as_u64 = value >= 0 ? GGK_OK : GGK_E_RANGE;
    a.as_i64 = value <= INT64_MAX ? GGK_OK : GGK_E_RANGE;
    a.as_f64 = value >= -exact && value <= exact ? GGK_OK : GGK_E_RANGE;
    a.u = a.as_u64 == GGK_OK ? (uint64_t)value : 0;
    a.i = a.as_i64 == GGK_OK ? (int64_t)value : 0;
    a.f = a.as_f64 == GGK_OK ? (double)value : 0;
    return a;
}

static void integers_answer_by_value(void **state)
{
    static const uint32_t types[2][4] = {{V_U8, V_U16, V_U32, V_U64},
                                         {V_I8, V_I16, V_I32, V_I64}};

    (void)state;
    for (unsigned i = 0; i < 2 * 4 * 2; i++) {
        bool is_signed = i % 2 != 0, big = i / 8 != 0;
        size_t width = (size_t)1 << i / 2 % 4;
        uint32_t type = types[is_signed][i / 2 % 4];

        for (unsigned bit = 0; bit < 8 * width; bit++)
            for (int off = -1; off <= 1; off++) {
                const wide past = (wide)1 << 8 * width;
                uint64_t raw = (uint64_t)(((wide)1 << bit) + off);
                /* The bits that are stored, as a number of that type. */
                wide value = (wide)raw & (past - 1);
                struct answers wanted;
                struct bytes b;
                ggk_model *model = open_scalar(&b, big, type, raw, width);

                if (is_signed && value >= past / 2)
                    value -= past;
                wanted = integer_answers(value);
                expect_answers(model, &wanted);
                ggk_model_close(model);
                bytes_free(&b);
            }
    }
}

/* Both sides of every limit of a getter. */
static void integers_at_the_limits_answer(void **state)
{
    static const struct {
        uint32_t type;
        uint64_t raw;
        ggk_status as_u64, as_i64, as_f64;
    } cases[] = {
        {V_U64, (UINT64_C(1) << 53), GGK_OK, GGK_OK, GGK_OK},
        {V_U64, (UINT64_C(1) << 53) + 1, GGK_OK, GGK_OK, GGK_E_RANGE},
        {V_U64, INT64_MAX, GGK_OK, GGK_OK, GGK_E_RANGE},
        {V_U64, UINT64_C(1) << 63, GGK_OK, GGK_E_RANGE, GGK_E_RANGE},
        {V_U64, UINT64_MAX, GGK_OK, GGK_E_RANGE, GGK_E_RANGE},
        {V_I64, (UINT64_C(1) << 53), GGK_OK, GGK_OK, GGK_OK},
        {V_I64, (UINT64_C(1) << 53) + 1, GGK_OK, GGK_OK, GGK_E_RANGE},
        {V_I64, (uint64_t) - (INT64_C(1) << 53), GGK_E_RANGE, GGK_OK, GGK_OK},
        {V_I64, (uint64_t) - (INT64_C(1) << 53) - 1, GGK_E_RANGE, GGK_OK,
         GGK_E_RANGE},
        {V_I64, UINT64_C(1) << 63, GGK_E_RANGE, GGK_OK, GGK_E_RANGE},
        {V_I64, INT64_MAX, GGK_OK, GGK_OK, GGK_E_RANGE},
        {V_I64, UINT64_MAX, GGK_E_RANGE, GGK_OK, GGK_OK},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct answers wanted = integer_answers(
            cases[i].type == V_U64 ? (wide)cases[i].raw
                                   : (wide)(int64_t)cases[i].raw);
        struct bytes b;
        ggk_model *model =
            open_scalar(&b, false, cases[i].type, cases[i].raw, 8);

        assert_int_equal(wanted.as_u64, cases[i].as_u64);
        assert_int_equal(wanted.as_i64, cases[i].as_i64);
        assert_int_equal(wanted.as_f64, cases[i].as_f64);
        expect_answers(model, &wanted);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

static void floats_answer_as_floats(void **state)
{
    static const double values[] = {0.0,    -0.0,    1.5,          0.1,
                                    -1e300, DBL_MAX, DBL_TRUE_MIN, 1e18};

    (void)state;
    for (size_t i = 0; i < 2 * (sizeof values / sizeof values[0] + 2); i++) {
        size_t n = i / 2;
        double value = n < sizeof values / sizeof values[0] ? values[n]
                       : n % 2 == 0                         ? (double)INFINITY
                                                            : (double)NAN;
        float narrow =
            (float)(fabs(value) <= (double)FLT_MAX || !isfinite(value) ? value
                                                                       : 0.25);
        struct answers wanted = no_answer;
        struct bytes b;
        ggk_model *model;
        uint64_t raw = 0;

        wanted.as_f64 = GGK_OK;
        if (i % 2 == 0) {
            uint32_t bits;
            memcpy(&bits, &narrow, sizeof bits);
            raw = bits;
            wanted.f = (double)narrow;
        } else {
            memcpy(&raw, &value, sizeof raw);
            wanted.f = value;
        }
        model = open_scalar(&b, n % 2 != 0, i % 2 == 0 ? V_F32 : V_F64, raw,
                            i % 2 == 0 ? 4 : 8);
        expect_answers(model, &wanted);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

static void bools_answer_as_bools(void **state)
{
    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        struct answers wanted = no_answer;
        struct bytes b;
        ggk_model *model = open_scalar(&b, false, V_BOOL, byte, 1);
        ggk_walk walk;
        ggk_value v;

        wanted.as_bool = GGK_OK;
        wanted.b = byte != 0;
        expect_answers(model, &wanted);
        /* The byte is kept. */
        assert_int_equal(ggk_walk_start(model, 0, &walk, NULL), GGK_OK);
        assert_int_equal(ggk_walk_next(&walk, &v), GGK_WALK_VALUE);
        assert_int_equal(v.as.u, byte);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

static void strings_answer_as_strings(void **state)
{
    static const ggk_str strings[] = {
        {"", 0}, {"llama", 5}, {"llama\0evil", 10}, {"\xff\xfe\xc0\xaf", 4}};

    (void)state;
    for (unsigned i = 0; i < 4 * 3; i++) {
        struct answers wanted = no_answer;
        struct bytes b = bytes_of(i / 4 + 1, i % 2 != 0 && i / 4 == 2);
        ggk_model *model;

        put_header(&b, 0, 1);
        put_key(&b, "k", V_STR);
        put_str_n(&b, strings[i % 4].ptr, strings[i % 4].len);
        wanted.as_str = GGK_OK;
        wanted.s = strings[i % 4];
        model = open_bytes(&b);
        expect_answers(model, &wanted);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

/* Of whatever elements, of however many. */
static void arrays_answer_nothing(void **state)
{
    (void)state;
    for (uint32_t type = 0; type < 13; type++)
        for (unsigned n = 0; n < 2; n++) {
            struct bytes b = bytes_of(3, false);
            ggk_model *model;

            put_header(&b, 0, 1);
            put_key(&b, "k", V_ARR);
            put_array(&b, type, n);
            put_fill(&b, 0, n * 12);
            model = open_bytes(&b);
            expect_answers(model, &no_answer);
            ggk_model_close(model);
            bytes_free(&b);
        }
}

/* Keys that are not there, or there twice. */
static void unclear_keys_have_no_answer(void **state)
{
    struct bytes b = bytes_of(3, false);
    struct answers wanted = {GGK_E_NOT_FOUND,
                             GGK_E_NOT_FOUND,
                             GGK_E_NOT_FOUND,
                             GGK_E_NOT_FOUND,
                             GGK_E_NOT_FOUND,
                             0,
                             0,
                             0,
                             false,
                             {NULL, 0}};
    ggk_model *model;

    (void)state;
    put_header(&b, 0, 2);
    put_kv_u32(&b, "j", 1);
    put_kv_u32(&b, "j", 1);
    model = open_bytes(&b);
    expect_answers(model, &wanted);
    ggk_model_close(model);
    b.at[24 + 8] = 'k';
    b.at[24 + 17 + 8] = 'k';
    wanted.as_u64 = wanted.as_i64 = wanted.as_f64 = GGK_E_DUPLICATE;
    wanted.as_bool = wanted.as_str = GGK_E_DUPLICATE;
    model = open_bytes(&b);
    expect_answers(model, &wanted);
    ggk_model_close(model);
    bytes_free(&b);
}

/* ------------------------------------------------------------------- walks */

static ggk_walk walk_of(const ggk_model *model, const char *key)
{
    ggk_walk walk;
    uint64_t i;

    assert_int_equal(ggk_model_find_kv(model, ggk_cstr(key), &i, NULL), GGK_OK);
    assert_int_equal(ggk_walk_start(model, i, &walk, NULL), GGK_OK);
    return walk;
}

static void next_is_number(ggk_walk *walk, uint64_t wanted)
{
    ggk_value v;
    assert_int_equal(ggk_walk_next(walk, &v), GGK_WALK_VALUE);
    assert_int_equal(v.as.u, wanted);
}

static void next_is_string(ggk_walk *walk, const char *wanted)
{
    ggk_value v;
    assert_int_equal(ggk_walk_next(walk, &v), GGK_WALK_VALUE);
    assert_int_equal(v.type, V_STR);
    assert_int_equal(v.as.s.len, strlen(wanted));
    assert_memory_equal(v.as.s.ptr, wanted, v.as.s.len);
}

static void next_is_open(ggk_walk *walk, uint64_t n, uint32_t type)
{
    ggk_value v;
    assert_int_equal(ggk_walk_next(walk, &v), GGK_WALK_OPEN);
    assert_int_equal(v.as.u, n);
    assert_int_equal(v.type, type);
}

static void next_is(ggk_walk *walk, ggk_event event)
{
    ggk_value v = {99, {.u = 99}};
    assert_int_equal(ggk_walk_next(walk, &v), event);
    if (event != GGK_WALK_BROKEN)
        assert_int_equal(v.type, 99);
}

static void next_is_end(ggk_walk *walk)
{
    next_is(walk, GGK_WALK_END);
    next_is(walk, GGK_WALK_END);
    assert_int_equal(ggk_walk_skip(walk, 1), 0);
}

static void scalars_are_one_value(void **state)
{
    struct bytes b = bytes_features(3, false);
    ggk_model *model = open_bytes(&b);
    ggk_walk walk = walk_of(model, "u32");

    (void)state;
    next_is_number(&walk, UINT32_MAX);
    next_is_end(&walk);
    walk = walk_of(model, "general.architecture");
    next_is_string(&walk, "llama");
    next_is_end(&walk);
    /* A scalar can be passed over too. */
    walk = walk_of(model, "u64");
    assert_int_equal(ggk_walk_skip(&walk, 0), 0);
    assert_int_equal(ggk_walk_skip(&walk, 5), 1);
    next_is_end(&walk);
    walk = walk_of(model, "general.architecture");
    assert_int_equal(ggk_walk_skip(&walk, UINT64_MAX), 1);
    next_is_end(&walk);
    ggk_model_close(model);
    bytes_free(&b);
}

static void nested_arrays_open_and_close(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct bytes b = bytes_features(i < 3 ? i + 1 : 3, i == 3);
        ggk_model *model = open_bytes(&b);
        ggk_walk walk = walk_of(model, "nested");

        next_is_open(&walk, 3, V_ARR);
        next_is_open(&walk, 2, V_U16);
        next_is_number(&walk, 1);
        next_is_number(&walk, 2);
        next_is(&walk, GGK_WALK_CLOSE);
        next_is_open(&walk, 0, V_F64);
        next_is(&walk, GGK_WALK_CLOSE);
        next_is_open(&walk, 1, V_ARR);
        next_is_open(&walk, 2, V_STR);
        next_is_string(&walk, "x");
        next_is_string(&walk, "yz");
        next_is(&walk, GGK_WALK_CLOSE);
        next_is(&walk, GGK_WALK_CLOSE);
        next_is(&walk, GGK_WALK_CLOSE);
        next_is_end(&walk);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

/* How deep a walk is, and where, before each event of
 * [[1, 2], [], [["x", "yz"]]]. */
static void walks_know_where_they_are(void **state)
{
    static const struct {
        ggk_event event;
        uint32_t depth;
        unsigned at; /* from the start of the value */
    } steps[] = {
        {GGK_WALK_OPEN, 0, 0},   {GGK_WALK_OPEN, 1, 12},
        {GGK_WALK_VALUE, 2, 24}, {GGK_WALK_VALUE, 2, 26},
        {GGK_WALK_CLOSE, 2, 28}, {GGK_WALK_OPEN, 1, 28},
        {GGK_WALK_CLOSE, 2, 40}, {GGK_WALK_OPEN, 1, 40},
        {GGK_WALK_OPEN, 2, 52},  {GGK_WALK_VALUE, 3, 64},
        {GGK_WALK_VALUE, 3, 73}, {GGK_WALK_CLOSE, 3, 83},
        {GGK_WALK_CLOSE, 2, 83}, {GGK_WALK_CLOSE, 1, 83},
        {GGK_WALK_END, 0, 83},   {GGK_WALK_END, 0, 83},
    };
    struct bytes b = bytes_of(3, false);
    struct bytes plain = bytes_features(3, false);
    ggk_open_opts opts = no_opts();
    ggk_model *model;
    ggk_walk walk;
    ggk_value v;
    ggk_kv kv;

    (void)state;
    opts.base_off = 1000;
    put_fill(&b, 0, 1000);
    put_raw(&b, plain.at, plain.n);
    assert_int_equal(kind_open(KIND_MEMORY, &b, &opts, &model, NULL), GGK_OK);
    assert_int_equal(ggk_model_kv(model, 4, &kv, NULL), GGK_OK);
    walk = walk_of(model, "nested");
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        assert_int_equal(ggk_walk_depth(&walk), steps[i].depth);
        assert_int_equal(ggk_walk_position(&walk),
                         kv.value_off - 12 + steps[i].at);
        assert_int_equal(ggk_walk_next(&walk, &v), steps[i].event);
    }
    assert_int_equal(kv.value_off - 12 + 83, kv.end_off);
    assert_int_equal(ggk_walk_start(model, 99, &walk, NULL), GGK_E_RANGE);
    assert_int_equal(ggk_walk_depth(&walk), 0);
    assert_true(ggk_walk_position(&walk) == GGK_NO_OFFSET);
    ggk_model_close(model);
    bytes_free(&plain);
    bytes_free(&b);
}

/* From every position, any number of elements. */
static void skips_start_anywhere(void **state)
{
    static const char *const tokens[] = {"<unk>", "<s>", "</s>", "▁the", ""};

    (void)state;
    for (unsigned i = 0; i < 4 * 6 * 8; i++) {
        struct bytes b = bytes_features(i % 4 < 3 ? i % 4 + 1 : 3, i % 4 == 3);
        uint64_t read = i / 4 % 6, skip = i / 24;
        uint64_t skipped = skip < 5 - read ? skip : 5 - read;
        ggk_model *model = open_bytes(&b);
        ggk_walk ints = walk_of(model, "ints");
        ggk_walk strings = walk_of(model, "tokens");
        uint64_t at = 0;

        next_is_open(&ints, 5, V_I32);
        next_is_open(&strings, 5, V_STR);
        for (; at < read; at++) {
            next_is_number(&ints, (uint64_t)((int64_t)at - 2));
            next_is_string(&strings, tokens[at]);
        }
        assert_int_equal(ggk_walk_skip(&ints, skip), skipped);
        assert_int_equal(ggk_walk_skip(&strings, skip), skipped);
        for (at += skipped; at < 5; at++) {
            next_is_number(&ints, (uint64_t)((int64_t)at - 2));
            next_is_string(&strings, tokens[at]);
        }
        next_is(&ints, GGK_WALK_CLOSE);
        next_is(&strings, GGK_WALK_CLOSE);
        next_is_end(&ints);
        next_is_end(&strings);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

/* Whole arrays within an array, before, between and after others. */
static void skips_pass_over_nested_arrays(void **state)
{
    struct bytes b = bytes_features(3, false);
    ggk_model *model = open_bytes(&b);
    ggk_walk walk = walk_of(model, "nested");

    (void)state;
    assert_int_equal(ggk_walk_skip(&walk, 1), 1); /* all of it */
    next_is_end(&walk);
    for (uint64_t n = 0; n <= 4; n++) {
        walk = walk_of(model, "nested");
        next_is_open(&walk, 3, V_ARR);
        assert_int_equal(ggk_walk_skip(&walk, n), n < 3 ? n : 3);
        if (n == 0)
            next_is_open(&walk, 2, V_U16);
        else if (n == 1)
            next_is_open(&walk, 0, V_F64);
        else if (n == 2)
            next_is_open(&walk, 1, V_ARR);
        else
            next_is(&walk, GGK_WALK_CLOSE);
    }
    next_is_end(&walk);
    /* Out of the middle of an inner one, on from its end. */
    walk = walk_of(model, "nested");
    next_is_open(&walk, 3, V_ARR);
    next_is_open(&walk, 2, V_U16);
    assert_int_equal(ggk_walk_skip(&walk, 1), 1);
    next_is_number(&walk, 2);
    assert_int_equal(ggk_walk_skip(&walk, 1), 0);
    next_is(&walk, GGK_WALK_CLOSE);
    assert_int_equal(ggk_walk_skip(&walk, 2), 2);
    next_is(&walk, GGK_WALK_CLOSE);
    next_is_end(&walk);
    ggk_model_close(model);
    bytes_free(&b);
}

/* Where the file remembers places of strings, and where it does not: arrays of
 * thousands, one after the other, and nested ones. */
enum { MANY_STRINGS = 13000 };

/* String `i` of array `a` is its own number. */
static void put_many_strings(struct bytes *b, unsigned a)
{
    put_array(b, V_STR, MANY_STRINGS);
    for (unsigned i = 0; i < MANY_STRINGS; i++) {
        char text[32];
        snprintf(text, sizeof text, "%u.%u", a, i);
        put_str(b, text);
    }
}

static void next_is_many_string(ggk_walk *walk, unsigned a, uint64_t i)
{
    char text[32];

    snprintf(text, sizeof text, "%u.%" PRIu64, a, i);
    next_is_string(walk, text);
}

static void skip_many_strings(const ggk_model *model, unsigned a,
                              const char *key, uint64_t from, uint64_t n)
{
    ggk_walk walk = walk_of(model, key);

    if (a == 1)
        next_is_open(&walk, 1, V_ARR);
    next_is_open(&walk, MANY_STRINGS, V_STR);
    assert_int_equal(ggk_walk_skip(&walk, from), from);
    if (from < MANY_STRINGS)
        next_is_many_string(&walk, a, from++);
    if (n > MANY_STRINGS - from)
        n = MANY_STRINGS - from;
    assert_int_equal(ggk_walk_skip(&walk, n), n);
    if (from + n < MANY_STRINGS)
        next_is_many_string(&walk, a, from + n);
    else
        next_is(&walk, GGK_WALK_CLOSE);
}

static void skips_of_many_strings_land_right(void **state)
{
    static const uint64_t steps[] = {0,    1,    31,   4095,  4096,  4097, 8190,
                                     8191, 8192, 8193, 12287, 12289, 13000};
    static const char *const keys[] = {"first", "nested", "third"};
    enum { N = sizeof steps / sizeof steps[0] };

    (void)state;
    for (unsigned form = 0; form < 4; form++) {
        struct bytes b = bytes_of(form < 3 ? form + 1 : 3, form == 3);
        ggk_model *model;

        put_header(&b, 0, 3);
        for (unsigned a = 0; a < 3; a++) {
            put_key(&b, keys[a], V_ARR);
            if (a == 1)
                put_array(&b, V_ARR, 1);
            put_many_strings(&b, a);
        }
        model = open_bytes(&b);
        for (unsigned i = 0; i < 3 * N * N; i++)
            skip_many_strings(model, i % 3, keys[i % 3], steps[i / 3 % N],
                              steps[i / 3 / N]);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

/* Each string is 10 bytes and its length, so that its place can be counted. */
static void skips_break_at_strings_that_changed(void **state)
{
    enum { N = 10000, AT = 9000 };
    struct bytes b = bytes_of(3, false);
    ggk_model *model;
    ggk_walk walk;
    size_t start;

    (void)state;
    put_header(&b, 0, 1);
    put_key(&b, "k", V_ARR);
    put_array(&b, V_STR, N);
    start = b.n;
    for (int i = 0; i < N; i++)
        put_str(&b, "0123456789");
    model = open_bytes(&b);
    bytes_patch(&b, start + AT * 18, UINT64_MAX, 8);
    walk = walk_of(model, "k");
    next_is_open(&walk, N, V_STR);
    assert_int_equal(ggk_walk_skip(&walk, AT - 100), AT - 100);
    next_is_string(&walk, "0123456789");
    assert_int_equal(ggk_walk_skip(&walk, 500), 99);
    next_is(&walk, GGK_WALK_BROKEN);
    walk = walk_of(model, "k");
    next_is_open(&walk, N, V_STR);
    assert_int_equal(ggk_walk_skip(&walk, AT), AT);
    next_is(&walk, GGK_WALK_BROKEN);
    ggk_model_close(model);
    bytes_free(&b);
}

/* The count of the first array grows, as if the strings of the second, whose
 * places are remembered, were its own. */
static void skips_break_at_counts_that_changed(void **state)
{
    enum { N = 5000, SOME = 100 };

    (void)state;
    for (unsigned n_arrays = 1; n_arrays <= 2; n_arrays++) {
        struct bytes b = bytes_of(3, false);
        ggk_model *model;
        ggk_walk walk;

        put_header(&b, 0, n_arrays);
        for (unsigned a = 0; a < n_arrays; a++) {
            put_key(&b, a == 0 ? "k" : "l", V_ARR);
            put_array(&b, V_STR, N);
            for (int i = 0; i < N; i++) {
                put_count(&b, SOME);
                put_fill(&b, 'x', SOME);
            }
        }
        model = open_bytes(&b);
        bytes_patch(&b, 24 + 9 + 4 + 4, 10 * N, 8);
        walk = walk_of(model, "k");
        next_is_open(&walk, 10 * N, V_STR);
        assert_int_equal(ggk_walk_skip(&walk, N + N / 2 + SOME * 10), N);
        next_is(&walk, GGK_WALK_BROKEN);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

/* A slice of a large array costs what lies in it, not what lies before. */
static void slices_of_numbers_are_at_once(void **state)
{
    enum { N = 1000000 };
    struct bytes b = bytes_of(3, false);
    ggk_model *model;

    (void)state;
    put_header(&b, 0, 1);
    put_key(&b, "k", V_ARR);
    put_array(&b, V_U32, N);
    for (uint32_t i = 0; i < N; i++)
        put_u32(&b, i);
    model = open_bytes(&b);
    for (int i = 0; i < 1000; i++) {
        ggk_walk walk = walk_of(model, "k");
        next_is_open(&walk, N, V_U32);
        assert_int_equal(ggk_walk_skip(&walk, N - 5), N - 5);
        next_is_number(&walk, N - 5);
        assert_int_equal(ggk_walk_skip(&walk, UINT64_MAX), 4);
        next_is(&walk, GGK_WALK_CLOSE);
    }
    ggk_model_close(model);
    bytes_free(&b);
}

/* As when they are elements of one another. */
static void nested_numbers_are_passed_over_at_once(void **state)
{
    enum { N = 10000000 };
    struct bytes b = bytes_of(3, false);
    ggk_model *model;

    (void)state;
    put_header(&b, 0, 1);
    put_key(&b, "k", V_ARR);
    put_array(&b, V_ARR, 2);
    put_array(&b, V_U8, N);
    put_fill(&b, 0, N);
    put_array(&b, V_U8, 0);
    model = open_bytes(&b);
    for (int i = 0; i < 1000; i++) {
        ggk_walk walk = walk_of(model, "k");
        next_is_open(&walk, 2, V_ARR);
        assert_int_equal(ggk_walk_skip(&walk, 1), 1);
        next_is_open(&walk, 0, V_U8);
    }
    ggk_model_close(model);
    bytes_free(&b);
}

static void walks_of_no_key_fail(void **state)
{
    struct bytes b = bytes_features(3, false);
    ggk_model *model = open_bytes(&b);
    const struct failure wanted = {GGK_E_RANGE, GGK_NO_OFFSET, "", 12, 12};
    ggk_walk walk;
    ggk_error err;

    (void)state;
    expect_failure("walk", ggk_walk_start(model, 12, &walk, &err), &err,
                   &wanted);
    next_is(&walk, GGK_WALK_BROKEN);
    assert_int_equal(ggk_walk_skip(&walk, 1), 0);
    assert_int_equal(ggk_walk_start(model, UINT64_MAX, &walk, NULL),
                     GGK_E_RANGE);
    err = error_canary();
    assert_int_equal(ggk_walk_start(model, 0, &walk, &err), GGK_OK);
    expect_untouched(&err);
    ggk_model_close(model);
    bytes_free(&b);
}

/* The second array's count grows after the file was opened. */
static void walks_break_where_the_file_changed(void **state)
{
    struct bytes b = bytes_of(3, false);
    ggk_model *model;
    ggk_walk walk;
    size_t count;

    (void)state;
    put_header(&b, 0, 1);
    put_key(&b, "k", V_ARR);
    put_array(&b, V_ARR, 2);
    put_array(&b, V_U8, 1);
    put_u8(&b, 7);
    count = b.n + 4;
    put_array(&b, V_STR, 1);
    put_str(&b, "abc");
    model = open_bytes(&b);
    walk = walk_of(model, "k");
    next_is_open(&walk, 2, V_ARR);
    bytes_patch(&b, count, 2, 8);
    assert_int_equal(ggk_walk_skip(&walk, 2), 1);
    next_is(&walk, GGK_WALK_BROKEN);
    assert_int_equal(ggk_walk_skip(&walk, 2), 0);
    walk = walk_of(model, "k");
    assert_int_equal(ggk_walk_skip(&walk, 1), 0);
    next_is(&walk, GGK_WALK_BROKEN);
    /* A string that is longer than it was. */
    bytes_patch(&b, count, 1, 8);
    bytes_patch(&b, count + 8, 4, 8);
    walk = walk_of(model, "k");
    next_is_open(&walk, 2, V_ARR);
    assert_int_equal(ggk_walk_skip(&walk, 1), 1);
    next_is_open(&walk, 1, V_STR);
    assert_int_equal(ggk_walk_skip(&walk, 1), 0);
    next_is(&walk, GGK_WALK_BROKEN);
    ggk_model_close(model);
    bytes_free(&b);
}

/* An array that was 16 deep, and now is one deeper. */
static void walks_go_no_deeper_than_16(void **state)
{
    struct bytes b = bytes_of(3, false);
    ggk_model *model;
    ggk_walk walk;

    (void)state;
    put_header(&b, 0, 1);
    put_key(&b, "k", V_ARR);
    for (int d = 0; d < 15; d++)
        put_array(&b, V_ARR, 1);
    put_array(&b, V_STR, 1);
    put_str(&b, "1234");
    model = open_bytes(&b);
    bytes_patch(&b, b.n - 24, V_ARR, 4);
    walk = walk_of(model, "k");
    for (int d = 0; d < 16; d++)
        next_is_open(&walk, 1, V_ARR);
    next_is(&walk, GGK_WALK_BROKEN);
    ggk_model_close(model);
    bytes_free(&b);
}

/* ------------------------------------------------------------------ indexes */

/* "k" is an array of `n` strings: "", "1", "22", ... */
static ggk_model *open_strings(struct bytes *b, uint64_t n,
                               const ggk_open_opts *opts)
{
    ggk_model *model;

    put_header(b, 0, 1);
    put_key(b, "k", V_ARR);
    put_array(b, V_STR, n);
    for (uint64_t i = 0; i < n; i++) {
        put_count(b, i % 50);
        put_fill(b, (uint8_t)('a' + i % 26), i % 50);
    }
    assert_int_equal(kind_open(KIND_MEMORY, b, opts, &model, NULL), GGK_OK);
    return model;
}

static void expect_indexed_string(const ggk_index *index, uint64_t i)
{
    ggk_error err = error_canary();
    ggk_value v;

    assert_int_equal(ggk_index_get(index, i, &v, &err), GGK_OK);
    expect_untouched(&err);
    assert_int_equal(v.type, V_STR);
    assert_int_equal(v.as.s.len, i % 50);
    for (size_t j = 0; j < v.as.s.len; j++)
        assert_int_equal(v.as.s.ptr[j], 'a' + i % 26);
}

static void strings_are_found_by_number(void **state)
{
    static const uint64_t counts[] = {0,  1,  2,  31,  32,  33,
                                      63, 64, 65, 256, 257, 5000};

    (void)state;
    for (unsigned i = 0; i < 4 * sizeof counts / sizeof counts[0]; i++) {
        struct bytes b = bytes_of(i % 4 < 3 ? i % 4 + 1 : 3, i % 4 == 3);
        uint64_t n = counts[i / 4];
        const struct failure past = {GGK_E_RANGE, GGK_NO_OFFSET, "", n, n};
        ggk_model *model = open_strings(&b, n, NULL);
        ggk_index *index;
        ggk_error err = error_canary();
        ggk_value v = {99, {.u = 99}};

        assert_int_equal(ggk_index_new(model, 0, &index, &err), GGK_OK);
        expect_untouched(&err);
        assert_int_equal(ggk_index_count(index), n);
        for (uint64_t j = 0; j < n; j++)
            expect_indexed_string(index, n - 1 - j);
        expect_failure("past", ggk_index_get(index, n, &v, &err), &err, &past);
        assert_int_equal(v.type, 0);
        assert_int_equal(v.as.u, 0);
        assert_int_equal(ggk_index_get(index, UINT64_MAX, &v, NULL),
                         GGK_E_RANGE);
        ggk_index_free(index);
        ggk_model_close(model);
        bytes_free(&b);
    }
    ggk_index_free(NULL);
}

/* "8 bytes of memory for each 32 of them", and the index itself. */
static void indexes_take_little_memory(void **state)
{
    enum { N = 100000 };
    struct bytes b = bytes_of(3, false);
    struct ledger ledger = {0};
    ggk_allocator alloc = ledger_allocator(&ledger);
    ggk_open_opts opts = no_opts();
    ggk_model *model;
    ggk_index *index;
    size_t before;

    (void)state;
    opts.allocator = &alloc;
    model = open_strings(&b, N, &opts);
    before = ledger.bytes;
    ledger.peak = 0;
    assert_int_equal(ggk_index_new(model, 0, &index, NULL), GGK_OK);
    assert_true(ledger.bytes - before <= N / 32 * 8 + 128);
    assert_true(ledger.peak - before <= N / 32 * 8 + 128);
    ggk_index_free(index);
    assert_int_equal(ledger.bytes, before);
    ggk_model_close(model);
    assert_true(ledger_is_even(&ledger));
    bytes_free(&b);
}

/* An array of every type but strings and arrays: 0, 1, 2, ... */
static void numbers_are_found_by_number(void **state)
{
    static const size_t widths[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

    (void)state;
    for (unsigned i = 0; i < 2 * 13; i++) {
        uint32_t type = i / 2;
        struct bytes b = bytes_of(3, i % 2 != 0);
        ggk_model *model;
        ggk_index *index;
        ggk_value v;

        if (widths[type] == 0)
            continue;
        put_header(&b, 0, 1);
        put_key(&b, "k", V_ARR);
        put_array(&b, type, 100);
        for (uint8_t j = 0; j < 100; j++) {
            if (type == V_F32)
                put_f32(&b, j);
            else if (type == V_F64)
                put_f64(&b, j);
            else
                put_uint(&b, j, widths[type]);
        }
        model = open_bytes(&b);
        assert_int_equal(ggk_index_new(model, 0, &index, NULL), GGK_OK);
        assert_int_equal(ggk_index_count(index), 100);
        for (uint64_t j = 0; j < 100; j++) {
            assert_int_equal(ggk_index_get(index, 99 - j, &v, NULL), GGK_OK);
            assert_int_equal(v.type, type);
            assert_true(type == V_F32 || type == V_F64
                            ? v.as.f == (double)(99 - j)
                            : v.as.u == 99 - j);
        }
        assert_int_equal(ggk_index_get(index, 100, &v, NULL), GGK_E_RANGE);
        ggk_index_free(index);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

static void only_arrays_of_scalars_are_indexed(void **state)
{
    static const struct failure not_that = {GGK_E_TYPE, GGK_NO_OFFSET, "", 0,
                                            0};
    static const struct failure not_there = {GGK_E_RANGE, GGK_NO_OFFSET, "", 12,
                                             12};
    static const char *const keys[] = {"u32", "general.architecture", "nested"};
    struct bytes b = bytes_features(3, false);
    ggk_model *model = open_bytes(&b);
    ggk_index *index = (ggk_index *)model;
    ggk_error err;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        uint64_t at;
        assert_int_equal(ggk_model_find_kv(model, ggk_cstr(keys[i]), &at, NULL),
                         GGK_OK);
        index = (ggk_index *)model;
        expect_failure(keys[i], ggk_index_new(model, at, &index, &err), &err,
                       &not_that);
        assert_null(index);
        assert_int_equal(ggk_index_new(model, at, &index, NULL), GGK_E_TYPE);
    }
    index = (ggk_index *)model;
    expect_failure("12", ggk_index_new(model, 12, &index, &err), &err,
                   &not_there);
    assert_null(index);
    ggk_model_close(model);
    bytes_free(&b);
}

/* On failure what is given out is zeroed, also if it was half read. */
static void indexes_notice_a_change(void **state)
{
    static const struct failure wanted = {GGK_E_CHANGED, GGK_NO_OFFSET, "", 0,
                                          0};
    struct bytes b = bytes_of(3, false);
    ggk_model *model = open_strings(&b, 40, NULL);
    ggk_index *index, *other = (ggk_index *)model;
    ggk_value v = {99, {.u = 99}};
    ggk_error err;

    (void)state;
    assert_int_equal(ggk_index_new(model, 0, &index, NULL), GGK_OK);
    bytes_patch(&b, 24 + 9 + 4 + 12, UINT64_MAX, 8); /* the first string */
    expect_indexed_string(index, 35);
    expect_failure("hop", ggk_index_get(index, 1, &v, &err), &err, &wanted);
    assert_int_equal(v.type, 0);
    v.type = 99;
    expect_failure("get", ggk_index_get(index, 0, &v, &err), &err, &wanted);
    assert_int_equal(v.type, 0);
    assert_int_equal(v.as.u, 0);
    expect_failure("new", ggk_index_new(model, 0, &other, &err), &err, &wanted);
    assert_null(other);
    bytes_patch(&b, 24 + 9 + 4, 13, 4); /* its element type */
    expect_failure("head", ggk_index_new(model, 0, &other, &err), &err,
                   &wanted);
    ggk_index_free(index);
    ggk_model_close(model);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_answer_by_value),
        cmocka_unit_test(integers_at_the_limits_answer),
        cmocka_unit_test(floats_answer_as_floats),
        cmocka_unit_test(bools_answer_as_bools),
        cmocka_unit_test(strings_answer_as_strings),
        cmocka_unit_test(arrays_answer_nothing),
        cmocka_unit_test(unclear_keys_have_no_answer),
        cmocka_unit_test(scalars_are_one_value),
        cmocka_unit_test(nested_arrays_open_and_close),
        cmocka_unit_test(walks_know_where_they_are),
        cmocka_unit_test(skips_start_anywhere),
        cmocka_unit_test(skips_pass_over_nested_arrays),
        cmocka_unit_test(skips_of_many_strings_land_right),
        cmocka_unit_test(skips_break_at_strings_that_changed),
        cmocka_unit_test(skips_break_at_counts_that_changed),
        cmocka_unit_test(slices_of_numbers_are_at_once),
        cmocka_unit_test(nested_numbers_are_passed_over_at_once),
        cmocka_unit_test(walks_of_no_key_fail),
        cmocka_unit_test(walks_break_where_the_file_changed),
        cmocka_unit_test(walks_go_no_deeper_than_16),
        cmocka_unit_test(strings_are_found_by_number),
        cmocka_unit_test(indexes_take_little_memory),
        cmocka_unit_test(numbers_are_found_by_number),
        cmocka_unit_test(only_arrays_of_scalars_are_indexed),
        cmocka_unit_test(indexes_notice_a_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
