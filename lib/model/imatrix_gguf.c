/* imatrix_gguf.c - importance matrices in GGUF files, as llama-imatrix writes
 * them: of each tensor NAME the sums of squares, NAME.in_sum2, a row for each
 * expert, and how many there were, NAME.counts, one for each.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/finite.h"
#include "base/load.h"
#include "base/type_ids.h"
#include "format/gguf_layout.h"
#include "model/imatrix.h"
#include "model/model.h"

#define STEP      1024u /* values that are read at once */
#define MOST_NAME 1024u /* bytes of a tensor's name */

/* A tensor of the file, and its number. */
struct part {
    ggk_tensor t;
    uint64_t i;
};

/* A file on its way into memory. */
struct reader {
    ggk_imatrix *imatrix;
    const ggk_model *model;
    uint64_t left; /* bytes that tensors may have yet */
    enum ggki_fault fault;
    ggk_error *err;
};

/* Put a tensor into the error, and the first byte at fault. */
static ggk_status blame(struct reader *r, enum ggki_fault fault,
                        const struct part *part, const char *field,
                        uint64_t off, ggk_status status)
{
    r->fault = fault;
    if (r->err == NULL)
        return status;
    r->err->offset = off;
    snprintf(r->err->where, sizeof r->err->where, "tensor[%llu]%s",
             (unsigned long long)part->i, field);
    return status;
}

/* The data of a tensor was not to be had. */
static ggk_status blame_data(struct reader *r, const struct part *part,
                             ggk_status status)
{
    return blame(
        r, status == GGK_E_DATA_MISSING ? GGKI_FAULT_DATA : GGKI_FAULT_NONE,
        part, ".data", part->t.data_off, status);
}

/* Does a tensor's name end in `suffix`? `*name` is what stands before it. */
static bool has_suffix(const ggk_tensor *t, const char *suffix, ggk_str *name)
{
    size_t n = strlen(suffix);

    *name = t->name;
    if (name->len > 0 && name->ptr[name->len - 1] == '\0')
        name->len--;
    if (name->len < n || memcmp(name->ptr + name->len - n, suffix, n) != 0)
        return false;
    name->len -= n;
    return true;
}

/* The tensor that belongs to `part`, by the other suffix. */
static ggk_status find_other(struct reader *r, const struct part *part,
                             ggk_str name, const char *suffix,
                             struct part *other)
{
    char whole[MOST_NAME + sizeof GGKI_IMATRIX_SUMS];
    size_t n = strlen(suffix);
    ggk_status status;

    if (name.len > MOST_NAME) {
        ggki_fail(r->err, GGK_E_LIMIT, "the tensor's name is %llu bytes long",
                  (unsigned long long)part->t.name.len);
        return blame(r, GGKI_FAULT_NAME, part, ".name", part->t.info_off,
                     GGK_E_LIMIT);
    }
    memcpy(whole, name.ptr, name.len);
    memcpy(whole + name.len, suffix, n);
    status = ggk_model_find_tensor(r->model, (ggk_str){whole, name.len + n},
                                   &other->i, NULL);
    if (status != GGK_E_NOT_FOUND) /* of several, the first */
        return ggk_model_tensor(r->model, other->i, &other->t, r->err);
    ggki_fail(r->err, GGK_E_NOT_FOUND,
              "there is no tensor of that name with %s, which belongs to it",
              suffix);
    return blame(r, GGKI_FAULT_PAIR, part, "", part->t.info_off,
                 GGK_E_NOT_FOUND);
}

/* All numbers of a tensor, which must be finite floats, or may be `any`. */
static ggk_status read_floats(struct reader *r, const struct part *part,
                              float *out, bool any)
{
    uint8_t bytes[STEP * 4];
    uint64_t n = part->t.n_elements, bad;
    bool big = r->model->files[0].gguf.big;

    for (uint64_t done = 0; done < n;) {
        size_t step = n - done < STEP ? (size_t)(n - done) : STEP;
        ggk_status status = ggk_model_read_tensor(r->model, part->i, done * 4,
                                                  bytes, step * 4, r->err);

        if (status != GGK_OK)
            return blame_data(r, part, status);
        for (size_t i = 0; i < step; i++)
            out[done + i] = load_f32(bytes + i * 4, big);
        done += step;
    }
    bad = any ? n : ggki_find_not_finite(out, (size_t)n);
    if (bad == n)
        return GGK_OK;
    ggki_fail(r->err, GGK_E_RANGE, "value %llu of the tensor is %g",
              (unsigned long long)bad, (double)out[bad]);
    return blame(r, GGKI_FAULT_NUMBER, part, ".data",
                 part->t.data_off + bad * 4, GGK_E_RANGE);
}

