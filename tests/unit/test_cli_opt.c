/* test_cli_opt.c - options: what is taken, what is refused and in which words,
 * and what the tables print. */
#include "cli_capture.h"

#include "ui/opt.h"

struct values {
    bool full;
    bool wide;
    const char *out;
    uint64_t limit;
    uint64_t size;
    int sort;
    struct opt_list rules;
};

struct shared {
    bool json;
    uint64_t threads;
};

static const char *const sort_choices[] = {"name", "size", "offset=place",
                                           NULL};

static const struct opt own[] = {
    {"full", 'f', OPT_FLAG, NULL, "show all", offsetof(struct values, full),
     NULL},
    {"wide", 'w', OPT_FLAG, NULL, "show more", offsetof(struct values, wide),
     NULL},
    {"output", 'o', OPT_STRING, "FILE", "write to FILE",
     offsetof(struct values, out), NULL},
    {"limit", 'n', OPT_U64, "N", "no more than N",
     offsetof(struct values, limit), NULL},
    {"max-size", 0, OPT_SIZE, "S", "up to S", offsetof(struct values, size),
     NULL},
    {"sort", 0, OPT_CHOICE, NULL, "sort_by this", offsetof(struct values, sort),
     sort_choices},
    {"rule", 'r', OPT_LIST, "RE=T", "a rule", offsetof(struct values, rules),
     NULL},
    {0},
};

static const struct opt common[] = {
    {"json", 0, OPT_FLAG, NULL, "as JSON", offsetof(struct shared, json), NULL},
    {"threads", 0, OPT_U64, "N", "use N", offsetof(struct shared, threads),
     NULL},
    {0},
};

static const struct opt_alias other_names[] = {
    {"write-to", "output"},
    {"everything", "full"},
    {NULL, NULL},
};

/* One command line and what became of it. */
struct line {
    struct values values;
    struct shared shared;
    struct opt_set sets[3];
    struct opt_result result;
    char *argv[32];
    int argc;
    bool ok;
};

/* Parse copies of the words up to a NULL. */
static void parse(struct line *l, enum opt_order order, ...)
{
    va_list words;
    const char *word;

    memset(l, 0, sizeof *l);
    va_start(words, order);
    while ((word = va_arg(words, const char *)) != NULL) {
        l->argv[l->argc] = strdup(word);
        assert_non_null(l->argv[l->argc++]);
    }
    va_end(words);
    l->sets[0] = (struct opt_set){own, &l->values, other_names};
    l->sets[1] = (struct opt_set){NULL, &l->shared, NULL};
    l->sets[2] = (struct opt_set){common, &l->shared, NULL};
    l->ok = opt_parse(l->sets, 3, order, l->argc, l->argv, &l->result);
}

static void finish_line(struct line *l)
{
    while (l->argc > 0)
        free(l->argv[--l->argc]);
    opt_free(l->sets, 3, &l->result);
    assert_null(l->result.operands);
    assert_null(l->values.rules.items);
}

static void expect_operands(struct line *l, int n, ...)
{
    va_list words;
    int i;

    assert_true(l->ok);
    assert_string_equal(l->result.error, "");
    assert_int_equal(l->result.n, n);
    va_start(words, n);
    for (i = 0; i < n; i++)
        assert_string_equal(l->result.operands[i], va_arg(words, const char *));
    va_end(words);
    assert_null(l->result.operands[n]);
}

static void every_kind_is_stored(void **state)
{
    struct line l;

    (void)state;
    parse(&l, OPT_MIXED, "--full", "--output=a b", "--limit",
          "18446744073709551615", "--max-size=2Gi", "--sort=offset", "--rule",
          "x=Q4_K", "--rule=y=F16", "-rz=F32", "--json", NULL);
    expect_operands(&l, 0);
    assert_true(l.values.full);
    assert_false(l.values.wide);
    assert_string_equal(l.values.out, "a b");
    assert_true(l.values.limit == UINT64_MAX);
    assert_true(l.values.size == UINT64_C(2) << 30);
    assert_int_equal(l.values.sort, 3);
    assert_int_equal(l.values.rules.n, 3);
    assert_string_equal(l.values.rules.items[0], "x=Q4_K");
    assert_string_equal(l.values.rules.items[1], "y=F16");
    assert_string_equal(l.values.rules.items[2], "z=F32");
    assert_true(l.shared.json);
    finish_line(&l);
}

