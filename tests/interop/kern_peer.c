/* kern_peer.c - our kernels and those of libggml-base.so on the same random
 * numbers: every byte of the blocks, every bit of their numbers.
 *
 * usage: kern_peer LIBRARY [NUMBERS [TYPE...]]
 *
 * For each type and each distribution NUMBERS (2000000; of the types with grids
 * 200000, but for one of them each day, or by GGK_SEED) go through every kernel
 * that this processor runs: in rows of several lengths, without importance and
 * with five kinds of it. Exit 1 if anything differs.
 */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/type_ids.h"
#include "format/types.h"
#include "kern/kern.h"
#include "kern/round.h"
#include "splitmix.h"

enum {
    N_MAX = 16 * 4096, /* numbers at once */
    ROW_MAX = 4096,
    SUPER = 256,
    BEYOND = 2048, /* numbers that ggml may read after the last one */
    SHOWN = 20,    /* differences, for each type */
};

/* ggml.h of llama.cpp v0.5.0, struct ggml_type_traits. */
struct traits {
    const char *name;
    int64_t block;
    int64_t interleaved;
    size_t bytes;
    bool quantized;
    void (*to_float)(const void *blocks, float *x, int64_t n);
    void *from_float;
};

/* The same, struct ggml_init_params. */
struct init_params {
    size_t bytes;
    void *memory;
    bool no_alloc;
};

static struct {
    void *(*init)(struct init_params params);
    void (*quantize_init)(int type);
    size_t (*quantize)(int type, const float *x, void *blocks, int64_t start,
                       int64_t n_rows, int64_t row_n, const float *importance);
    bool (*requires_imatrix)(int type);
    const struct traits *(*traits)(int type);
    void *(*set_abort_callback)(void (*callback)(const char *message));
} peer;

static FILE *report;    /* standard output; ggml prints there, too */
static jmp_buf gave_up; /* where to go when ggml would end the process */

static void need(bool ok, const char *what, const char *name)
{
    if (ok)
        return;
    fprintf(stderr, "kern_peer: %s%s\n", what, name);
    exit(EXIT_FAILURE);
}

/* A function's address, by way of memory: ISO C has no cast for it. */
static void find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    need(symbol != NULL, "no function ", name);
    memcpy(function, &symbol, sizeof symbol);
}

static void give_up(const char *message)
{
    (void)message;
    longjmp(gave_up, 1);
}

static void open_peer(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    need(library != NULL, "cannot be opened: ", path);
    find(library, "ggml_init", &peer.init);
    find(library, "ggml_quantize_init", &peer.quantize_init);
    find(library, "ggml_quantize_chunk", &peer.quantize);
    find(library, "ggml_quantize_requires_imatrix", &peer.requires_imatrix);
    find(library, "ggml_get_type_traits", &peer.traits);
    find(library, "ggml_set_abort_callback", &peer.set_abort_callback);
    peer.set_abort_callback(give_up);
    /* Makes the tables that it converts F16 with. */
    need(peer.init((struct init_params){1 << 20, NULL, false}) != NULL,
         "ggml_init failed", "");
}

/* ------------------------------------------------------------ distributions */
static float normal(uint64_t *random)
{
    return (float)random_normal(random);
}

static uint64_t below(uint64_t *random, uint64_t n)
{
    return (random_bits(random) >> 16) % n;
}

static float student(uint64_t *random)
{
    double a = random_normal(random);
    double b = random_normal(random);
    double c = random_normal(random);

    return (float)(random_normal(random) / sqrt((a * a + b * b + c * c) / 3));
}

static float cauchy(uint64_t *random)
{
    return (float)(random_normal(random) / random_normal(random));
}

static float uniform(uint64_t *random)
{
    return (float)(random_unit(random) * 2 - 1);
}

static float f16_rounded(uint64_t *random)
{
    return f32_of_f16(f16_of_f32(normal(random) * 0.02f));
}

static float subnormal(uint64_t *random)
{
    uint64_t bits = random_bits(random);
    uint32_t width = (uint32_t)(bits >> 40) % 24;

    return f32_of_bits((uint32_t)(bits & 0x80000000) |
                       ((uint32_t)bits & 0x7fffff) >> width);
}

static float huge(uint64_t *random)
{
    return normal(random) * 1e37f;
}

/* The scales are too large for F16. */
static float large(uint64_t *random)
{
    return normal(random) * 1e7f;
}

static float tiny(uint64_t *random)
{
    return normal(random) * 1e-9f * exp2f(normal(random) * 4);
}

