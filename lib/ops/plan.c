/* plan.c - fills plans: files, their key-values, their tensors. */
#include "ops/plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/store.h"
#include "format/gguf_layout.h"
#include "format/space.h"
#include "format/types.h"
#include "io/os.h"
#include "io/path.h"
#include "io/source.h"
#include "model/builder.h"
#include "model/model.h"

#define SCANS_BEFORE_MAP 8

/* ------------------------------------------------------------------- lists */

/* Room for one more of `n` items; NULL: no memory. */
static void *grow(const ggk_allocator *mem, void *items, size_t n,
                  size_t *capacity, size_t item_bytes)
{
    size_t wanted = *capacity * 2 + 8;
    void *grown;

    if (n < *capacity)
        return items;
    if (wanted > SIZE_MAX / item_bytes)
        return NULL;
    grown = ggki_mem_resize(mem, items, *capacity * item_bytes,
                            wanted * item_bytes);
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}

static bool copy_str(const ggk_allocator *mem, ggk_str from, ggk_str *out)
{
    char *copy =
        ggki_mem_string(mem, from.ptr != NULL ? from.ptr : "", from.len);

    *out = (ggk_str){copy, from.len};
    return copy != NULL;
}

static void release_str(const ggk_allocator *mem, bool owned, ggk_str s)
{
    if (owned)
        ggki_mem_release(mem, ggki_mem_own(s.ptr), s.len + 1);
}

/* ------------------------------------------------------------------- files */

ggk_status ggk_plan_new(const ggk_allocator *alloc, ggk_plan **out,
                        ggk_error *err)
{
    ggk_allocator mem = ggki_mem_of(alloc);

    *out = ggki_mem_zero(&mem, sizeof **out);
    if (*out == NULL)
        return ggki_fail_memory(err);
    (*out)->mem = mem;
    return GGK_OK;
}

static void release_value(ggk_plan *plan, const struct ggki_plan_kv *kv)
{
    if (kv->owns_value)
        ggki_mem_release(&plan->mem, ggki_mem_own(kv->value.bytes),
                         kv->value_room);
}

static void release_kv(ggk_plan *plan, const struct ggki_plan_kv *kv)
{
    release_str(&plan->mem, kv->owns_key, kv->key);
    release_value(plan, kv);
}

/* ------------------------------------------------------------------- names */

static bool key_of(const void *file, uint64_t i, ggk_str *out)
{
    *out = ((const struct ggki_plan_file *)file)->kvs[i].key;
    return true;
}

bool ggki_plan_tensor_name(const void *file, uint64_t i, ggk_str *out)
{
    const struct ggki_plan_item *item =
        &((const struct ggki_plan_file *)file)->tensors[i];
    const ggk_plan *plan = ((const struct ggki_plan_file *)file)->plan;

    if (item->source != GGKI_PLAN_OWN)
        return ggki_gguf_tensor_name(plan->sources[item->source].gguf, item->i,
                                     out);
    *out = plan->own[item->i].name;
    return true;
}

void ggki_plan_forget(ggk_plan *plan, struct ggki_plan_names *names)
{
    ggki_namemap_free(&names->map, &plan->mem);
    *names = (struct ggki_plan_names){.n_mapped = 0};
}

/* Put the names of `n` entries into the map that are not in it; false: no
 * memory. */
static bool map_names(ggk_plan *plan, struct ggki_plan_names *names,
                      ggki_name_of *name_of, size_t n,
                      const struct ggki_plan_file *file)
{
    if (names->n_mapped == 0) {
        uint64_t seed[2];

        ggki_namemap_free(&names->map, &plan->mem);
        ggki_namemap_random_seed(seed);
        if (ggki_namemap_build(&names->map, &plan->mem, seed, 0, name_of,
                               file) != GGK_OK)
            return false;
    }
    for (; names->n_mapped < n; names->n_mapped++)
        if (ggki_namemap_add(&names->map, &plan->mem, names->n_mapped, file) !=
            GGK_OK)
            return false;
    return true;
}

/* The first of `n` entries of that name, else GGK_NONE; are there more? */
static uint64_t scan_names(ggki_name_of *name_of, size_t n,
                           const struct ggki_plan_file *file, ggk_str name,
                           bool *repeats)
{
    uint64_t first = GGK_NONE;

    *repeats = false;
    for (size_t i = 0; i < n && !*repeats; i++) {
        ggk_str other;

        if (!name_of(file, i, &other) || !ggki_names_equal(other, name))
            continue;
        *repeats = first != GGK_NONE;
        if (!*repeats)
            first = i;
    }
    return first;
}

/* The same, by a map when it will pay: not for a few names, nor if it would be
 * forgotten after each. Errors: GGK_E_NOMEM. */
static ggk_status find_name(ggk_plan *plan, struct ggki_plan_file *file,
                            bool tensors, ggk_str name, uint64_t *out,
                            bool *repeats, ggk_error *err)
{
    struct ggki_plan_names *names = tensors ? &file->names : &file->keys;
    ggki_name_of *name_of = tensors ? ggki_plan_tensor_name : key_of;
    size_t n = tensors ? file->n_tensors : file->n_kv;

    if (names->n_scans < SCANS_BEFORE_MAP) {
        names->n_scans++;
        *out = scan_names(name_of, n, file, name, repeats);
        return GGK_OK;
    }
    if (!map_names(plan, names, name_of, n, file))
        return ggki_fail_memory(err);
    *out = ggki_namemap_find(&names->map, file, name, repeats);
    return GGK_OK;
}

