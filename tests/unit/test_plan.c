/* test_plan.c - plans: filled, laid out, and done. */
#include "ggk.h"

#include <errno.h>
#include <sys/file.h>

#include "kinds.h"
#include "ledger.h"
#include "sample.h"
#include "world.h"

/* ------------------------------------------------------------------ helpers */

/* A plan of a copy of the world's model at `path`. */
static ggk_plan *plan_copy(const struct world *w, const char *path)
{
    ggk_plan *plan;
    uint32_t file = 0;

    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_file(plan, path, &file, NULL), GGK_OK);
    assert_int_equal(file, 0);
    assert_int_equal(ggk_plan_copy_file(plan, file, w->model, 0, NULL), GGK_OK);
    return plan;
}

static ggk_status run_with(ggk_plan *plan, uint32_t flags, ggk_error *err)
{
    ggk_run_opts opts = {
        .struct_bytes = sizeof opts, .flags = flags, .n_threads = 2};

    return ggk_plan_run(plan, &opts, err);
}

static ggk_status set_u32(ggk_plan *plan, const char *key, uint32_t value)
{
    ggk_value v = {.type = GGK_VALUE_UINT32, .as.u = value};
    ggk_builder *b;
    ggk_status status;

    assert_int_equal(ggk_builder_new(NULL, &b, NULL), GGK_OK);
    assert_int_equal(ggk_builder_put(b, &v, NULL), GGK_OK);
    status = ggk_plan_set_kv(plan, 0, ggk_cstr(key), b, NULL);
    ggk_builder_free(b);
    return status;
}

/* The features as they are written: zeros between the tensors, and behind the
 * last. The unknown one at 640 has all bytes up to the next. */
static struct bytes canonical(bool big)
{
    static const size_t gaps[][2] = {{460, 512}, {536, 576}, {580, 640}};
    struct bytes b = bytes_features(3, big);
    size_t data = b.n - FEATURE_DATA_BYTES;

    for (int i = 0; i < 3; i++)
        memset(b.at + data + gaps[i][0], 0, gaps[i][1] - gaps[i][0]);
    put_padding(&b, FEATURE_ALIGN);
    return b;
}

/* --------------------------------------------------------------------- copies
 */

static bool stop_at(void *ctx, uint64_t done, uint64_t total)
{
    int *left = ctx;

    assert_true(done <= total);
    return (*left)-- > 0;
}

static void copy_is_canonical(void **state)
{
    (void)state;
    for (uint32_t version = 1; version <= 3; version++)
        for (int big = 0; big < 2 && (version > 2 || big == 0); big++) {
            struct bytes in = bytes_features(version, big != 0);
            struct bytes expected = canonical(big != 0);
            struct world w;
            ggk_plan *plan;

            world_make(&w, &in);
            plan = plan_copy(&w, w.out);
            assert_int_equal(run_with(plan, 0, NULL), GGK_OK);
            expect_file(w.out, &expected);
            assert_int_equal(world_count(&w), 2);
            ggk_plan_free(plan);
            world_end(&w);
            bytes_free(&expected);
            bytes_free(&in);
        }
}

/* From sources of every kind that has an end. */
static void copy_from_any_source(void **state)
{
    static const enum kind kinds[] = {KIND_FILE, KIND_MAP, KIND_MEMORY,
                                      KIND_SIZED};
    struct bytes in = bytes_features(2, false), expected = canonical(false);

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct world w;
        ggk_plan *plan;

        scratch_make(&w.scratch);
        snprintf(w.out, sizeof w.out, "%s", scratch_path(&w.scratch, "out"));
        assert_int_equal(kind_open(kinds[i], &in, NULL, &w.model, NULL),
                         GGK_OK);
        plan = plan_copy(&w, w.out);
        assert_int_equal(run_with(plan, 0, NULL), GGK_OK);
        expect_file(w.out, &expected);
        ggk_plan_free(plan);
        world_end(&w);
    }
    bytes_free(&expected);
    bytes_free(&in);
}

static void stream_has_no_end(void **state)
{
    struct bytes in = bytes_features(3, false);
    ggk_model *model;
    ggk_plan *plan;
    uint32_t file = 0;

    (void)state;
    assert_int_equal(kind_open(KIND_STREAM, &in, NULL, &model, NULL), GGK_OK);
    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_file(plan, "x", &file, NULL), GGK_OK);
    assert_int_equal(ggk_plan_copy_file(plan, file, model, 0, NULL),
                     GGK_E_UNSUPPORTED);
    ggk_plan_free(plan);
    ggk_model_close(model);
    bytes_free(&in);
}

static void cut_data_is_refused(void **state)
{
    struct bytes in = bytes_features(3, false);
    struct world w;
    ggk_plan *plan;
    uint32_t file = 0;
    ggk_error err;

    (void)state;
    in.n--;
    world_make(&w, &in);
    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_file(plan, w.out, &file, NULL), GGK_OK);
    assert_int_equal(ggk_plan_copy_file(plan, file, w.model, 0, &err),
                     GGK_E_DATA_MISSING);
    assert_int_equal(err.need, 288);
    assert_int_equal(err.have, 287);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&in);
}

