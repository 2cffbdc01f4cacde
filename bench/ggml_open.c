/* ggml_open.c - opens a GGUF file once with ggml's own reader, the least that a
 * program built on ggml does to see what is in it.
 *
 * usage: ggml_open LIBGGML-BASE.SO FILE
 *
 * The three declarations are those of its public gguf.h; the library is loaded
 * when the program runs, so neither it nor its headers are needed to build.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct gguf_init_params {
    bool no_alloc;
    struct ggml_context **ctx;
};

typedef struct gguf_context *init_fn(const char *, struct gguf_init_params);
typedef void free_fn(struct gguf_context *);

int main(int argc, char **argv)
{
    struct gguf_init_params params = {.no_alloc = true, .ctx = NULL};
    struct gguf_context *gguf;
    init_fn *init_from_file = NULL;
    free_fn *free_context = NULL;
    void *library;

    if (argc != 3)
        return 2;
    library = dlopen(argv[1], RTLD_NOW);
    if (library != NULL) { /* POSIX: a function fits where a pointer does */
        *(void **)&init_from_file = dlsym(library, "gguf_init_from_file");
        *(void **)&free_context = dlsym(library, "gguf_free");
    }
    if (init_from_file == NULL || free_context == NULL) {
        fprintf(stderr, "ggml_open: %s\n", dlerror());
        return 3;
    }
    gguf = init_from_file(argv[2], params);
    if (gguf == NULL)
        return 4;
    free_context(gguf);
    return 0;
}
