/* recipe_options.c - what was asked of a recipe: names become types, and
 * patterns are compiled. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/opts.h"
#include "model/model.h"
#include "ops/recipe.h"

#define NAME_BYTES 32 /* more than any type's */

/* Say which option it was. */
static ggk_status blame(ggk_error *err, ggk_status status, const char *option)
{
    if (err != NULL)
        snprintf(err->where, sizeof err->where, "%s", option);
    return status;
}

#define OPTION_BYTES 48

static void name_override(char out[OPTION_BYTES], size_t i)
{
    snprintf(out, OPTION_BYTES, "overrides[%llu]", (unsigned long long)i);
}

static ggk_status take_target(const char *name, const ggk_target **out,
                              ggk_error *err)
{
    ggk_status status = GGK_OK;

    *out = NULL;
    if (name == NULL)
        status = ggki_fail(err, GGK_E_ARG, "no target");
    else if ((*out = ggk_target_by_name(name)) == NULL)
        status = ggki_fail(err, GGK_E_NOT_FOUND,
                           "there is nothing to quantize to that is called "
                           "\"%.*s\"",
                           NAME_BYTES, name);
    return status == GGK_OK ? status : blame(err, status, "target");
}

static ggk_status take_type(const char *name, const char *option, uint32_t *out,
                            ggk_error *err)
{
    const ggk_type_info *info;

    *out = GGKI_NO_TYPE;
    if (name == NULL)
        return GGK_OK;
    info = ggk_type_by_name(name);
    if (info == NULL) {
        ggki_fail(err, GGK_E_NOT_FOUND, "there is no tensor type \"%.*s\"",
                  NAME_BYTES, name);
        return blame(err, GGK_E_NOT_FOUND, option);
    }
    if (!ggki_is_target_type(info->id)) {
        ggki_fail(err, GGK_E_NOT_FOUND, "nothing is quantized to type %s",
                  info->name);
        return blame(err, GGK_E_NOT_FOUND, option);
    }
    *out = info->id;
    return GGK_OK;
}

/* Take "PATTERN=TYPE" apart, at the last of its "="s: a pattern may have some.
 */
static ggk_status take_override(const struct ggki_pcre2 *pcre2,
                                const char *text, const char *option,
                                struct ggki_override *out, ggk_error *err)
{
    const char *equals = text != NULL ? strrchr(text, '=') : NULL;
    ggk_status status;

    if (equals == NULL || equals == text || equals[1] == '\0') {
        ggki_fail(err, GGK_E_ARG, "it is not PATTERN=TYPE");
        return blame(err, GGK_E_ARG, option);
    }
    status = take_type(equals + 1, option, &out->type, err);
    if (status != GGK_OK)
        return status;
    status = ggki_pattern_compile(
        pcre2, (ggk_str){text, (size_t)(equals - text)}, &out->pattern, err);
    return status == GGK_OK ? status : blame(err, status, option);
}

static ggk_status take_overrides(const ggk_allocator *mem,
                                 const ggk_recipe_opts *opts,
                                 struct ggki_recipe_options *out,
                                 ggk_error *err)
{
    size_t n = opts->n_overrides;
    ggk_status status;

    if (n == 0)
        return GGK_OK;
    if (opts->overrides == NULL || n > SIZE_MAX / sizeof *out->overrides)
        return ggki_fail(err, GGK_E_ARG, "no overrides");
    status = ggki_pcre2_open(&out->pcre2, err);
    if (status != GGK_OK)
        return status;
    out->overrides = ggki_mem_zero(mem, n * sizeof *out->overrides);
    if (out->overrides == NULL)
        return ggki_fail_memory(err);
    out->n_overrides = n;
    for (size_t i = 0; i < n && status == GGK_OK; i++) {
        char option[OPTION_BYTES];

        name_override(option, i);
        status = take_override(&out->pcre2, opts->overrides[i], option,
                               &out->overrides[i], err);
    }
    return status;
}

ggk_status ggki_recipe_options_take(const ggk_allocator *mem,
                                    const ggk_recipe_opts *opts,
                                    struct ggki_recipe_options *out,
                                    ggk_error *err)
{
    const uint32_t known = GGK_RECIPE_PURE | GGK_RECIPE_LEAVE_OUTPUT |
                           GGK_RECIPE_REQUANTIZE | GGK_RECIPE_NO_FALLBACK |
                           GGK_RECIPE_IMATRIX | GGK_RECIPE_KEEP_ORDER |
                           GGK_RECIPE_STRICT;
    ggk_recipe_opts asked;
    ggk_status status = ggki_opts_take(&asked, sizeof asked, opts, err);

    *out = (struct ggki_recipe_options){.flags = 0};
    if (status == GGK_OK)
        status = ggki_opts_check_flags(asked.flags, known, err);
    if (status != GGK_OK)
        return status;
    out->flags = asked.flags;
    out->from = asked.from;
    out->imatrix = asked.imatrix;
    out->keys = asked.keys;
    out->n_keys = asked.n_keys;
    if (asked.imatrix != NULL)
        out->flags |= GGK_RECIPE_IMATRIX;
    status = take_target(asked.target, &out->target, err);
    if (status == GGK_OK)
        status =
            take_type(asked.output_type, "output_type", &out->output_type, err);
    if (status == GGK_OK)
        status = take_type(asked.embedding_type, "embedding_type",
                           &out->embedding_type, err);
    if (status == GGK_OK)
        status = take_overrides(mem, &asked, out, err);
    if (status == GGK_OK)
        status = ggki_pruning_take(mem, asked.pruned, asked.n_pruned,
                                   &out->pruning, err);
    if (status != GGK_OK)
        ggki_recipe_options_free(mem, out);
    return status;
}

void ggki_recipe_options_free(const ggk_allocator *mem,
                              struct ggki_recipe_options *options)
{
    for (size_t i = 0; i < options->n_overrides; i++)
        ggki_pattern_free(&options->pcre2, &options->overrides[i].pattern);
    ggki_mem_release(mem, options->overrides,
                     options->n_overrides * sizeof *options->overrides);
    ggki_pcre2_close(&options->pcre2);
    ggki_pruning_free(mem, &options->pruning);
    *options = (struct ggki_recipe_options){.flags = 0};
}

ggk_status ggki_recipe_override_of(const struct ggki_recipe_options *options,
                                   ggk_str name, uint64_t *out, ggk_error *err)
{
    *out = GGK_NONE;
    for (size_t i = 0; i < options->n_overrides; i++) {
        bool found;
        ggk_status status = ggki_pattern_find(
            &options->pcre2, &options->overrides[i].pattern, name, &found, err);

        if (status != GGK_OK) {
            char option[OPTION_BYTES];

            name_override(option, i);
            return blame(err, status, option);
        }
        if (found) {
            *out = i;
            return GGK_OK;
        }
    }
    return GGK_OK;
}

const ggk_value *ggki_recipe_key(const struct ggki_recipe_options *options,
                                 const char *key)
{
    for (size_t i = 0; i < options->n_keys; i++)
        if (ggki_names_equal(options->keys[i].key, ggk_cstr(key)))
            return &options->keys[i].value;
    return NULL;
}
