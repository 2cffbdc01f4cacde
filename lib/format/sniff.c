/* sniff.c - says what a file is that is not a GGUF.
 *
 * A failed download, a pointer instead of the file, another format under the
 * wrong name: what people then need is the right word, not "bad magic".
 */
#include <stdio.h>
#include <string.h>

#include "base/load.h"
#include "format/gguf_layout.h"
#include "format/reader.h"
#include "io/path.h"

struct signature {
    const char *bytes;
    size_t len;
    const char *is;
};

#define SIGNATURE(bytes, is)         \
    {                                \
        bytes, sizeof(bytes) - 1, is \
    }

/* In order: the first match wins. */
static const struct signature signatures[] = {
    SIGNATURE("version https://git-lfs.github.com/spec/",
              "a Git LFS pointer, not the model: run git lfs pull"),
    SIGNATURE("\x1f\x8b", "a gzip archive: unpack it first"),
    SIGNATURE("\x28\xb5\x2f\xfd", "a Zstandard archive: unpack it first"),
    SIGNATURE("\xfd\x37\x7a\x58\x5a\x00", "an xz archive: unpack it first"),
    SIGNATURE("BZh", "a bzip2 archive: unpack it first"),
    SIGNATURE("7z\xbc\xaf\x27\x1c", "a 7-Zip archive: unpack it first"),
    SIGNATURE("lmgg", "a ggml file, the format before GGUF: convert it first"),
    SIGNATURE("fmgg", "a ggmf file, a format before GGUF: convert it first"),
    SIGNATURE("tjgg", "a ggjt file, a format before GGUF: convert it first"),
    SIGNATURE("algg", "a ggla file, a LoRA adapter from before GGUF"),
    SIGNATURE("\x93NUMPY", "a NumPy array"),
    SIGNATURE("\x89HDF\r\n", "an HDF5 file"),
    SIGNATURE("\x7f"
              "ELF",
              "a program (ELF)"),
    SIGNATURE("%PDF", "a PDF document"),
};

static bool starts_with(const uint8_t *head, size_t bytes, const char *prefix,
                        size_t len)
{
    return bytes >= len && memcmp(head, prefix, len) == 0;
}

static bool contains(const uint8_t *head, size_t bytes, const char *needle)
{
    size_t len = strlen(needle);

    for (size_t i = 0; i + len <= bytes; i++)
        if (memcmp(head + i, needle, len) == 0)
            return true;
    return false;
}

static bool is_all(const uint8_t *head, size_t bytes, uint8_t value)
{
    for (size_t i = 0; i < bytes; i++)
        if (head[i] != value)
            return false;
    return true;
}

static bool is_text(const uint8_t *head, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (head[i] < 0x20 && head[i] != '\n' && head[i] != '\r' &&
            head[i] != '\t')
            return false;
    return true;
}

/* A tag such as <html or <!doctype after blanks, in either case. */
static bool is_markup(const uint8_t *head, size_t bytes)
{
    size_t i = starts_with(head, bytes, "\xef\xbb\xbf", 3) ? 3 : 0;

    while (i < bytes && (head[i] == ' ' || head[i] == '\n' || head[i] == '\r' ||
                         head[i] == '\t'))
        i++;
    return i + 1 < bytes && head[i] == '<' &&
           (head[i + 1] == '!' || head[i + 1] == '?' ||
            (head[i + 1] | 0x20) == 'h');
}

/* 8 bytes of header length, then JSON. */
static bool is_safetensors(const uint8_t *head, size_t bytes)
{
    return bytes > 8 && head[8] == '{' && load_le64(head) >= 2 &&
           load_le64(head) <= 100000000;
}

/* A pickle: protocol 2 to 5. */
static bool is_pickle(const uint8_t *head, size_t bytes)
{
    return bytes > 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5;
}

