/* check_data.c - judges the numbers of tensors: NaN, infinities, scales that
 * are none, tensors that say nothing, and what was never filled or is damaged.
 *
 * In a type with scales nothing but these can make a number NaN, and hardly
 * anything else infinite: so only they are looked at. Whether all numbers are
 * the same is mostly known after the first span of a chunk.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/finite.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/opts.h"
#include "base/str.h"
#include "base/type_ids.h"
#include "model/check.h"
#include "ops/numbers.h"
#include "ops/suspects.h"
#include "ops/values.h"

struct judging {
    struct ggki_check check;
    struct ggki_u64s tensors; /* those that can be looked at */
};

/* How many there are of something, and 1 + the number of the first. */
struct count {
    uint64_t n, first;
};

/* What was found in a chunk, and in a tensor. */
struct found {
    struct count nan, infinite, scales;
    bool some;   /* there are numbers */
    bool varies; /* not all of them are the same: */
    double same; /* and its bits, where a double does not tell all apart */
    uint64_t bits;
    struct ggki_zeros zeros;
    struct ggki_sizes sizes;
};

/* ------------------------------------------------------------------- finding
 */

static void count(struct count *c, uint64_t i)
{
    if (c->n++ == 0)
        c->first = i + 1;
}

static void add_count(struct count *c, const struct count *b)
{
    if (c->n == 0)
        c->first = b->first;
    c->n += b->n;
}

/* `at` is the number of the first in the tensor. */
static void look_at_numbers(struct found *f, uint64_t at, const float *x,
                            size_t n)
{
    for (size_t i = ggki_find_not_finite(x, n); i < n; i++) {
        if (isnan(x[i]))
            count(&f->nan, at + i);
        else if (isinf(x[i]))
            count(&f->infinite, at + i);
    }
}

static void look_for_others(struct found *f, const float *x, size_t n)
{
    size_t i = 0;

    if (!f->some && n > 0)
        f->same = (double)x[0];
    f->some = f->some || n > 0;
    while (i < n && (double)x[i] == f->same)
        i++;
    f->varies = f->varies || i < n;
}

/* A number is as another if its bits are, but for the two zeros. */
static uint64_t bits_of(const ggk_type_info *type, const uint8_t *p, double x)
{
    return x == 0 || type->id != GGKI_I64 ? 0 : load_le64(p);
}

/* Doubles are few: all are looked at. */
static void look_at_doubles(const struct ggki_chunk *c, struct found *f)
{
    const ggk_type_info *type = c->item->sides[0].type;

    for (size_t i = 0, n; i < c->n; i += n) {
        const double *x;

        n = c->n - i < c->item->span ? c->n - i : c->item->span;
        x = ggki_chunk_doubles(c, 0, i, n);
        for (size_t k = 0; k < n; k++) {
            const uint8_t *p = c->blocks[0] + (i + k) * type->bytes;
            uint64_t bits = bits_of(type, p, x[k]);

            if (isnan(x[k]))
                count(&f->nan, c->at + i + k);
            else if (isinf(x[k]))
                count(&f->infinite, c->at + i + k);
            if (!f->some) {
                f->same = x[k];
                f->bits = bits;
            }
            f->some = true;
            f->varies = f->varies || x[k] != f->same || bits != f->bits;
        }
    }
}

/* Dequantize all, or as long as the numbers are the same. */
static void look_at_spans(const struct ggki_chunk *c, struct found *f, bool all)
{
    for (size_t i = 0, n; i < c->n && (all || !f->varies); i += n) {
        const float *x;

        n = c->n - i < c->item->span ? c->n - i : c->item->span;
        x = ggki_chunk_numbers(c, 0, i, n);
        if (all)
            look_at_numbers(f, c->at + i, x, n);
        if (!f->varies)
            look_for_others(f, x, n);
    }
}

static void look_at_scales(const struct ggki_chunk *c, struct found *f)
{
    const ggk_type_info *type = c->item->sides[0].type;
    size_t n = c->n / type->block, bad = 0;

    while (bad < n) {
        bad += ggki_numbers_find_bad_block(
            type, c->blocks[0] + bad * type->bytes, n - bad);
        if (bad < n)
            count(&f->scales, c->at + (uint64_t)bad * type->block);
        bad++;
    }
}

/* Of blocks whose scales are too large for their levels. */
static void look_at_huge_blocks(const struct ggki_chunk *c, struct found *f)
{
    const ggk_type_info *type = c->item->sides[0].type;
    size_t n = c->n / type->block, huge = 0;

    for (; huge < n; huge++) {
        size_t i;

        huge += ggki_numbers_find_huge_block(
            type, c->blocks[0] + huge * type->bytes, n - huge);
        i = huge * type->block;
        if (huge < n)
            look_at_numbers(f, c->at + i,
                            ggki_chunk_numbers(c, 0, i, type->block),
                            type->block);
    }
}

/* Are all scales finite? Of F16 and BF16 each number is like one, and those of
 * F32 have sizes, too. */
