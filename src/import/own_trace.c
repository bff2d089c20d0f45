/* Puts exported events back into the order in which a tracer logs them. */
#include "import/own_trace.h"

#include <stdlib.h>

#include "import/text_lines.h"

/* The calls of an instruction in a run, and its events that are outside of calls. */
struct place {
    uint32_t call;        /* + 1; the first one, then the one whose turn it is; 0: none */
    uint32_t calls, turn; /* how many, and how many come before `call` */
    uint32_t loose, taken;
};

struct arranger {
    struct ets_foreign *f;
    const struct ets_own_slice *own;
    struct ets_key_table threads;
    uint32_t *innermost, innermost_room; /* [thread] */
    struct ets_key_table places;         /* run and instruction of calls of delegates */
    struct place *at;                    /* [place] */
    uint32_t place_room;
    uint32_t *next_call; /* [slice] + 1 */
};

/*
 * An event lies in an outer one of its instruction, or in one outside of any; of other runtimes
 * also in one of another instruction.
 */
static bool is_inside(const struct arranger *a, uint32_t outer, uint32_t inner)
{
    const struct ets_slice *o = &a->f->slices[outer], *i = &a->f->slices[inner];
    const struct ets_own_slice *of_outer = &a->own[outer], *of_inner = &a->own[inner];
    if (of_outer->run != of_inner->run || i->start < o->start || i->end > o->end) return false;
    if (of_outer->instruction < 0 || of_outer->instruction == of_inner->instruction) return true;
    return a->f->runtime != NULL && i->start < o->end;
}

static enum ets_status nest(struct arranger *a, uint32_t index, struct ets_error *error)
{
    struct ets_foreign *f = a->f;
    struct ets_slice *slice = &f->slices[index];
    const uint32_t known = a->threads.count;
    const uint32_t thread = ets_key_table_add(&a->threads, &slice->thread);
    uint32_t *innermost = thread == ETS_KEY_NONE
                              ? NULL
                              : ets_arena_grow(&f->arena, a->innermost, thread, &a->innermost_room,
                                               sizeof *innermost);
    if (innermost == NULL) return ets_fail_foreign(error);
    a->innermost = innermost;
    uint32_t outer = thread == known ? ETS_NO_SLICE : innermost[thread];
    while (outer != ETS_NO_SLICE && !is_inside(a, outer, index)) outer = f->slices[outer].parent;
    slice->parent = outer;
    slice->depth = outer == ETS_NO_SLICE ? 0 : f->slices[outer].depth + 1;
    slice->first_child = slice->last_child = slice->next_sibling = ETS_NO_SLICE;
    slice->node = (uint32_t)a->own[index].instruction;
    if (slice->depth >= ETS_FOREIGN_MOST_DEPTH) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET, "events nest deeper than %d",
                        ETS_FOREIGN_MOST_DEPTH);
    }
    innermost[thread] = index;
    return ETS_OK;
}

/* The place of the slice's run and instruction; NULL: no memory. */
static struct place *place_of(struct arranger *a, uint32_t index)
{
    const uint64_t key[] = {a->own[index].run, (uint64_t)(uint32_t)a->own[index].instruction};
    const uint32_t known = a->places.count, number = ets_key_table_add(&a->places, key);
    if (number == ETS_KEY_NONE) return NULL;
    struct place *all = ets_arena_grow(&a->f->arena, a->at, number, &a->place_room, sizeof *all);
    if (all == NULL) return NULL;
    a->at = all;
    if (number == known) all[number] = (struct place){.call = 0};
    return &all[number];
}

/* A delegate's event outside of a call: it is on a track of its own. */
static bool is_loose(const struct arranger *a, uint32_t index)
{
    const uint32_t outer = a->f->slices[index].parent;
    return a->f->slices[index].is_delegated && (outer == ETS_NO_SLICE || !a->own[outer].is_call);
}

/* Lists calls, the last one first, and counts loose events. */
static bool count_places(struct arranger *a)
{
    for (uint32_t i = a->f->slice_count; i-- > 0;) {
        if (!a->own[i].is_call && !is_loose(a, i)) continue;
        struct place *place = place_of(a, i);
        if (place == NULL) return false;
        if (!a->own[i].is_call) {
            place->loose++;
        } else {
            a->next_call[i] = place->call;
            place->call = i + 1;
            place->calls++;
        }
    }
    return true;
}