/* Where a GGUF seems to begin inside this file, or 0. */
static size_t embedded_gguf(const uint8_t *head, size_t bytes)
{
    for (size_t i = 1; i + 24 <= bytes; i++) {
        if (memcmp(head + i, "GGUF", 4) != 0)
            continue;
        uint32_t version = load_le32(head + i + 4);
        if ((version >= 1 && version <= GGUF_VERSION_MAX) ||
            load_be32(head + i + 4) == GGUF_VERSION_MAX)
            return i;
    }
    return 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Does `name` hold ".part" and a number? */
static bool has_part_number(const char *name)
{
    const char *part = strstr(name, ".part");

    while (part != NULL && !is_digit(part[5]))
        part = strstr(part + 1, ".part");
    return part != NULL;
}

/* Does `name` end in `before` and `n` small letters? */
static bool ends_in_letters(const char *name, const char *before, size_t n)
{
    size_t len = strlen(name), before_len = strlen(before);
    const char *end;

    if (len < before_len + n)
        return false;
    end = name + len - n;
    if (strncmp(end - before_len, before, before_len) != 0)
        return false;
    while (*end >= 'a' && *end <= 'z')
        end++;
    return *end == '\0';
}

bool ggki_is_cut_name(const char *path)
{
    const char *name = ggki_base_name(path);

    return has_part_number(name) || ends_in_letters(name, "-split-", 1) ||
           ends_in_letters(name, "-split-", 2) ||
           ends_in_letters(name, ".gguf.", 2); /* as split(1) names them */
}

/* What the first bytes say for certain. */
static const char *sniff_signature(const uint8_t *head, size_t bytes)
{
    size_t n = sizeof signatures / sizeof signatures[0];

    for (size_t i = 0; i < n; i++)
        if (starts_with(head, bytes, signatures[i].bytes, signatures[i].len))
            return signatures[i].is;
    if (starts_with(head, bytes, "PK\x03\x04", 4))
        return contains(head, bytes, "data.pkl")
                   ? "a PyTorch checkpoint (zip): convert it first"
                   : "a zip archive: unpack it first";
    if (bytes > 262 && memcmp(head + 257, "ustar", 5) == 0)
        return "a tar archive: unpack it first";
    if (is_pickle(head, bytes))
        return "a PyTorch checkpoint (pickle): convert it first";
    if (is_safetensors(head, bytes))
        return "a safetensors file: convert it first";
    return NULL;
}

/* What they make likely. */
static const char *sniff_looks(const uint8_t *head, size_t bytes)
{
    if (is_markup(head, bytes))
        return "a web page (HTML), not the model: the download went wrong";
    if (is_all(head, bytes, 0))
        return "all zeros at its beginning: whatever wrote it did not finish";
    if (is_text(head, bytes))
        return head[0] == '{' ? "JSON text, perhaps a server's error message"
                              : "text, perhaps a server's error message";
    return NULL;
}

void ggki_sniff(const uint8_t *head, size_t bytes, uint64_t base_off,
                const char *path, char *out, size_t out_bytes)
{
    const char *is = sniff_signature(head, bytes);
    const char *looks = sniff_looks(head, bytes);
    size_t inside = embedded_gguf(head, bytes);

    if (is == NULL && path != NULL && ggki_is_cut_name(path))
        snprintf(out, out_bytes,
                 "not a GGUF file, but by its name a later piece of one that "
                 "was cut: join the pieces in order, for example with cat");
    else if (inside != 0)
        snprintf(out, out_bytes,
                 "no GGUF starts here, but one seems to start inside the "
                 "file, at offset %llu",
                 (unsigned long long)base_off + inside);
    else if (is != NULL || looks != NULL)
        snprintf(out, out_bytes, "not a GGUF file: it is %s",
                 is != NULL ? is : looks);
    else
        snprintf(out, out_bytes,
                 "not a GGUF file: it begins %02x %02x %02x %02x, not 47 47 "
                 "55 46 (GGUF)",
                 head[0], bytes > 1 ? head[1] : 0u, bytes > 2 ? head[2] : 0u,
                 bytes > 3 ? head[3] : 0u);
}
