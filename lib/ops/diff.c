/* diff.c - what two models differ in: entries are paired by name, in linear
 * time, and each pair is compared.
 */
#include "ops/diff.h"

#include <errno.h>
#include <string.h>

#include "base/ckd.h"
#include "base/mem.h"
#include "base/opts.h"
#include "format/space.h"

/* ------------------------------------------------------------------ pairing */

/* Names of one kind, keys or tensors, in both models. */
struct pairing {
    const struct ggki_namemap *map_a, *map_b;
    const void *owner_a, *owner_b;
    uint64_t n_a, n_b;
    const ggk_allocator *mem;
    uint8_t *taken; /* a bit for each entry of b: has it been paired? */
    /* Where names repeat in b, for each entry: 1 + the next of its name; and,
     * for the first of a name, 1 + the one to be paired next. 0: none. */
    uint32_t *next, *turn;
    uint64_t last; /* entry of b that was paired last */
    bool shuffled; /* the pairs of b come in another order */
};

static size_t taken_bytes(const struct pairing *p)
{
    return (size_t)(p->n_b / 8 + 1);
}

static size_t chain_bytes(const struct pairing *p)
{
    return (size_t)p->n_b * sizeof(uint32_t);
}

static void free_pairing(struct pairing *p)
{
    ggki_mem_release(p->mem, p->taken, taken_bytes(p));
    ggki_mem_release(p->mem, p->next, chain_bytes(p));
    ggki_mem_release(p->mem, p->turn, chain_bytes(p));
    p->taken = NULL;
    p->next = p->turn = NULL;
}

/* The first entry of b with that name. */
static uint64_t first_of(const struct pairing *p, ggk_str name)
{
    bool repeats;

    return ggki_namemap_find(p->map_b, p->owner_b, name, &repeats);
}

/* String entries of one name together, from the last to the first. */
static ggk_status chain_repeats(struct pairing *p, ggk_error *err)
{
    p->next = ggki_mem_zero(p->mem, chain_bytes(p));
    p->turn = ggki_mem_zero(p->mem, chain_bytes(p));
    if (p->next == NULL || p->turn == NULL)
        return ggki_fail_memory(err);
    for (uint64_t j = p->n_b; j-- > 0;) {
        ggk_str name;
        uint64_t first;

        if (!p->map_b->name_of(p->owner_b, j, &name) ||
            (first = first_of(p, name)) >= p->n_b)
            return ggki_fail_changed(err);
        p->next[j] = p->turn[first];
        p->turn[first] = (uint32_t)j + 1;
    }
    return GGK_OK;
}

static ggk_status start_pairing(struct pairing *p, ggk_error *err)
{
    ggk_status status = GGK_OK;

    p->taken = ggki_mem_zero(p->mem, taken_bytes(p));
    if (p->taken == NULL)
        status = ggki_fail_memory(err);
    else if (p->map_b->n_repeats > 0)
        status = chain_repeats(p, err);
    if (status != GGK_OK)
        free_pairing(p);
    return status;
}

static bool is_taken(const struct pairing *p, uint64_t j)
{
    return (p->taken[j / 8] >> j % 8 & 1) != 0;
}

/* The entry of b that goes with the next one of a, of that name; GGK_NONE if
 * there is none. */
static uint64_t take_partner(struct pairing *p, ggk_str name)
{
    uint64_t j = first_of(p, name);

    if (j >= p->n_b)
        return GGK_NONE;
    if (p->turn != NULL) {
        uint64_t first = j;
        if (p->turn[first] == 0)
            return GGK_NONE;
        j = p->turn[first] - 1;
        p->turn[first] = p->next[j];
    } else if (is_taken(p, j)) {
        return GGK_NONE;
    }
    p->taken[j / 8] |= (uint8_t)(1u << j % 8);
    p->shuffled = p->shuffled || j < p->last;
    p->last = j;
    return j;
}

/* --------------------------------------------------------------- reporting */

