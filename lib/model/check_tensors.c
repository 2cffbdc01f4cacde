/* check_tensors.c - rules about tensor infos and the layout of the data. */
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/str.h"
#include "base/utf8.h"
#include "format/types.h"
#include "io/source.h"
#include "model/check.h"

/* Numbers in names count layers, experts and the like: none reaches this. */
#define NAME_NUMBER_MOST 1000000

#define PADDING_MOST_BYTES 1048576

#define DESCRIBED_TYPE_LAST 39 /* of docs/gguf.md */

/* The tensor that is being judged. */
struct judged_tensor {
    uint64_t i; /* in its file */
    struct ggki_info info;
    ggk_str name;
};

static bool take_tensor(const struct ggki_check *c, uint64_t i,
                        struct judged_tensor *t)
{
    t->i = i;
    if (!ggki_gguf_info(c->gguf, i, &t->info))
        return false;
    t->name = ggki_gguf_bytes(c->gguf, t->info.name_pos, t->info.name_len);
    return true;
}

/* Byte `at` of the name. */
static struct ggki_place name_place(const struct judged_tensor *t, uint64_t at)
{
    return ggki_field(t->info.name_pos + at, "tensor", t->i, "name");
}

static uint64_t start_of(const struct ggki_check *c, uint64_t i)
{
    return c->gguf->info_pos.at[i];
}

/* ------------------------------------------------------------------- names */

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* Would it name a file outside a folder, on any system? */
static bool is_path(ggk_str s)
{
    bool drive = s.len > 1 && s.ptr[1] == ':';

    if (s.len > 0 && (is_slash(s.ptr[0]) || s.ptr[0] == '~'))
        return true;
    for (size_t i = 0; i + 1 < s.len; i++) {
        bool starts = i == 0 || is_slash(s.ptr[i - 1]);
        bool ends = i + 2 == s.len || is_slash(s.ptr[i + 2]);
        if (starts && ends && s.ptr[i] == '.' && s.ptr[i + 1] == '.')
            return true;
    }
    return drive;
}

/* Is it a number, of digits alone, too large to count anything? */
static bool is_large_number(ggk_str s)
{
    uint32_t number = 0;

    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
        if (number <= NAME_NUMBER_MOST)
            number = number * 10 + (uint32_t)(s.ptr[i] - '0');
    }
    return number > NAME_NUMBER_MOST;
}

/* Where the first part between dots begins that is one, or s.len. */
static size_t find_large_number(ggk_str s)
{
    size_t start = 0;

    while (start < s.len) {
        const char *dot = memchr(s.ptr + start, '.', s.len - start);
        size_t end = dot != NULL ? (size_t)(dot - s.ptr) : s.len;
        if (is_large_number((ggk_str){s.ptr + start, end - start}))
            return start;
        start = end + 1;
    }
    return s.len;
}

static void check_name_length(struct ggki_check *c,
                              const struct judged_tensor *t)
{
    struct ggki_place place =
        ggki_field(start_of(c, t->i), "tensor", t->i, "name.len");
    unsigned long long len = t->name.len;

    if (len == 0)
        ggki_report(c, RULE_NAME_EMPTY, place, "tensor %llu has no name",
                    (unsigned long long)t->i);
    else if (len == 64)
        ggki_report(c, RULE_NAME_64, place, "the name \"%.*s\" has 64 bytes",
                    ggki_shown(t->name), t->name.ptr);
    else if (len > 64)
        ggki_report(c, RULE_NAME_LONG, place,
                    "the name \"%.*s\" has %llu bytes", ggki_shown(t->name),
                    t->name.ptr, len);
}

static void check_name_bytes(struct ggki_check *c,
                             const struct judged_tensor *t)
{
    size_t bad = ggki_utf8_invalid(t->name);
    size_t control = ggki_utf8_control(t->name);
    const char *nul =
        t->name.len > 0 ? memchr(t->name.ptr, 0, t->name.len) : NULL;

    if (nul != NULL)
        ggki_report(
            c, RULE_NAME_NUL, name_place(t, (uint64_t)(nul - t->name.ptr)),
            "the name of tensor %llu has a NUL byte, its byte %llu",
            (unsigned long long)t->i, (unsigned long long)(nul - t->name.ptr));
    if (bad < t->name.len)
        ggki_report(c, RULE_NAME_UTF8, name_place(t, bad),
                    "the name is not UTF-8 from its byte %llu on",
                    (unsigned long long)bad);
    if (nul == NULL && control < t->name.len)
        ggki_report(c, RULE_NAME_CONTROL, name_place(t, control),
                    "the name has a control character, at its byte %llu",
                    (unsigned long long)control);
}

