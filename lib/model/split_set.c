/* split_set.c - opens the files of a model: one, or all shards of its set. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "io/path.h"
#include "io/source.h"
#include "model/model.h"
#include "model/shard_search.h"

#define MISSING_NAMED 3   /* missing shards that are named */
#define MISSING_BYTES 128 /* of the end of each name */
#define MISSING_MOST  99  /* and counted: a set may claim 99999 */

struct opening {
    ggk_model *model;
    const ggk_open_opts *opts;
    ggk_error *err;
};

/* ---------------------------------------------------------------- one file */

static struct ggki_model_file *add_file(ggk_model *model)
{
    struct ggki_model_file *file;

    if (model->n_files == model->file_capacity) {
        uint32_t capacity = model->file_capacity * 2 + 1;
        struct ggki_model_file *files =
            ggki_mem_resize(&model->mem, model->files,
                            model->file_capacity * sizeof *model->files,
                            capacity * sizeof *model->files);
        if (files == NULL)
            return NULL;
        model->files = files;
        model->file_capacity = capacity;
    }
    file = &model->files[model->n_files++];
    memset(file, 0, sizeof *file);
    file->gguf.mem = model->mem;
    return file;
}

void ggki_model_file_free(const ggk_allocator *mem,
                          struct ggki_model_file *file)
{
    ggki_gguf_close(&file->gguf);
    if (file->path != NULL)
        ggki_mem_release(mem, file->path, strlen(file->path) + 1);
}

/* Open a GGUF as the model's next file; takes `source` over. */
static ggk_status open_source(const struct opening *o, ggk_source *source,
                              const char *path)
{
    struct ggki_model_file *file = add_file(o->model);

    if (file == NULL) {
        ggk_source_close(source);
        return ggki_fail_memory(o->err);
    }
    file->gguf.source = source;
    if (path != NULL) {
        file->path = ggki_mem_string(&o->model->mem, path, strlen(path));
        if (file->path == NULL)
            return ggki_fail_memory(o->err);
    }
    return o->model->judging
               ? ggki_gguf_judge(&file->gguf, source, path, o->opts, o->err)
               : ggki_gguf_open(&file->gguf, source, path, o->opts, o->err);
}

static ggk_status open_path(const struct opening *o, const char *path)
{
    ggk_source *source;
    ggk_status status =
        o->opts->open_source(o->opts->open_ctx, path, &source, o->err);

    return status == GGK_OK ? open_source(o, source, path) : status;
}

/* ------------------------------------------------------------------ shards */

/* The set of the shard that was asked for, while it is opened. */
struct shard_set {
    const char *asked_path;
    struct ggki_model_file asked; /* already open; path NULL once it is put
                                     into the model */
    struct ggki_shard_name name;
    char *path; /* of the shard at hand */
    uint32_t n_missing;
    uint32_t first_missing;
    char missing[MISSING_NAMED * (MISSING_BYTES + 5) + 1]; /* their names */
};

/* The failure is at the value of key-value `i` of `gguf`: it is `need`, and
 * should be `have`. */
static void place_at_value(ggk_error *err, const struct ggki_gguf *gguf,
                           uint64_t i, uint64_t need, uint64_t have)
{
    struct ggki_kv kv;

    ggki_err_set_need(err, need, have);
    if (err == NULL || i == GGK_NONE || !ggki_gguf_kv(gguf, i, &kv))
        return;
    err->offset = gguf->base_off + kv.value_pos;
    snprintf(err->where, sizeof err->where, "kv[%llu].value",
             (unsigned long long)i);
}

/* Add to the sentence of the error, if all of it fits. */
static void add_hint(ggk_error *err, const char *hint, ...) GGKI_FORMAT(2, 3);

static void add_hint(ggk_error *err, const char *hint, ...)
{
    size_t used = err != NULL ? strlen(err->what) : 0;
    va_list args;
    int n;

    if (err == NULL)
        return;
    va_start(args, hint);
    n = vsnprintf(err->what + used, sizeof err->what - used, hint, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof err->what - used)
        err->what[used] = '\0';
}

static struct ggki_shard_search search_beside(const struct opening *o,
                                              const char *path)
{
    return (struct ggki_shard_search){o->opts, &o->model->mem, path};
}

