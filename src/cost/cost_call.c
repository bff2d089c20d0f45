/* The cost of one call: its rule's arithmetic, and the bytes of its distinct tensors. */
#include "cost/cost_call.h"

#include "base/text.h"
#include "cost/cost_rules.h"

/* A tensor whose type or sizes are not known, or which no address space holds. */
static enum ets_cost_reason check_tensor(const struct ets_cost_tensor *tensor)
{
    bool ok = true;
    if (ets_scalar_type_name(tensor->scalar_type) == NULL) return ETS_COST_NO_SHAPE;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->sizes[i] < 0) return ETS_COST_NO_SHAPE;
    }
    (void)ets_cost_tensor_bytes(tensor, &ok);
    return ok ? ETS_COST_REASON_NONE : ETS_COST_TOO_LARGE;
}

static enum ets_cost_reason check_tensors(const struct ets_cost_call *call)
{
    enum ets_cost_reason reason = ETS_COST_REASON_NONE;
    for (uint32_t i = 0; reason == ETS_COST_REASON_NONE && i < call->output_count; i++) {
        reason = check_tensor(&call->outputs[i]);
    }
    for (uint32_t i = 0; reason == ETS_COST_REASON_NONE && i < call->argument_count; i++) {
        const struct ets_cost_argument *argument = &call->arguments[i];
        if (argument->kind != ETS_COST_TENSORS) continue;
        for (uint32_t t = 0; reason == ETS_COST_REASON_NONE && t < argument->count; t++) {
            reason = check_tensor(&argument->tensors[t]);
        }
    }
    return reason;
}

/* What a call moves. */
struct traffic {
    const struct ets_cost_call *call;
    struct ets_cost *cost;
    bool ok;
};

/* 1 where the tensor was not counted yet. */
static bool is_new(const struct traffic *t, uint32_t identity)
{
    struct ets_cost_marks *marks = t->call->marks;
    if (marks->marks[identity] == marks->now) return false;
    marks->marks[identity] = marks->now;
    return true;
}

static void read_bytes(struct traffic *t, const struct ets_cost_tensor *tensor, uint64_t bytes)
{
    ets_cost_read(t->cost, tensor, bytes, &t->ok);
}

/* Inputs from argument `first` on. */
static void read_inputs(struct traffic *t, uint32_t first)
{
    for (uint32_t i = first; i < t->call->argument_count; i++) {
        const struct ets_cost_argument *argument = &t->call->arguments[i];
        if (argument->kind != ETS_COST_TENSORS) continue;
        for (uint32_t k = 0; k < argument->count; k++) {
            const struct ets_cost_tensor *tensor = &argument->tensors[k];
            if (!is_new(t, tensor->identity)) continue;
            read_bytes(t, tensor, ets_cost_tensor_bytes(tensor, &t->ok));
        }
    }
}

static uint64_t write_outputs(struct traffic *t)
{
    uint64_t elements = 0;
    t->call->marks->now++; /* what is read may be written as well */
    for (uint32_t i = 0; i < t->call->output_count; i++) {
        const struct ets_cost_tensor *tensor = &t->call->outputs[i];
        if (!is_new(t, tensor->identity)) continue;
        const uint64_t bytes = ets_cost_tensor_bytes(tensor, &t->ok);
        t->cost->bytes_written = ets_cost_plus(t->cost->bytes_written, bytes, &t->ok);
        elements = ets_cost_plus(elements, ets_cost_elements(tensor, &t->ok), &t->ok);
    }
    return elements;
}

/* Of the first input as many elements as are given. */
static void pick(struct traffic *t)
{
    read_inputs(t, 1);
    const uint64_t elements = write_outputs(t);
    const struct ets_cost_argument *first =
        t->call->argument_count > 0 ? &t->call->arguments[0] : NULL;
    if (first == NULL || first->kind != ETS_COST_TENSORS || first->count == 0) return;
    const struct ets_cost_tensor *source = &first->tensors[0];
    const uint64_t each = ets_scalar_type_bytes(source->scalar_type);
    read_bytes(t, source, ets_cost_times(elements, each, &t->ok));
}

static bool is_moved(const struct ets_cost_call *call, enum ets_cost_traffic traffic)
{
    if (traffic == ETS_TRAFFIC_VIEW) return call->is_kernel;
    if (traffic == ETS_TRAFFIC_SLICE) return call->is_kernel || call->is_copy;
    return traffic != ETS_TRAFFIC_NOTHING;
}

