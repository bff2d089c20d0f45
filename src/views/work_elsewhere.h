/*
 * What work is called that has no line of source, module or handle: as much as the trace, the
 * payload and the record tell, the same for the same kind of work in every view.
 *
 *     const uint32_t number = ets_work_elsewhere(&arena, places, row, true);
 *     if (number == ETS_NO_INDEX) return no_memory;
 *     print(ets_places_name(places, ETS_PLACE_NONE, number));
 */
#ifndef ETSCOPE_VIEWS_WORK_ELSEWHERE_H
#define ETSCOPE_VIEWS_WORK_ELSEWHERE_H

#include "views/places.h"

/* "(XnnpackBackend, not reported)": what a call took beyond the operators that it reported, as a
 * number of kind ETS_PLACE_NONE; ETS_NO_INDEX: no memory. */
uint32_t ets_work_rest(struct ets_arena *arena, struct ets_places *places,
                       const struct ets_row *row);

/* Of work without a line (`wants_lines`), module or handle: "(XnnpackBackend, layout conversions)",
 * "(no line in the record: lstm)", "(not in the record)" where no more is known. Likewise. */
uint32_t ets_work_elsewhere(struct ets_arena *arena, struct ets_places *places,
                            const struct ets_row *row, bool wants_lines);

#endif
