/* What a program consists of: the parts of its FlatBuffer, constants, start values, named data. */
#include "contents/byte_claims.h"
#include "format/flatbuffer_walk.h"
#include "format/program_lists.h"
#include "format/program_schema.h"
#include "record/record_maps.h"

/* Of more methods the parts are added up: no real program has as many. */
enum { MOST_METHODS = 64 };
/* Arguments of an instruction that may be constants with names: operators take a dozen. */
enum { MOST_ARGUMENTS = 64 };

/* What a piece of the FlatBuffer belongs to; in a label behind the number of the method. */
enum kind {
    OF_METHOD, /* its own table, inputs, outputs, names, sizes of arenas */
    OF_VALUES,
    OF_CHAINS, /* and instructions */
    OF_TRACES,
    OF_OPERATORS,
    OF_DELEGATES,
    METHOD_KINDS,
    OF_ROOT = METHOD_KINDS, /* header, version */
    OF_DATA_LIST,           /* named data, segments, offsets of constants */
    KINDS,
    OF_INLINE = KINDS, /* constants and payloads in the FlatBuffer: their tables, ... */
    OF_INLINE_DATA     /* ... and what is data of its own */
};
enum { KIND_BITS = 4, KIND_MASK = (1 << KIND_BITS) - 1 };

static const char *const contents[KINDS] = {
    "methods",   "values",    "instructions", "stack traces",
    "operators", "delegates", "header",       "list of data",
};

struct walk {
    struct ets_byte_claims *sheet;
    bool by_method;
    uint32_t *items; /* [methods][METHOD_KINDS], then the others */
    uint32_t methods;
};

/* Only a chain has its slot of traces, so that the tables below it need no label of their own. */
static uint32_t label_of(uint32_t parent, unsigned slot, uint32_t index)
{
    const uint32_t number = parent >> KIND_BITS << KIND_BITS;
    switch (parent & KIND_MASK) {
    case OF_ROOT:
        if (slot == PROGRAM_PLANS && index != ETS_FB_WHOLE) return index << KIND_BITS | OF_METHOD;
        if (slot == PROGRAM_CONSTANT_BUFFER || slot == PROGRAM_INLINE_DELEGATES) return OF_INLINE;
        return slot == PROGRAM_PLANS ? OF_ROOT : OF_DATA_LIST;
    case OF_METHOD:
        switch (slot) {
        case PLAN_VALUES: return number | OF_VALUES;
        case PLAN_CHAINS: return number | OF_CHAINS;
        case PLAN_OPERATORS: return number | OF_OPERATORS;
        case PLAN_DELEGATES: return number | OF_DELEGATES;
        default: return parent;
        }
    case OF_INLINE: return OF_INLINE_DATA;
    case OF_CHAINS: return slot == CHAIN_TRACES ? number | OF_TRACES : parent;
    default: return parent;
    }
}

static uint32_t label(void *context, uint32_t parent, unsigned slot, uint32_t index)
{
    const struct walk *walk = context;
    const bool is_plan = parent == OF_ROOT && slot == PROGRAM_PLANS && index != ETS_FB_WHOLE;
    return label_of(parent, slot, is_plan && !walk->by_method ? 0 : index);
}

static void claim_piece(void *context, uint32_t tag, size_t at, size_t bytes)
{
    const struct walk *walk = context;
    const uint32_t told = tag & KIND_MASK;
    const uint32_t kind = told < KINDS ? told : OF_DATA_LIST;
    const uint32_t item = kind < METHOD_KINDS
                              ? walk->items[(tag >> KIND_BITS) * METHOD_KINDS + kind]
                              : walk->items[walk->methods * METHOD_KINDS + kind - METHOD_KINDS];
    /* Of a vector of data the length alone belongs to the FlatBuffer. */
    ets_byte_claims_claim(walk->sheet, item, walk->sheet->file->program_offset + at,
                          told == OF_INLINE_DATA ? 4 : bytes);
}

