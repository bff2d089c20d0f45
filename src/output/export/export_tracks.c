/* Places the events of traces on tracks. */
#include "output/export/export_tracks.h"

#include "base/error.h"
#include "base/text.h"
#include "host/key_table.h"
#include "host/strings.h"
#include "host/text_builder.h"
#include "inspect/recorded_memory.h"
#include "output/export/planned_memory.h"
#include "output/export/row_sums.h"
#include "output/export/run_tree.h"

/* Tracks side by side of events that overlap; more is no trace. */
enum { MOST_LANES = 200 };

enum group {
    GROUP_METHOD,      /* a thread's runs of a method */
    GROUP_OVERLAP,     /* what does not nest there */
    GROUP_DELEGATE,    /* a delegate's events that do not */
    GROUP_OWN_CLOCK,   /* a delegate's events by its own clock */
    GROUP_ALLOCATIONS, /* counters: what an allocator handed out; */
    GROUP_PLANNED      /* planned memory in use */
};

/* A track, and how far it is filled. */
struct lane {
    struct ets_track track;
    enum group group;
    uint32_t open_count;    /* slices that are open */
    int64_t end, saved_end; /* of the last slice, in ticks; and before `pass` */
    uint64_t pass;          /* the last one that placed something here; 0: none */
    /* Own clocks: how far the time line is ahead, the call that this is of, and the end so far. */
    int64_t ahead, own_end;
    uint32_t call;
    uint64_t bytes; /* counters: of the run */
    uint32_t run;
};

struct ets_track_walk {
    struct ets_arena *arena;
    const struct ets_track_sink *sink;
    const struct ets_inspection *inspection;
    const char *name; /* of the trace, in messages */
    uint32_t trace, run;
    struct ets_run_tree tree;
    struct ets_planned_memory planned;
    const struct ets_memory_plan *plan; /* of the run's method; or NULL */
    uint32_t planned_lane;              /* number of its counter, once the run has a sample; or 0 */
    struct ets_strings names;           /* of methods, backends, allocators */
    struct ets_key_table keys;          /* of lanes: trace and group, thread, names, lane */
    struct lane *lanes;                 /* [keys.count] */
    uint32_t lane_capacity, track_count;
    uint32_t *placed; /* [event of the run] its lane */
    uint32_t main;    /* the lane of the run's method */
    uint64_t pass;    /* number of the walk over a run that places it; counts over all traces */
    uint32_t *used;   /* [used_count] the lanes that it used */
    uint32_t used_count, used_capacity;
    uint64_t *moved_in; /* [names] the last pass in which the delegate's events did not nest */
    uint32_t moved_capacity;
    const char *backend; /* the last one that was asked for, and its name's number */
    uint32_t backend_number;
    bool has_moved;   /* some of this run */
    bool has_threads; /* several */
    int64_t began;    /* ticks of the trace's first event */
    int64_t tick_ns;
    struct ets_error *error;
    bool is_failed; /* `error` is filled, or memory ran out */
};

static bool fail_lanes(struct ets_track_walk *walk)
{
    walk->is_failed = true;
    (void)ets_fail(walk->error, ETS_LIMIT, ETS_NO_OFFSET,
                   "run %u of %s has more than %u events at the same time", walk->run, walk->name,
                   (unsigned)MOST_LANES);
    return false;
}

/* ---- names ---- */

static struct ets_text backend_of(const struct ets_row *row)
{
    return ets_text_of(row->backend != NULL ? row->backend : "delegate");
}

static const char *trace_name(struct ets_track_walk *walk, const char *file)
{
    int is_known;
    const enum ets_time_unit unit = ets_inspection_tick_unit(walk->inspection, &is_known);
    char text[512];
    struct ets_text_builder name = {text, sizeof text, 0};
    ets_add_plain_text(&name, "%.400s", file);
    if (unit == ETS_UNIT_CYCLES) ets_add_text(&name, " (1 ns is a cycle)");
    else if (!is_known)
        ets_add_text(&name, " (clock unit not stated: read as %s)", ets_time_unit_name(unit));
    return ets_arena_copy_text(walk->arena, text, name.used);
}

