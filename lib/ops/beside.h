/* beside.h - what is in the folder of the files that a plan writes: inputs,
 * which stay, and shards of another set of their prefix, which go. */
#ifndef GGKI_BESIDE_H
#define GGKI_BESIDE_H

#include "io/new_file.h"
#include "ops/plan.h"

struct ggki_beside {
    const ggk_plan *plan;
    const ggk_run_opts *opts;
    const struct ggki_new_file *outs; /* one for each file of the plan */
    struct ggki_shard_name ours;      /* what the first one's name says */
    char **others;                    /* names of the shards that are to go */
    size_t n_others, capacity;
};

/* Are the files of the plan the shards of a set, by the name of the first? */
bool ggki_beside_is_set(const ggk_plan *plan);

/* Is a file an input, under a name that is needed beside a target?
 * Errors: GGK_E_SAME_FILE, GGK_E_IO. */
ggk_status ggki_beside_check_names(const struct ggki_beside *b,
                                   const struct ggki_new_file *out,
                                   ggk_error *err);

/* Find the other shards of the prefix of a set. Errors: GGK_E_EXISTS (there
 * are, and they may not be removed), GGK_E_SAME_FILE, GGK_E_IO, GGK_E_NOMEM. */
ggk_status ggki_beside_find_others(struct ggki_beside *b, ggk_error *err);

/* Remove them, or let them become their backups. Errors: GGK_E_IO. */
ggk_status ggki_beside_put_away(const struct ggki_beside *b, ggk_error *err);

/* Tell the caller of the plan of them. */
void ggki_beside_tell(const struct ggki_beside *b);

void ggki_beside_free(struct ggki_beside *b);

#endif
