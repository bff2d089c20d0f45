/* The heading of a block: its name, method, runs and the tracer's own cost. */
#include "views/block_heading.h"

#include <math.h>

#include "inspect/time_details.h"
#include "views/tracing_words.h"

/* Adds what tracing costs a run, if it is known. */
static void add_overhead(struct ets_text_builder *heading, const struct ets_inspection *inspection,
                         const struct ets_block *block)
{
    const struct ets_tracing_cost cost = ets_inspection_tracing_cost(inspection, block->first_run);
    if (isnan(cost.ns)) return;
    if (cost.is_subtracted) {
        ets_add_plain_text(heading, ", subtracted tracing overhead of ");
        ets_add_subtracted_cost(heading, &cost);
    } else {
        ets_add_plain_text(heading, ", tracing overhead ");
        ets_add_tracing_cost(heading, &cost);
    }
}

size_t ets_block_heading(const struct ets_inspection *inspection, const struct ets_block *block,
                         const struct ets_advice_words *words, char *text, size_t room)
{
    struct ets_text_builder heading = {text, room, 0};
    ets_add_plain_text(&heading, "%.*s", ETS_TEXT(block->name));
    if (block->method_state == ETS_METHOD_FOUND ||
        (block->method_state == ETS_METHOD_NONE && block->is_method_named)) {
        ets_add_plain_text(&heading, " - method %s", block->method);
    } else if (block->method_state == ETS_METHOD_AMBIGUOUS) {
        ets_add_plain_text(&heading, " - method ambiguous: %s", block->method);
        ets_add_advice(&heading, words, ETS_ADVICE_METHOD);
    } else if (block->method_state == ETS_METHOD_MISMATCH) {
        ets_add_plain_text(&heading, " - not joined: %s", block->reason);
    }
    if (block->stage != ETS_STAGE_NONE) {
        ets_add_plain_text(&heading, " - %s", ets_run_stage_name(block->stage));
    }
    ets_add_plain_text(&heading, " - %u run%s", block->run_count, block->run_count == 1 ? "" : "s");
    if (block->bundled_input_index >= 0) {
        ets_add_plain_text(&heading, ", test case %d", block->bundled_input_index);
    }
    add_overhead(&heading, inspection, block);
    return heading.used;
}
