/* Reads methods that return a constant, such as get_max_context_len. */
#include "format/model_numbers.h"

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

uint32_t ets_model_numbers(const struct ets_program *program, const char *name, int64_t *numbers,
                           uint32_t room)
{
    struct ets_method method;
    if (ets_program_find_method(program, name, &method, NULL) != ETS_OK) return 0;
    if (!ets_method_is_constant(&method)) return 0;
    for (uint32_t i = 0; i < method.output_count; i++) {
        struct ets_evalue value;
        ets_method_output(&method, i, &value);
        if (value.kind != ETS_EVALUE_INT && value.kind != ETS_EVALUE_BOOL) return 0;
        if (i < room) numbers[i] = value.int_value;
    }
    return method.output_count;
}

bool ets_model_number(const struct ets_program *program, const char *name, int64_t *number_out)
{
    int64_t number;
    if (ets_model_numbers(program, name, &number, 1) != 1) return false;
    *number_out = number;
    return true;
}

const char *ets_model_context(const struct ets_program *program, int64_t *number_out)
{
    static const char *const stating[] = {"get_max_context_len", "get_max_seq_len",
                                          "get_max_cache_len"};
    for (size_t i = 0; i < sizeof stating / sizeof *stating; i++) {
        if (ets_model_number(program, stating[i], number_out)) return stating[i];
    }
    return NULL;
}
