/* Says what a node of a delegate's payload is, and what differs of it. */
#include "output/table/payload_node_text.h"

#include <string.h>

enum { SHOWN_DIMS = 8 };

struct said {
    struct ets_text_builder *text;
    const struct ets_payload_pair *pair;
    const struct ets_payload_graph *graph;
    const struct ets_payload_node *node, *other; /* other NULL: the node is on one side only */
    int side;
    const char *before; /* what separates this from what was said */
};

#define say(said, ...) ets_add_plain_text((said)->text, __VA_ARGS__)

static void begin(struct said *s)
{
    say(s, "%s", s->before);
    s->before = ", ";
}

static void say_list(struct said *s, const struct ets_payload_parameter *parameter)
{
    for (uint32_t i = 0; i < parameter->count && i < SHOWN_DIMS; i++) {
        say(s, "%s", i == 0 ? " " : "x");
        if (parameter->kind == ETS_PAYLOAD_REALS) say(s, "%.9g", parameter->reals[i]);
        else say(s, "%lld", (long long)parameter->integers[i]);
    }
    if (parameter->count > SHOWN_DIMS) say(s, "...");
}

/* What the parameter is on this side; values are told as inputs. */
static void say_parameter(struct said *s, uint32_t index)
{
    const struct ets_payload_parameter *parameter = &s->node->parameters[index];
    if (parameter->kind == ETS_PAYLOAD_VALUES) return;
    begin(s);
    if (parameter->name != NULL) say(s, "%s", parameter->name);
    else say(s, "argument %u", index);
    if (parameter->kind == ETS_PAYLOAD_NOTHING) say(s, " none");
    else if (parameter->kind == ETS_PAYLOAD_TEXT) say(s, " %.*s", ETS_TEXT(parameter->text));
    else say_list(s, parameter);
}

static void say_parameters(struct said *s)
{
    const struct ets_payload_node *node = s->node, *other = s->other;
    for (uint32_t i = 0; i < node->parameter_count; i++) {
        const bool is_same =
            i < other->parameter_count &&
            ets_payload_same_parameter(&node->parameters[i], &other->parameters[i]);
        if (!is_same) say_parameter(s, i);
    }
    if (ets_payload_same_clamp(node, other)) return;
    begin(s);
    if (node->has_clamp) {
        say(s, "clamp [%.9g, %.9g]", (double)node->clamp_min, (double)node->clamp_max);
    } else {
        say(s, "no clamp");
    }
}

static void say_dims(struct said *s, const struct ets_payload_value *value)
{
    if (value->is_sizeless) return;
    say(s, " [");
    for (uint32_t i = 0; i < value->rank && i < SHOWN_DIMS; i++) {
        say(s, "%s%u", i > 0 ? ", " : "", value->dims[i]);
    }
    say(s, value->rank > SHOWN_DIMS ? ", ...]" : "]");
}

static void say_quantization(struct said *s, const struct ets_payload_value *value)
{
    const struct ets_payload_quantization *q = &value->quantization;
    switch (q->is_given ? q->kind : ETS_PAYLOAD_NOT_QUANTIZED) {
    case ETS_PAYLOAD_NOT_QUANTIZED: say(s, " not quantized"); break;
    case ETS_PAYLOAD_PER_CHANNEL:
        say(s, " quantized per channel of dimension %d", q->channel_dim);
        break;
    case ETS_PAYLOAD_PER_TENSOR:
        say(s, " quantized, scale %.9g, zero point %d", (double)q->scale, q->zero_point);
        break;
    case ETS_PAYLOAD_PER_ROW: say(s, " quantized per row at run time"); break;
    case ETS_PAYLOAD_PER_GROUP: say(s, " quantized in groups of %d", q->group_size); break;
    default: say(s, " quantized in an unknown way (%d)", q->kind);
    }
}

/* Where a value comes from. */
static void say_origin(struct said *s, const struct ets_payload_value *value)
{
    if (value->producer != ETS_PAYLOAD_NONE) say(s, " of node %u", value->producer);
    else if (value->argument != ETS_PAYLOAD_NONE) say(s, " is argument %u", value->argument);
    else if (value->constant != ETS_PAYLOAD_NONE) say(s, " is a constant");
}

static void say_value(struct said *s, const char *what, uint32_t number, uint32_t id,
                      uint64_t fields)
{
    const struct ets_payload_value *value = ets_payload_value(s->graph, id);
    if (fields == 0) return;
    begin(s);
    say(s, "%s %u", what, number);
    if (value == NULL) {
        say(s, " none");
        return;
    }
    if ((fields & ets_field_bit(ETS_FIELD_DTYPE)) != 0) {
        say(s, " %s", value->type->name);
    }
    if ((fields & ets_field_bit(ETS_FIELD_SIZES)) != 0) say_dims(s, value);
    /* A type that is not quantized says so itself. */
    if ((fields & ets_field_bit(ETS_FIELD_QUANTIZATION)) != 0 &&
        (value->quantization.is_given || (fields & ets_field_bit(ETS_FIELD_DTYPE)) == 0)) {
        say_quantization(s, value);
    }
    if ((fields & ets_field_bit(ETS_FIELD_ARGUMENTS)) != 0 && strcmp(what, "input") == 0) {
        say_origin(s, value);
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
    const struct ets_payload_node *node = ets_program_change_payload_node(line, side);
    ets_add_plain_text(text, "%.*s, node %u", ETS_TEXT(node->name), line->change->index[side]);
    if (line->methods[side].delegate_count == 1) return;
    ets_add_plain_text(text, " of delegate %u", line->change->payloads->delegates[side]);
}

void ets_add_payload_node_side(struct ets_text_builder *text,
                               const struct ets_program_change_line *line, int side)
{
    const struct ets_program_change *change = line->change;
    const struct ets_payload_node *node = ets_program_change_payload_node(line, side);
    struct said s = {.text = text,
                     .pair = change->payloads,
                     .graph = change->payloads->sides[side],
                     .node = node,
                     .side = side,
                     .before = ""};
    if (change->fields == 0) {
        say_values(&s, "output", node->outputs, NULL, node->output_count, 0);
        return;
    }
    const struct ets_payload_node *other = ets_program_change_payload_node(line, 1 - side);
    s.other = other;
    say_parameters(&s);
    say_values(&s, "input", node->inputs, other->inputs, node->input_count, other->input_count);
    say_values(&s, "output", node->outputs, other->outputs, node->output_count,
               other->output_count);
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
    const struct ets_payload_node *node = &holder->graph->nodes[holder->node];
    const struct ets_payload_value *value =
        ets_payload_value(holder->graph, node->inputs[holder->input]);
    say(&s, "delegate %u, node %u (%.*s)", holder->delegate, holder->node, ETS_TEXT(node->name));
    if (line->change->fields == 0 || value == NULL) return;
    say(&s, ", as %s", value->type->name);
    say_dims(&s, value);
}
