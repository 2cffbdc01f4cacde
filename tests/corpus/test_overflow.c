/* test_overflow.c - sizes at the edges of 64 bits, against unlimited ones.
 *
 * usage: test_overflow TABLE
 *
 * TABLE is what tests/gen/overflow.py wrote; its form is described there. Each
 * size is asked for twice: of the type, and of a file with one such tensor.
 */
#include "corpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The table, and how far it was read. */
struct sizes {
    struct corpus_bytes bytes;
    size_t pos;
};

static uint64_t take(struct sizes *t, size_t width)
{
    uint64_t value = 0;

    if (t->bytes.n - t->pos < width) {
        printf("the table of sizes is cut short\n");
        exit(EXIT_FAILURE);
    }
    for (size_t i = 0; i < width; i++)
        value |= (uint64_t)t->bytes.data[t->pos++] << (8 * i);
    return value;
}

/* u32 n, n x u64. */
struct edges {
    uint64_t *values;
    size_t n;
};

static struct edges take_edges(struct sizes *t)
{
    struct edges e = {NULL, (size_t)take(t, 4)};

    e.values = calloc(e.n + 1, sizeof(*e.values));
    if (e.values == NULL)
        abort();
    for (size_t i = 0; i < e.n; i++)
        e.values[i] = take(t, 8);
    return e;
}

/* One record. */
struct size_case {
    uint32_t type;
    uint32_t n_dims;
    uint64_t ne[4];
    uint64_t align;
    char size_is;
    char file_is;
    uint64_t bytes;
};

static struct size_case take_case(struct sizes *t, const struct edges *dims,
                                  const struct edges *aligns)
{
    struct size_case c;

    c.type = (uint32_t)take(t, 1);
    c.n_dims = (uint32_t)take(t, 1);
    for (int d = 0; d < 4; d++)
        c.ne[d] = dims->values[take(t, 2) % dims->n];
    c.align = aligns->values[take(t, 1) % aligns->n];
    c.size_is = (char)take(t, 1);
    c.file_is = (char)take(t, 1);
    c.bytes = take(t, 8);
    return c;
}

static char letter_of(ggk_status status)
{
    if (status == GGK_OK)
        return 'O';
    if (status == GGK_E_DIM)
        return 'D';
    if (status == GGK_E_OVERFLOW)
        return 'V';
    if (status == GGK_E_BLOCK)
        return 'B';
    return status == GGK_E_UNSUPPORTED ? 'U' : '?';
}

static void report(const struct size_case *c, const char *what, char found,
                   char wanted, uint64_t bytes)
{
    corpus_fail("%s of type %" PRIu32 " in %" PRIu32 " dimensions [%" PRIu64
                ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 "] at %" PRIu64
                ": %c %" PRIu64 ", not %c %" PRIu64,
                what, c->type, c->n_dims, c->ne[0], c->ne[1], c->ne[2],
                c->ne[3], c->align, found, bytes, wanted, c->bytes);
}

static void check_size(const struct size_case *c)
{
    const ggk_type_info *type = ggk_type_by_id(c->type);
    uint64_t bytes = 1;
    ggk_error err;
    char found;

    if (c->size_is == '-')
        return;
    if (type == NULL) {
        corpus_fail("no type %" PRIu32, c->type);
        return;
    }
    found =
        letter_of(ggk_type_tensor_bytes(type, c->ne, c->n_dims, &bytes, &err));
    if (found != c->size_is || bytes != c->bytes)
        report(c, "size", found, c->size_is, bytes);
}

static void put(struct corpus_bytes *b, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width; i++)
        b->data[b->n++] = (uint8_t)(value >> (8 * i));
}

static void put_name(struct corpus_bytes *b, const char *name)
{
    put(b, strlen(name), 8);
    memcpy(b->data + b->n, name, strlen(name));
    b->n += strlen(name);
}

/* A file of one key, general.alignment, and one tensor. */
static void put_file(struct corpus_bytes *b, const struct size_case *c)
{
    put(b, 0x46554747, 4);
    put(b, 3, 4);
    put(b, 1, 8);
    put(b, 1, 8);
    put_name(b, "general.alignment");
    put(b, 10, 4);
    put(b, c->align, 8);
    put_name(b, "t");
    put(b, c->n_dims, 4);
    for (uint32_t d = 0; d < c->n_dims; d++)
        put(b, c->ne[d], 8);
    put(b, c->type, 4);
    put(b, 0, 8);
}

static void check_file(const struct size_case *c)
{
    uint8_t room[256];
    struct corpus_bytes file = {room, 0};
    ggk_model *model;
    ggk_error err;
    ggk_tensor t = {.bytes = 0};
    char found;

    put_file(&file, c);
    found = letter_of(corpus_open(WAY_MEMORY, NULL, &file, NULL, &model, &err));
    if (found == 'O' && ggk_model_tensor(model, 0, &t, NULL) != GGK_OK)
        found = '?';
    if (found != c->file_is || (found == 'O' && t.bytes != c->bytes))
        report(c, "file", found, c->file_is, t.bytes);
    ggk_model_close(model);
}

int main(int argc, char **argv)
{
    struct sizes table = {{NULL, 0}, 0};
    struct edges dims;
    struct edges aligns;
    unsigned long n;

    if (argc != 2) {
        printf("usage: test_overflow TABLE\n");
        return EXIT_FAILURE;
    }
    table.bytes = corpus_load(argv[1]);
    if (take(&table, 4) != 0x4f4b4747) {
        printf("%s is no table of sizes\n", argv[1]);
        return EXIT_FAILURE;
    }
    dims = take_edges(&table);
    aligns = take_edges(&table);
    n = (unsigned long)take(&table, 4);
    for (unsigned long i = 0; i < n; i++) {
        struct size_case c = take_case(&table, &dims, &aligns);

        check_size(&c);
        check_file(&c);
    }
    free(dims.values);
    free(aligns.values);
    free(table.bytes.data);
    return corpus_result(n);
}
