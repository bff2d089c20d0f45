/* Compares the XNNPACK payloads of paired delegates node by node. */
#include <string.h>

#include "base/text.h"
#include "contents/method_parts.h"
#include "contents/payload_pair.h"
#include "host/common_sequence.h"

static uint64_t bit_if(bool differs, enum ets_program_field field)
{
    return differs ? ets_field_bit(field) : 0;
}

static bool same_float(float before, float after)
{
    return before == after || (before != before && after != after);
}

static bool same_parameters(const struct ets_xnnpack_node *a, const struct ets_xnnpack_node *b)
{
    return a->flags == b->flags && a->has_min_max == b->has_min_max &&
           same_float(a->output_min, b->output_min) && same_float(a->output_max, b->output_max) &&
           memcmp(a->padding, b->padding, sizeof a->padding) == 0 &&
           memcmp(a->kernel, b->kernel, sizeof a->kernel) == 0 &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0 &&
           memcmp(a->dilation, b->dilation, sizeof a->dilation) == 0 && a->groups == b->groups &&
           a->group_input_channels == b->group_input_channels &&
           a->group_output_channels == b->group_output_channels;
}

static bool same_quantization(const struct ets_xnnpack_value *before,
                              const struct ets_xnnpack_value *after)
{
    const struct ets_xnnpack_quantization *a = &before->quantization, *b = &after->quantization;
    return before->is_quantized == after->is_quantized && a->kind == b->kind &&
           same_float(a->scale, b->scale) && a->zero_point == b->zero_point &&
           a->channel_dim == b->channel_dim && a->group_size == b->group_size &&
           a->scale_count == b->scale_count;
}

static bool same_dims(const struct ets_payload_pair *pair, const struct ets_xnnpack_value values[2])
{
    if (values[0].rank != values[1].rank) return false;
    for (uint32_t i = 0; i < values[0].rank; i++) {
        if (ets_xnnpack_dim(&pair->sides[0].xnnpack, &values[0], i) !=
            ets_xnnpack_dim(&pair->sides[1].xnnpack, &values[1], i)) {
            return false;
        }
    }
    return true;
}

/* Whether both come from the same node, or from the same argument of the call, or from none. */
static bool same_origin(const struct ets_payload_pair *pair,
                        const struct ets_xnnpack_value values[2])
{
    uint32_t producers[2];
    for (int s = 0; s < 2; s++) {
        producers[s] = ets_payload_producer(&pair->sides[s], values[s].id);
    }
    if (producers[0] != UINT32_MAX) return pair->partners[producers[0]] == producers[1];
    return producers[1] == UINT32_MAX && values[0].external_id == values[1].external_id &&
           (values[0].constant_index == 0) == (values[1].constant_index == 0);
}

uint64_t ets_payload_value_fields(const struct ets_payload_pair *pair, const uint32_t ids[2])
{
    struct ets_xnnpack_value values[2];
    const bool was = ets_payload_value(&pair->sides[0], ids[0], &values[0]);
    const bool is = ets_payload_value(&pair->sides[1], ids[1], &values[1]);
    if (!was || !is) return bit_if(was != is, ETS_FIELD_ARGUMENTS);
    return bit_if(values[0].type != values[1].type, ETS_FIELD_DTYPE) |
           bit_if(!same_dims(pair, values), ETS_FIELD_SIZES) |
           bit_if(!same_quantization(&values[0], &values[1]), ETS_FIELD_QUANTIZATION) |
           bit_if(!same_origin(pair, values), ETS_FIELD_ARGUMENTS);
}

uint64_t ets_payload_node_fields(const struct ets_payload_pair *pair,
                                 const struct ets_xnnpack_node nodes[2])
{
    const struct ets_xnnpack_node *a = &nodes[0], *b = &nodes[1];
    uint64_t fields = bit_if(!same_parameters(a, b), ETS_FIELD_PARAMETERS) |
                      bit_if(a->input_count != b->input_count || a->output_count != b->output_count,
                             ETS_FIELD_ARGUMENTS);
    for (uint32_t k = 0; k < a->input_count && k < b->input_count; k++) {
        const uint32_t ids[2] = {a->inputs[k], b->inputs[k]};
        fields |= ets_payload_value_fields(pair, ids);
    }
    for (uint32_t k = 0; k < a->output_count && k < b->output_count; k++) {
        const uint32_t ids[2] = {a->outputs[k], b->outputs[k]};
        fields |= ets_payload_value_fields(pair, ids);
    }
    return fields;
}

