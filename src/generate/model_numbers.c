/* Reads methods that return a constant, such as get_max_context_len. */
#include "generate/model_numbers.h"

bool ets_method_is_constant(const struct ets_method *method)
{
    struct ets_chain chain;
    if (method->input_count > 0) return false;
    for (uint32_t i = 0; i < method->chain_count; i++) {
        ets_method_chain(method, i, &chain);
        if (chain.instruction_count > 0) return false;
    }
    return true;
}

bool ets_model_number(const struct ets_program *program, const char *name, int64_t *number_out)
{
    struct ets_method method;
    struct ets_evalue value;
    if (ets_program_find_method(program, name, &method, NULL) != ETS_OK) return false;
    if (!ets_method_is_constant(&method) || method.output_count != 1) return false;
    ets_method_output(&method, 0, &value);
    if (value.kind != ETS_EVALUE_INT && value.kind != ETS_EVALUE_BOOL) return false;
    *number_out = value.int_value;
    return true;
}
