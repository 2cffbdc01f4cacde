/* test_check_model.c - what check finds in what the keys say of the model:
 * hyperparameters, the label, the tokenizer, the set. */
#include "judge.h"

/* --------------------------------------------------------- hyperparameters */

static void an_architecture_is_needed(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_header(&b, 0, 0);
    expect_one(&b, "architecture-missing", GGK_NO_OFFSET, "",
               "general.architecture is missing, or no string");
    b = bytes_of(3, false);
    put_header(&b, 0, 1);
    put_kv_u32(&b, "general.architecture", 1);
    expect_one(&b, "architecture-missing", GGK_NO_OFFSET, "",
               "general.architecture is missing, or no string");
    b = bytes_of(3, false);
    put_header(&b, 0, 1);
    put_kv_str(&b, "general.architecture", "llama-embed");
    expect_one(&b, "architecture-chars", 24 + 8 + 20 + 4, "kv[0].value",
               "the architecture \"llama-embed\" is not made of a-z and 0-9");
}

/* Files of importance are written without one. */
static void what_is_no_model_needs_no_architecture(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_header(&b, 0, 1);
    put_kv_str(&b, "general.type", "imatrix");
    expect_none(&b);
}

/* Put a string that may have NUL bytes. */
static void put_architecture(struct bytes *b, const char *name, size_t len)
{
    put_key(b, "general.architecture", V_STR);
    put_u64(b, len);
    put_raw(b, name, len);
}