/* Below this a block counts as zero. */
static float edge(uint64_t *random)
{
    uint32_t bits = f32_bits(1e-15f) - 1 + (uint32_t)below(random, 3);

    if (below(random, 64) == 0)
        return f32_of_bits(bits | (uint32_t)below(random, 2) << 31);
    return normal(random) * 1e-16f;
}

static float three(uint64_t *random)
{
    static const float values[] = {-0.01f, 0.0f, 0.01f};
    return values[below(random, 3)];
}

static float negative(uint64_t *random)
{
    return -fabsf(normal(random)) * 0.02f;
}

static float offset(uint64_t *random)
{
    return 0.5f + normal(random) * 0.02f;
}

static float grid(uint64_t *random)
{
    return (float)below(random, 33) - 16;
}

static float half_grid(uint64_t *random)
{
    return ((float)below(random, 511) - 255) * 0.5f;
}

static float power(uint64_t *random)
{
    float x = ldexpf(1, (int)below(random, 24) - 20);
    return below(random, 2) == 0 ? x : -x;
}

/* Where rounding takes a logarithm to the whole number above. */
static float below_power(uint64_t *random)
{
    uint32_t power = (1 + (uint32_t)below(random, 255)) << 23;
    return f32_of_bits(power - 1 - (uint32_t)below(random, 128));
}

static float any_bits(uint64_t *random)
{
    float x = f32_of_bits((uint32_t)(random_bits(random) >> 32));
    return isfinite(x) ? x : 0;
}

/* NaNs are negative, as those are that x86 makes itself: of a sum of two, the
 * sign is that of either, as the compiler likes it; in the reference, too. */
static float infinities(uint64_t *random)
{
    uint64_t which = below(random, 300);

    if (which < 2)
        return which == 0 ? INFINITY : -INFINITY;
    return which == 2 ? f32_of_bits(0xffc00000) : normal(random);
}

static float payloads(uint64_t *random)
{
    if (below(random, 100) == 0)
        return f32_of_bits((uint32_t)random_bits(random) | 0xff800000);
    return normal(random);
}

struct distribution {
    const char *name;
    float (*draw)(uint64_t *random);
};

static const struct distribution distributions[] = {
    {"normal", normal},       {"Student-t", student},
    {"Cauchy", cauchy},       {"uniform", uniform},
    {"F16", f16_rounded},     {"sub-normal", subnormal},
    {"huge", huge},           {"large", large},
    {"tiny", tiny},           {"edge", edge},
    {"three values", three},  {"negative", negative},
    {"offset", offset},       {"grid", grid},
    {"half grid", half_grid}, {"powers of two", power},
    {"any bits", any_bits},   {"infinite", infinities},
    {"NaN", payloads},        {"below powers", below_power},
};

enum { N_DISTRIBUTIONS = sizeof distributions / sizeof *distributions };

/* What is done to the numbers after they are drawn, by turns. */
enum shape { AS_DRAWN, ZEROS, CONSTANT, SCALED, SHAPES };

static void fill(const struct distribution *d, uint64_t *random, float *x,
                 size_t n)
{
    enum shape shape = (enum shape)below(random, SHAPES);

    for (size_t i = 0; i < n; i++)
        x[i] = d->draw(random);
    for (size_t i = 0; i < n && shape == ZEROS; i++)
        if (i / 32 % 3 == 1 || i / 256 % 5 == 2 || below(random, 8) == 0)
            x[i] = i % 2 == 0 ? 0.0f : -0.0f;
    for (size_t i = 0; i < n && shape == CONSTANT; i++)
        if (i / 256 % 2 == 0)
            x[i] = x[i / 32 * 32];
    for (size_t i = 0; i < n && shape == SCALED; i += 16) {
        float scale = ldexpf(1, (int)below(random, 48) - 40);

        for (size_t k = i; k < i + 16; k++)
            x[k] *= scale;
    }
}

/* --------------------------------------------------------------- importance */
enum importance {
    NONE,
    EQUAL,
    RANDOM,
    FEW,
    ZERO_GROUPS,
    NEGATIVE, /* one in eight */
    IMPORTANCES,
};

static void weigh(enum importance kind, uint64_t *random, float *importance)
{
    float all = (float)random_unit(random) + 0x1p-6f;

    for (size_t i = 0; i < ROW_MAX; i++) {
        float r = (float)(random_unit(random) + random_unit(random));

        if (kind == EQUAL)
            importance[i] = all;
        else if (kind == FEW)
            importance[i] = (float)below(random, 3);
        else if (kind == ZERO_GROUPS && i / 48 % 3 == 1)
            importance[i] = 0;
        else if (kind == NEGATIVE && below(random, 8) == 0)
            importance[i] = -r;
        else
            importance[i] = r * r;
    }
}

