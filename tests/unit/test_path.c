/* test_path.c - the two parts of a path. */
#include "ledger.h"
#include "scratch.h"

#include "base/mem.h"
#include "io/path.h"

static void base_names_follow_the_last_slash(void **state)
{
    (void)state;
    assert_string_equal(ggki_base_name("m.gguf"), "m.gguf");
    assert_string_equal(ggki_base_name("/a/b.c/m.gguf"), "m.gguf");
    assert_string_equal(ggki_base_name("a/"), "");
}

static void folders_can_be_opened(void **state)
{
    static const struct {
        const char *path, *folder;
    } cases[] = {
        {"m.gguf", "."}, {"", "."},         {"a/m.gguf", "a"}, {"a/b/m", "a/b"},
        {"a//m", "a"},   {"/m.gguf", "/"},  {"//m.gguf", "/"}, {"../m", ".."},
        {"a/", "a"},     {"/a/b/", "/a/b"}, {"/", "/"},
    };
    struct ledger ledger = {0};
    ggk_allocator mem = ledger_allocator(&ledger);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *folder = ggki_folder_name(&mem, cases[i].path);

        assert_string_equal(folder, cases[i].folder);
        ggki_mem_release(&mem, folder, strlen(folder) + 1);
    }
    assert_int_equal(ledger.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_names_follow_the_last_slash),
        cmocka_unit_test(folders_can_be_opened),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
