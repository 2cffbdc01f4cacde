/* test_split.c - models of several files: sets, folders, and what is wrong with
 * them. */
#include "kinds.h"
#include "ledger.h"
#include "sample.h"

#include <errno.h>
#include <time.h>

#include "model/model.h"

/* ------------------------------------------------------------------ shards */

static void put_integer(struct bytes *b, const char *key, uint32_t type,
                        uint64_t value)
{
    static const size_t widths[] = {1, 1, 2, 2, 4, 4, 0, 1, 0, 0, 8, 8, 0};

    put_key(b, key, type);
    put_uint(b, value, widths[type]);
}

/* Tensors "t<no>.0", "t<no>.1", ..., each of 32 bytes of value `no`. */
static void put_shard_tensors(struct bytes *b, unsigned no, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "t%u.%u", no, i);
        put_info(b, name, 1, (uint64_t[]){32}, T_I8, i * 32);
    }
    put_padding(b, 32);
    put_fill(b, (uint8_t)no, (size_t)n * 32);
}

/* Shard `no` (from 0) of `count`, with `n` tensors. Its split.no is kv[0] and
 * its split.count kv[1]. */
static struct bytes make_shard(unsigned no, unsigned count, unsigned n)
{
    struct bytes b = bytes_of(3, false);

    put_header(&b, n, no == 0 ? 4 : 3);
    put_integer(&b, "split.no", V_U16, no);
    put_integer(&b, "split.count", V_U16, count);
    put_integer(&b, "split.tensors.count", V_I32, 0);
    if (no == 0)
        put_kv_str(&b, "general.architecture", "llama");
    put_shard_tensors(&b, no, n);
    return b;
}

static const char *shard_path(struct scratch *s, const char *prefix,
                              unsigned no, unsigned count)
{
    char name[300];
    snprintf(name, sizeof name, "%s-%05u-of-%05u.gguf", prefix, no + 1, count);
    return scratch_path(s, name);
}

static void write_shard(struct scratch *s, const char *prefix, unsigned no,
                        unsigned count, struct bytes b)
{
    const char *path = shard_path(s, prefix, no, count);
    char name[300];

    snprintf(name, sizeof name, "%s", strrchr(path, '/') + 1);
    scratch_write(s, name, &b);
    bytes_free(&b);
}

/* "m", three shards of 2, 1 and 3 tensors. */
static void write_set(struct scratch *s)
{
    static const unsigned n[] = {2, 1, 3};

    scratch_make(s);
    for (unsigned no = 0; no < 3; no++)
        write_shard(s, "m", no, 3, make_shard(no, 3, n[no]));
}

static void expect_set_fails(const char *name, const char *path,
                             const struct failure *wanted, const char *file)
{
    ggk_error err = error_canary();
    ggk_model *model = (ggk_model *)&err;

    expect_failure(name, ggk_model_open(path, NULL, &model, &err), &err,
                   wanted);
    assert_null(model);
    assert_string_equal(err.file, file);
    assert_int_equal(ggk_model_open(path, NULL, &model, NULL), wanted->status);
    assert_null(model);
}

/* ----------------------------------------------------------- sets that open */

static void expect_whole_set(struct scratch *s, const ggk_model *model)
{
    static const unsigned shard_of[] = {0, 0, 1, 2, 2, 2};
    uint64_t first = 0;
    ggk_str arch;

    assert_int_equal(ggk_model_n_files(model), 3);
    assert_int_equal(ggk_model_n_tensors(model), 6);
    assert_int_equal(ggk_model_n_dup_tensors(model), 0);
    assert_int_equal(ggk_model_n_kv(model), 4); /* those of the first */
    assert_int_equal(
        ggk_model_get_str(model, ggk_cstr("general.architecture"), &arch, NULL),
        GGK_OK);
    for (uint32_t i = 0; i < 3; i++) {
        ggk_file file;
        assert_int_equal(ggk_model_file(model, i, &file, NULL), GGK_OK);
        assert_int_equal(file.first_tensor, first);
        first += file.n_tensors;
        assert_string_equal(file.path, shard_path(s, "m", i, 3));
        assert_int_equal(file.n_tensors, i == 0 ? 2 : i == 1 ? 1 : 3);
        assert_int_equal(file.n_kv, i == 0 ? 4 : 3);
        assert_true(file.first_missing == GGK_NONE);
    }
    for (uint64_t i = 0; i < 6; i++) {
        uint8_t buf[32], expected[32];
        uint64_t found;
        ggk_tensor t;

        assert_int_equal(ggk_model_tensor(model, i, &t, NULL), GGK_OK);
        assert_int_equal(t.file, shard_of[i]);
        assert_int_equal(t.name.ptr[1], '0' + (int)shard_of[i]);
        assert_int_equal(ggk_model_find_tensor(model, t.name, &found, NULL),
                         GGK_OK);
        assert_int_equal(found, i);
        memset(expected, (int)shard_of[i], 32);
        assert_int_equal(ggk_model_read_tensor(model, i, 0, buf, 32, NULL),
                         GGK_OK);
        assert_memory_equal(buf, expected, 32);
    }
}

static void any_shard_opens_all(void **state)
{
    struct scratch s;

    (void)state;
    write_set(&s);
    for (unsigned no = 0; no < 3; no++) {
        ggk_error err = error_canary();
        ggk_model *model;

        assert_int_equal(
            ggk_model_open(shard_path(&s, "m", no, 3), NULL, &model, &err),
            GGK_OK);
        expect_untouched(&err);
        expect_whole_set(&s, model);
        ggk_model_close(model);
    }
    scratch_remove(&s);
}

