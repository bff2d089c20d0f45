/* What delegates attached to a row's events, as text for tables. */
#ifndef ETSCOPE_VIEWS_METADATA_TEXT_H
#define ETSCOPE_VIEWS_METADATA_TEXT_H

#include "views/chosen_runs.h"
#include "views/places.h"

/*
 * Lists the metadata of a row's events, each text once, in logging order. UTF-8 of up to 4,096
 * bytes without control characters except tab and line feed is kept, without a trailing NUL;
 * anything else becomes its size, "(12 bytes)". Events without metadata are skipped. `runs`: of
 * some runs of the block; NULL: of all. Returns false if memory runs out.
 */
bool ets_row_metadata(struct ets_arena *arena, const struct ets_inspection *inspection,
                      uint32_t row, const struct ets_chosen_runs *runs, struct ets_text_list *out);

#endif
