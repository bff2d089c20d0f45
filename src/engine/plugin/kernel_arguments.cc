/* Checks the arguments of a kernel call and converts them to the runtime's values. */
#include "engine/plugin/kernel_arguments.h"

#include <algorithm>
#include <climits>
#include <cstring>

#include "engine/plugin/values.h"

extern "C" {
#include "base/error.h"
}

namespace ets
{
namespace et = ::executorch::runtime;
using et::EValue;
using executorch::aten::DimOrderType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::aten::TensorShapeDynamism;

namespace
{
/* Whether `order` gives `tensor`'s strides; those of dimensions with one element do not matter. */
bool has_dim_order(const struct ets_tensor &tensor, const uint8_t *order, bool strictly)
{
    struct ets_tensor dense = tensor;
    if (ets_tensor_set_dim_order(&dense, order) != ETS_OK) return false;
    for (uint32_t i = 0; i < tensor.rank; i++) {
        if (tensor.strides[i] != dense.strides[i] && (strictly || tensor.sizes[i] > 1)) {
            return false;
        }
    }
    return true;
}

/*
 * Finds the order of dimensions of `tensor`'s strides, outermost first. Among equal strides, a
 * dimension with one element is the inner one. If two orders match, row-major is taken, unless the
 * strides are exactly those of channels last with four dimensions or more.
 */
bool find_dim_order(const struct ets_tensor &tensor, uint8_t *order)
{
    uint8_t sorted[ETS_TENSOR_MAX_RANK];
    for (uint32_t i = 0; i < tensor.rank; i++) order[i] = sorted[i] = static_cast<uint8_t>(i);
    if (has_dim_order(tensor, order, true)) return true;
    for (uint32_t i = 1; i < tensor.rank; i++) { /* stable, and no allocation */
        for (uint32_t j = i; j > 0; j--) {
            const uint8_t outer = sorted[j - 1], inner = sorted[j];
            if (tensor.strides[outer] > tensor.strides[inner] ||
                (tensor.strides[outer] == tensor.strides[inner] &&
                 (tensor.sizes[outer] > 1 || tensor.sizes[inner] <= 1))) {
                break;
            }
            std::swap(sorted[j - 1], sorted[j]);
        }
    }
    const bool exactly = tensor.rank >= 4 && has_dim_order(tensor, sorted, true);
    if (!exactly && has_dim_order(tensor, order, false)) return true;
    memcpy(order, sorted, tensor.rank);
    return ets_tensor_count(&tensor) == 0 || has_dim_order(tensor, order, false);
}

bool is_over_runtime(const struct ets_tensor &tensor)
{
    static_assert(sizeof(SizesType) == 4 && sizeof(StridesType) == 4, "the limit below");
    for (uint32_t i = 0; i < tensor.rank; i++) {
        if (tensor.sizes[i] > INT32_MAX || tensor.strides[i] > INT32_MAX) return true;
    }
    return false;
}

enum ets_status check_tensor(size_t at, const struct ets_tensor *tensor, struct ets_error *error)
{
    const char *wrong = nullptr;
    if (tensor == nullptr) wrong = "a tensor is missing";
    else if (tensor->rank > ETS_TENSOR_MAX_RANK) wrong = "a tensor has too many dimensions";
    if (wrong != nullptr) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET, "argument %zu: %s", at, wrong);
    }
    const int type = number_of(tensor->scalar_type);
    if (ets_scalar_type_bytes(type) == 0) wrong = "a scalar type that the runtime does not support";
    else if (ets_tensor_count(tensor) == UINT64_MAX) wrong = "invalid sizes";
    else if (is_over_runtime(*tensor)) wrong = "sizes exceed the runtime's 32 bits";
    else if (!has_all_bytes(*tensor)) wrong = "needs more bytes than given";
    if (wrong == nullptr) return ETS_OK;
    return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET, "argument %zu: %s: %s", at,
                    describe(*tensor).text, wrong);
}

}  // namespace

/* The tensor's data, or an aligned copy. */
void *kernel_arguments::aligned_data(const struct ets_tensor &given)
{
    const size_t element = ets_scalar_type_bytes(given.scalar_type);
    const auto address = reinterpret_cast<uintptr_t>(given.data);
    if (address % (element > 8 ? 8 : element) == 0) return const_cast<void *>(given.data);
    const auto bytes = static_cast<size_t>(ets_tensor_extent(&given));
    void *copy = memory_->list<uint64_t>((bytes + 7) / 8);
    memcpy(copy, given.data, bytes);
    return copy;
}

