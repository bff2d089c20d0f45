/*
 * Constants that a method holds in one program and a delegate's payload in the other. They are the
 * same where their bytes are. A delegate may have transposed, packed or quantized them: then where
 * both records call a constant of as many elements by one name.
 */
#include "base/load.h"
#include "base/text.h"
#include "contents/method_parts.h"
#include "format/program_lists.h"
#include "record/record_maps.h"

struct movers {
    struct ets_paired_methods *methods;
    int side; /* that has the payloads */
    struct ets_constant_holder *holders;
    uint32_t count, capacity;
    struct ets_key_table contents; /* hash and size */
    struct ets_strings names;
    uint32_t *by_content, *by_name; /* the holder + 1 */
    uint32_t content_capacity, name_capacity;
};

static enum ets_status no_memory(const struct movers *m)
{
    return ets_fail_memory(m->methods->error, "the constants of payloads");
}

/* The first holder of a number stays. */
static bool put_first(struct movers *m, uint32_t **list, uint32_t number, uint32_t *capacity)
{
    *list = ets_arena_grow(m->methods->arena, *list, number, capacity, sizeof **list);
    if (*list == NULL) return false;
    if ((*list)[number] == 0) (*list)[number] = m->count + 1;
    return true;
}

static enum ets_status index_content(struct movers *m, struct ets_bytes bytes)
{
    uint64_t hash;
    if (bytes.size == 0) return ETS_OK;
    ETS_TRY(ets_content_hash(m->methods->contents, bytes, &hash, m->methods->error));
    const uint64_t key[2] = {hash, bytes.size};
    const uint32_t number = ets_key_table_add(&m->contents, key);
    if (number == ETS_KEY_NONE || !put_first(m, &m->by_content, number, &m->content_capacity)) {
        return no_memory(m);
    }
    return ETS_OK;
}

static enum ets_status index_name(struct movers *m, const struct ets_constant_holder *holder,
                                  const struct ets_payload_node *node,
                                  const struct ets_payload_value *value)
{
    struct ets_layer_method *layers = m->methods->sides[m->side].layers;
    if (layers == NULL) return ETS_OK;
    const int64_t handle = ets_handle_of_payload_node(&layers->nodes, node);
    if (handle <= 0) return ETS_OK;
    const struct ets_parameter_query query = {
        .element_count = holder->element_count,
        .least_rank = value->rank > 1 ? 2 : 0,
        .most_rank = value->rank > 1 ? ETS_TENSOR_MAX_RANK : 1,
        .scalar_type = -1,
        .count = 1};
    const struct ets_text name = ets_layer_parameter(layers, handle, &query);
    if (name.size == 0) return ETS_OK;
    const uint32_t number = ets_strings_add(&m->names, name);
    if (number == UINT32_MAX || !put_first(m, &m->by_name, number, &m->name_capacity)) {
        return no_memory(m);
    }
    return ETS_OK;
}

static enum ets_status add_holder(struct movers *m, const struct ets_payload_graph *graph,
                                  uint32_t delegate, uint32_t number, uint32_t input)
{
    const struct ets_payload_node *node = &graph->nodes[number];
    const struct ets_payload_value *value = ets_payload_value(graph, node->inputs[input]);
    if (value == NULL || value->constant == ETS_PAYLOAD_NONE) return ETS_OK;
    m->holders =
        ets_arena_grow(m->methods->arena, m->holders, m->count, &m->capacity, sizeof *m->holders);
    if (m->holders == NULL) return no_memory(m);
    struct ets_constant_holder *holder = &m->holders[m->count];
    *holder = (struct ets_constant_holder){.graph = graph,
                                           .delegate = delegate,
                                           .node = number,
                                           .input = input,
                                           .element_count = ets_payload_elements(value)};
    holder->bytes = ets_payload_constant_bytes(graph, value->constant);
    holder->named_data = graph->constants[value->constant].named_data;
    ETS_TRY(index_content(m, holder->bytes));
    ETS_TRY(index_name(m, holder, node, value));
    m->count++;
    return ETS_OK;
}

/* The payload of a delegate, unless it cannot be read. */
static enum ets_status add_payload(struct movers *m, uint32_t number)
{
    struct ets_paired_methods *methods = m->methods;
    const struct ets_payload_graph *graph;
    struct ets_delegate delegate;
    ets_method_delegate(&methods->sides[m->side].method, number, &delegate);
    ETS_TRY(ets_payload_store_read(&methods->payloads[m->side], &delegate, &graph, NULL,
                                   methods->error));
    for (uint32_t i = 0; graph != NULL && i < graph->node_count; i++) {
        for (uint32_t k = 0; k < graph->nodes[i].input_count; k++) {
            ETS_TRY(add_holder(m, graph, number, i, k));
        }
    }
    return ETS_OK;
}

