/* Reads what a run was given from the extra block. */
#include "inspect/given_inputs.h"

#include <string.h>

#include "base/extra_keys.h"
#include "base/input_entry.h"
#include "base/load.h"
#include "base/text.h"
#include "dump/extra_entries.h"
#include "inspect/inspection.h"

/* More inputs than any method has: hostile files. */
enum { MOST_INPUTS = 4096 };

/* An entry's parts. */
struct given {
    bool has_elements;
    struct ets_text method;
    int32_t test_case;
    uint32_t number, count;
    struct ets_value value;
};

static bool read_plain(struct ets_bytes bytes, int type, struct ets_value *value_out)
{
    if (bytes.size < 8) return false;
    const int64_t whole = (int64_t)ets_load_u64(bytes.data);
    switch (type) {
    case ETS_SCALAR_LONG:
        *value_out = (struct ets_value){.kind = ETS_VALUE_INT, .as.int_value = whole};
        return true;
    case ETS_SCALAR_BOOL:
        *value_out = (struct ets_value){.kind = ETS_VALUE_BOOL, .as.bool_value = whole != 0};
        return true;
    case ETS_SCALAR_DOUBLE:
        *value_out = (struct ets_value){.kind = ETS_VALUE_DOUBLE,
                                        .as.double_value = ets_load_f64(bytes.data)};
        return true;
    default: return false;
    }
}

static bool read_tensor(struct ets_bytes entry, struct ets_bytes bytes, bool has_elements,
                        struct ets_value *value_out)
{
    struct ets_tensor tensor = {.scalar_type = entry.data[ETS_INPUT_ENTRY_TYPE],
                                .rank = entry.data[ETS_INPUT_ENTRY_RANK],
                                .data = bytes.data,
                                .data_bytes = bytes.size};
    for (uint32_t i = 0; i < tensor.rank; i++) {
        tensor.sizes[i] = (int64_t)ets_load_u64(entry.data + ETS_INPUT_ENTRY_SIZES + 8 * (size_t)i);
        if (tensor.sizes[i] < 0) return false;
    }
    ets_tensor_set_contiguous(&tensor);
    const uint64_t count = ets_tensor_count(&tensor);
    const uint64_t each = ets_scalar_type_bytes(tensor.scalar_type);
    if (each == 0 || (has_elements && count > bytes.size / each)) return false;
    if (!has_elements) tensor.data = NULL;
    *value_out = (struct ets_value){.kind = ETS_VALUE_TENSOR, .as.tensor = tensor};
    return true;
}

static bool read_entry(struct ets_bytes entry, uint32_t key, struct given *given_out)
{
    given_out->has_elements = key == ETS_EXTRA_INPUT;
    if (key != ETS_EXTRA_INPUT && key != ETS_EXTRA_INPUT_SIZES) return false;
    if (entry.size < ETS_INPUT_ENTRY_SIZES) return false;
    const uint8_t rank = entry.data[ETS_INPUT_ENTRY_RANK];
    const size_t name_size = ets_load_u16(entry.data + ETS_INPUT_ENTRY_NAME);
    const size_t sizes = rank == ETS_INPUT_ENTRY_PLAIN ? 0 : 8 * (size_t)rank;
    const size_t name_at = ETS_INPUT_ENTRY_SIZES + sizes;
    const size_t data_at = name_at + ((name_size + 7) & ~(size_t)7);
    if (sizes > 8 * ETS_TENSOR_MAX_RANK || data_at > entry.size) return false;
    const struct ets_bytes bytes = {entry.data + data_at, entry.size - data_at};
    given_out->test_case = (int32_t)ets_load_u32(entry.data + ETS_INPUT_ENTRY_CASE);
    given_out->number = ets_load_u32(entry.data + ETS_INPUT_ENTRY_NUMBER);
    given_out->count = ets_load_u32(entry.data + ETS_INPUT_ENTRY_COUNT);
    given_out->method = (struct ets_text){(const char *)entry.data + name_at, name_size};
    return rank == ETS_INPUT_ENTRY_PLAIN
               ? read_plain(bytes, entry.data[ETS_INPUT_ENTRY_TYPE], &given_out->value)
               : read_tensor(entry, bytes, given_out->has_elements, &given_out->value);
}

