/* Writes the inputs of runs into the extra block of a finished trace; docs/SPEC.md, section 6. */
#include "dump/extra_inputs.h"

#include <string.h>

#include "base/byte_layout.h"
#include "base/extra_keys.h"
#include "base/input_entry.h"
#include "etscope/tensor.h"

/* Larger inputs would make traces large; `gap` then needs them again. */
enum { MOST_BYTES = 16 << 20 };

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

/* The bytes of elements; plain numbers take 8. SIZE_MAX: the value has no bytes. */
static size_t bytes_of(const struct ets_value *value)
{
    switch (value->kind) {
    case ETS_VALUE_INT:
    case ETS_VALUE_BOOL:
    case ETS_VALUE_DOUBLE: return 8;
    case ETS_VALUE_TENSOR:
        if (value->as.tensor.data == NULL && value->as.tensor.data_bytes > 0) return SIZE_MAX;
        if (!ets_tensor_is_contiguous(&value->as.tensor)) return SIZE_MAX;
        return (size_t)(ets_tensor_count(&value->as.tensor) *
                        ets_scalar_type_bytes(value->as.tensor.scalar_type));
    default: return SIZE_MAX;
    }
}

static uint32_t rank_of(const struct ets_value *value)
{
    return value->kind == ETS_VALUE_TENSOR ? value->as.tensor.rank : 0;
}

static size_t entry_bytes(const struct ets_value *value, size_t name_size, bool has_elements)
{
    const bool has_bytes = has_elements || value->kind != ETS_VALUE_TENSOR;
    return ETS_INPUT_ENTRY_SIZES + 8 * (size_t)rank_of(value) + padded(name_size) +
           (has_bytes ? padded(bytes_of(value)) : 0);
}

/* The elements, or the plain number. */
static void put_elements(uint8_t *at, const struct ets_value *value, size_t bytes)
{
    uint64_t bits = 0;
    switch (value->kind) {
    case ETS_VALUE_TENSOR:
        if (bytes > 0) memcpy(at, value->as.tensor.data, bytes);
        return;
    case ETS_VALUE_INT: bits = (uint64_t)value->as.int_value; break;
    case ETS_VALUE_BOOL: bits = value->as.bool_value != 0; break;
    default: memcpy(&bits, &value->as.double_value, sizeof bits);
    }
    ets_store_bytes(at, bits, 8);
}

static int type_of(const struct ets_value *value)
{
    switch (value->kind) {
    case ETS_VALUE_INT: return ETS_SCALAR_LONG;
    case ETS_VALUE_BOOL: return ETS_SCALAR_BOOL;
    case ETS_VALUE_DOUBLE: return ETS_SCALAR_DOUBLE;
    default: return (int)value->as.tensor.scalar_type;
    }
}

static bool put(struct ets_extra_growth *kept, const char *method, int32_t test_case,
                const struct ets_value *value, uint32_t number, uint32_t count, bool has_elements)
{
    const size_t name_size = strlen(method);
    const bool is_tensor = value->kind == ETS_VALUE_TENSOR;
    const uint32_t key = has_elements ? ETS_EXTRA_INPUT : ETS_EXTRA_INPUT_SIZES;
    uint8_t *at = ets_extra_growth_put(kept, key, entry_bytes(value, name_size, has_elements));
    if (at == NULL) return false;
    ets_store_bytes(at + ETS_INPUT_ENTRY_CASE, (uint32_t)test_case, 4);
    ets_store_bytes(at + ETS_INPUT_ENTRY_NUMBER, number, 4);
    ets_store_bytes(at + ETS_INPUT_ENTRY_COUNT, count, 4);
    ets_store_bytes(at + ETS_INPUT_ENTRY_NAME, name_size, 2);
    at[ETS_INPUT_ENTRY_TYPE] = (uint8_t)type_of(value);
    at[ETS_INPUT_ENTRY_RANK] = is_tensor ? (uint8_t)rank_of(value) : ETS_INPUT_ENTRY_PLAIN;
    at += ETS_INPUT_ENTRY_SIZES;
    for (uint32_t i = 0; i < rank_of(value); i++, at += 8) {
        ets_store_bytes(at, (uint64_t)value->as.tensor.sizes[i], 8);
    }
    memcpy(at, method, name_size);
    if (has_elements || !is_tensor) put_elements(at + padded(name_size), value, bytes_of(value));
    return true;
}

/* The bytes of all entries; SIZE_MAX: they are not to be kept. */
static size_t entries_bytes(const struct ets_extra_growth *kept, const char *method,
                            const struct ets_value *values, size_t count, bool has_elements)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        const bool has_bytes = has_elements || values[i].kind != ETS_VALUE_TENSOR;
        if (has_bytes && bytes_of(&values[i]) > MOST_BYTES) return SIZE_MAX;
        bytes += entry_bytes(&values[i], strlen(method), has_elements);
        if (kept->size + bytes > MOST_BYTES) return SIZE_MAX;
    }
    return bytes;
}

bool ets_extra_inputs_add(struct ets_extra_growth *kept, const char *method, int32_t test_case,
                          const struct ets_value *values, size_t count, bool has_elements)
{
    if (strlen(method) > UINT16_MAX) return true;
    size_t more = entries_bytes(kept, method, values, count, has_elements);
    if (more == SIZE_MAX && has_elements) {
        has_elements = false;
        more = entries_bytes(kept, method, values, count, has_elements);
    }
    if (more == SIZE_MAX) return true;
    for (size_t i = 0; i < count; i++) {
        if (!put(kept, method, test_case, &values[i], (uint32_t)i, (uint32_t)count, has_elements)) {
            return false;
        }
    }
    return true;
}
