/* Events through a stream, without an ETDump. */
#include "footprint_program.h"

static uint64_t buffer[256];
static struct ets_trace trace;
static struct ets_trace_thread thread;

void start(void)
{
    record(&trace, &thread,
           &(struct ets_trace_config){.buffer = buffer,
                                      .buffer_bytes = sizeof buffer,
                                      .mode = ETS_TRACE_STREAM,
                                      .stream = {NULL, send},
                                      .clock = read_clock});
    for (;;) continue;
}
