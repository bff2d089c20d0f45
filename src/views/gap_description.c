/* Describes the guilty operator of a gap report, findings and tolerances. */
#include "etscope/experimental/captured_values.h"
#include "etscope/inspect.h"
#include "gap/gap_details.h"
#include "rewrite/taps.h"
#include "views/gap_headline.h"
#include "views/gap_lines.h"
#include "views/gap_words.h"

static void say_statistics(struct ets_gap_words *words, const char *whose,
                           const struct ets_tensor_statistics *statistics)
{
    say(words, "  %s", whose);
    say_number(words, statistics->min, 6);
    say(words, " to ");
    say_number(words, statistics->max, 6);
    say(words, ", mean ");
    say_number(words, ets_tensor_statistics_mean(statistics), 6);
    if (statistics->nan_count > 0)
        say(words, ", %llu NaN", (unsigned long long)statistics->nan_count);
    if (statistics->infinite_count > 0) {
        say(words, ", %llu infinite", (unsigned long long)statistics->infinite_count);
    }
    say(words, "\n");
}

static void say_list(struct ets_gap_words *words, const struct ets_text *items, size_t count)
{
    enum { MOST = 8 };
    for (size_t i = 0; i < count && i < MOST; i++) {
        if (i > 0) say(words, ", ");
        say_text(words, items[i]);
    }
    if (count > MOST) say(words, " and %u more", (unsigned)(count - MOST));
}

static void say_worst(struct ets_gap_words *words, const struct ets_comparison *error)
{
    say(words, "  worst        ");
    if (error->broken_count > 0) {
        say(words,
            "%llu of %llu elements are NaN or infinite on one side only, the first is element "
            "%llu\n",
            (unsigned long long)error->broken_count, (unsigned long long)error->count,
            (unsigned long long)error->first_broken_index);
        return;
    }
    say(words, "element %llu, off by ", (unsigned long long)error->max_error_index);
    say_number(words, error->max_error, 6);
    say(words, "\n");
}

/* Delegates capture their inputs; otherwise the inputs of a run are unknown. */
static bool has_captured_input(const struct ets_gap_report *report)
{
    for (uint32_t i = 0; i < ets_gap_value_count(report); i++) {
        if (ets_gap_value(report, i)->input != ETS_NO_INDEX) return true;
    }
    return false;
}

/* "0.0963 a step, one for all 192; 61 % became 0; root mean square 0.11, largest 12.2" */
static void say_weight(struct ets_gap_words *words, const struct ets_gap_weight_use *weight)
{
    if (weight == NULL) return;
    say(words, "  weight       quantized with one step of ");
    say_number(words, weight->step, 3);
    say(words, " for all %llu numbers: ", (unsigned long long)weight->count);
    say_number(words, 100 * (double)weight->zero_count / (double)weight->count, 2);
    say(words, " %% became 0; root mean square ");
    say_number(words, weight->rms, 3);
    say(words, ", largest ");
    say_number(words, weight->largest, 3);
    if (weight->channel_count > 1) {
        say(words, " in channel %llu, in all others ", (unsigned long long)weight->loudest);
        say_number(words, weight->next, 3);
    }
    say(words, "\n");
    if (ets_gap_weight_is_cause(weight)) {
        say(words,
            "  try          a step for each channel; or divide channel %llu by what makes it "
            "large, "
            "and multiply\n               the weights that take it; or this layer in float\n",
            (unsigned long long)weight->loudest);
    }
}

/* "0 to 1.5; 28 of 64 numbers are beyond, the numbers are 0 to 3.6" */
static void say_scale(struct ets_gap_words *words, const struct ets_gap_conclusion *verdict)
{
    const struct ets_gap_saturation *saturation = verdict->saturation;
    if (!verdict->saturates_guilty) return;
    say(words, "  scale        ");
    if (verdict->saturates_guilty == 2) {
        say(words, "of ");
        say_activation(words, saturation);
        say(words, " ");
    }
    say(words, "tells ");
    say_number(words, saturation->lowest, 3);
    say(words, " to ");
    say_number(words, saturation->highest, 3);
    say(words,
        "; of %llu numbers %llu are below and %llu above: ", (unsigned long long)saturation->count,
        (unsigned long long)saturation->low_count, (unsigned long long)saturation->high_count);
    say_number(words, saturation->smallest, 3);
    say(words, " to ");
    say_number(words, saturation->largest, 3);
    say(words, "\n  try          calibrate with inputs like those of this run\n");
}

