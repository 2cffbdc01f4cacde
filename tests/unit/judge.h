/* judge.h - for tests: what check finds in a file of bytes. */
#ifndef TESTS_JUDGE_H
#define TESTS_JUDGE_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "bytes.h"
#include "ggk.h"

enum { JUDGED_MOST = 200 };

/* A finding, as it was told. */
struct told {
    char id[40];
    uint32_t file;
    uint64_t offset;
    char where[128];
    char what[512];
    uint64_t more;
};

struct judged {
    struct told at[JUDGED_MOST];
    size_t n;
    size_t stop_at; /* the finding after which no more are wanted; 0: none */
    ggk_verdict verdict;
};

/* Add "word " to the words in `to`. */
static inline void judged_add_word(char *to, size_t to_bytes, const char *word)
{
    size_t used = strlen(to);
    snprintf(to + used, to_bytes - used, "%s ", word);
}

/* Most files here are of the architecture "t", which llama.cpp does not know;
 * that is not told again and again. */
static inline bool judged_is_of_t(const ggk_finding *f)
{
    return strcmp(f->rule->id, "architecture-unknown") == 0 &&
           strstr(f->what, " \"t\" ") != NULL;
}

/* One that must be told; `what` NULL: in the reader's words, whatever they are.
 */
struct expected {
    const char *id;
    uint64_t offset;
    const char *where;
    const char *what;
};

static inline bool judged_add(void *ctx, const ggk_finding *f)
{
    struct judged *j = ctx;
    struct told *told = &j->at[j->n];

    if (judged_is_of_t(f))
        return true;
    assert_in_range(j->n, 0, JUDGED_MOST - 1);
    snprintf(told->id, sizeof told->id, "%s", f->rule->id);
    snprintf(told->where, sizeof told->where, "%s", f->where);
    snprintf(told->what, sizeof told->what, "%s", f->what);
    told->file = f->file;
    told->offset = f->offset;
    told->more = f->more;
    return ++j->n != j->stop_at;
}

static inline ggk_status judge_with(struct judged *j, const struct bytes *b,
                                    const ggk_check_opts *opts, ggk_error *err)
{
    ggk_source *source;

    assert_int_equal(ggk_source_from_memory(b->at, b->n, NULL, &source, NULL),
                     GGK_OK);
    return ggk_check_source(source, opts, judged_add, j, &j->verdict, err);
}

/* Judge the bytes under both profiles, and free them. */
static inline void judge(struct judged *j, struct bytes *b)
{
    memset(j, 0, sizeof *j);
    assert_int_equal(judge_with(j, b, NULL, NULL), GGK_OK);
    bytes_free(b);
}

static inline void print_told(const struct judged *j)
{
    for (size_t i = 0; i < j->n; i++)
        print_error("%s at %" PRIu64 " \"%s\" of %" PRIu32 ": %s (%" PRIu64
                    " more)\n",
                    j->at[i].id, j->at[i].offset, j->at[i].where, j->at[i].file,
                    j->at[i].what, j->at[i].more);
}

static inline bool is_told(const struct told *t, const struct expected *e)
{
    return strcmp(t->id, e->id) == 0 && t->offset == e->offset &&
           strcmp(t->where, e->where) == 0 && t->more == 0 &&
           (e->what != NULL ? strcmp(t->what, e->what) == 0
                            : t->what[0] != '\0');
}

/* Just these were told, in this order; the last one is empty. */
static inline void expect_told(const struct judged *j, const struct expected *e)
{
    size_t n = 0;

    while (e[n].id != NULL && n < j->n && is_told(&j->at[n], &e[n]))
        n++;
    if (e[n].id == NULL && n == j->n)
        return;
    print_told(j);
    fail_msg("finding %zu is not %s at %" PRIu64 " \"%s\": %s", n,
             e[n].id != NULL ? e[n].id : "none", e[n].offset,
             e[n].id != NULL ? e[n].where : "",
             e[n].what != NULL ? e[n].what : "");
}

/* One finding alone, in a file that is then freed. */
static inline void expect_one(struct bytes *b, const char *id, uint64_t offset,
                              const char *where, const char *what)
{
    const struct expected one[] = {{id, offset, where, what},
                                   {NULL, 0, NULL, NULL}};
    struct judged j;

    judge(&j, b);
    expect_told(&j, one);
}

static inline void expect_none(struct bytes *b)
{
    const struct expected none[] = {{NULL, 0, NULL, NULL}};
    struct judged j;

    judge(&j, b);
    expect_told(&j, none);
}

/* The beginning of a model in which nothing is wrong, of an architecture that
 * nobody knows, with `n_more` keys more: 65 bytes. */
static inline struct bytes bytes_sound(uint64_t n_tensors, uint64_t n_more)
{
    struct bytes b = bytes_of(3, false);

    put_header(&b, n_tensors, 1 + n_more);
    put_kv_str(&b, "general.architecture", "t");
    return b;
}

/* The architecture, and the numbers that a mamba needs: 8 keys. All but the
 * blocks are 4. */
static inline void put_mamba(struct bytes *b, const char *arch,
                             uint32_t n_blocks)
{
    static const char *const keys[] = {"context_length",  "embedding_length",
                                       "ssm.conv_kernel", "ssm.inner_size",
                                       "ssm.state_size",  "ssm.time_step_rank"};
    char key[64];

    put_kv_str(b, "general.architecture", arch);
    snprintf(key, sizeof key, "%s.block_count", arch);
    put_kv_u32(b, key, n_blocks);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        snprintf(key, sizeof key, "%s.%s", arch, keys[i]);
        put_kv_u32(b, key, 4);
    }
}

/* The beginning of a mamba of 4 blocks, which has all keys that it needs. */
static inline struct bytes bytes_mamba(uint64_t n_tensors, uint64_t n_more)
{
    struct bytes b = bytes_of(3, false);

    put_header(&b, n_tensors, 9 + n_more);
    put_mamba(&b, "mamba", 4);
    put_key(&b, "mamba.attention.layer_norm_rms_epsilon", V_F32);
    put_f32(&b, 1e-5f);
    return b;
}

#endif
