/* Reads metadata of events, and salvages damaged traces. */
#ifndef ETSCOPE_DUMP_ETDUMP_PARTS_H
#define ETSCOPE_DUMP_ETDUMP_PARTS_H

#include "etscope/etdump.h"

/* The metadata of a PROFILE event, by its payload_at; {NULL, 0}: none. */
struct ets_bytes ets_etdump_metadata(const struct ets_etdump *dump, size_t payload_at);

/*
 * Receives what salvage finds, in logging order. A damaged file may have lost the names of runs;
 * they are then "Default" or "Execute", according to their events. Return non-zero to stop.
 */
struct ets_etdump_visitor {
    void *context;
    int (*run)(void *context, const struct ets_etdump_run *run);
    /* `event_at`: the position of its table. */
    int (*event)(void *context, const struct ets_etdump_event *event, size_t event_at);
    /* One damaged or missing part: its file offset, what is wrong, and an advice. */
    int (*damage)(void *context, const struct ets_error *part);
};

/*
 * Reads the intact parts of a damaged ETDump: runs and events that pass verification. If the table
 * of runs itself is damaged (ExecuTorch's writer does that at a float16 or bfloat16 tensor), reads
 * every event table that it can find. `dump` becomes valid for ets_etdump_debug_value and
 * ets_etdump_tensor of the reported events. Statuses: WRONG_KIND, TRUNCATED (too short to
 * identify); otherwise OK, also if nothing was found.
 */
enum ets_status ets_etdump_salvage(struct ets_etdump *dump, struct ets_bytes bytes,
                                   const struct ets_etdump_visitor *visitor,
                                   struct ets_error *error);

#endif
