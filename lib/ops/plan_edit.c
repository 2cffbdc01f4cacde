/* plan_edit.c - does a plan by changing its input's header where it lies. */
#include <errno.h>
#include <string.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/opts.h"
#include "format/gguf_layout.h"
#include "format/space.h"
#include "io/in_place.h"
#include "io/os.h"
#include "io/source.h"
#include "ops/plan.h"
#include "ops/verify.h"

/* Bytes of an empty general.padding: of its key, its type, its length. */
#define PADDING_KV_BYTES (8 + sizeof GGUF_PADDING_KEY - 1 + 4 + 8)

#define NO_PADDING UINT64_MAX

/* A larger one is not filled with free space, of which memory holds a copy. */
#define ALIGN_MOST ((uint64_t)16 << 20)

struct edit {
    ggk_plan *plan;
    struct ggki_plan_file *file;
    const struct ggki_gguf *was;
    ggk_edited *out;
    uint64_t reserve;   /* bytes to be left free at least, or NO_PADDING */
    uint64_t head_end;  /* of the new header without free space */
    uint64_t align;     /* of the end of the header */
    uint64_t was_end;   /* the end of the old one, where the data starts */
    uint64_t data_off;  /* new */
    uint64_t padding;   /* bytes of free space, or NO_PADDING */
    uint64_t image_end; /* of what the model holds of the old one; */
    uint8_t *tail;      /* what follows that, up to was_end */
    uint8_t *head_now;
    bool done; /* though what came after it failed */
};

/* -------------------------------------------------------------------- ways */

/* Do the tensors stay where they are, as many as they were? Their offsets are
 * then as they were too, even where they are not as we would choose them. */
static bool tensors_stay(const struct edit *e)
{
    const struct ggki_plan_file *f = e->file;

    if (f->n_tensors != e->was->n_tensors)
        return false;
    for (size_t i = 0; i < f->n_tensors; i++) {
        struct ggki_plan_tensor t;
        struct ggki_info info;

        if (!ggki_plan_tensor_at(f, i, &t) || t.source != e->was->source ||
            !ggki_gguf_info(e->was, i, &info) ||
            t.off != e->was->data_pos + info.offset || t.type != info.type ||
            t.from != NULL)
            return false;
    }
    return true;
}

static const char *obstacle(const struct edit *e, uint32_t flags)
{
    const struct ggki_plan_file *f = e->file;
    const char *why = ggki_in_place_obstacle(e->was->source, f->path,
                                             (flags & GGK_EDIT_LINKS) != 0);

    if (why != NULL)
        return why;
    if (e->was->base_off != 0)
        return "the GGUF does not start where the file does";
    if (e->was->size == GGK_SIZE_UNKNOWN || e->was->size < e->was_end)
        return "the file ends before its data starts";
    if (ggki_plan_padding_is_used(f))
        return "general.padding holds other than free space";
    if (f->big != e->was->big)
        return "the byte order changes";
    if (f->alignment != e->was->alignment)
        return "the alignment changes";
    if (f->alignment > ALIGN_MOST)
        return "the alignment is over 16 MiB";
    return tensors_stay(e) ? NULL : "tensors go, or move";
}

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
    uint64_t x = a, y = b, product;

    while (y != 0) {
        uint64_t rest = x % y;

        x = y;
        y = rest;
    }
    return ckd_mul64(a / x, b, &product) ? product : 0;
}

/* Can the header end at `end`? Then how much free space it has. */
static bool ends_at(struct edit *e, uint64_t end)
{
    uint64_t next;

    if (e->reserve == NO_PADDING && ckd_align64(e->head_end, e->align, &next) &&
        next == end) {
        e->padding = NO_PADDING;
    } else {
        uint64_t least = e->reserve == NO_PADDING ? 0 : e->reserve;

        if (end < e->head_end || end - e->head_end < PADDING_KV_BYTES + least)
            return false;
        e->padding = end - e->head_end - PADDING_KV_BYTES;
    }
    e->data_off = end;
    return true;
}

/* The bytes of free space that the file has now, or NO_PADDING. */
static uint64_t padding_before(const struct edit *e)
{
    uint64_t bytes;

    return ggki_gguf_space(e->was, &bytes) ? bytes : NO_PADDING;
}

/* Without moving the data, or after moving it by a multiple of `unit`; false:
 * neither can be. */
