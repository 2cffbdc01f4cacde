/* new_spec.c - the description that gguf new writes a model from: the whole of
 * it, and what its parts have in common. */
#include "cmd/new_spec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "json_text.h"
#include "show.h"
#include "small_file.h"

#define MOST_SPEC_BYTES ((size_t)1 << 30)

/* ----------------------------------------------------------------- messages */

/* "tensors[3].shape, line 12, column 40": what the message is about, or the
 * entry that lacks it. */
static void name_entry(const struct new_entry *e, const char *member, char *out,
                       size_t bytes)
{
    const struct new_spec *s = e->spec;
    char path[64] = "", place[JSON_TEXT_PLACE];
    size_t at, entry = 0;

    if (e->list[0] != '\0')
        entry = (size_t)snprintf(path, sizeof path, "%s[%zu]", e->list, e->i);
    snprintf(path + entry, sizeof path - entry, "%s%s",
             entry > 0 && member != NULL ? "." : "",
             member != NULL ? member : "");
    snprintf(out, bytes, "%s", path);
    if (path[0] == '\0')
        return;
    if (!json_text_find(s->text, s->bytes, path, &at)) {
        path[entry] = '\0';
        if (!json_text_find(s->text, s->bytes, path, &at))
            return;
    }
    snprintf(out + strlen(out), bytes - strlen(out), ", %s",
             json_text_place(s->text, at, place));
}

int new_refuse(const struct new_entry *e, const char *member,
               const char *format, ...)
{
    char where[128], what[400];
    struct msg_place place = {MSG_NOWHERE, where};
    va_list args;

    name_entry(e, member, where, sizeof where);
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    msg_at(&e->spec->cli->msg, MSG_ERROR, e->spec->name, &place, "%s", what);
    return CLI_UNREADABLE;
}

int new_fail(const struct new_entry *e, const char *member,
             const ggk_error *err)
{
    ggk_error told = *err;

    told.offset = MSG_NOWHERE;
    name_entry(e, member, told.where, sizeof told.where);
    return cli_fail(e->spec->cli, e->spec->name, &told);
}

int new_fail_memory(const struct new_entry *e)
{
    ggk_error err;

    (void)show_no_memory(&err);
    return new_fail(e, NULL, &err);
}

int new_refuse_unknown(const struct new_entry *e, const char *const *known)
{
    struct json_in_member m = json_in_first(e->object);
    const char *meant;
    size_t i;

    for (; m.name != NULL; m = json_in_next(&m)) {
        for (i = 0; known[i] != NULL && strcmp(known[i], m.name) != 0; i++)
            ;
        if (known[i] != NULL)
            continue;
        meant = opt_nearest(m.name, known, i);
        return new_refuse(e, m.name, "\"%.60s\" is no member of it%s%s%s",
                          m.name, meant != NULL ? "; did you mean \"" : "",
                          meant != NULL ? meant : "",
                          meant != NULL ? "\"?" : "");
    }
    return CLI_DONE;
}

/* ------------------------------------------------------------------ members */

int new_word(const struct new_entry *e, const char *member, const char **out)
{
    json_in_value v;
    size_t n;

    *out = NULL;
    if (!json_in_find(e->object, member, &v))
        return CLI_DONE;
    if (json_in_kind(v) != JSON_IN_STRING)
        return new_refuse(e, member, "it wants a string, not %s",
                          json_in_kind_name(v));
    *out = json_in_string(v, &n);
    if (n == 0 || strlen(*out) != n)
        return new_refuse(e, member, "the string is %s",
                          n == 0 ? "empty" : "not all text: it holds a NUL");
    return CLI_DONE;
}

int new_count(const struct new_entry *e, const char *member, bool *has,
              uint64_t *out)
{
    json_in_value v;
    struct json_in_integer n;

    *out = 0;
    *has = json_in_find(e->object, member, &v);
    if (!*has)
        return CLI_DONE;
    if (json_in_kind(v) != JSON_IN_INTEGER)
        return new_refuse(e, member, "it wants an integer, not %s",
                          json_in_kind_name(v));
    n = json_in_integer(v);
    if (n.negative)
        return new_refuse(e, member, "it cannot be less than 0");
    *out = n.u;
    return CLI_DONE;
}

