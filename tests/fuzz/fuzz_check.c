/* fuzz_check.c - any bytes, judged: every finding has a place inside the file,
 * a sentence and a rule; what is without an error of the description, opens;
 * and what llama.cpp's loader does not take whole, its profile finds fault
 * with.
 */
#include <stdlib.h>

#include "ggk.h"

struct judged {
    uint64_t size;
    uint64_t n;
};

static bool on_finding(void *ctx, const ggk_finding *f)
{
    struct judged *j = ctx;

    if (f->rule == NULL || f->what[0] == '\0')
        abort();
    if (f->offset != GGK_NO_OFFSET && f->offset > j->size)
        abort();
    j->n++;
    return true;
}

static ggk_source *source_of(const uint8_t *data, size_t size)
{
    ggk_source *source;

    if (ggk_source_from_memory(data, size, NULL, &source, NULL) != GGK_OK)
        abort();
    return source;
}

/* What llama.cpp's loader goes past: sizes that wrap, and an alignment under a
 * key that ends in a NUL, which it takes for another. */
static bool is_lax(ggk_status status)
{
    return status == GGK_E_OVERFLOW || status == GGK_E_ALIGN ||
           status == GGK_E_ALIGN_TYPE || status == GGK_E_ALIGN_DUP;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct judged j = {size, 0};
    ggk_verdict verdict;
    ggk_model *model;
    ggk_status opened;

    if (ggk_check_source(source_of(data, size), NULL, on_finding, &j, &verdict,
                         NULL) != GGK_OK)
        abort();
    if (verdict.loads < GGK_LOADS_ALL &&
        verdict.llama_cpp[GGK_SEVERITY_ERROR] == 0 &&
        (verdict.loads == GGK_LOADS_NOT ||
         verdict.llama_cpp[GGK_SEVERITY_WARNING] == 0))
        abort();
    opened = ggk_model_open_source(source_of(data, size), NULL, &model, NULL);
    if (opened != GGK_OK && verdict.spec[GGK_SEVERITY_ERROR] == 0)
        abort(); /* nothing wrong, yet it cannot be read */
    if (opened != GGK_OK && verdict.loads == GGK_LOADS_ALL && !is_lax(opened))
        abort();
    ggk_model_close(model);
    return 0;
}
