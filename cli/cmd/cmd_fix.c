/* cmd_fix.c - gguf fix: a model once more, repaired. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/loading.h"
#include "command.h"
#include "finding.h"
#include "input.h"
#include "out/fmt.h"
#include "out/text.h"
#include "show.h"
#include "writing.h"

struct fix_options {
    bool in_place;
    bool backup;
};

static const struct opt fix_options[] = {
    {"in-place", 0, OPT_FLAG, NULL, "replace FILE, if there is something to do",
     offsetof(struct fix_options, in_place), NULL},
    {"backup", 0, OPT_FLAG, NULL, "keep what is replaced as NAME.bak",
     offsetof(struct fix_options, backup), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* Findings that outlive the call that told them. */
struct findings {
    ggk_finding *at;
    size_t n, capacity;
    bool no_memory;
};

/* One model on its way. */
struct fixing {
    const struct cli *cli;
    const struct fix_options *options;
    const struct input *in;
    bool replaces; /* the files themselves */
    ggk_plan *plan;
    ggk_fixed fixed;
    struct findings repairs, left;
    ggk_verdict verdict;
    bool gaps_empty; /* of the files that are replaced */
};

/* ----------------------------------------------------------------- findings */

static bool keep_finding(void *ctx, const ggk_finding *finding)
{
    struct findings *list = ctx;
    char *where = strdup(finding->where), *what = strdup(finding->what);

    if (list->n == list->capacity) {
        size_t capacity = list->capacity * 2 + 16;
        ggk_finding *grown = realloc(list->at, capacity * sizeof *grown);

        if (grown != NULL) {
            list->at = grown;
            list->capacity = capacity;
        }
    }
    list->no_memory =
        where == NULL || what == NULL || list->n == list->capacity;
    if (list->no_memory) {
        free(where);
        free(what);
        return false;
    }
    list->at[list->n] = *finding;
    list->at[list->n].where = where;
    list->at[list->n++].what = what;
    return true;
}

static void free_findings(struct findings *list)
{
    for (size_t i = 0; i < list->n; i++) {
        /* NOLINTBEGIN(performance-no-int-to-ptr): copied by keep_finding */
        free((char *)(uintptr_t)list->at[i].where);
        free((char *)(uintptr_t)list->at[i].what);
        /* NOLINTEND(performance-no-int-to-ptr) */
    }
    free(list->at);
}

/* Is there nothing that check would take for an error? */
static bool passes(const struct fixing *f)
{
    return f->verdict.spec[GGK_SEVERITY_ERROR] == 0 &&
           f->verdict.llama_cpp[GGK_SEVERITY_ERROR] == 0;
}

/* -------------------------------------------------------------------- text */

static void print_repairs(const struct fixing *f)
{
    const struct term *term = &f->cli->term;
    const char *did = f->cli->global.dry_run ? "would repair" : "repaired";

    for (size_t i = 0; i < f->repairs.n; i++) {
        const ggk_finding *r = &f->repairs.at[i];
        char head[64];

        fprintf(f->cli->out, "  %s%s%s", term_style(term, TERM_GREEN), did,
                term_style(term, TERM_PLAIN));
        snprintf(head, sizeof head, " %s: ", r->rule->id);
        finding_print(f->cli, head, r, 2 + strlen(did));
    }
    if (f->fixed.n_repairs == 0)
        fputs("  nothing to repair\n", f->cli->out);
}

static ggk_severity worst_weight(const ggk_rule *rule)
{
    return rule->spec > rule->llama_cpp ? rule->spec : rule->llama_cpp;
}

static void print_one_left(const struct fixing *f, const ggk_finding *l,
                           ggk_severity weight)
{
    const struct term *term = &f->cli->term;
    enum term_style style =
        weight == GGK_SEVERITY_ERROR ? TERM_RED : TERM_YELLOW;
    char head[64];

    fprintf(f->cli->out, "  %sleft%s", term_style(term, style),
            term_style(term, TERM_PLAIN));
    snprintf(head, sizeof head, " %s %s: ", show_severity(weight), l->rule->id);
    finding_print(f->cli, head, l, 2 + strlen("left"));
}

