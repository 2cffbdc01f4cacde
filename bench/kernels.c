/* kernels.c - how fast kernels are beside ggml's, one type after the other.
 *
 * usage: kernels LIBGGML-BASE.SO [TYPE...]
 *
 * One thread; 16 Ki normal numbers, which stay in the L2 cache. In each round
 * every contender does the same; a line has the least CPU time of each, as
 * million numbers a second. Before that the bytes are compared: exit 1 if any
 * differs. The declarations of ggml are those of its ggml.h.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ggk.h"
#include "kern/kern.h"

enum { ROWS = 16, ROW_N = 1024, N = ROWS * ROW_N, ROUNDS = 15 };

struct ggml_init_params {
    size_t mem_size;
    void *mem_buffer;
    bool no_alloc;
};

struct ggml_type_traits {
    const char *type_name;
    int64_t blck_size;
    int64_t blck_size_interleave;
    size_t type_size;
    bool is_quantized;
    void (*to_float)(const void *, float *, int64_t);
};

static struct {
    void *(*init)(struct ggml_init_params);
    size_t (*quantize_chunk)(int, const float *, void *, int64_t, int64_t,
                             int64_t, const float *);
    bool (*requires_imatrix)(int);
    const struct ggml_type_traits *(*get_type_traits)(int);
} ggml;

static enum ggki_isa best_isa;

enum who { GGML, SCALAR, BEST, CONTENDERS };

/* What is measured: blocks of numbers, or numbers of blocks. */
struct work {
    const ggk_type_info *type;
    const float *importance;
    bool back;
};

static float x[N];
static float importance[ROW_N];
static uint8_t blocks[CONTENDERS][4 * N];
static float numbers[CONTENDERS][N];

static void fill(void)
{
    uint64_t state = 1;

    for (size_t i = 0; i < N; i++) {
        float sum = -6;
        for (int k = 0; k < 12; k++) {
            state = state * 6364136223846793005 + 1442695040888963407;
            sum += (float)(state >> 40) * 0x1p-24f;
        }
        x[i] = sum * 0.02f;
        importance[i % ROW_N] = sum * sum + 0.01f;
    }
}

static void run(const struct work *work, enum who who)
{
    struct ggki_kern kern =
        ggki_kern_of(work->type->id, who == BEST ? best_isa : GGKI_ISA_GENERIC);
    int id = (int)work->type->id;

    if (work->back && who == GGML)
        ggml.get_type_traits(id)->to_float(blocks[GGML], numbers[who], N);
    else if (work->back)
        kern.dequantize(blocks[GGML], numbers[who], N);
    else if (who == GGML)
        ggml.quantize_chunk(id, x, blocks[who], 0, ROWS, ROW_N,
                            work->importance);
    else
        kern.quantize(x, blocks[who], ROWS, ROW_N, work->importance);
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Whether all bytes are equal. */
static bool measure(const struct work *work)
{
    double least[CONTENDERS] = {1e9, 1e9, 1e9};
    int times = work->back ? 64 : 8; /* so long that the clock is no matter */
    bool same = true;

    for (int round = 0; round < ROUNDS; round++)
        for (int who = 0; who < CONTENDERS; who++) {
            double began = seconds();
            for (int i = 0; i < times; i++)
                run(work, (enum who)who);
            double took = (seconds() - began) / times;
            least[who] = took < least[who] ? took : least[who];
        }
    for (int who = SCALAR; who < CONTENDERS; who++)
        if (memcmp(blocks[GGML], blocks[who], sizeof *blocks) != 0 ||
            memcmp(numbers[GGML], numbers[who], sizeof *numbers) != 0)
            same = false;
    printf("| %s | %s |", work->type->name,
           work->back         ? "to numbers"
           : work->importance ? "to blocks, importance"
                              : "to blocks");
    for (int who = 0; who < CONTENDERS; who++) {
        double rate = N / least[who] * 1e-6;
        printf(" %.*f |", rate < 10 ? 2 : rate < 100 ? 1 : 0, rate);
    }
    printf(" %.3g |%s\n", least[GGML] / least[BEST], same ? "" : " DIFFERS");
    fflush(stdout);
    return same;
}

static bool measure_type(const ggk_type_info *type)
{
    const struct work plain = {type, NULL, false};
    const struct work weighted = {type, importance, false};
    const struct work back = {type, NULL, true};
    bool same = true;

    if (!ggml.requires_imatrix((int)type->id))
        same = measure(&plain);
    if (ggml.get_type_traits((int)type->id)->is_quantized)
        same = measure(&weighted) && same;
    return measure(&back) && same;
}

/* No names are all that can be compared. */
static bool is_wanted(const ggk_type_info *type, char **names, int n_names)
{
    struct ggki_kern kern = ggki_kern_of(type->id, GGKI_ISA_GENERIC);

    if (kern.quantize == NULL ||
        ggml.get_type_traits((int)type->id)->to_float == NULL)
        return false;
    for (int i = 0; i < n_names; i++)
        if (strcmp(names[i], type->name) == 0)
            return true;
    return n_names == 0;
}

static bool load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);

    if (library == NULL)
        return false;
    /* POSIX: a function fits where a pointer does */
    *(void **)&ggml.init = dlsym(library, "ggml_init");
    *(void **)&ggml.quantize_chunk = dlsym(library, "ggml_quantize_chunk");
    *(void **)&ggml.requires_imatrix =
        dlsym(library, "ggml_quantize_requires_imatrix");
    *(void **)&ggml.get_type_traits = dlsym(library, "ggml_get_type_traits");
    return ggml.init != NULL && ggml.quantize_chunk != NULL &&
           ggml.requires_imatrix != NULL && ggml.get_type_traits != NULL;
}

int main(int argc, char **argv)
{
    static const char *const isas[] = {[GGKI_ISA_GENERIC] = "scalar",
                                       [GGKI_ISA_NEON] = "NEON",
                                       [GGKI_ISA_AVX2] = "AVX2",
                                       [GGKI_ISA_AVX512] = "AVX-512"};
    bool same = true;

    if (argc < 2)
        return 2;
    if (!load(argv[1])) {
        fprintf(stderr, "kernels: %s\n", dlerror());
        return 3;
    }
    ggml.init((struct ggml_init_params){.mem_size = 1024});
    best_isa = ggki_isa_best();
    fill();
    printf("| type | what | ggml | scalar | %s | %s / ggml |\n", isas[best_isa],
           isas[best_isa]);
    printf("| --- | --- | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < ggk_type_count(); i++) {
        const ggk_type_info *type = ggk_type_at(i);

        if (is_wanted(type, argv + 2, argc - 2))
            same = measure_type(type) && same;
    }
    return same ? 0 : 1;
}
