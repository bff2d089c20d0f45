/* Says what a thing of a program is, and what differs of it. */
#include "output/table/program_thing_text.h"

#include "format/program_lists.h"
#include "format/program_names.h"
#include "output/table/payload_node_text.h"

/* Longer lists end in "...". */
enum { SHOWN_ITEMS = 8 };
/* Of a method's inputs and outputs, so that many of them and many arguments cost no product. */
enum { SEARCHED_PLACES = 64 };

struct said {
    struct ets_text_builder *text;
    const struct ets_program_changes *view;
    const struct ets_program_change_line *line;
    int side;
    const char *before; /* what separates this from what was said */
};

#define say(said, ...) ets_add_plain_text((said)->text, __VA_ARGS__)

const char *ets_program_part_name(enum ets_program_part part)
{
    static const char *const names[] = {
        [ETS_PART_PROGRAM] = "program",
        [ETS_PART_METHOD] = "method",
        [ETS_PART_INPUT] = "input",
        [ETS_PART_OUTPUT] = "output",
        [ETS_PART_OPERATOR] = "kernel",
        [ETS_PART_BACKEND] = "backend",
        [ETS_PART_INSTRUCTION] = "instruction",
        [ETS_PART_DELEGATE] = "delegate",
        [ETS_PART_NODE] = "node",
        [ETS_PART_ARENA] = "arena",
        [ETS_PART_CONSTANT] = "constant",
        [ETS_PART_STATE] = "state",
        [ETS_PART_TENSOR] = "tensor",
        [ETS_PART_VALUE] = "value",
        [ETS_PART_NAMED_DATA] = "named data",
        [ETS_PART_CASE] = "test case",
        [ETS_PART_CASE_INPUT] = "test input",
        [ETS_PART_CASE_OUTPUT] = "expected output",
    };
    return names[part];
}

const char *ets_program_change_name(enum ets_program_change_kind kind)
{
    static const char *const names[] = {
        [ETS_THING_REMOVED] = "removed",         [ETS_THING_ADDED] = "added",
        [ETS_THING_CHANGED] = "changed",         [ETS_THING_DELEGATED] = "delegated",
        [ETS_THING_UNDELEGATED] = "undelegated",
    };
    return names[kind];
}

const char *ets_program_field_name(enum ets_program_field field)
{
    static const char *const names[] = {
#define FIELD_NAME(name, text) [ETS_FIELD_##name] = text,
        ETS_PROGRAM_FIELD_LIST(FIELD_NAME)
#undef FIELD_NAME
    };
    return names[field];
}

static void say_name(struct said *s, struct ets_text name, struct ets_text overload)
{
    say(s, "%.*s", ETS_TEXT(name));
    if (overload.size > 0) say(s, ".%.*s", ETS_TEXT(overload));
}

static void say_instruction_name(struct said *s, const struct ets_instruction *instruction)
{
    if (instruction->name.size > 0) say_name(s, instruction->name, instruction->overload);
    else say(s, "%s", ets_instruction_kind_name(instruction->kind));
}

static void say_sizes(struct said *s, const int64_t *sizes, uint32_t rank)
{
    say(s, "[");
    for (uint32_t i = 0; i < rank; i++) {
        say(s, "%s%lld", i > 0 ? ", " : "", (long long)sizes[i]);
    }
    say(s, "]");
}

static void say_plain_value(struct said *s, const struct ets_method *method,
                            const struct ets_evalue *value);

static void say_items(struct said *s, const struct ets_method *method,
                      const struct ets_evalue *list)
{
    say(s, "[");
    for (uint32_t i = 0; i < list->item_count; i++) {
        if (i > 0) say(s, ", ");
        if (i == SHOWN_ITEMS) {
            say(s, "... %u in all", list->item_count);
            break;
        }
        if (list->kind == ETS_EVALUE_DOUBLE_LIST) {
            say(s, "%.9g", ets_evalue_double(list, i));
        } else if (list->kind == ETS_EVALUE_BOOL_LIST) {
            say(s, "%s", ets_evalue_bool(list, i) ? "true" : "false");
        } else if (ets_evalue_item(list, i) < 0) {
            say(s, "none");
        } else {
            struct ets_evalue item;
            ets_method_value(method, (uint32_t)ets_evalue_item(list, i), &item);
            say_plain_value(s, method, &item);
        }
    }
    say(s, "]");
}

