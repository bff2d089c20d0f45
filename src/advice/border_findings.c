/* Findings about the borders of delegates: kernels that split, and calls that hold little. */
#include <math.h>

#include "advice/finding_rules.h"
#include "base/text.h"
#include "views/sentence_numbers.h"

static bool is_split(const struct ets_finder *finder, const struct ets_delegate_line *line)
{
    const uint32_t instruction = line->step->instruction;
    return line->unit == ETS_NO_INDEX && finder->method.joins[instruction].calls > 0 &&
           !finder->method.is_named[instruction] && !ets_kernel_is_deliberate(line->step->name);
}

/* Of all kernels of one name. */
static bool add_split(struct ets_finder *finder, uint32_t first)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    const struct ets_text name = lines->items[first].step->name;
    ets_parts_begin(finder);
    for (uint32_t i = first; i < lines->count; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        if (is_split(finder, line) && ets_text_equal(line->step->name, name) &&
            !ets_parts_add(finder, line)) {
            return false;
        }
    }
    struct ets_finding_parts *parts = &finder->parts;
    const double whole = finder->method.lines.whole;
    const bool is_small = parts->joined_ticks < ETS_ADVICE_LEAST_SHARE * whole;
    const struct ets_text short_name = ets_kernel_short_name(name);
    ets_find_say(finder,
                 "%.*s splits XNNPACK's work: without it %u delegate call%s could join the one%s "
                 "before",
                 ETS_TEXT(short_name), parts->joined, parts->joined == 1 ? "" : "s",
                 parts->joined == 1 ? "" : "s");
    ets_parts_prove(finder);
    ets_find_propose(finder,
                     "replace %.*s by an operator that XNNPACK takes, or move it before "
                     "or behind the delegated part",
                     ETS_TEXT(short_name));
    parts->ticks = (struct ets_span){0, 0}; /* what is saved are the calls behind */
    parts->row_count = 0;
    struct ets_finding finding =
        ets_finding_of_parts(finder, "split_by_kernel", ETS_SAVING_BOUND, ETS_CHECK_DELEGATES);
    finding.share = (struct ets_span){NAN, NAN};
    finding.doubt = "the two parts may stay apart for another reason, such as a shared constant";
    if (!is_small) return ets_finding_add(finder, finding);
    finder->line.used = finder->evidence.used = finder->action.used = 0;
    return true;
}

/* Kernels between calls that no other finding is about. */
bool ets_find_split(struct ets_finder *finder)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    for (uint32_t i = 0; i < lines->count; i++) {
        if (is_split(finder, &lines->items[i]) && !add_split(finder, i)) return false;
    }
    return true;
}

/* What a call takes beyond its operators, if that is most of it; else 0. */
static double call_overhead(const struct ets_delegate_line *call)
{
    double inside = 0, resolution = 0;
    if (call->step->kind != ETS_INSTRUCTION_DELEGATE_CALL || call->unit != ETS_NO_INDEX ||
        call->step->unit_count == 0) {
        return 0;
    }
    for (uint32_t k = 1; k <= call->step->unit_count; k++) {
        inside += call[k].middle;
        resolution += call[k].resolution;
    }
    return call->middle - inside - resolution >= call->middle / 2 ? call->middle - inside : 0;
}

/* Calls whose operators take less than the call around them. */
bool ets_find_small_calls(struct ets_finder *finder)
{
    enum { LEAST_RUNS = 20 };
    const struct ets_delegate_lines *lines = &finder->method.lines;
    const uint32_t block = finder->method.section->block;
    double overhead = 0;
    if (!ets_method_tells_time(finder) ||
        ets_inspection_block(finder->subject->inspection, block)->run_count < LEAST_RUNS) {
        return true;
    }
    ets_parts_begin(finder);
    for (uint32_t i = 0; i < lines->count; i++) {
        const double more = call_overhead(&lines->items[i]);
        if (!(more > 0)) continue;
        overhead += more;
        if (!ets_parts_add(finder, &lines->items[i])) return false;
    }
    if (!ets_parts_are_large(finder)) return true;
    const uint32_t calls = finder->parts.calls;
    ets_find_say(finder, "%u delegate call%s spend%s more time on the call than on %s operators",
                 calls, calls == 1 ? "" : "s", calls == 1 ? "s" : "", calls == 1 ? "its" : "their");
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    ets_find_evidence(finder, ", ");
    ets_add_time(&finder->evidence, (struct ets_span){overhead, overhead}, finder->blocks.tick_ns);
    ets_find_evidence(finder, " of it beyond the operators");
    ets_find_propose(finder,
                     "join them with their neighbours, or leave these operators to kernels");
    struct ets_finding finding =
        ets_finding_of_parts(finder, "small_calls", ETS_SAVING_BOUND, ETS_CHECK_DIFFERENCE);
    finding.saving.ticks.upper = ets_method_of_median(finder, overhead);
    finding.saving.part = overhead / finder->method.lines.whole;
    finding.doubt = "a delegate may not report all of its operators";
    return ets_finding_add(finder, finding);
}
