/* naming.h - a file's name beside its content. */
#ifndef CLI_NAMING_H
#define CLI_NAMING_H

#include "input.h"

enum naming_part {
    NAMING_SIDECAR,
    NAMING_BASE_NAME,
    NAMING_SIZE_LABEL,
    NAMING_FINE_TUNE,
    NAMING_VERSION,
    NAMING_ENCODING,
    NAMING_KIND,
    NAMING_SHARD,
    NAMING_PARTS
};

enum naming_verdict {
    NAMING_SILENT, /* one of them says nothing, or nothing to compare */
    NAMING_AGREES,
    NAMING_DIFFERS
};

/* A part, where it is said. */
struct naming_row {
    ggk_str in_name;
    ggk_str in_content;
    enum naming_verdict verdict;
    char remark[160]; /* what the verdict rests on, or "" */
};

#define NAMING_MAX_NAME 255 /* bytes of a file name, on most systems */

struct naming {
    ggk_str file_name;   /* empty: the content came without a name */
    ggk_file_name parts; /* of it */
    struct naming_row rows[NAMING_PARTS];
    char proposed[NAMING_MAX_NAME + 1]; /* "" if it would be longer */

    /* What the views point to that are not in the model. */
    char size_label[GGK_SIZE_LABEL_BYTES];
    char shard[2][48];
    char title[NAMING_MAX_NAME + 1];
};

/* naming_part_text - a part of a name; of a shard it is written into `shard`.
 * naming_part_name - "size label". naming_part_key - "size_label". */
ggk_str naming_part_text(const ggk_file_name *name, enum naming_part part,
                         char shard[48]);
const char *naming_part_name(enum naming_part part);
const char *naming_part_key(enum naming_part part);

/* naming_make - compare the name of `in`'s file with what it holds, and make
 * the name that it should have. Errors: GGK_E_NOMEM, GGK_E_CHANGED. */
ggk_status naming_make(const struct input *in, struct naming *out,
                       ggk_error *err);

/* naming_is_part - whether the file, opened alone, is a shard of several.
 * naming_is_shard - whether the file, opened alone, is a shard of several by
 * its name as by its keys, so that all of them can be opened. */
bool naming_is_part(const struct input *in);
bool naming_is_shard(const struct input *in);

#endif
