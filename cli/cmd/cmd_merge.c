/* cmd_merge.c - gguf merge: the shards of a set become one file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "input.h"
#include "lost_keys.h"
#include "writing.h"

/* One file that is being planned. */
struct merging {
    const struct cli *cli;
    const struct input *in;
    ggk_plan *plan;
};

/* ----------------------------------------------------------------- operands */

/* Which file a path leads to. */
struct identity {
    dev_t dev;
    ino_t ino;
    size_t operand; /* that names it, from 1; 0: none yet */
};

static int compare_identities(const void *a, const void *b)
{
    const struct identity *x = a, *y = b;

    if (x->dev != y->dev)
        return x->dev < y->dev ? -1 : 1;
    return (x->ino > y->ino) - (x->ino < y->ino);
}

static bool identify(const char *path, struct identity *out)
{
    struct stat st;

    if (path == NULL || stat(path, &st) != 0)
        return false;
    out->dev = st.st_dev;
    out->ino = st.st_ino;
    return true;
}

/* The files of the model, in the order that bsearch needs; NULL: no memory, or
 * one has gone. */
static struct identity *identify_shards(const ggk_model *model, size_t n)
{
    struct identity *shards = calloc(n, sizeof *shards);
    bool found = shards != NULL;

    for (size_t i = 0; i < n && found; i++) {
        ggk_file f;

        found = ggk_model_file(model, (uint32_t)i, &f, NULL) == GGK_OK &&
                identify(f.path, &shards[i]);
    }
    if (!found) {
        free(shards);
        return NULL;
    }
    qsort(shards, n, sizeof *shards, compare_identities);
    return shards;
}

/* Whether operand `i` is a shard that no earlier operand was. */
static bool take_operand(const struct cli *cli, struct identity *shards,
                         size_t n, char **operands, size_t i)
{
    struct identity key = {0}, *found = NULL;

    if (identify(operands[i], &key))
        found = bsearch(&key, shards, n, sizeof key, compare_identities);
    if (found == NULL) {
        msg_usage(&cli->msg, "'%s' is no shard of the set that '%s' belongs to",
                  operands[i], operands[0]);
        return false;
    }
    if (found->operand > 0) {
        msg_usage(&cli->msg, "'%s' and '%s' are the same shard",
                  operands[found->operand - 1], operands[i]);
        return false;
    }
    found->operand = i + 1;
    return true;
}

/* Several operands before OUT have to be exactly the shards of one set, in
 * whatever order: a shell made them of "part-*.gguf". */
static int check_operands(const struct merging *m, char **operands, size_t n)
{
    size_t n_files = ggk_model_n_files(m->in->model);
    struct identity *shards;
    bool all = true;

    if (n == 1)
        return CLI_DONE;
    shards = identify_shards(m->in->model, n_files);
    if (shards == NULL) {
        msg_error(&m->cli->msg, m->in->name, "cannot look at the shards");
        return CLI_IO;
    }
    for (size_t i = 0; i < n && all; i++)
        all = take_operand(m->cli, shards, n_files, operands, i);
    free(shards);
    if (!all)
        return CLI_USAGE;
    if (n == n_files)
        return CLI_DONE;
    msg_usage(&m->cli->msg,
              "%zu shards given of a set of %zu: name one of them, or all", n,
              n_files);
    return CLI_USAGE;
}

/* "-00001-of-00005.gguf", as the names of shards end. */
static bool is_shard_name(const char *name)
{
    static const char form[] = "-NNNNN-of-NNNNN.gguf";
    size_t len = strlen(name), n = sizeof form - 1;

    if (len < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = name[len - n + i];

        if (form[i] == 'N' ? c < '0' || c > '9' : c != form[i])
            return false;
    }
    return true;
}

static bool accept_target(const struct cli *cli, const char *out)
{
    if (!is_shard_name(out))
        return true;
    msg_usage(&cli->msg,
              "'%s' has the name of a shard, so it is not written to: after "
              "the shards comes OUT",
              out);
    return false;
}

/* ----------------------------------------------------------------- planning */

static ggk_status plan_merged(struct merging *m, const char *out,
                              ggk_error *err)
{
    ggk_status status = writing_plan_all(m->plan, m->in, out, err);

    return status == GGK_OK ? ggk_plan_number_shards(m->plan, err) : status;
}

static int merge_to(struct merging *m, const char *out)
{
    struct writing w = {.cli = m->cli, .in = m->in, .verb = "merging"};
    ggk_error err;
    int status = CLI_DONE;

    if (ggk_plan_new(NULL, &m->plan, &err) != GGK_OK ||
        plan_merged(m, out, &err) != GGK_OK)
        status = input_fail(m->in, &err);
    w.plan = m->plan;
    if (status == CLI_DONE)
        status = writing_run(&w);
    ggk_plan_free(m->plan);
    return status;
}

