/* ggk.h - libggufkit: open any GGUF file, read what is in it, judge it, change
 * it, and quantize it.
 *
 * GGUF is the format in which llama.cpp and its family keep a language model:
 * key-values, tensor descriptions and tensor data in one file. docs/format.md
 * describes it byte by byte; section numbers below ("format 4") refer to it.
 *
 * What follows, in this order:
 *
 *     errors             what a failure tells: ggk_error
 *     strings            pointer and length: ggk_str
 *     allocator          where memory comes from
 *     value types        of key-values
 *     tensor types       blocks and sizes of F32, Q4_K and others; more of them
 *     sources            where bytes come from: files, maps, memory, callbacks
 *     opening            a model: one file, or a split set as one
 *     the file           the facts of each file of a model
 *     key-values         by name or number, arrays element by element
 *     tensors            by name or number, and their data
 *     judging            the rules of ggk_check, and what llama.cpp makes of it
 *     hyperparameters    of the architecture, and the memory that a run takes
 *     file names         taken apart
 *     values to write    for plans
 *     plans              all that writes: copy, edit, split, merge, export
 *     editing in place   a plan done to its input; undoing what was interrupted
 *     differences        of two models
 *     digests            of files, contents and tensors
 *     repairs            of what breaks the rules
 *     importances        imatrix files: read, judged, added up
 *     recipes            which type each tensor gets
 *     quantizing         a plan by a recipe, and rows of numbers
 *     values of tensors  statistics, data that is checked, errors of two models
 *
 * In five lines:
 *
 *     ggk_model *m;
 *     ggk_error err;
 *     if (ggk_model_open("model.gguf", NULL, &m, &err) != GGK_OK)
 *         fprintf(stderr, "%s\n", err.what);
 *     ...
 *     ggk_model_close(m);
 *
 * Rules that hold for every function:
 *
 *   Errors      A function that can fail returns a ggk_status. `err` may be
 *               NULL; on failure it is filled, on success it is untouched. On
 *               failure `*out` is NULL, or zeroed where it is a plain struct.
 *               Nothing here prints, exits, aborts or keeps a global error.
 *   Ownership   Who opens, closes. Closing or freeing NULL does nothing. Views
 *               (ggk_str) point into the model and live until it is closed.
 *   Hostility   No byte of a file is trusted, not even one that was checked
 *               at open: another process may have written to it since.
 *   Threads     A ggk_model is immutable: any number of threads may use one at
 *               once, if its source may be read so (each source says). All
 *               other objects belong to one thread at a time.
 *   Growth      A struct of options begins with its size: a caller may know
 *               fewer or, as long as they are zero, more of them. Most structs
 *               of results have room (`reserved`, zeroed) for what is added
 *               later; those without stay as they are within a major version.
 *   Positions   A file position is a uint64_t counted from the first byte of
 *               the file that holds the GGUF, also when the GGUF starts later.
 *
 * Plain C99, usable from C++11.
 */
#ifndef GGK_H
#define GGK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; CMakeLists.txt reads it from here. */
#define GGK_VERSION_MAJOR  0
#define GGK_VERSION_MINOR  1
#define GGK_VERSION_PATCH  0
#define GGK_VERSION_STRING "0.1.0"

#if defined(_WIN32)
#    define GGK_API
#elif defined(__GNUC__)
#    define GGK_API __attribute__((visibility("default")))
#else
#    define GGK_API
#endif

#if defined(__GNUC__)
#    define GGK_MUST_CHECK __attribute__((warn_unused_result))
#else
#    define GGK_MUST_CHECK
#endif

/* ggk_version - the version of the library that is linked, "0.1.0". */
GGK_API const char *ggk_version(void);

/* ------------------------------------------------------------------ errors */

/* What went wrong, by kind. Values are pinned: they are only ever added to. */
typedef enum ggk_status {
    GGK_OK = 0,

    /* The call. */
    GGK_E_ARG = 10,       /* an argument no caller may pass; options or flags
                             that this version does not know */
    GGK_E_TYPE = 11,      /* the value has another type than was asked for */
    GGK_E_RANGE = 12,     /* it does not fit the asked type, or no such index */
    GGK_E_NOT_FOUND = 13, /* no key or tensor of that name */
    GGK_E_DUPLICATE = 14, /* several of that name, so none is "the" one */

    /* The system. */
    GGK_E_IO = 20,        /* open, read or stat failed; sys_errno says why */
    GGK_E_NOMEM = 21,     /* the allocator returned NULL */
    GGK_E_CHANGED = 22,   /* the file is not what it was when it was opened */
    GGK_E_LIMIT = 23,     /* larger than a limit of ggk_open_opts, or of ours */
    GGK_E_EXISTS = 24,    /* what would be written is there already */
    GGK_E_SAME_FILE = 25, /* an output is an input too, or would have the name
                             of a temporary */
    GGK_E_LOCKED = 26,    /* another process is writing there */
    GGK_E_CANCELLED = 27, /* on_progress said to stop */
    GGK_E_INTERRUPTED = 28, /* an edit in place waits to be undone (ggk_recover)
                             */

    /* The file as a whole. */
    GGK_E_MAGIC = 30,       /* not a GGUF; the sentence says what it is */
    GGK_E_VERSION = 31,     /* a version that never existed (0) */
    GGK_E_VERSION_NEW = 32, /* a version above 3, or one in swapped bytes */

    /* Header and key-values. */
    GGK_E_TRUNCATED = 40,  /* the file ends inside the field */
    GGK_E_COUNT = 41,      /* so many entries cannot be in the bytes left */
    GGK_E_STRLEN = 42,     /* a string length beyond all sense (over 1 GiB) */
    GGK_E_KV_TYPE = 43,    /* a value type that is not one of the 13 */
    GGK_E_ELEM_TYPE = 44,  /* an array of such a type */
    GGK_E_DEPTH = 45,      /* arrays nested more than GGK_MAX_DEPTH deep */
    GGK_E_ALIGN = 46,      /* general.alignment is 0 or negative */
    GGK_E_ALIGN_TYPE = 47, /* general.alignment is not an integer */
    GGK_E_ALIGN_DUP = 48,  /* two keys general.alignment that differ */

    /* Tensor infos and data. */
    GGK_E_NDIMS = 50,        /* more than GGK_MAX_DIMS dimensions */
    GGK_E_DIM = 51,          /* a dimension of 2^63 or more */
    GGK_E_OVERFLOW = 52,     /* elements past 2^63-1, or bytes past 2^64-1 */
    GGK_E_BLOCK = 53,        /* a row is not a whole number of blocks */
    GGK_E_OFFSET = 54,       /* the tensor would start past 2^64-1, or, of what
                                is to be repaired, cannot be where it says */
    GGK_E_DATA_MISSING = 55, /* the file ends before the tensor's data does */
    GGK_E_VALUE = 56, /* a number that is NaN or infinite, or too large or small
                         for the type that it would get */
    GGK_E_OVERLAP = 57, /* tensors lie on each other: together they have far
                           more bytes than the file */

    /* Split sets. */
    GGK_E_SPLIT = 60,         /* the shards contradict each other */
    GGK_E_SPLIT_MISSING = 61, /* shards of the set are not there */

    /* Other. */
    GGK_E_TYPE_TABLE = 70,  /* a type table that cannot be read */
    GGK_E_UNSUPPORTED = 71, /* valid, but not something this library does */
    GGK_E_BUG = 90          /* an invariant of the library does not hold */
} ggk_status;

#define GGK_NO_OFFSET UINT64_MAX /* ggk_error.offset: no byte is at fault */

/* A failure in full. Plain data: copy it, never free it. */
typedef struct ggk_error {
    ggk_status status;
    int sys_errno;   /* errno of a GGK_E_IO, else 0 */
    uint64_t offset; /* first byte of the field at fault, or GGK_NO_OFFSET */
    uint64_t need;   /* bytes wanted, or the value that was read */
    uint64_t have;   /* bytes left, or the limit that was broken */
    char where[128]; /* the field: "kv[17].value.len"; "" if there is none */
    char what[512];  /* one sentence; in the names of shards, if it holds any,
                        every byte is as in the file system */
    char file[256];  /* the shard it happened in, if not the file that was
                        asked for; else "" */
} ggk_error;

/* ggk_status_name - "GGK_E_TRUNCATED" for GGK_E_TRUNCATED; "GGK_E_UNKNOWN" for
 * a number that is no status. */
GGK_API const char *ggk_status_name(ggk_status status);

/* ----------------------------------------------------------------- strings */

/* A borrowed run of bytes: not NUL-terminated, any byte may occur in it, valid
 * until its model is closed. `ptr` may be NULL when `len` is 0. */
typedef struct ggk_str {
    const char *ptr;
    size_t len;
} ggk_str;

/* ggk_cstr - a view of a C string, without its NUL. */
static inline ggk_str ggk_cstr(const char *s)
{
    ggk_str v = {s, 0};
    while (s[v.len] != '\0')
        v.len++;
    return v;
}

/* ---------------------------------------------------------------- allocator */

/* Where the library gets its memory, aligned for any type as malloc's.
 * `resize` takes NULL with old 0 for a new block; if it returns NULL, the old
 * one is still there. It and `release` are told the size that was asked for,
 * and may be called from any thread that uses the object they were given to. */
typedef struct ggk_allocator {
    void *(*resize)(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes);
    void (*release)(void *ctx, void *ptr, size_t bytes);
    void *ctx;
} ggk_allocator;

/* -------------------------------------------------------------- value types */

/* Types of metadata values, with the numbers the format gives them
 * (format 4; gguf.h, enum gguf_type). */
typedef enum ggk_value_type {
    GGK_VALUE_UINT8 = 0,
    GGK_VALUE_INT8 = 1,
    GGK_VALUE_UINT16 = 2,
    GGK_VALUE_INT16 = 3,
    GGK_VALUE_UINT32 = 4,
    GGK_VALUE_INT32 = 5,
    GGK_VALUE_FLOAT32 = 6,
    GGK_VALUE_BOOL = 7,
    GGK_VALUE_STRING = 8,
    GGK_VALUE_ARRAY = 9,
    GGK_VALUE_UINT64 = 10,
    GGK_VALUE_INT64 = 11,
    GGK_VALUE_FLOAT64 = 12
} ggk_value_type;

#define GGK_VALUE_TYPE_COUNT 13
#define GGK_MAX_DEPTH        16 /* array levels, the outermost counted */

/* ggk_value_type_name - "UINT32" for GGK_VALUE_UINT32; NULL if no such type. */
GGK_API const char *ggk_value_type_name(uint32_t type);

/* ggk_value_type_bytes - bytes of one scalar of that type; 0 for STRING, ARRAY
 * and numbers that are no type. */
GGK_API size_t ggk_value_type_bytes(uint32_t type);

/* ------------------------------------------------------------- tensor types */

#define GGK_TYPE_QUANTIZED     1u /* blocks of small integers and scales */
#define GGK_TYPE_NEEDS_IMATRIX 2u /* only with importances in a recipe */
#define GGK_TYPE_REMOVED       4u /* once existed; its layout is not known */
#define GGK_TYPE_INTEGER       8u /* single integers: I8 to I64 */

/* One tensor type. `block` elements of a row are stored in `bytes` bytes; a
 * row of `ne0` elements in ne0 / block * bytes + row_extra bytes. For a removed
 * type block and bytes are 0. */
typedef struct ggk_type_info {
    uint32_t id;
    uint32_t block;
    uint32_t bytes;
    uint32_t row_extra; /* bytes per row besides its blocks; 0 in ggml's */
    uint32_t flags;     /* GGK_TYPE_* */
    const char *name;   /* "Q4_K" */
} ggk_type_info;

/* ggk_type_count / ggk_type_at - the built-in types, by ascending id: those of
 * llama.cpp v0.5.0 (ggml.h, enum ggml_type), removed ones included.
 * `ggk_type_at` returns NULL past the last. */
GGK_API size_t ggk_type_count(void);
GGK_API const ggk_type_info *ggk_type_at(size_t i);

/* ggk_type_by_id - the built-in type with that id, or NULL. */
GGK_API const ggk_type_info *ggk_type_by_id(uint32_t id);

/* ggk_type_by_name - the built-in type of that name, upper and lower case
 * alike, or NULL. */
GGK_API const ggk_type_info *ggk_type_by_name(const char *name);

/* ggk_type_row_bytes - bytes of one row of `ne0` elements.
 * Errors: GGK_E_BLOCK (ne0 is not a multiple of the block), GGK_E_OVERFLOW,
 * GGK_E_UNSUPPORTED (a removed type). */
GGK_API GGK_MUST_CHECK ggk_status ggk_type_row_bytes(const ggk_type_info *type,
                                                     uint64_t ne0,
                                                     uint64_t *out,
                                                     ggk_error *err);

/* ggk_type_tensor_bytes - bytes of a tensor of `n_dims` dimensions `ne`, row
 * length first; 0 if a dimension is 0, one element if n_dims is 0. Padding
 * between tensors is not counted. Errors: as for a row; GGK_E_NDIMS,
 * GGK_E_DIM. */
GGK_API GGK_MUST_CHECK ggk_status
ggk_type_tensor_bytes(const ggk_type_info *type, const uint64_t *ne,
                      uint32_t n_dims, uint64_t *out, ggk_error *err);

/* Further types, for files of llama.cpp's forks (format 7.3). */
typedef struct ggk_type_table ggk_type_table;

/* ggk_type_table_parse - a table from text: one type a line, fields separated
 * by tabs or spaces: id, name, block, bytes and, optionally, further bytes per
 * row. `#` starts a comment; a first line beginning with "id" is a heading. A
 * type of the table hides a built-in one with the same id. The text is copied.
 * Errors: GGK_E_TYPE_TABLE, `where` = "line N", `offset` = its first byte. */
GGK_API GGK_MUST_CHECK ggk_status ggk_type_table_parse(
    const char *text, size_t text_bytes, const ggk_allocator *alloc,
    ggk_type_table **out, ggk_error *err);
GGK_API void ggk_type_table_free(ggk_type_table *table);
GGK_API size_t ggk_type_table_count(const ggk_type_table *table);
GGK_API const ggk_type_info *ggk_type_table_at(const ggk_type_table *table,
                                               size_t i);

/* ggk_file_type_name - what a general.file_type number says, "MOSTLY_Q8_0" for
 * 7 (llama.h, enum llama_ftype); NULL for one that is not known. */
GGK_API const char *ggk_file_type_name(uint64_t file_type);

/* ------------------------------------------------------------------ sources */

/* Random access to the bytes of one file. */
typedef struct ggk_source ggk_source;

#define GGK_SIZE_UNKNOWN UINT64_MAX

/* ggk_source_open_file - read a regular file by pread; safe from any number of
 * threads, and proof against a file that shrinks (GGK_E_CHANGED). Other kinds
 * of files: GGK_E_IO with sys_errno EISDIR, or ESPIPE for what cannot seek. */
