/* namemap.h - finds entries by name, and names that occur twice.
 *
 * An open-addressing table from name to entry number. It holds no names: it
 * asks its owner for the name of an entry. The hash is SipHash-1-3 under a
 * seed, so that no file can be built to make it slow; each slot keeps 32 bits
 * of the hash, so that the owner is rarely asked in vain.
 *
 * One NUL at the end of a name does not count.
 */
#ifndef GGKI_NAMEMAP_H
#define GGKI_NAMEMAP_H

#include "ggk.h"

/* Fetches the name of entry `i`. */
typedef bool ggki_name_of(const void *owner, uint64_t i, ggk_str *out);

struct ggki_namemap {
    struct ggki_namemap_slot *slots;
    size_t n_slots;
    uint64_t seed[2];
    uint64_t n_repeats; /* entries whose name an earlier one has */
    ggki_name_of *name_of;
};

#define GGKI_NAMEMAP_MAX 0x7ffffffe /* entries at most */

/* Is it one name, by that rule? */
bool ggki_names_equal(ggk_str a, ggk_str b);

/* A seed that a file's author cannot know. */
void ggki_namemap_random_seed(uint64_t seed[2]);

/* Build the map of entries 0 to n - 1, n <= GGKI_NAMEMAP_MAX. On failure
 * (GGK_E_NOMEM; GGK_E_CHANGED if a name cannot be had) the map is empty. */
ggk_status ggki_namemap_build(struct ggki_namemap *map,
                              const ggk_allocator *mem, const uint64_t seed[2],
                              uint64_t n, ggki_name_of *name_of,
                              const void *owner);

/* Enter one more: `i` is the number of those that are in. The map may grow, for
 * which all names are asked for once more; on failure it is as it was.
 * A new map is one built of no entries. */
ggk_status ggki_namemap_add(struct ggki_namemap *map, const ggk_allocator *mem,
                            uint64_t i, const void *owner);

/* Entry `i` has got another name, which none has: it is found by that, and no
 * more by the one before, which still takes up room. */
void ggki_namemap_rename(struct ggki_namemap *map, uint64_t i,
                         const void *owner);
void ggki_namemap_free(struct ggki_namemap *map, const ggk_allocator *mem);

/* The first entry of that name, or GGK_NONE; `*repeats`: there are more. */
uint64_t ggki_namemap_find(const struct ggki_namemap *map, const void *owner,
                           ggk_str name, bool *repeats);

#endif
