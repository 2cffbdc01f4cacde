/* corpus_digest.c - one number over everything a model says.
 *
 * The generator makes the same number from its own reading of the file
 * (tests/gen/rules.py), so that a key, a value, an element or a place that was
 * read wrongly shows, without a list of them all.
 */
#include "corpus.h"

#include <string.h>

uint32_t corpus_crc32(uint32_t crc, const void *data, size_t n)
{
    const uint8_t *p = data;
    static uint32_t table[256];

    if (table[1] == 0) {
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t c = i;

            for (int bit = 0; bit < 8; bit++)
                c = (c & 1) != 0 ? c >> 1 ^ 0xedb88320u : c >> 1;
            table[i] = c;
        }
    }
    crc = ~crc;
    for (size_t i = 0; i < n; i++)
        crc = crc >> 8 ^ table[(crc ^ p[i]) & 255];
    return ~crc;
}

static void add_u64(uint32_t *crc, uint64_t value)
{
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    *crc = corpus_crc32(*crc, bytes, sizeof(bytes));
}

static void add_str(uint32_t *crc, ggk_str s)
{
    add_u64(crc, s.len);
    *crc = corpus_crc32(*crc, s.ptr, s.len);
}

/* Every NaN counts as all ones: which of them it is, is not promised. */
static uint64_t double_bits(double f)
{
    uint64_t bits;

    if (f != f)
        return UINT64_MAX;
    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

static void add_value(uint32_t *crc, ggk_event event, const ggk_value *v)
{
    add_u64(crc, event);
    if (event == GGK_WALK_CLOSE)
        return;
    add_u64(crc, v->type);
    if (event == GGK_WALK_OPEN)
        add_u64(crc, v->as.u);
    else if (v->type == GGK_VALUE_STRING)
        add_str(crc, v->as.s);
    else if (v->type == GGK_VALUE_FLOAT32 || v->type == GGK_VALUE_FLOAT64)
        add_u64(crc, double_bits(v->as.f));
    else
        add_u64(crc, v->as.u);
}

static void add_kv(uint32_t *crc, const ggk_model *model, uint64_t i)
{
    ggk_kv kv;
    ggk_walk walk;
    ggk_event event;
    ggk_value value;

    if (ggk_model_kv(model, i, &kv, NULL) != GGK_OK ||
        ggk_walk_start(model, i, &walk, NULL) != GGK_OK) {
        corpus_fail("key-value %lu cannot be read", (unsigned long)i);
        return;
    }
    add_str(crc, kv.key);
    add_u64(crc, kv.type);
    add_u64(crc, kv.off);
    add_u64(crc, kv.value_off);
    add_u64(crc, kv.end_off);
    while ((event = ggk_walk_next(&walk, &value)) != GGK_WALK_END) {
        if (event == GGK_WALK_BROKEN) {
            corpus_fail("the walk over key-value %lu breaks", (unsigned long)i);
            return;
        }
        add_value(crc, event, &value);
    }
}

static void add_tensor(uint32_t *crc, const ggk_model *model, uint64_t i,
                       uint64_t stream_bytes)
{
    ggk_tensor t;

    if (ggk_model_tensor(model, i, &t, NULL) != GGK_OK) {
        corpus_fail("tensor %lu cannot be read", (unsigned long)i);
        return;
    }
    if (t.opaque && t.bytes == GGK_SIZE_UNKNOWN &&
        stream_bytes != GGK_SIZE_UNKNOWN)
        t.bytes = stream_bytes > t.data_off ? stream_bytes - t.data_off : 0;
    add_str(crc, t.name);
    add_u64(crc, t.type);
    add_u64(crc, t.n_dims);
    for (int d = 0; d < GGK_MAX_DIMS; d++)
        add_u64(crc, t.ne[d]);
    add_u64(crc, t.n_elements);
    add_u64(crc, t.bytes);
    add_u64(crc, t.rel_off);
    add_u64(crc, t.data_off);
    add_u64(crc, t.info_off);
    add_u64(crc, t.info_end);
    add_u64(crc, t.opaque);
}

uint32_t corpus_digest(const ggk_model *model, uint64_t stream_bytes)
{
    ggk_file file;
    uint32_t crc = 0;

    if (ggk_model_file(model, 0, &file, NULL) != GGK_OK) {
        corpus_fail("the first file of a model cannot be asked for");
        return 0;
    }
    add_u64(&crc, file.version);
    add_u64(&crc, file.big_endian);
    add_u64(&crc, file.alignment);
    add_u64(&crc, file.info_off);
    add_u64(&crc, file.head_end);
    add_u64(&crc, file.data_off);
    for (uint64_t i = 0; i < ggk_model_n_kv(model); i++)
        add_kv(&crc, model, i);
    for (uint64_t i = 0; i < ggk_model_n_tensors(model); i++)
        add_tensor(&crc, model, i, stream_bytes);
    return crc;
}
