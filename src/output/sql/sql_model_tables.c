/* The tables of ETRecords and programs: nodes, methods, instructions, delegates, tensors. */
#include "format/program_names.h"
#include "output/sql/sql_tables.h"

/* records */

enum { RECORD_ID, RECORD_PATH, RECORD_METHODS };

/* clang-format off */
static const struct ets_sql_column record_columns[] = {
    [RECORD_ID] = {"id", "INTEGER", "number of the ETRecord, counted from 0"},
    [RECORD_PATH] = {"path", "TEXT", "path of the file, as given"},
    [RECORD_METHODS] = {"methods", "INTEGER", "number of methods"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t record_count(const struct ets_study *study)
{
    return study->sources.record_count;
}

static struct ets_datum record_cell(struct ets_sql_cursor *cursor, int column)
{
    const struct ets_study_record *record = &cursor->study->sources.records[cursor->row];
    if (column == RECORD_ID) return ets_datum_integer((int64_t)cursor->row);
    if (column == RECORD_PATH) return ets_datum_string(record->path);
    return ets_datum_integer((int64_t)ets_etrecord_method_count(record->record));
}

const struct ets_sql_table ets_sql_records_table = {
    .name = "records",
    .meaning = "ETRecords.",
    .columns = record_columns,
    .has_id = true,
    .count = record_count,
    .cell = record_cell,
};

/* nodes */

enum {
    NODE_ID,
    NODE_RECORD,
    NODE_METHOD,
    NODE_GRAPH,
    NODE_NAME,
    NODE_OP,
    NODE_TARGET,
    NODE_HANDLE,
    NODE_FILE,
    NODE_LINE,
    NODE_FUNCTION,
    NODE_CODE,
    NODE_MODULE,
    NODE_TYPE
};

/* clang-format off */
static const struct ets_sql_column node_columns[] = {
    [NODE_ID] = {"id", "INTEGER", "number of the node, counted from 0"},
    [NODE_RECORD] = {"record", "INTEGER", "id in `records`"},
    [NODE_METHOD] = {"method", "TEXT", "method of its edge graph"},
    [NODE_GRAPH] = {"graph", "TEXT", "entry of the ETRecord, or the branch of a condition or loop"},
    [NODE_NAME] = {"name", "TEXT", "name, such as aten_add_tensor"},
    [NODE_OP] = {"op", "TEXT", "operator, such as aten.add.Tensor"},
    [NODE_TARGET] = {"target", "TEXT", "full name of the operator"},
    [NODE_HANDLE] = {"debug_handle", "INTEGER", "debug handle; null if the graph has none"},
    [NODE_FILE] = {"file", "TEXT", "source file of its line"},
    [NODE_LINE] = {"line", "INTEGER", "number of the source line"},
    [NODE_FUNCTION] = {"function", "TEXT", "function of the source line"},
    [NODE_CODE] = {"code", "TEXT", "text of the source line"},
    [NODE_MODULE] = {"module", "TEXT", "path of the innermost module; empty for the model itself"},
    [NODE_TYPE] = {"module_type", "TEXT", "class of that module"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t node_count(const struct ets_study *study)
{
    return study->node_count;
}

/* The graph that node `number` is in. */
static const struct ets_studied_graph *graph_of(const struct ets_study *study, uint32_t number)
{
    uint32_t low = 0, high = study->graph_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (study->graphs[middle].first_node <= number) low = middle;
        else high = middle;
    }
    return &study->graphs[low];
}

static struct ets_datum frame_cell(const struct ets_graph_node *node, int column)
{
    const struct ets_graph_frame *frame = ets_graph_user_frame(node);
    if (frame == NULL) return ets_datum_nothing();
    if (column == NODE_FILE) return ets_datum_text(frame->file);
    if (column == NODE_LINE) return ets_datum_integer(frame->line);
    return ets_datum_text(column == NODE_FUNCTION ? frame->function : frame->code);
}

static struct ets_datum node_cell(struct ets_sql_cursor *cursor, int column)
{
    const struct ets_studied_graph *graph = graph_of(cursor->study, (uint32_t)cursor->row);
    const struct ets_graph_node *node = &graph->graph->nodes[cursor->row - graph->first_node];
    switch (column) {
    case NODE_ID: return ets_datum_integer((int64_t)cursor->row);
    case NODE_RECORD: return ets_datum_integer(graph->record);
    case NODE_METHOD: return ets_datum_string(graph->method);
    case NODE_GRAPH: return ets_datum_text(graph->graph->name);
    case NODE_NAME: return ets_datum_text(node->name);
    case NODE_OP: return ets_datum_text(node->op);
    case NODE_TARGET: return ets_datum_text(node->target);
    case NODE_HANDLE: return ets_datum_unless_negative(node->debug_handle);
    case NODE_MODULE: return ets_datum_text(ets_graph_module_path(node));
    case NODE_TYPE:
        if (node->module_count == 0) return ets_datum_nothing();
        return ets_datum_text(node->modules[node->module_count - 1].type);
    default: return frame_cell(node, column);
    }
}

const struct ets_sql_table ets_sql_nodes_table = {
    .name = "nodes",
    .meaning = "Nodes of the edge graphs of the ETRecords.",
    .columns = node_columns,
    .has_id = true,
    .count = node_count,
    .cell = node_cell,
    .indexed = {"debug_handle"},
};

/* programs */

enum {
    PROGRAM_ID,
    PROGRAM_PATH,
    PROGRAM_BYTES,
    PROGRAM_METHODS,
    PROGRAM_CONSTANT,
    PROGRAM_DELEGATE
};

/* clang-format off */
static const struct ets_sql_column program_columns[] = {
    [PROGRAM_ID] = {"id", "INTEGER", "number of the program, counted from 0"},
    [PROGRAM_PATH] = {"path", "TEXT", "path of the file, as given"},
    [PROGRAM_BYTES] = {"bytes", "INTEGER", "size of the program"},
    [PROGRAM_METHODS] = {"methods", "INTEGER", "number of methods"},
    [PROGRAM_CONSTANT] = {"constant_bytes", "INTEGER", "size of its constants"},
    [PROGRAM_DELEGATE] = {"delegate_bytes", "INTEGER", "size of what backends compiled"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t program_count(const struct ets_study *study)
{
    return study->sources.program_count;
}

static struct ets_datum program_cell(struct ets_sql_cursor *cursor, int column)
{
    const struct ets_study_program *source = &cursor->study->sources.programs[cursor->row];
    const struct ets_program *program = source->program;
    struct ets_program_sizes sizes;
    switch (column) {
    case PROGRAM_ID: return ets_datum_integer((int64_t)cursor->row);
    case PROGRAM_PATH: return ets_datum_string(source->path);
    case PROGRAM_BYTES: return ets_datum_integer((int64_t)program->bytes.size);
    case PROGRAM_METHODS: return ets_datum_integer(program->method_count);
    default: break;
    }
    ets_program_sizes(program, &sizes);
    return ets_datum_integer(
        (int64_t)(column == PROGRAM_CONSTANT ? sizes.constant_bytes : sizes.delegate_bytes));
}

const struct ets_sql_table ets_sql_programs_table = {
    .name = "programs",
    .meaning = "Programs (.pte, and those inside a .bpte).",
    .columns = program_columns,
    .has_id = true,
    .count = program_count,
    .cell = program_cell,
};

/* methods */

enum {
    METHOD_ID,
    METHOD_PROGRAM,
    METHOD_NAME,
    METHOD_INPUTS,
    METHOD_OUTPUTS,
    METHOD_INSTRUCTIONS,
    METHOD_DELEGATES,
    METHOD_VALUES,
    METHOD_PLANNED
};

/* clang-format off */
static const struct ets_sql_column method_columns[] = {
    [METHOD_ID] = {"id", "INTEGER", "number of the method, counted from 0"},
    [METHOD_PROGRAM] = {"program", "INTEGER", "id in `programs`"},
    [METHOD_NAME] = {"name", "TEXT", "name, such as forward"},
    [METHOD_INPUTS] = {"inputs", "INTEGER", "number of inputs"},
    [METHOD_OUTPUTS] = {"outputs", "INTEGER", "number of outputs"},
    [METHOD_INSTRUCTIONS] = {"instructions", "INTEGER", "number of instructions in all chains"},
    [METHOD_DELEGATES] = {"delegates", "INTEGER", "number of delegates"},
    [METHOD_VALUES] = {"value_count", "INTEGER", "number of values that its instructions use"},
    [METHOD_PLANNED] = {"planned_bytes", "INTEGER", "size of its planned memory"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t method_count(const struct ets_study *study)
{
    return study->method_count;
}

static struct ets_datum method_cell(struct ets_sql_cursor *cursor, int column)
{
    const struct ets_studied_method *method = &cursor->study->methods[cursor->row];
    switch (column) {
    case METHOD_ID: return ets_datum_integer((int64_t)cursor->row);
    case METHOD_PROGRAM: return ets_datum_integer(method->program);
    case METHOD_NAME: return ets_datum_text(method->method.name);
    case METHOD_INPUTS: return ets_datum_integer(method->method.input_count);
    case METHOD_OUTPUTS: return ets_datum_integer(method->method.output_count);
    case METHOD_INSTRUCTIONS: return ets_datum_integer(method->instruction_count);
    case METHOD_DELEGATES: return ets_datum_integer(method->method.delegate_count);
    case METHOD_VALUES: return ets_datum_integer(method->method.value_count);
    default: return ets_datum_integer((int64_t)method->planned_bytes);
    }
}

const struct ets_sql_table ets_sql_methods_table = {
    .name = "methods",
    .meaning = "Methods of the programs.",
    .columns = method_columns,
    .has_id = true,
    .count = method_count,
    .cell = method_cell,
};

/* instructions */

enum {
    STEP_PROGRAM,
    STEP_METHOD,
    STEP_CHAIN,
    STEP_INSTRUCTION,
    STEP_KIND,
    STEP_NAME,
    STEP_ARGUMENTS
};

/* clang-format off */
static const struct ets_sql_column instruction_columns[] = {
    [STEP_PROGRAM] = {"program", "INTEGER", "id in `programs`"},
    [STEP_METHOD] = {"method", "TEXT", "name of its method"},
    [STEP_CHAIN] = {"chain", "INTEGER", "number of the chain, as in `events`"},
    [STEP_INSTRUCTION] = {"instruction", "INTEGER", "number of the instruction, as in `events`"},
    [STEP_KIND] = {"kind", "TEXT", "KernelCall, DelegateCall, MoveCall, JumpFalseCall or FreeCall"},
    [STEP_NAME] = {"name", "TEXT", "operator, such as aten::add.out, or the delegate's backend"},
    [STEP_ARGUMENTS] = {"arguments", "INTEGER", "number of values that it uses"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t instruction_count(const struct ets_study *study)
{
    return study->instruction_count;
}

static struct ets_datum instruction_name(struct ets_sql_cursor *cursor,
                                         const struct ets_instruction *instruction)
{
    const struct ets_text name = instruction->name, overload = instruction->overload;
    if (name.data == NULL || overload.size == 0) return ets_datum_text(name);
    const size_t size = name.size + 1 + overload.size;
    char *text = ets_arena_alloc(&cursor->scratch, size);
    if (text == NULL) return ets_datum_no_memory();
    for (size_t i = 0; i < name.size; i++) text[i] = name.data[i];
    text[name.size] = '.';
    for (size_t i = 0; i < overload.size; i++) text[name.size + 1 + i] = overload.data[i];
    return ets_datum_text((struct ets_text){text, size});
}

static struct ets_datum instruction_cell(struct ets_sql_cursor *cursor, int column)
{
    const struct ets_studied_chain *chain = ets_study_chain(cursor->study, (uint32_t)cursor->row);
    const struct ets_studied_method *method = &cursor->study->methods[chain->method];
    struct ets_instruction instruction;
    ets_chain_instruction(&chain->chain, (uint32_t)cursor->row - chain->first_instruction,
                          &instruction);
    switch (column) {
    case STEP_PROGRAM: return ets_datum_integer(method->program);
    case STEP_METHOD: return ets_datum_text(method->method.name);
    case STEP_CHAIN: return ets_datum_integer(chain->chain.index);
    case STEP_INSTRUCTION: return ets_datum_integer(instruction.instruction_id);
    case STEP_KIND: return ets_datum_string(ets_instruction_kind_name(instruction.kind));
    case STEP_NAME: return instruction_name(cursor, &instruction);
    default: return ets_datum_integer(instruction.argument_count);
    }
}

const struct ets_sql_table ets_sql_instructions_table = {
    .name = "instructions",
    .meaning = "Instructions of the programs' methods.",
    .columns = instruction_columns,
    .count = instruction_count,
    .cell = instruction_cell,
};

/* delegates */

enum {
    DELEGATE_PROGRAM,
    DELEGATE_RECORD,
    DELEGATE_METHOD,
    DELEGATE_CHAIN,
    DELEGATE_INSTRUCTION,
    DELEGATE_BACKEND,
    DELEGATE_INDEX,
    DELEGATE_BYTES,
    DELEGATE_NODES
};

/* clang-format off */
static const struct ets_sql_column delegate_columns[] = {
    [DELEGATE_PROGRAM] = {"program", "INTEGER", "id in `programs`; null: only the ETRecord describes it"},
    [DELEGATE_RECORD] = {"record", "INTEGER", "id in `records`; null: only the program describes it"},
    [DELEGATE_METHOD] = {"method", "TEXT", "name of the method"},
    [DELEGATE_CHAIN] = {"chain", "INTEGER", "number of the chain; null without the program"},
    [DELEGATE_INSTRUCTION] = {"instruction", "INTEGER", "number of the instruction that calls the delegate"},
    [DELEGATE_BACKEND] = {"backend", "TEXT", "backend, such as XnnpackBackend"},
    [DELEGATE_INDEX] = {"number", "INTEGER", "number among the method's delegates; null without the program"},
    [DELEGATE_BYTES] = {"bytes", "INTEGER", "size of what the backend compiled; null without the program"},
    [DELEGATE_NODES] = {"handles", "INTEGER", "number of debug handles behind the call; null without the ETRecord"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t delegate_count(const struct ets_study *study)
{
    return study->delegate_count;
}

static struct ets_datum delegate_cell(struct ets_sql_cursor *cursor, int column)
{
    const struct ets_studied_delegate *delegate = &cursor->study->delegates[cursor->row];
    switch (column) {
    case DELEGATE_PROGRAM: return ets_datum_index(delegate->program, 0);
    case DELEGATE_RECORD: return ets_datum_index(delegate->record, 0);
    case DELEGATE_METHOD: return ets_datum_text(delegate->method);
    case DELEGATE_CHAIN: return ets_datum_unless_negative(delegate->chain);
    case DELEGATE_INSTRUCTION: return ets_datum_integer(delegate->instruction);
    case DELEGATE_BACKEND: return ets_datum_text(delegate->backend);
    case DELEGATE_INDEX: return ets_datum_unless_negative(delegate->index);
    case DELEGATE_BYTES:
        return ets_datum_unless_negative(delegate->index < 0 ? -1 : (int64_t)delegate->bytes);
    default: return ets_datum_unless_negative(delegate->node_count);
    }
}

const struct ets_sql_table ets_sql_delegates_table = {
    .name = "delegates",
    .meaning = "Delegate calls, from programs and ETRecords.",
    .columns = delegate_columns,
    .count = delegate_count,
    .cell = delegate_cell,
};

/* program_tensors */

enum {
    VALUE_PROGRAM,
    VALUE_METHOD,
    VALUE_NUMBER,
    VALUE_NAME,
    VALUE_DTYPE,
    VALUE_SHAPE,
    VALUE_PLACE,
    VALUE_BYTES,
    VALUE_MEMORY,
    VALUE_OFFSET
};

/* clang-format off */
static const struct ets_sql_column value_columns[] = {
    [VALUE_PROGRAM] = {"program", "INTEGER", "id in `programs`"},
    [VALUE_METHOD] = {"method", "TEXT", "name of the method"},
    [VALUE_NUMBER] = {"number", "INTEGER", "number among the method's values"},
    [VALUE_NAME] = {"name", "TEXT", "name, such as linear.weight, if the program has names"},
    [VALUE_DTYPE] = {"dtype", "TEXT", "type of the elements, such as float32"},
    [VALUE_SHAPE] = {"shape", "TEXT", "shape as a JSON array; upper bounds if it is dynamic"},
    [VALUE_PLACE] = {"place", "TEXT", "constant; planned; planned, with state; runtime; external; external state"},
    [VALUE_BYTES] = {"bytes", "INTEGER", "size of the elements"},
    [VALUE_MEMORY] = {"memory_id", "INTEGER", "id of its planned memory; null: not planned"},
    [VALUE_OFFSET] = {"memory_offset", "INTEGER", "position in its planned memory, in bytes"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t value_count(const struct ets_study *study)
{
    return study->value_count;
}

static const struct ets_studied_method *find_value(const struct ets_sql_cursor *cursor,
                                                   struct ets_evalue *value_out)
{
    const struct ets_study *study = cursor->study;
    uint32_t low = 0, high = study->method_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (study->methods[middle].first_value <= cursor->row) low = middle;
        else high = middle;
    }
    const struct ets_studied_method *method = &study->methods[low];
    ets_method_value(&method->method, (uint32_t)cursor->row - method->first_value, value_out);
    return method;
}

static bool value_has(struct ets_sql_cursor *cursor)
{
    struct ets_evalue value;
    find_value(cursor, &value);
    return value.kind == ETS_EVALUE_TENSOR;
}

static struct ets_datum value_cell(struct ets_sql_cursor *cursor, int column)
{
    struct ets_evalue value;
    const struct ets_studied_method *method = find_value(cursor, &value);
    const struct ets_program_tensor *tensor = &value.tensor;
    const bool is_planned = tensor->memory_id > 0;
    switch (column) {
    case VALUE_PROGRAM: return ets_datum_integer(method->program);
    case VALUE_METHOD: return ets_datum_text(method->method.name);
    case VALUE_NUMBER: return ets_datum_integer(value.index);
    case VALUE_NAME: return ets_datum_text(tensor->qualified_name);
    case VALUE_DTYPE: return ets_datum_string(ets_scalar_type_name(tensor->tensor.scalar_type));
    case VALUE_SHAPE:
        return ets_datum_print_numbers(&cursor->scratch, tensor->tensor.sizes, tensor->tensor.rank);
    case VALUE_PLACE: return ets_datum_string(ets_tensor_place_name(tensor->place));
    case VALUE_BYTES: return ets_datum_integer((int64_t)tensor->tensor_bytes);
    case VALUE_MEMORY:
        return ets_datum_unless_negative(is_planned ? (int64_t)tensor->memory_id : -1);
    default: return ets_datum_unless_negative(is_planned ? (int64_t)tensor->memory_offset : -1);
    }
}

const struct ets_sql_table ets_sql_program_tensors_table = {
    .name = "program_tensors",
    .meaning = "Tensors of the programs' methods: constants, planned memory, inputs.",
    .columns = value_columns,
    .count = value_count,
    .has = value_has,
    .cell = value_cell,
};
