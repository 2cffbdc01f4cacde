/* gguf_layout.h - the bytes of a GGUF file.
 *
 * All integers have the file's byte order. Versions 2 and 3 are alike; version
 * 1 has 32-bit counts, lengths and dimensions ("count" below: 8 bytes, in
 * version 1: 4). Positions are counted from where the GGUF starts, `align` is
 * the value of general.alignment, else 32.
 *
 *   header        SIZE  FIELD
 *                 4     magic, "GGUF"; some big-endian writers put "FUGG"
 *                 4     version: 1, 2 or 3
 *                 count n_tensors
 *                 count n_kv
 *   key-values    n_kv times:
 *                 str   key
 *                 4     value type: 0 to 12
 *                 ...   value
 *   tensor infos  n_tensors times:
 *                 str   name
 *                 4     n_dims
 *                 count ne[0] ... ne[n_dims - 1], row length first
 *                 4     tensor type
 *                 8     offset from the start of the data
 *   padding       up to a multiple of align
 *   data          tensors, each padded to a multiple of align
 *
 *   str           count length, then so many bytes, no NUL
 *   array value   4     element type, count number of elements, then the
 *                       elements as values (arrays may nest)
 *
 * Worked example, the key-value general.architecture = "llama" of a version 3
 * file (45 bytes):
 *
 *   14 00 00 00 00 00 00 00  key length 20
 *   67 65 6e 65 72 61 6c 2e  "general."
 *   61 72 63 68 69 74 65 63 74 75 72 65  "architecture"
 *   08 00 00 00              value type STRING
 *   05 00 00 00 00 00 00 00  length 5
 *   6c 6c 61 6d 61           "llama"
 *
 * Source: ggml docs/gguf.md; version 1 by llama.cpp of August 2023.
 */
#ifndef GGKI_GGUF_LAYOUT_H
#define GGKI_GGUF_LAYOUT_H

#include <stdint.h>

#define GGUF_VERSION_MAX       3
#define GGUF_DEFAULT_ALIGNMENT 32
#define GGUF_ALIGNMENT_KEY     "general.alignment"
#define GGUF_PADDING_KEY       "general.padding" /* free space: format 4.4 */

/* No string of any real file comes near this; a longer one that does not even
 * fit the file is nonsense, not truncation. */
#define GGUF_SANE_STRING_BYTES (UINT64_C(1) << 30)

/* Bytes of a "count" field. */
static inline uint32_t gguf_count_bytes(uint32_t version)
{
    return version == 1 ? 4 : 8;
}

/* The least bytes that the header and one entry of each kind can take. */
static inline uint32_t gguf_header_bytes(uint32_t version)
{
    return 4 + 4 + 2 * gguf_count_bytes(version);
}

static inline uint32_t gguf_min_kv_bytes(uint32_t version)
{
    return gguf_count_bytes(version) + 4 + 1; /* empty key, type, one byte */
}

static inline uint32_t gguf_min_info_bytes(uint32_t version)
{
    return gguf_count_bytes(version) + 4 + 4 + 8; /* empty name, no dims */
}

static inline uint32_t gguf_min_array_bytes(uint32_t version)
{
    return 4 + gguf_count_bytes(version);
}

#endif
