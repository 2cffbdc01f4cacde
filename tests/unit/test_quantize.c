/* test_quantize.c - models that are quantized by a plan, and rows by hand.
 *
 * That the bytes of each type are ggml's is the matter of kern_golden and
 * interop.kern, and that whole files are llama.cpp's that of interop.quantize.
 */
#include <inttypes.h>
#include <math.h>

#include "base/finite.h"
#include "kinds.h"
#include "ledger.h"
#include "ops/numbers.h"
#include "splitmix.h"
#include "world.h"

/* ------------------------------------------------------------------- models */

struct part {
    const char *name;
    uint32_t type;
    uint64_t ne[3]; /* 0 from the last dimension on */
    float (*number)(uint64_t i);
};

#define BF16       30
#define DATA_ALIGN 32

static float small(uint64_t i)
{
    uint64_t state = i;

    return (float)(random_unit(&state) - 0.5);
}

static float one(uint64_t i)
{
    (void)i;
    return 1.0f;
}

static float sines(uint64_t i)
{
    return (float)sin(0.1 * (double)i) * 0.05f;
}

static uint32_t part_dims(const struct part *p)
{
    return p->ne[1] == 0 ? 1 : p->ne[2] == 0 ? 2 : 3;
}

static uint64_t part_numbers(const struct part *p)
{
    uint64_t n = 1;

    for (uint32_t d = 0; d < part_dims(p); d++)
        n *= p->ne[d];
    return n;
}

static uint64_t part_bytes(const struct part *p)
{
    uint64_t bytes;

    assert_int_equal(ggk_type_tensor_bytes(ggk_type_by_id(p->type), p->ne,
                                           part_dims(p), &bytes, NULL),
                     GGK_OK);
    return bytes;
}

/* The data of a float type, in the order of `b`. */
static void put_data(struct bytes *b, const struct part *p)
{
    uint64_t n = part_numbers(p), bytes = part_bytes(p);
    float *x = malloc((size_t)n * sizeof *x);
    uint8_t *out;

    assert_non_null(x);
    for (uint64_t i = 0; i < n; i++)
        x[i] = p->number(i);
    out = bytes_extend(b, (size_t)bytes);
    assert_int_equal(ggk_type_quantize(ggk_type_by_id(p->type), x, 1, n, NULL,
                                       out, (size_t)bytes, NULL),
                     GGK_OK);
    free(x);
    if (b->big)
        for (size_t i = 0, w = (size_t)(bytes / n); i < bytes; i += w)
            for (size_t k = 0; k < w / 2; k++) {
                uint8_t byte = out[i + k];

                out[i + k] = out[i + w - 1 - k];
                out[i + w - 1 - k] = byte;
            }
    put_padding(b, DATA_ALIGN);
}

/* A whole model; `*data` is where its first tensor begins. */
static struct bytes model_bytes(const struct part *parts, size_t n, bool big,
                                size_t *data)
{
    struct bytes b = bytes_of(3, big);
    uint64_t off = 0;

    put_header(&b, n, 2);
    put_kv_str(&b, "general.architecture", "llama");
    put_kv_u32(&b, "general.file_type", 0);
    for (size_t i = 0; i < n; i++) {
        put_info(&b, parts[i].name, part_dims(&parts[i]), parts[i].ne,
                 parts[i].type, off);
        off +=
            (part_bytes(&parts[i]) + DATA_ALIGN - 1) / DATA_ALIGN * DATA_ALIGN;
    }
    put_padding(&b, DATA_ALIGN);
    *data = b.n;
    for (size_t i = 0; i < n; i++)
        put_data(&b, &parts[i]);
    return b;
}

/* -------------------------------------------------------------------- plans */

/* A plan that makes all tensors that can be `target`. */
static ggk_status plan_to(const struct world *w, const ggk_imatrix *imatrix,
                          const char *target, const ggk_allocator *alloc,
                          ggk_plan **plan, ggk_error *err)
{
    ggk_recipe_opts recipe_opts = {.struct_bytes = sizeof recipe_opts,
                                   .flags = GGK_RECIPE_PURE,
                                   .target = target,
                                   .imatrix = imatrix};
    ggk_quantize_opts opts = {.struct_bytes = sizeof opts,
                              .imatrix_file = "im.dat"};
    ggk_recipe *recipe;
    ggk_status status;

    assert_int_equal(ggk_recipe_new(w->model, &recipe_opts, &recipe, err),
                     GGK_OK);
    status = ggk_plan_new(alloc, plan, err);
    if (status == GGK_OK)
        status = ggk_plan_quantize(*plan, w->out, recipe, &opts, err);
    ggk_recipe_free(recipe);
    return status;
}

static ggk_status run_by(ggk_plan *plan, uint32_t n_threads, ggk_error *err)
{
    ggk_run_opts opts = {.struct_bytes = sizeof opts,
                         .flags = GGK_RUN_FORCE,
                         .n_threads = n_threads};

    return ggk_plan_run(plan, &opts, err);
}

/* Write the world's output as `target`; a big-endian model's too is
 * little-endian then. */
static void make(const struct world *w, const ggk_imatrix *imatrix,
                 const char *target, uint32_t n_threads)
{
    ggk_error err = {0};
    ggk_plan *plan = NULL;

    if (plan_to(w, imatrix, target, NULL, &plan, &err) != GGK_OK ||
        ggk_plan_set_format(plan, 0, 3, false, &err) != GGK_OK ||
        run_by(plan, n_threads, &err) != GGK_OK)
        fail_msg("%s: %s", target, err.what);
    ggk_plan_free(plan);
}

/* The data of a tensor of the world's output. */
static uint8_t *read_tensor(const struct world *w, const char *name,
                            ggk_tensor *t)
{
    ggk_model *model;
    uint64_t i;
    uint8_t *data;

    assert_int_equal(ggk_model_open(w->out, NULL, &model, NULL), GGK_OK);
    assert_int_equal(ggk_model_find_tensor(model, ggk_cstr(name), &i, NULL),
                     GGK_OK);
    assert_int_equal(ggk_model_tensor(model, i, t, NULL), GGK_OK);
    data = malloc((size_t)t->bytes);
    assert_non_null(data);
    assert_int_equal(
        ggk_model_read_tensor(model, i, 0, data, (size_t)t->bytes, NULL),
        GGK_OK);
    ggk_model_close(model);
    return data;
}

static void expect_data(const struct world *w, const char *name, uint32_t type,
                        const void *data, size_t n)
{
    ggk_tensor t;
    uint8_t *is = read_tensor(w, name, &t);

    assert_int_equal(t.type, type);
    assert_int_equal(t.bytes, n);
    assert_memory_equal(is, data, n);
    free(is);
}

/* ------------------------------------------------------------------ example */

