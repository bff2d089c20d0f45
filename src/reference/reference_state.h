/*
 * reference_state.h - the buffers that runs of a graph leave to later runs: a model's state.
 *
 *     struct ets_reference_state *state = NULL;
 *     status = ets_reference_state_new(NULL, &state, &error);
 *     const struct ets_reference_options options = {..., .start = state, .end = state};
 *     // ets_reference_run(...) again and again: each run starts where the one before it ended
 *     ets_reference_state_free(state);
 *
 * Buffers are known by their names in the record. A buffer that no run left has the record's
 * numbers. One state may be used by several references, one after the other.
 */
#ifndef ETSCOPE_REFERENCE_REFERENCE_STATE_H
#define ETSCOPE_REFERENCE_REFERENCE_STATE_H

#include <stdbool.h>

#include "etscope/base.h"
#include "etscope/tensor.h"

struct ets_reference_state;

struct ets_reference_buffer {
    struct ets_text name;
    struct ets_tensor tensor; /* if `reason` is NULL */
    const char *reason;       /* why its numbers are not known; lives as long as the state */
};

/* `allocator` NULL: the C library's. Status: NO_MEMORY. */
enum ets_status ets_reference_state_new(const struct ets_allocator *allocator,
                                        struct ets_reference_state **state_out,
                                        struct ets_error *error);
void ets_reference_state_free(struct ets_reference_state *state); /* NULL is allowed */

/* The buffer; NULL: no run left it. Valid until it is put or forgotten. */
const struct ets_reference_buffer *ets_reference_state_find(const struct ets_reference_state *state,
                                                            struct ets_text name);

/*
 * Keeps a copy of the tensor for the buffer, row-major; `tensor` NULL: it is not known, for
 * `reason`. What was kept before lives until ets_reference_state_settle. NO_MEMORY.
 */
enum ets_status ets_reference_state_put(struct ets_reference_state *state, struct ets_text name,
                                        const struct ets_tensor *tensor, const char *reason,
                                        struct ets_error *error);

/* Makes what was put since the last time visible. */
void ets_reference_state_settle(struct ets_reference_state *state);

/* Forgets a buffer: it has the record's numbers again. */
void ets_reference_state_forget(struct ets_reference_state *state, struct ets_text name);

#endif
