/*
 * Reads the extra block of a dump: facts of its runs, its clock, its program, and the cost of
 * tracing.
 */
#include <math.h>
#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "dump/extra_tokens.h"
#include "format/model_numbers.h"
#include "inspect/inspection.h"
#include "inspect/time_details.h"

/* A pair that takes longer than this, in 1/256 ns, is no measurement; products stay in 64 bits. */
#define MOST_COST_Q8 (UINT64_C(1) << 30)

static void read_runs(struct ets_inspection *inspection)
{
    struct ets_trace_extra_run told;
    for (size_t at = 0; ets_trace_extra_next_run(&inspection->extra, &at, &told);) {
        if (told.run >= inspection->run_count) continue;
        struct ets_run *run = &inspection->runs[told.run];
        run->method = told.method;
        run->purpose = told.purpose;
        run->invocation = told.invocation;
        run->thread = told.thread;
        run->is_partial = told.is_partial;
    }
}

/* Of a method without a name, entries have an empty one, and runs have none. */
static struct ets_text name_or_none(struct ets_text name)
{
    return name.size > 0 ? name : (struct ets_text){NULL, 0};
}

/* Runs by their method and invocation; entries and runs may be many, and in any order. */
static enum ets_status read_tokens(struct ets_inspection *inspection, struct ets_error *error)
{
    struct ets_run_tokens told;
    size_t at = 0;
    if (!ets_run_tokens_next(&inspection->extra, &at, &told)) return ETS_OK;
    struct ets_key_table keys;
    uint32_t *runs = ets_arena_alloc_array(&inspection->arena, inspection->run_count, sizeof *runs);
    ets_key_table_init(&keys, &inspection->arena, 2);
    if (runs == NULL) return ets_fail_memory(error, "the runs of a generation");
    for (uint32_t i = 0; i < inspection->run_count; i++) {
        const struct ets_run *run = &inspection->runs[i];
        if (run->purpose != ETS_TRACE_EXECUTE) continue;
        const uint32_t method = ets_strings_add(&inspection->strings, name_or_none(run->method));
        const uint64_t key[] = {method, run->invocation};
        const uint32_t known = keys.count, number = ets_key_table_add(&keys, key);
        if (method == UINT32_MAX || number == ETS_KEY_NONE)
            return ets_fail_memory(error, "the runs of a generation");
        if (number == known) runs[number] = i;
    }
    do {
        const uint64_t key[] = {ets_strings_find(&inspection->strings, name_or_none(told.method)),
                                told.invocation};
        const uint32_t number = ets_key_table_find(&keys, key);
        if (number == ETS_KEY_NONE) continue;
        struct ets_run *run = &inspection->runs[runs[number]];
        run->stage = told.stage;
        run->tokens = told.tokens;
        run->position = told.position;
    } while (ets_run_tokens_next(&inspection->extra, &at, &told));
    return ETS_OK;
}

/* What the user says of a trace that does not tell, as far as the program allows. */
static enum ets_status assume_prompt(struct ets_inspection *inspection, struct ets_error *error)
{
    static const char execute[] = "Execute"; /* as upstream's runner names such runs */
    uint64_t position = 0;
    int64_t context;
    const struct ets_inspect_options *options = &inspection->options;
    const char *stated_by =
        options->program == NULL ? NULL : ets_model_context(options->program, &context);
    if (stated_by != NULL && context > 0 && options->prompt > context) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "a prompt of %u tokens does not fit in the program's context of %lld (from "
                        "%s)",
                        options->prompt, (long long)context, stated_by);
    }
    for (uint32_t i = 0; i < inspection->run_count; i++) {
        struct ets_run *run = &inspection->runs[i];
        const bool executes =
            run->purpose == ETS_TRACE_EXECUTE ||
            (run->purpose == ETS_TRACE_UNKNOWN && ets_text_is(run->name, execute));
        if (!executes) continue;
        run->stage = position == 0 ? ETS_STAGE_PREFILL : ETS_STAGE_DECODE;
        run->tokens = position == 0 ? options->prompt : 1;
        run->position = position;
        position += run->tokens;
    }
    return ETS_OK;
}

static bool tells_tokens(const struct ets_inspection *inspection)
{
    for (uint32_t i = 0; i < inspection->run_count; i++) {
        if (inspection->runs[i].tokens > 0) return true;
    }
    return false;
}

/* 16 hexadecimal digits, as xxhsum has them. */
static void print_number(uint64_t number, char text[17])
{
    for (unsigned i = 0; i < 16; i++) text[i] = "0123456789abcdef"[number >> (60 - 4 * i) & 15];
    text[16] = '\0';
}

