/* Checks the events that a delegate call reported against the record's nodes of the call. */
#ifndef ETSCOPE_INSPECT_DELEGATES_EVENT_CHECK_H
#define ETSCOPE_INSPECT_DELEGATES_EVENT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct ets_inspection;
struct ets_known_method;

/* What the record has of a call. */
struct ets_recorded_call {
    struct ets_known_method *method;
    const int64_t *handles;
    size_t handle_count;
    bool is_complete; /* all events of the run are in the trace */
};

/*
 * Whether the events of the call in `call_row` can come from these nodes, as far as their names
 * tell. Most models run as one delegate call: without this, a record of any other would fit.
 * Statuses: MISMATCH, with what contradicts what.
 */
enum ets_status ets_delegate_events_check(struct ets_inspection *inspection, uint32_t call_row,
                                          const struct ets_recorded_call *call,
                                          struct ets_error *error);

#endif
