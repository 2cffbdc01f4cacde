/* test_facts.c - single numbers that were worked out by hand.
 *
 * usage: test_facts CORPUS FACTS
 *
 * A line of FACTS is a file (its path is opened, so that a shard brings its
 * set; "FILE@N" begins at byte N), what is asked, and the answer. What can be
 * asked is what fact_of() knows. A file that is not there is passed over if
 * its line ends with "if made".
 */
#include "corpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A number that a struct holds, by name. */
struct fact_field {
    const char *name;
    uint64_t value;
};

static void print_u64(char *out, size_t size, uint64_t value)
{
    if (value == UINT64_MAX)
        snprintf(out, size, "none");
    else
        snprintf(out, size, "%" PRIu64, value);
}

static bool pick(const struct fact_field *fields, size_t n, const char *name,
                 char *out, size_t size)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            print_u64(out, size, fields[i].value);
            return true;
        }
    }
    return false;
}

static bool model_fact(const ggk_model *m, const char *name, char *out,
                       size_t size)
{
    const struct fact_field fields[] = {
        {"n_files", ggk_model_n_files(m)},
        {"n_kv", ggk_model_n_kv(m)},
        {"n_tensors", ggk_model_n_tensors(m)},
        {"n_dup_kv", ggk_model_n_dup_kv(m)},
        {"n_dup_tensors", ggk_model_n_dup_tensors(m)},
    };

    return pick(fields, sizeof(fields) / sizeof(fields[0]), name, out, size);
}

static bool file_fact(const ggk_model *m, uint32_t i, const char *name,
                      char *out, size_t size)
{
    ggk_file f;

    if (ggk_model_file(m, i, &f, NULL) != GGK_OK)
        return false;
    const struct fact_field fields[] = {
        {"version", f.version},
        {"big_endian", f.big_endian},
        {"swapped_magic", f.swapped_magic},
        {"alignment", f.alignment},
        {"n_kv", f.n_kv},
        {"n_tensors", f.n_tensors},
        {"base_off", f.base_off},
        {"kv_off", f.kv_off},
        {"info_off", f.info_off},
        {"head_end", f.head_end},
        {"data_off", f.data_off},
        {"data_end", f.data_end},
        {"size", f.size},
        {"trailing", f.trailing},
        {"first_missing", f.first_missing},
        {"looks_cut", f.looks_cut},
    };

    return pick(fields, sizeof(fields) / sizeof(fields[0]), name, out, size);
}

static bool scalar_fact(const ggk_model *m, uint64_t i, char *out, size_t size)
{
    ggk_walk walk;
    ggk_value v;

    if (ggk_walk_start(m, i, &walk, NULL) != GGK_OK ||
        ggk_walk_next(&walk, &v) != GGK_WALK_VALUE)
        return false;
    if (v.type == GGK_VALUE_STRING)
        snprintf(out, size, "%.*s", (int)v.as.s.len, v.as.s.ptr);
    else if (v.type == GGK_VALUE_FLOAT32 || v.type == GGK_VALUE_FLOAT64)
        snprintf(out, size, "%.17g", v.as.f);
    else if (v.type == GGK_VALUE_INT8 || v.type == GGK_VALUE_INT16 ||
             v.type == GGK_VALUE_INT32 || v.type == GGK_VALUE_INT64)
        snprintf(out, size, "%" PRId64, v.as.i);
    else
        snprintf(out, size, "%" PRIu64, v.as.u);
    return true;
}

static bool kv_fact(const ggk_model *m, uint64_t i, const char *name, char *out,
                    size_t size)
{
    ggk_kv kv;

    if (ggk_model_kv(m, i, &kv, NULL) != GGK_OK)
        return false;
    if (strcmp(name, "value") == 0)
        return scalar_fact(m, i, out, size);
    if (strcmp(name, "key") == 0) {
        snprintf(out, size, "%.*s", (int)kv.key.len, kv.key.ptr);
        return true;
    }
    const struct fact_field fields[] = {
        {"type", kv.type},
        {"elem_type", kv.elem_type},
        {"n", kv.n},
        {"off", kv.off},
        {"value_off", kv.value_off},
        {"end_off", kv.end_off},
        {"bytes", kv.end_off - kv.off},
        {"value_bytes", kv.end_off - kv.value_off},
    };

    return pick(fields, sizeof(fields) / sizeof(fields[0]), name, out, size);
}