static void unknown_type_is_not_swapped(void **state)
{
    struct bytes in = bytes_features(3, false);
    struct world w;
    ggk_planned_file f;
    ggk_plan *plan;
    uint32_t file = 0;

    (void)state;
    world_make(&w, &in);
    plan = plan_copy(&w, w.out);
    assert_int_equal(ggk_plan_set_format(plan, 0, 3, true, NULL), GGK_OK);
    assert_int_equal(run_with(plan, 0, NULL), GGK_E_UNSUPPORTED);
    assert_int_equal(world_count(&w), 1);
    assert_int_equal(
        ggk_plan_remove_tensor(plan, ggk_cstr("unknown"), &file, NULL), GGK_OK);
    assert_int_equal(ggk_plan_set_format(plan, 0, 2, true, NULL),
                     GGK_E_UNSUPPORTED);
    assert_int_equal(run_with(plan, 0, NULL), GGK_OK);
    assert_int_equal(ggk_plan_file(plan, 0, &f, NULL), GGK_OK);
    assert_true(f.big_endian);
    assert_int_equal(f.version, 3);
    assert_int_equal(f.n_tensors, FEATURE_TENSORS - 1);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&in);
}

/* ---------------------------------------------------------------------- edits
 */

/* A model of two keys and one tensor; `second` is its second key's value, and
 * the alignment if that is its key. */
static struct bytes small_model(const char *second_key, uint32_t second,
                                size_t align)
{
    struct bytes b = bytes_of(3, false);

    put_header(&b, 1, 2);
    put_kv_str(&b, "general.architecture", "llama");
    put_kv_u32(&b, second_key, second);
    put_info(&b, "t", 1, (uint64_t[]){3}, T_F32, 0);
    put_padding(&b, align);
    for (int i = 0; i < 3; i++)
        put_f32(&b, (float)i);
    put_padding(&b, align);
    return b;
}

static void set_replaces_and_appends(void **state)
{
    struct bytes in = small_model("n", 1, 32),
                 changed = small_model("n", 9, 32);
    struct bytes longer = bytes_of(3, false);
    struct world w;
    ggk_plan *plan;

    (void)state;
    world_make(&w, &in);
    plan = plan_copy(&w, w.out);
    assert_int_equal(set_u32(plan, "n", 9), GGK_OK);
    assert_int_equal(run_with(plan, 0, NULL), GGK_OK);
    expect_file(w.out, &changed);
    assert_int_equal(set_u32(plan, "m", 5), GGK_OK);
    assert_int_equal(run_with(plan, GGK_RUN_FORCE, NULL), GGK_OK);
    put_header(&longer, 1, 3);
    put_kv_str(&longer, "general.architecture", "llama");
    put_kv_u32(&longer, "n", 9);
    put_kv_u32(&longer, "m", 5);
    put_info(&longer, "t", 1, (uint64_t[]){3}, T_F32, 0);
    put_padding(&longer, 32);
    for (int i = 0; i < 3; i++)
        put_f32(&longer, (float)i);
    put_padding(&longer, 32);
    expect_file(w.out, &longer);
    assert_int_equal(ggk_plan_remove_kv(plan, 0, ggk_cstr("m"), NULL), GGK_OK);
    assert_int_equal(run_with(plan, GGK_RUN_FORCE, NULL), GGK_OK);
    expect_file(w.out, &changed);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&longer);
    bytes_free(&changed);
    bytes_free(&in);
}

