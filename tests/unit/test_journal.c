/* test_journal.c - the journal of an edit in place, written and read; and the
 * boundary up to which an insertion that was interrupted has come. */
#include "scratch.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>

#include "base/mem.h"
#include "base/sum.h"
#include "io/extents.h"
#include "io/hidden.h"
#include "io/in_place.h"
#include "io/journal.h"
#include "io/source.h"
#include "ledger.h"

/* ----------------------------------------------------------------- journals */

static const uint8_t OLD[] = "what was there before";

enum {
    FILE_BYTES = 100000,
    ROOM = 4096,
    JOURNAL_BYTES = 88 + 48 + 48 + 2 * 22 + 8
};

static struct ggki_extent extents_of_file[] = {{0, 8192, 65536},
                                               {65536, 4096, 34464}};

/* Of two extents and three runs. */
static struct ggki_journal make_journal(const ggk_allocator *mem)
{
    struct ggki_journal j = {
        .file = {77, {1700000000, 999999999}},
        .size = FILE_BYTES,
        .inserted = ROOM,
        .extents = {extents_of_file, 2, 2},
    };

    assert_true(
        ggki_journal_add(&j, mem, &(struct ggki_run){0, 10, OLD, OLD + 2}));
    assert_true(
        ggki_journal_add(&j, mem, &(struct ggki_run){50, 4, OLD, OLD + 2}));
    assert_true(ggki_journal_add(
        &j, mem, &(struct ggki_run){FILE_BYTES - 8, 8, OLD + 10, OLD + 2}));
    return j;
}

static void free_journal(struct ggki_journal *j, const ggk_allocator *mem)
{
    j->extents = (struct ggki_extents){NULL, 0, 0};
    ggki_journal_free(j, mem);
}

static ggk_status put(void *ctx, const void *data, size_t n, ggk_error *err)
{
    (void)err;
    put_raw(ctx, data, n);
    return GGK_OK;
}

static struct bytes encode(const struct ggki_journal *j)
{
    struct bytes b = bytes_of(3, false);

    assert_int_equal(ggki_journal_encode(j, put, &b, NULL), GGK_OK);
    return b;
}

static struct bytes make_image(void)
{
    const ggk_allocator mem = ggki_mem_of(NULL);
    struct ggki_journal j = make_journal(&mem);
    struct bytes b = encode(&j);

    free_journal(&j, &mem);
    return b;
}

/* A file without a name, of these bytes. */
static int open_bytes(const struct bytes *b, size_t n)
{
    struct scratch s;
    int fd;

    scratch_make(&s);
    fd = open(scratch_path(&s, "j"), O_RDWR | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, b->at, n, 0), (ssize_t)n);
    scratch_remove(&s);
    return fd;
}

/* Is what is open as `fd` refused, and is nothing kept of it? */
static void expect_damaged(int fd)
{
    struct ledger ledger = {0};
    const ggk_allocator mem = ledger_allocator(&ledger);
    struct ggki_journal j;
    ggk_error err;

    assert_int_equal(ggki_journal_read(&j, fd, &mem, &err), GGK_E_INTERRUPTED);
    assert_int_equal(err.status, GGK_E_INTERRUPTED);
    ggki_journal_free(&j, &mem);
    assert_true(ledger_is_even(&ledger));
}

static void a_journal_is_read_as_it_was_written(void **state)
{
    const ggk_allocator mem = ggki_mem_of(NULL);
    struct ggki_journal j;
    struct bytes b = make_image();
    int fd = open_bytes(&b, b.n);

    (void)state;
    assert_int_equal(b.n, JOURNAL_BYTES);
    assert_int_equal(ggki_journal_read(&j, fd, &mem, NULL), GGK_OK);
    assert_int_equal(j.file.ino, 77);
    assert_int_equal(j.file.birth.tv_sec, 1700000000);
    assert_int_equal(j.file.birth.tv_nsec, 999999999);
    assert_int_equal(j.size, FILE_BYTES);
    assert_int_equal(j.inserted, ROOM);
    assert_int_equal(j.extents.n, 2);
    assert_memory_equal(j.extents.at, extents_of_file, sizeof extents_of_file);
    assert_int_equal(j.n_runs, 3);
    assert_int_equal(j.runs[0].at, 0);
    assert_int_equal(j.runs[0].bytes, 10);
    assert_memory_equal(j.runs[0].was, OLD, 10);
    assert_int_equal(j.runs[1].at, 50);
    assert_int_equal(j.runs[1].bytes, 4);
    assert_memory_equal(j.runs[1].was, OLD, 4);
    assert_int_equal(j.runs[2].at, FILE_BYTES - 8);
    assert_memory_equal(j.runs[2].was, OLD + 10, 8);
    ggki_journal_free(&j, &mem);
    close(fd);
    bytes_free(&b);
}

