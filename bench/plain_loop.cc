/* As extension/llm/runner does it: the inputs wrapped, Module::execute, the largest logit. */
#include "plain_loop.h"

#include <dlfcn.h>
#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <algorithm>
#include <memory>
#include <string>

#include "engine/llama/stand_ins.h"

struct plain_loop {
    plain_loop(const char *program, const char *name,
               std::unique_ptr<executorch::runtime::EventTracer> tracer)
        : module(program, executorch::extension::Module::LoadMode::Mmap, std::move(tracer)),
          method(name)
    {
    }
    executorch::extension::Module module;
    std::string method;
};

int plain_loop_kernels(const char *library)
{
    if (library == nullptr) return 1;
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *symbol = handle == nullptr ? nullptr : dlsym(handle, ETS_LLAMA_KERNELS_SYMBOL);
    if (symbol == nullptr) return 0;
    size_t count = 0;
    const auto *kernels = reinterpret_cast<ets_llama_kernels_function *>(symbol)(&count);
    return executorch::runtime::register_kernels({kernels, count}) ==
           executorch::runtime::Error::Ok;
}

struct plain_loop *plain_loop_open(const char *program, const char *method, int is_traced)
{
    std::unique_ptr<executorch::runtime::EventTracer> tracer;
    if (is_traced) tracer = std::make_unique<executorch::etdump::ETDumpGen>();
    auto loop = std::make_unique<plain_loop>(program, method, std::move(tracer));
    return loop->module.load_method(method) == executorch::runtime::Error::Ok ? loop.release()
                                                                              : nullptr;
}

int64_t plain_loop_step(struct plain_loop *loop, int64_t token, int64_t position)
{
    const auto tokens =
        executorch::extension::from_blob(&token, {1, 1}, executorch::aten::ScalarType::Long);
    const auto start =
        executorch::extension::from_blob(&position, {1}, executorch::aten::ScalarType::Long);
    const auto outputs = loop->module.execute(loop->method, {tokens, start});
    if (!outputs.ok()) return -1;
    const executorch::aten::Tensor logits = outputs.get()[0].toTensor();
    const float *first = logits.const_data_ptr<float>();
    return std::max_element(first, first + logits.size(logits.dim() - 1)) - first;
}

void plain_loop_close(struct plain_loop *loop)
{
    delete loop;
}
