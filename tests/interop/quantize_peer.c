/* quantize_peer.c - quantizes a model by the library, for comparisons.
 *
 * usage: quantize_peer MODEL OUT TARGET FLAGS THREADS split|whole WORD...
 *
 * FLAGS are those of the recipe, as a number. A WORD is imatrix=FILE, name=NAME
 * (what the keys call that), prune=LAYER, or key=NAME=NUMBER.
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

#define MOST 16 /* words of a kind */

struct words {
    const char *imatrix, *name;
    uint64_t pruned[MOST];
    ggk_key_value keys[MOST];
    size_t n_pruned, n_keys;
};

static void take_key(struct words *w, char *text)
{
    char *number = strchr(text, '=');
    ggk_key_value *kv = &w->keys[w->n_keys++];

    kv->key = (ggk_str){text, (size_t)(number - text)};
    kv->value.type = GGK_VALUE_UINT32;
    kv->value.as.u = strtoul(number + 1, NULL, 10);
}

static void take_words(struct words *w, int n, char **words)
{
    for (int i = 0; i < n; i++) {
        char *value = strchr(words[i], '=') + 1;

        if (strncmp(words[i], "imatrix=", 8) == 0)
            w->imatrix = value;
        else if (strncmp(words[i], "name=", 5) == 0)
            w->name = value;
        else if (strncmp(words[i], "key=", 4) == 0 && w->n_keys < MOST)
            take_key(w, value);
        else if (w->n_pruned < MOST)
            w->pruned[w->n_pruned++] = strtoul(value, NULL, 10);
    }
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
    struct words words = {.imatrix = NULL};
    ggk_error err;

    if (argc < 7)
        return EXIT_FAILURE;
    take_words(&words, argc - 7, argv + 7);
    recipe_opts.target = argv[3];
    recipe_opts.flags = (uint32_t)strtoul(argv[4], NULL, 10);
    run.n_threads = (uint32_t)strtoul(argv[5], NULL, 10);
    if (strcmp(argv[6], "split") == 0)
        opts.flags = GGK_QUANTIZE_KEEP_SPLIT;
    if (words.imatrix != NULL)
        need(ggk_imatrix_open(words.imatrix, 0, NULL, &imatrix, &err), &err);
    recipe_opts.imatrix = imatrix;
    opts.imatrix_file = words.name;
    recipe_opts.pruned = words.pruned;
    recipe_opts.n_pruned = words.n_pruned;
    recipe_opts.keys = words.keys;
    recipe_opts.n_keys = words.n_keys;
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
