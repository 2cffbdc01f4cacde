/* lines.c - two texts compared line by line, shown as by diff -u.
 *
 * What both begin and end with is cut off first. In what remains, the shortest
 * script of removed and added lines is found by the greedy algorithm of Myers
 * (Algorithmica 1, 1986), up to MAX_EDITS edits, for which its
 * way can be kept in 2 MiB; and up to MAX_WORK comparisons. Past these all that
 * remains counts as replaced.
 */
#include "out/lines.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "out/text.h"

enum {
    CONTEXT = 3,
    MAX_EDITS = 1024,
    MAX_LINES = 1 << 17, /* of both together, that are looked at one by one */
    MAX_WORK = 1 << 26
};

struct line {
    const unsigned char *at;
    size_t n; /* with its newline */
    uint64_t hash;
    bool changed; /* removed or added */
};

/* One text: the lines that may be shown. */
struct side {
    const unsigned char *text;
    size_t n;
    size_t from, to; /* bytes between what both begin and end with... */
    size_t shown_from, shown_to; /* ...and with the context around them */
    size_t first;                /* number of the first of the lines, from 0 */
    size_t n_lines;
    struct line *lines;
};

struct comparison {
    struct side a, b;
    size_t before; /* of the lines: so many of the context before */
    size_t after;
    size_t work;
};

/* -------------------------------------------------------------- the margins */

static const unsigned char *find_newline(const unsigned char *s, size_t n)
{
    return n > 0 ? memchr(s, '\n', n) : NULL;
}

size_t lines_count(const void *text, size_t n)
{
    const unsigned char *s = text;
    size_t count = 0;

    while (n > 0) {
        const unsigned char *end = find_newline(s, n);
        size_t len = end == NULL ? n : (size_t)(end - s) + 1;

        count++;
        s += len;
        n -= len;
    }
    return count;
}

static bool starts_line(const unsigned char *s, size_t pos)
{
    return pos == 0 || s[pos - 1] == '\n';
}

/* Bytes of whole lines that both begin with. */
static size_t common_start(const struct side *a, const struct side *b)
{
    size_t n = a->n < b->n ? a->n : b->n;
    size_t i = 0;

    while (i < n && a->text[i] == b->text[i])
        i++;
    if (i == a->n && i == b->n)
        return i;
    while (!starts_line(a->text, i))
        i--;
    return i;
}

/* Bytes of whole lines that both end with, after the first `from`. */
static size_t common_end(const struct side *a, const struct side *b,
                         size_t from)
{
    size_t n = (a->n < b->n ? a->n : b->n) - from;
    size_t i = 0;

    while (i < n && a->text[a->n - 1 - i] == b->text[b->n - 1 - i])
        i++;
    while (i > 0 &&
           !(starts_line(a->text, a->n - i) && starts_line(b->text, b->n - i)))
        i--;
    return i;
}

/* `count` lines back from `pos`; how many there were into *got. */
static size_t lines_back(const unsigned char *s, size_t pos, size_t count,
                         size_t *got)
{
    for (*got = 0; *got < count && pos > 0; ++*got) {
        pos--;
        while (!starts_line(s, pos))
            pos--;
    }
    return pos;
}

static size_t lines_on(const unsigned char *s, size_t n, size_t pos,
                       size_t count, size_t *got)
{
    for (*got = 0; *got < count && pos < n; ++*got) {
        const unsigned char *end = find_newline(s + pos, n - pos);
        pos = end == NULL ? n : (size_t)(end - s) + 1;
    }
    return pos;
}

/* Find what differs, and the context around it. */
static void cut_margins(struct comparison *c)
{
    size_t start = common_start(&c->a, &c->b);
    size_t end = common_end(&c->a, &c->b, start);
    struct side *sides[2] = {&c->a, &c->b};

    for (int i = 0; i < 2; i++) {
        struct side *s = sides[i];
        s->from = start;
        s->to = s->n - end;
        s->shown_from = lines_back(s->text, start, CONTEXT, &c->before);
        s->shown_to = lines_on(s->text, s->n, s->to, CONTEXT, &c->after);
        s->first = lines_count(s->text, s->shown_from);
        s->n_lines =
            lines_count(s->text + s->shown_from, s->shown_to - s->shown_from);
    }
}

/* --------------------------------------------------------------- the lines */

static uint64_t hash_line(const unsigned char *s, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    for (size_t i = 0; i < n; i++)
        h = (h ^ s[i]) * UINT64_C(0x100000001b3);
    return h;
}

static bool list_lines(struct side *s)
{
    size_t pos = s->shown_from;

    s->lines = calloc(s->n_lines + 1, sizeof *s->lines);
    if (s->lines == NULL)
        return false;
    for (size_t i = 0; i < s->n_lines; i++) {
        size_t one;
        size_t next = lines_on(s->text, s->shown_to, pos, 1, &one);
        s->lines[i].at = s->text + pos;
        s->lines[i].n = next - pos;
        s->lines[i].hash = hash_line(s->text + pos, next - pos);
        pos = next;
    }
    return true;
}

