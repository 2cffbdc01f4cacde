/* corpus.h - what the programs that read the corpus share. */
#ifndef GGK_TESTS_CORPUS_H
#define GGK_TESTS_CORPUS_H

#include <ggk.h>

/* ----------------------------------------------------------- corpus_util.c */

/* corpus_fail - print one failure, the first hundred of them, and count it. */
__attribute__((format(printf, 1, 2))) void corpus_fail(const char *format, ...);

/* corpus_result - print the tally; the exit status of the program. */
int corpus_result(unsigned long checks);

/* The bytes of a file, allocated. */
struct corpus_bytes {
    uint8_t *data;
    size_t n;
};

/* corpus_load - read a whole file, or say why not and exit. */
struct corpus_bytes corpus_load(const char *path);

/* corpus_split - cut a line at its tabs, in place, into at most `max` fields;
 * missing ones are "". Returns how many there were. */
size_t corpus_split(char *line, char **fields, size_t max);

/* corpus_lines - call `each` with every line of a file, without its newline.
 * Exits if the file cannot be read. */
void corpus_lines(const char *path, void (*each)(char *line, void *ctx),
                  void *ctx);

/* ----------------------------------------------------------- corpus_open.c */

/* The ways to the bytes of a file. */
enum corpus_way {
    WAY_FILE,   /* pread */
    WAY_MAP,    /* mmap */
    WAY_MEMORY, /* a buffer */
    WAY_BYTES,  /* callbacks that give a byte at a time */
    WAY_ODD,    /* callbacks that give 1, 2, 3, 5, 7 ... 1021 bytes */
    WAY_STREAM, /* callbacks that do not know how much there is */
    WAY_COUNT
};

extern const char *const corpus_way_names[WAY_COUNT];

/* corpus_open - open one GGUF by that way. `path` serves the first two ways,
 * `bytes` the others. */
ggk_status corpus_open(enum corpus_way way, const char *path,
                       const struct corpus_bytes *bytes,
                       const ggk_open_opts *opts, ggk_model **out,
                       ggk_error *err);

/* corpus_judge - compare how opening ended with what was expected; "-" is no
 * place. On a difference one failure is counted. */
void corpus_judge(const char *what, ggk_status status, const ggk_error *err,
                  const char *wanted_status, const char *offset,
                  const char *where);

/* --------------------------------------------------------- corpus_digest.c */

/* corpus_digest - one number over all that a one-file model says, that which
 * tests/gen/rules.py makes of the same bytes. `stream_bytes` is the length of
 * a file whose source does not know it, else GGK_SIZE_UNKNOWN. */
uint32_t corpus_digest(const ggk_model *model, uint64_t stream_bytes);

/* corpus_crc32 - go on with a CRC-32, begun with 0. */
uint32_t corpus_crc32(uint32_t crc, const void *data, size_t n);

/* ------------------------------------------------------- corpus_exercise.c */

/* corpus_exercise - ask a model everything else that can be asked, and
 * compare the answers with each other and with the file's bytes; with those of
 * the tensors if `data`, which a stream has no longer. Failures are counted
 * under the name `what`. */
void corpus_exercise(const char *what, const ggk_model *model,
                     const struct corpus_bytes *bytes, bool data);

#endif
