/*
 * Finds the operator that caused the difference. An own error is relative: its root mean square
 * over that of the reference. It stands out if it is
 *
 * - beyond the tolerance of the operator's arithmetic (ETS_COMPUTES_LIST in verify.h), and beyond
 *   the cost of rounding a correct result to a 2-byte type (large for numbers near 0);
 * - beyond ten times the median of the other own errors with the same arithmetic: if all are wrong,
 *   no single operator is guilty;
 * - and, in absolute terms, beyond 8 units of rounding of its inputs, so that the remainder of a
 *   difference of two large numbers is not taken for an error.
 *
 * An own error within the tolerance is still reported if it exceeds one rounding per kernel: such
 * kernels accumulate in half precision. Integers: if a comparison gives another result because its
 * inputs differ by rounding, that is not an own error, provided that the runtime's kernels give the
 * same result.
 */
#include <math.h>
#include <stdlib.h>

#include "gap/counterparts.h"
#include "gap/gap_parts.h"
#include "verify/computing.h"

static double root_mean_square(const struct ets_comparison *comparison)
{
    if (comparison->finite_count == 0) return 0;
    return sqrt(comparison->other_square_sum / (double)comparison->finite_count);
}

static int type_of(const struct ets_gap_row *row)
{
    return (int)row->value->captured.tensor.scalar_type;
}

static bool type_decides(const struct ets_gap_row *row)
{
    return ets_type_computes(type_of(row)) == ETS_COMPUTES_EXACT;
}

/* The limits of a row. */
struct limits {
    double own;      /* the tolerance of its arithmetic, and the slack from its inputs */
    double total;    /* that, or the tolerance of anything it was computed from */
    double rounding; /* the error if each kernel rounds its result once; INFINITY: unknown */
};

/* The arithmetic of a node of the reference. */
static enum ets_computes node_computes(const struct gap_graph *graph, uint32_t node)
{
    const enum ets_computes quantized = ets_gap_quantizes_to(graph->nodes[node]);
    const struct ets_graph_value *value = ets_gap_output_value(graph, node, 0);
    if (quantized != ETS_COMPUTES_EXACT || value == NULL) return quantized;
    return ets_type_computes(value->scalar_type);
}

/*
 * The arithmetic of the operators between a row and the captured values before it. Against another
 * model, that of the whole program if it quantizes, because the other graph does not show which
 * parts are quantized.
 */
static enum ets_computes computes_of(const struct ets_gap_report *report,
                                     const struct gap_region *region, const struct ets_gap_row *row)
{
    enum ets_computes computes = ets_type_computes(type_of(row));
    const bool is_whole = computes == ETS_COMPUTES_EXACT;
    for (uint32_t i = 0; i < region->node_count; i++) {
        const enum ets_computes node = node_computes(report->reference, region->nodes[i]);
        if (is_whole && node <= ETS_COMPUTES_BFLOAT16) continue; /* it decides, or counts */
        if (node > computes) computes = node;
    }
    if (!is_whole && report->quantized > computes) computes = report->quantized;
    return computes;
}

/* From the table, or the caller's rules. */
static double tolerance_of(const struct ets_gap_report *report, const struct ets_gap_row *row)
{
    const char *method = report->method != NULL ? report->method : "";
    const struct ets_text name = {method, strlen(method)};
    struct ets_tolerance tolerance = ets_tolerance_of(row->computes)->tolerance;
    ets_tolerance_lay(report->options.tolerances, report->options.tolerance_count, name, 0, 0,
                      type_of(row), &tolerance);
    return tolerance.of_rms;
}

/* Computes the limits of a row, and stores them in it. */
static struct limits explain(struct ets_gap_report *report, struct gap_region *region,
                             uint32_t number)
{
    struct ets_gap_row *row = &report->rows[number];
    const struct ets_comparison *error = row->has_own ? &row->own : &row->total;
    double input = 0, inherited = 0;
    ets_gap_region_find(region, report, number);
    for (uint32_t i = 0; i < region->row_count; i++) {
        const struct ets_gap_row *source = &report->rows[region->rows[i]];
        if (type_decides(source)) continue;
        inherited = fmax(inherited, source->inherited); /* compared or not */
        if (source->has_total) input = fmax(input, root_mean_square(&source->total));
    }
    row->computes = computes_of(report, region, row);
    row->tolerance = tolerance_of(report, row);
    const double own = fmax(row->tolerance, 1.5 * row->rounding); /* NaN is ignored */
    row->inherited = fmax(inherited, own);
    struct limits limits = {own, type_decides(row) ? own : row->inherited, INFINITY};
    if (error->broken_count > 0 || error->finite_count == 0) return limits;
    const double slack = ets_gap_relative(8 * ets_gap_epsilon(type_of(row)) * input, error);
    limits.own = fmax(limits.own, slack);
    limits.total = fmax(limits.total, slack);
    limits.rounding = ets_gap_rounding(report, region, row, input);
    return limits;
}