enum ets_status kernel_arguments::build_tensor(struct ets_tensor *given, bool is_output,
                                               EValue *value, struct ets_error *error)
{
    ETS_TRY(check_tensor(at_, given, error));
    auto *order = memory_->list<DimOrderType>(given->rank);
    auto *sizes = memory_->list<SizesType>(given->rank);
    auto *strides = memory_->list<StridesType>(given->rank);
    if (!find_dim_order(*given, order)) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "argument %zu: %s: its strides match no order of its dimensions", at_,
                        describe(*given).text);
    }
    struct ets_tensor dense = *given;
    ets_tensor_set_dim_order(&dense, order);
    for (uint32_t i = 0; i < given->rank; i++) {
        sizes[i] = static_cast<SizesType>(given->sizes[i]);
        strides[i] = static_cast<StridesType>(dense.strides[i]);
    }
    auto *tensor = new (memory_->list<TensorImpl>(1))
        TensorImpl(static_cast<executorch::aten::ScalarType>(given->scalar_type),
                   static_cast<ssize_t>(given->rank), sizes, aligned_data(*given), order, strides,
                   is_output ? TensorShapeDynamism::DYNAMIC_BOUND : TensorShapeDynamism::STATIC);
    new (value) EValue(Tensor(tensor));
    if (is_output) outputs_[output_count_++] = {given, tensor, value};
    return ETS_OK;
}

template <typename T>
enum ets_status kernel_arguments::build_tensors(const struct ets_kernel_argument &argument,
                                                EValue *value, struct ets_error *error)
{
    auto *held = memory_->list<EValue>(argument.count);
    auto *pointers = memory_->list<EValue *>(argument.count);
    auto *unwrapped = memory_->list<T>(argument.count);
    for (size_t i = 0; i < argument.count; i++) {
        pointers[i] = new (&held[i]) EValue();
        new (&unwrapped[i]) T(nullptr);
        struct ets_tensor *tensor = argument.as.tensors[i];
        if (tensor == nullptr && argument.kind == ETS_KERNEL_OPTIONAL_TENSOR_LIST) continue;
        ETS_TRY(build_tensor(tensor, argument.is_output != 0, &held[i], error));
    }
    auto *boxed = memory_->list<et::BoxedEvalueList<T>>(1);
    new (value) EValue(
        new (boxed) et::BoxedEvalueList<T>(pointers, unwrapped, static_cast<int>(argument.count)));
    return ETS_OK;
}

void kernel_arguments::build_ints(const struct ets_kernel_argument &argument, EValue *value)
{
    auto *held = memory_->list<EValue>(argument.count);
    auto *pointers = memory_->list<EValue *>(argument.count);
    auto *unwrapped = memory_->list<int64_t>(argument.count);
    for (size_t i = 0; i < argument.count; i++) {
        pointers[i] = new (&held[i]) EValue(argument.as.ints[i]);
    }
    auto *boxed = memory_->list<et::BoxedEvalueList<int64_t>>(1);
    new (value) EValue(new (boxed) et::BoxedEvalueList<int64_t>(pointers, unwrapped,
                                                                static_cast<int>(argument.count)));
}

void kernel_arguments::build_bools(const struct ets_kernel_argument &argument, EValue *value)
{
    auto *held = memory_->list<bool>(argument.count);
    for (size_t i = 0; i < argument.count; i++) held[i] = argument.as.ints[i] != 0;
    using bools = executorch::aten::ArrayRef<bool>;
    new (value) EValue(new (memory_->list<bools>(1)) bools(held, argument.count));
}

enum ets_status kernel_arguments::build_value(const struct ets_kernel_argument &argument,
                                              EValue *value, struct ets_error *error)
{
    using doubles = executorch::aten::ArrayRef<double>;
    using characters = executorch::aten::ArrayRef<char>;
    switch (argument.kind) {
    case ETS_KERNEL_NONE: new (value) EValue(); break;
    case ETS_KERNEL_INT: new (value) EValue(argument.as.int_value); break;
    case ETS_KERNEL_BOOL: new (value) EValue(argument.as.int_value != 0); break;
    case ETS_KERNEL_DOUBLE: new (value) EValue(argument.as.double_value); break;
    case ETS_KERNEL_STRING:
        new (value) EValue(new (memory_->list<characters>(1))
                               characters(argument.as.text.data, argument.as.text.size));
        break;
    case ETS_KERNEL_TENSOR:
        return build_tensor(argument.as.tensor, argument.is_output != 0, value, error);
    case ETS_KERNEL_INT_LIST: build_ints(argument, value); break;
    case ETS_KERNEL_BOOL_LIST: build_bools(argument, value); break;
    case ETS_KERNEL_DOUBLE_LIST:
        new (value)
            EValue(new (memory_->list<doubles>(1)) doubles(argument.as.doubles, argument.count));
        break;
    case ETS_KERNEL_TENSOR_LIST: return build_tensors<Tensor>(argument, value, error);
    case ETS_KERNEL_OPTIONAL_TENSOR_LIST:
        return build_tensors<std::optional<Tensor>>(argument, value, error);
    }
    return ETS_OK;
}

