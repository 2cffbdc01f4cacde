/* test_mutants.c - the features files, cut at every byte and bent in every bit.
 *
 * usage: test_mutants CORPUS
 *
 * The table beside each file says what must come of each mutant. Cuts are read
 * in every way, the rest from memory. Beyond the header no byte has a say:
 * there every bit is turned as well, and the digest must stay.
 */
#include "corpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const features_forms[] = {"v1", "v2", "v3", "v3-big"};

/* One features file. */
struct features {
    const char *path;
    struct corpus_bytes whole;
    uint64_t head_end;
    uint32_t digest;
    unsigned long checks;
};

/* The columns of a table of mutants. */
enum { MUT_WHAT, MUT_STATUS, MUT_OFFSET, MUT_WHERE, MUT_SUM, MUT_COUNT };

/* An exact copy, so that the sanitizer sees a read past its end. */
static struct corpus_bytes copy_of(const struct features *f, size_t n)
{
    struct corpus_bytes copy = {malloc(n == 0 ? 1 : n), n};

    if (copy.data == NULL)
        abort();
    memcpy(copy.data, f->whole.data, n);
    return copy;
}

/* Every byte that a tensor is promised is either there or reported. The last
 * tensor ends with the file, so that any cut takes some. */
static void check_promise(const struct features *f, const ggk_model *model,
                          const char *label, size_t n)
{
    ggk_file file;

    if (ggk_model_file(model, 0, &file, NULL) != GGK_OK ||
        (file.first_missing != GGK_NONE) != (n < f->whole.n))
        corpus_fail("%s: first_missing %" PRIu64, label, file.first_missing);
}

static void check_sum(const char *label, const ggk_model *model,
                      uint64_t stream_bytes, const char *wanted)
{
    char found[16];

    snprintf(found, sizeof(found), "%08" PRIx32,
             corpus_digest(model, stream_bytes));
    if (strcmp(found, wanted) != 0)
        corpus_fail("%s: digest %s, not %s", label, found, wanted);
}

static void check_mutant(struct features *f, const char *label,
                         const struct corpus_bytes *bytes, enum corpus_way way,
                         char **row)
{
    bool opens = strcmp(row[MUT_SUM], "-") != 0;
    ggk_model *model;
    ggk_error err;
    ggk_status status = corpus_open(way, NULL, bytes, NULL, &model, &err);

    f->checks++;
    if (way != WAY_STREAM)
        corpus_judge(label, status, &err, row[MUT_STATUS], row[MUT_OFFSET],
                     row[MUT_WHERE]);
    else if ((status == GGK_OK) != opens)
        corpus_fail("%s, as a stream: %s, not %s", label,
                    ggk_status_name(status), row[MUT_STATUS]);
    if (status == GGK_OK && opens) {
        uint64_t n = way == WAY_STREAM ? bytes->n : GGK_SIZE_UNKNOWN;

        check_sum(label, model, n, row[MUT_SUM]);
        corpus_exercise(label, model, bytes, way != WAY_STREAM);
        if (bytes->n < f->whole.n && way != WAY_STREAM)
            check_promise(f, model, label, bytes->n);
    }
    ggk_model_close(model);
}

static void check_mutant_line(char *line, void *ctx)
{
    static const enum corpus_way cut_ways[] = {WAY_MEMORY, WAY_BYTES, WAY_ODD,
                                               WAY_STREAM};
    struct features *f = ctx;
    char *row[MUT_COUNT];
    char label[128];
    char how[8] = "";
    size_t at = 0;
    unsigned value = 0;
    struct corpus_bytes bent;

    corpus_split(line, row, MUT_COUNT);
    if (sscanf(row[MUT_WHAT], "%7s %zu %x", how, &at, &value) != 3 ||
        at >= f->whole.n) {
        corpus_fail("%s: no mutant \"%s\"", f->path, row[MUT_WHAT]);
        return;
    }
    snprintf(label, sizeof(label), "%.80s: %s", strrchr(f->path, '/') + 1,
             row[MUT_WHAT]);
    bent = copy_of(f, strcmp(how, "cut") == 0 ? at : f->whole.n);
    if (strcmp(how, "cut") == 0) {
        for (size_t i = 0; i < sizeof(cut_ways) / sizeof(cut_ways[0]); i++)
            check_mutant(f, label, &bent, cut_ways[i], row);
    } else {
        bent.data[at] =
            (uint8_t)(strcmp(how, "set") == 0 ? value
                                              : bent.data[at] ^ (1u << value));
        check_mutant(f, label, &bent, WAY_MEMORY, row);
        check_mutant(f, label, &bent, WAY_STREAM, row);
    }
    free(bent.data);
}

/* Turn the bits behind the header: nothing may change. */
static void check_data(struct features *f)
{
    struct corpus_bytes bent = copy_of(f, f->whole.n);

    for (size_t at = (size_t)f->head_end; at < bent.n; at++) {
        ggk_model *model;
        ggk_error err;
        ggk_status status;

        bent.data[at] ^= 0xff;
        status = corpus_open(WAY_MEMORY, NULL, &bent, NULL, &model, &err);
        f->checks++;
        if (status != GGK_OK ||
            corpus_digest(model, GGK_SIZE_UNKNOWN) != f->digest)
            corpus_fail("%s: byte %zu of the data has a say", f->path, at);
        ggk_model_close(model);
        bent.data[at] ^= 0xff;
    }
    free(bent.data);
}

static unsigned long check_form(const char *root, const char *form)
{
    char path[4096];
    char table[4096];
    struct features f = {path, {NULL, 0}, 0, 0, 0};
    ggk_model *model;
    ggk_error err;
    ggk_file file;

    snprintf(path, sizeof(path), "%s/features/features-%s.gguf", root, form);
    snprintf(table, sizeof(table), "%s/features/features-%s.mutants.tsv", root,
             form);
    f.whole = corpus_load(path);
    if (corpus_open(WAY_MEMORY, NULL, &f.whole, NULL, &model, &err) != GGK_OK ||
        ggk_model_file(model, 0, &file, NULL) != GGK_OK) {
        corpus_fail("%s does not open: %s", path, err.what);
        free(f.whole.data);
        return 1;
    }
    f.head_end = file.head_end;
    f.digest = corpus_digest(model, GGK_SIZE_UNKNOWN);
    ggk_model_close(model);
    corpus_lines(table, check_mutant_line, &f);
    check_data(&f);
    free(f.whole.data);
    return f.checks;
}

int main(int argc, char **argv)
{
    unsigned long checks = 0;

    if (argc != 2) {
        printf("usage: test_mutants CORPUS\n");
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < sizeof(features_forms) / sizeof(features_forms[0]);
         i++)
        checks += check_form(argv[1], features_forms[i]);
    return corpus_result(checks);
}
