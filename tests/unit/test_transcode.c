/* test_transcode.c - values from any encoding to any that is written.
 *
 * Each value is built by bytes.h in all encodings, which know nothing of each
 * other: recoding one must give the other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bytes.h"
#include "format/transcode.h"

#define PLAIN_ERROR 77 /* what a receiver may say */

static const struct ggki_encoding encodings[] = {
    {3, false}, {3, true}, {2, false}, {2, true}, {1, false}, {1, true},
};

enum { N_WRITTEN = 4, N_ENCODINGS = sizeof encodings / sizeof encodings[0] };

/* -------------------------------------------------------------- the values */

static void put_u8_array(struct bytes *b)
{
    put_array(b, V_U8, 3);
    put_raw(b, "\x01\x02\xff", 3);
}

static void put_scalars(struct bytes *b, uint32_t type, uint64_t n)
{
    static const size_t widths[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

    for (uint64_t i = 0; i < n; i++)
        put_uint(b, 0x0102030405060708 * (i + 1), widths[type]);
}

static void put_strings(struct bytes *b, size_t n)
{
    static const char text[] = "a string of some length, with a \0 in it";

    for (size_t i = 0; i < n; i++)
        put_str_n(b, text, i * 7 % sizeof text);
}

/* Arrays in arrays, `depth` of them, of which the innermost has two numbers. */
static void put_nested(struct bytes *b, int depth)
{
    for (int d = 1; d < depth; d++)
        put_array(b, V_ARR, 1);
    put_array(b, V_U16, 2);
    put_scalars(b, V_U16, 2);
}

/* One array of each kind within another. */
static void put_mixture(struct bytes *b)
{
    put_array(b, V_ARR, 6);
    put_array(b, V_STR, 3);
    put_strings(b, 3);
    put_array(b, V_ARR, 0);
    put_array(b, V_I32, 2);
    put_scalars(b, V_I32, 2);
    put_array(b, V_ARR, 2);
    put_array(b, V_STR, 0);
    put_array(b, V_STR, 1);
    put_str(b, "inner");
    put_array(b, V_BOOL, 2);
    put_raw(b, "\x01\x05", 2);
    put_array(b, V_F64, 1);
    put_scalars(b, V_F64, 1);
}

/* Number `i` of the values, its type; false if there are no more. */
static bool put_value(struct bytes *b, size_t i, uint32_t *type)
{
    enum { SCALARS = GGK_VALUE_TYPE_COUNT };

    *type = V_ARR;
    if (i < SCALARS && i != V_STR && i != V_ARR) {
        *type = (uint32_t)i;
        put_scalars(b, *type, 1);
    } else if (i < SCALARS) {
        *type = V_STR;
        put_str_n(b, "a \0 b", i == V_STR ? 5 : 0);
    } else if (i < 2 * SCALARS) { /* empty arrays */
        put_array(b, (uint32_t)i - SCALARS, 0);
    } else if (i < 3 * SCALARS && i % SCALARS != V_STR &&
               i % SCALARS != V_ARR) {
        put_array(b, (uint32_t)i % SCALARS, 1000 + i);
        put_scalars(b, (uint32_t)i % SCALARS, 1000 + i);
    } else if (i < 3 * SCALARS) {
        put_array(b, V_STR, 300);
        put_strings(b, 300);
    } else if (i < 3 * SCALARS + GGK_MAX_DEPTH) {
        put_nested(b, 1 + (int)(i - 3 * SCALARS));
    } else if (i == 3 * SCALARS + GGK_MAX_DEPTH) {
        put_mixture(b);
    } else if (i == 3 * SCALARS + GGK_MAX_DEPTH + 1) {
        put_u8_array(b);
    } else {
        return false;
    }
    return true;
}

static struct bytes bytes_in(struct ggki_encoding encoding)
{
    return bytes_of(encoding.version, encoding.big);
}

/* ------------------------------------------------------------- the receiver */

struct receiver {
    struct bytes got;
    size_t calls;
    size_t fail_at; /* the call that fails, from 1 */
};

static ggk_status receive(void *ctx, const void *bytes, size_t n)
{
    struct receiver *r = ctx;

    assert_true(n > 0);
    if (++r->calls == r->fail_at)
        return (ggk_status)PLAIN_ERROR;
    put_raw(&r->got, bytes, n);
    return GGK_OK;
}

/* A copy of its own size, so that a read past it is seen. */
struct copy {
    uint8_t *bytes;
    struct ggki_stored_value value;
};

static struct copy copy_of(const struct bytes *b, size_t n, uint32_t type)
{
    uint8_t *bytes = malloc(n > 0 ? n : 1);

    assert_non_null(bytes);
    if (n > 0)
        memcpy(bytes, b->at, n);
    return (struct copy){bytes, {bytes, n, type, {b->version, b->big}}};
}

static uint64_t recoded_size(const struct ggki_stored_value *value,
                             struct ggki_encoding to)
{
    uint64_t size = 7;
    ggk_error err = {.status = GGK_OK};

    assert_int_equal(ggki_value_recoded_bytes(value, to, &size, &err), GGK_OK);
    assert_int_equal(err.status, GGK_OK);
    return size;
}

static void expect_recoded(const struct bytes *from, uint32_t type,
                           const struct bytes *wanted)
{
    struct ggki_encoding to = {wanted->version, wanted->big};
    struct copy copy = copy_of(from, from->n, type);
    struct receiver r = {bytes_of(3, false), 0, 0};
    ggk_error err = {.status = GGK_OK};

    assert_int_equal(recoded_size(&copy.value, to), wanted->n);
    assert_int_equal(
        ggki_value_recode(&copy.value, to, wanted->n, receive, &r, &err),
        GGK_OK);
    assert_int_equal(err.status, GGK_OK);
    assert_int_equal(r.got.n, wanted->n);
    assert_memory_equal(r.got.at, wanted->at, wanted->n);
    bytes_free(&r.got);
    free(copy.bytes);
}

/* ------------------------------------------------------------------- right */

static void values_are_recoded_between_all_encodings(void **state)
{
    (void)state;
    for (size_t i = 0;; i++) {
        struct bytes in[N_ENCODINGS];
        uint32_t type = 0;
        bool more = true;

        for (size_t e = 0; e < N_ENCODINGS; e++) {
            in[e] = bytes_in(encodings[e]);
            more = put_value(&in[e], i, &type);
        }
        for (size_t e = 0; e < N_ENCODINGS && more; e++)
            for (size_t to = 0; to < N_WRITTEN; to++)
                expect_recoded(&in[e], type, &in[to]);
        for (size_t e = 0; e < N_ENCODINGS; e++)
            bytes_free(&in[e]);
        if (!more)
            break;
    }
}

static void long_arrays_are_recoded(void **state)
{
    enum { N = 1000000 };
    static const uint32_t types[] = {V_U8, V_I16, V_F32, V_BOOL, V_STR, V_U64};

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct bytes in[3];

        for (size_t e = 0; e < 3; e++) {
            in[e] = bytes_in(encodings[e == 2 ? N_WRITTEN : e]);
            put_array(&in[e], types[i], N);
            if (types[i] == V_STR)
                put_strings(&in[e], N);
            else
                put_scalars(&in[e], types[i], N);
        }
        expect_recoded(&in[0], V_ARR, &in[1]);
        expect_recoded(&in[1], V_ARR, &in[0]);
        expect_recoded(&in[2], V_ARR, &in[1]);
        for (size_t e = 0; e < 3; e++)
            bytes_free(&in[e]);
    }
}

