/* All tables, the views over them, and both as a table for people. */
#include "base/error.h"
#include "output/sql/sql.h"
#include "output/sql/sql_tables.h"

const struct ets_sql_table *const ets_sql_tables[] = {
    &ets_sql_traces_table,
    &ets_sql_blocks_table,
    &ets_sql_runs_table,
    &ets_sql_operators_table,
    &ets_sql_events_table,
    &ets_sql_allocations_table,
    &ets_sql_held_memory_table,
    &ets_sql_temporary_memory_table,
    &ets_sql_process_memory_table,
    &ets_sql_tensors_table,
    &ets_sql_operator_nodes_table,
    &ets_sql_operator_costs_table,
    &ets_sql_operator_roofs_table,
    &ets_sql_stage_reads_table,
    &ets_sql_records_table,
    &ets_sql_nodes_table,
    &ets_sql_node_costs_table,
    &ets_sql_programs_table,
    &ets_sql_methods_table,
    &ets_sql_instructions_table,
    &ets_sql_instruction_costs_table,
    &ets_sql_delegates_table,
    &ets_sql_program_tensors_table,
    &ets_sql_memory_arenas_table,
    &ets_sql_memory_tensors_table,
    &ets_sql_memory_steps_table,
    &ets_sql_program_bytes_table,
    &ets_sql_findings_table,
    NULL,
};

#define PLACE                                                                       \
    {"trace", "INTEGER", "id in `traces`"}, {"block", "INTEGER", "id in `blocks`"}, \
        {"run_name", "TEXT", "name of its runs: Execute or Default"},               \
    {                                                                               \
        "method", "TEXT", "the method that ran"                                     \
    }
#define SHARES                                                                             \
    {"calls", "INTEGER", "number of events in one run"},                                   \
        {"time", "REAL",                                                                   \
         "mid of the time per run, without operators inside that have rows of their own"}, \
        {"time_upper", "REAL", "its upper bound; equal: it is exact"},                     \
        {"share", "REAL",                                                                  \
         "time / mid of the whole run, 0 to 1; the shares of a block add up to 1, within " \
         "their bounds"},                                                                  \
        {"share_upper", "REAL", "its upper bound"},                                        \
    {                                                                                      \
        NULL, NULL, NULL                                                                   \
    }

static const struct ets_sql_column op_times_columns[] = {
    PLACE,
    {"name", "TEXT", "name of the operator, as in `operators`"},
    {"backend", "TEXT", "backend of a delegate's operator"},
    SHARES,
};

static const struct ets_sql_column module_times_columns[] = {
    PLACE,
    {"module", "TEXT", "module path; (no module): between operators, or not joined"},
    SHARES,
};

static const struct ets_sql_column source_times_columns[] = {
    PLACE,
    {"source", "TEXT",
     "file:line, several for a delegate call; (no source): between operators, or not joined"},
    SHARES,
};

static const struct ets_sql_column delegation_columns[] = {
    PLACE,
    {"calls", "INTEGER", "number of delegate calls in one run"},
    {"time", "REAL", "mid of the whole run"},
    {"delegated", "REAL", "time inside delegate calls"},
    {"share", "REAL", "delegated / time"},
    {NULL, NULL, NULL},
};

static const struct ets_sql_column slow_events_columns[] = {
    {"trace", "INTEGER", "id in `traces`"},
    {"run", "INTEGER", "id in `runs`"},
    {"event", "INTEGER", "id in `events`"},
    {"name", "TEXT", "of its operator"},
    {"instruction", "INTEGER", "number of the instruction in its chain"},
    {"time", "REAL", "time of the event"},
    {"p50", "REAL", "median time of its operator over the runs"},
    {"module", "TEXT", "of its operator"},
    {"source", "TEXT", "of its operator"},
    {NULL, NULL, NULL},
};

static const struct ets_sql_column allocators_columns[] = {
    PLACE,
    {"allocator", "INTEGER", "number of the allocator"},
    {"name", "TEXT", "name of the allocator"},
    {"allocations", "INTEGER", "over all runs"},
    {"bytes", "INTEGER", "over all runs"},
    {"largest", "INTEGER", "size of the largest allocation"},
    {NULL, NULL, NULL},
};

