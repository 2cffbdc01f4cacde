/* quantize_targets.c - what gguf quantize can quantize to, as a list. */
#include <string.h>
#include <strings.h>

#include "cmd/quantizing.h"
#include "out/fmt.h"
#include "out/table.h"
#include "show.h"

/* Of each target, by its number, what it is good for. */
static const struct {
    uint32_t file_type;
    const char *text;
} notes[] = {
    {0, "single precision"},
    {1, "half precision: nothing larger than 65504"},
    {2, "blocks of 32; at this size Q4_K_S loses less"},
    {3, "as Q4_0, with a minimum for each block"},
    {7, "hardly to be told from F16"},
    {8, "as Q4_0, with a bit more"},
    {9, "as Q4_1, with a bit more"},
    {10, "Q3_K and Q4_K where it counts; a great loss"},
    {11, "the output better; a clear loss"},
    {12, "Q4_K and Q5_K where it counts; some loss"},
    {13, "Q5_K where it counts; some loss"},
    {14, "Q5_K in the first layers; a bit below Q4_K_M"},
    {15, "Q6_K where it counts; little loss: the usual"},
    {16, "the output better; very little loss"},
    {17, "Q6_K where it counts; very little loss"},
    {18, "nearly Q8_0"},
    {19, "a great loss; needs an imatrix"},
    {20, "a great loss; needs an imatrix"},
    {21, "Q4_K in the first layers; needs an imatrix"},
    {22, "IQ3_XXS where it counts least; needs an imatrix"},
    {23, "a clear loss; needs an imatrix"},
    {24, "an extreme loss; needs an imatrix"},
    {25, "as Q4_0, its steps not even"},
    {26, "as Q3_K_S, but better"},
    {27, "Q4_K where it counts"},
    {28, "IQ3_S where it counts; needs an imatrix"},
    {29, "IQ3_S where it counts; needs an imatrix"},
    {30, "smaller than Q4_K_S, and nearly as good"},
    {31, "an extreme loss; needs an imatrix"},
    {32, "the range of single precision, three digits"},
    {36, "for models trained with ternary weights"},
    {37, "as TQ1_0, larger and faster"},
    {38, "for experts trained in MXFP4; all else Q8_0"},
    {40, "for models trained with weights of one bit"},
    {41, "for models trained with weights of two bits"},
};

static const char *note_of(uint32_t file_type)
{
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++)
        if (notes[i].file_type == file_type)
            return notes[i].text;
    return "";
}

static double bits_of(const ggk_type_info *type)
{
    return 8.0 * type->bytes / type->block;
}

/* The first target from number `*i` on that this program makes the blocks of;
 * NULL if there is none. Goes on behind it. */
static const ggk_target *next_target(size_t *i)
{
    const ggk_target *target;

    while ((target = ggk_target_at(*i)) != NULL) {
        ++*i;
        if (ggk_type_can_quantize(ggk_type_by_id(target->type)))
            return target;
    }
    return NULL;
}

void quantize_list_text(FILE *out, const struct term *term)
{
    static const struct table_column columns[] = {
        {"ID", TABLE_RIGHT, false},    {"TYPE", TABLE_LEFT, false},
        {"MOSTLY", TABLE_LEFT, false}, {"BITS", TABLE_RIGHT, false},
        {"NOTE", TABLE_LEFT, true},
    };
    struct table t;

    table_start(&t, out, columns, 5, term->width, term_style(term, TERM_BOLD),
                term_style(term, TERM_PLAIN));
    do {
        const ggk_target *target;

        for (size_t i = 0; (target = next_target(&i)) != NULL;) {
            const ggk_type_info *type = ggk_type_by_id(target->type);
            const char *note = note_of(target->file_type);
            char bits[FMT_BYTES];

            fmt_fixed(bits, bits_of(type), 4);
            table_u64(&t, target->file_type);
            table_cstring(&t, target->name);
            table_cstring(&t, type->name);
            table_cstring(&t, bits);
            table_text(&t, note, strlen(note));
        }
    } while (table_again(&t));
}

static void put_target(struct json *j, const ggk_target *target)
{
    const ggk_type_info *type = ggk_type_by_id(target->type);

    json_open_object(j);
    json_put_u64(j, "id", target->file_type);
    json_put_cstring(j, "name", target->name);
    json_put_cstring(j, "type", type->name);
    json_put_f64(j, "bits_per_weight", bits_of(type));
    json_put_cstring(j, "text", note_of(target->file_type));
    json_close_object(j);
}

