/*
 * The payload of Arm's VGF backend: segments that run one after the other, each a graph in SPIR-V
 * whose instructions are TOSA's operators. VGF keeps no names of operators.
 */
#include <string.h>

#include "base/text.h"
#include "format/spirv.h"
#include "format/vgf.h"
#include "payload/tosa_operators.h"

static const char *const backends[] = {"VgfBackend", NULL};

/* How deep composites of constants may be, and the most dimensions that are read. */
enum { MOST_DEPTH = 16, MOST_RANK = 16 };

struct reading {
    struct ets_payload_builder *builder;
    struct ets_vgf vgf;
    uint32_t value_room, constant_room;
    uint32_t resource_count;
    uint32_t *resource_values; /* [resource_count] the value that it holds; NONE */
    /* of the segment at hand: */
    struct ets_spirv module;
    struct ets_fb segment;
    uint32_t *places; /* [module.bound] first word of the instruction that defines an id; 0: none */
    uint32_t *values; /* [module.bound] value + 1; 0: none yet */
    uint32_t tosa;    /* id of the set of instructions */
};

/* ---- types ---- */

static bool is_defined(const struct reading *r, uint32_t id)
{
    return id < r->module.bound && r->places[id] != 0;
}

/* The instruction that defines an id; of opcode 0 where none does. */
static struct ets_spirv_instruction definition(const struct reading *r, uint32_t id)
{
    if (!is_defined(r, id)) return (struct ets_spirv_instruction){0, 0, 0};
    return ets_spirv_at(&r->module, r->places[id]);
}

static uint32_t operand(const struct reading *r, const struct ets_spirv_instruction *instruction,
                        uint32_t index)
{
    return ets_spirv_operand(&r->module, instruction, index);
}

/* TOSA's number of an element type. */
static uint32_t element_type(const struct reading *r, uint32_t id)
{
    const struct ets_spirv_instruction type = definition(r, id);
    const uint32_t bits = operand(r, &type, 1);
    switch (type.opcode) {
    case ETS_SPIRV_TYPE_BOOL: return 1;
    case ETS_SPIRV_TYPE_INT:
        return bits == 8 ? 3 : bits == 16 ? 4 : bits == 32 ? ETS_TOSA_INT32 : bits == 64 ? 17 : 0;
    case ETS_SPIRV_TYPE_FLOAT:
        if (bits == 32) return 7;
        if (bits != 16) return 0;
        return type.count > 2 ? 9 : 8; /* with an encoding it is bfloat16 */
    default: return 0;
    }
}

/* The value of a constant that is one integer of 32 bits. */
static uint32_t word_of(const struct reading *r, uint32_t id)
{
    const struct ets_spirv_instruction constant = definition(r, id);
    return constant.opcode == ETS_SPIRV_CONSTANT ? operand(r, &constant, 2) : 0;
}

struct tensor_type {
    uint32_t element; /* of TOSA's types */
    uint32_t rank;    /* 0: a scalar, or not stated */
    uint32_t dims[MOST_RANK];
};

static struct tensor_type type_of(const struct reading *r, uint32_t id)
{
    struct tensor_type out = {.rank = 0};
    const struct ets_spirv_instruction type = definition(r, id);
    if (type.opcode != ETS_SPIRV_TYPE_TENSOR) {
        out.element = element_type(r, id);
        return out;
    }
    out.element = element_type(r, operand(r, &type, 1));
    const struct ets_spirv_instruction shape = definition(r, operand(r, &type, 3));
    if (shape.opcode != ETS_SPIRV_CONSTANT_COMPOSITE || shape.count - 2 > MOST_RANK) return out;
    out.rank = shape.count - 2;
    for (uint32_t i = 0; i < out.rank; i++) out.dims[i] = word_of(r, operand(r, &shape, 2 + i));
    return out;
}

static bool count_elements(const struct tensor_type *type, uint64_t *out)
{
    *out = 1;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (!ets_mul_u64(*out, type->dims[i], out)) return false;
    }
    return true;
}

/* ---- constants in the code ---- */

struct pieces {
    uint8_t *bytes;
    uint64_t used, size;
    uint32_t element_bytes;
};

