/* fix_layout.c - whether the data of a file, where its tensors say that it is,
 * can be what its writer meant. To lay out anew what a wrong offset, shape or
 * type has pointed elsewhere would only hide the damage.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/mem.h"
#include "ops/fix.h"

#define LARGEST_PACKING 1048576 /* no alignment beyond is meant so */

/* The data of a tensor, from the start of all. */
struct stretch {
    uint64_t start, end;
    uint64_t i;
    bool opaque; /* nobody knows its end */
};

/* Those of a file, by their place. */
struct stretches {
    const struct ggki_gguf *gguf;
    struct stretch *at; /* NULL: as they are numbered, for which no memory is
                           taken */
    uint64_t n;
};

static int compare_stretches(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

static bool take_stretch(const struct ggki_gguf *g, uint64_t i,
                         struct stretch *out)
{
    struct ggki_info info;

    if (!ggki_gguf_info(g, i, &info) ||
        !ckd_add64(info.offset, info.bytes, &out->end))
        return false;
    out->start = info.offset;
    out->i = i;
    out->opaque = info.opaque;
    return true;
}

/* Without those that are dropped: they may be where the first of them is. */
static bool take_stretches(const struct ggki_fixing *f, uint32_t file,
                           struct stretches *out)
{
    const struct ggki_model_file *in = &f->model->files[file];

    out->n = 0;
    for (uint64_t i = 0; i < in->gguf.n_tensors; i++) {
        if (ggki_fix_is_dropped(f, in->first_tensor + i))
            continue;
        if (!take_stretch(&in->gguf, i, &out->at[out->n++]))
            return false;
    }
    if (out->n > 1)
        qsort(out->at, (size_t)out->n, sizeof *out->at, compare_stretches);
    return true;
}

/* Are they all kept, and each after the one before? */
static bool are_in_order(const struct ggki_fixing *f, const struct ggki_gguf *g)
{
    struct stretch before, s;

    for (uint64_t i = 0; i < g->n_tensors; i++) {
        if (!take_stretch(g, i, &s) ||
            (i > 0 && compare_stretches(&before, &s) >= 0))
            return false;
        before = s;
    }
    return f->differ == NULL;
}

static bool stretch_at(const struct stretches *s, uint64_t k,
                       struct stretch *out)
{
    if (s->at == NULL)
        return take_stretch(s->gguf, k, out);
    *out = s->at[k];
    return true;
}

/* Is it as one writes tensor after tensor, each at the next multiple? */
static bool is_packed_by(const struct stretches *s, uint64_t multiple)
{
    uint64_t next = 0;
    bool open = false; /* nobody knows where the one before ends */

    for (uint64_t k = 0; k < s->n; k++) {
        struct stretch e;

        if (!stretch_at(s, k, &e))
            return false;
        if (open ? e.start % multiple != 0 : e.start != next)
            return false;
        if (!ckd_align64(e.end, multiple, &next))
            return false;
        open = e.opaque;
    }
    return true;
}

static bool is_packed(const struct stretches *s)
{
    for (uint64_t m = 1; m <= LARGEST_PACKING; m *= 2)
        if (is_packed_by(s, m))
            return true;
    return false;
}

static ggk_status fail_at_offset(const struct ggki_fixing *f, uint64_t i)
{
    const struct ggki_gguf *g = f->told.gguf;
    struct ggki_info info;

    if (ggki_gguf_info(g, i, &info))
        f->err->offset = g->base_off + info.offset_pos;
    snprintf(f->err->where, sizeof f->err->where, "tensor[%llu].offset",
             (unsigned long long)i);
    return f->err->status;
}

static ggk_status refuse_overlap(const struct ggki_fixing *f,
                                 const struct stretch *e,
                                 const struct stretch *before)
{
    ggki_fail(f->err, GGK_E_OFFSET,
              "tensor[%llu] shares bytes with tensor[%llu]: an offset, a shape "
              "or a type is wrong, and nobody knows which; get the file again, "
              "or from the source",
              (unsigned long long)e->i, (unsigned long long)before->i);
    return fail_at_offset(f, e->i);
}

static ggk_status refuse_unaligned(const struct ggki_fixing *f,
                                   const struct stretch *e)
{
    ggki_fail(f->err, GGK_E_OFFSET,
              "offset %llu is not a multiple of the alignment %llu, nor does "
              "each tensor start where the one before it ends: an offset, a "
              "shape or a type is wrong, and nobody knows which; get the file "
              "again, or from the source",
              (unsigned long long)e->start,
              (unsigned long long)f->told.gguf->alignment);
    return fail_at_offset(f, e->i);
}

static ggk_status judge_stretches(const struct ggki_fixing *f,
                                  const struct stretches *s)
{
    struct stretch furthest = {0}, unaligned = {.i = GGK_NONE};

    for (uint64_t k = 0; k < s->n; k++) {
        struct stretch e;
        bool empty;

        if (!stretch_at(s, k, &e))
            return ggki_fail_changed(f->err);
        empty = e.start == e.end && !e.opaque;
        if (!empty && e.start < furthest.end)
            return refuse_overlap(f, &e, &furthest);
        if (unaligned.i == GGK_NONE && e.start % f->told.gguf->alignment != 0)
            unaligned = e;
        if (e.end >= furthest.end)
            furthest = e;
    }
    return unaligned.i == GGK_NONE || is_packed(s)
               ? GGK_OK
               : refuse_unaligned(f, &unaligned);
}

ggk_status ggki_fix_judge_layout(struct ggki_fixing *f, uint32_t file)
{
    const ggk_allocator *mem = &f->plan->mem;
    const struct ggki_gguf *g = &f->model->files[file].gguf;
    size_t bytes = (size_t)g->n_tensors * sizeof(struct stretch);
    struct stretches s = {g, NULL, g->n_tensors};
    ggk_status status;

    if (are_in_order(f, g))
        return judge_stretches(f, &s);
    s.at = ggki_mem_zero(mem, bytes);
    if (s.at == NULL)
        return ggki_fail_memory(f->err);
    status = take_stretches(f, file, &s) ? judge_stretches(f, &s)
                                         : ggki_fail_changed(f->err);
    ggki_mem_release(mem, s.at, bytes);
    return status;
}
