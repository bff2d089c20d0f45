/* Begins and ends a study: numbers what there is of traces, records and graphs. */
#include <string.h>

#include "base/error.h"
#include "inspect/time_details.h"
#include "study/study_parts.h"

static enum ets_status add_traces(struct ets_study *study, struct ets_error *error)
{
    const struct ets_study_sources *sources = &study->sources;
    uint64_t events = 0, runs = 0, blocks = 0, operators = 0;
    study->traces =
        ets_arena_alloc_array(&study->arena, sources->trace_count, sizeof *study->traces);
    if (study->traces == NULL) return ets_fail_memory(error, ETS_STUDY_MEMORY);
    for (uint32_t i = 0; i < sources->trace_count; i++) {
        struct ets_studied_trace *trace = &study->traces[i];
        trace->source = &sources->traces[i];
        trace->inspection = trace->source->inspection;
        trace->events = ets_inspection_events(trace->inspection);
        trace->first_event = (uint32_t)events;
        trace->first_run = (uint32_t)runs;
        trace->first_block = (uint32_t)blocks;
        trace->first_operator = (uint32_t)operators;
        const enum ets_time_unit unit = ets_inspection_tick_unit(trace->inspection, NULL);
        trace->unit = unit == ETS_UNIT_CYCLES ? ETS_UNIT_CYCLES : ETS_UNIT_NS;
        trace->tick = unit == ETS_UNIT_CYCLES ? 1 : 1e9 / ets_time_unit_per_second(unit);
        events += trace->events->count;
        runs += ets_inspection_run_count(trace->inspection);
        blocks += ets_inspection_block_count(trace->inspection);
        operators += ets_inspection_row_count(trace->inspection);
        if (events > ETS_STUDY_MOST || runs > ETS_STUDY_MOST || operators > ETS_STUDY_MOST) {
            return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                            "the traces have more than 2^31 events; query fewer at a time");
        }
    }
    study->event_count = (uint32_t)events;
    study->run_count = (uint32_t)runs;
    study->block_count = (uint32_t)blocks;
    study->operator_count = (uint32_t)operators;
    return ETS_OK;
}

/* What the traces tell of memory. Entries take eight bytes or more of files below 4 GiB each. */
static enum ets_status add_memory(struct ets_study *study, struct ets_error *error)
{
    uint64_t held = 0, steps = 0, moments = 0;
    for (uint32_t i = 0; i < study->sources.trace_count; i++) {
        struct ets_studied_trace *trace = &study->traces[i];
        ETS_TRY(ets_recorded_memory_read(&study->arena, trace->inspection, &trace->memory, error));
        held += trace->memory.held_count;
        steps += trace->memory.step_count;
        moments += trace->memory.process_count;
        if (held > ETS_STUDY_MOST || steps > ETS_STUDY_MOST || moments > ETS_STUDY_MOST) {
            return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                            "the traces tell more than 2^31 things of memory");
        }
    }
    study->held_count = (uint32_t)held;
    study->step_count = (uint32_t)steps;
    study->moment_count = (uint32_t)moments;
    return ETS_OK;
}

static enum ets_status add_links(struct ets_study *study, struct ets_error *error)
{
    uint64_t links = 0;
    uint32_t at = 0;
    study->first_link = ets_arena_alloc_array(&study->arena, (size_t)study->operator_count + 1,
                                              sizeof *study->first_link);
    if (study->first_link == NULL) return ets_fail_memory(error, ETS_STUDY_MEMORY);
    for (uint32_t i = 0; i < study->sources.trace_count; i++) {
        const struct ets_inspection *inspection = study->traces[i].inspection;
        for (uint32_t row = 0; row < ets_inspection_row_count(inspection); row++) {
            links += ets_inspection_row(inspection, row)->node_count;
            if (links > ETS_STUDY_MOST) {
                return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                                "operators stand for more than 2^31 nodes in all");
            }
            study->first_link[++at] = (uint32_t)links;
        }
    }
    return ETS_OK;
}

static void add_graph(struct ets_study *study, const struct ets_graph *graph, const char *method,
                      uint32_t record)
{
    study->graphs[study->graph_count++] = (struct ets_studied_graph){
        .graph = graph, .method = method, .record = record, .first_node = study->node_count};
    study->node_count += graph->node_count;
}

/* The edge graphs of all methods. A method that is in the maps alone has none. */
static enum ets_status add_graphs(struct ets_study *study, struct ets_error *error)
{
    size_t room = 0;
    for (int is_filling = 0; is_filling < 2; is_filling++) {
        for (uint32_t r = 0; r < study->sources.record_count; r++) {
            struct ets_etrecord *record = study->sources.records[r].record;
            for (size_t m = 0; m < ets_etrecord_method_count(record); m++) {
                const char *method = ets_etrecord_method_name(record, m);
                const struct ets_graph *graph;
                const enum ets_status status =
                    ets_etrecord_edge_graph(record, method, &graph, error);
                if (status == ETS_NOT_FOUND) continue;
                if (status != ETS_OK) return status;
                if (is_filling) add_graph(study, graph, method, r);
                else room += 1 + (size_t)graph->subgraph_count;
                for (uint32_t s = 0; is_filling && s < graph->subgraph_count; s++) {
                    add_graph(study, graph->subgraphs[s], method, r);
                }
            }
        }
        if (is_filling) break;
        study->graphs = ets_arena_alloc_array(&study->arena, room, sizeof *study->graphs);
        if (study->graphs == NULL) return ets_fail_memory(error, ETS_STUDY_MEMORY);
    }
    return ETS_OK;
}

enum ets_status ets_study_init(struct ets_study *study, const struct ets_study_sources *sources,
                               const struct ets_allocator *allocator, struct ets_error *error)
{
    *study = (struct ets_study){.sources = *sources};
    ets_arena_init(&study->arena, allocator, 0);
    ETS_TRY(add_traces(study, error));
    ETS_TRY(add_memory(study, error));
    ETS_TRY(add_links(study, error));
    ETS_TRY(add_graphs(study, error));
    return ets_study_add_programs(study, error);
}

void ets_study_reset(struct ets_study *study)
{
    ets_study_close_programs(study);
    ets_arena_reset(&study->arena);
}

void *ets_study_alloc(const struct ets_study *study, size_t bytes)
{
    const struct ets_allocator *allocator = study->arena.allocator;
    void *pointer = allocator->reallocate(allocator->context, NULL, bytes);
    if (pointer != NULL) memset(pointer, 0, bytes);
    return pointer;
}

void ets_study_release(const struct ets_study *study, void *pointer)
{
    const struct ets_allocator *allocator = study->arena.allocator;
    allocator->release(allocator->context, pointer);
}

uint32_t ets_study_node(const struct ets_study *study, const struct ets_graph_node *node)
{
    for (uint32_t i = 0; i < study->graph_count; i++) {
        const struct ets_graph *graph = study->graphs[i].graph;
        const uintptr_t at = (uintptr_t)node, first = (uintptr_t)graph->nodes;
        if (graph->node_count == 0 || at < first || at >= first + graph->node_count * sizeof *node)
            continue;
        return study->graphs[i].first_node + (uint32_t)((at - first) / sizeof *node);
    }
    return ETS_NO_INDEX;
}
