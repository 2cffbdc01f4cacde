/* quantizing.h - what the parts of gguf quantize share. */
#ifndef CLI_CMD_QUANTIZING_H
#define CLI_CMD_QUANTIZING_H

#include <time.h>

#include "cmd/ranking.h"
#include "input.h"
#include "out/json.h"

struct quantize_options {
    const char *imatrix;
    struct opt_list include;
    struct opt_list exclude;
    struct opt_list tensor_types;
    const char *tensor_type_file;
    const char *output_type;
    const char *embedding_type;
    const char *recipe_from;
    bool pure;
    bool leave_output;
    bool allow_requantize;
    bool no_fallback;
    bool strict;
    bool keep_split;
    struct opt_list override_kv;
    const char *prune_layers;
    const char *report;
    bool list;
    bool error;
};

/* The overrides of --tensor-type, and of its file behind them. */
struct tensor_types {
    const char **items;
    size_t n;
    char *text; /* of the file */
};

/* An imatrix, and how many of its entries count for something. */
struct importances {
    ggk_imatrix *imatrix; /* NULL: none was given */
    ggk_imatrix_info info;
    uint64_t n_dropped; /* entries, by --include-weights and the other */
};

/* Keys by --override-kv, and the layers of --prune-layers. */
struct asked_keys {
    ggk_key_value *items;
    size_t n;
};
struct asked_layers {
    uint64_t *items;
    size_t n;
};

/* A model on its way. */
struct quantizing {
    const struct cli *cli;
    const struct quantize_options *options;
    struct timespec begun;
    const struct input *in;
    const char *out;
    bool nowhere;       /* of a dry run: `out` is but a word */
    const char *target; /* as it was asked for */
    char **targets;     /* all of them: of --error several */
    size_t n_targets;
    struct tensor_types types;
    struct importances importances;
    struct asked_keys keys;
    struct asked_layers layers;
    bool as_if; /* there were importances */
    ggk_recipe *recipe;
    ggk_plan *plan;
};

/* quantize_list - print what can be quantized to, as text or as JSON.
 * quantize_list_text - the table, to any stream. */
void quantize_list(const struct cli *cli);
void quantize_list_text(FILE *out, const struct term *term);

/* quantize_target_ok - is there a target of that name? If not, it is told.
 * quantize_is_target_name - the same of a name that is no number.
 * quantize_type_hint - text to put behind "there is no tensor type WORD": what
 * was meant, or where to look. */
#define QUANTIZE_HINT 80
bool quantize_target_ok(const struct cli *cli, const char *name);
bool quantize_is_target_name(const char *word);
const char *quantize_type_hint(const char *word, char text[QUANTIZE_HINT]);

/* quantize_take_types - gather the overrides; quantize_free_types must follow,
 * whatever comes of it. Like the next one it returns the exit status. */
int quantize_take_types(const struct cli *cli, const struct quantize_options *o,
                        struct tensor_types *out);
void quantize_free_types(struct tensor_types *types);

/* quantize_open_importances - read the imatrix, and leave out what is not
 * wanted of it; the caller closes it. */
int quantize_open_importances(const struct cli *cli,
                              const struct quantize_options *o,
                              struct importances *out);

/* quantize_fail - tell what is wrong with a file; returns the exit status. What
 * it lacks is not the answer to a question, nor wrong usage. */
int quantize_fail(const struct cli *cli, const char *file,
                  const ggk_error *err);

/* quantize_take_layers - the numbers of --prune-layers.
 * quantize_take_keys - those of --override-kv: of the form KEY=TYPE:VALUE, and
 * of a key that may be set in the model, which is open. They return the exit
 * status; the caller frees the items, whatever comes of it. */
int quantize_take_layers(const struct cli *cli, const char *text,
                         struct asked_layers *out);
int quantize_take_keys(const struct quantizing *q, struct asked_keys *out);

/* quantize_judge - can it be done? Tells what was asked for in vain, and warns
 * of an imatrix that is for no tensor; returns the exit status.
 * quantize_doubts - the first of these.
 * quantize_in_vain - tell that an option does nothing: a warning, or an error
 * if --strict was given; returns the exit status. */
int quantize_judge(const struct quantizing *q);
int quantize_doubts(const struct quantizing *q);
int quantize_in_vain(const struct cli *cli, const struct quantize_options *o,
                     const char *file, const char *format, ...)
    MSG_PRINTF(4, 5);

/* quantize_doubt_importances - warn of those that spoil what is quantized. */
void quantize_doubt_importances(const struct quantizing *q);

/* quantize_guard - let a plan neither replace nor remove what is read: the
 * model, the imatrix, the recipe, the list of types. */
ggk_status quantize_guard(const struct quantizing *q, ggk_plan *plan,
                          ggk_error *err);

/* quantize_try_report - may --report be written? If not it is told, before any
 * work. quantize_write_report - write it. They return the exit status. */
int quantize_try_report(const struct quantizing *q);
int quantize_write_report(const struct quantizing *q, const char *text,
                          size_t bytes);

/* One of several targets: its recipe, and what it would do. */
struct candidate {
    ggk_recipe *recipe;
    struct ranking_sum errors;
};

/* quantize_error - tell what the recipe would do to the numbers of the tensors
 * that change.
 * quantize_compare - the same in short for each of q->targets, which have their
 * recipes. They return the exit status. */
int quantize_error(const struct quantizing *q);
int quantize_compare(const struct quantizing *q, struct candidate *candidates);

/* quantize_put_text / _put_sizes / _put_json - the plan, or what was done: for
 * a struct writing, `ctx` is the struct quantizing. */
void quantize_put_text(FILE *out, const void *ctx);
void quantize_put_sizes(FILE *out, const void *ctx);
void quantize_put_json(struct json *j, const void *ctx);

#endif