/* The reason comes once for findings of one rule that follow each other. */
static void print_left(const struct fixing *f)
{
    const ggk_rule *told = NULL;

    for (size_t i = 0; i < f->left.n; i++) {
        const ggk_finding *l = &f->left.at[i];
        ggk_severity weight = worst_weight(l->rule);
        const char *why = ggk_fix_why_not(l->rule);

        if (weight < GGK_SEVERITY_WARNING && !f->cli->global.verbose)
            continue;
        print_one_left(f, l, weight);
        if (why != NULL && told != l->rule) {
            fprintf(f->cli->out, "%*s", FINDING_INDENT, "");
            finding_print_words(f->cli, why, FINDING_INDENT);
        }
        told = l->rule;
    }
}

/* Does nothing that is left keep llama.cpp from making a model of it? */
static bool loads_model(const struct fixing *f, struct loading *out)
{
    enum loading_answer answer;

    *out = (struct loading){.answer = LOADING_YES};
    for (size_t i = 0; i < f->left.n; i++)
        loading_note(out, &f->left.at[i]);
    answer = loading_answer(out, &f->verdict);
    return answer != LOADING_NO && answer != LOADING_DOUBTFUL;
}

/* What check says of the result. */
static void print_result(const struct fixing *f)
{
    bool dry = f->cli->global.dry_run;
    FILE *out = f->cli->out;
    struct loading loading;

    if (passes(f) && loads_model(f, &loading))
        fprintf(out, "  the result %s check under both profiles\n",
                dry ? "would pass" : "passes");
    else if (passes(f))
        loading_print(f->cli, &loading, &f->verdict, "no error is left; ");
    else
        fprintf(out,
                "  the result %s pass check: %" PRIu64
                " error%s by spec, %" PRIu64 " by llama.cpp\n",
                dry ? "would not" : "does not",
                f->verdict.spec[GGK_SEVERITY_ERROR],
                fmt_plural(f->verdict.spec[GGK_SEVERITY_ERROR]),
                f->verdict.llama_cpp[GGK_SEVERITY_ERROR]);
}

static void print_report(FILE *out, const void *ctx)
{
    const struct fixing *f = ctx;

    text_write(out, f->in->name, strlen(f->in->name), TEXT_PLAIN, TEXT_WHOLE);
    putc('\n', out);
    print_repairs(f);
    print_left(f);
    print_result(f);
}

/* -------------------------------------------------------------------- JSON */

static void put_findings(struct json *j, const char *name,
                         const struct findings *list, bool left)
{
    json_key(j, name);
    json_open_array(j);
    for (size_t i = 0; i < list->n; i++) {
        const ggk_finding *f = &list->at[i];
        const char *why = ggk_fix_why_not(f->rule);

        json_open_object(j);
        json_put_cstring(j, "rule", f->rule->id);
        if (left) {
            json_put_cstring(j, "spec", show_severity(f->rule->spec));
            json_put_cstring(j, "llama_cpp", show_severity(f->rule->llama_cpp));
        }
        json_put_u64(j, "shard", f->file);
        if (f->offset != GGK_NO_OFFSET)
            json_put_u64(j, "offset", f->offset);
        if (f->where[0] != '\0')
            json_put_cstring(j, "field", f->where);
        json_put_string(j, "text", f->what, strlen(f->what));
        if (left && why != NULL)
            json_put_cstring(j, "why", why);
        if (f->more > 0)
            json_put_u64(j, "more", f->more);
        json_close_object(j);
    }
    json_close_array(j);
}

static void put_report(struct json *j, const void *ctx)
{
    const struct fixing *f = ctx;

    json_put_string(j, "file", f->in->name, strlen(f->in->name));
    json_put_u64(j, "n_repairs", f->fixed.n_repairs);
    put_findings(j, "repairs", &f->repairs, false);
    put_findings(j, "left", &f->left, true);
    json_put_bool(j, "passes", passes(f));
}