static enum ets_cost_reason count_bytes(const struct ets_cost_call *call,
                                        enum ets_cost_traffic traffic, struct ets_cost *cost)
{
    struct traffic t = {.call = call, .cost = cost, .ok = true};
    if (!is_moved(call, traffic)) return ETS_COST_REASON_NONE;
    call->marks->now++;
    switch (traffic) {
    case ETS_TRAFFIC_ALL:
        read_inputs(&t, 0);
        (void)write_outputs(&t);
        break;
    case ETS_TRAFFIC_WRITE: (void)write_outputs(&t); break;
    default: pick(&t); break;
    }
    return t.ok ? ETS_COST_REASON_NONE : ETS_COST_TOO_LARGE;
}

/* What it computes with: the type of its first tensor. */
static enum ets_arithmetic arithmetic_of(const struct ets_cost_call *call)
{
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const struct ets_cost_argument *argument = &call->arguments[i];
        if (argument->kind == ETS_COST_TENSORS && argument->count > 0) {
            return ets_arithmetic_of(argument->tensors[0].scalar_type);
        }
    }
    return call->output_count > 0 ? ets_arithmetic_of(call->outputs[0].scalar_type)
                                  : ETS_ARITHMETIC_NONE;
}

static enum ets_cost_reason count_elements(const struct ets_cost_call *call,
                                           const struct ets_cost_rule *rule, struct ets_cost *cost)
{
    bool ok = true;
    const struct ets_cost_argument *first = call->argument_count > 0 ? &call->arguments[0] : NULL;
    uint64_t out = 0, in = 0;
    if (rule->ops > 0) {
        if (call->output_count == 0) return ETS_COST_NO_SHAPE;
        out = ets_cost_elements(&call->outputs[0], &ok);
    }
    if (rule->input_ops > 0) {
        if (first == NULL || first->kind != ETS_COST_TENSORS || first->count == 0) {
            return ETS_COST_NO_SHAPE;
        }
        in = ets_cost_elements(&first->tensors[0], &ok);
    }
    cost->ops = ets_cost_plus(ets_cost_times(out, rule->ops, &ok),
                              ets_cost_times(in, rule->input_ops, &ok), &ok);
    cost->special = ets_cost_times(out, rule->special, &ok);
    return ok ? ETS_COST_REASON_NONE : ETS_COST_TOO_LARGE;
}

/* Numbers of the host, and views; but one copies a loop's result into a slice of them all. */
static struct ets_cost cost_of_prim(const struct ets_cost_call *call)
{
    struct ets_cost cost = {.operators = 1, .family = ETS_FAMILY_MOVE};
    const struct ets_cost_tensor *slice = ets_cost_tensor_at(call, 1, "copy_from");
    bool ok = true;
    if (!ets_text_starts_with(call->base, "et_copy_index")) return cost;
    if (slice == NULL) return ets_cost_unknown(ETS_COST_NO_SHAPE);
    cost.at_most = slice->is_bound;
    cost.bytes_read = cost.bytes_written = ets_cost_tensor_bytes(slice, &ok);
    (void)ets_cost_plus(cost.bytes_read, cost.bytes_written, &ok);
    return ok ? cost : ets_cost_unknown(ETS_COST_TOO_LARGE);
}

struct ets_cost ets_cost_of_call(const struct ets_cost_call *call)
{
    if (ets_text_is(call->space, "executorch_prim")) return cost_of_prim(call);
    const struct ets_cost_rule *rule = ets_cost_rule_find(call->base);
    if (rule == NULL) return ets_cost_unknown(ETS_COST_NO_RULE);
    struct ets_cost cost = {.operators = 1,
                            .at_most = call->at_most,
                            .is_example = call->is_example,
                            .family = rule->family};
    enum ets_cost_reason reason = check_tensors(call);
    if (reason == ETS_COST_REASON_NONE) reason = count_elements(call, rule, &cost);
    if (reason == ETS_COST_REASON_NONE && rule->count != NULL) reason = rule->count(call, &cost);
    if (reason == ETS_COST_REASON_NONE) reason = count_bytes(call, rule->traffic, &cost);
    if (reason != ETS_COST_REASON_NONE) return ets_cost_unknown(reason);
    if (cost.macs > 0 || (cost.ops > 0 && rule->family != ETS_FAMILY_CONVERSION)) {
        cost.arithmetic = arithmetic_of(call);
    }
    struct ets_cost checked = {.operators = 0};
    ets_cost_add(&checked, &cost); /* unknown where the sums do not fit */
    return checked;
}