/* The counts as integers, of the entry `e`: read where its values will be, of
 * which there are at least as many. */
static ggk_status read_counts(struct reader *r, const struct part *part,
                              float *room, int64_t *out, ggk_importances *e)
{
    ggk_status status = read_floats(r, part, room, false);

    for (uint64_t i = 0; status == GGK_OK && i < part->t.n_elements; i++) {
        double x = (double)room[i];

        if (x < -9e18 || x > 9e18) {
            ggki_fail(r->err, GGK_E_RANGE, "value %llu of the tensor is %g",
                      (unsigned long long)i, x);
            return blame(r, GGKI_FAULT_NUMBER, part, ".data",
                         part->t.data_off + i * 4, GGK_E_RANGE);
        }
        out[i] = (int64_t)(x < 0 ? x - 0.5 : x + 0.5); /* the nearest */
        if ((double)out[i] != x && e->rounded == GGK_NONE) {
            e->rounded = i;
            e->rounded_from = room[i];
        }
    }
    return status;
}

/* A count as it is in the file. */
static ggk_status read_count(const struct reader *r, const struct part *part,
                             uint64_t i, float *out)
{
    uint8_t bytes[4];
    ggk_status status = ggk_model_read_tensor(r->model, part->i, i * 4, bytes,
                                              sizeof bytes, r->err);

    *out = status == GGK_OK ? load_f32(bytes, r->model->files[0].gguf.big) : 0;
    return status;
}

/* By a count under 1 a sum may become infinite. */
static ggk_status fail_mean(struct reader *r, const struct part *counts,
                            uint64_t s, float count)
{
    ggki_fail(r->err, GGK_E_RANGE,
              "count %llu of the tensor is %g, by which a sum becomes infinite",
              (unsigned long long)s, (double)count);
    return blame(r, GGKI_FAULT_NUMBER, counts, ".data",
                 counts->t.data_off + s * 4, GGK_E_RANGE);
}

/* Sums become means, if they are wanted; where nothing was summed up, all count
 * alike. */
static ggk_status divide(struct reader *r, const struct part *counts,
                         const ggk_importances *e, float *values)
{
    const uint32_t flags = r->imatrix->how.flags;
    bool judged =
        (flags & GGK_IMATRIX_ANY) == 0 || r->imatrix->how.on_fault != NULL;
    uint64_t n = e->n_values / e->n_slices;

    for (uint64_t s = 0; s < e->n_slices; s++) {
        float count = (float)e->counts[s];
        ggk_status status =
            e->rounded == GGK_NONE ? GGK_OK : read_count(r, counts, s, &count);

        if (status != GGK_OK)
            return status;
        for (uint64_t i = s * n; i < (s + 1) * n; i++) {
            float mean = count > 0 ? values[i] / count : 1.0F;

            if (judged && isfinite(values[i]) && !isfinite(mean))
                return fail_mean(r, counts, s, count);
            if ((flags & GGK_IMATRIX_SUMS) == 0)
                values[i] = mean;
        }
    }
    return GGK_OK;
}

static ggk_status check_parts(struct reader *r, const struct part *sums,
                              const struct part *counts)
{
    const struct part *wrong = sums->t.type != GGKI_F32 ? sums : counts;
    uint64_t n = sums->t.n_elements, of = counts->t.n_elements;

    if (wrong->t.type != GGKI_F32) {
        ggki_fail(r->err, GGK_E_TYPE, "the tensor is not of type F32");
        return blame(r, GGKI_FAULT_TYPE, wrong, ".type", wrong->t.info_off,
                     GGK_E_TYPE);
    }
    if (n > 0 && of > 0 && n % of == 0)
        return GGK_OK;
    ggki_fail(r->err, GGK_E_RANGE,
              "%llu sums cannot be shared out to %llu counts",
              (unsigned long long)n, (unsigned long long)of);
    ggki_err_set_need(r->err, n, of);
    return blame(r, GGKI_FAULT_SHAPE, sums, ".ne", sums->t.info_off,
                 GGK_E_RANGE);
}