static void an_unknown_birth_is_read_as_such(void **state)
{
    const ggk_allocator mem = ggki_mem_of(NULL);
    struct ggki_journal j = {.file = {5, {1700000000, -1}}, .size = 1};
    struct bytes b = encode(&j);
    int fd = open_bytes(&b, b.n);

    (void)state;
    assert_int_equal(ggki_journal_read(&j, fd, &mem, NULL), GGK_OK);
    assert_int_equal(j.file.birth.tv_sec, 0);
    assert_int_equal(j.file.birth.tv_nsec, -1);
    ggki_journal_free(&j, &mem);
    close(fd);
    bytes_free(&b);
}

static void every_bit_that_is_another_is_noticed(void **state)
{
    struct bytes b = make_image();
    int fd = open_bytes(&b, b.n);

    (void)state;
    for (size_t i = 0; i < b.n * 8; i++) {
        uint8_t byte = (uint8_t)(b.at[i / 8] ^ (1U << (i % 8)));

        assert_int_equal(pwrite(fd, &byte, 1, (off_t)(i / 8)), 1);
        expect_damaged(fd);
        assert_int_equal(pwrite(fd, &b.at[i / 8], 1, (off_t)(i / 8)), 1);
    }
    close(fd);
    bytes_free(&b);
}

static void a_journal_that_is_cut_or_longer_is_noticed(void **state)
{
    struct bytes b = make_image();

    (void)state;
    for (size_t n = 0; n < b.n; n++) {
        int fd = open_bytes(&b, n);

        expect_damaged(fd);
        close(fd);
    }
    put_u8(&b, 0);
    {
        int fd = open_bytes(&b, b.n);

        expect_damaged(fd);
        close(fd);
    }
    bytes_free(&b);
}

static ggk_status refuse_put(void *ctx, const void *data, size_t n,
                             ggk_error *err)
{
    (void)ctx, (void)data, (void)n, (void)err;
    fail_msg("something was written");
    return GGK_E_IO;
}

/* What would not be read is not written: here of 2^31 bytes. */
static void a_journal_that_is_too_long_is_not_written(void **state)
{
    static const uint64_t most = INT32_MAX;
    const ggk_allocator mem = ggki_mem_of(NULL);
    struct ggki_journal j = {.size = INT64_MAX};
    struct ggki_run run = {0, (most + 1 - 88 - 16 - 8) / 2, OLD, OLD};
    ggk_error err;

    (void)state;
    assert_true(ggki_journal_add(&j, &mem, &run));
    assert_int_equal(ggki_journal_encode(&j, refuse_put, NULL, &err),
                     GGK_E_LIMIT);
    assert_non_null(strstr(err.what, "2147483648"));
    ggki_journal_free(&j, &mem);
}

/* Zeros, of a file that is nothing but a hole. */
static uint8_t *map_zeros(struct scratch *s, size_t bytes)
{
    int fd = open(scratch_path(s, "zeros"), O_RDWR | O_CREAT, 0600);
    uint8_t *at;

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    assert_true(at != MAP_FAILED);
    close(fd);
    return at;
}

