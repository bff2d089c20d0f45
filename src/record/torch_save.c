/*
 * Reads tensors of a torch.save payload, a zip with a pickle and a storage for each tensor, or of a
 * plain pickle that holds the storages.
 */
#include "record/torch_save.h"

#include <string.h>

#include "base/error.h"
#include "base/load.h"
#include "base/text.h"

enum {
    SHOWN_NAME = 80,
    FIRST_OF_PICKLE = 0x80, /* records of ExecuTorch 1.0 to 1.2; a zip begins with P */
    MAX_FOLDER_BYTES = 256,
    MAX_STORAGE_KEY_BYTES = 64,
    MAX_FUNCTION_DEPTH = 4, /* _rebuild_parameter of _rebuild_from_type_v2 of _rebuild_tensor_v2 */
    MAX_VALUE_DEPTH = 8,
    MAX_KEY_BYTES = 2048, /* names of parameters are paths of modules */
    MAX_CLASS_BYTES = 200,
    MAX_VALUES = 1 << 20
};

/* Legacy storage classes of module torch: they name the element type. */
static const struct {
    const char *name;
    int scalar_type; /* -1: bytes whose type the tensor itself says */
} STORAGES[] = {
    {"FloatStorage", ETS_SCALAR_FLOAT},
    {"DoubleStorage", ETS_SCALAR_DOUBLE},
    {"HalfStorage", ETS_SCALAR_HALF},
    {"BFloat16Storage", ETS_SCALAR_BFLOAT16},
    {"LongStorage", ETS_SCALAR_LONG},
    {"IntStorage", ETS_SCALAR_INT},
    {"ShortStorage", ETS_SCALAR_SHORT},
    {"CharStorage", ETS_SCALAR_CHAR},
    {"ByteStorage", ETS_SCALAR_BYTE},
    {"BoolStorage", ETS_SCALAR_BOOL},
    {"ComplexFloatStorage", ETS_SCALAR_COMPLEX_FLOAT},
    {"ComplexDoubleStorage", ETS_SCALAR_COMPLEX_DOUBLE},
    {"QInt8Storage", ETS_SCALAR_QINT8},
    {"QUInt8Storage", ETS_SCALAR_QUINT8},
    {"QInt32Storage", ETS_SCALAR_QINT32},
    {"UntypedStorage", -1},
};

enum ets_status ets_torch_save_fail(const struct ets_torch_save *save, enum ets_status status,
                                    const char *what)
{
    return ets_fail(save->error, status, save->pickle_offset, "%.*s: %s",
                    save->entry.size < SHOWN_NAME ? (int)save->entry.size : SHOWN_NAME,
                    save->entry.data, what);
}

static enum ets_status fail_tensor(const struct ets_torch_save *save, const char *what)
{
    return ets_torch_save_fail(save, ETS_MALFORMED, what);
}

/* The entry `folder` + `name` of the payload, or NULL. */
static struct ets_zip_entry *find_inner(const struct ets_torch_save *save, const char *prefix,
                                        struct ets_text name)
{
    char path[MAX_FOLDER_BYTES + MAX_STORAGE_KEY_BYTES + 16];
    const size_t prefix_size = strlen(prefix);
    if (name.size > MAX_STORAGE_KEY_BYTES || save->zip.entry_count == 0) return NULL;
    memcpy(path, save->folder.data, save->folder.size);
    memcpy(path + save->folder.size, prefix, prefix_size);
    memcpy(path + save->folder.size + prefix_size, name.data, name.size);
    const struct ets_text whole = {path, save->folder.size + prefix_size + name.size};
    return ets_zip_find(&save->zip, whole);
}

/* Says which entry of the record an inner zip's error is about. */
static enum ets_status in_entry(const struct ets_torch_save *save, enum ets_status status)
{
    if (status == ETS_OK || save->error == NULL) return status;
    char inner[sizeof save->error->message];
    memcpy(inner, save->error->message, sizeof inner);
    return ets_fail(save->error, status, save->error->offset, "%.*s: %s",
                    save->entry.size < SHOWN_NAME ? (int)save->entry.size : SHOWN_NAME,
                    save->entry.data, inner);
}