/* llama.cpp ends the name at a NUL byte. */
static void architectures_are_known_or_not(void **state)
{
    static const struct {
        const char *name;
        size_t len;
        const char *type; /* general.type */
        bool told;
    } cases[] = {
        {"afmoe", 5, "model", false},    {"xverse", 6, "model", false},
        {"llama4", 6, "model", false},   {"llama5", 6, "model", true},
        {"llam", 4, "model", true},      {"", 0, "model", true},
        {"gptj", 4, "model", true},      {"whisper", 7, "model", true},
        {"llama5", 6, "adapter", false}, {"llama5", 6, "imatrix", false},
        {"glm4\0", 5, "model", false},   {"glm5\0", 5, "model", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_of(3, false);
        struct judged j;
        size_t told = 0;
        put_header(&b, 0, 2);
        put_kv_str(&b, "general.type", cases[i].type);
        put_architecture(&b, cases[i].name, cases[i].len);
        judge(&j, &b);
        for (size_t k = 0; k < j.n; k++)
            told += strcmp(j.at[k].id, "architecture-unknown") == 0;
        assert_int_equal(told, cases[i].told);
    }
}

static void the_unknown_architecture_is_named(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_header(&b, 0, 1);
    put_kv_str(&b, "general.architecture", "foo");
    expect_one(&b, "architecture-unknown", 24 + 8 + 20 + 4, "kv[0].value",
               "the architecture \"foo\" is not known");
}

static void required_keys_are_missed(void **state)
{
    struct bytes b = bytes_of(3, false);
    struct judged j;

    (void)state;
    put_header(&b, 0, 8);
    put_mamba(&b, "mamba", 4);
    expect_one(&b, "key-required", GGK_NO_OFFSET, "",
               "missing mamba.attention.layer_norm_rms_epsilon");
    b = bytes_llama(0);
    judge(&j, &b);
    assert_int_equal(j.n, 7);
    for (size_t i = 0; i < j.n; i++)
        assert_string_equal(j.at[i].id, "key-required");
}

/* Some keys have a second spelling; one is asked for by the description and not
 * by llama.cpp. */
static void required_keys_may_be_spelt_in_two_ways(void **state)
{
    static const char *const spellings[] = {"mpt.attention.clip_kqv",
                                            "mpt.attention.clamp_kqv",
                                            "mpt.attention.clap_kqv"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct bytes b = bytes_of(3, false);
        struct judged j;
        size_t missed = 0;
        put_header(&b, 0, 2);
        put_kv_str(&b, "general.architecture", "mpt");
        put_key(&b, spellings[i], V_F32);
        put_f32(&b, 6);
        judge(&j, &b);
        for (size_t k = 0; k < j.n; k++)
            missed += strstr(j.at[k].what, "mpt.attention.cl") != NULL;
        assert_int_equal(missed, i == 2);
    }
}

/* Of two architectures none is the model's. */
static void a_repeated_architecture_counts_for_nothing(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_header(&b, 0, 3);
    put_kv_str(&b, "general.architecture", "llama");
    put_kv_str(&b, "general.architecture", "gpt-2");
    put_kv_u32(&b, "llama.block_count", 0);
    expect_one(&b, "key-duplicate", 61 + 8 + 8, "kv[1].key",
               "kv[1] has the key of kv[0] at byte 24, "
               "\"general.architecture\"");
}

static void architectures_are_of_small_letters_and_digits(void **state)
{
    static const struct {
        const char *name;
        bool odd;
    } cases[] = {{"az09", false}, {"Llama", true}, {"t{", true},
                 {"t/", true},    {"t:", true},    {"t`", true}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_of(3, false);
        struct judged j;
        put_header(&b, 0, 1);
        put_kv_str(&b, "general.architecture", cases[i].name);
        judge(&j, &b);
        assert_int_equal(strcmp(j.at[0].id, "architecture-chars") == 0,
                         cases[i].odd);
    }
}

/* A name of any length; of a long one the first 64 bytes begin the keys. */
static void long_architectures_begin_keys_too(void **state)
{
    char name[81] = "", key[128];
    struct bytes b = bytes_of(3, false);
    struct judged j;

    (void)state;
    memset(name, 'a', 80);
    put_header(&b, 0, 2);
    put_kv_str(&b, "general.architecture", name);
    snprintf(key, sizeof key, "%.64s.block_count", name);
    put_kv_u32(&b, key, 0);
    snprintf(key, sizeof key, "%.64s.block_count is 0", name);
    judge(&j, &b);
    assert_int_equal(j.n, 2);
    assert_string_equal(j.at[0].id, "architecture-unknown");
    assert_string_equal(j.at[1].id, "parameter-range");
    assert_string_equal(j.at[1].where, "kv[1].value");
    assert_string_equal(j.at[1].what, key);
}

/* Where the keys break off, nobody knows what would have come. */
static void nothing_is_missed_of_broken_keys(void **state)
{
    static const struct expected one[] = {
        {"value-type", 90, "kv[1].type", NULL}, {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_of(3, false);
    struct judged j;

    (void)state;
    put_header(&b, 1, 2);
    put_kv_str(&b, "general.architecture", "llama");
    put_key(&b, "tokenizer.ggm", 99);
    put_fill(&b, 0, 40);
    judge(&j, &b);
    expect_told(&j, one);
    assert_int_equal(j.verdict.loads, GGK_LOADS_NOT);
    assert_string_equal(j.verdict.reason,
                        "the header cannot be read to its end");
}

/* Models without attention are written with 0 heads. */
static void numbers_have_ranges(void **state)
{
    static const struct {
        const char *architecture, *key;
        uint32_t value;
        bool wrong;
    } cases[] = {
        {"t", "block_count", 0, true},
        {"t", "block_count", 1, false},
        {"t", "block_count", 512, false},
        {"t", "block_count", 513, true},
        {"t", "block_count", UINT32_MAX, true},
        {"t", "context_length", 0, true},
        {"t", "context_length", UINT32_MAX, false},
        {"t", "embedding_length", 0, true},
        {"t", "embedding_length", (1 << 24) + 1, true},
        {"t", "expert_count", 0, false},
        {"qwen3moe", "expert_count", 1024, false},
        {"qwen3moe", "expert_count", 1025, true},
        {"t", "vocab_size", 0, true},
        {"llama", "attention.head_count", 0, true},
        {"llama", "attention.key_length", 0, true},
        {"llama", "attention.value_length", 0, true},
        {"llama", "attention.head_count", 65537, true},
        {"llama", "attention.head_count_kv", 0, true},
        {"jamba", "attention.head_count_kv", 0, false},
        {"mamba", "attention.head_count", 0, false},
        {"t", "attention.head_count", 0, false}, /* it may have none */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_of(3, false);
        char key[64], what[128];
        struct judged j;
        size_t found = 0;
        uint64_t at;
        put_header(&b, 0, 2);
        put_kv_str(&b, "general.architecture", cases[i].architecture);
        snprintf(key, sizeof key, "%s.%s", cases[i].architecture, cases[i].key);
        put_kv_u32(&b, key, cases[i].value);
        at = b.n - 4;
        judge(&j, &b);
        snprintf(what, sizeof what, "%s is %" PRIu32, key, cases[i].value);
        for (size_t k = 0; k < j.n; k++) {
            if (strcmp(j.at[k].id, "key-required") == 0)
                continue;
            assert_string_equal(j.at[k].id, "parameter-range");
            assert_string_equal(j.at[k].where, "kv[1].value");
            assert_string_equal(j.at[k].what, what);
            assert_int_equal(j.at[k].offset, at);
            found++;
        }
        assert_int_equal(found, cases[i].wrong);
    }
}

static void numbers_have_a_type(void **state)
{
    struct bytes b = bytes_sound(0, 1);
    static const struct expected minus[] = {
        {"parameter-type", 65 + 21, "kv[1].type",
         "t.block_count is of type INT32, not UINT32"},
        {"parameter-range", 65 + 25, "kv[1].value", "t.block_count is -1"},
        {NULL, 0, NULL, NULL}};
    struct judged j;

    (void)state;
    put_key(&b, "t.block_count", V_U64); /* 21 bytes up to its type */
    put_u64(&b, 4);
    expect_one(&b, "parameter-type", 65 + 21, "kv[1].type",
               "t.block_count is of type UINT64, not UINT32");
    b = bytes_sound(0, 1);
    put_key(&b, "t.block_count", V_I32);
    put_u32(&b, (uint32_t)-1);
    judge(&j, &b);
    expect_told(&j, minus);
    b = bytes_sound(0, 1);
    put_kv_str(&b, "t.block_count", "4");
    expect_one(&b, "parameter-type", 65 + 21, "kv[1].type",
               "t.block_count is of type STRING, not UINT32");
    b = bytes_sound(0, 1);
    put_key(&b, "t.block_count", V_ARR);
    put_array(&b, V_U32, 1);
    put_u32(&b, 4);
    expect_one(&b, "parameter-type", 65 + 21, "kv[1].type",
               "t.block_count is of type ARRAY of UINT32, not UINT32");
}

/* Heads may be counted for each layer. */
static void layers_may_have_numbers_of_their_own(void **state)
{
    static const struct {
        uint32_t type;
        bool wrong;
    } types[] = {{V_U32, false}, {V_I32, false}, {V_U64, true}, {V_U8, true}};

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct bytes b = bytes_sound(0, 1);
        struct judged j;
        put_key(&b, "t.attention.head_count", V_ARR);
        put_array(&b, types[i].type, 2);
        put_fill(&b, 0, 2 * ggk_value_type_bytes(types[i].type));
        judge(&j, &b);
        assert_int_equal(j.n, types[i].wrong);
        if (j.n > 0)
            assert_string_equal(j.at[0].id, "parameter-type");
    }
}

/* An array of numbers by layer is as long as there are layers. */
static void layers_have_a_number_each(void **state)
{
    static const char *const keys[] = {"t.attention.head_count",
                                       "t.attention.head_count_kv",
                                       "t.feed_forward_length"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        for (uint64_t n = 0; n < 4; n++) {
            struct bytes b = bytes_sound(0, 2);
            struct judged j;
            char what[64];
            put_kv_u32(&b, "t.block_count", 2);
            put_key(&b, keys[i], V_ARR);
            put_array(&b, V_U32, n);
            put_fill(&b, 1, n * 4);
            judge(&j, &b);
            assert_int_equal(j.n, n != 2);
            if (n == 2)
                continue;
            snprintf(what, sizeof what, "%s has %d element%s for 2 layers",
                     keys[i], (int)n, n == 1 ? "" : "s");
            assert_string_equal(j.at[0].id, "parameter-length");
            assert_string_equal(j.at[0].where, "kv[2].value");
            assert_string_equal(j.at[0].what, what);
        }
    }
}

/* They are integers, alone as in arrays. */
static void numbers_by_layer_have_a_type(void **state)
{
    struct bytes b = bytes_sound(0, 1);

    (void)state;
    put_kv_str(&b, "t.attention.head_count_kv", "x");
    expect_one(&b, "parameter-type", 65 + 8 + 25, "kv[1].type",
               "t.attention.head_count_kv is of type STRING, not UINT32");
    b = bytes_sound(0, 1);
    put_key(&b, "t.feed_forward_length", V_ARR);
    put_array(&b, V_F32, 2);
    put_fill(&b, 0, 8);
    expect_one(&b, "parameter-type", 65 + 8 + 21, "kv[1].type",
               "t.feed_forward_length is of type ARRAY of FLOAT32, not UINT32");
}

/* Heads of some architectures are rotated as a whole: those of the first layer,
 * which share the embedding or have a length. */
static void heads_are_rotated_whole(void **state)
{
    static const struct {
        const char *architecture;
        uint32_t heads, key_length, rotated, head; /* 0: right, or none */
    } cases[] = {
        {"llama", 4, 0, 16, 0},  {"llama", 4, 0, 8, 16},
        {"deci", 4, 0, 8, 16},   {"falcon", 4, 0, 8, 16},
        {"qwen2", 4, 0, 8, 0},   {"llama-embed", 4, 0, 8, 16},
        {"llama", 4, 32, 32, 0}, {"llama", 4, 32, 16, 32},
        {"llama", 0, 32, 16, 0}, {"llama", 64, 0, 2, 1},
    };

    (void)state;
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof cases[0]); i++) {
        const char *arch = cases[i / 2].architecture;
        struct bytes b = bytes_of(3, false);
        char key[64], what[128] = "";
        struct judged j;
        uint64_t at;
        put_header(&b, 0, 5);
        put_kv_str(&b, "general.architecture", arch);
        snprintf(key, sizeof key, "%s.embedding_length", arch);
        put_kv_u32(&b, key, 64);
        snprintf(key, sizeof key, "%s.attention.key_length", arch);
        put_kv_u32(&b, cases[i / 2].key_length != 0 ? key : "none",
                   cases[i / 2].key_length);
        snprintf(key, sizeof key, "%s.attention.head_count", arch);
        if (i % 2 == 0) {
            put_kv_u32(&b, key, cases[i / 2].heads);
        } else {
            put_key(&b, key, V_ARR);
            put_array(&b, V_I32, 2);
            put_u32(&b, cases[i / 2].heads);
            put_u32(&b, 1);
        }
        snprintf(key, sizeof key, "%s.rope.dimension_count", arch);
        put_kv_u32(&b, key, cases[i / 2].rotated);
        at = b.n - 4;
        if (cases[i / 2].head != 0)
            snprintf(what, sizeof what,
                     "%s is %" PRIu32 ", but a head has %" PRIu32
                     " dimension%s",
                     key, cases[i / 2].rotated, cases[i / 2].head,
                     cases[i / 2].head == 1 ? "" : "s");
        judge(&j, &b);
        for (size_t k = 0; k < j.n; k++) {
            if (strcmp(j.at[k].id, "rope-dimensions") != 0)
                continue;
            assert_string_equal(j.at[k].what, what);
            assert_int_equal(j.at[k].offset, at);
            what[0] = '\0';
        }
        assert_string_equal(what, "");
    }
}

