/* test_check_blocks.c - what check finds in the tensors that a model has: their
 * shapes, their blocks, and which are missing. */
#include "judge.h"

/* A mamba of 4 by 3 tokens, with a tokenizer of that kind. */
static struct bytes bytes_shaped(const char *kind, const char *key,
                                 const char *name, const uint64_t ne[3])
{
    struct bytes b = bytes_mamba(1, 5);

    put_kv_str(&b, "general.type", key[0] == 'a' ? "adapter" : "model");
    put_kv_str(&b, "tokenizer.ggml.model", kind);
    put_key(&b, "tokenizer.ggml.tokens", V_ARR);
    put_array(&b, V_STR, 3);
    for (int i = 0; i < 3; i++)
        put_str(&b, "x");
    put_kv_u32(&b, "mamba.feed_forward_length", 6);
    put_kv_u32(&b, key, 6);
    put_info(&b, name, 3, ne, 0, 0);
    return b;
}

/* A length that is not known, or is told twice, says nothing. */
static void shapes_are_those_that_keys_tell(void **state)
{
    static const struct {
        const char *kind, *key, *name;
        uint64_t ne[3];
        const char *what;
    } cases[] = {
        {"llama", "x", "token_embd.weight", {4, 3, 1}, NULL},
        {"llama",
         "x",
         "token_embd.weight",
         {5, 3, 1},
         "ne[0] of \"token_embd.weight\" is 5, but mamba.embedding_length is "
         "4"},
        {"llama",
         "x",
         "token_embd.weight",
         {4, 2, 1},
         "ne[1] of \"token_embd.weight\" is 2, but tokenizer.ggml.tokens has "
         "3"},
        {"llama",
         "x",
         "token_embd.weight",
         {4, 3, 2},
         "ne[2] of \"token_embd.weight\" is 2, not 1"},
        {"none", "x", "token_embd.weight", {4, 2, 1}, NULL},
        {"no_vocab", "x", "token_embd.weight", {4, 2, 1}, NULL},
        {"llama",
         "tokenizer.ggml.tokens",
         "token_embd.weight",
         {4, 2, 1},
         NULL},
        {"llama",
         "mamba.embedding_length",
         "token_embd.weight",
         {5, 3, 1},
         NULL},
        {"llama", "adapter.type", "token_embd.weight", {5, 3, 1}, NULL},
        {"llama",
         "x",
         "output_norm.weight",
         {5, 1, 1},
         "ne[0] of \"output_norm.weight\" is 5, but mamba.embedding_length is "
         "4"},
        {"llama",
         "x",
         "blk.3.attn_norm.weight",
         {3, 1, 1},
         "ne[0] of \"blk.3.attn_norm.weight\" is 3, but "
         "mamba.embedding_length is 4"},
        {"llama", "x", "attn_norm.weight", {3, 1, 1}, NULL},
        {"llama", "x", "blk.3.output_norm.weight", {3, 1, 1}, NULL},
        {"llama", "x", "blk.0.ffn_down.weight", {6, 4, 1}, NULL},
        {"llama",
         "x",
         "blk.0.ffn_down.weight",
         {4, 6, 1},
         "ne[0] of \"blk.0.ffn_down.weight\" is 4, but "
         "mamba.feed_forward_length is 6"},
        {"llama", "x", "output.weight", {5, 9, 1}, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_shaped(cases[i].kind, cases[i].key,
                                      cases[i].name, cases[i].ne);
        struct judged j;
        const char *what = NULL;
        judge(&j, &b);
        for (size_t k = 0; k < j.n; k++)
            if (strcmp(j.at[k].id, "tensor-shape") == 0)
                what = j.at[k].what;
        if (cases[i].what == NULL)
            assert_null(what);
        else
            assert_string_equal(what != NULL ? what : "", cases[i].what);
    }
}

/* One block after the other is told once; mamba here has 4 of them. Numbers
 * that no program counts to are told by the names. */
static void blocks_past_the_last_are_told_by_runs(void **state)
{
    static const char *const names[] = {
        "blk.4.a", "blk.4.b", "blk.5.a",           "blk.3.a",
        "blk.8.a", "blk.8.b", "blk.99999999999.a", "blk.999999999991.b",
        "blk.6.a"};
    static const char *const wanted[] = {
        "blocks 4 to 5 (3 tensors) are past the last block",
        "block 8 (2 tensors) is past the last block",
        "\"blk.99999999999.a\" is past the last block",
        "\"blk.999999999991.b\" is past the last block",
        "\"blk.6.a\" is past the last block"};
    static const uint64_t ne[] = {0};
    struct bytes b = bytes_mamba(9, 0);
    struct judged j;
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < 9; i++)
        put_info(&b, names[i], 1, ne, 0, 0);
    put_padding(&b, 32);
    judge(&j, &b);
    for (size_t k = 0; k < j.n; k++)
        if (strcmp(j.at[k].id, "block-past-count") == 0) {
            char what[200];
            assert_in_range(n, 0, 4);
            snprintf(what, sizeof what,
                     "%s: mamba.block_count is 4, and blocks count from 0",
                     wanted[n++]);
            assert_string_equal(j.at[k].what, what);
        }
    assert_int_equal(n, 5);
}