/* The embeddings of the model of 896 bytes in /work/shared/golden. */
static const uint8_t example_blocks[] = {
    0x73, 0x0e, 0x00, 0x0d, 0x19, 0x26, 0x31, 0x3d, 0x48, 0x52, 0x5b, 0x64,
    0x6b, 0x71, 0x76, 0x7a, 0x7d, 0x7f, 0x7f, 0x7e, 0x7c, 0x78, 0x74, 0x6e,
    0x67, 0x5f, 0x56, 0x4c, 0x41, 0x36, 0x2b, 0x1e, 0x12, 0x05, 0x73, 0x0e,
    0xf9, 0xec, 0xe0, 0xd3, 0xc8, 0xbd, 0xb2, 0xa9, 0xa0, 0x98, 0x91, 0x8c,
    0x87, 0x84, 0x82, 0x81, 0x81, 0x83, 0x86, 0x8a, 0x90, 0x96, 0x9e, 0xa6,
    0xb0, 0xba, 0xc5, 0xd1, 0xdd, 0xe9, 0xf5, 0x02, 0x72, 0x0e, 0x0f, 0x1b,
    0x28, 0x33, 0x3f, 0x4a, 0x54, 0x5d, 0x65, 0x6c, 0x72, 0x77, 0x7b, 0x7e,
    0x7f, 0x7f, 0x7e, 0x7b, 0x78, 0x73, 0x6d, 0x66, 0x5d, 0x54, 0x4a, 0x40,
    0x34, 0x29, 0x1c, 0x10, 0x03, 0xf6, 0x73, 0x0e, 0xea, 0xdd, 0xd1, 0xc6,
    0xbb, 0xb1, 0xa7, 0x9f, 0x97, 0x90, 0x8b, 0x87, 0x83, 0x82, 0x81, 0x82,
    0x84, 0x87, 0x8b, 0x91, 0x97, 0x9f, 0xa8, 0xb1, 0xbc, 0xc7, 0xd3, 0xdf,
    0xeb, 0xf8, 0x04, 0x11, 0x72, 0x0e, 0x1d, 0x2a, 0x35, 0x41, 0x4b, 0x55,
    0x5e, 0x66, 0x6d, 0x73, 0x78, 0x7c, 0x7e, 0x7f, 0x7f, 0x7d, 0x7b, 0x77,
    0x72, 0x6b, 0x64, 0x5c, 0x53, 0x49, 0x3e, 0x32, 0x27, 0x1a, 0x0e, 0x01,
    0xf4, 0xe8, 0x73, 0x0e, 0xdb, 0xcf, 0xc4, 0xb9, 0xaf, 0xa6, 0x9d, 0x96,
    0x8f, 0x8a, 0x86, 0x83, 0x81, 0x81, 0x82, 0x84, 0x87, 0x8c, 0x92, 0x99,
    0xa1, 0xa9, 0xb3, 0xbe, 0xc9, 0xd4, 0xe1, 0xed, 0xfa, 0x06, 0x13, 0x1f,
};

static const struct part example[] = {
    {"token_embd.weight", T_F32, {64, 3}, sines},
    {"output_norm.weight", T_F32, {64}, one},
};

static void test_example(void **state)
{
    float x[192], y[192], largest = 0;
    size_t data;
    struct bytes in = model_bytes(example, 2, false, &data);
    struct world w;
    (void)state;

    world_make(&w, &in);
    make(&w, NULL, "Q8_0", 1);
    expect_data(&w, "token_embd.weight", T_Q8_0, example_blocks,
                sizeof example_blocks);
    for (uint64_t i = 0; i < 192; i++)
        x[i] = sines(i);
    expect_data(&w, "output_norm.weight", T_F32, in.at + data + sizeof x, 256);
    assert_int_equal(ggk_type_dequantize(ggk_type_by_id(T_Q8_0), example_blocks,
                                         sizeof example_blocks, y, 192, NULL),
                     GGK_OK);
    for (size_t i = 0; i < 192; i++)
        largest = fmaxf(largest, fabsf(x[i] - y[i]));
    assert_true(largest > 0.0002025f && largest < 0.0002035f);
    world_end(&w);
    bytes_free(&in);
}

/* What a plan says before it is run, and which bytes it counts. */
static bool note_progress(void *ctx, uint64_t done, uint64_t total)
{
    uint64_t *seen = ctx;

    seen[0] = done;
    seen[1] = total;
    return true;
}