static void check_name_meaning(struct ggki_check *c,
                               const struct judged_tensor *t)
{
    size_t number = find_large_number(t->name);

    if (is_path(t->name))
        ggki_report(c, RULE_NAME_PATH, name_place(t, 0),
                    "the name \"%.*s\" is a path out of its folder",
                    ggki_shown(t->name), t->name.ptr);
    if (number < t->name.len)
        ggki_report(c, RULE_NAME_NUMBER, name_place(t, number),
                    "the name \"%.*s\" has a number over %d",
                    ggki_shown(t->name), t->name.ptr, NAME_NUMBER_MOST);
}

static void check_name_repeats(struct ggki_check *c,
                               const struct judged_tensor *t)
{
    const struct ggki_model_file *file = &c->model->files[c->file];
    bool repeats;
    uint64_t first =
        ggki_namemap_find(&c->model->tensors, c->model, t->name, &repeats);

    if (first >= file->first_tensor + t->i)
        return;
    if (first < file->first_tensor)
        ggki_report(c, RULE_NAME_DUPLICATE, name_place(t, 0),
                    "tensor[%llu] has the name of one in an earlier shard, "
                    "\"%.*s\"",
                    (unsigned long long)t->i, ggki_shown(t->name), t->name.ptr);
    else
        ggki_report(
            c, RULE_NAME_DUPLICATE, name_place(t, 0),
            "tensor[%llu] has the name of tensor[%llu] at byte %llu, \"%.*s\"",
            (unsigned long long)t->i,
            (unsigned long long)(first - file->first_tensor),
            (unsigned long long)(c->gguf->base_off +
                                 start_of(c, first - file->first_tensor)),
            ggki_shown(t->name), t->name.ptr);
}

/* ------------------------------------------------------------------- infos */

static void check_type(struct ggki_check *c, const struct judged_tensor *t)
{
    const ggk_type_info *type = ggki_type_find(c->gguf->types, t->info.type);
    struct ggki_place place =
        ggki_field(t->info.offset_pos - 4, "tensor", t->i, "type");

    if (type == NULL)
        ggki_report(c, RULE_TYPE_UNKNOWN, place,
                    "type %lu of tensor \"%.*s\" is not known",
                    (unsigned long)t->info.type, ggki_shown(t->name),
                    t->name.ptr);
    else if ((type->flags & GGK_TYPE_REMOVED) != 0)
        ggki_report(c, RULE_TYPE_REMOVED, place,
                    "type %s of tensor \"%.*s\" was removed from ggml",
                    type->name, ggki_shown(t->name), t->name.ptr);
    else if (type->id > DESCRIBED_TYPE_LAST && type == ggk_type_by_id(type->id))
        ggki_report(c, RULE_TYPE_NEW, place,
                    "type %s (%lu) of tensor \"%.*s\" is not described",
                    type->name, (unsigned long)type->id, ggki_shown(t->name),
                    t->name.ptr);
}

static void check_info(struct ggki_check *c, const struct judged_tensor *t)
{
    check_name_length(c, t);
    check_name_bytes(c, t);
    check_name_meaning(c, t);
    if (c->model->tensors.n_repeats > 0)
        check_name_repeats(c, t);
    if (t->info.n_dims > 4)
        ggki_report(c, RULE_N_DIMS,
                    ggki_field(t->info.ne_pos - 4, "tensor", t->i, "n_dims"),
                    "tensor \"%.*s\" has %lu dimensions", ggki_shown(t->name),
                    t->name.ptr, (unsigned long)t->info.n_dims);
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
        return ggki_nowhere();
    return ggki_field(info.offset_pos, "tensor", i, "offset");
}

/* Padding bytes [from, to) of the file must be zeros. Of more than is ever
 * needed, only the beginning is read. */
