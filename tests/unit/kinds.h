/* kinds.h - for tests: the same bytes through every kind of source, and what
 * is then expected of opening them. */
#ifndef TESTS_KINDS_H
#define TESTS_KINDS_H

#include <inttypes.h>

#include "bytes.h"
#include "ggk.h"
#include "scratch.h"

enum kind {
    KIND_FILE,
    KIND_MAP,
    KIND_MEMORY,
    KIND_SIZED,  /* callbacks that know the size */
    KIND_STREAM, /* callbacks that do not */
    KINDS
};

static inline const char *kind_name(enum kind kind)
{
    static const char *const names[KINDS] = {"file", "map", "memory",
                                             "sized callbacks", "stream"};
    return names[kind];
}

/* What callbacks read: never as much as they are asked for at once. */
struct feed {
    const struct bytes *bytes;
    uint64_t next; /* where the last call ended */
    bool jumped;   /* a call began elsewhere */
    size_t chunk;
    int *closed; /* counts; may be NULL */
};

static inline int feed_read(void *ctx, uint64_t off, void *buf, size_t bytes,
                            size_t *got)
{
    struct feed *feed = ctx;
    size_t left = off < feed->bytes->n ? feed->bytes->n - (size_t)off : 0;
    size_t n = bytes < left ? bytes : left;

    if (n > feed->chunk)
        n = feed->chunk;
    feed->chunk = feed->chunk * 3 % 1009 + 1;
    feed->jumped = feed->jumped || off != feed->next;
    if (n > 0)
        memcpy(buf, feed->bytes->at + off, n);
    feed->next = off + n;
    *got = n;
    return 0;
}

static inline void feed_close(void *ctx)
{
    struct feed *feed = ctx;

    if (feed->closed != NULL)
        ++*feed->closed;
    free(feed);
}

static inline ggk_source *kind_callbacks(const struct bytes *b, bool sized,
                                         const ggk_allocator *alloc)
{
    struct feed *feed = calloc(1, sizeof *feed);
    ggk_callbacks callbacks = {feed_read, feed_close, feed,
                               sized ? b->n : GGK_SIZE_UNKNOWN};
    ggk_source *source;

    assert_non_null(feed);
    feed->bytes = b;
    feed->chunk = 1;
    if (ggk_source_from_callbacks(&callbacks, alloc, &source, NULL) != GGK_OK)
        free(feed);
    return source;
}

/* A file that has no name any more, opened as `kind`. */
static inline ggk_source *kind_unlinked(enum kind kind, const struct bytes *b,
                                        const ggk_allocator *alloc)
{
    struct scratch s;
    ggk_source *source;
    const char *path;
    ggk_status status;

    scratch_make(&s);
    path = scratch_write(&s, "unit.gguf", b);
    status = kind == KIND_MAP
                 ? ggk_source_open_map(path, alloc, &source, NULL)
                 : ggk_source_open_file(path, alloc, &source, NULL);
    scratch_remove(&s);
    assert_true((status == GGK_OK) == (source != NULL));
    return source;
}

/* NULL only if `alloc` fails. `b` must outlive the source. */
static inline ggk_source *kind_source(enum kind kind, const struct bytes *b,
                                      const ggk_allocator *alloc)
{
    ggk_source *source = NULL;
    ggk_status status;

    switch (kind) {
    case KIND_FILE:
    case KIND_MAP: return kind_unlinked(kind, b, alloc);
    case KIND_SIZED:
    case KIND_STREAM: return kind_callbacks(b, kind == KIND_SIZED, alloc);
    case KIND_MEMORY:
    case KINDS: break;
    }
    status = ggk_source_from_memory(b->at, b->n, alloc, &source, NULL);
    assert_true((status == GGK_OK) == (source != NULL));
    return source;
}

/* Options with nothing set. */
static inline ggk_open_opts no_opts(void)
{
    return (ggk_open_opts){.struct_bytes = sizeof(ggk_open_opts)};
}

static inline ggk_status kind_open(enum kind kind, const struct bytes *b,
                                   const ggk_open_opts *opts, ggk_model **out,
                                   ggk_error *err)
{
    return ggk_model_open_source(
        kind_source(kind, b, opts != NULL ? opts->allocator : NULL), opts, out,
        err);
}

/* Open the bytes in memory; they must open. */
static inline ggk_model *open_bytes(const struct bytes *b)
{
    ggk_model *model;
    ggk_error err;

    if (kind_open(KIND_MEMORY, b, NULL, &model, &err) != GGK_OK) {
        print_error("%s at %" PRIu64 " (%s): %s\n", ggk_status_name(err.status),
                    err.offset, err.where, err.what);
        fail();
    }
    return model;
}

/* How a call is to fail. */
struct failure {
    ggk_status status;
    uint64_t offset;
    const char *where;
    uint64_t need, have;
};

static inline void expect_failure(const char *name, ggk_status status,
                                  const ggk_error *err,
                                  const struct failure *wanted)
{
    if (status == wanted->status && err->status == status &&
        err->offset == wanted->offset &&
        strcmp(err->where, wanted->where) == 0 && err->need == wanted->need &&
        err->have == wanted->have && err->what[0] != '\0')
        return;
    print_error("%s:\n"
                "  wanted %s at %" PRIu64 " (%s), need %" PRIu64
                ", have %" PRIu64 "\n"
                "  got    %s/%s at %" PRIu64 " (%s), need %" PRIu64
                ", have %" PRIu64 ": %s\n",
                name, ggk_status_name(wanted->status), wanted->offset,
                wanted->where, wanted->need, wanted->have,
                ggk_status_name(status), ggk_status_name(err->status),
                err->offset, err->where, err->need, err->have, err->what);
    fail();
}

/* A ggk_error that a call must not touch. */
static inline ggk_error error_canary(void)
{
    ggk_error err;
    memset(&err, 0x5a, sizeof err);
    return err;
}

static inline void expect_untouched(const ggk_error *err)
{
    ggk_error canary = error_canary();
    assert_memory_equal(err, &canary, sizeof canary);
}

/* Opening must fail so, and in the same words, by every kind of source. */
static inline void expect_refused(const char *name, const struct bytes *b,
                                  const ggk_open_opts *opts,
                                  const struct failure *wanted)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        char label[256];
        ggk_error err = error_canary();
        ggk_model *model = (ggk_model *)&err;
        ggk_status status = kind_open(kind, b, opts, &model, &err);

        snprintf(label, sizeof label, "%s, as %s", name, kind_name(kind));
        expect_failure(label, status, &err, wanted);
        assert_null(model);
        assert_string_equal(err.file, "");
        assert_int_equal(kind_open(kind, b, opts, &model, NULL), status);
        assert_null(model);
    }
}

#endif