static void edits_that_fail(void **state)
{
    struct bytes in = bytes_of(3, false);
    struct world w;
    ggk_plan *plan;
    ggk_builder *b;
    uint32_t file = 0;

    (void)state;
    put_header(&in, 2, 3);
    put_kv_u32(&in, "twice", 1);
    put_kv_u32(&in, "twice", 2);
    put_kv_u32(&in, "once", 3);
    put_info(&in, "a", 1, (uint64_t[]){0}, T_F32, 0);
    put_info(&in, "b", 1, (uint64_t[]){0}, T_F32, 0);
    put_padding(&in, 32);
    world_make(&w, &in);
    plan = plan_copy(&w, w.out);
    assert_int_equal(set_u32(plan, "twice", 1), GGK_E_DUPLICATE);
    assert_int_equal(set_u32(plan, "", 1), GGK_E_ARG);
    assert_int_equal(ggk_builder_new(NULL, &b, NULL), GGK_OK);
    assert_int_equal(ggk_plan_set_kv(plan, 0, ggk_cstr("x"), b, NULL),
                     GGK_E_ARG);
    assert_int_equal(ggk_plan_set_kv(plan, 1, ggk_cstr("x"), b, NULL),
                     GGK_E_RANGE);
    ggk_builder_free(b);
    assert_int_equal(ggk_plan_remove_kv(plan, 0, ggk_cstr("none"), NULL),
                     GGK_E_NOT_FOUND);
    assert_int_equal(
        ggk_plan_rename_kv(plan, 0, ggk_cstr("none"), ggk_cstr("x"), NULL),
        GGK_E_NOT_FOUND);
    assert_int_equal(
        ggk_plan_rename_kv(plan, 0, ggk_cstr("twice"), ggk_cstr("x"), NULL),
        GGK_E_DUPLICATE);
    assert_int_equal(
        ggk_plan_rename_kv(plan, 0, ggk_cstr("once"), ggk_cstr("twice"), NULL),
        GGK_E_EXISTS);
    assert_int_equal(
        ggk_plan_rename_kv(plan, 0, ggk_cstr("once"), ggk_cstr(""), NULL),
        GGK_E_ARG);
    assert_int_equal(
        ggk_plan_rename_tensor(plan, ggk_cstr("a"), ggk_cstr("b"), &file, NULL),
        GGK_E_EXISTS);
    assert_int_equal(
        ggk_plan_rename_tensor(plan, ggk_cstr("c"), ggk_cstr("d"), &file, NULL),
        GGK_E_NOT_FOUND);
    assert_int_equal(ggk_plan_remove_tensor(plan, ggk_cstr("c"), &file, NULL),
                     GGK_E_NOT_FOUND);
    assert_int_equal(ggk_plan_set_format(plan, 0, 1, false, NULL), GGK_E_ARG);
    assert_int_equal(ggk_plan_set_format(plan, 0, 4, false, NULL), GGK_E_ARG);
    /* All that failed changed nothing. */
    assert_int_equal(run_with(plan, 0, NULL), GGK_OK);
    expect_file(w.out, &in);
    assert_int_equal(ggk_plan_remove_kv(plan, 0, ggk_cstr("twice"), NULL),
                     GGK_OK);
    assert_int_equal(
        ggk_plan_rename_kv(plan, 0, ggk_cstr("once"), ggk_cstr("twice"), NULL),
        GGK_OK);
    assert_int_equal(
        ggk_plan_rename_tensor(plan, ggk_cstr("b"), ggk_cstr("c"), &file, NULL),
        GGK_OK);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&in);
}

/* A letter and a number, until the next call with that letter. */
static ggk_str numbered(char letter, unsigned i)
{
    static char names[2][16];
    char *name = names[letter == 'a'];

    snprintf(name, sizeof names[0], "%c%u", letter, i);
    return ggk_cstr(name);
}

/* So many that each must be found without a look at all. */
static void many_renames(void **state)
{
    enum { N = 3000 };
    struct bytes in = bytes_of(3, false);
    struct world w;
    ggk_plan *plan;
    uint32_t file;

    (void)state;
    put_header(&in, N, N);
    for (unsigned i = 0; i < N; i++)
        put_kv_u32(&in, numbered('a', i).ptr, i);
    for (unsigned i = 0; i < N; i++)
        put_info(&in, numbered('a', i).ptr, 1, (uint64_t[]){0}, T_F32, 0);
    put_padding(&in, 32);
    world_make(&w, &in);
    plan = plan_copy(&w, w.out);
    for (unsigned k = 0; k < 4; k++) {
        char from = k % 2 == 0 ? 'a' : 'b', to = k % 2 == 0 ? 'b' : 'a';

        for (unsigned i = 0; i < N; i++) {
            ggk_str before = numbered(from, i), after = numbered(to, i);

            assert_int_equal(
                ggk_plan_rename_tensor(plan, before, after, &file, NULL),
                GGK_OK);
            assert_int_equal(
                ggk_plan_rename_tensor(plan, before, after, &file, NULL),
                GGK_E_NOT_FOUND);
            assert_int_equal(ggk_plan_rename_kv(plan, 0, before, after, NULL),
                             GGK_OK);
            after = numbered(to, i / 2);
            before = numbered(from, i < N - 1 ? N - 1 : 0);
            assert_int_equal(
                ggk_plan_rename_tensor(plan, before, after, &file, NULL),
                i < N - 1 ? GGK_E_EXISTS : GGK_E_NOT_FOUND);
        }
    }
    assert_int_equal(run_with(plan, 0, NULL), GGK_OK);
    expect_file(w.out, &in);
    assert_int_equal(
        ggk_plan_remove_tensor(plan, numbered('a', 7), &file, NULL), GGK_OK);
    assert_int_equal(ggk_plan_rename_tensor(plan, numbered('a', N - 1),
                                            numbered('b', 7), &file, NULL),
                     GGK_OK);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&in);
}

/* general.alignment moves the data; what nobody could read is refused. */
static void alignment(void **state)
{
    struct bytes in = small_model("general.alignment", 64, 64);
    struct bytes wider = small_model("general.alignment", 4096, 4096);
    struct world w;
    ggk_planned_file f;
    ggk_plan *plan;

    (void)state;
    world_make(&w, &in);
    plan = plan_copy(&w, w.out);
    assert_int_equal(ggk_plan_file(plan, 0, &f, NULL), GGK_OK);
    assert_int_equal(f.alignment, 64);
    assert_int_equal(f.size, in.n);
    assert_int_equal(set_u32(plan, "general.alignment", 0), GGK_E_ALIGN);
    assert_int_equal(set_u32(plan, "general.alignment", 24), GGK_E_ALIGN);
    assert_int_equal(set_u32(plan, "general.alignment", 4096), GGK_OK);
    assert_int_equal(run_with(plan, 0, NULL), GGK_OK);
    expect_file(w.out, &wider);
    assert_int_equal(
        ggk_plan_remove_kv(plan, 0, ggk_cstr("general.alignment"), NULL),
        GGK_OK);
    assert_int_equal(ggk_plan_file(plan, 0, &f, NULL), GGK_OK);
    assert_int_equal(f.alignment, 32);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&wider);
    bytes_free(&in);
}

