/* order.h - the tensors of a model, chosen by name and sorted. */
#ifndef CLI_ORDER_H
#define CLI_ORDER_H

#include "command.h"
#include "input.h"

enum order_by {
    ORDER_FILE, /* shard by shard, as the tensor infos stand */
    ORDER_NAME, /* byte by byte */
    ORDER_SIZE,
    ORDER_OFFSET, /* shard by shard */
    ORDER_TYPE    /* by id */
};

/* For an option --sort whose value is an enum order_by: their names, after
 * ORDER_FILE. */
extern const char *const order_choices[];

/* order_run - a command with that option and --reverse, and the operands FILE
 * [PATTERN]...: opens FILE and has `list` tell of the tensors that match, then
 * tells of a pattern that none does. */
int order_run(struct cli *cli, char **argv, int sort, bool reverse,
              int (*list)(const struct cli *cli, const struct input *in,
                          char *const *patterns));

/* One tensor: its number, and what it is sorted by. */
struct order_item {
    union {
        uint64_t number;
        const char *name;
    } key;
    uint32_t major; /* comes before the number: the shard; of a name: bytes */
    uint32_t tensor;
};

struct order {
    struct order_item *items;
    size_t n;
};

/* order_tensors - the tensors that are selected (see selection_has; NULL: all),
 * sorted; those that are alike stay in file order. Takes 16 bytes a tensor,
 * twice that while it sorts. Errors: GGK_E_NOMEM, GGK_E_CHANGED. */
ggk_status order_tensors(const ggk_model *model, char *const *patterns,
                         enum order_by by, bool descending, struct order *out,
                         ggk_error *err);

/* order_compare_names - of two items that were sorted by name. */
int order_compare_names(const struct order_item *a, const struct order_item *b);

/* order_at - tensor `i` of the order, as ggk_model_tensor gives it. */
ggk_status order_at(const struct order *order, const ggk_model *model, size_t i,
                    ggk_tensor *out, ggk_error *err);
void order_free(struct order *order);

#endif
