/* input.c - opens the models that commands are given. */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "old_name.h"
#include "out/fmt.h"
#include "out/text.h"
#include "path_parts.h"
#include "same.h"
#include "similar.h"
#include "small_file.h"
#include "ui/signals.h"

#define TABLE_MAX_BYTES ((size_t)1 << 20) /* of --type-table */

/* ------------------------------------------------------------- descriptors */

/* A file that cannot be mapped: standard input, or a pipe given by name. */
struct fd_input {
    int fd;
    bool owned;
    bool seekable;
    uint64_t pos; /* of a pipe: bytes read so far */
};

static int read_once(int fd, void *buf, size_t bytes, size_t *got)
{
    ssize_t n;

    do {
        n = read(fd, buf, bytes);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno;
    *got = (size_t)n;
    return 0;
}

/* Read a pipe up to position `off`, for a GGUF that starts there. */
static int pass_over(struct fd_input *self, uint64_t off)
{
    char waste[4096];

    while (self->pos < off) {
        uint64_t left = off - self->pos;
        size_t got = 0;
        int failed =
            read_once(self->fd, waste,
                      left < sizeof waste ? (size_t)left : sizeof waste, &got);
        if (failed != 0 || got == 0)
            return failed;
        self->pos += got;
    }
    return 0;
}

static int fd_read(void *ctx, uint64_t off, void *buf, size_t bytes,
                   size_t *got)
{
    struct fd_input *self = ctx;
    int failed;

    *got = 0;
    if (self->seekable) {
        ssize_t n;
        do {
            n = pread(self->fd, buf, bytes, (off_t)off);
        } while (n < 0 && errno == EINTR);
        *got = n < 0 ? 0 : (size_t)n;
        return n < 0 ? errno : 0;
    }
    if (off < self->pos)
        return ESPIPE;
    failed = pass_over(self, off);
    if (failed != 0 || self->pos < off)
        return failed;
    failed = read_once(self->fd, buf, bytes, got);
    self->pos += *got;
    return failed;
}

static void fd_close(void *ctx)
{
    struct fd_input *self = ctx;

    if (self->owned)
        close(self->fd);
    free(self);
}

/* A failure of this file's own, in the library's form. */
static ggk_status fail_errno(ggk_error *err, int failed)
{
    memset(err, 0, sizeof *err);
    err->status = failed == ENOMEM ? GGK_E_NOMEM : GGK_E_IO;
    err->sys_errno = failed;
    err->offset = GGK_NO_OFFSET;
    snprintf(err->what, sizeof err->what, "cannot open: %s", strerror(failed));
    return err->status;
}

/* Data may lie in another order than it is asked for. A standard input that was
 * closed is no pipe: what stands in for it cannot be read at all. */
static ggk_status fail_pipe(int fd, ggk_error *err)
{
    char nothing;

    if (read(fd, &nothing, 0) < 0)
        return fail_errno(err, errno);
    memset(err, 0, sizeof *err);
    err->status = GGK_E_UNSUPPORTED;
    err->offset = GGK_NO_OFFSET;
    snprintf(err->what, sizeof err->what,
             "tensor data cannot be read from a pipe, only from a file");
    return err->status;
}

static ggk_status open_descriptor(int fd, bool owned, ggk_source **out,
                                  ggk_error *err)
{
    struct fd_input *self = malloc(sizeof *self);
    ggk_callbacks callbacks = {fd_read, fd_close, self, GGK_SIZE_UNKNOWN};
    struct stat st;
    ggk_status status;

    if (self == NULL || fstat(fd, &st) != 0) {
        status = fail_errno(err, self == NULL ? ENOMEM : errno);
        free(self);
        if (owned)
            close(fd);
        return status;
    }
    /* A file that was read from already is taken from there on, as a pipe. */
    *self = (struct fd_input){fd, owned, false, 0};
    self->seekable = S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
    if (self->seekable)
        callbacks.size = (uint64_t)st.st_size;
    status = ggk_source_from_callbacks(&callbacks, NULL, out, err);
    if (status != GGK_OK)
        fd_close(self);
    return status;
}

/* ----------------------------------------------------------------- sources */

static ggk_status open_pipe(const char *path, ggk_source **out, ggk_error *err)
{
    int fd;

    do {
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    } while (fd < 0 && errno == EINTR);
    return fd < 0 ? fail_errno(err, errno)
                  : open_descriptor(fd, true, out, err);
}

/* A file that is mapped: which, and how large it was. */
struct input_mapped {
    struct input_mapped *next;
    struct stat st;
    char path[];
};

/* Note what is about to be mapped. Somebody may put another file there just
 * then: it is not looked at again. False: no memory. */
static bool note_mapped(struct input *in, const char *path)
{
    size_t bytes = strlen(path) + 1;
    struct input_mapped *m = malloc(sizeof *m + bytes);

    if (m == NULL)
        return false;
    memcpy(m->path, path, bytes);
    if (stat(path, &m->st) != 0) { /* it will not open */
        free(m);
        return true;
    }
    m->next = in->mapped;
    in->mapped = m;
    return true;
}

/* Map the file if that can be done and guarded; else read it. */
static ggk_status open_mapped(struct input *in, const char *path,
                              ggk_source **out, ggk_error *err)
{
    ggk_status status;
    const void *view;
    size_t bytes;

    if (!note_mapped(in, path))
        return fail_errno(err, ENOMEM);
    status = ggk_source_open_map(path, NULL, out, err);
    if (status == GGK_OK) {
        view = ggk_source_view(*out, &bytes);
        if (signals_guard_range(in, view, bytes, in->cli->command->name, path))
            return GGK_OK;
        ggk_source_close(*out);
    } else if (err->sys_errno == ENOENT || err->sys_errno == EISDIR ||
               err->sys_errno == EACCES) {
        return status;
    }
    return ggk_source_open_file(path, NULL, out, err);
}

/* Must tensors be read? */
static bool needs_data(const struct input *in)
{
    return in->use == INPUT_READ_DATA ||
           (in->cli->command->flags & (CLI_READS_DATA | CLI_TAKES_PIPES)) ==
               CLI_READS_DATA;
}

/* Not a pipe or a device, as far as one can tell without opening it: a FIFO
 * must be opened only once, since its writer sees the reader go. */
static bool may_be_mapped(const char *path)
{
    struct stat st;

    return stat(path, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

/* Can that journal, which is a file's own, be the user's? In a folder like /tmp
 * others shall not keep him from his files by one. */
static bool is_trusted(const char *file, const char *name)
{
    char *path = path_beside(file, name);
    struct stat journal, st;
    bool trusted = path != NULL && lstat(path, &journal) == 0 &&
                   stat(file, &st) == 0 && S_ISREG(journal.st_mode) &&
                   journal.st_uid == st.st_uid && journal.st_nlink == 1;

    free(path);
    return trusted;
}

#define LINKS_MOST 40

/* Where symbolic links lead to from there; NULL: no memory. */
static char *follow_links(const char *path)
{
    char to[PATH_MAX], *at = strdup(path);
    ssize_t n;

    for (int i = 0; at != NULL && i < LINKS_MOST &&
                    (n = readlink(at, to, sizeof to - 1)) > 0;
         i++) {
        char *next;

        to[n] = '\0';
        next = to[0] == '/' ? strdup(to) : path_beside(at, to);
        free(at);
        at = next;
    }
    return at;
}

/* A file that is half edited, but lost its journal to a new name, is not to be
 * changed: the journal could not undo it any more. */
static ggk_status check_old_name(struct input *in, const char *path,
                                 ggk_error *err)
{
    char *file = in->no_journals ? NULL : follow_links(path);
    struct old_name old;
    struct stat st;

    *err = (ggk_error){.status = GGK_OK, .offset = GGK_NO_OFFSET};
    if (file != NULL && old_name_find(file, &old) &&
        is_trusted(file, old.journal)) {
        *err = (ggk_error){.status = GGK_E_INTERRUPTED,
                           .offset = GGK_NO_OFFSET,
                           .what = "an edit of this file was interrupted, when "
                                   "it had another name"};
    } else if (file != NULL) {
        /* The shards of a set lie in one folder; but for links. */
        in->no_journals =
            old.no_journals && lstat(path, &st) == 0 && S_ISREG(st.st_mode);
    }
    free(file);
    return err->status;
}

/* What is to be changed must be what it was before an edit that was
 * interrupted. */
static ggk_status open_to_change(struct input *in, const char *path,
                                 ggk_source **out, ggk_error *err)
{
    bool edits = in->use == INPUT_EDIT;
    ggk_recovery recovery;
    ggk_status status = check_old_name(in, path, err);

    if (status != GGK_OK)
        return status;
    status = edits ? ggk_source_open_edit(path, NULL, out, err)
                   : ggk_source_open_file(path, NULL, out, err);
    if (status != GGK_E_INTERRUPTED || in->cli->global.dry_run)
        return status;
    signals_catch();
    if (ggk_recover(path, 0, NULL, &recovery, err) != GGK_OK)
        return err->status;
    if (recovery == GGK_RECOVERY_UNDONE)
        msg_note(&in->cli->msg, path,
                 "an edit that was interrupted was undone first");
    return edits ? ggk_source_open_edit(path, NULL, out, err)
                 : ggk_source_open_file(path, NULL, out, err);
}

/* Pipes are taken where the user names one; not from a folder or a set, whose
 * author could make us wait forever. */
static ggk_status open_any(void *ctx, const char *path, ggk_source **out,
                           ggk_error *err)
{
    struct input *in = ctx;
    bool pipe = strcmp(path, in->name) == 0 && !may_be_mapped(path);

    if (pipe && !needs_data(in))
        return open_pipe(path, out, err);
    if (in->use == INPUT_REPLACE || in->use == INPUT_EDIT)
        return open_to_change(in, path, out, err);
    return in->use == INPUT_READ_DATA ||
                   (in->cli->command->flags & CLI_READS_DATA) != 0
               ? ggk_source_open_file(path, NULL, out, err)
               : open_mapped(in, path, out, err);
}

/* ------------------------------------------------------------------ models */

int input_types(const struct cli *cli, ggk_type_table **out)
{
    const char *path = cli->global.type_table;
    ggk_error err;
    size_t bytes;
    char *text;
    int failed;

    *out = NULL;
    if (path == NULL)
        return CLI_DONE;
    failed = small_file_read(path, TABLE_MAX_BYTES, &text, &bytes);
    if (failed != 0) {
        fail_errno(&err, failed);
        return cli_fail(cli, path, &err);
    }
    if (ggk_type_table_parse(text, bytes, NULL, out, &err) != GGK_OK) {
        free(text);
        return cli_fail(cli, path, &err);
    }
    free(text);
    return CLI_DONE;
}

/* The options that the command line asks for. */
static int open_options(const struct cli *cli, struct input *in,
                        ggk_open_opts *opts)
{
    int status = input_types(cli, &in->types);

    *opts = (ggk_open_opts){.struct_bytes = sizeof *opts};
    opts->flags = cli->global.single ? GGK_OPEN_SINGLE : 0;
    opts->base_off = cli->global.offset;
    opts->types = in->types;
    opts->open_source = open_any;
    opts->open_ctx = in;
    return status;
}

bool input_is_stdin(const char *file)
{
    return strcmp(file, "-") == 0;
}

static ggk_status open_model(struct input *in, const ggk_open_opts *opts,
                             ggk_error *err)
{
    ggk_source *source = NULL;
    ggk_status status;

    if (!input_is_stdin(in->name))
        return ggk_model_open(in->name, opts, &in->model, err);
    status = open_descriptor(STDIN_FILENO, false, &source, err);
    if (status != GGK_OK)
        return status;
    if (needs_data(in) && ggk_source_size(source) == GGK_SIZE_UNKNOWN) {
        ggk_source_close(source); /* which leaves the descriptor open */
        return fail_pipe(STDIN_FILENO, err);
    }
    return ggk_model_open_source(source, opts, &in->model, err);
}

/* A mapped file that loses less than a page reads as zeros there, without a
 * signal: so its size is looked at once more. Another file of its name that has
 * taken its place is none of our business. */
static const char *find_shrunk(const struct input *in)
{
    for (const struct input_mapped *m = in->mapped; m != NULL; m = m->next) {
        struct stat now;

        if (stat(m->path, &now) == 0 && now.st_dev == m->st.st_dev &&
            now.st_ino == m->st.st_ino && now.st_size < m->st.st_size)
            return m->path;
    }
    return NULL;
}

/* The exit status of a command that would end with `status`. */
static int tell_shrunk(const struct input *in, int status)
{
    const char *file = find_shrunk(in);

    if (file == NULL)
        return status;
    msg_error(&in->cli->msg, file, "the file shrank while it was being read");
    return status > CLI_IO ? status : CLI_IO;
}

/* What was read of each file, for those who want to know. */
static void tell_read(const struct input *in)
{
    for (uint32_t i = 0; i < ggk_model_n_files(in->model); i++) {
        ggk_file f;
        if (ggk_model_file(in->model, i, &f, NULL) != GGK_OK)
            continue;
        msg_note(&in->cli->msg, f.path != NULL ? f.path : in->name,
                 "read the header, bytes %" PRIu64 " to %" PRIu64, f.base_off,
                 f.head_end);
    }
}

void input_allow_many_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
        limit.rlim_cur == limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

int input_try(const struct cli *cli, const char *file, enum input_use use,
              struct input *in, ggk_error *err)
{
    ggk_open_opts opts;
    int status;

    *in = (struct input){.cli = cli, .use = use, .name = file};
    input_allow_many_files();
    *err = (ggk_error){.status = GGK_OK};
    status = open_options(cli, in, &opts);
    if (status != CLI_DONE)
        return status;
    if (open_model(in, &opts, err) != GGK_OK) {
        input_close(in);
        return CLI_UNREADABLE;
    }
    if (cli->global.verbose)
        tell_read(in);
    return CLI_DONE;
}

int input_open_to(const struct cli *cli, const char *file, enum input_use use,
                  struct input *in)
{
    ggk_error err;
    int status = input_try(cli, file, use, in, &err);

    return status != CLI_DONE && err.status != GGK_OK
               ? cli_fail(cli, file, &err)
               : status;
}

int input_open(const struct cli *cli, const char *file, struct input *in)
{
    return input_open_to(cli, file, INPUT_READ, in);
}

int input_check(const struct cli *cli, const char *file,
                const ggk_check_opts *opts, ggk_on_finding *on_finding,
                void *ctx, ggk_verdict *out, ggk_error *err)
{
    struct input in = {.cli = cli, .name = file};
    ggk_check_opts check_opts = *opts;
    ggk_open_opts open_opts;
    ggk_source *source = NULL;
    ggk_status result;
    int status;

    input_allow_many_files();
    status = open_options(cli, &in, &open_opts);
    if (status != CLI_DONE)
        return status;
    check_opts.open = &open_opts;
    if (!input_is_stdin(file)) {
        result = ggk_check(file, &check_opts, on_finding, ctx, out, err);
    } else {
        result = open_descriptor(STDIN_FILENO, false, &source, err);
        if (result == GGK_OK)
            result = ggk_check_source(source, &check_opts, on_finding, ctx, out,
                                      err);
    }
    if (result == GGK_OK)
        status = tell_shrunk(&in, CLI_DONE);
    input_close(&in);
    return result == GGK_OK ? status : cli_fail(cli, file, err);
}

int input_fail(const struct input *in, const ggk_error *err)
{
    return cli_fail(in->cli, in->name, err);
}

bool input_is_imatrix(const struct input *in)
{
    ggk_str type;

    return ggk_model_get_str(in->model, ggk_cstr("general.type"), &type,
                             NULL) == GGK_OK &&
           str_is(type, "imatrix");
}

uint64_t input_shards(const struct input *in)
{
    uint64_t n;

    return ggk_model_get_u64(in->model, ggk_cstr("split.count"), &n, NULL) ==
                       GGK_OK &&
                   n > ggk_model_n_files(in->model)
               ? n
               : 0;
}

int input_no_match(const struct input *in, const char *noun,
                   const char *pattern)
{
    bool key = strcmp(noun, "key") == 0, tensor = strcmp(noun, "tensor") == 0;

    if ((key || tensor) &&
        similar_is_other(in->model, key ? SIMILAR_KEY : SIMILAR_TENSOR,
                         ggk_cstr(pattern)))
        msg_note(&in->cli->msg, in->name,
                 "no %s has the name \"%s\", or matches it, but a %s does: "
                 "gguf %s is for these",
                 noun, pattern, key ? "tensor" : "key",
                 key ? "tensors" : "keys");
    else if (access(pattern, F_OK) == 0)
        msg_note(&in->cli->msg, in->name,
                 "no %s has the name \"%s\", which is a file: only one FILE is "
                 "looked at",
                 noun, pattern);
    else if (strpbrk(pattern, "*?[") != NULL)
        msg_note(&in->cli->msg, in->name, "no %s matches \"%s\"", noun,
                 pattern);
    else
        msg_note(&in->cli->msg, in->name,
                 "no %s has the name \"%s\"; \"*%s*\" looks for it within "
                 "names",
                 noun, pattern, pattern);
    return CLI_NO;
}

void input_close(struct input *in)
{
    ggk_model_close(in->model);
    signals_unguard(in);
    ggk_type_table_free(in->types);
    while (in->mapped != NULL) {
        struct input_mapped *next = in->mapped->next;
        free(in->mapped);
        in->mapped = next;
    }
    in->model = NULL;
    in->types = NULL;
}

/* ---------------------------------------------------------------- oddities */

static bool tell_missing(const struct input *in, const ggk_file *f, char *out)
{
    ggk_tensor t;
    char name[128];

    if (f->first_missing == GGK_NONE ||
        ggk_model_tensor(in->model, f->first_missing, &t, NULL) != GGK_OK)
        return false;
    text_copy(name, sizeof name, t.name.ptr, t.name.len);
    snprintf(out, INPUT_ODDITY_BYTES,
             "the file is cut short: it needs %" PRIu64
             " bytes and has %" PRIu64 "; the first tensor hit is \"%s\"; %s",
             f->data_end, f->size, name,
             f->looks_cut ? "by its name it is a piece of a file that was cut: "
                            "join the pieces in order"
                          : "get it again, or resume the download");
    return true;
}

static bool tell_count(uint64_t n, const char *noun, char *out)
{
    if (n == 0)
        return false;
    snprintf(out, INPUT_ODDITY_BYTES,
             "%" PRIu64 " %s%s the name of an earlier one", n, noun,
             n == 1 ? " has" : "s have");
    return true;
}

bool input_oddity(const struct input *in, uint32_t file, enum input_oddity odd,
                  char *out)
{
    ggk_file f;

    if (ggk_model_file(in->model, file, &f, NULL) != GGK_OK)
        return false;
    switch (odd) {
    case ODD_DATA_MISSING: return tell_missing(in, &f, out);
    case ODD_TRAILING_BYTES:
        if (f.trailing == 0)
            return false;
        snprintf(out, INPUT_ODDITY_BYTES,
                 "%" PRIu64
                 " byte%s too many after the last tensor: if a download "
                 "was resumed, get the file again",
                 f.trailing, fmt_plural(f.trailing));
        return true;
    case ODD_DUPLICATE_KEYS:
        return file == 0 &&
               tell_count(ggk_model_n_dup_kv(in->model), "key", out);
    case ODD_DUPLICATE_TENSORS:
        return file == 0 &&
               tell_count(ggk_model_n_dup_tensors(in->model), "tensor", out);
    case ODD_COUNT: break;
    }
    return false;
}

const char *input_oddity_name(enum input_oddity odd)
{
    static const char *const names[ODD_COUNT] = {
        [ODD_DATA_MISSING] = "data-missing",
        [ODD_TRAILING_BYTES] = "trailing-bytes",
        [ODD_DUPLICATE_KEYS] = "duplicate-keys",
        [ODD_DUPLICATE_TENSORS] = "duplicate-tensors",
    };
    return names[odd];
}

void input_warn(const struct input *in)
{
    for (uint32_t i = 0; i < ggk_model_n_files(in->model); i++) {
        ggk_file f;
        bool has_file =
            ggk_model_file(in->model, i, &f, NULL) == GGK_OK && f.path != NULL;
        for (int odd = 0; odd < ODD_COUNT; odd++) {
            char sentence[INPUT_ODDITY_BYTES];
            if (input_oddity(in, i, (enum input_oddity)odd, sentence))
                msg_warning(&in->cli->msg, has_file ? f.path : in->name, "%s",
                            sentence);
        }
    }
}

int input_finish(struct input *in, int status)
{
    input_warn(in);
    status = tell_shrunk(in, status);
    input_close(in);
    return status;
}