/* The same, of a header: the file is not touched, and it is said why. */
static void a_header_that_is_too_long_is_not_edited(void **state)
{
    const size_t was = (size_t)1 << 30, now = was + ROOM;
    const ggk_allocator mem = ggki_mem_of(NULL);
    struct bytes b = bytes_of(3, false);
    struct ggki_in_place e = {.mem = &mem, .now_bytes = now};
    struct scratch s;
    ggk_source *source;
    uint8_t is[sizeof OLD], *zeros;

    (void)state;
    assert_true(scratch_make_in(&s, "."));
    e.now = zeros = map_zeros(&s, now);
    e.was[0] = (struct ggki_piece){zeros, was};
    put_raw(&b, OLD, sizeof OLD);
    e.path = scratch_write(&s, "in", &b);
    assert_int_equal(ggk_source_open_edit(e.path, NULL, &source, NULL), GGK_OK);
    e.source = source;
    if (ggki_in_place_begin(source) == NULL && ggki_os_may_insert(source->fd)) {
        assert_int_equal(ggki_in_place_write(&e, NULL), GGK_E_LIMIT);
        assert_true(e.untouched);
        assert_non_null(strstr(e.why_not, "journal would be too long"));
    }
    assert_int_equal(ggk_source_read(source, 0, is, sizeof is, NULL), GGK_OK);
    assert_memory_equal(is, OLD, sizeof is);
    ggk_source_close(source);
    munmap(zeros, now);
    scratch_remove(&s);
    bytes_free(&b);
}

static void mend_sum(struct bytes *b)
{
    struct ggki_sum sum;

    ggki_sum_start(&sum);
    ggki_sum_add(&sum, b->at, b->n - 8);
    bytes_patch(b, b->n - 8, ggki_sum_end(&sum), 8);
}

/* The sum tells chance, not intent. */
static void numbers_that_cannot_be_are_refused(void **state)
{
    static const struct {
        size_t pos;
        uint64_t value;
    } wrong[] = {
        {0, 0},                        /* magic */
        {8, JOURNAL_BYTES - 1},        /* length */
        {40, FILE_BYTES - 1},          /* a run goes past the end */
        {40, UINT64_MAX},              /* no size of a file */
        {40, (uint64_t)INT64_MAX + 1}, /* likewise */
        {40, INT64_MAX},               /* with what is put in, too large */
        {48, UINT64_MAX},              /* put in */
        {48, INT64_MAX},               /* likewise */
        {56, 3},                       /* extents: one of them are the runs */
        {56, 5},                       /* more than there can be */
        {56, UINT64_MAX},              /* likewise */
        {56, UINT64_C(1) << 61},       /* a product that wraps to 0 */
        {64, 2},                       /* runs: bytes are left */
        {64, 4},                       /* there are not enough */
        {64, UINT64_MAX},              /* likewise */
        {64, UINT64_C(1) << 60},       /* a product that wraps to 0 */
        {72, FILE_BYTES + 1},          /* more than there is */
        {136, UINT64_MAX},             /* where a run is */
        {152, 9},                      /* within the run before */
        {152, FILE_BYTES - 7},         /* not before the next */
        {144, 11},                     /* its length */
        {144, UINT64_MAX},             /* likewise */
        {144, 9},                      /* likewise */
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct bytes b = make_image();
        int fd;

        bytes_patch(&b, wrong[i].pos, wrong[i].value, 8);
        mend_sum(&b);
        fd = open_bytes(&b, b.n);
        expect_damaged(fd);
        close(fd);
        bytes_free(&b);
    }
}

static void memory_that_is_not_there_is_told(void **state)
{
    struct bytes b = make_image();
    int fd = open_bytes(&b, b.n);
    ggk_status status = GGK_E_NOMEM;

    (void)state;
    for (size_t i = 1; status != GGK_OK; i++) {
        struct ledger ledger = {.fail_at = i};
        const ggk_allocator mem = ledger_allocator(&ledger);
        struct ggki_journal j;

        status = ggki_journal_read(&j, fd, &mem, NULL);
        assert_true(status == (ledger.calls >= i ? GGK_E_NOMEM : GGK_OK));
        ggki_journal_free(&j, &mem);
        assert_true(ledger_is_even(&ledger));
    }
    close(fd);
    bytes_free(&b);
}

