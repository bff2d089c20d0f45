/* What a trace tells of memory, as counted where the program ran: owners, instructions, process. */
#include "output/sql/sql_tables.h"

static struct ets_datum amount(uint64_t bytes)
{
    return bytes == ETS_MEMORY_UNKNOWN ? ets_datum_nothing() : ets_datum_integer((int64_t)bytes);
}

/* Points the cursor at the trace that holds its row, of those that `count` counts; the place. */
static uint32_t find_trace(struct ets_sql_cursor *cursor,
                           uint32_t (*count)(const struct ets_recorded_memory *memory))
{
    uint64_t left = cursor->row;
    for (uint32_t i = 0;; i++) {
        cursor->trace = &cursor->study->traces[i];
        const uint32_t own = count(&cursor->trace->memory);
        if (left < own) return (uint32_t)left;
        left -= own;
    }
}

/* held_memory */

enum {
    HELD_ID,
    HELD_TRACE,
    HELD_METHOD,
    HELD_OWNER,
    HELD_BACKEND,
    HELD_INDEX,
    HELD_PHASE,
    HELD_BYTES,
    HELD_TOUCHED,
    HELD_COUNT,
    HELD_POOL,
    HELD_ALIGNMENT,
    HELD_RUNS,
    HELD_CHAIN,
    HELD_INSTRUCTION,
    HELD_PART,
    HELD_THREADS,
    HELD_PROCESSOR
};

