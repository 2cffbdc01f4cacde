/* test_file_name.c - file names by the convention, and those that are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ggk.h"

/* A name, and its parts in their order. */
struct parsed_name {
    const char *name;
    const char *sidecar, *base_name, *size_label, *fine_tune, *version;
    const char *encoding, *kind;
    uint32_t shard, shards;
    const char *breaks;
};

/* The examples of ggml docs/gguf.md. */
static const struct parsed_name documented[] = {
    {"Mixtral-8x7B-v0.1-KQ2.gguf", "", "Mixtral", "8x7B", "", "v0.1", "KQ2", "",
     0, 0, NULL},
    {"Grok-100B-v1.0-Q4_0-00003-of-00009.gguf", "", "Grok", "100B", "", "v1.0",
     "Q4_0", "", 3, 9, NULL},
    {"Hermes-2-Pro-Llama-3-8B-v1.0-F16.gguf", "", "Hermes-2-Pro-Llama-3", "8B",
     "", "v1.0", "F16", "", 0, 0, NULL},
    {"Hermes-2-Pro-Llama-3-8B-F16.gguf", "", "Hermes-2-Pro-Llama-3", "8B", "",
     "", "F16", "", 0, 0, "it has no version"},
    {"Phi-3-mini-3.8B-ContextLength4k-instruct-v1.0.gguf", "", "Phi-3-mini",
     "3.8B-ContextLength4k", "instruct", "v1.0", "", "", 0, 0, NULL},
    {"mtp-Qwen3-27B-v1.0-Q4_K_M.gguf", "mtp", "Qwen3", "27B", "", "v1.0",
     "Q4_K_M", "", 0, 0, NULL},
    {"mmproj-Qwen2-VL-7B-v1.0-F16.gguf", "mmproj", "Qwen2-VL", "7B", "", "v1.0",
     "F16", "", 0, 0, NULL},
    {"not-a-known-arrangement.gguf", "", "not-a-known-arrangement", "", "", "",
     "", "", 0, 0, "it has no size label and no version"},
};

/* Names as people give them. */
static const struct parsed_name found[] = {
    {"Mistral-7B-Instruct-v0.3-Q4_K_M.gguf", "", "Mistral", "7B", "Instruct",
     "v0.3", "Q4_K_M", "", 0, 0, NULL},
    {"models/Qwen2.5-0.5B-Instruct-v1.0-Q8_0.gguf", "", "Qwen2.5", "0.5B",
     "Instruct", "v1.0", "Q8_0", "", 0, 0, NULL},
    {"DeepSeek-V3-256x20B-v1.0-UD-IQ2_XXS-00001-of-00005.gguf", "",
     "DeepSeek-V3", "256x20B", "", "v1.0", "UD-IQ2_XXS", "", 1, 5, NULL},
    {"Qwen3-30B-A3B-Instruct-2507-UD-Q4_K_XL.gguf", "", "Qwen3", "30B-A3B",
     "Instruct-2507", "", "UD-Q4_K_XL", "", 0, 0, "it has no version"},
    {"gemma-3-270m-q4_k_m.gguf", "", "gemma-3", "270m", "", "", "q4_k_m", "", 0,
     0, "it has no version"},
    {"gpt-oss-20b-MXFP4.gguf", "", "gpt-oss", "20b", "", "", "MXFP4", "", 0, 0,
     "it has no version"},
    {"Qwable-v1-35B-A3B-MXFP4_MOE.gguf", "", "Qwable-v1", "35B-A3B", "", "",
     "MXFP4_MOE", "", 0, 0, "it has no version"},
    {"tinyllama-1.1b-chat-v1.0.Q4_K_M.gguf", "", "tinyllama", "1.1b", "chat",
     "v1.0", "Q4_K_M", "", 0, 0, "its encoding follows a dot, not a dash"},
    {"Foo-8B.i1-IQ1_S.gguf", "", "Foo", "8B", "", "", "i1-IQ1_S", "", 0, 0,
     "its encoding follows a dot, not a dash"},
    {"Foo-8B.UD-Q8_K_XL.gguf", "", "Foo", "8B", "", "", "UD-Q8_K_XL", "", 0, 0,
     "its encoding follows a dot, not a dash"},
    {"all-MiniLM-L6-v2.F16.gguf", "", "all-MiniLM-L6", "", "", "v2", "F16", "",
     0, 0, "its encoding follows a dot, not a dash"},
    {"mmproj-F16.gguf", "mmproj", "", "", "", "", "F16", "", 0, 0,
     "it has no base name"},
    {"Tiny-12x1M-v1-LoRA.gguf", "", "Tiny", "12x1M", "", "v1", "", "LoRA", 0, 0,
     NULL},
    {"Tiny-1.5Q-v1.2.3-TQ1_0-vocab.gguf", "", "Tiny", "1.5Q", "", "v1.2.3",
     "TQ1_0", "vocab", 0, 0, NULL},
};

