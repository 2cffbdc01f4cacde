/* test_cli_table.c - aligned columns. */
#include "cli_capture.h"

#include "out/table.h"

static const struct table_column columns[] = {
    {"name", TABLE_LEFT, true},
    {"bytes", TABLE_RIGHT, false},
    {"note", TABLE_LEFT, false},
};

static void write_rows(FILE *out, size_t max_width, const char *on,
                       const char *off)
{
    struct table t;

    table_start(&t, out, columns, 3, max_width, on, off);
    do {
        table_cstring(&t, "token_embd.weight");
        table_u64(&t, 7);
        table_cstring(&t, "first");
        table_text(&t, "\xe4\xb8\xad\x1b", 4);
        table_size(&t, 1536);
        table_cstring(&t, "");
        table_cstring(&t, "");
        table_u64(&t, 123456);
        table_cstring(&t, "x");
    } while (table_again(&t));
}

static void columns_are_aligned(void **state)
{
    struct capture c;

    (void)state;
    capture_start(&c);
    write_rows(c.out, 0, "", "");
    capture_expect(&c, "name                  bytes  note\n"
                       "token_embd.weight         7  first\n"
                       "\xe4\xb8\xad\\x1b             1.50 KiB\n"
                       "                     123456  x\n");
}

static void quotes_count(void **state)
{
    static const struct table_column quoted[] = {
        {"id", TABLE_RIGHT, false},
        {"text", TABLE_LEFT, true},
    };
    struct capture c;
    struct table t;

    (void)state;
    capture_start(&c);
    table_start(&t, c.out, quoted, 2, 14, "", "");
    do {
        table_u64(&t, 1);
        table_quoted(&t, "", 0);
        table_u64(&t, 2);
        table_quoted(&t, " \"\n", 3);
        table_u64(&t, 3);
        table_quoted(&t, "123456789", 9);
        table_u64(&t, 4);
        table_quoted(&t, "1234567890", 10);
    } while (table_again(&t));
    capture_expect(&c, "id  text\n"
                       " 1  \"\"\n"
                       " 2  \" \\\"\\n\"\n"
                       " 3  \"1234567\xe2\x80\xa6\"\n"
                       " 4  \"1234567\xe2\x80\xa6\"\n");
}

static void the_flexible_column_gives_way(void **state)
{
    struct capture c;

    (void)state;
    capture_start(&c);
    write_rows(c.out, 27, "<", ">");
    capture_expect(&c, "<name           bytes  note>\n"
                       "token_emb\xe2\x80\xa6         7  first\n"
                       "\xe4\xb8\xad\\x1b      1.50 KiB\n"
                       "              123456  x\n");
    /* But not below what can be read. */
    capture_start(&c);
    write_rows(c.out, 5, "", "");
    capture_expect(&c, "name         bytes  note\n"
                       "token_e\xe2\x80\xa6         7  first\n"
                       "\xe4\xb8\xad\\x1b    1.50 KiB\n"
                       "            123456  x\n");
}

static void titles_may_be_absent(void **state)
{
    static const struct table_column bare[] = {
        {NULL, TABLE_LEFT, false},
        {NULL, TABLE_RIGHT, false},
    };
    struct capture c;
    struct table t;

    (void)state;
    capture_start(&c);
    table_start(&t, c.out, bare, 2, 80, "<", ">");
    do {
        table_cstring(&t, "a");
        table_u64(&t, 1);
        table_cstring(&t, "bcd");
        table_u64(&t, 23);
    } while (table_again(&t));
    capture_expect(&c, "a     1\nbcd  23\n");
}

static void no_rows_leave_the_titles(void **state)
{
    struct capture c;
    struct table t;

    (void)state;
    capture_start(&c);
    table_start(&t, c.out, columns, 3, 0, "", "");
    while (table_again(&t))
        continue;
    capture_expect(&c, "name  bytes  note\n");
}

static void one_absurd_cell_does_not_widen_all(void **state)
{
    enum { LONG = 100000 };
    char *text = malloc(LONG);
    struct capture c;
    struct table t;
    int i;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', LONG);
    capture_start(&c);
    table_start(&t, c.out, columns, 3, 0, "", "");
    do {
        table_text(&t, text, LONG);
        table_u64(&t, 1);
        table_cstring(&t, "n");
        for (i = 0; i < 1000; i++) {
            table_cstring(&t, "a");
            table_u64(&t, 1);
            table_cstring(&t, "n");
        }
    } while (table_again(&t));
    capture_stop(&c);
    assert_true(c.n > LONG && c.n < LONG + 1002 * 140);
    capture_free(&c);
    free(text);
}

