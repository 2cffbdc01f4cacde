/* show.c - metadata and tensors as text and as JSON. */
#include "show.h"

#include <inttypes.h>

#include "out/fmt.h"
#include "out/text.h"

/* -------------------------------------------------------------------- text */

size_t show_number(char *out, const ggk_value *value)
{
    switch ((ggk_value_type)value->type) {
    case GGK_VALUE_UINT8:
    case GGK_VALUE_UINT16:
    case GGK_VALUE_UINT32:
    case GGK_VALUE_UINT64: return fmt_u64(out, value->as.u);
    case GGK_VALUE_INT8:
    case GGK_VALUE_INT16:
    case GGK_VALUE_INT32:
    case GGK_VALUE_INT64: return fmt_i64(out, value->as.i);
    case GGK_VALUE_FLOAT32: return fmt_f32(out, (float)value->as.f);
    case GGK_VALUE_FLOAT64: return fmt_f64(out, value->as.f);
    case GGK_VALUE_BOOL:
    case GGK_VALUE_STRING:
    case GGK_VALUE_ARRAY: break; /* no number */
    }
    *out = '\0';
    return 0;
}

void show_size(FILE *out, uint64_t bytes)
{
    char size[FMT_BYTES];

    fmt_size(size, bytes);
    fputs(size, out);
    if (bytes >= 1024)
        fprintf(out, " (%" PRIu64 " bytes)", bytes);
}

void show_scalar(FILE *out, const ggk_value *value, size_t columns)
{
    char number[FMT_BYTES];
    size_t n = show_number(number, value);

    if (value->type == GGK_VALUE_BOOL)
        fputs(value->as.u != 0 ? "true" : "false", out);
    else if (value->type == GGK_VALUE_STRING)
        text_write(out, value->as.s.ptr, value->as.s.len, TEXT_QUOTED, columns);
    else
        fwrite(number, 1, n, out);
}

void show_lines(FILE *out, ggk_str s)
{
    size_t i = 0;

    while (i < s.len) {
        size_t start = i;
        while (i < s.len && s.ptr[i] != '\n' && s.ptr[i] != '\t')
            i++;
        text_write(out, s.ptr + start, i - start, TEXT_VERBATIM, TEXT_WHOLE);
        if (i < s.len)
            putc(s.ptr[i++], out);
    }
    if (s.len == 0 || s.ptr[s.len - 1] != '\n')
        putc('\n', out);
}

/* After `shown` scalars of an array no more are wanted: pass over the rest of
 * the level the walk is in. */
static void skip_rest(FILE *out, ggk_walk *walk, bool first)
{
    if (ggk_walk_skip(walk, SHOW_ALL) > 0)
        fputs(first ? "..." : ", ...", out);
}

ggk_status show_element(FILE *out, ggk_walk *walk, uint64_t most,
                        size_t columns, ggk_error *err)
{
    uint32_t outside = ggk_walk_depth(walk);
    uint64_t shown = 0;
    bool first = true;
    ggk_value value;

    do {
        if (shown >= most && ggk_walk_depth(walk) > outside)
            skip_rest(out, walk, first);
        switch (ggk_walk_next(walk, &value)) {
        case GGK_WALK_OPEN:
            fputs(first ? "[" : ", [", out);
            first = true;
            shown += value.as.u == 0; /* an empty one counts as a scalar */
            break;
        case GGK_WALK_CLOSE:
            if (ggk_walk_depth(walk) < outside) /* no element was left */
                return show_broken(err);
            putc(']', out);
            first = false;
            break;
        case GGK_WALK_VALUE:
            fputs(first ? "" : ", ", out);
            show_scalar(out, &value, columns);
            first = false;
            shown++;
            break;
        case GGK_WALK_END:
        case GGK_WALK_BROKEN: return show_broken(err);
        }
    } while (ggk_walk_depth(walk) > outside);
    return GGK_OK;
}

bool show_space(FILE *out, const ggk_model *model, uint64_t i)
{
    ggk_walk walk;
    ggk_value v;

    if (!ggk_model_kv_is_space(model, i) ||
        ggk_walk_start(model, i, &walk, NULL) != GGK_OK ||
        ggk_walk_next(&walk, &v) != GGK_WALK_VALUE)
        return false;
    fprintf(out, "(%zu byte%s of free space)", v.as.s.len,
            fmt_plural(v.as.s.len));
    return true;
}