/* What to do about shard `no` (from 0) that has the name of another. */
static void hint_names(const struct opening *o, const char *path,
                       const struct ggki_shard_name *name, uint64_t no)
{
    const struct ggki_shard_search beside = search_beside(o, path);
    uint64_t wanted = name->number - 1;
    char other[GGKI_FILE_NAME_BYTES], third[GGKI_FILE_NAME_BYTES];
    struct ggki_split split;

    if (o->err == NULL || no >= name->count)
        return;
    if (!ggki_shard_beside(&beside, (uint32_t)no + 1, &split, other)) {
        if (*other != '\0')
            add_hint(o->err, "; rename it to %s", other);
    } else if (split.no_kv != GGK_NONE && split.no == wanted) {
        add_hint(o->err, "; %s is shard %lu: exchange their names", other,
                 (unsigned long)name->number);
    } else if (ggki_shard_find(&beside, name->count, &wanted, third)) {
        add_hint(o->err, "; %s is shard %lu by its keys: rename both", third,
                 (unsigned long)name->number);
    } else if (split.no_kv != GGK_NONE && split.no == no) {
        add_hint(o->err, "; that is %s, so that shard %lu is missing", other,
                 (unsigned long)name->number);
    }
}

/* Do the keys of the shard at `path` agree with its place in the set? */
static ggk_status check_shard(const struct opening *o,
                              const struct ggki_gguf *gguf, const char *path,
                              const struct ggki_shard_name *name)
{
    struct ggki_split split = ggki_split_of(gguf);

    if (split.count_kv == GGK_NONE)
        return ggki_fail(o->err, GGK_E_SPLIT,
                         "the file is named as a shard of %lu, but has no key "
                         "split.count",
                         (unsigned long)name->count);
    if (split.count != name->count) {
        ggki_fail(o->err, GGK_E_SPLIT,
                  "split.count is %llu, but by its name the file is a shard "
                  "of %lu",
                  (unsigned long long)split.count, (unsigned long)name->count);
        place_at_value(o->err, gguf, split.count_kv, split.count, name->count);
        return GGK_E_SPLIT;
    }
    if (split.no_kv != GGK_NONE && split.no != name->number - 1) {
        ggki_fail(o->err, GGK_E_SPLIT,
                  "by its name this is shard %lu of %lu, but by its key "
                  "split.no shard %llu (%llu, counted from 0)",
                  (unsigned long)name->number, (unsigned long)name->count,
                  (unsigned long long)split.no + 1,
                  (unsigned long long)split.no);
        hint_names(o, path, name, split.no);
        place_at_value(o->err, gguf, split.no_kv, split.no, name->number - 1);
        return GGK_E_SPLIT;
    }
    return GGK_OK;
}

/* A long name is shown by its end, where the number is. */
static void note_missing(struct shard_set *set)
{
    const char *name = ggki_base_name(set->path);
    size_t len = strlen(name), used = strlen(set->missing);

    if (set->n_missing == 0)
        set->first_missing = set->name.number;
    if (set->n_missing++ < MISSING_NAMED)
        snprintf(set->missing + used, sizeof set->missing - used, "%s%s%s",
                 used > 0 ? ", " : "", len > MISSING_BYTES ? "..." : "",
                 len > MISSING_BYTES ? name + len - MISSING_BYTES : name);
}

/* What is missing may be there under another name; or all is there but what was
 * asked for, which has one. */
static void hint_missing(const struct opening *o, struct shard_set *set)
{
    const struct ggki_shard_search beside = search_beside(o, set->path);
    const struct ggki_shard_search asked = search_beside(o, set->asked_path);
    struct ggki_shard_name name;
    char found[GGKI_FILE_NAME_BYTES];
    uint64_t no = GGK_NONE;

    if (o->err == NULL)
        return;
    if (ggki_shard_find(&beside, set->name.count, &no, found)) {
        set->name.number = (uint32_t)no + 1;
        ggki_shard_name_format(set->path, set->asked_path, &set->name);
        add_hint(o->err, "; %s is shard %llu by its keys: rename it to %s",
                 found, (unsigned long long)no + 1, ggki_base_name(set->path));
    } else if (set->n_missing + 1 == set->name.count &&
               ggki_shard_name_parse(set->asked_path, &name) &&
               ggki_shard_find_gap(&asked, name.number, name.count, found)) {
        add_hint(o->err,
                 "; rename it to %s if it is of that set, which lacks it",
                 found);
    }
}