static enum ets_status read_inner(struct ets_torch_save *save, struct ets_zip_entry *entry,
                                  struct ets_bytes *bytes_out)
{
    return in_entry(save, ets_zip_read(&save->zip, entry, bytes_out, save->error));
}

static enum ets_status check_byte_order(struct ets_torch_save *save)
{
    struct ets_zip_entry *entry = find_inner(save, "", (struct ets_text){"byteorder", 9});
    struct ets_bytes bytes;
    if (entry == NULL) return ETS_OK;
    ETS_TRY(read_inner(save, entry, &bytes));
    const struct ets_text text = {(const char *)bytes.data, bytes.size};
    if (ets_text_is(text, "big")) {
        return ets_torch_save_fail(save, ETS_UNSUPPORTED, "was saved on a big-endian machine");
    }
    return ETS_OK;
}

static enum ets_status read_pickle(struct ets_torch_save *save, struct ets_bytes pickle,
                                   struct ets_text shown)
{
    save->storages = (struct ets_pickled_storages){
        .entry = shown, .pickle = pickle, .offset = save->pickle_offset, .error = save->error};
    return ets_pickle_read(pickle, save->pickle_offset, shown, save->arena, &save->root,
                           save->error);
}

enum ets_status ets_torch_save_open(struct ets_torch_save *save, struct ets_text entry,
                                    struct ets_bytes payload, uint64_t offset,
                                    struct ets_arena *arena, struct ets_error *error)
{
    *save = (struct ets_torch_save){
        .entry = entry, .arena = arena, .pickle_offset = offset, .error = error};
    const struct ets_text shown = {entry.data, entry.size < SHOWN_NAME ? entry.size : SHOWN_NAME};
    if (payload.size > 0 && payload.data[0] == FIRST_OF_PICKLE) {
        return read_pickle(save, payload, shown);
    }
    ETS_TRY(in_entry(save, ets_zip_open(&save->zip, payload, offset, false, arena, error)));
    if (save->zip.entry_count == 0) return fail_tensor(save, "holds an empty zip");
    const struct ets_text first = save->zip.entries[0].name;
    const char *slash = first.size > 0 ? memchr(first.data, '/', first.size) : NULL;
    const size_t folder_size = slash != NULL ? (size_t)(slash - first.data) + 1 : 0;
    if (folder_size > MAX_FOLDER_BYTES) return fail_tensor(save, "holds a zip with invalid names");
    save->folder = (struct ets_text){first.size > 0 ? first.data : "", folder_size};
    struct ets_zip_entry *pickle = find_inner(save, "", (struct ets_text){"data.pkl", 8});
    if (pickle == NULL) return fail_tensor(save, "holds no data.pkl");
    ETS_TRY(check_byte_order(save));
    struct ets_bytes bytes;
    ETS_TRY(read_inner(save, pickle, &bytes));
    save->pickle_offset = offset + pickle->payload_offset;
    return read_pickle(save, bytes, shown);
}

/* Tensors. */

static int scalar_type_of_storage(const struct ets_pickle_object *type)
{
    if (type->kind != ETS_PICKLE_GLOBAL) return -2;
    if (!ets_text_is(type->as.global.module, "torch") &&
        !ets_text_is(type->as.global.module, "torch.storage")) {
        return -2;
    }
    for (size_t i = 0; i < sizeof STORAGES / sizeof STORAGES[0]; i++) {
        if (ets_text_is(type->as.global.name, STORAGES[i].name)) return STORAGES[i].scalar_type;
    }
    return -2;
}

/* A dtype global, "torch uint16"; -1: none that has whole bytes. */
static int scalar_type_of_dtype(const struct ets_pickle_object *dtype)
{
    if (dtype == NULL || dtype->kind != ETS_PICKLE_GLOBAL ||
        !ets_text_is(dtype->as.global.module, "torch")) {
        return -1;
    }
    const char *known;
    for (int number = 0; (known = ets_scalar_type_name(number)) != NULL; number++) {
        if (ets_text_is(dtype->as.global.name, known)) return number;
    }
    return -1;
}

