/* signals.c - SIGPIPE, SIGBUS in mapped files, and those that ask for an end.
 *
 * A handler can only look at what is global, so the guarded ranges are: a fixed
 * table, since a handler may not allocate, of complete lines, since it may not
 * format either. A slot is in use while its `start` is not 0; start is set
 * last and cleared first.
 */
#include "ui/signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "out/text.h"

enum { MAX_RANGES = 256, MAX_LINE = 400, EXIT_SHRANK = 3 };

struct range {
    _Atomic uintptr_t start;
    _Atomic size_t bytes;
    const void *owner;
    size_t line_bytes;
    char line[MAX_LINE];
};

static struct range ranges[MAX_RANGES];

static void report_fault(const struct range *r)
{
    ssize_t ignored = write(STDERR_FILENO, r->line, r->line_bytes);

    (void)ignored; /* there is nobody else to tell */
    _exit(EXIT_SHRANK);
}

static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
    uintptr_t at = (uintptr_t)info->si_addr;
    int i;

    (void)context;
    for (i = 0; i < MAX_RANGES; i++) {
        uintptr_t start = atomic_load(&ranges[i].start);

        if (start != 0 && at >= start &&
            at - start < atomic_load(&ranges[i].bytes))
            report_fault(&ranges[i]);
    }
    /* Not ours: die of it, as without this handler. */
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void install(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

void signals_start(void)
{
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN); /* the write that is too long fails, too */
}

static void compose_line(struct range *r, const char *command, const char *name)
{
    char safe_name[MAX_LINE - 100];
    int n;

    text_copy(safe_name, sizeof safe_name, name, strlen(name));
    n = snprintf(r->line, sizeof r->line,
                 "gguf %.30s: %s: the file shrank while it was being read\n",
                 command, safe_name);
    r->line_bytes = (size_t)n;
}

bool signals_guard_range(const void *owner, const void *start, size_t bytes,
                         const char *command, const char *name)
{
    static bool installed;
    int i;

    for (i = 0; i < MAX_RANGES; i++) {
        struct range *r = &ranges[i];

        if (atomic_load(&r->start) != 0)
            continue;
        compose_line(r, command, name);
        r->owner = owner;
        atomic_store(&r->bytes, bytes);
        atomic_store(&r->start, (uintptr_t)start);
        if (!installed)
            install();
        installed = true;
        return true;
    }
    return false;
}

void signals_unguard(const void *owner)
{
    int i;

    for (i = 0; i < MAX_RANGES; i++) {
        if (atomic_load(&ranges[i].start) != 0 && ranges[i].owner == owner)
            atomic_store(&ranges[i].start, 0);
    }
}

/* ------------------------------------------------------- asked for an end */

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};

enum { N_ENDS = sizeof ends / sizeof ends[0] };

static atomic_int caught;
static volatile sig_atomic_t is_caught[N_ENDS]; /* not ignored by our parent */

/* Whichever comes next kills. */
static void on_end(int signal_number)
{
    for (int i = 0; i < N_ENDS; i++)
        if (is_caught[i] != 0)
            signal(ends[i], SIG_DFL);
    atomic_store(&caught, signal_number);
}

void signals_catch(void)
{
    struct sigaction action, before;

    if (atomic_load(&caught) != 0)
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_end;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < N_ENDS; i++)
        sigaddset(&action.sa_mask, ends[i]);
    for (int i = 0; i < N_ENDS; i++) {
        is_caught[i] = sigaction(ends[i], NULL, &before) == 0 &&
                       before.sa_handler != SIG_IGN;
        if (is_caught[i] != 0)
            sigaction(ends[i], &action, NULL);
    }
}

int signals_caught(void)
{
    return atomic_load(&caught);
}

void signals_die(void)
{
    int signal_number = atomic_load(&caught);

    if (signal_number == 0)
        return;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}