int new_order(const struct new_entry *e, bool *big_endian)
{
    const char *order;
    int status = new_word(e, "byte_order", &order);

    if (status != CLI_DONE || order == NULL)
        return status;
    *big_endian = strcmp(order, "big") == 0;
    return *big_endian || strcmp(order, "little") == 0
               ? CLI_DONE
               : new_refuse(e, "byte_order",
                            "it is \"little\" or \"big\", not \"%.40s\"",
                            order);
}

/* -------------------------------------------------------------------- names */

bool new_names_add(struct new_names *names, ggk_str name)
{
    char *copy;

    if (name.len > 0 && name.ptr[name.len - 1] == '\0')
        name.len--; /* for readers it is the same name */
    if (names->n == names->capacity) {
        size_t capacity = names->capacity * 2 + 64;
        ggk_str *grown = realloc(names->at, capacity * sizeof *grown);

        if (grown == NULL)
            return false;
        names->at = grown;
        names->capacity = capacity;
    }
    copy = malloc(name.len + 1);
    if (copy == NULL)
        return false;
    if (name.len > 0)
        memcpy(copy, name.ptr, name.len);
    names->at[names->n].ptr = copy;
    names->at[names->n++].len = name.len;
    return true;
}

static int compare_name_bytes(const ggk_str *a, const ggk_str *b)
{
    int order = a->len < b->len ? -1 : a->len > b->len;

    return order != 0 ? order : memcmp(a->ptr, b->ptr, a->len);
}

/* A name among sorted ones. */
struct name_at {
    ggk_str name;
    size_t i;
};

/* Two of the same stay in their order. */
static int compare_names_at(const void *a, const void *b)
{
    const struct name_at *x = a, *y = b;
    int order = compare_name_bytes(&x->name, &y->name);

    return order != 0 ? order : (x->i > y->i) - (x->i < y->i);
}

bool new_names_twice(const struct new_names *names, size_t *i, ggk_str *name,
                     bool *no_memory)
{
    struct name_at *sorted = malloc((names->n + 1) * sizeof *sorted);
    bool found = false;

    *no_memory = sorted == NULL;
    if (sorted == NULL)
        return false;
    for (size_t k = 0; k < names->n; k++)
        sorted[k] = (struct name_at){names->at[k], k};
    qsort(sorted, names->n, sizeof *sorted, compare_names_at);
    for (size_t k = 1; k < names->n && !found; k++) {
        found = compare_name_bytes(&sorted[k - 1].name, &sorted[k].name) == 0;
        *i = sorted[k].i;
        *name = sorted[k].name;
    }
    free(sorted);
    return found;
}

void new_names_free(struct new_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        /* NOLINTNEXTLINE(performance-no-int-to-ptr): copied by new_names_add */
        free((char *)(uintptr_t)names->at[i].ptr);
    free(names->at);
}

/* -------------------------------------------------------------------- whole */

static const char *const spec_members[] = {
    "version", "byte_order", "alignment", "keys", "tensors",
    /* what gguf dump prints besides: */
    "schema", "command", "file", "data_offset", "n_keys", "n_tensors",
    "n_shards", NULL};

static int parse_spec(struct new_spec *s)
{
    struct new_entry whole = {.spec = s, .list = ""};
    char why[JSON_IN_WHY];

    switch (json_in_parse(s->text, s->bytes, &s->doc, why)) {
    case JSON_IN_PARSED: break;
    case JSON_IN_NO_MEMORY: return new_fail_memory(&whole);
    case JSON_IN_BAD: return new_refuse(&whole, NULL, "%s", why);
    case JSON_IN_UNSUPPORTED:
        (void)new_refuse(&whole, NULL, "%s", why);
        return CLI_UNSUPPORTED;
    }
    s->root = json_in_root(s->doc);
    whole.object = s->root;
    if (json_in_kind(s->root) != JSON_IN_OBJECT)
        return new_refuse(&whole, NULL, "it is no object");
    return new_refuse_unknown(&whole, spec_members);
}

