/* looks.c - what looking at numbers costs beside having them.
 *
 * usage: looks MODEL.gguf
 *
 * One thread; a line for each way, with CPU seconds and million numbers a
 * second, the best of three: reading and dequantizing alone, by the library's
 * kernels, in pieces that stay in the cache; statistics; the rules of data.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ggk.h"

enum { CHUNK = 256 << 10, SPAN = 4 << 10, ROUNDS = 3 };

static uint8_t blocks[8 * CHUNK];
static float numbers[SPAN];

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void need(ggk_status status, const ggk_error *err)
{
    if (status == GGK_OK)
        return;
    fprintf(stderr, "looks: %s\n", err->what);
    exit(3);
}

static void dequantize_chunk(const ggk_type_info *type, uint64_t n)
{
    ggk_error err;

    for (uint64_t i = 0; i < n; i += SPAN) {
        uint64_t part = n - i < SPAN ? n - i : SPAN;

        need(ggk_type_dequantize(type, blocks + i / type->block * type->bytes,
                                 (size_t)(part / type->block * type->bytes),
                                 numbers, part, &err),
             &err);
    }
}

static void dequantize(const ggk_model *model, const uint64_t *tensors,
                       uint64_t n)
{
    ggk_error err;

    for (uint64_t k = 0; k < n; k++) {
        const ggk_type_info *type;
        ggk_tensor t;

        need(ggk_model_tensor(model, tensors[k], &t, &err), &err);
        type = ggk_model_type(model, t.type);
        for (uint64_t at = 0; at < t.n_elements; at += CHUNK) {
            uint64_t left = t.n_elements - at,
                     part = left < CHUNK ? left : CHUNK;

            need(ggk_model_read_tensor(
                     model, tensors[k], at / type->block * type->bytes, blocks,
                     (size_t)(part / type->block * type->bytes), &err),
                 &err);
            dequantize_chunk(type, part);
        }
    }
}

static bool ignore(void *ctx, const ggk_stats *stats)
{
    (void)ctx;
    (void)stats;
    return true;
}

static void find_stats(const ggk_model *model, const uint64_t *tensors,
                       uint64_t n)
{
    ggk_values_opts opts = {.struct_bytes = sizeof opts, .n_threads = 1};
    ggk_error err;

    need(ggk_model_stats(model, tensors, n, &opts, ignore, NULL, &err), &err);
}

static void check(const ggk_model *model, const uint64_t *tensors, uint64_t n)
{
    ggk_values_opts opts = {.struct_bytes = sizeof opts, .n_threads = 1};
    ggk_verdict verdict = {.n_tensors = 0};
    ggk_error err;

    (void)tensors;
    (void)n;
    need(ggk_check_data(model, NULL, &opts, NULL, NULL, &verdict, &err), &err);
}

static void measure(const char *name,
                    void (*work)(const ggk_model *, const uint64_t *, uint64_t),
                    const ggk_model *model, const uint64_t *tensors, uint64_t n,
                    double millions)
{
    double best = 0;

    for (int i = 0; i < ROUNDS; i++) {
        double begun = cpu_seconds(), took;

        work(model, tensors, n);
        took = cpu_seconds() - begun;
        best = i == 0 || took < best ? took : best;
    }
    printf("%-12s %8.3f s %10.0f million numbers/s\n", name, best,
           millions / best);
}

int main(int argc, char **argv)
{
    ggk_open_opts open = {.struct_bytes = sizeof open};
    ggk_model *model;
    uint64_t *tensors, n = 0;
    double millions = 0;
    ggk_error err;

    if (argc != 2) {
        fprintf(stderr, "usage: looks MODEL.gguf\n");
        return 2;
    }
    need(ggk_model_open(argv[1], &open, &model, &err), &err);
    tensors = calloc((size_t)ggk_model_n_tensors(model) + 1, sizeof *tensors);
    if (tensors == NULL)
        return 3;
    for (uint64_t i = 0; i < ggk_model_n_tensors(model); i++) {
        ggk_tensor t;

        need(ggk_model_tensor(model, i, &t, &err), &err);
        if (!ggk_model_has_values(model, &t))
            continue;
        tensors[n++] = i;
        millions += (double)t.n_elements / 1e6;
    }
    measure("dequantize", dequantize, model, tensors, n, millions);
    measure("check --data", check, model, tensors, n, millions);
    measure("stats", find_stats, model, tensors, n, millions);
    free(tensors);
    ggk_model_close(model);
    return 0;
}
