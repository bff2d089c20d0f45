/* An XNNPACK payload whose calls also give values from within: rules in taps.h. */
#ifndef ETSCOPE_REWRITE_TAPPED_PAYLOAD_H
#define ETSCOPE_REWRITE_TAPPED_PAYLOAD_H

#include "base/error.h"
#include "format/xnnpack.h"
#include "host/arena.h"

/*
 * Makes `values` (numbers of values within, ascending) the arguments behind those that the call
 * has, in this order. The new payload is the arena's, and verified. Statuses: NO_MEMORY, LIMIT
 * (more arguments than XNNPACK takes), UNSUPPORTED (a newer schema).
 */
enum ets_status ets_tap_payload(struct ets_arena *arena, const struct ets_xnnpack *old,
                                const uint32_t *values, uint32_t count,
                                struct ets_bytes *payload_out, struct ets_error *error);

#endif
