/*
 * Collects the contents of the SQL tables: traces, ETRecords, graphs, methods, chains and
 * delegates, each with an id.
 */
#include "output/sql/sql_data.h"
#include "inspect/time_details.h"

#include <string.h>

#include "base/error.h"

/* Numbers of events and of their tensors share 63 bits. */
enum { MAX_EVENTS = INT32_MAX };
/* Bytes of a program that are compared in search of duplicates. */
enum { MOST_COMPARED = 16 << 20 };

static enum ets_status add_traces(struct ets_sql_data *data, struct ets_error *error)
{
    const struct ets_sql_sources *sources = &data->sources;
    uint64_t events = 0, runs = 0, blocks = 0, operators = 0;
    data->traces = ets_arena_alloc_array(&data->arena, sources->trace_count, sizeof *data->traces);
    if (data->traces == NULL) return ets_fail_memory(error, "the tables of the database");
    for (uint32_t i = 0; i < sources->trace_count; i++) {
        struct ets_sql_trace_data *trace = &data->traces[i];
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
        if (events > MAX_EVENTS || runs > MAX_EVENTS || operators > MAX_EVENTS) {
            return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                            "the traces have more than 2^31 events; query fewer at a time");
        }
    }
    data->event_count = (uint32_t)events;
    data->run_count = (uint32_t)runs;
    data->block_count = (uint32_t)blocks;
    data->operator_count = (uint32_t)operators;
    return ETS_OK;
}

/* What the traces tell of memory. Entries take eight bytes or more of files below 4 GiB each. */
static enum ets_status add_memory(struct ets_sql_data *data, struct ets_error *error)
{
    uint64_t held = 0, steps = 0, moments = 0;
    for (uint32_t i = 0; i < data->sources.trace_count; i++) {
        struct ets_sql_trace_data *trace = &data->traces[i];
        ETS_TRY(ets_recorded_memory_read(&data->arena, trace->inspection, &trace->memory, error));
        held += trace->memory.held_count;
        steps += trace->memory.step_count;
        moments += trace->memory.process_count;
        if (held > MAX_EVENTS || steps > MAX_EVENTS || moments > MAX_EVENTS) {
            return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                            "the traces tell more than 2^31 things of memory");
        }
    }
    data->held_count = (uint32_t)held;
    data->step_count = (uint32_t)steps;
    data->moment_count = (uint32_t)moments;
    return ETS_OK;
}

static enum ets_status add_links(struct ets_sql_data *data, struct ets_error *error)
{
    uint64_t links = 0;
    uint32_t at = 0;
    data->first_link = ets_arena_alloc_array(&data->arena, (size_t)data->operator_count + 1,
                                             sizeof *data->first_link);
    if (data->first_link == NULL) return ets_fail_memory(error, "the tables of the database");
    for (uint32_t i = 0; i < data->sources.trace_count; i++) {
        const struct ets_inspection *inspection = data->traces[i].inspection;
        for (uint32_t row = 0; row < ets_inspection_row_count(inspection); row++) {
            links += ets_inspection_row(inspection, row)->node_count;
            if (links > MAX_EVENTS) {
                return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                                "operators stand for more than 2^31 nodes in all");
            }
            data->first_link[++at] = (uint32_t)links;
        }
    }
    return ETS_OK;
}

static void add_graph(struct ets_sql_data *data, const struct ets_graph *graph, const char *method,
                      uint32_t record)
{
    data->graphs[data->graph_count++] = (struct ets_sql_graph){
        .graph = graph, .method = method, .record = record, .first_node = data->node_count};
    data->node_count += graph->node_count;
}

