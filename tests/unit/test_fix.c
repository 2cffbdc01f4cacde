/* test_fix.c - repairs: what is told of them, and plans judged before they are
 * run. What they do to files is tested on the corpus. */
#include <errno.h>
#include <math.h>

#include "kinds.h"
#include "ledger.h"
#include "older.h"
#include "sample.h"

/* Findings as text, a line each. */
struct lines {
    char text[16384];
    unsigned n, most; /* calls; after so many no more are wanted, 0: all are */
};

static bool add_line(void *ctx, const ggk_finding *f)
{
    struct lines *l = ctx;
    size_t used = strlen(l->text);

    snprintf(l->text + used, sizeof l->text - used,
             "%s shard %u at %" PRIu64 " %s: %s +%" PRIu64 "\n", f->rule->id,
             f->file, f->offset == GGK_NO_OFFSET ? 0 : f->offset, f->where,
             f->what, f->more);
    return ++l->n != l->most;
}

static ggk_plan *plan_of(const char *path, const ggk_allocator *alloc,
                         ggk_error *err)
{
    ggk_plan *plan = NULL;
    uint32_t file;

    if (ggk_plan_new(alloc, &plan, err) == GGK_OK &&
        ggk_plan_add_file(plan, path, &file, err) == GGK_OK)
        return plan;
    ggk_plan_free(plan);
    return NULL;
}

/* A model that is wrong in many ways: a NUL in a name, repeats, a wide number,
 * a BOOL, an alignment, gaps, no padding. */
static struct bytes bytes_broken(void)
{
    struct bytes b = bytes_of(2, false);

    put_header(&b, 3, 7);
    put_kv_str(&b, "general.architecture", "llama");
    put_key(&b, "llama.context_length", V_U64);
    put_u64(&b, 4096);
    put_key(&b, "llama.attention.head_count", V_ARR);
    put_array(&b, V_I64, 2);
    put_u64(&b, 8);
    put_u64(&b, (uint64_t)-1);
    put_key(&b, "a.bool", V_BOOL);
    put_u8(&b, 7);
    put_key(&b, "general.alignment", V_U8);
    put_u8(&b, 64);
    put_str_n(&b, "a.nul\0", 6);
    put_u32(&b, V_U8);
    put_u8(&b, 1);
    put_key(&b, "a.bool", V_BOOL);
    put_u8(&b, 7);
    put_info(&b, "b", 1, (uint64_t[]){32}, T_Q8_0, 128);
    put_info(&b, "a", 1, (uint64_t[]){4}, T_F32, 0);
    put_info(&b, "a", 1, (uint64_t[]){4}, T_F32, 64);
    put_padding(&b, 64);
    put_fill(&b, 1, 16);
    put_fill(&b, 0, 48);
    put_fill(&b, 1, 16);
    put_fill(&b, 0, 48);
    put_fill(&b, 2, 34);
    return b;
}

static void repairs_are_told(void **state)
{
    static const char *const wanted[] = {
        "key-duplicate shard 0 at 251 kv[6].key: kv[6] repeats kv[3], "
        "\"a.bool\": it is dropped +0\n",
        "parameter-type shard 0 at 97 kv[1].type: llama.context_length was of "
        "type UINT64: UINT32 now +0\n",
        "parameter-type shard 0 at 143 kv[2].type: "
        "llama.attention.head_count was of type ARRAY of INT64: INT32 now "
        "+0\n",
        "bool-value shard 0 at 193 kv[3].value: a.bool had 1 BOOL stored as "
        "other than 0 or 1: 1 now +0\n",
        "alignment-type shard 0 at 219 kv[4].type: general.alignment was of "
        "type UINT8: UINT32 now +0\n",
        "key-nul shard 0 at 237 kv[5].key: the key \"a.nul\" ended in a NUL "
        "byte: it is removed +0\n",
        "name-duplicate shard 0",
        "version-2 shard 0 at 4 header.version: ",
        "order shard 0",
        "padding-missing shard 0",
        "quantization-version-missing shard 0 at 0 : "
        "general.quantization_version was missing: 2 now +0\n",
    };
    struct bytes b = bytes_broken();
    ggk_model *model = open_bytes(&b);
    struct lines lines = {.n = 0};
    ggk_plan *plan = plan_of("out.gguf", NULL, NULL);
    ggk_planned_file f;
    ggk_planned_tensor t;
    ggk_fixed fixed;

    (void)state;
    assert_int_equal(ggk_plan_fix(plan, model, add_line, &lines, &fixed, NULL),
                     GGK_OK);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (strstr(lines.text, wanted[i]) == NULL)
            fail_msg("not told: %s\nbut: %s", wanted[i], lines.text);
    assert_int_equal(fixed.n_repairs, sizeof wanted / sizeof wanted[0]);
    assert_int_equal(lines.n, fixed.n_repairs);
    assert_false(fixed.unsplit);
    assert_int_equal(ggk_plan_file(plan, 0, &f, NULL), GGK_OK);
    assert_int_equal(f.version, 3);
    assert_int_equal(f.alignment, 64);
    assert_int_equal(f.n_kv, 7); /* one less, one more */
    assert_int_equal(f.n_tensors, 2);
    assert_int_equal(ggk_plan_tensor(plan, 0, 1, &t, NULL), GGK_OK);
    assert_int_equal(t.data_off, f.data_off + 64);
    ggk_plan_free(plan);
    ggk_model_close(model);
    bytes_free(&b);
}

