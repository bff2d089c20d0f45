/* Words how exact, complete and certain a trace is. */
#include "views/trust.h"

#include <math.h>

#include "inspect/delegates/inner_values.h"
#include "inspect/time_details.h"
#include "views/device_facts.h"
#include "views/sentence_numbers.h"
#include "views/timed_blocks.h"
#include "views/tracing_words.h"

enum { SENTENCE_BYTES = 768, MOST_SENTENCES = 8 };

struct maker {
    struct ets_arena *arena;
    struct ets_timed_blocks blocks;
    struct ets_sentences *out;
    unsigned untold;
    char text[SENTENCE_BYTES];
    struct ets_text_builder line;
};

#define say(m, ...) ets_add_plain_text(&(m)->line, __VA_ARGS__)

static bool end_sentence(struct maker *m)
{
    if (m->line.used == 0) return true;
    const char *copy = ets_arena_copy_text(m->arena, m->line.text, m->line.used);
    if (copy == NULL) return false;
    m->out->items[m->out->count++] = (struct ets_text){copy, m->line.used};
    m->line.used = 0;
    return true;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Of the longest block with operators, else of the longest. */
static void say_overhead(struct maker *m)
{
    if (m->blocks.count == 0) return;
    const struct ets_timed_block *block = &m->blocks.items[0];
    const struct ets_block *b = ets_inspection_block(m->blocks.inspection, block->block);
    const struct ets_tracing_cost cost =
        ets_inspection_tracing_cost(m->blocks.inspection, b->first_run);
    if (isnan(cost.ns)) {
        say(m, "tracing overhead is not known: the trace does not state it");
    } else if (cost.is_subtracted) {
        say(m, "tracing overhead was subtracted: ");
        ets_add_subtracted_cost(&m->line, &cost);
    } else {
        say(m, "tracing overhead is ");
        ets_add_tracing_cost(&m->line, &cost);
        if (m->blocks.tick_ns == 0) return;
        const double run = block->times.statistics.p50 * m->blocks.tick_ns;
        say(m, ", ");
        ets_add_share(&m->line, (struct ets_span){cost.low / run, cost.high / run});
        say(m, " of it");
    }
}

static void say_tapped(struct maker *m)
{
    if (!ets_inspection_has_taps(m->blocks.inspection)) return;
    say(m, "delegates handed out the values within them: times are not the model's");
}

static void say_unit(struct maker *m)
{
    int is_known;
    const enum ets_time_unit unit = ets_inspection_tick_unit(m->blocks.inspection, &is_known);
    if (is_known) return;
    say(m, "the trace does not state the unit of its clock: taken for %s",
        ets_time_unit_name(unit));
}

/* The coarsest clock of a delegate. */
static void say_steps(struct maker *m)
{
    const struct ets_row *coarsest = NULL;
    for (uint32_t i = 0; i < ets_inspection_row_count(m->blocks.inspection); i++) {
        const struct ets_row *row = ets_inspection_row(m->blocks.inspection, i);
        if (row->quantum_ticks <= (coarsest == NULL ? 0 : coarsest->quantum_ticks)) continue;
        coarsest = row;
    }
    if (coarsest == NULL) return;
    const double step = (double)coarsest->quantum_ticks;
    say(m, "%s reports times in steps of ",
        coarsest->backend != NULL ? coarsest->backend : "a delegate");
    ets_add_time(&m->line, (struct ets_span){step, step}, m->blocks.tick_ns);
    say(m, ": its times are ranges");
}

static void say_losses(struct maker *m)
{
    const struct ets_trace_facts *facts = ets_inspection_trace(m->blocks.inspection);
    const uint32_t damages = ets_inspection_damage_total(m->blocks.inspection);
    if (damages > 0) {
        say(m, "%u damaged part%s of the trace %s skipped", damages, plural(damages),
            damages == 1 ? "was" : "were");
    } else if (facts == NULL) {
        say(m, "whether events were lost is not known: the trace does not state it");
    } else {
        const uint64_t lost = (uint64_t)facts->state.dropped + facts->state.overwritten;
        say(m, "%llu event%s lost", (unsigned long long)lost, plural(lost));
    }
}

static void say_device(struct maker *m)
{
    static void (*const parts[])(struct ets_text_builder * text, struct ets_text device) = {
        ets_add_device, ets_add_load, ets_add_warming};
    const struct ets_trace_facts *facts = ets_inspection_trace(m->blocks.inspection);
    const char *between = "recorded on ";
    if (facts == NULL) return;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char text[SENTENCE_BYTES / 2];
        struct ets_text_builder part = {text, sizeof text, 0};
        parts[i](&part, facts->device);
        if (part.used == 0) continue;
        say(m, "%s%.*s", between, (int)part.used, text);
        between = "; ";
    }
}

