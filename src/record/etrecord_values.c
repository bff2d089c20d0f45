/* The torch.save entries of an ETRecord: state dicts, constants, inputs, reference outputs. */
#include <string.h>

#include "base/error.h"
#include "record/etrecord_internal.h"
#include "record/torch_save.h"

static const char INPUTS_ENTRY[] = "representative_inputs";
static const char REFERENCE_ENTRY[] = "reference_outputs";

static int is_sequence(const struct ets_pickle_object *object)
{
    return object->kind == ETS_PICKLE_LIST || object->kind == ETS_PICKLE_TUPLE;
}

/*
 * OrderedDict([(key, value), ...]) is the only dict that a pickle does not write as a dict.
 * torch.save does not write it; older pickles do.
 */
static const struct ets_pickle_object *pairs_of(const struct ets_pickle_object *object)
{
    if (object->kind != ETS_PICKLE_CALL ||
        !ets_pickle_is_global(object->as.call.callable, "collections", "OrderedDict")) {
        return NULL;
    }
    const struct ets_pickle_object *arguments = object->as.call.arguments;
    if (arguments->as.list.count != 1 || !is_sequence(arguments->as.list.items[0])) return NULL;
    return arguments->as.list.items[0];
}

/* Calls `visit` for each key and value; MALFORMED if `object` is not a dict. */
struct visitor {
    struct ets_torch_save *save;
    struct ets_value_list list;
    struct ets_reference_case *cases;
    size_t case_count, case_capacity;
    enum ets_status (*visit)(struct visitor *visitor, struct ets_text key,
                             const struct ets_pickle_object *value);
};

static enum ets_status visit_pair(struct visitor *visitor, const struct ets_pickle_object *key,
                                  const struct ets_pickle_object *value, uint32_t place)
{
    struct ets_text text;
    ETS_TRY(ets_torch_save_key(visitor->save, key, place, &text));
    const char *name = ets_arena_copy_text(visitor->save->arena, text.data, text.size);
    if (name == NULL) return ets_torch_save_fail(visitor->save, ETS_NO_MEMORY, "no memory");
    return visitor->visit(visitor, (struct ets_text){name, text.size}, value);
}

/* Refuses a pickle that calls a function. Calls are reported but never made. */
static enum ets_status refuse_root(struct visitor *visitor, const struct ets_pickle_object *object)
{
    char what[160];
    if (object->kind != ETS_PICKLE_CALL || object->as.call.callable->kind != ETS_PICKLE_GLOBAL) {
        return ets_torch_save_fail(visitor->save, ETS_MALFORMED, "does not hold a dict");
    }
    const struct ets_text module = object->as.call.callable->as.global.module;
    const struct ets_text name = object->as.call.callable->as.global.name;
    ets_print_text(what, sizeof what,
                   "calls %.*s.%.*s instead of holding a dict; etscope does not call functions",
                   module.size < 40 ? (int)module.size : 40, module.data,
                   name.size < 40 ? (int)name.size : 40, name.data);
    return ets_torch_save_fail(visitor->save, ETS_MALFORMED, what);
}

static enum ets_status visit_dict(struct visitor *visitor, const struct ets_pickle_object *object)
{
    const struct ets_pickle_object *pairs = pairs_of(object);
    if (pairs != NULL) {
        for (uint32_t i = 0; i < pairs->as.list.count; i++) {
            const struct ets_pickle_object *pair = pairs->as.list.items[i];
            if (!is_sequence(pair) || pair->as.list.count != 2) {
                return ets_torch_save_fail(visitor->save, ETS_MALFORMED, "an item is not a pair");
            }
            ETS_TRY(visit_pair(visitor, pair->as.list.items[0], pair->as.list.items[1], i));
        }
        return ETS_OK;
    }
    if (object->kind != ETS_PICKLE_DICT) return refuse_root(visitor, object);
    for (uint32_t i = 0; i + 2 <= object->as.list.count; i += 2) {
        ETS_TRY(visit_pair(visitor, object->as.list.items[i], object->as.list.items[i + 1], i / 2));
    }
    return ETS_OK;
}

/* Opens the payload of `entry`; `*is_empty_out` is set for an empty entry, which is a saved None.
 */