static void name_lane(const struct ets_track_walk *walk, enum group group, struct ets_text name,
                      uint32_t number, struct ets_text_builder *out)
{
    const struct ets_run *run = ets_inspection_run(walk->inspection, walk->run);
    const struct ets_text method = ets_run_method(walk->inspection, walk->run);
    switch (group) {
    case GROUP_METHOD:
    case GROUP_OVERLAP:
        ets_add_plain_text(out, "%.*s", ETS_TEXT(method));
        if (walk->has_threads && run->thread != ETS_NO_INDEX) {
            ets_add_text(out, ", thread %u", run->thread);
        }
        break;
    case GROUP_ALLOCATIONS: ets_add_plain_text(out, "allocated: %.*s", ETS_TEXT(name)); return;
    case GROUP_PLANNED:
        ets_add_plain_text(out, "planned memory in use: %.*s", ETS_TEXT(method));
        if (walk->has_threads && run->thread != ETS_NO_INDEX) {
            ets_add_text(out, ", thread %u", run->thread);
        }
        return;
    default: ets_add_plain_text(out, "%.*s", ETS_TEXT(name)); break;
    }
    if (group == GROUP_OWN_CLOCK) ets_add_text(out, " (own clock: 1 ns is a tick)");
    if (group == GROUP_OVERLAP) ets_add_text(out, ", overlapping");
    if (number > 0) ets_add_text(out, " %u", number + 1);
}

/* ---- lanes ---- */

/* The lane, which is made and told if it is new; NULL: no memory. */
static struct lane *find_lane(struct ets_track_walk *walk, enum group group, struct ets_text name,
                              uint32_t number, uint32_t parent)
{
    const struct ets_run *run = ets_inspection_run(walk->inspection, walk->run);
    const bool is_of_trace = group == GROUP_OWN_CLOCK || group == GROUP_ALLOCATIONS;
    const uint32_t method =
        is_of_trace ? 0
                    : ets_strings_add(&walk->names, ets_run_method(walk->inspection, walk->run));
    const uint32_t named = ets_strings_add(&walk->names, name);
    if (method == UINT32_MAX || named == UINT32_MAX) return NULL;
    const uint64_t key[3] = {(uint64_t)walk->trace << 32 | (uint64_t)group << 16 | number,
                             is_of_trace ? 0 : run->thread, (uint64_t)method << 32 | named};
    const uint32_t found = ets_key_table_add(&walk->keys, key);
    if (found == ETS_KEY_NONE) return NULL;
    if (found < walk->track_count) return &walk->lanes[found];
    struct lane *lanes =
        ets_arena_grow(walk->arena, walk->lanes, found, &walk->lane_capacity, sizeof *lanes);
    if (lanes == NULL) return NULL;
    walk->lanes = lanes;
    char text[512];
    struct ets_text_builder builder = {text, sizeof text, 0};
    name_lane(walk, group, name, number, &builder);
    const char *copy = ets_arena_copy_text(walk->arena, text, builder.used);
    if (copy == NULL) return NULL;
    walk->track_count = found + 1;
    lanes[found] = (struct lane){.track = {.number = found + 1,
                                           .trace = walk->trace,
                                           .parent = parent,
                                           .is_counter = group >= GROUP_ALLOCATIONS,
                                           .name = copy},
                                 .group = group,
                                 .end = INT64_MIN,
                                 .own_end = INT64_MIN,
                                 .call = ETS_NO_INDEX,
                                 .run = ETS_NO_INDEX};
    return walk->sink->add_track(walk->sink->context, &lanes[found].track) ? &lanes[found] : NULL;
}

/* The first lane of a group that is free when the event starts; NULL: see is_failed. */
static struct lane *free_lane(struct ets_track_walk *walk, enum group group, struct ets_text name,
                              uint32_t parent, int64_t start)
{
    for (uint32_t i = 0; i < MOST_LANES; i++) {
        struct lane *lane = find_lane(walk, group, name, i, parent);
        if (lane == NULL || (lane->open_count == 0 && start >= lane->end)) return lane;
    }
    fail_lanes(walk);
    return NULL;
}

/* ---- times ---- */

/* An own clock may restart with each call: those times are moved behind the call before. */
static bool set_own_clock(struct ets_track_walk *walk, uint32_t event)
{
    struct ets_run_tree *tree = &walk->tree;
    const struct ets_row *row = ets_run_tree_row(tree, event);
    if (!ets_row_has_own_clock(row)) return true;
    struct lane *lane = find_lane(walk, GROUP_OWN_CLOCK, backend_of(row), 0, 0);
    if (lane == NULL) return false;
    const uint32_t parent = ets_run_tree_parent(tree, event);
    const uint32_t call = tree->first + (parent == ETS_NO_INDEX ? event : parent);
    const int64_t start = tree->start[event];
    if (lane->own_end == INT64_MIN) lane->ahead = -start;
    else if (lane->call != call && start + lane->ahead < lane->own_end)
        lane->ahead = lane->own_end - start;
    lane->call = call;
    tree->start[event] = ets_limited_sum(tree->start[event], lane->ahead);
    tree->end[event] = ets_limited_sum(tree->end[event], lane->ahead);
    if (tree->end[event] > lane->own_end) lane->own_end = tree->end[event];
    return true;
}