/* Judge: of the tensors that one block has, another lacks these. */
static void expect_missed(struct bytes *b, const char *missed)
{
    static const char start[] = "there is no tensor ";
    struct judged j;
    char told[512] = "";

    judge(&j, b);
    for (size_t k = 0; k < j.n; k++) {
        char *end = strstr(j.at[k].what, ", which other blocks have");
        if (end == NULL)
            continue;
        *end = '\0';
        assert_memory_equal(j.at[k].what, start, sizeof start - 1);
        judged_add_word(told, sizeof told, j.at[k].what + sizeof start - 1);
    }
    assert_string_equal(told, missed);
}

/* Each block but one of mamba has an ssm_in, which that one lacks then; what is
 * no sister is not missed. */
static void what_other_blocks_have_is_missed(void **state)
{
    static const char *const names[] = {
        "blk.0.ssm_in.weight", "blk.1.ssm_in.weight", "blk.2.other.weight",
        "blk.3.ssm_in.weight", "blk.3.ssm_a"};
    static const uint64_t ne[] = {0};
    struct bytes b = bytes_mamba(5, 0);

    (void)state;
    for (size_t i = 0; i < 5; i++)
        put_info(&b, names[i], 1, ne, 0, 0);
    put_padding(&b, 32);
    expect_missed(&b, "blk.0.ssm_a blk.1.ssm_a blk.2.ssm_in.weight "
                      "blk.2.ssm_a ");
}

/* Some tensors are all blocks' only in some architectures; and in some, blocks
 * are not alike. */
static void sisters_are_those_of_the_architecture(void **state)
{
    enum { MOST = 6 };
    static const struct {
        const char *arch;
        const char *keys[MOST]; /* more that it needs */
        const char *missed;
    } cases[] = {
        {"mamba", {NULL}, "blk.1.ssm_in.weight "},
        {"gpt2",
         {"attention.head_count", "attention.layer_norm_epsilon"},
         "blk.1.ssm_in.weight blk.1.ffn_up.bias "},
        {"jamba", {"attention.head_count", "feed_forward_length"}, ""},
        {"deepseek2",
         {"attention.head_count", "attention.kv_lora_rank",
          "expert_feed_forward_length", "expert_shared_count"},
         ""},
    };
    static const uint64_t ne[] = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_of(3, false);
        char key[64];
        uint64_t n = 0;
        put_header(&b, 3, 0);
        put_mamba(&b, cases[i].arch, 2);
        snprintf(key, sizeof key, "%s.attention.layer_norm_rms_epsilon",
                 cases[i].arch);
        put_key(&b, key, V_F32);
        put_f32(&b, 1e-5f);
        for (; cases[i].keys[n] != NULL; n++) {
            snprintf(key, sizeof key, "%s.%s", cases[i].arch, cases[i].keys[n]);
            put_kv_u32(&b, key, 4);
        }
        bytes_patch(&b, 16, 9 + n, 8);
        put_info(&b, "blk.0.ssm_in.weight", 1, ne, 0, 0);
        put_info(&b, "blk.0.ffn_up.bias", 1, ne, 0, 0);
        put_info(&b, "blk.1.x", 1, ne, 0, 0);
        put_padding(&b, 32);
        expect_missed(&b, cases[i].missed);
    }
}

