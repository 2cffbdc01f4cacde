/* imatrix.h - what a ggk_imatrix is made of, for those that fill it. */
#ifndef GGKI_IMATRIX_H
#define GGKI_IMATRIX_H

#include "base/namemap.h"
#include "ggk.h"

/* What tensors of a GGUF are called, after the tensor that they are about. */
#define GGKI_IMATRIX_SUMS   ".in_sum2"
#define GGKI_IMATRIX_COUNTS ".counts"

/* Bytes of a tensor's name that llama.cpp reads. */
#define GGKI_IMATRIX_NAME_MOST 63u

/* Keys of a GGUF, behind general.type. */
#define GGKI_IMATRIX_DATASETS   "imatrix.datasets"
#define GGKI_IMATRIX_N_CHUNKS   "imatrix.chunk_count"
#define GGKI_IMATRIX_CHUNK_SIZE "imatrix.chunk_size"

/* What an entry has that keeps it from being read, and the rest does not. */
enum ggki_fault {
    GGKI_FAULT_NONE,    /* nothing: what failed is none of the file's */
    GGKI_FAULT_NAME,    /* a name that is too long */
    GGKI_FAULT_PAIR,    /* sums without counts, or the other way round */
    GGKI_FAULT_TYPE,    /* one that is not F32 */
    GGKI_FAULT_SHAPE,   /* sums that cannot be shared out to the counts */
    GGKI_FAULT_NUMBER,  /* one that a count, or a value, cannot be */
    GGKI_FAULT_DATA,    /* it is not in the file */
    GGKI_FAULT_OVERLAP, /* more of it than there is in the file */
    GGKI_FAULT_TWICE,   /* the name of another */
    GGKI_FAULTS
};

/* Told why an entry cannot be read; it is passed over then. */
typedef void ggki_on_fault(void *ctx, enum ggki_fault fault,
                           const ggk_error *why);

/* How importances are read. */
struct ggki_imatrix_how {
    uint32_t flags;          /* GGK_IMATRIX_* */
    ggki_on_fault *on_fault; /* NULL: what cannot be read ends it */
    void *ctx;
};

struct ggk_imatrix {
    ggk_allocator mem;
    struct ggki_imatrix_how how;
    ggk_imatrix_info info;
    ggk_str *datasets; /* owned, as are their names */
    size_t dataset_room;
    ggk_importances *entries; /* owned, as is all that they point to */
    size_t room;
    struct ggki_namemap names;
    uint64_t n_added; /* others, of which it is the sum */
};

/* Have room for `n` entries, and for `n` datasets, in all. */
ggk_status ggki_imatrix_reserve(ggk_imatrix *imatrix, uint64_t n,
                                ggk_error *err);
ggk_status ggki_imatrix_reserve_datasets(ggk_imatrix *imatrix, uint64_t n,
                                         ggk_error *err);

/* Append an entry, for which there is room. Its values and counts are the
 * caller's to fill in, each where it is given a pointer. Errors: GGK_E_NOMEM.
 * Forget the entries from number `from` on. */
ggk_status ggki_imatrix_add(ggk_imatrix *imatrix, ggk_str name,
                            uint64_t n_values, uint64_t n_slices,
                            float **values, int64_t **counts, ggk_error *err);
void ggki_imatrix_drop(ggk_imatrix *imatrix, uint64_t from);

/* Append the name of a dataset, for which there is room. */
ggk_status ggki_imatrix_add_dataset(ggk_imatrix *imatrix, ggk_str name,
                                    ggk_error *err);

/* An entry cannot be read: GGK_OK if that was told, and the rest is read; else
 * `status`, which is why. */
ggk_status ggki_imatrix_fault(const ggk_imatrix *imatrix, enum ggki_fault fault,
                              ggk_status status, const ggk_error *why);

/* Read a source, which is closed. `err` is not NULL where faults are told. */
ggk_status ggki_imatrix_read(ggk_source *source,
                             const struct ggki_imatrix_how *how,
                             const ggk_allocator *alloc, ggk_imatrix **out,
                             ggk_error *err);

/* Fill from a .dat, or from a GGUF. */
ggk_status ggki_imatrix_read_legacy(ggk_imatrix *imatrix,
                                    const ggk_source *source, ggk_error *err);
ggk_status ggki_imatrix_read_gguf(ggk_imatrix *imatrix, const ggk_model *model,
                                  ggk_error *err);

/* The name of an entry, of a ggk_imatrix. */
bool ggki_imatrix_name_of(const void *imatrix, uint64_t i, ggk_str *out);

#endif
