/* test_model.c - the open model: keys, tensors, their data, and questions that
 * have no answer. */
#include "kinds.h"
#include "sample.h"

#include <pthread.h>

/* Where key-value or tensor `i` must be out of range. */
static void expect_range(const char *name, ggk_status status,
                         const ggk_error *err, uint64_t i, uint64_t n)
{
    const struct failure wanted = {GGK_E_RANGE, GGK_NO_OFFSET, "", i, n};
    expect_failure(name, status, err, &wanted);
}

/* -------------------------------------------------------------- key-values */

static void keys_are_listed_as_they_stand(void **state)
{
    static const struct {
        const char *key;
        uint32_t type, elem_type;
        uint64_t n;
    } expected[FEATURE_KVS] = {
        {"general.architecture", V_STR, V_STR, 1},
        {"general.alignment", V_U32, V_U32, 1},
        {"tokens", V_ARR, V_STR, 5},
        {"ints", V_ARR, V_I32, 5},
        {"nested", V_ARR, V_ARR, 3},
        {"u8", V_U8, V_U8, 1},
        {"i16", V_I16, V_I16, 1},
        {"u32", V_U32, V_U32, 1},
        {"f32", V_F32, V_F32, 1},
        {"bool", V_BOOL, V_BOOL, 1},
        {"u64", V_U64, V_U64, 1},
        {"f64", V_F64, V_F64, 1},
    };
    struct bytes b = bytes_features(3, false);
    ggk_model *model = open_bytes(&b);
    uint64_t at = 24;

    (void)state;
    assert_int_equal(ggk_model_n_kv(model), FEATURE_KVS);
    for (uint64_t i = 0; i < FEATURE_KVS; i++) {
        size_t head = 8 + strlen(expected[i].key) + 4;
        ggk_error err = error_canary();
        ggk_kv kv;
        ggk_str stored;
        uint64_t found;

        assert_int_equal(ggk_model_kv(model, i, &kv, &err), GGK_OK);
        assert_int_equal(kv.key.len, strlen(expected[i].key));
        assert_memory_equal(kv.key.ptr, expected[i].key, kv.key.len);
        assert_int_equal(kv.type, expected[i].type);
        assert_int_equal(kv.elem_type, expected[i].elem_type);
        assert_int_equal(kv.n, expected[i].n);
        assert_int_equal(kv.off, at);
        if (kv.type == V_ARR)
            head += 12;
        assert_int_equal(kv.value_off, at + head);
        assert_int_equal(
            ggk_model_find_kv(model, ggk_cstr(expected[i].key), &found, &err),
            GGK_OK);
        assert_int_equal(found, i);
        assert_int_equal(ggk_model_kv_bytes(model, i, &stored, &err), GGK_OK);
        assert_int_equal(stored.len, kv.end_off - kv.value_off);
        assert_memory_equal(stored.ptr, b.at + kv.value_off, stored.len);
        expect_untouched(&err);
        at = kv.end_off;
    }
    ggk_model_close(model);
    bytes_free(&b);
}

