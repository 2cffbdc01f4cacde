/* show.h - metadata and tensors as text and as JSON, the same in all commands.
 */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "command.h"
#include "out/json.h"
#include "out/table.h"

#define SHOW_ALL UINT64_MAX

/* How many elements of an array are shown where not all were asked for. */
#define SHOW_FEW 6

/* show_number - a number as text, in FMT_BYTES with its NUL; returns its
 * length, 0 if the value is none. */
size_t show_number(char *out, const ggk_value *value);

/* show_size - "896 bytes", "30.43 MiB (31910000 bytes)". */
void show_size(FILE *out, uint64_t bytes);

/* show_scalar - a scalar as text: strings between quotes, made safe, in at
 * most `columns` columns. */
void show_scalar(FILE *out, const ggk_value *value, size_t columns);

/* show_lines - a string as it is meant to be read: its lines as lines, its
 * tabs as tabs, everything else made safe. Ends in a newline. */
void show_lines(FILE *out, ggk_str s);

/* show_value - the value of key-value `i` as text, in one line: a scalar, or
 * "[1, 2, 3, ...]" with at most `most` elements. GGK_E_CHANGED if the file was
 * changed. */
ggk_status show_value(FILE *out, const ggk_model *model, uint64_t i,
                      uint64_t most, size_t columns, ggk_error *err);

/* show_space - if it is free space (ggk_model_kv_is_space), how much it is:
 * "(64 bytes of free space)", which show_value does, too. */
bool show_space(FILE *out, const ggk_model *model, uint64_t i);

/* show_element - the same for the element that a walk stands before. */
ggk_status show_element(FILE *out, ggk_walk *walk, uint64_t most,
                        size_t columns, ggk_error *err);

/* show_value_line - as much of a value as fits into a cell of a table. */
#define SHOW_LINE_COLUMNS 120
struct show_line {
    char text[4096]; /* SHOW_FEW elements of so many columns, and room */
};
ggk_status show_value_line(struct show_line *line, const ggk_model *model,
                           uint64_t i, ggk_error *err);

/* show_line_open - a stream that writes such a text; NULL if there is no
 * memory. show_line_close - the end of it; what has no room is cut off. */
FILE *show_line_open(struct show_line *line);
void show_line_close(struct show_line *line, FILE *out);

/* show_broken - the error of a walk that broke off.
 * show_no_memory - that of an allocation which failed. */
ggk_status show_broken(ggk_error *err);
ggk_status show_no_memory(ggk_error *err);

/* show_type_name - "UINT32"; of an array "STRING[128256]". `out` holds
 * SHOW_TYPE_BYTES. */
#define SHOW_TYPE_BYTES 48
void show_type_name(char *out, const ggk_kv *kv);

/* show_json_scalar - a scalar as a JSON value.
 * show_json_value - members "type", for arrays "elem_type" and "n", for those
 * of arrays "inner_types", "value", and "shortened": true where elements were
 * left out, into an open object. */
void show_json_scalar(struct json *j, const ggk_value *value);
ggk_status show_json_value(struct json *j, const ggk_model *model, uint64_t i,
                           uint64_t most, ggk_error *err);

/* show_json_element - the element that a walk stands before; `*shortened` if
 * not all of it was wanted. */
ggk_status show_json_element(struct json *j, ggk_walk *walk, uint64_t most,
                             bool *shortened, ggk_error *err);

/* show_tensor_type - the name of a tensor type: "Q4_K"; "type139" for one that
 * is not known, "Q4_2 (removed)"... `out` holds SHOW_TYPE_BYTES. */
void show_tensor_type(char *out, const ggk_model *model, uint32_t id);

/* show_shape - "[4096, 14336]", "[]" for no dimensions; at most
 * SHOW_SHAPE_BYTES with its NUL. */
#define SHOW_SHAPE_BYTES 192
void show_shape(char *out, const ggk_tensor *tensor);
void show_json_shape(struct json *j, const ggk_tensor *tensor);

/* show_json_tensor - a tensor as a JSON object: "name", "type", "type_id",
 * "shape", "elements", "offset", "bytes"; "opaque": true if the type is not
 * known; of a split set "shard", counted from 0 as in its key split.no.
 * show_json_named - its members up to "elements", into an open object.
 * show_json_bytes - a member that is null for GGK_SIZE_UNKNOWN. */
void show_json_tensor(struct json *j, const ggk_model *model,
                      const ggk_tensor *tensor);
void show_json_named(struct json *j, const ggk_model *model,
                     const ggk_tensor *tensor);
void show_json_bytes(struct json *j, const char *key, uint64_t bytes);

/* show_type_row - a row of five cells: what the tensors of one type are
 * together, and the share of their bytes in `whole`. */
void show_type_row(struct table *t, const char *name, uint64_t tensors,
                   uint64_t parameters, uint64_t bytes, uint64_t whole);

/* show_matches - does the shell pattern match the name? * ? and [...], which
 * also match dots and slashes. NULL matches everything.
 * show_matches_part - does it match any part of the name? */
bool show_matches(const char *pattern, ggk_str name);
bool show_matches_part(const char *pattern, ggk_str name);

/* show_severity - "error". */
const char *show_severity(ggk_severity severity);

/* show_json_start - begin the document of a command: {"schema": 1, ...
 * show_json_end - end it. */
void show_json_start(struct json *j, const struct cli *cli);
void show_json_end(struct json *j);

/* show_most - of a name, for "%.*s" in a sentence: at most so many bytes. */
static inline int show_most(ggk_str name, int most)
{
    return name.len < (size_t)most ? (int)name.len : most;
}

#endif
