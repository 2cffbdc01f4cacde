/* edit.c - a model once more, in which a few keys or tensors are changed. */
#include "edit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "find.h"
#include "key_form.h"
#include "out/text.h"
#include "same.h"
#include "show.h"
#include "similar.h"
#include "writing.h"

/* ------------------------------------------------------------------ failing */

void edit_refuse(const struct edit *e, ggk_str name, const char *format, ...)
{
    char what[512];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    msg_error(&e->cli->msg, e->in.name, "%.*s: %s", show_most(name, 200),
              name.ptr != NULL ? name.ptr : "", what);
}

/* What the command line asked for cannot be. */
static bool is_misuse(ggk_status status)
{
    return status == GGK_E_ARG || status == GGK_E_TYPE ||
           status == GGK_E_RANGE || status == GGK_E_ALIGN ||
           status == GGK_E_ALIGN_TYPE || status == GGK_E_DEPTH;
}

int edit_fail(const struct edit *e, ggk_str name, const ggk_error *err)
{
    ggk_error told = *err;
    int status;

    snprintf(told.what, sizeof told.what, "%.*s: %.300s", show_most(name, 200),
             name.ptr != NULL ? name.ptr : "", err->what);
    status = cli_fail(e->cli, e->in.name, &told);
    if (err->status == GGK_E_EXISTS)
        return CLI_NO;
    return is_misuse(err->status) ? CLI_USAGE : status;
}

/* ------------------------------------------------------------------ opening */

/* Is the file to have no free space but what is asked for? */
static bool drops_space(const struct edit_options *how)
{
    return how->rewrite || (how->reserve.given && how->reserve.bytes == 0);
}

/* Options that exclude each other. */
static bool check_options(const struct cli *cli, const struct edit_options *how)
{
    const char *other = how->rewrite                 ? "--rewrite"
                        : how->backup                ? "--backup"
                        : drops_space(how)           ? "--reserve 0"
                        : cli->global.output != NULL ? "-o OUT"
                                                     : NULL;

    if (how->reserve.bytes > GGK_RESERVE_MOST)
        msg_usage(&cli->msg, "--reserve: at most 64Mi can be left free");
    else if (how->in_place && other != NULL)
        msg_usage(&cli->msg,
                  "--in-place and %s exclude each other: it writes anew",
                  other);
    else
        return true;
    return false;
}

/* Is the model edited in place, if that can be done? */
static bool may_edit(const struct edit *e)
{
    return e->out == NULL && !drops_space(e->how) && !e->how->backup;
}

/* A shard can be changed although others are not here. */
static int open_model(struct edit *e, const char *file)
{
    ggk_error err;
    int status = input_try(e->cli, file,
                           e->out != NULL ? INPUT_READ
                           : may_edit(e)  ? INPUT_EDIT
                                          : INPUT_REPLACE,
                           &e->in, &err);
    size_t n = strlen(err.what);

    if (status == CLI_DONE || err.status == GGK_OK)
        return status;
    if (err.status == GGK_E_SPLIT_MISSING)
        snprintf(err.what + n, sizeof err.what - n,
                 "; --single changes this file alone");
    return cli_fail(e->cli, file, &err);
}

int edit_open(const struct cli *cli, const char *file,
              const struct edit_options *how, struct edit *out)
{
    ggk_error err;
    int status;

    *out = (struct edit){.cli = cli, .how = how, .out = cli->global.output};
    if (!check_options(cli, how) || writing_target(cli, NULL, file) == NULL)
        return CLI_USAGE;
    status = open_model(out, file);
    if (status != CLI_DONE)
        return status;
    out->places = calloc(2, sizeof *out->places);
    if (out->places == NULL)
        show_no_memory(&err);
    if (out->places == NULL || ggk_plan_new(NULL, &out->plan, &err) != GGK_OK) {
        status = input_fail(&out->in, &err);
        free(out->places);
        input_close(&out->in);
    }
    return status;
}

int edit_close(struct edit *e, int status)
{
    for (size_t i = 0; i < e->n_changes; i++)
        if (e->changes[i].owns_after)
            ggk_model_close(e->changes[i].after);
    free(e->changes);
    free(e->places);
    ggk_plan_free(e->plan);
    return input_finish(&e->in, status);
}

/* ----------------------------------------------------------------- planning */

static ggk_status plan_keys(struct edit *e, uint32_t file, uint32_t from,
                            const bool *gaps, ggk_error *err)
{
    const ggk_model *model = e->in.model;
    ggk_status status = GGK_OK;

    if (from > 0 || gaps == NULL)
        return ggk_plan_copy_keys(e->plan, file, model, from, err);
    for (uint64_t i = 0; i < ggk_model_n_kv(model) && status == GGK_OK; i++)
        if (!gaps[i])
            status = ggk_plan_copy_kv(e->plan, file, model, i, err);
    return status;
}

