/* consumer.c - a user of the installed library: opens a model that it holds in
 * memory and prints its architecture. C99 and C++11 at once. */
#include <ggk.h>
#include <stdio.h>

/* One key-value and no tensor, as docs/format.md describes it. */
static const char gguf[] = "GGUF"
                           "\3\0\0\0"          /* version */
                           "\0\0\0\0\0\0\0\0"  /* tensors */
                           "\1\0\0\0\0\0\0\0"  /* key-values */
                           "\24\0\0\0\0\0\0\0" /* length of the key, 20 */
                           "general.architecture"
                           "\10\0\0\0"        /* type, a string */
                           "\5\0\0\0\0\0\0\0" /* its length */
                           "llama";

int main(void)
{
    ggk_source *source;
    ggk_model *model;
    ggk_str name;
    ggk_error err;

    if (ggk_source_from_memory(gguf, sizeof gguf - 1, NULL, &source, &err) !=
            GGK_OK ||
        ggk_model_open_source(source, NULL, &model, &err) != GGK_OK) {
        fprintf(stderr, "%s\n", err.what);
        return 1;
    }
    if (ggk_model_get_str(model, ggk_cstr("general.architecture"), &name,
                          &err) != GGK_OK) {
        fprintf(stderr, "%s\n", err.what);
        ggk_model_close(model);
        return 1;
    }
    printf("%.*s with ggufkit %s\n", (int)name.len, name.ptr, ggk_version());
    ggk_model_close(model);
    return 0;
}
