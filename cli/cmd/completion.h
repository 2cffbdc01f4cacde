/* completion.h - what shells need to complete a gguf command line. */
#ifndef CLI_CMD_COMPLETION_H
#define CLI_CMD_COMPLETION_H

#include <stdio.h>

void completion_bash(FILE *out);
void completion_zsh(FILE *out);
void completion_fish(FILE *out);

#endif