static ggk_status plan_tensors(struct edit *e, uint32_t file, uint32_t from,
                               const bool *gaps, ggk_error *err)
{
    ggk_file f;
    ggk_status status = ggk_model_file(e->in.model, from, &f, err);

    for (uint64_t n = 0; status == GGK_OK && n < f.n_tensors; n++) {
        uint64_t i = f.first_tensor + n;

        if (gaps == NULL || !gaps[i])
            status = ggk_plan_copy_tensor(e->plan, file, e->in.model, i, err);
    }
    return status;
}

ggk_status edit_plan_file(struct edit *e, uint32_t from,
                          const struct edit_gaps *gaps, ggk_error *err)
{
    char *path = NULL;
    uint32_t file;
    ggk_file f;
    ggk_status status = ggk_model_file(e->in.model, from, &f, err);

    if (status != GGK_OK)
        return status;
    path = e->out != NULL
               ? writing_path(e->out, from, ggk_model_n_files(e->in.model))
               : strdup(f.path != NULL ? f.path : e->in.name);
    if (path == NULL)
        return show_no_memory(err);
    status = ggk_plan_add_file(e->plan, path, &file, err);
    free(path);
    if (status == GGK_OK)
        status = ggk_plan_add_input(e->plan, e->in.model, from, err);
    if (status == GGK_OK) /* an empty file takes the byte order of the keys */
        status = ggk_plan_set_format(e->plan, file, 3, f.big_endian, err);
    if (status == GGK_OK)
        status = plan_keys(e, file, from, gaps->kvs, err);
    return status == GGK_OK ? plan_tensors(e, file, from, gaps->tensors, err)
                            : status;
}

ggk_status edit_plan_keys(struct edit *e, const struct edit_gaps *gaps,
                          ggk_error *err)
{
    uint32_t n = e->out != NULL ? ggk_model_n_files(e->in.model) : 1;
    ggk_status status = GGK_OK;

    for (uint32_t i = 0; i < n && status == GGK_OK; i++)
        status = edit_plan_file(e, i, gaps, err);
    return status;
}

bool edit_note(struct edit *e, const struct edit_change *change)
{
    if (e->n_changes == e->capacity) {
        size_t capacity = e->capacity * 2 + 16;
        struct edit_change *changes =
            realloc(e->changes, capacity * sizeof *changes);

        if (changes == NULL)
            return false;
        e->changes = changes;
        e->capacity = capacity;
    }
    e->changes[e->n_changes++] = *change;
    return true;
}

/* --------------------------------------------------------------------- keys */

/* Is it the key of free space, and not one that holds something else? */
static bool names_space(const struct edit *e, ggk_str key)
{
    uint64_t i;

    return ggk_is_space(key, (ggk_str){NULL, 0}) &&
           (ggk_model_find_kv(e->in.model, key, &i, NULL) == GGK_E_NOT_FOUND ||
            ggk_model_kv_is_space(e->in.model, i));
}

bool edit_may_touch(const struct edit *e, ggk_str key, enum edit_use use)
{
    const char *why = NULL;
    ggk_str architecture = similar_architecture(e->in.model);

    if (names_space(e, key)) {
        edit_refuse(e, key,
                    "it is free space: gguf set FILE --reserve SIZE makes it, "
                    "--reserve 0 drops it");
        return false;
    }
    if (use == EDIT_USE_REMOVE && ggk_is_required_key(key, architecture))
        msg_warning(&e->cli->msg, e->in.name,
                    "%.*s: the architecture needs it (rule key-required)",
                    show_most(key, 200), key.ptr);
    if (e->cli->global.force)
        return true;
    if (ggk_is_split_key(key, architecture))
        why = "it says which file of a set this is; gguf split and gguf merge "
              "change it";
    else if (use == EDIT_USE_REMOVE && str_is_name(key, "general.architecture"))
        why = "without it no program knows how to run the model";
    if (why != NULL)
        edit_refuse(e, key, "%s (--force does it)", why);
    return why == NULL;
}

bool edit_may_add(const struct edit *e, ggk_str key)
{
    char text[KEY_FORM_BYTES];
    const char *fault = e->cli->global.force ? NULL : key_form_fault(key, text);

    if (fault != NULL)
        edit_refuse(e, key, "%s", fault);
    return fault == NULL;
}

