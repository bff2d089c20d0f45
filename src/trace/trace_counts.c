/* Counters of a trace: its first failure, drops, names without room and so on. */
#include "trace/recorder.h"

void ets_trace_note(struct ets_trace *trace, enum ets_status reason)
{
    uint32_t none = ETS_OK;
    if (ets_load_relaxed(&trace->first_error) != ETS_OK) return;
    ets_compare_exchange(&trace->config.section, &trace->first_error, &none, (uint32_t)reason);
}

ETS_COLD void ets_trace_count(struct ets_trace *trace, uint32_t *count, uint32_t more)
{
    uint32_t before = ets_load_relaxed(count), after;
    do {
        after = more > UINT32_MAX - before ? UINT32_MAX : before + more;
    } while (!ets_compare_exchange(&trace->config.section, count, &before, after));
}

ETS_COLD void ets_trace_drop(struct ets_trace *trace, enum ets_status reason)
{
    ets_trace_note(trace, reason);
    ets_trace_count(trace, &trace->dropped, 1);
}

ETS_COLD void ets_trace_note_kinds(struct ets_trace *trace, uint32_t noted)
{
    uint32_t before = ets_load_relaxed(&trace->filtered);
    while ((noted & ~before) != 0 && !ets_compare_exchange(&trace->config.section, &trace->filtered,
                                                           &before, before | noted)) {
    }
}
