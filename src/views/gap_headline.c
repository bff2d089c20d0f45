/* Words the finding of a gap report. */
#include <math.h>
#include <stdbool.h>

#include "gap/gap_details.h"
#include "gap/overflow.h"
#include "views/gap_coverage.h"
#include "views/gap_headline.h"

#include "operators/operator_traits.h"
#include "views/gap_words.h"

/* Names the reference. */
static void say_reference(struct ets_gap_words *words, const struct ets_gap_report *report,
                          const struct ets_gap_conclusion *verdict)
{
    const bool is_edge = ets_gap_is_edge(report);
    switch (verdict->against) {
    case ETS_GAP_AGAINST_TRACE: say(words, "the other trace"); return;
    case ETS_GAP_AGAINST_VALUES: say(words, "the given values"); return;
    case ETS_GAP_AGAINST_OTHER: say(words, "the other model"); break;
    case ETS_GAP_AGAINST_RECORD:
        say(words, "%s%s", verdict->is_quantized ? "the program's own quantized graph" : "",
            verdict->is_quantized ? ""
            : is_edge             ? "the edge program"
                                  : "the exported program");
        break;
    }
    say(words, verdict->in_double ? " in float64" : " as this runtime's kernels compute it");
}

/* The program's own graph quantizes as the program does, so what that costs is not seen. */
static void say_float_model(struct ets_gap_words *words, const struct ets_gap_conclusion *verdict)
{
    if (!verdict->is_quantized) return;
    say(words, "; to see what quantization costs, give the float model");
    say_advice(words, ETS_ADVICE_FLOAT_MODEL);
}

/* Adds what this agreement does not prove. */
static void say_limits(struct ets_gap_words *words, const struct ets_gap_conclusion *verdict)
{
    if (verdict->is_unchecked) {
        say(words, "; not checked: whether the delegate quantizes like the ETRecord");
        say_advice(words, ETS_ADVICE_PROGRAM);
    }
    say_float_model(words, verdict);
}

/* Adds whether the device computed the same bits as this runtime's kernels. */
static void say_bits(struct ets_gap_words *words, const struct ets_gap_conclusion *verdict)
{
    if (verdict->same_bits == 0 || !verdict->in_double) return;
    say(words, "; bit-identical to this runtime's kernels");
    if (verdict->same_bits == verdict->bits_known) return;
    say(words, " in %u of %u values", verdict->same_bits, verdict->bits_known);
}

/* Adds how well the rows before the guilty one agree. */
static void say_before(struct ets_gap_words *words, const struct ets_gap_report *report,
                       uint32_t end)
{
    double largest = 0;
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < end; i++) {
        const struct ets_gap_row *row = ets_gap_row(report, i);
        if (row->has_total) largest = fmax(largest, ets_comparison_relative_rms(&row->total));
        else unknown++;
    }
    if (end == 0) return;
    if (unknown == end) {
        say(words, "; nothing before it could be compared");
        return;
    }
    if (isinf(largest)) {
        say(words, "; a value before it is NaN or infinite, too");
        return;
    }
    if (largest == 0) say(words, "; everything before it agrees bit for bit");
    else say(words, "; nothing before it is off by more than ");
    if (largest > 0) say_number(words, largest, 2);
    if (unknown > 0) say(words, " (%u of %u not compared)", unknown, end);
}

/* NaN on both sides counts as agreement, but is rarely intended. */
static void say_nan(struct ets_gap_words *words, const struct ets_gap_report *report)
{
    for (uint32_t i = 0; i < ets_gap_row_count(report); i++) {
        const struct ets_gap_row *row = ets_gap_row(report, i);
        if (!row->has_total || row->reference.nan_count == 0 || row->device.nan_count == 0) {
            continue;
        }
        say(words, "; both have NaN, first in ");
        ets_gap_say_row(words, report, i);
        return;
    }
}

/* Of so many weights that became 0, one says so. */
static const double MANY_ZEROS = 0.2;