/* All of it must be in the file, and no more than is left of that: if tensors
 * lay on each other, a small file could fill the memory. */
static ggk_status take(struct reader *r, const struct part *part)
{
    uint64_t bytes = part->t.bytes;
    uint8_t last[4];
    ggk_status status = ggk_model_read_tensor(
        r->model, part->i, bytes - sizeof last, last, sizeof last, r->err);

    if (status != GGK_OK)
        return blame_data(r, part, status);
    if (bytes <= r->left) {
        r->left -= bytes;
        return GGK_OK;
    }
    ggki_fail(r->err, GGK_E_OVERLAP,
              "tensors of the importance matrix overlap: together they have "
              "more bytes than the file");
    ggki_err_set_need(r->err, bytes, r->left);
    return blame(r, GGKI_FAULT_OVERLAP, part, "", part->t.info_off,
                 GGK_E_OVERLAP);
}

/* The numbers of an entry, the last one. */
static ggk_status read_numbers(struct reader *r, const struct part *sums,
                               const struct part *counts, float *values,
                               int64_t *numbers)
{
    uint32_t flags = r->imatrix->how.flags;
    ggk_importances *e = &r->imatrix->entries[r->imatrix->info.n_entries - 1];
    ggk_status status = read_counts(r, counts, values, numbers, e);

    if (status == GGK_OK)
        status = read_floats(r, sums, values, (flags & GGK_IMATRIX_ANY) != 0);
    if (status == GGK_OK)
        status = divide(r, counts, e, values);
    e->values_off = sums->t.data_off;
    e->counts_off = counts->t.data_off;
    return status;
}

static ggk_status read_entry(struct reader *r, const struct part *sums,
                             ggk_str name)
{
    struct part counts = {.i = 0};
    float *values = NULL;
    int64_t *numbers = NULL;
    uint64_t n = r->imatrix->info.n_entries;
    ggk_status status = find_other(r, sums, name, GGKI_IMATRIX_COUNTS, &counts);

    if (status == GGK_OK)
        status = check_parts(r, sums, &counts);
    if (status == GGK_OK)
        status = take(r, sums);
    if (status == GGK_OK)
        status = take(r, &counts);
    if (status == GGK_OK)
        status =
            ggki_imatrix_add(r->imatrix, name, sums->t.n_elements,
                             counts.t.n_elements, &values, &numbers, r->err);
    if (status == GGK_OK)
        status = read_numbers(r, sums, &counts, values, numbers);
    if (status != GGK_OK)
        ggki_imatrix_drop(r->imatrix, n);
    return status;
}

static ggk_status check_name(struct reader *r, const struct part *part)
{
    uint64_t first;

    if (ggk_model_find_tensor(r->model, part->t.name, &first, NULL) !=
            GGK_E_DUPLICATE ||
        first == part->i)
        return GGK_OK;
    ggki_fail(r->err, GGK_E_DUPLICATE,
              "another tensor of the importance matrix has the same name");
    return blame(r, GGKI_FAULT_TWICE, part, ".name", part->t.info_off,
                 GGK_E_DUPLICATE);
}

static ggk_status read_part(struct reader *r, const struct part *part)
{
    struct part other = {.i = 0};
    ggk_str name;
    bool is_sums = has_suffix(&part->t, GGKI_IMATRIX_SUMS, &name);
    ggk_status status;

    if (!is_sums && !has_suffix(&part->t, GGKI_IMATRIX_COUNTS, &name)) {
        r->imatrix->info.n_other_tensors++; /* as a later version may have */
        return GGK_OK;
    }
    status = check_name(r, part);
    if (status != GGK_OK)
        return status;
    return is_sums ? read_entry(r, part, name)
                   : find_other(r, part, name, GGKI_IMATRIX_SUMS, &other);
}

