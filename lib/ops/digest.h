/* digest.h - one digest after another, by whatever computes them. */
#ifndef GGKI_DIGEST_H
#define GGKI_DIGEST_H

#include "ggk.h"

/* The functions of libcrypto, which is opened when it is needed: no program
 * that hashes nothing pays for it. All NULL before that. */
struct ggki_sha {
    void *library;
    void *(*new_state)(void);
    void (*free_state)(void *state);
    const void *(*kinds[2])(void); /* SHA-1, SHA-256 */
    int (*begin)(void *state, const void *kind, void *engine);
    int (*update)(void *state, const void *data, size_t bytes);
    int (*end)(void *state, unsigned char *out, unsigned *bytes);
    const char *(*version)(int kind);
};

/* Open libcrypto. Errors: GGK_E_UNSUPPORTED. */
ggk_status ggki_sha_open(struct ggki_sha *sha, ggk_error *err);
void ggki_sha_close(struct ggki_sha *sha);

/* Its version, or "": of libcrypto as it is open, of xxHash as it was built.
 * Room for GGK_LIBRARY_VERSION_BYTES. */
void ggki_sha_version(const struct ggki_sha *sha, char *out);
void ggki_xxh_version(char *out);

/* A state for XXH64 or XXH3, in memory of ggki_xxh_bytes() that is aligned to
 * 64; 0 if it was built without xxHash. */
#define GGKI_XXH_ALIGN 64
size_t ggki_xxh_bytes(void);
void ggki_xxh_begin(void *state, uint32_t algo);
void ggki_xxh_update(void *state, uint32_t algo, const void *data,
                     size_t bytes);
void ggki_xxh_end(void *state, uint32_t algo, uint8_t *out);

/* Is it one of those that SHA-1 or SHA-256 is needed for? */
bool ggki_algo_is_sha(uint32_t algo);

/* Computes digests of one algorithm (not CONTENT), one at a time. */
struct ggki_hasher {
    uint32_t algo;
    const struct ggki_sha *sha;
    void *state;
    void *memory; /* which holds the state */
};

/* `sha` must be open if the algorithm needs it, and outlive the hasher. On
 * failure there is nothing to free. Errors: GGK_E_UNSUPPORTED, GGK_E_NOMEM. */
ggk_status ggki_hasher_init(struct ggki_hasher *hasher, uint32_t algo,
                            const struct ggki_sha *sha,
                            const ggk_allocator *mem, ggk_error *err);
void ggki_hasher_free(struct ggki_hasher *hasher, const ggk_allocator *mem);

/* Begin, go on, end: the digest into `out`, ggk_algo_bytes of it. False if
 * libcrypto fails. */
bool ggki_hasher_begin(struct ggki_hasher *hasher);
bool ggki_hasher_update(struct ggki_hasher *hasher, const void *data,
                        size_t bytes);
bool ggki_hasher_end(struct ggki_hasher *hasher, uint8_t *out);

/* The failure of one of these. */
ggk_status ggki_hasher_fail(const struct ggki_hasher *hasher, ggk_error *err);

#endif
