/* test_reader.c - what is read from files that open: the worked examples of the
 * format, and what is odd but has one meaning. */
#include "kinds.h"
#include "sample.h"

static ggk_file file_of(const ggk_model *model)
{
    ggk_file file;
    assert_int_equal(ggk_model_file(model, 0, &file, NULL), GGK_OK);
    return file;
}

static ggk_kv kv_of(const ggk_model *model, uint64_t i)
{
    ggk_kv kv;
    assert_int_equal(ggk_model_kv(model, i, &kv, NULL), GGK_OK);
    return kv;
}

static ggk_tensor tensor_of(const ggk_model *model, uint64_t i)
{
    ggk_tensor t;
    assert_int_equal(ggk_model_tensor(model, i, &t, NULL), GGK_OK);
    return t;
}

static ggk_model *open_kind(enum kind kind, const struct bytes *b)
{
    ggk_model *model;
    ggk_error err = error_canary();

    assert_int_equal(kind_open(kind, b, NULL, &model, &err), GGK_OK);
    expect_untouched(&err);
    return model;
}

/* --------------------------------------------------------- worked examples */

/* header 24 at 0, metadata 45 at 24, infos 50 + 57 at 69, padding 16 at 176,
 * tensors of 256 at 192 and of 204 at 448. */
static struct bytes make_layout(void)
{
    struct bytes b = bytes_llama(2);

    put_info(&b, "output_norm.weight", 1, (uint64_t[]){64}, T_F32, 0);
    put_info(&b, "token_embd.weight", 2, (uint64_t[]){32, 6}, T_Q8_0, 256);
    assert_int_equal(b.n, 176);
    put_fill(&b, 0, 16 + 256 + 204);
    return b;
}

static void parts_lie_where_they_are_counted_to(void **state)
{
    struct bytes b = make_layout();

    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        ggk_model *model = open_kind(kind, &b);
        ggk_file file = file_of(model);
        ggk_kv kv = kv_of(model, 0);
        ggk_tensor first = tensor_of(model, 0), second = tensor_of(model, 1);

        assert_int_equal(file.kv_off, 24);
        assert_int_equal(kv.off, 24);
        assert_int_equal(kv.value_off, 24 + 8 + 20 + 4);
        assert_int_equal(kv.end_off, 24 + 45);
        assert_int_equal(file.info_off, 69);
        assert_int_equal(first.info_off, 69);
        assert_int_equal(first.info_end, 69 + 50);
        assert_int_equal(second.info_off, 119);
        assert_int_equal(second.info_end, 119 + 57);
        assert_int_equal(file.head_end, 176);
        assert_int_equal(file.data_off, 176 + 16);
        assert_int_equal(first.rel_off, 0);
        assert_int_equal(first.data_off, 192);
        assert_int_equal(first.bytes, 256);
        assert_int_equal(second.rel_off, 256);
        assert_int_equal(second.data_off, 448);
        assert_int_equal(second.bytes, 204);
        assert_int_equal(file.data_end, 652);
        assert_int_equal(file.size, 652);
        assert_int_equal(file.trailing, 0);
        assert_int_equal(file.first_missing, GGK_NONE);
        ggk_model_close(model);
    }
    bytes_free(&b);
}

static void header_of_291_tensors_and_25_keys(void **state)
{
    static const uint8_t header[24] = {0x47, 0x47, 0x55, 0x46, 3, 0, 0, 0,
                                       0x23, 0x01, 0,    0,    0, 0, 0, 0,
                                       0x19, 0,    0,    0,    0, 0, 0, 0};
    struct bytes b = bytes_of(3, false);
    ggk_model *model;
    ggk_file file;

    (void)state;
    put_raw(&b, header, sizeof header);
    for (uint32_t i = 0; i < 25; i++) {
        char key[16];
        snprintf(key, sizeof key, "key.%" PRIu32, i);
        put_kv_u32(&b, key, i);
    }
    for (uint64_t i = 0; i < 291; i++) {
        char name[32];
        snprintf(name, sizeof name, "blk.%" PRIu64 ".weight", i);
        put_info(&b, name, 1, (uint64_t[]){8}, T_F32, 32 * i);
    }
    model = open_bytes(&b);
    file = file_of(model);
    assert_int_equal(file.version, 3);
    assert_int_equal(file.n_tensors, 291);
    assert_int_equal(file.n_kv, 25);
    assert_int_equal(ggk_model_n_tensors(model), 291);
    assert_int_equal(ggk_model_n_kv(model), 25);
    ggk_model_close(model);
    bytes_free(&b);
}

static void strings_are_a_length_and_bytes(void **state)
{
    static const struct {
        const char *text;
        size_t n, stored;
    } strings[] = {{"llama", 5, 13}, {"h\xc3\xa9llo", 6, 14}, {"", 0, 8}};
    struct bytes b = bytes_of(3, false);
    ggk_model *model;

    (void)state;
    put_header(&b, 0, 3);
    for (size_t i = 0; i < 3; i++)
        put_kv_str(&b, "key", strings[i].text);
    model = open_bytes(&b);
    for (uint64_t i = 0; i < 3; i++) {
        ggk_str stored;
        assert_int_equal(ggk_model_kv_bytes(model, i, &stored, NULL), GGK_OK);
        assert_int_equal(stored.len, strings[i].stored);
        assert_int_equal(stored.ptr[0], strings[i].n);
        assert_memory_equal(stored.ptr + 8, strings[i].text, strings[i].n);
    }
    ggk_model_close(model);
    bytes_free(&b);
}

