/* new_source.h - where the bytes of new tensors come from. */
#ifndef CLI_NEW_SOURCE_H
#define CLI_NEW_SOURCE_H

#include "array_in.h"
#include "cmd/new_spec.h"

/* new_source_file - the file `path`, as seen from the folder of the
 * description; opened once. Its number into `*out`.
 * new_source_npy, _safetensors - the array in it; `tensor` is a name. All three
 * tell what is wrong with the file, and return the exit status. */
int new_source_file(struct new_spec *s, const struct new_entry *e,
                    const char *path, size_t *out);
int new_source_npy(struct new_spec *s, const struct new_entry *e, size_t i,
                   struct array_in *out);
int new_source_safetensors(struct new_spec *s, const struct new_entry *e,
                           size_t i, const char *tensor, struct array_in *out);

/* new_source_fill - `bytes` bytes that repeat a pattern of `width`, up to 8, in
 * no memory.
 * new_source_memory - a block, which is taken over. */
int new_source_fill(struct new_spec *s, const struct new_entry *e,
                    const uint8_t *pattern, size_t width, uint64_t bytes,
                    size_t *out);
int new_source_memory(struct new_spec *s, const struct new_entry *e,
                      void *block, size_t bytes, size_t *out);

/* new_source_at - the source of that number. */
const ggk_source *new_source_at(const struct new_spec *s, size_t i);

#endif
