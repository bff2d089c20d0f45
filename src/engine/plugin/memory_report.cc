/* Keeps the memory counts of methods, and writes them as entries of a trace. */
#include "engine/plugin/memory_report.h"

#include <algorithm>
#include <utility>

#ifdef __unix__
#include <sys/utsname.h>
#endif

#include "engine/plugin/trace_entries.h"

extern "C" {
#include "base/extra_keys.h"
#include "base/memory_entries.h"
}

namespace ets
{
namespace
{
namespace et = ::executorch::runtime;

constexpr uint64_t unknown = UINT64_MAX;

struct owned {
    uint32_t owner, index = 0;
    uint64_t bytes = 0, count = 0, touched = unknown, pool_bytes = 0;
    uint32_t alignment = 0, runs = 0;
    int32_t chain = -1;
    uint32_t instruction = 0;
    uint16_t phase = ETS_MEMORY_ALWAYS;
    bool is_shared = false;
    std::string method = {}, backend = {};
};

bool has_taken(const counting_allocator::takers &takers, const std::string &backend)
{
    for (const auto &each : takers) {
        if (each.backend == backend) return true;
    }
    return false;
}

void put_owned(std::string *entries, const owned &one)
{
    std::string value;
    store(&value, one.owner);
    store(&value, one.index);
    store(&value, one.bytes);
    store(&value, one.count);
    store(&value, one.touched);
    store(&value, one.pool_bytes);
    store(&value, one.alignment);
    store(&value, one.runs);
    store(&value, one.chain);
    store(&value, one.instruction);
    store(&value, one.phase);
    store(&value, static_cast<uint16_t>(one.is_shared ? 1 : 0));
    store(&value, static_cast<uint16_t>(one.method.size()));
    store(&value, static_cast<uint16_t>(0));
    value += one.method + one.backend;
    put_entry(entries, ETS_EXTRA_HELD, value);
}

/* "x86_64"; empty: unknown. */
std::string machine_name()
{
#ifdef __unix__
    struct utsname names;
    if (uname(&names) == 0) return names.machine;
#endif
    return {};
}
}  // namespace

method_memory::method_memory(const et::MethodMeta &meta, tracer *tracer)
    : name_(std::string(meta.name()).substr(0, UINT16_MAX)),
      tracer_(tracer),
      method_(tracer->event_tracer()),
      temporary_(tracer->event_tracer())
{
    for (size_t i = 0; i < meta.num_backends(); i++) {
        const auto name = meta.get_backend_name(i);
        if (name.ok()) backends_.emplace_back(name.get());
    }
}

et::Span<uint8_t> method_memory::plan(size_t index, size_t size)
{
    plan_shared(index, size);
    planned_[index].shared = 0;
    blocks_.emplace_back(size);
    block_of_.push_back(index);
    return {blocks_.back().data(), size};
}

void method_memory::plan_shared(size_t index, size_t size)
{
    planned_.resize(index + 1, {0, unknown, 0});
    planned_[index] = {size, unknown, 1};
}

void method_memory::add_input(uint64_t bytes)
{
    inputs_.bytes += bytes;
    inputs_.count++;
}

void method_memory::add_output(uint64_t bytes)
{
    outputs_.bytes += bytes;
    outputs_.count++;
}

void method_memory::sample(moment when)
{
    process_[when] = read_process_memory(tracer_->heap_bytes());
    has_[when] = true;
}

/* Samples use the stack themselves, so it is painted anew; no memory is touched for that. */
void method_memory::start(moment when)
{
    stack_.start();
    sample(when);
    follows_peak_ = start_resident_peak();
    stack_.start_caller();
}

method_memory::stack_use method_memory::stop(moment when, moment peak)
{
    const stack_use stack = {stack_.caller_bytes(), stack_.pool_bytes(), stack_.pool_threads()};
    sample(when);
    if (follows_peak_) process_[peak].resident = read_resident_peak();
    has_[peak] = true;
    return stack;
}

void method_memory::before_load()
{
    tracer_->start(); /* allocates its buffer before the load, so that it does not count */
    start(BEFORE_LOAD);
}

void method_memory::after_load()
{
    load_stack_ = stop(AFTER_LOAD, PEAK_OF_LOAD);
    method_load_ = method_.take();
    temporary_load_ = temporary_.take();
}

void method_memory::before_run()
{
    if (runs_ == 0) start(BEFORE_RUNS);
}

void method_memory::after_run()
{
    if (runs_++ == 0) run_stack_ = stop(AFTER_FIRST_RUN, PEAK_OF_FIRST_RUN);
}

void method_memory::end()
{
    sample(AT_THE_END);
    for (size_t i = 0; i < blocks_.size(); i++) {
        planned_[block_of_[i]].touched = blocks_[i].touched();
    }
}

void method_memory::release()
{
    blocks_.clear();
    is_ended_ = true;
}

void method_memory::put_takers(std::string *entries, uint32_t owner, uint16_t phase,
                               const counting_allocator::takers &takers, uint64_t pool) const
{
    for (const auto &each : takers) {
        const taken_memory &taken = each.taken;
        put_owned(entries, {.owner = owner,
                            .bytes = taken.bytes,
                            .count = taken.count,
                            .pool_bytes = pool,
                            .alignment = static_cast<uint32_t>(taken.alignment),
                            .runs = phase == ETS_MEMORY_RUN ? runs_ : 0,
                            .chain = static_cast<int32_t>(taken.chain),
                            .instruction = taken.instruction,
                            .phase = phase,
                            .method = name_,
                            .backend = each.backend.substr(0, 256)});
    }
    if (owner != ETS_MEMORY_METHOD || phase != ETS_MEMORY_LOAD) return;
    for (const std::string &name : backends_) {
        const bool is_apart = is_backend_apart(name.c_str());
        if (is_apart && has_taken(takers, name)) continue;
        put_owned(entries, {.owner = owner,
                            .bytes = is_apart ? 0 : unknown,
                            .pool_bytes = pool,
                            .phase = phase,
                            .method = name_,
                            .backend = name});
    }
}

void method_memory::put_heap(std::string *entries, uint16_t phase, moment from, moment to) const
{
    if (!has_[from] || !has_[to]) return;
    const uint64_t before = process_[from].heap, after = process_[to].heap;
    const bool is_known = before != unknown && after != unknown;
    put_owned(entries, {.owner = ETS_MEMORY_HEAP,
                        .bytes = is_known ? std::max(before, after) - before : unknown,
                        .runs = phase == ETS_MEMORY_RUN ? 1U : 0U,
                        .phase = phase,
                        .method = name_});
}

void method_memory::put_stack(std::string *entries, uint16_t phase, const stack_use &stack) const
{
    const std::pair<size_t, uint64_t> threads[] = {{1, stack.caller},
                                                   {stack.pool_threads, stack.pool}};
    for (uint32_t i = 0; i < 2; i++) {
        if (threads[i].first == 0) continue;
        put_owned(entries, {.owner = ETS_MEMORY_STACK,
                            .index = i,
                            .bytes = threads[i].second,
                            .count = threads[i].first,
                            .runs = phase == ETS_MEMORY_RUN ? 1U : 0U,
                            .phase = phase,
                            .method = name_,
                            .backend = machine_name()});
    }
}

void method_memory::put(std::string *entries)
{
    if (!is_ended_) end();
    put_takers(entries, ETS_MEMORY_METHOD, ETS_MEMORY_LOAD, method_load_, method_.pool_bytes());
    put_takers(entries, ETS_MEMORY_METHOD, ETS_MEMORY_RUN, method_.take(), method_.pool_bytes());
    for (size_t i = 0; i < planned_.size(); i++) {
        put_owned(entries, {.owner = ETS_MEMORY_PLANNED,
                            .index = static_cast<uint32_t>(i),
                            .bytes = planned_[i].bytes,
                            .count = 1,
                            .touched = planned_[i].touched,
                            .pool_bytes = planned_[i].bytes,
                            .is_shared = planned_[i].shared != 0,
                            .method = name_});
    }
    const uint64_t pool = temporary_.pool_bytes();
    put_takers(entries, ETS_MEMORY_TEMPORARY, ETS_MEMORY_LOAD, temporary_load_, pool);
    put_takers(entries, ETS_MEMORY_TEMPORARY, ETS_MEMORY_RUN, temporary_.take(), pool);
    const std::pair<uint32_t, outside> outsides[] = {{ETS_MEMORY_INPUTS, inputs_},
                                                     {ETS_MEMORY_OUTPUTS, outputs_}};
    for (const auto &each : outsides) {
        if (each.second.count == 0) continue;
        put_owned(entries, {.owner = each.first,
                            .bytes = each.second.bytes,
                            .count = each.second.count,
                            .pool_bytes = each.second.bytes,
                            .method = name_});
    }
    put_heap(entries, ETS_MEMORY_LOAD, BEFORE_LOAD, AFTER_LOAD);
    put_heap(entries, ETS_MEMORY_RUN, BEFORE_RUNS, AFTER_FIRST_RUN);
    if (has_[AFTER_LOAD]) put_stack(entries, ETS_MEMORY_LOAD, load_stack_);
    if (has_[AFTER_FIRST_RUN]) put_stack(entries, ETS_MEMORY_RUN, run_stack_);
    for (const auto &each : temporary_.taken_by_step()) {
        std::string value;
        store(&value, static_cast<int32_t>(each.first.first));
        store(&value, each.first.second);
        store(&value, each.second.bytes);
        store(&value, each.second.count);
        store(&value, runs_);
        store(&value, uint32_t{0});
        put_entry(entries, ETS_EXTRA_TEMPORARY, value + name_);
    }
    for (uint32_t i = 0; i < MOMENTS; i++) {
        if (!has_[i]) continue;
        std::string value;
        store(&value, i);
        store(&value, uint32_t{0});
        store(&value, process_[i].resident);
        store(&value, process_[i].of_files);
        store(&value, process_[i].heap);
        put_entry(entries, ETS_EXTRA_PROCESS, value + name_);
    }
}

method_memory *memory_report::add(std::unique_ptr<method_memory> method)
{
    methods_.push_back(std::move(method));
    return methods_.back().get();
}

void memory_report::put(std::string *entries)
{
    put_owned(entries, {.owner = ETS_MEMORY_PROGRAM, .bytes = program_bytes_, .count = 1});
    if (data_bytes_ > 0) {
        put_owned(entries, {.owner = ETS_MEMORY_DATA, .bytes = data_bytes_, .count = 1});
    }
    for (const auto &method : methods_) method->put(entries);
}

}  // namespace ets
