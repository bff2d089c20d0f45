/*
 * Finds the weights of a program in its record, and the initial values of buffers that it changes.
 */
#include "reference/weights.h"

#include "base/error.h"
#include "base/text.h"
#include "reference/weight_parts.h"

/* The tensors of a program's entries by name, and objects with tensors inside. */
struct dictionary {
    struct ets_strings names;
    const struct ets_named_value **values; /* by the name's number */
    uint32_t capacity;
};

/* Tensors of buffers by name. */
struct buffers {
    struct ets_strings names;
    const struct ets_tensor **tensors;
    uint32_t capacity;
};

static enum ets_status no_memory(struct ets_error *error)
{
    return ets_fail_memory(error, "the reference");
}

bool ets_reference_input_is_given(const struct ets_graph_input *input)
{
    const enum ets_argument_kind kind = input->argument.kind;
    switch (input->role) {
    case ETS_INPUT_PARAMETER:
    case ETS_INPUT_BUFFER: return false;
    case ETS_INPUT_CONSTANT: return kind != ETS_ARGUMENT_TENSOR; /* a number the user gives */
    case ETS_INPUT_USER:
    case ETS_INPUT_OTHER: break;
    }
    return true;
}

static enum ets_status add_values(struct dictionary *dictionary, struct ets_arena *arena,
                                  const struct ets_named_value *values, size_t count,
                                  struct ets_error *error)
{
    const size_t capacity = dictionary->capacity + count + 1;
    if (capacity > UINT32_MAX / 2) return no_memory(error);
    const struct ets_named_value **grown = ets_arena_alloc_array(arena, capacity, sizeof *grown);
    if (grown == NULL) return no_memory(error);
    for (uint32_t i = 0; i < dictionary->capacity; i++) grown[i] = dictionary->values[i];
    for (size_t i = 0; i < count; i++) {
        const uint32_t number = ets_strings_add(&dictionary->names, values[i].name);
        if (number == UINT32_MAX) return no_memory(error);
        const enum ets_value_kind kind = values[i].value.kind;
        if (kind != ETS_VALUE_TENSOR && kind != ETS_VALUE_OTHER) continue;
        const bool is_better = grown[number] == NULL ||
                               (kind == ETS_VALUE_TENSOR && grown[number]->value.kind != kind);
        if (is_better) grown[number] = &values[i];
    }
    dictionary->values = grown;
    dictionary->capacity = (uint32_t)capacity;
    return ETS_OK;
}

static enum ets_status add_entry(struct ets_etrecord *record, const struct ets_graph *graph,
                                 const char *suffix, struct dictionary *dictionary,
                                 struct ets_arena *arena, struct ets_error *error)
{
    const size_t suffix_size = strlen(suffix) + 1;
    char *name = ets_arena_alloc(arena, graph->name.size + suffix_size);
    if (name == NULL) return no_memory(error);
    memcpy(name, graph->name.data, graph->name.size);
    memcpy(name + graph->name.size, suffix, suffix_size);
    const struct ets_named_value *values;
    size_t count;
    const enum ets_status status = ets_etrecord_named_values(record, name, &values, &count, error);
    if (status == ETS_NOT_FOUND) return ETS_OK; /* missing weights are reported by name */
    ETS_TRY(status);
    return add_values(dictionary, arena, values, count, error);
}

static enum ets_status read_dictionary(struct ets_etrecord *record, const struct ets_graph *graph,
                                       struct ets_arena *arena, struct dictionary *dictionary,
                                       struct ets_error *error)
{
    *dictionary = (struct dictionary){.capacity = 0};
    if (ets_strings_init(&dictionary->names, arena) != 0) return no_memory(error);
    ETS_TRY(add_entry(record, graph, "_state_dict", dictionary, arena, error));
    return add_entry(record, graph, "_constants", dictionary, arena, error);
}

static const struct ets_named_value *find_weight(const void *context, struct ets_text name)
{
    const struct dictionary *dictionary = context;
    if (name.data == NULL) return NULL;
    const uint32_t number = ets_strings_find(&dictionary->names, name);
    return number < dictionary->capacity ? dictionary->values[number] : NULL;
}

static const struct ets_tensor *find_buffer(const struct buffers *buffers, struct ets_text name)
{
    if (name.data == NULL) return NULL;
    const uint32_t number = ets_strings_find(&buffers->names, name);
    return number < buffers->capacity ? buffers->tensors[number] : NULL;
}

static bool fits(const struct ets_tensor *tensor, const struct ets_graph_value *value)
{
    if (value == NULL || value->scalar_type < 0) return true;
    if ((int32_t)tensor->scalar_type != value->scalar_type || tensor->rank != value->rank) {
        return false;
    }
    for (uint32_t i = 0; i < value->rank; i++) {
        const bool is_fixed = value->size_texts == NULL || value->size_texts[i].data == NULL;
        if (is_fixed && tensor->sizes[i] != value->sizes[i]) return false;
    }
    return true;
}