static void test_dry(void **state)
{
    size_t data;
    struct bytes in = model_bytes(example, 2, false, &data), out;
    uint64_t seen[2] = {0, 0};
    ggk_run_opts opts = {.struct_bytes = sizeof opts,
                         .on_progress = note_progress,
                         .progress_ctx = seen};
    ggk_planned_file file;
    ggk_planned_tensor t;
    struct world w;
    ggk_plan *plan = NULL;
    (void)state;

    world_make(&w, &in);
    assert_int_equal(plan_to(&w, NULL, "Q8_0", NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_file(plan, 0, &file, NULL), GGK_OK);
    assert_int_equal(file.n_tensors, 2);
    assert_int_equal(ggk_plan_tensor(plan, 0, 0, &t, NULL), GGK_OK);
    assert_memory_equal(t.name.ptr, "output_norm", 11); /* by name */
    assert_int_equal(ggk_plan_tensor(plan, 0, 1, &t, NULL), GGK_OK);
    assert_int_equal(t.type, T_Q8_0);
    assert_int_equal(t.bytes, 204);
    assert_int_equal(ggk_plan_run(plan, &opts, NULL), GGK_OK);
    assert_int_equal(seen[0], 192 * 4 + 64 * 4);
    assert_int_equal(seen[1], 192 * 4 + 64 * 4);
    out = read_file(w.out);
    assert_int_equal(out.n, file.size);
    assert_memory_equal(out.at + t.data_off, example_blocks, 204);
    ggk_plan_free(plan);
    bytes_free(&out);
    world_end(&w);
    bytes_free(&in);
}

/* ------------------------------------------------------------------ numbers */

static const struct part three[] = {
    {"norm.weight", T_F32, {64}, one},
    {"half.weight", T_F16, {64, 5}, small},
    {"brain.weight", BF16, {64, 2, 3}, small},
    {"single.weight", T_F32, {64, 5}, small},
};

/* A number of one of them, and what is said of it. */
struct bad_number {
    size_t part;
    uint64_t i, bits;
    const char *target, *what;
};

static void expect_bad_number(const struct bad_number *bad, bool big)
{
    static const uint64_t starts[] = {0, 256, 896, 1664};
    size_t data, width = three[bad->part].type == T_F32 ? 4 : 2, at;
    struct bytes in = model_bytes(three, 4, big, &data);
    struct bytes old = bytes_of(3, false);
    ggk_error err = {0};
    ggk_plan *plan = NULL;
    struct world w;

    at = data + (size_t)(starts[bad->part] + bad->i * width);
    bytes_patch(&in, at, bad->bits, width);
    world_make(&w, &in);
    put_str(&old, "what was there");
    scratch_write(&w.scratch, "out.gguf", &old);
    assert_int_equal(plan_to(&w, NULL, bad->target, NULL, &plan, &err), GGK_OK);
    assert_int_equal(run_by(plan, 3, &err), GGK_E_VALUE);
    assert_string_equal(err.what, bad->what);
    assert_int_equal(err.offset, at - (at - data) % width);
    assert_string_equal(err.file, w.in);
    ggk_plan_free(plan);
    expect_file(w.out, &old);
    world_end(&w);
    bytes_free(&old);
    bytes_free(&in);
}

/* A scale at its place in a block: the largest that is one, and the next. */
static void test_scales(void **state)
{
    static const struct {
        const char *type;
        size_t at;
        uint16_t most, bad;
    } scales[] = {
        {"Q4_0", 0, 0x7bff, 0x7c00},    {"Q4_1", 2, 0xfbff, 0xfc00},
        {"Q5_0", 0, 0x7bff, 0x7e01},    {"Q5_1", 2, 0x7bff, 0x7c00},
        {"Q8_0", 0, 0x7bff, 0x7c00},    {"Q2_K", 80, 0x7bff, 0x7c00},
        {"Q2_K", 82, 0x7bff, 0x7c00},   {"Q3_K", 108, 0x7bff, 0x7c00},
        {"Q4_K", 0, 0x7bff, 0x7c00},    {"Q4_K", 2, 0x7bff, 0x7c00},
        {"Q5_K", 2, 0x7bff, 0x7c00},    {"Q6_K", 208, 0x7bff, 0x7c00},
        {"Q8_K", 2, 0x7f7f, 0x7f80},    {"IQ1_S", 0, 0x7bff, 0x7c00},
        {"IQ1_M", 54, 0x6fff, 0x7000},  {"IQ2_XXS", 0, 0x7bff, 0x7c00},
        {"IQ2_XS", 0, 0x7bff, 0x7c00},  {"IQ2_S", 0, 0x7bff, 0x7c00},
        {"IQ3_XXS", 0, 0x7bff, 0x7c00}, {"IQ3_S", 0, 0x7bff, 0x7c00},
        {"IQ4_NL", 0, 0x7bff, 0x7c00},  {"IQ4_XS", 0, 0x7bff, 0x7c00},
        {"TQ1_0", 52, 0x7bff, 0x7c00},  {"TQ2_0", 64, 0x7bff, 0x7c00},
        {"MXFP4", 0, 0xfffe, 0x00ff},   {"Q1_0", 0, 0x7bff, 0x7c00},
        {"Q2_0", 0, 0x7bff, 0x7c00},
    };
    (void)state;

    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        const ggk_type_info *type = ggk_type_by_name(scales[i].type);
        uint8_t blocks[3 * 292] = {0},
                           *at = blocks + type->bytes + scales[i].at;

        assert_true(ggki_numbers_have_scales(type));
        if (strcmp(type->name, "IQ1_M") == 0)
            at[-1] = 0xc0; /* two of the five bits */
        at[0] = (uint8_t)scales[i].most;
        at[1] = (uint8_t)(scales[i].most >> 8);
        assert_int_equal(ggki_numbers_find_bad_block(type, blocks, 3), 3);
        at[0] = (uint8_t)scales[i].bad;
        at[1] = (uint8_t)(scales[i].bad >> 8);
        assert_int_equal(ggki_numbers_find_bad_block(type, blocks, 3), 1);
    }
    assert_false(ggki_numbers_have_scales(ggk_type_by_name("NVFP4")));
    assert_false(ggki_numbers_have_scales(ggk_type_by_name("I8")));
    assert_false(ggki_numbers_have_scales(NULL));
}

/* Of a block with the largest scales that it may have, and any levels: nothing
 * is infinite, or it is known to be looked at. */
static void expect_finite(const ggk_type_info *type, const uint8_t *block)
{
    float x[256];
    bool finite;

    assert_int_equal(
        ggk_type_dequantize(type, block, type->bytes, x, type->block, NULL),
        GGK_OK);
    finite = ggki_find_not_finite(x, type->block) == type->block;
    if (!finite && ggki_numbers_find_huge_block(type, block, 1) != 0)
        fail_msg("%s: infinite, and nobody looks", type->name);
}

/* Every bit but those of the largest scales is set, or none, or any. */
static void fill_block(uint8_t *block, const ggk_type_info *type, int fill,
                       uint64_t *seed)
{
    for (size_t i = 0; i < type->bytes; i++)
        block[i] =
            fill < 2 ? (uint8_t)(fill * 0xff) : (uint8_t)random_bits(seed);
}

static void test_largest_scales(void **state)
{
    static const struct {
        const char *type;
        size_t at[2];
        uint16_t most;
    } scales[] = {
        {"Q4_0", {0, 0}, 0x7bff},     {"Q4_1", {0, 2}, 0x7bff},
        {"Q5_0", {0, 0}, 0x7bff},     {"Q5_1", {0, 2}, 0x7bff},
        {"Q8_0", {0, 0}, 0x7bff},     {"Q2_K", {80, 82}, 0x7bff},
        {"Q3_K", {108, 108}, 0x7bff}, {"Q4_K", {0, 2}, 0x7bff},
        {"Q5_K", {0, 2}, 0x7bff},     {"Q6_K", {208, 208}, 0x7bff},
        {"IQ1_S", {0, 0}, 0x7bff},    {"IQ2_XXS", {0, 0}, 0x7bff},
        {"IQ2_XS", {0, 0}, 0x7bff},   {"IQ2_S", {0, 0}, 0x7bff},
        {"IQ3_XXS", {0, 0}, 0x7bff},  {"IQ3_S", {0, 0}, 0x7bff},
        {"IQ4_NL", {0, 0}, 0x7bff},   {"IQ4_XS", {0, 0}, 0x7bff},
        {"TQ1_0", {52, 52}, 0x7bff},  {"TQ2_0", {64, 64}, 0x7bff},
        {"Q1_0", {0, 0}, 0x7bff},     {"Q2_0", {0, 0}, 0x7bff},
        {"Q8_K", {2, 2}, 0x7f7f},     {"Q8_K", {2, 2}, 0x7bff},
    };
    uint8_t block[292];
    uint64_t seed = 1;
    (void)state;

    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        const ggk_type_info *type = ggk_type_by_name(scales[i].type);

        for (int k = 0; k < 400; k++) {
            fill_block(block, type, k / 4, &seed);
            for (size_t side = 0; side < 2; side++) {
                uint8_t *at = block + scales[i].at[side];
                bool minus = (k >> side & 1) != 0;

                at[0] = (uint8_t)scales[i].most;
                at[1] = (uint8_t)(scales[i].most >> 8 | (minus ? 0x80 : 0));
            }
            assert_int_equal(ggki_numbers_find_bad_block(type, block, 1), 1);
            expect_finite(type, block);
        }
    }
}

