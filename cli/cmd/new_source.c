/* new_source.c - where the bytes of new tensors come from: files, one number
 * again and again, or a block of memory. */
#include "cmd/new_source.h"

#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "path_parts.h"

struct new_source {
    ggk_source *source;
    char *path;                  /* of a file; else NULL */
    struct safetensors_in *file; /* its header, once it was asked for */
    void *block;                 /* of memory, or what a fill is made of */
};

const ggk_source *new_source_at(const struct new_spec *s, size_t i)
{
    return s->sources[i].source;
}

void new_sources_close(struct new_spec *s)
{
    for (size_t i = 0; i < s->n_sources; i++) {
        ggk_source_close(s->sources[i].source);
        safetensors_in_free(s->sources[i].file);
        free(s->sources[i].path);
        free(s->sources[i].block);
    }
    free(s->sources);
}

/* One more, of which nothing is known yet; NULL: no memory. */
static struct new_source *add_source(struct new_spec *s)
{
    if (s->n_sources == s->source_capacity) {
        size_t capacity = s->source_capacity * 2 + 16;
        struct new_source *grown =
            realloc(s->sources, capacity * sizeof *grown);

        if (grown == NULL)
            return NULL;
        s->sources = grown;
        s->source_capacity = capacity;
    }
    s->sources[s->n_sources] = (struct new_source){.source = NULL};
    return &s->sources[s->n_sources++];
}

/* -------------------------------------------------------------------- files */

static bool find_file(const struct new_spec *s, const char *path, size_t *out)
{
    for (size_t i = s->n_sources; i-- > 0;)
        if (s->sources[i].path != NULL &&
            strcmp(s->sources[i].path, path) == 0) {
            *out = i;
            return true;
        }
    return false;
}

int new_source_file(struct new_spec *s, const struct new_entry *e,
                    const char *path, size_t *out)
{
    /* A path of the description counts from the folder that this is in. */
    char *resolved = path_beside(s->name, path);
    struct new_source *source;
    ggk_error err;

    if (resolved == NULL)
        return new_fail_memory(e);
    if (find_file(s, resolved, out)) {
        free(resolved);
        return CLI_DONE;
    }
    source = add_source(s);
    if (source == NULL) {
        free(resolved);
        return new_fail_memory(e);
    }
    source->path = resolved;
    *out = s->n_sources - 1;
    input_allow_many_files();
    if (ggk_source_open_file(resolved, NULL, &source->source, &err) == GGK_OK)
        return CLI_DONE;
    return cli_fail(s->cli, resolved, &err);
}

/* ------------------------------------------------------------------- arrays */

static int tell_array(const struct new_spec *s, const struct new_entry *e,
                      const char *path, enum array_read read,
                      const struct array_error *err)
{
    struct msg_place place = {err->at, err->field};

    if (read == ARRAY_READ)
        return CLI_DONE;
    if (read == ARRAY_NO_MEMORY)
        return new_fail_memory(e);
    msg_at(&s->cli->msg, MSG_ERROR, path, &place, "%s", err->what);
    return read == ARRAY_UNSUPPORTED ? CLI_UNSUPPORTED : CLI_UNREADABLE;
}

/* `*n` bytes from `off` on, or all there are, to be freed; NULL after a
 * message, and the exit status. */
static char *read_start(const struct new_spec *s, const struct new_entry *e,
                        const struct new_source *source, uint64_t off,
                        size_t *n, int *status)
{
    uint64_t size = ggk_source_size(source->source);
    char *bytes;
    ggk_error err;

    if (size - off < *n)
        *n = (size_t)(size - off);
    bytes = malloc(*n + 1);
    if (bytes == NULL) {
        *status = new_fail_memory(e);
        return NULL;
    }
    if (ggk_source_read(source->source, off, bytes, *n, &err) == GGK_OK)
        return bytes;
    free(bytes);
    *status = cli_fail(s->cli, source->path, &err);
    return NULL;
}

