/* Turns the events of a block into a matrix of positions and runs. */
#include "output/page/page_events.h"

#include <stdlib.h>

#include "inspect/time_details.h"

/* The events of a block's first run, in order of start; those that enclose others before them. */
struct sequence {
    const struct ets_studied_trace *trace;
    uint32_t *offsets; /* [position] of the event in its run */
    uint32_t *before;  /* [position] the last one of the same parent, or ETS_NO_INDEX */
    uint32_t *runs;    /* [run_count] numbers in the trace */
    uint32_t event_count;
};

struct place {
    uint64_t start;
    uint32_t depth, offset;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static bool find_runs(struct ets_arena *arena, const struct ets_studied_trace *trace,
                      uint32_t block, struct sequence *sequence, uint32_t *count_out)
{
    const struct ets_block *found = ets_inspection_block(trace->inspection, block);
    const uint32_t total = ets_inspection_run_count(trace->inspection);
    *count_out = 0;
    sequence->runs = ets_arena_alloc_array(arena, found->run_count, sizeof *sequence->runs);
    if (sequence->runs == NULL) return false;
    for (uint32_t i = found->first_run; i < total && *count_out < found->run_count; i++) {
        const struct ets_run *run = ets_inspection_run(trace->inspection, i);
        if (run->block != block) continue;
        sequence->event_count = run->event_count; /* the same for all of them */
        sequence->runs[(*count_out)++] = i;
    }
    return true;
}

/* A run of a block, and how long it took. */
struct timed_run {
    double ticks;
    uint32_t number;
};

static int compare_times(const void *left, const void *right)
{
    const struct timed_run *a = left, *b = right;
    if (a->ticks != b->ticks) return a->ticks < b->ticks ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Keeps the fastest, median and slowest run, in their order; of a block without times the first
   ones. */
static bool keep_few(struct ets_arena *arena, struct sequence *sequence, uint32_t block,
                     struct ets_page_matrix *matrix)
{
    enum { FEW = 3 };
    const struct ets_inspection *inspection = sequence->trace->inspection;
    const uint32_t count = matrix->run_count, whole = ets_inspection_total_row(inspection, block);
    if (count <= FEW) return true;
    double *ticks = ets_arena_alloc_array(arena, count, sizeof *ticks);
    struct timed_run *runs = ets_arena_alloc_array(arena, count, sizeof *runs);
    matrix->kept = ets_arena_alloc_array(arena, FEW, sizeof *matrix->kept);
    if (ticks == NULL || runs == NULL || matrix->kept == NULL) return false;
    if (whole != ETS_NO_INDEX) ets_inspection_row_ticks(inspection, whole, ETS_NO_INDEX, ticks);
    for (uint32_t i = 0; i < count; i++) runs[i] = (struct timed_run){ticks[i], i};
    qsort(runs, count, sizeof *runs, compare_times);
    const uint32_t chosen[FEW] = {0, (count - 1) / 2, count - 1};
    for (uint32_t i = 0; i < FEW; i++) matrix->kept[i] = runs[chosen[i]].number;
    qsort(matrix->kept, FEW, sizeof *matrix->kept, compare_numbers);
    for (uint32_t i = 0; i < FEW; i++) sequence->runs[i] = sequence->runs[matrix->kept[i]];
    matrix->run_count = FEW;
    return true;
}

static uint32_t first_event(const struct sequence *sequence, uint32_t run)
{
    return ets_inspection_run(sequence->trace->inspection, sequence->runs[run])->first_event;
}

static bool order_events(struct ets_arena *arena, struct sequence *sequence,
                         struct ets_page_matrix *matrix)
{
    const struct ets_event_table *events = sequence->trace->events;
    const uint32_t first = matrix->run_count > 0 ? first_event(sequence, 0) : 0;
    struct place *places = ets_arena_alloc_array(arena, sequence->event_count, sizeof *places);
    uint32_t *position_of =
        ets_arena_alloc_array(arena, sequence->event_count, sizeof *position_of);
    if (places == NULL || position_of == NULL) return false;
    for (uint32_t i = 0; i < sequence->event_count; i++) {
        const uint32_t row = events->row[first + i];
        position_of[i] = ETS_NO_INDEX;
        if (events->kind[first + i] != ETS_EVENT_PROFILE || row == ETS_NO_INDEX) continue;
        places[matrix->position_count++] =
            (struct place){events->start[first + i],
                           ets_inspection_row(sequence->trace->inspection, row)->depth, i};
    }
    const uint32_t count = matrix->position_count;
    if (count > 0) qsort(places, count, sizeof *places, compare_places);
    sequence->offsets = ets_arena_alloc_array(arena, count, sizeof *sequence->offsets);
    sequence->before = ets_arena_alloc_array(arena, count, sizeof *sequence->before);
    matrix->operators = ets_arena_alloc_array(arena, count, sizeof *matrix->operators);
    matrix->parents = ets_arena_alloc_array(arena, count, sizeof *matrix->parents);
    uint32_t *last = ets_arena_alloc_array(arena, (size_t)count + 1, sizeof *last);
    if (sequence->offsets == NULL || sequence->before == NULL || matrix->operators == NULL ||
        matrix->parents == NULL || last == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t event = first + places[i].offset;
        const uint32_t above = events->parent[event];
        const bool is_inside = above != ETS_NO_INDEX && above >= first &&
                               above - first < sequence->event_count &&
                               position_of[above - first] != ETS_NO_INDEX;
        position_of[places[i].offset] = i; /* parents that come later enclose nothing here */
        sequence->offsets[i] = places[i].offset;
        matrix->operators[i] = (int64_t)sequence->trace->first_operator + events->row[event];
        matrix->parents[i] = is_inside ? (int64_t)position_of[above - first] : -1;
        uint32_t *slot = &last[matrix->parents[i] + 1]; /* the last child's position + 1 */
        sequence->before[i] = *slot == 0 ? ETS_NO_INDEX : *slot - 1;
        *slot = i + 1;
    }
    return true;
}

/* Where the gap before an event begins: the end of the one before it, its parent's or its run's
   start. */
static uint64_t origin(const struct sequence *sequence, const struct ets_page_matrix *matrix,
                       uint32_t run, uint32_t first, uint32_t position)
{
    const struct ets_studied_trace *trace = sequence->trace;
    const uint32_t before = sequence->before[position];
    if (before != ETS_NO_INDEX) {
        return trace->events->start[first + sequence->offsets[before]] +
               matrix->durations[(size_t)before * matrix->run_count + run];
    }
    if (matrix->parents[position] < 0) return matrix->starts[run];
    return trace->events->start[first + sequence->offsets[matrix->parents[position]]];
}

static void fill(const struct sequence *sequence, struct ets_page_matrix *matrix)
{
    const struct ets_studied_trace *trace = sequence->trace;
    for (uint32_t run = 0; run < matrix->run_count; run++) {
        const uint32_t first = first_event(sequence, run);
        if (matrix->position_count > 0) {
            matrix->starts[run] = trace->events->start[first + sequence->offsets[0]];
        }
        for (uint32_t i = 0; i < matrix->position_count; i++) {
            const uint32_t event = first + sequence->offsets[i];
            const size_t at = (size_t)i * matrix->run_count + run;
            matrix->durations[at] = ets_inspection_ticks(trace->inspection, event);
            matrix->gaps[at] =
                trace->events->start[event] - origin(sequence, matrix, run, first, i);
        }
    }
}

static bool pack_integers(struct ets_arena *arena, struct ets_page_bytes *bytes,
                          const uint64_t *values, uint32_t count)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = ets_page_put_signed(arena, bytes, values[i] - (i > 0 ? values[i - 1] : 0));
    }
    return ok;
}

