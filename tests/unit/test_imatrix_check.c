/* test_imatrix_check.c - what is found wrong with importances, by each rule. */
#include <math.h>

#include "importance_files.h"
#include "kinds.h"
#include "ledger.h"

enum { FOUND_MOST = 32 };

/* A finding, as it was told. */
struct found {
    const char *id;
    uint64_t offset;
    char where[64];
    char what[256];
    uint64_t more;
};

struct findings {
    struct found at[FOUND_MOST];
    size_t n;
    size_t stop_at; /* the one after which no more are wanted; 0: none */
    ggk_imatrix_verdict verdict;
};

static bool on_finding(void *ctx, const ggk_finding *f)
{
    struct findings *all = ctx;
    struct found *found = &all->at[all->n];

    assert_in_range(all->n, 0, FOUND_MOST - 1);
    found->id = f->rule->id;
    found->offset = f->offset;
    found->more = f->more;
    snprintf(found->where, sizeof found->where, "%s", f->where);
    snprintf(found->what, sizeof found->what, "%s", f->what);
    return ++all->n != all->stop_at;
}

static ggk_status check(struct findings *all, const struct bytes *b,
                        const ggk_model *model, uint32_t most, ggk_error *err)
{
    const ggk_imatrix_check_opts opts = {.struct_bytes = sizeof opts,
                                         .max_per_rule = most};

    all->n = 0;
    return ggk_imatrix_check(kind_source(KIND_MEMORY, b, NULL), model, &opts,
                             on_finding, all, &all->verdict, err);
}

/* Which rules a test has seen broken. */
static bool seen[64];

static void note_seen(const char *id)
{
    for (size_t i = 0; i < ggk_imatrix_rule_count(); i++)
        if (strcmp(ggk_imatrix_rule_at(i)->id, id) == 0)
            seen[i] = true;
}

/* One finding and no other; the file is freed. */
static void expect_one(struct bytes b, const char *id, uint64_t offset,
                       const char *where, const char *what)
{
    struct findings all = {.stop_at = 0};
    ggk_error err;

    if (check(&all, &b, NULL, 0, &err) != GGK_OK)
        fail_msg("%s: %s", id, err.what);
    assert_int_equal(all.n, 1);
    assert_string_equal(all.at[0].id, id);
    assert_string_equal(all.at[0].what, what);
    assert_string_equal(all.at[0].where, where);
    assert_int_equal(all.at[0].offset, offset);
    assert_int_equal(all.verdict.n[0] + all.verdict.n[1] + all.verdict.n[2] +
                         all.verdict.n[3],
                     1);
    note_seen(id);
    bytes_free(&b);
}

/* Two entries, whose numbers these are: six sums and two counts of a, two sums
 * and a count of b. */
enum { NUMBERS = 11 };

static const float good[NUMBERS] = {2, 4, 6, 8, 10, 12, 2, 1, 9, 3, 3};

static struct bytes with_numbers(const float numbers[NUMBERS])
{
    static const size_t places[NUMBERS] = {0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 24};
    struct importances d = importance_gguf(3, false);

    for (size_t i = 0; i < NUMBERS; i++) {
        uint32_t bits;

        memcpy(&bits, &numbers[i], sizeof bits);
        bytes_patch(&d.b, d.b.n - 128 + places[i] * 4, bits, 4);
    }
    return d.b;
}

static struct bytes with_number(size_t at, float x)
{
    float numbers[NUMBERS];

    memcpy(numbers, good, sizeof numbers);
    numbers[at] = x;
    return with_numbers(numbers);
}

static void test_good(void **state)
{
    struct bytes b = with_numbers(good), dat = importance_dat();
    struct findings all = {.stop_at = 0};
    (void)state;

    assert_int_equal(check(&all, &b, NULL, 0, NULL), GGK_OK);
    assert_int_equal(all.n, 0);
    assert_int_equal(all.verdict.n_entries, 2);
    assert_int_equal(check(&all, &dat, NULL, 0, NULL), GGK_OK);
    assert_int_equal(all.n, 0);
    assert_int_equal(all.verdict.n_entries, 2);
    bytes_free(&b);
    bytes_free(&dat);
}

