/* digest_sha.c - SHA-1 and SHA-256 by OpenSSL's libcrypto, opened at run time.
 *
 * Its functions are declared here as they have been since OpenSSL 1.1, so that
 * none of its headers is needed.
 */
#include "ops/digest.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"

#ifdef GGK_CRYPTO
#    include "ops/library.h"

static bool find_all(struct ggki_sha *sha)
{
    void *library = sha->library;

    return ggki_library_find(library, "EVP_MD_CTX_new", &sha->new_state) &&
           ggki_library_find(library, "EVP_MD_CTX_free", &sha->free_state) &&
           ggki_library_find(library, "EVP_sha1", &sha->kinds[0]) &&
           ggki_library_find(library, "EVP_sha256", &sha->kinds[1]) &&
           ggki_library_find(library, "EVP_DigestInit_ex", &sha->begin) &&
           ggki_library_find(library, "EVP_DigestUpdate", &sha->update) &&
           ggki_library_find(library, "EVP_DigestFinal_ex", &sha->end) &&
           ggki_library_find(library, "OpenSSL_version", &sha->version);
}

ggk_status ggki_sha_open(struct ggki_sha *sha, ggk_error *err)
{
    static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1"};

    memset(sha, 0, sizeof *sha);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        sha->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (sha->library == NULL)
            continue;
        if (find_all(sha))
            return GGK_OK;
        ggki_sha_close(sha);
    }
    return ggki_fail(err, GGK_E_UNSUPPORTED,
                     "SHA-1 and SHA-256 need OpenSSL's libcrypto, version 3 or "
                     "1.1 (Debian: libssl3), which is not installed");
}

void ggki_sha_close(struct ggki_sha *sha)
{
    if (sha->library != NULL)
        dlclose(sha->library);
    memset(sha, 0, sizeof *sha);
}

/* The second word of "OpenSSL 3.0.17 1 Jul 2025". */
void ggki_sha_version(const struct ggki_sha *sha, char *out)
{
    const char *text = sha->version(0);
    const char *space = text != NULL ? strchr(text, ' ') : NULL;

    snprintf(out, GGK_LIBRARY_VERSION_BYTES, "%s",
             space != NULL ? space + 1 : "");
    out[strcspn(out, " ")] = '\0';
}

#else

ggk_status ggki_sha_open(struct ggki_sha *sha, ggk_error *err)
{
    memset(sha, 0, sizeof *sha);
    return ggki_fail(err, GGK_E_UNSUPPORTED,
                     "SHA-1 and SHA-256 are not in this build: it was made "
                     "with -DGGK_CRYPTO=OFF");
}

void ggki_sha_close(struct ggki_sha *sha)
{
    memset(sha, 0, sizeof *sha);
}

void ggki_sha_version(const struct ggki_sha *sha, char *out)
{
    (void)sha;
    *out = '\0';
}

#endif
