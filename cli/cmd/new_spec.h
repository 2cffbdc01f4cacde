/* new_spec.h - the description that gguf new writes a model from, in JSON. */
#ifndef CLI_NEW_SPEC_H
#define CLI_NEW_SPEC_H

#include "command.h"
#include "json_in.h"

/* Names that must differ: copies, in the order of the description. */
struct new_names {
    ggk_str *at;
    size_t n, capacity;
};

struct new_source;

struct new_spec {
    const struct cli *cli;
    const char *name; /* of the file, as it was given; "-" */
    char *text;
    size_t bytes;
    struct json_in *doc;
    json_in_value root;
    ggk_plan *plan; /* of one file, number 0 */
    bool big_endian;
    struct new_source *sources; /* that the plan takes bytes from */
    size_t n_sources, source_capacity;
};

/* new_spec_open - read it: that it is JSON and has no members that are not
 * known. new_spec_plan - all of it into a plan of one file at `path`;
 * `alignment` 0: as the description says. Both return the exit status, what is
 * wrong has been told. new_spec_close - whatever became of it. */
int new_spec_open(const struct cli *cli, const char *name,
                  struct new_spec *out);
int new_spec_plan(struct new_spec *s, const char *path, uint64_t alignment);
void new_spec_close(struct new_spec *s);

/* An entry of one of its lists, for messages. */
struct new_entry {
    const struct new_spec *spec;
    const char *list; /* "tensors"; "" for what is in no list */
    size_t i;
    json_in_value object;
};

/* new_refuse - tell what is wrong with a member of an entry, or (NULL) with all
 * of it.
 * new_refuse_unknown - that it has another member than `known`, if so.
 * new_fail - tell an error of the library; the same for no memory. */
int new_refuse(const struct new_entry *e, const char *member,
               const char *format, ...) MSG_PRINTF(3, 4);
int new_refuse_unknown(const struct new_entry *e, const char *const *known);
int new_fail(const struct new_entry *e, const char *member,
             const ggk_error *err);
int new_fail_memory(const struct new_entry *e);

/* new_word - a member that is a string without NUL, if it is there; else NULL.
 * new_count - one that is an integer from 0 on; `*has`: it is there. */
int new_word(const struct new_entry *e, const char *member, const char **out);
int new_count(const struct new_entry *e, const char *member, bool *has,
              uint64_t *out);

/* new_order - the member "byte_order", if it is there: is it "big"? */
int new_order(const struct new_entry *e, bool *big_endian);

/* new_names_add - a copy of a name; false: no memory.
 * new_names_twice - is there one that is there twice? It, and the place of
 * its second time. */
bool new_names_add(struct new_names *names, ggk_str name);
bool new_names_twice(const struct new_names *names, size_t *i, ggk_str *name,
                     bool *no_memory);
void new_names_free(struct new_names *names);

/* new_keys_plan - its keys (new_keys.c), new_tensors_plan - its tensors
 * (new_tensors.c) into the plan; new_sources_close - what the tensors took. */
int new_keys_plan(struct new_spec *s, bool *has_alignment);
int new_tensors_plan(struct new_spec *s);
void new_sources_close(struct new_spec *s);

#endif