/* ------------------------------------------------------------------ numbers */

static void test_numbers(void **state)
{
    struct bytes b = with_numbers(good);
    const uint64_t data = b.n - 128;
    (void)state;

    bytes_free(&b);
    expect_one(with_number(4, NAN), "nan", data + 16, "entry[0].values[4]",
               "\"a\": 1 of 6 values, the first is nan");
    expect_one(with_number(9, -INFINITY), "infinite", data + 68,
               "entry[1].values[1]", "\"b\": 1 of 2 values, the first is -inf");
    expect_one(with_number(2, -0.5f), "negative", data + 8,
               "entry[0].values[2]", "\"a\": 1 of 6 values, the first is -0.5");
    expect_one(with_number(9, 3.1e12f), "value-large", data + 68,
               "entry[1].values[1]",
               "\"b\": 1 value, the first, at 1, is 1.03333e+12 as a mean");
    expect_one(with_number(10, 3.25f), "count-fraction", data + 96,
               "entry[1].counts[0]", "\"b\": count 0 is 3.25");
    expect_one(with_number(10, -3), "count-negative", data + 96, "entry[1]",
               "\"b\": the count is negative");
    expect_one(with_number(7, -1), "count-negative", data + 36,
               "entry[0].counts[1]",
               "\"a\": the count is negative, of 1 of 2 experts, the first is "
               "1");
    expect_one(with_number(10, 0), "sums-uncounted", data + 96, "entry[1]",
               "\"b\": sums that the count says are of nothing");
    expect_one(with_number(10, NAN), "count-invalid", data + 96,
               "tensor[3].data", "value 0 of the tensor is nan");
}

static void test_zeros(void **state)
{
    const float unseen[NUMBERS] = {2, 4, 6, 0, 0, 0, 2, 0, 9, 3, 3};
    const float zero[NUMBERS] = {0, 0, 0, 8, 10, 12, 2, 1, 9, 3, 3};
    const float small[NUMBERS] = {2, 4, 6, 1e-30f, 0, 0, 2, 1, 9, 3, 3};
    const float never[NUMBERS] = {2, 4, 6, 8, 10, 12, 2, 1, 0, -0.0f, 0};
    struct bytes b = with_numbers(good);
    const uint64_t data = b.n - 128;
    (void)state;

    bytes_free(&b);
    expect_one(with_numbers(unseen), "expert-unseen", data + 36,
               "entry[0].counts[1]",
               "\"a\": no token was counted, of 1 of 2 experts, the first is "
               "1");
    expect_one(with_numbers(zero), "all-zero", data + 32, "entry[0].counts[0]",
               "\"a\": all values are zero, of 1 of 2 experts, the first is 0");
    expect_one(with_numbers(small), "columns-vanish", data + 12,
               "entry[0].values[3]",
               "\"a\": 1 run, the first, at 3, is 1e-30 as a mean");
    expect_one(with_numbers(never), "entry-unseen", data + 96, "entry[1]",
               "\"b\": no token was counted");
}

/* What of means spoils a type that looks at them; the worst first. */
static void test_doubts(void **state)
{
    static const struct {
        float at[3]; /* values 0, 40 and 69; the others are `rest` */
        float rest;
        const char *id; /* NULL: none */
        uint64_t value;
    } cases[] = {{{1, 1, 1}, 1, NULL, 0},
                 {{0, 1e12f, 1e-20f}, 1, NULL, 0},
                 {{1, 2e12f, -1}, 1, "negative", 69},
                 {{1, 2e12f, 1}, 0, "value-large", 40},
                 {{0, 0, 1}, 0, "all-zero", 0},
                 {{1, 0, 1}, 0, "columns-vanish", 32},
                 {{1, 1, 1}, 1e-21f, "columns-vanish", 96},
                 {{1e-21f, 1, 1}, 1e-21f, "columns-vanish", 0}};
    float values[128];
    const int64_t counts[] = {4, 0};
    /* Of the two slices the second begins with value 64. */
    const ggk_importances e = {
        .values = values, .n_values = 128, .n_slices = 2, .counts = counts};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t value = 77;
        const ggk_rule *rule;

        for (int k = 0; k < 128; k++)
            values[k] = k == 0    ? cases[i].at[0]
                        : k == 40 ? cases[i].at[1]
                        : k == 69 ? cases[i].at[2]
                                  : cases[i].rest;
        rule = ggk_importances_doubt(&e, T_Q4_K, &value);
        if (cases[i].id == NULL) {
            assert_null(rule);
            assert_int_equal(value, 0);
            continue;
        }
        assert_non_null(rule);
        assert_string_equal(rule->id, cases[i].id);
        assert_int_equal(value, cases[i].value);
        assert_null(ggk_importances_doubt(&e, T_Q8_0, &value));
    }
}