/* Writes the bytes of a constant; composites may share what they consist of. false: too much was
 * asked for. */
static bool flatten(struct reading *r, uint32_t id, uint32_t depth, struct pieces *out)
{
    const struct ets_spirv_instruction constant = definition(r, id);
    if (!ets_payload_look(r->builder, 1)) return false;
    if (depth > MOST_DEPTH) return true;
    if (constant.opcode == ETS_SPIRV_CONSTANT_COMPOSITE) {
        for (uint32_t i = 2; i < constant.count && out->used < out->size; i++) {
            if (!flatten(r, operand(r, &constant, i), depth + 1, out)) return false;
        }
        return true;
    }
    if (constant.opcode == ETS_SPIRV_CONSTANT_NULL) {
        const struct tensor_type type = type_of(r, operand(r, &constant, 0));
        uint64_t elements, bytes;
        if (!count_elements(&type, &elements) ||
            !ets_mul_u64(elements, out->element_bytes, &bytes)) {
            bytes = UINT64_MAX;
        }
        out->used = bytes < out->size - out->used ? out->used + bytes : out->size;
        return true;
    }
    for (uint32_t i = 0; i < out->element_bytes && out->used < out->size; i++) {
        const uint32_t word = operand(r, &constant, 2 + i / 4);
        const bool is_true = constant.opcode == ETS_SPIRV_CONSTANT_TRUE && i == 0;
        out->bytes[out->used++] =
            constant.opcode == ETS_SPIRV_CONSTANT ? (uint8_t)(word >> 8 * (i % 4)) : is_true;
    }
    return true;
}

/* A constant in one piece; bytes NULL: it has no elements, or of no known size. */
static bool assemble(struct reading *r, uint32_t id, struct tensor_type *type,
                     struct ets_bytes *out)
{
    const struct ets_spirv_instruction constant = definition(r, id);
    struct pieces pieces = {.used = 0};
    uint64_t elements;
    *type = type_of(r, operand(r, &constant, 0));
    *out = (struct ets_bytes){NULL, 0};
    pieces.element_bytes = ets_tosa_type(type->element)->bits / 8;
    if (pieces.element_bytes == 0 || !count_elements(type, &elements)) return true;
    if (!ets_mul_u64(elements, pieces.element_bytes, &pieces.size) || pieces.size == 0) {
        return true;
    }
    if (pieces.size > r->builder->room || pieces.size > UINT32_MAX) {
        r->builder->is_beyond = true;
        return false;
    }
    pieces.bytes = ets_payload_room(r->builder, (size_t)pieces.size, 1);
    if (pieces.bytes == NULL) return false;
    if (!flatten(r, id, 0, &pieces)) return false;
    *out = (struct ets_bytes){pieces.bytes, (size_t)pieces.size};
    return true;
}

/* ---- values ---- */

/* NONE: no memory. */
static uint32_t add_value(struct reading *r, const struct tensor_type *type)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    if (!ets_payload_look(r->builder, sizeof *graph->values)) return ETS_PAYLOAD_NONE;
    graph->values = ets_arena_grow(r->builder->arena, graph->values, graph->value_count,
                                   &r->value_room, sizeof *graph->values);
    uint32_t *dims = ets_payload_room(r->builder, type->rank, sizeof *dims);
    if (graph->values == NULL || dims == NULL) return ETS_PAYLOAD_NONE;
    for (uint32_t i = 0; i < type->rank; i++) dims[i] = type->dims[i];
    struct ets_payload_value *out = &graph->values[graph->value_count];
    *out = (struct ets_payload_value){.type = ets_tosa_type(type->element),
                                      .rank = type->rank,
                                      .dims = dims,
                                      .argument = ETS_PAYLOAD_NONE,
                                      .constant = ETS_PAYLOAD_NONE};
    out->quantization.scale_constant = ETS_PAYLOAD_NONE;
    return graph->value_count++;
}

