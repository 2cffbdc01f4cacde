/* llama_quantize.c - quantizes a model by llama.cpp's llama_model_quantize.
 *
 * usage: llama_quantize FOLDER IN OUT FTYPE THREADS [IMATRIX]
 *
 * FOLDER has the libraries of npm @node-llama-cpp/linux-x64. FTYPE is a number
 * of enum llama_ftype. IMATRIX is a file of the old form ("imatrix.dat"). The
 * declarations are those of llama.h of v0.5.0.
 */
#include <dlfcn.h>
#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* llama_model_quantize_params, and room for what later versions add. */
struct params {
    int32_t n_threads;
    int ftype, output_type, embedding_type;
    bool allow_requantize, quantize_output, only_copy, pure, keep_split, dry;
    const void *imatrix, *overrides, *types, *prune;
    int64_t more[32];
};

/* llama_model_imatrix_data; no name ends a list of them. */
struct importances {
    char *name;
    float *values;
    size_t n;
};

/* llama_model_kv_override; an empty key ends a list of them. */
struct override {
    enum { INTEGER, FLOAT, BOOL, STRING } tag;
    char key[128];
    union {
        int64_t integer;
        char string[128];
    } value;
};

struct imatrix {
    struct importances *entries;
    struct override keys[5];
};

static void need(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "llama_quantize: %s\n", what);
    exit(EXIT_FAILURE);
}

/* ------------------------------------------------------------------ imatrix */

static void read_bytes(FILE *f, void *out, size_t bytes)
{
    need(fread(out, 1, bytes, f) == bytes, "the imatrix ends too early");
}

static int32_t read_int(FILE *f)
{
    int32_t value;

    read_bytes(f, &value, sizeof value);
    need(value >= 0, "the imatrix has a negative number");
    return value;
}

/* One more byte, which is zero, ends a string. */
static void *read_many(FILE *f, size_t n, size_t each)
{
    char *out = calloc(n + 1, each);

    need(out != NULL, "no memory");
    read_bytes(f, out, n * each);
    return out;
}

static struct importances read_entry(FILE *f)
{
    struct importances e;
    size_t len = (size_t)read_int(f);
    int32_t calls;

    e.name = read_many(f, len, 1);
    calls = read_int(f);
    e.n = (size_t)read_int(f);
    e.values = read_many(f, e.n, sizeof *e.values);
    for (size_t i = 0; i < e.n && calls > 0; i++)
        e.values[i] /= (float)calls;
    return e;
}

static void set_key(struct override *o, const char *key, const char *string,
                    int64_t integer)
{
    snprintf(o->key, sizeof o->key, "quantize.imatrix.%s", key);
    o->tag = string != NULL ? STRING : INTEGER;
    if (string == NULL)
        o->value.integer = integer;
    else
        snprintf(o->value.string, sizeof o->value.string, "%s", string);
}

/* As llama-quantize does it, which adds these keys. */
static void read_imatrix(const char *path, struct imatrix *m)
{
    FILE *f = fopen(path, "rb");
    size_t n;
    int32_t chunks;

    need(f != NULL, "the imatrix cannot be opened");
    n = (size_t)read_int(f);
    m->entries = calloc(n + 1, sizeof *m->entries);
    need(m->entries != NULL, "no memory");
    for (size_t i = 0; i < n; i++)
        m->entries[i] = read_entry(f);
    chunks = read_int(f);
    set_key(&m->keys[0], "file", path, 0);
    set_key(&m->keys[1], "dataset", read_many(f, (size_t)read_int(f), 1), 0);
    set_key(&m->keys[2], "entries_count", NULL, (int64_t)n);
    set_key(&m->keys[3], "chunks_count", NULL, chunks);
    fclose(f);
}

/* ---------------------------------------------------------------- libraries */

static void *load(const char *folder, const char *name)
{
    char pattern[4096];
    glob_t found;
    void *library;

    snprintf(pattern, sizeof pattern, "%s/%s", folder, name);
    need(glob(pattern, 0, NULL, &found) == 0, name);
    library = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_GLOBAL);
    need(library != NULL, "a library cannot be opened");
    globfree(&found);
    return library;
}

int main(int argc, char **argv)
{
    struct params (*default_params)(void);
    uint32_t (*quantize)(const char *, const char *, const struct params *);
    void (*init)(void);
    struct imatrix imatrix = {NULL, {{INTEGER, "", {0}}}};
    struct params params;
    void *llama;

    need(argc == 6 || argc == 7, "see its first lines");
    load(argv[1], "libggml-base.so");
    load(argv[1], "libggml.*so");
    llama = load(argv[1], "libllama.*so");
    /* POSIX: a function fits where a pointer does */
    *(void **)&default_params =
        dlsym(llama, "llama_model_quantize_default_params");
    *(void **)&quantize = dlsym(llama, "llama_model_quantize");
    *(void **)&init = dlsym(llama, "llama_backend_init");
    need(default_params != NULL && quantize != NULL && init != NULL,
         "a function is missing");
    init();
    params = default_params();
    params.ftype = (int)strtol(argv[4], NULL, 10);
    params.n_threads = (int)strtol(argv[5], NULL, 10);
    if (argc == 7) {
        read_imatrix(argv[6], &imatrix);
        params.imatrix = imatrix.entries;
        params.overrides = imatrix.keys;
    }
    return quantize(argv[2], argv[3], &params) == 0 ? EXIT_SUCCESS
                                                    : EXIT_FAILURE;
}
