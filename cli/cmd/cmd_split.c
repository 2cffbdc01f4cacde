/* cmd_split.c - gguf split: a model becomes the shards of a set. */
#include <inttypes.h>
#include <string.h>

#include "command.h"
#include "input.h"
#include "lost_keys.h"
#include "out/text.h"
#include "writing.h"

#define WARNINGS_MOST 3

struct split_options {
    uint64_t max_size;
    uint64_t max_tensors;
    bool no_tensor_first;
};

static const struct opt split_options[] = {
    {"max-size", 0, OPT_SIZE, "S", "at most S bytes in a shard: 4G, 512Mi",
     offsetof(struct split_options, max_size), NULL},
    {"max-tensors", 0, OPT_COUNT, "N", "at most N tensors in a shard",
     offsetof(struct split_options, max_tensors), NULL},
    {"no-tensor-first-split", 0, OPT_FLAG, NULL,
     "the first shard holds the keys alone",
     offsetof(struct split_options, no_tensor_first), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* One set that is being planned. */
struct splitting {
    const struct cli *cli;
    const struct split_options *options;
    const struct input *in;
    ggk_plan *plan;
};

/* ----------------------------------------------------------------- planning */

static int plan_split(struct splitting *s, const char *prefix)
{
    ggk_split_opts opts = {.struct_bytes = sizeof opts,
                           .max_bytes = s->options->max_size,
                           .max_tensors = s->options->max_tensors,
                           .no_tensor_first = s->options->no_tensor_first};
    ggk_error err;

    if (ggk_plan_new(NULL, &s->plan, &err) != GGK_OK ||
        writing_plan_all(s->plan, s->in, prefix, &err) != GGK_OK)
        return input_fail(s->in, &err);
    if (ggk_plan_split(s->plan, prefix, &opts, &err) == GGK_OK)
        return CLI_DONE;
    if (err.status != GGK_E_LIMIT)
        return input_fail(s->in, &err);
    msg_usage(&s->cli->msg, "%s", err.what);
    return CLI_USAGE;
}

/* ----------------------------------------------------------------- warnings */

static void warn_of_shard(const struct splitting *s, uint32_t i,
                          const ggk_planned_file *f)
{
    const struct msg *msg = &s->cli->msg;
    ggk_planned_tensor t;
    char name[128];

    if (f->n_tensors == 0) {
        msg_warning(msg, f->path,
                    "the keys alone take %" PRIu64
                    " bytes, more than --max-size",
                    f->size);
    } else if (ggk_plan_tensor(s->plan, i, 0, &t, NULL) == GGK_OK) {
        text_copy(name, sizeof name, t.name.ptr, t.name.len);
        msg_warning(msg, f->path,
                    "the shard has %" PRIu64
                    " bytes, more than --max-size: the tensor \"%s\" takes "
                    "%" PRIu64 " of them",
                    f->size, name, t.bytes);
    }
}

/* Shards that are larger than they should be, since nothing can be done. */
static void warn_of_large_shards(const struct splitting *s)
{
    uint32_t n_large = 0;
    ggk_planned_file f;

    for (uint32_t i = 0; i < ggk_plan_n_files(s->plan); i++)
        if (s->options->max_size > 0 &&
            ggk_plan_file(s->plan, i, &f, NULL) == GGK_OK &&
            f.size > s->options->max_size && n_large++ < WARNINGS_MOST)
            warn_of_shard(s, i, &f);
    if (n_large > WARNINGS_MOST)
        msg_warning(&s->cli->msg, NULL,
                    "%" PRIu32 " more shards are larger than --max-size",
                    n_large - WARNINGS_MOST);
}

/* ---------------------------------------------------------------------- run */

/* A shard alone would become a set that says it is a whole model. */
static int refuse_part(const struct input *in)
{
    uint64_t n = input_shards(in);

    if (n == 0)
        return CLI_DONE;
    msg_usage(&in->cli->msg,
              "'%s' is one shard of %" PRIu64 ": only a whole set is split "
              "anew",
              in->name, n);
    return CLI_USAGE;
}

static int split_to(struct splitting *s, const char *prefix)
{
    struct writing w = {.cli = s->cli, .in = s->in, .verb = "splitting"};
    int status = refuse_part(s->in);

    if (status == CLI_DONE)
        status = lost_keys_check(s->in);
    if (status == CLI_DONE)
        status = plan_split(s, prefix);
    w.plan = s->plan;
    if (status == CLI_DONE) {
        warn_of_large_shards(s);
        status = writing_run(&w);
    }
    ggk_plan_free(s->plan);
    return status;
}

/* A prefix that makes the names of files. */
static bool accept_prefix(const struct cli *cli, const char *prefix)
{
    size_t len = strlen(prefix);

    if (len > 0 && prefix[len - 1] != '/')
        return true;
    msg_usage(&cli->msg,
              "'%s' is no PREFIX: with \"%smodel\" the first shard would be "
              "%smodel-00001-of-00002.gguf",
              prefix, prefix, prefix);
    return false;
}

static int run_split(struct cli *cli, int argc, char **argv)
{
    const struct split_options *o = cli->options;
    struct input in;
    struct splitting s = {cli, o, &in, NULL};
    const char *prefix = argc > 1 ? argv[1] : NULL;
    int status;

    if (prefix == NULL && cli->global.output == NULL) {
        msg_usage(&cli->msg,
                  "no PREFIX given: with \"model\" the first shard would be "
                  "model-00001-of-00002.gguf");
        return CLI_USAGE;
    }
    prefix = writing_target(cli, prefix, NULL);
    if (prefix == NULL || !accept_prefix(cli, prefix))
        return CLI_USAGE;
    if (o->max_size == 0 && o->max_tensors == 0) {
        msg_usage(
            &cli->msg,
            "--max-size or --max-tensors is needed, such as --max-size 4G");
        return CLI_USAGE;
    }
    status = input_open(cli, argv[0], &in);
    if (status != CLI_DONE)
        return status;
    return input_finish(&in, split_to(&s, prefix));
}

static const struct cli_example split_examples[] = {
    {"gguf split --max-size 4G model.gguf model",
     "model-00001-of-0000N.gguf and so on, of at most 4000000000 bytes"},
    {"gguf split --max-tensors 128 model.gguf parts/model",
     "128 tensors in each, in the folder parts"},
    {"gguf split --max-size 50G old-00001-of-00009.gguf new",
     "a set split anew"},
    {"gguf split --max-size 4G --dry-run model.gguf model",
     "what it would write, to the byte"},
    {NULL, NULL},
};

const struct command cmd_split = {
    .name = "split",
    .operands = "IN [PREFIX]",
    .min_operands = 1,
    .max_operands = 2,
    .flags = CLI_READS_MODEL | CLI_READS_DATA | CLI_WRITES,
    .summary = "split a model into the shards of a set",
    .about = "Writes PREFIX-00001-of-0000N.gguf and so on, as llama.cpp loads "
             "them. The sizes\nare those of whole files. IN may be a set: it "
             "is split anew.",
    .examples = split_examples,
    .options = split_options,
    .options_bytes = sizeof(struct split_options),
    .run = run_split,
};
