/* test_opts.c - options that ask for more than this version knows: every
 * function that takes some refuses them alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bytes.h"
#include "ggk.h"
#include "world.h"

#define NO_FLAGS SIZE_MAX
#define ROOM     256 /* more than any struct */

/* What there is to call functions with. */
struct ground {
    struct world w;
    ggk_plan *plan;
    ggk_recipe *recipe;
};

/* ------------------------------------------------------------------- calls */

static ggk_status call_open(struct ground *g, const void *opts, ggk_error *err)
{
    ggk_model *model;
    ggk_status status = ggk_model_open(g->w.in, opts, &model, err);

    ggk_model_close(model);
    return status;
}

static ggk_status call_check(struct ground *g, const void *opts, ggk_error *err)
{
    ggk_verdict verdict;

    return ggk_check(g->w.in, opts, NULL, NULL, &verdict, err);
}

static ggk_status call_check_open(struct ground *g, const void *opts,
                                  ggk_error *err)
{
    ggk_check_opts check = {.struct_bytes = sizeof check, .open = opts};

    return call_check(g, &check, err);
}

static ggk_status call_plan_check(struct ground *g, const void *opts,
                                  ggk_error *err)
{
    ggk_verdict verdict;

    return ggk_plan_check(g->plan, opts, NULL, NULL, &verdict, err);
}

static ggk_status call_plan_check_open(struct ground *g, const void *opts,
                                       ggk_error *err)
{
    ggk_check_opts check = {.struct_bytes = sizeof check, .open = opts};

    return call_plan_check(g, &check, err);
}

static ggk_status call_split(struct ground *g, const void *opts, ggk_error *err)
{
    return ggk_plan_split(g->plan, g->w.out, opts, err);
}

static ggk_status call_run(struct ground *g, const void *opts, ggk_error *err)
{
    return ggk_plan_run(g->plan, opts, err);
}

static ggk_status call_diff(struct ground *g, const void *opts, ggk_error *err)
{
    ggk_diff_result result;

    return ggk_diff(g->w.model, g->w.model, opts, NULL, NULL, &result, err);
}

static ggk_status call_digest(struct ground *g, const void *opts,
                              ggk_error *err)
{
    ggk_digests *digests;
    ggk_status status = ggk_digests_new(g->w.model, opts, NULL, &digests, err);

    ggk_digests_free(digests);
    return status;
}

static ggk_status call_recipe(struct ground *g, const void *opts,
                              ggk_error *err)
{
    ggk_recipe *recipe;
    ggk_status status = ggk_recipe_new(g->w.model, opts, &recipe, err);

    ggk_recipe_free(recipe);
    return status;
}

static ggk_status call_quantize(struct ground *g, const void *opts,
                                ggk_error *err)
{
    ggk_plan *plan;
    ggk_status status;

    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    status = ggk_plan_quantize(plan, g->w.out, g->recipe, opts, err);
    ggk_plan_free(plan);
    return status;
}

/* Those that take flags without a struct. */
static ggk_status call_edit(struct ground *g, uint32_t flags, ggk_error *err)
{
    ggk_edited edited;

    return ggk_plan_edit(g->plan, flags, &edited, err);
}

static ggk_status call_recover(struct ground *g, uint32_t flags, ggk_error *err)
{
    ggk_recovery recovery;

    return ggk_recover(g->w.in, flags, NULL, &recovery, err);
}

static ggk_status call_discard(struct ground *g, uint32_t flags, ggk_error *err)
{
    return ggk_journal_discard(g->w.in, flags, NULL, err);
}

static const struct taker {
    const char *name;
    ggk_status (*call)(struct ground *g, const void *opts, ggk_error *err);
    size_t bytes, flags_at; /* of the struct; where in it flags are */
    uint32_t known;         /* all flags that there are */
} takers[] = {
    {"ggk_model_open", call_open, sizeof(ggk_open_opts),
     offsetof(ggk_open_opts, flags), GGK_OPEN_SINGLE},
    {"ggk_check", call_check, sizeof(ggk_check_opts),
     offsetof(ggk_check_opts, profiles),
     GGK_PROFILE_SPEC | GGK_PROFILE_LLAMA_CPP},
    {"ggk_check, opening", call_check_open, sizeof(ggk_open_opts),
     offsetof(ggk_open_opts, flags), GGK_OPEN_SINGLE},
    {"ggk_plan_check", call_plan_check, sizeof(ggk_check_opts),
     offsetof(ggk_check_opts, profiles),
     GGK_PROFILE_SPEC | GGK_PROFILE_LLAMA_CPP},
    {"ggk_plan_check, opening", call_plan_check_open, sizeof(ggk_open_opts),
     offsetof(ggk_open_opts, flags), GGK_OPEN_SINGLE},
    {"ggk_plan_split", call_split, sizeof(ggk_split_opts), NO_FLAGS, 0},
    {"ggk_plan_run", call_run, sizeof(ggk_run_opts),
     offsetof(ggk_run_opts, flags),
     GGK_RUN_FORCE | GGK_RUN_REPLACE | GGK_RUN_DRY | GGK_RUN_MAKE_FOLDER},
    {"ggk_diff", call_diff, sizeof(ggk_diff_opts),
     offsetof(ggk_diff_opts, flags), GGK_DIFF_NO_DATA | GGK_DIFF_LAYOUT},
    {"ggk_digests_new", call_digest, sizeof(ggk_digest_opts), NO_FLAGS, 0},
    {"ggk_recipe_new", call_recipe, sizeof(ggk_recipe_opts),
     offsetof(ggk_recipe_opts, flags),
     GGK_RECIPE_PURE | GGK_RECIPE_LEAVE_OUTPUT | GGK_RECIPE_REQUANTIZE |
         GGK_RECIPE_NO_FALLBACK | GGK_RECIPE_IMATRIX | GGK_RECIPE_KEEP_ORDER |
         GGK_RECIPE_STRICT},
    {"ggk_plan_quantize", call_quantize, sizeof(ggk_quantize_opts),
     offsetof(ggk_quantize_opts, flags), GGK_QUANTIZE_KEEP_SPLIT},
};

