/* fuzz_values.c - the header of any model, and bytes that its data is made of:
 * the last two.
 *
 * What is told of the numbers must hold together: counts and sums, the same by
 * one thread and by two, of one tensor and of all; a model is as far from
 * itself as can be told, not at all.
 */
#include <stdio.h>
#include <string.h>

#include "made_up.h"

#define MOST_TENSORS 64

struct tensors {
    uint64_t index[MOST_TENSORS];
    uint64_t n;
    ggk_stats stats[MOST_TENSORS];
    uint64_t n_told;
};

static void expect(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* Of the second of the last bytes: the same all over, numbers near to each
 * other, or anything. */
static uint8_t any_byte(uint64_t at, uint8_t kind)
{
    uint64_t mixed = (at + 1) * 0x9e3779b97f4a7c15u;

    if (kind < 64)
        return (uint8_t)(kind * 4);
    if (kind < 128)
        return at % 2 == 0 ? (uint8_t)(mixed >> 56) : kind;
    return (uint8_t)(mixed >> (kind % 56));
}

/* -------------------------------------------------------------------- stats */

static void expect_stats(const ggk_stats *s)
{
    uint64_t sum = 0, finite = s->n - s->n_nan - s->n_infinite;

    for (size_t i = 0; i < GGK_STATS_BINS; i++)
        sum += s->bins[i];
    expect(s->n_nan <= s->n && s->n_infinite <= s->n - s->n_nan, "counts");
    expect(sum == finite, "the histogram's sum");
    expect(s->n_zero <= finite, "zeros");
    expect(s->min <= s->max && s->deviation >= 0, "range");
    expect(finite > 0 || (s->min == 0 && s->max == 0 && s->mean == 0),
           "numbers of nothing");
    expect(s->min == s->max || s->bin_width > 0, "width");
}

static bool take_stats(void *ctx, const ggk_stats *stats)
{
    struct tensors *t = ctx;

    expect(t->n_told < t->n && stats->tensor == t->index[t->n_told], "order");
    expect_stats(stats);
    t->stats[t->n_told++] = *stats;
    return true;
}

static ggk_status find_stats(const ggk_model *model, struct tensors *t,
                             uint32_t n_threads)
{
    ggk_values_opts opts = {.struct_bytes = sizeof opts,
                            .n_threads = n_threads};

    t->n_told = 0;
    return ggk_model_stats(model, t->index, t->n, &opts, take_stats, t, NULL);
}

static bool same_stats(const ggk_stats *a, const ggk_stats *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* --------------------------------------------------------- check and compare
 */

static bool count_finding(void *ctx, const ggk_finding *finding)
{
    uint64_t *n = ctx;

    expect(strncmp(finding->rule->id, "numbers-", 8) == 0, "rule");
    *n += finding->more > 0 ? finding->more : 1;
    return true;
}

static void judge(const ggk_model *model)
{
    ggk_values_opts how = {.struct_bytes = sizeof how, .n_threads = 1};
    ggk_verdict verdict = {0};
    uint64_t n = 0, counted = 0;
    ggk_status status =
        ggk_check_data(model, NULL, &how, count_finding, &n, &verdict, NULL);

    for (size_t i = 0; i < 4; i++)
        counted += verdict.spec[i];
    expect(status != GGK_OK || n == counted, "findings");
}

static bool expect_none(void *ctx, const ggk_distance *d)
{
    (void)ctx;
    expect(d->n_differ == 0 && d->n_lost == 0 && d->rmse == 0 && d->max == 0,
           "far from itself");
    return true;
}

static void compare(const ggk_model *model, const struct tensors *t)
{
    ggk_values_opts opts = {.struct_bytes = sizeof opts, .n_threads = 1};
    ggk_pair pairs[MOST_TENSORS];

    for (uint64_t i = 0; i < t->n; i++)
        pairs[i] = (ggk_pair){t->index[i], t->index[i]};
    expect(ggk_models_compare(model, model, pairs, t->n, &opts, expect_none,
                              NULL, NULL) == GGK_OK,
           "compared with itself");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tensors one, two;
    struct made_up m = {data, size - 2, any_byte, 0};
    ggk_model *model;
    ggk_tensor tensor;

    if (size < 2)
        return 0;
    m.kind = data[size - 1];
    model = open_made_up(&m);
    if (model == NULL)
        return 0;
    one.n = 0;
    for (uint64_t i = 0; i < ggk_model_n_tensors(model); i++)
        if (one.n < MOST_TENSORS &&
            ggk_model_tensor(model, i, &tensor, NULL) == GGK_OK &&
            ggk_model_has_values(model, &tensor))
            one.index[one.n++] = i;
    judge(model);
    if (find_stats(model, &one, 1) == GGK_OK) {
        expect(one.n_told == one.n, "all of them");
        memcpy(two.index, one.index, sizeof one.index);
        two.n = one.n;
        expect(find_stats(model, &two, 2) == GGK_OK, "by two threads");
        for (uint64_t i = 0; i < one.n; i++)
            expect(same_stats(&one.stats[i], &two.stats[i]), "by two threads");
        compare(model, &one);
    }
    ggk_model_close(model);
    return 0;
}