/* Why it is off, where the weights tell. */
static void say_cause(struct ets_gap_words *words, const struct ets_gap_weight_use *weight)
{
    if (!ets_gap_weight_is_cause(weight)) return;
    say(words, "; ");
    if ((double)weight->zero_count >= MANY_ZEROS * (double)weight->count) {
        say_number(words, 100 * (double)weight->zero_count / (double)weight->count, 2);
        say(words, " %% of its weights became 0");
    } else {
        say(words, "%llu of its %llu channels reach no more than 3 of 127 steps",
            (unsigned long long)weight->coarse_count, (unsigned long long)weight->channel_count);
    }
    say(words, ": the largest, ");
    say_number(words, weight->largest, 3);
    say(words, ", sets the step of all, ");
    say_number(words, weight->step, 2);
}

/* The output of which most rows have another largest element; ETS_NO_INDEX: none is known. */
static uint32_t most_moved(const struct ets_gap_report *report)
{
    uint32_t most = ETS_NO_INDEX;
    uint64_t moved = 0;
    for (uint32_t i = 0; i < ets_gap_row_count(report); i++) {
        const struct ets_gap_row *row = ets_gap_row(report, i);
        if (row->largest.rows == 0) continue;
        if (most != ETS_NO_INDEX && row->largest.moved <= moved) continue;
        most = i;
        moved = row->largest.moved;
    }
    return most;
}

/* ", and the largest of head is element 3, in the reference element 7": another class. */
static void say_largest(struct ets_gap_words *words, const struct ets_gap_report *report)
{
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(report);
    const bool are_off = verdict->outputs_agreeing < verdict->outputs_compared; /* else good news */
    const uint32_t row = most_moved(report);
    if (row == ETS_NO_INDEX) return;
    const struct ets_gap_largest *largest = &ets_gap_row(report, row)->largest;
    if (largest->moved == 0) {
        say(words, ", %s the largest element%s stays the same", are_off ? "but" : "and",
            largest->rows == 1 ? "" : " of each row");
    } else if (largest->rows == 1) {
        say(words, ", and the largest of ");
        ets_gap_say_name(words, report, row);
        say(words, " is element %u, in the reference element %u", largest->device,
            largest->reference);
    } else {
        say(words, ", and in %llu of %llu rows of ", (unsigned long long)largest->moved,
            (unsigned long long)largest->rows);
        ets_gap_say_name(words, report, row);
        say(words, " another element is the largest");
    }
}

/* Adds the error of the outputs, and whether it would change what a classifier answers. */
static void say_outputs(struct ets_gap_words *words, const struct ets_gap_report *report,
                        const struct ets_gap_conclusion *verdict)
{
    if (isnan(verdict->outputs)) return;
    say(words, "; the outputs are off by ");
    say_number(words, verdict->outputs, 2);
    if (verdict->outputs > 0) say_largest(words, report);
}

/* "43 % of its values are beyond its scale, 0 to 1.5: they reach 3.6"; `is_taken`: "43 % of the
 * values of input 0, which it takes, are ..." */
static void say_saturation(struct ets_gap_words *words, const struct ets_gap_saturation *saturation,
                           bool is_taken)
{
    const double beyond = (double)(saturation->low_count + saturation->high_count);
    const bool is_low =
        saturation->lowest - saturation->smallest > saturation->largest - saturation->highest;
    say_percent(words, beyond / (double)saturation->count);
    if (is_taken) {
        say(words, " of the values of ");
        say_activation(words, saturation);
        say(words, ", which it takes, are beyond its scale, ");
    } else {
        say(words, " of its values are beyond its scale, ");
    }
    say_number(words, saturation->lowest, 3);
    say(words, " to ");
    say_number(words, saturation->highest, 3);
    say(words, ": they reach ");
    say_number(words, is_low ? saturation->smallest : saturation->largest, 3);
}

/* " (net.py:15)"; NULL: nothing. */
static void say_frame(struct ets_gap_words *words, const struct ets_graph_frame *frame)
{
    if (frame == NULL) return;
    say(words, " (");
    say_text(words, frame->file);
    say(words, ":%u)", frame->line);
}

