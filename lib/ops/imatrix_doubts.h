/* imatrix_doubts.h - importances that spoil what is quantized by them. */
#ifndef GGKI_IMATRIX_DOUBTS_H
#define GGKI_IMATRIX_DOUBTS_H

#include "ggk.h"

/* The worst first. */
enum ggki_doubt {
    GGKI_DOUBT_NEGATIVE, /* values */
    GGKI_DOUBT_LARGE,    /* values over GGKI_MEAN_MOST */
    GGKI_DOUBT_ZERO,     /* slices of nothing but zeros */
    GGKI_DOUBT_SMALL,    /* runs of columns of other slices, none of whose
                            values reaches GGKI_MEAN_LEAST */
    GGKI_DOUBTS
};

/* Between these every type gives what it gives by 1, of weights up to 30. The
 * smallest blocks with a scale of their own are whole runs, or halves. */
#define GGKI_MEAN_MOST  1e12F
#define GGKI_MEAN_LEAST 1e-20F
#define GGKI_MEAN_RUN   32u

/* Of each how many there are, and the first value of the first. */
struct ggki_doubts {
    uint64_t n[GGKI_DOUBTS], first[GGKI_DOUBTS];
};

/* Look at all values of an entry that are used: means, or `sums`, of which the
 * means are looked at. */
void ggki_doubts_of(const ggk_importances *e, bool sums,
                    struct ggki_doubts *out);

/* Value `i` as a mean. */
float ggki_mean_of(const ggk_importances *e, bool sums, uint64_t i);

#endif
