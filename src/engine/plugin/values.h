/* Converts between the interface's values and the runtime's. */
#ifndef ETSCOPE_ENGINE_PLUGIN_VALUES_H
#define ETSCOPE_ENGINE_PLUGIN_VALUES_H

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/executor/method_meta.h>

#include <cstring>

#include "etscope/engine.h"

namespace ets
{
/* The number of an enumeration, which a caller may have set to any value. */
template <typename Enumeration>
int number_of(const Enumeration &value)
{
    int number;
    static_assert(sizeof number == sizeof value, "as C has it");
    memcpy(&number, &value, sizeof number);
    return number;
}

/* "float32 [2, 16]", cut to 96 bytes with the terminator. */
struct shape_text {
    char text[96];
};
shape_text describe(const struct ets_tensor &tensor);

/* "int", "tensor", ... */
const char *kind_name(enum ets_value_kind kind);

/* The kind of a value with `tag`. */
enum ets_value_kind kind_of(executorch::runtime::Tag tag);

/* Reads type, sizes and strides of a tensor; data is NULL. UNSUPPORTED: its rank. */
enum ets_status read_tensor_info(const executorch::runtime::TensorInfo &info,
                                 struct ets_tensor *out, struct ets_error *error);

/* Makes a borrowed view of a value of the runtime. UNSUPPORTED: its rank. */
enum ets_status read_value(const executorch::runtime::EValue &held, struct ets_value *out,
                           struct ets_error *error);

/* Whether `data_bytes` covers all elements. */
bool has_all_bytes(const struct ets_tensor &tensor);

/* Copies the elements of `from` to `to`, with the same sizes and other strides. */
void copy_elements(const struct ets_tensor &from, const int64_t *to_strides, uint8_t *to);

}  // namespace ets

#endif