static int compare_errors(const void *left, const void *right)
{
    const double one = *(const double *)left, two = *(const double *)right;
    return (one > two) - (one < two);
}

/* The median of sorted errors without number `left_out` (`count`: use all); NaN: none left. */
static double median_of(const double *errors, uint32_t count, uint32_t left_out)
{
    const uint32_t rest = left_out < count ? count - 1 : count;
    if (rest == 0) return NAN;
    const uint32_t low = (rest - 1) / 2, high = rest / 2;
    return errors[low + (low >= left_out)] / 2 + errors[high + (high >= left_out)] / 2;
}

/* The number of an error among the sorted ones. */
static uint32_t find_error(const double *errors, uint32_t count, double error)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (errors[middle] < error) low = middle + 1;
        else high = middle;
    }
    return low;
}

enum { CLASSES = ETS_COMPUTES_INT4_OF_FLOAT + 1, ANY = CLASSES };

/* The own errors of all rows with the same arithmetic, sorted: the scale for a row. */
struct typical {
    double *errors;
    uint32_t count;
};

static enum ets_status find_typical(const struct ets_gap_report *report, struct ets_arena *arena,
                                    int computes, struct typical *typical, struct ets_error *error)
{
    typical->count = 0;
    typical->errors = ets_arena_alloc_array(arena, report->row_count, sizeof(double));
    if (typical->errors == NULL) return gap_fail_memory(error);
    for (uint32_t i = 0; i < report->row_count; i++) {
        const struct ets_gap_row *row = &report->rows[report->order[i]];
        if (!row->has_own || (computes != ANY && computes != (int)row->computes)) continue;
        if (isinf(row->own_error)) continue; /* NaN on one side: no scale for others */
        typical->errors[typical->count++] = row->judged_own;
    }
    if (typical->count > 0) {
        qsort(typical->errors, typical->count, sizeof *typical->errors, compare_errors);
    }
    return ETS_OK;
}

/* Fewer rows are no yardstick: the tolerance decides. An own error as large as the values stands
 * out, whatever the others do. */
enum { LEAST_ALIKE = 6 };
static const double ABSURD = 1;

static double threshold_of(const struct ets_gap_row *row, const struct typical *typical,
                           double limit)
{
    const struct typical *alike = &typical[row->computes];
    if (!row->has_own || alike->count < LEAST_ALIKE) return limit;
    const uint32_t own = find_error(alike->errors, alike->count, row->judged_own);
    return fmax(limit, fmin(ABSURD, 10 * median_of(alike->errors, alike->count, own)));
}

/*
 * Without evaluation: whether all values that the row was computed from are within `limit`, the
 * row's own limit. That a quantization step agrees does not excuse the values computed from it.
 */
static bool is_first_off(const struct ets_gap_report *report, const struct gap_region *region,
                         double limit)
{
    for (uint32_t i = 0; i < region->row_count; i++) {
        const struct ets_gap_row *source = &report->rows[region->rows[i]];
        if (source->finding != ETS_GAP_AGREES && source->finding != ETS_GAP_UNKNOWN) return false;
        if (report->is_excluded[region->rows[i]]) continue;
        if (source->has_total && ets_comparison_relative_rms(&source->total) > limit) return false;
    }
    return true;
}

double ets_gap_correlation(const struct ets_comparison *sums,
                           const struct ets_tensor_statistics *reference,
                           const struct ets_tensor_statistics *device)
{
    const double count = (double)sums->finite_count;
    const double one = ets_tensor_statistics_mean(reference),
                 two = ets_tensor_statistics_mean(device);
    const double product = sums->product_sum - count * one * two;
    const double power = (sums->reference_square_sum - count * one * one) *
                         (sums->other_square_sum - count * two * two);
    return sums->broken_count == 0 && power > 0 ? product / sqrt(power) : NAN;
}

