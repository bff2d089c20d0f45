/* Lines of what differs between two programs. */
#include "views/program_changes.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "contents/handle_nodes.h"
#include "contents/layer_names.h"
#include "format/program_lists.h"
#include "record/record_maps.h"

/* What uses the values of a method, value by value. */
struct uses {
    struct ets_value_use *items;
    uint32_t *first; /* [value_count + 1] into `items` */
};

enum { MOST_USES = 1 << 28 };

/* One side of a method pair. */
struct method_side {
    struct ets_method method;
    struct uses uses;
    struct ets_handle_nodes nodes;
    struct ets_layer_method *layers; /* NULL: likewise */
    const char *record_method;       /* NULL: nothing known of its nodes */
};

struct collector {
    struct ets_arena *arena;
    struct ets_program_difference *difference;
    struct method_side sides[2];
    uint32_t most_samples;
    struct ets_error *error;
};

/* Counts the uses of each value, or with `fill` puts them behind those before. False: more than
 * memory should be asked for. */
static bool walk_uses(const struct ets_method *method, struct uses *uses, bool fill)
{
    uint32_t total = 0;
    for (uint32_t c = 0; c < method->chain_count; c++) {
        struct ets_chain chain;
        ets_method_chain(method, c, &chain);
        for (uint32_t i = 0; i < chain.instruction_count; i++) {
            struct ets_instruction instruction;
            ets_chain_instruction(&chain, i, &instruction);
            if (instruction.argument_count > MOST_USES - total) return false;
            total += instruction.argument_count;
            for (uint32_t k = 0; k < instruction.argument_count; k++) {
                const uint32_t value = ets_instruction_argument(&instruction, k);
                if (fill) uses->items[uses->first[value]] = (struct ets_value_use){c, i, k};
                uses->first[value + (fill ? 0 : 1)]++;
            }
        }
    }
    return true;
}

static enum ets_status find_uses(struct ets_arena *arena, const struct ets_method *method,
                                 struct uses *uses, struct ets_error *error)
{
    const uint32_t values = method->value_count;
    uses->first = ets_arena_alloc_array(arena, (size_t)values + 2, sizeof *uses->first);
    if (uses->first == NULL) return ets_fail_memory(error, "what uses the values");
    if (!walk_uses(method, uses, false)) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                        "the instructions of method %.*s take more than %d arguments",
                        ETS_TEXT(method->name), MOST_USES);
    }
    for (uint32_t i = 0; i < values; i++) uses->first[i + 1] += uses->first[i];
    uses->items = ets_arena_alloc_array(arena, uses->first[values], sizeof *uses->items);
    if (uses->items == NULL) return ets_fail_memory(error, "what uses the values");
    walk_uses(method, uses, true); /* moves each begin to its end, which is the next one's begin */
    memmove(uses->first + 1, uses->first, values * sizeof *uses->first);
    uses->first[0] = 0;
    return ETS_OK;
}

static enum ets_status open_side(struct collector *c, const struct ets_method_pair *pair, int s)
{
    struct method_side *side = &c->sides[s];
    struct ets_etrecord *record = c->difference->sides[s].record;
    *side = (struct method_side){.record_method = NULL};
    if (pair->index[s] == ETS_THING_NONE) return ETS_OK;
    ets_program_method(c->difference->sides[s].program, pair->index[s], &side->method);
    side->layers = ets_layer_method(&c->difference->layers[s], &side->method);
    ETS_TRY(find_uses(c->arena, &side->method, &side->uses, c->error));
    if (record == NULL) return ETS_OK;
    side->record_method = ets_record_method(record, side->method.name);
    if (side->record_method == NULL) return ETS_OK;
    return ets_handle_nodes_read(c->arena, record, side->record_method, &side->nodes, c->error);
}

/* The first node behind an instruction of side `s`, in the graph of side `graph`; NULL: none is
 * known. */
static const struct ets_graph_node *node_of(const struct collector *c, int s, uint32_t chain,
                                            uint32_t instruction, int graph)
{
    const struct method_side *side = &c->sides[s];
    const int64_t *handles;
    size_t count;
    if (side->record_method == NULL || chain != 0) return NULL;
    ets_etrecord_call_handles(c->difference->sides[s].record, side->record_method, instruction,
                              &handles, &count);
    for (size_t i = 0; i < count; i++) {
        const struct ets_graph_node *node =
            ets_handle_nodes_find(&c->sides[graph].nodes, handles[i]);
        if (node != NULL) return node;
    }
    return NULL;
}

/* Where a delegate took over kernel calls, the operator is that of the delegate's graph, which
 * several kernels may make up. */
