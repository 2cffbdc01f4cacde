/* test_loader_cases.c - the 33 cases of the reference program's own test of its
 * loader, from many seeds, in five ways of reading: what check foretells is
 * what that loader must do, and what should be read is read, to the last byte.
 *
 * usage: test_loader_cases [SEEDS]
 */
#include "corpus.h"
#include "loader_cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEEDS = 200, DRAWS = 12, MANY_DRAWS = 100, PREFIX = 7, CHUNK = 4096 };

enum mode {
    MODE_METADATA, /* of a file */
    MODE_FILE,
    MODE_MEMORY,
    MODE_PREFIX, /* a file that begins with other bytes */
    MODE_CHUNKS, /* callbacks */
    MODES
};

static const char *const mode_names[MODES] = {"metadata", "file", "memory",
                                              "after 7 bytes", "chunks"};

/* One case in one mode. */
struct trial {
    const struct made *m;
    enum loader_case c;
    enum mode mode;
    uint64_t seed;
    const char *path; /* of the file, where it is one */
};

static unsigned long trial_checks;

static void expect(const struct trial *t, bool holds, const char *what,
                   uint64_t i)
{
    trial_checks++;
    if (!holds)
        corpus_fail("%s of seed %" PRIu64 ", %s: %s %" PRIu64,
                    loader_case_names[t->c], t->seed, mode_names[t->mode], what,
                    i);
}

/* ----------------------------------------------------------------- sources */

static int read_chunk(void *ctx, uint64_t off, void *buf, size_t bytes,
                      size_t *got)
{
    const struct bytes *b = ctx;
    uint64_t left = off < b->n ? b->n - off : 0;

    *got = bytes < CHUNK ? bytes : CHUNK;
    if (*got > left)
        *got = (size_t)left;
    if (*got > 0)
        memcpy(buf, b->at + off, *got);
    return 0;
}

static ggk_source *trial_source(const struct trial *t)
{
    struct bytes file = t->m->file;
    ggk_callbacks callbacks = {read_chunk, NULL, NULL, file.n};
    ggk_source *source = NULL;
    ggk_status status = GGK_E_BUG;
    struct bytes *kept = NULL;

    switch (t->mode) {
    case MODE_METADATA:
        status = ggk_source_open_file(t->path, NULL, &source, NULL);
        break;
    case MODE_FILE:
    case MODE_PREFIX:
        status = ggk_source_open_map(t->path, NULL, &source, NULL);
        break;
    case MODE_MEMORY:
        status = ggk_source_from_memory(file.at, file.n, NULL, &source, NULL);
        break;
    case MODE_CHUNKS:
        kept = malloc(sizeof *kept);
        if (kept == NULL)
            abort();
        *kept = file;
        callbacks.ctx = kept;
        callbacks.close = free;
        status = ggk_source_from_callbacks(&callbacks, NULL, &source, NULL);
        break;
    case MODES: break;
    }
    if (status != GGK_OK) {
        printf("no source of seed %" PRIu64 "\n", t->seed);
        exit(EXIT_FAILURE);
    }
    return source;
}

static ggk_open_opts trial_opts(const struct trial *t)
{
    ggk_open_opts opts = {.struct_bytes = sizeof opts};

    opts.base_off = t->mode == MODE_PREFIX ? PREFIX : 0;
    return opts;
}

static uint64_t start_of(const struct trial *t)
{
    return t->mode == MODE_PREFIX ? PREFIX : 0;
}

/* ------------------------------------------------------------------ verdict */

static void check_verdict(const struct trial *t)
{
    ggk_open_opts open = trial_opts(t);
    ggk_check_opts opts = {.struct_bytes = sizeof opts, .open = &open};
    bool succeeds = loader_case_succeeds(t->c);
    bool data = loader_case_has_data(t->c);
    ggk_loads least = !succeeds ? GGK_LOADS_NOT
                      : data    ? GGK_LOADS_ALL
                                : GGK_LOADS_METADATA;
    ggk_loads most =
        succeeds ? GGK_LOADS_ALL
        : t->c == DATA_NOT_ENOUGH_DATA || t->c == DATA_MEM_SIZE_OVERFLOW
            ? GGK_LOADS_METADATA
            : GGK_LOADS_NOT;
    ggk_verdict v;

    if (ggk_check_source(trial_source(t), &opts, NULL, NULL, &v, NULL) !=
        GGK_OK) {
        expect(t, false, "is not judged", 0);
        return;
    }
    expect(t, v.loads >= least && v.loads <= most, "is foretold", v.loads);
    expect(t, (v.reason[0] != '\0') == (v.loads != GGK_LOADS_ALL),
           "has a reason", 0);
    /* Tensors that begin anywhere are read, but cannot be computed with. */
    if (succeeds && (data || !loader_case_has_tensors(t->c)))
        expect(t,
               v.llama_cpp[GGK_SEVERITY_ERROR] <= (t->c == DATA_CUSTOM_ALIGN),
               "has errors", v.llama_cpp[GGK_SEVERITY_ERROR]);
    else if (t->c == DATA_NOT_ENOUGH_DATA) /* or of the padding after it */
        expect(t,
               v.llama_cpp[GGK_SEVERITY_ERROR] +
                       v.llama_cpp[GGK_SEVERITY_WARNING] >
                   0,
               "is not found cut", 0);
    else if (!succeeds)
        expect(t, v.llama_cpp[GGK_SEVERITY_ERROR] > 0, "has no error", 0);
}