/* One item for each kind of part, of each method apart. */
static bool make_items(struct walk *walk, const struct ets_program *program)
{
    struct ets_byte_claims *sheet = walk->sheet;
    walk->by_method = program->method_count <= MOST_METHODS;
    walk->methods = walk->by_method ? program->method_count : 1;
    const uint32_t count = walk->methods * METHOD_KINDS + KINDS - METHOD_KINDS;
    walk->items = ets_arena_alloc_array(&sheet->all->map->arena, count, sizeof *walk->items);
    if (walk->items == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t method = i / METHOD_KINDS;
        const bool is_of_method = method < walk->methods;
        const uint32_t kind =
            is_of_method ? i % METHOD_KINDS : i - walk->methods * METHOD_KINDS + METHOD_KINDS;
        walk->items[i] = ets_byte_claims_item(sheet, ETS_BYTES_PROGRAM, contents[kind]);
        if (walk->items[i] == ETS_BYTES_NONE) return false;
        if (is_of_method && walk->by_method) {
            ets_byte_item(sheet, walk->items[i])->program = sheet->index;
            ets_byte_item(sheet, walk->items[i])->method = method;
        }
    }
    return true;
}

/* How many things are in the parts of a method. */
static void count_things(const struct walk *walk, const struct ets_method *method)
{
    const uint32_t first = (walk->by_method ? method->index : 0) * METHOD_KINDS;
    const uint32_t *items = walk->items + first;
    ets_byte_item(walk->sheet, items[OF_METHOD])->count += 1;
    ets_byte_item(walk->sheet, items[OF_VALUES])->count += method->value_count;
    ets_byte_item(walk->sheet, items[OF_OPERATORS])->count += method->operator_count;
    ets_byte_item(walk->sheet, items[OF_DELEGATES])->count += method->delegate_count;
    for (uint32_t c = 0; c < method->chain_count; c++) {
        struct ets_chain chain;
        ets_method_chain(method, c, &chain);
        ets_byte_item(walk->sheet, items[OF_CHAINS])->count += chain.instruction_count;
        ets_byte_item(walk->sheet, items[OF_TRACES])->count += chain.trace_count;
    }
}

static bool add_flatbuffer(struct ets_byte_claims *sheet, const struct ets_program *program)
{
    struct walk walk = {.sheet = sheet};
    const uint64_t at = sheet->file->program_offset;
    const struct ets_fb_walker walker = {&walk, label, claim_piece};
    if (!make_items(&walk, program)) return false;
    ets_byte_claims_claim(sheet, walk.items[walk.methods * METHOD_KINDS], at,
                          8 + (uint64_t)program->header_bytes);
    const struct ets_bytes body = {program->bytes.data, (size_t)program->flatbuffer_bytes};
    ets_fb_walk(body, ets_program_root(program), &ets_program_type, OF_ROOT, &walker);
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        count_things(&walk, &method);
    }
    ets_byte_item(sheet, walk.items[walk.methods * METHOD_KINDS + OF_DATA_LIST - METHOD_KINDS])
        ->count = (uint64_t)program->segment_count + program->named_data_count;
    ets_byte_claims_region(sheet, ets_byte_claims_item(sheet, ETS_BYTES_OTHER, NULL), at,
                           program->flatbuffer_bytes, ETS_GAPS_ARE_LOOKED_AT);
    return !sheet->all->is_out_of_memory;
}

/* The item of a tensor's bytes, in the program or in a data file; ETS_BYTES_NONE: it has none. */
static uint32_t item_of_tensor(const struct ets_byte_claims *sheet,
                               const struct ets_program_tensor *tensor)
{
    const bool is_external =
        tensor->place == ETS_PLACE_EXTERNAL_CONSTANT || tensor->place == ETS_PLACE_EXTERNAL_STATE;
    if (is_external) return ets_byte_claims_need_key(sheet->all, tensor->qualified_name);
    if (tensor->tensor.data == NULL || tensor->tensor_bytes == 0) return ETS_BYTES_NONE;
    return ets_byte_claims_find_place(sheet, ets_byte_claims_offset(sheet, tensor->tensor.data));
}

