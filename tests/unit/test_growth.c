/* test_growth.c - structs that the library fills can say more one day, without
 * growing. */
#include "bytes.h"
#include "ggk.h"
#include "kinds.h"

#define ROOM_OF(type, member) \
    (sizeof(((type *)NULL)->member) / sizeof(uint64_t))

static void results_have_room(void **state)
{
    (void)state;
    assert_true(ROOM_OF(ggk_file, reserved) >= 4);
    assert_true(ROOM_OF(ggk_verdict, reserved) >= 4);
    assert_true(ROOM_OF(ggk_config, reserved) >= 4);
    assert_true(ROOM_OF(ggk_diff_result, reserved) >= 4);
    assert_true(ROOM_OF(ggk_fixed, reserved) >= 4);
    assert_true(GGK_DIFF_KIND_COUNT < GGK_DIFF_KIND_ROOM);
    assert_int_equal(ROOM_OF(ggk_diff_result, n), GGK_DIFF_KIND_ROOM);
    assert_true(GGK_PARAM_COUNT < GGK_PARAM_ROOM);
    assert_int_equal(sizeof(((ggk_config *)NULL)->params),
                     GGK_PARAM_ROOM * sizeof(ggk_param_value));
}

/* What is not used yet is zero, whatever was there. */
static void room_is_zeroed(void **state)
{
    struct bytes b = bytes_of(3, false);
    ggk_diff_result result;
    ggk_config config;
    ggk_model *model;
    ggk_file file;

    (void)state;
    put_header(&b, 0, 1);
    put_kv_str(&b, "general.architecture", "llama");
    assert_int_equal(kind_open(KIND_MEMORY, &b, NULL, &model, NULL), GGK_OK);
    memset(&file, 0x55, sizeof file);
    memset(&config, 0x55, sizeof config);
    memset(&result, 0x55, sizeof result);
    assert_int_equal(ggk_model_file(model, 0, &file, NULL), GGK_OK);
    assert_int_equal(ggk_model_config(model, &config, NULL), GGK_OK);
    assert_int_equal(ggk_diff(model, model, NULL, NULL, NULL, &result, NULL),
                     GGK_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(file.reserved[i], 0);
        assert_int_equal(config.reserved[i], 0);
        assert_int_equal(result.reserved[i], 0);
    }
    assert_int_equal(result.n[GGK_DIFF_KIND_ROOM - 1], 0);
    ggk_model_close(model);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_have_room),
        cmocka_unit_test(room_is_zeroed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
