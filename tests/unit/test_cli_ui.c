/* test_cli_ui.c - messages, terminals, signals, and the standard streams. */

/* For pseudo-terminals. */
#define _XOPEN_SOURCE 700
#include "cli_capture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ui/finish.h"
#include "ui/msg.h"
#include "ui/signals.h"
#include "ui/term.h"

/* ---------------------------------------------------------------- messages */

static void messages_name_program_file_and_place(void **state)
{
    struct msg_place place = {96, "kv[2].key"};
    struct msg_place no_byte = {MSG_NOWHERE, "kv[2]"};
    struct msg_place no_field = {0, ""};
    struct msg_place nowhere = {MSG_NOWHERE, NULL};
    struct capture c;
    struct msg m = {0};

    (void)state;
    capture_start(&c);
    m.out = c.out;
    msg_error(&m, NULL, "no command");
    m.command = "info";
    msg_error(&m, "a.gguf", "it ends %s", "early");
    msg_warning(&m, "a.gguf", "odd");
    msg_note(&m, NULL, "even");
    msg_at(&m, MSG_ERROR, "a.gguf", &place, "no");
    msg_at(&m, MSG_WARNING, "a.gguf", &no_byte, "no");
    msg_at(&m, MSG_ERROR, "a.gguf", &no_field, "no");
    msg_at(&m, MSG_ERROR, NULL, &nowhere, "no");
    msg_usage(&m, "unknown option '%s'", "--x");
    capture_expect(&c, "gguf: no command\n"
                       "gguf info: a.gguf: it ends early\n"
                       "gguf info: a.gguf: warning: odd\n"
                       "gguf info: note: even\n"
                       "gguf info: a.gguf: no (at byte 96, field kv[2].key)\n"
                       "gguf info: a.gguf: warning: no (field kv[2])\n"
                       "gguf info: a.gguf: no (at byte 0)\n"
                       "gguf info: no\n"
                       "gguf info: unknown option '--x'\n"
                       "try 'gguf info --help'\n");
}

static void quiet_leaves_errors(void **state)
{
    struct msg_place place = {1, NULL};
    struct capture c;
    struct msg m = {0};

    (void)state;
    capture_start(&c);
    m.out = c.out;
    m.quiet = true;
    msg_warning(&m, NULL, "w");
    msg_note(&m, NULL, "n");
    msg_at(&m, MSG_NOTE, NULL, &place, "n");
    msg_error(&m, NULL, "e");
    capture_expect(&c, "gguf: e\n");
}

static void messages_stay_on_their_line(void **state)
{
    struct msg_place place = {1, "kv[\x1b]"};
    char long_text[5000];
    struct capture c;
    struct msg m = {0};

    (void)state;
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    capture_start(&c);
    m.out = c.out;
    msg_at(&m, MSG_ERROR, "a\n\x1b[31m\xff", &place, "\xe2\x80\xae%s", "\r");
    capture_expect(&c, "gguf: a\\n\\x1b[31m\\xff: \\u{202e}\\r (at byte 1, "
                       "field kv[\\x1b])\n");
    capture_start(&c);
    m.out = c.out;
    msg_error(&m, long_text, "%s", long_text);
    capture_stop(&c);
    assert_int_equal(c.text[c.n - 1], '\n');
    assert_true(capture_is_safe(c.text, c.n - 1));
    capture_free(&c);
}

static void colour_wraps_what_is_ours(void **state)
{
    struct capture c;
    struct msg m = {0};

    (void)state;
    capture_start(&c);
    m.out = c.out;
    m.color = true;
    m.command = "info";
    msg_warning(&m, "f", "w");
    capture_expect(&c, "\033[1mgguf info:\033[0m f: "
                       "\033[33mwarning:\033[0m w\n");
}

/* ---------------------------------------------------------------- terminal */

static void colour_follows_option_and_environment(void **state)
{
    struct term t;
    int fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    term_look(&t, fds[1], TERM_COLOR_AUTO);
    assert_false(t.tty || t.color);
    assert_int_equal(t.width, 0);
    term_look(&t, fds[1], TERM_COLOR_UNSAID);
    assert_false(t.color);
    setenv("NO_COLOR", "1", 1);
    term_look(&t, fds[1], TERM_COLOR_ALWAYS);
    assert_true(t.color);
    assert_string_equal(term_style(&t, TERM_RED), "\033[31m");
    term_look(&t, fds[1], TERM_COLOR_NEVER);
    assert_string_equal(term_style(&t, TERM_RED), "");
    close(fds[0]);
    close(fds[1]);
}

