/*
 * Computes how much of an operator's own error rounding explains. Kernels may compute 2-byte
 * numbers in float32 and round the result once. A larger error means that the kernel accumulates in
 * the short type.
 */
#include <math.h>

#include "base/text.h"
#include "gap/gap_parts.h"
#include "reference/reference_value.h"

double ets_gap_epsilon(int scalar_type)
{
    switch (scalar_type) {
    case ETS_SCALAR_DOUBLE:
    case ETS_SCALAR_COMPLEX_DOUBLE: return 0x1p-52;
    case ETS_SCALAR_HALF:
    case ETS_SCALAR_COMPLEX_HALF: return 0x1p-10;
    case ETS_SCALAR_BFLOAT16: return 0x1p-7;
    default: return 0x1p-23;
    }
}

double ets_gap_relative(double error, const struct ets_comparison *comparison)
{
    const double count = (double)comparison->finite_count;
    if (comparison->reference_square_sum > 0) {
        return error / sqrt(comparison->reference_square_sum / count);
    }
    return comparison->error_square_sum / count <= error * error ? INFINITY : 0;
}

static bool is_short(int scalar_type)
{
    return scalar_type == ETS_SCALAR_HALF || scalar_type == ETS_SCALAR_BFLOAT16;
}

enum ets_status ets_gap_note_rounding(struct ets_gap_report *report, struct ets_gap_row *row,
                                      const struct ets_tensor *reference, int scalar_type,
                                      struct ets_error *error)
{
    struct ets_tensor rounded = *reference;
    struct ets_comparison comparison;
    struct ets_arena arena;
    if (!is_short(scalar_type) || reference->scalar_type != ETS_SCALAR_DOUBLE) return ETS_OK;
    ets_arena_init(&arena, report->options.allocator, 0);
    rounded.scalar_type = scalar_type;
    ets_tensor_set_contiguous(&rounded);
    rounded.data_bytes = (size_t)ets_tensor_count(reference) * 2;
    void *data = ets_arena_alloc(&arena, rounded.data_bytes + 1);
    rounded.data = data;
    enum ets_status status = data == NULL ? gap_fail_memory(error)
                                          : ets_reference_tensor_copy(reference, &rounded, error);
    /* What the type cannot hold is no rounding. */
    if (status == ETS_OK && ets_comparison_of(reference, &rounded, &comparison, NULL) == ETS_OK &&
        comparison.broken_count == 0) {
        row->rounding = ets_comparison_relative_rms(&comparison);
    }
    ets_arena_reset(&arena);
    return status;
}

/* Whether a kernel of an edge node rounds: views and copies do not. */
static bool rounds(const struct ets_graph_node *node)
{
    return ets_text_contains(node->op, "_to_copy.") ||
           ets_text_contains(node->op, "_to_dim_order_copy.") ||
           !ets_text_contains(node->op, "_copy.");
}

enum ets_status ets_gap_count_kernels(struct ets_gap_report *report, struct ets_error *error)
{
    const struct gap_graph *edge = &report->edge;
    report->kernels = NULL;
    if (report->verdict.against != ETS_GAP_AGAINST_RECORD || !report->verdict.in_double) {
        return ETS_OK;
    }
    report->kernels = ets_arena_alloc_array(&report->arena, report->reference->node_count,
                                            sizeof *report->kernels);
    if (report->kernels == NULL) return gap_fail_memory(error);
    for (uint32_t i = 0; i < edge->node_count; i++) {
        const uint32_t from = report->origins.made_from[i];
        if (from != GAP_NONE) report->kernels[from] += rounds(edge->nodes[i]);
    }
    return ETS_OK;
}

double ets_gap_rounding(const struct ets_gap_report *report, const struct gap_region *region,
                        const struct ets_gap_row *row, double input)
{
    const int type = (int)row->value->captured.tensor.scalar_type;
    const bool is_float = is_short(type) && row->computes <= ETS_COMPUTES_BFLOAT16;
    uint32_t kernels = 0;
    if (!is_float || !row->has_own || report->kernels == NULL) return INFINITY;
    for (uint32_t i = 0; i < region->node_count; i++) kernels += report->kernels[region->nodes[i]];
    if (kernels <= 1 && !isnan(row->rounding)) {
        const double slack =
            ets_gap_relative(8 * ets_gap_epsilon(ETS_SCALAR_FLOAT) * input, &row->own);
        return 1.5 * row->rounding + slack;
    }
    const double slack = ets_gap_relative(8 * ets_gap_epsilon(type) * input, &row->own);
    return fmax((kernels > 1 ? kernels : 1) * ets_gap_epsilon(type) / 2, slack);
}
