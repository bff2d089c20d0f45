/* Matches captured values of delegate calls with the values at the borders of partitions. */
#include "gap/partitions.h"

#include <string.h>

#include "base/text.h"
#include "gap/consumers.h"
#include "gap/copies.h"
#include "gap/insides.h"
#include "inspect/names.h"
#include "record/record_maps.h"

/* Edge values and nodes by call: those of call c are [first[c], first[c + 1]). */
struct by_call {
    uint32_t *first, *members;
};

/* The captured outputs of a call, and the edge values that each can be. */
struct outputs {
    uint32_t *values;  /* [count] numbers of the captured values */
    uint32_t *place;   /* [count] among the outputs of the call */
    uint32_t *value;   /* [count] the edge value of each, by its place in the list; GAP_NONE */
    uint32_t *kept;    /* room for the list */
    uint8_t *possible; /* [count][border->count] */
    bool *is_taken;    /* [border->count] */
    uint32_t count, width;
    uint32_t all; /* outputs of the call, captured or not */
    size_t cells; /* room of `possible` */
};

/* Edge values at the border of one call. */
struct border {
    const struct ets_gap_report *report;
    const struct gap_instructions *instructions;
    uint32_t call;
    uint32_t *list; /* room for all values of the edge program */
    uint32_t count;
    uint32_t *stamp; /* [edge value] call + 1 where it is listed */
    struct by_call leaving, nodes;
    struct gap_consumers consumers;
    struct outputs outputs;
    uint64_t budget; /* remaining values to try, which limits hostile files */
};

static bool is_weight(const struct ets_gap_report *report, struct gap_place place, uint32_t level)
{
    const struct ets_graph *graph = ets_gap_graph_level(&report->edge, level);
    if (place.node != GAP_NONE) return false;
    const enum ets_graph_input_role role = graph->inputs[place.output].role;
    return role == ETS_INPUT_PARAMETER || role == ETS_INPUT_BUFFER || role == ETS_INPUT_CONSTANT;
}

static void see_input(void *context, uint32_t value)
{
    struct border *border = context;
    const struct gap_place place = border->report->edge.places[value];
    const uint32_t level =
        (uint32_t)*ets_key_table_key(&border->report->edge.values, value); /* its first word */
    if (border->stamp[value] == border->call + 1) return;
    if (place.node != GAP_NONE && border->instructions->part[place.node] == border->call) return;
    if (is_weight(border->report, place, level)) return;
    border->stamp[value] = border->call + 1;
    border->list[border->count++] = value;
}

static const struct ets_graph_value *graph_value(const struct gap_graph *edge, uint32_t value)
{
    const struct gap_place place = edge->places[value];
    const uint32_t level = (uint32_t)*ets_key_table_key(&edge->values, value);
    if (place.node != GAP_NONE) return ets_gap_output_value(edge, place.node, place.output);
    const struct ets_graph *graph = ets_gap_graph_level(edge, level);
    return ets_graph_find_value(graph, graph->inputs[place.output].argument.name);
}

static bool fits(const struct border *border, uint32_t value,
                 const struct ets_captured_value *captured)
{
    const struct ets_graph_value *expected = graph_value(&border->report->edge, value);
    if (!captured->has_tensor) return expected == NULL;
    return ets_gap_value_fits(expected, &captured->tensor);
}

/* The captured values [from, end) of the call that have an index in [low, high). */
struct captured_range {
    uint32_t from, end, low, high;
};

static bool in_range(const struct border *border, const struct captured_range *range, uint32_t i)
{
    const struct ets_captured_value *value = &border->report->values[i].captured;
    return border->instructions->of_value[i] == border->call && value->index >= range->low &&
           value->index < range->high;
}

/* Matches by position if the numbers are equal and all fit; else takes the first that fits. */
static void match(struct border *border, const struct captured_range *range, uint32_t *value_of)
{
    bool by_place = border->count == range->high - range->low;
    for (uint32_t i = range->from; by_place && i < range->end; i++) {
        const struct ets_captured_value *value = &border->report->values[i].captured;
        if (!in_range(border, range, i)) continue;
        by_place = fits(border, border->list[value->index - range->low], value);
    }
    for (uint32_t i = range->from; i < range->end; i++) {
        const struct ets_captured_value *value = &border->report->values[i].captured;
        if (!in_range(border, range, i)) continue;
        if (by_place) {
            value_of[i] = border->list[value->index - range->low];
            continue;
        }
        for (uint32_t k = 0; k < border->count && border->budget > 0; k++, border->budget--) {
            if (border->list[k] == GAP_NONE || !fits(border, border->list[k], value)) continue;
            value_of[i] = border->list[k];
            border->list[k] = GAP_NONE;
            break;
        }
    }
}

