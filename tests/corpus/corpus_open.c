/* corpus_open.c - every way to open a file, and the verdict on it. */
#include "corpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const corpus_way_names[WAY_COUNT] = {
    "file", "map", "memory", "byte by byte", "odd chunks", "stream"};

/* A file behind callbacks. A stream may only be read on. */
struct feed {
    struct corpus_bytes bytes;
    enum corpus_way way;
    unsigned turn;
    uint64_t next;
};

static size_t feed_chunk(struct feed *feed)
{
    static const size_t chunks[] = {1, 2, 3, 5, 7, 13, 64, 255, 1021};

    if (feed->way == WAY_BYTES)
        return 1;
    return chunks[feed->turn++ % (sizeof(chunks) / sizeof(chunks[0]))];
}

static int feed_read(void *ctx, uint64_t off, void *buf, size_t bytes,
                     size_t *got)
{
    struct feed *feed = ctx;
    size_t chunk = feed_chunk(feed);

    if (feed->way == WAY_STREAM && off != feed->next)
        corpus_fail("a stream was asked for byte %" PRIu64 ", not %" PRIu64,
                    off, feed->next);
    *got = 0;
    if (off >= feed->bytes.n)
        return 0;
    if (chunk > bytes)
        chunk = bytes;
    if (chunk > feed->bytes.n - off)
        chunk = (size_t)(feed->bytes.n - off);
    memcpy(buf, feed->bytes.data + off, chunk);
    *got = chunk;
    feed->next = off + chunk;
    return 0;
}

static void feed_close(void *ctx)
{
    free(ctx);
}

static ggk_status open_feed(enum corpus_way way,
                            const struct corpus_bytes *bytes, ggk_source **out,
                            ggk_error *err)
{
    struct feed *feed = malloc(sizeof(*feed));
    ggk_callbacks callbacks = {feed_read, feed_close, feed, bytes->n};
    ggk_status status;

    if (feed == NULL)
        abort();
    *feed = (struct feed){*bytes, way, 0, 0};
    if (way == WAY_STREAM)
        callbacks.size = GGK_SIZE_UNKNOWN;
    status = ggk_source_from_callbacks(&callbacks, NULL, out, err);
    if (status != GGK_OK)
        free(feed);
    return status;
}

static ggk_status open_way(enum corpus_way way, const char *path,
                           const struct corpus_bytes *bytes, ggk_source **out,
                           ggk_error *err)
{
    switch (way) {
    case WAY_FILE: return ggk_source_open_file(path, NULL, out, err);
    case WAY_MAP: return ggk_source_open_map(path, NULL, out, err);
    case WAY_MEMORY:
        return ggk_source_from_memory(bytes->data, bytes->n, NULL, out, err);
    case WAY_BYTES:
    case WAY_ODD:
    case WAY_STREAM:
    case WAY_COUNT: break;
    }
    return open_feed(way, bytes, out, err);
}

ggk_status corpus_open(enum corpus_way way, const char *path,
                       const struct corpus_bytes *bytes,
                       const ggk_open_opts *opts, ggk_model **out,
                       ggk_error *err)
{
    ggk_source *source = NULL;
    ggk_status status = open_way(way, path, bytes, &source, err);

    *out = NULL;
    if (status != GGK_OK)
        return status;
    return ggk_model_open_source(source, opts, out, err);
}

/* What must hold of any failure. */
static void judge_error(const char *what, ggk_status status,
                        const ggk_error *err)
{
    if (err->status != status)
        corpus_fail("%s: returned %s, but says %s", what,
                    ggk_status_name(status), ggk_status_name(err->status));
    if (err->what[0] == '\0')
        corpus_fail("%s: fails without a sentence", what);
    for (const char *s = err->what; *s != '\0'; s++) {
        if (*s < 0x20 || *s > 0x7e) {
            corpus_fail("%s: a byte %02x in the sentence", what,
                        (unsigned)(unsigned char)*s);
            break;
        }
    }
}

void corpus_judge(const char *what, ggk_status status, const ggk_error *err,
                  const char *wanted_status, const char *offset,
                  const char *where)
{
    char at[24] = "-";

    if (status != GGK_OK && err->offset != GGK_NO_OFFSET)
        snprintf(at, sizeof(at), "%" PRIu64, err->offset);
    if (strcmp(ggk_status_name(status), wanted_status) != 0) {
        corpus_fail(
            "%s: %s at %s %s \"%s\", not %s at %s %s", what,
            ggk_status_name(status), at, status == GGK_OK ? "" : err->where,
            status == GGK_OK ? "" : err->what, wanted_status, offset, where);
        return;
    }
    if (status == GGK_OK)
        return;
    judge_error(what, status, err);
    if (strcmp(where, "-") == 0)
        where = "";
    if (strcmp(offset, at) != 0 || strcmp(where, err->where) != 0)
        corpus_fail("%s: %s at %s %s, not at %s %s", what, wanted_status, at,
                    err->where, offset, where);
}
