/* Which constants of a program no instruction reads. */
#include "contents/byte_claims.h"
#include "format/program_lists.h"
#include "record/record_maps.h"

struct uses {
    const struct ets_byte_claims *sheet;
    const struct ets_method *method;
    uint8_t *is_used; /* [value of the method] */
};

static void use_value(struct uses *uses, uint32_t index)
{
    struct ets_evalue value;
    if (uses->is_used[index]) return; /* and so are the items of a list */
    uses->is_used[index] = 1;
    ets_method_value(uses->method, index, &value);
    if (!ets_evalue_is_tensor_list(&value)) return;
    for (uint32_t i = 0; i < value.item_count; i++) {
        const int32_t item = ets_evalue_item(&value, i);
        if (item >= 0) uses->is_used[item] = 1;
    }
}

static void use_instructions(struct uses *uses)
{
    for (uint32_t c = 0; c < uses->method->chain_count; c++) {
        struct ets_chain chain;
        ets_method_chain(uses->method, c, &chain);
        for (uint32_t k = 0; k < chain.instruction_count; k++) {
            struct ets_instruction instruction;
            ets_chain_instruction(&chain, k, &instruction);
            if (instruction.kind == ETS_INSTRUCTION_FREE_CALL) continue;
            for (uint32_t i = 0; i < instruction.argument_count; i++) {
                use_value(uses, ets_instruction_argument(&instruction, i));
            }
        }
    }
}

/* Marks the items of the constants that a method uses. */
static void mark_method(struct uses *uses, uint8_t *is_read)
{
    struct ets_evalue value;
    for (uint32_t i = 0; i < uses->method->input_count; i++) {
        ets_method_input(uses->method, i, &value);
        use_value(uses, value.index);
    }
    for (uint32_t i = 0; i < uses->method->output_count; i++) {
        ets_method_output(uses->method, i, &value);
        use_value(uses, value.index);
    }
    use_instructions(uses);
    for (uint32_t v = 0; v < uses->method->value_count; v++) {
        if (!uses->is_used[v]) continue;
        ets_method_value(uses->method, v, &value);
        if (value.kind != ETS_EVALUE_TENSOR || value.tensor.place != ETS_PLACE_CONSTANT) continue;
        if (value.tensor.tensor.data == NULL || value.tensor.tensor_bytes == 0) continue;
        const uint32_t item = ets_byte_claims_find_place(
            uses->sheet, ets_byte_claims_offset(uses->sheet, value.tensor.tensor.data));
        if (item != ETS_BYTES_NONE) is_read[item] = 1;
    }
}

/* A name of an argument is that of an input: some node takes this. */
static void take_input(const struct ets_layer_graph *graph, const struct ets_graph_argument *from,
                       uint8_t *is_taken)
{
    if (from->kind != ETS_ARGUMENT_TENSOR) return;
    const uint32_t number = ets_strings_find(&graph->inputs, from->name);
    if (number != UINT32_MAX && number > 0) is_taken[number - 1] = 1;
}

/* [input] Whether a node of the graph takes it; NULL: no memory. */
static const uint8_t *find_taken(struct ets_arena *arena, const struct ets_layer_graph *of)
{
    const struct ets_graph *graph = of->graph;
    uint8_t *is_taken = ets_arena_alloc_array(arena, graph->input_count, sizeof *is_taken);
    for (uint32_t i = 0; is_taken != NULL && i < graph->node_count; i++) {
        for (uint32_t k = 0; k < graph->nodes[i].input_count; k++) {
            const struct ets_graph_argument *from = &graph->nodes[i].inputs[k];
            const uint32_t items = from->kind == ETS_ARGUMENT_LIST ? from->item_count : 0;
            take_input(of, from, is_taken);
            for (uint32_t j = 0; j < items; j++) take_input(of, &from->items[j], is_taken);
        }
    }
    return is_taken;
}

static bool is_alike(const struct ets_graph *graph, const struct ets_graph_input *input,
                     const struct ets_byte_item *item)
{
    const struct ets_graph_value *value = ets_graph_find_value(graph, input->argument.name);
    if (input->source.data == NULL || item->shape == NULL || value == NULL) return false;
    if (value->rank != item->rank) return false;
    for (uint32_t d = 0; d < item->rank; d++) {
        if (value->sizes[d] != item->shape[d]) return false;
    }
    return true;
}

/* Gives an item the name of the one parameter or buffer of its method that no node takes and that
 * has its shape; without exactly one, none. */
static void name_item(struct ets_byte_item *item, const struct ets_layer_graph *graph,
                      const uint8_t *is_taken)
{
    struct ets_text found = {NULL, 0};
    for (uint32_t i = 0; i < graph->graph->input_count; i++) {
        const struct ets_graph_input *input = &graph->graph->inputs[i];
        if (is_taken[i] || !is_alike(graph->graph, input, item)) continue;
        if (found.data != NULL) return;
        found = input->source;
    }
    item->name = found;
}

/* Inputs that are looked at for names, so that many items and many inputs do not cost their
 * product. */
enum { MOST_LOOKS = 1 << 22 };

static bool name_items(struct ets_byte_claims *sheet, const struct ets_method *method,
                       uint32_t count)
{
    uint64_t looks = 0;
    const struct ets_layer_method *layers = ets_layer_method(&sheet->all->names, method);
    if (layers == NULL) return true;
    const uint8_t *is_taken = find_taken(&sheet->all->map->arena, &layers->graphs[0]);
    for (uint32_t i = 0; is_taken != NULL && i < count && looks < MOST_LOOKS; i++) {
        struct ets_byte_item *item = ets_byte_item(sheet, i);
        const bool is_it = item->part == ETS_BYTES_UNUSED_CONSTANT && item->file == sheet->index &&
                           item->method == method->index;
        if (!is_it || item->name.data != NULL) continue;
        looks += layers->graphs[0].graph->input_count;
        name_item(item, &layers->graphs[0], is_taken);
    }
    return is_taken != NULL;
}

bool ets_constant_uses_find(struct ets_byte_claims *sheet)
{
    struct ets_arena *arena = &sheet->all->map->arena;
    const struct ets_program *program = &sheet->file->program;
    const uint32_t count = sheet->all->map->item_count;
    uint8_t *is_read = ets_arena_alloc_array(arena, count, sizeof *is_read);
    bool ok = is_read != NULL;
    struct ets_method method;
    for (uint32_t i = 0; ok && i < program->method_count; i++) {
        ets_program_method(program, i, &method);
        struct uses uses = {.sheet = sheet, .method = &method};
        uses.is_used = ets_arena_alloc_array(arena, method.value_count, sizeof *uses.is_used);
        if (uses.is_used == NULL) return false;
        mark_method(&uses, is_read);
    }
    for (uint32_t i = 0; ok && i < count; i++) {
        struct ets_byte_item *item = ets_byte_item(sheet, i);
        if (item->file != sheet->index || item->part != ETS_BYTES_CONSTANT || is_read[i]) continue;
        if (item->user_count > 0) item->part = ETS_BYTES_UNUSED_CONSTANT;
    }
    for (uint32_t i = 0; ok && i < program->method_count; i++) {
        ets_program_method(program, i, &method);
        ok = name_items(sheet, &method, count);
    }
    return ok;
}