/* -------------------------------------------------------------- comparisons */
static float x[N_MAX + BEYOND];
static float importance[ROW_MAX];
static uint8_t theirs[N_MAX * sizeof(float)];
static uint8_t ours[N_MAX * sizeof(float)];
static float their_numbers[N_MAX];
static float our_numbers[N_MAX];

static unsigned long long differences;

static const char *isa_name(int isa)
{
    static const char *const names[] = {"generic", "NEON", "AVX2", "AVX-512"};
    return names[isa];
}

/* Units of `unit` bytes that differ. */
static void compare(const void *a, const void *b, size_t bytes, size_t unit,
                    const char *what, int isa)
{
    for (size_t i = 0; i < bytes; i += unit) {
        const uint8_t *is = (const uint8_t *)b + i;
        const uint8_t *wanted = (const uint8_t *)a + i;
        size_t k = 0;

        while (k < unit && is[k] == wanted[k])
            k++;
        if (k < unit && differences++ < SHOWN)
            fprintf(report,
                    "    %s, %s: number %zu, byte %zu: %02x, not %02x\n", what,
                    isa_name(isa), i / unit, k, is[k], wanted[k]);
    }
}

/* The kernels of this instruction set, unless a lower one has the same. */
static bool next_kern(uint32_t type, int isa, struct ggki_kern *kern)
{
    struct ggki_kern last = *kern;

    *kern = ggki_kern_of(type, (enum ggki_isa)isa);
    return kern->quantize != last.quantize ||
           kern->dequantize != last.dequantize;
}

/* The block that stands where ggml gives up: all 0, but d is infinite. */
static void put_failure(const ggk_type_info *type, uint8_t *block)
{
    memset(block, 0, type->bytes);
    if (type->id == GGKI_IQ1_M) {
        block[53] = 0xc0;
        block[55] = 0x70;
    } else {
        block[1] = 0x7c;
    }
}

/* False if it gave up. */
static bool ask_peer(const ggk_type_info *type, const float *numbers,
                     uint8_t *blocks, size_t n_rows, size_t row_n,
                     const float *weights)
{
    if (setjmp(gave_up) != 0)
        return false;
    size_t made = peer.quantize((int)type->id, numbers, blocks, 0,
                                (int64_t)n_rows, (int64_t)row_n, weights);
    need(made == n_rows * row_n / type->block * type->bytes,
         "too many or few bytes: ", type->name);
    return true;
}

/* Each super-block by itself, since one of them was too much. */
static void ask_peer_of_each(const ggk_type_info *type, size_t row_n, size_t n,
                             const float *weights)
{
    for (size_t at = 0; at < n; at += SUPER) {
        uint8_t *block = theirs + at / SUPER * type->bytes;

        if (!ask_peer(type, x + at, block, 1, SUPER,
                      weights != NULL ? weights + at % row_n : NULL))
            put_failure(type, block);
    }
}

/* In IQ1_S and IQ1_M ggml does not give up at once: it looks for a point once
 * more, beside other numbers than those of the group, or beyond all numbers.
 * What it finds then is nothing to compare with. */
static void forget_strays(const ggk_type_info *type, size_t n)
{
    uint8_t failure[64];

    if (type->id != GGKI_IQ1_S && type->id != GGKI_IQ1_M)
        return;
    put_failure(type, failure);
    for (size_t at = 0; at < n; at += SUPER) {
        size_t off = at / SUPER * type->bytes;
        bool huge = false;

        for (size_t i = at; i < at + SUPER; i++)
            huge |= !(fabsf(x[i]) < 1e9f);
        if (huge && memcmp(ours + off, failure, type->bytes) == 0)
            memcpy(theirs + off, failure, type->bytes);
    }
}

static void compare_blocks(const ggk_type_info *type, const char *what,
                           size_t row_n, size_t n, const float *weights)
{
    size_t bytes = n / type->block * type->bytes;
    struct ggki_kern kern = {NULL, NULL};

    if (!ask_peer(type, x, theirs, n / row_n, row_n, weights))
        ask_peer_of_each(type, row_n, n, weights);
    for (int isa = 0; isa <= (int)ggki_isa_best(); isa++) {
        if (!next_kern(type->id, isa, &kern))
            continue;
        memset(ours, 0xa5, bytes);
        kern.quantize(x, ours, n / row_n, row_n, weights);
        forget_strays(type, n);
        compare(theirs, ours, bytes, type->bytes, what, isa);
    }
}

