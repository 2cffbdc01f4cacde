/* diff_report.h - what `gguf diff` found, as text and as JSON. */
#ifndef CLI_DIFF_REPORT_H
#define CLI_DIFF_REPORT_H

#include "command.h"
#include "input.h"
#include "out/json.h"
#include "summary.h"

struct diff_options {
    bool no_data;
    bool values;
    bool full;
};

/* How many tensors changed from one type to another. */
struct diff_recipe {
    uint32_t from, to;
    uint64_t tensors;
};

#define DIFF_MAX_RECIPES 64 /* further ones are counted together */

/* The comparison of two models. */
struct diff_job {
    const struct cli *cli;
    const struct diff_options *options;
    struct input in[2];
    struct summary summary[2];
    bool same_file; /* both are the same file, or files */
    struct diff_recipe recipes[DIFF_MAX_RECIPES];
    size_t n_recipes;
    uint64_t n_other; /* tensors of further ones */
};

enum diff_section {
    DIFF_NONE,
    DIFF_FILES,
    DIFF_KEYS,
    DIFF_TENSORS,
    DIFF_LAYOUT
};

/* A report is begun by the first difference, or by the end. */
struct diff_text {
    struct diff_job *job;
    ggk_difference *rows; /* of one section, that wait to be written */
    size_t n_rows;
    enum diff_section section;
    bool begun;
    bool layout; /* only what is layout is told */
    ggk_status status;
    ggk_error err;
};

/* diff_text_start / _free - GGK_E_NOMEM.
 * diff_text_put - suits ggk_on_difference; false after a failure, which is in
 * status and err.
 * diff_text_end - all differences were put.
 * diff_text_layout - from now on, only what is layout is told. */
ggk_status diff_text_start(struct diff_text *t, struct diff_job *job,
                           ggk_error *err);
void diff_text_free(struct diff_text *t);
bool diff_text_put(void *text, const ggk_difference *d);
ggk_status diff_text_end(struct diff_text *t, const ggk_diff_result *result,
                         ggk_error *err);
ggk_status diff_text_end_layout(struct diff_text *t, ggk_error *err);

/* The same as one JSON document. */
struct diff_json {
    struct diff_job *job;
    struct json json;
    bool begun;
    bool layout;
    ggk_status status;
    ggk_error err;
};

bool diff_json_put(void *json, const ggk_difference *d);
void diff_json_end(struct diff_json *d, const ggk_diff_result *result);
void diff_json_end_layout(struct diff_json *d);

/* diff_values - compare the numbers of the tensors that both have, and tell;
 * returns the exit status. */
int diff_values(const struct diff_job *job);

/* diff_string - the string that key-value `i` of side 0 or 1 is; false if it is
 * none. */
bool diff_string(const struct diff_job *job, int side, uint64_t i,
                 ggk_str *out);

/* diff_is_layout - is that kind of difference about where things are? */
bool diff_is_layout(ggk_diff_kind kind);

#endif
