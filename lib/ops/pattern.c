/* pattern.c - regular expressions by PCRE2, opened at run time.
 *
 * Its functions and numbers are declared here as they have been since 10.30, so
 * that none of its headers is needed.
 */
#include "ops/pattern.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"

#ifdef GGK_PCRE2
#    include "ops/library.h"

/* Bytes, not characters: names may be of any. The rest is what ECMAScript's
 * regular expressions do: "[]" matches nothing, "\u0041" is a character, a
 * group that is not set matches nothing, "$" is the very end. */
#    define OPTION_ALLOW_EMPTY_CLASS   0x00000001u
#    define OPTION_ALT_BSUX            0x00000002u
#    define OPTION_CASELESS            0x00000008u
#    define OPTION_DOLLAR_ENDONLY      0x00000010u
#    define OPTION_MATCH_UNSET_BACKREF 0x00000200u
#    define OPTION_NEVER_UCP           0x00000800u
#    define OPTION_NEVER_UTF           0x00001000u
#    define OPTION_NEVER_BACKSLASH_C   0x00100000u

#    define NO_MATCH             (-1)
#    define TOO_MANY_STEPS       (-47)
#    define NO_MEMORY            (-48)
#    define TOO_MUCH_MEMORY      (-63)
#    define NO_MEMORY_TO_COMPILE 121

#    define MOST_STEPS 1000000u
#    define MOST_KIB   65536u

static bool find_all(struct ggki_pcre2 *p)
{
    void *library = p->library;

    return ggki_library_find(library, "pcre2_compile_8", &p->compile) &&
           ggki_library_find(library, "pcre2_code_free_8", &p->free_code) &&
           ggki_library_find(library, "pcre2_match_data_create_from_pattern_8",
                             &p->new_match) &&
           ggki_library_find(library, "pcre2_match_data_free_8",
                             &p->free_match) &&
           ggki_library_find(library, "pcre2_match_8", &p->match) &&
           ggki_library_find(library, "pcre2_match_context_create_8",
                             &p->new_limits) &&
           ggki_library_find(library, "pcre2_match_context_free_8",
                             &p->free_limits) &&
           ggki_library_find(library, "pcre2_set_match_limit_8",
                             &p->limit_steps) &&
           ggki_library_find(library, "pcre2_set_heap_limit_8",
                             &p->limit_memory) &&
           ggki_library_find(library, "pcre2_get_error_message_8",
                             &p->describe);
}

ggk_status ggki_pcre2_open(struct ggki_pcre2 *pcre2, ggk_error *err)
{
    memset(pcre2, 0, sizeof *pcre2);
    pcre2->library = dlopen("libpcre2-8.so.0", RTLD_NOW | RTLD_LOCAL);
    if (pcre2->library == NULL || !find_all(pcre2)) {
        ggki_pcre2_close(pcre2);
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "patterns need the library PCRE2, version 10.30 or "
                         "later (Debian: libpcre2-8-0), which is not "
                         "installed");
    }
    pcre2->limits = pcre2->new_limits(NULL);
    if (pcre2->limits == NULL) {
        ggki_pcre2_close(pcre2);
        return ggki_fail_memory(err);
    }
    pcre2->limit_steps(pcre2->limits, MOST_STEPS);
    pcre2->limit_memory(pcre2->limits, MOST_KIB);
    return GGK_OK;
}

void ggki_pcre2_close(struct ggki_pcre2 *pcre2)
{
    if (pcre2->limits != NULL)
        pcre2->free_limits(pcre2->limits);
    if (pcre2->library != NULL)
        dlclose(pcre2->library);
    memset(pcre2, 0, sizeof *pcre2);
}

/* What is wrong with the pattern, and why in PCRE2's words. */
static ggk_status fail_pattern(const struct ggki_pcre2 *pcre2, int error,
                               const char *what, ggk_error *err)
{
    uint8_t reason[256] = "";

    if (pcre2->describe(error, reason, sizeof reason) < 0)
        reason[0] = '\0';
    return ggki_fail(err, GGK_E_ARG, "%s: %s", what, (const char *)reason);
}