/* Names at the edges. */
static const struct parsed_name odd_names[] = {
    {"", "", "", "", "", "", "", "", 0, 0, "it does not end in .gguf"},
    {".gguf", "", "", "", "", "", "", "", 0, 0, "it has no base name"},
    {"A-1B-v1.GGUF", "", "A", "1B", "v1.GGUF", "", "", "", 0, 0,
     "it does not end in .gguf"},
    {"-.gguf", "", "-", "", "", "", "", "", 0, 0, "a part of it is empty"},
    {"A-1B--v1.0.gguf", "", "A", "1B", "", "v1.0", "", "", 0, 0,
     "a part of it is empty"},
    {"A-1B-v1.0-.gguf", "", "A", "1B", "v1.0-", "", "", "", 0, 0,
     "a part of it is empty"},
    {"8B-v1.0.gguf", "", "8B", "", "", "v1.0", "", "", 0, 0,
     "it has no size label"},
    {"Q4_K_M.gguf", "", "Q4_K_M", "", "", "", "", "", 0, 0,
     "it has no size label and no version"},
    {"X-8B-v1-v2.gguf", "", "X", "8B", "v1", "v2", "", "", 0, 0, NULL},
    {"X-8B-9B-v1.gguf", "", "X", "8B", "9B", "v1", "", "", 0, 0, NULL},
    {"X-8-v1.gguf", "", "X-8", "", "", "v1", "", "", 0, 0,
     "it has no size label"},
    {"X-8B-v1.-Q4_0.gguf", "", "X", "8B", "v1.", "", "Q4_0", "", 0, 0,
     "it has no version"},
    {"X-8B-v1.0-Q4.K.gguf", "", "X", "8B", "", "v1.0", "Q4.K", "", 0, 0,
     "its encoding is no word"},
    {"X\x1b-8B-v1.0.gguf", "", "X\x1b", "8B", "", "v1.0", "", "", 0, 0,
     "it holds a character that has no place in a name"},
    {"X-8B-v1.0-00000-of-00002.gguf", "", "X", "8B", "", "v1.0", "", "", 0, 0,
     "its shards are not counted from 1 up to their number"},
    {"X-8B-v1.0-00003-of-00002.gguf", "", "X", "8B", "", "v1.0", "", "", 0, 0,
     "its shards are not counted from 1 up to their number"},
    {"-00001-of-00002.gguf", "", "-00001-of-00002", "", "", "", "", "", 0, 0,
     "a part of it is empty"},
};

static void expect_part(const char *name, ggk_str part, const char *right)
{
    if (part.len != strlen(right) ||
        (part.len > 0 && memcmp(part.ptr, right, part.len) != 0))
        fail_msg("%s: \"%.*s\", not \"%s\"", name, (int)part.len, part.ptr,
                 right);
}

static void expect_name(const struct parsed_name *right)
{
    ggk_file_name n;
    bool keeps = ggk_file_name_parse(ggk_cstr(right->name), &n);

    expect_part(right->name, n.sidecar, right->sidecar);
    expect_part(right->name, n.base_name, right->base_name);
    expect_part(right->name, n.size_label, right->size_label);
    expect_part(right->name, n.fine_tune, right->fine_tune);
    expect_part(right->name, n.version, right->version);
    expect_part(right->name, n.encoding, right->encoding);
    expect_part(right->name, n.kind, right->kind);
    assert_int_equal(n.shard, right->shard);
    assert_int_equal(n.shards, right->shards);
    assert_true(keeps == (right->breaks == NULL));
    if (right->breaks != NULL)
        assert_string_equal(n.breaks, right->breaks);
}

static void names_are_taken_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof documented / sizeof documented[0]; i++)
        expect_name(&documented[i]);
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++)
        expect_name(&found[i]);
    for (size_t i = 0; i < sizeof odd_names / sizeof odd_names[0]; i++)
        expect_name(&odd_names[i]);
}

