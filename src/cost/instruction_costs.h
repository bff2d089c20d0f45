/*
 * The work of a method's instructions, whatever is at hand of it: the program, the ETRecord's
 * graph, or both. The program counts first, as it has what runs; the graph stands in for it.
 *
 *     struct ets_instruction_costs costs;
 *     if (ets_instruction_costs_open(&arena, &method, graph, &costs) != ETS_OK) return no_memory;
 *     if (!ets_instruction_cost(&costs, &query, &total)) return no_memory;
 *     ets_instruction_costs_close(&costs);
 */
#ifndef ETSCOPE_COST_INSTRUCTION_COSTS_H
#define ETSCOPE_COST_INSTRUCTION_COSTS_H

#include "cost/graph_costs.h"
#include "cost/method_costs.h"
#include "cost/payload_costs.h"
#include "etscope/inspect.h"
#include "payload/payload_store.h"

/* What the operators of one family come to. */
struct ets_family_cost {
    uint64_t flops;
    uint32_t operators; /* nodes of delegates one by one; those in loops once for each turn */
};

enum { ETS_UNRULED_NAMES = 4 };

/* What an instruction comes to, or one run of a block, or one execution of a method. */
struct ets_total_cost {
    struct ets_cost cost;
    struct ets_text
        unruled[ETS_UNRULED_NAMES]; /* operators without a rule, as the file calls them */
    uint32_t unruled_count;         /* different ones, of which the first are kept */
    struct ets_family_cost families[ETS_FAMILY_COUNT];
};

/* Adds `part`, `times` over; ets_cost_add and ets_cost_multiply have the rules. */
void ets_total_cost_add(struct ets_total_cost *total, const struct ets_total_cost *part,
                        uint64_t times);

/* One of `times` runs on the average. */
void ets_total_cost_divide(struct ets_total_cost *total, uint64_t times);

/* Of one delegate: what its payload was read to. */
struct ets_delegate_cost {
    enum { ETS_DELEGATE_NEW = 0, ETS_DELEGATE_READ, ETS_DELEGATE_UNREAD } state;
    struct ets_payload_costs costs;
    bool is_dynamic;         /* the call's shapes are */
    uint32_t argument_count; /* of the call */
    uint32_t *counted;       /* [node] in which visit of the call's parts */
    uint32_t visit;
    struct ets_total_cost total; /* where has_total */
    bool has_total;
};

struct ets_instruction_costs {
    struct ets_arena *arena;
    bool has_method;
    struct ets_method method;
    struct ets_method_costs kernels; /* where has_method */
    struct ets_graph_costs *graph;   /* NULL: none */
    /* Of the graph: its sizes for the inputs that ran, and for the program's upper bounds. */
    const struct ets_size_symbols *ran, *bounds; /* NULL: not known */
    struct ets_delegate_cost *delegates;         /* [method.delegate_count] */
    struct ets_payload_store payloads;           /* where has_method */
    struct ets_token_sizes sizes;                /* of the run at hand, if has_sizes */
    bool has_sizes;
    uint64_t node_budget; /* nodes of the graph that may be counted */
    /* What was counted before: many blocks and rows ask the same. */
    struct ets_key_table known;
    struct ets_total_cost *totals; /* [known.count] */
    uint32_t capacity;
};

/* `method` NULL: no program. `graph` NULL: no record. `*costs_out` must stay where it is. false: no
 * memory. */
bool ets_instruction_costs_open(struct ets_arena *arena, const struct ets_method *method,
                                const struct ets_graph *graph,
                                struct ets_instruction_costs *costs_out);
/*
 * Where shapes are dynamic, costs are from now on of these inputs, if the graph tells the sizes
 * that follow from them: of an instruction whose nodes come to what the program says at its upper
 * bounds. Nodes of a handle may be more or less than the instruction; then the bounds stay. false:
 * no memory.
 */
bool ets_instruction_costs_bind(struct ets_instruction_costs *costs, const struct ets_value *inputs,
                                size_t count);
/*
 * From now on costs are of a run that computed `tokens` from `position` on (has_position), as far
 * as the program's shapes tell which of their sizes count tokens; NULL: of upper bounds. false: no
 * memory.
 */
bool ets_instruction_costs_use(struct ets_instruction_costs *costs,
                               const struct ets_token_sizes *tokens);
void ets_instruction_costs_close(struct ets_instruction_costs *costs);

/* An instruction, or a part of it, as record and program know it. */
struct ets_cost_query {
    const struct ets_instruction *instruction; /* NULL: no program */
    struct ets_text kernel;           /* "addmm.out" of a kernel call; absent: a delegate's */
    bool folds;                       /* a delegate call, whose backend folds batch norms */
    const struct ets_row_node *nodes; /* of the graph */
    size_t node_count;
    const int64_t *handles; /* as the record lists them: of a call, once for each node it took */
    size_t handle_count;
    bool is_counted_elsewhere; /* a part of a call whose nodes another part stands for */
};

/* One execution of an instruction. false: no memory. */
bool ets_instruction_cost(struct ets_instruction_costs *costs, const struct ets_cost_query *query,
                          struct ets_total_cost *total_out);

/* From now on the parts of a call are asked for anew. */
void ets_instruction_costs_start(struct ets_instruction_costs *costs,
                                 const struct ets_instruction *instruction);

/*
 * What one event of a delegate call stands for: its payload's nodes, or else `query->nodes`. A node
 * of the payload that several events list counts with the first. false: no memory.
 */
bool ets_instruction_part_cost(struct ets_instruction_costs *costs,
                               const struct ets_cost_query *query,
                               const struct ets_unit_node *payload_nodes, size_t payload_node_count,
                               struct ets_cost *cost_out);

#endif
