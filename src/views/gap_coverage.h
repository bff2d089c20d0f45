/* How much of the captured values was compared: what a verdict covers. */
#ifndef ETSCOPE_VIEWS_GAP_COVERAGE_H
#define ETSCOPE_VIEWS_GAP_COVERAGE_H

#include "views/gap_words.h"

struct ets_gap_coverage {
    uint32_t values, compared, agreeing; /* captured values */
    uint32_t outputs, outputs_compared;  /* of the method */
    uint32_t worst;                      /* the row that is farthest off, if one was compared */
    double largest;                      /* its total error; below 0: none was compared */
};

struct ets_gap_coverage ets_gap_coverage_of(const struct ets_gap_report *report);

/* "the output was not compared (custom_sdpa: unknown operator)" behind `separator`, or nothing. */
void ets_gap_say_uncompared(struct ets_gap_words *words, const char *separator,
                            const struct ets_gap_conclusion *verdict);

/*
 * Prints "24 of 67 values compared, 24 agree; the outputs were not compared (...)". Returns the
 * length; cut to `room`.
 */
size_t ets_gap_describe_coverage(const struct ets_gap_report *report, char *text, size_t room);

#endif
