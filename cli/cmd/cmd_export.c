/* cmd_export.c - gguf export: tensors as files of other formats. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "input.h"
#include "path_parts.h"
#include "selection.h"
#include "show.h"
#include "writing.h"

/* As what numbers are written. */
enum export_dtype { AS_STORED, AS_F32, AS_F16, AS_BF16 };
static const char *const export_dtypes[] = {"f32=float32", "f16=float16",
                                            "bf16=bfloat16", NULL};
static const char *const dtype_names[] = {
    [AS_F32] = "F32", [AS_F16] = "F16", [AS_BF16] = "BF16"};

struct export_options {
    int dtype; /* enum export_dtype */
    bool npy;
    bool raw;
};

static const struct opt export_options[] = {
    {"dtype", 0, OPT_CHOICE, NULL, "dequantize to these; else as stored",
     offsetof(struct export_options, dtype), export_dtypes},
    {"npy", 0, OPT_FLAG, NULL, "a .npy file for each; so it is if not --raw",
     offsetof(struct export_options, npy), NULL},
    {"raw", 0, OPT_FLAG, NULL, "a .bin file for each: its bytes, no header",
     offsetof(struct export_options, raw), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* What OUT is. */
enum export_form {
    EXPORT_FOLDER, /* with a file for each tensor */
    EXPORT_ALONE,  /* the file of the only one */
    EXPORT_ALL     /* a file of all */
};

/* An export that is being planned. */
struct exporting {
    const struct cli *cli;
    const struct input *in;
    char **patterns; /* NULL at the end; if there is none: all */
    const char *out;
    enum export_form form;
    ggk_file_format format;
    ggk_plan *plan;
    uint64_t n; /* tensors that match */
    uint64_t n_planned;
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

/* ---------------------------------------------------------------- selection */

/* Count the tensors that match. Each pattern has to: `*lost` is one that does
 * not, or NULL. */
static ggk_status count_selected(struct exporting *e, const char **lost,
                                 ggk_error *err)
{
    const ggk_model *model = e->in->model;
    ggk_status status = selection_lost(model, e->patterns, lost, err);

    if (status != GGK_OK)
        return status;
    for (uint64_t i = 0; i < ggk_model_n_tensors(model); i++) {
        ggk_tensor t;

        status = ggk_model_tensor(model, i, &t, err);
        if (status != GGK_OK)
            return status;
        e->n += selection_has(e->patterns, t.name);
    }
    return GGK_OK;
}

/* ----------------------------------------------------------------- planning */

/* Copy tensor `i`, which will be number `to` of the file, or convert it: but
 * not integers, which are numbers that others read already. */
static ggk_status plan_numbers(struct exporting *e, uint32_t file, uint64_t i,
                               uint64_t to, const ggk_tensor *t, ggk_error *err)
{
    const struct export_options *o = e->cli->options;
    const ggk_type_info *type = ggk_model_type(e->in->model, t->type);
    bool integers = type != NULL && (type->flags & GGK_TYPE_INTEGER) != 0;
    ggk_status status =
        ggk_plan_copy_tensor(e->plan, file, e->in->model, i, err);

    if (status != GGK_OK || o->dtype == AS_STORED || integers)
        return status;
    return ggk_plan_convert_tensor(
        e->plan, file, to, ggk_type_by_name(dtype_names[o->dtype])->id, err);
}

/* A file for tensor `i` alone. */
static ggk_status plan_in_folder(struct exporting *e, uint64_t i,
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
    return status == GGK_OK ? plan_numbers(e, file, i, 0, t, err) : status;
}

static ggk_status plan_tensor(struct exporting *e, uint64_t i, ggk_error *err)
{
    const ggk_model *model = e->in->model;
    ggk_tensor t;
    ggk_status status = ggk_model_tensor(model, i, &t, err);

    if (status != GGK_OK || !selection_has(e->patterns, t.name))
        return status;
    return e->form == EXPORT_FOLDER
               ? plan_in_folder(e, i, &t, err)
               : plan_numbers(e, 0, i, e->n_planned++, &t, err);
}

static ggk_status plan_export(struct exporting *e, ggk_error *err)
{
    uint64_t n = ggk_model_n_tensors(e->in->model);
    uint32_t file;
    ggk_status status = ggk_plan_new(NULL, &e->plan, err);

    if (status == GGK_OK && e->form != EXPORT_FOLDER)
        status =
            ggk_plan_add_array_file(e->plan, e->out, e->format, &file, err);
    for (uint64_t i = 0; i < n && status == GGK_OK; i++)
        status = plan_tensor(e, i, err);
    return status;
}

/* --------------------------------------------------------------------- work */

static int refuse_several(const struct exporting *e)
{
    msg_usage(&e->cli->msg,
              "'%s' would be the file of one tensor, but %" PRIu64
              " match: give the name of one, or a folder for all, such as "
              "-o '%.*s'",
              e->out, e->n, (int)(strlen(e->out) - strlen(".npy")), e->out);
    return CLI_USAGE;
}

static int do_export(struct exporting *e)
{
    struct writing w = {.cli = e->cli, .in = e->in, .verb = "exporting"};
    const char *lost;
    ggk_error err;
    int status;

    if (count_selected(e, &lost, &err) != GGK_OK)
        return input_fail(e->in, &err);
    if (lost != NULL)
        return input_no_match(e->in, "tensor", lost);
    if (e->n == 0) {
        msg_note(&e->cli->msg, e->in->name, "there are no tensors");
        return CLI_NO;
    }
    if (e->form == EXPORT_ALONE && e->n > 1)
        return refuse_several(e);
    if (plan_export(e, &err) != GGK_OK) {
        status = input_fail(e->in, &err);
    } else {
        w.plan = e->plan;
        if (e->form == EXPORT_FOLDER)
            w.run_flags = GGK_RUN_MAKE_FOLDER;
        status = writing_run(&w);
    }
    ggk_plan_free(e->plan);
    return status;
}

static bool is_folder(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* The ending of what looks like the name of a file, such as ".npz" but not
 * ".5"; NULL if it has none. */
static const char *ending_of(const char *path)
{
    const char *dot = strrchr(path_name(path), '.');
    bool letters = false;

    if (dot == NULL || dot == path_name(path) || is_folder(path))
        return NULL;
    for (const char *p = dot + 1; *p != '\0'; p++) {
        if (!is_plain((unsigned char)*p) || *p == '-' || *p == '_')
            return NULL;
        letters = letters || *p < '0' || *p > '9';
    }
    return letters ? dot : NULL;
}

/* A folder of that name is hardly what was meant. */
static bool refuse_ending(const struct exporting *e)
{
    const char *ending = ending_of(e->out);

    if (ending == NULL)
        return false;
    msg_usage(&e->cli->msg,
              "-o '%s': export makes no %s; a .safetensors holds all tensors, "
              "a .npy or .bin holds one, and '%s/' is a folder of these",
              e->out, ending, e->out);
    return true;
}

/* Form and format, by the options and the name of OUT; false after a message.
 */
static bool choose_form(struct exporting *e)
{
    static const struct {
        const char *ending;
        enum export_form form;
        ggk_file_format format;
    } files[] = {
        {".safetensors", EXPORT_ALL, GGK_FORMAT_SAFETENSORS},
        {".npy", EXPORT_ALONE, GGK_FORMAT_NPY},
        {".bin", EXPORT_ALONE, GGK_FORMAT_RAW},
    };
    const struct export_options *o = e->cli->options;
    ggk_file_format asked = o->raw ? GGK_FORMAT_RAW : GGK_FORMAT_NPY;
    bool agree = !(o->raw && o->npy);

    e->form = EXPORT_FOLDER;
    e->format = asked;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (!path_ends(e->out, files[i].ending))
            continue;
        e->form = files[i].form;
        e->format = files[i].format;
        agree = agree && ((!o->raw && !o->npy) || e->format == asked);
    }
    if (!agree)
        msg_usage(&e->cli->msg,
                  "--npy, --raw and an OUT that ends in .safetensors, .npy or "
                  ".bin must agree; a folder may be named 'OUT/'");
    return agree && (e->form != EXPORT_FOLDER || !refuse_ending(e));
}

static int run_export(struct cli *cli, int argc, char **argv)
{
    struct input in;
    struct exporting e = {.cli = cli, .in = &in, .patterns = argv + 1};
    int status;

    (void)argc;
    if (cli->global.output == NULL) {
        msg_usage(&cli->msg,
                  "no -o given: the name of a folder, of a .safetensors file, "
                  "or, for one tensor, of a .npy or .bin file");
        return CLI_USAGE;
    }
    e.out = writing_target(cli, NULL, NULL);
    if (e.out == NULL || !choose_form(&e))
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
    {"gguf export model.gguf output_norm.weight -o norm.npy",
     "one tensor, in a file of that name"},
    {"gguf export --dtype f32 model.gguf -o model.safetensors",
     "all of them as floats, whatever their types"},
    {"gguf export --raw model.gguf output.weight 'blk.0.*' -o bytes",
     "bytes/output.weight.bin and others, as they are stored"},
    {"gguf export --dry-run model.gguf -o arrays",
     "what it would write, to the byte"},
    {NULL, NULL},
};

const struct command cmd_export = {
    .name = "export",
    .operands = "FILE [PATTERN]...",
    .min_operands = 1,
    .max_operands = CLI_ANY_OPERANDS,
    .flags = CLI_READS_MODEL | CLI_READS_DATA | CLI_WRITES,
    .summary = "write tensors as safetensors, .npy or bytes",
    .about = "Writes tensors into one .safetensors file, or each into a file "
             "of a\nfolder: as stored, quantized ones as bytes, or dequantized "
             "with --dtype.",
    .examples = export_examples,
    .options = export_options,
    .options_bytes = sizeof(struct export_options),
    .no_means = "no tensor matches a PATTERN",
    .run = run_export,
};
