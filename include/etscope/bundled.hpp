/*
 * bundled.hpp - runs and checks the test cases of a bundled program with ExecuTorch's Method or
 * Module.
 *
 *     auto bundled = etscope::BundledModule::from_file("model.bpte");
 *     if (!bundled.ok()) { ... }
 *     auto outputs = bundled.get()->execute("forward", 0); // with the inputs of case 0
 *     const Error error = bundled.get()->verify_method_outputs("forward", 0, 1e-3, 1e-5);
 *
 * Header only, C++17. Link etscope::verify and ExecuTorch (for BundledModule also its extension
 * module). ExecuTorch's functions of the same names take a pointer of unknown length. These take
 * the bytes with their length and verify them on each call (bundle.h). etscope::etdump provides
 * them under ExecuTorch's header names. Use a bundle from one thread at a time, like its method.
 */
#ifndef ETSCOPE_BUNDLED_HPP
#define ETSCOPE_BUNDLED_HPP

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/module/module.h>
#include <executorch/runtime/executor/method.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "etscope/verify.h"

namespace etscope
{
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::Method;
using executorch::runtime::Result;

/* The errors over all outputs of a method. Pairs that are not finite are left out. */
struct ErrorStats {
    Error status;
    double mean_abs_error, max_abs_error;
    double mean_relative_error,
        max_relative_error; /* relative to max(|expected|, |actual|, 1e-8) */
};

namespace inner
{
/* A test case and the views that it points to. */
struct Case {
    struct ets_bundle bundle;
    struct ets_bundle_suite suite;
    struct ets_bundle_case test_case;
};

inline Error find_case(struct ets_bytes bytes, const char *method, size_t index, Case *out)
{
    if (ets_bundle_init(&out->bundle, bytes, nullptr) != ETS_OK ||
        ets_bundle_find_suite(&out->bundle, method, &out->suite, nullptr) != ETS_OK ||
        index >= out->suite.case_count) {
        return Error::InvalidArgument;
    }
    ets_bundle_case(&out->suite, static_cast<uint32_t>(index), &out->test_case);
    return Error::Ok;
}

/* Sets a tensor as input. Tensors of a bundle are dense in some order of dimensions. */
inline Error set_tensor(Method &method, size_t index, const struct ets_tensor &tensor)
{
    int32_t sizes[ETS_TENSOR_MAX_RANK], strides[ETS_TENSOR_MAX_RANK];
    uint8_t order[ETS_TENSOR_MAX_RANK];
    for (uint32_t i = 0; i < tensor.rank; i++) {
        if (tensor.sizes[i] > INT32_MAX || tensor.strides[i] > INT32_MAX)
            return Error::NotSupported;
        sizes[i] = static_cast<int32_t>(tensor.sizes[i]);
        strides[i] = static_cast<int32_t>(tensor.strides[i]);
        uint32_t at = i; /* sort by stride, largest first: outer dimensions come first */
        for (; at > 0 && strides[order[at - 1]] < strides[i]; at--) order[at] = order[at - 1];
        order[at] = static_cast<uint8_t>(i);
    }
    executorch::aten::TensorImpl impl(static_cast<executorch::aten::ScalarType>(tensor.scalar_type),
                                      static_cast<ssize_t>(tensor.rank), sizes,
                                      const_cast<void *>(tensor.data), order, strides);
    return method.set_input(EValue(executorch::aten::Tensor(&impl)), index);
}

inline Error set_value(Method &method, size_t index, const struct ets_value &value)
{
    switch (value.kind) {
    case ETS_VALUE_TENSOR: return set_tensor(method, index, value.as.tensor);
    case ETS_VALUE_INT: return method.set_input(EValue(value.as.int_value), index);
    case ETS_VALUE_BOOL: return method.set_input(EValue(value.as.bool_value != 0), index);
    case ETS_VALUE_DOUBLE: return method.set_input(EValue(value.as.double_value), index);
    case ETS_VALUE_NONE: return method.set_input(EValue(), index);
    default: return Error::NotSupported;
    }
}

inline struct ets_value value_of(const EValue &held)
{
    struct ets_value value = {};
    value.kind = ETS_VALUE_OTHER;
    if (held.isNone()) value.kind = ETS_VALUE_NONE;
    if (held.isInt()) value.kind = ETS_VALUE_INT, value.as.int_value = held.toInt();
    if (held.isBool()) value.kind = ETS_VALUE_BOOL, value.as.bool_value = held.toBool() ? 1 : 0;
    if (held.isDouble()) value.kind = ETS_VALUE_DOUBLE, value.as.double_value = held.toDouble();
    if (!held.isTensor()) return value;
    const executorch::aten::Tensor tensor = held.toTensor();
    if (tensor.dim() > ETS_TENSOR_MAX_RANK) return value;
    struct ets_tensor &view = value.as.tensor;
    value.kind = ETS_VALUE_TENSOR;
    view.scalar_type = static_cast<enum ets_scalar_type>(tensor.scalar_type());
    view.rank = static_cast<uint32_t>(tensor.dim());
    for (uint32_t i = 0; i < view.rank; i++) {
        view.sizes[i] = tensor.sizes()[i];
        view.strides[i] = tensor.strides()[i];
    }
    view.data = tensor.const_data_ptr();
    view.data_bytes = view.data == nullptr ? 0 : tensor.nbytes();
    return value;
}

/* Compares all outputs. Ok also if they differ. */
inline Error compare(Method &method, struct ets_bytes bytes, size_t index, double rtol, double atol,
                     std::vector<struct ets_output_verdict> *verdicts_out,
                     struct ets_case_verdict *verdict_out)
{
    Case found;
    const char *name = method.method_meta().name();
    const Error error = find_case(bytes, name, index, &found);
    if (error != Error::Ok) return error;
    std::vector<struct ets_value> values;
    for (size_t i = 0; i < method.outputs_size(); i++) {
        values.push_back(value_of(method.get_output(i)));
    }
    std::vector<struct ets_tolerance_rule> rules; /* values of other types must be equal */
    for (int type : {ETS_SCALAR_HALF, ETS_SCALAR_FLOAT, ETS_SCALAR_DOUBLE, ETS_SCALAR_BFLOAT16}) {
        rules.push_back({nullptr, -1, -1, type, rtol, atol, 0});
    }
    verdicts_out->resize(values.size() + found.test_case.expected_count);
    switch (ets_verify_case(&found.suite, &found.test_case, values.data(),
                            static_cast<uint32_t>(values.size()), rules.data(), rules.size(),
                            verdicts_out->data(), static_cast<uint32_t>(verdicts_out->size()),
                            verdict_out, nullptr)) {
    case ETS_OK: verdicts_out->resize(verdict_out->output_count); return Error::Ok;
    case ETS_NOT_FOUND: return Error::NotSupported; /* the case has no expected outputs */
    default: return Error::InvalidArgument;
    }
}

/* The bytes of a module. The first base class, so that they outlive the module. */
struct BundleBytes {
    std::unique_ptr<uint8_t[]> owned;
    struct ets_bytes bytes;
};

/* Loads the program in the bundle. For invalid bytes the loader is empty, and load() fails. */
inline std::unique_ptr<executorch::runtime::DataLoader> program_loader(struct ets_bytes bytes)
{
    struct ets_bundle bundle;
    struct ets_bytes program = {nullptr, 0};
    if (ets_bundle_init(&bundle, bytes, nullptr) == ETS_OK) program = bundle.program;
    return std::make_unique<executorch::extension::BufferDataLoader>(program.data, program.size);
}
}  // namespace inner

/*
 * Sets the inputs of a test case. The bundle must stay valid if the method's inputs are not
 * memory-planned. Errors: InvalidArgument (not a bundle, or no such method or case), and those of
 * set_input.
 */
inline Error load_bundled_input(Method &method, struct ets_bytes bundle, size_t test_case)
{
    inner::Case found;
    const Error error = inner::find_case(bundle, method.method_meta().name(), test_case, &found);
    if (error != Error::Ok) return error;
    if (found.test_case.input_count != method.inputs_size()) return Error::InvalidArgument;
    for (uint32_t i = 0; i < found.test_case.input_count; i++) {
        struct ets_value value;
        ets_bundle_input(&found.test_case, i, &value);
        const Error refused = inner::set_value(method, i, value);
        if (refused != Error::Ok) return refused;
    }
    return Error::Ok;
}

/*
 * Checks the method's outputs against those of the case: floating-point numbers within atol + rtol
 * * |expected|, others for equality. Ok: they agree. NotFound: they differ. NotSupported: the case
 * has no expected outputs. InvalidArgument: as above.
 */
inline Error verify_method_outputs(Method &method, struct ets_bytes bundle, size_t test_case,
                                   double rtol = 1e-5, double atol = 1e-8)
{
    std::vector<struct ets_output_verdict> verdicts;
    struct ets_case_verdict verdict;
    const Error error = inner::compare(method, bundle, test_case, rtol, atol, &verdicts, &verdict);
    if (error != Error::Ok) return error;
    return verdict.failed_count == 0 ? Error::Ok : Error::NotFound;
}

/* Measures the outputs' errors. InvalidArgument also if an output cannot be compared. */
inline ErrorStats compute_method_output_error_stats(Method &method, struct ets_bytes bundle,
                                                    size_t test_case)
{
    std::vector<struct ets_output_verdict> verdicts;
    struct ets_case_verdict verdict;
    ErrorStats stats = {inner::compare(method, bundle, test_case, 0, 0, &verdicts, &verdict), 0, 0,
                        0, 0};
    uint64_t count = 0;
    if (stats.status != Error::Ok) return stats;
    for (const struct ets_output_verdict &output : verdicts) {
        if (!output.has_statistics) return {Error::InvalidArgument, 0, 0, 0, 0};
        const struct ets_comparison &found = output.comparison;
        count += found.finite_count;
        stats.mean_abs_error += found.error_absolute_sum;
        stats.mean_relative_error += found.relative_error_sum;
        if (found.max_error > stats.max_abs_error) stats.max_abs_error = found.max_error;
        if (found.max_relative_error > stats.max_relative_error) {
            stats.max_relative_error = found.max_relative_error;
        }
    }
    if (count == 0) return stats;
    stats.mean_abs_error /= static_cast<double>(count);
    stats.mean_relative_error /= static_cast<double>(count);
    return stats;
}

/* A module whose methods run on the inputs of a bundle and are checked against its outputs. */
class BundledModule : private inner::BundleBytes, public executorch::extension::Module
{
  public:
    using Module = executorch::extension::Module;
    using Tracer = std::unique_ptr<executorch::runtime::EventTracer>;
    using Allocator = std::unique_ptr<executorch::runtime::MemoryAllocator>;
    using Loader = std::unique_ptr<executorch::runtime::DataLoader>;

