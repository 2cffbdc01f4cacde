/* test_source.c - every kind of source: sizes, reads, and what goes wrong. */
#include "kinds.h"

#include <errno.h>

#include "io/source.h"
#include "ledger.h"

enum { FILE_BYTES = 1000 };

/* 1000 bytes, none like its neighbours. */
static struct bytes make_pattern(void)
{
    struct bytes b = bytes_of(3, false);

    for (size_t i = 0; i < FILE_BYTES; i++)
        put_u8(&b, (uint8_t)(i * 7 + i / 256));
    return b;
}

/* ------------------------------------------------------ common to all kinds */

static void sizes_and_views_are_told(void **state)
{
    struct bytes b = make_pattern();

    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        ggk_source *source = kind_source(kind, &b, NULL);
        size_t bytes = 1;
        const void *view = ggk_source_view(source, &bytes);
        bool has_view = kind == KIND_MAP || kind == KIND_MEMORY;

        assert_int_equal(ggk_source_size(source),
                         kind == KIND_STREAM ? GGK_SIZE_UNKNOWN : FILE_BYTES);
        assert_int_equal(view != NULL, has_view);
        assert_int_equal(bytes, has_view ? FILE_BYTES : 0);
        if (has_view)
            assert_memory_equal(view, b.at, b.n);
        ggk_source_close(source);
    }
    ggk_source_close(NULL);
    bytes_free(&b);
}

static void reads_give_exactly_what_is_there(void **state)
{
    static const struct {
        uint64_t off;
        size_t n;
    } reads[] = {{0, 0},   {0, 1},    {0, 1000},  {1, 999},
                 {999, 1}, {1000, 0}, {500, 300}, {0, 7}};
    struct bytes b = make_pattern();

    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        ggk_source *source = kind_source(kind, &b, NULL);

        for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++) {
            uint8_t buf[FILE_BYTES + 1];
            ggk_error err = error_canary();

            memset(buf, 0xee, sizeof buf);
            assert_int_equal(
                ggk_source_read(source, reads[i].off, buf, reads[i].n, &err),
                GGK_OK);
            assert_memory_equal(buf, b.at + reads[i].off, reads[i].n);
            assert_int_equal(buf[reads[i].n], 0xee);
            expect_untouched(&err);
        }
        ggk_source_close(source);
    }
    bytes_free(&b);
}

/* The size of the file never promised these bytes. */
static void reads_across_the_end_are_truncated(void **state)
{
    static const struct {
        uint64_t off;
        size_t n, left;
    } reads[] = {{0, 1001, 1000},    {999, 2, 1},
                 {1000, 1, 0},       {2000, 5, 0},
                 {INT64_MAX, 5, 0},  {UINT64_C(1) << 63, 5, 0},
                 {UINT64_MAX, 5, 0}, {UINT64_MAX - 4, 5, 0}};
    struct bytes b = make_pattern();

    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        ggk_source *source = kind_source(kind, &b, NULL);

        for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++) {
            uint8_t buf[FILE_BYTES + 1];
            struct failure wanted = {GGK_E_TRUNCATED, 0, "", reads[i].n,
                                     reads[i].left};
            ggk_error err;
            ggk_status status =
                ggk_source_read(source, reads[i].off, buf, reads[i].n, &err);

            wanted.offset = reads[i].off + reads[i].left;
            expect_failure(kind_name(kind), status, &err, &wanted);
            assert_int_equal(
                ggk_source_read(source, reads[i].off, buf, reads[i].n, NULL),
                GGK_E_TRUNCATED);
        }
        ggk_source_close(source);
    }
    bytes_free(&b);
}

/* Nothing may be read into no buffer at all, as for a tensor of no bytes. */
static void no_bytes_need_no_buffer(void **state)
{
    struct bytes b = make_pattern();

    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        ggk_source *source = kind_source(kind, &b, NULL);
        assert_int_equal(ggk_source_read(source, 0, NULL, 0, NULL), GGK_OK);
        assert_int_equal(ggk_source_read(source, 500, NULL, 0, NULL), GGK_OK);
        ggk_source_close(source);
    }
    bytes_free(&b);
}

static void empty_files_are_sources(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        static const struct failure wanted = {GGK_E_TRUNCATED, 0, "", 1, 0};
        ggk_source *source = kind_source(kind, &b, NULL);
        size_t bytes = 1;
        ggk_error err;
        char c;

        if (kind != KIND_STREAM)
            assert_int_equal(ggk_source_size(source), 0);
        ggk_source_view(source, &bytes);
        assert_int_equal(bytes, 0);
        expect_failure(kind_name(kind), ggk_source_read(source, 0, &c, 1, &err),
                       &err, &wanted);
        ggk_source_close(source);
    }
}

