/* The tables of operators with their times, and of their nodes. */
#include "base/text.h"
#include "etscope/experimental/row_filter.h"
#include "inspect/time_details.h"
#include "output/sql/sql_tables.h"
#include "views/metadata_text.h"
#include "views/operator_rows.h"
#include "views/places.h"
#include "views/work.h"

enum {
    OP_ID,
    OP_TRACE,
    OP_BLOCK,
    OP_PARENT,
    OP_DEPTH,
    OP_CHILDREN,
    OP_NAME,
    OP_EVENT,
    OP_KERNEL,
    OP_CHAIN,
    OP_INSTRUCTION,
    OP_DELEGATE_ID,
    OP_DELEGATED,
    OP_BACKEND,
    OP_SOURCE,
    OP_MODULE,
    OP_OPS,
    OP_HANDLES,
    OP_INFERRED,
    OP_TIE,
    OP_CALLS,
    OP_RUNS,
    OP_AVG,
    OP_AVG_UPPER,
    OP_MID,
    OP_MID_UPPER,
    OP_P10,
    OP_P10_UPPER,
    OP_P50,
    OP_P50_UPPER,
    OP_P90,
    OP_P90_UPPER,
    OP_MIN,
    OP_MIN_UPPER,
    OP_MAX,
    OP_MAX_UPPER,
    OP_TOTAL,
    OP_TOTAL_UPPER,
    OP_SELF,
    OP_SELF_UPPER,
    OP_SELF_MID,
    OP_SELF_MID_UPPER,
    OP_RESOLUTION,
    OP_CLOCK,
    OP_OWN_TICKS,
    OP_OPERATION,
    OP_METADATA
};

