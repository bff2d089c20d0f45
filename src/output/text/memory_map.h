/*
 * A memory plan as a map of letters, for terminals.
 *
 *     memory 1, 28.0 KiB
 *      28.0 KiB |BBBBBB
 *      14.0 KiB |BBBBBBCCCCCC
 *           0 B |AAA   DDDDDDEEE
 *        in use  ██▇▇▅▅▃▃▂▂▂▁▁▁
 *          peak  ^ 20.0 KiB at instruction 0
 *
 * Instructions from left to right, offsets from bottom to top. A letter is the tensor that holds
 * the middle of its cell; the 12 largest have letters and are listed, the others are "+".
 */
#ifndef ETSCOPE_OUTPUT_TEXT_MEMORY_MAP_H
#define ETSCOPE_OUTPUT_TEXT_MEMORY_MAP_H

#include "host/output.h"
#include "views/memory_lines.h"

struct ets_memory_map_style {
    uint32_t width; /* columns; 0: 80 */
    bool ascii;     /* no block characters for the bytes in use */
};

/* Writes the headline of a method and a map of each arena with a legend. Status: NO_MEMORY. */
enum ets_status ets_memory_map_write(const struct ets_memory_lines *lines,
                                     const struct ets_memory_map_style *style,
                                     const struct ets_allocator *allocator,
                                     struct ets_output *output, struct ets_error *error);

#endif
