/* test_plan_arrays.c - plans of files that are no GGUF: laid out, written, and
 * what is refused. */
#include <errno.h>

#include "kinds.h"
#include "ledger.h"
#include "sample.h"

static const uint8_t numbers[64] = {1, 2, 3, 4, 5, 6, 7, 8};

/* A plan, and a source of the bytes of its tensors. */
struct arrays {
    struct scratch scratch;
    ggk_source *source;
    ggk_plan *plan;
};

static void arrays_make(struct arrays *a)
{
    scratch_make(&a->scratch);
    assert_int_equal(
        ggk_source_from_memory(numbers, sizeof numbers, NULL, &a->source, NULL),
        GGK_OK);
    assert_int_equal(ggk_plan_new(NULL, &a->plan, NULL), GGK_OK);
}

static void arrays_end(struct arrays *a)
{
    ggk_plan_free(a->plan);
    ggk_source_close(a->source);
    scratch_remove(&a->scratch);
}

static uint32_t add_file(struct arrays *a, const char *name,
                         ggk_file_format format)
{
    uint32_t file = 99;

    assert_int_equal(ggk_plan_add_array_file(a->plan,
                                             scratch_path(&a->scratch, name),
                                             format, &file, NULL),
                     GGK_OK);
    return file;
}

static ggk_new_tensor tensor_of(const struct arrays *a, ggk_str name,
                                uint32_t type, uint64_t ne0)
{
    return (ggk_new_tensor){.name = name,
                            .type = type,
                            .n_dims = 1,
                            .ne = {ne0},
                            .source = a->source};
}

static void add_tensor(struct arrays *a, uint32_t file, const char *name,
                       uint32_t type, uint64_t ne0)
{
    ggk_new_tensor t = tensor_of(a, ggk_cstr(name), type, ne0);

    assert_int_equal(ggk_plan_add_tensor(a->plan, file, &t, NULL), GGK_OK);
}

static ggk_status lay_out(struct arrays *a, ggk_planned_file *f, ggk_error *err)
{
    return ggk_plan_file(a->plan, 0, f, err);
}

static ggk_status run_arrays(struct arrays *a, uint32_t flags, ggk_error *err)
{
    ggk_run_opts opts = {
        .struct_bytes = sizeof opts, .flags = flags, .n_threads = 1};

    return ggk_plan_run(a->plan, &opts, err);
}

static bool is_there(struct arrays *a, const char *name)
{
    return access(scratch_path(&a->scratch, name), F_OK) == 0;
}

static size_t read_all(struct arrays *a, const char *name, char *out,
                       size_t room)
{
    FILE *f = fopen(scratch_path(&a->scratch, name), "rb");
    size_t n;

    assert_non_null(f);
    n = fread(out, 1, room, f);
    fclose(f);
    return n;
}

/* ------------------------------------------------------------------ layout */

static void wide_elements_come_first(void **state)
{
    static const uint64_t begins[] = {22, 16, 0, 24, 8};
    struct arrays a;
    ggk_planned_file f;
    ggk_planned_tensor t;
    char bytes[600];

    (void)state;
    arrays_make(&a);
    add_file(&a, "x", GGK_FORMAT_SAFETENSORS);
    add_tensor(&a, 0, "i8", T_I8, 2);
    add_tensor(&a, 0, "f16", T_F16, 3);
    add_tensor(&a, 0, "f64", T_F64, 1);
    add_tensor(&a, 0, "more i8", T_I8, 5);
    add_tensor(&a, 0, "f32", T_F32, 2);
    assert_int_equal(lay_out(&a, &f, NULL), GGK_OK);
    assert_int_equal(f.format, GGK_FORMAT_SAFETENSORS);
    assert_int_equal(f.version, 0);
    assert_int_equal(f.n_kv, 0);
    assert_int_equal(f.n_tensors, 5);
    assert_int_equal(f.data_off % 8, 0);
    assert_int_equal(f.data_off, f.head_end);
    assert_int_equal(f.size, f.data_off + 29);
    for (uint64_t i = 0; i < 5; i++) {
        assert_int_equal(ggk_plan_tensor(a.plan, 0, i, &t, NULL), GGK_OK);
        assert_int_equal(t.data_off, f.data_off + begins[i]);
    }
    assert_int_equal(run_arrays(&a, 0, NULL), GGK_OK);
    assert_int_equal(read_all(&a, "x", bytes, sizeof bytes), f.size);
    assert_memory_equal(bytes + f.data_off, numbers, 8);
    assert_memory_equal(bytes + f.data_off + 8, numbers, 8);
    assert_memory_equal(bytes + f.data_off + 24, numbers, 5);
    arrays_end(&a);
}

