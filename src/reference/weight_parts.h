/* weight_parts.h - weights that are no plain tensors but objects with tensors inside. */
#ifndef ETSCOPE_REFERENCE_WEIGHT_PARTS_H
#define ETSCOPE_REFERENCE_WEIGHT_PARTS_H

#include "etscope/etrecord.h"
#include "reference/reference_plan.h"

/* What the record has under `name`; NULL: nothing. */
typedef const struct ets_named_value *reference_find_weight(const void *context,
                                                            struct ets_text name);

/*
 * Gives steps that take a tensor out of a weight that tensor, and makes all others that read such a
 * weight uncovered. `objects` [input_count] has the values that are objects (tensor subclasses, as
 * torchao's), NULL for others; `program->wrapped` is filled. NO_MEMORY.
 */
enum ets_status ets_reference_weight_parts_find(struct reference_program *program,
                                                const struct ets_named_value *const *objects,
                                                reference_find_weight *find, const void *context,
                                                struct ets_arena *arena, struct ets_error *error);

#endif
