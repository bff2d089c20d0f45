/* Random calls of the tracer, and what a dump of them has to hold. */
#ifndef ETSCOPE_TESTS_RANDOM_CALLS_HPP
#define ETSCOPE_TESTS_RANDOM_CALLS_HPP

#include "random_dumps.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* in C a struct and a function may have one name */
#include "etscope/experimental/device_log.h"
#include "etscope/trace.h"
#include "etscope/trace_extra.h"
#pragma GCC diagnostic pop

/* `now` counts nanoseconds where there is a platform clock, else ticks. */
struct clocks {
    uint64_t now = 0, hz = 0;
    uint64_t ticks_each = 1, offset = 0, platform_each = 1;
    bool exists = false, has_platform = false;

    uint64_t scaled(uint64_t ticks) const;
    uint64_t event_ns(uint64_t at) const;
    uint64_t platform_ns(uint64_t ticks) const;
};

/* A string, or a tensor without its bytes. */
struct beside {
    uint32_t run, next_event;
    given::event event;
    std::string value;
    uint32_t list_index;
};

class caller
{
  public:
    caller(random_choices *random, bool is_plain, bool is_exact);
    caller(const caller &) = delete;
    caller &operator=(const caller &) = delete;

    void step();
    std::string finish();
    std::string used_debug_buffer() const;

    const given::runs &content() const
    {
        return given_;
    }
    const std::vector<beside> &beside_events() const
    {
        return beside_;
    }
    bool is_exact() const
    {
        return is_exact_;
    }
    ets_trace_mode mode() const
    {
        return config_.mode;
    }
    uint32_t backwards() const
    {
        return backwards_;
    }
    const char *kind() const;

  private:
    struct open_span {
        ets_trace_span span = {};
        given::event event;
        uint64_t begun_at = 0;
        bool is_on = false, is_delegate = false;
    };

    /* A thread; `run` is its open one. */
    struct turn {
        ets_trace_thread thread = {};
        size_t run = SIZE_MAX;
        int32_t chain = -1;
        uint32_t instruction = 0;
        std::vector<open_span> open;
    };

    void choose_clocks();
    void configure();
    void init_threads();
    const char *lend(const std::optional<std::string> &text);
    std::string name();
    std::optional<std::string> maybe_name();
    given::run &run_of(turn *of);
    given::tensor tensor();
    ets_trace_delegate part(given::event *event);
    static std::string write(ets_trace *trace);
    const ets_trace_delegate *subject(const turn *of, given::event *event,
                                      ets_trace_delegate *part_out);
    ets_bytes place(const turn *of, given::event *event);
    bool wants(const given::event &value) const;
    void add(turn *of, const given::event &event);
    void add_beside(turn *of, const given::event &event, const std::string &value,
                    uint32_t list_index);
    void begin_run(turn *of);
    void set_instruction(turn *of);
    void begin(turn *of);
    void begin_delegate(turn *of);
    void end(turn *of);
    void log_delegate(turn *of);
    void log_number(turn *of);
    void log_string(turn *of);
    void log_tensors(turn *of);
    void add_allocator(turn *of);
    void log_allocation(turn *of);
    void reset();
    void let_time_pass();

    random_choices &random_;
    const bool is_plain_, is_exact_;
    std::vector<std::string> names_;
    clocks clock_;
    ets_trace_config config_ = {};
    ets_trace trace_ = {};
    std::vector<turn> threads_;
    std::string buffer_, name_memory_, debug_, stream_;
    ets_trace_memory stream_memory_ = {};
    bool has_sink_ = false;
    uint32_t enabled_ = 0, backwards_ = 0;
    char lent_[3][8192] = {};
    unsigned lent_at_ = 0;
    given::runs given_;
    std::vector<beside> beside_;
};

/* Throws if the dump does not hold what was given; returns what it holds. */
given::runs check_dump(const caller &calls, const random_dump &made);

#endif
