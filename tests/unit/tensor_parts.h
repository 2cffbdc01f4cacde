/* tensor_parts.h - for tests: models of tensors whose data is given. */
#ifndef TESTS_TENSOR_PARTS_H
#define TESTS_TENSOR_PARTS_H

#include "format/block_swap.h"
#include "kinds.h"
#include "splitmix.h"

struct tensor_part {
    const char *name, *type;
    uint64_t ne[2];   /* 0 if there is no second dimension */
    const void *data; /* little-endian */
};

static inline uint64_t tensor_part_bytes(const struct tensor_part *p)
{
    uint64_t bytes;

    assert_int_equal(ggk_type_tensor_bytes(ggk_type_by_name(p->type), p->ne,
                                           p->ne[1] > 0 ? 2 : 1, &bytes, NULL),
                     GGK_OK);
    return bytes;
}

static inline struct bytes bytes_of_parts(const struct tensor_part *parts,
                                          size_t n, bool big)
{
    struct bytes b = bytes_of(3, big);
    uint64_t off = 0;

    put_header(&b, n, 1);
    put_kv_str(&b, "general.architecture", "llama");
    for (size_t i = 0; i < n; i++) {
        put_info(&b, parts[i].name, parts[i].ne[1] > 0 ? 2 : 1, parts[i].ne,
                 ggk_type_by_name(parts[i].type)->id, off);
        off += (tensor_part_bytes(&parts[i]) + 31) / 32 * 32;
    }
    put_padding(&b, 32);
    for (size_t i = 0; i < n; i++) {
        const ggk_type_info *type = ggk_type_by_name(parts[i].type);
        size_t bytes = (size_t)tensor_part_bytes(&parts[i]);
        uint8_t *at = bytes_extend(&b, bytes);

        memcpy(at, parts[i].data, bytes);
        if (big)
            ggki_swap_blocks(type, at, bytes / type->bytes);
        put_padding(&b, 32);
    }
    return b;
}

/* Bytes of any values; of the same seed the same. */
static inline void fill_random(void *out, size_t n, uint64_t seed)
{
    uint8_t *at = out;

    for (size_t i = 0; i < n; i++)
        at[i] = (uint8_t)random_bits(&seed);
}

#endif
