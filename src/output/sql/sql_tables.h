/* The tables: their columns, their numbers of rows, and the values of their cells. */
#ifndef ETSCOPE_OUTPUT_SQL_SQL_TABLES_H
#define ETSCOPE_OUTPUT_SQL_SQL_TABLES_H

#include "catalogue/entities.h"

struct ets_sql_cursor {
    struct ets_study *study;
    uint64_t row;                    /* number of the current row */
    struct ets_studied_trace *trace; /* ets_sql_at_event and so on; NULL at first */
    struct ets_arena scratch;        /* texts of the cells of one row */
    void *state;                     /* of tables that step by themselves */
    struct ets_entity_row found;     /* of a table of an entity; its study NULL: not found yet */
    const struct ets_entity_field *fields;
};

/* Rows to visit: first to end, or of the list, each plus `base`. */
struct ets_sql_range {
    uint64_t first, end;
    const uint32_t *list;
    uint64_t base;
};

/* A column by whose values rows can be found. */
struct ets_sql_lookup {
    const char *column;
    struct ets_sql_range (*find)(const struct ets_study *study, int64_t value);
    uint64_t (*spread)(const struct ets_study *study); /* how many values there are */
};

struct ets_sql_column {
    const char *name, *type, *meaning;
};

enum { ETS_SQL_LOOKUPS = 4 };

struct ets_sql_table {
    const char *name, *meaning;
    const struct ets_entity *entity;      /* tells name, columns, rows and cells; NULL: this does */
    const struct ets_sql_column *columns; /* ends with a NULL name */
    bool has_id;                          /* column 0 is `id`, the row's number */
    /*
     * Makes what the table is of, when a query first uses it, and nothing after that; NULL: the
     * data has it from the start. Without OK, the query fails with this error.
     */
    enum ets_status (*prepare)(struct ets_study *study, struct ets_error *error);
    uint64_t (*count)(const struct ets_study *study);
    bool (*has)(struct ets_sql_cursor *cursor); /* NULL: all rows; false: skip the row */
    struct ets_datum (*cell)(struct ets_sql_cursor *cursor, int column);
    struct ets_sql_lookup lookups[ETS_SQL_LOOKUPS]; /* ends with a NULL find */
    const char *indexed[ETS_SQL_LOOKUPS];           /* columns to index in a file; NULL ends */
    /*
     * Tables without numbered rows step by themselves: bytes of the cursor's state; the first row
     * (of `event`, -1: all) and the next, false at the end, which set cursor->row.
     */
    size_t state_bytes;
    void (*begin)(struct ets_sql_cursor *cursor, int64_t event);
    bool (*next)(struct ets_sql_cursor *cursor);
    int event_column; /* what `event` of begin constrains */
};

/* What SQL knows of a column. */
struct ets_sql_field {
    char name[ETS_FIELD_NAME_CHARS];
    const char *type, *meaning, *unit;
    bool is_hidden;    /* it has a name to ask for, and is not listed */
    bool is_in_tables; /* those of commands have it, too */
};

/* sql_columns.c: column `index` of a table; false behind the last. Listed ones come first. */
bool ets_sql_table_column(const struct ets_sql_table *table, uint32_t index,
                          struct ets_sql_field *field_out);
const char *ets_sql_table_name(const struct ets_sql_table *table);
const char *ets_sql_table_meaning(const struct ets_sql_table *table);
/* Makes what the table is of; likewise. Statuses: those of the table's prepare. */
enum ets_status ets_sql_table_prepare(const struct ets_sql_table *table, struct ets_study *study,
                                      struct ets_error *error);
uint64_t ets_sql_table_count(const struct ets_sql_table *table, const struct ets_study *study);
/* A cursor over the table; its scratch is to be reset. `state`: of the table's state_bytes;
 * `fields`: room for what the cursor has to know of an entity. */
void ets_sql_cursor_init(struct ets_sql_cursor *cursor, const struct ets_sql_table *table,
                         struct ets_study *study, void *state,
                         struct ets_entity_field fields[ETS_ENTITY_MOST_FIELDS]);
/* Whether the table has the cursor's row, and the value of a cell of it. */
bool ets_sql_cursor_has(struct ets_sql_cursor *cursor, const struct ets_sql_table *table);
struct ets_datum ets_sql_cursor_cell(struct ets_sql_cursor *cursor,
                                     const struct ets_sql_table *table, int column);

struct ets_sql_view {
    const char *name, *meaning, *select;
    const struct ets_sql_column *columns;
};

/* In the order of the schema, ended by NULL names. sql_schema.c */
extern const struct ets_sql_table *const ets_sql_tables[];
extern const struct ets_sql_view ets_sql_views[];

/* sql_trace_tables.c */
extern const struct ets_sql_table ets_sql_traces_table, ets_sql_blocks_table, ets_sql_runs_table,
    ets_sql_events_table, ets_sql_allocations_table;
/* sql_allocation_tables.c */
extern const struct ets_sql_table ets_sql_held_memory_table, ets_sql_temporary_memory_table,
    ets_sql_process_memory_table;
/* sql_operator_tables.c */
extern const struct ets_sql_table ets_sql_operators_table, ets_sql_operator_nodes_table;
/* sql_columns.c */
extern const struct ets_sql_table ets_sql_findings_table, ets_sql_memory_tensors_table,
    ets_sql_stage_reads_table;
/* sql_tensor_table.c */
extern const struct ets_sql_table ets_sql_tensors_table;
/* sql_model_tables.c */
extern const struct ets_sql_table ets_sql_records_table, ets_sql_nodes_table,
    ets_sql_programs_table, ets_sql_methods_table, ets_sql_instructions_table,
    ets_sql_delegates_table, ets_sql_program_tensors_table;
/* sql_memory_tables.c */
extern const struct ets_sql_table ets_sql_memory_arenas_table, ets_sql_memory_steps_table;

/* sql_byte_table.c */
extern const struct ets_sql_table ets_sql_program_bytes_table;
/* sql_cost_tables.c */
extern const struct ets_sql_table ets_sql_operator_costs_table, ets_sql_node_costs_table,
    ets_sql_instruction_costs_table;
/* sql_roof_table.c */
extern const struct ets_sql_table ets_sql_operator_roofs_table;

/* NULL where there are no bytes. */
struct ets_datum ets_sql_hexadecimal(struct ets_sql_cursor *cursor, struct ets_bytes bytes);

/*
 * Points cursor->trace at the trace that contains the item with this id; returns its number there.
 */
uint32_t ets_sql_at_event(struct ets_sql_cursor *cursor, uint32_t number);
uint32_t ets_sql_at_run(struct ets_sql_cursor *cursor, uint32_t number);
uint32_t ets_sql_at_block(struct ets_sql_cursor *cursor, uint32_t number);
uint32_t ets_sql_at_operator(struct ets_sql_cursor *cursor, uint32_t number);
/* Number of cursor->trace. */
struct ets_datum ets_sql_trace_number(const struct ets_sql_cursor *cursor);
/* Ticks of cursor->trace in its unit. */
struct ets_datum ets_sql_time(const struct ets_sql_cursor *cursor, double ticks);

#endif
