/* naming.c - a file's name beside its content. */
#include "naming.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "out/fmt.h"
#include "path_parts.h"
#include "summary.h"

/* ----------------------------------------------------------------- strings */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_name_char(char c)
{
    c = lower(c);
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool same_text(ggk_str a, ggk_str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (lower(a.ptr[i]) != lower(b.ptr[i]))
            return false;
    return true;
}

/* Letters, in lower case, and digits alone; of very long texts the start. */
static void plain_letters(char out[NAMING_MAX_NAME + 1], ggk_str s)
{
    size_t n = 0;

    for (size_t i = 0; i < s.len && n < NAMING_MAX_NAME; i++)
        if (is_name_char(s.ptr[i]))
            out[n++] = lower(s.ptr[i]);
    out[n] = '\0';
}

/* Names are written freely: is one of them in the other? */
static bool similar_text(ggk_str a, ggk_str b)
{
    char x[NAMING_MAX_NAME + 1], y[NAMING_MAX_NAME + 1];

    plain_letters(x, a);
    plain_letters(y, b);
    return strstr(x, y) != NULL || strstr(y, x) != NULL;
}

/* "v1.0" and "1" are the same. */
static ggk_str bare_version(ggk_str s)
{
    if (s.len > 0 && lower(s.ptr[0]) == 'v')
        s = (ggk_str){s.ptr + 1, s.len - 1};
    while (s.len > 2 && memcmp(s.ptr + s.len - 2, ".0", 2) == 0)
        s.len -= 2;
    return s;
}

static bool is_version_text(ggk_str s)
{
    s = bare_version(s);
    if (s.len == 0 || s.len > 32)
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] != '.' && (s.ptr[i] < '0' || s.ptr[i] > '9'))
            return false;
    return true;
}

/* ----------------------------------------------------------------- content */

struct content {
    const struct input *in;
    struct summary summary;
    uint64_t experts;    /* of a layer; 0: none */
    uint64_t shared;     /* parameters outside of experts */
    uint64_t per_expert; /* parameters of one expert of each layer */
    uint64_t shard;      /* from 1 */
    uint64_t shards;     /* 0: it is no shard */
    bool mmproj, adapter, vocab;
    bool partial; /* one shard of several, read alone */
};

static ggk_str key_text(const struct input *in, const char *key)
{
    ggk_str value;

    if (ggk_model_get_str(in->model, ggk_cstr(key), &value, NULL) != GGK_OK)
        return (ggk_str){NULL, 0};
    return value;
}

static uint64_t key_number(const struct input *in, const char *key)
{
    uint64_t value;

    if (ggk_model_get_u64(in->model, ggk_cstr(key), &value, NULL) != GGK_OK)
        return 0;
    return value;
}