static ggk_status fail_missing(const struct opening *o, struct shard_set *set)
{
    ggki_fail(o->err, GGK_E_SPLIT_MISSING,
              "%lu%s of the set's %lu shards %s missing: %s%s",
              (unsigned long)set->n_missing,
              set->n_missing == MISSING_MOST ? " or more" : "",
              (unsigned long)set->name.count,
              set->n_missing == 1 ? "is" : "are", set->missing,
              set->n_missing > MISSING_NAMED ? ", ..." : "");
    set->name.number = set->first_missing;
    ggki_shard_name_format(set->path, set->asked_path, &set->name);
    hint_missing(o, set);
    return GGK_E_SPLIT_MISSING;
}

/* Open the shard at set->path as the model's next file. Once one is missing,
 * it only matters whether the others are there. */
static ggk_status open_shard(const struct opening *o, struct shard_set *set)
{
    ggk_source *source;
    ggk_error failure = {0};
    ggk_status status =
        o->opts->open_source(o->opts->open_ctx, set->path, &source, &failure);

    if (status == GGK_E_IO && failure.sys_errno == ENOENT) {
        note_missing(set);
        return GGK_OK;
    }
    if (status != GGK_OK) {
        ggki_fail_copy(o->err, &failure);
        return status;
    }
    if (set->n_missing > 0) {
        ggk_source_close(source);
        return GGK_OK;
    }
    return open_source(o, source, set->path);
}

/* Put the shard that was asked for into its place. */
static ggk_status place_asked(const struct opening *o, struct shard_set *set)
{
    struct ggki_model_file *file = add_file(o->model);

    if (file == NULL)
        return ggki_fail_memory(o->err);
    *file = set->asked;
    memset(&set->asked, 0, sizeof set->asked);
    if (o->model->asked != GGKI_NO_FILE)
        o->model->asked = o->model->n_files - 1;
    return GGK_OK;
}

/* Open shard set->name.number. */
static ggk_status add_shard(const struct opening *o, struct shard_set *set,
                            uint32_t asked_number)
{
    bool is_asked = set->name.number == asked_number;
    ggk_status status;

    ggki_shard_name_format(set->path, set->asked_path, &set->name);
    status = is_asked ? place_asked(o, set) : open_shard(o, set);
    if (status == GGK_OK && set->n_missing == 0)
        status = check_shard(o, &o->model->files[o->model->n_files - 1].gguf,
                             set->path, &set->name);
    if (status != GGK_OK && (!is_asked || o->model->asked == GGKI_NO_FILE))
        ggki_err_set_file(o->err, ggki_base_name(set->path));
    return status;
}

static ggk_status add_shards(const struct opening *o, struct shard_set *set)
{
    uint32_t asked_number = set->name.number;
    ggk_status status = GGK_OK;

    for (uint32_t n = 1; n <= set->name.count && status == GGK_OK &&
                         set->n_missing < MISSING_MOST;
         n++) {
        set->name.number = n;
        status = add_shard(o, set, asked_number);
    }
    if (status == GGK_OK && set->n_missing > 0)
        status = fail_missing(o, set);
    return status;
}