/* Whether a call may enclose an event: the call is not inside of it, nor too deep. */
static bool may_enclose(const struct arranger *a, uint32_t call, uint32_t event)
{
    uint32_t outer = call;
    for (int i = 0; i < ETS_FOREIGN_MOST_DEPTH && outer != ETS_NO_SLICE; i++) {
        if (outer == event) return false;
        outer = a->f->slices[outer].parent;
    }
    return outer == ETS_NO_SLICE;
}

/*
 * Gives loose events of an instruction to its calls in the run: equally many to each, in order. One
 * that its call cannot enclose stays where it is.
 */
static bool tie_loose(struct arranger *a)
{
    for (uint32_t i = 0; i < a->f->slice_count; i++) {
        if (!is_loose(a, i)) continue;
        struct place *place = place_of(a, i);
        if (place == NULL) return false;
        if (place->calls == 0) continue;
        const uint64_t turn = (uint64_t)place->taken++ * place->calls / place->loose;
        for (; place->turn < turn; place->turn++) place->call = a->next_call[place->call - 1];
        if (may_enclose(a, place->call - 1, i)) a->f->slices[i].parent = place->call - 1;
    }
    return true;
}

struct numbered {
    uint64_t run;
    uint32_t slice;
};

static int by_run(const void *left, const void *right)
{
    const struct numbered *a = left, *b = right;
    if (a->run != b->run) return a->run < b->run ? -1 : 1;
    return a->slice < b->slice ? -1 : a->slice > b->slice;
}

/* Takes the thread off the name of a method's track: "encode, thread 1", "encode, overlapping 2".
 */
static void take_thread(struct ets_text *track, uint32_t *thread_out)
{
    struct ets_text left = *track, part;
    int64_t number;
    if (!ets_take_last(&left, ", ", &part)) return;
    if (ets_text_starts_with(part, "overlapping")) {
        *track = left;
        if (!ets_take_last(&left, ", ", &part)) return;
    }
    if (!ets_text_starts_with(part, "thread ")) return;
    part = (struct ets_text){part.data + 7, part.size - 7};
    if (!ets_decimal_ns(part, 0, &number) || number < 0 || number > INT32_MAX) return;
    *thread_out = (uint32_t)number;
    *track = left;
}

/* What an event tells of its run. */
static enum ets_status describe_run(struct ets_foreign *f, struct ets_foreign_run *run,
                                    uint32_t slice, const struct ets_own_slice *own,
                                    struct ets_error *error)
{
    const struct ets_text name = ets_strings_get(&f->texts, f->slices[slice].op);
    struct ets_text track = ets_strings_get(&f->texts, own->track);
    const bool is_execution = ets_text_is(name, "Method::execute");
    const bool is_load = ets_text_is(name, "Program::load_method");
    if (own->instruction >= 0 || (!is_execution && !is_load)) return ETS_OK;
    run->purpose = is_execution ? ETS_TRACE_EXECUTE : ETS_TRACE_LOAD;
    take_thread(&track, &run->thread);
    /* The names of runs without a method. */
    if (ets_text_is(track, "Execute") || ets_text_is(track, "Default")) return ETS_OK;
    return ets_foreign_text(f, track, &run->method, error);
}

