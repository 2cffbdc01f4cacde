/* plan.h - what a ggk_plan is made of. */
#ifndef GGKI_PLAN_H
#define GGKI_PLAN_H

#include <sys/types.h>

#include "base/namemap.h"
#include "format/transcode.h"
#include "format/writer.h"
#include "ggk.h"
#include "model/model.h"

/* A key-value: its value as it is stored somewhere. */
struct ggki_plan_kv {
    ggk_str key;
    struct ggki_stored_value value;
    uint64_t value_bytes; /* layout: as it will be written */
    size_t value_room;    /* of a value that is owned: the block it is in */
    bool owns_key;        /* else borrowed from a model */
    bool owns_value;
};

/* A tensor, and where its bytes are. */
struct ggki_plan_tensor {
    ggk_str name;
    const ggk_source *source;
    const char *path;          /* of the source, for messages; may be NULL */
    uint64_t off;              /* in the source */
    uint64_t bytes;            /* without padding */
    const ggk_type_info *info; /* NULL: opaque */
    uint32_t type;
    uint32_t n_dims;
    uint64_t ne[GGK_MAX_DIMS];
    bool big;         /* the byte order of its source */
    uint64_t rel_off; /* layout: from the start of the data */
    /* Of one that is converted, or only has its numbers looked at, what its
     * source has. Else NULL. */
    const ggk_type_info *from;
    uint64_t from_bytes;
    bool keeps_odd; /* what is NaN or infinite stays so; else it is an error */
    const float *importances; /* ne[0] for each of ne[2] slices, or NULL */
};

/* Bytes that are read for it. */
static inline uint64_t ggki_plan_read_bytes(const struct ggki_plan_tensor *t)
{
    return t->from != NULL ? t->from_bytes : t->bytes;
}

/* What a file keeps of each tensor, of which there may be millions: the rest is
 * had from the model that it is copied from, or is among the plan's own. */
struct ggki_plan_item {
    uint64_t rel_off; /* as of the tensor */
    uint32_t source;  /* its number in the plan, or GGKI_PLAN_OWN */
    uint32_t i;       /* number of the tensor in its file, or of the own one */
};

#define GGKI_PLAN_OWN UINT32_MAX

/* Names of entries, once many of them have been looked for. */
struct ggki_plan_names {
    struct ggki_namemap map;
    size_t n_mapped; /* the first so many are in */
    size_t n_scans;  /* that were made without it */
    size_t n_renamed;
};

struct ggki_plan_file {
    const ggk_plan *plan; /* that it is of */
    char *path;
    ggk_file_format format;
    uint32_t version;
    bool big;
    bool has_encoding; /* these two were asked for */
    struct ggki_plan_kv *kvs;
    size_t n_kv, kv_capacity;
    struct ggki_plan_names keys, names; /* of these, and of the tensors */
    struct ggki_plan_item *tensors;
    size_t n_tensors, tensor_capacity;

    bool laid_out; /* the rest is right: */
    uint64_t alignment;
    uint64_t info_off; /* of a GGUF file */
    uint64_t head_end;
    uint64_t data_off;
    uint64_t read_bytes; /* of its tensors, where they come from */
    uint64_t size;
};

/* What bytes are taken from, and how many of its tensors. */
struct ggki_plan_source {
    const ggk_source *source;
    const struct ggki_gguf *gguf; /* that it holds, or NULL; */
    const char *path;             /* of that, for messages; may be NULL */
    uint64_t taken;
    ggk_source *owned; /* the same source, if it is the plan's to close */
};

/* A file that was read for the plan and is to stay what it is. */
struct ggki_plan_guard {
    dev_t dev;
    ino_t ino;
    mode_t mode;
    gid_t gid;
};

struct ggk_plan {
    ggk_allocator mem;
    struct ggki_plan_file *files;
    uint32_t n_files;
    size_t file_capacity;
    struct ggki_plan_source *sources;
    size_t n_sources, source_capacity;
    /* Tensors of no model, or other than their model has them. Their names are
     * owned. */
    struct ggki_plan_tensor *own;
    size_t n_own, own_capacity;
    struct ggki_plan_guard *guards;
    size_t n_guards, guard_capacity;
    const ggk_type_table *types; /* of an input that had some; or NULL */
    bool half_done; /* what was to fill it failed: it is good for nothing */
};