/* An entry has another name, which none had. The slots of old ones are lost, so
 * there must not be many. */
static void note_renamed(ggk_plan *plan, struct ggki_plan_names *names,
                         uint64_t i, const struct ggki_plan_file *file)
{
    if (names->n_mapped == 0)
        return;
    if (++names->n_renamed > names->map.n_slots / 8)
        ggki_plan_forget(plan, names);
    else
        ggki_namemap_rename(&names->map, i, file);
}

/* ------------------------------------------------------------------- memory */

static void release_file(ggk_plan *plan, struct ggki_plan_file *file)
{
    for (size_t i = 0; i < file->n_kv; i++)
        release_kv(plan, &file->kvs[i]);
    ggki_mem_release(&plan->mem, file->kvs,
                     file->kv_capacity * sizeof *file->kvs);
    ggki_mem_release(&plan->mem, file->tensors,
                     file->tensor_capacity * sizeof *file->tensors);
    ggki_mem_release(&plan->mem, file->path, strlen(file->path) + 1);
    ggki_plan_forget(plan, &file->keys);
    ggki_plan_forget(plan, &file->names);
}

void ggk_plan_free(ggk_plan *plan)
{
    ggk_allocator mem;

    if (plan == NULL)
        return;
    for (uint32_t i = 0; i < plan->n_files; i++)
        release_file(plan, &plan->files[i]);
    mem = plan->mem;
    for (size_t i = 0; i < plan->n_own; i++)
        release_str(&mem, true, plan->own[i].name);
    ggki_mem_release(&mem, plan->own, plan->own_capacity * sizeof *plan->own);
    for (size_t i = 0; i < plan->n_sources; i++)
        ggk_source_close(plan->sources[i].owned);
    ggki_mem_release(&mem, plan->sources,
                     plan->source_capacity * sizeof *plan->sources);
    ggki_mem_release(&mem, plan->guards,
                     plan->guard_capacity * sizeof *plan->guards);
    ggki_mem_release(&mem, plan->files,
                     plan->file_capacity * sizeof *plan->files);
    ggki_mem_release(&mem, plan, sizeof *plan);
}

/* The number of a source, which is noted if it was not; SIZE_MAX: no memory. */
static size_t source_number(ggk_plan *plan, const ggk_source *source,
                            const struct ggki_gguf *gguf)
{
    struct ggki_plan_source *sources;

    for (size_t i = plan->n_sources; i-- > 0;) { /* mostly it is the last */
        if (plan->sources[i].source != source)
            continue;
        if (gguf != NULL)
            plan->sources[i].gguf = gguf;
        return i;
    }
    sources = grow(&plan->mem, plan->sources, plan->n_sources,
                   &plan->source_capacity, sizeof *sources);
    if (sources == NULL)
        return SIZE_MAX;
    plan->sources = sources;
    sources[plan->n_sources] =
        (struct ggki_plan_source){.source = source, .gguf = gguf};
    return plan->n_sources++;
}

ggk_status ggki_plan_note_source(ggk_plan *plan, const ggk_source *source,
                                 const struct ggki_gguf *gguf, ggk_error *err)
{
    return source_number(plan, source, gguf) != SIZE_MAX
               ? GGK_OK
               : ggki_fail_memory(err);
}

ggk_status ggki_plan_own_source(ggk_plan *plan, ggk_source *source,
                                ggk_error *err)
{
    size_t i = source_number(plan, source, NULL);

    if (i == SIZE_MAX) {
        ggk_source_close(source);
        return ggki_fail_memory(err);
    }
    plan->sources[i].owned = source;
    return GGK_OK;
}

ggk_status ggk_plan_guard_file(ggk_plan *plan, const char *path, ggk_error *err)
{
    struct ggki_plan_guard *guards;
    struct stat st;

    if (stat(path, &st) != 0) {
        ggki_fail_io(err, errno, "look at");
        ggki_err_set_file(err, path);
        return GGK_E_IO;
    }
    guards = grow(&plan->mem, plan->guards, plan->n_guards,
                  &plan->guard_capacity, sizeof *guards);
    if (guards == NULL)
        return ggki_fail_memory(err);
    plan->guards = guards;
    guards[plan->n_guards++] =
        (struct ggki_plan_guard){st.st_dev, st.st_ino, st.st_mode, st.st_gid};
    return GGK_OK;
}

bool ggki_plan_is_input(const ggk_plan *plan, dev_t dev, ino_t ino)
{
    for (size_t i = 0; i < plan->n_sources; i++) {
        const ggk_source *source = plan->sources[i].source;

        if (source->fd >= 0 && source->dev == dev && source->ino == ino)
            return true;
    }
    return false;
}

bool ggki_plan_is_guarded(const ggk_plan *plan, dev_t dev, ino_t ino)
{
    for (size_t i = 0; i < plan->n_guards; i++)
        if (plan->guards[i].dev == dev && plan->guards[i].ino == ino)
            return true;
    return ggki_plan_is_input(plan, dev, ino);
}

/* Note that `bytes` more are taken from file `file` of a model, the plan's
 * source `*source`, once for each tensor: many that overlap must not make a
 * file that fills the disk. */