    /* Borrows the bytes. The rest as Module's. */
    explicit BundledModule(struct ets_bytes bundle, Allocator memory_allocator = nullptr,
                           Allocator temp_allocator = nullptr, Tracer event_tracer = nullptr,
                           Loader data_map_loader = nullptr)
        : BundleBytes{nullptr, bundle},
          Module(inner::program_loader(bundle), std::move(memory_allocator),
                 std::move(temp_allocator), std::move(event_tracer), std::move(data_map_loader))
    {
    }

    /* Reads the file; the module owns its bytes. AccessFailed: it cannot be read. */
    static Result<std::unique_ptr<BundledModule>> from_file(const std::string &path,
                                                            Allocator memory_allocator = nullptr,
                                                            Allocator temp_allocator = nullptr,
                                                            Tracer event_tracer = nullptr,
                                                            Loader data_map_loader = nullptr)
    {
        size_t size = 0;
        std::unique_ptr<uint8_t[]> bytes = read(path, &size);
        if (bytes == nullptr) return Error::AccessFailed;
        auto module = std::make_unique<BundledModule>(
            ets_bytes{bytes.get(), size}, std::move(memory_allocator), std::move(temp_allocator),
            std::move(event_tracer), std::move(data_map_loader));
        module->owned = std::move(bytes);
        return module;
    }

