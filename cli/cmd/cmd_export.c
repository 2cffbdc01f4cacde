/* cmd_export.c - gguf export: tensors as files of other formats. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input.h"
#include "show.h"
#include "writing.h"

struct export_options {
    bool npy;
    bool raw;
};

static const struct opt export_options[] = {
    {"npy", 0, OPT_FLAG, NULL, "a .npy file for each (the same as without)",
     offsetof(struct export_options, npy), NULL},
    {"raw", 0, OPT_FLAG, NULL, "a .bin file for each: its bytes, no header",
     offsetof(struct export_options, raw), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* An export that is being planned. */
struct exporting {
    const struct cli *cli;
    const struct input *in;
    const char *pattern; /* NULL: all */
    const char *out;
    ggk_file_format format;
    ggk_plan *plan;
    uint64_t n; /* tensors that match */
};

/* ----------------------------------------------------------- names of files */

#define MOST_NAME_BYTES 255 /* what file systems take, or less */

static bool is_plain(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/* The name of a tensor, with %XX for every byte that means something to a file
 * system or a shell: no name leads out of the folder, is hidden or an option,
 * and no two become one. Returns its length; `out` has room for three times
 * that of the name, and a NUL. */
static size_t put_name(char *out, ggk_str name)
{
    size_t at = 0;

    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];

        if (is_plain(c) && (i > 0 || (c != '.' && c != '-')))
            out[at++] = (char)c;
        else
            at += (size_t)snprintf(out + at, 4, "%%%02X", c);
    }
    return at;
}

/* FOLDER/NAME.SUFFIX; NULL: no memory. The bytes of the last part into `*n`. */
static char *path_in(const char *folder, ggk_str name, const char *suffix,
                     size_t *n)
{
    size_t at = strlen(folder), ending = strlen(suffix);
    char *path;

    if (name.len > (SIZE_MAX - at - ending - 2) / 3)
        return NULL;
    path = malloc(at + 3 * name.len + ending + 2);
    if (path == NULL)
        return NULL;
    memcpy(path, folder, at);
    if (path[at - 1] != '/')
        path[at++] = '/';
    *n = put_name(path + at, name) + ending;
    memcpy(path + at + *n - ending, suffix, ending + 1);
    return path;
}

static ggk_status fail_name(const struct exporting *e, const ggk_tensor *t,
                            ggk_error *err)
{
    const ggk_model *model = e->in->model;
    ggk_file f;

    *err = (ggk_error){.status = GGK_E_UNSUPPORTED, .offset = t->info_off};
    snprintf(err->what, sizeof err->what,
             "the tensor's name is %s for the name of a file: write to an "
             "OUT.safetensors",
             t->name.len == 0 ? "too short" : "too long");
    if (ggk_model_n_files(model) > 1 &&
        ggk_model_file(model, t->file, &f, NULL) == GGK_OK && f.path != NULL)
        snprintf(err->file, sizeof err->file, "%s", f.path);
    return err->status;
}

/* ----------------------------------------------------------------- planning */

/* A file for tensor `i` alone. */
static ggk_status plan_alone(struct exporting *e, uint64_t i,
                             const ggk_tensor *t, ggk_error *err)
{
    const char *suffix = e->format == GGK_FORMAT_RAW ? ".bin" : ".npy";
    size_t n;
    char *path = path_in(e->out, t->name, suffix, &n);
    uint32_t file = 0;
    ggk_status status;

    if (path == NULL)
        return show_no_memory(err);
    status =
        t->name.len == 0 || n > MOST_NAME_BYTES
            ? fail_name(e, t, err)
            : ggk_plan_add_array_file(e->plan, path, e->format, &file, err);
    free(path);
    return status == GGK_OK
               ? ggk_plan_copy_tensor(e->plan, file, e->in->model, i, err)
               : status;
}

static ggk_status plan_tensor(struct exporting *e, uint64_t i, ggk_error *err)
{
    const ggk_model *model = e->in->model;
    ggk_tensor t;
    ggk_status status = ggk_model_tensor(model, i, &t, err);

    if (status != GGK_OK || !show_matches(e->pattern, t.name))
        return status;
    e->n++;
    return e->format == GGK_FORMAT_SAFETENSORS
               ? ggk_plan_copy_tensor(e->plan, 0, model, i, err)
               : plan_alone(e, i, &t, err);
}

