/* The table of tolerances, and the choice of one for an output. */
#include <stdbool.h>

#include "etscope/verify.h"
#include "verify/computing.h"

const struct ets_tolerance_class *ets_tolerance_of(enum ets_computes computes)
{
    static const struct ets_tolerance_class classes[] = {
#define CLASS(constant, number, text, rtol, atol, rms, from)           \
    {.name = text,                                                     \
     .tolerance = {.relative = rtol, .absolute = atol, .of_rms = rms}, \
     .source = from},
        ETS_COMPUTES_LIST(CLASS)
#undef CLASS
    };
    return (unsigned)computes < sizeof classes / sizeof *classes ? &classes[computes] : NULL;
}

enum ets_computes ets_type_computes(int scalar_type)
{
    switch (scalar_type) {
    case ETS_SCALAR_HALF:
    case ETS_SCALAR_COMPLEX_HALF: return ETS_COMPUTES_FLOAT16;
    case ETS_SCALAR_BFLOAT16: return ETS_COMPUTES_BFLOAT16;
    case ETS_SCALAR_FLOAT:
    case ETS_SCALAR_COMPLEX_FLOAT: return ETS_COMPUTES_FLOAT32;
    case ETS_SCALAR_DOUBLE:
    case ETS_SCALAR_COMPLEX_DOUBLE: return ETS_COMPUTES_FLOAT64;
    default: return ETS_COMPUTES_EXACT;
    }
}

size_t ets_computes_rules(enum ets_computes computes, const char *method,
                          struct ets_tolerance_rule *rules_out)
{
    static const int types[ETS_TOLERANCE_RULES] = {ETS_SCALAR_DOUBLE, ETS_SCALAR_FLOAT,
                                                   ETS_SCALAR_HALF, ETS_SCALAR_BFLOAT16};
    const struct ets_tolerance *whole = &ets_tolerance_of(computes)->tolerance;
    size_t count = 0;
    for (size_t i = 0; i < ETS_TOLERANCE_RULES; i++) {
        const struct ets_tolerance *own = &ets_tolerance_of(ets_type_computes(types[i]))->tolerance;
        if (whole->of_rms <= own->of_rms) continue;
        rules_out[count++] = (struct ets_tolerance_rule){
            .method = method,
            .test_case = -1,
            .output = -1,
            .scalar_type = types[i],
            .relative = whole->relative > own->relative ? whole->relative : own->relative,
            .absolute = whole->absolute > own->absolute ? whole->absolute : own->absolute,
            .of_rms = whole->of_rms};
    }
    return count;
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

void ets_tolerance_lay(const struct ets_tolerance_rule *rules, size_t rule_count,
                       struct ets_text method, uint32_t test_case, uint32_t output, int scalar_type,
                       struct ets_tolerance *tolerance)
{
    for (size_t i = 0; i < rule_count; i++) {
        const struct ets_tolerance_rule *rule = &rules[i];
        if (!is_method(rule->method, method) || !is_number(rule->test_case, test_case) ||
            !is_number(rule->output, output) || !is_number(rule->scalar_type, scalar_type)) {
            continue;
        }
        if (rule->relative >= 0) tolerance->relative = rule->relative;
        if (rule->absolute >= 0) tolerance->absolute = rule->absolute;
        if (rule->of_rms >= 0) tolerance->of_rms = rule->of_rms;
    }
}

void ets_tolerance_for(const struct ets_tolerance_rule *rules, size_t rule_count,
                       struct ets_text method, uint32_t test_case, uint32_t output, int scalar_type,
                       struct ets_tolerance *tolerance_out)
{
    *tolerance_out = ets_tolerance_of(ets_type_computes(scalar_type))->tolerance;
    ets_tolerance_lay(rules, rule_count, method, test_case, output, scalar_type, tolerance_out);
}
