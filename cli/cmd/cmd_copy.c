/* cmd_copy.c - gguf copy: a model once more, in canonical form. */
#include "command.h"
#include "input.h"
#include "show.h"
#include "writing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_ALIGNMENT 32 /* of a file without general.alignment */

struct copy_options {
    bool in_place;
    int byte_order; /* 1: little, 2: big */
    uint64_t align;
    int version; /* 1: version 2, 2: version 3 */
    struct opt_list keep;
    struct opt_list drop;
    uint64_t reserve;
};

static const char *const byte_order_choices[] = {"little", "big", NULL};
static const char *const version_choices[] = {"2", "3", NULL};

static const struct opt copy_options[] = {
    {"in-place", 0, OPT_FLAG, NULL, "replace IN by its copy",
     offsetof(struct copy_options, in_place), NULL},
    {"byte-order", 0, OPT_CHOICE, NULL, "byte order; else that of IN",
     offsetof(struct copy_options, byte_order), byte_order_choices},
    {"align", 0, OPT_ALIGN, "N",
     "align tensors to N bytes, a power of two: 4096, 4K",
     offsetof(struct copy_options, align), NULL},
    {"version", 0, OPT_CHOICE, NULL, "version of the format; else 3",
     offsetof(struct copy_options, version), version_choices},
    {"keep", 0, OPT_LIST, "PATTERN", "only tensors whose names match",
     offsetof(struct copy_options, keep), NULL},
    {"drop", 0, OPT_LIST, "PATTERN", "no tensors whose names match",
     offsetof(struct copy_options, drop), NULL},
    {"reserve", 0, OPT_SIZE, "SIZE",
     "leave so many bytes free for edits, 64Mi at most",
     offsetof(struct copy_options, reserve), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* A copy that is being planned. */
struct copying {
    const struct cli *cli;
    const struct copy_options *options;
    const struct input *in;
    ggk_plan *plan;
    uint64_t dropped;
};

static bool any_matches(const struct opt_list *patterns, ggk_str name)
{
    for (size_t i = 0; i < patterns->n; i++)
        if (show_matches(patterns->items[i], name))
            return true;
    return false;
}

static bool is_wanted(const struct copy_options *o, ggk_str name)
{
    return (o->keep.n == 0 || any_matches(&o->keep, name)) &&
           !any_matches(&o->drop, name);
}

/* The tensors of file `from` that are wanted, into the plan's file `file`. */
static ggk_status plan_tensors(struct copying *c, uint32_t file, uint32_t from,
                               ggk_error *err)
{
    const ggk_model *model = c->in->model;
    ggk_file f;
    ggk_status status = ggk_model_file(model, from, &f, err);

    for (uint64_t n = 0; status == GGK_OK && n < f.n_tensors; n++) {
        ggk_tensor t;

        status = ggk_model_tensor(model, f.first_tensor + n, &t, err);
        if (status == GGK_OK && !is_wanted(c->options, t.name))
            c->dropped++;
        else if (status == GGK_OK)
            status = ggk_plan_copy_tensor(c->plan, file, model,
                                          f.first_tensor + n, err);
    }
    return status;
}

/* Does the model have the alignment that is asked for, or may it get that? */
static bool check_alignment(const struct copying *c)
{
    uint64_t align = c->options->align;
    const char *why = align != 0 ? writing_bad_alignment(align) : NULL;
    bool has = true;

    for (uint32_t i = 0; i < ggk_model_n_files(c->in->model); i++) {
        ggk_file f;
        has = has && ggk_model_file(c->in->model, i, &f, NULL) == GGK_OK &&
              f.alignment == align;
    }
    if (why == NULL || has || c->cli->global.force)
        return true;
    msg_error(&c->cli->msg, c->in->name,
              "--align: %" PRIu64 " is %s (--force does it)", align, why);
    return false;
}

/* The default needs no key. */
static ggk_status set_alignment(struct copying *c, uint32_t file,
                                ggk_error *err)
{
    const ggk_str key = ggk_cstr("general.alignment");
    ggk_value value = {.type = GGK_VALUE_UINT32, .as.u = c->options->align};
    ggk_builder *b;
    ggk_status status;

    if (c->options->align == DEFAULT_ALIGNMENT) {
        status = ggk_plan_remove_kv(c->plan, file, key, err);
        return status == GGK_E_NOT_FOUND ? GGK_OK : status;
    }
    status = ggk_builder_new(NULL, &b, err);
    if (status != GGK_OK)
        return status;
    status = ggk_builder_put(b, &value, err);
    if (status == GGK_OK)
        status = ggk_plan_set_kv(c->plan, file, key, b, err);
    ggk_builder_free(b);
    return status;
}

static ggk_status plan_file(struct copying *c, uint32_t from, const char *path,
                            ggk_error *err)
{
    const struct copy_options *o = c->options;
    uint32_t file;
    ggk_planned_file f;
    ggk_status status = ggk_plan_add_file(c->plan, path, &file, err);

    if (status == GGK_OK)
        status = ggk_plan_copy_keys(c->plan, file, c->in->model, from, err);
    if (status == GGK_OK)
        status = ggk_plan_file(c->plan, file, &f, err);
    if (status == GGK_OK && o->align != 0 &&
        (o->align != f.alignment || o->align == DEFAULT_ALIGNMENT))
        status = set_alignment(c, file, err);
    if (status == GGK_OK)
        status = ggk_plan_set_format(
            c->plan, file, o->version == 1 ? 2 : 3,
            o->byte_order != 0 ? o->byte_order == 2 : f.big_endian, err);
    return status == GGK_OK ? plan_tensors(c, file, from, err) : status;
}

static ggk_status plan_all(struct copying *c, const char *out, ggk_error *err)
{
    uint32_t n = ggk_model_n_files(c->in->model);
    ggk_status status = GGK_OK;

    for (uint32_t i = 0; i < n && status == GGK_OK; i++) {
        char *path = writing_path_of(c->in, out, c->options->in_place, i);

        status =
            path != NULL ? plan_file(c, i, path, err) : show_no_memory(err);
        free(path);
    }
    if (status == GGK_OK && n > 1 && c->dropped > 0)
        status = ggk_plan_number_shards(c->plan, err);
    if (status == GGK_OK &&
        c->options->reserve > 0) /* the keys are in file 0 */
        status = ggk_plan_reserve(c->plan, 0, c->options->reserve, err);
    return status;
}

static int copy_to(struct copying *c, const char *out)
{
    struct writing w = {.cli = c->cli, .in = c->in, .verb = "copying"};
    ggk_error err;
    int status = CLI_DONE;

    if (ggk_plan_new(NULL, &c->plan, &err) != GGK_OK ||
        plan_all(c, out, &err) != GGK_OK)
        status = input_fail(c->in, &err);
    w.plan = c->plan;
    w.run_flags = c->options->in_place ? GGK_RUN_REPLACE : 0;
    if (status == CLI_DONE)
        status = writing_run(&w);
    ggk_plan_free(c->plan);
    return status;
}

static int run_copy(struct cli *cli, int argc, char **argv)
{
    const struct copy_options *o = cli->options;
    struct input in;
    struct copying c = {cli, o, &in, NULL, 0};
    const char *out = argc > 1 ? argv[1] : NULL;
    int status;

    if (o->in_place && (out != NULL || cli->global.output != NULL)) {
        msg_usage(&cli->msg, "--in-place and an OUT exclude each other");
        return CLI_USAGE;
    }
    out = writing_target(cli, out, o->in_place ? argv[0] : NULL);
    if (out == NULL)
        return CLI_USAGE;
    if (o->align > UINT32_MAX) {
        msg_usage(&cli->msg, "--align: general.alignment, a UINT32, cannot be "
                             "larger than 2147483648");
        return CLI_USAGE;
    }
    if (o->reserve > GGK_RESERVE_MOST) {
        msg_usage(&cli->msg, "--reserve: at most 64Mi can be left free");
        return CLI_USAGE;
    }
    status = input_open_to(cli, argv[0],
                           o->in_place ? INPUT_REPLACE : INPUT_READ, &in);
    if (status != CLI_DONE)
        return status;
    return input_finish(&in,
                        check_alignment(&c) ? copy_to(&c, out) : CLI_USAGE);
}

static const struct cli_example copy_examples[] = {
    {"gguf copy old.gguf new.gguf", "in order, padded, as version 3"},
    {"gguf copy --align 4096 model.gguf aligned.gguf",
     "each tensor at the start of a page"},
    {"gguf copy --byte-order big model.gguf big.gguf",
     "for a big-endian machine"},
    {"gguf copy --keep 'blk.0.*' model.gguf layer0.gguf",
     "all keys, but one layer's tensors only"},
    {NULL, NULL},
};

const struct command cmd_copy = {
    .name = "copy",
    .operands = "IN [OUT]",
    .min_operands = 1,
    .max_operands = 2,
    .flags = CLI_READS_MODEL | CLI_READS_DATA | CLI_WRITES,
    .summary = "write a model once more, in canonical form",
    .about =
        "Copies a model without loss: every key and tensor, byte for byte, "
        "in order,\nwithout gaps. A split set becomes a set, whose prefix "
        "is OUT without .gguf.",
    .examples = copy_examples,
    .options = copy_options,
    .options_bytes = sizeof(struct copy_options),
    .run = run_copy,
};
