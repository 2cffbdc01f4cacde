/* json_text.h - places in a text of JSON, for messages. Knows no GGUF. */
#ifndef CLI_JSON_TEXT_H
#define CLI_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* json_text_place - "line 3, column 14" for byte `at` of a text: lines and
 * characters, counted from 1. Into `out`, of JSON_TEXT_PLACE; returns it. */
#define JSON_TEXT_PLACE 64
const char *json_text_place(const char *text, size_t at, char *out);

/* json_text_find - the byte at which what `path` names begins: "tensors[3]",
 * "tensors[3].shape", "" for all. In an object, [3] is the name of its fourth
 * member. The text must have been parsed; false if it has no such thing. */
bool json_text_find(const char *text, size_t bytes, const char *path,
                    size_t *at);

#endif