ggk_status edit_find_kv(const struct edit *e, const char *word, uint64_t *out,
                        ggk_error *err)
{
    const ggk_model *model = e->in.model;
    ggk_status status = ggk_model_find_kv(model, ggk_cstr(word), out, err);
    struct find find;
    const char *bad;

    if (status != GGK_E_NOT_FOUND || strchr(word, '\\') == NULL ||
        find_parse(word, &find, &bad) != FIND_PARSED)
        return status;
    status = ggk_model_find_kv(model, find.exact, out, err);
    find_free(&find);
    return status;
}

/* ------------------------------------------------------------------- values */

/* A value before or after a change: key-value `kv` of a model. */
struct edit_side {
    const ggk_model *model;
    uint64_t kv;
    uint64_t index; /* of an element, or GGK_NONE */
    struct edit_place *place;
};

/* Stand before the element of a side. */
static ggk_status start_side(const struct edit_side *side, ggk_walk *walk)
{
    struct edit_place *place = side->place;
    ggk_value head;
    uint64_t skip;

    if (place->model != side->model || place->kv != side->kv ||
        place->index > side->index) {
        ggk_status status =
            ggk_walk_start(side->model, side->kv, &place->walk, NULL);

        if (status != GGK_OK)
            return status;
        if (ggk_walk_next(&place->walk, &head) != GGK_WALK_OPEN)
            return GGK_E_CHANGED;
        place->model = side->model;
        place->kv = side->kv;
        place->index = 0;
    }
    skip = side->index - place->index;
    if (ggk_walk_skip(&place->walk, skip) != skip) {
        place->model = NULL;
        return GGK_E_CHANGED;
    }
    place->index = side->index;
    *walk = place->walk;
    return GGK_OK;
}

/* A value in so many columns. */
static void put_side(FILE *out, const struct edit_side *side, size_t columns)
{
    struct show_line line;
    FILE *text = show_line_open(&line);
    FILE *to = text != NULL ? text : out; /* done, and shown nevertheless */
    ggk_walk walk;

    if (side->index == GGK_NONE)
        (void)show_value(to, side->model, side->kv, SHOW_FEW, SHOW_LINE_COLUMNS,
                         NULL);
    else if (start_side(side, &walk) == GGK_OK)
        (void)show_element(to, &walk, SHOW_FEW, SHOW_LINE_COLUMNS, NULL);
    if (text == NULL)
        return;
    show_line_close(&line, text);
    text_write(out, line.text, strlen(line.text), TEXT_VERBATIM, columns);
}

/* "UINT32" or "STRING[5]"; of an element its own type. */
static void side_type(char *out, const struct edit_side *side)
{
    ggk_kv kv;

    *out = '\0';
    if (ggk_model_kv(side->model, side->kv, &kv, NULL) != GGK_OK)
        return;
    if (side->index == GGK_NONE)
        show_type_name(out, &kv);
    else
        snprintf(out, SHOW_TYPE_BYTES, "%s", ggk_value_type_name(kv.elem_type));
}

static struct edit_side side_before(const struct edit *e,
                                    const struct edit_change *c)
{
    return (struct edit_side){e->in.model, c->kv, c->index, &e->places[0]};
}

static struct edit_side side_after(const struct edit *e,
                                   const struct edit_change *c)
{
    return (struct edit_side){c->after, 0, c->index, &e->places[1]};
}

static bool has_before(const struct edit_change *c)
{
    return c->kv != GGK_NONE && !c->appended;
}

/* --------------------------------------------------------------------- text */

static void put_name(FILE *out, ggk_str name)
{
    text_write(out, name.ptr, name.len, TEXT_PLAIN, TEXT_WHOLE);
}

#define SIDE_LEAST 16 /* columns of a value, where the terminal has too few */

/* The columns for each of the values in a line that has `used` others. */
static size_t side_columns(const struct edit *e, const struct edit_change *c,
                           size_t used, size_t sides)
{
    size_t width = e->cli->term.width;

    used += text_width(c->name.ptr, c->name.len, TEXT_PLAIN, TEXT_WHOLE);
    if (width == 0)
        return TEXT_WHOLE;
    return width > used + sides * SIDE_LEAST ? (width - used) / sides
                                             : SIDE_LEAST;
}

#define TEXT_LONG 64 /* bytes: it may not be shown whole */

/* Bytes of a text, where that is what the value is; else GGK_NONE. */
static uint64_t text_bytes(const struct edit_side *side)
{
    ggk_kv kv;
    ggk_str text;

    if (side->index != GGK_NONE ||
        ggk_model_kv(side->model, side->kv, &kv, NULL) != GGK_OK ||
        ggk_model_get_str(side->model, kv.key, &text, NULL) != GGK_OK)
        return GGK_NONE;
    return text.len;
}

