/* summary.h - what `gguf info` tells about a model, gathered before a byte of
 * it is written. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "input.h"
#include "show.h"

/* The tensors of one type. */
struct summary_type {
    uint32_t id;
    char name[SHOW_TYPE_BYTES];
    uint64_t tensors;
    uint64_t parameters;
    uint64_t bytes;
};

/* A token with a task: "bos", 1, "<s>". */
struct summary_token {
    const char *name;
    uint64_t id;
    bool has_text;
    ggk_str text;
};

#define SUMMARY_MAX_SPECIAL 16
#define SUMMARY_MAX_TYPES   64 /* further types are counted together */

struct summary {
    ggk_file file; /* the first */
    uint32_t n_files;
    uint64_t size; /* of all files; GGK_SIZE_UNKNOWN if one is not known */
    uint64_t n_kv;
    uint64_t n_tensors;
    uint64_t space_bytes; /* free, for edits in place */

    bool has_space;
    bool has_file_type;
    uint64_t file_type;
    ggk_str arch;
    size_t
        prefix_len; /* of "llama." in front of the hyperparameters; 0: none */

    bool has_tokenizer;
    uint64_t n_tokens;
    uint64_t n_merges;
    struct summary_token special[SUMMARY_MAX_SPECIAL];
    size_t n_special;
    bool has_template;
    ggk_str template;
    uint64_t n_templates;

    struct summary_type *types; /* by bytes, the most first */
    size_t n_types;
    uint64_t parameters;       /* of all tensors */
    uint64_t tensor_bytes;     /* of all tensors, without padding */
    uint64_t sized_parameters; /* of tensors whose layout is known */
    uint64_t sized_bytes;
};

/* summary_make - look through the model. On success summary_free must follow.
 */
ggk_status summary_make(const struct input *in, struct summary *out,
                        ggk_error *err);
void summary_free(struct summary *s);

/* summary_is_parameter - is it a key of the architecture? */
bool summary_is_parameter(const struct summary *s, ggk_str key);

/* summary_bits_per_weight - of the tensors whose layout is known. */
double summary_bits_per_weight(const struct summary *s);

#endif
