/* gap_bytes.h - what lies between the tensors of a file, and is no part of the
 * model. */
#ifndef CLI_GAP_BYTES_H
#define CLI_GAP_BYTES_H

#include "input.h"

/* gap_bytes_find - the first byte that is not zero and belongs to nothing: in
 * the padding behind the header, between the tensors, or in the padding of the
 * last, of file `file` of the model; GGK_NO_OFFSET in *out if there is none.
 * What follows is not looked at: see ggk_file.trailing. Reads no data of
 * tensors, and of holes nothing. */
ggk_status gap_bytes_find(const struct input *in, uint32_t file, uint64_t *out,
                          ggk_error *err);

#endif
