/* Counts the element types of a payload's values. */
#include "format/delegate_numbers.h"

#include "base/text.h"
#include "format/xnnpack.h"

static void count(struct ets_delegate_numbers *numbers, int type)
{
    switch (type) {
    case ETS_XNNPACK_FP32: numbers->float32++; break;
    case ETS_XNNPACK_FP16: numbers->float16++; break;
    case ETS_XNNPACK_BF16: numbers->bfloat16++; break;
    case ETS_XNNPACK_QINT8:
    case ETS_XNNPACK_QUINT8:
    case ETS_XNNPACK_QCINT8: numbers->static_int8++; break;
    case ETS_XNNPACK_QDINT8:
    case ETS_XNNPACK_QPINT8: numbers->dynamic_int8++; break;
    case ETS_XNNPACK_QCINT4:
    case ETS_XNNPACK_QBINT4: numbers->int4++; break;
    default: break;
    }
}

struct ets_delegate_numbers ets_delegate_numbers(const struct ets_delegate *delegate)
{
    struct ets_delegate_numbers numbers = {0, 0, 0, 0, 0, 0};
    struct ets_xnnpack payload;
    if (!ets_text_is(delegate->id, ETS_XNNPACK_BACKEND) ||
        ets_xnnpack_init(&payload, delegate->blob, NULL) != ETS_OK) {
        return numbers;
    }
    for (uint32_t i = 0; i < payload.value_count; i++) {
        struct ets_xnnpack_value value;
        ets_xnnpack_value(&payload, i, &value);
        count(&numbers, value.type);
    }
    return numbers;
}
