/* test_cursor.c - the bounded reader: numbers, strings, ends, growth. */
#include "kinds.h"

#include <errno.h>

#include "format/cursor.h"
#include "ledger.h"

#define NO_LIMIT UINT64_MAX

/* A cursor over bytes by one kind of source. */
struct over {
    ggk_source *source;
    struct ledger ledger;
    ggk_allocator mem;
    struct ggki_cursor c;
    ggk_error err;
};

static void over_open(struct over *o, enum kind kind, const struct bytes *b,
                      uint64_t base_off, uint64_t max_bytes)
{
    memset(o, 0, sizeof *o);
    o->err = error_canary();
    o->mem = ledger_allocator(&o->ledger);
    o->source = kind_source(kind, b, NULL);
    ggki_cursor_open(&o->c, o->source, &o->mem, base_off, max_bytes, &o->err);
    o->c.version = b->version;
    o->c.big = b->big;
}

static void over_close(struct over *o)
{
    struct ggki_image image = ggki_cursor_finish(&o->c);

    ggki_image_free(&image, &o->mem);
    ggk_source_close(o->source);
    assert_true(ledger_is_even(&o->ledger));
}

/* The cursor's failure, which leaves it where it was. */
static void over_expect(struct over *o, const char *name, ggk_status status,
                        uint64_t pos, const struct failure *wanted)
{
    expect_failure(name, status, &o->err, wanted);
    assert_int_equal(o->c.pos, pos);
    o->err = error_canary();
}

static bool is_callback(enum kind kind)
{
    return kind == KIND_SIZED || kind == KIND_STREAM;
}

/* ----------------------------------------------------------------- numbers */

static void numbers_are_read_in_both_orders(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS * 2 * 3; i++) {
        struct bytes b = bytes_of(i / 2 % 3 + 1, i % 2 != 0);
        struct over o;
        uint32_t u32;
        uint64_t u64;

        put_u32(&b, 0x01234567);
        put_u64(&b, 0x0123456789abcdef);
        put_count(&b, 0x89abcdef);
        put_u8(&b, 1);
        over_open(&o, i / 6, &b, 0, NO_LIMIT);
        assert_int_equal(ggki_cursor_u32(&o.c, "a", &u32), GGK_OK);
        assert_int_equal(u32, 0x01234567);
        assert_int_equal(ggki_cursor_u64(&o.c, "b", &u64), GGK_OK);
        assert_int_equal(u64, 0x0123456789abcdef);
        assert_int_equal(ggki_cursor_count(&o.c, "c", &u64), GGK_OK);
        assert_int_equal(u64, 0x89abcdef);
        assert_int_equal(o.c.pos, b.version == 1 ? 16 : 20);
        assert_int_equal(ggki_cursor_skip(&o.c, 1, "d"), GGK_OK);
        assert_int_equal(ggki_cursor_skip(&o.c, 0, "e"), GGK_OK);
        assert_int_equal(o.c.pos, b.n);
        expect_untouched(&o.err);
        over_close(&o);
        bytes_free(&b);
    }
}

/* A number of `width` bytes, of which `have` are there. */
static void expect_cut_number(enum kind kind, uint32_t version, size_t width,
                              size_t have)
{
    struct bytes b = bytes_of(version, false);
    const struct failure wanted = {GGK_E_TRUNCATED, 3 + 5, "header.x", width,
                                   have};
    struct over o;
    uint32_t u32;
    uint64_t u64;

    put_fill(&b, 0, 3 + 5 + have);
    over_open(&o, kind, &b, 3, NO_LIMIT);
    assert_int_equal(ggki_cursor_skip(&o.c, 5, "padding"), GGK_OK);
    if (width == 4)
        over_expect(&o, "u32", ggki_cursor_u32(&o.c, "x", &u32), 5, &wanted);
    else
        over_expect(&o, "u64", ggki_cursor_u64(&o.c, "x", &u64), 5, &wanted);
    over_expect(&o, "skip", ggki_cursor_skip(&o.c, width, "x"), 5, &wanted);
    if (width == bytes_of_count(&b))
        over_expect(&o, "count", ggki_cursor_count(&o.c, "x", &u64), 5,
                    &wanted);
    over_close(&o);
    bytes_free(&b);
}