static void keys_are_found_or_not(void **state)
{
    static const struct failure missing = {GGK_E_NOT_FOUND, GGK_NO_OFFSET, "",
                                           0, 0};
    static const struct failure twice = {GGK_E_DUPLICATE, GGK_NO_OFFSET, "", 0,
                                         0};
    struct bytes b = bytes_of(3, false);
    ggk_model *model;
    ggk_error err = error_canary();
    uint64_t at = 7;

    (void)state;
    put_header(&b, 0, 5);
    put_kv_u32(&b, "a", 1);
    put_kv_u32(&b, "b", 2);
    put_str_n(&b, "c\0", 2); /* as an early writer put it */
    put_u32(&b, V_U8);
    put_u8(&b, 3);
    put_kv_u32(&b, "b", 4);
    put_str_n(&b, "a\0x", 3);
    put_u32(&b, V_U8);
    put_u8(&b, 5);
    model = open_bytes(&b);
    assert_int_equal(ggk_model_n_dup_kv(model), 1);
    assert_int_equal(ggk_model_find_kv(model, ggk_cstr("a"), &at, &err),
                     GGK_OK);
    assert_int_equal(at, 0);
    assert_int_equal(ggk_model_find_kv(model, ggk_cstr("c"), &at, &err),
                     GGK_OK);
    assert_int_equal(at, 2);
    assert_int_equal(ggk_model_find_kv(model, (ggk_str){"a\0x", 3}, &at, &err),
                     GGK_OK);
    assert_int_equal(at, 4);
    expect_untouched(&err);
    expect_failure("b", ggk_model_find_kv(model, ggk_cstr("b"), &at, &err),
                   &err, &twice);
    assert_int_equal(at, 1);
    expect_failure("A", ggk_model_find_kv(model, ggk_cstr("A"), &at, &err),
                   &err, &missing);
    assert_true(at == GGK_NONE);
    assert_int_equal(ggk_model_find_kv(model, ggk_cstr(""), &at, NULL),
                     GGK_E_NOT_FOUND);
    assert_int_equal(ggk_model_find_kv(model, ggk_cstr("b"), &at, NULL),
                     GGK_E_DUPLICATE);
    ggk_model_close(model);
    bytes_free(&b);
}

/* ----------------------------------------------------------------- tensors */

static void tensors_are_listed_as_they_stand(void **state)
{
    static const struct {
        const char *name;
        uint32_t type, n_dims;
        uint64_t elements, bytes, offset;
    } expected[FEATURE_TENSORS] = {
        {"norm", T_F32, 1, 64, 256, 0},
        {"blocks", T_Q8_0, 2, 192, 204, 256},
        {"deep", T_F16, 4, 12, 24, 512},
        {"scalar", T_F32, 0, 1, 4, 576},
        {"empty", T_I8, 2, 0, 0, 640},
        {"unknown", T_UNKNOWN, 1, 10, 64, 640},
        {"super", T_Q4_K, 2, 512, 288, 704},
    };
    struct bytes b = bytes_features(3, false);
    ggk_model *model = open_bytes(&b);
    ggk_file file;

    (void)state;
    assert_int_equal(ggk_model_file(model, 0, &file, NULL), GGK_OK);
    assert_int_equal(ggk_model_n_tensors(model), FEATURE_TENSORS);
    for (uint64_t i = 0; i < FEATURE_TENSORS; i++) {
        ggk_error err = error_canary();
        ggk_tensor t;
        uint64_t found;

        assert_int_equal(ggk_model_tensor(model, i, &t, &err), GGK_OK);
        assert_int_equal(t.name.len, strlen(expected[i].name));
        assert_memory_equal(t.name.ptr, expected[i].name, t.name.len);
        assert_int_equal(t.type, expected[i].type);
        assert_int_equal(t.n_dims, expected[i].n_dims);
        assert_int_equal(t.n_elements, expected[i].elements);
        assert_int_equal(t.bytes, expected[i].bytes);
        assert_int_equal(t.rel_off, expected[i].offset);
        assert_int_equal(t.data_off, file.data_off + expected[i].offset);
        assert_int_equal(t.opaque, i == 5);
        assert_int_equal(t.file, 0);
        assert_int_equal(ggk_model_find_tensor(
                             model, ggk_cstr(expected[i].name), &found, &err),
                         GGK_OK);
        assert_int_equal(found, i);
        expect_untouched(&err);
    }
    ggk_model_close(model);
    bytes_free(&b);
}

/* The seed of the hash, where it is not chosen anew for each model. */
static void seeds_may_be_given(void **state)
{
    static const uint64_t seeds[][2] = {{0, 0}, {0, 7}, {7, 0}, {7, 7}};
    struct bytes b = bytes_features(3, false);

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        ggk_open_opts opts = no_opts();
        ggk_model *model;
        uint64_t at;

        memcpy(opts.hash_seed, seeds[i], sizeof seeds[i]);
        assert_int_equal(kind_open(KIND_MEMORY, &b, &opts, &model, NULL),
                         GGK_OK);
        assert_int_equal(ggk_model_find_kv(model, ggk_cstr("f64"), &at, NULL),
                         GGK_OK);
        assert_int_equal(at, 11);
        ggk_model_close(model);
    }
    bytes_free(&b);
}

