/* test_cli_lines.c - texts compared line by line. */
#include "cli_capture.h"

#include <stdbool.h>
#include <time.h>

#include "out/lines.h"

static const struct lines_look plain = {"", "", "", "", SIZE_MAX};

static void expect(const char *a, const char *b, const char *wanted)
{
    struct capture c;

    capture_start(&c);
    assert_int_equal(lines_diff(c.out, a, strlen(a), b, strlen(b), &plain), 0);
    capture_expect(&c, wanted);
}

static void lines_are_counted(void **state)
{
    (void)state;
    assert_int_equal(lines_count("", 0), 0);
    assert_int_equal(lines_count(NULL, 0), 0);
    assert_int_equal(lines_count("a", 1), 1);
    assert_int_equal(lines_count("a\n", 2), 1);
    assert_int_equal(lines_count("\n\na", 3), 3);
}

static void one_line_changes(void **state)
{
    (void)state;
    expect("a\nb\nc\n", "a\nX\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+X\n c\n");
    expect("", "a\n", "@@ -0,0 +1 @@\n+a\n");
    expect("a\n", "", "@@ -1 +0,0 @@\n-a\n");
    expect("a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at the end\n+a\n");
    expect("a\n\x1b[31m\n", "a\n\t\n",
           "@@ -1,2 +1,2 @@\n a\n-\\x1b[31m\n+\\t\n");
}

static void hunks_have_context(void **state)
{
    (void)state;
    expect("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n",
           "1\n2\n3\n4\nX\n6\n7\n8\n9\n10\n11\n12\n13\nY\n",
           "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n"
           "@@ -11,3 +11,4 @@\n 11\n 12\n 13\n+Y\n");
    /* Six lines between are shown as one hunk. */
    expect("1\n2\n3\n4\n5\n6\n7\n8\n", "X\n2\n3\n4\n5\n6\n7\nY\n",
           "@@ -1,8 +1,8 @@\n-1\n+X\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+Y\n");
}

/* The fewest edits, where more would do. */
static void script_is_shortest(void **state)
{
    (void)state;
    expect("A\nB\nC\nA\nB\nB\nA\n", "C\nB\nA\nB\nA\nC\n",
           "@@ -1,7 +1,6 @@\n-A\n-B\n C\n+B\n A\n B\n-B\n A\n+C\n");
}

/* ------------------------------------------------------------------ patching
 */

struct text {
    char *at;
    size_t n;
};

static void append(struct text *t, const char *s, size_t n)
{
    memcpy(t->at + t->n, s, n);
    t->n += n;
}

/* One of the lines of a text, past `*pos`. */
static size_t line_at(const struct text *t, size_t pos)
{
    const char *end = memchr(t->at + pos, '\n', t->n - pos);

    return end == NULL ? t->n - pos : (size_t)(end - t->at) - pos + 1;
}

/* What `patch` makes of `a`, into `b`; both texts end in a newline. Returns the
 * number of lines that change. */
static size_t apply(const struct text *a, const char *patch, struct text *b)
{
    size_t pos = 0, line = 0, edits = 0;

    while (*patch != '\0') {
        size_t n = strcspn(patch, "\n") + 1, first, count = 1;

        if (*patch == '@') {
            int found = sscanf(patch, "@@ -%zu,%zu", &first, &count);
            first -= count > 0 || found < 2;
            while (line < first) {
                size_t len = line_at(a, pos);
                append(b, a->at + pos, len);
                pos += len;
                line++;
            }
        } else if (*patch == '+') {
            append(b, patch + 1, n - 1);
            edits++;
        } else {
            size_t len = line_at(a, pos);
            assert_int_equal(len, n - 1);
            assert_memory_equal(a->at + pos, patch + 1, len);
            if (*patch == ' ')
                append(b, patch + 1, n - 1);
            else
                edits++;
            pos += len;
            line++;
        }
        patch += n;
    }
    append(b, a->at + pos, a->n - pos);
    return edits;
}

/* The fewest edits by the table of longest common subsequences; every line is
 * of two bytes. */
