/* fuzz_quantize.c - the header of any model, and options: the last bytes.
 *
 * What a recipe says is what the plan makes of it, and, where that is small,
 * what is written: tensors, names, types, sizes. Data is made up, so that a
 * header is enough: numbers that can be quantized, or, if the options say so,
 * any.
 */
#include "made_up.h"
#include "written.h"

#define OPTION_BYTES 12

/* What the options say, each a byte. */
enum option {
    OPTION_TARGET,
    OPTION_FLAGS,
    OPTION_OUTPUT,    /* a type, or none */
    OPTION_EMBEDDING, /* likewise */
    OPTION_OVERRIDES,
    OPTION_PRUNED, /* layers 0 to 7, a bit for each */
    OPTION_MORE,   /* bits, below */
    OPTION_LAYERS, /* a number that a key is to have */
    OPTION_HEADS,
    OPTION_EXPERTS,
    OPTION_DATA /* what numbers are made of */
};

#define MORE_FROM  1u /* the recipe of the model itself */
#define MORE_BIG   2u
#define MORE_SPLIT 4u
#define MORE_KEYS  8u

/* Numbers that can be quantized, or any. */
static uint8_t number_byte(uint64_t at, uint8_t kind)
{
    return (uint8_t)(at * 37 % 0x60 + (kind > 250 ? 0x20 : 0));
}

/* ------------------------------------------------------------------ options */

struct asked {
    ggk_recipe_opts opts;
    const char *overrides[4];
    uint64_t pruned[8];
    ggk_key_value keys[4];
    char names[3][128];
};

static const char *type_name(uint8_t byte)
{
    const ggk_type_info *info = ggk_type_by_id(byte);

    return info != NULL ? info->name : NULL;
}

static void ask_for_key(struct asked *a, const ggk_model *model,
                        const char *name, uint8_t byte)
{
    ggk_key_value *kv = &a->keys[a->opts.n_keys];
    char *key = a->names[a->opts.n_keys];
    ggk_str arch;

    if (byte == 0 || ggk_model_get_str(model, ggk_cstr("general.architecture"),
                                       &arch, NULL) != GGK_OK)
        return;
    snprintf(key, sizeof a->names[0], "%.*s.%s",
             arch.len < 60 ? (int)arch.len : 60, arch.ptr, name);
    kv->key = ggk_cstr(key);
    kv->value = (ggk_value){.type = GGK_VALUE_UINT32, .as.u = byte};
    a->opts.n_keys++;
}

static void ask(struct asked *a, const uint8_t *byte, const ggk_model *model)
{
    static const char *const overrides[] = {"attn_v=Q8_0", "down|up=IQ4_NL",
                                            "blk\\.1\\.=Q4_1", ".=Q6_K"};

    *a = (struct asked){.opts = {.struct_bytes = sizeof a->opts}};
    a->opts.flags = byte[OPTION_FLAGS] & 0x7f;
    a->opts.target =
        ggk_target_at(byte[OPTION_TARGET] % ggk_target_count())->name;
    a->opts.output_type = type_name(byte[OPTION_OUTPUT]);
    a->opts.embedding_type = type_name(byte[OPTION_EMBEDDING]);
    for (size_t i = 0; i < 4; i++)
        if ((byte[OPTION_OVERRIDES] >> i & 1) != 0)
            a->overrides[a->opts.n_overrides++] = overrides[i];
    a->opts.overrides = a->overrides;
    for (uint64_t i = 0; i < 8; i++)
        if ((byte[OPTION_PRUNED] >> i & 1) != 0)
            a->pruned[a->opts.n_pruned++] = i;
    a->opts.pruned = a->pruned;
    a->opts.from = (byte[OPTION_MORE] & MORE_FROM) != 0 ? model : NULL;
    a->opts.keys = a->keys;
    if ((byte[OPTION_MORE] & MORE_KEYS) == 0)
        return;
    ask_for_key(a, model, "block_count", byte[OPTION_LAYERS]);
    ask_for_key(a, model, "attention.head_count_kv", byte[OPTION_HEADS]);
    ask_for_key(a, model, "expert_count", byte[OPTION_EXPERTS]);
}

/* ------------------------------------------------------------------- checks */

