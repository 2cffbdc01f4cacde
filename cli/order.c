/* order.c - the tensors of a model, chosen by name and sorted.
 *
 * Sorted is what is known of each tensor, not the tensors: a million of them
 * would be 160 MB. The names that are compared may lie in a map that another
 * process writes to, and then comparisons contradict each other. A merge sort
 * stands that, qsort() need not.
 */
#include "order.h"

#include <stdlib.h>
#include <string.h>

#include "selection.h"

const char *const order_choices[] = {"name", "size", "offset", "type", NULL};

struct sorting {
    enum order_by by;
    bool descending;
};

int order_compare_names(const struct order_item *a, const struct order_item *b)
{
    uint32_t common = a->major < b->major ? a->major : b->major;
    int sign = common > 0 ? memcmp(a->key.name, b->key.name, common) : 0;

    return sign != 0 ? sign : (a->major > b->major) - (a->major < b->major);
}

static int compare_numbers(const struct order_item *a,
                           const struct order_item *b)
{
    if (a->major != b->major)
        return a->major < b->major ? -1 : 1;
    return (a->key.number > b->key.number) - (a->key.number < b->key.number);
}

static bool has_to_precede(const struct sorting *s, const struct order_item *a,
                           const struct order_item *b)
{
    int sign =
        s->by == ORDER_NAME ? order_compare_names(a, b) : compare_numbers(a, b);

    return s->descending ? sign > 0 : sign < 0;
}

/* Merge the neighbours from[low..mid) and from[mid..high) into `to`. */
static void merge_runs(const struct sorting *s, const struct order_item *from,
                       struct order_item *to, size_t low, size_t mid,
                       size_t high)
{
    size_t left = low, right = mid;

    for (size_t i = low; i < high; i++) {
        bool take_right =
            left == mid ||
            (right < high && has_to_precede(s, &from[right], &from[left]));
        to[i] = from[take_right ? right++ : left++];
    }
}

static bool is_sorted(const struct sorting *s, const struct order *order)
{
    for (size_t i = 1; i < order->n; i++)
        if (has_to_precede(s, &order->items[i], &order->items[i - 1]))
            return false;
    return true;
}

static bool sort_items(const struct sorting *s, struct order *order)
{
    size_t n = order->n;
    struct order_item *from = order->items, *to;

    if (is_sorted(s, order))
        return true;
    to = malloc(n * sizeof *to); /* no overflow: there are n of them already */
    if (to == NULL)
        return false;
    for (size_t run = 1; run < n; run *= 2) {
        struct order_item *swap = from;
        for (size_t low = 0; low < n; low += 2 * run) {
            size_t mid = n - low > run ? low + run : n;
            size_t high = n - low > 2 * run ? low + 2 * run : n;
            merge_runs(s, from, to, low, mid, high);
        }
        from = to;
        to = swap;
    }
    free(to);
    order->items = from;
    return true;
}

static struct order_item make_item(enum order_by by, uint64_t i,
                                   const ggk_tensor *t)
{
    struct order_item item = {.tensor = (uint32_t)i};

    switch (by) {
    case ORDER_FILE: break;
    case ORDER_NAME:
        item.key.name = t->name.ptr;
        item.major =
            t->name.len < UINT32_MAX ? (uint32_t)t->name.len : UINT32_MAX;
        break;
    case ORDER_SIZE: item.key.number = t->bytes; break;
    case ORDER_OFFSET:
        item.key.number = t->data_off;
        item.major = t->file;
        break;
    case ORDER_TYPE: item.key.number = t->type; break;
    }
    return item;
}

static ggk_status no_memory(ggk_error *err)
{
    *err = (ggk_error){.status = GGK_E_NOMEM,
                       .offset = GGK_NO_OFFSET,
                       .what = "out of memory"};
    return GGK_E_NOMEM;
}

static ggk_status collect_items(const ggk_model *model, char *const *patterns,
                                enum order_by by, struct order *out,
                                ggk_error *err)
{
    for (uint64_t i = 0; i < ggk_model_n_tensors(model); i++) {
        ggk_tensor t;
        ggk_status status = ggk_model_tensor(model, i, &t, err);
        if (status != GGK_OK)
            return status;
        if (patterns == NULL || selection_has(patterns, t.name))
            out->items[out->n++] = make_item(by, i, &t);
    }
    return GGK_OK;
}

ggk_status order_tensors(const ggk_model *model, char *const *patterns,
                         enum order_by by, bool descending, struct order *out,
                         ggk_error *err)
{
    struct sorting sorting = {by, descending};
    uint64_t n = ggk_model_n_tensors(model);
    ggk_status status;

    *out = (struct order){NULL, 0};
    if (n > UINT32_MAX || n > SIZE_MAX / sizeof *out->items)
        return no_memory(err);
    out->items = calloc(n > 0 ? (size_t)n : 1, sizeof *out->items);
    if (out->items == NULL)
        return no_memory(err);
    status = collect_items(model, patterns, by, out, err);
    if (status == GGK_OK && !sort_items(&sorting, out))
        status = no_memory(err);
    if (status != GGK_OK)
        order_free(out);
    return status;
}

ggk_status order_at(const struct order *order, const ggk_model *model, size_t i,
                    ggk_tensor *out, ggk_error *err)
{
    return ggk_model_tensor(model, order->items[i].tensor, out, err);
}

void order_free(struct order *order)
{
    free(order->items);
    *order = (struct order){NULL, 0};
}

static int tell_lost(const struct input *in, char *const *patterns)
{
    const char *lost;
    ggk_error err;

    if (selection_lost(in->model, patterns, &lost, &err) != GGK_OK)
        return input_fail(in, &err);
    return lost != NULL ? input_no_match(in, "tensor", lost) : CLI_DONE;
}

int order_run(struct cli *cli, char **argv, int sort, bool reverse,
              int (*list)(const struct cli *cli, const struct input *in,
                          char *const *patterns))
{
    char *const *patterns = argv + 1;
    struct input in;
    int status;

    if (reverse && sort == ORDER_FILE) {
        msg_usage(&cli->msg, "--reverse needs --sort");
        return CLI_USAGE;
    }
    status = input_open(cli, argv[0], &in);
    if (status != CLI_DONE)
        return status;
    status = list(cli, &in, patterns);
    if (status == CLI_DONE)
        status = tell_lost(&in, patterns);
    return input_finish(&in, status);
}
