/* The heading of a block: its name, method, runs and the tracer's own cost. */
#include "views/block_heading.h"
#include "inspect/time_details.h"

#include <math.h>

#include "base/error.h"

/* What the tracer itself took of each run, where that is known. */
static size_t print_overhead(const struct ets_inspection *inspection, const struct ets_block *block,
                             char *text, size_t room)
{
    int is_subtracted;
    const double ns = ets_inspection_run_overhead(inspection, block->first_run, &is_subtracted);
    if (isnan(ns)) return 0;
    const unsigned long long tenths = (unsigned long long)(ns / 100 + 0.5);
    return ets_print_text(text, room,
                          is_subtracted ? ", about %llu.%llu us of tracing taken off each"
                                        : ", about %llu.%llu us of each is tracing",
                          tenths / 10, tenths % 10);
}

size_t ets_block_heading(const struct ets_inspection *inspection, const struct ets_block *block,
                         const struct ets_advice_words *words, char *text, size_t room)
{
    size_t used = ets_print_text(text, room, "%.*s", (int)block->name.size, block->name.data);
    if (block->method_state == ETS_METHOD_FOUND ||
        (block->method_state == ETS_METHOD_NONE && block->is_method_named)) {
        used += ets_print_text(text + used, room - used, " - method %s", block->method);
    } else if (block->method_state == ETS_METHOD_AMBIGUOUS) {
        used += ets_print_text(text + used, room - used, " - method ambiguous: %s", block->method);
        used += ets_advise_with(words, ETS_ADVICE_METHOD, text + used, room - used);
    } else if (block->method_state == ETS_METHOD_MISMATCH) {
        used += ets_print_text(text + used, room - used, " - not joined: %s", block->reason);
    }
    used += ets_print_text(text + used, room - used, " - %u run%s", block->run_count,
                           block->run_count == 1 ? "" : "s");
    if (block->bundled_input_index >= 0) {
        used +=
            ets_print_text(text + used, room - used, ", test case %d", block->bundled_input_index);
    }
    used += print_overhead(inspection, block, text + used, room - used);
    return used;
}
