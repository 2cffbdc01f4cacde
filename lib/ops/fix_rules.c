/* fix_rules.c - for each rule of the check: what becomes of that which breaks
 * it. docs/format.md 13 is the same for people. */
#include "ops/fix.h"

enum answer {
    UNDECIDED, /* no rule is */
    LAYOUT,    /* gone once the file is written */
    ALWAYS,    /* repaired, if the file opens */
    PARTLY,    /* where one answer is right */
    NEVER
};

static const char not_opened[] =
    "the file cannot be read, and what it lacks is not in it: get it again";
static const char unknown_key[] = "nobody but its writer knows the right name; "
                                  "gguf rename FILE KEY NEW gives one";
static const char unknown_name[] =
    "nobody but its writer knows the right name; gguf rename --tensor FILE OLD "
    "NEW gives one";
static const char unknown_value[] =
    "nobody but its writer knows the right value; gguf set FILE KEY=VALUE "
    "gives one";
static const char key_name[] = "programs look for the key by just this name; "
                               "gguf rename FILE KEY NEW gives another";
static const char tensor_name[] =
    "programs look for the tensor by just this name; gguf rename --tensor FILE "
    "OLD NEW gives another";
static const char new_tokenizer[] =
    "nobody but its writer knows the right value: convert the tokenizer anew";
static const char lost_numbers[] =
    "what the numbers were is not in the file: get it again";
static const char fork_type[] =
    "the data would have to be converted to another type";
static const char writers_choice[] = "it may be meant so, and programs read it";

