/* digest_xxh.c - XXH64 and XXH3, from the header of xxHash. */
#include "ops/digest.h"

#include <stdio.h>
#include <string.h>

#ifdef GGK_XXHASH
#    define XXH_INLINE_ALL
#    include <xxhash.h>

union xxh_state {
    XXH64_state_t xxh64;
    XXH3_state_t xxh3;
};

_Static_assert(_Alignof(union xxh_state) <= GGKI_XXH_ALIGN, "alignment");

size_t ggki_xxh_bytes(void)
{
    return sizeof(union xxh_state);
}

void ggki_xxh_version(char *out)
{
    snprintf(out, GGK_LIBRARY_VERSION_BYTES, "%d.%d.%d", XXH_VERSION_MAJOR,
             XXH_VERSION_MINOR, XXH_VERSION_RELEASE);
}

void ggki_xxh_begin(void *state, uint32_t algo)
{
    union xxh_state *s = state;

    if (algo == GGK_ALGO_XXH3) {
        memset(&s->xxh3, 0, sizeof s->xxh3); /* as the header asks */
        XXH3_64bits_reset(&s->xxh3);
    } else {
        XXH64_reset(&s->xxh64, 0);
    }
}

void ggki_xxh_update(void *state, uint32_t algo, const void *data, size_t bytes)
{
    union xxh_state *s = state;

    if (algo == GGK_ALGO_XXH3)
        XXH3_64bits_update(&s->xxh3, data, bytes);
    else
        XXH64_update(&s->xxh64, data, bytes);
}

void ggki_xxh_end(void *state, uint32_t algo, uint8_t *out)
{
    const union xxh_state *s = state;
    uint64_t digest = algo == GGK_ALGO_XXH3 ? XXH3_64bits_digest(&s->xxh3)
                                            : XXH64_digest(&s->xxh64);

    for (int i = 7; i >= 0; i--, digest >>= 8)
        out[i] = (uint8_t)digest;
}

#else

size_t ggki_xxh_bytes(void)
{
    return 0;
}

void ggki_xxh_version(char *out)
{
    *out = '\0';
}

void ggki_xxh_begin(void *state, uint32_t algo)
{
    (void)state;
    (void)algo;
}

void ggki_xxh_update(void *state, uint32_t algo, const void *data, size_t bytes)
{
    (void)state;
    (void)algo;
    (void)data;
    (void)bytes;
}

void ggki_xxh_end(void *state, uint32_t algo, uint8_t *out)
{
    (void)state;
    memset(out, 0, ggk_algo_bytes(algo));
}

#endif