/* A pseudo-terminal is a terminal. */
static void a_terminal_has_colour_unless_told(void **state)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY), fd;
    struct term t;

    (void)state;
    if (master == -1 || grantpt(master) != 0 || unlockpt(master) != 0)
        skip();
    fd = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (fd == -1)
        skip();
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    setenv("COLUMNS", "123", 1);
    term_look(&t, fd, TERM_COLOR_UNSAID);
    assert_true(t.tty && t.color);
    assert_int_equal(t.width, 123);
    setenv("COLUMNS", "junk", 1);
    term_look(&t, fd, TERM_COLOR_NEVER);
    assert_true(t.tty && !t.color);
    assert_int_equal(t.width, 80);
    setenv("NO_COLOR", "", 1);
    term_look(&t, fd, TERM_COLOR_AUTO);
    assert_true(t.color);
    setenv("NO_COLOR", "1", 1);
    term_look(&t, fd, TERM_COLOR_AUTO);
    assert_false(t.color);
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    term_look(&t, fd, TERM_COLOR_AUTO);
    assert_false(t.color);
    close(fd);
    close(master);
}

/* --------------------------------------------------- what ends the process */

/* How a child that runs `work` ends, and what it says on standard error. */
static int run_child(int (*work)(void), char *said, size_t room)
{
    int fds[2], status;
    ssize_t n;
    size_t used = 0;
    pid_t pid;

    assert_int_equal(pipe(fds), 0);
    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(fds[1], STDERR_FILENO);
        close(fds[0]);
        close(fds[1]);
        _exit(work());
    }
    close(fds[1]);
    while ((n = read(fds[0], said + used, room - 1 - used)) > 0)
        used += (size_t)n;
    said[used] = '\0';
    close(fds[0]);
    assert_true(waitpid(pid, &status, 0) == pid);
    return status;
}

static char scratch[] = "/tmp/test_cli_ui_XXXXXX";

/* Two pages of a file that then loses the second. */
static volatile unsigned char *map_shrinking_file(size_t page)
{
    int fd = mkstemp(scratch);
    unsigned char *map;

    if (fd == -1 || ftruncate(fd, (off_t)(2 * page)) != 0)
        _exit(99);
    unlink(scratch);
    map = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED || ftruncate(fd, (off_t)page) != 0)
        _exit(99);
    close(fd);
    return map;
}

static int touch_guarded(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile unsigned char *map = map_shrinking_file(page);
    const void *start = (const void *)(uintptr_t)map;

    if (!signals_guard_range(start, start, 2 * page, "info", "a\n\xff.gguf"))
        return 98;
    return map[0] + map[page];
}

static int touch_unguarded(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile unsigned char *map = map_shrinking_file(page);
    const void *start = (const void *)(uintptr_t)map;

    /* Another range stays guarded, this one not; sanitizers would report what
     * is to happen, so give the signal back to the system first. */
    signal(SIGBUS, SIG_DFL);
    if (!signals_guard_range(start, start, page, "info", "x") ||
        !signals_guard_range(&page, &page, sizeof page, "info", "y"))
        return 98;
    signals_unguard(start);
    return map[0] + map[page];
}

/* An emulator of another processor has a SIGBUS of its own. */
static bool is_emulated(void)
{
    return getenv("GGK_EMULATED") != NULL;
}

static void a_lost_page_is_told(void **state)
{
    char said[512];
    int status;

    (void)state;
    if (is_emulated())
        skip();
    status = run_child(touch_guarded, said, sizeof said);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
    assert_string_equal(said,
                        "gguf info: a\\n\\xff.gguf: the file shrank while "
                        "it was being read\n");
}

static void other_bus_errors_stay_what_they_are(void **state)
{
    char said[512];
    int status;

    (void)state;
    if (is_emulated())
        skip();
    status = run_child(touch_unguarded, said, sizeof said);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGBUS);
    assert_string_equal(said, "");
}

