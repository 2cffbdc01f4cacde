/* importances_write.c - gguf imatrix merge and convert: both add up what they
 * are given, be it one or several, and write the sum.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/importances.h"
#include "out/fmt.h"
#include "path_parts.h"
#include "show.h"
#include "writing.h"

/* What the new file does not say any more, in numbers. */
struct losses {
    uint64_t keys;      /* of inputs: that are none of an imatrix */
    uint64_t tensors;   /* likewise */
    uint64_t uncounted; /* entries of a .dat that have values, but no calls */
    uint64_t experts;   /* entries whose counts become one */
    uint64_t unseen;    /* entries that are left out */
    uint64_t datasets;
    uint64_t fractions; /* entries of inputs: counts are no whole numbers */
    uint64_t negative;  /* ... or below 0 */
    bool tokens;        /* counts of tokens become counts of chunks */
};

struct joining {
    const struct cli *cli;
    char *const *inputs;
    int n;
    const char *out;
    bool legacy; /* a .dat is written */
    ggk_imatrix *sum;
    ggk_imatrix_info info; /* of the sum */
    struct losses losses;
};

/* ------------------------------------------------------------------- losses */

/* Entries that were never in use, and those with several counts. */
static void note_entries(struct losses *l, const ggk_imatrix *imatrix,
                         bool legacy)
{
    ggk_importances e;

    for (uint64_t i = 0; ggk_imatrix_entry(imatrix, i, &e, NULL) == GGK_OK;
         i++) {
        uint64_t n_used = 0, n_negative = 0;

        for (uint64_t s = 0; s < e.n_slices; s++) {
            n_used += e.counts[s] != 0;
            n_negative += e.counts[s] < 0;
        }
        l->fractions += e.rounded != GGK_NONE;
        l->negative += n_negative > 0;
        l->uncounted += legacy && n_used == 0;
        l->unseen += !legacy && n_used == 0;
        l->experts += n_used > 0 && e.n_slices > 1;
    }
}

static void note_input(struct joining *j, const ggk_imatrix *imatrix,
                       const ggk_imatrix_info *info)
{
    struct losses entries = {0};

    note_entries(&entries, imatrix, info->legacy);
    j->losses.uncounted += entries.uncounted;
    j->losses.fractions += entries.fractions;
    j->losses.negative += entries.negative;
    j->losses.keys += info->n_other_keys;
    j->losses.tensors += info->n_other_tensors;
    j->losses.tokens = j->losses.tokens || (j->legacy && !info->legacy);
}

/* What of the sum a .dat has no place for. */
static void note_sum(struct joining *j)
{
    struct losses entries = {0};

    if (!j->legacy)
        return;
    note_entries(&entries, j->sum, false);
    j->losses.unseen = entries.unseen;
    j->losses.experts = entries.experts;
    j->losses.datasets = j->info.n_datasets > 1 ? j->info.n_datasets - 1 : 0;
}

#define LOSS_BYTES 128
#define LOSS_COUNT 9

/* Loss number `i` as a sentence; false if there is none of it. */
static bool write_loss(const struct joining *j, int i, char out[LOSS_BYTES])
{
    static const char *const texts[LOSS_COUNT][2] = {
        {"1 key is left out", "keys are left out"},
        {"1 tensor of another kind is left out",
         "tensors of other kinds are left out"},
        {"1 entry has values but no calls: it counts as never in use",
         "entries have values but no calls: they count as never in use"},
        {"1 entry keeps no counts of its experts",
         "entries keep no counts of their experts"},
        {"1 entry that was never in use is left out",
         "entries that were never in use are left out"},
        {"1 dataset is left out, but for the last",
         "datasets are left out, but for the last"},
        {"1 entry has a count that is no whole number: it is rounded",
         "entries have counts that are no whole numbers: they are rounded"},
        {"1 entry has a count below 0: it is damaged, or something else",
         "entries have counts below 0: they are damaged, or something else"},
        {"counts of tokens become whole chunks, and values are rounded", ""},
    };
    const struct losses *l = &j->losses;
    const uint64_t n[LOSS_COUNT] = {l->keys,      l->tensors,  l->uncounted,
                                    l->experts,   l->unseen,   l->datasets,
                                    l->fractions, l->negative, l->tokens};

    if (n[i] == 0)
        return false;
    if (n[i] == 1)
        snprintf(out, LOSS_BYTES, "%s", texts[i][0]);
    else
        snprintf(out, LOSS_BYTES, "%" PRIu64 " %s", n[i], texts[i][1]);
    return true;
}

