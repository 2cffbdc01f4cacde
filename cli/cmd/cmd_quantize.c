/* cmd_quantize.c - gguf quantize: a model in fewer bits. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/quantizing.h"
#include "command.h"
#include "input.h"
#include "lost_keys.h"
#include "out/fmt.h"
#include "show.h"
#include "writing.h"

static const struct opt quantize_options[] = {
    {"list", 0, OPT_FLAG, NULL, "list what TYPE can be",
     offsetof(struct quantize_options, list), NULL},
    {"imatrix", 0, OPT_STRING, "FILE",
     "weigh errors by the importances of FILE",
     offsetof(struct quantize_options, imatrix), NULL},
    {"include-weights", 0, OPT_LIST, "PATTERN",
     "only importances of tensors like PATTERN",
     offsetof(struct quantize_options, include), NULL},
    {"exclude-weights", 0, OPT_LIST, "PATTERN",
     "no importances of tensors like PATTERN",
     offsetof(struct quantize_options, exclude), NULL},
    {"tensor-type", 0, OPT_LIST, "REGEX=T",
     "type T for tensors in whose names REGEX is found",
     offsetof(struct quantize_options, tensor_types), NULL},
    {"tensor-type-file", 0, OPT_STRING, "FILE", "more of these, from FILE",
     offsetof(struct quantize_options, tensor_type_file), NULL},
    {"output-type", 0, OPT_STRING, "T", "type T for output.weight",
     offsetof(struct quantize_options, output_type), NULL},
    {"embedding-type", 0, OPT_STRING, "T", "type T for token_embd.weight",
     offsetof(struct quantize_options, embedding_type), NULL},
    {"recipe-from", 0, OPT_STRING, "FILE",
     "the types that tensors of these names have in FILE",
     offsetof(struct quantize_options, recipe_from), NULL},
    {"pure", 0, OPT_FLAG, NULL, "one type for all, no mix",
     offsetof(struct quantize_options, pure), NULL},
    {"leave-output", 0, OPT_FLAG, NULL, "leave output.weight as it is",
     offsetof(struct quantize_options, leave_output), NULL},
    {"allow-requantize", 0, OPT_FLAG, NULL,
     "quantize what is quantized already, too",
     offsetof(struct quantize_options, allow_requantize), NULL},
    {"no-fallback", 0, OPT_FLAG, NULL,
     "stop where rows do not fit, take no other type",
     offsetof(struct quantize_options, no_fallback), NULL},
    {"strict", 0, OPT_FLAG, NULL, "stop where an option would do nothing",
     offsetof(struct quantize_options, strict), NULL},
    {"keep-split", 0, OPT_FLAG, NULL, "write a set of as many shards as IN",
     offsetof(struct quantize_options, keep_split), NULL},
    {"override-kv", 0, OPT_LIST, "KEY=T:V",
     "set KEY; T is int, float, bool or str",
     offsetof(struct quantize_options, override_kv), NULL},
    {"prune-layers", 0, OPT_STRING, "L", "leave out these layers, as 4,5,6",
     offsetof(struct quantize_options, prune_layers), NULL},
    {"error", 0, OPT_FLAG, NULL,
     "tell the error of each tensor, or of several TYPEs",
     offsetof(struct quantize_options, error), NULL},
    {"report", 0, OPT_STRING, "FILE", "write the JSON document to FILE",
     offsetof(struct quantize_options, report), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* What llama-quantize calls them. */
static const struct opt_alias quantize_aliases[] = {
    {"output-tensor-type", "output-type"},
    {"token-embedding-type", "embedding-type"},
    {"leave-output-tensor", "leave-output"},
    {NULL, NULL},
};

/* ------------------------------------------------------------------- recipe */

/* What was meant by a word that is no type; "" if something else is wrong. */
static const char *hint_of(const ggk_error *err, const char *word,
                           char hint[QUANTIZE_HINT])
{
    hint[0] = '\0';
    return err->status == GGK_E_NOT_FOUND && ggk_type_by_name(word) == NULL
               ? quantize_type_hint(word, hint)
               : hint;
}

