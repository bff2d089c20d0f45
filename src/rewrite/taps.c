/* Lists the values within delegates, and says which of them can be had. */
#include "rewrite/taps.h"

#include "base/text.h"
#include "etscope/tensor.h"
#include "format/tap_marker.h"
#include "format/xnnpack.h"
#include "payload/payload_events.h"

enum { MOST_DIMS = 6, MOST_TAP_BYTES = 1 << 30 };

/* The types of programs that hold what XNNPACK calls so; not those of weights. */
static int scalar_type_of(const struct ets_payload_type *type)
{
    static const struct {
        const char *name;
        int scalar_type;
    } known[] = {
        {"qint8", ETS_SCALAR_CHAR},
        {"quint8", ETS_SCALAR_BYTE},
        {"qint32", ETS_SCALAR_INT},
        {"int32", ETS_SCALAR_INT},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(type->name, known[i].name) == 0) return known[i].scalar_type;
    }
    return type->scalar_type;
}

/* What is known of the operators that compute a payload's nodes. */
struct fusion {
    const struct ets_payload_graph *graph;
    uint32_t *event;                 /* [node] the operator that computes it; NULL: not known */
    uint32_t *reader, *reader_count; /* [value] the last node that reads it; nodes that do */
};

static enum ets_status find_events(struct ets_arena *arena, struct fusion *f,
                                   struct ets_error *error)
{
    struct ets_payload_events events;
    ETS_TRY(ets_payload_events(arena, f->graph, &events, error));
    if (events.items == NULL) return ETS_OK;
    f->event = ets_arena_alloc_array(arena, f->graph->node_count, sizeof *f->event);
    if (f->event == NULL) return ets_fail_memory(error, "the values of a delegate");
    for (uint32_t i = 0; i < f->graph->node_count; i++) f->event[i] = ETS_PAYLOAD_NONE;
    for (uint32_t i = 0; i < events.count; i++) {
        for (uint32_t k = 0; k < events.items[i].node_count; k++) {
            f->event[events.items[i].nodes[k]] = i;
        }
    }
    return ETS_OK;
}

static enum ets_status find_readers(struct ets_arena *arena, struct fusion *f,
                                    struct ets_error *error)
{
    const struct ets_payload_graph *graph = f->graph;
    f->reader = ets_arena_alloc_array(arena, graph->value_count, sizeof *f->reader);
    f->reader_count = ets_arena_alloc_array(arena, graph->value_count, sizeof *f->reader_count);
    if (f->reader == NULL || f->reader_count == NULL) {
        return ets_fail_memory(error, "the values of a delegate");
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for (uint32_t k = 0; k < graph->nodes[i].input_count; k++) {
            const uint32_t value = graph->nodes[i].inputs[k];
            if (value >= graph->value_count) continue;
            if (f->reader_count[value] > 0 && f->reader[value] == i) continue;
            f->reader[value] = i;
            f->reader_count[value]++;
        }
    }
    return ETS_OK;
}

/* Whether one operator computes the value and the only node that reads it. */
static bool is_fused(const struct fusion *f, uint32_t value)
{
    const struct ets_payload_graph *graph = f->graph;
    const uint32_t producer = graph->values[value].producer;
    if (f->event == NULL || f->reader_count[value] != 1) return false;
    return f->event[producer] != ETS_PAYLOAD_NONE &&
           f->event[producer] == f->event[f->reader[value]];
}

static enum ets_tap_state state_of(const struct fusion *f, struct ets_tap *tap)
{
    const struct ets_payload_value *value = &f->graph->values[tap->value];
    uint64_t elements = ets_payload_elements(value);
    tap->scalar_type = scalar_type_of(value->type);
    if (value->argument != ETS_PAYLOAD_NONE) return ETS_TAP_ARGUMENT;
    if (value->constant != ETS_PAYLOAD_NONE) return ETS_TAP_CONSTANT;
    if (value->producer == ETS_PAYLOAD_NONE) return ETS_TAP_UNMADE;
    if (value->type->numbers == ETS_PAYLOAD_INT8_DYNAMIC) return ETS_TAP_DYNAMIC;
    if (tap->scalar_type < 0 || value->rank > MOST_DIMS ||
        elements > MOST_TAP_BYTES / (value->type->bits / 8)) {
        return ETS_TAP_NO_TENSOR;
    }
    tap->bytes = elements * (value->type->bits / 8);
    return is_fused(f, tap->value) ? ETS_TAP_FUSED : ETS_TAP_POSSIBLE;
}

/* Bytes that may be listed for each byte of a program, and for any. */
enum { MOST_TIMES = 64, LEAST_ROOM = 64 << 20, MOST_REASONS = 16 };

struct listing {
    struct ets_arena *arena;
    uint64_t room; /* bytes that may still be listed */
    const char *told[MOST_REASONS];
    uint32_t told_count;
    const struct ets_program *program;
    struct ets_payload_store *store;
    struct ets_taps *taps;
    uint32_t item_room, delegate_room;
};

static enum ets_status list_values(struct listing *l, struct ets_tap_delegate *called,
                                   struct ets_error *error)
{
    struct fusion f = {.graph = called->graph};
    const uint64_t bytes =
        called->graph->bytes.size + (uint64_t)called->graph->value_count * sizeof(struct ets_tap);
    if (bytes > l->room) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                        "the values within the delegates are too many for a program of %zu bytes: "
                        "delegates share payloads",
                        l->program->bytes.size);
    }
    l->room -= bytes;
    called->first = l->taps->count;
    ETS_TRY(find_events(l->arena, &f, error));
    ETS_TRY(find_readers(l->arena, &f, error));
    for (uint32_t i = 0; i < called->graph->value_count; i++) {
        struct ets_tap *items =
            ets_arena_grow(l->arena, l->taps->items, l->taps->count, &l->item_room, sizeof *items);
        if (items == NULL) return ets_fail_memory(error, "the values of a delegate");
        l->taps->items = items;
        struct ets_tap *tap = &items[l->taps->count++];
        *tap = (struct ets_tap){.method = called->method, .delegate = called->delegate, .value = i};
        tap->state = state_of(&f, tap);
    }
    called->count = called->graph->value_count;
    return ETS_OK;
}

