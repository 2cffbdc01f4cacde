/* dispatch.c - which kernels there are, and which of them this processor runs.
 */
#include "kern/kernels.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "base/type_ids.h"
#include "kern/arm/arm.h"
#include "kern/grid_types.h"
#include "kern/iq1.h"
#include "kern/k_quants.h"
#include "kern/x86/x86.h"

#if defined(__x86_64__)
#    include <cpuid.h>
#endif

/* By the type. */
static const struct ggki_kern generic[] = {
    [GGKI_F32] = {ggki_quantize_f32_generic, ggki_dequantize_f32_generic},
    [GGKI_F16] = {ggki_quantize_f16_generic, ggki_dequantize_f16_generic},
    [GGKI_Q4_0] = {ggki_quantize_q4_0_generic, ggki_dequantize_q4_0_generic},
    [GGKI_Q4_1] = {ggki_quantize_q4_1_generic, ggki_dequantize_q4_1_generic},
    [GGKI_Q5_0] = {ggki_quantize_q5_0_generic, ggki_dequantize_q5_0_generic},
    [GGKI_Q5_1] = {ggki_quantize_q5_1_generic, ggki_dequantize_q5_1_generic},
    [GGKI_Q8_0] = {ggki_quantize_q8_0_generic, ggki_dequantize_q8_0_generic},
    [GGKI_Q8_1] = {NULL, ggki_dequantize_q8_1_generic},
    [GGKI_Q2_K] = {ggki_quantize_q2_k_generic, ggki_dequantize_q2_k_generic},
    [GGKI_Q3_K] = {ggki_quantize_q3_k_generic, ggki_dequantize_q3_k_generic},
    [GGKI_Q4_K] = {ggki_quantize_q4_k_generic, ggki_dequantize_q4_k_generic},
    [GGKI_Q5_K] = {ggki_quantize_q5_k_generic, ggki_dequantize_q5_k_generic},
    [GGKI_Q6_K] = {ggki_quantize_q6_k_generic, ggki_dequantize_q6_k_generic},
    [GGKI_Q8_K] = {NULL, ggki_dequantize_q8_k_generic},
    [GGKI_IQ2_XXS] = {ggki_quantize_iq2_xxs_generic,
                      ggki_dequantize_iq2_xxs_generic},
    [GGKI_IQ2_XS] = {ggki_quantize_iq2_xs_generic,
                     ggki_dequantize_iq2_xs_generic},
    [GGKI_IQ3_XXS] = {ggki_quantize_iq3_xxs_generic,
                      ggki_dequantize_iq3_xxs_generic},
    [GGKI_IQ1_S] = {ggki_quantize_iq1_s_generic, ggki_dequantize_iq1_s_generic},
    [GGKI_IQ4_NL] = {ggki_quantize_iq4_nl_generic,
                     ggki_dequantize_iq4_nl_generic},
    [GGKI_IQ3_S] = {ggki_quantize_iq3_s_generic, ggki_dequantize_iq3_s_generic},
    [GGKI_IQ2_S] = {ggki_quantize_iq2_s_generic, ggki_dequantize_iq2_s_generic},
    [GGKI_IQ4_XS] = {ggki_quantize_iq4_xs_generic,
                     ggki_dequantize_iq4_xs_generic},
    [GGKI_I8] = {NULL, ggki_dequantize_i8_generic},
    [GGKI_I16] = {NULL, ggki_dequantize_i16_generic},
    [GGKI_I32] = {NULL, ggki_dequantize_i32_generic},
    [GGKI_I64] = {NULL, ggki_dequantize_i64_generic},
    [GGKI_F64] = {ggki_quantize_f64_generic, ggki_dequantize_f64_generic},
    [GGKI_IQ1_M] = {ggki_quantize_iq1_m_generic, ggki_dequantize_iq1_m_generic},
    [GGKI_BF16] = {ggki_quantize_bf16_generic, ggki_dequantize_bf16_generic},
    [GGKI_TQ1_0] = {ggki_quantize_tq1_0_generic, ggki_dequantize_tq1_0_generic},
    [GGKI_TQ2_0] = {ggki_quantize_tq2_0_generic, ggki_dequantize_tq2_0_generic},
    [GGKI_MXFP4] = {ggki_quantize_mxfp4_generic, ggki_dequantize_mxfp4_generic},
    [GGKI_NVFP4] = {ggki_quantize_nvfp4_generic, ggki_dequantize_nvfp4_generic},
    [GGKI_Q1_0] = {ggki_quantize_q1_0_generic, ggki_dequantize_q1_0_generic},
    [GGKI_Q2_0] = {ggki_quantize_q2_0_generic, ggki_dequantize_q2_0_generic},
};

enum { N_TYPES = sizeof generic / sizeof *generic };

#if defined(__x86_64__)
/* Not all compilers know its name. */
static bool has_f16c(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

/* Does the system, too, save the registers? __builtin_cpu_supports looks. */
static enum ggki_isa ask(void)
{
    if (!__builtin_cpu_supports("avx2") || !has_f16c())
        return GGKI_ISA_GENERIC;
    if (!__builtin_cpu_supports("avx512f") ||
        !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return GGKI_ISA_AVX2;
    return GGKI_ISA_AVX512;
}

/* Asked once: that takes longer than many a row of numbers, most of all in a
 * virtual machine. Two threads that ask at once hear the same. */
enum ggki_isa ggki_isa_best(void)
{
    static atomic_int best_known = -1;
    int isa = atomic_load_explicit(&best_known, memory_order_relaxed);

    if (isa < 0) {
        isa = (int)ask();
        atomic_store_explicit(&best_known, isa, memory_order_relaxed);
    }
    return (enum ggki_isa)isa;
}
#else
enum ggki_isa ggki_isa_best(void)
{
    return GGKI_HAS_NEON ? GGKI_ISA_NEON : GGKI_ISA_GENERIC;
}
#endif

/* Take those that are there. */
static void replace(struct ggki_kern *kern, struct ggki_kern better)
{
    if (better.quantize != NULL)
        kern->quantize = better.quantize;
    if (better.dequantize != NULL)
        kern->dequantize = better.dequantize;
}

struct ggki_kern ggki_kern_of(uint32_t type, enum ggki_isa isa)
{
    struct ggki_kern found = {NULL, NULL};

    if (type >= N_TYPES)
        return found;
    found = generic[type];
    if (isa >= GGKI_ISA_NEON)
        replace(&found, ggki_kern_neon(type));
    if (isa >= GGKI_ISA_AVX2)
        replace(&found, ggki_kern_avx2(type));
    if (isa >= GGKI_ISA_AVX512)
        replace(&found, ggki_kern_avx512(type));
    return found;
}
