/* Provides the records of a trace to the ETDump writer. */
#ifndef ETSCOPE_TRACE_TRACE_SOURCE_H
#define ETSCOPE_TRACE_TRACE_SOURCE_H

#include "trace/etdump_writer.h"
#include "trace/recorder.h"
#include "trace/trace_time.h"

/* A position in the chunks: the next record of a run. */
struct ets_trace_cursor {
    uint32_t chunk;
    uint32_t slot, end;
    bool is_last; /* the run ends in this chunk */
};

struct ets_trace_source {
    struct ets_trace *trace;
    struct ets_etdump_source source;
    /* The last requested run. */
    uint32_t run_index, run_chunk, run_slot;
    struct ets_run_slots run;
    bool has_run;
    struct ets_time_map clock, platform;
    uint64_t global_scale;
    struct ets_etdump_name unnamed;
    /* The run that marks a cut trace for all readers; ETS_ETDUMP_NO_NAME: the trace was not cut. */
    uint32_t cut_run, cut_name;
    /* The last requested event. */
    struct ets_trace_cursor cursor;
    uint32_t next_event;
    const uint8_t *record;
};

/* Prepares the source without the extra block. */
void ets_trace_source_init(struct ets_trace_source *s, struct ets_trace *trace);

/* Selects run `index`; false: out of range. */
bool ets_trace_source_select(struct ets_trace_source *s, uint32_t index);

/* Iterate over the records of the selected run; NULL at its end. */
void ets_trace_source_rewind(const struct ets_trace_source *s, struct ets_trace_cursor *cursor);
const uint8_t *ets_trace_source_next(const struct ets_trace_source *s,
                                     struct ets_trace_cursor *cursor);

/* The chain index of a record. */
int32_t ets_trace_chain_of(const uint8_t *record);

/* Writes the extra block. */
enum ets_status ets_trace_put_extra(void *source, const struct ets_etdump_sink *sink);

#endif