static void refuse(struct listing *l, struct ets_tap_delegate *called, const char *reason)
{
    called->graph = NULL;
    called->reason = reason;
    for (uint32_t i = 0; i < l->told_count; i++) {
        if (l->told[i] == reason) return;
    }
    if (l->told_count == MOST_REASONS) return;
    l->told[l->told_count++] = reason;
    called->is_first_refused = true;
}

static enum ets_status list_delegate(struct listing *l, const struct ets_method *method,
                                     uint32_t index, uint32_t arguments, struct ets_error *error)
{
    struct ets_delegate delegate;
    struct ets_tap_marker marker;
    ets_method_delegate(method, index, &delegate);
    if (ets_delegate_taps(&delegate, &marker)) {
        return ets_fail(
            error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
            "the program gives values from within its delegates already: %u of delegate "
            "%u; take the program that it was made of",
            marker.count, index);
    }
    struct ets_tap_delegate *list = ets_arena_grow(
        l->arena, l->taps->delegates, l->taps->delegate_count, &l->delegate_room, sizeof *list);
    if (list == NULL) return ets_fail_memory(error, "the delegates of a program");
    l->taps->delegates = list;
    struct ets_tap_delegate *called = &list[l->taps->delegate_count++];
    *called = (struct ets_tap_delegate){
        .method = method->index, .delegate = index, .backend = delegate.id};
    if (!ets_text_is(delegate.id, ETS_XNNPACK_BACKEND)) {
        refuse(l, called, ets_tap_alternative(delegate.id));
        return ETS_OK;
    }
    const char *reason;
    ETS_TRY(ets_payload_store_read(l->store, &delegate, &called->graph, &reason, error));
    if (called->graph == NULL) {
        refuse(l, called, reason);
        return ETS_OK;
    }
    if (called->graph->argument_count != arguments) { /* values would arrive elsewhere */
        refuse(l, called, "its calls have another number of arguments than its graph");
        return ETS_OK;
    }
    return list_values(l, called, error);
}

/* Arguments of a delegate's calls: how many all have; or else */
enum { NOT_CALLED = 0 };
#define CALLED_DIFFERENTLY UINT32_MAX

static void count_arguments(const struct ets_method *method, uint32_t *arguments)
{
    for (uint32_t c = 0; c < method->chain_count; c++) {
        struct ets_chain chain;
        ets_method_chain(method, c, &chain);
        for (uint32_t i = 0; i < chain.instruction_count; i++) {
            struct ets_instruction instruction;
            ets_chain_instruction(&chain, i, &instruction);
            if (instruction.delegate_index < 0) continue;
            uint32_t *known = &arguments[instruction.delegate_index];
            const bool is_same = *known == NOT_CALLED || *known == instruction.argument_count;
            *known = is_same ? instruction.argument_count : CALLED_DIFFERENTLY;
        }
    }
}

enum ets_status ets_taps_find(struct ets_arena *arena, const struct ets_program *program,
                              struct ets_payload_store *store, struct ets_taps *taps_out,
                              struct ets_error *error)
{
    struct listing l = {.arena = arena,
                        .room = MOST_TIMES * (uint64_t)program->bytes.size + LEAST_ROOM,
                        .program = program,
                        .store = store,
                        .taps = taps_out};
    *taps_out = (struct ets_taps){.count = 0};
    for (uint32_t m = 0; m < program->method_count; m++) {
        struct ets_method method;
        ets_program_method(program, m, &method);
        uint32_t *arguments =
            ets_arena_alloc_array(arena, method.delegate_count, sizeof *arguments);
        if (arguments == NULL) return ets_fail_memory(error, "the delegates of a program");
        count_arguments(&method, arguments);
        for (uint32_t d = 0; d < method.delegate_count; d++) {
            if (arguments[d] == NOT_CALLED) continue;
            ETS_TRY(list_delegate(&l, &method, d, arguments[d], error));
        }
    }
    return ETS_OK;
}

bool ets_tap_is_possible(const char *backend)
{
    return strcmp(backend, ETS_XNNPACK_BACKEND) == 0;
}

const char *ets_tap_alternative(struct ets_text backend)
{
    static const struct {
        const char *backend, *text;
    } known[] = {
        {"CoreMLBackend",
         "with a tracer that captures intermediates, its runtime gives them itself (macOS, iOS)"},
        {"QnnBackend",
         "lower it with dump_intermediate_outputs: its runtime then gives them itself"},
        {"EthosUBackend",
         "it runs a stream of commands with fixed addresses: lower a smaller part"},
        {"ArmBackend", "it runs a stream of commands with fixed addresses: lower a smaller part"},
        {"OpenvinoBackend", "its graph is compiled: lower a smaller part"},
        {"CudaBackend", "it runs compiled code: lower a smaller part"},
        {"MetalBackend", "it runs compiled code: lower a smaller part"},
        {"NeuropilotBackend", "its graph is compiled: lower a smaller part"},
        {"EnnBackend", "its graph is compiled: lower a smaller part"},
        {"NeutronBackend", "its graph is compiled: lower a smaller part"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (ets_text_is(backend, known[i].backend)) return known[i].text;
    }
    return "this version does not rewrite its payload: lower a smaller part";
}