static bool is_listed(const struct border *border, uint32_t value)
{
    for (uint32_t i = 0; i < border->count; i++) {
        if (border->list[i] == value) return true;
    }
    return false;
}

/*
 * Whether a value only dequantizes one that another call may have as well: one that leaves this
 * call, or that it takes. The lowering gives each user a dequantize node of its own.
 */
static bool is_copied_to_users(const struct border *border, uint32_t value)
{
    const struct gap_graph *edge = &border->report->edge;
    uint32_t source;
    if (!ets_gap_is_copy(edge, edge->places[value].node, &source)) return false;
    const uint32_t from = edge->places[source].node;
    return is_listed(border, source) || from == GAP_NONE ||
           border->instructions->part[from] != border->call;
}

/* Of more values than the call has outputs, those that its users compute themselves are none. */
static void drop_copied_to_users(struct border *border, uint32_t outputs)
{
    uint32_t kept = border->count;
    for (uint32_t i = border->count; i-- > 0 && kept > outputs;) {
        if (border->budget < border->count) return;
        border->budget -= border->count;
        if (!is_copied_to_users(border, border->list[i])) continue;
        memmove(border->list + i, border->list + i + 1, (kept - i - 1) * sizeof *border->list);
        border->list[--kept] = GAP_NONE;
    }
    border->count = kept;
}

static uint32_t output_count(const struct ets_gap_report *report,
                             const struct gap_instruction *call, uint32_t leaving)
{
    const struct ets_etrecord *record = report->options.record;
    uint32_t count = leaving;
    if (ets_etrecord_has_num_outs_map(record, report->method)) {
        const int64_t told = ets_etrecord_num_outs(record, report->method, call->row->instruction);
        count = told < 0 ? 0 : told > call->values_per_run ? call->values_per_run : (uint32_t)told;
    }
    return count < call->values_per_run ? count : call->values_per_run;
}

static bool may_be(struct border *border, const struct outputs *outputs, uint32_t output,
                   uint32_t value)
{
    const uint32_t index = outputs->values[output];
    return fits(border, value, &border->report->values[index].captured) &&
           ets_gap_may_be(&border->consumers, index, value, border->list, border->count);
}

/* Of more values than the call has outputs, those whose users take none of the outputs are none. */
static void drop_untaken(struct border *border, const struct outputs *outputs)
{
    uint32_t kept = 0;
    if (border->count <= outputs->count) return;
    for (uint32_t k = 0; k < border->count; k++) {
        bool is_taken = false;
        for (uint32_t i = 0; i < outputs->count && !is_taken; i++) {
            is_taken = may_be(border, outputs, i, border->list[k]);
        }
        if (is_taken) outputs->kept[kept++] = border->list[k];
    }
    if (kept < outputs->count || kept == border->count) return; /* not taken as in the graph */
    border->count = kept;
    memcpy(border->list, outputs->kept, kept * sizeof *border->list);
}

static void find_possible(struct border *border, struct outputs *outputs, bool by_users)
{
    outputs->width = border->count;
    for (uint32_t i = 0; i < outputs->count; i++) {
        const struct ets_captured_value *captured =
            &border->report->values[outputs->values[i]].captured;
        for (uint32_t k = 0; k < border->count; k++) {
            outputs->possible[(size_t)i * outputs->width + k] =
                by_users ? may_be(border, outputs, i, border->list[k])
                         : fits(border, border->list[k], captured);
        }
    }
}

/* The number of free values that an output can be, and the first of them. */
static uint32_t count_possible(const struct outputs *outputs, uint32_t output, uint32_t *first_out)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < outputs->width; k++) {
        if (outputs->is_taken[k] || !outputs->possible[(size_t)output * outputs->width + k]) {
            continue;
        }
        if (count++ == 0) *first_out = k;
    }
    return count;
}