static bool lines_equal(struct comparison *c, size_t i, size_t j)
{
    const struct line *a = &c->a.lines[c->before + i];
    const struct line *b = &c->b.lines[c->before + j];

    c->work++;
    if (a->hash != b->hash || a->n != b->n)
        return false;
    c->work += a->n / 32;
    return memcmp(a->at, b->at, a->n) == 0;
}

/* --------------------------------------------------------- the shortest way */

/* How far each diagonal k = x - y was got to with d edits: of the odd or even
 * ones from -d to d. */
struct way {
    uint32_t *x; /* d * (d + 1) / 2 of the steps before, then d + 1 */
    size_t edits;
    size_t n, m; /* lines to get past in a and b */
};

static uint32_t *reached(const struct way *w, size_t d, ptrdiff_t k)
{
    return &w->x[d * (d + 1) / 2 + (size_t)(k + (ptrdiff_t)d) / 2];
}

/* Does the best way to diagonal `k` in `d` edits come from the diagonal above,
 * by adding a line? Else it comes by removing one. */
static bool comes_by_adding(const struct way *w, size_t d, ptrdiff_t k)
{
    ptrdiff_t most = (ptrdiff_t)d;

    return k == -most ||
           (k != most && *reached(w, d - 1, k - 1) < *reached(w, d - 1, k + 1));
}

/* As far as one gets on diagonal `k` with `d` edits; false if that is past the
 * end of a text, where nobody needs to go. */
static size_t advance(struct comparison *c, const struct way *w, size_t d,
                      ptrdiff_t k)
{
    size_t x = 0, y;

    if (d > 0)
        x = comes_by_adding(w, d, k) ? *reached(w, d - 1, k + 1)
                                     : *reached(w, d - 1, k - 1) + 1u;
    y = (size_t)((ptrdiff_t)x - k);
    while (x < w->n && y < w->m && lines_equal(c, x, y)) {
        x++;
        y++;
    }
    *reached(w, d, k) = (uint32_t)x;
    return x;
}

/* Find the fewest edits; false if they are too many. */
static bool find_way(struct comparison *c, struct way *w)
{
    for (size_t d = 0; d <= MAX_EDITS; d++) {
        for (ptrdiff_t k = -(ptrdiff_t)d; k <= (ptrdiff_t)d; k += 2) {
            size_t x = advance(c, w, d, k);
            if (x >= w->n && (ptrdiff_t)x - k >= (ptrdiff_t)w->m) {
                w->edits = d;
                return (ptrdiff_t)x - k == (ptrdiff_t)w->m && x == w->n;
            }
            if (c->work > MAX_WORK)
                return false;
        }
    }
    return false;
}

/* Go the way back, and mark what was removed and added. */
static void mark_way(struct comparison *c, const struct way *w)
{
    ptrdiff_t k = (ptrdiff_t)w->n - (ptrdiff_t)w->m;

    for (size_t d = w->edits; d > 0; d--) {
        bool added = comes_by_adding(w, d, k);
        size_t x;

        k += added ? 1 : -1;
        x = *reached(w, d - 1, k);
        if (added)
            c->b.lines[c->before + (size_t)((ptrdiff_t)x - k)].changed = true;
        else
            c->a.lines[c->before + x].changed = true;
    }
}

static void mark_all(const struct comparison *c, const struct side *s)
{
    for (size_t i = c->before; i + c->after < s->n_lines; i++)
        s->lines[i].changed = true;
}

static void mark_changes(struct comparison *c)
{
    const size_t cells = (size_t)(MAX_EDITS + 1) * (MAX_EDITS + 2) / 2;
    struct way w = {malloc(cells * sizeof *w.x), 0,
                    c->a.n_lines - c->before - c->after,
                    c->b.n_lines - c->before - c->after};

    if (w.x != NULL && find_way(c, &w)) {
        mark_way(c, &w);
    } else {
        mark_all(c, &c->a);
        mark_all(c, &c->b);
    }
    free(w.x);
}

/* ----------------------------------------------------------------- writing */

struct writing {
    FILE *out;
    const struct lines_look *look;
    size_t shown, hidden;
};

static bool may_show(struct writing *w)
{
    if (w->shown >= w->look->most) {
        w->hidden++;
        return false;
    }
    w->shown++;
    return true;
}

static void write_line(struct writing *w, char mark, const struct line *line)
{
    const char *on = mark == '-'   ? w->look->removed
                     : mark == '+' ? w->look->added
                                   : "";
    bool ends = line->n > 0 && line->at[line->n - 1] == '\n';

    if (!may_show(w))
        return;
    fputs(on, w->out);
    putc(mark, w->out);
    text_write(w->out, line->at, line->n - ends, TEXT_VERBATIM, TEXT_WHOLE);
    fputs(*on != '\0' ? w->look->off : "", w->out);
    putc('\n', w->out);
    if (!ends && mark != ' ')
        fputs("\\ No newline at the end\n", w->out);
}