static void put_twelve_scalars(struct bytes *b)
{
    put_key(b, "0", V_U8);
    put_u8(b, 200);
    put_key(b, "1", V_I8);
    put_u8(b, (uint8_t)-5);
    put_key(b, "2", V_U16);
    put_u16(b, 60000);
    put_key(b, "3", V_I16);
    put_u16(b, (uint16_t)-1234);
    put_key(b, "4", V_U32);
    put_u32(b, 4294967295u);
    put_key(b, "5", V_I32);
    put_u32(b, (uint32_t)-7);
    put_key(b, "6", V_F32);
    put_f32(b, 1e-5f);
    put_key(b, "7", V_BOOL);
    put_u8(b, 1);
    put_key(b, "8", V_STR);
    put_str(b, "llama");
    put_key(b, "9", V_U64);
    put_u64(b, UINT64_MAX);
    put_key(b, "a", V_I64);
    put_u64(b, (uint64_t)-9000000000);
    put_key(b, "b", V_F64);
    put_f64(b, 0.1);
}

/* Each scalar with the number of its type: 104 bytes together. */
static void scalars_are_read_back_exactly(void **state)
{
    static const ggk_value expected[12] = {
        {V_U8, {.u = 200}},
        {V_I8, {.i = -5}},
        {V_U16, {.u = 60000}},
        {V_I16, {.i = -1234}},
        {V_U32, {.u = 4294967295}},
        {V_I32, {.i = -7}},
        {V_F32, {.f = (double)1e-5f}},
        {V_BOOL, {.u = 1}},
        {V_STR, {.s = {NULL, 5}}},
        {V_U64, {.u = UINT64_MAX}},
        {V_I64, {.i = -9000000000}},
        {V_F64, {.f = 0.1}},
    };

    (void)state;
    for (unsigned big = 0; big < 2; big++) {
        struct bytes b = bytes_of(3, big != 0);
        uint64_t bytes = 0;
        ggk_model *model;

        put_header(&b, 0, 12);
        put_twelve_scalars(&b);
        model = open_bytes(&b);
        for (uint64_t i = 0; i < 12; i++) {
            ggk_kv kv = kv_of(model, i);
            ggk_walk walk;
            ggk_value v;

            bytes += kv.end_off - (kv.off + 8 + 1);
            assert_int_equal(kv.type, expected[i].type);
            assert_int_equal(kv.n, 1);
            assert_int_equal(ggk_walk_start(model, i, &walk, NULL), GGK_OK);
            assert_int_equal(ggk_walk_next(&walk, &v), GGK_WALK_VALUE);
            assert_int_equal(v.type, expected[i].type);
            if (v.type == V_STR) {
                assert_int_equal(v.as.s.len, 5);
                assert_memory_equal(v.as.s.ptr, "llama", 5);
            } else {
                assert_int_equal(v.as.u, expected[i].as.u);
            }
        }
        assert_int_equal(bytes, 104);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

/* Each array with the numbers of its types: 80 + 36 bytes. */
static void arrays_are_read_back_exactly(void **state)
{
    static const char *const tokens[] = {"<unk>", "<s>", "</s>", "▁the",
                                         "▁cat"};
    static const uint32_t types[] = {2, 3, 3, 1, 1};
    struct bytes b = bytes_of(3, false);
    ggk_model *model;
    char *text;

    (void)state;
    put_header(&b, 0, 2);
    put_key(&b, "t", V_ARR);
    put_array(&b, V_STR, 5);
    for (int i = 0; i < 5; i++)
        put_str(&b, tokens[i]);
    put_key(&b, "y", V_ARR);
    put_array(&b, V_I32, 5);
    for (int i = 0; i < 5; i++)
        put_u32(&b, types[i]);
    model = open_bytes(&b);
    assert_int_equal(kv_of(model, 0).end_off - kv_of(model, 0).off - 9, 80);
    assert_int_equal(kv_of(model, 1).end_off - kv_of(model, 1).off - 9, 36);
    text = describe(model);
    assert_string_equal(text, "t: 9 of 5 x 8: [5 x 8 \"<unk>\" \"<s>\" "
                              "\"</s>\" \"▁the\" \"▁cat\" ]\n"
                              "y: 9 of 5 x 5: [5 x 5 2 3 3 1 1 ]\n");
    free(text);
    ggk_model_close(model);
    bytes_free(&b);
}

static void tensor_infos_follow_one_another(void **state)
{
    static const struct {
        uint64_t at, bytes, offset, data;
    } expected[] = {
        {0, 57, 0, 68000}, {57, 59, 68000, 8192}, {116, 50, 76192, 256}};
    struct bytes b = bytes_llama(3);
    ggk_model *model;

    (void)state;
    put_info(&b, "token_embd.weight", 2, (uint64_t[]){64, 1000}, T_Q8_0, 0);
    put_info(&b, "blk.0.attn_q.weight", 2, (uint64_t[]){64, 64}, T_F16, 68000);
    put_info(&b, "output_norm.weight", 1, (uint64_t[]){64}, T_F32, 76192);
    model = open_bytes(&b);
    for (uint64_t i = 0; i < 3; i++) {
        ggk_tensor t = tensor_of(model, i);
        assert_int_equal(t.info_off - file_of(model).info_off, expected[i].at);
        assert_int_equal(t.info_end - t.info_off, expected[i].bytes);
        assert_int_equal(t.rel_off, expected[i].offset);
        assert_int_equal(t.bytes, expected[i].data);
    }
    ggk_model_close(model);
    bytes_free(&b);
}

/* Tensor infos that end at 470, and tensors of 256, 204 and 1000 bytes. */
static struct bytes make_aligned(uint32_t align, uint64_t second,
                                 uint64_t third)
{
    struct bytes b = bytes_of(3, false);
    char filler[284];

    memset(filler, 'x', 283);
    filler[283] = '\0';
    put_header(&b, 3, 2);
    put_kv_u32(&b, "general.alignment", align);
    put_kv_str(&b, "pad", filler);
    put_info(&b, "a", 1, (uint64_t[]){64}, T_F32, 0);
    put_info(&b, "b", 2, (uint64_t[]){32, 6}, T_Q8_0, second);
    put_info(&b, "c", 1, (uint64_t[]){250}, T_F32, third);
    assert_int_equal(b.n, 470);
    return b;
}

static void data_is_aligned(void **state)
{
    static const struct {
        uint32_t align;
        uint64_t data, second, third, section;
    } cases[] = {{32, 480, 256, 480, 1504}, {64, 512, 256, 512, 1536}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct bytes b =
            make_aligned(cases[i].align, cases[i].second, cases[i].third);
        ggk_model *model;
        ggk_file file;

        put_padding(&b, cases[i].align);
        put_fill(&b, 0, cases[i].section);
        model = open_bytes(&b);
        file = file_of(model);
        assert_int_equal(file.alignment, cases[i].align);
        assert_int_equal(file.data_off, cases[i].data);
        assert_int_equal(tensor_of(model, 1).data_off,
                         cases[i].data + cases[i].second);
        assert_int_equal(tensor_of(model, 2).data_off,
                         cases[i].data + cases[i].third);
        /* The last tensor's padding is part of the section. */
        assert_int_equal(file.data_end, cases[i].data + cases[i].third + 1000);
        assert_int_equal(file.size, cases[i].data + cases[i].section);
        assert_int_equal(file.trailing, 0);
        assert_int_equal(file.first_missing, GGK_NONE);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

/* 24 + 45 + 38 + 69 bytes; the data of no tensors would begin at 192. */
static void files_without_tensors_need_no_padding(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_header(&b, 0, 3);
    put_kv_str(&b, "general.architecture", "llama");
    put_kv_u32(&b, "llama.embedding_length", 64);
    put_kv_str(&b, "general.name", "A model of which there is no tensor..");
    assert_int_equal(b.n, 176);
    for (int padded = 0; padded < 2; padded++) {
        ggk_model *model = open_bytes(&b);
        ggk_file file = file_of(model);

        assert_int_equal(file.info_off, 176);
        assert_int_equal(file.head_end, 176);
        assert_int_equal(file.data_off, 192);
        assert_int_equal(file.data_end, 176);
        assert_int_equal(file.trailing, 0);
        assert_int_equal(file.size, padded ? 192 : 176);
        ggk_model_close(model);
        put_padding(&b, 32);
    }
    bytes_free(&b);
}

static void smallest_file_is_a_header(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS * 4; i++) {
        static const uint32_t versions[] = {1, 2, 3, 3};
        struct bytes b = bytes_of(versions[i % 4], i % 4 == 3);
        ggk_model *model;

        put_header(&b, 0, 0);
        assert_int_equal(b.n, b.version == 1 ? 16 : 24);
        model = open_kind(i / 4, &b);
        assert_int_equal(ggk_model_n_kv(model), 0);
        assert_int_equal(ggk_model_n_tensors(model), 0);
        assert_int_equal(file_of(model).head_end, b.n);
        assert_int_equal(file_of(model).data_off, 32);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

/* ---------------------------------------------------------------- versions */

/* 7 tensors and 12 keys, in every version and order, by every source. */
static void versions_and_orders_are_read_alike(void **state)
{
    static const struct {
        uint32_t version;
        bool big;
    } forms[] = {{3, false}, {2, false}, {1, false}, {3, true}};
    struct bytes first = bytes_features(3, false);
    ggk_model *model = open_bytes(&first);
    char *expected = describe(model);

    (void)state;
    ggk_model_close(model);
    assert_non_null(strstr(expected, "nested: 9 of 3 x 9: [3 x 9 [2 x 2 1 2 ] "
                                     "[0 x 12 ] [1 x 9 [2 x 8 \"x\" \"yz\" ] "
                                     "] ]\n"));
    assert_non_null(strstr(expected, "unknown: type 1000 opaque [1: 10 1 1 1 1 "
                                     "1 1 1] 10 elements, 64 bytes at 640\n"));
    for (unsigned i = 0; i < KINDS * 4; i++) {
        struct bytes b = bytes_features(forms[i % 4].version, forms[i % 4].big);
        ggk_file file;
        char *text;

        model = open_kind(i / 4, &b);
        text = describe(model);
        assert_string_equal(text, expected);
        free(text);
        file = file_of(model);
        assert_int_equal(file.version, b.version);
        assert_int_equal(file.big_endian, b.big);
        assert_false(file.swapped_magic);
        assert_int_equal(file.n_kv, FEATURE_KVS);
        assert_int_equal(file.n_tensors, FEATURE_TENSORS);
        assert_int_equal(file.kv_off, b.version == 1 ? 16 : 24);
        assert_int_equal(file.data_off % FEATURE_ALIGN, 0);
        assert_int_equal(file.size, b.n);
        assert_int_equal(file.data_end, b.n);
        ggk_model_close(model);
        bytes_free(&b);
    }
    free(expected);
    bytes_free(&first);
}

static void swapped_magic_is_big_endian(void **state)
{
    struct bytes b = bytes_features(3, true);

    (void)state;
    memcpy(b.at, "FUGG", 4);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        ggk_model *model = open_kind(kind, &b);
        assert_true(file_of(model).swapped_magic);
        assert_true(file_of(model).big_endian);
        assert_int_equal(file_of(model).version, 3);
        ggk_model_close(model);
    }
    bytes_free(&b);
}

/* The GGUF begins inside another file; positions are those of the file. */
static void files_may_begin_later(void **state)
{
    static const uint64_t starts[] = {1, 4096, 70001};
    struct bytes plain = bytes_features(3, false);
    ggk_model *model = open_bytes(&plain);
    char *expected = describe(model);
    ggk_file at0 = file_of(model);

    (void)state;
    ggk_model_close(model);
    for (unsigned i = 0; i < KINDS * 3; i++) {
        uint64_t start = starts[i % 3];
        struct bytes b = bytes_of(3, false);
        ggk_open_opts opts = no_opts();
        ggk_file file;
        char *text, byte;

        put_fill(&b, 0xab, start);
        put_raw(&b, plain.at, plain.n);
        opts.base_off = start;
        assert_int_equal(kind_open(i / 3, &b, &opts, &model, NULL), GGK_OK);
        text = describe(model);
        assert_string_equal(text, expected);
        free(text);
        file = file_of(model);
        assert_int_equal(file.base_off, start);
        assert_int_equal(file.kv_off, start + at0.kv_off);
        assert_int_equal(file.info_off, start + at0.info_off);
        assert_int_equal(file.head_end, start + at0.head_end);
        assert_int_equal(file.data_off, start + at0.data_off);
        assert_int_equal(file.data_end, start + at0.data_end);
        if (file.size != GGK_SIZE_UNKNOWN)
            assert_int_equal(file.size, b.n);
        assert_int_equal(kv_of(model, 0).off, start + 24);
        assert_int_equal(tensor_of(model, 0).info_off, file.info_off);
        assert_int_equal(tensor_of(model, 0).data_off, file.data_off);
        assert_int_equal(ggk_model_read_tensor(model, 1, 3, &byte, 1, NULL),
                         GGK_OK);
        assert_int_equal((uint8_t)byte, (256 + 3) % 251);
        ggk_model_close(model);
        bytes_free(&b);
    }
    free(expected);
    bytes_free(&plain);
}

/* ------------------------------------------------------------- odd headers */

/* A header longer than what is read at first, by every source. */
static void long_headers_are_read_by_all_sources(void **state)
{
    struct bytes b = bytes_of(3, false);
    ggk_model *model;
    char *expected;

    (void)state;
    put_header(&b, 0, 302);
    for (uint32_t i = 0; i < 300; i++) {
        char key[512];
        memset(key, 'k', sizeof key);
        snprintf(key + 400, sizeof key - 400, ".%" PRIu32, i);
        put_kv_u32(&b, key, i);
    }
    put_key(&b, "long", V_STR);
    put_count(&b, 300000);
    put_fill(&b, 'x', 300000);
    put_key(&b, "array", V_ARR);
    put_array(&b, V_STR, 50000);
    for (uint32_t i = 0; i < 50000; i++)
        put_str(&b, &"0123456789"[i % 11]);
    model = open_bytes(&b);
    expected = describe(model);
    ggk_model_close(model);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        char *text;
        model = open_kind(kind, &b);
        text = describe(model);
        assert_string_equal(text, expected);
        free(text);
        ggk_model_close(model);
    }
    free(expected);
    bytes_free(&b);
}

/* The limit is on what is held of the header, not on the file. */
static void short_headers_fit_small_limits(void **state)
{
    struct bytes b = make_layout();
    ggk_open_opts opts = no_opts();

    (void)state;
    put_fill(&b, 0, 200000);
    opts.max_header_bytes = 176;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        ggk_model *model;
        assert_int_equal(kind_open(kind, &b, &opts, &model, NULL), GGK_OK);
        assert_int_equal(file_of(model).head_end, 176);
        ggk_model_close(model);
    }
    bytes_free(&b);
}

static void arrays_nest_16_deep(void **state)
{
    struct bytes b = bytes_of(3, false);
    ggk_model *model;
    char *text;

    (void)state;
    put_header(&b, 0, 1);
    put_key(&b, "k", V_ARR);
    for (int i = 0; i < 15; i++)
        put_array(&b, V_ARR, 1);
    put_array(&b, V_U8, 1);
    put_u8(&b, 7);
    model = open_bytes(&b);
    text = describe(model);
    assert_string_equal(
        text, "k: 9 of 1 x 9: [1 x 9 [1 x 9 [1 x 9 [1 x 9 [1 x 9 [1 x 9 [1 x 9 "
              "[1 x 9 [1 x 9 [1 x 9 [1 x 9 [1 x 9 [1 x 9 [1 x 9 [1 x 9 [1 x 0 "
              "7 ] ] ] ] ] ] ] ] ] ] ] ] ] ] ] ]\n");
    free(text);
    ggk_model_close(model);
    bytes_free(&b);
}

/* Keys and names of no bytes, with NUL, with anything; repeated ones. */
static void names_may_be_anything(void **state)
{
    struct bytes b = bytes_of(3, false);
    ggk_model *model;

    (void)state;
    put_header(&b, 4, 4);
    put_kv_u32(&b, "", 1);
    put_kv_u32(&b, "General Name", 2);
    put_str_n(&b, "a\0b", 3);
    put_u32(&b, V_BOOL);
    put_u8(&b, 255);
    put_kv_u32(&b, "", 3);
    for (int i = 0; i < 4; i++) {
        put_str_n(&b, "../\0\xff\n", (size_t)(i % 2) * 6);
        put_u32(&b, 0);
        put_u32(&b, T_I8);
        put_u64(&b, 0);
    }
    model = open_bytes(&b);
    assert_int_equal(kv_of(model, 0).key.len, 0);
    assert_int_equal(kv_of(model, 2).key.len, 3);
    assert_memory_equal(kv_of(model, 2).key.ptr, "a\0b", 3);
    assert_int_equal(ggk_model_n_dup_kv(model), 1);
    assert_int_equal(ggk_model_n_dup_tensors(model), 2);
    assert_int_equal(tensor_of(model, 1).name.len, 6);
    assert_memory_equal(tensor_of(model, 3).name.ptr, "../\0\xff\n", 6);
    ggk_model_close(model);
    bytes_free(&b);
}

/* --------------------------------------------------------------- alignment */

/* A file with a key-value of `width` bytes for each of `n` alignments. */
static struct bytes make_alignment(const char *key, size_t key_len,
                                   uint32_t type, uint64_t value, size_t width,
                                   int n)
{
    struct bytes b = bytes_of(3, false);

    put_header(&b, 1, (uint64_t)n);
    for (int i = 0; i < n; i++) {
        put_str_n(&b, key, key_len);
        put_u32(&b, type);
        put_uint(&b, value, width);
    }
    put_info(&b, "a", 1, (uint64_t[]){8}, T_I8, 0);
    return b;
}

static void expect_alignment(const struct bytes *b, uint64_t alignment)
{
    ggk_model *model = open_bytes(b);
    ggk_file file = file_of(model);

    assert_int_equal(file.alignment, alignment);
    assert_int_equal(file.data_off % alignment, 0);
    assert_true(file.data_off >= file.head_end);
    assert_true(file.data_off - file.head_end < alignment);
    ggk_model_close(model);
}

static void alignment_may_be_any_integer(void **state)
{
    static const struct {
        uint32_t type;
        size_t width;
    } types[] = {{V_U8, 1},  {V_I8, 1},  {V_U16, 2}, {V_I16, 2},
                 {V_U32, 4}, {V_I32, 4}, {V_U64, 8}, {V_I64, 8}};
    static const uint64_t values[] = {1,  2,  4,    8,     13,      24,
                                      32, 48, 4096, 65536, 1u << 31};

    (void)state;
    for (size_t i = 0; i < 8; i++)
        for (size_t j = 0; j < sizeof values / sizeof values[0]; j++) {
            struct bytes b;
            if (values[j] >> (8 * types[i].width - 1) != 0 &&
                types[i].type != V_U32)
                continue;
            b = make_alignment("general.alignment", 17, types[i].type,
                               values[j], types[i].width, 1);
            expect_alignment(&b, values[j]);
            bytes_free(&b);
        }
}

static void alignment_may_repeat_and_end_in_nul(void **state)
{
    struct bytes b = make_alignment("general.alignment", 17, V_U32, 128, 4, 3);

    (void)state;
    expect_alignment(&b, 128);
    bytes_free(&b);
    b = make_alignment("general.alignment\0", 18, V_U32, 128, 4, 2);
    expect_alignment(&b, 128);
    bytes_free(&b);
    /* A key that goes on after the NUL is another key. */
    b = make_alignment("general.alignment\0x", 19, V_U32, 0, 4, 1);
    expect_alignment(&b, 32);
    bytes_free(&b);
    b = make_alignment("general.alignment\0\0", 19, V_U32, 0, 4, 1);
    expect_alignment(&b, 32);
    bytes_free(&b);
    b = make_alignment("xgeneral.alignment", 18, V_STR, 0, 8, 1);
    expect_alignment(&b, 32);
    bytes_free(&b);
}

/* Where the data of no tensor would lie need not be in the file. */
static void alignment_may_be_huge_without_tensors(void **state)
{
    struct bytes b = bytes_of(3, false);
    ggk_model *model;
    ggk_file file;

    (void)state;
    put_header(&b, 0, 1);
    put_key(&b, "general.alignment", V_U64);
    put_u64(&b, UINT64_MAX);
    model = open_bytes(&b);
    file = file_of(model);
    assert_true(file.alignment == UINT64_MAX);
    assert_true(file.data_off == UINT64_MAX);
    assert_int_equal(file.data_end, file.head_end);
    assert_int_equal(file.trailing, 0);
    ggk_model_close(model);
    bytes_free(&b);
}

/* --------------------------------------------------------- data and its end */

/* Tensors "a", "b", ... one after the other, all I8; data of `data` bytes. */
static struct bytes make_tensors(const uint64_t (*at)[2], uint64_t n,
                                 uint32_t type, size_t data)
{
    struct bytes b = bytes_llama(n);

    for (uint64_t i = 0; i < n; i++) {
        const char name[2] = {(char)('a' + i), '\0'};
        put_info(&b, name, 1, (uint64_t[]){at[i][1]}, type, at[i][0]);
    }
    put_padding(&b, 32);
    put_fill(&b, 0, data);
    return b;
}

/* Tensors in any order, with gaps, overlapping, not aligned. */
static void data_may_lie_anywhere(void **state)
{
    static const uint64_t at[][2] = {{100, 50}, {0, 10},  {7, 64},
                                     {7, 64},   {300, 0}, {150, 1}};
    struct bytes b = make_tensors(at, 6, T_I8, 151);
    ggk_model *model = open_bytes(&b);
    ggk_file file = file_of(model);

    (void)state;
    for (uint64_t i = 0; i < 6; i++) {
        assert_int_equal(tensor_of(model, i).rel_off, at[i][0]);
        assert_int_equal(tensor_of(model, i).bytes, at[i][1]);
    }
    assert_int_equal(file.data_end, file.data_off + 151);
    assert_int_equal(file.first_missing, GGK_NONE);
    ggk_model_close(model);
    bytes_free(&b);
}

static void trailing_bytes_are_counted(void **state)
{
    static const uint64_t at[][2] = {{0, 40}};

    (void)state;
    for (size_t data = 40; data < 3100; data += data < 70 ? 1 : 1000) {
        struct bytes b = make_tensors(at, 1, T_I8, data);
        ggk_model *model = open_bytes(&b);

        /* 40 bytes and 24 of padding belong to the tensor. */
        assert_int_equal(file_of(model).trailing, data > 64 ? data - 64 : 0);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

static void first_missing_is_first_in_the_file(void **state)
{
    static const uint64_t at[][2] = {
        {500, 10}, {64, 0}, {200, 100}, {100, 100}, {300, 50}};
    static const struct {
        size_t data;
        uint64_t missing;
    } cases[] = {{510, GGK_NONE}, {509, 0}, {500, 0}, {350, 0}, {349, 4},
                 {301, 4},        {300, 4}, {299, 2}, {200, 2}, {199, 3},
                 {100, 3},        {1, 3},   {0, 3}};

    (void)state;
    for (unsigned i = 0; i < KINDS * sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = make_tensors(at, 5, T_I8, cases[i / KINDS].data);
        ggk_model *model = open_kind(i % KINDS, &b);

        assert_int_equal(file_of(model).first_missing,
                         cases[i / KINDS].missing);
        /* The end is where the data should end. */
        assert_int_equal(file_of(model).data_end,
                         file_of(model).data_off + 510);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

/* The file ends before its data would begin. */
static void all_data_may_be_missing(void **state)
{
    static const uint64_t at[][2] = {{32, 1}, {0, 8}, {0, 0}};
    struct bytes b = make_tensors(at, 3, T_I8, 0);
    ggk_model *model;

    (void)state;
    b.n = 69 + 3 * 33; /* not even the padding */
    model = open_bytes(&b);
    assert_int_equal(file_of(model).data_off, 192);
    assert_int_equal(file_of(model).size, 168);
    assert_int_equal(file_of(model).first_missing, 1);
    assert_int_equal(file_of(model).trailing, 0);
    ggk_model_close(model);
    bytes_free(&b);
}

/* Sizes for which other readers wrap round: the data is just not there. */
static void huge_tensors_are_missing(void **state)
{
    static const struct {
        uint64_t ne0, bytes;
        uint32_t type;
    } cases[] = {
        {1024819115206086208u, 576460752303423492u, T_Q4_0},
        {542551296285575072u, 576460752303423514u, T_Q8_0},
        {(UINT64_C(1) << 62) - 64, UINT64_MAX - 255, T_F32},
        {INT64_MAX, INT64_MAX, T_I8},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_of(3, false);
        ggk_model *model;

        put_header(&b, 1, 0);
        put_info(&b, "a", 1, &cases[i].ne0, cases[i].type, 0);
        put_padding(&b, 32);
        put_fill(&b, 0, 64);
        model = open_bytes(&b);
        assert_int_equal(tensor_of(model, 0).bytes, cases[i].bytes);
        assert_int_equal(file_of(model).first_missing, 0);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

/* ------------------------------------------------------------ opaque types */

/* Up to the next offset, whoever has it, or to the end of the file. */
static void opaque_tensors_end_where_the_next_begins(void **state)
{
    static const uint64_t at[][2] = {
        {100, 5}, {0, 5}, {300, 5}, {100, 5}, {40, 5}};
    static const uint64_t bytes[] = {200, 40, 77, 200, 60};

    (void)state;
    for (unsigned i = 0; i < KINDS * 2; i++) {
        struct bytes b = make_tensors(at, 5, i % 2 ? T_UNKNOWN : T_Q4_2, 377);
        ggk_model *model = open_kind(i / 2, &b);
        uint8_t buf[200];

        for (uint64_t t = 0; t < 5; t++) {
            assert_true(tensor_of(model, t).opaque);
            assert_int_equal(tensor_of(model, t).bytes, bytes[t]);
            assert_int_equal(tensor_of(model, t).n_elements, 5);
            assert_int_equal(
                ggk_model_read_tensor(model, t, 0, buf, bytes[t], NULL),
                GGK_OK);
        }
        assert_int_equal(file_of(model).first_missing, GGK_NONE);
        assert_int_equal(file_of(model).data_end, b.n);
        assert_int_equal(file_of(model).trailing, 0);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

/* Not a byte is there, though it has elements. */
static void opaque_tensors_may_be_missing(void **state)
{
    static const uint64_t at[][2] = {{0, 5}, {64, 5}, {64, 0}};

    (void)state;
    for (size_t data = 0; data < 70; data++) {
        struct bytes b = make_tensors(at, 3, T_UNKNOWN, data);
        ggk_model *model = open_bytes(&b);

        assert_int_equal(tensor_of(model, 1).bytes, data > 64 ? data - 64 : 0);
        assert_int_equal(file_of(model).first_missing, data < 64    ? 0
                                                       : data == 64 ? 1
                                                                    : GGK_NONE);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

/* In a stream whose end is not reached, the last one may be of any length. */
static void opaque_tensors_of_streams_have_no_end(void **state)
{
    static const uint64_t at[][2] = {{0, 5}, {100000, 5}};
    struct bytes b = make_tensors(at, 2, T_UNKNOWN, 200000);
    ggk_model *model = open_kind(KIND_STREAM, &b);
    ggk_tensor t = tensor_of(model, 1);
    ggk_file file = file_of(model);
    uint8_t byte = 1;

    (void)state;
    assert_int_equal(tensor_of(model, 0).bytes, 100000);
    assert_true(t.bytes == GGK_SIZE_UNKNOWN);
    assert_true(file.size == GGK_SIZE_UNKNOWN);
    assert_int_equal(file.trailing, 0);
    assert_int_equal(file.first_missing, GGK_NONE);
    assert_int_equal(ggk_model_read_tensor(model, 1, 99999, &byte, 1, NULL),
                     GGK_OK);
    assert_int_equal(byte, 0);
    assert_int_equal(ggk_model_read_tensor(model, 1, 100000, &byte, 1, NULL),
                     GGK_E_TRUNCATED);
    ggk_model_close(model);
    bytes_free(&b);
}

/* --------------------------------------------------------------- whole files
 */

static void expect_quant(const ggk_model *model, uint32_t type, uint64_t n,
                         uint64_t elements, uint64_t bytes)
{
    for (uint64_t i = 0; i < ggk_model_n_tensors(model); i++) {
        ggk_tensor t = tensor_of(model, i);
        if (t.type != type)
            continue;
        n--;
        elements -= t.n_elements;
        bytes -= t.bytes;
    }
    assert_int_equal(n, 0);
    assert_int_equal(elements, 0);
    assert_int_equal(bytes, 0);
}

/* A model of one layer in a mix of types: 5.127 bits per weight. */
static void mixed_types_add_up(void **state)
{
    static const struct {
        const char *name;
        uint64_t ne[2];
        uint32_t type;
    } tensors[] = {
        {"token_embd.weight", {256, 1000}, T_Q4_K},
        {"blk.0.attn_norm.weight", {256, 1}, T_F32},
        {"blk.0.attn_q.weight", {256, 256}, T_Q4_K},
        {"blk.0.attn_k.weight", {256, 64}, T_Q4_K},
        {"blk.0.attn_v.weight", {256, 64}, T_Q6_K},
        {"blk.0.attn_output.weight", {256, 256}, T_Q4_K},
        {"blk.0.ffn_norm.weight", {256, 1}, T_F32},
        {"blk.0.ffn_gate.weight", {256, 704}, T_Q4_K},
        {"blk.0.ffn_up.weight", {256, 704}, T_Q4_K},
        {"blk.0.ffn_down.weight", {704, 256}, T_Q5_0},
        {"output_norm.weight", {256, 1}, T_F32},
        {"output.weight", {256, 1000}, T_Q6_K},
    };
    struct bytes b = bytes_llama(12);
    uint64_t elements = 0, bytes = 0;
    ggk_model *model;

    (void)state;
    for (size_t i = 0; i < 12; i++)
        put_info(&b, tensors[i].name, tensors[i].ne[1] > 1 ? 2 : 1,
                 tensors[i].ne, tensors[i].type, 0);
    model = open_bytes(&b);
    expect_quant(model, T_Q4_K, 6, 763904, 429696);
    expect_quant(model, T_Q5_0, 1, 180224, 123904);
    expect_quant(model, T_Q6_K, 2, 272384, 223440);
    expect_quant(model, T_F32, 3, 768, 3072);
    for (uint64_t i = 0; i < 12; i++) {
        elements += tensor_of(model, i).n_elements;
        bytes += tensor_of(model, i).bytes;
    }
    assert_int_equal(elements, 1217280);
    assert_int_equal(bytes, 780112);
    assert_int_equal((bytes * 8 * 1000 + elements / 2) / elements, 5127);
    ggk_model_close(model);
    bytes_free(&b);
}

static void one_tensor_of_3_keys(void **state)
{
    struct bytes b = bytes_of(3, false);
    ggk_model *model;
    uint64_t file_type;

    (void)state;
    put_header(&b, 1, 3);
    put_kv_str(&b, "general.architecture", "llama");
    put_kv_str(&b, "general.name", "A model of only one tensor....");
    put_kv_u32(&b, "general.file_type", 7);
    put_info(&b, "weight", 1, (uint64_t[]){256}, T_Q8_0, 0);
    put_padding(&b, 32);
    put_fill(&b, 1, 272);
    assert_int_equal(b.n, 496);
    model = open_bytes(&b);
    assert_int_equal(ggk_model_n_kv(model), 3);
    assert_int_equal(file_of(model).data_off, 224);
    assert_int_equal(file_of(model).size, 496);
    assert_int_equal(tensor_of(model, 0).n_elements, 256);
    assert_int_equal(tensor_of(model, 0).bytes, 272);
    assert_int_equal(ggk_model_get_u64(model, ggk_cstr("general.file_type"),
                                       &file_type, NULL),
                     GGK_OK);
    assert_string_equal(ggk_file_type_name(file_type), "MOSTLY_Q8_0");
    ggk_model_close(model);
    bytes_free(&b);
}

/* 10^5 keys and tensors: in linear time, as the test's own time limit shows. */
static void many_entries_are_read(void **state)
{
    enum { N = 100000 };
    struct bytes b = bytes_of(3, false);
    ggk_model *model;
    uint64_t at;

    (void)state;
    put_header(&b, N, N);
    for (uint32_t i = 0; i < N; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%" PRIu32, i);
        put_kv_u32(&b, key, i);
    }
    for (uint64_t i = 0; i < N; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%" PRIu64, i);
        put_info(&b, name, 1, (uint64_t[]){8}, T_UNKNOWN, 32 * i);
    }
    model = open_bytes(&b);
    assert_int_equal(ggk_model_find_kv(model, ggk_cstr("k99999"), &at, NULL),
                     GGK_OK);
    assert_int_equal(at, 99999);
    assert_int_equal(
        ggk_model_find_tensor(model, ggk_cstr("t99999"), &at, NULL), GGK_OK);
    assert_int_equal(at, 99999);
    assert_int_equal(tensor_of(model, 99998).bytes, 32);
    ggk_model_close(model);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_lie_where_they_are_counted_to),
        cmocka_unit_test(header_of_291_tensors_and_25_keys),
        cmocka_unit_test(strings_are_a_length_and_bytes),
        cmocka_unit_test(scalars_are_read_back_exactly),
        cmocka_unit_test(arrays_are_read_back_exactly),
        cmocka_unit_test(tensor_infos_follow_one_another),
        cmocka_unit_test(data_is_aligned),
        cmocka_unit_test(files_without_tensors_need_no_padding),
        cmocka_unit_test(smallest_file_is_a_header),
        cmocka_unit_test(versions_and_orders_are_read_alike),
        cmocka_unit_test(swapped_magic_is_big_endian),
        cmocka_unit_test(files_may_begin_later),
        cmocka_unit_test(long_headers_are_read_by_all_sources),
        cmocka_unit_test(short_headers_fit_small_limits),
        cmocka_unit_test(arrays_nest_16_deep),
        cmocka_unit_test(names_may_be_anything),
        cmocka_unit_test(alignment_may_be_any_integer),
        cmocka_unit_test(alignment_may_repeat_and_end_in_nul),
        cmocka_unit_test(alignment_may_be_huge_without_tensors),
        cmocka_unit_test(data_may_lie_anywhere),
        cmocka_unit_test(trailing_bytes_are_counted),
        cmocka_unit_test(first_missing_is_first_in_the_file),
        cmocka_unit_test(all_data_may_be_missing),
        cmocka_unit_test(huge_tensors_are_missing),
        cmocka_unit_test(opaque_tensors_end_where_the_next_begins),
        cmocka_unit_test(opaque_tensors_may_be_missing),
        cmocka_unit_test(opaque_tensors_of_streams_have_no_end),
        cmocka_unit_test(mixed_types_add_up),
        cmocka_unit_test(one_tensor_of_3_keys),
        cmocka_unit_test(many_entries_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
