/* shard_search.c - what the files beside a shard are. */
#include "model/shard_search.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "io/path.h"
#include "io/source.h"

#define LOOKED_AT 32 /* files with names of the set, and so many others */

struct searching {
    const struct ggki_shard_search *where;
    const char *base; /* name of its file, */
    struct ggki_shard_name name;
    bool named; /* which is that of a shard */
    size_t folder_len;
    char *path; /* of the file at hand */
    uint32_t n_own, n_others;
    uint64_t no, count, found;
    char *out; /* "": nothing was found */
};

#define PATH_BYTES(s) ((s)->folder_len + GGKI_FILE_NAME_BYTES)

static bool begin(struct searching *s, const struct ggki_shard_search *where,
                  char *out)
{
    *s = (struct searching){.where = where,
                            .base = ggki_base_name(where->path),
                            .found = GGK_NONE,
                            .out = out};
    *out = '\0';
    s->named = ggki_shard_name_parse(s->base, &s->name);
    s->folder_len = (size_t)(s->base - where->path);
    s->path = ggki_mem_resize(where->mem, NULL, 0, PATH_BYTES(s));
    if (s->path != NULL)
        memcpy(s->path, where->path, s->folder_len);
    return s->path != NULL;
}

static void end(struct searching *s)
{
    ggki_mem_release(s->where->mem, s->path, PATH_BYTES(s));
}

/* ------------------------------------------------------------------- files */

/* The name of shard `number` of the set that a file `like` is of; false if it
 * is too long. */
static bool name_shard(const char *like, struct ggki_shard_name name,
                       uint32_t number, char out[GGKI_FILE_NAME_BYTES])
{
    *out = '\0';
    if (name.prefix_len + GGKI_SHARD_SUFFIX_BYTES > GGKI_FILE_NAME_BYTES)
        return false;
    name.number = number;
    ggki_shard_name_format(out, like, &name);
    return true;
}

/* The file of that name in the folder, if it can be opened. `*there`: it is
 * there in any case. */
static ggk_source *open_beside(struct searching *s, const char *name,
                               bool *there)
{
    const ggk_open_opts *opts = s->where->opts;
    ggk_source *source = NULL;
    ggk_error err = {0};
    ggk_status status;

    memcpy(s->path + s->folder_len, name, strlen(name) + 1);
    status = opts->open_source(opts->open_ctx, s->path, &source, &err);
    *there = status != GGK_E_IO || err.sys_errno != ENOENT;
    return status == GGK_OK ? source : NULL;
}

static bool is_there(struct searching *s, const char *name)
{
    bool there;
    ggk_source *source = open_beside(s, name, &there);

    if (source != NULL)
        ggk_source_close(source);
    return there;
}

/* What the keys of the file say; false if it cannot be read. */
static bool split_beside(struct searching *s, const char *name,
                         struct ggki_split *out)
{
    struct ggki_gguf gguf = {.mem = *s->where->mem};
    bool there, read;
    ggk_source *source = open_beside(s, name, &there);

    if (source == NULL)
        return false;
    read = ggki_gguf_open(&gguf, source, NULL, s->where->opts, NULL) == GGK_OK;
    if (read)
        *out = ggki_split_of(&gguf);
    ggki_gguf_close(&gguf);
    return read;
}

static bool is_gguf_name(const char *name)
{
    size_t len = strlen(name);

    return name[0] != '.' && len > 5 && len < GGKI_FILE_NAME_BYTES &&
           strcmp(name + len - 5, ".gguf") == 0;
}

/* Call `each` with the names in the folder; the least of those that it keeps is
 * found, whatever their order. */
static bool search_folder(struct searching *s, ggki_on_name *each)
{
    s->path[s->folder_len] = '\0';
    (void)ggki_folder_each(s->folder_len > 0 ? s->path : ".", each, s, NULL);
    return *s->out != '\0';
}

static void keep(struct searching *s, const char *name, uint64_t no)
{
    if (*s->out != '\0' && strcmp(s->out, name) < 0)
        return;
    memcpy(s->out, name, strlen(name) + 1);
    s->found = no;
}

/* ------------------------------------------------------------------ content */

/* Has the shard its place in another set of as many, of which the one before or
 * after it is there? */
static bool is_of_other_set(struct searching *s, const char *name,
                            const struct ggki_shard_name *parsed, uint64_t no)
{
    char next[GGKI_FILE_NAME_BYTES], last[GGKI_FILE_NAME_BYTES];
    uint32_t number = parsed->number, count = parsed->count;

    return count == s->count && number == no + 1 &&
           name_shard(name, *parsed, number % count + 1, next) &&
           name_shard(name, *parsed, (number + count - 2) % count + 1, last) &&
           (is_there(s, next) || is_there(s, last));
}