static void tensors_are_found_or_not(void **state)
{
    struct bytes b = bytes_llama(3);
    ggk_model *model;
    ggk_error err;
    uint64_t at = 7;

    (void)state;
    put_info(&b, "a", 1, (uint64_t[]){1}, T_I8, 0);
    put_info(&b, "b", 1, (uint64_t[]){1}, T_I8, 0);
    put_str_n(&b, "a\0", 2); /* the same name, for the loader of llama.cpp */
    put_u32(&b, 0);
    put_u32(&b, T_I8);
    put_u64(&b, 0);
    model = open_bytes(&b);
    assert_int_equal(ggk_model_n_dup_tensors(model), 1);
    assert_int_equal(ggk_model_find_tensor(model, ggk_cstr("b"), &at, NULL),
                     GGK_OK);
    assert_int_equal(at, 1);
    assert_int_equal(ggk_model_find_tensor(model, ggk_cstr("a"), &at, &err),
                     GGK_E_DUPLICATE);
    assert_int_equal(err.status, GGK_E_DUPLICATE);
    assert_int_equal(at, 0);
    assert_int_equal(ggk_model_find_tensor(model, ggk_cstr("c"), &at, &err),
                     GGK_E_NOT_FOUND);
    assert_int_equal(err.status, GGK_E_NOT_FOUND);
    assert_true(at == GGK_NONE);
    assert_int_equal(ggk_model_find_tensor(model, ggk_cstr("c"), &at, NULL),
                     GGK_E_NOT_FOUND);
    ggk_model_close(model);
    bytes_free(&b);
}

static void types_are_known_to_the_model(void **state)
{
    struct bytes b = bytes_features(3, false);
    ggk_model *model = open_bytes(&b);

    (void)state;
    assert_string_equal(ggk_model_type(model, T_Q4_K)->name, "Q4_K");
    assert_string_equal(ggk_model_type(model, T_Q4_2)->name, "Q4_2");
    assert_null(ggk_model_type(model, T_UNKNOWN));
    ggk_model_close(model);
    bytes_free(&b);
}

/* -------------------------------------------------------- tensors' contents */

static void tensor_data_is_read_from_anywhere(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS * FEATURE_TENSORS; i++) {
        struct bytes b = bytes_features(3, i % 2 != 0);
        ggk_model *model;
        ggk_error err = error_canary();
        ggk_tensor t;

        assert_int_equal(kind_open(i % KINDS, &b, NULL, &model, NULL), GGK_OK);
        assert_int_equal(ggk_model_tensor(model, i / KINDS, &t, NULL), GGK_OK);
        for (uint64_t off = 0; off <= t.bytes; off += 19)
            for (size_t n = 0; n <= t.bytes - off; n += 41) {
                uint8_t buf[300];
                memset(buf, 0xee, sizeof buf);
                assert_int_equal(
                    ggk_model_read_tensor(model, i / KINDS, off, buf, n, &err),
                    GGK_OK);
                assert_memory_equal(buf, b.at + t.data_off + off, n);
                assert_int_equal(buf[n], 0xee);
            }
        expect_untouched(&err);
        ggk_model_close(model);
        bytes_free(&b);
    }
}

