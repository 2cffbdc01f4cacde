/* check_find.h - for rules about what the keys say: the key of a name, in the
 * file at hand. */
#ifndef GGKI_CHECK_FIND_H
#define GGKI_CHECK_FIND_H

#include "model/check.h"

/* A key-value that a rule is about. */
struct ggki_found_kv {
    uint64_t i;
    struct ggki_kv kv;
    uint64_t end;
    struct ggki_place place; /* its value */
    bool repeats;
};

bool ggki_find_key(const struct ggki_check *c, const char *name,
                   struct ggki_found_kv *out);
bool ggki_has_key(const struct ggki_check *c, const char *name);

/* The scalar of a key, whatever its type; an integer that is not negative; a
 * string. */
bool ggki_find_scalar(const struct ggki_check *c, const char *name,
                      struct ggki_found_kv *key, ggk_value *out);
bool ggki_find_count(const struct ggki_check *c, const char *name,
                     struct ggki_found_kv *key, uint64_t *out);
bool ggki_find_string(const struct ggki_check *c, const char *name,
                      struct ggki_found_kv *key, ggk_str *out);

/* "llama.block_count" for the suffix "block_count". Of a long architecture 64
 * bytes are taken. */
struct ggki_arch_key {
    char name[128];
};
struct ggki_arch_key ggki_arch_key(ggk_str arch, const char *suffix);

/* Are these all keys of the model? Those of a later shard are not, nor those
 * before the place where the file breaks. */
bool ggki_has_all_keys(const struct ggki_check *c);

/* Adapters and the like have the architecture of the model that they are for,
 * but neither its tensors nor its tokens. */
bool ggki_is_model(const struct ggki_check *c);

/* Report `rule` for a key that is not of this type. */
void ggki_report_type(struct ggki_check *c, enum ggki_rule rule,
                      const struct ggki_found_kv *key, const char *name,
                      uint32_t type);

/* llama.cpp reads the number as a UINT32 or, if it may be `layered`, as an
 * array of them or of INT32. */
void ggki_check_number_type(struct ggki_check *c,
                            const struct ggki_found_kv *key, const char *name,
                            bool layered);

#endif