/* Strings around the size of the writer's buffer. */
static void strings_of_any_length_are_recoded(void **state)
{
    struct bytes text = bytes_of(3, false);

    (void)state;
    put_fill(&text, 'x', 10000);
    for (size_t i = 0; i < 24; i++) {
        struct bytes from = bytes_of(1, false), to = bytes_of(3, true);
        size_t len = i < 20 ? 4070 + i * 2 : 8180 + i;

        for (int k = 0; k < 2; k++) {
            struct bytes *b = k == 0 ? &from : &to;
            put_array(b, V_STR, 3);
            put_str_n(b, (const char *)text.at, len);
            put_str(b, "");
            put_str_n(b, (const char *)text.at, len + 1);
        }
        expect_recoded(&from, V_ARR, &to);
        bytes_free(&from);
        bytes_free(&to);
    }
    bytes_free(&text);
}

/* As it stands, odd bytes and all. */
static void the_same_encoding_passes_bytes_on(void **state)
{
    struct bytes b = bytes_of(3, true);

    (void)state;
    put_fill(&b, 0xee, 9000);
    expect_recoded(&b, V_ARR, &b);
    expect_recoded(&b, 99, &b);
    b.n = 0;
    expect_recoded(&b, V_STR, &b);
    bytes_free(&b);
}

/* ------------------------------------------------------------------- wrong */

/* Recode what may be anything. It must end in GGK_OK or `status`, with no more
 * than was promised; returns the result. */
