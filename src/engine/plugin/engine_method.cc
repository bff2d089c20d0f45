/* A loaded method: sets inputs, executes, returns outputs. */
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/executor/method.h>

#include <atomic>
#include <optional>

#include "engine/plugin/engine_program.h"
#include "engine/plugin/llama_kernels.h"
#include "engine/plugin/threads.h"
#include "engine/plugin/values.h"

namespace ets
{
namespace
{
/* An input from the caller in the method's layout, kept for the next runs. */
struct input {
    struct ets_engine_value_info expected = {};
    bool is_set = false;
    et::EValue value;
    aligned_block bytes;
    executorch::aten::SizesType sizes[ETS_TENSOR_MAX_RANK] = {};
    executorch::aten::DimOrderType order[ETS_TENSOR_MAX_RANK] = {};
    executorch::aten::StridesType strides[ETS_TENSOR_MAX_RANK] = {};
    std::optional<executorch::aten::TensorImpl> tensor;
};
}  // namespace
}  // namespace ets

struct ets_engine_method {
    explicit ets_engine_method(struct ets_engine_program *owner) : program(owner)
    {
        ets::note_method_opened();
    }
    ~ets_engine_method()
    {
        if (counted != nullptr) counted->end();
        method.reset();
        if (counted != nullptr) counted->release();
        ets::note_method_closed();
    }
    ets_engine_method(const ets_engine_method &) = delete;
    ets_engine_method &operator=(const ets_engine_method &) = delete;

    struct ets_engine_program *program;
    const char *name = nullptr; /* borrowed from the program */
    uint32_t run_count = 0;
    executorch::extension::MallocMemoryAllocator method_memory;
    executorch::extension::MallocMemoryAllocator temporary_memory;
    std::vector<ets::aligned_block> planned; /* buffers that do not belong to the program */
    std::vector<executorch::runtime::Span<uint8_t>> planned_spans;
    ets::method_memory *counted = nullptr; /* the program's; NULL: memory is not counted */
    std::optional<executorch::runtime::HierarchicalAllocator> planned_memory;
    std::optional<executorch::runtime::MemoryManager> memory;
    std::vector<ets::input> inputs;
    std::vector<ets::aligned_block> outputs;
    std::vector<executorch::runtime::Kernel> kernels; /* to be taken instead of the registry's */
    std::unique_ptr<executorch::runtime::Method> method;
};

namespace ets
{
namespace
{
/* What current_place tells: a signal handler reads it. */
struct place {
    struct ets_engine_program *program;
    const char *method;
    bool is_loading;
};
std::atomic<const place *> current{nullptr};

class place_scope
{
  public:
    place_scope(struct ets_engine_program *program, const char *method, bool is_loading)
        : here_{program, method, is_loading}, before_(current.exchange(&here_))
    {
    }
    ~place_scope()
    {
        current = before_;
    }
    place_scope(const place_scope &) = delete;
    place_scope &operator=(const place_scope &) = delete;

  private:
    const place here_;
    const place *before_;
};

enum ets_status plan_memory(struct ets_engine_method *method, const et::MethodMeta &meta,
                            struct ets_error *error)
{
    for (size_t i = 0; i < meta.num_memory_planned_buffers(); i++) {
        const auto size = meta.memory_planned_buffer_size(i);
        if (!size.ok() || size.get() < 0) {
            return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                            "method %s: planned buffer %zu has an invalid size", meta.name(), i);
        }
        const auto device = meta.memory_planned_buffer_device(i);
        if (device.ok() && !device->is_cpu()) {
            return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                            "method %s: planned buffer %zu is in the memory of a device",
                            meta.name(), i);
        }
        et::Span<uint8_t> span = method->program->shared.get(meta, i);
        if (span.empty() && method->counted != nullptr) {
            span = method->counted->plan(i, static_cast<size_t>(size.get()));
        } else if (!span.empty() && method->counted != nullptr) {
            method->counted->plan_shared(i, span.size());
        } else if (span.empty()) {
            method->planned.emplace_back(static_cast<size_t>(size.get()));
            span = {method->planned.back().data(), method->planned.back().size()};
        }
        method->planned_spans.push_back(span);
    }
    method->planned_memory.emplace(
        et::Span<et::Span<uint8_t>>(method->planned_spans.data(), method->planned_spans.size()));
    et::MemoryAllocator *method_allocator = &method->method_memory;
    et::MemoryAllocator *temporary_allocator = &method->temporary_memory;
    if (method->counted != nullptr) {
        method_allocator = method->counted->method_allocator();
        temporary_allocator = method->counted->temporary_allocator();
    }
    method->memory.emplace(method_allocator, &method->planned_memory.value(), temporary_allocator);
    return ETS_OK;
}

