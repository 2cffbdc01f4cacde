/* type_ids.h - numbers of tensor types that code has to name; format/types.c
 * has all of them, with what they are. */
#ifndef GGKI_TYPE_IDS_H
#define GGKI_TYPE_IDS_H

/* ggml.h of llama.cpp v0.5.0, enum ggml_type. */
enum ggki_type_id {
    GGKI_F32 = 0,
    GGKI_F16 = 1,
    GGKI_Q4_0 = 2,
    GGKI_Q4_1 = 3,
    GGKI_Q5_0 = 6,
    GGKI_Q5_1 = 7,
    GGKI_Q8_0 = 8,
    GGKI_Q8_1 = 9,
    GGKI_Q2_K = 10,
    GGKI_Q3_K = 11,
    GGKI_Q4_K = 12,
    GGKI_Q5_K = 13,
    GGKI_Q6_K = 14,
    GGKI_Q8_K = 15,
    GGKI_IQ2_XXS = 16,
    GGKI_IQ2_XS = 17,
    GGKI_IQ3_XXS = 18,
    GGKI_IQ1_S = 19,
    GGKI_IQ4_NL = 20,
    GGKI_IQ3_S = 21,
    GGKI_IQ2_S = 22,
    GGKI_IQ4_XS = 23,
    GGKI_I8 = 24,
    GGKI_I16 = 25,
    GGKI_I32 = 26,
    GGKI_I64 = 27,
    GGKI_F64 = 28,
    GGKI_IQ1_M = 29,
    GGKI_BF16 = 30,
    GGKI_TQ1_0 = 34,
    GGKI_TQ2_0 = 35,
    GGKI_MXFP4 = 39,
    GGKI_NVFP4 = 40,
    GGKI_Q1_0 = 41,
    GGKI_Q2_0 = 42
};

#endif
