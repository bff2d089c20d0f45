/* The verdicts of a gate as JUnit's cases. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "host/arena.h"
#include "output/text/budget_junit.h"
#include "output/text/junit.h"
#include "views/budget_words.h"

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

/* A trace's names may have 4,096 bytes each; a report of many cases is bounded by cutting them. */
static int shown(struct ets_text name)
{
    enum { MOST = 256 };
    return name.size < MOST ? (int)name.size : MOST;
}

static const char *class_of(struct ets_arena *arena, const struct ets_pool_block *block)
{
    if (block == NULL) return "etscope.gate";
    if (block->method != NULL) return print(arena, "etscope.%s", block->method);
    return print(arena, "etscope.%.*s", shown(block->name), block->name.data);
}

/* "operator *conv* p50 <= +5%: conv.out (instruction 3)" */
static const char *name_of(struct ets_arena *arena, const struct ets_budget_rule *rule,
                           const struct ets_pool_operator *op)
{
    const int size = (int)rule->text.size;
    const int32_t instruction = ets_difference_instruction(op);
    if (op == NULL) return print(arena, "%.*s", size, rule->text.data);
    if (instruction < 0) {
        return print(arena, "%.*s: %.*s", size, rule->text.data, shown(op->name), op->name.data);
    }
    return print(arena, "%.*s: %.*s (instruction %d)", size, rule->text.data, shown(op->name),
                 op->name.data, instruction);
}

static bool fill_case(struct ets_arena *arena, const struct ets_budget_report *report,
                      const struct ets_budget_verdict *verdict, struct ets_junit_case *each)
{
    const struct ets_budget_rule *rule = ets_budget_rule(report->budget, verdict->rule);
    const char *reason;
    *each = (struct ets_junit_case){
        .class_name = class_of(arena, ets_budget_block(report, verdict)),
        .name = name_of(arena, rule, ets_budget_operator(report, verdict)),
        .file = report->budget_path,
        .line = rule->line,
        .seconds = NAN,
    };
    if (each->class_name == NULL || each->name == NULL) return false;
    const bool is_undecided = verdict->result == ETS_BUDGET_UNDECIDED;
    if (!is_undecided && !ets_budget_is_failure(verdict->result)) return true;
    char text[ETS_BUDGET_REASON_BYTES];
    ets_budget_reason(report, verdict, text);
    if ((reason = print(arena, "%s", text)) == NULL) return false;
    if (is_undecided && report->undecided_passes) {
        each->output = reason;
        return true;
    }
    each->result = is_undecided ? ETS_JUNIT_ERROR : ETS_JUNIT_FAILURE;
    each->type = ets_budget_result_name(verdict->result);
    each->message = reason;
    return true;
}

enum ets_status ets_budget_write_junit(const struct ets_budget_report *report,
                                       const struct ets_allocator *allocator,
                                       struct ets_output *output, struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, allocator, 0);
    const uint32_t count = ets_budget_count(report->verdicts);
    struct ets_junit_case *cases = ets_arena_alloc_array(&arena, count, sizeof *cases);
    bool ok = cases != NULL;
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = fill_case(&arena, report, ets_budget_verdict(report->verdicts, i), &cases[i]);
    }
    if (ok) ets_junit_write(report->budget_path, cases, count, output);
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the report of the gate");
}
