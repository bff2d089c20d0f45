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
    VIEW
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

static bool find(struct ets_sql_data *data, struct ets_sql_findings *of)
{
    const struct ets_memory_options order = {.delegation = NULL};
    const struct ets_memory_plan *plan;
    const bool has_trace = of->trace != ETS_NO_INDEX;
    const bool has_bytes =
        of->program != ETS_NO_INDEX && (!has_trace || is_first_of_program(data, of->trace));
    if (!find_plan(data, of, &plan)) return false;
    if (plan != NULL) {
        struct ets_memory_lines *lines = ets_arena_alloc(&data->arena, sizeof *lines);
        if (lines == NULL || !ets_memory_lines_collect(&data->arena, plan, &order, lines)) {
            return false;
        }
        of->memory = lines;
    }
    const uint32_t record = has_trace ? data->sources.traces[of->trace].record : ETS_NO_INDEX;
    const struct ets_findings_subject subject = {
        .record = record != ETS_NO_INDEX ? data->sources.records[record].record : NULL,
        .inspection = has_trace ? data->traces[of->trace].inspection : NULL,
        .memory = of->memory,
        .bytes = has_bytes ? data->byte_maps[of->program] : NULL,
        .gap = has_trace && data->gaps != NULL ? data->gaps[of->trace] : NULL};
    return ets_findings_collect(&data->arena, &subject, &of->found);
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
    bool ok = all != NULL;
    for (uint32_t i = 0; ok && i < sources->trace_count; i++) {
        all[count] = (struct ets_sql_findings){.trace = i, .program = sources->traces[i].program};
        ok = find(data, &all[count++]);
    }
    for (uint32_t i = 0; ok && i < sources->program_count; i++) {
        if (has_trace_of(data, i)) continue;
        all[count] = (struct ets_sql_findings){.trace = ETS_NO_INDEX, .program = i};
        ok = find(data, &all[count++]);
    }
    if (!ok) return ets_fail_memory(error, "the findings");
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
    default: return ets_sql_string(finding->view);
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