GGK_API GGK_MUST_CHECK ggk_status
ggk_source_open_file(const char *path, const ggk_allocator *alloc,
                     ggk_source **out, ggk_error *err);

/* ggk_source_open_edit - the same, of a file that ggk_plan_edit may then edit
 * in place: it is opened for writing too. Where that cannot be, it is opened
 * for reading only, and ggk_plan_edit tells why. */
GGK_API GGK_MUST_CHECK ggk_status
ggk_source_open_edit(const char *path, const ggk_allocator *alloc,
                     ggk_source **out, ggk_error *err);

/* ggk_source_open_map - map a regular file read-only: the fastest way to a
 * header, since only the pages that are looked at are read. If another process
 * truncates the file, touching the lost pages raises SIGBUS: use this only
 * where a handler is in place (ggk_source_view tells the range). Fails with
 * GGK_E_IO where mapping fails; ggk_source_open_file then still works. */
GGK_API GGK_MUST_CHECK ggk_status
ggk_source_open_map(const char *path, const ggk_allocator *alloc,
                    ggk_source **out, ggk_error *err);

/* ggk_source_from_memory - a caller's buffer, which must outlive the source and
 * not change while it is used. */
GGK_API GGK_MUST_CHECK ggk_status ggk_source_from_memory(
    const void *data, size_t bytes, const ggk_allocator *alloc,
    ggk_source **out, ggk_error *err);

/* How to read from anything else. `read` puts up to `bytes` bytes from position
 * `off` into `buf` and their number, 0 at the end, into `*got`; it returns 0 or
 * an errno. While a model is opened the positions only ascend, each call
 * starting where the last one ended, so that a pipe will do; reading tensors
 * asks for any position. `close` may be NULL. Calls come from the threads that
 * use the model. */
typedef struct ggk_callbacks {
    int (*read)(void *ctx, uint64_t off, void *buf, size_t bytes, size_t *got);
    void (*close)(void *ctx);
    void *ctx;
    uint64_t size; /* GGK_SIZE_UNKNOWN for a stream */
} ggk_callbacks;

/* ggk_source_from_callbacks - a source over a caller's functions. `callbacks`
 * is copied. On failure `close` is not called. */
GGK_API GGK_MUST_CHECK ggk_status ggk_source_from_callbacks(
    const ggk_callbacks *callbacks, const ggk_allocator *alloc,
    ggk_source **out, ggk_error *err);

/* ggk_source_size - bytes of the file when it was opened, or GGK_SIZE_UNKNOWN.
 */
GGK_API uint64_t ggk_source_size(const ggk_source *source);

/* ggk_source_view - the whole file as memory, or NULL for a source that has
 * none. `*bytes` is its length. */
GGK_API const void *ggk_source_view(const ggk_source *source, size_t *bytes);

/* ggk_source_read - exactly `bytes` bytes from `off`. A file that ends sooner
 * is GGK_E_CHANGED where its size promised them, else GGK_E_TRUNCATED. */
GGK_API GGK_MUST_CHECK ggk_status ggk_source_read(const ggk_source *source,
                                                  uint64_t off, void *buf,
                                                  size_t bytes, ggk_error *err);
GGK_API void ggk_source_close(ggk_source *source);

/* ggk_source_byte_order - of the GGUF at its start: is it big-endian? Of what
 * is none it says false. */
GGK_API GGK_MUST_CHECK ggk_status ggk_source_byte_order(
    const ggk_source *source, bool *big_endian, ggk_error *err);

/* ------------------------------------------------------------------ opening */

/* An open model: one file, or the shards of a split set as one. */
typedef struct ggk_model ggk_model;

#define GGK_OPEN_SINGLE 1u /* read this file alone, even if it is a shard */

typedef struct ggk_open_opts {
    size_t struct_bytes; /* sizeof(ggk_open_opts); the rest may be zero, and
                            what an older caller's lacks counts as such */
    uint32_t flags;      /* GGK_OPEN_* */
    uint32_t reserved;   /* 0 */
    uint64_t base_off;   /* where in the file (in every shard) the GGUF
                            starts */
    uint64_t max_header_bytes;   /* most that is held in memory of the header of
                                    a source without a view; 0: 1 GiB */
    uint64_t hash_seed[2];       /* 0, 0: chosen anew for every model */
    const ggk_type_table *types; /* NULL: built-in types only; must outlive
                                    the model */
    const ggk_allocator *allocator; /* NULL: malloc; copied */
    /* Opens the file, and each further shard, with an `err` that is never
     * NULL; NULL: ggk_source_open_file. For a folder it fails with GGK_E_IO and
     * sys_errno EISDIR: then the folder is searched (by opendir). For a file
     * that is not there it fails with GGK_E_IO and ENOENT: then a shard counts
     * as missing. Any other failure ends the opening. If the shards are not
     * those of their names, a few dozen more files of the folder are opened, to
     * tell which have to be renamed. */
    ggk_status (*open_source)(void *ctx, const char *path, ggk_source **out,
                              ggk_error *err);
    void *open_ctx;
} ggk_open_opts;

/* ggk_model_open - open `path`, which may be any shard of a split set: its
 * other shards, found by name beside it, are opened with it. Reads the header
 * only, each byte once, in time linear in the header; tensor data is not
 * touched.
 *
 * What opens: versions 1 to 3, either byte order, and every oddity that leaves
 * one meaning (format 9): duplicate names, gaps and overlaps, unknown tensor
 * types, tensor data beyond the end of the file. See ggk_model_file for those.
 * Errors: all of GGK_E_IO to GGK_E_SPLIT_MISSING. */
GGK_API GGK_MUST_CHECK ggk_status ggk_model_open(const char *path,
                                                 const ggk_open_opts *opts,
                                                 ggk_model **out,
                                                 ggk_error *err);

/* ggk_model_open_source - open one GGUF from a source, which the model takes
 * over and closes, at once if opening fails. A shard opened like this is read
 * alone: it has no name to find the others by. */
GGK_API GGK_MUST_CHECK ggk_status
ggk_model_open_source(ggk_source *source, const ggk_open_opts *opts,
                      ggk_model **out, ggk_error *err);
GGK_API void ggk_model_close(ggk_model *model);

/* -------------------------------------------------------- the file as a whole
 */

/* One file of a model: what its header says and where its parts lie. */
typedef struct ggk_file {
    const char *path; /* as opened; NULL for a source */
    uint32_t version; /* 1, 2 or 3 */
    bool big_endian;
    bool swapped_magic; /* "FUGG" */
    uint64_t alignment;
    uint64_t n_kv;
    uint64_t n_tensors;
    uint64_t base_off; /* where the GGUF starts */
    uint64_t kv_off;   /* first key-value: after the fixed header */
    uint64_t info_off; /* first tensor info: after the key-values */
    uint64_t head_end; /* end of the tensor infos */
    uint64_t data_off; /* head_end rounded up to the alignment; tensor offsets
                          count from here. May lie past the end of the file */
    uint64_t data_end; /* end of the last data byte; head_end if none */
    uint64_t size;     /* bytes it has, or GGK_SIZE_UNKNOWN */
    uint64_t trailing; /* bytes past data_end and the padding after it */
    uint64_t first_missing; /* index in the model of the first tensor, in file
                               order, that is not all there; GGK_NONE if all
                               are, or nobody can know */
    bool looks_cut; /* the name is that of one part of a file cut in pieces
                       ("model.gguf.part1of2", "model-split-a") */
    uint64_t first_tensor; /* index in the model of its first one; it has the
                              n_tensors from there on */
    uint64_t reserved[7];
} ggk_file;

#define GGK_NONE UINT64_MAX

/* ggk_model_file - facts of file `i` of the model, shard order. Returns
 * GGK_E_RANGE past the last. */
GGK_API uint32_t ggk_model_n_files(const ggk_model *model);
GGK_API GGK_MUST_CHECK ggk_status ggk_model_file(const ggk_model *model,
                                                 uint32_t i, ggk_file *out,
                                                 ggk_error *err);

/* ggk_model_stale_shards - how many files beside those of a set have names of
 * shards with its prefix and another count, as an earlier split leaves them;
 * the first of these names goes into `name`, cut to `name_bytes` with its NUL.
 * None if the model is no set of files, or the folder cannot be read. Errors:
 * GGK_E_NOMEM. */
GGK_API GGK_MUST_CHECK ggk_status ggk_model_stale_shards(const ggk_model *model,
                                                         uint64_t *n,
                                                         char *name,
                                                         size_t name_bytes,
                                                         ggk_error *err);

/* ggk_model_type - the type with that id: from the table the model was opened
 * with, else built in; NULL if neither knows it. */
GGK_API const ggk_type_info *ggk_model_type(const ggk_model *model,
                                            uint32_t id);

/* ggk_model_n_dup_kv / _tensors - how many keys (tensors) repeat the name of an
 * earlier one. */
GGK_API uint64_t ggk_model_n_dup_kv(const ggk_model *model);
GGK_API uint64_t ggk_model_n_dup_tensors(const ggk_model *model);

/* --------------------------------------------------------------- key-values */

/* One key-value as it stands in the file. In a split set these are the keys of
 * the first shard. */
typedef struct ggk_kv {
    ggk_str key;
    uint32_t type;      /* GGK_VALUE_* */
    uint32_t elem_type; /* of an array's elements; else same as type */
    uint64_t n;         /* elements of an array; 1 for a scalar */
    uint64_t off;       /* the entry: its key's length field */
    uint64_t value_off; /* the value: after the type (and not the array head) */
    uint64_t end_off;   /* one past the value */
    uint64_t reserved[2];
} ggk_kv;

GGK_API uint64_t ggk_model_n_kv(const ggk_model *model);

/* ggk_model_kv - key-value `i`, file order. Errors: GGK_E_RANGE, GGK_E_CHANGED.
 */
GGK_API GGK_MUST_CHECK ggk_status ggk_model_kv(const ggk_model *model,
                                               uint64_t i, ggk_kv *out,
                                               ggk_error *err);

/* ggk_model_find_kv - index of the key-value with that key. Names are compared
 * byte by byte; one NUL at the end of a stored name does not count (early
 * writers put it there). If several match, `*out` is the first of them and the
 * result GGK_E_DUPLICATE. If none does: GGK_E_NOT_FOUND, `*out` GGK_NONE. */
GGK_API GGK_MUST_CHECK ggk_status ggk_model_find_kv(const ggk_model *model,
                                                    ggk_str key, uint64_t *out,
                                                    ggk_error *err);

/* ggk_is_split_key - does a key of that name tell which shard of how many a
 * file is? In a model of that architecture (which may be empty) these do:
 * split.no, split.count, split.tensors.count, the same three behind
 * "ARCHITECTURE.", general.split and general.split_count; one NUL at the end
 * does not count. */
GGK_API bool ggk_is_split_key(ggk_str key, ggk_str architecture);

/* ggk_is_required_key - does the architecture need the key (rule key-required)?
 */
GGK_API bool ggk_is_required_key(ggk_str key, ggk_str architecture);

/* ggk_is_space - is a key with that string for a value free space, which is no
 * part of the model: general.padding, of nothing but spaces and zero bytes?
 * With any other value it is a key like all others. ggk_model_kv_is_space - is
 * key-value `i`? */
GGK_API bool ggk_is_space(ggk_str key, ggk_str string);
GGK_API bool ggk_model_kv_is_space(const ggk_model *model, uint64_t i);

/* ggk_model_space - bytes of free space that the header of file `i` ends with;
 * 0: there is none. */
GGK_API uint64_t ggk_model_space(const ggk_model *model, uint32_t i);

/* ggk_model_kv_bytes - the value as stored: bytes value_off to end_off, in the
 * file's byte order. */
GGK_API GGK_MUST_CHECK ggk_status ggk_model_kv_bytes(const ggk_model *model,
                                                     uint64_t i, ggk_str *out,
                                                     ggk_error *err);

/* Typed getters by name. Besides those of ggk_model_find_kv they fail with
 * GGK_E_TYPE for another type (any array, always) and GGK_E_RANGE for a number
 * that does not fit. u64 and i64 take every integer width; f64 takes both float
 * types, and integers up to 2^53 in size; bool takes BOOL, any byte but 0 being
 * true. */
