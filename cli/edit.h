/* edit.h - what set, rm and rename have in common: a model once more, in which
 * a few keys or tensors are changed, and all else stays as it is. */
#ifndef CLI_EDIT_H
#define CLI_EDIT_H

#include "input.h"

enum edit_kind { EDIT_SET, EDIT_REMOVED, EDIT_RENAMED };

/* One change. Its names are borrowed. */
struct edit_change {
    enum edit_kind kind;
    bool tensor;      /* else a key */
    ggk_str name;     /* as it is before, or will be */
    ggk_str new_name; /* of EDIT_RENAMED */
    uint64_t kv;      /* of a key in the model; GGK_NONE: it is new */
    uint64_t index;   /* the element that is set; GGK_NONE: the whole value */
    bool appended;
    ggk_model *after; /* the new value */
    bool owns_after;
};

/* How the commands may be told to go about it: the rows of their options, which
 * are a struct `type` with a member `how`. */
struct edit_options {
    bool in_place, rewrite, backup;
    struct opt_room reserve;
};

#define EDIT_OPTIONS(type)                                                \
    {"in-place",                                                          \
     0,                                                                   \
     OPT_FLAG,                                                            \
     NULL,                                                                \
     "edit FILE where it lies, or say why not, and fail",                 \
     offsetof(struct type, how.in_place),                                 \
     NULL},                                                               \
        {"rewrite",                                                       \
         0,                                                               \
         OPT_FLAG,                                                        \
         NULL,                                                            \
         "write FILE anew, even if it can be edited in place",            \
         offsetof(struct type, how.rewrite),                              \
         NULL},                                                           \
        {"reserve",                                                       \
         0,                                                               \
         OPT_ROOM,                                                        \
         "SIZE",                                                          \
         "leave so many bytes free for edits, 64Mi at most",              \
         offsetof(struct type, how.reserve),                              \
         NULL},                                                           \
    {                                                                     \
        "backup", 0, OPT_FLAG, NULL, "keep what is replaced as FILE.bak", \
            offsetof(struct type, how.backup), NULL                       \
    }

/* Where in an array the last element was shown: the next is often near. */
struct edit_place {
    const ggk_model *model; /* NULL: none yet */
    uint64_t kv;
    uint64_t index; /* that the walk stands before */
    ggk_walk walk;
};

struct edit {
    const struct cli *cli;
    const struct edit_options *how;
    struct input in;
    ggk_plan *plan;
    const char *out; /* NULL: the model itself is to be changed */
    struct edit_change *changes;
    size_t n_changes, capacity;
    struct edit_place *places; /* of the old values, and of the new */
};

/* edit_open - open the model, see whether it may be changed, and begin a plan.
 * On CLI_DONE, and only then, edit_close must follow; it returns the exit
 * status, which may be higher than the one it is given. */
int edit_open(const struct cli *cli, const char *file,
              const struct edit_options *how, struct edit *out);
int edit_close(struct edit *e, int status);

/* What is left out. */
struct edit_gaps {
    const bool *kvs;     /* of the model's key-values; NULL: none */
    const bool *tensors; /* of its tensors; NULL: none */
};

/* edit_plan_file - plan file `from` of the model.
 * edit_plan_keys - plan what has to be written if only keys change: the first
 * file, or all if they are written elsewhere. The keys are in file 0 of the
 * plan. */
ggk_status edit_plan_file(struct edit *e, uint32_t from,
                          const struct edit_gaps *gaps, ggk_error *err);
ggk_status edit_plan_keys(struct edit *e, const struct edit_gaps *gaps,
                          ggk_error *err);

/* edit_note - remember a change, to be told of; false: no memory. */
bool edit_note(struct edit *e, const struct edit_change *change);

/* edit_may_touch - may a key be set, removed or renamed without --force? If not
 * it has been told why. */
enum edit_use { EDIT_USE_SET, EDIT_USE_REMOVE };
bool edit_may_touch(const struct edit *e, ggk_str key, enum edit_use use);

/* edit_may_add - may a key of that name be added without --force? One that
 * breaks the format's rules may not, and it has been told. */
bool edit_may_add(const struct edit *e, ggk_str key);

/* edit_refuse - tell what is wrong with a key or a tensor, by its name.
 * edit_fail - tell the error of a call about it; returns the exit status. */
void edit_refuse(const struct edit *e, ggk_str name, const char *format, ...)
    MSG_PRINTF(3, 4);
int edit_fail(const struct edit *e, ggk_str name, const ggk_error *err);

/* edit_find_kv - the key-value that a word of the command line names: by the
 * key as it is or, if there is none, with its escapes resolved. Otherwise as
 * ggk_model_find_kv. */
ggk_status edit_find_kv(const struct edit *e, const char *word, uint64_t *out,
                        ggk_error *err);

/* edit_run - do it, unless nothing changes, and tell what was done. */
int edit_run(struct edit *e);

#endif