/* A number or text itself; of a tensor its number. */
static void say_plain_value(struct said *s, const struct ets_method *method,
                            const struct ets_evalue *value)
{
    switch (value->kind) {
    case ETS_EVALUE_NULL: say(s, "none"); break;
    case ETS_EVALUE_INT: say(s, "%lld", (long long)value->int_value); break;
    case ETS_EVALUE_BOOL: say(s, "%s", value->int_value != 0 ? "true" : "false"); break;
    case ETS_EVALUE_DOUBLE: say(s, "%.17g", value->double_value); break;
    case ETS_EVALUE_STRING: say(s, "\"%.*s\"", ETS_TEXT(value->string)); break;
    case ETS_EVALUE_INT_LIST:
    case ETS_EVALUE_DOUBLE_LIST:
    case ETS_EVALUE_BOOL_LIST:
    case ETS_EVALUE_TENSOR_LIST:
    case ETS_EVALUE_OPTIONAL_TENSOR_LIST: say_items(s, method, value); break;
    default: say(s, "value %u", value->index);
    }
}

/* " (output)" behind a tensor that a program gives or takes: numbers do not tell it apart. */
static void say_place(struct said *s, const struct ets_method *method,
                      const struct ets_evalue *value)
{
    struct ets_evalue other;
    if (value->kind != ETS_EVALUE_TENSOR) return;
    for (uint32_t i = 0; i < method->input_count && i < SEARCHED_PLACES; i++) {
        ets_method_input(method, i, &other);
        if (other.index != value->index) continue;
        say(s, " (input)");
        return;
    }
    for (uint32_t i = 0; i < method->output_count && i < SEARCHED_PLACES; i++) {
        ets_method_output(method, i, &other);
        if (other.index != value->index) continue;
        say(s, " (output)");
        return;
    }
}

static void say_arguments(struct said *s, const struct ets_method *method,
                          const struct ets_instruction *instruction)
{
    say(s, "(");
    for (uint32_t i = 0; i < instruction->argument_count; i++) {
        struct ets_evalue value;
        if (i > 0) say(s, ", ");
        if (i == SHOWN_ITEMS) {
            say(s, "... %u in all", instruction->argument_count);
            break;
        }
        ets_method_value(method, ets_instruction_argument(instruction, i), &value);
        say_plain_value(s, method, &value);
        say_place(s, method, &value);
    }
    say(s, ")");
}

static void say_hash(struct said *s)
{
    const struct ets_program_change_line *line = s->line;
    if (line->has_hash[s->side]) {
        say(s, "hash %016llx", (unsigned long long)line->hashes[s->side]);
    } else {
        say(s, "no bytes");
    }
}

static void say_bytes(struct said *s)
{
    ets_add_bytes(s->text, s->line->change->bytes[s->side]);
}

static bool begin(struct said *s, enum ets_program_field field)
{
    if ((s->line->change->fields & ets_field_bit(field)) == 0) return false;
    say(s, "%s", s->before);
    s->before = ", ";
    return true;
}

static void say_number(struct said *s, uint32_t number, const char *what)
{
    say(s, "%u %s%s", number, what, number == 1 ? "" : "s");
}

static void say_method(struct said *s)
{
    const struct ets_method *method = &s->line->methods[s->side];
    const bool is_whole = s->line->change->fields == 0;
    if (begin(s, ETS_FIELD_NAME)) say(s, "%.*s", ETS_TEXT(method->name));
    if (begin(s, ETS_FIELD_INPUT_COUNT)) say_number(s, method->input_count, "input");
    if (begin(s, ETS_FIELD_OUTPUT_COUNT)) say_number(s, method->output_count, "output");
    if (begin(s, ETS_FIELD_INSTRUCTION_COUNT) || is_whole) {
        say_number(s, s->line->change->counts[s->side], "instruction");
        if (is_whole) s->before = ", ";
    }
    if (begin(s, ETS_FIELD_VALUE_COUNT)) say_number(s, method->value_count, "value");
    if (begin(s, ETS_FIELD_INPUT_STRUCTURE)) {
        say(s, "inputs as %.*s", ETS_TEXT(method->input_structure));
    }
    if (begin(s, ETS_FIELD_OUTPUT_STRUCTURE)) {
        say(s, "outputs as %.*s", ETS_TEXT(method->output_structure));
    }
}