static const struct ets_pickle_object *item(const struct ets_pickle_object *list, uint32_t index)
{
    const int is_sequence = list->kind == ETS_PICKLE_TUPLE || list->kind == ETS_PICKLE_LIST;
    return is_sequence && index < list->as.list.count ? list->as.list.items[index] : NULL;
}

static int item_is(const struct ets_pickle_object *list, uint32_t index, enum ets_pickle_kind kind)
{
    const struct ets_pickle_object *object = item(list, index);
    return object != NULL && object->kind == kind;
}

/*
 * ('storage', type, key, location, element count): its bytes and its type. `bytes` is all from the
 * first element on, or NULL data: the key names an entry of the zip.
 */
static enum ets_status read_storage(struct ets_torch_save *save,
                                    const struct ets_pickle_object *persistent,
                                    struct ets_bytes *bytes, int *scalar_type_out)
{
    const struct ets_pickle_object *id = persistent->as.call.arguments;
    if (!item_is(id, 0, ETS_PICKLE_TEXT) || !ets_text_is(item(id, 0)->as.text, "storage") ||
        !item_is(id, 1, ETS_PICKLE_GLOBAL) || !item_is(id, 2, ETS_PICKLE_TEXT) ||
        !item_is(id, 4, ETS_PICKLE_INT) || item(id, 4)->as.integer < 0) {
        return fail_tensor(save, "a persistent id is not a storage");
    }
    const int scalar_type = scalar_type_of_storage(item(id, 1));
    const size_t element = scalar_type >= 0 ? ets_scalar_type_bytes(scalar_type) : 1;
    *scalar_type_out = scalar_type;
    if (scalar_type == -2) return ETS_OK; /* a class of a later version: an opaque object */
    if (bytes->data == NULL) {
        struct ets_zip_entry *entry = find_inner(save, "data/", item(id, 2)->as.text);
        if (entry == NULL) return fail_tensor(save, "a storage is not in the zip");
        ETS_TRY(read_inner(save, entry, bytes));
    }
    uint64_t size;
    if (!ets_mul_u64((uint64_t)item(id, 4)->as.integer, element, &size) || size > bytes->size) {
        return fail_tensor(save, "a storage is shorter than its element count says");
    }
    bytes->size = (size_t)size;
    return ETS_OK;
}

static enum ets_status read_pickled_storage(struct ets_torch_save *save,
                                            const struct ets_pickle_object *call,
                                            struct ets_bytes *bytes, int *scalar_type_out)
{
    struct ets_arena headers; /* of its own, because many tensors may share a small storage */
    const struct ets_pickle_object *persistent;
    ets_arena_init(&headers, save->arena->allocator, save->arena->limit_bytes);
    save->storages.headers = &headers;
    enum ets_status status = ets_pickled_storage_open(&save->storages, call, &persistent, bytes);
    if (status == ETS_OK) status = read_storage(save, persistent, bytes, scalar_type_out);
    save->storages.headers = NULL;
    ets_arena_reset(&headers);
    return status;
}

static enum ets_status open_storage(struct ets_torch_save *save,
                                    const struct ets_pickle_object *storage,
                                    struct ets_bytes *bytes_out, int *scalar_type_out)
{
    *bytes_out = (struct ets_bytes){NULL, 0};
    if (ets_is_pickled_storage(storage)) {
        return read_pickled_storage(save, storage, bytes_out, scalar_type_out);
    }
    return read_storage(save, storage, bytes_out, scalar_type_out);
}

/* sizes and strides; 0: they are not what a tensor has. */
static int read_shape(const struct ets_pickle_object *sizes,
                      const struct ets_pickle_object *strides, struct ets_tensor *tensor)
{
    /* torch.Size(tuple) where the pickler did not flatten it */
    if (sizes->kind == ETS_PICKLE_CALL && item(sizes->as.call.arguments, 0) != NULL) {
        sizes = item(sizes->as.call.arguments, 0);
    }
    if ((sizes->kind != ETS_PICKLE_TUPLE && sizes->kind != ETS_PICKLE_LIST) ||
        (strides->kind != ETS_PICKLE_TUPLE && strides->kind != ETS_PICKLE_LIST) ||
        sizes->as.list.count != strides->as.list.count ||
        sizes->as.list.count > ETS_TENSOR_MAX_RANK) {
        return 0;
    }
    tensor->rank = sizes->as.list.count;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (!item_is(sizes, i, ETS_PICKLE_INT) || !item_is(strides, i, ETS_PICKLE_INT)) return 0;
        tensor->sizes[i] = item(sizes, i)->as.integer;
        tensor->strides[i] = item(strides, i)->as.integer;
        if (tensor->sizes[i] < 0 || tensor->strides[i] < 0) return 0;
    }
    return 1;
}

