/* fix_tensors.c - the tensors of a file, repaired: same ones once, names
 * without the NUL of C, and data found that is not where it should be. */
#include <string.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "format/gguf_layout.h"
#include "ops/fix.h"

/* --------------------------------------------------------------- duplicates */

#define COMPARE_BYTES 65536

struct comparison {
    const ggk_model *model;
    uint8_t *buffers; /* two of COMPARE_BYTES */
    uint64_t left;    /* bytes to compare: tensors that overlap could make it
                         endless */
};

static bool same_bytes(struct comparison *c, uint64_t a, uint64_t b,
                       uint64_t bytes)
{
    uint8_t *left = c->buffers, *right = c->buffers + COMPARE_BYTES;

    if (bytes > c->left)
        return false;
    c->left -= bytes;
    for (uint64_t off = 0; off < bytes; off += COMPARE_BYTES) {
        size_t n =
            bytes - off < COMPARE_BYTES ? (size_t)(bytes - off) : COMPARE_BYTES;
        if (ggk_model_read_tensor(c->model, a, off, left, n, NULL) != GGK_OK ||
            ggk_model_read_tensor(c->model, b, off, right, n, NULL) != GGK_OK ||
            memcmp(left, right, n) != 0)
            return false;
    }
    return true;
}

/* Of an unknown type nobody knows which bytes are the tensor's. */
static bool same_tensor(struct comparison *c, uint64_t a, uint64_t b)
{
    const ggk_model *m = c->model;
    ggk_tensor x, y;

    if (ggk_model_tensor(m, a, &x, NULL) != GGK_OK ||
        ggk_model_tensor(m, b, &y, NULL) != GGK_OK || x.opaque || y.opaque ||
        x.type != y.type || x.n_dims != y.n_dims ||
        memcmp(x.ne, y.ne, sizeof x.ne) != 0 ||
        m->files[x.file].gguf.big != m->files[y.file].gguf.big)
        return false;
    return x.bytes == 0 || (x.file == y.file && x.data_off == y.data_off) ||
           same_bytes(c, a, b, x.bytes);
}

/* The first tensor with the name of tensor `i`; `i` if it cannot be had. */
static uint64_t first_of(const ggk_model *model, uint64_t i)
{
    ggk_tensor t;
    bool repeats;

    return ggk_model_tensor(model, i, &t, NULL) == GGK_OK
               ? ggki_namemap_find(&model->tensors, model, t.name, &repeats)
               : i;
}

bool ggki_fix_is_dropped(const struct ggki_fixing *f, uint64_t i)
{
    uint64_t first = f->differ != NULL ? first_of(f->model, i) : i;

    return first < i && f->differ[first] == 0;
}

static uint64_t bytes_of_all(const ggk_model *model)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < model->n_files; i++)
        if (!ckd_add64(sum, ggk_source_size(model->files[i].gguf.source), &sum))
            return UINT64_MAX;
    return sum;
}

ggk_status ggki_fix_compare_tensors(struct ggki_fixing *f)
{
    const ggk_allocator *mem = &f->plan->mem;
    const ggk_model *m = f->model;
    struct comparison c = {m, NULL, bytes_of_all(m)};

    if (m->tensors.n_repeats == 0)
        return GGK_OK;
    f->differ = ggki_mem_zero(mem, (size_t)m->n_tensors);
    c.buffers = ggki_mem_zero(mem, (size_t)2 * COMPARE_BYTES);
    if (f->differ == NULL || c.buffers == NULL) {
        ggki_mem_release(mem, c.buffers, (size_t)2 * COMPARE_BYTES);
        return ggki_fail_memory(f->err);
    }
    for (uint64_t i = 0; i < m->n_tensors; i++) {
        uint64_t first = first_of(m, i);

        if (first < i && f->differ[first] == 0 && !same_tensor(&c, first, i))
            f->differ[first] = 1;
    }
    for (uint64_t i = 0; i < m->n_tensors; i++)
        f->n_dropped += ggki_fix_is_dropped(f, i);
    ggki_mem_release(mem, c.buffers, (size_t)2 * COMPARE_BYTES);
    return GGK_OK;
}

/* --------------------------------------------------------------- misplaced
 * data
 */

/* Is the data of a file, as its infos and its size have it, laid out by
 * `alignment`, tensor after tensor, up to the end of the file? */
static bool is_laid_out_by(const struct ggki_gguf *g, uint64_t alignment)
{
    uint64_t end = 0, padded = 0, start;

    if (!ckd_align64(g->info_pos.at[g->n_tensors], alignment, &start))
        return false;
    for (uint64_t i = 0; i < g->n_tensors; i++) {
        struct ggki_info info;

        if (!ggki_gguf_info(g, i, &info) || info.opaque ||
            info.offset != padded || !ckd_add64(padded, info.bytes, &end) ||
            !ckd_align64(end, alignment, &padded))
            return false;
    }
    return ckd_add64(start, end, &end) && ckd_add64(start, padded, &padded) &&
           g->size >= end && g->size <= padded;
}