ggk_status show_value(FILE *out, const ggk_model *model, uint64_t i,
                      uint64_t most, size_t columns, ggk_error *err)
{
    ggk_walk walk;
    ggk_status status = ggk_walk_start(model, i, &walk, err);

    if (status == GGK_OK && show_space(out, model, i))
        return GGK_OK;
    return status == GGK_OK ? show_element(out, &walk, most, columns, err)
                            : status;
}

/* Characters without a width of their own may fill a line however few columns
 * it has: cut it where no character is split. */
static void end_at_ascii(struct show_line *line)
{
    size_t n = sizeof line->text - 1;

    while (n > 0 && (unsigned char)line->text[n - 1] >= 0x80)
        n--;
    line->text[n] = '\0';
}

FILE *show_line_open(struct show_line *line)
{
    line->text[0] = '\0';
    return fmemopen(line->text, sizeof line->text, "w");
}

void show_line_close(struct show_line *line, FILE *out)
{
    if (fflush(out) != 0 || ftell(out) >= (long)sizeof line->text - 1)
        end_at_ascii(line);
    fclose(out);
}

ggk_status show_value_line(struct show_line *line, const ggk_model *model,
                           uint64_t i, ggk_error *err)
{
    FILE *out = show_line_open(line);
    ggk_status status;

    if (out == NULL)
        return show_no_memory(err);
    status = show_value(out, model, i, SHOW_FEW, SHOW_LINE_COLUMNS, err);
    show_line_close(line, out);
    return status;
}

ggk_status show_broken(ggk_error *err)
{
    if (err != NULL)
        *err = (ggk_error){.status = GGK_E_CHANGED,
                           .offset = GGK_NO_OFFSET,
                           .what = "the file changed while it was being read"};
    return GGK_E_CHANGED;
}

ggk_status show_no_memory(ggk_error *err)
{
    if (err != NULL)
        *err = (ggk_error){.status = GGK_E_NOMEM,
                           .offset = GGK_NO_OFFSET,
                           .what = "out of memory"};
    return GGK_E_NOMEM;
}

void show_type_name(char *out, const ggk_kv *kv)
{
    if (kv->type == GGK_VALUE_ARRAY)
        snprintf(out, SHOW_TYPE_BYTES, "%s[%" PRIu64 "]",
                 ggk_value_type_name(kv->elem_type), kv->n);
    else
        snprintf(out, SHOW_TYPE_BYTES, "%s", ggk_value_type_name(kv->type));
}

void show_tensor_type(char *out, const ggk_model *model, uint32_t id)
{
    const ggk_type_info *type = ggk_model_type(model, id);

    if (type == NULL)
        snprintf(out, SHOW_TYPE_BYTES, "type%" PRIu32, id);
    else
        snprintf(out, SHOW_TYPE_BYTES, "%s%s", type->name,
                 (type->flags & GGK_TYPE_REMOVED) != 0 ? " (removed)" : "");
}

void show_shape(char *out, const ggk_tensor *tensor)
{
    size_t len = (size_t)snprintf(out, SHOW_SHAPE_BYTES, "[");

    for (uint32_t d = 0; d < tensor->n_dims; d++)
        len += (size_t)snprintf(out + len, SHOW_SHAPE_BYTES - len, "%s%" PRIu64,
                                d > 0 ? ", " : "", tensor->ne[d]);
    snprintf(out + len, SHOW_SHAPE_BYTES - len, "]");
}

/* -------------------------------------------------------------------- JSON */

void show_json_scalar(struct json *j, const ggk_value *value)
{
    switch ((ggk_value_type)value->type) {
    case GGK_VALUE_UINT8:
    case GGK_VALUE_UINT16:
    case GGK_VALUE_UINT32:
    case GGK_VALUE_UINT64: json_u64(j, value->as.u); break;
    case GGK_VALUE_INT8:
    case GGK_VALUE_INT16:
    case GGK_VALUE_INT32:
    case GGK_VALUE_INT64: json_i64(j, value->as.i); break;
    case GGK_VALUE_FLOAT32: json_f32(j, (float)value->as.f); break;
    case GGK_VALUE_FLOAT64: json_f64(j, value->as.f); break;
    case GGK_VALUE_BOOL: json_bool(j, value->as.u != 0); break;
    case GGK_VALUE_STRING:
        json_string(j, value->as.s.ptr, value->as.s.len);
        break;
    case GGK_VALUE_ARRAY: json_null(j); break; /* no scalar */
    }
}