/* clang-format off */
static const struct ets_sql_column held_columns[] = {
    [HELD_ID] = {"id", "INTEGER", "number of the row, from 0"},
    [HELD_TRACE] = {"trace", "INTEGER", "of `traces`"},
    [HELD_METHOD] = {"method", "TEXT", "whose memory it is; null: the program's own files"},
    [HELD_OWNER] = {"owner", "TEXT", "program, data files, method, planned, temporary, inputs, outputs, heap, stack"},
    [HELD_BACKEND] = {"backend", "TEXT", "of delegates, where they took it of the method or temporary allocator"},
    [HELD_INDEX] = {"memory_id", "INTEGER", "of a planned buffer"},
    [HELD_PHASE] = {"phase", "TEXT", "load or run, where the two are told apart"},
    [HELD_BYTES] = {"bytes", "INTEGER", "at most at once"},
    [HELD_TOUCHED] = {"touched_bytes", "INTEGER", "of a planned buffer in pages that were used; null: not known"},
    [HELD_COUNT] = {"allocations", "INTEGER", "in all; of inputs and outputs, values"},
    [HELD_POOL] = {"pool_bytes", "INTEGER", "with which the allocator had had enough, for all that take of it"},
    [HELD_ALIGNMENT] = {"alignment", "INTEGER", "the largest that was asked for"},
    [HELD_RUNS] = {"runs", "INTEGER", "in which it was counted, warm-up too"},
    [HELD_CHAIN] = {"chain", "INTEGER", "of the instruction that took most"},
    [HELD_INSTRUCTION] = {"instruction", "INTEGER", "that took most"},
    [HELD_PART] = {"part", "TEXT", "of a stack: calling thread, or pool's threads, of which bytes is the most of one"},
    [HELD_THREADS] = {"threads", "INTEGER", "of a stack: how many"},
    [HELD_PROCESSOR] = {"processor", "TEXT", "that a stack was measured on, as x86_64; others take more or less"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t held_count(const struct ets_study *study)
{
    return study->held_count;
}

static uint32_t held_of(const struct ets_recorded_memory *memory)
{
    return memory->held_count;
}

static struct ets_datum held_cell(struct ets_sql_cursor *cursor, int column)
{
    static const char *const phases[] = {NULL, "load", "run"};
    const uint32_t index = find_trace(cursor, held_of);
    const struct ets_held_memory *held = &cursor->trace->memory.held[index];
    const bool is_planned = held->owner == ETS_MEMORY_PLANNED;
    const bool is_stack = held->owner == ETS_MEMORY_STACK;
    switch (column) {
    case HELD_ID: return ets_datum_integer((int64_t)cursor->row);
    case HELD_TRACE: return ets_sql_trace_number(cursor);
    case HELD_METHOD: return ets_datum_text(held->method);
    case HELD_OWNER: return ets_datum_string(ets_memory_owner_name(held->owner));
    case HELD_BACKEND: return ets_datum_text(held->backend);
    case HELD_INDEX:
        return is_planned ? ets_datum_integer((int64_t)held->index + 1) : ets_datum_nothing();
    case HELD_PHASE: return ets_datum_string(phases[held->phase]);
    case HELD_BYTES: return amount(held->bytes);
    case HELD_TOUCHED: return amount(held->touched);
    case HELD_COUNT: return is_stack ? ets_datum_nothing() : amount(held->count);
    case HELD_PART: return ets_datum_string(ets_stack_threads_name(held));
    case HELD_THREADS: return is_stack ? amount(held->count) : ets_datum_nothing();
    case HELD_PROCESSOR: return ets_datum_text(held->processor);
    case HELD_POOL: return held->pool_bytes == 0 ? ets_datum_nothing() : amount(held->pool_bytes);
    case HELD_ALIGNMENT:
        return held->alignment == 0 ? ets_datum_nothing() : ets_datum_integer(held->alignment);
    case HELD_RUNS: return held->runs == 0 ? ets_datum_nothing() : ets_datum_integer(held->runs);
    case HELD_CHAIN: return ets_datum_unless_negative(held->chain);
    default: return held->chain < 0 ? ets_datum_nothing() : ets_datum_integer(held->instruction);
    }
}

const struct ets_sql_table ets_sql_held_memory_table = {
    .name = "held_memory",
    .meaning = "Who held how much memory, where the run was counted.",
    .columns = held_columns,
    .has_id = true,
    .count = held_count,
    .cell = held_cell,
};

/* temporary_memory */

enum {
    STEP_ID,
    STEP_TRACE,
    STEP_METHOD,
    STEP_CHAIN,
    STEP_INSTRUCTION,
    STEP_BYTES,
    STEP_COUNT,
    STEP_RUNS
};

/* clang-format off */
static const struct ets_sql_column step_columns[] = {
    [STEP_ID] = {"id", "INTEGER", "number of the row, from 0"},
    [STEP_TRACE] = {"trace", "INTEGER", "of `traces`"},
    [STEP_METHOD] = {"method", "TEXT", "that ran"},
    [STEP_CHAIN] = {"chain", "INTEGER", "null outside of any instruction"},
    [STEP_INSTRUCTION] = {"instruction", "INTEGER", "in its chain"},
    [STEP_BYTES] = {"bytes", "INTEGER", "that it took at most"},
    [STEP_COUNT] = {"allocations", "INTEGER", "over all runs"},
    [STEP_RUNS] = {"runs", "INTEGER", "of the method, warm-up too"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t step_count(const struct ets_study *study)
{
    return study->step_count;
}

static uint32_t steps_of(const struct ets_recorded_memory *memory)
{
    return memory->step_count;
}

static struct ets_datum step_cell(struct ets_sql_cursor *cursor, int column)
{
    const uint32_t index = find_trace(cursor, steps_of);
    const struct ets_step_memory *step = &cursor->trace->memory.steps[index];
    switch (column) {
    case STEP_ID: return ets_datum_integer((int64_t)cursor->row);
    case STEP_TRACE: return ets_sql_trace_number(cursor);
    case STEP_METHOD: return ets_datum_text(step->method);
    case STEP_CHAIN: return ets_datum_unless_negative(step->chain);
    case STEP_INSTRUCTION:
        return step->chain < 0 ? ets_datum_nothing() : ets_datum_integer(step->instruction);
    case STEP_BYTES: return amount(step->bytes);
    case STEP_COUNT: return amount(step->count);
    default: return ets_datum_integer(step->runs);
    }
}

const struct ets_sql_table ets_sql_temporary_memory_table = {
    .name = "temporary_memory",
    .meaning = "What instructions took of the temporary allocator, where that was counted.",
    .columns = step_columns,
    .has_id = true,
    .count = step_count,
    .cell = step_cell,
};

/* process_memory */

enum {
    MOMENT_ID,
    MOMENT_TRACE,
    MOMENT_METHOD,
    MOMENT_NAME,
    MOMENT_RESIDENT,
    MOMENT_FILES,
    MOMENT_HEAP
};

/* clang-format off */
static const struct ets_sql_column moment_columns[] = {
    [MOMENT_ID] = {"id", "INTEGER", "number of the row, from 0"},
    [MOMENT_TRACE] = {"trace", "INTEGER", "of `traces`"},
    [MOMENT_METHOD] = {"method", "TEXT", "that was loaded and ran"},
    [MOMENT_NAME] = {"moment", "TEXT", "before load, after load, before runs, after first run, at the end, peak of load, peak of first run"},
    [MOMENT_RESIDENT] = {"resident_bytes", "INTEGER", "of the process in memory; null: not known"},
    [MOMENT_FILES] = {"file_bytes", "INTEGER", "of them, those that a file is behind"},
    [MOMENT_HEAP] = {"heap_bytes", "INTEGER", "that malloc has handed out, without the tracer's; null: not known"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t moment_count(const struct ets_study *study)
{
    return study->moment_count;
}

static uint32_t moments_of(const struct ets_recorded_memory *memory)
{
    return memory->process_count;
}

static struct ets_datum moment_cell(struct ets_sql_cursor *cursor, int column)
{
    const uint32_t index = find_trace(cursor, moments_of);
    const struct ets_process_memory *process = &cursor->trace->memory.process[index];
    switch (column) {
    case MOMENT_ID: return ets_datum_integer((int64_t)cursor->row);
    case MOMENT_TRACE: return ets_sql_trace_number(cursor);
    case MOMENT_METHOD: return ets_datum_text(process->method);
    case MOMENT_NAME: return ets_datum_string(ets_memory_moment_name(process->moment));
    case MOMENT_RESIDENT: return amount(process->resident);
    case MOMENT_FILES: return amount(process->of_files);
    default: return amount(process->heap);
    }
}

const struct ets_sql_table ets_sql_process_memory_table = {
    .name = "process_memory",
    .meaning = "The process around a method's load and runs, where memory was counted.",
    .columns = moment_columns,
    .has_id = true,
    .count = moment_count,
    .cell = moment_cell,
};
