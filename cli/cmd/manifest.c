/* manifest.c - lists of digests, as llama-gguf-hash and gguf hash print them.
 */
#include "cmd/manifest.h"

#include "cmd/hashing.h"
#include "path_parts.h"
#include "small_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct span {
    const char *at;
    size_t n;
};

/* ------------------------------------------------------------------ reading */

static int fail_read(const struct input *in, const char *path, int why)
{
    msg_error(&in->cli->msg, path, "cannot read the manifest: %s",
              strerror(why));
    return CLI_IO;
}

static int read_list(const struct input *in, const char *path, char **text,
                     size_t *n)
{
    int failed = small_file_read(path, MANIFEST_MAX_BYTES, text, n);

    if (failed == 0)
        return CLI_DONE;
    if (failed != EFBIG)
        return fail_read(in, path, failed);
    msg_error(&in->cli->msg, path, "a manifest of more than 64 MiB is none");
    return CLI_UNREADABLE;
}

/* -------------------------------------------------------------------- names */

static int hex_value(const char *s, size_t n)
{
    int value = 0;

    for (size_t i = 0; i < n; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *at = s[i] != '\0' ? strchr(digits, s[i]) : NULL;
        if (at == NULL || value > 0xfffff)
            return -1;
        value = value << 4 | (int)(at - digits);
    }
    return n == 0 ? -1 : value;
}

/* The UTF-8 of a character; its length. */
static size_t encode(int c, char *out)
{
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const int marks[] = {0, 0xc0, 0xe0, 0xf0};

    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(marks[n - 1] | c);
    return n;
}

/* One escape of text.h's that `s` begins with, into *out; its length, or 0 if
 * there is none. */
static size_t unescape_one(struct span s, char *out, size_t *n_out)
{
    static const char letters[] = "ntr\\", meant[] = "\n\t\r\\";
    const char *end, *letter;
    int c;

    if (s.n < 2 || s.at[0] != '\\' || s.at[1] == '\0')
        return 0;
    letter = strchr(letters, s.at[1]);
    if (letter != NULL) {
        *out = meant[letter - letters];
        *n_out = 1;
        return 2;
    }
    if (s.at[1] == 'x' && s.n >= 4 && (c = hex_value(s.at + 2, 2)) >= 0) {
        *out = (char)c;
        *n_out = 1;
        return 4;
    }
    if (s.at[1] != 'u' || s.n < 5 || s.at[2] != '{' ||
        (end = memchr(s.at, '}', s.n)) == NULL ||
        (c = hex_value(s.at + 3, (size_t)(end - s.at) - 3)) < 0)
        return 0;
    *n_out = encode(c, out);
    return (size_t)(end - s.at) + 1;
}

/* What a name with escapes stands for, which is not longer, into `out`. */
static struct span unescape(struct span s, char *out)
{
    size_t n = 0;

    while (s.n > 0) {
        size_t made = 1, used = unescape_one(s, out + n, &made);
        if (used == 0) {
            out[n] = *s.at;
            used = 1;
        }
        n += made;
        s.at += used;
        s.n -= used;
    }
    return (struct span){out, n};
}

/* Does the name begin with that of the file, and a colon or nothing after it?
 * Then *rest is the tensor's. */
static bool begins(struct span name, struct span file, struct span *rest)
{
    if (name.n < file.n || memcmp(name.at, file.at, file.n) != 0 ||
        (name.n > file.n && name.at[file.n] != ':'))
        return false;
    *rest = (struct span){name.at + file.n, name.n - file.n};
    return true;
}

/* From after the last slash before the first colon on. */
static struct span without_folder(struct span name)
{
    for (size_t i = 0; i < name.n && name.at[i] != ':'; i++)
        if (name.at[i] == '/') {
            name = (struct span){name.at + i + 1, name.n - i - 1};
            i = (size_t)-1; /* at the beginning again */
        }
    return name;
}

static bool is_of_file(struct span name, const char *file, struct span *rest)
{
    const char *base = path_name(file);

    return begins(name, (struct span){file, strlen(file)}, rest) ||
           begins(without_folder(name), (struct span){base, strlen(base)},
                  rest);
}

/* ------------------------------------------------------------------ entries */

static struct manifest_entry *add(struct manifest *m)
{
    if (m->n == m->capacity) {
        size_t capacity = m->capacity * 3 / 2 + 64;
        struct manifest_entry *entries =
            realloc(m->entries, capacity * sizeof *entries);
        if (entries == NULL)
            return NULL;
        m->entries = entries;
        m->capacity = capacity;
    }
    m->entries[m->n] = (struct manifest_entry){.tensor = GGK_NONE};
    return &m->entries[m->n++];
}

/* Take the next word off the line. */
static struct span take_word(struct span *line)
{
    struct span word;

    while (line->n > 0 && (*line->at == ' ' || *line->at == '\t')) {
        line->at++;
        line->n--;
    }
    word = (struct span){line->at, 0};
    while (line->n > 0 && *line->at != ' ' && *line->at != '\t') {
        line->at++;
        line->n--;
        word.n++;
    }
    return word;
}

static uint32_t find_algo(struct span word)
{
    uint32_t algo = 0;

    while (algo < GGK_ALGO_COUNT &&
           (strlen(ggk_algo_name(algo)) != word.n ||
            memcmp(ggk_algo_name(algo), word.at, word.n) != 0))
        algo++;
    return algo;
}

/* Find the tensor that the entry names, behind the colon. Some digests there
 * are of no tensor. */
static ggk_status find_named(const ggk_model *model, struct span rest,
                             struct manifest_entry *entry, ggk_error *err)
{
    ggk_str name = {rest.at + 1, rest.n - 1};
    ggk_status status = ggk_model_find_tensor(model, name, &entry->tensor, err);

