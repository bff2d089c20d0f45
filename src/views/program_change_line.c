/* What a line of a difference of programs is of. */
#include "views/program_changes.h"

bool ets_program_part_is_value(enum ets_program_part part)
{
    switch (part) {
    case ETS_PART_INPUT:
    case ETS_PART_OUTPUT:
    case ETS_PART_CONSTANT:
    case ETS_PART_STATE:
    case ETS_PART_TENSOR:
    case ETS_PART_VALUE: return true;
    default: return false;
    }
}

void ets_program_change_value(const struct ets_program_change_line *line, int side,
                              struct ets_evalue *value_out)
{
    ets_method_value(&line->methods[side], line->change->index[side], value_out);
}

bool ets_program_change_tensor(const struct ets_program_difference *difference,
                               const struct ets_program_change_line *line, int side,
                               struct ets_tensor *tensor_out)
{
    const enum ets_program_part part = line->change->part;
    if (part == ETS_PART_CASE_INPUT || part == ETS_PART_CASE_OUTPUT) {
        struct ets_value value;
        ets_change_case_value(difference, line->change, side, &value);
        *tensor_out = value.as.tensor;
        return value.kind == ETS_VALUE_TENSOR;
    }
    struct ets_evalue value;
    if (!ets_program_part_is_value(part)) return false;
    ets_program_change_value(line, side, &value);
    *tensor_out = value.tensor.tensor;
    return value.kind == ETS_EVALUE_TENSOR;
}

void ets_program_change_instruction(const struct ets_program_change_line *line, int side,
                                    struct ets_instruction *instruction_out)
{
    struct ets_chain chain;
    ets_method_chain(&line->methods[side], line->change->chain[side], &chain);
    ets_chain_instruction(&chain, line->change->index[side], instruction_out);
}

const struct ets_payload_node *ets_program_change_payload_node(
    const struct ets_program_change_line *line, int side)
{
    const struct ets_program_change *change = line->change;
    return &change->payloads->sides[side]->nodes[change->index[side]];
}

struct ets_bytes ets_program_change_node_bytes(const struct ets_program_change_line *line, int side)
{
    const struct ets_program_change *change = line->change;
    if ((change->fields & ets_field_bit(ETS_FIELD_DATA)) == 0) return (struct ets_bytes){NULL, 0};
    const struct ets_payload_graph *graph = change->payloads->sides[side];
    const struct ets_payload_node *node = ets_program_change_payload_node(line, side);
    const struct ets_payload_value *value =
        ets_payload_value(graph, node->inputs[change->counts[side]]);
    if (value == NULL) return (struct ets_bytes){NULL, 0};
    return ets_payload_constant_bytes(graph, value->constant != ETS_PAYLOAD_NONE
                                                 ? value->constant
                                                 : value->quantization.scale_constant);
}

struct ets_text ets_short_operator(struct ets_text name)
{
    size_t start = 0, end = name.size;
    for (size_t i = 0; i + 1 < name.size; i++) { /* "aten::linear" */
        if (name.data[i] == ':' && name.data[i + 1] == ':') start = i + 2;
    }
    if (start > 0) return (struct ets_text){name.data + start, end - start};
    for (size_t i = 0; i < name.size && start == 0; i++) { /* "aten.linear.default" */
        if (name.data[i] == '.') start = i + 1;
    }
    for (size_t i = start; i < name.size && end == name.size; i++) {
        if (name.data[i] == '.') end = i;
    }
    return (struct ets_text){name.data + start, end - start};
}
