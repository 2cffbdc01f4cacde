/* json.h - one JSON document, written piece by piece to a stream.
 *
 *     struct json j;
 *     json_start(&j, stdout, false);
 *     json_open_object(&j);
 *     json_put_u64(&j, "schema", 1);
 *     json_key(&j, "shape");
 *     json_open_row(&j);
 *     json_u64(&j, 4096);
 *     json_close_array(&j);
 *     json_close_object(&j);
 *     json_end(&j);
 *
 * Nothing is allocated and nothing fails: a write error stays with the stream,
 * where finish() finds it. Calls out of order are bugs, and asserted.
 */
#ifndef CLI_OUT_JSON_H
#define CLI_OUT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_MAX_DEPTH 64

/* The fields are private. Bit n of a mask belongs to nesting level n. */
struct json {
    FILE *out;
    uint64_t objects;  /* levels that are objects */
    uint64_t rows;     /* levels written in one line */
    uint64_t filled;   /* levels that have an element */
    unsigned depth;    /* open levels */
    bool pretty;       /* two blanks a level, one element a line */
    bool after_key;    /* a key waits for its value */
    bool has_document; /* the one value was begun */
};

/* json_start / json_end - begin a document; end it, with a newline. */
void json_start(struct json *j, FILE *out, bool pretty);
void json_end(struct json *j);

void json_open_object(struct json *j);
void json_close_object(struct json *j);

/* json_open_array / _row - begin an array; a row stays in one line, with all
 * that is in it, even in a pretty document. Both end by json_close_array. */
void json_open_array(struct json *j);
void json_open_row(struct json *j);
void json_close_array(struct json *j);

/* json_key - the name of the next value of an object: a constant of the
 * program, in plain ASCII. Names from a file are values, never keys. */
void json_key(struct json *j, const char *name);

/* json_string - any bytes: valid UTF-8 as a string, in which every character
 * that is not printable is escaped; other bytes as {"base64": "..."}. */
void json_string(struct json *j, const void *bytes, size_t n);
void json_cstring(struct json *j, const char *s);

void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);

/* json_f64 / _f32 - the shortest digits that read back as the same number of
 * that width; "nan", "inf" and "-inf" as strings. */
void json_f64(struct json *j, double v);
void json_f32(struct json *j, float v);

/* json_put_* - a key and its value. */
void json_put_string(struct json *j, const char *key, const void *bytes,
                     size_t n);
void json_put_cstring(struct json *j, const char *key, const char *s);
void json_put_u64(struct json *j, const char *key, uint64_t v);
void json_put_i64(struct json *j, const char *key, int64_t v);
void json_put_f64(struct json *j, const char *key, double v);
void json_put_bool(struct json *j, const char *key, bool v);
void json_put_null(struct json *j, const char *key);

#endif