static bool add_constant(struct reading *r, uint32_t value, struct ets_bytes bytes,
                         bool is_assembled)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    if (bytes.size == 0) return true;
    if (!ets_payload_look(r->builder, sizeof *graph->constants)) return false;
    graph->constants = ets_arena_grow(r->builder->arena, graph->constants, graph->constant_count,
                                      &r->constant_room, sizeof *graph->constants);
    if (graph->constants == NULL) return false;
    graph->constants[graph->constant_count] =
        (struct ets_payload_constant){.bytes = bytes, .is_assembled = is_assembled};
    graph->values[value].constant = graph->constant_count++;
    return true;
}

/* The constant of the section that the segment calls by `number`. */
static bool take_section_constant(struct reading *r, uint32_t value, uint32_t number)
{
    const struct ets_fb_vector constants = ets_fb_vector(r->segment, ETS_VGF_SEGMENT_CONSTANTS);
    struct ets_vgf_constant constant;
    if (number >= constants.count) return true;
    const uint32_t index = (uint32_t)ets_fb_vector_i32(constants, number);
    if (index >= r->vgf.constant_count) return true;
    ets_vgf_constant(&r->vgf, index, &constant);
    return add_constant(r, value, constant.bytes, false);
}

/* The resource of the segment's input or output `index`; NONE: there is none. */
static uint32_t resource_of(const struct reading *r, unsigned slot, uint32_t index)
{
    const struct ets_fb_vector slots = ets_fb_vector(r->segment, slot);
    if (index >= slots.count) return ETS_PAYLOAD_NONE;
    const uint32_t resource =
        ets_fb_u32(ets_fb_vector_table(slots, index), ETS_VGF_SLOT_RESOURCE, 0);
    return resource < r->resource_count ? resource : ETS_PAYLOAD_NONE;
}

/* The value of an id, made when it is first asked for. *out NONE: it is none that is known. */
static bool value_of(struct reading *r, uint32_t id, uint32_t *out)
{
    const struct ets_spirv_instruction from = definition(r, id);
    *out = ETS_PAYLOAD_NONE;
    if (from.opcode == 0) return true;
    if (r->values[id] != 0) {
        *out = r->values[id] - 1;
        return true;
    }
    struct tensor_type type = type_of(r, operand(r, &from, 0));
    struct ets_bytes bytes = {NULL, 0};
    if (from.opcode == ETS_SPIRV_GRAPH_INPUT) {
        const uint32_t resource =
            resource_of(r, ETS_VGF_SEGMENT_INPUTS, word_of(r, operand(r, &from, 2)));
        if (resource != ETS_PAYLOAD_NONE) *out = r->resource_values[resource];
    } else if (from.opcode != ETS_SPIRV_GRAPH_CONSTANT && from.opcode != ETS_SPIRV_EXT_INST &&
               !assemble(r, id, &type, &bytes)) {
        return false;
    }
    if (*out == ETS_PAYLOAD_NONE) *out = add_value(r, &type);
    if (*out == ETS_PAYLOAD_NONE) return false;
    r->values[id] = *out + 1;
    if (from.opcode == ETS_SPIRV_GRAPH_CONSTANT) {
        return take_section_constant(r, *out, operand(r, &from, 2));
    }
    return add_constant(r, *out, bytes, true);
}

/* ---- operators ---- */

static double real_of(const uint8_t *at, const struct ets_payload_type *type)
{
    const uint32_t wide =
        type->numbers == ETS_PAYLOAD_BFLOAT16 ? (uint32_t)ets_load_u16(at) << 16 : 0;
    float value;
    memcpy(&value, &wide, sizeof value);
    return (double)(type->bits == 32 ? ets_load_f32(at) : value);
}

static int64_t integer_of(const uint8_t *at, uint32_t bits)
{
    switch (bits) {
    case 8: return (int8_t)at[0];
    case 16: return (int16_t)ets_load_u16(at);
    case 32: return (int32_t)ets_load_u32(at);
    default: return (int64_t)ets_load_u64(at);
    }
}

