/* Compares the payloads of paired delegates node by node. */
#include <string.h>

#include "base/text.h"
#include "contents/method_parts.h"
#include "contents/payload_pair.h"
#include "host/common_sequence.h"
#include "host/strings.h"

static uint64_t bit_if(bool differs, enum ets_program_field field)
{
    return differs ? ets_field_bit(field) : 0;
}

static bool same_float(float before, float after)
{
    return before == after || (before != before && after != after);
}

bool ets_payload_same_parameter(const struct ets_payload_parameter *before,
                                const struct ets_payload_parameter *after)
{
    if (before->kind != after->kind || before->count != after->count) return false;
    switch (before->kind) {
    case ETS_PAYLOAD_INTEGERS:
        return before->count == 0 || memcmp(before->integers, after->integers,
                                            before->count * sizeof *before->integers) == 0;
    case ETS_PAYLOAD_REALS:
        return before->count == 0 ||
               memcmp(before->reals, after->reals, before->count * sizeof *before->reals) == 0;
    case ETS_PAYLOAD_TEXT: return ets_text_equal(before->text, after->text);
    default: return true;
    }
}

bool ets_payload_same_clamp(const struct ets_payload_node *before,
                            const struct ets_payload_node *after)
{
    return before->has_clamp == after->has_clamp &&
           same_float(before->clamp_min, after->clamp_min) &&
           same_float(before->clamp_max, after->clamp_max);
}

static bool same_parameters(const struct ets_payload_node *a, const struct ets_payload_node *b)
{
    if (a->parameter_count != b->parameter_count || !ets_payload_same_clamp(a, b)) return false;
    for (uint32_t i = 0; i < a->parameter_count; i++) {
        if (!ets_payload_same_parameter(&a->parameters[i], &b->parameters[i])) return false;
    }
    return true;
}

static bool same_quantization(const struct ets_payload_value *before,
                              const struct ets_payload_value *after)
{
    const struct ets_payload_quantization *a = &before->quantization, *b = &after->quantization;
    return a->is_given == b->is_given && a->kind == b->kind && same_float(a->scale, b->scale) &&
           a->zero_point == b->zero_point && a->channel_dim == b->channel_dim &&
           a->group_size == b->group_size && a->scale_count == b->scale_count;
}

static bool same_dims(const struct ets_payload_value *before, const struct ets_payload_value *after)
{
    return before->is_sizeless == after->is_sizeless && before->rank == after->rank &&
           (before->rank == 0 ||
            memcmp(before->dims, after->dims, before->rank * sizeof *before->dims) == 0);
}

/* Whether both come from the same node, or from the same argument of the call, or from none. */
static bool same_origin(const struct ets_payload_pair *pair, const struct ets_payload_value *before,
                        const struct ets_payload_value *after)
{
    if (before->producer != ETS_PAYLOAD_NONE) {
        return pair->partners[before->producer] == after->producer;
    }
    return after->producer == ETS_PAYLOAD_NONE && before->argument == after->argument &&
           (before->constant == ETS_PAYLOAD_NONE) == (after->constant == ETS_PAYLOAD_NONE);
}

uint64_t ets_payload_value_fields(const struct ets_payload_pair *pair, const uint32_t values[2])
{
    const struct ets_payload_value *before = ets_payload_value(pair->sides[0], values[0]);
    const struct ets_payload_value *after = ets_payload_value(pair->sides[1], values[1]);
    if (before == NULL || after == NULL) return bit_if(before != after, ETS_FIELD_ARGUMENTS);
    return bit_if(before->type != after->type, ETS_FIELD_DTYPE) |
           bit_if(!same_dims(before, after), ETS_FIELD_SIZES) |
           bit_if(!same_quantization(before, after), ETS_FIELD_QUANTIZATION) |
           bit_if(!same_origin(pair, before, after), ETS_FIELD_ARGUMENTS);
}

