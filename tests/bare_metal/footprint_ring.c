/* Events into a ring, and the ETDump. */
#include "footprint_program.h"

static uint64_t buffer[256];
static struct ets_trace trace;
static struct ets_trace_thread thread;

void start(void)
{
    record(&trace, &thread,
           &(struct ets_trace_config){.buffer = buffer,
                                      .buffer_bytes = sizeof buffer,
                                      .mode = ETS_TRACE_RING,
                                      .clock = read_clock});
    ets_trace_write(&trace, &(struct ets_etdump_sink){NULL, send}, NULL);
    for (;;) continue;
}
