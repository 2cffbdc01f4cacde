/* hash_check.c - gguf hash --check: a model against a list of digests. */
#include "cmd/hashing.h"
#include "cmd/manifest.h"
#include "show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct checking {
    const struct input *in;
    const char *path;
    struct manifest manifest;
    uint32_t asked;   /* by the user; 0: all that there are */
    uint32_t model;   /* algorithms of digests of the whole, */
    uint32_t tensors; /* and of tensors, that are listed */
    uint8_t *listed;  /* of each tensor, the same */
    size_t n_bad;
    uint64_t n_unlisted;
    struct json *json;    /* NULL: text */
    struct json document; /* that it is */
};

static const char *result_name(enum manifest_result result)
{
    switch (result) {
    case MANIFEST_OK: return "ok";
    case MANIFEST_MISMATCH: return "mismatch";
    case MANIFEST_MISSING: return "missing";
    }
    return "";
}

/* ------------------------------------------------------------------ judging */

static bool collect(struct checking *c)
{
    uint64_t n = ggk_model_n_tensors(c->in->model);

    c->listed = calloc(n > 0 ? (size_t)n : 1, 1);
    for (size_t k = 0; k < c->manifest.n && c->listed != NULL; k++) {
        const struct manifest_entry *e = &c->manifest.entries[k];
        if (e->result == MANIFEST_MISSING)
            continue;
        if (e->tensor == GGK_NONE) {
            c->model |= 1u << e->algo;
        } else if (((1u << e->algo) & HASH_MODEL_ONLY) == 0) {
            c->tensors |= 1u << e->algo;
            c->listed[e->tensor] |= (uint8_t)(1u << e->algo);
        }
    }
    return c->listed != NULL;
}

static const uint8_t *found_digest(const ggk_digests *digests,
                                   const struct manifest_entry *e)
{
    return e->result == MANIFEST_MISSING ? NULL
           : e->tensor == GGK_NONE
               ? ggk_digests_model(digests, e->algo)
               : ggk_digests_tensor(digests, e->tensor, e->algo);
}

static void judge(struct checking *c, const ggk_digests *digests)
{
    for (size_t k = 0; k < c->manifest.n; k++) {
        struct manifest_entry *e = &c->manifest.entries[k];
        const uint8_t *found = found_digest(digests, e);
        if (e->result != MANIFEST_MISSING &&
            (found == NULL ||
             memcmp(found, e->digest, ggk_algo_bytes(e->algo)) != 0))
            e->result = MANIFEST_MISMATCH;
        c->n_bad += e->result != MANIFEST_OK;
    }
}

/* ------------------------------------------------------------------ telling */

static void put_line(const struct checking *c, uint32_t algo, const char *what,
                     const ggk_str *tensor)
{
    fprintf(c->in->cli->out, "%-8s  %-8s  ", ggk_algo_name(algo), what);
    hash_put_name(c->in, tensor);
    putc('\n', c->in->cli->out);
}

static void tell_entry(const struct checking *c, const ggk_digests *digests,
                       const struct manifest_entry *e)
{
    const uint8_t *found = found_digest(digests, e);
    char text[GGK_DIGEST_TEXT_BYTES];
    ggk_str name = {e->name, e->name_bytes};

    if (c->json == NULL) {
        if (e->result != MANIFEST_OK || c->in->cli->global.verbose)
            put_line(c, e->algo, result_name(e->result),
                     e->name != NULL ? &name : NULL);
        return;
    }
    json_open_object(c->json);
    json_put_cstring(c->json, "algo", ggk_algo_name(e->algo));
    if (e->name != NULL)
        json_put_string(c->json, "tensor", e->name, e->name_bytes);
    ggk_digest_format(e->algo, e->digest, text);
    json_put_cstring(c->json, "listed", text);
    if (found != NULL) {
        ggk_digest_format(e->algo, found, text);
        json_put_cstring(c->json, "digest", text);
    }
    json_put_cstring(c->json, "result", result_name(e->result));
    json_close_object(c->json);
}

static void tell_unlisted(struct checking *c, uint32_t algo, uint64_t i)
{
    ggk_tensor t;

    if (ggk_model_tensor(c->in->model, i, &t, NULL) != GGK_OK)
        return;
    c->n_unlisted++;
    if (c->json == NULL) {
        put_line(c, algo, "unlisted", &t.name);
        return;
    }
    json_open_object(c->json);
    json_put_cstring(c->json, "algo", ggk_algo_name(algo));
    json_put_string(c->json, "tensor", t.name.ptr, t.name.len);
    json_close_object(c->json);
}

/* Tensors of which there is no digest, unless one of the whole is there. */
static void tell_all_unlisted(struct checking *c)
{
    uint64_t n = c->model != 0 ? 0 : ggk_model_n_tensors(c->in->model);

    for (uint64_t i = 0; i < n; i++)
        for (uint32_t algo = 0; algo < GGK_ALGO_COUNT; algo++)
            if (hash_has(c->tensors & ~(uint32_t)c->listed[i], algo))
                tell_unlisted(c, algo, i);
}