/* The edge graphs of all methods. A method that is in the maps alone has none. */
static enum ets_status add_graphs(struct ets_sql_data *data, struct ets_error *error)
{
    size_t room = 0;
    for (int is_filling = 0; is_filling < 2; is_filling++) {
        for (uint32_t r = 0; r < data->sources.record_count; r++) {
            struct ets_etrecord *record = data->sources.records[r].record;
            for (size_t m = 0; m < ets_etrecord_method_count(record); m++) {
                const char *method = ets_etrecord_method_name(record, m);
                const struct ets_graph *graph;
                const enum ets_status status =
                    ets_etrecord_edge_graph(record, method, &graph, error);
                if (status == ETS_NOT_FOUND) continue;
                if (status != ETS_OK) return status;
                if (is_filling) add_graph(data, graph, method, r);
                else room += 1 + (size_t)graph->subgraph_count;
                for (uint32_t s = 0; is_filling && s < graph->subgraph_count; s++) {
                    add_graph(data, graph->subgraphs[s], method, r);
                }
            }
        }
        if (is_filling) break;
        data->graphs = ets_arena_alloc_array(&data->arena, room, sizeof *data->graphs);
        if (data->graphs == NULL) return ets_fail_memory(error, "the tables of the database");
    }
    return ETS_OK;
}

/* Methods and chains, counted and then filled. */
static bool add_methods(struct ets_sql_data *data)
{
    const struct ets_sql_sources *sources = &data->sources;
    struct ets_method method;
    size_t methods = 0, chains = 0;
    for (uint32_t p = 0; p < sources->program_count; p++) {
        const struct ets_program *program = sources->programs[p].program;
        methods += program->method_count;
        for (uint32_t m = 0; m < program->method_count; m++) {
            ets_program_method(program, m, &method);
            chains += method.chain_count;
        }
    }
    data->methods = ets_arena_alloc_array(&data->arena, methods, sizeof *data->methods);
    data->chains = ets_arena_alloc_array(&data->arena, chains, sizeof *data->chains);
    if (data->methods == NULL || data->chains == NULL) return false;
    for (uint32_t p = 0; p < sources->program_count; p++) {
        const struct ets_program *program = sources->programs[p].program;
        for (uint32_t m = 0; m < program->method_count; m++) {
            struct ets_sql_method *each = &data->methods[data->method_count];
            ets_program_method(program, m, &each->method);
            const struct ets_text name = each->method.name;
            each->name = ets_arena_copy_text(&data->arena, name.data, name.size);
            if (each->name == NULL) return false;
            each->program = p;
            each->first_value = data->value_count;
            data->value_count += each->method.value_count;
            for (uint32_t a = 0; a < each->method.arena_count; a++) {
                struct ets_planned_arena arena;
                ets_method_arena(&each->method, a, &arena);
                each->planned_bytes += arena.bytes;
            }
            for (uint32_t c = 0; c < each->method.chain_count; c++) {
                struct ets_sql_chain *chain = &data->chains[data->chain_count++];
                ets_method_chain(&each->method, c, &chain->chain);
                chain->method = data->method_count;
                chain->first_instruction = data->instruction_count;
                data->instruction_count += chain->chain.instruction_count;
                each->instruction_count += chain->chain.instruction_count;
            }
            each->first_arena = data->arena_count;
            each->first_level = data->level_count;
            data->arena_count += each->method.arena_count;
            data->level_count += (uint64_t)each->method.arena_count * ets_sql_method_steps(each);
            data->method_count++;
        }
    }
    return true;
}

/* The record that goes with a program: that of a trace of both, or the only one there is. */
static uint32_t record_of(const struct ets_sql_sources *sources, uint32_t program)
{
    for (uint32_t i = 0; i < sources->trace_count; i++) {
        if (sources->traces[i].program == program) return sources->traces[i].record;
    }
    const bool is_only = sources->record_count == 1 && sources->program_count == 1;
    return is_only && sources->trace_count == 0 ? 0 : ETS_NO_INDEX;
}

static bool has_program(const struct ets_sql_sources *sources, uint32_t record)
{
    for (uint32_t p = 0; p < sources->program_count; p++) {
        if (record_of(sources, p) == record) return true;
    }
    return false;
}

static void add_delegate(struct ets_sql_data *data, const struct ets_sql_delegate *delegate)
{
    if (data->delegates != NULL) data->delegates[data->delegate_count] = *delegate;
    data->delegate_count++;
}