/* What a scale cuts off, which no comparison with the quantized graph tells. */
static void say_cut_off(struct ets_gap_words *words, const struct ets_gap_conclusion *verdict)
{
    const struct ets_gap_saturation *saturation = verdict->saturation;
    const uint32_t more = verdict->saturated - 1;
    const struct ets_graph_frame *frame = NULL;
    if (saturation->node != NULL) frame = ets_graph_user_frame(saturation->node);
    say_activation(words, saturation);
    say_frame(words, frame);
    say(words, " is cut off: ");
    say_saturation(words, saturation, false);
    say(words, ", an error of ");
    say_number(words, saturation->error, 2);
    if (more > 0) say(words, "; so %s %u more", more == 1 ? "is" : "are", more);
}

/* Operators whose values of four dimensions are images. */
static bool is_of_images(const struct ets_graph_node *node)
{
    static const char *const parts[] = {"conv", "pool", "pad", "upsample", "batch_norm"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (ets_text_contains(node->op, parts[i])) return true;
    }
    return false;
}

/* "; 95 % of it is in channel 3 of 16 (dimension 1)"; of images dimensions have names. */
static void say_channel(struct ets_gap_words *words, const struct ets_gap_row *row)
{
    const struct ets_gap_channel *channel = &row->channel;
    const struct ets_captured_value *captured = &row->value->captured;
    const bool is_image =
        captured->has_tensor && captured->tensor.rank == 4 && is_of_images(row->value->node);
    const char *what = "channel";
    if (channel->size == 0) return;
    if (is_image && channel->dimension == 2) what = "row";
    else if (is_image && channel->dimension == 3) what = "column";
    say(words, "; ");
    say_percent(words, channel->share);
    say(words, " of it is in %s %u of %u", what, channel->index, channel->size);
    if (!is_image) say(words, " (dimension %u)", channel->dimension);
    if (is_image && channel->dimension >= 2 &&
        (channel->index == 0 || channel->index + 1 == channel->size)) {
        say(words, ", the border");
    }
}

static uint32_t first_suspect(const struct ets_gap_report *report)
{
    uint32_t row = 0;
    while (ets_gap_row(report, row)->finding != ETS_GAP_SUSPECT) row++;
    return row;
}

/* Another operator than the guilty one, in few words. */
static void say_other(struct ets_gap_words *words, const struct ets_gap_report *report,
                      uint32_t row)
{
    const uint32_t count = ets_gap_suspect_count(report, row);
    if (count > 1) say(words, "one of the %u operators that end at ", count);
    ets_gap_say_row(words, report, row);
}

/* A comparison of NaN or infinity on one side only. */
static void say_broken(struct ets_gap_words *words, const struct ets_comparison *error)
{
    say(words, "%llu of its %llu elements are NaN or infinite on one side only",
        (unsigned long long)error->broken_count, (unsigned long long)error->count);
}

/* " overflows float16: conv2d_1 reaches 4.3e+05 in the reference, the type 6.6e+04; ..."; false:
 * its numbers are within its type, or there are others in it. */
static bool say_overflow(struct ets_gap_words *words, const struct ets_gap_report *report,
                         const struct ets_gap_conclusion *verdict)
{
    const struct ets_gap_row *row = ets_gap_row(report, verdict->guilty);
    const struct ets_comparison *error = row->has_own ? &row->own : &row->total;
    struct ets_gap_overflow overflow = verdict->overflow;
    if (error->broken_count == 0) return false;
    if (overflow.node == NULL || !ets_gap_covers(report, verdict->guilty, overflow.node)) {
        overflow.scalar_type = (int)row->value->captured.tensor.scalar_type;
        overflow.limit = ets_gap_largest_number(overflow.scalar_type);
        overflow.node = row->value->node;
        overflow.reach = row->reference.absolute_max;
        overflow.before = 0;
        if (!(overflow.reach > overflow.limit)) return false;
    }
    say(words, " overflows %s: ", ets_scalar_type_name(overflow.scalar_type));
    if (ets_gap_suspect_count(report, verdict->guilty) > 1) {
        ets_gap_say_node(words, overflow.node);
        say(words, " is the first that reaches ");
    } else {
        say(words, "it reaches ");
    }
    say_number(words, overflow.reach, 3);
    say(words, " in ");
    say_reference(words, report, verdict);
    say(words, ", beyond the type's ");
    say_number(words, overflow.limit, 5);
    if (overflow.before > 0) {
        say(words, "; no value before it exceeds ");
        say_number(words, overflow.before, 3);
    }
    say(words, "; ");
    say_broken(words, error);
    return true;
}

