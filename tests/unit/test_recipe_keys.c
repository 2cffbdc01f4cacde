/* test_recipe_keys.c - the keys of a quantized file. */
#include "kinds.h"
#include "ops/recipe.h"

/* A model of the keys that quantizing changes, between others that it does
 * not: all of them strings, but for the first. */
static struct bytes bytes_keys(void)
{
    static const char *const keys[] = {"general.file_type",
                                       "a",
                                       "split.no",
                                       "split.count",
                                       "llama.split.count",
                                       "split.tensors.count",
                                       "general.split",
                                       "quantize.imatrix.file",
                                       "b",
                                       "quantize.imatrix.dataset",
                                       "c",
                                       "quantize.imatrix.entries_count",
                                       "d",
                                       "quantize.imatrix.chunks_count",
                                       "e",
                                       "general.quantization_version",
                                       "general.padding",
                                       "f"};
    const size_t n = sizeof keys / sizeof keys[0];
    struct bytes b = bytes_of(3, false);

    put_header(&b, 0, n + 1);
    put_kv_str(&b, "general.architecture", "llama");
    for (size_t i = 0; i < n; i++)
        put_kv_str(&b, keys[i], "old");
    return b;
}

static void expect_keys(const ggk_plan *plan, const char *const *keys)
{
    size_t n = 0;

    for (; keys[n] != NULL; n++) {
        assert_true(n < plan->files[0].n_kv);
        assert_int_equal(plan->files[0].kvs[n].key.len, strlen(keys[n]));
        assert_memory_equal(plan->files[0].kvs[n].key.ptr, keys[n],
                            strlen(keys[n]));
    }
    assert_int_equal(plan->files[0].n_kv, n);
}

static uint64_t number_of(ggk_plan *plan, const char *key)
{
    ggk_model *view;
    uint64_t n;
    ggk_kv kv;

    assert_int_equal(ggk_plan_view_kv(plan, 0, ggk_cstr(key), &view, NULL),
                     GGK_OK);
    assert_int_equal(ggk_model_kv(view, 0, &kv, NULL), GGK_OK);
    assert_int_equal(kv.type, GGK_VALUE_UINT32);
    assert_int_equal(ggk_model_get_u64(view, ggk_cstr(key), &n, NULL), GGK_OK);
    ggk_model_close(view);
    return n;
}

static ggk_plan *plan_of(const ggk_model *model)
{
    ggk_plan *plan;
    uint32_t file;

    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_file(plan, "out.gguf", &file, NULL), GGK_OK);
    assert_int_equal(ggk_plan_copy_keys(plan, 0, model, 0, NULL), GGK_OK);
    return plan;
}

static void test_plain(void **state)
{
    static const char *const keys[] = {"general.architecture",
                                       "a",
                                       "quantize.imatrix.file",
                                       "b",
                                       "quantize.imatrix.dataset",
                                       "c",
                                       "quantize.imatrix.entries_count",
                                       "d",
                                       "quantize.imatrix.chunks_count",
                                       "e",
                                       "general.padding",
                                       "f",
                                       "general.quantization_version",
                                       "general.file_type",
                                       NULL};
    struct bytes b = bytes_keys();
    ggk_model *model = open_bytes(&b);
    ggk_plan *plan = plan_of(model);
    (void)state;

    assert_int_equal(
        ggki_plan_quantized_keys(plan, 0,
                                 &(struct ggki_quantized_keys){
                                     .target = ggk_target_by_name("IQ3_M")},
                                 NULL),
        GGK_OK);
    expect_keys(plan, keys);
    assert_int_equal(number_of(plan, "general.quantization_version"), 2);
    assert_int_equal(number_of(plan, "general.file_type"), 27);
    ggk_plan_free(plan);
    ggk_model_close(model);
    bytes_free(&b);
}