static void guards_are_limited_and_reused(void **state)
{
    static char bytes[10000];
    int n = 0, round;

    (void)state;
    for (round = 0; round < 3; round++) {
        for (n = 0; n < 10000; n++) {
            if (!signals_guard_range(bytes + n, bytes + n, 1, "info", "f"))
                break;
        }
        assert_true(n >= 64 && n < 10000);
        while (n-- > 0)
            signals_unguard(bytes + n);
    }
}

static int write_to_closed_pipe(void)
{
    int fds[2];

    signal(SIGPIPE, SIG_IGN);
    signals_start();
    if (pipe(fds) != 0)
        return 99;
    close(fds[0]);
    return write(fds[1], "x", 1) == 1 ? 97 : 98;
}

static void a_closed_pipe_ends_quietly(void **state)
{
    char said[512];
    int status;

    (void)state;
    status = run_child(write_to_closed_pipe, said, sizeof said);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGPIPE);
    assert_string_equal(said, "");
}

/* Print as a command would, to what standard output has become. */
static int print_and_finish(const char *text)
{
    struct msg m = {.out = stderr, .command = "info"};

    finish_prepare();
    fputs(text, stdout);
    return finish(&m, 1);
}

static int print_to_full_disk(void)
{
    dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
    return print_and_finish("x");
}

static int print_much_to_full_disk(void)
{
    static char text[300000];

    memset(text, 'x', sizeof text - 1);
    dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
    return print_and_finish(text);
}

static int print_to_nothing(void)
{
    close(STDOUT_FILENO);
    return print_and_finish("x");
}

static int print_nothing_to_nothing(void)
{
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    return print_and_finish("");
}

static int print_to_ignored_pipe(void)
{
    int fds[2];

    signal(SIGPIPE, SIG_IGN);
    if (pipe(fds) != 0)
        return 99;
    dup2(fds[1], STDOUT_FILENO);
    close(fds[0]);
    return print_and_finish("x");
}

static int print_without_stderr(void)
{
    struct msg m = {.out = stderr, .command = "info"};

    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    close(STDERR_FILENO);
    finish_prepare();
    msg_error(&m, NULL, "nobody reads this");
    return finish(&m, 0);
}

static int open_after_prepare(void)
{
    int fd;

    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    finish_prepare();
    fd = open("/dev/null", O_RDONLY);
    if (fd <= STDERR_FILENO)
        return 97;
    return read(STDIN_FILENO, &fd, 1) == -1 ? 0 : 98;
}

static void expect_end(int (*work)(void), int status, const char *said)
{
    char heard[512];
    int ended = run_child(work, heard, sizeof heard);

    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), status);
    assert_string_equal(heard, said);
}

static void lost_output_is_told(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    expect_end(print_to_full_disk, 3,
               "gguf info: cannot write to standard output: "
               "No space left on device\n");
    /* It failed long before the end, and stdio forgets why. */
    expect_end(print_much_to_full_disk, 3,
               "gguf info: cannot write to standard output\n");
}

static void closed_streams_are_sound(void **state)
{
    (void)state;
    expect_end(print_to_nothing, 3,
               "gguf info: cannot write to standard output: "
               "Bad file descriptor\n");
    expect_end(print_nothing_to_nothing, 1, "");
    expect_end(print_to_ignored_pipe, 3, "");
    expect_end(print_without_stderr, 3, "");
    expect_end(open_after_prepare, 0, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_name_program_file_and_place),
        cmocka_unit_test(quiet_leaves_errors),
        cmocka_unit_test(messages_stay_on_their_line),
        cmocka_unit_test(colour_wraps_what_is_ours),
        cmocka_unit_test(colour_follows_option_and_environment),
        cmocka_unit_test(a_terminal_has_colour_unless_told),
        cmocka_unit_test(a_lost_page_is_told),
        cmocka_unit_test(other_bus_errors_stay_what_they_are),
        cmocka_unit_test(guards_are_limited_and_reused),
        cmocka_unit_test(a_closed_pipe_ends_quietly),
        cmocka_unit_test(lost_output_is_told),
        cmocka_unit_test(closed_streams_are_sound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
