// Traces a program through ExecuTorch's low-level API: trace_load_method MODEL.pte TRACE.etdp
//
// The lines that tracing needs are marked; the rest is part of any application.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

#include <etscope/executorch.hpp>  // tracing

using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::HierarchicalAllocator;
using executorch::runtime::MemoryManager;
using executorch::runtime::Method;
using executorch::runtime::Program;
using executorch::runtime::Result;
using executorch::runtime::Span;

namespace
{
// Gives every input ones, in the largest shape that the method takes.
Error fill_inputs(Method &method, std::vector<executorch::extension::TensorPtr> &inputs)
{
    for (size_t i = 0; i < method.inputs_size(); i++) {
        const auto meta = method.method_meta().input_tensor_meta(i);
        if (!meta.ok()) continue;  // a number: it stays what it was exported with
        inputs.push_back(executorch::extension::ones({meta->sizes().begin(), meta->sizes().end()},
                                                     meta->scalar_type()));
        const Error error = method.set_input(EValue(*inputs.back()), i);
        if (error != Error::Ok) return error;
    }
    return Error::Ok;
}

// tracing: writes the dump to a file
bool save(etscope::ETDumpTracer &tracer, const char *path)
{
    const etscope::ETDumpResult dump = tracer.get_etdump_data();
    if (dump.buf == nullptr) {
        fprintf(stderr, "no trace: %s\n", tracer.why_empty());
        return false;
    }
    FILE *file = fopen(path, "wb");
    const bool is_written = file != nullptr && fwrite(dump.buf, 1, dump.size, file) == dump.size;
    const bool is_closed = file != nullptr && fclose(file) == 0;
    free(dump.buf);
    if (!is_written || !is_closed) perror(path);
    return is_written && is_closed;
}

Error run(const Program &program, const char *name, etscope::ETDumpTracer &tracer)
{
    const auto meta = program.method_meta(name);
    if (!meta.ok()) return meta.error();
    std::vector<std::vector<uint8_t>> planned;
    std::vector<Span<uint8_t>> spans;
    for (size_t i = 0; i < meta->num_memory_planned_buffers(); i++) {
        planned.emplace_back(static_cast<size_t>(meta->memory_planned_buffer_size(i).get()));
        spans.emplace_back(planned.back().data(), planned.back().size());
    }
    executorch::extension::MallocMemoryAllocator method_memory, temporary_memory;
    HierarchicalAllocator planned_memory({spans.data(), spans.size()});
    MemoryManager memory(&method_memory, &planned_memory, &temporary_memory);
    Result<Method> method = program.load_method(name, &memory, &tracer);  // tracing
    if (!method.ok()) return method.error();
    std::vector<executorch::extension::TensorPtr> inputs;
    Error error = fill_inputs(method.get(), inputs);
    for (int i = 0; i < 3 && error == Error::Ok; i++) error = method->execute();
    return error;
}
}  // namespace

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s MODEL.pte TRACE.etdp\n", argv[0]);
        return 2;
    }
    executorch::runtime::runtime_init();
    auto loader = executorch::extension::FileDataLoader::from(argv[1]);
    if (!loader.ok()) return 1;
    const Result<Program> program = Program::load(&loader.get());
    if (!program.ok()) return 1;
    const auto name = program->get_method_name(0);
    if (!name.ok()) return 1;
    etscope::ETDumpTracer tracer;  // tracing
    tracer.set_method(name.get());
    if (run(program.get(), name.get(), tracer) != Error::Ok) return 1;
    return save(tracer, argv[2]) ? 0 : 1;
}