void quantize_list(const struct cli *cli)
{
    const ggk_target *target;
    struct json j;

    if (!cli->global.json) {
        quantize_list_text(cli->out, &cli->term);
        return;
    }
    show_json_start(&j, cli);
    json_key(&j, "targets");
    json_open_array(&j);
    for (size_t i = 0; (target = next_target(&i)) != NULL;)
        put_target(&j, target);
    json_close_array(&j);
    show_json_end(&j);
}

/* ---------------------------------------------------------------- by name */

#define NAMES_MOST 64
#define NAME_BYTES 32

/* Names that a word may have been meant to be. */
struct names {
    const char *at[NAMES_MOST];
    size_t n;
};

/* "q4km" and "Q4-K-M" are what "Q4_K_M" is: "Q4KM". */
static void squeeze(char out[NAME_BYTES], const char *word)
{
    static const char small[] = "abcdefghijklmnopqrstuvwxyz";
    size_t n = 0;

    for (; *word != '\0' && n + 1 < NAME_BYTES; word++) {
        const char *letter = strchr(small, *word);

        if (letter != NULL)
            out[n++] = (char)('A' + (letter - small));
        else if (*word != '_' && *word != '-' && *word != '.')
            out[n++] = *word;
    }
    out[n] = '\0';
}

/* The first of the nearest; NULL if none is near. Names are short, so more than
 * one slip is too much where they do not even begin alike. */
static const char *nearest_of(const struct names *names, const char *word)
{
    char squeezed[NAMES_MOST][NAME_BYTES], asked[NAME_BYTES];
    const char *at[NAMES_MOST], *nearest;
    size_t i = 0;

    squeeze(asked, word);
    for (size_t k = 0; k < names->n; k++) {
        squeeze(squeezed[k], names->at[k]);
        at[k] = squeezed[k];
    }
    nearest = opt_nearest(asked, at, names->n);
    if (nearest == NULL ||
        (strncmp(nearest, asked, 2) != 0 &&
         opt_distance(asked, strlen(asked), nearest, strlen(nearest)) > 1))
        return NULL;
    while (at[i] != nearest)
        i++;
    return names->at[i];
}

/* The mixes that most people mean come first. */
static const char *nearest_target(const char *word)
{
    struct names names = {.n = 0};
    const ggk_target *target;

    for (int usual = 1; usual >= 0; usual--)
        for (size_t i = 0;
             names.n < NAMES_MOST && (target = next_target(&i)) != NULL;)
            if ((strstr(target->name, "_M") != NULL) == usual)
                names.at[names.n++] = target->name;
    return nearest_of(&names, word);
}

bool quantize_target_ok(const struct cli *cli, const char *name)
{
    const char *nearest;

    if (ggk_target_by_name(name) != NULL)
        return true;
    nearest = nearest_target(name);
    if (strcasecmp(name, "COPY") == 0)
        msg_usage(&cli->msg, "'%s' is no TYPE: gguf copy IN OUT copies a model",
                  name);
    else if (nearest != NULL)
        msg_usage(&cli->msg, "there is no TYPE '%s' (did you mean '%s'?)", name,
                  nearest);
    else
        msg_usage(&cli->msg,
                  "there is no TYPE '%s': gguf quantize --list lists them",
                  name);
    return false;
}

bool quantize_is_target_name(const char *word)
{
    uint64_t number;

    return ggk_target_by_name(word) != NULL &&
           fmt_parse_u64(word, &number) != FMT_PARSED;
}

const char *quantize_type_hint(const char *word, char text[QUANTIZE_HINT])
{
    struct names names = {.n = 0};
    const ggk_target *target = ggk_target_by_name(word);
    const ggk_type_info *type;
    const char *nearest;

    for (size_t i = 0; names.n < NAMES_MOST && (type = ggk_type_at(i)) != NULL;
         i++)
        if (ggk_type_can_quantize(type))
            names.at[names.n++] = type->name;
    nearest = nearest_of(&names, word);
    if (quantize_is_target_name(word))
        snprintf(text, QUANTIZE_HINT, ": it is a mix of types, mostly %s",
                 ggk_type_by_id(target->type)->name);
    else if (nearest != NULL)
        snprintf(text, QUANTIZE_HINT, " (did you mean \"%s\"?)", nearest);
    else
        snprintf(text, QUANTIZE_HINT, ": gguf types lists them");
    return text;
}