/* Other operators that stand out. */
static void say_suspects(struct ets_gap_words *words, const struct ets_gap_report *report,
                         const struct ets_gap_conclusion *verdict)
{
    const struct ets_gap_row *row = ets_gap_row(report, verdict->guilty);
    if (verdict->suspects == 0) return;
    say(words, "; ");
    say_other(words, report, first_suspect(report));
    if (verdict->suspects > 1) say(words, " and %u more stand out, too", verdict->suspects - 1);
    else say(words, " stands out, too");
    if (!row->has_own) { /* errors against other values do not tell who made them */
        say(words, "; a comparison with the ETRecord's graph would tell their own errors");
    }
}

/* The row with the second largest share; ETS_NO_INDEX: it is small. */
static uint32_t next_share(const struct ets_gap_report *report, uint32_t first)
{
    uint32_t found = ETS_NO_INDEX;
    double most = 0.05;
    for (uint32_t i = 0; i < ets_gap_row_count(report); i++) {
        const double share = ets_gap_row(report, i)->share;
        if (i == first || !(share > most)) continue;
        most = share;
        found = i;
    }
    return found;
}

static void say_share_number(struct ets_gap_words *words, double share)
{
    say_number(words, 100 * share, share < 0.1 ? 2 : 3);
    say(words, " %%");
}

/* " makes 79.1 % of the outputs' error against ...": shares above all of it are no shares. */
static void say_share(struct ets_gap_words *words, const struct ets_gap_report *report,
                      const struct ets_gap_conclusion *verdict)
{
    const double share = verdict->explained;
    if (isnan(share)) {
        say(words, ets_gap_row(report, verdict->guilty)->has_own
                       ? " is off"
                       : " is the first value that is off");
    } else if (share < 0.01) {
        say(words, " is the first that stands out");
    } else if (share > ETS_GAP_ALL_OF_IT) {
        say(words, " adds most to the outputs' error");
    } else if (share > 1.005) {
        say(words, " makes about all of the outputs' error");
    } else {
        say(words, " makes ");
        say_share_number(words, share);
        say(words, " of the outputs' error");
    }
    say(words, " against ");
    say_reference(words, report, verdict);
}

/* What the others make, and what the sum of all leaves. */
static void say_other_shares(struct ets_gap_words *words, const struct ets_gap_report *report,
                             const struct ets_gap_conclusion *verdict)
{
    const double share = verdict->explained;
    if (isnan(share) || share < 0.01) return;
    const uint32_t next = next_share(report, verdict->guilty);
    if (share > ETS_GAP_ALL_OF_IT) {
        say(words, "; alone it would make ");
        say_number(words, share, 2);
        say(words, " times that error, of which others take back a part");
    }
    if (next != ETS_NO_INDEX && ets_gap_row(report, next)->share <= ETS_GAP_ALL_OF_IT) {
        say(words, "; then ");
        say_other(words, report, next);
        say(words, " with ");
        say_share_number(words, fmin(ets_gap_row(report, next)->share, 1));
    }
    if (fabs(1 - verdict->measured) < 0.1) return;
    say(words, "; measured one by one they add up to ");
    say_share_number(words, verdict->measured);
    say(words, ", the rest is interaction");
}

