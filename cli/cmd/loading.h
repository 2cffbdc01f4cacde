/* loading.h - whether llama.cpp can make a model of a file, as far as findings
 * of a check tell. */
#ifndef CLI_LOADING_H
#define CLI_LOADING_H

#include "command.h"

enum loading_answer {
    LOADING_YES,    /* nothing found speaks against it */
    LOADING_BROKEN, /* but its weights are not what they were */
    LOADING_DOUBTFUL,
    LOADING_NO,
    LOADING_VOCABULARY, /* likewise, but there are no tensors */
    LOADING_UNKNOWN,    /* likewise, but no rule is about its architecture */
    LOADING_IMATRIX     /* likewise, but it is no model: importances */
};

#define LOADING_RULES_MOST 16 /* that are named as the reason */

/* What was found so far; begin with zeros. */
struct loading {
    enum loading_answer answer; /* yes, broken, doubtful or no */
    const ggk_rule *against[LOADING_RULES_MOST];
    size_t n_against;
};

/* loading_note - take a finding into account. */
void loading_note(struct loading *l, const ggk_finding *finding);

/* loading_answer - what all of that makes. */
enum loading_answer loading_answer(const struct loading *l,
                                   const ggk_verdict *verdict);

/* loading_print - a line that ends in what llama.cpp makes of the file, and
 * begins with `head`, of up to 256 bytes. */
void loading_print(const struct cli *cli, const struct loading *l,
                   const ggk_verdict *verdict, const char *head);

#endif
