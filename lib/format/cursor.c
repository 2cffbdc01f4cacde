/* cursor.c - the bounded reader of cursor.h. */
#include "format/cursor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "format/gguf_layout.h"
#include "format/hop.h"
#include "io/os.h"
#include "io/source.h"

#define FIRST_READ_BYTES 65536

void ggki_cursor_open(struct ggki_cursor *c, const ggk_source *source,
                      const ggk_allocator *mem, uint64_t base_off,
                      uint64_t max_bytes, ggk_error *err)
{
    uint64_t size = ggk_source_size(source);

    memset(c, 0, sizeof *c);
    c->source = source;
    c->mem = mem;
    c->base_off = base_off;
    c->max_bytes = max_bytes < SIZE_MAX / 2 ? max_bytes : SIZE_MAX / 2;
    c->section = "header";
    c->err = err;
    c->version = GGUF_VERSION_MAX;
    if (size == GGK_SIZE_UNKNOWN)
        c->end = GGK_SIZE_UNKNOWN;
    else
        c->end = base_off < size ? size - base_off : 0;
    if (base_off < source->view_bytes) {
        c->image.base = source->view + base_off;
        c->image.bytes = source->view_bytes - base_off;
    }
}

struct ggki_image ggki_cursor_finish(struct ggki_cursor *c)
{
    struct ggki_image image = c->image;

    if (image.buffer != NULL && c->pos > 0) {
        uint8_t *smaller = ggki_mem_resize(c->mem, image.buffer, image.capacity,
                                           (size_t)c->pos);
        if (smaller != NULL) {
            image.buffer = smaller;
            image.base = smaller;
            image.capacity = (size_t)c->pos;
        }
    }
    image.bytes = c->pos;
    c->image = (struct ggki_image){NULL, 0, NULL, 0};
    return image;
}

void ggki_image_free(struct ggki_image *image, const ggk_allocator *mem)
{
    ggki_mem_release(mem, image->buffer, image->capacity);
    *image = (struct ggki_image){NULL, 0, NULL, 0};
}

ggk_status ggki_cursor_fail(const struct ggki_cursor *c, ggk_status status,
                            uint64_t pos, const char *field, uint64_t need,
                            uint64_t have, const char *what, ...)
{
    ggk_error *err = c->err;
    va_list args;

    if (err == NULL)
        return status;
    memset(err, 0, sizeof *err);
    err->status = status;
    err->offset = c->base_off + pos;
    err->need = need;
    err->have = have;
    if (strcmp(c->section, "header") == 0)
        snprintf(err->where, sizeof err->where, "header.%s", field);
    else
        snprintf(err->where, sizeof err->where, "%s[%llu].%s", c->section,
                 (unsigned long long)c->index, field);
    va_start(args, what);
    vsnprintf(err->what, sizeof err->what, what, args);
    va_end(args);
    return status;
}

/* Room for one more problem; NULL if there is no memory. */
static ggk_error *add_problem(struct ggki_problems *p, const ggk_allocator *mem)
{
    if (p->n == p->capacity) {
        size_t capacity = p->capacity * 2 + 8;
        ggk_error *at = ggki_mem_resize(mem, p->at, p->capacity * sizeof *p->at,
                                        capacity * sizeof *p->at);
        if (at == NULL)
            return NULL;
        p->at = at;
        p->capacity = capacity;
    }
    return &p->at[p->n++];
}

ggk_status ggki_cursor_tolerate(struct ggki_cursor *c, ggk_status status)
{
    ggk_error *kept;

    if (!c->tolerant || status == GGK_OK || status < GGK_E_MAGIC)
        return status;
    if (c->problems == NULL)
        return GGK_OK;
    if (c->problems->n_met[status]++ >= GGKI_PROBLEMS_KEPT)
        return GGK_OK;
    kept = add_problem(c->problems, c->mem);
    if (kept == NULL)
        return ggki_fail_memory(c->err);
    *kept = *c->err;
    return GGK_OK;
}