static void expect_rejoined(const struct parsed_name *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *slash = strrchr(names[i].name, '/');
        const char *name = slash != NULL ? slash + 1 : names[i].name;
        char out[256];
        ggk_file_name parts;
        if (!ggk_file_name_parse(ggk_cstr(name), &parts))
            continue;
        assert_int_equal(ggk_file_name_format(&parts, out, sizeof out),
                         strlen(name));
        assert_string_equal(out, name);
    }
}

static void parts_are_joined(void **state)
{
    (void)state;
    expect_rejoined(documented, sizeof documented / sizeof documented[0]);
    expect_rejoined(found, sizeof found / sizeof found[0]);
}

static void bytes_without_a_place_become_dashes(void **state)
{
    ggk_file_name n = {
        .base_name = ggk_cstr(" Llama 3/\x1b[31m "),
        .size_label = ggk_cstr("8B"),
        .fine_tune = ggk_cstr("\xc3\xa9"),
        .version = ggk_cstr("1.0 "),
        .encoding = ggk_cstr("Q4_K_M"),
        .shard = 2,
        .shards = 3,
    };
    static const char right[] =
        "Llama-3-31m-8B-v1.0-Q4_K_M-00002-of-00003.gguf";
    char out[64];

    (void)state;
    assert_int_equal(ggk_file_name_format(&n, out, sizeof out),
                     sizeof right - 1);
    assert_string_equal(out, right);
    assert_int_equal(ggk_file_name_format(&n, NULL, 0), sizeof right - 1);
    memset(out, '#', sizeof out);
    assert_int_equal(ggk_file_name_format(&n, out, 6), sizeof right - 1);
    assert_memory_equal(out, "Llama\0###", 9);
}

/* ------------------------------------------------------------- size labels */

static void size_labels_are_read(void **state)
{
    static const struct {
        const char *label;
        uint64_t experts, parameters;
    } right[] = {
        {"270M", 0, 270000000},
        {"270m", 0, 270000000},
        {"1.5B", 0, 1500000000},
        {"8x7B", 8, 7000000000},
        {"12x1M", 12, 1000000},
        {"30B-A3B", 0, 30000000000},
        {"0.0005K", 0, 0},
        {"0.001K", 0, 1},
        {"2Q", 0, 2000000000000000},
        {"1T", 0, 1000000000000},
        {"18446.744073709551615Q", 0, UINT64_MAX},
    };
    static const char *const wrong[] = {
        "",
        "B",
        "7",
        "7X",
        "x7B",
        "8x",
        "8xB",
        "1.B",
        ".5B",
        "7B ",
        "-7B",
        "1.2.3B",
        "8X7B",
        "7BB",
        "20000Q",
        "18446.744073709551616Q",
        "18446744073709551616x1B",
        "99999999999999999999K",
    };
    ggk_size_label size;

    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        assert_true(ggk_size_label_parse(ggk_cstr(right[i].label), &size));
        assert_true(size.experts == right[i].experts);
        assert_true(size.parameters == right[i].parameters);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(ggk_size_label_parse(ggk_cstr(wrong[i]), &size));
    assert_false(ggk_size_label_parse((ggk_str){NULL, 0}, &size));
}

/* As size_label() of gguf-py 0.19 rounds them. */
static void size_labels_are_written(void **state)
{
    static const struct {
        uint64_t experts, parameters;
        const char *right;
    } labels[] = {
        {0, 0, "0.00K"},
        {0, 400, "0.40K"},
        {0, 999, "1.0K"},
        {0, 1000, "1.0K"},
        {0, 9960, "10K"},
        {0, 268098176, "268M"},
        {0, 134515008, "135M"},
        {0, 1000000000, "1000M"},
        {0, 1000000001, "1.0B"},
        {0, 1543714304, "1.5B"},
        {0, 8030261248, "8.0B"},
        {0, 46702792704, "47B"},
        {0, 671026419200, "671B"},
        {0, 1026408232448, "1.0T"},
        {8, 7241732096, "8x7.2B"},
        {UINT64_MAX, UINT64_MAX, "18446744073709551615x18446744T"},
    };
    char out[GGK_SIZE_LABEL_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        ggk_size_label label = {labels[i].experts, labels[i].parameters};
        size_t n = ggk_size_label_format(&label, out);
        assert_string_equal(out, labels[i].right);
        assert_int_equal(n, strlen(out));
    }
}

/* ------------------------------------------------------------ hostile names */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t add_piece(char *out, size_t room, size_t n, const char *piece)
{
    size_t len = strlen(piece);

    if (len > room - n)
        len = room - n;
    memcpy(out + n, piece, len);
    return n + len;
}