static void add_called(struct ets_sql_data *data, const struct ets_sql_chain *chain,
                       const struct ets_instruction *instruction)
{
    const struct ets_sql_method *method = &data->methods[chain->method];
    struct ets_delegate delegate;
    ets_method_delegate(&method->method, (uint32_t)instruction->delegate_index, &delegate);
    struct ets_sql_delegate each = {
        .program = method->program,
        .record = record_of(&data->sources, method->program),
        .method = method->method.name,
        .backend = delegate.id,
        .chain = chain->chain.index,
        .instruction = instruction->instruction_id,
        .index = instruction->delegate_index,
        .bytes = delegate.blob.size,
        .node_count = -1,
    };
    if (each.record != ETS_NO_INDEX) {
        const int64_t *handles;
        size_t count;
        ets_etrecord_handles(data->sources.records[each.record].record, method->name,
                             each.instruction, &handles, &count, NULL);
        each.node_count = (int64_t)count;
    }
    add_delegate(data, &each);
}

static void add_mapped(struct ets_sql_data *data, uint32_t record, const char *method)
{
    struct ets_etrecord *opened = data->sources.records[record].record;
    const int64_t *instructions, *handles;
    size_t count, handle_count;
    ets_etrecord_mapped_instructions(opened, method, &instructions, &count);
    for (size_t i = 0; i < count; i++) {
        const char *backend = ets_etrecord_backend(opened, method, instructions[i]);
        if (backend == NULL) continue;
        ets_etrecord_handles(opened, method, instructions[i], &handles, &handle_count, NULL);
        add_delegate(data, &(struct ets_sql_delegate){.program = ETS_NO_INDEX,
                                                      .record = record,
                                                      .method = {method, strlen(method)},
                                                      .backend = {backend, strlen(backend)},
                                                      .chain = -1,
                                                      .instruction = instructions[i],
                                                      .index = -1,
                                                      .node_count = (int64_t)handle_count});
    }
}

/* Delegate calls of the programs, and of those records that come without one. */
static bool add_delegates(struct ets_sql_data *data)
{
    const struct ets_sql_sources *sources = &data->sources;
    for (int is_filling = 0; is_filling < 2; is_filling++) {
        data->delegate_count = 0;
        for (uint32_t c = 0; c < data->chain_count; c++) {
            const struct ets_sql_chain *chain = &data->chains[c];
            for (uint32_t i = 0; i < chain->chain.instruction_count; i++) {
                struct ets_instruction instruction;
                ets_chain_instruction(&chain->chain, i, &instruction);
                if (instruction.kind == ETS_INSTRUCTION_DELEGATE_CALL) {
                    add_called(data, chain, &instruction);
                }
            }
        }
        for (uint32_t r = 0; r < sources->record_count; r++) {
            if (has_program(sources, r)) continue;
            struct ets_etrecord *record = sources->records[r].record;
            for (size_t m = 0; m < ets_etrecord_method_count(record); m++) {
                add_mapped(data, r, ets_etrecord_method_name(record, m));
            }
        }
        if (is_filling) break;
        data->delegates =
            ets_arena_alloc_array(&data->arena, data->delegate_count, sizeof *data->delegates);
        if (data->delegates == NULL) return false;
    }
    return true;
}

/* Where the bytes of each program are, with the names that its record knows. */
static enum ets_status open_byte_maps(struct ets_sql_data *data, uint32_t *first,
                                      struct ets_error *error)
{
    const struct ets_sql_sources *sources = &data->sources;
    for (uint32_t p = 0; p < sources->program_count; p++) {
        const struct ets_sql_program *program = &sources->programs[p];
        const struct ets_byte_source source = {program->path, program->program->bytes, NULL};
        const uint32_t record = record_of(sources, p);
        const struct ets_byte_options options = {
            .sources = &source,
            .source_count = 1,
            .record = record == ETS_NO_INDEX ? NULL : sources->records[record].record,
            .find_duplicates = true,
            .most_compared = MOST_COMPARED,
        };
        ETS_TRY(
            ets_byte_map_open(&options, data->arena.allocator, &data->byte_maps[p], NULL, error));
        const uint64_t items = (uint64_t)first[p] + data->byte_maps[p]->item_count;
        if (items > MAX_EVENTS) {
            return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                            "the programs have more than 2^31 parts; query fewer at a time");
        }
        first[p + 1] = (uint32_t)items;
    }
    return ETS_OK;
}