/* Free space is not copied; what else has its name is, wherever it stands. */
static void free_space_is_dropped(void **state)
{
    struct bytes in = bytes_of(3, false), out = bytes_of(3, false);
    struct world w;
    ggk_plan *plan;

    (void)state;
    put_header(&in, 0, 6);
    put_kv_str(&in, "general.padding", "  ");
    put_kv_u32(&in, "general.padding", 2);
    put_kv_str(&in, "general.padding", "");
    put_kv_str(&in, "general.padding", " x ");
    put_kv_str(&in, "general.paddings", " ");
    put_key(&in, "general.padding", V_STR);
    put_str_n(&in, " \0 ", 3);
    put_header(&out, 0, 3);
    put_kv_u32(&out, "general.padding", 2);
    put_kv_str(&out, "general.padding", " x ");
    put_kv_str(&out, "general.paddings", " ");
    world_make(&w, &in);
    for (uint64_t i = 0; i < 7; i++)
        assert_true(ggk_model_kv_is_space(w.model, i) ==
                    (i == 0 || i == 2 || i == 5));
    plan = plan_copy(&w, w.out);
    assert_int_equal(run_with(plan, 0, NULL), GGK_OK);
    expect_file(w.out, &out);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&in);
    bytes_free(&out);
}

static void new_tensor(void **state)
{
    static const uint8_t data[] = {0, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40};
    struct bytes expected = bytes_of(3, false);
    struct scratch scratch;
    ggk_source *source;
    ggk_plan *plan;
    uint32_t file = 0;
    ggk_new_tensor t = {
        .name = ggk_cstr("t"), .type = T_F32, .n_dims = 1, .ne = {3}};
    const char *path;

    (void)state;
    scratch_make(&scratch);
    path = scratch_path(&scratch, "new.gguf");
    assert_int_equal(
        ggk_source_from_memory(data, sizeof data, NULL, &source, NULL), GGK_OK);
    t.source = source;
    put_header(&expected, 1, 1);
    put_kv_u32(&expected, "n", 7);
    put_info(&expected, "t", 1, (uint64_t[]){3}, T_F32, 0);
    put_padding(&expected, 32);
    for (int i = 0; i < 3; i++)
        put_f32(&expected, (float)i);
    put_padding(&expected, 32);
    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_file(plan, path, &file, NULL), GGK_OK);
    assert_int_equal(set_u32(plan, "n", 7), GGK_OK);
    assert_int_equal(ggk_plan_add_tensor(plan, 0, &t, NULL), GGK_OK);
    t.off = 1;
    assert_int_equal(ggk_plan_add_tensor(plan, 0, &t, NULL),
                     GGK_E_DATA_MISSING);
    t.type = T_UNKNOWN;
    assert_int_equal(ggk_plan_add_tensor(plan, 0, &t, NULL), GGK_E_UNSUPPORTED);
    t.type = T_Q8_0;
    assert_int_equal(ggk_plan_add_tensor(plan, 0, &t, NULL), GGK_E_BLOCK);
    assert_int_equal(run_with(plan, 0, NULL), GGK_OK);
    expect_file(path, &expected);
    ggk_plan_free(plan);
    ggk_source_close(source);
    scratch_remove(&scratch);
    bytes_free(&expected);
}

/* --------------------------------------------------------------------- targets
 */

static void targets(void **state)
{
    struct bytes in = small_model("n", 1, 32), other = bytes_of(3, false);
    struct world w;
    ggk_error err;
    ggk_plan *to_out, *to_in;

    (void)state;
    put_raw(&other, "other", 5);
    world_make(&w, &in);
    to_out = plan_copy(&w, w.out);
    to_in = plan_copy(&w, w.in);
    scratch_write(&w.scratch, "out.gguf", &other);
    assert_int_equal(run_with(to_out, 0, &err), GGK_E_EXISTS);
    assert_string_equal(err.file, w.out);
    assert_int_equal(run_with(to_out, GGK_RUN_REPLACE, &err), GGK_E_CHANGED);
    expect_file(w.out, &other);
    assert_int_equal(run_with(to_out, GGK_RUN_FORCE | GGK_RUN_DRY, &err),
                     GGK_OK);
    expect_file(w.out, &other);
    assert_int_equal(run_with(to_out, GGK_RUN_FORCE, &err), GGK_OK);
    expect_file(w.out, &in);
    assert_int_equal(run_with(to_in, GGK_RUN_FORCE, &err), GGK_E_SAME_FILE);
    assert_int_equal(run_with(to_in, GGK_RUN_REPLACE, &err), GGK_OK);
    /* Now another file has that name, which nobody has read. */
    assert_int_equal(run_with(to_in, GGK_RUN_REPLACE, &err), GGK_E_CHANGED);
    assert_int_equal(run_with(to_in, GGK_RUN_REPLACE | GGK_RUN_FORCE, &err),
                     GGK_E_CHANGED);
    expect_file(w.in, &in);
    assert_int_equal(world_count(&w), 2);
    ggk_plan_free(to_in);
    ggk_plan_free(to_out);
    world_end(&w);
    bytes_free(&other);
    bytes_free(&in);
}