/* llama.cpp has none of so many blocks, or of none. */
static void impossible_numbers_of_blocks_miss_nothing(void **state)
{
    static const struct {
        uint32_t n_blocks;
        bool missed;
    } cases[] = {{0, false}, {1, true}, {512, true}, {513, false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_of(3, false);
        struct judged j;
        size_t missed = 0, ranges = 0;
        put_header(&b, 1, 9);
        put_mamba(&b, "mamba", cases[i].n_blocks);
        put_key(&b, "mamba.attention.layer_norm_rms_epsilon", V_F32);
        put_f32(&b, 1e-5f);
        put_info(&b, "output.weight", 1, (uint64_t[]){0}, 0, 0);
        put_padding(&b, 32);
        judge(&j, &b);
        for (size_t k = 0; k < j.n; k++) {
            missed += strcmp(j.at[k].id, "tensor-missing") == 0;
            ranges += strcmp(j.at[k].id, "parameter-range") == 0;
        }
        assert_int_equal(missed, cases[i].missed ? 3 : 0);
        assert_int_equal(ranges, cases[i].missed ? 0 : 1);
    }
}

/* llama.cpp goes by whole words of names. */
static void tensors_that_nothing_uses_are_told(void **state)
{
    static const struct {
        const char *name;
        bool told;
    } cases[] = {{"lm_head.weight", true},
                 {"output.weight", false},
                 {"altup_proj.x", false},
                 {"token_types.weight", false},
                 {"rope_freqs", false},
                 {"outputs.weight", true},
                 {"x", true},
                 {"blk.01.ssm_a", true},
                 {"blk.1.x", false},
                 {"blk.0.x", false},
                 {"blk.10.x", false},
                 {"blk.4294967296.x", false},
                 {"blk.1", true},
                 {"blk.12", true},
                 {"blk..x", true},
                 {"blk.x.y", true},
                 {"blk.1:x", true},
                 {"", true}};
    static const uint64_t ne[] = {1};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_mamba(1, 0);
        struct judged j;
        bool told = false;
        put_info(&b, cases[i].name, 1, ne, 0, 0);
        put_padding(&b, 32);
        put_fill(&b, 0, 32);
        judge(&j, &b);
        for (size_t k = 0; k < j.n; k++)
            told = told || strcmp(j.at[k].id, "tensor-unused") == 0;
        assert_int_equal(told, cases[i].told);
    }
}

/* The tokens are no array. */
static void one_token_has_no_length(void **state)
{
    static const uint64_t ne[] = {4, 2};
    struct bytes b = bytes_mamba(1, 1);
    struct judged j;

    (void)state;
    put_kv_str(&b, "tokenizer.ggml.tokens", "x");
    put_info(&b, "token_embd.weight", 2, ne, 0, 0);
    judge(&j, &b);
    for (size_t k = 0; k < j.n; k++)
        assert_string_not_equal(j.at[k].id, "tensor-shape");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_those_that_keys_tell),
        cmocka_unit_test(blocks_past_the_last_are_told_by_runs),
        cmocka_unit_test(what_other_blocks_have_is_missed),
        cmocka_unit_test(sisters_are_those_of_the_architecture),
        cmocka_unit_test(impossible_numbers_of_blocks_miss_nothing),
        cmocka_unit_test(tensors_that_nothing_uses_are_told),
        cmocka_unit_test(one_token_has_no_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
