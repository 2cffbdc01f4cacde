/* hash.c - digests of models and tensors: what is wanted, what can be, and the
 * results. */
#include "ops/hash.h"

#include <string.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/opts.h"
#include "base/pool.h"
#include "io/path.h"
#include "model/model.h"

#define ALL_ALGOS ((1u << GGK_ALGO_COUNT) - 1)

/* Of a model as a whole only. */
#define MODEL_ALGOS (1u << GGK_ALGO_UUID | 1u << GGK_ALGO_CONTENT)

/* Those that go over the data of all tensors as one. */
#define CHAIN_ALGOS (ALL_ALGOS & ~(1u << GGK_ALGO_CONTENT))

/* -------------------------------------------------------------- what can be */

static ggk_status take_opts(const ggk_digest_opts *opts, ggk_digest_opts *out,
                            ggk_error *err)
{
    ggk_status status = ggki_opts_take(out, sizeof *out, opts, err);

    if (status != GGK_OK)
        return status;
    if ((out->model | out->tensors) == 0 ||
        ((out->model | out->tensors) & ~ALL_ALGOS) != 0 ||
        (out->tensors & MODEL_ALGOS) != 0)
        return ggki_fail(err, GGK_E_ARG, "no such digests");
    return GGK_OK;
}

/* Name the file of tensor `t`, if it is not the one that was asked for. */
static ggk_status in_file(const ggk_model *model, const ggk_tensor *t,
                          ggk_status status, ggk_error *err)
{
    if (t->file != model->asked)
        ggki_err_set_file(err, ggki_base_name(model->files[t->file].path));
    return status;
}

static ggk_status fail_missing(const ggk_model *model, uint64_t i,
                               ggk_error *err)
{
    ggk_tensor t;
    ggk_status status = ggk_model_tensor(model, i, &t, err);

    if (status != GGK_OK)
        return status;
    return in_file(model, &t, ggki_fail_missing(model, &t, err), err);
}

/* Is there all the data? */
static ggk_status check_files(const ggk_model *model, ggk_error *err)
{
    for (uint32_t i = 0; i < ggk_model_n_files(model); i++) {
        ggk_file f;
        ggk_status status = ggk_model_file(model, i, &f, err);
        if (status != GGK_OK)
            return status;
        if (f.first_missing != GGK_NONE)
            return fail_missing(model, f.first_missing, err);
    }
    return GGK_OK;
}

/* Content has one meaning only if its names have, and its bytes. */
static ggk_status check_content(const ggk_model *model, ggk_error *err)
{
    if (ggk_model_n_dup_tensors(model) > 0)
        return ggki_fail(err, GGK_E_DUPLICATE,
                         "the content of a model is told by names, and two "
                         "tensors have the same");
    for (uint32_t i = 0; i < ggk_model_n_files(model); i++) {
        ggk_file f;
        ggk_status status = ggk_model_file(model, i, &f, err);
        if (status != GGK_OK)
            return status;
        if (f.big_endian)
            return ggki_fail(err, GGK_E_UNSUPPORTED,
                             "the content of a model is told of little-endian "
                             "data, and this is big-endian: first turn it "
                             "round, by gguf copy --byte-order little");
    }
    return GGK_OK;
}

/* Its type is not known, and it is the last of a file of unknown length. */
static ggk_status fail_endless(const ggk_model *model, const ggk_tensor *t,
                               ggk_error *err)
{
    ggki_fail(err, GGK_E_UNSUPPORTED,
              "where the data of tensor \"%.*s\" ends is not known, since its "
              "type %u is not, nor the length of the file",
              t->name.len < 200 ? (int)t->name.len : 200, t->name.ptr,
              (unsigned)t->type);
    if (err != NULL)
        err->offset = t->info_off;
    return in_file(model, t, GGK_E_UNSUPPORTED, err);
}

/* The size of every tensor. */
static ggk_status measure(struct ggki_hash *hash, ggk_error *err)
{
    ggk_status status = check_files(hash->model, err);
    uint32_t file;

    for (uint64_t i = 0; i < hash->out->n_tensors && status == GGK_OK; i++) {
        ggk_tensor t;
        status = ggk_model_tensor(hash->model, i, &t, err);
        if (status == GGK_OK && t.bytes == GGK_SIZE_UNKNOWN)
            status = fail_endless(hash->model, &t, err);
        hash->sizes[i] = t.bytes;
        if (status == GGK_OK && !ckd_add64(hash->total, t.bytes, &hash->total))
            status = ggki_fail(err, GGK_E_OVERFLOW,
                               "the tensors have 2^64 bytes and more");
    }
    return status == GGK_OK ? ggki_check_overlap(hash->model, &file, err)
                            : status;
}

/* -------------------------------------------------------------- the results */

