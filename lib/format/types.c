/* types.c - value types, tensor types, file types: numbers, names, sizes. */
#include "format/types.h"

#include <string.h>

#include "base/ascii.h"
#include "base/ckd.h"
#include "base/err.h"

struct value_type {
    const char *name;
    size_t bytes;
};

/* ggml docs/gguf.md, gguf_metadata_value_type. */
static const struct value_type value_types[GGK_VALUE_TYPE_COUNT] = {
    [GGK_VALUE_UINT8] = {"UINT8", 1},     [GGK_VALUE_INT8] = {"INT8", 1},
    [GGK_VALUE_UINT16] = {"UINT16", 2},   [GGK_VALUE_INT16] = {"INT16", 2},
    [GGK_VALUE_UINT32] = {"UINT32", 4},   [GGK_VALUE_INT32] = {"INT32", 4},
    [GGK_VALUE_FLOAT32] = {"FLOAT32", 4}, [GGK_VALUE_BOOL] = {"BOOL", 1},
    [GGK_VALUE_STRING] = {"STRING", 0},   [GGK_VALUE_ARRAY] = {"ARRAY", 0},
    [GGK_VALUE_UINT64] = {"UINT64", 8},   [GGK_VALUE_INT64] = {"INT64", 8},
    [GGK_VALUE_FLOAT64] = {"FLOAT64", 8},
};

#define Q   GGK_TYPE_QUANTIZED
#define QI  (GGK_TYPE_QUANTIZED | GGK_TYPE_NEEDS_IMATRIX)
#define REM GGK_TYPE_REMOVED
#define INT GGK_TYPE_INTEGER

/* ggml.h of llama.cpp v0.5.0, enum ggml_type; block and bytes from the structs
 * of ggml-common.h. The place in the table is the id. */
static const ggk_type_info tensor_types[] = {
    {0, 1, 4, 0, 0, "F32"},           {1, 1, 2, 0, 0, "F16"},
    {2, 32, 18, 0, Q, "Q4_0"},        {3, 32, 20, 0, Q, "Q4_1"},
    {4, 0, 0, 0, REM, "Q4_2"},        {5, 0, 0, 0, REM, "Q4_3"},
    {6, 32, 22, 0, Q, "Q5_0"},        {7, 32, 24, 0, Q, "Q5_1"},
    {8, 32, 34, 0, Q, "Q8_0"},        {9, 32, 36, 0, Q, "Q8_1"},
    {10, 256, 84, 0, Q, "Q2_K"},      {11, 256, 110, 0, Q, "Q3_K"},
    {12, 256, 144, 0, Q, "Q4_K"},     {13, 256, 176, 0, Q, "Q5_K"},
    {14, 256, 210, 0, Q, "Q6_K"},     {15, 256, 292, 0, Q, "Q8_K"},
    {16, 256, 66, 0, QI, "IQ2_XXS"},  {17, 256, 74, 0, QI, "IQ2_XS"},
    {18, 256, 98, 0, QI, "IQ3_XXS"},  {19, 256, 50, 0, QI, "IQ1_S"},
    {20, 32, 18, 0, Q, "IQ4_NL"},     {21, 256, 110, 0, Q, "IQ3_S"},
    {22, 256, 82, 0, QI, "IQ2_S"},    {23, 256, 136, 0, Q, "IQ4_XS"},
    {24, 1, 1, 0, INT, "I8"},         {25, 1, 2, 0, INT, "I16"},
    {26, 1, 4, 0, INT, "I32"},        {27, 1, 8, 0, INT, "I64"},
    {28, 1, 8, 0, 0, "F64"},          {29, 256, 56, 0, QI, "IQ1_M"},
    {30, 1, 2, 0, 0, "BF16"},         {31, 0, 0, 0, REM, "Q4_0_4_4"},
    {32, 0, 0, 0, REM, "Q4_0_4_8"},   {33, 0, 0, 0, REM, "Q4_0_8_8"},
    {34, 256, 54, 0, Q, "TQ1_0"},     {35, 256, 66, 0, Q, "TQ2_0"},
    {36, 0, 0, 0, REM, "IQ4_NL_4_4"}, {37, 0, 0, 0, REM, "IQ4_NL_4_8"},
    {38, 0, 0, 0, REM, "IQ4_NL_8_8"}, {39, 32, 17, 0, Q, "MXFP4"},
    {40, 64, 36, 0, Q, "NVFP4"},      {41, 128, 18, 0, Q, "Q1_0"},
    {42, 64, 18, 0, Q, "Q2_0"},
};