/* MXFP4 and IQ1_M, whose scales are of another kind: all that they have. */
static void test_odd_scales(void **state)
{
    const ggk_type_info *mxfp4 = ggk_type_by_name("MXFP4"),
                        *iq1_m = ggk_type_by_name("IQ1_M");
    uint8_t block[56];
    uint64_t seed = 1;
    (void)state;

    for (int k = 0; k < 255; k++) {
        memset(block, k % 2 == 0 ? 0x77 : 0xff, sizeof block);
        block[0] = (uint8_t)k;
        assert_int_equal(ggki_numbers_find_bad_block(mxfp4, block, 1), 1);
        assert_int_equal(ggki_numbers_find_huge_block(mxfp4, block, 1),
                         k < 253);
        expect_finite(mxfp4, block);
    }
    for (int k = 0; k < 4000; k++) {
        fill_block(block, iq1_m, k < 2 ? k : 2, &seed);
        if (ggki_numbers_find_bad_block(iq1_m, block, 1) == 1)
            expect_finite(iq1_m, block);
    }
}

static void test_kernels(void **state)
{
    static const char *const names[] = {[GGKI_ISA_GENERIC] = "generic",
                                        [GGKI_ISA_NEON] = "neon",
                                        [GGKI_ISA_AVX2] = "avx2",
                                        [GGKI_ISA_AVX512] = "avx512"};
    (void)state;

    assert_string_equal(ggk_kernels(), names[ggki_isa_best()]);
}

/* Those of a tensor that stays are looked at, in either byte order. */
static void test_bad_scales(void **state)
{
    static const struct part part = {"a.bias", T_Q8_0, {64, 3}, small};
    (void)state;

    for (int big = 0; big < 2; big++) {
        size_t data;
        struct bytes in = model_bytes(&part, 1, false, &data);
        ggk_error err;
        ggk_plan *plan;
        struct world w;

        bytes_patch(&in, data + 5 * 34, 0x7c00, 2);
        world_make(&w, &in);
        assert_int_equal(plan_to(&w, NULL, "Q4_0", NULL, &plan, NULL), GGK_OK);
        assert_int_equal(ggk_plan_set_format(plan, 0, 3, big != 0, NULL),
                         GGK_OK);
        assert_int_equal(run_by(plan, 2, &err), GGK_E_VALUE);
        assert_string_equal(err.what, "a.bias: a scale that is NaN or infinite "
                                      "at row 2, column 32");
        assert_int_equal(err.offset, data + 5 * 34);
        ggk_plan_free(plan);
        world_end(&w);
        bytes_free(&in);
    }
}

static void test_bad_numbers(void **state)
{
    static const struct bad_number bad[] = {
        {1, 3 * 64 + 17, 0x7e01, "Q4_0",
         "half.weight: NaN at row 3, column 17"},
        {1, 0, 0xfc00, "Q8_0",
         "half.weight: an infinite number at row 0, column 0"},
        {2, 3 * 64 + 63, 0xffff, "Q4_0",
         "brain.weight: NaN at row 1, column 63 of slice 1"},
        {3, 4 * 64 + 63, 0x7f800000, "F16",
         "single.weight: an infinite number at row 4, column 63"},
        {0, 5, 0x7fc00000, "Q8_0", "norm.weight: NaN at row 0, column 5"},
        {1, 65, 0x7c01, "F16", "half.weight: NaN at row 1, column 1"},
        {3, 3, 0x477ff000, "F16", /* 65520: half way to 2^16 */
         "single.weight: a number too large for F16 at row 0, column 3"},
        {3, 3, 0x7f7fffff, "BF16",
         "single.weight: a number too large for BF16 at row 0, column 3"},
        {3, 64 + 32, 0x4e6e6b28, "Q5_1", /* 1e9 */
         "single.weight: a block too large for Q5_1 at row 1, column 32"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        expect_bad_number(&bad[i], false);
        expect_bad_number(&bad[i], true);
    }
}

static void test_finite(void **state)
{
    static const size_t places[] = {0, 1, 1023, 1024, 2047, 2048, 2999};
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    float x[3000];
    (void)state;

    for (size_t i = 0; i < 3000; i++)
        x[i] = i % 2 == 0 ? 0x1.fffffep127f : -0x1.fffffep127f;
    assert_int_equal(ggki_find_not_finite(x, 3000), 3000);
    assert_int_equal(ggki_find_not_finite(x, 0), 0);
    for (size_t i = 7; i-- > 0;) { /* the first counts */
        x[places[i]] = bad[i % 3];
        assert_int_equal(ggki_find_not_finite(x, 3000), places[i]);
    }
}

/* The largest that fits does. */
static void test_large_numbers(void **state)
{
    static const uint8_t largest[] = {0xff, 0x7b};
    size_t data;
    struct bytes in = model_bytes(three, 4, false, &data);
    struct world w;
    ggk_tensor t;
    uint8_t *is;
    (void)state;

    bytes_patch(&in, data + 1664, 0x477fefff, 4);
    world_make(&w, &in);
    make(&w, NULL, "F16", 1);
    is = read_tensor(&w, "single.weight", &t);
    assert_memory_equal(is, largest, 2);
    free(is);
    world_end(&w);
    bytes_free(&in);
}

/* -------------------------------------------------------------- byte orders */

static void test_byte_orders(void **state)
{
    static const char *const targets[] = {"Q8_0", "F16", "F32"};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        size_t data;
        struct bytes outs[2];

        for (int big = 0; big < 2; big++) {
            struct bytes in = model_bytes(three, 4, big != 0, &data);
            struct world w;

            world_make(&w, &in);
            make(&w, NULL, targets[i], 2);
            outs[big] = read_file(w.out);
            world_end(&w);
            bytes_free(&in);
        }
        assert_int_equal(outs[0].n, outs[1].n);
        assert_memory_equal(outs[0].at, outs[1].at, outs[0].n);
        bytes_free(&outs[0]);
        bytes_free(&outs[1]);
    }
}

/* The example's blocks, with their scales in the other byte order. */
static void expect_swapped(const struct world *w)
{
    uint8_t swapped[sizeof example_blocks];

    memcpy(swapped, example_blocks, sizeof swapped);
    for (size_t i = 0; i < sizeof swapped; i += 34) {
        swapped[i] = example_blocks[i + 1];
        swapped[i + 1] = example_blocks[i];
    }
    expect_data(w, "token_embd.weight", T_Q8_0, swapped, sizeof swapped);
}

/* A big-endian model stays one, unless it is asked otherwise. */
static void test_big_output(void **state)
{
    size_t data;
    struct bytes in = model_bytes(example, 2, true, &data);
    ggk_plan *plan = NULL;
    struct world w;
    (void)state;

    world_make(&w, &in);
    assert_int_equal(plan_to(&w, NULL, "Q8_0", NULL, &plan, NULL), GGK_OK);
    assert_int_equal(run_by(plan, 1, NULL), GGK_OK);
    ggk_plan_free(plan);
    expect_swapped(&w);
    expect_data(&w, "output_norm.weight", T_F32, in.at + data + 192 * 4, 256);
    world_end(&w);
    bytes_free(&in);
}

