/* weights.h - the tensors of a record that a program's inputs stand for. */
#ifndef ETSCOPE_REFERENCE_WEIGHTS_H
#define ETSCOPE_REFERENCE_WEIGHTS_H

#include "etscope/etrecord.h"
#include "reference/reference_plan.h"

/* True where the caller gives this input, not the record: the user's, and those of bodies. */
bool ets_reference_input_is_given(const struct ets_graph_input *input);

/*
 * Fills `program->weights` from the record's entries of the program. NOT_FOUND: a weight is not in
 * the record; MALFORMED: it is of another type or shape; NO_MEMORY, and what the record's reader
 * answers.
 */
enum ets_status ets_reference_weights_find(struct ets_etrecord *record,
                                           struct reference_program *program,
                                           struct ets_arena *arena, struct ets_error *error);

/*
 * Takes the buffers that `functional`, made from the program, gives new values at its end from
 * there: exports keep the ATen program's buffers as they are when the record is saved, which may
 * be after a run, but those of edge programs as they were. NO_MEMORY.
 */
enum ets_status ets_reference_weights_restore(struct reference_program *program,
                                              const struct reference_program *functional,
                                              struct ets_arena *arena, struct ets_error *error);

#endif
