// Traces a program through the Module class, including the outputs of operators:
// trace_module MODEL.pte TRACE.etdp DEBUG.bin
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>

#include <etscope/executorch.hpp>

using executorch::extension::Module;
using executorch::extension::TensorPtr;
using executorch::runtime::EValue;

namespace
{
bool save(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    const bool is_written = file != nullptr && fwrite(data, 1, size, file) == size;
    const bool is_closed = file != nullptr && fclose(file) == 0;
    if (!is_written || !is_closed) perror(path);
    return is_written && is_closed;
}

// Ones for every tensor that the method takes.
bool make_inputs(Module &module, std::vector<TensorPtr> &tensors, std::vector<EValue> &inputs)
{
    const auto meta = module.method_meta("forward");
    if (!meta.ok()) return false;
    for (size_t i = 0; i < meta->num_inputs(); i++) {
        const auto info = meta->input_tensor_meta(i);
        if (!info.ok()) return false;
        tensors.push_back(executorch::extension::ones({info->sizes().begin(), info->sizes().end()},
                                                      info->scalar_type()));
        inputs.emplace_back(*tensors.back());
    }
    return true;
}
}  // namespace

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: %s MODEL.pte TRACE.etdp DEBUG.bin\n", argv[0]);
        return 2;
    }
    std::vector<uint8_t> debug(1 << 20);
    auto owned = std::make_unique<etscope::ETDumpTracer>();
    etscope::ETDumpTracer &tracer = *owned;  // Module owns it, and has no need to know its type
    tracer.set_method("forward");
    tracer.set_event_tracer_debug_level(
        executorch::runtime::EventTracerDebugLogLevel::kIntermediateOutputs);
    if (!tracer.set_debug_buffer({debug.data(), debug.size()}).ok()) return 1;

    Module module(argv[1], Module::LoadMode::File, std::move(owned));
    std::vector<TensorPtr> tensors;
    std::vector<EValue> inputs;
    if (!make_inputs(module, tensors, inputs) || !module.forward(inputs).ok()) return 1;

    const etscope::ETDumpResult dump = tracer.get_etdump_data();
    if (dump.buf == nullptr) {
        fprintf(stderr, "no trace: %s\n", tracer.why_empty());
        return 1;
    }
    const bool is_saved = save(argv[2], dump.buf, dump.size) &&
                          save(argv[3], debug.data(), tracer.state().debug_bytes);
    free(dump.buf);
    return is_saved ? 0 : 1;
}
