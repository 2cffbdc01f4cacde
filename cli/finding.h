/* finding.h - findings of a judge as text. */
#ifndef CLI_FINDING_H
#define CLI_FINDING_H

#include "command.h"

#define FINDING_INDENT 6

/* finding_print_words - text and a newline, on a terminal broken between words;
 * `used` columns of the line are taken, the lines that follow are indented. */
void finding_print_words(const struct cli *cli, const char *text, size_t used);

/* finding_print - the same for `head`, of up to 256 bytes, the sentence of a
 * finding, made safe, and its place. */
void finding_print(const struct cli *cli, const char *head,
                   const ggk_finding *finding, size_t used);

#endif