static void one_tensor_to_a_file(void **state)
{
    struct arrays a;
    ggk_planned_file f;
    ggk_error err;
    uint32_t file;
    char bytes[200];

    (void)state;
    for (int format = GGK_FORMAT_NPY; format <= GGK_FORMAT_RAW; format++) {
        size_t head = format == GGK_FORMAT_NPY ? 128 : 0;

        arrays_make(&a);
        add_file(&a, "x", (ggk_file_format)format);
        assert_int_equal(lay_out(&a, &f, &err), GGK_E_ARG);
        add_tensor(&a, 0, "a", T_F32, 3);
        assert_int_equal(lay_out(&a, &f, NULL), GGK_OK);
        add_tensor(&a, 0, "b", T_F32, 1);
        assert_int_equal(lay_out(&a, &f, &err), GGK_E_ARG);
        assert_int_equal(run_arrays(&a, 0, &err), GGK_E_ARG);
        assert_false(is_there(&a, "x"));
        assert_int_equal(
            ggk_plan_remove_tensor(a.plan, ggk_cstr("b"), &file, NULL), GGK_OK);
        assert_int_equal(run_arrays(&a, 0, NULL), GGK_OK);
        assert_int_equal(read_all(&a, "x", bytes, sizeof bytes), head + 12);
        assert_memory_equal(bytes + head, numbers, 12);
        arrays_end(&a);
    }
}

/* Numbers are swapped, but of raw files. */
static void big_endian_tensors(void **state)
{
    struct arrays a;
    char bytes[200];

    (void)state;
    for (int format = GGK_FORMAT_NPY; format <= GGK_FORMAT_RAW; format++) {
        ggk_new_tensor t;
        ggk_planned_file f;

        arrays_make(&a);
        add_file(&a, "x", (ggk_file_format)format);
        t = tensor_of(&a, ggk_cstr("a"), T_F32, 2);
        t.big_endian = true;
        assert_int_equal(ggk_plan_add_tensor(a.plan, 0, &t, NULL), GGK_OK);
        assert_int_equal(run_arrays(&a, 0, NULL), GGK_OK);
        assert_int_equal(lay_out(&a, &f, NULL), GGK_OK);
        assert_int_equal(f.big_endian, format == GGK_FORMAT_RAW);
        assert_int_equal(read_all(&a, "x", bytes, sizeof bytes), f.size);
        assert_memory_equal(bytes + f.data_off,
                            format == GGK_FORMAT_RAW ? "\1\2\3\4\5\6\7\10"
                                                     : "\4\3\2\1\10\7\6\5",
                            8);
        arrays_end(&a);
    }
}

/* ---------------------------------------------------------------- refusals */

static void expect_name_refused(ggk_str one, ggk_str other, ggk_status status)
{
    struct arrays a;
    ggk_planned_file f;
    ggk_error err;
    ggk_new_tensor t;

    arrays_make(&a);
    add_file(&a, "x", GGK_FORMAT_SAFETENSORS);
    t = tensor_of(&a, one, T_I8, 1);
    assert_int_equal(ggk_plan_add_tensor(a.plan, 0, &t, NULL), GGK_OK);
    t.name = other;
    assert_int_equal(ggk_plan_add_tensor(a.plan, 0, &t, NULL), GGK_OK);
    assert_int_equal(lay_out(&a, &f, &err), status);
    if (status != GGK_OK)
        assert_int_equal(err.status, status);
    assert_int_equal(run_arrays(&a, 0, NULL), status);
    assert_int_equal(is_there(&a, "x"), status == GGK_OK);
    arrays_end(&a);
}

static void names_of_safetensors(void **state)
{
    (void)state;
    expect_name_refused(ggk_cstr("a"), ggk_cstr("b"), GGK_OK);
    expect_name_refused(ggk_cstr("a"), ggk_cstr(""), GGK_OK);
    expect_name_refused(ggk_cstr("a"), ggk_cstr("a"), GGK_E_DUPLICATE);
    expect_name_refused(ggk_cstr("a"), (ggk_str){"a\0", 2}, GGK_E_DUPLICATE);
    expect_name_refused(ggk_cstr("a"), ggk_cstr("\xff"), GGK_E_UNSUPPORTED);
    expect_name_refused(ggk_cstr("a"), ggk_cstr("__metadata__"),
                        GGK_E_UNSUPPORTED);
}

