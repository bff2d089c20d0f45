/* Findings about the borders of delegates: calls that split, that hold little, that transpose. */
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

/* A pair of calls, and the only kernel between them. */
struct split {
    uint32_t to;
    const struct ets_delegation_step *splitter;
};

static bool list_splits(struct ets_finder *finder, struct split *splits, uint32_t *count_out)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    const size_t nodes = finder->method.partition->graph->node_count;
    struct paths paths = {ets_arena_alloc(finder->arena, nodes + 1),
                          ets_arena_alloc(finder->arena, nodes + 1)};
    uint32_t before = ETS_NO_INDEX;
    *count_out = 0;
    if (paths.behind == NULL || paths.before == NULL) return false;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        if (line->unit != ETS_NO_INDEX || line->step->kind != ETS_INSTRUCTION_DELEGATE_CALL) {
            continue;
        }
        const uint32_t to = line->step->instruction;
        if (before != ETS_NO_INDEX) {
            find_paths(finder, before, to, &paths);
            const struct ets_delegation_step *splitter = find_splitter(finder, &paths, before, to);
            if (splitter != NULL) splits[(*count_out)++] = (struct split){to, splitter};
        }
        before = to;
    }
    return true;
}

/* What a call takes beyond its operators, and for the transposes at its border. */
static double overhead_of(const struct ets_finder *finder, uint32_t call)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    const struct ets_delegate_line *line = ets_method_line(finder, call);
    double rest = line->p50;
    for (uint32_t i = finder->method.first_line[call] + 1;
         i < lines->count && lines->items[i].unit != ETS_NO_INDEX; i++) {
        if (isnan(lines->items[i].p50)) return NAN;
        if (!ets_is_border_transpose(&lines->items[i])) rest -= lines->items[i].p50;
    }
    return rest > 0 ? rest : 0;
}

double ets_parts_calls_behind(const struct ets_finder *finder)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    const struct ets_finding_parts *parts = &finder->parts;
    uint32_t at = 0;
    bool is_behind = false;
    double sum = 0;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        const uint32_t to = line->step->instruction;
        if (line->unit != ETS_NO_INDEX || line->step->kind != ETS_INSTRUCTION_DELEGATE_CALL ||
            !(line->p50 >= 0)) {
            continue;
        }
        const uint32_t first = at;
        while (at < parts->instruction_count && parts->instructions[at] < to) at++;
        if (is_behind && at > first) {
            const double overhead = overhead_of(finder, to);
            sum += (isnan(overhead) ? line->p50 : overhead) + finder->method.between;
        }
        is_behind = true;
    }
    return sum;
}

static bool add_split(struct ets_finder *finder, const struct split *splits, uint32_t count,
                      uint32_t first)
{
    const struct ets_delegation_step *splitter = splits[first].splitter;
    const struct ets_text name = ets_kernel_short_name(splitter->name);
    double overhead = 0;
    uint32_t places = 0;
    ets_parts_begin(finder);
    for (uint32_t i = first; i < count; i++) {
        if (!ets_text_equal(splits[i].splitter->name, splitter->name)) continue;
        if (!ets_parts_add(finder, ets_method_line(finder, splits[i].splitter->instruction))) {
            return false;
        }
        overhead += overhead_of(finder, splits[i].to);
        places++;
    }
    const double whole = finder->method.lines.whole;
    const bool is_timed = whole > 0 && !isnan(overhead);
    if (is_timed && overhead < ETS_ADVICE_LEAST_SHARE * whole) return true;
    ets_find_say(finder, "%.*s splits XNNPACK's work: ", ETS_TEXT(name));
    ets_find_say(finder, "without it %u delegate call%s could join the call before", places,
                 places == 1 ? "" : "s");
    ets_parts_prove(finder);
    if (is_timed) {
        ets_find_prove(finder, "; calls and transposes behind it: ");
        ets_add_time(&finder->evidence, (struct ets_span){overhead, overhead},
                     finder->blocks.tick_ns);
    }
    ets_find_propose(finder,
                     "replace %.*s by an operator that XNNPACK takes, or move it before "
                     "or behind the delegated part",
                     ETS_TEXT(name));
    struct ets_finding finding =
        ets_finding_of_parts(finder, "split_by_kernel", ETS_SAVING_BOUND, ETS_CHECK_DELEGATES);
    finding.share = (struct ets_span){NAN, NAN};
    finding.cost = 0; /* what the kernel takes is told by what keeps it outside */
    if (is_timed) {
        ets_saving_add(&finding, ets_parts_calls_behind(finder));
        finding.cost =
            overhead * ets_inspection_block(finder->subject->inspection, finding.block)->run_count;
    }
    finding.doubt = "the two parts may stay apart for another reason, such as a shared constant";
    return ets_finding_add(finder, finding);
}

