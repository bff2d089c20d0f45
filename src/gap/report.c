/* Opens a report: chooses the run, the method and the reference graph. */
#include "etscope/experimental/captured_values.h"
#include "gap/gap_details.h"
#include "gap/gap_parts.h"
#include "reference/reference_state.h"

/* The first eligible run with captured values. */
static uint32_t find_run(const struct ets_gap_options *options)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    const struct ets_captured_filter filter = {
        .block = ETS_NO_INDEX, .run = options->run, .event = ETS_NO_INDEX};
    const struct ets_bytes none = {NULL, 0};
    ets_captured_values_init(&values, options->inspection, none, &filter);
    return ets_captured_values_next(&values, &value) ? value.run : ETS_NO_INDEX;
}

static enum ets_status choose_run(struct ets_gap_report *report, struct ets_error *error)
{
    const struct ets_gap_options *options = &report->options;
    report->run = find_run(options);
    if (report->run == ETS_NO_INDEX) {
        if (options->run != ETS_NO_INDEX) {
            return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "run %u captured no values",
                            options->run);
        }
        return ets_fail_advising(error, ETS_ADVICE_CAPTURE, ETS_NOT_FOUND, ETS_NO_OFFSET,
                                 "the trace captured no values");
    }
    report->block = ets_inspection_run(options->inspection, report->run)->block;
    const struct ets_block *block = ets_inspection_block(options->inspection, report->block);
    if (block->method_state == ETS_METHOD_FOUND) {
        report->method = block->method;
        return ETS_OK;
    }
    if (block->method_state == ETS_METHOD_AMBIGUOUS) {
        return ets_fail_advising(error, ETS_ADVICE_METHOD, ETS_MISMATCH, ETS_NO_OFFSET,
                                 "run %u fits several methods: %s", report->run, block->method);
    }
    return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET, "run %u fits no method of the record%s%s",
                    report->run, block->reason != NULL ? ": " : "",
                    block->reason != NULL ? block->reason : "");
}

/* 1: `name` asks for the ATen program, 2: for the edge program, 0: for another. */
static int known_reference(const char *name)
{
    if (strcmp(name, "aten") == 0 || strcmp(name, "exported_program") == 0) return 1;
    const bool is_edge =
        strcmp(name, "edge") == 0 || strcmp(name, "edge_dialect_exported_program") == 0;
    return is_edge ? 2 : 0;
}

static enum ets_status take_reference(struct ets_gap_report *report, const struct ets_graph *graph,
                                      struct ets_error *error)
{
    const uint64_t id = ets_etrecord_export_graph_id(report->options.record);
    report->reference = graph == report->edge.graph ? &report->edge : &report->other;
    if (graph != report->edge.graph) {
        ETS_TRY(ets_gap_graph_build(&report->other, &report->arena, graph, error));
    }
    return ets_gap_origins_find(&report->origins, &report->arena, report->reference, &report->edge,
                                id, error);
}

/* Uses the ATen program, if every handle leads back to it. */
static enum ets_status choose_default(struct ets_gap_report *report, struct ets_error *error)
{
    const struct ets_graph *aten;
    struct ets_error inner;
    const enum ets_status status = ets_etrecord_aten_graph(report->options.record, &aten, &inner);
    if (status == ETS_OK) {
        ETS_TRY(take_reference(report, aten, error));
        if (report->origins.is_complete) return ETS_OK;
        report->reference_reason =
            report->origins.lost == report->edge.node_count
                ? "the record's ATen program belongs to another method"
                : "some handles of the edge program do not lead back to the ATen program";
    } else if (status == ETS_NOT_FOUND) {
        report->reference_reason = "the record has no ATen program";
    } else {
        if (error != NULL) *error = inner;
        return status;
    }
    return take_reference(report, report->edge.graph, error);
}

static enum ets_status choose_reference(struct ets_gap_report *report, struct ets_error *error)
{
    struct ets_etrecord *record = report->options.record;
    const char *name = report->options.reference;
    const struct ets_graph *edge, *graph;
    ETS_TRY(ets_etrecord_edge_graph(record, report->method, &edge, error));
    ETS_TRY(ets_gap_graph_build(&report->edge, &report->arena, edge, error));
    if (name == NULL) return choose_default(report, error);
    const int known = known_reference(name);
    if (known == 2) return take_reference(report, edge, error);
    if (known == 1) ETS_TRY(ets_etrecord_aten_graph(record, &graph, error));
    else ETS_TRY(ets_etrecord_graph(record, name, &graph, error));
    ETS_TRY(take_reference(report, graph, error));
    if (report->origins.lost < report->edge.node_count || report->edge.node_count == 0) {
        return ETS_OK;
    }
    return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                    "no node of method %s comes from a node of \"%s\"", report->method, name);
}

enum ets_status ets_gap_open(const struct ets_gap_options *options,
                             struct ets_gap_report **report_out, struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, options->allocator, 0);
    struct ets_gap_report *report = ets_arena_alloc(&arena, sizeof *report);
    if (report == NULL) return gap_fail_memory(error);
    report->options = *options;
    report->arena = arena;
    enum ets_status status = choose_run(report, error);
    if (status == ETS_OK) status = choose_reference(report, error);
    if (status == ETS_OK) status = ets_gap_check_quantization(report, error);
    if (status == ETS_OK) status = ets_gap_captures_read(report, error);
    if (status == ETS_OK) status = ets_gap_align(report, error);
    if (status != ETS_OK) {
        ets_gap_close(report);
        return status;
    }
    *report_out = report;
    return ETS_OK;
}

void ets_gap_close(struct ets_gap_report *report)
{
    if (report == NULL) return;
    ets_gap_close(report->twin);
    ets_reference_state_free(report->state);
    struct ets_arena arena = report->arena;
    ets_arena_reset(&arena);
}

const struct ets_graph *ets_gap_reference(const struct ets_gap_report *report)
{
    return gap_shown(report)->reference->graph;
}

uint32_t ets_gap_run(const struct ets_gap_report *report)
{
    return report->run;
}

const char *ets_gap_reference_reason(const struct ets_gap_report *report)
{
    return report->reference_reason;
}

int ets_gap_is_edge(const struct ets_gap_report *report)
{
    report = gap_shown(report);
    return report->reference == &report->edge;
}

const char *ets_gap_method(const struct ets_gap_report *report)
{
    return report->method;
}