/* ---------------------------------------------------------------- the files */

/* A file of two tensors and an entry b that is good, behind them; all numbers
 * are 1. */
static struct bytes with_tensors(const char *first, uint64_t ne0, uint32_t type,
                                 const char *second, uint64_t ne1,
                                 struct importances *d)
{
    *d = importance_draft(3, false);
    importance_add(d, first, ne0, 1, type);
    importance_add(d, second, ne1, 1, T_F32);
    importance_add(d, "b.in_sum2", 2, 1, T_F32);
    importance_add(d, "b.counts", 1, 1, T_F32);
    importance_end(d);
    for (uint64_t i = 0; i < d->off; i += 4)
        put_f32(&d->b, 1);
    return d->b;
}

static void test_tensors(void **state)
{
    struct importances d;
    struct bytes b;
    struct findings all = {.stop_at = 0};
    (void)state;

    b = with_tensors("a.in_sum2", 3, T_F32, "c", 1, &d);
    expect_one(b, "pair-broken", d.info[0], "tensor[0]",
               "there is no tensor of that name with .counts, which belongs to "
               "it");
    b = with_tensors("a", 3, T_F32, "a.counts", 1, &d);
    expect_one(b, "pair-broken", d.info[1], "tensor[1]",
               "there is no tensor of that name with .in_sum2, which belongs "
               "to it");
    b = with_tensors("a.in_sum2", 4, T_F16, "a.counts", 1, &d);
    expect_one(b, "not-f32", d.info[0], "tensor[0].type",
               "the tensor is not of type F32");
    b = with_tensors("a.in_sum2", 3, T_F32, "a.counts", 2, &d);
    expect_one(b, "shape", d.info[0], "tensor[0].ne",
               "3 sums cannot be shared out to 2 counts");
    b = with_tensors("x", 3, T_F32, "b.counts", 2, &d);
    expect_one(b, "entry-twice", d.info[3], "tensor[3].name",
               "another tensor of the importance matrix has the same name");

    b = with_tensors("x", 3, T_F32, "y", 3, &d); /* these are passed over */
    assert_int_equal(check(&all, &b, NULL, 0, NULL), GGK_OK);
    assert_int_equal(all.n, 0);
    assert_int_equal(all.verdict.n_entries, 1);
    bytes_free(&b);
}

static void test_layout(void **state)
{
    struct importances d = importance_gguf(3, false);
    size_t n = d.b.n;
    (void)state;

    d.b.n -= 32;
    bytes_patch(&d.b, n - 128 + 36, 0x3f800000, 4);
    expect_one(d.b, "data-missing", n - 32, "tensor[3].data",
               "the file ends before the tensor's data does: 4 bytes needed, 0 "
               "there");

    d = importance_draft(3, false);
    importance_add(&d, "a.in_sum2", 512, 1, T_F32);
    importance_add(&d, "a.counts", 1, 1, T_F32);
    d.off = 0;
    importance_add(&d, "b.in_sum2", 512, 1, T_F32);
    importance_add(&d, "b.counts", 1, 1, T_F32);
    importance_end(&d);
    for (int i = 0; i < 520; i++)
        put_f32(&d.b, 1);
    expect_one(d.b, "overlap", d.info[2], "tensor[2]",
               "tensors of the importance matrix overlap: together they have "
               "more bytes than the file");
}

