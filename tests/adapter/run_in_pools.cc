// Runs a method in pools of the given sizes, as an application without a heap does:
//
//     run_in_pools MODEL.pte METHOD METHOD_BYTES TEMPORARY_BYTES
//
// Pools begin at a multiple of 16 and of nothing more. Prints "ok", "load" or "run", for where it
// got stuck. tests/cli/test_memory_at_run_time.py calls it.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

namespace
{
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::HierarchicalAllocator;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::MemoryManager;
using executorch::runtime::Method;
using executorch::runtime::Program;
using executorch::runtime::Span;

class Pool
{
  public:
    explicit Pool(size_t size) : memory_(size + 96)
    {
        const auto address = reinterpret_cast<uintptr_t>(memory_.data());
        data_ = memory_.data() + (64 - address % 64) + 16;
    }
    uint8_t *data()
    {
        return data_;
    }

  private:
    std::vector<uint8_t> memory_;
    uint8_t *data_;
};

Error fill_inputs(Method &method, std::vector<executorch::extension::TensorPtr> &inputs)
{
    for (size_t i = 0; i < method.inputs_size(); i++) {
        const auto meta = method.method_meta().input_tensor_meta(i);
        if (!meta.ok()) continue;
        inputs.push_back(executorch::extension::ones({meta->sizes().begin(), meta->sizes().end()},
                                                     meta->scalar_type()));
        const Error error = method.set_input(EValue(*inputs.back()), i);
        if (error != Error::Ok) return error;
    }
    return Error::Ok;
}

const char *try_method(const Program &program, const char *name, size_t method_bytes,
                       size_t temporary_bytes)
{
    const auto meta = program.method_meta(name);
    if (!meta.ok()) return "load";
    std::vector<Pool> planned;
    std::vector<Span<uint8_t>> spans;
    for (size_t i = 0; i < meta->num_memory_planned_buffers(); i++) {
        const auto size = static_cast<size_t>(meta->memory_planned_buffer_size(i).get());
        planned.emplace_back(size);
        spans.emplace_back(planned.back().data(), size);
    }
    Pool method_pool(method_bytes), temporary_pool(temporary_bytes);
    MemoryAllocator method_memory(static_cast<uint32_t>(method_bytes), method_pool.data());
    MemoryAllocator temporary_memory(static_cast<uint32_t>(temporary_bytes), temporary_pool.data());
    HierarchicalAllocator planned_memory({spans.data(), spans.size()});
    MemoryManager memory(&method_memory, &planned_memory, &temporary_memory);
    auto method = program.load_method(name, &memory);
    if (!method.ok()) return "load";
    std::vector<executorch::extension::TensorPtr> inputs;
    Error error = Error::Ok;
    for (int i = 0; i < 2 && error == Error::Ok; i++) {  // a run may reuse its inputs' memory
        error = fill_inputs(method.get(), inputs);
        if (error == Error::Ok) error = method->execute();
    }
    return error == Error::Ok ? "ok" : "run";
}
}  // namespace

int main(int argc, char **argv)
{
    if (argc != 5) return 2;
    executorch::runtime::runtime_init();
    auto loader = executorch::extension::FileDataLoader::from(argv[1]);
    if (!loader.ok()) return 1;
    const auto program = Program::load(&loader.get());
    if (!program.ok()) return 1;
    puts(try_method(program.get(), argv[2], strtoul(argv[3], nullptr, 10),
                    strtoul(argv[4], nullptr, 10)));
    return 0;
}