/* ------------------------------------------------------------------ reading */

static void check_header(const struct trial *t, const ggk_model *model)
{
    const struct made *m = t->m;
    ggk_file f;

    if (ggk_model_file(model, 0, &f, NULL) != GGK_OK) {
        expect(t, false, "has no file", 0);
        return;
    }
    expect(t, f.version == 3, "version", f.version);
    expect(t, f.n_kv == m->n_keys + (uint64_t)m->has_alignment, "keys", f.n_kv);
    expect(t, f.n_tensors == m->n_tensors, "tensors", f.n_tensors);
    expect(t, f.alignment == m->alignment, "alignment", f.alignment);
    expect(t, f.data_off == start_of(t) + m->data, "data at", f.data_off);
}

static bool strings_equal(const ggk_model *model, uint64_t i,
                          const struct made_key *k)
{
    ggk_walk walk;
    ggk_value v;
    uint64_t n = 0;
    ggk_event event;

    if (ggk_walk_start(model, i, &walk, NULL) != GGK_OK)
        return false;
    while ((event = ggk_walk_next(&walk, &v)) != GGK_WALK_END) {
        const uint32_t *words = &k->words[k->type == V_ARR ? n % 15 : 0];
        if (event == GGK_WALK_BROKEN)
            return false;
        if (event != GGK_WALK_VALUE)
            continue;
        if (v.as.s.len != k->string_bytes ||
            (v.as.s.len > 0 && memcmp(v.as.s.ptr, words, v.as.s.len) != 0))
            return false;
        n++;
    }
    return n == k->n;
}

static bool values_equal(const ggk_model *model, uint64_t i,
                         const struct made_key *k)
{
    ggk_str bytes;

    if (ggk_model_kv_bytes(model, i, &bytes, NULL) != GGK_OK ||
        bytes.len != k->end - k->value)
        return false;
    if (k->elem_type == V_STR)
        return strings_equal(model, i, k);
    return bytes.len == 0 || memcmp(bytes.ptr, k->words, bytes.len) == 0;
}

static void check_key(const struct trial *t, const ggk_model *model, uint64_t i)
{
    const struct made_key *k = &t->m->keys[i];
    char name[32];
    int len = snprintf(name, sizeof name, "my_key_%" PRIu64, i);
    uint64_t found;
    ggk_kv kv;

    if (ggk_model_kv(model, i, &kv, NULL) != GGK_OK) {
        expect(t, false, "lacks key", i);
        return;
    }
    expect(t,
           kv.key.len == (size_t)len &&
               memcmp(kv.key.ptr, name, kv.key.len) == 0,
           "name of key", i);
    expect(t,
           kv.type == k->type && kv.elem_type == k->elem_type && kv.n == k->n,
           "type of key", i);
    expect(t,
           kv.value_off == start_of(t) + k->value &&
               kv.end_off == start_of(t) + k->end,
           "place of key", i);
    expect(t, values_equal(model, i, k), "value of key", i);
    expect(t,
           ggk_model_find_kv(model, ggk_cstr(name), &found, NULL) == GGK_OK &&
               found == i,
           "key by name", i);
}

/* Byte j of the data is j mod 256. */
static bool data_equal(const ggk_model *model, uint64_t i,
                       const struct made_tensor *made)
{
    static uint8_t pattern[512];
    uint8_t buffer[65536];

    for (size_t j = 0; j < sizeof pattern; j++)
        pattern[j] = (uint8_t)j;
    for (uint64_t at = 0; at < made->bytes;) {
        uint64_t left = made->bytes - at;
        size_t n = left < sizeof buffer ? (size_t)left : sizeof buffer;
        if (ggk_model_read_tensor(model, i, at, buffer, n, NULL) != GGK_OK)
            return false;
        for (size_t j = 0; j < n; j += 256) {
            size_t first = (size_t)((made->offset + at + j) % 256);
            if (memcmp(buffer + j, pattern + first,
                       n - j < 256 ? n - j : 256) != 0)
                return false;
        }
        at += n;
    }
    return true;
}

