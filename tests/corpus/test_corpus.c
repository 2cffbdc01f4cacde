/* test_corpus.c - every file of the corpus, opened in every way.
 *
 * usage: test_corpus CORPUS EXPECT
 *
 * EXPECT is expect.tsv. A file that opens by itself must give the digest that
 * stands there; one that does not must fail with that status, at that byte,
 * in that field. Opening the path, which brings in the other shards of a set,
 * is judged apart. Where the folder big/ was made, only its files are opened,
 * by a map, which must not look at more of them than their headers.
 */
#include "corpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The columns of expect.tsv that are looked at. */
enum {
    COL_NAME,
    COL_EXIT,
    COL_STATUS,
    COL_OFFSET,
    COL_WHERE,
    COL_FILE,
    COL_SUM,
    COL_MOVED,
    COL_COUNT
};

struct corpus_run {
    const char *root;
    bool big;
    unsigned long checks;
};

/* What must come of the file when it begins at byte MOVED of another. */
enum { MOVED = 517 };

static void judge_moved(const char *label, ggk_status status,
                        const ggk_error *err, char **row)
{
    char wanted[32];
    char offset[32];
    char where[128];

    if (sscanf(row[COL_MOVED], "%31s %31s %127s", wanted, offset, where) == 3) {
        corpus_judge(label, status, err, wanted, offset, where);
    } else if (strcmp(row[COL_SUM], "-") != 0) {
        corpus_judge(label, status, err, "GGK_OK", "-", "-");
    } else {
        snprintf(offset, sizeof(offset), "%llu",
                 strtoull(row[COL_OFFSET], NULL, 10) + MOVED);
        corpus_judge(label, status, err, row[COL_STATUS], offset,
                     row[COL_WHERE]);
    }
}

static void check_moved(const char *name, const struct corpus_bytes *bytes,
                        char **row)
{
    struct corpus_bytes moved = {malloc(bytes->n + MOVED), bytes->n + MOVED};
    ggk_open_opts opts = {.struct_bytes = sizeof(opts), .base_off = MOVED};
    ggk_model *model;
    ggk_error err;
    ggk_status status;
    char label[256];

    if (moved.data == NULL)
        abort();
    memset(moved.data, 0xab, MOVED);
    memcpy(moved.data + MOVED, bytes->data, bytes->n);
    snprintf(label, sizeof(label), "%s at %d", name, MOVED);
    status = corpus_open(WAY_MEMORY, NULL, &moved, &opts, &model, &err);
    judge_moved(label, status, &err, row);
    if (status == GGK_OK)
        corpus_exercise(label, model, &moved, true);
    ggk_model_close(model);
    free(moved.data);
}

/* By itself, the file opens and says what it should. */
static void check_content(const char *label, enum corpus_way way,
                          const ggk_model *model,
                          const struct corpus_bytes *bytes, const char *sum)
{
    char found[16];
    uint64_t stream_bytes = way == WAY_STREAM ? bytes->n : GGK_SIZE_UNKNOWN;

    snprintf(found, sizeof(found), "%08" PRIx32,
             corpus_digest(model, stream_bytes));
    if (strcmp(found, sum) != 0)
        corpus_fail("%s: digest %s, not %s", label, found, sum);
    corpus_exercise(label, model, bytes, way != WAY_STREAM);
}

/* A source does not know the other shards of a set. A stream does not know
 * how much is left, and need only agree on whether it opens. */
static void check_way(enum corpus_way way, const char *path,
                      const struct corpus_bytes *bytes, char **row)
{
    bool opens = strcmp(row[COL_SUM], "-") != 0;
    char label[256];
    ggk_model *model;
    ggk_error err;
    ggk_status status = corpus_open(way, path, bytes, NULL, &model, &err);

    snprintf(label, sizeof(label), "%s (%s)", row[COL_NAME],
             corpus_way_names[way]);
    if (opens)
        corpus_judge(label, status, &err, "GGK_OK", "-", "-");
    else if (way != WAY_STREAM)
        corpus_judge(label, status, &err, row[COL_STATUS], row[COL_OFFSET],
                     row[COL_WHERE]);
    else if (status == GGK_OK)
        corpus_fail("%s: opens, though it should be %s", label,
                    row[COL_STATUS]);
    if (status != GGK_OK && model != NULL)
        corpus_fail("%s: fails and leaves a model", label);
    if (status == GGK_OK && opens)
        check_content(label, way, model, bytes, row[COL_SUM]);
    ggk_model_close(model);
}

