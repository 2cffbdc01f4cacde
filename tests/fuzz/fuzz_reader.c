/* fuzz_reader.c - any bytes, opened as a model and read to the last element.
 *
 * The bytes are opened three times: from memory, through callbacks of known
 * size that give a few bytes at a time, and as a stream. The first two must
 * agree in everything; a stream must open whatever has a size opens, unless
 * that depends on where the file ends.
 */
#include <stdlib.h>
#include <string.h>

#include "ggk.h"

struct bytes {
    const uint8_t *data;
    size_t size;
};

static int read_bytes(void *ctx, uint64_t off, void *buf, size_t bytes,
                      size_t *got)
{
    const struct bytes *b = ctx;
    size_t most = 1 + (size_t)(off * 7 % 61); /* odd pieces */

    *got = 0;
    if (off >= b->size)
        return 0;
    *got = b->size - (size_t)off;
    if (*got > bytes)
        *got = bytes;
    if (*got > most)
        *got = most;
    memcpy(buf, b->data + off, *got);
    return 0;
}

/* Mix a number into a checksum, so that nothing read is thrown away. */
static void mix(uint64_t *sum, uint64_t v)
{
    *sum = (*sum ^ v) * UINT64_C(0x9e3779b97f4a7c15);
}

static void mix_bytes(uint64_t *sum, ggk_str s)
{
    for (size_t i = 0; i < s.len; i++)
        mix(sum, (unsigned char)s.ptr[i]);
    mix(sum, s.len);
}

static void mix_value(uint64_t *sum, const ggk_value *v)
{
    mix(sum, v->type);
    if (v->type == GGK_VALUE_STRING)
        mix_bytes(sum, v->as.s);
    else
        mix(sum, v->as.u);
}

static void read_value(const ggk_model *m, uint64_t i, uint64_t *sum)
{
    ggk_walk walk;
    ggk_value v;
    ggk_event event;

    if (ggk_walk_start(m, i, &walk, NULL) != GGK_OK)
        abort();
    do {
        event = ggk_walk_next(&walk, &v);
        mix(sum, event);
        if (event == GGK_WALK_VALUE)
            mix_value(sum, &v);
    } while (event != GGK_WALK_END && event != GGK_WALK_BROKEN);
    if (event == GGK_WALK_BROKEN)
        abort();
}

static void read_index(const ggk_model *m, uint64_t i)
{
    ggk_index *index;
    ggk_value v;
    uint64_t n;

    if (ggk_index_new(m, i, &index, NULL) != GGK_OK)
        return;
    n = ggk_index_count(index);
    for (uint64_t k = 0; k < n; k += 1 + n / 16)
        if (ggk_index_get(index, k, &v, NULL) != GGK_OK)
            abort();
    if (ggk_index_get(index, n, &v, NULL) != GGK_E_RANGE)
        abort();
    ggk_index_free(index);
}

static void read_keys(const ggk_model *m, uint64_t *sum)
{
    for (uint64_t i = 0; i < ggk_model_n_kv(m); i++) {
        ggk_status status;
        uint64_t found;
        ggk_kv kv;
        ggk_str bytes;

        if (ggk_model_kv(m, i, &kv, NULL) != GGK_OK ||
            ggk_model_kv_bytes(m, i, &bytes, NULL) != GGK_OK)
            abort();
        mix_bytes(sum, kv.key);
        mix_bytes(sum, bytes);
        read_value(m, i, sum);
        read_index(m, i);
        status = ggk_model_find_kv(m, kv.key, &found, NULL);
        if (found > i || (found < i && status != GGK_E_DUPLICATE))
            abort();
    }
}

static void read_tensors(const ggk_model *m, uint64_t *sum)
{
    for (uint64_t i = 0; i < ggk_model_n_tensors(m); i++) {
        uint64_t found;
        ggk_tensor t;
        char byte;

        if (ggk_model_tensor(m, i, &t, NULL) != GGK_OK)
            abort();
        mix_bytes(sum, t.name);
        mix(sum, t.n_elements);
        mix(sum, t.bytes);
        mix(sum, t.data_off);
        if (ggk_model_find_tensor(m, t.name, &found, NULL) == GGK_E_NOT_FOUND ||
            found > i)
            abort();
        if (t.bytes > 0 &&
            ggk_model_read_tensor(m, i, t.bytes - 1, &byte, 1, NULL) == GGK_OK)
            mix(sum, (unsigned char)byte);
    }
}

/* What a source gave: the error, or a checksum of all there is. */
struct outcome {
    ggk_error err;
    uint64_t sum;
};

static struct outcome read_all(ggk_source *source)
{
    struct outcome o = {{.status = GGK_OK}, 0};
    ggk_file f;
    ggk_model *m;

    if (ggk_model_open_source(source, NULL, &m, &o.err) != GGK_OK)
        return o;
    if (ggk_model_file(m, 0, &f, NULL) != GGK_OK)
        abort();
    mix(&o.sum, f.data_off);
    mix(&o.sum, f.alignment);
    read_keys(m, &o.sum);
    read_tensors(m, &o.sum);
    ggk_model_close(m);
    return o;
}

static struct outcome read_callbacks(struct bytes *b, uint64_t size)
{
    ggk_callbacks callbacks = {read_bytes, NULL, b, size};
    ggk_source *source;

    if (ggk_source_from_callbacks(&callbacks, NULL, &source, NULL) != GGK_OK)
        abort();
    return read_all(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes b = {data, size};
    struct outcome memory, callbacks, stream;
    ggk_source *source;

    if (ggk_source_from_memory(data, size, NULL, &source, NULL) != GGK_OK)
        abort();
    memory = read_all(source);
    callbacks = read_callbacks(&b, size);
    if (memory.err.status != callbacks.err.status ||
        memory.err.offset != callbacks.err.offset ||
        strcmp(memory.err.where, callbacks.err.where) != 0 ||
        memory.sum != callbacks.sum)
        abort();
    stream = read_callbacks(&b, GGK_SIZE_UNKNOWN);
    if (memory.err.status == GGK_OK && stream.err.status != GGK_OK)
        abort();
    return 0;
}
