/* What tracing costs a run: measured beside it, or the events times the cost of one. */
#include <math.h>

#include "base/text.h"
#include "dump/extra_untraced.h"
#include "inspect/inspection.h"
#include "inspect/time_details.h"

static bool find_measured(const struct ets_inspection *inspection, const struct ets_run *run,
                          struct ets_tracing_cost *cost_out)
{
    struct ets_untraced_runs measured;
    if (!inspection->has_extra || run->purpose != ETS_TRACE_EXECUTE) return false;
    for (size_t at = 0; ets_untraced_runs_next(&inspection->extra, &at, &measured);) {
        if (measured.test_case != run->bundled_input_index || run->method.data == NULL ||
            !ets_text_equal(measured.method, run->method)) {
            continue;
        }
        cost_out->pairs = measured.pairs;
        cost_out->ns = fmax(measured.median_ns, 0);
        cost_out->low = fmax(measured.low_ns, 0);
        cost_out->high = fmax(measured.high_ns, 0);
        return true;
    }
    return false;
}

/* Whether a delegate reported operators, which its own profiler timed. */
static bool has_profiler(const struct ets_inspection *inspection, const struct ets_run *run)
{
    const struct ets_event_columns *events = &inspection->events;
    for (uint32_t e = run->first_event; e < run->first_event + run->event_count; e++) {
        if (events->kind[e] != ETS_EVENT_PROFILE) continue;
        if (events->delegate_id[e] != -1 || events->delegate_name[e] != 0) return true;
    }
    return false;
}

struct ets_tracing_cost ets_inspection_tracing_cost(const struct ets_inspection *inspection,
                                                    uint32_t run)
{
    const struct ets_run *r = &inspection->runs[run];
    struct ets_tracing_cost cost = {.low = NAN, .high = NAN};
    cost.events_ns = ets_inspection_events_cost(inspection, run);
    cost.is_subtracted = inspection->overheads != NULL;
    if (isnan(cost.events_ns)) {
        cost.ns = NAN;
    } else if (!find_measured(inspection, r, &cost)) {
        cost.ns = cost.low = cost.high = cost.events_ns;
        cost.lacks_profilers = has_profiler(inspection, r);
    }
    return cost;
}
