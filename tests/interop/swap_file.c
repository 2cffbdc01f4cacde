/* swap_file.c - a file of version 3 in the other byte order, for comparisons.
 *
 * usage: swap_file IN OUT
 *
 * Nothing is laid out anew: each field, and the data of each tensor, goes to
 * where it was. Exit 5 if a tensor's type cannot be swapped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/block_swap.h"
#include "format/transcode.h"
#include "ggk.h"

static void need(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "swap_file: %s\n", what);
    exit(EXIT_FAILURE);
}

/* The whole file, of which the parts are swapped in place. */
struct image {
    uint8_t *at;
    size_t size;
    size_t pos; /* up to here it is done */
};

static void swap_number(struct image *f, size_t width)
{
    ggki_swap_words(f->at + f->pos, 1, width);
    f->pos += width;
}

static void swap_string(struct image *f, ggk_str s)
{
    swap_number(f, 8);
    f->pos += s.len;
}

static ggk_status overwrite(void *ctx, const void *bytes, size_t n)
{
    struct image *f = ctx;

    memcpy(f->at + f->pos, bytes, n);
    f->pos += n;
    return GGK_OK;
}

static void swap_key(struct image *f, const ggk_model *model, uint64_t i,
                     bool big)
{
    struct ggki_stored_value value;
    ggk_kv kv;
    ggk_str bytes;
    uint64_t size;
    size_t head;

    need(ggk_model_kv(model, i, &kv, NULL) == GGK_OK &&
             ggk_model_kv_bytes(model, i, &bytes, NULL) == GGK_OK,
         "no key");
    head = kv.type == GGK_VALUE_ARRAY ? 12 : 0;
    value = (struct ggki_stored_value){
        bytes.ptr - head, bytes.len + head, kv.type, {3, big}};
    swap_string(f, kv.key);
    swap_number(f, 4);
    need(ggki_value_recoded_bytes(&value, (struct ggki_encoding){3, !big},
                                  &size, NULL) == GGK_OK &&
             ggki_value_recode(&value, (struct ggki_encoding){3, !big}, size,
                               overwrite, f, NULL) == GGK_OK,
         "a key cannot be recoded");
}

static void swap_tensor(struct image *f, const ggk_model *model, uint64_t i)
{
    const ggk_type_info *type;
    ggk_tensor t;

    need(ggk_model_tensor(model, i, &t, NULL) == GGK_OK, "no tensor");
    swap_string(f, t.name);
    swap_number(f, 4);
    for (uint32_t d = 0; d < t.n_dims; d++)
        swap_number(f, 8);
    swap_number(f, 4);
    swap_number(f, 8);
    type = ggk_type_by_id(t.type);
    if (!ggki_can_swap(type))
        exit(5);
    ggki_swap_blocks(type, f->at + t.data_off, (size_t)t.bytes / type->bytes);
}

static void read_file(struct image *f, const char *path)
{
    FILE *in = fopen(path, "rb");

    need(in != NULL && fseek(in, 0, SEEK_END) == 0, "cannot read");
    f->size = (size_t)ftell(in);
    f->pos = 0;
    f->at = malloc(f->size);
    rewind(in);
    need(f->at != NULL && fread(f->at, 1, f->size, in) == f->size,
         "cannot read");
    fclose(in);
}

int main(int argc, char **argv)
{
    struct image f;
    ggk_model *model;
    ggk_file file;
    FILE *out;

    need(argc == 3, "usage: swap_file IN OUT");
    read_file(&f, argv[1]);
    need(ggk_model_open(argv[1], NULL, &model, NULL) == GGK_OK &&
             ggk_model_file(model, 0, &file, NULL) == GGK_OK &&
             file.version == 3,
         "no model of version 3");
    f.pos = 4;
    swap_number(&f, 4);
    swap_number(&f, 8);
    swap_number(&f, 8);
    for (uint64_t i = 0; i < file.n_kv; i++)
        swap_key(&f, model, i, file.big_endian);
    for (uint64_t i = 0; i < file.n_tensors; i++)
        swap_tensor(&f, model, i);
    ggk_model_close(model);
    out = fopen(argv[2], "wb");
    need(out != NULL && fwrite(f.at, 1, f.size, out) == f.size &&
             fclose(out) == 0,
         "cannot write");
    free(f.at);
    return 0;
}