static ggk_status take_bytes(ggk_plan *plan, const ggk_model *model,
                             uint32_t file, uint64_t bytes, uint32_t *source,
                             ggk_error *err)
{
    const struct ggki_gguf *g = &model->files[file].gguf;
    size_t i = source_number(plan, g->source, g);
    uint64_t taken;

    if (i >= GGKI_PLAN_OWN)
        return ggki_fail_memory(err);
    if (!ckd_add64(plan->sources[i].taken, bytes, &taken))
        taken = UINT64_MAX;
    if (taken > ggki_most_tensor_bytes(g->size))
        return ggki_fail_overlap(model, file, taken, err);
    plan->sources[i].taken = taken;
    plan->sources[i].path = model->files[file].path;
    *source = (uint32_t)i;
    return GGK_OK;
}

struct ggki_plan_file *ggki_plan_add_file(ggk_plan *plan, const char *path)
{
    struct ggki_plan_file *files = grow(&plan->mem, plan->files, plan->n_files,
                                        &plan->file_capacity, sizeof *files);
    char *copy;

    if (files == NULL)
        return NULL;
    plan->files = files;
    copy = ggki_mem_string(&plan->mem, path, strlen(path));
    if (copy == NULL)
        return NULL;
    files += plan->n_files++;
    memset(files, 0, sizeof *files);
    files->plan = plan;
    files->path = copy;
    files->version = GGUF_VERSION_MAX;
    return files;
}

/* File number `i`, whose layout is about to change; NULL is GGK_E_RANGE. */
static struct ggki_plan_file *file_at(ggk_plan *plan, uint32_t i,
                                      ggk_error *err)
{
    struct ggki_plan_file *file;

    if (i >= plan->n_files) {
        ggki_fail_index(err, "file", i, plan->n_files);
        return NULL;
    }
    file = &plan->files[i];
    file->laid_out = false;
    return file;
}

ggk_status ggk_plan_add_file(ggk_plan *plan, const char *path, uint32_t *file,
                             ggk_error *err)
{
    *file = 0;
    if (path == NULL)
        return ggki_fail(err, GGK_E_ARG, "no path");
    if (ggki_plan_add_file(plan, path) == NULL)
        return ggki_fail_memory(err);
    *file = plan->n_files - 1;
    return GGK_OK;
}

ggk_status ggk_plan_add_array_file(ggk_plan *plan, const char *path,
                                   ggk_file_format format, uint32_t *file,
                                   ggk_error *err)
{
    ggk_status status;

    *file = 0;
    if (format != GGK_FORMAT_SAFETENSORS && format != GGK_FORMAT_NPY &&
        format != GGK_FORMAT_RAW)
        return ggki_fail(err, GGK_E_ARG, "no format of arrays");
    status = ggk_plan_add_file(plan, path, file, err);
    if (status == GGK_OK) {
        plan->files[*file].format = format;
        plan->files[*file].version = 0;
    }
    return status;
}

static ggk_status fail_not_gguf(ggk_error *err)
{
    return ggki_fail(err, GGK_E_ARG,
                     "a file of arrays has nothing but tensors");
}

ggk_status ggki_plan_is_gguf(const ggk_plan *plan, ggk_error *err)
{
    for (uint32_t i = 0; i < plan->n_files; i++)
        if (plan->files[i].format != GGK_FORMAT_GGUF)
            return fail_not_gguf(err);
    return GGK_OK;
}

ggk_status ggk_plan_set_format(ggk_plan *plan, uint32_t file, uint32_t version,
                               bool big_endian, ggk_error *err)
{
    struct ggki_plan_file *f = file_at(plan, file, err);

    if (f == NULL)
        return GGK_E_RANGE;
    if (f->format != GGK_FORMAT_GGUF)
        return fail_not_gguf(err);
    if (version != 2 && version != 3)
        return ggki_fail(err, GGK_E_ARG, "version %lu is not written",
                         (unsigned long)version);
    if (version < 3 && big_endian)
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "big-endian files are written as version 3 only");
    f->version = version;
    f->big = big_endian;
    f->has_encoding = true;
    return GGK_OK;
}

/* -------------------------------------------------------------- key-values */

struct ggki_plan_kv *ggki_plan_add_kv(ggk_plan *plan,
                                      struct ggki_plan_file *file)
{
    struct ggki_plan_kv *kvs = grow(&plan->mem, file->kvs, file->n_kv,
                                    &file->kv_capacity, sizeof *kvs);

    if (kvs == NULL)
        return NULL;
    file->kvs = kvs;
    file->laid_out = false;
    kvs += file->n_kv++;
    memset(kvs, 0, sizeof *kvs);
    return kvs;
}

size_t ggki_plan_drop_kvs(ggk_plan *plan, struct ggki_plan_file *file,
                          bool (*drop)(const void *ctx, ggk_str key),
                          const void *ctx)
{
    size_t kept = 0, n = file->n_kv;

    for (size_t i = 0; i < n; i++) {
        if (drop(ctx, file->kvs[i].key))
            release_kv(plan, &file->kvs[i]);
        else
            file->kvs[kept++] = file->kvs[i];
    }
    file->n_kv = kept;
    file->laid_out = false;
    if (kept < n)
        ggki_plan_forget(plan, &file->keys);
    return n - kept;
}

bool ggki_plan_find_kv(const struct ggki_plan_file *file, ggk_str key,
                       size_t *i)
{
    while (*i < file->n_kv && !ggki_names_equal(file->kvs[*i].key, key))
        ++*i;
    return *i < file->n_kv;
}

static ggk_status fail_no_key(ggk_error *err)
{
    return ggki_fail(err, GGK_E_NOT_FOUND, "there is no such key");
}