/* Free space goes, even as a repeat; what else has its name stays, all of it.
 */
static void free_space_goes(void **state)
{
    struct bytes b = bytes_of(3, false);
    ggk_model *model;
    struct lines lines = {.n = 0};
    ggk_plan *plan = plan_of("out.gguf", NULL, NULL);
    ggk_planned_file f;
    ggk_fixed fixed;

    (void)state;
    put_header(&b, 0, 5);
    put_kv_str(&b, "general.architecture", "llama");
    put_kv_str(&b, "general.padding", " ");
    put_kv_str(&b, "general.padding", "x");
    put_kv_u32(&b, "general.padding", 2);
    put_kv_str(&b, "general.padding", "");
    model = open_bytes(&b);
    assert_int_equal(ggk_plan_fix(plan, model, add_line, &lines, &fixed, NULL),
                     GGK_OK);
    assert_int_equal(ggk_plan_file(plan, 0, &f, NULL), GGK_OK);
    assert_int_equal(f.n_kv, 3);
    ggk_plan_free(plan);
    ggk_model_close(model);
    bytes_free(&b);
}

/* Nobody who listens, or who listens no more, changes what is done. */
static void telling_may_end(void **state)
{
    struct bytes b = bytes_broken();
    ggk_model *model = open_bytes(&b);

    (void)state;
    for (unsigned most = 0; most < 5; most++) {
        struct lines lines = {.most = most};
        ggk_plan *plan = plan_of("out.gguf", NULL, NULL);
        ggk_fixed fixed;
        ggk_planned_file f;

        assert_int_equal(ggk_plan_fix(plan, model, most > 0 ? add_line : NULL,
                                      &lines, &fixed, NULL),
                         GGK_OK);
        assert_int_equal(lines.n, most);
        assert_int_equal(ggk_plan_file(plan, 0, &f, NULL), GGK_OK);
        assert_int_equal(f.n_kv, 7);
        ggk_plan_free(plan);
    }
    ggk_model_close(model);
    bytes_free(&b);
}

/* Of a rule ten, and how many more. */
static void ten_of_a_rule(void **state)
{
    struct bytes b = bytes_of(3, false);
    struct lines lines = {.n = 0};
    ggk_plan *plan = plan_of("out.gguf", NULL, NULL);
    ggk_model *model;
    ggk_fixed fixed;

    (void)state;
    put_header(&b, 0, 101);
    for (int i = 0; i < 101; i++)
        put_kv_u32(&b, "a", 1);
    model = open_bytes(&b);
    assert_int_equal(ggk_plan_fix(plan, model, add_line, &lines, &fixed, NULL),
                     GGK_OK);
    assert_int_equal(fixed.n_repairs, 100);
    assert_int_equal(lines.n, 11);
    assert_non_null(strstr(lines.text, ": 90 more of these +90\n"));
    ggk_plan_free(plan);
    ggk_model_close(model);
    bytes_free(&b);
}

static void arguments(void **state)
{
    struct bytes b = bytes_broken();
    ggk_model *model = open_bytes(&b);
    ggk_plan *plan = plan_of("out.gguf", NULL, NULL);
    ggk_verdict verdict;
    ggk_fixed fixed;
    ggk_error err;
    uint32_t file;

    (void)state;
    assert_int_equal(ggk_plan_copy_keys(plan, 0, model, 0, NULL), GGK_OK);
    assert_int_equal(ggk_plan_fix(plan, model, NULL, NULL, &fixed, &err),
                     GGK_E_ARG);
    ggk_plan_free(plan);
    plan = plan_of("out.gguf", NULL, NULL);
    assert_int_equal(ggk_plan_add_file(plan, "other.gguf", &file, NULL),
                     GGK_OK);
    assert_int_equal(ggk_plan_fix(plan, model, NULL, NULL, &fixed, &err),
                     GGK_E_ARG);
    assert_string_equal(err.what,
                        "the plan needs as many empty files as the model has");
    ggk_plan_free(plan);
    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_check(plan, NULL, NULL, NULL, &verdict, &err),
                     GGK_E_ARG);
    ggk_plan_free(plan);
    ggk_model_close(model);
    bytes_free(&b);
}