ggk_status show_json_element(struct json *j, ggk_walk *walk, uint64_t most,
                             bool *shortened, ggk_error *err)
{
    uint32_t outside = ggk_walk_depth(walk);
    uint64_t shown = 0;
    ggk_value value;

    *shortened = false;
    do {
        if (shown >= most && ggk_walk_depth(walk) > outside &&
            ggk_walk_skip(walk, SHOW_ALL) > 0)
            *shortened = true;
        switch (ggk_walk_next(walk, &value)) {
        case GGK_WALK_OPEN:
            json_open_row(j);
            shown += value.as.u == 0; /* an empty one counts as a scalar */
            break;
        case GGK_WALK_CLOSE:
            if (ggk_walk_depth(walk) < outside) /* no element was left */
                return show_broken(err);
            json_close_array(j);
            break;
        case GGK_WALK_VALUE:
            show_json_scalar(j, &value);
            shown++;
            break;
        case GGK_WALK_END:
        case GGK_WALK_BROKEN: return show_broken(err);
        }
    } while (ggk_walk_depth(walk) > outside);
    return GGK_OK;
}

/* Of each array in an array the type of its elements, in the order in which
 * they begin, as far as they are shown; the last one is not repeated. */
static ggk_status put_inner_types(struct json *j, ggk_walk walk, uint64_t most,
                                  ggk_error *err)
{
    uint32_t outside = ggk_walk_depth(&walk), last = GGK_VALUE_TYPE_COUNT;
    uint64_t shown = 0, again = 0;
    ggk_value v;

    json_key(j, "inner_types");
    json_open_row(j);
    do {
        if (shown >= most && ggk_walk_depth(&walk) > outside)
            (void)ggk_walk_skip(&walk, SHOW_ALL);
        switch (ggk_walk_next(&walk, &v)) {
        case GGK_WALK_OPEN:
            shown += v.as.u == 0;
            if (ggk_walk_depth(&walk) - outside == 1)
                break;
            if (v.type == last) {
                again++;
                break;
            }
            for (; again > 0; again--)
                json_cstring(j, ggk_value_type_name(last));
            json_cstring(j, ggk_value_type_name(v.type));
            last = v.type;
            break;
        case GGK_WALK_VALUE: shown++; break;
        case GGK_WALK_CLOSE: break;
        case GGK_WALK_END:
        case GGK_WALK_BROKEN: return show_broken(err);
        }
    } while (ggk_walk_depth(&walk) > outside);
    json_close_array(j);
    return GGK_OK;
}

ggk_status show_json_value(struct json *j, const ggk_model *model, uint64_t i,
                           uint64_t most, ggk_error *err)
{
    bool shortened;
    ggk_walk walk = {0};
    ggk_kv kv;
    ggk_status status = ggk_model_kv(model, i, &kv, err);

    if (status == GGK_OK)
        status = ggk_walk_start(model, i, &walk, err);
    if (status != GGK_OK)
        return status;
    json_put_cstring(j, "type", ggk_value_type_name(kv.type));
    if (kv.type == GGK_VALUE_ARRAY) {
        json_put_cstring(j, "elem_type", ggk_value_type_name(kv.elem_type));
        json_put_u64(j, "n", kv.n);
        if (kv.elem_type == GGK_VALUE_ARRAY)
            status = put_inner_types(j, walk, most, err);
    }
    if (status != GGK_OK)
        return status;
    json_key(j, "value");
    status = show_json_element(j, &walk, most, &shortened, err);
    if (status == GGK_OK && shortened)
        json_put_bool(j, "shortened", true);
    return status;
}

void show_json_shape(struct json *j, const ggk_tensor *tensor)
{
    json_open_row(j);
    for (uint32_t d = 0; d < tensor->n_dims; d++)
        json_u64(j, tensor->ne[d]);
    json_close_array(j);
}

void show_json_bytes(struct json *j, const char *key, uint64_t bytes)
{
    if (bytes == GGK_SIZE_UNKNOWN)
        json_put_null(j, key);
    else
        json_put_u64(j, key, bytes);
}