static ggk_status fail_repeats(ggk_error *err)
{
    return ggki_fail(err, GGK_E_DUPLICATE, "the key is there more than once");
}

/* The one key-value with that key. */
static ggk_status find_one_kv(ggk_plan *plan, struct ggki_plan_file *file,
                              ggk_str key, size_t *i, ggk_error *err)
{
    uint64_t found = GGK_NONE;
    bool repeats = false;
    ggk_status status =
        find_name(plan, file, false, key, &found, &repeats, err);

    if (status != GGK_OK)
        return status;
    if (found == GGK_NONE)
        return fail_no_key(err);
    *i = (size_t)found;
    return repeats ? fail_repeats(err) : GGK_OK;
}

ggk_status ggki_plan_kv_of(ggk_plan *plan, uint32_t file, ggk_str key,
                           struct ggki_plan_file **f, struct ggki_plan_kv **out,
                           ggk_error *err)
{
    size_t i = 0;
    ggk_status status;

    *f = file_at(plan, file, err);
    if (*f == NULL)
        return GGK_E_RANGE;
    status = find_one_kv(plan, *f, key, &i, err);
    if (status == GGK_OK)
        *out = &(*f)->kvs[i];
    return status;
}

void ggki_plan_take_value(ggk_plan *plan, struct ggki_plan_kv *kv,
                          const char *bytes, size_t n)
{
    release_value(plan, kv);
    kv->value.bytes = bytes;
    kv->value.n_bytes = n;
    kv->value_room = n + 1;
    kv->value.encoding = (struct ggki_encoding){GGUF_VERSION_MAX, false};
    kv->owns_value = true;
}

ggk_status ggki_plan_copy_kv(ggk_plan *plan, struct ggki_plan_file *file,
                             const struct ggki_gguf *g, uint64_t i,
                             ggk_error *err)
{
    struct ggki_kv from;
    struct ggki_plan_kv *kv;

    if (!ggki_gguf_kv(g, i, &from))
        return ggki_fail_changed(err);
    if (ggki_gguf_is_space(g, i))
        return GGK_OK;
    kv = ggki_plan_add_kv(plan, file);
    if (kv == NULL)
        return ggki_fail_memory(err);
    kv->key = ggki_gguf_bytes(g, from.key_pos, from.key_len);
    kv->value.type = from.type;
    kv->value.bytes = g->image.base + from.type_pos + 4;
    kv->value.n_bytes = g->kv_pos.at[i + 1] - (from.type_pos + 4);
    kv->value.encoding = (struct ggki_encoding){g->version, g->big};
    return GGK_OK;
}

/* A file of a model, of which bytes are to be copied; NULL is GGK_E_RANGE. */
static const struct ggki_gguf *model_file_at(const ggk_model *model, uint32_t i,
                                             ggk_error *err)
{
    if (i < model->n_files)
        return &model->files[i].gguf;
    ggki_fail_index(err, "file", i, model->n_files);
    return NULL;
}

ggk_status ggk_plan_add_input(ggk_plan *plan, const ggk_model *model,
                              uint32_t from, ggk_error *err)
{
    const struct ggki_gguf *g = model_file_at(model, from, err);

    return g == NULL ? GGK_E_RANGE
                     : ggki_plan_note_source(plan, g->source, g, err);
}

/* Before key-values of file `from` of a model are copied. */
static ggk_status start_keys(ggk_plan *plan, uint32_t file,
                             const ggk_model *model, uint32_t from,
                             struct ggki_plan_file **f,
                             const struct ggki_gguf **g, ggk_error *err)
{
    *f = file_at(plan, file, err);
    if (*f == NULL)
        return GGK_E_RANGE;
    if ((*f)->format != GGK_FORMAT_GGUF) {
        (void)fail_not_gguf(err);
        return GGK_E_ARG;
    }
    *g = model_file_at(model, from, err);
    if (*g == NULL)
        return GGK_E_RANGE;
    if (!(*f)->has_encoding && (*f)->n_kv == 0 && (*f)->n_tensors == 0)
        (*f)->big = (*g)->big;
    return ggki_plan_note_source(plan, (*g)->source, *g, err);
}

ggk_status ggk_plan_copy_kv(ggk_plan *plan, uint32_t file,
                            const ggk_model *model, uint64_t i, ggk_error *err)
{
    struct ggki_plan_file *f;
    const struct ggki_gguf *g = NULL;
    ggk_status status = start_keys(plan, file, model, 0, &f, &g, err);

    if (status == GGK_OK && i >= g->n_kv)
        return ggki_fail_index(err, "key-value", i, g->n_kv);
    return status == GGK_OK ? ggki_plan_copy_kv(plan, f, g, i, err) : status;
}

ggk_status ggk_plan_copy_keys(ggk_plan *plan, uint32_t file,
                              const ggk_model *model, uint32_t from,
                              ggk_error *err)
{
    struct ggki_plan_file *f;
    const struct ggki_gguf *g = NULL;
    ggk_status status = start_keys(plan, file, model, from, &f, &g, err);

    if (status != GGK_OK)
        return status;
    for (uint64_t i = 0; status == GGK_OK && i < g->n_kv; i++)
        status = ggki_plan_copy_kv(plan, f, g, i, err);
    return ggki_plan_filled(plan, status);
}