static const struct ets_graph_node *find_node(const struct collector *c,
                                              const struct ets_program_change_line *line)
{
    const struct ets_program_change *change = line->change;
    const struct ets_graph_node *node = NULL;
    if (change->part == ETS_PART_INSTRUCTION && change->kind == ETS_THING_DELEGATED) {
        return node_of(c, 0, change->chain[0], change->index[0], 1);
    }
    if (change->part == ETS_PART_INSTRUCTION && change->kind == ETS_THING_UNDELEGATED) {
        return node_of(c, 1, change->chain[1], change->index[1], 0);
    }
    for (int s = 0; s < 2 && node == NULL; s++) {
        if (change->index[s] == ETS_THING_NONE) continue;
        if (change->part == ETS_PART_NODE) {
            const int64_t handle = ets_handle_of_payload_node(
                &c->sides[s].nodes, ets_program_change_payload_node(line, s));
            if (c->sides[s].record_method == NULL || handle <= 0) continue;
            node = ets_handle_nodes_find(&c->sides[s].nodes, handle);
        } else if (change->part == ETS_PART_INSTRUCTION) {
            node = node_of(c, s, change->chain[s], change->index[s], s);
        } else if (line->use_counts[s] > 0) {
            node = node_of(c, s, line->uses[s]->chain, line->uses[s]->instruction, s);
        }
    }
    return node;
}

/* What the model calls a constant, by the first instruction that uses it. */
static struct ets_text name_constant(const struct collector *c,
                                     const struct ets_program_change_line *line, int s)
{
    const struct ets_value_use *use = line->uses[s];
    struct ets_layer_method *layers = c->sides[s].layers;
    struct ets_text name = {NULL, 0};
    struct ets_evalue value;
    struct ets_chain chain;
    struct ets_instruction instruction;
    const int64_t *handles;
    size_t count;
    if (line->use_counts[s] == 0 || layers == NULL || use->chain != 0) return name;
    ets_program_change_value(line, s, &value);
    if (value.kind != ETS_EVALUE_TENSOR) return name;
    ets_method_chain(&line->methods[s], 0, &chain);
    ets_chain_instruction(&chain, use->instruction, &instruction);
    const struct ets_parameter_query query =
        ets_parameter_query_of(&line->methods[s], &instruction, use->argument, &value.tensor);
    ets_etrecord_call_handles(c->difference->sides[s].record, layers->name, use->instruction,
                              &handles, &count);
    for (size_t i = 0; i < count && name.data == NULL; i++) {
        name = ets_layer_parameter(layers, handles[i], &query);
    }
    return name;
}

static void name_line(const struct collector *c, struct ets_program_change_line *line)
{
    const enum ets_program_part part = line->change->part;
    if (part != ETS_PART_CONSTANT && part != ETS_PART_STATE) return;
    for (int s = 0; s < 2 && line->parameter.data == NULL; s++) {
        line->parameter = name_constant(c, line, s);
    }
}

/* Equal as ets_comparison_of has it. */
static bool is_equal(double before, double after)
{
    return before == after || (isnan(before) && isnan(after));
}

static enum ets_status list_samples(struct collector *c, const struct ets_tensor *before,
                                    const struct ets_tensor *after,
                                    struct ets_program_change_line *line)
{
    struct ets_elements walks[2];
    double values[2];
    const uint64_t unequal = line->numbers.unequal_count;
    const uint32_t most = unequal < c->most_samples ? (uint32_t)unequal : c->most_samples;
    if (most == 0 || ets_elements_init(&walks[0], before, NULL) != ETS_OK ||
        ets_elements_init(&walks[1], after, NULL) != ETS_OK) {
        return ETS_OK;
    }
    line->samples = ets_arena_alloc_array(c->arena, most, sizeof *line->samples);
    if (line->samples == NULL) return ets_fail_memory(c->error, "elements that differ");
    while (line->sample_count < most && ets_elements_next(&walks[0], &values[0]) &&
           ets_elements_next(&walks[1], &values[1])) {
        if (is_equal(values[0], values[1])) continue;
        line->samples[line->sample_count++] =
            (struct ets_element_change){walks[0].index, values[0], values[1]};
    }
    return ETS_OK;
}

static enum ets_status compare_numbers(struct collector *c, struct ets_program_change_line *line)
{
    struct ets_tensor tensors[2];
    if ((line->change->fields & ets_field_bit(ETS_FIELD_DATA)) == 0) return ETS_OK;
    if (line->change->holder != NULL) return ETS_OK;
    for (int s = 0; s < 2; s++) {
        if (!ets_program_change_tensor(c->difference, line, s, &tensors[s]) ||
            tensors[s].data == NULL) {
            return ETS_OK;
        }
    }
    ETS_TRY(ets_content_spend(&c->difference->contents, line->change->bytes[0], c->error));
    line->has_numbers = tensors[0].scalar_type == tensors[1].scalar_type &&
                        ets_comparison_of(&tensors[0], &tensors[1], &line->numbers, NULL) == ETS_OK;
    if (!line->has_numbers || c->most_samples == 0) return ETS_OK;
    return list_samples(c, &tensors[0], &tensors[1], line);
}