/* Of the total error. */
static double correlation_of(const struct ets_gap_row *row)
{
    return ets_gap_correlation(&row->total, &row->reference, &row->device);
}

bool ets_gap_is_unrelated(const struct ets_gap_row *row)
{
    if (!row->has_total || row->total.finite_count < 2) return false;
    const double error = row->has_own ? row->own_error : ets_comparison_relative_rms(&row->total);
    return error >= 0.5 && correlation_of(row) < 0.5;
}

/* Whether a value has nothing but numbers of inputs that the run may not have had. */
static bool moves_unsure_inputs(const struct ets_gap_report *report,
                                const struct gap_region *region)
{
    return region->moves_only && region->row_count == 0 && !report->keeps_inputs;
}

/* Errors from other inputs, another state or another model are no operator's fault. */
static bool is_blameless(struct ets_gap_report *report, const struct gap_region *region,
                         const struct ets_gap_row *row, uint32_t place)
{
    struct ets_gap_conclusion *verdict = &report->verdict;
    const bool has_other_input = verdict->other_input != ETS_NO_INDEX;
    if (verdict->mismatch == ETS_GAP_OTHER_WEIGHTS ||
        verdict->mismatch == ETS_GAP_OTHER_OPERATORS) {
        return true;
    }
    const bool is_of_inputs =
        verdict->against == ETS_GAP_AGAINST_OTHER
            ? has_other_input
            : region->takes_input && (has_other_input || moves_unsure_inputs(report, region) ||
                                      (ets_gap_is_unrelated(row) && !report->has_same_input));
    if (region->takes_state && !has_other_input) {
        if (verdict->mismatch != ETS_GAP_OTHER_INPUTS) verdict->mismatch = ETS_GAP_OTHER_STATE;
        return true;
    }
    if (!is_of_inputs) return false;
    if (verdict->mismatch != ETS_GAP_OTHER_INPUTS) {
        verdict->unrelated = place;
        verdict->correlation = correlation_of(row);
    }
    verdict->mismatch = ETS_GAP_OTHER_INPUTS;
    return true;
}

static const char in_doubt[] =
    "its pairing is in doubt: several values fit, and the order of instructions chose";

/*
 * Whether a value that was paired by order is off for another reason than the values that it was
 * computed from: it may be another one. Where these may be others, too, they come first.
 */
static bool is_doubtful(struct ets_gap_report *report, uint32_t place, const struct limits *limits)
{
    struct ets_gap_row *row = &report->rows[report->order[place]];
    if (!row->value->is_by_order || !row->has_total) return false;
    if (!(row->judged_total > limits->total)) return false;
    if (row->has_own && !(row->judged_own > limits->own)) return false;
    ets_gap_region_find(report->region, report, report->order[place]);
    for (uint32_t i = 0; i < report->region->row_count; i++) {
        const uint32_t source = report->region->rows[i];
        if (report->rows[source].reason == in_doubt && !report->is_excluded[source]) return false;
    }
    return true;
}

bool ets_gap_exclude_doubtful(struct ets_gap_report *report)
{
    bool found = false;
    for (uint32_t i = 0; i < report->row_count; i++) {
        struct ets_gap_row *row = &report->rows[i];
        if (row->reason != in_doubt || report->is_excluded[i]) continue;
        report->is_excluded[i] = found = true;
        row->has_own = 0;
    }
    return found;
}

static bool region_has(const struct ets_gap_report *report, const struct ets_graph_node *node)
{
    for (uint32_t i = 0; i < report->region->node_count; i++) {
        if (report->reference->nodes[report->region->nodes[i]] == node) return true;
    }
    return false;
}