static void compare_quantize(const ggk_type_info *type, size_t d, size_t total)
{
    static const size_t row_ns[] = {256, 2816, 4096};
    uint64_t random = (uint64_t)type->id * 1000 + d;
    const char *name = distributions[d].name;

    for (size_t done = 0, turn = 0; done < total; turn++) {
        enum importance kind = (enum importance)(turn % IMPORTANCES);
        size_t row_n = row_ns[(turn + turn / IMPORTANCES) % 3];
        size_t n = N_MAX / 4 / row_n * row_n;

        if (kind == NONE && peer.requires_imatrix((int)type->id))
            continue;
        fill(&distributions[d], &random, x, n);
        weigh(kind, &random, importance);
        compare_blocks(type, name, row_n, n, kind == NONE ? NULL : importance);
        done += n;
    }
}

/* Blocks of random bytes. */
static void compare_dequantize(const ggk_type_info *type, size_t total)
{
    uint64_t random = type->id;
    const struct traits *traits = peer.traits((int)type->id);
    size_t bytes = (size_t)(N_MAX / type->block) * type->bytes;
    struct ggki_kern kern = {NULL, NULL};

    for (size_t done = 0; done < total && traits->to_float != NULL;
         done += N_MAX) {
        for (size_t i = 0; i < bytes; i++)
            ours[i] = (uint8_t)(random_bits(&random) >> 56);
        traits->to_float(ours, their_numbers, N_MAX);
        for (int isa = 0; isa <= (int)ggki_isa_best(); isa++) {
            if (!next_kern(type->id, isa, &kern))
                continue;
            memset(our_numbers, 0xa5, sizeof our_numbers);
            kern.dequantize(ours, our_numbers, N_MAX);
            compare(their_numbers, our_numbers, sizeof our_numbers,
                    sizeof *our_numbers, "dequantized", isa);
        }
    }
}

static bool wanted(const char *name, char **names, int n_names)
{
    for (int i = 0; i < n_names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return n_names == 0;
}

/* Returns whether all was equal. */
static bool compare_type(const ggk_type_info *type, size_t total)
{
    const struct traits *traits = peer.traits((int)type->id);

    need(traits->block == (int64_t)type->block && traits->bytes == type->bytes,
         "it has another type for ", type->name);
    peer.quantize_init((int)type->id);
    differences = 0;
    for (size_t d = 0; d < N_DISTRIBUTIONS; d++)
        compare_quantize(type, d, total);
    compare_dequantize(type, total);
    fprintf(report, "%s: %llu differences\n", type->name, differences);
    fflush(report);
    return differences == 0;
}

/* Of the types with grids ggml does a tenth of the others in a second. */
static size_t usual_numbers(uint32_t id)
{
    static const uint32_t slow[] = {
        GGKI_IQ2_XXS, GGKI_IQ2_XS, GGKI_IQ2_S, GGKI_IQ3_XXS,
        GGKI_IQ3_S,   GGKI_IQ1_S,  GGKI_IQ1_M,
    };
    enum { N_SLOW = sizeof slow / sizeof *slow };
    const char *seed = getenv("GGK_SEED");
    unsigned long long today = seed != NULL
                                   ? strtoull(seed, NULL, 10)
                                   : (unsigned long long)time(NULL) / 86400;

    for (size_t i = 0; i < N_SLOW; i++)
        if (slow[i] == id && today % N_SLOW != i)
            return 200000;
    return 2000000;
}

int main(int argc, char **argv)
{
    size_t asked = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    bool ok = true;
    int compared = 0;

    need(argc >= 2, "usage: kern_peer LIBRARY [NUMBERS [TYPE...]]", "");
    report = fdopen(dup(STDOUT_FILENO), "w");
    need(report != NULL && freopen("/dev/null", "w", stdout) != NULL,
         "standard output cannot be had", "");
    open_peer(argv[1]);
    for (uint32_t id = 0; id < 256; id++) {
        const ggk_type_info *type = ggki_type_find(NULL, id);
        struct ggki_kern kern = ggki_kern_of(id, GGKI_ISA_GENERIC);

        /* ggml does not quantize to F64. */
        if (type == NULL || kern.quantize == NULL ||
            strcmp(type->name, "F64") == 0 ||
            !wanted(type->name, argv + 3, argc > 3 ? argc - 3 : 0))
            continue;
        ok &= compare_type(type, asked > 0 ? asked : usual_numbers(id));
        compared++;
    }
    need(compared > 0, "no type to compare", "");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