namespace
{
bool is_tensor_list(const struct ets_kernel_argument &argument)
{
    return argument.kind == ETS_KERNEL_TENSOR_LIST ||
           argument.kind == ETS_KERNEL_OPTIONAL_TENSOR_LIST;
}

/* Checks an argument by itself. */
enum ets_status check_argument(size_t at, const struct ets_kernel_argument &argument,
                               struct ets_error *error)
{
    const int kind = number_of(argument.kind);
    const bool is_list = kind >= ETS_KERNEL_INT_LIST && kind <= ETS_KERNEL_OPTIONAL_TENSOR_LIST;
    const char *wrong = nullptr;
    if (kind < ETS_KERNEL_NONE || kind > ETS_KERNEL_OPTIONAL_TENSOR_LIST) {
        wrong = "unknown kind";
    } else if (is_list && argument.count > INT_MAX) {
        wrong = "a list that is too long";
    } else if (is_list && argument.count > 0 && argument.as.ints == nullptr) {
        wrong = "a list without its elements";
    } else if (kind == ETS_KERNEL_STRING && argument.as.text.data == nullptr) {
        wrong = "a string without its text";
    } else if (argument.is_output != 0 && kind != ETS_KERNEL_TENSOR &&
               kind != ETS_KERNEL_TENSOR_LIST) {
        wrong = "an output that is neither a tensor nor a list of tensors";
    }
    if (wrong == nullptr) return ETS_OK;
    return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET, "argument %zu: %s", at, wrong);
}

/* Makes room for the outputs of an argument. */
size_t output_room(const struct ets_kernel_argument &argument)
{
    if (argument.is_output == 0) return 0;
    return is_tensor_list(argument) ? argument.count : 1;
}
}  // namespace

/* The value of the slot after the schema's arguments; NULL without outputs. */
EValue *kernel_arguments::returned(const struct ets_kernel_argument *arguments, size_t count)
{
    size_t found = 0;
    EValue *value = nullptr;
    for (size_t i = 0; i < count; i++) {
        if (arguments[i].is_output == 0) continue;
        value = stack_[i];
        found++;
    }
    if (found <= 1) return value;
    auto *pointers = memory_->list<EValue *>(output_count_);
    auto *unwrapped = memory_->list<Tensor>(output_count_);
    for (size_t i = 0; i < output_count_; i++) {
        pointers[i] = outputs_[i].value;
        new (&unwrapped[i]) Tensor(nullptr);
    }
    auto *boxed = memory_->list<et::BoxedEvalueList<Tensor>>(1);
    new (boxed) et::BoxedEvalueList<Tensor>(pointers, unwrapped, static_cast<int>(output_count_));
    return new (memory_->list<EValue>(1)) EValue(boxed);
}

enum ets_status kernel_arguments::build(const struct ets_kernel_argument *arguments, size_t count,
                                        struct ets_error *error)
{
    size_t output_limit = 0;
    for (size_t i = 0; i < count; i++) {
        ETS_TRY(check_argument(i, arguments[i], error));
        output_limit += output_room(arguments[i]);
    }
    outputs_ = memory_->list<output>(output_limit);
    stack_ = memory_->list<EValue *>(count + 1);
    auto *values = memory_->list<EValue>(count);
    for (at_ = 0; at_ < count; at_++) {
        stack_[at_] = &values[at_];
        ETS_TRY(build_value(arguments[at_], &values[at_], error));
    }
    stack_size_ = count + 1;
    stack_[count] = returned(arguments, count);
    if (stack_[count] != nullptr) return ETS_OK;
    return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET, "no argument is an output");
}

void kernel_arguments::write_back() const
{
    for (size_t i = 0; i < output_count_; i++) {
        struct ets_tensor *given = outputs_[i].given;
        const TensorImpl &made = *outputs_[i].made;
        for (uint32_t d = 0; d < given->rank; d++) {
            given->sizes[d] = made.sizes()[d];
            given->strides[d] = made.strides()[d];
        }
        if (made.data() != given->data && made.nbytes() > 0) {
            memmove(const_cast<void *>(given->data), made.data(), made.nbytes());
        }
    }
}

}  // namespace ets
