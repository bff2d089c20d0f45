/* Whether one channel of a value has most of its error. */
#ifndef ETSCOPE_GAP_CHANNELS_H
#define ETSCOPE_GAP_CHANNELS_H

#include "gap/gap_parts.h"

/*
 * Sets *channel_out; `size` is 0 where no channel has most of the error, or where one element has
 * most of the channel's. Status: NO_MEMORY.
 */
enum ets_status ets_gap_channel_find(struct ets_arena *arena, const struct ets_tensor *reference,
                                     const struct ets_tensor *device,
                                     struct ets_gap_channel *channel_out, struct ets_error *error);

#endif
