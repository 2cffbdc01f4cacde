/* check_tensors.c - rules about tensor infos and the layout of the data. */
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/utf8.h"
#include "format/types.h"
#include "io/source.h"
#include "model/check.h"

/* The tensor that is being judged. */
struct judged_tensor {
    uint64_t i; /* in its file */
    struct ggki_info info;
    ggk_str name;
    int shown; /* bytes of the name to put into a sentence */
};

static bool take_tensor(const struct ggki_check *c, uint64_t i,
                        struct judged_tensor *t)
{
    t->i = i;
    if (!ggki_gguf_info(c->gguf, i, &t->info))
        return false;
    t->name = ggki_gguf_bytes(c->gguf, t->info.name_pos, t->info.name_len);
    t->shown = t->name.len < 64 ? (int)t->name.len : 64;
    return true;
}

static struct ggki_place name_place(const struct judged_tensor *t)
{
    return (struct ggki_place){t->info.name_pos, "tensor", t->i, "name"};
}

/* ------------------------------------------------------------------- names */

/* Would it name a file outside a folder, on any system? */
static bool is_path(ggk_str s)
{
    bool drive = s.len > 1 && s.ptr[1] == ':';

    if (s.len > 0 && (s.ptr[0] == '/' || s.ptr[0] == '\\' || s.ptr[0] == '~'))
        return true;
    for (size_t i = 0; i + 1 < s.len; i++) {
        bool starts = i == 0 || s.ptr[i - 1] == '/' || s.ptr[i - 1] == '\\';
        bool ends =
            i + 2 == s.len || s.ptr[i + 2] == '/' || s.ptr[i + 2] == '\\';
        if (starts && ends && s.ptr[i] == '.' && s.ptr[i + 1] == '.')
            return true;
    }
    return drive;
}

static void check_name_length(struct ggki_check *c,
                              const struct judged_tensor *t)
{
    unsigned long long len = t->name.len;

    if (len == 0)
        ggki_report(c, RULE_NAME_EMPTY, name_place(t),
                    "tensor %llu has no name", (unsigned long long)t->i);
    else if (len == 64)
        ggki_report(c, RULE_NAME_64, name_place(t),
                    "the name \"%.*s\" has 64 bytes", t->shown, t->name.ptr);
    else if (len > 64)
        ggki_report(c, RULE_NAME_LONG, name_place(t),
                    "the name \"%.*s...\" has %llu bytes", t->shown,
                    t->name.ptr, len);
}

static void check_name_bytes(struct ggki_check *c,
                             const struct judged_tensor *t)
{
    size_t bad = ggki_utf8_invalid(t->name);
    size_t control = ggki_utf8_control(t->name);
    bool nul = t->name.len > 0 && memchr(t->name.ptr, 0, t->name.len) != NULL;

    if (nul)
        ggki_report(c, RULE_NAME_NUL, name_place(t),
                    "the name of tensor %llu has a NUL byte",
                    (unsigned long long)t->i);
    if (bad < t->name.len)
        ggki_report(c, RULE_NAME_UTF8, name_place(t),
                    "the name is not UTF-8 from its byte %llu on",
                    (unsigned long long)bad);
    if (!nul && control < t->name.len)
        ggki_report(c, RULE_NAME_CONTROL, name_place(t),
                    "the name has a control character, at its byte %llu",
                    (unsigned long long)control);
    if (is_path(t->name))
        ggki_report(c, RULE_NAME_PATH, name_place(t),
                    "the name \"%.*s\" is a path out of its folder", t->shown,
                    t->name.ptr);
}

static void check_name_repeats(struct ggki_check *c,
                               const struct judged_tensor *t)
{
    const struct ggki_model_file *file = &c->model->files[c->file];
    bool repeats;
    uint64_t first =
        ggki_namemap_find(&c->model->tensors, c->model, t->name, &repeats);

    if (first < file->first_tensor + t->i)
        ggki_report(c, RULE_NAME_DUPLICATE, name_place(t),
                    "tensor[%llu] has the name of an earlier tensor, \"%.*s\"",
                    (unsigned long long)t->i, t->shown, t->name.ptr);
}

/* ------------------------------------------------------------------- infos */

static void check_type(struct ggki_check *c, const struct judged_tensor *t)
{
    const ggk_type_info *type = ggki_type_find(c->gguf->types, t->info.type);
    struct ggki_place place = {t->info.offset_pos - 4, "tensor", t->i, "type"};

    if (type == NULL)
        ggki_report(c, RULE_TYPE_UNKNOWN, place,
                    "type %lu of tensor \"%.*s\" is not known",
                    (unsigned long)t->info.type, t->shown, t->name.ptr);
    else if ((type->flags & GGK_TYPE_REMOVED) != 0)
        ggki_report(c, RULE_TYPE_REMOVED, place,
                    "type %s of tensor \"%.*s\" was removed from ggml",
                    type->name, t->shown, t->name.ptr);
}