/* ------------------------------------------------------------------ threads */

/* A tensor of three jobs. */
static void test_threads(void **state)
{
    static const struct part wide[] = {
        {"a.weight", T_F16, {4096, 1100}, small},
        {"b.weight", T_F32, {64, 3}, small},
    };
    size_t data;
    struct bytes in = model_bytes(wide, 2, false, &data), first;
    struct world w;
    (void)state;

    world_make(&w, &in);
    make(&w, NULL, "Q4_0", 1);
    first = read_file(w.out);
    make(&w, NULL, "Q4_0", 3);
    expect_file(w.out, &first);
    bytes_free(&first);
    world_end(&w);
    bytes_free(&in);
}

/* -------------------------------------------------------------- importances */

static float importance(uint64_t i)
{
    uint64_t state = i + 77;

    return (float)(random_bits(&state) >> 61); /* 0 to 7 */
}

/* An "imatrix.dat" of one tensor. */
static ggk_imatrix *imatrix_of(struct world *w, const char *name, uint32_t n)
{
    ggk_imatrix *imatrix;
    struct bytes b = bytes_of(3, false);
    ggk_error err;

    put_u32(&b, 1);
    put_u32(&b, (uint32_t)strlen(name));
    put_raw(&b, name, strlen(name));
    put_u32(&b, 1);
    put_u32(&b, n);
    for (uint32_t i = 0; i < n; i++)
        put_f32(&b, importance(i));
    put_u32(&b, 12);
    put_u32(&b, 5);
    put_raw(&b, "a.txt", 5);
    if (ggk_imatrix_open(scratch_write(&w->scratch, "im.dat", &b), 0, NULL,
                         &imatrix, &err) != GGK_OK)
        fail_msg("%s", err.what);
    bytes_free(&b);
    return imatrix;
}

/* The blocks of a part, quantized by hand: each slice by its own importances.
 */
static uint8_t *blocks_of(const struct part *p, const ggk_type_info *type,
                          size_t *bytes)
{
    uint64_t ne0 = p->ne[0], ne1 = p->ne[1];
    uint64_t slices = p->ne[2] > 0 ? p->ne[2] : 1;
    float *x = malloc((size_t)(ne0 * ne1) * sizeof *x);
    float *weights = malloc((size_t)ne0 * sizeof *weights);
    size_t each = (size_t)(ne0 * ne1) / type->block * type->bytes;
    uint8_t *out = malloc((size_t)slices * each);

    assert_true(x != NULL && weights != NULL && out != NULL);
    for (uint64_t s = 0; s < slices; s++) {
        for (uint64_t i = 0; i < ne0 * ne1; i++)
            x[i] = p->number(s * ne0 * ne1 + i);
        for (uint64_t i = 0; i < ne0; i++)
            weights[i] = importance(s * ne0 + i);
        assert_int_equal(ggk_type_quantize(type, x, ne1, ne0, weights,
                                           out + s * each, each, NULL),
                         GGK_OK);
    }
    *bytes = (size_t)slices * each;
    free(x);
    free(weights);
    return out;
}

static void expect_importances(const struct part *p, const char *target)
{
    const ggk_type_info *type = ggk_type_by_name(target);
    size_t data, n;
    struct bytes in = model_bytes(p, 1, false, &data);
    uint8_t *blocks = blocks_of(p, type, &n);
    struct world w;
    ggk_imatrix *imatrix;

    world_make(&w, &in);
    imatrix = imatrix_of(&w, p->name,
                         (uint32_t)(p->ne[0] * (p->ne[2] > 0 ? p->ne[2] : 1)));
    make(&w, imatrix, target, 2);
    expect_data(&w, p->name, type->id, blocks, n);
    free(blocks);
    ggk_imatrix_close(imatrix);
    world_end(&w);
    bytes_free(&in);
}

static void test_importances(void **state)
{
    static const struct part experts = {
        "blk.0.ffn_up_exps.weight", T_F32, {256, 5, 4}, small};
    /* More than what becomes numbers at once, and than a buffer. */
    static const struct part longer = {
        "blk.0.ffn_down.weight", T_F32, {40000, 3}, small};
    static const struct part longest = {
        "blk.0.ffn_down.weight", T_F32, {400000, 2}, small};
    (void)state;

    expect_importances(&experts, "Q4_0");
    expect_importances(&experts, "IQ4_NL");
    expect_importances(&longer, "Q4_1");
    expect_importances(&longest, "Q5_0");
}

/* A recipe and its imatrix belong together; a plan is filled once. */
/* Sums are no importances, nor is what is no number. */
static void test_odd_imatrix(void **state)
{
    static const struct part part = {"a.weight", T_F32, {64, 2}, small};
    static const uint32_t flags[] = {GGK_IMATRIX_SUMS, GGK_IMATRIX_ANY};
    ggk_recipe_opts opts = {.struct_bytes = sizeof opts,
                            .target = "Q4_0",
                            .flags = GGK_RECIPE_PURE};
    size_t data;
    struct bytes in = model_bytes(&part, 1, false, &data), b;
    struct world w;
    (void)state;

    world_make(&w, &in);
    ggk_imatrix_close(imatrix_of(&w, "a.weight", 64));
    b = read_file(scratch_path(&w.scratch, "im.dat"));
    for (int i = 0; i < 2; i++) {
        ggk_source *source;
        ggk_imatrix *imatrix;
        ggk_recipe *recipe = NULL;
        ggk_plan *plan;
        ggk_error err = {0};
        ggk_status status;

        if (i == 1)
            memset(b.at + 36, 0xff, 4); /* the fourth number: a NaN */
        assert_int_equal(ggk_source_from_memory(b.at, b.n, NULL, &source, NULL),
                         GGK_OK);
        assert_int_equal(
            ggk_imatrix_open_source(source, flags[i], NULL, &imatrix, NULL),
            GGK_OK);
        opts.imatrix = imatrix;
        status = ggk_recipe_new(w.model, &opts, &recipe, &err);
        if (status == GGK_OK) {
            assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
            status = ggk_plan_quantize(plan, w.out, recipe, NULL, &err);
            ggk_plan_free(plan);
        }
        assert_int_equal(status, GGK_E_ARG);
        assert_string_equal(
            err.what, i == 0 ? "the imatrix was opened with sums as values"
                             : "a.weight: an importance that is NaN or "
                               "infinite");
        ggk_recipe_free(recipe);
        ggk_imatrix_close(imatrix);
    }
    bytes_free(&b);
    world_end(&w);
    bytes_free(&in);
}

