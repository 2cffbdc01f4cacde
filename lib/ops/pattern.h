/* pattern.h - regular expressions, by a library of others. */
#ifndef GGKI_PATTERN_H
#define GGKI_PATTERN_H

#include "ggk.h"

/* PCRE2, opened: its functions, and the limits within which it matches. */
struct ggki_pcre2 {
    void *library;
    void *limits;
    void *(*compile)(const uint8_t *pattern, size_t length, uint32_t options,
                     int *error, size_t *error_at, void *context);
    void (*free_code)(void *code);
    void *(*new_match)(const void *code, void *context);
    void (*free_match)(void *match);
    int (*match)(const void *code, const uint8_t *subject, size_t length,
                 size_t start, uint32_t options, void *match, void *context);
    void *(*new_limits)(void *context);
    void (*free_limits)(void *context);
    int (*limit_steps)(void *context, uint32_t steps);
    int (*limit_memory)(void *context, uint32_t kib);
    int (*describe)(int error, uint8_t *out, size_t bytes);
};

/* A pattern that was understood. */
struct ggki_pattern {
    void *code;
    void *match;
};

/* Errors: GGK_E_UNSUPPORTED (there is none, or it was left out), GGK_E_NOMEM.
 * Closing what was not opened, or is zero, does nothing; so below. */
ggk_status ggki_pcre2_open(struct ggki_pcre2 *pcre2, ggk_error *err);
void ggki_pcre2_close(struct ggki_pcre2 *pcre2);

/* Errors: GGK_E_ARG, and `offset` is where in the text; GGK_E_NOMEM. */
ggk_status ggki_pattern_compile(const struct ggki_pcre2 *pcre2, ggk_str text,
                                struct ggki_pattern *out, ggk_error *err);
void ggki_pattern_free(const struct ggki_pcre2 *pcre2,
                       struct ggki_pattern *pattern);

/* Is it found anywhere in `subject`, upper and lower case alike? Errors:
 * GGK_E_LIMIT (nobody knows: it takes too many steps), GGK_E_NOMEM, and
 * GGK_E_ARG for what else PCRE2 finds. */
ggk_status ggki_pattern_find(const struct ggki_pcre2 *pcre2,
                             const struct ggki_pattern *pattern,
                             ggk_str subject, bool *found, ggk_error *err);

#endif