/* Room for the digests of all tensors. */
static bool make_room(struct ggk_digests *out)
{
    for (uint32_t algo = 0; algo < GGK_ALGO_COUNT; algo++) {
        out->tensor_off[algo] = out->stride;
        if (ggki_has_algo(out->kept_set, algo))
            out->stride += ggk_algo_bytes(algo);
    }
    if (out->stride == 0 || out->n_tensors == 0)
        return true;
    if (out->n_tensors > SIZE_MAX / out->stride)
        return false;
    out->tensors =
        ggki_mem_zero(&out->mem, (size_t)out->n_tensors * out->stride);
    return out->tensors != NULL;
}

void ggk_digests_free(ggk_digests *digests)
{
    ggk_allocator mem;

    if (digests == NULL)
        return;
    mem = digests->mem;
    ggki_mem_release(&mem, digests->tensors,
                     (size_t)digests->n_tensors * digests->stride);
    ggki_mem_release(&mem, digests, sizeof *digests);
}

const uint8_t *ggk_digests_model(const ggk_digests *digests, uint32_t algo)
{
    return algo < GGK_ALGO_COUNT && ggki_has_algo(digests->model_set, algo)
               ? digests->model[algo]
               : NULL;
}

const uint8_t *ggk_digests_tensor(const ggk_digests *digests, uint64_t i,
                                  uint32_t algo)
{
    return algo < GGK_ALGO_COUNT && i < digests->n_tensors &&
                   ggki_has_algo(digests->tensor_set, algo)
               ? ggki_tensor_digest(digests, i, algo)
               : NULL;
}

/* ----------------------------------------------------------------- the work */

static ggk_status run(const struct ggki_hash *hash, ggk_error *err)
{
    uint32_t model_set = hash->out->model_set;
    ggk_status status;

    if ((model_set & CHAIN_ALGOS) != 0)
        status = ggki_hash_in_order(hash, err);
    else
        status = ggki_hash_tensors(hash, err);
    if (status == GGK_OK && ggki_has_algo(model_set, GGK_ALGO_CONTENT))
        status = ggki_hash_content(hash, err);
    return status;
}

/* With what they need: libcrypto, and a list of sizes. */
static ggk_status prepare_and_run(struct ggki_hash *hash, ggk_error *err)
{
    const ggk_allocator *mem = &hash->out->mem;
    size_t bytes = (size_t)hash->out->n_tensors * sizeof *hash->sizes;
    ggk_status status = GGK_OK;

    for (uint32_t algo = 0; algo < GGK_ALGO_COUNT; algo++)
        if (hash->sha.library == NULL && ggki_algo_is_sha(algo) &&
            ggki_has_algo(hash->out->model_set | hash->out->kept_set, algo))
            status = ggki_sha_open(&hash->sha, err);
    if (status != GGK_OK)
        return status;
    hash->sizes = bytes > 0 ? ggki_mem_resize(mem, NULL, 0, bytes) : NULL;
    if (bytes > 0 && hash->sizes == NULL)
        status = ggki_fail_memory(err);
    else
        status = measure(hash, err);
    if (status == GGK_OK &&
        ggki_has_algo(hash->out->model_set, GGK_ALGO_CONTENT))
        status = check_content(hash->model, err);
    if (status == GGK_OK)
        status = run(hash, err);
    ggki_mem_release(mem, hash->sizes, bytes);
    ggki_sha_close(&hash->sha);
    return status;
}

ggk_status ggk_digests_new(const ggk_model *model, const ggk_digest_opts *opts,
                           const ggk_allocator *alloc, ggk_digests **out,
                           ggk_error *err)
{
    struct ggki_hash hash = {.model = model};
    ggk_allocator mem = ggki_mem_of(alloc);
    ggk_digest_opts wanted;
    ggk_status status = take_opts(opts, &wanted, err);

    *out = NULL;
    if (status != GGK_OK)
        return status;
    hash.out = ggki_mem_zero(&mem, sizeof *hash.out);
    if (hash.out == NULL)
        return ggki_fail_memory(err);
    hash.n_threads = ggki_pool_threads(wanted.n_threads);
    hash.on_progress = wanted.on_progress;
    hash.progress_ctx = wanted.progress_ctx;
    *hash.out = (struct ggk_digests){.mem = mem,
                                     .n_tensors = ggk_model_n_tensors(model),
                                     .model_set = wanted.model,
                                     .tensor_set = wanted.tensors,
                                     .kept_set = wanted.tensors};
    if (ggki_has_algo(wanted.model, GGK_ALGO_CONTENT))
        hash.out->kept_set |= 1u << GGK_ALGO_SHA256;
    status = make_room(hash.out) ? prepare_and_run(&hash, err)
                                 : ggki_fail_memory(err);
    if (status == GGK_OK)
        *out = hash.out;
    else
        ggk_digests_free(hash.out);
    return status;
}