ggk_status ggki_plan_put_value(ggk_plan *plan, struct ggki_plan_kv *kv,
                               uint32_t type, ggk_str value, ggk_error *err)
{
    ggk_str copy;

    if (!copy_str(&plan->mem, value, &copy))
        return ggki_fail_memory(err);
    release_value(plan, kv);
    kv->value = (struct ggki_stored_value){
        copy.ptr, copy.len, type, {GGUF_VERSION_MAX, false}};
    kv->value_room = copy.len + 1;
    kv->owns_value = true;
    return GGK_OK;
}

/* Append a key without a value. */
static ggk_status add_key(ggk_plan *plan, struct ggki_plan_file *file,
                          ggk_str key, ggk_error *err)
{
    ggk_str copy;
    struct ggki_plan_kv *kv;

    if (!copy_str(&plan->mem, key, &copy))
        return ggki_fail_memory(err);
    kv = ggki_plan_add_kv(plan, file);
    if (kv == NULL) {
        release_str(&plan->mem, true, copy);
        return ggki_fail_memory(err);
    }
    kv->key = copy;
    kv->owns_key = true;
    return GGK_OK;
}

static ggk_status set_value(ggk_plan *plan, struct ggki_plan_file *file,
                            ggk_str key, uint32_t type, ggk_str value,
                            ggk_error *err)
{
    size_t i = 0;
    ggk_status status = find_one_kv(plan, file, key, &i, err);
    bool is_new = status == GGK_E_NOT_FOUND;

    if (is_new) {
        i = file->n_kv;
        status = add_key(plan, file, key, err);
    }
    if (status == GGK_OK)
        status = ggki_plan_put_value(plan, &file->kvs[i], type, value, err);
    if (status != GGK_OK && is_new && i < file->n_kv) {
        release_kv(plan, &file->kvs[i]); /* it is the last one */
        file->n_kv--;
    }
    file->laid_out = false;
    return status;
}

/* An alignment that is written anew must be one for everybody. */
static ggk_status check_new_alignment(const struct ggki_stored_value *value,
                                      ggk_error *err)
{
    uint32_t alignment;

    if (value->type != GGK_VALUE_UINT32 || value->n_bytes != 4)
        return ggki_fail(err, GGK_E_ALIGN_TYPE,
                         "general.alignment is written as UINT32 only");
    alignment = load_u32(value->bytes, value->encoding.big);
    if (alignment != 0 && (alignment & (alignment - 1)) == 0)
        return GGK_OK;
    return ggki_fail(err, GGK_E_ALIGN,
                     "an alignment of %lu is no power of two, which llama.cpp "
                     "needs",
                     (unsigned long)alignment);
}

ggk_status ggk_plan_set_kv(ggk_plan *plan, uint32_t file, ggk_str key,
                           const ggk_builder *value, ggk_error *err)
{
    struct ggki_plan_file *f = file_at(plan, file, err);
    ggk_status status = GGK_OK;
    uint32_t type;
    ggk_str bytes;

    if (f == NULL)
        return GGK_E_RANGE;
    if (f->format != GGK_FORMAT_GGUF)
        return fail_not_gguf(err);
    if (!ggki_builder_value(value, &type, &bytes))
        return ggki_fail(err, GGK_E_ARG, "the builder holds no whole value");
    if (key.len == 0)
        return ggki_fail(err, GGK_E_ARG, "a key cannot be empty");
    if (ggki_names_equal(key, ggk_cstr(GGUF_ALIGNMENT_KEY)))
        status = check_new_alignment(
            &(struct ggki_stored_value){
                bytes.ptr, bytes.len, type, {GGUF_VERSION_MAX, false}},
            err);
    return status == GGK_OK ? set_value(plan, f, key, type, bytes, err)
                            : status;
}

ggk_status ggki_plan_set_integer(ggk_plan *plan, struct ggki_plan_file *file,
                                 const char *key, uint32_t type, uint64_t value,
                                 ggk_error *err)
{
    uint8_t bytes[8];

    store_u64(bytes, value, false);
    return set_value(plan, file, ggk_cstr(key), type,
                     (ggk_str){(const char *)bytes, ggk_value_type_bytes(type)},
                     err);
}

static bool is_named(const void *name, ggk_str key)
{
    return ggki_names_equal(key, *(const ggk_str *)name);
}

ggk_status ggk_plan_remove_kv(ggk_plan *plan, uint32_t file, ggk_str key,
                              ggk_error *err)
{
    struct ggki_plan_file *f = file_at(plan, file, err);

    if (f == NULL)
        return GGK_E_RANGE;
    return ggki_plan_drop_kvs(plan, f, is_named, &key) > 0 ? GGK_OK
                                                           : fail_no_key(err);
}

ggk_status ggk_plan_rename_kv(ggk_plan *plan, uint32_t file, ggk_str from,
                              ggk_str to, ggk_error *err)
{
    struct ggki_plan_file *f = file_at(plan, file, err);
    size_t i = 0, other = 0;
    ggk_str copy;
    ggk_status status;

    if (f == NULL)
        return GGK_E_RANGE;
    status = find_one_kv(plan, f, from, &i, err);
    if (status != GGK_OK)
        return status;
    if (to.len == 0)
        return ggki_fail(err, GGK_E_ARG, "a key cannot be empty");
    status = find_one_kv(plan, f, to, &other, err);
    if (status == GGK_OK || status == GGK_E_DUPLICATE)
        return ggki_fail(err, GGK_E_EXISTS, "the new key is there already");
    if (status != GGK_E_NOT_FOUND)
        return status;
    status = GGK_OK;
    if (ggki_names_equal(to, ggk_cstr(GGUF_ALIGNMENT_KEY)))
        status = check_new_alignment(&f->kvs[i].value, err);
    if (status != GGK_OK)
        return status;
    if (!copy_str(&plan->mem, to, &copy))
        return ggki_fail_memory(err);
    release_str(&plan->mem, f->kvs[i].owns_key, f->kvs[i].key);
    f->kvs[i].key = copy;
    f->kvs[i].owns_key = true;
    note_renamed(plan, &f->keys, i, f);
    return GGK_OK;
}