static void memory_failures_leave_nothing(void **state)
{
    struct bytes b = make_pattern();

    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct ledger ledger = {.fail_at = 1};
        ggk_allocator alloc = ledger_allocator(&ledger);
        ggk_source *source = kind_source(kind, &b, &alloc);

        assert_null(source);
        assert_int_equal(ledger.calls, 1);
        source = kind_source(kind, &b, &alloc);
        assert_non_null(source);
        ggk_source_close(source);
        assert_true(ledger_is_even(&ledger));
    }
    bytes_free(&b);
}

/* --------------------------------------------------------------- arguments */

static void senseless_arguments_are_refused(void **state)
{
    static const struct failure wanted = {GGK_E_ARG, GGK_NO_OFFSET, "", 0, 0};
    const ggk_callbacks deaf = {NULL, NULL, NULL, 0};
    ggk_source *source = (ggk_source *)state;
    ggk_error err;

    expect_failure("no path", ggk_source_open_file(NULL, NULL, &source, &err),
                   &err, &wanted);
    assert_null(source);
    source = (ggk_source *)state;
    expect_failure("no path", ggk_source_open_map(NULL, NULL, &source, &err),
                   &err, &wanted);
    assert_null(source);
    source = (ggk_source *)state;
    expect_failure("no buffer",
                   ggk_source_from_memory(NULL, 1, NULL, &source, &err), &err,
                   &wanted);
    assert_null(source);
    source = (ggk_source *)state;
    expect_failure("no callbacks",
                   ggk_source_from_callbacks(NULL, NULL, &source, &err), &err,
                   &wanted);
    assert_null(source);
    expect_failure("no function",
                   ggk_source_from_callbacks(&deaf, NULL, &source, &err), &err,
                   &wanted);
    assert_int_equal(ggk_source_from_memory(NULL, 0, NULL, &source, NULL),
                     GGK_OK);
    ggk_source_close(source);
}

/* ------------------------------------------------------------ kinds of files
 */

typedef ggk_status opener(const char *path, const ggk_allocator *alloc,
                          ggk_source **out, ggk_error *err);

/* Both ways to open a path must fail with that errno. */
static void expect_not_opened(const char *path, int sys_errno)
{
    opener *const openers[] = {ggk_source_open_file, ggk_source_open_map};

    for (size_t i = 0; i < 2; i++) {
        static const struct failure wanted = {GGK_E_IO, GGK_NO_OFFSET, "", 0,
                                              0};
        struct ledger ledger = {0};
        ggk_allocator alloc = ledger_allocator(&ledger);
        ggk_error err;
        ggk_source *source = (ggk_source *)&err;

        expect_failure(path, openers[i](path, &alloc, &source, &err), &err,
                       &wanted);
        assert_null(source);
        assert_int_equal(err.sys_errno, sys_errno);
        assert_true(strncmp(err.what, "cannot open: ", 13) == 0);
        assert_true(ledger_is_even(&ledger));
        assert_int_equal(openers[i](path, NULL, &source, NULL), GGK_E_IO);
    }
}

static void what_is_no_regular_file_is_refused(void **state)
{
    struct scratch s;

    (void)state;
    scratch_make(&s);
    expect_not_opened(scratch_path(&s, "missing"), ENOENT);
    expect_not_opened(scratch_path(&s, "missing/below"), ENOENT);
    expect_not_opened("", ENOENT);
    expect_not_opened(s.dir, EISDIR);
    expect_not_opened("/dev/null", ESPIPE);
    assert_int_equal(symlink("loop", scratch_path(&s, "loop")), 0);
    expect_not_opened(s.path, ELOOP);
    assert_int_equal(mkfifo(scratch_path(&s, "fifo"), 0600), 0);
    alarm(10); /* the FIFO has no writer: waiting for one would never end */
    expect_not_opened(s.path, ESPIPE);
    alarm(0);
    scratch_remove(&s);
}

/* No descriptor is left behind by failures, or by closing. */
static void descriptors_are_closed(void **state)
{
    struct bytes b = make_pattern();
    int before = dup(0), after;

    (void)state;
    assert_true(before >= 0);
    close(before);
    what_is_no_regular_file_is_refused(state);
    for (enum kind kind = 0; kind < KINDS; kind++)
        ggk_source_close(kind_source(kind, &b, NULL));
    after = dup(0);
    assert_int_equal(after, before);
    close(after);
    bytes_free(&b);
}

