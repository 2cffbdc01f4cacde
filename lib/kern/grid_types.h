/* grid_types.h - what the scalar and the vector kernels of IQ2_* and IQ3_*
 * share: blocks, and all but the searches.
 *
 * 16 or 32 numbers, a run, have a scale; of each 8 or 4 in it, a group, the
 * magnitudes are a point of a grid. x is about d * (2 * scale + 1) * unit *
 * value, where the level of the point says which value.
 */
#ifndef GGKI_GRID_TYPES_H
#define GGKI_GRID_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kern/grids.h"
#include "kern/k_quants.h"

enum {
    GGKI_GRID_RUN_MAX = 32,                       /* numbers */
    GGKI_GRID_GROUPS = GGKI_SUPER / 4,            /* at most */
    GGKI_GRID_RUN_GROUPS = 8,                     /* at most */
    GGKI_GRID_OCTETS = GGKI_SUPER / 8,            /* of signs */
    GGKI_GRID_RUN_OCTETS = GGKI_GRID_RUN_MAX / 8, /* at most */
};

/* IQ2_XS: d; an u16 for each point: 9 bits of its number, seven signs; the
 * scales. */
enum { GGKI_IQ2_XS_SCALES = 66, GGKI_IQ2_XS_BYTES = 74 };

/* IQ3_S: d; low bytes of the points, their high bits, signs, the scales. */
enum {
    GGKI_IQ3_S_HIGH = 66,
    GGKI_IQ3_S_SIGNS = 74,
    GGKI_IQ3_S_SCALES = 106,
    GGKI_IQ3_S_BYTES = 110,
};

/* A super-block before it is packed. */
struct ggki_grid_super {
    float d;
    uint16_t places[GGKI_GRID_GROUPS]; /* numbers of points */
    uint8_t signs[GGKI_GRID_OCTETS];   /* bit i: number i is negative */
    uint8_t scales[GGKI_RUNS];
    unsigned empty; /* bit i: run i was taken for 0 */
};

/* What is searched again once the scale is found. */
enum ggki_grid_again {
    GGKI_AGAIN_OFF,    /* the groups that were no points */
    GGKI_AGAIN_IF_OFF, /* all, if one was none, or no scale was found */
    GGKI_AGAIN_ALL,
};

struct ggki_grid_type {
    enum ggki_grid_id grid;
    size_t bytes;     /* of a super-block */
    size_t run;       /* numbers with a scale of their own */
    float values[16]; /* of levels, in units; 0 behind the last */
    float unit;
    bool parity;  /* of 8 signs, an even number is negative */
    float least;  /* a run whose numbers are all below is taken for 0 */
    float spread; /* how much of the mean square, to weigh with importance */
    float base;   /* how much of that is added to squares, without */
    bool sweep;   /* the first scale is that of a search, not of the largest */
    int steps;    /* as many scales below the first are tried, and above */
    float step;
    enum ggki_grid_again again;
    bool keeps;    /* a block without scales keeps what else was found */
    float stretch; /* of d, once the scales are found */
    void (*pack)(const struct ggki_grid_super *super, uint8_t *block);
    void (*unpack)(const uint8_t *block, struct ggki_grid_super *super);
};

extern const struct ggki_grid_type ggki_grid_iq2_xxs;
extern const struct ggki_grid_type ggki_grid_iq2_xs;
extern const struct ggki_grid_type ggki_grid_iq2_s;
extern const struct ggki_grid_type ggki_grid_iq3_xxs;
extern const struct ggki_grid_type ggki_grid_iq3_s;

/* What the numbers of a run are multiples of. */
static inline float ggki_grid_scale(const struct ggki_grid_type *type, float d,
                                    unsigned scale)
{
    return d * (float)(2 * scale + 1) * type->unit;
}

/* Two scales of each of `n` bytes. */
void ggki_grid_unpack_scales(const uint8_t *in, size_t n,
                             struct ggki_grid_super *super);

/* The scales of the runs, none of them negative, and 0 behind the last one, to
 * integers, and all of it into the block. */
void ggki_grid_put(const struct ggki_grid_type *type, const float *scales,
                   struct ggki_grid_super *super, uint8_t *block);

/* The scalar kernel. */
void ggki_grid_quantize(const struct ggki_grid_type *type, const float *x,
                        uint8_t *blocks, size_t n_rows, size_t row_n,
                        const float *importance);

ggki_quantize ggki_quantize_iq2_xxs_generic;
ggki_quantize ggki_quantize_iq2_xs_generic;
ggki_quantize ggki_quantize_iq2_s_generic;
ggki_quantize ggki_quantize_iq3_xxs_generic;
ggki_quantize ggki_quantize_iq3_s_generic;

ggki_dequantize ggki_dequantize_iq2_xxs_generic;
ggki_dequantize ggki_dequantize_iq2_xs_generic;
ggki_dequantize ggki_dequantize_iq2_s_generic;
ggki_dequantize ggki_dequantize_iq3_xxs_generic;
ggki_dequantize ggki_dequantize_iq3_s_generic;

#endif