static bool are_finite(const struct ggki_chunk *c, struct found *f)
{
    const struct ggki_values *v = &c->item->sides[0];
    size_t n = c->n / v->type->block;

    if (ggki_is_weight(&v->info, v->type) && ggki_has_sizes(v->type))
        return ggki_sizes_add(&f->sizes, v->type, c->blocks[0], c->n, c->at);
    return ggki_numbers_have_scales(v->type) &&
           ggki_numbers_find_bad_block(v->type, c->blocks[0], n) == n;
}

static void look_at_floats(const struct ggki_chunk *c, struct found *f)
{
    const ggk_type_info *type = c->item->sides[0].type;
    bool finite = are_finite(c, f);

    if (type->block == 1 || !ggki_numbers_have_scales(type)) {
        look_at_spans(c, f, !finite);
        return;
    }
    if (!finite)
        look_at_scales(c, f);
    look_at_huge_blocks(c, f);
    look_at_spans(c, f, false);
}

static ggk_status look(const struct ggki_chunk *c, void *part, ggk_error *err)
{
    const struct ggki_values *v = &c->item->sides[0];
    struct found *f = part;

    (void)err;
    if (v->wide)
        look_at_doubles(c, f);
    else
        look_at_floats(c, f);
    if (ggki_is_weight(&v->info, v->type))
        ggki_zeros_find(&f->zeros, c->blocks[0],
                        (size_t)ggki_values_bytes(v->type, c->n));
    return GGK_OK;
}

static void merge(void *into, const void *part)
{
    struct found *whole = into;
    const struct found *f = part;

    add_count(&whole->nan, &f->nan);
    add_count(&whole->infinite, &f->infinite);
    add_count(&whole->scales, &f->scales);
    if (!whole->some) {
        whole->same = f->same;
        whole->bits = f->bits;
    }
    whole->varies =
        whole->varies || f->varies ||
        (f->some && (whole->same != f->same || whole->bits != f->bits));
    whole->some = whole->some || f->some;
    ggki_zeros_merge(&whole->zeros, &f->zeros);
    ggki_sizes_merge(&whole->sizes, &f->sizes);
}

/* ----------------------------------------------------------------- reporting
 */

/* A finding about `count` numbers or blocks, of which `first` is the number of
 * the first. */
static void tell(struct ggki_check *check, enum ggki_rule rule,
                 const struct ggki_values *v, uint64_t first, uint64_t count,
                 const char *what)
{
    const struct ggki_model_file *file = &check->model->files[v->info.file];
    ggk_str name = v->info.name;
    struct ggki_place place =
        ggki_field(v->info.data_off - file->gguf.base_off +
                       ggki_values_bytes(v->type, first),
                   "tensor", v->tensor - file->first_tensor, "data");

    check->numbers = (struct ggki_check_numbers){v->tensor, count, first};
    ggki_report(check, rule, place, "\"%.*s\": %s", ggki_shown(name), name.ptr,
                what);
    check->numbers = ggki_no_numbers();
}

/* `n` of so many, of which the first is number `c->first` - 1, are `what`. */
static void report_count(struct ggki_check *check, enum ggki_rule rule,
                         const struct ggki_values *v, const struct count *c,
                         uint64_t n, const char *what)
{
    char where[GGKI_NUMBER_PLACE_BYTES], sentence[256];

    if (c->n == 0)
        return;
    ggki_number_place(where, v->info.ne, v->info.n_dims, c->first - 1);
    snprintf(sentence, sizeof sentence,
             "%" PRIu64 " of %" PRIu64 " %s, the first at %s", c->n, n, what,
             where);
    tell(check, rule, v, c->first - 1, c->n, sentence);
}

static void report_same(struct ggki_check *check, const struct ggki_values *v,
                        const struct found *f)
{
    uint64_t n = v->info.n_elements;
    enum ggki_rule rule = ggki_is_weight(&v->info, v->type)
                              ? RULE_NUMBERS_NO_WEIGHTS
                          : f->same == 0 ? RULE_NUMBERS_ZERO
                                         : RULE_NUMBERS_CONSTANT;
    char sentence[128];

    if (f->same == 0)
        snprintf(sentence, sizeof sentence, "all %" PRIu64 " numbers are zero",
                 n);
    else
        snprintf(sentence, sizeof sentence, "all %" PRIu64 " numbers are %g", n,
                 f->same);
    tell(check, rule, v, 0, n, sentence);
}

/* Whole rows in a run of zero bytes, at least two: half of a tensor is no
 * padding; rows of tokens that do not exist are usual. */
static void report_zeros(struct ggki_check *check, const struct ggki_values *v,
                         const struct ggki_zeros *z)
{
    bool most = z->longest >= v->info.bytes / 2;
    uint64_t row, first, end;
    char sentence[128];

    if (z->longest == 0 || (!most && ggki_is_of_tokens(v->info.name)))
        return;
    row = ggki_values_bytes(v->type, v->info.ne[0]);
    first = z->at / row + (z->at % row > 0);
    end = (z->at + z->longest) / row;
    if (end < first + 2)
        return;
    snprintf(sentence, sizeof sentence,
             "rows %" PRIu64 " to %" PRIu64 " of %" PRIu64 " are all zero",
             first, end - 1, v->info.bytes / row);
    tell(check, most ? RULE_NUMBERS_NO_WEIGHTS : RULE_NUMBERS_ZERO_ROWS, v,
         first * v->info.ne[0], (end - first) * v->info.ne[0], sentence);
}

