/* sample.h - for tests: a small model with something of everything, and all
 * that a model says as text, to compare. */
#ifndef TESTS_SAMPLE_H
#define TESTS_SAMPLE_H

#include <inttypes.h>
#include <stdio.h>

#include "bytes.h"
#include "ggk.h"

enum {
    FEATURE_KVS = 12,
    FEATURE_TENSORS = 7,
    FEATURE_ALIGN = 64,
    FEATURE_DATA_BYTES = 992
};

static inline void put_feature_arrays(struct bytes *b)
{
    static const char *const tokens[] = {"<unk>", "<s>", "</s>", "▁the", ""};

    put_key(b, "tokens", V_ARR);
    put_array(b, V_STR, 5);
    for (int i = 0; i < 5; i++)
        put_str(b, tokens[i]);
    put_key(b, "ints", V_ARR);
    put_array(b, V_I32, 5);
    for (int i = -2; i <= 2; i++)
        put_u32(b, (uint32_t)i);
    put_key(b, "nested", V_ARR); /* [[1, 2], [], [["x", "yz"]]] */
    put_array(b, V_ARR, 3);
    put_array(b, V_U16, 2);
    put_u16(b, 1);
    put_u16(b, 2);
    put_array(b, V_F64, 0);
    put_array(b, V_ARR, 1);
    put_array(b, V_STR, 2);
    put_str(b, "x");
    put_str(b, "yz");
}

static inline void put_feature_kvs(struct bytes *b)
{
    put_kv_str(b, "general.architecture", "llama");
    put_kv_u32(b, "general.alignment", FEATURE_ALIGN);
    put_feature_arrays(b);
    put_key(b, "u8", V_U8);
    put_u8(b, 200);
    put_key(b, "i16", V_I16);
    put_u16(b, (uint16_t)-1234);
    put_kv_u32(b, "u32", UINT32_MAX);
    put_key(b, "f32", V_F32);
    put_f32(b, 1e-5f);
    put_key(b, "bool", V_BOOL);
    put_u8(b, 1);
    put_key(b, "u64", V_U64);
    put_u64(b, UINT64_MAX);
    put_key(b, "f64", V_F64);
    put_f64(b, 0.1);
}

/* Seven tensors: a vector, blocks, four dimensions, none, no elements, an
 * unknown type and a large block. */
static inline void put_feature_infos(struct bytes *b)
{
    put_info(b, "norm", 1, (uint64_t[]){64}, T_F32, 0);
    put_info(b, "blocks", 2, (uint64_t[]){32, 6}, T_Q8_0, 256);
    put_info(b, "deep", 4, (uint64_t[]){3, 2, 1, 2}, T_F16, 512);
    put_info(b, "scalar", 0, NULL, T_F32, 576);
    put_info(b, "empty", 2, (uint64_t[]){8, 0}, T_I8, 640);
    put_info(b, "unknown", 1, (uint64_t[]){10}, T_UNKNOWN, 640);
    put_info(b, "super", 2, (uint64_t[]){256, 2}, T_Q4_K, 704);
}

static inline struct bytes bytes_features(uint32_t version, bool big)
{
    struct bytes b = bytes_of(version, big);

    put_header(&b, FEATURE_TENSORS, FEATURE_KVS);
    put_feature_kvs(&b);
    put_feature_infos(&b);
    put_padding(&b, FEATURE_ALIGN);
    for (int i = 0; i < FEATURE_DATA_BYTES; i++)
        put_u8(&b, (uint8_t)(i % 251));
    return b;
}

/* -------------------------------------------------------------- description */

static inline void describe_value(FILE *out, const ggk_value *v)
{
    switch ((ggk_value_type)v->type) {
    case GGK_VALUE_STRING:
        fprintf(out, " \"%.*s\"", (int)v->as.s.len, v->as.s.ptr);
        break;
    case GGK_VALUE_FLOAT32:
    case GGK_VALUE_FLOAT64: fprintf(out, " %a", v->as.f); break;
    case GGK_VALUE_INT8:
    case GGK_VALUE_INT16:
    case GGK_VALUE_INT32:
    case GGK_VALUE_INT64: fprintf(out, " %" PRId64, v->as.i); break;
    case GGK_VALUE_UINT8:
    case GGK_VALUE_UINT16:
    case GGK_VALUE_UINT32:
    case GGK_VALUE_UINT64:
    case GGK_VALUE_BOOL: fprintf(out, " %" PRIu64, v->as.u); break;
    case GGK_VALUE_ARRAY: fprintf(out, " array?"); break;
    }
}

static inline void describe_kv(FILE *out, const ggk_model *model, uint64_t i)
{
    ggk_kv kv;
    ggk_walk walk;
    ggk_value v;
    ggk_event event;

    if (ggk_model_kv(model, i, &kv, NULL) != GGK_OK ||
        ggk_walk_start(model, i, &walk, NULL) != GGK_OK) {
        fprintf(out, "key-value broken\n");
        return;
    }
    fprintf(out, "%.*s: %" PRIu32 " of %" PRIu64 " x %" PRIu32 ":",
            (int)kv.key.len, kv.key.ptr, kv.type, kv.n, kv.elem_type);
    do {
        event = ggk_walk_next(&walk, &v);
        if (event == GGK_WALK_VALUE)
            describe_value(out, &v);
        else if (event == GGK_WALK_OPEN)
            fprintf(out, " [%" PRIu64 " x %" PRIu32, v.as.u, v.type);
        else
            fputs(event == GGK_WALK_CLOSE ? " ]" : "\n", out);
    } while (event != GGK_WALK_END && event != GGK_WALK_BROKEN);
}

static inline void describe_tensor(FILE *out, const ggk_model *model,
                                   uint64_t i)
{
    ggk_tensor t;

    if (ggk_model_tensor(model, i, &t, NULL) != GGK_OK) {
        fprintf(out, "tensor broken\n");
        return;
    }
    fprintf(out, "%.*s: type %" PRIu32 "%s [%" PRIu32 ":", (int)t.name.len,
            t.name.ptr, t.type, t.opaque ? " opaque" : "", t.n_dims);
    for (int d = 0; d < GGK_MAX_DIMS; d++)
        fprintf(out, " %" PRIu64, t.ne[d]);
    fprintf(out, "] %" PRIu64 " elements, %" PRIu64 " bytes at %" PRIu64 "\n",
            t.n_elements, t.bytes, t.rel_off);
}

/* All keys, values and tensors, but no positions; to be freed. */
static inline char *describe(const ggk_model *model)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    if (out == NULL)
        abort();
    for (uint64_t i = 0; i < ggk_model_n_kv(model); i++)
        describe_kv(out, model, i);
    for (uint64_t i = 0; i < ggk_model_n_tensors(model); i++)
        describe_tensor(out, model, i);
    if (fclose(out) != 0)
        abort();
    return text;
}

#endif
