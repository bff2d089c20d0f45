/* Reads the runtime's values and tensor descriptions, and copies elements between layouts. */
#include "engine/plugin/values.h"

#include <cstdio>
#include <cstring>

#include "engine/plugin/runtime.h"

extern "C" {
#include "base/load.h"
}

namespace ets
{
using executorch::runtime::EValue;
using executorch::runtime::Tag;

shape_text describe(const struct ets_tensor &tensor)
{
    shape_text shape;
    const char *name = ets_scalar_type_name(number_of(tensor.scalar_type));
    const size_t capacity = sizeof shape.text;
    size_t used = static_cast<size_t>(
        snprintf(shape.text, capacity, "%s [", name == nullptr ? "unknown type" : name));
    for (uint32_t i = 0; i < tensor.rank && used < capacity; i++) {
        used += static_cast<size_t>(snprintf(shape.text + used, capacity - used, "%s%lld",
                                             i == 0 ? "" : ", ",
                                             static_cast<long long>(tensor.sizes[i])));
    }
    if (used < capacity) snprintf(shape.text + used, capacity - used, "]");
    return shape;
}

const char *kind_name(enum ets_value_kind kind)
{
    switch (kind) {
    case ETS_VALUE_NONE: return "no value";
    case ETS_VALUE_TENSOR: return "tensor";
    case ETS_VALUE_INT: return "int";
    case ETS_VALUE_BOOL: return "bool";
    case ETS_VALUE_DOUBLE: return "double";
    case ETS_VALUE_OTHER: break;
    }
    return "list or string";
}

enum ets_value_kind kind_of(Tag tag)
{
    switch (tag) {
    case Tag::None: return ETS_VALUE_NONE;
    case Tag::Tensor: return ETS_VALUE_TENSOR;
    case Tag::Int: return ETS_VALUE_INT;
    case Tag::Bool: return ETS_VALUE_BOOL;
    case Tag::Double: return ETS_VALUE_DOUBLE;
    default: return ETS_VALUE_OTHER;
    }
}

namespace
{
enum ets_status check_rank(size_t rank, struct ets_error *error)
{
    if (rank <= ETS_TENSOR_MAX_RANK) return ETS_OK;
    return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                    "a tensor has rank %zu, over the limit of %d", rank, ETS_TENSOR_MAX_RANK);
}
}  // namespace

enum ets_status read_tensor_info(const executorch::runtime::TensorInfo &info,
                                 struct ets_tensor *out, struct ets_error *error)
{
    const auto sizes = info.sizes();
    const auto order = info.dim_order();
    ETS_TRY(check_rank(sizes.size(), error));
    *out = ets_tensor();
    out->scalar_type = static_cast<enum ets_scalar_type>(info.scalar_type());
    out->rank = static_cast<uint32_t>(sizes.size());
    for (size_t i = 0; i < sizes.size(); i++) out->sizes[i] = sizes[i];
    out->data_bytes = info.nbytes();
    if (order.size() != sizes.size()) {
        return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                        "a tensor of rank %zu has a dim order of %zu entries", sizes.size(),
                        order.size());
    }
    if (ets_tensor_set_dim_order(out, order.data()) != ETS_OK) {
        return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                        "a tensor's dim order is not a permutation");
    }
    return ETS_OK;
}

enum ets_status read_value(const EValue &held, struct ets_value *out, struct ets_error *error)
{
    *out = ets_value();
    out->kind = kind_of(held.tag);
    if (held.isInt()) out->as.int_value = held.toInt();
    if (held.isBool()) out->as.bool_value = held.toBool() ? 1 : 0;
    if (held.isDouble()) out->as.double_value = held.toDouble();
    if (!held.isTensor()) return ETS_OK;
    const executorch::aten::Tensor tensor = held.toTensor();
    ETS_TRY(check_rank(static_cast<size_t>(tensor.dim()), error));
    struct ets_tensor &view = out->as.tensor;
    view.scalar_type = static_cast<enum ets_scalar_type>(tensor.scalar_type());
    view.rank = static_cast<uint32_t>(tensor.dim());
    for (uint32_t i = 0; i < view.rank; i++) {
        view.sizes[i] = tensor.sizes()[i];
        view.strides[i] = tensor.strides()[i];
    }
    view.data = tensor.const_data_ptr();
    view.data_bytes = view.data == nullptr ? 0 : tensor.nbytes();
    return ETS_OK;
}

bool has_all_bytes(const struct ets_tensor &tensor)
{
    const uint64_t count = ets_tensor_count(&tensor);
    const uint64_t element = ets_scalar_type_bytes(tensor.scalar_type);
    if (count == 0) return true;
    if (count == UINT64_MAX || element == 0 || tensor.data == nullptr) return false;
    uint64_t last = 0; /* the element farthest from data */
    for (uint32_t i = 0; i < tensor.rank; i++) {
        uint64_t reach = 0;
        if (tensor.strides[i] < 0 ||
            !ets_mul_u64(static_cast<uint64_t>(tensor.sizes[i] - 1),
                         static_cast<uint64_t>(tensor.strides[i]), &reach) ||
            !ets_add_u64(last, reach, &last)) {
            return false;
        }
    }
    uint64_t bytes = 0;
    return last < UINT64_MAX && ets_mul_u64(last + 1, element, &bytes) &&
           bytes <= tensor.data_bytes;
}

void copy_elements(const struct ets_tensor &from, const int64_t *to_strides, uint8_t *to)
{
    const uint64_t count = ets_tensor_count(&from);
    const size_t element = ets_scalar_type_bytes(from.scalar_type);
    const auto *data = static_cast<const uint8_t *>(from.data);
    if (count == 0) return;
    bool same_layout = true;
    for (uint32_t i = 0; i < from.rank; i++) {
        if (from.sizes[i] != 1 && from.strides[i] != to_strides[i]) same_layout = false;
    }
    if (same_layout) {
        memcpy(to, data, count * element);
        return;
    }
    int64_t index[ETS_TENSOR_MAX_RANK] = {};
    for (uint64_t n = 0; n < count; n++) {
        int64_t source = 0, target = 0;
        for (uint32_t i = 0; i < from.rank; i++) {
            source += index[i] * from.strides[i];
            target += index[i] * to_strides[i];
        }
        memcpy(to + static_cast<size_t>(target) * element,
               data + static_cast<size_t>(source) * element, element);
        for (uint32_t i = from.rank; i-- > 0;) {
            if (++index[i] < from.sizes[i]) break;
            index[i] = 0;
        }
    }
}

}  // namespace ets
