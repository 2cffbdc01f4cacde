/* writing.c - what all commands that write models have in common. */
#include "writing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "looking.h"
#include "out/fmt.h"
#include "out/table.h"
#include "out/text.h"
#include "path_parts.h"
#include "show.h"
#include "ui/progress.h"
#include "ui/signals.h"

const char *writing_target(const struct cli *cli, const char *operand,
                           const char *input)
{
    const char *option = cli->global.output;

    if (operand != NULL && option != NULL) {
        msg_usage(&cli->msg, "both '%s' and -o '%s' are given to write to",
                  operand, option);
        return NULL;
    }
    if (operand == NULL)
        operand = option;
    if (operand != NULL && *operand == '\0') {
        msg_usage(&cli->msg, "the name to write to is empty");
        return NULL;
    }
    if (operand != NULL && strcmp(operand, "-") == 0) {
        msg_usage(&cli->msg, "models are not written to standard output: name "
                             "a file, ./- for one that is called so");
        return NULL;
    }
    if (operand != NULL)
        return operand;
    if (input == NULL)
        msg_usage(&cli->msg,
                  "no OUT given: name the file to write, such as -o new.gguf");
    else if (cli->global.offset > 0)
        msg_usage(&cli->msg,
                  "with --offset an OUT is needed (-o): the bytes before the "
                  "GGUF would be lost");
    else if (strcmp(input, "-") == 0)
        msg_usage(&cli->msg,
                  "standard input cannot be written to: name -o OUT");
    else
        return input;
    return NULL;
}

#define ALIGNMENT_MOST 1048576

const char *writing_bad_alignment(uint64_t alignment)
{
    if (alignment % 8 != 0)
        return "no multiple of 8, as the alignment has to be";
    if (alignment < 32)
        return "under 32, where llama.cpp may stop at the data";
    return alignment > ALIGNMENT_MOST
               ? "over 1 MiB, which programs refuse or fail at"
               : NULL;
}

ggk_status writing_plan_all(ggk_plan *plan, const struct input *in,
                            const char *path, ggk_error *err)
{
    uint64_t n = ggk_model_n_tensors(in->model);
    uint32_t file;
    ggk_status status = ggk_plan_add_file(plan, path, &file, err);

    if (status == GGK_OK)
        status = ggk_plan_copy_keys(plan, file, in->model, 0, err);
    for (uint64_t i = 0; i < n && status == GGK_OK; i++)
        status = ggk_plan_copy_tensor(plan, file, in->model, i, err);
    return status;
}

char *writing_path(const char *out, uint32_t i, uint32_t n)
{
    size_t len = strlen(out), bytes = len + 32;
    char *path = malloc(bytes);

    if (path == NULL)
        return NULL;
    if (n > 1 && len > 5 && strcmp(out + len - 5, ".gguf") == 0)
        len -= 5;
    if (n > 1)
        snprintf(path, bytes, "%.*s-%05" PRIu32 "-of-%05" PRIu32 ".gguf",
                 (int)len, out, i + 1, n);
    else
        memcpy(path, out, len + 1);
    return path;
}

char *writing_path_of(const struct input *in, const char *out, bool in_place,
                      uint32_t i)
{
    ggk_file f;

    if (in_place && ggk_model_file(in->model, i, &f, NULL) == GGK_OK &&
        f.path != NULL)
        return strdup(f.path);
    return writing_path(out, i, ggk_model_n_files(in->model));
}

/* Is it a file of the plan? Of a long path errors have the beginning. */
static bool is_written(const struct writing *w, const char *path)
{
    size_t len = path != NULL ? strlen(path) : 0;
    ggk_planned_file f;

    /* Its NUL counts, but for what is cut off. */
    if (len < sizeof((ggk_error *)NULL)->file - 1)
        len++;
    for (uint32_t i = 0; path != NULL && i < ggk_plan_n_files(w->plan); i++)
        if (ggk_plan_file(w->plan, i, &f, NULL) == GGK_OK &&
            strncmp(f.path, path, len) == 0)
            return true;
    return false;
}