static void tell_losses(const struct joining *j)
{
    char text[LOSS_BYTES];

    for (int i = 0; i < LOSS_COUNT; i++)
        if (write_loss(j, i, text))
            msg_warning(&j->cli->msg, j->out, "%s", text);
}

/* ------------------------------------------------------------------- inputs */

/* Chunks of what was read before, and of this. */
static void warn_of_chunks(const struct joining *j, const char *file,
                           const ggk_imatrix_info *before,
                           const ggk_imatrix_info *info)
{
    if (info->legacy && before->chunk_size == 0)
        msg_note(&j->cli->msg, file,
                 "it does not say how many tokens a chunk has: %u are taken "
                 "(--chunk-size)",
                 GGK_IMATRIX_CHUNK);
    if (info->chunk_size > 0 && before->chunk_size > 0 &&
        info->chunk_size != before->chunk_size)
        msg_warning(&j->cli->msg, file,
                    "its chunks are of %" PRIu64 " tokens: they are counted in "
                    "chunks of %" PRIu64,
                    info->chunk_size, before->chunk_size);
}

static int add_input(struct joining *j, const char *file)
{
    ggk_imatrix_info before, info;
    ggk_imatrix *imatrix;
    ggk_error err;
    int status = imatrix_open(j->cli, file, GGK_IMATRIX_SUMS, &imatrix);

    if (status != CLI_DONE)
        return status;
    ggk_imatrix_about(j->sum, &before);
    ggk_imatrix_about(imatrix, &info);
    warn_of_chunks(j, file, &before, &info);
    note_input(j, imatrix, &info);
    if (ggk_imatrix_add(j->sum, imatrix, &err) != GGK_OK)
        status = imatrix_fail(j->cli, file, &err);
    ggk_imatrix_close(imatrix);
    return status;
}

static int add_inputs(struct joining *j)
{
    const struct imatrix_options *o = j->cli->options;
    int status = CLI_DONE;
    ggk_error err;

    if (ggk_imatrix_new(o->chunk_size, NULL, &j->sum, &err) != GGK_OK)
        return imatrix_fail(j->cli, NULL, &err);
    for (int i = 0; i < j->n && status == CLI_DONE; i++)
        status = add_input(j, j->inputs[i]);
    ggk_imatrix_about(j->sum, &j->info);
    note_sum(j);
    return status;
}

/* ------------------------------------------------------------------ writing */

static void put_joined(struct json *json, const void *ctx)
{
    const struct joining *j = ctx;
    char text[LOSS_BYTES];

    json_key(json, "inputs");
    json_open_array(json);
    for (int i = 0; i < j->n; i++)
        json_cstring(json, j->inputs[i]);
    json_close_array(json);
    json_put_cstring(json, "format", j->legacy ? "dat" : "gguf");
    json_put_u64(json, "n_entries", j->info.n_entries - j->losses.unseen);
    json_put_u64(json, "chunks", j->info.n_chunks);
    json_put_u64(json, "chunk_size", j->info.chunk_size);
    json_key(json, "lost");
    json_open_array(json);
    for (int i = 0; i < LOSS_COUNT; i++)
        if (write_loss(j, i, text))
            json_cstring(json, text);
    json_close_array(json);
}

static void print_joined(FILE *out, const void *ctx)
{
    const struct joining *j = ctx;
    uint64_t n = j->info.n_entries - j->losses.unseen;

    fprintf(out,
            "%" PRIu64 " entr%s, %" PRIu64 " chunk%s of %" PRIu64 " tokens\n",
            n, n == 1 ? "y" : "ies", j->info.n_chunks,
            fmt_plural(j->info.n_chunks), j->info.chunk_size);
}