static void numbers_are_cut_at_every_byte(void **state)
{
    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (uint32_t version = 1; version <= 3; version++)
            for (size_t have = 0; have < 8; have++) {
                expect_cut_number(kind, version, 8, have);
                if (have < 4)
                    expect_cut_number(kind, version, 4, have);
            }
}

/* A GGUF that would begin where the file has ended, or later. */
static void nothing_is_left_past_the_end(void **state)
{
    static const uint64_t starts[] = {100, 101, UINT64_MAX / 2, UINT64_MAX - 9};
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_fill(&b, 0, 100);
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
            const struct failure wanted = {GGK_E_TRUNCATED, starts[i],
                                           "header.x", 4, 0};
            struct over o;
            uint32_t u32;

            over_open(&o, kind, &b, starts[i], NO_LIMIT);
            if (kind != KIND_STREAM)
                assert_int_equal(ggki_cursor_left(&o.c), 0);
            over_expect(&o, kind_name(kind), ggki_cursor_u32(&o.c, "x", &u32),
                        0, &wanted);
            assert_int_equal(ggki_cursor_left(&o.c), 0);
            over_close(&o);
        }
    bytes_free(&b);
}

/* ----------------------------------------------------------------- strings */

static void strings_are_cut_at_every_byte(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS * 2 * 3; i++) {
        enum kind kind = i / 6;
        struct bytes b = bytes_of(i / 2 % 3 + 1, i % 2 != 0);
        size_t head = bytes_of_count(&b);

        put_str(&b, "0123456789");
        for (size_t cut = 0; cut <= head + 10; cut++) {
            struct bytes part = b;
            struct failure wanted = {GGK_E_TRUNCATED, 0, "kv[7].key.len", head,
                                     cut};
            struct over o;
            uint64_t pos = 99, len = 99;
            ggk_status status;

            part.n = cut;
            if (cut >= head) {
                wanted.need = 10;
                wanted.have = cut - head;
            }
            over_open(&o, kind, &part, 0, NO_LIMIT);
            o.c.section = "kv";
            o.c.index = 7;
            status = ggki_cursor_string(&o.c, "key.len", &pos, &len);
            if (cut < head + 10) {
                expect_failure(kind_name(kind), status, &o.err, &wanted);
            } else {
                assert_int_equal(status, GGK_OK);
                assert_int_equal(pos, head);
                assert_int_equal(len, 10);
                assert_memory_equal(o.c.image.base + pos, "0123456789", 10);
            }
            over_close(&o);
        }
        bytes_free(&b);
    }
}

/* A string of that length with `have` bytes after it. */
static void expect_long_string(enum kind kind, uint64_t len, size_t have,
                               ggk_status status)
{
    struct bytes b = bytes_of(3, false);
    const struct failure wanted = {status, 4, "header.s.len", len, have};
    struct over o;
    uint64_t pos, got;

    put_u32(&b, 0);
    put_u64(&b, len);
    put_fill(&b, 'x', have);
    over_open(&o, kind, &b, 0, (uint64_t)1 << 30);
    assert_int_equal(ggki_cursor_skip(&o.c, 4, "x"), GGK_OK);
    expect_failure(kind_name(kind),
                   ggki_cursor_string(&o.c, "s.len", &pos, &got), &o.err,
                   &wanted);
    /* Nothing was allocated for what cannot be there. */
    assert_true(o.ledger.biggest <= 2 * b.n + 65536);
    over_close(&o);
    bytes_free(&b);
}

/* What is left counts up to the end of the file, not of what has been read. */
static void long_strings_are_truncated_or_nonsense(void **state)
{
    static const size_t have[] = {0, 1, 100, 65536 - 12, 65536, 300000};
    const uint64_t sane = UINT64_C(1) << 30;

    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < sizeof have / sizeof have[0]; i++) {
            expect_long_string(kind, have[i] + 1, have[i], GGK_E_TRUNCATED);
            expect_long_string(kind, sane, have[i], GGK_E_TRUNCATED);
            expect_long_string(kind, sane + 1, have[i], GGK_E_STRLEN);
            expect_long_string(kind, INT64_MAX, have[i], GGK_E_STRLEN);
            expect_long_string(kind, UINT64_C(1) << 63, have[i], GGK_E_STRLEN);
            expect_long_string(kind, UINT64_MAX - 12, have[i], GGK_E_STRLEN);
            expect_long_string(kind, UINT64_MAX, have[i], GGK_E_STRLEN);
        }
    expect_long_string(KIND_MEMORY, 65535, 1, GGK_E_TRUNCATED);
}

