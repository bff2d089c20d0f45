/* Notes what a trace lacks: lost events, filtered events, unfinished runs. */
#include "cli/traces/trace_notes.h"

#include <stdio.h>

#include "cli/core/cli_text.h"
#include "cli/core/command.h"
#include "cli/core/what_to_type.h"
#include "cli/traces/record_notes.h"
#include "inspect/delegates/inner_values.h"
#include "inspect/method_graph.h"
#include "payload/payload_store.h"

static const char *reason_of(enum ets_status first_error)
{
    switch (first_error) {
    case ETS_NO_SPACE: return "a buffer of the tracer's was full";
    case ETS_INVALID_ARGUMENT: return "incorrect calls of the tracer";
    case ETS_IO: return "its stream or data sink failed";
    default: return ets_status_meaning(first_error);
    }
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

void cli_note_losses(const struct ets_trace_facts *facts)
{
    const struct ets_trace_state *state = &facts->state;
    if (state->dropped > 0) {
        cli_note("%u event%s dropped (%s%s): the trace is incomplete", state->dropped,
                 state->dropped == 1 ? " was" : "s were",
                 state->dropped == 1 ? "" : "first: ", reason_of(state->first_error));
    }
    if (state->overwritten > 0) {
        cli_note("%u older event%s overwritten by later ones: the ring was full",
                 state->overwritten, state->overwritten == 1 ? " was" : "s were");
    }
    if (facts->lost_frames > 0) {
        cli_note("%u frame%s of the stream %s lost: the trace is incomplete", facts->lost_frames,
                 plural(facts->lost_frames), facts->lost_frames == 1 ? "was" : "were");
    }
    if (state->unnamed > 0) {
        cli_note("%u event%s no name: the tracer's memory for names was full", state->unnamed,
                 state->unnamed == 1 ? " has" : "s have");
    }
    if (state->backwards > 0) {
        cli_note(
            "%u event%s before they began according to the tracer's clock: recorded as lasting 0",
            state->backwards, state->backwards == 1 ? " ended" : "s ended");
    }
    if (state->stale > 0) {
        cli_note("%u event%s not recorded: %s begun before the tracer was reset", state->stale,
                 state->stale == 1 ? " was" : "s were", state->stale == 1 ? "it had" : "they had");
    }
    if (!facts->has_clock) cli_note("the tracer had no clock: all times are 0");
}

/* Notes filters, so that nobody takes the trace for complete. */
static void note_filters(const struct ets_trace_facts *facts)
{
    static const char *const names[] = {"methods",     "operators", "delegates' events",
                                        "allocations", "outputs",   "intermediate values"};
    char text[96];
    size_t used = 0;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if ((facts->filtered >> i & 1) == 0) continue;
        const int size =
            snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "", names[i]);
        used += (size_t)size;
    }
    if (used > 0) cli_note("only some runs have %s, or filters left some of them out", text);
}

void cli_note_losses_of(struct ets_bytes dump)
{
    struct ets_trace_extra extra;
    struct ets_trace_facts facts;
    if (ets_trace_extra_init(&extra, dump, NULL) != ETS_OK) return;
    ets_trace_extra_facts(&extra, &facts);
    cli_note_losses(&facts);
}

/* Notes runs whose start is lost; their other events are intact. */
static void note_partial_runs(const struct ets_inspection *inspection)
{
    uint32_t count = 0, first = 0;
    for (uint32_t i = ets_inspection_run_count(inspection); i-- > 0;) {
        if (!ets_inspection_run(inspection, i)->is_partial) continue;
        count++;
        first = i;
    }
    if (count == 0) return;
    cli_note("the start of %u run%s is lost (%srun %u of the trace)", count, plural(count),
             count == 1 ? "" : "first: ", first);
}

/* An execution with events whose end is not lost with its start. */
static bool is_execution(const struct ets_run *run)
{
    return run->purpose == ETS_TRACE_EXECUTE && run->event_count > 0 && !run->is_partial;
}

/*
 * Notes unfinished runs, unless a filter or a full buffer may have left out their end. Of programs
 * that record no Method::execute at all, nothing is known.
 */
static void note_broken_runs(const struct ets_inspection *inspection,
                             const struct ets_trace_facts *facts)
{
    if (facts->state.dropped > 0 || (facts->filtered & ETS_TRACE_METHODS) != 0) return;
    uint32_t whole = 0, broken = 0, first = 0;
    for (uint32_t i = ets_inspection_run_count(inspection); i-- > 0;) {
        const struct ets_run *run = ets_inspection_run(inspection, i);
        if (!is_execution(run)) continue;
        if (ets_inspection_total_row(inspection, run->block) != ETS_NO_INDEX) {
            whole++;
        } else {
            broken++;
            first = i;
        }
    }
    const char *lost = facts->lost_frames > 0 ? " or its end was lost" : "";
    if (broken > 1 && whole > 0) {
        cli_note(
            "%u runs of the trace did not finish%s (first: run %u): they have no Method::execute",
            broken, facts->lost_frames > 0 ? " or their ends were lost" : "", first);
    } else if (broken == 1 && whole > 0) {
        cli_note("run %u of the trace did not finish%s: it has no Method::execute", first, lost);
    } else if (broken == 1) {
        cli_note(
            "run %u of the trace has no Method::execute: it did not finish%s, or the program "
            "records none",
            first, lost);
    }
}

void cli_note_whole_calls(const struct ets_inspection *inspection)
{
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        if (row->tie != ETS_TIE_CALL || row->backend == NULL) continue;
        if (ets_payload_knowledge(cli_text(row->backend)) != ETS_PAYLOAD_FORETOLD) continue;
        cli_note("source lines inside delegates need --program model.pte");
        return;
    }
}

void cli_note_trace(const struct ets_inspection *inspection)
{
    const struct ets_trace_facts *facts = ets_inspection_trace(inspection);
    if (ets_inspection_has_taps(inspection)) {
        cli_note(
            "delegates handed out the values within them: the times of these runs are not the "
            "model's");
    }
    if (facts == NULL) return;
    cli_note_losses(facts);
    note_filters(facts);
    note_partial_runs(inspection);
    note_broken_runs(inspection, facts);
    if (ets_inspection_is_other_program(inspection)) {
        cli_note("the trace has the fingerprint of another program");
    }
}

void cli_note_damage(const struct ets_damage *damage)
{
    char advice[CLI_REASON_CHARS];
    ets_advise_with(&cli_advice, damage->advice, advice, sizeof advice);
    cli_note("byte %llu: %s%s", (unsigned long long)damage->offset, damage->reason, advice);
}

void cli_note_unjoined(const char *path, const struct ets_inspection *inspection)
{
    const char *name = path == NULL ? "" : path, *behind = path == NULL ? "" : ": ";
    for (uint32_t i = 0; i < ets_inspection_block_count(inspection); i++) {
        const struct ets_block *block = ets_inspection_block(inspection, i);
        const char *why_no_graph = ets_inspection_why_no_graph(inspection, i);
        if (block->method_state == ETS_METHOD_AMBIGUOUS) {
            cli_note(
                "%s%sblock %u is not joined, its method is ambiguous: %s; choose one with --method",
                name, behind, i, block->method);
        } else if (block->method_state == ETS_METHOD_MISMATCH) {
            cli_note("%s%sblock %u is not joined: %s", name, behind, i, block->reason);
        } else if (why_no_graph != NULL) {
            cli_note("%s%s" CLI_LACKS_GRAPH, name, behind, block->method, why_no_graph);
        }
    }
}
