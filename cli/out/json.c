/* json.c - one JSON document, written piece by piece to a stream. */
#include "out/json.h"

#include <assert.h>
#include <string.h>

#include "out/fmt.h"
#include "out/unicode.h"

static uint64_t level_bit(const struct json *j)
{
    return UINT64_C(1) << (j->depth - 1);
}

static void put_bytes(struct json *j, const void *bytes, size_t n)
{
    fwrite(bytes, 1, n, j->out);
}

static void put_char(struct json *j, char c)
{
    putc_unlocked(c, j->out);
}

static void put_newline(struct json *j)
{
    unsigned i;

    put_char(j, '\n');
    for (i = 0; i < j->depth; i++)
        put_bytes(j, "  ", 2);
}

/* What stands in front of an element of an array, or of a key. */
static void begin_element(struct json *j)
{
    uint64_t bit = level_bit(j);
    bool in_row = (j->rows & bit) != 0;

    if (j->filled & bit)
        put_char(j, ',');
    if (j->pretty && !in_row)
        put_newline(j);
    else if (j->pretty && (j->filled & bit))
        put_char(j, ' ');
    j->filled |= bit;
}

static void begin_value(struct json *j)
{
    if (j->depth == 0) {
        assert(!j->has_document);
        j->has_document = true;
    } else if (j->objects & level_bit(j)) {
        assert(j->after_key);
        j->after_key = false;
    } else {
        begin_element(j);
    }
}

static void open_level(struct json *j, bool object, bool row)
{
    bool in_row = j->depth > 0 && (j->rows & level_bit(j)) != 0;
    uint64_t bit;

    assert(j->depth < JSON_MAX_DEPTH);
    begin_value(j);
    put_char(j, object ? '{' : '[');
    j->depth++;
    bit = level_bit(j);
    j->objects = object ? j->objects | bit : j->objects & ~bit;
    j->rows = row || in_row ? j->rows | bit : j->rows & ~bit;
    j->filled &= ~bit;
}

static void close_level(struct json *j, bool object)
{
    uint64_t bit;
    bool broken;

    assert(j->depth > 0 && !j->after_key);
    bit = level_bit(j);
    assert(((j->objects & bit) != 0) == object);
    broken = j->pretty && (j->filled & bit) && !(j->rows & bit);
    j->depth--;
    if (broken)
        put_newline(j);
    put_char(j, object ? '}' : ']');
}

void json_start(struct json *j, FILE *out, bool pretty)
{
    *j = (struct json){.out = out, .pretty = pretty};
}

void json_end(struct json *j)
{
    assert(j->depth == 0 && j->has_document);
    put_char(j, '\n');
}

void json_open_object(struct json *j)
{
    open_level(j, true, false);
}

void json_close_object(struct json *j)
{
    close_level(j, true);
}

void json_open_array(struct json *j)
{
    open_level(j, false, false);
}

void json_open_row(struct json *j)
{
    open_level(j, false, true);
}

void json_close_array(struct json *j)
{
    close_level(j, false);
}

void json_key(struct json *j, const char *name)
{
    assert(j->depth > 0 && (j->objects & level_bit(j)) && !j->after_key);
    begin_element(j);
    put_char(j, '"');
    put_bytes(j, name, strlen(name));
    put_char(j, '"');
    put_char(j, ':');
    if (j->pretty)
        put_char(j, ' ');
    j->after_key = true;
}

static void put_unit(struct json *j, uint32_t unit)
{
    static const char hex[] = "0123456789abcdef";
    char s[6] = {'\\', 'u'};
    int i;

    for (i = 0; i < 4; i++)
        s[2 + i] = hex[unit >> (12 - 4 * i) & 15];
    put_bytes(j, s, sizeof s);
}

static void put_escaped(struct json *j, uint32_t cp)
{
    char letter = 0;

    switch (cp) {
    case '"':
    case '\\': letter = (char)cp; break;
    case '\n': letter = 'n'; break;
    case '\r': letter = 'r'; break;
    case '\t': letter = 't'; break;
    case '\b': letter = 'b'; break;
    case '\f': letter = 'f'; break;
    default: break;
    }
    if (letter != 0) {
        put_char(j, '\\');
        put_char(j, letter);
    } else if (cp > 0xffff) {
        put_unit(j, 0xd800 + ((cp - 0x10000) >> 10));
        put_unit(j, 0xdc00 + (cp & 0x3ff));
    } else {
        put_unit(j, cp);
    }
}

