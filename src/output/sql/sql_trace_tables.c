/* The tables of traces alone: traces, blocks, runs, events, allocations. */
#include "output/sql/sql_tables.h"
#include "views/operator_lines.h"

#define MEANING_TRACE "id in `traces`"
#define TIME_UNIT "in the trace's unit"

/* traces */

enum {
    TRACE_ID,
    TRACE_PATH,
    TRACE_UNIT,
    TRACE_RUNS,
    TRACE_EVENTS,
    TRACE_DAMAGES,
    TRACE_RECORD,
    TRACE_PROGRAM
};

/* clang-format off */
static const struct ets_sql_column trace_columns[] = {
    [TRACE_ID] = {"id", "INTEGER", "number of the trace, counted from 0"},
    [TRACE_PATH] = {"path", "TEXT", "path of the file, as given"},
    [TRACE_UNIT] = {"unit", "TEXT", "unit of all its times: ns, or cycles if the length of a tick is unknown"},
    [TRACE_RUNS] = {"runs", "INTEGER", "number of runs"},
    [TRACE_EVENTS] = {"events", "INTEGER", "number of events"},
    [TRACE_DAMAGES] = {"damages", "INTEGER", "number of parts that could not be read"},
    [TRACE_RECORD] = {"record", "INTEGER", "id in `records` of the ETRecord it was joined with"},
    [TRACE_PROGRAM] = {"program", "INTEGER", "id in `programs` of the program it was joined with"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t trace_count(const struct ets_study *study)
{
    return study->sources.trace_count;
}

static struct ets_datum trace_cell(struct ets_sql_cursor *cursor, int column)
{
    const struct ets_studied_trace *trace = &cursor->study->traces[cursor->row];
    switch (column) {
    case TRACE_ID: return ets_datum_integer((int64_t)cursor->row);
    case TRACE_PATH: return ets_datum_string(trace->source->path);
    case TRACE_UNIT: return ets_datum_string(ets_time_unit_name(trace->unit));
    case TRACE_RUNS: return ets_datum_integer(ets_inspection_run_count(trace->inspection));
    case TRACE_EVENTS: return ets_datum_integer(trace->events->count);
    case TRACE_DAMAGES: return ets_datum_integer(ets_inspection_damage_total(trace->inspection));
    case TRACE_RECORD: return ets_datum_index(trace->source->record, 0);
    default: return ets_datum_index(trace->source->program, 0);
    }
}

const struct ets_sql_table ets_sql_traces_table = {
    .name = "traces",
    .meaning = "Trace files, and what they were joined with.",
    .columns = trace_columns,
    .has_id = true,
    .count = trace_count,
    .cell = trace_cell,
};

/* blocks */

enum {
    BLOCK_ID,
    BLOCK_TRACE,
    BLOCK_NAME,
    BLOCK_METHOD,
    BLOCK_JOIN,
    BLOCK_REASON,
    BLOCK_CASE,
    BLOCK_STAGE,
    BLOCK_RUNS,
    BLOCK_WHOLE
};

/* clang-format off */
static const struct ets_sql_column block_columns[] = {
    [BLOCK_ID] = {"id", "INTEGER", "number of the block, counted from 0"},
    [BLOCK_TRACE] = {"trace", "INTEGER", MEANING_TRACE},
    [BLOCK_NAME] = {"name", "TEXT", "name of its runs: Execute, or Default for loading"},
    [BLOCK_METHOD] = {"method", "TEXT", "the method that ran; if it is ambiguous, all that fit"},
    [BLOCK_JOIN] = {"joined", "TEXT", "found: joined with an ETRecord or program; none, ambiguous, mismatch: not joined"},
    [BLOCK_REASON] = {"reason", "TEXT", "reason of a mismatch"},
    [BLOCK_CASE] = {"test_case", "INTEGER", "number of the test case of a bundled program"},
    [BLOCK_STAGE] = {"stage", "TEXT", "prefill, decode or encode, of a language model whose tokens are known"},
    [BLOCK_RUNS] = {"runs", "INTEGER", "number of runs"},
    [BLOCK_WHOLE] = {"whole", "INTEGER", "id in `operators` of the operator that stands for a whole run"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t block_count(const struct ets_study *study)
{
    return study->block_count;
}

static struct ets_datum block_cell(struct ets_sql_cursor *cursor, int column)
{
    static const char *const states[] = {"none", "found", "ambiguous", "mismatch"};
    const uint32_t index = ets_sql_at_block(cursor, (uint32_t)cursor->row);
    const struct ets_studied_trace *trace = cursor->trace;
    const struct ets_block *block = ets_inspection_block(trace->inspection, index);
    switch (column) {
    case BLOCK_ID: return ets_datum_integer((int64_t)cursor->row);
    case BLOCK_TRACE: return ets_sql_trace_number(cursor);
    case BLOCK_NAME: return ets_datum_text(block->name);
    case BLOCK_METHOD: return ets_datum_string(block->method);
    case BLOCK_JOIN: return ets_datum_string(states[block->method_state]);
    case BLOCK_REASON: return ets_datum_string(block->reason);
    case BLOCK_CASE: return ets_datum_unless_negative(block->bundled_input_index);
    case BLOCK_STAGE: return ets_datum_string(ets_run_stage_name(block->stage));
    case BLOCK_RUNS: return ets_datum_integer(block->run_count);
    default:
        return ets_datum_index(ets_operator_whole_row(trace->inspection, index),
                               trace->first_operator);
    }
}

const struct ets_sql_table ets_sql_blocks_table = {
    .name = "blocks",
    .meaning = "Runs with the same name, method, test case, stage and sequence of events.",
    .columns = block_columns,
    .has_id = true,
    .count = block_count,
    .cell = block_cell,
};

/* runs */

enum {
    RUN_ID,
    RUN_TRACE,
    RUN_NUMBER,
    RUN_BLOCK,
    RUN_NAME,
    RUN_METHOD,
    RUN_CASE,
    RUN_EVENTS,
    RUN_INVOCATION,
    RUN_PARTIAL,
    RUN_STAGE,
    RUN_TOKENS,
    RUN_POSITION,
    RUN_TIME
};

/* clang-format off */
static const struct ets_sql_column run_columns[] = {
    [RUN_ID] = {"id", "INTEGER", "number of the run, counted from 0"},
    [RUN_TRACE] = {"trace", "INTEGER", MEANING_TRACE},
    [RUN_NUMBER] = {"number", "INTEGER", "number of the run in its trace, counted from 0"},
    [RUN_BLOCK] = {"block", "INTEGER", "id in `blocks`"},
    [RUN_NAME] = {"name", "TEXT", "Execute, or Default for loading"},
    [RUN_METHOD] = {"method", "TEXT", "the method that ran"},
    [RUN_CASE] = {"test_case", "INTEGER", "number of the test case of a bundled program"},
    [RUN_EVENTS] = {"events", "INTEGER", "number of events"},
    [RUN_INVOCATION] = {"invocation", "INTEGER", "number of earlier runs of the method, if the trace states it"},
    [RUN_PARTIAL] = {"partial", "INTEGER", "1: its start was lost"},
    [RUN_STAGE] = {"stage", "TEXT", "prefill, decode or encode, of a language model whose tokens are known"},
    [RUN_TOKENS] = {"tokens", "INTEGER", "tokens that the run computed, if that is known"},
    [RUN_POSITION] = {"position", "INTEGER", "of the first of them in the generation, from 0"},
    [RUN_TIME] = {"time", "REAL", "time of the whole run, " TIME_UNIT},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t run_count(const struct ets_study *study)
{
    return study->run_count;
}

static struct ets_datum run_time(const struct ets_sql_cursor *cursor, const struct ets_run *run)
{
    const struct ets_studied_trace *trace = cursor->trace;
    const uint32_t whole = ets_operator_whole_row(trace->inspection, run->block);
    double ticks = 0;
    bool is_there = false;
    for (uint32_t i = run->first_event; i < run->first_event + run->event_count; i++) {
        if (whole == ETS_NO_INDEX || trace->events->row[i] != whole) continue;
        ticks += (double)ets_inspection_ticks(trace->inspection, i);
        is_there = true;
    }
    return is_there ? ets_sql_time(cursor, ticks) : ets_datum_nothing();
}

static struct ets_datum run_cell(struct ets_sql_cursor *cursor, int column)
{
    const uint32_t index = ets_sql_at_run(cursor, (uint32_t)cursor->row);
    const struct ets_studied_trace *trace = cursor->trace;
    const struct ets_run *run = ets_inspection_run(trace->inspection, index);
    const struct ets_block *block = ets_inspection_block(trace->inspection, run->block);
    switch (column) {
    case RUN_ID: return ets_datum_integer((int64_t)cursor->row);
    case RUN_TRACE: return ets_sql_trace_number(cursor);
    case RUN_NUMBER: return ets_datum_integer(index);
    case RUN_BLOCK: return ets_datum_index(run->block, trace->first_block);
    case RUN_NAME: return ets_datum_text(run->name);
    case RUN_METHOD:
        if (run->method.data != NULL) return ets_datum_text(run->method);
        return ets_datum_string(block->method_state == ETS_METHOD_FOUND ? block->method : NULL);
    case RUN_CASE: return ets_datum_unless_negative(run->bundled_input_index);
    case RUN_EVENTS: return ets_datum_integer(run->event_count);
    case RUN_INVOCATION:
        if (run->method.data == NULL) return ets_datum_nothing();
        return ets_datum_integer(run->invocation);
    case RUN_PARTIAL: return ets_datum_integer(run->is_partial != 0);
    case RUN_STAGE: return ets_datum_string(ets_run_stage_name(run->stage));
    case RUN_TOKENS: return run->tokens > 0 ? ets_datum_count(run->tokens) : ets_datum_nothing();
    case RUN_POSITION:
        return run->tokens > 0 ? ets_datum_count(run->position) : ets_datum_nothing();
    default: return run_time(cursor, run);
    }
}

const struct ets_sql_table ets_sql_runs_table = {
    .name = "runs",
    .meaning = "Loads and executions.",
    .columns = run_columns,
    .has_id = true,
    .count = run_count,
    .cell = run_cell,
};

/* events */

enum {
    EVENT_ID,
    EVENT_TRACE,
    EVENT_RUN,
    EVENT_OPERATOR,
    EVENT_PARENT,
    EVENT_KIND,
    EVENT_NAME,
    EVENT_CHAIN,
    EVENT_INSTRUCTION,
    EVENT_DELEGATE_ID,
    EVENT_START,
    EVENT_END,
    EVENT_TIME,
    EVENT_OFFSET,
    EVENT_METADATA
};

/* clang-format off */
static const struct ets_sql_column event_columns[] = {
    [EVENT_ID] = {"id", "INTEGER", "number of the event in logging order, counted from 0"},
    [EVENT_TRACE] = {"trace", "INTEGER", MEANING_TRACE},
    [EVENT_RUN] = {"run", "INTEGER", "id in `runs`"},
    [EVENT_OPERATOR] = {"operator", "INTEGER", "id in `operators` of the operator that it measures; null unless kind is profile"},
    [EVENT_PARENT] = {"parent", "INTEGER", "id of the event that encloses it"},
    [EVENT_KIND] = {"kind", "TEXT", "profile, debug (a captured value) or allocation"},
    [EVENT_NAME] = {"name", "TEXT", "name as logged; for a delegate's event its identifier"},
    [EVENT_CHAIN] = {"chain", "INTEGER", "number of the chain; null outside instructions"},
    [EVENT_INSTRUCTION] = {"instruction", "INTEGER", "number of the instruction in its chain"},
    [EVENT_DELEGATE_ID] = {"delegate_id", "INTEGER", "identifier of a delegate's events, if it is a number"},
    [EVENT_START] = {"start_ticks", "INTEGER", "first tick, as logged; null unless kind is profile"},
    [EVENT_END] = {"end_ticks", "INTEGER", "last tick, as logged; null unless kind is profile"},
    [EVENT_TIME] = {"time", "REAL", TIME_UNIT ", including the events inside; null if a delegate has its own clock"},
    [EVENT_OFFSET] = {"offset", "INTEGER", "position of the event in the file"},
    [EVENT_METADATA] = {"metadata", "TEXT", "metadata that the delegate attached to the event, in hexadecimal"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t event_count(const struct ets_study *study)
{
    return study->event_count;
}

static struct ets_datum event_name(const struct ets_studied_trace *trace, uint32_t index)
{
    const struct ets_event_table *events = trace->events;
    const struct ets_text name = ets_inspection_text(trace->inspection, events->name[index]);
    if (name.data != NULL) return ets_datum_text(name);
    return ets_datum_text(ets_inspection_text(trace->inspection, events->delegate_name[index]));
}

static struct ets_datum event_cell(struct ets_sql_cursor *cursor, int column)
{
    static const char *const kinds[] = {"profile", "debug", "allocation", "unknown"};
    const uint32_t index = ets_sql_at_event(cursor, (uint32_t)cursor->row);
    const struct ets_studied_trace *trace = cursor->trace;
    const struct ets_event_table *events = trace->events;
    const bool is_timed = events->kind[index] == ETS_EVENT_PROFILE;
    const bool is_inside = events->chain[index] >= 0;
    switch (column) {
    case EVENT_ID: return ets_datum_integer((int64_t)cursor->row);
    case EVENT_TRACE: return ets_sql_trace_number(cursor);
    case EVENT_RUN: return ets_datum_index(events->run[index], trace->first_run);
    case EVENT_OPERATOR: return ets_datum_index(events->row[index], trace->first_operator);
    case EVENT_PARENT: return ets_datum_index(events->parent[index], trace->first_event);
    case EVENT_KIND: return ets_datum_string(kinds[events->kind[index] & 3]);
    case EVENT_NAME: return event_name(trace, index);
    case EVENT_CHAIN: return ets_datum_unless_negative(events->chain[index]);
    case EVENT_INSTRUCTION:
        return ets_datum_unless_negative(is_inside ? events->instruction[index] : -1);
    case EVENT_DELEGATE_ID: return ets_datum_unless_negative(events->delegate_id[index]);
    case EVENT_OFFSET: return ets_datum_integer((int64_t)events->payload_at[index]);
    case EVENT_METADATA:
        return ets_sql_hexadecimal(cursor, ets_inspection_metadata(trace->inspection, index));
    default: break;
    }
    if (!is_timed) return ets_datum_nothing();
    if (column == EVENT_START) return ets_datum_integer((int64_t)events->start[index]);
    if (column == EVENT_END) return ets_datum_integer((int64_t)events->end[index]);
    const struct ets_row *row = ets_inspection_row(trace->inspection, events->row[index]);
    if (ets_row_has_own_clock(row)) return ets_datum_nothing();
    return ets_sql_time(cursor, (double)ets_inspection_ticks(trace->inspection, index));
}

static struct ets_sql_cursor cursor_of(const struct ets_study *study)
{
    return (struct ets_sql_cursor){.study = (struct ets_study *)(uintptr_t)study};
}

static struct ets_sql_range events_of_run(const struct ets_study *study, int64_t run)
{
    struct ets_sql_cursor cursor = cursor_of(study);
    if (run < 0 || run >= study->run_count) return (struct ets_sql_range){.end = 0};
    const uint32_t index = ets_sql_at_run(&cursor, (uint32_t)run);
    const struct ets_run *r = ets_inspection_run(cursor.trace->inspection, index);
    const uint64_t first = (uint64_t)cursor.trace->first_event + r->first_event;
    return (struct ets_sql_range){.first = first, .end = first + r->event_count};
}

static struct ets_sql_range events_of_operator(const struct ets_study *study, int64_t row)
{
    struct ets_sql_cursor cursor = cursor_of(study);
    const uint32_t *events;
    uint32_t count;
    if (row < 0 || row >= study->operator_count) return (struct ets_sql_range){.end = 0};
    const uint32_t index = ets_sql_at_operator(&cursor, (uint32_t)row);
    ets_inspection_row_events(cursor.trace->inspection, index, &events, &count);
    return (struct ets_sql_range){.end = count, .list = events, .base = cursor.trace->first_event};
}

static struct ets_sql_range events_of_trace(const struct ets_study *study, int64_t number)
{
    if (number < 0 || number >= study->sources.trace_count) return (struct ets_sql_range){.end = 0};
    const struct ets_studied_trace *trace = &study->traces[number];
    return (struct ets_sql_range){.first = trace->first_event,
                                  .end = (uint64_t)trace->first_event + trace->events->count};
}

static uint64_t operator_count(const struct ets_study *study)
{
    return study->operator_count;
}

#define EVENT_LOOKUPS                                                                        \
    {                                                                                        \
        {"run", events_of_run, run_count}, {"operator", events_of_operator, operator_count}, \
        {                                                                                    \
            "trace", events_of_trace, trace_count                                            \
        }                                                                                    \
    }

const struct ets_sql_table ets_sql_events_table = {
    .name = "events",
    .meaning = "All logged events.",
    .columns = event_columns,
    .has_id = true,
    .count = event_count,
    .cell = event_cell,
    .lookups = EVENT_LOOKUPS,
    .indexed = {"run", "operator"},
};

/* allocations */

enum {
    ALLOCATION_ID,
    ALLOCATION_TRACE,
    ALLOCATION_RUN,
    ALLOCATION_NUMBER,
    ALLOCATION_NAME,
    ALLOCATION_BYTES,
    ALLOCATION_CURRENT,
    ALLOCATION_INSTRUCTION
};

/* clang-format off */
static const struct ets_sql_column allocation_columns[] = {
    [ALLOCATION_ID] = {"id", "INTEGER", "id in `events`"},
    [ALLOCATION_TRACE] = {"trace", "INTEGER", MEANING_TRACE},
    [ALLOCATION_RUN] = {"run", "INTEGER", "id in `runs`"},
    [ALLOCATION_NUMBER] = {"allocator", "INTEGER", "number of the allocator in its run, counted from 1"},
    [ALLOCATION_NAME] = {"name", "TEXT", "name of the allocator"},
    [ALLOCATION_BYTES] = {"bytes", "INTEGER", "requested size"},
    [ALLOCATION_CURRENT] = {"current", "INTEGER", "bytes handed out by the allocator in its run so far; an ETDump does not record what is returned"},
    [ALLOCATION_INSTRUCTION] = {"instruction", "INTEGER", "instruction during which it was allocated: that of the event which ends next"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static bool allocation_has(struct ets_sql_cursor *cursor)
{
    const uint32_t index = ets_sql_at_event(cursor, (uint32_t)cursor->row);
    return cursor->trace->events->kind[index] == ETS_EVENT_ALLOCATION;
}

static struct ets_datum allocation_cell(struct ets_sql_cursor *cursor, int column)
{
    const uint32_t index = ets_sql_at_event(cursor, (uint32_t)cursor->row);
    struct ets_studied_trace *trace = cursor->trace;
    if (!ets_study_allocations(cursor->study, trace)) return ets_datum_no_memory();
    const struct ets_allocation_event *event = ets_allocation_event_find(trace->allocations, index);
    const struct ets_allocator_use *use = &trace->allocations->allocators[event->allocator];
    switch (column) {
    case ALLOCATION_ID: return ets_datum_integer((int64_t)cursor->row);
    case ALLOCATION_TRACE: return ets_sql_trace_number(cursor);
    case ALLOCATION_RUN: return ets_datum_index(event->run, trace->first_run);
    case ALLOCATION_NUMBER: return ets_datum_integer(use->number);
    case ALLOCATION_NAME: return ets_datum_text(use->name);
    case ALLOCATION_BYTES: return ets_datum_integer((int64_t)event->bytes);
    case ALLOCATION_CURRENT: return ets_datum_integer((int64_t)event->current);
    default: return ets_datum_unless_negative(event->chain < 0 ? -1 : event->instruction);
    }
}

const struct ets_sql_table ets_sql_allocations_table = {
    .name = "allocations",
    .meaning = "Memory that runs allocated.",
    .columns = allocation_columns,
    .has_id = true,
    .count = event_count,
    .has = allocation_has,
    .cell = allocation_cell,
    .lookups = {{"run", events_of_run, run_count}, {"trace", events_of_trace, trace_count}},
    .indexed = {"run"},
};
