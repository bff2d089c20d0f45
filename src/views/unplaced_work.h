/*
 * Names work without a source line, module or handle, from the trace, the payload and the ETRecord.
 * The same kind of work has the same name in every view.
 *
 *     const uint32_t number = ets_unplaced_work(&arena, places, work, row, true);
 *     if (number == ETS_NO_INDEX) return no_memory;
 *     print(ets_places_name(places, ETS_PLACE_NONE, number));
 */
#ifndef ETSCOPE_VIEWS_UNPLACED_WORK_H
#define ETSCOPE_VIEWS_UNPLACED_WORK_H

#include "views/places.h"
#include "views/work.h"

/*
 * "(XnnpackBackend, not reported)": the time of a call beyond its reported operators, as a number
 * of kind ETS_PLACE_NONE; ETS_NO_INDEX: no memory.
 */
uint32_t ets_work_rest(struct ets_arena *arena, struct ets_places *places,
                       const struct ets_row *row);

/*
 * The name of work without a line (`wants_lines`), module or handle: "(XnnpackBackend, layout
 * conversions)", "(no line in the record: lstm)", or if nothing is known, what does not tell it:
 * "(not in the record)", "(no ETRecord)", "(not in the profile)". Likewise.
 */
uint32_t ets_unplaced_work(struct ets_arena *arena, struct ets_places *places,
                           const struct ets_work *work, const struct ets_row *row,
                           bool wants_lines);

/* Whether it is a name of work of which nothing is known. */
bool ets_is_unknown_work(struct ets_text name);

#endif
