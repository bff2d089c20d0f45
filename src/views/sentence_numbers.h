/* Times and shares in sentences: as exact as they were measured, ranges where the clock is coarse.
 */
#ifndef ETSCOPE_VIEWS_SENTENCE_NUMBERS_H
#define ETSCOPE_VIEWS_SENTENCE_NUMBERS_H

#include "host/text_builder.h"
#include "views/work.h"

/* "3..4"; bounds that read the same are one number: "3". */
void ets_add_range(struct ets_text_builder *text, const char *lower, const char *upper);

/* "51.4 us", "3..4 us", "<1 us"; `tick_ns` 0: "1200 cycles". */
void ets_add_time(struct ets_text_builder *text, struct ets_span ticks, double tick_ns);

/* The unit that ets_add_time would choose, in nanoseconds; 0: cycles. */
double ets_time_scale(double ticks, double tick_ns);
/* The unit in which both can be read: that of the smaller, if it is not 0. */
double ets_shared_time_scale(double left, double right, double tick_ns);
/* As ets_add_time, in one unit for all times of a sentence. */
void ets_add_time_in(struct ets_text_builder *text, struct ets_span ticks, double tick_ns,
                     double scale);

/* "9.5 %", "5.8..7.7 %", "<5.2 %" of a fraction. */
void ets_add_share(struct ets_text_builder *text, struct ets_span share);

#endif
