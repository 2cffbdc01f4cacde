/* fuzz_mutator.c - the changes of mutate.c, for libFuzzer: half of the time
 * they take the place of its own. */
#include <string.h>

#include "mutate.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                 const uint8_t *data2, size_t size2,
                                 uint8_t *out, size_t max_out_size,
                                 unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned int seed)
{
    struct mutant m = {data, size, max_size};
    uint64_t dice = mutate_dice(seed, size);

    if (seed % 2 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    mutate(&m, &m, &dice);
    return m.n;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                 const uint8_t *data2, size_t size2,
                                 uint8_t *out, size_t max_out_size,
                                 unsigned int seed)
{
    struct mutant m = {out, size1 < max_out_size ? size1 : max_out_size,
                       max_out_size};
    uint8_t copy[4096];
    struct mutant donor = {copy, size2 < sizeof copy ? size2 : sizeof copy,
                           sizeof copy};
    uint64_t dice = mutate_dice(seed, size1 + size2);

    memcpy(out, data1, m.n);
    memcpy(copy, data2, donor.n);
    mutate(&m, &donor, &dice);
    return m.n;
}
