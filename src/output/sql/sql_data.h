/*
 * The contents of a database. Every item has an id: its number in its trace, ETRecord or program,
 * plus the numbers of such items in all earlier sources.
 */
#ifndef ETSCOPE_OUTPUT_SQL_SQL_DATA_H
#define ETSCOPE_OUTPUT_SQL_SQL_DATA_H

#include <stdbool.h>

#include "advice/findings.h"
#include "contents/byte_map.h"
#include "cost/cost.h"
#include "host/arena.h"
#include "output/sql/sql.h"
#include "views/allocation_events.h"
#include "views/allocation_owners.h"
#include "views/headroom.h"
#include "views/row_times.h"

struct ets_sql_trace_data {
    const struct ets_sql_trace *source;
    const struct ets_inspection *inspection;
    const struct ets_event_table *events;
    uint32_t first_event, first_run, first_block, first_operator;
    enum ets_time_unit unit;     /* NS or CYCLES */
    double tick;                 /* one tick in that unit */
    struct ets_row_times *times; /* [row], computed by the first query that needs it; NULL before */
    struct ets_allocation_events *allocations; /* likewise */
    struct ets_recorded_memory memory;
    const struct ets_cost *costs;   /* [row] likewise */
    struct ets_headroom *headrooms; /* [block] likewise */
};

/* A graph of a record whose nodes are in the table. */
struct ets_sql_graph {
    const struct ets_graph *graph;
    const char *method;
    uint32_t record;
    uint32_t first_node;
};

struct ets_sql_method {
    struct ets_method method;
    const char *name;
    uint32_t program;
    uint32_t first_value;
    uint32_t instruction_count;
    uint64_t planned_bytes;
    uint64_t first_arena, first_level;  /* in the tables of planned memory */
    const struct ets_memory_plan *plan; /* made when a query first asks; NULL before */
    bool has_no_plan;                   /* it asks for too much */
};

/* One, where a method has no instruction, as in its plan. */
static inline uint32_t ets_sql_method_steps(const struct ets_sql_method *method)
{
    return method->instruction_count > 0 ? method->instruction_count : 1;
}

struct ets_sql_chain {
    struct ets_chain chain;
    uint32_t method; /* in `methods` */
    uint32_t first_instruction;
};

struct ets_sql_delegate {
    uint32_t program, record; /* ETS_NO_INDEX: only the other describes it */
    struct ets_text method, backend;
    int64_t chain;       /* -1: only the program describes it */
    int64_t instruction; /* in its chain */
    int64_t index;       /* among the method's delegates; -1 as above */
    uint64_t bytes;      /* of the compiled blob */
    int64_t node_count;  /* debug handles in the record's map; -1: no record */
};

struct ets_sql_step_cost {
    struct ets_cost cost;
    bool is_taken; /* on the way through the method that computes most */
};

/* What is found about a trace and its program, or about a program that no trace is of. */
struct ets_sql_findings {
    uint32_t trace, program;               /* ETS_NO_INDEX: none */
    const struct ets_memory_lines *memory; /* of the method that counts; NULL: none */
    struct ets_findings found;
};

struct ets_sql_data {
    struct ets_arena arena;
    struct ets_sql_sources sources;
    struct ets_sql_trace_data *traces;
    uint32_t event_count, run_count, block_count, operator_count;
    uint32_t held_count, step_count, moment_count;
    uint32_t *first_link; /* [operator_count + 1] in the table of operators' nodes */
    struct ets_sql_graph *graphs;
    uint32_t graph_count, node_count;
    struct ets_sql_method *methods;
    uint32_t method_count, value_count;
    uint64_t arena_count, level_count; /* planned memories, and their instructions */
    struct ets_sql_chain *chains;
    uint32_t chain_count, instruction_count;
    struct ets_sql_delegate *delegates;
    uint32_t delegate_count;
    struct ets_byte_map **byte_maps; /* [program_count] of ets_sql_data_byte_maps; NULL before */
    uint32_t *first_byte_item;       /* [program_count + 1] likewise */
    struct ets_cost *node_costs;     /* [node], made when a query first asks; NULL before */
    struct ets_sql_step_cost *step_costs;     /* [instruction] likewise */
    const struct ets_gap_report *const *gaps; /* [trace] of captured values; NULL: none */
    struct ets_sql_findings *findings; /* [findings_count] of ets_sql_data_findings; NULL before */
    uint32_t findings_count;
    const struct ets_advice_words *words;    /* of findings; NULL: no advice in them */
    const struct ets_inspection *one_thread; /* of the trace's program; NULL: none */
};

/* Statuses: LIMIT, NO_MEMORY, those of ets_etrecord_edge_graph. `data` is freed in any case by: */
enum ets_status ets_sql_data_init(struct ets_sql_data *data, const struct ets_sql_sources *sources,
                                  const struct ets_allocator *allocator, struct ets_error *error);
void ets_sql_data_free(struct ets_sql_data *data);

/* Zeroed scratch memory, or NULL; and its release. */
void *ets_sql_data_alloc(const struct ets_sql_data *data, size_t bytes);
void ets_sql_data_release(const struct ets_sql_data *data, void *pointer);

/* Makes the times of a trace's rows; false where memory ran out. */
bool ets_sql_data_times(struct ets_sql_data *data, struct ets_sql_trace_data *trace);

/* Judges a trace by the machine of the sources; false where memory ran out. */
bool ets_sql_data_headrooms(struct ets_sql_data *data, struct ets_sql_trace_data *trace);
/* Finds the allocations of a trace; false where memory ran out. */
bool ets_sql_data_allocations(struct ets_sql_data *data, struct ets_sql_trace_data *trace);
/*
 * Finds where the bytes of the programs are, which reads them; later calls have nothing to do.
 * Statuses: those of ets_byte_map_open, LIMIT, NO_MEMORY.
 */
enum ets_status ets_sql_data_byte_maps(struct ets_sql_data *data, struct ets_error *error);
/*
 * Finds what to look at next: of each trace, then of each program without a trace; later calls have
 * nothing to do. Statuses: those of ets_sql_data_byte_maps.
 */
enum ets_status ets_sql_data_findings(struct ets_sql_data *data, struct ets_error *error);
/*
 * Makes the plan of a method. False where memory ran out; `*plan_out` is NULL where the method has
 * none, because it asks for too much.
 */
bool ets_sql_data_plan(struct ets_sql_data *data, uint32_t method,
                       const struct ets_memory_plan **plan_out);
/* The record that goes with a program, or ETS_NO_INDEX. */
uint32_t ets_sql_data_record_of(const struct ets_sql_data *data, uint32_t program);

/* The chain that instruction `number` is in. */
const struct ets_sql_chain *ets_sql_data_chain(const struct ets_sql_data *data, uint32_t number);

/* The number of a node that a row stands for, or ETS_NO_INDEX. */
uint32_t ets_sql_data_node(const struct ets_sql_data *data, const struct ets_graph_node *node);

#endif
