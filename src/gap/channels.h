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

/*
 * The error of each channel that has numbers other than 0, by its own size. Errors that are
 * rounding to the device's type, of numbers as large as the others, count as 0. The list is in
 * `arena`. Status: NO_MEMORY.
 */
enum ets_status ets_gap_channel_errors(struct ets_arena *arena, const struct ets_graph_node *node,
                                       const struct ets_tensor *reference,
                                       const struct ets_tensor *device,
                                       struct ets_gap_channels *channels_out,
                                       struct ets_error *error);

#endif