static enum ets_status list_runs(struct arranger *a, struct ets_error *error)
{
    struct ets_foreign *f = a->f;
    struct numbered *order = ets_arena_alloc_array(&f->arena, f->slice_count, sizeof *order);
    if (order == NULL) return ets_fail_foreign(error);
    for (uint32_t i = 0; i < f->slice_count; i++) order[i] = (struct numbered){a->own[i].run, i};
    qsort(order, f->slice_count, sizeof *order, by_run);
    for (uint32_t i = 0; i < f->slice_count; i++) {
        const uint32_t at = order[i].slice;
        struct ets_slice *slice = &f->slices[at];
        if (i == 0 || order[i].run != order[i - 1].run) {
            struct ets_foreign_run *runs =
                ets_arena_grow(&f->arena, f->runs, f->run_count, &f->run_room, sizeof *runs);
            if (runs == NULL) return ets_fail_foreign(error);
            f->runs = runs;
            runs[f->run_count++] = (struct ets_foreign_run){
                .slice = ETS_NO_SLICE, .first_child = ETS_NO_SLICE, .last_child = ETS_NO_SLICE};
        }
        struct ets_foreign_run *run = &f->runs[f->run_count - 1];
        slice->run = f->run_count - 1;
        ETS_TRY(describe_run(f, run, at, &a->own[at], error));
        if (slice->parent == ETS_NO_SLICE)
            ets_foreign_append(f, &run->first_child, &run->last_child, at);
        else
            ets_foreign_append(f, &f->slices[slice->parent].first_child,
                               &f->slices[slice->parent].last_child, at);
    }
    return ETS_OK;
}

/* ExecuTorch's names, and how often each method ran before. */
static enum ets_status name_runs(struct ets_foreign *f, struct ets_error *error)
{
    static const struct ets_text execute = {"Execute", 7}, other = {"Default", 7};
    uint32_t *seen = ets_arena_alloc_array(&f->arena, f->texts.count, sizeof *seen);
    if (seen == NULL) return ets_fail_foreign(error);
    for (uint32_t i = 0; i < f->run_count; i++) {
        struct ets_foreign_run *run = &f->runs[i];
        const bool is_execution = run->purpose == ETS_TRACE_EXECUTE;
        if (is_execution) run->invocation = seen[run->method]++;
        ETS_TRY(ets_foreign_text(f, is_execution ? execute : other, &run->name, error));
    }
    return ETS_OK;
}

/* The nodes of another runtime, by the numbers that their instructions had. */
static enum ets_status list_nodes(struct arranger *a, struct ets_error *error)
{
    struct ets_foreign *f = a->f;
    const uint32_t most = 2 * f->slice_count + 1024;
    for (uint32_t i = 0; i < f->slice_count; i++) {
        const struct ets_slice *slice = &f->slices[i];
        if (a->own[i].instruction < 0) continue;
        if (slice->node > most) {
            return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                            "instruction %u is beyond those that %u events can have",
                            (unsigned)slice->node, (unsigned)f->slice_count);
        }
        struct ets_foreign_node *nodes =
            ets_arena_grow(&f->arena, f->nodes, slice->node, &f->node_room, sizeof *nodes);
        if (nodes == NULL) return ets_fail_foreign(error);
        f->nodes = nodes;
        for (; f->node_count <= slice->node; f->node_count++) {
            nodes[f->node_count] = (struct ets_foreign_node){ETS_NO_SLICE, ETS_NO_SLICE};
        }
        if (nodes[slice->node].slice != ETS_NO_SLICE) continue;
        const uint32_t outer = slice->parent;
        const bool is_inner = outer != ETS_NO_SLICE && a->own[outer].instruction >= 0;
        nodes[slice->node] =
            (struct ets_foreign_node){is_inner ? f->slices[outer].node : ETS_NO_SLICE, i};
    }
    return ETS_OK;
}

enum ets_status ets_own_trace_arrange(struct ets_foreign *f, const struct ets_own_slice *own,
                                      struct ets_error *error)
{
    struct arranger a = {.f = f, .own = own};
    ets_key_table_init(&a.threads, &f->arena, 1);
    ets_key_table_init(&a.places, &f->arena, 2);
    a.next_call = ets_arena_alloc_array(&f->arena, f->slice_count, sizeof *a.next_call);
    if (a.next_call == NULL) return ets_fail_foreign(error);
    for (uint32_t i = 0; i < f->slice_count; i++) ETS_TRY(nest(&a, i, error));
    if (!count_places(&a) || !tie_loose(&a)) return ets_fail_foreign(error);
    ETS_TRY(list_runs(&a, error));
    ETS_TRY(name_runs(f, error));
    if (f->runtime != NULL) ETS_TRY(list_nodes(&a, error));
    f->is_arranged = true;
    return ets_foreign_list_emitted(f, error);
}
