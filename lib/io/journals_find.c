/* journals_find.c - the journals in a folder, and the files that have them. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/opts.h"
#include "io/hidden.h"
#include "io/journal.h"
#include "io/os.h"
#include "io/path.h"
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
        ggki_mem_release_string(f->mem, journal);
        ggki_mem_release_string(f->mem, file);
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
        ggki_mem_release_string(&mem, f.at[i].journal);
        ggki_mem_release_string(&mem, f.at[i].file);
    }
    ggki_mem_release(&mem, f.at, f.capacity * sizeof *f.at);
    return status;
}

/* ------------------------------------------------------------ whose it is */

bool ggki_journal_is_of_name(const struct ggki_journal *j, int folder,
                             const char *name)
{
    struct ggki_identity is;
    struct stat st;
    bool owner;
    int fd;

    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(st.st_mode) || (uint64_t)st.st_ino != j->file.ino)
        return false;
    fd = ggki_os_open(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0) /* it cannot be told: then it may be */
        return true;
    is = ggki_identity_of(fd, &st);
    owner = ggki_journal_is_of(j, &is, (uint64_t)st.st_size);
    close(fd);
    return owner;
}

/* A journal by its path, or by that of the file that it would lie beside. */
struct lone {
    const ggk_allocator *mem;
    char *folder;
    int in, fd; /* descriptors: of the folder; the journal, or -1 */
    char name[GGKI_HIDDEN_BYTES];
    struct ggki_journal head;
    bool is_journal;          /* `head` was read */
    char named[NAME_MAX + 1]; /* the file beside which it lies, and */
    char owner[NAME_MAX + 1]; /* the one that it is of; "": none */
};

static void lone_close(struct lone *l)
{
    if (l->fd >= 0)
        close(l->fd);
    if (l->in >= 0)
        close(l->in);
    ggki_mem_release_string(l->mem, l->folder);
}

static ggk_status look_at_file(void *ctx, const char *name, ggk_error *err)
{
    struct lone *l = ctx;
    char hidden[GGKI_HIDDEN_BYTES];
    struct stat st;

    (void)err;
    ggki_hidden_name(hidden, name, GGKI_JOURNAL);
    if (strcmp(hidden, l->name) == 0 && fstatat(l->in, name, &st, 0) == 0)
        snprintf(l->named, sizeof l->named, "%s", name);
    if (l->is_journal && l->owner[0] == '\0' &&
        ggki_journal_is_of_name(&l->head, l->in, name))
        snprintf(l->owner, sizeof l->owner, "%s", name);
    return GGK_OK;
}

/* What lies there, and which files it has to do with. */
static ggk_status lone_open(struct lone *l, const char *path,
                            const ggk_allocator *mem, ggk_error *err)
{
    const char *base = ggki_base_name(path);
    struct stat st;

    *l = (struct lone){.mem = mem, .in = -1, .fd = -1};
    if (is_journal(base))
        snprintf(l->name, sizeof l->name, "%s", base);
    else
        ggki_hidden_name(l->name, base, GGKI_JOURNAL);
    l->folder = ggki_folder_name(mem, path);
    if (l->folder == NULL)
        return ggki_fail_memory(err);
    l->in = ggki_os_open(AT_FDCWD, l->folder, O_RDONLY | O_DIRECTORY, 0);
    if (l->in < 0 || fstatat(l->in, l->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return ggki_fail_io(err, errno, "open");
    if (S_ISREG(st.st_mode))
        l->fd =
            ggki_os_open(l->in, l->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    l->is_journal = l->fd >= 0 && ggki_journal_head(&l->head, l->fd);
    return ggki_folder_each(l->folder, look_at_file, l, err);
}

ggk_status ggk_journal_owner(const char *path, const ggk_allocator *alloc,
                             ggk_on_journal *on_journal, void *ctx,
                             ggk_error *err)
{
    const ggk_allocator mem = ggki_mem_of(alloc);
    char hidden[GGKI_HIDDEN_BYTES], *journal, *file = NULL;
    struct lone l;
    ggk_status status = lone_open(&l, path, &mem, err);
    bool owned = l.owner[0] != '\0';

    if (status == GGK_OK) {
        ggki_hidden_name(hidden, l.owner, GGKI_JOURNAL);
        journal = ggki_folder_join(&mem, l.folder, owned ? hidden : l.name);
        if (owned)
            file = ggki_folder_join(&mem, l.folder, l.owner);
        if (journal == NULL || (owned && file == NULL))
            status = ggki_fail_memory(err);
        else
            (void)on_journal(ctx, journal, file);
        ggki_mem_release_string(&mem, journal);
        ggki_mem_release_string(&mem, file);
    }
    lone_close(&l);
    return status;
}

/* Without a file by its name none of us makes another in its place. */
static ggk_status remove_lone(const struct lone *l, ggk_error *err)
{
    struct stat opened, there;
    int failed;

    if (l->fd >= 0 &&
        (fstat(l->fd, &opened) != 0 ||
         fstatat(l->in, l->name, &there, AT_SYMLINK_NOFOLLOW) != 0 ||
         opened.st_ino != there.st_ino))
        return ggki_fail(err, GGK_E_CHANGED, "the journal is another one now");
    if (unlinkat(l->in, l->name, 0) != 0)
        return ggki_fail_io(err, errno, "remove the journal");
    failed = ggki_os_sync(l->in);
    return failed == 0 || failed == EINVAL
               ? GGK_OK
               : ggki_fail_io(err, failed, "write the folder to the disk");
}

ggk_status ggk_journal_discard(const char *path, uint32_t flags,
                               const ggk_allocator *alloc, ggk_error *err)
{
    const ggk_allocator mem = ggki_mem_of(alloc);
    struct lone l;
    ggk_status status = ggki_opts_check_flags(flags, GGK_RECOVER_DRY, err);

    if (status != GGK_OK)
        return status;
    status = lone_open(&l, path, &mem, err);
    if (status == GGK_OK && (l.named[0] != '\0' || l.owner[0] != '\0'))
        status = ggki_fail(err, GGK_E_EXISTS,
                           "the file that it may be of is there: \"%.200s\"",
                           l.owner[0] != '\0' ? l.owner : l.named);
    if (status == GGK_OK && (flags & GGK_RECOVER_DRY) == 0)
        status = remove_lone(&l, err);
    lone_close(&l);
    return status;
}