/* Options of a caller that knows fewer of them are read to their end. */
static void options_may_be_older(void **state)
{
    const ggk_open_opts open = {.flags = GGK_OPEN_SINGLE};
    ggk_check_opts opts = {.profiles = GGK_PROFILE_SPEC};
    ggk_plan *plan = plan_of("out.gguf", NULL, NULL);
    struct older older, older_open;
    ggk_verdict verdict;

    (void)state;
    assert_int_equal(ggk_plan_check(plan,
                                    older_make(&older, &opts,
                                               offsetof(ggk_check_opts, open)),
                                    NULL, NULL, &verdict, NULL),
                     GGK_OK);
    older_free(&older);
    assert_true(verdict.spec[GGK_SEVERITY_NOTE] +
                    verdict.spec[GGK_SEVERITY_WARNING] +
                    verdict.spec[GGK_SEVERITY_ERROR] >
                0);
    assert_int_equal(verdict.llama_cpp[GGK_SEVERITY_NOTE] +
                         verdict.llama_cpp[GGK_SEVERITY_WARNING] +
                         verdict.llama_cpp[GGK_SEVERITY_ERROR],
                     0);
    opts.struct_bytes = sizeof opts;
    opts.open =
        older_make(&older_open, &open, offsetof(ggk_open_opts, base_off));
    assert_int_equal(ggk_plan_check(plan, &opts, NULL, NULL, &verdict, NULL),
                     GGK_OK);
    older_free(&older_open);
    ggk_plan_free(plan);
}

/* Data that is not there is nowhere to be taken from. */
static void data_is_missing(void **state)
{
    struct bytes b = bytes_broken();
    ggk_plan *plan = plan_of("out.gguf", NULL, NULL);
    ggk_model *model;
    ggk_fixed fixed;
    ggk_error err;

    (void)state;
    b.n -= 1;
    model = open_bytes(&b);
    assert_int_equal(ggk_plan_fix(plan, model, NULL, NULL, &fixed, &err),
                     GGK_E_DATA_MISSING);
    assert_string_equal(err.where, "tensor[0]");
    assert_int_equal(fixed.n_repairs, 0);
    ggk_plan_free(plan);
    ggk_model_close(model);
    bytes_free(&b);
}

/* ------------------------------------------------------------------- layout
 */

/* Three tensors of 40, 24 and 40 bytes, all of them there, at these places. */
static ggk_status fix_places(const uint64_t at[3], struct lines *lines,
                             ggk_error *err)
{
    struct bytes b = bytes_of(3, false);
    ggk_plan *plan = plan_of("out.gguf", NULL, NULL);
    ggk_planned_tensor t;
    ggk_model *model;
    ggk_fixed fixed;
    ggk_status status;

    put_header(&b, 3, 1);
    put_kv_str(&b, "general.architecture", "llama");
    put_info(&b, "a", 1, (uint64_t[]){10}, T_F32, at[0]);
    put_info(&b, "b", 1, (uint64_t[]){6}, T_F32, at[1]);
    put_info(&b, "c", 1, (uint64_t[]){10}, T_F32, at[2]);
    put_padding(&b, 32);
    put_fill(&b, 1, 256);
    model = open_bytes(&b);
    status = ggk_plan_fix(plan, model, add_line, lines, &fixed, err);
    if (status == GGK_OK) {
        assert_int_equal(ggk_plan_tensor(plan, 0, 2, &t, NULL), GGK_OK);
        assert_int_equal(t.data_off % 32, 0);
    }
    ggk_plan_free(plan);
    ggk_model_close(model);
    bytes_free(&b);
    return status;
}