/* The bytes that a thing has in the file; empty: none. */
static struct ets_bytes content_of(const struct collector *c,
                                   const struct ets_program_change_line *line, int s)
{
    const struct ets_program_change *change = line->change;
    struct ets_bytes none = {NULL, 0};
    if (change->part == ETS_PART_NAMED_DATA) {
        struct ets_program_named_data data;
        ets_program_named_data(c->difference->sides[s].program, change->index[s], &data);
        return data.bytes;
    }
    if (change->part == ETS_PART_DELEGATE) {
        struct ets_delegate delegate;
        ets_method_delegate(&line->methods[s], change->index[s], &delegate);
        return delegate.blob;
    }
    if (change->part == ETS_PART_CASE_INPUT || change->part == ETS_PART_CASE_OUTPUT) {
        struct ets_value value;
        ets_change_case_value(c->difference, change, s, &value);
        return ets_value_content(&value);
    }
    if (change->part == ETS_PART_NODE) return ets_program_change_node_bytes(line, s);
    if (ets_program_part_is_value(change->part)) {
        struct ets_evalue value;
        ets_program_change_value(line, s, &value);
        if (value.kind == ETS_EVALUE_TENSOR && value.tensor.tensor.data != NULL) {
            return (struct ets_bytes){value.tensor.tensor.data, (size_t)value.tensor.tensor_bytes};
        }
    }
    return none;
}

static enum ets_status hash_content(struct collector *c, struct ets_program_change_line *line)
{
    for (int s = 0; s < 2; s++) {
        const struct ets_constant_holder *holder = line->change->holder;
        const bool is_there = line->change->index[s] != ETS_THING_NONE;
        if (!is_there && holder == NULL) continue;
        const struct ets_bytes content = is_there ? content_of(c, line, s) : holder->bytes;
        if (content.size == 0) continue;
        ETS_TRY(ets_content_hash(&c->difference->contents, content, &line->hashes[s], c->error));
        line->has_hash[s] = true;
    }
    return ETS_OK;
}

static enum ets_status fill_line(struct collector *c, const struct ets_program_change *change,
                                 struct ets_program_change_line *line)
{
    *line = (struct ets_program_change_line){.change = change};
    if (change->method == ETS_THING_NONE) {
        ETS_TRY(hash_content(c, line));
        return compare_numbers(c, line);
    }
    for (int s = 0; s < 2; s++) {
        const struct uses *uses = &c->sides[s].uses;
        line->methods[s] = c->sides[s].method;
        if (!ets_program_part_is_value(change->part) || change->index[s] == ETS_THING_NONE) {
            continue;
        }
        const uint32_t first = uses->first[change->index[s]];
        line->uses[s] = uses->items + first;
        line->use_counts[s] = uses->first[change->index[s] + 1] - first;
    }
    line->node = find_node(c, line);
    name_line(c, line);
    ETS_TRY(hash_content(c, line));
    return ets_program_part_is_value(change->part) ? compare_numbers(c, line) : ETS_OK;
}

enum ets_status ets_program_changes_collect(struct ets_arena *arena,
                                            struct ets_program_difference *difference,
                                            uint32_t most_samples,
                                            struct ets_program_changes *view_out,
                                            struct ets_error *error)
{
    struct collector c = {
        .arena = arena, .difference = difference, .most_samples = most_samples, .error = error};
    *view_out = (struct ets_program_changes){.difference = difference,
                                             .line_count = difference->change_count,
                                             .has_samples = most_samples > 0};
    view_out->lines =
        ets_arena_alloc_array(arena, difference->change_count, sizeof *view_out->lines);
    if (view_out->lines == NULL) return ets_fail_memory(error, "what differs");
    for (uint32_t m = 0; m < difference->method_count; m++) {
        const struct ets_method_pair *pair = &difference->methods[m];
        if (pair->change_count == 0) continue;
        view_out->differing_methods++;
        for (int s = 0; s < 2; s++) ETS_TRY(open_side(&c, pair, s));
        for (uint32_t i = 0; i < pair->change_count; i++) {
            const uint32_t at = pair->first_change + i;
            ETS_TRY(fill_line(&c, &difference->changes[at], &view_out->lines[at]));
        }
    }
    for (uint32_t i = 0; i < difference->change_count; i++) {
        if (difference->changes[i].method != ETS_THING_NONE) continue;
        ETS_TRY(fill_line(&c, &difference->changes[i], &view_out->lines[i]));
    }
    ets_program_changes_say(view_out);
    return ETS_OK;
}