/* Pass `status` on; one that is no success leaves the plan half done, so that
 * it has no layout any more. */
ggk_status ggki_plan_filled(ggk_plan *plan, ggk_status status);

/* Append one; NULL: no memory. */
struct ggki_plan_file *ggki_plan_add_file(ggk_plan *plan, const char *path);
struct ggki_plan_kv *ggki_plan_add_kv(ggk_plan *plan,
                                      struct ggki_plan_file *file);

/* Entries went or changed their places: their names are to be mapped anew. */
void ggki_plan_forget(ggk_plan *plan, struct ggki_plan_names *names);

/* Remember that bytes are taken from `source`, which may hold `gguf`. */
ggk_status ggki_plan_note_source(ggk_plan *plan, const ggk_source *source,
                                 const struct ggki_gguf *gguf, ggk_error *err);

/* Take over a source that bytes are taken from; on failure it is closed. */
ggk_status ggki_plan_own_source(ggk_plan *plan, ggk_source *source,
                                ggk_error *err);

/* Are bytes taken from this file? Or was anything read of it? */
bool ggki_plan_is_input(const ggk_plan *plan, dev_t dev, ino_t ino);
bool ggki_plan_is_guarded(const ggk_plan *plan, dev_t dev, ino_t ino);

/* Append key-value `i` of a file of a model, unless it is free space. */
ggk_status ggki_plan_copy_kv(ggk_plan *plan, struct ggki_plan_file *file,
                             const struct ggki_gguf *g, uint64_t i,
                             ggk_error *err);

/* Give a key-value this value, little-endian as version 3 stores it: copied. */
ggk_status ggki_plan_put_value(ggk_plan *plan, struct ggki_plan_kv *kv,
                               uint32_t type, ggk_str value, ggk_error *err);

ggk_status ggki_plan_add_item(ggk_plan *plan, struct ggki_plan_file *file,
                              const struct ggki_plan_item *item,
                              ggk_error *err);

/* Append tensor `i` of a model, whose data begins `back` bytes before the place
 * where the model has it. */
ggk_status ggki_plan_copy_tensor(ggk_plan *plan, struct ggki_plan_file *f,
                                 const ggk_model *model, uint64_t i,
                                 uint64_t back, ggk_error *err);

/* Tensor `i` of a file; false: the model it is of changed. */
bool ggki_plan_tensor_at(const struct ggki_plan_file *file, size_t i,
                         struct ggki_plan_tensor *out);

/* Its name alone: a ggki_name_of, of a file. */
bool ggki_plan_tensor_name(const void *file, uint64_t i, ggk_str *out);

/* Give it another name, which is copied. */
ggk_status ggki_plan_name_tensor(ggk_plan *plan, struct ggki_plan_file *file,
                                 size_t i, ggk_str name, ggk_error *err);

/* Have it converted to the built-in type `to`, from one that is built in too.
 * Both may be the same: then its numbers or, of blocks, its scales are looked
 * at. `importances`, if there are any, must outlive the plan.
 * ggki_plan_refuse_types - if numbers cannot be had of its type, or not made
 * blocks of `to`. */
ggk_status ggki_plan_convert_tensor(ggk_plan *plan, struct ggki_plan_file *file,
                                    size_t i, const ggk_type_info *to,
                                    const float *importances, ggk_error *err);
ggk_status ggki_plan_refuse_types(const struct ggki_plan_tensor *t,
                                  const ggk_type_info *to, ggk_error *err);

/* Read bytes of its source; a failure names that. Name it in another. */
ggk_status ggki_plan_read(const struct ggki_plan_tensor *t, uint64_t off,
                          void *buffer, size_t bytes, ggk_error *err);
ggk_status ggki_plan_blame(const struct ggki_plan_tensor *t, ggk_status status,
                           ggk_error *err);

/* Take the key-values out whose key `drop` says yes to, in one pass; how many
 * they were. */
size_t ggki_plan_drop_kvs(ggk_plan *plan, struct ggki_plan_file *file,
                          bool (*drop)(const void *ctx, ggk_str key),
                          const void *ctx);

