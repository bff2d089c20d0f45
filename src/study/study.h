/*
 * study.h - what is known of some traces, records and programs, and of the machine.
 *
 *     struct ets_study study;
 *     enum ets_status status = ets_study_init(&study, &sources, NULL, &error);
 *     if (status == ETS_OK) status = ets_study_findings(&study, &error);
 *     if (status == ETS_OK) print(&study.findings[0].found);
 *     ets_study_reset(&study);
 *
 * Every item has an id: its number in its trace, record or program, plus the numbers of such items
 * in all earlier sources. What is cheap is known from the start; the rest is found when it is first
 * asked for, and once. All of it lasts until the study is reset. Use a study from one thread at a
 * time.
 */
#ifndef ETSCOPE_STUDY_STUDY_H
#define ETSCOPE_STUDY_STUDY_H

#include <stdbool.h>

#include "advice/findings.h"
#include "contents/byte_map.h"
#include "cost/row_costs.h"
#include "cost/step_costs.h"
#include "etscope/experimental/delegates.h"
#include "host/arena.h"
#include "study/study_sources.h"
#include "views/allocation_events.h"
#include "views/allocation_owners.h"
#include "views/headroom.h"
#include "views/row_times.h"
#include "views/token_reads.h"

struct ets_studied_trace {
    const struct ets_study_trace *source;
    const struct ets_inspection *inspection;
    const struct ets_event_table *events;
    uint32_t first_event, first_run, first_block, first_operator;
    enum ets_time_unit unit; /* NS or CYCLES */
    double tick;             /* one tick in that unit */
    struct ets_recorded_memory memory;
    /* Found when first asked for; NULL before. */
    struct ets_row_times *times; /* [row] */
    struct ets_allocation_events *allocations;
    struct ets_costs costs;              /* `rows` NULL before */
    struct ets_headroom *headrooms;      /* [block] */
    struct ets_token_reads *token_reads; /* [block]; NULL also where no run tells a stage */
};

/* A graph of a record. */
struct ets_studied_graph {
    const struct ets_graph *graph;
    const char *method;
    uint32_t record;
    uint32_t first_node;
};

struct ets_studied_method {
    struct ets_method method;
    const char *name;
    uint32_t program;
    uint32_t first_value;
    uint32_t instruction_count;
    uint64_t planned_bytes;
    uint64_t first_arena, first_level;  /* of planned memory, and of its bytes at instructions */
    const struct ets_memory_plan *plan; /* made when first asked for; NULL before */
    bool has_no_plan;                   /* it asks for too much */
};

/* One, where a method has no instruction, as in its plan. */
static inline uint32_t ets_studied_method_steps(const struct ets_studied_method *method)
{
    return method->instruction_count > 0 ? method->instruction_count : 1;
}

struct ets_studied_chain {
    struct ets_chain chain;
    uint32_t method; /* in `methods` */
    uint32_t first_instruction;
};

struct ets_studied_delegate {
    uint32_t program, record; /* ETS_NO_INDEX: only the other describes it */
    struct ets_text method, backend;
    int64_t chain;       /* -1: only the program describes it */
    int64_t instruction; /* in its chain */
    int64_t index;       /* among the method's delegates; -1 as above */
    uint64_t bytes;      /* of the compiled blob */
    int64_t node_count;  /* debug handles in the record's map; -1: no record */
};

struct ets_studied_step {
    struct ets_cost cost;
    bool is_taken; /* on the way through the method that computes most */
};

/* Of a program with its record; found when first asked for. */
struct ets_studied_program {
    struct ets_delegation *delegation; /* NULL before */
    struct ets_step_costs costs;       /* `steps` NULL before */
};

/* What is found about a trace and its program, or about a program that no trace is of. */
struct ets_studied_findings {
    uint32_t trace, program;               /* ETS_NO_INDEX: none */
    const struct ets_memory_lines *memory; /* of the method that counts; NULL: none */
    struct ets_findings found;
};