/* ----------------------------------------------------------------- tensors */

ggk_status ggki_plan_add_item(ggk_plan *plan, struct ggki_plan_file *file,
                              const struct ggki_plan_item *item, ggk_error *err)
{
    struct ggki_plan_item *items =
        grow(&plan->mem, file->tensors, file->n_tensors, &file->tensor_capacity,
             sizeof *items);

    if (items == NULL)
        return ggki_fail_memory(err);
    file->tensors = items;
    file->laid_out = false;
    items[file->n_tensors++] = *item;
    return GGK_OK;
}

/* Make a tensor the plan's own, of that name, which is copied. */
static ggk_status add_own(ggk_plan *plan, const struct ggki_plan_tensor *t,
                          ggk_str name, struct ggki_plan_item *out,
                          ggk_error *err)
{
    struct ggki_plan_tensor *own = grow(&plan->mem, plan->own, plan->n_own,
                                        &plan->own_capacity, sizeof *own);
    ggk_str copy;

    if (own == NULL)
        return ggki_fail_memory(err);
    plan->own = own;
    if (plan->n_own == UINT32_MAX || !copy_str(&plan->mem, name, &copy))
        return ggki_fail_memory(err);
    own += plan->n_own;
    *own = *t;
    own->name = copy;
    *out = (struct ggki_plan_item){t->rel_off, GGKI_PLAN_OWN,
                                   (uint32_t)plan->n_own++};
    return GGK_OK;
}

/* Tensor `i` of a source. One without elements has no bytes, of whatever type.
 * False: it is not what it was, as it has more bytes than there are. */
static bool copied_tensor(const struct ggki_plan_source *source, uint64_t i,
                          struct ggki_plan_tensor *out)
{
    const struct ggki_gguf *g = source->gguf;
    struct ggki_info info;

    if (!ggki_gguf_info(g, i, &info) ||
        !ckd_add64(g->base_off + g->data_pos, info.offset, &out->off))
        return false;
    out->name = ggki_gguf_bytes(g, info.name_pos, info.name_len);
    out->source = source->source;
    out->path = source->path;
    out->bytes = info.bytes;
    if (info.opaque && info.n_elements > 0)
        out->bytes = ggki_gguf_opaque_bytes(g, info.offset);
    out->info = info.opaque ? NULL : ggki_type_find(g->types, info.type);
    out->type = info.type;
    out->n_dims = info.n_dims;
    memcpy(out->ne, info.ne, sizeof out->ne);
    out->big = g->big;
    out->from = NULL;
    out->from_bytes = 0;
    out->keeps_odd = false;
    out->importances = NULL;
    return out->bytes <= source->source->size;
}

bool ggki_plan_tensor_at(const struct ggki_plan_file *file, size_t i,
                         struct ggki_plan_tensor *out)
{
    const struct ggki_plan_item *item = &file->tensors[i];

    if (item->source == GGKI_PLAN_OWN)
        *out = file->plan->own[item->i];
    else if (!copied_tensor(&file->plan->sources[item->source], item->i, out))
        return false;
    out->rel_off = item->rel_off;
    return true;
}

ggk_status ggki_plan_name_tensor(ggk_plan *plan, struct ggki_plan_file *file,
                                 size_t i, ggk_str name, ggk_error *err)
{
    struct ggki_plan_tensor t;

    file->laid_out = false;
    return ggki_plan_tensor_at(file, i, &t)
               ? add_own(plan, &t, name, &file->tensors[i], err)
               : ggki_fail_changed(err);
}

ggk_status ggki_plan_convert_tensor(ggk_plan *plan, struct ggki_plan_file *file,
                                    size_t i, const ggk_type_info *to,
                                    const float *importances, ggk_error *err)
{
    struct ggki_plan_tensor t;
    ggk_status status;

    if (!ggki_plan_tensor_at(file, i, &t))
        return ggki_fail_changed(err);
    t.from = t.info;
    t.from_bytes = t.bytes;
    t.importances = t.bytes > 0 ? importances : NULL;
    t.info = to;
    t.type = to->id;
    status = ggk_type_tensor_bytes(to, t.ne, t.n_dims, &t.bytes, err);
    if (status == GGK_OK)
        status = add_own(plan, &t, t.name, &file->tensors[i], err);
    file->laid_out = false;
    return status;
}

ggk_status ggki_plan_refuse_types(const struct ggki_plan_tensor *t,
                                  const ggk_type_info *to, ggk_error *err)
{
    int n = t->name.len < 300 ? (int)t->name.len : 300;

    if (!ggk_type_can_quantize(to))
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "%.*s: this version makes no blocks of type %s", n,
                         t->name.ptr, to->name);
    if (t->info == NULL || ggki_type_is_opaque(t->info))
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "%.*s: the tensor type %lu is not known", n,
                         t->name.ptr, (unsigned long)t->type);
    if (!ggk_type_can_dequantize(t->info))
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "%.*s: this version reads no numbers of type %s", n,
                         t->name.ptr, t->info->name);
    return GGK_OK;
}