static void reads_end_with_the_tensor(void **state)
{
    static const struct {
        uint64_t off;
        size_t n;
        uint64_t left;
    } reads[] = {{0, 205, 204},      {204, 1, 0},       {203, 2, 1},
                 {205, 0, 0},        {205, 1, 0},       {UINT64_MAX, 0, 0},
                 {UINT64_MAX, 1, 0}, {1, SIZE_MAX, 203}};
    struct bytes b = bytes_features(3, false);
    ggk_model *model = open_bytes(&b);

    (void)state;
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++) {
        uint8_t buf[300];
        ggk_error err;

        expect_range("tensor",
                     ggk_model_read_tensor(model, 1, reads[i].off, buf,
                                           reads[i].n, &err),
                     &err, reads[i].n, reads[i].left);
        assert_int_equal(ggk_model_read_tensor(model, 1, reads[i].off, buf,
                                               reads[i].n, NULL),
                         GGK_E_RANGE);
    }
    /* A tensor of no bytes has none to give, and needs no buffer for them. */
    assert_int_equal(ggk_model_read_tensor(model, 4, 0, NULL, 0, NULL), GGK_OK);
    assert_int_equal(ggk_model_read_tensor(model, 4, 0, NULL, 1, NULL),
                     GGK_E_RANGE);
    ggk_model_close(model);
    bytes_free(&b);
}

/* "super", 288 bytes, is the last in the file. */
static void missing_data_is_not_read(void **state)
{
    struct bytes b = bytes_features(3, false);
    const size_t whole = b.n;

    (void)state;
    for (size_t missing = 1; missing < 300; missing += 13)
        for (enum kind kind = 0; kind < KINDS; kind++) {
            struct failure wanted = {GGK_E_DATA_MISSING, whole - 288, "", 288,
                                     missing < 288 ? 288 - missing : 0};
            ggk_model *model;
            uint8_t buf[288];
            ggk_error err;

            b.n = whole - missing;
            assert_int_equal(kind_open(kind, &b, NULL, &model, NULL), GGK_OK);
            expect_failure(kind_name(kind),
                           ggk_model_read_tensor(model, 6, 0, buf, 288, &err),
                           &err, &wanted);
            wanted.offset = whole - 1;
            wanted.need = 1;
            wanted.have = 0;
            expect_failure(kind_name(kind),
                           ggk_model_read_tensor(model, 6, 287, buf, 1, &err),
                           &err, &wanted);
            /* What is there, is read. */
            if (missing < 288)
                assert_int_equal(ggk_model_read_tensor(model, 6, 0, buf,
                                                       288 - missing, NULL),
                                 GGK_OK);
            assert_int_equal(ggk_model_read_tensor(model, 6, 288, buf, 0, NULL),
                             GGK_OK);
            ggk_model_close(model);
        }
    b.n = whole;
    bytes_free(&b);
}

/* No byte of it lies past the end of the file. */
static void tensors_of_no_bytes_may_lie_anywhere(void **state)
{
    struct bytes b = bytes_llama(1);
    ggk_model *model;
    ggk_file file;

    (void)state;
    put_info(&b, "a", 1, (uint64_t[]){0}, T_F32, 1000000);
    model = open_bytes(&b);
    assert_int_equal(ggk_model_file(model, 0, &file, NULL), GGK_OK);
    assert_true(file.first_missing == GGK_NONE);
    assert_int_equal(ggk_model_read_tensor(model, 0, 0, NULL, 0, NULL), GGK_OK);
    ggk_model_close(model);
    bytes_free(&b);
}

static void files_that_shrank_are_changed(void **state)
{
    struct bytes b = bytes_features(3, false);
    struct failure wanted = {GGK_E_CHANGED, b.n - 100, "", 288, 188};
    struct scratch s;
    ggk_model *model;
    uint8_t buf[288];
    ggk_error err;

    (void)state;
    scratch_make(&s);
    scratch_write(&s, "shrinks", &b);
    assert_int_equal(ggk_model_open(s.path, NULL, &model, NULL), GGK_OK);
    assert_int_equal(truncate(s.path, (off_t)b.n - 100), 0);
    expect_failure("shrunk", ggk_model_read_tensor(model, 6, 0, buf, 288, &err),
                   &err, &wanted);
    ggk_model_close(model);
    scratch_remove(&s);
    bytes_free(&b);
}

