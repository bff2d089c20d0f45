/* Words the verdict of a gate as a sentence, for the table, JSON and JUnit XML. */
#include <math.h>
#include <stdio.h>

#include "compare/compare_names.h"
#include "host/text_builder.h"
#include "views/budget_words.h"
#include "views/difference_view.h"

enum { VALUE_BYTES = 64, NAMES_BYTES = 256 };

const struct ets_pool_operator *ets_budget_operator(const struct ets_budget_report *report,
                                                    const struct ets_budget_verdict *verdict)
{
    if (verdict->line == ETS_NO_INDEX) return NULL;
    return ets_difference_operator(ets_difference_line(report->difference, verdict->line));
}

const struct ets_pool_block *ets_budget_block(const struct ets_budget_report *report,
                                              const struct ets_budget_verdict *verdict)
{
    if (verdict->line == ETS_NO_INDEX) return NULL;
    return ets_difference_line(report->difference, verdict->line)->after.block;
}

/* "1.250 ms", "90.0%", "41.20 tokens/s", "1200 cycles". */
static const char *value_text(const struct ets_budget_report *report,
                              const struct ets_budget_verdict *verdict, double value,
                              char text[VALUE_BYTES])
{
    const struct ets_budget_rule *rule = ets_budget_rule(report->budget, verdict->rule);
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    if (rule->metric == ETS_METRIC_SHARE) {
        snprintf(text, VALUE_BYTES, "%.1f%%", value * 100);
    } else if (rule->metric == ETS_METRIC_RATE) {
        const double rate = ets_budget_rate(verdict, value);
        snprintf(text, VALUE_BYTES, "%.*f tokens/s", rate < 100 ? 2 : rate < 1000 ? 1 : 0, rate);
    } else if (ets_difference_unit(report->difference) == ETS_UNIT_CYCLES) {
        snprintf(text, VALUE_BYTES, "%.0f cycles", value);
    } else {
        int unit = 0;
        while (unit < 3 && fabs(value) < units[unit].ns) unit++;
        snprintf(text, VALUE_BYTES, "%.3f %s", value / units[unit].ns, units[unit].name);
    }
    return text;
}

/* "12 %", "0.5 %" */
static const char *percent_text(double part, char text[VALUE_BYTES])
{
    const double percent = round(fabs(part) * 1000) / 10;
    snprintf(text, VALUE_BYTES, "%.*f %%", percent < 10 && percent != floor(percent) ? 1 : 0,
             percent);
    return text;
}

/* "1 recording a side", "5 and 1 recordings" */
static void say_recordings(struct ets_text_builder *s, const struct ets_budget_verdict *verdict)
{
    const uint32_t before = verdict->before_recordings, after = verdict->after_recordings;
    if (before != after) ets_add_plain_text(s, "%u and %u recordings", before, after);
    else ets_add_plain_text(s, "%u recording%s a side", after, after == 1 ? "" : "s");
}

static void say_few_recordings(struct ets_text_builder *s, const struct ets_budget_verdict *verdict)
{
    char spread[VALUE_BYTES], room[VALUE_BYTES];
    say_recordings(s, verdict);
    if (!isnan(verdict->spread)) {
        ets_add_plain_text(s, " with a spread of %s", percent_text(verdict->spread, spread));
    }
    ets_add_plain_text(s, " cannot decide a rule of %s: ", percent_text(verdict->room, room));
    if (verdict->recordings_needed > 0) {
        ets_add_plain_text(s, "record %u or more of each side", verdict->recordings_needed);
    } else {
        ets_add_plain_text(s, "more than %d of each side would be needed; loosen the rule",
                           ETS_MOST_RECORDINGS);
    }
}

static void say_doubt(struct ets_text_builder *s, const struct ets_budget_report *report,
                      const struct ets_budget_verdict *verdict)
{
    const struct ets_budget_rule *rule = ets_budget_rule(report->budget, verdict->rule);
    char room[VALUE_BYTES], spread[VALUE_BYTES];
    percent_text(verdict->room, room);
    percent_text(verdict->spread, spread);
    switch (verdict->doubt) {
    case ETS_DOUBT_RECORDINGS: say_few_recordings(s, verdict); break;
    case ETS_DOUBT_SPREAD:
        ets_add_plain_text(s,
                           "recordings of one side differ by %s, more than the change: a rule of "
                           "%s needs a quieter machine, or a looser limit",
                           spread, room);
        break;
    case ETS_DOUBT_CLOCK:
        ets_add_plain_text(
            s, "the delegate's clock is too coarse for a rule of %s: loosen the rule", room);
        break;
    case ETS_DOUBT_ROOM:
        ets_add_plain_text(
            s, "a rule of 0 %% cannot be decided with a spread of %s: loosen the rule", spread);
        break;
    case ETS_DOUBT_LENGTH:
        ets_add_plain_text(s,
                           "the recordings have unequally many runs, on which %s depends: record "
                           "as many runs of each side, or limit p50",
                           ets_budget_metric_name(rule->metric));
        break;
    case ETS_DOUBT_TOKENS:
        ets_add_plain_text(s,
                           "its runs compute unequally many tokens, or the traces do not tell how "
                           "many");
        break;
    case ETS_DOUBT_WORK:
        ets_add_plain_text(s,
                           "base and new computed unequally many tokens, or at other positions: "
                           "record both with the same prompt and as many new tokens");
        break;
    case ETS_DOUBT_APART: ets_add_plain_text(s, "%s: record both in turn", ets_apart_words); break;
    case ETS_DOUBT_NONE: break;
    }
}

