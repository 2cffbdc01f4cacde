/* diff.h - the parts of ggk_diff. */
#ifndef GGKI_DIFF_H
#define GGKI_DIFF_H

#include <stdatomic.h>

#include "base/err.h"
#include "model/model.h"

/* Compare the values of key-value `a` and `b`, of one name: fills what, first
 * and n_differ; `what` is 0 if they are equal. */
ggk_status ggki_diff_values(const ggk_model *model_a, const ggk_model *model_b,
                            ggk_difference *out, ggk_error *err);

/* The two models, while they are compared. */
struct ggki_diff {
    const ggk_model *a, *b;
    ggk_str architecture_a, architecture_b;
    ggk_diff_opts opts;
    ggk_on_difference *on_difference;
    void *ctx;
    ggk_diff_result *result;
    uint64_t done, total; /* bytes of a's tensors, for on_progress */
};

/* Count a difference, and report it. */
ggk_status ggki_diff_report(struct ggki_diff *diff, const ggk_difference *d,
                            ggk_error *err);

/* Something about a tensor that is to be reported in its turn: a difference,
 * or a pair whose data must be compared before one knows. */
struct ggki_diff_row {
    ggk_difference d;
    bool pair;                 /* the latter: what follows is of it */
    uint64_t bytes[2];         /* of data, in each */
    uint64_t compared;         /* of them, from the first on */
    uint64_t chunk;            /* bytes of a job, whole blocks */
    uint64_t n_jobs;           /* of the rows up to this one */
    uint32_t unit;             /* bytes of a block; 0: not known */
    const ggk_type_info *swap; /* b's blocks are to be swapped; NULL: not */
    atomic_uint_fast64_t first, n_differ, n_blocks;
};

/* Rows wait here until there are enough of them to keep the threads busy. */
struct ggki_diff_queue {
    struct ggki_diff *diff;
    struct ggki_diff_row *rows;
    size_t n;
    uint8_t *buffers; /* two for each thread */
    size_t buffer_bytes;
    unsigned n_threads;
    atomic_uint_fast64_t compared; /* bytes, since the last flush */
    uint64_t passed; /* bytes of a's tensors that were put in or passed over */
};

ggk_status ggki_diff_queue_start(struct ggki_diff_queue *q,
                                 struct ggki_diff *diff, ggk_error *err);

/* Add a difference.
 * Add a pair of tensors, of one type and shape, with the data to compare.
 * Work off and report all that is in the queue. */
ggk_status ggki_diff_queue_put(struct ggki_diff_queue *q,
                               const ggk_difference *d, ggk_error *err);
ggk_status ggki_diff_queue_pair(struct ggki_diff_queue *q, uint64_t i,
                                uint64_t j, const ggk_tensor *a,
                                const ggk_tensor *b, ggk_error *err);
ggk_status ggki_diff_queue_flush(struct ggki_diff_queue *q, ggk_error *err);
void ggki_diff_queue_free(struct ggki_diff_queue *q);

/* Can the data of these two tensors of one type be compared? If only their byte
 * orders differ, as a rule. */
bool ggki_diff_comparable(const ggk_model *model_a, const ggk_tensor *a,
                          const ggk_model *model_b, const ggk_tensor *b);

#endif
