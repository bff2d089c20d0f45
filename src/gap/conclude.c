/*
 * Concludes from rows and shares who is guilty: of the operators that stand out the first that
 * makes a part of the outputs' error; against another model that which makes most of it. Where all
 * outputs agree, nobody is.
 */
#include <math.h>

#include "gap/gap_parts.h"
#include "record/record_maps.h"
#include "verify/computing.h"

/* Smaller shares are not what is wrong; larger ones are, however much the others do. */
static const double SMALL_SHARE = 0.1, LARGE_SHARE = 1.0 / 3;
/* An own error this large is wrong, whatever arrives of it behind others that are. */
static const double ABSURD = 0.5;

static bool decides_by_type(const struct ets_gap_row *row)
{
    const int type = (int)row->value->captured.tensor.scalar_type;
    return ets_type_computes(type) == ETS_COMPUTES_EXACT;
}

static bool stands_out(const struct ets_gap_row *row)
{
    return row->finding == ETS_GAP_GUILTY || row->finding == ETS_GAP_SUSPECT;
}

static double total_correlation(const struct ets_gap_row *row)
{
    return ets_gap_correlation(&row->total, &row->reference, &row->device);
}

/* Nobody is guilty: what stood out is `finding`. */
static void acquit(struct ets_gap_report *report, enum ets_gap_finding finding)
{
    report->verdict.guilty = ETS_NO_INDEX;
    report->verdict.suspects = 0;
    for (uint32_t i = 0; i < report->row_count; i++) {
        if (stands_out(&report->rows[i])) report->rows[i].finding = finding;
    }
}

/* Whether most values, and the first of all, are unrelated to the reference's. */
static bool are_unrelated(const struct ets_gap_report *report, uint32_t *first_out)
{
    uint32_t compared = 0, unrelated = 0;
    bool is_first = false;
    for (uint32_t i = 0; i < report->row_count; i++) {
        const struct ets_gap_row *row = &report->rows[report->order[i]];
        if (!row->has_total || decides_by_type(row)) continue;
        if (compared++ == 0) {
            *first_out = i;
            is_first = ets_gap_is_unrelated(row);
        }
        unrelated += ets_gap_is_unrelated(row);
    }
    return is_first && 2 * (uint64_t)unrelated > compared;
}

/*
 * Whether most values are wrong by half or more, the first of all neither agrees nor correlates,
 * and no operator explains the outputs' error.
 */
static bool is_unexplained(const struct ets_gap_report *report)
{
    const struct ets_gap_conclusion *verdict = &report->verdict;
    uint32_t compared = 0, far = 0;
    for (uint32_t i = 0; i < report->row_count; i++) {
        const struct ets_gap_row *row = &report->rows[report->order[i]];
        if (!row->has_total) continue;
        const double total = ets_comparison_relative_rms(&row->total);
        if (compared++ == 0 && (total <= row->limit || total_correlation(row) >= 0.9)) return false;
        far += total >= 0.5;
    }
    const bool is_explained = verdict->guilty != ETS_NO_INDEX && !(verdict->explained < 0.1);
    return 2 * (uint64_t)far > compared && !is_explained;
}

struct weighted {
    const struct gap_graph *graph;
    bool is_found;
};

static void see_weight(void *context, uint32_t value)
{
    struct weighted *weighted = context;
    const struct gap_place place = weighted->graph->places[value];
    if (place.node != GAP_NONE || *ets_key_table_key(&weighted->graph->values, value) != 0) return;
    const struct ets_graph_input *input = &weighted->graph->graph->inputs[place.output];
    const struct ets_graph_value *tensor =
        ets_graph_find_value(weighted->graph->graph, input->argument.name);
    weighted->is_found |= input->role == ETS_INPUT_PARAMETER && tensor != NULL && tensor->rank >= 2;
}

/* Whether a row's own error covers an operator with a weight of two dimensions or more. */
static bool has_weight(struct ets_gap_report *report, uint32_t number)
{
    struct weighted weighted = {report->reference, false};
    ets_gap_region_find(report->region, report, number);
    for (uint32_t i = 0; i < report->region->node_count && !weighted.is_found; i++) {
        ets_gap_graph_inputs(report->reference, report->region->nodes[i], see_weight, &weighted);
    }
    return weighted.is_found;
}

/*
 * Operators with weights of which each computes something else than the reference: these are
 * other weights, or values of another run. 0: none, or at least one is right.
 */
static uint32_t count_unlike_weights(struct ets_gap_report *report, uint32_t *first_out)
{
    uint32_t unlike = 0;
    for (uint32_t i = 0; i < report->row_count; i++) {
        const uint32_t number = report->order[i];
        const struct ets_gap_row *row = &report->rows[number];
        if (!row->has_own || row->own.finite_count < 2 || row->own.broken_count > 0) continue;
        if (report->is_excluded[number] || !has_weight(report, number)) continue;
        if (row->finding != ETS_GAP_OFF && !stands_out(row)) return 0;
        if (!(row->own_correlation < 0.5)) continue;
        if (unlike++ == 0) *first_out = i;
    }
    return unlike;
}

