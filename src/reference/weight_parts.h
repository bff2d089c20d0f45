/* weight_parts.h - weights that are objects with tensors inside instead of plain tensors. */
#ifndef ETSCOPE_REFERENCE_WEIGHT_PARTS_H
#define ETSCOPE_REFERENCE_WEIGHT_PARTS_H

#include "etscope/etrecord.h"
#include "reference/reference_plan.h"

/* The record's value `name`; NULL: none. */
typedef const struct ets_named_value *reference_find_weight(const void *context,
                                                            struct ets_text name);

/*
 * Gives steps that extract a tensor from a weight that tensor, and makes all other steps that read
 * such a weight uncovered. `objects` [input_count] has the values that are objects (tensor
 * subclasses such as torchao's), NULL for others. Fills `program->wrapped`. NO_MEMORY.
 */
enum ets_status ets_reference_weight_parts_find(struct reference_program *program,
                                                const struct ets_named_value *const *objects,
                                                reference_find_weight *find, const void *context,
                                                struct ets_arena *arena, struct ets_error *error);

#endif
