/* fuzz_plan.c - any bytes, copied as they are and with edits.
 *
 * What opens and has all of its data can be copied; the copy opens, says the
 * same, and is copied byte for byte; edits that are taken are found in what is
 * written; and a set that it was split into joins to the same copy. Its tensors
 * are exported, all of them in one file, or one by one.
 */
#include "written.h"

/* All files of a model into a plan of one; false if that cannot be. */
static bool plan_all(ggk_plan *plan, const ggk_model *model, const char *path)
{
    ggk_error err;
    uint32_t file;

    must(ggk_plan_add_file(plan, path, &file, &err), &err);
    must(ggk_plan_copy_keys(plan, file, model, 0, &err), &err);
    for (uint64_t i = 0; i < ggk_model_n_tensors(model); i++) {
        ggk_status status = ggk_plan_copy_tensor(plan, file, model, i, &err);

        if (status == GGK_E_DATA_MISSING || status == GGK_E_UNSUPPORTED)
            return false;
        must(status, &err);
    }
    return true;
}

/* Copy the model `from` to the file `to`; false if it cannot be. */
static bool copy(const ggk_model *from, const char *to, bool must_be)
{
    ggk_plan *plan;
    ggk_error err;
    bool can;

    must(ggk_plan_new(NULL, &plan, &err), &err);
    can = plan_all(plan, from, to) && is_small(plan);
    if (can)
        run(plan);
    else if (must_be)
        abort();
    ggk_plan_free(plan);
    return can;
}

/* The edits of `how`, which are in what is written. */
static void edit(const ggk_model *from, uint64_t how)
{
    const char *path = path_of("edited.gguf");
    ggk_value v = {.type = GGK_VALUE_UINT32, .as.u = 1u << how % 12};
    ggk_str key = ggk_cstr(how & 1 ? "general.alignment" : "a.key");
    ggk_builder *b;
    ggk_plan *plan;
    ggk_error err;
    ggk_status status;

    must(ggk_plan_new(NULL, &plan, &err), &err);
    must(ggk_builder_new(NULL, &b, &err), &err);
    must(ggk_builder_put(b, &v, &err), &err);
    if (!plan_all(plan, from, path))
        abort();
    status = ggk_plan_set_kv(plan, 0, key, b, &err);
    if (status != GGK_E_DUPLICATE) {
        ggk_model *model;
        uint64_t value;

        must(status, &err);
        if (is_small(plan)) {
            run(plan);
            model = open_file(path, GGK_OPEN_SINGLE);
            must(ggk_model_get_u64(model, key, &value, &err), &err);
            if (value != v.as.u)
                abort();
            ggk_model_close(model);
        }
    }
    ggk_builder_free(b);
    ggk_plan_free(plan);
}

/* Join all files of a model, without what they say about their set. */
static void join(const ggk_model *model, const char *path)
{
    ggk_plan *plan;
    ggk_error err;

    must(ggk_plan_new(NULL, &plan, &err), &err);
    if (!plan_all(plan, model, path))
        abort();
    must(ggk_plan_number_shards(plan, &err), &err);
    run(plan);
    ggk_plan_free(plan);
}

/* The shards of `model` join to what it joins to itself. */
static void split_and_join(const ggk_model *model, uint64_t how)
{
    ggk_split_opts opts = {.struct_bytes = sizeof opts,
                           .max_tensors = 1 + how % 3,
                           .max_bytes = how & 16 ? 200 + how % 1000 : 0,
                           .no_tensor_first = (how & 8) != 0};
    ggk_planned_file first;
    ggk_plan *plan;
    ggk_error err;
    ggk_status status;

    if (ggk_model_n_tensors(model) > 12) /* so many files take too long */
        return;
    must(ggk_plan_new(NULL, &plan, &err), &err);
    if (!plan_all(plan, model, path_of("set")))
        abort();
    status = ggk_plan_split(plan, path_of("set"), &opts, &err);
    if (status != GGK_E_ALIGN) {
        must(status, &err);
        must(ggk_plan_file(plan, 0, &first, &err), &err);
    }
    if (status == GGK_OK && is_small(plan)) {
        ggk_model *set;

        run(plan);
        set = open_file(first.path, 0);
        join(set, path_of("joined.gguf"));
        join(model, path_of("whole.gguf"));
        expect_same_bytes(path_of("joined.gguf"), path_of("whole.gguf"));
        ggk_model_close(set);
    }
    ggk_plan_free(plan);
}

/* A file of these tensors is laid out, and written if it is small: that its
 * header is as planned the run itself verifies. */
static void export(const ggk_model *from, ggk_file_format format,
                   uint64_t first, uint64_t end)
{
    ggk_planned_file f;
    ggk_plan *plan;
    ggk_error err;
    ggk_status status;
    uint32_t file;

    must(ggk_plan_new(NULL, &plan, &err), &err);
    must(ggk_plan_add_array_file(plan, path_of("arrays"), format, &file, &err),
         &err);
    for (uint64_t i = first; i < end; i++)
        must(ggk_plan_copy_tensor(plan, file, from, i, &err), &err);
    status = ggk_plan_file(plan, file, &f, &err);
    /* Names that safetensors has not; a byte order that cannot be had. */
    if (status != GGK_E_DUPLICATE && status != GGK_E_UNSUPPORTED) {
        must(status, &err);
        if (f.data_off != f.head_end || f.alignment != 1)
            abort();
        if (is_small(plan))
            run(plan);
    }
    ggk_plan_free(plan);
}

static void export_all(const ggk_model *model, uint64_t how)
{
    uint64_t n = ggk_model_n_tensors(model);

    export(model, GGK_FORMAT_SAFETENSORS, 0, n);
    if (n == 0)
        return;
    export(model, GGK_FORMAT_NPY, how % n, how % n + 1);
    export(model, GGK_FORMAT_RAW, how % n, how % n + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ggk_open_opts opts = {.struct_bytes = sizeof opts,
                          .flags = GGK_OPEN_SINGLE};
    ggk_source *source;
    ggk_model *model, *again;
    uint64_t how = size;

    if (folder[0] == '\0')
        make_folder();
    for (size_t i = 0; i < size; i++)
        how = (how ^ data[i]) * UINT64_C(0x100000001b3);
    how ^= how >> 29;
    if (ggk_source_from_memory(data, size, NULL, &source, NULL) != GGK_OK ||
        ggk_model_open_source(source, &opts, &model, NULL) != GGK_OK)
        return 0;
    if (copy(model, path_of("copy.gguf"), false)) {
        again = open_file(path_of("copy.gguf"), GGK_OPEN_SINGLE);
        copy(again, path_of("again.gguf"), true);
        expect_same_bytes(path_of("copy.gguf"), path_of("again.gguf"));
        ggk_model_close(again);
        edit(model, how);
        split_and_join(model, how);
        export_all(model, how);
    }
    ggk_model_close(model);
    return 0;
}
