/* journals_find.c - the journals in a folder, and the files that have them. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "io/hidden.h"
#include "io/source.h"

struct found {
    char *journal; /* names in the folder */
    char *file;    /* NULL: none */
};

struct finding {
    const ggk_allocator *mem;
    struct found *at;
    size_t n, capacity;
};

static bool is_journal(const char *name)
{
    size_t n = strlen(name), suffix = strlen(GGKI_JOURNAL);

    return name[0] == '.' && n > suffix + 1 &&
           strcmp(name + n - suffix, GGKI_JOURNAL) == 0;
}

static ggk_status note_journal(void *ctx, const char *name, ggk_error *err)
{
    struct finding *f = ctx;

    if (!is_journal(name))
        return GGK_OK;
    if (f->n == f->capacity) {
        size_t capacity = f->capacity * 2 + 16;
        struct found *at = ggki_mem_resize(
            f->mem, f->at, f->capacity * sizeof *at, capacity * sizeof *at);

        if (at == NULL)
            return ggki_fail_memory(err);
        f->at = at;
        f->capacity = capacity;
    }
    f->at[f->n].file = NULL;
    f->at[f->n].journal = ggki_mem_string(f->mem, name, strlen(name));
    return f->at[f->n++].journal != NULL ? GGK_OK : ggki_fail_memory(err);
}

static int compare_journals(const void *a, const void *b)
{
    return strcmp(((const struct found *)a)->journal,
                  ((const struct found *)b)->journal);
}

/* Has this file one of them? A long name cannot be read from its journal's. */
static ggk_status match_file(void *ctx, const char *name, ggk_error *err)
{
    struct finding *f = ctx;
    char hidden[GGKI_HIDDEN_BYTES];
    const struct found key = {hidden, NULL};
    struct found *found;

    ggki_hidden_name(hidden, name, GGKI_JOURNAL);
    found = bsearch(&key, f->at, f->n, sizeof *f->at, compare_journals);
    if (found == NULL || found->file != NULL)
        return GGK_OK;
    found->file = ggki_mem_string(f->mem, name, strlen(name));
    return found->file != NULL ? GGK_OK : ggki_fail_memory(err);
}

static void release_string(const ggk_allocator *mem, char *s)
{
    if (s != NULL)
        ggki_mem_release(mem, s, strlen(s) + 1);
}

static ggk_status tell(const struct finding *f, const char *folder,
                       ggk_on_journal *on_journal, void *ctx, ggk_error *err)
{
    bool more = true;

    for (size_t i = 0; i < f->n && more; i++) {
        const struct found *found = &f->at[i];
        char *journal = ggki_folder_join(f->mem, folder, found->journal);
        char *file = found->file != NULL
                         ? ggki_folder_join(f->mem, folder, found->file)
                         : NULL;
        bool good = journal != NULL && (file != NULL || found->file == NULL);

        if (good)
            more = on_journal(ctx, journal, file);
        release_string(f->mem, journal);
        release_string(f->mem, file);
        if (!good)
            return ggki_fail_memory(err);
    }
    return GGK_OK;
}

ggk_status ggk_journals_find(const char *folder, const ggk_allocator *alloc,
                             ggk_on_journal *on_journal, void *ctx,
                             ggk_error *err)
{
    const ggk_allocator mem = ggki_mem_of(alloc);
    struct finding f = {.mem = &mem};
    ggk_status status = ggki_folder_each(folder, note_journal, &f, err);

    if (status == GGK_OK && f.n > 1)
        qsort(f.at, f.n, sizeof *f.at, compare_journals);
    if (status == GGK_OK && f.n > 0)
        status = ggki_folder_each(folder, match_file, &f, err);
    if (status == GGK_OK)
        status = tell(&f, folder, on_journal, ctx, err);
    for (size_t i = 0; i < f.n; i++) {
        release_string(&mem, f.at[i].journal);
        release_string(&mem, f.at[i].file);
    }
    ggki_mem_release(&mem, f.at, f.capacity * sizeof *f.at);
    return status;
}