/* What the length of a head is made of may not be there. */
static void heads_without_a_length_are_not_judged(void **state)
{
    struct bytes b = bytes_of(3, false);
    struct judged j;

    (void)state;
    put_header(&b, 0, 3);
    put_kv_str(&b, "general.architecture", "llama");
    put_kv_u32(&b, "llama.attention.head_count", 4);
    put_kv_u32(&b, "llama.rope.dimension_count", 7);
    judge(&j, &b);
    for (size_t i = 0; i < j.n; i++)
        assert_string_equal(j.at[i].id, "key-required");
}

/* Of "count", "used_count", "group_count" and "group_used_count" of experts;
 * UINT32_MAX: it is not there. */
static void experts_agree(void **state)
{
    static const char *const keys[] = {"t.expert_count", "t.expert_used_count",
                                       "t.expert_group_count",
                                       "t.expert_group_used_count"};
    static const uint32_t no = UINT32_MAX;
    static const struct {
        uint32_t n[4];
        const char *what; /* NULL: nothing is wrong */
    } cases[] = {
        {{4, 2, no, no}, NULL},
        {{4, 4, 2, 1}, NULL},
        {{4, 4, 1, no}, NULL},
        {{4, 4, 0, no}, NULL},
        {{0, 0, 0, no}, NULL},
        {{no, 0, no, no}, NULL},
        {{4, 5, no, no}, "t.expert_used_count is 5, but there are 4 experts"},
        {{1, 2, no, no}, "t.expert_used_count is 2, but there is 1 expert"},
        {{no, 2, no, no}, "t.expert_used_count is 2, but there are 0 experts"},
        {{4, 0, no, no}, "t.expert_used_count is 0, but there are experts"},
        {{4, no, no, no},
         "there are experts, but t.expert_used_count is missing"},
        {{4, 2, 4, 1},
         "t.expert_group_count is 4, which does not part 4 "
         "experts"},
        {{4, 2, 3, 1},
         "t.expert_group_count is 3, which does not part 4 "
         "experts"},
        {{1, 1, 2, 1},
         "t.expert_group_count is 2, which does not part 1 "
         "expert"},
        {{4, 2, 2, 2},
         "t.expert_group_used_count is 2, not 1 to 1 of 2 "
         "groups"},
        {{4, 2, 2, 0},
         "t.expert_group_used_count is 0, not 1 to 1 of 2 "
         "groups"},
        {{4, 2, 2, no},
         "t.expert_group_used_count is 0, not 1 to 1 of 2 "
         "groups"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_sound(0, 4);
        struct judged j;
        for (int k = 0; k < 4; k++)
            put_kv_u32(&b, cases[i].n[k] != no ? keys[k] : &keys[k][2],
                       cases[i].n[k]);
        judge(&j, &b);
        assert_int_equal(j.n, cases[i].what != NULL);
        if (j.n == 0)
            continue;
        assert_string_equal(j.at[0].id, "expert-counts");
        assert_string_equal(j.at[0].what, cases[i].what);
    }
}

/* Each layer may use so many of them. */
static void experts_used_may_differ_by_layer(void **state)
{
    struct bytes b = bytes_sound(0, 2);
    uint64_t at;

    (void)state;
    put_kv_u32(&b, "t.expert_count", 4);
    put_key(&b, "t.expert_used_count", V_ARR);
    put_array(&b, V_I32, 3);
    put_u32(&b, 2);
    put_u32(&b, (uint32_t)-1);
    put_u32(&b, 4);
    expect_none(&b);
    b = bytes_sound(0, 2);
    put_kv_u32(&b, "t.expert_count", 4);
    at = b.n + 8 + 19 + 4 + 12;
    put_key(&b, "t.expert_used_count", V_ARR);
    put_array(&b, V_I32, 2);
    put_u32(&b, 2);
    put_u32(&b, 5);
    expect_one(&b, "expert-counts", at, "kv[2].value",
               "t.expert_used_count is 5, but there are 4 experts");
    b = bytes_sound(0, 2); /* no number of experts */
    put_kv_str(&b, "t.expert_count", "4");
    put_kv_u32(&b, "t.expert_used_count", 2);
    expect_one(&b, "parameter-type", 65 + 8 + 14, "kv[1].type",
               "t.expert_count is of type STRING, not UINT32");
    b = bytes_sound(0, 2);
    put_kv_u32(&b, "t.expert_count", 4);
    put_key(&b, "t.expert_used_count", V_ARR);
    put_array(&b, V_U32, 0);
    expect_none(&b);
}

/* Also of an architecture that does without experts. */
static void experts_are_used_in_any_architecture(void **state)
{
    struct bytes b = bytes_of(3, false);
    struct judged j;
    bool told = false;

    (void)state;
    put_header(&b, 0, 2);
    put_kv_str(&b, "general.architecture", "llama");
    put_kv_u32(&b, "llama.expert_count", 4);
    judge(&j, &b);
    for (size_t i = 0; i < j.n; i++)
        told = told || strcmp(j.at[i].id, "expert-counts") == 0;
    assert_true(told);
}

/* What is missed where the keys break off may have come. */
static void broken_keys_have_other_experts(void **state)
{
    static const char *const keys[][2] = {
        {"t.expert_used_count", "k"},
        {"t.expert_count", "k"},
        {"t.expert_count", "t.expert_group_count"}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct bytes b = bytes_sound(0, 4);
        uint64_t at;
        put_kv_u32(&b, keys[i][0], 4);
        put_kv_u32(&b, keys[i][1], 2);
        at = b.n + 9;
        put_key(&b, "l", 13);
        put_fill(&b, 0, 16);
        expect_one(&b, "value-type", at, "kv[3].type", NULL);
    }
}

/* Other keys have a type, too; the chat template is read as it is. */
static void keys_have_a_type(void **state)
{
    static const struct {
        const char *key;
        uint32_t type;
    } keys[] = {
        {"general.name", V_STR},
        {"general.file_type", V_U32},
        {"tokenizer.ggml.model", V_STR},
        {"tokenizer.ggml.pre", V_STR},
        {"tokenizer.ggml.token_type_count", V_U32},
        {"tokenizer.ggml.add_bos_token", V_BOOL},
        {"tokenizer.ggml.add_eos_token", V_BOOL},
        {"tokenizer.ggml.add_sep_token", V_BOOL},
        {"tokenizer.ggml.add_space_prefix", V_BOOL},
        {"tokenizer.ggml.remove_extra_whitespaces", V_BOOL},
        {"t.attention.causal", V_BOOL},
        {"t.attention.clamp_kqv", V_F32},
        {"t.attention.group_norm_epsilon", V_F32},
        {"t.attention.layer_norm_epsilon", V_F32},
        {"t.attention.layer_norm_rms_epsilon", V_F32},
        {"t.attention.max_alibi_bias", V_F32},
        {"t.attention.scale", V_F32},
        {"t.attn_logit_softcapping", V_F32},
        {"t.embedding_scale", V_F32},
        {"t.expert_weights_norm", V_BOOL},
        {"t.expert_weights_scale", V_F32},
        {"t.final_logit_softcapping", V_F32},
        {"t.logit_scale", V_F32},
        {"t.residual_scale", V_F32},
        {"t.rope.dimension_count", V_U32},
        {"t.rope.freq_base", V_F32},
        {"t.rope.freq_base_swa", V_F32},
        {"t.rope.scale_linear", V_F32},
        {"t.rope.scaling.attn_factor", V_F32},
        {"t.rope.scaling.factor", V_F32},
        {"t.rope.scaling.finetuned", V_BOOL},
        {"t.rope.scaling.original_context_length", V_U32},
        {"t.rope.scaling.type", V_STR},
        {"t.ssm.conv_kernel", V_U32},
        {"t.ssm.group_count", V_U32},
        {"t.ssm.inner_size", V_U32},
        {"t.ssm.state_size", V_U32},
        {"t.ssm.time_step_rank", V_U32},
        {"t.use_parallel_residual", V_BOOL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        struct bytes b = bytes_sound(0, 1);
        char what[128];
        uint64_t at = b.n + 8 + strlen(keys[i].key);
        put_key(&b, keys[i].key, V_F64);
        put_f64(&b, 1);
        snprintf(what, sizeof what, "%s is of type FLOAT64, not %s",
                 keys[i].key, ggk_value_type_name(keys[i].type));
        expect_one(&b, keys[i].type == V_U32 ? "parameter-type" : "key-type",
                   at, "kv[1].type", what);
        b = bytes_sound(0, 1);
        if (keys[i].type == V_STR) {
            put_kv_str(&b, keys[i].key, "none");
        } else {
            put_key(&b, keys[i].key, keys[i].type);
            put_fill(&b, 0, ggk_value_type_bytes(keys[i].type));
        }
        expect_none(&b);
    }
}

static void types_in_arrays_are_told(void **state)
{
    struct bytes b = bytes_sound(0, 2);

    (void)state;
    put_kv_u32(&b, "tokenizer.chat_template", 1);
    put_key(&b, "t.rope.freq_base", V_ARR);
    put_array(&b, V_F32, 1);
    put_f32(&b, 10000);
    expect_one(&b, "key-type", 65 + 8 + 23 + 8 + 8 + 16, "kv[2].type",
               "t.rope.freq_base is of type ARRAY of FLOAT32, not FLOAT32");
}

/* ---------------------------------------------------------------- the label */

static void quantized_models_name_their_version(void **state)
{
    struct bytes b = bytes_sound(1, 0);

    (void)state;
    put_info(&b, "t", 1, (uint64_t[]){32}, T_Q8_0, 0);
    put_padding(&b, 32);
    put_fill(&b, 0, 64);
    expect_one(&b, "quantization-version-missing", GGK_NO_OFFSET, "",
               "general.quantization_version is missing");
}

/* A file of that label, with 3 matrices of one type and one of another, all
 * with rows of `ne0`. */
static struct bytes bytes_labelled(uint32_t label, uint32_t most,
                                   uint32_t other, uint64_t ne0)
{
    struct bytes b = bytes_sound(6, 2);
    uint64_t at = 0;

    put_kv_u32(&b, "general.quantization_version", 2);
    put_kv_u32(&b, "general.file_type", label);
    for (int i = 0; i < 6; i++) {
        static const char *const names[] = {
            "token_embd.weight", "output.weight", "a", "b", "c", "d"};
        uint64_t ne[] = {ne0, i < 2 ? 100 : 1}, bytes;
        uint32_t type = i < 2 ? T_F16 : i < 5 ? most : other;
        put_info(&b, names[i], 2, ne, type, at);
        assert_int_equal(
            ggk_type_tensor_bytes(ggk_type_by_id(type), ne, 2, &bytes, NULL),
            GGK_OK);
        at += (bytes + 31) / 32 * 32;
    }
    put_padding(&b, 32);
    put_fill(&b, 0, at);
    return b;
}

static void labels_are_compared_with_the_weights(void **state)
{
    static const struct {
        uint32_t label, type;
        bool right;
    } cases[] = {
        {0, T_F32, true},    {1, T_F16, true},
        {7, T_Q8_0, true},   {15, T_Q4_K, true}, /* Q4_K_M */
        {14, T_Q4_K, true},                      /* Q4_K_S */
        {18, T_Q6_K, true},  {28, 17, true},     /* IQ2_S of IQ2_XS */
        {29, 22, true},                          /* IQ2_M of IQ2_S */
        {22, 21, true},                          /* IQ3_XS of IQ3_S */
        {22, 18, true},                          /* and of IQ3_XXS */
        {27, 21, true},                          /* IQ3_M of IQ3_S */
        {38, T_Q8_0, true},                      /* MXFP4_MOE, no experts */
        {32, 30, true},                          /* BF16 */
        {10, 11, true},                          /* much of Q2_K is Q3_K, */
        {12, T_Q4_K, true},                      /* of Q3_K_M Q4_K, */
        {13, 13, true},                          /* of Q3_K_L Q5_K, */
        {11, T_Q4_K, false},                     /* but not of Q3_K_S */
        {32, T_F16, false},                      /* F16 is no BF16 */
        {36, 41, false},                         /* Q1_0 is no TQ1_0 */
        {15, T_Q8_0, false}, {7, T_Q4_K, false},
        {20, 16, false}, /* IQ2_XXS is no IQ2_XS */
        {28, T_Q8_0, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b =
            bytes_labelled(cases[i].label, cases[i].type, T_F32, 256);
        struct judged j;
        size_t told = 0;
        judge(&j, &b);
        for (size_t k = 0; k < j.n; k++)
            if (strcmp(j.at[k].id, "type-not-described") != 0)
                told += strcmp(j.at[k].id, "file-type-label") == 0 ? 1 : 100;
        assert_int_equal(told, !cases[i].right);
    }
}

/* Rows that are no whole blocks of a type get another. */
static void narrow_rows_fit_their_labels(void **state)
{
    static const struct {
        uint32_t label;
        uint64_t ne0;
        uint32_t most, other;
        bool right;
    } cases[] = {
        {15, 288, T_Q5_0, T_Q8_0, true}, /* Q4_K, Q6_K */
        {15, 288, T_Q8_0, T_Q5_0, true}, /* more of Q6_K */
        {15, 288, T_Q8_0, T_Q8_0, true}, /* all are what Q6_K gets */
        {18, 288, T_Q8_0, T_Q8_0, true},  {10, 288, T_Q4_0, T_Q4_0, true},
        {20, 288, 20, T_Q5_0, true}, /* IQ2_XS: IQ4_NL */
        {15, 33, T_F16, T_F16, true},     {7, 33, T_F16, T_F16, true},
        {15, 288, T_F16, T_F16, false}, /* which only 33 gets */
        {15, 288, T_F32, T_Q5_0, false},  {7, 288, T_Q5_0, T_Q5_0, false},
        {15, 512, T_Q5_0, T_Q5_0, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_labelled(cases[i].label, cases[i].most,
                                        cases[i].other, cases[i].ne0);
        struct judged j;
        size_t told = 0;

        judge(&j, &b);
        for (size_t k = 0; k < j.n; k++)
            told += strcmp(j.at[k].id, "file-type-label") == 0;
        assert_int_equal(told, !cases[i].right);
    }
}

static void wrong_labels_are_told(void **state)
{
    struct bytes b = bytes_labelled(15, T_Q8_0, T_F32, 256);
    uint64_t at = 65 + (8 + 28 + 4 + 4) + (8 + 17 + 4);

    (void)state;
    expect_one(&b, "file-type-label", at, "kv[2].value",
               "general.file_type says MOSTLY_Q4_K_M, but most weights of the "
               "layers (768 of 1024) are Q8_0");
    b = bytes_labelled(12345, T_Q8_0, T_F32, 256);
    expect_one(&b, "file-type-label", at, "kv[2].value",
               "general.file_type 12345 is not known");
}

/* A matrix of each type; of file type `label`, with types of a table. */
static void expect_mixed(uint32_t label, const uint64_t *elements,
                         const uint32_t *types, size_t n, const char *what)
{
    static const char text[] = "63\tMXFP\t1\t1\n64\tFAR\t1\t1\n";
    ggk_open_opts open = {.struct_bytes = sizeof open};
    ggk_check_opts opts = {.struct_bytes = sizeof opts, .open = &open};
    struct bytes b = bytes_sound(n, 1);
    struct judged j = {.n = 0};
    ggk_type_table *table;
    size_t labels = 0;

    assert_int_equal(
        ggk_type_table_parse(text, sizeof text - 1, NULL, &table, NULL),
        GGK_OK);
    open.types = table;
    put_kv_u32(&b, "general.file_type", label);
    for (size_t i = 0; i < n; i++)
        put_info(&b, (char[]){(char)('a' + i), 0}, 2,
                 (uint64_t[]){elements[i], 1}, types[i], 0);
    put_padding(&b, 32);
    assert_int_equal(judge_with(&j, &b, &opts, NULL), GGK_OK);
    for (size_t i = 0; i < j.n; i++)
        if (strcmp(j.at[i].id, "file-type-label") == 0) {
            assert_string_equal(j.at[i].what, what);
            labels++;
        }
    assert_int_equal(labels, what[0] != '\0');
    ggk_type_table_free(table);
    bytes_free(&b);
}

/* Types of high numbers are not counted, nor what does not fit a sum. */
static void weights_are_counted_as_far_as_can_be(void **state)
{
    const uint64_t half = (uint64_t)1 << 62;

    (void)state;
    expect_mixed(7, (uint64_t[]){32, 100}, (uint32_t[]){T_Q8_0, 64}, 2, "");
    expect_mixed(7, (uint64_t[]){32, 100}, (uint32_t[]){T_Q8_0, 63}, 2,
                 "general.file_type says MOSTLY_Q8_0, but most weights of the "
                 "layers (100 of 132) are MXFP");
    expect_mixed(38, (uint64_t[]){32}, (uint32_t[]){63}, 1,
                 "general.file_type says MOSTLY_MXFP4_MOE, but most weights of "
                 "the layers (32 of 32) are MXFP");
    expect_mixed(7, (uint64_t[]){half, half, half, half},
                 (uint32_t[]){T_I8, T_I8, 63, 63}, 4,
                 "general.file_type says MOSTLY_Q8_0, but most weights of the "
                 "layers (9223372036854775808 of 13835058055282163712) are I8");
}

/* --------------------------------------------------------------- tokenizer */

/* A vocabulary of 3 tokens, and `more` keys to come; `kind` NULL: it has no
 * tokenizer.ggml.model. */
static struct bytes bytes_vocabulary_of(const char *kind, uint64_t more)
{
    struct bytes b = bytes_sound(0, (kind != NULL ? 3 : 2) + more);

    if (kind != NULL)
        put_kv_str(&b, "tokenizer.ggml.model", kind);
    put_kv_str(&b, "tokenizer.chat_template", "{{ x }}");
    put_key(&b, "tokenizer.ggml.tokens", V_ARR);
    put_array(&b, V_STR, 3);
    put_str(&b, "a");
    put_str(&b, "b");
    put_str(&b, "c");
    return b;
}

static struct bytes bytes_vocabulary(uint64_t more)
{
    return bytes_vocabulary_of("t5", more);
}

static void put_array_of(struct bytes *b, const char *key, uint32_t type,
                         const uint32_t *values, uint32_t n)
{
    put_key(b, key, V_ARR);
    put_array(b, type, n);
    for (uint32_t i = 0; i < n; i++)
        put_u32(b, values[i]);
}

static void put_merges(struct bytes *b)
{
    put_key(b, "tokenizer.ggml.merges", V_ARR);
    put_array(b, V_STR, 1);
    put_str(b, "a b");
}

static void a_template_is_missed(void **state)
{
    struct bytes b = bytes_vocabulary(0);

    (void)state;
    expect_none(&b);
    b = bytes_sound(0, 2);
    put_kv_str(&b, "tokenizer.ggml.model", "t5");
    put_key(&b, "tokenizer.ggml.tokens", V_ARR);
    put_array(&b, V_STR, 0);
    expect_one(&b, "no-chat-template", GGK_NO_OFFSET, "",
               "there is no chat template");
}

static void arrays_beside_the_tokens_are_judged(void **state)
{
    static const uint32_t ones[] = {1, 1, 1, 1};
    struct bytes b = bytes_vocabulary(1);
    uint64_t at;

    (void)state;
    at = b.n + 8 + 21 + 4 + 12;
    put_array_of(&b, "tokenizer.ggml.scores", V_F32, ones, 2);
    expect_one(&b, "tokens-length", at, "kv[4].value",
               "tokenizer.ggml.scores has 2 elements for 3 tokens");
    b = bytes_vocabulary(1);
    put_array_of(&b, "tokenizer.ggml.scores", V_I32, ones, 3);
    expect_one(&b, "tokens-type", at, "kv[4].value",
               "tokenizer.ggml.scores is not an array of FLOAT32");
    at += 4;
    b = bytes_vocabulary(1);
    put_array_of(&b, "tokenizer.ggml.token_type", V_I32, ones, 4);
    expect_one(&b, "tokens-length", at, "kv[4].value",
               "tokenizer.ggml.token_type has 4 elements for 3 tokens");
    b = bytes_vocabulary(1);
    put_array_of(&b, "tokenizer.ggml.token_type", V_U32, ones, 3);
    expect_one(&b, "tokens-type", at, "kv[4].value",
               "tokenizer.ggml.token_type is not an array of INT32");
    b = bytes_sound(0, 2);
    put_kv_str(&b, "tokenizer.ggml.model", "t5");
    at = b.n + 8 + 21 + 4 + 12;
    put_array_of(&b, "tokenizer.ggml.tokens", V_U32, ones, 3);
    expect_one(&b, "tokens-type", at, "kv[2].value",
               "tokenizer.ggml.tokens is not an array of STRING");
}

static void types_of_tokens_are_judged(void **state)
{
    static const uint32_t types[] = {0, 6, 7};
    struct bytes b = bytes_vocabulary(1);
    uint64_t at = b.n + 8 + 25 + 4 + 12;
    const struct expected two[] = {
        {"token-type-value", at, "kv[4].value[0]", "token 0 has type 0"},
        {"token-type-value", at + 8, "kv[4].value[2]", "token 2 has type 7"},
        {NULL, 0, NULL, NULL}};
    struct judged j;

    (void)state;
    put_array_of(&b, "tokenizer.ggml.token_type", V_I32, types, 3);
    judge(&j, &b);
    expect_told(&j, two);
}

static void ids_of_tokens_are_judged(void **state)
{
    static const uint32_t types[] = {1, 3, 2};
    static const struct {
        uint32_t id;
        const char *rule;
    } cases[] = {{0, "token-not-control"},
                 {1, ""},
                 {2, ""},
                 {3, "token-id-range"},
                 {UINT32_MAX, "token-id-range"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_vocabulary(2);
        struct judged j;
        uint64_t at;
        put_array_of(&b, "tokenizer.ggml.token_type", V_I32, types, 3);
        put_kv_u32(&b, "tokenizer.ggml.eos_token_id", cases[i].id);
        at = b.n - 4;
        judge(&j, &b);
        assert_string_equal(j.n > 0 ? j.at[0].id : "", cases[i].rule);
        assert_in_range(j.n, 0, 1);
        if (j.n > 0) {
            assert_int_equal(j.at[0].offset, at);
            assert_string_equal(j.at[0].where, "kv[5].value");
        }
    }
}

/* Some writers say -1 for none, which llama.cpp does not read. */
static void ids_have_a_type(void **state)
{
    struct bytes b = bytes_vocabulary(1);
    uint64_t at = b.n + 8 + 27;
    const struct expected past[] = {
        {"token-id-range", at + 4, "kv[4].value",
         "tokenizer.ggml.eos_token_id is 3, but there are 3 tokens"},
        {NULL, 0, NULL, NULL}};
    struct judged j;

    (void)state;
    put_key(&b, "tokenizer.ggml.eos_token_id", V_I32);
    put_u32(&b, UINT32_MAX);
    expect_one(&b, "parameter-type", at, "kv[4].type",
               "tokenizer.ggml.eos_token_id is of type INT32, not UINT32");
    b = bytes_vocabulary(1);
    put_kv_u32(&b, "tokenizer.ggml.eos_token_id", 3);
    judge(&j, &b);
    expect_told(&j, past);
    b = bytes_vocabulary(1);
    put_key(&b, "tokenizer.ggml.eos_token_id", V_ARR);
    put_array(&b, V_U32, 1);
    put_u32(&b, 99);
    expect_one(&b, "parameter-type", at, "kv[4].type",
               "tokenizer.ggml.eos_token_id is of type ARRAY of UINT32, not "
               "UINT32");
    b = bytes_vocabulary(1);
    put_key(&b, "tokenizer.ggml.eos_token_id", V_F32);
    put_f32(&b, 99);
    expect_one(&b, "parameter-type", at, "kv[4].type",
               "tokenizer.ggml.eos_token_id is of type FLOAT32, not UINT32");
    b = bytes_vocabulary(1);
    put_key(&b, "tokenizer.ggml.eos_token_id", V_I32);
    put_u32(&b, 1);
    expect_one(&b, "parameter-type", at, "kv[4].type",
               "tokenizer.ggml.eos_token_id is of type INT32, not UINT32");
}

/* A list of tokens that is no list. */
static void tokens_are_an_array(void **state)
{
    struct bytes b = bytes_sound(0, 2);
    uint64_t at;

    (void)state;
    put_kv_str(&b, "tokenizer.ggml.model", "t5");
    at = b.n + 8 + 21 + 4;
    put_kv_str(&b, "tokenizer.ggml.tokens", "a b c");
    expect_one(&b, "tokens-type", at, "kv[2].value",
               "tokenizer.ggml.tokens is not an array of STRING");
}

/* What comes after the tokens is not there to be missed. */
static void nothing_is_missed_of_broken_vocabularies(void **state)
{
    struct bytes b = bytes_sound(0, 2);
    uint64_t at;

    (void)state;
    put_key(&b, "tokenizer.ggml.tokens", V_ARR);
    put_array(&b, V_STR, 1);
    put_str(&b, "a");
    at = b.n + 9;
    put_key(&b, "k", 13);
    put_fill(&b, 0, 16);
    expect_one(&b, "value-type", at, "kv[2].type", NULL);
}

static void pre_tokenizers_are_known(void **state)
{
    static const struct {
        const char *kind;
        bool wrong; /* who goes by it at all */
    } cases[] = {{"llama", false},    {"bert", false},     {"t5", false},
                 {"rwkv", false},     {"plamo2", false},   {"gemma4", false},
                 {"none", false},     {"no_vocab", false}, {"gpt2", true},
                 {"hybriddna", true}, {"whitespace", true}};
    struct bytes b;
    uint64_t at;
    struct judged j;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        b = bytes_vocabulary_of(cases[i].kind, 2);
        put_merges(&b);
        at = b.n + 8 + 18 + 4;
        put_kv_str(&b, "tokenizer.ggml.pre", "no-such");
        if (!cases[i].wrong)
            expect_none(&b);
        else
            expect_one(&b, "pre-tokenizer-unknown", at, "kv[5].value",
                       "the pre-tokenizer \"no-such\" is not known");
        b = bytes_vocabulary_of(cases[i].kind, 2);
        put_merges(&b);
        put_kv_str(&b, "tokenizer.ggml.pre", "llama-bpe");
        expect_none(&b);
    }
    b = bytes_vocabulary_of(NULL, 1);
    put_kv_str(&b, "tokenizer.ggml.pre", "no-such");
    judge(&j, &b);
    assert_int_equal(j.n, 2);
    assert_string_equal(j.at[0].id, "tokenizer-missing");
    assert_string_equal(j.at[1].id, "pre-tokenizer-unknown");
    b = bytes_vocabulary_of("gpt2", 3); /* of two, none counts */
    put_merges(&b);
    put_kv_str(&b, "tokenizer.ggml.pre", "no-such");
    put_kv_str(&b, "tokenizer.ggml.pre", "nor-such");
    judge(&j, &b);
    assert_int_equal(j.n, 1);
    assert_string_equal(j.at[0].id, "key-duplicate");
}

/* A kind without tokens, or tokens without a kind. */
static void tokenizers_are_whole(void **state)
{
    struct bytes b = bytes_vocabulary_of(NULL, 0);
    uint64_t at = 65 + 8 + 20 + 4;

    (void)state;
    expect_one(&b, "tokenizer-missing", GGK_NO_OFFSET, "",
               "tokenizer.ggml.model is missing");
    b = bytes_sound(0, 1);
    put_kv_str(&b, "tokenizer.ggml.model", "t5");
    expect_one(&b, "tokenizer-missing", GGK_NO_OFFSET, "",
               "tokenizer.ggml.tokens is missing");
    b = bytes_sound(0, 1); /* which has none */
    put_kv_str(&b, "tokenizer.ggml.model", "no_vocab");
    expect_none(&b);
    b = bytes_vocabulary_of(NULL, 1); /* a kind that is no name */
    put_kv_u32(&b, "tokenizer.ggml.model", 1);
    expect_one(
        &b, "key-type", 65 + 8 + 23 + 4 + 8 + 7 + 8 + 21 + 4 + 12 + 27 + 8 + 20,
        "kv[3].type", "tokenizer.ggml.model is of type UINT32, not STRING");
    b = bytes_vocabulary_of("replit", 0);
    expect_one(&b, "tokenizer-unknown", at, "kv[1].value",
               "the tokenizer \"replit\" is not known");
}

static void merges_are_strings(void **state)
{
    static const char *const kinds[] = {"gpt2", "gemma4", "hybriddna",
                                        "whitespace"};
    static const uint32_t ones[] = {1, 1};
    struct bytes b;
    uint64_t at;

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        b = bytes_vocabulary_of(kinds[i], 0);
        expect_one(&b, "tokenizer-merges", GGK_NO_OFFSET, "",
                   "tokenizer.ggml.merges is missing");
        b = bytes_vocabulary_of(kinds[i], 1);
        put_merges(&b);
        expect_none(&b);
        b = bytes_vocabulary_of(kinds[i], 1);
        at = b.n + 8 + 21 + 4;
        put_array_of(&b, "tokenizer.ggml.merges", V_I32, ones, 2);
        expect_one(&b, "tokenizer-merges", at + 12, "kv[4].value",
                   "tokenizer.ggml.merges is not an array of STRING");
        b = bytes_vocabulary_of(kinds[i], 1);
        put_kv_str(&b, "tokenizer.ggml.merges", "a b");
        expect_one(&b, "tokenizer-merges", at, "kv[4].value",
                   "tokenizer.ggml.merges is not an array of STRING");
    }
    b = bytes_vocabulary_of("gpt2", 1);
    put_kv_str(&b, "tokenizer.ggml.pre", "kimi-k2");
    expect_none(&b);
    b = bytes_vocabulary_of("gpt2", 1);
    put_kv_str(&b, "tokenizer.ggml.pre", "llama-bpe");
    expect_one(&b, "tokenizer-merges", GGK_NO_OFFSET, "",
               "tokenizer.ggml.merges is missing");
    b = bytes_vocabulary_of("llama", 1); /* which does not look at them */
    put_array_of(&b, "tokenizer.ggml.merges", V_I32, ones, 2);
    expect_none(&b);
}

/* Where keys break off, merges and tokens may have come. */
static void nothing_is_missed_of_broken_tokenizers(void **state)
{
    static const char *const kinds[] = {"gpt2", "t5"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct bytes b = bytes_sound(0, 2);
        uint64_t at;
        put_kv_str(&b, "tokenizer.ggml.model", kinds[i]);
        at = b.n + 9;
        put_key(&b, "k", 13);
        put_fill(&b, 0, 16);
        expect_one(&b, "value-type", at, "kv[2].type", NULL);
    }
}

/* llama.cpp has no gptj. */
static void what_is_not_loaded_needs_no_tokenizer(void **state)
{
    static const char *const keys[] = {"context_length", "embedding_length",
                                       "block_count", "rope.dimension_count",
                                       "attention.head_count"};
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_header(&b, 0, 7);
    put_kv_str(&b, "general.architecture", "gptj");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char key[64];
        snprintf(key, sizeof key, "gptj.%s", keys[i]);
        put_kv_u32(&b, key, 4);
    }
    put_key(&b, "gptj.attention.layer_norm_epsilon", V_F32);
    put_f32(&b, 1e-5f);
    expect_one(&b, "architecture-unknown", 24 + 8 + 20 + 4, "kv[0].value",
               "the architecture \"gptj\" is not known");
}

/* A model has a tokenizer; what is only for a model does not, nor what
 * llama.cpp does not load anyhow. */
static void a_tokenizer_is_missed(void **state)
{
    static const struct {
        const char *key, *value;
        bool missed;
    } cases[] = {{"general.name", "x", true},
                 {"general.type", "model", true},
                 {"general.type", "adapter", false},
                 {"adapter.type", "lora", false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_mamba(0, 1);
        put_kv_str(&b, cases[i].key, cases[i].value);
        if (cases[i].missed)
            expect_one(&b, "no-tokenizer", GGK_NO_OFFSET, "",
                       "there is no tokenizer");
        else
            expect_none(&b);
    }
}

/* ------------------------------------------------------------------ shards */

static void put_split(struct bytes *b, uint32_t type, uint32_t no,
                      uint32_t count)
{
    put_key(b, "split.no", type);
    put_uint(b, no, ggk_value_type_bytes(type));
    put_key(b, "split.count", type);
    put_uint(b, count, ggk_value_type_bytes(type));
}

static void keys_of_a_set_have_their_types(void **state)
{
    struct bytes b = bytes_sound(0, 3);
    uint64_t no = 65 + 20, count = no + 4 + 23;
    const struct expected wide[] = {
        {"split-keys", no, "kv[1].value",
         "split.no is of type UINT32, not UINT16"},
        {"split-keys", count, "kv[2].value",
         "split.count is of type UINT32, not UINT16"},
        {"split-keys", count + 4 + 31, "kv[3].value",
         "split.tensors.count is of type UINT32, not INT32"},
        {NULL, 0, NULL, NULL}};
    struct judged j;

    (void)state;
    put_split(&b, V_U32, 0, 1);
    put_kv_u32(&b, "split.tensors.count", 0);
    judge(&j, &b);
    expect_told(&j, wide);
}

static void numbers_of_a_set_have_their_ranges(void **state)
{
    struct bytes b = bytes_sound(0, 2);
    static const struct expected large[] = {
        {"split-keys", 85, "kv[1].value",
         "split.no is of type UINT32, not UINT16"},
        {"split-keys", 85, "kv[1].value", "split.no is 65535, not 0 to 65534"},
        {"split-keys", 112, "kv[2].value",
         "split.count is of type UINT32, not UINT16"},
        {"split-keys", 112, "kv[2].value",
         "split.count is 65536, not 0 to 65535"},
        {NULL, 0, NULL, NULL}};
    struct judged j;

    (void)state;
    put_split(&b, V_U16, 1, 1);
    expect_one(&b, "split-keys", 85, "kv[1].value",
               "split.no is 1, but split.count is 1");
    b = bytes_sound(0, 2);
    put_split(&b, V_U32, 65535, 65536);
    judge(&j, &b);
    expect_told(&j, large);
    b = bytes_sound(0, 1);
    put_key(&b, "split.tensors.count", V_I32);
    put_u32(&b, (uint32_t)-5);
    expect_one(&b, "split-keys", 65 + 31, "kv[1].value",
               "split.tensors.count is -5, not 0 to 2147483647");
}

static void the_tensors_of_a_set_are_counted(void **state)
{
    struct bytes b = bytes_sound(0, 3);

    (void)state;
    put_split(&b, V_U16, 0, 1);
    put_key(&b, "split.tensors.count", V_I32);
    put_u32(&b, 2);
    expect_one(&b, "split-tensors", 65 + 22 + 25 + 31, "kv[3].value",
               "split.tensors.count is 2, but the set has 0 tensors");
}

/* A number without a count, a count of 0, and the names of these keys from
 * before March 2024. */
static void numbers_need_each_other(void **state)
{
    static const struct expected old[] = {
        {"split-keys", GGK_NO_OFFSET, "", "the shard has no key split.no"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(0, 1);
    struct judged j;

    (void)state;
    put_key(&b, "split.no", V_U16);
    put_u16(&b, 5);
    expect_none(&b);
    b = bytes_sound(0, 2);
    put_split(&b, V_U16, 0, 0);
    expect_none(&b);
    b = bytes_sound(0, 2);
    put_key(&b, "general.split", V_U16);
    put_u16(&b, 5);
    put_key(&b, "general.split_count", V_U16);
    put_u16(&b, 3);
    judge(&j, &b);
    expect_told(&j, old);
    b = bytes_sound(0, 2);
    put_kv_str(&b, "split.no", "0");
    put_key(&b, "split.count", V_F32);
    put_f32(&b, 1);
    judge(&j, &b);
    assert_int_equal(j.n, 2);
    assert_string_equal(j.at[0].what, "split.no is of type STRING, not UINT16");
    assert_string_equal(j.at[1].what,
                        "split.count is of type FLOAT32, not UINT16");
}

/* A source has no name to find other shards by: what a shard after the first
 * lacks is in the first. */
static void a_later_shard_needs_no_model(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_header(&b, 1, 2);
    put_split(&b, V_U16, 1, 2);
    put_info(&b, "t", 1, (uint64_t[]){32}, T_Q8_0, 0);
    put_padding(&b, 32);
    put_fill(&b, 0, 64);
    expect_none(&b);
    b = bytes_sound(0, 2);
    put_split(&b, V_U16, 0, 2);
    expect_one(&b, "split-keys", GGK_NO_OFFSET, "",
               "the shard has no key split.tensors.count");
}

/* Which of two numbers counts, nobody knows; none is judged. */
static void repeated_numbers_are_not_judged(void **state)
{
    static const char *const keys[] = {"mamba.block_count",
                                       "mamba.expert_used_count"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct bytes b = bytes_mamba(0, 3);
        struct judged j;
        put_kv_str(&b, "tokenizer.ggml.model", "none");
        put_kv_u32(&b, keys[i], 7);
        put_kv_u32(&b, keys[i], 5);
        judge(&j, &b);
        assert_true(j.n > 0);
        for (size_t k = 0; k < j.n; k++)
            assert_string_equal(j.at[k].id, "key-duplicate");
    }
}

/* Of which there may be none. */
static void layers_that_predict_are_counted(void **state)
{
    struct bytes b = bytes_mamba(0, 2);

    (void)state;
    put_kv_str(&b, "tokenizer.ggml.model", "none");
    put_kv_u32(&b, "mamba.nextn_predict_layers", 0);
    expect_none(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_architecture_is_needed),
        cmocka_unit_test(required_keys_are_missed),
        cmocka_unit_test(required_keys_may_be_spelt_in_two_ways),
        cmocka_unit_test(a_repeated_architecture_counts_for_nothing),
        cmocka_unit_test(what_is_no_model_needs_no_architecture),
        cmocka_unit_test(architectures_are_known_or_not),
        cmocka_unit_test(the_unknown_architecture_is_named),
        cmocka_unit_test(architectures_are_of_small_letters_and_digits),
        cmocka_unit_test(long_architectures_begin_keys_too),
        cmocka_unit_test(nothing_is_missed_of_broken_keys),
        cmocka_unit_test(numbers_have_ranges),
        cmocka_unit_test(numbers_have_a_type),
        cmocka_unit_test(layers_may_have_numbers_of_their_own),
        cmocka_unit_test(layers_have_a_number_each),
        cmocka_unit_test(numbers_by_layer_have_a_type),
        cmocka_unit_test(heads_are_rotated_whole),
        cmocka_unit_test(heads_without_a_length_are_not_judged),
        cmocka_unit_test(experts_agree),
        cmocka_unit_test(experts_used_may_differ_by_layer),
        cmocka_unit_test(experts_are_used_in_any_architecture),
        cmocka_unit_test(broken_keys_have_other_experts),
        cmocka_unit_test(keys_have_a_type),
        cmocka_unit_test(types_in_arrays_are_told),
        cmocka_unit_test(quantized_models_name_their_version),
        cmocka_unit_test(labels_are_compared_with_the_weights),
        cmocka_unit_test(narrow_rows_fit_their_labels),
        cmocka_unit_test(wrong_labels_are_told),
        cmocka_unit_test(weights_are_counted_as_far_as_can_be),
        cmocka_unit_test(a_template_is_missed),
        cmocka_unit_test(arrays_beside_the_tokens_are_judged),
        cmocka_unit_test(types_of_tokens_are_judged),
        cmocka_unit_test(ids_of_tokens_are_judged),
        cmocka_unit_test(ids_have_a_type),
        cmocka_unit_test(tokens_are_an_array),
        cmocka_unit_test(nothing_is_missed_of_broken_vocabularies),
        cmocka_unit_test(pre_tokenizers_are_known),
        cmocka_unit_test(tokenizers_are_whole),
        cmocka_unit_test(merges_are_strings),
        cmocka_unit_test(nothing_is_missed_of_broken_tokenizers),
        cmocka_unit_test(what_is_not_loaded_needs_no_tokenizer),
        cmocka_unit_test(a_tokenizer_is_missed),
        cmocka_unit_test(repeated_numbers_are_not_judged),
        cmocka_unit_test(layers_that_predict_are_counted),
        cmocka_unit_test(keys_of_a_set_have_their_types),
        cmocka_unit_test(numbers_of_a_set_have_their_ranges),
        cmocka_unit_test(the_tensors_of_a_set_are_counted),
        cmocka_unit_test(numbers_need_each_other),
        cmocka_unit_test(a_later_shard_needs_no_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