#undef Q
#undef QI
#undef REM
#undef INT

/* llama.h of llama.cpp v0.5.0, enum llama_ftype, with the numbers that older
 * releases gave to types removed since. */
static const char *const file_types[] = {
    [0] = "ALL_F32",
    [1] = "MOSTLY_F16",
    [2] = "MOSTLY_Q4_0",
    [3] = "MOSTLY_Q4_1",
    [4] = "MOSTLY_Q4_1_SOME_F16",
    [5] = "MOSTLY_Q4_2",
    [6] = "MOSTLY_Q4_3",
    [7] = "MOSTLY_Q8_0",
    [8] = "MOSTLY_Q5_0",
    [9] = "MOSTLY_Q5_1",
    [10] = "MOSTLY_Q2_K",
    [11] = "MOSTLY_Q3_K_S",
    [12] = "MOSTLY_Q3_K_M",
    [13] = "MOSTLY_Q3_K_L",
    [14] = "MOSTLY_Q4_K_S",
    [15] = "MOSTLY_Q4_K_M",
    [16] = "MOSTLY_Q5_K_S",
    [17] = "MOSTLY_Q5_K_M",
    [18] = "MOSTLY_Q6_K",
    [19] = "MOSTLY_IQ2_XXS",
    [20] = "MOSTLY_IQ2_XS",
    [21] = "MOSTLY_Q2_K_S",
    [22] = "MOSTLY_IQ3_XS",
    [23] = "MOSTLY_IQ3_XXS",
    [24] = "MOSTLY_IQ1_S",
    [25] = "MOSTLY_IQ4_NL",
    [26] = "MOSTLY_IQ3_S",
    [27] = "MOSTLY_IQ3_M",
    [28] = "MOSTLY_IQ2_S",
    [29] = "MOSTLY_IQ2_M",
    [30] = "MOSTLY_IQ4_XS",
    [31] = "MOSTLY_IQ1_M",
    [32] = "MOSTLY_BF16",
    [33] = "MOSTLY_Q4_0_4_4",
    [34] = "MOSTLY_Q4_0_4_8",
    [35] = "MOSTLY_Q4_0_8_8",
    [36] = "MOSTLY_TQ1_0",
    [37] = "MOSTLY_TQ2_0",
    [38] = "MOSTLY_MXFP4_MOE",
    [39] = "MOSTLY_NVFP4",
    [40] = "MOSTLY_Q1_0",
    [41] = "MOSTLY_Q2_0",
    [1024] = "GUESSED",
};

const char *ggk_value_type_name(uint32_t type)
{
    return type < GGK_VALUE_TYPE_COUNT ? value_types[type].name : NULL;
}

size_t ggk_value_type_bytes(uint32_t type)
{
    return type < GGK_VALUE_TYPE_COUNT ? value_types[type].bytes : 0;
}

bool ggki_value_is_signed(uint32_t type)
{
    return type == GGK_VALUE_INT8 || type == GGK_VALUE_INT16 ||
           type == GGK_VALUE_INT32 || type == GGK_VALUE_INT64;
}

bool ggki_value_is_integer(uint32_t type)
{
    return type == GGK_VALUE_UINT8 || type == GGK_VALUE_UINT16 ||
           type == GGK_VALUE_UINT32 || type == GGK_VALUE_UINT64 ||
           ggki_value_is_signed(type);
}

size_t ggk_type_count(void)
{
    return sizeof tensor_types / sizeof tensor_types[0];
}

const ggk_type_info *ggk_type_at(size_t i)
{
    return i < ggk_type_count() ? &tensor_types[i] : NULL;
}

const ggk_type_info *ggk_type_by_id(uint32_t id)
{
    return ggk_type_at(id);
}

const ggk_type_info *ggk_type_by_name(const char *name)
{
    for (size_t i = 0; i < ggk_type_count(); i++)
        if (ggki_ascii_same(name, tensor_types[i].name))
            return &tensor_types[i];
    return NULL;
}

const char *ggk_file_type_name(uint64_t file_type)
{
    return file_type < sizeof file_types / sizeof file_types[0]
               ? file_types[file_type]
               : NULL;
}

