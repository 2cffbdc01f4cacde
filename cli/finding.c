/* finding.c - findings of a judge as text, in lines of the terminal's width. */
#include "finding.h"

#include <inttypes.h>
#include <string.h>

#include "out/text.h"
#include "show.h"

/* Room for a sentence of the library, all of it escaped, and its place. */
#define LINE_BYTES 8192

void finding_print_file(const struct cli *cli, const char *file, bool *named,
                        const char *after)
{
    if (*named)
        return;
    *named = true;
    text_write(cli->out, file, strlen(file), TEXT_PLAIN, TEXT_WHOLE);
    fputs(after, cli->out);
}

size_t finding_print_severity(const struct cli *cli, ggk_severity severity)
{
    const struct term *term = &cli->term;
    const char *word = show_severity(severity);
    enum term_style style = severity == GGK_SEVERITY_ERROR     ? TERM_RED
                            : severity == GGK_SEVERITY_WARNING ? TERM_YELLOW
                                                               : TERM_DIM;

    fprintf(cli->out, "  %s%s%s", term_style(term, style), word,
            term_style(term, TERM_PLAIN));
    return 2 + strlen(word);
}

static void print_words(const struct cli *cli, const char *text, size_t used,
                        size_t indent)
{
    const size_t width = cli->term.width;
    FILE *out = cli->out;
    bool begun = false;

    while (*text != '\0') {
        size_t len = strcspn(text, " ");
        size_t columns = text_width(text, len, TEXT_VERBATIM, TEXT_WHOLE);
        if (width > 0 && begun && used + 1 + columns > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            used = indent;
        } else if (begun) {
            putc(' ', out);
            used++;
        }
        fwrite(text, 1, len, out);
        used += columns;
        begun = true;
        text += len + (text[len] == ' ');
    }
    putc('\n', out);
}

void finding_print_words(const struct cli *cli, const char *text, size_t used)
{
    print_words(cli, text, used, FINDING_INDENT);
}

void finding_print_last(const struct cli *cli, const char *text, size_t used)
{
    bool room = cli->term.width >= used + 24;

    print_words(cli, text, used, room ? used : FINDING_INDENT);
}

void finding_print(const struct cli *cli, const char *head,
                   const ggk_finding *f, size_t used)
{
    char line[LINE_BYTES];
    size_t n = (size_t)snprintf(line, sizeof line, "%.256s", head);

    n += text_copy(line + n, sizeof line - n - 512, f->what, strlen(f->what));
    if (f->offset != GGK_NO_OFFSET)
        n += (size_t)snprintf(line + n, sizeof line - n,
                              " (at byte %" PRIu64 "%s%s)", f->offset,
                              f->where[0] != '\0' ? ", field " : "", f->where);
    if (f->file > 0)
        snprintf(line + n, sizeof line - n, " in shard %" PRIu32, f->file + 1);
    finding_print_words(cli, line, used);
}

void finding_print_rule(const struct cli *cli, const ggk_rule *rule)
{
    fprintf(cli->out, "%*s", FINDING_INDENT, "");
    finding_print_words(cli, rule->meaning, FINDING_INDENT);
    fprintf(cli->out, "%*sfix: ", FINDING_INDENT, "");
    finding_print_words(cli, rule->fix, FINDING_INDENT + 5);
}
