/* Findings about the borders of delegates: calls that split, and calls that hold little. */
#include <math.h>
#include <string.h>

#include "advice/finding_rules.h"
#include "base/text.h"
#include "views/sentence_numbers.h"

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

static bool is_split(const struct ets_finder *finder, const struct ets_delegate_line *line)
{
    const uint32_t instruction = line->step->instruction;
    return line->unit == ETS_NO_INDEX && finder->method.joins[instruction].calls > 0 &&
           !finder->method.is_named[instruction];
}

/* Of all kernels of one name. */
static bool add_split(struct ets_finder *finder, uint32_t first)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    const struct ets_text name = lines->items[first].step->name;
    ets_parts_begin(finder);
    for (uint32_t i = first; i < lines->count; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        if (is_split(finder, line) && ets_text_equal(line->step->name, name) &&
            !ets_parts_add(finder, line)) {
            return false;
        }
    }
    struct ets_finding_parts *parts = &finder->parts;
    const double whole = finder->method.lines.whole;
    const bool is_small = parts->joined_ticks < ETS_ADVICE_LEAST_SHARE * whole;
    const struct ets_text short_name = ets_kernel_short_name(name);
    ets_find_say(finder,
                 "%.*s splits XNNPACK's work: without it %u delegate call%s could join the one%s "
                 "before",
                 ETS_TEXT(short_name), parts->joined, parts->joined == 1 ? "" : "s",
                 parts->joined == 1 ? "" : "s");
    ets_parts_prove(finder);
    ets_find_propose(finder,
                     "replace %.*s by an operator that XNNPACK takes, or move it before "
                     "or behind the delegated part",
                     ETS_TEXT(short_name));
    parts->ticks = (struct ets_span){0, 0}; /* what is saved are the calls behind */
    parts->row_count = 0;
    struct ets_finding finding =
        ets_finding_of_parts(finder, "split_by_kernel", ETS_SAVING_BOUND, ETS_CHECK_DELEGATES);
    finding.share = (struct ets_span){NAN, NAN};
    finding.doubt = "the two parts may stay apart for another reason, such as a shared constant";
    if (!is_small) return ets_finding_add(finder, finding);
    finder->line.used = finder->evidence.used = finder->action.used = 0;
    return true;
}

/* Kernels between calls that no other finding is about. */
bool ets_find_split(struct ets_finder *finder)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    for (uint32_t i = 0; i < lines->count; i++) {
        if (is_split(finder, &lines->items[i]) && !add_split(finder, i)) return false;
    }
    return true;
}

/* What a call takes beyond its operators, if that is most of it; else 0. */
static double call_overhead(const struct ets_delegate_line *call)
{
    double inside = 0, resolution = 0;
    if (call->step->kind != ETS_INSTRUCTION_DELEGATE_CALL || call->unit != ETS_NO_INDEX ||
        call->step->unit_count == 0) {
        return 0;
    }
    for (uint32_t k = 1; k <= call->step->unit_count; k++) {
        inside += call[k].middle;
        resolution += call[k].resolution;
    }
    return call->middle - inside - resolution >= call->middle / 2 ? call->middle - inside : 0;
}

/* Calls whose operators take less than the call around them. */
bool ets_find_small_calls(struct ets_finder *finder)
{
    enum { LEAST_RUNS = 20 };
    const struct ets_delegate_lines *lines = &finder->method.lines;
    const uint32_t block = finder->method.section->block;
    double overhead = 0;
    if (!ets_method_tells_time(finder) ||
        ets_inspection_block(finder->subject->inspection, block)->run_count < LEAST_RUNS) {
        return true;
    }
    ets_parts_begin(finder);
    for (uint32_t i = 0; i < lines->count; i++) {
        const double more = call_overhead(&lines->items[i]);
        if (!(more > 0)) continue;
        overhead += more;
        if (!ets_parts_add(finder, &lines->items[i])) return false;
    }
    if (!ets_parts_are_large(finder)) return true;
    const uint32_t calls = finder->parts.calls;
    ets_find_say(finder, "%u delegate call%s spend%s more time on the call than on %s operators",
                 calls, calls == 1 ? "" : "s", calls == 1 ? "s" : "", calls == 1 ? "its" : "their");
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    ets_find_prove(finder, ", ");
    ets_add_time(&finder->evidence, (struct ets_span){overhead, overhead}, finder->blocks.tick_ns);
    ets_find_prove(finder, " of it beyond the operators");
    ets_find_propose(finder,
                     "join them with their neighbours, or leave these operators to kernels");
    struct ets_finding finding =
        ets_finding_of_parts(finder, "small_calls", ETS_SAVING_BOUND, ETS_CHECK_DIFFERENCE);
    finding.saving.ticks.upper = ets_method_of_median(finder, overhead);
    finding.doubt = "a delegate may not report all of its operators";
    return ets_finding_add(finder, finding);
}
