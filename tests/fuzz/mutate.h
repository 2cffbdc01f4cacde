/* mutate.h - GGUF files changed where it hurts: field by field, entry by entry.
 *
 * Knows the layout of the format, and nothing of the library.
 */
#ifndef TESTS_MUTATE_H
#define TESTS_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of a file, in `room` bytes of memory. */
struct mutant {
    uint8_t *at;
    size_t n;
    size_t room;
};

/* mutate_dice - the state of dice that fall the same for the same numbers. */
uint64_t mutate_dice(uint64_t seed, uint64_t number);

/* mutate - change a file in one to six ways, all drawn from `*dice`. Entries
 * are taken over from `donor`, another file, or the same. */
void mutate(struct mutant *m, const struct mutant *donor, uint64_t *dice);

#endif