/* One of the overrides. */
static void tell_override(const struct quantizing *q, size_t i,
                          const ggk_error *err)
{
    const struct msg *msg = &q->cli->msg;
    const char *word = i < q->types.n ? q->types.items[i] : "";
    const char *equals = strrchr(word, '=');
    char text[QUANTIZE_HINT];
    const char *hint = hint_of(err, equals != NULL ? equals + 1 : word, text);

    if (i < q->options->tensor_types.n)
        msg_usage(msg, "--tensor-type '%s': %s%s", word, err->what, hint);
    else
        msg_error(msg, q->options->tensor_type_file, "'%s': %s%s", word,
                  err->what, hint);
}

/* Tell which word it was that the library does not understand; false if it was
 * none. */
static bool tell_word(const struct quantizing *q, const ggk_error *err)
{
    static const char overrides[] = "overrides[";
    const struct quantize_options *o = q->options;
    const struct msg *msg = &q->cli->msg;
    char hint[QUANTIZE_HINT];

    if (err->status != GGK_E_ARG && err->status != GGK_E_NOT_FOUND &&
        err->status != GGK_E_LIMIT)
        return false;
    if (strcmp(err->where, "output_type") == 0)
        msg_usage(msg, "--output-type: %s%s", err->what,
                  hint_of(err, o->output_type, hint));
    else if (strcmp(err->where, "embedding_type") == 0)
        msg_usage(msg, "--embedding-type: %s%s", err->what,
                  hint_of(err, o->embedding_type, hint));
    else if (strcmp(err->where, "pruned") == 0)
        msg_usage(msg, "--prune-layers '%s': %s", o->prune_layers, err->what);
    else if (strncmp(err->where, overrides, sizeof overrides - 1) == 0)
        tell_override(q, strtoul(err->where + sizeof overrides - 1, NULL, 10),
                      err);
    else
        return false;
    return true;
}

static uint32_t recipe_flags(const struct quantize_options *o)
{
    return (o->pure ? GGK_RECIPE_PURE : 0) |
           (o->leave_output ? GGK_RECIPE_LEAVE_OUTPUT : 0) |
           (o->allow_requantize ? GGK_RECIPE_REQUANTIZE : 0) |
           (o->no_fallback ? GGK_RECIPE_NO_FALLBACK : 0) |
           (o->keep_split ? GGK_RECIPE_KEEP_ORDER : 0);
}

/* `from` may be NULL. */
static int make_recipe(struct quantizing *q, const struct input *from)
{
    const struct quantize_options *o = q->options;
    ggk_recipe_opts opts = {.struct_bytes = sizeof opts,
                            .flags = recipe_flags(o) |
                                     (q->as_if ? GGK_RECIPE_IMATRIX : 0),
                            .target = q->target,
                            .output_type = o->output_type,
                            .embedding_type = o->embedding_type,
                            .overrides = q->types.items,
                            .n_overrides = q->types.n,
                            .from = from != NULL ? from->model : NULL,
                            .imatrix = q->importances.imatrix,
                            .keys = q->keys.items,
                            .n_keys = q->keys.n,
                            .pruned = q->layers.items,
                            .n_pruned = q->layers.n};
    ggk_error err;

    if (ggk_recipe_new(q->in->model, &opts, &q->recipe, &err) == GGK_OK)
        return CLI_DONE;
    return tell_word(q, &err) ? CLI_USAGE
                              : quantize_fail(q->cli, q->in->name, &err);
}

static int take_recipe(struct quantizing *q)
{
    struct input from;
    int status;

    if (q->options->recipe_from == NULL)
        return make_recipe(q, NULL);
    status = input_open(q->cli, q->options->recipe_from, &from);
    if (status != CLI_DONE)
        return status;
    return input_finish(&from, make_recipe(q, &from));
}

/* --------------------------------------------------------------------- work */

/* How many shards the set has that OUT is named as one of; 0: it is not. */
static uint32_t shards_named(const char *out)
{
    ggk_file_name name;

    (void)ggk_file_name_parse(ggk_cstr(out), &name);
    return name.shards;
}

/* The prefix of the names of a set: OUT without ".gguf", and without
 * "-00001-of-00005" before it. */
static char *set_prefix(const char *out)
{
    size_t n = strlen(out);
    char *prefix = strdup(out);

    if (prefix != NULL && n > 5 && strcmp(prefix + n - 5, ".gguf") == 0)
        prefix[n - (shards_named(out) > 0 ? strlen("-00001-of-00005.gguf")
                                          : 5)] = '\0';
    return prefix;
}

static bool writes_set(const struct quantizing *q)
{
    return q->options->keep_split && ggk_model_n_files(q->in->model) > 1;
}

