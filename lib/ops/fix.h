/* fix.h - what the repairs of a model share. */
#ifndef GGKI_FIX_H
#define GGKI_FIX_H

#include "model/check.h"
#include "ops/plan.h"

/* A model that is being repaired. */
struct ggki_fixing {
    ggk_plan *plan;
    const ggk_model *model;
    struct ggki_check told; /* repairs; its gguf and file are those at hand */
    uint8_t *differ; /* for each tensor: others have its name, and are not the
                        same; NULL if no name repeats */
    uint64_t n_dropped;   /* tensors that are the same as another */
    ggk_str architecture; /* empty: none, or no one */
    bool unsplit;
    bool other_split_keys; /* some were not spelled as llama.cpp does */
    bool lacks_version;    /* general.quantization_version is missing */
    ggk_on_finding *on_repair;
    void *ctx;
    uint64_t n_layout; /* repairs that come by the layout */
    ggk_error *err;
};

/* Is what breaks the rule gone once the file is written in its layout? */
bool ggki_fix_by_layout(enum ggki_rule rule);

/* Find the tensors that are the same as an earlier one of their name. */
ggk_status ggki_fix_compare_tensors(struct ggki_fixing *f);

/* Fill file `file` of the plan with the repaired tensors of that file. */
ggk_status ggki_fix_tensors(struct ggki_fixing *f, uint32_t file);

/* Likewise with its keys. */
ggk_status ggki_fix_keys(struct ggki_fixing *f, uint32_t file);

/* Is tensor `i` of the model the same as an earlier one, which is kept? */
bool ggki_fix_is_dropped(const struct ggki_fixing *f, uint64_t i);

/* Refuse file `file` if its tensors share bytes, or are neither aligned nor one
 * right after the other. Errors: GGK_E_OFFSET, GGK_E_CHANGED, GGK_E_NOMEM. */
ggk_status ggki_fix_judge_layout(struct ggki_fixing *f, uint32_t file);

/* A name without the NUL it ends in; the name itself if it does not end so, or
 * what is left is empty or has a NUL too. */
ggk_str ggki_fix_name(ggk_str name);

/* The name of architecture of a file, empty if it has none or several. */
ggk_str ggki_fix_architecture(const struct ggki_gguf *g);

/* How a value is to be written anew. Of BOOL always as 0 or 1. */
#define GGKI_KEEP_TYPE UINT32_MAX
struct ggki_anew {
    uint32_t type; /* of the number, or of the numbers of an array */
    bool strip;    /* each string loses its last byte */
    uint64_t n_bools, n_strings; /* out: that were changed */
};

/* Write value `i` of a file anew, into `out`. GGK_E_RANGE (without an error)
 * if the type cannot hold a number. Errors: GGK_E_CHANGED, GGK_E_NOMEM. */
ggk_status ggki_fix_value(const struct ggki_gguf *g, uint64_t i,
                          struct ggki_anew *how, ggk_builder *out,
                          ggk_error *err);

/* Does each key, name and string of a file end in a NUL, its only one? Early
 * writers counted that of C. */
bool ggki_fix_all_end_in_nul(const struct ggki_gguf *g);

#endif