static ggk_status try_recode(const struct ggki_stored_value *value,
                             struct ggki_encoding to, uint64_t promised,
                             ggk_status status)
{
    struct receiver r = {bytes_of(3, false), 0, 0};
    ggk_error err = {.status = GGK_OK};
    ggk_status result =
        ggki_value_recode(value, to, promised, receive, &r, &err);

    assert_true(r.got.n <= promised);
    assert_int_equal(err.status, result);
    if (result == GGK_OK)
        assert_int_equal(r.got.n, promised);
    else
        assert_int_equal(result, status);
    bytes_free(&r.got);
    return result;
}

/* The size function on what may be anything, then the writer by its promise. */
static ggk_status try_both(const struct ggki_stored_value *value,
                           struct ggki_encoding to)
{
    uint64_t size = 7;
    ggk_error err = {.status = GGK_OK};
    ggk_status status = ggki_value_recoded_bytes(value, to, &size, &err);

    assert_int_equal(err.status, status);
    if (status == GGK_OK)
        return try_recode(value, to, size, GGK_E_CHANGED);
    assert_int_equal(status, GGK_E_CHANGED);
    assert_int_equal(size, 0);
    return status;
}

static void cut_values_are_changed_ones(void **state)
{
    (void)state;
    for (size_t e = 0; e < N_ENCODINGS; e++) {
        struct bytes b = bytes_in(encodings[e]);
        struct ggki_encoding to = {3, !b.big};

        put_mixture(&b);
        for (size_t n = 0; n < b.n; n++) {
            struct copy copy = copy_of(&b, n, V_ARR);
            assert_int_equal(try_both(&copy.value, to), GGK_E_CHANGED);
            assert_int_equal(try_recode(&copy.value, to, b.n, GGK_E_CHANGED),
                             GGK_E_CHANGED);
            free(copy.bytes);
        }
        bytes_free(&b);
    }
}

static void bytes_after_a_value_are_a_change(void **state)
{
    (void)state;
    for (size_t i = 0;; i++) {
        struct bytes b = bytes_of(1, false);
        struct copy copy;
        uint32_t type;

        if (!put_value(&b, i, &type))
            break;
        put_u8(&b, 0);
        copy = copy_of(&b, b.n, type);
        assert_int_equal(
            try_both(&copy.value, (struct ggki_encoding){3, false}),
            GGK_E_CHANGED);
        assert_int_equal(try_both(&copy.value, (struct ggki_encoding){3, true}),
                         GGK_E_CHANGED);
        free(copy.bytes);
        bytes_free(&b);
    }
}

/* Each byte of a value changed, before its size is asked for or after. */
static void meddled_values_do_no_harm(void **state)
{
    static const uint8_t changes[] = {0x01, 0x80, 0xff, 0x08, 0x09};

    (void)state;
    for (size_t e = 0; e < N_ENCODINGS; e++) {
        struct bytes b = bytes_in(encodings[e]);
        size_t refused = 0;

        put_mixture(&b);
        for (size_t i = 0; i < b.n * sizeof changes; i++) {
            struct ggki_encoding to = {3, !b.big};
            struct copy copy = copy_of(&b, b.n, V_ARR);
            uint64_t size = recoded_size(&copy.value, to);

            copy.bytes[i / sizeof changes] ^= changes[i % sizeof changes];
            refused +=
                try_recode(&copy.value, to, size, GGK_E_CHANGED) != GGK_OK;
            try_both(&copy.value, to);
            free(copy.bytes);
        }
        assert_true(refused > b.n);
        bytes_free(&b);
    }
}

static void promises_are_kept(void **state)
{
    (void)state;
    for (size_t e = 0; e < N_ENCODINGS; e++) {
        struct bytes b = bytes_in(encodings[e]);
        struct copy copy;
        uint64_t size;

        put_mixture(&b);
        copy = copy_of(&b, b.n, V_ARR);
        for (size_t to = 0; to < N_WRITTEN; to++) {
            size = recoded_size(&copy.value, encodings[to]);
            for (uint64_t promised = 0; promised < 2 * size; promised++)
                assert_int_equal(try_recode(&copy.value, encodings[to],
                                            promised, GGK_E_CHANGED),
                                 promised == size ? GGK_OK : GGK_E_CHANGED);
        }
        free(copy.bytes);
        bytes_free(&b);
    }
}

static void expect_changed(const struct bytes *b, uint32_t type)
{
    struct copy copy = copy_of(b, b->n, type);

    assert_int_equal(try_both(&copy.value, (struct ggki_encoding){3, !b->big}),
                     GGK_E_CHANGED);
    free(copy.bytes);
}

