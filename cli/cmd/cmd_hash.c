/* cmd_hash.c - gguf hash: digests of a model and of its tensors. */
#include "cmd/hashing.h"
#include "command.h"
#include "input.h"
#include "looking.h"
#include "out/text.h"
#include "show.h"
#include "ui/progress.h"

#include <string.h>

struct hash_options {
    struct opt_list algos;
    bool tensors;
    bool content;
    const char *manifest;
};

static const struct opt hash_options[] = {
    {"algo", 'a', OPT_LIST, "ALGO",
     "xxh64 (else this), xxh3, sha1, sha256, uuid, all",
     offsetof(struct hash_options, algos), NULL},
    {"tensors", 't', OPT_FLAG, NULL, "of each tensor, too",
     offsetof(struct hash_options, tensors), NULL},
    {"content", 0, OPT_FLAG, NULL,
     "of names, types, shapes and data, in any order",
     offsetof(struct hash_options, content), NULL},
    {"check", 'c', OPT_STRING, "MANIFEST",
     "compare with digests in MANIFEST; -: standard input",
     offsetof(struct hash_options, manifest), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* What --algo all stands for, as of llama-gguf-hash. */
#define ALL_ALGOS                                                       \
    (1u << GGK_ALGO_XXH64 | 1u << GGK_ALGO_XXH3 | 1u << GGK_ALGO_SHA1 | \
     1u << GGK_ALGO_SHA256)

/* ---------------------------------------------------------- what is wanted */

static bool add_algo(const struct cli *cli, const char *name, uint32_t *set)
{
    if (strcmp(name, "all") == 0) {
        *set |= ALL_ALGOS;
        return true;
    }
    for (uint32_t algo = 0; algo < GGK_ALGO_COUNT; algo++)
        if (algo != GGK_ALGO_CONTENT &&
            strcmp(name, ggk_algo_name(algo)) == 0) {
            *set |= 1u << algo;
            return true;
        }
    msg_usage(&cli->msg,
              "there is no algorithm '%s': xxh64, xxh3, sha1, sha256, uuid or "
              "all",
              name);
    return false;
}

/* The algorithms of the command line, 0 if none is named. */
static bool take_options(const struct cli *cli, uint32_t *set)
{
    const struct hash_options *options = cli->options;

    *set = options->content ? 1u << GGK_ALGO_CONTENT : 0;
    for (size_t i = 0; i < options->algos.n; i++)
        if (!add_algo(cli, options->algos.items[i], set))
            return false;
    if (options->manifest != NULL && options->tensors) {
        msg_usage(&cli->msg, "--check and --tensors exclude each other: what "
                             "is checked is what the manifest lists");
        return false;
    }
    if (options->tensors && *set != 0 && (*set & ~HASH_MODEL_ONLY) == 0) {
        msg_usage(&cli->msg, "of a tensor there is no such digest: --tensors "
                             "takes xxh64, xxh3, sha1 and sha256");
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------ hashing */

ggk_digests *hash_digests(const struct input *in, uint32_t model,
                          uint32_t tensors, int *status)
{
    const struct cli *cli = in->cli;
    struct progress progress;
    ggk_digest_opts opts = {.struct_bytes = sizeof opts,
                            .model = model,
                            .tensors = tensors,
                            .n_threads = looking_threads(cli),
                            .on_progress = progress_tick,
                            .progress_ctx = &progress};
    ggk_digests *digests;
    ggk_status result;
    ggk_error err;

    progress_start(&progress, &cli->msg, "hashing");
    result = ggk_digests_new(in->model, &opts, NULL, &digests, &err);
    progress_end(&progress);
    *status = result == GGK_OK ? CLI_DONE : input_fail(in, &err);
    return digests;
}

/* ------------------------------------------------------------------ telling */

void hash_put_name(const struct input *in, const ggk_str *tensor)
{
    FILE *out = in->cli->out;

    text_write(out, in->name, strlen(in->name), TEXT_PLAIN, TEXT_WHOLE);
    if (tensor == NULL)
        return;
    putc(':', out);
    text_write(out, tensor->ptr, tensor->len, TEXT_PLAIN, TEXT_WHOLE);
}

/* Where the digests of one thing go: to text or JSON. */
struct telling {
    const struct input *in;
    const ggk_digests *digests;
    struct json *json;    /* NULL: text */
    struct json document; /* that it is */
};

static void put_digest(const struct telling *t, uint32_t algo,
                       const uint8_t *digest, const ggk_str *tensor)
{
    char text[GGK_DIGEST_TEXT_BYTES];

    if (digest == NULL)
        return;
    ggk_digest_format(algo, digest, text);
    if (t->json != NULL) {
        json_put_cstring(t->json, ggk_algo_name(algo), text);
        return;
    }
    fprintf(t->in->cli->out, "%-8s  %s  ", ggk_algo_name(algo), text);
    hash_put_name(t->in, tensor);
    putc('\n', t->in->cli->out);
}

static ggk_status put_tensors(const struct telling *t, ggk_error *err)
{
    const ggk_model *model = t->in->model;

    for (uint64_t i = 0; i < ggk_model_n_tensors(model); i++) {
        ggk_tensor tensor;
        ggk_status status = ggk_model_tensor(model, i, &tensor, err);
        if (status != GGK_OK)
            return status;
        if (t->json != NULL) {
            json_open_object(t->json);
            json_put_string(t->json, "name", tensor.name.ptr, tensor.name.len);
        }
        for (uint32_t algo = 0; algo < GGK_ALGO_COUNT; algo++)
            put_digest(t, algo, ggk_digests_tensor(t->digests, i, algo),
                       &tensor.name);
        if (t->json != NULL)
            json_close_object(t->json);
    }
    return GGK_OK;
}

static void put_model(const struct telling *t)
{
    for (uint32_t algo = 0; algo < GGK_ALGO_COUNT; algo++)
        put_digest(t, algo, ggk_digests_model(t->digests, algo), NULL);
}

static ggk_status put_json(struct telling *t, bool tensors, ggk_error *err)
{
    ggk_status status = GGK_OK;
    struct json *j = &t->document;

    t->json = j;
    show_json_start(j, t->in->cli);
    json_put_cstring(j, "file", t->in->name);
    json_key(j, "model");
    json_open_object(j);
    put_model(t);
    json_close_object(j);
    if (tensors) {
        json_key(j, "tensors");
        json_open_array(j);
        status = put_tensors(t, err);
        if (status != GGK_OK)
            return status;
        json_close_array(j);
    }
    show_json_end(j);
    return GGK_OK;
}

/* ---------------------------------------------------------------------- run */

static int print_digests(const struct input *in, uint32_t set)
{
    const struct hash_options *options = in->cli->options;
    uint32_t of_tensors = options->tensors ? set & ~HASH_MODEL_ONLY : 0;
    struct telling t = {.in = in};
    ggk_status result = GGK_OK;
    ggk_error err;
    int status;
    ggk_digests *digests = hash_digests(in, set, of_tensors, &status);

    if (digests == NULL)
        return status;
    t.digests = digests;
    if (in->cli->global.json) {
        result = put_json(&t, options->tensors, &err);
    } else {
        if (options->tensors)
            result = put_tensors(&t, &err);
        if (result == GGK_OK)
            put_model(&t);
    }
    ggk_digests_free(digests);
    return result == GGK_OK ? CLI_DONE : input_fail(in, &err);
}

static int run_hash(struct cli *cli, int argc, char **argv)
{
    const struct hash_options *options = cli->options;
    struct input in;
    uint32_t set;
    int status;

    (void)argc;
    if (!take_options(cli, &set))
        return CLI_USAGE;
    if (options->manifest != NULL && strcmp(options->manifest, "-") == 0 &&
        strcmp(argv[0], "-") == 0) {
        msg_usage(&cli->msg, "standard input can only be one of the two");
        return CLI_USAGE;
    }
    status = input_open(cli, argv[0], &in);
    if (status != CLI_DONE)
        return status;
    if (options->manifest != NULL)
        status = hash_check(&in, options->manifest, set);
    else
        status = print_digests(&in, set != 0 ? set : 1u << GGK_ALGO_XXH64);
    if (status > CLI_NO) {
        input_close(&in);
        return status;
    }
    return input_finish(&in, status);
}

static const struct cli_example hash_examples[] = {
    {"gguf hash model.gguf", "one digest of all tensor data"},
    {"gguf hash -t -a all model.gguf >model.manifest",
     "a manifest, as llama-gguf-hash --all writes it"},
    {"gguf hash --check model.manifest model.gguf",
     "is the tensor data still the same? keys are not looked at"},
    {"gguf hash --content model.gguf",
     "one that stays when keys are edited or files split"},
    {NULL, NULL},
};

const struct command cmd_hash = {
    .name = "hash",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .flags = CLI_READS_MODEL | CLI_READS_DATA,
    .summary = "compute digests of the tensor data, or check them",
    .about = "Prints digests of the data of all tensors, and of each, in the "
             "lines of\nllama-gguf-hash; or compares them with such lines.",
    .examples = hash_examples,
    .options = hash_options,
    .options_bytes = sizeof(struct hash_options),
    .no_means = "a digest does not match, or is missing",
    .run = run_hash,
};