/* Up to 100000000 bytes of JSON, and not one more. */
static void most_that_a_header_takes(void **state)
{
    static const char frame[] =
        "{\"\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}}";
    size_t most = 100000000 - (sizeof frame - 1);
    char *name = malloc(most + 1);

    (void)state;
    assert_non_null(name);
    memset(name, 'n', most + 1);
    for (size_t more = 0; more < 2; more++) {
        struct arrays a;
        ggk_planned_file f;
        ggk_new_tensor t;

        arrays_make(&a);
        add_file(&a, "x", GGK_FORMAT_SAFETENSORS);
        t = tensor_of(&a, (ggk_str){name, most + more}, T_I8, 1);
        assert_int_equal(ggk_plan_add_tensor(a.plan, 0, &t, NULL), GGK_OK);
        assert_int_equal(lay_out(&a, &f, NULL),
                         more == 0 ? GGK_OK : GGK_E_UNSUPPORTED);
        if (more == 0)
            assert_int_equal(f.size, 8 + 100000000 + 1);
        arrays_end(&a);
    }
    free(name);
}

static void nothing_but_tensors(void **state)
{
    struct bytes in = bytes_features(3, false);
    ggk_split_opts split = {.struct_bytes = sizeof split, .max_tensors = 1};
    ggk_model *model = open_bytes(&in);
    struct arrays a;
    ggk_builder *b;
    ggk_value v = {.type = GGK_VALUE_UINT32, .as.u = 1};
    ggk_verdict verdict;
    uint32_t file;

    (void)state;
    arrays_make(&a);
    add_file(&a, "x", GGK_FORMAT_SAFETENSORS);
    add_tensor(&a, 0, "a", T_F32, 3);
    assert_int_equal(ggk_builder_new(NULL, &b, NULL), GGK_OK);
    assert_int_equal(ggk_builder_put(b, &v, NULL), GGK_OK);
    assert_int_equal(ggk_plan_set_kv(a.plan, 0, ggk_cstr("k"), b, NULL),
                     GGK_E_ARG);
    assert_int_equal(ggk_plan_copy_keys(a.plan, 0, model, 0, NULL), GGK_E_ARG);
    assert_int_equal(ggk_plan_copy_kv(a.plan, 0, model, 0, NULL), GGK_E_ARG);
    assert_int_equal(ggk_plan_set_format(a.plan, 0, 3, true, NULL), GGK_E_ARG);
    assert_int_equal(ggk_plan_number_shards(a.plan, NULL), GGK_E_ARG);
    assert_int_equal(ggk_plan_split(a.plan, "x", &split, NULL), GGK_E_ARG);
    assert_int_equal(ggk_plan_check(a.plan, NULL, NULL, NULL, &verdict, NULL),
                     GGK_E_ARG);
    assert_int_equal(
        ggk_plan_add_array_file(a.plan, "y", GGK_FORMAT_GGUF, &file, NULL),
        GGK_E_ARG);
    assert_int_equal(
        ggk_plan_add_array_file(a.plan, NULL, GGK_FORMAT_NPY, &file, NULL),
        GGK_E_ARG);
    assert_int_equal(ggk_plan_n_files(a.plan), 1);
    assert_int_equal(run_arrays(&a, 0, NULL), GGK_OK);
    ggk_builder_free(b);
    arrays_end(&a);
    ggk_model_close(model);
    bytes_free(&in);
}

/* ----------------------------------------------------------------- folders */

