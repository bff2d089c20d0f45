/* Between the interface's values and the runtime's. */
#ifndef ETSCOPE_ENGINE_PLUGIN_VALUES_H
#define ETSCOPE_ENGINE_PLUGIN_VALUES_H

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/executor/method_meta.h>

#include <cstring>

#include "etscope/engine.h"

namespace ets
{
/* An enumeration's number, which a caller may have made anything, where C++ has only its own. */
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

/* What `tag` is called here. */
enum ets_value_kind kind_of(executorch::runtime::Tag tag);

/* Type, sizes and strides of a tensor's description; data is NULL. UNSUPPORTED: its rank. */
enum ets_status read_tensor_info(const executorch::runtime::TensorInfo &info,
                                 struct ets_tensor *out, struct ets_error *error);

/* A borrowed view of what the runtime holds. UNSUPPORTED: its rank. */
enum ets_status read_value(const executorch::runtime::EValue &held, struct ets_value *out,
                           struct ets_error *error);

/* 1 where `data_bytes` covers all that sizes and strides reach. */
bool has_all_bytes(const struct ets_tensor &tensor);

/* Copies elements of `from` to `to`, which has the same sizes and its own strides. */
void copy_elements(const struct ets_tensor &from, const int64_t *to_strides, uint8_t *to);

}  // namespace ets

#endif