static bool pack(struct ets_arena *arena, const struct ets_page_matrix *matrix,
                 struct ets_page_bytes *bytes)
{
    const uint32_t runs = matrix->run_count;
    bool ok =
        pack_integers(arena, bytes, (const uint64_t *)matrix->operators, matrix->position_count) &&
        pack_integers(arena, bytes, (const uint64_t *)matrix->parents, matrix->position_count) &&
        pack_integers(arena, bytes, matrix->starts, runs);
    for (uint32_t i = 0; i < matrix->position_count; i++) {
        const size_t at = (size_t)i * runs;
        for (uint32_t run = 0; ok && run < runs; run++) {
            ok = ets_page_put_signed(arena, bytes, matrix->gaps[at + run]);
        }
        for (uint32_t run = 0; ok && run < runs; run++) {
            ok = ets_page_put_signed(arena, bytes, matrix->durations[at + run]);
        }
    }
    return ok;
}

bool ets_page_make_matrix(struct ets_arena *arena, const struct ets_studied_trace *trace,
                          uint32_t block, bool has_few, struct ets_page_matrix *matrix_out,
                          struct ets_page_bytes *bytes)
{
    struct sequence sequence = {.trace = trace};
    const size_t before = bytes->size;
    *matrix_out = (struct ets_page_matrix){.block = trace->first_block + block};
    if (!find_runs(arena, trace, block, &sequence, &matrix_out->run_count) ||
        (has_few && !keep_few(arena, &sequence, block, matrix_out)) ||
        !order_events(arena, &sequence, matrix_out)) {
        return false;
    }
    const size_t cells = (size_t)matrix_out->position_count * matrix_out->run_count;
    matrix_out->starts =
        ets_arena_alloc_array(arena, matrix_out->run_count, sizeof *matrix_out->starts);
    matrix_out->gaps = ets_arena_alloc_array(arena, cells, sizeof *matrix_out->gaps);
    matrix_out->durations = ets_arena_alloc_array(arena, cells, sizeof *matrix_out->durations);
    if (matrix_out->starts == NULL || matrix_out->gaps == NULL || matrix_out->durations == NULL) {
        return false;
    }
    fill(&sequence, matrix_out);
    const bool ok = pack(arena, matrix_out, bytes);
    matrix_out->bytes = bytes->size - before;
    return ok;
}