/* ------------------------------------------------------------------ growth */

/* Strings of many lengths, 1 MB in all. */
static struct bytes make_strings(uint32_t version, bool big, uint64_t *n)
{
    struct bytes b = bytes_of(version, big);
    uint64_t seed = 42;

    for (*n = 0; b.n < 1000000; ++*n) {
        uint64_t r = bytes_random(&seed);
        size_t len = r % 64 == 0 ? r / 64 % 100000 : r / 64 % 40;
        put_count(&b, len);
        put_fill(&b, (uint8_t)*n, len);
    }
    return b;
}

static void buffers_grow_as_far_as_is_looked(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS * 4; i++) {
        enum kind kind = i / 4;
        uint64_t n, left;
        struct bytes b = make_strings(i / 2 % 2 + 1, i % 2 != 0, &n);
        struct over o;

        over_open(&o, kind, &b, 0, NO_LIMIT);
        for (uint64_t j = 0; j < n / 2; j++) {
            uint64_t pos, len;
            assert_int_equal(ggki_cursor_string(&o.c, "s", &pos, &len), GGK_OK);
            assert_memory_equal(o.c.image.base + pos, b.at + pos, len);
            assert_true(o.c.image.capacity <= 2 * (o.c.pos + 65536));
        }
        left = n - n / 2;
        assert_int_equal(ggki_cursor_hop(&o.c, &left), GGK_OK);
        assert_int_equal(left, 0);
        assert_int_equal(o.c.pos, b.n);
        assert_memory_equal(o.c.image.base, b.at, b.n);
        expect_untouched(&o.err);
        over_close(&o);
        bytes_free(&b);
    }
}

/* A field many times the buffer is read at once where its end is known. */
static void long_fields_are_read(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_fill(&b, 'x', 1000000);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct over o;

        over_open(&o, kind, &b, 0, NO_LIMIT);
        assert_int_equal(ggki_cursor_skip(&o.c, 10, "a"), GGK_OK);
        assert_int_equal(ggki_cursor_skip(&o.c, 999989, "b"), GGK_OK);
        if (kind == KIND_FILE || kind == KIND_SIZED)
            assert_int_equal(o.ledger.calls, 2);
        over_close(&o);
    }
    bytes_free(&b);
}

static void limits_hold_and_are_named(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_fill(&b, 0, 200000);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        const struct failure wanted = {GGK_E_LIMIT, 99996, "tensor[3].a", 5, 4};
        struct over o;

        if (kind == KIND_MAP || kind == KIND_MEMORY)
            continue; /* they hold nothing */
        over_open(&o, kind, &b, 0, 100000);
        o.c.section = "tensor";
        o.c.index = 3;
        assert_int_equal(ggki_cursor_skip(&o.c, 50000, "a"), GGK_OK);
        assert_int_equal(ggki_cursor_skip(&o.c, 49996, "a"), GGK_OK);
        over_expect(&o, kind_name(kind), ggki_cursor_skip(&o.c, 5, "a"), 99996,
                    &wanted);
        assert_int_equal(ggki_cursor_skip(&o.c, 4, "a"), GGK_OK);
        assert_true(o.ledger.biggest <= 100000);
        over_close(&o);
    }
    bytes_free(&b);
}

/* A limit smaller than the first read, and none at all. */
static void small_limits_hold(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_fill(&b, 0, 200000);
    for (uint64_t limit = 0; limit < 3; limit++) {
        const struct failure wanted = {GGK_E_LIMIT, limit, "header.a", 1, 0};
        struct over o;

        over_open(&o, limit % 2 == 0 ? KIND_FILE : KIND_STREAM, &b, 0, limit);
        if (limit > 0)
            assert_int_equal(ggki_cursor_skip(&o.c, limit, "a"), GGK_OK);
        over_expect(&o, "small limit", ggki_cursor_skip(&o.c, 1, "a"), limit,
                    &wanted);
        assert_int_equal(o.ledger.biggest, limit);
        over_close(&o);
    }
    bytes_free(&b);
}