static void add_tensor(struct ets_byte_claims *sheet, const struct ets_method *method,
                       const struct ets_program_tensor *tensor)
{
    const bool is_constant = tensor->place == ETS_PLACE_CONSTANT;
    if (!is_constant && tensor->place != ETS_PLACE_PLANNED_STATE) return;
    if (tensor->tensor.data == NULL || tensor->tensor_bytes == 0) return;
    const uint32_t index = ets_byte_claims_data(
        sheet, is_constant ? ETS_BYTES_CONSTANT : ETS_BYTES_STATE,
        ets_byte_claims_offset(sheet, tensor->tensor.data), tensor->tensor_bytes);
    if (index == ETS_BYTES_NONE) return;
    struct ets_byte_item *item = ets_byte_item(sheet, index);
    if (item->user_count++ == 0) {
        item->program = sheet->index;
        item->method = method->index;
        item->name = tensor->qualified_name;
        ets_byte_claims_take_shape(sheet, item, &tensor->tensor);
    } else if (item->method != method->index) {
        item->method = ETS_BYTES_NONE;
    }
}

static void add_tensors(struct ets_byte_claims *sheet, const struct ets_program *program)
{
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        for (uint32_t v = 0; v < method.value_count && !sheet->all->is_out_of_memory; v++) {
            struct ets_evalue value;
            ets_method_value(&method, v, &value);
            if (value.kind == ETS_EVALUE_TENSOR) add_tensor(sheet, &method, &value.tensor);
        }
    }
}

static void add_named_data(struct ets_byte_claims *sheet, const struct ets_program *program)
{
    for (uint32_t i = 0; i < program->named_data_count; i++) {
        struct ets_program_named_data data;
        ets_program_named_data(program, i, &data);
        if (data.bytes.size == 0) continue;
        const uint32_t index =
            ets_byte_claims_data(sheet, ETS_BYTES_NAMED_DATA,
                                 ets_byte_claims_offset(sheet, data.bytes.data), data.bytes.size);
        if (index == ETS_BYTES_NONE) return;
        if (ets_byte_item(sheet, index)->key.data == NULL) {
            ets_byte_item(sheet, index)->key = data.key;
        }
        ets_byte_claims_add_key(sheet->all, data.key, index);
    }
}

/* What of a segment nobody claims is unused; what lies behind the last one is not the program's. */
static void add_segments(struct ets_byte_claims *sheet, const struct ets_program *program)
{
    const uint64_t base = sheet->file->program_offset;
    const uint32_t unused = ets_byte_claims_item(sheet, ETS_BYTES_UNUSED, NULL);
    uint64_t end = program->flatbuffer_bytes;
    for (uint32_t i = 0; i < program->segment_count; i++) {
        struct ets_segment segment;
        ets_program_segment(program, i, &segment);
        if (segment.size == 0) continue;
        ets_byte_claims_region(sheet, unused, base + segment.offset, segment.size,
                               ETS_GAPS_ARE_UNREAD);
        if (segment.offset + segment.size > end) end = segment.offset + segment.size;
    }
    ets_byte_claims_region(sheet, ets_byte_claims_item(sheet, ETS_BYTES_TRAILING, NULL), base + end,
                           program->bytes.size - end, ETS_GAPS_ARE_ITEMS);
}

enum ets_status ets_program_bytes_add(struct ets_byte_claims *sheet, struct ets_error *error)
{
    const struct ets_program *program = &sheet->file->program;
    if (!add_flatbuffer(sheet, program)) return ets_fail_memory(error, "the parts of a program");
    add_tensors(sheet, program);
    add_named_data(sheet, program);
    add_segments(sheet, program);
    return sheet->all->is_out_of_memory ? ets_fail_memory(error, "the parts of a program") : ETS_OK;
}

/* "layers.0.linear" of "layers.0.linear.weight"; "" of "weight". */
static struct ets_text module_of(struct ets_text name)
{
    size_t size = name.size;
    while (size > 0 && name.data[size - 1] != '.') size--;
    return (struct ets_text){name.data, size > 0 ? size - 1 : 0};
}