static void backup_is_kept(void **state)
{
    struct bytes in = small_model("n", 1, 32),
                 changed = small_model("n", 2, 32);
    ggk_run_opts opts = {.struct_bytes = sizeof opts,
                         .flags = GGK_RUN_REPLACE,
                         .backup = ".bak"};
    struct world w;
    ggk_plan *plan;

    (void)state;
    world_make(&w, &in);
    plan = plan_copy(&w, w.in);
    assert_int_equal(set_u32(plan, "n", 2), GGK_OK);
    assert_int_equal(ggk_plan_run(plan, &opts, NULL), GGK_OK);
    expect_file(w.in, &changed);
    expect_file(scratch_path(&w.scratch, "in.gguf.bak"), &in);
    ggk_plan_free(plan);
    ggk_model_close(w.model);
    assert_int_equal(ggk_model_open(w.in, NULL, &w.model, NULL), GGK_OK);
    plan = plan_copy(&w, w.in);
    assert_int_equal(ggk_plan_run(plan, &opts, NULL), GGK_E_EXISTS);
    expect_file(scratch_path(&w.scratch, "in.gguf.bak"), &in);
    assert_int_equal(world_count(&w), 2);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&changed);
    bytes_free(&in);
}

/* What was a backup before stays one if nothing is written. */
static void earlier_backup_stays(void **state)
{
    struct bytes in = small_model("n", 1, 32), old = bytes_of(3, false);
    int left = 3; /* the run is cancelled after that */
    ggk_run_opts opts = {.struct_bytes = sizeof opts,
                         .flags = GGK_RUN_REPLACE | GGK_RUN_FORCE,
                         .backup = ".bak"};
    struct world w;
    ggk_plan *plan;

    (void)state;
    put_raw(&old, "old", 3);
    world_make(&w, &in);
    plan = plan_copy(&w, w.in);
    assert_int_equal(set_u32(plan, "n", 2), GGK_OK);
    scratch_write(&w.scratch, "in.gguf.bak", &old);
    opts.on_progress = stop_at;
    opts.progress_ctx = &left;
    assert_int_equal(ggk_plan_run(plan, &opts, NULL), GGK_E_CANCELLED);
    expect_file(scratch_path(&w.scratch, "in.gguf.bak"), &old);
    expect_file(w.in, &in);
    opts.on_progress = NULL;
    assert_int_equal(ggk_plan_run(plan, &opts, NULL), GGK_OK);
    expect_file(scratch_path(&w.scratch, "in.gguf.bak"), &in);
    assert_int_equal(world_count(&w), 2);
    ggk_plan_free(plan);
    assert_int_equal(unlink(scratch_path(&w.scratch, "in.gguf.bak")), 0);
    assert_int_equal(mkdir(scratch_path(&w.scratch, "in.gguf.bak"), 0700), 0);
    ggk_model_close(w.model);
    assert_int_equal(ggk_model_open(w.in, NULL, &w.model, NULL), GGK_OK);
    plan = plan_copy(&w, w.in);
    assert_int_equal(ggk_plan_run(plan, &opts, NULL), GGK_E_IO);
    assert_int_equal(world_count(&w), 2);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&old);
    bytes_free(&in);
}

/* A map is a file too: it is known as the input, and what is written to it
 * meanwhile is noticed. */
static void mapped_input(void **state)
{
    struct bytes in = bytes_features(3, false);
    ggk_source *source;
    struct world w;
    ggk_plan *plan;

    (void)state;
    world_make(&w, &in);
    ggk_model_close(w.model);
    assert_int_equal(ggk_source_open_map(w.in, NULL, &source, NULL), GGK_OK);
    assert_int_equal(ggk_model_open_source(source, NULL, &w.model, NULL),
                     GGK_OK);
    plan = plan_copy(&w, w.in);
    assert_int_equal(run_with(plan, GGK_RUN_FORCE, NULL), GGK_E_SAME_FILE);
    ggk_plan_free(plan);
    plan = plan_copy(&w, w.out);
    in.at[in.n - 1] ^= 1;
    scratch_write(&w.scratch, "in.gguf", &in);
    assert_int_equal(run_with(plan, 0, NULL), GGK_E_CHANGED);
    assert_int_equal(world_count(&w), 1);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&in);
}

