/* file_name.c - what a file name says by the convention of ggml docs/gguf.md.
 *
 * The description gives a regular expression. It is not used: its nested
 * repetitions take some engines exponential time, it has no place for the dots
 * of "Qwen2.5", and it takes the "3d" of a name for its size. Here the name is
 * taken apart from both ends, by dashes: from the right shard, kind, encoding
 * and version, from the left sidecar, then what stands before the first segment
 * that looks like a size. Every byte is looked at a few times at most.
 */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/ckd.h"
#include "base/str.h"
#include "ggk.h"

/* A name of which parts are taken off. */
struct name_scan {
    ggk_str rest;
    ggk_file_name *out;
};

/* Only the first thing that is wrong is told. */
static void name_breaks(struct name_scan *scan, const char *how)
{
    if (scan->out->breaks == NULL)
        scan->out->breaks = how;
}

/* ----------------------------------------------------------------- strings */

static bool is_name_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static ggk_str without_first(ggk_str s, size_t n)
{
    return (ggk_str){s.ptr + n, s.len - n};
}

static bool begins_with(ggk_str s, const char *text)
{
    size_t len = strlen(text);

    return s.len >= len && memcmp(s.ptr, text, len) == 0;
}

static bool ends_with(ggk_str s, const char *text)
{
    size_t len = strlen(text);

    return s.len >= len && memcmp(s.ptr + s.len - len, text, len) == 0;
}

/* How many bytes from `i` on are digits, or letters. */
static size_t run_of(ggk_str s, size_t i, bool (*is_one)(char))
{
    size_t n = 0;

    while (i + n < s.len && is_one(s.ptr[i + n]))
        n++;
    return n;
}

/* "12" or "1.5" at `i`: its length, 0 if there is none. */
static size_t number_at(ggk_str s, size_t i)
{
    size_t whole = run_of(s, i, is_name_digit), fraction;

    if (whole == 0 || i + whole == s.len || s.ptr[i + whole] != '.')
        return whole;
    fraction = run_of(s, i + whole + 1, is_name_digit);
    return fraction > 0 ? whole + 1 + fraction : whole;
}

/* ---------------------------------------------------------------- segments */

/* What follows the last `mark`; if there is none, nothing that could be taken
 * off, since a name cannot consist of such parts alone. */
static ggk_str last_part(ggk_str s, char mark)
{
    size_t i = s.len;

    while (i > 0 && s.ptr[i - 1] != mark)
        i--;
    return i > 1 ? without_first(s, i) : (ggk_str){s.ptr + s.len, 0};
}

/* Take `part`, with which the rest ends, and the mark before it. */
static void take_off(struct name_scan *scan, ggk_str part)
{
    scan->rest.len -= part.len + 1;
}

static bool is_version(ggk_str s)
{
    size_t i = 1, n;

    if (s.len == 0 || s.ptr[0] != 'v')
        return false;
    for (;;) {
        n = run_of(s, i, is_name_digit);
        i += n;
        if (n == 0 || i == s.len)
            return n > 0;
        if (s.ptr[i++] != '.')
            return false;
    }
}

/* 1000 for 'K', and so on; 0 for a letter that is no scale. */
static uint64_t scale_of(char c)
{
    switch (ggki_ascii_upper(c)) {
    case 'K': return 1000;
    case 'M': return 1000000;
    case 'B': return 1000000000;
    case 'T': return UINT64_C(1000000000000);
    case 'Q': return UINT64_C(1000000000000000);
    default: return 0;
    }
}

/* "7B", "1.5B", "8x7B". */
static bool is_size(ggk_str s)
{
    size_t experts = run_of(s, 0, is_name_digit);
    size_t i = experts > 0 && experts < s.len && s.ptr[experts] == 'x'
                   ? experts + 1
                   : 0;
    size_t number = number_at(s, i);

    return number > 0 && i + number + 1 == s.len && scale_of(s.ptr[s.len - 1]);
}

/* "A3B", "ContextLength4k": more about the size. */
static bool is_attribute(ggk_str s)
{
    size_t i = run_of(s, 0, is_name_letter);
    size_t number = number_at(s, i);
    size_t unit = run_of(s, i + number, is_name_letter);

    return i > 0 && number > 0 && unit > 0 && i + number + unit == s.len;
}

static bool is_word_byte(char c)
{
    return is_name_letter(c) || is_name_digit(c) || c == '_';
}

/* "F16", "BF16", "MXFP4_MOE", "Q4_K_M", "IQ2_XXS", "TQ1_0", in letters of
 * either case: names of encodings, known or of that form. */
