/* cmd_check.c - gguf check: what is wrong with a file, and what to do. */
#include "cmd/loading.h"
#include "command.h"
#include "finding.h"
#include "input.h"
#include "looking.h"
#include "out/json.h"
#include "show.h"

#include <inttypes.h>
#include <string.h>

static const char *const check_profiles[] = {"spec", "llama.cpp", "both", NULL};

struct check_options {
    int profile; /* 1 spec, 2 llama.cpp; else both */
    uint64_t most;
    bool rules;
    bool data;
};

static const struct opt check_options[] = {
    {"profile", 'p', OPT_CHOICE, NULL,
     "the rules: the description's, llama.cpp's, or both",
     offsetof(struct check_options, profile), check_profiles},
    {"max", 'm', OPT_U64, "N",
     "findings told of each rule; else 10, in JSON all",
     offsetof(struct check_options, most), NULL},
    {"data", 'd', OPT_FLAG, NULL,
     "judge the numbers of tensors, too: NaN, all zero...",
     offsetof(struct check_options, data), NULL},
    {"rules", 0, OPT_FLAG, NULL, "list the rules, and check nothing",
     offsetof(struct check_options, rules), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* The check of one file, while it goes on. */
struct checking {
    const struct cli *cli;
    const struct check_options *options;
    const char *file;
    struct json *json;      /* NULL: text */
    const ggk_model *model; /* while its numbers are judged */
    uint64_t found;
    bool named;           /* the file was, above what is told of it */
    const ggk_rule *told; /* whose meaning was told last */
    struct loading loading;
};

static uint32_t profiles_of(const struct check_options *options)
{
    const uint32_t both = GGK_PROFILE_SPEC | GGK_PROFILE_LLAMA_CPP;

    return options->profile == 1   ? GGK_PROFILE_SPEC
           : options->profile == 2 ? GGK_PROFILE_LLAMA_CPP
                                   : both;
}

/* A rule's weight under the profiles that were asked for. */
static ggk_severity weight(const struct check_options *options,
                           const ggk_rule *rule)
{
    uint32_t profiles = profiles_of(options);
    ggk_severity spec =
        (profiles & GGK_PROFILE_SPEC) != 0 ? rule->spec : GGK_SEVERITY_NONE;
    ggk_severity llama = (profiles & GGK_PROFILE_LLAMA_CPP) != 0
                             ? rule->llama_cpp
                             : GGK_SEVERITY_NONE;

    return spec > llama ? spec : llama;
}

/* Which of the profiles take the finding so seriously: "(spec) ". */
static const char *whose(const struct check_options *options,
                         const ggk_rule *rule)
{
    if (options->profile == 1 || options->profile == 2 ||
        rule->spec == rule->llama_cpp)
        return "";
    return rule->spec > rule->llama_cpp ? "(spec) " : "(llama.cpp) ";
}

/* -------------------------------------------------------------------- text */

/* Once for findings of one rule that follow each other. */
static void print_meaning(struct checking *c, const ggk_rule *rule)
{
    if (c->told == rule)
        return;
    c->told = rule;
    finding_print_rule(c->cli, rule);
}

static void print_finding(struct checking *c, const ggk_finding *f)
{
    char head[64];
    size_t used;

    finding_print_file(c->cli, c->file, &c->named, "\n");
    used = finding_print_severity(c->cli, weight(c->options, f->rule));
    snprintf(head, sizeof head, " %s%s: ", whose(c->options, f->rule),
             f->rule->id);
    finding_print(c->cli, head, f, used);
    if (f->more == 0)
        print_meaning(c, f->rule);
}

static uint64_t most_of(const struct check_options *options,
                        const ggk_verdict *v, ggk_severity severity)
{
    uint64_t spec = options->profile == 2 ? 0 : v->spec[severity];
    uint64_t llama = options->profile == 1 ? 0 : v->llama_cpp[severity];

    return spec > llama ? spec : llama;
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void print_counts(FILE *out, const char *profile, const uint64_t n[4])
{
    uint64_t errors = n[GGK_SEVERITY_ERROR];
    uint64_t warnings = n[GGK_SEVERITY_WARNING];
    uint64_t notes = n[GGK_SEVERITY_NOTE];

    fprintf(out,
            "  %-10s %" PRIu64 " error%s, %" PRIu64 " warning%s, %" PRIu64
            " note%s\n",
            profile, errors, plural(errors), warnings, plural(warnings), notes,
            plural(notes));
}

static void print_verdict(struct checking *c, const ggk_verdict *v)
{
    FILE *out = c->cli->out;
    uint32_t profiles = profiles_of(c->options);

    finding_print_file(c->cli, c->file, &c->named,
                       c->found == 0 ? ": nothing found\n" : "\n");
    if (c->found > 0 && (profiles & GGK_PROFILE_SPEC) != 0)
        print_counts(out, "spec", v->spec);
    if (c->found > 0 && (profiles & GGK_PROFILE_LLAMA_CPP) != 0)
        print_counts(out, "llama.cpp", v->llama_cpp);
    if (c->options->data)
        fprintf(out, "  the numbers of %" PRIu64 " tensor%s were looked at\n",
                v->n_looked, plural(v->n_looked));
    if ((profiles & GGK_PROFILE_LLAMA_CPP) != 0)
        loading_print(c->cli, &c->loading, v, "");
}

/* -------------------------------------------------------------------- JSON */

/* The tensor that a finding about numbers is of, and where the first is. */
static void put_numbers(struct json *j, const ggk_model *model,
                        const ggk_finding *f)
{
    ggk_tensor t;
    uint64_t row;

    if (ggk_model_tensor(model, f->tensor, &t, NULL) != GGK_OK)
        return;
    row = f->number / t.ne[0];
    json_put_string(j, "tensor", t.name.ptr, t.name.len);
    json_put_u64(j, "count", f->count);
    json_put_u64(j, "row", row % t.ne[1]);
    json_put_u64(j, "column", f->number % t.ne[0]);
    json_put_u64(j, "slice", row / t.ne[1]);
}

static void put_finding(const struct checking *c, const ggk_finding *f)
{
    struct json *j = c->json;

    json_open_object(j);
    json_put_cstring(j, "rule", f->rule->id);
    json_put_cstring(j, "spec", show_severity(f->rule->spec));
    json_put_cstring(j, "llama_cpp", show_severity(f->rule->llama_cpp));
    json_put_u64(j, "shard", f->file);
    if (f->offset != GGK_NO_OFFSET)
        json_put_u64(j, "offset", f->offset);
    if (f->where[0] != '\0')
        json_put_cstring(j, "field", f->where);
    json_put_string(j, "text", f->what, strlen(f->what));
    json_put_cstring(j, "meaning", f->rule->meaning);
    json_put_cstring(j, "fix", f->rule->fix);
    if (f->tensor != GGK_NONE && c->model != NULL)
        put_numbers(j, c->model, f);
    if (f->more > 0)
        json_put_u64(j, "more", f->more);
    json_close_object(j);
}

static void put_counts(struct json *j, const char *profile, const uint64_t n[4])
{
    json_key(j, profile);
    json_open_object(j);
    json_put_u64(j, "errors", n[GGK_SEVERITY_ERROR]);
    json_put_u64(j, "warnings", n[GGK_SEVERITY_WARNING]);
    json_put_u64(j, "notes", n[GGK_SEVERITY_NOTE]);
    json_close_object(j);
}

static void put_model(const struct checking *c, const ggk_verdict *v)
{
    static const char *const words[] = {
        [LOADING_YES] = "yes",
        [LOADING_BROKEN] = "broken",
        [LOADING_DOUBTFUL] = "doubtful",
        [LOADING_NO] = "no",
        [LOADING_VOCABULARY] = "vocabulary",
        [LOADING_UNKNOWN] = "unknown",
        [LOADING_IMATRIX] = "imatrix",
    };
    struct json *j = c->json;

    json_put_cstring(j, "llama_cpp_model",
                     words[loading_answer(&c->loading, v)]);
    json_key(j, "llama_cpp_against");
    json_open_array(j);
    for (size_t i = 0; i < c->loading.n_against; i++)
        json_cstring(j, c->loading.against[i]->id);
    json_close_array(j);
}

static void put_verdict(const struct checking *c, const ggk_verdict *v)
{
    static const char *const loads[] = {
        [GGK_LOADS_NOT] = "no",
        [GGK_LOADS_METADATA] = "metadata",
        [GGK_LOADS_ALL] = "yes",
    };
    uint32_t profiles = profiles_of(c->options);
    struct json *j = c->json;

    if (c->options->data)
        json_put_u64(j, "looked_at", v->n_looked);
    if ((profiles & GGK_PROFILE_SPEC) != 0)
        put_counts(j, "spec", v->spec);
    if ((profiles & GGK_PROFILE_LLAMA_CPP) == 0)
        return;
    put_counts(j, "llama_cpp", v->llama_cpp);
    json_put_cstring(j, "llama_cpp_loads", loads[v->loads]);
    if (v->reason[0] != '\0')
        json_put_string(j, "llama_cpp_reason", v->reason, strlen(v->reason));
    put_model(c, v);
}

/* --------------------------------------------------------------------- run */

static bool on_finding(void *ctx, const ggk_finding *finding)
{
    struct checking *c = ctx;

    loading_note(&c->loading, finding);
    if (c->json != NULL)
        put_finding(c, finding);
    else if (weight(c->options, finding->rule) == GGK_SEVERITY_ERROR ||
             !c->cli->global.quiet)
        print_finding(c, finding);
    c->found++;
    return true;
}

/* Is that the answer, where it was asked for? Warnings may be the reason. */
static bool cannot_load(const struct checking *c, const ggk_verdict *v)
{
    return (profiles_of(c->options) & GGK_PROFILE_LLAMA_CPP) != 0 &&
           loading_answer(&c->loading, v) == LOADING_NO;
}

/* Are there findings that say why the model does not open? */
static bool is_finding(ggk_status status)
{
    return status != GGK_E_UNSUPPORTED && status != GGK_E_IO &&
           status != GGK_E_NOMEM && status != GGK_E_LOCKED;
}

/* What nobody looked at is not good for that. */
static void tell_unseen(const struct input *in)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < ggk_model_n_tensors(in->model); i++) {
        ggk_tensor t;

        n += ggk_model_tensor(in->model, i, &t, NULL) == GGK_OK &&
             !ggk_model_has_values(in->model, &t);
    }
    if (n > 0)
        msg_note(&in->cli->msg, in->name,
                 "the numbers of %" PRIu64 " tensor%s were not looked at, "
                 "since %s cannot be dequantized",
                 n, plural(n), n == 1 ? "its type" : "their types");
}

/* The numbers, if the model opens. An error is told, and in *err. */
static int check_data(struct checking *c, const ggk_check_opts *opts,
                      ggk_verdict *verdict, ggk_error *err)
{
    struct looking looking;
    struct input in;
    ggk_status result;
    int status = input_try(c->cli, c->file, INPUT_READ_DATA, &in, err);

    if (status != CLI_DONE && err->status == GGK_OK)
        return status;
    if (status != CLI_DONE)
        return is_finding(err->status) ? CLI_DONE
                                       : cli_fail(c->cli, c->file, err);
    c->model = in.model;
    looking_start(&looking, c->cli, "checking");
    result = ggk_check_data(in.model, opts, &looking.opts, on_finding, c,
                            verdict, err);
    looking_end(&looking);
    if (result == GGK_OK)
        tell_unseen(&in);
    else if (result == GGK_E_OVERLAP) /* there are findings about that */
        msg_warning(&c->cli->msg, c->file, "no number was looked at: %s",
                    err->what);
    else
        status = input_fail(&in, err);
    c->model = NULL;
    input_close(&in);
    return status;
}

/* How many findings are told of each rule; 0: so many as usual. What reads JSON
 * is to have all of them. */
static uint32_t most_told(const struct checking *c)
{
    uint64_t most = c->options->most;

    return most > UINT32_MAX || (most == 0 && c->json != NULL) ? UINT32_MAX
                                                               : (uint32_t)most;
}

static int check_file(struct checking *c)
{
    ggk_check_opts opts = {.struct_bytes = sizeof opts,
                           .profiles = profiles_of(c->options),
                           .max_per_rule = most_told(c)};
    ggk_verdict verdict;
    ggk_error err;
    int status;

    if (c->json != NULL) {
        json_open_object(c->json);
        json_put_cstring(c->json, "file", c->file);
        json_key(c->json, "findings");
        json_open_array(c->json);
    }
    status = input_check(c->cli, c->file, &opts, on_finding, c, &verdict, &err);
    if (status == CLI_DONE && c->options->data)
        status = check_data(c, &opts, &verdict, &err);
    if (c->json != NULL)
        json_close_array(c->json);
    if (status == CLI_DONE) {
        if (c->json != NULL)
            put_verdict(c, &verdict);
        else
            print_verdict(c, &verdict);
        if (most_of(c->options, &verdict, GGK_SEVERITY_ERROR) > 0 ||
            cannot_load(c, &verdict))
            status = CLI_NO;
    } else if (c->json != NULL) {
        json_put_string(c->json, "error", err.what, strlen(err.what));
    }
    if (c->json != NULL)
        json_close_object(c->json);
    return status;
}

static int check_files(const struct cli *cli, int argc, char **argv,
                       struct json *json)
{
    int status = CLI_DONE;

    for (int i = 0; i < argc; i++) {
        struct checking c = {
            .cli = cli, .options = cli->options, .file = argv[i], .json = json};
        int result = check_file(&c);
        status = result > status ? result : status;
    }
    return status;
}

static void put_rules(struct json *j)
{
    const ggk_rule *rule;

    json_key(j, "rules");
    json_open_array(j);
    for (size_t i = 0; (rule = ggk_rule_at(i)) != NULL; i++) {
        json_open_object(j);
        json_put_cstring(j, "rule", rule->id);
        json_put_cstring(j, "spec", show_severity(rule->spec));
        json_put_cstring(j, "llama_cpp", show_severity(rule->llama_cpp));
        json_put_cstring(j, "meaning", rule->meaning);
        json_put_cstring(j, "fix", rule->fix);
        json_close_object(j);
    }
    json_close_array(j);
}

static void print_rules(const struct cli *cli)
{
    const ggk_rule *rule;

    fprintf(cli->out, "%-28s  %-7s  %-9s  %s\n", "RULE", "SPEC", "LLAMA.CPP",
            "MEANING");
    for (size_t i = 0; (rule = ggk_rule_at(i)) != NULL; i++) {
        int used =
            fprintf(cli->out, "%-28s  %-7s  %-9s  ", rule->id,
                    show_severity(rule->spec), show_severity(rule->llama_cpp));
        finding_print_last(cli, rule->meaning, used > 0 ? (size_t)used : 0);
    }
}

static int run_check(struct cli *cli, int argc, char **argv)
{
    const struct check_options *options = cli->options;
    int status = CLI_DONE;
    struct json j;

    if (options->rules == (argc > 0)) {
        msg_usage(&cli->msg,
                  options->rules ? "--rules takes no FILE" : "which file?");
        return CLI_USAGE;
    }
    if (cli->global.json) {
        show_json_start(&j, cli);
        if (options->rules)
            put_rules(&j);
        json_key(&j, "files");
        json_open_array(&j);
        status = check_files(cli, argc, argv, &j);
        json_close_array(&j);
        show_json_end(&j);
    } else if (options->rules) {
        print_rules(cli);
    } else {
        status = check_files(cli, argc, argv, NULL);
    }
    return status;
}

static const struct cli_example check_examples[] = {
    {"gguf check model.gguf",
     "every rule that the file breaks, and what to do"},
    {"gguf check -q --profile llama.cpp *.gguf",
     "what llama.cpp makes of them"},
    {"gguf check --data model.gguf",
     "the numbers, too: NaN, infinities, tensors of zeros"},
    {"gguf check --rules", "the rules, with their weight under each profile"},
    {NULL, NULL},
};

const struct command cmd_check = {
    .name = "check",
    .operands = "FILE...",
    .min_operands = 0,
    .max_operands = CLI_ANY_OPERANDS,
    .flags = CLI_READS_MODEL,
    .summary = "judge a file by the format's rules and by llama.cpp's",
    .about =
        "Tells every rule that a file breaks: where, what it means and what "
        "to do;\nand what llama.cpp's loader does with it. Tensor data is "
        "read with --data.",
    .examples = check_examples,
    .options = check_options,
    .options_bytes = sizeof(struct check_options),
    .no_means =
        "a file breaks a rule whose weight is error, or llama.cpp cannot "
        "load it",
    .run = run_check,
};
