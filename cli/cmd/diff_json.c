/* diff_json.c - what `gguf diff` found, as one JSON document. */
#include "cmd/diff_report.h"

static void put_order(struct json *j, const char *member, const ggk_file *file)
{
    json_put_cstring(j, member, file->big_endian ? "big" : "little");
}

static void put_model(struct json *j, const struct input *in,
                      const struct summary *s)
{
    json_open_object(j);
    json_put_cstring(j, "file", in->name);
    json_put_u64(j, "version", s->file.version);
    put_order(j, "byte_order", &s->file);
    json_put_u64(j, "alignment", s->file.alignment);
    json_put_u64(j, "n_keys", s->n_kv);
    json_put_u64(j, "n_tensors", s->n_tensors);
    json_put_u64(j, "n_shards", s->n_files);
    json_put_u64(j, "parameters", s->parameters);
    json_put_u64(j, "tensor_bytes", s->tensor_bytes);
    if (s->sized_parameters > 0)
        json_put_f64(j, "bits_per_weight", summary_bits_per_weight(s));
    json_close_object(j);
}

static void begin_document(struct diff_json *d)
{
    struct json *j = &d->json;

    if (d->begun)
        return;
    d->begun = true;
    show_json_start(j, d->job->cli);
    json_key(j, "files");
    json_open_array(j);
    for (int side = 0; side < 2; side++)
        put_model(j, &d->job->in[side], &d->job->summary[side]);
    json_close_array(j);
    json_key(j, "differences");
    json_open_array(j);
}

/* --------------------------------------------------------------------- keys */

/* One side's value; with `key` its name too, before it. */
static ggk_status put_side(struct diff_json *d, int side, uint64_t i,
                           ggk_error *err)
{
    uint64_t most = d->job->options->full ? SHOW_ALL : SHOW_FEW;
    ggk_status status;

    json_key(&d->json, side == 0 ? "a" : "b");
    json_open_object(&d->json);
    status = show_json_value(&d->json, d->job->in[side].model, i, most, err);
    json_close_object(&d->json);
    return status;
}

/* The element at which arrays begin to differ, where there is one. */
static ggk_status put_element(struct diff_json *d, const char *member, int side,
                              uint64_t i, uint64_t at, ggk_error *err)
{
    ggk_walk walk;
    ggk_value head;
    bool shortened;
    ggk_status status = ggk_walk_start(d->job->in[side].model, i, &walk, err);

    if (status != GGK_OK)
        return status;
    if (ggk_walk_next(&walk, &head) != GGK_WALK_OPEN)
        return show_broken(err);
    if (at >= head.as.u)
        return GGK_OK;
    if (ggk_walk_skip(&walk, at) != at)
        return show_broken(err);
    json_key(&d->json, member);
    return show_json_element(&d->json, &walk, SHOW_FEW, &shortened, err);
}

static ggk_status put_where(struct diff_json *d, const ggk_difference *diff,
                            ggk_error *err)
{
    ggk_str s;
    ggk_kv kv;
    ggk_status status = ggk_model_kv(d->job->in[0].model, diff->a, &kv, err);

    if (status != GGK_OK || diff->what != GGK_DIFF_VALUE)
        return status;
    if (diff_string(d->job, 0, diff->a, &s))
        json_put_u64(&d->json, "first_byte", diff->first);
    if (kv.type != GGK_VALUE_ARRAY)
        return GGK_OK;
    json_put_u64(&d->json, "first", diff->first);
    json_put_u64(&d->json, "n_differ", diff->n_differ);
    status = put_element(d, "first_a", 0, diff->a, diff->first, err);
    return status == GGK_OK
               ? put_element(d, "first_b", 1, diff->b, diff->first, err)
               : status;
}

static void put_changed(struct json *j, uint32_t what)
{
    static const struct {
        uint32_t what;
        const char *name;
    } names[] = {{GGK_DIFF_TYPE, "type"},
                 {GGK_DIFF_VALUE, "value"},
                 {GGK_DIFF_SHAPE, "shape"},
                 {GGK_DIFF_DATA, "data"}};

    json_key(j, "changed");
    json_open_row(j);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if ((what & names[i].what) != 0)
            json_cstring(j, names[i].name);
    json_close_array(j);
}

static ggk_status put_key(struct diff_json *d, const ggk_difference *diff,
                          ggk_error *err)
{
    int side = diff->a == GGK_NONE;
    ggk_kv kv;
    ggk_status status = ggk_model_kv(d->job->in[side].model,
                                     side == 0 ? diff->a : diff->b, &kv, err);

    if (status != GGK_OK)
        return status;
    json_put_string(&d->json, "key", kv.key.ptr, kv.key.len);
    if (diff->what != 0)
        put_changed(&d->json, diff->what);
    if (diff->a != GGK_NONE)
        status = put_side(d, 0, diff->a, err);
    if (status == GGK_OK && diff->b != GGK_NONE)
        status = put_side(d, 1, diff->b, err);
    if (status == GGK_OK && diff->kind == GGK_DIFF_KEY_CHANGED)
        status = put_where(d, diff, err);
    return status;
}

/* ------------------------------------------------------------------ tensors */

static void put_data(struct diff_json *d, const ggk_tensor *a,
                     const ggk_difference *diff)
{
    const ggk_type_info *type = ggk_model_type(d->job->in[0].model, a->type);

    json_put_u64(&d->json, "first_byte", diff->first);
    json_put_u64(&d->json, "bytes_differ", diff->n_differ);
    if (diff->n_blocks == 0 || type == NULL || type->bytes == 0)
        return;
    json_put_u64(&d->json, "blocks_differ", diff->n_blocks);
    json_put_u64(&d->json, "blocks", a->bytes / type->bytes);
}