static void check_tensor(const struct trial *t, const ggk_model *model,
                         uint64_t i)
{
    const struct made_tensor *made = &t->m->tensors[i];
    char name[32];
    uint64_t found;
    ggk_tensor tensor;
    bool same_shape;

    snprintf(name, sizeof name, "my_tensor_%" PRIu64, i);
    if (ggk_model_tensor(model, i, &tensor, NULL) != GGK_OK) {
        expect(t, false, "lacks tensor", i);
        return;
    }
    same_shape = tensor.n_dims == made->n_dims;
    for (int d = 0; d < 4; d++)
        same_shape = same_shape && tensor.ne[d] == made->ne[d];
    expect(t,
           ggk_model_find_tensor(model, ggk_cstr(name), &found, NULL) ==
                   GGK_OK &&
               found == i,
           "tensor by name", i);
    expect(t, tensor.type == made->type && !tensor.opaque, "type of tensor", i);
    expect(t, same_shape && tensor.bytes == made->bytes, "shape of tensor", i);
    expect(t,
           tensor.rel_off == made->offset &&
               tensor.data_off == start_of(t) + t->m->data + made->offset,
           "offset of tensor", i);
    if (loader_case_has_data(t->c) && t->mode != MODE_METADATA)
        expect(t, data_equal(model, i, made), "data of tensor", i);
}

static void check_reading(const struct trial *t)
{
    ggk_open_opts opts = trial_opts(t);
    ggk_model *model;

    if (ggk_model_open_source(trial_source(t), &opts, &model, NULL) != GGK_OK) {
        expect(t, false, "does not open", 0);
        return;
    }
    check_header(t, model);
    for (uint64_t i = 0; i < t->m->n_keys; i++)
        check_key(t, model, i);
    for (uint64_t i = 0; i < t->m->n_tensors; i++)
        check_tensor(t, model, i);
    ggk_model_close(model);
}

/* --------------------------------------------------------------------- runs */

/* A new file each time: one that is cut to be written again is flushed. */
static void write_made(const struct made *m, const char *path)
{
    FILE *f;

    unlink(path);
    f = fopen(path, "wb");
    if (f == NULL || fwrite(m->file.at, 1, m->file.n, f) != m->file.n ||
        fclose(f) != 0) {
        printf("cannot write %s\n", path);
        exit(EXIT_FAILURE);
    }
}

static void run_modes(struct trial *t, struct made *m, enum mode first,
                      enum mode last)
{
    write_made(m, t->path);
    for (enum mode mode = first; mode <= last; mode++) {
        if (mode == MODE_PREFIX && first != MODE_PREFIX)
            continue;
        t->mode = mode;
        check_verdict(t);
        if (loader_case_succeeds(t->c))
            check_reading(t);
    }
    made_free(m);
}

/* Where data is missing there is nothing after it. */
static void run_case(const char *path, enum loader_case c, uint64_t seed)
{
    static struct made m;
    uint32_t draws = seed % 20 == 1 ? MANY_DRAWS : DRAWS;
    size_t extra = c != DATA_NOT_ENOUGH_DATA && seed % 2 == 0 ? 77 : 0;
    struct trial t = {&m, c, MODE_FILE, seed, path};

    made_new(&m, c, seed, draws, 0, extra);
    run_modes(&t, &m, MODE_METADATA, MODE_CHUNKS);
    made_new(&m, c, seed, draws, PREFIX, extra);
    run_modes(&t, &m, MODE_PREFIX, MODE_PREFIX);
}

int main(int argc, char **argv)
{
    uint64_t seeds = argc == 2 ? strtoull(argv[1], NULL, 10) : SEEDS;
    char dir[] = "/tmp/ggk-loader-XXXXXX";
    char path[sizeof dir + 16];

    if (argc > 2 || mkdtemp(dir) == NULL) {
        printf("usage: test_loader_cases [SEEDS]\n");
        return EXIT_FAILURE;
    }
    snprintf(path, sizeof path, "%s/case.gguf", dir);
    for (uint64_t seed = 1; seed <= seeds; seed++)
        for (enum loader_case c = 0; c < LOADER_CASES; c++)
            run_case(path, c, seed);
    unlink(path);
    rmdir(dir);
    return corpus_result(trial_checks);
}