struct ets_parameter_query ets_parameter_query_of(const struct ets_method *method,
                                                  const struct ets_instruction *instruction,
                                                  uint32_t index,
                                                  const struct ets_program_tensor *tensor)
{
    struct ets_parameter_query query = {
        .element_count = ets_tensor_count(&tensor->tensor),
        .most_rank = ETS_TENSOR_MAX_RANK,
        .scalar_type = (int32_t)tensor->tensor.scalar_type,
    };
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < instruction->argument_count && i < MOST_ARGUMENTS; i++) {
        struct ets_evalue other;
        ets_method_value(method, ets_instruction_argument(instruction, i), &other);
        if (other.kind != ETS_EVALUE_TENSOR || other.tensor.place != tensor->place) continue;
        if (other.tensor.tensor.scalar_type != tensor->tensor.scalar_type) continue;
        if (ets_tensor_count(&other.tensor.tensor) != query.element_count) continue;
        if (other.index == last) continue; /* results are repeated */
        last = other.index;
        if (i < index) query.position++;
        query.count++;
    }
    return query;
}

static void name_argument(struct ets_layer_method *layers, struct ets_byte_item *item,
                          const struct ets_parameter_query *query, const int64_t *handles,
                          size_t handle_count)
{
    for (size_t i = 0; i < handle_count && item->name.data == NULL; i++) {
        if (item->debug_handle < 0) item->debug_handle = handles[i];
        if (item->module.data == NULL) item->module = ets_layer_module(layers, handles[i]);
        item->name = ets_layer_parameter(layers, handles[i], query);
        if (item->name.data != NULL) item->module = module_of(item->name);
    }
}

static void name_instruction(struct ets_byte_claims *sheet, struct ets_layer_method *layers,
                             const struct ets_method *method,
                             const struct ets_instruction *instruction)
{
    const int64_t *handles;
    size_t count;
    ets_etrecord_call_handles(sheet->all->names.record, layers->name, instruction->instruction_id,
                              &handles, &count);
    for (uint32_t i = 0; i < instruction->argument_count && i < MOST_ARGUMENTS; i++) {
        struct ets_evalue value;
        ets_method_value(method, ets_instruction_argument(instruction, i), &value);
        if (value.kind != ETS_EVALUE_TENSOR) continue;
        const uint32_t index = item_of_tensor(sheet, &value.tensor);
        if (index == ETS_BYTES_NONE || ets_byte_item(sheet, index)->name.data != NULL) continue;
        const struct ets_parameter_query query =
            ets_parameter_query_of(method, instruction, i, &value.tensor);
        name_argument(layers, ets_byte_item(sheet, index), &query, handles, count);
    }
}

static void name_external(struct ets_byte_claims *sheet, const struct ets_method *method)
{
    for (uint32_t v = 0; v < method->value_count; v++) {
        struct ets_evalue value;
        ets_method_value(method, v, &value);
        if (value.kind != ETS_EVALUE_TENSOR) continue;
        const bool is_state = value.tensor.place == ETS_PLACE_EXTERNAL_STATE;
        if (!is_state && value.tensor.place != ETS_PLACE_EXTERNAL_CONSTANT) continue;
        const uint32_t index = item_of_tensor(sheet, &value.tensor);
        if (index == ETS_BYTES_NONE) continue;
        struct ets_byte_item *item = ets_byte_item(sheet, index);
        item->name = value.tensor.qualified_name;
        item->module = module_of(item->name);
        item->user_count++;
        if (item->part == ETS_BYTES_NAMED_DATA) {
            item->part = is_state ? ETS_BYTES_STATE : ETS_BYTES_CONSTANT;
        }
    }
}

void ets_program_bytes_name(struct ets_byte_claims *sheet)
{
    const struct ets_program *program = &sheet->file->program;
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        name_external(sheet, &method);
        struct ets_layer_method *layers = ets_layer_method(&sheet->all->names, &method);
        for (uint32_t c = 0; layers != NULL && c < method.chain_count; c++) {
            struct ets_chain chain;
            ets_method_chain(&method, c, &chain);
            for (uint32_t k = 0; k < chain.instruction_count; k++) {
                struct ets_instruction instruction;
                ets_chain_instruction(&chain, k, &instruction);
                if (instruction.kind != ETS_INSTRUCTION_KERNEL_CALL) continue;
                name_instruction(sheet, layers, &method, &instruction);
            }
        }
    }
}