/* As the program opens files: each by a map. */
static ggk_status open_mapped(void *ctx, const char *path, ggk_source **out,
                              ggk_error *err)
{
    ++*(int *)ctx;
    return ggk_source_open_map(path, NULL, out, err);
}

static void shards_are_opened_by_the_callers_function(void **state)
{
    struct scratch s;
    ggk_open_opts opts = no_opts();
    ggk_model *model;
    int n = 0;

    (void)state;
    write_set(&s);
    opts.open_source = open_mapped;
    opts.open_ctx = &n;
    assert_int_equal(
        ggk_model_open(shard_path(&s, "m", 1, 3), &opts, &model, NULL), GGK_OK);
    assert_int_equal(n, 3);
    expect_whole_set(&s, model);
    ggk_model_close(model);
    scratch_remove(&s);
}

static void one_shard_can_be_opened_alone(void **state)
{
    struct scratch s;
    ggk_open_opts opts = no_opts();
    ggk_source *source;
    ggk_model *model;

    (void)state;
    write_set(&s);
    opts.flags = GGK_OPEN_SINGLE;
    for (unsigned no = 0; no < 3; no++) {
        assert_int_equal(
            ggk_model_open(shard_path(&s, "m", no, 3), &opts, &model, NULL),
            GGK_OK);
        assert_int_equal(ggk_model_n_files(model), 1);
        assert_int_equal(ggk_model_n_kv(model), no == 0 ? 4 : 3);
        ggk_model_close(model);
        /* A source has no name to find the others by. */
        assert_int_equal(ggk_source_open_file(s.path, NULL, &source, NULL),
                         GGK_OK);
        assert_int_equal(ggk_model_open_source(source, NULL, &model, NULL),
                         GGK_OK);
        assert_int_equal(ggk_model_n_files(model), 1);
        ggk_model_close(model);
    }
    scratch_remove(&s);
}

/* The first shard has keys alone, and a later one nothing but its own. */
static void shards_may_hold_no_tensors(void **state)
{
    struct scratch s;
    ggk_model *model;
    ggk_tensor t;

    (void)state;
    scratch_make(&s);
    write_shard(&s, "m", 0, 4, make_shard(0, 4, 0));
    write_shard(&s, "m", 1, 4, make_shard(1, 4, 1));
    write_shard(&s, "m", 2, 4, make_shard(2, 4, 0));
    write_shard(&s, "m", 3, 4, make_shard(3, 4, 2));
    assert_int_equal(
        ggk_model_open(shard_path(&s, "m", 2, 4), NULL, &model, NULL), GGK_OK);
    assert_int_equal(ggk_model_n_files(model), 4);
    assert_int_equal(ggk_model_n_tensors(model), 3);
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(ggk_model_tensor(model, i, &t, NULL), GGK_OK);
        assert_int_equal(t.file, i == 0 ? 1 : 3);
        assert_int_equal(t.name.ptr[1], i == 0 ? '1' : '3');
        assert_int_equal(t.name.ptr[3], i == 2 ? '1' : '0');
    }
    ggk_model_close(model);
    scratch_remove(&s);
}

/* Each shard is a file of its own, whatever the others are. */
static void shards_may_differ_in_form(void **state)
{
    struct scratch s;
    struct bytes b = bytes_of(3, true);
    ggk_model *model;
    ggk_file file;
    uint8_t byte;

    (void)state;
    scratch_make(&s);
    write_shard(&s, "m", 0, 3, make_shard(0, 3, 1));
    put_header(&b, 1, 2);
    put_integer(&b, "split.no", V_U16, 1);
    put_integer(&b, "split.count", V_U16, 3);
    put_shard_tensors(&b, 1, 1);
    write_shard(&s, "m", 1, 3, b);
    b = bytes_of(1, false);
    put_header(&b, 1, 3);
    put_integer(&b, "split.no", V_U16, 2);
    put_integer(&b, "split.count", V_U16, 3);
    put_integer(&b, "general.alignment", V_U32, 4096);
    put_info(&b, "t2.0", 1, (uint64_t[]){32}, T_I8, 0);
    put_padding(&b, 4096);
    put_fill(&b, 2, 32);
    write_shard(&s, "m", 2, 3, b);
    assert_int_equal(
        ggk_model_open(shard_path(&s, "m", 1, 3), NULL, &model, NULL), GGK_OK);
    assert_int_equal(ggk_model_file(model, 1, &file, NULL), GGK_OK);
    assert_true(file.big_endian);
    assert_int_equal(ggk_model_file(model, 2, &file, NULL), GGK_OK);
    assert_int_equal(file.version, 1);
    assert_int_equal(file.data_off, 4096);
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(ggk_model_read_tensor(model, i, 31, &byte, 1, NULL),
                         GGK_OK);
        assert_int_equal(byte, i);
    }
    ggk_model_close(model);
    scratch_remove(&s);
}

