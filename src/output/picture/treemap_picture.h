/* Where the bytes of programs are, as a picture. */
#ifndef ETSCOPE_OUTPUT_PICTURE_TREEMAP_PICTURE_H
#define ETSCOPE_OUTPUT_PICTURE_TREEMAP_PICTURE_H

#include "contents/byte_map.h"
#include "host/output.h"

/*
 * A treemap as SVG, readable on light and on dark: an area for each part of the files, in it one
 * for each of its items, as large as their shares. Names stand where they fit; titles, shown by
 * browsers under the pointer, tell all. What is too small to see is drawn as one area. Status:
 * NO_MEMORY.
 */
enum ets_status ets_treemap_picture_write(const struct ets_byte_map *map, struct ets_output *output,
                                          struct ets_error *error);

#endif