static bool is_b(void *ctx, ggk_str name)
{
    (void)ctx;
    return name.ptr[0] == 'b';
}

/* What a recipe knows of its imatrix is looked at again; a plan that is half
 * done writes nothing. */
static void test_changed_imatrix(void **state)
{
    static const struct part part = {"a.weight", T_F32, {64, 2}, small};
    ggk_recipe_opts recipe_opts = {.struct_bytes = sizeof recipe_opts,
                                   .target = "Q4_0",
                                   .flags = GGK_RECIPE_PURE};
    ggk_error err = {0};
    ggk_recipe *recipe;
    ggk_plan *plan;
    ggk_planned_file file;
    size_t data;
    struct bytes in = model_bytes(&part, 1, false, &data), old = {0};
    struct world w;
    ggk_imatrix *imatrix;
    (void)state;

    world_make(&w, &in);
    make(&w, NULL, "Q8_0", 1);
    old = read_file(w.out);
    imatrix = imatrix_of(&w, "a.weight", 64);
    recipe_opts.imatrix = imatrix;
    assert_int_equal(ggk_recipe_new(w.model, &recipe_opts, &recipe, NULL),
                     GGK_OK);
    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_imatrix_keep(imatrix, is_b, NULL, NULL), GGK_OK);
    assert_int_equal(ggk_plan_quantize(plan, w.out, recipe, NULL, &err),
                     GGK_E_CHANGED);
    assert_string_equal(err.what, "the imatrix is not what it was when the "
                                  "recipe was made");
    assert_int_equal(ggk_plan_quantize(plan, w.out, recipe, NULL, &err),
                     GGK_E_ARG);
    assert_string_equal(err.what, "the plan is not empty");
    assert_int_equal(run_by(plan, 1, &err), GGK_E_ARG);
    assert_string_equal(err.what,
                        "the plan is half done: what was to fill it failed");
    assert_int_equal(ggk_plan_file(plan, 0, &file, NULL), GGK_E_ARG);
    expect_file(w.out, &old);
    bytes_free(&old);
    ggk_plan_free(plan);
    ggk_recipe_free(recipe);
    ggk_imatrix_close(imatrix);
    world_end(&w);
    bytes_free(&in);
}

/* What a recipe lets pass, and there is no way to do. */
static void test_unsupported(void **state)
{
    static const char text[] = "1 HALF 1 2\n";
    ggk_open_opts open = {.struct_bytes = sizeof open};
    ggk_recipe_opts opts = {.struct_bytes = sizeof opts,
                            .flags = GGK_RECIPE_PURE | GGK_RECIPE_IMATRIX,
                            .target = "Q2_K_S"};
    static const struct part part = {"a.weight", T_F32, {256, 2}, small};
    size_t data;
    struct bytes in = model_bytes(three, 4, false, &data);
    struct bytes needy = model_bytes(&part, 1, false, &data);
    ggk_type_table *types;
    ggk_recipe *recipe;
    ggk_plan *plan = NULL;
    ggk_error err = {0};
    struct world w;
    (void)state;

    world_make(&w, &in);
    assert_int_equal(
        ggk_type_table_parse(text, strlen(text), NULL, &types, NULL), GGK_OK);
    open.types = types;
    ggk_model_close(w.model);
    assert_int_equal(ggk_model_open(w.in, &open, &w.model, NULL), GGK_OK);
    assert_int_equal(plan_to(&w, NULL, "Q4_0", NULL, &plan, &err),
                     GGK_E_UNSUPPORTED);
    assert_string_equal(
        err.what, "half.weight: this version reads no numbers of type HALF");
    ggk_plan_free(plan);
    world_end(&w);
    ggk_type_table_free(types);
    bytes_free(&in);

    world_make(&w, &needy);
    assert_int_equal(ggk_recipe_new(w.model, &opts, &recipe, NULL), GGK_OK);
    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_quantize(plan, w.out, recipe, NULL, &err),
                     GGK_E_UNSUPPORTED);
    assert_string_equal(err.what, "a.weight: its new type needs importances, "
                                  "and the recipe was made without them");
    ggk_recipe_free(recipe);
    ggk_plan_free(plan);
    world_end(&w);
    bytes_free(&needy);
}

/* A tensor without numbers has a type too. */
static void test_empty(void **state)
{
    static const struct part none = {"a.weight", T_F16, {64, 5}, small};
    size_t data;
    struct bytes in = model_bytes(&none, 1, false, &data);
    struct world w;
    ggk_tensor t;
    (void)state;

    for (size_t i = 0; i + 20 < data; i++) /* rows of nothing */
        if (memcmp(in.at + i, "a.weight\2\0\0\0\100", 13) == 0)
            bytes_patch(&in, i + 12, 0, 8);
    world_make(&w, &in);
    make(&w, NULL, "Q4_0", 1);
    free(read_tensor(&w, "a.weight", &t));
    assert_int_equal(t.type, T_Q4_0);
    assert_int_equal(t.bytes, 0);
    world_end(&w);
    bytes_free(&in);
}

/* --------------------------------------------------------------------- keys */

static void test_keys(void **state)
{
    static const struct part part = {"a.weight", T_F32, {64, 2}, small};
    static const char *const keys[] = {
        "general.architecture",
        "general.quantization_version",
        "general.file_type",
        "quantize.imatrix.file",
        "quantize.imatrix.dataset",
        "quantize.imatrix.entries_count",
        "quantize.imatrix.chunks_count",
    };
    size_t data;
    struct bytes in = model_bytes(&part, 1, false, &data);
    ggk_model *made;
    ggk_str text;
    uint64_t number;
    struct world w;
    ggk_imatrix *imatrix;
    (void)state;

    world_make(&w, &in);
    imatrix = imatrix_of(&w, "a.weight", 64);
    make(&w, imatrix, "Q4_1", 1);
    assert_int_equal(ggk_model_open(w.out, NULL, &made, NULL), GGK_OK);
    assert_int_equal(ggk_model_n_kv(made), 7);
    for (uint64_t i = 0; i < 7; i++) {
        ggk_kv kv;

        assert_int_equal(ggk_model_kv(made, i, &kv, NULL), GGK_OK);
        assert_int_equal(kv.key.len, strlen(keys[i]));
        assert_memory_equal(kv.key.ptr, keys[i], kv.key.len);
    }
    assert_int_equal(ggk_model_get_u64(made, ggk_cstr(keys[2]), &number, NULL),
                     GGK_OK);
    assert_int_equal(number, 3);
    assert_int_equal(ggk_model_get_u64(made, ggk_cstr(keys[6]), &number, NULL),
                     GGK_OK);
    assert_int_equal(number, 12);
    assert_int_equal(ggk_model_get_str(made, ggk_cstr(keys[4]), &text, NULL),
                     GGK_OK);
    assert_memory_equal(text.ptr, "a.txt", text.len);
    ggk_model_close(made);
    ggk_imatrix_close(imatrix);
    world_end(&w);
    bytes_free(&in);
}