#define UPPER "its upper bound; equal: it is exact"
/* clang-format off */
static const struct ets_sql_column columns[] = {
    [OP_ID] = {"id", "INTEGER", "number of the operator, counted from 0"},
    [OP_TRACE] = {"trace", "INTEGER", "id in `traces`"},
    [OP_BLOCK] = {"block", "INTEGER", "id in `blocks`"},
    [OP_PARENT] = {"parent", "INTEGER", "id of the operator that encloses it, whose time includes its time"},
    [OP_DEPTH] = {"depth", "INTEGER", "nesting depth; 0: outermost"},
    [OP_CHILDREN] = {"children", "INTEGER", "number of operators directly inside"},
    [OP_NAME] = {"name", "TEXT", "short name: addmm.out, DELEGATE_CALL, a delegate's operator"},
    [OP_EVENT] = {"event", "TEXT", "name of its events"},
    [OP_KERNEL] = {"kernel", "TEXT", "the program's operator, such as aten::add.out"},
    [OP_CHAIN] = {"chain", "INTEGER", "number of the chain; null outside instructions"},
    [OP_INSTRUCTION] = {"instruction", "INTEGER", "number of the instruction in its chain"},
    [OP_DELEGATE_ID] = {"delegate_id", "INTEGER", "identifier of a delegate's events, if it is a number"},
    [OP_DELEGATED] = {"delegated", "INTEGER", "1: reported by a delegate"},
    [OP_BACKEND] = {"backend", "TEXT", "backend, such as XnnpackBackend"},
    [OP_SOURCE] = {"source", "TEXT", "source lines, file:line, joined by \", \"; without any, those of the enclosing operator"},
    [OP_MODULE] = {"module", "TEXT", "module paths, likewise"},
    [OP_OPS] = {"op_types", "TEXT", "distinct operators of its nodes, joined by \", \""},
    [OP_HANDLES] = {"debug_handles", "TEXT", "debug handles as a JSON array"},
    [OP_INFERRED] = {"inferred", "INTEGER", "1: joined by the order of operators"},
    [OP_TIE] = {"tie", "TEXT", "how a delegate's operator was identified: map, node, near, or call (only its call is known)"},
    [OP_CALLS] = {"calls", "INTEGER", "number of events in one run"},
    [OP_RUNS] = {"runs", "INTEGER", "number of runs that the times cover"},
    [OP_AVG] = {"avg", "REAL", "mean of its time per run, all calls added up"},
    [OP_AVG_UPPER] = {"avg_upper", "REAL", UPPER},
    [OP_MID] = {"mid", "REAL", "mean over the middle half of the runs, ordered by their total time; shares are fractions of the mid of the whole run"},
    [OP_MID_UPPER] = {"mid_upper", "REAL", UPPER},
    [OP_P10] = {"p10", "REAL", "quantile, by linear interpolation"},
    [OP_P10_UPPER] = {"p10_upper", "REAL", UPPER},
    [OP_P50] = {"p50", "REAL", "median, likewise"},
    [OP_P50_UPPER] = {"p50_upper", "REAL", UPPER},
    [OP_P90] = {"p90", "REAL", "quantile, likewise"},
    [OP_P90_UPPER] = {"p90_upper", "REAL", UPPER},
    [OP_MIN] = {"min", "REAL", "shortest time per run"},
    [OP_MIN_UPPER] = {"min_upper", "REAL", UPPER},
    [OP_MAX] = {"max", "REAL", "longest time per run"},
    [OP_MAX_UPPER] = {"max_upper", "REAL", UPPER},
    [OP_TOTAL] = {"total", "REAL", "sum over all runs"},
    [OP_TOTAL_UPPER] = {"total_upper", "REAL", UPPER},
    [OP_SELF] = {"self", "REAL", "avg minus that of the operators inside; adds up to the whole run, within its bounds"},
    [OP_SELF_UPPER] = {"self_upper", "REAL", UPPER},
    [OP_SELF_MID] = {"self_mid", "REAL", "mid minus that of the operators inside, likewise"},
    [OP_SELF_MID_UPPER] = {"self_mid_upper", "REAL", UPPER},
    [OP_RESOLUTION] = {"resolution", "REAL", "step of the delegate's clock: the true time of a call differs by less than this; 0: exact"},
    [OP_CLOCK] = {"clock", "TEXT", "trace; fitted or unknown: a delegate's operator with its own clock, which has no times and is not added to anything; overlapping: it has times, but no self"},
    [OP_OWN_TICKS] = {"own_ticks", "REAL", "avg of an operator with its own clock, in ticks of that clock"},
    [OP_OPERATION] = {"operation", "TEXT", "name without the parts that depend on the processor: equal in two traces even if XNNPACK names its kernels differently"},
    [OP_METADATA] = {"metadata", "TEXT", "metadata that a delegate attached to its events, each text once, joined by \", \"; for bytes that are not text the size, \"(12 bytes)\""},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t count(const struct ets_study *study)
{
    return study->operator_count;
}

static struct ets_datum joined(struct ets_arena *scratch, const struct ets_text_list *list)
{
    size_t size = 0, used = 0;
    if (list->count == 0) return ets_datum_nothing();
    for (size_t i = 0; i < list->count; i++) size += list->items[i].size + 2;
    char *text = ets_arena_alloc(scratch, size);
    if (text == NULL) return (struct ets_datum){.kind = ETS_DATUM_NO_MEMORY};
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0) text[used++] = ',';
        if (i > 0) text[used++] = ' ';
        for (size_t j = 0; j < list->items[i].size; j++) text[used++] = list->items[i].data[j];
    }
    return ets_datum_text((struct ets_text){text, used});
}

static struct ets_datum place(struct ets_sql_cursor *cursor, const struct ets_row *row, int column)
{
    struct ets_text_list sources, modules;
    const struct ets_row *known = ets_operator_placed_row(cursor->trace->inspection, row);
    if (!ets_operator_row_places(&cursor->scratch, known, &sources, &modules)) {
        return (struct ets_datum){.kind = ETS_DATUM_NO_MEMORY};
    }
    return joined(&cursor->scratch, column == OP_SOURCE ? &sources : &modules);
}

static struct ets_datum op_types(struct ets_sql_cursor *cursor, const struct ets_row *row)
{
    struct ets_text_list ops = {
        .items = ets_arena_alloc_array(&cursor->scratch, row->node_count, sizeof *ops.items)};
    if (ops.items == NULL) return (struct ets_datum){.kind = ETS_DATUM_NO_MEMORY};
    for (size_t i = 0; i < row->node_count; i++) {
        ets_text_list_add(&ops, row->nodes[i].node->op);
    }
    return joined(&cursor->scratch, &ops);
}