static void folder_is_made_and_goes_again(void **state)
{
    struct arrays a;
    ggk_error err;

    (void)state;
    arrays_make(&a);
    add_file(&a, "new/x", GGK_FORMAT_RAW);
    add_tensor(&a, 0, "a", T_F32, 3);
    assert_int_equal(run_arrays(&a, 0, &err), GGK_E_IO);
    assert_int_equal(err.sys_errno, ENOENT);
    assert_int_equal(run_arrays(&a, GGK_RUN_MAKE_FOLDER | GGK_RUN_DRY, NULL),
                     GGK_OK);
    assert_false(is_there(&a, "new"));

    add_file(&a, "other/x", GGK_FORMAT_RAW); /* of which there is no folder */
    add_tensor(&a, 1, "b", T_F32, 3);
    assert_int_equal(run_arrays(&a, GGK_RUN_MAKE_FOLDER, &err), GGK_E_IO);
    assert_false(is_there(&a, "new"));

    ggk_plan_free(a.plan);
    assert_int_equal(ggk_plan_new(NULL, &a.plan, NULL), GGK_OK);
    add_file(&a, "new/x", GGK_FORMAT_RAW);
    add_tensor(&a, 0, "a", T_F32, 3);
    assert_int_equal(run_arrays(&a, GGK_RUN_MAKE_FOLDER, NULL), GGK_OK);
    assert_true(is_there(&a, "new/x"));
    assert_int_equal(run_arrays(&a, GGK_RUN_MAKE_FOLDER, NULL), GGK_E_EXISTS);
    assert_true(is_there(&a, "new/x")); /* it was not made by this run */
    assert_int_equal(unlink(scratch_path(&a.scratch, "new/x")), 0);
    arrays_end(&a);
}

static void two_files_of_one_path(void **state)
{
    struct arrays a;
    ggk_error err;

    (void)state;
    arrays_make(&a);
    for (uint32_t i = 0; i < 3; i++) {
        add_file(&a, i == 1 ? "y" : "x", GGK_FORMAT_RAW);
        add_tensor(&a, i, "a", T_F32, 3);
    }
    assert_int_equal(run_arrays(&a, GGK_RUN_FORCE, &err), GGK_E_DUPLICATE);
    assert_non_null(strstr(err.file, "x"));
    assert_false(is_there(&a, "x"));
    assert_false(is_there(&a, "y"));
    arrays_end(&a);
}

/* ------------------------------------------------------------------ memory */

static ggk_status write_by(struct arrays *a, const ggk_allocator *alloc)
{
    ggk_run_opts opts = {.struct_bytes = sizeof opts,
                         .flags = GGK_RUN_MAKE_FOLDER,
                         .n_threads = 1};
    const char *names[] = {"new/x", "new/y", "new/z"};
    ggk_plan *plan;
    ggk_status status = ggk_plan_new(alloc, &plan, NULL);

    for (uint32_t i = 0; i < 3 && status == GGK_OK; i++) {
        ggk_new_tensor t = tensor_of(a, ggk_cstr("t"), T_F32, 2);
        uint32_t file;

        status = ggk_plan_add_array_file(
            plan, scratch_path(&a->scratch, names[i]),
            (ggk_file_format)(GGK_FORMAT_SAFETENSORS + i), &file, NULL);
        if (status == GGK_OK)
            status = ggk_plan_add_tensor(plan, file, &t, NULL);
    }
    if (status == GGK_OK)
        status = ggk_plan_run(plan, &opts, NULL);
    ggk_plan_free(plan);
    return status;
}

/* Whichever allocation fails, nothing is left, the folder neither. */
static void no_memory_leaves_nothing(void **state)
{
    bool reached = true;
    size_t n;

    (void)state;
    for (n = 1; reached; n++) {
        struct ledger ledger = {.fail_at = n};
        ggk_allocator alloc = ledger_allocator(&ledger);
        struct arrays a;
        ggk_status status;

        arrays_make(&a);
        status = write_by(&a, &alloc);
        reached = ledger.calls >= n;
        assert_int_equal(status, reached ? GGK_E_NOMEM : GGK_OK);
        assert_int_equal(is_there(&a, "new"), !reached);
        assert_true(ledger_is_even(&ledger));
        if (!reached) {
            assert_int_equal(unlink(scratch_path(&a.scratch, "new/x")), 0);
            assert_int_equal(unlink(scratch_path(&a.scratch, "new/y")), 0);
            assert_int_equal(unlink(scratch_path(&a.scratch, "new/z")), 0);
        }
        arrays_end(&a);
    }
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_elements_come_first),
        cmocka_unit_test(one_tensor_to_a_file),
        cmocka_unit_test(big_endian_tensors),
        cmocka_unit_test(names_of_safetensors),
        cmocka_unit_test(most_that_a_header_takes),
        cmocka_unit_test(nothing_but_tensors),
        cmocka_unit_test(folder_is_made_and_goes_again),
        cmocka_unit_test(two_files_of_one_path),
        cmocka_unit_test(no_memory_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
