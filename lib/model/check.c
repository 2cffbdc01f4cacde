/* check.c - judges a model by the rules: opens it as a judge, runs the parts in
 * order, counts and reports. */
#include "model/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/opts.h"
#include "io/source.h"

#define DEFAULT_MAX_PER_RULE 10

/* The weights, by their names in the table. */
#define NONE    GGK_SEVERITY_NONE
#define NOTE    GGK_SEVERITY_NOTE
#define WARNING GGK_SEVERITY_WARNING
#define ERROR   GGK_SEVERITY_ERROR

static const ggk_rule rules[N_RULES] = {
#define RULE(name, id, spec, llama_cpp, meaning, fix) \
    [RULE_##name] = {id, spec, llama_cpp, meaning, fix},
#include "model/check_rules.def"
#undef RULE
};

#undef NONE
#undef NOTE
#undef WARNING
#undef ERROR

size_t ggk_rule_count(void)
{
    return N_RULES;
}

const ggk_rule *ggk_rule_at(size_t i)
{
    return i < N_RULES ? &rules[i] : NULL;
}

/* --------------------------------------------------------------- reporting */

static bool in_force(const struct ggki_check *c, const ggk_rule *rule)
{
    return ((c->profiles & GGK_PROFILE_SPEC) != 0 &&
            rule->spec != GGK_SEVERITY_NONE) ||
           ((c->profiles & GGK_PROFILE_LLAMA_CPP) != 0 &&
            rule->llama_cpp != GGK_SEVERITY_NONE);
}

/* Count `n` findings of a rule; false if it is not in force, or the caller
 * wants no more. */
static bool count_findings(struct ggki_check *c, enum ggki_rule number,
                           uint64_t n)
{
    const ggk_rule *rule = &rules[number];

    if (c->stopped || !in_force(c, rule))
        return false;
    if ((c->profiles & GGK_PROFILE_SPEC) != 0)
        c->verdict->spec[rule->spec] += n;
    if ((c->profiles & GGK_PROFILE_LLAMA_CPP) != 0)
        c->verdict->llama_cpp[rule->llama_cpp] += n;
    c->counts[number] += n;
    return true;
}

/* Count one; true if it is to be reported too. */
static bool count_finding(struct ggki_check *c, enum ggki_rule number)
{
    return count_findings(c, number, 1) && c->counts[number] <= c->max_per_rule;
}

static void send(struct ggki_check *c, const ggk_finding *finding)
{
    if (c->on_finding != NULL)
        c->stopped = !c->on_finding(c->ctx, finding);
}

/* "kv[3].value[7]", "header.version", "" */
static void write_where(char *out, size_t bytes, const struct ggki_place *p)
{
    int len = 0;

    out[0] = '\0';
    if (p->section == NULL)
        return;
    if (p->index == GGK_NONE)
        len = snprintf(out, bytes, "%s.%s", p->section, p->field);
    else
        len = snprintf(out, bytes, "%s[%llu].%s", p->section,
                       (unsigned long long)p->index, p->field);
    if (p->element != GGK_NONE)
        snprintf(out + len, bytes - (size_t)len, "[%llu]",
                 (unsigned long long)p->element);
}

void ggki_report(struct ggki_check *c, enum ggki_rule rule,
                 struct ggki_place place, const char *what, ...)
{
    char where[128];
    char sentence[512];
    ggk_finding finding = {.rule = &rules[rule],
                           .file = c->first_shard + c->file,
                           .offset = GGK_NO_OFFSET,
                           .where = where,
                           .what = sentence,
                           .tensor = c->numbers.tensor,
                           .count = c->numbers.count,
                           .number = c->numbers.first};
    va_list args;

    if (!count_finding(c, rule))
        return;
    va_start(args, what);
    vsnprintf(sentence, sizeof sentence, what, args);
    va_end(args);
    write_where(where, sizeof where, &place);
    if (place.pos != GGK_NO_OFFSET)
        finding.offset = c->gguf->base_off + place.pos;
    send(c, &finding);
}

void ggki_check_failed(struct ggki_check *c, const ggk_error *err)
{
    if (c->failed.status == GGK_OK)
        c->failed = *err;
}

bool ggki_tell_rest(const ggk_rule *of, const uint64_t *counts, size_t n,
                    uint64_t most, ggk_on_finding *on_finding, void *ctx)
{
    bool goes_on = on_finding != NULL;

    for (size_t i = 0; i < n && goes_on; i++) {
        char sentence[64];
        ggk_finding finding = {.rule = &of[i],
                               .offset = GGK_NO_OFFSET,
                               .where = "",
                               .what = sentence,
                               .tensor = GGK_NONE,
                               .number = GGK_NONE};

        if (counts[i] <= most)
            continue;
        finding.more = counts[i] - most;
        snprintf(sentence, sizeof sentence, "%llu more of these",
                 (unsigned long long)finding.more);
        goes_on = on_finding(ctx, &finding);
    }
    return goes_on;
}

void ggki_report_rest(struct ggki_check *c)
{
    if (!c->stopped)
        c->stopped = !ggki_tell_rest(rules, c->counts, N_RULES, c->max_per_rule,
                                     c->on_finding, c->ctx);
}

/* ------------------------------------------------------- errors as findings */

static enum ggki_rule rule_of(ggk_status status)
{
    switch (status) {
    case GGK_E_MAGIC: return RULE_NOT_GGUF;
    case GGK_E_VERSION:
    case GGK_E_VERSION_NEW: return RULE_VERSION_UNKNOWN;
    case GGK_E_TRUNCATED: return RULE_TRUNCATED;
    case GGK_E_COUNT: return RULE_COUNT;
    case GGK_E_STRLEN: return RULE_STRING_LENGTH;
    case GGK_E_KV_TYPE: return RULE_VALUE_TYPE;
    case GGK_E_ELEM_TYPE: return RULE_ARRAY_TYPE;
    case GGK_E_DEPTH: return RULE_ARRAY_DEPTH;
    case GGK_E_ALIGN: return RULE_ALIGN_VALUE;
    case GGK_E_ALIGN_TYPE: return RULE_ALIGN_TYPE;
    case GGK_E_ALIGN_DUP: return RULE_ALIGN_DIFFERS;
    case GGK_E_NDIMS: return RULE_N_DIMS;
    case GGK_E_DIM: return RULE_DIM;
    case GGK_E_OVERFLOW: return RULE_OVERFLOW;
    case GGK_E_BLOCK: return RULE_BLOCK;
    case GGK_E_OFFSET: return RULE_OFFSET_RANGE;
    case GGK_E_DATA_MISSING: return RULE_DATA_MISSING;
    case GGK_E_SPLIT: return RULE_SPLIT_BROKEN;
    case GGK_E_SPLIT_MISSING: return RULE_SPLIT_MISSING;
    case GGK_OK:
    case GGK_E_VALUE:
    case GGK_E_OVERLAP:
    case GGK_E_ARG:
    case GGK_E_TYPE:
    case GGK_E_RANGE:
    case GGK_E_NOT_FOUND:
    case GGK_E_DUPLICATE:
    case GGK_E_IO:
    case GGK_E_NOMEM:
    case GGK_E_CHANGED:
    case GGK_E_LIMIT:
    case GGK_E_EXISTS:
    case GGK_E_SAME_FILE:
    case GGK_E_LOCKED:
    case GGK_E_INTERRUPTED:
    case GGK_E_CANCELLED:
    case GGK_E_TYPE_TABLE:
    case GGK_E_UNSUPPORTED:
    case GGK_E_BUG: break;
    }
    return N_RULES; /* says nothing about the content */
}

/* Report an error that the reader met in shard `file`. */
static void report_error(struct ggki_check *c, uint32_t file,
                         const ggk_error *err)
{
    enum ggki_rule rule = rule_of(err->status);
    ggk_finding finding = {.file = file,
                           .offset = err->offset,
                           .where = err->where,
                           .what = err->what,
                           .tensor = GGK_NONE,
                           .number = GGK_NONE};

    if (!count_finding(c, rule))
        return;
    finding.rule = &rules[rule];
    send(c, &finding);
}

/* Those that it kept, and those that it only counted. */
static void report_problems(struct ggki_check *c)
{
    const struct ggki_problems *problems = &c->gguf->problems;

    for (size_t i = 0; i < problems->n; i++)
        report_error(c, c->first_shard + c->file, &problems->at[i]);
    for (int s = 0; s < GGKI_N_STATUS; s++) {
        enum ggki_rule rule = rule_of((ggk_status)s);
        if (problems->n_met[s] > GGKI_PROBLEMS_KEPT)
            count_findings(c, rule, problems->n_met[s] - GGKI_PROBLEMS_KEPT);
    }
}

/* ----------------------------------------------------------------- judging */

static void check_version(struct ggki_check *c)
{
    const struct ggki_gguf *g = c->gguf;
    struct ggki_place magic = ggki_field(0, "header", GGK_NONE, "magic");
    struct ggki_place version = ggki_field(4, "header", GGK_NONE, "version");

    if (g->swapped_magic)
        ggki_report(c, RULE_MAGIC_SWAPPED, magic, "the magic is FUGG");
    if (g->version < 3)
        ggki_report(c, g->version == 1 ? RULE_VERSION_1 : RULE_VERSION_2,
                    version, "the file is of version %lu",
                    (unsigned long)g->version);
    if (g->big)
        ggki_report(c, RULE_BIG_ENDIAN, version, "the file is big-endian");
}

static void judge_file(struct ggki_check *c)
{
    check_version(c);
    report_problems(c);
    ggki_check_keys(c);
    ggki_check_alignment(c);
    ggki_check_tensors(c);
    ggki_check_layout(c);
    ggki_check_split_keys(c);
}

/* What the loader does with the worst of the files. */
static void foretell(struct ggki_check *c)
{
    ggk_verdict *verdict = c->verdict;

    verdict->loads = GGK_LOADS_ALL;
    for (uint32_t i = 0; i < c->model->n_files; i++) {
        char reason[sizeof verdict->reason] = "";
        ggk_loads loads;
        if (!ggki_loader_verdict(c->model, &c->model->files[i].gguf, &loads,
                                 reason, sizeof reason))
            c->no_memory = true;
        else if (i == 0 || loads < verdict->loads) {
            verdict->loads = loads;
            memcpy(verdict->reason, reason, sizeof reason);
        }
    }
}

/* Are all shards of the set there, read to their end? */
static bool is_whole(const ggk_model *model)
{
    for (uint32_t i = 0; i < model->n_files; i++)
        if (model->files[i].gguf.cut)
            return false;
    return !ggki_is_part(model);
}

static void judge_model(struct ggki_check *c)
{
    c->whole = is_whole(c->model);
    c->verdict->n_tensors = c->model->n_tensors;
    for (c->file = 0; c->file < c->model->n_files && !c->stopped; c->file++) {
        c->gguf = &c->model->files[c->file].gguf;
        judge_file(c);
    }
    c->file = 0;
    c->gguf = &c->model->files[0].gguf;
    ggki_check_split(c);
    ggki_check_parameters(c);
    ggki_check_tokenizer(c);
    foretell(c);
}

/* ----------------------------------------------------------------- opening */

/* The caller's options, as far as they go, into `taken`. */
static ggk_status start_check(const ggk_check_opts *opts,
                              ggk_on_finding *on_finding, void *ctx,
                              ggk_verdict *out, struct ggki_check *c,
                              ggk_check_opts *taken, ggk_error *err)
{
    const uint32_t known = GGK_PROFILE_SPEC | GGK_PROFILE_LLAMA_CPP;
    ggk_status status;

    memset(out, 0, sizeof *out);
    memset(c, 0, sizeof *c);
    c->numbers = ggki_no_numbers();
    c->profiles = known;
    c->max_per_rule = DEFAULT_MAX_PER_RULE;
    c->on_finding = on_finding;
    c->ctx = ctx;
    c->verdict = out;
    status = ggki_opts_take(taken, sizeof *taken, opts, err);
    if (status == GGK_OK)
        status = ggki_opts_check_flags(taken->profiles, known, err);
    if (status != GGK_OK)
        return status;
    if (taken->profiles != 0)
        c->profiles = taken->profiles;
    if (taken->max_per_rule != 0)
        c->max_per_rule = taken->max_per_rule;
    return GGK_OK;
}

/* The file did not open, for a reason that is a finding. */
static void judge_failure(struct ggki_check *c, const ggk_error *err)
{
    report_error(c, c->first_shard, err);
    c->verdict->loads = GGK_LOADS_NOT;
    snprintf(c->verdict->reason, sizeof c->verdict->reason, "%.*s",
             (int)sizeof c->verdict->reason - 1, err->what);
}

/* The shard that a file is by its name, from 0. */
static uint32_t shard_of(const char *path)
{
    struct ggki_shard_name name;

    return ggki_shard_name_parse(path, &name) ? name.number - 1 : 0;
}

/* A set that is not whole, or contradicts itself: say so, and judge the file
 * that was named. */
static ggk_status judge_alone(struct ggki_check *c, const char *path,
                              const ggk_open_opts *opts, ggk_model **model,
                              ggk_error *failure)
{
    ggk_open_opts alone;
    ggk_error second;
    ggk_status status;

    /* They were good for the set. */
    (void)ggki_opts_take(&alone, sizeof alone, opts, NULL);
    alone.struct_bytes = sizeof alone;
    alone.flags |= GGK_OPEN_SINGLE;
    status = ggki_model_open(path, NULL, &alone, true, model, &second);
    if (status == GGK_E_SPLIT)
        return status; /* a folder, of which no file is the one to judge */
    c->first_shard = shard_of(path);
    report_error(
        c, failure->file[0] != '\0' ? shard_of(failure->file) : c->first_shard,
        failure);
    if (status != GGK_OK)
        *failure = second;
    return status;
}

static ggk_status judge(const char *path, ggk_source *source,
                        const ggk_open_opts *open, struct ggki_check *c,
                        ggk_error *err)
{
    ggk_model *model = NULL;
    ggk_error failure;
    ggk_status status =
        ggki_model_open(path, source, open, true, &model, &failure);

    if (path != NULL &&
        (status == GGK_E_SPLIT || status == GGK_E_SPLIT_MISSING))
        status = judge_alone(c, path, open, &model, &failure);
    if (status == GGK_E_SPLIT ||
        (status != GGK_OK && rule_of(status) == N_RULES))
        return ggki_fail_copy(err, &failure);
    if (status != GGK_OK) {
        judge_failure(c, &failure);
    } else {
        c->model = model;
        judge_model(c);
    }
    ggki_report_rest(c);
    ggk_model_close(model);
    return c->no_memory ? ggki_fail_memory(err) : GGK_OK;
}

ggk_status ggki_check_begin_as(struct ggki_check *c, const ggk_model *model,
                               const ggk_check_opts *opts,
                               ggk_on_finding *on_finding, void *ctx,
                               ggk_verdict *verdict, ggk_error *err)
{
    ggk_check_opts taken;
    ggk_status status =
        start_check(opts, on_finding, ctx, verdict, c, &taken, err);

    c->model = model;
    c->gguf = &model->files[0].gguf;
    return status;
}

void ggki_check_begin(struct ggki_check *c, const ggk_model *model,
                      ggk_on_finding *on_finding, void *ctx,
                      ggk_verdict *verdict)
{
    (void)ggki_check_begin_as(c, model, NULL, on_finding, ctx, verdict, NULL);
}

ggk_status ggki_check_model(const ggk_model *model, ggk_on_finding *on_finding,
                            void *ctx, ggk_error *err)
{
    struct ggki_check c;
    ggk_verdict verdict;

    ggki_check_begin(&c, model, on_finding, ctx, &verdict);
    judge_model(&c);
    ggki_report_rest(&c);
    if (c.no_memory)
        return ggki_fail_memory(err);
    return c.failed.status == GGK_OK ? GGK_OK : ggki_fail_copy(err, &c.failed);
}

/* Judge `path`, or else `source`, which is taken over. */
static ggk_status check(const char *path, ggk_source *source,
                        const ggk_check_opts *opts, ggk_on_finding *on_finding,
                        void *ctx, ggk_verdict *out, ggk_error *err)
{
    struct ggki_check c;
    ggk_check_opts taken;
    ggk_status status;

    if (out == NULL) {
        ggk_source_close(source);
        return ggki_fail(err, GGK_E_ARG, "no place for the verdict");
    }
    status = start_check(opts, on_finding, ctx, out, &c, &taken, err);
    if (status != GGK_OK)
        ggk_source_close(source);
    else
        status = judge(path, source, taken.open, &c, err);
    if (status != GGK_OK)
        memset(out, 0, sizeof *out);
    return status;
}

ggk_status ggk_check(const char *path, const ggk_check_opts *opts,
                     ggk_on_finding *on_finding, void *ctx, ggk_verdict *out,
                     ggk_error *err)
{
    if (path != NULL)
        return check(path, NULL, opts, on_finding, ctx, out, err);
    if (out != NULL)
        memset(out, 0, sizeof *out);
    return ggki_fail(err, GGK_E_ARG, "no path");
}

ggk_status ggk_check_source(ggk_source *source, const ggk_check_opts *opts,
                            ggk_on_finding *on_finding, void *ctx,
                            ggk_verdict *out, ggk_error *err)
{
    if (source != NULL)
        return check(NULL, source, opts, on_finding, ctx, out, err);
    if (out != NULL)
        memset(out, 0, sizeof *out);
    return ggki_fail(err, GGK_E_ARG, "no source");
}
