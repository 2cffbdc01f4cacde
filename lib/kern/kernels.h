/* kernels.h - the kernels in portable C. */
#ifndef GGKI_KERNELS_H
#define GGKI_KERNELS_H

#include "kern/kern.h"

ggki_quantize ggki_quantize_f32;
ggki_quantize ggki_quantize_f16;
ggki_quantize ggki_quantize_bf16;
ggki_quantize ggki_quantize_f64;
ggki_quantize ggki_quantize_q4_0;
ggki_quantize ggki_quantize_q4_1;
ggki_quantize ggki_quantize_q5_0;
ggki_quantize ggki_quantize_q5_1;
ggki_quantize ggki_quantize_q8_0;
ggki_quantize ggki_quantize_iq4_nl;
ggki_quantize ggki_quantize_iq4_xs;

ggki_dequantize ggki_dequantize_f32;
ggki_dequantize ggki_dequantize_f16;
ggki_dequantize ggki_dequantize_bf16;
ggki_dequantize ggki_dequantize_f64;
ggki_dequantize ggki_dequantize_q4_0;
ggki_dequantize ggki_dequantize_q4_1;
ggki_dequantize ggki_dequantize_q5_0;
ggki_dequantize ggki_dequantize_q5_1;
ggki_dequantize ggki_dequantize_q8_0;
ggki_dequantize ggki_dequantize_iq4_nl;
ggki_dequantize ggki_dequantize_iq4_xs;

#endif