static bool is_layout(ggk_diff_kind kind)
{
    return kind >= GGK_DIFF_SHARDS;
}

ggk_status ggki_diff_report(struct ggki_diff *diff, const ggk_difference *d,
                            ggk_error *err)
{
    if (is_layout(d->kind) && (diff->opts.flags & GGK_DIFF_LAYOUT) == 0)
        return GGK_OK;
    diff->result->n[d->kind]++;
    if (!is_layout(d->kind))
        diff->result->equal = false;
    if (diff->on_difference != NULL && !diff->on_difference(diff->ctx, d))
        return ggki_fail(err, GGK_E_CANCELLED, "it was cancelled");
    return GGK_OK;
}

static ggk_status report_if(struct ggki_diff *diff, bool differs,
                            ggk_diff_kind kind, ggk_error *err)
{
    const ggk_difference d = {.kind = kind, .a = GGK_NONE, .b = GGK_NONE};

    return differs ? ggki_diff_report(diff, &d, err) : GGK_OK;
}

/* ------------------------------------------------------------------- files */

static ggk_status compare_files(struct ggki_diff *diff, ggk_error *err)
{
    const struct ggki_gguf *a = &diff->a->files[0].gguf;
    const struct ggki_gguf *b = &diff->b->files[0].gguf;
    ggk_status status =
        report_if(diff, a->version != b->version, GGK_DIFF_VERSION, err);

    if (status == GGK_OK)
        status = report_if(diff, a->big != b->big, GGK_DIFF_BYTE_ORDER, err);
    if (status == GGK_OK)
        status = report_if(diff, a->alignment != b->alignment,
                           GGK_DIFF_ALIGNMENT, err);
    if (status == GGK_OK)
        status = report_if(diff, diff->a->n_files != diff->b->n_files,
                           GGK_DIFF_SHARDS, err);
    return status;
}

/* -------------------------------------------------------------------- keys */

/* Keys that say how the model is stored, and nothing of the model. */
static bool is_passed_over(const struct ggki_gguf *g, uint64_t i, ggk_str key,
                           ggk_str architecture)
{
    return ggk_is_split_key(key, architecture) || ggki_gguf_is_space(g, i);
}

static ggk_status compare_key(struct ggki_diff *diff, struct pairing *p,
                              uint64_t i, ggk_error *err)
{
    ggk_difference d = {.kind = GGK_DIFF_KEY_REMOVED, .a = i, .b = GGK_NONE};
    ggk_status status;
    ggk_str name;

    if (!p->map_a->name_of(p->owner_a, i, &name))
        return ggki_fail_changed(err);
    if (is_passed_over(p->owner_a, i, name, diff->architecture_a))
        return GGK_OK;
    do
        d.b = take_partner(p, name);
    while (d.b != GGK_NONE && ggki_gguf_is_space(p->owner_b, d.b));
    if (d.b == GGK_NONE)
        return ggki_diff_report(diff, &d, err);
    d.kind = GGK_DIFF_KEY_CHANGED;
    status = ggki_diff_values(diff->a, diff->b, &d, err);
    if (status != GGK_OK || d.what == 0)
        return status;
    return ggki_diff_report(diff, &d, err);
}

static ggk_status report_added_keys(struct ggki_diff *diff,
                                    const struct pairing *p, ggk_error *err)
{
    ggk_status status = GGK_OK;

    for (uint64_t j = 0; j < p->n_b && status == GGK_OK; j++) {
        const ggk_difference d = {
            .kind = GGK_DIFF_KEY_ADDED, .a = GGK_NONE, .b = j};
        ggk_str name;

        if (is_taken(p, j))
            continue;
        if (!p->map_b->name_of(p->owner_b, j, &name))
            status = ggki_fail_changed(err);
        else if (!is_passed_over(p->owner_b, j, name, diff->architecture_b))
            status = ggki_diff_report(diff, &d, err);
    }
    return status;
}

