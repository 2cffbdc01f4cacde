/* dump_markdown.c - a model's keys and tensors as tables for GitHub.
 *
 * Nothing in a file may be taken for Markdown or HTML, end its cell, or become
 * a link. So every cell is first made printable, which removes line breaks, and
 * then each character with a meaning is escaped: < > & as entities, since not
 * every renderer takes a backslash before them, the others by a backslash.
 */
#include "cmd/dump.h"
#include "out/text.h"
#include "show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MARKDOWN_COLUMNS 80    /* of a string, without --full */
#define MARKDOWN_MOST    65536 /* and with it: a cell is held in memory */

/* One cell, or a line of text: written to `text`, then escaped to `out`. */
struct markdown {
    FILE *out;
    FILE *text;
    char *bytes;
    size_t n_bytes;
};

static ggk_status fail_cell(ggk_error *err)
{
    *err = (ggk_error){.status = GGK_E_NOMEM,
                       .offset = GGK_NO_OFFSET,
                       .what = "out of memory"};
    return GGK_E_NOMEM;
}

static ggk_status open_cell(struct markdown *md, ggk_error *err)
{
    md->bytes = NULL;
    md->text = open_memstream(&md->bytes, &md->n_bytes);
    return md->text != NULL ? GGK_OK : fail_cell(err);
}

/* Would GitHub see the beginning of a link at this character of "www." or
 * "://"? It would take what we escape in the rest of it as part of the address.
 */
static bool begins_link(const char *s, size_t i, size_t n)
{
    return (s[i] == ':' && i + 1 < n && s[i + 1] == '/') ||
           (s[i] == '.' && i > 0 && (s[i - 1] == 'w' || s[i - 1] == 'W'));
}

static void put_markdown_text(FILE *out, const char *s, size_t n)
{
    static const char marks[] = "|`*_[]~$#\\";

    for (size_t i = 0; i < n; i++) {
        switch (s[i]) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '@': fputs("<!-- -->@", out); break; /* no mail, no user */
        default:
            if (memchr(marks, s[i], sizeof marks - 1) != NULL ||
                begins_link(s, i, n))
                putc('\\', out);
            putc(s[i], out);
        }
    }
}

/* `status` is what became of the cell; nothing of a failed one is written. */
static ggk_status close_cell(struct markdown *md, ggk_status status,
                             ggk_error *err)
{
    bool failed = ferror(md->text) != 0;

    /* Where the last of its memory was short, fclose does not tell. */
    failed = fclose(md->text) != 0 || md->bytes == NULL || failed;
    if (status == GGK_OK && failed)
        status = fail_cell(err);
    if (status == GGK_OK)
        put_markdown_text(md->out, md->bytes, md->n_bytes);
    free(md->bytes);
    return status;
}

static ggk_status put_text_cell(struct markdown *md, ggk_str s, ggk_error *err)
{
    ggk_status status = open_cell(md, err);

    if (status != GGK_OK)
        return status;
    text_write(md->text, s.ptr, s.len, TEXT_PLAIN, MARKDOWN_MOST);
    return close_cell(md, status, err);
}

static ggk_status put_value_cell(struct markdown *md, const struct dump *d,
                                 uint64_t i, ggk_error *err)
{
    bool full = d->options->full;
    ggk_status status = open_cell(md, err);

    if (status != GGK_OK)
        return status;
    status = show_value(md->text, d->model, i, full ? SHOW_ALL : SHOW_FEW,
                        full ? MARKDOWN_MOST : MARKDOWN_COLUMNS, err);
    return close_cell(md, status, err);
}

/* ------------------------------------------------------------------ tables */

static ggk_status put_key_line(struct markdown *md, const struct dump *d,
                               uint64_t i, ggk_error *err)
{
    char name[SHOW_TYPE_BYTES];
    struct dump_type type;
    ggk_kv kv;
    ggk_status status = ggk_model_kv(d->model, i, &kv, err);

    if (status == GGK_OK)
        status = dump_find_type(d->model, i, &type, err);
    if (status != GGK_OK)
        return status;
    dump_name_type(name, type.last, type.levels);
    fprintf(md->out, "| %" PRIu64 " | ", i + 1);
    put_markdown_text(md->out, name, strlen(name));
    fprintf(md->out, " | %" PRIu64 " | ", kv.n);
    status = put_text_cell(md, kv.key, err);
    if (status != GGK_OK)
        return status;
    fputs(" | ", md->out);
    status = put_value_cell(md, d, i, err);
    fputs(" |\n", md->out);
    return status;
}

static ggk_status put_tensor_line(struct markdown *md, const struct dump *d,
                                  uint64_t i, ggk_error *err)
{
    char type[SHOW_TYPE_BYTES], shape[SHOW_SHAPE_BYTES];
    ggk_tensor t;
    ggk_status status = ggk_model_tensor(d->model, i, &t, err);

    if (status != GGK_OK)
        return status;
    show_tensor_type(type, d->model, t.type);
    show_shape(shape, &t);
    fprintf(md->out, "| %" PRIu64 " | ", i + 1);
    put_markdown_text(md->out, type, strlen(type));
    fputs(" | ", md->out);
    put_markdown_text(md->out, shape, strlen(shape));
    fputs(" | ", md->out);
    status = put_text_cell(md, t.name, err);
    fputs(" |\n", md->out);
    return status;
}

static ggk_status put_title(struct markdown *md, const struct dump *d,
                            ggk_error *err)
{
    ggk_status status;

    fputs("# ", md->out);
    status = put_text_cell(md, ggk_cstr(d->name), err);
    fprintf(md->out,
            "\n\nGGUF version %" PRIu32 ", %s-endian, alignment %" PRIu64
            ", data at byte %" PRIu64 ".\n",
            d->file.version, d->file.big_endian ? "big" : "little",
            d->file.alignment, d->file.data_off);
    return status;
}

ggk_status dump_print_markdown(const struct dump *d, ggk_error *err)
{
    struct markdown md = {.out = d->cli->out};
    uint64_t n_kv = ggk_model_n_kv(d->model);
    uint64_t n_tensors = ggk_model_n_tensors(d->model);
    ggk_status status = put_title(&md, d, err);

    fprintf(md.out, "\n## Keys: %" PRIu64 "\n", n_kv);
    if (n_kv > 0)
        fputs("\n| # | Type | Count | Key | Value |\n"
              "| ---: | --- | ---: | --- | --- |\n",
              md.out);
    for (uint64_t i = 0; i < n_kv && status == GGK_OK; i++)
        status = put_key_line(&md, d, i, err);
    if (status != GGK_OK || d->options->no_tensors)
        return status;
    fprintf(md.out, "\n## Tensors: %" PRIu64 "\n", n_tensors);
    if (n_tensors > 0)
        fputs("\n| # | Type | Shape | Name |\n"
              "| ---: | --- | --- | --- |\n",
              md.out);
    for (uint64_t i = 0; i < n_tensors && status == GGK_OK; i++)
        status = put_tensor_line(&md, d, i, err);
    return status;
}
