/* replay.c - a fuzz target without a fuzzer: runs files, and those in folders.
 *
 * usage: fuzz_TARGET FILE|FOLDER...
 *
 * Options of libFuzzer are passed over.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* False if it is no file that can be read. */
static bool run_file(const char *path)
{
    static uint8_t room[1 << 20];
    FILE *f = fopen(path, "rb");
    size_t n;
    uint8_t *data;

    if (f == NULL)
        return false;
    n = fread(room, 1, sizeof room, f);
    if (ferror(f) != 0) {
        fclose(f);
        return false;
    }
    fclose(f);
    data = malloc(n > 0 ? n : 1); /* no byte more: sanitizers see its end */
    if (data == NULL)
        return false;
    memcpy(data, room, n);
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, n);
    free(data);
    return true;
}

/* How many there were. */
static unsigned long run_folder(const char *path)
{
    DIR *dir = opendir(path);
    unsigned long n = 0;

    for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
        char file[4096];
        snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        n += run_file(file);
    }
    if (dir != NULL)
        closedir(dir);
    return n;
}

int main(int argc, char **argv)
{
    unsigned long n = 0;

    for (int i = 1; i < argc; i++)
        if (argv[i][0] != '-')
            n += run_file(argv[i]) ? 1 : run_folder(argv[i]);
    printf("%lu files\n", n);
    return n > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