static void names_repeat_across_shards(void **state)
{
    struct scratch s;
    struct bytes b = make_shard(1, 2, 1);
    ggk_model *model;
    uint64_t at;

    (void)state;
    scratch_make(&s);
    write_shard(&s, "m", 0, 2, make_shard(0, 2, 2));
    for (size_t i = 0; i + 4 < b.n; i++)
        if (memcmp(b.at + i, "t1.0", 4) == 0)
            b.at[i + 1] = '0';
    write_shard(&s, "m", 1, 2, b);
    assert_int_equal(
        ggk_model_open(shard_path(&s, "m", 1, 2), NULL, &model, NULL), GGK_OK);
    assert_int_equal(ggk_model_n_dup_tensors(model), 1);
    assert_int_equal(ggk_model_find_tensor(model, ggk_cstr("t0.0"), &at, NULL),
                     GGK_E_DUPLICATE);
    assert_int_equal(at, 0);
    assert_int_equal(ggk_model_find_tensor(model, ggk_cstr("t0.1"), &at, NULL),
                     GGK_OK);
    ggk_model_close(model);
    scratch_remove(&s);
}

/* What is missing is told for the file, as an index of the model. */
static void missing_data_is_told_for_its_shard(void **state)
{
    static const struct failure wanted = {GGK_E_DATA_MISSING, 224, "", 32, 10};
    struct scratch s;
    struct bytes b = make_shard(1, 2, 3);
    ggk_model *model;
    ggk_file file;
    ggk_error err;
    uint8_t buf[32];

    (void)state;
    scratch_make(&s);
    write_shard(&s, "m", 0, 2, make_shard(0, 2, 2));
    b.n -= 22;
    write_shard(&s, "m", 1, 2, b);
    for (unsigned no = 0; no < 2; no++) {
        struct failure here = wanted;
        ggk_tensor t;

        assert_int_equal(
            ggk_model_open(shard_path(&s, "m", no, 2), NULL, &model, NULL),
            GGK_OK);
        assert_int_equal(ggk_model_file(model, 0, &file, NULL), GGK_OK);
        assert_true(file.first_missing == GGK_NONE);
        assert_int_equal(ggk_model_file(model, 1, &file, NULL), GGK_OK);
        assert_int_equal(file.first_missing, 4);
        assert_int_equal(ggk_model_tensor(model, 4, &t, NULL), GGK_OK);
        here.offset = t.data_off;
        expect_failure("missing",
                       ggk_model_read_tensor(model, 4, 0, buf, 32, &err), &err,
                       &here);
        /* The shard is named unless it is the one that was asked for. */
        assert_string_equal(err.file, no == 0 ? "m-00002-of-00002.gguf" : "");
        assert_int_equal(ggk_model_read_tensor(model, 4, 0, buf, 32, NULL),
                         GGK_E_DATA_MISSING);
        ggk_model_close(model);
    }
    scratch_remove(&s);
}

/* -------------------------------------------------------------------- keys */

struct spelling {
    const char *count, *no;
};

/* A file that says by keys of that spelling and type what it is. */
static struct bytes make_spelled(const struct spelling *spelling, uint32_t type,
                                 unsigned no, unsigned count)
{
    struct bytes b = bytes_of(3, false);

    put_header(&b, 1, 3);
    put_kv_str(&b, "general.architecture", "qwen-2");
    put_integer(&b, spelling->count, type, count);
    put_integer(&b, spelling->no, type, no);
    put_shard_tensors(&b, no, 1);
    return b;
}

static void keys_may_be_of_any_spelling_and_integer(void **state)
{
    static const struct spelling spellings[] = {
        {"split.count", "split.no"},
        {"general.split_count", "general.split"},
        {"qwen-2.split.count", "qwen-2.split.no"},
        {"general.split_count", "split.no"},
    };
    static const uint32_t types[] = {V_U8,  V_I8,  V_U16, V_I16,
                                     V_U32, V_I32, V_U64, V_I64};

    (void)state;
    for (size_t i = 0; i < 4 * 8; i++) {
        struct scratch s;
        ggk_model *model;

        scratch_make(&s);
        for (unsigned no = 0; no < 2; no++)
            write_shard(&s, "m", no, 2,
                        make_spelled(&spellings[i / 8], types[i % 8], no, 2));
        assert_int_equal(
            ggk_model_open(shard_path(&s, "m", 1, 2), NULL, &model, NULL),
            GGK_OK);
        assert_int_equal(ggk_model_n_files(model), 2);
        assert_int_equal(ggk_model_n_tensors(model), 2);
        ggk_model_close(model);
        scratch_remove(&s);
    }
}

/* A key that is no integer is passed over for the next spelling. */
static void keys_of_other_types_do_not_count(void **state)
{
    static const uint32_t types[] = {V_F32, V_BOOL, V_STR, V_ARR, V_F64};
    static const size_t widths[] = {4, 1, 8, 0, 8};

    (void)state;
    for (size_t i = 0; i < 5 * 2; i++) {
        struct scratch s;
        struct bytes b = bytes_of(3, false);
        bool spelled_again = i % 2 != 0;
        const struct failure wanted = {GGK_E_SPLIT_MISSING, GGK_NO_OFFSET, "",
                                       0, 0};
        ggk_model *model;

        scratch_make(&s);
        put_header(&b, 0, spelled_again ? 2 : 1);
        put_key(&b, "split.count", types[i / 2]);
        if (types[i / 2] == V_ARR) {
            put_array(&b, V_U16, 1);
            put_u16(&b, 2);
        }
        put_uint(&b, 0, widths[i / 2]);
        if (spelled_again)
            put_integer(&b, "general.split_count", V_U32, 2);
        write_shard(&s, "m", 0, 2, b);
        if (spelled_again) {
            expect_set_fails("other type", shard_path(&s, "m", 0, 2), &wanted,
                             "");
        } else {
            assert_int_equal(
                ggk_model_open(shard_path(&s, "m", 0, 2), NULL, &model, NULL),
                GGK_OK);
            ggk_model_close(model);
        }
        scratch_remove(&s);
    }
}