static bool is_encoding(ggk_str s)
{
    static const char *const families[] = {"Q",  "IQ", "TQ",   "F",
                                           "BF", "FP", "MXFP", "NVFP"};
    size_t letters = run_of(s, 0, is_name_letter);
    size_t digits = run_of(s, letters, is_name_digit);
    size_t i = 0;
    char family[8];

    if (letters == 0 || letters >= sizeof family || digits == 0 || digits > 2 ||
        run_of(s, 0, is_word_byte) < s.len)
        return false;
    for (; i < letters; i++)
        family[i] = ggki_ascii_upper(s.ptr[i]);
    family[letters] = '\0';
    for (i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(family, families[i]) == 0)
            break;
    if (i == sizeof families / sizeof families[0])
        return false;
    /* "Q4" alone may be anything; "F16" is what it is. */
    return letters + digits == s.len
               ? i >= 3
               : s.ptr[letters + digits] == '_' && letters + digits + 1 < s.len;
}

/* ---------------------------------------------------------- from the right */

static void take_folders_and_suffix(struct name_scan *scan)
{
    size_t i = scan->rest.len;

    while (i > 0 && scan->rest.ptr[i - 1] != '/')
        i--;
    scan->rest = without_first(scan->rest, i);
    if (ends_with(scan->rest, ".gguf"))
        scan->rest.len -= strlen(".gguf");
    else
        name_breaks(scan, "it does not end in .gguf");
}

static void check_dashes(struct name_scan *scan)
{
    bool dash = true; /* as before the first part */

    for (size_t i = 0; i < scan->rest.len; i++) {
        bool another = scan->rest.ptr[i] == '-';
        if (dash && another)
            name_breaks(scan, "a part of it is empty");
        dash = another;
    }
    if (dash && scan->rest.len > 0)
        name_breaks(scan, "a part of it is empty");
}

static uint32_t five_digits(const char *s)
{
    uint32_t value = 0;

    for (size_t i = 0; i < 5; i++)
        value = value * 10 + (uint32_t)(s[i] - '0');
    return value;
}

static void take_shard(struct name_scan *scan)
{
    static const char form[] = "-00000-of-00000";
    const size_t len = sizeof form - 1;
    const char *s;
    uint32_t shard, shards;

    if (scan->rest.len <= len)
        return;
    s = scan->rest.ptr + scan->rest.len - len;
    for (size_t i = 0; i < len; i++)
        if (form[i] == '0' ? !is_name_digit(s[i]) : s[i] != form[i])
            return;
    scan->rest.len -= len;
    shard = five_digits(s + 1);
    shards = five_digits(s + 10);
    if (shard == 0 || shard > shards) {
        name_breaks(scan,
                    "its shards are not counted from 1 up to their number");
        return;
    }
    scan->out->shard = shard;
    scan->out->shards = shards;
}

static void take_kind(struct name_scan *scan)
{
    ggk_str part = last_part(scan->rest, '-');

    if (!ggki_str_is(part, "LoRA") && !ggki_str_is(part, "vocab"))
        return;
    scan->out->kind = part;
    take_off(scan, part);
}

/* Who made the encoding: the "UD-" of Unsloth, the "i1-" of mradermacher. */
static bool is_maker(ggk_str s)
{
    return ggki_str_is(s, "UD") || ggki_str_is(s, "i1");
}

static void take_maker(struct name_scan *scan)
{
    ggk_str part = last_part(scan->rest, '-');
    ggk_str dotted = last_part(scan->rest, '.');
    ggk_str *encoding = &scan->out->encoding;

    if (is_maker(dotted)) {
        part = dotted;
        name_breaks(scan, "its encoding follows a dot, not a dash");
    } else if (!is_maker(part)) {
        return;
    }
    encoding->len += (size_t)(encoding->ptr - part.ptr);
    encoding->ptr = part.ptr;
    take_off(scan, part);
}

static void take_encoding(struct name_scan *scan)
{
    ggk_str part = last_part(scan->rest, '-');
    ggk_str dotted = last_part(scan->rest, '.');
    ggk_str before = scan->rest;

    if (is_version(part))
        return;
    before.len -= part.len > 0 ? part.len + 1 : 0;
    if (is_encoding(dotted)) {
        part = dotted;
        name_breaks(scan, "its encoding follows a dot, not a dash");
    } else if (!is_encoding(part) &&
               (part.len == 0 || !is_version(last_part(before, '-')))) {
        return;
    }
    if (run_of(part, 0, is_word_byte) < part.len)
        name_breaks(scan, "its encoding is no word");
    scan->out->encoding = part;
    take_off(scan, part);
    take_maker(scan);
}