static size_t fewest(const struct text *a, const struct text *b)
{
    size_t n = a->n / 2, m = b->n / 2;
    static size_t common[128][128];

    for (size_t i = n + 1; i-- > 0;)
        for (size_t j = m + 1; j-- > 0;) {
            if (i == n || j == m)
                common[i][j] = 0;
            else if (a->at[2 * i] == b->at[2 * j])
                common[i][j] = common[i + 1][j + 1] + 1;
            else
                common[i][j] = common[i + 1][j] > common[i][j + 1]
                                   ? common[i + 1][j]
                                   : common[i][j + 1];
        }
    return n + m - 2 * common[0][0];
}

static void random_text(uint64_t *state, struct text *t)
{
    size_t lines = capture_random(state) % 120;
    unsigned letters = 1 + (unsigned)(capture_random(state) % 20);

    t->n = 0;
    for (size_t i = 0; i < lines; i++) {
        t->at[t->n++] = (char)('a' + capture_random(state) % letters);
        t->at[t->n++] = '\n';
    }
}

static void patches_are_right_and_shortest(void **state)
{
    char memory[3][1024];
    struct text a = {memory[0], 0}, b = {memory[1], 0}, made = {memory[2], 0};
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct capture c;

        random_text(&seed, &a);
        random_text(&seed, &b);
        if (a.n == b.n && memcmp(a.at, b.at, a.n) == 0)
            continue;
        capture_start(&c);
        assert_int_equal(lines_diff(c.out, a.at, a.n, b.at, b.n, &plain), 0);
        capture_stop(&c);
        made.n = 0;
        assert_int_equal(apply(&a, c.text, &made), fewest(&a, &b));
        assert_int_equal(made.n, b.n);
        assert_memory_equal(made.at, b.at, b.n);
        capture_free(&c);
    }
}

/* --------------------------------------------------------------------- bounds
 */

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* `n` lines of numbers below `most`. */
static struct text numbers(size_t n, unsigned most, uint64_t seed)
{
    struct text t = {malloc(n * 12 + 1), 0};

    assert_non_null(t.at);
    for (size_t i = 0; i < n; i++)
        t.n += (size_t)snprintf(t.at + t.n, 12, "%u\n",
                                (unsigned)(capture_random(&seed) % most));
    return t;
}

/* Whatever is compared, an end comes soon, and what is hidden is counted. */
static void time_and_memory_are_bounded(void **state)
{
    static const struct {
        size_t n;
        unsigned most;
    } cases[] = {{1000000, 2},
                 {1000000, 1u << 31},
                 {60000, 2},
                 {60000, 1u << 31},
                 {2000, 1u << 31}};
    const struct lines_look few = {"", "", "", "", 10};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text a = numbers(cases[i].n, cases[i].most, 1);
        struct text b = numbers(cases[i].n, cases[i].most, 2);
        double begun = seconds();
        struct capture c;
        size_t hidden;

        capture_start(&c);
        hidden = lines_diff(c.out, a.at, a.n, b.at, b.n, &few);
        capture_stop(&c);
        assert_in_range(hidden, 500, 2000000);
        assert_true(c.n < 200);
        assert_true(seconds() - begun < 10);
        capture_free(&c);
        free(a.at);
        free(b.at);
    }
}

/* Lines too many to be compared one by one are shown whole, if that is asked
 * for. */
static void all_lines_means_all(void **state)
{
    const struct lines_look all = {"", "", "", "", (size_t)-1};
    struct text a = numbers(70000, 1u << 31, 1);
    struct text b = numbers(70000, 1u << 31, 2);
    struct capture c;
    size_t hidden;

    (void)state;
    capture_start(&c);
    hidden = lines_diff(c.out, a.at, a.n, b.at, b.n, &all);
    capture_stop(&c);
    assert_int_equal(hidden, 0);
    assert_int_equal(lines_count(c.text, c.n), 140001);
    capture_free(&c);
    free(a.at);
    free(b.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_counted),
        cmocka_unit_test(one_line_changes),
        cmocka_unit_test(hunks_have_context),
        cmocka_unit_test(script_is_shortest),
        cmocka_unit_test(patches_are_right_and_shortest),
        cmocka_unit_test(time_and_memory_are_bounded),
        cmocka_unit_test(all_lines_means_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