ggk_status ggki_count_dim(uint64_t ne, uint64_t *nonzero)
{
    uint64_t product;

    if (ne > INT64_MAX)
        return GGK_E_DIM;
    if (ne == 0)
        return GGK_OK;
    if (!ckd_mul64(*nonzero, ne, &product) || product > INT64_MAX)
        return GGK_E_OVERFLOW;
    *nonzero = product;
    return GGK_OK;
}

ggk_status ggki_row_bytes(const ggk_type_info *type, uint64_t ne0,
                          uint64_t *out)
{
    uint64_t bytes;

    if (ne0 % type->block != 0)
        return GGK_E_BLOCK;
    if (!ckd_mul64(ne0 / type->block, type->bytes, &bytes) ||
        !ckd_add64(bytes, type->row_extra, &bytes))
        return GGK_E_OVERFLOW;
    *out = bytes;
    return GGK_OK;
}

ggk_status ggki_tensor_bytes(const ggk_type_info *type, const uint64_t *ne,
                             uint32_t n_dims, uint64_t *out)
{
    uint64_t ne0 = n_dims > 0 ? ne[0] : 1;
    uint64_t bytes;
    bool empty = false;
    ggk_status status;

    for (uint32_t d = 0; d < n_dims; d++)
        empty = empty || ne[d] == 0;
    if (empty) {
        *out = 0;
        return ne0 % type->block == 0 ? GGK_OK : GGK_E_BLOCK;
    }
    status = ggki_row_bytes(type, ne0, &bytes);
    if (status != GGK_OK)
        return status;
    for (uint32_t d = 1; d < n_dims; d++)
        if (!ckd_mul64(bytes, ne[d], &bytes))
            return GGK_E_OVERFLOW;
    *out = bytes;
    return GGK_OK;
}

/* Turn the reason into a sentence. */
static ggk_status size_failure(ggk_error *err, ggk_status status,
                               const ggk_type_info *type, uint64_t ne0)
{
    if (status == GGK_E_BLOCK) {
        ggki_fail(err, status,
                  "a row of %llu elements is not a whole number of %s blocks "
                  "of %lu",
                  (unsigned long long)ne0, type->name,
                  (unsigned long)type->block);
        ggki_err_set_need(err, ne0, type->block);
        return status;
    }
    return ggki_fail(err, status, "the size does not fit 64 bits");
}

static ggk_status check_sized(const ggk_type_info *type, ggk_error *err)
{
    if (type == NULL)
        return ggki_fail(err, GGK_E_ARG, "no type");
    if (ggki_type_is_opaque(type))
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "the layout of the removed type %s is not known",
                         type->name);
    return GGK_OK;
}

ggk_status ggk_type_row_bytes(const ggk_type_info *type, uint64_t ne0,
                              uint64_t *out, ggk_error *err)
{
    ggk_status status = check_sized(type, err);

    *out = 0;
    if (status != GGK_OK)
        return status;
    status = ggki_row_bytes(type, ne0, out);
    return status == GGK_OK ? GGK_OK : size_failure(err, status, type, ne0);
}

ggk_status ggk_type_tensor_bytes(const ggk_type_info *type, const uint64_t *ne,
                                 uint32_t n_dims, uint64_t *out, ggk_error *err)
{
    uint64_t nonzero = 1;
    ggk_status status = check_sized(type, err);

    *out = 0;
    if (status != GGK_OK)
        return status;
    if (n_dims > GGK_MAX_DIMS) {
        ggki_fail(err, GGK_E_NDIMS, "%lu dimensions; at most %d are known",
                  (unsigned long)n_dims, GGK_MAX_DIMS);
        ggki_err_set_need(err, n_dims, GGK_MAX_DIMS);
        return GGK_E_NDIMS;
    }
    for (uint32_t d = 0; d < n_dims && status == GGK_OK; d++) {
        status = ggki_count_dim(ne[d], &nonzero);
        if (status == GGK_E_DIM) {
            ggki_fail(err, status, "dimension %llu is 2^63 or more",
                      (unsigned long long)ne[d]);
            ggki_err_set_need(err, ne[d], INT64_MAX);
            return status;
        }
    }
    if (status == GGK_OK)
        status = ggki_tensor_bytes(type, ne, n_dims, out);
    return status == GGK_OK
               ? GGK_OK
               : size_failure(err, status, type, n_dims > 0 ? ne[0] : 1);
}
