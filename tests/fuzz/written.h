/* written.h - for fuzz targets that write files: a folder for them, plans that
 * must succeed, files that must be the same. */
#ifndef FUZZ_WRITTEN_H
#define FUZZ_WRITTEN_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ggk.h"

static char folder[64];

static inline const char *path_of(const char *name)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%.300s", folder, name);
    return path;
}

static inline void remove_folder(void)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL)
        (void)unlink(path_of(entry->d_name));
    if (dir != NULL)
        closedir(dir);
    (void)rmdir(folder);
}

static inline void make_folder(void)
{
    atexit(remove_folder);
    snprintf(folder, sizeof folder, "/dev/shm/ggk-fuzz-XXXXXX");
    if (mkdtemp(folder) != NULL)
        return;
    snprintf(folder, sizeof folder, "/tmp/ggk-fuzz-XXXXXX");
    if (mkdtemp(folder) == NULL)
        abort();
}

static inline void must(ggk_status status, const ggk_error *err)
{
    if (status == GGK_OK)
        return;
    fprintf(stderr, "%s: %s\n", ggk_status_name(status), err->what);
    abort();
}

/* Files that would be larger than this are not written. */
#define MOST_BYTES (1 << 20)

static inline bool is_small(ggk_plan *plan)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < ggk_plan_n_files(plan); i++) {
        ggk_planned_file f;
        ggk_error err;
        ggk_status status = ggk_plan_file(plan, i, &f, &err);

        if (status == GGK_E_OVERFLOW) /* an alignment beyond all sense */
            return false;
        must(status, &err);
        sum += f.size;
    }
    return sum <= MOST_BYTES;
}

static inline void run(ggk_plan *plan)
{
    ggk_run_opts opts = {
        .struct_bytes = sizeof opts, .flags = GGK_RUN_FORCE, .n_threads = 1};
    ggk_error err;

    must(ggk_plan_run(plan, &opts, &err), &err);
}

static inline ggk_model *open_file(const char *path, uint32_t flags)
{
    ggk_open_opts opts = {.struct_bytes = sizeof opts, .flags = flags};
    ggk_model *model;
    ggk_error err;

    must(ggk_model_open(path, &opts, &model, &err), &err);
    return model;
}

static inline void expect_same_bytes(const char *a, const char *b)
{
    static char left[MOST_BYTES], right[MOST_BYTES];
    FILE *fa = fopen(a, "rb"), *fb = fopen(b, "rb");
    size_t n, m;

    if (fa == NULL || fb == NULL)
        abort();
    n = fread(left, 1, sizeof left, fa);
    m = fread(right, 1, sizeof right, fb);
    if (n != m || memcmp(left, right, n) != 0)
        abort();
    fclose(fa);
    fclose(fb);
}

#endif