static bool same(ggk_str a, ggk_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* All tensors of the model are in it, or left out; its sums are theirs. */
static void expect_whole(const ggk_recipe *recipe, const ggk_model *model)
{
    uint64_t to_bytes = 0;
    ggk_recipe_total total;
    ggk_recipe_tensor t;

    ggk_recipe_sum(recipe, &total);
    for (uint64_t i = 0; i < total.n_tensors; i++) {
        if (ggk_recipe_tensor_at(recipe, i, &t, NULL) != GGK_OK)
            abort();
        to_bytes += t.to_bytes;
    }
    if (to_bytes != total.to_bytes ||
        total.n_tensors + total.n_pruned != ggk_model_n_tensors(model))
        abort();
}

/* What was written is the recipe's; of a file alone in its order. How long a
 * tensor of an unknown type is follows from where the next one is. */
static void expect_recipe(const ggk_recipe *recipe, const ggk_model *model,
                          bool in_order)
{
    ggk_recipe_tensor r;
    ggk_tensor t;

    if (ggk_recipe_n_tensors(recipe) != ggk_model_n_tensors(model))
        abort();
    for (uint64_t i = 0; in_order && i < ggk_model_n_tensors(model); i++)
        if (ggk_recipe_tensor_at(recipe, i, &r, NULL) != GGK_OK ||
            ggk_model_tensor(model, i, &t, NULL) != GGK_OK ||
            !same(r.name, t.name) || r.to != t.type ||
            (ggk_type_can_dequantize(ggk_type_by_id(t.type)) &&
             r.to_bytes != t.bytes))
            abort();
}

/* Run the plan; numbers may be none. */
static void write_and_read(ggk_plan *plan, const ggk_recipe *recipe)
{
    ggk_run_opts opts = {
        .struct_bytes = sizeof opts, .flags = GGK_RUN_FORCE, .n_threads = 1};
    ggk_planned_file first;
    ggk_model *model;
    ggk_error err;
    ggk_status status = ggk_plan_file(plan, 0, &first, &err);

    if (status == GGK_OK)
        status = ggk_plan_run(plan, &opts, &err);
    if (status == GGK_E_VALUE)
        return;
    must(status, &err);
    model = open_file(first.path, GGK_OPEN_SINGLE);
    expect_recipe(recipe, model, ggk_plan_n_files(plan) == 1);
    ggk_model_close(model);
}

static void quantize(const ggk_recipe *recipe, const uint8_t *byte)
{
    bool split = (byte[OPTION_MORE] & MORE_SPLIT) != 0;
    ggk_quantize_opts opts = {.struct_bytes = sizeof opts,
                              .flags = split ? GGK_QUANTIZE_KEEP_SPLIT : 0};
    ggk_planned_file first;
    ggk_plan *plan;
    ggk_error err;
    ggk_status status;

    must(ggk_plan_new(NULL, &plan, &err), &err);
    status =
        ggk_plan_quantize(plan, path_of("quantized.gguf"), recipe, &opts, &err);
    if (status == GGK_OK && (byte[OPTION_MORE] & MORE_BIG) != 0)
        status = ggk_plan_set_format(plan, 0, 3, true, &err);
    if (status == GGK_OK)
        status = ggk_plan_file(plan, 0, &first, &err);
    if (status == GGK_E_BUG || status == GGK_E_NOMEM)
        must(status, &err);
    if (status == GGK_OK && is_small(plan))
        write_and_read(plan, recipe);
    ggk_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct made_up m = {data, size - OPTION_BYTES, number_byte, 0};
    const uint8_t *byte;
    struct asked asked;
    ggk_model *model;
    ggk_recipe *recipe;

    if (size < OPTION_BYTES)
        return 0;
    if (folder[0] == '\0')
        make_folder();
    byte = data + m.bytes;
    m.kind = byte[OPTION_DATA];
    model = open_made_up(&m);
    if (model == NULL)
        return 0;
    ask(&asked, byte, model);
    if (ggk_recipe_new(model, &asked.opts, &recipe, NULL) == GGK_OK) {
        expect_whole(recipe, model);
        quantize(recipe, byte);
        ggk_recipe_free(recipe);
    }
    ggk_model_close(model);
    return 0;
}