/* OUT may be named as a shard: of a set that is written, and has as many. */
static int judge_out(const struct quantizing *q)
{
    uint32_t named = shards_named(q->out), n = ggk_plan_n_files(q->plan);

    if (named == 0 || (writes_set(q) && named == n))
        return CLI_DONE;
    if (!writes_set(q)) {
        msg_warning(&q->cli->msg, q->out,
                    "it is named as a shard, but will be a file of its "
                    "own%s",
                    ggk_model_n_files(q->in->model) > 1
                        ? ": --keep-split writes a set"
                        : "");
        return CLI_DONE;
    }
    msg_usage(&q->cli->msg,
              "'%s' is named as one of %" PRIu32 " shards, but there will be "
              "%" PRIu32 ": name them without numbers, or with these",
              q->out, named, n);
    return CLI_USAGE;
}

static ggk_status fill_plan(struct quantizing *q, ggk_error *err)
{
    ggk_quantize_opts opts = {.struct_bytes = sizeof opts,
                              .imatrix_file = q->options->imatrix};
    char *prefix;
    ggk_status status;

    if (!writes_set(q))
        return ggk_plan_quantize(q->plan, q->out, q->recipe, &opts, err);
    opts.flags = GGK_QUANTIZE_KEEP_SPLIT;
    prefix = set_prefix(q->out);
    status = prefix == NULL
                 ? show_no_memory(err)
                 : ggk_plan_quantize(q->plan, prefix, q->recipe, &opts, err);
    free(prefix);
    return status;
}

static int make_plan(struct quantizing *q)
{
    ggk_error err;
    ggk_status status = ggk_plan_new(NULL, &q->plan, &err);

    if (status == GGK_OK)
        status = fill_plan(q, &err);
    if (status == GGK_OK)
        status = quantize_guard(q, q->plan, &err);
    return status == GGK_OK ? judge_out(q)
                            : quantize_fail(q->cli, q->in->name, &err);
}

static int write_and_report(const struct quantizing *q, struct writing *w)
{
    char *text = NULL;
    size_t bytes = 0;
    ggk_error err;
    int status;

    if (q->options->report == NULL || q->cli->global.dry_run)
        return writing_run(w);
    w->report = open_memstream(&text, &bytes);
    if (w->report == NULL) {
        show_no_memory(&err);
        return input_fail(q->in, &err);
    }
    status = writing_run(w);
    if (fclose(w->report) != 0 && status == CLI_DONE) {
        show_no_memory(&err);
        status = input_fail(q->in, &err);
    }
    if (status == CLI_DONE)
        status = quantize_write_report(q, text, bytes);
    free(text);
    return status;
}

/* All is read and decided. */
static int quantize_to(struct quantizing *q)
{
    struct writing w = {.cli = q->cli,
                        .in = q->in,
                        .nowhere = q->nowhere,
                        .verb = "quantizing",
                        .put_json = quantize_put_json,
                        .put_text = quantize_put_text,
                        .put_sizes = quantize_put_sizes,
                        .ctx = q};
    int status = make_plan(q);

    if (status == CLI_DONE && q->options->report != NULL)
        status = quantize_try_report(q);
    w.plan = q->plan;
    if (status == CLI_DONE)
        status = write_and_report(q, &w);
    ggk_plan_free(q->plan);
    return status;
}

/* A recipe for each target, before any of them is tried. */
static int compare_targets(struct quantizing *q)
{
    struct candidate *candidates = calloc(q->n_targets, sizeof *candidates);
    int status = CLI_DONE;
    ggk_error err;

    if (candidates == NULL) {
        show_no_memory(&err);
        return input_fail(q->in, &err);
    }
    for (size_t i = 0; i < q->n_targets && status == CLI_DONE; i++) {
        q->target = q->targets[i];
        status = take_recipe(q);
        candidates[i].recipe = q->recipe;
        if (status == CLI_DONE)
            status = quantize_judge(q);
        q->recipe = NULL;
    }
    if (status == CLI_DONE)
        status = quantize_compare(q, candidates);
    for (size_t i = 0; i < q->n_targets; i++)
        ggk_recipe_free(candidates[i].recipe);
    free(candidates);
    return status;
}

