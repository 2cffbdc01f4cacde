/* finding.h - findings of a judge as text. */
#ifndef CLI_FINDING_H
#define CLI_FINDING_H

#include "command.h"

#define FINDING_INDENT 6

/* finding_print_file - once, above what is told of it: the file, and `after`;
 * `*named` is whether it was. */
void finding_print_file(const struct cli *cli, const char *file, bool *named,
                        const char *after);

/* finding_print_severity - "  error", in its colour; returns its columns. */
size_t finding_print_severity(const struct cli *cli, ggk_severity severity);

/* finding_print_words - text and a newline, on a terminal broken between words;
 * `used` columns of the line are taken, the lines that follow are indented. */
void finding_print_words(const struct cli *cli, const char *text, size_t used);

/* finding_print_last - the same of a table's last column: the lines that follow
 * begin below it, if there is room. */
void finding_print_last(const struct cli *cli, const char *text, size_t used);

/* finding_print - the same for `head`, of up to 256 bytes, the sentence of a
 * finding, made safe, and its place. */
void finding_print(const struct cli *cli, const char *head,
                   const ggk_finding *finding, size_t used);

/* finding_print_rule - what the rule means that was broken, and what to do. */
void finding_print_rule(const struct cli *cli, const ggk_rule *rule);

#endif