int writing_fail(const struct writing *w, const ggk_error *err)
{
    ggk_error told = *err;
    size_t n = strlen(told.what);
    bool is_backup = w->backup != NULL && (w->run_flags & GGK_RUN_REPLACE) != 0;

    if (err->status == GGK_E_EXISTS)
        snprintf(told.what + n, sizeof told.what - n, "%s",
                 is_backup ? ": run this without --backup to leave it alone, "
                             "or rename it to have both, or --force replaces "
                             "it; to undo all since, move it back"
                 : is_written(w, err->file) ? "; --force replaces it"
                                            : "; --force removes it");
    return cli_fail(w->cli, w->in->name, &told);
}

/* ------------------------------------------------------------------ removals
 */

/* Shards of another set that were removed, or would be, as paths. */
struct removals {
    const struct writing *w;
    char **at;
    size_t n, capacity;
    bool no_memory;
    uint32_t links; /* symbolic links that new files take the place of */
};

/* The path of a file beside the first that is written. */
static char *path_beside_first(const struct writing *w, const char *name)
{
    ggk_planned_file first;

    return ggk_plan_file(w->plan, 0, &first, NULL) == GGK_OK
               ? path_beside(first.path, name)
               : NULL;
}

static void note_removed(void *ctx, const char *name)
{
    struct removals *r = ctx;

    if (r->n == r->capacity) {
        size_t capacity = r->capacity * 2 + 16;
        char **grown = realloc(r->at, capacity * sizeof *grown);

        if (grown != NULL) {
            r->at = grown;
            r->capacity = capacity;
        }
    }
    if (r->n < r->capacity)
        r->at[r->n] = path_beside_first(r->w, name);
    if (r->n < r->capacity && r->at[r->n] != NULL)
        r->n++;
    else
        r->no_memory = true;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_removals(struct removals *r)
{
    if (r->n > 1)
        qsort(r->at, r->n, sizeof *r->at, compare_paths);
}

static void free_removals(struct removals *r)
{
    for (size_t i = 0; i < r->n; i++)
        free(r->at[i]);
    free(r->at);
}

static void print_removals(const struct writing *w, const struct removals *r)
{
    for (size_t i = 0; i < r->n; i++) {
        fputs(w->cli->global.dry_run ? "would remove: " : "removed: ",
              w->cli->out);
        text_write(w->cli->out, r->at[i], strlen(r->at[i]), TEXT_PLAIN,
                   TEXT_WHOLE);
        if (w->backup != NULL) {
            fputs(", kept with ", w->cli->out);
            fputs(w->backup, w->cli->out);
        }
        putc('\n', w->cli->out);
    }
}

static void put_removals(struct json *j, const struct removals *r)
{
    if (r->n == 0)
        return;
    json_key(j, "removed");
    json_open_array(j);
    for (size_t i = 0; i < r->n; i++)
        json_string(j, r->at[i], strlen(r->at[i]));
    json_close_array(j);
}

/* -------------------------------------------------------------- free space */

/* Bytes of free space in what file `i` of the plan replaces. */
static uint64_t space_replaced(const struct writing *w, uint32_t i)
{
    bool replaces = (w->run_flags & GGK_RUN_REPLACE) != 0 && !w->shows;
    ggk_planned_file to;
    ggk_file f;

    if (!replaces || ggk_plan_file(w->plan, i, &to, NULL) != GGK_OK)
        return 0;
    for (uint32_t k = 0; k < ggk_model_n_files(w->in->model); k++)
        if (ggk_model_file(w->in->model, k, &f, NULL) == GGK_OK &&
            f.path != NULL && strcmp(f.path, to.path) == 0)
            return ggk_model_space(w->in->model, k);
    return 0;
}

/* The same of all files. */
static uint64_t space_before(const struct writing *w)
{
    uint64_t space = 0;

    for (uint32_t i = 0; i < ggk_plan_n_files(w->plan); i++)
        space += space_replaced(w, i);
    return space;
}

/* Leave as much of it as there was. */
static ggk_status keep_space(const struct writing *w, ggk_error *err)
{
    ggk_status status = GGK_OK;

    for (uint32_t i = 0; i < ggk_plan_n_files(w->plan) && status == GGK_OK;
         i++) {
        uint64_t space = space_replaced(w, i);

        if (space > GGK_RESERVE_MOST)
            space = GGK_RESERVE_MOST;
        if (space > (i == 0 ? w->reserve : 0))
            status = ggk_plan_reserve(w->plan, i, space, err);
    }
    return status;
}

/* ------------------------------------------------------------------- output */

static bool has_keys(const ggk_planned_file *f)
{
    return f->format == GGK_FORMAT_GGUF;
}

/* File `i` as it is written; or edited in place, which keeps what a new file
 * has not. */
static ggk_status get_file(const struct writing *w, const ggk_edited *edited,
                           uint32_t i, ggk_planned_file *f, ggk_error *err)
{
    ggk_status status = ggk_plan_file(w->plan, i, f, err);

    if (status == GGK_OK && edited->way != GGK_WAY_NONE) {
        f->n_kv = edited->n_kv;
        f->data_off = edited->data_off;
        f->size = edited->size;
    }
    return status;
}

static ggk_status put_rows(struct table *t, const struct writing *w,
                           const ggk_edited *edited, ggk_error *err)
{
    for (uint32_t i = 0; i < ggk_plan_n_files(w->plan); i++) {
        ggk_planned_file f;
        ggk_status status = get_file(w, edited, i, &f, err);

        if (status != GGK_OK)
            return status;
        table_text(t, f.path, strlen(f.path));
        table_u64(t, f.n_kv);
        table_u64(t, f.n_tensors);
        table_u64(t, f.alignment);
        table_u64(t, f.data_off);
        table_u64(t, f.size);
    }
    return GGK_OK;
}

/* The columns behind the name. */
enum { KEYS = 1, TENSORS, ALIGNED, DATA_AT };

/* All files of a plan are of one kind. */
static void leave_out_columns(struct table *t, const struct writing *w,
                              const ggk_planned_file *first)
{
    if (!has_keys(first)) {
        table_leave_out(t, KEYS);
        table_leave_out(t, ALIGNED);
    }
    if (w->is_opaque) {
        table_leave_out(t, TENSORS);
        table_leave_out(t, DATA_AT);
    }
}

static ggk_status print_table(const struct writing *w, const ggk_edited *edited,
                              ggk_error *err)
{
    static const struct table_column columns[] = {
        {"FILE", TABLE_LEFT, true},
        [KEYS] = {"KEYS", TABLE_RIGHT, false},
        [TENSORS] = {"TENSORS", TABLE_RIGHT, false},
        [ALIGNED] = {"ALIGNED", TABLE_RIGHT, false},
        [DATA_AT] = {"DATA AT", TABLE_RIGHT, false},
        {"BYTES", TABLE_RIGHT, false},
    };
    ggk_planned_file first;
    const struct term *term = &w->cli->term;
    ggk_status status = ggk_plan_file(w->plan, 0, &first, err);
    struct table t;

    if (status != GGK_OK)
        return status;
    table_start(&t, w->cli->out, columns, sizeof columns / sizeof columns[0],
                term->width, term_style(term, TERM_BOLD),
                term_style(term, TERM_PLAIN));
    leave_out_columns(&t, w, &first);
    do
        status = put_rows(&t, w, edited, err);
    while (status == GGK_OK && table_again(&t));
    return status;
}

/* Bytes of all files. */
static ggk_status total_bytes(const struct writing *w, const ggk_edited *edited,
                              uint64_t *out, ggk_error *err)
{
    *out = 0;
    for (uint32_t i = 0; i < ggk_plan_n_files(w->plan); i++) {
        ggk_planned_file f;
        ggk_status status = get_file(w, edited, i, &f, err);

        if (status != GGK_OK)
            return status;
        *out += f.size;
    }
    return GGK_OK;
}

/* What would be done, in words; what it comes to tells the table. */
static const char *way_words(ggk_way way)
{
    switch (way) {
    case GGK_WAY_PATCH: return "no tensor moves, the file keeps its length";
    case GGK_WAY_SPACE: return "free space takes up the difference";
    case GGK_WAY_INSERT: return "room is made for it, if the file system can";
    case GGK_WAY_NONE: break;
    }
    return "not at all";
}

/* Which file it is, where another name was given, or one of several. */
static void put_shard(const struct writing *w)
{
    ggk_planned_file f;

    if (ggk_plan_file(w->plan, 0, &f, NULL) != GGK_OK ||
        (ggk_model_n_files(w->in->model) == 1 &&
         strcmp(f.path, w->in->name) == 0))
        return;
    fputs(" to ", w->cli->out);
    text_write(w->cli->out, f.path, strlen(f.path), TEXT_PLAIN, TEXT_WHOLE);
}

static void print_edited(const struct writing *w, const ggk_edited *e)
{
    FILE *out = w->cli->out;
    bool dry = w->cli->global.dry_run;

    fputs(dry ? "would be edited in place: " : "edited in place: ", out);
    show_size(out, e->written);
    fputs(" written", out);
    put_shard(w);
    if (dry)
        fprintf(out, ", %s", way_words(e->way));
    putc('\n', out);
    if (e->way == GGK_WAY_INSERT) {
        fputs("  room made before the tensors  ", out);
        show_size(out, e->inserted);
        putc('\n', out);
    }
    if (e->way != GGK_WAY_PATCH || e->free > 0) {
        fputs("  free for later edits          ", out);
        show_size(out, e->free);
        putc('\n', out);
    }
}

/* What of the free space that there was is there no more, or 0. */
static uint64_t space_dropped(const struct writing *w)
{
    uint64_t space = space_before(w);

    return w->keeps_space || space <= w->reserve ? 0 : space - w->reserve;
}

static void print_space(const struct writing *w)
{
    FILE *out = w->cli->out;
    uint64_t dropped = space_dropped(w), kept = space_before(w);

    if (dropped > 0) {
        fputs("  free space dropped            ", out);
        show_size(out, dropped);
        putc('\n', out);
    } else if (w->keeps_space && kept > 0) {
        fputs("  free for later edits          ", out);
        show_size(out, kept > w->reserve ? kept : w->reserve);
        putc('\n', out);
    }
}

/* What was, or would be, behind the names that are written to, stays. */
static void print_links(const struct writing *w, uint32_t n)
{
    if (n == 1)
        fputs(
            "  in place of a symbolic link: what it leads to stays as it is\n",
            w->cli->out);
    else if (n > 1)
        fprintf(w->cli->out,
                "  in place of %" PRIu32 " symbolic links: what they lead to "
                "stays as it is\n",
                n);
}

static void print_written(const struct writing *w, const ggk_edited *edited,
                          uint64_t bytes)
{
    FILE *out = w->cli->out;
    uint32_t n = ggk_plan_n_files(w->plan);
    bool dry = w->cli->global.dry_run;

    fprintf(out, "%s: %" PRIu32 " file%s, ",
            dry ? "would be written" : "written", n, n == 1 ? "" : "s");
    if (w->put_sizes != NULL)
        w->put_sizes(out, w->ctx);
    else
        show_size(out, bytes);
    putc('\n', out);
    if (edited->why_not != NULL && (dry || w->how != WRITING_ANEW))
        fprintf(out, "  anew, not in place: %s\n", edited->why_not);
    print_space(w);
}

static ggk_status print_text(const struct writing *w, const ggk_edited *edited,
                             const struct removals *removals, ggk_error *err)
{
    bool in_place = edited->way != GGK_WAY_NONE;
    uint64_t bytes;
    ggk_status status = total_bytes(w, edited, &bytes, err);

    if (status != GGK_OK || w->cli->global.quiet)
        return status;
    if (w->put_text != NULL)
        w->put_text(w->cli->out, w->ctx);
    if (!in_place || w->cli->global.dry_run)
        status = print_table(w, edited, err);
    print_removals(w, removals);
    if (in_place)
        print_edited(w, edited);
    else {
        print_written(w, edited, bytes);
        print_links(w, removals->links);
    }
    return status;
}

static const char *format_name(ggk_file_format format)
{
    switch (format) {
    case GGK_FORMAT_GGUF: return "gguf";
    case GGK_FORMAT_SAFETENSORS: return "safetensors";
    case GGK_FORMAT_NPY: return "npy";
    case GGK_FORMAT_RAW: return "raw";
    }
    return "unknown";
}

static void put_file(struct json *j, const struct writing *w,
                     const ggk_planned_file *f)
{
    json_open_object(j);
    json_put_string(j, "file", f->path, strlen(f->path));
    if (has_keys(f)) {
        json_put_u64(j, "version", f->version);
        json_put_cstring(j, "byte_order", f->big_endian ? "big" : "little");
        json_put_u64(j, "alignment", f->alignment);
        json_put_u64(j, "keys", f->n_kv);
    } else if (!w->is_opaque) {
        json_put_cstring(j, "format", format_name(f->format));
    }
    if (!w->is_opaque) {
        json_put_u64(j, "tensors", f->n_tensors);
        json_put_u64(j, "data_offset", f->data_off);
    }
    json_put_u64(j, "bytes", f->size);
    json_close_object(j);
}

/* How it was edited in place, or why it was not. */
static void put_edited(struct json *j, const ggk_edited *e)
{
    static const char *const ways[] = {[GGK_WAY_PATCH] = "patch",
                                       [GGK_WAY_SPACE] = "space",
                                       [GGK_WAY_INSERT] = "insert"};

    if (e->way == GGK_WAY_NONE) {
        if (e->why_not != NULL)
            json_put_cstring(j, "not_in_place", e->why_not);
        return;
    }
    json_key(j, "in_place");
    json_open_object(j);
    json_put_cstring(j, "way", ways[e->way]);
    json_put_u64(j, "bytes_written", e->written);
    json_put_u64(j, "bytes_inserted", e->inserted);
    json_put_u64(j, "bytes_free", e->free);
    json_close_object(j);
}

static ggk_status print_json(const struct writing *w, FILE *out,
                             const ggk_edited *edited,
                             const struct removals *removals, ggk_error *err)
{
    struct cli cli = *w->cli;
    uint64_t bytes;
    struct json j;
    ggk_status status = total_bytes(w, edited, &bytes, err);

    if (status != GGK_OK)
        return status;
    cli.out = out;
    show_json_start(&j, &cli);
    json_put_bool(&j, "written", !w->cli->global.dry_run);
    if (w->put_json != NULL)
        w->put_json(&j, w->ctx);
    json_key(&j, "files");
    json_open_array(&j);
    for (uint32_t i = 0; i < ggk_plan_n_files(w->plan); i++) {
        ggk_planned_file f;

        if (get_file(w, edited, i, &f, NULL) == GGK_OK)
            put_file(&j, w, &f);
    }
    json_close_array(&j);
    json_put_u64(&j, "bytes", bytes);
    put_removals(&j, removals);
    if (removals->links > 0)
        json_put_u64(&j, "links_replaced", removals->links);
    put_edited(&j, edited);
    if (edited->way == GGK_WAY_NONE && space_dropped(w) > 0)
        json_put_u64(&j, "free_bytes_dropped", space_dropped(w));
    show_json_end(&j);
    return GGK_OK;
}

/* --------------------------------------------------------------------- work */

static ggk_status run_plan(const struct writing *w, struct removals *removals,
                           ggk_error *err)
{
    struct progress progress;
    ggk_run_opts opts = {.struct_bytes = sizeof opts};
    ggk_status status;

    opts.flags = w->run_flags;
    if (w->cli->global.force)
        opts.flags |= GGK_RUN_FORCE;
    if (w->cli->global.dry_run)
        opts.flags |= GGK_RUN_DRY;
    opts.n_threads = looking_threads(w->cli);
    opts.backup = w->backup;
    opts.on_progress = progress_tick;
    opts.progress_ctx = &progress;
    opts.on_removed = note_removed;
    opts.removed_ctx = removals;
    progress_start(&progress, &w->cli->msg, w->verb);
    status = ggk_plan_run(w->plan, &opts, err);
    progress_end(&progress);
    return status;
}

/* What to do so that nothing is lost, or against better knowledge. */
static const char *keeping_advice(const struct writing *w)
{
    return w->may_backup ? "keep the file by --backup, write to another file "
                           "(-o), or give --force"
                         : "write to another file (-o), or give --force";
}

/* Would it lose bytes that stand where there should be zeros? */
static int check_gaps(const struct writing *w)
{
    ggk_status status = GGK_OK;
    ggk_error err;

    for (uint32_t i = 0; i < ggk_model_n_files(w->in->model); i++) {
        uint64_t at;
        ggk_file f;

        if (ggk_model_file(w->in->model, i, &f, NULL) != GGK_OK ||
            !is_written(w, f.path))
            continue;
        status = ggk_model_find_gap_byte(w->in->model, i, &at, &err);
        if (status != GGK_OK)
            return input_fail(w->in, &err);
        if (at == GGK_NO_OFFSET)
            continue;
        msg_error(&w->cli->msg, f.path,
                  "bytes between the tensors or in padding that are not zero, "
                  "the first at byte %" PRIu64 ", would be lost: %s",
                  at, keeping_advice(w));
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* Would replacing the input lose what is no part of the model? */
static int check_rest(const struct writing *w)
{
    bool replaces = (w->run_flags & GGK_RUN_REPLACE) != 0 && !w->shows;
    const ggk_model *model = w->in->model;
    ggk_file f;

    if (!replaces || w->backup != NULL || w->cli->global.force)
        return CLI_DONE;
    for (uint32_t i = 0; i < ggk_model_n_files(model); i++) {
        if (ggk_model_file(model, i, &f, NULL) != GGK_OK || f.trailing == 0)
            continue;
        msg_error(&w->cli->msg, f.path != NULL ? f.path : w->in->name,
                  "%" PRIu64 " byte%s after the last tensor would be lost: %s",
                  f.trailing, fmt_plural(f.trailing), keeping_advice(w));
        return CLI_USAGE;
    }
    return w->gaps_empty ? CLI_DONE : check_gaps(w);
}

ggk_status writing_guard(ggk_plan *plan, const char *file, ggk_error *err)
{
    const char *path = input_is_stdin(file) ? "/dev/stdin" : file;
    ggk_status status = ggk_plan_guard_file(plan, path, err);

    return status == GGK_E_IO ? GGK_OK : status;
}

/* Tell what was done. */
static ggk_status report(const struct writing *w, const ggk_edited *edited,
                         struct removals *removals, ggk_error *err)
{
    ggk_status status = GGK_OK;

    if (removals->no_memory)
        return show_no_memory(err);
    sort_removals(removals);
    if (w->report != NULL)
        status = print_json(w, w->report, edited, removals, err);
    if (status != GGK_OK)
        return status;
    return w->cli->global.json
               ? print_json(w, w->cli->out, edited, removals, err)
               : print_text(w, edited, removals, err);
}

/* Where it lies, if it may be and can be; else `out->way` is GGK_WAY_NONE. */
static int edit_in_place(const struct writing *w, ggk_edited *out)
{
    bool insists = w->how == WRITING_IN_PLACE;
    uint32_t flags = (w->cli->global.dry_run ? GGK_EDIT_DRY : 0) |
                     (insists ? GGK_EDIT_LINKS : 0);
    ggk_error err;

    *out = (ggk_edited){.way = GGK_WAY_NONE, .why_not = w->why_anew};
    if (w->how == WRITING_ANEW)
        return CLI_DONE;
    signals_catch(); /* the first one does not end it halfway */
    if (ggk_plan_n_files(w->plan) != 1)
        out->why_not = "several files change";
    else if (ggk_plan_edit(w->plan, flags, out, &err) != GGK_OK)
        return writing_fail(w, &err);
    if (out->way != GGK_WAY_NONE)
        return CLI_DONE;
    if (insists) {
        msg_error(&w->cli->msg, w->in->name, "it cannot be edited in place: %s",
                  out->why_not);
        return CLI_UNSUPPORTED;
    }
    return CLI_DONE;
}

/* Targets that are symbolic links. */
static uint32_t count_links(const struct writing *w)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < ggk_plan_n_files(w->plan); i++) {
        ggk_planned_file f;
        struct stat st;

        if (ggk_plan_file(w->plan, i, &f, NULL) == GGK_OK &&
            lstat(f.path, &st) == 0 && S_ISLNK(st.st_mode))
            n++;
    }
    return n;
}

static ggk_status write_anew(const struct writing *w, struct removals *removals,
                             ggk_error *err)
{
    const char *table = w->cli->global.type_table;
    ggk_status status = w->keeps_space ? keep_space(w, err) : GGK_OK;

    if (w->nowhere)
        return status;
    removals->links = count_links(w);
    if (status == GGK_OK && table != NULL)
        status = writing_guard(w->plan, table, err);
    if (status == GGK_OK &&
        input_is_stdin(w->in->name)) /* a source of bytes, which has no name */
        status = writing_guard(w->plan, w->in->name, err);
    return status == GGK_OK ? run_plan(w, removals, err) : status;
}

/* Is it no fault of the plan that the real run would be refused? */
static bool is_in_the_way(const ggk_error *err)
{
    return err->status == GGK_E_EXISTS ||
           (err->status == GGK_E_IO && err->sys_errno == ENOSPC);
}

/* Tell the plan, and then what stops it. */
static int tell_refused(const struct writing *w, const ggk_edited *edited,
                        struct removals *removals, const ggk_error *why)
{
    ggk_error err;

    if (report(w, edited, removals, &err) != GGK_OK)
        return writing_fail(w, &err);
    fflush(w->cli->out); /* its failure is noticed at the end */
    return writing_fail(w, why);
}

int writing_run(const struct writing *w)
{
    struct removals removals = {.w = w};
    ggk_edited edited;
    ggk_error err;
    int exit_status = edit_in_place(w, &edited);
    ggk_status status = GGK_OK;

    if (exit_status == CLI_DONE && edited.way == GGK_WAY_NONE)
        exit_status = check_rest(w);
    if (exit_status != CLI_DONE)
        return exit_status;
    if (edited.way == GGK_WAY_NONE)
        status = write_anew(w, &removals, &err);
    if (status == GGK_OK)
        status = report(w, &edited, &removals, &err);
    if (status != GGK_OK)
        exit_status = w->cli->global.dry_run && is_in_the_way(&err)
                          ? tell_refused(w, &edited, &removals, &err)
                          : writing_fail(w, &err);
    free_removals(&removals);
    return exit_status;
}
