/* fuzz_imatrix.c - importance matrices of whatever bytes there are: no crash;
 * what opens is finite, and found by its names; what does not is judged to be
 * wrong; and what is added up and written is read again as what it was. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ggk.h"
#include "written.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static ggk_source *source_of(const uint8_t *data, size_t bytes)
{
    ggk_source *source;
    ggk_error err;

    must(ggk_source_from_memory(data, bytes, NULL, &source, &err), &err);
    return source;
}

/* NULL if it does not open. */
static ggk_imatrix *open_bytes(const uint8_t *data, size_t bytes,
                               uint32_t flags)
{
    ggk_imatrix *imatrix;
    ggk_error err;

    return ggk_imatrix_open_source(source_of(data, bytes), flags, NULL,
                                   &imatrix, &err) == GGK_OK
               ? imatrix
               : NULL;
}

static ggk_importances entry_at(const ggk_imatrix *imatrix, uint64_t i)
{
    ggk_importances e;
    ggk_error err;

    must(ggk_imatrix_entry(imatrix, i, &e, &err), &err);
    if (e.n_slices == 0 || e.n_values % e.n_slices != 0 ||
        ggk_imatrix_find(imatrix, e.name) != i)
        abort();
    return e;
}

/* ------------------------------------------------------------------ reading */

static void use_entries(const ggk_imatrix *imatrix)
{
    ggk_imatrix_info info;

    ggk_imatrix_about(imatrix, &info);
    for (uint64_t i = 0; i < info.n_entries; i++) {
        ggk_importances e = entry_at(imatrix, i);

        for (uint64_t v = 0; v < e.n_values; v++)
            if (!isfinite(e.values[v]))
                abort();
    }
    for (uint64_t i = 0; i < info.n_datasets; i++)
        if (ggk_imatrix_dataset(imatrix, i).ptr == NULL)
            abort();
}

static bool on_finding(void *ctx, const ggk_finding *f)
{
    uint64_t *n = ctx;

    if (f->rule == NULL || f->what[0] == '\0')
        abort();
    n[f->more > 0] += f->more > 0 ? f->more : 1;
    return true;
}

/* What is not finite, or does not open, breaks a rule that is an error; each
 * finding is told or counted. */
static void judge(const uint8_t *data, size_t bytes, bool opens)
{
    const ggk_imatrix_check_opts opts = {.struct_bytes = sizeof opts,
                                         .max_per_rule = 3};
    ggk_imatrix_verdict v;
    uint64_t n[2] = {0, 0}; /* told, and counted as more */
    ggk_error err;
    ggk_status status = ggk_imatrix_check(source_of(data, bytes), NULL, &opts,
                                          on_finding, n, &v, &err);

    if (status != GGK_OK)
        return; /* a limit of the reader */
    if (v.n[0] != 0 || n[0] + n[1] != v.n[GGK_SEVERITY_NOTE] +
                                          v.n[GGK_SEVERITY_WARNING] +
                                          v.n[GGK_SEVERITY_ERROR])
        abort();
    if (!opens && v.n[GGK_SEVERITY_ERROR] == 0)
        abort();
}

/* ------------------------------------------------------------------ writing */

/* The entry of a file that was written is that of the sum. */
static void compare(const ggk_imatrix *sum, const ggk_imatrix *again)
{
    ggk_imatrix_info info;

    ggk_imatrix_about(again, &info);
    for (uint64_t i = 0; i < info.n_entries; i++) {
        ggk_importances b = entry_at(again, i);
        ggk_importances a = entry_at(sum, ggk_imatrix_find(sum, b.name));
        const bool same = a.n_values == b.n_values &&
                          (info.legacy || a.n_slices == b.n_slices);

        if (!same || (!info.legacy &&
                      memcmp(a.values, b.values,
                             (size_t)a.n_values * sizeof *a.values) != 0))
            abort();
    }
}

static void write_as(const ggk_imatrix *sum, ggk_imatrix_format format)
{
    const char *path = path_of("imatrix");
    ggk_imatrix *again;
    ggk_source *source;
    ggk_plan *plan;
    ggk_error err;
    ggk_status status;

    must(ggk_plan_new(NULL, &plan, &err), &err);
    status = ggk_plan_add_imatrix(plan, path, sum, format, &err);
    if (status == GGK_OK && is_small(plan)) {
        run(plan);
        must(ggk_source_open_file(path, NULL, &source, &err), &err);
        /* counts and means may be none any more, where floats end */
        if (ggk_imatrix_open_source(source, GGK_IMATRIX_SUMS | GGK_IMATRIX_ANY,
                                    NULL, &again, &err) == GGK_OK) {
            compare(sum, again);
            ggk_imatrix_close(again);
        }
    } else if (status != GGK_OK && status != GGK_E_NOT_FOUND &&
               status != GGK_E_LIMIT && status != GGK_E_VALUE &&
               status != GGK_E_UNSUPPORTED) {
        abort();
    }
    ggk_plan_free(plan);
}

static void add_up(const ggk_imatrix *sums)
{
    ggk_imatrix *sum;
    ggk_error err;

    must(ggk_imatrix_new(0, NULL, &sum, &err), &err);
    for (int i = 0; i < 2 && ggk_imatrix_add(sum, sums, &err) == GGK_OK; i++) {
        write_as(sum, GGK_IMATRIX_GGUF);
        write_as(sum, GGK_IMATRIX_LEGACY);
    }
    ggk_imatrix_close(sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    ggk_imatrix *imatrix = open_bytes(data, bytes, 0);
    ggk_imatrix *sums = open_bytes(data, bytes, GGK_IMATRIX_SUMS);
    ggk_imatrix *any = open_bytes(data, bytes, GGK_IMATRIX_ANY);

    if (folder[0] == '\0')
        make_folder();
    if ((imatrix == NULL) != (sums == NULL) || (any == NULL && sums != NULL))
        abort();
    judge(data, bytes, imatrix != NULL);
    if (imatrix != NULL) {
        use_entries(imatrix);
        use_entries(sums);
        add_up(sums);
    }
    ggk_imatrix_close(any);
    ggk_imatrix_close(sums);
    ggk_imatrix_close(imatrix);
    return 0;
}