/* For as many as the first entry says; `*count_out` 0: no method has that many. */
static enum ets_status make_room(struct ets_arena *arena, uint32_t count,
                                 struct ets_value **values_out, size_t *count_out,
                                 struct ets_error *error)
{
    if (count == 0 || count > MOST_INPUTS) return ETS_OK;
    *values_out = ets_arena_alloc_array(arena, count, sizeof **values_out);
    if (*values_out == NULL) return ets_fail_memory(error, "the inputs of a run");
    *count_out = count;
    return ETS_OK;
}

enum ets_status ets_given_inputs_read(struct ets_arena *arena,
                                      const struct ets_inspection *inspection, const char *method,
                                      int32_t test_case, struct ets_value **values_out,
                                      size_t *count_out, struct ets_error *error)
{
    struct ets_bytes entry;
    struct given given;
    uint32_t key;
    size_t count = 0, found = 0;
    *values_out = NULL;
    *count_out = 0;
    if (!inspection->has_extra) return ETS_OK;
    for (size_t at = 0; ets_trace_extra_next(&inspection->extra, &at, &key, &entry);) {
        if (!read_entry(entry, key, &given) || !given.has_elements) continue;
        if (given.test_case != test_case || !ets_text_is(given.method, method)) continue;
        if (*values_out == NULL) ETS_TRY(make_room(arena, given.count, values_out, &count, error));
        if (count == 0) return ETS_OK;
        if (given.number >= count || (*values_out)[given.number].kind != ETS_VALUE_NONE) continue;
        (*values_out)[given.number] = given.value;
        found++;
    }
    if (found == count) *count_out = count;
    return ETS_OK;
}

static bool is_like(const struct ets_value *left, const struct ets_value *right)
{
    if (left->kind != right->kind) return false;
    switch (left->kind) {
    case ETS_VALUE_TENSOR: break;
    case ETS_VALUE_DOUBLE:
        return memcmp(&left->as.double_value, &right->as.double_value, sizeof(double)) == 0;
    case ETS_VALUE_BOOL: return left->as.bool_value == right->as.bool_value;
    default: return left->as.int_value == right->as.int_value;
    }
    const struct ets_tensor *a = &left->as.tensor, *b = &right->as.tensor;
    return a->scalar_type == b->scalar_type && a->rank == b->rank &&
           memcmp(a->sizes, b->sizes, a->rank * sizeof *a->sizes) == 0;
}

enum ets_status ets_given_sizes_read(struct ets_arena *arena,
                                     const struct ets_inspection *inspection, const char *method,
                                     struct ets_value **values_out, size_t *count_out,
                                     struct ets_error *error)
{
    struct ets_bytes entry;
    struct given given;
    uint32_t key;
    size_t count = 0, found = 0;
    *values_out = NULL;
    *count_out = 0;
    if (!inspection->has_extra) return ETS_OK;
    for (size_t at = 0; ets_trace_extra_next(&inspection->extra, &at, &key, &entry);) {
        if (!read_entry(entry, key, &given) || !ets_text_is(given.method, method)) continue;
        if (*values_out == NULL) ETS_TRY(make_room(arena, given.count, values_out, &count, error));
        if (count == 0) return ETS_OK;
        if (given.count != count || given.number >= count) return ETS_OK;
        struct ets_value *value = &(*values_out)[given.number];
        if (given.value.kind == ETS_VALUE_TENSOR) given.value.as.tensor.data = NULL;
        if (value->kind != ETS_VALUE_NONE && !is_like(value, &given.value)) return ETS_OK;
        found += value->kind == ETS_VALUE_NONE;
        *value = given.value;
    }
    if (found == count) *count_out = count;
    return ETS_OK;
}
