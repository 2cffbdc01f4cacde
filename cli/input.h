/* input.h - opens the models that commands are given.
 *
 * FILE is a path, a folder with one model, or "-" for standard input. Regular
 * files are mapped, under guard of the SIGBUS handler, and read by pread where
 * mapping fails; pipes are read as far as the header goes. Commands that read
 * tensors (CLI_READS_DATA) read by pread alone, and no pipes, unless they may
 * do without tensors (CLI_TAKES_PIPES): a file that shrinks must not end them
 * before they have put things in order.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "command.h"

struct input_mapped;

/* What becomes of the files: they are read; or read with tensors, though the
 * command may do without; or written anew in their places; or edited in place,
 * where that can be. */
enum input_use { INPUT_READ, INPUT_READ_DATA, INPUT_REPLACE, INPUT_EDIT };

struct input {
    const struct cli *cli;
    enum input_use use;
    const char *name; /* as the user gave it */
    ggk_model *model;
    ggk_type_table *types;
    struct input_mapped *mapped; /* the files that are */
    bool no_journals;            /* in the folder of the files to be changed */
};

/* input_is_stdin - whether standard input is meant: "-". */
bool input_is_stdin(const char *file);

/* input_open - open `file`; on failure the message has been written, and the
 * exit status is returned. Warnings about it are written by input_warn. */
int input_open(const struct cli *cli, const char *file, struct input *in);

/* input_open_to - the same, of what will be replaced or edited: if an edit of
 * it was interrupted, that is undone first, and told. */
int input_open_to(const struct cli *cli, const char *file, enum input_use use,
                  struct input *in);

/* input_try - the same, but that a model does not open is not told: its error
 * is in *err then. What else failed was told, and *err has the status GGK_OK.
 */
int input_try(const struct cli *cli, const char *file, enum input_use use,
              struct input *in, ggk_error *err);

/* input_fail - write the error of a later call; returns the exit status. */
int input_fail(const struct input *in, const ggk_error *err);
void input_close(struct input *in);

/* input_finish - what follows the output: the warnings, and closing. Returns
 * `status`, or the exit status for a file that has another size by now, so that
 * what was shown of it may be wrong. */
int input_finish(struct input *in, int status);

/* input_check - judge `file` as ggk_check does, opened as input_open does;
 * opts' `open` is not looked at. A failure has been told, and is in *err too.
 */
int input_check(const struct cli *cli, const char *file,
                const ggk_check_opts *opts, ggk_on_finding *on_finding,
                void *ctx, ggk_verdict *out, ggk_error *err);

/* input_is_imatrix - does the file say that it is an importance matrix? */
bool input_is_imatrix(const struct input *in);

/* input_shards - of how many shards it is but some, by its keys; 0: of none. */
uint64_t input_shards(const struct input *in);

/* input_no_match - say that no `noun` has a name like the pattern; returns the
 * exit status for that. */
int input_no_match(const struct input *in, const char *noun,
                   const char *pattern);

/* input_types - the types of --type-table; NULL in *out if none was given. */
int input_types(const struct cli *cli, ggk_type_table **out);

/* input_allow_many_files - let as many be open at once as the system lets us:
 * the shards of a set, the arrays of a new model. */
void input_allow_many_files(void);

/* What is odd about a model, though it opens. */
enum input_oddity {
    ODD_DATA_MISSING,
    ODD_TRAILING_BYTES,
    ODD_DUPLICATE_KEYS,
    ODD_DUPLICATE_TENSORS,
    ODD_COUNT
};

#define INPUT_ODDITY_BYTES 512

/* input_oddity - a sentence about one oddity of shard `file` (of the whole
 * model for duplicates, which are told with file 0); false if it has none.
 * input_oddity_name - its name in JSON: "data-missing". */
bool input_oddity(const struct input *in, uint32_t file, enum input_oddity odd,
                  char *out);
const char *input_oddity_name(enum input_oddity odd);

/* input_warn - warn about all oddities on standard error. */
void input_warn(const struct input *in);

#endif
