/* Says that runs became slower or faster over time. */
#include "views/drift_sentence.h"

#include <math.h>

#include "inspect/accounting/accounting.h"

/* Less is not the first thing to say of runs. */
static const double LEAST_DRIFT = 0.1;

#define say(text, ...) ets_add_plain_text(text, __VA_ARGS__)

static bool is_told(double drift)
{
    return fabs(drift) >= LEAST_DRIFT; /* NaN: none */
}

/* "the last third takes 25.1 times the first (40 runs)" */
static void say_thirds(struct ets_text_builder *text, double drift, uint32_t runs)
{
    const double factor = 1 + drift;
    say(text, "the last third takes ");
    if (factor >= 2 || factor <= 0.5) say(text, "%.3g times the first", factor);
    else say(text, "%.0f %% %s than the first", 100 * fabs(drift), factor > 1 ? "more" : "less");
    say(text, " (%u runs)", runs);
}

/* `when`: " before", "". Each token that is decoded has more before it, which it reads. */
static void say_drift(struct ets_text_builder *text, const char *when, enum ets_run_stage stage,
                      double drift, uint32_t runs)
{
    if (stage == ETS_STAGE_DECODE) {
        say(text, "later tokens%s take %s: ", when, drift > 0 ? "longer" : "less");
        say_thirds(text, drift, runs);
        return;
    }
    say(text, "runs%s get %s over time: ", when, drift > 0 ? "slower" : "faster");
    say_thirds(text, drift, runs);
}

bool ets_add_trace_drift(struct ets_arena *arena, const struct ets_timed_blocks *blocks,
                         const struct ets_timed_block *block, struct ets_text_builder *text)
{
    struct ets_run_phases phases;
    const uint32_t whole = ets_inspection_total_row(blocks->inspection, block->block);
    if (whole == ETS_NO_INDEX) return true;
    if (ets_run_phases_of_row(blocks->inspection, whole, arena->allocator, &phases, NULL) !=
        ETS_OK) {
        return false;
    }
    if (phases.state != ETS_PHASE_DRIFTING || !is_told(phases.drift)) return true;
    ets_add_timed_block_name(text, blocks, block);
    say(text, ": ");
    const enum ets_run_stage stage = ets_inspection_block(blocks->inspection, block->block)->stage;
    say_drift(text, "", stage, phases.drift, phases.run_count);
    return true;
}

bool ets_add_pool_drift(struct ets_text_builder *text, const char *when,
                        const struct ets_pool_block *block)
{
    const struct ets_pool_part *most = NULL;
    uint32_t count = 0;
    for (uint32_t p = 0; p < block->part_count; p++) {
        const struct ets_pool_part *part = &block->parts[p];
        if (!is_told(part->drift)) continue;
        count++;
        if (most == NULL || fabs(log1p(part->drift)) > fabs(log1p(most->drift))) most = part;
    }
    /* A few recordings that drift do not decide medians over all of them. */
    if (most == NULL || 2 * count < block->part_count) return false;
    const uint32_t runs = most->run_count + most->left_out;
    if (block->part_count == 1) {
        say_drift(text, when, block->stage, most->drift, runs);
        return true;
    }
    say(text, "in %u of %u recordings%s, runs drift over time, at most so that ", count,
        block->part_count, when);
    say_thirds(text, most->drift, runs);
    return true;
}

bool ets_add_difference_drift(struct ets_text_builder *text, const char *separator,
                              const struct ets_difference_block *block)
{
    const size_t begin = text->used;
    say(text, "%s", separator);
    bool is_said = ets_add_pool_drift(text, " before", block->before);
    const size_t end = text->used;
    if (is_said) say(text, "; ");
    if (ets_add_pool_drift(text, " after", block->after)) return true;
    text->used = is_said ? end : begin;
    return is_said;
}