static void what_is_not_given_is_zero(void **state)
{
    struct line l;

    (void)state;
    parse(&l, OPT_MIXED, NULL);
    expect_operands(&l, 0);
    assert_null(l.values.out);
    assert_int_equal(l.values.sort, 0);
    assert_int_equal(l.values.rules.n, 0);
    finish_line(&l);
}

static void letters_bundle(void **state)
{
    struct line l;

    (void)state;
    parse(&l, OPT_MIXED, "-fwn12", "-o", "-", NULL);
    expect_operands(&l, 0);
    assert_true(l.values.full && l.values.wide);
    assert_int_equal(l.values.limit, 12);
    assert_string_equal(l.values.out, "-");
    finish_line(&l);
    parse(&l, OPT_MIXED, "-ofile", "-wf", "-n", "3", NULL);
    expect_operands(&l, 0);
    assert_true(l.values.full && l.values.wide);
    assert_string_equal(l.values.out, "file");
    assert_int_equal(l.values.limit, 3);
    finish_line(&l);
}

static void operands_stand_anywhere(void **state)
{
    struct line l;

    (void)state;
    parse(&l, OPT_MIXED, "a", "--full", "b", "-o", "a", "-", "", "c", NULL);
    expect_operands(&l, 5, "a", "b", "-", "", "c");
    assert_true(l.values.full);
    assert_string_equal(l.values.out, "a");
    finish_line(&l);
    parse(&l, OPT_MIXED, "--full", "--", "--json", "-f", "--", NULL);
    expect_operands(&l, 3, "--json", "-f", "--");
    assert_false(l.shared.json);
    finish_line(&l);
}

static void leading_options_end_at_an_operand(void **state)
{
    struct line l;

    (void)state;
    parse(&l, OPT_LEADING, "--json", "info", "--unknown", "--full", NULL);
    expect_operands(&l, 3, "info", "--unknown", "--full");
    assert_true(l.shared.json);
    assert_false(l.values.full);
    finish_line(&l);
}

static void the_last_of_several_holds(void **state)
{
    struct line l;

    (void)state;
    parse(&l, OPT_MIXED, "--sort=name", "--sort=size", "-n1", "-n2", NULL);
    expect_operands(&l, 0);
    assert_int_equal(l.values.sort, 2);
    assert_int_equal(l.values.limit, 2);
    finish_line(&l);
}

static void values_may_look_like_anything(void **state)
{
    struct line l;

    (void)state;
    parse(&l, OPT_MIXED, "--output", "--json", "--rule=", "--rule", "a=b=c",
          "--rule=\xff\n", NULL);
    expect_operands(&l, 0);
    assert_string_equal(l.values.out, "--json");
    assert_false(l.shared.json);
    assert_string_equal(l.values.rules.items[0], "");
    assert_string_equal(l.values.rules.items[1], "a=b=c");
    assert_string_equal(l.values.rules.items[2], "\xff\n");
    finish_line(&l);
}

static void many_values_are_kept_in_order(void **state)
{
    enum { MANY = 1000 };
    static char words[MANY][16];
    static char *argv[MANY];
    struct values values = {0};
    struct opt_set set = {own, &values, NULL};
    struct opt_result result;
    int i;

    (void)state;
    for (i = 0; i < MANY; i++) {
        snprintf(words[i], sizeof words[i], "--rule=%d", i);
        argv[i] = words[i];
    }
    assert_true(opt_parse(&set, 1, OPT_MIXED, MANY, argv, &result));
    assert_int_equal(values.rules.n, MANY);
    for (i = 0; i < MANY; i++)
        assert_string_equal(values.rules.items[i], words[i] + 7);
    opt_free(&set, 1, &result);
}