static void lines_stay_lines(void **state)
{
    unsigned char bytes[64];
    uint64_t seed = 42;
    size_t lines = 0, i;
    struct capture c;
    struct table t;

    (void)state;
    capture_start(&c);
    table_start(&t, c.out, columns, 3, 60, "", "");
    do {
        seed = 42;
        for (i = 0; i < 500; i++) {
            table_text(&t, bytes, capture_random_bytes(&seed, bytes, 64));
            table_u64(&t, i);
            table_cstring(&t, "end");
        }
    } while (table_again(&t));
    capture_stop(&c);
    for (i = 0; i < c.n; i++) {
        if (c.text[i] != '\n')
            continue;
        lines++;
        assert_memory_equal(c.text + i - 3, lines == 1 ? "ote" : "end", 3);
        c.text[i] = ' ';
    }
    assert_int_equal(lines, 501);
    assert_true(capture_is_safe(c.text, c.n));
    capture_free(&c);
}

static void write_spare(FILE *out, size_t max_width)
{
    static const struct table_column four[] = {
        {"name", TABLE_LEFT, true},
        {"a", TABLE_RIGHT, false},
        {"b", TABLE_RIGHT, false},
        {"c", TABLE_RIGHT, false},
    };
    struct table t;

    table_start(&t, out, four, 4, max_width, "<", ">");
    table_leave_out(&t, 1);
    table_spare(&t, 3);
    table_spare(&t, 2);
    do {
        table_cstring(&t, "a name of twenty-six bytes");
        table_u64(&t, 1);
        table_u64(&t, 2222);
        table_u64(&t, 3333);
    } while (table_again(&t));
}

/* The last column takes what is left, and its cells are put the second time. */
static void write_filled(FILE *out, size_t max_width, size_t room)
{
    static const struct table_column three[] = {
        {"name", TABLE_LEFT, true},
        {"a", TABLE_RIGHT, false},
        {"b", TABLE_LEFT, false},
    };
    struct table t;

    table_start(&t, out, three, 3, max_width, "<", ">");
    for (int i = 0; i < 2; i++) {
        table_cstring(&t, "a name");
        table_u64(&t, 10);
        table_cstring(&t, i == 0 ? "" : "all of it");
        if (i > 0)
            break;
        assert_true(table_room(&t, 2) == room);
        table_widen(&t, 2, 9);
        assert_true(table_again(&t));
    }
    assert_false(table_again(&t));
}

static void columns_fill_what_is_left(void **state)
{
    struct capture c;

    (void)state;
    capture_start(&c);
    write_filled(c.out, 0, SIZE_MAX);
    write_filled(c.out, 40, 28);
    write_filled(c.out, 12, 0);
    capture_expect(&c, "<name     a  b>\n"
                       "a name  10  all of it\n"
                       "<name     a  b>\n"
                       "a name  10  all of it\n"
                       "<name     a  b>\n"
                       "a name  10  all of it\n");
}

static void columns_are_left_out(void **state)
{
    struct capture c;

    (void)state;
    capture_start(&c);
    write_spare(c.out, 0);
    write_spare(c.out, 38);
    write_spare(c.out, 37);
    write_spare(c.out, 31);
    write_spare(c.out, 20);
    capture_expect(&c, "<name                           b     c>\n"
                       "a name of twenty-six bytes  2222  3333\n"
                       "<name                           b     c>\n"
                       "a name of twenty-six bytes  2222  3333\n"
                       "<name                           b>\n"
                       "a name of twenty-six bytes  2222\n"
                       "<name>\n"
                       "a name of twenty-six bytes\n"
                       "<name>\n"
                       "a name of twenty-si\xe2\x80\xa6\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_aligned),
        cmocka_unit_test(quotes_count),
        cmocka_unit_test(the_flexible_column_gives_way),
        cmocka_unit_test(titles_may_be_absent),
        cmocka_unit_test(no_rows_leave_the_titles),
        cmocka_unit_test(one_absurd_cell_does_not_widen_all),
        cmocka_unit_test(lines_stay_lines),
        cmocka_unit_test(columns_are_left_out),
        cmocka_unit_test(columns_fill_what_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