/* The number of elements up to and with the last one that is reached; 0: none. false: overflow. */
static bool reach(const struct ets_tensor *tensor, uint64_t *elements_out)
{
    uint64_t last = 0;
    *elements_out = 0;
    if (ets_tensor_count(tensor) == 0) return true;
    if (ets_tensor_count(tensor) == UINT64_MAX) return false;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        uint64_t distance;
        if (!ets_mul_u64((uint64_t)tensor->sizes[i] - 1, (uint64_t)tensor->strides[i], &distance) ||
            !ets_add_u64(last, distance, &last)) {
            return false;
        }
    }
    return ets_add_u64(last, 1, elements_out);
}

/* (storage, offset, sizes, strides, requires_grad, hooks[, dtype or metadata]) */
static enum ets_status rebuild_tensor(struct ets_torch_save *save,
                                      const struct ets_pickle_object *arguments, int has_dtype,
                                      struct ets_value *value)
{
    struct ets_tensor *tensor = &value->as.tensor;
    struct ets_bytes storage;
    int scalar_type;
    if (!item_is(arguments, 0, ETS_PICKLE_PERSISTENT) &&
        !ets_is_pickled_storage(item(arguments, 0))) {
        return ETS_OK;
    }
    if (!item_is(arguments, 1, ETS_PICKLE_INT) || item(arguments, 1)->as.integer < 0 ||
        item(arguments, 3) == NULL || !read_shape(item(arguments, 2), item(arguments, 3), tensor)) {
        return fail_tensor(save, "a tensor has invalid sizes, strides or offset");
    }
    ETS_TRY(open_storage(save, item(arguments, 0), &storage, &scalar_type));
    if (scalar_type == -2) return ETS_OK;
    if (has_dtype) scalar_type = scalar_type_of_dtype(item(arguments, 6));
    if (scalar_type < 0) return ETS_OK;
    const uint64_t element = ets_scalar_type_bytes(scalar_type);
    uint64_t elements, begin, end;
    if (!reach(tensor, &elements) ||
        !ets_mul_u64((uint64_t)item(arguments, 1)->as.integer, element, &begin) ||
        !ets_mul_u64(elements, element, &end) || !ets_range_fits(begin, end, storage.size)) {
        return fail_tensor(save, "a tensor extends past its storage");
    }
    tensor->scalar_type = (enum ets_scalar_type)scalar_type;
    tensor->data = end > 0 ? storage.data + begin : NULL;
    tensor->data_bytes = (size_t)end;
    value->kind = ETS_VALUE_TENSOR;
    return ETS_OK;
}

static int is_parameter(const struct ets_pickle_object *callable,
                        const struct ets_pickle_object *arguments)
{
    return (ets_pickle_is_global(callable, "torch._utils", "_rebuild_parameter") ||
            ets_pickle_is_global(callable, "torch._utils", "_rebuild_parameter_with_state")) &&
           item_is(arguments, 0, ETS_PICKLE_CALL);
}