static bool tensor_fact(const ggk_model *m, uint64_t i, const char *name,
                        char *out, size_t size)
{
    ggk_tensor t;

    if (ggk_model_tensor(m, i, &t, NULL) != GGK_OK)
        return false;
    if (strcmp(name, "name") == 0) {
        snprintf(out, size, "%.*s", (int)t.name.len, t.name.ptr);
        return true;
    }
    const struct fact_field fields[] = {
        {"type", t.type},
        {"n_dims", t.n_dims},
        {"ne0", t.ne[0]},
        {"ne1", t.ne[1]},
        {"n_elements", t.n_elements},
        {"bytes", t.bytes},
        {"rel_off", t.rel_off},
        {"data_off", t.data_off},
        {"info_off", t.info_off},
        {"info_end", t.info_end},
        {"info_bytes", t.info_end - t.info_off},
        {"file", t.file},
        {"opaque", t.opaque},
    };

    return pick(fields, sizeof(fields) / sizeof(fields[0]), name, out, size);
}

/* "sum.bytes", "sum.n_elements", "sum.info_bytes": over all tensors;
 * "sum.value_bytes": over all values, each with its 4-byte type. */
static bool sum_fact(const ggk_model *m, const char *name, char *out,
                     size_t size)
{
    uint64_t sum = 0;
    char one[32];

    if (strcmp(name, "value_bytes") == 0) {
        for (uint64_t i = 0; i < ggk_model_n_kv(m); i++) {
            if (!kv_fact(m, i, name, one, sizeof(one)))
                return false;
            sum += 4 + strtoull(one, NULL, 10);
        }
    } else {
        for (uint64_t i = 0; i < ggk_model_n_tensors(m); i++) {
            if (!tensor_fact(m, i, name, one, sizeof(one)))
                return false;
            sum += strtoull(one, NULL, 10);
        }
    }
    print_u64(out, size, sum);
    return true;
}

/* The answer to one question, as text. False: there is none. */
static bool fact_of(const ggk_model *m, const char *asked, char *out,
                    size_t size)
{
    uint64_t i;
    int end = 0;

    if (sscanf(asked, "kv[%" SCNu64 "].%n", &i, &end) == 1 && end > 0)
        return kv_fact(m, i, asked + end, out, size);
    if (sscanf(asked, "tensor[%" SCNu64 "].%n", &i, &end) == 1 && end > 0)
        return tensor_fact(m, i, asked + end, out, size);
    if (sscanf(asked, "file[%" SCNu64 "].%n", &i, &end) == 1 && end > 0)
        return file_fact(m, (uint32_t)i, asked + end, out, size);
    if (strncmp(asked, "sum.", 4) == 0)
        return sum_fact(m, asked + 4, out, size);
    return model_fact(m, asked, out, size) || file_fact(m, 0, asked, out, size);
}

/* The model that the last lines were about. */
struct fact_run {
    const char *root;
    char name[256];
    ggk_model *model;
    unsigned long checks;
};

static void fact_open(struct fact_run *run, const char *name, bool if_made)
{
    char path[4096];
    char *at;
    ggk_open_opts opts = {.struct_bytes = sizeof(opts)};
    ggk_error err;

    ggk_model_close(run->model);
    run->model = NULL;
    snprintf(run->name, sizeof(run->name), "%s", name);
    snprintf(path, sizeof(path), "%s/%s", run->root, name);
    at = strrchr(path, '@');
    if (at != NULL) {
        opts.base_off = strtoull(at + 1, NULL, 10);
        *at = '\0';
    }
    if (if_made && access(path, F_OK) != 0)
        return;
    if (ggk_model_open(path, &opts, &run->model, &err) != GGK_OK)
        corpus_fail("%s does not open: %s", name, err.what);
}

static void check_fact(char *line, void *ctx)
{
    struct fact_run *run = ctx;
    char *field[4];
    char found[512];

    if (line[0] == '#' || line[0] == '\0')
        return;
    corpus_split(line, field, 4);
    if (strcmp(field[0], run->name) != 0)
        fact_open(run, field[0], strcmp(field[3], "if made") == 0);
    if (run->model == NULL)
        return;
    run->checks++;
    if (!fact_of(run->model, field[1], found, sizeof(found)))
        corpus_fail("%s: there is no %s", field[0], field[1]);
    else if (strcmp(found, field[2]) != 0)
        corpus_fail("%s: %s is %s, not %s", field[0], field[1], found,
                    field[2]);
}

int main(int argc, char **argv)
{
    struct fact_run run = {argv[1], "", NULL, 0};

    if (argc != 3) {
        printf("usage: test_facts CORPUS FACTS\n");
        return EXIT_FAILURE;
    }
    corpus_lines(argv[2], check_fact, &run);
    ggk_model_close(run.model);
    return corpus_result(run.checks);
}
