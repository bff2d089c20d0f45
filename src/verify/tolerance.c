#include <stdbool.h>

#include "etscope/verify.h"

/* torch.testing.assert_close's, by scalar type; all other types are exact. */
static struct ets_tolerance default_for(int scalar_type)
{
    switch (scalar_type) {
    case ETS_SCALAR_HALF:
    case ETS_SCALAR_COMPLEX_HALF: return (struct ets_tolerance){1e-3, 1e-5, 0};
    case ETS_SCALAR_BFLOAT16: return (struct ets_tolerance){1.6e-2, 1e-5, 0};
    case ETS_SCALAR_FLOAT:
    case ETS_SCALAR_COMPLEX_FLOAT: return (struct ets_tolerance){1.3e-6, 1e-5, 0};
    case ETS_SCALAR_DOUBLE:
    case ETS_SCALAR_COMPLEX_DOUBLE: return (struct ets_tolerance){1e-7, 1e-7, 0};
    default: return (struct ets_tolerance){0, 0, 0};
    }
}

static bool is_method(const char *wanted, struct ets_text method)
{
    size_t i = 0;
    if (wanted == NULL) return true;
    while (i < method.size && wanted[i] != '\0' && wanted[i] == method.data[i]) i++;
    return i == method.size && wanted[i] == '\0';
}

static bool is_number(int64_t wanted, int64_t number)
{
    return wanted < 0 || wanted == number;
}

void ets_tolerance_for(const struct ets_tolerance_rule *rules, size_t rule_count,
                       struct ets_text method, uint32_t test_case, uint32_t output, int scalar_type,
                       struct ets_tolerance *tolerance_out)
{
    *tolerance_out = default_for(scalar_type);
    for (size_t i = 0; i < rule_count; i++) {
        const struct ets_tolerance_rule *rule = &rules[i];
        if (!is_method(rule->method, method) || !is_number(rule->test_case, test_case) ||
            !is_number(rule->output, output) || !is_number(rule->scalar_type, scalar_type)) {
            continue;
        }
        if (rule->relative >= 0) tolerance_out->relative = rule->relative;
        if (rule->absolute >= 0) tolerance_out->absolute = rule->absolute;
    }
}
