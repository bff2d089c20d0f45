/* The verdicts of a gate as JUnit's cases. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "compare/compare_names.h"
#include "host/arena.h"
#include "output/text/budget_junit.h"
#include "output/text/junit.h"
#include "views/budget_lines.h"

/* As printf, into memory of the arena's; NULL where there is none. */
static const char *print(struct ets_arena *arena, const char *format, ...) ETS_PRINTF(2, 3);

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
static const char *name_of(struct ets_arena *arena, const struct ets_budget_line *line)
{
    const struct ets_text rule = line->rule->text;
    if (line->op == NULL) return print(arena, "%.*s", (int)rule.size, rule.data);
    const int size = shown(line->op->name);
    if (line->instruction < 0) {
        return print(arena, "%.*s: %.*s", (int)rule.size, rule.data, size, line->op->name.data);
    }
    return print(arena, "%.*s: %.*s (instruction %d)", (int)rule.size, rule.data, size,
                 line->op->name.data, (int)line->instruction);
}

static bool fill_case(struct ets_arena *arena, const struct ets_budget_report *report,
                      const struct ets_budget_line *line, struct ets_junit_case *each)
{
    const char *reason;
    *each = (struct ets_junit_case){
        .class_name = class_of(arena, line->block),
        .name = name_of(arena, line),
        .file = report->budget_path,
        .line = line->rule->line,
        .seconds = NAN,
    };
    if (each->class_name == NULL || each->name == NULL) return false;
    if (!ets_budget_has_reason(line->verdict)) return true;
    char text[ETS_BUDGET_REASON_BYTES];
    ets_budget_reason(report, line->verdict, text);
    if ((reason = print(arena, "%s", text)) == NULL) return false;
    const bool is_undecided = line->verdict->result == ETS_BUDGET_UNDECIDED;
    if (is_undecided && report->undecided_passes) {
        each->output = reason;
        return true;
    }
    each->result = is_undecided ? ETS_JUNIT_ERROR : ETS_JUNIT_FAILURE;
    each->type = ets_budget_result_name(line->verdict->result);
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
        const struct ets_budget_line line =
            ets_budget_line_of(report, ets_budget_verdict(report->verdicts, i));
        ok = fill_case(&arena, report, &line, &cases[i]);
    }
    if (ok) ets_junit_write(report->budget_path, cases, count, output);
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the report of the gate");
}
