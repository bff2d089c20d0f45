/* What delegates attached to a row's events, as text for tables. */
#ifndef ETSCOPE_VIEWS_METADATA_TEXT_H
#define ETSCOPE_VIEWS_METADATA_TEXT_H

#include "views/chosen_runs.h"
#include "views/places.h"

/*
 * Metadata of the row's events, each text once, in logging order: UTF-8 without control characters
 * other than tab and line feed, up to 4,096 bytes, as it is, less a NUL at its end; of anything
 * else the size, "(12 bytes)". Events to which no byte was attached are passed over. `runs` chooses
 * the runs, numbered by `run_number` within their block; NULL: all. Returns false where memory ran
 * out.
 */
bool ets_row_metadata(struct ets_arena *arena, const struct ets_inspection *inspection,
                      uint32_t row, const struct ets_chosen_runs *runs, const uint32_t *run_number,
                      struct ets_text_list *out);

#endif