/* A GGUF in the middle of a file of more than 4 GiB, most of it a hole. */
static void models_past_4_gib_are_read(void **state)
{
    const uint64_t start = (UINT64_C(4) << 30) + 12345;
    struct bytes b = bytes_features(3, false);
    ggk_open_opts opts = no_opts();
    struct scratch s;
    ggk_model *model;
    ggk_file file;
    uint8_t byte;
    int fd;

    (void)state;
    opts.base_off = start;
    scratch_make(&s);
    fd = open(scratch_path(&s, "big.gguf"), O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, b.at, b.n, (off_t)start), b.n);
    assert_int_equal(ftruncate(fd, (off_t)start * 2), 0);
    close(fd);
    assert_int_equal(ggk_model_open(s.path, &opts, &model, NULL), GGK_OK);
    assert_int_equal(ggk_model_file(model, 0, &file, NULL), GGK_OK);
    assert_int_equal(file.size, start * 2);
    assert_int_equal(file.data_end, start + b.n);
    assert_int_equal(ggk_model_read_tensor(model, 6, 287, &byte, 1, NULL),
                     GGK_OK);
    assert_int_equal(byte, b.at[b.n - 1]);
    ggk_model_close(model);
    scratch_remove(&s);
    bytes_free(&b);
}

/* ------------------------------------------------------------ out of range */

static void numbers_past_the_last_are_out_of_range(void **state)
{
    struct bytes b = bytes_features(3, false);
    ggk_model *model = open_bytes(&b);
    const uint64_t past[] = {0, 1, UINT32_MAX};
    ggk_error err;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        uint64_t kv_i = FEATURE_KVS + past[i], t_i = FEATURE_TENSORS + past[i];
        uint32_t f_i = i < 2 ? 1 + (uint32_t)past[i] : UINT32_MAX;
        static const ggk_kv no_kv;
        static const ggk_tensor no_tensor;
        static const ggk_file no_file;
        ggk_kv kv;
        ggk_tensor t;
        ggk_file file;
        ggk_str s = {"x", 1};

        memset(&kv, 1, sizeof kv);
        expect_range("kv", ggk_model_kv(model, kv_i, &kv, &err), &err, kv_i,
                     FEATURE_KVS);
        assert_int_equal(kv.key.len + kv.n + kv.off + kv.end_off, 0);
        assert_ptr_equal(kv.key.ptr, no_kv.key.ptr);
        expect_range("kv bytes", ggk_model_kv_bytes(model, kv_i, &s, &err),
                     &err, kv_i, FEATURE_KVS);
        assert_null(s.ptr);
        assert_int_equal(s.len, 0);
        memset(&t, 1, sizeof t);
        expect_range("tensor", ggk_model_tensor(model, t_i, &t, &err), &err,
                     t_i, FEATURE_TENSORS);
        assert_ptr_equal(t.name.ptr, no_tensor.name.ptr);
        assert_int_equal(t.bytes + t.n_elements + t.data_off, 0);
        expect_range("data", ggk_model_read_tensor(model, t_i, 0, &s, 1, &err),
                     &err, t_i, FEATURE_TENSORS);
        memset(&file, 1, sizeof file);
        expect_range("file", ggk_model_file(model, f_i, &file, &err), &err, f_i,
                     1);
        assert_ptr_equal(file.path, no_file.path);
        assert_int_equal(file.n_kv + file.size + file.data_end, 0);
        assert_int_equal(ggk_model_kv(model, kv_i, &kv, NULL), GGK_E_RANGE);
        assert_int_equal(ggk_model_kv_bytes(model, kv_i, &s, NULL),
                         GGK_E_RANGE);
        assert_int_equal(ggk_model_tensor(model, t_i, &t, NULL), GGK_E_RANGE);
        assert_int_equal(ggk_model_read_tensor(model, t_i, 0, &s, 1, NULL),
                         GGK_E_RANGE);
        assert_int_equal(ggk_model_file(model, f_i, &file, NULL), GGK_E_RANGE);
    }
    ggk_model_close(model);
    bytes_free(&b);
}

