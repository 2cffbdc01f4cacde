/* k_offset.h - what the scalar and the vector kernels of Q2_K, Q4_K and Q5_K
 * share: all but the searches. */
#ifndef GGKI_K_OFFSET_H
#define GGKI_K_OFFSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kern/k_quants.h"
#include "kern/planes.h"
#include "kern/search.h"

/* A super-block before it is packed. */
struct ggki_offset_super {
    float d; /* as f16 has it */
    float dmin;
    uint8_t scales[GGKI_RUNS];
    uint8_t offsets[GGKI_RUNS];
    uint8_t levels[GGKI_SUPER];
};

/* How to find levels, without importance or with it. */
struct ggki_offset_way {
    struct ggki_steps steps;
    bool limit; /* scales and offsets to scale_top */
};

struct ggki_offset_type {
    size_t bytes; /* of a super-block */
    size_t run;   /* numbers with a scale of their own */
    int top;      /* highest level */
    int scale_top;
    bool rms;     /* to weigh a number, its run's root mean square is added */
    float spread; /* how much of the mean square, to weigh with importance */
    struct ggki_offset_way plain;
    struct ggki_offset_way weighted;
    size_t d_off; /* of d in the block; dmin follows */
    void (*pack_scales)(const struct ggki_offset_super *super, uint8_t *block);
    void (*unpack_scales)(const uint8_t *block,
                          struct ggki_offset_super *super);
    void (*pack_levels)(const struct ggki_offset_super *super, uint8_t *block);
    void (*unpack_levels)(const uint8_t *block,
                          struct ggki_offset_super *super);
};

/* Where the levels are in the block. */
enum {
    GGKI_Q2_LEVELS = 16,
    GGKI_Q4_LEVELS = 16,
    GGKI_Q5_HIGH = 16,
    GGKI_Q5_LEVELS = 48,
};

static const struct planes ggki_q2_planes = {GGKI_SUPER, 2, 32, 0};
static const struct planes ggki_q45_low = {GGKI_SUPER, 4, 32, 0};
static const struct planes ggki_q5_high = {GGKI_SUPER, 1, 32, 4};

extern const struct ggki_offset_type ggki_offset_q2_k;
extern const struct ggki_offset_type ggki_offset_q4_k;
extern const struct ggki_offset_type ggki_offset_q5_k;

/* Without importance: scales and offsets, those of the runs, to integers. */
void ggki_offset_set_scales(const struct ggki_offset_type *type,
                            const float *scales, const float *offsets,
                            struct ggki_offset_super *super);

/* Put d, dmin, the scales and the offsets, as searched in that way, into the
 * block, and set them to what it then holds. */
void ggki_offset_put_scales(const struct ggki_offset_type *type,
                            const struct ggki_offset_way *way,
                            struct ggki_offset_super *super, uint8_t *block);

/* The scalar kernel. */
void ggki_offset_quantize(const struct ggki_offset_type *type, const float *x,
                          uint8_t *blocks, size_t n_rows, size_t row_n,
                          const float *importance);

#endif
