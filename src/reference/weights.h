/* weights.h - finds the tensors of a record for a program's inputs. */
#ifndef ETSCOPE_REFERENCE_WEIGHTS_H
#define ETSCOPE_REFERENCE_WEIGHTS_H

#include "etscope/etrecord.h"
#include "reference/reference_plan.h"

/* Whether the caller gives this input, not the record: user inputs, and inputs of bodies. */
bool ets_reference_input_is_given(const struct ets_graph_input *input);

/*
 * Fills `program->weights` from the record's entries of the program and from the options' weights,
 * which replace them. NOT_FOUND: a weight is not in
 * the record; MALFORMED: it has another type or shape; NO_MEMORY, and the statuses of the record's
 * reader.
 */
enum ets_status ets_reference_weights_find(const struct ets_reference_options *options,
                                           struct reference_program *program,
                                           struct ets_arena *arena, struct ets_error *error);

/*
 * Takes the buffers that `functional` updates at its end from `functional`, which was made from the
 * program. Exports store the ATen program's buffers as they are when the record is saved, possibly
 * after a run, but those of edge programs with their original values. NO_MEMORY.
 */
enum ets_status ets_reference_weights_restore(struct reference_program *program,
                                              const struct reference_program *functional,
                                              struct ets_arena *arena, struct ets_error *error);

#endif