/* What the record calls a value, by the first call of a kernel in chain 0 that takes it. */
static enum ets_status name_values(const struct movers *m, struct ets_text **names_out)
{
    const struct ets_paired_side *side = &m->methods->sides[ets_other_side(m->side)];
    struct ets_chain chain;
    *names_out =
        ets_arena_alloc_array(m->methods->arena, side->method.value_count, sizeof **names_out);
    if (*names_out == NULL) return no_memory(m);
    if (side->layers == NULL || side->method.chain_count == 0) return ETS_OK;
    ets_method_chain(&side->method, 0, &chain);
    for (uint32_t i = 0; i < chain.instruction_count; i++) {
        struct ets_instruction instruction;
        const int64_t *handles;
        size_t count;
        ets_chain_instruction(&chain, i, &instruction);
        ets_etrecord_call_handles(side->record, side->record_method, i, &handles, &count);
        for (uint32_t k = 0; k < instruction.argument_count && count > 0; k++) {
            struct ets_evalue value;
            ets_method_value(&side->method, ets_instruction_argument(&instruction, k), &value);
            struct ets_text *name = &(*names_out)[value.index];
            if (name->data != NULL || value.kind != ETS_EVALUE_TENSOR ||
                ets_tensor_content(&value.tensor).data == NULL) {
                continue;
            }
            const struct ets_parameter_query query =
                ets_parameter_query_of(&side->method, &instruction, k, &value.tensor);
            for (size_t h = 0; h < count && name->data == NULL; h++) {
                *name = ets_layer_parameter(side->layers, handles[h], &query);
            }
        }
    }
    return ETS_OK;
}

static enum ets_status find_by_content(const struct movers *m, struct ets_bytes bytes,
                                       const struct ets_constant_holder **holder_out)
{
    uint64_t hash;
    bool same;
    *holder_out = NULL;
    if (bytes.size == 0 || m->by_content == NULL) return ETS_OK;
    ETS_TRY(ets_content_hash(m->methods->contents, bytes, &hash, m->methods->error));
    const uint64_t key[2] = {hash, bytes.size};
    const uint32_t number = ets_key_table_find(&m->contents, &key[0]);
    if (number == ETS_KEY_NONE) return ETS_OK;
    const struct ets_constant_holder *holder = &m->holders[m->by_content[number] - 1];
    ETS_TRY(
        ets_content_equal(m->methods->contents, bytes, holder->bytes, &same, m->methods->error));
    if (same) *holder_out = holder;
    return ETS_OK;
}

static const struct ets_constant_holder *find_by_name(const struct movers *m, struct ets_text name,
                                                      uint64_t element_count)
{
    if (name.size == 0 || m->by_name == NULL) return NULL;
    const uint32_t number = ets_strings_find(&m->names, name);
    if (number == UINT32_MAX) return NULL;
    const struct ets_constant_holder *holder = &m->holders[m->by_name[number] - 1];
    return holder->element_count == element_count ? holder : NULL;
}

/* Whether a change is of a constant that the side with the payloads no longer has. */
static bool is_candidate(const struct movers *m, const struct ets_program_change *change)
{
    return change->part == ETS_PART_CONSTANT && change->kind != ETS_THING_CHANGED &&
           change->index[m->side] == ETS_THING_NONE;
}

static enum ets_status match(const struct movers *m, struct ets_text *names,
                             struct ets_program_change *change)
{
    struct ets_evalue value;
    const struct ets_constant_holder *holder;
    const int from = ets_other_side(m->side);
    ets_method_value(&m->methods->sides[from].method, change->index[from], &value);
    ETS_TRY(find_by_content(m, ets_tensor_content(&value.tensor), &holder));
    const bool has_bytes = holder != NULL;
    if (!has_bytes) {
        holder = find_by_name(m, names[value.index], ets_tensor_count(&value.tensor.tensor));
    }
    if (holder == NULL) return ETS_OK;
    change->kind = m->side == ETS_AFTER_SIDE ? ETS_THING_DELEGATED : ETS_THING_UNDELEGATED;
    change->holder = holder;
    change->bytes[m->side] = holder->bytes.size;
    if (!has_bytes) change->fields = ets_field_bit(ETS_FIELD_DATA);
    return ETS_OK;
}

static enum ets_status move_to(struct ets_paired_methods *methods, int side,
                               struct ets_change_list *changes, uint32_t first)
{
    struct movers m = {.methods = methods, .side = side};
    struct ets_text *names;
    bool is_needed = false;
    for (uint32_t i = first; i < changes->count; i++) {
        is_needed = is_needed || is_candidate(&m, &changes->items[i]);
    }
    if (!is_needed) return ETS_OK;
    ets_key_table_init(&m.contents, methods->arena, 2);
    if (ets_strings_init(&m.names, methods->arena) != 0) return no_memory(&m);
    for (uint32_t i = 0; i < methods->sides[side].method.delegate_count; i++) {
        ETS_TRY(add_payload(&m, i));
    }
    if (m.count == 0) return ETS_OK;
    ETS_TRY(name_values(&m, &names));
    for (uint32_t i = first; i < changes->count; i++) {
        if (is_candidate(&m, &changes->items[i])) ETS_TRY(match(&m, names, &changes->items[i]));
    }
    return ETS_OK;
}

enum ets_status ets_move_constants(struct ets_paired_methods *methods,
                                   struct ets_change_list *changes, uint32_t first)
{
    ETS_TRY(move_to(methods, ETS_AFTER_SIDE, changes, first));
    return move_to(methods, ETS_BEFORE_SIDE, changes, first);
}