/* The place is the string's length, though its bytes are what is too much. */
static void strings_over_the_limit_are_named(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_u32(&b, 0);
    put_u64(&b, 100000);
    put_fill(&b, 'x', 200000);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        const struct failure wanted = {GGK_E_LIMIT, 4, "header.s.len", 100000,
                                       70000 - 12};
        struct over o;
        uint64_t pos, len;

        if (kind == KIND_MAP || kind == KIND_MEMORY)
            continue;
        over_open(&o, kind, &b, 0, 70000);
        assert_int_equal(ggki_cursor_skip(&o.c, 4, "x"), GGK_OK);
        expect_failure(kind_name(kind),
                       ggki_cursor_string(&o.c, "s.len", &pos, &len), &o.err,
                       &wanted);
        over_close(&o);
    }
    bytes_free(&b);
}

/* No memory: at first, and to grow. Then the cursor goes on, if it may. */
static void memory_may_run_out(void **state)
{
    static const struct failure wanted = {GGK_E_NOMEM, GGK_NO_OFFSET, "", 0, 0};
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_fill(&b, 0, 200000);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct over o;

        if (kind == KIND_MAP || kind == KIND_MEMORY)
            continue;
        over_open(&o, kind, &b, 0, NO_LIMIT);
        o.ledger.fail_at = 1;
        over_expect(&o, kind_name(kind), ggki_cursor_skip(&o.c, 10, "a"), 0,
                    &wanted);
        assert_int_equal(ggki_cursor_skip(&o.c, 10, "a"), GGK_OK);
        o.ledger.fail_at = 3;
        over_expect(&o, kind_name(kind), ggki_cursor_skip(&o.c, 99990, "a"), 10,
                    &wanted);
        assert_int_equal(ggki_cursor_skip(&o.c, 99990, "a"), GGK_OK);
        over_close(&o);
    }
    bytes_free(&b);
}

/* ----------------------------------------------------------------- failures */

/* A source that fails once, after some bytes. */
struct flaky {
    uint64_t fail_from;
    uint64_t size;
    int sys_errno;
};

static int flaky_read(void *ctx, uint64_t off, void *buf, size_t bytes,
                      size_t *got)
{
    struct flaky *flaky = ctx;
    int failed = flaky->sys_errno;

    if (off < flaky->fail_from) {
        if (bytes > flaky->fail_from - off)
            bytes = (size_t)(flaky->fail_from - off);
        failed = 0;
    } else if (failed == 0 && off + bytes > flaky->size) {
        bytes = off < flaky->size ? (size_t)(flaky->size - off) : 0;
    }
    if (failed == 0)
        memset(buf, 1, bytes);
    else
        flaky->sys_errno = 0;
    *got = bytes;
    return failed;
}

static void flaky_open(struct over *o, struct flaky *flaky, uint64_t size)
{
    const ggk_callbacks callbacks = {flaky_read, NULL, flaky, size};

    memset(o, 0, sizeof *o);
    o->mem = ledger_allocator(&o->ledger);
    assert_int_equal(
        ggk_source_from_callbacks(&callbacks, NULL, &o->source, NULL), GGK_OK);
    ggki_cursor_open(&o->c, o->source, &o->mem, 0, NO_LIMIT, &o->err);
}

static void failed_reads_can_be_repeated(void **state)
{
    static const struct failure wanted = {GGK_E_IO, 40000, "", 0, 0};

    (void)state;
    for (int sized = 0; sized < 2; sized++) {
        struct flaky flaky = {40000, 100000, EIO};
        struct over o;

        flaky_open(&o, &flaky, sized ? 100000 : GGK_SIZE_UNKNOWN);
        over_expect(&o, "EIO", ggki_cursor_skip(&o.c, 10, "a"), 0, &wanted);
        assert_int_equal(ggki_cursor_skip(&o.c, 50000, "a"), GGK_OK);
        assert_int_equal(ggki_cursor_skip(&o.c, 50000, "a"), GGK_OK);
        over_close(&o);
    }
}

/* A string that cannot be read, where the reason is not its length. */
static void failed_strings_keep_the_reason(void **state)
{
    static const struct failure wanted = {GGK_E_IO, 70000, "", 0, 0};
    struct flaky flaky = {70000, 20000000, EIO};
    struct over o;
    uint64_t pos, len;

    (void)state;
    flaky_open(&o, &flaky, 20000000);
    o.c.version = 1; /* its length is 01 01 01 01 */
    assert_int_equal(ggki_cursor_skip(&o.c, 65530, "a"), GGK_OK);
    expect_failure("EIO", ggki_cursor_string(&o.c, "s.len", &pos, &len), &o.err,
                   &wanted);
    over_close(&o);
}

