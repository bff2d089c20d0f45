/*
 * functionalized.h - nodes of auto_functionalized and auto_functionalized_v2: export wraps an
 * operator that writes into its arguments, so that it returns what it would have written.
 *
 *     cache_after = auto_functionalized_v2(llama.update_cache.default, value=x, start_pos=p,
 *                                          _cache_base_index=0, _all_bases=[cache])
 *
 * The first version names the arguments themselves instead of bases. The outputs are those of the
 * operator (one None, if it has none), followed by the new value of each base.
 */
#ifndef ETSCOPE_REFERENCE_FUNCTIONALIZED_H
#define ETSCOPE_REFERENCE_FUNCTIONALIZED_H

#include "reference/expressions.h"

/* What the operator is called with. */
struct reference_functionalized {
    struct reference_value bound[REFERENCE_MAX_ARGUMENTS]; /* by the operator's schema */
    uint32_t return_count;                                 /* of its own outputs */
    struct reference_value bases[REFERENCE_MAX_ARGUMENTS]; /* copies, to be written */
    uint32_t base_count;
};

/* Whether the target, without prefix, is one of the two. */
bool ets_reference_is_functionalized(struct ets_text name);

/* The name of the operator that a node calls: of the wrapped one, where it is wrapped. */
struct ets_text ets_reference_called_name(const struct ets_graph_node *node);

/*
 * Binds the values of a wrapper's inputs; bases are copied, and their copies kept by the frame.
 * UNSUPPORTED: the operator writes into a part of a base. INVALID_ARGUMENT, NO_MEMORY.
 */
enum ets_status ets_reference_functionalized_bind(struct reference_frame *frame,
                                                  const struct reference_operator *operator_,
                                                  const struct reference_value *values,
                                                  struct reference_functionalized *call_out);

#endif