/* -------------------------------------------------------------------- count */

/* Shards of two exports may have the names of one set. */
static void warn_of_count(const struct merging *m)
{
    uint64_t n = ggk_model_n_tensors(m->in->model), wanted;

    if (ggk_model_get_u64(m->in->model, ggk_cstr("split.tensors.count"),
                          &wanted, NULL) == GGK_OK &&
        wanted != n)
        msg_warning(&m->cli->msg, m->in->name,
                    "split.tensors.count is %" PRIu64
                    ", but the shards hold %" PRIu64
                    " tensors: are they of one set?",
                    wanted, n);
}

/* Shards of an earlier split may be taken for those of this one. */
static int warn_of_stale(const struct merging *m)
{
    char name[256];
    uint64_t n;
    ggk_error err;

    if (ggk_model_stale_shards(m->in->model, &n, name, sizeof name, &err) !=
        GGK_OK)
        return input_fail(m->in, &err);
    if (n > 0)
        msg_warning(&m->cli->msg, m->in->name,
                    "%" PRIu64 " file%s of another set %s beside this one, and "
                    "not merged: %s%s",
                    n, n == 1 ? "" : "s", n == 1 ? "is" : "are", name,
                    n == 1 ? "" : ", ...");
    return CLI_DONE;
}

/* ---------------------------------------------------------------------- run */

/* What came alone, from standard input: a shard, whose set cannot be found, or
 * a whole model. */
static int check_alone(const struct merging *m)
{
    static const char *const names[] = {"split.count", "general.split_count"};
    const ggk_model *model = m->in->model;
    uint64_t kv, count;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (ggk_model_get_u64(model, ggk_cstr(names[i]), &count, NULL) ==
                GGK_OK &&
            count > 1) {
            msg_error(&m->cli->msg, m->in->name,
                      "this is one shard of %" PRIu64
                      ": name its file, so that the others can be found",
                      count);
            return CLI_UNREADABLE;
        }
    if (ggk_model_find_kv(model, ggk_cstr(names[0]), &kv, NULL) ==
        GGK_E_NOT_FOUND)
        msg_note(&m->cli->msg, m->in->name,
                 "this is no shard but a whole model: it is copied");
    return CLI_DONE;
}

static int merge(struct merging *m, char **operands, size_t n, const char *out)
{
    int status = check_operands(m, operands, n);

    if (status == CLI_DONE && ggk_model_n_files(m->in->model) == 1)
        status = check_alone(m);
    if (status == CLI_DONE)
        status = lost_keys_check(m->in);
    if (status != CLI_DONE)
        return status;
    warn_of_count(m);
    status = warn_of_stale(m);
    return status == CLI_DONE ? merge_to(m, out) : status;
}

static int run_merge(struct cli *cli, int argc, char **argv)
{
    struct input in;
    struct merging m = {cli, &in, NULL};
    const char *out = cli->global.output;
    size_t n = (size_t)argc;
    int status;

    if (cli->global.single) {
        msg_usage(&cli->msg, "a single shard cannot be merged");
        return CLI_USAGE;
    }
    if (out == NULL && argc < 2) {
        msg_usage(&cli->msg, "no OUT given");
        return CLI_USAGE;
    }
    out = writing_target(cli, out == NULL ? argv[--n] : NULL, NULL);
    if (out == NULL || !accept_target(cli, out))
        return CLI_USAGE;
    status = input_open(cli, argv[0], &in);
    if (status != CLI_DONE)
        return status;
    return input_finish(&in, merge(&m, argv, n, out));
}

static const struct cli_example merge_examples[] = {
    {"gguf merge model-00001-of-00003.gguf model.gguf",
     "the other shards are found by name"},
    {"gguf merge model-*.gguf -o model.gguf", "the same; all shards named"},
    {"gguf merge --dry-run model-00001-of-00003.gguf model.gguf",
     "what it would write, to the byte"},
    {NULL, NULL},
};

const struct command cmd_merge = {
    .name = "merge",
    .operands = "SHARD... [OUT]",
    .min_operands = 1,
    .max_operands = CLI_ANY_OPERANDS,
    .flags = CLI_READS_MODEL | CLI_READS_DATA | CLI_WRITES,
    .summary = "join the shards of a set into one file",
    .about = "Takes the keys of the first shard, but for those that number "
             "shards, and the\ntensors of all. SHARD is one of them, or all.",
    .examples = merge_examples,
    .options = NULL,
    .options_bytes = 0,
    .run = run_merge,
};