/* A temporary that nobody writes is removed; one that is locked is not. */
static void temporaries_of_others(void **state)
{
    struct bytes in = small_model("n", 1, 32), junk = bytes_of(3, false);
    struct world w;
    ggk_plan *plan;
    int fd;

    (void)state;
    put_raw(&junk, "junk", 4);
    world_make(&w, &in);
    plan = plan_copy(&w, w.out);
    scratch_write(&w.scratch, ".out.gguf.ggk-tmp", &junk);
    fd = open(scratch_path(&w.scratch, ".out.gguf.ggk-tmp"), O_RDWR);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(run_with(plan, 0, NULL), GGK_E_LOCKED);
    expect_file(scratch_path(&w.scratch, ".out.gguf.ggk-tmp"), &junk);
    close(fd);
    assert_int_equal(run_with(plan, 0, NULL), GGK_OK);
    expect_file(w.out, &in);
    assert_int_equal(world_count(&w), 2);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&junk);
    bytes_free(&in);
}

/* -------------------------------------------------------------------- failures
 */

static void cancelled_anywhere(void **state)
{
    struct bytes in = bytes_features(3, false);
    ggk_status status = GGK_E_CANCELLED;
    int n = 0;

    (void)state;
    for (; status == GGK_E_CANCELLED; n++) {
        int left = n;
        ggk_run_opts opts = {.struct_bytes = sizeof opts,
                             .on_progress = stop_at,
                             .progress_ctx = &left};
        struct world w;
        ggk_plan *plan;

        world_make(&w, &in);
        plan = plan_copy(&w, w.out);
        status = ggk_plan_run(plan, &opts, NULL);
        assert_int_equal(world_count(&w), status == GGK_OK ? 2 : 1);
        ggk_plan_free(plan);
        world_end(&w);
    }
    assert_int_equal(status, GGK_OK);
    assert_true(n > 3);
    bytes_free(&in);
}

/* Another process, which acts while a file is written. */
struct other_process {
    const char *from, *to; /* a rename, */
    const char *path;      /* or a byte of this that becomes another */
    long at;
};

static bool let_act(void *ctx, uint64_t done, uint64_t total)
{
    struct other_process *p = ctx;

    (void)done;
    (void)total;
    if (p->from != NULL) {
        assert_int_equal(rename(p->from, p->to), 0);
        p->from = NULL;
    }
    if (p->path != NULL) {
        int fd = open(p->path, O_WRONLY);

        assert_int_equal(pwrite(fd, "~", 1, p->at), 1);
        close(fd);
        p->path = NULL;
    }
    return true;
}

static void target_of_others_stays(void **state)
{
    struct bytes in = small_model("n", 1, 32), old = bytes_of(3, false);
    struct bytes fresh = bytes_of(3, false);
    struct world w;
    struct other_process other = {0};
    ggk_run_opts opts = {.struct_bytes = sizeof opts,
                         .flags = GGK_RUN_FORCE,
                         .on_progress = let_act,
                         .progress_ctx = &other};
    ggk_plan *plan;

    (void)state;
    put_raw(&old, "old", 3);
    put_raw(&fresh, "fresh", 5);
    world_make(&w, &in);
    scratch_write(&w.scratch, "out.gguf", &old);
    other.from = scratch_write(&w.scratch, "fresh", &fresh);
    other.to = w.out;
    plan = plan_copy(&w, w.out);
    assert_int_equal(ggk_plan_run(plan, &opts, NULL), GGK_E_CHANGED);
    assert_null(other.from);
    expect_file(w.out, &fresh);
    assert_int_equal(world_count(&w), 2);
    assert_int_equal(ggk_plan_run(plan, &opts, NULL), GGK_OK);
    expect_file(w.out, &in);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&fresh);
    bytes_free(&old);
    bytes_free(&in);
}

/* Each byte of the header counts, also that of a name. */
static void spoilt_header_is_noticed(void **state)
{
    struct bytes in = bytes_features(3, false);
    struct world w;
    struct other_process other = {0};
    ggk_run_opts opts = {.struct_bytes = sizeof opts,
                         .on_progress = let_act,
                         .progress_ctx = &other};
    ggk_file file;
    ggk_plan *plan;

    (void)state;
    world_make(&w, &in);
    plan = plan_copy(&w, w.out);
    assert_int_equal(ggk_model_file(w.model, 0, &file, NULL), GGK_OK);
    for (long at = 0; at < (long)file.head_end; at += 7) {
        other.path = scratch_path(&w.scratch, ".out.gguf.ggk-tmp");
        other.at = at;
        assert_int_equal(ggk_plan_run(plan, &opts, NULL), GGK_E_CHANGED);
        assert_int_equal(world_count(&w), 1);
    }
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&in);
}

static ggk_status copy_by(const struct world *w, const ggk_allocator *alloc,
                          ggk_error *err)
{
    ggk_plan *plan;
    uint32_t file = 0;
    ggk_status status = ggk_plan_new(alloc, &plan, err);

    if (status == GGK_OK)
        status = ggk_plan_add_file(plan, w->out, &file, err);
    if (status == GGK_OK)
        status = ggk_plan_copy_file(plan, file, w->model, 0, err);
    if (status == GGK_OK)
        status = run_with(plan, 0, err);
    ggk_plan_free(plan);
    return status;
}

