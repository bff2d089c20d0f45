/* Says what a node of an XNNPACK payload is, and what differs of it. */
#include "output/table/payload_node_text.h"

#include <string.h>

enum { SHOWN_DIMS = 8 };

struct said {
    struct ets_text_builder *text;
    const struct ets_payload_pair *pair;
    const struct ets_payload_graph *graph;
    const struct ets_xnnpack_node *node, *other; /* other NULL: the node is on one side only */
    int side;
    const char *before; /* what separates this from what was said */
};

#define say(said, ...) ets_add_plain_text((said)->text, __VA_ARGS__)

static void begin(struct said *s)
{
    say(s, "%s", s->before);
    s->before = ", ";
}

static void say_numbers(struct said *s, const char *name, const uint32_t *numbers,
                        const uint32_t *others, uint32_t count)
{
    if (memcmp(numbers, others, count * sizeof *numbers) == 0) return;
    begin(s);
    say(s, "%s", name);
    for (uint32_t i = 0; i < count; i++) say(s, "%s%u", i == 0 ? " " : "x", numbers[i]);
}

static void say_parameters(struct said *s)
{
    const struct ets_xnnpack_node *node = s->node, *other = s->other;
    say_numbers(s, "kernel", node->kernel, other->kernel, 2);
    say_numbers(s, "stride", node->stride, other->stride, 2);
    say_numbers(s, "dilation", node->dilation, other->dilation, 2);
    say_numbers(s, "padding", node->padding, other->padding, 4);
    say_numbers(s, "groups", &node->groups, &other->groups, 1);
    say_numbers(s, "input channels of a group", &node->group_input_channels,
                &other->group_input_channels, 1);
    say_numbers(s, "output channels of a group", &node->group_output_channels,
                &other->group_output_channels, 1);
    say_numbers(s, "flags", &node->flags, &other->flags, 1);
    if (node->has_min_max == other->has_min_max &&
        memcmp(&node->output_min, &other->output_min, sizeof node->output_min) == 0 &&
        memcmp(&node->output_max, &other->output_max, sizeof node->output_max) == 0) {
        return;
    }
    begin(s);
    if (node->has_min_max) {
        say(s, "clamp [%.9g, %.9g]", (double)node->output_min, (double)node->output_max);
    } else {
        say(s, "no clamp");
    }
}

static void say_dims(struct said *s, const struct ets_xnnpack_value *value)
{
    say(s, " [");
    for (uint32_t i = 0; i < value->rank && i < SHOWN_DIMS; i++) {
        say(s, "%s%u", i > 0 ? ", " : "", ets_xnnpack_dim(&s->graph->xnnpack, value, i));
    }
    say(s, value->rank > SHOWN_DIMS ? ", ...]" : "]");
}

static void say_quantization(struct said *s, const struct ets_xnnpack_value *value)
{
    const struct ets_xnnpack_quantization *q = &value->quantization;
    switch (value->is_quantized ? q->kind : ETS_XNNPACK_NOT_QUANTIZED) {
    case ETS_XNNPACK_NOT_QUANTIZED: say(s, " not quantized"); break;
    case ETS_XNNPACK_PER_CHANNEL:
        say(s, " quantized per channel of dimension %d", q->channel_dim);
        break;
    case ETS_XNNPACK_PER_TENSOR:
        say(s, " quantized, scale %.9g, zero point %d", (double)q->scale, q->zero_point);
        break;
    case ETS_XNNPACK_PER_TOKEN: say(s, " quantized per row at run time"); break;
    case ETS_XNNPACK_PER_GROUP: say(s, " quantized in groups of %d", q->group_size); break;
    default: say(s, " quantized in an unknown way (%d)", q->kind);
    }
}

/* Where a value comes from. */
static void say_origin(struct said *s, const struct ets_xnnpack_value *value)
{
    const uint32_t producer = ets_payload_producer(s->graph, value->id);
    if (producer != UINT32_MAX) say(s, " of node %u", producer);
    else if (value->external_id != ETS_XNNPACK_INTERNAL)
        say(s, " is argument %u", value->external_id);
    else if (value->constant_index != 0) say(s, " is a constant");
}

