/* test_plan_edit.c - plans that change their input where it lies. */
#include "ggk.h"

#include <errno.h>
#include <sys/stat.h>

#include "io/os.h"
#include "kinds.h"
#include "ledger.h"
#include "sample.h"

/* A model of two keys and one tensor; free space last, if there is to be some.
 */
static struct bytes model_bytes(const char *name, const char *space)
{
    struct bytes b = bytes_of(3, false);

    put_header(&b, 1, space != NULL ? 3 : 2);
    put_kv_str(&b, "general.architecture", "llama");
    put_kv_str(&b, "general.name", name);
    if (space != NULL)
        put_kv_str(&b, "general.padding", space);
    put_info(&b, "t", 1, (uint64_t[]){3}, T_F32, 0);
    put_padding(&b, 32);
    for (int i = 0; i < 3; i++)
        put_f32(&b, (float)i);
    put_padding(&b, 32);
    return b;
}

/* A folder with that model in it, opened to be edited if that can be. */
struct world {
    struct scratch scratch;
    char path[600];
    ggk_allocator mem;
    ggk_model *model;
    ggk_plan *plan;
};

static const ggk_allocator *allocator(const struct world *w)
{
    return w->mem.resize != NULL ? &w->mem : NULL;
}

static ggk_status open_edit(void *ctx, const char *path, ggk_source **out,
                            ggk_error *err)
{
    const struct world *w = ctx;

    return ggk_source_open_edit(path, allocator(w), out, err);
}

