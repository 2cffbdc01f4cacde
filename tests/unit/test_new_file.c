/* test_new_file.c - a file that takes the place of another, which somebody else
 * replaces meanwhile. */
#include "ledger.h"
#include "scratch.h"

#include "base/mem.h"
#include "io/new_file.h"

#include <sys/file.h>

struct fixture {
    struct scratch scratch;
    struct ledger ledger;
    ggk_allocator mem;
    struct ggki_new_file file;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    scratch_make(&f->scratch);
    f->mem = ledger_allocator(&f->ledger);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(f->ledger.blocks, 0);
    scratch_remove(&f->scratch);
    free(f);
    return 0;
}

static void put(struct fixture *f, const char *name, const char *text)
{
    FILE *out = fopen(scratch_path(&f->scratch, name), "w");

    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void expect(struct fixture *f, const char *name, const char *text)
{
    char is[64] = "";
    FILE *in = fopen(scratch_path(&f->scratch, name), "r");

    if (text == NULL) {
        assert_null(in);
        return;
    }
    assert_non_null(in);
    assert_int_equal(fread(is, 1, sizeof is - 1, in), strlen(text));
    assert_string_equal(is, text);
    fclose(in);
}

/* As another program does it. */
static void replace(struct fixture *f, const char *name, const char *text)
{
    char from[512];

    put(f, "theirs", text);
    snprintf(from, sizeof from, "%s", f->scratch.path);
    assert_int_equal(rename(from, scratch_path(&f->scratch, name)), 0);
}

static void expect_alone(struct fixture *f, const char *name)
{
    DIR *dir = opendir(f->scratch.dir);
    const struct dirent *entry;

    assert_non_null(dir);
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): nobody else has `dir` */
    while ((entry = readdir(dir)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            assert_string_equal(entry->d_name, name);
    closedir(dir);
}

static void write_new(struct fixture *f, const char *name)
{
    ggk_error err;

    assert_int_equal(ggki_new_file_aim(&f->file,
                                       scratch_path(&f->scratch, name), NULL,
                                       0600, NULL, &f->mem, &err),
                     GGK_OK);
    assert_int_equal(ggki_new_file_make(&f->file, 3, &err), GGK_OK);
    assert_int_equal(ggki_new_file_write(&f->file, 0, "new", 3, &err), GGK_OK);
    assert_int_equal(ggki_new_file_sync(&f->file, &err), GGK_OK);
}

static void it_replaces_what_it_saw(void **state)
{
    struct fixture *f = *state;
    ggk_error err;

    for (int keep = 0; keep < 2; keep++) {
        put(f, "m", "old");
        put(f, ".m.ggk-old", "left by an ended run");
        write_new(f, "m");
        assert_int_equal(ggki_new_file_commit(&f->file, true, keep, &err),
                         GGK_OK);
        expect(f, "m", "new");
        assert_int_equal(ggki_new_file_settle(&f->file, &err), GGK_OK);
        expect_alone(f, "m");
        ggki_new_file_free(&f->file);
        expect(f, "m", "new");
    }
}

static void what_it_replaced_can_be_had_back(void **state)
{
    struct fixture *f = *state;
    ggk_error err;

    put(f, "m", "old");
    write_new(f, "m");
    assert_int_equal(ggki_new_file_commit(&f->file, true, true, &err), GGK_OK);
    ggki_new_file_undo(&f->file);
    ggki_new_file_free(&f->file);
    expect(f, "m", "old");
    expect_alone(f, "m");
}

static void it_replaces_nothing_else(void **state)
{
    struct fixture *f = *state;
    ggk_error err;

    put(f, "m", "old");
    write_new(f, "m");
    replace(f, "m", "theirs");
    assert_int_equal(ggki_new_file_commit(&f->file, true, false, &err),
                     GGK_E_CHANGED);
    expect(f, "m", "theirs");
    ggki_new_file_undo(&f->file);
    ggki_new_file_free(&f->file);
    expect(f, "m", "theirs");
    expect_alone(f, "m");
}

static void it_brings_nothing_back_that_was_removed(void **state)
{
    struct fixture *f = *state;
    ggk_error err;

    put(f, "m", "old");
    write_new(f, "m");
    assert_int_equal(unlink(scratch_path(&f->scratch, "m")), 0);
    assert_int_equal(ggki_new_file_commit(&f->file, true, false, &err),
                     GGK_E_CHANGED);
    ggki_new_file_undo(&f->file);
    ggki_new_file_free(&f->file);
    expect_alone(f, "nothing");
}

static void a_link_is_replaced_by_itself(void **state)
{
    struct fixture *f = *state;
    ggk_error err;

    put(f, "m", "old");
    assert_int_equal(symlink("m", scratch_path(&f->scratch, "link")), 0);
    write_new(f, "link");
    assert_int_equal(ggki_new_file_commit(&f->file, true, false, &err), GGK_OK);
    assert_int_equal(ggki_new_file_settle(&f->file, &err), GGK_OK);
    ggki_new_file_free(&f->file);
    expect(f, "m", "old");
    expect(f, "link", "new");
}

static void what_is_set_aside_is_what_it_saw(void **state)
{
    struct fixture *f = *state;
    ggk_error err;

    put(f, "m", "old");
    write_new(f, "m");
    replace(f, "m", "theirs");
    assert_int_equal(ggki_new_file_set_aside(&f->file, &err), GGK_E_CHANGED);
    ggki_new_file_undo(&f->file);
    ggki_new_file_free(&f->file);
    expect(f, "m", "theirs");
    expect_alone(f, "m");
}

/* One of many, whose lock ended: another writer may have begun anew. */
static void a_sealed_file_is_locked_again(void **state)
{
    struct fixture *f = *state;
    ggk_error err;
    int fd;

    for (int theirs = 0; theirs < 2; theirs++) {
        put(f, "m", "old");
        write_new(f, "m");
        ggki_new_file_seal(&f->file);
        fd = open(scratch_path(&f->scratch, ".m.ggk-tmp"), O_RDONLY);
        assert_true(fd >= 0);
        if (theirs)
            assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
        assert_int_equal(ggki_new_file_commit(&f->file, true, false, &err),
                         theirs ? GGK_E_LOCKED : GGK_OK);
        assert_int_equal(close(fd), 0);
        if (!theirs)
            assert_int_equal(ggki_new_file_settle(&f->file, &err), GGK_OK);
        ggki_new_file_free(&f->file);
        expect(f, "m", theirs ? "old" : "new");
    }
    expect_alone(f, "m");
}

static bool is_aside(struct fixture *f)
{
    bool aside;
    ggk_error err;

    assert_int_equal(ggki_new_file_aim(&f->file, scratch_path(&f->scratch, "m"),
                                       NULL, 0600, NULL, &f->mem, &err),
                     GGK_OK);
    assert_int_equal(ggki_new_file_is_aside(&f->file, &aside, &err), GGK_OK);
    return aside;
}

/* Only a run that did not get to the end has its temporary still. */
static void leftovers_are_no_interrupted_run(void **state)
{
    struct fixture *f = *state;

    put(f, ".m.ggk-old", "old");
    assert_false(is_aside(f));
    ggki_new_file_free(&f->file);
    put(f, ".m.ggk-tmp", "ne");
    assert_true(is_aside(f));
    ggki_new_file_free(&f->file);
    put(f, "m", "new");
    assert_false(is_aside(f));
    ggki_new_file_free(&f->file);
}

/* Ended between the second name of the new file and the exchange. */
static void a_second_name_of_the_new_file_is_not_the_old_one(void **state)
{
    struct fixture *f = *state;
    char temp[512];
    ggk_error err;

    put(f, "m", "old");
    put(f, ".m.ggk-tmp", "new");
    snprintf(temp, sizeof temp, "%s", f->scratch.path);
    assert_int_equal(link(temp, scratch_path(&f->scratch, ".m.ggk-old")), 0);
    assert_false(is_aside(f));
    assert_int_equal(ggki_new_file_recover(&f->file, &err), GGK_OK);
    ggki_new_file_free(&f->file);
    expect(f, "m", "old");
    expect(f, ".m.ggk-old", NULL);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(it_replaces_what_it_saw),
        CASE(what_it_replaced_can_be_had_back),
        CASE(it_replaces_nothing_else),
        CASE(it_brings_nothing_back_that_was_removed),
        CASE(a_link_is_replaced_by_itself),
        CASE(what_is_set_aside_is_what_it_saw),
        CASE(a_sealed_file_is_locked_again),
        CASE(leftovers_are_no_interrupted_run),
        CASE(a_second_name_of_the_new_file_is_not_the_old_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
