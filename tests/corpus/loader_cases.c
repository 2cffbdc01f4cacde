/* loader_cases.c - the generator of loader_cases.h. It knows the format and
 * nothing of the library; the sizes of the types are typed in once more. */
#include "loader_cases.h"

#include <math.h>
#include <stdio.h>

const char *const loader_case_names[LOADER_CASES] = {
    "HEADER_BAD_MAGIC",
    "HEADER_BAD_VERSION_0",
    "HEADER_BAD_VERSION_1",
    "HEADER_BAD_VERSION_FUTURE",
    "HEADER_BAD_N_KV",
    "HEADER_BAD_N_TENSORS",
    "HEADER_EMPTY",
    "KV_BAD_KEY_SIZE",
    "KV_EMPTY_KEY",
    "KV_BAD_TYPE",
    "KV_DUPLICATE_KEY",
    "KV_BAD_ALIGN",
    "KV_WRONG_TYPE_ALIGN",
    "KV_SUCCESS",
    "TENSORS_BAD_NAME_SIZE",
    "TENSORS_BAD_N_DIMS",
    "TENSORS_BAD_SHAPE",
    "TENSORS_ZERO_DIM",
    "TENSORS_NE_TOO_BIG",
    "TENSORS_NBYTES_TOO_BIG",
    "TENSORS_BAD_TYPE",
    "TENSORS_BAD_OFFSET",
    "TENSORS_DUPLICATE_NAME",
    "TENSORS_BAD_ALIGN",
    "TENSORS_INCONSISTENT_ALIGN",
    "TENSORS_SUCCESS",
    "TENSORS_CUSTOM_ALIGN",
    "DATA_NOT_ENOUGH_DATA",
    "DATA_BAD_ALIGN",
    "DATA_INCONSISTENT_ALIGN",
    "DATA_MEM_SIZE_OVERFLOW",
    "DATA_SUCCESS",
    "DATA_CUSTOM_ALIGN",
};

bool loader_case_succeeds(enum loader_case c)
{
    return c == HEADER_EMPTY || c == KV_SUCCESS || c == TENSORS_ZERO_DIM ||
           c == TENSORS_SUCCESS || c == TENSORS_CUSTOM_ALIGN ||
           c == DATA_SUCCESS || c == DATA_CUSTOM_ALIGN;
}

bool loader_case_has_keys(enum loader_case c)
{
    return c >= KV_BAD_KEY_SIZE;
}

bool loader_case_has_tensors(enum loader_case c)
{
    return c >= TENSORS_BAD_NAME_SIZE;
}

bool loader_case_has_data(enum loader_case c)
{
    return c >= DATA_NOT_ENOUGH_DATA;
}

/* ------------------------------------------------------------------- lists */

/* Elements and bytes of a block, by the type's number; 0: removed. */
static const struct {
    uint16_t elements, bytes;
} blocks[] = {
    [0] = {1, 4},      [1] = {1, 2},      [2] = {32, 18},    [3] = {32, 20},
    [6] = {32, 22},    [7] = {32, 24},    [8] = {32, 34},    [9] = {32, 36},
    [10] = {256, 84},  [11] = {256, 110}, [12] = {256, 144}, [13] = {256, 176},
    [14] = {256, 210}, [15] = {256, 292}, [16] = {256, 66},  [17] = {256, 74},
    [18] = {256, 98},  [19] = {256, 50},  [20] = {32, 18},   [21] = {256, 110},
    [22] = {256, 82},  [23] = {256, 136}, [24] = {1, 1},     [25] = {1, 2},
    [26] = {1, 4},     [27] = {1, 8},     [28] = {1, 8},     [29] = {256, 56},
    [30] = {1, 2},     [34] = {256, 54},  [35] = {256, 66},  [39] = {32, 17},
    [40] = {64, 36},   [41] = {128, 18},  [42] = {64, 18},
};

enum { N_TYPES = sizeof blocks / sizeof blocks[0], T_I64 = 27 };

static uint64_t draw(uint64_t *seed, uint64_t n)
{
    return (bytes_random(seed) >> 16) % n;
}

