/* test_decode.c - single entries, values and marks of a header that was read,
 * asked for at places where there are none: what is not there is not had. */
#include "kinds.h"
#include "sample.h"

#include "format/reader.h"

/* A header of the bytes in memory, which must outlive it. */
static void open_header(struct ggki_gguf *g, const struct bytes *b)
{
    ggk_open_opts opts = no_opts();

    opts.max_header_bytes = UINT64_MAX;
    opts.hash_seed[0] = 1;
    assert_int_equal(
        ggki_gguf_open(g, kind_source(KIND_MEMORY, b, NULL), NULL, &opts, NULL),
        GGK_OK);
}

static void entries_end_with_the_last(void **state)
{
    struct bytes b = bytes_features(3, false);
    struct ggki_gguf g;
    struct ggki_kv kv;
    struct ggki_info info;
    ggk_str name;

    (void)state;
    open_header(&g, &b);
    assert_true(ggki_gguf_kv(&g, FEATURE_KVS - 1, &kv));
    assert_false(ggki_gguf_kv(&g, FEATURE_KVS, &kv));
    assert_false(ggki_gguf_kv(&g, UINT64_MAX, &kv));
    assert_true(ggki_gguf_info(&g, FEATURE_TENSORS - 1, &info));
    assert_false(ggki_gguf_info(&g, FEATURE_TENSORS, &info));
    assert_false(ggki_gguf_info(&g, UINT64_MAX, &info));
    assert_true(ggki_gguf_tensor_name(&g, FEATURE_TENSORS - 1, &name));
    assert_false(ggki_gguf_tensor_name(&g, FEATURE_TENSORS, &name));
    ggki_gguf_close(&g);
    bytes_free(&b);
}

static void an_empty_file_has_no_entries(void **state)
{
    struct bytes b = bytes_of(3, false);
    struct ggki_gguf g;
    struct ggki_kv kv;
    struct ggki_info info;

    (void)state;
    put_header(&b, 0, 0);
    open_header(&g, &b);
    assert_false(ggki_gguf_kv(&g, 0, &kv));
    assert_false(ggki_gguf_info(&g, 0, &info));
    ggki_gguf_close(&g);
    bytes_free(&b);
}

/* A header of 24 bytes, and a key whose value of 16 bytes begins at 37: the
 * head of an array of four bytes. */
static void values_lie_before_their_end(void **state)
{
    static const struct {
        uint32_t type;
        uint64_t pos, end;
        uint64_t next; /* 0: there is none */
    } cases[] = {
        {V_U8, 37, 53, 38},
        {V_U8, 52, 53, 53},
        {V_U8, 53, 53, 0},
        {V_U8, 54, 53, 0},
        {V_U8, UINT64_MAX, 53, 0},
        {V_U8, 53, UINT64_MAX, 0}, /* the header ends before */
        {V_U8, 60, 100, 0},
        {V_F64, 45, 53, 53},
        {V_F64, 46, 53, 0},
        {V_F64, 46, UINT64_MAX, 0},
        {V_STR, 41, 53, 53},
        {V_STR, 41, 52, 0},
        {V_STR, 54, 53, 0},
        {V_STR, UINT64_MAX, UINT64_MAX, 0},
        {V_ARR, 37, 53, 0}, /* no scalar */
        {13, 37, 53, 0},
        {UINT32_MAX, 37, 53, 0},
    };
    struct bytes b = bytes_of(3, false);
    struct ggki_gguf g;

    (void)state;
    put_header(&b, 0, 1);
    put_key(&b, "a", V_ARR);
    assert_int_equal(b.n, 37);
    put_array(&b, V_U8, 4);
    put_u32(&b, 0);
    open_header(&g, &b);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ggk_value v;
        uint64_t next = 0;
        assert_int_equal(ggki_gguf_scalar(&g, cases[i].type, cases[i].pos,
                                          cases[i].end, &v, &next),
                         cases[i].next != 0);
        if (cases[i].next != 0)
            assert_int_equal(next, cases[i].next);
    }
    ggki_gguf_close(&g);
    bytes_free(&b);
}

