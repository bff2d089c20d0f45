/* A method of the program, as rules see it: lines with times, its graph, and which instruction
 * computes which node. */
#include <math.h>

#include "advice/finding_rules.h"
#include "base/text.h"
#include "operators/operator_traits.h"

static const struct ets_delegation_step *step_at(const struct ets_finder *finder,
                                                 uint32_t instruction)
{
    return ets_delegation_step_at(finder->delegation,
                                  finder->method.section->first_step + instruction);
}

static uint32_t count_steps(const struct ets_finder *finder)
{
    return finder->method.section->end_step - finder->method.section->first_step;
}

static bool index_lines(struct ets_finder *finder)
{
    struct ets_finding_method *method = &finder->method;
    uint32_t *first = ets_arena_alloc_array(finder->arena, count_steps(finder), sizeof *first);
    method->is_told = ets_arena_alloc_array(finder->arena, count_steps(finder), 1);
    method->is_named = ets_arena_alloc_array(finder->arena, count_steps(finder), 1);
    method->joins =
        ets_arena_alloc_array(finder->arena, count_steps(finder), sizeof *method->joins);
    method->collected =
        ets_arena_alloc_array(finder->arena, count_steps(finder), sizeof *method->collected);
    if (first == NULL || method->is_told == NULL || method->is_named == NULL ||
        method->joins == NULL || method->collected == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < method->lines.count; i++) {
        const struct ets_delegate_line *line = &method->lines.items[i];
        if (line->unit == ETS_NO_INDEX) first[line->step->instruction] = i;
        if (line->step->kind == ETS_INSTRUCTION_DELEGATE_CALL) method->has_delegate = true;
    }
    method->first_line = first;
    return true;
}

/* Of the nodes behind a kernel call, the one that it computes: of its name, and no other's. */
static const struct ets_graph_node *choose_node(const struct ets_finder *finder, uint32_t step,
                                                const uint32_t *runner)
{
    const struct ets_delegation_step *of = step_at(finder, step);
    const struct ets_graph_node *judged = finder->method.outsides[step].node;
    const uint32_t index = ets_method_node(finder, judged);
    if (index != ETS_NO_INDEX && runner[index] == ETS_NO_INDEX) return judged;
    for (size_t i = 0; i < of->node_count; i++) {
        const struct ets_graph_node *node = of->nodes[i].node;
        const uint32_t at = ets_method_node(finder, node);
        if (at != ETS_NO_INDEX && runner[at] == ETS_NO_INDEX &&
            ets_text_equal(ets_operator_base_name(node->op), ets_operator_base_name(of->name))) {
            return node;
        }
    }
    return judged;
}

/* A kernel computes one node; a delegate all that are left of those behind its call. */
static bool index_nodes(struct ets_finder *finder)
{
    struct ets_finding_method *method = &finder->method;
    const uint32_t count = method->partition->graph->node_count, steps = count_steps(finder);
    uint32_t *runner = ets_arena_alloc_array(finder->arena, count, sizeof *runner);
    const struct ets_graph_node **kernels =
        ets_arena_alloc_array(finder->arena, steps, sizeof *kernels);
    if (runner == NULL || kernels == NULL) return false;
    for (uint32_t i = 0; i < count; i++) runner[i] = ETS_NO_INDEX;
    for (uint32_t i = 0; i < steps; i++) {
        if (step_at(finder, i)->kind != ETS_INSTRUCTION_KERNEL_CALL) continue;
        kernels[i] = choose_node(finder, i, runner);
        const uint32_t index = ets_method_node(finder, kernels[i]);
        if (index != ETS_NO_INDEX) runner[index] = i;
    }
    for (uint32_t i = 0; i < steps; i++) {
        const struct ets_delegation_step *step = step_at(finder, i);
        for (size_t k = 0; step->kind == ETS_INSTRUCTION_DELEGATE_CALL && k < step->node_count;
             k++) {
            const uint32_t index = ets_method_node(finder, step->nodes[k].node);
            if (index != ETS_NO_INDEX && runner[index] == ETS_NO_INDEX) runner[index] = i;
        }
    }
    method->runner = runner;
    method->kernels = kernels;
    return true;
}

/* What no instruction takes of a run, for each of them. */
static double between_of(const struct ets_delegate_lines *lines)
{
    double rest = lines->whole;
    uint32_t count = 0;
    for (uint32_t i = 0; i < lines->count; i++) {
        if (lines->items[i].unit != ETS_NO_INDEX || !(lines->items[i].middle >= 0)) continue;
        rest -= lines->items[i].middle;
        count++;
    }
    return rest > 0 && count > 0 ? rest / count : 0;
}

/* The times of the block that ran the method. */
static void find_times(struct ets_finder *finder)
{
    struct ets_finding_method *method = &finder->method;
    const uint32_t block = method->section->block;
    method->median = NAN;
    method->between = between_of(&method->lines);
    if (block == ETS_NO_INDEX) return;
    method->is_captured = finder->blocks.captured[block] > 0;
    for (uint32_t i = 0; i < finder->blocks.count; i++) {
        if (finder->blocks.items[i].block != block) continue;
        method->median = finder->blocks.items[i].times.statistics.p50;
    }
}

bool ets_finding_method_open(struct ets_finder *finder, const struct ets_delegate_section *section,
                             const struct ets_outside *outsides)
{
    struct ets_finding_method *method = &finder->method;
    *method =
        (struct ets_finding_method){.section = section, .outsides = outsides + section->first_step};
    find_times(finder);
    if (!ets_delegate_lines_collect(finder->arena, section, false, &method->lines) ||
        !index_lines(finder)) {
        return false;
    }
    if (finder->subject->record == NULL) return true;
    const struct ets_graph *graph;
    struct ets_partition *partition;
    const char *name = ets_delegation_step_at(finder->delegation, section->first_step)->method_name;
    const enum ets_status status =
        ets_etrecord_edge_graph(finder->subject->record, name, &graph, NULL);
    if (status == ETS_NO_MEMORY) return false;
    if (status != ETS_OK) return true;
    if (!ets_partition_open(finder->arena, graph, NULL, &partition)) return false;
    method->partition = partition;
    return ets_mark_constant_nodes(finder) && index_nodes(finder);
}

const struct ets_delegate_line *ets_method_line(const struct ets_finder *finder,
                                                uint32_t instruction)
{
    return &finder->method.lines.items[finder->method.first_line[instruction]];
}

const struct ets_graph_node *ets_kernel_node(const struct ets_finder *finder, uint32_t instruction)
{
    return finder->method.kernels == NULL ? NULL : finder->method.kernels[instruction];
}

uint32_t ets_node_runner(const struct ets_finder *finder, const struct ets_graph_node *node)
{
    const uint32_t index = ets_method_node(finder, node);
    return index == ETS_NO_INDEX ? ETS_NO_INDEX : finder->method.runner[index];
}