static void world_open(struct world *w, bool to_edit)
{
    ggk_open_opts opts = {.struct_bytes = sizeof opts,
                          .open_source = to_edit ? open_edit : NULL,
                          .open_ctx = w};
    uint32_t file;

    assert_int_equal(ggk_model_open(w->path, &opts, &w->model, NULL), GGK_OK);
    assert_int_equal(ggk_plan_new(allocator(w), &w->plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_file(w->plan, w->path, &file, NULL), GGK_OK);
    assert_int_equal(ggk_plan_copy_file(w->plan, 0, w->model, 0, NULL), GGK_OK);
}

static void world_close(struct world *w)
{
    ggk_plan_free(w->plan);
    ggk_model_close(w->model);
    w->plan = NULL;
    w->model = NULL;
}

static void put_model(struct world *w, const struct bytes *b)
{
    snprintf(w->path, sizeof w->path, "%s",
             scratch_write(&w->scratch, "in.gguf", b));
}

static void world_make(struct world *w, const struct bytes *b)
{
    memset(w, 0, sizeof *w);
    scratch_make(&w->scratch);
    put_model(w, b);
}

/* In the folder of the build: is that in a file system that has room made? */
static bool world_make_roomy(struct world *w, const struct bytes *b)
{
    int fd;
    bool roomy;

    memset(w, 0, sizeof *w);
    assert_true(scratch_make_in(&w->scratch, "."));
    put_model(w, b);
    fd = open(w->path, O_RDONLY);
    assert_true(fd >= 0);
    roomy = ggki_os_may_insert(fd);
    close(fd);
    return roomy;
}

static void world_end(struct world *w)
{
    world_close(w);
    scratch_remove(&w->scratch);
}

static void set_name(const struct world *w, const char *name)
{
    ggk_value v = {.type = GGK_VALUE_STRING, .as.s = ggk_cstr(name)};
    ggk_builder *b;

    assert_int_equal(ggk_builder_new(NULL, &b, NULL), GGK_OK);
    assert_int_equal(ggk_builder_put(b, &v, NULL), GGK_OK);
    assert_int_equal(
        ggk_plan_set_kv(w->plan, 0, ggk_cstr("general.name"), b, NULL), GGK_OK);
    ggk_builder_free(b);
}

/* Closes the model: nobody can open the file before, not even we. */
static void expect_file(struct world *w, const struct bytes *expected)
{
    FILE *f;

    world_close(w);
    f = fopen(w->path, "rb");
    assert_non_null(f);
    for (size_t i = 0; i < expected->n; i++)
        assert_int_equal(getc(f), expected->at[i]);
    assert_int_equal(getc(f), EOF);
    fclose(f);
}

/* Does the world's file system tell whether others have a file open? */
static bool can_edit(const struct world *w)
{
    ggk_edited edited;

    assert_int_equal(ggk_plan_edit(w->plan, GGK_EDIT_DRY, &edited, NULL),
                     GGK_OK);
    return edited.why_not == NULL;
}

/* ------------------------------------------------------------------- ways */

static void same_length_is_patched(void **state)
{
    struct bytes in = model_bytes("name", NULL),
                 out = model_bytes("game", NULL);
    struct world w;
    ggk_edited edited;

    (void)state;
    world_make(&w, &in);
    world_open(&w, true);
    set_name(&w, "game");
    if (!can_edit(&w)) {
        world_end(&w);
        bytes_free(&in);
        bytes_free(&out);
        skip();
    }
    expect_file(&w, &in);
    world_open(&w, true);
    set_name(&w, "game");
    assert_int_equal(ggk_plan_edit(w.plan, 0, &edited, NULL), GGK_OK);
    assert_int_equal(edited.way, GGK_WAY_PATCH);
    assert_int_equal(edited.written, 1);
    assert_int_equal(edited.free, 0);
    expect_file(&w, &out);
    world_end(&w);
    bytes_free(&in);
    bytes_free(&out);
}

static void space_takes_it_up(void **state)
{
    struct bytes in = model_bytes("name", "                                "),
                 out = model_bytes("a longer name", NULL);
    struct world w;
    ggk_edited edited;
    ggk_file f;

    (void)state;
    world_make(&w, &in);
    world_open(&w, true);
    set_name(&w, "a longer name");
    if (!can_edit(&w)) {
        world_end(&w);
        bytes_free(&in);
        bytes_free(&out);
        skip();
    }
    assert_int_equal(ggk_plan_edit(w.plan, 0, &edited, NULL), GGK_OK);
    assert_int_equal(edited.way, GGK_WAY_SPACE);
    assert_int_equal(edited.inserted, 0);
    world_close(&w);
    world_open(&w, true); /* what is written anew has none */
    assert_int_equal(ggk_model_file(w.model, 0, &f, NULL), GGK_OK);
    assert_int_equal(f.n_kv, 3);
    assert_int_equal(f.size, in.n);
    assert_int_equal(
        ggk_plan_run(w.plan,
                     &(ggk_run_opts){.struct_bytes = sizeof(ggk_run_opts),
                                     .flags = GGK_RUN_REPLACE},
                     NULL),
        GGK_OK);
    expect_file(&w, &out);
    world_end(&w);
    bytes_free(&in);
    bytes_free(&out);
}

static void room_is_made(void **state)
{
    struct bytes in = model_bytes("name", NULL);
    char name[5000];
    struct world w;
    ggk_edited dry, edited;
    ggk_file f;

    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    if (!world_make_roomy(&w, &in)) {
        world_end(&w);
        bytes_free(&in);
        skip();
    }
    world_open(&w, true);
    set_name(&w, name);
    assert_int_equal(ggk_plan_reserve(w.plan, 0, 100, NULL), GGK_OK);
    assert_int_equal(ggk_plan_edit(w.plan, GGK_EDIT_DRY, &dry, NULL), GGK_OK);
    assert_int_equal(ggk_plan_edit(w.plan, 0, &edited, NULL), GGK_OK);
    assert_int_equal(edited.written, edited.data_off);
    assert_memory_equal(&dry, &edited, sizeof dry);
    assert_int_equal(edited.way, GGK_WAY_INSERT);
    assert_true(edited.free >= 100 && edited.inserted >= sizeof name + 100);
    world_close(&w);
    world_open(&w, false);
    assert_int_equal(ggk_model_file(w.model, 0, &f, NULL), GGK_OK);
    assert_int_equal(f.size, in.n + edited.inserted);
    assert_int_equal(f.size, edited.size);
    assert_int_equal(f.data_off, edited.data_off);
    assert_int_equal(edited.n_kv, 3);
    assert_int_equal(f.n_kv, 3);
    assert_int_equal(f.trailing, 0);
    world_end(&w);
    bytes_free(&in);
}

/* --------------------------------------------------------------- refusals */

static void expect_refusal(struct world *w, const char *why)
{
    ggk_edited edited;

    set_name(w, "game");
    assert_int_equal(ggk_plan_edit(w->plan, 0, &edited, NULL), GGK_OK);
    assert_int_equal(edited.way, GGK_WAY_NONE);
    assert_non_null(edited.why_not);
    assert_non_null(strstr(edited.why_not, why));
}

static void refusals(void **state)
{
    struct bytes in = model_bytes("name", NULL);
    char other[600];
    struct world w;

    (void)state;
    world_make(&w, &in);
    world_open(&w, false);
    expect_refusal(&w, "not opened to be edited");
    world_close(&w);
    world_open(&w, true);
    if (!can_edit(&w)) {
        world_end(&w);
        bytes_free(&in);
        skip();
    }
    assert_int_equal(ggk_plan_set_format(w.plan, 0, 3, true, NULL), GGK_OK);
    expect_refusal(&w, "byte order");
    assert_int_equal(ggk_plan_set_format(w.plan, 0, 3, false, NULL), GGK_OK);
    snprintf(other, sizeof other, "%s", scratch_path(&w.scratch, "other"));
    assert_int_equal(link(w.path, other), 0);
    expect_refusal(&w, "hard links");
    assert_int_equal(unlink(other), 0);
    assert_int_equal(
        ggk_plan_remove_tensor(w.plan, ggk_cstr("t"), &(uint32_t){0}, NULL),
        GGK_OK);
    expect_refusal(&w, "tensors go");
    world_close(&w);
    assert_int_equal(rename(w.path, other), 0);
    assert_int_equal(symlink("other", w.path), 0);
    world_open(&w, true);
    expect_refusal(&w, "symbolic link");
    world_end(&w);
    bytes_free(&in);
}

static void wrong_plans(void **state)
{
    struct bytes in = model_bytes("name", NULL);
    ggk_edited edited;
    ggk_error err;
    struct world w;
    uint32_t file;

    (void)state;
    world_make(&w, &in);
    world_open(&w, true);
    assert_int_equal(ggk_plan_reserve(w.plan, 1, 1, &err), GGK_E_RANGE);
    assert_int_equal(ggk_plan_reserve(w.plan, 0, GGK_RESERVE_MOST + 1, &err),
                     GGK_E_LIMIT);
    assert_int_equal(ggk_plan_add_file(w.plan, "x", &file, NULL), GGK_OK);
    assert_int_equal(ggk_plan_edit(w.plan, 0, &edited, &err), GGK_E_ARG);
    assert_int_equal(edited.way, GGK_WAY_NONE);
    expect_file(&w, &in);
    world_end(&w);
    bytes_free(&in);
}

/* While another has the file open it is not edited; nobody is kept from it, but
 * while it is. */
static void others_come_first(void **state)
{
    struct bytes in = model_bytes("name", NULL),
                 out = model_bytes("game", NULL);
    struct world w;
    ggk_source *reader;
    ggk_edited edited;

    (void)state;
    world_make(&w, &in);
    world_open(&w, true);
    if (!can_edit(&w)) {
        world_end(&w);
        bytes_free(&in);
        bytes_free(&out);
        skip();
    }
    assert_int_equal(ggk_source_open_file(w.path, NULL, &reader, NULL), GGK_OK);
    expect_refusal(&w, "has the file open");
    ggk_source_close(reader);
    assert_int_equal(ggk_plan_edit(w.plan, 0, &edited, NULL), GGK_OK);
    assert_int_equal(edited.way, GGK_WAY_PATCH);
    assert_int_equal(ggk_source_open_file(w.path, NULL, &reader, NULL), GGK_OK);
    ggk_source_close(reader);
    expect_file(&w, &out);
    world_end(&w);
    bytes_free(&in);
    bytes_free(&out);
}

/* In place of libc's: it fails for one folder, if that is wanted. */
static unsigned folders_until_one_fails;

int fsync(int fd)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return -1;
    if (S_ISDIR(st.st_mode) && folders_until_one_fails > 0 &&
        --folders_until_one_fails == 0) {
        errno = EIO;
        return -1;
    }
    return fdatasync(fd);
}

