/*
 * Matches captured values with values of the reference. First, the node of its instruction gives a
 * captured value's value in the edge program. Then, a node of the reference was decomposed into
 * edge nodes, and its value is the one that leaves them. Other values of these edge nodes are inner
 * steps, which the reference does not have.
 */
#include "gap/gap_details.h"
#include "gap/insides.h"
#include "gap/partitions.h"
#include "gap/unlogged_rows.h"

struct aligner {
    struct ets_gap_report *report;
    struct gap_instructions instructions;
    struct gap_partitions partitions;
    bool *leaves;         /* [edge value] it leaves the nodes of one origin */
    uint32_t *first_exit; /* [reference node + 1] into */
    uint32_t *exits;      /* edge values, by the reference's node */
};

static enum ets_status find_exits(struct aligner *a, struct ets_error *error)
{
    const struct ets_gap_report *report = a->report;
    const struct gap_graph *edge = &report->edge;
    struct ets_arena *arena = &a->report->arena;
    const uint32_t nodes = report->reference->node_count;
    a->leaves = ets_arena_alloc_array(arena, edge->values.count, sizeof *a->leaves);
    a->exits = ets_arena_alloc_array(arena, edge->values.count, sizeof *a->exits);
    a->first_exit = ets_arena_alloc_array(arena, (size_t)nodes + 2, sizeof *a->first_exit);
    if (a->leaves == NULL || a->exits == NULL || a->first_exit == NULL) {
        return gap_fail_memory(error);
    }
    ets_gap_graph_leaving(edge, report->origins.made_from, a->leaves);
    for (int filling = 0; filling < 2; filling++) {
        for (uint32_t i = 0; i < edge->values.count; i++) {
            const uint32_t maker = edge->places[i].node;
            if (!a->leaves[i] || maker == GAP_NONE) continue;
            const uint32_t origin = report->origins.made_from[maker];
            if (origin == GAP_NONE) continue;
            if (filling) a->exits[a->first_exit[origin + 1]++] = i;
            else a->first_exit[origin + 2]++;
        }
        for (uint32_t i = 2; !filling && i < nodes + 2; i++) {
            a->first_exit[i] += a->first_exit[i - 1];
        }
    }
    return ETS_OK;
}

static bool same_shape(const struct ets_graph_value *left, const struct ets_graph_value *right)
{
    if (left == NULL || right == NULL || left->rank != right->rank) return false;
    if (left->scalar_type != right->scalar_type) return false;
    for (uint32_t i = 0; i < left->rank; i++) {
        if (left->sizes[i] != right->sizes[i]) return false;
    }
    return true;
}

/* The edge value that is the value of a node with one output, or GAP_NONE. */
static uint32_t exit_of(const struct aligner *a, uint32_t origin)
{
    const struct ets_gap_report *report = a->report;
    const uint32_t *at = a->first_exit + origin;
    if (at[1] - at[0] == 1) return a->exits[at[0]];
    const struct ets_graph_value *wanted = ets_gap_output_value(report->reference, origin, 0);
    for (uint32_t i = at[1]; i-- > at[0];) {
        const struct gap_place place = report->edge.places[a->exits[i]];
        if (same_shape(wanted, ets_gap_output_value(&report->edge, place.node, place.output))) {
            return a->exits[i];
        }
    }
    return GAP_NONE;
}

struct only_input {
    uint32_t value, count;
};

static void see_first(void *context, uint32_t value)
{
    struct only_input *input = context;
    if (input->count++ == 0) input->value = value;
}

/* Whether only views lie between `from` and `to`. */
static bool leads_by_views(const struct aligner *a, uint32_t from, uint32_t to)
{
    const struct gap_graph *edge = &a->report->edge;
    while (to != from) {
        const uint32_t maker = edge->places[to].node;
        struct only_input input = {GAP_NONE, 0};
        if (maker == GAP_NONE || !ets_gap_is_view(edge->nodes[maker])) return false;
        ets_gap_graph_inputs(edge, maker, see_first, &input);
        if (input.count == 0 || input.value >= to) return false; /* values are in order */
        to = input.value;
    }
    return true;
}