static const struct {
    enum answer answer;
    const char *why_not;
} answers[N_RULES] = {
    [RULE_NOT_GGUF] = {NEVER, not_opened},
    [RULE_VERSION_UNKNOWN] = {NEVER, not_opened},
    [RULE_VERSION_1] = {LAYOUT, NULL},
    [RULE_VERSION_2] = {LAYOUT, NULL},
    [RULE_BIG_ENDIAN] = {NEVER, "a machine of that byte order reads it; gguf "
                                "copy --byte-order little turns it round"},
    [RULE_MAGIC_SWAPPED] = {LAYOUT, NULL},
    [RULE_TRUNCATED] = {NEVER, not_opened},
    [RULE_COUNT] = {NEVER, not_opened},
    [RULE_STRING_LENGTH] = {NEVER, not_opened},

    [RULE_VALUE_TYPE] = {NEVER, not_opened},
    [RULE_ARRAY_TYPE] = {NEVER, not_opened},
    [RULE_ARRAY_DEPTH] = {NEVER, not_opened},
    [RULE_ARRAY_NESTED] =
        {NEVER,
         "flat, the array would be another value; gguf rm FILE KEY removes it"},
    [RULE_KEY_EMPTY] = {NEVER, unknown_key},
    [RULE_KEY_DUPLICATE] =
        {PARTLY, "the values differ, and nobody knows which counts; gguf rm "
                 "FILE KEY removes all, gguf set FILE KEY=VALUE gives one"},
    [RULE_KEY_NUL] = {PARTLY, "only one NUL at the end of a name, where the "
                              "rest names no other value, is a known mistake; "
                              "gguf rename FILE KEY NEW gives another"},
    [RULE_KEY_LONG] = {NEVER, key_name},
    [RULE_KEY_CHARS] = {NEVER, key_name},
    [RULE_BOOL_VALUE] =
        {PARTLY, "the key is there more than once, and the values differ; gguf "
                 "rm FILE KEY removes all, gguf set FILE KEY=VALUE gives one"},
    [RULE_STRING_UTF8] = {NEVER, unknown_value},
    [RULE_OVER_GIB] =
        {NEVER,
         "shortened, it would be another value; gguf rm FILE KEY removes it"},
    [RULE_STRING_NUL] = {PARTLY, "only where all strings of a file end in a "
                                 "NUL is that a known mistake; gguf set FILE "
                                 "KEY=VALUE gives another value"},
    [RULE_TOKEN_NUL] = {PARTLY, "a token may hold any byte"},
    [RULE_STRING_CONTROL] = {NEVER, writers_choice},
    [RULE_FLOAT_FINITE] = {NEVER, unknown_value},

    [RULE_ALIGN_VALUE] = {NEVER, "where the data begins is not known"},
    [RULE_ALIGN_TYPE] = {PARTLY, "what is no integer aligns nothing"},
    [RULE_ALIGN_DIFFERS] = {NEVER, "where the data begins is not known"},
    [RULE_ALIGN_EIGHTS] = {ALWAYS, NULL},
    [RULE_ALIGN_POWER] = {ALWAYS, NULL},
    [RULE_ALIGN_UNDER] = {ALWAYS, NULL},
    [RULE_ALIGN_LARGE] = {NEVER, "it may be meant so, and programs read it; "
                                 "gguf copy --align 32 lays it out anew"},
    [RULE_ALIGN_HUGE] = {ALWAYS, NULL},

    [RULE_NAME_EMPTY] = {NEVER, unknown_name},
    [RULE_NAME_DUPLICATE] = {PARTLY, "the tensors differ, or their type is not "
                                     "known, and nobody knows which counts; "
                                     "gguf rm --tensor FILE NAME removes all"},
    [RULE_NAME_NUL] = {PARTLY,
                       "only one NUL at the end of a name, where the "
                       "rest names no other tensor, is a known mistake; gguf "
                       "rename --tensor FILE OLD NEW gives another"},
    [RULE_NAME_LONG] = {NEVER, tensor_name},
    [RULE_NAME_64] = {NEVER, tensor_name},
    [RULE_NAME_UTF8] = {NEVER, unknown_name},
    [RULE_NAME_CONTROL] = {NEVER, unknown_name},
    [RULE_NAME_PATH] = {NEVER, unknown_name},
    [RULE_NAME_NUMBER] = {NEVER, unknown_name},
    [RULE_N_DIMS] = {NEVER, "the program that the file is for wants this "
                            "shape"},
    [RULE_DIM] = {NEVER, not_opened},
    [RULE_OVERFLOW] = {NEVER, not_opened},
    [RULE_TYPE_UNKNOWN] = {NEVER, fork_type},
    [RULE_TYPE_REMOVED] = {NEVER, fork_type},
    [RULE_TYPE_NEW] = {NEVER, fork_type},
    [RULE_BLOCK] = {NEVER, not_opened},

    [RULE_OFFSET_RANGE] = {NEVER, not_opened},
    [RULE_OFFSET_UNALIGNED] = {LAYOUT, NULL},
    [RULE_OVERLAP] = {LAYOUT, NULL},
    [RULE_ORDER] = {LAYOUT, NULL},
    [RULE_GAP] = {LAYOUT, NULL},
    [RULE_DATA_MISSING] = {PARTLY, not_opened},
    [RULE_DATA_START] = {LAYOUT, NULL},
    [RULE_PADDING_MISSING] = {LAYOUT, NULL},
    [RULE_PADDING_BYTES] = {LAYOUT, NULL},
    [RULE_TRAILING] = {LAYOUT, NULL},

    [RULE_SPLIT_MISSING] =
        {PARTLY, "tensors of the model are in other files: get these"},
    [RULE_SPLIT_BROKEN] = {NEVER, "nobody knows which of the shards belong "
                                  "together: get them again"},
    [RULE_SPLIT_KEYS] = {PARTLY,
                         "only of a whole set is it known what they "
                         "should say: get the other shards, and fix the set"},
    [RULE_SPLIT_TENSORS] =
        {PARTLY, "the key is there more than once, and the values differ; gguf "
                 "merge, then gguf split makes it anew"},
    [RULE_SPLIT_STALE] = {NEVER, "no file is removed that is no part of the "
                                 "model: remove it, or move it elsewhere"},

    [RULE_ARCH_MISSING] = {NEVER, unknown_value},
    [RULE_ARCH_UNKNOWN] = {NEVER, unknown_value},
    [RULE_ARCH_CHARS] = {NEVER, writers_choice},
    [RULE_QUANT_VERSION] = {ALWAYS, NULL},
    [RULE_KEY_REQUIRED] = {NEVER, unknown_value},
    [RULE_KEY_DESCRIBED] = {NEVER, unknown_value},
    [RULE_PARAMETER_RANGE] = {NEVER, unknown_value},
    [RULE_PARAMETER_TYPE] = {PARTLY,
                             "what is there is no number that a UINT32 holds, "
                             "or the key repeats and the values differ; gguf "
                             "set --type UINT32 FILE KEY=N gives one"},
    [RULE_KEY_TYPE] = {NEVER, "nobody but its writer knows the right value; "
                              "gguf set --type TYPE FILE KEY=VALUE gives one"},
    [RULE_PARAMETER_LENGTH] = {NEVER, unknown_value},
    [RULE_TENSOR_MISSING] = {NEVER, "what it held is not in the file: get the "
                                    "file again, or convert the model anew"},
    [RULE_TENSOR_UNUSED] =
        {NEVER,
         "nobody knows whether its name is wrong or the tensor too many"},
    [RULE_BLOCK_PAST] = {NEVER,
                         "nobody knows whether the count or the tensor "
                         "is wrong; gguf set FILE KEY=N changes it, gguf "
                         "rm --tensor FILE NAME removes the tensor"},
    [RULE_TENSOR_SHAPE] = {NEVER, "nobody knows whether the key or the tensor "
                                  "is wrong"},
    [RULE_ROPE_DIMENSIONS] = {NEVER, unknown_value},
    [RULE_EXPERTS] = {NEVER, unknown_value},
    [RULE_FILE_TYPE] = {NEVER, "several mixes have the same types; gguf set "
                               "FILE general.file_type=Q4_K_M names one"},

    [RULE_NO_TOKENIZER] = {NEVER, new_tokenizer},
    [RULE_TOKENIZER] = {NEVER, unknown_value},
    [RULE_TOKENIZER_UNKNOWN] = {NEVER, unknown_value},
    [RULE_MERGES] = {NEVER, new_tokenizer},
    [RULE_TOKENS_LENGTH] = {NEVER, new_tokenizer},
    [RULE_TOKENS_TYPE] = {PARTLY, "the right type cannot hold what is there: "
                                  "convert the tokenizer anew"},
    [RULE_TOKEN_ID] = {NEVER, unknown_value},
    [RULE_TOKEN_TYPE] = {NEVER, new_tokenizer},
    [RULE_TOKEN_CONTROL] = {NEVER, writers_choice},
    [RULE_PRE_UNKNOWN] = {NEVER, unknown_value},
    [RULE_NO_TEMPLATE] = {NEVER, unknown_value},

    [RULE_NUMBERS_NAN] = {NEVER, lost_numbers},
    [RULE_NUMBERS_INFINITE] = {NEVER, lost_numbers},
    [RULE_NUMBERS_SCALE] = {NEVER, lost_numbers},
    [RULE_NUMBERS_OUTLIER] = {NEVER, lost_numbers},
    [RULE_NUMBERS_NO_WEIGHTS] = {NEVER, lost_numbers},
    [RULE_NUMBERS_ZERO_ROWS] = {NEVER, lost_numbers},
    [RULE_NUMBERS_ZERO] = {NEVER, lost_numbers},
    [RULE_NUMBERS_CONSTANT] = {NEVER, lost_numbers},
};

bool ggki_fix_by_layout(enum ggki_rule rule)
{
    return answers[rule].answer == LAYOUT;
}

const char *ggk_fix_why_not(const ggk_rule *rule)
{
    return answers[rule - ggk_rule_at(0)].why_not;
}