static ggk_status plan_sum(const struct joining *j, ggk_plan *plan,
                           ggk_error *err)
{
    ggk_imatrix_format format =
        j->legacy ? GGK_IMATRIX_LEGACY : GGK_IMATRIX_GGUF;
    ggk_status status = ggk_plan_add_imatrix(plan, j->out, j->sum, format, err);

    for (int i = 0; i < j->n && status == GGK_OK; i++)
        status = writing_guard(plan, j->inputs[i], err);
    return status;
}

static int write_sum(const struct joining *j)
{
    const struct input in = {.cli = j->cli, .name = j->inputs[0]};
    struct writing w = {.cli = j->cli,
                        .in = &in,
                        .verb = "writing",
                        .is_opaque = j->legacy,
                        .put_json = put_joined,
                        .put_text = print_joined,
                        .ctx = j};
    ggk_error err;
    int status;

    if (ggk_plan_new(NULL, &w.plan, &err) != GGK_OK)
        return imatrix_fail(j->cli, j->out, &err);
    if (plan_sum(j, w.plan, &err) == GGK_OK) {
        tell_losses(j);
        status = writing_run(&w);
    } else {
        status = imatrix_fail(
            j->cli,
            err.status == GGK_E_VALUE && j->n == 1 ? j->inputs[0] : j->out,
            &err);
    }
    ggk_plan_free(w.plan);
    return status;
}

static int join(struct joining *j)
{
    const struct imatrix_options *o = j->cli->options;
    int status;

    if (o->chunk_size > GGK_IMATRIX_CHUNK_MOST) {
        msg_usage(&j->cli->msg, "--chunk-size is at most %u",
                  GGK_IMATRIX_CHUNK_MOST);
        return CLI_USAGE;
    }
    j->legacy =
        o->to == TO_BY_NAME ? path_ends(j->out, ".dat") : o->to == TO_DAT;
    status = add_inputs(j);
    if (status == CLI_DONE)
        status = write_sum(j);
    ggk_imatrix_close(j->sum);
    return status;
}

/* Is OUT, the first operand, a matrix that was to be merged with the others? */
static bool is_forgotten(const struct joining *j)
{
    struct stat s;
    ggk_imatrix *imatrix = NULL;
    bool exists = stat(j->out, &s) == 0 && S_ISREG(s.st_mode) &&
                  ggk_imatrix_open(j->out, GGK_IMATRIX_SUMS | GGK_IMATRIX_ANY,
                                   NULL, &imatrix, NULL) == GGK_OK;

    ggk_imatrix_close(imatrix);
    for (int i = 0; i < j->n; i++) /* then the plan is told so */
        exists = exists && strcmp(j->inputs[i], j->out) != 0;
    return exists && !j->cli->global.force;
}

static int tell_forgotten(const struct joining *j)
{
    msg_error(&j->cli->msg, j->out,
              "this is OUT, the first operand, and an importance matrix "
              "already: only the %d operand%s after it would be merged",
              j->n, fmt_plural((uint64_t)j->n));
    msg_note(&j->cli->msg, NULL,
             "to merge it as well, name a new OUT before it, or give -o OUT");
    return CLI_IO;
}

int imatrix_merge(const struct cli *cli, int argc, char **argv)
{
    int given = cli->global.output != NULL ? 0 : 1; /* OUT among the operands */
    struct joining j = {.cli = cli, .inputs = argv + given, .n = argc - given};

    if (j.n < 1) {
        msg_usage(&cli->msg, "merge wants OUT IN..., or IN... -o OUT");
        return CLI_USAGE;
    }
    j.out = writing_target(cli, given > 0 ? argv[0] : NULL, NULL);
    if (j.out == NULL)
        return CLI_USAGE;
    return given > 0 && is_forgotten(&j) ? tell_forgotten(&j) : join(&j);
}

int imatrix_convert(const struct cli *cli, int argc, char **argv)
{
    struct joining j = {.cli = cli, .inputs = argv, .n = 1};

    if (argc < 1 || argc > 2) {
        msg_usage(&cli->msg, "convert wants IN OUT, or IN -o OUT");
        return CLI_USAGE;
    }
    j.out = writing_target(cli, argc > 1 ? argv[1] : NULL, NULL);
    return j.out == NULL ? CLI_USAGE : join(&j);
}