static enum ets_status open_payload(struct ets_etrecord *record, struct ets_zip_entry *entry,
                                    struct ets_torch_save *save, int *is_empty_out,
                                    struct ets_error *error)
{
    struct ets_bytes bytes;
    ETS_TRY(ets_zip_read(&record->zip, entry, &bytes, error));
    *is_empty_out = bytes.size == 0;
    if (bytes.size == 0) return ETS_OK;
    return ets_torch_save_open(save, entry->name, bytes, entry->payload_offset,
                               &ets_etrecord_read_entry(record, entry)->arena, error);
}

static enum ets_status visit_named(struct visitor *visitor, struct ets_text key,
                                   const struct ets_pickle_object *value)
{
    return ets_torch_save_collect(visitor->save, key, value, 0, &visitor->list);
}

static enum ets_status read_values(struct ets_etrecord *record, struct ets_zip_entry *entry,
                                   struct ets_read_entry *read, struct ets_error *error)
{
    struct ets_torch_save save;
    struct visitor visitor = {.save = &save, .visit = visit_named};
    int is_empty;
    ETS_TRY(open_payload(record, entry, &save, &is_empty, error));
    if (!is_empty) ETS_TRY(visit_dict(&visitor, save.root));
    read->values = visitor.list.values;
    read->value_count = visitor.list.count;
    read->is_values = 1;
    return ETS_OK;
}

/* Reads a list of values, or a single value. */
static enum ets_status read_sequence(struct ets_torch_save *save,
                                     const struct ets_pickle_object *object,
                                     const struct ets_value **values_out, size_t *count_out)
{
    const int is_list = is_sequence(object);
    const size_t count = is_list ? object->as.list.count : 1;
    ETS_TRY(ets_torch_save_count(save, count));
    struct ets_value *values = ets_arena_alloc_array(save->arena, count, sizeof *values);
    if (values == NULL) return ets_torch_save_fail(save, ETS_NO_MEMORY, "no memory");
    for (size_t i = 0; i < count; i++) {
        ETS_TRY(
            ets_torch_save_value(save, is_list ? object->as.list.items[i] : object, &values[i]));
    }
    *values_out = values;
    *count_out = count;
    return ETS_OK;
}

/* Flattens nested lists, tuples and dicts in order, as PyTorch flattens arguments. */
struct leaves {
    struct ets_torch_save *save;
    struct ets_value *values;
    struct ets_nest *nests;
    size_t count, capacity, nest_count, nest_capacity;
};

/* `items`, or a copy with room for one more than `count`. NULL: no memory. */
static void *with_room(struct ets_arena *arena, void *items, size_t count, size_t *capacity,
                       size_t item_bytes)
{
    if (count < *capacity) return items;
    const size_t room = *capacity == 0 ? 8 : *capacity * 2;
    void *const copy = ets_arena_alloc_array(arena, room, item_bytes);
    if (copy == NULL) return NULL;
    if (count > 0) memcpy(copy, items, count * item_bytes);
    *capacity = room;
    return copy;
}

static enum ets_status add_nest(struct leaves *leaves, struct ets_nest nest)
{
    struct ets_nest *const nests = with_room(leaves->save->arena, leaves->nests, leaves->nest_count,
                                             &leaves->nest_capacity, sizeof *nests);
    if (nests == NULL) return ets_torch_save_fail(leaves->save, ETS_NO_MEMORY, "no memory");
    leaves->nests = nests;
    nests[leaves->nest_count++] = nest;
    return ETS_OK;
}

static enum ets_status add_leaf(struct leaves *leaves, const struct ets_pickle_object *object)
{
    struct ets_value *const values = with_room(leaves->save->arena, leaves->values, leaves->count,
                                               &leaves->capacity, sizeof *values);
    if (values == NULL) return ets_torch_save_fail(leaves->save, ETS_NO_MEMORY, "no memory");
    leaves->values = values;
    return ets_torch_save_value(leaves->save, object, &values[leaves->count++]);
}

static enum ets_nest_kind nest_kind(const struct ets_pickle_object *object)
{
    switch (object->kind) {
    case ETS_PICKLE_LIST: return ETS_NEST_LIST;
    case ETS_PICKLE_TUPLE: return ETS_NEST_TUPLE;
    case ETS_PICKLE_DICT: return ETS_NEST_DICT;
    default: return ETS_NEST_VALUE;
    }
}

