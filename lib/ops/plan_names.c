/* plan_names.c - lists of a plan that grow, and names that are found in them.
 */
#include "base/err.h"
#include "base/mem.h"
#include "ops/plan.h"
#include "ops/plan_fill.h"

#define SCANS_BEFORE_MAP 8

/* ------------------------------------------------------------------- lists */

/* Room for one more of `n` items; NULL: no memory. */
void *ggki_plan_grow(const ggk_allocator *mem, void *items, size_t n,
                     size_t *capacity, size_t item_bytes)
{
    size_t wanted = *capacity * 2 + 8;
    void *grown;

    if (n < *capacity)
        return items;
    if (wanted > SIZE_MAX / item_bytes)
        return NULL;
    grown = ggki_mem_resize(mem, items, *capacity * item_bytes,
                            wanted * item_bytes);
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}

bool ggki_plan_copy_str(const ggk_allocator *mem, ggk_str from, ggk_str *out)
{
    char *copy =
        ggki_mem_string(mem, from.ptr != NULL ? from.ptr : "", from.len);

    *out = (ggk_str){copy, from.len};
    return copy != NULL;
}

void ggki_plan_release_str(const ggk_allocator *mem, bool owned, ggk_str s)
{
    if (owned)
        ggki_mem_release(mem, ggki_mem_own(s.ptr), s.len + 1);
}

/* ------------------------------------------------------------------- names */

static bool key_of(const void *file, uint64_t i, ggk_str *out)
{
    *out = ((const struct ggki_plan_file *)file)->kvs[i].key;
    return true;
}

bool ggki_plan_tensor_name(const void *file, uint64_t i, ggk_str *out)
{
    const struct ggki_plan_item *item =
        &((const struct ggki_plan_file *)file)->tensors[i];
    const ggk_plan *plan = ((const struct ggki_plan_file *)file)->plan;

    if (item->source != GGKI_PLAN_OWN)
        return ggki_gguf_tensor_name(plan->sources[item->source].gguf, item->i,
                                     out);
    *out = plan->own[item->i].name;
    return true;
}

void ggki_plan_forget(ggk_plan *plan, struct ggki_plan_names *names)
{
    ggki_namemap_free(&names->map, &plan->mem);
    *names = (struct ggki_plan_names){.n_mapped = 0};
}

/* Put the names of `n` entries into the map that are not in it; false: no
 * memory. */
static bool map_names(ggk_plan *plan, struct ggki_plan_names *names,
                      ggki_name_of *name_of, size_t n,
                      const struct ggki_plan_file *file)
{
    if (names->n_mapped == 0) {
        uint64_t seed[2];

        ggki_namemap_free(&names->map, &plan->mem);
        ggki_namemap_random_seed(seed);
        if (ggki_namemap_build(&names->map, &plan->mem, seed, 0, name_of,
                               file) != GGK_OK)
            return false;
    }
    for (; names->n_mapped < n; names->n_mapped++)
        if (ggki_namemap_add(&names->map, &plan->mem, names->n_mapped, file) !=
            GGK_OK)
            return false;
    return true;
}

/* The first of `n` entries of that name, else GGK_NONE; are there more? */
static uint64_t scan_names(ggki_name_of *name_of, size_t n,
                           const struct ggki_plan_file *file, ggk_str name,
                           bool *repeats)
{
    uint64_t first = GGK_NONE;

    *repeats = false;
    for (size_t i = 0; i < n && !*repeats; i++) {
        ggk_str other;

        if (!name_of(file, i, &other) || !ggki_names_equal(other, name))
            continue;
        *repeats = first != GGK_NONE;
        if (!*repeats)
            first = i;
    }
    return first;
}

/* The same, by a map when it will pay: not for a few names, nor if it would be
 * forgotten after each. Errors: GGK_E_NOMEM. */
ggk_status ggki_plan_find_name(ggk_plan *plan, struct ggki_plan_file *file,
                               bool tensors, ggk_str name, uint64_t *out,
                               bool *repeats, ggk_error *err)
{
    struct ggki_plan_names *names = tensors ? &file->names : &file->keys;
    ggki_name_of *name_of = tensors ? ggki_plan_tensor_name : key_of;
    size_t n = tensors ? file->n_tensors : file->n_kv;

    if (names->n_scans < SCANS_BEFORE_MAP) {
        names->n_scans++;
        *out = scan_names(name_of, n, file, name, repeats);
        return GGK_OK;
    }
    if (!map_names(plan, names, name_of, n, file))
        return ggki_fail_memory(err);
    *out = ggki_namemap_find(&names->map, file, name, repeats);
    return GGK_OK;
}

/* An entry has another name, which none had. The slots of old ones are lost, so
 * there must not be many. */
void ggki_plan_note_renamed(ggk_plan *plan, struct ggki_plan_names *names,
                            uint64_t i, const struct ggki_plan_file *file)
{
    if (names->n_mapped == 0)
        return;
    if (++names->n_renamed > names->map.n_slots / 8)
        ggki_plan_forget(plan, names);
    else
        ggki_namemap_rename(&names->map, i, file);
}