bool ets_find_split(struct ets_finder *finder)
{
    const struct ets_finding_method *method = &finder->method;
    uint32_t count;
    if (method->partition == NULL || method->lines.partition_count < 2 ||
        (uint64_t)method->lines.partition_count * method->partition->graph->node_count >
            MOST_SEARCHED) {
        return true;
    }
    struct split *splits =
        ets_arena_alloc_array(finder->arena, method->lines.partition_count, sizeof *splits);
    if (splits == NULL || !list_splits(finder, splits, &count)) return false;
    for (uint32_t i = 0; i < count; i++) {
        bool is_first = true;
        for (uint32_t k = 0; k < i; k++) {
            if (ets_text_equal(splits[k].splitter->name, splits[i].splitter->name))
                is_first = false;
        }
        if (is_first && !add_split(finder, splits, count, i)) return false;
    }
    return true;
}

/* Calls whose operators take less than the call around them. */
bool ets_find_small_calls(struct ets_finder *finder)
{
    enum { LEAST_RUNS = 20 };
    const struct ets_delegate_lines *lines = &finder->method.lines;
    const uint32_t block = finder->method.section->block;
    double overhead = 0;
    if (block == ETS_NO_INDEX ||
        ets_inspection_block(finder->subject->inspection, block)->run_count < LEAST_RUNS) {
        return true;
    }
    ets_parts_begin(finder);
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        double inside = 0, resolution = 0;
        if (line->step->kind != ETS_INSTRUCTION_DELEGATE_CALL || line->unit != ETS_NO_INDEX ||
            line->step->unit_count == 0) {
            continue;
        }
        for (uint32_t k = 1; k <= line->step->unit_count; k++) {
            inside += line[k].p50;
            resolution += line[k].resolution;
        }
        if (!(line->p50 - inside - resolution >= line->p50 / 2)) continue;
        overhead += line->p50 - inside;
        if (!ets_parts_add(finder, line)) return false;
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
    finding.saving.ticks.upper = overhead;
    finding.doubt = "a delegate may not report all of its operators";
    return ets_finding_add(finder, finding);
}

bool ets_is_border_transpose(const struct ets_delegate_line *line)
{
    const struct ets_delegate_unit *unit = ets_delegate_line_unit(line);
    if (unit == NULL || unit->payload_node_count == 0) return false;
    for (size_t i = 0; i < unit->payload_node_count; i++) {
        if (strcmp(unit->payload_nodes[i].type, "StaticTranspose") != 0) return false;
    }
    for (size_t i = 0; i < unit->node_count; i++) {
        const struct ets_text op = ets_operator_base(unit->nodes[i].node->op);
        if (ets_text_is(op, "permute_copy") || ets_text_is(op, "transpose_copy") ||
            ets_text_is(op, "t_copy")) {
            return false; /* the model's own */
        }
    }
    return true;
}

bool ets_find_transposes(struct ets_finder *finder)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    ets_parts_begin(finder);
    for (uint32_t i = 0; i < lines->count; i++) {
        if (!ets_is_border_transpose(&lines->items[i])) continue;
        if (!ets_parts_add(finder, &lines->items[i])) return false;
    }
    if (!ets_parts_are_large(finder)) return true;
    const uint32_t calls = finder->parts.calls;
    ets_find_say(finder,
                 "XNNPACK changes the layout of tensors %u time%s at the borders of its calls",
                 calls, calls == 1 ? "" : "s");
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    ets_find_propose(finder,
                     "export with example inputs in channels_last "
                     "(x.to(memory_format=torch.channels_last)), and feed such inputs");
    struct ets_finding finding =
        ets_finding_of_parts(finder, "layout_transposes", ETS_SAVING_BOUND, ETS_CHECK_DIFFERENCE);
    finding.doubt = "transposes around a kernel in the middle stay until that kernel is delegated";
    return ets_finding_add(finder, finding);
}
