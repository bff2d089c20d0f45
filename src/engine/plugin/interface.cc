/* The only symbol that the plug-in exports, and functions that need no program. */
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include "engine/plugin/engine_program.h"
#include "engine/plugin/kernel_call.h"
#include "engine/plugin/library.h"
#include "engine/plugin/llama_kernels.h"
#include "engine/plugin/runtime.h"
#include "engine/plugin/threads.h"

namespace ets
{
namespace
{
size_t backend_count()
{
    return et::get_num_registered_backends();
}

const char *backend_name(size_t index)
{
    if (index >= backend_count()) return nullptr;
    const auto name = et::get_backend_name(index);
    return name.ok() ? name.get() : nullptr;
}

int backend_is_available(size_t index)
{
    const char *name = backend_name(index);
    const et::BackendInterface *backend = name == nullptr ? nullptr : et::get_backend_class(name);
    return backend != nullptr && backend->is_available() ? 1 : 0;
}

size_t kernel_count()
{
    return et::get_registered_kernels().size();
}

const char *kernel_name(size_t index)
{
    const auto kernels = et::get_registered_kernels();
    return index < kernels.size() ? kernels[index].name_ : nullptr;
}

/*
 * A program without methods. Loading a method fails, but only after the runtime opened an event
 * block, so a runtime with tracing leaves a block. This is a FlatBuffer written by hand: a Program
 * with an empty execution_plan and the constant_segment for "no constants".
 */
alignas(16) const uint8_t empty_program[72] = {
    24, 0, 0,  0, 'E', 'T', '1', '2',                         /* root table at 24, identifier */
    16, 0, 12, 0, 0,   0,   4,   0,   0, 0, 0, 0, 0, 0, 8, 0, /* at 8: vtable, slots 1 and 5 */
    16, 0, 0,  0,                                             /* at 24: Program, vtable at 8 */
    36, 0, 0,  0,                                             /* execution_plan, at 64 */
    12, 0, 0,  0,                                             /* constant_segment, at 44 */
    8,  0, 8,  0, 0,   0,   4,   0,                           /* at 36: vtable, slot 1 */
    8,  0, 0,  0,                                             /* at 44: SubsegmentOffsets */
    4,  0, 0,  0,                                             /* offsets, at 52 */
    1,  0, 0,  0, 0,   0,   0,   0,   0, 0, 0, 0, /* at 52: one offset, the placeholder */
    0,  0, 0,  0,                                 /* at 64: no plans */
};

bool runtime_traces()
{
    const std::unique_ptr<tracer> probe =
        make_tracer(ETS_TRACER_ETSCOPE, ETS_CAPTURE_NONE, {nullptr, 0});
    guarded(nullptr, nullptr, [&] {
        executorch::extension::BufferDataLoader loader(empty_program, sizeof empty_program);
        const auto program = et::Program::load(&loader);
        if (!program.ok()) return ETS_RUNTIME;
        et::MemoryAllocator nothing(0, nullptr);
        et::MemoryManager memory(&nothing);
        (void)program->load_method("none", &memory, probe->event_tracer()).error();
        return ETS_OK;
    });
    struct ets_engine_trace_statistics found;
    probe->statistics(&found);
    return found.block_count > 0;
}

struct ets_engine make_interface()
{
    start_runtime();
    (void)thread_count(); /* starts the pool, and with it the CPU detection, which prints notes */
    for (size_t i = 0; i < backend_count(); i++) (void)backend_is_available(i);
    const et_tick_ratio_t ratio = et::pal_ticks_to_ns_multiplier();
    struct ets_engine engine = {};
    engine.interface_version = ETS_ENGINE_INTERFACE_VERSION;
    engine.struct_bytes = sizeof engine;
    engine.runtime_version = ETS_ENGINE_RUNTIME_VERSION;
    engine.tracing_compiled_in = runtime_traces() ? 1 : 0;
    engine.tick_numerator = ratio.numerator;
    engine.tick_denominator = ratio.denominator;
    engine.backend_count = backend_count;
    engine.backend_name = backend_name;
    engine.backend_is_available = backend_is_available;
    engine.kernel_count = kernel_count;
    engine.kernel_name = kernel_name;
    engine.kernels_on_demand = kernels_on_demand;
    engine.kernel_exists = kernel_exists;
    engine.kernel_call = kernel_call;
    engine.thread_count = thread_count;
    engine.set_thread_count = set_thread_count;
    engine.load_library = load_library;
    engine.program_open = program_open;
    engine.program_close = program_close;
    engine.method_count = method_count;
    engine.method_name = method_name;
    engine.method_info = method_info;
    engine.input_info = input_info;
    engine.output_info = output_info;
    engine.method_backend = method_backend;
    engine.method_open = method_open;
    engine.method_close = method_close;
    engine.method_set_input = method_set_input;
    engine.method_execute = method_execute;
    engine.method_get_output = method_get_output;
    engine.method_get_attribute = method_get_attribute;
    engine.trace_finish = trace_finish;
    engine.trace_enable = trace_enable;
    engine.trace_set_case = trace_set_case;
    engine.trace_statistics = trace_statistics;
    engine.current_place = current_place;
    return engine;
}
}  // namespace
}  // namespace ets

extern "C" ETS_API const struct ets_engine *ets_engine_interface(void)
{
    static const struct ets_engine engine = ets::make_interface();
    return &engine;
}