/* A dry run that only lacks importances: the plan as it would be with some. */
static void show_as_if(struct quantizing *q)
{
    char bits[FMT_BYTES];
    ggk_recipe_total sum;

    ggk_recipe_free(q->recipe);
    q->recipe = NULL;
    q->as_if = true;
    if (take_recipe(q) != CLI_DONE)
        return;
    ggk_recipe_sum(q->recipe, &sum);
    fmt_fixed(bits, sum.bits_per_weight, 3);
    quantize_put_text(q->cli->out, q);
    fprintf(q->cli->out,
            "would not be written: %s bits per weight, if there "
            "were importances\n",
            bits);
}

static bool lacks_importances(const struct quantizing *q)
{
    ggk_recipe_total sum;
    uint64_t n_others = 0;

    ggk_recipe_sum(q->recipe, &sum);
    for (int i = GGK_OBSTACLE_NONE + 1; i < GGK_OBSTACLE_COUNT; i++)
        n_others += i != GGK_OBSTACLE_IMATRIX ? sum.n_obstacles[i] : 0;
    return q->importances.imatrix == NULL && n_others == 0 &&
           sum.n_obstacles[GGK_OBSTACLE_IMATRIX] > 0;
}

static int quantize_one(struct quantizing *q)
{
    const struct cli *cli = q->cli;
    int status = take_recipe(q);

    if (status == CLI_DONE)
        status = quantize_judge(q);
    if (status == CLI_USAGE && cli->global.dry_run && !cli->global.json &&
        !cli->global.quiet && q->recipe != NULL && lacks_importances(q))
        show_as_if(q);
    if (status == CLI_DONE)
        status = q->options->error ? quantize_error(q) : quantize_to(q);
    ggk_recipe_free(q->recipe);
    return status;
}

/* The model is open. */
static int quantize_model(struct quantizing *q)
{
    int status = quantize_take_keys(q, &q->keys);

    if (status == CLI_DONE)
        status = lost_keys_check(q->in);
    if (status == CLI_DONE)
        status = q->n_targets > 1 ? compare_targets(q) : quantize_one(q);
    return status;
}

/* ---------------------------------------------------------------------- run */

static bool is_number(const char *word)
{
    uint64_t number;

    return fmt_parse_u64(word, &number) == FMT_PARSED;
}

/* As "IN OUT TYPE 8" of llama-quantize: the number of threads. */
static void tell_surplus(const struct msg *msg, const char *word)
{
    if (is_number(word))
        msg_usage(msg,
                  "'%s' is one operand too many: --threads %s sets the number "
                  "of threads",
                  word, word);
    else
        msg_usage(msg, "'%s' is one operand too many", word);
}

/* Is an operand where another should be, as in "IN TYPE 8"? Then it is told. */
static bool are_misplaced(const struct cli *cli, int argc, char **argv)
{
    const struct msg *msg = &cli->msg;
    const char *last = argv[argc - 1];
    const char *out = argc > 2 ? argv[1] : cli->global.output;

    if (argc > 3) {
        tell_surplus(msg, argv[3]);
        return true;
    }
    if (quantize_is_target_name(last))
        return false;
    if (argc > 1 && quantize_is_target_name(argv[0])) {
        msg_usage(msg, "'%s' is a TYPE, and comes last: IN OUT %s", argv[0],
                  argv[0]);
        return true;
    }
    if (out == NULL || ggk_target_by_name(out) == NULL)
        return false;
    msg_usage(
        msg, "'%s' is a TYPE, and stands where OUT is named (./%s is a file)%s",
        out, out,
        is_number(last) ? "; --threads N sets the number of threads" : "");
    return true;
}

/* No TYPE has a dot or a slash, and what is to be a file has one. */
static bool looks_like_file(const char *word)
{
    return strpbrk(word, "./") != NULL;
}

/* Of --error, which writes nothing: all behind IN is a TYPE, but for an OUT as
 * of a command line that --error was put into. */
static bool take_targets(struct quantizing *q, int argc, char **argv)
{
    int first = argc > 2 && looks_like_file(argv[1]) ? 2 : 1;

    q->targets = argv + first;
    q->n_targets = (size_t)(argc - first);
    q->target = q->targets[0];
    for (size_t i = 0; i < q->n_targets; i++)
        if (!quantize_target_ok(q->cli, q->targets[i]))
            return false;
    return true;
}