static struct ets_datum metadata(struct ets_sql_cursor *cursor, uint32_t index)
{
    struct ets_text_list list;
    if (!ets_row_metadata(&cursor->scratch, cursor->trace->inspection, index, NULL, NULL, &list)) {
        return (struct ets_datum){.kind = ETS_DATUM_NO_MEMORY};
    }
    return joined(&cursor->scratch, &list);
}

static bool is_upper(int column)
{
    return (column - OP_AVG) % 2 != 0;
}

static struct ets_span span_of(const struct ets_row_times *times, int column)
{
    const struct ets_statistics *s = &times->statistics;
    switch (column - is_upper(column)) {
    case OP_AVG: return ets_span_of(s->mean, times->error, 1);
    case OP_MID: return ets_span_of(times->middle, times->error, 1);
    case OP_P10: return ets_span_of(s->p10, times->error, 1);
    case OP_P50: return ets_span_of(s->p50, times->error, 1);
    case OP_P90: return ets_span_of(s->p90, times->error, 1);
    case OP_MIN: return ets_span_of(s->min, times->error, 1);
    case OP_MAX: return ets_span_of(s->max, times->error, 1);
    case OP_TOTAL: return ets_span_of(s->total, times->error, s->count);
    case OP_SELF: return ets_span_of(times->self, times->self_error, 1);
    default: return ets_span_of(times->self_middle, times->self_error, 1);
    }
}

static struct ets_datum time_cell(struct ets_sql_cursor *cursor, uint32_t index, int column)
{
    if (!ets_study_times(cursor->study, cursor->trace)) {
        return (struct ets_datum){.kind = ETS_DATUM_NO_MEMORY};
    }
    const struct ets_row_times *own = &cursor->trace->times[index];
    const struct ets_statistics *times = &own->statistics;
    const struct ets_row *row = ets_inspection_row(cursor->trace->inspection, index);
    const bool is_own = ets_row_has_own_clock(row) != 0;
    if (column == OP_CHILDREN) return ets_datum_integer(own->children);
    if (column == OP_RUNS) return ets_datum_integer(times->count);
    if (column == OP_OWN_TICKS) return is_own ? ets_datum_real(times->mean) : ets_datum_nothing();
    if (is_own || (column >= OP_SELF && column <= OP_SELF_MID_UPPER && row->clock != NULL)) {
        return ets_datum_nothing();
    }
    const struct ets_span span = span_of(own, column);
    return ets_sql_time(cursor, is_upper(column) ? span.upper : span.lower);
}

static struct ets_datum cell(struct ets_sql_cursor *cursor, int column)
{
    const uint32_t index = ets_sql_at_operator(cursor, (uint32_t)cursor->row);
    const struct ets_studied_trace *trace = cursor->trace;
    const struct ets_row *row = ets_inspection_row(trace->inspection, index);
    switch (column) {
    case OP_ID: return ets_datum_integer((int64_t)cursor->row);
    case OP_TRACE: return ets_sql_trace_number(cursor);
    case OP_BLOCK: return ets_datum_index(row->block, trace->first_block);
    case OP_PARENT: return ets_datum_index(row->parent, trace->first_operator);
    case OP_DEPTH: return ets_datum_integer(row->depth);
    case OP_NAME: return ets_datum_text(ets_row_operator(row));
    case OP_EVENT: return ets_datum_text(row->name);
    case OP_OPERATION: return ets_datum_text(row->operation);
    case OP_KERNEL: return ets_datum_text(row->kernel);
    case OP_CHAIN: return ets_datum_unless_negative(row->chain);
    case OP_INSTRUCTION: return ets_datum_unless_negative(row->instruction);
    case OP_DELEGATE_ID: return ets_datum_unless_negative(row->delegate_id);
    case OP_DELEGATED: return ets_datum_integer(row->is_delegated != 0);
    case OP_BACKEND: return ets_datum_string(row->backend);
    case OP_SOURCE:
    case OP_MODULE: return place(cursor, row, column);
    case OP_OPS: return op_types(cursor, row);
    case OP_HANDLES:
        return ets_datum_print_numbers(&cursor->scratch, row->handles, row->handle_count);
    case OP_INFERRED: return ets_datum_integer(row->is_inferred != 0);
    case OP_TIE: return ets_datum_string(ets_tie_name(row->tie));
    case OP_CALLS: return ets_datum_integer(row->calls_per_run);
    case OP_CLOCK: return ets_datum_string(ets_row_clock(row));
    case OP_METADATA: return metadata(cursor, index);
    case OP_RESOLUTION: return ets_sql_time(cursor, (double)row->quantum_ticks);
    default: return time_cell(cursor, index, column);
    }
}

