/* imatrix_check.c - judges importances: what of them cannot be read, which
 * numbers they cannot be, and whether they are those of a model.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/opts.h"
#include "base/str.h"
#include "base/type_ids.h"
#include "io/source.h"
#include "model/check.h"
#include "model/imatrix.h"
#include "ops/imatrix_doubts.h"
#include "ops/recipe.h"

#define DEFAULT_MOST 10

/* A target that needs importances, so that its recipe tells who lacks them. */
#define NEEDY_TARGET "IQ2_XXS"

enum imatrix_rule {
#define RULE(name, id, weight, meaning, fix) IMATRIX_##name,
#include "ops/imatrix_rules.def"
#undef RULE
    N_IMATRIX_RULES
};

#define NOTE    GGK_SEVERITY_NOTE
#define WARNING GGK_SEVERITY_WARNING
#define ERROR   GGK_SEVERITY_ERROR

static const ggk_rule rules[N_IMATRIX_RULES] = {
#define RULE(name, id, weight, meaning, fix) \
    [IMATRIX_##name] = {id, GGK_SEVERITY_NONE, weight, meaning, fix},
#include "ops/imatrix_rules.def"
#undef RULE
};

#undef NOTE
#undef WARNING
#undef ERROR

size_t ggk_imatrix_rule_count(void)
{
    return N_IMATRIX_RULES;
}

const ggk_rule *ggk_imatrix_rule_at(size_t i)
{
    return i < N_IMATRIX_RULES ? &rules[i] : NULL;
}

/* ------------------------------------------------------------------- doubts */

/* Does the type look at importances? */
static bool is_weighed(uint32_t type)
{
    const ggk_type_info *info = ggk_type_by_id(type);

    if (!ggk_type_can_quantize(info) || (info->flags & GGK_TYPE_QUANTIZED) == 0)
        return false;
    return type != GGKI_Q8_0 && type != GGKI_TQ1_0 && type != GGKI_TQ2_0 &&
           type != GGKI_MXFP4 && type != GGKI_NVFP4 && type != GGKI_Q1_0 &&
           type != GGKI_Q2_0;
}

const ggk_rule *ggk_importances_doubt(const ggk_importances *e, uint32_t type,
                                      uint64_t *value)
{
    static const enum imatrix_rule rule_of[GGKI_DOUBTS] = {
        [GGKI_DOUBT_NEGATIVE] = IMATRIX_NEGATIVE,
        [GGKI_DOUBT_LARGE] = IMATRIX_LARGE,
        [GGKI_DOUBT_ZERO] = IMATRIX_ALL_ZERO,
        [GGKI_DOUBT_SMALL] = IMATRIX_SMALL};
    struct ggki_doubts d;

    *value = 0;
    if (!is_weighed(type))
        return NULL;
    ggki_doubts_of(e, false, &d);
    for (size_t i = 0; i < GGKI_DOUBTS; i++) {
        if (d.n[i] == 0)
            continue;
        *value = d.first[i];
        return &rules[rule_of[i]];
    }
    return NULL;
}

/* --------------------------------------------------------------- reporting */

struct judging {
    const ggk_imatrix *imatrix;
    uint32_t most; /* of each rule */
    ggk_on_finding *on_finding;
    void *ctx;
    ggk_imatrix_verdict *verdict;
    uint64_t counts[N_IMATRIX_RULES];
    bool stopped; /* the caller wants no more */
};

static void report(struct judging *j, enum imatrix_rule rule, uint64_t off,
                   const char *where, const char *what, ...) GGKI_FORMAT(5, 6);

static void report(struct judging *j, enum imatrix_rule rule, uint64_t off,
                   const char *where, const char *what, ...)
{
    char sentence[512];
    const ggk_finding finding = {.rule = &rules[rule],
                                 .offset = off,
                                 .where = where,
                                 .what = sentence,
                                 .tensor = GGK_NONE,
                                 .number = GGK_NONE};
    va_list args;

    if (j->stopped)
        return;
    j->verdict->n[rules[rule].llama_cpp]++;
    if (++j->counts[rule] > j->most || j->on_finding == NULL)
        return;
    va_start(args, what);
    vsnprintf(sentence, sizeof sentence, what, args);
    va_end(args);
    j->stopped = !j->on_finding(j->ctx, &finding);
}

/* ------------------------------------------------------- what is not read */

static void on_fault(void *ctx, enum ggki_fault fault, const ggk_error *why)
{
    static const enum imatrix_rule rule_of[GGKI_FAULTS] = {
        [GGKI_FAULT_NONE] = IMATRIX_UNREADABLE, /* is never told */
        [GGKI_FAULT_NAME] = IMATRIX_NAME,
        [GGKI_FAULT_PAIR] = IMATRIX_PAIR,
        [GGKI_FAULT_TYPE] = IMATRIX_TYPE,
        [GGKI_FAULT_SHAPE] = IMATRIX_SHAPE,
        [GGKI_FAULT_NUMBER] = IMATRIX_COUNT, /* values may be anything */
        [GGKI_FAULT_DATA] = IMATRIX_DATA,
        [GGKI_FAULT_OVERLAP] = IMATRIX_OVERLAP,
        [GGKI_FAULT_TWICE] = IMATRIX_TWICE};

    report(ctx, rule_of[fault], why->offset, why->where, "%s", why->what);
}

/* Is that a judgement of the file, or was it not to be had? */
static bool is_verdict(ggk_status status)
{
    return (status >= GGK_E_MAGIC && status < GGK_E_UNSUPPORTED) ||
           status == GGK_E_NOT_FOUND || status == GGK_E_TYPE ||
           status == GGK_E_RANGE || status == GGK_E_DUPLICATE;
}

static ggk_status read_all(struct judging *j, ggk_source *source,
                           ggk_imatrix **out, ggk_error *err)
{
    const struct ggki_imatrix_how how = {.flags =
                                             GGK_IMATRIX_SUMS | GGK_IMATRIX_ANY,
                                         .on_fault = on_fault,
                                         .ctx = j};
    const ggk_allocator mem = ggki_mem_of(source != NULL ? &source->mem : NULL);
    ggk_error why;
    ggk_status status = ggki_imatrix_read(source, &how, &mem, out, &why);

    if (status == GGK_OK)
        return GGK_OK;
    if (!is_verdict(status))
        return ggki_fail_copy(err, &why);
    report(j, IMATRIX_UNREADABLE, why.offset, why.where, "%s", why.what);
    return GGK_OK;
}

/* ------------------------------------------------------------------ numbers */

/* What is wrong with numbers of an entry: how many, and the first of them. */
struct oddity {
    uint64_t n, first;
};

static void note(struct oddity *odd, uint64_t i)
{
    if (odd->n++ == 0)
        odd->first = i;
}

static void report_values(struct judging *j, enum imatrix_rule rule,
                          const ggk_importances *e, uint64_t entry,
                          const struct oddity *odd)
{
    char where[64];

    if (odd->n == 0)
        return;
    snprintf(where, sizeof where, "entry[%llu].values[%llu]",
             (unsigned long long)entry, (unsigned long long)odd->first);
    report(j, rule, e->values_off + odd->first * 4, where,
           "\"%.*s\": %llu of %llu values, the first is %g",
           ggki_shown(e->name), e->name.ptr, (unsigned long long)odd->n,
           (unsigned long long)e->n_values, (double)e->values[odd->first]);
}

static void judge_values(struct judging *j, const ggk_importances *e,
                         uint64_t entry)
{
    struct oddity nan = {0, 0}, infinite = {0, 0}, negative = {0, 0};

    for (uint64_t i = 0; i < e->n_values; i++) {
        float x = e->values[i];

        if (isnan(x))
            note(&nan, i);
        else if (isinf(x))
            note(&infinite, i);
        else if (x < 0)
            note(&negative, i);
    }
    report_values(j, IMATRIX_NAN, e, entry, &nan);
    report_values(j, IMATRIX_INFINITE, e, entry, &infinite);
    report_values(j, IMATRIX_NEGATIVE, e, entry, &negative);
}

/* The first of what spoils blocks. */
static void report_doubt(struct judging *j, enum imatrix_rule rule,
                         const ggk_importances *e, uint64_t entry,
                         const struct ggki_doubts *d, enum ggki_doubt doubt)
{
    bool runs = doubt == GGKI_DOUBT_SMALL;
    uint64_t first = d->first[doubt];
    char where[64];

    if (d->n[doubt] == 0)
        return;
    snprintf(where, sizeof where, "entry[%llu].values[%llu]",
             (unsigned long long)entry, (unsigned long long)first);
    report(j, rule, e->values_off + first * 4, where,
           "\"%.*s\": %llu %s%s, the first, at %llu, is %g as a mean",
           ggki_shown(e->name), e->name.ptr, (unsigned long long)d->n[doubt],
           runs ? "run" : "value", ggki_plural(d->n[doubt]),
           (unsigned long long)first, (double)ggki_mean_of(e, true, first));
}

static void judge_means(struct judging *j, const ggk_importances *e,
                        uint64_t entry)
{
    struct ggki_doubts d;

    ggki_doubts_of(e, true, &d);
    report_doubt(j, IMATRIX_LARGE, e, entry, &d, GGKI_DOUBT_LARGE);
    report_doubt(j, IMATRIX_SMALL, e, entry, &d, GGKI_DOUBT_SMALL);
}

static bool is_all_zero(const ggk_importances *e, uint64_t slice)
{
    uint64_t n = e->n_values / e->n_slices;

    for (uint64_t i = slice * n; i < (slice + 1) * n; i++)
        if (e->values[i] != 0)
            return false;
    return true;
}

/* "entry[3]", or "entry[3].counts[5]" of several. */
static void report_slices(struct judging *j, enum imatrix_rule rule,
                          const ggk_importances *e, uint64_t entry,
                          const struct oddity *odd, const char *what)
{
    char where[64];
    int n;

    if (odd->n == 0)
        return;
    n = snprintf(where, sizeof where, "entry[%llu]", (unsigned long long)entry);
    if (e->n_slices == 1) {
        report(j, rule, e->counts_off, where, "\"%.*s\": %s",
               ggki_shown(e->name), e->name.ptr, what);
        return;
    }
    snprintf(where + n, sizeof where - (size_t)n, ".counts[%llu]",
             (unsigned long long)odd->first);
    report(j, rule, e->counts_off + odd->first * 4, where,
           "\"%.*s\": %s, of %llu of %llu experts, the first is %llu",
           ggki_shown(e->name), e->name.ptr, what, (unsigned long long)odd->n,
           (unsigned long long)e->n_slices, (unsigned long long)odd->first);
}

static void judge_fraction(struct judging *j, const ggk_importances *e,
                           uint64_t entry)
{
    char where[64];

    if (e->rounded == GGK_NONE)
        return;
    snprintf(where, sizeof where, "entry[%llu].counts[%llu]",
             (unsigned long long)entry, (unsigned long long)e->rounded);
    report(j, IMATRIX_COUNT_BROKEN, e->counts_off + e->rounded * 4, where,
           "\"%.*s\": count %llu is %g", ggki_shown(e->name), e->name.ptr,
           (unsigned long long)e->rounded, (double)e->rounded_from);
}

/* The counts, and what only together with them says something. In a .dat values
 * that are not counted are what they are. */
static void judge_counts(struct judging *j, const ggk_importances *e,
                         uint64_t entry, bool legacy)
{
    struct oddity negative = {0, 0}, unseen = {0, 0}, uncounted = {0, 0};
    struct oddity zero = {0, 0};

    for (uint64_t s = 0; s < e->n_slices; s++) {
        bool all_zero = is_all_zero(e, s);

        if (e->counts[s] < 0)
            note(&negative, s);
        else if (e->counts[s] == 0 && !legacy && e->rounded == GGK_NONE)
            note(all_zero ? &unseen : &uncounted, s);
        else if (all_zero)
            note(&zero, s);
    }
    report_slices(j, IMATRIX_COUNT_NEGATIVE, e, entry, &negative,
                  "the count is negative");
    report_slices(j, IMATRIX_ALL_ZERO, e, entry, &zero, "all values are zero");
    report_slices(j, IMATRIX_UNCOUNTED, e, entry, &uncounted,
                  "sums that the count says are of nothing");
    report_slices(
        j, unseen.n < e->n_slices ? IMATRIX_UNSEEN : IMATRIX_ENTRY_UNSEEN, e,
        entry, &unseen, "no token was counted");
}

static void judge_name(struct judging *j, const ggk_importances *e,
                       uint64_t entry)
{
    uint64_t bytes = e->name.len + strlen(GGKI_IMATRIX_SUMS);
    char where[32];

    if (bytes <= GGKI_IMATRIX_NAME_MOST)
        return;
    snprintf(where, sizeof where, "entry[%llu]", (unsigned long long)entry);
    report(j, IMATRIX_NAME, e->values_off, where,
           "\"%.*s%s\": the name is %llu bytes long", ggki_shown(e->name),
           e->name.ptr, GGKI_IMATRIX_SUMS, (unsigned long long)bytes);
}

static void judge_entries(struct judging *j)
{
    ggk_imatrix_info info;

    ggk_imatrix_about(j->imatrix, &info);
    if (!info.legacy && !info.is_complete)
        report(j, IMATRIX_KEYS, GGK_NO_OFFSET, "",
               "a key is missing: %s, %s and %s must all be there",
               GGKI_IMATRIX_DATASETS, GGKI_IMATRIX_N_CHUNKS,
               GGKI_IMATRIX_CHUNK_SIZE);
    j->verdict->n_entries = info.n_entries;
    for (uint64_t i = 0; i < info.n_entries && !j->stopped; i++) {
        const ggk_importances *e = &j->imatrix->entries[i];

        if (!info.legacy)
            judge_name(j, e, i);
        judge_values(j, e, i);
        judge_means(j, e, i);
        judge_fraction(j, e, i);
        judge_counts(j, e, i, info.legacy);
    }
}

/* ---------------------------------------------------------------- the model */

static void judge_size(struct judging *j, const ggk_tensor *t, ggk_str name)
{
    uint64_t i = ggk_imatrix_find(j->imatrix, name);
    const ggk_importances *e = &j->imatrix->entries[i];
    char where[32];

    snprintf(where, sizeof where, "entry[%llu]", (unsigned long long)i);
    report(j, IMATRIX_SIZE, e->values_off, where,
           "\"%.*s\" has %llu values, and the tensor needs %llu",
           ggki_shown(name), name.ptr, (unsigned long long)e->n_values,
           (unsigned long long)sat_mul64(t->ne[0], t->ne[2]));
}

static void judge_bare(struct judging *j, ggk_str name)
{
    enum ggki_role role = ggki_role_of(name);
    bool is_end = role == GGKI_ROLE_EMBEDDING || role == GGKI_ROLE_OUTPUT;

    report(j, is_end ? IMATRIX_BARE_END : IMATRIX_BARE, GGK_NO_OFFSET, "",
           "\"%.*s\" of the model has no entry", ggki_shown(name), name.ptr);
}

static ggk_status judge_tensor(struct judging *j, const ggk_model *model,
                               const ggk_recipe_tensor *r, ggk_error *err)
{
    const ggk_type_info *to = ggk_type_by_id(r->to);
    ggk_tensor t;
    ggk_status status;

    if (r->to == r->from || r->obstacle == GGK_OBSTACLE_SOURCE ||
        (to->flags & GGK_TYPE_QUANTIZED) == 0)
        return GGK_OK;
    status = ggk_model_tensor(model, r->tensor, &t, err);
    if (status != GGK_OK)
        return status;
    j->verdict->n_weights++;
    if (r->importances != GGK_NONE)
        j->verdict->n_covered++;
    else if (r->obstacle == GGK_OBSTACLE_SHAPE)
        judge_size(j, &t, t.name);
    else
        judge_bare(j, t.name);
    return GGK_OK;
}

/* Entries of another size say themselves that they are of another model. */
static void judge_coverage(struct judging *j)
{
    if (j->verdict->n_covered == 0 && j->counts[IMATRIX_BARE] > 0)
        report(j, IMATRIX_NONE, GGK_NO_OFFSET, "",
               "none of the %llu weights of the model has importances",
               (unsigned long long)j->verdict->n_weights);
}

static void judge_foreign(struct judging *j, const ggk_model *model)
{
    for (uint64_t i = 0; i < j->imatrix->info.n_entries; i++) {
        const ggk_importances *e = &j->imatrix->entries[i];
        char where[32];
        uint64_t found;

        if (ggk_model_find_tensor(model, e->name, &found, NULL) !=
            GGK_E_NOT_FOUND)
            continue;
        snprintf(where, sizeof where, "entry[%llu]", (unsigned long long)i);
        report(j, IMATRIX_FOREIGN, e->values_off, where,
               "\"%.*s\": the model has no such tensor", ggki_shown(e->name),
               e->name.ptr);
    }
}

static ggk_status judge_model(struct judging *j, const ggk_model *model,
                              ggk_error *err)
{
    const ggk_recipe_opts opts = {
        .struct_bytes = sizeof opts,
        .flags = GGK_RECIPE_PURE | GGK_RECIPE_REQUANTIZE | GGK_RECIPE_IMATRIX,
        .target = NEEDY_TARGET,
        .imatrix = j->imatrix};
    ggk_recipe *recipe;
    ggk_recipe_tensor r;
    ggk_status status = ggk_recipe_new(model, &opts, &recipe, err);

    for (uint64_t i = 0; status == GGK_OK && i < ggk_recipe_n_tensors(recipe);
         i++) {
        status = ggk_recipe_tensor_at(recipe, i, &r, err);
        if (status == GGK_OK)
            status = judge_tensor(j, model, &r, err);
    }
    ggk_recipe_free(recipe);
    if (status == GGK_OK) {
        judge_foreign(j, model);
        judge_coverage(j);
    } else if (err != NULL && err->file[0] == '\0' &&
               model->files[0].path != NULL) {
        ggki_err_set_file(err, model->files[0].path);
    }
    return status;
}

static ggk_status take_opts(const ggk_imatrix_check_opts *opts, uint32_t *most,
                            ggk_error *err)
{
    ggk_imatrix_check_opts taken;
    ggk_status status = ggki_opts_take(&taken, sizeof taken, opts, err);

    if (status == GGK_OK)
        status = ggki_opts_check_flags(taken.flags, 0, err);
    if (status == GGK_OK)
        *most = taken.max_per_rule > 0 ? taken.max_per_rule : DEFAULT_MOST;
    return status;
}

ggk_status ggk_imatrix_check(ggk_source *source, const ggk_model *model,
                             const ggk_imatrix_check_opts *opts,
                             ggk_on_finding *on_finding, void *ctx,
                             ggk_imatrix_verdict *out, ggk_error *err)
{
    struct judging j = {.on_finding = on_finding, .ctx = ctx, .verdict = out};
    ggk_imatrix *imatrix;
    ggk_status status;

    memset(out, 0, sizeof *out);
    status = take_opts(opts, &j.most, err);
    if (status != GGK_OK) {
        ggk_source_close(source);
        return status;
    }
    status = read_all(&j, source, &imatrix, err);
    if (status == GGK_OK && imatrix != NULL) {
        j.imatrix = imatrix;
        judge_entries(&j);
        if (model != NULL)
            status = judge_model(&j, model, err);
    }
    if (status != GGK_OK)
        memset(out, 0, sizeof *out);
    else if (!j.stopped)
        (void)ggki_tell_rest(rules, j.counts, N_IMATRIX_RULES, j.most,
                             on_finding, ctx);
    ggk_imatrix_close(imatrix);
    return status;
}