static void judge_model(struct ets_gap_report *report)
{
    struct ets_gap_conclusion *verdict = &report->verdict;
    uint32_t first = 0;
    if (verdict->mismatch == ETS_GAP_BELONGS || verdict->mismatch == ETS_GAP_OTHER_WEIGHTS ||
        verdict->mismatch == ETS_GAP_OTHER_OPERATORS || verdict->mismatch == ETS_GAP_OTHER_STATE) {
        return;
    }
    const bool are_inputs = verdict->mismatch == ETS_GAP_OTHER_INPUTS;
    if (are_inputs && verdict->other_input != ETS_NO_INDEX) return; /* that is sure */
    verdict->unlike_weights = count_unlike_weights(report, &first);
    if (verdict->unlike_weights == 0 && !are_unrelated(report, &first) &&
        (are_inputs || !is_unexplained(report))) {
        return;
    }
    verdict->mismatch = ETS_GAP_OTHER_VALUES;
    verdict->unrelated = first;
    verdict->correlation =
        report->row_count > 0 ? total_correlation(&report->rows[report->order[first]]) : NAN;
    verdict->explained = NAN;
    acquit(report, ETS_GAP_OFF);
}

/* The place of the row with the largest share, of all or of those that stand out. */
static uint32_t find_largest(const struct ets_gap_report *report, bool of_all)
{
    uint32_t largest = ETS_NO_INDEX;
    double most = 0;
    for (uint32_t i = 0; i < report->row_count; i++) {
        const struct ets_gap_row *row = &report->rows[report->order[i]];
        if (!(row->share > most) || row->value->is_by_order) continue;
        if (!of_all && !stands_out(row)) continue;
        most = row->share;
        largest = i;
    }
    return largest;
}

/* The row at `place` is guilty; others that stand out are suspects if they make a part, too. */
static void blame(struct ets_gap_report *report, uint32_t place)
{
    struct ets_gap_conclusion *verdict = &report->verdict;
    const struct ets_graph_node *node = report->rows[report->order[place]].value->node;
    verdict->guilty = place;
    verdict->suspects = 0;
    for (uint32_t i = 0; i < report->row_count; i++) {
        struct ets_gap_row *row = &report->rows[i];
        const bool is_it = report->order[place] == i;
        if (!is_it && !stands_out(row)) continue;
        const bool is_small = row->share < SMALL_SHARE; /* false: not measured */
        row->finding = is_it || row->value->node == node ? ETS_GAP_GUILTY
                       : is_small                        ? ETS_GAP_OFF
                                                         : ETS_GAP_SUSPECT;
        verdict->suspects += row->finding == ETS_GAP_SUSPECT;
    }
}

static double share_at(const struct ets_gap_report *report, uint32_t place)
{
    return place == ETS_NO_INDEX ? NAN : report->rows[report->order[place]].share;
}

/* Against another model, everything is off a little: what makes most of the error is guilty. */
static void weigh_all(struct ets_gap_report *report)
{
    const uint32_t largest = find_largest(report, true);
    if (largest == ETS_NO_INDEX) return;
    const bool is_apart = stands_out(&report->rows[report->order[largest]]);
    if (share_at(report, largest) >= (is_apart ? SMALL_SHARE : LARGE_SHARE)) blame(report, largest);
    else acquit(report, ETS_GAP_OFF);
}

/* Where the first that stands out makes nothing of the outputs' error, another does. */
static void weigh_outstanding(struct ets_gap_report *report)
{
    const uint32_t largest = find_largest(report, false), guilty = report->verdict.guilty;
    if (!(share_at(report, guilty) < SMALL_SHARE)) return;
    if (report->rows[report->order[guilty]].own_error >= ABSURD) return;
    if (share_at(report, largest) >= LARGE_SHARE) blame(report, largest);
}

static bool do_outputs_agree(const struct ets_gap_conclusion *verdict)
{
    return verdict->output_count > 0 && verdict->outputs_agreeing == verdict->output_count;
}

static void weigh(struct ets_gap_report *report)
{
    struct ets_gap_conclusion *verdict = &report->verdict;
    verdict->measured = NAN;
    for (uint32_t i = 0; i < report->row_count; i++) {
        const double share = report->rows[i].share;
        if (isnan(share)) continue;
        verdict->measured = (isnan(verdict->measured) ? 0 : verdict->measured) + share;
    }
    if (verdict->mismatch > ETS_GAP_BELONGS || isnan(verdict->measured)) return;
    if (do_outputs_agree(verdict)) return;
    if (verdict->against == ETS_GAP_AGAINST_OTHER) weigh_all(report);
    else if (verdict->guilty != ETS_NO_INDEX) weigh_outstanding(report);
}

/* The largest error of an output; NaN if none was compared, or one has NaNs or infinities. */
static double worst_output(struct ets_gap_report *report)
{
    double worst = NAN;
    report->verdict.outputs_limit = NAN;
    for (uint32_t i = 0; i < report->compared.count; i++) {
        const struct ets_gap_row *row = &report->rows[i];
        if (!report->is_output[i] || !row->has_total) continue;
        if (row->total.broken_count > 0) return NAN;
        const double error = ets_comparison_relative_rms(&row->total);
        if (error <= worst) continue;
        worst = error;
        report->verdict.outputs_limit = row->limit;
    }
    return worst;
}

void ets_gap_conclude(struct ets_gap_report *report)
{
    struct ets_gap_conclusion *verdict = &report->verdict;
    verdict->outputs = worst_output(report);
    for (uint32_t i = 0; i < report->row_count; i++) report->rows[i].rest *= verdict->outputs;
    ets_gap_outputs_count(report);
    weigh(report);
    verdict->explained = share_at(report, verdict->guilty);
    judge_model(report);
    if (verdict->guilty == ETS_NO_INDEX || !do_outputs_agree(verdict)) return;
    verdict->stands_out = verdict->guilty;
    acquit(report, ETS_GAP_HARMLESS);
}