static uint64_t nanoseconds(const struct ets_track_walk *walk, int64_t ticks)
{
    const int64_t most = INT64_MAX / 2 / walk->tick_ns;
    if (ticks <= 0) return 0;
    return (uint64_t)(ticks > most ? most : ticks) * (uint64_t)walk->tick_ns;
}

/* ---- a run ---- */

typedef bool visit_event(struct ets_track_walk *walk, uint32_t event);

/* Calls `enter` of each event before those inside of it, and `leave` after them. */
static bool visit_tree(struct ets_track_walk *walk, visit_event *enter, visit_event *leave)
{
    const struct ets_run_tree *tree = &walk->tree;
    uint32_t at = tree->root;
    while (at != ETS_NO_INDEX) {
        if (!enter(walk, at)) return false;
        if (tree->inside[at] != ETS_NO_INDEX) {
            at = tree->inside[at];
            continue;
        }
        if (!leave(walk, at)) return false;
        while (tree->next[at] == ETS_NO_INDEX) {
            at = ets_run_tree_parent(tree, at);
            if (at == ETS_NO_INDEX) return true;
            if (!leave(walk, at)) return false;
        }
        at = tree->next[at];
    }
    return true;
}

/* Whether an event may stand on a lane, where its parent is if it has one. */
static bool nests(const struct ets_track_walk *walk, const struct lane *lane, uint32_t event,
                  uint32_t parent)
{
    const struct ets_run_tree *tree = &walk->tree;
    if (tree->start[event] < lane->end) return false;
    if (parent == ETS_NO_INDEX) return lane->open_count == 0;
    return tree->start[event] >= tree->start[parent] && tree->end[event] <= tree->end[parent];
}

/* The last pass in which events of a row's delegate left the method's track; NULL: no memory. */
static uint64_t *moved(struct ets_track_walk *walk, const struct ets_row *row)
{
    const char *backend = backend_of(row).data;
    if (walk->backend != backend || backend == NULL) {
        walk->backend_number = ets_strings_add(&walk->names, ets_text_of(backend));
        if (walk->backend_number == UINT32_MAX) return NULL;
        walk->backend = backend;
    }
    uint64_t *all = ets_arena_grow(walk->arena, walk->moved_in, walk->backend_number,
                                   &walk->moved_capacity, sizeof *all);
    if (all == NULL) return NULL;
    walk->moved_in = all;
    return &all[walk->backend_number];
}

static struct lane *choose_lane(struct ets_track_walk *walk, uint32_t event)
{
    const struct ets_text none = {NULL, 0};
    const struct ets_row *row = ets_run_tree_row(&walk->tree, event);
    const uint32_t parent = ets_run_tree_parent(&walk->tree, event);
    const uint32_t above = parent == ETS_NO_INDEX ? walk->main : walk->placed[parent];
    const bool has_own_clock = ets_row_has_own_clock(row);
    const bool nests_above = nests(walk, &walk->lanes[above], event, parent);
    const enum group around = walk->lanes[above].group;
    const int64_t start = walk->tree.start[event];
    const uint32_t main = walk->lanes[walk->main].track.number;
    if (nests_above && has_own_clock == (around == GROUP_OWN_CLOCK)) {
        const uint64_t *moved_in = row->is_delegated ? moved(walk, row) : NULL;
        if (row->is_delegated && moved_in == NULL) return NULL;
        if (moved_in == NULL || *moved_in != walk->pass || around != GROUP_METHOD) {
            return &walk->lanes[above];
        }
    }
    if (has_own_clock) return free_lane(walk, GROUP_OWN_CLOCK, backend_of(row), 0, start);
    if (!row->is_delegated) return free_lane(walk, GROUP_OVERLAP, none, main, start);
    uint64_t *moved_in = moved(walk, row);
    if (moved_in == NULL) return NULL;
    *moved_in = walk->pass;
    walk->has_moved = true;
    return free_lane(walk, GROUP_DELEGATE, backend_of(row), main, start);
}