GGK_API GGK_MUST_CHECK ggk_status ggk_model_get_u64(const ggk_model *model,
                                                    ggk_str key, uint64_t *out,
                                                    ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_model_get_i64(const ggk_model *model,
                                                    ggk_str key, int64_t *out,
                                                    ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_model_get_f64(const ggk_model *model,
                                                    ggk_str key, double *out,
                                                    ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_model_get_bool(const ggk_model *model,
                                                     ggk_str key, bool *out,
                                                     ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_model_get_str(const ggk_model *model,
                                                    ggk_str key, ggk_str *out,
                                                    ggk_error *err);

/* One scalar. */
typedef struct ggk_value {
    uint32_t type; /* GGK_VALUE_*, never ARRAY (but see ggk_walk_next) */
    union {
        uint64_t u; /* UINT8 to UINT64; BOOL: the byte as stored */
        int64_t i;  /* INT8 to INT64 */
        double f;   /* FLOAT32 (widened) and FLOAT64 */
        ggk_str s;  /* STRING */
    } as;
} ggk_value;

/* A walk over one key's value, element by element, into nested arrays, without
 * recursion and without allocating. The fields are private. */
typedef struct ggk_walk {
    const ggk_model *model;
    uint64_t pos;   /* of the next element */
    uint64_t end;   /* of the value */
    uint64_t first; /* position of the outermost array's first element */
    uint64_t count; /* of its elements */
    uint64_t left[GGK_MAX_DEPTH + 1];
    uint32_t type[GGK_MAX_DEPTH + 1];
    uint32_t depth;
} ggk_walk;

typedef enum ggk_event {
    GGK_WALK_END = 0,   /* the value is over */
    GGK_WALK_VALUE = 1, /* a scalar: in *out */
    GGK_WALK_OPEN = 2,  /* an array begins: out->type is its element type and
                           out->as.u its element count */
    GGK_WALK_CLOSE = 3, /* it ends */
    GGK_WALK_BROKEN = 4 /* the file was changed since it was opened */
} ggk_event;

/* ggk_walk_start - begin before the value of key-value `i`. */
GGK_API GGK_MUST_CHECK ggk_status ggk_walk_start(const ggk_model *model,
                                                 uint64_t i, ggk_walk *out,
                                                 ggk_error *err);

/* ggk_walk_next - the next event. A scalar gives VALUE, END; an array OPEN, its
 * elements, CLOSE, END. After END or BROKEN the same comes again. */
GGK_API ggk_event ggk_walk_next(ggk_walk *walk, ggk_value *out);

/* ggk_walk_skip - pass over up to `n` elements of the array the walk is in
 * (nested arrays whole) and return how many there were. At once for elements
 * of fixed size; for strings a hop each, but of an outermost array no more than
 * some thousand. */
GGK_API uint64_t ggk_walk_skip(ggk_walk *walk, uint64_t n);

/* ggk_walk_depth - how many arrays the walk is in.
 * ggk_walk_position - where in the file its next element is. */
GGK_API uint32_t ggk_walk_depth(const ggk_walk *walk);
GGK_API uint64_t ggk_walk_position(const ggk_walk *walk);

/* ggk_walk_bytes - the bytes as stored that lie between two places of a walk:
 * `to` is a later state of `from`. Errors: GGK_E_CHANGED. */
GGK_API GGK_MUST_CHECK ggk_status ggk_walk_bytes(const ggk_walk *from,
                                                 const ggk_walk *to,
                                                 ggk_str *out, ggk_error *err);

/* Random access to the elements of one array of scalars, in constant time. */
typedef struct ggk_index ggk_index;

/* ggk_index_new - an index of array key-value `i`: for strings one pass over it
 * and 8 bytes of memory for each 32 of them, for other types neither. Lives no
 * longer than the model. Errors: GGK_E_TYPE (no array, or an array of arrays),
 * GGK_E_NOMEM, GGK_E_CHANGED. */
GGK_API GGK_MUST_CHECK ggk_status ggk_index_new(const ggk_model *model,
                                                uint64_t i, ggk_index **out,
                                                ggk_error *err);
GGK_API uint64_t ggk_index_count(const ggk_index *index);
GGK_API GGK_MUST_CHECK ggk_status ggk_index_get(const ggk_index *index,
                                                uint64_t i, ggk_value *out,
                                                ggk_error *err);
GGK_API void ggk_index_free(ggk_index *index);

/* ------------------------------------------------------------------ tensors */

#define GGK_MAX_DIMS 8

/* One tensor. Dimensions are in ggml's order: ne[0] is the row length, so
 * PyTorch's [3, 4] is ne = {4, 3}. Row-major: element (r, c) of a matrix is
 * number r * ne[0] + c. */
typedef struct ggk_tensor {
    ggk_str name;
    uint32_t type;             /* id; ggk_model_type names it */
    uint32_t n_dims;           /* 0 to 8 */
    uint64_t ne[GGK_MAX_DIMS]; /* 1 from n_dims on */
    uint64_t n_elements;
    uint64_t bytes;    /* of data; of an opaque tensor all bytes up to the next
                          tensor or the end of the file, padding included, or
                          GGK_SIZE_UNKNOWN when the end is not known */
    uint64_t rel_off;  /* as stored: from the start of the data */
    uint64_t data_off; /* of its first data byte in the file */
    uint64_t info_off; /* of its tensor info */
    uint64_t info_end; /* one past its tensor info */
    uint32_t file;     /* which file of the model */
    bool opaque;       /* the type is unknown or removed */
    uint64_t reserved[4];
} ggk_tensor;

GGK_API uint64_t ggk_model_n_tensors(const ggk_model *model);

/* ggk_model_tensor - tensor `i`, shard by shard, in the order of the tensor
 * infos. Errors: GGK_E_RANGE, GGK_E_CHANGED. */
GGK_API GGK_MUST_CHECK ggk_status ggk_model_tensor(const ggk_model *model,
                                                   uint64_t i, ggk_tensor *out,
                                                   ggk_error *err);

/* ggk_model_find_tensor - index of the tensor with that name; as
 * ggk_model_find_kv. */
GGK_API GGK_MUST_CHECK ggk_status ggk_model_find_tensor(const ggk_model *model,
                                                        ggk_str name,
                                                        uint64_t *out,
                                                        ggk_error *err);

/* ggk_model_read_tensor - `bytes` bytes of tensor `i`, from byte `off` of its
 * data, as stored. Errors: GGK_E_RANGE (past its end), GGK_E_DATA_MISSING,
 * GGK_E_IO, GGK_E_CHANGED. */
GGK_API GGK_MUST_CHECK ggk_status ggk_model_read_tensor(const ggk_model *model,
                                                        uint64_t i,
                                                        uint64_t off, void *buf,
                                                        size_t bytes,
                                                        ggk_error *err);

/* ggk_model_find_gap_byte - the first byte of file `i` that is not zero and
 * belongs to nothing: in the padding behind the header, between the tensors, or
 * after the last; GGK_NO_OFFSET in *out if there is none, or if the size is not
 * known. Reads no data of tensors, and of holes nothing. Errors: GGK_E_RANGE,
 * GGK_E_IO, GGK_E_CHANGED, GGK_E_NOMEM. */
GGK_API GGK_MUST_CHECK ggk_status ggk_model_find_gap_byte(
    const ggk_model *model, uint32_t i, uint64_t *out, ggk_error *err);

/* ----------------------------------------------------------------- judging */

/* Two sets of rules: what the format's description asks (ggml docs/gguf.md),
 * and what llama.cpp's loader and the programs around it need. */
#define GGK_PROFILE_SPEC      1u
#define GGK_PROFILE_LLAMA_CPP 2u

typedef enum ggk_severity {
    GGK_SEVERITY_NONE = 0, /* the profile has no such rule */
    GGK_SEVERITY_NOTE = 1,
    GGK_SEVERITY_WARNING = 2,
    GGK_SEVERITY_ERROR = 3
} ggk_severity;

/* A rule: its lasting name, its weight under each profile, what it means that a
 * file breaks it, and what to do about it. */
typedef struct ggk_rule {
    const char *id;
    ggk_severity spec;
    ggk_severity llama_cpp;
    const char *meaning;
    const char *fix;
} ggk_rule;

/* ggk_rule_count / ggk_rule_at - all rules; NULL past the last. */
GGK_API size_t ggk_rule_count(void);
GGK_API const ggk_rule *ggk_rule_at(size_t i);

/* Something that breaks a rule. Valid during the call that reports it. */
typedef struct ggk_finding {
    const ggk_rule *rule;
    uint32_t file;     /* which shard of its set, from 0 */
    uint64_t offset;   /* first byte at fault, or GGK_NO_OFFSET */
    const char *where; /* its field: "tensor[3].offset"; "" if none */
    const char *what;  /* one sentence; names in it are not made printable */
    uint64_t more; /* 0; else this stands for so many more of the same rule */
    /* Of the rules of numbers: the tensor of the model, how many of its numbers
     * or blocks it is, and the first number; else GGK_NONE, 0 and GGK_NONE. */
    uint64_t tensor;
    uint64_t count;
    uint64_t number;
} ggk_finding;

/* Return false to stop. */
typedef bool ggk_on_finding(void *ctx, const ggk_finding *finding);

/* How far llama.cpp's loader (gguf_init_from_file of v0.5.0) gets. */
typedef enum ggk_loads {
    GGK_LOADS_NOT = 0,      /* it refuses the header */
    GGK_LOADS_METADATA = 1, /* the header, but not with the data */
    GGK_LOADS_ALL = 2
} ggk_loads;

/* The outcome: how many findings of each severity (by ggk_severity) under each
 * profile, and the loader's verdict with its reason (a sentence, or ""). That
 * nothing was found tells nothing of a model without tensors, nor of one whose
 * architecture has no rules. */
typedef struct ggk_verdict {
    uint64_t spec[4];
    uint64_t llama_cpp[4];
    ggk_loads loads;
    char reason[256];
    uint64_t n_tensors;  /* of all files that were judged */
    uint64_t arch_rules; /* 1: there are rules about which keys and tensors
                            llama.cpp wants of its architecture; else 0 */
    uint64_t is_imatrix; /* 1: it says that it is an importance matrix; else 0:
                            ggk_imatrix_check judges those */
    uint64_t n_looked;   /* tensors whose numbers ggk_check_data judged */
    uint64_t reserved[4];
} ggk_verdict;

typedef struct ggk_check_opts {
    size_t struct_bytes;       /* sizeof(ggk_check_opts) */
    uint32_t profiles;         /* GGK_PROFILE_*; 0: both */
    uint32_t max_per_rule;     /* findings reported one by one; 0: 10 */
    const ggk_open_opts *open; /* NULL: defaults */
} ggk_check_opts;

/* ggk_check - judge the file `path`, or all shards of its set, by every rule,
 * in one pass over the header and the padding; tensor data is not read. A file
 * that does not open is a finding too, not an error; of one whose header is
 * broken in the middle, what stands before is judged; of a set that is not
 * whole, the file that was named. Findings come as they are met: of each file
 * its header, keys, tensors and layout; then of the model as a whole. Each
 * rule's come at most max_per_rule times; the rest at the end, once, with
 * `more` set. `on_finding` may be NULL. Errors: GGK_E_IO to GGK_E_LIMIT (then
 * nothing is known), GGK_E_ARG; of a folder that is not one model's
 * GGK_E_SPLIT. */
GGK_API GGK_MUST_CHECK ggk_status ggk_check(const char *path,
                                            const ggk_check_opts *opts,
                                            ggk_on_finding *on_finding,
                                            void *ctx, ggk_verdict *out,
                                            ggk_error *err);

/* ggk_check_source - the same for one source, which is closed. */
GGK_API GGK_MUST_CHECK ggk_status ggk_check_source(ggk_source *source,
                                                   const ggk_check_opts *opts,
                                                   ggk_on_finding *on_finding,
                                                   void *ctx, ggk_verdict *out,
                                                   ggk_error *err);

/* --------------------------------------------------------- hyperparameters */

/* What a program must know to run a model: the numbers under
 * "<architecture>.", by their keys. Values are pinned. */
typedef enum ggk_param {
    GGK_PARAM_BLOCK_COUNT = 0,
    GGK_PARAM_CONTEXT_LENGTH = 1,
    GGK_PARAM_EMBEDDING_LENGTH = 2,
    GGK_PARAM_FEED_FORWARD_LENGTH = 3, /* may differ from layer to layer */
    GGK_PARAM_HEAD_COUNT = 4,          /* may differ from layer to layer */
    GGK_PARAM_HEAD_COUNT_KV = 5,       /* may differ from layer to layer */
    GGK_PARAM_KEY_LENGTH = 6,
    GGK_PARAM_VALUE_LENGTH = 7,
    GGK_PARAM_KEY_LENGTH_SWA = 8,
    GGK_PARAM_VALUE_LENGTH_SWA = 9,
    GGK_PARAM_LAYER_NORM_EPSILON = 10,
    GGK_PARAM_LAYER_NORM_RMS_EPSILON = 11,
    GGK_PARAM_SLIDING_WINDOW = 12,
    GGK_PARAM_SLIDING_WINDOW_PATTERN = 13, /* a period, or one for each layer */
    GGK_PARAM_Q_LORA_RANK = 14,
    GGK_PARAM_KV_LORA_RANK = 15,
    GGK_PARAM_KEY_LENGTH_MLA = 16,
    GGK_PARAM_VALUE_LENGTH_MLA = 17,
    GGK_PARAM_MAX_ALIBI_BIAS = 18,
    GGK_PARAM_CLAMP_KQV = 19,
    GGK_PARAM_ROPE_DIMENSION_COUNT = 20,
    GGK_PARAM_ROPE_FREQ_BASE = 21,
    GGK_PARAM_ROPE_FREQ_BASE_SWA = 22,
    GGK_PARAM_ROPE_SCALING_TYPE = 23,
    GGK_PARAM_ROPE_SCALING_FACTOR = 24,
    GGK_PARAM_ROPE_SCALING_ORIGINAL_CONTEXT_LENGTH = 25,
    GGK_PARAM_EXPERT_COUNT = 26,
    GGK_PARAM_EXPERT_USED_COUNT = 27,
    GGK_PARAM_EXPERT_SHARED_COUNT = 28,
    GGK_PARAM_EXPERT_FEED_FORWARD_LENGTH = 29,
    GGK_PARAM_LEADING_DENSE_BLOCK_COUNT = 30,
    GGK_PARAM_SSM_CONV_KERNEL = 31,
    GGK_PARAM_SSM_INNER_SIZE = 32,
    GGK_PARAM_SSM_STATE_SIZE = 33,
    GGK_PARAM_SSM_TIME_STEP_RANK = 34,
    GGK_PARAM_SSM_GROUP_COUNT = 35,
    GGK_PARAM_VOCAB_SIZE = 36
} ggk_param;

#define GGK_PARAM_COUNT 37
#define GGK_PARAM_ROOM  64 /* there will not be more before version 1 ends */

/* ggk_param_key - the key without its architecture: "attention.head_count" for
 * GGK_PARAM_HEAD_COUNT; NULL for a number that is none. */
GGK_API const char *ggk_param_key(uint32_t param);

typedef enum ggk_origin {
    GGK_ORIGIN_NONE = 0,    /* neither stored nor known, and not required */
    GGK_ORIGIN_STORED = 1,  /* in the file */
    GGK_ORIGIN_DEFAULT = 2, /* what llama.cpp takes where nothing is stored */
    GGK_ORIGIN_MISSING = 3  /* required, but not stored, and without default */
} ggk_origin;

/* The value of one of them. */
typedef struct ggk_param_value {
    ggk_origin origin;
    uint64_t kv; /* the key-value it is from, or GGK_NONE */
    const char
        *rule;       /* of a default: what it is made of, "attention.head_count"
                        or "embedding_length / attention.head_count";
                        "llama.cpp" for a constant. Else NULL */
    ggk_value value; /* of type UINT64, FLOAT32, FLOAT64 or STRING; ARRAY if
                        there is one for each layer: see ggk_config_layer */
} ggk_param_value;

#define GGK_CONFIG_MAX_MISSING 16
#define GGK_CONFIG_MAX_LAYERS  1048576

/* The configuration of a model. */
typedef struct ggk_config {
    ggk_str architecture; /* general.architecture */
    bool known;        /* there are rules for it; else nothing below is set */
    uint64_t n_layers; /* its block count; 0 if that is missing */
    ggk_param_value params[GGK_PARAM_ROOM]; /* by ggk_param */
    uint32_t n_missing;
    const char *missing[GGK_CONFIG_MAX_MISSING]; /* keys that are required and
                               have no default, without their architecture */
    uint64_t reserved[8];
} ggk_config;

/* ggk_model_config - read the hyperparameters, apply the defaults, list what is
 * missing. Integers of every width are taken, one for all layers or an array of
 * one for each. Errors: GGK_E_NOT_FOUND (no general.architecture),
 * GGK_E_DUPLICATE, GGK_E_TYPE; GGK_E_RANGE for a number that no model can have:
 * a count of 2^32 or more, 0 heads in all layers, over GGK_CONFIG_MAX_LAYERS
 * layers, an array that is not as long as there are layers. */
GGK_API GGK_MUST_CHECK ggk_status ggk_model_config(const ggk_model *model,
                                                   ggk_config *out,
                                                   ggk_error *err);

/* What a layer keeps of the tokens before. */
typedef enum ggk_layer_kind {
    GGK_LAYER_NONE = 0,     /* nothing: it has no attention */
    GGK_LAYER_FULL = 1,     /* keys and values of every token */
    GGK_LAYER_WINDOW = 2,   /* those of the last `window` tokens */
    GGK_LAYER_MLA = 3,      /* of every token one compressed vector, from which
                               both key and value are made */
    GGK_LAYER_RECURRENT = 4 /* a state of fixed size */
} ggk_layer_kind;

typedef struct ggk_layer {
    ggk_layer_kind kind;
    uint64_t feed_forward_length; /* 0 if not known */
    uint64_t head_count;          /* 0 if there are none, as the next four */
    uint64_t head_count_kv;
    uint64_t key_length; /* numbers in a head's key, in its value */
    uint64_t value_length;
    uint64_t window;
    uint64_t k_row; /* numbers kept for a token: of keys, of values */
    uint64_t v_row;
    uint64_t state; /* numbers of a recurrent layer's state */
    uint64_t reserved[4];
} ggk_layer;

/* ggk_config_layer - layer `i` of a model, whose configuration this is. Errors:
 * GGK_E_RANGE (no such layer), GGK_E_NOT_FOUND (a key that is needed for it is
 * missing), GGK_E_UNSUPPORTED (no rules for the architecture's layers),
 * GGK_E_OVERFLOW, GGK_E_CHANGED. */
GGK_API GGK_MUST_CHECK ggk_status ggk_config_layer(const ggk_config *config,
                                                   const ggk_model *model,
                                                   uint64_t i, ggk_layer *out,
                                                   ggk_error *err);

/* The cache of one sequence of tokens, in all layers of each kind. */
typedef struct ggk_kv_bytes {
    uint64_t n_full; /* layers; those with MLA are counted as full */
    uint64_t n_window;
    uint64_t n_recurrent;
    uint64_t full_token;   /* bytes of one token in the full layers */
    uint64_t window_token; /* bytes of one token in those with a window... */
    uint64_t window;       /* ...which keep so many */
    uint64_t state;        /* bytes of the recurrent layers (F32), whatever the
                              number of tokens */
    uint64_t total;        /* bytes of the tokens that were asked for */
    uint64_t reserved[4];
} ggk_kv_bytes;

/* ggk_config_kv_bytes - bytes of the cache of `n_tokens` tokens, keys stored as
 * `k_type` and values as `v_type`. Layers with a window count as many tokens as
 * it holds: llama.cpp adds room for a batch, and rounds up to 256. Errors: as
 * ggk_config_layer; GGK_E_BLOCK (a head is not a whole number of blocks, which
 * llama.cpp asks for), GGK_E_OVERFLOW, GGK_E_UNSUPPORTED (a removed type). */
GGK_API GGK_MUST_CHECK ggk_status
ggk_config_kv_bytes(const ggk_config *config, const ggk_model *model,
                    const ggk_type_info *k_type, const ggk_type_info *v_type,
                    uint64_t n_tokens, ggk_kv_bytes *out, ggk_error *err);

/* -------------------------------------------------------------- file names */

/* What a file name says by the convention of ggml docs/gguf.md, part by part:
 *
 *     [Sidecar-]BaseName-SizeLabel[-FineTune]-Version[-Encoding][-Kind]
 *     [-Shard].gguf
 *
 *     mmproj-Qwen2-VL-7B-v1.0-F16.gguf
 *     Mixtral-8x7B-Instruct-v0.1-Q4_K_M-00002-of-00003.gguf
 *
 * The strings are views into the name that was parsed; a part that is not there
 * is empty. */
typedef struct ggk_file_name {
    ggk_str sidecar;    /* "mmproj" or "mtp" */
    ggk_str base_name;  /* "Qwen2-VL" */
    ggk_str size_label; /* "8x7B", "3.8B-ContextLength4k", "30B-A3B" */
    ggk_str fine_tune;  /* "Instruct" */
    ggk_str version;    /* "v0.1" */
    ggk_str encoding;   /* "Q4_K_M", "UD-Q4_K_XL" */
    ggk_str kind;       /* "LoRA" or "vocab" */
    uint32_t shard;     /* from 1; 0: it names no shard */
    uint32_t shards;
    const char *breaks; /* how the name breaks the convention, a sentence such
                           as "it has no version"; NULL if it does not */
    uint64_t reserved[4];
} ggk_file_name;

/* ggk_file_name_parse - take a file name apart, as far as its parts can be
 * told; folders before it do not count. Returns whether it keeps the
 * convention: base name, size label and version are there, and nothing is out
 * of its place. Any bytes will do; time is linear. */
GGK_API bool ggk_file_name_parse(ggk_str name, ggk_file_name *out);

/* ggk_file_name_format - the name of these parts, without those that are empty;
 * bytes that have no place in a name become dashes, and a version gets its "v".
 * Writes what fits of it and a NUL into `out_bytes` bytes; returns the length
 * of the whole, as snprintf does. */
GGK_API size_t ggk_file_name_format(const ggk_file_name *name, char *out,
                                    size_t out_bytes);

/* The number that a size label begins with: 8 x 7000000000 for "8x7B". */
typedef struct ggk_size_label {
    uint64_t experts;    /* 0: it has no "8x" */
    uint64_t parameters; /* rounded down, where 1.5 of a unit is no integer */
} ggk_size_label;

/* ggk_size_label_parse - false if it is none, or too large.
 * ggk_size_label_format - as the tools of llama.cpp round it: two digits at
 * least, "270M", "1.5B", "8x7.0B". Writes at most GGK_SIZE_LABEL_BYTES and
 * returns the length. */
#define GGK_SIZE_LABEL_BYTES 48
GGK_API bool ggk_size_label_parse(ggk_str label, ggk_size_label *out);
GGK_API size_t ggk_size_label_format(const ggk_size_label *label, char *out);

/* ---------------------------------------------------------- values to write */

/* A value in the making: a scalar, or arrays element by element. */
typedef struct ggk_builder ggk_builder;

/* ggk_builder_new - a builder that holds nothing yet. */
GGK_API GGK_MUST_CHECK ggk_status ggk_builder_new(const ggk_allocator *alloc,
                                                  ggk_builder **out,
                                                  ggk_error *err);
GGK_API void ggk_builder_free(ggk_builder *builder);

/* ggk_builder_put - the value itself, or the next element of the array that is
 * open, whose type it must have. Strings are copied. FLOAT32 takes the nearest
 * float of as.f. Errors: GGK_E_TYPE (another type than the array's elements, or
 * a value after the value), GGK_E_RANGE (the type cannot hold it; a finite
 * number that no finite float is near to), GGK_E_NOMEM. After a failure nothing
 * has changed. */
GGK_API GGK_MUST_CHECK ggk_status ggk_builder_put(ggk_builder *builder,
                                                  const ggk_value *value,
                                                  ggk_error *err);

/* ggk_builder_open - begin an array of elements of `elem_type`; within an array
 * of arrays, its next element.
 * ggk_builder_close - end it. Errors: GGK_E_TYPE; GGK_E_ELEM_TYPE; GGK_E_DEPTH;
 * GGK_E_ARG (none is open); GGK_E_NOMEM. */
GGK_API GGK_MUST_CHECK ggk_status ggk_builder_open(ggk_builder *builder,
                                                   uint32_t elem_type,
                                                   ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_builder_close(ggk_builder *builder,
                                                    ggk_error *err);

/* ------------------------------------------------------------------- plans */

/* What is to be written: files, each an ordered list of key-values and tensors.
 * Nothing is read or written before ggk_plan_run, so that sizes, a dry run and
 * the space that is needed are exact. A plan borrows the models and sources
 * that it takes bytes from: they must outlive it. Where a function that fills
 * it with more than one thing fails, it is half done: then every function that
 * needs a layout fails with GGK_E_ARG, and nothing is written. */
typedef struct ggk_plan ggk_plan;

GGK_API GGK_MUST_CHECK ggk_status ggk_plan_new(const ggk_allocator *alloc,
                                               ggk_plan **out, ggk_error *err);
GGK_API void ggk_plan_free(ggk_plan *plan);

/* ggk_plan_add_file - one more file to write: version 3, little-endian, empty.
 * `path` is copied. `*file` is its number, from 0.
 * ggk_plan_set_format - another version (2 or 3), or big-endian. The data of
 * tensors is swapped as their types ask. Errors: GGK_E_ARG, GGK_E_NOMEM;
 * GGK_E_UNSUPPORTED (big-endian, but not version 3). */
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_add_file(ggk_plan *plan,
                                                    const char *path,
                                                    uint32_t *file,
                                                    ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_set_format(ggk_plan *plan,
                                                      uint32_t file,
                                                      uint32_t version,
                                                      bool big_endian,
                                                      ggk_error *err);

/* What a planned file is. Values are pinned. */
typedef enum ggk_file_format {
    GGK_FORMAT_GGUF = 0,
    GGK_FORMAT_SAFETENSORS = 1, /* any number of tensors */
    GGK_FORMAT_NPY = 2,         /* one tensor, as NumPy saves an array */
    GGK_FORMAT_RAW = 3          /* the bytes of one tensor, nothing else */
} ggk_file_format;

/* ggk_plan_add_array_file - one more file, which is no GGUF but holds tensors
 * alone: in one of the other formats, for which the plan's functions for
 * tensors, and no others, are. It keeps data as it is stored; but numbers are
 * little-endian in safetensors and .npy, while GGK_FORMAT_RAW keeps the byte
 * order too. Types that only ggml knows become arrays of bytes, rows of the
 * bytes of a row; the metadata of safetensors has their names. Shapes are
 * turned round, the row length last. In safetensors the data of types with wide
 * elements comes first, so that all is aligned to them.
 *
 * Errors: GGK_E_ARG, GGK_E_NOMEM. The layout (ggk_plan_file) fails with
 * GGK_E_ARG if a file for one tensor has another number of them; of safetensors
 * with GGK_E_DUPLICATE (two tensors of one name), GGK_E_UNSUPPORTED (a name
 * that is not UTF-8, or "__metadata__"; a header of more than 100 MB). */
GGK_API GGK_MUST_CHECK ggk_status
ggk_plan_add_array_file(ggk_plan *plan, const char *path,
                        ggk_file_format format, uint32_t *file, ggk_error *err);

/* ggk_plan_copy_keys - append all key-values of file `from` of a model, with
 * their types, bytes and order; without free space (ggk_model_kv_is_space).
 * An empty file for which ggk_plan_set_format was not called takes the byte
 * order of the model's.
 * ggk_plan_copy_kv - one of them: number `i` of ggk_model_kv.
 * ggk_plan_copy_tensor - append tensor `i` of a model. Errors: GGK_E_RANGE,
 * GGK_E_CHANGED, GGK_E_NOMEM; GGK_E_DATA_MISSING (its data is not all there);
 * GGK_E_UNSUPPORTED (an opaque tensor of unknown size); GGK_E_OVERLAP (so many
 * overlap that they are more than 64 times the file).
 * ggk_plan_copy_file - both, for file `from` and all of its tensors.
 * ggk_plan_add_input - count file `from` of a model among those that bytes are
 * taken from, even if none are: GGK_RUN_REPLACE lets it be replaced.
 * ggk_plan_guard_file - let the plan neither replace nor remove the file that
 * `path` leads to: something was read from it. Inputs are guarded without.
 * Errors: GGK_E_IO, GGK_E_NOMEM. */
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_copy_keys(ggk_plan *plan,
                                                     uint32_t file,
                                                     const ggk_model *model,
                                                     uint32_t from,
                                                     ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_copy_kv(ggk_plan *plan,
                                                   uint32_t file,
                                                   const ggk_model *model,
                                                   uint64_t i, ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_copy_tensor(ggk_plan *plan,
                                                       uint32_t file,
                                                       const ggk_model *model,
                                                       uint64_t i,
                                                       ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_copy_file(ggk_plan *plan,
                                                     uint32_t file,
                                                     const ggk_model *model,
                                                     uint32_t from,
                                                     ggk_error *err);

GGK_API GGK_MUST_CHECK ggk_status ggk_plan_add_input(ggk_plan *plan,
                                                     const ggk_model *model,
                                                     uint32_t from,
                                                     ggk_error *err);

GGK_API GGK_MUST_CHECK ggk_status ggk_plan_guard_file(ggk_plan *plan,
                                                      const char *path,
                                                      ggk_error *err);

/* A tensor that is from no model. */
typedef struct ggk_new_tensor {
    ggk_str name; /* copied */
    uint32_t type;
    uint32_t n_dims;
    uint64_t ne[GGK_MAX_DIMS];
    const ggk_source *source;    /* its bytes, as they are to be stored, */
    uint64_t off;                /* from here on, */
    bool big_endian;             /* in this byte order */
    const ggk_type_table *types; /* NULL: built-in types only */
    uint64_t reserved[4];        /* 0 */
} ggk_new_tensor;

/* ggk_plan_add_tensor - append it. Errors: as ggk_type_tensor_bytes;
 * GGK_E_UNSUPPORTED (its type is not known); GGK_E_DATA_MISSING (the source
 * ends before it does). */
GGK_API GGK_MUST_CHECK ggk_status
ggk_plan_add_tensor(ggk_plan *plan, uint32_t file, const ggk_new_tensor *tensor,
                    ggk_error *err);

/* ggk_plan_set_kv - give a key this value: in its place if the file has the
 * key, else as its last one. The value is copied. general.alignment decides the
 * layout: a power of two as UINT32. Errors: GGK_E_DUPLICATE (the file has the
 * key more than once), GGK_E_ARG (the builder holds no whole value; an empty
 * key), GGK_E_ALIGN, GGK_E_ALIGN_TYPE, GGK_E_NOMEM.
 * ggk_plan_remove_kv - remove the key, as often as it is there: that takes a
 * look at all keys.
 * ggk_plan_rename_kv - Errors: GGK_E_NOT_FOUND, GGK_E_DUPLICATE (the old name
 * is there twice), GGK_E_EXISTS (the new one is there), GGK_E_ALIGN and
 * GGK_E_ALIGN_TYPE (general.alignment would not be one). */
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_set_kv(ggk_plan *plan, uint32_t file,
                                                  ggk_str key,
                                                  const ggk_builder *value,
                                                  ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_remove_kv(ggk_plan *plan,
                                                     uint32_t file, ggk_str key,
                                                     ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_rename_kv(ggk_plan *plan,
                                                     uint32_t file,
                                                     ggk_str from, ggk_str to,
                                                     ggk_error *err);

/* ggk_plan_set_element - give element `i` of the array that a key holds this
 * value, of the type of its elements (of an array of arrays, another array); or
 * append it, if `i` is their number. All other elements keep their bytes. To
 * reach a string takes a look at those before it.
 * Errors: GGK_E_NOT_FOUND, GGK_E_DUPLICATE, GGK_E_ARG; GGK_E_TYPE (no array, or
 * of another type), GGK_E_RANGE, GGK_E_DEPTH, GGK_E_CHANGED, GGK_E_NOMEM. After
 * a failure nothing has changed.
 * ggk_plan_view_kv - the value that a key has now, as key-value 0 of a model
 * that holds nothing else. The caller closes it; it does not change with the
 * plan. Errors: GGK_E_NOT_FOUND, GGK_E_DUPLICATE, GGK_E_CHANGED, GGK_E_NOMEM,
 * and of what cannot be read: general.alignment that is none. */
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_set_element(ggk_plan *plan,
                                                       uint32_t file,
                                                       ggk_str key, uint64_t i,
                                                       const ggk_builder *value,
                                                       ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_view_kv(ggk_plan *plan,
                                                   uint32_t file, ggk_str key,
                                                   ggk_model **out,
                                                   ggk_error *err);

/* ggk_plan_convert_tensor - have tensor `i` of a file of the plan written as
 * another type, one of single numbers that can be had of floats: F32, F16, BF16
 * or F64. A number that is NaN or infinite stays so; one of I32, I64 or F64
 * becomes the nearest float first. Running the plan fails with GGK_E_VALUE
 * where a number is too large for the type, as that of ggk_plan_quantize does.
 * Errors: GGK_E_RANGE, GGK_E_ARG (no such type; it is converted already),
 * GGK_E_UNSUPPORTED (its type cannot be dequantized), GGK_E_CHANGED,
 * GGK_E_NOMEM. */
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_convert_tensor(
    ggk_plan *plan, uint32_t file, uint64_t i, uint32_t type, ggk_error *err);

/* ggk_plan_remove_tensor / _rename_tensor - the same for tensors, in whichever
 * file of the plan they are; the number of that file into `*file`. A name may
 * be of any bytes. To remove one takes a look at all: of many, copy the rest.
 */
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_remove_tensor(ggk_plan *plan,
                                                         ggk_str name,
                                                         uint32_t *file,
                                                         ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_rename_tensor(
    ggk_plan *plan, ggk_str from, ggk_str to, uint32_t *file, ggk_error *err);

/* ggk_plan_number_shards - make the files of the plan shards of one set, in
 * their order: gives each split.no (UINT16, from 0), split.count (UINT16) and
 * split.tensors.count (INT32), in place of what it has of these; takes them
 * from a plan of one file. Errors: GGK_E_LIMIT (65535 shards, or 2^31-1
 * tensors, are the most that these keys can say), GGK_E_NOMEM. */
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_number_shards(ggk_plan *plan,
                                                         ggk_error *err);

typedef struct ggk_split_opts {
    size_t struct_bytes;  /* sizeof(ggk_split_opts) */
    uint64_t max_bytes;   /* of each file, header included; 0: any */
    uint64_t max_tensors; /* of each file; 0: any */
    bool no_tensor_first; /* the first file holds the keys alone */
} ggk_split_opts;

/* ggk_plan_split - distribute the tensors of a plan of one file over as many as
 * are needed, PREFIX-00001-of-0000N.gguf and so on, in order. The keys stay in
 * the first. A tensor that is larger than max_bytes gets a file of its own.
 * Errors: GGK_E_ARG, and those of ggk_plan_number_shards and
 * ggk_plan_file. */
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_split(ggk_plan *plan,
                                                 const char *prefix,
                                                 const ggk_split_opts *opts,
                                                 ggk_error *err);

/* A file that will be, in its layout. */
typedef struct ggk_planned_file {
    const char *path;
    uint32_t version; /* 0 if it is no GGUF */
    bool big_endian;
    uint64_t alignment;
    uint64_t n_kv;
    uint64_t n_tensors;
    uint64_t head_end; /* end of the tensor infos */
    uint64_t data_off; /* start of the data; head_end if there are no tensors */
    uint64_t size;     /* bytes of the whole file */
    ggk_file_format format;
    uint64_t reserved[4];
} ggk_planned_file;

typedef struct ggk_planned_tensor {
    ggk_str name; /* valid until the plan changes */
    uint32_t type;
    uint32_t n_dims;
    uint64_t ne[GGK_MAX_DIMS];
    uint64_t bytes;    /* of data, without padding */
    uint64_t data_off; /* in the file */
    uint64_t reserved[4];
} ggk_planned_tensor;

GGK_API uint32_t ggk_plan_n_files(const ggk_plan *plan);

/* ggk_plan_file / _tensor - the layout as it is now. Errors: GGK_E_RANGE; and
 * of the layout: GGK_E_ALIGN to GGK_E_ALIGN_DUP (general.alignment is none),
 * GGK_E_OVERFLOW; GGK_E_UNSUPPORTED (a tensor whose bytes cannot be swapped);
 * GGK_E_CHANGED. */
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_file(ggk_plan *plan, uint32_t file,
                                                ggk_planned_file *out,
                                                ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_tensor(ggk_plan *plan, uint32_t file,
                                                  uint64_t i,
                                                  ggk_planned_tensor *out,
                                                  ggk_error *err);

/* Tells how far a long call has got: `done` of `total` bytes. Called by the
 * calling thread, every few MiB, and often with the same numbers; false ends
 * the call with GGK_E_CANCELLED. */
typedef bool ggk_on_progress(void *ctx, uint64_t done, uint64_t total);

#define GGK_RUN_FORCE       1u /* replace files that are there */
#define GGK_RUN_REPLACE     2u /* those bytes are taken from, no others */
#define GGK_RUN_DRY         4u /* check all that can be, write nothing */
#define GGK_RUN_MAKE_FOLDER 8u /* that of file 0, where it is missing */

/* A shard of another set that was removed or, of a dry run, would be: its name,
 * in the folder of file 0. */
typedef void ggk_on_removed(void *ctx, const char *name);

typedef struct ggk_run_opts {
    size_t struct_bytes; /* sizeof(ggk_run_opts) */
    uint32_t flags;      /* GGK_RUN_* */
    uint32_t n_threads;  /* 0: one for each core */
    const char *backup;  /* a suffix such as ".bak": what is replaced is kept
                            under its name and that; NULL: it is not kept */
    ggk_on_progress *on_progress; /* may be NULL */
    void *progress_ctx;
    ggk_on_removed *on_removed; /* called once all is done; may be NULL */
    void *removed_ctx;
} ggk_run_opts;

/* ggk_plan_run - write the files. Two of one path are GGK_E_DUPLICATE. Each is
 * written beside its target, under a name of its own, synchronized, read again,
 * and renamed: after any failure the target is what it was, byte for byte, and
 * nothing is left behind (unless the failure is to wait for the folder, or to
 * remove what was replaced: then the new files are in place, and the error says
 * so). After a crash or SIGKILL a temporary may be left, which the next run to
 * that target removes. A target that is replaced keeps its mode, and its owner
 * where that can be; attributes and other links to it do not follow. A new file
 * is for no more users than what it was made of. No input, nor a guarded file,
 * is replaced or removed, not even one with a name like a temporary's or a
 * backup's: that is GGK_E_SAME_FILE, as is a target with a name like a
 * temporary's (".NAME.ggk-tmp"). A folder that was made goes again if the
 * run fails. `opts` may be NULL.
 *
 * If there are several files, all are written before the first is renamed; file
 * 0 is the last. If they are the shards of a set, and it replaces one, that is
 * set aside before any other is replaced, so that a set of which some shards
 * are old and some are new never opens; a run that was ended there is undone by
 * the next to these targets. Other shards of the prefix are in the way, unless
 * inputs are replaced: with GGK_RUN_FORCE they are removed, or become backups,
 * and on_removed is told of them, when all is done.
 *
 * What is not changed is copied in the kernel where that can be done; holes
 * stay holes. Errors: GGK_E_IO (sys_errno ENOSPC: there is no room, noticed
 * before anything is written), GGK_E_EXISTS, GGK_E_SAME_FILE, GGK_E_LOCKED,
 * GGK_E_CANCELLED, GGK_E_CHANGED, GGK_E_NOMEM, and those of the layout. */
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_run(ggk_plan *plan,
                                               const ggk_run_opts *opts,
                                               ggk_error *err);

/* ---------------------------------------------------------- editing in place
 */

/* How a file was edited where it lies. */
typedef enum ggk_way {
    GGK_WAY_NONE = 0,   /* it was not, and is as it was */
    GGK_WAY_PATCH = 1,  /* nothing got longer or shorter */
    GGK_WAY_SPACE = 2,  /* general.padding took up the difference */
    GGK_WAY_INSERT = 3, /* the file system made room in front of the data */
} ggk_way;

#define GGK_EDIT_DRY   1u /* tell which way it would be, change nothing */
#define GGK_EDIT_LINKS 2u /* also a file with several names, or a link's */

typedef struct ggk_edited {
    ggk_way way;
    const char *why_not; /* GGK_WAY_NONE: what kept it from that; static */
    uint64_t written;    /* bytes of the file, or with GGK_EDIT_DRY to be */
    uint64_t inserted;   /* bytes that it has more */
    uint64_t free;       /* bytes that general.padding holds then, for later */
    uint64_t n_kv;       /* key-values that the file has then, */
    uint64_t data_off;   /* where its data starts, */
    uint64_t size;       /* and its bytes */
    uint64_t reserved;
} ggk_edited;

/* ggk_plan_edit - do a plan by changing its one input where it lies, so that no
 * byte of tensor data is moved: the plan's one file has the path and the
 * tensors of that input, in their order, and only the header differs. The input
 * was opened by ggk_source_open_edit, and GGUF starts at its first byte.
 *
 * What is overwritten stands in a journal beside the file, ".NAME.ggk-journal",
 * until all is on the disk: after an interruption the file cannot be opened
 * (GGK_E_INTERRUPTED) until ggk_recover has made it what it was. What follows
 * the last tensor, and lies between tensors, stays. While it is edited no
 * other process can open it: those that try wait (the kernel asks for it back
 * with SIGURG, and after 45 s takes it). Room is made by
 * fallocate(FALLOC_FL_INSERT_RANGE), as ext4 and xfs have it; it costs the
 * file's place in the page cache.
 *
 * GGK_OK with GGK_WAY_NONE: it cannot be done like this, `why_not` says why,
 * and the file is as it was; use ggk_plan_run. With GGK_EDIT_DRY that may be
 * used in any case, and the plan shows what that would write; what would become
 * of the file in place is in `*out`. After it was done the plan and
 * its models can be read, but not run again. Errors: GGK_E_ARG (several files
 * or inputs), GGK_E_INTERRUPTED (it failed, and could not be undone:
 * ggk_recover), GGK_E_LOCKED (another process is writing to it), GGK_E_CHANGED,
 * GGK_E_IO, GGK_E_NOMEM, and those of the layout: then, too, the file is as it
 * was; unless the failure is to wait for the folder, after all else: then `way`
 * is not GGK_WAY_NONE, the file is edited, and the error says so. */
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_edit(ggk_plan *plan, uint32_t flags,
                                                ggk_edited *out,
                                                ggk_error *err);

/* ggk_plan_reserve - have a file end its key-values with `bytes` bytes of free
 * space, at most GGK_RESERVE_MOST, for edits in place later: a string
 * general.padding. For ggk_plan_edit it is the least that is to be left.
 * GGK_E_UNSUPPORTED: that key is there, and holds something else. */
#define GGK_RESERVE_MOST ((uint64_t)64 << 20)
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_reserve(ggk_plan *plan,
                                                   uint32_t file,
                                                   uint64_t bytes,
                                                   ggk_error *err);

typedef enum ggk_recovery {
    GGK_RECOVERY_NONE = 0,     /* no edit of the file was interrupted */
    GGK_RECOVERY_UNDONE = 1,   /* the file is what it was before the edit */
    GGK_RECOVERY_FOREIGN = 2,  /* the journal beside it is of another file, or
                                  another user's, or has another name too:
                                  nothing was done */
    GGK_RECOVERY_DISCARDED = 3 /* likewise, and the journal was removed */
} ggk_recovery;

#define GGK_RECOVER_DRY     1u /* tell, change nothing */
#define GGK_RECOVER_DISCARD 2u /* remove a journal that is foreign */

/* ggk_recover - undo an edit in place that was interrupted, if there was one.
 * `path` is the file's. Errors: GGK_E_LOCKED (another process has the file
 * open), GGK_E_INTERRUPTED (the journal is damaged, or the file was changed
 * since), GGK_E_EXISTS (GGK_RECOVER_DISCARD: the journal is of another file in
 * the folder, and can be of use to that), GGK_E_IO, GGK_E_NOMEM: then file and
 * journal are as they were, or it can be tried again. */
GGK_API GGK_MUST_CHECK ggk_status ggk_recover(const char *path, uint32_t flags,
                                              const ggk_allocator *alloc,
                                              ggk_recovery *out,
                                              ggk_error *err);

/* ggk_journals_find - what lies in a folder under the name of a journal, in the
 * order of these names: `on_journal` is given its path, and that of the file
 * that has it, NULL if there is no such file; false ends it. Errors: GGK_E_IO,
 * GGK_E_NOMEM. */
typedef bool ggk_on_journal(void *ctx, const char *journal, const char *file);
GGK_API GGK_MUST_CHECK ggk_status ggk_journals_find(const char *folder,
                                                    const ggk_allocator *alloc,
                                                    ggk_on_journal *on_journal,
                                                    void *ctx, ggk_error *err);

/* ggk_journal_owner - which file in its folder a journal is of: `path` is the
 * journal's, or that of a file that need not be there, for the journal beside
 * it. `on_journal` is called once: with the path of that file, and what the
 * journal has to be called to be its; or with its own path, and NULL, if it is
 * of no file in the folder. Errors: GGK_E_IO, GGK_E_NOMEM. */
GGK_API GGK_MUST_CHECK ggk_status ggk_journal_owner(const char *path,
                                                    const ggk_allocator *alloc,
                                                    ggk_on_journal *on_journal,
                                                    void *ctx, ggk_error *err);

/* ggk_journal_discard - remove a journal that is of no file in its folder, and
 * beside none; with GGK_RECOVER_DRY tell whether that can be. `path` is as
 * above. Errors: GGK_E_EXISTS (such a file is there), GGK_E_CHANGED, GGK_E_IO,
 * GGK_E_NOMEM. */
GGK_API GGK_MUST_CHECK ggk_status
ggk_journal_discard(const char *path, uint32_t flags,
                    const ggk_allocator *alloc, ggk_error *err);

/* ------------------------------------------------------------- differences */

/* What two models, a and b, may differ in. The kinds from SHARDS on are layout:
 * the same things in other places. Values are pinned. */
typedef enum ggk_diff_kind {
    GGK_DIFF_VERSION = 0, /* the first three: of their first files */
    GGK_DIFF_BYTE_ORDER = 1,
    GGK_DIFF_ALIGNMENT = 2,
    GGK_DIFF_KEY_REMOVED = 3, /* a has it, b has not */
    GGK_DIFF_KEY_ADDED = 4,   /* b has it, a has not */
    GGK_DIFF_KEY_CHANGED = 5,
    GGK_DIFF_TENSOR_REMOVED = 6,
    GGK_DIFF_TENSOR_ADDED = 7,
    GGK_DIFF_TENSOR_CHANGED = 8,
    GGK_DIFF_SHARDS = 9,        /* how many files there are */
    GGK_DIFF_KEY_ORDER = 10,    /* the keys of both, in another order */
    GGK_DIFF_TENSOR_ORDER = 11, /* likewise */
    GGK_DIFF_TENSOR_MOVED = 12  /* another offset, or another shard */
} ggk_diff_kind;

#define GGK_DIFF_KIND_COUNT 13
#define GGK_DIFF_KIND_ROOM  32 /* as GGK_PARAM_ROOM */

/* What changed, of a key or a tensor. */
#define GGK_DIFF_TYPE  1u /* of the value or its elements; of the tensor */
#define GGK_DIFF_VALUE 2u /* of a key; only if its type did not change */
#define GGK_DIFF_SHAPE 4u
#define GGK_DIFF_DATA  8u /* of a tensor; only if neither of these changed */

/* One difference. Valid during the call that reports it. */
typedef struct ggk_difference {
    ggk_diff_kind kind;
    uint32_t what; /* KEY_CHANGED, TENSOR_CHANGED: GGK_DIFF_* */
    uint64_t a, b; /* the key-value or tensor in each; GGK_NONE if not there */

    /* Of a VALUE that is an array: the first element that differs, or, if only
     * the lengths do, the shorter; and how many of the elements that both have
     * differ. Of a string: the first byte that differs, and 0. Of DATA: the
     * first byte that differs, and how many do, in the byte order of a. */
    uint64_t first;
    uint64_t n_differ;
    uint64_t n_blocks; /* of DATA: how many blocks differ; 0 if the type's are
                          not known */
} ggk_difference;

/* Return false to stop: ggk_diff then fails with GGK_E_CANCELLED. */
typedef bool ggk_on_difference(void *ctx, const ggk_difference *difference);

#define GGK_DIFF_NO_DATA 1u /* compare the headers only */
#define GGK_DIFF_LAYOUT  2u /* report differences of layout too */

typedef struct ggk_diff_opts {
    size_t struct_bytes;          /* sizeof(ggk_diff_opts) */
    uint32_t flags;               /* GGK_DIFF_NO_DATA, GGK_DIFF_LAYOUT */
    uint32_t n_threads;           /* that compare data; 0: one for each core */
    ggk_on_progress *on_progress; /* may be NULL */
    void *progress_ctx;
} ggk_diff_opts;

typedef struct ggk_diff_result {
    bool equal;                     /* nothing differs, but for layout */
    uint64_t n[GGK_DIFF_KIND_ROOM]; /* how many differences of each kind */
    uint64_t n_tensors;             /* whose data was compared, and */
    uint64_t bytes;                 /* its bytes in a */
    uint64_t reserved[6];
} ggk_diff_result;

/* ggk_diff - compare two models. Differences come in this order: of the files;
 * keys of a that b has not, or has otherwise, in the order of a; keys that only
 * b has, in the order of b; tensors likewise. `on_difference` may be NULL; it
 * is called by the calling thread. `opts` may be NULL.
 *
 * Of several keys or tensors of one name the first of a is compared with the
 * first of b, the second with the second, and so on. Numbers, strings and
 * arrays are compared as values, whatever version and byte order they are
 * stored in, floats by their bits. Tensor data is compared where type and shape
 * are the same. A model is its keys and tensors: into how many files it is
 * split does not count, so that the keys of ggk_is_split_key are passed over,
 * and so is free space (ggk_model_kv_is_space).
 *
 * Memory: 2 MiB for each thread, and a bit for each key and tensor of b; 8
 * bytes if names repeat. Takes the allocator of a. Errors, all of them before
 * the first difference is reported unless a file changes: GGK_E_ARG,
 * GGK_E_NOMEM; GGK_E_DATA_MISSING (a file ends before its data does);
 * GGK_E_UNSUPPORTED (the files are of different byte orders, and a tensor's
 * type is one whose data can only be compared in the same, such as IQ2_XXS; the
 * data cannot be read at any place, as of a pipe); GGK_E_OVERLAP (tensors that
 * overlap, as of ggk_digests_new); GGK_E_IO, GGK_E_CHANGED, GGK_E_CANCELLED.
 * `file` of the error is then the path of the file, of either model. */
GGK_API GGK_MUST_CHECK ggk_status ggk_diff(const ggk_model *a,
                                           const ggk_model *b,
                                           const ggk_diff_opts *opts,
                                           ggk_on_difference *on_difference,
                                           void *ctx, ggk_diff_result *out,
                                           ggk_error *err);

/* ----------------------------------------------------------------- digests */

/* Digests of tensor data, as the program llama-gguf-hash makes them: of each
 * tensor its bytes as stored, without padding; of a model those of all tensors,
 * in the order of ggk_model_tensor (format 12). Metadata does not count. Values
 * are pinned. */
typedef enum ggk_algo {
    GGK_ALGO_XXH64 = 0,
    GGK_ALGO_XXH3 = 1, /* of 64 bits */
    GGK_ALGO_SHA1 = 2,
    GGK_ALGO_SHA256 = 3,
    GGK_ALGO_UUID = 4,   /* a UUID of version 5 (SHA-1), in the namespace
                            ef001206-dadc-5f6d-a15f-3359e577d4e5; of a model
                            only */
    GGK_ALGO_CONTENT = 5 /* names, types, shapes and data, whatever their order
                            and their files (format 12.1); of a model only */
} ggk_algo;

#define GGK_ALGO_COUNT        6
#define GGK_DIGEST_MAX_BYTES  32
#define GGK_DIGEST_TEXT_BYTES 65 /* of ggk_digest_format, with its NUL */

/* ggk_algo_name - "xxh64", "xxh3", "sha1", "sha256", "uuid", "content"; NULL if
 * there is no such one.
 * ggk_algo_bytes - bytes of its digest; 0 if there is no such one.
 * ggk_algo_usable - can this library compute it, here and now? Errors:
 * GGK_E_UNSUPPORTED (built without xxHash; no libcrypto is found, which is
 * opened when it is needed first), GGK_E_ARG.
 * ggk_algo_library - what computes it, "xxHash" or "libcrypto", and into
 * `version` "0.8.1", "3.0.17"...; "" if it cannot be used. NULL and "" if there
 * is no such algorithm. */
#define GGK_LIBRARY_VERSION_BYTES 32
GGK_API const char *ggk_algo_name(uint32_t algo);
GGK_API size_t ggk_algo_bytes(uint32_t algo);
GGK_API GGK_MUST_CHECK ggk_status ggk_algo_usable(uint32_t algo,
                                                  ggk_error *err);
GGK_API const char *ggk_algo_library(uint32_t algo, char *version);

/* ggk_digest_format - a digest as text: hexadecimal, or the usual form of a
 * UUID. Writes at most GGK_DIGEST_TEXT_BYTES and returns the length.
 * ggk_digest_parse - the digest that such a text stands for, upper and lower
 * case alike; false if it is none of that kind. */
GGK_API size_t ggk_digest_format(uint32_t algo, const uint8_t *digest,
                                 char *out);
GGK_API bool ggk_digest_parse(uint32_t algo, ggk_str text, uint8_t *out);

typedef struct ggk_digest_opts {
    size_t struct_bytes;          /* sizeof(ggk_digest_opts) */
    uint32_t model;               /* what is wanted: bits 1u << GGK_ALGO_*, */
    uint32_t tensors;             /* of the model and of each tensor */
    uint32_t n_threads;           /* 0: one for each core */
    ggk_on_progress *on_progress; /* may be NULL */
    void *progress_ctx;
} ggk_digest_opts;

/* The digests of a model. They do not need the model any more. */
typedef struct ggk_digests ggk_digests;

/* ggk_digests_new - compute them all in one pass over the data, read from the
 * model's sources in pieces, in memory that does not depend on the size of
 * tensors. Of a map a file that shrinks raises SIGBUS: see ggk_source_open_map.
 * Errors: GGK_E_ARG (no algorithm; UUID or CONTENT of each tensor);
 * GGK_E_DATA_MISSING; GGK_E_UNSUPPORTED (an algorithm that cannot be used; a
 * tensor of GGK_SIZE_UNKNOWN bytes; CONTENT of a big-endian file);
 * GGK_E_DUPLICATE (CONTENT where two tensors have one name); GGK_E_OVERLAP
 * (tensors that overlap, and have over 64 times the bytes of their file);
 * GGK_E_IO, GGK_E_CHANGED, GGK_E_CANCELLED, GGK_E_NOMEM. */
GGK_API GGK_MUST_CHECK ggk_status ggk_digests_new(const ggk_model *model,
                                                  const ggk_digest_opts *opts,
                                                  const ggk_allocator *alloc,
                                                  ggk_digests **out,
                                                  ggk_error *err);
GGK_API void ggk_digests_free(ggk_digests *digests);

/* ggk_digests_model / _tensor - the ggk_algo_bytes of one digest; NULL if it
 * was not wanted, or there is no such tensor. */
GGK_API const uint8_t *ggk_digests_model(const ggk_digests *digests,
                                         uint32_t algo);
GGK_API const uint8_t *ggk_digests_tensor(const ggk_digests *digests,
                                          uint64_t i, uint32_t algo);

/* ----------------------------------------------------------------- repairs */

/* ggk_plan_check - judge the files that a plan will write, before they are
 * written, as ggk_check does afterwards. Errors: those of the layout and of
 * ggk_check. */
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_check(ggk_plan *plan,
                                                 const ggk_check_opts *opts,
                                                 ggk_on_finding *on_finding,
                                                 void *ctx, ggk_verdict *out,
                                                 ggk_error *err);

typedef struct ggk_fixed {
    uint64_t n_repairs;
    bool unsplit; /* the model was no shard, though its keys said so */
    uint64_t reserved[6];
} ggk_fixed;

/* ggk_plan_fix - fill a plan with a model, repaired. The plan has as many files
 * as the model, all empty; they keep the byte order. Repaired is what has just
 * one right answer (format 13); all else is as ggk_plan_copy_file copies it,
 * and is what ggk_plan_check finds then. Each repair is told as a finding of
 * the rule that was broken, placed in the model, at most 10 for each rule, and
 * the rest as with ggk_check; `what` says what was wrong, and what is now.
 * Reads the data of tensors that share a name. `on_repair` may be NULL; that
 * it returns false only ends the telling. Bytes of no tensor are not copied: if
 * ggk_model_find_gap_byte finds one, they may have been weights. Errors: as
 * ggk_plan_copy_tensor; GGK_E_ARG; GGK_E_ALIGN (the layout follows 32 and not
 * general.alignment, so that the data has two possible places); GGK_E_OFFSET
 * (tensors that share bytes, or are neither aligned nor one right after the
 * other: nobody knows what is wrong). After a failure the plan is half
 * done. */
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_fix(ggk_plan *plan,
                                               const ggk_model *model,
                                               ggk_on_finding *on_repair,
                                               void *ctx, ggk_fixed *out,
                                               ggk_error *err);

/* ggk_fix_why_not - why ggk_plan_fix leaves what breaks a rule: a clause, "the
 * values differ, ..."; NULL if it never does. */
GGK_API const char *ggk_fix_why_not(const ggk_rule *rule);

/* ------------------------------------------------------- importance matrices
 */

/* How much each column of a tensor matters to what a model says, as it was
 * measured: the mean of the squares of what came in. From files of
 * llama-imatrix, GGUF or, as before August 2025, "imatrix.dat". */
typedef struct ggk_imatrix ggk_imatrix;

#define GGK_IMATRIX_SUMS 1u /* values are sums, as stored, and not divided */
#define GGK_IMATRIX_ANY  2u /* values may be NaN and infinite */

/* ggk_imatrix_open - read a whole file: all is in memory then. `flags` are
 * GGK_IMATRIX_*, or 0.
 * ggk_imatrix_open_source - likewise, of a source that can be read anywhere; it
 * is closed. Errors: GGK_E_ARG (other flags); those of opening a model, of
 * which GGK_E_MAGIC says that it is no .dat either; GGK_E_TRUNCATED and
 * GGK_E_COUNT of a .dat (fields are "entry[3].n_values" and the like);
 * GGK_E_NOT_FOUND (a GGUF without importances; in_sum2 without counts, or the
 * other way round); GGK_E_TYPE (not F32); GGK_E_RANGE (a value that is no
 * number or infinite; counts that do not divide the values), GGK_E_OVERLAP
 * (tensors that have more bytes than the file), GGK_E_LIMIT (a name over 1024
 * bytes), GGK_E_DUPLICATE (two for one tensor), GGK_E_DATA_MISSING,
 * GGK_E_UNSUPPORTED (a stream). */
GGK_API GGK_MUST_CHECK ggk_status ggk_imatrix_open(const char *path,
                                                   uint32_t flags,
                                                   const ggk_allocator *alloc,
                                                   ggk_imatrix **out,
                                                   ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_imatrix_open_source(
    ggk_source *source, uint32_t flags, const ggk_allocator *alloc,
    ggk_imatrix **out, ggk_error *err);
GGK_API void ggk_imatrix_close(ggk_imatrix *imatrix);

typedef struct ggk_imatrix_info {
    bool legacy;      /* a .dat */
    bool sums;        /* its values are sums */
    bool is_complete; /* of a GGUF: it has the keys that llama-quantize needs */
    uint64_t n_entries;
    uint64_t n_chunks;   /* of text, that were read; 0: it does not say */
    uint64_t chunk_size; /* tokens in each; 0: it does not say */
    ggk_str dataset;     /* that they are from, the first; may be empty */
    uint64_t n_datasets;
    uint64_t version;         /* of a GGUF; else 0 */
    uint64_t n_other_keys;    /* of a GGUF: that are none of an imatrix, */
    uint64_t n_other_tensors; /* and tensors of no entry: these are not read */
    uint64_t reserved[3];
} ggk_imatrix_info;

/* ggk_imatrix_about - all that it says of itself.
 * ggk_imatrix_dataset - the name of dataset `i`; empty if there is none. */
GGK_API void ggk_imatrix_about(const ggk_imatrix *imatrix,
                               ggk_imatrix_info *out);
GGK_API ggk_str ggk_imatrix_dataset(const ggk_imatrix *imatrix, uint64_t i);

/* What is known of one tensor. */
typedef struct ggk_importances {
    ggk_str name;        /* the tensor's */
    const float *values; /* all finite; of a slice that was never in use 1: but
                            see GGK_IMATRIX_* */
    uint64_t n_values;
    uint64_t n_slices;     /* experts that are counted each by itself; of a .dat
                              it is not known how many, and 1 */
    const int64_t *counts; /* of each: tokens, or, of a .dat, calls */
    uint64_t values_off;   /* where the values are in the file, and */
    uint64_t counts_off;   /* the counts; GGK_NO_OFFSET if in none */
    uint64_t rounded;      /* the first count that is no whole number in the
                              file, but the nearest here; GGK_NONE: none is */
    float rounded_from;    /* what it is there; means are divided by that */
} ggk_importances;

/* ggk_imatrix_entry - what is known of tensor `i`, file order. Errors:
 * GGK_E_RANGE.
 * ggk_imatrix_find - the number of that for the tensor of this name; GGK_NONE
 * if there is none. */
GGK_API GGK_MUST_CHECK ggk_status ggk_imatrix_entry(const ggk_imatrix *imatrix,
                                                    uint64_t i,
                                                    ggk_importances *out,
                                                    ggk_error *err);
GGK_API uint64_t ggk_imatrix_find(const ggk_imatrix *imatrix, ggk_str name);

/* Is what is known of the tensor of that name wanted? */
typedef bool ggk_is_wanted(void *ctx, ggk_str name);

/* ggk_imatrix_keep - forget what is not wanted, as if it had not been in the
 * file; the order stays. Not for an imatrix that a recipe or a plan borrows.
 * Errors: GGK_E_NOMEM: then all is forgotten. */
GGK_API GGK_MUST_CHECK ggk_status ggk_imatrix_keep(ggk_imatrix *imatrix,
                                                   ggk_is_wanted *is_wanted,
                                                   void *ctx, ggk_error *err);

/* ggk_imatrix_new - importances of nothing, for others to be added to. Its
 * values are sums. `chunk_size`, up to GGK_IMATRIX_CHUNK_MOST: tokens in a
 * chunk of text; 0: as many as the first one says that is added.
 * ggk_imatrix_add - add sums and counts, as llama-imatrix does for each
 * --in-file, and append datasets, but not those that are there. A .dat counts
 * chunks, and is multiplied by their size: by GGK_IMATRIX_CHUNK if nobody said
 * it yet. Where one has a single count, and what is added more, the count is
 * that of each. The number of chunks is what the largest count comes to; or, if
 * it is the only one that was added, and its chunks are of that size, what it
 * says itself. Errors: GGK_E_ARG (it was opened without GGK_IMATRIX_SUMS);
 * GGK_E_RANGE (an entry has another number of values, or of counts),
 * GGK_E_OVERFLOW (a count past 2^63), GGK_E_VALUE (a sum that is no number, or
 * infinite), GGK_E_NOMEM: then the first is good for nothing. */
#define GGK_IMATRIX_CHUNK      512u
#define GGK_IMATRIX_CHUNK_MOST 2147483647u
GGK_API GGK_MUST_CHECK ggk_status ggk_imatrix_new(uint64_t chunk_size,
                                                  const ggk_allocator *alloc,
                                                  ggk_imatrix **out,
                                                  ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_imatrix_add(ggk_imatrix *imatrix,
                                                  const ggk_imatrix *more,
                                                  ggk_error *err);

/* What a file of importances is. */
typedef enum ggk_imatrix_format {
    GGK_IMATRIX_GGUF = 0,
    GGK_IMATRIX_LEGACY = 1 /* a .dat */
} ggk_imatrix_format;

/* ggk_plan_add_imatrix - one more file to write, byte for byte as llama-imatrix
 * writes it: entries by their names, in a GGUF or a .dat. That holds less: of
 * each entry a mean for all its counts, rounded; no entry that was never in
 * use; the last dataset. `imatrix` is one of ggk_imatrix_new, and must outlive
 * the plan. Errors: GGK_E_ARG, GGK_E_NOMEM; GGK_E_NOT_FOUND (there is nothing
 * to write); GGK_E_UNSUPPORTED (a name that, in a GGUF, would be longer than
 * llama.cpp reads), GGK_E_LIMIT (a number that the file cannot say),
 * GGK_E_VALUE (of a .dat: a count is negative, or a value would be infinite).
 */
GGK_API GGK_MUST_CHECK ggk_status ggk_plan_add_imatrix(
    ggk_plan *plan, const char *path, const ggk_imatrix *imatrix,
    ggk_imatrix_format format, ggk_error *err);

/* ggk_imatrix_rule_count / _rule_at - the rules for importances: NULL past the
 * last. Their weight is that of llama.cpp's profile. */
GGK_API size_t ggk_imatrix_rule_count(void);
GGK_API const ggk_rule *ggk_imatrix_rule_at(size_t i);

/* ggk_importances_doubt - of the rules, the one by which the values of an
 * entry, means, spoil most of a tensor that becomes that type, if any does, and
 * the first value that breaks it: it is negative, over 1e12, all of its slice
 * are zero, or none of the 32 columns that it begins reaches 1e-20. NULL: none,
 * or the type does not look at importances. Nothing keeps
 * ggk_plan_quantize from taking them: llama-quantize does, too. */
GGK_API const ggk_rule *ggk_importances_doubt(const ggk_importances *e,
                                              uint32_t type, uint64_t *value);

typedef struct ggk_imatrix_verdict {
    uint64_t n[4];      /* findings, by ggk_severity */
    uint64_t n_entries; /* that could be judged */
    uint64_t n_weights; /* of the model: tensors that can be quantized, */
    uint64_t n_covered; /* and those of them that have importances */
    uint64_t reserved[5];
} ggk_imatrix_verdict;

typedef struct ggk_imatrix_check_opts {
    size_t struct_bytes;   /* sizeof(ggk_imatrix_check_opts) */
    uint32_t flags;        /* 0: there are none */
    uint32_t max_per_rule; /* findings reported one by one; 0: 10 */
} ggk_imatrix_check_opts;

/* ggk_imatrix_check - judge importances by every rule, and, if there is a
 * model, whether they are of it, and of all its weights. What cannot be read is
 * a finding too: then the rest is judged as far as it can be. The source is
 * closed. Findings come and end as those of ggk_check. `model`, `opts` and
 * `on_finding` may be NULL. Takes the allocator of the source. Errors:
 * GGK_E_ARG, GGK_E_IO to GGK_E_CHANGED, GGK_E_UNSUPPORTED (a stream); of the
 * model those of ggk_recipe_new, and then `file` of the error is its path. */
GGK_API GGK_MUST_CHECK ggk_status ggk_imatrix_check(
    ggk_source *source, const ggk_model *model,
    const ggk_imatrix_check_opts *opts, ggk_on_finding *on_finding, void *ctx,
    ggk_imatrix_verdict *out, ggk_error *err);

/* ----------------------------------------------------------------- recipes */

/* What a model can be quantized to: a file type, whose rules give each tensor
 * a type of its own. Those of llama-quantize of llama.cpp v0.5.0. */
typedef struct ggk_target {
    uint32_t file_type; /* as general.file_type says it: 15 */
    uint32_t type;      /* of the tensors that no rule is for: Q4_K */
    const char *name;   /* "Q4_K_M" */
} ggk_target;

/* ggk_target_count / ggk_target_at - all of them, by number; NULL past the
 * last.
 * ggk_target_by_name - the one of that name, upper and lower case alike, or of
 * that number ("15"); Q3_K, Q4_K and Q5_K are their _M. NULL: there is none. */
GGK_API size_t ggk_target_count(void);
GGK_API const ggk_target *ggk_target_at(size_t i);
GGK_API const ggk_target *ggk_target_by_name(const char *name);

/* Why a tensor gets its type: the lasting name of the rule that decided, and
 * that rule as a sentence. */
typedef struct ggk_reason {
    const char *id; /* "attn-v.shared-heads" */
    const char *what;
} ggk_reason;

/* ggk_reason_count / ggk_reason_at - all rules; NULL past the last. */
GGK_API size_t ggk_reason_count(void);
GGK_API const ggk_reason *ggk_reason_at(size_t i);

/* A key, and the value that it is to have. */
typedef struct ggk_key_value {
    ggk_str key;
    ggk_value value;
} ggk_key_value;

#define GGK_RECIPE_PURE         1u  /* no rules: all get the target's type */
#define GGK_RECIPE_LEAVE_OUTPUT 2u  /* output.weight stays what it is */
#define GGK_RECIPE_REQUANTIZE   4u  /* of what is quantized already, too */
#define GGK_RECIPE_NO_FALLBACK  8u  /* rows that do not fit are obstacles */
#define GGK_RECIPE_IMATRIX      16u /* plan as if there were importances */
#define GGK_RECIPE_KEEP_ORDER   32u /* that of the data, and not by name */
#define GGK_RECIPE_STRICT       64u /* overrides must match something */

typedef struct ggk_recipe_opts {
    size_t struct_bytes;          /* sizeof(ggk_recipe_opts) */
    uint32_t flags;               /* GGK_RECIPE_* */
    const char *target;           /* "Q4_K_M" */
    const char *output_type;      /* of output.weight, "Q8_0"; NULL: by rules */
    const char *embedding_type;   /* of token_embd.weight; NULL: by rules */
    const char *const *overrides; /* "PATTERN=TYPE", see below */
    size_t n_overrides;
    const ggk_model *from; /* whose types tensors of the same name get; NULL */
    const ggk_imatrix *imatrix; /* that will be used; NULL: none */
    /* Keys that the model gets, whether it has them or not, in this order; of
     * two that are the same the last. Must outlive the recipe. */
    const ggk_key_value *keys;
    size_t n_keys;
    const uint64_t *pruned; /* layers that are left out, each once */
    size_t n_pruned;
} ggk_recipe_opts;

/* A model's recipe: which type each tensor gets, before any work is done.
 * Borrows the model, its allocator, and the imatrix. */
typedef struct ggk_recipe ggk_recipe;

/* ggk_recipe_new - decide. Some tensors keep their types whatever is asked,
 * such as norms. For the others counts, in this order: output_type and
 * embedding_type; the first override whose pattern, a regular expression of
 * PCRE2, is found in the tensor's name, upper and lower case alike (as with
 * llama-quantize, not if the target is F32, F16 or BF16); `from`; the rules of
 * the target. `from` need not outlive the call. What keeps
 * tensors from getting their types is no failure here, but of ggk_recipe_check.
 *
 * Rules go by `keys` as llama-quantize does by --override-kv: by the first of
 * several that are the same; by numbers of heads only if the model has that key
 * and no array there. The tensors of layers that are left out are none of the
 * recipe's; layers before the first of these keep their numbers, the others
 * follow without gaps. Overrides are for the new names; `from` and `imatrix`
 * are asked for the old ones.
 *
 * Errors: GGK_E_NOT_FOUND (no target or type of that name; `where` is "target",
 * "output_type", "embedding_type" or "overrides[2]"; general.architecture or
 * the number of layers is missing and rules need it), GGK_E_ARG (an override
 * that is not PATTERN=TYPE, or whose pattern is wrong: `offset` is where in
 * it; a layer that is to be left out twice, or is none of the model's, or all
 * of them, or of one shard alone: `where` is "pruned"), GGK_E_LIMIT (to look
 * for a pattern takes over 10^6 steps: `where` is "overrides[2]"),
 * GGK_E_DUPLICATE (two tensors of one name), GGK_E_RANGE (experts, but a
 * tensor's name has no layer, or one past the last), GGK_E_UNSUPPORTED
 * (overrides, but no PCRE2, which is opened when it is needed first; a tensor
 * of GGK_SIZE_UNKNOWN bytes; layers are to be left out, and a tensor's name has
 * one behind something else, as "enc.blk.0.", or as "blk.00.", or past 2^31-1),
 * GGK_E_OVERFLOW, GGK_E_TYPE, GGK_E_CHANGED, GGK_E_NOMEM. */
GGK_API GGK_MUST_CHECK ggk_status ggk_recipe_new(const ggk_model *model,
                                                 const ggk_recipe_opts *opts,
                                                 ggk_recipe **out,
                                                 ggk_error *err);
GGK_API void ggk_recipe_free(ggk_recipe *recipe);

/* What keeps a tensor from getting its type. Values are pinned. */
typedef enum ggk_obstacle {
    GGK_OBSTACLE_NONE = 0,
    GGK_OBSTACLE_QUANTIZED = 1, /* it is quantized, and no GGK_RECIPE_REQUANTIZE
                                 */
    GGK_OBSTACLE_SOURCE = 2,    /* its values cannot be read as numbers */
    GGK_OBSTACLE_IMATRIX = 3,   /* the type needs importances */
    GGK_OBSTACLE_WIDTH = 4,     /* a row is not a whole number of blocks, and
                                   no other type is named for that */
    GGK_OBSTACLE_FALLBACK = 5,  /* one is, but for GGK_RECIPE_NO_FALLBACK */
    GGK_OBSTACLE_SHAPE = 6      /* that of the importances is another */
} ggk_obstacle;

#define GGK_OBSTACLE_COUNT 7
#define GGK_OBSTACLE_ROOM  16 /* as GGK_PARAM_ROOM */

/* ggk_obstacle_text - what it is, as the end of a sentence that begins with
 * "2 tensors are": "of a type whose values cannot be read"; NULL for NONE
 * and numbers that are none. */
GGK_API const char *ggk_obstacle_text(uint32_t obstacle);

typedef struct ggk_recipe_tensor {
    uint64_t tensor; /* its number in the model */
    uint32_t from;   /* the type it has, */
    uint32_t to;     /* will have, */
    uint32_t wanted; /* and would have if its rows were whole blocks of that
                        type: not the same as `to`, it falls back */
    bool fallback;
    bool needs_imatrix; /* its type does, and it is not of those that do without
                           always */
    ggk_obstacle obstacle;
    const ggk_reason *reason; /* for `wanted` */
    uint64_t override;        /* the one that decided, or GGK_NONE */
    uint64_t importances; /* its entry of the imatrix, if its values are to be
                             quantized and it has one; else GGK_NONE */
    uint64_t n_elements;
    uint64_t from_bytes; /* of data, without padding */
    uint64_t to_bytes;   /* of an obstacle of WIDTH 0 */
    ggk_str name; /* that it will have: another where layers are left out; lives
                     as long as the recipe and the model */
    uint64_t reserved[2];
} ggk_recipe_tensor;

/* ggk_recipe_n_tensors / _tensor_at - what the tensors get, in the order in
 * which they are to be written: by layer (those of "blk.0." and so on behind
 * those of none), then by name; with GGK_RECIPE_KEEP_ORDER that of the data.
 * Errors: GGK_E_RANGE. */
GGK_API uint64_t ggk_recipe_n_tensors(const ggk_recipe *recipe);
GGK_API GGK_MUST_CHECK ggk_status ggk_recipe_tensor_at(const ggk_recipe *recipe,
                                                       uint64_t i,
                                                       ggk_recipe_tensor *out,
                                                       ggk_error *err);

typedef struct ggk_recipe_total {
    const ggk_target *target;
    uint64_t n_tensors;
    uint64_t n_elements;
    uint64_t from_bytes; /* of all data, without padding */
    uint64_t to_bytes;
    uint64_t n_changed; /* tensors whose type is another then */
    uint64_t n_fallbacks;
    uint64_t n_need_imatrix;
    uint64_t n_importances;                  /* tensors that have some */
    uint64_t n_obstacles[GGK_OBSTACLE_ROOM]; /* of each kind */
    double bits_per_weight;                  /* 0 if there are no elements */
    uint64_t n_pruned; /* tensors that are left out with their layers: in none
                          of the other sums */
    uint64_t reserved[5];
} ggk_recipe_total;

GGK_API void ggk_recipe_sum(const ggk_recipe *recipe, ggk_recipe_total *out);

/* What has one type then. */
typedef struct ggk_recipe_type {
    uint32_t type;
    uint64_t n_tensors;
    uint64_t n_elements;
    uint64_t bytes;
    uint64_t reserved[2];
} ggk_recipe_type;

/* ggk_recipe_n_types / _type_at - the types that there will be, by number.
 * Errors: GGK_E_RANGE. */
GGK_API size_t ggk_recipe_n_types(const ggk_recipe *recipe);
GGK_API GGK_MUST_CHECK ggk_status ggk_recipe_type_at(const ggk_recipe *recipe,
                                                     size_t i,
                                                     ggk_recipe_type *out,
                                                     ggk_error *err);

/* ggk_recipe_override_count - how many tensors override `i` decided.
 * ggk_recipe_override_fits - is its pattern found in the name that a tensor of
 * the recipe will have? Something before it may decide all the same. Errors:
 * GGK_E_RANGE (there is no such tensor, or override), GGK_E_LIMIT. */
GGK_API uint64_t ggk_recipe_override_count(const ggk_recipe *recipe, size_t i);
GGK_API GGK_MUST_CHECK ggk_status
ggk_recipe_override_fits(const ggk_recipe *recipe, size_t i, uint64_t tensor,
                         bool *out, ggk_error *err);

/* ggk_recipe_check - can it be done? Fails with the first kind of obstacle that
 * there is; the sentence says of how many tensors it is, and names them, as
 * many as fit. Errors: GGK_E_UNSUPPORTED (QUANTIZED, SOURCE, IMATRIX, SHAPE),
 * GGK_E_BLOCK (WIDTH, FALLBACK), `where` is "tensor[3]"; GGK_E_NOT_FOUND
 * (GGK_RECIPE_STRICT, and an override matched nothing: "overrides[0]"). */
GGK_API GGK_MUST_CHECK ggk_status ggk_recipe_check(const ggk_recipe *recipe,
                                                   ggk_error *err);

/* -------------------------------------------------------------- quantizing */

/* ggk_type_can_quantize - can numbers be made blocks of that type?
 * ggk_type_can_dequantize - can numbers be had of its blocks? Both are for the
 * built-in types (ggk_type_by_id); false for all others, and NULL. */
GGK_API bool ggk_type_can_quantize(const ggk_type_info *type);
GGK_API bool ggk_type_can_dequantize(const ggk_type_info *type);

/* ggk_kernels - the instruction set of this processor that both are done with:
 * "generic" (portable C), "neon", "avx2" or "avx512". The results are the
 * same. */
GGK_API const char *ggk_kernels(void);

/* ggk_type_quantize - `n_rows` rows of `ne0` numbers, one behind the other in
 * `x`, to rows of blocks, little-endian, that take all of the `block_bytes`
 * bytes at `blocks`. `importances` holds the weights of the `ne0` columns, or
 * is NULL; there are types that do not look at them. The bytes are those of
 * ggml's quantize functions of llama.cpp v0.5.0 on x86-64, whatever processor
 * this runs on. Errors: GGK_E_UNSUPPORTED (see ggk_type_can_quantize),
 * GGK_E_BLOCK, GGK_E_OVERFLOW; GGK_E_ARG (another number of bytes is needed; an
 * importance that is not finite); GGK_E_VALUE (see ggk_plan_quantize; `need` is
 * how many numbers come before it, or before its block). What is in `blocks`
 * then is good for nothing.
 * ggk_type_dequantize - `n` numbers, whole blocks, little-endian, into `x`.
 * Errors: GGK_E_UNSUPPORTED, GGK_E_BLOCK, GGK_E_OVERFLOW, GGK_E_ARG. */
GGK_API GGK_MUST_CHECK ggk_status ggk_type_quantize(
    const ggk_type_info *type, const float *x, uint64_t n_rows, uint64_t ne0,
    const float *importances, void *blocks, size_t block_bytes, ggk_error *err);
GGK_API GGK_MUST_CHECK ggk_status ggk_type_dequantize(const ggk_type_info *type,
                                                      const void *blocks,
                                                      size_t block_bytes,
                                                      float *x, uint64_t n,
                                                      ggk_error *err);

#define GGK_QUANTIZE_KEEP_SPLIT 1u /* a file for each of the model's */

typedef struct ggk_quantize_opts {
    size_t struct_bytes; /* sizeof(ggk_quantize_opts) */
    uint32_t flags;      /* GGK_QUANTIZE_* */
    /* File and dataset of the recipe's imatrix, as the keys tell them: NULL
     * leaves the first out, and the second is then what the imatrix says it is.
     * Of both 127 bytes at most are kept, and whole characters of UTF-8. */
    const char *imatrix_file;
    const char *imatrix_dataset;
} ggk_quantize_opts;

/* ggk_plan_quantize - fill an empty plan with the model of a recipe, quantized:
 * one file `path` with all tensors, in the order of the recipe, or, with
 * GGK_QUANTIZE_KEEP_SPLIT, of a model of several files as many, up to the last
 * that has tensors, which have the tensors that those have: then `path` is the
 * prefix of their names (PREFIX-00001-of-0000N.gguf), and GGK_RECIPE_KEEP_ORDER
 * gives the order that llama-quantize has. The keys are the model's, but for
 * those that say how it is quantized, the recipe's, and, where there is one, by
 * which imatrix, as llama-quantize writes them. Those that number shards go,
 * unless the model is one shard of a set, read alone: that stays one. If layers
 * are left out,
 * ARCHITECTURE.block_count says how many there are then, and of its arrays of
 * numbers that have one for each layer (but for rope.*) those of the layers
 * that are left out go, without which llama.cpp would not load the model. The
 * byte order is the model's, unless ggk_plan_set_format says otherwise. The
 * model and the recipe's imatrix must outlive the plan; the recipe need not.
 * `opts` may be NULL.
 *
 * The plan can be looked at, changed, split and run like any other. Running it
 * reads each tensor in pieces and converts them, in up to 4 MiB for each
 * thread, or more where there are importances and a row takes more; progress
 * counts the bytes of the model. It fails with GGK_E_VALUE for a number that is
 * NaN or infinite, of the tensors too that stay F32, F16, BF16 or F64, for such
 * a scale of those that stay quantized, and for a number that is too large for
 * its new type, so that it or the scale of its block would be infinite; of
 * MXFP4 for a block whose greatest number is from 2^-126 up to but not 2^-125,
 * for which it has no scale (what is smaller becomes zeros). The sentence names
 * tensor, row and column, both from 0
 * ("blk.0.ffn_up.weight: NaN at row 3, column 17"); `offset` is where the
 * block is in the model's file.
 *
 * Errors: those of ggk_recipe_check, ggk_plan_copy_keys, ggk_plan_copy_tensor
 * and ggk_plan_number_shards; GGK_E_ARG (a plan that is not empty; an imatrix
 * of sums, or with what is NaN or infinite); GGK_E_CHANGED (the imatrix was, by
 * ggk_imatrix_keep); GGK_E_UNSUPPORTED (a type from or to which nothing can be
 * converted, or of a table; a type that needs importances, and the recipe was
 * made as if there were some). After a failure the plan is half done. */
GGK_API GGK_MUST_CHECK ggk_status
ggk_plan_quantize(ggk_plan *plan, const char *path, const ggk_recipe *recipe,
                  const ggk_quantize_opts *opts, ggk_error *err);

/* ------------------------------------------------------ values of tensors */

/* What follows looks at the numbers of tensors, dequantized, in one pass over
 * the data, which is read in pieces: in 1.2 MiB for each thread, or 2.2 MiB to
 * compare; twice that of F64 and I64; and 1.5 MiB once. Numbers are floats, but
 * those of I32, I64 and F64 doubles: an integer past 2^53 is rounded to one,
 * but for the difference of two of I64, which is exact until then. Beside the
 * largest number of such a tensor those that are 2^500 times smaller count as 0
 * in squares. Sums are of double precision, and the same with any number of
 * threads and on every processor. Results are told by the
 * calling thread, in the order of the tensors that were asked for. Of a map a
 * file that shrinks raises SIGBUS: see ggk_source_open_map. */
typedef struct ggk_values_opts {
    size_t struct_bytes;          /* sizeof(ggk_values_opts) */
    uint32_t n_threads;           /* 0: one for each core */
    ggk_on_progress *on_progress; /* may be NULL */
    void *progress_ctx;
} ggk_values_opts;

/* ggk_model_has_values - can the numbers of a tensor of the model be had? See
 * ggk_type_can_dequantize; in a big-endian file not those of types whose blocks
 * nobody can swap. */
GGK_API bool ggk_model_has_values(const ggk_model *model,
                                  const ggk_tensor *tensor);

#define GGK_STATS_BINS 64

/* What the numbers of a tensor are like. All but the counts is of those that
 * are neither NaN nor infinite, and zero if there are none. */
typedef struct ggk_stats {
    uint64_t tensor; /* of the model */
    uint64_t n;      /* numbers, and how many of them are */
    uint64_t n_zero;
    uint64_t n_nan;
    uint64_t n_infinite;
    double min, max;
    double mean;
    double deviation; /* of all of them, not of a sample */
    /* How many are in each of the intervals of this width, a power of two. The
     * first of them begins at -GGK_STATS_BINS / 2 widths. A number on the
     * border of two is in the one that is farther from zero; zero, in the first
     * that is not negative. The width is the least, from 2^-126 on, for which
     * all have room. */
    double bin_width;
    uint64_t bins[GGK_STATS_BINS];
    uint64_t reserved[8];
} ggk_stats;

/* Return false to stop: the call then fails with GGK_E_CANCELLED. */
typedef bool ggk_on_stats(void *ctx, const ggk_stats *stats);

/* ggk_model_stats - of `n` tensors of a model, by their indexes. `opts` may be
 * NULL. Errors: GGK_E_UNSUPPORTED (see ggk_model_has_values; before anything is
 * read), GGK_E_RANGE, GGK_E_ARG, GGK_E_DATA_MISSING, GGK_E_OVERLAP (tensors
 * that overlap, as of ggk_digests_new), GGK_E_IO, GGK_E_CHANGED,
 * GGK_E_CANCELLED, GGK_E_NOMEM. `file` of the error is the path of the
 * tensor's. */
GGK_API GGK_MUST_CHECK ggk_status ggk_model_stats(const ggk_model *model,
                                                  const uint64_t *tensors,
                                                  uint64_t n,
                                                  const ggk_values_opts *opts,
                                                  ggk_on_stats *on_stats,
                                                  void *ctx, ggk_error *err);

/* ggk_check_data - judge the numbers of all tensors of a model, by the rules
 * whose names begin with "numbers-": what is NaN or infinite, or has such a
 * scale, or is far larger than the rest; tensors of which all numbers are the
 * same, and rows that are all zero. A finding is one for a tensor and a rule;
 * it says how many there are, and where the first is. Passed over is what has
 * no values (ggk_model_has_values), and what lacks data. `opts` is as of
 * ggk_check, but for `open`, and may be NULL, as `how` may. What was counted is
 * added to *verdict, that of ggk_check. Errors: GGK_E_ARG, and those of
 * ggk_model_stats. */
GGK_API GGK_MUST_CHECK ggk_status
ggk_check_data(const ggk_model *model, const ggk_check_opts *opts,
               const ggk_values_opts *how, ggk_on_finding *on_finding,
               void *ctx, ggk_verdict *verdict, ggk_error *err);

/* How far the numbers of tensor b are from those of a, of the same shape. */
typedef struct ggk_distance {
    uint64_t a, b;         /* the tensors */
    uint64_t n;            /* numbers in each, and how many of them */
    uint64_t n_differ;     /* are not the same: 0 is as -0, NaN as NaN */
    uint64_t n_not_finite; /* are NaN or infinite, in one or in both; these are
                              left out of what follows */
    uint64_t n_lost;       /* are so, and not the same in both */
    double rmse;           /* root of the mean square of the differences */
    double relative;       /* the same in parts of the root mean square of a;
                              infinite if a is all zero, and b is not */
    double max;            /* the greatest difference, */
    uint64_t max_at;       /* and the first number that has it */
    double cosine;         /* of the angle between them: 1 for the same */
    double size;           /* root of the mean square of a */
    uint64_t reserved[5];
} ggk_distance;

/* Return false to stop: the call then fails with GGK_E_CANCELLED. */
typedef bool ggk_on_distance(void *ctx, const ggk_distance *distance);

/* Tensors of two models, by their indexes. */
typedef struct ggk_pair {
    uint64_t a, b;
} ggk_pair;

/* ggk_models_compare - the numbers of `n` pairs of tensors, whatever their
 * types. Both may be the same model. `opts` may be NULL. Errors: as of
 * ggk_model_stats; GGK_E_ARG (two tensors are not of the same shape). */
GGK_API GGK_MUST_CHECK ggk_status ggk_models_compare(
    const ggk_model *a, const ggk_model *b, const ggk_pair *pairs, uint64_t n,
    const ggk_values_opts *opts, ggk_on_distance *on_distance, void *ctx,
    ggk_error *err);

/* ggk_recipe_errors - what a recipe would do to the numbers of the tensors that
 * change, in its order: each is quantized and dequantized in memory, and
 * nothing is written. Of a distance, a is the tensor in the model, and b its
 * number in the recipe. Where rows are weighed by importances, a thread needs
 * memory for a row. What is NaN or infinite is no error here: see `n_lost`.
 * Errors: as of ggk_model_stats, and of ggk_recipe_check; GGK_E_CHANGED (the
 * imatrix was), GGK_E_UNSUPPORTED (a type that nothing can be converted from or
 * to, or that needs importances). */
GGK_API GGK_MUST_CHECK ggk_status
ggk_recipe_errors(const ggk_recipe *recipe, const ggk_values_opts *opts,
                  ggk_on_distance *on_distance, void *ctx, ggk_error *err);

#ifdef __cplusplus
}
#endif

#endif /* GGK_H */
