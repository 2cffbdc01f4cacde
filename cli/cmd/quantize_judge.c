/* quantize_judge.c - what keeps gguf quantize from its work: the tensors, and
 * what to do. */
#include <inttypes.h>
#include <string.h>

#include "cmd/quantizing.h"
#include "out/fmt.h"
#include "out/text.h"
#include "show.h"

#define NAMED_MOST 20 /* tensors */

#define TEXT_BYTES       300
#define EXPRESSION_BYTES 1024

int quantize_fail(const struct cli *cli, const char *file, const ggk_error *err)
{
    int status = cli_fail(cli, file, err);

    return status == CLI_NO || status == CLI_USAGE ? CLI_UNREADABLE : status;
}

/* What an obstacle means for the program, and what to do about it. */
static int obstacle_exit(ggk_obstacle obstacle, const char **advice)
{
    *advice = NULL;
    switch (obstacle) {
    case GGK_OBSTACLE_QUANTIZED:
        *advice = "quantize the original, or give --allow-requantize: more is "
                  "lost then";
        return CLI_USAGE;
    case GGK_OBSTACLE_IMATRIX:
        *advice = "give an --imatrix that has them, or another TYPE, or other "
                  "types for them by --tensor-type";
        return CLI_USAGE;
    case GGK_OBSTACLE_FALLBACK:
        *advice = "leave out --no-fallback, or give them other types by "
                  "--tensor-type";
        return CLI_UNSUPPORTED;
    case GGK_OBSTACLE_WIDTH:
        *advice = "give them other types by --tensor-type";
        return CLI_UNSUPPORTED;
    case GGK_OBSTACLE_SHAPE:
        *advice = "is the importance matrix of another model? "
                  "--exclude-weights leaves out entries of it";
        return CLI_UNREADABLE;
    case GGK_OBSTACLE_SOURCE: return CLI_UNSUPPORTED;
    case GGK_OBSTACLE_NONE: break;
    }
    return CLI_DONE;
}

static void name_tensor(const struct quantizing *q, const ggk_recipe_tensor *r,
                        const ggk_tensor *tensor)
{
    char from[SHOW_TYPE_BYTES], to[SHOW_TYPE_BYTES], shape[SHOW_SHAPE_BYTES];
    FILE *out = q->cli->msg.out;

    show_shape(shape, tensor);
    show_tensor_type(from, q->in->model, r->from);
    show_tensor_type(to, q->in->model, r->wanted);
    fputs("  ", out);
    text_write(out, tensor->name.ptr, tensor->name.len, TEXT_PLAIN, TEXT_WHOLE);
    fprintf(out, "  %s  %s to %s\n", shape, from, to);
}

/* Those `n` that have an obstacle, or the first of them. */
static void name_tensors(const struct quantizing *q, ggk_obstacle obstacle,
                         uint64_t n)
{
    uint64_t named = 0;
    ggk_recipe_tensor r;
    ggk_tensor tensor;

    for (uint64_t i = 0; named < n && named < NAMED_MOST &&
                         ggk_recipe_tensor_at(q->recipe, i, &r, NULL) == GGK_OK;
         i++) {
        if (r.obstacle != obstacle)
            continue;
        named++;
        if (ggk_model_tensor(q->in->model, r.tensor, &tensor, NULL) == GGK_OK)
            name_tensor(q, &r, &tensor);
    }
    if (n > named)
        fprintf(q->cli->msg.out, "  and %" PRIu64 " more\n", n - named);
}

/* ------------------------------------------------------ without importances */

/* Does it stand for itself in an expression, and between quotes? Or a dot. */
static bool is_plain(char c)
{
    static const char known[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789_-.";

    return memchr(known, c, sizeof known - 1) != NULL;
}

/* Append a name to an expression, and what separates it; false if it would be
 * too long, or has characters that mean something there. */
static bool put_name(char expression[EXPRESSION_BYTES], ggk_str name)
{
    size_t n = strlen(expression);

    if (n > 0)
        expression[n++] = '|';
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];

        if (n + 3 > EXPRESSION_BYTES || !is_plain(c))
            return false;
        if (c == '.')
            expression[n++] = '\\';
        expression[n++] = c;
    }
    expression[n] = '\0';
    return true;
}

/* An expression for the tensors that lack importances; false if there is none
 * that is short, or an override that comes before it. */