static void take_version(struct name_scan *scan)
{
    ggk_str part = last_part(scan->rest, '-');

    if (!is_version(part))
        return;
    scan->out->version = part;
    take_off(scan, part);
}

/* ----------------------------------------------------------- from the left */

static void take_sidecar(struct name_scan *scan)
{
    static const char *const sidecars[] = {"mmproj", "mtp"};

    for (size_t i = 0; i < sizeof sidecars / sizeof sidecars[0]; i++) {
        size_t len = strlen(sidecars[i]);
        if (!begins_with(scan->rest, sidecars[i]) ||
            (scan->rest.len > len && scan->rest.ptr[len] != '-'))
            continue;
        scan->out->sidecar = (ggk_str){scan->rest.ptr, len};
        scan->rest =
            without_first(scan->rest, scan->rest.len > len ? len + 1 : len);
        return;
    }
}

/* The segment that begins at `i`. */
static ggk_str segment_at(ggk_str s, size_t i)
{
    size_t n = 0;

    while (i + n < s.len && s.ptr[i + n] != '-')
        n++;
    return (ggk_str){s.ptr + i, n};
}

/* Size label, and what stands around it. Without one, everything is the base
 * name. */
static void take_names(struct name_scan *scan)
{
    ggk_str rest = scan->rest, segment = segment_at(rest, 0), next;
    size_t i = segment.len + 1, end;

    scan->out->base_name = rest;
    for (; i < rest.len; i += segment.len + 1) {
        segment = segment_at(rest, i);
        if (is_size(segment))
            break;
    }
    if (i >= rest.len)
        return;
    scan->out->base_name.len = i - 1;
    end = i + segment.len;
    if (end < rest.len) {
        next = segment_at(rest, end + 1);
        end += is_attribute(next) ? next.len + 1 : 0;
    }
    scan->out->size_label = (ggk_str){rest.ptr + i, end - i};
    if (end < rest.len)
        scan->out->fine_tune = without_first(rest, end + 1);
}

/* The description's letters, digits and blanks; and what its own tools write,
 * as in "Qwen2.5". */
static bool is_name_byte(char c)
{
    return is_word_byte(c) || c == ' ' || c == '.' || c == '+';
}

static void check_bytes(struct name_scan *scan, ggk_str part)
{
    for (size_t i = 0; i < part.len; i++)
        if (!is_name_byte(part.ptr[i]) && part.ptr[i] != '-')
            name_breaks(scan,
                        "it holds a character that has no place in a name");
}

static void check_presence(struct name_scan *scan)
{
    const ggk_file_name *name = scan->out;

    if (name->base_name.len == 0)
        name_breaks(scan, "it has no base name");
    if (name->size_label.len == 0 && name->version.len == 0)
        name_breaks(scan, "it has no size label and no version");
    if (name->size_label.len == 0)
        name_breaks(scan, "it has no size label");
    if (name->version.len == 0)
        name_breaks(scan, "it has no version");
}

bool ggk_file_name_parse(ggk_str name, ggk_file_name *out)
{
    struct name_scan scan = {name, out};

    *out = (ggk_file_name){0};
    if (name.len == 0)
        scan.rest.ptr = ""; /* a view of nothing may have no pointer */
    take_folders_and_suffix(&scan);
    check_dashes(&scan);
    take_shard(&scan);
    take_kind(&scan);
    take_encoding(&scan);
    take_version(&scan);
    take_sidecar(&scan);
    take_names(&scan);
    check_bytes(&scan, out->base_name);
    check_bytes(&scan, out->fine_tune);
    check_presence(&scan);
    return out->breaks == NULL;
}

/* ------------------------------------------------------------------ format */

struct name_writer {
    char *out;
    size_t room;
    size_t len;
    bool dash; /* before what is written next */
};

static void put_name_byte(struct name_writer *w, char c)
{
    if (w->len + 1 < w->room)
        w->out[w->len] = c;
    w->len++;
}

static void write_byte(struct name_writer *w, char c)
{
    if (w->dash)
        put_name_byte(w, '-');
    w->dash = false;
    put_name_byte(w, c);
}

/* A dash stands for bytes that have no place; there is none at the end. */
static void write_text(struct name_writer *w, ggk_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (is_name_byte(c) && c != ' ')
            write_byte(w, c);
        else
            w->dash = w->len > 0;
    }
    w->dash = false;
}