static size_t value_width(uint32_t type)
{
    static const uint8_t widths[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    return widths[type];
}

static void draw_keys(struct made *m, uint64_t seed, uint32_t draws)
{
    for (uint32_t i = 0; i < draws; i++) {
        struct made_key *k = &m->keys[m->n_keys];
        k->type = (uint32_t)draw(&seed, 13);
        k->elem_type = k->type == V_ARR ? (uint32_t)draw(&seed, 13) : k->type;
        m->n_keys += k->elem_type != V_ARR;
    }
    for (uint32_t i = m->n_keys; i > 1; i--) {
        uint32_t other = (uint32_t)draw(&seed, i);
        struct made_key k = m->keys[other];
        m->keys[other] = m->keys[i - 1];
        m->keys[i - 1] = k;
    }
}

static void draw_tensors(struct made *m, uint64_t *seed, uint32_t draws)
{
    for (uint32_t i = 0; i < draws; i++) {
        struct made_tensor *t = &m->tensors[m->n_tensors];
        uint64_t n_dims;
        t->type = (uint32_t)draw(seed, N_TYPES);
        if (blocks[t->type].bytes == 0)
            continue;
        t->ne[0] = (1 + draw(seed, 10)) * blocks[t->type].elements;
        n_dims = 1 + draw(seed, 4);
        for (uint32_t d = 1; d < 4; d++)
            t->ne[d] = d < n_dims ? 1 + draw(seed, 10) : 1;
        m->n_tensors++;
    }
}

/* ---------------------------------------------------------------- spoiling */

static void spoil_shape(struct made_tensor *t, enum loader_case c)
{
    uint32_t n = t->n_dims < 2 ? 2 : t->n_dims;

    if (c == TENSORS_ZERO_DIM) {
        t->n_dims = 2;
        t->ne[1] = 0;
        t->ne[2] = t->ne[3] = 1;
    }
    for (uint32_t d = 0; d < t->n_dims && c == TENSORS_BAD_SHAPE; d++)
        t->ne[d] = UINT64_MAX;
    if (c == TENSORS_NE_TOO_BIG || c == TENSORS_NBYTES_TOO_BIG)
        t->n_dims = n;
    if (c == TENSORS_NBYTES_TOO_BIG)
        t->type = T_I64;
    for (uint32_t d = 0; d < n && c == TENSORS_NE_TOO_BIG; d++)
        t->ne[d] = UINT64_C(4) * INT32_MAX;
    for (uint32_t d = 0; d < n && c == TENSORS_NBYTES_TOO_BIG; d++)
        t->ne[d] = (uint64_t)(1.01 * pow((double)(SIZE_MAX / 8), 1.0 / n)) + 1;
}

/* Shapes, and the offsets that follow from them. */
static uint64_t lay_out(struct made *m, enum loader_case c, uint64_t packing)
{
    uint64_t at = 0;

    for (uint32_t i = 0; i < m->n_tensors; i++) {
        struct made_tensor *t = &m->tensors[i];
        t->n_dims = 1;
        for (uint32_t d = 1; d < 4; d++)
            t->n_dims = t->ne[d] != 1 ? d + 1 : t->n_dims;
        spoil_shape(t, c);
        t->offset = at;
        t->bytes = t->ne[0] / blocks[t->type].elements * blocks[t->type].bytes *
                   t->ne[1] * t->ne[2] * t->ne[3];
        at += (t->bytes + packing - 1) / packing * packing;
    }
    return at;
}

/* ----------------------------------------------------------------- writing */

static void put_key_name(struct bytes *b, enum loader_case c, uint32_t i)
{
    char name[32];
    int n = snprintf(name, sizeof name, "my_key_%u",
                     c == KV_DUPLICATE_KEY ? i / 2 : i);

    if (c == KV_EMPTY_KEY)
        n = 0;
    put_u64(b, c == KV_BAD_KEY_SIZE ? UINT64_MAX : (uint64_t)n);
    put_raw(b, name, (size_t)n);
}

/* A value of the key's type, from its words. */
static void put_made_value(struct bytes *b, struct made_key *k)
{
    size_t width = value_width(k->elem_type);

    k->n = 1;
    if (k->type == V_ARR) {
        k->n =
            k->elem_type == V_STR ? k->words[1] % 17 : k->words[1] % 64 / width;
        put_array(b, k->elem_type, k->n);
    }
    k->value = b->n;
    k->string_bytes = k->type == V_ARR ? k->words[2] % 5 : k->words[2] % 64;
    for (uint64_t i = 0; i < k->n && k->elem_type == V_STR; i++)
        put_str_n(b, (const char *)&k->words[k->type == V_ARR ? i % 15 : 0],
                  k->string_bytes);
    if (k->elem_type != V_STR)
        put_raw(b, k->words, width * k->n);
    k->end = b->n;
}

static void put_made_key(struct made *m, enum loader_case c, uint64_t *seed,
                         uint32_t i)
{
    struct made_key *k = &m->keys[i];
    uint32_t filler = k->elem_type == V_STR ? 0x01010101 : 0;

    for (int w = 0; w < 16; w++)
        k->words[w] = (uint32_t)(bytes_random(seed) >> 20) | filler;
    put_key_name(&m->file, c, i);
    put_u32(&m->file, c == KV_BAD_TYPE ? 13 : k->type);
    if (c == KV_BAD_TYPE)
        put_u8(&m->file, 1);
    else
        put_made_value(&m->file, k);
}

static void put_alignment(struct made *m, enum loader_case c, uint32_t value)
{
    put_key(&m->file, "general.alignment",
            c == KV_WRONG_TYPE_ALIGN ? V_I32 : V_U32);
    put_u32(&m->file, value);
}

static void put_made_info(struct made *m, enum loader_case c, uint32_t i)
{
    struct made_tensor *t = &m->tensors[i];
    uint32_t n_dims = c == TENSORS_BAD_N_DIMS ? 5 : t->n_dims;
    struct bytes *b = &m->file;
    char name[128];

    snprintf(name, sizeof name, "my_tensor_%u%s", i,
             c == TENSORS_BAD_NAME_SIZE
                 ? "_with_a_name_that_is_longer_than_any_that_is_allowed_here"
                 : "");
    put_str(b, c == TENSORS_DUPLICATE_NAME ? "my_tensor" : name);
    put_u32(b, n_dims);
    for (uint32_t d = 0; d < t->n_dims; d++)
        put_u64(b, t->ne[d]);
    put_u32(b, c == TENSORS_BAD_TYPE ? (uint32_t)N_TYPES : t->type);
    put_u64(b, c == TENSORS_BAD_OFFSET ? UINT64_MAX : t->offset);
}

static void put_made_header(struct made *m, enum loader_case c)
{
    struct bytes *b = &m->file;
    uint32_t version = c == HEADER_BAD_VERSION_0        ? 0
                       : c == HEADER_BAD_VERSION_1      ? 1
                       : c == HEADER_BAD_VERSION_FUTURE ? 4
                                                        : 3;

    put_raw(b, c == HEADER_BAD_MAGIC ? "FUGG" : "GGUF", 4);
    put_u32(b, version);
    put_u64(b, c == HEADER_BAD_N_TENSORS ? UINT64_MAX : m->n_tensors);
    put_u64(b, c == HEADER_BAD_N_KV ? UINT64_MAX
                                    : m->n_keys + (uint64_t)m->has_alignment);
}

/* Byte j of the data is j mod 256. */
static void put_data(struct bytes *b, uint64_t n)
{
    for (uint64_t j = 0; j < n; j += 256) {
        uint8_t *at = bytes_extend(b, n - j < 256 ? (size_t)(n - j) : 256);
        for (uint64_t k = 0; k < 256 && j + k < n; k++)
            at[k] = (uint8_t)k;
    }
}

/* ------------------------------------------------------------------- making */

static bool is_any(enum loader_case c, enum loader_case kv,
                   enum loader_case tensors, enum loader_case data)
{
    return c == kv || c == tensors || c == data;
}

/* Two tensors whose sizes add up to less than the first of them in 64 bits. */
static void make_overflow(struct made *m)
{
    static const uint64_t half = UINT64_C(0x7fffffffffffffc0);

    m->n_tensors = 2;
    for (uint32_t i = 0; i < 2; i++)
        m->tensors[i] =
            (struct made_tensor){T_I8, 1, {half, 1, 1, 1}, i * half, half};
}

static void make_lists(struct made *m, enum loader_case c, uint64_t *seed,
                       uint32_t draws)
{
    m->n_keys = m->n_tensors = 0;
    if (loader_case_has_keys(c))
        draw_keys(m, *seed, draws);
    if (c == TENSORS_INCONSISTENT_ALIGN || c == DATA_INCONSISTENT_ALIGN)
        m->tensors[m->n_tensors++] =
            (struct made_tensor){T_I8, 1, {5, 1, 1, 1}, 0, 0};
    if (c == DATA_MEM_SIZE_OVERFLOW)
        make_overflow(m);
    else if (loader_case_has_tensors(c))
        draw_tensors(m, seed, draws);
}

void made_new(struct made *m, enum loader_case c, uint64_t seed, uint32_t draws,
              size_t prefix, size_t extra)
{
    bool bad = is_any(c, KV_BAD_ALIGN, TENSORS_BAD_ALIGN, DATA_BAD_ALIGN) ||
               c == KV_WRONG_TYPE_ALIGN;
    bool custom = c == TENSORS_CUSTOM_ALIGN || c == DATA_CUSTOM_ALIGN;
    bool packed =
        c == TENSORS_INCONSISTENT_ALIGN || c == DATA_INCONSISTENT_ALIGN;
    uint64_t packing = bad ? 13 : custom || packed ? 1 : 32, data_bytes = 32;

    m->file = bytes_of(3, false);
    m->has_alignment = bad || custom;
    m->alignment = custom ? 1 : 32;
    make_lists(m, c, &seed, draws);
    if (c != DATA_MEM_SIZE_OVERFLOW)
        data_bytes = lay_out(m, c, packing);
    put_made_header(m, c);
    for (uint32_t i = 0; i < m->n_keys; i++)
        put_made_key(m, c, &seed, i);
    if (m->has_alignment)
        put_alignment(m, c, custom ? 1 : 13);
    for (uint32_t i = 0; i < m->n_tensors; i++)
        put_made_info(m, c, i);
    put_padding(&m->file, packing);
    m->data = m->file.n;
    if (loader_case_has_data(c))
        put_data(&m->file, data_bytes - (c == DATA_NOT_ENOUGH_DATA));
    put_fill(&m->file, 0, extra);
    if (prefix > 0) {
        bytes_extend(&m->file, prefix);
        memmove(m->file.at + prefix, m->file.at, m->file.n - prefix);
        memset(m->file.at, 0xab, prefix);
    }
}

void made_free(struct made *m)
{
    bytes_free(&m->file);
}