/* Notes where a lane ended before this pass. */
static bool use_lane(struct ets_track_walk *walk, struct lane *lane)
{
    if (lane->pass == walk->pass) return true;
    uint32_t *used = ets_arena_grow(walk->arena, walk->used, walk->used_count, &walk->used_capacity,
                                    sizeof *used);
    if (used == NULL) return false;
    walk->used = used;
    used[walk->used_count++] = lane->track.number - 1;
    lane->pass = walk->pass;
    lane->saved_end = lane->end;
    return true;
}

static bool place(struct ets_track_walk *walk, uint32_t event)
{
    struct lane *lane = choose_lane(walk, event);
    if (lane == NULL || !use_lane(walk, lane)) return false;
    walk->placed[event] = lane->track.number - 1;
    lane->open_count++;
    return true;
}

static bool close_slice(struct ets_track_walk *walk, uint32_t event)
{
    struct lane *lane = &walk->lanes[walk->placed[event]];
    lane->open_count--;
    if (walk->tree.end[event] > lane->end) lane->end = walk->tree.end[event];
    return true;
}

/* For a pass that has nothing to do there. */
static bool stay(struct ets_track_walk *walk, uint32_t event)
{
    (void)walk;
    (void)event;
    return true;
}

/* A second pass where a delegate's events have to leave those that were placed before. */
static bool place_all(struct ets_track_walk *walk)
{
    const struct lane *lane = find_lane(walk, GROUP_METHOD, (struct ets_text){NULL, 0}, 0, 0);
    if (lane == NULL) return false;
    walk->main = lane->track.number - 1;
    if (!visit_tree(walk, set_own_clock, stay)) return false;
    walk->has_moved = false;
    walk->used_count = 0;
    walk->pass++;
    if (!visit_tree(walk, place, close_slice)) return false;
    if (!walk->has_moved) return true;
    for (uint32_t i = 0; i < walk->used_count; i++) {
        struct lane *used = &walk->lanes[walk->used[i]];
        used->end = used->saved_end;
    }
    return visit_tree(walk, place, close_slice);
}

static bool is_linked(const struct ets_track_walk *walk, uint32_t event, uint32_t parent)
{
    return parent != ETS_NO_INDEX && walk->placed[event] != walk->placed[parent] &&
           walk->tree.start[event] >= walk->tree.start[parent] &&
           (walk->lanes[walk->placed[event]].group == GROUP_OWN_CLOCK) ==
               (walk->lanes[walk->placed[parent]].group == GROUP_OWN_CLOCK);
}

static struct ets_slice slice_of(const struct ets_track_walk *walk, uint32_t event)
{
    const struct ets_run_tree *tree = &walk->tree;
    const struct lane *lane = &walk->lanes[walk->placed[event]];
    const uint32_t parent = ets_run_tree_parent(tree, event);
    const bool has_own_clock = lane->group == GROUP_OWN_CLOCK;
    struct ets_slice slice = {.inspection = walk->inspection,
                              .trace = walk->trace,
                              .track = lane->track.number,
                              .event = tree->first + event,
                              .run = walk->run,
                              .row = tree->events->row[tree->first + event],
                              .is_on_method = lane->group == GROUP_METHOD,
                              .is_outermost = parent == ETS_NO_INDEX,
                              .is_linked = is_linked(walk, event, parent),
                              .start = (uint64_t)tree->start[event],
                              .end = (uint64_t)tree->end[event],
                              .walk = walk};
    if (!has_own_clock) {
        slice.start = nanoseconds(walk, tree->start[event] - walk->began);
        slice.end = nanoseconds(walk, tree->end[event] - walk->began);
    }
    return slice;
}

uint32_t ets_slice_next_link(const struct ets_slice *slice, uint32_t before)
{
    const struct ets_track_walk *walk = slice->walk;
    const uint32_t first = walk->tree.first;
    uint32_t at = before == ETS_NO_INDEX ? walk->tree.inside[slice->event - first]
                                         : walk->tree.next[before - first];
    while (at != ETS_NO_INDEX && !is_linked(walk, at, slice->event - first)) {
        at = walk->tree.next[at];
    }
    return at == ETS_NO_INDEX ? ETS_NO_INDEX : first + at;
}

struct ets_text ets_slice_name(const struct ets_slice *slice)
{
    const struct ets_text name = ets_inspection_row(slice->inspection, slice->row)->name;
    return name.data != NULL ? name : ets_text_of("");
}