static void a_file_that_shrank_is_changed(void **state)
{
    static const struct failure wanted = {GGK_E_CHANGED, 600, "", 500, 100};
    struct bytes b = make_pattern();
    struct scratch s;
    ggk_source *source;
    ggk_error err;
    uint8_t buf[FILE_BYTES];

    (void)state;
    scratch_make(&s);
    scratch_write(&s, "shrinks", &b);
    assert_int_equal(ggk_source_open_file(s.path, NULL, &source, NULL), GGK_OK);
    assert_int_equal(truncate(s.path, 600), 0);
    expect_failure("shrunk", ggk_source_read(source, 500, buf, 500, &err), &err,
                   &wanted);
    assert_int_equal(ggk_source_size(source), FILE_BYTES);
    assert_int_equal(ggk_source_read(source, 500, buf, 100, &err), GGK_OK);
    /* What is past the end it had, it never promised. */
    assert_int_equal(ggk_source_read(source, 500, buf, 501, &err),
                     GGK_E_TRUNCATED);
    ggk_source_close(source);
    scratch_remove(&s);
    bytes_free(&b);
}

/* Files of the kernel: one that cannot be read, one that cannot be mapped and
 * is not as long as it says. */
static void odd_files_fail_with_their_errno(void **state)
{
    static const char online[] = "/sys/devices/system/cpu/online";
    ggk_source *source;
    ggk_error err;
    char c;

    (void)state;
    if (ggk_source_open_file("/proc/self/mem", NULL, &source, NULL) == GGK_OK) {
        static const struct failure wanted = {GGK_E_IO, 0, "", 0, 0};
        expect_failure("mem", ggk_source_read(source, 0, &c, 1, &err), &err,
                       &wanted);
        assert_int_equal(err.sys_errno, EIO);
        ggk_source_close(source);
    }
    if (access(online, R_OK) == 0) {
        static const struct failure wanted = {GGK_E_IO, GGK_NO_OFFSET, "", 0,
                                              0};
        expect_failure("map", ggk_source_open_map(online, NULL, &source, &err),
                       &err, &wanted);
        assert_null(source);
        assert_int_equal(err.sys_errno, ENODEV);
        assert_int_equal(ggk_source_open_file(online, NULL, &source, NULL),
                         GGK_OK);
        assert_int_equal(ggk_source_read(source, 4000, &c, 1, NULL),
                         GGK_E_CHANGED);
        ggk_source_close(source);
    }
}

static bool is_wanted(const char *name)
{
    return name[0] == 'w';
}

static void folders_are_searched(void **state)
{
    struct bytes b = make_pattern();
    struct ledger ledger = {0};
    ggk_allocator mem = ledger_allocator(&ledger);
    struct scratch s;
    char *path = NULL;
    uint64_t n;
    ggk_error err = error_canary();

    (void)state;
    scratch_make(&s);
    scratch_write(&s, "other", &b);
    for (uint64_t wanted = 0; wanted < 3; wanted++) {
        if (wanted > 0)
            scratch_write(&s, wanted == 1 ? "w1" : "w2", &b);
        assert_int_equal(
            ggki_folder_find(s.dir, &mem, is_wanted, &path, &n, &err), GGK_OK);
        assert_int_equal(n, wanted);
        assert_int_equal(path != NULL, wanted > 0);
        if (wanted == 1)
            assert_string_equal(path, scratch_path(&s, "w1"));
        if (path != NULL)
            ledger_release(&ledger, path, strlen(path) + 1);
    }
    expect_untouched(&err);
    ledger.fail_at = ledger.calls + 1;
    assert_int_equal(ggki_folder_find(s.dir, &mem, is_wanted, &path, &n, &err),
                     GGK_E_NOMEM);
    assert_null(path);
    assert_int_equal(ggki_folder_find(scratch_path(&s, "missing"), &mem,
                                      is_wanted, &path, &n, &err),
                     GGK_E_IO);
    assert_int_equal(err.sys_errno, ENOENT);
    assert_null(path);
    assert_true(ledger_is_even(&ledger));
    scratch_remove(&s);
    bytes_free(&b);
}