static bool is_wanted(struct searching *s, uint64_t no)
{
    char right[GGKI_FILE_NAME_BYTES];

    if (s->no != GGK_NONE)
        return no == s->no;
    return no < s->count && s->named &&
           name_shard(s->base, s->name, (uint32_t)no + 1, right) &&
           !is_there(s, right);
}

static ggk_status look_into(void *ctx, const char *name, ggk_error *err)
{
    struct searching *s = ctx;
    struct ggki_shard_name parsed = {0};
    struct ggki_split split;
    bool own, named = ggki_shard_name_parse(name, &parsed);

    (void)err;
    if (!is_gguf_name(name) || strcmp(name, s->base) == 0)
        return GGK_OK;
    own = named && s->named && parsed.count == s->name.count &&
          parsed.prefix_len == s->name.prefix_len &&
          memcmp(name, s->base, parsed.prefix_len) == 0;
    if ((own ? s->n_own++ : s->n_others++) >= LOOKED_AT ||
        !split_beside(s, name, &split) || split.count != s->count ||
        split.no_kv == GGK_NONE || !is_wanted(s, split.no) ||
        (named && !own && is_of_other_set(s, name, &parsed, split.no)))
        return GGK_OK;
    keep(s, name, split.no);
    return GGK_OK;
}

bool ggki_shard_find(const struct ggki_shard_search *where, uint64_t count,
                     uint64_t *no, char out[GGKI_FILE_NAME_BYTES])
{
    struct searching s;
    bool found;

    if (!begin(&s, where, out))
        return false;
    s.no = *no;
    s.count = count;
    found = search_folder(&s, look_into);
    *no = s.found;
    end(&s);
    return found;
}

/* -------------------------------------------------------------------- names */

static ggk_status look_at_name(void *ctx, const char *name, ggk_error *err)
{
    struct searching *s = ctx;
    struct ggki_shard_name parsed;
    char gap[GGKI_FILE_NAME_BYTES];

    (void)err;
    if (is_gguf_name(name) && ggki_shard_name_parse(name, &parsed) &&
        parsed.count == s->count && s->n_others++ < LOOKED_AT &&
        name_shard(name, parsed, (uint32_t)s->no, gap) && !is_there(s, gap))
        keep(s, gap, s->no);
    return GGK_OK;
}

bool ggki_shard_find_gap(const struct ggki_shard_search *where, uint32_t number,
                         uint32_t count, char out[GGKI_FILE_NAME_BYTES])
{
    struct searching s;
    bool found;

    if (!begin(&s, where, out))
        return false;
    s.no = number;
    s.count = count;
    found = search_folder(&s, look_at_name);
    end(&s);
    return found;
}

bool ggki_shard_beside(const struct ggki_shard_search *where, uint32_t number,
                       struct ggki_split *split, char out[GGKI_FILE_NAME_BYTES])
{
    struct searching s;
    bool there = false;

    *split = (struct ggki_split){0, 0, GGK_NONE, GGK_NONE};
    if (!begin(&s, where, out))
        return false;
    if (s.named && name_shard(s.base, s.name, number, out)) {
        there = is_there(&s, out);
        (void)split_beside(&s, out, split);
    }
    end(&s);
    return there;
}

/* -------------------------------------------------------------------- stale */

static ggk_status count_stale(void *ctx, const char *name, ggk_error *err)
{
    struct searching *s = ctx;
    struct ggki_shard_name parsed;

    (void)err;
    if (!is_gguf_name(name) || !ggki_shard_name_parse(name, &parsed) ||
        parsed.count == s->name.count ||
        parsed.prefix_len != s->name.prefix_len ||
        memcmp(name, s->base, parsed.prefix_len) != 0)
        return GGK_OK;
    s->n_others++;
    keep(s, name, parsed.number);
    return GGK_OK;
}

bool ggki_shard_find_stale(const ggk_model *model, uint64_t *n,
                           char out[GGKI_FILE_NAME_BYTES])
{
    const char *path = model->files[0].path;
    const struct ggki_shard_search where = {NULL, &model->mem, path};
    struct ggki_shard_name name;
    struct searching s;

    *n = 0;
    *out = '\0';
    if (path == NULL || !ggki_shard_name_parse(path, &name) ||
        name.count != model->n_files)
        return true;
    if (!begin(&s, &where, out))
        return false;
    (void)search_folder(&s, count_stale);
    *n = s.n_others;
    end(&s);
    return true;
}

ggk_status ggk_model_stale_shards(const ggk_model *model, uint64_t *n,
                                  char *name, size_t name_bytes, ggk_error *err)
{
    char least[GGKI_FILE_NAME_BYTES];

    if (!ggki_shard_find_stale(model, n, least))
        return ggki_fail_memory(err);
    if (name_bytes > 0)
        snprintf(name, name_bytes, "%s", least);
    return GGK_OK;
}
