/*
 * tracer_runtime PROGRAM: what tracing costs a small program that the real runtime runs: the median
 * of its execution under each tracer, run in turns, less that of the execution without one. One
 * summary line comes last.
 */
#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/platform/runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "etscope/executorch.hpp"

namespace
{
using executorch::extension::Module;
using executorch::extension::TensorPtr;
using executorch::runtime::EValue;
using executorch::runtime::EventTracer;

constexpr int kWarmUp = 200, kRuns = 2000;
constexpr int kSampled = 8; /* one run of so many has operators, where they are sampled */

/* A program with one tracer, and the times of its executions in nanoseconds. */
struct subject {
    const char *name;
    std::unique_ptr<Module> module;
    std::vector<TensorPtr> tensors;
    std::vector<EValue> inputs;
    std::vector<double> times;

    bool open(const char *program, std::unique_ptr<EventTracer> tracer)
    {
        module = std::make_unique<Module>(program, Module::LoadMode::File, std::move(tracer));
        const auto meta = module->method_meta("forward");
        if (!meta.ok()) return false;
        for (size_t i = 0; i < meta->num_inputs(); i++) {
            const auto input = meta->input_tensor_meta(i);
            if (!input.ok()) return false;
            tensors.push_back(executorch::extension::ones(
                {input->sizes().begin(), input->sizes().end()}, input->scalar_type()));
            inputs.emplace_back(*tensors.back());
        }
        return true;
    }

    bool run(bool is_counted)
    {
        const auto before = std::chrono::steady_clock::now();
        const auto outputs = module->forward(inputs);
        const std::chrono::duration<double, std::nano> took =
            std::chrono::steady_clock::now() - before;
        if (is_counted) times.push_back(took.count());
        return outputs.ok();
    }

    static double median(std::vector<double> values)
    {
        std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
        return values[values.size() / 2];
    }

    /* Of the sampled runs and of the others, each with its share. */
    double typical() const
    {
        std::vector<double> sampled, others;
        for (size_t i = 0; i < times.size(); i++) {
            (i % kSampled == 0 ? sampled : others).push_back(times[i]);
        }
        return (median(sampled) + (kSampled - 1) * median(others)) / kSampled;
    }
};

std::unique_ptr<EventTracer> own_tracer(etscope::Clock clock)
{
    etscope::ETDumpOptions options;
    options.clock = clock;
    return std::make_unique<etscope::ETDumpTracer>(
        executorch::runtime::Span<uint8_t>{nullptr, size_t{0}}, options);
}
}  // namespace

int main(int count, char **words)
{
    enum { BARE, UPSTREAM, PLATFORM, CYCLES, SAMPLED, SUBJECTS };
    subject subjects[SUBJECTS] = {{"no tracer", {}, {}, {}, {}},
                                  {"ETDumpGen", {}, {}, {}, {}},
                                  {"etscope, the platform's clock", {}, {}, {}, {}},
                                  {"etscope, cycle counter", {}, {}, {}, {}},
                                  {"the same, operators in 1 run of 8", {}, {}, {}, {}}};
    std::unique_ptr<EventTracer> tracers[SUBJECTS];
    executorch::runtime::runtime_init();
    tracers[UPSTREAM] = std::make_unique<executorch::etdump::ETDumpGen>();
    tracers[PLATFORM] = own_tracer(etscope::Clock::kPlatform);
    tracers[CYCLES] = own_tracer(etscope::Clock::kCycleCounter);
    auto sampled = own_tracer(etscope::Clock::kCycleCounter);
    auto *sampling = static_cast<etscope::ETDumpTracer *>(sampled.get());
    tracers[SAMPLED] = std::move(sampled);
    for (int i = 0; i < SUBJECTS; i++) {
        if (count != 2 || !subjects[i].open(words[1], std::move(tracers[i]))) {
            std::fprintf(stderr, "usage: tracer_runtime PROGRAM\n");
            return 2;
        }
    }
    for (int run = 0; run < kWarmUp + kRuns; run++) {
        sampling->enable(run % kSampled == 0 ? etscope::kTraceEverything
                                             : static_cast<uint32_t>(ETS_TRACE_METHODS));
        for (subject &one : subjects) {
            if (!one.run(run >= kWarmUp)) return 1;
        }
    }
    const double bare = subjects[BARE].typical(), upstream = subjects[UPSTREAM].typical() - bare;
    for (subject &one : subjects) {
        const double over = one.typical() - bare;
        std::printf("%-46s %8.0f ns  (+%.0f, %.0f %%)\n", one.name, bare + over, over,
                    100 * over / bare);
    }
    std::printf(
        "runtime: of ETDumpGen's overhead %.2f with the platform's clock, %.2f with the "
        "cycle counter\n",
        (subjects[PLATFORM].typical() - bare) / upstream,
        (subjects[CYCLES].typical() - bare) / upstream);
    return 0;
}