/* Calls that make tensors, as data; any other leaves `value` ETS_VALUE_OTHER. */
static enum ets_status rebuild(struct ets_torch_save *save,
                               const struct ets_pickle_object *callable,
                               const struct ets_pickle_object *arguments, int depth,
                               struct ets_value *value)
{
    if (arguments->kind != ETS_PICKLE_TUPLE || depth > MAX_FUNCTION_DEPTH) return ETS_OK;
    if (ets_pickle_is_global(callable, "torch._utils", "_rebuild_tensor_v2")) {
        return rebuild_tensor(save, arguments, 0, value);
    }
    if (ets_pickle_is_global(callable, "torch._utils", "_rebuild_tensor_v3")) {
        return rebuild_tensor(save, arguments, 1, value);
    }
    if (ets_pickle_is_global(callable, "torch._tensor", "_rebuild_from_type_v2") &&
        item(arguments, 2) != NULL) {
        return rebuild(save, item(arguments, 0), item(arguments, 2), depth + 1, value);
    }
    if (is_parameter(callable, arguments)) {
        const struct ets_pickle_object *tensor = item(arguments, 0);
        return rebuild(save, tensor->as.call.callable, tensor->as.call.arguments, depth + 1, value);
    }
    return ETS_OK;
}

enum ets_status ets_torch_save_count(struct ets_torch_save *save, uint64_t count)
{
    if (count > MAX_VALUES - save->value_count) {
        return ets_torch_save_fail(save, ETS_LIMIT, "holds too many values");
    }
    save->value_count += count;
    return ETS_OK;
}

enum ets_status ets_torch_save_value(struct ets_torch_save *save,
                                     const struct ets_pickle_object *object,
                                     struct ets_value *value_out)
{
    memset(value_out, 0, sizeof *value_out);
    value_out->kind = ETS_VALUE_OTHER;
    switch (object->kind) {
    case ETS_PICKLE_NONE: value_out->kind = ETS_VALUE_NONE; break;
    case ETS_PICKLE_BOOL:
        value_out->kind = ETS_VALUE_BOOL;
        value_out->as.bool_value = (int32_t)object->as.integer;
        break;
    case ETS_PICKLE_INT:
        value_out->kind = ETS_VALUE_INT;
        value_out->as.int_value = object->as.integer;
        break;
    case ETS_PICKLE_DOUBLE:
        value_out->kind = ETS_VALUE_DOUBLE;
        value_out->as.double_value = object->as.number;
        break;
    case ETS_PICKLE_CALL:
        return rebuild(save, object->as.call.callable, object->as.call.arguments, 0, value_out);
    default: break;
    }
    return ETS_OK;
}

/* Names of values inside other objects. */

enum ets_status ets_torch_save_key(struct ets_torch_save *save, const struct ets_pickle_object *key,
                                   uint32_t place, struct ets_text *text_out)
{
    enum { DIGITS = 24 };
    if (key != NULL && key->kind == ETS_PICKLE_TEXT) {
        if (key->as.text.size > MAX_KEY_BYTES) {
            return ets_torch_save_fail(save, ETS_LIMIT, "holds a name that is too long");
        }
        *text_out = key->as.text;
        return ETS_OK;
    }
    const int is_number = key != NULL && key->kind == ETS_PICKLE_INT;
    const int64_t number = is_number ? key->as.integer : (int64_t)place;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    char *text = ets_arena_alloc(save->arena, DIGITS);
    if (text == NULL) return ets_torch_save_fail(save, ETS_NO_MEMORY, "no memory");
    size_t at = DIGITS;
    do {
        text[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left != 0);
    if (number < 0) text[--at] = '-';
    *text_out = (struct ets_text){text + at, DIGITS - at};
    return ETS_OK;
}

/* name.key, terminated */
static enum ets_status join_name(struct ets_torch_save *save, struct ets_text name,
                                 struct ets_text key, struct ets_text *joined_out)
{
    const size_t dot = name.size > 0 ? 1 : 0;
    char *text = ets_arena_alloc(save->arena, name.size + dot + key.size + 1);
    if (text == NULL) return ets_torch_save_fail(save, ETS_NO_MEMORY, "no memory");
    if (dot != 0) {
        memcpy(text, name.data, name.size);
        text[name.size] = '.';
    }
    if (key.size > 0) memcpy(text + name.size + dot, key.data, key.size);
    *joined_out = (struct ets_text){text, name.size + dot + key.size};
    return ETS_OK;
}

static enum ets_status append(struct ets_torch_save *save, struct ets_text name,
                              struct ets_text class_name, const struct ets_value *value,
                              struct ets_value_list *list)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        struct ets_named_value *values =
            ets_arena_alloc_array(save->arena, capacity, sizeof *values);
        if (values == NULL) return ets_torch_save_fail(save, ETS_NO_MEMORY, "no memory");
        if (list->count > 0) memcpy(values, list->values, list->count * sizeof *values);
        list->values = values;
        list->capacity = capacity;
    }
    list->values[list->count++] =
        (struct ets_named_value){.name = name, .value = *value, .class_name = class_name};
    return ETS_OK;
}