/* Bytes at the start of a valid string that can stand as they are. */
static size_t plain_run(const unsigned char *s, size_t n)
{
    size_t i = 0;

    while (i < n) {
        uint32_t cp;
        size_t len;

        if (s[i] == '"' || s[i] == '\\' || s[i] < 0x20 || s[i] == 0x7f)
            break;
        if (s[i] < 0x80) {
            i++;
            continue;
        }
        len = unicode_decode(s + i, n - i, &cp);
        if (len == 0 || !unicode_printable(cp))
            break;
        i += len;
    }
    return i;
}

/* The bytes may be a mapped file's, which another process writes to: each part
 * is copied, and then looked at and written. */
static void put_string(struct json *j, const unsigned char *bytes, size_t n)
{
    put_char(j, '"');
    while (n > 0) {
        unsigned char s[256];
        size_t part = n < sizeof s ? n : sizeof s;
        size_t run;

        memcpy(s, bytes, part);
        run = plain_run(s, part);
        if (run > 0) {
            put_bytes(j, s, run);
        } else {
            uint32_t cp = 0;

            run = unicode_decode(s, part, &cp);
            put_escaped(j, run > 0 ? cp : 0xfffd); /* no longer UTF-8 */
            run = run > 0 ? run : 1;
        }
        bytes += run;
        n -= run;
    }
    put_char(j, '"');
}

static void put_base64(struct json *j, const unsigned char *s, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";

    put_char(j, '"');
    while (n > 0) {
        uint32_t v = (uint32_t)s[0] << 16;
        size_t taken = n < 3 ? n : 3;

        if (n > 1)
            v |= (uint32_t)s[1] << 8;
        if (n > 2)
            v |= s[2];
        put_char(j, digits[v >> 18]);
        put_char(j, digits[v >> 12 & 63]);
        put_char(j, n > 1 ? digits[v >> 6 & 63] : '=');
        put_char(j, n > 2 ? digits[v & 63] : '=');
        s += taken;
        n -= taken;
    }
    put_char(j, '"');
}

void json_string(struct json *j, const void *bytes, size_t n)
{
    if (unicode_valid(bytes, n)) {
        begin_value(j);
        put_string(j, bytes, n);
        return;
    }
    open_level(j, true, true);
    json_key(j, "base64");
    begin_value(j);
    put_base64(j, bytes, n);
    json_close_object(j);
}

void json_cstring(struct json *j, const char *s)
{
    json_string(j, s, strlen(s));
}

void json_u64(struct json *j, uint64_t v)
{
    char buf[FMT_BYTES];
    size_t n = fmt_u64(buf, v);

    begin_value(j);
    put_bytes(j, buf, n);
}

void json_i64(struct json *j, int64_t v)
{
    char buf[FMT_BYTES];
    size_t n = fmt_i64(buf, v);

    begin_value(j);
    put_bytes(j, buf, n);
}

void json_bool(struct json *j, bool v)
{
    begin_value(j);
    put_bytes(j, v ? "true" : "false", v ? 4 : 5);
}

void json_null(struct json *j)
{
    begin_value(j);
    put_bytes(j, "null", 4);
}

/* The text of a float, in quotes if it is a word. */
static void put_number(struct json *j, const char *text, size_t n)
{
    char last = text[n - 1];
    bool word = last < '0' || last > '9';

    begin_value(j);
    if (word)
        put_char(j, '"');
    put_bytes(j, text, n);
    if (word)
        put_char(j, '"');
}

void json_f64(struct json *j, double v)
{
    char buf[FMT_BYTES];
    size_t n = fmt_f64(buf, v);

    put_number(j, buf, n);
}

void json_f32(struct json *j, float v)
{
    char buf[FMT_BYTES];
    size_t n = fmt_f32(buf, v);

    put_number(j, buf, n);
}

void json_put_string(struct json *j, const char *key, const void *bytes,
                     size_t n)
{
    json_key(j, key);
    json_string(j, bytes, n);
}

void json_put_cstring(struct json *j, const char *key, const char *s)
{
    json_key(j, key);
    json_cstring(j, s);
}

void json_put_u64(struct json *j, const char *key, uint64_t v)
{
    json_key(j, key);
    json_u64(j, v);
}

void json_put_i64(struct json *j, const char *key, int64_t v)
{
    json_key(j, key);
    json_i64(j, v);
}

void json_put_f64(struct json *j, const char *key, double v)
{
    json_key(j, key);
    json_f64(j, v);
}

void json_put_bool(struct json *j, const char *key, bool v)
{
    json_key(j, key);
    json_bool(j, v);
}

void json_put_null(struct json *j, const char *key)
{
    json_key(j, key);
    json_null(j);
}
