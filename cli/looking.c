/* looking.c - what commands that look at the numbers of tensors have in common.
 */
#include "looking.h"

uint32_t looking_threads(const struct cli *cli)
{
    return cli->global.threads > UINT32_MAX ? UINT32_MAX
                                            : (uint32_t)cli->global.threads;
}

void looking_start(struct looking *l, const struct cli *cli, const char *verb)
{
    progress_start(&l->progress, &cli->msg, verb);
    l->opts = (ggk_values_opts){.struct_bytes = sizeof l->opts,
                                .n_threads = looking_threads(cli),
                                .on_progress = progress_tick,
                                .progress_ctx = &l->progress};
}

void looking_end(struct looking *l)
{
    progress_end(&l->progress);
}