/* The place of an edge value in the reference. */
static bool place_in_reference(const struct aligner *a, uint32_t edge_value,
                               struct ets_gap_value *value, struct gap_place *place_out)
{
    const struct ets_gap_report *report = a->report;
    const struct gap_place place = report->edge.places[edge_value];
    const uint32_t origin = report->origins.made_from[place.node];
    value->edge_node = report->edge.nodes[place.node];
    value->edge_output = place.output;
    if (report->reference->graph == report->edge.graph) {
        *place_out = place;
        return true;
    }
    if (origin == GAP_NONE) {
        value->reason = "added by the lowering: it has no node in the reference";
        return false;
    }
    const uint32_t outputs = ets_gap_output_count(report->reference->nodes[origin]);
    *place_out = (struct gap_place){origin, 0};
    if (outputs > 1) {
        place_out->output = place.output;
        if (outputs == ets_gap_output_count(report->edge.nodes[place.node])) return true;
        value->reason = "the node has several outputs, which the lowering separated";
        return false;
    }
    const uint32_t leaving = exit_of(a, origin);
    if (leaving == edge_value) return true;
    if (leaving != GAP_NONE && leads_by_views(a, edge_value, leaving)) {
        value->is_view = 1;
        return true;
    }
    value->reason = "an inner step: the reference has no such value";
    return false;
}

/* Outputs of the method, by position. */
static bool place_output(const struct ets_gap_report *report, struct ets_gap_value *value,
                         struct gap_place *place_out)
{
    const struct ets_graph *graph = report->reference->graph;
    uint32_t wanted = value->captured.index;
    value->match = ETS_GAP_EXACT;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (graph->outputs[i].role != ETS_OUTPUT_USER || wanted-- > 0) continue;
        const uint32_t number =
            ets_gap_graph_value(report->reference, 0, graph->outputs[i].argument.name);
        if (number == GAP_NONE) break;
        *place_out = report->reference->places[number];
        if (place_out->node != GAP_NONE) return true;
        value->reason = "an input that is also an output of the method";
        return false;
    }
    value->reason = "the graph has no such output";
    return false;
}

/* The edge value of an instruction's captured value, or GAP_NONE with the reason. */
static uint32_t find_edge_value(const struct aligner *a, uint32_t index,
                                struct ets_gap_value *value)
{
    const struct ets_gap_report *report = a->report;
    const struct gap_instruction *item = &a->instructions.items[a->instructions.of_value[index]];
    if (item->is_call) {
        if (value->is_argument) value->reason = "an input of the delegate";
        if (value->inside != ETS_NO_INDEX) {
            if (a->partitions.value_of[index] == GAP_NONE) {
                value->reason = ets_gap_why_not_inside(report);
            }
            return a->partitions.value_of[index];
        }
        if (a->partitions.value_of[index] == GAP_NONE && !value->is_argument) {
            value->reason = item->row->handle_node_count == 0
                                ? "the record does not say what the delegate computes"
                            : a->partitions.is_undecided[index]
                                ? "several values that leave the delegate have this shape, and "
                                  "nothing tells which it is: give the program if it is missing"
                                : "no output of the delegate has this shape and type";
        }
        return a->partitions.value_of[index];
    }
    if (item->node == GAP_NONE) {
        value->reason = item->row->handle_node_count > 0
                            ? "none of the nodes with its handles is this operator"
                            : "the record has no debug handle for the instruction";
        return GAP_NONE;
    }
    const uint32_t output = value->captured.index + value->captured.item;
    const struct ets_graph_argument *argument =
        ets_gap_output(report->edge.nodes[item->node], output);
    const uint32_t level = report->edge.level[item->node];
    const uint32_t number =
        argument == NULL ? GAP_NONE : ets_gap_graph_value(&report->edge, level, argument->name);
    if (number == GAP_NONE) value->reason = "the graph's node has no such output";
    return number;
}

