/*
 * Finds the arithmetic of a method from its operators, tensors and delegates' payloads. The values
 * behind one of its outputs may be less exact.
 */
#include <stdbool.h>

#include "base/text.h"
#include "etscope/verify.h"
#include "format/delegate_numbers.h"
#include "format/program_lists.h"
#include "verify/computing.h"

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

static void see_delegate(struct seen *seen, const struct ets_delegate *delegate)
{
    const struct ets_delegate_numbers numbers = ets_delegate_numbers(delegate);
    seen->floats[ETS_COMPUTES_FLOAT32] += numbers.float32;
    seen->floats[ETS_COMPUTES_FLOAT16] += numbers.float16;
    seen->floats[ETS_COMPUTES_BFLOAT16] += numbers.bfloat16;
    if (numbers.static_int8 > 0) see_quantized(seen, ETS_COMPUTES_STATIC_INT8);
    if (numbers.dynamic_int8 > 0) see_quantized(seen, ETS_COMPUTES_DYNAMIC_INT8);
    if (numbers.int4 > 0) see_quantized(seen, ETS_COMPUTES_INT4);
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

/* The calls of a chain that are still to be looked at: those before `end`. */
struct calls {
    struct ets_chain chain;
    uint32_t end;
};

/* Goes back to the last kernel call that writes a value; false: none does. */
static bool find_writer(struct calls *calls, uint32_t value, struct ets_instruction *writer_out)
{
    while (calls->end > 0) {
        ets_chain_instruction(&calls->chain, --calls->end, writer_out);
        const uint32_t count = writer_out->argument_count;
        if (writer_out->kind != ETS_INSTRUCTION_KERNEL_CALL || count < 2) continue;
        if (ets_instruction_argument(writer_out, count - 1) == value) return true;
    }
    return false;
}

/* Whether a kernel gives the numbers of its first argument, in another type, shape or place. */
static bool only_moves(struct ets_text kernel)
{
    return ets_text_contains(kernel, "_copy") || ets_text_contains(kernel, "clone") ||
           ets_text_contains(kernel, "et_view");
}

enum ets_computes ets_output_computes(const struct ets_method *method, uint32_t output)
{
    enum ets_computes most = ETS_COMPUTES_EXACT;
    struct ets_instruction writer;
    struct ets_evalue value;
    struct calls calls;
    if (method->chain_count == 0) return most;
    ets_method_chain(method, 0, &calls.chain);
    calls.end = calls.chain.instruction_count;
    ets_method_output(method, output, &value);
    while (value.kind == ETS_EVALUE_TENSOR && find_writer(&calls, value.index, &writer)) {
        const enum ets_computes computes = ets_type_computes((int)value.tensor.tensor.scalar_type);
        if (computes == ETS_COMPUTES_EXACT) break; /* whole numbers are exact again */
        if (computes > most) most = computes;
        if (!only_moves(writer.name)) break;
        ets_method_value(method, ets_instruction_argument(&writer, 0), &value);
    }
    return most;
}
