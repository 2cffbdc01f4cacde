/* manifest.h - lists of digests, as llama-gguf-hash and gguf hash print them.
 *
 *     sha256    7dd641b3...c6e4  model.gguf:blk.0.attn_q.weight
 *     sha256    5a54d3aa...f302  model.gguf
 *
 * Lines that begin with no name of an algorithm are not of it.
 */
#ifndef CLI_CMD_MANIFEST_H
#define CLI_CMD_MANIFEST_H

#include "input.h"

enum manifest_result {
    MANIFEST_OK,
    MANIFEST_MISMATCH,
    MANIFEST_MISSING /* the model has no such tensor */
};

/* One digest of the model. */
struct manifest_entry {
    uint64_t tensor;  /* GGK_NONE: of the model as a whole */
    const char *name; /* of the tensor, as it stands there */
    size_t name_bytes;
    uint32_t algo;
    enum manifest_result result;
    uint8_t digest[GGK_DIGEST_MAX_BYTES];
};

#define MANIFEST_OTHERS     3
#define MANIFEST_NAME_BYTES 128

struct manifest {
    char *text;
    struct manifest_entry *entries; /* those of the model, and wanted */
    size_t n, capacity;
    size_t n_lines; /* that are of any manifest */
    char others[MANIFEST_OTHERS][MANIFEST_NAME_BYTES]; /* other files, cut */
    size_t n_others; /* which may be one more than there is room for */
    uint8_t content[GGK_DIGEST_MAX_BYTES];  /* of the first of them that has */
    char content_file[MANIFEST_NAME_BYTES]; /* one: that file, cut */
    size_t n_contents;                      /* that differ; 2 stands for more */
};

#define MANIFEST_MAX_BYTES ((size_t)64 << 20)

/* manifest_read - the digests that `path` ("-": standard input) has of a model,
 * of algorithms `wanted` (bits); those that name no tensor of it are MISSING,
 * the others OK. A digest is of the model if the file's name is the operand, or
 * has the same last part. On failure the message has been written, and the exit
 * status is returned. manifest_free has to follow in any case. */
int manifest_read(const struct input *in, const char *path, uint32_t wanted,
                  struct manifest *out);
void manifest_free(struct manifest *m);

/* manifest_take_content - take the one digest of content that another file has
 * for that of the model: files that were renamed, split or merged keep it.
 * False: no memory. */
bool manifest_take_content(struct manifest *m);

#endif
