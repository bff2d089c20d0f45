/* Which data of a map have the same bytes. */
#ifndef ETSCOPE_CONTENTS_BYTE_DUPLICATES_H
#define ETSCOPE_CONTENTS_BYTE_DUPLICATES_H

#include "contents/byte_map.h"

/*
 * Fills same_as and hash of the items, and the map's numbers. Only items of one size are read, at
 * first a sample; what then may be equal is compared byte by byte, up to options->most_compared
 * bytes. Statuses: NO_MEMORY.
 */
enum ets_status ets_byte_duplicates_find(struct ets_byte_map *map,
                                         const struct ets_byte_options *options,
                                         struct ets_error *error);

#endif