static enum ets_status check(const struct ets_graph *graph, const struct ets_graph_input *input,
                             const struct ets_tensor *tensor, const struct ets_graph_value *value,
                             struct ets_error *error)
{
    if (tensor == NULL) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                        "%.*s: the record has no weight %.*s, so its graph cannot be computed "
                        "(records without weights still work for inspecting traces)",
                        ETS_TEXT(graph->name),
                        ETS_TEXT(input->source) != NULL ? input->source.data : "");
    }
    if (!fits(tensor, value)) {
        return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                        "%.*s: the weight %.*s has a different type or shape than in the graph",
                        ETS_TEXT(graph->name), ETS_TEXT(input->source));
    }
    return ETS_OK;
}

/* Reads the initial values of buffers that the other program changes. */
static void take_mutated(struct reference_program *program, const struct buffers *by_buffer)
{
    for (uint32_t i = 0; i < program->graph->input_count; i++) {
        const struct ets_graph_input *input = &program->graph->inputs[i];
        if (input->role != ETS_INPUT_BUFFER) continue;
        const struct ets_tensor *tensor = find_buffer(by_buffer, input->source);
        const uint32_t slot = program->plans[0].inputs[i];
        if (tensor != NULL && fits(tensor, program->plans[0].described[slot])) {
            program->weights[i] = tensor;
        }
    }
}

/* Tensors of buffers that `functional` changes, by name. */
static enum ets_status read_mutated(const struct reference_program *functional,
                                    struct ets_arena *arena, struct buffers *by_buffer,
                                    struct ets_error *error)
{
    const struct ets_graph *graph = functional->graph;
    const uint32_t capacity = graph->output_count + 1;
    *by_buffer = (struct buffers){.capacity = capacity};
    by_buffer->tensors = ets_arena_alloc_array(arena, capacity, sizeof *by_buffer->tensors);
    if (by_buffer->tensors == NULL || ets_strings_init(&by_buffer->names, arena) != 0) {
        return no_memory(error);
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct ets_graph_output *output = &graph->outputs[i];
        if (output->role != ETS_OUTPUT_BUFFER_MUTATION || output->target.data == NULL) continue;
        if (ets_strings_add(&by_buffer->names, output->target) == UINT32_MAX) {
            return no_memory(error);
        }
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct ets_graph_input *input = &graph->inputs[i];
        if (input->role != ETS_INPUT_BUFFER || input->source.data == NULL) continue;
        const uint32_t number = ets_strings_find(&by_buffer->names, input->source);
        if (number < capacity) by_buffer->tensors[number] = functional->weights[i];
    }
    return ETS_OK;
}

static bool has_sizes_of(const struct ets_tensor *one, const struct ets_tensor *other)
{
    bool is_same = one->rank == other->rank;
    for (uint32_t i = 0; is_same && i < one->rank; i++) is_same = one->sizes[i] == other->sizes[i];
    return is_same;
}

/* The tensor that the options give in place of a weight; else the weight. */
static const struct ets_tensor *replacement(const struct ets_reference_options *options,
                                            struct ets_text source, const struct ets_tensor *weight)
{
    for (uint32_t i = 0; i < options->weight_count && source.data != NULL; i++) {
        const struct ets_reference_weight *given = &options->weights[i];
        if (!ets_text_equal(given->source, source)) continue;
        if (has_sizes_of(&given->tensor, weight)) return &given->tensor;
    }
    return weight;
}

enum ets_status ets_reference_weights_find(const struct ets_reference_options *options,
                                           struct reference_program *program,
                                           struct ets_arena *arena, struct ets_error *error)
{
    struct dictionary dictionary;
    const struct ets_graph *graph = program->graph;
    const struct ets_named_value **objects =
        ets_arena_alloc_array(arena, graph->input_count, sizeof *objects);
    program->weights = ets_arena_alloc_array(arena, graph->input_count, sizeof *program->weights);
    if (program->weights == NULL || objects == NULL) return no_memory(error);
    ETS_TRY(read_dictionary(options->record, graph, arena, &dictionary, error));
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct ets_graph_input *input = &graph->inputs[i];
        if (ets_reference_input_is_given(input)) continue;
        const struct ets_named_value *found = find_weight(&dictionary, input->source);
        if (found != NULL && found->value.kind == ETS_VALUE_OTHER) {
            objects[i] = found;
            continue;
        }
        const struct ets_tensor *tensor = found != NULL ? &found->value.as.tensor : NULL;
        const uint32_t slot = program->plans[0].inputs[i];
        ETS_TRY(check(graph, input, tensor, program->plans[0].described[slot], error));
        program->weights[i] = replacement(options, input->source, tensor);
    }
    return ets_reference_weight_parts_find(program, objects, find_weight, &dictionary, arena,
                                           error);
}

enum ets_status ets_reference_weights_restore(struct reference_program *program,
                                              const struct reference_program *functional,
                                              struct ets_arena *arena, struct ets_error *error)
{
    struct buffers by_buffer;
    ETS_TRY(read_mutated(functional, arena, &by_buffer, error));
    take_mutated(program, &by_buffer);
    return ETS_OK;
}