/* Whether the error names the shard it is in: none, if that was asked for. */
static bool names_shard(const char *file, const char *shard)
{
    size_t a = strlen(file);
    size_t b = strlen(shard);

    if (strcmp(shard, "*") == 0)
        return true;
    if (strcmp(shard, "-") == 0)
        return a == 0;
    return a >= b && strcmp(file + a - b, shard) == 0;
}

static void check_path(const char *path, char **row)
{
    ggk_model *model;
    ggk_error err;
    ggk_status status = ggk_model_open(path, NULL, &model, &err);

    corpus_judge(row[COL_NAME], status, &err, row[COL_STATUS], row[COL_OFFSET],
                 row[COL_WHERE]);
    if (status != GGK_OK && !names_shard(err.file, row[COL_FILE]))
        corpus_fail("%s: the error is in \"%s\", not %s", row[COL_NAME],
                    err.file, row[COL_FILE]);
    ggk_model_close(model);
}

static void check_single(const char *path, char **row)
{
    const ggk_open_opts opts = {.struct_bytes = sizeof(opts),
                                .flags = GGK_OPEN_SINGLE};
    ggk_model *model;
    ggk_error err;
    ggk_status status = ggk_model_open(path, &opts, &model, &err);

    if (strcmp(row[COL_SUM], "-") != 0)
        corpus_judge(row[COL_NAME], status, &err, "GGK_OK", "-", "-");
    ggk_model_close(model);
}

/* qemu-user keeps a table of the pages mapped, so it maps no 32 GiB. */
static void check_big(const char *path, char **row)
{
    ggk_model *model;
    ggk_error err;
    ggk_status status = corpus_open(WAY_MAP, path, NULL, NULL, &model, &err);

    if (status == GGK_E_IO && getenv("GGK_EMULATED") != NULL)
        status = corpus_open(WAY_FILE, path, NULL, NULL, &model, &err);
    corpus_judge(row[COL_NAME], status, &err, row[COL_STATUS], row[COL_OFFSET],
                 row[COL_WHERE]);
    ggk_model_close(model);
}

static void check_line(char *line, void *ctx)
{
    struct corpus_run *run = ctx;
    char *row[COL_COUNT + 1];
    char path[4096];
    struct corpus_bytes bytes;

    corpus_split(line, row, COL_COUNT + 1);
    if (strcmp(row[COL_NAME], "name") == 0 ||
        (strncmp(row[COL_NAME], "big/", 4) == 0) != run->big)
        return;
    snprintf(path, sizeof(path), "%s/%s", run->root, row[COL_NAME]);
    if (run->big) {
        check_big(path, row);
        run->checks++;
        return;
    }
    bytes = corpus_load(path);
    for (int way = 0; way < WAY_COUNT; way++, run->checks++)
        check_way((enum corpus_way)way, path, &bytes, row);
    check_path(path, row);
    check_single(path, row);
    check_moved(row[COL_NAME], &bytes, row);
    run->checks += 3;
    free(bytes.data);
}

int main(int argc, char **argv)
{
    struct corpus_run run = {argv[1], false, 0};
    char big[4096];

    if (argc != 3) {
        printf("usage: test_corpus CORPUS EXPECT\n");
        return EXIT_FAILURE;
    }
    snprintf(big, sizeof(big), "%s/big", run.root);
    run.big = access(big, F_OK) == 0;
    corpus_lines(argv[2], check_line, &run);
    return corpus_result(run.checks);
}
