/* corpus_util.c - failures, files and lines, for the corpus programs. */
#include "corpus.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long corpus_failures;

void corpus_fail(const char *format, ...)
{
    va_list args;

    corpus_failures++;
    if (corpus_failures > 100)
        return;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

int corpus_result(unsigned long checks)
{
    printf("%lu checks, %lu failures\n", checks, corpus_failures);
    return checks == 0 || corpus_failures > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

_Noreturn static void corpus_die(const char *path)
{
    printf("%s: %s\n", path, strerror(errno));
    exit(EXIT_FAILURE);
}

struct corpus_bytes corpus_load(const char *path)
{
    struct corpus_bytes bytes = {NULL, 0};
    FILE *f = fopen(path, "rb");
    long end;

    if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (end = ftell(f)) < 0)
        corpus_die(path);
    rewind(f);
    bytes.n = (size_t)end;
    bytes.data = malloc(bytes.n + 1);
    if (bytes.data == NULL || fread(bytes.data, 1, bytes.n, f) != bytes.n)
        corpus_die(path);
    fclose(f);
    return bytes;
}

size_t corpus_split(char *line, char **fields, size_t max)
{
    size_t n = 0;

    while (n < max) {
        char *tab = strchr(line, '\t');

        fields[n++] = line;
        if (tab == NULL)
            break;
        *tab = '\0';
        line = tab + 1;
    }
    for (size_t i = n; i < max; i++)
        fields[i] = line + strlen(line);
    return n;
}

void corpus_lines(const char *path, void (*each)(char *line, void *ctx),
                  void *ctx)
{
    FILE *f = fopen(path, "r");
    static char line[4096];

    if (f == NULL)
        corpus_die(path);
    while (fgets(line, sizeof(line), f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        each(line, ctx);
    }
    if (ferror(f) != 0)
        corpus_die(path);
    fclose(f);
}
