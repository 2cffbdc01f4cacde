/* fuzz_imatrix.c - importance matrices of whatever bytes there are: no crash,
 * and what opens is finite, and found by its names. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "ggk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void use_entry(const ggk_imatrix *imatrix, uint64_t i)
{
    ggk_importances e;

    if (ggk_imatrix_entry(imatrix, i, &e, NULL) != GGK_OK || e.n_slices == 0 ||
        e.n_values % e.n_slices != 0 || ggk_imatrix_find(imatrix, e.name) != i)
        abort();
    for (uint64_t v = 0; v < e.n_values; v++)
        if (!isfinite(e.values[v]))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    ggk_source *source;
    ggk_imatrix *imatrix;
    ggk_imatrix_info info;
    ggk_error err;

    if (ggk_source_from_memory(data, bytes, NULL, &source, &err) != GGK_OK ||
        ggk_imatrix_open_source(source, NULL, &imatrix, &err) != GGK_OK)
        return 0;
    ggk_imatrix_about(imatrix, &info);
    for (uint64_t i = 0; i < info.n_entries; i++)
        use_entry(imatrix, i);
    ggk_imatrix_close(imatrix);
    return 0;
}