static const struct flag_taker {
    const char *name;
    ggk_status (*call)(struct ground *g, uint32_t flags, ggk_error *err);
    uint32_t known;
} flag_takers[] = {
    {"ggk_plan_edit", call_edit, GGK_EDIT_DRY | GGK_EDIT_LINKS},
    {"ggk_recover", call_recover, GGK_RECOVER_DRY | GGK_RECOVER_DISCARD},
    {"ggk_journal_discard", call_discard, GGK_RECOVER_DRY},
};

/* ------------------------------------------------------------------- tests */

static void ground_make(struct ground *g)
{
    const ggk_recipe_opts opts = {.struct_bytes = sizeof opts, .target = "F16"};
    struct bytes b = bytes_llama(0);
    uint32_t file;

    world_make(&g->w, &b);
    bytes_free(&b);
    assert_int_equal(ggk_plan_new(NULL, &g->plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_file(g->plan, g->w.out, &file, NULL), GGK_OK);
    assert_int_equal(ggk_recipe_new(g->w.model, &opts, &g->recipe, NULL),
                     GGK_OK);
}

static void ground_end(struct ground *g)
{
    ggk_recipe_free(g->recipe);
    ggk_plan_free(g->plan);
    assert_int_equal(world_count(&g->w), 1); /* nothing was written */
    world_end(&g->w);
}

static bool is_refused(ggk_status status, const ggk_error *err)
{
    return status == GGK_E_ARG && err->status == GGK_E_ARG &&
           strcmp(err->what, "options that this version lacks") == 0;
}

/* Options that are 0, but for their size, and one byte. */
static ggk_status call_with(struct ground *g, const struct taker *t,
                            size_t bytes, size_t at, uint8_t byte,
                            ggk_error *err)
{
    union {
        size_t bytes;
        uint8_t raw[ROOM];
        void *aligned;
    } opts;

    memset(&opts, 0, sizeof opts);
    opts.bytes = bytes;
    opts.raw[at] = byte;
    *err = (ggk_error){.status = GGK_OK};
    return t->call(g, &opts, err);
}

/* Of a newer caller, bytes behind the known ones. */
static void test_newer(void **state)
{
    struct ground g;
    ggk_error err;
    (void)state;

    ground_make(&g);
    for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++) {
        const struct taker *t = &takers[i];
        size_t more = t->bytes + sizeof(void *);

        if (t->call != call_run && /* which would do it */
            is_refused(call_with(&g, t, more, more, 1, &err), &err))
            fail_msg("%s refuses what is behind the options", t->name);
        if (!is_refused(call_with(&g, t, more, more - 1, 1, &err), &err))
            fail_msg("%s takes what it does not know", t->name);
        if (!is_refused(call_with(&g, t, 0, more, 0, &err), &err))
            fail_msg("%s takes options without a size", t->name);
    }
    ground_end(&g);
}

static void test_flags(void **state)
{
    struct ground g;
    ggk_error err;
    (void)state;

    ground_make(&g);
    for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++)
        for (size_t bit = 0; bit < 32 && takers[i].flags_at != NO_FLAGS;
             bit++) {
            const struct taker *t = &takers[i];
            uint32_t flag = (uint32_t)1 << bit;
            uint8_t raw[4];
            size_t at = 0;

            memcpy(raw, &flag, sizeof raw);
            while (raw[at] == 0)
                at++;
            if ((flag & t->known) == 0 &&
                !is_refused(
                    call_with(&g, t, t->bytes, t->flags_at + at, raw[at], &err),
                    &err))
                fail_msg("%s takes flag %zu", t->name, bit);
        }
    for (size_t i = 0; i < sizeof flag_takers / sizeof flag_takers[0]; i++)
        for (size_t bit = 0; bit < 32; bit++) {
            const struct flag_taker *t = &flag_takers[i];
            uint32_t flag = (uint32_t)1 << bit;

            if ((flag & t->known) == 0 &&
                !is_refused(t->call(&g, flag, &err), &err))
                fail_msg("%s takes flag %zu", t->name, bit);
        }
    ground_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newer),
        cmocka_unit_test(test_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