static void take(struct outputs *outputs, uint32_t output, uint32_t place)
{
    outputs->value[output] = place;
    outputs->is_taken[place] = true;
}

/* Whether every output has a value at its own place. */
static bool is_in_order(const struct outputs *outputs)
{
    if (outputs->all != outputs->width) return false;
    for (uint32_t i = 0; i < outputs->count; i++) {
        if (!outputs->possible[(size_t)i * outputs->width + outputs->place[i]]) return false;
    }
    return true;
}

/* Of outputs that can be the same values, as many as there are: in order. */
static void take_in_order(struct outputs *outputs, uint32_t output)
{
    const uint8_t *row = outputs->possible + (size_t)output * outputs->width;
    uint32_t alike = 0, first = GAP_NONE;
    for (uint32_t i = 0; i < outputs->count; i++) {
        const uint8_t *other = outputs->possible + (size_t)i * outputs->width;
        alike += outputs->value[i] == GAP_NONE && memcmp(row, other, outputs->width) == 0;
    }
    if (alike == count_possible(outputs, output, &first)) take(outputs, output, first);
}

/* Whether all free values that an output can be are copies of one, which have equal numbers. */
static bool are_copies(const struct border *border, const struct outputs *outputs, uint32_t output)
{
    uint32_t of_all = GAP_NONE;
    for (uint32_t k = 0; k < outputs->width; k++) {
        const uint32_t maker = border->report->edge.places[border->list[k]].node;
        uint32_t source;
        if (outputs->is_taken[k] || !outputs->possible[(size_t)output * outputs->width + k]) {
            continue;
        }
        if (!ets_gap_is_copy(&border->report->edge, maker, &source)) return false;
        if (of_all != GAP_NONE && source != of_all) return false;
        of_all = source;
    }
    return of_all != GAP_NONE;
}

/* Assigns values to outputs; returns the number of outputs that have one. */
static uint32_t assign(const struct border *border, struct outputs *outputs)
{
    uint32_t found = 0, first = GAP_NONE;
    bool is_changed = true;
    for (uint32_t i = 0; i < outputs->count; i++) outputs->value[i] = GAP_NONE;
    memset(outputs->is_taken, 0, outputs->width * sizeof *outputs->is_taken);
    const bool in_order = is_in_order(outputs);
    for (uint32_t i = 0; in_order && i < outputs->count; i++) take(outputs, i, outputs->place[i]);
    while (is_changed) { /* those that leave no choice, one after the other */
        is_changed = false;
        for (uint32_t i = 0; i < outputs->count; i++) {
            if (outputs->value[i] != GAP_NONE) continue;
            if (count_possible(outputs, i, &first) != 1) continue;
            take(outputs, i, first);
            is_changed = true;
        }
    }
    for (uint32_t i = 0; i < outputs->count; i++) {
        if (outputs->value[i] == GAP_NONE) take_in_order(outputs, i);
        if (outputs->value[i] == GAP_NONE && are_copies(border, outputs, i)) {
            count_possible(outputs, i, &first);
            take(outputs, i, first);
        }
        found += outputs->value[i] != GAP_NONE;
    }
    return found;
}

/* Matches outputs by who takes them; if that is not as in the graph, by shape and order. */
static void match_outputs(struct border *border, struct ets_gap_report *report,
                          const struct captured_range *range, struct gap_partitions *partitions)
{
    struct outputs *outputs = &border->outputs;
    outputs->count = 0;
    for (uint32_t i = range->from; i < range->end; i++) {
        if (!in_range(border, range, i)) continue;
        outputs->place[outputs->count] = report->values[i].captured.index - range->low;
        outputs->values[outputs->count++] = i;
    }
    outputs->all = range->high - range->low;
    const uint64_t cells = (uint64_t)outputs->count * border->count;
    if (cells == 0 || cells > outputs->cells || cells * outputs->count > border->budget) return;
    border->budget -= cells * outputs->count;
    if (outputs->count == outputs->all) drop_untaken(border, outputs);
    drop_copied_to_users(border, outputs->all);
    find_possible(border, outputs, true);
    if (assign(border, outputs) < outputs->count) {
        find_possible(border, outputs, false);
        assign(border, outputs);
    }
    memset(outputs->is_taken, 0, outputs->width * sizeof *outputs->is_taken);
    for (uint32_t i = 0; i < outputs->count; i++) {
        uint32_t first = GAP_NONE;
        struct ets_gap_value *value = &report->values[outputs->values[i]];
        const uint32_t choices = count_possible(outputs, i, &first);
        partitions->is_undecided[outputs->values[i]] = choices > 0 && outputs->value[i] == GAP_NONE;
        if (outputs->value[i] == GAP_NONE) continue;
        const uint32_t edge_value = border->list[outputs->value[i]];
        const uint32_t maker = report->edge.places[edge_value].node;
        value->is_by_order = (maker != GAP_NONE && border->instructions->is_by_order[maker]) ||
                             (choices > 1 && !are_copies(border, outputs, i));
        partitions->value_of[outputs->values[i]] = edge_value;
    }
}

