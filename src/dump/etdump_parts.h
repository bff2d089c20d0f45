/* What a trace is read by, and a damaged one. */
#ifndef ETSCOPE_DUMP_ETDUMP_PARTS_H
#define ETSCOPE_DUMP_ETDUMP_PARTS_H

#include "etscope/etdump.h"

/* What a delegate attached to a PROFILE event, by its payload_at; {NULL, 0}: nothing. */
struct ets_bytes ets_etdump_metadata(const struct ets_etdump *dump, size_t payload_at);

/*
 * What salvage found, told in logging order. Runs may be unnamed (a garbled file loses names; they
 * are then given as "Default" and "Execute" by the events in them). Returning non-zero stops.
 */
struct ets_etdump_visitor {
    void *context;
    int (*run)(void *context, const struct ets_etdump_run *run);
    int (*event)(void *context, const struct ets_etdump_event *event);
    /* One damaged or missing part: its file offset, what is wrong with it, and what would help. */
    int (*damage)(void *context, const struct ets_error *part);
};

/*
 * Reads what is whole of a damaged ETDump: runs and events that verify by themselves, or, where
 * the table of runs itself is garbled (upstream's writer does that when it meets a float16 or
 * bfloat16 tensor), every event table that can be found. `dump` becomes valid for
 * ets_etdump_debug_value and ets_etdump_tensor of the events told. Statuses: WRONG_KIND, TRUNCATED
 * (too short to tell what it is); else OK, also when nothing was found.
 */
enum ets_status ets_etdump_salvage(struct ets_etdump *dump, struct ets_bytes bytes,
                                   const struct ets_etdump_visitor *visitor,
                                   struct ets_error *error);

#endif