/* A file that had 100000 bytes when it was opened, and now has less. */
static void shrunk_files_are_changed(void **state)
{
    static const struct failure wanted = {GGK_E_CHANGED, GGK_NO_OFFSET, "", 0,
                                          0};
    struct flaky flaky = {0, 70000, 0};
    struct over o;

    (void)state;
    flaky_open(&o, &flaky, 100000);
    assert_int_equal(ggki_cursor_skip(&o.c, 65536, "a"), GGK_OK);
    over_expect(&o, "shrunk", ggki_cursor_skip(&o.c, 5000, "a"), 65536,
                &wanted);
    over_close(&o);
}

static void places_are_written_as_paths(void **state)
{
    ggk_error err;
    struct ggki_cursor c = {.section = "header", .base_off = 100, .err = &err};

    (void)state;
    assert_int_equal(
        ggki_cursor_fail(&c, GGK_E_COUNT, 8, "n_kv", 1, 2, "%d of %d", 3, 4),
        GGK_E_COUNT);
    assert_string_equal(err.where, "header.n_kv");
    assert_string_equal(err.what, "3 of 4");
    assert_int_equal(err.offset, 108);
    assert_int_equal(err.need, 1);
    assert_int_equal(err.have, 2);
    assert_int_equal(err.sys_errno, 0);
    c.section = "kv";
    c.index = UINT64_MAX;
    ggki_cursor_fail(&c, GGK_E_COUNT, 8, "type", 1, 2, "x");
    assert_string_equal(err.where, "kv[18446744073709551615].type");
    c.err = NULL;
    assert_int_equal(ggki_cursor_fail(&c, GGK_E_DIM, 0, "x", 0, 0, "x"),
                     GGK_E_DIM);
}

/* Overlong paths and sentences are cut, not written past their room. */
static void long_places_are_cut(void **state)
{
    ggk_error err;
    struct ggki_cursor c = {.section = "header", .err = &err};
    char text[600];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ggki_cursor_fail(&c, GGK_E_COUNT, 0, text, 0, 0, "%s", text);
    assert_int_equal(strlen(err.where), sizeof err.where - 1);
    assert_int_equal(strlen(err.what), sizeof err.what - 1);
}

/* --------------------------------------------------------------------- hop */

/* The cursor stops at the string at fault, and says how many are left. */
static void hops_stop_at_the_string_at_fault(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS * 4; i++) {
        enum kind kind = i / 4;
        struct bytes b = bytes_of(i / 2 % 2 + 1, i % 2 != 0);
        struct failure wanted = {GGK_E_TRUNCATED, 0, "header.", 9, 8};
        struct over o;
        uint64_t left = 5;

        put_str(&b, "abc");
        put_str(&b, "");
        put_str(&b, "defgh");
        wanted.offset = b.n;
        put_count(&b, 9);
        put_fill(&b, 'x', 8);
        over_open(&o, kind, &b, 0, NO_LIMIT);
        over_expect(&o, kind_name(kind), ggki_cursor_hop(&o.c, &left),
                    wanted.offset, &wanted);
        assert_int_equal(left, 2);
        left = 0;
        assert_int_equal(ggki_cursor_hop(&o.c, &left), GGK_OK);
        assert_int_equal(o.c.pos, wanted.offset);
        over_close(&o);
        bytes_free(&b);
    }
}

/* Fewer than 8 bytes are left, so that there is no next length. */
static void hops_stop_at_a_cut_length(void **state)
{
    (void)state;
    for (size_t have = 0; have < 8; have++) {
        struct bytes b = bytes_of(3, false);
        const struct failure wanted = {GGK_E_TRUNCATED, 9, "header.", 8, have};
        struct over o;
        uint64_t left = 2;

        put_str(&b, "a");
        put_fill(&b, 0, have);
        over_open(&o, KIND_MEMORY, &b, 0, NO_LIMIT);
        over_expect(&o, "cut length", ggki_cursor_hop(&o.c, &left), 9, &wanted);
        assert_int_equal(left, 1);
        over_close(&o);
        bytes_free(&b);
    }
}