void ggki_problems_free(struct ggki_problems *problems,
                        const ggk_allocator *mem)
{
    ggki_mem_release(mem, problems->at,
                     problems->capacity * sizeof *problems->at);
    memset(problems, 0, sizeof *problems);
}

static ggk_status fail_truncated(const struct ggki_cursor *c, uint64_t need,
                                 const char *field)
{
    uint64_t have = ggki_cursor_left(c);

    return ggki_cursor_fail(
        c, GGK_E_TRUNCATED, c->pos, field, need, have,
        "the file ends inside this field: %llu byte%s needed, %llu left",
        (unsigned long long)need, ggki_plural(need), (unsigned long long)have);
}

/* Fail in a field at `pos` of which `need` bytes from the cursor on would have
 * to be held. */
static ggk_status fail_limit(const struct ggki_cursor *c, uint64_t pos,
                             uint64_t need, const char *field)
{
    return ggki_cursor_fail(c, GGK_E_LIMIT, pos, field, need,
                            c->max_bytes - c->pos,
                            "with this field the header is longer than %llu "
                            "bytes, the limit",
                            (unsigned long long)c->max_bytes);
}

/* Grow the buffer to twice what it was, or to hold `bytes` bytes in all. In a
 * stream it is never more than twice: the length of a field may be a lie, and
 * no size of a file gives it away. */
static ggk_status grow_buffer(struct ggki_cursor *c, uint64_t bytes)
{
    uint64_t capacity = (uint64_t)c->image.capacity * 2;
    uint8_t *buffer;

    if (capacity < FIRST_READ_BYTES)
        capacity = FIRST_READ_BYTES;
    if (capacity < bytes && c->end != GGK_SIZE_UNKNOWN)
        capacity = bytes;
    if (capacity > c->end)
        capacity = c->end;
    if (capacity > c->max_bytes)
        capacity = c->max_bytes;
    buffer = ggki_mem_resize(c->mem, c->image.buffer, c->image.capacity,
                             (size_t)capacity);
    if (buffer == NULL)
        return ggki_fail_memory(c->err);
    ggki_os_will_fill(buffer, (size_t)capacity);
    c->image.buffer = buffer;
    c->image.base = buffer;
    c->image.capacity = (size_t)capacity;
    return GGK_OK;
}

/* May the buffer not grow to hold `bytes` bytes in all? A stream may end before
 * it has to. */
static bool is_over_limit(const struct ggki_cursor *c, uint64_t bytes)
{
    return bytes > c->max_bytes &&
           (c->end != GGK_SIZE_UNKNOWN || c->image.bytes == c->max_bytes);
}

/* Read on until `bytes` bytes are ready or the file ends. */
static ggk_status fill_buffer(struct ggki_cursor *c, uint64_t bytes,
                              const char *field)
{
    while (ggki_cursor_ready(c) < bytes) {
        size_t room, got;
        ggk_status status = GGK_OK;

        if (is_over_limit(c, c->pos + bytes))
            return fail_limit(c, c->pos, bytes, field);
        if (c->image.bytes == c->image.capacity)
            status = grow_buffer(c, c->pos + bytes);
        if (status != GGK_OK)
            return status;
        room = c->image.capacity - (size_t)c->image.bytes;
        status = ggki_source_read_some(c->source, c->base_off + c->image.bytes,
                                       c->image.buffer + c->image.bytes, room,
                                       &got, c->err);
        if (status != GGK_OK)
            return status;
        c->image.bytes += got;
        if (got < room && c->end != GGK_SIZE_UNKNOWN)
            return ggki_fail_changed(c->err);
        if (got < room) {
            c->end = c->image.bytes;
            return GGK_OK;
        }
    }
    return GGK_OK;
}

ggk_status ggki_cursor_want_slow(struct ggki_cursor *c, uint64_t bytes,
                                 const char *field)
{
    uint64_t left = ggki_cursor_left(c);

    /* What the size of the file rules out is not even tried. */
    if (c->source != NULL && c->source->view == NULL &&
        (bytes <= left || c->end == GGK_SIZE_UNKNOWN)) {
        ggk_status status = fill_buffer(c, bytes < left ? bytes : left, field);
        if (status != GGK_OK)
            return status;
    }
    return bytes <= ggki_cursor_ready(c) ? GGK_OK
                                         : fail_truncated(c, bytes, field);
}

