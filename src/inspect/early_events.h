/* Asking the memory for events of a row before they are read: they lie a run apart. */
#ifndef ETSCOPE_INSPECT_EARLY_EVENTS_H
#define ETSCOPE_INSPECT_EARLY_EVENTS_H

#include "etscope/inspect.h"

enum { ETS_EVENTS_EARLY = 12 };

/* Before event i of a row's `events` is read: fetches one that will be read soon. */
static inline void ets_event_fetch_early(const struct ets_event_table *table,
                                         const uint32_t *events, uint32_t count, uint32_t i)
{
#if defined(__GNUC__)
    if (i + ETS_EVENTS_EARLY >= count) return;
    const uint32_t event = events[i + ETS_EVENTS_EARLY];
    __builtin_prefetch(&table->run[event]);
    __builtin_prefetch(&table->start[event]);
    __builtin_prefetch(&table->end[event]);
#else
    (void)table;
    (void)events;
    (void)count;
    (void)i;
#endif
}

#endif