ggk_status ggki_pattern_compile(const struct ggki_pcre2 *pcre2, ggk_str text,
                                struct ggki_pattern *out, ggk_error *err)
{
    const uint32_t options = OPTION_ALLOW_EMPTY_CLASS | OPTION_ALT_BSUX |
                             OPTION_CASELESS | OPTION_DOLLAR_ENDONLY |
                             OPTION_MATCH_UNSET_BACKREF | OPTION_NEVER_UCP |
                             OPTION_NEVER_UTF | OPTION_NEVER_BACKSLASH_C;
    int error = 0;
    size_t at = 0;

    out->match = NULL;
    out->code = pcre2->compile((const uint8_t *)text.ptr, text.len, options,
                               &error, &at, NULL);
    if (out->code == NULL && error == NO_MEMORY_TO_COMPILE)
        return ggki_fail_memory(err);
    if (out->code == NULL) {
        fail_pattern(pcre2, error, "the pattern is not a regular expression",
                     err);
        if (err != NULL)
            err->offset = at;
        return GGK_E_ARG;
    }
    out->match = pcre2->new_match(out->code, NULL);
    if (out->match != NULL)
        return GGK_OK;
    ggki_pattern_free(pcre2, out);
    return ggki_fail_memory(err);
}

void ggki_pattern_free(const struct ggki_pcre2 *pcre2,
                       struct ggki_pattern *pattern)
{
    if (pattern->match != NULL)
        pcre2->free_match(pattern->match);
    if (pattern->code != NULL)
        pcre2->free_code(pattern->code);
    *pattern = (struct ggki_pattern){NULL, NULL};
}

ggk_status ggki_pattern_find(const struct ggki_pcre2 *pcre2,
                             const struct ggki_pattern *pattern,
                             ggk_str subject, bool *found, ggk_error *err)
{
    int n = pcre2->match(pattern->code, (const uint8_t *)subject.ptr,
                         subject.len, 0, 0, pattern->match, pcre2->limits);

    *found = n > 0;
    if (n > 0 || n == NO_MATCH)
        return GGK_OK;
    if (n == NO_MEMORY)
        return ggki_fail_memory(err);
    if (n == TOO_MUCH_MEMORY)
        return ggki_fail(err, GGK_E_NOMEM,
                         "to look for the pattern in \"%.*s\" takes over %u "
                         "MiB of memory",
                         ggki_shown(subject), subject.ptr, MOST_KIB >> 10);
    if (n == TOO_MANY_STEPS)
        return ggki_fail(err, GGK_E_LIMIT,
                         "to look for the pattern in \"%.*s\" takes over %u "
                         "steps",
                         ggki_shown(subject), subject.ptr, MOST_STEPS);
    return fail_pattern(
        pcre2, n, "the pattern cannot be looked for in a tensor's name", err);
}

#else

ggk_status ggki_pcre2_open(struct ggki_pcre2 *pcre2, ggk_error *err)
{
    memset(pcre2, 0, sizeof *pcre2);
    return ggki_fail(err, GGK_E_UNSUPPORTED,
                     "patterns are not in this build: it was made with "
                     "-DGGK_PCRE2=OFF");
}

void ggki_pcre2_close(struct ggki_pcre2 *pcre2)
{
    memset(pcre2, 0, sizeof *pcre2);
}

/* Never called: there is nothing open to call them with. */
ggk_status ggki_pattern_compile(const struct ggki_pcre2 *pcre2, ggk_str text,
                                struct ggki_pattern *out, ggk_error *err)
{
    (void)pcre2;
    (void)text;
    *out = (struct ggki_pattern){NULL, NULL};
    return ggki_fail(err, GGK_E_BUG, "no patterns");
}

void ggki_pattern_free(const struct ggki_pcre2 *pcre2,
                       struct ggki_pattern *pattern)
{
    (void)pcre2;
    *pattern = (struct ggki_pattern){NULL, NULL};
}

ggk_status ggki_pattern_find(const struct ggki_pcre2 *pcre2,
                             const struct ggki_pattern *pattern,
                             ggk_str subject, bool *found, ggk_error *err)
{
    (void)pcre2;
    (void)pattern;
    (void)subject;
    *found = false;
    return ggki_fail(err, GGK_E_BUG, "no patterns");
}

#endif