struct ets_study {
    struct ets_arena arena;
    struct ets_study_sources sources;
    struct ets_studied_trace *traces;     /* [trace] */
    struct ets_studied_program *programs; /* [program] */
    uint32_t event_count, run_count, block_count, operator_count;
    uint32_t held_count, step_count, moment_count;
    uint32_t *first_link; /* [operator_count + 1] among the pairs of operators and nodes */
    struct ets_studied_graph *graphs;
    uint32_t graph_count, node_count;
    struct ets_studied_method *methods;
    uint32_t method_count, value_count;
    uint64_t arena_count, level_count; /* planned memories, and their instructions */
    struct ets_studied_chain *chains;
    uint32_t chain_count, instruction_count;
    struct ets_studied_delegate *delegates;
    uint32_t delegate_count;
    /* Found when first asked for; NULL before. */
    struct ets_byte_map **byte_maps;     /* [program] */
    uint32_t *first_byte_item;           /* [program_count + 1] */
    struct ets_cost *node_costs;         /* [node] */
    struct ets_studied_step *step_costs; /* [instruction] */
    struct ets_studied_findings *findings;
    uint32_t findings_count;
};

/* Statuses: LIMIT, NO_MEMORY, those of ets_etrecord_edge_graph. In any case, reset the study. */
enum ets_status ets_study_init(struct ets_study *study, const struct ets_study_sources *sources,
                               const struct ets_allocator *allocator, struct ets_error *error);
void ets_study_reset(struct ets_study *study);

/* Zeroed scratch memory, or NULL; and its release. */
void *ets_study_alloc(const struct ets_study *study, size_t bytes);
void ets_study_release(const struct ets_study *study, void *pointer);

/* The record that goes with a program, or ETS_NO_INDEX. */
uint32_t ets_study_record_of(const struct ets_study *study, uint32_t program);
/* The record itself; NULL: none. */
struct ets_etrecord *ets_study_record(const struct ets_study *study, uint32_t program);
/* The chain that instruction `number` is in. */
const struct ets_studied_chain *ets_study_chain(const struct ets_study *study, uint32_t number);
/* The number of a node that a row stands for, or ETS_NO_INDEX. */
uint32_t ets_study_node(const struct ets_study *study, const struct ets_graph_node *node);

/*
 * What follows is found by the first call; later ones have nothing to do. False: no memory.
 *
 * study_times.c: of a trace, the times of its rows, its allocations, the work of its rows, and how
 * far they are from the roofs of the machine, which the sources must have; what stages of a
 * generation read, with a machine if there is one.
 */
bool ets_study_times(struct ets_study *study, struct ets_studied_trace *trace);
bool ets_study_allocations(struct ets_study *study, struct ets_studied_trace *trace);
bool ets_study_row_costs(struct ets_study *study, struct ets_studied_trace *trace);
bool ets_study_headrooms(struct ets_study *study, struct ets_studied_trace *trace);
bool ets_study_token_reads(struct ets_study *study, struct ets_studied_trace *trace);
/* study_costs.c: the work of the graphs' nodes; of the programs' instructions. */
bool ets_study_node_costs(struct ets_study *study);
bool ets_study_step_costs(struct ets_study *study);

/* study_programs.c: the plan of a method; `*plan_out` NULL: none, because it asks for too much. */
bool ets_study_plan(struct ets_study *study, uint32_t method,
                    const struct ets_memory_plan **plan_out);
/*
 * The steps of a program, joined with its record; the work of these steps. Statuses: those of
 * ets_delegation_open and ets_step_costs_find.
 */
enum ets_status ets_study_delegation(struct ets_study *study, uint32_t program,
                                     const struct ets_delegation **delegation_out,
                                     struct ets_error *error);
enum ets_status ets_study_program_costs(struct ets_study *study, uint32_t program,
                                        const struct ets_step_costs **costs_out,
                                        struct ets_error *error);
/*
 * Where the bytes of the programs are, which reads them. Statuses: those of ets_byte_map_open,
 * LIMIT, NO_MEMORY.
 */
enum ets_status ets_study_byte_maps(struct ets_study *study, struct ets_error *error);

/*
 * study_findings.c: what to look at next, of each trace, then of each program without a trace.
 * Statuses: those of ets_study_byte_maps and ets_findings_collect.
 */
enum ets_status ets_study_findings(struct ets_study *study, struct ets_error *error);

#endif