static void judge_row(struct ets_gap_report *report, const struct typical *typical, uint32_t place,
                      const struct limits *all)
{
    const struct limits limits = all[place];
    struct gap_region *region = report->region;
    struct ets_gap_row *row = &report->rows[report->order[place]];
    struct ets_gap_conclusion *verdict = &report->verdict;
    const double total = ets_comparison_relative_rms(&row->total);
    const bool decides_alike = type_decides(row) && row->same_bits == 1;
    const bool is_own = total > limits.own && row->own_error > limits.own && !decides_alike;
    const bool is_off = total > limits.total;
    row->threshold = decides_alike ? INFINITY : threshold_of(row, typical, limits.own);
    row->rounding = limits.rounding;
    row->limit = limits.total;
    if (report->is_excluded[report->order[place]] || is_doubtful(report, place, &limits)) {
        row->reason = in_doubt;
        row->finding = ETS_GAP_UNKNOWN;
        verdict->doubtful++;
        return;
    }
    verdict->unlike += is_off || is_own;
    if (row->own_error > limits.rounding) row->finding = ETS_GAP_INEXACT;
    else row->finding = is_off ? ETS_GAP_INHERITED : ETS_GAP_AGREES;
    if (is_own) row->finding = ETS_GAP_OFF;
    verdict->inexact += row->finding == ETS_GAP_INEXACT;
    if (row->value->is_by_order) return;
    if (row->has_own ? !(row->judged_own > row->threshold) : !is_off) return;
    ets_gap_region_find(region, report, report->order[place]);
    if (!row->has_own && !is_first_off(report, region, limits.own)) return;
    if (row->finding == ETS_GAP_INEXACT) verdict->inexact--;
    if (is_blameless(report, region, row, place)) {
        row->finding = ETS_GAP_OFF;
        return;
    }
    if (verdict->guilty == ETS_NO_INDEX) verdict->guilty = place;
    const struct ets_gap_row *guilty = &report->rows[report->order[verdict->guilty]];
    if (row->value->node == guilty->value->node) {
        row->finding = ETS_GAP_GUILTY;
    } else if (region_has(report, guilty->value->node)) {
        row->finding = ETS_GAP_OFF; /* what is guilty is between it and captured values, too */
    } else {
        verdict->suspects++;
        row->finding = ETS_GAP_SUSPECT;
    }
}

/* Sets arithmetic and limits of each row, in the report's order. */
static struct limits *explain_rows(struct ets_gap_report *report, struct ets_arena *arena)
{
    struct limits *limits = ets_arena_alloc_array(arena, report->row_count, sizeof *limits);
    for (uint32_t i = 0; limits != NULL && i < report->row_count; i++) {
        struct ets_gap_row *row = &report->rows[report->order[i]];
        row->own_error = row->has_own ? ets_comparison_relative_rms(&row->own) : NAN;
        row->judged_own = row->has_own ? fmax(row->own_error, row->own_channels.median) : NAN;
        row->judged_total = row->has_total ? fmax(ets_comparison_relative_rms(&row->total),
                                                  row->total_channels.median)
                                           : NAN;
        limits[i] = explain(report, report->region, report->order[i]);
    }
    return limits;
}

static enum ets_status judge_rows(struct ets_gap_report *report, struct ets_arena *arena,
                                  struct ets_error *error)
{
    struct typical typical[CLASSES + 1];
    const struct limits *limits = explain_rows(report, arena);
    if (limits == NULL) return gap_fail_memory(error);
    for (int i = 0; i <= ANY; i++) ETS_TRY(find_typical(report, arena, i, &typical[i], error));
    report->verdict.typical =
        median_of(typical[ANY].errors, typical[ANY].count, typical[ANY].count);
    for (uint32_t i = 0; i < report->row_count; i++) {
        if (report->rows[report->order[i]].has_total) judge_row(report, typical, i, limits);
    }
    return ETS_OK;
}

enum ets_status ets_gap_judge(struct ets_gap_report *report, struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, report->options.allocator, 0);
    report->verdict.guilty = report->verdict.stands_out = ETS_NO_INDEX;
    report->verdict.saturation = NULL;
    report->verdict.saturates_guilty = 0;
    report->verdict.saturated = 0;
    report->verdict.explained = report->verdict.outputs = NAN;
    report->verdict.unlike = report->verdict.suspects = report->verdict.inexact = 0;
    report->verdict.doubtful = 0;
    enum ets_status status = ets_gap_region_init(report, error);
    if (status == ETS_OK) status = ets_gap_count_kernels(report, error);
    if (status == ETS_OK) status = judge_rows(report, &arena, error);
    ets_arena_reset(&arena);
    return status;
}

const struct ets_gap_conclusion *ets_gap_conclusion(const struct ets_gap_report *report)
{
    return &gap_shown(report)->verdict;
}

const char *ets_gap_finding_name(enum ets_gap_finding finding)
{
    static const char *const names[] = {NULL,      "agrees", "inherited", "guilty",
                                        "suspect", "off",    "inexact",   "harmless"};
    return (unsigned)finding < sizeof names / sizeof names[0] ? names[finding] : NULL;
}