static void say_value(struct said *s, const char *what, uint32_t number, uint32_t id,
                      uint64_t fields)
{
    struct ets_xnnpack_value value;
    if (fields == 0) return;
    begin(s);
    say(s, "%s %u", what, number);
    if (!ets_payload_value(s->graph, id, &value)) {
        say(s, " none");
        return;
    }
    if ((fields & ets_field_bit(ETS_FIELD_DTYPE)) != 0) {
        say(s, " %s", ets_xnnpack_type_name(value.type));
    }
    if ((fields & ets_field_bit(ETS_FIELD_SIZES)) != 0) say_dims(s, &value);
    /* A type that is not quantized says so itself. */
    if ((fields & ets_field_bit(ETS_FIELD_QUANTIZATION)) != 0 &&
        (value.is_quantized || (fields & ets_field_bit(ETS_FIELD_DTYPE)) == 0)) {
        say_quantization(s, &value);
    }
    if ((fields & ets_field_bit(ETS_FIELD_ARGUMENTS)) != 0 && strcmp(what, "input") == 0) {
        say_origin(s, &value);
    }
}

/* Inputs, or outputs: those of which something differs, and those of one side. */
static void say_values(struct said *s, const char *what, const uint32_t *ids,
                       const uint32_t *others, uint32_t count, uint32_t other_count)
{
    for (uint32_t k = 0; k < count; k++) {
        uint64_t fields = ets_field_bit(ETS_FIELD_DTYPE) | ets_field_bit(ETS_FIELD_SIZES);
        if (k < other_count) {
            const uint32_t both[2] = {s->side == 0 ? ids[k] : others[k],
                                      s->side == 0 ? others[k] : ids[k]};
            fields = ets_payload_value_fields(s->pair, both);
        }
        say_value(s, what, k, ids[k], fields);
    }
}

void ets_add_payload_node(struct ets_text_builder *text, const struct ets_program_change_line *line,
                          int side)
{
    struct ets_xnnpack_node node;
    ets_program_change_payload_node(line, side, &node);
    ets_add_plain_text(text, "%s, node %u", ets_xnnpack_node_name(node.type),
                       line->change->index[side]);
    if (line->methods[side].delegate_count == 1) return;
    ets_add_plain_text(text, " of delegate %u", line->change->payloads->delegates[side]);
}

void ets_add_payload_node_side(struct ets_text_builder *text,
                               const struct ets_program_change_line *line, int side)
{
    const struct ets_program_change *change = line->change;
    struct ets_xnnpack_node node, other;
    struct said s = {.text = text,
                     .pair = change->payloads,
                     .graph = &change->payloads->sides[side],
                     .node = &node,
                     .side = side,
                     .before = ""};
    ets_program_change_payload_node(line, side, &node);
    if (change->fields == 0) {
        say_values(&s, "output", node.outputs, NULL, node.output_count, 0);
        return;
    }
    ets_program_change_payload_node(line, 1 - side, &other);
    s.other = &other;
    say_parameters(&s);
    say_values(&s, "input", node.inputs, other.inputs, node.input_count, other.input_count);
    say_values(&s, "output", node.outputs, other.outputs, node.output_count, other.output_count);
    if ((change->fields & ets_field_bit(ETS_FIELD_DATA)) == 0) return;
    begin(&s);
    say(&s, "input %u ", change->counts[side]);
    if (line->has_hash[side]) say(&s, "hash %016llx", (unsigned long long)line->hashes[side]);
    else say(&s, "bytes that are not in the file");
}

void ets_add_constant_holder(struct ets_text_builder *text,
                             const struct ets_program_change_line *line)
{
    const struct ets_constant_holder *holder = line->change->holder;
    struct said s = {.text = text, .graph = holder->graph, .before = ", "};
    struct ets_xnnpack_node node;
    struct ets_xnnpack_value value;
    ets_xnnpack_node(&holder->graph->xnnpack, holder->node, &node);
    say(&s, "delegate %u, node %u (%s)", holder->delegate, holder->node,
        ets_xnnpack_node_name(node.type));
    if (line->change->fields == 0 ||
        !ets_payload_value(holder->graph, node.inputs[holder->input], &value)) {
        return;
    }
    say(&s, ", as %s", ets_xnnpack_type_name(value.type));
    say_dims(&s, &value);
}