static enum ets_status add_leaves(struct leaves *leaves, const struct ets_pickle_object *object,
                                  struct ets_text key, int depth)
{
    enum { MAX_DEPTH = 32 };
    const enum ets_nest_kind kind = nest_kind(object);
    const uint32_t step = kind == ETS_NEST_DICT ? 2 : 1;
    const uint32_t count = kind == ETS_NEST_VALUE ? 0 : object->as.list.count / step;
    ETS_TRY(ets_torch_save_count(leaves->save, 1)); /* empty lists count, too */
    ETS_TRY(add_nest(leaves, (struct ets_nest){kind, count, key}));
    if (kind == ETS_NEST_VALUE) return add_leaf(leaves, object);
    if (depth >= MAX_DEPTH) {
        return ets_torch_save_fail(leaves->save, ETS_LIMIT, "nests inputs in too many lists");
    }
    for (uint32_t i = 0; i < count; i++) {
        struct ets_pickle_object *const *const item = &object->as.list.items[i * step];
        struct ets_text item_key = {NULL, 0};
        if (step == 2) ETS_TRY(ets_torch_save_key(leaves->save, item[0], i, &item_key));
        ETS_TRY(add_leaves(leaves, item[step - 1], item_key, depth + 1));
    }
    return ETS_OK;
}

static enum ets_status read_inputs(struct ets_etrecord *record, struct ets_zip_entry *entry,
                                   struct ets_read_entry *read, struct ets_error *error)
{
    struct ets_torch_save save;
    int is_empty;
    ETS_TRY(open_payload(record, entry, &save, &is_empty, error));
    struct leaves leaves = {.save = &save};
    if (!is_empty) ETS_TRY(add_leaves(&leaves, save.root, (struct ets_text){NULL, 0}, 0));
    read->inputs = leaves.values;
    read->input_count = leaves.count;
    read->nests = leaves.nests;
    read->nest_count = leaves.nest_count;
    read->is_inputs = 1;
    return ETS_OK;
}

/* Makes room for `count` more cases. */
static enum ets_status reserve_cases(struct visitor *visitor, size_t count)
{
    enum { MAX_CASES = 1 << 20 };
    if (count > MAX_CASES - visitor->case_count) {
        return ets_torch_save_fail(visitor->save, ETS_LIMIT, "holds too many cases");
    }
    if (visitor->case_count + count <= visitor->case_capacity) return ETS_OK;
    const size_t capacity = (visitor->case_count + count) * 2;
    struct ets_reference_case *cases =
        ets_arena_alloc_array(visitor->save->arena, capacity, sizeof *cases);
    if (cases == NULL) return ets_torch_save_fail(visitor->save, ETS_NO_MEMORY, "no memory");
    if (visitor->case_count > 0) {
        memcpy(cases, visitor->cases, visitor->case_count * sizeof *cases);
    }
    visitor->cases = cases;
    visitor->case_capacity = capacity;
    return ETS_OK;
}

/* The cases of one method. */
static enum ets_status visit_method(struct visitor *visitor, struct ets_text method,
                                    const struct ets_pickle_object *value)
{
    if (!is_sequence(value)) {
        return ets_torch_save_fail(visitor->save, ETS_MALFORMED,
                                   "the cases of a method are not a list");
    }
    ETS_TRY(reserve_cases(visitor, value->as.list.count));
    for (size_t i = 0; i < value->as.list.count; i++) {
        struct ets_reference_case *one = &visitor->cases[visitor->case_count];
        one->method = method;
        ETS_TRY(
            read_sequence(visitor->save, value->as.list.items[i], &one->values, &one->value_count));
        visitor->case_count++;
    }
    return ETS_OK;
}

static enum ets_status read_cases(struct ets_etrecord *record, struct ets_zip_entry *entry,
                                  struct ets_read_entry *read, struct ets_error *error)
{
    struct ets_torch_save save;
    struct visitor visitor = {.save = &save, .visit = visit_method};
    int is_empty;
    ETS_TRY(open_payload(record, entry, &save, &is_empty, error));
    if (!is_empty && is_sequence(save.root)) {
        ETS_TRY(visit_method(&visitor, (struct ets_text){"forward", 7}, save.root));
    } else if (!is_empty) {
        ETS_TRY(visit_dict(&visitor, save.root));
    }
    read->cases = visitor.cases;
    read->case_count = visitor.case_count;
    read->is_cases = 1;
    return ETS_OK;
}