static void arrays_lie_before_their_end(void **state)
{
    static const struct {
        uint64_t pos, end;
        bool there;
    } cases[] = {{37, 53, true},          {37, 52, false}, /* not all four */
                 {37, 48, false},         {54, 53, false},
                 {UINT64_MAX, 53, false}, {54, UINT64_MAX, false},
                 {37, UINT64_MAX, true}};
    struct bytes b = bytes_of(3, false);
    struct ggki_gguf g;

    (void)state;
    put_header(&b, 0, 1);
    put_key(&b, "a", V_ARR);
    put_array(&b, V_U8, 4);
    put_u32(&b, 0);
    open_header(&g, &b);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t type = 99;
        uint64_t n = 0, next = 0;
        assert_int_equal(
            ggki_gguf_array(&g, cases[i].pos, cases[i].end, &type, &n, &next),
            cases[i].there);
        assert_int_equal(next, cases[i].there ? 49 : 0);
        if (cases[i].there) {
            assert_int_equal(type, V_U8);
            assert_int_equal(n, 4);
        }
    }
    ggki_gguf_close(&g);
    bytes_free(&b);
}

/* Two arrays of empty strings, each with two marks; those of the second are not
 * taken for the first's. */
static void marks_are_those_of_their_array(void **state)
{
    enum { N = 2 * GGKI_MARK_STEP + 1, HEAD = 8 + 1 + 4 + 12 };
    struct bytes b = bytes_of(3, false);
    struct ggki_gguf g;
    uint64_t start[2], end[2];

    (void)state;
    put_header(&b, 0, 2);
    for (int i = 0; i < 2; i++) {
        put_key(&b, i == 0 ? "a" : "b", V_ARR);
        put_array(&b, V_STR, N);
        start[i] = b.n;
        put_fill(&b, 0, (size_t)8 * N);
        end[i] = b.n;
    }
    open_header(&g, &b);
    assert_int_equal(g.marks.n, 4);
    for (int i = 0; i < 2; i++) {
        static const struct {
            uint64_t asked, found;
        } cases[] = {{0, 0},
                     {GGKI_MARK_STEP - 1, 0},
                     {GGKI_MARK_STEP, GGKI_MARK_STEP},
                     {2 * GGKI_MARK_STEP - 1, GGKI_MARK_STEP},
                     {2 * GGKI_MARK_STEP, 2 * GGKI_MARK_STEP},
                     {3 * GGKI_MARK_STEP, 0}, /* past the end of the array */
                     {5 * GGKI_MARK_STEP, 0},
                     {UINT64_MAX, 0}};
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            uint64_t pos = start[i];
            assert_int_equal(ggki_gguf_mark(&g, cases[k].asked, &pos, end[i]),
                             cases[k].found);
            assert_int_equal(pos, start[i] + 8 * cases[k].found);
        }
    }
    ggki_gguf_close(&g);
    bytes_free(&b);
}

/* The path to an element may be longer than there is room for; it is cut. */
static void long_paths_are_cut(void **state)
{
    enum { EMPTY = 1000 };
    struct bytes b = bytes_of(3, false);
    ggk_model *model;
    ggk_error err;

    (void)state;
    put_header(&b, 0, 1);
    put_key(&b, "a", V_ARR);
    for (int depth = 0; depth < 15; depth++) {
        put_array(&b, V_ARR, EMPTY + 1);
        for (int i = 0; i < EMPTY; i++)
            put_array(&b, V_U8, 0);
    }
    put_array(&b, 13, 0);
    put_fill(&b, 0, 16 * EMPTY);
    assert_int_equal(kind_open(KIND_MEMORY, &b, NULL, &model, &err),
                     GGK_E_ELEM_TYPE);
    assert_string_equal(err.where,
                        "kv[0].value[1000][1000][1000][1000][1000][1000][1000]"
                        "[1000][1000][1000][1000][1000][1000][1000][1000]."
                        "elem");
    assert_int_equal(err.offset, 37 + 15 * 12 * (EMPTY + 1));
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_end_with_the_last),
        cmocka_unit_test(an_empty_file_has_no_entries),
        cmocka_unit_test(values_lie_before_their_end),
        cmocka_unit_test(arrays_lie_before_their_end),
        cmocka_unit_test(marks_are_those_of_their_array),
        cmocka_unit_test(long_paths_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
