/* launch.c - runs a program once and prints what that took.
 *
 * usage: launch SECONDS PROGRAM [ARGUMENT...]
 *
 * Prints "NANOSECONDS CPU-MICROSECONDS PEAK-KIB END": wall time from before the
 * fork to the program's end, the time of all its threads, the kernel's for it
 * included, the peak of its resident memory, and "exit N" or "signal N".
 * After SECONDS the program is ended by SIGALRM. It reads what is this one's
 * standard input, and all that it writes is thrown away.
 *
 * Linux lets a program inherit the peak of the one that was forked to start
 * it, so a large one, such as an interpreter, cannot measure small ones: that
 * is why this is in C, and small.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t microseconds(struct timeval t)
{
    return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

/* The alarm outlives exec. */
static void become(char **words, unsigned seconds, int null)
{
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    alarm(seconds);
    execvp(words[0], words);
    _exit(127);
}

int main(int argc, char **argv)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct rusage used;
    int64_t begun, ended;
    int status;
    pid_t pid;

    if (argc < 3 || null < 0)
        return 2;
    begun = now();
    pid = fork();
    if (pid == 0)
        become(argv + 2, (unsigned)strtoul(argv[1], NULL, 10), null);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return 3;
    ended = now();
    getrusage(RUSAGE_CHILDREN, &used);
    printf("%" PRId64 " %" PRId64 " %ld %s %d\n", ended - begun,
           microseconds(used.ru_utime) + microseconds(used.ru_stime),
           used.ru_maxrss, WIFEXITED(status) ? "exit" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return 0;
}