typedef enum ets_status read_function(struct ets_etrecord *record, struct ets_zip_entry *entry,
                                      struct ets_read_entry *read, struct ets_error *error);

/* Reads the entry `name` with `function`, once. A failure leaves no memory allocated. */
static enum ets_status read_once(struct ets_etrecord *record, const char *name,
                                 read_function *function, struct ets_read_entry **read_out,
                                 struct ets_error *error)
{
    struct ets_zip_entry *entry = ets_etrecord_find(record, name);
    if (entry == NULL) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "the record has no entry %s", name);
    }
    struct ets_read_entry *read = ets_etrecord_read_entry(record, entry);
    const int is_read = function == read_values   ? read->is_values
                        : function == read_inputs ? read->is_inputs
                                                  : read->is_cases;
    /* An entry has one arena: a failure of a second reader must not empty it. */
    const int is_used = read->graph != NULL || read->is_values || read->is_inputs || read->is_cases;
    if (!is_read) {
        const enum ets_status status = function(record, entry, read, error);
        if (status != ETS_OK) {
            if (!is_used) ets_arena_reset(&read->arena);
            return ets_etrecord_blame(record, status, error);
        }
    }
    *read_out = read;
    return ETS_OK;
}

enum ets_status ets_etrecord_named_values(struct ets_etrecord *record, const char *entry,
                                          const struct ets_named_value **values_out,
                                          size_t *count_out, struct ets_error *error)
{
    struct ets_read_entry *read = NULL;
    ETS_TRY(read_once(record, entry, read_values, &read, error));
    *values_out = read->values;
    *count_out = read->value_count;
    return ETS_OK;
}

enum ets_status ets_etrecord_representative_inputs(struct ets_etrecord *record,
                                                   const struct ets_value **values_out,
                                                   size_t *count_out, struct ets_error *error)
{
    struct ets_read_entry *read = NULL;
    ETS_TRY(read_once(record, INPUTS_ENTRY, read_inputs, &read, error));
    *values_out = read->inputs;
    *count_out = read->input_count;
    return ETS_OK;
}

enum ets_status ets_etrecord_representative_nests(struct ets_etrecord *record,
                                                  const struct ets_nest **nests_out,
                                                  size_t *count_out, struct ets_error *error)
{
    struct ets_read_entry *read = NULL;
    ETS_TRY(read_once(record, INPUTS_ENTRY, read_inputs, &read, error));
    *nests_out = read->nests;
    *count_out = read->nest_count;
    return ETS_OK;
}

/* The first case of `method` and their number: a method's cases are adjacent. */
static size_t find_cases(const struct ets_read_entry *read, const char *method, size_t *count_out)
{
    const size_t size = strlen(method);
    size_t first = 0;
    *count_out = 0;
    for (size_t i = 0; i < read->case_count; i++) {
        const struct ets_text name = read->cases[i].method;
        if (name.size != size || memcmp(name.data, method, size) != 0) continue;
        if (*count_out == 0) first = i;
        if (first + *count_out == i) ++*count_out;
    }
    return first;
}

enum ets_status ets_etrecord_reference_outputs(struct ets_etrecord *record, const char *method,
                                               size_t test_case,
                                               const struct ets_value **values_out,
                                               size_t *count_out, struct ets_error *error)
{
    struct ets_read_entry *read = NULL;
    size_t count;
    ETS_TRY(read_once(record, REFERENCE_ENTRY, read_cases, &read, error));
    const size_t first = find_cases(read, method, &count);
    if (test_case >= count) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                        "reference_outputs: method %s has %zu cases; there is no case %zu", method,
                        count, test_case);
    }
    *values_out = read->cases[first + test_case].values;
    *count_out = read->cases[first + test_case].value_count;
    return ETS_OK;
}

enum ets_status ets_etrecord_reference_case_count(struct ets_etrecord *record, const char *method,
                                                  size_t *count_out, struct ets_error *error)
{
    struct ets_read_entry *read = NULL;
    *count_out = 0;
    if (ets_etrecord_find(record, REFERENCE_ENTRY) == NULL) return ETS_OK;
    ETS_TRY(read_once(record, REFERENCE_ENTRY, read_cases, &read, error));
    (void)find_cases(read, method, count_out);
    return ETS_OK;
}
