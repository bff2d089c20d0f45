/* What to look at next, as a table: the findings that a report begins with. */
#include "base/error.h"
#include "base/text.h"
#include "memory/memory_plan.h"
#include "output/sql/sql_tables.h"
#include "views/timed_blocks.h"

enum {
    ID,
    TRACE,
    PROGRAM,
    KIND,
    SEVERITY,
    SHARE,
    SHARE_UPPER,
    SENTENCE,
    METHOD,
    BLOCK,
    OPERATOR,
    PLACE,
    VIEW,
    MODULE,
    LINES,
    INSTRUCTIONS,
    ACTION,
    SAVING,
    SAVING_UPPER,
    SAVED_BYTES,
    BASIS,
    CONFIDENCE,
    EVIDENCE,
    DOUBT
};

/* clang-format off */
static const struct ets_sql_column columns[] = {
    [ID] = {"id", "INTEGER", "number of the finding, from 0: of a trace the bad first, then notes, then what is good; in these what takes the most time first"},
    [TRACE] = {"trace", "INTEGER", "id in `traces`; null: about a program without a trace"},
    [PROGRAM] = {"program", "INTEGER", "id in `programs`; null: the trace has none"},
    [KIND] = {"kind", "TEXT", "name of the rule, such as between_operators, duplicates, lost_events"},
    [SEVERITY] = {"severity", "TEXT", "bad, note or good"},
    [SHARE] = {"share", "REAL", "part of a run of its method, 0 to 1; null: not a time"},
    [SHARE_UPPER] = {"share_upper", "REAL", "upper bound of the share"},
    [SENTENCE] = {"sentence", "TEXT", "the finding in words"},
    [METHOD] = {"method", "TEXT", "the method it is about; null: all of them, or not known"},
    [BLOCK] = {"block", "INTEGER", "id in `blocks`; null: none, or several"},
    [OPERATOR] = {"operator", "INTEGER", "id in `operators`; null: none, or several"},
    [PLACE] = {"place", "TEXT", "operator, module or line it is about; null: see the sentence"},
    [VIEW] = {"view", "TEXT", "view of a report that shows it"},
    [MODULE] = {"module", "TEXT", "first module it is about; null: none, or not known"},
    [LINES] = {"source_lines", "INTEGER", "how many source lines it is about; the first is `place`"},
    [INSTRUCTIONS] = {"instructions", "INTEGER", "how many instructions it is about"},
    [ACTION] = {"action", "TEXT", "what to change; null: it is an observation"},
    [SAVING] = {"saving", "REAL", "what a change saves of a run at least, in nanoseconds or cycles as in `runs`; null: not a time, or not known"},
    [SAVING_UPPER] = {"saving_upper", "REAL", "the upper end of what it saves"},
    [SAVED_BYTES] = {"saved_bytes", "INTEGER", "bytes that a change saves; null: not bytes"},
    [BASIS] = {"basis", "TEXT", "what the saving is known from: removed (measured time of what goes away), bound (no more than this), file or memory (bytes); null: none"},
    [CONFIDENCE] = {"confidence", "TEXT", "high (the files decide it), medium (so by the rules of a known version) or low (worth a try); null: an observation"},
    [EVIDENCE] = {"evidence", "TEXT", "the numbers that it rests on"},
    [DOUBT] = {"doubt", "TEXT", "what would make it wrong; null: nothing known"},
    {NULL, NULL, NULL},
};
/* clang-format on */

/* The method that ran longest in a trace; NULL: not known. */
static bool find_longest(struct ets_sql_data *data, const struct ets_sql_trace_data *trace,
                         const char **method_out)
{
    struct ets_timed_blocks blocks;
    *method_out = NULL;
    if (!ets_timed_blocks_find(&data->arena, trace->inspection, ETS_NO_INDEX, ETS_NO_INDEX, 0,
                               &blocks)) {
        return false;
    }
    if (blocks.count == 0) return true;
    *method_out = ets_inspection_block(trace->inspection, blocks.items[0].block)->method;
    return true;
}

