/* What a method computes in: its operators, its tensors, and what XNNPACK was given. */
#include <stdbool.h>

#include "base/text.h"
#include "etscope/verify.h"
#include "etscope/xnnpack.h"

/* How exact what was seen so far can be. */
struct seen {
    uint32_t floats[ETS_COMPUTES_BFLOAT16 + 1]; /* tensors of each class */
    enum ets_computes quantized;                /* EXACT: nothing is */
};

static void see_quantized(struct seen *seen, enum ets_computes computes)
{
    if (computes > seen->quantized) seen->quantized = computes;
}

static void see_operator(struct seen *seen, struct ets_text name)
{
    if (ets_text_contains(name, "4bit")) see_quantized(seen, ETS_COMPUTES_INT4);
    else if (ets_text_contains(name, "choose_qparams"))
        see_quantized(seen, ETS_COMPUTES_DYNAMIC_INT8);
    else if (ets_text_contains(name, "quantize")) see_quantized(seen, ETS_COMPUTES_STATIC_INT8);
}

static void see_delegate_value(struct seen *seen, int type)
{
    switch (type) {
    case ETS_XNNPACK_FP32: seen->floats[ETS_COMPUTES_FLOAT32]++; break;
    case ETS_XNNPACK_FP16: seen->floats[ETS_COMPUTES_FLOAT16]++; break;
    case ETS_XNNPACK_BF16: seen->floats[ETS_COMPUTES_BFLOAT16]++; break;
    case ETS_XNNPACK_QINT8:
    case ETS_XNNPACK_QUINT8:
    case ETS_XNNPACK_QCINT8: see_quantized(seen, ETS_COMPUTES_STATIC_INT8); break;
    case ETS_XNNPACK_QDINT8:
    case ETS_XNNPACK_QPINT8: see_quantized(seen, ETS_COMPUTES_DYNAMIC_INT8); break;
    case ETS_XNNPACK_QCINT4:
    case ETS_XNNPACK_QBINT4: see_quantized(seen, ETS_COMPUTES_INT4); break;
    default: break;
    }
}

static void see_delegate(struct seen *seen, const struct ets_delegate *delegate)
{
    struct ets_xnnpack payload;
    if (!ets_text_is(delegate->id, ETS_XNNPACK_BACKEND)) return;
    if (ets_xnnpack_init(&payload, delegate->blob, NULL) != ETS_OK) return;
    for (uint32_t i = 0; i < payload.value_count; i++) {
        struct ets_xnnpack_value value;
        ets_xnnpack_value(&payload, i, &value);
        see_delegate_value(seen, value.type);
    }
}

enum ets_computes ets_method_computes(const struct ets_method *method)
{
    struct seen seen = {.quantized = ETS_COMPUTES_EXACT};
    enum ets_computes most = ETS_COMPUTES_EXACT;
    for (uint32_t i = 0; i < method->operator_count; i++) {
        struct ets_operator operator_;
        ets_method_operator(method, i, &operator_);
        see_operator(&seen, operator_.name);
    }
    for (uint32_t i = 0; i < method->delegate_count; i++) {
        struct ets_delegate delegate;
        ets_method_delegate(method, i, &delegate);
        see_delegate(&seen, &delegate);
    }
    if (seen.quantized != ETS_COMPUTES_EXACT) return seen.quantized;
    for (uint32_t i = 0; i < method->value_count; i++) {
        struct ets_evalue value;
        ets_method_value(method, i, &value);
        if (value.kind != ETS_EVALUE_TENSOR) continue;
        seen.floats[ets_type_computes((int)value.tensor.tensor.scalar_type)]++;
    }
    for (int i = ETS_COMPUTES_FLOAT64; i <= ETS_COMPUTES_BFLOAT16; i++) {
        const bool is_most = most == ETS_COMPUTES_EXACT || seen.floats[i] > seen.floats[most];
        if (seen.floats[i] > 0 && is_most) most = (enum ets_computes)i;
    }
    return most;
}