/* A block's operators are neighbours. */
static struct ets_sql_range of_block(const struct ets_study *study, int64_t number)
{
    struct ets_sql_cursor cursor = {.study = (struct ets_study *)(uintptr_t)study};
    if (number < 0 || number >= study->block_count) return (struct ets_sql_range){.end = 0};
    const uint32_t index = ets_sql_at_block(&cursor, (uint32_t)number);
    const struct ets_block *block = ets_inspection_block(cursor.trace->inspection, index);
    const uint64_t first = (uint64_t)cursor.trace->first_operator + block->first_row;
    return (struct ets_sql_range){.first = first, .end = first + block->row_count};
}

static uint64_t block_count(const struct ets_study *study)
{
    return study->block_count;
}

const struct ets_sql_table ets_sql_operators_table = {
    .name = "operators",
    .meaning =
        "The rows of the operator table: what the events of a block measure. Times are in the "
        "trace's unit.",
    .columns = columns,
    .has_id = true,
    .count = count,
    .cell = cell,
    .lookups = {{OP_BLOCK, of_block, block_count}},
    .indexed = {"block", "parent"},
};

/* operator_nodes */

enum { LINK_OPERATOR, LINK_NODE, LINK_HANDLE };

/* clang-format off */
static const struct ets_sql_column link_columns[] = {
    [LINK_OPERATOR] = {"operator", "INTEGER", "id in `operators`"},
    [LINK_NODE] = {"node", "INTEGER", "id in `nodes`"},
    [LINK_HANDLE] = {"debug_handle", "INTEGER", "debug handle that connects them"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t link_count(const struct ets_study *study)
{
    return study->first_link[study->operator_count];
}

/* The last operator whose links begin at or before `number`, and which has any. */
static uint32_t operator_of_link(const struct ets_study *study, uint32_t number)
{
    uint32_t low = 0, high = study->operator_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (study->first_link[middle] <= number) low = middle;
        else high = middle;
    }
    return low;
}

static struct ets_datum link_cell(struct ets_sql_cursor *cursor, int column)
{
    const uint32_t number = (uint32_t)cursor->row;
    const uint32_t owner = operator_of_link(cursor->study, number);
    const uint32_t index = ets_sql_at_operator(cursor, owner);
    const struct ets_row *row = ets_inspection_row(cursor->trace->inspection, index);
    const struct ets_row_node *link = &row->nodes[number - cursor->study->first_link[owner]];
    switch (column) {
    case LINK_OPERATOR: return ets_datum_integer(owner);
    case LINK_NODE: return ets_datum_index(ets_study_node(cursor->study, link->node), 0);
    default: return ets_datum_integer(link->handle);
    }
}

static struct ets_sql_range links_of(const struct ets_study *study, int64_t number)
{
    if (number < 0 || number >= study->operator_count) return (struct ets_sql_range){.end = 0};
    return (struct ets_sql_range){.first = study->first_link[number],
                                  .end = study->first_link[number + 1]};
}

const struct ets_sql_table ets_sql_operator_nodes_table = {
    .name = "operator_nodes",
    .meaning = "The nodes that each operator stands for; a delegate call stands for many.",
    .columns = link_columns,
    .count = link_count,
    .cell = link_cell,
    .lookups = {{LINK_OPERATOR, links_of, count}},
    .indexed = {"operator", "node"},
};