enum ets_status prepare_inputs(struct ets_engine_method *method, const et::MethodMeta &meta,
                               struct ets_error *error)
{
    method->inputs = std::vector<input>(meta.num_inputs());
    for (size_t i = 0; i < method->inputs.size(); i++) {
        input &each = method->inputs[i];
        ETS_TRY(describe_value(meta, true, i, &each.expected, error));
        if (each.expected.kind != ETS_VALUE_TENSOR) continue;
        each.bytes = aligned_block(each.expected.tensor.data_bytes);
        if (method->counted != nullptr && !each.expected.is_memory_planned) {
            method->counted->add_input(each.expected.tensor.data_bytes);
        }
        const auto info = meta.input_tensor_meta(i);
        for (size_t d = 0; info.ok() && d < info->dim_order().size(); d++) {
            each.order[d] = info->dim_order()[d];
        }
    }
    return ETS_OK;
}

/* Outputs outside the planned memory need our own buffer. */
enum ets_status prepare_outputs(struct ets_engine_method *method, const et::MethodMeta &meta,
                                struct ets_error *error)
{
    for (size_t i = 0; i < meta.num_outputs(); i++) {
        struct ets_engine_value_info info;
        ETS_TRY(describe_value(meta, false, i, &info, error));
        if (info.kind != ETS_VALUE_TENSOR || info.is_memory_planned) continue;
        const et::EValue &held = method->method->get_output(i);
        /* A returned constant, or an input passed through, already has memory. */
        if (!held.isTensor() || held.toTensor().const_data_ptr() != nullptr) continue;
        method->outputs.emplace_back(info.tensor.data_bytes);
        if (method->counted != nullptr) method->counted->add_output(info.tensor.data_bytes);
        const aligned_block &block = method->outputs.back();
        const et::Error code = method->method->set_output_data_ptr(block.data(), block.size(), i);
        if (code != et::Error::Ok) {
            return fail_runtime(error, ETS_RUNTIME, code, "cannot place output %zu of %s", i,
                                method->name);
        }
    }
    return ETS_OK;
}

enum ets_status open_checked(struct ets_engine_program *program, const char *name,
                             std::unique_ptr<struct ets_engine_method> *out,
                             struct ets_error *error)
{
    ETS_TRY(check_method_exists(program, name, error));
    const auto meta = program->program->method_meta(name);
    if (!meta.ok()) {
        return fail_runtime(error, ETS_RUNTIME, meta.error(), "cannot read method %s", name);
    }
    auto method = std::make_unique<ets_engine_method>(program);
    method->name = meta->name();
    if (program->memory != nullptr) {
        method->counted = program->memory->add(
            std::make_unique<method_memory>(meta.get(), program->tracer.get()));
    }
    ETS_TRY(plan_memory(method.get(), meta.get(), error));
    if (program->tracer != nullptr) program->tracer->set_method(method->name, 0);
    method->kernels = kernels_with_llama(program->llama);
    keep_log();
    if (method->counted != nullptr) method->counted->before_load();
    auto loaded = program->program->load_method(
        name, &method->memory.value(),
        program->tracer == nullptr ? nullptr : program->tracer->event_tracer(), program->data_map,
        nullptr, {method->kernels.data(), method->kernels.size()});
    if (!loaded.ok()) {
        const bool lacks_data = program->data_map == nullptr && log_mentions("data_map is null");
        return fail_runtime(error, ETS_RUNTIME, loaded.error(), "cannot load method %s%s", name,
                            lacks_data ? " without its data file (.ptd)" : "");
    }
    if (method->counted != nullptr) method->counted->after_load();
    method->method = std::make_unique<et::Method>(std::move(loaded.get()));
    ETS_TRY(prepare_inputs(method.get(), meta.get(), error));
    ETS_TRY(prepare_outputs(method.get(), meta.get(), error));
    *out = std::move(method);
    return ETS_OK;
}