static void impossible_values_are_changed_ones(void **state)
{
    (void)state;
    for (size_t e = 0; e < N_ENCODINGS; e++) {
        struct bytes b = bytes_in(encodings[e]);
        const uint32_t types[] = {V_U8, V_U16, V_F32, V_STR, V_ARR, V_F64};

        put_nested(&b, GGK_MAX_DEPTH + 1);
        expect_changed(&b, V_ARR);
        for (size_t i = 0; i < 8 * (sizeof types / sizeof types[0]); i++) {
            static const uint64_t counts[] = {2,
                                              9,
                                              INT32_MAX,
                                              UINT32_MAX,
                                              (UINT64_C(1) << 61) + 2,
                                              INT64_MAX,
                                              UINT64_MAX - 7,
                                              UINT64_MAX};
            b.n = 0;
            put_array(&b, types[i / 8], counts[i % 8]);
            expect_changed(&b, V_ARR);
            put_u8(&b, 0);
            expect_changed(&b, V_ARR);
        }
        b.n = 0;
        put_array(&b, GGK_VALUE_TYPE_COUNT, 0);
        expect_changed(&b, V_ARR);
        b.n = 0;
        put_str_n(&b, "", 0);
        bytes_patch(&b, 0, 1, bytes_of_count(&b));
        expect_changed(&b, V_STR);
        bytes_patch(&b, 0, UINT64_MAX, bytes_of_count(&b));
        expect_changed(&b, V_STR);
        expect_changed(&b, GGK_VALUE_TYPE_COUNT);
        expect_changed(&b, UINT32_MAX);
        bytes_free(&b);
    }
}

static void other_versions_are_not_written(void **state)
{
    static const uint32_t versions[] = {0, 1, 4, UINT32_MAX};
    struct bytes b = bytes_of(1, false);
    struct copy copy;

    (void)state;
    put_str(&b, "text");
    copy = copy_of(&b, b.n, V_STR);
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        struct ggki_encoding to = {versions[i], false};
        uint64_t size = 7;
        ggk_error err;

        assert_int_equal(ggki_value_recoded_bytes(&copy.value, to, &size, &err),
                         GGK_E_ARG);
        assert_int_equal(err.status, GGK_E_ARG);
        assert_int_equal(size, 0);
        assert_int_equal(
            ggki_value_recode(&copy.value, to, b.n, receive, NULL, &err),
            GGK_E_ARG);
        assert_int_equal(
            ggki_value_recode(&copy.value, to, b.n, receive, NULL, NULL),
            GGK_E_ARG);
    }
    free(copy.bytes);
    bytes_free(&b);
}

/* Whichever call fails, it is the last. */
static void a_receiver_that_fails_ends_it(void **state)
{
    (void)state;
    for (size_t e = 0; e < N_ENCODINGS; e++) {
        struct bytes b = bytes_in(encodings[e]);
        struct ggki_encoding to = {3, true};
        struct copy copy;
        size_t at = 0;
        ggk_status status;

        put_array(&b, V_ARR, 3);
        put_array(&b, V_U32, 5000);
        put_scalars(&b, V_U32, 5000);
        put_array(&b, V_STR, 500);
        put_strings(&b, 500);
        put_array(&b, V_STR, 1);
        put_count(&b, 9000);
        put_fill(&b, 'x', 9000);
        copy = copy_of(&b, b.n, V_ARR);
        do {
            struct receiver r = {bytes_of(3, false), 0, ++at};
            status = ggki_value_recode(&copy.value, to,
                                       recoded_size(&copy.value, to), receive,
                                       &r, NULL);
            assert_int_equal(r.calls, status == GGK_OK ? at - 1 : at);
            bytes_free(&r.got);
        } while (status == (ggk_status)PLAIN_ERROR);
        assert_int_equal(status, GGK_OK);
        free(copy.bytes);
        bytes_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_recoded_between_all_encodings),
        cmocka_unit_test(long_arrays_are_recoded),
        cmocka_unit_test(strings_of_any_length_are_recoded),
        cmocka_unit_test(the_same_encoding_passes_bytes_on),
        cmocka_unit_test(cut_values_are_changed_ones),
        cmocka_unit_test(bytes_after_a_value_are_a_change),
        cmocka_unit_test(meddled_values_do_no_harm),
        cmocka_unit_test(promises_are_kept),
        cmocka_unit_test(impossible_values_are_changed_ones),
        cmocka_unit_test(other_versions_are_not_written),
        cmocka_unit_test(a_receiver_that_fails_ends_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
