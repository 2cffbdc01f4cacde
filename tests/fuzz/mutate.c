/* mutate.c - GGUF files changed where it hurts: field by field, entry by entry.
 *
 * Each change first looks through the file as it now is, as far as it makes
 * sense, for its fields and entries. Most changes keep the rest of the file
 * readable, so that what comes after them is reached; some do not.
 */
#include "mutate.h"

#include <stdbool.h>
#include <string.h>

/* -------------------------------------------------------------------- dice */

uint64_t mutate_dice(uint64_t seed, uint64_t number)
{
    uint64_t z = (seed << 40) + number + UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A number below `n`, which is not 0. */
static size_t roll(uint64_t *dice, size_t n)
{
    *dice += UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mutate_dice(0, *dice) >> 11) % n;
}

static bool one_in(uint64_t *dice, size_t n)
{
    return roll(dice, n) == 0;
}

/* ------------------------------------------------------------------ fields */

enum field_kind {
    FIELD_VERSION,
    FIELD_ENTRIES, /* the number of tensors, of key-values */
    FIELD_LENGTH,  /* of a string */
    FIELD_VALUE_TYPE,
    FIELD_ELEMENTS, /* of an array */
    FIELD_SCALAR,
    FIELD_N_DIMS,
    FIELD_DIM,
    FIELD_TENSOR_TYPE,
    FIELD_OFFSET,
    FIELD_TEXT
};

struct field {
    size_t pos;
    size_t width; /* 1, 2, 4, 8; of a text, its length */
    enum field_kind kind;
};

struct entry {
    size_t pos, end;
    bool tensor;
};

#define MOST_FIELDS  1024
#define MOST_ENTRIES 256

/* What was seen of a file. */
struct anatomy {
    const struct mutant *file;
    size_t pos; /* seen up to here */
    bool big;
    bool version_1;
    bool broken; /* and no further */
    size_t n_fields;
    size_t n_entries;
    struct field fields[MOST_FIELDS];
    struct entry entries[MOST_ENTRIES];
};

static uint64_t get(const struct mutant *m, size_t pos, size_t width, bool big)
{
    uint64_t v = 0;

    for (size_t i = 0; i < width; i++)
        v = v << 8 | m->at[pos + (big ? i : width - 1 - i)];
    return v;
}

static void put(struct mutant *m, size_t pos, size_t width, bool big,
                uint64_t v)
{
    for (size_t i = 0; i < width; i++)
        m->at[pos + (big ? width - 1 - i : i)] = (uint8_t)(v >> 8 * i);
}

static size_t left(const struct anatomy *a)
{
    return a->file->n - a->pos;
}

/* Pass over a field; returns its value, or 0 where the file ends. */
static uint64_t see(struct anatomy *a, size_t width, enum field_kind kind)
{
    struct field f = {a->pos, width, kind};

    if (a->broken || width > left(a) || a->n_fields == MOST_FIELDS) {
        a->broken = true;
        return 0;
    }
    if (width > 0)
        a->fields[a->n_fields++] = f;
    a->pos += width;
    return kind == FIELD_TEXT ? 0 : get(a->file, f.pos, width, a->big);
}

static size_t count_width(const struct anatomy *a)
{
    return a->version_1 ? 4 : 8;
}

static void see_string(struct anatomy *a)
{
    uint64_t n = see(a, count_width(a), FIELD_LENGTH);

    if (n > left(a))
        a->broken = true;
    else
        see(a, (size_t)n, FIELD_TEXT);
}

