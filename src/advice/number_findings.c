/* Findings about captured values: what is wrong with them, and what would make them right. */
#include <math.h>
#include <string.h>

#include "advice/finding_rules.h"
#include "base/text.h"
#include "etscope/experimental/captured_values.h"
#include "gap/gap_details.h"
#include "operators/operator_traits.h"
#include "partition/partition_node.h"
#include "views/gap_headline.h"

/* Whether at least one value could be compared, and all of these agree. */
static bool do_all_agree(const struct ets_gap_report *report)
{
    uint32_t agreeing = 0;
    if (ets_gap_conclusion(report)->doubtful > 0) return false;
    for (uint32_t i = 0; i < ets_gap_row_count(report); i++) {
        const enum ets_gap_finding finding = ets_gap_row(report, i)->finding;
        if (finding != ETS_GAP_AGREES && finding != ETS_GAP_UNKNOWN) return false;
        agreeing += finding == ETS_GAP_AGREES;
    }
    return agreeing > 0;
}

/* What a scale that cuts numbers off calls for. */
static const char calibrate[] =
    "calibrate with inputs like those of this run: pass them to the prepared model before "
    "convert_pt2e";
static const char rare_inputs[] = "this run's inputs are unlike those of the model in use";

/* "leave it in float: ...", by what a quantizer takes: names of nodes change from export to export,
 * and its set_module_name does not take None. */
static void propose_float(struct ets_finder *finder, const struct ets_graph_node *node)
{
    const struct ets_text module = ets_graph_module_path(node);
    if (module.size == 0) {
        ets_find_propose(finder,
                         "leave this operator in float (a quantizer's set_filter_function)");
        return;
    }
    ets_find_propose(finder,
                     "leave it in float: quantizer.set_filter_function(lambda node: "
                     "all(path != \"%.*s\" for path, _ in "
                     "node.meta.get(\"nn_module_stack\", {}).values()))",
                     ETS_TEXT(module));
}

/* The operator that a row is about: of a product and a batch norm that is folded into it, the
 * product. */
static const struct ets_graph_node *operator_of(const struct ets_gap_report *report, uint32_t row)
{
    enum { MOST = 4 };
    const struct ets_graph_node *own = ets_gap_row(report, row)->value->node, *nodes[MOST];
    const struct ets_graph_node *product = NULL;
    uint32_t count, rows;
    if (!ets_text_contains(own->op, "batch_norm") ||
        ets_gap_region(report, row, nodes, MOST, &count, NULL, 0, &rows, NULL) != ETS_OK) {
        return own;
    }
    for (uint32_t i = 0; i < count && i < MOST; i++) {
        if (ets_operator_is(nodes[i]->op, ETS_OPERATOR_MULTIPLICATION)) product = nodes[i];
    }
    return product != NULL ? product : own;
}

/* What makes the guilty operator exact: a scale that fits its values; for weights of one scale, in
 * which small channels have no steps left beside a large one, a scale for each channel. */