/* Free space: the last key-value if it is that, or NULL; have so many bytes of
 * it there; have none. It cannot be had, twice the same key, where
 * general.padding is used for something else. */
struct ggki_plan_kv *ggki_plan_padding(const struct ggki_plan_file *file);
bool ggki_plan_padding_is_used(const struct ggki_plan_file *file);
ggk_status ggki_plan_pad(ggk_plan *plan, struct ggki_plan_file *file,
                         uint64_t bytes, ggk_error *err);
void ggki_plan_unpad(ggk_plan *plan, struct ggki_plan_file *file);

/* The first key-value from `*i` on with that key, its number into `*i`. */
bool ggki_plan_find_kv(const struct ggki_plan_file *file, ggk_str key,
                       size_t *i);

/* The one key-value with that key in file number `file`, whose layout is no
 * longer known then. Errors: as ggk_plan_rename_kv. */
ggk_status ggki_plan_kv_of(ggk_plan *plan, uint32_t file, ggk_str key,
                           struct ggki_plan_file **f, struct ggki_plan_kv **out,
                           ggk_error *err);

/* Make file 0 the first of `count` shards, named by their prefix.
 * Append number `no` of them: of the same format as file 0, and as aligned. */
ggk_status ggki_plan_name_first(ggk_plan *plan, const char *prefix,
                                uint32_t count, ggk_error *err);
ggk_status ggki_plan_add_shard(ggk_plan *plan, const char *prefix, uint32_t no,
                               uint32_t count, uint64_t alignment,
                               ggk_error *err);

/* Give a key-value these `n` bytes of its type, version 3, little-endian; they
 * are taken over, of a block of n + 1. */
void ggki_plan_take_value(ggk_plan *plan, struct ggki_plan_kv *kv,
                          const char *bytes, size_t n);

/* Set a key to an integer, as `type`. */
ggk_status ggki_plan_set_integer(ggk_plan *plan, struct ggki_plan_file *file,
                                 const char *key, uint32_t type, uint64_t value,
                                 ggk_error *err);

/* The architecture that a file names, or an empty string. */
ggk_str ggki_plan_architecture(const struct ggki_plan_file *file);

/* The number that general.alignment gives, 32 without it. */
ggk_status ggki_plan_alignment(const struct ggki_plan_file *file, uint64_t *out,
                               ggk_error *err);

/* Bytes of a key-value, of a tensor info, of the fixed header, as they will be
 * written. */
ggk_status ggki_plan_kv_bytes(const struct ggki_plan_file *file,
                              struct ggki_plan_kv *kv, uint64_t *out,
                              ggk_error *err);
uint64_t ggki_plan_info_bytes(const struct ggki_plan_tensor *tensor);
#define GGKI_PLAN_HEAD_BYTES 24

/* Add to a sum of sizes, which stays below 2^63. */
ggk_status ggki_plan_add_size(uint64_t *sum, uint64_t bytes, ggk_error *err);

/* Where a tensor's data is in a file that is laid out. */
static inline uint64_t ggki_plan_data_off(const struct ggki_plan_file *file,
                                          size_t i)
{
    return file->data_off + file->tensors[i].rel_off;
}

/* Can the bytes of a tensor be had in the byte order of the file? */
ggk_status ggki_plan_check_order(const struct ggki_plan_file *file,
                                 const struct ggki_plan_tensor *t,
                                 ggk_error *err);

/* Compute the layout, if it is not known; of what is no GGUF file. */
ggk_status ggki_plan_lay_out(const ggk_allocator *mem,
                             struct ggki_plan_file *file, ggk_error *err);
ggk_status ggki_plan_lay_out_arrays(const ggk_allocator *mem,
                                    struct ggki_plan_file *file,
                                    ggk_error *err);

/* Give the header of a file that is laid out to `put`. */
ggk_status ggki_plan_put_header(const ggk_allocator *mem,
                                const struct ggki_plan_file *file,
                                ggki_write_to *put, void *ctx, ggk_error *err);
ggk_status ggki_plan_put_array_header(const struct ggki_plan_file *file,
                                      ggki_write_to *put, void *ctx,
                                      ggk_error *err);

/* Are all files of a plan GGUF? Else GGK_E_ARG. */
ggk_status ggki_plan_is_gguf(const ggk_plan *plan, ggk_error *err);

#endif
