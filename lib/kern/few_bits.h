/* few_bits.h - what the scalar and the vector kernels of Q1_0 and Q2_0 share:
 * their blocks. */
#ifndef GGKI_FEW_BITS_H
#define GGKI_FEW_BITS_H

enum {
    GGKI_Q1_0_N = 128, /* numbers in a block */
    GGKI_Q1_0_BYTES = 18,
    GGKI_Q2_0_N = 64,
    GGKI_Q2_0_BYTES = 18,
    GGKI_FEW_BITS_LEVELS = 2, /* where the levels begin in both */
};

#endif
