/* cmd_export.c - gguf export: tensors as files of other formats. */
#include "command.h"
#include "input.h"
#include "show.h"
#include "writing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct export_options {
    bool npy;
    bool raw;
};

static const struct opt export_options[] = {
    {"npy", 0, OPT_FLAG, NULL, "a .npy file for each tensor (as it is anyway)",
     offsetof(struct export_options, npy), NULL},
    {"raw", 0, OPT_FLAG, NULL, "a file of bytes as stored for each tensor",
     offsetof(struct export_options, raw), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* An export that is being planned. */
struct exporting {
    const struct cli *cli;
    const struct input *in;
    const char *pattern;
    const char *out;
    ggk_array_format format;
    ggk_plan *plan;
    uint64_t n; /* tensors that match */
};

/* ------------------------------------------------------------- names of files */

#define MOST_NAME 200 /* bytes of a file's name, so that others have room too */

static bool is_plain(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/* FOLDER/NAME.SUFFIX, where every byte of the tensor's name that means something
 * to a shell or a file system is %XX: nothing leads out of the folder, and no
 * two names become one. NULL: no memory; *too_long: no name for a file. */
static char *path_of(const char *folder, ggk_str name, const char *suffix,
                     bool *too_long)
{
    size_t at = strlen(folder), most = at + 3 * name.len + strlen(suffix) + 2;
    char *path = malloc(most);

    *too_long = false;
    if (path == NULL)
        return NULL;
    memcpy(path, folder, at);
    path[at++] = '/';
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];

        if (is_plain(c) && (i > 0 || (c != '.' && c != '-')))
            path[at++] = (char)c;
        else
            at += (size_t)snprintf(path + at, most - at, "%%%02X", c);
    }
    *too_long = name.len == 0 || at - strlen(folder) - 1 > MOST_NAME;
    snprintf(path + at, most - at, "%s", suffix);
    return path;
}

static ggk_status fail_name(ggk_error *err, const ggk_tensor *t)
{
    memset(err, 0, sizeof *err);
    err->status = GGK_E_UNSUPPORTED;
    err->offset = t->info_off;
    snprintf(err->what, sizeof err->what,
             "the name of a tensor is %s for a file: export to a .safetensors",
             t->name.len == 0 ? "too short" : "too long");
    return err->status;
}

/* -------------------------------------------------------------------- planning */

/* A file for tensor `i` alone. */
static ggk_status plan_alone(struct exporting *e, uint64_t i,
                             const ggk_tensor *t, ggk_error *err)
{
    bool raw = e->format == GGK_ARRAY_RAW, too_long;
    char *path = path_of(e->out, t->name, raw ? ".bin" : ".npy", &too_long);
    uint32_t file;
    ggk_status status;

    if (path == NULL)
        return show_no_memory(err);
    status = too_long ? fail_name(err, t)
                      : ggk_plan_add_array_file(e->plan, path, e->format, &file,
                                                err);
    free(path);
    return status == GGK_OK
               ? ggk_plan_copy_tensor(e->plan, file, e->in->model, i, err)
               : status;
}

static ggk_status plan_tensors(struct exporting *e, ggk_error *err)
{
    bool together = e->format == GGK_ARRAY_SAFETENSORS;
    ggk_status status = GGK_OK;
    uint32_t file = 0;

    if (together)
        status = ggk_plan_add_array_file(e->plan, e->out, e->format, &file,
                                         err);
    for (uint64_t i = 0;
         i < ggk_model_n_tensors(e->in->model) && status == GGK_OK; i++) {
        ggk_tensor t;

        status = ggk_model_tensor(e->in->model, i, &t, err);
        if (status != GGK_OK || !show_matches(e->pattern, t.name))
            continue;
        e->n++;
        status = together
                     ? ggk_plan_copy_tensor(e->plan, file, e->in->model, i, err)
                     : plan_alone(e, i, &t, err);
    }
    return status;
}

/* ----------------------------------------------------------------------- work */

/* The folder that is written to, made if it is not there; *made says so. */
static int provide_folder(const struct exporting *e, bool *made)
{
    *made = false;
    if (e->format == GGK_ARRAY_SAFETENSORS || e->cli->global.dry_run)
        return CLI_DONE;
    *made = mkdir(e->out, 0777) == 0;
    if (*made || errno == EEXIST)
        return CLI_DONE;
    msg_error(&e->cli->msg, e->out, "cannot make the folder: %s",
              strerror(errno));
    return CLI_IO;
}

static int do_export(const struct exporting *e)
{
    struct writing w = {.cli = e->cli,
                        .input = e->in->name,
                        .plan = e->plan,
                        .verb = "exporting"};
    struct stat st;
    bool made;
    int status = provide_folder(e, &made);

    w.no_folder = e->cli->global.dry_run &&
                  e->format != GGK_ARRAY_SAFETENSORS &&
                  stat(e->out, &st) != 0;
    if (status == CLI_DONE)
        status = writing_run(&w);
    if (status != CLI_DONE && made)
        (void)rmdir(e->out);
    return status;
}

static int export_from(struct exporting *e)
{
    ggk_error err;
    int status;

    if (ggk_plan_new(NULL, &e->plan, &err) != GGK_OK ||
        plan_tensors(e, &err) != GGK_OK)
        status = input_fail(e->in, &err);
    else if (e->n == 0 && e->pattern != NULL)
        status = input_no_match(e->in, "tensor", e->pattern);
    else
        status = do_export(e);
    ggk_plan_free(e->plan);
    return status;
}

static bool is_safetensors(const char *path)
{
    static const char suffix[] = ".safetensors";
    size_t n = strlen(path), m = sizeof suffix - 1;

    return n > m && strcmp(path + n - m, suffix) == 0;
}

static int run_export(struct cli *cli, int argc, char **argv)
{
    const struct export_options *o = cli->options;
    struct input in;
    struct exporting e = {.cli = cli,
                          .in = &in,
                          .pattern = argc > 1 ? argv[1] : NULL,
                          .out = cli->global.output,
                          .format = GGK_ARRAY_NPY};
    int status;

    if (e.out == NULL) {
        msg_usage(&cli->msg, "no -o given: a folder, or a .safetensors file");
        return CLI_USAGE;
    }
    if (o->raw)
        e.format = GGK_ARRAY_RAW;
    else if (is_safetensors(e.out))
        e.format = GGK_ARRAY_SAFETENSORS;
    if ((o->npy && o->raw) || ((o->npy || o->raw) && is_safetensors(e.out))) {
        msg_usage(&cli->msg, "more than one format is asked for");
        return CLI_USAGE;
    }
    status = input_open(cli, argv[0], &in);
    if (status != CLI_DONE)
        return status;
    return input_finish(&in, export_from(&e));
}

static const struct cli_example export_examples[] = {
    {"gguf export model.gguf -o model.safetensors", "all tensors in one file"},
    {"gguf export model.gguf 'blk.0.*' -o layer0", "a .npy file for each"},
    {"gguf export --raw model.gguf output.weight -o bytes",
     "bytes/output.weight.bin, as stored"},
    {NULL, NULL},
};

const struct command cmd_export = {
    .name = "export",
    .operands = "FILE [PATTERN]",
    .min_operands = 1,
    .max_operands = 2,
    .flags = CLI_READS_MODEL | CLI_READS_DATA | CLI_WRITES,
    .summary = "write tensors as safetensors, .npy or bytes",
    .about = "Writes the tensors as they are stored: to one .safetensors file, "
             "or each to\na file in a folder. Quantized ones become arrays of "
             "the bytes of their rows.",
    .examples = export_examples,
    .options = export_options,
    .options_bytes = sizeof(struct export_options),
    .no_means = "no tensor matches PATTERN",
    .run = run_export,
};