/* Why nothing can run in `program` anymore. */
enum ets_status check_usable(const struct ets_engine_program *program, struct ets_error *error)
{
    if (program->is_broken) {
        return ets_fail(error, ETS_RUNTIME, ETS_NO_OFFSET,
                        "the runtime aborted in this program before; open it again");
    }
    if (program->is_finished) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "the trace is finished; open the program again to run it");
    }
    return ETS_OK;
}

/* Whether a dynamic tensor takes smaller shapes is known once the method is loaded. */
bool is_dynamic(const struct ets_engine_method *method, size_t index)
{
    const et::EValue &held = method->method->get_input(index);
    return held.isTensor() && held.toTensor().shape_dynamism() != et::TensorShapeDynamism::STATIC;
}

enum ets_status check_tensor(const struct ets_engine_method *method, size_t index,
                             const struct ets_tensor &given, struct ets_error *error)
{
    const struct ets_tensor &expected = method->inputs[index].expected.tensor;
    const bool dynamic = is_dynamic(method, index);
    bool fits = given.scalar_type == expected.scalar_type && given.rank == expected.rank;
    for (uint32_t i = 0; fits && i < given.rank; i++) {
        fits = dynamic ? given.sizes[i] >= 0 && given.sizes[i] <= expected.sizes[i]
                       : given.sizes[i] == expected.sizes[i];
    }
    if (!fits) {
        return ets_fail(
            error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET, "input %zu: expected %s%s, got %s", index,
            describe(expected).text, dynamic ? " or less" : "",
            given.rank > ETS_TENSOR_MAX_RANK ? "too many dimensions" : describe(given).text);
    }
    if (!has_all_bytes(given)) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "input %zu: %s needs more than the given %zu bytes", index,
                        describe(given).text, given.data_bytes);
    }
    return ETS_OK;
}

/* Copies a checked tensor into the layout of the method's dim order. */
void keep_tensor(input *kept, const struct ets_tensor &given)
{
    struct ets_tensor target = given;
    ets_tensor_set_dim_order(&target, kept->order);
    copy_elements(given, target.strides, kept->bytes.data());
    for (uint32_t i = 0; i < given.rank; i++) {
        kept->sizes[i] = static_cast<executorch::aten::SizesType>(given.sizes[i]);
        kept->strides[i] = static_cast<executorch::aten::StridesType>(target.strides[i]);
    }
    kept->tensor.emplace(static_cast<executorch::aten::ScalarType>(given.scalar_type),
                         static_cast<ssize_t>(given.rank), kept->sizes, kept->bytes.data(),
                         kept->order, kept->strides);
    kept->value = et::EValue(executorch::aten::Tensor(&kept->tensor.value()));
}

enum ets_status keep_value(struct ets_engine_method *method, size_t index,
                           const struct ets_value &value, struct ets_error *error)
{
    input &kept = method->inputs[index];
    if (kept.expected.kind == ETS_VALUE_OTHER) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "input %zu is a list or a string, which cannot be set", index);
    }
    if (value.kind != kept.expected.kind) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "input %zu: expected %s, got %s", index,
                        kept.expected.kind == ETS_VALUE_TENSOR ? describe(kept.expected.tensor).text
                                                               : kind_name(kept.expected.kind),
                        value.kind == ETS_VALUE_TENSOR ? describe(value.as.tensor).text
                                                       : kind_name(value.kind));
    }
    switch (value.kind) {
    case ETS_VALUE_TENSOR:
        ETS_TRY(check_tensor(method, index, value.as.tensor, error));
        keep_tensor(&kept, value.as.tensor);
        break;
    case ETS_VALUE_INT: kept.value = et::EValue(value.as.int_value); break;
    case ETS_VALUE_BOOL: kept.value = et::EValue(value.as.bool_value != 0); break;
    case ETS_VALUE_DOUBLE: kept.value = et::EValue(value.as.double_value); break;
    default: kept.value = et::EValue(); break;
    }
    return ETS_OK;
}