/* The number of an edge value among the user's inputs, or ETS_NO_INDEX. */
static uint32_t user_input(const struct ets_gap_report *report, uint32_t value)
{
    const struct ets_graph *graph = report->edge.graph;
    if (value == GAP_NONE || report->edge.places[value].node != GAP_NONE) return ETS_NO_INDEX;
    if (*ets_key_table_key(&report->edge.values, value) != 0) return ETS_NO_INDEX; /* its level */
    const uint32_t at = report->edge.places[value].output;
    uint32_t number = 0;
    for (uint32_t i = 0; i < at; i++) number += graph->inputs[i].role == ETS_INPUT_USER;
    return graph->inputs[at].role == ETS_INPUT_USER ? number : ETS_NO_INDEX;
}

static void match_call(struct border *border, struct ets_gap_report *report,
                       struct gap_partitions *partitions)
{
    const struct gap_instructions *s = border->instructions;
    uint32_t *value_of = partitions->value_of;
    const struct gap_instruction *call = &s->items[border->call];
    struct captured_range range = {.from = call->first_value, .end = report->value_count};
    for (uint32_t i = range.from; i < report->value_count; i++) { /* one run of it */
        if (s->of_value[i] != border->call || report->values[i].occurrence > 0) {
            range.end = i;
            break;
        }
    }
    border->count = 0;
    const uint32_t *at = border->leaving.first + border->call;
    for (uint32_t i = at[0]; i < at[1]; i++) {
        border->list[border->count++] = border->leaving.members[i];
    }
    const uint32_t outputs = output_count(report, call, border->count);
    range.high = call->values_per_run;
    range.low = range.high - outputs;
    match_outputs(border, report, &range, partitions);
    border->count = 0;
    at = border->nodes.first + border->call;
    for (uint32_t i = at[0]; i < at[1]; i++) {
        ets_gap_graph_inputs(&report->edge, border->nodes.members[i], see_input, border);
    }
    range.high = range.low;
    range.low = 0;
    match(border, &range, value_of);
    for (uint32_t i = range.from; i < range.end; i++) {
        report->values[i].is_argument = report->values[i].captured.index < range.high;
        report->values[i].input = user_input(report, value_of[i]);
    }
}

/* A counting sort of `count` items by `call_of[i]`; GAP_NONE: no call. */
static bool sort_by_call(struct ets_arena *arena, const uint32_t *call_of, uint32_t count,
                         uint32_t calls, struct by_call *out)
{
    out->first = ets_arena_alloc_array(arena, (size_t)calls + 2, sizeof *out->first);
    out->members = ets_arena_alloc_array(arena, count, sizeof *out->members);
    if (out->first == NULL || out->members == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (call_of[i] != GAP_NONE) out->first[call_of[i] + 2]++;
    }
    for (uint32_t i = 2; i < calls + 2; i++) out->first[i] += out->first[i - 1];
    for (uint32_t i = 0; i < count; i++) {
        if (call_of[i] != GAP_NONE) out->members[out->first[call_of[i] + 1]++] = i;
    }
    return true;
}