static void test_keys(void **state)
{
    struct importances d = {.b = bytes_of(3, false)};
    (void)state;

    put_header(&d.b, 0, 2);
    put_kv_u32(&d.b, "imatrix.chunk_count", 16);
    put_kv_u32(&d.b, "imatrix.chunk_size", 512);
    importance_add(&d, "b.in_sum2", 1, 1, T_F32);
    importance_add(&d, "b.counts", 1, 1, T_F32);
    importance_end(&d);
    for (int i = 0; i < 16; i++)
        put_f32(&d.b, 1);
    expect_one(d.b, "keys-missing", GGK_NO_OFFSET, "",
               "a key is missing: imatrix.datasets, imatrix.chunk_count and "
               "imatrix.chunk_size must all be there");
}

/* A name that is as long as it may be, and one that is longer. */
static void test_names(void **state)
{
    const size_t longest = 63 - strlen(".in_sum2");
    (void)state;

    for (size_t n = longest; n <= longest + 1; n++) {
        struct importances d = importance_draft(3, false);
        struct findings all = {.stop_at = 0};
        char name[80];

        memset(name, 'n', n);
        memcpy(name + n, ".in_sum2", 9);
        importance_add(&d, name, 1, 1, T_F32);
        memcpy(name + n, ".counts", 8);
        importance_add(&d, name, 1, 1, T_F32);
        importance_end(&d);
        for (int i = 0; i < 16; i++)
            put_f32(&d.b, 1);
        if (n > longest) {
            expect_one(
                d.b, "name-long", d.b.n - 64, "entry[0]",
                "\"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
                "nn.in_sum2\": the name is 64 bytes long");
            continue;
        }
        assert_int_equal(check(&all, &d.b, NULL, 0, NULL), GGK_OK);
        assert_int_equal(all.n, 0);
        bytes_free(&d.b);
    }
}

/* So long that its other half is not even looked for. */
static void test_very_long_name(void **state)
{
    struct importances d = importance_draft(3, false);
    struct findings all = {.stop_at = 0};
    char name[1200];
    (void)state;

    memset(name, 'n', sizeof name);
    memcpy(name + 1100, ".in_sum2", 9);
    importance_add(&d, name, 1, 1, T_F32);
    importance_end(&d);
    put_fill(&d.b, 0, 32);
    assert_int_equal(check(&all, &d.b, NULL, 0, NULL), GGK_OK);
    assert_int_equal(all.n, 1);
    assert_string_equal(all.at[0].id, "name-long");
    assert_string_equal(all.at[0].where, "tensor[0].name");
    assert_int_equal(all.at[0].offset, d.info[0]);
    bytes_free(&d.b);
}

static void test_unreadable(void **state)
{
    struct bytes b = importance_dat();
    struct importances d = importance_draft(3, false);
    (void)state;

    b.n = 50;
    expect_one(b, "unreadable", 47, "entry[1].name.len",
               "the file ends within the importance matrix");
    importance_end(&d);
    expect_one(d.b, "unreadable", GGK_NO_OFFSET, "",
               "the file holds no importance matrix: it has no tensors "
               "NAME.in_sum2");
    expect_one(importance_twice(), "entry-twice", 34, "entry[1]",
               "of one tensor there are importances more than once");
}

/* ---------------------------------------------------------------- the model */

static const struct {
    const char *name;
    uint64_t ne[2];
} weights[] = {
    {"token_embd.weight", {32, 2}},   {"blk.0.attn_norm.weight", {32, 1}},
    {"blk.0.attn_q.weight", {32, 2}}, {"blk.0.attn_k.weight", {32, 2}},
    {"blk.0.attn_v.weight", {32, 2}}, {"blk.0.odd.weight", {33, 2}}};

enum { WEIGHTS = 6 };

/* As many of the weights as `n`, and the last one as often as `times`. */
static ggk_model *open_model(size_t n, size_t times)
{
    static struct bytes b;
    ggk_model *model = NULL;

    bytes_free(&b);
    b = bytes_of(3, false);
    put_header(&b, n + times - 1, 1);
    put_kv_str(&b, "general.architecture", "llama");
    for (size_t i = 0; i < n + times - 1; i++) {
        size_t w = i < n ? i : n - 1;

        put_info(&b, weights[w].name, 2, weights[w].ne, T_F32, i * 288);
    }
    put_padding(&b, 32);
    put_fill(&b, 0, (n + times) * 288);
    assert_int_equal(ggk_model_open_source(kind_source(KIND_MEMORY, &b, NULL),
                                           NULL, &model, NULL),
                     GGK_OK);
    return model;
}

