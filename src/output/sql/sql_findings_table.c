/* What to look at next, as a table: the findings that a report begins with. */
#include "output/sql/sql_tables.h"

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

static uint64_t finding_count(const struct ets_study *study)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < study->findings_count; i++) count += study->findings[i].found.count;
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
    const struct ets_study *study = cursor->study;
    const struct ets_studied_findings *of = study->findings;
    uint64_t number = cursor->row;
    while (number >= of->found.count) number -= of++->found.count;
    const struct ets_finding *finding = &of->found.items[number];
    const struct ets_studied_trace *trace =
        of->trace == ETS_NO_INDEX ? NULL : &study->traces[of->trace];
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
    .prepare = ets_study_findings,
    .count = finding_count,
    .cell = cell,
};
