/* fuzz_words.c - any bytes, as what else is read besides GGUF: a table of
 * types, a file name, a size label.
 *
 * A table that is read and written again is the same; one that is not is wrong
 * at a byte that it has. What a name consists of lies within it, in order, and
 * a name that keeps the convention is its own, when written and read again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ggk.h"

/* ------------------------------------------------------------------- tables */

static char *write_table(const ggk_type_table *table, size_t *bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, bytes);

    if (out == NULL)
        abort();
    for (size_t i = 0; i < ggk_type_table_count(table); i++) {
        const ggk_type_info *t = ggk_type_table_at(table, i);
        fprintf(out, "%" PRIu32 " %s %" PRIu32 " %" PRIu32 " %" PRIu32 "\n",
                t->id, t->name, t->block, t->bytes, t->row_extra);
    }
    fclose(out);
    return text;
}

static void compare_tables(const ggk_type_table *a, const ggk_type_table *b)
{
    if (ggk_type_table_count(a) != ggk_type_table_count(b))
        abort();
    for (size_t i = 0; i < ggk_type_table_count(a); i++) {
        const ggk_type_info *x = ggk_type_table_at(a, i);
        const ggk_type_info *y = ggk_type_table_at(b, i);
        if (x->id != y->id || x->block != y->block || x->bytes != y->bytes ||
            x->row_extra != y->row_extra || strcmp(x->name, y->name) != 0)
            abort();
    }
}

static void use_table(const char *text, size_t size)
{
    ggk_type_table *table, *again;
    ggk_error err;
    size_t bytes;
    char *written;

    if (ggk_type_table_parse(text, size, NULL, &table, &err) != GGK_OK) {
        if (err.status != GGK_E_TYPE_TABLE || err.offset > size)
            abort();
        return;
    }
    written = write_table(table, &bytes);
    if (ggk_type_table_parse(written, bytes, NULL, &again, NULL) != GGK_OK)
        abort();
    compare_tables(table, again);
    ggk_type_table_free(table);
    ggk_type_table_free(again);
    free(written);
}

/* -------------------------------------------------------------------- names */

static void expect_next(ggk_str name, ggk_str part, const char **end)
{
    if (part.len == 0)
        return;
    if (part.ptr < *end || part.ptr + part.len > name.ptr + name.len)
        abort();
    *end = part.ptr + part.len;
}

static void use_name(ggk_str name)
{
    ggk_file_name n, again;
    const char *end = name.ptr;
    char few[8], out[512], twice[512];
    bool keeps = ggk_file_name_parse(name, &n);
    const ggk_str parts[] = {n.sidecar, n.base_name, n.size_label, n.fine_tune,
                             n.version, n.encoding,  n.kind};
    size_t len = ggk_file_name_format(&n, out, sizeof out);

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        expect_next(name, parts[i], &end);
    if (keeps != (n.breaks == NULL) ||
        ggk_file_name_format(&n, few, sizeof few) != len ||
        strlen(few) != (len < sizeof few ? len : sizeof few - 1))
        abort();
    if (!keeps || len >= sizeof out || memchr(name.ptr, ' ', name.len) != NULL)
        return; /* blanks are read, but not written */
    if (!ggk_file_name_parse(ggk_cstr(out), &again))
        abort();
    ggk_file_name_format(&again, twice, sizeof twice);
    if (strcmp(out, twice) != 0)
        abort();
}

static void use_label(ggk_str text)
{
    char out[GGK_SIZE_LABEL_BYTES];
    ggk_size_label label, again;

    if (!ggk_size_label_parse(text, &label))
        return;
    if (ggk_size_label_format(&label, out) >= sizeof out ||
        (label.parameters > 0 && label.experts < 1000 &&
         !ggk_size_label_parse(ggk_cstr(out), &again)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;

    use_table(text, size);
    use_name((ggk_str){text, size});
    use_label((ggk_str){text, size});
    return 0;
}
