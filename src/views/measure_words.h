/* Says what a row's lengths are, where they are no times of the trace. */
#ifndef ETSCOPE_VIEWS_MEASURE_WORDS_H
#define ETSCOPE_VIEWS_MEASURE_WORDS_H

#include "etscope/inspect.h"
#include "host/text_builder.h"

/*
 * "conv (clock of its own)", "conv (estimate)", "89.3 % 410,000 cycles conv": the share is of the
 * sum of its call's nodes. `length` is the middle one of the runs. `row` NULL: of several rows.
 */
void ets_add_measured_name(struct ets_text_builder *text, struct ets_text name,
                           const struct ets_row *row, double length);

#endif
