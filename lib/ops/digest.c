/* digest.c - the algorithms: their names, their texts, and how each is run. */
#include "ops/digest.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* The namespace of llama.cpp's UUIDs. */
static const uint8_t uuid_namespace[16] = {0xef, 0x00, 0x12, 0x06, 0xda, 0xdc,
                                           0x5f, 0x6d, 0xa1, 0x5f, 0x33, 0x59,
                                           0xe5, 0x77, 0xd4, 0xe5};

enum { SHA1_BYTES = 20 };

/* ------------------------------------------------------------------- names */

static const struct algo {
    const char *name;
    uint8_t bytes;
} algos[GGK_ALGO_COUNT] = {
    [GGK_ALGO_XXH64] = {"xxh64", 8}, [GGK_ALGO_XXH3] = {"xxh3", 8},
    [GGK_ALGO_SHA1] = {"sha1", 20},  [GGK_ALGO_SHA256] = {"sha256", 32},
    [GGK_ALGO_UUID] = {"uuid", 16},  [GGK_ALGO_CONTENT] = {"content", 32},
};

const char *ggk_algo_name(uint32_t algo)
{
    return algo < GGK_ALGO_COUNT ? algos[algo].name : NULL;
}

size_t ggk_algo_bytes(uint32_t algo)
{
    return algo < GGK_ALGO_COUNT ? algos[algo].bytes : 0;
}

bool ggki_algo_is_sha(uint32_t algo)
{
    return algo >= GGK_ALGO_SHA1 && algo < GGK_ALGO_COUNT;
}

static ggk_status fail_without_xxh(ggk_error *err)
{
    return ggki_fail(err, GGK_E_UNSUPPORTED,
                     "XXH64 and XXH3 are not in this build: it was made "
                     "without the header of xxHash (Debian: libxxhash-dev), or "
                     "with -DGGK_XXHASH=OFF");
}

ggk_status ggk_algo_usable(uint32_t algo, ggk_error *err)
{
    struct ggki_sha sha;
    ggk_status status;

    if (algo >= GGK_ALGO_COUNT)
        return ggki_fail(err, GGK_E_ARG, "there is no algorithm %u",
                         (unsigned)algo);
    if (!ggki_algo_is_sha(algo))
        return ggki_xxh_bytes() > 0 ? GGK_OK : fail_without_xxh(err);
    status = ggki_sha_open(&sha, err);
    if (status == GGK_OK)
        ggki_sha_close(&sha);
    return status;
}

const char *ggk_algo_library(uint32_t algo, char *version)
{
    struct ggki_sha sha;

    *version = '\0';
    if (algo >= GGK_ALGO_COUNT)
        return NULL;
    if (!ggki_algo_is_sha(algo)) {
        ggki_xxh_version(version);
        return "xxHash";
    }
    if (ggki_sha_open(&sha, NULL) == GGK_OK) {
        ggki_sha_version(&sha, version);
        ggki_sha_close(&sha);
    }
    return "libcrypto";
}

/* ------------------------------------------------------------------- texts */

/* Is there a dash before byte `i`? */
static bool has_dash(uint32_t algo, size_t i)
{
    return algo == GGK_ALGO_UUID && (i == 4 || i == 6 || i == 8 || i == 10);
}

size_t ggk_digest_format(uint32_t algo, const uint8_t *digest, char *out)
{
    static const char digits[] = "0123456789abcdef";
    size_t n = 0;

    for (size_t i = 0; i < ggk_algo_bytes(algo); i++) {
        if (has_dash(algo, i))
            out[n++] = '-';
        out[n++] = digits[digest[i] >> 4];
        out[n++] = digits[digest[i] & 15];
    }
    out[n] = '\0';
    return n;
}

/* The value of a hexadecimal digit, or -1. */
static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

bool ggk_digest_parse(uint32_t algo, ggk_str text, uint8_t *out)
{
    size_t bytes = ggk_algo_bytes(algo), at = 0;

    memset(out, 0, bytes);
    if (bytes == 0 || text.len != 2 * bytes + (algo == GGK_ALGO_UUID ? 4u : 0u))
        return false;
    for (size_t i = 0; i < bytes; i++, at += 2) {
        if (has_dash(algo, i) && text.ptr[at++] != '-')
            return false;
        if (digit(text.ptr[at]) < 0 || digit(text.ptr[at + 1]) < 0)
            return false;
        out[i] = (uint8_t)(digit(text.ptr[at]) << 4 | digit(text.ptr[at + 1]));
    }
    return true;
}