/* Numbers of halves are left out: no operator of 16 bits has more than its bounds of them. */
static bool read_attribute(struct reading *r, uint32_t id, struct ets_payload_parameter *out)
{
    struct tensor_type type;
    struct ets_bytes bytes;
    if (!assemble(r, id, &type, &bytes)) return false;
    const struct ets_payload_type *element = ets_tosa_type(type.element);
    if (bytes.size == 0 || element->numbers == ETS_PAYLOAD_FLOAT16) return true;
    const uint32_t size = element->bits / 8;
    const size_t count = bytes.size / size;
    const bool is_real =
        element->numbers == ETS_PAYLOAD_FLOAT32 || element->numbers == ETS_PAYLOAD_BFLOAT16;
    int64_t *integers = is_real ? NULL : ets_payload_room(r->builder, count, sizeof *integers);
    double *reals = is_real ? ets_payload_room(r->builder, count, sizeof *reals) : NULL;
    if (integers == NULL && reals == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        if (is_real) reals[i] = real_of(bytes.data + size * i, element);
        else integers[i] = integer_of(bytes.data + size * i, element->bits);
    }
    out->kind = is_real ? ETS_PAYLOAD_REALS : ETS_PAYLOAD_INTEGERS;
    out->is_list = type.rank > 0;
    out->count = (uint32_t)count;
    out->integers = integers;
    out->reals = reals;
    return true;
}

/* The next of some names with blanks between them, terminated. NULL: no memory. */
static const char *next_name(struct reading *r, const char **rest)
{
    const size_t size = strcspn(*rest, " ");
    char *name = ets_payload_room(r->builder, size + 1, 1);
    if (name == NULL) return NULL;
    memcpy(name, *rest, size);
    name[size] = '\0';
    *rest += size + ((*rest)[size] == ' ');
    return name;
}

static uint32_t count_names(const char *names)
{
    uint32_t count = names != NULL && *names != '\0';
    for (; names != NULL && *names != '\0'; names++) count += *names == ' ';
    return count;
}

/* Operands: type, result, set, number; then attributes, then tensors. */
enum { FIRST_ATTRIBUTE = 4 };

static bool read_attributes(struct reading *r, const struct ets_spirv_instruction *instruction,
                            const struct ets_tosa_operator *operator_, struct ets_payload_node *out)
{
    const uint32_t count = operator_ != NULL ? count_names(operator_->attributes) : 0;
    struct ets_payload_parameter *list = ets_payload_room(r->builder, count, sizeof *list);
    const char *names = count > 0 ? operator_->attributes : "";
    if (list == NULL) return false;
    out->parameters = list;
    out->parameter_count = count;
    for (uint32_t i = 0; i < count; i++) {
        list[i].name = next_name(r, &names);
        if (list[i].name == NULL ||
            !read_attribute(r, operand(r, instruction, FIRST_ATTRIBUTE + i), &list[i])) {
            return false;
        }
    }
    return true;
}

static bool read_operator(struct reading *r, const struct ets_spirv_instruction *instruction)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    struct ets_payload_node *out = &graph->nodes[graph->node_count++];
    const uint32_t number = operand(r, instruction, 3);
    const struct ets_tosa_operator *operator_ =
        number < ETS_PAYLOAD_NONE ? ets_tosa_operator(number + 1) : NULL;
    if (!read_attributes(r, instruction, operator_, out)) return false;
    const uint32_t first = FIRST_ATTRIBUTE + out->parameter_count;
    out->input_count = instruction->count > first ? instruction->count - first : 0;
    uint32_t *inputs = ets_payload_room(r->builder, out->input_count, sizeof *inputs);
    uint32_t *outputs = ets_payload_room(r->builder, 1, sizeof *outputs);
    if (inputs == NULL || outputs == NULL) return false;
    for (uint32_t i = 0; i < out->input_count; i++) {
        if (!value_of(r, operand(r, instruction, first + i), &inputs[i])) return false;
    }
    if (!value_of(r, operand(r, instruction, 1), outputs)) return false;
    out->inputs = inputs;
    out->outputs = outputs;
    out->output_count = 1;
    ets_tosa_explain(graph, operator_ != NULL ? number + 1 : 0, out);
    return true;
}

static bool set_output(struct reading *r, const struct ets_spirv_instruction *instruction)
{
    uint32_t value;
    const uint32_t resource =
        resource_of(r, ETS_VGF_SEGMENT_OUTPUTS, word_of(r, operand(r, instruction, 1)));
    if (!value_of(r, operand(r, instruction, 0), &value)) return false;
    if (resource != ETS_PAYLOAD_NONE) r->resource_values[resource] = value;
    return true;
}