/* The plan of the method that ran longest; without a trace, of the one that takes most. */
static bool find_plan(struct ets_sql_data *data, const struct ets_sql_findings *of,
                      const struct ets_memory_plan **plan_out)
{
    const char *longest = NULL;
    *plan_out = NULL;
    if (of->trace != ETS_NO_INDEX) {
        if (!find_longest(data, &data->traces[of->trace], &longest)) return false;
        if (longest == NULL) return true;
    }
    for (uint32_t i = 0; i < data->method_count; i++) {
        const struct ets_memory_plan *plan;
        if (data->methods[i].program != of->program) continue;
        if (longest != NULL && !ets_text_is(data->methods[i].method.name, longest)) continue;
        if (!ets_sql_data_plan(data, i, &plan)) return false;
        const struct ets_memory_plan *most = *plan_out;
        if (plan == NULL || (most != NULL && plan->planned_bytes <= most->planned_bytes)) continue;
        *plan_out = plan;
    }
    return true;
}

/* Whether the trace is the first of its program: what several have in common is said once. */
static bool is_first_of_program(const struct ets_sql_data *data, uint32_t trace)
{
    for (uint32_t i = 0; i < trace; i++) {
        if (data->sources.traces[i].program == data->sources.traces[trace].program) return false;
    }
    return true;
}

static uint32_t record_of(const struct ets_sql_data *data, const struct ets_sql_findings *of)
{
    if (of->trace != ETS_NO_INDEX) return data->sources.traces[of->trace].record;
    return ets_sql_data_record_of(data, of->program);
}

static enum ets_status find(struct ets_sql_data *data, struct ets_sql_findings *of,
                            struct ets_error *error)
{
    const struct ets_memory_options order = {.delegation = NULL};
    const struct ets_memory_plan *plan;
    const bool has_trace = of->trace != ETS_NO_INDEX;
    const bool has_bytes =
        of->program != ETS_NO_INDEX && (!has_trace || is_first_of_program(data, of->trace));
    if (!find_plan(data, of, &plan)) return ets_fail_memory(error, "the findings");
    if (plan != NULL) {
        struct ets_memory_lines *lines = ets_arena_alloc(&data->arena, sizeof *lines);
        if (lines == NULL || !ets_memory_lines_collect(&data->arena, plan, &order, lines)) {
            return ets_fail_memory(error, "the findings");
        }
        of->memory = lines;
    }
    const uint32_t record = record_of(data, of);
    if (has_trace && data->sources.machine != NULL &&
        !ets_sql_data_headrooms(data, &data->traces[of->trace])) {
        return ets_fail_memory(error, "the findings");
    }
    const struct ets_findings_subject subject = {
        .inspection = has_trace ? data->traces[of->trace].inspection : NULL,
        .program = of->program == ETS_NO_INDEX ? NULL : data->sources.programs[of->program].program,
        .record = record == ETS_NO_INDEX ? NULL : data->sources.records[record].record,
        .memory = of->memory,
        .bytes = has_bytes ? data->byte_maps[of->program] : NULL,
        .headrooms = has_trace ? data->traces[of->trace].headrooms : NULL,
        .words = data->words,
        .one_thread = has_trace ? data->one_thread : NULL,
        .gap = has_trace && data->gaps != NULL ? data->gaps[of->trace] : NULL};
    return ets_findings_collect(&data->arena, &subject, &of->found, error);
}

static bool has_trace_of(const struct ets_sql_data *data, uint32_t program)
{
    for (uint32_t i = 0; i < data->sources.trace_count; i++) {
        if (data->sources.traces[i].program == program) return true;
    }
    return false;
}

