/* fuzz_transcode.c - any bytes as a value, recoded to every encoding.
 *
 * The first two bytes choose its type and encoding. As many bytes must be
 * written as the size function promised, or fewer with an error; a smaller
 * promise is kept too. What could be recoded can be recoded back, to the same
 * bytes. If the bytes are a model, all of its values can be recoded.
 */
#include <stdlib.h>
#include <string.h>

#include "format/transcode.h"
#include "ggk.h"

static const struct ggki_encoding encodings[] = {
    {3, false}, {3, true}, {2, true}, {1, false}, {1, true},
};

enum { N_WRITTEN = 3, N_ENCODINGS = sizeof encodings / sizeof encodings[0] };

struct output {
    uint8_t *bytes;
    uint64_t n;
    uint64_t most;
};

static ggk_status take(void *ctx, const void *bytes, size_t n)
{
    struct output *out = ctx;

    if (n == 0 || n > out->most - out->n)
        abort();
    memcpy(out->bytes + out->n, bytes, n);
    out->n += n;
    return GGK_OK;
}

/* Recode into memory of just the promised size. */
static ggk_status recode(const struct ggki_stored_value *value,
                         struct ggki_encoding to, uint64_t promised,
                         struct output *out)
{
    ggk_status status;

    *out = (struct output){malloc((size_t)promised + 1), 0, promised};
    if (out->bytes == NULL)
        abort();
    status = ggki_value_recode(value, to, promised, take, out, NULL);
    if (status != GGK_OK && status != GGK_E_CHANGED)
        abort();
    if (status == GGK_OK && out->n != promised)
        abort();
    return status;
}

/* `value` from `from`'s encoding to `to` must be `wanted`. */
static void expect(const struct output *from, uint32_t type,
                   struct ggki_encoding encoding, struct ggki_encoding to,
                   const struct output *wanted)
{
    struct ggki_stored_value value = {from->bytes, from->n, type, encoding};
    struct output out;
    uint64_t size;

    if (ggki_value_recoded_bytes(&value, to, &size, NULL) != GGK_OK ||
        size != wanted->n || recode(&value, to, size, &out) != GGK_OK ||
        memcmp(out.bytes, wanted->bytes, (size_t)size) != 0)
        abort();
    free(out.bytes);
}

/* To one encoding; in `must` it cannot fail. */
static void try_recoding(const struct ggki_stored_value *value,
                         struct ggki_encoding to, bool must)
{
    struct ggki_encoding turned = {3, !to.big};
    struct output there, other, less;
    uint64_t size;

    if (ggki_value_recoded_bytes(value, to, &size, NULL) != GGK_OK) {
        if (must)
            abort();
        return;
    }
    if (recode(value, to, size, &there) == GGK_OK) {
        /* Twice swapped is as before; swapped once, as done at once. */
        struct ggki_stored_value again = {there.bytes, there.n, value->type,
                                          to};
        if (recode(&again, turned, size, &other) == GGK_OK) {
            expect(&other, value->type, turned, to, &there);
            expect(&there, value->type, to, turned, &other);
        } else if (must) {
            abort();
        }
        free(other.bytes);
    } else if (must) {
        abort();
    }
    if (recode(value, to, size / 2, &less) == GGK_OK && size > 0)
        abort();
    free(less.bytes);
    free(there.bytes);
}

static void recode_model(const uint8_t *data, size_t size)
{
    ggk_source *source;
    ggk_model *model;
    ggk_file file;

    if (ggk_source_from_memory(data, size, NULL, &source, NULL) != GGK_OK)
        abort();
    if (ggk_model_open_source(source, NULL, &model, NULL) != GGK_OK)
        return;
    if (ggk_model_file(model, 0, &file, NULL) != GGK_OK)
        abort();
    for (uint64_t i = 0; i < ggk_model_n_kv(model); i++) {
        ggk_kv kv;
        ggk_str bytes;
        size_t head;
        struct ggki_stored_value value;

        if (ggk_model_kv(model, i, &kv, NULL) != GGK_OK ||
            ggk_model_kv_bytes(model, i, &bytes, NULL) != GGK_OK)
            abort();
        head = 0; /* of an array, which is not among the bytes */
        if (kv.type == GGK_VALUE_ARRAY)
            head = file.version == 1 ? 8 : 12;
        value = (struct ggki_stored_value){bytes.ptr - head,
                                           bytes.len + head,
                                           kv.type,
                                           {file.version, file.big_endian}};
        for (size_t to = 0; to < N_WRITTEN; to++)
            try_recoding(&value, encodings[to], true);
    }
    ggk_model_close(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    recode_model(data, size);
    if (size >= 2) {
        struct ggki_stored_value value = {data + 2, size - 2,
                                          data[0] % (GGK_VALUE_TYPE_COUNT + 1),
                                          encodings[data[1] % N_ENCODINGS]};
        for (size_t to = 0; to < N_WRITTEN; to++)
            try_recoding(&value, encodings[to], false);
    }
    return 0;
}
