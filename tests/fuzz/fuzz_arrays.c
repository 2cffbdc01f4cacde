/* fuzz_arrays.c - any bytes, as the header of a .npy and of a safetensors file.
 *
 * What an array is said to be lies within the file, in as many bytes as its
 * shape takes; what is refused is refused with a sentence, at a byte the file
 * has.
 */
#include <stdlib.h>
#include <string.h>

#include "array_in.h"
#include "json_in.h"

static void expect_sound(const struct array_in *a, uint64_t file_bytes)
{
    uint64_t bytes;

    if (a->off > file_bytes || a->bytes > file_bytes - a->off ||
        a->n_dims > ARRAY_IN_DIMS || a->width == 0 ||
        !array_measure(a->dims, a->n_dims, a->width, &bytes) ||
        bytes != a->bytes)
        abort();
}

static void expect_told(const struct array_error *err, uint64_t file_bytes)
{
    if (err->what[0] == '\0' ||
        (err->at != ARRAY_NOWHERE && err->at > file_bytes))
        abort();
}

/* ---------------------------------------------------------------------- npy */

/* The file goes on for `more` bytes. */
static void use_npy(const char *bytes, size_t size, uint64_t more)
{
    size_t n = size < NPY_HEAD_BYTES ? size : NPY_HEAD_BYTES;
    struct array_in a;
    struct array_error err = {.what = ""};
    enum array_read read = npy_in_parse(bytes, n, size + more, &a, &err);

    if (read == ARRAY_READ)
        expect_sound(&a, size + more);
    else
        expect_told(&err, size + more);
}

/* The bytes as what follows a prefix that is right. */
static void use_dictionary(const char *bytes, size_t size)
{
    size_t n = size < 1000 ? size : 1000;
    char file[1010] = "\x93NUMPY\1";

    file[8] = (char)(n & 0xff);
    file[9] = (char)(n >> 8);
    memcpy(file + 10, bytes, n);
    use_npy(file, 10 + n, 0);
    use_npy(file, 10 + n, 24);
}

/* -------------------------------------------------------------- safetensors */

static void use_members(const struct safetensors_in *file, const char *json,
                        size_t n, uint64_t file_bytes)
{
    char why[JSON_IN_WHY];
    struct json_in *doc;

    if (json_in_parse(json, n, &doc, why) != JSON_IN_PARSED)
        abort();
    for (struct json_in_member m = json_in_first(json_in_root(doc));
         m.name != NULL; m = json_in_next(&m)) {
        struct array_in a;
        struct array_error err = {.what = ""};

        if (safetensors_in_find(file, m.name, &a, &err) == ARRAY_READ)
            expect_sound(&a, file_bytes);
        else
            expect_told(&err, file_bytes);
    }
    json_in_free(doc);
}

static void use_header(const char *json, size_t n, uint64_t data)
{
    uint64_t file_bytes = SAFETENSORS_PREFIX + n + data;
    struct safetensors_in *file;
    struct array_error err = {.what = ""};

    if (safetensors_in_parse(json, n, file_bytes, &file, &err) != ARRAY_READ) {
        expect_told(&err, file_bytes);
        return;
    }
    use_members(file, json, n, file_bytes);
    safetensors_in_free(file);
}

static void use_safetensors(const char *bytes, size_t size)
{
    struct array_error err = {.what = ""};
    size_t n;

    if (safetensors_in_measure(bytes, size, size, &n, &err) != ARRAY_READ) {
        expect_told(&err, size);
        return;
    }
    use_header(bytes + SAFETENSORS_PREFIX, n, size - SAFETENSORS_PREFIX - n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;

    use_npy(bytes, size, 0);
    use_npy(bytes, size, 24);
    use_dictionary(bytes, size);
    use_safetensors(bytes, size);
    use_header(bytes, size, 24);
    return 0;
}