static void put_ones(struct bytes *b, const char *name, uint32_t n)
{
    put_name(b, name);
    put_u32(b, 1);
    put_u32(b, n);
    for (uint32_t i = 0; i < n; i++)
        put_f32(b, 1);
}

/* Importances of one weight, wrong ones of another, and some of none. */
static struct bytes some_importances(void)
{
    struct bytes b = bytes_of(3, false);

    put_u32(&b, 3);
    put_ones(&b, "blk.0.attn_q.weight", 32);
    put_ones(&b, "blk.0.attn_k.weight", 16);
    put_ones(&b, "blk.9.attn_q.weight", 32);
    return b;
}

static void test_model(void **state)
{
    static const struct found wanted[] = {
        {"weight-bare-end", GGK_NO_OFFSET, "",
         "\"token_embd.weight\" of the model has no entry", 0},
        {"entry-size", 194, "entry[1]",
         "\"blk.0.attn_k.weight\" has 16 values, and the tensor needs 32", 0},
        {"weight-bare", GGK_NO_OFFSET, "",
         "\"blk.0.attn_v.weight\" of the model has no entry", 0},
        {"entry-foreign", 289, "entry[2]",
         "\"blk.9.attn_q.weight\": the model has no such tensor", 0}};
    struct bytes b = some_importances();
    ggk_model *model = open_model(WEIGHTS, 1);
    struct findings all = {.stop_at = 0};
    (void)state;

    assert_int_equal(check(&all, &b, model, 0, NULL), GGK_OK);
    assert_int_equal(all.n, 4);
    for (size_t i = 0; i < all.n; i++) {
        assert_string_equal(all.at[i].id, wanted[i].id);
        assert_string_equal(all.at[i].where, wanted[i].where);
        assert_string_equal(all.at[i].what, wanted[i].what);
        assert_int_equal(all.at[i].offset, wanted[i].offset);
        note_seen(all.at[i].id);
    }
    assert_int_equal(all.verdict.n[GGK_SEVERITY_NOTE], 1);
    assert_int_equal(all.verdict.n[GGK_SEVERITY_WARNING], 2);
    assert_int_equal(all.verdict.n[GGK_SEVERITY_ERROR], 1);
    assert_int_equal(all.verdict.n_weights, 4);
    assert_int_equal(all.verdict.n_covered, 1);

    all.stop_at = 2; /* no more is told then, nor counted */
    assert_int_equal(check(&all, &b, model, 0, NULL), GGK_OK);
    assert_int_equal(all.n, 2);
    assert_int_equal(all.verdict.n[GGK_SEVERITY_WARNING], 0);
    ggk_model_close(model);
    bytes_free(&b);
}

/* Importances of another model, of none of whose weights they are. */
static void test_other_model(void **state)
{
    struct bytes b = bytes_of(3, false);
    ggk_model *model = open_model(WEIGHTS, 1);
    struct findings all = {.stop_at = 0};
    const struct found *last;
    (void)state;

    put_u32(&b, 1);
    put_ones(&b, "blk.9.attn_q.weight", 32);
    assert_int_equal(check(&all, &b, model, 0, NULL), GGK_OK);
    assert_int_equal(all.n, 6);
    last = &all.at[5];
    assert_string_equal(last->id, "model-bare");
    assert_string_equal(last->where, "");
    assert_string_equal(last->what,
                        "none of the 4 weights of the model has importances");
    assert_int_equal(last->offset, GGK_NO_OFFSET);
    note_seen(last->id);
    assert_int_equal(all.verdict.n[GGK_SEVERITY_WARNING], 4);
    assert_int_equal(all.verdict.n[GGK_SEVERITY_ERROR], 1);
    assert_int_equal(all.verdict.n_covered, 0);
    ggk_model_close(model);
    bytes_free(&b);
}