static bool write_bare(const struct quantizing *q,
                       char expression[EXPRESSION_BYTES])
{
    ggk_recipe_tensor r;

    expression[0] = '\0';
    for (uint64_t i = 0; ggk_recipe_tensor_at(q->recipe, i, &r, NULL) == GGK_OK;
         i++)
        if (r.obstacle == GGK_OBSTACLE_IMATRIX &&
            (r.override != GGK_NONE || !put_name(expression, r.name)))
            return false;
    return true;
}

/* What to do about `n` tensors that the matrix has no entry for. */
static void advise_bare(const struct quantizing *q, uint64_t n)
{
    const struct msg *msg = &q->cli->msg;
    char expression[EXPRESSION_BYTES];
    ggk_recipe_total sum;

    ggk_recipe_sum(q->recipe, &sum);
    if (sum.n_importances == 0)
        msg_note(msg, q->options->imatrix,
                 "none of its entries is for a tensor that is quantized: is it "
                 "of another model?");
    else if (write_bare(q, expression))
        msg_note(msg, NULL,
                 "--tensor-type '^(%s)$=%s' gives %s a type that needs none",
                 expression,
                 strcmp(sum.target->name, "Q2_K_S") == 0 ? "Q3_K" : "Q2_K",
                 n == 1 ? "it" : "them");
    else
        msg_note(msg, NULL,
                 "give an --imatrix that has them, or other types for them by "
                 "--tensor-type");
}

/* -------------------------------------------------------------- obstacles */

/* What an obstacle is, behind "2 tensors are". */
static const char *obstacle_text(const struct quantizing *q,
                                 ggk_obstacle obstacle, uint64_t n,
                                 char text[TEXT_BYTES])
{
    if (obstacle != GGK_OBSTACLE_IMATRIX || q->importances.imatrix == NULL)
        return ggk_obstacle_text(obstacle);
    snprintf(text, TEXT_BYTES,
             "to get a type that needs importances, and %.200s has no entry%s "
             "for %s",
             q->options->imatrix, q->importances.n_dropped > 0 ? " left" : "",
             n == 1 ? "it" : "them");
    return text;
}

/* Returns the exit status for an obstacle, which `n` tensors have. */
static int judge_obstacle(const struct quantizing *q, ggk_obstacle obstacle,
                          uint64_t n)
{
    const char *advice;
    char text[TEXT_BYTES];
    int status = obstacle_exit(obstacle, &advice);

    if (n == 0)
        return CLI_DONE;
    msg_error(&q->cli->msg, q->in->name, "%" PRIu64 " tensor%s %s %s:", n,
              fmt_plural(n), n == 1 ? "is" : "are",
              obstacle_text(q, obstacle, n, text));
    name_tensors(q, obstacle, n);
    if (obstacle == GGK_OBSTACLE_IMATRIX && q->importances.imatrix != NULL)
        advise_bare(q, n);
    else if (advice != NULL)
        msg_note(&q->cli->msg, NULL, "%s", advice);
    return status;
}

/* All of them; that importances are of other shapes first, since it may be why
 * there are none. */
static int judge_obstacles(const struct quantizing *q,
                           const ggk_recipe_total *sum)
{
    int status = judge_obstacle(q, GGK_OBSTACLE_SHAPE,
                                sum->n_obstacles[GGK_OBSTACLE_SHAPE]);

    for (int i = GGK_OBSTACLE_NONE + 1; i < GGK_OBSTACLE_COUNT; i++) {
        int worse =
            i == GGK_OBSTACLE_SHAPE
                ? CLI_DONE
                : judge_obstacle(q, (ggk_obstacle)i, sum->n_obstacles[i]);

        status = worse > status ? worse : status;
    }
    return status;
}

/* Of a shard alone the rules see a part of the layers. */
static void note_shard(const struct quantizing *q)
{
    uint64_t n = input_shards(q->in);

    if (n > 0)
        msg_note(&q->cli->msg, q->in->name,
                 "one shard of %" PRIu64 ", which it stays; a mix goes by the "
                 "layers in it alone",
                 n);
}

int quantize_judge(const struct quantizing *q)
{
    ggk_recipe_total sum;
    int status, worse;

    ggk_recipe_sum(q->recipe, &sum);
    note_shard(q);
    status = quantize_doubts(q);
    worse = judge_obstacles(q, &sum);
    status = worse > status ? worse : status;
    if (status == CLI_DONE && q->importances.imatrix != NULL)
        quantize_doubt_importances(q);
    if (status == CLI_DONE && q->importances.imatrix != NULL &&
        sum.n_importances == 0)
        msg_warning(&q->cli->msg, q->options->imatrix,
                    "none of its entries is for a tensor that is quantized");
    return status;
}