static void a_journal_is_of_one_file(void **state)
{
    const struct ggki_journal j = {
        .file = {7, {100, 5}}, .size = 1000, .inserted = 24};
    const struct ggki_identity same = {7, {100, 5}}, unknown = {7, {0, -1}},
                               later = {7, {101, 5}}, sooner = {7, {100, 4}},
                               other = {8, {100, 5}};

    (void)state;
    assert_true(ggki_journal_is_of(&j, &same, 1000));
    assert_true(ggki_journal_is_of(&j, &same, 1024));
    assert_true(ggki_journal_is_of(&j, &unknown, 1000));
    assert_true(ggki_journal_is_of(&j, &same, 1001)); /* by whomever */
    assert_true(ggki_journal_is_of(&j, &same, 24));
    assert_false(ggki_journal_is_of(&j, &unknown, 1001));
    assert_false(ggki_journal_is_of(&j, &unknown, 24));
    assert_false(ggki_journal_is_of(&j, &later, 1000));
    assert_false(ggki_journal_is_of(&j, &sooner, 1000));
    assert_false(ggki_journal_is_of(&j, &other, 1000));
}

/* Runs that are empty, or overlap, would be looked at for each part of the
 * file: one that was made up took minutes. */
static void empty_and_overlapping_runs_are_refused(void **state)
{
    static const struct ggki_run wrong[][2] = {
        {{0, 0, OLD, OLD}, {0, 9, OLD, OLD}},
        {{0, 9, OLD, OLD}, {9, 0, OLD, OLD}},
        {{0, 9, OLD, OLD}, {8, 9, OLD, OLD}},
        {{9, 9, OLD, OLD}, {0, 9, OLD, OLD}},
        {{5, 9, OLD, OLD}, {5, 9, OLD, OLD}},
        {{0, 9, OLD, OLD}, {FILE_BYTES - 8, 9, OLD, OLD}},
    };
    const ggk_allocator mem = ggki_mem_of(NULL);

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct ggki_journal j = {.size = FILE_BYTES};
        struct bytes b;
        int fd;

        assert_true(ggki_journal_add(&j, &mem, &wrong[i][0]));
        assert_true(ggki_journal_add(&j, &mem, &wrong[i][1]));
        b = encode(&j);
        fd = open_bytes(&b, b.n);
        expect_damaged(fd);
        close(fd);
        ggki_journal_free(&j, &mem);
        bytes_free(&b);
    }
}

/* ------------------------------------------------------------------ folders */

struct seen {
    char text[1024];
    unsigned n, most; /* calls; after so many no more are wanted, 0: all are */
};

static bool note_seen(void *ctx, const char *journal, const char *file)
{
    struct seen *s = ctx;
    size_t used = strlen(s->text);

    snprintf(s->text + used, sizeof s->text - used, "%s of %s\n",
             strrchr(journal, '/'), file != NULL ? strrchr(file, '/') : "none");
    return ++s->n != s->most;
}

static void make_empty(struct scratch *s, const char *name)
{
    int fd = open(scratch_path(s, name), O_WRONLY | O_CREAT | O_EXCL, 0600);

    assert_true(fd >= 0);
    close(fd);
}

/* By their names, which tell nothing of a long one. */
static void journals_of_a_folder_are_found(void **state)
{
    static const char *const files[] = {"b",
                                        ".c.ggk-journal",
                                        "a",
                                        ".a.ggk-journal",
                                        ".ggk-journal",
                                        "d.ggk-journal",
                                        "..ggk-journal"};
    char name[221], hidden[GGKI_HIDDEN_BYTES], wanted[1024];
    struct ledger ledger = {0};
    const ggk_allocator mem = ledger_allocator(&ledger);
    struct seen all = {.n = 0}, one = {.most = 1};
    struct scratch s;
    ggk_error err;

    (void)state;
    scratch_make(&s);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        make_empty(&s, files[i]);
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    make_empty(&s, name);
    ggki_hidden_name(hidden, name, GGKI_JOURNAL);
    make_empty(&s, hidden);
    snprintf(wanted, sizeof wanted,
             "/.a.ggk-journal of /a\n/.c.ggk-journal of none\n/%s of /%s\n",
             hidden, name);
    assert_int_equal(ggk_journals_find(s.dir, &mem, note_seen, &all, NULL),
                     GGK_OK);
    assert_string_equal(all.text, wanted);
    assert_int_equal(ggk_journals_find(s.dir, &mem, note_seen, &one, NULL),
                     GGK_OK);
    assert_string_equal(one.text, "/.a.ggk-journal of /a\n");
    for (size_t i = 1; i <= 8; i++) {
        struct ledger poor = {.fail_at = i};
        const ggk_allocator less = ledger_allocator(&poor);
        struct seen some = {.n = 0};
        ggk_status status =
            ggk_journals_find(s.dir, &less, note_seen, &some, NULL);

        assert_int_equal(status, poor.calls >= i ? GGK_E_NOMEM : GGK_OK);
        assert_true(ledger_is_even(&poor));
    }
    scratch_remove(&s);
    assert_int_equal(ggk_journals_find(s.dir, &mem, note_seen, &all, &err),
                     GGK_E_IO);
    assert_int_equal(err.sys_errno, ENOENT);
    assert_true(ledger_is_even(&ledger));
}

