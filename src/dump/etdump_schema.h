/* ETDump's tables (etdump_schema_flatcc.fbs, identifier ED00), for its two readers. */
#ifndef ETSCOPE_DUMP_ETDUMP_SCHEMA_H
#define ETSCOPE_DUMP_ETDUMP_SCHEMA_H

#include "base/etdump_slots.h"
#include "etscope/etdump.h"
#include "format/flatbuffer.h"

extern const struct ets_fb_type ets_etdump_type;
extern const struct ets_fb_type
    ets_etdump_frame_type; /* a run without the contents of its events */
extern const struct ets_fb_type ets_etdump_event_type;

/* Reads the verified Event table at `event_at`. */
void ets_etdump_read_event(const uint8_t *base, size_t event_at,
                           struct ets_etdump_event *event_out);

/*
 * 1 if the table of runs holds events. ExecuTorch's ETDumpGen writes such dumps after a tensor of a
 * type that it cannot write (float16, bfloat16), because it leaves tables unfinished.
 */
int ets_etdump_is_left_open(struct ets_bytes bytes);

/* The position of the FlatBuffer's root offset: 4 after a size prefix, else 0. */
enum ets_status ets_etdump_root_at(struct ets_bytes bytes, size_t *root_at_out,
                                   struct ets_error *error);

#endif
