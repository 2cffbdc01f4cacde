/* cmd_version.c - `gguf version`: what this program is. */
#include <sys/types.h>

#include "command.h"
#include "json_in.h"
#include "show.h"

/* The release whose tensor types, checks and sums are matched. */
static const char llama_cpp_release[] = "v0.5.0";
static const char ggml_release[] = "0.25.1";

/* How this program was built. */
static const char *const features[] = {
    sizeof(off_t) >= 8 ? "large-files" : "small-files",
#ifndef NDEBUG
    "assertions",
#endif
#if defined(__SANITIZE_ADDRESS__)
    "address-sanitizer",
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer)
    "address-sanitizer",
#    endif
#endif
    NULL,
};

/* ------------------------------------------------------------------ libraries
 */

/* Another library: `version` "" if it is not there. */
struct other_library {
    const char *name;
    char version[GGK_LIBRARY_VERSION_BYTES];
};

/* What computes digests is built in, or looked for when it is needed: so here,
 * and not before. */
#define N_LIBRARIES 3
static void find_libraries(struct other_library *at)
{
    const char *json = json_in_version();

    at[0].name = "json-c";
    snprintf(at[0].version, sizeof at[0].version, "%s",
             json != NULL ? json : "");
    at[1].name = ggk_algo_library(GGK_ALGO_XXH64, at[1].version);
    at[2].name = ggk_algo_library(GGK_ALGO_SHA256, at[2].version);
}

/* -------------------------------------------------------------------- output
 */

static void put_libraries_json(struct json *j)
{
    struct other_library at[N_LIBRARIES];

    find_libraries(at);
    json_key(j, "libraries");
    json_open_object(j);
    for (size_t i = 0; i < N_LIBRARIES; i++) {
        json_key(j, at[i].name);
        if (at[i].version[0] != '\0')
            json_cstring(j, at[i].version);
        else
            json_null(j);
    }
    json_close_object(j);
}

static void print_libraries(FILE *out)
{
    struct other_library at[N_LIBRARIES];

    find_libraries(at);
    fputs("with     ", out);
    for (size_t i = 0; i < N_LIBRARIES; i++)
        fprintf(out, "%s %s %s", i > 0 ? "," : "", at[i].name,
                at[i].version[0] != '\0' ? at[i].version : "(none)");
    putc('\n', out);
}

static void print_version_json(const struct cli *cli)
{
    struct json j;
    size_t i;

    show_json_start(&j, cli);
    json_put_cstring(&j, "program", "gguf");
    json_put_cstring(&j, "version", GGK_VERSION_STRING);
    json_put_cstring(&j, "library", ggk_version());
    json_key(&j, "features");
    json_open_row(&j);
    for (i = 0; features[i] != NULL; i++)
        json_cstring(&j, features[i]);
    json_close_array(&j);
    json_put_cstring(&j, "kernels", ggk_kernels());
    json_key(&j, "ggml");
    json_open_object(&j);
    json_put_cstring(&j, "llama.cpp", llama_cpp_release);
    json_put_cstring(&j, "ggml", ggml_release);
    json_close_object(&j);
    put_libraries_json(&j);
    show_json_end(&j);
}

static void print_version_text(const struct cli *cli)
{
    size_t i;

    fprintf(cli->out, "gguf %s\nlibrary   %s\nfeatures ", GGK_VERSION_STRING,
            ggk_version());
    for (i = 0; features[i] != NULL; i++)
        fprintf(cli->out, " %s", features[i]);
    fprintf(cli->out, "\nkernels   %s\nmatches   llama.cpp %s, ggml %s\n",
            ggk_kernels(), llama_cpp_release, ggml_release);
    print_libraries(cli->out);
}

static int run_version(struct cli *cli, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    if (cli->global.json)
        print_version_json(cli);
    else
        print_version_text(cli);
    return CLI_DONE;
}

static const struct cli_example version_examples[] = {
    {"gguf version", "the versions of the program and its library"},
    {"gguf version --json | jq -r .ggml.ggml",
     "the release of ggml whose results are matched"},
    {NULL, NULL},
};

const struct command cmd_version = {
    .name = "version",
    .operands = "",
    .max_operands = 0,
    .summary = "print versions and how the program was built",
    .about = "Prints the versions of the program and of all libraries it runs "
             "with,\nhow it was built, and which release of ggml it matches.",
    .examples = version_examples,
    .run = run_version,
};