/* Only what an old writer could have meant is laid out anew. */
static void layouts(void **state)
{
    static const struct {
        uint64_t at[3];
        const char *where; /* NULL: it is repaired */
    } cases[] = {
        {{0, 40, 64}, NULL},                /* one after the other */
        {{64, 40, 0}, NULL},                /* the last one first */
        {{0, 48, 80}, NULL},                /* by 16 */
        {{24, 0, 64}, NULL},                /* in another order */
        {{0, 64, 96}, NULL},                /* as it should */
        {{0, 64, 136}, "tensor[2].offset"}, /* 40 too far */
        {{8, 64, 96}, "tensor[0].offset"},  /* 8 too far, with room */
        {{0, 72, 96}, "tensor[1].offset"},  /* 8 too far: right up to c */
        {{0, 80, 96}, "tensor[2].offset"},  /* 16 too far: into c */
        {{0, 0, 64}, "tensor[0].offset"},   /* at the same place */
        {{0, 32, 64}, "tensor[1].offset"},  /* a is too large */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct lines lines = {.n = 0};
        ggk_error err = {0};
        ggk_status status = fix_places(cases[i].at, &lines, &err);

        if (cases[i].where == NULL) {
            assert_int_equal(status, GGK_OK);
            continue;
        }
        assert_int_equal(status, GGK_E_OFFSET);
        assert_string_equal(err.where, cases[i].where);
        assert_true(err.offset < 256);
    }
}

/* ------------------------------------------------------------------- numbers
 */

/* What becomes of llama.context_length, a FLOAT64. */
static uint32_t type_of_float(double number)
{
    struct bytes b = bytes_of(3, false);
    struct lines lines = {.n = 0};
    ggk_plan *plan = plan_of("out.gguf", NULL, NULL);
    ggk_model *model;
    ggk_fixed fixed;

    put_header(&b, 0, 2);
    put_kv_str(&b, "general.architecture", "llama");
    put_key(&b, "llama.context_length", V_F64);
    put_f64(&b, number);
    model = open_bytes(&b);
    assert_int_equal(ggk_plan_fix(plan, model, add_line, &lines, &fixed, NULL),
                     GGK_OK);
    assert_int_equal(fixed.n_repairs, lines.n);
    ggk_plan_free(plan);
    ggk_model_close(model);
    bytes_free(&b);
    return strstr(lines.text, "was of type FLOAT64: UINT32 now") != NULL
               ? V_U32
               : V_F64;
}

/* A whole number is one, whatever its type; others stay. */
static void whole_floats(void **state)
{
    static const double whole[] = {0, -0.0, 1, 4096, 4294967295.0};
    static const double other[] = {
        12.5,    -1,    4294967296.0,     0x1p63,     0x1p64,
        -0x1p63, 1e300, (double)INFINITY, (double)NAN};

    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        assert_int_equal(type_of_float(whole[i]), V_U32);
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        assert_int_equal(type_of_float(other[i]), V_F64);
}

/* A file of which only what is read first can be read. */
static int read_once(void *ctx, uint64_t off, void *buf, size_t bytes,
                     size_t *got)
{
    const struct bytes *b = ctx;

    *got = 0;
    if (off > 0)
        return EIO;
    *got = bytes < b->n ? bytes : b->n;
    memcpy(buf, b->at, *got);
    return 0;
}

/* Padding that cannot be judged is not said to be as it should. */
static void padding_is_unreadable(void **state)
{
    struct bytes b = bytes_broken();
    ggk_callbacks callbacks = {read_once, NULL, &b, b.n};
    ggk_plan *plan = plan_of("out.gguf", NULL, NULL);
    ggk_source *source;
    ggk_model *model;
    ggk_fixed fixed;
    ggk_error err;

    (void)state;
    assert_int_equal(ggk_source_from_callbacks(&callbacks, NULL, &source, NULL),
                     GGK_OK);
    assert_int_equal(ggk_model_open_source(source, NULL, &model, NULL), GGK_OK);
    assert_int_equal(ggk_plan_fix(plan, model, NULL, NULL, &fixed, &err),
                     GGK_E_IO);
    assert_int_equal(err.sys_errno, EIO);
    ggk_plan_free(plan);
    ggk_model_close(model);
    bytes_free(&b);
}

/* All reasons are there, and those of the rules that are always repaired are
 * not. */
static void reasons(void **state)
{
    static const char *const repaired[] = {
        "version-1",
        "version-2",
        "magic-swapped",
        "alignment-not-of-8",
        "alignment-not-power-of-2",
        "alignment-under-32",
        "alignment-huge",
        "offset-unaligned",
        "overlap",
        "order",
        "gap",
        "data-start-missing",
        "padding-missing",
        "padding-not-zero",
        "trailing-bytes",
        "quantization-version-missing",
    };

    (void)state;
    for (size_t i = 0; i < ggk_rule_count(); i++) {
        const ggk_rule *rule = ggk_rule_at(i);
        bool always = false;

        for (size_t k = 0; k < sizeof repaired / sizeof repaired[0]; k++)
            always = always || strcmp(repaired[k], rule->id) == 0;
        if (always != (ggk_fix_why_not(rule) == NULL))
            fail_msg("%s has %s reason", rule->id, always ? "a" : "no");
    }
}