/* "0.372 a step, the largest number is 0.521; of cat, which takes it, 95" */
static void say_coarse(struct ets_gap_words *words, const struct ets_gap_coarse_scale *coarse)
{
    if (coarse->node == NULL) return;
    say(words, "  scale        ");
    say_number(words, coarse->step, 3);
    say(words, " a step, the largest number is ");
    say_number(words, coarse->reach, 3);
    if (coarse->shared != NULL) {
        say(words, "; of ");
        ets_gap_say_node(words, coarse->shared);
        say(words, ", which takes it with the same scale, ");
        say_number(words, coarse->shared_reach, 3);
    }
    say(words, "\n  try          %s\n",
        coarse->shared != NULL
            ? "bring what it takes to one range, and multiply the weights behind it"
            : "calibrate with inputs like those of this run");
}

/* How to find the operator among those of a delegate's call. */
static void say_inside(struct ets_gap_words *words, const struct ets_gap_report *report,
                       uint32_t row)
{
    const struct ets_gap_value *value = ets_gap_row(report, row)->value;
    if (value->backend == NULL || value->inside != ETS_NO_INDEX || words->advice == NULL ||
        ets_gap_suspect_count(report, row) < 2 || !ets_tap_is_possible(value->backend)) {
        return;
    }
    for (uint32_t i = 0; i < ets_gap_value_count(report); i++) {
        if (ets_gap_value(report, i)->inside == ETS_NO_INDEX) continue;
        say(words, "  which one    the values between them were captured, but not compared");
        say_advice(words, ETS_ADVICE_PROGRAM);
        say(words, "\n");
        return;
    }
    say(words, "  which one    the values between them can be captured");
    say_advice(words, ETS_ADVICE_INSIDE);
    say(words, "\n");
}

/* What is left when this error is mended, and how an activation's step is. */
static void say_remedy(struct ets_gap_words *words, const struct ets_gap_report *report,
                       const struct ets_gap_row *row)
{
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(report);
    if (!ets_gap_weight_is_cause(verdict->weight) && !verdict->saturates_guilty &&
        ets_gap_channel_sets_step(report, row)) {
        say(words,
            "  try          divide channel %u by what makes it large, and multiply the weights "
            "that "
            "take it; or this layer in float\n",
            row->total_channels.loudest);
    }
    if (!(row->rest < verdict->outputs) || !(row->share <= ETS_GAP_ALL_OF_IT)) return;
    say(words, "  without it   the outputs would be off by about ");
    say_number(words, row->rest, 2);
    if (row->rest > row->inherited) {
        say(words, ", still beyond ");
        say_number(words, row->inherited, 2);
    }
    say(words, "\n");
}

static void describe(struct ets_gap_words *words, const struct ets_gap_report *report,
                     const struct ets_gap_row *row, const struct ets_gap_line *line)
{
    const struct ets_captured_value *captured = &row->value->captured;
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(report);
    const uint32_t cause = ets_gap_cause(verdict);
    say(words, "%s: ", cause == verdict->guilty ? "guilty" : "stands out");
    ets_gap_say_culprit(words, report, cause);
    if (ets_gap_suspect_count(report, cause) == 1 && line->module.size > 0) {
        say(words, ", module %.*s", ETS_TEXT(line->module));
    }
    if (captured->chain >= 0) say(words, ", instruction %d", (int)captured->instruction);
    if (captured->event != ETS_NO_INDEX && !row->value->is_computed) {
        say(words, ", event %u", captured->event);
    }
    if (row->value->is_computed) say(words, ", computed from captured values");
    else if (line->captured.size > 0) say(words, ", %.*s", ETS_TEXT(line->captured));
    say(words, "\n");
    if (line->ops.count > 1) {
        say(words, "  computes     ");
        say_list(words, line->ops.items, line->ops.count);
        say(words, "\n");
    }
    say_inside(words, report, cause);
    say(words, "  from         ");
    if (line->ancestors.count == 0) {
        say(words, "the model's inputs");
        if (!has_captured_input(report)) {
            say(words, ", if the run had those of the reference");
            say_advice(words, ETS_ADVICE_INPUTS);
        }
    }
    say_list(words, line->ancestors.items, line->ancestors.count);
    say(words, "\n");
    say_statistics(words, "reference    ", &row->reference);
    say_statistics(words, "device       ", &row->device);
    say_worst(words, row->has_own ? &row->own : &row->total);
    if (ets_gap_conclusion(report)->coarse == NULL) {
        say_weight(words, ets_gap_conclusion(report)->weight);
    }
    say_scale(words, ets_gap_conclusion(report));
    say_coarse(words, &ets_gap_conclusion(report)->coarse_scale);
    say_remedy(words, report, row);
}

