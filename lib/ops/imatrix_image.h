/* imatrix_image.h - the bytes of importances as a file has them, as a source:
 * made when they are read, since all of them may be as large as the matrix. */
#ifndef GGKI_IMATRIX_IMAGE_H
#define GGKI_IMATRIX_IMAGE_H

#include "ggk.h"

struct ggki_imatrix_image;

/* Entry number `i` of the image, in the order of names; where its values are,
 * and its counts. */
struct ggki_imatrix_piece {
    ggk_importances e;
    uint64_t off; /* where it begins in the image */
    uint64_t values_off;
    uint64_t counts_off;
};

/* A source over all entries that a file gets. Of a .dat it is the whole file;
 * of a GGUF the numbers alone, of each entry its sums and then its counts. It
 * borrows the imatrix, which has sums; `*image` lives as long as the source.
 * Errors: GGK_E_NOT_FOUND (there are none), GGK_E_LIMIT,
 * GGK_E_VALUE (of a .dat: a count below 0; a value past all floats),
 * GGK_E_NOMEM. */
ggk_status ggki_imatrix_image_new(const ggk_imatrix *imatrix, bool legacy,
                                  const ggk_allocator *alloc,
                                  const struct ggki_imatrix_image **image,
                                  ggk_source **out, ggk_error *err);

/* How many entries it has; and one of them. */
uint64_t ggki_imatrix_image_count(const struct ggki_imatrix_image *image);
void ggki_imatrix_image_at(const struct ggki_imatrix_image *image, uint64_t i,
                           struct ggki_imatrix_piece *out);

#endif
