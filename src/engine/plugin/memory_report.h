/*
 * The memory of a program's methods and of the process, as entries of the trace's extra block.
 * docs/SPEC.md describes their bytes.
 */
#ifndef ETSCOPE_ENGINE_PLUGIN_MEMORY_REPORT_H
#define ETSCOPE_ENGINE_PLUGIN_MEMORY_REPORT_H

#include <executorch/runtime/executor/method_meta.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/plugin/counted_memory.h"
#include "engine/plugin/stack_memory.h"
#include "engine/plugin/tracer.h"

namespace ets
{
/* Memory of the process at one moment. UINT64_MAX: unknown. */
struct process_memory {
    uint64_t resident = UINT64_MAX; /* bytes in memory */
    uint64_t of_files = UINT64_MAX; /* the part of these that is mapped from files */
    uint64_t heap = UINT64_MAX;     /* bytes allocated with malloc */
};

/* `apart`: heap bytes that do not count, such as the tracer's buffer. */
process_memory read_process_memory(uint64_t apart);

/* Starts to look for the most of the resident set; false: the system does not let us. */
bool start_resident_peak();
/* The most since then; UINT64_MAX: unknown. */
uint64_t read_resident_peak();

/* One method, from before its load to its end. Lives as long as the program. */
class method_memory
{
  public:
    method_memory(const executorch::runtime::MethodMeta &meta, tracer *tracer);

    executorch::runtime::MemoryAllocator *method_allocator()
    {
        return &method_;
    }
    executorch::runtime::MemoryAllocator *temporary_allocator()
    {
        return &temporary_;
    }
    /* Memory for planned buffer `index`, in separate pages. */
    executorch::runtime::Span<uint8_t> plan(size_t index, size_t size);
    /* The same if its memory belongs to the whole program. */
    void plan_shared(size_t index, size_t size);
    /* Inputs and outputs for which the caller must provide memory. */
    void add_input(uint64_t bytes);
    void add_output(uint64_t bytes);

    void before_load();
    void after_load();
    void before_run();
    void after_run();
    void end();     /* it runs no longer */
    void release(); /* nothing refers to its planned buffers anymore */

    /* Appends its entries to `entries`; for an open method, the current ones. */
    void put(std::string *entries);

  private:
    enum moment {
        BEFORE_LOAD,
        AFTER_LOAD,
        BEFORE_RUNS,
        AFTER_FIRST_RUN,
        AT_THE_END,
        PEAK_OF_LOAD,
        PEAK_OF_FIRST_RUN,
        MOMENTS
    };
    /* What one thread, or the most of several, took of its stack. */
    struct stack_use {
        uint64_t caller = UINT64_MAX, pool = UINT64_MAX;
        size_t pool_threads = 0;
    };
    struct planned_buffer {
        uint64_t bytes, touched;
        int shared;
    };
    struct outside {
        uint64_t bytes = 0, count = 0;
    };

    void sample(moment when);
    void start(moment when);
    stack_use stop(moment when, moment peak);
    void put_stack(std::string *entries, uint16_t phase, const stack_use &stack) const;
    void put_heap(std::string *entries, uint16_t phase, moment from, moment to) const;
    void put_takers(std::string *entries, uint32_t owner, uint16_t phase,
                    const counting_allocator::takers &takers, uint64_t pool) const;

    std::string name_;
    std::vector<std::string> backends_;
    tracer *tracer_;
    counting_allocator method_, temporary_;
    counting_allocator::takers method_load_, temporary_load_;
    std::vector<counted_block> blocks_;
    std::vector<size_t> block_of_; /* planned buffer of each block */
    std::vector<planned_buffer> planned_;
    outside inputs_, outputs_;
    uint32_t runs_ = 0;
    bool is_ended_ = false;
    process_memory process_[MOMENTS];
    stack_meter stack_;
    stack_use load_stack_, run_stack_;
    bool follows_peak_ = false;
    bool has_[MOMENTS] = {};
};

/* Of a program. */
class memory_report
{
  public:
    memory_report(uint64_t program_bytes, uint64_t data_bytes)
        : program_bytes_(program_bytes), data_bytes_(data_bytes)
    {
    }
    method_memory *add(std::unique_ptr<method_memory> method);
    /* Appends the entries of all methods to `entries`. */
    void put(std::string *entries);

  private:
    uint64_t program_bytes_, data_bytes_;
    std::vector<std::unique_ptr<method_memory>> methods_;
};

}  // namespace ets

#endif