/* Once for the journal's name, once for its end. */
static void it_is_said_that_it_was_edited(void **state)
{
    struct bytes in = model_bytes("name", NULL),
                 out = model_bytes("game", NULL);
    struct world w;
    ggk_edited edited;
    ggk_error err;

    (void)state;
    for (unsigned n = 1; n <= 2; n++) {
        world_make(&w, &in);
        world_open(&w, true);
        if (can_edit(&w)) {
            set_name(&w, "game");
            folders_until_one_fails = n;
            assert_int_equal(ggk_plan_edit(w.plan, 0, &edited, &err), GGK_E_IO);
            assert_int_equal(err.sys_errno, EIO);
            assert_int_equal(edited.way, n == 1 ? GGK_WAY_NONE : GGK_WAY_PATCH);
            assert_true((strstr(err.what, "it was edited, but") != NULL) ==
                        (n == 2));
            assert_int_equal(folders_until_one_fails, 0);
            expect_file(&w, n == 1 ? &in : &out);
        }
        world_end(&w);
    }
    bytes_free(&in);
    bytes_free(&out);
}

static void space_is_told_by_key_and_value(void **state)
{
    const ggk_str key = ggk_cstr("general.padding");

    (void)state;
    assert_true(ggk_is_space(key, (ggk_str){NULL, 0}));
    assert_true(ggk_is_space(key, (ggk_str){"  \0 ", 4}));
    assert_false(ggk_is_space(key, ggk_cstr("  x")));
    assert_false(ggk_is_space(key, ggk_cstr("\t")));
    assert_false(ggk_is_space(ggk_cstr("general.paddings"), ggk_cstr(" ")));
    assert_false(ggk_is_space((ggk_str){NULL, 0}, ggk_cstr(" ")));
}

