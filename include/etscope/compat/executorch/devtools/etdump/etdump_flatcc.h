/*
 * ExecuTorch's ETDumpGen, implemented with etscope's tracer, so that programs which use it compile
 * unchanged. Put etscope/compat before ExecuTorch's headers on the include path, or link
 * etscope::etdump (CMake) instead of ExecuTorch's etdump library.
 *
 *     executorch::etdump::ETDumpGen tracer;
 *     auto method = program->load_method("forward", &memory_manager, &tracer);
 *     method->execute();
 *     const auto dump = tracer.get_etdump_data();
 *
 * It is an ETDumpTracer; executorch.hpp lists the differences from ExecuTorch's class. For example,
 * nothing ends the program, and events that cannot be kept are counted.
 */
#ifndef ETSCOPE_COMPAT_ETDUMP_FLATCC_H
#define ETSCOPE_COMPAT_ETDUMP_FLATCC_H

#include <executorch/devtools/etdump/data_sinks/buffer_data_sink.h>
#include <executorch/devtools/etdump/data_sinks/data_sink_base.h>

#include "etscope/executorch.hpp"

#define ETDUMP_VERSION 0

namespace executorch
{
namespace etdump
{
using ::executorch::runtime::DelegateDebugIntId;
using ::executorch::runtime::EventTracerFilterBase;
using ::executorch::runtime::Result;

using ETDumpResult = ::etscope::ETDumpResult;

class ETDumpGen : public ::etscope::ETDumpTracer
{
  public:
    /* {nullptr, 0}: use the heap; free the dump with free(). */
    ETDumpGen(::executorch::runtime::Span<uint8_t> buffer = {nullptr, static_cast<size_t>(0)})
        : ETDumpTracer(buffer)
    {
    }

    /* Forgets all events, like reset(). There is no builder whose memory could be freed. */
    void clear_builder()
    {
        reset();
    }
};
}  // namespace etdump
}  // namespace executorch

namespace torch
{
namespace executor
{
using etdump_result = ::executorch::etdump::ETDumpResult;
using ::executorch::etdump::ETDumpGen;
}  // namespace executor
}  // namespace torch

#endif
