/* Reducers, in a separate file, so that programs which do not use them do not link this code. */
#include "etscope/numerics.h"
#include "trace/recorder.h"

enum ets_status ets_trace_set_reducer(struct ets_trace *trace,
                                      const struct ets_trace_reducer *reducer)
{
    const uint32_t both = ETS_TRACE_OUTPUTS | ETS_TRACE_INTERMEDIATES;
    struct ets_trace_choices *choices = &trace->choices;
    if (reducer == NULL) {
        choices->reducer = (struct ets_trace_reducer){0, 0};
        choices->summarize = NULL;
        return ETS_OK;
    }
    if ((reducer->what & ~both) != 0 || reducer->first_count > ETS_TENSOR_STATISTICS_FIRST_LIMIT) {
        return ETS_INVALID_ARGUMENT;
    }
    choices->reducer = *reducer;
    if (reducer->what == 0) choices->reducer.what = both;
    choices->summarize = ets_tensor_statistics_of;
    return ETS_OK;
}