static void expect_refusal(const char *sentence, const char *a, const char *b)
{
    struct line l;

    parse(&l, OPT_MIXED, "x", a, b, NULL);
    assert_false(l.ok);
    assert_false(l.result.no_memory);
    assert_string_equal(l.result.error, sentence);
    finish_line(&l);
}

static void wrong_words_are_told(void **state)
{
    (void)state;
    expect_refusal("unknown option '--jsno' (did you mean '--json'?)", "--jsno",
                   NULL);
    expect_refusal("unknown option '--jsno' (did you mean '--json'?)",
                   "--jsno=3", NULL);
    expect_refusal("unknown option '-json' (did you mean '--json'?)", "-json",
                   NULL);
    expect_refusal("unknown option '--thread' (did you mean '--threads'?)",
                   "--thread", "4");
    expect_refusal("unknown option '--frobnicate'", "--frobnicate", NULL);
    expect_refusal("unknown option '-Z'", "-Z", NULL);
    expect_refusal("unknown option '--'", "--=3", NULL);
    expect_refusal("option '--output' needs a value", "--output", NULL);
    expect_refusal("option '-o' needs a value", "-o", NULL);
    expect_refusal("option '--full' takes no value", "--full=yes", NULL);
    expect_refusal("--limit: '12x' is not a whole number", "--limit", "12x");
    expect_refusal("--limit: '-1' is not a whole number", "-n", "-1");
    expect_refusal("--limit: '' is not a whole number", "--limit=", NULL);
    expect_refusal("--limit: '18446744073709551616' is too large",
                   "--limit=18446744073709551616", NULL);
    expect_refusal("--max-size: '12Q' is not a size, such as 4096, 2G or 512Mi",
                   "--max-size=12Q", NULL);
    expect_refusal("--max-size: '99999999T' is too large",
                   "--max-size=99999999T", NULL);
    expect_refusal("--sort: 'names' is none of name, size, offset", "--sort",
                   "names");
    /* popt puts the next operand in the place of these four characters. */
    expect_refusal("--output: its value cannot be read", "--output=a!#:+",
                   "operand");
}

static void choices_may_be_written_otherwise(void **state)
{
    static const char *const words[] = {"offset", "OFFSET", "place", "Place"};

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct line l;

        parse(&l, OPT_MIXED, "--sort", words[i], NULL);
        assert_string_equal(l.result.error, "");
        assert_int_equal(l.values.sort, 3);
        finish_line(&l);
    }
    expect_refusal("--sort: 'offset=place' is none of name, size, offset",
                   "--sort", "offset=place");
    expect_refusal("--sort: 'plac' is none of name, size, offset", "--sort",
                   "plac");
}

static void a_second_string_is_refused(void **state)
{
    (void)state;
    expect_refusal("--output is given twice: 'a' and 'b'", "-oa", "--output=b");
    expect_refusal("--output is given twice: '' and ''", "--output=", "-o=");
}

static void long_words_are_cut(void **state)
{
    static char word[5000];
    struct line l;

    (void)state;
    memset(word, 'x', sizeof word - 1);
    parse(&l, OPT_MIXED, "--sort", word, NULL);
    assert_false(l.ok);
    assert_true(strlen(l.result.error) < sizeof l.result.error);
    finish_line(&l);
    memcpy(word, "--", 2);
    parse(&l, OPT_MIXED, word, NULL);
    assert_false(l.ok);
    assert_true(strlen(l.result.error) < sizeof l.result.error);
    finish_line(&l);
}

