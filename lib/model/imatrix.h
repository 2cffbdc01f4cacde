/* imatrix.h - what a ggk_imatrix is made of, for those that fill it. */
#ifndef GGKI_IMATRIX_H
#define GGKI_IMATRIX_H

#include "base/namemap.h"
#include "ggk.h"

struct ggk_imatrix {
    ggk_allocator mem;
    ggk_imatrix_info info;    /* with the dataset's name, which is owned */
    ggk_importances *entries; /* and all that they point to is */
    size_t room;
    struct ggki_namemap names;
};

/* Make room for `n` entries; once, before the first. */
ggk_status ggki_imatrix_reserve(ggk_imatrix *imatrix, uint64_t n,
                                ggk_error *err);

/* Append an entry, for which there is room. Its values and counts are the
 * caller's to fill in, each where it is given a pointer. Errors: GGK_E_NOMEM.
 */
ggk_status ggki_imatrix_add(ggk_imatrix *imatrix, ggk_str name,
                            uint64_t n_values, uint64_t n_slices,
                            float **values, int64_t **counts, ggk_error *err);

/* Keep the name of the first dataset. */
ggk_status ggki_imatrix_set_dataset(ggk_imatrix *imatrix, ggk_str name,
                                    ggk_error *err);

/* Fill from a .dat, or from a GGUF. */
ggk_status ggki_imatrix_read_legacy(ggk_imatrix *imatrix,
                                    const ggk_source *source, ggk_error *err);
ggk_status ggki_imatrix_read_gguf(ggk_imatrix *imatrix, const ggk_model *model,
                                  ggk_error *err);

#endif