ggk_status ggki_cursor_u32(struct ggki_cursor *c, const char *field,
                           uint32_t *out)
{
    ggk_status status = ggki_cursor_want(c, 4, field);

    if (status != GGK_OK)
        return status;
    *out = (uint32_t)load_once(load_u32(c->image.base + c->pos, c->big));
    c->pos += 4;
    return GGK_OK;
}

ggk_status ggki_cursor_u64(struct ggki_cursor *c, const char *field,
                           uint64_t *out)
{
    ggk_status status = ggki_cursor_want(c, 8, field);

    if (status != GGK_OK)
        return status;
    *out = load_once(load_u64(c->image.base + c->pos, c->big));
    c->pos += 8;
    return GGK_OK;
}

ggk_status ggki_cursor_count(struct ggki_cursor *c, const char *field,
                             uint64_t *out)
{
    uint32_t narrow;
    ggk_status status;

    if (c->version != 1)
        return ggki_cursor_u64(c, field, out);
    status = ggki_cursor_u32(c, field, &narrow);
    if (status == GGK_OK)
        *out = narrow;
    return status;
}

ggk_status ggki_cursor_skip(struct ggki_cursor *c, uint64_t bytes,
                            const char *field)
{
    ggk_status status = ggki_cursor_want(c, bytes, field);

    if (status == GGK_OK)
        c->pos += bytes;
    return status;
}

/* Say that a string is longer than the file. */
static ggk_status fail_string(struct ggki_cursor *c, uint64_t len_pos,
                              uint64_t len, const char *field)
{
    uint64_t have = ggki_cursor_left(c);

    if (len > GGUF_SANE_STRING_BYTES)
        return ggki_cursor_fail(
            c, GGK_E_STRLEN, len_pos, field, len, have,
            "a string of %llu bytes cannot be in the %llu bytes left: damaged, "
            "or a download resumed wrongly",
            (unsigned long long)len, (unsigned long long)have);
    return ggki_cursor_fail(
        c, GGK_E_TRUNCATED, len_pos, field, len, have,
        "the string is %llu byte%s long, but only %llu are left",
        (unsigned long long)len, ggki_plural(len), (unsigned long long)have);
}

ggk_status ggki_cursor_string(struct ggki_cursor *c, const char *field,
                              uint64_t *pos, uint64_t *len)
{
    uint64_t len_pos = c->pos;
    ggk_status status = ggki_cursor_count(c, field, len);

    if (status != GGK_OK)
        return status;
    if (*len > ggki_cursor_ready(c)) {
        status = ggki_cursor_want_slow(c, *len, field);
        if (status == GGK_E_TRUNCATED)
            return fail_string(c, len_pos, *len, field);
        if (status == GGK_E_LIMIT)
            return fail_limit(c, len_pos, *len, field);
        if (status != GGK_OK)
            return status;
    }
    *pos = c->pos;
    c->pos += *len;
    return GGK_OK;
}

/* The strings that are ready, all at once: a tokenizer has hundreds of
 * thousands. */
static void hop_ready(struct ggki_cursor *c, uint64_t *left)
{
    const uint8_t *base = c->image.base;

    if (ggki_cursor_ready(c) > 0)
        c->pos =
            (uint64_t)(ggki_hop(base + c->pos, base + c->image.bytes, left) -
                       base);
}

ggk_status ggki_cursor_hop(struct ggki_cursor *c, uint64_t *left)
{
    while (*left > 0) {
        uint64_t pos, len, start = c->pos;
        ggk_status status;

        if (c->version != 1 && !c->big) {
            hop_ready(c, left);
            if (*left == 0)
                break;
            start = c->pos;
        }
        status = ggki_cursor_string(c, "", &pos, &len);
        if (status != GGK_OK) {
            c->pos = start;
            return status;
        }
        --*left;
    }
    return GGK_OK;
}
