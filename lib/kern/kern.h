/* kern.h - rows of numbers to blocks, and blocks to numbers.
 *
 * The blocks are bit for bit those of ggml's quantize_row_*_ref and
 * quantize_*() as x86-64 builds without fused multiply-add have them (llama.cpp
 * v0.5.0), on every processor and with every instruction set. Every sum goes in
 * the order of that reference.
 */
#ifndef GGKI_KERN_H
#define GGKI_KERN_H

#include <stddef.h>
#include <stdint.h>

/* Instruction sets that kernels are written for, each with all before it that
 * its processor has. */
enum ggki_isa {
    GGKI_ISA_GENERIC, /* portable C */
    GGKI_ISA_NEON,    /* the Advanced SIMD of little-endian AArch64 */
    GGKI_ISA_AVX2,    /* with F16C; no FMA is used */
    GGKI_ISA_AVX512,  /* F, BW, DQ, VL */
};

/* Quantize `n_rows` rows of `row_n` numbers each, one behind the other in `x`,
 * to as many rows of blocks in `blocks`. `row_n` is a multiple of the type's
 * block. `importance` holds the weights of a row's `row_n` columns, or is NULL.
 * Any float is taken, and gives what the reference gives. Two things are left
 * to the compiler and the processor, there as here: which of several NaNs in a
 * block goes on, where their payloads differ, and the sign of a NaN that a
 * scale becomes. Where the reference ends the process, as IQ1_*, IQ2_* and
 * IQ3_* do when numbers are so large, or not finite, that no point of the grid
 * has a distance from them, the block is 0 with an infinite scale. IQ1_S,
 * IQ2_XXS and IQ2_XS without importance, which the reference does not take,
 * weigh a number by its square. Whether a number is finite is for the caller to
 * see to. Does not fail; safe in any number of threads. */
typedef void ggki_quantize(const float *x, uint8_t *blocks, size_t n_rows,
                           size_t row_n, const float *importance);

/* Dequantize `n` numbers, a multiple of the type's block. */
typedef void ggki_dequantize(const uint8_t *blocks, float *x, size_t n);

/* What can be done with the type: NULL where there is no such way. */
struct ggki_kern {
    ggki_quantize *quantize;
    ggki_dequantize *dequantize;
};

/* The best instruction set of this processor. */
enum ggki_isa ggki_isa_best(void);

/* The kernels for tensor type `type` (its number in GGUF) with `isa`, which is
 * not above the best. Where none is written for it, or it is not this
 * processor's, that of a lower one. Both are NULL for a type that is not known
 * here. */
struct ggki_kern ggki_kern_of(uint32_t type, enum ggki_isa isa);

#endif