static bool holds(ggk_str s, const char *what)
{
    size_t n = strlen(what);

    for (size_t i = 0; i + n <= s.len; i++)
        if (memcmp(s.ptr + i, what, n) == 0)
            return true;
    return false;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* As gguf-py counts: experts are stacked in tensors named "..._exps...", along
 * the third dimension, their biases along the second. */
static ggk_status count_experts(struct content *c, ggk_error *err)
{
    uint64_t n_stacks = 0, sum = 0;

    for (uint64_t i = 0; i < c->summary.n_tensors; i++) {
        ggk_tensor t;
        ggk_status status = ggk_model_tensor(c->in->model, i, &t, err);
        uint64_t experts;
        if (status != GGK_OK)
            return status;
        experts = t.ne[holds(t.name, ".bias") ? 1 : 2];
        if (t.n_dims < 3 || experts == 0 || !holds(t.name, "_exps.")) {
            c->shared = add(c->shared, t.n_elements);
            continue;
        }
        c->per_expert = add(c->per_expert, t.n_elements / experts);
        sum = add(sum, experts);
        n_stacks++;
    }
    c->experts = n_stacks > 0 ? sum / n_stacks : 0;
    return GGK_OK;
}

static ggk_status take_content(const struct input *in, struct content *c,
                               ggk_error *err)
{
    ggk_str type = key_text(in, "general.type");
    ggk_status status;

    *c = (struct content){.in = in};
    status = summary_make(in, &c->summary, err);
    if (status != GGK_OK)
        return status;
    status = count_experts(c, err);
    if (status != GGK_OK) {
        summary_free(&c->summary);
        return status;
    }
    c->mmproj = same_text(type, ggk_cstr("mmproj")) ||
                same_text(c->summary.arch, ggk_cstr("clip"));
    c->adapter = same_text(type, ggk_cstr("adapter"));
    c->shards = key_number(in, "split.count");
    if (c->shards > 0)
        c->shard = add(key_number(in, "split.no"), 1);
    c->partial = c->shards > 1 && c->summary.n_files == 1;
    c->vocab =
        c->summary.n_tensors == 0 && c->summary.n_tokens > 0 && !c->partial;
    return GGK_OK;
}

/* ------------------------------------------------------------- size labels */

/* Are they the same but for rounding, or for names that flatter? */
static bool about_equal(uint64_t a, uint64_t b)
{
    uint64_t high = a > b ? a : b, low = a > b ? b : a;

    return high / 3 <= low / 2;
}

/* "8x7B" is 8 times as much as all that one expert needs, or about the number
 * of all parameters; "30B-A3B" is that number. */
static bool label_fits(ggk_size_label label, const struct content *c)
{
    if (label.experts == 0)
        return about_equal(label.parameters, c->summary.parameters);
    if (c->experts > 0 && label.experts != c->experts)
        return false;
    if (about_equal(label.parameters, add(c->shared, c->per_expert)))
        return true;
    return about_equal(label.parameters, c->summary.parameters / label.experts);
}

static bool is_countable(const struct content *c)
{
    return c->summary.parameters > 0 && !c->partial && !c->mmproj &&
           !c->adapter;
}

static void compare_size(struct naming *n, const struct content *c)
{
    struct naming_row *row = &n->rows[NAMING_SIZE_LABEL];
    ggk_size_label counted = {c->experts, add(c->shared, c->per_expert)};
    ggk_size_label named;

    row->in_content = key_text(c->in, "general.size_label");
    if (is_countable(c)) {
        snprintf(row->remark, sizeof row->remark,
                 c->experts > 0 ? "%" PRIu64 " parameter%s, %" PRIu64
                                  " expert%s"
                                : "%" PRIu64 " parameter%s",
                 c->summary.parameters, fmt_plural(c->summary.parameters),
                 c->experts, fmt_plural(c->experts));
        ggk_size_label_format(&counted, n->size_label);
        if (row->in_content.len == 0)
            row->in_content = ggk_cstr(n->size_label);
    }
    if (row->in_name.len == 0 || row->in_content.len == 0)
        return;
    if (same_text(row->in_name, row->in_content))
        row->verdict = NAMING_AGREES;
    else if (is_countable(c) && ggk_size_label_parse(row->in_name, &named))
        row->verdict = label_fits(named, c) ? NAMING_AGREES : NAMING_DIFFERS;
    else
        row->verdict = NAMING_DIFFERS;
}

/* --------------------------------------------------------------- encodings */

/* The label without who made it: "Q4_K_XL" of "UD-Q4_K_XL". */
static ggk_str without_maker(ggk_str label)
{
    for (size_t i = 0; i < label.len; i++)
        if (label.ptr[i] == '-')
            return (ggk_str){label.ptr + i + 1, label.len - i - 1};
    return label;
}

/* The tensor type that most of a file of that label should have; NULL if the
 * label says nothing to us. */
static const ggk_type_info *main_type(ggk_str label)
{
    /* Where it is not the label up to one of its underscores. */
    static const char *const others[][2] = {
        {"FP16", "F16"},     {"FP32", "F32"},     {"IQ2_S", "IQ2_XS"},
        {"IQ2_M", "IQ2_S"},  {"IQ3_XS", "IQ3_S"}, {"IQ3_M", "IQ3_S"},
        {"Q8_K_XL", "Q8_0"},
    };
    char text[32];
    size_t len;

    label = without_maker(label);
    if (label.len == 0 || label.len >= sizeof text)
        return NULL;
    memcpy(text, label.ptr, label.len);
    text[label.len] = '\0';
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (same_text(label, ggk_cstr(others[i][0])))
            return ggk_type_by_name(others[i][1]);
    for (len = label.len; len > 0; len--) {
        const ggk_type_info *type;
        if (text[len] != '\0' && text[len] != '_')
            continue;
        text[len] = '\0';
        type = ggk_type_by_name(text);
        if (type != NULL)
            return type;
    }
    return NULL;
}

/* "Q4_K_M" of "MOSTLY_Q4_K_M". */
static ggk_str file_type_label(const struct summary *s)
{
    const char *name =
        s->has_file_type ? ggk_file_type_name(s->file_type) : NULL;
    const char *under = name != NULL ? strchr(name, '_') : NULL;

    return under != NULL ? ggk_cstr(under + 1) : (ggk_str){NULL, 0};
}

static bool same_encoding(ggk_str a, ggk_str b)
{
    const ggk_type_info *type = main_type(a);

    return same_text(without_maker(a), without_maker(b)) ||
           (type != NULL && type == main_type(b));
}

/* "Q4_K 70.1%, Q6_K 29.7% of the bytes"; returns its length. */
static size_t tell_mix(char *out, size_t room, const struct summary *s)
{
    size_t used = 0;

    for (size_t i = 0; i < s->n_types && i < 3; i++) {
        char share[FMT_BYTES];
        fmt_percent(share, s->types[i].bytes, s->tensor_bytes);
        used += (size_t)snprintf(out + used, room - used, "%s%s %s",
                                 i > 0 ? ", " : "", s->types[i].name, share);
    }
    return used + (size_t)snprintf(out + used, room - used, " of the bytes");
}

/* By the types of the tensors alone. */
static enum naming_verdict judge_by_mix(ggk_str in_name,
                                        const struct summary *s)
{
    const ggk_type_info *type = main_type(in_name);

    if (type == NULL)
        return NAMING_SILENT;
    if (s->types[0].id == type->id)
        return NAMING_AGREES;
    for (size_t i = 1; i < s->n_types; i++)
        if (s->types[i].id == type->id)
            return NAMING_SILENT;
    return NAMING_DIFFERS;
}

/* The file type decides; but where it and the name differ, and the name says
 * what most bytes are, it is the file type that is wrong. */
static void compare_encoding(struct naming *n, const struct content *c)
{
    struct naming_row *row = &n->rows[NAMING_ENCODING];
    const struct summary *s = &c->summary;
    const ggk_type_info *most;
    ggk_str label = file_type_label(s);
    size_t used;

    if (s->n_types == 0)
        return;
    used = tell_mix(row->remark, sizeof row->remark, s);
    most = ggk_model_type(c->in->model, s->types[0].id);
    row->in_content = label;
    if (label.len == 0 && most != NULL)
        row->in_content = ggk_cstr(most->name);
    if (row->in_name.len == 0)
        return;
    if (label.len > 0 && same_encoding(row->in_name, label)) {
        row->verdict = NAMING_AGREES;
        return;
    }
    row->verdict = judge_by_mix(row->in_name, s);
    if (label.len == 0)
        return;
    if (row->verdict == NAMING_AGREES && most != NULL) {
        snprintf(row->remark + used, sizeof row->remark - used,
                 "; the file type says %.*s", (int)label.len, label.ptr);
        row->in_content = ggk_cstr(most->name);
    } else if (main_type(row->in_name) != NULL) {
        row->verdict = NAMING_DIFFERS;
    }
}

/* -------------------------------------------------------------- comparison */

static void judge(struct naming_row *row, bool same)
{
    row->verdict = same ? NAMING_AGREES : NAMING_DIFFERS;
}

static void compare_words(struct naming_row *row, ggk_str in_content)
{
    row->in_content = in_content;
    if (row->in_name.len > 0 && in_content.len > 0)
        judge(row, similar_text(row->in_name, in_content));
}

static void compare_version(struct naming_row *row, ggk_str in_content)
{
    row->in_content = in_content;
    if (row->in_name.len > 0 && in_content.len > 0)
        judge(row,
              same_text(bare_version(row->in_name), bare_version(in_content)));
}

/* What the file is, against what its name lets one take it for. */
static void compare_nature(struct naming *n, const struct content *c)
{
    struct naming_row *sidecar = &n->rows[NAMING_SIDECAR];
    struct naming_row *kind = &n->rows[NAMING_KIND];

    if (c->mmproj)
        sidecar->in_content = ggk_cstr("mmproj");
    /* Nothing in a file tells that it is an "mtp". */
    if (c->mmproj || same_text(sidecar->in_name, ggk_cstr("mmproj")))
        judge(sidecar, same_text(sidecar->in_name, sidecar->in_content));
    if (c->adapter)
        kind->in_content = ggk_cstr("LoRA");
    else if (c->vocab)
        kind->in_content = ggk_cstr("vocab");
    if (kind->in_name.len > 0 || kind->in_content.len > 0)
        judge(kind, same_text(kind->in_name, kind->in_content));
}

static void compare_shard(struct naming *n, const struct content *c)
{
    struct naming_row *row = &n->rows[NAMING_SHARD];
    uint64_t shard = c->shard;

    /* A set was checked when it was opened; its keys are those of shard 1. */
    if (c->summary.n_files > 1 && n->parts.shards > 0)
        shard = n->parts.shard;
    if (c->shards > 0) {
        snprintf(n->shard[1], sizeof n->shard[1], "%" PRIu64 " of %" PRIu64,
                 shard, c->shards);
        row->in_content = ggk_cstr(n->shard[1]);
    }
    if (n->parts.shards > 0 || c->shards > 1)
        judge(row, n->parts.shards == c->shards && n->parts.shard == shard);
}

static void compare_parts(struct naming *n, const struct content *c)
{
    if (n->file_name.len > 0)
        ggk_file_name_parse(n->file_name, &n->parts);
    for (int i = 0; i < NAMING_PARTS; i++)
        n->rows[i].in_name =
            naming_part_text(&n->parts, (enum naming_part)i, n->shard[0]);
    compare_words(&n->rows[NAMING_BASE_NAME],
                  key_text(c->in, "general.basename"));
    compare_words(&n->rows[NAMING_FINE_TUNE],
                  key_text(c->in, "general.finetune"));
    compare_version(&n->rows[NAMING_VERSION],
                    key_text(c->in, "general.version"));
    compare_size(n, c);
    compare_encoding(n, c);
    compare_nature(n, c);
    compare_shard(n, c);
    if (n->file_name.len == 0) /* then nothing is compared */
        for (int i = 0; i < NAMING_PARTS; i++)
            n->rows[i].verdict = NAMING_SILENT;
}

/* ---------------------------------------------------------------- proposal */

static ggk_str either(ggk_str a, ggk_str b)
{
    return a.len > 0 ? a : b;
}

/* general.name, "Llama 3 8B Instruct", as a file name that can be parsed. */
static void take_title(struct naming *n, const struct content *c,
                       ggk_file_name *out)
{
    ggk_file_name whole = {.base_name = key_text(c->in, "general.name")};

    *out = (ggk_file_name){0};
    if (whole.base_name.len == 0 ||
        ggk_file_name_format(&whole, n->title, sizeof n->title) >=
            sizeof n->title)
        return;
    ggk_file_name_parse(ggk_cstr(n->title), out);
}

/* Base name, size label and fine tune: what keys say, else the title, else the
 * name. */
static void propose_words(struct naming *n, const struct content *c,
                          ggk_file_name *p)
{
    const struct naming_row *rows = n->rows;
    const struct naming_row *size = &rows[NAMING_SIZE_LABEL];
    ggk_file_name title;

    take_title(n, c, &title);
    p->base_name = rows[NAMING_BASE_NAME].in_content;
    p->fine_tune = rows[NAMING_FINE_TUNE].in_content;
    if (p->base_name.len == 0 && title.base_name.len > 0) {
        p->base_name = title.base_name;
        p->fine_tune = either(p->fine_tune, title.fine_tune);
    }
    p->base_name = either(p->base_name, n->parts.base_name);
    p->base_name = either(p->base_name, c->summary.arch);
    p->base_name = either(p->base_name, ggk_cstr("model"));
    p->fine_tune = either(p->fine_tune, n->parts.fine_tune);
    p->size_label = key_text(c->in, "general.size_label");
    if (p->size_label.len == 0)
        p->size_label = size->verdict == NAMING_DIFFERS || !size->in_name.len
                            ? size->in_content
                            : size->in_name;
}

/* The label that is more exact: "UD-Q4_K_XL", where the file can only say
 * "Q4_K_M". */
static ggk_str propose_encoding(const struct naming_row *row)
{
    if (row->verdict == NAMING_AGREES &&
        !same_text(row->in_name, row->in_content))
        return row->in_name;
    return row->in_content;
}

/* What a shard alone holds says too little of the model, and its set is only
 * found if all have one name: it keeps that, but for the number. */
static void propose_number(struct naming *n, const struct content *c)
{
    const size_t end = strlen("-00001-of-00002"), gguf = strlen(".gguf");
    ggk_str stem = n->file_name;

    if (stem.len > gguf &&
        memcmp(stem.ptr + stem.len - gguf, ".gguf", gguf) == 0)
        stem.len -= gguf;
    if (n->parts.shards > 0)
        stem.len -= end;
    if (stem.len + end + gguf > NAMING_MAX_NAME)
        return;
    snprintf(n->proposed, sizeof n->proposed,
             "%.*s-%05" PRIu64 "-of-%05" PRIu64 ".gguf", (int)stem.len,
             stem.ptr, c->shard, c->shards);
}

static void propose(struct naming *n, const struct content *c)
{
    const struct naming_row *rows = n->rows;
    ggk_file_name p = {0};

    if (c->partial && n->file_name.len > 0 && c->shard <= c->shards &&
        c->shards <= 99999) {
        propose_number(n, c);
        return;
    }
    propose_words(n, c, &p);
    p.sidecar = either(rows[NAMING_SIDECAR].in_content, n->parts.sidecar);
    if (rows[NAMING_SIDECAR].verdict == NAMING_DIFFERS)
        p.sidecar = rows[NAMING_SIDECAR].in_content;
    p.version = rows[NAMING_VERSION].in_content;
    if (!is_version_text(p.version))
        p.version = either(n->parts.version, ggk_cstr("v1.0"));
    p.encoding = propose_encoding(&rows[NAMING_ENCODING]);
    p.kind = rows[NAMING_KIND].in_content;
    if (c->shards > 1 && c->shards <= 99999) {
        bool named = c->summary.n_files > 1 && n->parts.shards > 0;
        p.shard = named ? n->parts.shard : (uint32_t)c->shard;
        p.shards = (uint32_t)c->shards;
    }
    if (ggk_file_name_format(&p, n->proposed, sizeof n->proposed) >
        NAMING_MAX_NAME)
        n->proposed[0] = '\0';
}

/* --------------------------------------------------------------------- all */

/* The name of the file, without folders; of a folder that of the file in it. */
static ggk_str find_name(const struct input *in)
{
    const char *name = in->name;
    ggk_file_name parts;
    ggk_file file;

    if (ggk_model_file(in->model, 0, &file, NULL) != GGK_OK ||
        file.path == NULL)
        return (ggk_str){NULL, 0};
    ggk_file_name_parse(ggk_cstr(name), &parts);
    if (ggk_model_n_files(in->model) == 1 || parts.shards == 0)
        name = file.path;
    return ggk_cstr(path_name(name));
}

bool naming_is_part(const struct input *in)
{
    return key_number(in, "split.count") > 1;
}

bool naming_is_shard(const struct input *in)
{
    uint64_t shards = key_number(in, "split.count");
    ggk_file_name parts;

    ggk_file_name_parse(find_name(in), &parts);
    return shards > 1 && parts.shards == shards &&
           parts.shard == add(key_number(in, "split.no"), 1);
}

ggk_status naming_make(const struct input *in, struct naming *out,
                       ggk_error *err)
{
    struct content c;
    ggk_status status;

    *out = (struct naming){.file_name = find_name(in)};
    status = take_content(in, &c, err);
    if (status != GGK_OK)
        return status;
    compare_parts(out, &c);
    propose(out, &c);
    summary_free(&c.summary);
    return GGK_OK;
}

ggk_str naming_part_text(const ggk_file_name *name, enum naming_part part,
                         char shard[48])
{
    switch (part) {
    case NAMING_SIDECAR: return name->sidecar;
    case NAMING_BASE_NAME: return name->base_name;
    case NAMING_SIZE_LABEL: return name->size_label;
    case NAMING_FINE_TUNE: return name->fine_tune;
    case NAMING_VERSION: return name->version;
    case NAMING_ENCODING: return name->encoding;
    case NAMING_KIND: return name->kind;
    case NAMING_SHARD:
        if (name->shards == 0)
            break;
        snprintf(shard, 48, "%" PRIu32 " of %" PRIu32, name->shard,
                 name->shards);
        return ggk_cstr(shard);
    case NAMING_PARTS: break;
    }
    return (ggk_str){NULL, 0};
}

const char *naming_part_name(enum naming_part part)
{
    static const char *const names[NAMING_PARTS] = {
        [NAMING_SIDECAR] = "sidecar",
        [NAMING_BASE_NAME] = "base name",
        [NAMING_SIZE_LABEL] = "size label",
        [NAMING_FINE_TUNE] = "fine tune",
        [NAMING_VERSION] = "version",
        [NAMING_ENCODING] = "encoding",
        [NAMING_KIND] = "kind",
        [NAMING_SHARD] = "shard",
    };
    return names[part];
}

const char *naming_part_key(enum naming_part part)
{
    static const char *const keys[NAMING_PARTS] = {
        [NAMING_SIDECAR] = "sidecar",
        [NAMING_BASE_NAME] = "base_name",
        [NAMING_SIZE_LABEL] = "size_label",
        [NAMING_FINE_TUNE] = "fine_tune",
        [NAMING_VERSION] = "version",
        [NAMING_ENCODING] = "encoding",
        [NAMING_KIND] = "kind",
        [NAMING_SHARD] = "shard",
    };
    return keys[part];
}
