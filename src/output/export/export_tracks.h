/*
 * Places the events of traces on tracks: the one rule of layout for all formats with a time line.
 *
 *     const struct ets_track_sink sink = {.context = &writer, .add_track = add, .begin = begin};
 *     ETS_TRY(ets_tracks_visit(arena, traces, count, &sink, error));
 *
 * Times are nanoseconds since the trace's first event; a tick of an unknown unit, or of a counter
 * of cycles, is shown as one. Runs stand one after the other, as they were recorded, on a track for
 * each thread and method. Slices of a track nest as the events do: a slice lies within its parent,
 * and begins after the end of the slice before it. Events that cannot stand there get tracks of
 * their own: all events of a delegate in a run of which one sticks out of its call or overlaps
 * another; those of delegates that have their own clock, whose time line begins at 0; and what else
 * overlaps. Events without times are not on tracks: captured values, and allocations, which are
 * counters.
 */
#ifndef ETSCOPE_OUTPUT_EXPORT_EXPORT_TRACKS_H
#define ETSCOPE_OUTPUT_EXPORT_EXPORT_TRACKS_H

#include <stdbool.h>

#include "host/arena.h"
#include "output/export/export_files.h"

struct ets_track {
    uint32_t number; /* of all traces, from 1 */
    uint32_t trace;
    uint32_t parent; /* number of the track that it belongs to; 0: of the trace */
    bool is_counter; /* of bytes; it has samples, no slices */
    const char *name;
};

struct ets_slice {
    const struct ets_inspection *inspection;
    uint32_t trace, track;
    uint32_t event, run, row; /* of the inspection */
    bool is_on_method;        /* the track is that of the thread's runs of the method */
    bool is_outermost;        /* it has no parent event */
    bool is_linked; /* its parent event is on another track of the same clock, and began first */
    uint64_t start, end; /* ns */
    const struct ets_track_walk *walk;
};

struct ets_sample {
    uint32_t trace, track;
    uint64_t at; /* ns */
    uint64_t bytes;
};

/*
 * What is called, in this order: a track before what is on it; of a track, its slices by time,
 * where `begin` of a parent comes before those inside, and `end` after them. Each returns false
 * where memory ran out, which ends the visit. `end` and `add_sample` may be NULL. Samples of
 * planned memory come right before the `begin` or `end` of the same time.
 */
struct ets_track_sink {
    void *context;
    bool (*add_trace)(void *context, uint32_t trace, const char *name);
    bool (*add_track)(void *context, const struct ets_track *track);
    bool (*begin)(void *context, const struct ets_slice *slice);
    bool (*end)(void *context, const struct ets_slice *slice);
    bool (*add_sample)(void *context, const struct ets_sample *sample);
};

/* Statuses: LIMIT (hundreds of events at the same time; of several traces the message names the
   one), NO_MEMORY. */
enum ets_status ets_tracks_visit(struct ets_arena *arena, const struct ets_export_trace *traces,
                                 uint32_t count, const struct ets_track_sink *sink,
                                 struct ets_error *error);

/* The next event after `before` (ETS_NO_INDEX: the first) inside of a slice's event that is linked;
   ETS_NO_INDEX: none. */
uint32_t ets_slice_next_link(const struct ets_slice *slice, uint32_t before);

/* The name of a slice's event; of a delegate's event its identifier. */
struct ets_text ets_slice_name(const struct ets_slice *slice);

#endif