/* "12,3", "12", or "11,0" for no lines after line 11. */
static void write_range(FILE *out, size_t first, size_t n)
{
    fprintf(out, "%zu", n == 0 ? first : first + 1);
    if (n != 1)
        fprintf(out, ",%zu", n);
}

static void write_place(struct writing *w, const size_t first[2],
                        const size_t n[2])
{
    if (!may_show(w))
        return;
    fprintf(w->out, "%s@@ -", w->look->place);
    write_range(w->out, first[0], n[0]);
    fputs(" +", w->out);
    write_range(w->out, first[1], n[1]);
    fprintf(w->out, " @@%s\n", w->look->off);
}

/* A place in both texts, while they are gone through together. */
struct place {
    size_t i, j;
};

static bool at_end(const struct comparison *c, const struct place *p)
{
    return p->i >= c->a.n_lines && p->j >= c->b.n_lines;
}

static bool is_changed(const struct comparison *c, const struct place *p)
{
    return (p->i < c->a.n_lines && c->a.lines[p->i].changed) ||
           (p->j < c->b.n_lines && c->b.lines[p->j].changed);
}

/* Pass the changed lines here, or one that both have; written if `w` is not
 * NULL. */
static void pass(const struct comparison *c, struct place *p, struct writing *w)
{
    if (!is_changed(c, p)) {
        if (w != NULL)
            write_line(w, ' ', &c->a.lines[p->i]);
        p->i++;
        p->j++;
        return;
    }
    for (; p->i < c->a.n_lines && c->a.lines[p->i].changed; p->i++)
        if (w != NULL)
            write_line(w, '-', &c->a.lines[p->i]);
    for (; p->j < c->b.n_lines && c->b.lines[p->j].changed; p->j++)
        if (w != NULL)
            write_line(w, '+', &c->b.lines[p->j]);
}

/* The end of the hunk that begins at `p`: context behind the last change that
 * has no more than twice that to the next one. */
static struct place hunk_end(const struct comparison *c, struct place p)
{
    struct place end = p;
    int equal = 0;

    while (!at_end(c, &p)) {
        bool changed = is_changed(c, &p);

        if (!changed && equal++ == 2 * CONTEXT)
            break;
        pass(c, &p, NULL);
        if (changed)
            equal = 0;
        if (changed || equal <= CONTEXT)
            end = p;
    }
    return end;
}

static void write_hunk(const struct comparison *c, struct place *p,
                       struct writing *w)
{
    size_t back = p->i < CONTEXT ? p->i : CONTEXT;
    struct place from = {p->i - back, p->j - back};
    struct place to = hunk_end(c, *p);
    const size_t first[2] = {c->a.first + from.i, c->b.first + from.j};
    const size_t n[2] = {to.i - from.i, to.j - from.j};

    write_place(w, first, n);
    while (from.i < to.i || from.j < to.j)
        pass(c, &from, w);
    *p = to;
}

/* Both texts' lines are listed and marked. */
static size_t write_hunks(const struct comparison *c, struct writing *w)
{
    struct place p = {0, 0};

    while (!at_end(c, &p)) {
        if (is_changed(c, &p))
            write_hunk(c, &p, w);
        else
            pass(c, &p, NULL);
    }
    return w->hidden;
}

/* All lines of one side that are not the context. */
static void write_side(struct writing *w, char mark, const struct side *side)
{
    size_t pos = side->from;

    while (pos < side->to) {
        const unsigned char *at = side->text + pos;
        const unsigned char *end = find_newline(at, side->to - pos);
        size_t n = end == NULL ? side->to - pos : (size_t)(end - at) + 1;
        const struct line line = {.at = at, .n = n};

        write_line(w, mark, &line);
        pos += n;
    }
}

/* So many lines that they are not listed: all of them are replaced. */
static size_t write_replaced(const struct comparison *c, struct writing *w)
{
    const size_t first[2] = {c->a.first + c->before, c->b.first + c->before};
    const size_t n[2] = {c->a.n_lines - c->before - c->after,
                         c->b.n_lines - c->before - c->after};

    write_place(w, first, n);
    write_side(w, '-', &c->a);
    write_side(w, '+', &c->b);
    return w->hidden;
}

size_t lines_diff(FILE *out, const void *a, size_t a_bytes, const void *b,
                  size_t b_bytes, const struct lines_look *look)
{
    struct comparison c = {.a = {.text = a, .n = a_bytes},
                           .b = {.text = b, .n = b_bytes}};
    struct writing w = {out, look, 0, 0};
    size_t hidden;

    cut_margins(&c);
    if (c.a.n_lines + c.b.n_lines <= MAX_LINES && list_lines(&c.a) &&
        list_lines(&c.b)) {
        mark_changes(&c);
        hidden = write_hunks(&c, &w);
    } else {
        hidden = write_replaced(&c, &w);
    }
    free(c.a.lines);
    free(c.b.lines);
    return hidden;
}
