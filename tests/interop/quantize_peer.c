/* quantize_peer.c - quantizes a model by the library, for comparisons.
 *
 * usage: quantize_peer MODEL OUT TARGET FLAGS THREADS split|whole
 *                      [IMATRIX NAME]
 *
 * FLAGS are those of the recipe, as a number. NAME is what the keys call the
 * importance matrix.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ggk.h"

static void need(ggk_status status, const ggk_error *err)
{
    if (status == GGK_OK)
        return;
    fprintf(stderr, "quantize_peer: %s: %s\n", ggk_status_name(status),
            err->what);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    ggk_recipe_opts recipe_opts = {.struct_bytes = sizeof recipe_opts};
    ggk_quantize_opts opts = {.struct_bytes = sizeof opts};
    ggk_run_opts run = {.struct_bytes = sizeof run, .flags = GGK_RUN_FORCE};
    ggk_model *model;
    ggk_recipe *recipe;
    ggk_plan *plan;
    ggk_imatrix *imatrix = NULL;
    ggk_error err;

    if (argc != 7 && argc != 9)
        return EXIT_FAILURE;
    recipe_opts.target = argv[3];
    recipe_opts.flags = (uint32_t)strtoul(argv[4], NULL, 10);
    run.n_threads = (uint32_t)strtoul(argv[5], NULL, 10);
    if (strcmp(argv[6], "split") == 0)
        opts.flags = GGK_QUANTIZE_KEEP_SPLIT;
    if (argc == 9)
        need(ggk_imatrix_open(argv[7], NULL, &imatrix, &err), &err);
    recipe_opts.imatrix = opts.imatrix = imatrix;
    opts.imatrix_file = argv[8]; /* NULL, if there is none */
    need(ggk_model_open(argv[1], NULL, &model, &err), &err);
    need(ggk_recipe_new(model, &recipe_opts, &recipe, &err), &err);
    need(ggk_plan_new(NULL, &plan, &err), &err);
    need(ggk_plan_quantize(plan, argv[2], recipe, &opts, &err), &err);
    ggk_recipe_free(recipe);
    need(ggk_plan_run(plan, &run, &err), &err);
    ggk_plan_free(plan);
    ggk_imatrix_close(imatrix);
    ggk_model_close(model);
    return 0;
}
