/* check.h - what the rules of `check` share. */
#ifndef GGKI_CHECK_H
#define GGKI_CHECK_H

#include "model/model.h"

enum ggki_rule {
#define RULE(name, id, spec, llama_cpp, meaning, fix) RULE_##name,
#include "model/check_rules.def"
#undef RULE
    N_RULES
};

/* A model under judgement. */
struct ggki_check {
    const ggk_model *model;
    const struct ggki_gguf *gguf; /* the shard at hand */
    uint32_t file;                /* and its number */
    uint32_t profiles;
    uint32_t max_per_rule;
    ggk_on_finding *on_finding;
    void *ctx;
    ggk_verdict *verdict;
    uint64_t counts[N_RULES];
    bool stopped;   /* the caller wants no more */
    bool no_memory; /* a part could not be judged */
};

/* Where a finding is: byte `pos` of the GGUF (or GGK_NO_OFFSET), and the field
 * "section[index].field"; section NULL: no field. */
struct ggki_place {
    uint64_t pos;
    const char *section;
    uint64_t index;
    const char *field;
};

/* Report that the rule is broken, with a sentence. */
void ggki_report(struct ggki_check *c, enum ggki_rule rule,
                 struct ggki_place place, const char *what, ...)
    GGKI_FORMAT(4, 5);

/* The parts of the judgement of one file, in the order they are made. Each may
 * count on nothing that an earlier one found wrong. */
void ggki_check_keys(struct ggki_check *c);
void ggki_check_alignment(struct ggki_check *c);
void ggki_check_tensors(struct ggki_check *c);
void ggki_check_layout(struct ggki_check *c);

/* Of the model as a whole: the first file's keys. */
void ggki_check_split(struct ggki_check *c);
void ggki_check_parameters(struct ggki_check *c);
void ggki_check_tokenizer(struct ggki_check *c);

/* What gguf_init_from_file of llama.cpp v0.5.0 does with the file, as far as it
 * was read; the reason goes into `reason`. */
ggk_loads ggki_loader_verdict(const struct ggki_gguf *gguf, char *reason,
                              size_t reason_bytes);

#endif
