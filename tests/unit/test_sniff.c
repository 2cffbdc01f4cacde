/* test_sniff.c - what a file is that is no GGUF, in words. */
#include "kinds.h"

#include "format/reader.h"

/* The words for a file of which these are the bytes from byte 1000 on. */
static void expect_words(const struct bytes *b, const char *path,
                         const char *words)
{
    char what[512];

    ggki_sniff(b->at, b->n, 1000, path, what, sizeof what);
    if (strstr(what, words) == NULL) {
        print_error("wanted \"%s\", got \"%s\"\n", words, what);
        fail();
    }
    assert_true(strncmp(what, "no", 2) == 0);
    for (const char *p = what; *p != '\0'; p++)
        assert_in_range(*p, ' ', '~');
}

/* `text` and, after it, bytes that are neither text nor zeros. */
static void expect_begins(const char *text, size_t n, const char *words)
{
    struct bytes b = bytes_of(3, false);

    put_raw(&b, text, n);
    put_fill(&b, 0x07, 100);
    expect_words(&b, NULL, words);
    expect_words(&b, "model.gguf", words);
    bytes_free(&b);
}

static void known_beginnings_are_named(void **state)
{
    static const struct {
        const char *text;
        size_t n;
        const char *words;
    } cases[] = {
        {"version https://git-lfs.github.com/spec/v1\n", 43, "git lfs pull"},
        {"\x1f\x8b", 2, "gzip"},
        {"\x28\xb5\x2f\xfd", 4, "Zstandard"},
        {"\xfd"
         "7zXZ\0",
         6, "xz"},
        {"BZh9", 4, "bzip2"},
        {"7z\xbc\xaf\x27\x1c", 6, "7-Zip"},
        {"lmgg", 4, "ggml"},
        {"fmgg", 4, "ggmf"},
        {"tjgg", 4, "ggjt"},
        {"algg", 4, "LoRA"},
        {"\x93NUMPY", 6, "NumPy"},
        {"\x89HDF\r\n", 6, "HDF5"},
        {"\x7f"
         "ELF",
         4, "ELF"},
        {"%PDF", 4, "PDF"},
        {"PK\x03\x04", 4, "zip archive"},
        {"PK\x03\x04....archive/data.pkl", 24, "PyTorch checkpoint (zip)"},
        {"\x80\x02", 2, "pickle"},
        {"\x80\x05", 2, "pickle"},
        {"\x80\x01", 2, "begins 80 01 07 07"},
        {"\x80\x06", 2, "begins 80 06 07 07"},
        {"\x02\0\0\0\0\0\0\0{", 9, "safetensors"},
        {"\x00\xe1\xf5\x05\0\0\0\0{", 9, "safetensors"}, /* 10^8 */
        {"\x01\xe1\xf5\x05\0\0\0\0{", 9, "begins 01 e1 f5 05"},
        {"\x01\0\0\0\0\0\0\0{", 9, "begins 01 00 00 00"},
        {"\x02\0\0\0\0\0\0\0[", 9, "begins 02 00 00 00"},
        {"<!DOCTYPE html>", 15, "HTML"},
        {"<html>", 6, "HTML"},
        {"<HTML>", 6, "HTML"},
        {"<?xml", 5, "HTML"},
        {"\xef\xbb\xbf \r\n\t<!doctype", 16, "HTML"},
        {"<a>", 3, "begins 3c 61 3e 07"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_begins(cases[i].text, cases[i].n, cases[i].words);
}

static void texts_and_zeros_are_named(void **state)
{
    static const struct {
        const char *text;
        size_t n;
        const char *words;
    } cases[] = {
        {"{\"error\":\"not found\"}", 21, "JSON"},
        {"Entry not found\r\n\t", 18, "text, perhaps"},
        {"gr\xc3\xbc\xc3\x9f", 6, "text, perhaps"},
        {"\0\0\0\0\0\0\0\0\0", 9, "all zeros"},
        {"\0", 1, "all zeros"},
        {"<", 1, "text, perhaps"},
        {" ", 1, "text, perhaps"},
        {"X", 1, "text, perhaps"},
        {"\x01", 1, "begins 01 00 00 00"},
        {"\x01\x02", 2, "begins 01 02 00 00"},
        {"\x01\x02\x03", 3, "begins 01 02 03 00"},
        {"\x1f", 1, "begins 1f"},
        {"\x80\x02", 2, "begins 80 02"},
        {"\x02\0\0\0\0\0\0\0", 8, "begins 02"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_of(3, false);
        put_raw(&b, cases[i].text, cases[i].n);
        expect_words(&b, NULL, cases[i].words);
        bytes_free(&b);
    }
}

/* As in a llamafile, or after a proxy's header. */
static void a_gguf_inside_is_found(void **state)
{
    static const struct {
        uint32_t version;
        bool big, found;
    } cases[] = {{1, false, true}, {2, false, true},  {3, false, true},
                 {3, true, true},  {0, false, false}, {4, false, false},
                 {2, true, false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_of(cases[i].version, cases[i].big);
        put_raw(&b,
                "\x7f"
                "ELF",
                4);
        put_fill(&b, 7, 4000);
        put_raw(&b, "GGUF....GGUF", 8); /* one that is none */
        put_header(&b, 0, 0);
        put_fill(&b, 7, 16);
        expect_words(&b, NULL, cases[i].found ? "at offset 5012" : "ELF");
        bytes_free(&b);
    }
}

static void a_gguf_inside_needs_its_header(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_u8(&b, 7);
    put_header(&b, 0, 0);
    expect_words(&b, NULL, "at offset 1001");
    b.n--;
    expect_words(&b, NULL, "begins 07");
    bytes_free(&b);
}

static void pieces_of_cut_files_are_known_by_name(void **state)
{
    static const struct {
        const char *path;
        bool cut;
    } cases[] = {
        {"model.gguf.part1of2", true},
        {"folder/model.Q8_0.gguf.part2of2", true},
        {"model-split-a", true},
        {"model-split-ab", true},
        {"folder/model-split-b", true},
        {"model.gguf.aa", true},
        {"model.gguf.zz", true},
        {"model.gguf", false},
        {"model.gguf.part", false},
        {"model.partial.gguf", false},
        {"model-split-", false},
        {"model-split-A", false},
        {"model-split-abc", false},
        {"model-split-a.gguf", false},
        {"model.gguf.a", false},
        {"model.gguf.a1", false},
        {"model.gguf.1a", false},
        {"model.gguf.AA", false},
        {"model.gguf.a~", false},
        {"model.gguf.aaa", false},
        {"a.gguf", false},
        {"", false},
        /* What the folder is called says nothing. */
        {"model.part1/model.gguf", false},
        {"model.gguf.part1of2/", false},
        {"my-split-a/model.gguf", false},
        {"x.part1/model-split-a", true},
        /* Not the first of its kind in the name. */
        {"a.party.gguf.part2of3", true},
        {"x-split-model-split-a", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_of(3, false);

        if (ggki_is_cut_name(cases[i].path) != cases[i].cut) {
            print_error("%s\n", cases[i].path);
            fail();
        }
        put_fill(&b, 7, 10);
        expect_words(&b, cases[i].path,
                     cases[i].cut ? "later piece" : "begins 07");
        bytes_free(&b);
    }
}

/* The sentence of a failure to open, and what an open model says. */
static void opening_tells_what_it_is(void **state)
{
    struct bytes b = bytes_of(3, false);
    struct scratch s;
    ggk_model *model;
    ggk_file file;
    ggk_error err;

    (void)state;
    scratch_make(&s);
    put_raw(&b, "<html>", 6);
    scratch_write(&s, "page.gguf", &b);
    assert_int_equal(ggk_model_open(s.path, NULL, &model, &err), GGK_E_MAGIC);
    assert_non_null(strstr(err.what, "HTML"));
    scratch_write(&s, "model.gguf.part2of2", &b);
    assert_int_equal(ggk_model_open(s.path, NULL, &model, &err), GGK_E_MAGIC);
    assert_non_null(strstr(err.what, "join the pieces"));
    bytes_free(&b);

    put_header(&b, 0, 0);
    for (int cut = 0; cut < 2; cut++) {
        scratch_write(&s, cut ? "model.gguf.part1of2" : "model.gguf", &b);
        assert_int_equal(ggk_model_open(s.path, NULL, &model, &err), GGK_OK);
        assert_int_equal(ggk_model_file(model, 0, &file, NULL), GGK_OK);
        assert_int_equal(file.looks_cut, cut);
        assert_string_equal(file.path, s.path);
        ggk_model_close(model);
    }
    model = open_bytes(&b);
    assert_int_equal(ggk_model_file(model, 0, &file, NULL), GGK_OK);
    assert_null(file.path);
    assert_false(file.looks_cut);
    ggk_model_close(model);
    bytes_free(&b);
    scratch_remove(&s);
}

/* Sentences are cut, not written past their room. */
static void sentences_are_cut(void **state)
{
    char what[16];

    (void)state;
    memset(what, 'x', sizeof what);
    ggki_sniff((const uint8_t *)"<html>", 6, 0, NULL, what, 8);
    assert_string_equal(what, "not a G");
    assert_int_equal(what[8], 'x');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_beginnings_are_named),
        cmocka_unit_test(texts_and_zeros_are_named),
        cmocka_unit_test(a_gguf_inside_is_found),
        cmocka_unit_test(a_gguf_inside_needs_its_header),
        cmocka_unit_test(pieces_of_cut_files_are_known_by_name),
        cmocka_unit_test(opening_tells_what_it_is),
        cmocka_unit_test(sentences_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
