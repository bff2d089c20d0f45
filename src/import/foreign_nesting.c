/* Finds the runs of a profile and what encloses each slice, by their times. */
#include <stdlib.h>

#include "import/foreign.h"

/* The order in which slices begin, outer ones first. */
struct begin {
    int64_t start, end;
    uint32_t index, rank; /* the lower rank is outside of an equal slice */
};

struct nester {
    struct ets_foreign *f;
    struct ets_key_table threads;
    uint32_t *innermost; /* [thread] the open slice, or ETS_NO_SLICE */
    uint32_t innermost_room;
    uint32_t open[ETS_FOREIGN_MOST_DEPTH]; /* frames */
    uint32_t open_count;
};

static int by_begin(const void *left, const void *right)
{
    const struct begin *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    if (a->end != b->end) return a->end > b->end ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static struct begin *sort(struct ets_foreign *f)
{
    struct begin *order = ets_arena_alloc_array(&f->arena, f->slice_count, sizeof *order);
    for (uint32_t i = 0; order != NULL && i < f->slice_count; i++) {
        const struct ets_slice *slice = &f->slices[i];
        uint32_t rank = f->inner_first ? f->slice_count - i : i + 1;
        if (slice->kind == ETS_SLICE_RUN) rank = 0;
        order[i] = (struct begin){slice->start, slice->end, i, rank};
        if (!f->only_frames || slice->is_frame || slice->kind == ETS_SLICE_RUN) continue;
        order[i].end = INT64_MIN; /* it encloses nothing: behind frames, in the file's order */
        order[i].rank = i + 1;
    }
    if (order != NULL && f->slice_count > 0) qsort(order, f->slice_count, sizeof *order, by_begin);
    return order;
}

/* Whether `inner`, which begins later, ends in time. Each of both ends may be off by a step. */
static bool is_inside(const struct ets_foreign *f, uint32_t outer, const struct ets_slice *inner)
{
    const int64_t slack = f->step_ns > 1 ? (int64_t)f->step_ns : 0;
    const struct ets_slice *o = &f->slices[outer];
    if (inner->end > o->end + slack) return false;
    return inner->start < o->end || (inner->start == o->end && o->kind == ETS_SLICE_RUN);
}

/* The innermost open slice of its thread that it is inside of. */
static uint32_t enclosing_in_thread(struct nester *n, uint32_t thread,
                                    const struct ets_slice *slice)
{
    uint32_t *top = &n->innermost[thread];
    while (*top != ETS_NO_SLICE && !is_inside(n->f, *top, slice)) *top = n->f->slices[*top].parent;
    return *top;
}

/*
 * The innermost open slice of another thread that may enclose it; none if several executions might.
 */
static uint32_t enclosing_elsewhere(struct nester *n, const struct ets_slice *slice)
{
    uint32_t kept = 0, found = ETS_NO_SLICE, runs = 0;
    for (uint32_t i = 0; i < n->open_count; i++) {
        const uint32_t outer = n->open[i];
        if (n->f->slices[outer].end < slice->start) continue;
        n->open[kept++] = outer;
        if (!is_inside(n->f, outer, slice)) continue;
        runs += n->f->slices[outer].kind == ETS_SLICE_RUN;
        found = outer;
    }
    n->open_count = kept;
    return runs > 1 ? ETS_NO_SLICE : found;
}

/*
 * Notes a frame that begins. Those that ended enclose nothing from here on, also where a run ended
 * at the same time: what begins then is of the one that begins.
 */
static void open_frame(struct nester *n, uint32_t index)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n->open_count; i++) {
        if (n->f->slices[n->open[i]].end > n->f->slices[index].start) n->open[kept++] = n->open[i];
    }
    n->open_count = kept;
    if (kept < ETS_FOREIGN_MOST_DEPTH) n->open[n->open_count++] = index;
}

/* Parents of a thread form its stack, so a parent elsewhere ends the search in the thread. */
static enum ets_status place(struct nester *n, uint32_t index, struct ets_error *error)
{
    struct ets_foreign *f = n->f;
    struct ets_slice *slice = &f->slices[index];
    const uint32_t known = n->threads.count;
    const uint32_t thread = ets_key_table_add(&n->threads, &slice->thread);
    if (thread == ETS_KEY_NONE) return ets_fail_foreign(error);
    if (thread == known) {
        uint32_t *innermost =
            ets_arena_grow(&f->arena, n->innermost, thread, &n->innermost_room, sizeof *innermost);
        if (innermost == NULL) return ets_fail_foreign(error);
        n->innermost = innermost;
        innermost[thread] = ETS_NO_SLICE;
    }
    uint32_t parent = enclosing_in_thread(n, thread, slice);
    if (parent == ETS_NO_SLICE) parent = enclosing_elsewhere(n, slice);
    if (slice->kind == ETS_SLICE_RUN) parent = ETS_NO_SLICE; /* runs do not nest */
    if (slice->owner > 0) parent = slice->owner - 1;
    if (parent != ETS_NO_SLICE && f->slices[parent].depth + 1 >= ETS_FOREIGN_MOST_DEPTH) {
        parent = f->slices[parent].parent;
    }
    slice->parent = parent;
    slice->depth = parent == ETS_NO_SLICE ? 0 : f->slices[parent].depth + 1;
    const bool has_parts = slice->is_frame || slice->kind == ETS_SLICE_RUN || !f->only_frames;
    if (slice->kind == ETS_SLICE_ALLOCATION || !has_parts) return ETS_OK;
    n->innermost[thread] = index;
    if (slice->is_frame) open_frame(n, index);
    return ETS_OK;
}