/* Whether two constants are the same: by their bytes, or where a file lacks these by their key. */
static enum ets_status same_constant(struct ets_paired_methods *m,
                                     const struct ets_payload_pair *pair,
                                     const uint32_t constants[2], bool *same_out)
{
    struct ets_bytes bytes[2];
    struct ets_xnnpack_constant found[2];
    *same_out = (constants[0] == 0) == (constants[1] == 0);
    if (constants[0] == 0 || constants[1] == 0) return ETS_OK;
    for (int s = 0; s < 2; s++) {
        bytes[s] = ets_payload_constant(&pair->sides[s], constants[s], NULL);
        ets_xnnpack_constant(&pair->sides[s].xnnpack, constants[s], &found[s]);
    }
    if (bytes[0].data == NULL || bytes[1].data == NULL) {
        *same_out = ets_text_same(found[0].key, found[1].key);
        return ETS_OK;
    }
    return ets_content_equal(m->contents, bytes[0], bytes[1], same_out, m->error);
}

/* The first input of which the bytes differ, its own or those of its scales. */
static enum ets_status find_constant(struct ets_paired_methods *m,
                                     const struct ets_payload_pair *pair,
                                     const struct ets_xnnpack_node nodes[2], uint32_t *input_out)
{
    for (uint32_t k = 0; k < nodes[0].input_count && k < nodes[1].input_count; k++) {
        struct ets_xnnpack_value values[2];
        bool same, same_scales;
        if (!ets_payload_value(&pair->sides[0], nodes[0].inputs[k], &values[0]) ||
            !ets_payload_value(&pair->sides[1], nodes[1].inputs[k], &values[1])) {
            continue;
        }
        const uint32_t constants[2] = {values[0].constant_index, values[1].constant_index};
        const uint32_t scales[2] = {values[0].quantization.scale_constant,
                                    values[1].quantization.scale_constant};
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
    struct ets_xnnpack_node nodes[2];
    uint32_t input;
    ets_xnnpack_node(&pair->sides[0].xnnpack, before, &nodes[0]);
    ets_xnnpack_node(&pair->sides[1].xnnpack, pair->partners[before], &nodes[1]);
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

/* Pairs nodes of one type in their order. `*is_paired_out`: of the second side's. */
static bool pair_nodes(struct ets_paired_methods *m, struct ets_payload_pair *pair,
                       bool **is_paired_out)
{
    uint32_t *types[2];
    struct ets_sequence sequences[2];
    for (int s = 0; s < 2; s++) {
        const struct ets_xnnpack *xnnpack = &pair->sides[s].xnnpack;
        types[s] = ets_arena_alloc_array(m->arena, xnnpack->node_count, sizeof *types[s]);
        if (types[s] == NULL) return false;
        for (uint32_t i = 0; i < xnnpack->node_count; i++) {
            struct ets_xnnpack_node node;
            ets_xnnpack_node(xnnpack, i, &node);
            types[s][i] = (uint32_t)node.type;
        }
        sequences[s] = (struct ets_sequence){types[s], xnnpack->node_count};
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
    for (uint32_t i = 0; i < pair->sides[0].xnnpack.node_count; i++) {
        if (pair->partners[i] != UINT32_MAX) {
            ETS_TRY(compare_nodes(m, pair, i, changes));
        } else if (add_node(pair, ETS_THING_REMOVED, i, ETS_THING_NONE, changes) == NULL) {
            return ets_fail_memory(m->error, "what differs");
        }
    }
    for (uint32_t i = 0; i < pair->sides[1].xnnpack.node_count; i++) {
        if (!is_paired[i] && add_node(pair, ETS_THING_ADDED, ETS_THING_NONE, i, changes) == NULL) {
            return ets_fail_memory(m->error, "what differs");
        }
    }
    return ETS_OK;
}

/* Both payloads; NULL: one of them is none of XNNPACK's, or cannot be read. */
static enum ets_status read_pair(struct ets_paired_methods *m, const struct ets_delegate both[2],
                                 struct ets_payload_pair **pair_out)
{
    *pair_out = NULL;
    struct ets_payload_pair *pair = ets_arena_alloc_array(m->arena, 1, sizeof *pair);
    if (pair == NULL) return ets_fail_memory(m->error, "a payload");
    for (int s = 0; s < 2; s++) {
        if (!ets_text_is(both[s].id, ETS_XNNPACK_BACKEND)) return ETS_OK;
        ETS_TRY(ets_content_spend(m->contents, both[s].blob.size, m->error));
        const enum ets_status status =
            ets_payload_graph_read(m->arena, &m->named[s], both[s].blob, &pair->sides[s], m->error);
        if (status == ETS_NO_MEMORY) return status;
        if (status != ETS_OK) return ETS_OK;
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
