/* set_requests.h - what gguf set is asked for: which keys, and what they are to
 * be. */
#ifndef CLI_SET_REQUESTS_H
#define CLI_SET_REQUESTS_H

#include "edit.h"
#include "new_value.h"

struct set_options {
    const char *type;
    struct opt_list files;
    struct opt_list from_json;
    struct opt_list tokens;
    struct edit_options how;
};

enum set_what { SET_WHOLE, SET_ELEMENT, SET_APPEND };
enum set_from { SET_TEXT, SET_BYTES, SET_JSON };

/* One key, or one element of its array. */
struct set_request {
    ggk_str key;
    enum set_what what;
    uint64_t index; /* of SET_ELEMENT */
    uint64_t kv;    /* in the model; GGK_NONE: it is new */
    bool typed;     /* the type was asked for: */
    struct value_type type;
    enum set_from from;
    const char *text;   /* of SET_TEXT */
    ggk_str bytes;      /* of SET_BYTES */
    json_in_value json; /* of SET_JSON */
};

struct set_requests {
    struct set_request *at;
    size_t n, capacity;
    struct json_in **docs; /* that keys and values are in */
    size_t n_docs, doc_capacity;
    char **blocks; /* of memory, likewise */
    size_t n_blocks, block_capacity;
    bool piped; /* standard input was read */
};

/* set_requests_take - all of the command line, in the order operands, --file,
 * --from-json, --token. Returns the exit status; set_requests_free must follow.
 */
int set_requests_take(const struct edit *e, const struct set_options *options,
                      int argc, char **argv, struct set_requests *out);
void set_requests_free(struct set_requests *r);

/* set_keep_doc - keep a document until the end; false: no memory, and it is
 * freed. */
bool set_keep_doc(struct set_requests *r, struct json_in *doc);

#endif
