/* lost_keys.c - keys that only later shards of a set have. */
#include "lost_keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "new_value.h"
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
static bool belongs_to_shard(const struct lost_keys *lost, uint64_t i,
                             ggk_str key)
{
    return ggk_is_split_key(key, lost->architecture) ||
           str_is_name(key, "general.alignment") ||
           ggk_model_kv_is_space(lost->shard, i);
}

/* Do two values say the same? */
static bool same_values(ggk_walk *a, ggk_walk *b)
{
    do {
        ggk_value x, y;
        ggk_event event = ggk_walk_next(a, &x);

        if (ggk_walk_next(b, &y) != event)
            return false;
        switch (event) {
        case GGK_WALK_VALUE:
            if (!value_same(&x, &y))
                return false;
            break;
        case GGK_WALK_OPEN:
            if (x.type != y.type || x.as.u != y.as.u)
                return false;
            break;
        case GGK_WALK_CLOSE:
        case GGK_WALK_END: break;
        case GGK_WALK_BROKEN: return false;
        }
    } while (ggk_walk_depth(a) > 0);
    return true;
}

/* Is key-value `i` of a shard not that of the first, if that has the key? */
static bool has_other_value(const ggk_model *shard, uint64_t i,
                            const ggk_model *model, uint64_t first)
{
    ggk_walk a, b;

    return ggk_walk_start(shard, i, &a, NULL) != GGK_OK ||
           ggk_walk_start(model, first, &b, NULL) != GGK_OK ||
           !same_values(&a, &b);
}

/* Note key-value `i` of the shard if it would be lost. */
static void look_at_key(struct lost_keys *lost, const ggk_model *model,
                        uint64_t i)
{
    char name[NAME_BYTES];
    uint64_t first;
    bool there;
    ggk_kv kv;

    if (ggk_model_kv(lost->shard, i, &kv, NULL) != GGK_OK ||
        belongs_to_shard(lost, i, kv.key))
        return;
    there = ggk_model_find_kv(model, kv.key, &first, NULL) != GGK_E_NOT_FOUND;
    if ((there && !has_other_value(lost->shard, i, model, first)) ||
        lost->n++ >= NAMED_MOST)
        return;
    text_copy(name, sizeof name, kv.key.ptr, kv.key.len);
    lost->used += (size_t)snprintf(
        lost->names + lost->used, sizeof lost->names - lost->used, "%s\"%s\"%s",
        lost->used > 0 ? ", " : "", name, there ? " (another value)" : "");
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
    struct lost_keys lost = {.n = 0};
    struct cli alone = *in->cli;
    struct input shard;
    int status;

    alone.global.single = true;
    alone.global.verbose = false;
    status = input_open(&alone, path, &shard);
    if (status != CLI_DONE)
        return status;
    lost.shard = shard.model;
    lost.architecture = architecture_of(shard.model, in->model);
    for (uint64_t i = 0; i < ggk_model_n_kv(shard.model); i++)
        look_at_key(&lost, in->model, i);
    if (lost.n > 0)
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