/* A model of which no recipe can be made. */
static void test_bad_model(void **state)
{
    struct bytes b = some_importances();
    ggk_model *model = open_model(3, 2);
    struct findings all = {.stop_at = 0};
    ggk_error err;
    (void)state;

    assert_int_equal(check(&all, &b, model, 0, &err), GGK_E_DUPLICATE);
    assert_string_equal(err.where, "tensor[3].name");
    assert_string_equal(err.file, "");
    assert_int_equal(all.verdict.n_entries, 0);
    ggk_model_close(model);
    bytes_free(&b);
}

/* ------------------------------------------------------------------- limits */

static void test_most(void **state)
{
    struct bytes b = bytes_of(3, false);
    struct findings all = {.stop_at = 0};
    (void)state;

    put_u32(&b, 5);
    for (char name[] = "a"; name[0] < 'f'; name[0]++) {
        put_name(&b, name);
        put_u32(&b, 1);
        put_u32(&b, 1);
        put_f32(&b, -1);
    }
    assert_int_equal(check(&all, &b, NULL, 2, NULL), GGK_OK);
    assert_int_equal(all.n, 3);
    assert_int_equal(all.at[1].more, 0);
    assert_string_equal(all.at[2].id, "negative");
    assert_string_equal(all.at[2].what, "3 more of these");
    assert_int_equal(all.at[2].more, 3);
    assert_int_equal(all.verdict.n[GGK_SEVERITY_ERROR], 5);
    assert_int_equal(ggk_imatrix_check(kind_source(KIND_MEMORY, &b, NULL), NULL,
                                       NULL, NULL, NULL, &all.verdict, NULL),
                     GGK_OK);
    assert_int_equal(all.verdict.n[GGK_SEVERITY_ERROR], 5);
    bytes_free(&b);
}

static void test_errors(void **state)
{
    const ggk_imatrix_check_opts flags = {.struct_bytes = sizeof flags,
                                          .flags = 1};
    struct bytes b = importance_dat();
    struct findings all = {.stop_at = 0};
    ggk_error err;
    (void)state;

    assert_int_equal(ggk_imatrix_check(kind_source(KIND_STREAM, &b, NULL), NULL,
                                       NULL, on_finding, &all, &all.verdict,
                                       &err),
                     GGK_E_UNSUPPORTED);
    assert_int_equal(ggk_imatrix_check(NULL, NULL, NULL, on_finding, &all,
                                       &all.verdict, &err),
                     GGK_E_ARG);
    assert_int_equal(ggk_imatrix_check(kind_source(KIND_MEMORY, &b, NULL), NULL,
                                       &flags, on_finding, &all, &all.verdict,
                                       &err),
                     GGK_E_ARG);
    assert_int_equal(all.n, 0);
    assert_int_equal(all.verdict.n_entries, 0);
    bytes_free(&b);
}

static void test_no_memory(void **state)
{
    struct bytes b = with_numbers(good);
    ggk_status status = GGK_E_NOMEM;
    size_t n;
    (void)state;

    for (n = 1; status == GGK_E_NOMEM; n++) {
        struct ledger ledger = {.fail_at = n};
        ggk_allocator alloc = ledger_allocator(&ledger);
        ggk_source *source = kind_source(KIND_MEMORY, &b, &alloc);
        struct findings all = {.stop_at = 0};

        if (source == NULL)
            continue;
        status = ggk_imatrix_check(source, NULL, NULL, on_finding, &all,
                                   &all.verdict, NULL);
        assert_int_equal(all.n, 0);
        assert_true(ledger_is_even(&ledger));
    }
    assert_int_equal(status, GGK_OK);
    assert_true(n > 12);
    bytes_free(&b);
}

/* The last one: were all rules broken? */
static void test_all_seen(void **state)
{
    (void)state;
    assert_in_range(ggk_imatrix_rule_count(), 1, 64);
    assert_null(ggk_imatrix_rule_at(ggk_imatrix_rule_count()));
    for (size_t i = 0; i < ggk_imatrix_rule_count(); i++)
        if (!seen[i])
            fail_msg("no test breaks %s", ggk_imatrix_rule_at(i)->id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_doubts),
        cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_very_long_name),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_other_model),
        cmocka_unit_test(test_bad_model),
        cmocka_unit_test(test_most),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_all_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
