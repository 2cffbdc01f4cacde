/* check_blocks.c - rules about which tensors a model has: llama.cpp asks for
 * them by name, and wants no others.
 *
 * What is asked for here is what llama.cpp v0.5.0 does not load any of these
 * architectures without; each has more.
 */
#include <stdio.h>
#include <string.h>

#include "model/architectures.h"
#include "model/check.h"

#define MOST_BLOCKS 512 /* llama.cpp's LLAMA_MAX_LAYERS */

bool ggki_block_of(ggk_str name, uint64_t *block, ggk_str *rest)
{
    size_t i = 4;

    *block = 0;
    if (name.len < 6 || memcmp(name.ptr, "blk.", 4) != 0)
        return false;
    for (; i < name.len && name.ptr[i] >= '0' && name.ptr[i] <= '9'; i++)
        if (*block <= UINT32_MAX)
            *block = *block * 10 + (uint64_t)(name.ptr[i] - '0');
    if (i == 4 || i == name.len || name.ptr[i] != '.' ||
        (name.ptr[4] == '0' && i > 5))
        return false;
    *rest = (ggk_str){name.ptr + i + 1, name.len - i - 1};
    return true;
}

static bool has_tensor(const struct ggki_check *c, const char *name)
{
    uint64_t i;

    return ggk_model_find_tensor(c->model, ggk_cstr(name), &i, NULL) !=
           GGK_E_NOT_FOUND;
}

static void need_tensor(struct ggki_check *c, const char *name)
{
    if (!has_tensor(c, name))
        ggki_report(c, RULE_TENSOR_MISSING, ggki_nowhere(),
                    "there is no tensor %s", name);
}

/* Tensors of the file at hand: which blocks they are of, and whether there are
 * so many. */
static void look_at_blocks(struct ggki_check *c, const char *key,
                           uint64_t n_blocks, bool *seen)
{
    for (uint64_t i = 0; i < c->gguf->n_tensors && !c->stopped; i++) {
        struct ggki_info info;
        uint64_t block;
        ggk_str name, rest;

        if (!ggki_gguf_info(c->gguf, i, &info))
            continue;
        name = ggki_gguf_bytes(c->gguf, info.name_pos, info.name_len);
        if (!ggki_block_of(name, &block, &rest))
            continue;
        if (block < n_blocks)
            seen[block] = true;
        else
            ggki_report(c, RULE_BLOCK_PAST,
                        ggki_field(info.name_pos, "tensor", i, "name"),
                        "\"%.*s\" is past the last block: %s is %llu, and "
                        "blocks count from 0",
                        ggki_shown(name), name.ptr, key,
                        (unsigned long long)n_blocks);
    }
}

/* Of block `i` any tensor, and the first of those that llama.cpp looks for.
 * Returns the block after it, and after others of which there is none. */
static uint32_t need_block(struct ggki_check *c, uint32_t i, const char *key,
                           uint32_t n_blocks, const bool *seen)
{
    char name[64];
    uint32_t last = i;

    if (seen[i]) {
        snprintf(name, sizeof name, "blk.%lu.attn_norm.weight",
                 (unsigned long)i);
        need_tensor(c, name);
        return i + 1;
    }
    while (last + 1 < n_blocks && !seen[last + 1])
        last++;
    if (last == i)
        snprintf(name, sizeof name, "block %lu", (unsigned long)i);
    else
        snprintf(name, sizeof name, "blocks %lu to %lu", (unsigned long)i,
                 (unsigned long)last);
    ggki_report(c, RULE_TENSOR_MISSING, ggki_nowhere(),
                "there is no tensor of %s: %s is %lu, and blocks count from 0",
                name, key, (unsigned long)n_blocks);
    return last + 1;
}

void ggki_check_blocks(struct ggki_check *c, const struct ggki_arch *arch,
                       const char *key, uint64_t n_blocks)
{
    bool seen[MOST_BLOCKS] = {false};
    const struct ggki_gguf *gguf = c->gguf;
    uint32_t file = c->file;

    if ((arch->flags & GGKI_ARCH_BLOCKS) == 0 || !c->whole ||
        c->model->n_tensors == 0 || n_blocks == 0 || n_blocks > MOST_BLOCKS)
        return;
    for (c->file = 0; c->file < c->model->n_files; c->file++) {
        c->gguf = &c->model->files[c->file].gguf;
        look_at_blocks(c, key, n_blocks, seen);
    }
    c->file = file;
    c->gguf = gguf;
    need_tensor(c, "token_embd.weight");
    need_tensor(c, "output_norm.weight");
    for (uint32_t i = 0; i < n_blocks && !c->stopped;)
        i = need_block(c, i, key, (uint32_t)n_blocks, seen);
}