/* A run may reuse its inputs' memory, so they are set again for each run. */
enum ets_status hand_over(struct ets_engine_method *method, size_t index, struct ets_error *error)
{
    const et::Error code = method->method->set_input(method->inputs[index].value, index);
    if (code == et::Error::Ok) return ETS_OK;
    return fail_runtime(error,
                        code == et::Error::InvalidArgument ? ETS_INVALID_ARGUMENT : ETS_RUNTIME,
                        code, "input %zu of %s", index, method->name);
}
}  // namespace

enum ets_status method_open(struct ets_engine_program *program, const char *name,
                            struct ets_engine_method **method_out, struct ets_error *error)
{
    std::unique_ptr<struct ets_engine_method> method;
    ETS_TRY(check_usable(program, error));
    const place_scope scope(program, name, true);
    ETS_TRY(guarded(error, &program->is_broken,
                    [&] { return open_checked(program, name, &method, error); }));
    *method_out = method.release();
    return ETS_OK;
}

void method_close(struct ets_engine_method *method)
{
    if (method == nullptr) return;
    guarded(nullptr, &method->program->is_broken, [&] {
        delete method;
        return ETS_OK;
    });
}

enum ets_status method_set_input(struct ets_engine_method *method, size_t index,
                                 const struct ets_value *value, struct ets_error *error)
{
    ETS_TRY(check_usable(method->program, error));
    if (index >= method->inputs.size()) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "method %s has no input %zu: it has %zu", method->name, index,
                        method->inputs.size());
    }
    return guarded(error, &method->program->is_broken, [&] {
        method->inputs[index].is_set = false;
        ETS_TRY(keep_value(method, index, *value, error));
        ETS_TRY(hand_over(method, index, error));
        method->inputs[index].is_set = true;
        return ETS_OK;
    });
}

enum ets_status method_execute(struct ets_engine_method *method, struct ets_error *error)
{
    ETS_TRY(check_usable(method->program, error));
    const place_scope scope(method->program, method->name, false);
    return guarded(error, &method->program->is_broken, [&] {
        for (size_t i = 0; i < method->inputs.size(); i++) {
            if (!method->inputs[i].is_set) {
                return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                                "input %zu of %s is not set", i, method->name);
            }
            ETS_TRY(hand_over(method, i, error));
        }
        if (method->program->tracer != nullptr) {
            method->program->tracer->set_method(method->name, method->run_count++);
        }
        if (method->counted != nullptr) method->counted->before_run();
        const et::Error code = method->method->execute();
        if (method->counted != nullptr) method->counted->after_run();
        if (code == et::Error::Ok) return ETS_OK;
        return fail_runtime(error, ETS_RUNTIME, code, "cannot run %s", method->name);
    });
}

void current_place(struct ets_engine_place *place_out)
{
    const place *here = current;
    *place_out = {nullptr, 0, -1, -1};
    if (here == nullptr) return;
    place_out->method = here->method;
    place_out->is_loading = here->is_loading ? 1 : 0;
    if (here->is_loading || here->program->tracer == nullptr) return;
    et::EventTracer *tracer = here->program->tracer->event_tracer();
    if (tracer->current_chain_id() == executorch::runtime::kUnsetChainId) return;
    place_out->chain = tracer->current_chain_id();
    place_out->instruction = tracer->current_debug_handle();
}

enum ets_status method_get_output(struct ets_engine_method *method, size_t index,
                                  struct ets_value *value_out, struct ets_error *error)
{
    if (method->program->is_broken) return check_usable(method->program, error);
    const size_t count = method->method->outputs_size();
    if (index >= count) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "method %s has no output %zu: it has %zu", method->name, index, count);
    }
    return guarded(error, &method->program->is_broken,
                   [&] { return read_value(method->method->get_output(index), value_out, error); });
}

enum ets_status method_get_attribute(struct ets_engine_method *method, const char *name,
                                     struct ets_value *value_out, struct ets_error *error)
{
    if (method->program->is_broken) return check_usable(method->program, error);
    return guarded(error, &method->program->is_broken, [&] {
        const auto tensor = method->method->get_attribute(name);
        if (tensor.ok()) return read_value(et::EValue(tensor.get()), value_out, error);
        return fail_runtime(error,
                            tensor.error() == et::Error::NotFound ? ETS_NOT_FOUND : ETS_RUNTIME,
                            tensor.error(), "method %s has no tensor named %s", method->name, name);
    });
}

}  // namespace ets
