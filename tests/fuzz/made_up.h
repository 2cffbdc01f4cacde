/* made_up.h - for fuzz targets: a file of which there is just the header, with
 * data behind it that is made up. */
#ifndef FUZZ_MADE_UP_H
#define FUZZ_MADE_UP_H

#include <stdint.h>
#include <stdlib.h>

#include "ggk.h"

#define MOST_DATA ((uint64_t)1 << 16) /* behind the header */

struct made_up {
    const uint8_t *head;
    size_t bytes;
    /* The byte at that place of the file, behind the header. */
    uint8_t (*byte)(uint64_t at, uint8_t kind);
    uint8_t kind;
};

static inline int read_made_up(void *ctx, uint64_t off, void *buf, size_t bytes,
                               size_t *got)
{
    const struct made_up *m = ctx;
    uint64_t left = m->bytes + MOST_DATA - off;
    uint8_t *out = buf;

    if (off > m->bytes + MOST_DATA)
        left = 0;
    *got = bytes < left ? bytes : (size_t)left;
    for (size_t i = 0; i < *got; i++) {
        uint64_t at = off + i;

        out[i] = at < m->bytes ? m->head[at] : m->byte(at, m->kind);
    }
    return 0;
}

/* The model that the header is of, as a file of its own; NULL: it is none. `m`
 * must outlive it. */
static inline ggk_model *open_made_up(struct made_up *m)
{
    ggk_callbacks callbacks = {
        .read = read_made_up, .ctx = m, .size = m->bytes + MOST_DATA};
    ggk_open_opts opts = {.struct_bytes = sizeof opts,
                          .flags = GGK_OPEN_SINGLE};
    ggk_source *source;
    ggk_model *model;

    if (ggk_source_from_callbacks(&callbacks, NULL, &source, NULL) != GGK_OK ||
        ggk_model_open_source(source, &opts, &model, NULL) != GGK_OK)
        return NULL;
    return model;
}

#endif
