/* The work of the records' nodes, and of the programs' instructions. */
#include "cost/step_costs.h"
#include "study/study.h"

/* Of one graph, its branches' nodes behind its own. */
static bool add_graph_costs(struct ets_study *study, struct ets_graph_costs *costs,
                            const struct ets_studied_graph *graph)
{
    for (uint32_t i = 0; i < graph->graph->node_count; i++) {
        if (!ets_graph_costs_node(costs, &graph->graph->nodes[i],
                                  &study->node_costs[graph->first_node + i])) {
            return false;
        }
    }
    return true;
}

bool ets_study_node_costs(struct ets_study *study)
{
    if (study->node_costs != NULL) return true;
    struct ets_cost *costs =
        ets_arena_alloc_array(&study->arena, study->node_count, sizeof *study->node_costs);
    if (costs == NULL) return false;
    study->node_costs = costs;
    for (uint32_t i = 0; i < study->graph_count;) {
        const struct ets_graph *top = study->graphs[i].graph;
        struct ets_graph_costs *graph = ets_graph_costs_open(&study->arena, top);
        bool ok = graph != NULL;
        for (uint32_t end = i + 1 + top->subgraph_count; ok && i < end; i++) {
            ok = add_graph_costs(study, graph, &study->graphs[i]);
        }
        ets_graph_costs_close(graph);
        if (!ok) {
            study->node_costs = NULL;
            return false;
        }
    }
    return true;
}

/* Of the program alone, where its record says something else. */
static bool find_alone(struct ets_study *study, const struct ets_program *program,
                       struct ets_step_costs *costs_out, uint32_t *count_out)
{
    struct ets_delegation *delegation;
    const struct ets_delegation_options options = {.program = program,
                                                   .allocator = study->arena.allocator};
    if (ets_delegation_open(&options, &delegation, NULL) != ETS_OK) return false;
    const bool ok =
        ets_step_costs_find(&study->arena, program, NULL, delegation, costs_out, NULL) == ETS_OK;
    *count_out = ets_delegation_count(delegation);
    ets_delegation_close(delegation);
    return ok;
}

static bool find_steps(struct ets_study *study, uint32_t program, struct ets_step_costs *costs_out,
                       uint32_t *count_out)
{
    const struct ets_step_costs *joined;
    if (ets_study_program_costs(study, program, &joined, NULL) == ETS_OK) {
        *costs_out = *joined;
        *count_out = ets_delegation_count(study->programs[program].delegation);
        return true;
    }
    return ets_study_record(study, program) != NULL &&
           find_alone(study, study->sources.programs[program].program, costs_out, count_out);
}

/* Steps are the instructions of the methods' first chains, in order. */
static bool count_program(struct ets_study *study, uint32_t program)
{
    struct ets_step_costs costs;
    uint32_t at = 0, count = 0;
    if (!find_steps(study, program, &costs, &count)) return false;
    for (uint32_t c = 0; c < study->chain_count; c++) {
        const struct ets_studied_chain *chain = &study->chains[c];
        if (study->methods[chain->method].program != program || chain->chain.index != 0) continue;
        for (uint32_t i = 0; i < chain->chain.instruction_count && at < count; i++, at++) {
            study->step_costs[chain->first_instruction + i] =
                (struct ets_studied_step){costs.steps[at].cost, costs.is_taken[at]};
        }
    }
    return true;
}

bool ets_study_step_costs(struct ets_study *study)
{
    if (study->step_costs != NULL) return true;
    study->step_costs =
        ets_arena_alloc_array(&study->arena, study->instruction_count, sizeof *study->step_costs);
    bool ok = study->step_costs != NULL;
    for (uint32_t p = 0; ok && p < study->sources.program_count; p++) ok = count_program(study, p);
    if (!ok) study->step_costs = NULL;
    return ok;
}
