/* What an ETRecord has of source files: the frames of all stack traces, by file. */
#ifndef ETSCOPE_OUTPUT_TABLE_RECORDED_FRAMES_H
#define ETSCOPE_OUTPUT_TABLE_RECORDED_FRAMES_H

#include "etscope/inspect.h"
#include "host/arena.h"
#include "host/key_table.h"
#include "output/table/source_text.h"

struct ets_recorded_frame {
    const struct ets_graph_frame *frame;
    uint32_t next; /* of the same file, as index + 1; 0: none */
};

struct ets_recorded_frames {
    struct ets_key_table files; /* by hash: frames of files with the same hash are in one list */
    struct ets_recorded_frame *frames; /* lists */
    uint32_t *first;                   /* [files.count] of a list, as index + 1 */
};

/* Collects the frames of all rows' nodes, each node once. False if memory runs out. */
bool ets_recorded_frames_collect(struct ets_arena *arena, const struct ets_inspection *inspection,
                                 struct ets_recorded_frames *out);

/*
 * A frame of the file whose line does not agree with its text, also of operators that took no time
 * and of callers: an author who knows some lines of another's file does not get to see the rest.
 * NULL: all agree.
 */
const struct ets_graph_frame *ets_recorded_frames_difference(
    const struct ets_recorded_frames *recorded, struct ets_text file,
    const struct ets_source_text *source);

#endif
