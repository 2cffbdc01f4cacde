/* type_table.c - further tensor types, from a table that the user gives.
 *
 * llama.cpp's forks number their own types as they like, some with ids that
 * ggml has since given to others, so no built-in list can be right for all.
 */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "format/types.h"

#define NAME_MAX_BYTES  32
#define TABLE_MAX_TYPES 1024 /* more are a mistake, and slow to search */

struct table_entry {
    ggk_type_info info;
    char name[NAME_MAX_BYTES];
};

struct ggk_type_table {
    ggk_allocator mem;
    struct table_entry *entries;
    size_t n;
    size_t capacity;
};

/* A line of the table: its fields, none of them NUL-terminated. */
struct table_line {
    uint64_t number; /* from 1 */
    uint64_t off;    /* of its first byte */
    ggk_str fields[6];
    size_t n_fields;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Split `line` at blanks, up to a comment. Fields beyond the sixth are counted
 * as one more. */
static void split_fields(ggk_str line, struct table_line *out)
{
    size_t i = 0;

    out->n_fields = 0;
    while (i < line.len && line.ptr[i] != '#') {
        size_t start = i;
        while (i < line.len && !is_blank(line.ptr[i]) && line.ptr[i] != '#')
            i++;
        if (i > start && out->n_fields < 6)
            out->fields[out->n_fields++] =
                (ggk_str){line.ptr + start, i - start};
        while (i < line.len && is_blank(line.ptr[i]))
            i++;
    }
}

static bool parse_u32(ggk_str text, uint32_t *out)
{
    uint64_t value = 0;

    if (text.len == 0 || text.len > 10)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    if (value > UINT32_MAX)
        return false;
    *out = (uint32_t)value;
    return true;
}

static bool is_type_name(ggk_str name)
{
    if (name.len == 0 || name.len >= NAME_MAX_BYTES)
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] <= ' ' || name.ptr[i] > '~')
            return false;
    return true;
}

/* What is wrong with the line, or NULL and the entry. */
static const char *parse_entry(const struct table_line *line,
                               struct table_entry *entry)
{
    ggk_type_info *info = &entry->info;

    memset(entry, 0, sizeof *entry);
    if (line->n_fields < 4 || line->n_fields > 5)
        return "expected: id, name, block, bytes and, optionally, bytes per "
               "row";
    if (!parse_u32(line->fields[0], &info->id))
        return "the id is not a number from 0 to 4294967295";
    if (!is_type_name(line->fields[1]))
        return "the name is not 1 to 31 printable ASCII characters";
    if (!parse_u32(line->fields[2], &info->block) || info->block == 0)
        return "the block is not a number of elements";
    if (!parse_u32(line->fields[3], &info->bytes) || info->bytes == 0)
        return "the bytes per block are not a number above 0";
    if (line->n_fields == 5 && !parse_u32(line->fields[4], &info->row_extra))
        return "the bytes per row are not a number";
    info->flags = info->block > 1 ? GGK_TYPE_QUANTIZED : 0;
    memcpy(entry->name, line->fields[1].ptr, line->fields[1].len);
    return NULL;
}

static bool is_heading(const struct table_line *line)
{
    return line->n_fields > 0 && line->fields[0].len == 2 &&
           memcmp(line->fields[0].ptr, "id", 2) == 0;
}

/* Where the type with that id is, or belongs: entries ascend by id. */
static size_t place_of(const ggk_type_table *table, uint32_t id)
{
    size_t low = 0, high = table->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (table->entries[mid].info.id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool has_id(const ggk_type_table *table, size_t place, uint32_t id)
{
    return place < table->n && table->entries[place].info.id == id;
}

static bool insert_entry(ggk_type_table *table, size_t place,
                         const struct table_entry *entry)
{
    struct table_entry *at;

    if (table->n == table->capacity) {
        size_t capacity = table->capacity * 2 + 16;
        struct table_entry *entries =
            ggki_mem_resize(&table->mem, table->entries,
                            table->capacity * sizeof *table->entries,
                            capacity * sizeof *table->entries);
        if (entries == NULL)
            return false;
        table->entries = entries;
        table->capacity = capacity;
    }
    at = &table->entries[place];
    memmove(at + 1, at, (table->n - place) * sizeof *at);
    *at = *entry;
    table->n++;
    return true;
}

static ggk_status fail_line(ggk_error *err, const struct table_line *line,
                            const char *what)
{
    ggki_fail(err, GGK_E_TYPE_TABLE, "%s", what);
    if (err != NULL) {
        err->offset = line->off;
        snprintf(err->where, sizeof err->where, "line %llu",
                 (unsigned long long)line->number);
    }
    return GGK_E_TYPE_TABLE;
}

static ggk_status parse_line(ggk_type_table *table,
                             const struct table_line *line, ggk_error *err)
{
    struct table_entry entry;
    const char *wrong;
    size_t place;

    if (line->n_fields == 0 || (line->number == 1 && is_heading(line)))
        return GGK_OK;
    wrong = parse_entry(line, &entry);
    if (wrong != NULL)
        return fail_line(err, line, wrong);
    place = place_of(table, entry.info.id);
    if (has_id(table, place, entry.info.id))
        return fail_line(err, line, "an earlier line has the same id");
    if (table->n == TABLE_MAX_TYPES)
        return fail_line(err, line, "more than 1024 types");
    if (!insert_entry(table, place, &entry))
        return ggki_fail_memory(err);
    return GGK_OK;
}

/* The entries' names are pointed to once they no longer move. */
static void set_names(ggk_type_table *table)
{
    for (size_t i = 0; i < table->n; i++)
        table->entries[i].info.name = table->entries[i].name;
}

ggk_status ggk_type_table_parse(const char *text, size_t text_bytes,
                                const ggk_allocator *alloc,
                                ggk_type_table **out, ggk_error *err)
{
    ggk_allocator mem = ggki_mem_of(alloc);
    ggk_type_table *table = ggki_mem_zero(&mem, sizeof *table);
    ggk_status status = GGK_OK;
    struct table_line line = {0};

    *out = NULL;
    if (table == NULL)
        return ggki_fail_memory(err);
    table->mem = mem;
    for (size_t pos = 0; pos < text_bytes && status == GGK_OK;) {
        const char *start = text + pos;
        const char *newline = memchr(start, '\n', text_bytes - pos);
        size_t len =
            newline != NULL ? (size_t)(newline - start) : text_bytes - pos;
        line.number++;
        line.off = pos;
        split_fields((ggk_str){start, len}, &line);
        status = parse_line(table, &line, err);
        pos += len + 1;
    }
    if (status != GGK_OK) {
        ggk_type_table_free(table);
        return status;
    }
    set_names(table);
    *out = table;
    return GGK_OK;
}

void ggk_type_table_free(ggk_type_table *table)
{
    if (table == NULL)
        return;
    ggk_allocator mem = table->mem;
    ggki_mem_release(&mem, table->entries,
                     table->capacity * sizeof *table->entries);
    ggki_mem_release(&mem, table, sizeof *table);
}

size_t ggk_type_table_count(const ggk_type_table *table)
{
    return table->n;
}

const ggk_type_info *ggk_type_table_at(const ggk_type_table *table, size_t i)
{
    return i < table->n ? &table->entries[i].info : NULL;
}

const ggk_type_info *ggki_type_find(const ggk_type_table *table, uint32_t id)
{
    if (table != NULL) {
        size_t place = place_of(table, id);
        if (has_id(table, place, id))
            return &table->entries[place].info;
    }
    return ggk_type_by_id(id);
}
