/* chat_template.h - the chat templates of a model, and what can be told of one
 * without running it. */
#ifndef CLI_CHAT_TEMPLATE_H
#define CLI_CHAT_TEMPLATE_H

#include "vocabulary.h"

struct chat_template {
    ggk_str name; /* "default", or as its key ends */
    bool is_default;
    bool repeated; /* another one has the same key */
    ggk_str key;
    ggk_str text;
};

/* How many of a kind, and the name of the first. */
struct chat_oddity {
    uint64_t n;
    ggk_str first;
};

struct chat_templates {
    struct chat_template *items; /* the default first, then in file order */
    size_t n;
    struct chat_oddity no_string; /* keys that should be one */
    struct chat_oddity missing;   /* names in tokenizer.chat_templates alone */
};

/* chat_templates_open - on GGK_OK chat_templates_close must follow. Errors:
 * GGK_E_NOMEM, GGK_E_CHANGED. */
ggk_status chat_templates_open(const ggk_model *model,
                               struct chat_templates *out, ggk_error *err);
void chat_templates_close(struct chat_templates *t);

/* chat_templates_find - the first of that name, or NULL. */
const struct chat_template *chat_templates_find(const struct chat_templates *t,
                                                const char *name);

uint64_t chat_template_lines(ggk_str text);

/* Something in a template's code that no chat needs. */
struct chat_mark {
    ggk_str text;
    const char *means; /* "reaches into Python's objects" */
    uint64_t line;     /* where it comes first, from 1 */
    uint64_t n;        /* how often it comes */
};

#define CHAT_MAX_MARKS     16
#define CHAT_MAX_VARIABLES 8

/* What its code names. Texts between the code, and comments, do not count. */
struct chat_names {
    struct chat_mark marks[CHAT_MAX_MARKS];
    size_t n_marks; /* different ones; further ones are not told */
    const char *variables[CHAT_MAX_VARIABLES]; /* "bos_token" and the like */
    size_t n_variables;
};

void chat_template_names(ggk_str text, struct chat_names *out);

/* The special tokens of a vocabulary, to be looked for in templates. */
struct chat_token {
    ggk_str text;
    uint64_t id;
};

struct chat_tokens {
    struct chat_token *items; /* by text */
    size_t n;
};

/* chat_tokens_open - texts of 3 to 64 bytes. On GGK_OK chat_tokens_close must
 * follow. Errors: GGK_E_NOMEM, GGK_E_CHANGED. */
ggk_status chat_tokens_open(const struct vocabulary *v, struct chat_tokens *out,
                            ggk_error *err);
void chat_tokens_close(struct chat_tokens *t);

/* chat_tokens_next - the next token in `text`, from `*at` on, the longest where
 * several begin; moves `*at` past it. NULL: there is none. */
const struct chat_token *chat_tokens_next(const struct chat_tokens *t,
                                          ggk_str text, size_t *at);

#endif
