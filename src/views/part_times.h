/*
 * What the parts of a model that are shown apart take together: "attention: scores" and "attention:
 * cache" are attention.
 *
 *     ets_add_part_sums(&lines, runs.whole, tick_ns, &text);
 *
 * adds "attention takes 53.6 us in all, 58.6 %". `lines` are grouped by part; nothing is added
 * where no two of them belong together.
 */
#ifndef ETSCOPE_VIEWS_PART_TIMES_H
#define ETSCOPE_VIEWS_PART_TIMES_H

#include "host/text_builder.h"
#include "views/operator_lines.h"

/* `whole`: ticks of a run; 0: unknown, no share is said. */
void ets_add_part_sums(const struct ets_operator_lines *lines, double whole, double tick_ns,
                       struct ets_text_builder *text);

#endif
