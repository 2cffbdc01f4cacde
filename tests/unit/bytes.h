/* bytes.h - for tests: builds the bytes of a GGUF file, right or wrong.
 *
 * Written from the description of the format alone, without the library, so
 * that a mistake made there is not made here too. Nothing is checked: a test
 * may put what no file should hold.
 */
#ifndef TESTS_BYTES_H
#define TESTS_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Types of values and of tensors, by the numbers in the file. */
enum {
    V_U8,
    V_I8,
    V_U16,
    V_I16,
    V_U32,
    V_I32,
    V_F32,
    V_BOOL,
    V_STR,
    V_ARR,
    V_U64,
    V_I64,
    V_F64
};
enum {
    T_F32 = 0,
    T_F16 = 1,
    T_Q4_0 = 2,
    T_Q4_2 = 4, /* removed in 2023 */
    T_Q5_0 = 6,
    T_Q8_0 = 8,
    T_Q4_K = 12,
    T_Q6_K = 14,
    T_I8 = 24,
    T_F64 = 28,
    T_UNKNOWN = 1000
};

struct bytes {
    uint8_t *at;
    size_t n;
    size_t capacity;
    uint32_t version; /* 1: counts, lengths and dimensions take 4 bytes */
    bool big;
};

static inline struct bytes bytes_of(uint32_t version, bool big)
{
    return (struct bytes){NULL, 0, 0, version, big};
}

static inline void bytes_free(struct bytes *b)
{
    free(b->at);
    b->at = NULL;
    b->n = b->capacity = 0;
}

/* Room for `n` bytes more, and where it begins. */
static inline uint8_t *bytes_extend(struct bytes *b, size_t n)
{
    if (n > b->capacity - b->n) {
        b->capacity = 2 * b->capacity + n + 256;
        b->at = realloc(b->at, b->capacity);
        if (b->at == NULL)
            abort();
    }
    b->n += n;
    return b->at + b->n - n;
}

static inline void put_raw(struct bytes *b, const void *data, size_t n)
{
    if (n > 0)
        memcpy(bytes_extend(b, n), data, n);
}

static inline void put_fill(struct bytes *b, uint8_t byte, size_t n)
{
    if (n > 0)
        memset(bytes_extend(b, n), byte, n);
}

/* Write `value` into the `width` bytes at `pos`, in the file's order. */
static inline void bytes_patch(struct bytes *b, size_t pos, uint64_t value,
                               size_t width)
{
    for (size_t i = 0; i < width; i++)
        b->at[pos + (b->big ? width - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

static inline void put_uint(struct bytes *b, uint64_t value, size_t width)
{
    bytes_extend(b, width);
    bytes_patch(b, b->n - width, value, width);
}

static inline void put_u8(struct bytes *b, uint8_t value)
{
    put_uint(b, value, 1);
}

static inline void put_u16(struct bytes *b, uint16_t value)
{
    put_uint(b, value, 2);
}

static inline void put_u32(struct bytes *b, uint32_t value)
{
    put_uint(b, value, 4);
}

static inline void put_u64(struct bytes *b, uint64_t value)
{
    put_uint(b, value, 8);
}

static inline void put_f32(struct bytes *b, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(b, bits);
}

static inline void put_f64(struct bytes *b, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u64(b, bits);
}

/* Bytes of a count, a length or a dimension. */
static inline size_t bytes_of_count(const struct bytes *b)
{
    return b->version == 1 ? 4 : 8;
}

static inline void put_count(struct bytes *b, uint64_t value)
{
    put_uint(b, value, bytes_of_count(b));
}

static inline void put_str_n(struct bytes *b, const char *s, size_t n)
{
    put_count(b, n);
    put_raw(b, s, n);
}

static inline void put_str(struct bytes *b, const char *s)
{
    put_str_n(b, s, strlen(s));
}

static inline void put_magic(struct bytes *b)
{
    put_raw(b, "GGUF", 4);
    put_u32(b, b->version);
}

static inline void put_header(struct bytes *b, uint64_t n_tensors,
                              uint64_t n_kv)
{
    put_magic(b);
    put_count(b, n_tensors);
    put_count(b, n_kv);
}

/* A key-value up to its value. */
static inline void put_key(struct bytes *b, const char *key, uint32_t type)
{
    put_str(b, key);
    put_u32(b, type);
}

/* An array up to its first element. */
static inline void put_array(struct bytes *b, uint32_t elem_type, uint64_t n)
{
    put_u32(b, elem_type);
    put_count(b, n);
}

static inline void put_kv_u32(struct bytes *b, const char *key, uint32_t value)
{
    put_key(b, key, V_U32);
    put_u32(b, value);
}

static inline void put_kv_str(struct bytes *b, const char *key, const char *s)
{
    put_key(b, key, V_STR);
    put_str(b, s);
}

static inline void put_info(struct bytes *b, const char *name, uint32_t n_dims,
                            const uint64_t *ne, uint32_t type, uint64_t offset)
{
    put_str(b, name);
    put_u32(b, n_dims);
    for (uint32_t d = 0; d < n_dims; d++)
        put_count(b, ne[d]);
    put_u32(b, type);
    put_u64(b, offset);
}

/* Zeros up to a multiple of `align`. */
static inline void put_padding(struct bytes *b, size_t align)
{
    put_fill(b, 0, (align - b->n % align) % align);
}

/* The whole beginning of a model of one key (69 bytes), which lacks only its
 * tensor infos. */
static inline struct bytes bytes_llama(uint64_t n_tensors)
{
    struct bytes b = bytes_of(3, false);
    put_header(&b, n_tensors, 1);
    put_kv_str(&b, "general.architecture", "llama");
    return b;
}

/* The same sequence in every run (xorshift64). */
static inline uint64_t bytes_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
