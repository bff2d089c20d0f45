/* A memory plan as a picture. */
#ifndef ETSCOPE_OUTPUT_PICTURE_MEMORY_PICTURE_H
#define ETSCOPE_OUTPUT_PICTURE_MEMORY_PICTURE_H

#include "host/output.h"
#include "views/memory_lines.h"

/*
 * The planned tensors of a method as SVG, readable on light and on dark: for each arena a panel
 * with instructions from left to right and bytes from bottom to top, and a box for each tensor, as
 * long as it is live and as high as it is large, in the colour of its module. Below it the bytes in
 * use, with the peak marked. Titles, shown by browsers under the pointer, tell all of a tensor. The
 * first 20,000 tensors. Status: NO_MEMORY.
 */
enum ets_status ets_memory_picture_write(const struct ets_memory_lines *lines,
                                         const struct ets_allocator *allocator,
                                         struct ets_output *output, struct ets_error *error);

#endif