static void write_part(struct name_writer *w, ggk_str part)
{
    w->dash = w->len > 0;
    write_text(w, part);
}

static void write_version(struct name_writer *w, ggk_str version)
{
    w->dash = w->len > 0;
    if (version.len > 0 && is_name_digit(version.ptr[0]))
        write_byte(w, 'v');
    write_text(w, version);
}

size_t ggk_file_name_format(const ggk_file_name *name, char *out,
                            size_t out_bytes)
{
    struct name_writer w = {out, out_bytes, 0, false};
    char tail[40];

    write_part(&w, name->sidecar);
    write_part(&w, name->base_name);
    write_part(&w, name->size_label);
    write_part(&w, name->fine_tune);
    write_version(&w, name->version);
    write_part(&w, name->encoding);
    write_part(&w, name->kind);
    if (name->shards > 0)
        snprintf(tail, sizeof tail, "-%05lu-of-%05lu.gguf",
                 (unsigned long)name->shard, (unsigned long)name->shards);
    else
        snprintf(tail, sizeof tail, ".gguf");
    for (size_t i = 0; tail[i] != '\0'; i++)
        write_byte(&w, tail[i]);
    if (w.room > 0)
        out[w.len < w.room ? w.len : w.room - 1] = '\0';
    return w.len;
}

/* ------------------------------------------------------------- size labels */

/* `*value` = *value * 10 + digit. */
static bool add_digit(uint64_t *value, char digit)
{
    return ckd_mul64(*value, 10, value) &&
           ckd_add64(*value, (uint64_t)(digit - '0'), value);
}

static bool parse_digits(ggk_str s, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < s.len; i++)
        if (!add_digit(out, s.ptr[i]))
            return false;
    return true;
}

/* "1.5" times `unit`. */
static bool parse_scaled(ggk_str number, uint64_t unit, uint64_t *out)
{
    size_t whole = run_of(number, 0, is_name_digit);

    if (!parse_digits((ggk_str){number.ptr, whole}, out) ||
        !ckd_mul64(*out, unit, out))
        return false;
    for (size_t i = whole + 1; i < number.len; i++) {
        unit /= 10;
        if (!ckd_add64(*out, (uint64_t)(number.ptr[i] - '0') * unit, out))
            return false;
    }
    return true;
}

bool ggk_size_label_parse(ggk_str label, ggk_size_label *out)
{
    ggk_str first, number;
    size_t experts;

    *out = (ggk_size_label){0};
    if (label.len == 0)
        return false;
    first = number = segment_at(label, 0);
    experts = run_of(first, 0, is_name_digit);
    if (!is_size(first))
        return false;
    if (first.ptr[experts] == 'x') {
        if (!parse_digits((ggk_str){first.ptr, experts}, &out->experts))
            return false;
        number = without_first(first, experts + 1);
    }
    number.len--;
    return parse_scaled(number, scale_of(first.ptr[first.len - 1]),
                        &out->parameters);
}

/* n / unit to the nearest integer, halves to even. */
static uint64_t divide_rounded(uint64_t n, uint64_t unit)
{
    uint64_t quotient = n / unit, rest = n % unit;
    bool odd = quotient % 2 != 0;

    return quotient + (rest > unit - rest || (rest == unit - rest && odd));
}

size_t ggk_size_label_format(const ggk_size_label *label, char *out)
{
    static const struct {
        uint64_t unit;
        char letter;
    } scales[] = {{UINT64_C(1000000000000), 'T'},
                  {1000000000, 'B'},
                  {1000000, 'M'},
                  {1000, 'K'}};
    uint64_t n = label->parameters, power = 1, value;
    char experts[24] = "", number[24];
    size_t i = 0, decimals;

    while (i < 3 && n <= scales[i].unit)
        i++;
    value = divide_rounded(n, scales[i].unit);
    decimals = value >= 10 ? 0 : value > 0 ? 1 : 2;
    for (size_t d = 0; d < decimals; d++)
        power *= 10;
    value = divide_rounded(n * power, scales[i].unit);
    if (decimals > 0)
        snprintf(number, sizeof number, "%llu.%0*llu",
                 (unsigned long long)(value / power), (int)decimals,
                 (unsigned long long)(value % power));
    else
        snprintf(number, sizeof number, "%llu", (unsigned long long)value);
    if (label->experts > 0)
        snprintf(experts, sizeof experts, "%llux",
                 (unsigned long long)label->experts);
    return (size_t)snprintf(out, GGK_SIZE_LABEL_BYTES, "%s%s%c", experts,
                            number, scales[i].letter);
}
