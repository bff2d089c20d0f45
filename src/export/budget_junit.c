/* The verdicts of a gate as JUnit's cases. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "etscope/junit.h"
#include "export/budget_words.h"

enum { VALUE_BYTES = 64, REASON_BYTES = 640 };

/* As printf, into memory of the arena's; NULL where there is none. */
static const char *print(struct ets_arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : ets_arena_alloc(arena, (size_t)length + 1);
    if (text != NULL) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

/* "1.250 ms", "90.0%", "1200 cycles". */
static const char *value_text(const struct ets_budget_report *report,
                              const struct ets_budget_rule *rule, double value,
                              char text[VALUE_BYTES])
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    if (rule->metric == ETS_METRIC_SHARE) {
        snprintf(text, VALUE_BYTES, "%.1f%%", value * 100);
    } else if (ets_difference_unit(report->difference) == ETS_UNIT_CYCLES) {
        snprintf(text, VALUE_BYTES, "%.0f cycles", value);
    } else {
        int unit = 0;
        while (unit < 3 && fabs(value) < units[unit].ns) unit++;
        snprintf(text, VALUE_BYTES, "%.3f %s", value / units[unit].ns, units[unit].name);
    }
    return text;
}

static const char *missing_reason(struct ets_arena *arena, const struct ets_budget_report *report,
                                  const struct ets_budget_rule *rule)
{
    static const char nothing[] = "the new trace has nothing that this rule is about";
    char names[256];
    if (ets_budget_section_exists(rule, report->difference, names, sizeof names)) return nothing;
    return print(arena, "%s: no method or block of its section, but %s", nothing, names);
}

static const char *reason_of(struct ets_arena *arena, const struct ets_budget_report *report,
                             const struct ets_budget_verdict *verdict)
{
    const struct ets_budget_rule *rule = ets_budget_rule(report->budget, verdict->rule);
    char text[REASON_BYTES], value[VALUE_BYTES], limit[VALUE_BYTES], other[VALUE_BYTES];
    if (verdict->result == ETS_BUDGET_MISSING) return missing_reason(arena, report, rule);
    size_t size = ets_print_text(text, sizeof text, "%s is %s the limit of %s",
                                 value_text(report, rule, verdict->value, value),
                                 rule->metric == ETS_METRIC_SHARE ? "under" : "over",
                                 value_text(report, rule, verdict->limit, limit));
    if (!isnan(verdict->base)) {
        size += ets_print_text(text + size, sizeof text - size, "; the base has %s",
                               value_text(report, rule, verdict->base, other));
    }
    if (verdict->result == ETS_BUDGET_UNKNOWN) {
        ets_print_text(text + size, sizeof text - size,
                       "; too few runs to tell from noise, record more");
    } else if (verdict->result == ETS_BUDGET_NOISE && verdict->value > verdict->noise) {
        ets_print_text(text + size, sizeof text - size,
                       "; within noise: a rank test over the runs sees no rise");
    } else if (verdict->result == ETS_BUDGET_NOISE) {
        ets_print_text(text + size, sizeof text - size,
                       "; within noise: parts of the base reach %s",
                       value_text(report, rule, verdict->noise, other));
    }
    return print(arena, "%s", text);
}

static const char *class_of(struct ets_arena *arena, const struct ets_pool_block *block)
{
    if (block == NULL) return "etscope.gate";
    if (block->method != NULL) return print(arena, "etscope.%s", block->method);
    return print(arena, "etscope.%.*s", (int)block->name.size, block->name.data);
}

/* "operator *conv* p50 <= +5%: conv.out (instruction 3)" */
static const char *name_of(struct ets_arena *arena, const struct ets_budget_rule *rule,
                           const struct ets_pool_operator *op)
{
    const int size = (int)rule->text.size;
    const int32_t instruction = ets_difference_instruction(op);
    if (op == NULL) return print(arena, "%.*s", size, rule->text.data);
    if (instruction < 0) {
        return print(arena, "%.*s: %.*s", size, rule->text.data, (int)op->name.size, op->name.data);
    }
    return print(arena, "%.*s: %.*s (instruction %d)", size, rule->text.data, (int)op->name.size,
                 op->name.data, instruction);
}

static bool fill_case(struct ets_arena *arena, const struct ets_budget_report *report,
                      const struct ets_budget_verdict *verdict, struct ets_junit_case *each)
{
    const struct ets_budget_rule *rule = ets_budget_rule(report->budget, verdict->rule);
    const char *reason = NULL;
    *each = (struct ets_junit_case){
        .class_name = class_of(arena, ets_budget_block(report, verdict)),
        .name = name_of(arena, rule, ets_budget_operator(report, verdict)),
        .file = report->budget_path,
        .line = rule->line,
        .seconds = NAN,
    };
    if (each->class_name == NULL || each->name == NULL) return false;
    const bool is_failure = ets_budget_is_failure(verdict->result) != 0;
    if (!is_failure && verdict->result != ETS_BUDGET_NOISE) return true;
    reason = reason_of(arena, report, verdict);
    if (is_failure) {
        const bool is_unknown = verdict->result == ETS_BUDGET_UNKNOWN;
        each->result = is_unknown ? ETS_JUNIT_ERROR : ETS_JUNIT_FAILURE;
        each->type = ets_budget_result_name(verdict->result);
        each->message = reason;
    } else {
        each->output = reason;
    }
    return reason != NULL;
}

enum ets_status ets_budget_write_junit(const struct ets_budget_report *report,
                                       struct ets_output *output, struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    const uint32_t count = ets_budget_count(report->verdicts);
    struct ets_junit_case *cases = ets_arena_alloc_array(&arena, count, sizeof *cases);
    bool ok = cases != NULL;
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = fill_case(&arena, report, ets_budget_verdict(report->verdicts, i), &cases[i]);
    }
    if (ok) ets_junit_write(report->budget_path, cases, count, output);
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for the report");
}
