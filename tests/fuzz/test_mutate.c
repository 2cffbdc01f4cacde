/* test_mutate.c - mutants by the million, opened, judged, recoded.
 *
 * usage: test_mutate FOLDER COUNT          from a fixed seed and a new one
 *        test_mutate FOLDER COUNT SEED     from this seed
 *        test_mutate FOLDER FIRST+COUNT SEED [OUT]
 *                                          from mutant FIRST on; with OUT, do
 *                                          not run the first but write it there
 *
 * FOLDER holds the files that mutants are made of. A mutant is a number under a
 * seed, so that any can be made again. They run in processes of their own, two
 * at once: whatever ends one of these, or keeps it busy for a minute, is told
 * with the number, and the mutant is left in mutant.gguf.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dirent.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mutate.h"

/* The entry points of the fuzz targets, renamed. */
int fuzz_reader_one(const uint8_t *data, size_t size);
int fuzz_check_one(const uint8_t *data, size_t size);
int fuzz_config_one(const uint8_t *data, size_t size);
int fuzz_transcode_one(const uint8_t *data, size_t size);
int fuzz_quantize_one(const uint8_t *data, size_t size);

#define MOST_FILES   256
#define MOST_BYTES   4096
#define WORKERS      2
#define FIXED_SEED   1
#define HANG_SECONDS 60

static struct mutant files[MOST_FILES];
static size_t n_files;

static void load_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct mutant *m = &files[n_files];

    if (f == NULL || n_files == MOST_FILES)
        abort();
    m->room = MOST_BYTES;
    m->at = malloc(m->room);
    if (m->at == NULL)
        abort();
    m->n = fread(m->at, 1, m->room, f);
    n_files++;
    fclose(f);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* In an order that is the same everywhere, as are the mutants then. */
static void load_folder(const char *folder)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, by_name);

    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            load_file(path);
        free(entries[i]);
    }
    if (n_files == 0) {
        printf("no files in %s\n", folder);
        exit(EXIT_FAILURE);
    }
    free(entries);
}

/* ----------------------------------------------------------------- mutants */

static void make_mutant(struct mutant *m, uint64_t seed, uint64_t number)
{
    uint64_t dice = mutate_dice(seed, number);
    const struct mutant *file = &files[dice % n_files];
    const struct mutant *donor = &files[(dice >> 20) % n_files];

    memcpy(m->at, file->at, file->n);
    m->n = file->n;
    mutate(m, donor, &dice);
}

/* That writes files, and takes longer than all others: for some. */
#define QUANTIZED 17 /* both workers have some */

static void run_mutant(const struct mutant *m, uint64_t number)
{
    uint8_t *exact = malloc(m->n > 0 ? m->n : 1);

    if (exact == NULL)
        abort();
    memcpy(exact, m->at, m->n);
    fuzz_reader_one(exact, m->n);
    fuzz_check_one(exact, m->n);
    fuzz_config_one(exact, m->n);
    fuzz_transcode_one(exact, m->n);
    if (number % QUANTIZED == 0)
        fuzz_quantize_one(exact, m->n);
    free(exact);
}

static int write_mutant(uint64_t seed, uint64_t number, const char *path)
{
    uint8_t room[MOST_BYTES];
    struct mutant m = {room, 0, sizeof room};
    FILE *f = fopen(path, "wb");
    bool written;

    make_mutant(&m, seed, number);
    written = f != NULL && fwrite(m.at, 1, m.n, f) == m.n;
    if (f == NULL || fclose(f) != 0 || !written) {
        perror(path);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

/* --------------------------------------------------------------- processes */

struct worker {
    pid_t pid;
    volatile uint64_t *number; /* of the mutant at hand, in shared memory */
};

/* Each worker takes every second mutant. */
static void work(volatile uint64_t *number, uint64_t end, uint64_t seed)
{
    uint8_t room[MOST_BYTES];
    struct mutant m = {room, 0, sizeof room};

    for (; *number < end; *number += WORKERS) {
        if (*number % 1024 < WORKERS)
            alarm(HANG_SECONDS);
        make_mutant(&m, seed, *number);
        run_mutant(&m, *number);
    }
}

static volatile uint64_t *share_memory(void)
{
    FILE *f = tmpfile();
    void *p;

    if (f == NULL || ftruncate(fileno(f), 4096) != 0)
        abort();
    p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f), 0);
    if (p == MAP_FAILED)
        abort();
    fclose(f);
    return p;
}

static void start_worker(struct worker *w, uint64_t first, uint64_t end,
                         uint64_t seed)
{
    *w->number = first;
    fflush(stdout);
    w->pid = fork();
    if (w->pid < 0)
        abort();
    if (w->pid == 0) {
        work(w->number, end, seed);
        exit(EXIT_SUCCESS); /* by which targets remove what they wrote */
    }
}

static bool end_worker(const struct worker *w, uint64_t seed)
{
    int status;

    if (waitpid(w->pid, &status, 0) != w->pid)
        abort();
    if (status == 0)
        return true;
    printf("mutant %" PRIu64 " of seed %" PRIu64 " ends by %s %d; it is in "
           "mutant.gguf\n",
           *w->number, seed, WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    write_mutant(seed, *w->number, "mutant.gguf");
    return false;
}

static bool run_mutants(uint64_t first, uint64_t count, uint64_t seed)
{
    volatile uint64_t *numbers = share_memory();
    struct worker workers[WORKERS];
    bool good = true;

    printf("%" PRIu64 " mutants of seed %" PRIu64 "\n", count, seed);
    for (unsigned i = 0; i < WORKERS; i++) {
        workers[i].number = &numbers[i * 64]; /* not in one cache line */
        start_worker(&workers[i], first + i, first + count, seed);
    }
    for (unsigned i = 0; i < WORKERS; i++)
        good = end_worker(&workers[i], seed) && good;
    return good;
}

int main(int argc, char **argv)
{
    uint64_t first = 0, count, seed;
    char *plus;
    bool good;

    if (argc < 3 || argc > 5) {
        printf("usage: test_mutate FOLDER [FIRST+]COUNT [SEED [OUT]]\n");
        return EXIT_FAILURE;
    }
    load_folder(argv[1]);
    count = strtoull(argv[2], &plus, 10);
    if (*plus == '+') {
        first = count;
        count = strtoull(plus + 1, NULL, 10);
    }
    if (argc >= 4) {
        seed = strtoull(argv[3], NULL, 10);
        if (argc == 5)
            return write_mutant(seed, first, argv[4]);
        return run_mutants(first, count, seed) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    good = run_mutants(0, count / 2, FIXED_SEED);
    seed = (uint64_t)time(NULL) % 1000000;
    good = run_mutants(0, count - count / 2, seed) && good;
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
