/* world.h - for tests: a folder with one model in it, and room for what is made
 * of it. */
#ifndef TESTS_WORLD_H
#define TESTS_WORLD_H

#include "ggk.h"
#include "scratch.h"

/* A folder with one model in it, read by pread as `gguf` reads what it copies.
 */
struct world {
    struct scratch scratch;
    ggk_model *model;
    char in[600], out[600];
};

static inline void world_make(struct world *w, const struct bytes *b)
{
    scratch_make(&w->scratch);
    snprintf(w->in, sizeof w->in, "%s",
             scratch_write(&w->scratch, "in.gguf", b));
    snprintf(w->out, sizeof w->out, "%s",
             scratch_path(&w->scratch, "out.gguf"));
    assert_int_equal(ggk_model_open(w->in, NULL, &w->model, NULL), GGK_OK);
}

static inline void world_end(struct world *w)
{
    ggk_model_close(w->model);
    scratch_remove(&w->scratch);
}

/* How many files there are. */
static inline int world_count(struct world *w)
{
    DIR *dir = opendir(w->scratch.dir);
    int n = 0;

    assert_non_null(dir);
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n - 2;
}

static inline struct bytes read_file(const char *path)
{
    struct bytes b = bytes_of(3, false);
    FILE *f = fopen(path, "rb");
    int c;

    assert_non_null(f);
    while ((c = getc(f)) != EOF)
        put_u8(&b, (uint8_t)c);
    fclose(f);
    return b;
}

static inline void expect_file(const char *path, const struct bytes *expected)
{
    struct bytes is = read_file(path);

    assert_int_equal(is.n, expected->n);
    assert_memory_equal(is.at, expected->at, is.n);
    bytes_free(&is);
}

#endif
