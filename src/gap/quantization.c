/*
 * Checks that the program that ran quantizes like the record's graph. A static and a dynamic int8
 * program with the same weights have the same operators and nearly the same numbers. They differ in
 * the types in XNNPACK's event names, "Fully Connected (NC, QDU8, F32, QC8W)", or in the program's
 * payloads. docs/numerics.md lists the names.
 */
#include "base/text.h"
#include "gap/counterparts.h"
#include "gap/gap_parts.h"
#include "inspect/inspection.h"
#include "inspect/names.h"
#include "operators/operator_traits.h"
#include "payload/payload_names.h"
#include "payload/payload_store.h"

/* The quantization of one side. */
struct schemes {
    bool is_static,
        is_dynamic;       /* activations with scales from the export, or computed in each run */
    bool is_float;        /* convolutions or products of floats */
    bool is_hidden;       /* a delegate whose types are unknown */
    struct ets_text name; /* the deciding event; absent: the program decided */
};

static void see_event(struct schemes *ran, struct ets_text name)
{
    const enum ets_payload_arithmetic arithmetic = ets_payload_event_arithmetic(name);
    const bool multiplies =
        ets_text_starts_with(name, "Convolution (") || ets_text_contains(name, "Fully Connected (");
    const bool is_dynamic = arithmetic == ETS_PAYLOAD_ARITHMETIC_INT8_DYNAMIC;
    const bool is_static = arithmetic == ETS_PAYLOAD_ARITHMETIC_INT8;
    if ((is_dynamic && !ran->is_dynamic) || (is_static && !ran->is_static)) ran->name = name;
    ran->is_dynamic |= is_dynamic;
    ran->is_static |= is_static;
    ran->is_float |= multiplies && arithmetic == ETS_PAYLOAD_ARITHMETIC_FLOAT;
}

/* Reads the quantization from events: of delegates by types, of kernels by name. */
static void see_rows(const struct ets_gap_report *report, struct schemes *ran)
{
    const struct ets_inspection *inspection = report->options.inspection;
    const struct ets_block *block = ets_inspection_block(inspection, report->block);
    bool converts = false, has_kernel = false; /* kernel that quantizes */
    for (uint32_t i = 0; i < block->row_count; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, block->first_row + i);
        if (row->is_delegated) see_event(ran, row->name);
        converts |= row->is_delegated && ets_text_starts_with(row->name, "Convert (");
        has_kernel |= !row->is_delegated && ets_text_contains(row->name, "quantize");
        ran->is_hidden |= ets_text_is(row->name, "DELEGATE_CALL");
    }
    if (ran->is_static || ran->is_dynamic || ran->is_float || has_kernel) ran->is_hidden = false;
    if (converts || has_kernel) ran->is_float = false; /* only of some operators */
}

static void see_payload(const struct ets_payload_graph *graph, struct schemes *ran)
{
    if (graph == NULL || !ets_payload_types_tell_quantization(graph)) {
        ran->is_hidden = true;
        return;
    }
    for (uint32_t i = 0; i < graph->value_count; i++) {
        const struct ets_payload_value *value = &graph->values[i];
        if (value->constant != ETS_PAYLOAD_NONE) continue;
        ran->is_dynamic |= value->type->numbers == ETS_PAYLOAD_INT8_DYNAMIC;
        ran->is_static |= value->type->numbers == ETS_PAYLOAD_INT8;
    }
}

/* Reads the quantization from the program, if events do not show it. */
static enum ets_status see_program(const struct ets_gap_report *report, struct schemes *ran,
                                   struct ets_error *error)
{
    enum ets_status status = ETS_OK;
    struct ets_payload_store payloads;
    struct ets_arena arena;
    const struct ets_program *program = report->options.inspection->options.program;
    struct ets_method method;
    if (program == NULL || report->method == NULL || !ran->is_hidden ||
        ets_program_find_method(program, report->method, &method, NULL) != ETS_OK) {
        return ETS_OK;
    }
    *ran = (struct schemes){.is_float = true};
    ets_arena_init(&arena, report->arena.allocator, 0);
    ets_payload_store_init(&payloads, &arena, program);
    for (uint32_t i = 0; i < method.operator_count; i++) {
        struct ets_operator operator_;
        ets_method_operator(&method, i, &operator_);
        if (ets_text_contains(operator_.name, "quantize")) ran->is_float = false;
    }
    for (uint32_t i = 0; i < method.delegate_count && status == ETS_OK; i++) {
        struct ets_delegate delegate;
        ets_method_delegate(&method, i, &delegate);
        const struct ets_payload_graph *graph;
        status = ets_payload_store_read(&payloads, &delegate, &graph, NULL, error);
        if (status == ETS_OK) see_payload(graph, ran);
    }
    ets_arena_reset(&arena);
    if (ran->is_hidden || ran->is_static || ran->is_dynamic) ran->is_float = false;
    return status;
}

struct scale {
    const struct gap_graph *graph;
    bool is_chosen; /* scales are computed at run time */
};

static void see_scale(void *context, uint32_t value)
{
    struct scale *scale = context;
    const uint32_t node = scale->graph->places[value].node;
    if (node == GAP_NONE) return;
    scale->is_chosen |= ets_operator_is(scale->graph->nodes[node]->op, ETS_OPERATOR_CHOOSE_SCALE);
}

static void see_graph(const struct gap_graph *graph, struct schemes *exported)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const uint32_t traits = ets_operator_traits(graph->nodes[i]->op);
        struct scale scale = {graph, false};
        if (traits & ETS_OPERATOR_CHOOSE_SCALE) exported->is_dynamic = true;
        if (!(traits & ETS_OPERATOR_QUANTIZE)) continue;
        ets_gap_graph_inputs(graph, i, see_scale, &scale);
        exported->is_static |= !scale.is_chosen;
    }
}

static enum ets_status refuse(const struct ets_gap_report *report, const struct schemes *ran,
                              const char *what, const char *graph, struct ets_error *error)
{
    const int size = ran->name.size < 80 ? (int)ran->name.size : 80;
    return ets_fail(
        error, ETS_MISMATCH, ETS_NO_OFFSET,
        "the delegate computed in %s (%.*s), but the record's %s %s: it belongs to another export",
        what, ran->name.data == NULL ? 16 : size,
        ran->name.data == NULL ? "by its payloads" : ran->name.data, report->method, graph);
}

enum ets_status ets_gap_check_quantization(struct ets_gap_report *report, struct ets_error *error)
{
    struct schemes ran = {.is_static = false}, exported = {.is_static = false};
    if (report->options.inspection->options.allow_mismatch) return ETS_OK;
    see_graph(&report->edge, &exported);
    see_rows(report, &ran);
    ETS_TRY(see_program(report, &ran, error));
    if (ran.is_static && !exported.is_static) {
        return refuse(report, &ran, "static int8",
                      exported.is_dynamic ? "quantizes dynamically" : "does not quantize", error);
    }
    if (ran.is_dynamic && !exported.is_dynamic) {
        return refuse(report, &ran, "dynamic int8",
                      exported.is_static ? "quantizes statically" : "does not quantize", error);
    }
    const bool quantizes = exported.is_static || exported.is_dynamic;
    if (quantizes && ran.is_float && !ran.is_static && !ran.is_dynamic) {
        return refuse(report, &ran, "floats", "quantizes", error);
    }
    report->verdict.is_unchecked = quantizes && ran.is_hidden;
    return ETS_OK;
}