static ggk_status compare_keys(struct ggki_diff *diff, ggk_error *err)
{
    const struct ggki_gguf *a = &diff->a->files[0].gguf;
    const struct ggki_gguf *b = &diff->b->files[0].gguf;
    struct pairing p = {.map_a = &a->keys,
                        .map_b = &b->keys,
                        .owner_a = a,
                        .owner_b = b,
                        .n_a = a->n_kv,
                        .n_b = b->n_kv,
                        .mem = &diff->a->mem};
    ggk_status status = start_pairing(&p, err);

    if (status != GGK_OK)
        return status;
    for (uint64_t i = 0; i < p.n_a && status == GGK_OK; i++)
        status = compare_key(diff, &p, i, err);
    if (status == GGK_OK)
        status = report_added_keys(diff, &p, err);
    if (status == GGK_OK)
        status = report_if(diff, p.shuffled, GGK_DIFF_KEY_ORDER, err);
    free_pairing(&p);
    return status;
}

/* ----------------------------------------------------------------- tensors */

/* Two tensors whose byte orders differ, of a type that nobody can swap. */
static ggk_status fail_swap(const ggk_model *model, const ggk_tensor *t,
                            ggk_error *err)
{
    const ggk_type_info *type = ggk_model_type(model, t->type);
    int len = t->name.len < 200 ? (int)t->name.len : 200;

    if (type == NULL)
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "tensor \"%.*s\" is of type %lu, which cannot be "
                         "compared in different byte orders",
                         len, t->name.ptr, (unsigned long)t->type);
    return ggki_fail(err, GGK_E_UNSUPPORTED,
                     "tensor \"%.*s\" is of type %s, which cannot be compared "
                     "in different byte orders",
                     len, t->name.ptr, type->name);
}

static uint32_t tensor_changes(const ggk_tensor *a, const ggk_tensor *b)
{
    uint32_t what = a->type == b->type ? 0 : GGK_DIFF_TYPE;

    if (a->n_dims != b->n_dims || memcmp(a->ne, b->ne, sizeof a->ne) != 0)
        what |= GGK_DIFF_SHAPE;
    return what;
}

/* Compare tensor `i` of a with `j` of b. */
static ggk_status compare_pair(struct ggki_diff_queue *q, uint64_t i,
                               uint64_t j, const ggk_tensor *a, ggk_error *err)
{
    ggk_difference d = {.kind = GGK_DIFF_TENSOR_CHANGED, .a = i, .b = j};
    ggk_tensor b;
    ggk_status status = ggk_model_tensor(q->diff->b, j, &b, err);

    if (status != GGK_OK)
        return status;
    d.what = tensor_changes(a, &b);
    if (d.what != 0)
        status = ggki_diff_queue_put(q, &d, err);
    else if ((q->diff->opts.flags & GGK_DIFF_NO_DATA) != 0)
        status = GGK_OK;
    else if (!ggki_diff_comparable(q->diff->a, a, q->diff->b, &b))
        status = fail_swap(q->diff->a, a, err);
    else
        status = ggki_diff_queue_pair(q, i, j, a, &b, err);
    d.kind = GGK_DIFF_TENSOR_MOVED;
    d.what = 0;
    if (status == GGK_OK && (a->file != b.file || a->rel_off != b.rel_off))
        status = ggki_diff_queue_put(q, &d, err);
    return status;
}

static uint64_t add_or_most(uint64_t a, uint64_t b)
{
    return ckd_add64(a, b, &a) ? a : UINT64_MAX;
}

static ggk_status compare_tensor(struct ggki_diff_queue *q, struct pairing *p,
                                 uint64_t i, ggk_error *err)
{
    ggk_difference d = {.kind = GGK_DIFF_TENSOR_REMOVED, .a = i, .b = GGK_NONE};
    ggk_tensor a;
    ggk_status status = ggk_model_tensor(q->diff->a, i, &a, err);
    uint64_t j;

    if (status != GGK_OK)
        return status;
    j = take_partner(p, a.name);
    status = j == GGK_NONE ? ggki_diff_queue_put(q, &d, err)
                           : compare_pair(q, i, j, &a, err);
    q->passed = add_or_most(q->passed, a.bytes);
    return status;
}