#define SELECT_PLACE "select b.trace, b.id as block, b.name as run_name, b.method, "
#define SELECT_SHARES                                                                       \
    "sum(o.calls) as calls, sum(o.self_mid) as time, sum(o.self_mid_upper) as time_upper, " \
    "sum(o.self_mid) / w.mid as share, sum(o.self_mid_upper) / w.mid as share_upper "       \
    "from blocks b join operators o on o.block = b.id left join operators w on w.id = b.whole "

const struct ets_sql_view ets_sql_views[] = {
    {"op_times",
     "Time by operator name: kernels, delegates' operators, and the runtime's own work.",
     SELECT_PLACE "o.name, o.backend, " SELECT_SHARES
                  "group by b.id, o.name, o.backend order by b.id, 8 desc",
     op_times_columns},
    {"module_times", "Time by module.",
     SELECT_PLACE "coalesce(o.module, '(no module)') as module, " SELECT_SHARES
                  "group by b.id, 5 order by b.id, 7 desc",
     module_times_columns},
    {"source_times", "Time by source line.",
     SELECT_PLACE "coalesce(o.source, '(no source)') as source, " SELECT_SHARES
                  "group by b.id, 5 order by b.id, 7 desc",
     source_times_columns},
    {"delegation", "Share of each run spent in delegates.",
     SELECT_PLACE "coalesce(sum(o.calls), 0) as calls, w.mid as time, "
                  "coalesce(sum(o.mid), 0.0) as delegated, "
                  "coalesce(sum(o.mid), 0.0) / w.mid as share "
                  "from blocks b join operators w on w.id = b.whole "
                  "left join operators o on o.block = b.id and o.event = 'DELEGATE_CALL' "
                  "group by b.id",
     delegation_columns},
    {"slow_events", "Events that enclose no others, longest first.",
     "select e.trace, e.run, e.id as event, o.name, e.instruction, e.time, o.p50, o.module, "
     "o.source from events e join operators o on o.id = e.operator where o.children = 0 "
     "order by e.time desc",
     slow_events_columns},
    {"allocators", "Allocations by allocator.",
     SELECT_PLACE "a.allocator, min(a.name) as name, count(*) as allocations, "
                  "sum(a.bytes) as bytes, max(a.bytes) as largest "
                  "from allocations a join runs r on r.id = a.run join blocks b on b.id = r.block "
                  "group by b.id, a.allocator",
     allocators_columns},
    {NULL, NULL, NULL, NULL},
};

static void add_section(struct ets_table *table, const char *name, const char *meaning,
                        const char *kind)
{
    char text[256];
    const size_t used = ets_print_text(text, sizeof text, "%s (%s): %s", name, kind, meaning);
    ets_table_add_section(table, (struct ets_text){text, used});
}

static void add_rows(struct ets_table *table, const struct ets_sql_table *of)
{
    struct ets_sql_field field;
    for (uint32_t i = 0; ets_sql_table_column(of, i, &field) && !field.is_hidden; i++) {
        ets_table_add_row(table, 0);
        ets_table_put_string(table, ets_sql_table_name(of));
        ets_table_put_string(table, field.name);
        ets_table_put_string(table, field.type);
        ets_table_put_string(table, field.unit);
        ets_table_put_integer(table, field.is_in_tables);
        ets_table_put_string(table, field.meaning[0] == '\0' ? NULL : field.meaning);
    }
}

void ets_sql_schema(struct ets_table *table)
{
    static const struct ets_column columns[] = {
        {.name = "table", .machine_only = 1},
        {.name = "column"},
        {.name = "type"},
        {.name = "unit", .machine_only = 1},
        {.name = "in_tables", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
        {.name = "meaning", .least_width = 30}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        ets_table_add_column(table, &columns[i]);
    }
    for (size_t i = 0; ets_sql_tables[i] != NULL; i++) {
        add_section(table, ets_sql_table_name(ets_sql_tables[i]),
                    ets_sql_table_meaning(ets_sql_tables[i]), "table");
        add_rows(table, ets_sql_tables[i]);
    }
    for (const struct ets_sql_view *view = ets_sql_views; view->name != NULL; view++) {
        add_section(table, view->name, view->meaning, "view");
        add_rows(table, &(struct ets_sql_table){.name = view->name, .columns = view->columns});
    }
}