/* Five GiB, all but a few bytes of them a hole. */
static void files_past_4_gib_are_read(void **state)
{
    const uint64_t size = UINT64_C(5) << 30;
    opener *const openers[] = {ggk_source_open_file, ggk_source_open_map};
    struct scratch s;
    int fd;

    (void)state;
    scratch_make(&s);
    fd = open(scratch_path(&s, "big"), O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    assert_int_equal(pwrite(fd, "tail", 4, (off_t)size - 4), 4);
    assert_int_equal(pwrite(fd, "over", 4, (off_t)1 << 32), 4);
    close(fd);
    for (size_t i = 0; i < 2; i++) {
        ggk_source *source;
        char buf[4];

        assert_int_equal(openers[i](s.path, NULL, &source, NULL), GGK_OK);
        assert_int_equal(ggk_source_size(source), size);
        assert_int_equal(ggk_source_read(source, size - 4, buf, 4, NULL),
                         GGK_OK);
        assert_memory_equal(buf, "tail", 4);
        assert_int_equal(
            ggk_source_read(source, UINT64_C(1) << 32, buf, 4, NULL), GGK_OK);
        assert_memory_equal(buf, "over", 4);
        ggk_source_close(source);
    }
    scratch_remove(&s);
}

/* --------------------------------------------------------------- callbacks */

/* A script: what each call of `read` returns. */
struct script {
    int failed[8];
    size_t got[8];
    int n, at;
    uint64_t offs[8];
    bool closed;
};

static int script_read(void *ctx, uint64_t off, void *buf, size_t bytes,
                       size_t *got)
{
    struct script *script = ctx;
    int at = script->at++;

    assert_true(at < script->n);
    memset(buf, 'x', script->got[at] < bytes ? script->got[at] : bytes);
    script->offs[at] = off;
    *got = script->got[at];
    return script->failed[at];
}

static void script_close(void *ctx)
{
    ((struct script *)ctx)->closed = true;
}

static ggk_source *script_source(struct script *script, uint64_t size)
{
    ggk_callbacks callbacks = {script_read, script_close, script, size};
    ggk_source *source;

    assert_int_equal(ggk_source_from_callbacks(&callbacks, NULL, &source, NULL),
                     GGK_OK);
    memset(&callbacks, 0, sizeof callbacks); /* it was copied */
    return source;
}

static void failing_callbacks_keep_errno_and_place(void **state)
{
    static const int errors[] = {EIO, EINTR, EAGAIN, ENOMEM, 99999};

    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        static const struct failure wanted = {GGK_E_IO, 105, "", 0, 0};
        struct script script = {
            .failed = {0, 0, errors[i]}, .got = {3, 2, 0}, .n = 3};
        ggk_source *source = script_source(&script, 1000);
        ggk_error err;
        char buf[10];

        expect_failure("failing", ggk_source_read(source, 100, buf, 10, &err),
                       &err, &wanted);
        assert_int_equal(err.sys_errno, errors[i]);
        assert_int_equal(script.offs[1], 103);
        assert_int_equal(script.offs[2], 105);
        script.at = 2;
        assert_int_equal(ggk_source_read(source, 100, buf, 10, NULL), GGK_E_IO);
        assert_false(script.closed);
        ggk_source_close(source);
        assert_true(script.closed);
    }
}

/* A sized source that ends early is changed, an unsized one truncated. */
static void callbacks_may_end_early(void **state)
{
    static const struct failure changed = {GGK_E_CHANGED, 7, "", 10, 7};
    static const struct failure truncated = {GGK_E_TRUNCATED, 7, "", 10, 7};

    (void)state;
    for (int sized = 0; sized < 2; sized++) {
        struct script script = {.got = {7, 0}, .n = 2};
        ggk_source *source =
            script_source(&script, sized ? 10 : GGK_SIZE_UNKNOWN);
        ggk_error err;
        char buf[10];

        expect_failure("early end", ggk_source_read(source, 0, buf, 10, &err),
                       &err, sized ? &changed : &truncated);
        ggk_source_close(source);
    }
}

/* One that claims to have written more than there was room for. */
static void callbacks_cannot_give_more_than_was_asked(void **state)
{
    struct script script = {.got = {SIZE_MAX}, .n = 1};
    ggk_source *source = script_source(&script, 10);
    char buf[10];

    (void)state;
    assert_int_equal(ggk_source_read(source, 0, buf, 10, NULL), GGK_OK);
    assert_memory_equal(buf, "xxxxxxxxxx", 10);
    ggk_source_close(source);
}

/* Positions do not begin anew after the last one there is. */
static void positions_do_not_wrap(void **state)
{
    static const struct failure wanted = {GGK_E_TRUNCATED, UINT64_MAX, "", 10,
                                          2};
    struct script script = {.got = {2, 10}, .n = 2};
    ggk_source *source = script_source(&script, GGK_SIZE_UNKNOWN);
    ggk_error err;
    char buf[10];

    (void)state;
    expect_failure("wrapping",
                   ggk_source_read(source, UINT64_MAX - 2, buf, 10, &err), &err,
                   &wanted);
    assert_int_equal(script.at, 1);
    ggk_source_close(source);
}