/* Architectures that cannot be part of a key, and none at all. */
static void odd_architectures_are_no_prefix(void **state)
{
    static const char long_name[] =
        "0123456789012345678901234567890123456789012345678901234567890123x";

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct scratch s;
        struct bytes b = bytes_of(3, false);
        char key[96];
        ggk_model *model;

        scratch_make(&s);
        snprintf(key, sizeof key, "%s.split.count", i == 0 ? long_name : "x");
        put_header(&b, 0, 2);
        put_integer(&b, key, V_U16, 2);
        if (i == 0)
            put_kv_str(&b, "general.architecture", long_name);
        else if (i == 1)
            put_kv_u32(&b, "general.architecture", 7);
        else
            put_kv_u32(&b, "general.name", 7);
        write_shard(&s, "m", 0, 2, b);
        assert_int_equal(
            ggk_model_open(shard_path(&s, "m", 0, 2), NULL, &model, NULL),
            GGK_OK);
        assert_int_equal(ggk_model_n_files(model), 1);
        ggk_model_close(model);
        scratch_remove(&s);
    }
}

/* A count of one, of none, and a name alone make no set. */
static void counts_up_to_one_are_no_set(void **state)
{
    (void)state;
    for (unsigned count = 0; count < 3; count++) {
        struct scratch s;
        struct bytes b =
            count < 2 ? make_shard(0, count, 1) : bytes_features(3, false);
        ggk_model *model;

        scratch_make(&s);
        write_shard(&s, "m", 0, 3, b);
        assert_int_equal(
            ggk_model_open(shard_path(&s, "m", 0, 3), NULL, &model, NULL),
            GGK_OK);
        assert_int_equal(ggk_model_n_files(model), 1);
        ggk_model_close(model);
        scratch_remove(&s);
    }
}

/* ------------------------------------------------------------------- names */

