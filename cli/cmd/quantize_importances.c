/* quantize_importances.c - warns of importances that spoil what is quantized by
 * them: before any work, since llama-quantize takes them, and so do we.
 */
#include <inttypes.h>

#include "cmd/quantizing.h"
#include "out/fmt.h"
#include "show.h"

#define DOUBTS_MOST 8 /* rules that can be broken */

/* The tensors by whose importances a rule is broken. */
struct doubt {
    const ggk_rule *rule;
    uint64_t n;
    ggk_importances first;
    uint64_t value; /* of these */
};

static void note_doubt(struct doubt doubts[DOUBTS_MOST], const ggk_rule *rule,
                       const ggk_importances *e, uint64_t value)
{
    size_t i = 0;

    while (i < DOUBTS_MOST && doubts[i].n > 0 && doubts[i].rule != rule)
        i++;
    if (i == DOUBTS_MOST)
        return;
    if (doubts[i].n++ == 0)
        doubts[i] = (struct doubt){rule, 1, *e, value};
}

static void tell_doubt(const struct quantizing *q, const struct doubt *d)
{
    char more[64] = "", number[FMT_BYTES];
    ggk_str name = d->first.name;

    fmt_short(number, (double)d->first.values[d->value]);
    if (d->n > 1)
        snprintf(more, sizeof more, ", and %" PRIu64 " more tensor%s likewise",
                 d->n - 1, fmt_plural(d->n - 1));
    msg_warning(&q->cli->msg, q->options->imatrix,
                "%s: \"%.*s\", value %" PRIu64 " of %" PRIu64 " is %s%s: %s",
                d->rule->id, show_most(name, 200), name.ptr, d->value,
                d->first.n_values, number, more, d->rule->meaning);
}

void quantize_doubt_importances(const struct quantizing *q)
{
    const ggk_imatrix *imatrix = q->importances.imatrix;
    struct doubt doubts[DOUBTS_MOST] = {{.n = 0}};
    ggk_recipe_tensor r;

    for (uint64_t i = 0; ggk_recipe_tensor_at(q->recipe, i, &r, NULL) == GGK_OK;
         i++) {
        const ggk_rule *rule;
        ggk_importances e;
        uint64_t value;

        if (r.to == r.from ||
            ggk_imatrix_entry(imatrix, r.importances, &e, NULL) != GGK_OK)
            continue;
        rule = ggk_importances_doubt(&e, r.to, &value);
        if (rule != NULL)
            note_doubt(doubts, rule, &e, value);
    }
    for (size_t i = 0; i < DOUBTS_MOST && doubts[i].n > 0; i++)
        tell_doubt(q, &doubts[i]);
}