static void say_delegate(struct said *s)
{
    struct ets_delegate delegate;
    ets_method_delegate(&s->line->methods[s->side], s->line->change->index[s->side], &delegate);
    if (begin(s, ETS_FIELD_BACKEND)) say(s, "%.*s", ETS_TEXT(delegate.id));
    if (s->line->change->fields == 0 || begin(s, ETS_FIELD_PAYLOAD)) {
        say_bytes(s);
        say(s, ", ");
        say_hash(s);
    }
    if (begin(s, ETS_FIELD_LOCATION)) say(s, "%s", delegate.is_inline ? "inline" : "in a segment");
    if (!begin(s, ETS_FIELD_COMPILE_SPECS)) return;
    say(s, "%u compile specs", delegate.compile_spec_count);
    for (uint32_t i = 0; i < delegate.compile_spec_count && i < SHOWN_ITEMS; i++) {
        struct ets_compile_spec spec;
        ets_delegate_compile_spec(&delegate, i, &spec);
        say(s, "%s%.*s (%zu B)", i == 0 ? ": " : ", ", ETS_TEXT(spec.key), spec.value.size);
    }
}

static void say_instruction(struct said *s)
{
    const struct ets_method *method = &s->line->methods[s->side];
    struct ets_instruction instruction;
    ets_program_change_instruction(s->line, s->side, &instruction);
    const enum ets_program_change_kind kind = s->line->change->kind;
    if (s->line->change->fields == 0) {
        const bool is_taker = (kind == ETS_THING_DELEGATED && s->side == 1) ||
                              (kind == ETS_THING_UNDELEGATED && s->side == 0);
        if (is_taker) say_instruction_name(s, &instruction);
        say(s, "%sinstruction %u", is_taker ? ", " : "", instruction.instruction_id);
        return;
    }
    if (begin(s, ETS_FIELD_ORDER)) say(s, "instruction %u", instruction.instruction_id);
    if (begin(s, ETS_FIELD_ARGUMENTS)) say_arguments(s, method, &instruction);
    if (begin(s, ETS_FIELD_DESTINATION)) say(s, "to instruction %d", instruction.destination);
    if (begin(s, ETS_FIELD_PAYLOAD)) say(s, "delegate %d", instruction.delegate_index);
    if (!begin(s, ETS_FIELD_STACK_TRACE)) return;
    if (instruction.frame_count == 0) {
        say(s, "no stack trace");
    } else {
        struct ets_program_frame frame;
        ets_instruction_frame(&instruction, instruction.frame_count - 1, &frame);
        say(s, "%.*s:%d", ETS_TEXT(frame.file_name), frame.line);
    }
}

static void say_tensor(struct said *s, const struct ets_program_tensor *value)
{
    const struct ets_tensor *tensor = &value->tensor;
    const bool is_whole = s->line->change->fields == 0 || s->line->change->holder != NULL;
    const char *type = ets_scalar_type_name(tensor->scalar_type);
    if (begin(s, ETS_FIELD_DTYPE) || is_whole) say(s, "%s", type);
    if (is_whole) say(s, " ");
    if (begin(s, ETS_FIELD_SIZES) || is_whole) say_sizes(s, tensor->sizes, tensor->rank);
    if (begin(s, ETS_FIELD_DIM_ORDER)) {
        say(s, "strides ");
        say_sizes(s, tensor->strides, tensor->rank);
    }
    if (begin(s, ETS_FIELD_DYNAMISM)) {
        say(s, "%s", value->dynamism == ETS_SHAPE_STATIC ? "static" : "dynamic");
    }
    if (is_whole) say(s, ", ");
    if (begin(s, ETS_FIELD_PLACE) || is_whole) say(s, "%s", ets_tensor_place_name(value->place));
    if (begin(s, ETS_FIELD_ARENA)) say(s, "arena %u", value->memory_id);
    if (begin(s, ETS_FIELD_OFFSET)) say(s, "at %llu", (unsigned long long)value->memory_offset);
    if (begin(s, ETS_FIELD_QUALIFIED_NAME)) {
        say(s, "\"%.*s\"", ETS_TEXT(value->qualified_name));
    }
    if (begin(s, ETS_FIELD_REQUIRES_GRAD)) {
        say(s, "%s", value->requires_grad ? "requires_grad" : "no requires_grad");
    }
    if (begin(s, ETS_FIELD_DEVICE)) {
        say(s, "device %d:%d", value->device_type, value->device_index);
    }
    if (s->line->change->holder == NULL && begin(s, ETS_FIELD_DATA)) say_hash(s);
}

