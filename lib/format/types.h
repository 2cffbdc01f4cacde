/* types.h - the tensor types, and how many bytes a tensor of one takes. */
#ifndef GGKI_TYPES_H
#define GGKI_TYPES_H

#include "ggk.h"

/* The type with that id: from `table` if it has one (may be NULL), else built
 * in; NULL if nobody knows it. */
const ggk_type_info *ggki_type_find(const ggk_type_table *table, uint32_t id);

/* Is it one of the eight integer types, of the four signed ones? */
bool ggki_value_is_integer(uint32_t type);
bool ggki_value_is_signed(uint32_t type);

static inline bool ggki_type_is_opaque(const ggk_type_info *type)
{
    return type == NULL || type->block == 0;
}

/* Why a size cannot be computed: GGK_E_BLOCK, GGK_E_OVERFLOW, else GGK_OK. */
ggk_status ggki_row_bytes(const ggk_type_info *type, uint64_t ne0,
                          uint64_t *out);

/* The same for a whole tensor; `ne` must have passed ggki_count_dim. */
ggk_status ggki_tensor_bytes(const ggk_type_info *type, const uint64_t *ne,
                             uint32_t n_dims, uint64_t *out);

/* Multiply dimension `ne` into `*nonzero`, the product of those before it with
 * zeros counted as one. GGK_E_DIM, GGK_E_OVERFLOW, else GGK_OK. */
ggk_status ggki_count_dim(uint64_t ne, uint64_t *nonzero);

#endif