static void tell_sum(const struct checking *c)
{
    FILE *out = c->in->cli->out;
    size_t n = c->manifest.n;

    hash_put_name(c->in, NULL);
    if (c->n_bad == 0)
        fprintf(out,
                ": %s%zu digest%s of tensor data match%s; keys are not looked "
                "at",
                n > 1 ? "all " : "", n, n == 1 ? "" : "s", n == 1 ? "es" : "");
    else
        fprintf(out, ": %zu of %zu digest%s not match", c->n_bad, n,
                n == 1 ? " does" : "s do");
    if (c->n_unlisted > 0)
        fprintf(out, ", %" PRIu64 " %s not listed", c->n_unlisted,
                c->n_unlisted == 1 ? "is" : "are");
    putc('\n', out);
}

static void tell_json(struct checking *c, const ggk_digests *digests)
{
    struct json *j = &c->document;

    c->json = j;
    show_json_start(j, c->in->cli);
    json_put_cstring(j, "file", c->in->name);
    json_put_cstring(j, "manifest", c->path);
    json_key(j, "entries");
    json_open_array(j);
    for (size_t k = 0; k < c->manifest.n; k++)
        tell_entry(c, digests, &c->manifest.entries[k]);
    json_close_array(j);
    json_key(j, "unlisted");
    json_open_array(j);
    tell_all_unlisted(c);
    json_close_array(j);
    json_put_bool(j, "match", c->n_bad == 0 && c->n_unlisted == 0);
    show_json_end(j);
}

static void tell_text(struct checking *c, const ggk_digests *digests)
{
    for (size_t k = 0; k < c->manifest.n; k++)
        tell_entry(c, digests, &c->manifest.entries[k]);
    tell_all_unlisted(c);
    tell_sum(c);
}

/* ---------------------------------------------------------------------- run */

/* A file that was renamed, split or merged is not found by its name. */
static void tell_others(const struct checking *c)
{
    const struct manifest *m = &c->manifest;
    const struct msg *msg = &c->in->cli->msg;
    char list[MANIFEST_OTHERS * (MANIFEST_NAME_BYTES + 4) + 32] = "";
    size_t n = 0;

    for (size_t i = 0; i < m->n_others && i < MANIFEST_OTHERS; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s'%s'",
                              i > 0 ? ", " : "", m->others[i]);
    if (m->n_others > MANIFEST_OTHERS)
        snprintf(list + n, sizeof list - n, " and others");
    msg_error(msg, c->path, "there is no digest of %s, but of %s", c->in->name,
              list);
    msg_note(msg, NULL,
             "of a renamed file, put the new name into the manifest; of one "
             "that was split, merged or reordered, compare gguf hash --content "
             "of both%s",
             m->n_contents > 1 ? ", since the manifest has that of several"
                               : "");
}

/* A digest of the content is that of any file with this content: where no line
 * is of ours, the only one that there is counts. */
static int take_content(struct checking *c)
{
    struct manifest *m = &c->manifest;

    if (m->n > 0 || m->n_contents != 1 ||
        (c->asked & ~(1u << GGK_ALGO_CONTENT)) != 0)
        return CLI_DONE;
    if (!manifest_take_content(m)) {
        msg_error(&c->in->cli->msg, NULL, "not enough memory");
        return CLI_IO;
    }
    msg_note(&c->in->cli->msg, c->path,
             "there is no digest of %s; its content is compared with that of "
             "'%s', whatever the names and the layout",
             c->in->name, m->content_file);
    return CLI_DONE;
}

/* Has the manifest what was asked for? */
static bool has_all(const struct checking *c)
{
    uint32_t there = 0;

    for (size_t k = 0; k < c->manifest.n; k++)
        there |= 1u << c->manifest.entries[k].algo;
    if (c->manifest.n == 0 && c->manifest.n_others > 0) {
        tell_others(c);
        return false;
    }
    for (uint32_t algo = 0; algo < GGK_ALGO_COUNT; algo++)
        if (hash_has(c->asked & ~there, algo)) {
            msg_error(&c->in->cli->msg, c->path, "there is no %s of %s",
                      ggk_algo_name(algo), c->in->name);
            return false;
        }
    if (c->manifest.n == 0)
        msg_error(&c->in->cli->msg, c->path, "there is no digest of %s",
                  c->in->name);
    return c->manifest.n > 0;
}

static int compare(struct checking *c)
{
    ggk_digests *digests = NULL;
    int status = CLI_DONE;

    if (!collect(c)) {
        msg_error(&c->in->cli->msg, NULL, "not enough memory");
        return CLI_IO;
    }
    if ((c->model | c->tensors) != 0)
        digests = hash_digests(c->in, c->model, c->tensors, &status);
    if (status != CLI_DONE)
        return status;
    judge(c, digests);
    if (c->in->cli->global.json)
        tell_json(c, digests);
    else
        tell_text(c, digests);
    ggk_digests_free(digests);
    return c->n_bad == 0 && c->n_unlisted == 0 ? CLI_DONE : CLI_NO;
}

int hash_check(const struct input *in, const char *manifest, uint32_t wanted)
{
    struct checking c = {.in = in, .path = manifest, .asked = wanted};
    int status = manifest_read(in, manifest, wanted != 0 ? wanted : UINT32_MAX,
                               &c.manifest);

    if (status == CLI_DONE)
        status = take_content(&c);
    if (status == CLI_DONE)
        status = has_all(&c) ? compare(&c) : CLI_NO;
    manifest_free(&c.manifest);
    free(c.listed);
    return status;
}