static void close_byte_maps(struct ets_sql_data *data)
{
    for (uint32_t p = 0; data->byte_maps != NULL && p < data->sources.program_count; p++) {
        ets_byte_map_close(data->byte_maps[p]);
    }
    data->byte_maps = NULL;
}

enum ets_status ets_sql_data_byte_maps(struct ets_sql_data *data, struct ets_error *error)
{
    const size_t count = data->sources.program_count;
    if (data->byte_maps != NULL) return ETS_OK;
    uint32_t *first = ets_arena_alloc_array(&data->arena, count + 1, sizeof *first);
    data->byte_maps = ets_arena_alloc_array(&data->arena, count, sizeof *data->byte_maps);
    if (first == NULL || data->byte_maps == NULL) {
        data->byte_maps = NULL;
        return ets_fail_memory(error, "the tables of the database");
    }
    const enum ets_status status = open_byte_maps(data, first, error);
    if (status == ETS_OK) data->first_byte_item = first;
    else close_byte_maps(data);
    return status;
}

enum ets_status ets_sql_data_init(struct ets_sql_data *data, const struct ets_sql_sources *sources,
                                  const struct ets_allocator *allocator, struct ets_error *error)
{
    *data = (struct ets_sql_data){.sources = *sources};
    ets_arena_init(&data->arena, allocator, 0);
    ETS_TRY(add_traces(data, error));
    ETS_TRY(add_memory(data, error));
    ETS_TRY(add_links(data, error));
    ETS_TRY(add_graphs(data, error));
    if (!add_methods(data) || !add_delegates(data)) {
        return ets_fail_memory(error, "the tables of the database");
    }
    return ETS_OK;
}

void ets_sql_data_free(struct ets_sql_data *data)
{
    close_byte_maps(data);
    ets_arena_reset(&data->arena);
}

void *ets_sql_data_alloc(const struct ets_sql_data *data, size_t bytes)
{
    const struct ets_allocator *allocator = data->arena.allocator;
    void *pointer = allocator->reallocate(allocator->context, NULL, bytes);
    if (pointer != NULL) memset(pointer, 0, bytes);
    return pointer;
}

void ets_sql_data_release(const struct ets_sql_data *data, void *pointer)
{
    const struct ets_allocator *allocator = data->arena.allocator;
    allocator->release(allocator->context, pointer);
}

bool ets_sql_data_times(struct ets_sql_data *data, struct ets_sql_trace_data *trace)
{
    if (trace->times == NULL) trace->times = ets_row_times_collect(&data->arena, trace->inspection);
    return trace->times != NULL;
}

bool ets_sql_data_allocations(struct ets_sql_data *data, struct ets_sql_trace_data *trace)
{
    if (trace->allocations != NULL) return true;
    struct ets_allocation_events *events = ets_arena_alloc(&data->arena, sizeof *events);
    if (events == NULL || !ets_allocation_events_collect(&data->arena, trace->inspection, events)) {
        return false;
    }
    trace->allocations = events;
    return true;
}

uint32_t ets_sql_data_node(const struct ets_sql_data *data, const struct ets_graph_node *node)
{
    for (uint32_t i = 0; i < data->graph_count; i++) {
        const struct ets_graph *graph = data->graphs[i].graph;
        const uintptr_t at = (uintptr_t)node, first = (uintptr_t)graph->nodes;
        if (graph->node_count == 0 || at < first || at >= first + graph->node_count * sizeof *node)
            continue;
        return data->graphs[i].first_node + (uint32_t)((at - first) / sizeof *node);
    }
    return ETS_NO_INDEX;
}

uint32_t ets_sql_data_record_of(const struct ets_sql_data *data, uint32_t program)
{
    return record_of(&data->sources, program);
}

const struct ets_sql_chain *ets_sql_data_chain(const struct ets_sql_data *data, uint32_t number)
{
    uint32_t low = 0, high = data->chain_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (data->chains[middle].first_instruction <= number) low = middle;
        else high = middle;
    }
    return &data->chains[low];
}