static void names_of_shards_are_exact(void **state)
{
    static const struct {
        const char *path;
        uint32_t number, count; /* 0: no shard's name */
        size_t prefix;
    } cases[] = {
        {"m-00001-of-00003.gguf", 1, 3, 1},
        {"a/b/m-00003-of-00003.gguf", 3, 3, 5},
        {"-00002-of-00002.gguf", 2, 2, 0},
        {"m-99999-of-99999.gguf", 99999, 99999, 1},
        {"m-00001-of-00001.gguf", 1, 1, 1},
        {"m-00000-of-00003.gguf", 0, 0, 0},
        {"m-00004-of-00003.gguf", 0, 0, 0},
        {"m-00001-of-00000.gguf", 0, 0, 0},
        {"m-0001-of-00003.gguf", 0, 0, 0},
        {"m-00001-of-0003.gguf", 0, 0, 0},
        {"m-00001-of-00003.GGUF", 0, 0, 0},
        {"m-00001-of-00003.gguf.part", 0, 0, 0},
        {"m-00001-OF-00003.gguf", 0, 0, 0},
        {"m_00001-of-00003.gguf", 0, 0, 0},
        {"m-0000x-of-00003.gguf", 0, 0, 0},
        {"m-0000/-of-00003.gguf", 0, 0, 0},
        {"m-0000:-of-00003.gguf", 0, 0, 0},
        {"m-00001-of-0000+.gguf", 0, 0, 0},
        {"00001-of-00003.gguf", 0, 0, 0},
        {"m.gguf", 0, 0, 0},
        {"", 0, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ggki_shard_name name;
        char path[64];

        assert_int_equal(ggki_shard_name_parse(cases[i].path, &name),
                         cases[i].number != 0);
        if (cases[i].number == 0)
            continue;
        assert_int_equal(name.number, cases[i].number);
        assert_int_equal(name.count, cases[i].count);
        assert_int_equal(name.prefix_len, cases[i].prefix);
        memset(path, 'x', sizeof path);
        ggki_shard_name_format(path, cases[i].path, &name);
        assert_string_equal(path, cases[i].path);
    }
}

/* ----------------------------------------------------------- missing shards */

static void missing_shards_are_named(void **state)
{
    static const struct failure wanted = {GGK_E_SPLIT_MISSING, GGK_NO_OFFSET,
                                          "", 0, 0};
    static const struct {
        const char *missing; /* which of six */
        unsigned asked;
        const char *words;
    } cases[] = {
        {"000010", 0,
         "1 of the set's 6 shards is missing: "
         "m-00005-of-00006.gguf"},
        {"100000", 5,
         "1 of the set's 6 shards is missing: "
         "m-00001-of-00006.gguf"},
        {"010100", 2,
         "2 of the set's 6 shards are missing: "
         "m-00002-of-00006.gguf, m-00004-of-00006.gguf"},
        {"111011", 3,
         "5 of the set's 6 shards are missing: "
         "m-00001-of-00006.gguf, m-00002-of-00006.gguf, "
         "m-00003-of-00006.gguf, ..."},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scratch s;
        ggk_model *model;
        ggk_error err;

        scratch_make(&s);
        for (unsigned no = 0; no < 6; no++)
            if (cases[i].missing[no] == '0')
                write_shard(&s, "m", no, 6, make_shard(no, 6, 1));
        shard_path(&s, "m", cases[i].asked, 6);
        expect_set_fails("missing", s.path, &wanted, "");
        assert_int_equal(ggk_model_open(s.path, NULL, &model, &err),
                         GGK_E_SPLIT_MISSING);
        assert_string_equal(err.what, cases[i].words);
        scratch_remove(&s);
    }
}

/* However long a name is, the number at its end can be read. */
static void long_names_keep_their_number(void **state)
{
    struct scratch s;
    char prefix[221];
    ggk_model *model;
    ggk_error err;

    (void)state;
    scratch_make(&s);
    memset(prefix, 'p', 220);
    prefix[220] = '\0';
    write_shard(&s, prefix, 1, 5, make_shard(1, 5, 1));
    assert_int_equal(
        ggk_model_open(shard_path(&s, prefix, 1, 5), NULL, &model, &err),
        GGK_E_SPLIT_MISSING);
    assert_non_null(strstr(err.what, "p-00001-of-00005.gguf, "));
    assert_non_null(strstr(err.what, "p-00003-of-00005.gguf, "));
    assert_non_null(strstr(err.what, "p-00004-of-00005.gguf, ..."));
    scratch_remove(&s);
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) +
           (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void huge_sets_answer_fast(void **state)
{
    static const unsigned counts[] = {65536, 99999};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        unsigned count = counts[i % 2], no = i < 2 ? 0 : count - 1;
        struct bytes b = bytes_of(3, false);
        struct scratch s;
        struct timespec start;
        ggk_model *model;
        ggk_error err;

        scratch_make(&s);
        put_header(&b, 0, 2);
        put_integer(&b, "split.no", V_U32, no);
        put_integer(&b, "split.count", V_U32, count);
        write_shard(&s, "m", no, count, b);
        clock_gettime(CLOCK_MONOTONIC, &start);
        assert_int_equal(
            ggk_model_open(shard_path(&s, "m", no, count), NULL, &model, &err),
            GGK_E_SPLIT_MISSING);
        assert_true(seconds_since(&start) < 1);
        assert_non_null(strstr(err.what, "99 or more"));
        scratch_remove(&s);
    }
}

/* ----------------------------------------------------------- contradictions */

/* kv[0] is at 24; its value after a key of 8 bytes and the type. */
enum { NO_VALUE = 24 + 8 + 8 + 4, COUNT_VALUE = NO_VALUE + 2 + 8 + 11 + 4 };

static void shards_that_contradict_are_named(void **state)
{
    static const struct {
        unsigned no, count;
        struct failure wanted;
    } cases[] = {
        {1, 4, {GGK_E_SPLIT, COUNT_VALUE, "kv[1].value", 4, 3}},
        {1, 1, {GGK_E_SPLIT, COUNT_VALUE, "kv[1].value", 1, 3}},
        {0, 3, {GGK_E_SPLIT, NO_VALUE, "kv[0].value", 0, 1}},
        {2, 3, {GGK_E_SPLIT, NO_VALUE, "kv[0].value", 2, 1}},
        {65535, 3, {GGK_E_SPLIT, NO_VALUE, "kv[0].value", 65535, 1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scratch s;
        write_set(&s);
        write_shard(&s, "m", 1, 3, make_shard(cases[i].no, cases[i].count, 1));
        expect_set_fails("from the first", shard_path(&s, "m", 0, 3),
                         &cases[i].wanted, "m-00002-of-00003.gguf");
        expect_set_fails("from the last", shard_path(&s, "m", 2, 3),
                         &cases[i].wanted, "m-00002-of-00003.gguf");
        if (cases[i].count > 1) /* it is the one that was asked for */
            expect_set_fails("from itself", shard_path(&s, "m", 1, 3),
                             &cases[i].wanted, "");
        scratch_remove(&s);
    }
}

/* Among many files, of which not all are looked at, and with names as long as
 * any; also where nobody wants to know. */
static void misnamed_shards_are_found(void **state)
{
    char name[256];
    ggk_model *model;
    ggk_error err;
    struct scratch s;
    struct bytes b;

    (void)state;
    write_set(&s);
    b = make_shard(1, 3, 1);
    assert_int_equal(unlink(shard_path(&s, "m", 1, 3)), 0);
    memset(name, 'n', sizeof name);
    memcpy(name + 250, ".gguf", 6);
    scratch_write(&s, name, &b);
    assert_int_equal(
        ggk_model_open(shard_path(&s, "m", 0, 3), NULL, &model, &err),
        GGK_E_SPLIT_MISSING);
    assert_non_null(strstr(err.what, "nnn.gguf is shard 2 by its keys: rename "
                                     "it to m-00002-of-00003.gguf"));
    assert_int_equal(
        ggk_model_open(shard_path(&s, "m", 0, 3), NULL, &model, NULL),
        GGK_E_SPLIT_MISSING);
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "f-%d.gguf", i);
        scratch_write(&s, name, &b);
    }
    assert_int_equal(
        ggk_model_open(shard_path(&s, "m", 0, 3), NULL, &model, &err),
        GGK_E_SPLIT_MISSING);
    assert_non_null(strstr(err.what, " is shard 2 by its keys"));
    bytes_free(&b);
    scratch_remove(&s);
}

static void shards_without_a_count_are_named(void **state)
{
    static const struct failure wanted = {GGK_E_SPLIT, GGK_NO_OFFSET, "", 0, 0};
    struct scratch s;

    (void)state;
    write_set(&s);
    write_shard(&s, "m", 2, 3, bytes_features(3, false));
    expect_set_fails("no count", shard_path(&s, "m", 0, 3), &wanted,
                     "m-00003-of-00003.gguf");
    scratch_remove(&s);
}

/* A number that does not fit the name it is under, or that no name can have. */
static void names_that_contradict_are_refused(void **state)
{
    struct failure wanted = {GGK_E_SPLIT, COUNT_VALUE, "kv[1].value", 3, 0};
    struct scratch s;
    struct bytes b = make_shard(0, 3, 1);

    (void)state;
    scratch_make(&s);
    scratch_write(&s, "model.gguf", &b);
    expect_set_fails("renamed", s.path, &wanted, "");
    scratch_write(&s, "m-00001-of-0003.gguf", &b);
    expect_set_fails("four digits", s.path, &wanted, "");
    bytes_free(&b);
    scratch_remove(&s);

    scratch_make(&s);
    b = bytes_of(3, false);
    put_header(&b, 0, 1);
    put_integer(&b, "split.count", V_I64, UINT64_MAX);
    write_shard(&s, "m", 0, 2, b);
    wanted = (struct failure){GGK_E_SPLIT, 24 + 8 + 11 + 4, "kv[0].value",
                              UINT64_MAX, 2};
    expect_set_fails("negative", shard_path(&s, "m", 0, 2), &wanted, "");
    scratch_remove(&s);
}

/* ----------------------------------------------------------- broken shards */

static void broken_shards_are_named(void **state)
{
    static const struct failure cut = {GGK_E_TRUNCATED, 8, "header.n_tensors",
                                       8, 2};
    static const struct failure page = {GGK_E_MAGIC, 0, "header.magic", 4, 4};
    struct scratch s;
    struct bytes b = bytes_of(3, false);

    (void)state;
    write_set(&s);
    put_magic(&b);
    put_u16(&b, 0);
    write_shard(&s, "m", 1, 3, b);
    expect_set_fails("cut", shard_path(&s, "m", 0, 3), &cut,
                     "m-00002-of-00003.gguf");
    expect_set_fails("cut", shard_path(&s, "m", 2, 3), &cut,
                     "m-00002-of-00003.gguf");
    expect_set_fails("cut", shard_path(&s, "m", 1, 3), &cut, "");
    b = bytes_of(3, false);
    put_raw(&b, "<html>", 6);
    write_shard(&s, "m", 1, 3, b);
    expect_set_fails("page", shard_path(&s, "m", 0, 3), &page,
                     "m-00002-of-00003.gguf");
    scratch_remove(&s);
}

static void shards_that_are_no_files_are_named(void **state)
{
    static const struct failure wanted = {GGK_E_IO, GGK_NO_OFFSET, "", 0, 0};
    struct scratch s;
    ggk_model *model;
    ggk_error err;

    (void)state;
    write_set(&s);
    assert_int_equal(unlink(shard_path(&s, "m", 1, 3)), 0);
    assert_int_equal(mkdir(s.path, 0700), 0);
    expect_set_fails("a folder", shard_path(&s, "m", 0, 3), &wanted,
                     "m-00002-of-00003.gguf");
    assert_int_equal(
        ggk_model_open(shard_path(&s, "m", 0, 3), NULL, &model, &err),
        GGK_E_IO);
    assert_int_equal(err.sys_errno, EISDIR);
    scratch_remove(&s);
}

/* An opener that fails for all but the first, and does not say why. */
static ggk_status open_first(void *ctx, const char *path, ggk_source **out,
                             ggk_error *err)
{
    (void)ctx;
    if (strstr(path, "-00001-") != NULL)
        return ggk_source_open_file(path, NULL, out, err);
    *out = NULL;
    return GGK_E_UNSUPPORTED;
}

static void openers_may_keep_silent(void **state)
{
    struct scratch s;
    ggk_open_opts opts = no_opts();
    ggk_model *model;
    ggk_error err;

    (void)state;
    write_set(&s);
    opts.open_source = open_first;
    assert_int_equal(
        ggk_model_open(shard_path(&s, "m", 0, 3), &opts, &model, &err),
        GGK_E_UNSUPPORTED);
    assert_null(model);
    assert_string_equal(err.file, "m-00002-of-00003.gguf");
    assert_int_equal(
        ggk_model_open(shard_path(&s, "m", 1, 3), &opts, &model, &err),
        GGK_E_UNSUPPORTED);
    assert_null(model);
    scratch_remove(&s);
}

static void files_that_are_not_there_are_io_errors(void **state)
{
    static const struct failure wanted = {GGK_E_IO, GGK_NO_OFFSET, "", 0, 0};
    ggk_model *model;
    ggk_error err;
    struct scratch s;

    (void)state;
    scratch_make(&s);
    expect_set_fails("missing", shard_path(&s, "m", 0, 3), &wanted, "");
    assert_int_equal(ggk_model_open(s.path, NULL, &model, &err), GGK_E_IO);
    assert_int_equal(err.sys_errno, ENOENT);
    scratch_remove(&s);
}

/* ------------------------------------------------------------------ folders */

static void folders_stand_for_their_model(void **state)
{
    struct scratch s;
    struct bytes b = bytes_features(3, false);
    char dir[80];
    ggk_model *model;
    ggk_open_opts opts = no_opts();
    ggk_error err = error_canary();

    (void)state;
    write_set(&s);
    scratch_write(&s, ".hidden.gguf", &b);
    scratch_write(&s, "readme.md", &b);
    scratch_write(&s, ".gguf", &b);
    scratch_write(&s, "x", &b);
    for (int slash = 0; slash < 2; slash++) {
        snprintf(dir, sizeof dir, "%s%s", s.dir, slash ? "/" : "");
        assert_int_equal(ggk_model_open(dir, NULL, &model, &err), GGK_OK);
        expect_untouched(&err);
        assert_int_equal(ggk_model_n_files(model), 3);
        assert_int_equal(ggk_model_n_tensors(model), 6);
        ggk_model_close(model);
    }
    opts.flags = GGK_OPEN_SINGLE;
    assert_int_equal(ggk_model_open(dir, &opts, &model, NULL), GGK_OK);
    assert_int_equal(ggk_model_n_files(model), 1);
    assert_int_equal(ggk_model_n_tensors(model), 2);
    ggk_model_close(model);
    scratch_remove(&s);

    scratch_make(&s);
    scratch_write(&s, "model.gguf", &b);
    assert_int_equal(ggk_model_open(s.dir, NULL, &model, NULL), GGK_OK);
    assert_int_equal(ggk_model_n_tensors(model), FEATURE_TENSORS);
    ggk_model_close(model);
    scratch_remove(&s);
    bytes_free(&b);
}

static void folders_without_one_model_are_refused(void **state)
{
    static const struct failure wanted = {GGK_E_SPLIT, GGK_NO_OFFSET, "", 0, 0};
    struct bytes b = bytes_features(3, false);
    struct scratch s;
    ggk_model *model;
    ggk_error err;

    (void)state;
    scratch_make(&s);
    expect_set_fails("empty", s.dir, &wanted, "");
    write_shard(&s, "m", 1, 3, make_shard(1, 3, 1));
    expect_set_fails("no first shard", s.dir, &wanted, "");
    scratch_write(&s, "a.gguf", &b);
    scratch_write(&s, "b.gguf", &b);
    scratch_write(&s, "c.gguf", &b);
    expect_set_fails("several", s.dir, &wanted, "");
    assert_int_equal(ggk_model_open(s.dir, NULL, &model, &err), GGK_E_SPLIT);
    assert_non_null(strstr(err.what, "3 models"));
    scratch_remove(&s);
    bytes_free(&b);
}

/* A folder was asked for: then every file of it is named. */
static void broken_files_of_folders_are_named(void **state)
{
    static const struct failure cut = {GGK_E_TRUNCATED, 8, "header.n_tensors",
                                       8, 0};
    static const struct failure differs = {GGK_E_SPLIT, NO_VALUE, "kv[0].value",
                                           1, 0};
    static const struct failure renamed = {GGK_E_SPLIT, COUNT_VALUE,
                                           "kv[1].value", 3, 0};
    struct scratch s;
    struct bytes b = bytes_of(3, false);

    (void)state;
    scratch_make(&s);
    put_magic(&b);
    scratch_write(&s, "model.gguf", &b);
    expect_set_fails("one file", s.dir, &cut, "model.gguf");
    bytes_free(&b);
    b = make_shard(0, 3, 1);
    scratch_write(&s, "model.gguf", &b);
    expect_set_fails("renamed", s.dir, &renamed, "model.gguf");
    bytes_free(&b);
    scratch_remove(&s);

    write_set(&s);
    write_shard(&s, "m", 0, 3, make_shard(1, 3, 1));
    expect_set_fails("first shard", s.dir, &differs, "m-00001-of-00003.gguf");
    scratch_remove(&s);
}

/* --------------------------------------------------------------- their keys */

static void keys_of_a_set_are_known(void **state)
{
    static const struct {
        const char *key, *architecture;
        bool is;
    } cases[] = {
        {"split.no", "", true},
        {"split.count", "llama", true},
        {"split.tensors.count", "llama", true},
        {"general.split", "", true},
        {"general.split_count", "llama", true},
        {"llama.split.no", "llama", true},
        {"llama.split.count", "llama", true},
        {"llama.split.tensors.count", "llama", true},
        {"llama.split.no", "", false},
        {"llama.split.no", "gemma", false},
        {"llama.general.split", "llama", false},
        {"llama.", "llama", false},
        {"a.b.split.no", "a.b", true},
        {"split.", "", false},
        {"split.ratio", "", false},
        {"split.no1", "", false},
        {"general.split_", "", false},
        {"", "", false},
    };
    const ggk_str none = {NULL, 0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const ggk_str key = ggk_cstr(cases[i].key);
        const ggk_str with_nul = {key.ptr, key.len + 1};
        const ggk_str architecture = ggk_cstr(cases[i].architecture);

        assert_int_equal(ggk_is_split_key(key, architecture), cases[i].is);
        assert_int_equal(ggk_is_split_key(with_nul, architecture), cases[i].is);
    }
    assert_false(ggk_is_split_key(none, none));
}

/* ------------------------------------------------------------ shards of old */

static void expect_stale(const char *path, uint32_t flags, uint64_t wanted,
                         const char *least)
{
    ggk_open_opts opts = {.struct_bytes = sizeof opts, .flags = flags};
    char name[64] = "x", cut[4] = "x";
    uint64_t n;
    ggk_model *model;

    assert_int_equal(ggk_model_open(path, &opts, &model, NULL), GGK_OK);
    assert_int_equal(ggk_model_stale_shards(model, &n, name, sizeof name, NULL),
                     GGK_OK);
    assert_int_equal(n, wanted);
    assert_string_equal(name, least);
    assert_int_equal(ggk_model_stale_shards(model, &n, cut, sizeof cut, NULL),
                     GGK_OK);
    assert_int_equal(strncmp(cut, least, 3), 0);
    assert_int_equal(ggk_model_stale_shards(model, &n, NULL, 0, NULL), GGK_OK);
    assert_int_equal(n, wanted);
    ggk_model_close(model);
}

static void shards_of_an_earlier_split_are_counted(void **state)
{
    struct bytes b = make_shard(0, 1, 1);
    struct scratch s;
    ggk_source *source;
    ggk_model *model;
    uint64_t n;
    char path[300];

    (void)state;
    write_set(&s);
    snprintf(path, sizeof path, "%s", shard_path(&s, "m", 1, 3));
    expect_stale(path, 0, 0, "");
    scratch_write(&s, "n-00001-of-00002.gguf", &b);
    scratch_write(&s, "m-00001-of-00002.txt", &b);
    scratch_write(&s, "m.gguf", &b);
    expect_stale(path, 0, 0, "");
    scratch_write(&s, "m-00004-of-00004.gguf", &b);
    scratch_write(&s, "m-00002-of-00002.gguf", &b);
    expect_stale(path, 0, 2, "m-00002-of-00002.gguf");
    expect_stale(path, GGK_OPEN_SINGLE, 0, "");
    expect_stale(scratch_path(&s, "m.gguf"), 0, 0, "");
    assert_int_equal(ggk_source_from_memory(b.at, b.n, NULL, &source, NULL),
                     GGK_OK);
    assert_int_equal(ggk_model_open_source(source, NULL, &model, NULL), GGK_OK);
    assert_int_equal(ggk_model_stale_shards(model, &n, NULL, 0, NULL), GGK_OK);
    assert_int_equal(n, 0);
    ggk_model_close(model);
    bytes_free(&b);
    scratch_remove(&s);
}

static bool no_finding(void *ctx, const ggk_finding *finding)
{
    (void)ctx;
    (void)finding;
    return true;
}

/* Of a set that is opened and judged; also for its folder. */
static void every_allocation_for_a_set_may_fail(void **state)
{
    struct scratch s;
    char path[300];
    bool done = false;

    (void)state;
    write_set(&s);
    snprintf(path, sizeof path, "%s", shard_path(&s, "m", 1, 3));
    for (size_t n = 1; !done; n++) {
        struct ledger ledger = {.fail_at = n};
        ggk_allocator alloc = ledger_allocator(&ledger);
        ggk_open_opts open = {.struct_bytes = sizeof open, .allocator = &alloc};
        ggk_check_opts opts = {.struct_bytes = sizeof opts, .open = &open};
        ggk_verdict verdict;
        ggk_model *model;
        uint64_t stale;
        ggk_status status =
            ggk_check(path, &opts, no_finding, NULL, &verdict, NULL);
        assert_true(ledger_is_even(&ledger));
        done = ledger.calls < n;
        assert_true(status == GGK_OK || (!done && status == GGK_E_NOMEM));
        ledger = (struct ledger){.fail_at = n};
        status = ggk_model_open(path, &open, &model, NULL);
        if (status == GGK_OK) {
            status = ggk_model_stale_shards(model, &stale, NULL, 0, NULL);
            ggk_model_close(model);
        }
        assert_true(status == GGK_OK || status == GGK_E_NOMEM);
        assert_true(ledger_is_even(&ledger));
    }
    scratch_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_shard_opens_all),
        cmocka_unit_test(shards_are_opened_by_the_callers_function),
        cmocka_unit_test(one_shard_can_be_opened_alone),
        cmocka_unit_test(shards_may_hold_no_tensors),
        cmocka_unit_test(shards_may_differ_in_form),
        cmocka_unit_test(names_repeat_across_shards),
        cmocka_unit_test(missing_data_is_told_for_its_shard),
        cmocka_unit_test(keys_may_be_of_any_spelling_and_integer),
        cmocka_unit_test(keys_of_other_types_do_not_count),
        cmocka_unit_test(odd_architectures_are_no_prefix),
        cmocka_unit_test(counts_up_to_one_are_no_set),
        cmocka_unit_test(names_of_shards_are_exact),
        cmocka_unit_test(missing_shards_are_named),
        cmocka_unit_test(long_names_keep_their_number),
        cmocka_unit_test(huge_sets_answer_fast),
        cmocka_unit_test(shards_that_contradict_are_named),
        cmocka_unit_test(misnamed_shards_are_found),
        cmocka_unit_test(shards_without_a_count_are_named),
        cmocka_unit_test(names_that_contradict_are_refused),
        cmocka_unit_test(broken_shards_are_named),
        cmocka_unit_test(shards_that_are_no_files_are_named),
        cmocka_unit_test(openers_may_keep_silent),
        cmocka_unit_test(files_that_are_not_there_are_io_errors),
        cmocka_unit_test(folders_stand_for_their_model),
        cmocka_unit_test(folders_without_one_model_are_refused),
        cmocka_unit_test(broken_files_of_folders_are_named),
        cmocka_unit_test(keys_of_a_set_are_known),
        cmocka_unit_test(shards_of_an_earlier_split_are_counted),
        cmocka_unit_test(every_allocation_for_a_set_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
