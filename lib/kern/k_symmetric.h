/* k_symmetric.h - what the scalar and the vector kernels of Q3_K and Q6_K
 * share: all but the searches. */
#ifndef GGKI_K_SYMMETRIC_H
#define GGKI_K_SYMMETRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kern/k_quants.h"
#include "kern/planes.h"

/* A super-block before it is packed. */
struct ggki_symmetric_super {
    float d; /* as f16 has it */
    int8_t scales[GGKI_RUNS];
    uint8_t levels[GGKI_SUPER];
};

struct ggki_symmetric_type {
    size_t bytes; /* of a super-block */
    int half;     /* levels are below its double */
    size_t d_off; /* of d in the block */
    void (*search)(const float *x, const float *importance,
                   struct ggki_symmetric_super *super);
    void (*pack_scales)(const struct ggki_symmetric_super *super,
                        uint8_t *block);
    void (*unpack_scales)(const uint8_t *block,
                          struct ggki_symmetric_super *super);
    void (*pack_levels)(const struct ggki_symmetric_super *super,
                        uint8_t *block);
    void (*unpack_levels)(const uint8_t *block,
                          struct ggki_symmetric_super *super);
};

/* Where the levels are in the block, but for what is at its beginning. */
enum {
    GGKI_Q3_LEVELS = 32,
    GGKI_Q6_HIGH = 128,
};

static const struct planes ggki_q3_high = {GGKI_SUPER, 1, 32, 2};
static const struct planes ggki_q3_low = {GGKI_SUPER, 2, 32, 0};
static const struct planes ggki_q6_low = {GGKI_SUPER, 4, 64, 0};
static const struct planes ggki_q6_high = {GGKI_SUPER, 2, 32, 4};

extern const struct ggki_symmetric_type ggki_symmetric_q3_k;
extern const struct ggki_symmetric_type ggki_symmetric_q6_k;

/* The scales of the runs to integers: without importance. */
void ggki_q3_k_set_scales(const float *scales,
                          struct ggki_symmetric_super *super);

/* The same, with importance too; does nothing and returns false where all are
 * so small that all of the block is 0. */
bool ggki_q6_k_set_scales(const float *scales,
                          struct ggki_symmetric_super *super);

/* Put d and the scales into the block, and set them to what it then holds. */
void ggki_symmetric_put_scales(const struct ggki_symmetric_type *type,
                               struct ggki_symmetric_super *super,
                               uint8_t *block);

/* The scalar kernel. */
void ggki_symmetric_quantize(const struct ggki_symmetric_type *type,
                             const float *x, uint8_t *blocks, size_t n_rows,
                             size_t row_n, const float *importance);

#endif
