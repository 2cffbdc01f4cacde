/* journal_check.c - does a journal keep its file from being read? */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "io/hidden.h"
#include "io/journal.h"
#include "io/os.h"
#include "io/path.h"

#define STICKY 01000 /* S_ISVTX, which POSIX has only with XSI */

/* The path of the journal of the file at `path`; false if it has none, since
 * it would be too long. */
static bool journal_path(const char *path, char out[PATH_MAX])
{
    const char *name = ggki_base_name(path);
    size_t folder = (size_t)(name - path);
    char hidden[GGKI_HIDDEN_BYTES];

    ggki_hidden_name(hidden, name, GGKI_JOURNAL);
    if (folder + strlen(hidden) >= PATH_MAX)
        return false;
    memcpy(out, path, folder);
    memcpy(out + folder, hidden, strlen(hidden) + 1);
    return true;
}

bool ggki_journal_may_be(const struct stat *journal, uid_t owner)
{
    return S_ISREG(journal->st_mode) && journal->st_uid == owner &&
           journal->st_nlink == 1;
}

bool ggki_journal_is_there(const char *path)
{
    char journal[PATH_MAX], room[PATH_MAX];
    struct stat st;

    return journal_path(ggki_os_file_path(path, room), journal) &&
           lstat(journal, &st) == 0;
}

void ggki_journal_hindrance(const struct stat *journal, uid_t owner, char *out,
                            size_t bytes)
{
    if (journal->st_uid != owner)
        snprintf(out, bytes,
                 "its journal belongs to user %lu, but the file to user %lu: "
                 "if both can be trusted, give them one owner (chown)",
                 (unsigned long)journal->st_uid, (unsigned long)owner);
    else
        snprintf(out, bytes,
                 "its journal has %lu names (hard links): remove the others",
                 (unsigned long)journal->st_nlink);
}

enum whose {
    ITS_OWN,
    OF_ANOTHER, /* for sure */
    CLOSED,     /* we may not look */
    UNTOLD
};

/* Of a damaged one not even the head is to be believed. */
static bool is_damaged(int journal)
{
    const ggk_allocator mem = ggki_mem_of(NULL);
    struct ggki_journal j = {.n_runs = 0};
    ggk_status status = ggki_journal_read(&j, journal, &mem, NULL);

    ggki_journal_free(&j, &mem);
    return status == GGK_E_INTERRUPTED;
}

/* Whose is the journal at that path? */
static enum whose whose_is(const char *path, int fd, const struct stat *st)
{
    struct ggki_identity file = ggki_identity_of(fd, st);
    struct ggki_journal j;
    int journal =
        ggki_os_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    enum whose whose = UNTOLD;

    if (journal < 0 && (errno == ELOOP || errno == ENOENT))
        return OF_ANOTHER; /* a link, which we do not make; or gone */
    if (journal < 0)
        return errno == EACCES ? CLOSED : UNTOLD;
    if (ggki_journal_head(&j, journal))
        whose = ggki_journal_is_of(&j, &file, (uint64_t)st->st_size)
                    ? ITS_OWN
                    : OF_ANOTHER;
    if (whose == OF_ANOTHER && is_damaged(journal))
        whose = UNTOLD;
    close(journal);
    return whose;
}

/* Is it in a folder like /tmp, where anybody may put files, but not remove
 * those of others? */
static bool is_in_shared_folder(const char *path)
{
    char folder[PATH_MAX];
    size_t n = (size_t)(ggki_base_name(path) - path);
    struct stat st;

    memcpy(folder, path, n);
    memcpy(folder + n, ".", 2);
    return stat(folder, &st) == 0 && (st.st_mode & STICKY) != 0 &&
           (st.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* A file that may be half edited is not read, even where its journal may not be
 * applied. But nobody shall keep others from a file by a journal that he has
 * made up: not where he could not just as well remove the file. */
static bool keeps_from_reading(const char *path, const struct stat *journal,
                               int fd, const struct stat *st)
{
    uid_t by = journal->st_uid;

    if (!S_ISREG(journal->st_mode))
        return false;
    switch (whose_is(path, fd, st)) {
    case OF_ANOTHER: return false;
    case ITS_OWN:
        return by == 0 || by == st->st_uid || by == geteuid() ||
               !is_in_shared_folder(path);
    case CLOSED:
        if (by == 0 && journal->st_nlink == 1)
            return true;
        break;
    case UNTOLD: break;
    }
    return ggki_journal_may_be(journal, st->st_uid);
}

ggk_status ggki_journal_check(const char *path, int fd, const struct stat *st,
                              ggk_error *err)
{
    char journal[PATH_MAX], room[PATH_MAX], why[GGKI_HINDRANCE_BYTES];
    struct stat there;

    if (!journal_path(ggki_os_file_path(path, room), journal))
        return GGK_OK;
    if (lstat(journal, &there) != 0)
        return errno == ENOENT || errno == ENAMETOOLONG
                   ? GGK_OK
                   : ggki_fail_io(err, errno, "look beside");
    if (!keeps_from_reading(journal, &there, fd, st))
        return GGK_OK;
    if (ggki_journal_may_be(&there, st->st_uid))
        return ggki_fail(
            err, GGK_E_INTERRUPTED,
            "an edit of this file was interrupted, or is going on");
    ggki_journal_hindrance(&there, st->st_uid, why, sizeof why);
    return ggki_fail(err, GGK_E_INTERRUPTED,
                     "an edit of this file was interrupted, and %s", why);
}