/* How long a long text was and is, since both may begin alike; else "". */
static void put_lengths(char *out, size_t bytes, const struct edit_side *before,
                        const struct edit_side *after)
{
    uint64_t was = text_bytes(before), is = text_bytes(after);

    out[0] = '\0';
    if (was != GGK_NONE && is != GGK_NONE &&
        (was > TEXT_LONG || is > TEXT_LONG))
        snprintf(out, bytes, " (%" PRIu64 " -> %" PRIu64 " bytes)", was, is);
}

static void put_set(FILE *out, const struct edit *e,
                    const struct edit_change *c)
{
    struct edit_side before = side_before(e, c), after = side_after(e, c);
    char old_type[SHOW_TYPE_BYTES] = "", new_type[SHOW_TYPE_BYTES];
    char index[32] = "", from[SHOW_TYPE_BYTES + 8] = "",
         to[SHOW_TYPE_BYTES + 8], lengths[64] = "";
    bool changes = has_before(c), typed;
    size_t columns;

    side_type(new_type, &after);
    if (changes)
        side_type(old_type, &before);
    typed = changes && strcmp(old_type, new_type) != 0;
    if (c->index != GGK_NONE)
        snprintf(index, sizeof index, "[%" PRIu64 "]", c->index);
    if (typed)
        snprintf(from, sizeof from, "%s ", old_type);
    if (changes)
        snprintf(to, sizeof to, " -> %s%s", typed ? new_type : "",
                 typed ? " " : "");
    else
        snprintf(to, sizeof to, "new: %s ", new_type);
    if (changes)
        put_lengths(lengths, sizeof lengths, &before, &after);
    columns = side_columns(
        e, c, strlen(index) + 2 + strlen(from) + strlen(to) + strlen(lengths),
        changes ? 2 : 1);
    fprintf(out, "%s: %s", index, from);
    if (changes)
        put_side(out, &before, columns);
    fputs(to, out);
    put_side(out, &after, columns);
    fputs(lengths, out);
}

static void put_removed(FILE *out, const struct edit *e,
                        const struct edit_change *c)
{
    static const char word[] = ": removed: ";
    struct edit_side before = side_before(e, c);

    fputs(word, out);
    put_side(out, &before, side_columns(e, c, strlen(word), 1));
}

static void put_change(FILE *out, const struct edit *e,
                       const struct edit_change *c)
{
    fputs(c->tensor ? "tensor " : "", out);
    put_name(out, c->name);
    switch (c->kind) {
    case EDIT_SET: put_set(out, e, c); break;
    case EDIT_REMOVED:
        if (c->tensor)
            fputs(": removed", out);
        else
            put_removed(out, e, c);
        break;
    case EDIT_RENAMED:
        fputs(" -> ", out);
        put_name(out, c->new_name);
        break;
    }
    putc('\n', out);
}

static void put_changes(FILE *out, const void *ctx)
{
    const struct edit *e = ctx;

    for (size_t i = 0; i < e->n_changes; i++)
        put_change(out, e, &e->changes[i]);
}

/* --------------------------------------------------------------------- JSON */

static void put_json_side(struct json *j, const char *key,
                          const struct edit_side *side)
{
    char type[SHOW_TYPE_BYTES];
    bool shortened;
    ggk_walk walk;

    json_key(j, key);
    json_open_object(j);
    if (side->index == GGK_NONE) {
        (void)show_json_value(j, side->model, side->kv, SHOW_FEW, NULL);
    } else if (start_side(side, &walk) == GGK_OK) {
        side_type(type, side);
        json_put_cstring(j, "type", type);
        json_key(j, "value");
        (void)show_json_element(j, &walk, SHOW_FEW, &shortened, NULL);
        if (shortened)
            json_put_bool(j, "shortened", true);
    }
    json_close_object(j);
}

static void put_json_change(struct json *j, const struct edit *e,
                            const struct edit_change *c)
{
    static const char *const kinds[] = {[EDIT_SET] = "set",
                                        [EDIT_REMOVED] = "removed",
                                        [EDIT_RENAMED] = "renamed"};
    struct edit_side before = side_before(e, c), after = side_after(e, c);

    json_open_object(j);
    json_put_cstring(j, "change", kinds[c->kind]);
    json_put_string(j, c->tensor ? "tensor" : "key", c->name.ptr, c->name.len);
    if (c->index != GGK_NONE)
        json_put_u64(j, "index", c->index);
    if (c->kind == EDIT_RENAMED)
        json_put_string(j, "to", c->new_name.ptr, c->new_name.len);
    if (!c->tensor && c->kind != EDIT_RENAMED && has_before(c))
        put_json_side(j, "old", &before);
    if (c->kind == EDIT_SET)
        put_json_side(j, "new", &after);
    json_close_object(j);
}