/* A journal without its file, by its own name and by the file's. */
static void a_lone_journal_is_discarded(void **state)
{
    struct ledger ledger = {0};
    const ggk_allocator mem = ledger_allocator(&ledger);
    struct seen seen = {.n = 0};
    struct scratch s;
    ggk_error err;
    char journal[512], file[512];

    (void)state;
    scratch_make(&s);
    snprintf(journal, sizeof journal, "%s/.a.ggk-journal", s.dir);
    snprintf(file, sizeof file, "%s/a", s.dir);
    make_empty(&s, ".a.ggk-journal");
    make_empty(&s, "a");
    assert_int_equal(ggk_journal_discard(journal, 0, &mem, &err), GGK_E_EXISTS);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(ggk_journal_owner(file, &mem, note_seen, &seen, NULL),
                     GGK_OK);
    assert_string_equal(seen.text, "/.a.ggk-journal of none\n");
    assert_int_equal(ggk_journal_discard(file, GGK_RECOVER_DRY, &mem, NULL),
                     GGK_OK);
    assert_int_equal(access(journal, F_OK), 0);
    assert_int_equal(ggk_journal_discard(file, 0, &mem, NULL), GGK_OK);
    assert_int_equal(access(journal, F_OK), -1);
    assert_int_equal(ggk_journal_discard(file, 0, &mem, &err), GGK_E_IO);
    assert_int_equal(err.sys_errno, ENOENT);
    assert_true(ledger_is_even(&ledger));
    scratch_remove(&s);
}

/* ----------------------------------------------------------------- boundary */

enum { SIZE = 200, SHIFT = 40, FOREIGN = -1, MOST_EXTENTS = 4 };

struct layout {
    struct ggki_extent at[MOST_EXTENTS];
};

static struct ggki_extents count(struct layout *l)
{
    struct ggki_extents list = {l->at, 0, MOST_EXTENTS};

    while (list.n < MOST_EXTENTS && l->at[list.n].bytes > 0)
        list.n++;
    return list;
}

static int boundary(struct layout was, struct layout now, uint64_t head)
{
    struct ggki_extents a = count(&was), b = count(&now);
    uint64_t found;

    return ggki_extents_boundary(&a, &b, SIZE, SHIFT, head, &found) ? (int)found
                                                                    : FOREIGN;
}

static const struct layout three = {
    {{0, 1000, 100}, {100, 5000, 50}, {150, 3000, 50}}};
static const struct layout one = {{{0, 1000, 200}}};

static void the_boundary_is_where_the_gap_is(void **state)
{
    struct layout now = three;

    (void)state;
    assert_int_equal(boundary(three, now, 0), SIZE); /* nothing has moved */
    now.at[2].at += SHIFT;
    assert_int_equal(boundary(three, now, 0), 150);
    now.at[1].at += SHIFT;
    assert_int_equal(boundary(three, now, 0), 100);
    now.at[0].at += SHIFT;
    assert_int_equal(boundary(three, now, 0), 0);     /* all of it */
    now.at[3] = (struct ggki_extent){0, 9000, SHIFT}; /* what was put in */
    assert_int_equal(boundary(three, now, 0), 0);
}

