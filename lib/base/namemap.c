/* namemap.c - the table behind namemap.h. */
#include "base/namemap.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/load.h"
#include "base/mem.h"
#include "base/str.h"

struct ggki_namemap_slot {
    uint32_t tag;   /* upper half of the name's hash */
    uint32_t entry; /* number + 1; 0: free. Top bit: the name repeats */
};

#define REPEATS 0x80000000u

static uint64_t rotl64(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotl64(v[1], 13) ^ v[0];
    v[3] = rotl64(v[3], 16) ^ v[2];
    v[0] = rotl64(v[0], 32) + v[3];
    v[2] += v[1];
    v[3] = rotl64(v[3], 21) ^ v[0];
    v[1] = rotl64(v[1], 17) ^ v[2];
    v[2] = rotl64(v[2], 32);
}

/* SipHash-1-3 (Aumasson and Bernstein, 2012). */
static uint64_t sip_hash(const uint64_t seed[2], ggk_str s)
{
    uint64_t v[4] = {
        seed[0] ^ 0x736f6d6570736575u, seed[1] ^ 0x646f72616e646f6du,
        seed[0] ^ 0x6c7967656e657261u, seed[1] ^ 0x7465646279746573u};
    const uint8_t *p = (const uint8_t *)s.ptr;
    size_t left = s.len;
    uint64_t last = (uint64_t)s.len << 56;

    for (; left >= 8; p += 8, left -= 8) {
        uint64_t word = load_le64(p);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    while (left-- > 0)
        last |= (uint64_t)p[left] << (8 * left);
    v[3] ^= last;
    sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static ggk_str without_final_nul(ggk_str name)
{
    if (name.len > 0 && name.ptr[name.len - 1] == '\0')
        name.len--;
    return name;
}

bool ggki_names_equal(ggk_str a, ggk_str b)
{
    return ggki_str_same(without_final_nul(a), without_final_nul(b));
}

void ggki_namemap_random_seed(uint64_t seed[2])
{
    /* Time to the nanosecond, process and address layout: nothing that a
     * file written beforehand could aim at. */
    struct timespec now = {0, 0};
    uint64_t state[2];

    clock_gettime(CLOCK_REALTIME, &now);
    state[0] = (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec;
    state[1] = (uint64_t)(uintptr_t)&now ^ (uint64_t)getpid() << 48;
    seed[0] = sip_hash(state, (ggk_str){(const char *)state, sizeof state});
    seed[1] = sip_hash(state, (ggk_str){(const char *)seed, 8});
}

/* Where the search for a name begins: the lower half of its hash, scaled, so
 * that the table need not be a power of two, which could double it. */
static size_t first_slot(const struct ggki_namemap *map, uint64_t hash)
{
    return (size_t)((hash & UINT32_MAX) * map->n_slots >> 32);
}

/* The slot that holds `name`, or the free one where it belongs. */
static struct ggki_namemap_slot *slot_of(const struct ggki_namemap *map,
                                         const void *owner, ggk_str name,
                                         uint32_t *tag)
{
    uint64_t hash = sip_hash(map->seed, name);
    size_t i = first_slot(map, hash);

    *tag = (uint32_t)(hash >> 32);
    for (;; i = i + 1 < map->n_slots ? i + 1 : 0) {
        struct ggki_namemap_slot *slot = &map->slots[i];
        ggk_str other;

        if (slot->entry == 0)
            return slot;
        if (slot->tag == *tag &&
            map->name_of(owner, (slot->entry & ~REPEATS) - 1, &other) &&
            ggki_str_same(name, without_final_nul(other)))
            return slot;
    }
}

/* Enter entry `i`, for which there is room. */
static bool enter(struct ggki_namemap *map, uint64_t i, const void *owner)
{
    struct ggki_namemap_slot *slot;
    uint32_t tag;
    ggk_str name;

    if (!map->name_of(owner, i, &name))
        return false;
    slot = slot_of(map, owner, without_final_nul(name), &tag);
    if (slot->entry != 0) {
        slot->entry |= REPEATS;
        map->n_repeats++;
    } else {
        slot->tag = tag;
        slot->entry = (uint32_t)i + 1;
    }
    return true;
}

/* Slots for `n` entries: at least a third of them is free. */
static size_t slots_for(uint64_t n)
{
    return (size_t)(n + n / 2 + 2);
}

/* A map with room for `room` entries, of which `n` are entered. */
static ggk_status build(struct ggki_namemap *map, const ggk_allocator *mem,
                        uint64_t room, uint64_t n, const void *owner)
{
    map->n_slots = slots_for(room);
    map->n_repeats = 0;
    map->slots = ggki_mem_zero(mem, map->n_slots * sizeof *map->slots);
    if (map->slots == NULL) {
        map->n_slots = 0;
        return GGK_E_NOMEM;
    }
    for (uint64_t i = 0; i < n; i++)
        if (!enter(map, i, owner)) {
            ggki_namemap_free(map, mem);
            return GGK_E_CHANGED;
        }
    return GGK_OK;
}

ggk_status ggki_namemap_build(struct ggki_namemap *map,
                              const ggk_allocator *mem, const uint64_t seed[2],
                              uint64_t n, ggki_name_of *name_of,
                              const void *owner)
{
    *map =
        (struct ggki_namemap){.seed = {seed[0], seed[1]}, .name_of = name_of};
    return build(map, mem, n, n, owner);
}

ggk_status ggki_namemap_add(struct ggki_namemap *map, const ggk_allocator *mem,
                            uint64_t i, const void *owner)
{
    if (i >= GGKI_NAMEMAP_MAX)
        return GGK_E_NOMEM;
    if (slots_for(i + 1) > map->n_slots) {
        struct ggki_namemap grown = *map;
        ggk_status status = build(&grown, mem, 2 * i + 16, i, owner);

        if (status != GGK_OK)
            return status;
        ggki_namemap_free(map, mem);
        *map = grown;
    }
    return enter(map, i, owner) ? GGK_OK : GGK_E_CHANGED;
}

void ggki_namemap_rename(struct ggki_namemap *map, uint64_t i,
                         const void *owner)
{
    struct ggki_namemap_slot *slot;
    uint32_t tag;
    ggk_str name;

    if (!map->name_of(owner, i, &name))
        return;
    slot = slot_of(map, owner, without_final_nul(name), &tag);
    if (slot->entry != 0) /* it had that name once */
        return;
    slot->tag = tag;
    slot->entry = (uint32_t)i + 1;
}

void ggki_namemap_free(struct ggki_namemap *map, const ggk_allocator *mem)
{
    ggki_mem_release(mem, map->slots, map->n_slots * sizeof *map->slots);
    memset(map, 0, sizeof *map);
}

uint64_t ggki_namemap_find(const struct ggki_namemap *map, const void *owner,
                           ggk_str name, bool *repeats)
{
    const struct ggki_namemap_slot *slot;
    uint32_t tag;

    *repeats = false;
    if (map->n_slots == 0)
        return GGK_NONE;
    slot = slot_of(map, owner, without_final_nul(name), &tag);
    if (slot->entry == 0)
        return GGK_NONE;
    *repeats = (slot->entry & REPEATS) != 0;
    return (slot->entry & ~REPEATS) - 1;
}