/* ---- segments ---- */

/* Where ids are defined, and which set of instructions is TOSA's. */
static bool index_module(struct reading *r)
{
    struct ets_spirv_instruction instruction;
    r->places = ets_payload_room(r->builder, r->module.bound, sizeof *r->places);
    r->values = ets_payload_room(r->builder, r->module.bound, sizeof *r->values);
    r->tosa = UINT32_MAX;
    if (r->places == NULL || r->values == NULL) return false;
    for (uint32_t at = 0; ets_spirv_next(&r->module, &at, &instruction);) {
        const uint32_t result = ets_spirv_result(&r->module, &instruction);
        if (result == 0 || result >= r->module.bound) continue;
        r->places[result] = instruction.at - 1;
        if (instruction.opcode == ETS_SPIRV_EXT_INST_IMPORT &&
            ets_text_starts_with(ets_spirv_text(&r->module, &instruction, 1), "TOSA.")) {
            r->tosa = result;
        }
    }
    return true;
}

static bool is_operator(const struct reading *r, const struct ets_spirv_instruction *instruction)
{
    return instruction->opcode == ETS_SPIRV_EXT_INST && operand(r, instruction, 2) == r->tosa;
}

/* Segments may share a module: each makes nodes of its own. */
static bool make_nodes_room(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    struct ets_spirv_instruction instruction;
    uint32_t count = 0;
    for (uint32_t at = 0; ets_spirv_next(&r->module, &at, &instruction);) {
        count += is_operator(r, &instruction);
    }
    if (!ets_payload_look(r->builder, r->module.word_count)) return false;
    struct ets_payload_node *nodes =
        ets_payload_room(r->builder, (size_t)graph->node_count + count, sizeof *nodes);
    if (nodes == NULL) return false;
    if (graph->node_count > 0) memcpy(nodes, graph->nodes, graph->node_count * sizeof *nodes);
    graph->nodes = nodes;
    return true;
}

static bool read_instructions(struct reading *r)
{
    struct ets_spirv_instruction instruction;
    for (uint32_t at = 0; ets_spirv_next(&r->module, &at, &instruction);) {
        if (is_operator(r, &instruction) && !read_operator(r, &instruction)) return false;
        if (instruction.opcode == ETS_SPIRV_GRAPH_SET_OUTPUT && !set_output(r, &instruction)) {
            return false;
        }
    }
    return true;
}

static enum ets_status read_segment(struct reading *r, uint32_t index, const uint8_t *payload,
                                    struct ets_error *error)
{
    r->segment = ets_fb_vector_table(ets_fb_vector(r->vgf.sequence, ETS_VGF_SEGMENTS), index);
    if (ets_fb_u8(r->segment, ETS_VGF_SEGMENT_TYPE, 0) != ETS_VGF_GRAPH) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "segment %u is a shader: what it computes cannot be read", index);
    }
    const struct ets_bytes code =
        ets_vgf_code(&r->vgf, ets_fb_u32(r->segment, ETS_VGF_SEGMENT_MODULE, 0));
    if (code.data == NULL) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET, "segment %u has no SPIR-V code",
                        index);
    }
    ETS_TRY(ets_spirv_init(&r->module, code, (uint64_t)(code.data - payload), error));
    if (index_module(r) && make_nodes_room(r) && read_instructions(r)) return ETS_OK;
    return ets_fail_memory(error, "a VGF payload");
}

/* ---- the graph ---- */

/* TOSA's number of a type of Vulkan's. */
static uint32_t type_of_format(uint32_t format)
{
    static const struct {
        uint32_t format, type;
    } known[] = {
        {9, 3},  {13, 3}, {14, 3},  {74, 4},   {75, 4},   {76, 8},
        {98, 5}, {99, 5}, {100, 7}, {110, 17}, {111, 17}, {1000460000, 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].format == format) return known[i].type;
    }
    return 0;
}

