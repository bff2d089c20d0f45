/* The arithmetic of a method, and the tolerances that follow from it. */
#ifndef ETSCOPE_VERIFY_COMPUTING_H
#define ETSCOPE_VERIFY_COMPUTING_H

#include "etscope/verify.h"

/* From the scalar type alone: EXACT, or a floating-point class. */
enum ets_computes ets_type_computes(int scalar_type);
/*
 * The arithmetic of a method, from its operators, tensors and XNNPACK payloads: quantized if
 * anything is quantized, else the floating-point type of most of its tensors, EXACT if it has none.
 * Payloads of other backends are not read.
 */
enum ets_computes ets_method_computes(const struct ets_method *method);
/*
 * The arithmetic of one output, from the kernels that compute it: a float32 copy of a float16
 * result is no more exact than float16. EXACT: integers, or unknown, as for outputs of a delegate.
 */
enum ets_computes ets_output_computes(const struct ets_method *method, uint32_t output);
/*
 * Fills `rules_out` with rules for the outputs of a method that computes in `computes`. Put them
 * before the caller's own rules. Integers stay exact. Returns the number of rules, at most
 * ETS_TOLERANCE_RULES.
 */
#define ETS_TOLERANCE_RULES 4
size_t ets_computes_rules(enum ets_computes computes, const char *method,
                          struct ets_tolerance_rule *rules_out);

/*
 * The tolerance for one output: that of its scalar type in ETS_COMPUTES_LIST (for complex types
 * that of their parts), changed by all matching rules in order.
 */
void ets_tolerance_for(const struct ets_tolerance_rule *rules, size_t rule_count,
                       struct ets_text method, uint32_t test_case, uint32_t output, int scalar_type,
                       struct ets_tolerance *tolerance_out);
/* Applies all matching rules to `*tolerance`, in order. */
void ets_tolerance_lay(const struct ets_tolerance_rule *rules, size_t rule_count,
                       struct ets_text method, uint32_t test_case, uint32_t output, int scalar_type,
                       struct ets_tolerance *tolerance);

#endif
