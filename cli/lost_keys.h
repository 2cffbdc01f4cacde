/* lost_keys.h - keys that only later shards of a set have: one file, or another
 * set, has the keys of the first. */
#ifndef CLI_LOST_KEYS_H
#define CLI_LOST_KEYS_H

#include "input.h"

/* lost_keys_check - look for keys of the shards besides the first that the
 * first lacks, or has with another value; those that number shards, and
 * general.alignment, do not count. With --force they are warned of, without it
 * refused. Returns the exit status. */
int lost_keys_check(const struct input *in);

#endif