static struct tensor_type type_of_resource(const struct reading *r, uint32_t index)
{
    const struct ets_fb entry =
        ets_fb_vector_table(ets_fb_vector(r->vgf.resources, ETS_VGF_RESOURCES), index);
    const struct ets_fb_vector shape =
        ets_fb_vector(ets_fb_table(entry, ETS_VGF_RESOURCE_DESCRIPTION), ETS_VGF_DESCRIPTION_SHAPE);
    struct tensor_type out = {.element =
                                  type_of_format(ets_fb_u32(entry, ETS_VGF_RESOURCE_FORMAT, 0))};
    if (shape.count > MOST_RANK) return out;
    out.rank = shape.count;
    for (uint32_t i = 0; i < out.rank; i++) {
        const int64_t size = ets_fb_vector_i64(shape, i);
        out.dims[i] = size > 0 && size <= UINT32_MAX ? (uint32_t)size : 0;
    }
    return out;
}

static uint32_t argument_resource(const struct reading *r, struct ets_fb_vector slots,
                                  uint32_t index)
{
    const uint32_t resource =
        ets_fb_u32(ets_fb_vector_table(slots, index), ETS_VGF_SLOT_RESOURCE, 0);
    return resource < r->resource_count ? resource : ETS_PAYLOAD_NONE;
}

static bool add_inputs(struct reading *r)
{
    const struct ets_fb_vector inputs = ets_fb_vector(r->vgf.sequence, ETS_VGF_INPUTS);
    const struct ets_fb_vector outputs = ets_fb_vector(r->vgf.sequence, ETS_VGF_OUTPUTS);
    struct ets_payload_graph *graph = &r->builder->graph;
    r->resource_count = ets_fb_vector(r->vgf.resources, ETS_VGF_RESOURCES).count;
    r->resource_values =
        ets_payload_room(r->builder, r->resource_count, sizeof *r->resource_values);
    graph->argument_count = inputs.count + outputs.count;
    graph->is_output = ets_payload_room(r->builder, graph->argument_count, 1);
    if (r->resource_values == NULL || graph->is_output == NULL) return false;
    for (uint32_t i = 0; i < r->resource_count; i++) r->resource_values[i] = ETS_PAYLOAD_NONE;
    for (uint32_t i = 0; i < inputs.count; i++) {
        const uint32_t resource = argument_resource(r, inputs, i);
        if (resource == ETS_PAYLOAD_NONE) continue;
        const struct tensor_type type = type_of_resource(r, resource);
        const uint32_t value = add_value(r, &type);
        if (value == ETS_PAYLOAD_NONE) return false;
        graph->values[value].argument = i;
        graph->values[value].is_input = true;
        r->resource_values[resource] = value;
    }
    return true;
}

static void mark_outputs(struct reading *r)
{
    const struct ets_fb_vector outputs = ets_fb_vector(r->vgf.sequence, ETS_VGF_OUTPUTS);
    struct ets_payload_graph *graph = &r->builder->graph;
    const uint32_t first = graph->argument_count - outputs.count;
    for (uint32_t i = 0; i < outputs.count; i++) {
        const uint32_t resource = argument_resource(r, outputs, i);
        graph->is_output[first + i] = 1;
        if (resource == ETS_PAYLOAD_NONE) continue;
        const uint32_t value = r->resource_values[resource];
        if (value >= graph->value_count) continue;
        graph->values[value].is_output = true;
        if (graph->values[value].argument == ETS_PAYLOAD_NONE) {
            graph->values[value].argument = first + i;
        }
    }
}

static enum ets_status read_payload(struct ets_payload_builder *builder, struct ets_bytes bytes,
                                    struct ets_error *error)
{
    struct reading r = {.builder = builder};
    ETS_TRY(ets_vgf_init(&r.vgf, bytes, error));
    builder->graph.flatbuffer = bytes;
    if (!add_inputs(&r)) return ets_fail_memory(error, "a VGF payload");
    const uint32_t segments = ets_fb_vector(r.vgf.sequence, ETS_VGF_SEGMENTS).count;
    for (uint32_t i = 0; i < segments; i++) {
        ETS_TRY(read_segment(&r, i, bytes.data, error));
    }
    mark_outputs(&r);
    return ETS_OK;
}

const struct ets_payload_reader ets_payload_vgf = {
    .backends = backends,
    .format = "VGF graph",
    .read = read_payload,
    .identifier = ets_payload_vgf_identifier,
};
