/* Which kernels keep delegate calls apart: those on all paths from one call to the next. */
#include <math.h>
#include <string.h>

#include "advice/finding_rules.h"
#include "base/text.h"
#include "operators/operator_traits.h"

bool ets_is_border_transpose(const struct ets_delegate_line *line)
{
    const struct ets_delegate_unit *unit = ets_delegate_line_unit(line);
    if (unit == NULL || unit->payload_node_count == 0) return false;
    for (size_t i = 0; i < unit->payload_node_count; i++) {
        if (strcmp(unit->payload_nodes[i].type, "StaticTranspose") != 0) return false;
    }
    for (size_t i = 0; i < unit->node_count; i++) {
        if (ets_operator_is(unit->nodes[i].node->op, ETS_OPERATOR_PERMUTE)) {
            return false; /* the model's own */
        }
    }
    return true;
}

/* Nodes times pairs of calls that are searched for paths. */
enum { MOST_SEARCHED = 50 * 1000 * 1000 };

/* Marks of nodes between two calls. */
struct paths {
    uint8_t *behind; /* [node] a path leads here from the first call */
    uint8_t *before; /* [node] a path leads from here to the second call */
};

typedef void node_user(struct paths *paths, const struct ets_finder *finder, uint32_t node,
                       uint32_t maker);

static uint32_t index_of(const struct ets_graph *graph, const struct ets_graph_node *node)
{
    return (uint32_t)(node - graph->nodes);
}

static void each_maker(struct paths *paths, const struct ets_finder *finder, uint32_t node,
                       const struct ets_graph_argument *argument, node_user *use)
{
    const struct ets_partition *partition = finder->method.partition;
    for (uint32_t i = 0; argument->kind == ETS_ARGUMENT_LIST && i < argument->item_count; i++) {
        if (argument->items[i].kind == ETS_ARGUMENT_TENSOR) {
            each_maker(paths, finder, node, &argument->items[i], use);
        }
    }
    if (argument->kind != ETS_ARGUMENT_TENSOR) return;
    const uint32_t value = ets_partition_value(partition, argument->name);
    if (value == ETS_GRAPH_NONE || partition->makers[value] == NULL) return;
    use(paths, finder, node, index_of(partition->graph, partition->makers[value]));
}

static void mark_behind(struct paths *paths, const struct ets_finder *finder, uint32_t node,
                        uint32_t maker)
{
    (void)finder;
    if (paths->behind[maker]) paths->behind[node] = 1;
}

static void mark_before(struct paths *paths, const struct ets_finder *finder, uint32_t node,
                        uint32_t maker)
{
    (void)finder;
    if (paths->before[node]) paths->before[maker] = 1;
}

/* Fills the marks for the paths from what instruction `from` computes to what `to` computes. */
static void find_paths(const struct ets_finder *finder, uint32_t from, uint32_t to,
                       struct paths *paths)
{
    const struct ets_graph *graph = finder->method.partition->graph;
    const uint32_t *runner = finder->method.runner;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        paths->behind[i] = runner[i] == from;
        paths->before[i] = runner[i] == to;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for (uint32_t k = 0; k < graph->nodes[i].input_count; k++) {
            each_maker(paths, finder, i, &graph->nodes[i].inputs[k], mark_behind);
        }
    }
    for (uint32_t i = graph->node_count; i-- > 0;) {
        for (uint32_t k = 0; k < graph->nodes[i].input_count; k++) {
            each_maker(paths, finder, i, &graph->nodes[i].inputs[k], mark_before);
        }
    }
}

/* The operator of all kernels on the paths between two calls; NULL: none, or several. */
static const struct ets_delegation_step *find_splitter(const struct ets_finder *finder,
                                                       const struct paths *paths, uint32_t from,
                                                       uint32_t to)
{
    const struct ets_delegation_step *splitter = NULL;
    const struct ets_graph *graph = finder->method.partition->graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const uint32_t instruction = finder->method.runner[i];
        if (!paths->behind[i] || !paths->before[i] || instruction == ETS_NO_INDEX ||
            instruction == from || instruction == to) {
            continue;
        }
        const struct ets_delegation_step *step = ets_method_line(finder, instruction)->step;
        if (step->kind != ETS_INSTRUCTION_KERNEL_CALL) return NULL; /* another call */
        if (splitter != NULL && !ets_text_equal(splitter->name, step->name)) return NULL;
        splitter = step;
    }
    return splitter;
}

/* What a call takes beyond its operators, and for the transposes at its border. */
static double overhead_of(const struct ets_finder *finder, uint32_t call)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    double rest = ets_method_line(finder, call)->middle;
    for (uint32_t i = finder->method.first_line[call] + 1;
         i < lines->count && lines->items[i].unit != ETS_NO_INDEX; i++) {
        if (isnan(lines->items[i].middle)) return NAN;
        if (!ets_is_border_transpose(&lines->items[i])) rest -= lines->items[i].middle;
    }
    return rest < 0 ? 0 : rest;
}

static void mark_joins(struct ets_finder *finder, struct paths *paths)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    uint32_t before = ETS_NO_INDEX;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        const uint32_t to = line->step->instruction;
        if (line->unit != ETS_NO_INDEX || line->step->kind != ETS_INSTRUCTION_DELEGATE_CALL) {
            continue;
        }
        if (before != ETS_NO_INDEX) {
            find_paths(finder, before, to, paths);
            const struct ets_delegation_step *splitter = find_splitter(finder, paths, before, to);
            if (splitter != NULL) {
                struct ets_join *join = &finder->method.joins[splitter->instruction];
                join->calls++;
                join->ticks += overhead_of(finder, to);
            }
        }
        before = to;
    }
}

bool ets_find_joins(struct ets_finder *finder)
{
    const struct ets_finding_method *method = &finder->method;
    if (method->partition == NULL) return true;
    const size_t nodes = method->partition->graph->node_count;
    if (method->lines.partition_count < 2 ||
        (uint64_t)method->lines.partition_count * nodes > MOST_SEARCHED) {
        return true;
    }
    struct paths paths = {ets_arena_alloc(finder->arena, nodes + 1),
                          ets_arena_alloc(finder->arena, nodes + 1)};
    if (paths.behind == NULL || paths.before == NULL) return false;
    mark_joins(finder, &paths);
    return true;
}