    entry->name = name.ptr;
    entry->name_bytes = name.len;
    if (status != GGK_E_NOT_FOUND &&
        (status != GGK_OK || !hash_has(HASH_MODEL_ONLY, entry->algo)))
        return status;
    entry->result = MANIFEST_MISSING;
    return GGK_OK;
}

static void note_content(struct manifest *m, struct span name,
                         const uint8_t *digest)
{
    size_t bytes = ggk_algo_bytes(GGK_ALGO_CONTENT);

    if (m->n_contents > 0) {
        m->n_contents +=
            m->n_contents == 1 && memcmp(m->content, digest, bytes) != 0;
        return;
    }
    memcpy(m->content, digest, bytes);
    memcpy(m->content_file, name.at, name.n);
    m->content_file[name.n] = '\0';
    m->n_contents = 1;
}

/* Remember the file that a line is of, instead of ours. */
static void note_other(struct manifest *m, struct span name, uint32_t algo,
                       const uint8_t *digest)
{
    const char *colon = memchr(name.at, ':', name.n);
    size_t n = colon != NULL ? (size_t)(colon - name.at) : name.n;

    if (n >= MANIFEST_NAME_BYTES)
        n = MANIFEST_NAME_BYTES - 1;
    if (algo == GGK_ALGO_CONTENT)
        note_content(m, (struct span){name.at, n}, digest);
    for (size_t i = 0; i < m->n_others && i < MANIFEST_OTHERS; i++)
        if (strlen(m->others[i]) == n && memcmp(m->others[i], name.at, n) == 0)
            return;
    if (m->n_others > MANIFEST_OTHERS)
        return;
    if (m->n_others < MANIFEST_OTHERS) {
        memcpy(m->others[m->n_others], name.at, n);
        m->others[m->n_others][n] = '\0';
    }
    m->n_others++;
}

/* As it stands there, else with its escapes undone. The text is ours to write
 * to: nothing else is looked for in this line any more. */
static int take_name(const struct input *in, struct span name, uint32_t algo,
                     const uint8_t *digest, struct manifest *m)
{
    struct manifest_entry entry = {.tensor = GGK_NONE, .algo = algo};
    struct manifest_entry *place;
    struct span rest;
    char *own = m->text + (name.at - m->text);
    bool is_ours = is_of_file(name, in->name, &rest);
    ggk_status status = GGK_OK;
    ggk_error err;

    if (is_ours && rest.n > 0)
        status = find_named(in->model, rest, &entry, &err);
    if ((!is_ours || entry.result == MANIFEST_MISSING) &&
        memchr(name.at, '\\', name.n) != NULL) {
        entry.result = MANIFEST_OK;
        is_ours = is_of_file(unescape(name, own), in->name, &rest);
        if (is_ours && rest.n > 0)
            status = find_named(in->model, rest, &entry, &err);
    }
    if (status != GGK_OK)
        return input_fail(in, &err);
    if (!is_ours) {
        note_other(m, name, algo, digest);
        return CLI_DONE;
    }
    place = add(m);
    if (place == NULL)
        return fail_read(in, in->name, ENOMEM);
    *place = entry;
    memcpy(place->digest, digest, ggk_algo_bytes(algo));
    return CLI_DONE;
}

static int take_line(const struct input *in, const char *path, size_t number,
                     struct span line, uint32_t wanted, struct manifest *m)
{
    uint32_t algo = find_algo(take_word(&line));
    uint8_t digest[GGK_DIGEST_MAX_BYTES];
    struct span text;

    if (algo == GGK_ALGO_COUNT)
        return CLI_DONE;
    text = take_word(&line);
    while (line.n > 0 && (*line.at == ' ' || *line.at == '\t')) {
        line.at++;
        line.n--;
    }
    if (line.n == 0 ||
        !ggk_digest_parse(algo, (ggk_str){text.at, text.n}, digest)) {
        msg_error(&in->cli->msg, path,
                  "line %zu: after \"%s\" comes no digest with a name", number,
                  ggk_algo_name(algo));
        return CLI_UNREADABLE;
    }
    m->n_lines++;
    return (wanted >> algo & 1) != 0 ? take_name(in, line, algo, digest, m)
                                     : CLI_DONE;
}

static int take_lines(const struct input *in, const char *path, size_t n,
                      uint32_t wanted, struct manifest *m)
{
    const char *at = m->text, *end = m->text + n;
    int status = CLI_DONE;

    for (size_t number = 1; at < end && status == CLI_DONE; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t bytes = (size_t)((stop == NULL ? end : stop) - at);
        struct span line = {at, bytes};
        if (line.n > 0 && line.at[line.n - 1] == '\r')
            line.n--;
        status = take_line(in, path, number, line, wanted, m);
        at += bytes + 1;
    }
    return status;
}

bool manifest_take_content(struct manifest *m)
{
    struct manifest_entry *place = add(m);

    if (place == NULL)
        return false;
    place->algo = GGK_ALGO_CONTENT;
    memcpy(place->digest, m->content, ggk_algo_bytes(GGK_ALGO_CONTENT));
    return true;
}

int manifest_read(const struct input *in, const char *path, uint32_t wanted,
                  struct manifest *out)
{
    size_t n;
    int status;

    *out = (struct manifest){0};
    status = read_list(in, path, &out->text, &n);
    if (status == CLI_DONE)
        status = take_lines(in, path, n, wanted, out);
    if (status != CLI_DONE || out->n_lines > 0)
        return status;
    msg_error(&in->cli->msg, path,
              "this is no manifest: no line begins with the name of an "
              "algorithm");
    return CLI_UNREADABLE;
}

void manifest_free(struct manifest *m)
{
    free(m->entries);
    free(m->text);
    *m = (struct manifest){0};
}