/* ---- samples ---- */

static bool tell_sample(struct ets_track_walk *walk, const struct lane *lane, int64_t ticks)
{
    const struct ets_sample sample = {.trace = walk->trace,
                                      .track = lane->track.number,
                                      .at = nanoseconds(walk, ticks - walk->began),
                                      .bytes = lane->bytes};
    return walk->sink->add_sample(walk->sink->context, &sample);
}

/* Whether an event is inside of another one of its instruction, as a kernel is of its operator
 * call. */
static bool is_inside_instruction(const struct ets_run_tree *tree, uint32_t event)
{
    const struct ets_event_table *events = tree->events;
    const uint32_t parent = ets_run_tree_parent(tree, event);
    if (parent == ETS_NO_INDEX || ets_row_has_own_clock(ets_run_tree_row(tree, parent))) {
        return false;
    }
    const uint32_t outer = tree->first + parent, inner = tree->first + event;
    return events->chain[outer] == events->chain[inner] &&
           events->instruction[outer] == events->instruction[inner];
}

/* A sample where an instruction has more or less planned memory in use than the one before. */
static bool tell_planned(struct ets_track_walk *walk, uint32_t event)
{
    const struct ets_run_tree *tree = &walk->tree;
    const uint32_t at = tree->first + event;
    uint64_t bytes;
    if (walk->plan == NULL ||
        !ets_planned_memory_live(walk->plan, tree->events->chain[at], tree->events->instruction[at],
                                 &bytes) ||
        ets_row_has_own_clock(ets_run_tree_row(tree, event)) ||
        is_inside_instruction(tree, event)) {
        return true;
    }
    const bool is_first = walk->planned_lane == 0;
    struct lane *lane = is_first ? find_lane(walk, GROUP_PLANNED, (struct ets_text){"", 0}, 0, 0)
                                 : &walk->lanes[walk->planned_lane - 1];
    if (lane == NULL) return false;
    if (!is_first && lane->bytes == bytes) return true;
    lane->bytes = bytes;
    walk->planned_lane = lane->track.number;
    return tell_sample(walk, lane, tree->start[event]);
}

/* Behind the run, nothing is in use. */
static bool end_planned(struct ets_track_walk *walk, uint32_t event)
{
    if (walk->planned_lane == 0 || ets_run_tree_parent(&walk->tree, event) != ETS_NO_INDEX ||
        walk->tree.next[event] != ETS_NO_INDEX) {
        return true;
    }
    struct lane *lane = &walk->lanes[walk->planned_lane - 1];
    lane->bytes = 0;
    return tell_sample(walk, lane, walk->tree.end[event]);
}

static bool tell_begin(struct ets_track_walk *walk, uint32_t event)
{
    if (!tell_planned(walk, event)) return false;
    const struct ets_slice slice = slice_of(walk, event);
    return walk->sink->begin(walk->sink->context, &slice);
}

static bool tell_end(struct ets_track_walk *walk, uint32_t event)
{
    if (!end_planned(walk, event)) return false;
    const struct ets_slice slice = slice_of(walk, event);
    return walk->sink->end == NULL || walk->sink->end(walk->sink->context, &slice);
}

/* ---- allocations ---- */

static struct lane *allocator_lane(struct ets_track_walk *walk, uint32_t event)
{
    const uint64_t number = walk->tree.events->start[event];
    struct ets_text name = ets_allocator_name(walk->inspection, walk->run, number);
    if (name.data == NULL) {
        char text[40];
        const size_t size = ets_print_text(text, sizeof text, "allocator %llu", number + 0ull);
        const char *copy = ets_arena_copy_text(walk->arena, text, size);
        if (copy == NULL) return NULL;
        name = (struct ets_text){copy, size};
    }
    return find_lane(walk, GROUP_ALLOCATIONS, name, 0, 0);
}