/* ------------------------------------------------------------------ hashers */

static const void *sha_kind(const struct ggki_hasher *hasher)
{
    return hasher->sha->kinds[hasher->algo == GGK_ALGO_SHA256]();
}

ggk_status ggki_hasher_fail(const struct ggki_hasher *hasher, ggk_error *err)
{
    return ggki_fail(err, GGK_E_UNSUPPORTED,
                     "libcrypto does not compute %s here",
                     ggk_algo_name(hasher->algo));
}

static size_t xxh_memory(void)
{
    return ggki_xxh_bytes() + GGKI_XXH_ALIGN;
}

ggk_status ggki_hasher_init(struct ggki_hasher *hasher, uint32_t algo,
                            const struct ggki_sha *sha,
                            const ggk_allocator *mem, ggk_error *err)
{
    uintptr_t past;

    *hasher = (struct ggki_hasher){.algo = algo, .sha = sha};
    if (!ggki_algo_is_sha(algo)) {
        if (ggki_xxh_bytes() == 0)
            return fail_without_xxh(err);
        hasher->memory = ggki_mem_zero(mem, xxh_memory());
        if (hasher->memory == NULL)
            return ggki_fail_memory(err);
        past = (uintptr_t)hasher->memory % GGKI_XXH_ALIGN;
        hasher->state = (char *)hasher->memory + (GGKI_XXH_ALIGN - past);
        return GGK_OK;
    }
    hasher->state = sha->new_state();
    if (hasher->state == NULL)
        return ggki_fail_memory(err);
    if (sha->begin(hasher->state, sha_kind(hasher), NULL) == 1)
        return GGK_OK;
    ggki_hasher_free(hasher, mem);
    return ggki_hasher_fail(hasher, err);
}

void ggki_hasher_free(struct ggki_hasher *hasher, const ggk_allocator *mem)
{
    if (ggki_algo_is_sha(hasher->algo) && hasher->state != NULL)
        hasher->sha->free_state(hasher->state);
    ggki_mem_release(mem, hasher->memory, xxh_memory());
    hasher->state = hasher->memory = NULL;
}

bool ggki_hasher_begin(struct ggki_hasher *hasher)
{
    if (!ggki_algo_is_sha(hasher->algo)) {
        ggki_xxh_begin(hasher->state, hasher->algo);
        return true;
    }
    /* Without a kind it stays what it is, which saves a search for it. */
    return hasher->sha->begin(hasher->state, NULL, NULL) == 1 &&
           (hasher->algo != GGK_ALGO_UUID ||
            ggki_hasher_update(hasher, uuid_namespace, sizeof uuid_namespace));
}

bool ggki_hasher_update(struct ggki_hasher *hasher, const void *data,
                        size_t bytes)
{
    if (bytes == 0)
        return true;
    if (ggki_algo_is_sha(hasher->algo))
        return hasher->sha->update(hasher->state, data, bytes) == 1;
    ggki_xxh_update(hasher->state, hasher->algo, data, bytes);
    return true;
}

bool ggki_hasher_end(struct ggki_hasher *hasher, uint8_t *out)
{
    uint8_t sha1[SHA1_BYTES];

    if (!ggki_algo_is_sha(hasher->algo)) {
        ggki_xxh_end(hasher->state, hasher->algo, out);
        return true;
    }
    if (hasher->algo != GGK_ALGO_UUID)
        return hasher->sha->end(hasher->state, out, NULL) == 1;
    if (hasher->sha->end(hasher->state, sha1, NULL) != 1)
        return false;
    memcpy(out, sha1, ggk_algo_bytes(GGK_ALGO_UUID));
    out[6] = (uint8_t)(5 << 4 | (out[6] & 0x0f)); /* version 5 */
    out[8] = (uint8_t)(0x80 | (out[8] & 0x3f));   /* of RFC 9562 */
    return true;
}
