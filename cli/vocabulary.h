/* vocabulary.h - the tokens of a model, and what is told about each. */
#ifndef CLI_VOCABULARY_H
#define CLI_VOCABULARY_H

#include "input.h"

/* A token with a task: its key is tokenizer.ggml.<task>_token_id. */
struct vocab_task {
    ggk_str name;
    uint64_t id; /* as stored: the vocabulary may have no such token */
    uint64_t kv; /* the key that says so */
};

/* What is odd about the arrays beside the tokens. */
struct vocab_note {
    const char *name; /* in JSON: "scores-length" */
    char text[160];
};

struct vocabulary {
    ggk_index *tokens; /* NULL: there is no vocabulary */
    ggk_index *scores; /* NULL: none that can be used */
    ggk_index *types;
    ggk_index *merges;
    struct vocab_task *tasks; /* by id */
    size_t n_tasks;
    struct vocab_note notes[2];
    size_t n_notes;
};

enum vocab_type { /* of tokenizer.ggml.token_type */
                  VOCAB_NORMAL = 1,
                  VOCAB_UNKNOWN = 2,
                  VOCAB_CONTROL = 3,
                  VOCAB_USER_DEFINED = 4,
                  VOCAB_UNUSED = 5,
                  VOCAB_BYTE = 6
};

struct vocab_token {
    uint64_t id;
    bool has_text; /* false past the end of the vocabulary */
    bool has_score;
    bool has_type;
    ggk_str text;
    ggk_value score; /* a number */
    int64_t type;    /* enum vocab_type, or any other number */
    const struct vocab_task *tasks;
    size_t n_tasks;
};

/* vocabulary_open - what the model has. On GGK_OK vocabulary_close must
 * follow, before the model is closed. Errors: GGK_E_DUPLICATE (there are
 * several lists of tokens or merges), GGK_E_NOMEM, GGK_E_CHANGED. */
ggk_status vocabulary_open(const ggk_model *model, struct vocabulary *out,
                           ggk_error *err);
void vocabulary_close(struct vocabulary *v);

/* vocabulary_count - tokens; 0 if there is no vocabulary. */
uint64_t vocabulary_count(const struct vocabulary *v);

/* vocabulary_token - token `id`, which may lie past the end. */
ggk_status vocabulary_token(const struct vocabulary *v, uint64_t id,
                            struct vocab_token *out, ggk_error *err);

/* vocabulary_is_special - has it a task, or is it a control token? */
bool vocabulary_is_special(const struct vocab_token *token);

/* vocabulary_type_name - "control" for VOCAB_CONTROL; NULL if it has no name.
 */
const char *vocabulary_type_name(int64_t type);

#endif