static bool choose(struct edit *e, uint64_t unit)
{
    uint64_t step, end = e->was_end;

    e->out->inserted = 0;
    if (ends_at(e, end)) {
        e->out->way =
            e->padding == padding_before(e) ? GGK_WAY_PATCH : GGK_WAY_SPACE;
        return true;
    }
    step = unit > 0 ? common_multiple(unit, e->align) : 0;
    if (step == 0 || step > INT64_MAX - e->was->size)
        return false;
    if (end < e->head_end &&
        !ckd_add64(end, (e->head_end - end) / step * step, &end))
        return false;
    /* At most the space for the key is missing then, and what is reserved. */
    while (!ends_at(e, end))
        if (!ckd_add64(end, step, &end))
            return false;
    e->out->way = GGK_WAY_INSERT;
    e->out->inserted = end - e->was_end;
    return true;
}

/* ------------------------------------------------------------------- header */

struct image {
    uint8_t *at;
    uint64_t left;
};

static ggk_status put_image(void *ctx, const void *data, size_t bytes,
                            ggk_error *err)
{
    struct image *image = ctx;

    if (bytes > image->left)
        return ggki_fail(err, GGK_E_BUG, "the header is too long");
    memcpy(image->at, data, bytes);
    image->at += bytes;
    image->left -= bytes;
    return GGK_OK;
}

/* Lay the file out as it will be. */
static ggk_status lay_out(const struct edit *e, ggk_error *err)
{
    struct ggki_plan_file *f = e->file;
    ggk_status status = GGK_OK;

    if (e->padding == NO_PADDING)
        ggki_plan_unpad(e->plan, f);
    else
        status = ggki_plan_pad(e->plan, f, e->padding, err);
    if (status == GGK_OK)
        status = ggki_plan_lay_out(&e->plan->mem, f, err);
    if (status != GGK_OK)
        return status;
    for (size_t i = 0; i < f->n_tensors; i++) {
        struct ggki_plan_tensor t;

        if (!ggki_plan_tensor_at(f, i, &t))
            return ggki_fail_changed(err);
        f->tensors[i].rel_off = t.off - e->was->data_pos;
    }
    f->data_off = e->data_off;
    f->size = e->was->size + e->out->inserted;
    e->out->n_kv = f->n_kv;
    e->out->data_off = f->data_off;
    e->out->size = f->size;
    return GGK_OK;
}

static ggk_status make_images(struct edit *e, ggk_error *err)
{
    const ggk_allocator *mem = &e->plan->mem;
    struct image image;
    ggk_status status;
    ggk_str head;

    e->tail = ggki_mem_zero(mem, (size_t)(e->was_end - e->image_end) + 1);
    e->head_now = ggki_mem_resize(mem, NULL, 0, (size_t)e->data_off);
    if (e->tail == NULL || e->head_now == NULL)
        return ggki_fail_memory(err);
    ggki_os_will_fill(e->head_now, (size_t)e->data_off);
    image = (struct image){e->head_now, e->data_off};
    status = ggk_source_read(e->was->source, e->image_end, e->tail,
                             (size_t)(e->was_end - e->image_end), err);
    if (status == GGK_OK)
        status = ggki_plan_put_header(mem, e->file, put_image, &image, err);
    if (status != GGK_OK)
        return status;
    memset(image.at, 0, (size_t)image.left);
    head = (ggk_str){(const char *)e->head_now, (size_t)e->data_off};
    return ggki_verify_header(e->plan, e->file, head, err);
}

/* Is there nothing in the padding behind the header, which is written anew? */
static bool padding_is_empty(const struct edit *e)
{
    for (uint64_t i = 0; i < e->was_end - e->image_end; i++)
        if (e->tail[i] != 0)
            return false;
    return true;
}

static void free_images(struct edit *e)
{
    const ggk_allocator *mem = &e->plan->mem;

    ggki_mem_release(mem, e->tail, (size_t)(e->was_end - e->image_end) + 1);
    ggki_mem_release(mem, e->head_now, (size_t)e->data_off);
    e->tail = e->head_now = NULL;
}

/* --------------------------------------------------------------------- edit */

/* What keeps it from being done, if another way may do; else NULL. */
static const char *way_out(const struct ggki_in_place *io, ggk_status status,
                           const ggk_error *why)
{
    if (!io->untouched)
        return NULL;
    if (io->why_not != NULL)
        return io->why_not;
    if (status != GGK_E_IO)
        return NULL;
    switch (why->sys_errno) {
    case EFBIG:
        return "the limit on the size of files (ulimit -f) does not allow it";
    case EDQUOT:
    case ENOSPC: return "there is not enough room";
    default: return NULL;
    }
}

static bool spoils_padding(struct edit *e)
{
    if (padding_is_empty(e))
        return false;
    e->out->why_not = "bytes that are not zero, between the header and the "
                      "tensors, would be lost";
    return true;
}

/* Write it, as it was chosen, unless `dry`. `*again`: the unit may have been
 * wrong. */