/* An empty model answers, too. */
static void nothing_is_in_an_empty_model(void **state)
{
    struct bytes b = bytes_of(3, false);
    ggk_model *model;
    ggk_error err;
    uint64_t at;
    ggk_kv kv;

    (void)state;
    put_header(&b, 0, 0);
    model = open_bytes(&b);
    assert_int_equal(ggk_model_n_files(model), 1);
    assert_int_equal(ggk_model_n_dup_kv(model), 0);
    assert_int_equal(ggk_model_n_dup_tensors(model), 0);
    expect_range("kv", ggk_model_kv(model, 0, &kv, &err), &err, 0, 0);
    assert_int_equal(ggk_model_find_kv(model, ggk_cstr("a"), &at, NULL),
                     GGK_E_NOT_FOUND);
    assert_int_equal(ggk_model_find_tensor(model, ggk_cstr("a"), &at, NULL),
                     GGK_E_NOT_FOUND);
    ggk_model_close(model);
    ggk_model_close(NULL);
    bytes_free(&b);
}

static void statuses_have_names(void **state)
{
    static const struct {
        int status;
        const char *name;
    } names[] = {
        {0, "GGK_OK"},
        {10, "GGK_E_ARG"},
        {11, "GGK_E_TYPE"},
        {12, "GGK_E_RANGE"},
        {13, "GGK_E_NOT_FOUND"},
        {14, "GGK_E_DUPLICATE"},
        {20, "GGK_E_IO"},
        {21, "GGK_E_NOMEM"},
        {22, "GGK_E_CHANGED"},
        {23, "GGK_E_LIMIT"},
        {24, "GGK_E_EXISTS"},
        {25, "GGK_E_SAME_FILE"},
        {26, "GGK_E_LOCKED"},
        {27, "GGK_E_CANCELLED"},
        {28, "GGK_E_INTERRUPTED"},
        {30, "GGK_E_MAGIC"},
        {31, "GGK_E_VERSION"},
        {32, "GGK_E_VERSION_NEW"},
        {40, "GGK_E_TRUNCATED"},
        {41, "GGK_E_COUNT"},
        {42, "GGK_E_STRLEN"},
        {43, "GGK_E_KV_TYPE"},
        {44, "GGK_E_ELEM_TYPE"},
        {45, "GGK_E_DEPTH"},
        {46, "GGK_E_ALIGN"},
        {47, "GGK_E_ALIGN_TYPE"},
        {48, "GGK_E_ALIGN_DUP"},
        {50, "GGK_E_NDIMS"},
        {51, "GGK_E_DIM"},
        {52, "GGK_E_OVERFLOW"},
        {53, "GGK_E_BLOCK"},
        {54, "GGK_E_OFFSET"},
        {55, "GGK_E_DATA_MISSING"},
        {56, "GGK_E_VALUE"},
        {57, "GGK_E_OVERLAP"},
        {60, "GGK_E_SPLIT"},
        {61, "GGK_E_SPLIT_MISSING"},
        {70, "GGK_E_TYPE_TABLE"},
        {71, "GGK_E_UNSUPPORTED"},
        {90, "GGK_E_BUG"},
    };
    size_t n = 0;

    (void)state;
    for (int status = 0; status < 200; status++) {
        bool known =
            n < sizeof names / sizeof names[0] && names[n].status == status;
        assert_string_equal(ggk_status_name((ggk_status)status),
                            known ? names[n].name : "GGK_E_UNKNOWN");
        n += known;
    }
    assert_int_equal(n, sizeof names / sizeof names[0]);
    assert_string_equal(ggk_version(), GGK_VERSION_STRING);
}

/* ----------------------------------------------------------------- threads */

struct reading {
    const ggk_model *model;
    const char *expected;
    const struct bytes *bytes;
    bool same;
};

static void *read_in_thread(void *arg)
{
    struct reading *r = arg;

    r->same = true;
    for (int round = 0; round < 50; round++) {
        char *text = describe(r->model);
        uint8_t buf[288];
        uint64_t at;

        r->same =
            r->same && strcmp(text, r->expected) == 0 &&
            ggk_model_find_tensor(r->model, ggk_cstr("super"), &at, NULL) ==
                GGK_OK &&
            ggk_model_read_tensor(r->model, at, 0, buf, 288, NULL) == GGK_OK &&
            memcmp(buf, r->bytes->at + r->bytes->n - 288, 288) == 0;
        free(text);
    }
    return NULL;
}