/* "; 25 of 32 channels are off by more than 0.05, half of them by 0.36": a loud one hides them. */
static void say_channels(struct ets_gap_words *words, const struct ets_gap_row *row)
{
    const struct ets_gap_channels *channels = &row->own_channels;
    uint32_t off = 0;
    if (channels->count == 0 || !(channels->median > 2 * row->own_error)) return;
    for (uint32_t i = 0; i < channels->count; i++) off += channels->errors[i] > row->tolerance;
    if (off == 0) return;
    say(words, ", but %u of %u channels are off by more than ", off, channels->count);
    say_number(words, row->tolerance, 2);
    say(words, " of their own size, half of all by ");
    say_number(words, channels->median, 2);
}

/* Its error, in whole and in channels. */
static void say_error(struct ets_gap_words *words, const struct ets_gap_row *row)
{
    if (!row->has_own) {
        say(words, ": its error is ");
        say_number(words, ets_comparison_relative_rms(&row->total), 2);
    } else if (row->own.broken_count > 0) {
        say(words, ": ");
        say_broken(words, &row->own);
    } else {
        say(words, ": its own error is ");
        say_number(words, row->own_error, 2);
        say_channels(words, row);
        say_channel(words, row);
    }
}

/* Whether one loud channel of the activation sets the step, and not one of the weight. */
static bool is_activation(const struct ets_gap_report *report,
                          const struct ets_gap_conclusion *verdict, const struct ets_gap_row *row)
{
    return !ets_gap_weight_is_cause(verdict->weight) && ets_gap_channel_sets_step(report, row);
}

/* "a step of its scale is 0.372, but it reaches only 0.521" */
static void say_step(struct ets_gap_words *words, const struct ets_gap_coarse_scale *coarse)
{
    say(words, "a step of its scale is ");
    say_number(words, coarse->step, 3);
    say(words, ", but it reaches only ");
    say_number(words, coarse->reach, 3);
}

/* "cat (net.py:15) gives relu (net.py:14) too coarse a scale: a step of its scale is 0.372, but it
 * reaches only 0.521, and what else cat takes 95; this" */
static void say_shared_scale(struct ets_gap_words *words, const struct ets_gap_report *report,
                             const struct ets_gap_coarse_scale *coarse, uint32_t row)
{
    ets_gap_say_node(words, coarse->shared);
    say(words, " gives ");
    ets_gap_say_culprit(words, report, row);
    say(words, " too coarse a scale: ");
    say_step(words, coarse);
    const struct ets_text name = ets_operator_base_name(coarse->shared->op);
    say(words, ", and what else %.*s takes ", ETS_TEXT(name));
    say_number(words, coarse->shared_reach, 3);
    say(words, "; this");
}

static void say_reasons(struct ets_gap_words *words, const struct ets_gap_report *report,
                        const struct ets_gap_conclusion *verdict, const struct ets_gap_row *row)
{
    say_cause(words, verdict->weight);
    if (is_activation(report, verdict, row)) {
        say(words, "; its channel %u reaches ", row->total_channels.loudest);
        say_number(words, row->total_channels.largest, 3);
        say(words, " and sets the step of all, the next reaches ");
        say_number(words, row->total_channels.next, 3);
    }
    if (verdict->coarse_scale.node != NULL && verdict->coarse_scale.shared == NULL) {
        say(words, "; ");
        say_step(words, &verdict->coarse_scale);
    }
    if (!verdict->saturates_guilty) return;
    say(words, "; ");
    say_saturation(words, verdict->saturation, verdict->saturates_guilty == 2);
}

/* Whether the guilty error is that of two operators in another order. */
static bool are_swapped(const struct ets_gap_report *report,
                        const struct ets_gap_conclusion *verdict, uint32_t row)
{
    return verdict->swapped[0] != NULL && ets_gap_covers(report, row, verdict->swapped[0]) &&
           ets_gap_covers(report, row, verdict->swapped[1]);
}