static ggk_status read_parts(ggk_imatrix *imatrix, const ggk_model *model,
                             ggk_error *err)
{
    struct reader r = {.imatrix = imatrix,
                       .model = model,
                       .left = model->files[0].gguf.size,
                       .err = err};
    uint64_t n = ggk_model_n_tensors(model), n_faults = 0;
    ggk_status status = ggki_imatrix_reserve(imatrix, n, err);

    for (uint64_t i = 0; i < n && status == GGK_OK; i++) {
        struct part part = {.i = i};

        r.fault = GGKI_FAULT_NONE;
        status = ggk_model_tensor(model, i, &part.t, err);
        if (status == GGK_OK)
            status = read_part(&r, &part);
        if (status == GGK_OK)
            continue;
        n_faults++;
        status = ggki_imatrix_fault(imatrix, r.fault, status, err);
    }
    if (status != GGK_OK || imatrix->info.n_entries + n_faults > 0)
        return status;
    return ggki_fail(err, GGK_E_NOT_FOUND,
                     "the file holds no importance matrix: it has no tensors "
                     "NAME%s",
                     GGKI_IMATRIX_SUMS);
}

/* --------------------------------------------------------------------- keys */

/* 0 if there is no such key. */
static ggk_status read_number(const ggk_model *model, const char *key,
                              uint64_t *out, ggk_error *err)
{
    ggk_error why;
    ggk_status status = ggk_model_get_u64(model, ggk_cstr(key), out, &why);

    return status == GGK_OK || status == GGK_E_NOT_FOUND
               ? GGK_OK
               : ggki_fail_copy(err, &why);
}

static ggk_status read_datasets(ggk_imatrix *imatrix, const ggk_model *model,
                                ggk_error *err)
{
    ggk_event event;
    ggk_walk walk;
    ggk_value v;
    uint64_t i;
    ggk_status status;

    if (ggk_model_find_kv(model, ggk_cstr(GGKI_IMATRIX_DATASETS), &i, NULL) !=
        GGK_OK)
        return GGK_OK;
    status = ggk_walk_start(model, i, &walk, err);
    if (status != GGK_OK)
        return status;
    event = ggk_walk_next(&walk, &v);
    if (event == GGK_WALK_OPEN && v.type == GGK_VALUE_STRING) {
        status = ggki_imatrix_reserve_datasets(imatrix, v.as.u, err);
        while (status == GGK_OK &&
               (event = ggk_walk_next(&walk, &v)) == GGK_WALK_VALUE)
            status = ggki_imatrix_add_dataset(imatrix, v.as.s, err);
    }
    return event == GGK_WALK_BROKEN ? ggki_fail_changed(err) : status;
}

/* Keys of every GGUF, and those of an imatrix. */
static void look_at_keys(ggk_imatrix *imatrix, const ggk_model *model)
{
    static const char *const known[] = {
        GGKI_IMATRIX_DATASETS, GGKI_IMATRIX_N_CHUNKS, GGKI_IMATRIX_CHUNK_SIZE,
        "general.type", GGUF_ALIGNMENT_KEY};
    uint64_t found = 0, n_needed = 0;

    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        uint64_t i;
        bool has = ggk_model_find_kv(model, ggk_cstr(known[k]), &i, NULL) !=
                   GGK_E_NOT_FOUND;

        found += has;
        n_needed += has && k < 3;
    }
    imatrix->info.is_complete = n_needed == 3;
    imatrix->info.n_other_keys =
        ggk_model_n_kv(model) - ggk_model_n_dup_kv(model) - found;
    imatrix->info.version = model->files[0].gguf.version;
}

ggk_status ggki_imatrix_read_gguf(ggk_imatrix *imatrix, const ggk_model *model,
                                  ggk_error *err)
{
    ggk_status status =
        read_number(model, GGKI_IMATRIX_N_CHUNKS, &imatrix->info.n_chunks, err);

    look_at_keys(imatrix, model);
    if (status == GGK_OK)
        status = read_number(model, GGKI_IMATRIX_CHUNK_SIZE,
                             &imatrix->info.chunk_size, err);
    if (status == GGK_OK)
        status = read_datasets(imatrix, model, err);
    return status == GGK_OK ? read_parts(imatrix, model, err) : status;
}
