/* The parts of an operator's name that rules ask for. */
#ifndef ETSCOPE_COST_CALL_NAMES_H
#define ETSCOPE_COST_CALL_NAMES_H

#include "cost/cost_call.h"

/* Fills space, base and is_copy from "aten" and "permute_copy". */
void ets_cost_call_name(struct ets_text space, struct ets_text operator_name,
                        struct ets_cost_call *call);

#endif
