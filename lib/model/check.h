/* check.h - what the rules of `check` share. */
#ifndef GGKI_CHECK_H
#define GGKI_CHECK_H

#include "base/err.h"
#include "model/model.h"

enum ggki_rule {
#define RULE(name, id, spec, llama_cpp, meaning, fix) RULE_##name,
#include "model/check_rules.def"
#undef RULE
    N_RULES
};

/* Which numbers of which tensor a finding is about, as of ggk_finding. */
struct ggki_check_numbers {
    uint64_t tensor, count, first;
};

static inline struct ggki_check_numbers ggki_no_numbers(void)
{
    return (struct ggki_check_numbers){GGK_NONE, 0, GGK_NONE};
}

/* A model under judgement. */
struct ggki_check {
    const ggk_model *model;
    const struct ggki_gguf *gguf; /* the file at hand */
    uint32_t file;                /* and its number */
    uint32_t first_shard; /* which shard of its set file 0 is: more than 0
                             where the set is not whole */
    bool whole;           /* all shards are there, and read to their end */
    uint32_t profiles;
    uint32_t max_per_rule;
    ggk_on_finding *on_finding;
    void *ctx;
    ggk_verdict *verdict;
    uint64_t counts[N_RULES];
    struct ggki_check_numbers numbers; /* that the next finding is about */
    bool stopped;                      /* the caller wants no more */
    bool no_memory;                    /* a part could not be judged */
    ggk_error failed; /* likewise, for this reason, if it is one */
};

/* Where a finding is: byte `pos` of the GGUF (or GGK_NO_OFFSET), and the field
 * "section[index].field[element]". `section` NULL: no field; `index` or
 * `element` GGK_NONE: it has none. */
struct ggki_place {
    uint64_t pos;
    const char *section;
    uint64_t index;
    const char *field;
    uint64_t element;
};

static inline struct ggki_place ggki_field(uint64_t pos, const char *section,
                                           uint64_t index, const char *field)
{
    return (struct ggki_place){pos, section, index, field, GGK_NONE};
}

static inline struct ggki_place ggki_byte(uint64_t pos)
{
    return ggki_field(pos, NULL, GGK_NONE, NULL);
}

static inline struct ggki_place ggki_nowhere(void)
{
    return ggki_byte(GGK_NO_OFFSET);
}

/* Report that the rule is broken, with a sentence. */
void ggki_report(struct ggki_check *c, enum ggki_rule rule,
                 struct ggki_place place, const char *what, ...)
    GGKI_FORMAT(4, 5);

/* Prepare to report what is found elsewhere, of a model that is open: under
 * both profiles. `file` and `gguf` are those at hand. */
void ggki_check_begin(struct ggki_check *c, const ggk_model *model,
                      ggk_on_finding *on_finding, void *ctx,
                      ggk_verdict *verdict);

/* The same, as options say, of which `open` is not looked at; GGK_E_ARG. */
ggk_status ggki_check_begin_as(struct ggki_check *c, const ggk_model *model,
                               const ggk_check_opts *opts,
                               ggk_on_finding *on_finding, void *ctx,
                               ggk_verdict *verdict, ggk_error *err);

/* Report, for each rule of which more was found than was reported, how many
 * more. The same for `n` rules of any table, of which `most` were reported;
 * false if no more are wanted. */
void ggki_report_rest(struct ggki_check *c);
bool ggki_tell_rest(const ggk_rule *of, const uint64_t *counts, size_t n,
                    uint64_t most, ggk_on_finding *on_finding, void *ctx);

/* Padding could not be read, and is not judged; the first such error is kept.
 */
void ggki_check_failed(struct ggki_check *c, const ggk_error *err);

/* Judge a model that is open, by all rules. Errors: GGK_E_NOMEM, GGK_E_IO,
 * GGK_E_CHANGED. */
ggk_status ggki_check_model(const ggk_model *model, ggk_on_finding *on_finding,
                            void *ctx, ggk_error *err);

/* llama.cpp maps the data of tensors only at multiples of it. */
#define GGKI_LOADER_ALIGNMENT 32

/* Does the alignment, a power of two under 32, put a tensor where llama.cpp
 * does not map it? The first one, and where it is in the GGUF. */
bool ggki_tensor_between(const struct ggki_gguf *g, uint64_t *i, uint64_t *pos);

/* The parts of the judgement of one file, in the order they are made. Each may
 * count on nothing that an earlier one found wrong. */
void ggki_check_keys(struct ggki_check *c);
void ggki_check_alignment(struct ggki_check *c);
void ggki_check_tensors(struct ggki_check *c);
void ggki_check_layout(struct ggki_check *c);
void ggki_check_split_keys(struct ggki_check *c);

/* Of the model as a whole: its tensors, and the keys of its first file. */
void ggki_check_split(struct ggki_check *c);
void ggki_check_parameters(struct ggki_check *c);
void ggki_check_tokenizer(struct ggki_check *c);

/* What the first file says of the types of the tensors. */
void ggki_check_mix(struct ggki_check *c);

/* The shapes of tensors of a model that has all keys that its architecture
 * needs. */
void ggki_check_shapes(struct ggki_check *c, ggk_str arch);

/* The block that a tensor is of, "blk.3.attn_q.weight", and which of it,
 * "attn_q.weight"; false if it is of none. */
bool ggki_block_of(ggk_str name, uint64_t *block, ggk_str *rest);

/* The tensors of a model of that architecture, which has the keys that it needs
 * and of them `key`, the number of its blocks. */
struct ggki_arch;
void ggki_check_blocks(struct ggki_check *c, const struct ggki_arch *arch,
                       const char *key, uint64_t n_blocks);

/* What gguf_init_from_file of llama.cpp v0.5.0 does with file `gguf` of the
 * model, as far as it was read; the reason goes into `reason`. False if there
 * is no memory. */
bool ggki_loader_verdict(const ggk_model *model, const struct ggki_gguf *gguf,
                         ggk_loads *out, char *reason, size_t reason_bytes);

#endif