/* Rows whose nodes were found by the order of operators, or of which only the call is known. */
static void say_joins(struct maker *m)
{
    uint32_t inferred = 0, calls = 0, near = 0;
    for (uint32_t i = 0; i < ets_inspection_row_count(m->blocks.inspection); i++) {
        const struct ets_row *row = ets_inspection_row(m->blocks.inspection, i);
        inferred += row->is_inferred != 0;
        calls += row->tie == ETS_TIE_CALL;
        near += row->tie == ETS_TIE_NEAR;
    }
    if (inferred + calls + near == 0) return;
    const char *between = "";
    if (inferred > 0) {
        say(m, "%u operator%s joined by order, without a debug handle in the ETRecord", inferred,
            inferred == 1 ? " is" : "s are");
        between = "; ";
    }
    if (near > 0) {
        say(m, "%s%u operator%s of delegates may be off by one node", between, near, plural(near));
        between = "; ";
    }
    if (calls > 0) {
        say(m, "%sof %u operator%s of delegates only the call is known", between, calls,
            plural(calls));
    }
}

/* What a reader of the document learns about the model. */
static void say_disclosed(struct maker *m)
{
    bool has_nodes = false, has_values = false;
    const struct ets_inspection *inspection = m->blocks.inspection;
    const struct ets_event_table *events = ets_inspection_events(inspection);
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        has_nodes |= ets_inspection_row(inspection, i)->node_count > 0;
    }
    for (uint32_t i = 0; i < events->count && !has_values; i++) {
        has_values = events->kind[i] == ETS_EVENT_DEBUG;
    }
    const bool has_source = (m->untold & ETS_UNTOLD_SOURCE) == 0;
    has_values &= (m->untold & ETS_UNTOLD_VALUES) == 0;
    say(m, "contains the names of operators%s%s",
        !has_nodes   ? ""
        : has_source ? ", the source lines and modules of the model"
                     : ", files, functions and modules of the model",
        has_values ? ", captured values" : "");
}

bool ets_trust_collect(struct ets_arena *arena, const struct ets_inspection *inspection,
                       unsigned untold, struct ets_sentences *trust_out)
{
    static void (*const parts[])(struct maker * m) = {say_tapped, say_overhead, say_unit,
                                                      say_steps,  say_losses,   say_device,
                                                      say_joins,  say_disclosed};
    struct maker m = {.arena = arena, .out = trust_out, .untold = untold};
    m.line = (struct ets_text_builder){m.text, sizeof m.text, 0};
    *trust_out = (struct ets_sentences){
        ets_arena_alloc_array(arena, MOST_SENTENCES, sizeof *trust_out->items), 0};
    if (trust_out->items == NULL ||
        !ets_timed_blocks_find(arena, inspection, ETS_NO_INDEX, ETS_NO_INDEX, 0, &m.blocks)) {
        return false;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        parts[i](&m);
        if (!end_sentence(&m)) return false;
    }
    return true;
}

struct ets_missing ets_missing_without(enum ets_missing_file file)
{
    static const struct ets_missing missing[ETS_MISSING_COUNT] = {
        [ETS_MISSING_RECORD] = {"source", "source lines and modules need the ETRecord"},
        [ETS_MISSING_PROGRAM] =
            {"memory", "planned memory, and source lines inside delegates, need the program"},
        [ETS_MISSING_DEBUG_BUFFER] = {"numbers", "wrong values need captured tensors"},
        [ETS_MISSING_MACHINE] = {"operators",
                                 "how fast operators could be needs a measured machine"},
        [ETS_MISSING_TRACE] = {"operators", "times of operators and runs need a trace"},
        [ETS_MISSING_BEFORE] = {"compare", "what became faster or slower needs a second trace"},
    };
    return missing[file];
}