/* Any number of threads may use one model at once. */
static void threads_share_a_model(void **state)
{
    enum { N = 4 };
    struct bytes b = bytes_features(3, false);

    (void)state;
    for (enum kind kind = KIND_FILE; kind <= KIND_MEMORY; kind++) {
        struct reading readings[N];
        pthread_t threads[N];
        ggk_model *model;
        char *expected;

        assert_int_equal(kind_open(kind, &b, NULL, &model, NULL), GGK_OK);
        expected = describe(model);
        for (int i = 0; i < N; i++) {
            readings[i] = (struct reading){model, expected, &b, false};
            assert_int_equal(
                pthread_create(&threads[i], NULL, read_in_thread, &readings[i]),
                0);
        }
        for (int i = 0; i < N; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_true(readings[i].same);
        }
        free(expected);
        ggk_model_close(model);
    }
    bytes_free(&b);
}

/* Every byte behind the header belongs to a tensor, or is found when it is not
 * zero; at the start of a source and within one. */
static void bytes_in_gaps_are_found(void **state)
{
    (void)state;
    for (uint64_t base = 0; base <= 7; base += 7) {
        struct bytes b = bytes_of(3, false), gguf = bytes_of(3, false);
        ggk_open_opts opts = {.struct_bytes = sizeof opts, .base_off = base};

        put_header(&gguf, 2, 0);
        put_info(&gguf, "a", 1, (uint64_t[]){3}, T_F32, 0);
        put_info(&gguf, "b", 1, (uint64_t[]){3}, T_F32, 160);
        put_padding(&gguf, 32);
        put_fill(&gguf, 0, 192 + 8); /* and some after the last */
        put_fill(&b, 1, (size_t)base);
        put_raw(&b, gguf.at, gguf.n);
        for (size_t at = b.n - 200 - 20; at < b.n; at++) {
            ggk_source *source;
            ggk_model *model;
            ggk_file file;
            uint64_t found, data;

            assert_int_equal(
                ggk_source_from_memory(b.at, b.n, NULL, &source, NULL), GGK_OK);
            assert_int_equal(ggk_model_open_source(source, &opts, &model, NULL),
                             GGK_OK);
            assert_int_equal(ggk_model_file(model, 0, &file, NULL), GGK_OK);
            data = file.data_off;
            if (at >= file.head_end)
                b.at[at] = 1;
            assert_int_equal(ggk_model_find_gap_byte(model, 0, &found, NULL),
                             GGK_OK);
            if (at < file.head_end || (at >= data && at < data + 12) ||
                (at >= data + 160 && at < data + 172))
                assert_int_equal(found, GGK_NO_OFFSET);
            else
                assert_int_equal(found, at);
            if (at >= file.head_end)
                b.at[at] = 0;
            ggk_model_close(model);
        }
        bytes_free(&gguf);
        bytes_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_listed_as_they_stand),
        cmocka_unit_test(keys_are_found_or_not),
        cmocka_unit_test(tensors_are_listed_as_they_stand),
        cmocka_unit_test(seeds_may_be_given),
        cmocka_unit_test(tensors_are_found_or_not),
        cmocka_unit_test(types_are_known_to_the_model),
        cmocka_unit_test(tensor_data_is_read_from_anywhere),
        cmocka_unit_test(reads_end_with_the_tensor),
        cmocka_unit_test(missing_data_is_not_read),
        cmocka_unit_test(tensors_of_no_bytes_may_lie_anywhere),
        cmocka_unit_test(files_that_shrank_are_changed),
        cmocka_unit_test(models_past_4_gib_are_read),
        cmocka_unit_test(numbers_past_the_last_are_out_of_range),
        cmocka_unit_test(nothing_is_in_an_empty_model),
        cmocka_unit_test(statuses_have_names),
        cmocka_unit_test(threads_share_a_model),
        cmocka_unit_test(bytes_in_gaps_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