void show_json_named(struct json *j, const ggk_model *model,
                     const ggk_tensor *tensor)
{
    const ggk_type_info *type = ggk_model_type(model, tensor->type);
    char unknown[SHOW_TYPE_BYTES];

    if (type == NULL)
        show_tensor_type(unknown, model, tensor->type);
    json_put_string(j, "name", tensor->name.ptr, tensor->name.len);
    json_put_cstring(j, "type", type != NULL ? type->name : unknown);
    json_put_u64(j, "type_id", tensor->type);
    json_key(j, "shape");
    show_json_shape(j, tensor);
    json_put_u64(j, "elements", tensor->n_elements);
}

void show_json_tensor(struct json *j, const ggk_model *model,
                      const ggk_tensor *tensor)
{
    json_open_object(j);
    show_json_named(j, model, tensor);
    json_put_u64(j, "offset", tensor->data_off);
    show_json_bytes(j, "bytes", tensor->bytes);
    if (tensor->opaque)
        json_put_bool(j, "opaque", true);
    if (ggk_model_n_files(model) > 1)
        json_put_u64(j, "shard", tensor->file);
    json_close_object(j);
}

void show_type_row(struct table *t, const char *name, uint64_t tensors,
                   uint64_t parameters, uint64_t bytes, uint64_t whole)
{
    char share[FMT_BYTES];

    fmt_percent(share, bytes, whole);
    table_cstring(t, name);
    table_u64(t, tensors);
    table_u64(t, parameters);
    table_u64(t, bytes);
    table_cstring(t, share);
}

const char *show_severity(ggk_severity severity)
{
    switch (severity) {
    case GGK_SEVERITY_NONE: return "none";
    case GGK_SEVERITY_NOTE: return "note";
    case GGK_SEVERITY_WARNING: return "warning";
    case GGK_SEVERITY_ERROR: return "error";
    }
    return "none";
}

void show_json_start(struct json *j, const struct cli *cli)
{
    json_start(j, cli->out, cli->term.tty);
    json_open_object(j);
    json_put_u64(j, "schema", 1);
    json_put_cstring(j, "command", cli->command->name);
    if (cli->global.dry_run)
        json_put_bool(j, "dry_run", true);
}

void show_json_end(struct json *j)
{
    json_close_object(j);
    json_end(j);
}

/* ---------------------------------------------------------------- patterns */

/* Does the set at `*p`, just after its '[', hold `c`? Moves `*p` past it. A
 * set that is not closed stands for a '['. */
static bool set_holds(const char **p, unsigned char c)
{
    const char *s = *p;
    bool inverted = *s == '!' || *s == '^';
    bool holds = false;
    bool first = true;

    s += inverted;
    for (; *s != '\0' && (first || *s != ']'); s++) {
        unsigned char low = (unsigned char)*s, high = low;
        first = false;
        if (s[1] == '-' && s[2] != '\0' && s[2] != ']') {
            high = (unsigned char)s[2];
            s += 2;
        }
        holds = holds || (low <= c && c <= high);
    }
    if (*s == '\0')
        return c == '[';
    *p = s + 1;
    return holds != inverted;
}

/* Does the pattern's next item match `c`? Moves `*p` past it. */
static bool item_matches(const char **p, unsigned char c)
{
    char item = *(*p)++;

    if (item == '?')
        return true;
    if (item == '[')
        return set_holds(p, c);
    if (item == '\\' && **p != '\0')
        item = *(*p)++;
    return (unsigned char)item == c;
}

/* `part`: as if the pattern had a star at either end. */
static bool matches(const char *pattern, ggk_str name, bool part)
{
    const char *p = pattern;
    const char *after_star = part ? p : NULL; /* where to try again, one byte
                                                 further */
    size_t i = 0, star_at = 0;

    while (i < name.len && (!part || *p != '\0')) {
        const char *next = p;
        if (*p == '*') {
            after_star = ++p;
            star_at = i;
        } else if (*p != '\0' &&
                   item_matches(&next, (unsigned char)name.ptr[i])) {
            p = next;
            i++;
        } else if (after_star != NULL) {
            p = after_star;
            i = ++star_at;
        } else {
            return false;
        }
    }
    while (*p == '*')
        p++;
    return *p == '\0';
}

bool show_matches(const char *pattern, ggk_str name)
{
    return pattern == NULL || matches(pattern, name, false);
}

bool show_matches_part(const char *pattern, ggk_str name)
{
    return matches(pattern, name, true);
}