static ggk_status put_tensor(struct diff_json *d, const ggk_difference *diff,
                             ggk_error *err)
{
    const uint64_t number[2] = {diff->a, diff->b};
    ggk_tensor tensor[2] = {{.bytes = 0}, {.bytes = 0}};
    ggk_str name;

    for (int side = 0; side < 2; side++) {
        ggk_status status =
            number[side] == GGK_NONE
                ? GGK_OK
                : ggk_model_tensor(d->job->in[side].model, number[side],
                                   &tensor[side], err);
        if (status != GGK_OK)
            return status;
    }
    name = tensor[diff->a == GGK_NONE].name;
    json_put_string(&d->json, "name", name.ptr, name.len);
    if (diff->what != 0)
        put_changed(&d->json, diff->what);
    for (int side = 0; side < 2; side++) {
        if (number[side] == GGK_NONE)
            continue;
        json_key(&d->json, side == 0 ? "a" : "b");
        show_json_tensor(&d->json, d->job->in[side].model, &tensor[side]);
    }
    if ((diff->what & GGK_DIFF_DATA) != 0)
        put_data(d, &tensor[0], diff);
    return GGK_OK;
}

/* -------------------------------------------------------------- differences */

static const char *kind_name(ggk_diff_kind kind)
{
    switch (kind) {
    case GGK_DIFF_VERSION: return "version";
    case GGK_DIFF_BYTE_ORDER: return "byte-order";
    case GGK_DIFF_ALIGNMENT: return "alignment";
    case GGK_DIFF_KEY_REMOVED: return "key-removed";
    case GGK_DIFF_KEY_ADDED: return "key-added";
    case GGK_DIFF_KEY_CHANGED: return "key-changed";
    case GGK_DIFF_TENSOR_REMOVED: return "tensor-removed";
    case GGK_DIFF_TENSOR_ADDED: return "tensor-added";
    case GGK_DIFF_TENSOR_CHANGED: return "tensor-changed";
    case GGK_DIFF_SHARDS: return "shards";
    case GGK_DIFF_KEY_ORDER: return "key-order";
    case GGK_DIFF_TENSOR_ORDER: return "tensor-order";
    case GGK_DIFF_TENSOR_MOVED: return "tensor-moved";
    }
    return "";
}

static ggk_status put_difference(struct diff_json *d,
                                 const ggk_difference *diff, ggk_error *err)
{
    const struct summary *s = d->job->summary;
    struct json *j = &d->json;

    json_put_cstring(j, "kind", kind_name(diff->kind));
    switch (diff->kind) {
    case GGK_DIFF_VERSION:
        json_put_u64(j, "a", s[0].file.version);
        json_put_u64(j, "b", s[1].file.version);
        break;
    case GGK_DIFF_BYTE_ORDER:
        put_order(j, "a", &s[0].file);
        put_order(j, "b", &s[1].file);
        break;
    case GGK_DIFF_ALIGNMENT:
        json_put_u64(j, "a", s[0].file.alignment);
        json_put_u64(j, "b", s[1].file.alignment);
        break;
    case GGK_DIFF_SHARDS:
        json_put_u64(j, "a", s[0].n_files);
        json_put_u64(j, "b", s[1].n_files);
        break;
    case GGK_DIFF_KEY_ORDER:
    case GGK_DIFF_TENSOR_ORDER: break;
    case GGK_DIFF_KEY_REMOVED:
    case GGK_DIFF_KEY_ADDED:
    case GGK_DIFF_KEY_CHANGED: return put_key(d, diff, err);
    case GGK_DIFF_TENSOR_REMOVED:
    case GGK_DIFF_TENSOR_ADDED:
    case GGK_DIFF_TENSOR_CHANGED:
    case GGK_DIFF_TENSOR_MOVED: return put_tensor(d, diff, err);
    }
    return GGK_OK;
}

bool diff_json_put(void *json, const ggk_difference *diff)
{
    struct diff_json *d = json;

    if (diff_is_layout(diff->kind) != d->layout)
        return true;
    begin_document(d);
    json_open_object(&d->json);
    d->status = put_difference(d, diff, &d->err);
    if (d->status == GGK_OK)
        json_close_object(&d->json);
    return d->status == GGK_OK;
}

static void put_recipes(struct diff_json *d)
{
    const struct diff_job *job = d->job;
    struct json *j = &d->json;

    json_key(j, "types");
    json_open_array(j);
    for (size_t i = 0; i < job->n_recipes; i++) {
        const struct diff_recipe *r = &job->recipes[i];
        char from[SHOW_TYPE_BYTES], to[SHOW_TYPE_BYTES];

        show_tensor_type(from, job->in[0].model, r->from);
        show_tensor_type(to, job->in[1].model, r->to);
        json_open_object(j);
        json_put_cstring(j, "from", from);
        json_put_cstring(j, "to", to);
        json_put_u64(j, "tensors", r->tensors);
        json_close_object(j);
    }
    json_close_array(j);
    if (job->n_other > 0)
        json_put_u64(j, "other_types", job->n_other);
}

void diff_json_end(struct diff_json *d, const ggk_diff_result *result)
{
    struct json *j = &d->json;

    begin_document(d);
    json_close_array(j);
    put_recipes(d);
    json_put_bool(j, "same_file", d->job->same_file);
    json_put_bool(j, "data_compared",
                  !d->job->options->no_data && !d->job->same_file);
    json_put_u64(j, "tensors_compared", result->n_tensors);
    json_put_u64(j, "bytes_compared", result->bytes);
    json_put_bool(j, "equal", result->equal);
    if (d->layout) {
        json_key(j, "layout");
        json_open_array(j);
    }
}

void diff_json_end_layout(struct diff_json *d)
{
    if (d->layout)
        json_close_array(&d->json);
    show_json_end(&d->json);
}
