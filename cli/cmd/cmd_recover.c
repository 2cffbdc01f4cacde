/* cmd_recover.c - gguf recover: an edit in place that was interrupted is
 * undone.
 */
#include "command.h"
#include "old_name.h"
#include "out/text.h"
#include "path_parts.h"
#include "show.h"
#include "ui/signals.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct recover_options {
    bool dry_run, discard;
};

static const struct opt recover_options[] = {
    {"dry-run", 0, OPT_FLAG, NULL,
     "only tell whether there is need: exit status 1",
     offsetof(struct recover_options, dry_run), NULL},
    {"discard", 0, OPT_FLAG, NULL,
     "remove a journal that is of no file in the folder",
     offsetof(struct recover_options, discard), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

struct file_id {
    dev_t dev;
    ino_t ino;
};

/* One file, or one after the other of a set or a folder. */
struct recovering {
    const struct cli *cli;
    bool dry, discard;
    bool lists; /* in JSON each file is one of a list */
    bool named; /* the file was named, so that all is told of it */
    struct json json;
    uint64_t n;
    int status;
    struct file_id *seen; /* in a folder, those told of */
    size_t n_seen, seen_capacity;
};

static const char *sentence(ggk_recovery recovery, bool dry)
{
    switch (recovery) {
    case GGK_RECOVERY_NONE:
        return "no edit of it was interrupted, or its journal is not here";
    case GGK_RECOVERY_UNDONE:
        return dry ? "an interrupted edit would be undone"
                   : "an interrupted edit was undone: the file is what it was "
                     "before";
    case GGK_RECOVERY_DISCARDED:
        return dry ? "the journal beside it, not this file's, would be removed"
                   : "the journal beside it, not this file's, was removed";
    case GGK_RECOVERY_FOREIGN: break;
    }
    return "the journal beside it is not this file's, or not its owner's: it "
           "was left alone (--discard removes it)";
}

static const char *word(ggk_recovery recovery)
{
    switch (recovery) {
    case GGK_RECOVERY_NONE: return "none";
    case GGK_RECOVERY_UNDONE: return "undone";
    case GGK_RECOVERY_DISCARDED: return "discarded";
    case GGK_RECOVERY_FOREIGN: break;
    }
    return "foreign";
}

static void put_members(struct recovering *r, const char *file,
                        ggk_recovery recovery)
{
    struct json *j = &r->json;

    json_put_string(j, "file", file, strlen(file));
    json_put_cstring(j, "recovery", word(recovery));
    json_put_bool(j, "written", recovery == GGK_RECOVERY_UNDONE && !r->dry);
}

static void print_recovery(struct recovering *r, const char *file,
                           ggk_recovery recovery, const char *said)
{
    const struct cli *cli = r->cli;

    if (cli->global.json && r->lists) {
        json_open_object(&r->json);
        put_members(r, file, recovery);
        json_close_object(&r->json);
    } else if (cli->global.json) {
        show_json_start(&r->json, cli);
        put_members(r, file, recovery);
        show_json_end(&r->json);
    } else if (!cli->global.quiet) {
        text_write(cli->out, file, strlen(file), TEXT_PLAIN, TEXT_WHOLE);
        fputs(": ", cli->out);
        text_write(cli->out, said, strlen(said), TEXT_PLAIN, TEXT_WHOLE);
        fputc('\n', cli->out);
    }
}

static void note_status(struct recovering *r, int status)
{
    if (status > r->status)
        r->status = status;
}

static void note_failure(struct recovering *r, const char *file,
                         const ggk_error *err)
{
    int status = cli_fail(r->cli, file, err);

    note_status(r, err->status == GGK_E_EXISTS ? CLI_NO : status);
}

/* ----------------------------------------------------------- journals alone
 */

/* A journal without its file: by its own path, or by the one that it has been
 * named after. */
struct lone_journal {
    struct recovering *r;
    const char *path;
    bool by_file;
};

static void discard_lone(const struct lone_journal *l)
{
    struct recovering *r = l->r;
    ggk_error err;

    if (!r->discard) {
        msg_error(&r->cli->msg, l->path,
                  "%s of no file in the folder: if the file went elsewhere, "
                  "move the journal there, too, and recover it; --discard "
                  "removes the journal",
                  l->by_file ? "it is not there, and its journal is" : "it is");
        note_status(r, CLI_NO);
    } else if (ggk_journal_discard(l->path, r->dry ? GGK_RECOVER_DRY : 0, NULL,
                                   &err) == GGK_OK) {
        print_recovery(r, l->path, GGK_RECOVERY_DISCARDED,
                       r->dry ? "the journal, of no file in the folder, would "
                                "be removed"
                              : "the journal, of no file in the folder, was "
                                "removed");
    } else {
        note_failure(r, l->path, &err);
    }
}

static bool tell_owner(void *ctx, const char *journal, const char *file)
{
    const struct lone_journal *l = ctx;
    const char *it = l->by_file ? "it is not there, and its journal is"
                                : "it is the journal";

    if (file == NULL) {
        discard_lone(l);
        return true;
    }
    if (strcmp(path_name(journal), path_name(l->path)) == 0)
        msg_error(&l->r->cli->msg, l->path,
                  "%s of \"%s\": recover that, not this", it, file);
    else
        msg_error(&l->r->cli->msg, l->path,
                  "%s of \"%s\", and undoes its edit once it is renamed \"%s\"",
                  it, file, journal);
    note_status(l->r, CLI_NO);
    return true;
}

/* False if there is none. */
static bool take_lone(struct recovering *r, const char *path, bool by_file)
{
    struct lone_journal l = {r, path, by_file};
    ggk_error err;

    if (ggk_journal_owner(path, NULL, tell_owner, &l, &err) == GGK_OK)
        return true;
    if (err.sys_errno == ENOENT)
        return false;
    note_status(r, cli_fail(r->cli, path, &err));
    return true;
}

/* A file that has no journal beside it may be one itself. */
struct seeking {
    struct recovering *r;
    const char *file;
    bool found;
};

static bool seek_itself(void *ctx, const char *journal, const char *file)
{
    struct seeking *s = ctx;

    (void)file;
    if (strcmp(path_name(journal), path_name(s->file)) == 0)
        s->found = take_lone(s->r, s->file, false);
    return !s->found;
}

/* Is there a journal that it has to do with? Then that is told. */
static bool seek(struct recovering *r, const char *file)
{
    char *folder = path_beside(file, ".");
    struct seeking s = {r, file, false};
    struct old_name old;

    if (folder != NULL &&
        ggk_journals_find(folder, NULL, seek_itself, &s, NULL) != GGK_OK)
        s.found = false;
    free(folder);
    if (s.found || !old_name_find(file, &old))
        return s.found;
    msg_error(&r->cli->msg, file,
              "an edit of it was interrupted, when it had another name: rename "
              "its journal, \"%s\", to \"%s\", and recover it then",
              old.journal, old.wanted);
    note_status(r, CLI_NO);
    return true;
}

/* -------------------------------------------------------------------- files */

static void fail_file(struct recovering *r, const char *file,
                      const ggk_error *err)
{
    if (err->sys_errno == ENOENT && r->named && take_lone(r, file, true))
        return;
    note_failure(r, file, err);
}

static void recover_file(struct recovering *r, const char *file)
{
    const uint32_t flags =
        (r->dry ? GGK_RECOVER_DRY : 0) | (r->discard ? GGK_RECOVER_DISCARD : 0);
    ggk_recovery recovery, other;
    ggk_error err;
    const char *said;

    if (ggk_recover(file, flags, NULL, &recovery, &err) != GGK_OK) {
        fail_file(r, file, &err);
        return;
    }
    if (recovery == GGK_RECOVERY_NONE && r->named && seek(r, file))
        return;
    said = sentence(recovery, r->dry);
    if (recovery == GGK_RECOVERY_FOREIGN &&
        ggk_recover(file, GGK_RECOVER_DRY | GGK_RECOVER_DISCARD, NULL, &other,
                    &err) == GGK_E_EXISTS)
        said = err.what; /* whose it is */
    print_recovery(r, file, recovery, said);
    if (recovery == GGK_RECOVERY_FOREIGN ||
        (recovery == GGK_RECOVERY_UNDONE && r->dry))
        note_status(r, CLI_NO);
}

/* Why can that which has the name of this file's journal be none? NULL: it may
 * be one. */
static const char *stray(const char *file)
{
    struct stat st;

    if (stat(file, &st) != 0 || S_ISREG(st.st_mode))
        return NULL;
    return S_ISDIR(st.st_mode)
               ? "what this is the journal of by its name is a folder, which "
                 "has none"
               : "what this is the journal of by its name is no regular file, "
                 "and has none";
}

/* Has the file been told of, by this name or another? It has now. A file that
 * there is no memory to remember is told of once more. */
static bool seen_before(struct recovering *r, const struct stat *st)
{
    for (size_t i = 0; i < r->n_seen; i++)
        if (r->seen[i].dev == st->st_dev && r->seen[i].ino == st->st_ino)
            return true;
    if (r->n_seen == r->seen_capacity) {
        size_t capacity = r->seen_capacity * 2 + 16;
        struct file_id *grown = realloc(r->seen, capacity * sizeof *grown);

        if (grown == NULL)
            return false;
        r->seen = grown;
        r->seen_capacity = capacity;
    }
    r->seen[r->n_seen++] = (struct file_id){st->st_dev, st->st_ino};
    return false;
}

static bool recover_one_of(void *ctx, const char *journal, const char *file)
{
    struct recovering *r = ctx;
    const char *why = file != NULL ? stray(file) : NULL;
    struct stat st;

    r->n++;
    if (file != NULL && stat(file, &st) == 0)
        (void)seen_before(r, &st);
    if (file == NULL) {
        (void)take_lone(r, journal, false);
    } else if (why == NULL) {
        recover_file(r, file);
    } else {
        msg_error(&r->cli->msg, journal, "%s", why);
        note_status(r, CLI_NO);
    }
    return true;
}

/* Between these, files are elements of the document's list. */
static void open_list(struct recovering *r, const char *key, const char *path)
{
    r->lists = true;
    if (!r->cli->global.json)
        return;
    show_json_start(&r->json, r->cli);
    json_put_string(&r->json, key, path, strlen(path));
    json_key(&r->json, "files");
    json_open_array(&r->json);
}

static void close_list(struct recovering *r)
{
    if (!r->cli->global.json)
        return;
    json_close_array(&r->json);
    show_json_end(&r->json);
}

/* Links lead to files whose journals are elsewhere, as in a cache of downloads.
 */
static void recover_links(struct recovering *r, const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char path[PATH_MAX];
        struct stat link, st;
        int n = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);

        if (n < 0 || (size_t)n >= sizeof path || lstat(path, &link) != 0 ||
            !S_ISLNK(link.st_mode) || stat(path, &st) != 0 ||
            !S_ISREG(st.st_mode) || !cli_has_journal(path) ||
            seen_before(r, &st))
            continue;
        r->n++;
        recover_file(r, path);
    }
    if (dir != NULL)
        closedir(dir);
}