enum ets_status ets_sql_data_findings(struct ets_sql_data *data, struct ets_error *error)
{
    const struct ets_sql_sources *sources = &data->sources;
    uint32_t count = 0;
    if (data->findings != NULL) return ETS_OK;
    ETS_TRY(ets_sql_data_byte_maps(data, error));
    const size_t most = (size_t)sources->trace_count + sources->program_count + 1;
    struct ets_sql_findings *all = ets_arena_alloc_array(&data->arena, most, sizeof *all);
    if (all == NULL) return ets_fail_memory(error, "the findings");
    for (uint32_t i = 0; i < sources->trace_count; i++) {
        all[count] = (struct ets_sql_findings){.trace = i, .program = sources->traces[i].program};
        ETS_TRY(find(data, &all[count++], error));
    }
    for (uint32_t i = 0; i < sources->program_count; i++) {
        if (has_trace_of(data, i)) continue;
        all[count] = (struct ets_sql_findings){.trace = ETS_NO_INDEX, .program = i};
        ETS_TRY(find(data, &all[count++], error));
    }
    data->findings = all;
    data->findings_count = count;
    return ETS_OK;
}

static uint64_t finding_count(const struct ets_sql_data *data)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < data->findings_count; i++) count += data->findings[i].found.count;
    return count;
}

/* What to change; `tick`: of the trace. */
static struct ets_sql_value advice_cell(const struct ets_finding *finding, int column, double tick)
{
    switch (column) {
    case MODULE: return ets_sql_text(ets_finding_module(finding));
    case LINES: return ets_sql_integer(finding->frame_count);
    case INSTRUCTIONS: return ets_sql_integer(finding->instruction_count);
    case ACTION: return ets_sql_text(finding->action);
    case SAVING: return ets_sql_real(finding->saving.ticks.lower * tick);
    case SAVING_UPPER: return ets_sql_real(finding->saving.ticks.upper * tick);
    case SAVED_BYTES:
        return finding->saving.bytes == 0 ? ets_sql_null()
                                          : ets_sql_integer((int64_t)finding->saving.bytes);
    case BASIS: return ets_sql_string(ets_saving_basis_name(finding->saving.basis));
    case CONFIDENCE: return ets_sql_string(ets_confidence_name(finding->confidence));
    case EVIDENCE: return ets_sql_text(finding->evidence);
    default: return ets_sql_string(finding->doubt);
    }
}

static struct ets_sql_value cell(struct ets_sql_cursor *cursor, int column)
{
    const struct ets_sql_data *data = cursor->data;
    const struct ets_sql_findings *of = data->findings;
    uint64_t number = cursor->row;
    while (number >= of->found.count) number -= of++->found.count;
    const struct ets_finding *finding = &of->found.items[number];
    const struct ets_sql_trace_data *trace =
        of->trace == ETS_NO_INDEX ? NULL : &data->traces[of->trace];
    switch (column) {
    case ID: return ets_sql_integer((int64_t)cursor->row);
    case TRACE: return ets_sql_index(of->trace, 0);
    case PROGRAM: return ets_sql_index(of->program, 0);
    case KIND: return ets_sql_string(finding->kind);
    case SEVERITY: return ets_sql_string(ets_severity_name(finding->severity));
    case SHARE: return ets_sql_real(finding->share.lower);
    case SHARE_UPPER: return ets_sql_real(finding->share.upper);
    case SENTENCE: return ets_sql_text(finding->sentence);
    case METHOD: return ets_sql_text(finding->method);
    case BLOCK: return ets_sql_index(finding->block, trace == NULL ? 0 : trace->first_block);
    case OPERATOR: return ets_sql_index(finding->row, trace == NULL ? 0 : trace->first_operator);
    case PLACE: return ets_sql_text(finding->place);
    case VIEW: return ets_sql_string(finding->view);
    default: return advice_cell(finding, column, trace == NULL ? 0 : trace->tick);
    }
}

const struct ets_sql_table ets_sql_findings_table = {
    .name = "findings",
    .meaning = "What to look at next, as a report begins with it.",
    .columns = columns,
    .has_id = true,
    .prepare = ets_sql_data_findings,
    .count = finding_count,
    .cell = cell,
};
