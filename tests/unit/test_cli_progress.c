/* test_cli_progress.c - the line of progress, and signals that end the work. */

/* For pseudo-terminals. */
#define _XOPEN_SOURCE 700
#include "cli_capture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ui/progress.h"
#include "ui/signals.h"

#define GIB (UINT64_C(1) << 30)

/* -------------------------------------------------------------- the line */

static void expect_line(const char *wanted, const char *verb, uint64_t done,
                        uint64_t total, double seconds)
{
    char line[128];
    size_t n = progress_line(line, sizeof line, verb, done, total, seconds);

    assert_string_equal(line, wanted);
    assert_int_equal(n, strlen(wanted));
}

static void the_line_tells_rate_and_rest(void **state)
{
    (void)state;
    expect_line("copying: 1.0 of 2.0 GiB, 1.0 GiB/s, 1 s left", "copying", GIB,
                2 * GIB, 1);
    expect_line("copying: 0.1 of 4.0 GiB, 12.8 MiB/s, 6 min left", "copying",
                GIB / 10, 4 * GIB, 8);
    expect_line("hashing: 0.5 of 512.0 GiB, 64.0 MiB/s, 2 h 16 min left",
                "hashing", GIB / 2, 512 * GIB, 8);
    expect_line("hashing: 0.0 of 3.0 KiB, 0.0 KiB/s", "hashing", 0, 3072, 2);
    expect_line("hashing: 3.0 of 3.0 KiB, 1.5 KiB/s, 0 s left", "hashing", 3072,
                3072, 2);
    expect_line("hashing: 0.0 of 0.0 KiB, 0.0 KiB/s", "hashing", 0, 0, 0);
}

static void the_line_is_never_long(void **state)
{
    const uint64_t sizes[] = {0, 1, GIB, UINT64_MAX / 2, UINT64_MAX};
    const double times[] = {0, 1e-9, 1.5, 1e6, 1e300};
    char line[256];

    (void)state;
    for (int i = 0; i < 125; i++) {
        size_t n = progress_line(line, sizeof line, "twenty-letter-verbs!!",
                                 sizes[i % 5], sizes[i / 5 % 5], times[i / 25]);
        assert_true(n < 160);
        assert_true(capture_is_safe(line, n));
        n = progress_line(line, 80, "v", sizes[i % 5], sizes[i / 5 % 5],
                          times[i / 25]);
        assert_int_equal(n, strlen(line));
        assert_true(n < 80);
    }
    assert_int_equal(progress_line(line, 1, "v", 1, 2, 1), 0);
    assert_string_equal(line, "");
    assert_int_equal(progress_line(line, 0, "v", 1, 2, 1), 0);
}

/* --------------------------------------------------------------- the ticks */

/* The clock stands still for the test: work began so many seconds ago. */
static void begun_ago(struct progress *p, time_t seconds)
{
    clock_gettime(CLOCK_MONOTONIC, &p->begun);
    p->begun.tv_sec -= seconds;
}

static void only_a_terminal_sees_it(void **state)
{
    struct progress p;
    struct capture c;
    struct msg m = {0};

    (void)state;
    capture_start(&c);
    m.out = c.out;
    progress_start(&p, &m, "copying");
    assert_false(p.terminal);
    begun_ago(&p, 100);
    assert_true(progress_tick(&p, 1, 2));
    progress_end(&p);
    capture_expect(&c, "");
}

static void a_line_after_a_second_and_not_too_often(void **state)
{
    struct progress p;
    struct capture c;
    struct msg m = {0};

    (void)state;
    capture_start(&c);
    m.out = c.out;
    progress_start(&p, &m, "copying");
    p.terminal = true;
    p.columns = 79;
    assert_true(progress_tick(&p, 1, 2 * GIB)); /* too early */
    begun_ago(&p, 1000);
    assert_true(progress_tick(&p, GIB, 2 * GIB));
    assert_true(progress_tick(&p, GIB, 2 * GIB)); /* too soon again */
    p.last.tv_sec -= 1;
    begun_ago(&p, 1000);
    assert_true(progress_tick(&p, 2 * GIB, 2 * GIB));
    progress_end(&p);
    progress_end(&p);
    capture_expect(&c, "\rcopying: 1.0 of 2.0 GiB, 1.0 MiB/s, 17 min left"
                       "\rcopying: 2.0 of 2.0 GiB, 2.0 MiB/s, 0 s left   "
                       "\r                                            "
                       "\r");
}