static void test_imatrix(void **state)
{
    static const char *const keys[] = {"general.architecture",
                                       "a",
                                       "b",
                                       "quantize.imatrix.dataset",
                                       "c",
                                       "d",
                                       "quantize.imatrix.chunks_count",
                                       "e",
                                       "general.padding",
                                       "f",
                                       "general.quantization_version",
                                       "general.file_type",
                                       "quantize.imatrix.file",
                                       "quantize.imatrix.entries_count",
                                       NULL};
    const struct ggki_imatrix_keys imatrix = {"new.gguf", NULL, 0, 0};
    struct bytes b = bytes_keys();
    ggk_model *model = open_bytes(&b);
    ggk_plan *plan = plan_of(model);
    (void)state;

    assert_int_equal(
        ggki_plan_quantized_keys(
            plan, 0,
            &(struct ggki_quantized_keys){.target = ggk_target_by_name("Q4_0"),
                                          .imatrix = &imatrix},
            NULL),
        GGK_OK);
    expect_keys(plan, keys);
    assert_int_equal(number_of(plan, "quantize.imatrix.entries_count"), 0);
    ggk_plan_free(plan);
    ggk_model_close(model);
    bytes_free(&b);
}

/* Of a text 127 bytes are kept, or what is before a character they would cut;
 * of one that is no UTF-8 there, the bytes. */
static void test_long_texts(void **state)
{
    static const struct {
        const char *end; /* behind 125 letters */
        size_t kept;
    } texts[] = {{"", 125},          {"ab", 127},
                 {"abc", 127},       {"a\xc3\xa9", 126},
                 {"\xc3\xa9x", 127}, {"\xe2\x82\xac", 125},
                 {"a\xc3x", 127},    {"\xf0\x9f\x8d\x80", 125}};
    struct bytes b = bytes_keys();
    ggk_model *model = open_bytes(&b);
    (void)state;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[160];
        const struct ggki_imatrix_keys imatrix = {text, NULL, 0, 0};
        const struct ggki_quantized_keys keys = {
            .target = ggk_target_by_name("Q4_0"), .imatrix = &imatrix};
        ggk_plan *plan = plan_of(model);
        ggk_model *view;
        ggk_str kept;

        memset(text, 'x', 125);
        snprintf(text + 125, sizeof text - 125, "%s", texts[i].end);
        assert_int_equal(ggki_plan_quantized_keys(plan, 0, &keys, NULL),
                         GGK_OK);
        assert_int_equal(ggk_plan_view_kv(plan, 0,
                                          ggk_cstr("quantize.imatrix.file"),
                                          &view, NULL),
                         GGK_OK);
        assert_int_equal(ggk_model_get_str(view,
                                           ggk_cstr("quantize.imatrix.file"),
                                           &kept, NULL),
                         GGK_OK);
        assert_int_equal(kept.len, texts[i].kept);
        assert_memory_equal(kept.ptr, text, kept.len);
        ggk_model_close(view);
        ggk_plan_free(plan);
    }
    ggk_model_close(model);
    bytes_free(&b);
}

static void test_refused(void **state)
{
    const struct ggki_imatrix_keys many = {"x", "y", UINT64_C(1) << 32, 1};
    struct bytes b = bytes_keys();
    ggk_model *model = open_bytes(&b);
    ggk_plan *plan = plan_of(model);
    const struct ggki_quantized_keys keys = {
        .target = ggk_target_by_name("Q4_0"), .imatrix = &many};
    ggk_error err;
    (void)state;

    assert_int_equal(ggki_plan_quantized_keys(plan, 0, &keys, &err),
                     GGK_E_RANGE);
    assert_string_equal(err.what,
                        "quantize.imatrix.entries_count would be 4294967296, "
                        "which a UINT32 cannot hold");
    assert_int_equal(ggki_plan_quantized_keys(plan, 1, &keys, &err),
                     GGK_E_RANGE);
    assert_int_equal(err.need, 1);
    assert_int_equal(err.have, 1);
    ggk_plan_free(plan);
    ggk_model_close(model);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_imatrix),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