uint64_t ets_payload_node_fields(const struct ets_payload_pair *pair,
                                 const struct ets_payload_node *const nodes[2])
{
    const struct ets_payload_node *a = nodes[0], *b = nodes[1];
    uint64_t fields = bit_if(!same_parameters(a, b), ETS_FIELD_PARAMETERS) |
                      bit_if(a->input_count != b->input_count || a->output_count != b->output_count,
                             ETS_FIELD_ARGUMENTS);
    for (uint32_t k = 0; k < a->input_count && k < b->input_count; k++) {
        const uint32_t values[2] = {a->inputs[k], b->inputs[k]};
        fields |= ets_payload_value_fields(pair, values);
    }
    for (uint32_t k = 0; k < a->output_count && k < b->output_count; k++) {
        const uint32_t values[2] = {a->outputs[k], b->outputs[k]};
        fields |= ets_payload_value_fields(pair, values);
    }
    return fields;
}

/* Whether two constants are the same: by their bytes, or where a file lacks these by their key. */
static enum ets_status same_constant(struct ets_paired_methods *m,
                                     const struct ets_payload_pair *pair,
                                     const uint32_t constants[2], bool *same_out)
{
    const struct ets_payload_constant *found[2];
    *same_out = (constants[0] == ETS_PAYLOAD_NONE) == (constants[1] == ETS_PAYLOAD_NONE);
    if (constants[0] == ETS_PAYLOAD_NONE || constants[1] == ETS_PAYLOAD_NONE) return ETS_OK;
    for (int s = 0; s < 2; s++) found[s] = &pair->sides[s]->constants[constants[s]];
    if (found[0]->bytes.data == NULL || found[1]->bytes.data == NULL) {
        *same_out = ets_text_same(found[0]->key, found[1]->key);
        return ETS_OK;
    }
    return ets_content_equal(m->contents, found[0]->bytes, found[1]->bytes, same_out, m->error);
}

/* The first input of which the bytes differ, its own or those of its scales. */
static enum ets_status find_constant(struct ets_paired_methods *m,
                                     const struct ets_payload_pair *pair,
                                     const struct ets_payload_node *const nodes[2],
                                     uint32_t *input_out)
{
    for (uint32_t k = 0; k < nodes[0]->input_count && k < nodes[1]->input_count; k++) {
        const struct ets_payload_value *before =
            ets_payload_value(pair->sides[0], nodes[0]->inputs[k]);
        const struct ets_payload_value *after =
            ets_payload_value(pair->sides[1], nodes[1]->inputs[k]);
        bool same, same_scales;
        if (before == NULL || after == NULL) continue;
        const uint32_t constants[2] = {before->constant, after->constant};
        const uint32_t scales[2] = {before->quantization.scale_constant,
                                    after->quantization.scale_constant};
        ETS_TRY(same_constant(m, pair, constants, &same));
        ETS_TRY(same_constant(m, pair, scales, &same_scales));
        if (same && same_scales) continue;
        *input_out = k;
        return ETS_OK;
    }
    *input_out = ETS_THING_NONE;
    return ETS_OK;
}

static struct ets_program_change *add_node(const struct ets_payload_pair *pair,
                                           enum ets_program_change_kind kind, uint32_t before,
                                           uint32_t after, struct ets_change_list *changes)
{
    struct ets_program_change *change = ets_change_add(changes, ETS_PART_NODE, kind);
    if (change == NULL) return NULL;
    change->payloads = pair;
    change->index[0] = before;
    change->index[1] = after;
    return change;
}

static enum ets_status compare_nodes(struct ets_paired_methods *m,
                                     const struct ets_payload_pair *pair, uint32_t before,
                                     struct ets_change_list *changes)
{
    const struct ets_payload_node *const nodes[2] = {
        &pair->sides[0]->nodes[before], &pair->sides[1]->nodes[pair->partners[before]]};
    uint32_t input;
    ETS_TRY(find_constant(m, pair, nodes, &input));
    const uint64_t fields =
        ets_payload_node_fields(pair, nodes) | bit_if(input != ETS_THING_NONE, ETS_FIELD_DATA);
    if (fields == 0) return ETS_OK;
    struct ets_program_change *change =
        add_node(pair, ETS_THING_CHANGED, before, pair->partners[before], changes);
    if (change == NULL) return ets_fail_memory(m->error, "what differs");
    change->fields = fields;
    for (int s = 0; s < 2; s++) change->counts[s] = input;
    return ETS_OK;
}