static void say_value(struct said *s)
{
    struct ets_evalue value;
    const struct ets_method *method = &s->line->methods[s->side];
    ets_program_change_value(s->line, s->side, &value);
    if (begin(s, ETS_FIELD_KIND)) say(s, "%s", ets_evalue_kind_name(value.kind));
    if (begin(s, ETS_FIELD_ARGUMENTS)) say(s, "value %u", value.index);
    if (value.kind == ETS_EVALUE_TENSOR) {
        say_tensor(s, &value.tensor);
    } else if (begin(s, ETS_FIELD_NUMBER) || begin(s, ETS_FIELD_ITEMS) ||
               s->line->change->fields == 0) {
        say_plain_value(s, method, &value);
    }
}

static void say_arena(struct said *s)
{
    struct ets_planned_arena arena;
    ets_method_arena(&s->line->methods[s->side], s->line->change->index[s->side], &arena);
    if (begin(s, ETS_FIELD_BYTES) || s->line->change->fields == 0) say_bytes(s);
    if (begin(s, ETS_FIELD_DEVICE)) say(s, "device %d:%d", arena.device_type, arena.device_index);
}

static void say_case(struct said *s)
{
    struct ets_bundle_case test_case;
    const bool is_whole = s->line->change->fields == 0;
    ets_change_case(s->view->difference, s->line->change, s->side, &test_case);
    if (begin(s, ETS_FIELD_INPUT_COUNT) || is_whole) say_number(s, test_case.input_count, "input");
    if (is_whole) say(s, ", ");
    if (begin(s, ETS_FIELD_OUTPUT_COUNT) || is_whole) {
        say_number(s, test_case.expected_count, "expected output");
    }
}

static void say_case_value(struct said *s)
{
    static const char *const kinds[] = {"none", "tensor", "int", "bool", "double", "other"};
    struct ets_value value;
    ets_change_case_value(s->view->difference, s->line->change, s->side, &value);
    const struct ets_tensor *tensor = &value.as.tensor;
    if (begin(s, ETS_FIELD_KIND)) say(s, "%s", kinds[value.kind]);
    if (begin(s, ETS_FIELD_DTYPE)) say(s, "%s", ets_scalar_type_name(tensor->scalar_type));
    if (begin(s, ETS_FIELD_SIZES)) say_sizes(s, tensor->sizes, tensor->rank);
    if (begin(s, ETS_FIELD_DIM_ORDER)) {
        say(s, "strides ");
        say_sizes(s, tensor->strides, tensor->rank);
    }
    if (begin(s, ETS_FIELD_DATA)) say_hash(s);
    if (!begin(s, ETS_FIELD_NUMBER)) return;
    if (value.kind == ETS_VALUE_INT) say(s, "%lld", (long long)value.as.int_value);
    else if (value.kind == ETS_VALUE_BOOL) say(s, "%s", value.as.bool_value ? "true" : "false");
    else say(s, "%.17g", value.as.double_value);
}

static void name_case(struct said *s)
{
    struct ets_bundle_suite suite;
    const struct ets_program_change *change = s->line->change;
    const bool is_case = change->part == ETS_PART_CASE;
    ets_bundle_suite(s->view->difference->sides[s->side].bundle, change->suite[s->side], &suite);
    say(s, "%.*s #%u", ETS_TEXT(suite.method_name),
        is_case ? change->index[s->side] : change->chain[s->side]);
    if (is_case) return;
    say(s, " %s %u", change->part == ETS_PART_CASE_INPUT ? "input" : "output",
        change->index[s->side]);
}