int new_spec_open(const struct cli *cli, const char *name, struct new_spec *out)
{
    int failed;

    *out = (struct new_spec){.cli = cli, .name = name};
    failed = small_file_read(name, MOST_SPEC_BYTES, &out->text, &out->bytes);
    if (failed != 0) {
        msg_error(&cli->msg, name, "cannot read: %s", strerror(failed));
        return CLI_IO;
    }
    return parse_spec(out);
}

void new_spec_close(struct new_spec *s)
{
    ggk_plan_free(s->plan);
    new_sources_close(s);
    json_in_free(s->doc);
    free(s->text);
}

/* --------------------------------------------------------------------- plan */

/* Version and byte order. */
static int plan_format(struct new_spec *s, const struct new_entry *whole)
{
    uint64_t version;
    bool has;
    ggk_error err;
    int status = new_count(whole, "version", &has, &version);

    if (status == CLI_DONE)
        status = new_order(whole, &s->big_endian);
    if (status != CLI_DONE)
        return status;
    if (!has)
        version = 3;
    if (version != 2 && version != 3)
        return new_refuse(whole, "version", "it is 2 or 3");
    if (ggk_plan_set_format(s->plan, 0, (uint32_t)version, s->big_endian,
                            &err) != GGK_OK)
        return new_fail(whole, "version", &err);
    return CLI_DONE;
}

static ggk_status set_alignment_key(ggk_plan *plan, uint64_t alignment,
                                    ggk_error *err)
{
    ggk_value value = {.type = GGK_VALUE_UINT32, .as.u = alignment};
    ggk_builder *b;
    ggk_status status = ggk_builder_new(NULL, &b, err);

    if (status != GGK_OK)
        return status;
    status = ggk_builder_put(b, &value, err);
    if (status == GGK_OK)
        status =
            ggk_plan_set_kv(plan, 0, ggk_cstr("general.alignment"), b, err);
    ggk_builder_free(b);
    return status;
}

/* The key, unless the alignment is what is wanted already. */
static int plan_alignment(struct new_spec *s, const struct new_entry *whole,
                          uint64_t asked, bool has_key)
{
    ggk_planned_file f;
    uint64_t said, wanted;
    bool has;
    ggk_error err;
    int status = new_count(whole, "alignment", &has, &said);

    if (status != CLI_DONE || (!has && asked == 0))
        return status;
    wanted = asked != 0 ? asked : said;
    if (wanted == 0 || (wanted & (wanted - 1)) != 0 || wanted > UINT32_MAX)
        return new_refuse(whole, "alignment",
                          "it is a power of two, not %" PRIu64, wanted);
    if (ggk_plan_file(s->plan, 0, &f, &err) != GGK_OK)
        return new_fail(whole, "keys", &err);
    if (f.alignment == wanted)
        return CLI_DONE;
    if (has_key && asked == 0)
        return new_refuse(whole, "alignment",
                          "the key general.alignment says %" PRIu64,
                          f.alignment);
    if (set_alignment_key(s->plan, wanted, &err) != GGK_OK)
        return new_fail(whole, "alignment", &err);
    return CLI_DONE;
}

int new_spec_plan(struct new_spec *s, const char *path, uint64_t alignment)
{
    struct new_entry whole = {.spec = s, .list = "", .object = s->root};
    bool has_key = false;
    uint32_t file;
    ggk_error err;
    int status;

    if (ggk_plan_new(NULL, &s->plan, &err) != GGK_OK ||
        ggk_plan_add_file(s->plan, path, &file, &err) != GGK_OK)
        return new_fail(&whole, NULL, &err);
    status = plan_format(s, &whole);
    if (status == CLI_DONE)
        status = new_keys_plan(s, &has_key);
    if (status == CLI_DONE)
        status = plan_alignment(s, &whole, alignment, has_key);
    return status == CLI_DONE ? new_tensors_plan(s) : status;
}