/* Nodes as numbers that are equal where the names are. */
static bool list_names(struct ets_paired_methods *m, const struct ets_payload_graph *graph,
                       struct ets_strings *names, struct ets_sequence *sequence_out)
{
    uint32_t *list = ets_arena_alloc_array(m->arena, graph->node_count, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < graph->node_count; i++) {
        list[i] = ets_strings_add(names, graph->nodes[i].name);
        if (list[i] == UINT32_MAX) return false;
    }
    *sequence_out = (struct ets_sequence){list, graph->node_count};
    return list != NULL;
}

/* Pairs nodes of one name in their order. `*is_paired_out`: of the second side's. */
static bool pair_nodes(struct ets_paired_methods *m, struct ets_payload_pair *pair,
                       bool **is_paired_out)
{
    struct ets_sequence sequences[2];
    struct ets_strings names;
    if (ets_strings_init(&names, m->arena) != 0) return false;
    for (int s = 0; s < 2; s++) {
        if (!list_names(m, pair->sides[s], &names, &sequences[s])) return false;
    }
    const uint32_t before = sequences[0].count, after = sequences[1].count;
    pair->partners = ets_arena_alloc_array(m->arena, before, sizeof *pair->partners);
    *is_paired_out = ets_arena_alloc_array(m->arena, after, sizeof **is_paired_out);
    if (pair->partners == NULL || *is_paired_out == NULL ||
        !ets_common_sequence(m->arena, &sequences[0], &sequences[1], pair->partners)) {
        return false;
    }
    for (uint32_t i = 0; i < before; i++) {
        if (pair->partners[i] != UINT32_MAX) (*is_paired_out)[pair->partners[i]] = true;
    }
    return true;
}

static enum ets_status compare_payloads(struct ets_paired_methods *m, struct ets_payload_pair *pair,
                                        struct ets_change_list *changes)
{
    bool *is_paired;
    if (!pair_nodes(m, pair, &is_paired)) {
        return ets_fail_memory(m->error, "the nodes of a payload");
    }
    for (uint32_t i = 0; i < pair->sides[0]->node_count; i++) {
        if (pair->partners[i] != UINT32_MAX) {
            ETS_TRY(compare_nodes(m, pair, i, changes));
        } else if (add_node(pair, ETS_THING_REMOVED, i, ETS_THING_NONE, changes) == NULL) {
            return ets_fail_memory(m->error, "what differs");
        }
    }
    for (uint32_t i = 0; i < pair->sides[1]->node_count; i++) {
        if (!is_paired[i] && add_node(pair, ETS_THING_ADDED, ETS_THING_NONE, i, changes) == NULL) {
            return ets_fail_memory(m->error, "what differs");
        }
    }
    return ETS_OK;
}

/* Both payloads; NULL: one of them cannot be read, or they are of two backends. */
static enum ets_status read_pair(struct ets_paired_methods *m, const struct ets_delegate both[2],
                                 struct ets_payload_pair **pair_out)
{
    *pair_out = NULL;
    struct ets_payload_pair *pair = ets_arena_alloc_array(m->arena, 1, sizeof *pair);
    if (pair == NULL) return ets_fail_memory(m->error, "a payload");
    if (!ets_text_equal(both[0].id, both[1].id)) return ETS_OK;
    for (int s = 0; s < 2; s++) {
        ETS_TRY(ets_payload_store_read(&m->payloads[s], &both[s], &pair->sides[s], NULL, m->error));
        if (pair->sides[s] == NULL) return ETS_OK;
    }
    *pair_out = pair;
    return ETS_OK;
}

enum ets_status ets_payload_changes(struct ets_paired_methods *m, struct ets_change_list *changes)
{
    for (uint32_t i = 0; i < m->sides[0].method.delegate_count; i++) {
        const uint32_t partner = m->sides[0].delegate_partner[i];
        struct ets_delegate both[2];
        struct ets_payload_pair *pair;
        bool same;
        if (partner == ETS_THING_NONE) continue;
        ets_method_delegate(&m->sides[0].method, i, &both[0]);
        ets_method_delegate(&m->sides[1].method, partner, &both[1]);
        ETS_TRY(ets_content_equal(m->contents, both[0].blob, both[1].blob, &same, m->error));
        if (same) continue;
        ETS_TRY(read_pair(m, both, &pair));
        if (pair == NULL) continue;
        pair->delegates[0] = i;
        pair->delegates[1] = partner;
        ETS_TRY(compare_payloads(m, pair, changes));
    }
    return ETS_OK;
}