static ggk_status compare_all_tensors(struct ggki_diff_queue *q,
                                      struct pairing *p, ggk_error *err)
{
    ggk_status status = GGK_OK;

    for (uint64_t i = 0; i < p->n_a && status == GGK_OK; i++)
        status = compare_tensor(q, p, i, err);
    for (uint64_t j = 0; j < p->n_b && status == GGK_OK; j++) {
        const ggk_difference d = {
            .kind = GGK_DIFF_TENSOR_ADDED, .a = GGK_NONE, .b = j};
        if (!is_taken(p, j))
            status = ggki_diff_queue_put(q, &d, err);
    }
    if (status == GGK_OK)
        status = ggki_diff_queue_flush(q, err);
    if (status == GGK_OK)
        status = report_if(q->diff, p->shuffled, GGK_DIFF_TENSOR_ORDER, err);
    return status;
}

static ggk_status compare_tensors(struct ggki_diff *diff, ggk_error *err)
{
    struct pairing p = {.map_a = &diff->a->tensors,
                        .map_b = &diff->b->tensors,
                        .owner_a = diff->a,
                        .owner_b = diff->b,
                        .n_a = diff->a->n_tensors,
                        .n_b = diff->b->n_tensors,
                        .mem = &diff->a->mem};
    struct ggki_diff_queue q;
    ggk_status status = start_pairing(&p, err);

    if (status != GGK_OK)
        return status;
    status = ggki_diff_queue_start(&q, diff, err);
    if (status == GGK_OK) {
        status = compare_all_tensors(&q, &p, err);
        ggki_diff_queue_free(&q);
    }
    free_pairing(&p);
    return status;
}

/* ---------------------------------------------- can the data be compared? */

static ggk_status fail_in_file(ggk_error *err, const ggk_model *model,
                               uint32_t file, ggk_status status,
                               const char *what)
{
    ggki_fail(err, status, "%s", what);
    if (model->files[file].path != NULL)
        ggki_err_set_file(err, model->files[file].path);
    return status;
}

static ggk_status fail_stream(const ggk_model *model, uint32_t file,
                              ggk_error *err)
{
    return fail_in_file(err, model, file, GGK_E_UNSUPPORTED,
                        "tensor data cannot be compared in a stream, only the "
                        "header");
}

/* Is all data of the model there, and can it be read at any place? */
static ggk_status check_files(const ggk_model *model, ggk_error *err)
{
    for (uint32_t i = 0; i < model->n_files; i++) {
        const struct ggki_gguf *g = &model->files[i].gguf;

        if (g->first_missing != GGK_NONE)
            return fail_in_file(err, model, i, GGK_E_DATA_MISSING,
                                "the file ends before its tensor data does");
        if (g->size == GGK_SIZE_UNKNOWN && g->n_tensors > 0)
            return fail_stream(model, i, err);
    }
    return GGK_OK;
}

/* Bytes of the model's tensors into `*out`. */
static ggk_status sum_bytes(const ggk_model *model, uint64_t *out,
                            ggk_error *err)
{
    *out = 0;
    for (uint64_t i = 0; i < model->n_tensors; i++) {
        ggk_tensor t;
        ggk_status status = ggk_model_tensor(model, i, &t, err);
        if (status != GGK_OK)
            return status;
        *out = add_or_most(*out, t.bytes);
    }
    return GGK_OK;
}

static bool has_order(const ggk_model *model, bool big)
{
    for (uint32_t i = 0; i < model->n_files; i++)
        if (model->files[i].gguf.big == big)
            return true;
    return false;
}

/* In different byte orders: can the data of all pairs be compared? Where names
 * repeat, the first is looked at. */