static enum ets_status add_run(struct ets_foreign *f, const char *name, uint32_t slice,
                               enum ets_trace_purpose purpose, struct ets_error *error)
{
    struct ets_foreign_run *runs =
        ets_arena_grow(&f->arena, f->runs, f->run_count, &f->run_room, sizeof *runs);
    if (runs == NULL) return ets_fail_foreign(error);
    f->runs = runs;
    struct ets_foreign_run *run = &runs[f->run_count];
    *run = (struct ets_foreign_run){
        .slice = slice,
        .first_child = ETS_NO_SLICE,
        .last_child = ETS_NO_SLICE,
        .purpose = purpose,
        .invocation = f->run_count,
    };
    ETS_TRY(ets_foreign_text(f, (struct ets_text){name, strlen(name)}, &run->name, error));
    if (slice != ETS_NO_SLICE) {
        if (f->slices[slice].name != ETS_STRING_NONE) run->name = f->slices[slice].name;
        run->method = f->slices[slice].module;
        f->slices[slice].run = f->run_count;
    }
    f->run_count++;
    return ETS_OK;
}

/* Slices outside of any execution: loading, for example. */
static enum ets_status find_outside(struct ets_foreign *f, uint32_t *outside_out,
                                    struct ets_error *error)
{
    bool has_load = false, has_outside = false;
    for (uint32_t i = 0; i < f->slice_count; i++) {
        const struct ets_slice *slice = &f->slices[i];
        has_load = has_load || slice->kind == ETS_SLICE_LOAD;
        has_outside =
            has_outside || (slice->kind != ETS_SLICE_RUN && slice->parent == ETS_NO_SLICE);
    }
    *outside_out = ETS_NO_SLICE;
    if (!has_outside) return ETS_OK;
    *outside_out = f->run_count;
    if (has_load) return add_run(f, "Default", ETS_NO_SLICE, ETS_TRACE_LOAD, error);
    return add_run(f, "Outside of runs", ETS_NO_SLICE, ETS_TRACE_UNKNOWN, error);
}

/* Appends a slice to the list of what encloses it. */
static void append(struct ets_foreign *f, uint32_t at, uint32_t outside)
{
    const uint32_t parent = f->slices[at].parent;
    f->slices[at].run = parent == ETS_NO_SLICE ? outside : f->slices[parent].run;
    struct ets_foreign_run *run = &f->runs[f->slices[at].run];
    if (parent == ETS_NO_SLICE || parent == run->slice) {
        ets_foreign_append(f, &run->first_child, &run->last_child, at);
    } else {
        ets_foreign_append(f, &f->slices[parent].first_child, &f->slices[parent].last_child, at);
    }
}

/* Runs, and the lists of children, in the order of their beginnings. */
static enum ets_status list(struct ets_foreign *f, const struct begin *order,
                            struct ets_error *error)
{
    uint32_t outside;
    ETS_TRY(find_outside(f, &outside, error));
    for (uint32_t i = 0; i < f->slice_count; i++) {
        const uint32_t at = order[i].index;
        if (f->slices[at].kind == ETS_SLICE_ALLOCATION) continue;
        if (f->slices[at].kind != ETS_SLICE_RUN) append(f, at, outside);
        else ETS_TRY(add_run(f, "Execute", at, ETS_TRACE_EXECUTE, error));
    }
    /* Behind the other children: an allocation counts to the event that is logged next. */
    for (uint32_t i = 0; i < f->slice_count; i++) {
        const uint32_t at = order[i].index;
        if (f->slices[at].kind == ETS_SLICE_ALLOCATION) append(f, at, outside);
    }
    for (uint32_t i = 0; outside != ETS_NO_SLICE && i < f->run_count; i++) {
        f->runs[i].invocation = i == outside ? 0 : i - (i > outside);
    }
    return ETS_OK;
}

/* A profile that marks no execution is one, from its first slice to its last. */
static enum ets_status add_whole(struct ets_foreign *f, struct ets_error *error)
{
    struct ets_slice whole = {.kind = ETS_SLICE_RUN, .start = INT64_MAX, .is_frame = true};
    for (uint32_t i = 0; i < f->slice_count; i++) {
        const struct ets_slice *slice = &f->slices[i];
        if (slice->kind == ETS_SLICE_RUN || slice->kind == ETS_SLICE_LOAD) return ETS_OK;
        if (slice->start < whole.start) whole.start = slice->start;
        if (slice->end > whole.end) whole.end = slice->end;
    }
    whole.thread = f->slices[0].thread;
    return ets_foreign_add(f, &whole, error);
}

enum ets_status ets_foreign_nest(struct ets_foreign *f, struct ets_error *error)
{
    struct nester n = {.f = f};
    ets_key_table_init(&n.threads, &f->arena, 1);
    ETS_TRY(add_whole(f, error));
    const struct begin *order = sort(f);
    if (order == NULL) return ets_fail_foreign(error);
    for (uint32_t i = 0; i < f->slice_count; i++) {
        struct ets_slice *slice = &f->slices[i];
        slice->first_child = slice->last_child = slice->next_sibling = ETS_NO_SLICE;
    }
    for (uint32_t i = 0; i < f->slice_count; i++) ETS_TRY(place(&n, order[i].index, error));
    return list(f, order, error);
}
