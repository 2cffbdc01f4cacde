/* shard_search.h - what the files beside a shard are: when its set does not
 * open some may have another name than their keys say, and when it does some
 * may be left from another. */
#ifndef GGKI_SHARD_SEARCH_H
#define GGKI_SHARD_SEARCH_H

#include "model/model.h"

#define GGKI_FILE_NAME_BYTES 256

/* Where is looked: in the folder of `path`, which itself is not looked at. Some
 * 60 of its files are opened, at most, and their headers read; what cannot be
 * read is passed over. */
struct ggki_shard_search {
    const ggk_open_opts *opts;
    const ggk_allocator *mem;
    const char *path;
};

/* Find a file that by its keys is shard `*no` (from 0) of `count`; or, where
 * that is GGK_NONE and `path` has the name of a shard, one of its set whose
 * place is empty, and which this is. Its name goes into `out`. */
bool ggki_shard_find(const struct ggki_shard_search *where, uint64_t count,
                     uint64_t *no, char out[GGKI_FILE_NAME_BYTES]);

/* Find a set of `count` shards, by their names, that lacks shard `number` (from
 * 1); `out` is the name that this would have. */
bool ggki_shard_find_gap(const struct ggki_shard_search *where, uint32_t number,
                         uint32_t count, char out[GGKI_FILE_NAME_BYTES]);

/* The name of shard `number` of the set that `path` has the name of a shard of;
 * "" if it has none. If there is a file of that name, `*split` is what its keys
 * say. */
bool ggki_shard_beside(const struct ggki_shard_search *where, uint32_t number,
                       struct ggki_split *split,
                       char out[GGKI_FILE_NAME_BYTES]);

/* Count the files that have the name of a shard with the prefix of the model's
 * own, but of another count; the least of them goes into `out`. None if the
 * model is no set. False if there is no memory. */
bool ggki_shard_find_stale(const ggk_model *model, uint64_t *n,
                           char out[GGKI_FILE_NAME_BYTES]);

#endif