/* ------------------------------------------------------------------- images */

static void finished_images_are_trimmed(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    for (int i = 0; i < 1000; i++)
        put_u32(&b, (uint32_t)i);
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (int fails = 0; fails < 2; fails++) {
            struct over o;
            struct ggki_image image;

            over_open(&o, kind, &b, 4, NO_LIMIT);
            assert_int_equal(ggki_cursor_skip(&o.c, 400, "a"), GGK_OK);
            o.ledger.fail_at = fails != 0 ? o.ledger.calls + 1 : 0;
            image = ggki_cursor_finish(&o.c);
            assert_null(o.c.image.base);
            assert_int_equal(image.bytes, 400);
            assert_memory_equal(image.base, b.at + 4, 400);
            if (kind == KIND_MAP || kind == KIND_MEMORY)
                assert_null(image.buffer);
            else if (!fails)
                assert_int_equal(image.capacity, 400);
            ggki_image_free(&image, &o.mem);
            assert_null(image.base);
            ggk_source_close(o.source);
            assert_true(ledger_is_even(&o.ledger));
        }
    bytes_free(&b);
}

/* A cursor that never moved gives its buffer away as it is. */
static void images_may_be_empty(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_fill(&b, 0, 10);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct over o;
        struct ggki_image image;

        over_open(&o, kind, &b, 0, NO_LIMIT);
        assert_int_equal(ggki_cursor_want(&o.c, 10, "a"), GGK_OK);
        assert_int_equal(o.ledger.calls,
                         is_callback(kind) || kind == KIND_FILE);
        image = ggki_cursor_finish(&o.c);
        assert_int_equal(image.bytes, 0);
        ggki_image_free(&image, &o.mem);
        ggk_source_close(o.source);
        assert_true(ledger_is_even(&o.ledger));
    }
    bytes_free(&b);
}

/* A part of an image ends where it is said to, and never past the image. */
static void parts_of_images_are_bounded(void **state)
{
    static const uint8_t data[] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};
    const struct ggki_image image = {data, sizeof data, NULL, 0};
    struct ggki_cursor c = ggki_cursor_over(&image, 4, 8, 3, false);
    uint32_t u32;
    uint64_t left = 1;

    (void)state;
    assert_int_equal(ggki_cursor_left(&c), 4);
    assert_int_equal(ggki_cursor_u32(&c, "", &u32), GGK_OK);
    assert_int_equal(u32, 2);
    assert_int_equal(ggki_cursor_u32(&c, "", &u32), GGK_E_TRUNCATED);
    assert_int_equal(ggki_cursor_hop(&c, &left), GGK_E_TRUNCATED);
    c = ggki_cursor_over(&image, 8, 1000, 3, false);
    assert_int_equal(ggki_cursor_ready(&c), 4);
    assert_int_equal(ggki_cursor_u32(&c, "", &u32), GGK_OK);
    assert_int_equal(u32, 3);
    assert_int_equal(ggki_cursor_skip(&c, 1, ""), GGK_E_TRUNCATED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_in_both_orders),
        cmocka_unit_test(numbers_are_cut_at_every_byte),
        cmocka_unit_test(nothing_is_left_past_the_end),
        cmocka_unit_test(strings_are_cut_at_every_byte),
        cmocka_unit_test(long_strings_are_truncated_or_nonsense),
        cmocka_unit_test(buffers_grow_as_far_as_is_looked),
        cmocka_unit_test(long_fields_are_read),
        cmocka_unit_test(limits_hold_and_are_named),
        cmocka_unit_test(small_limits_hold),
        cmocka_unit_test(strings_over_the_limit_are_named),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(failed_reads_can_be_repeated),
        cmocka_unit_test(failed_strings_keep_the_reason),
        cmocka_unit_test(shrunk_files_are_changed),
        cmocka_unit_test(places_are_written_as_paths),
        cmocka_unit_test(long_places_are_cut),
        cmocka_unit_test(hops_stop_at_the_string_at_fault),
        cmocka_unit_test(hops_stop_at_a_cut_length),
        cmocka_unit_test(finished_images_are_trimmed),
        cmocka_unit_test(images_may_be_empty),
        cmocka_unit_test(parts_of_images_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
