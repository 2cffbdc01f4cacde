/* repeats.c - finds a name that is there twice. */
#include "base/repeats.h"

ggk_status ggki_names_find_repeat(const ggk_allocator *mem, uint64_t n,
                                  ggki_name_of *name_of, const void *owner,
                                  uint64_t *i)
{
    struct ggki_namemap map;
    uint64_t seed[2];
    bool repeats = false;
    ggk_status status;

    *i = GGK_NONE;
    if (n > GGKI_NAMEMAP_MAX)
        return GGK_E_LIMIT;
    ggki_namemap_random_seed(seed);
    status = ggki_namemap_build(&map, mem, seed, n, name_of, owner);
    if (status != GGK_OK)
        return status;
    for (uint64_t k = 0; k < n && map.n_repeats > 0 && !repeats; k++) {
        ggk_str name;

        if (name_of(owner, k, &name))
            (void)ggki_namemap_find(&map, owner, name, &repeats);
        *i = repeats ? k : GGK_NONE;
    }
    ggki_namemap_free(&map, mem);
    return GGK_OK;
}
