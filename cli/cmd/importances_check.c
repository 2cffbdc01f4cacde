/* importances_check.c - gguf imatrix check: what is wrong with an importance
 * matrix, and which weights of a model it lacks. */
#include <inttypes.h>
#include <string.h>

#include "cmd/importances.h"
#include "finding.h"
#include "input.h"
#include "out/fmt.h"
#include "out/json.h"
#include "show.h"

struct judging_importances {
    const struct cli *cli;
    const char *file;
    const char *model;    /* NULL: none */
    struct json *json;    /* NULL: text */
    bool named;           /* the file was, above what is told of it */
    const ggk_rule *told; /* whose meaning was told last */
};

static void put_place(struct json *j, const ggk_finding *f)
{
    if (f->offset != GGK_NO_OFFSET)
        json_put_u64(j, "offset", f->offset);
    if (f->where[0] != '\0')
        json_put_cstring(j, "field", f->where);
}

static void put_finding(struct json *j, const ggk_finding *f)
{
    json_open_object(j);
    json_put_cstring(j, "rule", f->rule->id);
    json_put_cstring(j, "severity", show_severity(f->rule->llama_cpp));
    put_place(j, f);
    json_put_string(j, "text", f->what, strlen(f->what));
    json_put_cstring(j, "meaning", f->rule->meaning);
    json_put_cstring(j, "fix", f->rule->fix);
    if (f->more > 0)
        json_put_u64(j, "more", f->more);
    json_close_object(j);
}

static void print_finding(struct judging_importances *c, const ggk_finding *f)
{
    char head[64];
    size_t used;

    finding_print_file(c->cli, c->file, &c->named, "\n");
    used = finding_print_severity(c->cli, f->rule->llama_cpp);
    snprintf(head, sizeof head, " %s: ", f->rule->id);
    finding_print(c->cli, head, f, used);
    if (f->more == 0 && c->told != f->rule)
        finding_print_rule(c->cli, f->rule);
    c->told = f->rule;
}

static bool on_finding(void *ctx, const ggk_finding *f)
{
    struct judging_importances *c = ctx;

    if (c->json != NULL)
        put_finding(c->json, f);
    else if (f->rule->llama_cpp == GGK_SEVERITY_ERROR || !c->cli->global.quiet)
        print_finding(c, f);
    return true;
}

static void print_verdict(struct judging_importances *c,
                          const ggk_imatrix_verdict *v)
{
    FILE *out = c->cli->out;
    uint64_t errors = v->n[GGK_SEVERITY_ERROR];
    uint64_t warnings = v->n[GGK_SEVERITY_WARNING];
    uint64_t notes = v->n[GGK_SEVERITY_NOTE];

    finding_print_file(c->cli, c->file, &c->named,
                       errors + warnings + notes == 0 ? ": nothing found\n"
                                                      : "\n");
    fprintf(out,
            "  %" PRIu64 " entr%s: %" PRIu64 " error%s, %" PRIu64
            " warning%s, %" PRIu64 " note%s\n",
            v->n_entries, v->n_entries == 1 ? "y" : "ies", errors,
            fmt_plural(errors), warnings, fmt_plural(warnings), notes,
            fmt_plural(notes));
    if (c->model != NULL)
        fprintf(out,
                "  %" PRIu64 " of %" PRIu64 " weights of the model have "
                "importances\n",
                v->n_covered, v->n_weights);
}

static void put_verdict(const struct judging_importances *c,
                        const ggk_imatrix_verdict *v)
{
    struct json *j = c->json;

    json_put_u64(j, "n_entries", v->n_entries);
    json_put_u64(j, "errors", v->n[GGK_SEVERITY_ERROR]);
    json_put_u64(j, "warnings", v->n[GGK_SEVERITY_WARNING]);
    json_put_u64(j, "notes", v->n[GGK_SEVERITY_NOTE]);
    if (c->model == NULL)
        return;
    json_put_u64(j, "weights", v->n_weights);
    json_put_u64(j, "weights_covered", v->n_covered);
}

static void start_json(struct judging_importances *c, struct json *j)
{
    show_json_start(j, c->cli);
    json_put_cstring(j, "file", c->file);
    if (c->model != NULL)
        json_put_cstring(j, "model", c->model);
    json_key(j, "findings");
    json_open_array(j);
    c->json = j;
}

