/* quantize_judge.c - what keeps gguf quantize from its work: the tensors, and
 * what to do. */
#include <inttypes.h>
#include <string.h>

#include "cmd/quantizing.h"
#include "out/fmt.h"
#include "out/text.h"
#include "show.h"

#define NAMED_MOST 20 /* tensors */

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

/* Returns the exit status for an obstacle, which `n` tensors have. */
static int judge_obstacle(const struct quantizing *q, ggk_obstacle obstacle,
                          uint64_t n)
{
    const char *advice;
    int status = obstacle_exit(obstacle, &advice);

    if (n == 0)
        return CLI_DONE;
    msg_error(&q->cli->msg, q->in->name, "%" PRIu64 " tensor%s %s %s:", n,
              fmt_plural(n), n == 1 ? "is" : "are",
              ggk_obstacle_text(obstacle));
    name_tensors(q, obstacle, n);
    if (advice != NULL)
        msg_note(&q->cli->msg, NULL, "%s", advice);
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
    int status;

    ggk_recipe_sum(q->recipe, &sum);
    note_shard(q);
    status = quantize_doubts(q);
    for (int i = GGK_OBSTACLE_NONE + 1; i < GGK_OBSTACLE_COUNT; i++) {
        int worse = judge_obstacle(q, (ggk_obstacle)i, sum.n_obstacles[i]);

        status = worse > status ? worse : status;
    }
    if (status == CLI_DONE && q->importances.imatrix != NULL)
        quantize_doubt_importances(q);
    if (status == CLI_DONE && q->importances.imatrix != NULL &&
        sum.n_importances == 0)
        msg_warning(&q->cli->msg, q->options->imatrix,
                    "none of its entries is for a tensor that is quantized");
    return status;
}
