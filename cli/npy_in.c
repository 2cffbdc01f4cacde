/* npy_in.c - the header of a .npy file.
 *
 * Source: numpy/lib/format.py, "Format Version 1.0" to "3.0". Six bytes of
 * magic, two of version, the length of the rest in two bytes (version 1) or
 * four, and a Python dictionary:
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 */
#include "array_in.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAGIC       "\x93NUMPY"
#define MAGIC_BYTES 6

struct npy {
    const char *start, *at, *end;
    struct array_in *out;
    struct array_error *err;
    bool has_descr, has_order, has_shape;
};

static enum array_read npy_bad(const struct npy *p, const char *field,
                               const char *what)
{
    return array_fail(p->err, ARRAY_BAD, (uint64_t)(p->at - p->start), field,
                      "%s", what);
}

/* ------------------------------------------------------------------- tokens */

static void pass_space(struct npy *p)
{
    while (p->at < p->end && memchr(" \t\r\n", *p->at, 4) != NULL)
        p->at++;
}

/* The character, after blanks. */
static bool pass_char(struct npy *p, char c)
{
    pass_space(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

static bool pass_word(struct npy *p, const char *word)
{
    size_t n = strlen(word);

    if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

/* 'text' or "text", without escapes. */
static bool take_quoted(struct npy *p, const char **text, size_t *n)
{
    const char *start, *close;

    pass_space(p);
    if (p->at == p->end || (*p->at != '\'' && *p->at != '"'))
        return false;
    start = p->at + 1;
    close = memchr(start, *p->at, (size_t)(p->end - start));
    if (close == NULL || memchr(start, '\\', (size_t)(close - start)) != NULL)
        return false;
    *text = start;
    *n = (size_t)(close - start);
    p->at = close + 1;
    return true;
}

/* ------------------------------------------------------------------- values */

/* Elements of a kind are of these widths. */
static bool has_width(char kind, uint32_t width)
{
    if (width != 1 && width != 2 && width != 4 && width != 8)
        return false;
    switch (kind) {
    case 'f':
    case 'i': return array_plain_of(kind, width) != NULL;
    case 'b': return width == 1; /* truth values */
    case 'u':
    case 'V': return true;
    default: return false;
    }
}

/* '<f4': order, kind, width. */
static enum array_read take_descr(struct npy *p)
{
    struct array_in *a = p->out;
    const struct array_plain *plain;
    const char *text, *before;
    size_t n;

    pass_space(p);
    before = p->at;
    if (!take_quoted(p, &text, &n))
        return array_fail(p->err, ARRAY_UNSUPPORTED,
                          (uint64_t)(before - p->start), "descr",
                          "the elements are structures, not numbers");
    p->at = before;
    snprintf(a->dtype, sizeof a->dtype, "%.*s", (int)(n < 15 ? n : 15), text);
    if (n < 2 || memchr("<>|", text[0], 3) == NULL)
        return npy_bad(p, "descr", "the type of the elements is none");
    a->width = n == 3 ? (uint32_t)(text[2] - '0') : 0;
    if (!has_width(text[1], a->width))
        return array_fail(p->err, ARRAY_UNSUPPORTED,
                          (uint64_t)(before - p->start), "descr",
                          "elements of the type '%.40s' cannot be used: "
                          "convert them with astype()",
                          a->dtype);
    if (text[0] == '|' && a->width > 1 && text[1] != 'V')
        return npy_bad(p, "descr", "the byte order of the elements is missing");
    a->big_endian = text[0] == '>';
    plain = text[1] != 'b' ? array_plain_of(text[1], a->width) : NULL;
    a->type = plain != NULL ? plain->name : NULL;
    p->at = text + n + 1;
    p->has_descr = true;
    return ARRAY_READ;
}

static enum array_read take_fortran_order(struct npy *p)
{
    pass_space(p);
    if (pass_word(p, "True"))
        return array_fail(p->err, ARRAY_UNSUPPORTED,
                          (uint64_t)(p->at - p->start) - 4, "fortran_order",
                          "the array is stored column by column: save it as "
                          "numpy.ascontiguousarray() gives it");
    if (!pass_word(p, "False"))
        return npy_bad(p, "fortran_order", "it is neither True nor False");
    p->has_order = true;
    return ARRAY_READ;
}

static enum array_read take_dim(struct npy *p)
{
    struct array_in *a = p->out;
    uint64_t n = 0;
    const char *digits;

    pass_space(p);
    digits = p->at;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
        uint64_t digit = (uint64_t)(*p->at - '0');

        if (n > (UINT64_MAX - digit) / 10)
            return npy_bad(p, "shape", "a dimension is past 2^64");
        n = n * 10 + digit;
    }
    if (p->at == digits)
        return npy_bad(p, "shape", "a dimension is no number");
    if (a->n_dims == ARRAY_IN_DIMS)
        return array_fail(
            p->err, ARRAY_UNSUPPORTED, (uint64_t)(digits - p->start), "shape",
            "the array has more than %d dimensions", ARRAY_IN_DIMS);
    a->dims[a->n_dims++] = n;
    (void)pass_word(p, "L"); /* as Python 2 writes them */
    return ARRAY_READ;
}

/* (), (3,) or (3, 4) */
static enum array_read take_tuple(struct npy *p)
{
    enum array_read read = ARRAY_READ;
    bool comma = true;

    if (!pass_char(p, '('))
        return npy_bad(p, "shape", "the shape is no tuple");
    while (!pass_char(p, ')')) {
        if (!comma)
            return npy_bad(p, "shape", "the shape is no tuple");
        read = take_dim(p);
        if (read != ARRAY_READ)
            return read;
        comma = pass_char(p, ',');
    }
    if (p->out->n_dims == 1 && !comma)
        return npy_bad(p, "shape", "the shape is no tuple");
    p->has_shape = true;
    return ARRAY_READ;
}

/* --------------------------------------------------------------- dictionary */

static enum array_read take_npy_entry(struct npy *p, const char *name, size_t n)
{
    static const struct {
        const char *name;
        enum array_read (*take)(struct npy *p);
    } entries[] = {{"descr", take_descr},
                   {"fortran_order", take_fortran_order},
                   {"shape", take_tuple}};
    const bool had[] = {p->has_descr, p->has_order, p->has_shape};

    for (size_t i = 0; i < 3; i++)
        if (strlen(entries[i].name) == n &&
            memcmp(entries[i].name, name, n) == 0)
            return had[i] ? npy_bad(p, entries[i].name, "it is there twice")
                          : entries[i].take(p);
    return npy_bad(p, "", "the header has an entry that none has");
}

static enum array_read take_dictionary(struct npy *p)
{
    bool comma = true;

    if (!pass_char(p, '{'))
        return npy_bad(p, "", "the header is no dictionary");
    while (!pass_char(p, '}')) {
        const char *name;
        size_t n;
        enum array_read read;

        if (!comma || !take_quoted(p, &name, &n) || !pass_char(p, ':'))
            return npy_bad(p, "", "the header is no dictionary");
        read = take_npy_entry(p, name, n);
        if (read != ARRAY_READ)
            return read;
        comma = pass_char(p, ',');
    }
    pass_space(p);
    if (p->at < p->end)
        return npy_bad(p, "", "something follows the dictionary");
    if (!p->has_descr || !p->has_order || !p->has_shape)
        return npy_bad(p, "", "the header lacks descr, fortran_order or shape");
    return ARRAY_READ;
}

/* ---------------------------------------------------------------- the whole */

/* From the magic to the dictionary, of `p->end - p->at` bytes then. */
static enum array_read take_npy_prefix(struct npy *p)
{
    size_t n = (size_t)(p->end - p->at), field, length = 0;
    const unsigned char *bytes = (const unsigned char *)p->at;

    if (n < MAGIC_BYTES + 2 || memcmp(p->at, MAGIC, MAGIC_BYTES) != 0)
        return npy_bad(p, "magic", "this is no .npy file");
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return array_fail(p->err, ARRAY_UNSUPPORTED, MAGIC_BYTES, "version",
                          "version %u.%u of .npy is not known", bytes[6],
                          bytes[7]);
    field = bytes[6] == 1 ? 2 : 4;
    p->at += MAGIC_BYTES + 2;
    if (n < MAGIC_BYTES + 2 + field)
        return npy_bad(p, "header_len", "the file ends in its header");
    for (size_t i = field; i-- > 0;)
        length = length << 8 | bytes[MAGIC_BYTES + 2 + i];
    if (length > NPY_HEAD_BYTES - 12)
        return array_fail(p->err, ARRAY_UNSUPPORTED,
                          (uint64_t)(p->at - p->start), "header_len",
                          "a header of %zu bytes is too long for an array of "
                          "numbers",
                          length);
    p->at += field;
    if ((size_t)(p->end - p->at) < length)
        return npy_bad(p, "header_len", "the file ends in its header");
    p->end = p->at + length;
    return ARRAY_READ;
}

static enum array_read check_npy_bytes(const struct npy *p, uint64_t file_bytes)
{
    struct array_in *a = p->out;
    uint64_t have;

    if (!array_measure(a->dims, a->n_dims, a->width, &a->bytes))
        return npy_bad(p, "shape", "the array is larger than 2^64 bytes");
    a->off = (uint64_t)(p->end - p->start);
    have = file_bytes - a->off;
    if (have == a->bytes)
        return ARRAY_READ;
    return array_fail(p->err, ARRAY_BAD, a->off, "data",
                      have < a->bytes
                          ? "the array takes %" PRIu64 " bytes, and the file "
                            "has %" PRIu64
                          : "the array takes %" PRIu64 " bytes, but %" PRIu64
                            " follow the header",
                      a->bytes, have);
}

enum array_read npy_in_parse(const char *head, size_t n, uint64_t file_bytes,
                             struct array_in *out, struct array_error *err)
{
    struct npy p = {
        .start = head, .at = head, .end = head + n, .out = out, .err = err};
    enum array_read read;

    *out = (struct array_in){.type = NULL};
    read = take_npy_prefix(&p);
    if (read == ARRAY_READ)
        read = take_dictionary(&p);
    return read == ARRAY_READ ? check_npy_bytes(&p, file_bytes) : read;
}
