/* Traces of runs with one event each, as etscope's tracer records them, and what they are told. */
#ifndef ETSCOPE_TESTS_RECORDED_RUNS_H
#define ETSCOPE_TESTS_RECORDED_RUNS_H

#include "test_inspect_support.h"

#include "dump/extra_tokens.h"
#include "etscope/trace.h"

enum { TRACE_BYTES = 65536 };

/* A clock that each run sets, and that each reading reads: a run lasts as long as it is told. */
struct scripted_clock {
    uint64_t now, step;
};

static inline uint64_t read_clock(void *context)
{
    struct scripted_clock *clock = context;
    return clock->now += clock->step;
}

/*
 * Runs of "forward", each as long as `ticks` says, and with an instruction 3 as long as `inner`
 * says (NULL: without). `is_of_cases`: each is of a test case of its own.
 */
static inline struct ets_bytes record_any(uint8_t bytes[TRACE_BYTES], const uint64_t *ticks,
                                          const uint64_t *inner, uint32_t count, int is_of_cases)
{
    static uint64_t buffer[4096];
    struct scripted_clock clock = {.step = 1};
    size_t size;
    struct ets_trace trace;
    struct ets_trace_thread thread;
    const struct ets_trace_config config = {.buffer = buffer,
                                            .buffer_bytes = sizeof buffer,
                                            .clock = read_clock,
                                            .clock_context = &clock};
    assert_int_equal(ets_trace_init(&trace, &config), ETS_OK);
    ets_trace_thread_init(&thread, &trace);
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_trace_run run = {.name = "Execute",
                                          .method = "forward",
                                          .invocation = i,
                                          .purpose = ETS_TRACE_EXECUTE,
                                          .is_bundled = is_of_cases,
                                          .bundled_input_index = (int32_t)i};
        ets_trace_begin_run(&thread, &run);
        const struct ets_trace_span span =
            ets_trace_begin_at(&thread, ETS_TRACE_METHODS, "Method::execute", -1, 0);
        if (inner != NULL) {
            const struct ets_trace_span call =
                ets_trace_begin_at(&thread, ETS_TRACE_METHODS, "native_call_mul.out", 0, 3);
            clock.step = inner[i];
            ets_trace_end(&thread, call);
        }
        clock.step = ticks[i];
        ets_trace_end(&thread, span);
        clock.step = 1;
        ets_trace_end_run(&thread);
    }
    ets_trace_finish(&trace);
    assert_int_equal(ets_trace_write_buffer(&trace, bytes, TRACE_BYTES, &size, NULL), ETS_OK);
    return (struct ets_bytes){bytes, size};
}

static inline struct ets_bytes record_instructions(uint8_t bytes[TRACE_BYTES],
                                                   const uint64_t *ticks, const uint64_t *inner,
                                                   uint32_t count)
{
    return record_any(bytes, ticks, inner, count, 0);
}

static inline struct ets_bytes record_runs(uint8_t bytes[TRACE_BYTES], const uint64_t *ticks,
                                           uint32_t count)
{
    return record_any(bytes, ticks, NULL, count, 0);
}

/* The trace with entries for its runs. */
static inline uint8_t *with_entries(struct ets_bytes trace, const struct ets_run_tokens *runs,
                                    uint32_t count, size_t *size_out)
{
    struct ets_extra_growth growth = {.bytes = NULL};
    uint8_t *grown;
    for (uint32_t i = 0; i < count; i++) assert_true(ets_run_tokens_add(&growth, &runs[i]));
    assert_true(ets_extra_growth_append(&growth, trace, &grown, size_out));
    ets_extra_growth_close(&growth);
    return grown;
}

#endif