static size_t scalar_width(uint64_t type)
{
    static const uint8_t widths[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

    return type < sizeof widths ? widths[type] : 0;
}

enum { STRING = 8, ARRAY = 9 };

static void see_value(struct anatomy *a, uint64_t type, int depth);

static void see_array(struct anatomy *a, int depth)
{
    uint64_t type = see(a, 4, FIELD_VALUE_TYPE);
    uint64_t n = see(a, count_width(a), FIELD_ELEMENTS);

    for (uint64_t i = 0; i < n && !a->broken; i++)
        see_value(a, type, depth);
}

static void see_value(struct anatomy *a, uint64_t type, int depth)
{
    if (type == STRING)
        see_string(a);
    else if (type == ARRAY && depth < 20)
        see_array(a, depth + 1);
    else if (scalar_width(type) > 0)
        see(a, scalar_width(type), FIELD_SCALAR);
    else
        a->broken = true;
}

static void see_tensor(struct anatomy *a)
{
    uint64_t n_dims;

    see_string(a);
    n_dims = see(a, 4, FIELD_N_DIMS);
    for (uint64_t d = 0; d < n_dims && !a->broken; d++)
        see(a, count_width(a), FIELD_DIM);
    see(a, 4, FIELD_TENSOR_TYPE);
    see(a, 8, FIELD_OFFSET);
}

static void see_entries(struct anatomy *a, uint64_t n, bool tensors)
{
    for (uint64_t i = 0; i < n && a->n_entries < MOST_ENTRIES; i++) {
        struct entry e = {a->pos, 0, tensors};

        if (tensors) {
            see_tensor(a);
        } else {
            see_string(a);
            see_value(a, see(a, 4, FIELD_VALUE_TYPE), 0);
        }
        if (a->broken)
            return;
        e.end = a->pos;
        a->entries[a->n_entries++] = e;
    }
}

/* The header: its fields are the first three. */
static void look_through(struct anatomy *a, const struct mutant *file)
{
    uint64_t version, n_tensors, n_kv;

    a->file = file;
    a->n_fields = a->n_entries = 0;
    a->broken = a->big = false;
    a->pos = file->n < 4 ? file->n : 4;
    version = see(a, 4, FIELD_VERSION);
    a->big = (version & 0xffff) == 0;
    a->version_1 = version == 1;
    n_tensors = see(a, count_width(a), FIELD_ENTRIES);
    n_kv = see(a, count_width(a), FIELD_ENTRIES);
    see_entries(a, n_kv, false);
    see_entries(a, n_tensors, true);
}

/* ------------------------------------------------------------------- edges */

/* Put `n` bytes in the place of `old`, if there is room. */
static bool replace(struct mutant *m, size_t pos, size_t old, const void *bytes,
                    size_t n)
{
    if (n > old && n - old > m->room - m->n)
        return false;
    memmove(m->at + pos + n, m->at + pos + old, m->n - pos - old);
    if (n > 0)
        memcpy(m->at + pos, bytes, n);
    m->n = m->n - old + n;
    return true;
}

/* Numbers at which arithmetic turns over: powers of two and their neighbours
 * are made, these stand beside them. */
static const uint64_t odd_numbers[] = {
    0, 5, 13, 24, 31, 33, 43, 65, 100, 255, 65535, 1000000,
    /* blocks of ggml that make a small size of a large row */
    UINT64_C(1024819115206086208), UINT64_C(542551296285575072),
    /* sums of two, and paddings, that turn over */
    UINT64_C(0x7fffffffffffffc0), UINT64_C(0xffffffffffffffe0)};

static uint64_t edge(const struct anatomy *a, const struct field *f,
                     uint64_t *dice)
{
    uint64_t old = get(a->file, f->pos, f->width, a->big);

    switch (roll(dice, 8)) {
    case 0: return odd_numbers[roll(dice, sizeof odd_numbers / 8)];
    case 1: return a->file->n - f->pos - roll(dice, 16); /* bytes left */
    case 2: return (a->file->n - f->pos) / (1 + roll(dice, 32));
    case 3: return old + roll(dice, 9) - 4;
    case 4: return old << roll(dice, 8);
    case 5: return UINT64_MAX - roll(dice, 64);
    default: return (UINT64_C(1) << roll(dice, 64)) + roll(dice, 3) - 1;
    }
}

static bool is_small(enum field_kind kind)
{
    return kind == FIELD_VALUE_TYPE || kind == FIELD_TENSOR_TYPE ||
           kind == FIELD_N_DIMS || kind == FIELD_VERSION;
}

static void change_number(struct mutant *m, const struct anatomy *a,
                          const struct field *f, uint64_t *dice)
{
    const struct field *other = &a->fields[roll(dice, a->n_fields)];
    uint64_t v;

    if (other->kind == f->kind && other->width == f->width && other != f)
        v = get(m, other->pos, other->width, a->big);
    else if (is_small(f->kind) && !one_in(dice, 4))
        v = roll(dice, f->kind == FIELD_TENSOR_TYPE ? 48 : 14);
    else
        v = edge(a, f, dice);
    put(m, f->pos, f->width, a->big, v);
}

/* Bytes that mean something to a terminal, a C string, or UTF-8. */
static void change_text(struct mutant *m, const struct field *f, uint64_t *dice)
{
    static const char bytes[] = "\0\x1b]\x7f\x80\xc0\xaf\xe2\x80\xae\xed\xa0"
                                "\xf4\x90\xff\r\n\t\"\\|`.:/<x1-";
    size_t n = 1 + roll(dice, 3);

    for (size_t i = 0; i < n; i++)
        m->at[f->pos + roll(dice, f->width)] =
            (uint8_t)bytes[roll(dice, sizeof bytes - 1)];
}

static void change_field(struct mutant *m, const struct anatomy *a,
                         uint64_t *dice)
{
    const struct field *f = &a->fields[roll(dice, a->n_fields)];

    if (f->kind == FIELD_TEXT)
        change_text(m, f, dice);
    else
        change_number(m, a, f, dice);
}

/* ------------------------------------------------------------------- names */

/* Names that some rule knows. */
static const char *const names[] = {"",
                                    "a..B",
                                    "general.alignment",
                                    "general.architecture",
                                    "general.file_type",
                                    "general.quantization_version",
                                    "general.padding",
                                    "llama",
                                    "gpt2",
                                    "llama.block_count",
                                    "llama.context_length",
                                    "llama.embedding_length",
                                    "llama.feed_forward_length",
                                    "llama.attention.head_count",
                                    "llama.attention.head_count_kv",
                                    "llama.attention.key_length",
                                    "llama.attention.sliding_window",
                                    "llama.expert_count",
                                    "llama.rope.scaling.type",
                                    "llama.ssm.state_size",
                                    "llama.vocab_size",
                                    "split.count",
                                    "split.no",
                                    "split.tensors.count",
                                    "tokenizer.chat_template",
                                    "tokenizer.chat_templates",
                                    "tokenizer.chat_template.tool_use",
                                    "tokenizer.ggml.bos_token_id",
                                    "tokenizer.ggml.merges",
                                    "tokenizer.ggml.model",
                                    "tokenizer.ggml.pre",
                                    "tokenizer.ggml.scores",
                                    "tokenizer.ggml.token_type",
                                    "tokenizer.ggml.tokens",
                                    "output.weight",
                                    "../../x"};

#define N_NAMES (sizeof names / sizeof names[0])

/* A string of the file becomes one of these names. */
static void rename_text(struct mutant *m, const struct anatomy *a,
                        uint64_t *dice)
{
    const char *name = names[roll(dice, N_NAMES)];
    size_t i = roll(dice, a->n_fields);

    while (i < a->n_fields && a->fields[i].kind != FIELD_LENGTH)
        i++;
    if (i == a->n_fields)
        return;
    const struct field *f = &a->fields[i];
    uint64_t old = get(m, f->pos, f->width, a->big);
    size_t pos = f->pos + f->width;

    if (old <= m->n - pos && replace(m, pos, (size_t)old, name, strlen(name)))
        put(m, f->pos, f->width, a->big, strlen(name));
}

/* ----------------------------------------------------------------- entries */

/* The count of these entries, unless it is to be a lie. */
static void recount(struct mutant *m, const struct anatomy *a, bool tensor,
                    uint64_t more, uint64_t *dice)
{
    const struct field *f = &a->fields[tensor ? 1 : 2];

    if (!one_in(dice, 12))
        put(m, f->pos, f->width, a->big,
            get(m, f->pos, f->width, a->big) + more);
}

static void remove_entry(struct mutant *m, const struct anatomy *a,
                         uint64_t *dice)
{
    const struct entry *e = &a->entries[roll(dice, a->n_entries)];

    replace(m, e->pos, e->end - e->pos, NULL, 0);
    recount(m, a, e->tensor, UINT64_MAX, dice);
}

/* Put an entry of the donor before one of the same kind. */
static void take_entry(struct mutant *m, const struct anatomy *a,
                       const struct mutant *donor, uint64_t *dice)
{
    static struct anatomy theirs;
    const struct entry *e = &a->entries[roll(dice, a->n_entries)];
    const struct entry *gift;
    uint8_t bytes[4096];

    look_through(&theirs, donor);
    if (theirs.n_entries == 0)
        return;
    gift = &theirs.entries[roll(dice, theirs.n_entries)];
    if (gift->tensor != e->tensor || gift->end - gift->pos > sizeof bytes)
        return;
    memcpy(bytes, donor->at + gift->pos, gift->end - gift->pos);
    if (replace(m, e->pos, 0, bytes, gift->end - gift->pos))
        recount(m, a, e->tensor, 1, dice);
}

/* Two entries change places. */
static void swap_entries(struct mutant *m, const struct anatomy *a,
                         uint64_t *dice)
{
    const struct entry *x = &a->entries[roll(dice, a->n_entries)];
    const struct entry *y = &a->entries[roll(dice, a->n_entries)];
    uint8_t first[4096], second[4096];

    if (x->pos >= y->pos || x->end - x->pos > sizeof first ||
        y->end - y->pos > sizeof second)
        return;
    memcpy(first, m->at + x->pos, x->end - x->pos);
    memcpy(second, m->at + y->pos, y->end - y->pos);
    memmove(m->at + x->pos + (y->end - y->pos), m->at + x->end,
            y->pos - x->end);
    memcpy(m->at + x->pos, second, y->end - y->pos);
    memcpy(m->at + y->end - (x->end - x->pos), first, x->end - x->pos);
}

/* A key that was not there, of arrays in arrays or of one number. */
static void add_key(struct mutant *m, const struct anatomy *a, uint64_t *dice)
{
    const char *name = names[roll(dice, N_NAMES)];
    uint8_t room[512];
    struct mutant kv = {room, 0, sizeof room};
    size_t depth = one_in(dice, 4) ? roll(dice, 20) : 0;
    size_t type = roll(dice, 13);
    size_t at = a->n_entries > 0 ? a->entries[0].pos : a->pos;

    memset(room, 0, sizeof room);
    put(&kv, kv.n, count_width(a), a->big, strlen(name));
    kv.n += count_width(a);
    memcpy(room + kv.n, name, strlen(name));
    kv.n += strlen(name);
    put(&kv, kv.n, 4, a->big, depth > 0 ? ARRAY : type);
    kv.n += 4;
    for (size_t i = 1; i <= depth; i++) {
        put(&kv, kv.n, 4, a->big, i < depth ? ARRAY : type);
        put(&kv, kv.n + 4, count_width(a), a->big, 1);
        kv.n += 4 + count_width(a);
    }
    room[kv.n] = (uint8_t)roll(dice, 256);
    kv.n += scalar_width(type) > 0 ? scalar_width(type) : count_width(a);
    if (replace(m, at, 0, room, kv.n))
        recount(m, a, false, 1, dice);
}

/* ---------------------------------------------------------- the whole file */

/* The other byte order: of all fields, or only of those to a point. */
static void swap_order(struct mutant *m, const struct anatomy *a,
                       uint64_t *dice)
{
    size_t n = one_in(dice, 4) ? roll(dice, a->n_fields) : a->n_fields;

    for (size_t i = 0; i < n; i++) {
        const struct field *f = &a->fields[i];

        if (f->kind != FIELD_TEXT)
            put(m, f->pos, f->width, !a->big, get(m, f->pos, f->width, a->big));
    }
}

static void change_length(struct mutant *m, const struct anatomy *a,
                          uint64_t *dice)
{
    size_t most = m->room - m->n;
    size_t more = roll(dice, most < 64 ? most + 1 : 64);

    if (one_in(dice, 2)) {
        memset(m->at + m->n, (int)roll(dice, 2) * 0xff, more);
        m->n += more;
    } else if (one_in(dice, 2)) {
        m->n = a->fields[roll(dice, a->n_fields)].pos;
    } else {
        m->n -= roll(dice, m->n < 64 ? m->n + 1 : 64);
    }
}

static void flip_bit(struct mutant *m, uint64_t *dice)
{
    if (m->n > 0)
        m->at[roll(dice, m->n)] ^= (uint8_t)(1u << roll(dice, 8));
}

static void mutate_once(struct mutant *m, const struct mutant *donor,
                        uint64_t *dice)
{
    static struct anatomy a;
    size_t way = roll(dice, 16);

    look_through(&a, m);
    if (a.n_fields < 3)
        way = 0;
    else if (a.n_entries == 0 && way >= 1 && way <= 4)
        way = 5;
    switch (way) {
    case 0: flip_bit(m, dice); break;
    case 1: remove_entry(m, &a, dice); break;
    case 2: take_entry(m, &a, donor, dice); break;
    case 3: take_entry(m, &a, m, dice); break;
    case 4: swap_entries(m, &a, dice); break;
    case 5: add_key(m, &a, dice); break;
    case 6: swap_order(m, &a, dice); break;
    case 7: change_length(m, &a, dice); break;
    case 8: rename_text(m, &a, dice); break;
    default: change_field(m, &a, dice); break;
    }
}

void mutate(struct mutant *m, const struct mutant *donor, uint64_t *dice)
{
    size_t times = 1 + roll(dice, 1 + roll(dice, 6));

    for (size_t i = 0; i < times; i++)
        mutate_once(m, donor, dice);
}
