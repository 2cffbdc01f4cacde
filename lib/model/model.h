/* model.h - what a ggk_model is made of. */
#ifndef GGKI_MODEL_H
#define GGKI_MODEL_H

#include "base/err.h"
#include "format/reader.h"

struct ggki_model_file {
    struct ggki_gguf gguf;
    char *path;            /* NULL for a source */
    uint64_t first_tensor; /* its first tensor's index in the model */
};

#define GGKI_NO_FILE UINT32_MAX

struct ggk_model {
    ggk_allocator mem;
    struct ggki_model_file *files; /* the shards in order */
    uint32_t n_files;
    uint32_t file_capacity;
    bool judging;   /* opened to be judged: see ggki_gguf_judge */
    uint32_t asked; /* the file that was asked for; GGKI_NO_FILE: its folder */
    uint64_t n_tensors;
    struct ggki_namemap tensors;
};

/* Open `path`, or else `source`, which is taken over; as a judge or to be used.
 */
ggk_status ggki_model_open(const char *path, ggk_source *source,
                           const ggk_open_opts *opts, bool judging,
                           ggk_model **out, ggk_error *err);

/* Open `path` (all of its set, unless GGK_OPEN_SINGLE), or, if `source` is not
 * NULL, that source alone, as the files of `model`, which is empty but for its
 * allocator. `opts` must be complete. */
ggk_status ggki_model_open_files(ggk_model *model, const char *path,
                                 ggk_source *source, const ggk_open_opts *opts,
                                 ggk_error *err);

void ggki_model_file_free(const ggk_allocator *mem,
                          struct ggki_model_file *file);

/* The file that holds tensor `i` of the model. */
const struct ggki_model_file *ggki_model_file_of(const ggk_model *model,
                                                 uint64_t i);

/* Some of the data of a tensor is not there: GGK_E_DATA_MISSING. */
ggk_status ggki_fail_missing(const ggk_model *model, const ggk_tensor *t,
                             ggk_error *err);

/* Tensors may share bytes; but if the tensors of one file had many times its
 * bytes, a small file could ask for a year's work, or fill a disk. This is the
 * most that those of a file of `size` bytes may have together, */
uint64_t ggki_most_tensor_bytes(uint64_t size);

/* ... GGK_E_OVERLAP for more than that, of file `file` of the model, */
ggk_status ggki_fail_overlap(const ggk_model *model, uint32_t file,
                             uint64_t bytes, ggk_error *err);

/* ... and whether all files keep to it; `*file` is the first that does
 * not. Of a stream nobody knows. */
ggk_status ggki_check_overlap(const ggk_model *model, uint32_t *file,
                              ggk_error *err);

/* The same, and the path of that file goes into the error. */
ggk_status ggki_refuse_overlap(const ggk_model *model, ggk_error *err);

/* The numbers that a shard's keys give, of any integer type and any spelling:
 * how many shards there are, and which this one is (from 0). */
struct ggki_split {
    uint64_t count, no;
    uint64_t count_kv, no_kv; /* key-values they are from; GGK_NONE: none */
};
struct ggki_split ggki_split_of(const struct ggki_gguf *gguf);

/* Is the model but some of the shards of a set, by the keys of the first? */
bool ggki_is_part(const ggk_model *model);

/* The architecture that a file names, or an empty string. */
ggk_str ggki_architecture_of(const struct ggki_gguf *gguf);

/* "prefix-00002-of-00005.gguf": prefix length, number from 1, count. */
struct ggki_shard_name {
    size_t prefix_len;
    uint32_t number, count;
};
bool ggki_shard_name_parse(const char *path, struct ggki_shard_name *out);

#define GGKI_SHARDS_MAX 99999 /* of which names can tell */

/* Write the name of shard `name`, of the set that `path` is a shard of; `out`
 * has room for prefix_len + GGKI_SHARD_SUFFIX_BYTES. */
#define GGKI_SHARD_SUFFIX_BYTES 32
void ggki_shard_name_format(char *out, const char *path,
                            const struct ggki_shard_name *name);

#endif
