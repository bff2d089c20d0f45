/* What a method computes in, and the tolerances that follow. */
#ifndef ETSCOPE_VERIFY_COMPUTING_H
#define ETSCOPE_VERIFY_COMPUTING_H

#include "etscope/verify.h"

/* By the scalar type alone: EXACT, or a class of floating point. */
enum ets_computes ets_type_computes(int scalar_type);
/*
 * What a method computes in, as far as its operators, its tensors and the payloads of XNNPACK tell:
 * quantized where anything is, else the floating-point type that most of its tensors have, EXACT
 * where none has one. Payloads of other backends are not read.
 */
enum ets_computes ets_method_computes(const struct ets_method *method);
/*
 * What one output is computed in, as far as the kernels say that make it: a float32 copy of what a
 * kernel computed in float16 is no more exact than that. EXACT: whole numbers, or not known, as of
 * what a delegate gives.
 */
enum ets_computes ets_output_computes(const struct ets_method *method, uint32_t output);
/*
 * Fills `rules_out` with rules for the outputs of a method that computes in `computes`, to stand
 * before the caller's own: integers stay exact. Returns how many, at most ETS_TOLERANCE_RULES.
 */
#define ETS_TOLERANCE_RULES 4
size_t ets_computes_rules(enum ets_computes computes, const char *method,
                          struct ets_tolerance_rule *rules_out);

/*
 * The tolerance for one output: that of its scalar type in ETS_COMPUTES_LIST (complex as their
 * parts), over which the rules that fit are laid in their order.
 */
void ets_tolerance_for(const struct ets_tolerance_rule *rules, size_t rule_count,
                       struct ets_text method, uint32_t test_case, uint32_t output, int scalar_type,
                       struct ets_tolerance *tolerance_out);
/* Lays the rules that fit over `*tolerance`, in their order. */
void ets_tolerance_lay(const struct ets_tolerance_rule *rules, size_t rule_count,
                       struct ets_text method, uint32_t test_case, uint32_t output, int scalar_type,
                       struct ets_tolerance *tolerance);

#endif