/* What the key holds that is not free space is not ours to fill. */
static void padding_of_others(void **state)
{
    struct bytes in = model_bytes("name", "important"),
                 out = model_bytes("game", "important");
    struct world w;
    ggk_error err;

    (void)state;
    world_make(&w, &in);
    world_open(&w, true);
    assert_false(ggk_model_kv_is_space(w.model, 2));
    assert_int_equal(ggk_plan_reserve(w.plan, 0, 100, &err), GGK_E_UNSUPPORTED);
    expect_refusal(&w, "other than free space");
    expect_file(&w, &in);
    world_open(&w, true); /* nor is it lost */
    set_name(&w, "game");
    assert_int_equal(
        ggk_plan_run(w.plan,
                     &(ggk_run_opts){.struct_bytes = sizeof(ggk_run_opts),
                                     .flags = GGK_RUN_REPLACE},
                     NULL),
        GGK_OK);
    expect_file(&w, &out);
    bytes_free(&out);
    world_end(&w);
    bytes_free(&in);
}

/* Every allocation fails once: the file is as it was, or edited. */
static void no_memory(void **state)
{
    struct bytes in = model_bytes("name", NULL),
                 out = model_bytes("game", NULL);
    ggk_status status = GGK_E_NOMEM;

    (void)state;
    for (size_t n = 1; status == GGK_E_NOMEM; n++) {
        struct ledger l = {0};
        struct world w;
        ggk_edited edited;

        world_make(&w, &in);
        w.mem = ledger_allocator(&l);
        world_open(&w, true);
        set_name(&w, "game");
        l.fail_at = l.calls + n;
        status = ggk_plan_edit(w.plan, 0, &edited, NULL);
        if (status != GGK_OK || edited.way == GGK_WAY_NONE)
            expect_file(&w, &in);
        else
            expect_file(&w, &out);
        world_end(&w);
        assert_int_equal(l.blocks, 0);
        assert_false(l.mismatch);
    }
    assert_int_equal(status, GGK_OK);
    bytes_free(&in);
    bytes_free(&out);
}

/* --------------------------------------------------------------- recovery */

static void nothing_to_recover(void **state)
{
    struct bytes in = model_bytes("name", NULL);
    ggk_recovery recovery;
    ggk_error err;
    struct world w;

    (void)state;
    world_make(&w, &in);
    assert_int_equal(ggk_recover(w.path, 0, NULL, &recovery, NULL), GGK_OK);
    assert_int_equal(recovery, GGK_RECOVERY_NONE);
    assert_int_equal(ggk_recover(NULL, 0, NULL, &recovery, &err), GGK_E_ARG);
    assert_int_equal(
        ggk_recover(scratch_path(&w.scratch, "none"), 0, NULL, &recovery, &err),
        GGK_E_IO);
    assert_int_equal(err.sys_errno, ENOENT);
    expect_file(&w, &in);
    world_end(&w);
    bytes_free(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_length_is_patched),
        cmocka_unit_test(space_takes_it_up),
        cmocka_unit_test(room_is_made),
        cmocka_unit_test(refusals),
        cmocka_unit_test(wrong_plans),
        cmocka_unit_test(others_come_first),
        cmocka_unit_test(it_is_said_that_it_was_edited),
        cmocka_unit_test(space_is_told_by_key_and_value),
        cmocka_unit_test(padding_of_others),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(nothing_to_recover),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