    using Module::execute;

    /* Loads the method if necessary, and runs it on the inputs of the case. */
    Result<std::vector<EValue>> execute(const std::string &method_name, size_t test_case)
    {
        Method *method = nullptr;
        Error error = find(method_name, &method);
        if (error == Error::Ok) error = load_bundled_input(*method, bytes, test_case);
        if (error == Error::Ok) error = method->execute();
        if (error != Error::Ok) return error;
        std::vector<EValue> outputs(method->outputs_size());
        error = method->get_outputs(outputs.data(), outputs.size());
        if (error != Error::Ok) return error;
        return outputs;
    }

    /* Checks the outputs of the last run, see verify_method_outputs. */
    Error verify_method_outputs(const std::string &method_name, size_t test_case,
                                double rtol = 1e-5, double atol = 1e-8)
    {
        Method *method = nullptr;
        const Error error = find(method_name, &method);
        if (error != Error::Ok) return error;
        return etscope::verify_method_outputs(*method, bytes, test_case, rtol, atol);
    }

  private:
    Error find(const std::string &name, Method **method_out)
    {
        struct ets_bundle bundle;
        if (ets_bundle_init(&bundle, bytes, nullptr) != ETS_OK) return Error::InvalidArgument;
        const Error error = load_method(name);
        if (error == Error::Ok) *method_out = methods_.at(name).method.get();
        return error;
    }

    static std::unique_ptr<uint8_t[]> read(const std::string &path, size_t *size_out)
    {
        FILE *file = fopen(path.c_str(), "rb");
        if (file == nullptr) return nullptr;
        std::unique_ptr<uint8_t[]> data;
        const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
        if (size >= 0 && fseek(file, 0, SEEK_SET) == 0) {
            *size_out = static_cast<size_t>(size);
            data = std::make_unique<uint8_t[]>(*size_out);
            if (fread(data.get(), 1, *size_out, file) != *size_out) data.reset();
        }
        fclose(file);
        return data;
    }
};

}  // namespace etscope

#endif
