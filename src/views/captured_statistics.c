/* Computes statistics of captured values, or finds the reason why there are none. */
#include "views/captured_statistics.h"

#include "base/error.h"
#include "etscope/numerics.h"

/* Why there are no numbers. */
static enum ets_numbers_state state_of(enum ets_status status, int64_t offset)
{
    switch (status) {
    case ETS_OK: return ETS_NUMBERS_OK;
    case ETS_NOT_FOUND: return offset < 0 ? ETS_NUMBERS_UNRECORDED : ETS_NUMBERS_NO_BUFFER;
    case ETS_TRUNCATED: return ETS_NUMBERS_OUTSIDE;
    case ETS_UNSUPPORTED: return ETS_NUMBERS_NONE;
    default: return ETS_NUMBERS_MALFORMED;
    }
}

void ets_tensor_numbers_find(const struct ets_captured_value *value,
                             struct ets_tensor_numbers *numbers_out)
{
    struct ets_tensor_numbers numbers = {.reason = value->reason};
    enum ets_status status = value->status;
    if (value->has_statistics) {
        numbers.statistics = value->statistics;
    } else if (status == ETS_OK) {
        status = ets_tensor_statistics_of(&value->tensor, ETS_FIRST_NUMBERS, &numbers.statistics);
        if (status != ETS_OK) {
            ets_set_error(&numbers.reason, status, ETS_NO_OFFSET,
                          "the elements of a %s tensor are not numbers",
                          ets_scalar_type_name(value->tensor.scalar_type));
        }
    }
    numbers.state = value->has_statistics ? ETS_NUMBERS_REDUCED : state_of(status, value->offset);
    numbers.is_known = value->has_statistics || status == ETS_OK;
    *numbers_out = numbers;
}

const char *ets_numbers_state_name(enum ets_numbers_state state)
{
    static const char *const names[] = {"ok",      "reduced",    "unrecorded", "no_buffer",
                                        "outside", "no_numbers", "malformed"};
    return names[state];
}

const char *ets_captured_kind_name(int32_t type)
{
    static const char *const names[] = {"null",   "int",    "bool",        "float",
                                        "double", "tensor", "tensor_list", "string"};
    const bool is_known = type >= 0 && type < (int32_t)(sizeof names / sizeof *names);
    return is_known ? names[type] : "unknown";
}

int64_t ets_captured_bytes(const struct ets_captured_value *value)
{
    if (!value->has_tensor) return -1;
    const uint64_t count = ets_tensor_count(&value->tensor);
    const size_t bytes = ets_scalar_type_bytes(value->tensor.scalar_type);
    return bytes == 0 || count > INT64_MAX / bytes ? -1 : (int64_t)(count * bytes);
}

void ets_hash_print(uint64_t hash, char text[ETS_HASH_CHARS])
{
    for (int i = 0; i < ETS_HASH_CHARS; i++)
        text[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
}

void ets_captured_statistics_init(struct ets_captured_statistics *numbers,
                                  const struct ets_inspection *inspection,
                                  struct ets_bytes debug_buffer,
                                  const struct ets_captured_filter *filter)
{
    numbers->no_memory = false;
    ets_captured_values_init(&numbers->values, inspection, debug_buffer, filter);
}

bool ets_captured_statistics_next(struct ets_captured_statistics *numbers, struct ets_arena *arena,
                                  struct ets_captured_line *line_out)
{
    const struct ets_inspection *inspection = numbers->values.inspection;
    struct ets_captured_line line = {.row = NULL};
    if (!ets_captured_values_next(&numbers->values, &line.value)) return false;
    ets_tensor_numbers_find(&line.value, &line.numbers);
    line.block = ets_inspection_run(inspection, line.value.run)->block;
    if (line.value.row != ETS_NO_INDEX) {
        line.row = ets_inspection_row(inspection, line.value.row);
        numbers->no_memory =
            !ets_operator_row_places(arena, line.row, &line.sources, &line.modules);
    }
    *line_out = line;
    return !numbers->no_memory;
}

struct ets_captured_contents ets_captured_survey(const struct ets_inspection *inspection,
                                                 struct ets_bytes debug_buffer,
                                                 const struct ets_captured_filter *filter)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    struct ets_captured_contents has = {.has_numbers = debug_buffer.data != NULL};
    ets_captured_values_init(&values, inspection, debug_buffer, filter);
    while (ets_captured_values_next(&values, &value)) {
        has.has_numbers |= value.has_statistics != 0;
        has.has_texts |= value.text.data != NULL;
        has.has_items |= value.item_count > 0;
        has.has_indices |= value.index > 0;
        has.has_handles |= value.row != ETS_NO_INDEX &&
                           ets_inspection_row(inspection, value.row)->handle_count > 0;
        has.has_layouts |= value.has_tensor && !ets_tensor_is_contiguous(&value.tensor);
    }
    return has;
}