static void say_who(struct ets_gap_words *words, const struct ets_gap_report *report,
                    const struct ets_gap_conclusion *verdict, uint32_t row)
{
    if (verdict->coarse_scale.shared != NULL) {
        say_shared_scale(words, report, &verdict->coarse_scale, row);
        return;
    }
    if (!are_swapped(report, verdict, row)) {
        ets_gap_say_culprit(words, report, row);
        return;
    }
    ets_gap_say_node(words, verdict->swapped[0]);
    say(words, " and ");
    ets_gap_say_node(words, verdict->swapped[1]);
    say(words, " are swapped: the program computes ");
    say_text(words, verdict->swapped[1]->name);
    say(words, " first, the other model ");
    say_text(words, verdict->swapped[0]->name);
    say(words, "; this");
}

static void say_guilty(struct ets_gap_words *words, const struct ets_gap_report *report,
                       const struct ets_gap_conclusion *verdict)
{
    const struct ets_gap_row *row = ets_gap_row(report, verdict->guilty);
    say_who(words, report, verdict, verdict->guilty);
    if (say_overflow(words, report, verdict)) {
        say_outputs(words, report, verdict);
        say_suspects(words, report, verdict);
        return;
    }
    say_share(words, report, verdict);
    say_error(words, row);
    say_reasons(words, report, verdict, row);
    say_other_shares(words, report, verdict);
    say_outputs(words, report, verdict);
    say_before(words, report, verdict->guilty);
    if (row->same_bits == 1 && verdict->in_double) {
        say(words, "; this runtime's own kernel computes the same bits");
    }
    say_suspects(words, report, verdict);
}

static void say_correlation(struct ets_gap_words *words, const struct ets_gap_report *report,
                            const struct ets_gap_conclusion *verdict)
{
    const struct ets_gap_row *row = ets_gap_row(report, verdict->unrelated);
    ets_gap_say_row(words, report, verdict->unrelated);
    say(words, " is off by ");
    say_number(words, ets_comparison_relative_rms(&row->total), 2);
    if (isnan(verdict->correlation)) return;
    say(words, ", its correlation with the reference is ");
    say_number(words, verdict->correlation, 2);
}

/* Explains which files seem not to belong together, and why. */
/* Which buffers the reference had in place of those that earlier runs left. */
static void say_state(struct ets_gap_words *words, const struct ets_gap_conclusion *verdict)
{
    say(words, "earlier runs may have changed the buffers of this run, ");
    if (verdict->state_reason != NULL) say(words, "and %s; ", verdict->state_reason);
    else say(words, "but the reference starts with those of the ETRecord: ");
    say(words, "values computed from them cannot be judged; compare a first run");
}

static void say_mismatch(struct ets_gap_words *words, const struct ets_gap_report *report,
                         const struct ets_gap_conclusion *verdict)
{
    switch (verdict->mismatch) {
    case ETS_GAP_OTHER_WEIGHTS:
        say(words,
            "the reference seems to be another model than the one that ran: %u of %u weights and "
            "%u of %u operators match",
            verdict->weights_alike, verdict->weights_compared, verdict->paired,
            verdict->paired + verdict->unpaired);
        break;
    case ETS_GAP_OTHER_OPERATORS:
        say(words,
            "the reference seems to be another model than the one that ran: %u of %u operators "
            "match, and no weights can be compared",
            verdict->paired, verdict->paired + verdict->unpaired);
        break;
    case ETS_GAP_OTHER_STATE: say_state(words, verdict); break;
    case ETS_GAP_OTHER_INPUTS:
        if (verdict->other_input != ETS_NO_INDEX) {
            say(words, "the run had other inputs than the reference: input %u differs",
                verdict->other_input);
            say_advice(words, ETS_ADVICE_INPUTS);
        } else {
            say(words,
                "this seems to be a run with other inputs than the reference, or the debug buffer "
                "of another run: ");
            say_correlation(words, report, verdict);
        }
        break;
    default:
        say(words, "this seems to be another model than ");
        say_reference(words, report, verdict);
        say(words, ", a run with other inputs, or the debug buffer of another run: ");
        if (verdict->unlike_weights > 1) {
            say(words, "all %u values that weights make are unlike the reference; ",
                verdict->unlike_weights);
        } else if (verdict->unlike_weights == 1) {
            say(words, "the only value that weights make is unlike the reference; ");
        } else {
            say(words, "most values are off by half or more; ");
        }
        say_correlation(words, report, verdict);
    }
    say(words, "; no operator is blamed");
}