static void no_memory(void **state)
{
    struct bytes in = bytes_features(3, false);

    (void)state;
    for (int after = 0; after < 2; after++) {
        bool reached = true;
        size_t n = 1, got_over = 0;

        for (; reached; n++) {
            struct ledger ledger = {.fail_at = n, .fail_after = after != 0};
            ggk_allocator alloc = ledger_allocator(&ledger);
            ggk_error err = {0};
            struct world w;
            ggk_status status;

            world_make(&w, &in);
            status = copy_by(&w, &alloc, &err);
            reached = ledger.calls >= n;
            got_over += reached && status == GGK_OK;
            assert_true(status == GGK_E_NOMEM || status == GGK_OK);
            assert_int_equal(world_count(&w), status == GGK_OK ? 2 : 1);
            assert_true(ledger_is_even(&ledger));
            world_end(&w);
        }
        assert_true(n > 20);
        assert_in_range(got_over, 0, 2); /* where a block was to shrink */
    }
    bytes_free(&in);
}

/* The input is written to after it was opened. */
static void changed_input(void **state)
{
    struct bytes in = bytes_features(3, false);
    struct world w;
    ggk_plan *plan;

    (void)state;
    world_make(&w, &in);
    plan = plan_copy(&w, w.out);
    in.at[in.n - 1] ^= 1;
    scratch_write(&w.scratch, "in.gguf", &in);
    assert_int_equal(run_with(plan, 0, NULL), GGK_E_CHANGED);
    assert_int_equal(world_count(&w), 1);
    assert_int_equal(truncate(w.in, (off_t)in.n - 100), 0);
    assert_int_equal(run_with(plan, 0, NULL), GGK_E_CHANGED);
    assert_int_equal(world_count(&w), 1);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&in);
}

/* A hundred tensors that are one: 64 files full of them and 1 MiB may be
 * copied. */
static void overlaps_have_a_limit(void **state)
{
    const uint64_t n = 4 << 20;
    struct bytes in = bytes_of(3, false);
    uint64_t taken = 0;
    ggk_error err;
    uint32_t file = 0;
    struct world w;
    ggk_plan *plan;

    (void)state;
    put_header(&in, 100, 0);
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", i);
        put_info(&in, name, 1, &n, T_I8, 0);
    }
    put_padding(&in, 32);
    put_fill(&in, 7, n);
    world_make(&w, &in);
    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    for (uint64_t i = 0; i < 100; i++) { /* in whichever files they are */
        ggk_status status;

        if (i % 10 == 0)
            assert_int_equal(ggk_plan_add_file(plan, w.out, &file, NULL),
                             GGK_OK);
        status = ggk_plan_copy_tensor(plan, file, w.model, i, &err);
        if (i == 3) /* what is not copied does not count */
            assert_int_equal(ggk_plan_copy_tensor(plan, 99, w.model, i, NULL),
                             GGK_E_RANGE);
        if (taken + n <= in.n * 64 + (1 << 20)) {
            assert_int_equal(status, GGK_OK);
            taken += n;
            continue;
        }
        assert_int_equal(status, GGK_E_OVERLAP);
        assert_int_equal(err.need, taken + n);
        assert_int_equal(err.have, in.n * 64 + (1 << 20));
        assert_int_equal(err.offset, GGK_NO_OFFSET);
    }
    assert_int_equal(taken, 64 * n);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&in);
}

static void holes_stay_holes(void **state)
{
    const uint64_t n = UINT64_C(64) << 20;
    struct bytes in = bytes_of(3, false);
    struct stat st;
    struct world w;
    ggk_plan *plan;

    (void)state;
    put_header(&in, 1, 0);
    put_info(&in, "t", 1, (uint64_t[]){n}, 24, 0);
    put_padding(&in, 32);
    scratch_make(&w.scratch);
    snprintf(w.in, sizeof w.in, "%s", scratch_write(&w.scratch, "in", &in));
    snprintf(w.out, sizeof w.out, "%s", scratch_path(&w.scratch, "out"));
    assert_int_equal(truncate(w.in, (off_t)(in.n + n)), 0);
    assert_int_equal(ggk_model_open(w.in, NULL, &w.model, NULL), GGK_OK);
    plan = plan_copy(&w, w.out);
    assert_int_equal(run_with(plan, 0, NULL), GGK_OK);
    assert_int_equal(stat(w.out, &st), 0);
    assert_int_equal(st.st_size, in.n + n);
    assert_true((uint64_t)st.st_blocks * 512 < 1 << 20);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&in);
}

/* Of a model in memory that somebody writes to, with a tensor of which a plan
 * knows no more than its number; another is taken from the same source. */
