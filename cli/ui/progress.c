/* progress.c - how far long work has got, for whoever waits at a terminal. */
#include "ui/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "out/fmt.h"
#include "ui/signals.h"
#include "ui/term.h"

enum { MAX_COLUMNS = 80 };

static const double first_after = 1.0; /* seconds */
static const double at_least_between = 1.0 / 6;

/* The unit in which so many bytes are told. */
struct unit {
    const char *name;
    double bytes;
};

static struct unit unit_of(double bytes)
{
    static const struct unit units[] = {{"TiB", 1099511627776.0},
                                        {"GiB", 1073741824.0},
                                        {"MiB", 1048576.0},
                                        {"KiB", 1024.0}};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (bytes >= units[i].bytes)
            return units[i];
    return units[3];
}

/* "42 s left", "3 min left", "2 h 5 min left". */
static void put_left(char *buf, size_t room, double seconds)
{
    uint64_t s = seconds < 1e9 ? (uint64_t)(seconds + 0.999) : 1000000000;

    if (s < 120)
        snprintf(buf, room, "%" PRIu64 " s left", s);
    else if (s < 7200)
        snprintf(buf, room, "%" PRIu64 " min left", (s + 59) / 60);
    else
        snprintf(buf, room, "%" PRIu64 " h %" PRIu64 " min left", s / 3600,
                 s % 3600 / 60);
}

size_t progress_line(char *buf, size_t room, const char *verb, uint64_t done,
                     uint64_t total, double seconds)
{
    struct unit unit = unit_of((double)total);
    double rate = seconds > 0 ? (double)done / seconds : 0;
    struct unit of_rate = unit_of(rate);
    char has[FMT_BYTES], all[FMT_BYTES], fast[FMT_BYTES], left[48];
    char line[256];
    size_t n;

    fmt_fixed(has, (double)done / unit.bytes, 1);
    fmt_fixed(all, (double)total / unit.bytes, 1);
    fmt_fixed(fast, rate / of_rate.bytes, 1);
    left[0] = '\0';
    if (rate > 0 && done <= total)
        put_left(left, sizeof left, (double)(total - done) / rate);
    snprintf(line, sizeof line, "%.20s: %s of %s %s, %s %s/s%s%s", verb, has,
             all, unit.name, fast, of_rate.name, left[0] != '\0' ? ", " : "",
             left);
    n = strlen(line);
    if (room == 0)
        return 0;
    if (n > room - 1)
        n = room - 1;
    memcpy(buf, line, n);
    buf[n] = '\0';
    return n;
}

static double seconds_since(const struct timespec *then,
                            const struct timespec *now)
{
    return (double)(now->tv_sec - then->tv_sec) +
           (double)(now->tv_nsec - then->tv_nsec) * 1e-9;
}

double progress_seconds(const struct timespec *begun)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return seconds_since(begun, &now);
}

void progress_start(struct progress *p, const struct msg *m, const char *verb)
{
    struct term term;

    *p = (struct progress){.msg = m, .verb = verb};
    signals_catch();
    if (m->quiet)
        return;
    term_look(&term, fileno(m->out), TERM_COLOR_NEVER);
    p->terminal = term.tty;
    /* A line that fills the last column would wrap on some. */
    p->columns = term.width < MAX_COLUMNS ? term.width : MAX_COLUMNS;
    if (p->columns > 0)
        p->columns--;
    clock_gettime(CLOCK_MONOTONIC, &p->begun);
}

/* Write over the line before. */
static void show(struct progress *p, const char *line, size_t n)
{
    int blanks = p->used > n ? (int)(p->used - n) : 0;

    fprintf(p->msg->out, "\r%s%*s", line, blanks, "");
    fflush(p->msg->out);
    p->used = n;
}

bool progress_tick(void *ctx, uint64_t done, uint64_t total)
{
    struct progress *p = ctx;
    struct timespec now;
    char line[MAX_COLUMNS + 1];
    size_t n;

    if (signals_caught() != 0)
        return false;
    if (!p->terminal)
        return true;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (seconds_since(&p->begun, &now) < first_after ||
        (p->shown && seconds_since(&p->last, &now) < at_least_between))
        return true;
    n = progress_line(line, p->columns + 1, p->verb, done, total,
                      seconds_since(&p->begun, &now));
    show(p, line, n);
    p->shown = true;
    p->last = now;
    return true;
}

void progress_end(struct progress *p)
{
    if (!p->shown)
        return;
    show(p, "", 0);
    putc('\r', p->msg->out);
    fflush(p->msg->out);
    p->shown = false;
}