/* Its blocks are numbers, each by itself. */
static const ggk_type_info *number_type(uint32_t type)
{
    const ggk_type_info *info = ggk_type_by_id(type);

    return info != NULL && info->block == 1 ? info : NULL;
}

ggk_status ggk_plan_convert_tensor(ggk_plan *plan, uint32_t file, uint64_t i,
                                   uint32_t type, ggk_error *err)
{
    const ggk_type_info *to = number_type(type);
    struct ggki_plan_file *f = file_at(plan, file, err);
    struct ggki_plan_tensor t;
    ggk_status status;

    if (f == NULL)
        return GGK_E_RANGE;
    if (i >= f->n_tensors)
        return ggki_fail(err, GGK_E_RANGE, "there is no such tensor");
    if (to == NULL || !ggk_type_can_quantize(to))
        return ggki_fail(err, GGK_E_ARG, "a type of single numbers is needed");
    if (!ggki_plan_tensor_at(f, (size_t)i, &t))
        return ggki_fail_changed(err);
    if (t.from != NULL)
        return ggki_fail(err, GGK_E_ARG, "the tensor is converted already");
    if (t.info == to)
        return GGK_OK;
    status = ggki_plan_refuse_types(&t, to, err);
    if (status == GGK_OK)
        status = ggki_plan_convert_tensor(plan, f, (size_t)i, to, NULL, err);
    if (status == GGK_OK)
        plan->own[f->tensors[i].i].keeps_odd = true;
    return status;
}

ggk_status ggki_plan_blame(const struct ggki_plan_tensor *t, ggk_status status,
                           ggk_error *err)
{
    if (t->path != NULL)
        ggki_err_set_file(err, t->path);
    return status;
}

ggk_status ggki_plan_read(const struct ggki_plan_tensor *t, uint64_t off,
                          void *buffer, size_t bytes, ggk_error *err)
{
    ggk_status status = ggk_source_read(t->source, off, buffer, bytes, err);

    return status == GGK_OK ? GGK_OK : ggki_plan_blame(t, status, err);
}

/* Are all bytes of tensor `i` of a model there? One of unknown layout has all
 * up to the next, if it has elements; at the end of the file it lacks them. */
static ggk_status check_data(const ggk_model *model, uint64_t i, ggk_tensor *t,
                             ggk_error *err)
{
    const struct ggki_model_file *file = &model->files[t->file];
    uint64_t size = file->gguf.source->size, left;

    if (t->n_elements == 0) {
        t->bytes = 0;
        return GGK_OK;
    }
    if (t->bytes == GGK_SIZE_UNKNOWN || size == GGK_SIZE_UNKNOWN)
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "where the file ends is not known, so its tensors "
                         "cannot be copied");
    left = t->data_off < size ? size - t->data_off : 0;
    if (t->bytes > 0 && t->bytes <= left)
        return GGK_OK;
    ggki_fail(err, GGK_E_DATA_MISSING,
              "the file ends before the tensor's data does");
    ggki_err_set_need(err, t->bytes, left);
    if (model->n_files > 1)
        ggki_err_set_file(err, ggki_base_name(file->path));
    if (err != NULL) {
        err->offset = t->info_off;
        snprintf(err->where, sizeof err->where, "tensor[%llu]",
                 (unsigned long long)(i - file->first_tensor));
    }
    return GGK_E_DATA_MISSING;
}

ggk_status ggki_plan_copy_tensor(ggk_plan *plan, struct ggki_plan_file *f,
                                 const ggk_model *model, uint64_t i,
                                 uint64_t back, ggk_error *err)
{
    const struct ggki_model_file *file;
    struct ggki_plan_item item = {0};
    ggk_tensor from;
    ggk_status status = ggk_model_tensor(model, i, &from, err);

    if (status != GGK_OK)
        return status;
    from.data_off -= back;
    file = &model->files[from.file];
    status = check_data(model, i, &from, err);
    if (status == GGK_OK)
        status =
            take_bytes(plan, model, from.file, from.bytes, &item.source, err);
    item.i = (uint32_t)(i - file->first_tensor);
    if (status == GGK_OK && back > 0) {
        struct ggki_plan_tensor t = {.rel_off = 0};

        if (!copied_tensor(&plan->sources[item.source], item.i, &t))
            return ggki_fail_changed(err);
        t.off -= back;
        status = add_own(plan, &t, t.name, &item, err);
    }
    if (status != GGK_OK)
        return status;
    if (file->gguf.types != NULL)
        plan->types = file->gguf.types;
    return ggki_plan_add_item(plan, f, &item, err);
}

ggk_status ggk_plan_copy_tensor(ggk_plan *plan, uint32_t file,
                                const ggk_model *model, uint64_t i,
                                ggk_error *err)
{
    struct ggki_plan_file *f = file_at(plan, file, err);

    return f == NULL ? GGK_E_RANGE
                     : ggki_plan_copy_tensor(plan, f, model, i, 0, err);
}

ggk_status ggk_plan_copy_file(ggk_plan *plan, uint32_t file,
                              const ggk_model *model, uint32_t from,
                              ggk_error *err)
{
    ggk_status status = ggk_plan_copy_keys(plan, file, model, from, err);
    uint64_t first, n;

    if (status != GGK_OK)
        return status;
    first = model->files[from].first_tensor;
    n = model->files[from].gguf.n_tensors;
    for (uint64_t i = first; i < first + n && status == GGK_OK; i++)
        status = ggk_plan_copy_tensor(plan, file, model, i, err);
    return ggki_plan_filled(plan, status);
}