static void near_words_are_found(void **state)
{
    static const char *const words[] = {"info", "dump",    "keys", "get",
                                        "map",  "tensors", "types"};
    static const struct {
        const char *word;
        const char *nearest;
    } known[] = {
        {"inof", "info"},      {"ifno", "info"},
        {"tensor", "tensors"}, {"tensros", "tensors"},
        {"dmp", "dump"},       {"keyss", "keys"},
        {"type", "types"},     {"ten", "tensors"},
        {"quantize", NULL},    {"", NULL},
        {"x", NULL},           {"model.gguf", NULL},
    };
    char word[200];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *nearest = opt_nearest(known[i].word, words, 7);

        if (known[i].nearest == NULL) {
            assert_null(nearest);
        } else {
            assert_non_null(nearest);
            assert_string_equal(nearest, known[i].nearest);
        }
    }
    memset(word, 'i', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_null(opt_nearest(word, words, 7));
}

static void of_words_as_near_one_begins_alike(void **state)
{
    static const char *const words[] = {"a_b_s", "b_b_m", "a_b_m", "a_b_x"};

    (void)state;
    assert_string_equal(opt_nearest("b_b_l", words, 4), "b_b_m");
    assert_string_equal(opt_nearest("a_b_l", words, 4), "a_b_s");
    assert_string_equal(opt_nearest("a_b", words + 1, 3), "a_b_m");
}

static void other_names_are_understood(void **state)
{
    struct line l;

    (void)state;
    parse(&l, OPT_MIXED, "--everything", "--write-to=x", NULL);
    assert_true(l.ok);
    assert_true(l.values.full);
    assert_string_equal(l.values.out, "x");
    finish_line(&l);
    parse(&l, OPT_MIXED, "--write-to", "x", "-o", "y", NULL);
    assert_false(l.ok);
    assert_string_equal(l.result.error, "--output is given twice: 'x' and 'y'");
    finish_line(&l);
    parse(&l, OPT_MIXED, "--write-too", "x", NULL);
    assert_false(l.ok);
    assert_string_equal(l.result.error, "unknown option '--write-too' (did you "
                                        "mean '--output'?)");
    finish_line(&l);
}

static void help_is_aligned(void **state)
{
    struct capture c;

    (void)state;
    capture_start(&c);
    opt_print_help(c.out, own);
    opt_print_help(c.out, NULL);
    capture_expect(&c, "  -f, --full                show all\n"
                       "  -w, --wide                show more\n"
                       "  -o, --output FILE         write to FILE\n"
                       "  -n, --limit N             no more than N\n"
                       "      --max-size S          up to S\n"
                       "      --sort name|size|offset\n"
                       "                            sort_by this\n"
                       "  -r, --rule RE=T           a rule\n");
}

static void manual_has_no_stray_markup(void **state)
{
    static const struct opt few[] = {
        {"sort", 's', OPT_CHOICE, NULL, "a_b * \\c", 0, sort_choices},
        {"full", 0, OPT_FLAG, NULL, "all", 0, NULL},
        {0},
    };
    struct capture c;

    (void)state;
    capture_start(&c);
    opt_print_scdoc(c.out, few);
    capture_expect(&c, "*-s*, *--sort* _name|size|offset_\n"
                       "\ta\\_b \\* \\\\c\n\n"
                       "*--full*\n\tall\n\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_stored),
        cmocka_unit_test(what_is_not_given_is_zero),
        cmocka_unit_test(letters_bundle),
        cmocka_unit_test(operands_stand_anywhere),
        cmocka_unit_test(leading_options_end_at_an_operand),
        cmocka_unit_test(the_last_of_several_holds),
        cmocka_unit_test(values_may_look_like_anything),
        cmocka_unit_test(many_values_are_kept_in_order),
        cmocka_unit_test(wrong_words_are_told),
        cmocka_unit_test(choices_may_be_written_otherwise),
        cmocka_unit_test(a_second_string_is_refused),
        cmocka_unit_test(long_words_are_cut),
        cmocka_unit_test(near_words_are_found),
        cmocka_unit_test(of_words_as_near_one_begins_alike),
        cmocka_unit_test(other_names_are_understood),
        cmocka_unit_test(help_is_aligned),
        cmocka_unit_test(manual_has_no_stray_markup),
    };

    /* It would end the options at the first operand. */
    unsetenv("POSIXLY_CORRECT");
    unsetenv("POSIX_ME_HARDER");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
