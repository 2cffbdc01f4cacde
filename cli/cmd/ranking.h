/* ranking.h - distances of tensors, the farthest first, as text and as JSON. */
#ifndef CLI_CMD_RANKING_H
#define CLI_CMD_RANKING_H

#include "command.h"
#include "out/json.h"
#include "out/table.h"

/* ranking_sort - the farthest first; what lost numbers altogether before all
 * others; those that are as far by their indexes. */
void ranking_sort(ggk_distance *distances, uint64_t n);

/* What the distances of all tensors are together: of their finite numbers. */
struct ranking_sum {
    double root, root_a; /* of the sums of squares, which may have no room */
    uint64_t n_finite;
};

/* ranking_add - one more.
 * ranking_rmse, ranking_relative - as those of a ggk_distance. */
void ranking_add(struct ranking_sum *sum, const ggk_distance *d);
double ranking_rmse(const struct ranking_sum *sum);
double ranking_relative(const struct ranking_sum *sum);

/* ranking_print_sum - "RMSE 0.0218, relative 0.0779".
 * ranking_put_sum - the same as members of an open object. */
void ranking_print_sum(FILE *out, const struct ranking_sum *sum);
void ranking_put_sum(struct json *j, const struct ranking_sum *sum);

/* A table of distances. It points into itself. */
struct ranking {
    struct table table;
    struct table_column columns[9];
    bool lost; /* some tensor lost numbers, which has a column */
};

/* ranking_start - begin one of `n` sorted distances, with columns of these
 * titles for two types; rows are then put as into any table.
 * ranking_put - a row. */
void ranking_start(struct ranking *r, const struct cli *cli, const char *from,
                   const char *to, const ggk_distance *distances, uint64_t n);
void ranking_put(struct ranking *r, ggk_str name, const char *from,
                 const char *to, const ggk_distance *d);

/* ranking_put_json - members for a tensor, its types by these keys, and a
 * distance, into an open object. */
void ranking_put_json(struct json *j, const ggk_tensor *tensor,
                      const char *from_key, const char *from,
                      const char *to_key, const char *to,
                      const ggk_distance *d);

#endif