static void propose_scales(struct ets_finder *finder, const struct ets_gap_report *report,
                           struct ets_finding *finding)
{
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(report);
    const struct ets_graph_node *node = operator_of(report, ets_gap_cause(verdict));
    if (verdict->against != ETS_GAP_AGAINST_OTHER) return;
    if (verdict->saturates_guilty) {
        ets_find_propose(finder, "%s", calibrate);
        finding->confidence = ETS_CONFIDENCE_MEDIUM;
        finding->doubt = rare_inputs;
    } else if (ets_gap_weight_is_cause(verdict->weight)) {
        ets_find_propose(
            finder,
            "quantize weights per channel "
            "(get_symmetric_quantization_config(is_per_channel=True)); or equalize: "
            "divide channel %llu by what makes it large, and multiply the weights that "
            "take it; or ",
            (unsigned long long)verdict->weight->loudest);
        propose_float(finder, node);
        finding->confidence = ETS_CONFIDENCE_MEDIUM;
    } else if (verdict->coarse_scale.shared != NULL) {
        ets_find_propose(finder,
                         "bring what %.*s takes to one range (divide what reaches %.3g, and "
                         "multiply the weights behind it)",
                         ETS_TEXT(ets_operator_base_name(verdict->coarse_scale.shared->op)),
                         verdict->coarse_scale.shared_reach);
        finding->confidence = ETS_CONFIDENCE_MEDIUM;
    } else if (ets_gap_channel_sets_step(report, ets_gap_row(report, ets_gap_cause(verdict)))) {
        const struct ets_gap_row *row = ets_gap_row(report, ets_gap_cause(verdict));
        ets_find_propose(finder,
                         "equalize: divide channel %u by what makes it large, and multiply the "
                         "weights that take it; or ",
                         row->total_channels.loudest);
        propose_float(finder, node);
        finding->confidence = ETS_CONFIDENCE_MEDIUM;
    } else if (ets_operator_is(node->op, ETS_OPERATOR_MULTIPLICATION)) {
        propose_float(finder, node);
        if (verdict->weight != NULL) {
            ets_find_propose(finder,
                             "; or, less exact, quantize weights per channel "
                             "(get_symmetric_quantization_config(is_per_channel=True))");
        }
        finding->confidence = ETS_CONFIDENCE_LOW;
    }
}

/* Whether another finding already says what is wrong in the guilty instruction: it is one fault. */
static bool is_explained(const struct ets_finder *finder, const struct ets_gap_report *report)
{
    static const char *const kinds[] = {"wrong_softmax", "wrong_gelu", "lost_weight_scales"};
    const struct ets_gap_row *row = ets_gap_row(report, ets_gap_cause(ets_gap_conclusion(report)));
    const struct ets_captured_value *captured = &row->value->captured;
    for (uint32_t i = 0; captured->chain == 0 && i < finder->out->count; i++) {
        const struct ets_finding *earlier = &finder->out->items[i];
        bool is_cause = false;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            is_cause |= strcmp(earlier->kind, kinds[k]) == 0;
        }
        for (uint32_t k = 0; is_cause && k < earlier->instruction_count; k++) {
            if ((int64_t)earlier->instructions[k] == captured->instruction) return true;
        }
    }
    return false;
}

/* Measured beside the float model, coarse weights are as bad as their share of the outputs' error.
 */
static void weigh_coarse_weights(struct ets_finder *finder,
                                 const struct ets_gap_conclusion *verdict)
{
    if (verdict->against != ETS_GAP_AGAINST_OTHER || verdict->output_count == 0) return;
    if (verdict->outputs_compared < verdict->output_count) return;
    for (uint32_t i = 0; i < finder->out->count; i++) {
        struct ets_finding *finding = &finder->out->items[i];
        if (strcmp(finding->kind, "coarse_weights") != 0) continue;
        if (verdict->outputs_agreeing == verdict->output_count) {
            finding->severity = ETS_SEVERITY_NOTE;
            finding->doubt = "the outputs agree with the float model on the inputs of this run";
        } else if (ets_gap_weight_is_cause(verdict->weight)) {
            finding->severity = ETS_SEVERITY_NOTE; /* the operator that is wrong says it */
        }
    }
}

/* Whether a scale cuts values off that no guilty operator explains. */
static bool is_cut_off(const struct ets_gap_report *report)
{
    char text[1024];
    return ets_gap_conclusion(report)->guilty == ETS_NO_INDEX &&
           ets_gap_describe_cut_off(report, text, sizeof text) > 0;
}

