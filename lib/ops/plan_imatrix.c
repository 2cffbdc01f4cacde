/* plan_imatrix.c - plans a file of importances. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/type_ids.h"
#include "model/imatrix.h"
#include "ops/imatrix_image.h"
#include "ops/plan.h"

struct making {
    ggk_plan *plan;
    uint32_t file;
    const ggk_imatrix *imatrix;
    const struct ggki_imatrix_image *image;
    ggk_source *source; /* its bytes */
};

/* --------------------------------------------------------------------- keys */

static ggk_status set_type(const struct making *m, ggk_error *err)
{
    const ggk_value type = {.type = GGK_VALUE_STRING,
                            .as.s = ggk_cstr("imatrix")};
    ggk_builder *b;
    ggk_status status = ggk_builder_new(&m->plan->mem, &b, err);

    if (status == GGK_OK)
        status = ggk_builder_put(b, &type, err);
    if (status == GGK_OK)
        status =
            ggk_plan_set_kv(m->plan, m->file, ggk_cstr("general.type"), b, err);
    ggk_builder_free(b);
    return status;
}

static ggk_status set_datasets(const struct making *m, ggk_error *err)
{
    ggk_builder *b;
    ggk_status status = ggk_builder_new(&m->plan->mem, &b, err);

    if (status == GGK_OK)
        status = ggk_builder_open(b, GGK_VALUE_STRING, err);
    for (uint64_t i = 0; i < m->imatrix->info.n_datasets && status == GGK_OK;
         i++)
        status = ggk_builder_put(
            b,
            &(ggk_value){.type = GGK_VALUE_STRING,
                         .as.s = ggk_imatrix_dataset(m->imatrix, i)},
            err);
    if (status == GGK_OK)
        status = ggk_builder_close(b, err);
    if (status == GGK_OK)
        status = ggk_plan_set_kv(m->plan, m->file,
                                 ggk_cstr(GGKI_IMATRIX_DATASETS), b, err);
    ggk_builder_free(b);
    return status;
}

static ggk_status set_keys(const struct making *m, ggk_error *err)
{
    struct ggki_plan_file *f = &m->plan->files[m->file];
    ggk_status status = set_type(m, err);

    if (status == GGK_OK)
        status = set_datasets(m, err);
    if (status == GGK_OK)
        status = ggki_plan_set_integer(m->plan, f, GGKI_IMATRIX_N_CHUNKS,
                                       GGK_VALUE_UINT32,
                                       m->imatrix->info.n_chunks, err);
    if (status == GGK_OK)
        status = ggki_plan_set_integer(m->plan, f, GGKI_IMATRIX_CHUNK_SIZE,
                                       GGK_VALUE_UINT32,
                                       m->imatrix->info.chunk_size, err);
    return status;
}

/* ------------------------------------------------------------------ tensors */

/* One of the two tensors of an entry: `width` numbers for each of its counts,
 * at `off` of the source. */
static ggk_status add_part(const struct making *m, const ggk_importances *e,
                           const char *suffix, uint64_t width, uint64_t off,
                           ggk_error *err)
{
    char name[GGKI_IMATRIX_NAME_MOST + 1];
    size_t n = strlen(suffix);
    ggk_new_tensor t = {.type = GGKI_F32,
                        .n_dims = e->n_slices > 1 ? 2 : 1,
                        .ne = {width, e->n_slices},
                        .source = m->source,
                        .off = off};

    if (e->name.len + n > GGKI_IMATRIX_NAME_MOST)
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "the name \"%.*s%s\" would be %llu bytes long, and "
                         "llama.cpp reads up to %u",
                         ggki_shown(e->name), e->name.ptr, suffix,
                         (unsigned long long)(e->name.len + n),
                         GGKI_IMATRIX_NAME_MOST);
    memcpy(name, e->name.ptr, e->name.len);
    memcpy(name + e->name.len, suffix, n);
    t.name = (ggk_str){name, e->name.len + n};
    return ggk_plan_add_tensor(m->plan, m->file, &t, err);
}

static ggk_status add_entries(const struct making *m, ggk_error *err)
{
    uint64_t n = ggki_imatrix_image_count(m->image);
    ggk_status status = GGK_OK;

    for (uint64_t i = 0; i < n && status == GGK_OK; i++) {
        struct ggki_imatrix_piece p;

        ggki_imatrix_image_at(m->image, i, &p);
        status = add_part(m, &p.e, GGKI_IMATRIX_SUMS,
                          p.e.n_values / p.e.n_slices, p.values_off, err);
        if (status == GGK_OK)
            status =
                add_part(m, &p.e, GGKI_IMATRIX_COUNTS, 1, p.counts_off, err);
    }
    return status;
}

/* -------------------------------------------------------------------- files */

static ggk_status make_gguf(struct making *m, const char *path, ggk_error *err)
{
    ggk_status status = ggk_plan_add_file(m->plan, path, &m->file, err);

    if (status == GGK_OK)
        status = set_keys(m, err);
    return status == GGK_OK ? add_entries(m, err) : status;
}

/* All of it is one tensor of bytes. */
static ggk_status make_legacy(struct making *m, const char *path,
                              ggk_error *err)
{
    const ggk_new_tensor t = {.name = ggk_cstr("imatrix"),
                              .type = GGKI_I8,
                              .n_dims = 1,
                              .ne = {ggk_source_size(m->source)},
                              .source = m->source};
    ggk_status status =
        ggk_plan_add_array_file(m->plan, path, GGK_FORMAT_RAW, &m->file, err);

    return status == GGK_OK ? ggk_plan_add_tensor(m->plan, m->file, &t, err)
                            : status;
}

ggk_status ggk_plan_add_imatrix(ggk_plan *plan, const char *path,
                                const ggk_imatrix *imatrix,
                                ggk_imatrix_format format, ggk_error *err)
{
    struct making m = {.plan = plan, .imatrix = imatrix};
    bool legacy = format == GGK_IMATRIX_LEGACY;
    ggk_status status;

    if (!legacy && format != GGK_IMATRIX_GGUF)
        return ggki_fail(err, GGK_E_ARG,
                         "there is no such kind of importances");
    if (!imatrix->info.sums || imatrix->info.legacy ||
        (imatrix->n_added == 0 && imatrix->info.n_entries > 0))
        return ggki_fail(err, GGK_E_ARG,
                         "the importances are none of ggk_imatrix_new");
    status = ggki_imatrix_image_new(imatrix, legacy, &plan->mem, &m.image,
                                    &m.source, err);
    if (status == GGK_OK)
        status = ggki_plan_own_source(plan, m.source, err);
    if (status != GGK_OK)
        return status;
    return legacy ? make_legacy(&m, path, err) : make_gguf(&m, path, err);
}