static void check_info(struct ggki_check *c, const struct judged_tensor *t)
{
    check_name_length(c, t);
    check_name_bytes(c, t);
    check_name_repeats(c, t);
    if (t->info.n_dims > 4)
        ggki_report(
            c, RULE_N_DIMS,
            (struct ggki_place){t->info.ne_pos - 4, "tensor", t->i, "n_dims"},
            "tensor \"%.*s\" has %lu dimensions", t->shown, t->name.ptr,
            (unsigned long)t->info.n_dims);
    check_type(c, t);
}

void ggki_check_tensors(struct ggki_check *c)
{
    struct judged_tensor t;

    for (uint64_t i = 0; i < c->gguf->n_tensors && !c->stopped; i++) {
        if (!take_tensor(c, i, &t))
            return;
        check_info(c, &t);
    }
}

/* ------------------------------------------------------------------ layout */

/* A tensor's place in the data. */
struct extent {
    uint64_t start, end; /* from the start of the data, without padding */
    uint64_t i;
    bool opaque;
};

static int compare_extents(const void *a, const void *b)
{
    const struct extent *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

static struct ggki_place offset_place(const struct ggki_check *c, uint64_t i)
{
    struct ggki_info info;

    if (!ggki_gguf_info(c->gguf, i, &info))
        return (struct ggki_place){GGK_NO_OFFSET, NULL, 0, NULL};
    return (struct ggki_place){info.offset_pos, "tensor", i, "offset"};
}

/* Padding bytes [from, to) of the file must be zeros. */
static void check_padding(struct ggki_check *c, uint64_t from, uint64_t to,
                          struct ggki_place place)
{
    uint8_t bytes[4096];

    if (c->gguf->size == GGK_SIZE_UNKNOWN)
        return;
    if (to > c->gguf->size)
        to = c->gguf->size;
    while (from < to) {
        size_t n =
            to - from < sizeof bytes ? (size_t)(to - from) : sizeof bytes;
        if (ggk_source_read(c->gguf->source, c->gguf->base_off + from, bytes, n,
                            NULL) != GGK_OK)
            return;
        for (size_t i = 0; i < n; i++) {
            if (bytes[i] == 0)
                continue;
            place.pos = from + i;
            ggki_report(c, RULE_PADDING_BYTES, place,
                        "a padding byte is 0x%02x, not 0", bytes[i]);
            return;
        }
        from += n;
    }
}

/* One tensor and the one before it in the file. `*end` is the padded end of all
 * before, from the start of the data. */
static void check_extent(struct ggki_check *c, const struct extent *e,
                         const struct extent *before, uint64_t *end)
{
    const struct ggki_gguf *g = c->gguf;
    uint64_t padded;

    if (e->start % g->alignment != 0)
        ggki_report(c, RULE_OFFSET_UNALIGNED, offset_place(c, e->i),
                    "offset %llu is not a multiple of the alignment %llu",
                    (unsigned long long)e->start,
                    (unsigned long long)g->alignment);
    if (before != NULL && e->start < before->end)
        ggki_report(c, RULE_OVERLAP, offset_place(c, e->i),
                    "the tensor starts at offset %llu, before tensor[%llu] "
                    "ends at %llu",
                    (unsigned long long)e->start, (unsigned long long)before->i,
                    (unsigned long long)before->end);
    else if (e->start > *end)
        ggki_report(c, RULE_GAP, offset_place(c, e->i),
                    "%llu bytes between the tensors before and offset %llu "
                    "belong to none",
                    (unsigned long long)(e->start - *end),
                    (unsigned long long)e->start);
    if (before != NULL && e->start > before->end && !before->opaque)
        check_padding(c, g->data_pos + before->end,
                      g->data_pos + (e->start < *end ? e->start : *end),
                      offset_place(c, before->i));
    if (ckd_align64(e->end, g->alignment, &padded) && padded > *end)
        *end = padded;
}

static void check_order(struct ggki_check *c, const struct extent *extents,
                        uint64_t n)
{
    uint64_t highest = 0;

    for (uint64_t k = 0; k < n && !c->stopped; k++) {
        if (k > 0 && extents[k].i < highest) {
            ggki_report(c, RULE_ORDER, offset_place(c, extents[k].i),
                        "the data of tensor[%llu] comes after that of "
                        "tensor[%llu]",
                        (unsigned long long)extents[k].i,
                        (unsigned long long)highest);
        }
        if (extents[k].i > highest)
            highest = extents[k].i;
    }
}

static void check_missing(struct ggki_check *c)
{
    const struct ggki_gguf *g = c->gguf;
    struct judged_tensor t;

    if (g->first_missing == GGK_NONE || !take_tensor(c, g->first_missing, &t))
        return;
    ggki_report(c, RULE_DATA_MISSING, offset_place(c, t.i),
                "the data ends at byte %llu, the file at %llu; the first "
                "tensor hit is \"%.*s\"",
                (unsigned long long)(g->base_off + g->data_end),
                (unsigned long long)(g->base_off + g->size), t.shown,
                t.name.ptr);
}

/* The bytes after the last tensor: its padding, then nothing. */
static void check_end(struct ggki_check *c)
{
    const struct ggki_gguf *g = c->gguf;
    struct ggki_place place = {g->data_end, NULL, 0, NULL};
    uint64_t padded;

    if (g->size == GGK_SIZE_UNKNOWN || g->first_missing != GGK_NONE ||
        !ckd_align64(g->data_end, g->alignment, &padded))
        return;
    if (g->n_tensors > 0 && g->size < padded)
        ggki_report(c, RULE_PADDING_MISSING, place,
                    "%llu bytes of padding are missing at the end",
                    (unsigned long long)(padded - g->size));
    check_padding(c, g->data_end, padded, place);
    if (g->size > padded) {
        place.pos = padded;
        ggki_report(c, RULE_TRAILING, place, "%llu bytes after the last tensor",
                    (unsigned long long)(g->size - padded));
    }
}

/* The tensors that have a place, by it. */
struct extents {
    struct extent *at;
    uint64_t n;
    size_t bytes;
};

static bool take_extent(const struct ggki_gguf *g, uint64_t i,
                        struct extent *out)
{
    struct ggki_info info;
    uint64_t start, end;

    if (!ggki_gguf_info(g, i, &info) ||
        !ckd_add64(info.offset, info.bytes, &end) ||
        !ckd_add64(g->data_pos, end, &start) ||
        !ckd_align64(start, g->alignment, &start))
        return false; /* told when it was read */
    *out = (struct extent){info.offset, end, i, info.opaque};
    return true;
}

/* False if there is no memory. */
static bool sort_extents(const struct ggki_gguf *g, struct extents *out)
{
    out->n = 0;
    out->bytes = (size_t)g->n_tensors * sizeof *out->at;
    out->at = ggki_mem_resize(&g->mem, NULL, 0, out->bytes);
    if (out->at == NULL)
        return false;
    for (uint64_t i = 0; i < g->n_tensors; i++)
        out->n += take_extent(g, i, &out->at[out->n]);
    qsort(out->at, (size_t)out->n, sizeof *out->at, compare_extents);
    return true;
}

static void check_extents(struct ggki_check *c, const struct extents *extents)
{
    const struct extent *furthest = NULL; /* that ends last so far */
    uint64_t end = 0;

    for (uint64_t k = 0; k < extents->n && !c->stopped; k++) {
        const struct extent *e = &extents->at[k];
        check_extent(c, e, furthest, &end);
        if (furthest == NULL || e->end >= furthest->end)
            furthest = e;
        /* An opaque tensor reaches as far as the next one. */
        if (e->opaque && k + 1 < extents->n && e[1].start > end)
            end = e[1].start;
    }
}

/* Returns false if some tensors have no place, so that nobody knows where the
 * data should end. */
static bool check_places(struct ggki_check *c)
{
    const struct ggki_gguf *g = c->gguf;
    uint64_t head_end = g->info_pos.at[g->n_tensors];
    struct extents extents;

    check_padding(c, head_end, g->data_pos,
                  (struct ggki_place){head_end, NULL, 0, NULL});
    if (!sort_extents(g, &extents)) {
        c->no_memory = true;
        return false;
    }
    check_order(c, extents.at, extents.n);
    check_extents(c, &extents);
    ggki_mem_release(&g->mem, extents.at, extents.bytes);
    return extents.n == g->n_tensors;
}

void ggki_check_layout(struct ggki_check *c)
{
    bool all_placed = true;

    if (c->gguf->cut)
        return;
    if (c->gguf->n_tensors > 0)
        all_placed = check_places(c);
    check_missing(c);
    if (all_placed)
        check_end(c);
}