static ggk_status plan_export(struct exporting *e, ggk_error *err)
{
    uint64_t n = ggk_model_n_tensors(e->in->model);
    uint32_t file;
    ggk_status status = ggk_plan_new(NULL, &e->plan, err);

    if (status == GGK_OK && e->format == GGK_FORMAT_SAFETENSORS)
        status =
            ggk_plan_add_array_file(e->plan, e->out, e->format, &file, err);
    for (uint64_t i = 0; i < n && status == GGK_OK; i++)
        status = plan_tensor(e, i, err);
    return status;
}

/* --------------------------------------------------------------------- work */

static int do_export(struct exporting *e)
{
    struct writing w = {.cli = e->cli, .in = e->in, .verb = "exporting"};
    ggk_error err;
    int status;

    if (plan_export(e, &err) != GGK_OK) {
        status = input_fail(e->in, &err);
    } else if (e->n == 0) {
        status = input_no_match(e->in, "tensor",
                                e->pattern != NULL ? e->pattern : "*");
    } else {
        w.plan = e->plan;
        if (e->format != GGK_FORMAT_SAFETENSORS)
            w.run_flags = GGK_RUN_MAKE_FOLDER;
        status = writing_run(&w);
    }
    ggk_plan_free(e->plan);
    return status;
}

static bool is_safetensors(const char *path)
{
    static const char suffix[] = ".safetensors";
    size_t n = strlen(path), m = sizeof suffix - 1;

    return n >= m && strcmp(path + n - m, suffix) == 0;
}

/* The format that is asked for; false after a message. */
static bool choose_format(const struct cli *cli, ggk_file_format *out)
{
    const struct export_options *o = cli->options;
    bool together = is_safetensors(cli->global.output);

    *out = o->raw ? GGK_FORMAT_RAW : GGK_FORMAT_NPY;
    if (together)
        *out = GGK_FORMAT_SAFETENSORS;
    if (o->npy + o->raw + together < 2)
        return true;
    msg_usage(&cli->msg, "--npy, --raw and a .safetensors file exclude each "
                         "other");
    return false;
}

static int run_export(struct cli *cli, int argc, char **argv)
{
    struct input in;
    struct exporting e = {
        .cli = cli, .in = &in, .pattern = argc > 1 ? argv[1] : NULL};
    int status;

    if (cli->global.output == NULL) {
        msg_usage(&cli->msg,
                  "no -o given: the name of a folder, or of a .safetensors "
                  "file");
        return CLI_USAGE;
    }
    e.out = writing_target(cli, NULL, NULL);
    if (e.out == NULL || !choose_format(cli, &e.format))
        return CLI_USAGE;
    status = input_open(cli, argv[0], &in);
    if (status != CLI_DONE)
        return status;
    return input_finish(&in, do_export(&e));
}

static const struct cli_example export_examples[] = {
    {"gguf export model.gguf -o model.safetensors", "all tensors, in one file"},
    {"gguf export model.gguf 'blk.0.*' -o layer0",
     "a .npy file for each of these, in the folder layer0"},
    {"gguf export --raw model.gguf output.weight -o bytes",
     "bytes/output.weight.bin, as it is stored"},
    {"gguf export --dry-run model.gguf -o arrays",
     "what it would write, to the byte"},
    {NULL, NULL},
};

const struct command cmd_export = {
    .name = "export",
    .operands = "FILE [PATTERN]",
    .min_operands = 1,
    .max_operands = 2,
    .flags = CLI_READS_MODEL | CLI_READS_DATA | CLI_WRITES,
    .summary = "write tensors as safetensors, .npy or bytes",
    .about = "Writes the tensors as they are stored: into one .safetensors "
             "file, or each into\na file of a folder. Quantized ones become "
             "arrays of the bytes of their rows.",
    .examples = export_examples,
    .options = export_options,
    .options_bytes = sizeof(struct export_options),
    .no_means = "no tensor matches PATTERN",
    .run = run_export,
};
