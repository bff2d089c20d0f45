/* Functions that all kinds of debug values share. */
#ifndef ETSCOPE_TRACE_TRACE_VALUES_H
#define ETSCOPE_TRACE_TRACE_VALUES_H

#include "trace/recorder.h"

static inline uint32_t ets_value_kind_of(int is_output)
{
    return is_output ? ETS_TRACE_OUTPUTS : ETS_TRACE_INTERMEDIATES;
}

/* Counts a drop and returns its reason. */
static inline enum ets_status ets_trace_refuse(struct ets_trace *trace, enum ets_status reason)
{
    ets_trace_drop(trace, reason);
    return reason;
}

/* The status for a value that is not wanted: OK, or refused after the end of the trace. */
enum ets_status ets_trace_not_wanted(struct ets_trace *trace);

/*
 * The first slot of a value without its kind: the instruction and the delegate's part. `*name_out`
 * is the id of the part's name.
 */
struct ets_slot ets_trace_value_slot(struct ets_trace_thread *thread,
                                     const struct ets_trace_delegate *part, int is_output,
                                     uint32_t *name_out);

#endif