static void say_missing(struct ets_text_builder *s, const struct ets_budget_report *report,
                        const struct ets_budget_rule *rule)
{
    char names[NAMES_BYTES];
    ets_add_plain_text(s, "the new trace has no match for this rule");
    if (ets_budget_section_exists(rule, report->difference, names, sizeof names)) return;
    ets_add_plain_text(s, ": it has no method or block of the rule's section; it has %s", names);
}

void ets_budget_uncertainty(const struct ets_budget_report *report,
                            const struct ets_budget_verdict *verdict,
                            char text[ETS_BUDGET_REASON_BYTES])
{
    struct ets_text_builder s = {text, ETS_BUDGET_REASON_BYTES, 0};
    text[0] = '\0';
    say_doubt(&s, report, verdict);
}

void ets_budget_reason(const struct ets_budget_report *report,
                       const struct ets_budget_verdict *verdict, char text[ETS_BUDGET_REASON_BYTES])
{
    const struct ets_budget_rule *rule = ets_budget_rule(report->budget, verdict->rule);
    char value[VALUE_BYTES], limit[VALUE_BYTES], base[VALUE_BYTES];
    struct ets_text_builder s = {text, ETS_BUDGET_REASON_BYTES, 0};
    text[0] = '\0';
    if (verdict->result == ETS_BUDGET_MISSING) {
        say_missing(&s, report, rule);
        return;
    }
    if (verdict->doubt == ETS_DOUBT_TOKENS || verdict->doubt == ETS_DOUBT_WORK) {
        say_doubt(&s, report, verdict);
        return;
    }
    const bool has_least = rule->metric == ETS_METRIC_SHARE || rule->metric == ETS_METRIC_RATE;
    const bool is_over = rule->metric == ETS_METRIC_SHARE || verdict->value > verdict->limit;
    ets_add_plain_text(&s, "%s is %s the limit of %s",
                       value_text(report, verdict, verdict->value, value),
                       !is_over    ? "within"
                       : has_least ? "below"
                                   : "above",
                       value_text(report, verdict, verdict->limit, limit));
    if (!isnan(verdict->base)) {
        ets_add_plain_text(&s, "; the base has %s",
                           value_text(report, verdict, verdict->base, base));
    }
    if (verdict->result != ETS_BUDGET_UNDECIDED) return;
    ets_add_plain_text(&s, "; undecided: ");
    say_doubt(&s, report, verdict);
}

void ets_budget_margin(const struct ets_budget_report *report,
                       const struct ets_budget_verdict *verdict, char text[ETS_BUDGET_REASON_BYTES])
{
    const struct ets_budget_rule *rule = ets_budget_rule(report->budget, verdict->rule);
    const struct ets_text name = ets_budget_operator(report, verdict)->name;
    const double room = verdict->limit / verdict->base - 1, change = verdict->value / verdict->base;
    char value[VALUE_BYTES], limit[VALUE_BYTES];
    struct ets_text_builder s = {text, ETS_BUDGET_REASON_BYTES, 0};
    text[0] = '\0';
    const bool is_rate = rule->metric == ETS_METRIC_RATE;
    if (is_rate) ets_add_plain_text(&s, "%s ", ets_run_stage_name(rule->stage));
    else ets_add_plain_text(&s, "%.*s ", (int)(name.size < 96 ? name.size : 96), name.data);
    if (is_rate || rule->metric == ETS_METRIC_SHARE) {
        ets_add_plain_text(&s, "%s of at least %s",
                           value_text(report, verdict, verdict->value, value),
                           value_text(report, verdict, verdict->limit, limit));
    } else if (!isnan(verdict->p) && room > 0 && isfinite(room)) {
        ets_add_plain_text(&s, "%c%s of %s allowed", change < 1 ? '-' : '+',
                           percent_text(change - 1, value), percent_text(room, limit));
    } else {
        ets_add_plain_text(&s, "%s of %s allowed",
                           value_text(report, verdict, verdict->value, value),
                           value_text(report, verdict, verdict->limit, limit));
    }
}