static void check_padding(struct ggki_check *c, uint64_t from, uint64_t to,
                          struct ggki_place place)
{
    uint8_t bytes[4096];

    if (c->gguf->size == GGK_SIZE_UNKNOWN)
        return;
    if (to > c->gguf->size)
        to = c->gguf->size;
    if (to > sat_add64(from, PADDING_MOST_BYTES))
        to = from + PADDING_MOST_BYTES;
    while (from < to) {
        size_t n =
            to - from < sizeof bytes ? (size_t)(to - from) : sizeof bytes;
        ggk_error err;

        if (ggk_source_read(c->gguf->source, c->gguf->base_off + from, bytes, n,
                            &err) != GGK_OK) {
            ggki_check_failed(c, &err);
            return;
        }
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

/* The bytes between a tensor and the next, as far as they are padding. */
static void check_padding_after(struct ggki_check *c,
                                const struct extent *before, uint64_t end)
{
    if (!before->opaque && before->end < end)
        check_padding(c, c->gguf->data_pos + before->end,
                      c->gguf->data_pos + end,
                      ggki_field(0, "tensor", before->i, "padding"));
}

/* One tensor and the one that ends last of those before it in the file. `*end`
 * is the padded end of all of them, from the start of the data. */
static void check_extent(struct ggki_check *c, const struct extent *e,
                         const struct extent *before, uint64_t *end)
{
    const uint64_t alignment = c->gguf->alignment;
    bool inside = before != NULL && e->start < before->end;
    bool empty = e->start == e->end && !e->opaque;
    uint64_t padded = sat_align64(e->end, alignment);

    if (e->start % alignment != 0)
        ggki_report(c, RULE_OFFSET_UNALIGNED, offset_place(c, e->i),
                    "offset %llu is not a multiple of the alignment %llu",
                    (unsigned long long)e->start,
                    (unsigned long long)alignment);
    if (inside && !empty)
        ggki_report(c, RULE_OVERLAP, offset_place(c, e->i),
                    "the tensor starts at offset %llu, before tensor[%llu] "
                    "ends at %llu",
                    (unsigned long long)e->start, (unsigned long long)before->i,
                    (unsigned long long)before->end);
    else if (inside)
        ggki_report(c, RULE_GAP, offset_place(c, e->i),
                    "the tensor, which is empty, is not after tensor[%llu], "
                    "but inside it, at offset %llu",
                    (unsigned long long)before->i,
                    (unsigned long long)e->start);
    else if (e->start > *end)
        ggki_report(c, RULE_GAP, offset_place(c, e->i),
                    "%llu byte%s between the tensors before and offset %llu "
                    "belong%s to none",
                    (unsigned long long)(e->start - *end),
                    ggki_plural(e->start - *end), (unsigned long long)e->start,
                    e->start - *end == 1 ? "s" : "");
    if (before != NULL)
        check_padding_after(c, before, e->start < *end ? e->start : *end);
    if (padded > *end)
        *end = padded;
}

static void check_order(struct ggki_check *c, const struct extent *extents,
                        uint64_t n)
{
    uint64_t highest = 0;

    for (uint64_t k = 0; k < n && !c->stopped; k++) {
        if (k > 0 && extents[k].i < highest)
            ggki_report(c, RULE_ORDER, offset_place(c, extents[k].i),
                        "the data of tensor[%llu] comes after that of "
                        "tensor[%llu]",
                        (unsigned long long)extents[k].i,
                        (unsigned long long)highest);
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
    if (g->data_end > g->size)
        ggki_report(c, RULE_DATA_MISSING, offset_place(c, t.i),
                    "the data ends at byte %llu, the file at %llu; the first "
                    "tensor hit is \"%.*s\"",
                    (unsigned long long)(g->base_off + g->data_end),
                    (unsigned long long)(g->base_off + g->size),
                    ggki_shown(t.name), t.name.ptr);
    else /* of a tensor whose size is not known */
        ggki_report(c, RULE_DATA_MISSING, offset_place(c, t.i),
                    "the file ends at byte %llu, where the data of \"%.*s\" "
                    "should begin",
                    (unsigned long long)(g->base_off + g->size),
                    ggki_shown(t.name), t.name.ptr);
}

/* What is missing of the padding that the file should end with. */
static void check_padding_missing(struct ggki_check *c, uint64_t padded)
{
    const struct ggki_gguf *g = c->gguf;
    struct ggki_place place = ggki_byte(g->size);

    if (g->data_pos > g->size)
        ggki_report(c, RULE_DATA_START, place,
                    "the file ends at byte %llu, before the place where its "
                    "data starts, byte %llu",
                    (unsigned long long)(g->base_off + g->size),
                    (unsigned long long)(g->base_off + g->data_pos));
    else if (padded > g->size)
        ggki_report(c, RULE_PADDING_MISSING, place,
                    "the padding at the end lacks %llu byte%s",
                    (unsigned long long)(padded - g->size),
                    ggki_plural(padded - g->size));
}

/* The bytes after the last tensor: its padding, then nothing. */
static void check_end(struct ggki_check *c)
{
    const struct ggki_gguf *g = c->gguf;
    uint64_t padded = sat_align64(g->data_end, g->alignment);

    if (g->size == GGK_SIZE_UNKNOWN || g->first_missing != GGK_NONE)
        return;
    if (g->n_tensors > 0)
        check_padding_missing(c, padded);
    check_padding(c, g->data_end, padded, ggki_byte(g->data_end));
    if (g->size > padded)
        ggki_report(c, RULE_TRAILING, ggki_byte(padded),
                    "%llu byte%s after the last tensor",
                    (unsigned long long)(g->size - padded),
                    ggki_plural(g->size - padded));
}

/* The tensors that have a place, by it. */
struct extents {
    const struct ggki_gguf *gguf;
    struct extent *at; /* NULL: as they are numbered, for which no memory is
                          taken */
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
        !ckd_align_after64(g->base_off, start, g->alignment, &start))
        return false; /* told when it was read */
    *out = (struct extent){info.offset, end, i, info.opaque};
    return true;
}

static bool extent_at(const struct extents *extents, uint64_t k,
                      struct extent *out)
{
    if (extents->at == NULL)
        return take_extent(extents->gguf, k, out);
    *out = extents->at[k];
    return true;
}

/* Has each tensor a place, after that of the one before? */
static bool are_in_order(const struct ggki_gguf *g)
{
    struct extent before, e;

    for (uint64_t i = 0; i < g->n_tensors; i++) {
        if (!take_extent(g, i, &e) ||
            (i > 0 && compare_extents(&before, &e) >= 0))
            return false;
        before = e;
    }
    return true;
}

/* False if there is no memory. */
static bool sort_extents(const struct ggki_gguf *g, struct extents *out)
{
    *out = (struct extents){g, NULL, g->n_tensors, 0};
    if (are_in_order(g))
        return true;
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
    struct extent furthest = {0, 0, GGK_NONE,
                              false}; /* that ends last so far */
    uint64_t end = 0;

    for (uint64_t k = 0; k < extents->n && !c->stopped; k++) {
        struct extent e, next;

        if (!extent_at(extents, k, &e))
            continue; /* it changed since */
        check_extent(c, &e, furthest.i != GGK_NONE ? &furthest : NULL, &end);
        if (e.end >= furthest.end)
            furthest = e;
        /* An opaque tensor reaches as far as the next one. */
        if (e.opaque && k + 1 < extents->n &&
            extent_at(extents, k + 1, &next) && next.start > end)
            end = next.start;
    }
}

/* Returns false if some tensors have no place, so that nobody knows where the
 * data should end. */
static bool check_places(struct ggki_check *c)
{
    const struct ggki_gguf *g = c->gguf;
    uint64_t head_end = start_of(c, g->n_tensors);
    struct extents extents;

    check_padding(c, head_end, g->data_pos, ggki_byte(head_end));
    if (!sort_extents(g, &extents)) {
        c->no_memory = true;
        return false;
    }
    if (extents.at != NULL)
        check_order(c, extents.at, extents.n);
    check_extents(c, &extents);
    ggki_mem_release(&g->mem, extents.at, extents.bytes);
    return extents.n == g->n_tensors;
}

void ggki_check_layout(struct ggki_check *c)
{
    bool all_placed = true;

    if (c->gguf->cut || c->stopped)
        return;
    if (c->gguf->n_tensors > 0)
        all_placed = check_places(c);
    check_missing(c);
    if (all_placed)
        check_end(c);
}