/* OUT may be that of -o: then there are one or two operands before TYPE. */
static bool take_operands(struct quantizing *q, int argc, char **argv)
{
    const char *out = argc > 2 ? argv[1] : NULL;
    const struct cli *cli = q->cli;
    bool dry = q->options->error || cli->global.dry_run;

    if (!q->options->error && are_misplaced(cli, argc, argv))
        return false;
    if (argc < 3 && (argc < 2 || (cli->global.output == NULL && !dry &&
                                  ggk_target_by_name(argv[1]) == NULL))) {
        msg_usage(&cli->msg, "no TYPE given");
        quantize_list_text(cli->msg.out, &cli->term);
        return false;
    }
    if (q->options->error)
        return take_targets(q, argc, argv);
    q->target = argv[argc - 1];
    /* Where nothing is written, the name need not be given. */
    q->nowhere = dry && out == NULL && cli->global.output == NULL;
    q->out = q->nowhere ? "OUT" : writing_target(cli, out, NULL);
    return q->out != NULL && quantize_target_ok(cli, q->target);
}

static int run_quantize(struct cli *cli, int argc, char **argv)
{
    struct input in;
    struct quantizing q = {.cli = cli, .options = cli->options, .in = &in};
    int status;

    clock_gettime(CLOCK_MONOTONIC, &q.begun);
    if (q.options->list && argc == 0) {
        quantize_list(cli);
        return CLI_DONE;
    }
    if (q.options->list || argc == 0) {
        msg_usage(&cli->msg, argc == 0 ? "no IN, OUT and TYPE given"
                                       : "--list takes no operands");
        return CLI_USAGE;
    }
    if (q.options->error && q.options->report != NULL) {
        msg_usage(&cli->msg, "--error and --report exclude each other: --json "
                             "prints the document");
        return CLI_USAGE;
    }
    if (!take_operands(&q, argc, argv))
        return CLI_USAGE;
    status = quantize_take_types(cli, q.options, &q.types);
    if (status == CLI_DONE)
        status = quantize_take_layers(cli, q.options->prune_layers, &q.layers);
    if (status == CLI_DONE)
        status = quantize_open_importances(cli, q.options, &q.importances);
    if (status == CLI_DONE) {
        status = input_open(cli, argv[0], &in);
        if (status == CLI_DONE)
            status = input_finish(&in, quantize_model(&q));
    }
    ggk_imatrix_close(q.importances.imatrix);
    quantize_free_types(&q.types);
    free(q.keys.items);
    free(q.layers.items);
    return status;
}

static const struct cli_example quantize_examples[] = {
    {"gguf quantize model.gguf small.gguf Q4_K_M",
     "the usual mix, the bytes of llama-quantize"},
    {"gguf quantize --dry-run model.gguf Q4_K_M",
     "which type each tensor would get and why, and all sizes"},
    {"gguf quantize --error model.gguf Q4_K_M",
     "what that would do to the numbers, the worst tensor first"},
    {"gguf quantize --error model.gguf Q4_K_M IQ4_XS Q5_K_S",
     "which of these does least to the numbers, and their sizes"},
    {"gguf quantize --imatrix imatrix.gguf model.gguf small.gguf IQ4_XS",
     "weighed by what matters"},
    {"gguf quantize --tensor-type 'ffn_down=Q6_K' model.gguf small.gguf Q4_K_S",
     "a mix of one's own"},
    {"gguf quantize --recipe-from other.gguf model.gguf small.gguf Q4_K_M",
     "the mix of another file"},
    {"gguf quantize --prune-layers 20,21 model.gguf small.gguf Q4_K_M",
     "without two of its layers"},
    {"gguf quantize --list", "what TYPE can be"},
    {NULL, NULL},
};

const struct command cmd_quantize = {
    .name = "quantize",
    .operands = "IN [OUT] TYPE",
    .min_operands = 0,
    .max_operands = CLI_ANY_OPERANDS,
    .flags = CLI_READS_MODEL | CLI_READS_DATA | CLI_WRITES,
    .summary = "write a model with fewer bits per weight",
    .about = "Quantizes the tensors of a model to TYPE, a type or a mix of "
             "types, by name or\nby number as of llama-quantize, and to the "
             "same bytes. IN may be a set.",
    .examples = quantize_examples,
    .options = quantize_options,
    .aliases = quantize_aliases,
    .options_bytes = sizeof(struct quantize_options),
    .run = run_quantize,
};