/* A name out of pieces that mean something, most of them between dashes. */
static size_t make_name(char *out, size_t room, uint64_t *seed)
{
    static const char *const pieces[] = {
        "Llama", "8B",    "v1.0", "Q4_K_M", "v1",
        "8x7B",  "1.5",   "Q4_K", "_M",     "IQ2_XS",
        "UD",    "i1",    "F16",  "mmproj", "mtp",
        "LoRA",  "vocab", "A3B",  "/",      " ",
        "\xff",  ".",     "x",    "-",      "00001-of-00002",
    };
    size_t n = 0, wanted = next_random(seed) % 9;

    for (size_t i = 0; i < wanted; i++) {
        size_t piece = next_random(seed) % (sizeof pieces / sizeof pieces[0]);
        if (i > 0 && next_random(seed) % 8 != 0)
            n = add_piece(out, room, n, "-");
        n = add_piece(out, room, n, pieces[piece]);
    }
    return next_random(seed) % 4 != 0 ? add_piece(out, room, n, ".gguf") : n;
}

/* Is `part` inside of the name, and after what came before it? */
static void expect_order(ggk_str name, ggk_str part, const char **end)
{
    if (part.len == 0)
        return;
    assert_true(part.ptr >= *end);
    assert_true(part.ptr + part.len <= name.ptr + name.len);
    *end = part.ptr + part.len;
}

static void expect_sound(ggk_str name)
{
    ggk_file_name n, again;
    const char *end = name.ptr;
    char out[512], twice[512];
    bool keeps = ggk_file_name_parse(name, &n);

    expect_order(name, n.sidecar, &end);
    expect_order(name, n.base_name, &end);
    expect_order(name, n.size_label, &end);
    expect_order(name, n.fine_tune, &end);
    expect_order(name, n.version, &end);
    expect_order(name, n.encoding, &end);
    expect_order(name, n.kind, &end);
    assert_true(keeps == (n.breaks == NULL));
    if (!keeps || memchr(name.ptr, ' ', name.len) != NULL)
        return; /* blanks are read, but not written */
    assert_true(ggk_file_name_format(&n, out, sizeof out) < sizeof out);
    assert_true(ggk_file_name_parse(ggk_cstr(out), &again));
    ggk_file_name_format(&again, twice, sizeof twice);
    assert_string_equal(out, twice);
}

static void random_names_are_safe(void **state)
{
    uint64_t seed = 0x9e3779b97f4a7c15;
    size_t kept = 0;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        char made[160];
        size_t len = make_name(made, sizeof made, &seed);
        char *name =
            malloc(len + (len == 0)); /* the sanitizer guards its end */
        ggk_file_name n;
        assert_non_null(name);
        memcpy(name, made, len);
        expect_sound((ggk_str){name, len});
        kept += ggk_file_name_parse((ggk_str){name, len}, &n);
        free(name);
    }
    assert_true(kept > 100); /* else the names were all nonsense */
}

/* Were anything quadratic, these would take days. */
static void long_names_take_linear_time(void **state)
{
    static const char *const units[] = {
        "-",       "a",          "a-",    "1",    "1.",    "1-",
        "8x",      "8x7B-",      "v1.",   "v1-",  "Q4_",   "Q4_K-",
        "UD-",     "i1.",        "LoRA-", "A3B-", "-A3B1", "x1x",
        "mmproj-", "/",          ".",     " ",    "\xff",  "-00001-of-00002",
        ".gguf",   "-v1.0-Q4_0",
    };
    const size_t size = 1 << 20;
    char *name = malloc(size);

    (void)state;
    assert_non_null(name);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t len = strlen(units[i]);
        ggk_file_name n;
        for (size_t at = 0; at < size; at++)
            name[at] = units[i][at % len];
        ggk_file_name_parse((ggk_str){name, size}, &n);
        ggk_file_name_format(&n, NULL, 0);
        memcpy(name + size - 5, ".gguf", 5);
        ggk_file_name_parse((ggk_str){name, size}, &n);
        ggk_file_name_format(&n, NULL, 0);
    }
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_taken_apart),
        cmocka_unit_test(parts_are_joined),
        cmocka_unit_test(bytes_without_a_place_become_dashes),
        cmocka_unit_test(size_labels_are_read),
        cmocka_unit_test(size_labels_are_written),
        cmocka_unit_test(random_names_are_safe),
        cmocka_unit_test(long_names_take_linear_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