/* Some writers go by 32 whatever general.alignment says, so that the data
 * begins before the place where it should: by `*back` bytes. */
static ggk_status find_data(struct ggki_fixing *f, const struct ggki_gguf *g,
                            uint64_t *back)
{
    uint64_t head_end = g->info_pos.at[g->n_tensors], start;

    *back = 0;
    if (g->n_tensors == 0 || g->size == GGK_SIZE_UNKNOWN ||
        !ckd_align64(head_end, GGUF_DEFAULT_ALIGNMENT, &start) ||
        start == g->data_pos || is_laid_out_by(g, g->alignment) ||
        !is_laid_out_by(g, GGUF_DEFAULT_ALIGNMENT))
        return GGK_OK;
    if (start > g->data_pos || g->first_missing == GGK_NONE) {
        ggki_fail(f->err, GGK_E_ALIGN,
                  "general.alignment is %llu, but the file is laid out by 32: "
                  "nobody knows where its data begins",
                  (unsigned long long)g->alignment);
        if (f->err != NULL)
            f->err->offset = g->base_off + g->align_pos;
        return GGK_E_ALIGN;
    }
    *back = g->data_pos - start;
    ggki_report(&f->told, RULE_DATA_MISSING, ggki_byte(start),
                "the data begins at byte %llu, laid out by 32 although "
                "general.alignment is %llu: laid out by that now",
                (unsigned long long)(g->base_off + start),
                (unsigned long long)g->alignment);
    return GGK_OK;
}

/* ------------------------------------------------------------------ one by one
 */

static struct ggki_place place_of_name(const struct ggki_gguf *g, uint64_t i,
                                       uint64_t at)
{
    struct ggki_info info;

    if (!ggki_gguf_info(g, i, &info))
        return ggki_nowhere();
    return ggki_field(info.name_pos + at, "tensor", i, "name");
}

/* Of the last tensor of `out`, number `i` of the file. */
static ggk_status strip_tensor_name(struct ggki_fixing *f, uint64_t i,
                                    struct ggki_plan_file *out)
{
    ggk_str was, name;

    if (!ggki_gguf_tensor_name(f->told.gguf, i, &was))
        return ggki_fail_changed(f->err);
    name = ggki_fix_name(was);
    if (name.len == was.len)
        return GGK_OK;
    ggki_report(&f->told, RULE_NAME_NUL,
                place_of_name(f->told.gguf, i, name.len),
                "the name \"%.*s\" ended in a NUL byte: it is removed",
                ggki_shown(name), name.ptr);
    return ggki_plan_name_tensor(f->plan, out, out->n_tensors - 1, name,
                                 f->err);
}

/* Tensor `i` of file `file`. */
static ggk_status fix_tensor(struct ggki_fixing *f, uint32_t file, uint64_t i,
                             uint64_t back)
{
    struct ggki_plan_file *out = &f->plan->files[file];
    uint64_t number = f->model->files[file].first_tensor + i;
    uint64_t first = f->differ != NULL ? first_of(f->model, number) : number;
    bool differs = f->differ != NULL && f->differ[first] != 0;
    ggk_status status;

    if (ggki_fix_is_dropped(f, number)) {
        ggk_tensor t;

        if (ggk_model_tensor(f->model, number, &t, f->err) != GGK_OK)
            return GGK_E_CHANGED;
        ggki_report(&f->told, RULE_NAME_DUPLICATE,
                    place_of_name(f->told.gguf, i, 0),
                    "tensor[%llu] is the same as an earlier one, \"%.*s\": it "
                    "is dropped",
                    (unsigned long long)i, ggki_shown(t.name), t.name.ptr);
        return GGK_OK;
    }
    status =
        ggki_plan_copy_tensor(f->plan, out, f->model, number, back, f->err);
    return status == GGK_OK && !differs ? strip_tensor_name(f, i, out) : status;
}

ggk_status ggki_fix_tensors(struct ggki_fixing *f, uint32_t file)
{
    const struct ggki_gguf *g = &f->model->files[file].gguf;
    uint64_t back = 0;
    ggk_status status = find_data(f, g, &back);

    for (uint64_t i = 0; i < g->n_tensors && status == GGK_OK; i++)
        status = fix_tensor(f, file, i, back);
    return status == GGK_OK ? ggki_fix_judge_layout(f, file) : status;
}