/* --------------------------------------------------------------- foretelling
 */

static void check_written(ggk_plan *plan, const char *path)
{
    ggk_run_opts opts = {.struct_bytes = sizeof opts, .n_threads = 1};
    struct lines foretold = {.n = 0}, found = {.n = 0};
    ggk_verdict before, after;

    assert_int_equal(
        ggk_plan_check(plan, NULL, add_line, &foretold, &before, NULL), GGK_OK);
    assert_int_equal(ggk_plan_run(plan, &opts, NULL), GGK_OK);
    assert_int_equal(ggk_check(path, NULL, add_line, &found, &after, NULL),
                     GGK_OK);
    assert_string_equal(foretold.text, found.text);
    assert_memory_equal(before.spec, after.spec, sizeof before.spec);
    assert_memory_equal(before.llama_cpp, after.llama_cpp,
                        sizeof before.llama_cpp);
    assert_int_equal(before.loads, after.loads);
    assert_string_equal(before.reason, after.reason);
}

/* What a plan will write is judged as what it wrote. */
static void plans_are_foretold(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct bytes b = bytes_features(3, big != 0);
        struct scratch s;
        ggk_model *model = open_bytes(&b);
        char path[600];
        ggk_plan *plan;
        ggk_split_opts split = {.struct_bytes = sizeof split, .max_tensors = 3};

        scratch_make(&s);
        snprintf(path, sizeof path, "%s", scratch_path(&s, "out.gguf"));
        plan = plan_of(path, NULL, NULL);
        assert_int_equal(ggk_plan_copy_file(plan, 0, model, 0, NULL), GGK_OK);
        check_written(plan, path);
        ggk_plan_free(plan);

        plan = plan_of(path, NULL, NULL);
        assert_int_equal(ggk_plan_copy_file(plan, 0, model, 0, NULL), GGK_OK);
        assert_int_equal(
            ggk_plan_split(plan, scratch_path(&s, "set"), &split, NULL),
            GGK_OK);
        check_written(plan, scratch_path(&s, "set-00001-of-00003.gguf"));
        ggk_plan_free(plan);
        ggk_model_close(model);
        scratch_remove(&s);
        bytes_free(&b);
    }
}

/* The model, after whose opening the nth allocation fails. */
static ggk_model *opened(const struct bytes *b, const ggk_open_opts *opts,
                         struct ledger *ledger, size_t n)
{
    ggk_model *model;

    assert_int_equal(kind_open(KIND_MEMORY, b, opts, &model, NULL), GGK_OK);
    ledger->fail_at = ledger->calls + n;
    return model;
}

/* Where memory runs out, all that there is of it comes back. */
static void no_memory(void **state)
{
    struct bytes b = bytes_broken();
    unsigned got_over = 0;
    bool done = false;

    (void)state;
    for (size_t n = 1; !done; n++) {
        struct ledger ledger = {0};
        ggk_allocator alloc = ledger_allocator(&ledger);
        ggk_open_opts opts = no_opts();
        ggk_error err = {0};
        ggk_model *model;
        ggk_plan *plan;
        ggk_verdict verdict;
        ggk_fixed fixed;
        ggk_status status;

        opts.allocator = &alloc;
        model = opened(&b, &opts, &ledger, n);
        plan = plan_of("out.gguf", &alloc, &err);
        status = err.status;
        if (plan != NULL)
            status = ggk_plan_fix(plan, model, NULL, NULL, &fixed, &err);
        if (status == GGK_OK)
            status = ggk_plan_check(plan, NULL, NULL, NULL, &verdict, &err);
        ggk_plan_free(plan);
        ggk_model_close(model);
        assert_true(ledger_is_even(&ledger));
        done = ledger.calls < ledger.fail_at;
        if (done || status != GGK_E_NOMEM) /* a block may fail to shrink */
            assert_int_equal(status, GGK_OK);
        got_over += !done && status == GGK_OK;
    }
    assert_in_range(got_over, 0, 1);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repairs_are_told),
        cmocka_unit_test(free_space_goes),
        cmocka_unit_test(telling_may_end),
        cmocka_unit_test(ten_of_a_rule),
        cmocka_unit_test(arguments),
        cmocka_unit_test(data_is_missing),
        cmocka_unit_test(layouts),
        cmocka_unit_test(whole_floats),
        cmocka_unit_test(padding_is_unreadable),
        cmocka_unit_test(options_may_be_older),
        cmocka_unit_test(reasons),
        cmocka_unit_test(plans_are_foretold),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