/* Finds the values that leave each call, and the nodes inside it. */
static enum ets_status sort_parts(struct border *border, struct ets_arena *arena,
                                  struct ets_error *error)
{
    const struct gap_graph *edge = &border->report->edge;
    const struct gap_instructions *s = border->instructions;
    bool *leaves = ets_arena_alloc_array(arena, edge->values.count, sizeof *leaves);
    uint32_t *call_of = ets_arena_alloc_array(arena, edge->values.count, sizeof *call_of);
    if (leaves == NULL || call_of == NULL) return gap_fail_memory(error);
    ets_gap_graph_leaving(edge, s->part, leaves);
    for (uint32_t i = 0; i < edge->values.count; i++) {
        const uint32_t maker = edge->places[i].node;
        call_of[i] = leaves[i] && maker != GAP_NONE ? s->part[maker] : GAP_NONE;
    }
    if (!sort_by_call(arena, call_of, edge->values.count, s->count, &border->leaving) ||
        !sort_by_call(arena, s->part, edge->node_count, s->count, &border->nodes)) {
        return gap_fail_memory(error);
    }
    return ETS_OK;
}

/* More cells than any model's calls need: hostile files. */
enum { MOST_CELLS = 1 << 22 };

/* Finds the users of values, and makes room for the outputs of the largest call. */
static enum ets_status make_room(struct border *border, struct ets_gap_report *report,
                                 struct ets_error *error)
{
    struct ets_arena *arena = &report->arena;
    struct outputs *outputs = &border->outputs;
    const struct gap_instructions *s = border->instructions;
    ETS_TRY(ets_gap_consumers_find(&border->consumers, s, report, error));
    for (uint32_t i = 0; i < s->count; i++) {
        const struct gap_instruction *call = &s->items[i];
        const uint32_t leaving = border->leaving.first[i + 1] - border->leaving.first[i];
        if (!call->is_call || call->first_value == GAP_NONE) continue;
        const uint32_t count = output_count(report, call, leaving);
        const uint64_t cells = (uint64_t)count * leaving;
        border->consumers.input_count[i] = call->values_per_run - count;
        if (cells <= MOST_CELLS && cells > outputs->cells) outputs->cells = (size_t)cells;
    }
    outputs->values = ets_arena_alloc_array(arena, report->value_count, sizeof(uint32_t));
    outputs->place = ets_arena_alloc_array(arena, report->value_count, sizeof(uint32_t));
    outputs->value = ets_arena_alloc_array(arena, report->value_count, sizeof(uint32_t));
    outputs->kept = ets_arena_alloc_array(arena, report->edge.values.count, sizeof(uint32_t));
    outputs->is_taken = ets_arena_alloc_array(arena, report->edge.values.count, sizeof(bool));
    outputs->possible = ets_arena_alloc(arena, outputs->cells);
    if (outputs->values == NULL || outputs->place == NULL || outputs->value == NULL ||
        outputs->kept == NULL || outputs->is_taken == NULL || outputs->possible == NULL) {
        return gap_fail_memory(error);
    }
    return ETS_OK;
}

enum ets_status ets_gap_partitions_match(struct gap_partitions *partitions,
                                         const struct gap_instructions *s,
                                         struct ets_gap_report *report, struct ets_error *error)
{
    struct ets_arena *arena = &report->arena;
    const uint32_t edge_values = report->edge.values.count;
    struct border border = {.report = report, .instructions = s, .budget = 100 * 1000 * 1000};
    border.list = ets_arena_alloc_array(arena, edge_values, sizeof *border.list);
    border.stamp = ets_arena_alloc_array(arena, edge_values, sizeof *border.stamp);
    partitions->value_of = ets_arena_alloc_array(arena, report->value_count, sizeof(uint32_t));
    partitions->is_undecided = ets_arena_alloc_array(arena, report->value_count, sizeof(bool));
    if (border.list == NULL || border.stamp == NULL || partitions->value_of == NULL ||
        partitions->is_undecided == NULL) {
        return gap_fail_memory(error);
    }
    ETS_TRY(sort_parts(&border, arena, error));
    ETS_TRY(make_room(&border, report, error));
    for (uint32_t i = 0; i < report->value_count; i++) partitions->value_of[i] = GAP_NONE;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!s->items[i].is_call || s->items[i].first_value == GAP_NONE) continue;
        border.call = i;
        match_call(&border, report, partitions);
        const uint32_t *at = border.nodes.first + i;
        ETS_TRY(ets_gap_match_insides(report, s, i, border.nodes.members + at[0], at[1] - at[0],
                                      partitions, &border.budget, error));
    }
    return ETS_OK;
}