/* An allocation stands at the start of the instruction that ends next. */
static bool tell_allocations(struct ets_track_walk *walk)
{
    const struct ets_run_tree *tree = &walk->tree;
    uint32_t next = 0; /* that instruction */
    if (tree->root == ETS_NO_INDEX) return true;
    for (uint32_t i = 0; i < tree->count; i++) {
        if (tree->events->kind[tree->first + i] != ETS_EVENT_ALLOCATION) continue;
        if (next < i) next = i;
        while (next < tree->count &&
               (!ets_run_tree_has(tree, next) || tree->events->chain[tree->first + next] < 0 ||
                ets_row_has_own_clock(ets_run_tree_row(tree, next)))) {
            next++;
        }
        struct lane *lane = allocator_lane(walk, tree->first + i);
        if (lane == NULL) return false;
        if (lane->run != walk->run) {
            lane->run = walk->run;
            lane->bytes = 0;
            if (!tell_sample(walk, lane, tree->start[tree->root])) return false;
        }
        const uint64_t bytes = tree->events->end[tree->first + i];
        lane->bytes = bytes > INT64_MAX - lane->bytes ? INT64_MAX : lane->bytes + bytes;
        const int64_t at = next < tree->count ? tree->start[next] : tree->start[tree->root];
        if (!tell_sample(walk, lane, at)) return false;
    }
    return true;
}

/* ---- a trace ---- */

static bool visit_run(struct ets_track_walk *walk, uint32_t run)
{
    const struct ets_track_sink *sink = walk->sink;
    walk->run = run;
    walk->planned_lane = 0;
    walk->plan =
        ets_planned_memory_find(&walk->planned, ets_run_method(walk->inspection, walk->run));
    ets_run_tree_build(&walk->tree, run);
    if (walk->tree.root == ETS_NO_INDEX) return true;
    return place_all(walk) && visit_tree(walk, tell_begin, tell_end) &&
           (sink->add_sample == NULL || tell_allocations(walk));
}

static void find_begin(struct ets_track_walk *walk, uint32_t run_count)
{
    const struct ets_run_tree *tree = &walk->tree;
    uint32_t first_thread = ETS_NO_INDEX;
    walk->began = INT64_MAX;
    walk->has_threads = false;
    for (uint32_t r = 0; r < run_count; r++) {
        const uint32_t thread = ets_inspection_run(walk->inspection, r)->thread;
        ets_run_tree_build(&walk->tree, r);
        if (first_thread == ETS_NO_INDEX) first_thread = thread;
        walk->has_threads |= thread != ETS_NO_INDEX && thread != first_thread;
        for (uint32_t i = 0; i < tree->count; i++) {
            if (!ets_run_tree_has(tree, i) || tree->start[i] >= walk->began) continue;
            if (!ets_row_has_own_clock(ets_run_tree_row(tree, i))) walk->began = tree->start[i];
        }
    }
    if (walk->began == INT64_MAX) walk->began = 0;
    ets_run_tree_rewind(&walk->tree);
}

static bool visit_trace(struct ets_track_walk *walk, const struct ets_export_trace *trace)
{
    const uint32_t run_count = ets_inspection_run_count(trace->inspection);
    walk->inspection = trace->inspection;
    walk->tick_ns = (int64_t)ets_tick_ns(trace->inspection);
    if (!ets_run_tree_init(&walk->tree, walk->arena, trace->inspection)) return false;
    if (walk->sink->add_sample != NULL &&
        !ets_planned_memory_read(walk->arena, trace->program, &walk->planned)) {
        return false;
    }
    uint32_t most = 0;
    for (uint32_t i = 0; i < run_count; i++) {
        const uint32_t count = ets_inspection_run(trace->inspection, i)->event_count;
        if (count > most) most = count;
    }
    walk->placed = ets_arena_alloc_array(walk->arena, most, sizeof *walk->placed);
    const char *name = trace_name(walk, trace->name);
    if (walk->placed == NULL || name == NULL) return false;
    if (!walk->sink->add_trace(walk->sink->context, walk->trace, name)) return false;
    find_begin(walk, run_count);
    for (uint32_t i = 0; i < run_count; i++) {
        if (!visit_run(walk, i)) return false;
    }
    return true;
}

enum ets_status ets_tracks_visit(struct ets_arena *arena, const struct ets_export_trace *traces,
                                 uint32_t count, const struct ets_track_sink *sink,
                                 struct ets_error *error)
{
    struct ets_track_walk walk = {.arena = arena, .sink = sink, .error = error};
    bool ok = ets_strings_init(&walk.names, arena) == 0;
    ets_key_table_init(&walk.keys, arena, 3);
    for (; ok && walk.trace < count; walk.trace++) {
        walk.name = count > 1 ? traces[walk.trace].name : "the trace";
        ok = visit_trace(&walk, &traces[walk.trace]);
    }
    if (ok) return ETS_OK;
    return walk.is_failed ? ETS_LIMIT : ets_fail_memory(error, "the exported file");
}