static void close_is_optional(void **state)
{
    struct script script = {0};
    const ggk_callbacks callbacks = {script_read, NULL, &script, 10};
    ggk_source *source;

    (void)state;
    assert_int_equal(ggk_source_from_callbacks(&callbacks, NULL, &source, NULL),
                     GGK_OK);
    ggk_source_close(source);
    assert_false(script.closed);
}

/* While a model is opened, each read begins where the last one ended. */
static void a_header_is_read_in_one_pass(void **state)
{
    struct bytes b = bytes_of(3, false);

    (void)state;
    put_header(&b, 0, 2);
    put_key(&b, "big", V_STR);
    put_count(&b, 300000);
    put_fill(&b, 'x', 300000);
    put_key(&b, "array", V_ARR);
    put_array(&b, V_U64, 100000);
    put_fill(&b, 0, 800000);
    for (int sized = 0; sized < 2; sized++) {
        struct feed feed = {.bytes = &b, .chunk = 100000};
        const ggk_callbacks callbacks = {feed_read, NULL, &feed,
                                         sized ? b.n : GGK_SIZE_UNKNOWN};
        ggk_source *source;
        ggk_model *model;

        assert_int_equal(
            ggk_source_from_callbacks(&callbacks, NULL, &source, NULL), GGK_OK);
        assert_int_equal(ggk_model_open_source(source, NULL, &model, NULL),
                         GGK_OK);
        assert_false(feed.jumped);
        assert_int_equal(feed.next, b.n);
        ggk_model_close(model);
    }
    bytes_free(&b);
}

/* Of a GGUF in either order, and of what is none, or cut. */
static void the_byte_order_is_told(void **state)
{
    static const struct {
        const char *head;
        size_t n;
        bool big;
    } files[] = {
        {"GGUF\3\0\0\0", 8, false}, {"GGUF\0\0\0\3", 8, true},
        {"FUGG\0\0\0\3", 8, true},  {"GGUF\2\0\0\0x", 9, false},
        {"GGUF\0\0\0", 7, false},   {"GGML\0\0\0\3", 8, false},
        {"GGUF\0\0\0\4", 8, false}, {"", 0, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        ggk_source *source;
        bool big = !files[i].big;

        assert_int_equal(ggk_source_from_memory(files[i].head, files[i].n, NULL,
                                                &source, NULL),
                         GGK_OK);
        assert_int_equal(ggk_source_byte_order(source, &big, NULL), GGK_OK);
        assert_int_equal(big, files[i].big);
        ggk_source_close(source);
    }
}

/* A stream of too few bytes has none; what cannot be read, or has shrunk,
 * fails.
 */
static void the_byte_order_may_be_unknown(void **state)
{
    static const struct {
        uint64_t size;
        int failed;
        ggk_status status;
    } cases[] = {
        {GGK_SIZE_UNKNOWN, 0, GGK_OK},
        {GGK_SIZE_UNKNOWN, EIO, GGK_E_IO},
        {8, 0, GGK_E_CHANGED},
        {8, EIO, GGK_E_IO},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct script script = {
            .got = {5, 0}, .failed = {0, cases[i].failed}, .n = 2};
        ggk_source *source = script_source(&script, cases[i].size);
        bool big = true;

        assert_int_equal(ggk_source_byte_order(source, &big, NULL),
                         cases[i].status);
        assert_false(big);
        ggk_source_close(source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_byte_order_may_be_unknown),
        cmocka_unit_test(sizes_and_views_are_told),
        cmocka_unit_test(the_byte_order_is_told),
        cmocka_unit_test(reads_give_exactly_what_is_there),
        cmocka_unit_test(reads_across_the_end_are_truncated),
        cmocka_unit_test(no_bytes_need_no_buffer),
        cmocka_unit_test(empty_files_are_sources),
        cmocka_unit_test(memory_failures_leave_nothing),
        cmocka_unit_test(senseless_arguments_are_refused),
        cmocka_unit_test(what_is_no_regular_file_is_refused),
        cmocka_unit_test(descriptors_are_closed),
        cmocka_unit_test(a_file_that_shrank_is_changed),
        cmocka_unit_test(odd_files_fail_with_their_errno),
        cmocka_unit_test(folders_are_searched),
        cmocka_unit_test(files_past_4_gib_are_read),
        cmocka_unit_test(failing_callbacks_keep_errno_and_place),
        cmocka_unit_test(callbacks_may_end_early),
        cmocka_unit_test(callbacks_cannot_give_more_than_was_asked),
        cmocka_unit_test(positions_do_not_wrap),
        cmocka_unit_test(close_is_optional),
        cmocka_unit_test(a_header_is_read_in_one_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
