/* Collects the graphs of a source, and writes them in a format. */
#include "output/graph/graph_files.h"

#include <string.h>

#include "base/error.h"
#include "etscope/experimental/delegates.h"
#include "host/memory_budget.h"
#include "output/graph/graph_source.h"
#include "output/graph/graph_writers.h"
#include "views/timed_blocks.h"

/* 0: cycles. */
static double ticks_per_us(const struct ets_inspection *inspection)
{
    switch (ets_inspection_tick_unit(inspection, NULL)) {
    case ETS_UNIT_NS: return 1e3;
    case ETS_UNIT_US: return 1;
    case ETS_UNIT_MS: return 1e-3;
    case ETS_UNIT_S: return 1e-6;
    case ETS_UNIT_CYCLES: break;
    }
    return 0;
}

/* Whether a longer block of the same method came before. */
static bool is_overruled(const struct ets_inspection *inspection,
                         const struct ets_timed_blocks *blocks, uint32_t number)
{
    const char *method = ets_inspection_block(inspection, blocks->items[number].block)->method;
    for (uint32_t i = 0; i < number; i++) {
        const struct ets_block *other = ets_inspection_block(inspection, blocks->items[i].block);
        if (other->method != NULL && strcmp(other->method, method) == 0) return true;
    }
    return false;
}

enum ets_status ets_graph_add_times(struct ets_model *model,
                                    const struct ets_inspection *inspection, bool *has_times_out,
                                    struct ets_error *error)
{
    struct ets_timed_blocks blocks;
    if (!ets_timed_blocks_find(model->arena, inspection, ETS_NO_INDEX, ETS_NO_INDEX, 0, &blocks)) {
        return ets_fail_memory(error, "the times of a graph");
    }
    *has_times_out = false;
    for (uint32_t i = 0; i < blocks.count; i++) {
        const struct ets_block *block = ets_inspection_block(inspection, blocks.items[i].block);
        if (block->method_state != ETS_METHOD_FOUND || is_overruled(inspection, &blocks, i)) {
            continue;
        }
        ETS_TRY(ets_model_add_times(model, inspection, blocks.items[i].block, error));
        *has_times_out = true;
    }
    return ETS_OK;
}

/* The edge programs, and in Model Explorer, which shows one graph at a time, the ATen program. */
static enum ets_status collect_record(struct ets_model *model, enum ets_graph_format format,
                                      struct ets_etrecord *record, struct ets_error *error)
{
    struct ets_error missing;
    const enum ets_status edge = ets_model_add_record(model, record, error);
    if (format != ETS_GRAPH_MODEL_EXPLORER || (edge != ETS_OK && edge != ETS_NOT_FOUND)) {
        return edge;
    }
    const enum ets_status aten = ets_model_add_exported(model, record, &missing);
    if (aten == ETS_NOT_FOUND) return edge;
    if (aten != ETS_OK && error != NULL) *error = missing;
    return aten;
}

enum ets_status ets_graph_add_program(struct ets_model *model, const struct ets_program *program,
                                      struct ets_etrecord *record, struct ets_error *error)
{
    struct ets_delegation *delegations;
    const struct ets_delegation_options options = {
        .program = program, .record = record, .allocator = model->arena->allocator};
    ETS_TRY(ets_delegation_open(&options, &delegations, error));
    const enum ets_status status = ets_model_add_program(model, program, delegations, error);
    ets_delegation_close(delegations);
    return status;
}

/* Whether the delegates of a program can be told with this record; NULL: without one. */
static bool can_tell_delegates(const struct ets_model *model, const struct ets_program *program,
                               struct ets_etrecord *record)
{
    struct ets_delegation *delegations;
    const struct ets_delegation_options options = {
        .program = program, .record = record, .allocator = model->arena->allocator};
    if (ets_delegation_open(&options, &delegations, NULL) != ETS_OK) return false;
    ets_delegation_close(delegations);
    return true;
}

static enum ets_status collect(struct ets_model *model, enum ets_graph_format format,
                               const struct ets_graph_source *source,
                               enum ets_graph_file *failed_out, struct ets_error *error)
{
    *failed_out = ETS_GRAPH_OF_RECORD;
    if (source->program == NULL) return collect_record(model, format, source->record, error);
    const enum ets_status status =
        ets_graph_add_program(model, source->program, source->record, error);
    const bool is_of_record = status != ETS_OK && source->record != NULL &&
                              !can_tell_delegates(model, source->program, source->record) &&
                              can_tell_delegates(model, source->program, NULL);
    if (!is_of_record) *failed_out = ETS_GRAPH_OF_PROGRAM;
    return status;
}

static enum ets_status write_model(struct ets_output *output, enum ets_graph_format format,
                                   const struct ets_graph_source *source, struct ets_model *model,
                                   enum ets_graph_file *failed_out, struct ets_error *error)
{
    double per_us = 1;
    bool has_times = false;
    ETS_TRY(collect(model, format, source, failed_out, error));
    *failed_out = ETS_GRAPH_OF_TRACE;
    if (source->inspection != NULL && source->program != NULL) {
        per_us = ticks_per_us(source->inspection);
        ETS_TRY(ets_graph_add_times(model, source->inspection, &has_times, error));
    }
    switch (format) {
    case ETS_GRAPH_DOT: ets_write_dot(output, source->title, model, per_us); break;
    case ETS_GRAPH_MODEL_EXPLORER:
        if (!ets_write_model_explorer(output, source->title, model)) {
            return ets_fail_memory(error, "the graphs");
        }
        break;
    case ETS_GRAPH_MODEL_EXPLORER_DATA:
        if (!has_times) {
            return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                            "no run of the trace executed a method that the program is known to "
                            "have: its nodes have no times");
        }
        ets_write_model_explorer_data(output, model, per_us);
        break;
    }
    return ETS_OK;
}

/* Calls may share a payload, which is drawn in each. 0, no limit: a record shares nothing. */
static size_t most_bytes(const struct ets_graph_source *source)
{
    if (source->program == NULL) return 0;
    const uint64_t bound = ets_memory_bound_bytes(source->program->bytes.size);
    return bound < SIZE_MAX ? (size_t)bound : SIZE_MAX;
}

enum ets_status ets_graph_write(struct ets_output *output, enum ets_graph_format format,
                                const struct ets_graph_source *source,
                                const struct ets_allocator *allocator,
                                enum ets_graph_file *failed_out, struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_model model;
    const size_t most = most_bytes(source);
    ets_arena_init(&arena, allocator, most);
    ets_model_init(&model, &arena);
    enum ets_status status = write_model(output, format, source, &model, failed_out, error);
    if (status == ETS_NO_MEMORY && arena.was_limited) {
        status =
            ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                     "its graphs take more than %zu MiB: many calls share one payload", most >> 20);
    }
    ets_arena_reset(&arena);
    return status;
}
