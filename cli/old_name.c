/* old_name.c - a file that was renamed without its journal. */
#include "old_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ggk.h"
#include "path_parts.h"

struct seeking {
    const char *file;
    const char *journal; /* that is looked at */
    struct old_name *out;
    bool found;
};

static bool compare_owner(void *ctx, const char *journal, const char *file)
{
    struct seeking *s = ctx;

    if (file == NULL || strcmp(path_name(file), path_name(s->file)) != 0 ||
        strcmp(path_name(journal), path_name(s->journal)) == 0)
        return true;
    snprintf(s->out->journal, sizeof s->out->journal, "%s",
             path_name(s->journal));
    snprintf(s->out->wanted, sizeof s->out->wanted, "%s", path_name(journal));
    s->found = true;
    return true;
}

static bool look_at_journal(void *ctx, const char *journal, const char *file)
{
    struct seeking *s = ctx;

    (void)file;
    s->out->no_journals = false;
    s->journal = journal;
    return ggk_journal_owner(journal, NULL, compare_owner, s, NULL) != GGK_OK ||
           !s->found;
}

bool old_name_find(const char *file, struct old_name *out)
{
    char *folder = path_beside(file, ".");
    struct seeking s = {.file = file, .out = out};

    *out = (struct old_name){.no_journals = true};
    if (folder == NULL ||
        ggk_journals_find(folder, NULL, look_at_journal, &s, NULL) != GGK_OK)
        out->no_journals = false;
    free(folder);
    return s.found;
}
