/* test_pre_tokenizers.c - which values of tokenizer.ggml.pre are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/pre_tokenizers.h"

/* From all over the table: were it out of order, some would be missed. */
static const char *const known_names[] = {
    "a.x-4.0",  "afmoe",     "bailingmoe", "bailingmoe2",   "default",
    "exaone",   "exaone4",   "exaone-moe", "glm4",          "gpt-2",
    "gpt-4o",   "hy_v4",     "hunyuan",    "hunyuan-dense", "jais",
    "jais-2",   "kimi-k2",   "llama-bpe",  "llama-v3",      "llama3",
    "llama4",   "mellum",    "mellum2",    "midm-2.0",      "qwen2",
    "qwen35",   "smaug-bpe", "smollm",     "spark2_5",      "tekken",
    "tiny_aya", "ufakzeka",  "whitespace", "youtu",
};

static const char *const unknown_names[] = {
    "",      "a",      "bailing", "bailingmoe3", "Default", "default ", "gpt2",
    "llama", "llama5", "qwen",    "youtux",      "zebra",   "\xff",
};

static void test_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known_names / sizeof known_names[0]; i++)
        assert_true(ggki_pre_tokenizer_is_known(ggk_cstr(known_names[i])));
}

static void test_unknown(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof unknown_names / sizeof unknown_names[0]; i++)
        assert_false(ggki_pre_tokenizer_is_known(ggk_cstr(unknown_names[i])));
    assert_false(ggki_pre_tokenizer_is_known((ggk_str){NULL, 0}));
    assert_false(ggki_pre_tokenizer_is_known((ggk_str){"qwen2", 6}));
    assert_true(ggki_pre_tokenizer_is_known((ggk_str){"qwen2x", 5}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