static void extents_may_be_divided_or_joined(void **state)
{
    static const struct layout within = {{{0, 1000, 80},
                                          {80 + SHIFT, 1080, 120}}},
                               moved = {{{SHIFT, 1000, 80},
                                         {80 + SHIFT, 1080, 120}}},
                               two = {{{0, 1000, 150}, {150, 1150, 50}}},
                               joined = {{{SHIFT, 1000, 200}}};

    (void)state;
    assert_int_equal(boundary(one, within, 0), 80);
    assert_int_equal(boundary(one, moved, 0), 0);
    assert_int_equal(boundary(two, joined, 0), 0);
    assert_int_equal(boundary(two, one, 0), SIZE);
    assert_int_equal(boundary(two, within, 0), 80);
}

/* Bytes of the head that were written once all had moved may lie elsewhere. */
static void the_head_may_be_in_another_place(void **state)
{
    static const struct layout head = {{{SHIFT, 7000, 60},
                                        {60 + SHIFT, 1060, 140}}},
                               alone = {{{0, 7000, 60}, {60, 1060, 140}}},
                               tail = {{{SHIFT, 1000, 140},
                                        {140 + SHIFT, 7000, 60}}};

    (void)state;
    assert_int_equal(boundary(one, head, 60), 0);
    assert_int_equal(boundary(one, head, 100), 0);
    assert_int_equal(boundary(one, head, 59), FOREIGN);
    assert_int_equal(boundary(one, alone, 60), FOREIGN);
    assert_int_equal(boundary(one, tail, 60), FOREIGN);
}

static void a_hole_has_no_place(void **state)
{
    static const struct layout was = {{{0, 1000, 50}, {150, 2000, 50}}},
                               now = {{{0, 1000, 50}, {150 + SHIFT, 2000, 50}}};

    (void)state;
    assert_int_equal(boundary(was, now, 0), 128); /* the roundest of 50...150 */
    assert_int_equal(boundary(was, was, 0), SIZE);
}

static void what_no_insertion_leaves_is_foreign(void **state)
{
    static const struct layout
        none = {{{0, 0, 0}}},
        first = {{{SHIFT, 1000, 100}, {100, 5000, 50}, {150, 3000, 50}}},
        farther = {{{SHIFT + 1, 1000, 200}}}, back = {{{0, 1010, 190}}},
        elsewhere = {{{0, 1000, 100}, {100, 6000, 50}, {150, 3000, 50}}},
        exchanged = {{{0, 5000, 100}, {100, 1000, 100}}};

    (void)state;
    assert_int_equal(boundary(three, none, 0), FOREIGN);
    assert_int_equal(boundary(three, first, 0), FOREIGN);
    assert_int_equal(boundary(one, farther, 0), FOREIGN);
    assert_int_equal(boundary(one, back, 0), FOREIGN);
    assert_int_equal(boundary(three, elsewhere, 0), FOREIGN);
    assert_int_equal(boundary(three, exchanged, 0), FOREIGN);
    assert_int_equal(boundary(none, three, 0), 0); /* nothing but a hole */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_journal_is_read_as_it_was_written),
        cmocka_unit_test(a_lone_journal_is_discarded),
        cmocka_unit_test(an_unknown_birth_is_read_as_such),
        cmocka_unit_test(every_bit_that_is_another_is_noticed),
        cmocka_unit_test(a_journal_that_is_cut_or_longer_is_noticed),
        cmocka_unit_test(a_journal_that_is_too_long_is_not_written),
        cmocka_unit_test(a_header_that_is_too_long_is_not_edited),
        cmocka_unit_test(numbers_that_cannot_be_are_refused),
        cmocka_unit_test(empty_and_overlapping_runs_are_refused),
        cmocka_unit_test(memory_that_is_not_there_is_told),
        cmocka_unit_test(a_journal_is_of_one_file),
        cmocka_unit_test(journals_of_a_folder_are_found),
        cmocka_unit_test(the_boundary_is_where_the_gap_is),
        cmocka_unit_test(extents_may_be_divided_or_joined),
        cmocka_unit_test(the_head_may_be_in_another_place),
        cmocka_unit_test(a_hole_has_no_place),
        cmocka_unit_test(what_no_insertion_leaves_is_foreign),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
