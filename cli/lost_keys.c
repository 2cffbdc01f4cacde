/* lost_keys.c - keys that only later shards of a set have. */
#include "lost_keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "out/text.h"
#include "same.h"

#define NAMED_MOST 4   /* of the keys of one shard, and */
#define NAME_BYTES 100 /* bytes of the name of each */

/* The keys of one shard that would be lost. */
struct lost_keys {
    const ggk_model *shard; /* read alone */
    ggk_str architecture;
    uint64_t n;
    size_t used;
    char names[1024]; /* "own", "general.name" (another value) */
};

/* The architecture that a shard names, or else the first of its set. */
static ggk_str architecture_of(const ggk_model *shard, const ggk_model *model)
{
    const ggk_str key = ggk_cstr("general.architecture");
    ggk_str name = {NULL, 0};

    if (ggk_model_get_str(shard, key, &name, NULL) != GGK_OK &&
        ggk_model_get_str(model, key, &name, NULL) != GGK_OK)
        name.len = 0;
    return name;
}

/* Is it a key that a shard besides the first has as of right? */
static bool belongs_to_shard(ggk_str key, ggk_str architecture)
{
    return ggk_is_split_key(key, architecture) ||
           str_is_name(key, "general.alignment");
}

static bool note_difference(void *ctx, const ggk_difference *d)
{
    struct lost_keys *lost = ctx;
    bool changed = d->kind == GGK_DIFF_KEY_CHANGED;
    char name[NAME_BYTES];
    ggk_kv kv;

    if ((!changed && d->kind != GGK_DIFF_KEY_ADDED) ||
        ggk_model_kv(lost->shard, d->b, &kv, NULL) != GGK_OK ||
        belongs_to_shard(kv.key, lost->architecture) || lost->n++ >= NAMED_MOST)
        return true;
    text_copy(name, sizeof name, kv.key.ptr, kv.key.len);
    lost->used += (size_t)snprintf(
        lost->names + lost->used, sizeof lost->names - lost->used, "%s\"%s\"%s",
        lost->used > 0 ? ", " : "", name, changed ? " (another value)" : "");
    return true;
}

static int tell_lost(const struct input *in, const char *path,
                     const struct lost_keys *lost)
{
    char more[48] = "";

    if (lost->n > NAMED_MOST)
        snprintf(more, sizeof more, " and %" PRIu64 " more",
                 lost->n - NAMED_MOST);
    if (in->cli->global.force) {
        msg_warning(&in->cli->msg, path,
                    "%" PRIu64 " key%s that the first shard lacks, or has with "
                    "another value: not taken: %s%s",
                    lost->n, lost->n == 1 ? "" : "s", lost->names, more);
        return CLI_DONE;
    }
    msg_error(&in->cli->msg, path,
              "%" PRIu64 " key%s that the first shard lacks, or has with "
              "another value, would be lost: give --force: %s%s",
              lost->n, lost->n == 1 ? "" : "s", lost->names, more);
    return CLI_USAGE;
}

static int check_later_shard(const struct input *in, const char *path)
{
    const ggk_diff_opts opts = {.struct_bytes = sizeof opts,
                                .flags = GGK_DIFF_NO_DATA};
    struct lost_keys lost = {.n = 0};
    struct cli alone = *in->cli;
    ggk_diff_result result;
    struct input shard;
    ggk_error err;
    int status;

    alone.global.single = true;
    alone.global.verbose = false;
    status = input_open(&alone, path, &shard);
    if (status != CLI_DONE)
        return status;
    lost.shard = shard.model;
    lost.architecture = architecture_of(shard.model, in->model);
    if (ggk_diff(in->model, shard.model, &opts, note_difference, &lost, &result,
                 &err) != GGK_OK)
        status = input_fail(&shard, &err);
    else if (lost.n > 0)
        status = tell_lost(in, path, &lost);
    input_close(&shard);
    return status;
}

int lost_keys_check(const struct input *in)
{
    uint32_t n = ggk_model_n_files(in->model);
    int status = CLI_DONE;
    ggk_file f;

    for (uint32_t i = 1; i < n && status == CLI_DONE; i++)
        if (ggk_model_file(in->model, i, &f, NULL) == GGK_OK && f.n_kv > 0 &&
            f.path != NULL)
            status = check_later_shard(in, f.path);
    return status;
}
