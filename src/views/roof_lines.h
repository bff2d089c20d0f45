/*
 * The lines of a roofline chart: the rates of a machine's arithmetic, and the bandwidths of its
 * caches and memory.
 *
 *     struct ets_cost_roof lines[ETS_ROOF_LINES];
 *     const uint32_t count = ets_roof_lines_list(&machine, 1, lines);
 */
#ifndef ETSCOPE_VIEWS_ROOF_LINES_H
#define ETSCOPE_VIEWS_ROOF_LINES_H

#include "cost/roof.h"
#include "views/cost_reader.h"

enum { ETS_ROOF_LINES = ETS_ROOF_PROGRAMS + ETS_LEVEL_COUNT };

/*
 * Arithmetic first, then bandwidths from the smallest cache on. A cache as fast as the one before
 * has no line of its own; nor has what was not measured. Returns their number.
 */
uint32_t ets_roof_lines_list(const struct ets_machine *machine, uint32_t threads,
                             struct ets_cost_roof lines_out[ETS_ROOF_LINES]);

#endif