/* For a value that a delegate logged inside: the value of its operator's last node. */
static bool place_inside(const struct aligner *a, struct ets_gap_value *value,
                         struct gap_place *place_out)
{
    const struct ets_gap_report *report = a->report;
    uint32_t last = GAP_NONE;
    value->reason = "the record does not say which node of the delegate logged it";
    if (value->captured.row == ETS_NO_INDEX) return false;
    const struct ets_row *row = ets_inspection_row(report->options.inspection, value->captured.row);
    value->handles = row->handles;
    value->handle_count = row->handle_count;
    value->backend = row->backend;
    for (size_t i = 0; row->tie != ETS_TIE_CALL && i < row->handle_node_count; i++) {
        const uint32_t number = ets_gap_graph_number(&report->edge, row->handle_nodes[i].node);
        if (number != GAP_NONE && (last == GAP_NONE || number > last)) last = number;
    }
    if (last == GAP_NONE || ets_gap_output_count(report->edge.nodes[last]) != 1) return false;
    const uint32_t number = ets_gap_graph_value(&report->edge, report->edge.level[last],
                                                ets_gap_output(report->edge.nodes[last], 0)->name);
    if (number == GAP_NONE || report->edge.places[number].node == GAP_NONE) return false;
    value->reason = NULL;
    value->match = row->handle_count > 1 ? ETS_GAP_SUBSET : ETS_GAP_EXACT;
    return place_in_reference(a, number, value, place_out);
}

static const char unsure[] =
    "this kernel shares handles with a delegate call: the program is needed to tell them apart";

static void align_value(const struct aligner *a, uint32_t index)
{
    struct ets_gap_report *report = a->report;
    struct ets_gap_value *value = &report->values[index];
    struct gap_place *place = &report->places[index];
    *place = (struct gap_place){GAP_NONE, 0};
    const uint32_t instruction = a->instructions.of_value[index];
    bool is_found = false;
    if (value->captured.is_output) {
        is_found = place_output(report, value, place);
    } else if (instruction == GAP_NONE && value->captured.chain < 0) {
        value->reason = "outside any instruction";
    } else if (instruction == GAP_NONE && ets_gap_value_is_of_instruction(&value->captured)) {
        value->reason =
            "the trace has no event of its instruction: the program is needed to name the kernel";
    } else if (instruction == GAP_NONE) {
        is_found = place_inside(a, value, place);
    } else {
        const struct gap_instruction *item = &a->instructions.items[instruction];
        value->handles = item->row->handles;
        value->handle_count = item->row->handle_count;
        value->backend = item->row->backend;
        value->is_inferred = item->row->is_inferred;
        value->match = item->is_shared          ? ETS_GAP_OVERLAP
                       : item->handle_kinds > 1 ? ETS_GAP_SUBSET
                                                : ETS_GAP_EXACT;
        if (value->inside != ETS_NO_INDEX) value->match = ETS_GAP_EXACT;
        if (!item->is_call && item->node != GAP_NONE) {
            value->is_by_order = a->instructions.is_by_order[item->node];
        }
        const uint32_t number = item->is_unsure ? GAP_NONE : find_edge_value(a, index, value);
        if (item->is_unsure) value->reason = unsure;
        if (number != GAP_NONE && report->edge.places[number].node != GAP_NONE) {
            is_found = place_in_reference(a, number, value, place);
        } else if (number != GAP_NONE && value->reason == NULL) {
            value->reason = "an input of the graph has the same name";
        }
    }
    if (is_found) {
        value->node = report->reference->nodes[place->node];
        value->output = place->output;
        if (value->inside != ETS_NO_INDEX) { /* not all of the call's */
            value->handles = &value->edge_node->debug_handle;
            value->handle_count = 1;
        }
    } else {
        *place = (struct gap_place){GAP_NONE, 0};
        if (!value->is_argument) value->match = ETS_GAP_UNMATCHED;
    }
}

/* Prefers an instruction's value to the method's output, and a value to a view. */
static bool is_better(const struct ets_gap_value *value, const struct ets_gap_value *than)
{
    if (value->captured.is_output != than->captured.is_output) return than->captured.is_output;
    return than->is_view || !value->is_view;
}

/* If several captured values have the same match, only the best one is compared. */
static enum ets_status choose_compared(struct ets_gap_report *report, struct ets_error *error)
{
    ets_key_table_init(&report->compared, &report->arena, 3);
    report->compared_value =
        ets_arena_alloc_array(&report->arena, report->value_count, sizeof(uint32_t));
    if (report->compared_value == NULL) return gap_fail_memory(error);
    for (uint32_t i = 0; i < report->value_count; i++) {
        struct ets_gap_value *value = &report->values[i];
        if (value->node == NULL || value->is_argument) continue;
        const uint64_t key[] = {report->places[i].node, value->output, value->occurrence};
        const uint32_t known = report->compared.count;
        const uint32_t at = ets_key_table_add(&report->compared, key);
        if (at == ETS_KEY_NONE) return gap_fail_memory(error);
        uint32_t *best = &report->compared_value[at];
        struct ets_gap_value *loser = value;
        if (at == known || is_better(value, &report->values[*best])) {
            loser = at == known ? NULL : &report->values[*best];
            *best = i;
        }
        if (loser != NULL) loser->reason = "the same value is compared elsewhere";
    }
    return ETS_OK;
}

