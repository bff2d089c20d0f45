/*
 * Finds contradictions between the events of a delegate call and the nodes that the record has of
 * it. Only events whose names say what they compute count, as XNNPACK's do. Nodes that XNNPACK
 * takes apart, fuses or drops do not: multiplications it neither adds nor drops, except that it
 * makes a convolution of a batch norm, and quantization it does not invent.
 */
#include "inspect/delegates/event_check.h"

#include "inspect/inspection.h"
#include "operators/operator_traits.h"
#include "payload/payload_names.h"

struct ran {
    bool is_telling;                        /* an event's name tells where it can come from */
    bool is_attention;                      /* one event instead of two multiplications */
    bool converts;                          /* between floats and integers */
    uint32_t multiplications;               /* convolutions, products of matrices */
    struct ets_text int8;                   /* an event that computes with integers; absent: none */
    enum ets_payload_arithmetic arithmetic; /* the strongest of all events */
};

struct nodes {
    bool is_shared; /* handles that other calls have, too: whose nodes they are is not known */
    bool is_attention;
    bool quantizes; /* a tensor that is computed or given */
    uint32_t multiplications, norms;
};

static void see_event(struct ran *ran, struct ets_text name)
{
    const char *operation = ets_payload_event_operation(name);
    const enum ets_payload_arithmetic arithmetic = ets_payload_event_arithmetic(name);
    if (arithmetic >= ETS_PAYLOAD_ARITHMETIC_INT8 && ran->int8.data == NULL) ran->int8 = name;
    if (arithmetic > ran->arithmetic) ran->arithmetic = arithmetic;
    if (ets_payload_event_origins(name) != NULL) ran->is_telling = true;
    if (operation == NULL) return;
    const struct ets_text base = ets_text_of(operation);
    ran->is_attention |= ets_text_contains(base, "attention");
    ran->converts |= ets_operator_is(base, ETS_OPERATOR_QUANTIZATION);
    ran->multiplications += ets_operator_is(base, ETS_OPERATOR_MULTIPLICATION);
}

/* Weights are quantized once, before the model runs. */
static bool takes_activation(const struct ets_graph *graph, const struct ets_graph_node *node)
{
    if (node->input_count == 0) return false;
    for (size_t i = 0; i < graph->input_count; i++) {
        const struct ets_graph_input *input = &graph->inputs[i];
        if (!ets_text_equal(input->argument.name, node->inputs[0].name)) continue;
        return input->role == ETS_INPUT_USER;
    }
    return true;
}

static void see_node(struct nodes *seen, const struct ets_known_method *method,
                     const struct ets_graph_node *node)
{
    const uint32_t traits = ets_operator_traits(node->op);
    seen->multiplications += (traits & ETS_OPERATOR_MULTIPLICATION) != 0;
    seen->norms += ets_text_contains(node->op, "batch_norm");
    seen->is_attention |= ets_text_contains(node->op, "attention");
    if (traits & (ETS_OPERATOR_QUANTIZE | ETS_OPERATOR_CHOOSE_SCALE)) {
        seen->quantizes |= takes_activation(method->graph, node);
    }
}

static void see_nodes(struct nodes *seen, const struct ets_recorded_call *call)
{
    struct ets_known_method *method = call->method;
    ets_handle_index_start(&method->nodes);
    for (size_t i = 0; i < call->handle_count; i++) {
        uint32_t count;
        const uint64_t key = (uint64_t)call->handles[i];
        const struct ets_row_node *nodes =
            ets_handle_index_find(&method->nodes, call->handles[i], &count);
        if (ets_key_table_find(&method->shared_handles, &key) != ETS_KEY_NONE) {
            seen->is_shared = true;
        }
        if (!ets_handle_index_add(&method->nodes, nodes, count)) continue;
        for (uint32_t k = 0; k < count; k++) see_node(seen, method, nodes[k].node);
    }
}

static enum ets_status compare(const struct ran *ran, const struct nodes *seen,
                               const struct ets_known_method *method, int64_t instruction,
                               struct ets_error *error)
{
    const bool fuses = ran->is_attention || seen->is_attention;
    if (!fuses && (ran->multiplications < seen->multiplications ||
                   ran->multiplications > seen->multiplications + seen->norms)) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "the delegate of instruction %lld ran %u convolutions and matrix products, "
                        "but the record's %s has %u there",
                        (long long)instruction, (unsigned)ran->multiplications, method->name,
                        (unsigned)seen->multiplications);
    }
    if (seen->quantizes && !ran->converts && ran->arithmetic == ETS_PAYLOAD_ARITHMETIC_FLOAT) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "the delegate of instruction %lld computed in floats, but the record's %s "
                        "quantizes there",
                        (long long)instruction, method->name);
    }
    return ETS_OK;
}

static enum ets_status check_origin(const struct ets_row *row, const struct ets_recorded_call *call,
                                    int64_t instruction, struct ets_error *error)
{
    const char *const *ops = ets_payload_event_origins(row->name);
    if (ops == NULL ||
        ets_handle_index_has_op(&call->method->nodes, call->handles, call->handle_count, ops)) {
        return ETS_OK;
    }
    return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                    "the delegate of instruction %lld ran %.*s, which does not match the nodes "
                    "there in the record's %s",
                    (long long)instruction, ETS_TEXT(row->name), call->method->name);
}

enum ets_status ets_delegate_events_check(const struct ets_inspection *inspection,
                                          uint32_t call_row, const struct ets_recorded_call *call,
                                          struct ets_error *error)
{
    const int64_t instruction = inspection->rows[call_row].instruction;
    const struct ets_known_method *method = call->method;
    struct ran ran = {.is_telling = false};
    struct nodes seen = {.is_shared = false};
    if (method->graph == NULL) return ETS_OK;
    for (uint32_t i = call_row; i-- > 0 && inspection->rows[i].parent == call_row;) {
        const struct ets_row *row = &inspection->rows[i];
        if (!row->is_delegated) continue;
        ETS_TRY(check_origin(row, call, instruction, error));
        see_event(&ran, row->name);
    }
    if (ran.int8.data != NULL && !method->quantizes) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "the delegate of instruction %lld ran %.*s, but the record's %s does not "
                        "quantize",
                        (long long)instruction, ETS_TEXT(ran.int8), method->name);
    }
    if (!ran.is_telling || !call->is_complete) return ETS_OK;
    see_nodes(&seen, call);
    return seen.is_shared ? ETS_OK : compare(&ran, &seen, method, instruction, error);
}
