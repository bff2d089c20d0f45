#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "export/budget_words.h"
#include "export/xml_text.h"

static void put(struct ets_output *output, const char *text)
{
    ets_output_write(output, text, strlen(text));
}

static void put_string(struct ets_output *output, const char *text)
{
    ets_xml_put_text(output, (struct ets_text){text, strlen(text)});
}

static void put_number(struct ets_output *output, uint32_t number)
{
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    put(output, text);
}

/* "1.250 ms", "90.0%", "1200 cycles". */
static void put_value(struct ets_output *output, const struct ets_budget_report *report,
                      const struct ets_budget_rule *rule, double value)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    char text[64];
    if (rule->metric == ETS_METRIC_SHARE) {
        snprintf(text, sizeof text, "%.1f%%", value * 100);
    } else if (ets_difference_unit(report->difference) == ETS_UNIT_CYCLES) {
        snprintf(text, sizeof text, "%.0f cycles", value);
    } else {
        int unit = 0;
        while (unit < 3 && fabs(value) < units[unit].ns) unit++;
        snprintf(text, sizeof text, "%.3f %s", value / units[unit].ns, units[unit].name);
    }
    put(output, text);
}

static void put_reason(struct ets_output *output, const struct ets_budget_report *report,
                       const struct ets_budget_verdict *verdict)
{
    const struct ets_budget_rule *rule = ets_budget_rule(report->budget, verdict->rule);
    if (verdict->result == ETS_BUDGET_MISSING) {
        char names[256];
        put(output, "the new trace has nothing that this rule is about");
        if (!ets_budget_section_exists(rule, report->difference, names, sizeof names)) {
            put(output, ": no method or block of its section, but ");
            put_string(output, names);
        }
        return;
    }
    put_value(output, report, rule, verdict->value);
    put(output,
        rule->metric == ETS_METRIC_SHARE ? " is under the limit of " : " is over the limit of ");
    put_value(output, report, rule, verdict->limit);
    if (!isnan(verdict->base)) {
        put(output, "; the base has ");
        put_value(output, report, rule, verdict->base);
    }
    if (verdict->result == ETS_BUDGET_UNKNOWN) {
        put(output, "; too few runs to tell from noise, record more");
    }
    if (verdict->result == ETS_BUDGET_NOISE) {
        put(output, "; within noise: ");
        if (verdict->value > verdict->noise) put(output, "a rank test over the runs sees no rise");
        else put(output, "parts of the base reach ");
        if (verdict->value <= verdict->noise) put_value(output, report, rule, verdict->noise);
    }
}

static void put_case(struct ets_output *output, const struct ets_budget_report *report,
                     const struct ets_budget_verdict *verdict)
{
    const struct ets_pool_block *block = ets_budget_block(report, verdict);
    const struct ets_pool_operator *op = ets_budget_operator(report, verdict);
    const struct ets_budget_rule *rule = ets_budget_rule(report->budget, verdict->rule);
    put(output, "    <testcase classname=\"etscope.");
    if (block == NULL) put(output, "gate");
    else if (block->method != NULL) put_string(output, block->method);
    else ets_xml_put_text(output, block->name);
    put(output, "\" name=\"");
    ets_xml_put_text(output, rule->text);
    if (op != NULL) {
        put(output, ": ");
        ets_xml_put_text(output, op->name);
    }
    if (ets_difference_instruction(op) >= 0) {
        put(output, " (instruction ");
        put_number(output, (uint32_t)ets_difference_instruction(op));
        put(output, ")");
    }
    put(output, "\" file=\"");
    put_string(output, report->budget_path);
    put(output, "\" line=\"");
    put_number(output, rule->line);
    if (verdict->result == ETS_BUDGET_NOISE) {
        put(output, "\">\n      <system-out>");
        put_reason(output, report, verdict);
        put(output, "</system-out>\n    </testcase>\n");
        return;
    }
    if (!ets_budget_is_failure(verdict->result)) {
        put(output, "\"/>\n");
        return;
    }
    const char *kind = verdict->result == ETS_BUDGET_UNKNOWN ? "error" : "failure";
    put(output, "\">\n      <");
    put(output, kind);
    put(output, " type=\"");
    put(output, ets_budget_result_name(verdict->result));
    put(output, "\" message=\"");
    put_reason(output, report, verdict);
    put(output, "\"/>\n    </testcase>\n");
}

static void put_counts(struct ets_output *output, const struct ets_budget_verdicts *verdicts)
{
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < ets_budget_count(verdicts); i++) {
        unknown += ets_budget_verdict(verdicts, i)->result == ETS_BUDGET_UNKNOWN;
    }
    put(output, " tests=\"");
    put_number(output, ets_budget_count(verdicts));
    put(output, "\" failures=\"");
    put_number(output, ets_budget_failed(verdicts) - unknown);
    put(output, "\" errors=\"");
    put_number(output, unknown);
    put(output, "\">\n");
}

void ets_budget_write_junit(const struct ets_budget_report *report, struct ets_output *output)
{
    put(output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"etscope gate\"");
    put_counts(output, report->verdicts);
    put(output, "  <testsuite name=\"");
    put_string(output, report->budget_path);
    put(output, "\"");
    put_counts(output, report->verdicts);
    for (uint32_t i = 0; i < ets_budget_count(report->verdicts); i++) {
        put_case(output, report, ets_budget_verdict(report->verdicts, i));
    }
    put(output, "  </testsuite>\n</testsuites>\n");
}
