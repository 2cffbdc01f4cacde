/* check_data.c - judges the numbers of tensors: NaN, infinities, scales that
 * are none, and tensors that say nothing.
 *
 * In a type with scales nothing but these can make a number NaN or infinite: so
 * only they are looked at. Whether all numbers are the same is mostly known
 * after the first span of a chunk.
 */
#include <inttypes.h>
#include <math.h>

#include "base/finite.h"
#include "base/mem.h"
#include "base/opts.h"
#include "base/str.h"
#include "model/check.h"
#include "ops/numbers.h"
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
    float same;
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
        f->same = x[0];
    f->some = f->some || n > 0;
    while (i < n && x[i] == f->same)
        i++;
    f->varies = f->varies || i < n;
}

/* Dequantize from number `from` of the chunk on: all, or as long as the numbers
 * are the same. */
static void look_at_spans(const struct ggki_chunk *c, struct found *f,
                          size_t from, bool all)
{
    for (size_t i = from, n; i < c->n && (all || !f->varies); i += n) {
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

/* A type of single numbers has the number where others have scales. */
static ggk_status look(const struct ggki_chunk *c, void *part, ggk_error *err)
{
    const ggk_type_info *type = c->item->sides[0].type;
    struct found *f = part;
    bool scales = ggki_numbers_have_scales(type);

    (void)err;
    if (scales && type->block > 1)
        look_at_scales(c, f);
    look_at_spans(c, f, 0,
                  !scales || (type->block == 1 &&
                              ggki_numbers_find_bad_block(type, c->blocks[0],
                                                          c->n) < c->n));
    return GGK_OK;
}

static void merge(void *into, const void *part)
{
    struct found *whole = into;
    const struct found *f = part;

    add_count(&whole->nan, &f->nan);
    add_count(&whole->infinite, &f->infinite);
    add_count(&whole->scales, &f->scales);
    if (!whole->some)
        whole->same = f->same;
    whole->varies = whole->varies || f->varies ||
                    (whole->some && f->some && whole->same != f->same);
    whole->some = whole->some || f->some;
}

/* ----------------------------------------------------------------- reporting
 */

/* `n` of so many, of which the first is number `c->first` - 1, are `what`. */
static void report_count(struct ggki_check *check, enum ggki_rule rule,
                         const struct ggki_values *v, const struct count *c,
                         uint64_t n, const char *what)
{
    const struct ggki_model_file *file = &check->model->files[v->info.file];
    ggk_str name = v->info.name;
    char where[GGKI_NUMBER_PLACE_BYTES];
    struct ggki_place place;

    if (c->n == 0)
        return;
    place = ggki_field(v->info.data_off - file->gguf.base_off +
                           ggki_values_bytes(v->type, c->first - 1),
                       "tensor", v->tensor - file->first_tensor, "data");
    ggki_number_place(where, v->info.ne, v->info.n_dims, c->first - 1);
    ggki_report(check, rule, place,
                "\"%.*s\": %" PRIu64 " of %" PRIu64 " %s, the first at %s",
                ggki_shown(name), name.ptr, c->n, n, what, where);
}

static void report_same(struct ggki_check *check, const struct ggki_values *v,
                        const struct found *f)
{
    const struct ggki_model_file *file = &check->model->files[v->info.file];
    ggk_str name = v->info.name;
    struct ggki_place place =
        ggki_field(v->info.data_off - file->gguf.base_off, "tensor",
                   v->tensor - file->first_tensor, "data");

    if (f->varies || v->info.n_elements < 2)
        return;
    if (f->same == 0)
        ggki_report(check, RULE_NUMBERS_ZERO, place,
                    "\"%.*s\": all %" PRIu64 " numbers are zero",
                    ggki_shown(name), name.ptr, v->info.n_elements);
    else
        ggki_report(check, RULE_NUMBERS_CONSTANT, place,
                    "\"%.*s\": all %" PRIu64 " numbers are %g",
                    ggki_shown(name), name.ptr, v->info.n_elements,
                    (double)f->same);
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
    report_count(check, RULE_NUMBERS_NAN, v, &f->nan, n, "numbers are NaN");
    report_count(check, RULE_NUMBERS_INFINITE, v, &f->infinite, n,
                 "numbers are infinite");
    report_count(check, RULE_NUMBERS_SCALE, v, &f->scales, n / v->type->block,
                 "blocks have a scale that is NaN or infinite");
    report_same(check, v, f);
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
    ggk_status status = ggki_opts_take(&work.opts, sizeof work.opts, how, err);

    if (status == GGK_OK)
        status = list_tensors(j, err);
    work.n_items = j->tensors.n;
    if (status == GGK_OK)
        status = ggki_values_run(&work, err);
    if (status == GGK_E_CANCELLED && j->check.stopped)
        status = GGK_OK;
    if (status == GGK_OK)
        ggki_report_rest(&j->check);
    return status;
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
    return status;
}
