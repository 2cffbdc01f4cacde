/* loading.c - whether llama.cpp can make a model of a file. That the header can
 * be read, which is all that the loader's verdict is about, does not make a
 * model of it. */
#include "cmd/loading.h"

#include <string.h>

#include "finding.h"
#include "out/text.h"

static bool ends_like(const char *text, const char *const *ends)
{
    size_t n = strlen(text);

    for (; *ends != NULL; ends++)
        if (n >= strlen(*ends) && strcmp(text + n - strlen(*ends), *ends) == 0)
            return true;
    return false;
}

/* Without these llama.cpp stops; of the others some are 0 then, which does not
 * suit the tensors, and one follows from the rest. */
static enum loading_answer answer_without(const char *what)
{
    static const char *const needed[] = {".context_length",
                                         ".embedding_length",
                                         ".block_count",
                                         "_epsilon",
                                         ".expert_count",
                                         ".expert_used_count",
                                         NULL};
    static const char *const made[] = {".rope.dimension_count", NULL};

    return ends_like(what, needed) ? LOADING_NO
           : ends_like(what, made) ? LOADING_YES
                                   : LOADING_DOUBTFUL;
}

static enum loading_answer answer_with(const ggk_finding *f)
{
    static const char *const fatal[] = {
        "architecture-missing", "architecture-unknown", "split-missing",
        "split-contradiction",  "split-keys",           "split-tensors",
        "parameter-type",       "parameter-length",     "key-type",
        "data-missing",         "tensor-missing",       "tensor-shape",
        "tensor-unused",        "block-past-count",     "rope-dimensions",
        "expert-counts",        "no-tokenizer",         "tokenizer-missing",
        "tokenizer-unknown",    "tokenizer-merges",     NULL};
    const char *id = f->rule->id;

    if (strcmp(id, "key-required") == 0)
        return answer_without(f->what);
    if (ends_like(id, fatal))
        return LOADING_NO;
    if (strncmp(id, "numbers-", strlen("numbers-")) == 0)
        return f->rule->llama_cpp == GGK_SEVERITY_ERROR ? LOADING_BROKEN
                                                        : LOADING_YES;
    return f->rule->llama_cpp == GGK_SEVERITY_ERROR ||
                   strcmp(id, "pre-tokenizer-unknown") == 0
               ? LOADING_DOUBTFUL
               : LOADING_YES;
}

void loading_note(struct loading *l, const ggk_finding *finding)
{
    const ggk_rule *rule = finding->rule;
    enum loading_answer answer = answer_with(finding);

    if (answer == LOADING_YES)
        return;
    if (answer > l->answer)
        l->answer = answer;
    for (size_t i = 0; i < l->n_against; i++)
        if (l->against[i] == rule)
            return;
    if (l->n_against < LOADING_RULES_MOST)
        l->against[l->n_against++] = rule;
}

enum loading_answer loading_answer(const struct loading *l,
                                   const ggk_verdict *verdict)
{
    if (verdict->loads == GGK_LOADS_NOT)
        return LOADING_NO;
    if (l->answer != LOADING_YES)
        return l->answer;
    if (verdict->is_imatrix != 0)
        return LOADING_IMATRIX;
    if (verdict->n_tensors == 0)
        return LOADING_VOCABULARY;
    return verdict->arch_rules != 0 ? LOADING_YES : LOADING_UNKNOWN;
}

static const char *model_text(enum loading_answer answer)
{
    switch (answer) {
    case LOADING_NO:
        return "llama.cpp opens the file, but cannot load the model";
    case LOADING_BROKEN:
        return "llama.cpp opens the file and loads the model, but its weights "
               "are broken";
    case LOADING_DOUBTFUL:
        return "llama.cpp opens the file, but may fail on the model";
    case LOADING_VOCABULARY:
        return "llama.cpp opens the file, which holds no tensors and can serve "
               "as a vocabulary alone";
    case LOADING_UNKNOWN:
        return "llama.cpp opens the file; no rules are known for its "
               "architecture, or it names none";
    case LOADING_IMATRIX:
        return "llama.cpp opens the file, which is an importance matrix: gguf "
               "imatrix check judges it";
    case LOADING_YES: break;
    }
    return "llama.cpp opens the file, and nothing found keeps the model from "
           "loading";
}

static const char *answer_text(const struct loading *l,
                               const ggk_verdict *verdict)
{
    enum loading_answer answer = loading_answer(l, verdict);

    switch (verdict->loads) {
    case GGK_LOADS_NOT: return "llama.cpp refuses the file";
    case GGK_LOADS_METADATA:
        return answer == LOADING_NO
                   ? "llama.cpp reads the header, but cannot load the data"
                   : "llama.cpp can map the data, but not read it whole";
    case GGK_LOADS_ALL: break;
    }
    return model_text(answer);
}

void loading_print(const struct cli *cli, const struct loading *l,
                   const ggk_verdict *verdict, const char *head)
{
    const char *reason = verdict->reason;
    char line[8192]; /* the reason, all of it escaped, and the rules */
    size_t n = (size_t)snprintf(line, sizeof line, "%s%s%s", head,
                                answer_text(l, verdict),
                                reason[0] != '\0' ? ": " : "");

    n += text_copy(line + n, sizeof line / 2, reason, strlen(reason));
    for (size_t i = 0; verdict->loads == GGK_LOADS_ALL && i < l->n_against; i++)
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%s",
                              i > 0               ? ", "
                              : reason[0] != '\0' ? "; "
                                                  : ": ",
                              l->against[i]->id);
    fputs("  ", cli->out);
    finding_print_words(cli, line, 2);
}