size_t ets_gap_describe_findings(const struct ets_gap_report *report, char *text, size_t room)
{
    static const struct {
        enum ets_gap_finding finding;
        const char *words;
    } legend[] = {
        {ETS_GAP_INHERITED, "right for inputs that were already off"},
        {ETS_GAP_OFF, "beyond its tolerance, but less than 10 times the median of all"},
        {ETS_GAP_HARMLESS, "stands out, but all outputs agree"},
        {ETS_GAP_SUSPECT, "another one that stands out"},
        {ETS_GAP_INEXACT, "within the tolerance, but more than rounding explains"},
    };
    struct ets_gap_words words = {{text, room, 0}, NULL};
    if (room > 0) text[0] = '\0';
    if (ets_gap_cause(ets_gap_conclusion(report)) != ETS_NO_INDEX) {
        say(&words, "errors are fractions of the reference's root mean square");
    }
    for (size_t k = 0; k < sizeof legend / sizeof *legend; k++) {
        uint32_t i = 0;
        while (i < ets_gap_row_count(report) &&
               ets_gap_row(report, i)->finding != legend[k].finding) {
            i++;
        }
        if (i == ets_gap_row_count(report)) continue;
        say(&words, "%s%s: %s", words.builder.used > 0 ? "; " : "",
            ets_gap_finding_name(legend[k].finding), legend[k].words);
    }
    return words.builder.used;
}

size_t ets_gap_describe_tolerances(const struct ets_gap_report *report, char *text, size_t room)
{
    struct ets_gap_words words = {{text, room, 0}, NULL};
    const struct ets_tolerance_class *class_;
    if (room > 0) text[0] = '\0';
    for (int i = ETS_COMPUTES_FLOAT64; (class_ = ets_tolerance_of(i)) != NULL; i++) {
        double tolerance = -1;
        for (uint32_t k = 0; k < ets_gap_row_count(report); k++) {
            const struct ets_gap_row *row = ets_gap_row(report, k);
            const bool is_it = row->has_total && row->computes == (enum ets_computes)i;
            if (is_it && row->tolerance > tolerance) tolerance = row->tolerance;
        }
        if (tolerance < 0) continue;
        say(&words, "%s%s ", words.builder.used > 0 ? "; " : "", class_->name);
        say_number(&words, tolerance, 2);
        const bool is_own = tolerance == class_->tolerance.of_rms;
        say(&words, " of the root mean square (%s)", is_own ? class_->source : "as given");
    }
    return words.builder.used;
}

size_t ets_gap_describe_guilty(const struct ets_inspection *inspection,
                               const struct ets_gap_report *report,
                               const struct ets_advice_words *advice, char *text, size_t room)
{
    struct ets_gap_words words = {{text, room, 0}, advice};
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(report);
    struct ets_arena arena;
    struct ets_gap_line line;
    if (room > 0) text[0] = '\0';
    const uint32_t cause = ets_gap_cause(verdict);
    if (cause == ETS_NO_INDEX) return 0;
    ets_arena_init(&arena, NULL, 0);
    if (ets_gap_line_make(&line, &arena, inspection, report, cause, NULL) == ETS_OK) {
        describe(&words, report, ets_gap_row(report, cause), &line);
    }
    ets_arena_reset(&arena);
    return words.builder.used;
}
