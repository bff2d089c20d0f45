/* What the programs whose size is measured share: a trace of one operator, with nothing of a board.
 */
#ifndef ETSCOPE_TESTS_FOOTPRINT_PROGRAM_H
#define ETSCOPE_TESTS_FOOTPRINT_PROGRAM_H

#include "etscope/trace.h"

void start(void); /* where the program begins */

static volatile uint32_t hardware;

static inline uint64_t read_clock(void *context)
{
    (void)context;
    return hardware;
}

static inline int send(void *context, const void *data, size_t size)
{
    (void)context;
    for (size_t i = 0; i < size; i++) hardware = ((const uint8_t *)data)[i];
    return 0;
}

static inline void record(struct ets_trace *trace, struct ets_trace_thread *thread,
                          const struct ets_trace_config *config)
{
    ets_trace_init(trace, config);
    ets_trace_thread_init(thread, trace);
    ets_trace_begin_run(thread, &(struct ets_trace_run){.name = "Execute", .method = "forward"});
    ets_trace_set_instruction(thread, 0, 1);
    ets_trace_end(thread, ets_trace_begin(thread, ETS_TRACE_OPERATORS, "conv"));
    ets_trace_end_run(thread);
    ets_trace_finish(trace);
}

#endif