/* Judge a source, which is closed. */
static int judge(struct judging_importances *c, ggk_source *source,
                 const ggk_model *model)
{
    const struct imatrix_options *o = c->cli->options;
    const ggk_imatrix_check_opts opts = {
        .struct_bytes = sizeof opts,
        .max_per_rule = o->most > UINT32_MAX ? UINT32_MAX : (uint32_t)o->most};
    ggk_imatrix_verdict v;
    ggk_error err;
    struct json j;
    ggk_status status;

    if (c->cli->global.json)
        start_json(c, &j);
    status = ggk_imatrix_check(source, model, &opts, on_finding, c, &v, &err);
    if (c->json != NULL)
        json_close_array(c->json);
    if (status != GGK_OK && c->json != NULL)
        json_put_string(c->json, "error", err.what, strlen(err.what));
    else if (c->json != NULL)
        put_verdict(c, &v);
    else if (status == GGK_OK)
        print_verdict(c, &v);
    if (c->json != NULL)
        show_json_end(c->json);
    if (status != GGK_OK)
        return imatrix_fail(c->cli, c->file, &err);
    return v.n[GGK_SEVERITY_ERROR] > 0 ? CLI_NO : CLI_DONE;
}

static int judge_file(struct judging_importances *c, const ggk_model *model)
{
    int status;
    ggk_source *source = imatrix_source(c->cli, c->file, &status);

    return source != NULL ? judge(c, source, model) : status;
}

static void print_rules(const struct cli *cli)
{
    const ggk_rule *rule;

    fprintf(cli->out, "%-16s  %-7s  %s\n", "RULE", "WEIGHT", "MEANING");
    for (size_t i = 0; (rule = ggk_imatrix_rule_at(i)) != NULL; i++) {
        int used = fprintf(cli->out, "%-16s  %-7s  ", rule->id,
                           show_severity(rule->llama_cpp));

        finding_print_last(cli, rule->meaning, used > 0 ? (size_t)used : 0);
    }
}

static void put_rules(const struct cli *cli)
{
    const ggk_rule *rule;
    struct json j;

    show_json_start(&j, cli);
    json_key(&j, "rules");
    json_open_array(&j);
    for (size_t i = 0; (rule = ggk_imatrix_rule_at(i)) != NULL; i++) {
        json_open_object(&j);
        json_put_cstring(&j, "rule", rule->id);
        json_put_cstring(&j, "severity", show_severity(rule->llama_cpp));
        json_put_cstring(&j, "meaning", rule->meaning);
        json_put_cstring(&j, "fix", rule->fix);
        json_close_object(&j);
    }
    json_close_array(&j);
    show_json_end(&j);
}

static int tell_swapped(const struct cli *cli)
{
    msg_usage(&cli->msg, "the matrix comes first, and then the model");
    return CLI_USAGE;
}

/* The model does not open: is it a matrix, a .dat? */
static int fail_model(const struct judging_importances *c, const ggk_error *err)
{
    ggk_imatrix *imatrix = NULL;
    bool is_matrix =
        err->status == GGK_E_MAGIC && !input_is_stdin(c->model) &&
        ggk_imatrix_open(c->model, 0, NULL, &imatrix, NULL) == GGK_OK;

    ggk_imatrix_close(imatrix);
    return is_matrix ? tell_swapped(c->cli) : cli_fail(c->cli, c->model, err);
}

int imatrix_check(const struct cli *cli, int argc, char **argv)
{
    const struct imatrix_options *o = cli->options;
    struct judging_importances c = {.cli = cli};
    struct input in;
    ggk_error err;
    int status;

    if (o->rules ? argc != 0 : argc < 1 || argc > 2) {
        msg_usage(&cli->msg, o->rules ? "--rules takes no IMATRIX"
                                      : "check wants IMATRIX [MODEL]");
        return CLI_USAGE;
    }
    if (o->rules) {
        (cli->global.json ? put_rules : print_rules)(cli);
        return CLI_DONE;
    }
    c.file = argv[0];
    if (argc == 1)
        return judge_file(&c, NULL);
    c.model = argv[1];
    status = input_try(cli, c.model, INPUT_READ, &in, &err);
    if (status != CLI_DONE)
        return err.status == GGK_OK ? status : fail_model(&c, &err);
    return input_finish(&in, input_is_imatrix(&in) ? tell_swapped(cli)
                                                   : judge_file(&c, in.model));
}