/* The model's one file is a shard, but its name is not that of one. */
static ggk_status fail_name(const struct opening *o,
                            const struct ggki_split *split)
{
    const struct ggki_model_file *file = &o->model->files[0];
    const struct ggki_shard_search beside = search_beside(o, file->path);
    char right[GGKI_FILE_NAME_BYTES];

    ggki_fail(o->err, GGK_E_SPLIT,
              "this is one shard of %llu, but its name does not end in "
              "-NNNNN-of-NNNNN.gguf, so that the others cannot be found",
              (unsigned long long)split->count);
    place_at_value(o->err, &file->gguf, split->count_kv, split->count, 0);
    if (o->model->asked == GGKI_NO_FILE)
        ggki_err_set_file(o->err, ggki_base_name(file->path));
    if (split->no_kv == GGK_NONE || split->no >= split->count ||
        split->count > GGKI_SHARDS_MAX)
        return GGK_E_SPLIT;
    if (ggki_shard_find_gap(&beside, (uint32_t)split->no + 1,
                            (uint32_t)split->count, right))
        add_hint(o->err, "; rename it to %s", right);
    else
        add_hint(o->err,
                 "; let the names of all be the same but for the end, which "
                 "is -%05llu-of-%05llu.gguf for this one",
                 (unsigned long long)split->no + 1,
                 (unsigned long long)split->count);
    return GGK_E_SPLIT;
}

/* The model's one file says that it is a shard: open the others. */
static ggk_status open_set(const struct opening *o,
                           const struct ggki_split *split)
{
    ggk_model *model = o->model;
    struct shard_set set = {0};
    size_t path_bytes;
    ggk_status status;

    set.asked_path = model->files[0].path;
    if (!ggki_shard_name_parse(set.asked_path, &set.name))
        return fail_name(o, split);
    path_bytes = set.name.prefix_len + GGKI_SHARD_SUFFIX_BYTES;
    set.path = ggki_mem_resize(&model->mem, NULL, 0, path_bytes);
    if (set.path == NULL)
        return ggki_fail_memory(o->err);
    set.asked = model->files[0];
    model->n_files = 0;
    status = add_shards(o, &set);
    if (set.asked.path != NULL) /* it failed before its turn came */
        ggki_model_file_free(&model->mem, &set.asked);
    ggki_mem_release(&model->mem, set.path, path_bytes);
    return status;
}

/* ------------------------------------------------------------------ folders */

/* A model's file, or the first shard of a set. */
static bool is_model_name(const char *name)
{
    struct ggki_shard_name shard;
    size_t len = strlen(name);

    if (name[0] == '.' || len <= 5 || strcmp(name + len - 5, ".gguf") != 0)
        return false;
    return !ggki_shard_name_parse(name, &shard) || shard.number == 1;
}

static ggk_status open_folder(const struct opening *o, const char *folder)
{
    ggk_model *model = o->model;
    char *path;
    uint64_t n;
    ggk_status status =
        ggki_folder_find(folder, &model->mem, is_model_name, &path, &n, o->err);

    model->asked = GGKI_NO_FILE;
    if (status == GGK_OK && n == 0)
        status = ggki_fail(o->err, GGK_E_SPLIT,
                           "the folder holds no .gguf file that is a model or "
                           "the first shard of one");
    else if (status == GGK_OK && n > 1)
        status = ggki_fail(o->err, GGK_E_SPLIT,
                           "the folder holds %llu models: name one of them",
                           (unsigned long long)n);
    if (status == GGK_OK) {
        ggk_error failure = {0};
        const struct opening inside = {model, o->opts, &failure};
        status = open_path(&inside, path);
        if (status != GGK_OK) {
            ggki_err_set_file(&failure, ggki_base_name(path));
            ggki_fail_copy(o->err, &failure);
        }
    }
    if (path != NULL)
        ggki_mem_release(&model->mem, path, strlen(path) + 1);
    return status;
}

ggk_status ggki_model_open_files(ggk_model *model, const char *path,
                                 ggk_source *source, const ggk_open_opts *opts,
                                 ggk_error *err)
{
    struct opening o = {model, opts, err};
    ggk_error failure = {0};
    struct ggki_split split;
    ggk_status status;

    if (source != NULL)
        return open_source(&o, source, NULL);
    o.err = &failure;
    status = open_path(&o, path);
    o.err = err;
    if (status == GGK_E_IO && failure.sys_errno == EISDIR)
        status = open_folder(&o, path);
    else if (status != GGK_OK)
        ggki_fail_copy(err, &failure);
    if (status != GGK_OK || (opts->flags & GGK_OPEN_SINGLE) != 0)
        return status;
    split = ggki_split_of(&model->files[0].gguf);
    return split.count_kv != GGK_NONE && split.count > 1 ? open_set(&o, &split)
                                                         : GGK_OK;
}