/* Kernels that are less exact than their type allows. */
static void say_inexact(struct ets_gap_words *words, const struct ets_gap_report *report,
                        const struct ets_gap_conclusion *verdict)
{
    uint32_t worst = 0;
    double most = -1;
    for (uint32_t i = 0; i < ets_gap_row_count(report); i++) {
        const struct ets_gap_row *row = ets_gap_row(report, i);
        if (row->finding != ETS_GAP_INEXACT || !(row->own_error > most)) continue;
        most = row->own_error;
        worst = i;
    }
    if (most < 0) return;
    const struct ets_gap_row *row = ets_gap_row(report, worst);
    say(words, "; but ");
    if (verdict->inexact > 1) say(words, "%u kernels are inexact, above all ", verdict->inexact);
    ets_gap_say_row(words, report, worst);
    if (verdict->inexact == 1) say(words, " is inexact");
    say(words, ": off by ");
    say_number(words, row->own_error, 2);
    say(words, "; rounding to %s explains ", ets_tolerance_of(row->computes)->name);
    say_number(words, row->rounding, 2);
}

/*
 * Adds the operator that is closest to standing out, if no operator is guilty: "; the closest is
 * linear_1 (make.py:26): its own error is 0.14, 0.38 would stand out".
 */
static void say_nearest(struct ets_gap_words *words, const struct ets_gap_report *report)
{
    uint32_t nearest = ETS_NO_INDEX;
    double part = 0;
    for (uint32_t i = 0; i < ets_gap_row_count(report); i++) {
        const struct ets_gap_row *row = ets_gap_row(report, i);
        if (!row->has_own || !(row->own_error / row->threshold > part)) continue;
        part = row->own_error / row->threshold;
        nearest = i;
    }
    if (nearest == ETS_NO_INDEX) return;
    say(words, "; the closest is ");
    ets_gap_say_row(words, report, nearest);
    say(words, ": its own error is ");
    say_number(words, ets_gap_row(report, nearest)->own_error, 2);
    say(words, ", ");
    say_number(words, ets_gap_row(report, nearest)->threshold, 2);
    say(words, " would stand out");
}

/* "all 40 values agree with", "24 of 67 values were compared and agree with" */
static void say_count(struct ets_gap_words *words, const struct ets_gap_report *report,
                      const struct ets_gap_conclusion *verdict, uint32_t compared)
{
    const uint32_t rows = ets_gap_row_count(report);
    if (compared < rows) {
        say(words, "%u of %u values %s compared and %s with ", compared, rows,
            compared == 1 ? "was" : "were", compared == 1 ? "agrees" : "agree");
    } else {
        say(words, "%s%u %s with ", compared > 1 ? "all " : "", compared,
            compared == 1 ? "value agrees" : "values agree");
    }
    say_reference(words, report, verdict);
    if (verdict->doubtful > 0) {
        say(words, "; %u may be paired with the wrong value%s", verdict->doubtful,
            verdict->doubtful == 1 ? "" : "s");
    }
}

static void say_differences(struct ets_gap_words *words, const struct ets_gap_report *report,
                            const struct ets_gap_conclusion *verdict, uint32_t compared)
{
    say(words, "no operator stands out: %u of %u values differ from ", verdict->unlike, compared);
    say_reference(words, report, verdict);
}