/* What the gap report concludes. */
bool ets_find_numbers(struct ets_finder *finder)
{
    char text[1024];
    const struct ets_gap_report *report = finder->subject->gap;
    if (report == NULL) return true;
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(report);
    struct ets_finding finding = ets_finding_of("values_differ", ETS_SEVERITY_NOTE, "numbers");
    weigh_coarse_weights(finder, verdict);
    if (verdict->mismatch >= ETS_GAP_OTHER_WEIGHTS) {
        finding.kind = "other_values";
        finding.severity = ETS_SEVERITY_BAD;
    } else if (ets_gap_cause(verdict) != ETS_NO_INDEX) {
        const bool is_guilty = verdict->guilty != ETS_NO_INDEX; /* else all outputs agree */
        if (!is_guilty && is_cut_off(report)) return true;      /* ets_find_cut_off */
        if (is_guilty) finding.kind = "wrong_operator";
        if (is_guilty && !is_explained(finder, report)) finding.severity = ETS_SEVERITY_BAD;
        finding.check = ETS_CHECK_NUMBERS;
        const struct ets_graph_node *shared = verdict->coarse_scale.shared;
        const struct ets_graph_node *node =
            shared != NULL ? shared : operator_of(report, ets_gap_cause(verdict));
        ets_parts_begin(finder);
        if (!ets_parts_add_node(finder, node)) return false;
        ets_finding_place_parts(finder, &finding);
        finding.place = node->name;
        propose_scales(finder, report, &finding);
    } else if (do_all_agree(report)) {
        if (verdict->saturation != NULL) return true; /* ets_find_cut_off */
        finding.kind = "values_agree";
        finding.severity = ETS_SEVERITY_GOOD;
    }
    (void)ets_gap_headline(report, finder->subject->words, text, sizeof text);
    ets_find_say(finder, "%s", text);
    return ets_finding_add(finder, finding);
}

static bool has_coarse_weights(const struct ets_finder *finder)
{
    for (uint32_t i = 0; i < finder->out->count; i++) {
        if (strcmp(finder->out->items[i].kind, "coarse_weights") == 0) return true;
    }
    return false;
}

/* Activations that lose numbers to their scale, though kernels and delegates compute right. */
bool ets_find_cut_off(struct ets_finder *finder)
{
    char text[1024];
    const struct ets_gap_report *report = finder->subject->gap;
    if (report == NULL || !is_cut_off(report)) return true;
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(report);
    (void)ets_gap_describe_cut_off(report, text, sizeof text);
    struct ets_finding finding = ets_finding_of("cut_off", ETS_SEVERITY_BAD, "numbers");
    const struct ets_graph_node *node = verdict->saturation->node;
    ets_parts_begin(finder);
    if (node != NULL && !ets_parts_add_node(finder, node)) return false;
    ets_finding_place_parts(finder, &finding);
    if (node != NULL) finding.place = node->name;
    ets_find_say(finder, "%s", text);
    ets_find_propose(finder, "%s", calibrate);
    finding.confidence = ETS_CONFIDENCE_MEDIUM;
    finding.doubt = rare_inputs;
    finding.check = ETS_CHECK_NUMBERS;
    if (has_coarse_weights(finder)) { /* they make the values that the scale does not know */
        finding.severity = ETS_SEVERITY_NOTE;
        finding.confidence = ETS_CONFIDENCE_LOW;
        finding.doubt = "it is a consequence of weights with too few steps: mend these first";
    }
    return ets_finding_add(finder, finding);
}

/* The first captured value with NaN or infinity where the reference has none. */
bool ets_find_nonfinite(struct ets_finder *finder)
{
    const struct ets_gap_report *report = finder->subject->gap;
    if (report == NULL) return true;
    for (uint32_t i = 0; i < ets_gap_row_count(report); i++) {
        const struct ets_gap_row *row = ets_gap_row(report, i);
        if (!row->has_total || row->total.broken_count == 0) continue;
        struct ets_finding finding = ets_finding_of("nan_or_infinity", ETS_SEVERITY_BAD, "numbers");
        finding.place = row->value->node->name;
        ets_find_say(finder,
                     "%.*s is the first value with NaN or infinity on one side only: %llu "
                     "element%s",
                     ETS_TEXT(finding.place), (unsigned long long)row->total.broken_count,
                     row->total.broken_count == 1 ? "" : "s");
        return ets_finding_add(finder, finding);
    }
    return true;
}