void ets_add_program_side(struct ets_text_builder *text, const struct ets_program_changes *view,
                          const struct ets_program_change_line *line, int side)
{
    struct said s = {text, view, line, side, ""};
    const struct ets_program_change *change = line->change;
    if (change->part == ETS_PART_OPERATOR || change->part == ETS_PART_BACKEND) {
        if (change->index[side] == ETS_THING_NONE) return;
        say(&s, "%u call%s", change->counts[side], change->counts[side] == 1 ? "" : "s");
        return;
    }
    if (change->index[side] == ETS_THING_NONE) {
        if (change->holder != NULL) ets_add_constant_holder(text, line);
        return;
    }
    switch (change->part) {
    case ETS_PART_PROGRAM: say(&s, "version %u", change->counts[side]); break;
    case ETS_PART_METHOD: say_method(&s); break;
    case ETS_PART_INSTRUCTION: say_instruction(&s); break;
    case ETS_PART_DELEGATE: say_delegate(&s); break;
    case ETS_PART_NODE: ets_add_payload_node_side(text, line, side); break;
    case ETS_PART_ARENA: say_arena(&s); break;
    case ETS_PART_NAMED_DATA:
        say_bytes(&s);
        say(&s, ", ");
        say_hash(&s);
        break;
    case ETS_PART_CASE: say_case(&s); break;
    case ETS_PART_CASE_INPUT:
    case ETS_PART_CASE_OUTPUT: say_case_value(&s); break;
    default: say_value(&s);
    }
}

/* The value by its name, or what it is to its first user. */
static void name_value(struct said *s)
{
    struct ets_evalue value;
    const struct ets_program_change_line *line = s->line;
    ets_program_change_value(line, s->side, &value);
    if (value.kind == ETS_EVALUE_TENSOR && value.tensor.qualified_name.size > 0) {
        say(s, "%.*s", ETS_TEXT(value.tensor.qualified_name));
    } else if (line->parameter.size > 0) {
        say(s, "%.*s", ETS_TEXT(line->parameter));
    } else if (line->use_counts[s->side] > 0) {
        ets_add_value_use(s->text, &line->methods[s->side], line->uses[s->side]);
    } else {
        say(s, "value %u", value.index);
    }
}

void ets_add_program_thing(struct ets_text_builder *text, const struct ets_program_changes *view,
                           const struct ets_program_change_line *line)
{
    const struct ets_program_change *change = line->change;
    struct said s = {text, view, line, change->index[0] != ETS_THING_NONE ? 0 : 1, ""};
    if (change->kind == ETS_THING_UNDELEGATED) s.side = 1;
    const struct ets_method *method = &line->methods[s.side];
    const uint32_t index = change->index[s.side];
    switch (change->part) {
    case ETS_PART_PROGRAM: say(&s, "schema"); break;
    case ETS_PART_METHOD: say(&s, "%.*s", ETS_TEXT(method->name)); break;
    case ETS_PART_OPERATOR: {
        struct ets_operator op;
        ets_method_operator(method, index, &op);
        say_name(&s, op.name, op.overload);
        break;
    }
    case ETS_PART_BACKEND:
    case ETS_PART_DELEGATE: {
        struct ets_delegate delegate;
        ets_method_delegate(method, index, &delegate);
        say(&s, "%.*s", ETS_TEXT(delegate.id));
        break;
    }
    case ETS_PART_INSTRUCTION: {
        struct ets_instruction instruction;
        ets_program_change_instruction(line, s.side, &instruction);
        say_instruction_name(&s, &instruction);
        break;
    }
    case ETS_PART_NODE: ets_add_payload_node(text, line, s.side); break;
    case ETS_PART_ARENA: say(&s, "arena %u", index + 1); break;
    case ETS_PART_NAMED_DATA: {
        struct ets_program_named_data data;
        ets_program_named_data(view->difference->sides[s.side].program, index, &data);
        say(&s, "%.*s", ETS_TEXT(data.key));
        break;
    }
    case ETS_PART_CASE:
    case ETS_PART_CASE_INPUT:
    case ETS_PART_CASE_OUTPUT: name_case(&s); break;
    default: name_value(&s);
    }
}

void ets_add_value_use(struct ets_text_builder *text, const struct ets_method *method,
                       const struct ets_value_use *use)
{
    struct said s = {.text = text};
    struct ets_chain chain;
    struct ets_instruction instruction;
    ets_method_chain(method, use->chain, &chain);
    ets_chain_instruction(&chain, use->instruction, &instruction);
    say(&s, "argument %u of ", use->argument);
    say_instruction_name(&s, &instruction);
    say(&s, " (instruction %u)", use->instruction);
}