static void a_narrow_terminal_gets_less(void **state)
{
    struct progress p;
    struct capture c;
    struct msg m = {0};

    (void)state;
    capture_start(&c);
    m.out = c.out;
    progress_start(&p, &m, "copying");
    p.terminal = true;
    p.columns = 12;
    begun_ago(&p, 2);
    assert_true(progress_tick(&p, GIB, 2 * GIB));
    capture_expect(&c, "\rcopying: 1.0");
}

/* Messages that go to a terminal, whose other end is *master. */
static FILE *open_terminal(int *master)
{
    FILE *out;
    int fd;

    *master = posix_openpt(O_RDWR | O_NOCTTY);
    if (*master == -1 || grantpt(*master) != 0 || unlockpt(*master) != 0)
        return NULL;
    fd = open(ptsname(*master), O_RDWR | O_NOCTTY);
    out = fd == -1 ? NULL : fdopen(fd, "w");
    return out;
}

static void terminals_are_known(void **state)
{
    struct progress p;
    struct msg m = {0};
    int master;

    (void)state;
    m.out = open_terminal(&master);
    if (m.out == NULL)
        skip();
    progress_start(&p, &m, "copying");
    assert_true(p.terminal);
    assert_true(p.columns > 0 && p.columns < 80);
    m.quiet = true;
    progress_start(&p, &m, "copying");
    assert_false(p.terminal);
    fclose(m.out);
    close(master);
}

/* --------------------------------------------------------------- signals */

/* How a child that runs `work` ends. */
static int run_child(int (*work)(void))
{
    int status;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(work());
    assert_true(waitpid(pid, &status, 0) == pid);
    return status;
}

static int note_one(void)
{
    struct progress p;
    struct msg m = {.out = stderr};

    signal(SIGTERM, SIG_DFL);
    progress_start(&p, &m, "copying");
    if (signals_caught() != 0 || !progress_tick(&p, 0, 1))
        return 1;
    raise(SIGTERM);
    return signals_caught() == SIGTERM && !progress_tick(&p, 0, 1) ? 0 : 2;
}

static int note_one_and_die(void)
{
    if (note_one() != 0)
        return 1;
    signals_catch(); /* changes nothing any more */
    if (signals_caught() != SIGTERM)
        return 2;
    signals_die();
    return 3;
}

static int send_two(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signals_catch();
    raise(SIGINT);
    raise(SIGHUP);
    return 1;
}

static int send_ignored(void)
{
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_DFL);
    signals_catch();
    raise(SIGHUP);
    raise(SIGHUP);
    if (signals_caught() != 0)
        return 1;
    raise(SIGINT);
    raise(SIGHUP); /* still */
    signals_die();
    return 2;
}

static int nothing_sent(void)
{
    signals_catch();
    signals_die();
    return 0;
}

static void expect_death(int (*work)(void), int signal_number)
{
    int status = run_child(work);

    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), signal_number);
}

static void the_first_signal_ends_the_work(void **state)
{
    (void)state;
    assert_int_equal(run_child(note_one), 0);
    assert_int_equal(run_child(nothing_sent), 0);
    expect_death(note_one_and_die, SIGTERM);
}

static void the_second_signal_kills(void **state)
{
    (void)state;
    expect_death(send_two, SIGHUP);
}

static void an_ignored_signal_stays_ignored(void **state)
{
    (void)state;
    expect_death(send_ignored, SIGINT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_tells_rate_and_rest),
        cmocka_unit_test(the_line_is_never_long),
        cmocka_unit_test(only_a_terminal_sees_it),
        cmocka_unit_test(a_line_after_a_second_and_not_too_often),
        cmocka_unit_test(a_narrow_terminal_gets_less),
        cmocka_unit_test(terminals_are_known),
        cmocka_unit_test(the_first_signal_ends_the_work),
        cmocka_unit_test(the_second_signal_kills),
        cmocka_unit_test(an_ignored_signal_stays_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
