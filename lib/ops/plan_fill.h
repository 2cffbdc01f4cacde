/* plan_fill.h - what the files that fill plans share. */
#ifndef GGKI_PLAN_FILL_H
#define GGKI_PLAN_FILL_H

#include "ops/plan.h"

/* Room for one more of `n` items; NULL: no memory. */
void *ggki_plan_grow(const ggk_allocator *mem, void *items, size_t n,
                     size_t *capacity, size_t item_bytes);

/* A string of the plan's own; false: no memory. Give it back, if it is. */
bool ggki_plan_copy_str(const ggk_allocator *mem, ggk_str from, ggk_str *out);
void ggki_plan_release_str(const ggk_allocator *mem, bool owned, ggk_str s);

/* Give back what a key-value owns. */
void ggki_plan_release_kv(ggk_plan *plan, const struct ggki_plan_kv *kv);

/* The first entry of that name among the tensors of a file, or its keys, else
 * GGK_NONE; are there more? Errors: GGK_E_NOMEM. */
ggk_status ggki_plan_find_name(ggk_plan *plan, struct ggki_plan_file *file,
                               bool tensors, ggk_str name, uint64_t *out,
                               bool *repeats, ggk_error *err);

/* An entry has another name, which none had. */
void ggki_plan_note_renamed(ggk_plan *plan, struct ggki_plan_names *names,
                            uint64_t i, const struct ggki_plan_file *file);

/* The number of a source, which is noted if it was not; SIZE_MAX: no memory. */
size_t ggki_plan_source_number(ggk_plan *plan, const ggk_source *source,
                               const struct ggki_gguf *gguf);

/* File number `i`, whose layout is about to change; NULL is GGK_E_RANGE. */
struct ggki_plan_file *ggki_plan_file_at(ggk_plan *plan, uint32_t i,
                                         ggk_error *err);

/* What is asked for cannot be in a file of arrays. */
ggk_status ggki_plan_fail_not_gguf(ggk_error *err);

#endif
