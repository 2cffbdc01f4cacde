/* cmd_new.c - gguf new: a model from a description. */
#include <inttypes.h>
#include <string.h>

#include "cmd/new_spec.h"
#include "show.h"
#include "writing.h"

struct new_options {
    const char *spec;
    uint64_t align;
};

static const struct opt new_options[] = {
    {"spec", 0, OPT_STRING, "SPEC",
     "the description, JSON; - for standard input",
     offsetof(struct new_options, spec), NULL},
    {"align", 0, OPT_U64, "N", "align tensors to N bytes, a power of two",
     offsetof(struct new_options, align), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

static void put_spec(struct json *j, const void *ctx)
{
    const struct new_spec *s = ctx;

    json_put_string(j, "spec", s->name, strlen(s->name));
}

/* What llama.cpp will not take is written, if asked for, but not in silence.
 * What fails here fails in the run, which can tell more of it. */
static void warn_of_loader(const struct new_spec *s, const char *out)
{
    ggk_check_opts opts = {.struct_bytes = sizeof opts,
                           .profiles = GGK_PROFILE_LLAMA_CPP};
    ggk_verdict verdict;

    if (ggk_plan_check(s->plan, &opts, NULL, NULL, &verdict, NULL) == GGK_OK &&
        verdict.loads != GGK_LOADS_ALL)
        msg_warning(&s->cli->msg, out, "llama.cpp will not load it: %s",
                    verdict.reason);
}

/* May it be laid out as --align or the description says? */
static int check_alignment(const struct new_spec *s)
{
    const struct new_entry whole = {.spec = s, .list = "", .object = s->root};
    ggk_planned_file f;
    const char *why;

    if (s->cli->global.force || ggk_plan_file(s->plan, 0, &f, NULL) != GGK_OK)
        return CLI_DONE; /* what fails here fails in the run too */
    why = writing_bad_alignment(f.alignment);
    if (why == NULL)
        return CLI_DONE;
    (void)new_refuse(&whole, "alignment", "%" PRIu64 " is %s (--force does it)",
                     f.alignment, why);
    return CLI_USAGE;
}

static int write_new(const struct new_spec *s, const char *out)
{
    struct input in = {.cli = s->cli, .name = s->name};
    struct writing w = {.cli = s->cli,
                        .in = &in,
                        .plan = s->plan,
                        .verb = "writing",
                        .put_json = put_spec,
                        .ctx = s};
    ggk_error err;

    if (writing_guard(s->plan, s->name, &err) != GGK_OK)
        return writing_fail(&w, &err);
    warn_of_loader(s, out);
    return writing_run(&w);
}

static int run_new(struct cli *cli, int argc, char **argv)
{
    const struct new_options *o = cli->options;
    const char *out = writing_target(cli, argc > 0 ? argv[0] : NULL, NULL);
    struct new_spec s;
    int status;

    if (out == NULL)
        return CLI_USAGE;
    if (o->spec == NULL) {
        msg_usage(&cli->msg, "no --spec given");
        return CLI_USAGE;
    }
    if (o->align != 0 && (o->align & (o->align - 1)) != 0) {
        msg_usage(&cli->msg, "--align wants a power of two");
        return CLI_USAGE;
    }
    status = new_spec_open(cli, o->spec, &s);
    if (status == CLI_DONE)
        status = new_spec_plan(&s, out, o->align);
    if (status == CLI_DONE)
        status = check_alignment(&s);
    if (status == CLI_DONE)
        status = write_new(&s, out);
    new_spec_close(&s);
    return status;
}

static const struct cli_example new_examples[] = {
    {"gguf new model.gguf --spec model.json", "what the description says"},
    {"gguf new model.gguf --spec model.json --dry-run",
     "how large it would be"},
    {"gguf dump --json --full a.gguf | gguf new b.gguf --spec -",
     "a model once more, by way of its description"},
    {NULL, NULL},
};

const struct command cmd_new = {
    .name = "new",
    .operands = "[OUT]",
    .min_operands = 0,
    .max_operands = 1,
    .flags = CLI_WRITES,
    .summary = "write a model from a description",
    .about = "Writes the keys and tensors that a JSON file describes, in its "
             "order. Data is\nthat of .npy, safetensors or raw files, or "
             "numbers in the description.\n`man gguf-new` tells its form.",
    .examples = new_examples,
    .options = new_options,
    .options_bytes = sizeof(struct new_options),
    .run = run_new,
};
