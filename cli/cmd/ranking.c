/* ranking.c - distances of tensors, the farthest first, as text and as JSON. */
#include "cmd/ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/fmt.h"
#include "show.h"

/* Columns that go where names have no room otherwise. */
enum { MAX = 5, COSINE = 6, DIFFER = 7 };

static int compare_ranks(const void *x, const void *y)
{
    const ggk_distance *d = x, *e = y;

    if (d->n_lost != e->n_lost)
        return d->n_lost > e->n_lost ? -1 : 1;
    if (d->relative != e->relative)
        return d->relative > e->relative ? -1 : 1;
    return (d->a > e->a) - (d->a < e->a);
}

void ranking_sort(ggk_distance *distances, uint64_t n)
{
    if (n > 0)
        qsort(distances, (size_t)n, sizeof *distances, compare_ranks);
}

void ranking_add(struct ranking_sum *sum, const ggk_distance *d)
{
    uint64_t n = d->n - d->n_not_finite;

    sum->root = hypot(sum->root, d->rmse * sqrt((double)n));
    sum->root_a = hypot(sum->root_a, d->size * sqrt((double)n));
    sum->n_finite += n;
}

double ranking_rmse(const struct ranking_sum *sum)
{
    return sum->n_finite > 0 ? sum->root / sqrt((double)sum->n_finite) : 0;
}

double ranking_relative(const struct ranking_sum *sum)
{
    if (sum->root == 0)
        return 0;
    return sum->root_a > 0 ? sum->root / sum->root_a : (double)INFINITY;
}

void ranking_print_sum(FILE *out, const struct ranking_sum *sum)
{
    char rmse[FMT_BYTES], relative[FMT_BYTES];

    fmt_short(rmse, ranking_rmse(sum));
    fmt_short(relative, ranking_relative(sum));
    fprintf(out, "RMSE %s, relative %s", rmse, relative);
}

void ranking_put_sum(struct json *j, const struct ranking_sum *sum)
{
    json_put_f64(j, "rmse", ranking_rmse(sum));
    json_put_f64(j, "relative", ranking_relative(sum));
}

void ranking_start(struct ranking *r, const struct cli *cli, const char *from,
                   const char *to, const ggk_distance *distances, uint64_t n)
{
    const struct table_column columns[] = {
        {"NAME", TABLE_LEFT, true},
        {from, TABLE_LEFT, false},
        {to, TABLE_LEFT, false},
        {"RMSE", TABLE_RIGHT, false},
        {"RELATIVE", TABLE_RIGHT, false},
        [MAX] = {"MAX", TABLE_RIGHT, false},
        [COSINE] = {"COSINE", TABLE_RIGHT, false},
        [DIFFER] = {"DIFFER", TABLE_RIGHT, false},
        {"LOST", TABLE_RIGHT, false},
    };
    static const size_t spare[] = {DIFFER, COSINE, MAX};

    r->lost = n > 0 && distances[0].n_lost > 0;
    memcpy(r->columns, columns, sizeof columns);
    table_start(&r->table, cli->out, r->columns, r->lost ? 9 : 8,
                cli->term.width, term_style(&cli->term, TERM_BOLD),
                term_style(&cli->term, TERM_PLAIN));
    for (size_t i = 0; i < sizeof spare / sizeof spare[0]; i++)
        table_spare(&r->table, spare[i]);
}

static void put_short(struct table *t, double v)
{
    char text[FMT_BYTES];

    fmt_short(text, v);
    table_cstring(t, text);
}

void ranking_put(struct ranking *r, ggk_str name, const char *from,
                 const char *to, const ggk_distance *d)
{
    struct table *t = &r->table;
    char cosine[FMT_BYTES], share[FMT_BYTES];

    fmt_fixed(cosine, d->cosine, 6);
    fmt_percent(share, d->n_differ, d->n);
    table_text(t, name.ptr, name.len);
    table_cstring(t, from);
    table_cstring(t, to);
    put_short(t, d->rmse);
    put_short(t, d->relative);
    put_short(t, d->max);
    table_cstring(t, cosine);
    table_cstring(t, share);
    if (r->lost)
        table_u64(t, d->n_lost);
}

void ranking_put_json(struct json *j, const ggk_tensor *tensor,
                      const char *from_key, const char *from,
                      const char *to_key, const char *to, const ggk_distance *d)
{
    json_put_string(j, "name", tensor->name.ptr, tensor->name.len);
    json_put_cstring(j, from_key, from);
    json_put_cstring(j, to_key, to);
    json_key(j, "shape");
    show_json_shape(j, tensor);
    json_put_u64(j, "elements", d->n);
    json_put_u64(j, "differ", d->n_differ);
    json_put_u64(j, "not_finite", d->n_not_finite);
    json_put_u64(j, "lost", d->n_lost);
    json_put_f64(j, "rmse", d->rmse);
    json_put_f64(j, "relative", d->relative);
    json_put_f64(j, "max", d->max);
    json_put_u64(j, "max_at", d->max_at);
    json_put_f64(j, "cosine", d->cosine);
}