/* A file that stays as it is. */
static void report_alone(const struct fixing *f)
{
    struct json j;

    if (f->cli->global.json) {
        show_json_start(&j, f->cli);
        json_put_bool(&j, "written", false);
        put_report(&j, f);
        json_key(&j, "files");
        json_open_array(&j);
        json_close_array(&j);
        json_put_u64(&j, "bytes", 0);
        show_json_end(&j);
    } else if (!f->cli->global.quiet) {
        print_report(f->cli->out, f);
    }
}

/* --------------------------------------------------------------------- work */

static ggk_status plan_fixed(struct fixing *f, const char *out, ggk_error *err)
{
    uint32_t n = ggk_model_n_files(f->in->model);
    ggk_status status = ggk_plan_new(NULL, &f->plan, err);

    for (uint32_t i = 0; i < n && status == GGK_OK; i++) {
        char *path = writing_path_of(f->in, out, f->replaces, i);
        uint32_t file;

        status = path != NULL ? ggk_plan_add_file(f->plan, path, &file, err)
                              : show_no_memory(err);
        free(path);
    }
    if (status == GGK_OK)
        status = ggk_plan_fix(f->plan, f->in->model, keep_finding, &f->repairs,
                              &f->fixed, err);
    return status;
}

static ggk_status judge_result(struct fixing *f, ggk_error *err)
{
    ggk_open_opts open = {.struct_bytes = sizeof open,
                          .flags = f->cli->global.single ? GGK_OPEN_SINGLE : 0,
                          .types = f->in->types};
    ggk_check_opts opts = {.struct_bytes = sizeof opts, .open = &open};
    ggk_status status = ggk_plan_check(f->plan, &opts, keep_finding, &f->left,
                                       &f->verdict, err);

    if (status == GGK_OK && (f->repairs.no_memory || f->left.no_memory))
        status = show_no_memory(err);
    return status;
}

static int write_fixed(struct fixing *f)
{
    struct writing w = {.cli = f->cli,
                        .in = f->in,
                        .plan = f->plan,
                        .run_flags = f->replaces ? GGK_RUN_REPLACE : 0,
                        .shows = !f->options->in_place,
                        .gaps_empty = f->gaps_empty,
                        .may_backup = true,
                        .backup = f->options->backup ? ".bak" : NULL,
                        .verb = "repairing",
                        .put_json = put_report,
                        .put_text = print_report,
                        .ctx = f};

    if (f->replaces && f->fixed.n_repairs == 0) {
        report_alone(f);
        return CLI_DONE;
    }
    return writing_run(&w);
}

static void advise_if_cut(ggk_error *err)
{
    size_t n = strlen(err->what);

    if (err->status == GGK_E_DATA_MISSING)
        snprintf(err->what + n, sizeof err->what - n,
                 ": get the file again, or resume the download");
}

/* Does a repair drop bytes of no tensor, other than padding? */
static bool drops_bytes(const struct fixing *f, uint32_t file)
{
    for (size_t i = 0; i < f->repairs.n; i++) {
        const ggk_finding *r = &f->repairs.at[i];

        if ((strcmp(r->rule->id, "gap") == 0 ||
             strcmp(r->rule->id, "trailing-bytes") == 0) &&
            (r->file == file || r->more > 0))
            return true;
    }
    return false;
}

/* Are bytes that would be dropped not zero? These may be weights, of a tensor
 * whose shape or type is wrong. And is there nothing else in a file that is
 * replaced for good? */
static int check_lost(struct fixing *f)
{
    const ggk_model *model = f->in->model;
    bool for_good = f->options->in_place && !f->options->backup;
    ggk_error err;

    f->gaps_empty = for_good;
    for (uint32_t i = 0; i < ggk_model_n_files(model); i++) {
        ggk_file file;
        uint64_t at;

        if (!for_good && !drops_bytes(f, i))
            continue;
        if (ggk_model_find_gap_byte(model, i, &at, &err) != GGK_OK ||
            ggk_model_file(model, i, &file, &err) != GGK_OK)
            return input_fail(f->in, &err);
        if (at == GGK_NO_OFFSET)
            continue;
        f->gaps_empty = false;
        if (!drops_bytes(f, i))
            continue;
        msg_error(&f->cli->msg, file.path != NULL ? file.path : f->in->name,
                  "the bytes %s are not all zero, the first is byte %" PRIu64
                  ": they may be weights, of a tensor whose shape or type is "
                  "wrong; get the file again, or from the source; --force "
                  "drops them",
                  at < file.size - file.trailing ? "between the tensors"
                                                 : "after the last tensor",
                  at);
        return CLI_UNREADABLE;
    }
    return CLI_DONE;
}

