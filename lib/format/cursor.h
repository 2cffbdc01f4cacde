/* cursor.h - the one way to file bytes: a bounded reader.
 *
 * Positions count from where the GGUF starts. What the cursor reads is one
 * run of memory: the source's view, or else a buffer that it fills from the
 * source as far as it is asked to look (and that may move while it grows, so
 * that between two calls only positions are kept, never pointers).
 *
 * A failure names its field: the cursor's `section` and `index` ("kv", 17),
 * followed by the `field` that each call is given ("key.len").
 */
#ifndef GGKI_CURSOR_H
#define GGKI_CURSOR_H

#include "base/err.h"
#include "base/load.h"
#include "ggk.h"

/* The bytes of a header. For a view, `buffer` is NULL. */
struct ggki_image {
    const uint8_t *base; /* byte 0 of the GGUF */
    uint64_t bytes;      /* that can be read at `base` */
    uint8_t *buffer;
    size_t capacity;
};

struct ggki_cursor {
    struct ggki_image image;
    uint64_t pos;
    uint64_t end; /* of the file, or GGK_SIZE_UNKNOWN */
    bool big;
    uint32_t version;

    const ggk_source *source;
    const ggk_allocator *mem;
    uint64_t base_off;   /* where in the file the GGUF starts */
    uint64_t max_bytes;  /* of the buffer */
    const char *section; /* "header", "kv", "tensor" */
    uint64_t index;
    ggk_error *err;
    bool tolerant;                  /* ggki_cursor_tolerate says yes */
    struct ggki_problems *problems; /* and keeps the error here, if not NULL */
};

#define GGKI_N_STATUS      (GGK_E_BUG + 1)
#define GGKI_PROBLEMS_KEPT 500

/* Errors that were gone past: how many of each status, and the first
 * GGKI_PROBLEMS_KEPT of each in full, as they were met. */
struct ggki_problems {
    ggk_error *at;
    size_t n;
    size_t capacity;
    uint64_t n_met[GGKI_N_STATUS];
};

/* Start at the GGUF that begins at byte `base_off` of `source`. */
void ggki_cursor_open(struct ggki_cursor *c, const ggk_source *source,
                      const ggk_allocator *mem, uint64_t base_off,
                      uint64_t max_bytes, ggk_error *err);

/* Give the image away, shortened to the bytes before `pos`. */
struct ggki_image ggki_cursor_finish(struct ggki_cursor *c);
void ggki_image_free(struct ggki_image *image, const ggk_allocator *mem);

/* A cursor over a part of an image that was read before: [pos, end). */
static inline struct ggki_cursor ggki_cursor_over(
    const struct ggki_image *image, uint64_t pos, uint64_t end,
    uint32_t version, bool big)
{
    if (end > image->bytes)
        end = image->bytes;
    return (struct ggki_cursor){.image = {.base = image->base, .bytes = end},
                                .pos = pos,
                                .end = end,
                                .big = big,
                                .version = version,
                                .section = ""};
}

/* Bytes up to the end of the file; huge if that is not known. */
static inline uint64_t ggki_cursor_left(const struct ggki_cursor *c)
{
    return c->end - c->pos;
}

/* Bytes that can be read at once. */
static inline uint64_t ggki_cursor_ready(const struct ggki_cursor *c)
{
    return c->image.bytes - c->pos;
}

/* Fail at `field`, which starts at `pos`. */
ggk_status ggki_cursor_fail(const struct ggki_cursor *c, ggk_status status,
                            uint64_t pos, const char *field, uint64_t need,
                            uint64_t have, const char *what, ...)
    GGKI_FORMAT(7, 8);

/* After the failure `status`: GGK_OK if this cursor goes past errors of the
 * file's content, and the error, which was filled, is noted; else `status`. */
ggk_status ggki_cursor_tolerate(struct ggki_cursor *c, ggk_status status);
void ggki_problems_free(struct ggki_problems *problems,
                        const ggk_allocator *mem);

/* Have `bytes` bytes ready at `pos`; else GGK_E_TRUNCATED or GGK_E_LIMIT in
 * `field`, or what reading brought. */
ggk_status ggki_cursor_want_slow(struct ggki_cursor *c, uint64_t bytes,
                                 const char *field);

static inline ggk_status ggki_cursor_want(struct ggki_cursor *c, uint64_t bytes,
                                          const char *field)
{
    return bytes <= ggki_cursor_ready(c)
               ? GGK_OK
               : ggki_cursor_want_slow(c, bytes, field);
}

ggk_status ggki_cursor_u32(struct ggki_cursor *c, const char *field,
                           uint32_t *out);
ggk_status ggki_cursor_u64(struct ggki_cursor *c, const char *field,
                           uint64_t *out);

/* A count, length or dimension: 64 bits, in version 1 32 bits. */
ggk_status ggki_cursor_count(struct ggki_cursor *c, const char *field,
                             uint64_t *out);

/* Pass over `bytes` bytes. */
ggk_status ggki_cursor_skip(struct ggki_cursor *c, uint64_t bytes,
                            const char *field);

/* A length and the bytes after it: their position and number. `field` names
 * the length. */
ggk_status ggki_cursor_string(struct ggki_cursor *c, const char *field,
                              uint64_t *pos, uint64_t *len);

/* Hop over strings until `*left` is 0. On failure `*left` counts the one at
 * fault, where the cursor then stands; the error's place is the caller's to
 * name. */
ggk_status ggki_cursor_hop(struct ggki_cursor *c, uint64_t *left);

#endif