static enum ets_status collect_items(struct ets_torch_save *save, struct ets_text name,
                                     const struct ets_pickle_object *object, int depth,
                                     struct ets_value_list *list)
{
    const uint32_t step = object->kind == ETS_PICKLE_DICT ? 2 : 1;
    for (uint32_t i = 0; i + step <= object->as.list.count; i += step) {
        struct ets_text key, joined;
        ETS_TRY(
            ets_torch_save_key(save, step == 2 ? object->as.list.items[i] : NULL, i / step, &key));
        ETS_TRY(join_name(save, name, key, &joined));
        ETS_TRY(
            ets_torch_save_collect(save, joined, object->as.list.items[i + step - 1], depth, list));
    }
    return ETS_OK;
}

/* What a call that makes a parameter makes it of; any other call itself. */
static const struct ets_pickle_object *unwrapped(const struct ets_pickle_object *call)
{
    const struct ets_pickle_object *arguments = call->as.call.arguments;
    return is_parameter(call->as.call.callable, arguments) ? item(arguments, 0) : call;
}

/*
 * A tensor subclass keeps its tensors in the attributes that _rebuild_from_type_v2 restores, with
 * those of __slots__ in a second dict.
 */
static const struct ets_pickle_object *state_of(const struct ets_pickle_object *object)
{
    object = unwrapped(object);
    const struct ets_pickle_object *state = object->as.call.state;
    if (state == NULL) state = item(object->as.call.arguments, 3);
    const bool has_slots = state != NULL && state->kind == ETS_PICKLE_TUPLE &&
                           item_is(state, 0, ETS_PICKLE_DICT) && item_is(state, 1, ETS_PICKLE_DICT);
    return has_slots ? item(state, 0) : state;
}

/* The class of the object that a call would make; absent if unknown. */
static enum ets_status name_class(struct ets_torch_save *save,
                                  const struct ets_pickle_object *object, struct ets_text *name_out)
{
    *name_out = (struct ets_text){NULL, 0};
    if (object->kind != ETS_PICKLE_CALL) return ETS_OK;
    object = unwrapped(object);
    const struct ets_pickle_object *class_ = object->as.call.callable;
    if (ets_pickle_is_global(class_, "torch._tensor", "_rebuild_from_type_v2")) {
        class_ = item(object->as.call.arguments, 1);
    }
    if (class_ == NULL || class_->kind != ETS_PICKLE_GLOBAL ||
        class_->as.global.module.size + class_->as.global.name.size > MAX_CLASS_BYTES) {
        return ETS_OK;
    }
    return join_name(save, class_->as.global.module, class_->as.global.name, name_out);
}

enum ets_status ets_torch_save_collect(struct ets_torch_save *save, struct ets_text name,
                                       const struct ets_pickle_object *object, int depth,
                                       struct ets_value_list *list)
{
    struct ets_value value;
    struct ets_text class_name = {NULL, 0};
    ETS_TRY(ets_torch_save_count(save, 1));
    ETS_TRY(ets_torch_save_value(save, object, &value));
    if (value.kind == ETS_VALUE_OTHER) ETS_TRY(name_class(save, object, &class_name));
    ETS_TRY(append(save, name, class_name, &value, list));
    if (value.kind != ETS_VALUE_OTHER || depth >= MAX_VALUE_DEPTH) return ETS_OK;
    if (object->kind == ETS_PICKLE_CALL) object = state_of(object);
    if (object == NULL || (object->kind != ETS_PICKLE_LIST && object->kind != ETS_PICKLE_TUPLE &&
                           object->kind != ETS_PICKLE_DICT)) {
        return ETS_OK;
    }
    return collect_items(save, name, object, depth + 1, list);
}