static void say_agreement(struct ets_gap_words *words, const struct ets_gap_report *report,
                          const struct ets_gap_conclusion *verdict)
{
    const struct ets_gap_coverage coverage = ets_gap_coverage_of(report);
    if (coverage.compared == 0) {
        say(words, "nothing could be compared");
        ets_gap_say_uncompared(words, "; ", verdict);
        return;
    }
    if (verdict->unlike == 0) say_count(words, report, verdict, coverage.compared);
    else say_differences(words, report, verdict, coverage.compared);
    const bool is_exact = verdict->unlike == 0 && coverage.largest == 0;
    if (is_exact) say(words, verdict->in_double ? ", exactly" : ", bit for bit");
    ets_gap_say_uncompared(words, "; ", verdict);
    if (is_exact) return;
    say(words, "; the largest error is ");
    say_number(words, coverage.largest, 2);
    const struct ets_gap_row *row = ets_gap_row(report, coverage.worst);
    if (verdict->unlike == 0 && row->limit >= 1e-3 && isfinite(row->limit)) {
        say(words, " of "); /* a loose tolerance */
        say_number(words, row->limit, 2);
        say(words, " allowed");
    }
    say(words, " in ");
    ets_gap_say_row(words, report, coverage.worst);
    if (verdict->unlike > 0) say_nearest(words, report);
    if (verdict->against == ETS_GAP_AGAINST_OTHER) say_outputs(words, report, verdict);
}

/* All outputs agree, so nobody is guilty; what stands out inside is said behind that. */
static void say_harmless(struct ets_gap_words *words, const struct ets_gap_report *report,
                         const struct ets_gap_conclusion *verdict)
{
    const struct ets_gap_row *row = ets_gap_row(report, verdict->stands_out);
    if (verdict->output_count == 1) say(words, "the output agrees with ");
    else say(words, "all %u outputs agree with ", verdict->output_count);
    say_reference(words, report, verdict);
    if (verdict->outputs > 0) {
        say(words, ", off by ");
        say_number(words, verdict->outputs, 2);
        if (verdict->outputs_limit >= 1e-3) {
            say(words, " of ");
            say_number(words, verdict->outputs_limit, 2);
            say(words, " allowed");
        }
        say_largest(words, report);
    }
    say(words, "; inside, ");
    say_who(words, report, verdict, verdict->stands_out);
    say(words, " stands out");
    say_error(words, row);
    say_reasons(words, report, verdict, row);
    if (verdict->explained >= 0.01 && verdict->explained <= ETS_GAP_ALL_OF_IT) {
        say(words, "; it makes ");
        say_share_number(words, fmin(verdict->explained, 1));
        say(words, " of that error of the outputs");
    }
}

size_t ets_gap_headline(const struct ets_gap_report *report, const struct ets_advice_words *advice,
                        char *text, size_t room)
{
    struct ets_gap_words words = {{text, room, 0}, advice};
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(report);
    if (room > 0) text[0] = '\0';
    const bool is_mismatch = verdict->mismatch > ETS_GAP_BELONGS;
    if (verdict->guilty == ETS_NO_INDEX && is_mismatch) say_mismatch(&words, report, verdict);
    else if (verdict->guilty != ETS_NO_INDEX) say_guilty(&words, report, verdict);
    else if (verdict->stands_out != ETS_NO_INDEX) say_harmless(&words, report, verdict);
    else say_agreement(&words, report, verdict);
    if (!is_mismatch) say_inexact(&words, report, verdict);
    if (verdict->guilty == ETS_NO_INDEX && !is_mismatch) {
        if (verdict->coarse != NULL) {
            say(&words, "; but the weights of ");
            ets_gap_say_node(&words, verdict->coarse);
            say(&words, " have too few steps");
            say_cause(&words, verdict->weight);
        }
        if (verdict->saturation != NULL && !verdict->saturates_guilty) {
            say(&words, "; but ");
            say_cut_off(&words, verdict);
        }
        say_bits(&words, verdict);
        say_limits(&words, verdict);
    } else if (!is_mismatch && verdict->against == ETS_GAP_AGAINST_RECORD) {
        say_float_model(&words, verdict);
    }
    say_nan(&words, report);
    return words.builder.used;
}

size_t ets_gap_describe_cut_off(const struct ets_gap_report *report, char *text, size_t room)
{
    struct ets_gap_words words = {{text, room, 0}, NULL};
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(report);
    if (room > 0) text[0] = '\0';
    if (verdict->saturation != NULL && verdict->mismatch <= ETS_GAP_BELONGS) {
        say_cut_off(&words, verdict);
    }
    return words.builder.used;
}