static void report_outliers(struct ggki_check *check,
                            const struct ggki_values *v,
                            const struct ggki_sizes *s)
{
    uint64_t n = ggki_sizes_outliers(s), all = v->info.n_elements;
    char where[GGKI_NUMBER_PLACE_BYTES], sentence[256];
    bool blocks = v->type->block > 1;

    if (n == 0)
        return;
    ggki_number_place(where, v->info.ne, v->info.n_dims, s->at);
    all = blocks ? all / v->type->block : (all - 1) / GGKI_SIZES_RUN + 1;
    snprintf(sentence, sizeof sentence,
             "%" PRIu64 " of %" PRIu64 " %s more than 1000 times larger than "
             "all others, the largest at %s",
             n, all,
             blocks ? "blocks have a scale" : "runs of 64 numbers have one",
             where);
    tell(check, RULE_NUMBERS_OUTLIER, v, s->at, n, sentence);
}

static bool report(void *ctx, const struct ggki_values_item *item,
                   const void *whole)
{
    struct judging *j = ctx;
    struct ggki_check *check = &j->check;
    const struct ggki_values *v = &item->sides[0];
    const struct found *f = whole;
    uint64_t n = v->info.n_elements;

    check->file = v->info.file;
    check->gguf = &check->model->files[check->file].gguf;
    check->verdict->n_looked++;
    report_count(check, RULE_NUMBERS_NAN, v, &f->nan, n, "numbers are NaN");
    report_count(check, RULE_NUMBERS_INFINITE, v, &f->infinite, n,
                 "numbers are infinite");
    report_count(check, RULE_NUMBERS_SCALE, v, &f->scales, n / v->type->block,
                 "blocks have a scale that is NaN or infinite");
    if (!f->varies && n > 1)
        report_same(check, v, f);
    else
        report_zeros(check, v, &f->zeros);
    report_outliers(check, v, &f->sizes);
    return !check->stopped;
}

/* ---------------------------------------------------------------------- work
 */

/* The tensors that can be looked at. That data is missing is a rule of its own.
 */
static ggk_status list_tensors(struct judging *j, ggk_error *err)
{
    const ggk_model *model = j->check.model;

    for (uint64_t i = 0; i < model->n_tensors; i++) {
        ggk_tensor t;
        ggk_status status = ggk_model_tensor(model, i, &t, err);

        if (status != GGK_OK)
            return status;
        if (ggk_model_has_values(model, &t) &&
            ggki_values_are_there(model, &t) &&
            !ggki_u64s_push(&j->tensors, &model->mem, i))
            return ggki_fail_memory(err);
    }
    return GGK_OK;
}

static ggk_status item_of(const void *ctx, uint64_t i,
                          struct ggki_values_item *out, ggk_error *err)
{
    const struct judging *j = ctx;

    return ggki_values_of(j->check.model, j->tensors.at[i], &out->sides[0],
                          err);
}

static ggk_status judge(struct judging *j, const ggk_values_opts *how,
                        ggk_error *err)
{
    struct ggki_values_work work = {.mem = &j->check.model->mem,
                                    .ctx = j,
                                    .item = item_of,
                                    .part_bytes = sizeof(struct found),
                                    .look = look,
                                    .merge = merge,
                                    .done = report};
    ggk_error why;
    ggk_status status = ggki_opts_take(&work.opts, sizeof work.opts, how, err);

    if (status == GGK_OK)
        status = list_tensors(j, err);
    work.n_items = j->tensors.n;
    if (status != GGK_OK)
        return status;
    status = ggki_values_run(&work, &why);
    if (status != GGK_OK && !(status == GGK_E_CANCELLED && j->check.stopped))
        return ggki_fail_copy(err, &why);
    ggki_report_rest(&j->check);
    return GGK_OK;
}

ggk_status ggk_check_data(const ggk_model *model, const ggk_check_opts *opts,
                          const ggk_values_opts *how,
                          ggk_on_finding *on_finding, void *ctx,
                          ggk_verdict *verdict, ggk_error *err)
{
    ggk_verdict found;
    struct judging j = {.tensors = {0}};
    ggk_status status = ggki_check_begin_as(&j.check, model, opts, on_finding,
                                            ctx, &found, err);

    if (status == GGK_OK)
        status = judge(&j, how, err);
    ggki_u64s_free(&j.tensors, &model->mem);
    for (int s = 0; s < 4 && status == GGK_OK; s++) {
        verdict->spec[s] += found.spec[s];
        verdict->llama_cpp[s] += found.llama_cpp[s];
    }
    if (status == GGK_OK)
        verdict->n_looked += found.n_looked;
    return status;
}
