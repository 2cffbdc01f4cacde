/* demo.h - a small model that needs no file. */
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include "ggk.h"

/* demo_open - a one-layer llama in the mix Q4_K_M, whose header is made in
 * memory and whose data, 780112 bytes, reads as zeros. */
ggk_status demo_open(ggk_model **out, ggk_error *err);

#endif