static void explain_hidden(const struct aligner *a, uint32_t node, const uint32_t *edge_of,
                           struct ets_gap_hidden *hidden)
{
    const struct ets_gap_report *report = a->report;
    *hidden = (struct ets_gap_hidden){.node = report->reference->nodes[node], .instruction = -1};
    if (edge_of[node] == GAP_NONE) {
        hidden->reason = "the lowering removed it";
        return;
    }
    const uint32_t by = a->instructions.done_by[edge_of[node]];
    if (by == GAP_NONE) {
        const bool is_inner = report->reference->level[node] > 0;
        hidden->reason = is_inner ? "in control flow: did not run, or unknown"
                                  : "no instruction: a view, or folded into another";
        return;
    }
    const struct ets_row *row = a->instructions.items[by].row;
    hidden->instruction = row->instruction;
    hidden->backend = row->backend;
    if (a->instructions.part[edge_of[node]] != GAP_NONE) hidden->reason = "inside a delegate";
    else hidden->reason = "its value was not captured";
}

static enum ets_status list_hidden(struct aligner *a, struct ets_error *error)
{
    struct ets_gap_report *report = a->report;
    const uint32_t nodes = report->reference->node_count;
    uint32_t *edge_of = ets_arena_alloc_array(&report->arena, nodes, sizeof *edge_of);
    bool *is_seen = ets_arena_alloc_array(&report->arena, nodes, sizeof *is_seen);
    report->hidden = ets_arena_alloc_array(&report->arena, nodes, sizeof *report->hidden);
    if (edge_of == NULL || is_seen == NULL || report->hidden == NULL) return gap_fail_memory(error);
    for (uint32_t i = 0; i < nodes; i++) edge_of[i] = GAP_NONE;
    for (uint32_t i = 0; i < report->edge.node_count; i++) { /* one with an instruction, if any */
        const uint32_t origin = report->origins.made_from[i];
        if (origin == GAP_NONE) continue;
        if (edge_of[origin] == GAP_NONE || a->instructions.done_by[i] != GAP_NONE) {
            edge_of[origin] = i;
        }
    }
    for (uint32_t i = 0; i < report->value_count; i++) {
        if (report->values[i].node != NULL && !report->values[i].is_argument) {
            is_seen[report->places[i].node] = true;
        }
    }
    for (uint32_t i = 0; i < nodes; i++) {
        if (!is_seen[i]) explain_hidden(a, i, edge_of, &report->hidden[report->hidden_count++]);
    }
    return ETS_OK;
}

enum ets_status ets_gap_align(struct ets_gap_report *report, struct ets_error *error)
{
    struct aligner a = {.report = report};
    ETS_TRY(ets_gap_instructions_find(&a.instructions, report, error));
    ETS_TRY(ets_gap_partitions_match(&a.partitions, &a.instructions, report, error));
    ETS_TRY(find_exits(&a, error));
    report->places =
        ets_arena_alloc_array(&report->arena, report->value_count, sizeof *report->places);
    if (report->places == NULL) return gap_fail_memory(error);
    for (uint32_t i = 0; i < report->value_count; i++) align_value(&a, i);
    ETS_TRY(choose_compared(report, error));
    return list_hidden(&a, error);
}

uint32_t ets_gap_hidden_count(const struct ets_gap_report *report)
{
    return report->hidden_count;
}

const struct ets_gap_hidden *ets_gap_hidden(const struct ets_gap_report *report, uint32_t index)
{
    return &report->hidden[index];
}

const char *ets_gap_match_name(enum ets_gap_match match)
{
    static const char *const names[] = {"unmatched", "exact", "subset", "overlap"};
    return (unsigned)match < sizeof names / sizeof names[0] ? names[match] : NULL;
}
