/* cmd_diff.c - gguf diff: what two models differ in. */
#include "cmd/diff_report.h"
#include "looking.h"
#include "ui/progress.h"

#include <string.h>
#include <sys/stat.h>

static const struct opt diff_options[] = {
    {"no-data", 'n', OPT_FLAG, NULL, "compare the headers, not the tensor data",
     offsetof(struct diff_options, no_data), NULL},
    {"values", 0, OPT_FLAG, NULL,
     "compare the numbers of tensors, whatever their types",
     offsetof(struct diff_options, values), NULL},
    {"full", 'f', OPT_FLAG, NULL,
     "texts with all lines; with --json: arrays whole",
     offsetof(struct diff_options, full), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* ----------------------------------------------------------- what is given */

/* Do these stand for the same bytes? */
static bool is_same_file(const struct input *a, const struct input *b,
                         uint32_t i)
{
    ggk_file x, y;
    struct stat s, t;

    return ggk_model_file(a->model, i, &x, NULL) == GGK_OK &&
           ggk_model_file(b->model, i, &y, NULL) == GGK_OK && x.path != NULL &&
           y.path != NULL && stat(x.path, &s) == 0 && stat(y.path, &t) == 0 &&
           s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

static bool are_same_files(const struct diff_job *job)
{
    uint32_t n = ggk_model_n_files(job->in[0].model);

    if (n != ggk_model_n_files(job->in[1].model))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!is_same_file(&job->in[0], &job->in[1], i))
            return false;
    return true;
}

/* Is tensor data missing? */
static int refuse_missing(const struct diff_job *job, const struct input *in)
{
    char sentence[INPUT_ODDITY_BYTES];

    for (uint32_t i = 0; i < ggk_model_n_files(in->model); i++) {
        ggk_file file;
        if (ggk_model_file(in->model, i, &file, NULL) != GGK_OK ||
            !input_oddity(in, i, ODD_DATA_MISSING, sentence))
            continue;
        msg_error(&job->cli->msg, file.path != NULL ? file.path : in->name,
                  "%s; --no-data compares the headers", sentence);
        return CLI_UNREADABLE;
    }
    return CLI_DONE;
}

/* ----------------------------------------------------------------- recipes */

static void count_recipe(struct diff_job *job, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < job->n_recipes; i++) {
        struct diff_recipe *r = &job->recipes[i];
        if (r->from == from && r->to == to) {
            r->tensors++;
            return;
        }
    }
    if (job->n_recipes == DIFF_MAX_RECIPES)
        job->n_other++;
    else
        job->recipes[job->n_recipes++] = (struct diff_recipe){from, to, 1};
}

/* What to do with a difference, besides counting its types. */
struct diff_sink {
    struct diff_job *job;
    ggk_on_difference *put;
    void *ctx;
};

static bool take_difference(void *ctx, const ggk_difference *d)
{
    struct diff_sink *sink = ctx;
    ggk_tensor a, b;

    if (d->kind == GGK_DIFF_TENSOR_CHANGED && (d->what & GGK_DIFF_TYPE) != 0 &&
        ggk_model_tensor(sink->job->in[0].model, d->a, &a, NULL) == GGK_OK &&
        ggk_model_tensor(sink->job->in[1].model, d->b, &b, NULL) == GGK_OK)
        count_recipe(sink->job, a.type, b.type);
    return sink->put(sink->ctx, d);
}

/* ------------------------------------------------------------------ running */

/* A failure of the library's, which names the file unless that is standard
 * input. */
static int fail(const struct diff_job *job, const ggk_error *err)
{
    bool piped = strcmp(job->in[1].name, "-") == 0;
    ggk_error hint = *err;

    if (err->status == GGK_E_UNSUPPORTED)
        snprintf(hint.what, sizeof hint.what,
                 "%.400s; --no-data compares the headers", err->what);
    return cli_fail(job->cli, job->in[piped].name, &hint);
}

static ggk_status compare(struct diff_job *job, struct diff_sink *sink,
                          uint32_t flags, ggk_diff_result *result,
                          ggk_error *err)
{
    struct progress progress;
    ggk_diff_opts opts = {
        .struct_bytes = sizeof opts,
        .flags = flags,
        .n_threads = looking_threads(job->cli),
    };

    ggk_status status;

    *result = (ggk_diff_result){.equal = true};
    if (job->same_file)
        return GGK_OK;
    if ((flags & GGK_DIFF_NO_DATA) != 0)
        return ggk_diff(job->in[0].model, job->in[1].model, &opts,
                        take_difference, sink, result, err);
    progress_start(&progress, &job->cli->msg, "comparing");
    opts.on_progress = progress_tick;
    opts.progress_ctx = &progress;
    status = ggk_diff(job->in[0].model, job->in[1].model, &opts,
                      take_difference, sink, result, err);
    progress_end(&progress);
    return status;
}

static uint32_t flags_of(const struct diff_job *job)
{
    return job->options->no_data ? GGK_DIFF_NO_DATA : 0;
}

/* Layout is gone through once more: it is told after all else. */
static ggk_status compare_layout(struct diff_job *job, ggk_on_difference *put,
                                 void *ctx, ggk_error *err)
{
    struct diff_sink sink = {job, put, ctx};
    ggk_diff_result ignored;

    return job->cli->global.verbose
               ? compare(job, &sink, GGK_DIFF_NO_DATA | GGK_DIFF_LAYOUT,
                         &ignored, err)
               : GGK_OK;
}

static ggk_status report_text(struct diff_job *job, ggk_diff_result *result,
                              ggk_error *err)
{
    struct diff_text t;
    struct diff_sink sink = {job, diff_text_put, &t};
    ggk_status status = diff_text_start(&t, job, err);

    if (status != GGK_OK)
        return status;
    status = compare(job, &sink, flags_of(job), result, err);
    if (status == GGK_OK)
        status = diff_text_end(&t, result, err);
    t.layout = true;
    if (status == GGK_OK)
        status = compare_layout(job, diff_text_put, &t, err);
    if (status == GGK_OK)
        status = diff_text_end_layout(&t, err);
    if (t.status != GGK_OK)
        *err = t.err;
    diff_text_free(&t);
    return t.status != GGK_OK ? t.status : status;
}

static bool stop_at_difference(void *ctx, const ggk_difference *d)
{
    (void)ctx;
    (void)d;
    return false;
}

/* Whether they are the same is all that is asked: the first difference will do.
 */
static ggk_status report_nothing(struct diff_job *job, ggk_diff_result *result,
                                 ggk_error *err)
{
    struct diff_sink sink = {job, stop_at_difference, NULL};
    ggk_status status = compare(job, &sink, flags_of(job), result, err);

    return result->equal ? status : GGK_OK;
}

static ggk_status report_json(struct diff_job *job, ggk_diff_result *result,
                              ggk_error *err)
{
    struct diff_json j = {.job = job};
    struct diff_sink sink = {job, diff_json_put, &j};
    ggk_status status = compare(job, &sink, flags_of(job), result, err);

    j.layout = job->cli->global.verbose;
    if (status == GGK_OK)
        diff_json_end(&j, result);
    if (status == GGK_OK)
        status = compare_layout(job, diff_json_put, &j, err);
    if (status == GGK_OK)
        diff_json_end_layout(&j);
    if (j.status != GGK_OK)
        *err = j.err;
    return j.status != GGK_OK ? j.status : status;
}

/* Both models are open, and looked through. */
static int report(struct diff_job *job)
{
    ggk_diff_result result;
    ggk_error err;
    ggk_status status;

    status = job->cli->global.json    ? report_json(job, &result, &err)
             : job->cli->global.quiet ? report_nothing(job, &result, &err)
                                      : report_text(job, &result, &err);
    if (status != GGK_OK)
        return fail(job, &err);
    return result.equal ? CLI_DONE : CLI_NO;
}

static int look_through(struct diff_job *job)
{
    ggk_error err;
    int status = CLI_DONE;

    job->same_file = are_same_files(job);
    for (int side = 0; side < 2 && status == CLI_DONE; side++) {
        if (!job->options->no_data && !job->same_file)
            status = refuse_missing(job, &job->in[side]);
        if (status == CLI_DONE &&
            summary_make(&job->in[side], &job->summary[side], &err) != GGK_OK)
            status = input_fail(&job->in[side], &err);
    }
    return status;
}

/* Warnings follow what was told; if nothing was, an error was enough. */
static int finish_both(struct diff_job *job, int status)
{
    if (status <= CLI_NO) {
        status = input_finish(&job->in[0], status);
        return input_finish(&job->in[1], status);
    }
    input_close(&job->in[0]);
    input_close(&job->in[1]);
    return status;
}

static int run_diff(struct cli *cli, int argc, char **argv)
{
    struct diff_job job = {.cli = cli, .options = cli->options};
    int status;

    (void)argc; /* two */
    if (job.options->values && job.options->no_data) {
        msg_usage(&cli->msg, "--values and --no-data exclude each other");
        return CLI_USAGE;
    }
    if (strcmp(argv[0], "-") == 0 && strcmp(argv[1], "-") == 0) {
        msg_usage(&cli->msg, "only one of them can be standard input");
        return CLI_USAGE;
    }
    status = input_open(cli, argv[0], &job.in[0]);
    if (status != CLI_DONE)
        return status;
    status = input_open(cli, argv[1], &job.in[1]);
    if (status != CLI_DONE) {
        input_close(&job.in[0]);
        return status;
    }
    status = look_through(&job);
    if (status == CLI_DONE)
        status = job.options->values ? diff_values(&job) : report(&job);
    summary_free(&job.summary[0]);
    summary_free(&job.summary[1]);
    return finish_both(&job, status);
}

static const struct cli_example diff_examples[] = {
    {"gguf diff old.gguf new.gguf", "what changed from one to the other"},
    {"gguf diff --no-data model-Q4_K_M.gguf model-Q4_K_S.gguf",
     "which tensors have other types; the data is not read"},
    {"gguf diff --values model-F16.gguf model-Q4_K_M.gguf",
     "what quantizing did to each tensor, the worst first"},
    {"gguf diff -q a.gguf b.gguf && echo the same", "for scripts"},
    {"gguf diff --json a.gguf b.gguf | jq '.types'",
     "how many tensors went from which type to which"},
    {NULL, NULL},
};

const struct command cmd_diff = {
    .name = "diff",
    .operands = "FILE FILE",
    .min_operands = 2,
    .max_operands = 2,
    .flags = CLI_READS_MODEL | CLI_READS_DATA | CLI_TAKES_PIPES,
    .summary = "tell what two models differ in",
    .about = "Compares keys, values, tensors and their data. How a model is "
             "stored does not\ncount: split or in one file, in whatever "
             "order; -v tells that too. With -q\nnothing is printed: the exit "
             "status tells.",
    .examples = diff_examples,
    .options = diff_options,
    .options_bytes = sizeof(struct diff_options),
    .no_means = "something differs",
    .run = run_diff,
};