static void recover_folder(struct recovering *r, const char *folder)
{
    const struct cli *cli = r->cli;
    ggk_error err;

    open_list(r, "folder", folder);
    if (ggk_journals_find(folder, NULL, recover_one_of, r, &err) != GGK_OK)
        note_status(r, cli_fail(cli, folder, &err));
    recover_links(r, folder);
    close_list(r);
    if (r->n == 0 && r->status == CLI_DONE && !cli->global.json &&
        !cli->global.quiet) {
        text_write(cli->out, folder, strlen(folder), TEXT_PLAIN, TEXT_WHOLE);
        fputs(": no edit of a file in it was interrupted\n", cli->out);
    }
}

/* --------------------------------------------------------------------- sets
 */

#define NUMBER_DIGITS 5
#define NUMBER_BEHIND (sizeof "-of-00003.gguf" - 1)

/* How many shards has the set that a file is one of by its name; 0: it is none.
 */
static uint32_t shards_of(const char *file)
{
    ggk_file_name name;

    (void)ggk_file_name_parse(ggk_cstr(path_name(file)), &name);
    return name.shard > 0 && path_ends(file, ".gguf") ? name.shards : 0;
}

/* All commands take a shard for its set. Of the others is told if there is
 * something to tell. */
static void recover_set(struct recovering *r, const char *file, uint32_t n)
{
    char *path = strdup(file), digits[16], *number;
    ggk_error err;

    if (path == NULL) {
        show_no_memory(&err);
        note_status(r, cli_fail(r->cli, file, &err));
        return;
    }
    number = path + strlen(path) - NUMBER_BEHIND - NUMBER_DIGITS;
    open_list(r, "set", file);
    recover_file(r, file);
    r->named = false;
    for (uint32_t i = 1; i <= n; i++) {
        snprintf(digits, sizeof digits, "%0*" PRIu32, NUMBER_DIGITS, i);
        memcpy(number, digits, NUMBER_DIGITS);
        if (strcmp(path, file) != 0 && cli_has_journal(path))
            recover_file(r, path);
    }
    close_list(r);
    free(path);
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int run_recover(struct cli *cli, int argc, char **argv)
{
    const struct recover_options *options = cli->options;
    struct recovering r = {.cli = cli,
                           .dry = options->dry_run,
                           .discard = options->discard,
                           .status = CLI_DONE};
    uint32_t n = shards_of(argv[0]);

    (void)argc;
    signals_catch(); /* the first one does not end it halfway */
    r.named = !is_folder(argv[0]);
    if (!r.named)
        recover_folder(&r, argv[0]);
    else if (n > 0)
        recover_set(&r, argv[0], n);
    else
        recover_file(&r, argv[0]);
    free(r.seen);
    return r.status;
}

static const struct cli_example recover_examples[] = {
    {"gguf recover model.gguf", "after a crash or a loss of power"},
    {"gguf recover --dry-run model.gguf", "only tell whether there is need"},
    {"gguf recover models/", "all files of a folder"},
    {NULL, NULL},
};

const struct command cmd_recover = {
    .name = "recover",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "undo an edit in place that was interrupted",
    .about =
        "If gguf set, rm or rename was interrupted while it edited FILE in "
        "place, makes\nFILE what it was before, byte for byte; of a shard, all "
        "shards of its set; of a\nfolder, all files in it. The other commands "
        "do not read it until then; those\nthat would change it do this first.",
    .examples = recover_examples,
    .options = recover_options,
    .options_bytes = sizeof(struct recover_options),
    .no_means = "a journal is of another file; or --dry-run found need",
    .run = run_recover,
};
