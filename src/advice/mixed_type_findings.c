/*
 * Findings about nodes of XNNPACK's payloads that XNNPACK refuses when the method loads: a padding
 * whose input is float and whose output is quantized, as int8 exports of ExecuTorch 1.5.1 make it
 * before an operator that the quantizer leaves in float. docs/advice.md tells how it was found.
 */
#include "advice/finding_rules.h"
#include "base/text.h"
#include "format/xnnpack.h"

/* Values that are looked at, so that many nodes and many values do not cost their product. */
enum { MOST_LOOKS = 1 << 22 };
/* Payloads may overlap: so many times the program are read. */
enum { MOST_TIMES = 16 };

/* The element type of a value; INVALID: there is none. */
static int type_of(const struct ets_xnnpack *payload, uint32_t id, uint64_t *looks)
{
    struct ets_xnnpack_value value;
    for (uint32_t i = 0; i < payload->value_count && (*looks)++ < MOST_LOOKS; i++) {
        ets_xnnpack_value(payload, i, &value);
        if (value.id == id) return value.type;
    }
    return ETS_XNNPACK_INVALID;
}

static bool is_refused(const struct ets_xnnpack *payload, const struct ets_xnnpack_node *node,
                       uint64_t *looks)
{
    if (node->type != ETS_XNNPACK_STATIC_CONSTANT_PAD || node->input_count == 0 ||
        node->output_count == 0) {
        return false;
    }
    const int from = type_of(payload, node->inputs[0], looks);
    const int to = type_of(payload, node->outputs[0], looks);
    return from == ETS_XNNPACK_FP32 && to == ETS_XNNPACK_QINT8; /* as was seen */
}

/* Collects the refused nodes of a payload. */
static bool collect_nodes(struct ets_finder *finder, const struct ets_handle_nodes *nodes,
                          struct ets_bytes blob, uint64_t *looks, uint32_t *count)
{
    struct ets_xnnpack payload;
    struct ets_xnnpack_node node;
    if (ets_xnnpack_init(&payload, blob, NULL) != ETS_OK) return true;
    for (uint32_t i = 0; i < payload.node_count && *looks < MOST_LOOKS; i++) {
        ets_xnnpack_node(&payload, i, &node);
        if (!is_refused(&payload, &node, looks)) continue;
        ++*count;
        if (!ets_parts_add_handle(finder, nodes, node.debug_handle)) return false;
    }
    return true;
}

/* The same of all payloads of a method. */
static bool collect_method(struct ets_finder *finder, const struct ets_method *method,
                           uint32_t *count)
{
    struct ets_handle_nodes nodes;
    struct ets_delegate delegate;
    uint64_t looks = 0;
    uint64_t bytes_left = MOST_TIMES * (uint64_t)finder->subject->program->bytes.size;
    if (!ets_read_handle_nodes(finder, method->name, &nodes)) return false;
    for (uint32_t i = 0; i < method->delegate_count; i++) {
        ets_method_delegate(method, i, &delegate);
        if (!ets_text_is(delegate.id, ETS_XNNPACK_BACKEND)) continue;
        if (delegate.blob.size > bytes_left) break;
        bytes_left -= delegate.blob.size;
        if (!collect_nodes(finder, &nodes, delegate.blob, &looks, count)) return false;
    }
    return true;
}

bool ets_find_mixed_types(struct ets_finder *finder)
{
    struct ets_method method;
    uint32_t count = 0;
    const uint32_t step = finder->method.section->first_step;
    ets_program_method(finder->subject->program,
                       ets_delegation_step_at(finder->delegation, step)->method, &method);
    ets_parts_begin(finder);
    if (!collect_method(finder, &method, &count)) return false;
    if (count == 0) return true;
    ets_find_say(finder,
                 "the method will not load: XNNPACK refuses %u padding%s that take%s float and "
                 "give%s int8",
                 count, count == 1 ? "" : "s", count == 1 ? "s" : "", count == 1 ? "s" : "");
    ets_find_propose(finder,
                     "give the padding to the operator behind it (its padding argument, or a "
                     "convolution of the same numbers), or leave that part in float");
    struct ets_finding finding = ets_finding_of("mixed_types", ETS_SEVERITY_BAD, "graph");
    ets_finding_place_parts(finder, &finding);
    finding.method = method.name;
    finding.confidence = ETS_CONFIDENCE_HIGH;
    finding.check = ETS_CHECK_EXECUTION;
    finding.doubt = "another ExecuTorch than 1.5.1, with which it was seen, does it right";
    return ets_finding_add(finder, finding);
}
