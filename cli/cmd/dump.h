/* dump.h - the forms of `gguf dump` that others read. */
#ifndef CLI_DUMP_H
#define CLI_DUMP_H

#include "command.h"

struct dump_options {
    bool no_tensors;
    bool full;
    bool markdown;
    bool compat;
};

/* One model to be dumped. */
struct dump {
    const struct cli *cli;
    const struct dump_options *options;
    const ggk_model *model;
    const char *name; /* as the user gave it */
    ggk_file file;    /* the first, which has the keys */
};

/* The type of a value down its first elements: [["a", "b"], []] has two levels
 * of STRING. */
struct dump_type {
    unsigned levels;
    uint32_t last; /* ARRAY where the first of all arrays has no element */
    bool empty;    /* the innermost array has none */
};

ggk_status dump_find_type(const ggk_model *model, uint64_t i,
                          struct dump_type *out, ggk_error *err);

/* dump_name_type - the name of `type` within `levels` pairs of brackets: its
 * own, or fewer. `out` holds SHOW_TYPE_BYTES. */
void dump_name_type(char *out, uint32_t type, unsigned levels);

/* dump_print_compat - the lines that gguf-dump prints.
 * dump_print_markdown - tables for GitHub. */
ggk_status dump_print_compat(const struct dump *d, ggk_error *err);
ggk_status dump_print_markdown(const struct dump *d, ggk_error *err);

#endif