/* The fingerprint that etscope's own tools write; one of another size is the application's. */
static enum ets_status check_program(struct ets_inspection *inspection, struct ets_error *error)
{
    const struct ets_program *program = inspection->options.program;
    const struct ets_bytes told = inspection->facts.fingerprint;
    if (program == NULL || told.size != ETS_PROGRAM_FINGERPRINT_BYTES) return ETS_OK;
    const uint64_t here = ets_program_fingerprint(program);
    const uint64_t there = ets_load_u64(told.data);
    inspection->is_other_program = here != there;
    if (here == there || inspection->options.allow_mismatch) return ETS_OK;
    char made_by[17], given[17];
    print_number(there, made_by);
    print_number(here, given);
    return ets_fail(
        error, ETS_MISMATCH, ETS_NO_OFFSET,
        "the trace was made by another program: its fingerprint is %s, this program has %s",
        made_by, given);
}

/* An event for which the tracer's begin and end were called around what it measures. */
static int is_paired(const struct ets_event_columns *columns, uint32_t event)
{
    return columns->kind[event] == ETS_EVENT_PROFILE && columns->delegate_id[event] == -1 &&
           columns->delegate_name[event] == 0;
}

static uint64_t pair_cost_q8(const struct ets_inspection *inspection)
{
    const uint64_t cost = inspection->has_extra ? inspection->facts.cost_ns_q8 : 0;
    return cost < MOST_COST_Q8 ? cost : MOST_COST_Q8;
}

/* What is to be taken off each event. An enclosing event comes after all that it encloses. */
static enum ets_status find_overheads(struct ets_inspection *inspection, struct ets_error *error)
{
    const struct ets_event_columns *columns = &inspection->events;
    const uint64_t cost = pair_cost_q8(inspection);
    if (cost == 0) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "the trace does not state the cost of tracing, so it cannot be subtracted; "
                        "etscope's tracer measures it");
    }
    uint32_t *inside = ets_arena_alloc_array(&inspection->arena, columns->count, sizeof *inside);
    uint64_t *taken = ets_arena_alloc_array(&inspection->arena, columns->count, sizeof *taken);
    if (inside == NULL || taken == NULL) return ets_fail_memory(error, "the events' costs");
    for (uint32_t e = 0; e < columns->count; e++) {
        if (!is_paired(columns, e)) continue;
        const uint32_t parent = columns->parent[e];
        if (parent != ETS_NO_INDEX) inside[parent] += inside[e] + 1;
        taken[e] = ((2 * (uint64_t)inside[e] + 1) * cost + 256) / 512; /* nearest */
    }
    inspection->overheads = taken;
    return ETS_OK;
}

enum ets_status ets_trace_facts_load(struct ets_inspection *inspection, int is_damaged,
                                     struct ets_error *error)
{
    if (inspection->has_extra) {
        ets_trace_extra_facts(&inspection->extra, &inspection->facts);
        /* What salvage found may be fewer runs than were numbered. */
        if (!is_damaged) read_runs(inspection);
        if (!is_damaged) ETS_TRY(read_tokens(inspection, error));
        ETS_TRY(check_program(inspection, error));
    }
    if (inspection->options.prompt > 0 && !tells_tokens(inspection)) {
        ETS_TRY(assume_prompt(inspection, error));
    }
    return inspection->options.subtract_overhead ? find_overheads(inspection, error) : ETS_OK;
}

int ets_run_may_lack_events(const struct ets_inspection *inspection, const struct ets_run *run)
{
    const struct ets_trace_facts *facts = &inspection->facts;
    const uint32_t matched = ETS_TRACE_METHODS | ETS_TRACE_OPERATORS | ETS_TRACE_DELEGATES;
    return run->is_partial || facts->state.dropped > 0 || facts->lost_frames > 0 ||
           (facts->filtered & matched) != 0;
}

const struct ets_trace_facts *ets_inspection_trace(const struct ets_inspection *inspection)
{
    return inspection->has_extra ? &inspection->facts : NULL;
}

uint32_t ets_inspection_pool_threads(const struct ets_inspection *inspection)
{
    const struct ets_trace_facts *facts = ets_inspection_trace(inspection);
    return facts == NULL ? 0 : facts->pool_threads;
}

enum ets_time_unit ets_inspection_tick_unit(const struct ets_inspection *inspection,
                                            int *is_known_out)
{
    if (is_known_out != NULL) *is_known_out = inspection->has_extra;
    if (!inspection->has_extra) return inspection->options.tick_unit;
    return inspection->told.is_in_cycles ? ETS_UNIT_CYCLES : ETS_UNIT_NS;
}

int ets_inspection_is_other_program(const struct ets_inspection *inspection)
{
    return inspection->is_other_program;
}

double ets_inspection_events_cost(const struct ets_inspection *inspection, uint32_t run)
{
    const struct ets_run *r = &inspection->runs[run];
    const uint64_t cost = pair_cost_q8(inspection);
    uint64_t pairs = 0;
    for (uint32_t e = r->first_event; e < r->first_event + r->event_count; e++) {
        pairs += is_paired(&inspection->events, e) ? 1 : 0;
    }
    return cost == 0 ? NAN : (double)pairs * (double)cost / 256;
}
