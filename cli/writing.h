/* writing.h - what all commands that write models have in common: where to, the
 * plan shown or done, and what is said about it. */
#ifndef CLI_WRITING_H
#define CLI_WRITING_H

#include "input.h"
#include "out/json.h"

/* writing_target - where a command writes to: its operand OUT (NULL: it was not
 * given) or that of -o, not both. NULL after a message if there is neither, and
 * `input` is NULL; else `input`, which is to be replaced then. */
const char *writing_target(const struct cli *cli, const char *operand,
                           const char *input);

/* writing_plan_all - a file of the plan that is the whole model: the keys of
 * its first file and all tensors. */
ggk_status writing_plan_all(ggk_plan *plan, const struct input *in,
                            const char *path, ggk_error *err);

/* writing_path - where file `i` of `n` of a model goes that is written to
 * `out`: there, or to a shard of that prefix, without ".gguf". NULL: no memory.
 */
char *writing_path(const char *out, uint32_t i, uint32_t n);

/* writing_path_of - the same for file `i` of `in`; `in_place`: the path of the
 * file itself. */
char *writing_path_of(const struct input *in, const char *out, bool in_place,
                      uint32_t i);

/* writing_bad_alignment - what is wrong with an alignment, so that nobody gets
 * it without --force: "over 1 MiB, which..."; NULL: nothing. */
const char *writing_bad_alignment(uint64_t alignment);

/* Whether what is replaced is written anew; or edited where it lies, if that
 * can be done; or else not at all. */
enum writing_how { WRITING_ANEW, WRITING_IN_PLACE_IF, WRITING_IN_PLACE };

/* One plan, ready to be done. */
struct writing {
    const struct cli *cli;
    const struct input *in; /* what is written is made of */
    ggk_plan *plan;
    uint32_t run_flags; /* GGK_RUN_REPLACE if the input is the target */
    enum writing_how how;
    const char *why_anew; /* WRITING_ANEW: what the reason is, or NULL */
    bool keeps_space;     /* what is written anew gets the free space it had */
    uint64_t reserve;     /* bytes that the plan leaves free in file 0 */
    bool shows;           /* ...but only to show what would become of it */
    bool nowhere;         /* a dry run to no file that was named */
    bool gaps_empty;      /* the command looked: no gap has other than zeros */
    bool is_opaque;       /* tensors and data are nothing to tell of it */
    bool may_backup;      /* the command has --backup, */
    const char *backup;   /* and it was given: its suffix; NULL: none */
    const char *verb;     /* of the progress line: "copying" */
    /* Members of the JSON document that are the command's own, and lines of
     * text before the table of files; NULL: none. */
    void (*put_json)(struct json *j, const void *ctx);
    void (*put_text)(FILE *out, const void *ctx);
    /* What the last line says of the size of all files, and more; NULL: the
     * bytes. */
    void (*put_sizes)(FILE *out, const void *ctx);
    const void *ctx;
    FILE *report; /* takes the JSON document, too, whatever is printed; NULL */
};

/* writing_guard - let the plan neither replace nor remove `file`, of which
 * something was read; "-" is standard input. GGK_OK also if it is gone. */
ggk_status writing_guard(ggk_plan *plan, const char *file, ggk_error *err);

/* writing_run - print the plan (--dry-run), or do it and print what was done. A
 * plan that only what lies there or a full disk would stop is printed, too: its
 * status is that of the real run.
 * What is edited in place was opened so (input_open_to). When written anew, an
 * input that has bytes after its model, or other than zeros between its
 * tensors, which would be lost, is replaced only with --force or a backup.
 * Returns the exit status; failures have been told. */
int writing_run(const struct writing *w);

/* writing_fail - tell an error of the plan; returns the exit status. */
int writing_fail(const struct writing *w, const ggk_error *err);

#endif