static void put_json_changes(struct json *j, const void *ctx)
{
    const struct edit *e = ctx;

    json_key(j, "changes");
    json_open_array(j);
    for (size_t i = 0; i < e->n_changes; i++)
        put_json_change(j, e, &e->changes[i]);
    json_close_array(j);
}

/* ---------------------------------------------------------------------- run */

/* Have the new value of change `i`; elements of one array share it. */
static ggk_status view_change(struct edit *e, size_t i, ggk_error *err)
{
    struct edit_change *c = &e->changes[i];
    ggk_status status;

    for (size_t k = i; c->index != GGK_NONE && k-- > 0;)
        if (e->changes[k].index != GGK_NONE &&
            str_same(e->changes[k].name, c->name)) {
            c->after = e->changes[k].after;
            return GGK_OK;
        }
    status = ggk_plan_view_kv(e->plan, 0, c->name, &c->after, err);
    c->owns_after = status == GGK_OK;
    return status;
}

static void tell_nothing(const struct edit *e)
{
    struct json j;

    if (!e->cli->global.json) {
        if (!e->cli->global.quiet)
            fputs("nothing to change, nothing written\n", e->cli->out);
        return;
    }
    show_json_start(&j, e->cli);
    json_put_bool(&j, "written", false);
    put_json_changes(&j, e);
    json_key(&j, "files");
    json_open_array(&j);
    json_close_array(&j);
    json_put_u64(&j, "bytes", 0);
    show_json_end(&j);
}

static bool changes_alignment(const struct edit *e)
{
    for (size_t i = 0; i < e->n_changes; i++) {
        const struct edit_change *c = &e->changes[i];

        if (!c->tensor && (str_is_name(c->name, "general.alignment") ||
                           (c->kind == EDIT_RENAMED &&
                            str_is_name(c->new_name, "general.alignment"))))
            return true;
    }
    return false;
}

/* May the model be laid out as general.alignment says now? */
static int check_alignment(const struct edit *e)
{
    const ggk_str key = ggk_cstr("general.alignment");
    ggk_planned_file f;
    ggk_error err;
    const char *why;

    if (e->cli->global.force || !changes_alignment(e))
        return CLI_DONE;
    if (ggk_plan_file(e->plan, 0, &f, &err) != GGK_OK)
        return edit_fail(e, key, &err);
    why = writing_bad_alignment(f.alignment);
    if (why == NULL)
        return CLI_DONE;
    edit_refuse(e, key, "%" PRIu64 " is %s (--force does it)", f.alignment,
                why);
    return CLI_USAGE;
}

/* Neither the model nor its free space, of which there may be enough? */
static bool changes_nothing(const struct edit *e)
{
    bool drops = drops_space(e->how) && ggk_model_space(e->in.model, 0) > 0;

    return e->n_changes == 0 && e->out == NULL && !drops &&
           e->how->reserve.bytes <= ggk_model_space(e->in.model, 0);
}

int edit_run(struct edit *e)
{
    struct writing w = {
        .cli = e->cli,
        .in = &e->in,
        .plan = e->plan,
        .run_flags = e->out == NULL ? GGK_RUN_REPLACE : 0,
        .how = !may_edit(e)       ? WRITING_ANEW
               : e->how->in_place ? WRITING_IN_PLACE
                                  : WRITING_IN_PLACE_IF,
        .why_anew = e->how->backup ? "--backup keeps the old file" : NULL,
        .keeps_space = e->out == NULL && !drops_space(e->how),
        .reserve = e->how->reserve.bytes,
        .may_backup = true,
        .backup = e->how->backup ? ".bak" : NULL,
        .verb = "writing",
        .put_json = put_json_changes,
        .put_text = put_changes,
        .ctx = e};
    int refused = check_alignment(e);
    ggk_error err;

    if (refused != CLI_DONE)
        return refused;
    if (changes_nothing(e)) {
        tell_nothing(e);
        return CLI_DONE;
    }
    for (size_t i = 0; i < e->n_changes; i++)
        if (e->changes[i].kind == EDIT_SET && view_change(e, i, &err) != GGK_OK)
            return edit_fail(e, e->changes[i].name, &err);
    if (w.reserve > 0 &&
        ggk_plan_reserve(e->plan, 0, w.reserve, &err) != GGK_OK)
        return input_fail(&e->in, &err);
    return writing_run(&w);
}
