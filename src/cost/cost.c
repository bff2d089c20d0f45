/* Sums and names of costs; no number is kept that does not fit. */
#include "cost/cost.h"

#include <math.h>
#include <stddef.h>

#include "base/load.h"

static bool fits(const struct ets_cost *cost)
{
    uint64_t flops = 0, bytes = 0;
    const bool ok = ets_mul_u64(cost->macs, 2, &flops) && ets_add_u64(flops, cost->ops, &flops) &&
                    ets_add_u64(cost->bytes_read, cost->weight_bytes, &bytes) &&
                    ets_add_u64(bytes, cost->bytes_written, &bytes);
    return ok && flops <= INT64_MAX && bytes <= INT64_MAX && cost->special <= cost->ops &&
           cost->state_bytes <= cost->bytes_read;
}

double ets_cost_intensity(const struct ets_cost *cost)
{
    const uint64_t bytes = ets_cost_bytes(cost);
    if (ets_cost_state(cost) != ETS_COST_KNOWN || bytes == 0) return NAN;
    return (double)ets_cost_flops(cost) / (double)bytes;
}

struct ets_cost ets_cost_unknown(enum ets_cost_reason reason)
{
    return (struct ets_cost){.unknown = 1, .reason = reason};
}

static uint32_t add_count(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static void give_up(struct ets_cost *sum, const struct ets_cost *part)
{
    sum->unknown = add_count(sum->unknown, add_count(part->operators, part->unknown));
    if (sum->reason == ETS_COST_REASON_NONE) sum->reason = ETS_COST_TOO_LARGE;
}

static enum ets_arithmetic join_arithmetic(const struct ets_cost *a, const struct ets_cost *b)
{
    if (b->arithmetic == ETS_ARITHMETIC_NONE || a->arithmetic == b->arithmetic)
        return a->arithmetic;
    return a->arithmetic == ETS_ARITHMETIC_NONE ? b->arithmetic : ETS_ARITHMETIC_MIXED;
}

static enum ets_cost_family join_families(const struct ets_cost *a, const struct ets_cost *b)
{
    if (a->family == b->family) return a->family;
    if (a->operators == 0) return b->family;
    if (b->operators == 0) return a->family;
    if (a->macs > 0 && b->macs == 0) return a->family;
    return a->macs == 0 && b->macs > 0 ? b->family : ETS_FAMILY_NONE;
}

void ets_cost_add(struct ets_cost *sum, const struct ets_cost *part)
{
    /* Both fit, so that no sum of two exceeds 64 bits. */
    const struct ets_cost added = {
        .macs = sum->macs + part->macs,
        .ops = sum->ops + part->ops,
        .special = sum->special + part->special,
        .bytes_read = sum->bytes_read + part->bytes_read,
        .weight_bytes = sum->weight_bytes + part->weight_bytes,
        .bytes_written = sum->bytes_written + part->bytes_written,
        .state_bytes = sum->state_bytes + part->state_bytes,
        .operators = add_count(sum->operators, part->operators),
        .unknown = add_count(sum->unknown, part->unknown),
        .folded = add_count(sum->folded, part->folded),
        .at_most = sum->at_most || part->at_most,
        .in_place = (sum->in_place || sum->operators == 0) &&
                    (part->in_place || part->operators == 0) &&
                    sum->operators + part->operators > 0,
        .is_example = sum->is_example || part->is_example,
        .arithmetic = join_arithmetic(sum, part),
        .family = join_families(sum, part),
        .reason = sum->reason != ETS_COST_REASON_NONE ? sum->reason : part->reason,
    };
    if (fits(&added)) *sum = added;
    else give_up(sum, part);
}

void ets_cost_multiply(struct ets_cost *cost, uint64_t times)
{
    struct ets_cost product = *cost;
    if (times == 0) {
        *cost = (struct ets_cost){.operators = 0};
        return;
    }
    uint64_t *const numbers[] = {&product.macs,       &product.ops,          &product.special,
                                 &product.bytes_read, &product.weight_bytes, &product.bytes_written,
                                 &product.state_bytes};
    bool ok = true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        ok = ets_mul_u64(*numbers[i], times, numbers[i]) && ok;
    }
    if (ok && fits(&product)) {
        *cost = product;
        return;
    }
    *cost = (struct ets_cost){.unknown = add_count(cost->operators, cost->unknown),
                              .reason = ETS_COST_TOO_LARGE};
}

void ets_cost_divide(struct ets_cost *cost, uint64_t times)
{
    cost->macs /= times;
    cost->ops /= times;
    cost->special /= times;
    cost->bytes_read /= times;
    cost->weight_bytes /= times;
    cost->bytes_written /= times;
    cost->state_bytes /= times;
}

const char *ets_cost_state_name(const struct ets_cost *cost)
{
    switch (ets_cost_state(cost)) {
    case ETS_COST_KNOWN: return cost->at_most ? "at most" : cost->is_example ? "example" : "known";
    case ETS_COST_PARTIAL: return "partial";
    case ETS_COST_UNKNOWN: return "unknown";
    default: return NULL;
    }
}

const char *ets_arithmetic_name(enum ets_arithmetic arithmetic)
{
    static const char *const names[ETS_ARITHMETIC_COUNT] = {
        [ETS_ARITHMETIC_NONE] = "none",
        [ETS_ARITHMETIC_FLOAT32] = "float32",
        [ETS_ARITHMETIC_FLOAT16] = "float16",
        [ETS_ARITHMETIC_BFLOAT16] = "bfloat16",
        [ETS_ARITHMETIC_FLOAT64] = "float64",
        [ETS_ARITHMETIC_INT8] = "int8",
        [ETS_ARITHMETIC_INT8_DYNAMIC] = "int8 dynamic",
        [ETS_ARITHMETIC_INT4_DYNAMIC] = "int4 dynamic",
        [ETS_ARITHMETIC_INTEGER] = "integer",
        [ETS_ARITHMETIC_MIXED] = "mixed",
    };
    return (unsigned)arithmetic < ETS_ARITHMETIC_COUNT ? names[arithmetic] : NULL;
}

const char *ets_cost_family_name(enum ets_cost_family family)
{
    static const char *const names[ETS_FAMILY_COUNT] = {
        [ETS_FAMILY_NONE] = "other",
        [ETS_FAMILY_CONVOLUTION] = "convolution",
        [ETS_FAMILY_PRODUCT] = "matrix product",
        [ETS_FAMILY_ATTENTION] = "attention",
        [ETS_FAMILY_NORM] = "norm",
        [ETS_FAMILY_POOL] = "pooling",
        [ETS_FAMILY_REDUCTION] = "reduction",
        [ETS_FAMILY_ELEMENTS] = "element-wise operator",
        [ETS_FAMILY_RECURRENT] = "recurrent layer",
        [ETS_FAMILY_CONVERSION] = "conversion",
        [ETS_FAMILY_MOVE] = "copy",
    };
    return (unsigned)family < ETS_FAMILY_COUNT ? names[family] : NULL;
}

const char *ets_cost_reason_name(enum ets_cost_reason reason)
{
    switch (reason) {
    case ETS_COST_NO_RULE: return "no rule for this operator";
    case ETS_COST_NO_SHAPE: return "a size or an argument is not known";
    case ETS_COST_TOO_LARGE: return "a number exceeds 63 bits";
    case ETS_COST_NO_PAYLOAD: return "neither program nor ETRecord tell the delegate's operators";
    default: return NULL;
    }
}