/* A plan that quantizes is a plan like any other. */
static void test_changed_plan(void **state)
{
    static const ggk_split_opts split = {.struct_bytes = sizeof split,
                                         .max_tensors = 1};
    size_t data;
    struct bytes in = model_bytes(example, 2, false, &data);
    ggk_plan *plan = NULL;
    uint32_t file;
    struct world w;
    char prefix[128];
    (void)state;

    world_make(&w, &in);
    assert_int_equal(plan_to(&w, NULL, "Q8_0", NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_rename_tensor(plan, ggk_cstr("token_embd.weight"),
                                            ggk_cstr("other.weight"), &file,
                                            NULL),
                     GGK_OK);
    snprintf(prefix, sizeof prefix, "%s/part", w.scratch.dir);
    assert_int_equal(ggk_plan_split(plan, prefix, &split, NULL), GGK_OK);
    assert_int_equal(run_by(plan, 2, NULL), GGK_OK);
    ggk_plan_free(plan);
    snprintf(w.out, sizeof w.out, "%s-00001-of-00002.gguf", prefix);
    expect_data(&w, "other.weight", T_Q8_0, example_blocks,
                sizeof example_blocks);
    world_end(&w);
    bytes_free(&in);
}

/* ------------------------------------------------------------------- memory */

static void test_no_memory(void **state)
{
    size_t data;
    struct bytes in = model_bytes(three, 4, false, &data);
    bool reached = true;
    size_t n = 0, got_over = 0;
    (void)state;

    while (reached) {
        struct ledger ledger = {.fail_at = ++n};
        ggk_allocator alloc = ledger_allocator(&ledger);
        ggk_error err = {0};
        ggk_plan *plan = NULL;
        struct world w;
        ggk_imatrix *imatrix;
        ggk_status status;

        world_make(&w, &in);
        imatrix = imatrix_of(&w, "half.weight", 64);
        status = plan_to(&w, imatrix, "Q4_0", &alloc, &plan, &err);
        if (status == GGK_OK)
            status = run_by(plan, 2, &err);
        ggk_plan_free(plan);
        reached = ledger.calls >= n;
        got_over += reached && status == GGK_OK;
        assert_true(status == GGK_E_NOMEM || status == GGK_OK);
        assert_int_equal(access(w.out, F_OK) == 0, status == GGK_OK);
        assert_true(ledger_is_even(&ledger));
        ggk_imatrix_close(imatrix);
        world_end(&w);
    }
    assert_true(n > 20);
    assert_in_range(got_over, 0, 2); /* where a block was to shrink */
    bytes_free(&in);
}

/* Two shards, big-endian, of the example. */
static void write_shards(struct world *w, char *prefix, size_t room)
{
    static const ggk_split_opts split = {.struct_bytes = sizeof split,
                                         .max_tensors = 1};
    ggk_plan *plan = NULL;

    snprintf(prefix, room, "%s/shard", w->scratch.dir);
    assert_int_equal(plan_to(w, NULL, "F32", NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_set_format(plan, 0, 3, true, NULL), GGK_OK);
    assert_int_equal(ggk_plan_split(plan, prefix, &split, NULL), GGK_OK);
    assert_int_equal(run_by(plan, 1, NULL), GGK_OK);
    ggk_plan_free(plan);
}

static ggk_status quantize_shards(const ggk_model *model, const char *prefix,
                                  const ggk_allocator *alloc, ggk_plan **plan)
{
    ggk_recipe_opts recipe_opts = {.struct_bytes = sizeof recipe_opts,
                                   .flags =
                                       GGK_RECIPE_PURE | GGK_RECIPE_KEEP_ORDER,
                                   .target = "Q8_0"};
    ggk_quantize_opts opts = {.struct_bytes = sizeof opts,
                              .flags = GGK_QUANTIZE_KEEP_SPLIT};
    ggk_recipe *recipe;
    ggk_status status;

    assert_int_equal(ggk_recipe_new(model, &recipe_opts, &recipe, NULL),
                     GGK_OK);
    status = ggk_plan_new(alloc, plan, NULL);
    if (status == GGK_OK)
        status = ggk_plan_quantize(*plan, prefix, recipe, &opts, NULL);
    ggk_recipe_free(recipe);
    return status;
}

/* Each shard keeps its tensors; with every allocation failing. */
static void test_shards(void **state)
{
    size_t data, n = 0;
    struct bytes in = model_bytes(example, 2, false, &data);
    char prefix[128], path[160];
    ggk_model *model;
    bool reached = true;
    struct world w;
    (void)state;

    world_make(&w, &in);
    write_shards(&w, prefix, sizeof prefix);
    snprintf(path, sizeof path, "%s-00001-of-00002.gguf", prefix);
    assert_int_equal(ggk_model_open(path, NULL, &model, NULL), GGK_OK);
    snprintf(prefix, sizeof prefix, "%s/made", w.scratch.dir);
    while (reached) {
        struct ledger ledger = {.fail_at = ++n};
        ggk_allocator alloc = ledger_allocator(&ledger);
        ggk_plan *plan = NULL;
        ggk_status status = quantize_shards(model, prefix, &alloc, &plan);

        reached = ledger.calls >= n;
        assert_int_equal(status, reached ? GGK_E_NOMEM : GGK_OK);
        ledger.fail_at = 0;
        if (status == GGK_OK)
            assert_int_equal(run_by(plan, 2, NULL), GGK_OK);
        ggk_plan_free(plan);
        assert_true(ledger_is_even(&ledger));
    }
    assert_true(n > 20);
    ggk_model_close(model);
    snprintf(w.out, sizeof w.out, "%s-00002-of-00002.gguf", prefix);
    expect_swapped(&w);
    assert_int_equal(ggk_model_open(w.out, NULL, &model, NULL), GGK_OK);
    assert_int_equal(ggk_model_n_files(model), 2);
    ggk_model_close(model);
    world_end(&w);
    bytes_free(&in);
}

/* So much for each thread, however large a tensor is. */
static void test_buffers(void **state)
{
    static const struct part part = {"a.weight", T_F32, {4096, 1024}, small};
    struct ledger ledger = {.calls = 0};
    ggk_allocator alloc = ledger_allocator(&ledger);
    size_t data;
    struct bytes in = model_bytes(&part, 1, false, &data);
    ggk_plan *plan = NULL;
    struct world w;
    ggk_imatrix *imatrix;
    (void)state;

    world_make(&w, &in);
    imatrix = imatrix_of(&w, "a.weight", 4096);
    assert_int_equal(plan_to(&w, imatrix, "Q4_0", &alloc, &plan, NULL), GGK_OK);
    assert_int_equal(run_by(plan, 2, NULL), GGK_OK);
    ggk_plan_free(plan);
    assert_in_range(ledger.peak, 2 << 20, (2 << 20) + (1 << 17));
    ggk_imatrix_close(imatrix);
    world_end(&w);
    bytes_free(&in);
}

/* --------------------------------------------------------------- rows alone */

static void test_queries(void **state)
{
    ggk_type_info own = *ggk_type_by_id(T_Q4_0);
    (void)state;

    assert_true(ggk_type_can_quantize(ggk_type_by_name("Q4_K")));
    assert_true(ggk_type_can_dequantize(ggk_type_by_name("Q4_K")));
    assert_true(ggk_type_can_quantize(ggk_type_by_name("F64")));
    assert_false(ggk_type_can_quantize(ggk_type_by_name("I8")));
    assert_true(ggk_type_can_dequantize(ggk_type_by_name("I64")));
    assert_false(ggk_type_can_dequantize(ggk_type_by_id(T_Q4_2)));
    assert_false(ggk_type_can_quantize(ggk_type_by_id(T_Q4_2)));
    assert_false(ggk_type_can_quantize(NULL));
    assert_false(ggk_type_can_dequantize(&own)); /* as of a table */
}

static ggk_status quantize(const char *type, const float *x, uint64_t n_rows,
                           uint64_t ne0, size_t bytes, ggk_error *err)
{
    uint8_t blocks[4096];

    return ggk_type_quantize(ggk_type_by_name(type), x, n_rows, ne0, NULL,
                             blocks, bytes, err);
}

static void test_arguments(void **state)
{
    static float x[256];
    static const float bad[32] = {[3] = INFINITY};
    uint8_t blocks[64];
    ggk_error err = {0};
    (void)state;

    assert_int_equal(quantize("Q8_0", x, 3, 64, 204, NULL), GGK_OK);
    assert_int_equal(quantize("Q8_0", x, 0, 64, 0, NULL), GGK_OK);
    assert_int_equal(quantize("Q8_0", x, 3, 64, 203, &err), GGK_E_ARG);
    assert_int_equal(err.need, 204);
    assert_int_equal(err.have, 203);
    assert_int_equal(quantize("Q8_0", x, 2, 48, 102, NULL), GGK_E_BLOCK);
    assert_int_equal(quantize("Q8_0", x, UINT64_MAX, 64, 0, NULL),
                     GGK_E_OVERFLOW);
    assert_int_equal(quantize("I8", x, 1, 64, 64, NULL), GGK_E_UNSUPPORTED);
    assert_int_equal(ggk_type_quantize(ggk_type_by_name("Q4_0"), x, 1, 32, bad,
                                       blocks, 18, NULL),
                     GGK_E_ARG);
    assert_int_equal(quantize("Q4_0", bad, 1, 32, 18, &err), GGK_E_VALUE);
    assert_int_equal(err.need, 3);
    assert_int_equal(
        ggk_type_dequantize(ggk_type_by_name("Q4_0"), blocks, 17, x, 32, NULL),
        GGK_E_ARG);
    assert_int_equal(
        ggk_type_dequantize(ggk_type_by_name("Q4_0"), blocks, 18, x, 31, NULL),
        GGK_E_BLOCK);
    assert_int_equal(
        ggk_type_dequantize(ggk_type_by_id(T_Q4_2), blocks, 32, x, 32, NULL),
        GGK_E_UNSUPPORTED);
}

/* Types that take all numbers: F32 and F64, and those of which 448 is the
 * largest scale, or that of the largest float. */
static bool takes_all(const ggk_type_info *type)
{
    static const char *const names[] = {"F32", "F64", "MXFP4", "NVFP4"};
    bool found = false;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        found |= strcmp(type->name, names[i]) == 0;
    return found;
}

/* No type that can be made lets a scale become infinite. */
static void test_too_large(void **state)
{
    float x[512];
    int n = 0;
    (void)state;

    for (size_t i = 0; i < ggk_type_count(); i++) {
        const ggk_type_info *type = ggk_type_at(i);
        size_t bytes;
        ggk_error err = {0};

        if (!ggk_type_can_quantize(type))
            continue;
        for (int k = 0; k < 512; k++)
            x[k] = k == 300 ? type->id == BF16 ? 0x1.fffffep127f : 1e9f : 0.5f;
        bytes = 512 / type->block * type->bytes;
        if (quantize(type->name, x, 2, 256, bytes, &err) !=
            (takes_all(type) ? GGK_OK : GGK_E_VALUE))
            fail_msg("%s takes all, or does not", type->name);
        if (takes_all(type))
            continue;
        assert_int_equal(err.need, 300 / type->block * type->block);
        n++;
    }
    assert_true(n >= 18);
}

/* What a block cannot hold because of the importances is their fault. */
static void test_blamed(void **state)
{
    const ggk_type_info *type = ggk_type_by_name("Q4_K");
    float x[512], importances[256];
    uint8_t blocks[288];
    ggk_error err = {0};
    (void)state;

    for (int i = 0; i < 512; i++) {
        x[i] = (float)((i * 37) % 61 - 30);
        importances[i % 256] = 1e38f;
    }
    assert_int_equal(ggk_type_quantize(type, x, 2, 256, importances, blocks,
                                       sizeof blocks, &err),
                     GGK_E_VALUE);
    assert_string_equal(err.what,
                        "too large for the type by the importances, without "
                        "which it fits, number 0 from 0");
    x[300] = 1e9f;
    for (int i = 0; i < 256; i++)
        importances[i] = 1;
    assert_int_equal(ggk_type_quantize(type, x, 2, 256, importances, blocks,
                                       sizeof blocks, &err),
                     GGK_E_VALUE);
    assert_string_equal(err.what, "too large for the type, number 256 from 0");
    assert_int_equal(err.need, 256);
}

/* Between these two a scale is none; below, all is 0. */
static void test_too_small(void **state)
{
    float x[64] = {1, [40] = 0x1.8p-126f};
    ggk_error err = {0};
    (void)state;

    assert_int_equal(quantize("MXFP4", x, 1, 64, 34, &err), GGK_E_VALUE);
    assert_string_equal(err.what, "too small for the type, number 32 from 0");
    assert_int_equal(err.need, 32);
    x[40] = 0x1p-125f;
    assert_int_equal(quantize("MXFP4", x, 1, 64, 34, NULL), GGK_OK);
    x[40] = 0x1p-127f;
    assert_int_equal(quantize("MXFP4", x, 1, 64, 34, NULL), GGK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_dry),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_largest_scales),
        cmocka_unit_test(test_odd_scales),
        cmocka_unit_test(test_bad_scales),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_finite),
        cmocka_unit_test(test_large_numbers),
        cmocka_unit_test(test_byte_orders),
        cmocka_unit_test(test_big_output),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_importances),
        cmocka_unit_test(test_odd_imatrix),
        cmocka_unit_test(test_changed_imatrix),
        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_changed_plan),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_shards),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_blamed),
        cmocka_unit_test(test_too_small),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