static void changed_model(void **state)
{
    struct bytes b = bytes_features(3, false);
    ggk_new_tensor raw = {.name = ggk_cstr("raw"), .n_dims = 1, .ne = {1}};
    ggk_source *source;
    ggk_model *model;
    ggk_plan *plan;
    ggk_planned_file f;
    ggk_planned_tensor planned;
    ggk_tensor t;
    ggk_error err;
    uint32_t file;
    uint8_t *n_dims, was;

    (void)state;
    assert_int_equal(ggk_source_from_memory(b.at, b.n, NULL, &source, NULL),
                     GGK_OK);
    raw.source = source;
    assert_int_equal(ggk_model_open_source(source, NULL, &model, NULL), GGK_OK);
    assert_int_equal(ggk_model_tensor(model, 0, &t, NULL), GGK_OK);
    n_dims = b.at + t.info_off + 8 + t.name.len;
    was = *n_dims;
    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_file(plan, "x", &file, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_tensor(plan, file, &raw, NULL), GGK_OK);
    assert_int_equal(ggk_plan_copy_file(plan, file, model, 0, NULL), GGK_OK);

    *n_dims = 99;
    assert_int_equal(ggk_plan_file(plan, file, &f, &err), GGK_E_CHANGED);
    assert_string_equal(err.file, "x");
    *n_dims = was;
    assert_int_equal(ggk_plan_file(plan, file, &f, NULL), GGK_OK);
    *n_dims = 99;
    assert_int_equal(ggk_plan_tensor(plan, file, 1, &planned, NULL),
                     GGK_E_CHANGED);
    assert_int_equal(planned.bytes, 0);
    assert_int_equal(ggk_plan_tensor(plan, file, 0, &planned, NULL), GGK_OK);
    assert_int_equal(planned.bytes, 4);
    assert_int_equal(
        ggk_plan_rename_tensor(plan, t.name, ggk_cstr("y"), &file, NULL),
        GGK_E_CHANGED);
    *n_dims = was;
    /* Of 2^44 rows, or whatever: more than its source has. */
    n_dims[4 + 5] = 16;
    assert_int_equal(ggk_plan_tensor(plan, file, 1, &planned, NULL),
                     GGK_E_CHANGED);
    n_dims[4 + 5] = 0;
    assert_int_equal(ggk_plan_tensor(plan, file, 1, &planned, NULL), GGK_OK);
    assert_int_equal(planned.bytes, t.bytes);
    ggk_plan_free(plan);
    ggk_model_close(model);
    bytes_free(&b);
}

static int no_read(void *ctx, uint64_t off, void *buf, size_t bytes,
                   size_t *got)
{
    (void)ctx, (void)off, (void)buf, (void)bytes;
    *got = 0;
    return EIO;
}

/* Found before anything is read, and told in units that people read. */
static void no_room(void **state)
{
    const uint64_t bytes = UINT64_C(1) << 50;
    const ggk_callbacks callbacks = {no_read, NULL, NULL, bytes};
    const char *needed = "not enough room: it takes 1.00 PiB "
                         "(1125899906842681 bytes), and ";
    ggk_new_tensor t = {
        .name = ggk_cstr("t"), .type = T_F32, .n_dims = 1, .ne = {bytes / 4}};
    struct scratch scratch;
    ggk_source *source;
    ggk_status status;
    ggk_plan *plan;
    ggk_error err;
    uint32_t file;

    (void)state;
    scratch_make(&scratch);
    assert_int_equal(ggk_source_from_callbacks(&callbacks, NULL, &source, NULL),
                     GGK_OK);
    t.source = source;
    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_file(plan,
                                       scratch_path(&scratch, "huge.gguf"),
                                       &file, NULL),
                     GGK_OK);
    assert_int_equal(ggk_plan_add_tensor(plan, file, &t, NULL), GGK_OK);
    status = run_with(plan, GGK_RUN_DRY, &err);
    if (status == GGK_E_IO) {
        assert_int_equal(err.sys_errno, ENOSPC);
        err.what[strlen(needed)] = '\0';
        assert_string_equal(err.what, needed);
        assert_true(err.have < err.need);
        assert_int_equal(err.need, bytes + 57);
    }
    ggk_plan_free(plan);
    ggk_source_close(source);
    scratch_remove(&scratch);
    if (status == GGK_OK)
        skip(); /* the file system may share blocks */
    assert_int_equal(status, GGK_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_is_canonical),
        cmocka_unit_test(copy_from_any_source),
        cmocka_unit_test(stream_has_no_end),
        cmocka_unit_test(cut_data_is_refused),
        cmocka_unit_test(unknown_type_is_not_swapped),
        cmocka_unit_test(set_replaces_and_appends),
        cmocka_unit_test(edits_that_fail),
        cmocka_unit_test(many_renames),
        cmocka_unit_test(alignment),
        cmocka_unit_test(free_space_is_dropped),
        cmocka_unit_test(new_tensor),
        cmocka_unit_test(targets),
        cmocka_unit_test(backup_is_kept),
        cmocka_unit_test(earlier_backup_stays),
        cmocka_unit_test(mapped_input),
        cmocka_unit_test(temporaries_of_others),
        cmocka_unit_test(cancelled_anywhere),
        cmocka_unit_test(target_of_others_stays),
        cmocka_unit_test(spoilt_header_is_noticed),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(changed_input),
        cmocka_unit_test(changed_model),
        cmocka_unit_test(overlaps_have_a_limit),
        cmocka_unit_test(holes_stay_holes),
        cmocka_unit_test(no_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