static ggk_status check_orders(const struct ggki_diff *diff, ggk_error *err)
{
    if (!(has_order(diff->a, true) && has_order(diff->b, false)) &&
        !(has_order(diff->a, false) && has_order(diff->b, true)))
        return GGK_OK;
    for (uint64_t i = 0; i < diff->a->n_tensors; i++) {
        ggk_tensor a, b;
        ggk_status status = ggk_model_tensor(diff->a, i, &a, err);
        uint64_t j;
        bool repeats;

        if (status != GGK_OK)
            return status;
        j = ggki_namemap_find(&diff->b->tensors, diff->b, a.name, &repeats);
        if (j == GGK_NONE)
            continue;
        status = ggk_model_tensor(diff->b, j, &b, err);
        if (status != GGK_OK)
            return status;
        if (tensor_changes(&a, &b) == 0 &&
            !ggki_diff_comparable(diff->a, &a, diff->b, &b))
            return fail_swap(diff->a, &a, err);
    }
    return GGK_OK;
}

/* Can data be read at all? Of a pipe, what was read with the header cannot. */
static ggk_status probe(const ggk_model *model, ggk_error *err)
{
    ggk_error why = {0};

    for (uint64_t i = 0; i < model->n_tensors; i++) {
        ggk_tensor t;
        char byte;
        ggk_status status = ggk_model_tensor(model, i, &t, err);

        if (status != GGK_OK)
            return status;
        if (t.bytes == 0)
            continue;
        status = ggk_model_read_tensor(model, i, 0, &byte, 1, &why);
        if (status == GGK_E_IO && why.sys_errno == ESPIPE)
            return fail_stream(model, t.file, err);
        return status == GGK_OK ? GGK_OK : ggki_fail_copy(err, &why);
    }
    return GGK_OK;
}

static ggk_status prepare_data(struct ggki_diff *diff, ggk_error *err)
{
    ggk_status status = check_files(diff->a, err);

    if (status == GGK_OK)
        status = check_files(diff->b, err);
    if (status == GGK_OK)
        status = check_orders(diff, err);
    if (status == GGK_OK)
        status = ggki_refuse_overlap(diff->a, err);
    if (status == GGK_OK)
        status = ggki_refuse_overlap(diff->b, err);
    if (status == GGK_OK)
        status = sum_bytes(diff->a, &diff->total, err);
    if (status == GGK_OK)
        status = probe(diff->a, err);
    if (status == GGK_OK)
        status = probe(diff->b, err);
    return status;
}

/* ---------------------------------------------------------------- the call */

static ggk_status compare_models(struct ggki_diff *diff, ggk_error *err)
{
    ggk_status status = GGK_OK;

    if ((diff->opts.flags & GGK_DIFF_NO_DATA) == 0)
        status = prepare_data(diff, err);
    if (status == GGK_OK)
        status = compare_files(diff, err);
    if (status == GGK_OK)
        status = compare_keys(diff, err);
    if (status == GGK_OK)
        status = compare_tensors(diff, err);
    return status;
}

ggk_status ggk_diff(const ggk_model *a, const ggk_model *b,
                    const ggk_diff_opts *opts, ggk_on_difference *on_difference,
                    void *ctx, ggk_diff_result *out, ggk_error *err)
{
    struct ggki_diff diff = {
        .a = a,
        .b = b,
        .architecture_a = ggki_architecture_of(&a->files[0].gguf),
        .architecture_b = ggki_architecture_of(&b->files[0].gguf),
        .on_difference = on_difference,
        .ctx = ctx,
        .result = out};
    ggk_status status;

    *out = (ggk_diff_result){.equal = true};
    status = ggki_opts_take(&diff.opts, sizeof diff.opts, opts, err);
    if (status == GGK_OK)
        status = ggki_opts_check_flags(diff.opts.flags,
                                       GGK_DIFF_NO_DATA | GGK_DIFF_LAYOUT, err);
    if (status == GGK_OK)
        status = compare_models(&diff, err);
    if (status != GGK_OK)
        *out = (ggk_diff_result){0};
    return status;
}