static ggk_status write_chosen(struct edit *e, bool dry, bool *again,
                               ggk_error *err)
{
    struct ggki_in_place io = {.source = e->was->source,
                               .path = e->file->path,
                               .mem = &e->plan->mem,
                               .was = {{e->was->image.base, e->image_end},
                                       {NULL, e->was_end - e->image_end}},
                               .now_bytes = e->data_off,
                               .dry = dry,
                               .untouched = true};
    ggk_error why = {.status = GGK_OK};
    ggk_status status = lay_out(e, &why);
    bool spoils = false;

    *again = false;
    if (status == GGK_OK)
        status = make_images(e, &why);
    if (status == GGK_OK)
        spoils = spoils_padding(e);
    io.was[1].data = e->tail;
    io.now = e->head_now;
    if (status == GGK_OK && !spoils)
        status = ggki_in_place_write(&io, &why);
    free_images(e);
    e->done = io.done;
    if (status == GGK_OK || e->done)
        e->out->written = io.written;
    if (status == GGK_OK)
        return GGK_OK;
    e->out->why_not = way_out(&io, status, &why);
    *again = e->out->why_not != NULL && why.sys_errno == EINVAL;
    return e->out->why_not != NULL ? GGK_OK : ggki_fail_copy(err, &why);
}

static ggk_status edit(struct edit *e, uint32_t flags, ggk_error *err)
{
    ggk_status status = GGK_OK;
    bool again = true;

    for (unsigned attempt = 0; again && status == GGK_OK; attempt++) {
        uint64_t unit = ggki_in_place_unit(e->was->source, attempt);

        if (attempt > 0 && unit == 0)
            break;
        e->out->why_not = NULL;
        if (!choose(e, unit)) {
            e->out->why_not = "the header gets longer, and the file system "
                              "cannot make room in a file";
            break;
        }
        status = write_chosen(e, (flags & GGK_EDIT_DRY) != 0, &again, err);
    }
    return status;
}

/* The plan is for others to run. */
static ggk_status give_back(const struct edit *e, ggk_error *err)
{
    if (e->reserve != NO_PADDING)
        return ggki_plan_pad(e->plan, e->file, e->reserve, err);
    ggki_plan_unpad(e->plan, e->file);
    e->file->laid_out = false;
    return GGK_OK;
}

static ggk_status start(struct edit *e, ggk_error *err)
{
    ggk_plan *plan = e->plan;
    const struct ggki_plan_kv *padding;
    ggk_status status;

    e->was = plan->n_sources == 1 ? plan->sources[0].gguf : NULL;
    if (e->was == NULL || plan->n_files != 1 ||
        plan->files[0].format != GGK_FORMAT_GGUF) {
        ggki_fail(err, GGK_E_ARG,
                  "only one file, made of one input, is edited");
        return GGK_E_ARG;
    }
    e->file = &plan->files[0];
    padding = ggki_plan_padding(e->file);
    e->reserve = padding != NULL ? padding->value.n_bytes - 8 : NO_PADDING;
    status = ggki_plan_lay_out(&plan->mem, e->file, err);
    if (status != GGK_OK)
        return status;
    e->head_end = e->file->head_end;
    if (e->reserve != NO_PADDING)
        e->head_end -= PADDING_KV_BYTES + e->reserve;
    e->align = e->file->n_tensors > 0 ? e->file->alignment : 1;
    e->image_end = e->was->info_pos.at[e->was->n_tensors];
    e->was_end = e->was->n_tensors > 0 ? e->was->data_pos : e->image_end;
    return GGK_OK;
}

ggk_status ggk_plan_edit(ggk_plan *plan, uint32_t flags, ggk_edited *out,
                         ggk_error *err)
{
    struct edit e = {.plan = plan, .out = out};
    ggk_status status;

    *out = (ggk_edited){.way = GGK_WAY_NONE};
    status = ggki_opts_check_flags(flags, GGK_EDIT_DRY | GGK_EDIT_LINKS, err);
    if (status == GGK_OK)
        status = start(&e, err);
    if (status != GGK_OK)
        return status;
    out->why_not = obstacle(&e, flags);
    if (out->why_not == NULL)
        out->why_not = ggki_in_place_begin(e.was->source);
    if (out->why_not == NULL) {
        status = edit(&e, flags, err);
        ggki_in_place_end(e.was->source);
    }
    if ((status == GGK_OK && out->why_not == NULL) || e.done)
        out->free = e.padding == NO_PADDING ? 0 : e.padding;
    else
        out->way = GGK_WAY_NONE;
    if (out->way == GGK_WAY_NONE || (flags & GGK_EDIT_DRY) != 0) {
        ggk_status other = give_back(&e, status == GGK_OK ? err : NULL);

        status = status == GGK_OK ? other : status;
    }
    return status;
}