int new_source_npy(struct new_spec *s, const struct new_entry *e, size_t i,
                   struct array_in *out)
{
    const struct new_source *source = &s->sources[i];
    struct array_error err;
    size_t n = NPY_HEAD_BYTES;
    int status = CLI_DONE;
    char *head = read_start(s, e, source, 0, &n, &status);

    if (head == NULL)
        return status;
    status = tell_array(
        s, e, source->path,
        npy_in_parse(head, n, ggk_source_size(source->source), out, &err),
        &err);
    free(head);
    return status;
}

/* The header, which is read once. */
static int read_safetensors(const struct new_spec *s, const struct new_entry *e,
                            struct new_source *source)
{
    uint64_t size = ggk_source_size(source->source);
    size_t n = SAFETENSORS_PREFIX, json_bytes = 0;
    enum array_read read;
    struct array_error err;
    int status = CLI_DONE;
    char *bytes = read_start(s, e, source, 0, &n, &status);

    if (bytes == NULL)
        return status;
    read = safetensors_in_measure(bytes, n, size, &json_bytes, &err);
    free(bytes);
    if (read != ARRAY_READ)
        return tell_array(s, e, source->path, read, &err);
    bytes = read_start(s, e, source, SAFETENSORS_PREFIX, &json_bytes, &status);
    if (bytes == NULL)
        return status;
    read = safetensors_in_parse(bytes, json_bytes, size, &source->file, &err);
    free(bytes);
    return tell_array(s, e, source->path, read, &err);
}

int new_source_safetensors(struct new_spec *s, const struct new_entry *e,
                           size_t i, const char *tensor, struct array_in *out)
{
    struct new_source *source = &s->sources[i];
    struct array_error err;
    int status = CLI_DONE;

    if (source->file == NULL)
        status = read_safetensors(s, e, source);
    if (status != CLI_DONE)
        return status;
    return tell_array(s, e, source->path,
                      safetensors_in_find(source->file, tensor, out, &err),
                      &err);
}

/* ------------------------------------------------------------------ numbers */

struct fill {
    uint8_t pattern[8];
    size_t width;
    uint64_t bytes;
};

static int read_fill(void *ctx, uint64_t off, void *buf, size_t bytes,
                     size_t *got)
{
    const struct fill *fill = ctx;
    uint64_t left = off < fill->bytes ? fill->bytes - off : 0;
    size_t n = left < bytes ? (size_t)left : bytes, done;
    uint8_t *out = buf;

    for (done = 0; done < fill->width && done < n; done++)
        out[done] = fill->pattern[(off + done) % fill->width];
    while (done < n) { /* twice as much of it each time */
        size_t part = done < n - done ? done : n - done;

        memcpy(out + done, out, part);
        done += part;
    }
    *got = n;
    return 0;
}

int new_source_fill(struct new_spec *s, const struct new_entry *e,
                    const uint8_t *pattern, size_t width, uint64_t bytes,
                    size_t *out)
{
    struct fill *fill = malloc(sizeof *fill);
    ggk_callbacks callbacks = {read_fill, NULL, fill, bytes};
    struct new_source *source = add_source(s);
    ggk_error err;

    if (fill == NULL || source == NULL) {
        free(fill);
        return new_fail_memory(e);
    }
    source->block = fill;
    *out = s->n_sources - 1;
    memcpy(fill->pattern, pattern, width);
    fill->width = width;
    fill->bytes = bytes;
    if (ggk_source_from_callbacks(&callbacks, NULL, &source->source, &err) !=
        GGK_OK)
        return new_fail(e, NULL, &err);
    return CLI_DONE;
}

int new_source_memory(struct new_spec *s, const struct new_entry *e,
                      void *block, size_t bytes, size_t *out)
{
    struct new_source *source = add_source(s);
    ggk_error err;

    if (source == NULL) {
        free(block);
        return new_fail_memory(e);
    }
    *out = s->n_sources - 1;
    source->block = block;
    if (ggk_source_from_memory(block, bytes, NULL, &source->source, &err) !=
        GGK_OK)
        return new_fail(e, NULL, &err);
    return CLI_DONE;
}
