/* overlap.c - how much of a file its tensors may share. */
#include "base/ckd.h"
#include "io/path.h"
#include "model/model.h"

/* Times the file, and a bit for those that are tiny. */
#define MOST_TIMES 64
#define MOST_MORE  (UINT64_C(1) << 20)

uint64_t ggki_most_tensor_bytes(uint64_t size)
{
    uint64_t most;

    if (!ckd_mul64(size, MOST_TIMES, &most) ||
        !ckd_add64(most, MOST_MORE, &most))
        return UINT64_MAX;
    return most;
}

ggk_status ggki_fail_overlap(const ggk_model *model, uint32_t file,
                             uint64_t bytes, ggk_error *err)
{
    const struct ggki_model_file *f = &model->files[file];

    ggki_fail(err, GGK_E_OVERLAP,
              "the tensors overlap: they have %llu bytes and more, and the "
              "file %llu",
              (unsigned long long)bytes, (unsigned long long)f->gguf.size);
    ggki_err_set_need(err, bytes, ggki_most_tensor_bytes(f->gguf.size));
    if (file != model->asked && f->path != NULL)
        ggki_err_set_file(err, ggki_base_name(f->path));
    return GGK_E_OVERLAP;
}

ggk_status ggki_check_overlap(const ggk_model *model, uint32_t *file,
                              ggk_error *err)
{
    uint64_t bytes = 0;

    *file = 0;
    for (uint64_t i = 0; i < model->n_tensors; i++) {
        ggk_tensor t;
        ggk_status status = ggk_model_tensor(model, i, &t, err);

        if (status != GGK_OK)
            return status;
        if (t.file != *file)
            bytes = 0;
        *file = t.file;
        if (t.bytes == GGK_SIZE_UNKNOWN ||
            model->files[*file].gguf.size == GGK_SIZE_UNKNOWN)
            continue;
        if (!ckd_add64(bytes, t.bytes, &bytes))
            bytes = UINT64_MAX;
        if (bytes > ggki_most_tensor_bytes(model->files[*file].gguf.size))
            return ggki_fail_overlap(model, *file, bytes, err);
    }
    return GGK_OK;
}

ggk_status ggki_refuse_overlap(const ggk_model *model, ggk_error *err)
{
    uint32_t file;
    ggk_status status = ggki_check_overlap(model, &file, err);

    if (status == GGK_E_OVERLAP && model->files[file].path != NULL)
        ggki_err_set_file(err, model->files[file].path);
    return status;
}