/* What a new tensor takes, and whether its source has it. */
static ggk_status measure(const ggk_new_tensor *from, const ggk_type_info *info,
                          uint64_t *bytes, ggk_error *err)
{
    uint64_t size = ggk_source_size(from->source);
    ggk_status status;

    if (ggki_type_is_opaque(info))
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "the tensor type %lu is not known",
                         (unsigned long)from->type);
    status = ggk_type_tensor_bytes(info, from->ne, from->n_dims, bytes, err);
    if (status != GGK_OK || size == GGK_SIZE_UNKNOWN || *bytes == 0 ||
        (from->off <= size && *bytes <= size - from->off))
        return status;
    ggki_fail(err, GGK_E_DATA_MISSING,
              "there are not as many bytes as the tensor has");
    ggki_err_set_need(err, *bytes, from->off < size ? size - from->off : 0);
    return GGK_E_DATA_MISSING;
}

ggk_status ggk_plan_add_tensor(ggk_plan *plan, uint32_t file,
                               const ggk_new_tensor *from, ggk_error *err)
{
    struct ggki_plan_file *f = file_at(plan, file, err);
    struct ggki_plan_tensor t = {.source = from->source,
                                 .off = from->off,
                                 .info =
                                     ggki_type_find(from->types, from->type),
                                 .type = from->type,
                                 .n_dims = from->n_dims,
                                 .big = from->big_endian};
    struct ggki_plan_item item;
    ggk_status status;

    if (f == NULL)
        return GGK_E_RANGE;
    status = measure(from, t.info, &t.bytes, err);
    if (status == GGK_OK)
        status = ggki_plan_note_source(plan, from->source, NULL, err);
    if (status != GGK_OK)
        return status;
    for (uint32_t d = 0; d < GGK_MAX_DIMS; d++)
        t.ne[d] = d < from->n_dims ? from->ne[d] : 1;
    if (from->types != NULL)
        plan->types = from->types;
    status = add_own(plan, &t, from->name, &item, err);
    return status == GGK_OK ? ggki_plan_add_item(plan, f, &item, err) : status;
}

/* Where a tensor is in a plan. */
struct place {
    uint32_t file;
    uint64_t i; /* GGK_NONE: nowhere */
};

static ggk_status find_tensor(ggk_plan *plan, ggk_str name, struct place *at,
                              bool *repeats, ggk_error *err)
{
    *at = (struct place){0, GGK_NONE};
    *repeats = false;
    for (uint32_t k = 0; k < plan->n_files && !*repeats; k++) {
        uint64_t i = GGK_NONE;
        ggk_status status =
            find_name(plan, &plan->files[k], true, name, &i, repeats, err);

        if (status != GGK_OK)
            return status;
        if (i == GGK_NONE)
            continue;
        *repeats = *repeats || at->i != GGK_NONE;
        if (at->i == GGK_NONE)
            *at = (struct place){k, i};
    }
    return GGK_OK;
}

static ggk_status find_one_tensor(ggk_plan *plan, ggk_str name,
                                  struct place *at, ggk_error *err)
{
    bool repeats;
    ggk_status status = find_tensor(plan, name, at, &repeats, err);

    if (status != GGK_OK)
        return status;
    if (at->i == GGK_NONE)
        return ggki_fail(err, GGK_E_NOT_FOUND, "there is no such tensor");
    return repeats ? ggki_fail(err, GGK_E_DUPLICATE,
                               "the tensor is there more than once")
                   : GGK_OK;
}

/* Take all tensors of that name out of a file; whether there were any. */
static bool remove_from(ggk_plan *plan, struct ggki_plan_file *f, ggk_str name)
{
    size_t kept = 0, n = f->n_tensors;

    for (size_t i = 0; i < n; i++) {
        ggk_str other;

        if (!ggki_plan_tensor_name(f, i, &other) ||
            !ggki_names_equal(other, name))
            f->tensors[kept++] = f->tensors[i];
    }
    f->n_tensors = kept;
    if (kept == n)
        return false;
    ggki_plan_forget(plan, &f->names);
    f->laid_out = false;
    return true;
}

ggk_status ggk_plan_remove_tensor(ggk_plan *plan, ggk_str name, uint32_t *file,
                                  ggk_error *err)
{
    bool found = false;

    *file = 0;
    for (uint32_t i = plan->n_files; i-- > 0;) {
        if (!remove_from(plan, &plan->files[i], name))
            continue;
        found = true;
        *file = i;
    }
    return found ? GGK_OK
                 : ggki_fail(err, GGK_E_NOT_FOUND, "there is no such tensor");
}

ggk_status ggk_plan_rename_tensor(ggk_plan *plan, ggk_str from, ggk_str to,
                                  uint32_t *file, ggk_error *err)
{
    struct place at, other;
    struct ggki_plan_file *f;
    bool repeats;
    ggk_status status = find_one_tensor(plan, from, &at, err);

    *file = at.file;
    if (status != GGK_OK)
        return status;
    status = find_tensor(plan, to, &other, &repeats, err);
    if (status != GGK_OK)
        return status;
    if (other.i != GGK_NONE)
        return ggki_fail(err, GGK_E_EXISTS, "the new name is there already");
    f = &plan->files[at.file];
    status = ggki_plan_name_tensor(plan, f, at.i, to, err);
    if (status == GGK_OK)
        note_renamed(plan, &f->names, at.i, f);
    return status;
}