/* `claim`: why the model did not open as the shard that it says it is; NULL if
 * it is none, or its set is there. */
static int fix_to(struct fixing *f, const char *out, const ggk_error *claim)
{
    ggk_error err;
    int status;
    ggk_status result = plan_fixed(f, out, &err);

    if (result == GGK_OK && claim != NULL && !f->fixed.unsplit) {
        err = *claim;
        result = claim->status;
    }
    if (result == GGK_OK)
        result = judge_result(f, &err);
    if (result != GGK_OK)
        advise_if_cut(&err);
    if (result != GGK_OK)
        status = input_fail(f->in, &err);
    else if (f->cli->global.force || (status = check_lost(f)) == CLI_DONE)
        status = write_fixed(f);
    if (status == CLI_DONE && !passes(f))
        status = CLI_NO;
    ggk_plan_free(f->plan);
    free_findings(&f->repairs);
    free_findings(&f->left);
    return status;
}

/* What says that it is a shard, and has no set, may be a whole model. */
static int open_alone(const struct cli *cli, struct cli *alone,
                      const char *file, struct input *in,
                      const ggk_error *claim)
{
    ggk_error err;

    *alone = *cli;
    alone->global.single = true;
    if ((claim->status == GGK_E_SPLIT ||
         claim->status == GGK_E_SPLIT_MISSING) &&
        input_try(alone, file, in->use, in, &err) == CLI_DONE)
        return CLI_DONE;
    return cli_fail(cli, file, claim);
}

static int run_fix(struct cli *cli, int argc, char **argv)
{
    const struct fix_options *o = cli->options;
    const char *out = argc > 1 ? argv[1] : NULL;
    struct cli alone;
    struct input in;
    struct fixing f = {.cli = cli, .options = o, .in = &in};
    ggk_error claim;
    int status;

    if (o->in_place && (out != NULL || cli->global.output != NULL)) {
        msg_usage(&cli->msg, "--in-place and an OUT exclude each other");
        return CLI_USAGE;
    }
    f.replaces = out == NULL && cli->global.output == NULL &&
                 (o->in_place || cli->global.dry_run);
    out = writing_target(cli, out, f.replaces ? argv[0] : NULL);
    if (out == NULL)
        return CLI_USAGE;
    status = input_try(cli, argv[0], o->in_place ? INPUT_REPLACE : INPUT_READ,
                       &in, &claim);
    if (status != CLI_DONE && claim.status != GGK_OK)
        status = open_alone(cli, &alone, argv[0], &in, &claim);
    if (status != CLI_DONE)
        return status;
    status = fix_to(&f, out, claim.status != GGK_OK ? &claim : NULL);
    input_close(&in); /* what is odd about it was told */
    return status;
}

static const struct cli_example fix_examples[] = {
    {"gguf fix model.gguf -o good.gguf", "repair what has one right answer"},
    {"gguf fix --dry-run model.gguf", "what that would be"},
    {"gguf fix --in-place --backup model.gguf",
     "replace the file; what it was is model.gguf.bak"},
    {"gguf fix --json model.gguf -o good.gguf | jq '.left[].text'",
     "what nobody but you can repair"},
    {NULL, NULL},
};

const struct command cmd_fix = {
    .name = "fix",
    .operands = "FILE [OUT]",
    .min_operands = 1,
    .max_operands = 2,
    .flags = CLI_READS_MODEL | CLI_READS_DATA | CLI_WRITES,
    .summary = "repair what has just one right answer",
    .about = "Writes a model once more, without what check finds wrong with it "
             "and what can\nbe put right in one way only. Tells what it did, "
             "and what is left.",
    .examples = fix_examples,
    .options = fix_options,
    .options_bytes = sizeof(struct fix_options),
    .no_means =
        "an error by check's rules is left; OUT is written all the same",
    .run = run_fix,
};
